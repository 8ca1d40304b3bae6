"""Every public function takes scores as people have them, and answers the same whatever they are kept in."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tauscope as ts
from tauscope import ScoreCube, Scores, TauscopeError
from tauscope.coefficients.correlate import correlate_batch, correlation_matrix
from tauscope.errors import CallError, FileError, Option
from tauscope.pages import Report
from tauscope.results import Findings, Result

TOPICS = tuple(f"q{i}" for i in range(1, 9))
SYSTEMS = tuple("abcdef")


def board(seed: int) -> Scores:
    rng = np.random.default_rng(seed)
    values = np.clip(rng.random((8, 1)) * 0.3 + np.linspace(0.5, 0.1, 6) + rng.normal(0, 0.1, (8, 6)), 0, 1)
    return Scores(values.round(3), TOPICS, SYSTEMS)


A, B, C = board(1), board(2), board(3)
Given = Callable[[Scores], Any]

# ---- every kind of input ----


def long_rows(scores: Scores) -> dict[str, list[Any]]:
    return {
        "topic": [topic for topic in scores.topics for _ in scores.systems],
        "system": list(scores.systems) * len(scores.topics),
        "value": scores.values.ravel().tolist(),
    }


def wide_columns(scores: Scores) -> dict[str, list[Any]]:
    return {"topic": list(scores.topics)} | dict(zip(scores.systems, scores.values.T.tolist(), strict=True))


def indexed(scores: Scores) -> pd.DataFrame:
    return pd.DataFrame(scores.values, index=list(scores.topics), columns=list(scores.systems))


def two_levels(scores: Scores) -> pd.DataFrame:
    return pd.DataFrame(long_rows(scores)).pivot(index="topic", columns="system")


def categories(scores: Scores) -> pd.DataFrame:
    return pd.DataFrame(long_rows(scores)).astype({"system": "category", "topic": "category"})


def files_of_runs(scores: Scores, folder: Path) -> list[Path]:
    paths = []
    for system, column in zip(scores.systems, scores.values.T.tolist(), strict=True):
        path = folder / f"{system}.eval"
        path.write_text("".join(f"map\t{topic}\t{x}\n" for topic, x in zip(scores.topics, column, strict=True)))
        paths.append(path)
    return paths


def unique(folder: Path) -> Path:
    made = folder / str(len(list(folder.iterdir())))
    made.mkdir()
    return made


KINDS: dict[str, Callable[[Scores, Path], Any]] = {
    "ScoreCube": lambda s, p: ScoreCube.stack([by_ap(s)]),
    "pandas wide": lambda s, p: pd.DataFrame(wide_columns(s)),
    "pandas wide, topics in the index": lambda s, p: indexed(s),
    "pandas turned, axes named": lambda s, p: indexed(s).T.rename_axis(index="model", columns="task"),
    "pandas long": lambda s, p: pd.DataFrame(long_rows(s)),
    "pandas long, index in two levels": lambda s, p: pd.DataFrame(long_rows(s)).set_index(["topic", "system"]),
    "pandas columns in two levels": lambda s, p: two_levels(s),
    "pandas categories": lambda s, p: categories(s),
    "pandas series in two levels": lambda s, p: pd.DataFrame(long_rows(s)).set_index(["topic", "system"])["value"],
    "polars wide": lambda s, p: pl.DataFrame(wide_columns(s)),
    "polars long": lambda s, p: pl.DataFrame(long_rows(s)),
    "polars lazy": lambda s, p: pl.LazyFrame(wide_columns(s)),
    "pyarrow": lambda s, p: pl.DataFrame(wide_columns(s)).to_arrow(),
    "xarray": lambda s, p: s.to_xarray(),
    "xarray turned": lambda s, p: s.to_xarray().T,
    "path": lambda s, p: s.write(unique(p) / "scores.csv"),
    "text of a path": lambda s, p: str(s.write(unique(p) / "scores.csv")),
    "list of paths": lambda s, p: files_of_runs(s, unique(p)),
    "dict of dicts": lambda s, p: {
        system: dict(zip(s.topics, column, strict=True))
        for system, column in zip(s.systems, s.values.T.tolist(), strict=True)
    },
    "array": lambda s, p: np.array(s.values),
    "list of rows": lambda s, p: s.values.tolist(),
}
#: These name nothing, so that topics and systems are numbered.
UNNAMED = ("array", "list of rows")
#: These name the measure.
BY_AP = ("ScoreCube", "list of paths")

# ---- every public function ----

GROUPS = {s: "one" if i < 3 else "two" for i, s in enumerate(SYSTEMS)}
CLUSTERS = {topic: f"about {topic[-1]}" for topic in (*TOPICS, *map(str, range(1, 9)))}
FAST = {"draws": 20, "rng": 1}

CALLS: dict[str, Callable[[Given, Callable[[str], str]], Any]] = {
    "audit": lambda g, n: ts.audit(
        {"x": g(A), "y": g(B)},
        truth=g(C),
        people={k: g(v) for k, v in zip("pqr", (A, B, C), strict=True)},
        groups={n(s): own for s, own in GROUPS.items()} | {"x": "one", "y": "two"},
    ),
    "versions": lambda g, n: ts.versions({"1": g(A), "2": g(B)}),
    "check of two": lambda g, n: ts.check(g(A), g(B)),
    "check": lambda g, n: ts.check(g(A)),
    "compare": lambda g, n: ts.compare(g(A), truth=g(B)),
    "experiments.estimator_study": lambda g, n: ts.experiments.estimator_study(
        {"one": g(A)}, sizes=(5,), draws=2, methods=("ml",)
    ),
    "expected_correlation": lambda g, n: ts.expected_correlation(g(A), interval=False),
    "gate": lambda g, n: ts.gate(g(A), [f"{n('a')} > {n('f')}", "tau(new, old) >= .1"], baseline=g(B)),
    "hybrid": lambda g, n: ts.hybrid(g(A), g(B)),
    "measures.correlations": lambda g, n: ts.measures.correlations(g(A)),
    "experiments.predictive_power": lambda g, n: ts.experiments.predictive_power(g(A), draws=5),
    "rank": lambda g, n: ts.rank(g(A)),
    "measures.rank": lambda g, n: ts.measures.rank(g(A)),
    "ScoreCube.read": lambda g, n: ts.ScoreCube.read(g(A)),
    "Scores.read": lambda g, n: ts.Scores.read(g(A)),
    "report": lambda g, n: ts.report(g(A), truth=g(B)),
    "measures.select_topics": lambda g, n: ts.measures.select_topics(g(A), 2, draws=2),
    "significance": lambda g, n: ts.significance(g(A), truth=g(B), **FAST),
    "experiments.swap_experiment": lambda g, n: ts.experiments.swap_experiment(g(A), "any", swaps=1, draws=2),
    "variance_components": lambda g, n: ts.variance_components(g(A)),
}
#: Of several measures: a frame with one column per measure, in the test of its own below.
MEASURES = ("measures.low_to_high", "measures.predict")
#: Public functions that take no scores on topics, and what they take instead.
OTHERS = {
    "rankings": f"correlate experiments.perturb rbo {' '.join(ts.catalogue.names)}",
    "runs and judgments": "evaluate experiments.incomplete_judgments",
    "battles": "bradley_terry",
    "a file": "read",
    "nothing of the kind": "demo experiments.reproduce",
}


def test_every_public_function_is_here() -> None:
    public = {name for name in ts.__all__ if inspect.isfunction(getattr(ts, name))}
    for space in ("experiments", "measures"):
        own = getattr(ts, space)
        public |= {f"{space}.{name}" for name in own.__all__ if inspect.isfunction(getattr(own, name))}
    others = {name for names in OTHERS.values() for name in names.split()}
    here = {name for name in CALLS if not name.endswith((".read", " of two"))} | set(MEASURES) | others
    assert public - here == set(), "a new function is listed in CALLS, or in OTHERS with what it takes"
    assert here - public == set()


def outcome(result: Any) -> Any:
    """What a result says, without how its input was read."""
    if isinstance(result, Report):
        return (result.title, str(result))
    if isinstance(result, np.ndarray):
        return result.tolist()
    if isinstance(result, (Scores, ScoreCube)):
        return (result.values.tolist(), result.systems)
    said = {key: value for key, value in result.to_dict().items() if key != "notes"}
    if isinstance(result, Findings):  # how the input was read is a finding too
        about = ("layout", "layout-guessed")
        said["findings"] = [finding for finding in said["findings"] if finding["code"] not in about]
        said["codes"] = [code for code in said["codes"] if code not in about]
    return said


def by_ap(scores: Scores) -> Scores:
    return scores.changed(measure="AP")


def number_of(name: str) -> str:
    return str(SYSTEMS.index(name) + 1)


def function(name: str) -> Any:
    """The public function that an entry of CALLS calls."""
    return attrgetter(name.removesuffix(" of two"))(ts)


def plain_names(scores: Scores) -> Scores:
    return Scores(scores.values)


#: What every function says of `Scores`, found when it is first needed.
EXPECTED: dict[tuple[str, Any], Any] = {}


def skipped(name: str, kind: str) -> str:
    """Why a function does not take a kind, where it has a meaning of its own there."""
    several = ("measures.correlations", "measures.rank", "check", "check of two")
    reasons = {
        "a cube is a cube: its measures are the columns": name in several and kind == "ScoreCube",
        "an array without names is a covariance matrix": name == "measures.rank" and kind in UNNAMED,
        "a file is one of published scores": name == "versions" and "path" in kind,
        "asks which level is which, by an option of its own": name.endswith(".read") and kind == "dict of dicts",
    }
    return next((reason for reason, true in reasons.items() if true), "")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", list(CALLS))
def test_every_function_takes_every_kind_of_input(
    name: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason := skipped(name, kind):
        pytest.skip(reason)
    made: Given = plain_names if kind in UNNAMED else by_ap if kind in BY_AP else lambda scores: scores
    named = number_of if kind in UNNAMED else str
    key = (name, made.__name__)
    if key not in EXPECTED:
        EXPECTED[key] = outcome(CALLS[name](made, named))
    result = CALLS[name](lambda scores: KINDS[kind](scores, tmp_path), named)
    assert outcome(result) == EXPECTED[key]
    if isinstance(result, Result) and hasattr(function(name), "takes_scores") and kind != "ScoreCube":
        assert result.inputs
        assert str(result).endswith(f"read: {result.inputs[-1]}")


# ---- several measures ----


def several_measures() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    rows = [(t, s) for t in range(1, 9) for s in range(12)]
    skill = np.array([s / 12 for _, s in rows])
    columns = {name: np.clip(skill + rng.normal(0, 0.2, len(rows)), 0, 1).round(3) for name in DEPTHS}
    return pd.DataFrame({"topic": [t for t, _ in rows], "system": [f"s{s}" for _, s in rows], **columns})


DEPTHS = ("P@10", "P(depth=10)@5", "RR(depth=10)", "AP(depth=10)", "AP(depth=100)", "RBP(p=0.8)")
SEVERAL: dict[str, Callable[[Any], Any]] = {
    "check": lambda data: ts.check(data),
    "measures.low_to_high": lambda data: ts.measures.low_to_high(
        data, ["AP"], predictors=["RR", "P@5"], depths=(10,), target_depths=(100,)
    ),
    "measures.correlations": lambda data: ts.measures.correlations(data, "system"),
    "predict_measure": lambda data: ts.measures.predict(data, "AP(depth=100)", max_predictors=1),
    "predict_measures": lambda data: ts.measures.predict(data, ["AP(depth=100)"], max_predictors=1),
    "measures.rank": lambda data: ts.measures.rank(data),
    "experiments.predictive_power": lambda data: ts.experiments.predictive_power(data, draws=5),
}


@pytest.mark.parametrize("kind", ["pandas", "polars", "path", "long", "xarray", "list of one", "dict by name"])
@pytest.mark.parametrize("name", SEVERAL)
def test_functions_of_several_measures_take_every_kind(name: str, kind: str, tmp_path: Path) -> None:
    frame = several_measures()
    cube = ts.ScoreCube.read(frame)
    path = tmp_path / "measures.csv"
    frame.to_csv(path, index=False)
    given = {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "path": path,
        "long": frame.melt(["topic", "system"], var_name="measure"),
        "xarray": cube.to_xarray(),
        "list of one": [frame],
        "dict by name": {"it": frame},
    }[kind]
    if kind in ("list of one", "dict by name") and name in (
        "check",
        "experiments.predictive_power",
        "measures.low_to_high",
    ):
        pytest.skip("takes one collection")
    wanted = {"it": cube} if kind == "dict by name" else [cube] if kind == "list of one" else cube
    assert str(SEVERAL[name](given)) == str(SEVERAL[name](wanted))


@pytest.mark.parametrize("name", ["measures.correlations", "measures.rank", "check"])
def test_a_table_of_systems_by_measures_is_one(name: str, tmp_path: Path) -> None:
    frame = several_measures().groupby("system", as_index=False).mean(numeric_only=True).drop(columns="topic")
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    call = function(name)
    for given in (frame, pl.from_pandas(frame), path, str(path)):
        assert str(call(given)) == str(call(ts.measures.Table.read(frame)))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "dict of dicts"])  # which asks for its levels
def test_what_is_written_can_be_read_again(kind: str, tmp_path: Path) -> None:
    path = ts.Scores.read(KINDS[kind](A, unique(tmp_path))).write(tmp_path / "written.csv")
    assert np.array_equal(ts.Scores.read(path).values, A.values)


@pytest.mark.parametrize("kind", KINDS)
def test_a_simulator_is_fitted_to_every_kind(kind: str, tmp_path: Path) -> None:
    found = ts.simulate.Simulator.fit(KINDS[kind](A, tmp_path))
    assert np.allclose(found.original_means, A.means())


# ---- how a frame is labelled and sorted ----


def assert_alike(one: Any, other: Any) -> None:
    """The same but for the last digits of numbers."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_alike(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_alike(a, b)
    else:
        assert one == (pytest.approx(other, abs=1e-9) if isinstance(other, float) else other)


