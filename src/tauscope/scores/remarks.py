"""Remarks: notes on scores that a reader must know before any number, with what they do to the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from .labelled import KEPT


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
