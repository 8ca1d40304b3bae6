"""`Correlation`, the result of one coefficient of one pair of rankings, and how it is computed from aligned
rankings."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .. import kernels, pairs, papers
from ..arrays import Floats, sums_by, tally
from ..errors import Advice, CallError, TiesError, Undefined
from ..pairs import Explained
from ..ranking import Aligned, Top
from ..reference.counting import Terms
from ..reference.rankings import midranks
from ..results import count, number
from ..ties import EXACT, Tolerance, tolerances
from .close_scores import CloseScores, close_scores
from .coefficient import Coefficient
from .walk import Walk


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
    >>> print(found)
    tau_a = 0.3333   3 items, 1 of 3 pairs discordant
    radja2018 eq. 2.3, 6.1; tied pairs: 0 in estimate, 0 in truth
    """

    coefficient: Coefficient
    value: float
    undefined_because: str | None
    n: int
    tied_within: tuple[Tolerance, Tolerance] = (EXACT, EXACT)
    directions: tuple[float, float] | None = None
    names: tuple[str, str] = ("estimate", "truth")
    _data: Aligned = field(default=None, repr=False)  # type: ignore[assignment]

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
        """Pairs whose order hangs on rounding, and the way out; None where there are none."""
        return close_scores(self.coefficient, (self._data.first, self._data.second), self.tied_within, self.names)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is odd about the scores: an order that hangs on rounding."""
        return (*super().cautions, *([self.close.in_python()] if self.close else []))

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
        """Items left out because only one ranking has them (`one_sided="drop"`)."""
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
        for block in pairs.pair_blocks([t for t in self._terms() if t.walk == wanted], y):
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

    def profile(self, ranking: str | None = None) -> Floats:
        """How much is lost at each rank, from the head of the walked ranking to its tail?

        Parameters
        ----------
        ranking : str, optional
            As for `walk()`.

        Returns
        -------
        array of float
            Losses, which add up to 1 - value (of a coefficient that walks both rankings: over both walks).
        """
        return self.walk(ranking).loss

    def methods_sentence(self) -> str:
        """How does a paper say it? Which coefficient, over what, with which ties, from which paper.

        Returns
        -------
        str
            One sentence, with the value and the reference.
        """
        c, (first, second) = self.coefficient, self.names
        against = (
            f"of the {first} against the {second}" if second == "truth" else f"between the {first} and the {second}"
        )
        notes = [f"{count(self.ties.estimate, 'tied pair')} in the {first} and {self.ties.truth:,} in the {second}"]
        if self.tied_within != (EXACT, EXACT):
            notes[0] += f" (tied within {_within_text(self)})"
        notes += [f"{sum(self._data.snapped):,} of them by rounding of means"] if any(self._data.snapped) else []
        notes += [c.tie_sentence] if c.tie_sentence else []
        notes += c.choices
        walked = {"estimate": f"walking the {first}", "truth": f"walking the {second}", "both": "mean of both walks"}
        notes += [walked[c.walks]] if c.walks else []
        notes += [top_text(self.top, self.names)] if self.top else []
        low = [name for name, lower in zip(self.names, self._data.lower_is_better, strict=True) if lower]
        notes += [f"a lower score is better in the {' and the '.join(low)}"] if low else []
        drop = sum(map(len, self.dropped))
        notes += [f"{count(drop, 'system')} on one side only left out"] if drop else []
        value = number(self.value) if self.undefined_because is None else f"undefined ({self.undefined_because})"
        paper = papers.short(c.paper, brackets=False)
        return (
            f"{c.called or c.title} {against} over {count(self.n, 'system')} ({'; '.join(notes)}): {value} [{paper}]."
        )

    def lines(self) -> list[str]:
        c = self.coefficient
        value = number(self.value, 4) if self.undefined_because is None else "undefined"
        every = self.n * (self.n - 1) // 2
        first = f"{c.name} = {value}   {count(self.n, 'item')}, {self.discordant:,} of {every:,} pairs discordant"
        tied = (f"{pairs:,} in {name}" for pairs, name in zip(self.ties, self.names, strict=True))
        ties = f"{c.equation}; tied pairs: {', '.join(tied)}"
        if self.tied_within != (EXACT, EXACT):
            ties += f"; tied within {_within_text(self)}"
        if any(self._data.snapped):
            ties += f"; {sum(self._data.snapped):,} of them by snapping means"
        if any(self.dropped):
            ties += f"; dropped {len(self.dropped[0]):,} + {len(self.dropped[1]):,} items on one side only"
        if self.top:
            ties += f"; {top_text(self.top, self.names)}"
        if self.undefined_because is not None:
            return [first, f"undefined: {self.undefined_because}", ties]
        if self.directions:
            walks = (f"walking {name} {number(way, 4)}" for name, way in zip(self.names, self.directions, strict=True))
            return [first, ties, f"{', '.join(walks)}; ties in the other count as {self.other_ties}"]
        return [first, ties]

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
        return (self.coefficient.paper, *more)

    def plot(self) -> Any:
        """Ranks in the one against ranks in the other, items named on hover."""
        return self._drawn_ranks(self.names)


def top_text(top: Top, names: tuple[str, str]) -> str:
    """What was compared, in words."""
    tied = [f"{inside:,} in the {name}" for inside, name in zip(top.inside, names, strict=True) if inside > top.k]
    more = f" (with ties at its end {' and '.join(tied)})" if tied else ""
    if not any(top.outside):
        return f"both top {top.k}{more} hold the same items"
    first, second = (f"{n:,} outside that of the {name}" for n, name in zip(top.outside, names, strict=True))
    unranked = f", {sum(top.unranked):,} of them not ranked there at all" if any(top.unranked) else ""
    return f"the union of both top {top.k}{more}, {first} and {second}{unranked}, put below it"


def _within_text(result: Correlation) -> str:
    first, second = result.tied_within
    return str(first) if first == second else f"{first} in {result.names[0]}, {second} in {result.names[1]}"


def check_tolerance(c: Coefficient, within: tuple[Tolerance, Tolerance], *, own: bool = False) -> None:
    """An error where the coefficient has no place for a tolerance (`own`: the rankings brought it)."""
    if not c.takes_tolerance and (within[0].width or within[1].width):
        brought = ", and these rankings have one of their own" if own else ""
        raise CallError(f"{c} takes no tied_within{brought}.", _advice(c.instead, "for ties within a tolerance"))


def _advice(names: tuple[str, ...], purpose: str) -> Advice:
    return Advice(f"Use {', '.join(names[:-1])} or {names[-1]} {purpose}.")


def evaluate(
    c: Coefficient,
    data: Aligned,
    *,
    tied_within: Any = None,
    lower_is_better: bool = False,
    names: tuple[str, str] = ("estimate", "truth"),
    raise_on_ties: bool = False,
) -> Correlation:
    """One coefficient of aligned rankings. Undefined is NaN with a reason; `raise_on_ties` makes ties an error."""
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
