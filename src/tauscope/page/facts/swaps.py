"""Which systems change places between the reference and the estimate, and which of these swaps are more than noise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...boards.ranks import Ranks, rank
from ...inference.significance import Significance, significance
from ...ranking import Aligned
from ...reference.rankings import midranks
from ..at_once import at_once
from ..material import Material

#: Up to this many systems a chart draws a line for each; beyond it, ranks against ranks with intervals.
MOST_LINES = 40


@dataclass(frozen=True, kw_only=True, eq=False)
class Swaps:
    """Ranks on both sides, and pairs in opposite orders.

    A swap is real where both sides find the two systems different, in opposite directions: the paired t-test of each
    pair taken alone rejects on both sides, so that the chance of calling noise real is below 1 - level for each pair.
    """

    systems: tuple[str, ...]
    reference: Floats
    estimate: Floats
    #: systems x systems: the estimate has turned the order of the two.
    turned: Bools
    #: systems x systems: and it is more than noise; None where there are no scores on topics.
    real: Bools | None
    #: Ranks that each system could have, simultaneous: low and high on both sides; None where they are not drawn.
    reference_limits: tuple[Ints, Ints] | None = None
    estimate_limits: tuple[Ints, Ints] | None = None

    @property
    def counted(self) -> tuple[int, int]:
        """(pairs in opposite orders, those of them that are more than noise)."""
        return int(self.turned.sum()) // 2, 0 if self.real is None else int(self.real.sum()) // 2

    @property
    def moved(self) -> list[str]:
        """For each system "up" or "down" where a swap of it is real, "noise" where none is, "stayed"."""
        rose = self.reference - self.estimate
        any_real: Bools = np.zeros(len(rose), bool) if self.real is None else np.asarray(self.real.any(axis=1))
        swapped: Bools = np.asarray(self.turned.any(axis=1))
        return [
            ("up" if up > 0 else "down") if sure and up else "noise" if other else "stayed"
            for up, sure, other in zip(rose, any_real, swapped, strict=True)
        ]


def swaps_of(material: Material, data: Aligned) -> Swaps:
    """From both rankings, and the scores behind them where there are some."""
    systems = tuple(str(label) for label in data.labels)
    estimate, reference = (midranks(-scores) + 1 for scores in (data.first, data.second))
    turned = np.sign(estimate[:, None] - estimate) * np.sign(reference[:, None] - reference) < 0
    own = material.estimate.complete if material.estimate is not None else None
    truth = material.reference.complete
    if own is None or truth is None or min(truth.shape) < 2 or min(own.shape) < 2:
        return Swaps(systems=systems, reference=reference, estimate=estimate, turned=turned, real=None)
    sides = (truth, own)
    tests = at_once(*(partial(significance, one, correction=None, alpha=1 - material.level) for one in sides))
    better = [_in_order(test, systems) for test in tests]
    limits: list[tuple[Ints, Ints] | None] = [None, None]
    if len(systems) > MOST_LINES:
        drawn = at_once(*(partial(rank, one, level=material.level, rng=material.seed) for one in sides))
        limits = [_limits(one, systems) for one in drawn]
    real = (better[0] & better[1].T) | (better[0].T & better[1])
    return Swaps(
        systems=systems,
        reference=reference,
        estimate=estimate,
        turned=turned,
        real=np.asarray(real & turned),
        reference_limits=limits[0],
        estimate_limits=limits[1],
    )


def _in_order(test: Significance, systems: tuple[str, ...]) -> Bools:
    place = {name: k for k, name in enumerate(test.systems)}
    at = np.array([place[name] for name in systems])
    return np.asarray(test.better[np.ix_(at, at)])


def _limits(found: Ranks, systems: tuple[str, ...]) -> tuple[Ints, Ints]:
    place = {name: k for k, name in enumerate(found.systems)}
    at = np.array([place[name] for name in systems])
    return found.low[at], found.high[at]
