"""What labelled scores share: checked once when they are made, frozen, and carrying the choices made on the way."""

from __future__ import annotations

import difflib
import html
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import CallError, TauscopeError
from ..results import count, plain
from ..ties import SNAP, Floats, snap

Labels = tuple[str, ...]
Bools = NDArray[np.bool_]

KEPT = "missing cells kept: a mean is over the topics that a system has"
_FRAME_LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf", "dask", "duckdb")


class Labelled:
    """Base of `Scores`, `ScoreCube` and `MeasureTable`: an array whose axes have names, and the notes on its past."""

    #: The attribute that labels each axis of `values`, and the word for one of its labels.
    AXES: ClassVar[tuple[tuple[str, str], ...]]
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

    def headline(self) -> str:
        """What this is and how large."""
        raise TypeError(f"{type(self).__name__} must define headline()")

    def lines(self) -> list[str]:
        """What it is, what its numbers are like, and the choices recorded on the way."""
        known = self.values[~np.isnan(self.values)]
        missing = f"{count(self.holes, 'missing cell')}" if self.has_holes else "no missing cells"
        second = f"values from {known.min():.4g} to {known.max():.4g}, {missing}" if known.size else missing
        return [self.headline(), second, *([f"notes: {'; '.join(self.notes)}"] if self.notes else [])]

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
        values = _array(self.values, kind, self.AXES)
        for axis, (name, one) in enumerate(self.AXES):
            labels = _labels(getattr(self, name), values.shape[axis], name, one)
            _check_count(labels, values.shape, axis, name, one, kind)
            object.__setattr__(self, name, labels)
        object.__setattr__(self, "values", _numbers(values, self))
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
            raise TauscopeError(
                f"Every one of the {count(len(labels), one)} has a missing cell, so missing='drop-{name}' leaves nothing."
            )
        dropped = [label for label, out in zip(labels, bad, strict=True) if out]
        object.__setattr__(self, "values", np.ascontiguousarray(np.compress(~bad, self.values, axis=axis)))
        object.__setattr__(self, name, tuple(label for label, out in zip(labels, bad, strict=True) if not out))
        self._note(f"{count(len(dropped), one)} with missing cells dropped: {shown(dropped)}")

    def _note(self, text: str) -> None:
        object.__setattr__(self, "notes", (*self.notes, text))


def _rebuild(cls: type[Labelled], kept: dict[str, Any]) -> Labelled:
    return cls(**kept, missing="keep")  # type: ignore[call-arg]


def shown(labels: Sequence[object], most: int = 5) -> str:
    """The first few labels in quotes, for a sentence."""
    return ", ".join(repr(label) for label in labels[:most]) + (", …" if len(labels) > most else "")


def place(index: Sequence[int], scores: Labelled) -> str:
    """Where a cell is: "system 'b' on topic '401'"."""
    at = {one: getattr(scores, name)[i] for (name, one), i in zip(scores.AXES, index, strict=True)}
    topics = getattr(scores, "topics", None)
    if "topic" not in at and topics:
        at["topic"] = topics[index[0]]
    by = f" by {at['measure']}" if "measure" in at else ""
    on = f" on topic {at['topic']!r}" if "topic" in at else ""
    return f"system {at['system']!r}{on}{by}"


def _holes_text(scores: Labelled) -> str:
    first = place([int(i) for i in np.argwhere(np.isnan(scores.values))[0]], scores)
    if scores.holes == 1:
        return f"one cell has no score: {first}."
    return f"{count(scores.holes, 'cell')} have no score; the first is {first}."


def _array(values: Any, kind: str, axes: tuple[tuple[str, str], ...]) -> NDArray[Any]:
    if type(values).__module__.partition(".")[0] in _FRAME_LIBRARIES:
        raise CallError(
            f"{kind} takes an array and its labels; a data frame is read by read_scores(), which finds both."
        )
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        raw = np.asarray(values)
    except ValueError:
        raise CallError(f"The values of {kind} are ragged: every row needs the same number of scores.") from None
    names = " x ".join(name for name, _ in axes)
    if raw.ndim != len(axes):
        raise CallError(
            f"The values of {kind} have {count(raw.ndim, 'dimension')}; they must have {len(axes)}: {names}."
        )
    if raw.size == 0:
        empty = next(one for size, (_, one) in zip(raw.shape, axes, strict=True) if size == 0)
        raise TauscopeError(f"The values of {kind} are empty: there is not one {empty}.")
    return raw


