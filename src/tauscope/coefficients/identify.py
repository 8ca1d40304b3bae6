"""Which tau did they use? Recomputes a published number under the conventions found in papers and packages."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import CallError
from ..ranking import Aligned, align
from ..results import Result, count, number
from ..ties import snap
from .correlation import evaluate
from .records import Coefficient, catalogue


@dataclass(frozen=True)
class Convention:
    """One way to get a number: the coefficient, what was done to the data before, and the value it gives."""

    coefficient: str
    steps: tuple[str, ...]
    value: float
    n: int

    def __str__(self) -> str:
        return f"{self.coefficient}{''.join(f', {step}' for step in self.steps)}"


@dataclass(frozen=True, repr=False)
class Identification(Result):
    """The conventions that give the published value to its printed digits, the simplest first."""

    published: str
    matches: tuple[Convention, ...]
    others: tuple[Convention, ...]
    within: float

    def lines(self) -> list[str]:
        tried = len(self.matches) + len(self.others)
        if not self.matches:
            near = ", ".join(f"{c} {number(c.value, 4)}" for c in self.others[:3])
            return [f"None of {count(tried, 'convention')} gives {self.published}.", f"Nearest: {near}."]
        first = self.matches[0]
        lines = [f"{self.published} is {first}: {number(first.value, 6)} over {count(first.n, 'system')}."]
        if len(self.matches) > 1:
            rest = "; ".join(str(c) for c in self.matches[1:4])
            lines.append(
                f"{count(len(self.matches) - 1, 'other convention')} of {tried} give it too: {rest}{'; …' if len(self.matches) > 4 else ''}."
            )
        else:
            lines.append(f"No other of {tried} conventions gives it.")
        return lines

    def columns(self) -> dict[str, Any]:
        rows = [*self.matches, *self.others]
        return {"matches": [True] * len(self.matches) + [False] * len(self.others), "coefficient": [r.coefficient for r in rows],
                "steps": [", ".join(r.steps) for r in rows], "value": [r.value for r in rows], "n": [r.n for r in rows]}  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        def row(c: Convention) -> dict[str, Any]:
            return {"coefficient": c.coefficient, "steps": list(c.steps), "value": c.value, "n": c.n}

        return {"published": self.published, "within": self.within, "matches": [row(c) for c in self.matches],
                "nearest": [row(c) for c in self.others[:5]], "tried": len(self.matches) + len(self.others)}  # fmt: skip


def identify(estimate: Any, *, truth: Any, value: float | str, digits: int | None = None) -> Identification:
    """Which published convention gives this number?

    Tries every coefficient, tau_ap and its kin walked either way, ties broken by name or by input order (as sorting
    does), scores rounded to 4, 3 or 2 decimals, the bottom 25 % of the systems dropped, items on one side only dropped.
    A value given as text ("0.84") is matched to its printed digits; `digits` says how many otherwise.

    >>> identify([4, 3, 2, 1], truth=[4, 2, 3, 1], value="0.667").matches[0].coefficient
    'tau_b'
    """
    number_, within = _printed(value, digits)
    data = align(estimate, truth, names=("`estimate`", "`truth`"), one_sided="drop")
    found: dict[tuple[str, tuple[str, ...]], Convention] = {}
    for steps, prepared in _preparations(data):
        for convention in _coefficients(prepared, steps):
            found.setdefault((convention.coefficient, convention.steps), convention)
    ordered = sorted(found.values(), key=lambda c: (len(c.steps), _COMMON.index(c.coefficient)))
    matches = tuple(c for c in ordered if abs(c.value - number_) <= within)
    others = tuple(
        sorted((c for c in ordered if abs(c.value - number_) > within), key=lambda c: abs(c.value - number_))
    )
    return Identification(str(value), matches, others, within)


#: What papers use, the most usual first.
_COMMON = ("tau_b", "tau", "tau_ap", "pearson", "spearman", "tau_a", "tau_ap_a", "tau_ap_b", "tau_e", "tau_ap_e", "tau_gap",
           "pearson_rank")  # fmt: skip


def _printed(value: float | str, digits: int | None) -> tuple[float, float]:
    """The number and half a unit of its last printed digit."""
    text = str(value).strip()
    try:
        parsed = float(text)
    except ValueError:
        raise CallError(f"value={value!r} is not a number.") from None
    if not math.isfinite(parsed):
        raise CallError(f"value={value!r} is not a finite number.")
    if digits is None:
        digits = len(text.partition(".")[2]) if "." in text and "e" not in text.lower() else 2
    return parsed, 0.5 * 10.0**-digits + 1e-9


def _preparations(data: Aligned) -> Iterator[tuple[tuple[str, ...], Aligned]]:
    """The data as they are, and as papers are known to have treated them."""
    joined = ("only the systems that both have",) if any(data.dropped) else ()
    bases: list[tuple[tuple[str, ...], Aligned]] = [(joined, data)]
    n = len(data.first)
    if n > 7:
        for name, scores in (("truth", data.second), ("estimate", data.first)):
            keep = scores >= np.quantile(scores, 0.25)
            if 2 <= keep.sum() < n:
                bases.append(((*joined, f"bottom 25 % by the {name} dropped"), _subset(data, keep)))
    for steps, base in bases:
        yield steps, base
        for digits in (4, 3, 2):
            rounded = [np.round(scores, digits) for scores in (base.first, base.second)]
            if any((r != s).any() for r, s in zip(rounded, (base.first, base.second), strict=True)):
                yield (*steps, f"scores rounded to {digits} decimals"), _replace(base, *rounded)
        snapped = [snap(np.array(scores)) for scores in (base.first, base.second)]
        if any(made for _, made in snapped):
            yield (*steps, "means snapped together"), _replace(base, snapped[0][0], snapped[1][0])
        if _has_ties(base):
            for name, key in _BREAKERS.items():
                yield (
                    (*steps, f"ties broken by {name}"),
                    _replace(base, *(_break(s, base.labels, key) for s in (base.first, base.second))),
                )


_BREAKERS: dict[str, Callable[[int, Hashable], Any]] = {
    "name, ascending": lambda place, label: str(label),
    "input order": lambda place, label: place,
}


def _coefficients(data: Aligned, steps: tuple[str, ...]) -> Iterator[Convention]:
    broken = any(step.startswith("ties broken") for step in steps)
    for name in _COMMON:
        c = catalogue[name]
        if broken and c.gap_sensitive:  # broken ties are ranks: there are no scores left to compare
            continue
        yield from _one(c, data, steps, ())
        if not c.symmetric:
            swapped = Aligned(data.items, data.second, data.first, lower_is_better=data.lower_is_better[::-1])
            yield from _one(c, swapped, steps, ("walked the other way",))


def _one(c: Coefficient, data: Aligned, steps: tuple[str, ...], more: tuple[str, ...]) -> Iterator[Convention]:
    result = evaluate(c, data, tied_within=0.0)
    if result.undefined_because is None:
        yield Convention(c.name, (*more, *steps), result.value, result.n)


def _has_ties(data: Aligned) -> bool:
    return any(len(np.unique(scores)) < len(scores) for scores in (data.first, data.second))


def _break(scores: Floats, labels: tuple[Hashable, ...], key: Callable[[int, Hashable], Any]) -> Floats:
    """Ranks without ties, as sorting by (score, then key) gives them."""
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], key(place, labels[place])))
    broken = np.empty(len(scores))
    broken[order] = -np.arange(len(scores), dtype=float)
    return broken


def _subset(data: Aligned, keep: Any) -> Aligned:
    labels = tuple(label for label, kept in zip(data.labels, keep, strict=True) if kept)
    return Aligned(labels, data.first[keep], data.second[keep], lower_is_better=data.lower_is_better)


def _replace(data: Aligned, first: Floats, second: Floats) -> Aligned:
    return Aligned(
        data.labels, np.ascontiguousarray(first), np.ascontiguousarray(second), lower_is_better=data.lower_is_better
    )
