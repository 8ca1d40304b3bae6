"""From battles to strengths and their covariance: which systems can be ranked, the fit, the sandwich.

The sandwich B M B takes the spread of the scores from the battles themselves. Three things keep it from being too
small. The prior's imaginary battles count as battles in M as they do in the likelihood; a system with few battles has
at least the variance of the inverse Hessian, since two ties, or three wins, show no spread at all; and a cluster that
holds the share w of all battles pulls the fit towards itself, so that its scores are divided by 1 - w, as leaving it
out would do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import checking
from ..core.arrays import Floats, Ints, blocks, repeated, tally
from ..data.battles import TIE, Battles
from ..data.clusters import effective_number
from ..data.labels import shown
from ..errors import CallError, Option, TauscopeError
from ..results import Note, count, word
from .likelihood import Diverged, Model, joined, maximise, more_wins_than_ties, mutual, never

TIES = ("half", "davidson", "drop")
#: A system with fewer battles has at least the variance of the inverse Hessian, and results name it.
FEW_BATTLES = 10
#: With fewer clusters the sandwich has nothing to hold on to.
FEWEST_CLUSTERS = 8
#: Below this effective number, a result says how it was counted.
FEW_CLUSTERS = 16
#: Sums of products of clusters are made densely where the squared number of parameters is below this many times their
#: mean squared size.
_DENSE = 1000


@dataclass(frozen=True, eq=False)
class Fit:
    """The fitted model: `theta` has the strengths, which add up to 0, then gamma and eta where they are estimated.

    `bread` is the inverse of the Hessian, `battles` those that were used, `clusters` the number of independent clusters,
    or of battles, `each` the number of each kind where there are two, and `effective` their effective number.
    """

    battles: Battles
    model: Model
    theta: Floats
    bread: Floats
    covariance: Floats
    notes: tuple[Note, ...]
    clusters: int
    each: tuple[int, ...]
    effective: tuple[float, ...]

    @property
    def played(self) -> Ints:
        """The number of battles of each system."""
        m = self.model.systems
        return tally(self.battles.first, m) + tally(self.battles.second, m)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the covariance: the effective number of clusters less one; infinite without
        clusters."""
        return max(1.0, min(self.effective) - 1) if self.effective else math.inf

    @property
    def strengths(self) -> Floats:
        return self.theta[: self.model.systems]

    @property
    def log_likelihood(self) -> float:
        return self.model.terms(self.theta).value


def fit(
    battles: Battles,
    *,
    ties: str,
    clusters: str | Sequence[str] | None,
    position: bool = False,
    prior: float = 0.0,
    alone: str = "error",
) -> Fit:
    """The strengths of the largest likelihood, with the sandwich covariance."""
    if not isinstance(battles, Battles):
        raise CallError(f"Strengths are of Battles, not of {type(battles).__name__}. Battles.read(file) reads them.")
    position, prior = checking.flag(position, "position"), checking.number(prior, "prior", above=-1e-300)
    used, notes = _used(battles, ties)
    used, more = _comparable(used, ties, prior, alone)
    davidson = ties == "davidson" and used.outcomes[TIE] > 0
    cells = used.cells
    model = Model(cells.first, cells.second, cells.counts, len(used.systems), davidson, position, prior)
    if davidson and not prior and not more_wins_than_ties(cells, len(used.systems)):
        raise _no_maximum(position, davidson)
    try:
        theta = maximise(model)
    except Diverged:
        raise _no_maximum(position, davidson) from None
    bread: Floats = np.linalg.inv(model.hessian(model.terms(theta), theta)).astype(np.float64)
    kinds = kinds_of(clusters)
    covariance, numbers = _sandwich(model, theta, used, bread, kinds)
    found = Fit(
        used,
        model,
        theta,
        bread=bread,
        covariance=covariance,
        notes=(*notes, *more),
        clusters=min(numbers),
        each=numbers,
        effective=tuple(effective_number(used.groups(kind).codes) for kind in kinds),
    )
    return replace(found, theta=_centred_vector(theta, model.systems), covariance=_at_least_curvature(found))


def _at_least_curvature(found: Fit) -> Floats:
    """The covariance of strengths that add up to 0, where systems with few battles have at least the variance of the
    inverse Hessian."""
    m = found.model.systems
    covariance, curvature = _centred(found.covariance, m), _centred(found.bread, m)
    own = np.arange(m)
    missing = np.where(found.played < FEW_BATTLES, curvature[own, own] - covariance[own, own], 0.0)
    if missing.max() <= 0:
        return covariance
    covariance[own, own] += np.maximum(missing, 0.0)
    return _centred(covariance, m)


