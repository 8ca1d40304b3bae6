"""`Battles`: verdicts on pairs of systems, one row per battle, as arenas and pairwise judges give them."""

from __future__ import annotations

import importlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checking
from ..core.arrays import Bools, Floats, Ints, sums_by, tally
from ..errors import Advice, CallError, Option, TauscopeError
from ..results import Data, Note, Notes, count, plain
from .labels import Labels, labels_of, positions, shown

#: What battles can be grouped by, and the field that holds it.
GROUPS = {"question": "questions", "worker": "workers", "judge": "judges", "battle": "ids"}
#: Cells of a dense table of pairs; with more, pairs are found by sorting.
_DENSE = 1 << 23
#: So many texts are coded by sorting their hashes.
_MANY = 1 << 16


class Coded(NamedTuple):
    """A column of names as whole numbers, and what each stands for."""

    codes: Ints
    labels: Labels

    def taken(self, rows: Any) -> Coded:
        """The same for some of the battles."""
        return Coded(self.codes[rows], self.labels)


class Cells(NamedTuple):
    """Ordered pairs that met: who stood first, who second, and how often the first won, the second won, nobody won."""

    first: Ints
    second: Ints
    counts: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Battles(Data):
    """Who met whom, in which order, and who won: one row per battle.

    Columns may be lists, arrays or the columns of any data frame. A winner is a side ("model_a", "left", "first", 1,
    …), a tie ("tie", "draw", "tie (bothbad)", …), or the name of one of the two systems; `notes` say what was mapped.
    After it is made, `first` and `second` are places in `systems`, and `winner` is 0 (the first), 1 (the second) or 2
    (a tie). Do not use it for scores of single answers: those are `Scores`.

    Parameters
    ----------
    first, second : sequence of names
        The two systems of each battle, in the order in which the judge saw them.
    winner : sequence
        The verdict on each battle.
    questions, workers, judges, ids : sequence, optional
        The question of each battle, who voted, which judge decided, and a label of the battle itself, by which two
        judges' verdicts on the same battles are matched.
    systems : sequence of str, optional
        The order of the systems; by default that of their first battles. Systems that never play are an error.
    notes : tuple of Note or str
        What is to be said of the battles; what was mapped or left out is added.
    verdicts : dict, optional
        What spellings of the winner mean: "first", "second", "tie" or "missing".
    missing : {"error", "drop"}
        Battles without a winner.
    self_battles : {"error", "drop"}
        Battles of a system against itself.

    Examples
    --------
    >>> Battles(["a", "b", "a"], ["b", "c", "c"], ["model_a", "tie (bothbad)", "model_b"])
    3 battles of 3 systems: 2 won (1 by the first, 1 by the second), 1 tie
    1 battle in which both were bad taken as ties
    """

    first: Codes
    second: Codes
    winner: Verdicts
    questions: Coded | None = None
    workers: Coded | None = None
    judges: Coded | None = None
    ids: Coded | None = None
    systems: Labels = ()
    notes: Notes = ()
    verdicts: InitVar[Mapping[Any, str] | None] = None
    missing: InitVar[str] = "error"
    self_battles: InitVar[str] = "error"
    _checked: bool = field(default=False, repr=False)

    def __post_init__(self, verdicts: Mapping[Any, str] | None, missing: str, self_battles: str) -> None:
        if self._checked:
            return
        try:
            self._settle(verdicts, missing, self_battles)
        except TypeError:
            for name in ("first", "second", "winner", *GROUPS.values()):
                _hashable(getattr(self, name), name)
            raise

    def _settle(self, verdicts: Mapping[Any, str] | None, missing: str, self_battles: str) -> None:
        """Columns as whole numbers, checked."""
        first, second, winner = (_listed(getattr(self, name), name) for name in ("first", "second", "winner"))
        given: Any = self.notes
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise CallError(f"`notes` is of type {type(given).__name__}; give a list of sentences.")
        size = len(first)
        groups = {name: _coded(getattr(self, name), name, size) for name in GROUPS.values()}
        if not size:
            raise TauscopeError("There is not one battle.")
        for name, column in (("second", second), ("winner", winner)):
            _same_length(name, len(column), size)
        index, systems = _names(first, second, labels_of(self.systems, 0, "systems", "system"))
        a, b = (np.fromiter(map(index.__getitem__, column), np.int32, size) for column in (first, second))
        outcome, notes = settle(winner, a, b, systems, verdicts)
        kept, more = drop_missing(outcome, missing)
        alone, also = _self_battles(a, b, systems, self_battles)
        kept = alone if kept is None else kept if alone is None else kept & alone
        put = object.__setattr__
        for name, value in (("first", a), ("second", b), ("winner", outcome), *groups.items()):
            taken = value if kept is None or value is None else _taken(value, kept)
            put(self, name, taken)
        put(self, "systems", systems)
        put(self, "notes", (*self.notes, *notes, *more, *also))
        put(self, "_checked", True)
        _all_play(self)

    def __len__(self) -> int:
        """The number of battles."""
        return len(self.first)

    @cached_property
    def cells(self) -> Cells:
        """Ordered pairs that met, with wins of the first, of the second, and ties."""
        m = len(self.systems)
        key = (self.first.astype(np.int64) * m + self.second) * 3 + self.winner
        if 3 * m * m <= _DENSE:
            table = tally(key, 3 * m * m).reshape(-1, 3)
            met = np.flatnonzero(table.any(axis=1))
            counts = table[met]
        else:
            found, number = np.unique(key, return_counts=True)
            met, row = np.unique(found // 3, return_inverse=True)
            counts = np.zeros((len(met), 3), np.int64)
            counts[row, found % 3] = number
        return Cells(met // m, met % m, counts.astype(np.float64))

    @property
    def outcomes(self) -> tuple[int, int, int]:
        """How many battles the first won, the second won, and nobody won."""
        found = tally(self.winner, 3)
        return int(found[FIRST]), int(found[SECOND]), int(found[TIE])

    def groups(self, by: str) -> Coded:
        """The question, worker, judge or label of each battle; an error where these battles have none.

        Parameters
        ----------
        by : {"question", "worker", "judge", "battle"}
            Which of them.

        Returns
        -------
        Coded
            Codes, one per battle, and labels.
        """
        checking.one_of(by, GROUPS, "clusters")
        found: Coded | None = getattr(self, GROUPS[by])
        if found is None:
            has = [name for name, attribute in GROUPS.items() if getattr(self, attribute) is not None]
            ways = [Option("clusters", *has, effect="which they have")] if has else []
            raise CallError(
                f"These battles do not say which {by} each belongs to.",
                *ways,
                Option("clusters", None, effect="to take battles for independent"),
            )
        return found

    def take(self, rows: Any, note: str = "") -> Battles:
        """Some of the battles; systems that no longer play go.

        Parameters
        ----------
        rows : array
            Places of the battles, or a mask.
        note : str
            What was done, for the notes.

        Returns
        -------
        Battles
        """
        try:
            a, b = (np.atleast_1d(side[rows]) for side in (self.first, self.second))
        except (IndexError, TypeError, ValueError):
            a = b = np.empty((0, 0))
        if a.ndim != 1:
            raise CallError(f"`rows` are places of the {count(len(self), 'battle')}, or one yes or no for each.")
        rows = np.atleast_1d(np.arange(len(self))[rows])
        if not len(a):
            raise TauscopeError("No battle is left.")
        plays = tally(a, len(self.systems)) + tally(b, len(self.systems)) > 0
        place = np.cumsum(plays) - 1
        groups = {name: _taken(getattr(self, name), rows) for name in GROUPS.values()}
        return replace(
            self,
            first=place[a].astype(np.int32),
            second=place[b].astype(np.int32),
            winner=self.winner[rows],
            systems=tuple(name for name, kept in zip(self.systems, plays, strict=True) if kept),
            notes=(*self.notes, *([note] if note else [])),
            **groups,
        )

    def reordered(self, systems: Sequence[str]) -> Battles:
        """The same battles with the systems in another order.

        Parameters
        ----------
        systems : sequence of str
            All systems of these battles.

        Returns
        -------
        Battles
        """
        at = positions(systems, self.systems, "system")
        if len(at) != len(self.systems):
            raise CallError(
                f"An order of {count(len(self.systems), 'system')} has all of them; this one has {len(at):,}."
            )
        place = np.empty(len(at), np.int32)
        place[at] = np.arange(len(at), dtype=np.int32)
        return replace(self, first=place[self.first], second=place[self.second], systems=tuple(systems))

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        columns: str | Mapping[str, str] | None = None,
        verdicts: Mapping[Any, str] | None = None,
        missing: str = "error",
        self_battles: str = "error",
    ) -> Battles:
        """Read pairwise verdicts from a file, a data frame or records; `notes` say which columns were read.

        Columns are found by their names: model_a and model_b, left and right, …; winner; question_id, prompt; worker,
        user; judge; id, num. Do not use it for scores of single answers, which `Scores.read()` reads.

        Parameters
        ----------
        source : str, Path, data frame or list of dicts
            One row per battle: CSV, TSV, JSON, JSON lines or Parquet.
        columns : str or dict, optional
            Columns with other names: "first=left,second=right,winner=vote". The roles are first, second, winner,
            question, worker, judge and battle.
        verdicts, missing, self_battles
            As in `Battles`.

        Returns
        -------
        Battles

        Raises
        ------
        FileError
            If the file cannot be read, or no columns hold two systems and a winner.

        Examples
        --------
        >>> Battles.read([{"model_a": "x", "model_b": "y", "winner": "model_b"}]).outcomes
        (0, 1, 0)
        """
        reader = importlib.import_module("tauscope.io.columns")
        named = importlib.import_module("tauscope.io.columns").named_columns(columns, reader.COLUMNS)
        made: Battles = reader.read_battles(
            source, **named, verdicts=verdicts, missing=missing, self_battles=self_battles
        )
        return made

    def select(self, *, systems: Iterable[str] | None = None, judge: str | None = None) -> Battles:
        """Only the battles between these systems, or those that one judge decided.

        Parameters
        ----------
        systems : iterable of str, optional
            Both of the two must be among them.
        judge : str, optional
            The label of the judge.

        Returns
        -------
        Battles
        """
        kept = np.ones(len(self), bool)
        notes = []
        if systems is not None:
            chosen = np.zeros(len(self.systems), bool)
            chosen[positions(systems, self.systems, "system")] = True
            kept &= chosen[self.first] & chosen[self.second]
            notes.append(str(Note("battles_between", chosen=int(chosen.sum()), systems=len(self.systems))))
        if judge is not None:
            own = self.groups("judge")
            kept &= own.codes == positions(judge, own.labels, "judge")[0]
            notes.append(f"battles decided by {judge}")
        return self.take(kept, "; ".join(notes))

    def __str__(self) -> str:
        first, second, ties = self.outcomes
        groups = {
            by: len(np.unique(own.codes))
            for by, own in ((by, getattr(self, name)) for by, name in GROUPS.items())
            if own is not None and by != "battle"
        }
        sizes = {"battles": len(self), "systems": len(self.systems), "first": first, "second": second, "ties": ties}
        return "\n".join(map(str, (Note("battles", **sizes, groups=groups), *self.notes[-2:])))

    def columns(self) -> dict[str, Any]:
        """One row per system: battles, wins, losses and ties."""
        m = len(self.systems)
        c = self.cells
        won, lost, tied = (
            sums_by(c.first, c.counts[:, x], m) + sums_by(c.second, c.counts[:, y], m)
            for x, y in ((FIRST, SECOND), (SECOND, FIRST), (TIE, TIE))
        )
        numbers = {"battles": won + lost + tied, "wins": won, "losses": lost, "ties": tied}
        return {"system": list(self.systems)} | {name: values.astype(np.int64) for name, values in numbers.items()}

    def to_dict(self) -> dict[str, Any]:
        """Sizes, notes and the table of systems, ready for JSON."""
        first, second, ties = self.outcomes
        table = {name: list(map(str, v)) if name == "system" else v.tolist() for name, v in self.columns().items()}
        return {
            "battles": len(self),
            "won_by_first": first,
            "won_by_second": second,
            "ties": ties,
            "notes": plain(self.notes),
            "systems": table,
        }


def _listed(values: Any, name: str) -> Sequence[Any]:
    """A column as a list of Python values."""
    if isinstance(values, (list, tuple)):
        return values
    if isinstance(values, (str, bytes, Mapping)):
        raise CallError(f"`{name}` is a {type(values).__name__}; give one value per battle.")
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    try:
        return list(values)
    except TypeError:
        raise CallError(f"`{name}` is of type {type(values).__name__}; give one value per battle.") from None


def _hashable(values: Any, name: str) -> None:
    """An error where a value of a column is a list, a dict or the like."""
    for row, value in enumerate(_listed(() if values is None else values, name), start=1):
        if not isinstance(value, Hashable):
            raise CallError(f"`{name}` of battle {row:,} is a {type(value).__name__}; give a text or a number.")


def _same_length(name: str, own: int, size: int) -> None:
    if own != size:
        raise CallError(f"`first` has {count(size, 'battle')}, and `{name}` has {own:,}.")


def _coded(values: Any, name: str, size: int) -> Coded | None:
    if values is None or isinstance(values, Coded):
        return values
    column = _listed(values, name)
    _same_length(name, len(column), size)
    if size and type(column[0]) is int and (coded := _coded_numbers(np.asarray(column))) is not None:
        return coded
    if size >= _MANY and set(map(type, column)) == {str} and (coded := _coded_texts(column, name)) is not None:
        return coded
    # A value that is met for the first time gets the next number: one look per battle, and there are millions.
    index: defaultdict[Hashable, int] = defaultdict(itertools.count().__next__)
    codes = np.fromiter(map(index.__getitem__, column), np.int64, size)
    _all_named(index, column, name)
    return Coded(codes, tuple(map(str, index)))


def _all_named(found: Iterable[Any], column: Sequence[Any], name: str) -> None:
    for value in found:
        if value is None or value != value or value == "":
            row = next(i for i, other in enumerate(column, 1) if other is value or other == value)
            raise CallError(
                f"`{name}` has no value for battle {row:,}; every battle needs one, or leave the column out."
            )


def _coded_texts(column: Sequence[str], name: str) -> Coded | None:
    """The same of very many texts, a third of the time: sorted by their hash, since a look for each of millions of
    texts waits for the memory. Texts with the same hash have another one compared; None where these differ."""
    size = len(column)
    key, check = (np.fromiter(map(hash, texts), np.int64, size) for texts in (column, map("another ".__add__, column)))
    order = np.argsort(key, kind="stable")
    key, check = key[order], check[order]
    starts = np.concatenate(([True], key[1:] != key[:-1]))
    if not (starts[1:] | (check[1:] == check[:-1])).all():
        return None
    first = order[starts]  # the stable sort has the first of each in front
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    codes = np.empty(size, np.int64)
    codes[order] = number[np.cumsum(starts) - 1]
    labels = tuple(map(column.__getitem__, np.sort(first).tolist()))
    _all_named(labels, column, name)
    return Coded(codes, labels)


def _coded_numbers(values: NDArray[Any]) -> Coded | None:
    """The same of whole numbers that lie close enough for a table of them, in the order in which they come; else
    None."""
    if values.dtype.kind != "i" or values.ndim != 1:
        return None
    low = int(values.min())
    span = int(values.max()) - low + 1
    if span > 8 * len(values):
        return None
    place = np.full(span, -1, np.int64)
    place[values[::-1] - low] = np.arange(len(values))[::-1]  # of several, the one written last stays: the first
    there = np.flatnonzero(place >= 0)
    order = there[np.argsort(place[there])]
    place[order] = np.arange(len(order))
    return Coded(place[values - low], tuple(map(str, (order + low).tolist())))


def _names(first: Sequence[Any], second: Sequence[Any], wanted: Labels) -> tuple[dict[Any, int], Labels]:
    """Name as given -> place, and the names as texts; only different names are looked at one by one."""
    found = dict.fromkeys(first) | dict.fromkeys(second)
    texts: dict[str, int] = {name: i for i, name in enumerate(map(str, wanted))}
    index: dict[Any, int] = {}
    for name in found:
        if name is None or name != name or isinstance(name, bytes) or not str(name).strip():
            row = next(i for i, pair in enumerate(zip(first, second, strict=False)) if any(x is name for x in pair))
            raise TauscopeError(f"A system of battle {row + 1:,} is called {name!r}; names are texts.")
        text = str(name)
        if wanted and text not in texts:
            raise TauscopeError(f"The battles have a system {text!r} that is not among `systems`: {shown(wanted)}.")
        index[name] = texts.setdefault(text, len(texts))
    return index, tuple(texts)


def _self_battles(a: Codes, b: Codes, systems: Labels, how: str) -> tuple[Bools | None, Notes]:
    checking.one_of(how, ("error", "drop"), "self_battles")
    same = a == b
    number = int(same.sum())
    if not number:
        return None, ()
    if how == "error":
        row = int(np.flatnonzero(same)[0])
        raise TauscopeError(
            f"{count(number, 'battle')} of {len(a):,} {'is' if number == 1 else 'are'} of a system against itself, "
            "the first is "
            f"battle {row + 1:,} ({systems[a[row]]!r}).",
            Option("self_battles", "drop", effect=f"to leave {'it' if number == 1 else 'them'} out"),
        )
    return np.asarray(~same), (Note("self_battles", battles=number),)


def _taken(value: Any, rows: Any) -> Any:
    if value is None:
        return None
    return value.taken(rows) if isinstance(value, Coded) else value[rows]


def _all_play(battles: Battles) -> None:
    if not len(battles):
        raise TauscopeError("No battle is left.")
    m = len(battles.systems)
    plays = tally(battles.first, m) + tally(battles.second, m)
    idle = [name for name, number in zip(battles.systems, plays, strict=True) if not number]
    if idle:
        raise TauscopeError(
            f"{count(len(idle), 'system')} of {m:,} {'has' if len(idle) == 1 else 'have'} no battle: {shown(idle)}."
        )


FIRST, SECOND, TIE = 0, 1, 2
MEANINGS = {"first": FIRST, "second": SECOND, "tie": TIE}
Verdicts = NDArray[np.int8]
Codes = NDArray[np.int32]

_PLACES = ("model", "player", "system", "answer", "assistant", "response", "output", "option", "candidate")
_SIDES = ((FIRST, ("a", "1", "x", "left", "first")), (SECOND, ("b", "2", "y", "right", "second")))
_TIES = (
    "tie",
    "draw",
    "equal",
    "equals",
    "same",
    "both",
    "none",
    "neither",
    "no preference",
    "c",
    "[[c]]",
    "1.5",
    "0.5",
    "both good",
    "bothgood",
    "tie (both good)",
    "tie (bothgood)",
)
#: Ties that say more than "equal": both answers are bad. They count as ties, and the notes say how many there are.
BOTH_BAD = ("tie (bothbad)", "tie (both bad)", "bothbad", "both bad", "both_bad", "tie_bothbad", "tie (both_bad)")

#: Spelling, in lower case, -> what it means.
SPELLINGS: dict[str, int] = dict.fromkeys((*_TIES, *BOTH_BAD), TIE)
for _meaning, _words in _SIDES:
    for _word in _words:
        SPELLINGS |= dict.fromkeys((_word, f"[[{_word}]]", f"{_word}.0", f"{_word} wins"), _meaning)
        SPELLINGS |= dict.fromkeys(
            [f"{place}{gap}{_word}" for place in _PLACES for gap in ("_", " ", "-", "")], _meaning
        )
#: 1, 0 and -1 where a -1 is there: first, tie, second.
_SIGNS = {"1": FIRST, "1.0": FIRST, "0": TIE, "0.0": TIE, "-1": SECOND, "-1.0": SECOND}


def settle(
    winner: Sequence[Any], first: Codes, second: Codes, systems: Sequence[str], meanings: Mapping[Any, str] | None
) -> tuple[Verdicts, Notes]:
    """Verdicts as 0, 1 and 2, and -1 where there is none; and the notes on how they were read.

    A winner is a word for its side or for a tie, or the name of one of the two systems.
    """
    own = _given(meanings)
    found = Counter(winner)
    words = {_text(value) for value in found} - {""}
    known = _SIGNS if words <= set(_SIGNS) and words & {"-1", "-1.0"} else SPELLINGS
    place = {name: i for i, name in enumerate(systems)}
    code: dict[Hashable, int] = {}
    names: dict[Hashable, int] = {}
    both: dict[Hashable, int] = {}
    for value in found:
        text = _text(value)
        if value in own or text in own:
            code[value] = own[value] if value in own else own[text]
        elif text == "":
            code[value] = -1
        elif str(value) in place:
            (both if text in known else names)[value] = place[str(value)]
        elif text in known:
            code[value] = known[text]
        else:
            _unknown(value, found, systems)
    sides = any(code[value] in (FIRST, SECOND) for value in code)
    if both and not sides and not names and not _agree(winner, first, second, both, known):
        value = next(iter(both))
        raise CallError(
            f"The winner {value!r} is a system's name and a word for a verdict.",
            Option("verdicts", effect=f"to say what it means, such as {{{value!r}: 'first'}}"),
        )
    # A name that is a word too is read as the other winners are.
    for value, at in both.items():
        if sides:
            code[value] = known[_text(value)]
        else:
            names[value] = at
    if not names:
        result = np.fromiter(map(code.__getitem__, winner), np.int8, len(winner))
    else:
        result = _by_name(winner, first, second, systems, code, names)
    return result, _notes(found, code)


def _agree(
    winner: Sequence[Any], first: Codes, second: Codes, both: Mapping[Hashable, int], known: Mapping[str, int]
) -> bool:
    """Whether winners mean the same, taken as names and as words."""
    for value, i, j in zip(winner, first, second, strict=True):
        if value in both and {FIRST: i, SECOND: j}.get(known[_text(value)]) != both[value]:
            return False
    return True


def _by_name(
    winner: Sequence[Any],
    first: Codes,
    second: Codes,
    systems: Sequence[str],
    code: Mapping[Hashable, int],
    names: Mapping[Hashable, int],
) -> Verdicts:
    """Verdicts where winners are names: each must be one of the two."""
    spoken = {value: -2 - place for value, place in names.items()} | dict(code)
    raw = np.fromiter(map(spoken.__getitem__, winner), np.int64, len(winner))
    named = raw <= -2
    who = -2 - raw
    result = np.where(named, np.where(who == first, FIRST, SECOND), raw)
    wrong = np.flatnonzero(named & (who != first) & (who != second))
    if wrong.size:
        row = int(wrong[0])
        raise TauscopeError(
            f"The winner of battle {row + 1:,} is {winner[row]!r}, and it was between {systems[first[row]]!r} and "
            f"{systems[second[row]]!r}."
        )
    return result.astype(np.int8)


def _given(meanings: Mapping[Any, str] | None) -> dict[Any, int]:
    if meanings is None:
        return {}
    if not isinstance(meanings, Mapping):
        raise CallError(
            f"verdicts={meanings!r}: give a dict of spellings, such as {{'A': 'first', 'B': 'second', 'C': 'tie'}}."
        )
    for spelling, meaning in meanings.items():
        if meaning not in MEANINGS and meaning != "missing":
            raise CallError(
                f"verdicts={{{spelling!r}: {meaning!r}}}: a verdict is 'first', 'second', 'tie' or 'missing'."
            )
    return {spelling: MEANINGS.get(meaning, -1) for spelling, meaning in meanings.items()}


def _text(value: Any) -> str:
    """A verdict in lower case; "" where there is none."""
    if value is None or value != value:
        return ""
    return str(value).strip().lower()


def _unknown(value: Any, found: Mapping[Any, int], systems: Sequence[str]) -> None:
    raise TauscopeError(
        f"{count(found[value], 'battle')} {'has' if found[value] == 1 else 'have'} the winner {value!r}, which is "
        "neither a "
        f"side, nor a tie, nor one of the {count(len(systems), 'system')} ({shown(systems, 3)}).",
        Option("verdicts", effect=f"to say what it means, such as {{{value!r}: 'tie'}}, or {{{value!r}: 'missing'}}"),
    )


def _notes(found: Mapping[Any, int], code: Mapping[Hashable, int]) -> Notes:
    """How spellings were read that are not plainly a side or a tie."""
    bad = sum(number for value, number in found.items() if _text(value) in BOTH_BAD and code.get(value) == TIE)
    return (Note("both_bad", battles=bad),) if bad else ()


def drop_missing(outcome: Verdicts, missing: str) -> tuple[NDArray[np.bool_] | None, Notes]:
    """Which battles have a verdict, None where all have; an error where `missing` is "error" and some have none."""
    checking.one_of(missing, ("error", "drop"), "missing")
    without = int((outcome < 0).sum())
    if not without:
        return None, ()
    if missing == "error":
        row = int(np.flatnonzero(outcome < 0)[0])
        raise TauscopeError(
            f"{count(without, 'battle')} of {len(outcome):,} {'has' if without == 1 else 'have'} no winner, the "
            "first is battle "
            f"{row + 1:,}.",
            Option("missing", "drop", effect=f"to leave {'it' if without == 1 else 'them'} out"),
            Advice("A tie is written as 'tie'."),
        )
    return outcome >= 0, (Note("no_winner", battles=without),)
