"""The layout of a table: which column is topic, system, measure or score, and whether rows are topics or systems.

Text, data frames and JSON records are tables (`Table`). `layout()` decides what the columns of scores on topics are,
and `table_layout()` those of systems by measures. Where the names leave it open, the error says how to choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..core.arrays import Floats
from ..data.labels import Remark, shown
from ..data.names import MeasureName
from ..data.summaries import MOST_NAMES, is_no_score, is_rank, is_summary, is_unnamed
from ..errors import Advice, CallError, FileError, Option
from ..results import Note, Notes, count
from .numerals import MISSING, is_number, like_ids

#: Every `format=` for a table.
FORMATS = (
    "long",  # one row per score: columns topic and value, perhaps system and measure
    "measures",  # one row per system and topic, one column per measure
    "wide",  # one row per topic, named in the first column; one column per system
    "matrix",  # one row per topic, without names; one column per system
    "turned",  # one row per system, named in the first column; one column per topic
    "numbers",  # numbers only: one row per topic, one column per system, no header
)


class Layout(NamedTuple):
    """The layout of a table: its kind, and the place of each column.

    Attributes
    ----------
    kind : str
        One of `FORMATS`, or "list" for systems and scores.
    system, topic, measure : int or None
        The columns that name them; None if there is no such column.
    values : tuple of int
        The columns that hold scores.
    ignored : tuple of int
        The columns that are left out.
    remarks : tuple of Remark
        Why columns are left out, and what was decided about rows and columns.
    """

    kind: str
    system: int | None = None
    topic: int | None = None
    measure: int | None = None
    values: tuple[int, ...] = ()
    ignored: tuple[int, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def named(self) -> dict[str, int]:
        """The columns of names: "system", "topic" and "measure" -> place, as far as there are such columns."""
        places = {"system": self.system, "topic": self.topic, "measure": self.measure}
        return {role: place for role, place in places.items() if place is not None}

    @property
    def by_cell(self) -> bool:
        """Whether rows name topic and system, and not only one of them."""
        return self.kind in ("long", "measures")


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
    """What the caller says of the columns of a table.

    Attributes
    ----------
    columns : mapping
        Role -> names of columns. A role is "system", "topic", "measure" or "value"; "keep" names columns or rows that
        are not to be left out.
    like : Names or None
        The systems and topics of the other file of a pair.
    drop : tuple of str
        Columns that are left out before anything is looked at.
    """

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    like: Names | None = None
    drop: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Mapping[str, str | Sequence[str]] | str | None, like: Names | None = None) -> Asked:
        """Understand the argument `columns=` of the readers and of the shell.

        Parameters
        ----------
        columns : mapping, str or None
            Role -> column or columns, or "name=model,score=arena_score".
        like : Names, optional
            The systems and topics of the other file of a pair.

        Returns
        -------
        Asked

        Raises
        ------
        CallError
            If a role is unknown; the error lists those there are.

        Examples
        --------
        >>> Asked.of("name=model,drop=params").columns
        {'system': ('model',)}
        >>> Asked.of({"score": ["math", "code"]}).columns
        {'value': ('math', 'code')}
        """
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


class Rows(NamedTuple):
    """The cells that a layout takes from a table: `values` has one row per row of the table, one column per column of
    scores; `names` has the cells of the columns that name a "system", a "topic" or a "measure"; `lines` says on which
    line of a text each row begins."""

    values: Floats
    names: Mapping[str, list[str]]
    lines: Sequence[int] | None = None


class Table:
    """A table whose first rows are known: the names of its columns, and what their cells are like.

    A reader of text, of data frames or of JSON records inherits from it, sets the attributes, and says how rows are
    read. What the columns hold is decided by `layout()`, for all of them alike.

    Attributes
    ----------
    source : str
        What is read; errors about a row start with it.
    where : str
        The place of the header; errors about columns start with it.
    header : list of str
        The names of the columns.
    numeric : sequence of bool
        Whether the first cells of each column are numbers, or missing.
    first : sequence of sequence of str
        The first cells of each column as texts.
    settled : str or None
        The layout that is known beforehand, as the names of the axes of a data frame tell it.
    library : str or None
        The library of a data frame.
    """

    source: str
    where: str
    header: list[str]
    numeric: Sequence[bool]
    first: Sequence[Sequence[str]]
    settled: str | None = None
    library: str | None = None

    def drop(self, names: Sequence[str]) -> None:
        """Leave out columns that the caller does not want."""
        raise NotImplementedError

    def rows(self, chosen: Layout) -> Rows:
        """Read the columns that the layout names."""
        raise NotImplementedError

    def notes(self, chosen: Layout) -> Notes:
        """Say how the table was read, and what is odd about it."""
        raise NotImplementedError

    def keep_header(self) -> None:
        """Take the header of a text for a row like all others; a data frame has one in any case."""

    def cells(self, column: int) -> Sequence[str]:
        """Return the first cells of a column as texts."""
        return self.first[column]

    def like_ids(self, column: int) -> bool:
        """Whether the first cells are different whole numbers, as ids are, and not all 0 or 1."""
        return like_ids(self.first[column])

    def error(self, text: str, *ways_out: Option | Advice) -> FileError:
        """Return the error that starts with the place of the header."""
        return FileError(f"{self.where}: {text}", *ways_out)

    def remark(self, text: str, code: str, effect: str, suggestion: str, severity: str = "warning") -> Remark:
        """Return a remark that starts with the place of the header."""
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
    """Return what a column holds by its name: "system", "topic", "measure", "value" or "judge".

    None for any other name; spaces, hyphens and case do not matter.

    Examples
    --------
    >>> role_of("Query ID"), role_of("model"), role_of("bm25")
    ('topic', 'system', None)
    """
    return _ROLE_OF.get(name.strip().lower().replace(" ", "_").replace("-", "_"))


def roles(table: Table, asked: Asked = NOTHING) -> dict[str, int]:
    """Find the column of each role.

    A column is known by its name, and taken only if its cells fit: names of systems and topics are texts or whole
    numbers. What the caller says of the columns comes first.

    Parameters
    ----------
    table : Table
        The table.
    asked : Asked
        What the caller says.

    Returns
    -------
    dict
        Role -> place of the column.

    Raises
    ------
    FileError
        If two columns could have one role; the fixes name both.
    """
    found: dict[str, int] = {}
    for role, names in asked.columns.items():
        if role == "keep":  # columns or rows, which are known once the table is read
            continue
        places = [column_of(table, name) for name in names]
        if role != "value" or len(places) == 1:
            found[role] = places[0]
    chosen, several = set(found.values()), set[str]()
    for column, name in enumerate(table.header):
        own = role_of(name)
        if own is None or own in asked.columns or column in chosen or not _fits(table, column, own):
            continue
        if own == "value" and "value" in found and not any(map(table.holds_text, _beside_topics(table))):
            several.add(own)  # a wide matrix whose systems are called value and score
            continue
        if own in found:
            first = table.header[found[own]]
            raise table.error(
                f"the columns {first!r} and {name!r} could both be the {own}.",
                Advice("Rename or remove one."),
                Option("columns", f"{own}={first}", f"{own}={name}", effect="to say which"),
                *_by_rows(table, found[own], own),
            )
        found[own] = column
    return {role: column for role, column in found.items() if role not in several}


def _beside_topics(table: Table) -> list[int]:
    return [column for column, name in enumerate(table.header) if role_of(name) != "topic"]


def column_of(table: Table, name: str) -> int:
    """Return the place of a column that somebody named; the error lists the columns there are."""
    return place_of(name, table.header, table.where)


def place_of(name: str, header: Sequence[str], where: str) -> int:
    """Return the place of a column in a header; the error, which starts with `where`, lists the columns there are."""
    if name not in header:
        raise FileError(f"{where}: there is no column {name!r}; there are {shown(header, 40)}.")
    return list(header).index(name)


def _fits(table: Table, column: int, role: str) -> bool:
    """Whether the cells of a column can be what its name says."""
    if (
        role == "value" or table.header[column] == role
    ):  # a column called system names systems, whatever they are called
        return True
    return not table.numeric[column] if role in ("measure", "judge") else table.names_rows(column)


def _by_rows(table: Table, names: int, role: str) -> list[Option]:
    """The way out for a table with one row per topic or system, where every other column can be a score."""
    formats = {"topic": ("wide", "systems"), "system": ("turned", "topics")}
    if role not in formats or texts_beside(table, names):
        return []
    name, others = formats[role]
    return [Option("format", name, effect=f"if the other columns are {others}")]


def texts_beside(table: Table, column: int) -> list[str]:
    """Return the names of the other columns that hold texts."""
    return [name for i, name in enumerate(table.header) if i != column and not table.numeric[i]]


def scores_of(
    table: Table, names: set[int | None], asked: Asked
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[Remark, ...]]:
    """Divide the columns beside the names into those that hold scores and those that are left out.

    Texts are left out, and by their names columns that number the rows, summarise the others, or hold ranks, sizes,
    dates and votes. If nothing were left, names alone leave nothing out: then they may be names of systems or topics.

    Parameters
    ----------
    table : Table
        The table.
    names : set of int or None
        The columns that name systems, topics and judges.
    asked : Asked
        What the caller says; "keep" and "value" name columns that stay.

    Returns
    -------
    tuple
        The places of the scores, those left out, and remarks that say why.
    """
    keep = {*asked.columns.get("keep", ()), *asked.columns.get("value", ())}
    for name in asked.columns.get("value", ()):
        column_of(table, name)
    others = [column for column in range(len(table.header)) if column not in names]
    if "value" in asked.columns:
        others = [column for column in others if table.header[column] in keep]
    reasons = {column: reason for column in others if (reason := _no_score(table, column, keep)) is not None}
    kept = tuple(column for column in others if column not in reasons)
    if not kept:  # names alone leave nothing: then they are taken for names of systems or topics
        reasons = {column: reason for column, reason in reasons.items() if reason == "text"}
        kept = tuple(column for column in others if column not in reasons)
    remarks = [
        table.remark(
            f"{count(len(columns), 'column')} left out, {own.why}: {shown(columns, 8)}",
            own.code,
            own.effect,
            "write numbers if they should be scores"
            if kind == "text"
            else f"keep it by name (columns, keep={columns[0]}) if it holds scores",
            "note" if kind == "text" else "warning",
        )
        for kind, own in _REASONS.items()
        if (columns := [table.header[column] for column, reason in reasons.items() if reason == kind])
    ]
    return kept, tuple(reasons), tuple(remarks)


class Reason(NamedTuple):
    """Why a column holds no scores: what the finding is called, what is said, and what the column would have done."""

    code: str
    why: str
    effect: str


_REASONS = {
    "index": Reason(
        "index-column", "numbering the rows", "as a system or topic it would have counted the rows as scores"
    ),
    "summary": Reason(
        "summary-column",
        "summaries of the others by name",
        "it would have counted the others once more, or ranks as scores",
    ),
    "no score": Reason("no-score-column", "no scores by name", "sizes, dates and votes would have counted as scores"),
    "text": Reason("text-column", "texts", "texts are not scores"),
}


def _no_score(table: Table, column: int, keep: set[str]) -> str | None:
    name = table.header[column]
    if table.holds_text(column):
        return "text"
    if name in keep or not table.numeric[column]:
        return None
    if len(table.header) > MOST_NAMES:
        return None
    if is_unnamed(name) and table.counts_rows(column):
        return "index"
    if is_summary(name) or is_rank(name):
        return "summary"
    return "no score" if is_no_score(name) else None


def layout(table: Table, wanted: str | None = None, asked: Asked = NOTHING) -> Layout:
    """Decide the layout of a table with scores on topics.

    The names of the columns decide; the cells say which columns can hold names and which scores. A table has the
    columns of one row per score ("long"), of one row per system and topic ("measures"), or one row per topic ("wide",
    "matrix") or per system ("turned").

    Parameters
    ----------
    table : Table
        Text, a data frame or records.
    wanted : str, optional
        The layout that was asked for, one of `FORMATS`.
    asked : Asked
        What the caller says of the columns.

    Returns
    -------
    Layout

    Raises
    ------
    FileError
        If no layout fits, or two would; the fixes say how to choose.
    CallError
        If `wanted` is unknown.

    See Also
    --------
    table_layout : Systems by measures, without topics.
    """
    if wanted is not None:
        return _asked(table, wanted, asked)
    if all(name.strip() and is_number(name) for name in table.header):
        raise table.error(
            "the first line holds numbers only, so the systems have no names.",
            Advice("Add a line of names."),
            Option("format", "numbers", effect="to number topics and systems"),
        )
    found = roles(table, asked)
    if "judge" in found and "measure" not in found:
        found["measure"] = found["judge"]
    if "value" in found and "topic" in found and not _is_matrix(table, found, asked):
        return _long(table, found, sure="value" in asked.columns)
    if "topic" in found and "system" in found and not _is_matrix(table, found, asked):
        return _measures(table, found, asked)
    if "topic" in found:
        return _topics_named(table, found, asked)
    if "system" in found:
        return _systems_named(table, found, asked)
    if is_unnamed(table.header[0]):
        return _unnamed_first(table, asked)
    return _unnamed(table, asked)


def _is_matrix(table: Table, found: dict[str, int], asked: Asked) -> bool:
    """Whether every column but that of topics is a system, some of them called `name`, `run`, `value` or `score`."""
    if asked.columns:
        return False
    topic = found["topic"]
    others = [column for column in range(len(table.header)) if column != topic and not is_unnamed(table.header[column])]
    if not all(table.numeric[column] for column in others) or len(others) < 2:
        return False
    named = [column for column in others if role_of(table.header[column])]
    refused = [column for column in named if column not in found.values()]
    if refused:
        return True
    system = found.get("system")
    # A long table repeats its topics, or goes through them system by system.
    several = system is not None and len(set(table.cells(system))) > 1
    return several and len(table.cells(topic)) > 1 and table.different(topic)


def _systems_named(table: Table, found: dict[str, int], asked: Asked) -> Layout:
    """One row per system: a board, where there are several columns of scores that are no measures."""
    system = found["system"]
    kept, ignored, remarks = scores_of(table, {system, found.get("judge")}, asked)
    measures = [column for column in kept if MeasureName.parse(table.header[column]).known]
    if "value" in asked.columns and kept:
        return Layout("turned", system=system, values=kept, ignored=ignored, remarks=remarks)
    if len(kept) < 2 or len(measures) == len(kept):
        raise table.error(
            f"there is a column of systems, {table.header[system]!r}, and none of topics.",
            Advice(
                "A table of systems by measures is read by measures.Table.read(), a list of systems and scores by "
                "Ranking.read().",
                "",
            ),
            *([Option("format", "turned", effect="if the other columns are topics")] if kept else []),
        )
    told = table.remark(
        f"one row per system, named in {table.header[system]!r}, and one column per topic ({len(kept):,})",
        "layout",
        "the mean over these columns ranks the systems",
        "read it as wide (format) if the rows are topics",
        "note",
    )
    return Layout(
        "turned", system=system, measure=found.get("measure"), values=kept, ignored=ignored, remarks=(told, *remarks)
    )


def _asked(table: Table, wanted: str, asked: Asked) -> Layout:
    if wanted not in FORMATS:
        raise CallError(f"format={wanted!r} is unknown for a table.", Option("format", *FORMATS))
    everything = tuple(range(len(table.header)))
    if wanted in ("matrix", "numbers"):
        return Layout(wanted, values=everything)
    if wanted in ("wide", "turned"):
        role = "topic" if wanted == "wide" else "system"
        own = [column for column, name in enumerate(table.header) if role_of(name) == role]
        own = [column_of(table, name) for name in asked.columns.get(role, ())] or own
        return _wide(table, own[0] if len(own) == 1 else 0, asked, turned=wanted == "turned")
    found = roles(table, asked)
    needed = ("topic", "value") if wanted == "long" else ("topic",)
    for role in needed:
        if role not in found:
            names = ", ".join(ROLES[role][:5])
            raise table.error(
                f"format={wanted!r} needs a column of {role}s, called {names}; there are {shown(table.header, 40)}."
            )
    return _long(table, found, sure=True) if wanted == "long" else _measures(table, found, asked, sure=True)


def _long(table: Table, found: dict[str, int], *, sure: bool = False) -> Layout:
    value = found["value"]
    if not table.numeric[value]:
        raise table.error(f"the column {table.header[value]!r} should hold scores, and holds texts.")
    taken = set(found.values())
    ignored = tuple(column for column in range(len(table.header)) if column not in taken)
    numbers = [table.header[column] for column in ignored if table.numeric[column]]
    if numbers and not sure and "system" not in found and "measure" not in found:
        raise table.error(
            f"the columns {shown([table.header[value], *numbers])} all hold numbers.",
            Option("format", "wide", effect="if each is a system"),
            Option("format", "long", effect=f"if the scores are in {table.header[value]!r} alone"),
        )
    return Layout("long", found.get("system"), found["topic"], found.get("measure"), (value,), ignored)


def _measures(table: Table, found: dict[str, int], asked: Asked, *, sure: bool = False) -> Layout:
    system = found.get("system")
    if system is not None and not sure and table.numeric[system]:
        raise table.error(
            f"the column {table.header[system]!r} holds numbers.",
            Option("format", "wide", effect="if it is a system like the others"),
            Option("format", "measures", effect="if it names the systems"),
        )
    if "measure" in found and "judge" not in found:
        raise table.error(
            f"there is a column {table.header[found['measure']]!r} and none of scores.",
            Advice("Call the column of scores 'value'."),
        )
    kept, ignored, remarks = scores_of(table, {found["topic"], system, found.get("judge")}, asked)
    if not kept or not any(table.numeric[column] for column in kept):
        raise table.error(f"no column holds scores; there are {shown(table.header, 40)}.")
    return Layout("measures", system, found["topic"], None, kept, ignored, remarks)


def _topics_named(table: Table, found: dict[str, int], asked: Asked) -> Layout:
    topic = found["topic"]
    others = _others(table, topic)
    if others and all(MeasureName.parse(table.header[column]).known for column in others):
        return _measures(table, found, asked)
    if "measure" in found and "judge" not in found:
        return _measures(table, found, asked)
    return _wide(table, topic, asked)


def _wide(table: Table, names: int, asked: Asked, *, turned: bool = False) -> Layout:
    _others(table, names)
    texts = texts_beside(table, names)
    judge = next((list(table.header).index(name) for name in texts if role_of(name) == "judge"), None)
    kept, ignored, remarks = scores_of(table, {names, judge}, asked)
    if not kept:
        raise table.error(
            f"the column {texts[0]!r} should hold scores, and holds texts.",
            Advice("A long table needs columns called system, topic and value."),
        )
    places: tuple[int | None, int | None] = (names, None) if turned else (None, names)
    return Layout("turned" if turned else "wide", *places, judge, kept, ignored, remarks)


def _unnamed_first(table: Table, asked: Asked) -> Layout:
    """The first column has no name: it names the rows, topics unless something tells that they are systems."""
    rest = [table.header[column] for column in range(1, len(table.header))]
    way, why = which_way(table.cells(0), rest, asked.like)
    if table.numeric[0]:
        return _wide(table, 0, asked, turned=way == "turned")
    what = "systems" if way == "turned" else "topics"
    return _taken(table, asked, way, Note("rows_taken", what=what, why=why), "they are", sure=bool(why))


def _taken(table: Table, asked: Asked, way: str, text: Note, they_are: str, *, sure: bool) -> Layout:
    """The first column names the rows, which are taken for topics or systems; a remark says so."""
    chosen = _wide(table, 0, asked, turned=way == "turned")
    told = table.remark(
        str(text),
        "layout" if sure else "layout-guessed",
        "systems and topics would change places otherwise",
        f"read it as {'wide' if way == 'turned' else 'turned'} (format) if {they_are} not",
        "note" if sure else "warning",
    )
    return chosen._replace(remarks=(told, *chosen.remarks))


def _unnamed(table: Table, asked: Asked) -> Layout:
    """No column has a name that is recognised."""
    if not table.numeric[0]:
        return _first_is_text(table, asked)
    texts = texts_beside(table, 0)
    if texts:
        raise table.error(
            f"the column {texts[0]!r} holds texts, and its name does not say what they are.",
            _RENAME,
            Option("columns", f"topic={texts[0]}", f"system={texts[0]}", effect="to say what they name"),
        )
    if all(MeasureName.parse(name).known for name in table.header):
        raise table.error(
            f"the columns are measures ({shown(table.header, 3)}), not systems.",
            Advice("Read a table of systems by measures with measures.Table.read().", ""),
            Option("format", "matrix", effect="if they are systems"),
        )
    if table.like_ids(0) and not all(table.like_ids(column) for column in range(1, len(table.header))):
        raise table.error(
            f"does the first column, {table.header[0]!r}, number the topics, or is it a system?",
            Advice("Call it 'topic'."),
            Option("format", "wide", effect="if it numbers the topics"),
            Option("format", "matrix", effect="if it is a system"),
        )
    kept, ignored, remarks = scores_of(table, set(), asked)
    return Layout("matrix", values=kept, ignored=ignored, remarks=remarks)


def _first_is_text(table: Table, asked: Asked) -> Layout:
    """The first column names the rows, and its own name does not say what they are."""
    names = table.header[0]
    numbers = [column for column in range(1, len(table.header)) if table.numeric[column]]
    texts = texts_beside(table, 0)
    way, why = which_way(table.cells(0), [table.header[column] for column in numbers], asked.like)
    if numbers and not why and all(MeasureName.parse(table.header[column]).known for column in numbers):
        raise table.error(f"no column of topics and scores is recognised among {shown(table.header)}.", _RENAME)
    if numbers and why and table.different(0):
        what = "systems" if way == "turned" else "topics"
        text = Note("first_column_taken", column=repr(names), what=what, why=why)
        return _taken(table, asked, way, text, "it is", sure=True)
    if texts and (len(numbers) < 2 or not table.different(0)):
        raise table.error(
            f"no column of topics and scores is recognised among {shown(table.header)}.",
            _RENAME,
            Option("columns", effect="as system=…, topic=… and value=…, to say which is which"),
        )
    raise table.error(
        f"does the first column, {names!r}, name topics or systems?",
        Advice("Call it 'topic' or 'system'."),
        Option("format", "wide", effect="if it names topics"),
        Option("format", "turned", effect="if it names systems"),
    )


_RENAME = Advice("Call the columns system, topic, measure and value, or topic and then one for each system.")


def table_layout(table: Table, asked: Asked = NOTHING) -> Layout:
    """Decide the layout of a table of systems by measures; a column of topics makes it one row per system and topic.

    Parameters
    ----------
    table : Table
        Text or a data frame.
    asked : Asked
        What the caller says of the columns.

    Returns
    -------
    Layout
        "measures" or "long".

    Raises
    ------
    FileError
        If no column holds scores, or it is not clear which one names the systems.
    """
    found = roles(table, asked)
    if "value" in found and "measure" in found:
        ignored = tuple(column for column in range(len(table.header)) if column not in found.values())
        return Layout("long", found.get("system"), found.get("topic"), found["measure"], (found["value"],), ignored)
    system = found.get("system")
    texts = [
        column for column in range(len(table.header)) if not table.numeric[column] and column != found.get("topic")
    ]
    unnamed = is_unnamed(table.header[0]) and not (table.numeric[0] and len(texts) == 1)
    if system is None and (texts == [0] or unnamed) and found.get("topic") != 0:
        system = 0
    elif system is None and len(texts) == 1 and is_unnamed(table.header[0]):
        system = texts[0]
    keys = {system, found.get("topic")}
    if system is None and texts:
        raise table.error(
            f"the column {table.header[texts[0]]!r} holds texts; a table has one column of systems and one for each "
            "measure."
        )
    kept, ignored, remarks = scores_of(table, keys, asked)
    if not kept:
        raise table.error("no column holds numbers; a table has one column of systems and one for each measure.")
    known = all(MeasureName.parse(table.header[column]).known for column in kept)
    if system is None and not known and table.like_ids(0):
        raise table.error(
            f"does the first column, {table.header[0]!r}, number the systems?", Advice("Call it 'system' then.")
        )
    return Layout("measures", system, found.get("topic"), None, kept, ignored, remarks)


def _others(table: Table, column: int) -> tuple[int, ...]:
    others = tuple(i for i in range(len(table.header)) if i != column)
    if not others:
        raise table.error(f"there is only one column, {table.header[0]!r}, and none of scores.")
    return others


def describe(chosen: Layout, header: Sequence[str]) -> Note:
    """Describe a layout in words, for the notes of what was read.

    Parameters
    ----------
    chosen : Layout
        The layout.
    header : sequence of str
        The names of all columns.

    Returns
    -------
    str
        Such as "one column per system (2 columns), topics in 'qid'".
    """
    names = {role: repr(header[i]) for role, i in (("topic", chosen.topic), ("system", chosen.system)) if i is not None}
    ignored = [header[i] for i in chosen.ignored]
    return Note("layout", kind=chosen.kind, columns=len(chosen.values), names=names, ignored=ignored)


#: Ids as topics have them: a number, perhaps with a short word and a mark before it: 401, q12, i000, MB-17, 2021/4.
_ID = re.compile(r"([a-z]{0,6}[-_:#. ]?)(\d+([-_./:]\d+)*)", re.IGNORECASE)
#: Families of models and systems, at the start of a name or after a slash or a mark.
_SYSTEMS = re.compile(
    r"(^|[/_\s-])(gpt|chatgpt|llama|claude|gemini|gemma|mistral|mixtral|qwen|deepseek|command|phi|falcon|vicuna|yi|glm"
    r"|bm25|dpr|colbert|splade|monot5|ance|tf-?idf|dense|bert|t5|e5|bge|gte|grok|olmo|alpaca|wizardlm|zephyr|jina)"
    r"(?![a-z])",
    re.IGNORECASE,
)
#: Tasks and benchmarks that are known by name.
_TASKS = re.compile(
    r"(^|[/_\s-])(mmlu|gsm-?8k|hellaswag|arc|winogrande|truthfulqa|ifeval|bbh|gpqa|musr|humaneval|mbpp|math|squad|drop"
    r"|boolq|piqa|nq|hotpotqa|triviaqa|msmarco|fever|scifact|fiqa2018|sts\d*|touche2020|arguana|mt-?bench|glue|sst-?2"
    r"|mnli|qqp|rte|cola|lambada|copa|wsc|race|scidocs|trec|nfcorpus|quora|classification|retrieval|clustering)"
    r"(?![a-z])",
    re.IGNORECASE,
)


#: Where nothing is named and there are so many times as many columns as rows, the rows may well be systems.
MANY_MORE = 5


class Names(NamedTuple):
    """The systems and topics of the other file of a pair."""

    systems: frozenset[str]
    topics: frozenset[str]


def which_way(rows: Sequence[str], columns: Sequence[str], like: Names | None = None) -> tuple[str, Note | None]:
    """Decide whether rows are topics or systems, where the columns do not say.

    The names that the other file of a pair has decide first. Next come numbers as topics have them, and last names of
    models and of tasks that are known. The counts of rows and columns decide nothing.

    Parameters
    ----------
    rows, columns : sequence of str
        The names of the rows and of the columns.
    like : Names, optional
        The systems and topics of another file.

    Returns
    -------
    tuple of str and Note
        "wide" (rows are topics) or "turned" (rows are systems), and the reason; None if nothing tells.

    Examples
    --------
    >>> which_way(["gpt-4", "llama-3-8b"], ["MMLU", "GSM8K"])
    ('turned', 'some of them are names of models')
    >>> which_way(["q1", "q2", "q3"], ["ours", "theirs"])
    ('wide', 'they are numbered as topics are')
    """
    if like is not None:
        for own, in_rows_means, what in ((like.systems, "turned", "systems"), (like.topics, "wide", "topics")):
            in_rows, in_columns = _share(rows, own), _share(columns, own)
            if in_rows > in_columns:
                return in_rows_means, Note("names_of_rows_elsewhere", what=what)
            if in_columns > in_rows:
                other = "wide" if in_rows_means == "turned" else "turned"
                return other, Note("names_of_columns_elsewhere", what=what)
    ids, titles = _share_matching(_ID, rows, whole=True), _share_matching(_ID, columns, whole=True)
    if ids == 1 and titles < 0.5:
        return "wide", Note("numbered_rows")
    if titles == 1 and ids < 0.5:
        return "turned", Note("numbered_columns")
    for pattern, way, what in ((_SYSTEMS, "turned", "models"), (_TASKS, "wide", "tasks")):
        in_rows, in_columns = _share_matching(pattern, rows), _share_matching(pattern, columns)
        if in_rows > 0 and in_columns == 0:
            return way, Note("known_rows", what=what)
        if in_columns > 0 and in_rows == 0:
            return ("wide" if way == "turned" else "turned"), Note("known_columns", what=what)
    return "wide", None


def by_counts(rows: int, columns: int, where: str) -> tuple[Remark, ...]:
    """Warn where an array or a frame names nothing and has many more columns than rows.

    Parameters
    ----------
    rows, columns : int
        Their counts; rows are taken for topics.
    where : str
        What was read.

    Returns
    -------
    tuple of Remark
        Empty unless there are at least `MANY_MORE` times as many columns as rows.

    Examples
    --------
    >>> by_counts(3, 40, "the array")[0]
    'the array: nothing says what rows and columns are; 3 rows are taken for topics and 40 columns for systems'
    >>> by_counts(40, 3, "the array")
    ()
    """
    if columns < MANY_MORE * rows:
        return ()
    return (
        Remark(
            f"nothing says what rows and columns are; {count(rows, 'row')} {'is' if rows == 1 else 'are'} taken for "
            f"topics and {columns:,} columns for systems",
            where=where,
            code="rows-or-columns",
            effect="systems and topics would change places otherwise",
            suggestion="turn it round (.T) if the rows are systems",
        ),
    )


def _share(names: Iterable[str], among: frozenset[str]) -> float:
    own = [name.strip() for name in names]
    return sum(name in among for name in own) / len(own) if own else 0.0


def _share_matching(pattern: re.Pattern[str], names: Sequence[str], *, whole: bool = False) -> float:
    match = pattern.fullmatch if whole else pattern.search
    return sum(match(name.strip()) is not None for name in names) / len(names) if names else 0.0
