"""Two judges of the same battles: do they agree, does one prefer a place, and would their rankings be alike?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..coefficients.correlation import evaluate
from ..coefficients.records import Coefficient
from ..core import checking, kernels
from ..core.arrays import Floats, Ints, product, tally
from ..core.checking import VERDICT_DRAWS, Stream, stream
from ..data.battles import FIRST, SECOND, TIE, Battles, Verdicts
from ..data.clusters import effective_number
from ..data.labels import shown
from ..data.ranking import align
from ..errors import Advice, CallError, TauscopeError
from ..inference.relation import symmetric_root
from ..results import Note, Plain, column, count, large, per_row
from .bradley_terry import FEWEST_CLUSTERS, BradleyTerry, bradley_terry, cluster_scores

#: Groups of clusters that the jackknife leaves out in turn.
GROUPS = 20
#: A place counts as preferred if it would win this share between equals, and chance does not explain it.
NOTABLE = 0.55


class PositionBias(NamedTuple):
    """How often a judge decides for the first of the two.

    Parameters
    ----------
    share : float
        Share of its decided battles.
    equals : float
        Probability that the first of two equal systems wins.
    low, high : float
        Confidence limits of that.
    p : float
        p-value of the test that it is 1/2. Battles are clustered by question if questions are known, else as in the
        comparison.
    """

    share: float
    equals: float
    low: float
    high: float
    p: float

    @property
    def notable(self) -> bool:
        """Whether one place is preferred by more than a little, and by more than chance."""
        return self.p < 0.05 and max(self.equals, 1 - self.equals) >= NOTABLE


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class VerdictComparison(Plain):
    """How well a judge of battles agrees with a truth: in verdicts, and in the ranking by strength. One row per system.

    In pairs of values the judge comes first, then the truth.

    Parameters
    ----------
    coefficient : Coefficient
        Record of the coefficient of the two rankings by strength.
    observed, corrected : float
        Its observed value, and the value corrected for the noise of the battles (disattenuated).
    error, low, high : float
        Standard error and confidence limits of the corrected value.
    true_correlation : float
        Pearson's correlation of the strengths, corrected for noise.
    reliability : pair of float
        Share of the spread of the strengths that is not noise.
    without_position : float
        The observed coefficient with a preference for a place removed from both.
    agreement, agreement_error : float
        Share of matched battles with the same verdict, and its standard error.
    kappa, kappa_error : float
        Cohen's kappa of the verdicts, and its standard error.
    decided : float
        Share of the same winner in the battles that both decide.
    table : array
        Number of matched battles with verdict i of the judge and j of the truth: first, second, tie.
    position : pair of PositionBias
        Whether each prefers a place.
    ties : pair of float
        Shares of ties.
    system : tuple of str
        The systems that both have.
    battles : pair of int
        Number of battles of each.
    matched : int
        Number of pairs of verdicts on one battle.
    matched_by : {"label", "question and pair", "row"}
        What battles were matched by.
    clusters : {"battle", "question"}
        What was resampled.
    independent : int
        Number of independent battles or questions.
    freedom : float
        Degrees of freedom of the errors: one less than the groups left out in turn, or than the effective number of
        clusters if that is smaller.
    level : float
        Confidence level.
    draws, seed : int
        The number of draws, and the seed of draws and groups.
    notes : tuple of Note
        What was left out.
    judge, truth : BradleyTerry
        The strengths by both.
    """

    QUESTION: ClassVar[str] = "verdicts"
    VIEWS: ClassVar[tuple[str, ...]] = ("judge", "truth")
    level: float
    coefficient: Coefficient
    observed: float
    corrected: float
    error: float
    low: float
    high: float
    true_correlation: float
    reliability: tuple[float, float]
    without_position: float
    agreement: float
    agreement_error: float
    kappa: float
    kappa_error: float
    decided: float
    table: Ints
    position: tuple[PositionBias, PositionBias]
    ties: tuple[float, float]
    system: tuple[str, ...] = per_row()
    battles: tuple[int, int]
    matched: int
    matched_by: str
    clusters: str
    independent: int
    freedom: float
    draws: int = VERDICT_DRAWS
    seed: int
    notes: tuple[Note, ...]
    judge: BradleyTerry = large()
    truth: BradleyTerry = large()

    def __float__(self) -> float:
        return self.corrected

    @column
    def judge_strength(self) -> Floats:
        """Strengths by the judge."""
        return self._by_judge(self.judge.strengths)

    @column
    def judge_error(self) -> Floats:
        """Standard errors of the strengths by the judge."""
        return self._by_judge(self.judge.errors)

    @column
    def truth_strength(self) -> Floats:
        """Strengths by the truth."""
        return self.truth.strengths

    @column
    def truth_error(self) -> Floats:
        """Standard errors of the strengths by the truth."""
        return self.truth.errors

    def _by_judge(self, values: Floats) -> Floats:
        place = {name: i for i, name in enumerate(self.judge.systems)}
        return np.asarray(values[[place[name] for name in self.system]])

    @property
    def agreement_reach(self) -> float:
        """How far the confidence limits of the agreement are from it."""
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + self.level) / 2)) * self.agreement_error

    def cited(self) -> tuple[str, ...]:
        return ("bradley1952", "cohen1960", "davidson1977", self.coefficient.paper)


def compare_battles(judge: Any, truth: Any, coefficient: Coefficient, level: float, seed: int) -> VerdictComparison:
    """Compare two judges of the same battles; `compare()` calls it for `Battles` or strengths of `bradley_terry()`.

    Battles are matched by their labels, else by question and pair, else row by row. Strengths are fitted to all battles
    of each, with the ties, the prior and the clusters of `bradley_terry()`. Draws of the true strengths given the
    observed ones are compared (`noise_free`), errors of both judges taken together, because the same battles are behind
    them. The interval is the corrected value ± t times a jackknife standard error over 20 groups of clusters, and
    contains the observed value.
    """
    c, (estimate, gold, settings) = coefficient, _sides(judge, truth)
    ties, prior, clusters = settings
    both = match(estimate, gold, clusters)
    if both.size < FEWEST_CLUSTERS:
        raise TauscopeError(
            f"There are {both.size} independent pieces by {clusters}; at least {FEWEST_CLUSTERS} are needed."
        )
    fits = [bradley_terry(side, ties=ties, prior=prior) for side in (both.estimate, both.truth)]
    placed = [bradley_terry(side, ties=ties, prior=prior, position=True) for side in (both.estimate, both.truth)]
    generator = stream(seed, Stream.JUDGES)
    pair, influence = _pair(both, fits)
    standard = generator.standard_normal((VERDICT_DRAWS, 2 * pair.systems))
    groups = generator.permutation(both.size) % min(GROUPS, both.size)
    observed = _observed(c, fits)
    corrected = pair.agreement(c, standard)
    left_out = [_without(pair, influence, groups == g).agreement(c, standard) for g in range(groups.max() + 1)]
    error = _jackknife(left_out)
    freedom = max(1.0, min(float(len(left_out)), effective_number(both.cluster)) - 1)
    low, high = _limits(c, corrected, observed, error, freedom, level)
    agreement, kappa, decided, table = _verdicts(both.first, both.second)
    parts = [_verdicts(both.first[rest], both.second[rest])[:2] for rest in _kept(groups, both.cluster)]
    return VerdictComparison(
        coefficient=c,
        observed=observed,
        corrected=corrected,
        error=error,
        low=low,
        high=high,
        true_correlation=pair.true_correlation(),
        reliability=pair.reliability(),
        without_position=_observed(c, placed),
        agreement=agreement,
        agreement_error=_jackknife([part[0] for part in parts]),
        kappa=kappa,
        kappa_error=_jackknife([part[1] for part in parts]),
        decided=decided,
        table=table,
        position=(_bias(both.estimate, both.clusters[0], level), _bias(both.truth, both.clusters[1], level)),
        ties=(_tie_share(both.estimate), _tie_share(both.truth)),
        system=fits[1].systems,
        battles=(len(both.estimate), len(both.truth)),
        matched=len(both.first),
        matched_by=both.by,
        clusters=clusters,
        independent=both.size,
        freedom=freedom,
        level=level,
        seed=seed,
        notes=both.notes,
        judge=fits[0],
        truth=fits[1],
    )


def _sides(judge: Any, truth: Any) -> tuple[Battles, Battles, tuple[str, float, str]]:
    """Return the battles of both sides, and the settings by which their strengths are estimated.

    Raises
    ------
    CallError
        If one side has no battles, or the two were estimated with other ties, priors or clusters.
    """
    battles: list[Battles] = []
    settings: set[tuple[str, float, Any]] = set()
    for name, side in (("judge", judge), ("truth", truth)):
        if isinstance(side, BradleyTerry):
            settings.add((side.ties, side.prior, side.clusters or "battle"))
            side = side.given_battles
        if not isinstance(side, Battles):
            raise CallError(f"compare() takes Battles on both sides or on none; `{name}` is {type(side).__name__}.")
        battles.append(side)
    if len(settings) > 1:
        raise CallError("compare() needs strengths with the same ties, prior and clusters on both sides.")
    ties, prior, clusters = next(iter(settings), ("half", 0.0, "battle"))
    checking.one_of(clusters, ("battle", "question"), "clusters")
    return battles[0], battles[1], (ties, prior, clusters)


def _observed(c: Coefficient, fits: list[BradleyTerry]) -> float:
    """Return the coefficient of the two rankings by strength."""
    return evaluate(c, align(fits[0].ranking(), fits[1].ranking()), names=("estimate", "truth")).value


def _pair(both: Matched, fits: list[BradleyTerry]) -> tuple[Pair, Floats]:
    """Return the strengths of both sides in one order of systems, and the influence of each cluster on them.

    Parameters
    ----------
    both : Matched
        The battles of both sides.
    fits : list of BradleyTerry
        Their strengths.

    Returns
    -------
    pair of Pair and ndarray
        The influence is clusters x (2 systems). Both sides see the same clusters, so that their errors are correlated.
    """
    m = len(both.truth.systems)
    influence = np.zeros((both.size, 2 * m))
    strengths = np.empty((2, m))
    for side, (fitted, codes) in enumerate(zip(fits, both.clusters, strict=True)):
        fit = fitted._fit
        if fit.battles.systems != both.truth.systems:
            raise TauscopeError("Without ties some systems have no battle left; use ties='half'.")
        clusters = codes if len(fit.battles) == len(codes) else codes[(both.estimate, both.truth)[side].winner != TIE]
        scores = cluster_scores(fit.model, fit.theta, fit.battles, clusters)
        change = product(scores, fit.bread)[:, :m]
        influence[: len(change), side * m : (side + 1) * m] = change - change.mean(axis=1, keepdims=True)
        strengths[side] = fit.strengths
    g = both.size
    return Pair(strengths, product(influence.T, influence) * g / (g - 1)), influence


def _without(pair: Pair, influence: Floats, left_out: Any) -> Pair:
    """Return the strengths and their covariance without some clusters, to first order.

    Parameters
    ----------
    pair : Pair
        With all clusters.
    influence : array
        As `_pair()` returns it.
    left_out : array of bool
        The clusters to leave out.
    """
    g, gone = len(influence), int(left_out.sum())
    change = influence[left_out].sum(axis=0).reshape(2, -1)
    rest = influence[~left_out]
    size = g - gone
    # Each of those left counts for more by g/kept, in the strengths as in their errors.
    covariance = product(rest.T, rest) * (g / size) ** 2 * size / (size - 1)
    return Pair(pair.strengths - change * g / size, covariance)


def _jackknife(values: list[float]) -> float:
    """Return the standard error of a value from its values without each group in turn."""
    replicates = np.array(values)
    k = len(replicates)
    return float(np.sqrt((k - 1) / k * ((replicates - replicates.mean()) ** 2).sum()))


def _limits(
    c: Coefficient, corrected: float, observed: float, error: float, freedom: float, level: float
) -> tuple[float, float]:
    """Return confidence limits by Student's t, within the range of the coefficient and around the observed value."""
    from scipy.special import stdtrit

    reach = float(stdtrit(freedom, (1 + level) / 2)) * error
    low, high = c.range
    return max(low, min(corrected - reach, observed)), min(high, max(corrected + reach, observed))


