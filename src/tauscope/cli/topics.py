"""`tauscope topics`, `calibrate` and `overlap`: topic by topic, ties that serve, lists that need not be complete."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from ..coefficients.overlap import rbo
from ..coefficients.system_profile import system_profile
from ..coefficients.topics import correlate_topics
from ..jobs.draws import CALIBRATION_DRAWS
from ..judges.calibrate_ties import calibrate_ties
from ..results import number, word
from . import inputs
from .options import (
    Coefficient,
    Match,
    OneSided,
    OnScores,
    Output,
    Reading,
    Seed,
    TruthMeasure,
    Within,
    at_least_none,
    thresholds_in,
)
from .output import show, show_table


def topics(
    estimate: Path,
    /,
    *,
    truth: Path,
    system: str | None = None,
    coefficient: Coefficient = "tau_b",
    tied_within: Within = "0",
    worst: int = 5,
    level: float = 0.95,
    truth_measure: TruthMeasure = None,
    one_sided: OneSided = "error",
    match: Match = "exact",
    shared: OnScores = OnScores(),
) -> None:
    """On which topics do two sets of scores agree, and on which is a system over- or underrated?

    With --csv: one row per topic.

    Example: `tauscope topics judge.csv --truth human.csv --worst 10`

    Parameters
    ----------
    estimate
        Scores of systems on topics: a judge, a pool, a measure.
    truth
        Scores of the same systems on the same topics that are right by definition.
    system
        Tell about this system instead: where it is below its own average, and over- or underrated.
    coefficient
        One of the catalogue.
    tied_within
        Scores this close are tied, or two thresholds: 0.01,0.02 (estimate, truth).
    worst
        List the K topics that agree least.
    level
        The confidence of the interval of the mean.
    """
    at_least_none(worst, "--worst", "topics")
    with shared.said():
        one, two = inputs.two_scores(estimate, truth, shared, truth_measure, by_topic=True)
        if system is not None:
            found: Any = system_profile(one, system, truth=two, one_sided=one_sided, match=match)
        else:
            within = thresholds_in(tied_within)
            found = correlate_topics(
                one,
                truth=two,
                coefficient=coefficient,
                tied_within=within,
                one_sided=one_sided,
                match=match,
                level=level,
            )
        if not shared.print(found):
            show(*found.lines())
            if worst and system is None:
                _print_worst(found, worst)
        shared.save(found)


def _print_worst(found: Any, worst: int) -> None:
    rows = [[word("topic"), found.coefficient.name, "tied in estimate", "tied in truth"]]
    rows += [[w.topic, number(w.value), f"{w.ties_estimate:,}", f"{w.ties_truth:,}"] for w in found.worst(worst)]
    show("")
    show_table(rows, right=(1, 2, 3), indent="  ")


def calibrate(
    estimate: Path,
    /,
    *,
    truth: Path,
    truth_tied_within: str = "0",
    draws: int = CALIBRATION_DRAWS,
    truth_measure: TruthMeasure = None,
    one_sided: OneSided = "error",
    match: Match = "exact",
    seed: Seed = 0,
    shared: OnScores = OnScores(),
) -> None:
    """Within which distance should two scores of the estimate be called equal?

    With --csv: tau_e and how often it was chosen, one row per threshold.

    Example: `tauscope calibrate judge.csv --truth human.csv --truth-tied-within 0.01`

    Parameters
    ----------
    estimate
        Scores of systems on topics: a cheap judge, a small pool.
    truth
        Scores of the same systems on the same topics that are right by definition.
    truth_tied_within
        When two means of the truth are equal: 0.01.
    draws
        Random halves of the topics: the threshold is chosen on one half and reported on the other.
    """
    with shared.said():
        one, two = inputs.two_scores(estimate, truth, shared, truth_measure, by_topic=True)
        found = calibrate_ties(
            one, truth=two, truth_tied_within=truth_tied_within, draws=draws, one_sided=one_sided, match=match, rng=seed
        )
        if not shared.print(found):
            show(*found.lines())
        shared.save(found)


def overlap(
    first: Path,
    second: Path,
    /,
    *,
    p: float = 0.9,
    ties: Literal["a", "b", "w"] = "a",
    reading: Reading = Reading(),
    output: Output = Output(),
) -> None:
    """How much do two lists share, from the top down (rank-biased overlap)?

    With --csv: agreement, one row per depth.

    Example: `tauscope overlap mine.csv theirs.csv --p 0.8`

    Parameters
    ----------
    first
        A list: one item and its score per line. The other may hold other items and be shorter or longer.
    second
        The other list.
    p
        The chance of reading on: 0.9 puts 86 % of the weight on the first ten ranks.
    ties
        a: mean over the orders of tied items; b: ties are not held against the lists; w: tied items share their rank.
    """
    one, two = inputs.two_rankings(first, second, reading)
    found = rbo(one, two, p, ties=ties)
    if not output.print(found):
        show(*found.lines())
    output.save(found)
