"""Several score matrices of the same systems: which topics they share, what leaving topics out changes, how noisy their
means are.

Topics are units of the sample. A label that several matrices have is one unit, drawn and left out for all of them
together; units that are in the same matrices form a stratum, and strata are resampled apart. Units are put into groups
for the jackknife, and all that is needed of a group, with or without it, are sums: nothing is computed again from the
scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..errors import AlignmentError, Option
from ..expected.jackknife import MOST_GROUPS
from ..results import count, word
from ..scores import Scores
from ..scores.labels import shown
from ..significance.observed import first_of_identical, near_one
from ..ties import SNAP


@dataclass(frozen=True, eq=False, kw_only=True)
class Joint:
    """k matrices over a sample of topics. `x[i]` is units x systems without topic means, 0 where matrix i has not the
    unit.

    `present` is strata x k, `stratum` and `group` are of each unit; `level[i]` is the mean of all scores of matrix i,
    taken off with the topic means; `least` is 0 where no score is negative; means within `tolerance` differ by rounding
    only; `twin` is the first of identical systems. Each matrix is times a power of two.
    """

    x: tuple[Floats, ...]
    present: Bools
    stratum: Ints
    group: Ints
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
        return np.bincount(self.stratum, minlength=len(self.present))

    @property
    def groups(self) -> int:
        """How many groups of topics there are, to be left out in turn."""
        return int(self.group.max()) + 1

    @property
    def topics(self) -> tuple[int, ...]:
        """How many each matrix has."""
        return tuple(int(self.sizes[own].sum()) for own in self.present.T)

    @property
    def shared(self) -> int:
        """Topics that all matrices have."""
        return int(self.sizes[self.present.all(axis=1)].sum())

    @cached_property
    def cells(self) -> list[list[Ints]]:
        """Units of each group and stratum."""
        strata = range(len(self.present))
        return [[np.flatnonzero((self.group == g) & (self.stratum == s)) for s in strata] for g in range(self.groups)]

    @cached_property
    def centres(self) -> Floats:
        """Means of each stratum: strata x k x systems, 0 where a matrix has no topic there."""
        sums = [[x[self.stratum == s].sum(axis=0) for x in self.x] for s in range(len(self.present))]
        return np.array(sums) / self.sizes[:, None, None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Moments:
    """What a sample of topics says: `means` k x systems without their own mean, `errors` systems x k x k the covariance
    of a system's k means, `deviations` k x draws x systems of resampled means, stretched to the variance that they
    stand for."""

    means: Floats
    errors: Floats
    deviations: Floats
    twin: Ints | None

    def of_matrices(self, matrices: tuple[int, int]) -> Moments:
        """Only of these two."""
        if len(self.means) == 2 and matrices == (0, 1):
            return self
        two = list(matrices)
        errors = self.errors[:, two][:, :, two]
        return Moments(means=self.means[two], errors=errors, deviations=self.deviations[two], twin=self.twin)

    def of_systems(self, kept: Bools) -> Moments:
        """Only these systems; topic means stay those of all."""
        means = self.means[:, kept]
        twin = None
        if self.twin is not None:
            _, first, own = np.unique(self.twin[kept], return_index=True, return_inverse=True)
            twin = first[own]
        return Moments(
            means=means - means.mean(axis=1, keepdims=True),
            errors=self.errors[kept],
            deviations=self.deviations[..., kept],
            twin=twin,
        )


class Sums:
    """Sums over the topics of each group and stratum, of which the moments of every leave-one-group-out sample are
    made.

    `counts` (draws x units) says how often each unit was drawn; leaving a group out keeps the draws of the others.
    """

    def __init__(self, joint: Joint, counts: Floats) -> None:
        self.joint = joint
        shape = (joint.groups, len(joint.present))
        k, m, draws = len(joint.x), joint.systems, len(counts)
        self.n = np.zeros(shape)
        self.drawn = np.zeros((*shape, draws))
        self.first = np.zeros((*shape, k, m))
        self.second = np.zeros((*shape, k, k, m))
        self.products = np.zeros((*shape, k, draws, m))
        for g, row in enumerate(joint.cells):
            for s, units in enumerate(row):
                self._add(g, s, units, counts)

    def _add(self, g: int, s: int, units: Ints, counts: Floats) -> None:
        self.n[g, s] = len(units)
        weights = counts[:, units]
        self.drawn[g, s] = weights.sum(axis=1)
        own = np.flatnonzero(self.joint.present[s])
        residuals = {int(i): self.joint.x[i][units] - self.joint.centres[s, i] for i in own}
        for i, left in residuals.items():
            self.first[g, s, i] = left.sum(axis=0)
            self.products[g, s, i] = weights @ left
            for j, right in residuals.items():
                self.second[g, s, i, j] = (left * right).sum(axis=0)

    @cached_property
    def totals(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Over all groups."""
        return (self.n.sum(0), self.drawn.sum(0), self.first.sum(0), self.second.sum(0), self.products.sum(0))

    def moments(self, without: int | None = None) -> Moments:
        """Of all topics, or without those of one group."""
        parts = self.n, self.drawn, self.first, self.second, self.products
        left = parts if without is None else tuple(part[without] for part in parts)
        n, drawn, first, second, products = (
            total - (0 if without is None else part) for total, part in zip(self.totals, left, strict=True)
        )
        joint = self.joint
        share = np.where(joint.present, n[:, None], 0.0)
        share = share / np.maximum(share.sum(axis=0), 1.0)  # strata x k: of a matrix's topics, how many are here
        n = np.maximum(n, 1.0)
        shift = first / n[:, None, None]
        means = np.einsum("si,sim->im", share, joint.centres + shift)
        free = np.maximum(n - 1.0, 1.0)
        spread = second - first[:, :, None] * first[:, None] / n[:, None, None, None]
        errors = np.einsum("si,sj,s,sijm->mij", share, share, 1 / (n * free), spread)
        stretch = np.sqrt(np.where(n > 1, n / free, 0.0))
        deviations = np.zeros(products.shape[1:])
        for s in range(len(n)):
            lifted = products[s] / np.maximum(drawn[s], 1e-300)[:, None] - shift[s][:, None]
            lifted[:, drawn[s] <= 0] = 0.0
            deviations += (share[s] * stretch[s])[:, None, None] * lifted
        return Moments(means=means, errors=errors, deviations=deviations, twin=joint.twin)


