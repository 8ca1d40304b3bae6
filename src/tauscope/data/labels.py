"""Labels of axes: checked, looked up, matched loosely; the notes that data carry; and `Labelled`, the base of all
scores: an array whose axes have names, checked once when it is made."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..core import checking
from ..core.arrays import SNAP, Bools, Floats, is_frame, snap
from ..errors import Advice, CallError, Option, TauscopeError
from ..results import Data, Note, Notes, count, frame, listed, plain, word
from .names import canonical
from .ranking import as_given

#: From here on floats do not hold every integer.
EXACT_INTEGERS = 2.0**53
#: The way out of scores that floats cannot hold.
SHIFT = Advice("Subtract a constant from all of them first, or divide them.")

Labels = tuple[str, ...]
#: The attribute that labels an axis, and the word for one of its labels: ("topics", "topic").
Axes = tuple[tuple[str, str], ...]


def shown(labels: Sequence[object], most: int = 5) -> str:
    """Return the first few labels in quotes, for a sentence.

    Examples
    --------
    >>> shown(["a", "b", "c"], 2)
    "'a', 'b', …"
    """
    return ", ".join(repr(label) for label in labels[:most]) + (", …" if len(labels) > most else "")


def in_order(labels: Sequence[str]) -> list[int]:
    """Return places of the labels in an order that does not depend on how they are sorted.

    Numbers in labels count as numbers. What is drawn in this order stays the same when a frame lists its rows
    otherwise.

    Parameters
    ----------
    labels : sequence of str
        The labels.

    Returns
    -------
    list of int

    Examples
    --------
    >>> in_order(["q10", "q2", "q1"])
    [2, 1, 0]
    """
    return sorted(range(len(labels)), key=lambda place: _natural(labels[place]))


def _natural(label: str) -> tuple[tuple[int, int, str], ...]:
    parts = re.split(r"([0-9]+)", label)
    return (*((0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts if part), (2, 0, label))


def place_of(system: str, systems: Labels) -> int:
    """Return where a system stands among those of a result.

    Raises
    ------
    TauscopeError
        If there is no such system.
    """
    if not isinstance(system, str) or system not in systems:
        raise TauscopeError(f"There is no {word('system')} {system!r} among the {len(systems):,}.")
    return systems.index(system)


def array(values: Any, kind: str, axes: Axes) -> NDArray[Any]:
    """Make an array with one dimension for each axis, none of them empty.

    Parameters
    ----------
    values : object
        What the caller gave; masked cells become missing.
    kind : str
        The class, for errors.
    axes : tuple
        The axes with their words.

    Returns
    -------
    array

    Raises
    ------
    CallError
        If it is a data frame, is ragged, or has more or fewer dimensions.
    TauscopeError
        If an axis is empty.
    """
    if is_frame(values):
        raise CallError(
            f"{kind} takes an array and its labels.", Advice("A data frame is read by Scores.read(), which finds both.")
        )
    if isinstance(values, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in values):
        values = np.ma.stack(values)  # a list of masked rows would lose its masks
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        raw = as_given(values)
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


def labels_of(given: Iterable[Any] | None, size: int, name: str, one: str) -> Labels:
    """Make texts of labels; 1, 2, 3, … if none are given.

    Parameters
    ----------
    given : iterable or None
        The labels.
    size : int
        How many are needed if none are given.
    name, one : str
        The axis and one of its labels, for errors.

    Returns
    -------
    tuple of str

    Raises
    ------
    CallError
        If a label is none, such as None or NaN.

    Examples
    --------
    >>> labels_of(None, 3, "topics", "topic"), labels_of([401, 402], 2, "topics", "topic")
    (('1', '2', '3'), ('401', '402'))
    """
    if given is None:
        return tuple(map(str, range(1, size + 1)))
    if isinstance(given, (str, bytes)):
        raise CallError(f"{name}={given!r} is one text; give a list of {name}.")
    if is_frame(given) or not isinstance(given, Iterable):
        raise CallError(f"{name} is of type {type(given).__name__}; give a list of {name}.")
    found = []
    for position, label in enumerate(given):
        if not isinstance(label, Hashable) or label is None or label != label or isinstance(label, bytes):
            raise CallError(f"The {one} at place {position + 1} is called {label!r}; names are texts.")
        if not str(label):
            raise CallError(f"The {one} at place {position + 1} has no name.")
        found.append(str(label))
    return tuple(found)


def check_count(labels: Labels, shape: tuple[int, ...], axis: int, name: str, one: str, kind: str) -> None:
    """Check that there are as many labels as the axis is long.

    Raises
    ------
    CallError
        If there are more or fewer; the fix says if the array seems to be turned.
    """
    if len(labels) != shape[axis]:
        turned = len(shape) == 2 and len(labels) == shape[1 - axis]
        raise CallError(
            f"The values of {kind} hold {count(shape[axis], one)} (axis {axis}), "
            f"and `{name}` has {count(len(labels), 'name')}.",
            *([Advice("They seem to be turned: give values.T.")] if turned else []),
        )


def check_unique(labels: Sequence[str], one: str) -> None:
    """Check that names are unique.

    Raises
    ------
    TauscopeError
        Gives the first that is not, and both its places.
    """
    if len(set(labels)) == len(labels):
        return
    seen: dict[str, int] = {}
    for position, label in enumerate(labels):
        if label in seen:
            places = f"places {seen[label] + 1} and {position + 1}"
            raise TauscopeError(f"The {one} {label!r} is there twice ({places}). Names must be unique.")
        seen[label] = position


def numbers(raw: NDArray[Any], place: Callable[[Sequence[int]], str]) -> Floats:
    """Make a fresh array of floats; None is a missing cell.

    Parameters
    ----------
    raw : array
        What was given.
    place : callable
        Describes a cell, for errors.

    Returns
    -------
    array

    Raises
    ------
    TauscopeError
        If a value is no number, infinite, or an integer that floats do not hold.
    """
    if raw.dtype.kind == "O":
        flat = [_number(value) for value in raw.ravel().tolist()]
        bad = next((i for i, value in enumerate(flat) if value is None), None)
        result = np.array([np.nan if value is None else value for value in flat]).reshape(raw.shape)
    else:
        bad = None if raw.dtype.kind in "fiub" else _first_text(raw)
        result = np.array(raw, dtype=np.float64, order="C") if bad is None else np.empty(raw.shape)
    if bad is not None:
        index = [int(i) for i in np.unravel_index(bad, raw.shape)]
        raise TauscopeError(f"The score of {place(index)} is {raw.ravel().tolist()[bad]!r}, not a number.")
    if raw.dtype.kind in "iuO" and (np.abs(result) >= EXACT_INTEGERS).any():
        _check_exact(raw, result, place)
    infinite = np.isinf(result)
    if infinite.any():
        index = [int(i) for i in np.argwhere(infinite)[0]]
        raise TauscopeError(
            f"The score of {place(index)} is {result[tuple(index)]}. "
            "Scores must be finite; NaN stands for a missing cell."
        )
    return result


def inexact(value: int) -> TauscopeError:
    """Return the error for an integer that floats do not hold."""
    return TauscopeError(f"The integer {value:,} is beyond 2^53, where floats do not hold every integer.")


def _check_exact(raw: NDArray[Any], result: Floats, place: Callable[[Sequence[int]], str]) -> None:
    """An integer that becomes another number would make ties, or differences, of its own."""
    for at, (value, kept) in enumerate(zip(raw.ravel().tolist(), result.ravel().tolist(), strict=True)):
        if isinstance(value, int) and value != kept:
            index = [int(i) for i in np.unravel_index(at, raw.shape)]
            raise TauscopeError(f"{inexact(value)} It is the score of {place(index)}.", SHIFT)


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
    """Find where the wanted labels are.

    Parameters
    ----------
    wanted : str or iterable of str
        The labels, each once.
    labels : tuple of str
        Those there are.
    one : str
        The word for one of them.

    Returns
    -------
    list of int

    Raises
    ------
    TauscopeError
        If one is not there; the nearest spelling is offered.

    Examples
    --------
    >>> positions(["c", "a"], ("a", "b", "c"), "system")
    [2, 0]
    """
    if is_frame(wanted) or not isinstance(wanted, Iterable):
        raise CallError(f"{word(one)} {wanted!r} is of type {type(wanted).__name__}; give a name, or a list of them.")
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


#: How names may be matched.
MATCH = ("exact", "loose")
_NUMBER = re.compile(r"\d+")
_START = re.compile(r"^[^\W\d]*[\s._:#/\\-]*(?=\d)")


def loose(name: str) -> str:
    """Return a name without what spelling adds: spaces, case, leading zeros, .0 at the end.

    Examples
    --------
    >>> loose(" Q0101.0 ") == loose("q101"), loose("BM25") == loose("bm25 ")
    (True, True)
    """
    text = name.strip().casefold()
    text = re.sub(r"(?<=\d)\.0+$", "", text)
    text = re.sub(r"[\s_-]+", "-", text)
    return _NUMBER.sub(lambda found: str(int(found[0])) if len(found[0]) < 19 else found[0], text)


def _without_start(names: Sequence[str]) -> dict[str, str]:
    """Names without the word that all of them begin with: topic-101, q101 and MB101 become 101."""
    starts = {_START.match(name.strip().casefold()) is not None for name in names}
    if starts != {True}:
        return {name: loose(name) for name in names}
    return {name: loose(_START.sub("", name.strip().casefold())) for name in names}


def _without_prefix(names: Sequence[str]) -> dict[str, str]:
    """Names without what all of them begin with, up to a separator: input.run1 and input.run2 become run1 and run2."""
    texts = {name: name.strip().casefold() for name in names}
    first, last = min(texts.values()), max(texts.values())
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    shared = re.match(r".*[\s._:#/\\-]", first[:same])
    start = len(shared[0]) if shared else 0
    return {name: loose(text[start:] or text) for name, text in texts.items()}


def would_match(own: Sequence[str], other: Sequence[str]) -> dict[str, str]:
    """Match names that differ by spelling only.

    Names are compared in lower case without leading zeros and the like, then without a word that all begin with, and
    then without a shared start. The way that matches most is taken. A spelling that two names of one side share matches
    nothing, because it would not be clear which.

    Parameters
    ----------
    own, other : sequence of str
        The names of both sides.

    Returns
    -------
    dict
        Of the names that `other` lacks, those that it has in another spelling: own -> other.

    Examples
    --------
    >>> would_match(["0101", "102", "a"], ["101", "102", "b"])
    {'0101': '101'}
    >>> would_match(["topic-1", "topic-2"], ["1.0", "2.0"])
    {'topic-1': '1.0', 'topic-2': '2.0'}
    >>> would_match(["input.bm25", "input.dense"], ["bm25", "dense"])
    {'input.bm25': 'bm25', 'input.dense': 'dense'}
    """
    exact = set(own) & set(other)
    left = [name for name in own if name not in exact]
    right = [name for name in other if name not in exact]
    if not left or not right:
        return {}
    taken = {loose(name) for name in exact}
    best: dict[str, str] = {}
    for spell in (_plain, _without_start, _without_prefix):
        mine, theirs = spell(left), spell(right)
        found = _unique(theirs)
        alone = _unique(mine)
        made = {
            alone[spelling]: found[spelling]
            for spelling in alone
            if spelling in found and (spell is not _plain or spelling not in taken)
        }
        if len(made) > len(best):
            best = made
    return {name: best[name] for name in left if name in best}


def _plain(names: Sequence[str]) -> dict[str, str]:
    return {name: loose(name) for name in names}


def _unique(spelled: dict[str, str]) -> dict[str, str]:
    """Spelling -> the only name that has it."""
    found: dict[str, list[str]] = {}
    for name, spelling in spelled.items():
        found.setdefault(spelling, []).append(name)
    return {spelling: names[0] for spelling, names in found.items() if len(names) == 1 and spelling}


def pairs_shown(pairs: Sequence[tuple[str, str]], most: int = 3) -> str:
    """Return the first few pairs of names, for a sentence.

    Examples
    --------
    >>> pairs_shown([("q1", "1"), ("q2", "2")], 1)
    "'q1' and '1'"
    """
    return ", ".join(f"{a!r} and {b!r}" for a, b in pairs[:most]) + (", …" if len(pairs) > most > 1 else "")


#: The note on scores with missing cells.
KEPT = Note("missing_cells_kept")


class Remark(str):
    """A note that is more than a note: what is odd, where, what it does to the answer, and what to do about it.

    It prints and travels as the text that it is; the linter makes a finding of it.

    Parameters
    ----------
    text : str
        What is odd, as a sentence without an end.
    where : str, default ""
        The file, or the systems or topics; it stands before the text.
    code : str, default ""
        What kind of thing, such as "index-column".
    effect : str, default ""
        What it does to the answer.
    suggestion : str, default ""
        What to do about it.
    severity : {"warning", "note"}, default "warning"
        A note tells what was decided; a warning changes what a number means.

    Examples
    --------
    >>> Remark("the column 'rank' is left out", where="board.csv:1", code="no-score-column")
    "board.csv:1: the column 'rank' is left out"
    """

    what: str
    where: str
    code: str
    effect: str
    suggestion: str
    severity: str

    def __new__(
        cls,
        text: str,
        *,
        where: str = "",
        code: str = "",
        effect: str = "",
        suggestion: str = "",
        severity: str = "warning",
    ) -> Self:
        made = super().__new__(cls, f"{where}: {text}" if where else text)
        made.what, made.where, made.code = text, where, code
        made.effect, made.suggestion, made.severity = effect, suggestion, severity
        return made

    def at(self, where: str) -> Remark:
        """Return the same remark with another place.

        Parameters
        ----------
        where : str
            The place.

        Returns
        -------
        Remark
        """
        return Remark(
            self.what,
            where=where,
            code=self.code,
            effect=self.effect,
            suggestion=self.suggestion,
            severity=self.severity,
        )


def remarks_in(notes: Iterable[Note | str]) -> tuple[Remark, ...]:
    """Return the remarks among notes, each once.

    Parameters
    ----------
    notes : iterable of str
        The notes on the past of some scores.

    Returns
    -------
    tuple of Remark
    """
    return tuple(dict.fromkeys(note for note in notes if isinstance(note, Remark)))


def with_code(notes: Notes, *codes: str) -> list[Note]:
    """Return the notes with one of these codes.

    Parameters
    ----------
    notes : tuple of Note or str
        The notes on the past of some scores.
    *codes : str
        The codes.

    Returns
    -------
    list of Note

    Examples
    --------
    >>> [note.code for note in with_code((Note("negated"), "read from a file"), "negated")]
    ['negated']
    """
    return [note for note in notes if isinstance(note, Note) and note.code in codes]


def without_code(notes: Notes, *codes: str) -> Notes:
    """Return the notes without those that have one of these codes.

    Parameters
    ----------
    notes : tuple of Note or str
        The notes on the past of some scores.
    *codes : str
        The codes.

    Returns
    -------
    tuple of Note or str
    """
    return tuple(note for note in notes if not (isinstance(note, Note) and note.code in codes))


def together(notes: Sequence[Remark]) -> list[Remark]:
    """Join remarks of many files: what is said of more than two of them is told once.

    Parameters
    ----------
    notes : sequence of Remark
        The remarks of all files.

    Returns
    -------
    list of Remark

    Examples
    --------
    >>> together([Remark("no scores", where=f"{i}.csv", code="empty") for i in range(3)])
    ['3 files: no scores']
    """
    places: dict[str, list[Remark]] = {}
    for note in notes:
        places.setdefault(note.what, []).append(note)
    return [
        one
        for same in places.values()
        for one in ([same[0].at(f"{len(same):,} files")] if len(same) > 2 else dict.fromkeys(same))
    ]


#: What a note on the past of some scores says where it tells what was left out, filled in or changed.
CHANGES = ("missing cell", "dropped", "selected", "negated", "aggregated")


def changes(notes: Notes, *also: str) -> Notes:
    """Return those notes that tell what was left out, filled in or changed, and what is wrong with the data.

    How something was read is none of them.

    Parameters
    ----------
    notes : sequence of str
        The notes on the past of some scores.
    *also : str
        More words by which such a note is known.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> changes(("scores.csv: long table", "2 topics with missing cells dropped: '1', '2'"))
    ("2 topics with missing cells dropped: '1', '2'",)
    """
    told = (*CHANGES, *also)
    return tuple(
        note
        for note in without_code(notes, KEPT.code)
        if (note.severity == "warning" if isinstance(note, Remark) else any(text in note for text in told))
    )


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
    notes: Notes
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
        low, high = self._range()
        second = str(Note("values", low=low, high=high, missing=self.holes))
        told = "; ".join(map(str, self.notes[:_TOLD]))
        told += f"; … ({len(self.notes)} in .notes)" if len(self.notes) > _TOLD else ""
        return [self.headline(), second, *([f"notes: {told}"] if told else [])]

    def _range(self) -> tuple[float, float]:
        """The lowest and the highest score, as they are printed; NaN where there is none."""
        known = self.values[~np.isnan(self.values)]
        return (float(known.min()), float(known.max())) if known.size else (np.nan, np.nan)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return listed(self.lines(), self._shown())

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
        notes = without_code(self.notes, KEPT.code)
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
            raise TauscopeError(
                f"{what} needs a score in every cell, and {holes_text(self)}",
                self.missing_option(holes, python=f'Call .without_holes("{first}") first{more}.'),
            )

    def changed(self, note: Note | str | None = None, **changes: Any) -> Self:
        """A changed copy that carries the notes along; holes, if any, were accepted before.

        Parameters
        ----------
        note : Note, str or None, default None
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
        note = Note("worst_dropped", percent=share * 100, by=by, systems=len(systems) - len(kept))
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
            if not with_code(self.notes, KEPT.code):
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
        self._note(Note("holes_dropped", one=one, labels=dropped))

    def _note(self, text: Note | str) -> None:
        object.__setattr__(self, "notes", (*self.notes, text))


