"""What is known of a table before it is read, and which of its columns has which role by its name and its cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..errors import Advice, CallError, FileError, Option
from ..scores.labels import shown
from ..scores.remarks import Remark
from .cells import MISSING
from .turns import Names

#: Names of columns that are recognised, compared in lower case with `_` for spaces and hyphens.
ROLES: dict[str, tuple[str, ...]] = {
    "system": (
        *("system", "run", "name", "model"),
        *("run_id", "runid", "run_name", "system_id", "system_name", "model_name", "models", "systems"),
        *("method", "submission", "algorithm", "llm"),
    ),
    "topic": (
        *("topic", "qid", "query_id", "query", "task", "topic_id", "topicid", "queryid", "q_id", "task_id"),
        *("question_id", "instance_id", "benchmark", "dataset", "topics", "tasks", "question", "instance"),
    ),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    "judge": ("judge", "annotator", "assessor", "rater", "labeler", "labeller", "judged_by"),
}
_ROLE_OF = {name: role for role, names in ROLES.items() for name in names}
#: What `columns=` can settle, and other words for it.
CHOICES = {
    **{role: role for role in ("system", "topic", "measure", "value", "keep", "drop")},
    "name": "system",
    "model": "system",
    "run": "system",
    "task": "topic",
    "judge": "measure",
    "score": "value",
}


@dataclass(frozen=True)
class Asked:
    """What the caller says of the columns: which is what, the names that the other file of a pair has, and which
    columns are left out before anything is looked at."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    like: Names | None = None
    drop: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Mapping[str, str | Sequence[str]] | str | None, like: Names | None = None) -> Asked:
        """Names of columns by what they are, also as "name=model,score=arena_score"; an unknown word for what they are
        is an error that lists those there are."""
        pairs: list[tuple[str, str | Sequence[str]]]
        if isinstance(columns, str):
            pairs = [(key.strip(), name) for key, _, name in (part.partition("=") for part in columns.split(","))]
        else:
            pairs = list((columns or {}).items())
        found: dict[str, tuple[str, ...]] = {}
        for key, names in pairs:
            if key not in CHOICES or not names:
                raise CallError(
                    f"columns={columns!r}: write WHAT=COLUMN, such as name=model,score=arena_score; what a column can "
                    f"be: {', '.join(CHOICES)}."
                )
            role = CHOICES[key]
            found[role] = (*found.get(role, ()), *((names,) if isinstance(names, str) else names))
        drop = found.pop("drop", ())
        return cls(found, like, drop)


#: Where the caller says nothing of the columns.
NOTHING = Asked()


class Look(NamedTuple):
    """What is known of a table before it is read: where it is, its header, and which columns hold numbers."""

    where: str
    header: Sequence[str]
    #: Whether the first rows of each column are numbers, or missing.
    numeric: Sequence[bool]
    #: Whether they are different whole numbers, as ids are, and not all 0 or 1.
    like_ids: Callable[[int], bool]
    #: The first cells of a column as texts.
    cells: Callable[[int], Sequence[str]] = lambda column: ()

    def error(self, text: str, *ways_out: Option | Advice) -> FileError:
        """The error that starts with the place of the header."""
        return FileError(f"{self.where}: {text}", *ways_out)

    def remark(self, text: str, code: str, effect: str, suggestion: str, severity: str = "warning") -> Remark:
        """A remark that starts with the place of the header."""
        return Remark(
            text, where=Path(self.where).name, code=code, effect=effect, suggestion=suggestion, severity=severity
        )

    def names_rows(self, column: int) -> bool:
        """Whether the cells can be names: texts, or whole numbers; scores have decimals."""
        return not self.numeric[column] or all(_is_whole(text) or not text.strip() for text in self.cells(column))

    def holds_text(self, column: int) -> bool:
        """Whether the cells are texts; one that is half numbers has cells that are wrong, and the reader names them."""
        if self.numeric[column]:
            return False
        known = [text for text in self.cells(column) if text.strip().lower() not in MISSING]
        return sum(_NUMBER_LIKE.fullmatch(text.strip()) is not None for text in known) * 2 < max(len(known), 1)

    def counts_rows(self, column: int) -> bool:
        """Whether the cells are 0, 1, 2, … or 1, 2, 3, …: they number the rows."""
        cells = self.cells(column)
        whole = [float(text) for text in cells if _is_whole(text)]
        return len(whole) == len(cells) > 0 and whole in (
            list(range(len(cells))),
            list(range(1, len(cells) + 1)),
        )

    def different(self, column: int) -> bool:
        """Whether no two of the first cells are the same."""
        cells = self.cells(column)
        return len(set(cells)) == len(cells)