def kinds_of(clusters: str | Sequence[str] | None) -> tuple[str, ...]:
    """What battles are clustered by: nothing, one thing, or two at once."""
    if clusters is None:
        return ()
    kinds = (clusters,) if isinstance(clusters, str) else tuple(clusters) if isinstance(clusters, Sequence) else ()
    if not all(isinstance(kind, str) for kind in kinds) or not 1 <= len(set(kinds)) == len(kinds) <= 2:
        raise CallError(
            f"clusters={clusters!r}: give one of 'question', 'worker', 'judge' and 'battle', or two of them."
        )
    return kinds


def _sandwich(
    model: Model, theta: Floats, battles: Battles, bread: Floats, kinds: tuple[str, ...]
) -> tuple[Floats, tuple[int, ...]]:
    """The covariance, and the number of clusters of each kind, or of battles.

    Clusters of two kinds: the sum of both covariances less that by clusters of battles that share both (cameron2011).
    Negative variances that this can leave are 0. The imaginary battles of the prior are independent.
    """
    parts: list[tuple[Ints | None, int]] = [(battles.groups(kind).codes, 1) for kind in kinds] or [(None, 1)]
    if len(parts) == 2:
        first, second = (battles.groups(kind).codes for kind in kinds)
        parts.append((np.unique(first * (int(second.max()) + 1) + second, return_inverse=True)[1], -1))
    covariance = bread @ model.prior_meat(theta) @ bread
    numbers = []
    for codes, sign in parts:
        meat, number = _meat(model, theta, battles, codes)
        covariance += sign * (bread @ meat @ bread)
        numbers.append(number)
    for kind, number in zip(kinds, numbers, strict=False):
        if number < FEWEST_CLUSTERS:
            raise TauscopeError(
                f"There {'is' if number == 1 else 'are'} {count(number, kind)}: errors by {kind} need at least "
                f"{FEWEST_CLUSTERS}, because the differences between so few say next to nothing about how much they "
                "vary.",
                Option("clusters", None, effect="to take battles for independent"),
            )
    if len(kinds) == 2:
        values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
        covariance = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return covariance, tuple(numbers[: max(1, len(kinds))])


def cluster_scores(model: Model, theta: Floats, battles: Battles, codes: Ints | None) -> Any:
    """The gradient of each cluster, a sparse matrix of clusters x parameters; one row per battle where `codes` is None.

    A cell of the matrix can stand there several times, once per battle: products add them up.
    """
    from scipy.sparse import csr_matrix

    n = len(battles)
    by_delta, by_eta = residual_of(model, theta, battles)
    columns, values = [battles.first, battles.second], [by_delta, -by_delta]
    for column, value in enumerate([by_delta] * model.position + [by_eta] * model.davidson, start=model.systems):
        columns.append(np.full(n, column, np.int32))
        values.append(value)
    width = len(columns)
    index, each = np.stack(columns, axis=1), np.stack(values, axis=1)
    sizes = np.ones(n, np.int64)
    if codes is not None:
        # The battles of a cluster one after the other: its row has theirs.
        order = _by_cluster(codes)
        index, each, sizes = index[order], each[order], tally(codes)
    starts = np.concatenate(([0], np.cumsum(sizes * width)))
    return csr_matrix((each.ravel(), index.ravel(), starts), (len(sizes), model.parameters))


def residual_of(model: Model, theta: Floats, battles: Battles) -> tuple[Floats, Floats]:
    """What each battle adds to the gradient, by delta and by eta."""
    place = np.zeros(model.systems**2, np.int64)
    place[model.first * model.systems + model.second] = np.arange(len(model.first))
    cell = place[battles.first.astype(np.int64) * model.systems + battles.second]
    by_delta, by_eta = model.residuals(theta)
    return by_delta[cell, battles.winner], by_eta[cell, battles.winner]


def _meat(model: Model, theta: Floats, battles: Battles, codes: Ints | None) -> tuple[Floats, int]:
    """The sum of the squared gradients of the clusters, and the number of clusters.

    The gradient of a cluster with the share w of all battles is divided by 1 - w, and the sum multiplied by (G - 1)/G,
    as in a jackknife: G/(G - 1) where the G clusters are of equal size.
    """
    n = len(battles)
    if codes is None:
        by_delta, by_eta = model.residuals(theta)
        counts = model.counts
        meat = model.assemble(
            *(
                (counts * one * other).sum(axis=1)
                for one, other in ((by_delta, by_delta), (by_delta, by_eta), (by_eta, by_eta))
            )
        )
        return meat * (n / (n - 1) if n > 1 else 1.0), n
    scores = cluster_scores(model, theta, battles, codes)
    sizes = tally(codes)
    number = int(np.count_nonzero(sizes))
    if number == 1:
        return np.zeros((model.parameters, model.parameters)), 1
    scores.data *= repeated(1 / (1 - sizes / n), np.diff(scores.indptr))
    if model.parameters**2 > _DENSE * float((sizes * (sizes + 1.0)).mean()):
        meat = np.asarray((scores.T @ scores).todense())
    else:
        meat = np.zeros((model.parameters, model.parameters))
        for rows in blocks(len(sizes), model.parameters):
            dense = scores[rows].toarray()
            meat += dense.T @ dense
    return meat * ((number - 1) / number), number


