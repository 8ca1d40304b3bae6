"""`compare_verdicts()`: two judges on the same battles: do they agree, does one prefer a place, and would the rankings
be alike?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats, Ints, product, tally
from ..coefficients.correlation import evaluate
from ..coefficients.records import Coefficient, catalogue
from ..errors import CallError, TauscopeError
from ..jobs.draws import VERDICT_DRAWS
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..ranking import align
from ..results import Result, count, number, word
from ..scores.battles import Battles
from ..scores.clusters import effective_number
from ..scores.verdicts import FIRST, SECOND, TIE
from .bradley_terry import BradleyTerry, bradley_terry
from .fitting import FEWEST_CLUSTERS, cluster_scores
from .matched import Matched, match
from .noise_free import Pair

#: Groups of clusters that the jackknife leaves out in turn.
GROUPS = 20
#: A place counts as preferred where it would win this share between equals, and chance does not explain it.
NOTABLE = 0.55


@dataclass(frozen=True, kw_only=True, eq=False)
class PositionBias:
    """How often a judge decides for the first of the two.

    Attributes
    ----------
    share : float
        Of its decided battles.
    equals : float
        The chance that the first of two equal systems wins.
    low, high : float
        Its limits.
    p : float
        Of the test that it is 1/2, battles clustered by question where questions are known, else as in the comparison.
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
class VerdictComparison(Result):
    """Two judges of the same battles; in pairs of values the estimate comes first, then the truth.

    Attributes
    ----------
    coefficient : Coefficient
        Of the two rankings by strength.
    observed : float
        Its value.
    corrected : float
        What it would be without the noise of the battles (disattenuated).
    error : float
        The standard error of that.
    low, high : float
        Its limits.
    true_correlation : float
        Pearson's correlation of the strengths without noise.
    reliability : pair of float
        Which share of the spread of the strengths is real.
    without_position : float
        The observed coefficient with a preference for a place taken out of both.
    agreement, agreement_error : float
        Share of matched battles with the same verdict, and its standard error.
    kappa, kappa_error : float
        The same beyond chance (cohen1960), and its standard error.
    decided : float
        Share of the same winner where both decide.
    table : array
        Matched battles with verdict i of the estimate and j of the truth: first, second, tie.
    position : pair of PositionBias
        Whether one place is preferred.
    ties : pair of float
        Shares of ties.
    systems : int
        How many both have.
    battles : pair of int
        How many each judged.
    matched : int
        Pairs of verdicts on one battle.
    matched_by : str
        What battles were matched by.
    clusters : str
        What was resampled.
    independent : int
        How many such pieces there are.
    freedom : float
        Degrees of freedom of the errors: one less than the groups left out in turn, or than the effective number of
        pieces where that is smaller.
    level : float
        The confidence.
    seed : int
        The seed of the random numbers.
    notes : tuple of str
        What else is to be said.
    estimate, truth : BradleyTerry
        The strengths.
    """

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
    systems: int
    battles: tuple[int, int]
    matched: int
    matched_by: str
    clusters: str
    independent: int
    freedom: float
    level: float
    seed: int
    notes: tuple[str, ...]
    estimate: BradleyTerry
    truth: BradleyTerry

    def __float__(self) -> float:
        return self.corrected

    def findings(self) -> tuple[str, ...]:
        """What a reader should know first, in order of weight.

        Returns
        -------
        tuple of str
        """
        found = []
        for name, bias in sorted(
            zip(("estimate", "truth"), self.position, strict=True), key=lambda one: -abs(one[1].equals - 0.5)
        ):
            if bias.notable:
                place = "first" if bias.equals > 0.5 else "second"
                share = bias.share if bias.equals > 0.5 else 1 - bias.share
                equal = max(bias.equals, 1 - bias.equals)
                found.append(
                    f"position bias: the {name} decides for the {place} answer in {share * 100:.0f} % of its "
                    "verdicts, and would in "
                    f"{equal * 100:.0f} % between equal {word('systems')} (p {_p(bias.p)})"
                )
        more, fewer = max(self.ties), min(self.ties)
        if more - fewer > 0.05:
            who = "estimate" if self.ties[0] > self.ties[1] else "truth"
            found.append(f"the {who} calls {more * 100:.0f} % of its battles ties, the other {fewer * 100:.0f} %")
        return tuple(found)

    def _reach(self) -> float:
        """How far the limits of the agreement are from it."""
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + self.level) / 2)) * self.agreement_error

    def lines(self) -> list[str]:
        """Findings first, then the agreement of rankings and of verdicts."""
        of = f"{count(self.systems, 'system')}, {count(self.matched, 'battle')} judged by both"
        rankings = (
            f"{self.coefficient} = {number(self.observed)} observed, {number(self.corrected)} [{number(self.low)}, "
            f"{number(self.high)}] without the noise of battles   {of}"
        )
        verdicts = (
            f"same verdict in {self.agreement * 100:.1f} % ± {self._reach() * 100:.1f}, kappa "
            f"{number(self.kappa)}; same winner "
            f"in {self.decided * 100:.1f} % where both decide; {self.independent:,} independent by {self.clusters}, "
            f"seed {self.seed}"
        )
        head = "; ".join(self.findings())
        return [*([head] if head else []), rankings, verdicts]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how far two judges of the same battles agree, and how sure that is.

        Returns
        -------
        str
            One sentence, with the interval, the battles and the seed.
        """
        return (
            f"{self.coefficient.full_title} between the rankings of {count(self.systems, 'system')} by the Bradley-Terry "
            f"strengths of the estimate and the truth is {number(self.observed)} observed and {number(self.corrected)} "
            f"corrected for the noise of battles ({self.level * 100:g} % interval {number(self.low)} to {number(self.high)}), "
            f"and the two have the same verdict in {self.agreement * 100:.1f} % (standard error "
            f"{self.agreement_error * 100:.1f} %; Cohen's kappa {number(self.kappa)}) of "
            f"{count(self.matched, 'battle')} judged by both ({self.battles[0]:,} and {self.battles[1]:,} battles; "
            f"{self.independent:,} independent by {self.clusters}; {VERDICT_DRAWS:,} draws of true strengths, jackknife over "
            f"groups of battles, seed {self.seed}{self._after()})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per system: strengths and errors of both."""
        place = {name: i for i, name in enumerate(self.estimate.systems)}
        at = [place[name] for name in self.truth.systems]
        return {
            "system": list(self.truth.systems),
            "truth": self.truth.strengths,
            "truth_error": self.truth.errors,
            "estimate": self.estimate.strengths[at],
            "estimate_error": self.estimate.errors[at],
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        from dataclasses import asdict

        from ..results import plain

        left_out = ("coefficient", "position", "estimate", "truth")
        flat = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in left_out}
        return {name: plain(value) for name, value in flat.items()} | {
            "coefficient": self.coefficient.name,
            "position": [plain(asdict(bias)) for bias in self.position],
            "findings": list(self.findings()),
            "methods_sentence": self.methods_sentence(),
            "strengths": {name: plain(values) for name, values in self.columns().items()},
        }

    def cited(self) -> tuple[str, ...]:
        """Whose measures these are."""
        return ("bradley1952", "cohen1960", "davidson1977", self.coefficient.paper)

    def plot(self) -> Any:
        """Ranks by the estimate against ranks by the truth."""
        from ..figures import ranks

        both = [side.ranking().ranks() for side in (self.estimate, self.truth)]
        place = {name: i for i, name in enumerate(self.estimate.systems)}
        at = [place[name] for name in self.truth.systems]
        return ranks(both[0][at], both[1], self.truth.systems, names=("estimate", "truth"), title=self.lines()[-2])


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def compare_verdicts(
    estimate: Battles,
    *unnamed: Any,
    truth: Battles | None = None,
    coefficient: str | Coefficient = "tau_b",
    ties: str = "half",
    clusters: str = "battle",
    prior: float = 0.0,
    level: float = 0.95,
    rng: Rng = 0,
) -> VerdictComparison:
    """How far does one judge of battles agree with another: in verdicts, in the ranking, and does it prefer a place?

    Battles are matched by their labels, else by question and pair, else row by row; the order of the two may differ.
    Strengths are fitted to all battles of each. Their agreement is observed, and corrected for the noise of the
    battles: draws of the true strengths given the observed ones are compared (`tauscope.boards.noise_free`), errors of
    both judges taken together, since the same battles are behind them. The interval is corrected ± t times a jackknife
    standard error over 20 groups of clusters, and contains the observed value. Position bias is the term gamma of
    bradley_terry(position=True), ties as half, with its Wald test, clustered by question where questions are known. Verdicts agree by chance too: kappa = (agreement -
    expected)/(1 - expected), expected from the shares of both (cohen1960). Do not use it where the two judged different
    battles of different systems: compare the rankings instead.

    Parameters
    ----------
    estimate : Battles
        The judge in question.
    *unnamed
        Nothing: the truth is given by name.
    truth : Battles
        The judge that is right by definition.
    coefficient : str or Coefficient
        Of the two rankings by strength.
    ties : {"half", "davidson", "drop"}
        What a tie is in the strengths.
    clusters : {"battle", "question"}
        What is resampled: battles that both judged together, or all battles of a question.
    prior : float
        As in `bradley_terry()`.
    level : float
        The confidence of the limits.
    rng : int, Generator or None
        The seed of draws and groups.

    Returns
    -------
    VerdictComparison

    Raises
    ------
    CallError
        Where the truth is not given by name.
    TauscopeError
        Where battles cannot be matched, or strengths are not finite.

    Examples
    --------
    >>> people = Battles(["ann", "bob"] * 20, ["bob", "ann"] * 20, ["first", "second", "first", "first"] * 10)
    >>> verdicts = ["first", "second", "first", "second"] * 9 + ["first"] * 4
    >>> judge = Battles(["ann", "bob"] * 20, ["bob", "ann"] * 20, verdicts)
    >>> round(compare_verdicts(judge, truth=people).agreement, 3)
    0.75
    """
    if unnamed or truth is None:
        raise CallError(
            "compare_verdicts() wants to know which judge is the truth: compare_verdicts(estimate, truth=…)."
        )
    for name, side in (("estimate", estimate), ("truth", truth)):
        if not isinstance(side, Battles):
            raise CallError(f"compare_verdicts() takes Battles; `{name}` is of type {type(side).__name__}.")
    checking.one_of(clusters, ("battle", "question"), "clusters")
    c, seed = catalogue[coefficient], remembered(rng)
    checking.level(level)
    both = match(estimate, truth, clusters)
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
    parts = [_verdicts(both.first[kept], both.second[kept])[:2] for kept in _kept(groups, both.cluster)]
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
        systems=pair.systems,
        battles=(len(both.estimate), len(both.truth)),
        matched=len(both.first),
        matched_by=both.by,
        clusters=clusters,
        independent=both.size,
        freedom=freedom,
        level=level,
        seed=seed,
        notes=both.notes,
        estimate=fits[0],
        truth=fits[1],
    )


