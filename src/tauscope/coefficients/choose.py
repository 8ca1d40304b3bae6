"""Which coefficient? The one that fits a purpose, and the one that somebody's number is."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core import checking
from ..core.arrays import Floats, snap, tolerance
from ..data.ranking import Aligned, align
from ..errors import CallError
from ..results import Note, Plain
from .coefficient import Coefficient
from .correlation import evaluate
from .records import PEARSON, TAU_GAP, catalogue

COMPARE = ("truth", "observers")
TIES = ("indiscernible", "equal", "none")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Choice(Plain):
    """Which coefficient is it, and why?

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    compare, ties : str
        What is compared, and what a tie means.
    nearest : tuple of str
        What comes near.
    tied_within : float or str
        The tolerance that was wished.
    notes : tuple of str
        Codes of what the coefficient cannot do of what was wished; the answer has them in words.
    """

    QUESTION: ClassVar[str] = "choice"

    coefficient: Coefficient
    compare: str
    ties: str
    nearest: tuple[str, ...] = ()
    tied_within: float | str = 0.0
    notes: tuple[str, ...] = ()

    def call(self) -> str:
        """How is it called?

        Returns
        -------
        str
            The call, as one types it.
        """
        within = f", tied_within={self.tied_within!r}" if self.tied_within else ""
        second = "second" if self.coefficient.symmetric else "truth=truth"
        first = "first" if self.coefficient.symmetric else "estimate"
        return f"tauscope.{self.coefficient}({first}, {second}{within})"

    def columns(self) -> dict[str, Any]:
        return {"coefficient": [self.coefficient.name], "call": [self.call()], "nearest": [", ".join(self.nearest)]}

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"call": self.call()}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "radja2018", *(("gao2016",) if self.coefficient.gap_sensitive else ()))


def choose(
    compare: str = "observers",
    ties: str = "indiscernible",
    *,
    tied_within: float | str = 0.0,
    head_weighted: bool = False,
    gap_sensitive: bool = False,
) -> Choice:
    """Which coefficient answers my question, and why?

    The questions are those of radja2018, chapter 3: where, what and when. Wishes that no coefficient fulfils get the
    nearest one, with what is missing in `.notes`, and in words in the answer.

    Parameters
    ----------
    compare : "truth" or "observers", default "observers"
        "truth" when one ranking is right by definition and the other is measured against it, "observers" when both are
        opinions (where: section 3.1).
    ties : "indiscernible", "equal" or "none", default "indiscernible"
        What a tie means: too close to call, a statement that two are equal, or "none" when there are no ties (what).
    tied_within : float or str, default 0.0
        Scores this close count as tied (when): a number or a share such as "5%".
    head_weighted : bool, default False
        Whether errors at the top count more.
    gap_sensitive : bool, default False
        Whether swaps of very different systems count more (gao2016).

    Returns
    -------
    Choice

    Raises
    ------
    CallError
        Where a wish is unknown.

    Examples
    --------
    >>> choose("truth", "indiscernible", head_weighted=True).coefficient.name
    'tau_ap_a'
    """
    checking.one_of(compare, COMPARE, "compare")
    checking.one_of(ties, TIES, "ties")
    width = tolerance(tied_within).width
    notes: list[str] = []
    if width and ties == "none":
        ties = "indiscernible"
        notes.append("tolerance_ties")
    known: dict[str, Any] = {"compare": compare, "ties": ties, "tied_within": tied_within if width else 0.0}
    if gap_sensitive and not width and ties != "equal":
        if not head_weighted:
            return Choice(coefficient=PEARSON, nearest=("tau_gap", "pearson_rank"), notes=tuple(notes), **known)
        notes += ["gaps_of_one"] * (compare == "observers") + ["ties_left_out"] * (ties == "indiscernible")
        near = ("pearson_rank", "tau_ap_a" if compare == "truth" else "tau_ap_b")
        return Choice(coefficient=TAU_GAP, nearest=near, notes=tuple(notes), **known)
    notes += ["gaps_left_out"] * gap_sensitive
    family, opinions = "tau_ap" if head_weighted else "tau", compare == "observers"
    variant = f"{family}_{'b' if opinions else 'a'}"
    walked = head_weighted and opinions
    nearest: tuple[str, ...]
    if ties == "equal":
        name, nearest = f"{family}_e", ("tau_ap_b", "tau_e") if walked else (variant,)
        notes += ["walks_one"] * walked
    elif ties == "none":
        name, nearest = ("tau_ap_b", ("tau_ap",)) if walked else (family, ())
    else:
        name, nearest = variant, (f"{family}_e",)
    return Choice(coefficient=catalogue[name], nearest=nearest, notes=tuple(notes), **known)


@dataclass(frozen=True, kw_only=True)
class Convention:
    """Which number does one way of computing give?

    Attributes
    ----------
    coefficient : str
        The coefficient.
    steps : tuple of str
        What was done to the data before.
    value : float
        The value that this gives.
    n : int
        Of how many systems.
    """

    coefficient: str
    steps: tuple[str, ...]
    value: float
    n: int

    def __str__(self) -> str:
        return f"{self.coefficient}{''.join(f', {step}' for step in self.steps)}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Identification(Plain):
    """Which conventions give the published value to its printed digits?

    Attributes
    ----------
    published : str
        The value as it was printed.
    matches : tuple of Convention
        Those that give it, the simplest first.
    others : tuple of Convention
        Those that do not, the nearest first.
    within : float
        Half a unit of the last printed digit: how near is near enough.
    """

    QUESTION: ClassVar[str] = "identification"

    published: str
    matches: tuple[Convention, ...]
    others: tuple[Convention, ...]
    within: float

    @property
    def tried(self) -> tuple[Convention, ...]:
        """All conventions that were tried, those that give the value first."""
        return (*self.matches, *self.others)

    def columns(self) -> dict[str, Any]:
        rows = [*self.matches, *self.others]
        return {
            "matches": [True] * len(self.matches) + [False] * len(self.others),
            "coefficient": [row.coefficient for row in rows],
            "steps": [", ".join(row.steps) for row in rows],
            "value": [row.value for row in rows],
            "n": [row.n for row in rows],
        }

    def to_dict(self) -> dict[str, Any]:
        def row(c: Convention) -> dict[str, Any]:
            return {"coefficient": c.coefficient, "steps": list(c.steps), "value": c.value, "n": c.n}

        return {
            "published": self.published,
            "within": self.within,
            "matches": [row(c) for c in self.matches],
            "nearest": [row(c) for c in self.others[:5]],
            "tried": len(self.matches) + len(self.others),
            "methods_sentence": self.methods_sentence(),
        }


def identify(estimate: Any, *, truth: Any, value: float | str, digits: int | None = None) -> Identification:
    """Which published convention gives this number?

    Tries every coefficient, tau_ap and its kin walked either way, ties broken by name or by input order (as sorting
    does), scores rounded to 4, 3 or 2 decimals, the bottom 25 % of the systems dropped, items on one side only dropped.
    Do not take a match for a proof: several conventions may give the same digits, and the result lists them all.

    Parameters
    ----------
    estimate, truth : ranking
        The two rankings: anything `Ranking` takes, or two arrays of one length.
    value : str or float
        The published number; as text ("0.84") it is matched to its printed digits.
    digits : int, optional
        To how many digits it was printed, where the text does not say; 2 by default.

    Returns
    -------
    Identification

    Raises
    ------
    CallError
        Where the value is not a number.

    Examples
    --------
    >>> identify([4, 3, 2, 1], truth=[4, 2, 3, 1], value="0.667").matches[0].coefficient
    'tau_b'
    """
    number_, within = _printed(value, digits)
    data = align(estimate, truth, names=("`estimate`", "`truth`"), unmatched="drop")
    found: dict[tuple[str, tuple[str, ...]], Convention] = {}
    for steps, prepared in _preparations(data):
        for convention in _coefficients(prepared, steps):
            found.setdefault((convention.coefficient, convention.steps), convention)
    usual = {str(c): place for place, c in enumerate(_usual_first())}
    ordered = sorted(found.values(), key=lambda c: (len(c.steps), usual[c.coefficient]))
    matches = tuple(c for c in ordered if abs(c.value - number_) <= within)
    others = tuple(
        sorted((c for c in ordered if abs(c.value - number_) > within), key=lambda c: abs(c.value - number_))
    )
    return Identification(published=str(value), matches=matches, others=others, within=within)


#: What papers use, the most usual first; the others come after them, in the order of the catalogue.
_USUAL = ("tau_b", "tau", "tau_ap", "pearson", "spearman", "tau_a", "tau_ap_a", "tau_ap_b", "tau_e", "tau_ap_e")


def _usual_first() -> list[Coefficient]:
    return list(dict.fromkeys([*(catalogue[name] for name in _USUAL), *catalogue]))


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
    digits = checking.whole(digits, "digits")
    return parsed, 0.5 * 10.0**-digits + 1e-9


def _preparations(data: Aligned) -> Iterator[tuple[tuple[str, ...], Aligned]]:
    """The data as they are, and as papers are known to have treated them."""
    joined = (str(Note("common_systems")),) if any(data.dropped) else ()
    bases: list[tuple[tuple[str, ...], Aligned]] = [(joined, data)]
    n = len(data.first)
    if n > 7:
        for name, scores in (("truth", data.second), ("estimate", data.first)):
            keep = scores >= np.quantile(scores, 0.25)
            if 2 <= keep.sum() < n:
                bases.append(((*joined, str(Note("worst_quarter_dropped", by=name))), _subset(data, keep)))
    for steps, base in bases:
        yield steps, base
        for digits in (4, 3, 2):
            rounded = [np.round(scores, digits) for scores in (base.first, base.second)]
            if any((r != s).any() for r, s in zip(rounded, (base.first, base.second), strict=True)):
                yield (*steps, str(Note("rounded_scores", digits=digits))), _replace(base, *rounded)
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
    for c in _usual_first():
        if broken and c.gap_sensitive:  # broken ties are ranks: there are no scores left to compare
            continue
        yield from _one(c, data, steps, ())
        if not c.symmetric:
            swapped = Aligned(
                items=data.items, first=data.second, second=data.first, lower_is_better=data.lower_is_better[::-1]
            )
            yield from _one(c, swapped, steps, ("walked the other way",))


def _one(c: Coefficient, data: Aligned, steps: tuple[str, ...], more: tuple[str, ...]) -> Iterator[Convention]:
    result = evaluate(c, data, tied_within=0.0)
    if result.undefined_because is None:
        yield Convention(coefficient=c.name, steps=(*more, *steps), value=result.value, n=result.n)


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
    return Aligned(items=labels, first=data.first[keep], second=data.second[keep], lower_is_better=data.lower_is_better)


def _replace(data: Aligned, first: Floats, second: Floats) -> Aligned:
    one, two = np.ascontiguousarray(first), np.ascontiguousarray(second)
    return Aligned(items=data.labels, first=one, second=two, lower_is_better=data.lower_is_better)
