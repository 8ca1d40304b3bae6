"""One coefficient of two rankings: the value, its pairs of losses, and pairs whose order depends on rounding."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..core import kernels
from ..core.arrays import EXACT, SNAP, Floats, Tolerance, snap, sums_by, tally, tolerances
from ..core.checking import Rng
from ..core.formulas import Terms, midranks
from ..data.ranking import Aligned, Top
from ..errors import Advice, CallError, Option, TiesError, Undefined
from ..results import Note, count
from .coefficient import Coefficient, check_tolerance
from .pairs import Explained, Walk, pair_blocks

if TYPE_CHECKING:
    from .correlation_views import SystemProfile, ThresholdCurve, TieCalibration, TopicCorrelations


class TiedPairs(NamedTuple):
    """Tied pairs in each ranking, in the order of the call."""

    estimate: int
    truth: int

    @property
    def first(self) -> int:
        """Tied pairs in the first ranking."""
        return self.estimate

    @property
    def second(self) -> int:
        """Tied pairs in the second ranking."""
        return self.truth


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Correlation(Explained):
    """How far do two rankings agree, by one coefficient? `float()` gives the value.

    What explains it, pairs, walks and counts of pairs, is computed when it is asked for.

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    value : float
        The value, NaN where it is undefined.
    undefined_because : str or None
        Why there is no value; None where there is one.
    n : int
        How many items are compared.
    tied_within : pair of Tolerance
        The tolerances of both rankings.
    directions : pair of float, or None
        Of a mean of two walks: the walk through the estimate (first), and that through the truth (second).
    names : pair of str
        What the two rankings are called: estimate and truth, or first and second.

    Examples
    --------
    >>> from tauscope import tau_a
    >>> found = tau_a({"A": 3, "B": 2, "C": 1}, truth={"A": 3, "B": 1, "C": 2})
    >>> round(found.value, 4), found.discordant
    (0.3333, 1)
    >>> found.heaviest(1)[0].first
    'B'
    """

    QUESTION: ClassVar[str] = "correlation"

    coefficient: Coefficient
    value: float
    undefined_because: str | None
    n: int
    tied_within: tuple[Tolerance, Tolerance] = (EXACT, EXACT)
    directions: tuple[float, float] | None = None
    names: tuple[str, str] = ("estimate", "truth")
    _data: Aligned = field(default=None, repr=False)  # type: ignore[assignment]
    _sides: tuple[Any, Any] | None = field(default=None, repr=False)
    #: What views do with items that only one side has.
    _unmatched: str = field(default="error", repr=False)

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def __round__(self, digits: int | None = None) -> float:
        return round(self.value, digits)

    def __lt__(self, other: Any) -> bool:
        return self.value < float(other)

    def __le__(self, other: Any) -> bool:
        return self.value <= float(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > float(other)

    def __ge__(self, other: Any) -> bool:
        return self.value >= float(other)

    @cached_property
    def _counts(self) -> tuple[int, int, int, int]:
        return kernels.pair_counts(self._data.first, self._data.second, *self.tied_within) if self.n else (0, 0, 0, 0)

    @cached_property
    def close(self) -> CloseScores | None:
        """Pairs whose order depends on rounding, and how to fix it; None where there are none."""
        return close_scores(self.coefficient, (self._data.first, self._data.second), self.tied_within, self.names)

    @property
    def cautions(self) -> tuple[str, ...]:
        """The problem with the scores: an order that depends on rounding."""
        return (*super().cautions, *([self.close.in_python()] if self.close else []))

    def thresholds(self, thresholds: Iterable[float] | None = None, both: bool = True) -> ThresholdCurve:
        """How does the value move as more and more pairs count as tied?

        tau_a goes to 0 as the tolerance grows. tau_e first falls, while the ties of the two rankings miss each other,
        and then rises to 1 (radja2018, section 7.1.2). Do not choose the tolerance with the highest value.

        Parameters
        ----------
        thresholds : list of float, optional
            Tolerances to try; by default 51 from 0 to half the range of the truth.
        both : bool, default True
            Whether the tolerance applies to both rankings, or to the first only.

        Returns
        -------
        ThresholdCurve
        """
        from .correlation_views import threshold_curve

        return threshold_curve(self, thresholds, both)

    def by_topic(self, level: float = 0.95) -> TopicCorrelations:
        """On which topics do the two sides agree? Both must be `Scores`.

        Parameters
        ----------
        level : float, default 0.95
            The level of the interval of the mean over topics.

        Returns
        -------
        TopicCorrelations
        """
        from .correlation_views import correlate_topics

        one, two = self._scores("by_topic")
        known: dict[str, Any] = {"unmatched": self._unmatched, "level": level}
        return correlate_topics(one, truth=two, coefficient=self.coefficient, tied_within=self.tied_within, **known)

    def profile(self, system: str) -> SystemProfile:
        """On which topics is one system overrated or underrated by the estimate? Both sides must be `Scores`.

        Parameters
        ----------
        system : str
            The name of the system.

        Returns
        -------
        SystemProfile
        """
        from .correlation_views import system_profile

        one, two = self._scores("profile")
        return system_profile(one, system, truth=two, unmatched=self._unmatched)

    def calibrate_ties(
        self, truth_tied_within: float = 0.0, thresholds: Iterable[float] | None = None, draws: int = 100, rng: Rng = 0
    ) -> TieCalibration:
        """Within which distance should two scores of the estimate count as tied? Both sides must be `Scores`.

        On random halves of the topics, the tolerance that maximises tau_e is chosen, and tau_e with it is reported on
        the other half.

        Parameters
        ----------
        truth_tied_within : float, default 0.0
            Means of the truth this close are tied.
        thresholds : iterable of float, optional
            Tolerances to try; by default 51 from 0 to a quarter of the range of the estimate's means.
        draws : int, default 100
            The number of random splits of the topics.
        rng : int, Generator or None, default 0
            The seed of the splits.

        Returns
        -------
        TieCalibration
        """
        from .correlation_views import calibrate_ties

        # The halves of topics must not depend on the order of rows and columns.
        one, two = (side.in_order("topics", "systems") for side in self._scores("calibrate_ties"))
        known: dict[str, Any] = {"thresholds": thresholds, "draws": draws, "rng": rng, "unmatched": self._unmatched}
        return calibrate_ties(
            one, truth=two, coefficient=self.coefficient, truth_tied_within=truth_tied_within, **known
        )

    def _scores(self, what: str) -> tuple[Any, Any]:
        if self._sides is None:
            advice = Advice("Call correlate(scores, truth=scores) with Scores on both sides.")
            raise CallError(f"{what}() needs scores on topics on both sides.", advice)
        return self._sides

    @property
    def snapped(self) -> int:
        """Pairs of both rankings that are tied only because means are equal up to rounding."""
        return sum(self._data.snapped)

    @property
    def within_text(self) -> str:
        """The tolerances as they are written; empty where there are none."""
        if self.tied_within == (EXACT, EXACT):
            return ""
        return str(Note("tied_within", tolerances=dict(zip(self.names, self.tied_within, strict=True))))

    @property
    def lower(self) -> bool:
        """Whether a lower score is better in one of the rankings."""
        return any(self._data.lower_is_better)

    @property
    def ties(self) -> TiedPairs:
        """Tied pairs in each ranking."""
        return TiedPairs(*self._counts[2:])

    @property
    def concordant(self) -> int:
        """Pairs that both rankings put in the same order."""
        return self._counts[0]

    @property
    def discordant(self) -> int:
        """Pairs that the rankings put in opposite orders: Kendall's distance."""
        return self._counts[1]

    @property
    def dropped(self) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
        """Items left out because only one ranking has them (`unmatched="drop"`)."""
        return self._data.dropped

    @property
    def top(self) -> Top | None:
        """What `top_k` compared, where it was given."""
        return self._data.top

    @property
    def other_ties(self) -> str | None:
        """How ties of the ranking that is not walked count; None of a coefficient without such a rule."""
        return self.coefficient.option("other_ties")

    def _terms(self) -> list[Terms]:
        if math.isnan(self.value):
            raise TiesError(f"{self.coefficient} is undefined here, so it has no losses: {self.undefined_because}.")
        return self.coefficient.terms(self._data.first, self._data.second, *self.tied_within)

    def walk(self, ranking: str | None = None) -> Walk:
        """Where, from the head of the ranking to its tail, does the coefficient lose?

        Parameters
        ----------
        ranking : str, optional
            Of a coefficient that walks both rankings: "estimate" (the default) or "truth", or what they are called.

        Returns
        -------
        Walk
            Pivot by pivot: items above, how many rightly, contribution and loss.

        Raises
        ------
        CallError
            Where the coefficient does not walk this ranking, or none at all.
        """
        wanted = self._walked(ranking)
        y = self._data.first
        above, right, contribution, loss = np.zeros((4, self.n))
        for block in pair_blocks([t for t in self._terms() if t.walk == wanted], y):
            above += tally(block.second, self.n)
            right += sums_by(block.second, block.agreement > 0, self.n)
            contribution += sums_by(block.second, block.weight * block.agreement, self.n)
            loss += sums_by(block.second, block.loss, self.n)
        scores = self._data.second if wanted else y
        order = np.argsort(-scores, kind="stable")
        return Walk(
            coefficient=self.coefficient.name,
            walks="truth" if wanted else "estimate",
            rank=(midranks(-scores) + 1)[order],
            item=tuple(self.items[i] for i in order),
            above=above[order],
            right=right[order],
            contribution=contribution[order],
            loss=loss[order],
        )

    def _walked(self, ranking: str | None) -> int:
        """Which ranking to walk: 0 for the estimate, 1 for the truth."""
        walks = self.coefficient.walks
        if walks is None:
            raise CallError(
                f"{self.coefficient} walks no ranking; its losses belong to pairs.",
                Advice("Use .heaviest(k) or .pairs."),
            )
        if ranking is None:
            ranking = "estimate" if walks == "both" else walks
        ranking = {self.names[0]: "estimate", self.names[1]: "truth"}.get(ranking, ranking)
        if ranking not in ("estimate", "truth") or (walks != "both" and ranking != walks):
            walked = " or ".join(self.names) if walks == "both" else f"the {walks}"
            raise CallError(f"{self.coefficient} walks {walked}; walk({ranking!r}) is not there.")
        return int(ranking == "truth")

    def columns(self) -> dict[str, Any]:
        return {key: [value] for key, value in self.row().items()}

    def row(self) -> dict[str, Any]:
        """The result as one row of a table.

        Returns
        -------
        dict
            Column -> value.
        """
        return {
            "coefficient": self.coefficient.name,
            "value": self.value,
            "n": self.n,
            "concordant": self.concordant,
            "discordant": self.discordant,
            f"ties_{self.names[0]}": self.ties.estimate,
            f"ties_{self.names[1]}": self.ties.truth,
            "undefined_because": self.undefined_because or "",
        }

    def to_dict(self) -> dict[str, Any]:
        flat = self.row() | {
            "value": None if math.isnan(self.value) else self.value,
            "undefined_because": self.undefined_because,
            "tied_within": [str(w) if w.relative else w.width for w in self.tied_within],
            "dropped": [[str(item) for item in side] for side in self.dropped],
            "snapped": list(self._data.snapped),
            "methods_sentence": self.methods_sentence(),
        }
        if self.top:
            flat["top"] = self.top._asdict()
        if self.directions:
            flat |= {
                "directions": [None if math.isnan(d) else d for d in self.directions],
                "other_ties": self.other_ties,
            }
        return flat

    def cited(self) -> tuple[str, ...]:
        more = (*(("radja2018",) if self.coefficient.takes_tolerance else ()), *(("fagin2003",) if self.top else ()))
        return tuple(dict.fromkeys((self.coefficient.paper, *more)))