def _verdicts(first: Any, second: Any) -> tuple[float, float, float, Ints]:
    """Compare the verdicts on matched battles.

    Parameters
    ----------
    first, second : array
        Verdicts of the judge and of the truth.

    Returns
    -------
    tuple
        The share of equal verdicts, Cohen's kappa, the share of equal winners where both decide, and the table 3 x 3.
    """
    table = tally(first.astype(np.int64) * 3 + second, 9).reshape(3, 3)
    n = table.sum()
    same = np.trace(table) / n
    expected = float(table.sum(axis=1) @ table.sum(axis=0)) / float(n) ** 2
    both = table[:TIE, :TIE]
    decided = float(np.trace(both) / both.sum()) if both.sum() else math.nan
    return float(same), float((same - expected) / (1 - expected)) if expected < 1 else math.nan, decided, table


def _kept(groups: Ints, cluster: Ints) -> list[Any]:
    """Return which matched battles are left without each group in turn."""
    return [groups[cluster] != g for g in range(groups.max() + 1)]


def _tie_share(battles: Battles) -> float:
    return battles.outcomes[TIE] / len(battles)


def _bias(battles: Battles, codes: Ints, level: float) -> PositionBias:
    """Estimate how much the first place adds, by a fit with an effect of position.

    Errors are clustered by question if questions are known, because battles on one question share its answers and often
    their order, and otherwise as the comparison is.

    Parameters
    ----------
    battles : Battles
        The battles of one judge.
    codes : array of int
        The clusters of the comparison.
    level : float
        Confidence level.

    Returns
    -------
    PositionBias
    """
    from scipy.special import stdtr, stdtrit

    if battles.questions is not None:
        codes = battles.questions.codes
    won = battles.outcomes
    decided = won[FIRST] + won[SECOND]
    share = won[FIRST] / decided if decided else math.nan
    fit = bradley_terry(battles, ties="half", position=True, prior=1.0)._fit
    m = fit.model.systems
    scores = cluster_scores(fit.model, fit.theta, fit.battles, codes)
    change = np.asarray(scores @ fit.bread)[:, m]
    clusters = len(np.unique(codes))
    error = math.sqrt(float(change @ change) * clusters / max(1, clusters - 1))
    freedom = max(1.0, effective_number(codes) - 1)
    gamma, z = float(fit.theta[m]), float(stdtrit(freedom, (1 + level) / 2))
    low, high = (1 / (1 + math.exp(-(gamma + side * z * error))) for side in (-1, 1))
    return PositionBias(
        share=share,
        equals=1 / (1 + math.exp(-gamma)),
        low=low,
        high=high,
        p=float(2 * stdtr(freedom, -abs(gamma) / error)) if error else math.nan,
    )


