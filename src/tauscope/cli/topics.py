"""`tauscope topics`, `calibrate` and `overlap`: topic by topic, ties that serve, and lists that need not be complete."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ..coefficients.overlap import rbo
from ..coefficients.system_profile import system_profile
from ..coefficients.topics import correlate_topics
from ..errors import CallError
from ..files import read_ranking
from ..judges.calibrate_ties import calibrate_ties
from ..results import Result, number, word, wording
from .options import Figure, Flag, Measure, Missing, Seed, SystemsAre, TopicsAre, save_figure, scores_from
from .output import one_format, show, show_csv, show_json, show_table


def topics(
    estimate: Path,
    /,
    *,
    truth: Path,
    coefficient: str = "tau_b",
    tied_within: str = "0",
    worst: int = 5,
    system: str | None = None,
    level: float = 0.95,
    one_sided: Literal["error", "drop"] = "error",
    missing: Missing = "error",
    measure: Measure = None,
    format: str | None = None,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """On which topics do two sets of scores agree, and on which is a system over- or underrated?

    Parameters
    ----------
    estimate
        Scores of systems on topics: a judge, a pool, a measure.
    truth
        Scores of the same systems on the same topics that are right by definition.
    coefficient
        One of the catalogue.
    tied_within
        Scores this close are tied, or two thresholds: 0.01,0.02 (estimate, truth).
    worst
        List the K topics that agree least.
    system
        Tell about this system instead: where it is below its own average, and over- or underrated.
    level
        Confidence of the interval of the mean.
    one_sided
        What to do with topics and systems in one file only.
    missing
        What a cell without a score means.
    measure
        Which measure to use, in files that have several.
    format
        The layout of the files, where it cannot be told.
    json
        Print JSON.
    csv
        Print CSV: a row a topic.
    """
    one_format(json, csv)
    if worst < 0:
        raise CallError(f"--worst {worst}: ask for 0 or more topics.")
    with wording(systems=systems_are, topics=topics_are):
        one, two = (scores_from([path], measure, missing, format) for path in (estimate, truth))
        if system is not None:
            profile = system_profile(one, system, truth=two, one_sided=one_sided)
            _show(profile, json, csv)
            save_figure(profile, figure)
            return
        within = tuple(tied_within.split(",")) if "," in tied_within else tied_within
        found = correlate_topics(
            one, truth=two, coefficient=coefficient, tied_within=within, one_sided=one_sided, level=level
        )
        _show(found, json, csv)
        if worst and not json and not csv:
            rows = [[word("topic"), found.coefficient.name, "tied in estimate", "tied in truth"]]
            rows += [
                [w.topic, number(w.value), f"{w.ties_estimate:,}", f"{w.ties_truth:,}"] for w in found.worst(worst)
            ]
            show("")
            show_table(rows, right=(1, 2, 3), indent="  ")
        save_figure(found, figure)


def calibrate(
    estimate: Path,
    /,
    *,
    truth: Path,
    truth_tied_within: str = "0",
    draws: int = 100,
    one_sided: Literal["error", "drop"] = "error",
    missing: Missing = "error",
    measure: Measure = None,
    format: str | None = None,
    seed: Seed = 0,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """Within which distance should two scores of the estimate be called equal?

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
    one_sided
        What to do with topics and systems in one file only.
    missing
        What a cell without a score means.
    measure
        Which measure to use, in files that have several.
    format
        The layout of the files, where it cannot be told.
    json
        Print JSON.
    csv
        Print CSV: tau_e and how often it was chosen, for each threshold.
    """
    one_format(json, csv)
    with wording(systems=systems_are, topics=topics_are):
        one, two = (scores_from([path], measure, missing, format) for path in (estimate, truth))
        found = calibrate_ties(
            one, truth=two, truth_tied_within=truth_tied_within, draws=draws, one_sided=one_sided, rng=seed
        )
        _show(found, json, csv)
        save_figure(found, figure)


def overlap(
    first: Path,
    second: Path,
    /,
    *,
    p: float = 0.9,
    ties: Literal["a", "b", "w"] = "a",
    measure: Measure = None,
    format: str | None = None,
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """How much do two lists share, from the top down (rank-biased overlap)?

    Parameters
    ----------
    first
        A list: an item and a score a line. The other may hold other items and be shorter or longer.
    second
        The other list.
    p
        The chance of reading on: 0.9 puts 86 % of the weight on the first ten ranks.
    ties
        a: mean over the orders of tied items; b: ties are not held against the lists; w: tied items share their rank.
    measure
        Which measure to use, in files that have several.
    format
        The layout of the files, where it cannot be told.
    json
        Print JSON.
    csv
        Print CSV: agreement by depth.
    """
    one_format(json, csv)
    one, two = (read_ranking(path, measure=measure, format=format) for path in (first, second))
    found = rbo(one, two, p, ties=ties)
    _show(found, json, csv)
    save_figure(found, figure)


def _show(result: Result, json: bool, csv: bool) -> None:
    if json:
        show_json(result.to_dict())
    elif csv:
        show_csv(result.columns())
    else:
        show(*result.lines())