def _any_beside(which: Bools, axis: int) -> Bools:
    """For each place along an axis, whether any of its cells is one of these."""
    return np.asarray(which.any(axis=tuple(k for k in range(which.ndim) if k != axis)))


def _rebuild(cls: type[Labelled], kept: dict[str, Any]) -> Labelled:
    return cls(**kept, missing="keep")  # type: ignore[call-arg]


def holes_text(scores: Labelled) -> str:
    """Return how many cells have no score, and the first of them, as the end of a sentence."""
    first = scores.place([int(i) for i in np.argwhere(np.isnan(scores.values))[0]])
    return str(Note("cells_without_score", cells=scores.holes, first=first))


def drop_worst(means: Floats, share: float) -> NDArray[np.intp]:
    """Find the systems whose mean is at least a quantile of the means.

    Parameters
    ----------
    means : array
        The mean of each system.
    share : float
        The quantile, from 0 to below 1 (linear interpolation); equal means stay or go together.

    Returns
    -------
    array of int

    Examples
    --------
    >>> drop_worst(np.array([0.1, 0.4, 0.2, 0.3]), 0.25).tolist()
    [1, 2, 3]
    """
    share = checking.share(share, "share", zero=True)
    snapped, _ = snap(np.array(means))
    limit = np.quantile(snapped, share)
    return np.flatnonzero(snapped >= limit - SNAP * np.abs(snapped).max())