def draw_counts(joint: Joint, draws: int, generator: np.random.Generator) -> Floats:
    """How often each unit is in each of the resamples of its stratum: draws x units."""
    counts = np.zeros((draws, len(joint.stratum)))
    for s, size in enumerate(joint.sizes):
        drawn = generator.integers(size, size=(draws, size)) + np.arange(draws)[:, None] * size
        units = np.flatnonzero(joint.stratum == s)
        counts[:, units] = np.bincount(drawn.ravel(), minlength=draws * size).reshape(draws, size)
    return counts


def join(matrices: Sequence[Scores], generator: np.random.Generator, *, paired: bool | None = None) -> Joint:
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
    for i, (matrix, at) in enumerate(zip(matrices, places, strict=True)):
        scaled, _ = near_one(matrix.values)
        full = np.zeros((len(units), len(matrix.systems)))
        full[at] = scaled - scaled.mean(axis=1, keepdims=True)
        present[at, i] = True
        x.append(full)
        level.append(float(scaled.mean()))
        least.append(0.0 if scaled.min() >= 0 else -np.inf)
        tolerance = max(tolerance, SNAP * float(np.abs(scaled).max()))
    patterns, stratum = np.unique(present, axis=0, return_inverse=True)
    stratum = stratum.reshape(-1).astype(np.int64)
    return Joint(
        x=tuple(x),
        present=patterns,
        stratum=stratum,
        group=_grouped(stratum, generator),
        level=np.array(level),
        least=np.array(least),
        tolerance=tolerance,
        twin=first_of_identical(np.concatenate(x).T, tolerance),
    )


def _grouped(stratum: Ints, generator: np.random.Generator) -> Ints:
    """Groups at random, as equal as can be, each with its share of every stratum."""
    order = generator.permutation(len(stratum))
    order = order[np.argsort(stratum[order], kind="stable")]
    group = np.empty(len(stratum), np.int64)
    group[order] = np.arange(len(stratum)) % min(len(stratum), MOST_GROUPS)
    return group


def _unpaired(matrices: Sequence[Scores]) -> AlignmentError:
    first = set(matrices[0].topics)
    other = next(matrix for matrix in matrices if set(matrix.topics) != first)
    only = sorted(first ^ set(other.topics))
    return AlignmentError(
        f"paired=True, and the matrices do not have the same {word('topics')}: "
        f"{count(len(first & set(other.topics)), 'topic')} of {len(first):,} and {len(other.topics):,} are shared; "
        f"not shared are {shown(only, 3)}.",
        Option(
            "paired", None, effect=f"to resample {word('topics')} with the same label together, and the others apart"
        ),
    )
