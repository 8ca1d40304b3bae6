"""What labelled scores share: checked once when they are made, frozen, and carrying the choices made on the way."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..core import checking
from ..core.arrays import SNAP, Bools, Floats, snap
from ..errors import Advice, CallError, Option, TauscopeError
from ..results import Data, as_html, count, frame, plain
from .labels import KEPT, Axes, Labels, array, check_count, check_unique, in_order, labels_of, numbers, positions, shown
from .names import canonical

#: Notes that are printed; the others are in `.notes`.
_TOLD = 6


class Labelled(Data):
    """Base of `Scores`, `ScoreCube` and `MeasureTable`: an array whose axes have names, and the notes on its past."""

    #: The attribute that labels each axis of `values`, and the word for one of its labels.
    AXES: ClassVar[Axes]
    #: What can be done about missing cells.
    MISSING: ClassVar[tuple[str, ...]] = ("error", "zero", "drop-topics", "drop-systems", "keep")

    values: Floats
    collection: str
    notes: tuple[str, ...]
    frame: str | None

    def write(self, path: str | Path, *, layout: str = "auto") -> Path:
        """Write scores so that reading them gives the same numbers and names.

        Parameters
        ----------
        path : str or Path
            Ends in .csv, .tsv or .parquet; a text may also end in .gz or .zst. Only Parquet keeps the collection and
            the notes.
        layout : {"auto", "wide", "long"}, default "auto"
            "wide" is one row per topic and one column per system (of a cube one row per topic and system, one column
            per measure), "long" one row per score; "auto" is wide where that loses nothing. A wide text does not say by
            which measure its scores are, so `Scores` with a measure are written long.

        Returns
        -------
        Path
            The file, which appears whole or not at all.

        Raises
        ------
        CallError
            If the name does not say a format.
        FileError
            If the file cannot be written, or a name has a character that no text file can hold.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from tauscope import Scores
        >>> scores = Scores([[0.1, 0.3]], ["401"], ["bm25", "dense"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Scores.read(scores.write(Path(folder) / "scores.csv")) == scores
        True
        """
        target: Path = importlib.import_module("tauscope.io.write").write_scores(self, path, layout=layout)
        return target

    @classmethod
    def missing_option(cls, holes: Bools, *, keep: bool = False, python: str | None = None) -> Option:
        """The way out of missing cells: the choices that leave something.

        Parameters
        ----------
        holes : array of bool
            Which cells have no score, along the axes of this kind.
        keep : bool, default False
            Whether holes may stay.
        python : str or None, default None
            The sentence for callers in Python, where it is no argument of theirs.

        Returns
        -------
        Option
        """
        full = {f"drop-{name}" for axis, (name, _) in enumerate(cls.AXES) if _any_beside(holes, axis).all()}
        systems = [name for name, _ in cls.AXES].index("systems")
        refused = {"error", *full, *([] if keep and _any_beside(~holes, systems).all() else ["keep"])}
        choices = [choice for choice in cls.MISSING if choice not in refused]
        return Option("missing", *choices, effect="to say what that means", python=python)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many there are along each axis: for `Scores` (topics, systems)."""
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
        """Where is a cell?

        Parameters
        ----------
        index : sequence of int
            Its place along each axis of `values`.

        Returns
        -------
        str
            Such as "system 'b' on topic '401'".
        """
        at = {one: getattr(self, name)[i] for (name, one), i in zip(self.AXES, index, strict=True)}
        topics = getattr(self, "topics", None)
        if "topic" not in at and topics:
            at["topic"] = topics[index[0]]
        by = f" by {at['measure']}" if "measure" in at else ""
        on = f" on topic {at['topic']!r}" if "topic" in at else ""
        return f"system {at['system']!r}{on}{by}"

    def headline(self) -> str:
        """What this is and how large, in one line.

        Returns
        -------
        str
        """
        raise TypeError(f"{type(self).__name__} must define headline()")

    def lines(self) -> list[str]:
        """What it is, what its numbers are like, and the choices recorded on the way.

        Returns
        -------
        list of str
        """
        missing = f"{count(self.holes, 'missing cell')}" if self.has_holes else "no missing cells"
        low, high = self._range()
        second = missing if np.isnan(low) else f"values from {low:.4g} to {high:.4g}, {missing}"
        told = "; ".join(self.notes[:_TOLD]) + (f"; … ({len(self.notes)} in .notes)" if len(self.notes) > _TOLD else "")
        return [self.headline(), second, *([f"notes: {told}"] if told else [])]

    def _range(self) -> tuple[float, float]:
        """The lowest and the highest score, as they are printed; NaN where there is none."""
        known = self.values[~np.isnan(self.values)]
        return (float(known.min()), float(known.max())) if known.size else (np.nan, np.nan)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return as_html(self.lines(), self._shown())

    def _shown(self) -> dict[str, Any]:
        """The columns that a notebook shows."""
        raise TypeError(f"{type(self).__name__} must define _shown()")

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain Python values, ready for JSON.

        Returns
        -------
        dict
            `values`, the labels of each axis, and what is known beside them; a missing cell is None.
        """
        names = [f.name for f in fields(self) if f.name != "frame"]  # type: ignore[arg-type]
        return {name: plain(getattr(self, name)) for name in names}

    def to_frame(self, backend: str | None = None, *, long: bool = False) -> Any:
        """The scores as a data frame of the caller's own kind.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None, default None
            The library; None for the one they came from, or the first that is installed.
        long : bool, default False
            Whether to give one row per score, with the columns system, topic, measure and value. Otherwise `Scores`
            have one row per topic and one column per system, a `ScoreCube` one row per topic and system and one column
            per measure, a `MeasureTable` its own rows and columns.

        Returns
        -------
        DataFrame or Table

        Raises
        ------
        CallError
            Where a system of `Scores` is called 'topic', as the column of topics is.
        """
        return frame(self._columns(long), backend or self.frame)

    def _columns(self, long: bool) -> dict[str, Any]:
        raise TypeError(f"{type(self).__name__} must define _columns()")

    def without_holes(self, missing: str) -> Self:
        """The same scores with every cell filled, or without the topics or systems that have holes.

        Parameters
        ----------
        missing : {"zero", "drop-topics", "drop-systems"}
            What absence means; for a `MeasureTable` also "drop-measures" and no "drop-topics".

        Returns
        -------
        Scores, ScoreCube or MeasureTable
            Of the same kind; its notes say what was done.

        Raises
        ------
        TauscopeError
            Where nothing would be left.

        Examples
        --------
        >>> from tauscope import Scores
        >>> Scores([[0.1, None], [0.2, 0.6]], missing="keep").without_holes("drop-topics").shape
        (1, 2)
        """
        notes = tuple(note for note in self.notes if note != KEPT)
        return replace(self, missing=missing, notes=notes)  # type: ignore[type-var]

    def require_complete(self, what: str) -> None:
        """Raise an error where cells are missing.

        Parameters
        ----------
        what : str
            What needs every cell; the error starts with it.

        Raises
        ------
        TauscopeError
            Names the first missing cell and the ways out.
        """
        if self.has_holes:
            holes = np.isnan(self.values)
            first, *others = self.missing_option(holes).values
            more = f", or with {' or '.join(map(repr, others))}" if others else ""
            way_out = self.missing_option(holes, python=f'Call .without_holes("{first}") first{more}.')
            raise TauscopeError(f"{what} needs a score in every cell, and {holes_text(self)}", way_out)

    def changed(self, note: str | None = None, **changes: Any) -> Self:
        """A changed copy that carries the notes along; holes, if any, were accepted before.

        Parameters
        ----------
        note : str or None, default None
            What was done; None for no note.
        **changes
            Fields with their new values.

        Returns
        -------
        Scores, ScoreCube or MeasureTable
            Of the same kind.
        """
        notes = self.notes if note is None else (*self.notes, note)
        return replace(self, missing="keep", notes=notes, **changes)  # type: ignore[type-var]

    def in_order(self, *axes: str) -> Self:
        """The same scores with the labels of these axes in an order that does not depend on how they were sorted.

        Parameters
        ----------
        *axes : str
            "topics", "systems", "measures"; numbers in labels count as numbers.

        Returns
        -------
        Scores, ScoreCube or MeasureTable
            Of the same kind, itself where nothing moves.
        """
        places = {name: in_order(getattr(self, name)) for name in axes}
        if all(own == sorted(own) for own in places.values()):
            return self
        every = [places.get(name, list(range(len(getattr(self, name))))) for name, _ in self.AXES]
        labels: dict[str, Any] = {name: tuple(getattr(self, name)[i] for i in own) for name, own in places.items()}
        return self.changed(values=self.values[np.ix_(*every)], **labels)

    def _selected(self, **wanted: Iterable[str] | None) -> Self:
        """Only these labels of each axis, in the order given; None leaves an axis as it is."""
        places: list[list[int]] = []
        labels: dict[str, Labels] = {}
        notes = []
        for name, one in self.AXES:
            own: Labels = getattr(self, name)
            chosen = wanted[name]
            taken = list(range(len(own))) if chosen is None else positions(chosen, own, one)
            places.append(taken)
            labels[name] = tuple(own[i] for i in taken)
            if chosen is not None:
                notes.append(f"{len(taken):,} of {count(len(own), one)} selected")
        return self.changed("; ".join(notes) or None, values=self.values[np.ix_(*places)], **labels)

    def _without_worst(self, means: Floats, share: float, by: str = "") -> Self:
        """Without the systems whose mean is below the `share` quantile of the means."""
        kept = drop_worst(means, share)
        axis = [name for name, _ in self.AXES].index("systems")
        systems: Labels = getattr(self, "systems", ())
        note = f"bottom {share * 100:g} %{by} dropped: {count(len(systems) - len(kept), 'system')}"
        left = tuple(systems[i] for i in kept)
        return self.changed(note, values=np.take(self.values, kept, axis=axis), systems=left)

    def _settle(self, missing: str) -> None:
        """Check values and labels, deal with missing cells, freeze. Called once, when the object is made."""
        checking.one_of(missing, self.MISSING, "missing")
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
            text = holes_text(self)
            raise TauscopeError(f"{text[0].upper()}{text[1:]}", self.missing_option(holes, keep=True))
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
        empty = np.flatnonzero(~_any_beside(~holes, axis))
        if empty.size:
            systems: Labels = getattr(self, "systems", ())
            raise TauscopeError(
                f"The system {systems[empty[0]]!r} has no score at all, so it cannot be ranked.",
                Advice("Leave it out."),
            )

    def _drop(self, holes: Bools, name: str) -> None:
        axis = [axis_name for axis_name, _ in self.AXES].index(name)
        one = self.AXES[axis][1]
        bad = _any_beside(holes, axis)
        labels: Labels = getattr(self, name)
        if bad.all():
            raise TauscopeError(
                f"Every one of the {count(len(labels), one)} has a missing cell, "
                f"so missing='drop-{name}' leaves nothing.",
                self.missing_option(holes, keep=True),
            )
        dropped = [label for label, out in zip(labels, bad, strict=True) if out]
        object.__setattr__(self, "values", np.ascontiguousarray(np.compress(~bad, self.values, axis=axis)))
        object.__setattr__(self, name, tuple(label for label, out in zip(labels, bad, strict=True) if not out))
        self._note(f"{count(len(dropped), one)} with missing cells dropped: {shown(dropped)}")

    def _note(self, text: str) -> None:
        object.__setattr__(self, "notes", (*self.notes, text))


def _any_beside(which: Bools, axis: int) -> Bools:
    """For each place along an axis, whether any of its cells is one of these."""
    return np.asarray(which.any(axis=tuple(k for k in range(which.ndim) if k != axis)))


def _rebuild(cls: type[Labelled], kept: dict[str, Any]) -> Labelled:
    return cls(**kept, missing="keep")  # type: ignore[call-arg]


def holes_text(scores: Labelled) -> str:
    """How many cells have no score, and the first of them, as the end of a sentence."""
    first = scores.place([int(i) for i in np.argwhere(np.isnan(scores.values))[0]])
    if scores.holes == 1:
        return f"one cell has no score: {first}."
    return f"{count(scores.holes, 'cell')} have no score; the first is {first}."


def drop_worst(means: Floats, share: float) -> NDArray[np.intp]:
    """Places of the systems whose mean is at least the `share` quantile (linear); equal means stay or go together."""
    share = checking.share(share, "share", zero=True)
    snapped, _ = snap(np.array(means))
    limit = np.quantile(snapped, share)
    return np.flatnonzero(snapped >= limit - SNAP * np.abs(snapped).max())


def one_measure(measures: Labels, wanted: str | None, what: str) -> str:
    """The measure asked for under any of its spellings, or the only one."""
    if wanted is not None:
        return measures[positions(canonical(wanted), measures, "measure")[0]]
    if len(measures) > 1:
        raise CallError(
            f"{what} of {len(measures):,} measures: say which one.",
            Option("measure", measures[0], effect=f"or another of {shown(measures)}"),
        )
    return measures[0]


def mean_over(values: Floats, axis: int) -> Floats:
    """Means along an axis over the cells that have a score; NaN where none has."""
    known = ~np.isnan(values)
    sizes = known.sum(axis=axis)
    with np.errstate(over="ignore"):
        sums = np.asarray(np.where(known, values, 0.0).sum(axis=axis))
    if np.isinf(sums).any():  # the sum of huge scores overflows, their mean does not
        return mean_over(values * 2.0**-64, axis) * 2.0**64
    return np.asarray(np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0))