def one_measure(measures: Labels, wanted: str | None, what: str) -> str:
    """Return the measure that was asked for under any of its spellings, or the only one.

    Raises
    ------
    CallError
        If there are several and none was named.
    """
    if wanted is not None:
        return measures[positions(canonical(wanted), measures, "measure")[0]]
    if len(measures) > 1:
        raise CallError(
            f"{what} of {len(measures):,} measures: say which one.",
            Option("measure", measures[0], effect=f"or another of {shown(measures)}"),
        )
    return measures[0]


def mean_over(values: Floats, axis: int) -> Floats:
    """Return means along an axis over the cells that have a score; NaN if none has.

    Scores whose sum overflows have a finite mean.

    Parameters
    ----------
    values : array
        Scores, NaN if one is missing.
    axis : int
        The axis that goes.

    Returns
    -------
    array

    Examples
    --------
    >>> mean_over(np.array([[1.0, np.nan], [3.0, 4.0]]), 0).tolist()
    [2.0, 4.0]
    """
    known = ~np.isnan(values)
    sizes = known.sum(axis=axis)
    with np.errstate(over="ignore"):
        sums = np.asarray(np.where(known, values, 0.0).sum(axis=axis))
    if np.isinf(sums).any():  # the sum of huge scores overflows, their mean does not
        return mean_over(values * 2.0**-64, axis) * 2.0**64
    return np.asarray(np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0))
