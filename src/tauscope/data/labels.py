"""Labels of axes: checked, looked up, matched loosely; and remarks, notes that a reader must know before any number."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, is_frame
from ..errors import Advice, CallError, TauscopeError
from ..results import count, word
from .ranking import as_given

#: From here on floats do not hold every integer.
EXACT_INTEGERS = 2.0**53
#: The way out of scores that floats cannot hold.
SHIFT = Advice("Subtract a constant from all of them first, or divide them.")

Labels = tuple[str, ...]
#: The attribute that labels an axis, and the word for one of its labels: ("topics", "topic").
Axes = tuple[tuple[str, str], ...]


def shown(labels: Sequence[object], most: int = 5) -> str:
    """The first few labels in quotes, for a sentence."""
    return ", ".join(repr(label) for label in labels[:most]) + (", …" if len(labels) > most else "")


def in_order(labels: Sequence[str]) -> list[int]:
    """Places of the labels in an order that does not depend on how they are sorted: numbers in them count as numbers.

    What is drawn in this order stays the same when a frame lists its rows otherwise.
    """
    return sorted(range(len(labels)), key=lambda place: _natural(labels[place]))


def _natural(label: str) -> tuple[tuple[int, int, str], ...]:
    parts = re.split(r"([0-9]+)", label)
    return (*((0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts if part), (2, 0, label))


def place_of(system: str, systems: Labels) -> int:
    """Where a system stands among those of a result, or an error that names it."""
    if not isinstance(system, str) or system not in systems:
        raise TauscopeError(f"There is no {word('system')} {system!r} among the {len(systems):,}.")
    return systems.index(system)


def array(values: Any, kind: str, axes: Axes) -> NDArray[Any]:
    """An array with one dimension for each axis, none of them empty."""
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
    """Labels as texts; 1, 2, 3, … where none are given."""
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
    """As many labels as the axis is long."""
    if len(labels) != shape[axis]:
        turned = len(shape) == 2 and len(labels) == shape[1 - axis]
        raise CallError(
            f"The values of {kind} hold {count(shape[axis], one)} (axis {axis}), "
            f"and `{name}` has {count(len(labels), 'name')}.",
            *([Advice("They seem to be turned: give values.T.")] if turned else []),
        )


def check_unique(labels: Sequence[str], one: str) -> None:
    """Names must be unique: the error gives the first that is not, and both its places."""
    if len(set(labels)) == len(labels):
        return
    seen: dict[str, int] = {}
    for position, label in enumerate(labels):
        if label in seen:
            places = f"places {seen[label] + 1} and {position + 1}"
            raise TauscopeError(f"The {one} {label!r} is there twice ({places}). Names must be unique.")
        seen[label] = position


def numbers(raw: NDArray[Any], place: Callable[[Sequence[int]], str]) -> Floats:
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


def inexact(value: int) -> str:
    """The sentence on an integer that floats do not hold."""
    return f"The integer {value:,} is beyond 2^53, where floats do not hold every integer."


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
    """Where the wanted labels are; one that is not there is an error with the nearest spelling."""
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
    """A name without what spelling adds.

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
    """Of the names that `other` lacks, those that it has in another spelling: own -> other.

    A spelling that two names of one side share matches nothing, for it would not be clear which.

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
    """The first few pairs of names, for a sentence."""
    return ", ".join(f"{a!r} and {b!r}" for a, b in pairs[:most]) + (", …" if len(pairs) > most > 1 else "")


#: The note on scores with missing cells.
KEPT = "missing cells kept: a mean is over the topics that a system has"


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
        """The same remark with another place."""
        return Remark(
            self.what,
            where=where,
            code=self.code,
            effect=self.effect,
            suggestion=self.suggestion,
            severity=self.severity,
        )


def remarks_in(notes: Iterable[str]) -> tuple[Remark, ...]:
    """The remarks among notes, each once."""
    return tuple(dict.fromkeys(note for note in notes if isinstance(note, Remark)))


def together(notes: Sequence[Remark]) -> list[Remark]:
    """Remarks of many files: what is said of more than two of them is told once."""
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


def changes(notes: Sequence[str], *also: str) -> tuple[str, ...]:
    """Of the notes on the past of some scores, those on what was left out, filled in or changed, and what is odd.

    `also`: more words by which such a note is known. How something was read is none.
    """
    told = (*CHANGES, *also)
    return tuple(
        note
        for note in notes
        if note != KEPT
        and (note.severity == "warning" if isinstance(note, Remark) else any(text in note for text in told))
    )