@dataclass(frozen=True, eq=False)
class Matched:
    """Battles of two judges between the same systems, and the pairs of verdicts on one battle.

    Parameters
    ----------
    estimate, truth : Battles
        The battles of both, systems in one order.
    clusters : pair of array
        The cluster of each battle of each side, numbered alike.
    first, second : array
        Verdicts of the two on the matched battles, both in the order of systems that the truth has.
    cluster : array
        The cluster of each matched pair.
    by : str
        What battles were matched by.
    notes : tuple of Note
        What was left out.
    """

    estimate: Battles
    truth: Battles
    clusters: tuple[Ints, Ints]
    first: Verdicts
    second: Verdicts
    cluster: Ints
    by: str
    notes: tuple[Note, ...]

    @property
    def size(self) -> int:
        """Number of clusters."""
        return int(max(codes.max() for codes in self.clusters)) + 1


def match(estimate: Battles, truth: Battles, clusters: str) -> Matched:
    """Match the battles of two judges by label, else by question and pair, else row by row.

    Parameters
    ----------
    estimate, truth : Battles
        The battles of both.
    clusters : {"battle", "question"}
        What is resampled.

    Returns
    -------
    Matched

    Raises
    ------
    TauscopeError
        If no battle is matched, or matched battles are between other systems.
    """
    estimate, truth, notes = _same_systems(estimate, truth)
    keys, by = _keys(estimate, truth)
    rows, partners = _joined(*keys)
    if not len(rows):
        raise TauscopeError(f"No battle of the one judge is one of the other's, matched by {by}.")
    same = estimate.first[rows] == truth.first[partners]
    fits = np.where(
        same,
        estimate.second[rows] == truth.second[partners],
        (estimate.first[rows] == truth.second[partners]) & (estimate.second[rows] == truth.first[partners]),
    )
    if not fits.all():
        at = int(np.flatnonzero(~fits)[0])
        i, j = int(rows[at]), int(partners[at])
        names = estimate.systems
        raise TauscopeError(
            f"Battle {i + 1:,} of the estimate is between {names[estimate.first[i]]!r} and "
            f"{names[estimate.second[i]]!r}, and the same "
            f"battle of the truth between {names[truth.first[j]]!r} and {names[truth.second[j]]!r}.",
            Advice("Leave the labels of battles out (ids=None) if they do not mean the same."),
        )
    verdicts = truth.winner[partners]
    verdicts = np.where(same | (verdicts == TIE), verdicts, 1 - verdicts).astype(np.int8)
    groups = keys if clusters == "battle" else _coded_alike(estimate, truth, clusters)
    left = len(estimate) + len(truth) - len(np.unique(rows)) - len(np.unique(partners))
    if left:
        notes += (Note("battles_of_one_side", battles=left),)
    return Matched(estimate, truth, groups, estimate.winner[rows], verdicts, groups[0][rows], by, notes)