def _labels(given: Iterable[Any] | None, size: int, name: str, one: str) -> Labels:
    if given is None:
        return tuple(map(str, range(1, size + 1)))
    if isinstance(given, (str, bytes)):
        raise CallError(f"{name}={given!r} is one text; give a list of {name}.")
    found = []
    for position, label in enumerate(given):
        if label is None or label != label or isinstance(label, bytes):
            raise CallError(f"The {one} at place {position + 1} is called {label!r}; names are texts.")
        found.append(str(label))
    return tuple(found)


def _check_count(labels: Labels, shape: tuple[int, ...], axis: int, name: str, one: str, kind: str) -> None:
    if len(labels) != shape[axis]:
        turned = len(shape) == 2 and len(labels) == shape[1 - axis]
        hint = " They seem to be turned: pass values.T." if turned else ""
        raise CallError(
            f"The values of {kind} hold {count(shape[axis], one)} (axis {axis}), and `{name}` has {count(len(labels), 'name')}.{hint}"
        )


def check_unique(labels: Sequence[str], one: str) -> None:
    """Names must be unique: the error gives the first that is not, and both its places."""
    if len(set(labels)) == len(labels):
        return
    seen: dict[str, int] = {}
    for position, label in enumerate(labels):
        if label in seen:
            raise TauscopeError(
                f"The {one} {label!r} is there twice (places {seen[label] + 1} and {position + 1}). Names must be unique."
            )
        seen[label] = position


def _numbers(raw: NDArray[Any], scores: Labelled) -> Floats:
    """A fresh array of floats without infinities; None is a missing cell."""
    if raw.dtype.kind == "O":
        flat = [_number(value) for value in raw.ravel().tolist()]
        bad = next((i for i, value in enumerate(flat) if value is None), None)
        result = np.array([np.nan if value is None else value for value in flat]).reshape(raw.shape)
    else:
        bad = None if raw.dtype.kind in "fiub" else _first_text(raw)
        result = np.array(raw, dtype=np.float64, order="C") if bad is None else np.empty(raw.shape)
    if bad is not None:
        index = [int(i) for i in np.unravel_index(bad, raw.shape)]
        raise TauscopeError(f"The score of {place(index, scores)} is {raw[tuple(index)].item()!r}, not a number.")
    infinite = np.isinf(result)
    if infinite.any():
        index = [int(i) for i in np.argwhere(infinite)[0]]
        raise TauscopeError(
            f"The score of {place(index, scores)} is {result[tuple(index)]}. Scores must be finite; NaN stands for a missing cell."
        )
    return result


def _first_text(raw: NDArray[Any]) -> int:
    """The first value that is not a number; where texts hold numbers, the first of all."""
    for i, value in enumerate(raw.ravel().tolist()):
        try:
            float(value)
        except (TypeError, ValueError):
            return i
    return 0


def _number(value: Any) -> float | None:
    if value is None:
        return float("nan")
    if isinstance(value, (str, bytes, complex)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def positions(wanted: Any, labels: Labels, one: str) -> list[int]:
    """Where the wanted labels are; one that is not there is an error with the nearest spelling."""
    names = [wanted] if isinstance(wanted, str) else [str(label) for label in wanted]
    check_unique(names, one)
    at = {label: position for position, label in enumerate(labels)}
    if not names:
        raise CallError(f"An empty selection leaves no {one}.")
    for name in names:
        if name not in at:
            near = difflib.get_close_matches(name, labels[:10_000], 1)
            hint = f" Do you mean {near[0]!r}?" if near else f" There are {shown(labels)}."
            raise TauscopeError(f"There is no {one} {name!r} among the {len(labels):,}.{hint}")
    return [at[name] for name in names]


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
    if known.all():
        return np.asarray(values.mean(axis=axis))
    sizes = known.sum(axis=axis)
    sums = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0))
