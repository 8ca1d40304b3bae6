"""Would the ranking hold on other topics: expected correlation, ranks, tiers, who could be the best, topics needed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...boards.ranks import Ranks, rank
from ...coefficients.rule_of_thumb import FAIR, band
from ...expected.expected_correlation import ExpectedCorrelation, expected_correlation
from ...expected.swap_probabilities import SwapPair
from ...expected.topics_needed import CorrelationCurve, TopicsNeeded
from ...scores import Scores
from ..at_once import at_once
from ..material import Material
from .partial import PartialRanking, partial_ranking


@dataclass(frozen=True, kw_only=True, eq=False)
class Held:
    """All that is known about one ranking under other topics."""

    tau: ExpectedCorrelation
    tau_ap: ExpectedCorrelation
    ranks: Ranks
    needed: tuple[TopicsNeeded, ...]
    curve: CorrelationCurve | None
    #: The expected correlation of the estimate, where there are two sides.
    estimates: tuple[ExpectedCorrelation, ...] = ()

    def doubtful_pairs(self) -> list[SwapPair]:
        """Pairs that could well be in the other order; none where that is not known."""
        return self.tau.doubtful_pairs() if self.tau.undefined_because is None else []


def held_band(found: Held | PartialRanking) -> int | None:
    """0, 1 or 2: not reliably, mostly, yes; None where it is not shown.

    As of a judge: by what the expected tau is at least, and 0 only where all of its interval is below what is asked.
    With holes there is no interval, and the value alone decides.
    """
    if isinstance(found, PartialRanking):
        return band(found.expected_tau)
    limit = found.tau.at_least()
    if math.isnan(limit):
        return band(found.tau.value)
    return band(limit) or (0 if found.tau.interval.high < FAIR else None)


def held_of(material: Material) -> Held | PartialRanking | None:
    """What is known of the reference's ranking; less where cells are missing, and None where there are no topics."""
    scores = material.reference.scores
    if scores is None or min(scores.shape) < 2:
        return None
    if scores.has_holes:
        return partial_ranking(scores, level=material.level, seed=material.seed)
    return held(material, scores)


def held(material: Material, scores: Scores) -> Held:
    """Everything from one set of scores without holes."""
    options: dict[str, Any] = {"level": material.level, "rng": material.seed}
    tau, tau_ap = expected(material, scores)
    planned = not material.leaderboard and tau.undefined_because is None
    other = material.estimate.complete if material.estimate is not None else None
    (curve, first), second, ranks, estimates = at_once(
        lambda: (tau.curve(), tau.topics_needed(material.target)) if planned else (None, None),
        lambda: tau_ap.topics_needed(material.target) if planned else None,
        lambda: rank(scores, **options),
        lambda: expected(material, other) if other is not None else (),
    )
    return Held(
        tau=tau,
        tau_ap=tau_ap,
        ranks=ranks,
        needed=tuple(one for one in (first, second) if one is not None),
        curve=curve,
        estimates=estimates,
    )


def expected(material: Material, scores: Scores) -> tuple[ExpectedCorrelation, ExpectedCorrelation]:
    """The expected tau and tau_ap of a ranking with its true one."""
    tau, tau_ap = (
        expected_correlation(scores, name, level=material.level, rng=material.seed) for name in ("tau", "tau_ap")
    )
    return tau, tau_ap
