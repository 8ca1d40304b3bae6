"""`Correlation`, the result of one coefficient of one pair of rankings, and how every coefficient is called."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .. import kernels, pairs, papers
from ..arrays import Floats
from ..errors import CallError, TiesError, Undefined
from ..pairs import Pair, PairTable
from ..ranking import Aligned, Top, align
from ..results import Result, count, number
from ..ties import EXACT, Tolerance, tolerances
from .records import Coefficient, Ties
from .top_k import align_top, check_top_k


class TiedPairs(NamedTuple):
    """Tied pairs in each ranking, in the order of the call."""

    estimate: int
    truth: int

    @property
    def first(self) -> int:
        return self.estimate

    @property
    def second(self) -> int:
        return self.truth


@dataclass(frozen=True, eq=False, repr=False)
class Walk(Result):
    """A coefficient, pivot by pivot, from the head of the walked ranking to its tail.

    `above`: items above the pivot that count, where ties are averaged over orders those of its own tie group too; `right`:
    how many of them are rightly there. `contribution`s add up to the value and `loss`es to 1 - value; each of tau_ap_b's two
    walks to half of that of its direction.
    """

    coefficient: str
    walks: str
    rank: Floats
    item: tuple[Hashable, ...]
    above: Floats
    right: Floats
    contribution: Floats
    loss: Floats

    def columns(self) -> dict[str, Any]:
        return {"rank": self.rank, "item": [str(item) for item in self.item], "above": self.above, "right": self.right,
                "contribution": self.contribution, "loss": self.loss}  # fmt: skip

    def lines(self) -> list[str]:
        half = np.cumsum(self.loss) >= self.loss.sum() / 2
        head = f", half of it by rank {self.rank[int(np.argmax(half))]:g}" if self.loss.sum() > 0 else ""
        return [
            f"{self.coefficient} walking the {self.walks}: {count(len(self.rank), 'pivot')}, loss {number(float(self.loss.sum()), 4)}{head}"
        ]

    def plot(self) -> Any:
        """Loss by rank of the pivot, head to tail."""
        from ..figures import bars

        return bars(self.rank, self.loss, [str(i) for i in self.item], x=f"rank in the {self.walks}", y="loss",
                    title=f"Where {self.coefficient} loses")  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Result):
    """One coefficient of two rankings; `float()` gives the value.

    `undefined_because` is None where the value is a number. `directions` are tau_ap_b's two walks, through the estimate
    (first) and through the truth (second).
    """

    coefficient: Coefficient
    value: float
    undefined_because: str | None
    n: int
    tied_within: tuple[Tolerance, Tolerance] = (EXACT, EXACT)
    directions: tuple[float, float] | None = None
    other_ties: str | None = None
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
    def items(self) -> tuple[Hashable, ...]:
        """The items compared, in the order of the estimate's input."""
        return self._data.labels

    @property
    def dropped(self) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
        """Items left out because only one ranking has them (`one_sided="drop"`)."""
        return self._data.dropped

    @property
    def top(self) -> Top | None:
        """What `top_k` compared, where it was given."""
        return self._data.top

    def _terms(self) -> list[pairs.Terms]:
        if math.isnan(self.value):
            raise TiesError(f"{self.coefficient} is undefined here, so it has no losses: {self.undefined_because}.")
        zero = self.other_ties == "zero"
        return pairs.pair_terms(
            self.coefficient.name, self._data.first, self._data.second, *self.tied_within, ties_are_zero=zero
        )

    @cached_property
    def pairs(self) -> PairTable:
        """Every pair with its weight, agreement and loss; losses add up to 1 - value."""
        return pairs.pair_table(self._terms(), self._data.first, self.items)

    def heaviest(self, k: int = 10) -> list[Pair]:
        """The k pairs that cost most; the table of all pairs is not kept."""
        return pairs.heaviest(self._terms(), self._data.first, self.items, k)

    def walk(self, ranking: str | None = None) -> Walk:
        """Pivot by pivot: items above, how many rightly, contribution and loss. tau_ap_b walks both rankings:
        `ranking` is "estimate" (the default) or "truth"."""
        walks = self.coefficient.walks
        if walks is None:
            raise CallError(
                f"{self.coefficient} walks no ranking; its losses belong to pairs. Use .heaviest(k) or .pairs."
            )
        if ranking is None:
            ranking = "estimate" if walks == "both" else walks
        ranking = {self.names[0]: "estimate", self.names[1]: "truth"}.get(ranking, ranking)
        if ranking not in ("estimate", "truth") or (walks != "both" and ranking != walks):
            walked = " or ".join(self.names) if walks == "both" else f"the {walks}"
            raise CallError(f"{self.coefficient} walks {walked}; walk({ranking!r}) is not there.")
        wanted = 1 if ranking == "truth" else 0
        y = self._data.first
        above, right, contribution, loss = np.zeros((4, self.n))
        for block in pairs.pair_blocks([t for t in self._terms() if t.walk == wanted], y):
            above += np.bincount(block.second, minlength=self.n)
            right += np.bincount(block.second, block.agreement > 0, minlength=self.n)
            contribution += np.bincount(block.second, block.weight * block.agreement, minlength=self.n)
            loss += np.bincount(block.second, block.loss, minlength=self.n)
        scores = self._data.second if wanted else y
        order = np.argsort(-scores, kind="stable")
        from ..reference.rankings import midranks

        rank = midranks(-scores) + 1
        return Walk(self.coefficient.name, ranking, rank[order], tuple(self.items[i] for i in order), above[order],
                    right[order], contribution[order], loss[order])  # fmt: skip

    def profile(self, ranking: str | None = None) -> Floats:
        """Loss by pivot, from the head of the walked ranking to its tail; adds up to 1 - value (tau_ap_b: both walks)."""
        return self.walk(ranking).loss

    def methods_sentence(self) -> str:
        """The sentence a paper needs: which coefficient, over what, with which ties, from which paper."""
        c, (first, second) = self.coefficient, self.names
        what = f"AP correlation {c.name}" if c.name.startswith("tau_ap") else c.title
        against = (
            f"of the {first} against the {second}" if second == "truth" else f"between the {first} and the {second}"
        )
        notes = [f"{count(self.ties.estimate, 'tied pair')} in the {first} and {self.ties.truth:,} in the {second}"]
        if self.tied_within != (EXACT, EXACT):
            notes[0] += f" (tied within {_within_text(self)})"
        notes += [f"{sum(self._data.snapped):,} of them by rounding of means"] if any(self._data.snapped) else []
        notes += [rule] if (rule := _TIE_RULES[c.ties]) else []
        if self.other_ties == "zero":
            notes.append("ties of the ranking that is not walked count 0")
        walked = {"estimate": f"walking the {first}", "truth": f"walking the {second}", "both": "mean of both walks"}
        notes += [walked[c.walks]] if c.walks else []
        notes += [top_text(self.top, self.names)] if self.top else []
        low = [name for name, lower in zip(self.names, self._data.lower_is_better, strict=True) if lower]
        notes += [f"a lower score is better in the {' and the '.join(low)}"] if low else []
        drop = sum(map(len, self.dropped))
        notes += [f"{count(drop, 'system')} on one side only left out"] if drop else []
        value = number(self.value) if self.undefined_because is None else f"undefined ({self.undefined_because})"
        return f"{what} {against} over {count(self.n, 'system')} ({'; '.join(notes)}): {value} [{papers.short(c.paper, brackets=False)}]."

    def lines(self) -> list[str]:
        c = self.coefficient
        value = number(self.value, 4) if self.undefined_because is None else "undefined"
        first = f"{c.name} = {value}   {count(self.n, 'item')}, {self.discordant:,} of {self.n * (self.n - 1) // 2:,} pairs discordant"
        ties = f"{c.equation}; tied pairs: {self.ties.estimate:,} in {self.names[0]}, {self.ties.truth:,} in {self.names[1]}"
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
            return [first, ties, f"walking {self.names[0]} {number(self.directions[0], 4)}, walking {self.names[1]} "
                                 f"{number(self.directions[1], 4)}; ties in the other count as {self.other_ties}"]  # fmt: skip
        return [first, ties]

    def columns(self) -> dict[str, Any]:
        return {key: [value] for key, value in self._flat().items()}

    def _flat(self) -> dict[str, Any]:
        return {"coefficient": self.coefficient.name, "value": self.value, "n": self.n, "concordant": self.concordant,
                "discordant": self.discordant, f"ties_{self.names[0]}": self.ties.estimate,
                f"ties_{self.names[1]}": self.ties.truth, "undefined_because": self.undefined_because or ""}  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        flat = self._flat() | {
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
        from ..figures import ranks
        from ..reference.rankings import midranks

        return ranks(midranks(-self._data.first) + 1, midranks(-self._data.second) + 1, [str(i) for i in self.items],
                     names=self.names, title=self.lines()[0])  # fmt: skip


_TIE_RULES = {Ties.FORBIDDEN: "", Ties.INDISCERNIBLE: "ties mean too close to call", Ties.EQUAL: "ties mean equal",
              Ties.SKIPPED: "pairs tied in the estimate do not count", Ties.SCORES: ""}  # fmt: skip


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
        raise CallError(f"{c} takes no tied_within{brought}. Use {_list(c.instead)} for ties within a tolerance.")


def check_other_ties(other_ties: str) -> None:
    """An error for a rule that is not there."""
    if other_ties not in ("discordant", "zero"):
        raise CallError(f"other_ties={other_ties!r} is unknown; use 'discordant' or 'zero'.")


def _list(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def evaluate(
    c: Coefficient,
    data: Aligned,
    *,
    tied_within: Any = None,
    lower_is_better: bool = False,
    other_ties: str = "discordant",
    names: tuple[str, str] = ("estimate", "truth"),
    raise_on_ties: bool = False,
) -> Correlation:
    """One coefficient of aligned rankings. Undefined is NaN with a reason; `raise_on_ties` makes ties an error."""
    within = data.within if tied_within is None else tolerances(tied_within)
    if within is not _EXACT_PAIR:
        check_tolerance(c, within, own=tied_within is None)
    check_other_ties(other_ties)
    if lower_is_better and data.lower_is_better != (True, True):
        # Rankings that are lower-is-better by themselves are turned round already.
        first, second = (
            s if low else -s for s, low in zip((data.first, data.second), data.lower_is_better, strict=True)
        )
        data = Aligned(data.items, first, second, data.within, data.dropped, data.snapped, (True, True), data.top)
    if c.name == "pearson_rank" and data.lower_is_better[1]:
        out = kernels.One(math.nan, Undefined.LOWER_IS_BETTER, math.nan, math.nan)
    else:
        out = kernels.one(c.name, data.first, data.second, *within, ties_are_zero=other_ties == "zero")
    n = len(data.first)
    reason = None
    if out.reason:
        shown = f"`{names[0]}`", f"`{names[1]}`"
        reason = Undefined(out.reason).text(estimate=shown[0], truth=shown[1], n=n)
        if raise_on_ties and out.reason in (Undefined.TIED_ESTIMATE, Undefined.TIED_TRUTH, Undefined.TIED_BOTH):
            raise _ties_error(c, data, within, names)
    both = c.name == "tau_ap_b"
    return Correlation(
        c, out.value, reason, n, within, (out.walking_estimate, out.walking_truth) if both else None,
        other_ties if both else None, names, data,
    )  # fmt: skip


_EXACT_PAIR = (EXACT, EXACT)


def _ties_error(
    c: Coefficient, data: Aligned, within: tuple[Tolerance, Tolerance], names: tuple[str, str]
) -> TiesError:
    tied = kernels.pair_counts(data.first, data.second, *within)[2:]
    where = " and ".join(f"{count(t, 'tied pair')} in `{name}`" for t, name in zip(tied, names, strict=True) if t)
    a, b, e = c.instead
    return TiesError(
        f"{c} is not defined with ties: {where}. Use {a} (ties against a truth), {b} (ties between observers) or "
        f"{e} (ties mean equal)."
    )


def call(
    c: Coefficient,
    first: Any,
    unnamed: tuple[Any, ...],
    truth: Any,
    *,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    other_ties: str = "discordant",
    top_k: int | None = None,
) -> Correlation:
    """What every coefficient function does: find out who is the truth, align, evaluate."""
    if truth is None:
        if not c.symmetric:
            raise CallError(
                f"{c} is not symmetric: it measures an estimate against a truth, and public implementations disagree on their "
                f"order. Say which is which: {c}(estimate, truth=…)."
            )
        if len(unnamed) != 1:
            raise CallError(f"{c} compares two rankings: {c}(first, second) or {c}(estimate, truth=…).")
        names, other = ("first", "second"), unnamed[0]
    else:
        if unnamed:
            raise CallError(f"{c} compares two rankings, and got {2 + len(unnamed)}: {c}(estimate, truth=…).")
        names, other = ("estimate", "truth"), truth
    shown = f"`{names[0]}`", f"`{names[1]}`"
    if top_k is None:
        data = align(first, other, names=shown, one_sided=one_sided)
    else:
        k = check_top_k(c, top_k)
        data = align_top(first, other, k, names=shown, tied_within=tied_within, lower_is_better=lower_is_better)
    return evaluate(c, data, tied_within=tied_within, lower_is_better=lower_is_better, other_ties=other_ties, names=names,
                    raise_on_ties=True)  # fmt: skip
