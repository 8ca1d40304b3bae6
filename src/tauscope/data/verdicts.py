"""What a verdict on two answers says: the spellings that public files use for the first, the second, and neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checking
from ..errors import Advice, CallError, Option, TauscopeError
from ..results import count
from .labels import shown

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
) -> tuple[Verdicts, tuple[str, ...]]:
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


def _notes(found: Mapping[Any, int], code: Mapping[Hashable, int]) -> tuple[str, ...]:
    """How spellings were read that are not plainly a side or a tie."""
    bad = sum(number for value, number in found.items() if _text(value) in BOTH_BAD and code.get(value) == TIE)
    return (f"{count(bad, 'battle')} in which both were bad taken as ties",) if bad else ()


def drop_missing(outcome: Verdicts, missing: str) -> tuple[NDArray[np.bool_] | None, tuple[str, ...]]:
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
    return outcome >= 0, (f"{count(without, 'battle')} without a winner left out",)