def _observed(c: Coefficient, fits: list[BradleyTerry]) -> float:
    return evaluate(c, align(fits[0].ranking(), fits[1].ranking()), names=("estimate", "truth")).value


def _pair(both: Matched, fits: list[BradleyTerry]) -> tuple[Pair, Floats]:
    """The strengths of both in the order of the systems, and the influence of each cluster on them: clusters x (2
    systems)."""
    m = len(both.truth.systems)
    influence = np.zeros((both.size, 2 * m))
    strengths = np.empty((2, m))
    for side, (found, codes) in enumerate(zip(fits, both.clusters, strict=True)):
        fit = found._fit
        if fit.battles.systems != both.truth.systems:
            raise TauscopeError("Without ties some systems have no battle left; use ties='half'.")
        own = codes if len(fit.battles) == len(codes) else codes[(both.estimate, both.truth)[side].winner != TIE]
        scores = cluster_scores(fit.model, fit.theta, fit.battles, own)
        change = product(scores, fit.bread)[:, :m]
        influence[: len(change), side * m : (side + 1) * m] = change - change.mean(axis=1, keepdims=True)
        strengths[side] = fit.strengths
    g = both.size
    return Pair(strengths, product(influence.T, influence) * g / (g - 1)), influence


def _without(pair: Pair, influence: Floats, left_out: Any) -> Pair:
    """The same without some clusters, to first order."""
    g, gone = len(influence), int(left_out.sum())
    change = influence[left_out].sum(axis=0).reshape(2, -1)
    own = influence[~left_out]
    kept = g - gone
    # Each of those left counts for more by g/kept, in the strengths as in their errors.
    covariance = product(own.T, own) * (g / kept) ** 2 * kept / (kept - 1)
    return Pair(pair.strengths - change * g / kept, covariance)


