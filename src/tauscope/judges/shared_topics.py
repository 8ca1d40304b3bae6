"""Several score matrices of the same systems: which topics they share, and how noisy their means are.

Topics are units of the sample. A label that several matrices have is one unit, drawn for all of them together; units
that are in the same matrices form a stratum, and strata are resampled apart. Units are kept in an order of their own,
so that nothing depends on how a file lists its topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import Bools, Floats, Ints, tally
from ..core.differences import content_marks, near_one
from ..core.ties import SNAP
from ..data.alignment import ALL
from ..data.labels import shown
from ..data.scores import Scores
from ..errors import AlignmentError, Option
from ..inference.observed import first_of_identical
from ..results import count, word


@dataclass(frozen=True, eq=False, kw_only=True)
class Joint:
    """k matrices over a sample of topics. `x[i]` is units x systems without topic means, 0 where matrix i has not the
    unit.

    `present` is strata x k, `stratum` is of each unit; `level[i]` is the mean of all scores of matrix i, taken off with
    the topic means; `least` is 0 where no score is negative; means within `tolerance` differ by rounding only; `twin`
    is the first of identical systems. Each matrix is times a power of two.
    """

    x: tuple[Floats, ...]
    present: Bools
    stratum: Ints
    level: Floats
    least: Floats
    tolerance: float
    twin: Ints | None

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return int(self.x[0].shape[1])

    @cached_property
    def sizes(self) -> Ints:
        """Units of each stratum."""
        return tally(self.stratum, len(self.present))

    @property
    def topics(self) -> tuple[int, ...]:
        """How many each matrix has."""
        return tuple(int(self.sizes[own].sum()) for own in self.present.T)

    @property
    def shared(self) -> int:
        """Topics that all matrices have."""
        return int(self.sizes[self.present.all(axis=1)].sum())

    @cached_property
    def _shares(self) -> Floats:
        """Which share of a matrix's topics each stratum has, strata x k."""
        own = np.where(self.present, self.sizes[:, None], 0.0)
        return np.asarray(own / own.sum(axis=0))

    @cached_property
    def _centres(self) -> Floats:
        """Means of each stratum: strata x k x systems, 0 where a matrix has no topic there."""
        sums = [[x[self.stratum == s].sum(axis=0) for x in self.x] for s in range(len(self.present))]
        return np.array(sums) / self.sizes[:, None, None]

    @cached_property
    def means(self) -> Floats:
        """k x systems, without the mean of all."""
        return np.asarray(np.einsum("si,sim->im", self._shares, self._centres))

    @cached_property
    def influence(self) -> Floats:
        """Units x k x systems: what each unit adds to each mean, so that the error covariance of the means is the sum
        over units of its products, and a resample moves the means by the sum of what it drew. A stratum of one unit
        says nothing."""
        n = self.sizes[:, None]
        scale = np.divide(self._shares, np.sqrt(n * (n - 1.0)), out=np.zeros_like(self._shares), where=n > 1)
        residuals = np.stack(self.x, axis=1) - np.where(self.present[..., None], self._centres, 0.0)[self.stratum]
        return np.asarray(residuals * np.where(self.present, scale, 0.0)[self.stratum][..., None])


def draw_counts(joint: Joint, draws: int, generator: np.random.Generator) -> Floats:
    """How often each unit is in each of the resamples of its stratum: draws x units."""
    counts = np.zeros((draws, len(joint.stratum)))
    for s, size in enumerate(joint.sizes):
        drawn = generator.integers(size, size=(draws, size)) + np.arange(draws)[:, None] * size
        units = np.flatnonzero(joint.stratum == s)
        counts[:, units] = tally(drawn.ravel(), draws * size).reshape(draws, size)
    return counts


def join(matrices: Sequence[Scores], *, paired: bool | None = None) -> Joint:
    """Matrices of the same systems in the same order. `paired`: None goes by the labels of the topics; False takes them
    for different topics; True wants the same labels in all."""
    if paired and len({frozenset(matrix.topics) for matrix in matrices}) > 1:
        raise _unpaired(matrices)
    units: dict[object, int] = {}
    places = []
    for i, matrix in enumerate(matrices):
        keys: list[object] = [(i, topic) if paired is False else topic for topic in matrix.topics]
        places.append(np.array([units.setdefault(key, len(units)) for key in keys]))
    present = np.zeros((len(units), len(matrices)), bool)
    x, level, least, tolerance = [], [], [], 0.0
    marks: list[tuple[bytes, ...]] = [()] * len(units)
    for i, (matrix, at) in enumerate(zip(matrices, places, strict=True)):
        scaled, _ = near_one(matrix.values)
        full = np.zeros((len(units), len(matrix.systems)))
        full[at] = scaled - scaled.mean(axis=1, keepdims=True)
        for unit, mark in zip(at, content_marks(matrix.values), strict=True):
            marks[unit] = (mark, *marks[unit])  # the truth, which is last, decides, so that other judges change nothing
        present[at, i] = True
        x.append(full)
        level.append(float(scaled.mean()))
        least.append(0.0 if scaled.min() >= 0 else -np.inf)
        tolerance = max(tolerance, SNAP * float(np.abs(scaled).max()))
    order = sorted(range(len(units)), key=marks.__getitem__)
    patterns, stratum = np.unique(present[order], axis=0, return_inverse=True)
    return Joint(
        x=tuple(full[order] for full in x),
        present=patterns,
        stratum=stratum.reshape(-1).astype(np.int64),
        level=np.array(level),
        least=np.array(least),
        tolerance=tolerance,
        twin=first_of_identical(np.concatenate(x).T, tolerance),
    )


def _unpaired(matrices: Sequence[Scores]) -> AlignmentError:
    first = set(matrices[0].topics)
    other = next(matrix for matrix in matrices if set(matrix.topics) != first)
    only = sorted(first ^ set(other.topics))
    return AlignmentError(
        f"The sides do not have the same {word('topics')}: "
        f"{count(len(first & set(other.topics)), 'topic')} of {len(first):,} and {len(other.topics):,} are shared; "
        f"not shared are {shown(only, 3)}.",
        Option(
            "topics",
            ALL,
            effect=f"to resample {word('topics')} with the same label together, and the others separately",
        ),
    )