def _same_systems(estimate: Battles, truth: Battles) -> tuple[Battles, Battles, tuple[Note, ...]]:
    """Keep the battles between systems that both sides have, in one order of systems."""
    sides = {"estimate": estimate, "truth": truth}
    # Without the battles against a system of one side only, another one may be left without any.
    while set(sides["estimate"].systems) != set(sides["truth"].systems):
        shared = [name for name in sides["truth"].systems if name in set(sides["estimate"].systems)]
        if len(shared) < 2:
            raise TauscopeError(
                f"The two share {count(len(shared), 'system')}; are the names spelled alike? The estimate has "
                f"{shown(estimate.systems, 3)}, the truth {shown(truth.systems, 3)}."
            )
        sides = {name: side.select(systems=shared) for name, side in sides.items()}
    order = sides["truth"].systems
    notes = tuple(
        Note("systems_of_one_side", systems=len(given.systems) - len(order), side=name)
        for name, given in (("judge", estimate), ("truth", truth))
        if len(given.systems) > len(order)
    )
    return sides["estimate"].reordered(order), sides["truth"], notes


def _keys(estimate: Battles, truth: Battles) -> tuple[tuple[Ints, Ints], str]:
    """Return a number for each battle of both sides, equal for the same battle, and what it was made of."""
    if estimate.ids is not None and truth.ids is not None:
        return _coded_alike(estimate, truth, "battle"), "label"
    if estimate.questions is not None and truth.questions is not None:
        sides = []
        for battles, codes in zip((estimate, truth), _coded_alike(estimate, truth, "question"), strict=True):
            low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
            sides.append(list(zip(codes.tolist(), low.tolist(), high.tolist(), strict=True)))
        numbers: dict[tuple[int, int, int], int] = {}
        coded = [np.array([numbers.setdefault(key, len(numbers)) for key in side]) for side in sides]
        return (coded[0], coded[1]), "question and pair"
    if len(estimate) == len(truth):
        rows = np.arange(len(estimate))
        return (rows, rows), "row"
    raise TauscopeError(
        f"The two have {len(estimate):,} and {count(len(truth), 'battle')}, and neither labels nor questions say "
        "which belong together.",
        Advice("Give both the labels of the battles (ids=) or their questions (questions=)."),
    )