def evaluate(
    c: Coefficient,
    data: Aligned,
    *,
    tied_within: Any = None,
    lower_is_better: bool = False,
    names: tuple[str, str] = ("estimate", "truth"),
    raise_on_ties: bool = False,
) -> Correlation:
    """Compute one coefficient of aligned rankings.

    Parameters
    ----------
    c : Coefficient
        The record of the coefficient.
    data : Aligned
        Two rankings of the same items.
    tied_within : float, str, pair or None, default None
        Tolerances; None for the rankings' own.
    lower_is_better : bool, default False
        Whether the best item of both has the lowest score.
    names : (str, str), default ("estimate", "truth")
        What the rankings are called.
    raise_on_ties : bool, default False
        Whether ties are an error where the coefficient is not defined with them; otherwise the value is NaN with a
        reason.

    Returns
    -------
    Correlation

    Raises
    ------
    CallError
        If the coefficient takes no tolerance.
    TiesError
        If there are ties, and `raise_on_ties` is true.
    """
    within = data.within if tied_within is None else tolerances(tied_within)
    check_tolerance(c, within, own=tied_within is None)
    if lower_is_better and data.lower_is_better != (True, True):
        # Rankings that are lower-is-better by themselves are turned round already.
        turned = zip((data.first, data.second), data.lower_is_better, strict=True)
        first, second = (scores if low else -scores for scores, low in turned)
        data = replace(data, first=first, second=second, lower_is_better=(True, True))
    if c.weights_are_scores and data.lower_is_better[1]:
        out = kernels.One(math.nan, Undefined.LOWER_IS_BETTER, math.nan, math.nan)
    else:
        out = kernels.one(c, data.first, data.second, *within)
    n = len(data.first)
    reason = None
    if out.reason:
        reason = c.why_undefined(out.reason, estimate=f"`{names[0]}`", truth=f"`{names[1]}`", n=n)
        if raise_on_ties and out.reason in (Undefined.TIED_ESTIMATE, Undefined.TIED_TRUTH, Undefined.TIED_BOTH):
            raise _ties_error(c, data, within, names)
    return Correlation(
        coefficient=c,
        value=out.value,
        undefined_because=reason,
        n=n,
        tied_within=within,
        directions=(out.walking_estimate, out.walking_truth) if c.one_way is not None else None,
        names=names,
        _data=data,
    )


