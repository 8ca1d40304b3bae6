r"""`bradley_terry()`: how strong is each system, given who beat whom?

The strengths maximise the likelihood of `likelihood.py`, and their covariance is the sandwich B M B, where B is the
inverse of the Hessian and M the sum of the squared gradients of clusters of battles. Three things keep it from being
too small. The prior's imaginary battles count in M as they do in the likelihood. A system with few battles has at least
the variance of the inverse Hessian, because two ties, or three wins, show no spread at all. And a cluster that holds
the share w of all battles pulls the fit towards itself, so that its gradient is divided by 1 - w, as leaving it out
would do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ..core import checking
from ..core.arrays import Floats, Ints, blocks, repeated, tally
from ..data.battles import GROUPS, TIE, Battles
from ..data.clusters import effective_number
from ..data.labels import place_of, shown
from ..data.ranking import Ranking
from ..errors import CallError, Option, TauscopeError
from ..inference.relation import NormalScores
from ..results import Note, Plain, count, large, word
from .likelihood import Diverged, Model, joined, maximise, more_wins_than_ties, mutual, never

#: Elo points of one unit of strength: 400 points are odds of ten to one.
ELO = 400 / math.log(10)
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
    """The maximum of the likelihood with all that was needed to find it; `BradleyTerry` is what a user sees of it.

    Parameters
    ----------
    battles : Battles
        The battles that were used.
    model : Model
        The likelihood.
    theta : array
        The parameters: strengths, which add up to 0, then the effects of the first place and of ties, if estimated.
    bread : array
        The inverse of the Hessian.
    covariance : array
        The sandwich, for strengths that add up to 0.
    notes : tuple of Note
        What was left out.
    clusters : int
        Number of independent clusters, of the rarer kind where there are two, or of battles.
    each : tuple of int
        Number of clusters of each kind.
    effective : tuple of float
        Effective number of clusters of each kind; empty if battles are independent.
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
        """Number of battles of each system."""
        m = self.model.systems
        return tally(self.battles.first, m) + tally(self.battles.second, m)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the covariance: the effective number of clusters less one, or infinite."""
        return max(1.0, min(self.effective) - 1) if self.effective else math.inf

    @property
    def strengths(self) -> Floats:
        """The strengths, in the order of the systems of `battles`."""
        return self.theta[: self.model.systems]

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood at its maximum, without the prior."""
        return self.model.terms(self.theta).value


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BradleyTerry(Plain):
    """Strengths of systems, best first, with the covariance of their errors.

    The chance that i beats j, where one of them does, is 1/(1 + exp(s_j - s_i)).

    Attributes
    ----------
    systems : tuple of str
        Best first.
    strengths : array
        They add up to 0.
    errors : array
        Standard errors against the mean of all; of a difference it is `error_between()`. A system with fewer than ten
        battles has at least the error of the inverse Hessian.
    covariance : array
        Of the strengths.
    battles : int
        Number of battles that were used.
    battles_each : array
        Number of battles of each system.
    ties : str
        "half", "davidson" or "drop".
    tied : int
        Number of ties.
    tie_rate : float
        The chance of a tie of two equal systems; NaN where ties are not modelled.
    position, position_error, position_p : float
        What the first place adds to a strength, its standard error, and the p-value of a test of 0; NaN where it
        was not asked for.
    clusters : str, pair of str or None
        What battles were clustered by; None if each is independent.
    independent : int
        The number of clusters, of the rarer kind where there are two, or of battles.
    effective : float
        The number of clusters of equal size that say as much about their spread, (sum of sizes)² / sum of squared
        sizes; of the kind with fewer where there are two. Limits use Student's t with one degree of freedom less.
    prior : float
        Imaginary battles of each system.
    log_likelihood : float
        At its maximum.
    notes : tuple of Note
        Warnings about systems with few battles, then what was left out or could be clustered.
    """

    QUESTION: ClassVar[str] = "strengths"
    systems: tuple[str, ...]
    strengths: Floats
    errors: Floats
    covariance: Floats = large()
    battles: int
    battles_each: Ints
    ties: str
    tied: int
    tie_rate: float
    position: float
    position_error: float
    position_p: float
    clusters: str | tuple[str, ...] | None
    independent: int
    effective: float
    prior: float
    log_likelihood: float
    notes: tuple[Note, ...] = ()
    _fit: Fit = field(repr=False)
    _given: Battles = field(repr=False)

    def __len__(self) -> int:
        """The number of systems."""
        return len(self.systems)

    def __getitem__(self, system: str) -> float:
        """The strength of a system."""
        return float(self.strengths[place_of(system, self.systems)])

    def error_between(self, first: str, second: str) -> float:
        """The standard error of the difference of two strengths.

        Parameters
        ----------
        first, second : str
            The two systems.

        Returns
        -------
        float
        """
        i, j = place_of(first, self.systems), place_of(second, self.systems)
        c = self.covariance
        return float(np.sqrt(max(0.0, c[i, i] + c[j, j] - 2 * c[i, j])))

    def limits(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Compute confidence limits of the strengths, each against the mean of all.

        They are strength ± t times the standard error; t is Student's, with the effective number of clusters less one
        as degrees of freedom, or the normal quantile where battles are independent.

        Parameters
        ----------
        level : float
            The confidence of each interval.

        Returns
        -------
        pair of ndarray
            The lower and the upper limits, in the order of `systems`.
        """
        from scipy.special import ndtri, stdtrit

        tail, freedom = (1 + checking.level(level)) / 2, self._fit.freedom
        reach = float(ndtri(tail) if math.isinf(freedom) else stdtrit(freedom, tail)) * self.errors
        return self.strengths - reach, self.strengths + reach

    def elo(self, at: float = 1000.0, anchor: str | None = None) -> Floats:
        """The strengths in Elo points, best first: 400 points are odds of ten to one.

        Parameters
        ----------
        at : float
            The points of the mean strength, or of the system `anchor`.
        anchor : str, optional
            A system whose points are fixed.

        Returns
        -------
        ndarray
        """
        base = 0.0 if anchor is None else self[anchor]
        return np.asarray(checking.number(at, "at") + ELO * (self.strengths - base))

    def half_widths(self) -> Floats:
        """Return half the width of the 95 % limits of `limits()`, in Elo points.

        Returns
        -------
        ndarray
        """
        low, high = self.limits()
        return np.asarray(ELO * (high - low) / 2)

    def win_probability(self, first: str, second: str) -> float:
        """The chance that the first beats the second, a tie counted as half.

        Parameters
        ----------
        first : str
            The system whose chance it is.
        second : str
            Its opponent.

        Returns
        -------
        float
            A probability.
        """
        return float(self.win_probabilities()[place_of(first, self.systems), place_of(second, self.systems)])

    def win_probabilities(self) -> Floats:
        """The chances of all systems against all, a tie counted as half: systems x systems, 1/2 on the diagonal.

        Returns
        -------
        ndarray
        """
        half = (self.strengths[:, None] - self.strengths[None, :]) / 2
        tie = 0.0 if math.isnan(self.tie_rate) else 2 * self.tie_rate / (1 - self.tie_rate)
        won, lost = np.exp(half), np.exp(-half)
        return np.asarray((won + tie / 2) / (won + lost + tie))

    def win_rates(self) -> Floats:
        """The mean chance of each system against the others, a tie counted as half.

        Returns
        -------
        ndarray
        """
        return np.asarray((self.win_probabilities().sum(axis=1) - 0.5) / (len(self) - 1))

    def ranking(self) -> Ranking:
        """The ranking by strength.

        Returns
        -------
        Ranking
        """
        return Ranking.from_means(self.strengths, self.systems)

    def normal(self) -> NormalScores:
        """The strengths as the engine of ranks takes them.

        Returns
        -------
        NormalScores
        """
        return NormalScores.of(self.systems, self.strengths, self.covariance, self._fit.freedom)

    @property
    def given(self) -> int:
        """Number of battles that were given, those that were left out included."""
        return len(self._given)

    @property
    def given_battles(self) -> Battles:
        """The battles that were given, those that were left out included."""
        return self._given

    @property
    def rows(self) -> Ints:
        """Places of the battles that were used, among those that were given."""
        names = set(self._fit.battles.systems)
        known = np.array([system in names for system in self._given.systems])
        used = known[self._given.first] & known[self._given.second]
        return np.flatnonzero(used & (self._given.winner != TIE) if self.ties == "drop" else used)

    def plain_fit(self) -> Fit:
        """Fit the same battles with each battle independent and without an effect of the first place.

        Returns
        -------
        Fit
        """
        return fit(self._fit.battles, ties=self.ties, clusters=None, prior=self.prior)

    @property
    def hardly_known(self) -> tuple[str, ...]:
        """Systems with fewer than ten battles, or that won or lost all their battles."""
        few = {system for system, n in zip(self.systems, self.battles_each, strict=True) if n < FEW_BATTLES}
        used = self._fit.battles
        for places in never(used.cells, len(used.systems), ties=True):
            few |= {used.systems[i] for i in places}
        return tuple(system for system in self.systems if system in few)

    def columns(self) -> dict[str, Any]:
        return {
            "system": list(self.systems),
            "elo": self.elo(),
            "elo_error": ELO * self.errors,
            "strength": self.strengths,
            "error": self.errors,
            "win_rate": self.win_rates(),
            "battles": self.battles_each,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return every fact as plain Python values, ready for JSON."""
        low, high = self.limits()
        return super().to_dict() | {"low": low.tolist(), "high": high.tolist()}

    def cited(self) -> tuple[str, ...]:
        two = ("cameron2011",) if len(kinds_of(self.clusters)) == 2 else ()
        return ("bradley1952", *(("davidson1970",) if self.ties == "davidson" else ()), *two)

    @property
    def clustered(self) -> tuple[tuple[str, int], ...]:
        """What battles were clustered by, and the number of clusters of each kind; empty if each is independent."""
        return tuple(zip(kinds_of(self.clusters), self._fit.each, strict=False))


def bradley_terry(
    battles: Battles,
    *,
    ties: str = "half",
    clusters: str | Sequence[str] | None = None,
    position: bool = False,
    prior: float = 0.0,
    incomparable: str = "error",
) -> BradleyTerry:
    r"""Estimate how strong each system of an arena is, given who beat whom.

    Use it for battles of systems on the same kind of questions. Do not use it if strength has no single dimension (a
    beats b, b beats c, c beats a), or if systems met different opponents on questions of different difficulty.

    The model of Bradley and Terry (bradley1952) is

    .. math:: P(i \text{ beats } j) = \frac{1}{1 + e^{s_j - s_i}},

    with a tie as half a win for each system, or as an outcome of its own (davidson1970). Strengths maximise the
    likelihood. Their covariance is the sandwich :math:`H^{-1} (\sum g g') H^{-1}`, where g are the gradients of
    clusters, so that it holds if votes on one question or by one worker are correlated. The gradient of a cluster with
    the share w of all battles is divided by 1 - w, and limits use Student's t with the effective number of clusters
    less one as degrees of freedom. A system with fewer than ten battles has at least the variance of the inverse
    Hessian, because so few battles show too little spread. A system that won or lost all its battles has no finite
    strength without a prior, and groups that never met cannot be compared; both are errors that name the systems.

    Parameters
    ----------
    battles : Battles
        Who met whom, and who won.
    ties : {"half", "davidson", "drop"}
        A tie is half a win for each, an outcome of its own, or left out.
    clusters : {"question", "worker", "judge", "battle"} or two of them, optional
        What battles are clustered by; by default each battle is independent. Fewer than 8 clusters are refused. Two at
        once, ("question", "worker"), let battles go together that share either: V_question + V_worker - V_both
        (cameron2011).
    position : bool
        Whether to estimate what the first place adds, with a test.
    prior : float
        Prior strength: the number of imaginary battles of each system against an average opponent, half of them won (0:
        no prior). 1 is Jeffreys' prior for a system whose opponents are average.
    incomparable : {"error", "drop"}
        Systems without a finite strength, or outside the largest group whose systems beat each other.

    Returns
    -------
    BradleyTerry

    Raises
    ------
    TauscopeError
        Where strengths are not finite or cannot be compared, all battles are ties, or there are too few clusters.

    See Also
    --------
    compare : how well a judge of the same battles agrees with people.
    rank : which ranks the strengths support.

    Examples
    --------
    >>> battles = Battles(["ann", "ann", "bob", "bob"], ["bob", "bob", "ann", "ann"], ["ann", "ann", "ann", "bob"])
    >>> strong = bradley_terry(battles)
    >>> strong.systems, round(strong.win_probability("ann", "bob"), 6)
    (('ann', 'bob'), 0.75)
    >>> bradley_terry(battles, prior=1.0).elo().round().tolist()
    [1082.0, 918.0]
    """
    fitted = fit(battles, ties=ties, clusters=clusters, position=position, prior=prior, alone=incomparable)
    used, model, kinds = fitted.battles, fitted.model, kinds_of(clusters)
    m = model.systems
    order = np.argsort(-fitted.strengths, kind="stable")
    covariance = fitted.covariance[np.ix_(order, order)]
    gamma = gamma_error = gamma_p = math.nan
    if position:
        gamma, gamma_error = float(fitted.theta[m]), float(np.sqrt(fitted.covariance[m, m]))
        gamma_p = _wald(gamma, gamma_error, fitted.freedom)
    tie_rate = math.nan
    if model.davidson:
        nu = math.exp(fitted.theta[-1])
        tie_rate = nu / (2 + nu)
    notes = (
        _few_battles(fitted)
        + fitted.notes
        + (_could_be_clusters(used) if clusters is None else _few_clusters(fitted, kinds))
    )
    return BradleyTerry(
        systems=tuple(used.systems[i] for i in order),
        strengths=fitted.strengths[order],
        errors=np.sqrt(np.diagonal(covariance)),
        covariance=covariance,
        battles=len(used),
        battles_each=fitted.played[order],
        ties=ties,
        tied=battles.outcomes[2],
        tie_rate=tie_rate,
        position=gamma,
        position_error=gamma_error,
        position_p=gamma_p,
        prior=float(prior),
        clusters=kinds if len(kinds) > 1 else kinds[0] if kinds else None,
        independent=fitted.clusters,
        effective=min(fitted.effective, default=float(len(used))),
        log_likelihood=fitted.log_likelihood,
        notes=notes,
        _fit=fitted,
        _given=battles,
    )


def _few_battles(fitted: Fit) -> tuple[Note, ...]:
    """Warn about systems with few battles, and about records without a win or without a loss."""
    unbeaten, winless = never(fitted.battles.cells, len(fitted.battles.systems), ties=True)
    groups = {"few_battles": np.flatnonzero(fitted.played < FEW_BATTLES), "won_all": unbeaten, "lost_all": winless}

    def named(who: Ints) -> tuple[str, ...]:
        return tuple(f"{fitted.battles.systems[i]}: {fitted.played[i]:,}" for i in who)

    return tuple(Note(code, systems=named(who)) for code, who in groups.items() if len(who))


def _few_clusters(fitted: Fit, kinds: tuple[str, ...]) -> tuple[Note, ...]:
    """Say how clusters were counted, where that makes limits wider."""
    counted = zip(kinds, fitted.each, fitted.effective, strict=True)
    return tuple(
        Note("few_clusters", kind=kind, clusters=number, effective=effective, freedom=max(1.0, effective - 1))
        for kind, number, effective in counted
        if effective < FEW_CLUSTERS
    )


def _could_be_clusters(battles: Battles) -> tuple[Note, ...]:
    """A note where battles share questions or workers, enough of them, and were taken as independent all the same."""
    groups = {by: coded for by in ("question", "worker") if (coded := getattr(battles, GROUPS[by])) is not None}
    sizes = {by: len(np.unique(coded.codes)) for by, coded in groups.items()}
    kinds = tuple((by, size) for by, size in sizes.items() if FEWEST_CLUSTERS <= size < len(battles))
    return (Note("could_be_clusters", kinds=kinds),) if kinds else ()


def _wald(value: float, error: float, freedom: float) -> float:
    """Return the two-sided p-value of a parameter by the normal distribution or by Student's t."""
    from scipy.special import ndtr, stdtr

    if not error > 0:
        return math.nan
    z = abs(value) / error
    return float(2 * (ndtr(-z) if math.isinf(freedom) else stdtr(freedom, -z)))


def fit(
    battles: Battles,
    *,
    ties: str,
    clusters: str | Sequence[str] | None,
    position: bool = False,
    prior: float = 0.0,
    alone: str = "error",
) -> Fit:
    """Estimate strengths and their covariance; `bradley_terry()` documents the parameters.

    Parameters
    ----------
    battles : Battles
        Who met whom, and who won.
    ties, clusters, position, prior
        As in `bradley_terry()`.
    alone : {"error", "drop"}
        What happens to systems without a finite strength, or outside the largest group that can be compared.

    Returns
    -------
    Fit

    Raises
    ------
    TauscopeError
        If the likelihood has no maximum, systems cannot be compared, or there are too few clusters.
    """
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
    fitted = Fit(
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
    theta = theta.copy()
    theta[: model.systems] -= theta[: model.systems].mean()
    return replace(fitted, theta=theta, covariance=_at_least_curvature(fitted))


def _at_least_curvature(fitted: Fit) -> Floats:
    """Raise the variances of systems with few battles to those of the inverse Hessian.

    Two ties, or three wins, have next to no spread, so that the sandwich would call such a system well known.

    Parameters
    ----------
    fitted : Fit
        The fit with its sandwich.

    Returns
    -------
    ndarray
        The covariance of strengths that add up to 0.
    """
    m = fitted.model.systems
    covariance, curvature = _centred(fitted.covariance, m), _centred(fitted.bread, m)
    diagonal = np.arange(m)
    missing = np.where(fitted.played < FEW_BATTLES, curvature[diagonal, diagonal] - covariance[diagonal, diagonal], 0.0)
    if missing.max() <= 0:
        return covariance
    covariance[diagonal, diagonal] += np.maximum(missing, 0.0)
    return _centred(covariance, m)


def kinds_of(clusters: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return what battles are clustered by: nothing, one kind of group, or two kinds."""
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
    """Compute the sandwich covariance :math:`B M B`, clustered in up to two ways.

    Battles in one cluster, such as those on one question, can depend on each other in any way. With two kinds the
    covariance is :math:`V_1 + V_2 - V_{12}`, where the last one has clusters of battles that share both (cameron2011);
    negative variances that this can leave are 0. The imaginary battles of the prior are independent.

    Parameters
    ----------
    model : Model
        The likelihood.
    theta : array
        Its maximum.
    battles : Battles
        The battles.
    bread : array
        The inverse of the Hessian, B.
    kinds : tuple of str
        What battles are clustered by; empty for independent battles.

    Returns
    -------
    pair of ndarray and tuple of int
        The covariance, and the number of clusters of each kind, or of battles.
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
    """Compute the gradient of each cluster.

    Parameters
    ----------
    model, theta
        The likelihood and its maximum.
    battles : Battles
        The battles.
    codes : array of int or None
        The cluster of each battle; None if each is independent.

    Returns
    -------
    scipy.sparse.csr_matrix
        Clusters x parameters. A cell can stand there several times, once for each battle: products add them up.
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


def cells_of(model: Model, battles: Battles) -> Ints:
    """Return the cell of the model to which each battle belongs: its ordered pair of systems."""
    place = np.zeros(model.systems**2, np.int64)
    place[model.first * model.systems + model.second] = np.arange(len(model.first))
    return np.asarray(place[battles.first.astype(np.int64) * model.systems + battles.second])


def residual_of(model: Model, theta: Floats, battles: Battles) -> tuple[Floats, Floats]:
    """Return what each battle adds to the gradient, by the lead of the first system and by the weight of ties.

    The arguments are those of `cluster_scores()`; the result has one value per battle, twice.
    """
    cell = cells_of(model, battles)
    by_delta, by_eta = model.residuals(theta)
    return by_delta[cell, battles.winner], by_eta[cell, battles.winner]


def _meat(model: Model, theta: Floats, battles: Battles, codes: Ints | None) -> tuple[Floats, int]:
    """Sum the squared gradients of the clusters, M.

    The gradient of a cluster with the share w of all battles is divided by 1 - w, and the sum is multiplied by
    (G - 1)/G, as in a jackknife; for G clusters of equal size that is the usual factor G/(G - 1).

    Parameters
    ----------
    model, theta, battles, codes
        As in `cluster_scores()`.

    Returns
    -------
    pair of ndarray and int
        The sum, parameters x parameters, and the number of clusters.
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


def _centred(covariance: Floats, m: int) -> Floats:
    """Return the covariance of the same parameters with strengths that add up to 0."""
    covariance = covariance.copy()
    covariance[:m] -= covariance[:m].mean(axis=0)
    covariance[:, :m] -= covariance[:, :m].mean(axis=1, keepdims=True)
    return covariance


def _used(battles: Battles, ties: str) -> tuple[Battles, tuple[Note, ...]]:
    """Leave out ties if they are dropped, and say so; all ties are an error, because nothing is known then."""
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
    """Keep the systems whose strengths exist and can be compared, or raise an error that names the others.

    Without a prior these are the systems that beat each other, directly or through others; with one it is enough that
    they met.

    Parameters
    ----------
    battles : Battles
        The battles.
    ties, prior, alone
        As in `fit()`.

    Returns
    -------
    pair of Battles and tuple of Note
        The battles between these systems, and what was left out.
    """
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
    comparable = groups == 0
    if comparable.sum() < 2:
        raise TauscopeError(
            f"No two {word('systems')} beat each other, directly or through others, so that no strength has a finite "
            "value.",
            Option("prior", 1.0, effect="to let each play one more battle, half won, against an average one"),
        )
    out = tuple(name for name, inside in zip(battles.systems, comparable, strict=True) if not inside)
    return battles.take(comparable[battles.first] & comparable[battles.second]), (
        Note("no_finite_strength", systems=out),
    )


def _apart(battles: Battles, groups: Ints) -> TauscopeError:
    """Return the error for systems that never met, with the groups they fall into."""
    sizes = tally(groups)
    members = [
        [s for s, group in zip(battles.systems, groups, strict=True) if group == k] for k in range(len(sizes[:4]))
    ]
    named = "; ".join(f"{count(len(group), 'system')} ({shown(group, 3)})" for group in members)
    more = "; …" if len(sizes) > 4 else ""
    return TauscopeError(
        f"The battles fall into {len(sizes):,} groups that never met, and strengths of different groups cannot be "
        f"compared: {named}{more}.",
        Option("incomparable", "drop", effect=f"to rank only the largest group, {count(int(sizes[0]), 'system')}"),
    )


def _unbeaten(battles: Battles, strong: Ints, ties: bool) -> TauscopeError:
    """Return the error for systems without a finite strength: they never lost, never won, or only met such ones."""
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
    """Return the error for a likelihood that rises for ever."""
    why = " with ties as an outcome" if davidson else " and with an effect of the first place" if position else ""
    ways = [Option("ties", "half", effect="to count ties as half a win")] if davidson else []
    return TauscopeError(
        f"The likelihood{why} has no largest value: some strength goes to infinity.",
        Option("prior", 1.0, effect="to let each system play one more battle, half won, against an average one"),
        *ways,
    )