def _coded_alike(estimate: Battles, truth: Battles, by: str) -> tuple[Ints, Ints]:
    """Return the groups of the battles of both sides, numbered alike."""
    sides = [battles.groups(by) for battles in (estimate, truth)]
    numbers: dict[str, int] = {}
    codes = [np.array([numbers.setdefault(label, len(numbers)) for label in side.labels])[side.codes] for side in sides]
    return codes[0], codes[1]


def _joined(estimate: Ints, truth: Ints) -> tuple[Ints, Ints]:
    """Return the rows of both sides that have the same key.

    If one side has several rows of a key, each meets the one of the other side; if both have several, the k-th meets
    the k-th.
    """
    often = [Counter(side.tolist()) for side in (estimate, truth)]
    numbered = {key for key in often[0] if often[0][key] > 1 and often[1][key] > 1}

    def keys(side: Ints) -> Iterator[tuple[int, int]]:
        seen: Counter[int] = Counter()
        for key in side.tolist():
            yield key, seen[key]
            seen[key] += key in numbered

    rows: dict[tuple[int, int], list[int]] = {}
    for row, key in enumerate(keys(truth)):
        rows.setdefault(key, []).append(row)
    pairs = [(row, second) for row, key in enumerate(keys(estimate)) for second in rows.get(key, ())]
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    return first, second


