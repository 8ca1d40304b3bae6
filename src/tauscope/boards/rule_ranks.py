"""Simultaneous rank intervals under a rule: which ranks do the tasks support?

A rule that is a mean of task scores (mean, geometric mean, z, min-max, mean rank, Borda, win rate) is tested as means
are: sign-flip max-t with step-down on its task scores, or, where cells are missing, paired t-tests with Holm's step-down
on the tasks that both systems have. The interquartile mean is tested in the same way on its influence values: scores
clipped to the quartiles of the system, which is the winsorised variance of Tukey and McLaughlin. A median has
distribution-free limits from order statistics, and a Copeland score has limits from exact sign tests of all pairs with
Holm's step-down; two systems are in order where these limits do not overlap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..expected.from_tests import ranks_from
from ..expected.paired import Paired
from ..inference.observed import observed_values
from ..inference.sign_flips import flips_said, significantly_better
from ..scores import Scores
from ..scores.alignment import refuse_clusters
from ..scores.clusters import independent, sampled
from .rules import Rule

#: What rank intervals of a board with holes assume.
AT_RANDOM = ", missing cells taken as missing at random"


class RuleRanks(NamedTuple):
    """Simultaneous limits of the ranks, systems in the order of the board, and how they were made."""

    low: Ints
    high: Ints
    how: str


def rule_ranks(scores: Scores, rule: Rule, level: float, seed: int) -> RuleRanks:
    """Compute simultaneous rank intervals of all systems under a rule."""
    if rule.limits is not None:
        refuse_clusters(scores, f"rank_board() by {rule.name!r}")
        low, high = _apart(*rule.limits(scores.values, level))
        return RuleRanks(low, high, rule.limits_by + (AT_RANDOM if scores.has_holes else ""))
    better, how = _tested(scores.changed(values=rule.by_task(scores.values)), level, seed)
    low, high = ranks_from(better)
    return RuleRanks(low, high, how)


def _tested(scores: Scores, level: float, seed: int) -> tuple[Bools, str]:
    """Which systems are better than which, by the means of these rows, and how that was tested."""
    if scores.has_holes:
        refuse_clusters(scores, "rank_board() of a board with missing cells")
        paired = Paired.of(scores)
        at = [paired.names.index(name) for name in scores.systems]
        return paired.better(level)[np.ix_(at, at)], f"paired t-tests on shared tasks, Holm's correction{AT_RANDOM}"
    observed = observed_values(independent(scores))
    place = np.argsort(observed.order)
    how = f"max-t with step-down over {sampled(observed.topics, len(scores) if scores.clusters else 0)}"
    better = significantly_better(observed, level, seed)[np.ix_(place, place)]
    return better, f"{how}, {flips_said(observed.topics, seed)}"


def _apart(low: Floats, high: Floats) -> tuple[Ints, Ints]:
    """Rank intervals from simultaneous limits of the scores."""
    above, below = np.sort(low), np.sort(high)
    better = len(low) - np.searchsorted(above, high, side="right")
    worse = np.searchsorted(below, low, side="left")
    return 1 + better, len(low) - worse