def _by_cluster(codes: Ints) -> Ints:
    """Places of the battles, those of one cluster together: a sparse matrix turned over is a counting sort."""
    from scipy.sparse import csr_matrix

    n = len(codes)
    whole = (n, int(codes.max()) + 1)
    return np.asarray(csr_matrix((np.ones(n, np.int8), codes, np.arange(n + 1)), whole).tocsc().indices)


def _centred_vector(theta: Floats, m: int) -> Floats:
    """The same parameters with strengths that add up to 0."""
    theta = theta.copy()
    theta[:m] -= theta[:m].mean()
    return theta


def _centred(covariance: Floats, m: int) -> Floats:
    """The covariance of the parameters with strengths that add up to 0."""
    covariance = covariance.copy()
    covariance[:m] -= covariance[:m].mean(axis=0)
    covariance[:, :m] -= covariance[:, :m].mean(axis=1, keepdims=True)
    return covariance


def _used(battles: Battles, ties: str) -> tuple[Battles, tuple[Note, ...]]:
    """The battles that count under a rule for ties."""
    checking.one_of(ties, TIES, "ties")
    tied = battles.outcomes[TIE]
    if tied == len(battles):
        raise TauscopeError(f"All {count(tied, 'battle')} are ties: nothing says which {word('system')} is better.")
    if ties == "drop" and tied:
        return battles.take(battles.winner != TIE), (Note("ties_left_out", ties=tied),)
    if ties == "davidson" and not tied:
        return battles, (Note("no_ties"),)
    return battles, ()


def _comparable(battles: Battles, ties: str, prior: float, alone: str) -> tuple[Battles, tuple[Note, ...]]:
    """Battles of systems whose strengths exist, or the error that says whose do not."""
    checking.one_of(alone, ("error", "drop"), "incomparable")
    with_ties = ties != "drop"
    m = len(battles.systems)
    cells = battles.cells
    groups = joined(cells, m, ties=with_ties)
    if groups.max() > 0 and alone == "error":
        raise _apart(battles, groups)
    if not prior:
        strong = mutual(cells, m, ties=with_ties)
        if strong.max() > 0 and alone == "error":
            raise _unbeaten(battles, strong, with_ties)
        groups = strong
    if groups.max() == 0:
        return battles, ()
    kept = groups == 0
    if kept.sum() < 2:
        raise TauscopeError(
            f"No two {word('systems')} beat each other, directly or through others, so that no strength has a finite "
            "value.",
            Option("prior", 1.0, effect="to let each play one more battle, half won, against an average one"),
        )
    out = tuple(name for name, own in zip(battles.systems, kept, strict=True) if not own)
    return battles.take(kept[battles.first] & kept[battles.second]), (Note("no_finite_strength", systems=out),)


def _apart(battles: Battles, groups: Ints) -> TauscopeError:
    sizes = tally(groups)
    members = [[s for s, own in zip(battles.systems, groups, strict=True) if own == k] for k in range(len(sizes[:4]))]
    said = "; ".join(f"{count(len(own), 'system')} ({shown(own, 3)})" for own in members)
    more = "; …" if len(sizes) > 4 else ""
    return TauscopeError(
        f"The battles fall into {len(sizes):,} groups that never met, and strengths of different groups cannot be "
        f"compared: {said}{more}.",
        Option("incomparable", "drop", effect=f"to rank only the largest group, {count(int(sizes[0]), 'system')}"),
    )


def _unbeaten(battles: Battles, strong: Ints, ties: bool) -> TauscopeError:
    unbeaten, winless = never(battles.cells, len(battles.systems), ties=ties)
    parts = [
        f"{count(len(who), 'system')} {how} ({shown([battles.systems[i] for i in who], 3)})"
        for who, how in ((unbeaten, "never lost"), (winless, "never won"))
        if len(who)
    ]
    if not parts:
        best = int(tally(strong)[0])
        parts = [
            f"only {count(best, 'system')} beat each other, directly or through others, and the rest are above or below"
        ]
    return TauscopeError(
        f"Not all strengths have a finite value: {'; '.join(parts)}.",
        Option("prior", 1.0, effect="to let each system play one more battle, half won, against an average one"),
        Option("incomparable", "drop", effect="to rank only the largest group whose systems beat each other"),
    )


def _no_maximum(position: bool, davidson: bool) -> TauscopeError:
    why = " with ties as an outcome" if davidson else " and with an effect of the first place" if position else ""
    ways = [Option("ties", "half", effect="to count ties as half a win")] if davidson else []
    return TauscopeError(
        f"The likelihood{why} has no largest value: some strength goes to infinity.",
        Option("prior", 1.0, effect="to let each system play one more battle, half won, against an average one"),
        *ways,
    )