def _jackknife(values: list[float]) -> float:
    own = np.array(values)
    k = len(own)
    return float(np.sqrt((k - 1) / k * ((own - own.mean()) ** 2).sum()))


def _limits(
    c: Coefficient, corrected: float, observed: float, error: float, freedom: float, level: float
) -> tuple[float, float]:
    from scipy.special import stdtrit

    reach = float(stdtrit(freedom, (1 + level) / 2)) * error
    low, high = c.range
    return max(low, min(corrected - reach, observed)), min(high, max(corrected + reach, observed))


def _verdicts(first: Any, second: Any) -> tuple[float, float, float, Ints]:
    """Share of the same verdict, kappa, share of the same winner where both decide, and the table."""
    table = tally(first.astype(np.int64) * 3 + second, 9).reshape(3, 3)
    n = table.sum()
    same = np.trace(table) / n
    expected = float(table.sum(axis=1) @ table.sum(axis=0)) / float(n) ** 2
    both = table[:TIE, :TIE]
    decided = float(np.trace(both) / both.sum()) if both.sum() else math.nan
    return float(same), float((same - expected) / (1 - expected)) if expected < 1 else math.nan, decided, table


def _kept(groups: Ints, cluster: Ints) -> list[Any]:
    """Which matched battles are left without each group in turn."""
    return [groups[cluster] != g for g in range(groups.max() + 1)]


def _tie_share(battles: Battles) -> float:
    return battles.outcomes[TIE] / len(battles)


def _bias(battles: Battles, codes: Ints, level: float) -> PositionBias:
    """What the first place adds, clustered by question where questions are known, else as the comparison is.

    Battles of a question share its answers and often their order, so that they are not independent even where the
    comparison takes them one by one.
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
