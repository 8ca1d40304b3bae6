"""Laws of scores of which lower is better: the order is turned, and every mean is printed as it is in the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope
from tauscope.cli import main
from tauscope.coefficients.correlation_views import system_profile

SYSTEMS = ("slow", "fair", "good", "best")
WORST_FIRST = np.array([0.42, 0.36, 0.25, 0.14])


def errors(seed: int = 1, topics: int = 20) -> np.ndarray:
    """Word error rates, `best` lowest."""
    rng = np.random.default_rng(seed)
    return (WORST_FIRST + rng.uniform(0, 0.2, (topics, 1)) + rng.normal(0, 0.02, (topics, 4))).round(3)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [f"t{t},{','.join(map(str, row))}" for t, row in enumerate(errors(), 1)]
    path = tmp_path / "wer.csv"
    path.write_text("\n".join([f"topic,{','.join(SYSTEMS)}", *rows, ""]), encoding="utf-8")
    return path


@pytest.fixture
def printed(tmp_path: Path) -> Path:
    rows = [f"{s},{m},0.01" for s, m in zip(SYSTEMS, WORST_FIRST, strict=True)]
    path = tmp_path / "printed.csv"
    path.write_text("\n".join(["model,score,stderr", *rows, ""]), encoding="utf-8")
    return path


def shell(capsys: Any, *words: Any) -> str:
    assert main([str(word) for word in words]) == 0, capsys.readouterr().err
    return str(capsys.readouterr().out)


def means_of(values: np.ndarray) -> dict[str, float]:
    return {name: float(mean) for name, mean in zip(SYSTEMS, values.mean(axis=0), strict=True)}


@pytest.mark.parametrize("said", [(), ("all",)])
@pytest.mark.parametrize("command", ["rank FILE", "rank FILE --rule mean"])
def test_the_lowest_mean_is_first_and_is_printed_as_in_the_file(
    file: Path, capsys: Any, command: str, said: tuple[str, ...]
) -> None:
    words = [file if word == "FILE" else word for word in command.split()]
    text = shell(capsys, *words, "--csv", "--lower-is-better", *said)
    head, *rows = [line.split(",") for line in text.splitlines()]
    column = head.index("mean" if "mean" in head else "score")
    assert [row[0] for row in rows] == list(SYSTEMS[::-1])
    assert {row[0]: float(row[column]) for row in rows} == pytest.approx(means_of(errors()))


def test_a_printed_table_is_ranked_by_its_lowest_score_and_shows_it(printed: Path, capsys: Any) -> None:
    found = json.loads(shell(capsys, "rank", printed, "--json", "--lower-is-better"))["facts"]
    assert found["systems"] == list(SYSTEMS[::-1])
    assert found["scores"] == pytest.approx(WORST_FIRST[::-1].tolist())


def test_a_printed_table_has_no_topics_to_name(printed: Path, capsys: Any) -> None:
    assert main(["rank", str(printed), "--lower-is-better", "t1"]) == 2
    assert "--lower-is-better t1" in capsys.readouterr().err


@pytest.mark.parametrize("which", ["file", "printed"])
def test_the_gate_passes_the_system_with_the_lower_score(request: Any, capsys: Any, which: str) -> None:
    path = str(request.getfixturevalue(which))
    assert main(["gate", path, "--claim", "best > slow", "--lower-is-better"]) == 0
    assert main(["gate", path, "--claim", "slow > best", "--lower-is-better"]) == 1
    assert main(["gate", path, "--claim", "best in top 1", "--lower-is-better"]) == 0


def test_versions_tell_a_change_on_the_scale_of_the_file(file: Path, tmp_path: Path, capsys: Any) -> None:
    later = tmp_path / "later.csv"
    rows = [f"t{t},{','.join(map(str, row - 0.05))}" for t, row in enumerate(errors(), 1)]
    later.write_text("\n".join([f"topic,{','.join(SYSTEMS)}", *rows, ""]), encoding="utf-8")
    found = json.loads(shell(capsys, "versions", file, later, "--json", "--lower-is-better"))
    assert found["facts"]["rows"]["system"][0] == "best"
    (change,) = found["facts"]["changes"]
    assert change["shift"] == pytest.approx(-0.05)
    assert change["rescored"] == []  # rounding is no change


def test_what_the_linter_advises_puts_the_best_system_first(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "scores.csv"
    rows = [f"{s},t{t},WER,{v}" for t, row in enumerate(errors()) for s, v in zip(SYSTEMS, row, strict=True)]
    path.write_text("\n".join(["system,topic,measure,value", *rows, ""]), encoding="utf-8")
    assert main(["check", str(path)]) in (0, 1)
    assert "--lower-is-better" in capsys.readouterr().out
    assert shell(capsys, "rank", path, "--csv", "--lower-is-better").splitlines()[1].startswith("best,")


def test_every_result_shows_the_means_of_the_source() -> None:
    values = errors()
    read = tauscope.Scores.read(np.asarray(values).tolist(), lower_is_better=True)
    scores = read.changed(systems=SYSTEMS)
    means = means_of(values)
    ranked = sorted(means, key=lambda name: means[name])
    shown = {
        "rank": tauscope.rank(scores).columns()["score"],
        "significance": tauscope.significance(scores).means,
        "to_frame": tauscope.rank(scores).to_frame("pandas")["score"],
        "to_dict": tauscope.rank(scores).to_dict()["scores"],
        "ranking": sorted(scores.ranking().scores),
    }
    for name, own in shown.items():
        assert list(own) == pytest.approx([means[system] for system in ranked]), name
    assert scores.ranking().groups() == [(system,) for system in ranked]
    assert all(pair.difference > 0 for pair in tauscope.significance(scores).pairs)
    assert f"values from {values.min():.4g} to {values.max():.4g}" in repr(scores)
    assert system_profile(scores, "best").mean == pytest.approx(means["best"])


def test_the_page_shows_the_means_of_the_source(file: Path, tmp_path: Path, capsys: Any) -> None:
    found = shell(capsys, "report", file, "--json", "--lower-is-better", "--out", tmp_path / "page.html")
    text = json.dumps(json.loads(found))
    for mean in means_of(errors()).values():
        assert f"{-mean:.4f}"[:6] not in text
    assert f"{means_of(errors())['best']:.4f}"[:6] in text


def test_negating_twice_gives_the_scores_back() -> None:
    scores = tauscope.Scores(errors(), systems=SYSTEMS)
    assert scores.negated().lower_is_better
    assert not scores.negated().negated().lower_is_better
    assert scores.negated().negated() == scores


def test_what_is_brought_to_another_scale_is_printed_as_it_is() -> None:
    scores = tauscope.Scores(errors(), systems=SYSTEMS).negated()
    assert not scores.aggregated("z").lower_is_better
    assert tauscope.rank(scores.aggregated("z")).scores[0] > 0


def test_measures_stacked_from_both_directions_keep_their_own() -> None:
    wer = tauscope.Scores(errors(), systems=SYSTEMS, measure="WER").negated()
    acc = tauscope.Scores(1 - errors(), systems=SYSTEMS, measure="accuracy")
    cube = tauscope.ScoreCube.stack([wer, acc])
    assert cube["WER"].lower_is_better
    assert not cube["accuracy"].lower_is_better


def test_lengths_are_not_turned_with_the_scores(file: Path, tmp_path: Path, capsys: Any) -> None:
    lengths = tmp_path / "lengths.csv"
    rng = np.random.default_rng(3)
    rows = [f"t{t},{','.join(map(str, row))}" for t, row in enumerate(rng.integers(50, 300, (20, 4)), 1)]
    lengths.write_text("\n".join([f"topic,{','.join(SYSTEMS)}", *rows, ""]), encoding="utf-8")
    assert main(["audit", str(file), "--truth", str(file), "--lengths", str(lengths), "--lower-is-better"]) == 0