#: A number, also one with a decimal comma, thousands separators or a percent sign.
_NUMBER_LIKE = re.compile(r"[+-]?[\d.,' \u00a0]+(e[+-]?\d+)?\s*%?", re.IGNORECASE)


#: No `isdigit()`, which takes ² and --1 for numbers.
_WHOLE = re.compile(r"[+-]?\d+(\.0)?")


def _is_whole(text: str) -> bool:
    return _WHOLE.fullmatch(text.strip()) is not None


def role_of(name: str) -> str | None:
    """system, topic, measure, value or judge, where a column has the name of one."""
    return _ROLE_OF.get(name.strip().lower().replace(" ", "_").replace("-", "_"))


def roles(look: Look, asked: Asked = NOTHING) -> dict[str, int]:
    """The column of each role; two columns for one role are an error. A column of scores is none, whatever its name."""
    found: dict[str, int] = {}
    for role, names in asked.columns.items():
        if role == "keep":  # columns or rows, which are known once the table is read
            continue
        places = [column_of(look, name) for name in names]
        if role != "value" or len(places) == 1:
            found[role] = places[0]
    chosen, several = set(found.values()), set[str]()
    for column, name in enumerate(look.header):
        own = role_of(name)
        if own is None or own in asked.columns or column in chosen or not _fits(look, column, own):
            continue
        if own == "value" and "value" in found and not any(map(look.holds_text, _beside_topics(look))):
            several.add(own)  # a wide matrix whose systems are called value and score
            continue
        if own in found:
            first = look.header[found[own]]
            raise look.error(
                f"the columns {first!r} and {name!r} could both be the {own}.",
                Advice("Rename or remove one."),
                Option("columns", f"{own}={first}", f"{own}={name}", effect="to say which"),
                *_by_rows(look, found[own], own),
            )
        found[own] = column
    return {role: column for role, column in found.items() if role not in several}


def _beside_topics(look: Look) -> list[int]:
    return [column for column, name in enumerate(look.header) if role_of(name) != "topic"]


def column_of(look: Look, name: str) -> int:
    """The place of a column that somebody named; an error lists those there are."""
    return place_of(name, look.header, look.where)


def place_of(name: str, header: Sequence[str], where: str) -> int:
    """The same of any header."""
    if name not in header:
        raise FileError(f"{where}: there is no column {name!r}; there are {shown(header, 40)}.")
    return list(header).index(name)


def _fits(look: Look, column: int, role: str) -> bool:
    if role == "value" or look.header[column] == role:  # a column called system names systems, whatever they are called
        return True
    return not look.numeric[column] if role in ("measure", "judge") else look.names_rows(column)


def _by_rows(look: Look, names: int, role: str) -> list[Option]:
    """The way out for a table with one row per topic or system, where every other column can be a score."""
    formats = {"topic": ("wide", "systems"), "system": ("turned", "topics")}
    if role not in formats or texts_beside(look, names):
        return []
    name, others = formats[role]
    return [Option("format", name, effect=f"if the other columns are {others}")]


def texts_beside(look: Look, column: int) -> list[str]:
    """The names of the other columns that hold texts."""
    return [name for i, name in enumerate(look.header) if i != column and not look.numeric[i]]
