"""`tauscope expected` and `plan`: would the ranking hold on new topics, and how many would be enough?"""

from __future__ import annotations

from typing import Any

from ..coefficients.records import catalogue
from ..expected.expected_correlation import DOUBTFUL, ExpectedCorrelation, expected_correlation
from ..expected.methods import SUMS_OVER_PAIRS
from ..expected.sensitivity import sensitivity
from ..results import count, number, word
from . import inputs
from .options import (
    Coefficient,
    Coefficients,
    Files,
    Flag,
    ManyNumbers,
    ManyShares,
    OnHoles,
    Seed,
    at_least_none,
)
from .output import show, show_table
from .progress import progress


def expected(
    files: Files,
    /,
    *,
    coefficient: Coefficients = None,
    method: str | None = None,
    level: float = 0.95,
    pairs: int = 5,
    seed: Seed = 0,
    shared: OnHoles = OnHoles(),
) -> None:
    """How close is this ranking to the true one, over all topics that could have been asked?

    Example: `tauscope expected scores.csv --coefficient tau_ap`

    Parameters
    ----------
    files
        Scores: a matrix of topics by systems, a long table, or the output of an evaluation tool, one file per run.
    coefficient
        One or more of the catalogue; without: tau and tau_ap.
    method
        shrunk (the default), bayes, draws, or urbano2016's ml, msqd, res, kd, shw, shwo.
    level
        The confidence of the interval.
    pairs
        List the K pairs that are most likely in the wrong order.
    """
    at_least_none(pairs, "--pairs")
    with shared.said():
        scores = inputs.scores(files, shared)
        with progress("estimating"):
            results = [
                expected_correlation(scores, c, method, missing=shared.kept("adjusted"), level=level, rng=seed)
                for c in coefficient or SUMS_OVER_PAIRS
            ]
            _ = [result.subsets().parts() for result in results if result.undefined_because is None]
        if not shared.print_both(
            lambda: [result.to_dict() | _doubtful(result, pairs) for result in results],
            lambda: {key: [row for r in results for row in r.columns()[key]] for key in results[0].columns()},
        ):
            for result in results:
                show(*result.lines())
            _print_doubtful(results[0], pairs)
            show("", *(result.methods_sentence() for result in results))
        shared.save(results[0])


def _has_pairs(result: ExpectedCorrelation) -> bool:
    return result.undefined_because is None and result.method.by_pairs


def _doubtful(result: ExpectedCorrelation, pairs: int) -> dict[str, Any]:
    if not _has_pairs(result):
        return {"doubtful_pairs": None, "most_doubtful": []}
    found = result.doubtful_pairs()
    return {"doubtful_pairs": len(found), "most_doubtful": found[:pairs]}


def _print_doubtful(result: ExpectedCorrelation, pairs: int) -> None:
    if not pairs or not _has_pairs(result):
        return
    found = result.doubtful_pairs()
    show("", f"{count(len(found), 'pair')} may well be in the wrong order (probability at least {DOUBTFUL:g})")
    if found:
        rows = [["better", "worse", "probability"]]
        rows += [[pair.better, pair.worse, number(pair.probability)] for pair in found[:pairs]]
        show_table(rows, right=(2,), indent="  ")


def plan(
    files: Files,
    /,
    *,
    target: ManyShares = None,
    topics: ManyNumbers = None,
    coefficient: Coefficient = "tau",
    level: float = 0.95,
    error: float | None = None,
    adding: Flag = False,
    seed: Seed = 0,
    shared: OnHoles = OnHoles(),
) -> None:
    """How many topics would be enough?

    Example: `tauscope plan scores.csv --target 0.9`

    Parameters
    ----------
    files
        Scores of a collection like the one that is planned.
    target
        The expected correlation to reach; by default 0.8, 0.9 and 0.95.
    topics
        Numbers of topics for the curve.
    adding
        Topics are added to these, instead of a new collection of its own.
    coefficient
        tau or tau_ap. True means do not tie, so that tau_b, which other commands use, is tau.
    level
        The confidence of the bands.
    error
        For the smallest trustworthy difference: how often it may change its sign; 0.05 unless something else is said.
    """
    with shared.said():
        scores = inputs.scores(files, shared)
        missing = shared.kept("adjusted")
        result = expected_correlation(
            scores, catalogue[coefficient], missing=missing, level=level, interval=False, rng=seed
        )
        with progress("planning"):
            curve = result.curve(topics, adding=adding)
            needed = [result.topics_needed(value, adding=adding) for value in target or (0.8, 0.9, 0.95)]
            difference = sensitivity(scores, error=0.05 if error is None else error, missing=missing)
        if not shared.print_both(lambda: {"curve": curve, "needed": needed, "sensitivity": difference}, curve.columns):
            show(curve.lines()[0])
            rows = [[word("topics"), coefficient, "low", "high"]]
            for size, *values in zip(*curve.columns().values(), strict=True):
                rows.append([f"{size:,}", *map(number, values)])
            show_table(rows, right=range(4), indent="  ")
            show(curve.lines()[-1], "")
            for found in needed:
                show(f"{found.lines()[0]} ({found.lines()[1]})")
            show("", *difference.lines())
        shared.save(curve)
