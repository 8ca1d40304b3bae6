"""What cannot be said with few topics, odd thresholds and hostile names is said so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tauscope import Scores, correlate, expected_correlation, rank, tau_a
from tauscope.cli import main
from tauscope.errors import CallError


def apart(topics: int) -> Scores:
    generator = np.random.default_rng(topics)
    return Scores(np.array([0.9, 0.6, 0.3, 0.1]) + 0.01 * generator.normal(size=(topics, 4)), systems=list("ABCD"))


def test_five_topics_are_too_few_for_tiers_and_six_are_not() -> None:
    few, enough = rank(apart(5), rng=1), rank(apart(6), rng=1)
    assert "5 topics are too few to show that any two systems differ." in str(few)
    assert (few.too_few, len(few.tiers)) == (True, 1)
    assert "too few" not in str(enough)
    assert len(enough.tiers) == 4


def test_a_best_set_is_one_sided_and_needs_one_topic_less() -> None:
    assert len(rank(apart(4), rng=1).best_set()) == 4
    assert len(rank(apart(5), rng=1).best_set()) < 4


def test_intervals_of_two_topics_say_that_they_promise_too_much() -> None:
    assert "With 2 topics, the interval contains the true value less often than stated." in str(
        expected_correlation(apart(2), rng=1)
    )
    assert "less often" not in str(expected_correlation(apart(5), rng=1))


def test_nothing_is_planned_from_systems_that_are_all_the_same() -> None:
    result = expected_correlation(Scores(np.full((6, 4), 0.5)))
    for plan in (lambda: result.topics_needed(0.9), lambda: result.curve([10])):
        with pytest.raises(CallError, match="nothing to plan from: all 4 systems have the same scores on every topic"):
            plan()


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_a_threshold_that_is_no_number_never_reaches_the_kernels(odd: float) -> None:
    scores = apart(8)
    with pytest.raises(CallError, match="every threshold must be a finite number"):
        correlate(scores, truth=scores, coefficient="tau_e").calibrate_ties(thresholds=[0, odd])
    with pytest.raises(CallError, match="every threshold must be a finite number"):
        tau_a([1, 2, 3], [1, 2, 3]).thresholds([0, odd])


def test_calibration_tells_what_it_left_out() -> None:
    scores = apart(8)
    truth = scores.select(systems=list("ABC"))
    result = correlate(scores, truth=truth, coefficient="tau_e", unmatched="drop").calibrate_ties(rng=1)
    assert result.to_dict()["dropped"]


def test_a_name_with_a_line_break_is_no_row_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "\n".join(f"{i},0.{i},0.5" for i in range(1, 8))
    (tmp_path / "board.csv").write_text(f'topic,"A\n  winner  0.9999  1",B\n{rows}\n', encoding="utf-8")
    assert main(["rank", str(tmp_path / "board.csv")]) == 0
    assert not any(line.split()[:1] == ["winner"] for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("expected FILE", "--missing"),
        ("significance FILE", "--missing"),
        ("compare FILE --truth FILE", "--missing"),
        ("correlate FILE --truth FILE --view topics", "--missing"),
        ("correlate FILE --truth FILE -c tau_e --view calibrate", "--missing"),
    ],
)
def test_a_hole_names_the_option_that_the_command_has(
    command: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "holes.csv"
    rows = [f"{i},{0.1 * i:.1f},{0.5 - 0.05 * i:.2f},0.3" for i in range(1, 9)]
    path.write_text("\n".join(["topic,a,b,c", *rows, "9,,0.5,0.1"]) + "\n", encoding="utf-8")
    arguments = [str(path) if part == "FILE" else part for part in command.split()]
    assert main(arguments) == 2
    said = capsys.readouterr().err
    keep = any(command.startswith(name) for name in ("expected",))
    ways = "zero, drop-topics, drop-systems or keep" if keep else "zero, drop-topics or drop-systems"
    assert f"Use {option} {ways}" in said
    assert main([*arguments, option, "drop-topics", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_an_unknown_paper_is_told_before_its_data_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiments", "reproduce", "nope"]) == 2
    assert "'nope' cannot be reproduced here" in capsys.readouterr().err
