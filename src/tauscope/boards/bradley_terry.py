"""`bradley_terry()`: how strong is each system, given who beat whom?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats, Ints, tally
from ..expected.board_ranks import BoardRanks, board_ranks
from ..expected.normal_scores import NormalScores
from ..jobs.seeds import Rng
from ..ranking import Ranking
from ..results import Result, count, number
from ..scores.battles import GROUPS, Battles
from ..scores.clusters import HELD
from ..scores.labels import place_of
from .fitting import FEW_CLUSTERS, FEWEST_CLUSTERS, Fit, fit, freedom_of, kinds_of

#: Elo points of one unit of strength: 400 points are odds of ten to one.
ELO = 400 / math.log(10)
_SAID = {"davidson": "ties by Davidson's model", "half": "ties as half a win", "drop": "ties left out"}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BradleyTerry(Result):
    """Strengths of systems, best first, with the covariance of their errors.

    The chance that i beats j, where one of them does, is 1/(1 + exp(s_j - s_i)).

    Attributes
    ----------
    systems : tuple of str
        Best first.
    strengths : array
        They add up to 0.
    errors : array
        Standard errors against the mean of all; of a difference it is `error_between()`.
    covariance : array
        Of the strengths.
    battles : int
        How many were used.
    battles_each : array
        How many each system played.
    ties : str
        "davidson", "half" or "drop".
    tied : int
        How many battles were ties.
    tie_rate : float
        The chance of a tie of two equal systems; NaN where ties are not modelled.
    position, position_error, position_p : float
        What the first place adds to a strength, its standard error, and the p-value of a test of 0; NaN where it
        was not asked for.
    clusters : str, pair of str or None
        What battles were taken to be independent by; None for each by itself.
    independent : int
        How many such pieces there are; of the rarer kind where there are two.
    prior : float
        Imaginary battles of each system.
    log_likelihood : float
        At its maximum.
    notes : tuple of str
        What else is to be said.
    """

    systems: tuple[str, ...]
    strengths: Floats
    errors: Floats
    covariance: Floats
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
    prior: float
    log_likelihood: float
    notes: tuple[str, ...] = ()
    _fit: Fit

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

    def elo_errors(self) -> Floats:
        """The standard errors of the strengths in Elo points, each against the mean of all.

        Returns
        -------
        ndarray
        """
        return np.asarray(ELO * self.errors)

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
        return NormalScores.of(self.systems, self.strengths, self.covariance, freedom_of(self._fit, self.clusters))

    def ranks(self, *, level: float = 0.95, rng: Rng = 0) -> BoardRanks:
        """Which ranks, tiers and best systems do these battles leave open?

        Parameters
        ----------
        level : float
            The confidence.
        rng : int, Generator or None
            The seed of the draws of errors.

        Returns
        -------
        BoardRanks
        """
        of = f"Bradley-Terry strength in {count(self.battles, 'battle')}"
        return board_ranks(
            self.normal(), level=level, rng=rng, about=of, assumes=self._independence(), votes=self.battles
        )

    @property
    def assumes(self) -> str:
        """What the strengths and their errors take for granted: what a tie is, and what goes together."""
        return f"{_SAID[self.ties]}, {self._independence()}"

    def _independence(self) -> str:
        if self.clusters is None:
            return "battles taken as independent"
        named = zip(kinds_of(self.clusters), self._fit.each, strict=True)
        pieces = " and ".join(count(number, kind) for kind, number in named)
        return f"{pieces} taken as independent, not their battles"

    def lines(self) -> list[str]:
        """The strongest systems, how ties and clusters were treated, and the notes."""
        points = self.elo()
        shown = "; ".join(
            f"{name} {score:.0f} ± {1.96 * ELO * error:.0f}"
            for name, score, error in zip(self.systems[:6], points, self.errors, strict=False)
        )
        of = f"{count(len(self), 'system')} from {count(self.battles, 'battle')}"
        first = f"Bradley-Terry strengths of {of}, in Elo points around 1000: {shown}{'; …' if len(self) > 6 else ''}"
        second = f"maximum likelihood, {_SAID[self.ties]} ({self.tied:,}); sandwich errors, {self._independence()}"
        if self.prior:
            second += f"; prior: {self.prior:g} battles each against an average one, half won"
        if not math.isnan(self.position):
            second += f"; the first place adds {number(self.position)} (p {_p(self.position_p)})"
        return [first, second, *(["; ".join(self.notes)] if self.notes else [])]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how strengths were estimated, what a tie is, and what is independent.

        Returns
        -------
        str
            One sentence, with the strongest and the weakest system in Elo points.
        """
        points, reach = self.elo(), 1.96 * self.elo_errors()
        ends = " to ".join(f"{points[i]:.0f} ± {reach[i]:.0f} ({self.systems[i]})" for i in (0, -1))
        prior = f"; prior: {self.prior:g} battles each against an average one, half won" if self.prior else ""
        known, p = not math.isnan(self.position), _p(self.position_p)
        place = f"; the first place adds {number(self.position)} (p {p})" if known else ""
        notes = "".join(f"; {note}" for note in self.notes)
        return (
            f"Bradley-Terry strengths of {count(len(self), 'system')} from {count(self.battles, 'battle')} are, in Elo points "
            f"around 1000 with 95 % limits against the mean of all, {ends} (maximum likelihood, {_SAID[self.ties]}, "
            f"{self.tied:,} of them; sandwich errors, {self._independence()}{prior}{place}{notes}{self._after()})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per system."""
        return {
            "system": list(self.systems),
            "strength": self.strengths,
            "error": self.errors,
            "elo": self.elo(),
            "elo_error": self.elo_errors(),
            "win_rate": self.win_rates(),
            "battles": self.battles_each,
        }

    def cited(self) -> tuple[str, ...]:
        """Whose models these are."""
        two = ("cameron2011",) if len(kinds_of(self.clusters)) == 2 else ()
        return ("bradley1952", *(("davidson1970",) if self.ties == "davidson" else ()), *two)

    def plot(self) -> Any:
        """One bar per system: its Elo points and their 95 % limits, each against the mean of all."""
        from ..figures import spans

        points, width = self.elo(), 1.96 * self.elo_errors()
        title = f"Strengths of {count(len(self), 'system')} from {count(self.battles, 'battle')}"
        return spans(self.systems, points - width, points + width, points, x="Elo points", title=title)


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def bradley_terry(
    battles: Battles,
    *,
    ties: str = "davidson",
    clusters: str | Sequence[str] | None = None,
    position: bool = False,
    prior: float = 0.0,
    incomparable: str = "error",
) -> BradleyTerry:
    """How strong is each system, given who beat whom?

    P(i beats j) = 1/(1 + exp(s_j - s_i)) (bradley1952); with ties as an outcome of their own, the chances of i, j and a
    tie are as exp(d/2), exp(-d/2) and nu, d = s_i - s_j (davidson1970). Maximum likelihood; the covariance is the
    sandwich H⁻¹ (sum of g g') H⁻¹ x G/(G - 1), g the gradients of the G clusters, so that it holds where votes of one
    question or worker go together, and where ties as half make no likelihood. A system that won or lost all its battles
    has no finite strength, and groups that never met cannot be compared: both are errors that say who they are. Do not
    use it where strength has no one dimension (a beats b, b beats c, c beats a), or to compare systems that met
    different opponents on questions of different difficulty.

    Parameters
    ----------
    battles : Battles
        Who met whom, and who won.
    ties : {"davidson", "half", "drop"}
        A tie is an outcome of its own, half a win of each, or left out.
    clusters : {"question", "worker", "judge", "battle"} or two of them, optional
        What battles are independent by; by default each battle by itself. Fewer than 8 clusters are refused. Two at
        once, ("question", "worker"), let battles go together that share either: V_question + V_worker - V_both
        (cameron2011).
    position : bool
        Whether to estimate what the first place adds, with a test.
    prior : float
        So many more battles of each system against an imaginary one of average strength, half of them won. 0: none.
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
    compare_verdicts : Two judges on the same battles.

    Examples
    --------
    >>> battles = Battles(["ann", "ann", "bob", "bob"], ["bob", "bob", "ann", "ann"], ["ann", "ann", "ann", "bob"])
    >>> strong = bradley_terry(battles)
    >>> strong.systems, round(strong.win_probability("ann", "bob"), 6)
    (('ann', 'bob'), 0.75)
    """
    found = fit(battles, ties=ties, clusters=clusters, position=position, prior=prior, alone=incomparable)
    used, model, kinds = found.battles, found.model, kinds_of(clusters)
    m = model.systems
    order = np.argsort(-found.strengths, kind="stable")
    covariance = found.covariance[np.ix_(order, order)]
    each = tally(used.first, m) + tally(used.second, m)
    gamma = gamma_error = gamma_p = math.nan
    if position:
        gamma, gamma_error = float(found.theta[m]), float(np.sqrt(found.covariance[m, m]))
        gamma_p = _wald(gamma, gamma_error, freedom_of(found, clusters))
    tie_rate = math.nan
    if model.davidson:
        nu = math.exp(found.theta[-1])
        tie_rate = nu / (2 + nu)
    notes = found.notes
    if clusters is None:
        notes += _could_be_clusters(used)
    elif found.clusters < FEW_CLUSTERS:
        notes += (
            f"with {_rarer(clusters, found)} errors are somewhat too small: 95 % limits by Student's t, which ranks "
            f"have, held in about {HELD * 100:.0f} % of simulations with clusters of uneven size; ± 1.96 errors in as few "
            "as 88 %",
        )
    return BradleyTerry(
        systems=tuple(used.systems[i] for i in order),
        strengths=found.strengths[order],
        errors=np.sqrt(np.diagonal(covariance)),
        covariance=covariance,
        battles=len(used),
        battles_each=each[order],
        ties=ties,
        tied=battles.outcomes[2],
        tie_rate=tie_rate,
        position=gamma,
        position_error=gamma_error,
        position_p=gamma_p,
        prior=float(prior),
        clusters=kinds if len(kinds) > 1 else kinds[0] if kinds else None,
        independent=found.clusters,
        log_likelihood=found.log_likelihood,
        notes=notes,
        _fit=found,
    )


def _could_be_clusters(battles: Battles) -> tuple[str, ...]:
    """A note where battles share questions or workers, enough of them, and were taken as independent all the same."""
    found = {by: own for by in ("question", "worker") if (own := getattr(battles, GROUPS[by])) is not None}
    sizes = {by: len(np.unique(own.codes)) for by, own in found.items()}
    told = [count(size, by) for by, size in sizes.items() if FEWEST_CLUSTERS <= size < len(battles)]
    return (f"battles of one of the {' or '.join(told)} may go together: they could be clusters",) if told else ()


def _rarer(clusters: Any, found: Fit) -> str:
    """How many clusters of the rarer kind there are, in words."""
    return min((number, count(number, kind)) for kind, number in zip(kinds_of(clusters), found.each, strict=True))[1]


def _wald(value: float, error: float, freedom: float) -> float:
    from scipy.special import ndtr, stdtr

    if not error > 0:
        return math.nan
    z = abs(value) / error
    return float(2 * (ndtr(-z) if math.isinf(freedom) else stdtr(freedom, -z)))