def shuffled(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return frame.iloc[rng.permutation(len(frame)), rng.permutation(len(frame.columns))]


SORTABLE: dict[str, Callable[[Scores], pd.DataFrame]] = {
    "wide": lambda s: pd.DataFrame(wide_columns(s)),
    "index": indexed,
    "long": lambda s: pd.DataFrame(long_rows(s)),
    "rows are only numbered": lambda s: pd.DataFrame(s.values, columns=list(s.systems)),
    "rows and columns are only numbered": lambda s: pd.DataFrame(s.values),
    "whole numbers name rows and columns": lambda s: pd.DataFrame(
        s.values, index=range(401, 409), columns=range(7, 13)
    ),
}


@pytest.mark.parametrize("layout", SORTABLE)
@pytest.mark.parametrize("seed", range(3))
def test_nothing_depends_on_how_a_frame_is_sorted(layout: str, seed: int) -> None:
    make = SORTABLE[layout]
    kept, moved = ts.Scores.read(make(A)), ts.Scores.read(shuffled(make(A), seed))
    assert set(moved.topics) == set(kept.topics)
    assert moved.select(topics=kept.topics, systems=kept.systems).values.tolist() == kept.values.tolist()
    one = ts.compare(make(A), truth=make(B))
    other = ts.compare(shuffled(make(A), seed), truth=shuffled(make(B), seed + 10))
    assert other.observed == one.observed
    assert (other.corrected, *other.interval) == pytest.approx((one.corrected, *one.interval), abs=1e-9)
    assert_alike(outcome(ts.rank(shuffled(make(A), seed))), outcome(ts.rank(make(A))))


#: They list topics or systems in the order in which they are given; the rest does not.
LISTS = {"measures.correlations", "ScoreCube.read", "Scores.read"}


@pytest.mark.parametrize("name", [name for name in CALLS if name not in LISTS | {"report"}])
def test_no_function_depends_on_how_a_frame_is_sorted(name: str) -> None:
    moved = CALLS[name](lambda scores: shuffled(indexed(scores), int(scores.values.sum())), str)
    assert_alike(outcome(moved), outcome(CALLS[name](indexed, str)))


NAMED = pd.DataFrame(wide_columns(A))
ODD_FRAMES: dict[str, tuple[Any, str]] = {
    "an index called like a column that says the same": (NAMED.set_index("topic", drop=False), "topics in 'topic'"),
    "an index left over from a filter": (NAMED.iloc[[3, 1, 6]], "the index was not read: 'topic' names the rows"),
    "whole numbers for columns": (
        pd.DataFrame(A.values, columns=range(11, 17)),
        "topics numbered; whole numbers name the systems ('11', '12', '13', …)",
    ),
    "numbered columns beside named topics": (
        pd.DataFrame(A.values, index=list(TOPICS)),
        "its columns are numbered, so systems are too",
    ),
    "whole numbers in the index": (
        pd.DataFrame(A.values, index=range(401, 409), columns=list(SYSTEMS)),
        "the index names the rows ('401', '402', '403', …)",
    ),
    "columns whose axis is called task": (
        indexed(A).T.rename_axis(columns="task"),
        "one column per topic (8 columns), systems in ''; the columns are called topics",
    ),
    "categories for columns": (categories(A).pivot(index="topic", columns="system", values="value"), "topics in"),
}


@pytest.mark.parametrize("case", ODD_FRAMES)
def test_what_was_assumed_of_a_frame_is_said(case: str) -> None:
    frame, said = ODD_FRAMES[case]
    found = ts.Scores.read(frame)
    assert said in found.notes[0]
    assert said in str(ts.rank(frame))


def test_numbered_topics_beside_named_ones_are_told() -> None:
    plain = pd.DataFrame(A.values, columns=list(SYSTEMS))
    found = ts.compare(plain, truth=indexed(B))
    assert "`judge` has numbers for topics, and the others names: these are different topics" in str(found)
    assert found.observed == ts.compare(A, truth=B).observed
    assert "different topics" not in str(ts.compare(plain, truth=plain))
    with pytest.raises(TauscopeError, match="share none of their topics"):
        ts.correlate(ts.Scores.read(plain), truth=ts.Scores.read(indexed(B))).by_topic()


def test_labels_that_leave_it_open_are_refused_with_a_way_out() -> None:
    other = NAMED.set_index(pd.Index(list("hgfedcba"), name="topic"))
    with pytest.raises(FileError, match=r"index and one of its columns are both called 'topic', and they differ") as e:
        ts.rank(other)
    assert "df.reset_index(drop=True)" in str(e.value)
    assert ts.Scores.read(other.reset_index(drop=True)) == ts.Scores.read(NAMED)
    levels = indexed(A).set_axis(pd.MultiIndex.from_product([["x", "y"], list("abc")]), axis=1)
    with pytest.raises(FileError, match="names of the levels do not all say what they hold") as e:
        ts.rank(levels)
    assert "Call the levels system, topic, measure or value" in str(e.value)
    named = levels.rename_axis(index="topic", columns=["measure", "system"])
    assert ts.ScoreCube.read(named).measures == ("x", "y")
    with pytest.raises(FileError, match="only numbered, and one of them holds texts"):
        ts.Scores.read(pd.DataFrame([["q1", 0.1, 0.2], ["q2", 0.3, 0.4]]))
    with pytest.raises(FileError, match="a series has one score per name"):
        ts.Scores.read(pd.Series({"a": 0.1, "b": 0.2}))


def test_ways_out_of_reading_lead_out_through_the_reader() -> None:
    several = several_measures()
    with pytest.raises(CallError, match=r"Read it first with Scores\.read\(\), and measure=") as e:
        ts.rank(several)
    way = next(way for way in e.value.ways_out if isinstance(way, Option))
    assert ts.rank(ts.Scores.read(several, **{way.name: way.values[0]})).systems
    open_ = pd.DataFrame({"thing": list("xyz"), "a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.2]})
    with pytest.raises(FileError, match="does the first column, 'thing', name topics or systems") as e:
        ts.compare(open_, truth=open_)
    for way in e.value.ways_out:
        if isinstance(way, Option):
            assert "Read it first with Scores.read(), and format=" in way.in_python()
            for value in way.values:
                assert ts.Scores.read(open_, **{way.name: value}).shape in ((3, 2), (2, 3))


# ---- what is no number ----

MASKED = np.ma.masked_array([[1.0, 2, 3], [3, 2, 1]], mask=[[0, 0, 1], [0, 0, 0]])
BIG = 2**53
NO_NUMBERS: dict[str, Any] = {
    "masked": MASKED,
    "a list of masked rows": list(MASKED),
    "integers beyond 2^53": [[BIG, BIG + 1, 1], [1, 2, 3]],
    "such integers beside floats": [[BIG, BIG + 1, 1.5], [1, 2, 3]],
    "None": [[1, None, 3], [1, 2, 3]],
    "nulls of polars": pl.DataFrame({"a": [1.0, None], "b": [2.0, 3], "c": [3.0, 4]}),
    "nulls of pandas": pd.DataFrame({"a": [1, None], "b": [2, 3], "c": [3, 4]}, dtype="Int64"),
}


@pytest.mark.parametrize("case", NO_NUMBERS)
def test_what_is_no_score_is_refused_by_every_door_of_rankings(case: str) -> None:
    rows = NO_NUMBERS[case]
    plain = list(rows.to_numpy()) if hasattr(rows, "to_numpy") else list(rows)
    with pytest.raises(TauscopeError):
        correlate_batch(rows, truth=[1, 2, 3], coefficient="tau_b")
    with pytest.raises(TauscopeError):
        correlation_matrix(rows)
    with pytest.raises(TauscopeError):
        [ts.tau_b(row, [1, 2, 3]) for row in plain]


@pytest.mark.parametrize("case", NO_NUMBERS)
def test_what_is_no_score_is_refused_by_the_door_of_scores(case: str) -> None:
    rows = NO_NUMBERS[case]
    with pytest.raises(TauscopeError, match=r"score|beyond 2\^53"):
        ts.expected_correlation(rows)


def test_rankings_that_are_no_rankings_are_refused_with_a_way_out(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("system,score\na,1\nb,2\n")
    for given, said in (
        (str(path), r"A file is read by Ranking\.read\(\)"),
        (path, r"A file is read by Ranking\.read\(\)"),
        ({"a": {"q1": 0.1}}, r"Scores on topics are read by Scores\.read\(\)"),
        (indexed(A), r"is read by Scores\.read\(\)"),
    ):
        with pytest.raises(TauscopeError, match=said):
            ts.tau_b(given, given)
    with pytest.raises(CallError, match="is a ranking a row of it, or a column"):
        correlation_matrix(indexed(A))
    assert ts.tau_b(ts.Ranking.read(path), {"a": 1, "b": 2}).value == 1
    assert ts.tau_b(pd.Series({"a": 1, "b": 2}), {"b": 2, "a": 1}).value == 1
    assert ts.tau_b(pl.DataFrame({"system": ["a", "b"], "score": [1, 2]}), {"b": 2, "a": 1}).value == 1