def _ties_error(
    c: Coefficient, data: Aligned, within: tuple[Tolerance, Tolerance], names: tuple[str, str]
) -> TiesError:
    tied = kernels.pair_counts(data.first, data.second, *within)[2:]
    where = " and ".join(f"{count(t, 'tied pair')} in `{name}`" for t, name in zip(tied, names, strict=True) if t)
    purposes = "ties against a truth", "ties between observers", "ties mean equal"
    *most, last = (f"{name} ({purpose})" for name, purpose in zip(c.instead, purposes, strict=True))
    return TiesError(f"{c} is not defined with ties: {where}.", Advice(f"Use {', '.join(most)} or {last}."))


class CloseScores(NamedTuple):
    """Say which pairs have an order that depends on the last digits, and how to fix it."""

    problem: str
    way_out: Option | Advice

    def in_python(self) -> str:
        """For callers in Python."""
        return f"{self.problem} {self.way_out.in_python()}"

    def in_shell(self) -> str:
        """For users of the shell."""
        if isinstance(self.way_out, Advice):
            return f"{self.problem} {self.way_out.in_shell()}".rstrip()
        pair = self.way_out.values[0]
        value = ",".join(map(str, pair)) if isinstance(pair, tuple) else pair
        return f"{self.problem} {Option('tied_within', value, effect=self.way_out.effect).in_shell('--tied-within')}"