#: Strengths are taken to be known no better than this share of their spread, and no worse.
_LEAST = 1e-6


@dataclass(frozen=True, eq=False)
class Pair:
    r"""Strengths by two judges with the covariance of all their errors, and how to correct their agreement for noise.

    Of system s, :math:`y_s = (e_s, t_s)` has the error covariance :math:`V_s`, 2 x 2. Over systems S is the covariance
    of y, and :math:`\Omega = S - \overline{V_s}`, made positive, that of the true strengths. Draws of the true
    strengths given the observed ones are :math:`\mu^*_s = K_s y_s + L_s z_s` with :math:`K_s = \Omega (\Omega +
    V_s)^{-1}`, where z is drawn from the joint covariance of all errors, and L_s gives :math:`\mu^*_s` the variance
    that it should have.

    Parameters
    ----------
    strengths : array
        2 x systems: of the judge, then of the truth.
    covariance : array
        Of all errors, (2 systems) x (2 systems).
    """

    strengths: Floats
    covariance: Floats

    def blocks(self) -> Floats:
        """Return the error covariance of the two strengths of each system: systems x 2 x 2."""
        m = self.systems
        joint = self.covariance.reshape(2, m, 2, m)
        at = np.arange(m)
        return np.asarray(joint[:, at, :, at])

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.strengths.shape[1])

    def spread(self) -> tuple[Floats, Floats]:
        """Return the covariance of the two strengths over systems, and what is left of it without noise."""
        m = self.systems
        centred = self.strengths - self.strengths.mean(axis=1, keepdims=True)
        observed = centred @ centred.T / (m - 1)
        omega = observed - self.blocks().sum(axis=0) / (m - 1)
        values, vectors = np.linalg.eigh((omega + omega.T) / 2)
        floor = _LEAST * float(np.trace(observed))
        return observed, vectors @ np.diag(np.maximum(values, floor)) @ vectors.T

    def true_correlation(self) -> float:
        """Return Pearson's correlation of the strengths, corrected for noise (spearman1904)."""
        _, omega = self.spread()
        return float(np.clip(omega[0, 1] / np.sqrt(omega[0, 0] * omega[1, 1]), -1.0, 1.0))

    def reliability(self) -> tuple[float, float]:
        """Return for each judge the share of the observed spread that is not noise."""
        observed, omega = self.spread()
        share = np.clip(np.diagonal(omega) / np.diagonal(observed), 0.0, 1.0)
        return float(share[0]), float(share[1])

    def draws(self, standard: Floats) -> tuple[Floats, Floats]:
        """Draw plausible true strengths of both judges.

        Parameters
        ----------
        standard : array
            Standard normal numbers, draws x 2 systems.

        Returns
        -------
        pair of ndarray
            Draws x systems, of the judge and of the truth.
        """
        m = self.systems
        # The symmetric root, which there is only one of: signs of eigenvectors are another processor's to choose.
        noise = (standard @ symmetric_root(self.covariance)).reshape(-1, 2, m)
        _, omega = self.spread()
        mean = self.strengths.mean(axis=1)
        drawn = np.empty_like(noise)
        for s, errors in enumerate(self.blocks()):
            errors = errors + _LEAST * np.trace(omega) * np.eye(2)
            gain = omega @ np.linalg.inv(omega + errors)
            root, back = _roots(errors)
            w = back @ omega @ back
            share = symmetric_root(w @ np.linalg.inv(w + np.eye(2)))
            drawn[:, :, s] = mean + gain @ (self.strengths[:, s] - mean) + noise[:, :, s] @ (root @ share @ back).T
        return np.ascontiguousarray(drawn[:, 0]), np.ascontiguousarray(drawn[:, 1])

    def agreement(self, coefficient: Coefficient, standard: Floats) -> float:
        """Return the mean of a coefficient over draws of the true strengths."""
        estimate, truth = self.draws(standard)
        return float(np.nanmean(kernels.batch(coefficient, estimate, truth)[0]))


def _roots(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the symmetric root of a positive matrix, and its inverse."""
    values, vectors = np.linalg.eigh(matrix)
    root = np.sqrt(np.maximum(values, 1e-300))
    return (vectors * root) @ vectors.T, (vectors / root) @ vectors.T
