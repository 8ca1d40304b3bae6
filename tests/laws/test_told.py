"""What is odd about scores is told: in results, in the shell, and with ways out that lead out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tauscope as ts
from tauscope import ScoreCube, Scores, TauscopeError
from tauscope.cli import main
from tauscope.errors import FileError, Option


def tauscope(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    """What the shell prints, and what it says beside it."""
    capsys.readouterr()
    main([str(word) for word in words])
    found = capsys.readouterr()
    return found.out, found.err


# ---- several measures ----

RNG = np.random.default_rng(3)
MEASURES = ("AP", "RR", "P(depth=10)@5", "RR(depth=10)", "AP(depth=10)", "AP(depth=100)")
CUBE = ScoreCube(RNG.random((len(MEASURES), 8, 12)).round(3), MEASURES, [f"q{i}" for i in range(7)] + ["average"])
SEVERAL: dict[str, Callable[[Any], Any]] = {
    "low_to_high": lambda data: ts.measures.low_to_high(
        data, ["AP"], predictors=["RR", "P@5"], depths=(10,), target_depths=(100,)
    ),
    "measure_correlations": lambda data: ts.measures.correlations(data),
    "predict_measure": lambda data: ts.measures.predict(data, "AP", max_predictors=1),
    "predict_measures": lambda data: ts.measures.predict(data, ["AP"], max_predictors=1),
    "rank_measures": lambda data: ts.measures.rank(data),
    "select_topics": lambda data: ts.measures.select_topics(
        data["AP"] if isinstance(data, ScoreCube) else data, 2, draws=1
    ),
    "predictive_power": lambda data: ts.experiments.predictive_power(data, draws=2),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_results_of_several_measures_say_what_is_odd(name: str) -> None:
    odd = SEVERAL[name](CUBE)
    assert odd.cautions == ("'average': 1 topic is a summary of others by name",)
    assert str(odd).count("Warning: One topic is a summary of others by name (average).") == 1
    plain = SEVERAL[name](ScoreCube(CUBE.values, MEASURES))
    assert plain.cautions == ()


def test_what_is_odd_about_one_measure_names_it() -> None:
    values = np.array(CUBE.values)
    values[1, 2, 3] = -1
    found = ts.measures.correlations(ScoreCube(values, MEASURES))
    assert found.cautions == ("'RR': 1 cell is -1, and all others are from 0 to 1",)


def test_scales_matter_to_means_and_not_to_correlations_of_columns() -> None:
    values = np.random.default_rng(4).random((6, 12)) * np.array([1, 1, 1, 1, 1, 500])[:, None]
    scores = Scores(values, [f"q{i}" for i in range(6)])
    assert "1 topic up to" in "".join(ts.measures.select_topics(scores, 2, draws=1).cautions)
    assert ts.measures.correlations(scores).cautions == ()


def test_scores_near_the_largest_number_are_looked_at_too() -> None:
    values = np.random.default_rng(5).random((6, 12)) * 1.7e308
    assert ts.measures.select_topics(Scores(values), 2, draws=1).cautions == ()


# ---- marks that are no scores ----


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("system,AP,nDCG\na,.3,-1\nb,.2,.2\nc,.2,.3\n", "minus-one"),
        ("system,score\na,1\nb,-1\nc,2\nd,0\n", "negative-grades"),
        ("topic,a,b,c\n1,.3,-1,.2\n2,.1,.2,.3\n", "minus-one"),
    ],
)
def test_check_tells_marks_in_tables_lists_and_matrices(
    text: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "marked.csv"
    path.write_text(text)
    assert f"warning {code}" in " ".join(tauscope(capsys, "check", path)[0].split())
    path.write_text(text.replace("-1", "0.25" if code == "minus-one" else "1"))
    assert code not in tauscope(capsys, "check", path)[0]


def test_numbers_that_go_below_zero_on_their_own_are_no_marks() -> None:
    assert "minus-one" not in ts.check(Scores([[0.1, -1.0, -0.5], [0.3, 0.2, 0.1]])).codes
    assert "minus-one" not in ts.check(Scores([[12.5, -1.0, 3.0], [0.3, 0.2, 0.1]])).codes


def test_grades_below_zero_are_told_of_qrels() -> None:
    runs = {"r": {"1": {"a": 2.0, "b": 1.0}}, "s": {"1": {"b": 2.0}}}
    unjudged = ts.evaluate(runs, {"1": {"a": 1, "b": -1}}, ["AP"])
    assert "1 grade below 0 (-1): documents of the pool that nobody judged" in unjudged.notes
    assert ts.rank(ScoreCube(np.repeat(unjudged.values, 3, axis=1), ("AP",))).cautions == ()
    spam = ts.evaluate(runs, {"1": {"a": 1, "b": -2, "c": -1}}, ["AP"])
    assert (
        "2 grades below 0 (-2, -1): documents of the pool that nobody judged" in ts.check(spam)["negative-grades"].text
    )
    assert not any("below 0" in note for note in ts.evaluate(runs, {"1": {"a": 1, "b": 0}}, ["AP"]).notes)


# ---- topics that nothing names ----


def test_the_shell_says_that_topics_are_matched_by_their_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, named = "a,b,c\n.1,.2,.35\n.3,.1,.2\n.3,.4,.2\n", "topic,a,b,c\n1,.2,.2,.3\n2,.3,.1,.1\n3,.3,.5,.2\n"
    one, two, three = (tmp_path / f"{name}.csv" for name in ("one", "two", "three"))
    one.write_text(plain)
    two.write_text(plain.replace(".4", ".5"))
    three.write_text(named)
    told = "note: neither the estimate nor the truth names its topics: they are numbered, and matched by their rows"
    assert told in tauscope(capsys, "compare", one, "--truth", two)[1]
    assert told not in tauscope(capsys, "compare", one, "--truth", three)[1]
    assert told not in tauscope(capsys, "compare", three, "--truth", three)[1]


def test_counts_of_rows_and_columns_are_a_remark_and_nothing_is_turned() -> None:
    values = RNG.random((4, 20))
    told = "nothing says what rows and columns are; 4 rows are taken for topics and 20 columns for systems"
    for made in (values, pd.DataFrame(values), values.tolist()):
        found = ts.rank(made)
        assert len(found.systems) == 20
        assert any(told in text for text in found.cautions)
        assert str(found).count(told) == 1
    for made in (values.T, pd.DataFrame(values).T, values[:, :19], Scores(values)):
        assert ts.rank(made).cautions == ()
    assert "rows-or-columns" in ts.check(values).codes
    assert ts.Scores.read(values, format="turned").shape == (20, 4)


# ---- columns ----

BOARD = "model,MMLU,scale,GSM8K\ngpt,.3,70,.4\nllama,.2,7,.1\nqwen,.5,8,.3\nphi,.4,3,.2\n"


@pytest.mark.parametrize("kind", ["path", "frame", "parquet"])
def test_a_column_can_be_left_out(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(BOARD)
    frame = pd.read_csv(path)
    frame.to_parquet(tmp_path / "board.parquet")
    given = {"path": path, "frame": frame, "parquet": tmp_path / "board.parquet"}[kind]
    assert "different-scales" in ts.check(given).codes
    found = ts.Scores.read(given, columns="drop=scale")
    assert found.topics == ("MMLU", "GSM8K")
    assert found.values.tolist() == [[0.3, 0.2, 0.5, 0.4], [0.4, 0.1, 0.3, 0.2]]
    assert "left out as requested: 'scale'" in found.notes[0]
    assert ts.measures.Table.read(given, columns={"drop": ["scale", "MMLU"]}).measures == ("GSM8K",)
    one = ts.Ranking.read(given, columns="drop=scale,drop=MMLU")
    assert one.groups() == [("gpt",), ("qwen",), ("phi",), ("llama",)]
    with pytest.raises(FileError, match="there is no column 'params'; there are 'model', 'MMLU', 'scale', 'GSM8K'"):
        ts.Scores.read(given, columns="drop=params")


def test_a_column_can_be_left_out_in_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.csv"
    path.write_text(BOARD)
    assert "drop=…" in tauscope(capsys, "check", path)[0]
    out, err = tauscope(capsys, "rank", path, "--columns", "drop=scale")
    assert "4 systems, 2 topics" in out
    assert "scale" not in err


def test_a_short_row_is_an_error_also_where_a_column_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(BOARD + "mistral,.1,.2\n" + "x,.1,2,.3\n" * 60)
    with pytest.raises(FileError, match=r"board\.csv:6: 3 cells, where the header \(line 1\) has 4\."):
        ts.Scores.read(path, columns="drop=scale")
    path.write_text(BOARD + "".join(f"m{i},.1,2,.3\n" for i in range(60)) + "mistral,.1,.2\n")
    with pytest.raises(FileError, match=r"board\.csv:66: 3 cells, where the header \(line 1\) has 4\."):
        ts.Scores.read(path, columns="drop=scale")
    path.write_text(BOARD + "".join(f"m{i},.{i:02},2,.3\n" for i in range(60)))
    assert ts.Scores.read(path, columns="drop=scale").values[0, 4:].tolist() == [i / 100 for i in range(60)]


def test_decimal_commas_in_a_frame_have_a_way_out() -> None:
    frame = pd.DataFrame({"topic": ["q1", "q2"], "a": ["0,5", "0,25"], "b": [0.1, 0.2]})
    with pytest.raises(FileError, match="'0,5' in the column 'a' is not a number") as e:
        ts.Scores.read(frame)
    advised = str(e.value).partition("decimal commas: ")[2].partition(" in pandas")[0]
    frame["a"] = eval(advised, {"frame": frame})
    assert ts.Scores.read(frame).values[:, 0].tolist() == [0.5, 0.25]
    with pytest.raises(FileError) as e:
        ts.Scores.read(pd.DataFrame({"topic": ["q1", "q2", "q3"], "a": ["0.5", "good", "0.1"], "b": [0.1, 0.2, 0.1]}))
    assert e.value.ways_out == ()


# ---- an order that hangs on rounding ----

NOISY = {"x": 0.1 + 0.2, "y": 0.3, "z": 0.1}
OTHER = {"x": 0.2, "y": 0.3, "z": 0.1}


@pytest.mark.parametrize("made", [dict, pd.Series, lambda own: np.array(list(own.values()))])
@pytest.mark.parametrize("by", [1.0, 1e9, 1e-9])
def test_an_order_that_hangs_on_rounding_is_told_with_a_way_out(made: Callable[[Any], Any], by: float) -> None:
    noisy, other = made({name: score * by for name, score in NOISY.items()}), made(OTHER)
    found = ts.tau_b(noisy, other)
    assert "One pair of the first differs by less than 1e-12 of the largest score" in str(found)
    assert found.cautions
    close = found.close
    assert close is not None
    assert isinstance(close.way_out, Option)
    out = ts.tau_b(noisy, other, tied_within=close.way_out.values[0])
    assert (out.cautions, out.ties) == ((), (1, 0))
    assert out.value == ts.tau_b({"x": 2, "y": 2, "z": 1}, OTHER).value
    assert ts.correlate(noisy, truth=other, coefficient=["tau_b"]).cautions


@pytest.mark.parametrize("own", [0.15, "60%"])
def test_the_way_out_leaves_the_tolerance_of_the_other_alone(own: Any) -> None:
    close = ts.tau_b(NOISY, OTHER, tied_within=(0, own)).close
    assert close is not None
    assert isinstance(close.way_out, Option)
    assert close.way_out.values == ((1e-12, own),)
    found = ts.tau_b(NOISY, OTHER, tied_within=close.way_out.values[0])
    assert (found.cautions, found.ties.first) == ((), 1)
    assert found.tied_within[1] == ts.tau_b(NOISY, OTHER, tied_within=(0, own)).tied_within[1]


def test_what_is_apart_or_tied_already_or_not_of_the_order_is_not_told() -> None:
    apart = {"x": 0.3 + 1e-9, "y": 0.3, "z": 0.1}
    for found in (
        ts.tau_b(apart, OTHER),
        ts.tau_b(ts.Ranking.from_means(NOISY), OTHER),
        ts.pearson(NOISY, OTHER),
        ts.tau_b(NOISY, OTHER, tied_within=0.01),
        ts.tau_b([5e-324, 0.0], [0.0, 1.0]),
        ts.tau_b([1e308, -1e308], [0.0, 1.0]),
    ):
        assert found.cautions == ()
    with pytest.raises(TauscopeError, match="not defined with ties"):
        ts.tau(ts.Ranking.from_means(NOISY), OTHER)
    assert "Ranking.from_means()" in ts.tau(NOISY, OTHER).cautions[0]


def test_the_shell_tells_an_order_that_hangs_on_rounding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("system,score\n" + "".join(f"{name},{score!r}\n" for name, score in NOISY.items()))
    two.write_text("system,score\n" + "".join(f"{name},{score!r}\n" for name, score in OTHER.items()))
    out, err = tauscope(capsys, "correlate", one, two, "-c", "tau_b")
    assert out.count("Warning: One pair of the first differs") == 1
    words = ["--tied-within", "1e-12"]
    assert f"{words[0].strip('-').replace('-', '_')}={words[1]}" in out
    out, err = tauscope(capsys, "correlate", one, two, "-c", "tau_b", *words)
    assert "Tied pairs (first, second)  1, " in out
    assert "differs" not in out + err


def test_topics_that_are_only_hard_for_all_are_no_other_scale():
    rng = np.random.default_rng(3)
    hard_or_easy = np.array([0.2, 0.25, 3.0, 4.0, -2.5, 3.5])[:, None] + rng.uniform(-0.1, 0.1, (6, 5))
    assert ts.Scores(hard_or_easy).scales() is None
    wide = hard_or_easy.copy()
    wide[2:] *= 20
    assert ts.Scores(wide).scales().small == ("1", "2")


def errors_of_translations(seed: int, *, segments: int = 20, systems: int = 8, whole: bool = False) -> np.ndarray:
    """Make scores of the shape of MQM: 0 for a segment without errors, -0.1, -1 and -5 per error, at least -25."""
    rng = np.random.default_rng(seed)
    hard = rng.gamma(0.5, 1.0, (segments, 1))
    weights = np.array([0.0 if whole else 0.1, 1.0, 5.0])
    counts = rng.poisson(hard[..., None] * [0.3, 0.9, 0.5], (segments, systems, 3))
    return 0.0 - np.minimum(25, (counts * weights).sum(axis=2)).round(1)


@pytest.mark.parametrize("sign", [1, -1], ids=["penalties", "errors counted"])
def test_one_scale_of_penalties_is_never_refused_as_two(sign: int) -> None:
    suspected = 0
    for seed in range(120):
        scores = Scores(sign * errors_of_translations(seed) + 0.0)
        found = scores.scales()
        suspected += found is not None
        assert not found or not found.sure
        assert ts.rank(scores, "mean").systems
    assert suspected > 10  # the split into segments up to 1 and up to 25 is there, and is only a warning


def test_scales_that_are_only_suspected_are_a_warning_in_the_result() -> None:
    scores = next(found for seed in range(120) if (found := Scores(errors_of_translations(seed))).scales() is not None)
    finding = ts.check(scores)["different-scales"]
    assert finding.severity == "warning"
    assert "if they are on different scales" in finding.effect
    assert "these may be two scales" in ts.rank(scores, "mean").cautions[0]
    assert ts.rank(scores.aggregated("mean"), "mean").cautions == ()


@pytest.mark.parametrize(
    ("small", "large", "low"),
    [
        (("MMLU accuracy", "ARC acc"), ("WMT BLEU",), 0.4),  # different measures by name
        (("MMLU", "ARC"), ("GSM8K (%)",), 0.4),  # a declared unit
        (("MMLU", "ARC"), ("GSM8K",), 25.0),  # no value of either lies within the range of the other
    ],
)
def test_two_scales_are_refused_on_evidence_of_names_units_or_values(small: Any, large: Any, low: float) -> None:
    values = np.array([[0.31, 0.42, 0.53, 0.64], [0.7, 0.65, 0.6, 0.55], [30.0, low, 62.0, 58.0]])
    with pytest.raises(TauscopeError, match="the widest scale would decide"):
        ts.rank(Scores(values, (*small, *large)), "mean")
    if low < 1:
        assert not Scores(values).scales().sure
        ts.rank(Scores(values), "mean")


def test_negative_scores_of_a_penalty_scale_are_not_called_spam() -> None:
    codes = {"negative-grades", "minus-one"}
    for seed in range(40):
        assert not codes & set(ts.check(Scores(errors_of_translations(seed, segments=6, whole=True))).codes)
    assert not codes & set(ts.check(Scores([[0.0, -1, -1], [0, 0, -1]])).codes)
    assert not codes & set(ts.check(Scores([[-2.0, -1, 0, 1], [2, 1, -1, -2]])).codes)
    assert "negative-grades" in ts.check(Scores([[-2.0, 0, 3, 1], [2, 1, 0, 0]])).codes
