"""What labelled scores share: checked once when they are made, frozen, and carrying the choices made on the way."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, Floats
from ..errors import CallError, TauscopeError
from ..results import count, plain
from ..ties import SNAP, snap
from .labels import Axes, Labels, array, check_count, check_unique, labels_of, numbers, shown

#: Notes that are printed; the others are in `.notes`.
_TOLD = 6
KEPT = "missing cells kept: a mean is over the topics that a system has"


class Labelled:
    """Base of `Scores`, `ScoreCube` and `MeasureTable`: an array whose axes have names, and the notes on its past."""

    #: The attribute that labels each axis of `values`, and the word for one of its labels.
    AXES: ClassVar[Axes]
    #: What can be done about missing cells.
    MISSING: ClassVar[tuple[str, ...]] = ("error", "zero", "drop-topics", "drop-systems", "keep")

    values: Floats
    collection: str
    notes: tuple[str, ...]
    frame: str | None

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        return self.values.shape

    @property
    def holes(self) -> int:
        """How many cells have no score."""
        return int(np.isnan(self.values).sum())

    @property
    def has_holes(self) -> bool:
        """Whether any cell has no score; only `missing="keep"` leaves some."""
        return self.holes > 0

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Labelled):
            return NotImplemented
        names = [f.name for f in fields(self) if f.name not in ("values", "notes", "frame")]  # type: ignore[arg-type]
        same = all(getattr(self, name) == getattr(other, name) for name in names)
        return same and np.array_equal(self.values, other.values, equal_nan=True)

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.shape, *(getattr(self, name) for name, _ in self.AXES)))

    def __reduce__(self) -> Any:
        kept = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return _rebuild, (type(self), kept)

    def place(self, index: Sequence[int]) -> str:
        """Where a cell is: "system 'b' on topic '401'"."""
        at = {one: getattr(self, name)[i] for (name, one), i in zip(self.AXES, index, strict=True)}
        topics = getattr(self, "topics", None)
        if "topic" not in at and topics:
            at["topic"] = topics[index[0]]
        by = f" by {at['measure']}" if "measure" in at else ""
        on = f" on topic {at['topic']!r}" if "topic" in at else ""
        return f"system {at['system']!r}{on}{by}"

    def headline(self) -> str:
        """What this is and how large."""
        raise TypeError(f"{type(self).__name__} must define headline()")

    def lines(self) -> list[str]:
        """What it is, what its numbers are like, and the choices recorded on the way."""
        known = self.values[~np.isnan(self.values)]
        missing = f"{count(self.holes, 'missing cell')}" if self.has_holes else "no missing cells"
        second = f"values from {known.min():.4g} to {known.max():.4g}, {missing}" if known.size else missing
        told = "; ".join(self.notes[:_TOLD]) + (f"; … ({len(self.notes)} in .notes)" if len(self.notes) > _TOLD else "")
        return [self.headline(), second, *([f"notes: {told}"] if told else [])]

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        first, *rest = self.lines()
        below = "".join(f"<div style='opacity:.75'>{html.escape(line)}</div>" for line in rest)
        return f"<div><strong>{html.escape(first)}</strong>{below}</div>"

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON; a missing cell is None."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self) if f.name != "frame"}  # type: ignore[arg-type]

    def without_holes(self, missing: str) -> Self:
        """The same without missing cells: `"zero"`, `"drop-topics"` or `"drop-systems"`."""
        notes = tuple(note for note in self.notes if note != KEPT)
        return replace(self, missing=missing, notes=notes)  # type: ignore[type-var]

    def require_complete(self, what: str) -> None:
        """Raise the error that says why `what` cannot work where cells are missing, and what to do about it."""
        if self.has_holes:
            choices = ", ".join(repr(choice) for choice in self.MISSING if choice not in ("error", "keep"))
            raise TauscopeError(
                f"{what} needs a score in every cell, and {_holes_text(self)} "
                f"Call .without_holes() first, with one of {choices}."
            )

    def _with(self, note: str | None = None, **changes: Any) -> Self:
        """A changed copy that carries the notes along; holes, if any, were accepted before."""
        notes = self.notes if note is None else (*self.notes, note)
        return replace(self, missing="keep", notes=notes, **changes)  # type: ignore[type-var]

    def _settle(self, missing: str) -> None:
        """Check values and labels, deal with missing cells, freeze. Called once, when the object is made."""
        if missing not in self.MISSING:
            known = ", ".join(repr(choice) for choice in self.MISSING)
            raise CallError(f"missing={missing!r} is unknown; use one of {known}.")
        kind = type(self).__name__
        values = array(self.values, kind, self.AXES)
        for axis, (name, one) in enumerate(self.AXES):
            labels = labels_of(getattr(self, name), values.shape[axis], name, one)
            check_count(labels, values.shape, axis, name, one, kind)
            object.__setattr__(self, name, labels)
        object.__setattr__(self, "values", numbers(values, self.place))
        object.__setattr__(self, "notes", tuple(self.notes))
        self._check_unique()
        self._settle_holes(missing)
        self.values.flags.writeable = False

    def _check_unique(self) -> None:
        for name, one in self.AXES:
            check_unique(getattr(self, name), one)

    def _settle_holes(self, missing: str) -> None:
        holes = np.isnan(self.values)
        if not holes.any():
            return
        if missing == "error":
            choices = ", ".join(repr(choice) for choice in self.MISSING if choice != "error")
            text = _holes_text(self)
            raise TauscopeError(f"{text[0].upper()}{text[1:]} Pass missing= one of {choices}.")
        if missing == "zero":
            number = int(holes.sum())
            object.__setattr__(self, "values", np.where(holes, 0.0, self.values))
            self._note(f"{count(number, 'missing cell')} set to 0")
        elif missing == "keep":
            self._check_kept(holes)
            if KEPT not in self.notes:
                self._note(KEPT)
        else:
            self._drop(holes, missing.removeprefix("drop-"))

    def _check_kept(self, holes: Bools) -> None:
        axis = [name for name, _ in self.AXES].index("systems")
        others = tuple(k for k in range(holes.ndim) if k != axis)
        empty = np.flatnonzero(holes.all(axis=others))
        if empty.size:
            systems: Labels = getattr(self, "systems", ())
            raise TauscopeError(
                f"The system {systems[empty[0]]!r} has no score at all, so it cannot be ranked. Leave it out."
            )

    def _drop(self, holes: Bools, name: str) -> None:
        axis = [axis_name for axis_name, _ in self.AXES].index(name)
        one = self.AXES[axis][1]
        bad = np.asarray(holes.any(axis=tuple(k for k in range(holes.ndim) if k != axis)))
        labels: Labels = getattr(self, name)
        if bad.all():
            every = f"Every one of the {count(len(labels), one)}"
            raise TauscopeError(f"{every} has a missing cell, so missing='drop-{name}' leaves nothing.")
        dropped = [label for label, out in zip(labels, bad, strict=True) if out]
        object.__setattr__(self, "values", np.ascontiguousarray(np.compress(~bad, self.values, axis=axis)))
        object.__setattr__(self, name, tuple(label for label, out in zip(labels, bad, strict=True) if not out))
        self._note(f"{count(len(dropped), one)} with missing cells dropped: {shown(dropped)}")

    def _note(self, text: str) -> None:
        object.__setattr__(self, "notes", (*self.notes, text))


def _rebuild(cls: type[Labelled], kept: dict[str, Any]) -> Labelled:
    return cls(**kept, missing="keep")  # type: ignore[call-arg]


def _holes_text(scores: Labelled) -> str:
    first = scores.place([int(i) for i in np.argwhere(np.isnan(scores.values))[0]])
    if scores.holes == 1:
        return f"one cell has no score: {first}."
    return f"{count(scores.holes, 'cell')} have no score; the first is {first}."


def drop_worst(means: Floats, share: float) -> NDArray[np.intp]:
    """Places of the systems whose mean is at least the `share` quantile (linear); equal means stay or go together."""
    if not 0 <= share < 1:
        raise CallError(f"drop_worst({share!r}): the share must be at least 0 and below 1, such as 0.25.")
    snapped, _ = snap(np.array(means))
    limit = np.quantile(snapped, share)
    return np.flatnonzero(snapped >= limit - SNAP * np.abs(snapped).max())


def mean_over(values: Floats, axis: int) -> Floats:
    """Means along an axis over the cells that have a score; NaN where none has."""
    known = ~np.isnan(values)
    sizes = known.sum(axis=axis)
    with np.errstate(over="ignore"):
        sums = np.asarray(np.where(known, values, 0.0).sum(axis=axis))
    if np.isinf(sums).any():  # the sum of huge scores overflows, their mean does not
        return mean_over(values * 2.0**-64, axis) * 2.0**64
    return np.asarray(np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0))