def close_scores(
    c: Coefficient,
    scores: tuple[Floats, Floats],
    within: tuple[Tolerance, Tolerance],
    names: tuple[str, str],
) -> CloseScores | None:
    """Find pairs whose order depends on rounding: scores that differ in their last digits only.

    Parameters
    ----------
    c : Coefficient
        The coefficient.
    scores : pair of array
        Scores of both rankings.
    within : pair of Tolerance
        Their tolerances.
    names : pair of str
        What they are called.

    Returns
    -------
    CloseScores or None
        What to say and how to fix it; None where there are none.
    """
    if not c.ordinal or not len(scores[0]):
        return None
    with np.errstate(over="ignore"):
        made = [0 if wide.width else snap(own)[1] for own, wide in zip(scores, within, strict=True)]
    if not any(made):
        return None
    close = [(pairs, name) for pairs, name in zip(made, names, strict=True) if pairs]
    problem = str(Note("close_scores", close=close, pairs=sum(made), snap=SNAP))
    if not c.takes_tolerance:
        return CloseScores(problem, Advice("Ranking.from_means() makes ties of them.", ""))
    pair = tuple(
        _width(own) if pairs else _written(wide) for own, pairs, wide in zip(scores, made, within, strict=True)
    )
    widest = max(_width(own) for own, pairs in zip(scores, made, strict=True) if pairs)
    # One tolerance for both, unless one of them has its own, or it would be wide for the other.
    alike = widest < 1e-6 * min(float(np.abs(own).max()) for own in scores)
    one = alike and not any(wide.width for wide in within)
    return CloseScores(problem, Option("tied_within", widest if one else pair, effect="to tie them"))


def _written(within: Tolerance) -> float | str:
    """A tolerance as users write it."""
    return str(within) if within.relative else within.width


def _width(scores: Floats) -> float:
    """A power of ten that is not below what rounding does."""
    return float(f"{10.0 ** math.ceil(math.log10(SNAP * float(np.abs(scores).max()))):.0e}")
