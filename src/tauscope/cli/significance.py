"""`tauscope significance`: which differences are more than chance, and does a judge find the same ones?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from ..errors import CallError
from ..jobs.draws import SIGNIFICANCE_DRAWS
from ..results import number
from ..significance.agreement import significance_agreement
from ..significance.matrix import shown, significance_matrix
from . import inputs
from .options import Clusters, Match, OneSided, OnScores, Seed, TruthMeasure, at_least_none
from .output import show, show_table
from .progress import progress


def significance(
    scores: Path,
    /,
    *,
    truth: Path | None = None,
    test: Literal["permutation", "t", "wilcoxon"] = "permutation",
    correction: Literal["maxT", "holm", "fdr", "none"] = "maxT",
    alpha: float = 0.05,
    draws: int = SIGNIFICANCE_DRAWS,
    pairs: int = 10,
    clusters: Clusters = None,
    truth_measure: TruthMeasure = None,
    one_sided: OneSided = "error",
    match: Match = "exact",
    seed: Seed = 0,
    shared: OnScores = OnScores(),
) -> None:
    """Which differences between systems are significant? With --truth: which of the truth's does this judge find?

    Example: `tauscope significance human.csv --test t --correction holm`

    Parameters
    ----------
    scores
        Topics by systems, or anything else that `tauscope check` reads.
    truth
        Scores that are right by definition: counts differences shared, contradicted, missed and invented.
    test
        permutation, t or wilcoxon; all paired and two-sided. wilcoxon, with maxT too, tests another hypothesis than
        equal means: that differences are symmetric about 0.
    correction
        For the number of pairs: maxT (with permutation the randomised Tukey HSD), holm, fdr, none.
    alpha
        The level of significance.
    draws
        Permutations or resamples.
    pairs
        List the K pairs nearest to alpha.
    """
    at_least_none(pairs, "--pairs")
    chosen = None if correction == "none" else correction
    options: dict[str, Any] = {"alpha": alpha, "draws": draws, "rng": seed}
    with shared.said():
        with progress("testing") as report:
            if truth is None:
                own = inputs.clustered(inputs.scores([scores], shared), clusters)
                result: Any = significance_matrix(own, test, chosen, progress=report, **options)
            else:
                if clusters is not None:
                    raise CallError("--clusters goes with one file of scores, not with --truth.")
                own, gold = inputs.two_scores(scores, truth, shared, truth_measure, match=match)
                options |= {"test": test, "correction": chosen, "one_sided": one_sided, "match": match}
                result = significance_agreement(own, truth=gold, **options)
        if not shared.print(result):
            show(*result.lines())
            if pairs:
                (_print_nearest if truth is None else _print_unshared)(result, pairs)
            show("", result.methods_sentence())
        shared.save(result)


def _print_nearest(result: Any, pairs: int) -> None:
    near = sorted(result.pairs, key=lambda pair: abs(pair.p - result.alpha))[:pairs]
    show("", f"nearest to alpha = {result.alpha:g}:")
    rows = [["better", "worse", "difference", "p", "significant"]]
    for d in sorted(near, key=lambda d: d.p):
        rows.append([d.better, d.worse, number(d.difference, 4), shown(d.p), "yes" if d.significant else "no"])
    show_table(rows, right=(2, 3), indent="  ")


def _print_unshared(result: Any, pairs: int) -> None:
    rows = [["kind", "better", "worse"], *([*pair] for pair in result.pairs if pair[0] != "shared")]
    if len(rows) > 1:
        show("")
        show_table(rows[: pairs + 1], indent="  ")
