"""Which column is what: the layout of a table, from the names of its columns and a look at its first rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..errors import Advice, CallError, FileError, Option
from ..names import MeasureName
from ..results import count
from ..scores.labels import shown
from ..scores.odd_names import is_no_score, is_rank, is_summary, is_unnamed
from ..scores.remarks import Remark
from .cells import MISSING, is_number
from .turns import Names, which_way

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
    **{role: role for role in ("system", "topic", "measure", "value", "keep")},
    "name": "system",
    "model": "system",
    "run": "system",
    "task": "topic",
    "judge": "measure",
    "score": "value",
}

#: Every `format=` for a table, and what it says.
FORMATS = {
    "long": "one row per score: columns topic and value, perhaps system and measure",
    "measures": "one row per system and topic, one column per measure",
    "wide": "one row per topic, named in the first column; one column per system",
    "matrix": "one row per topic, without names; one column per system",
    "turned": "one row per system, named in the first column; one column per topic",
    "numbers": "numbers only: one row per topic, one column per system, no header",
}


@dataclass(frozen=True)
class Asked:
    """What the caller says of the columns: which is what, and the names that the other file of a pair has."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    like: Names | None = None

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
        return cls(found, like)


#: Where the caller says nothing of the columns.
NOTHING = Asked()


class Layout(NamedTuple):
    """The kind of table, and the place of each column; `values` are those that hold scores."""

    kind: str
    system: int | None = None
    topic: int | None = None
    measure: int | None = None
    values: tuple[int, ...] = ()
    ignored: tuple[int, ...] = ()
    remarks: tuple[Remark, ...] = ()


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
        whole = [int(float(text)) for text in cells if _is_whole(text)]
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


def _is_whole(text: str) -> bool:
    return text.strip().removesuffix(".0").lstrip("+-").isdigit()


def role_of(name: str) -> str | None:
    """system, topic, measure, value or judge, where a column has the name of one."""
    return _ROLE_OF.get(name.strip().lower().replace(" ", "_").replace("-", "_"))


def roles(look: Look, asked: Asked = NOTHING) -> dict[str, int]:
    """The column of each role; two columns for one role are an error. A column of scores is none, whatever its name."""
    found: dict[str, int] = {}
    for role, names in asked.columns.items():
        places = [_column(look, name) for name in names]
        if role != "keep" and (role != "value" or len(places) == 1):
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


def _column(look: Look, name: str) -> int:
    if name not in look.header:
        raise look.error(f"there is no column {name!r}; there are {shown(look.header, 40)}.")
    return list(look.header).index(name)


def _fits(look: Look, column: int, role: str) -> bool:
    if role == "value":
        return True
    return not look.numeric[column] if role in ("measure", "judge") else look.names_rows(column)


def _by_rows(look: Look, names: int, role: str) -> list[Option]:
    """The way out for a table with one row per topic or system, where every other column can be a score."""
    formats = {"topic": ("wide", "systems"), "system": ("turned", "topics")}
    if role not in formats or _texts_elsewhere(look, names):
        return []
    name, others = formats[role]
    return [Option("format", name, effect=f"if the other columns are {others}")]


def layout(look: Look, wanted: str | None = None, asked: Asked = NOTHING) -> Layout:
    """The layout that fits, or the one asked for; where two would fit, an error that says how to choose."""
    if wanted is not None:
        return _asked(look, wanted, asked)
    if all(name.strip() and is_number(name) for name in look.header):
        raise look.error(
            "the first line holds numbers only, so the systems have no names.",
            Advice("Add a line of names."),
            Option("format", "numbers", effect="to number topics and systems"),
        )
    found = roles(look, asked)
    if "judge" in found and "measure" not in found:
        found["measure"] = found["judge"]
    if "value" in found and "topic" in found and not _is_matrix(look, found, asked):
        return _long(look, found, sure="value" in asked.columns)
    if "topic" in found and "system" in found and not _is_matrix(look, found, asked):
        return _measures(look, found, asked)
    if "topic" in found:
        return _topics_named(look, found, asked)
    if "system" in found:
        return _systems_named(look, found, asked)
    if is_unnamed(look.header[0]):
        return _unnamed_first(look, asked)
    return _unnamed(look, asked)


def _is_matrix(look: Look, found: dict[str, int], asked: Asked) -> bool:
    """Whether every column but that of topics is a system, some of them called `name`, `run`, `value` or `score`."""
    if asked.columns:
        return False
    topic = found["topic"]
    others = [column for column in range(len(look.header)) if column != topic and not is_unnamed(look.header[column])]
    if not all(look.numeric[column] for column in others) or len(others) < 2:
        return False
    named = [column for column in others if role_of(look.header[column])]
    refused = [column for column in named if column not in found.values()]
    if refused:
        return True
    system = found.get("system")
    # A long table repeats its topics, or goes through them system by system.
    several = system is not None and len(set(look.cells(system))) > 1
    return several and len(look.cells(topic)) > 1 and look.different(topic)


def _systems_named(look: Look, found: dict[str, int], asked: Asked) -> Layout:
    """One row per system: a board, where there are several columns of scores that are no measures."""
    system = found["system"]
    kept, ignored, remarks = scores_of(look, {system, found.get("judge")}, asked)
    measures = [column for column in kept if MeasureName.parse(look.header[column]).known]
    if "value" in asked.columns and kept:
        return Layout("turned", system=system, values=kept, ignored=ignored, remarks=remarks)
    if len(kept) < 2 or len(measures) == len(kept):
        raise look.error(
            f"there is a column of systems, {look.header[system]!r}, and none of topics.",
            Advice(
                "A table of systems by measures is read by read_table(), a list of systems and scores by "
                "read_ranking().",
                "",
            ),
            *([Option("format", "turned", effect="if the other columns are topics")] if kept else []),
        )
    told = look.remark(
        f"one row per system, named in {look.header[system]!r}, and one column per topic ({len(kept):,})",
        "layout",
        "the mean over these columns ranks the systems",
        "read it as wide (format) if the rows are topics",
        "note",
    )
    return Layout(
        "turned", system=system, measure=found.get("measure"), values=kept, ignored=ignored, remarks=(told, *remarks)
    )


def scores_of(
    look: Look, names: set[int | None], asked: Asked
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[Remark, ...]]:
    """Of the columns beside the names: those that hold scores, those that are left out, and remarks on why."""
    keep = {*asked.columns.get("keep", ()), *asked.columns.get("value", ())}
    for name in keep:
        _column(look, name)
    others = [column for column in range(len(look.header)) if column not in names]
    if "value" in asked.columns:
        others = [column for column in others if look.header[column] in keep]
    reasons = {column: reason for column in others if (reason := _no_score(look, column, keep)) is not None}
    kept = tuple(column for column in others if column not in reasons)
    if not kept:  # names alone leave nothing: then they are taken for names of systems or topics
        reasons = {column: reason for column, reason in reasons.items() if reason == "text"}
        kept = tuple(column for column in others if column not in reasons)
    remarks = [
        look.remark(
            f"{count(len(columns), 'column')} left out, {why}: {shown(columns, 8)}",
            code,
            effect,
            advice,
            "note" if kind == "text" else "warning",
        )
        for kind, (code, why, effect) in _REASONS.items()
        if (columns := [look.header[column] for column, reason in reasons.items() if reason == kind])
        for advice in [
            "write numbers if they should be scores"
            if kind == "text"
            else f"keep it by name (columns, keep={columns[0]}) if it holds scores"
        ]
    ]
    return kept, tuple(reasons), tuple(remarks)


#: Why a column holds no scores: what the finding is called, what is said, and what the column would have done.
_REASONS = {
    "index": (
        "index-column",
        "numbering the rows",
        "as a system or topic it would have counted the rows as scores",
    ),
    "summary": (
        "summary-column",
        "summaries of the others by name",
        "it would have counted the others once more, or ranks as scores",
    ),
    "no score": (
        "no-score-column",
        "no scores by name",
        "sizes, dates and votes would have counted as scores",
    ),
    "text": ("text-column", "texts", "texts are no scores"),
}


def _no_score(look: Look, column: int, keep: set[str]) -> str | None:
    name = look.header[column]
    if look.holds_text(column):
        return "text"
    if name in keep or not look.numeric[column]:
        return None
    if is_unnamed(name) and look.counts_rows(column):
        return "index"
    if is_summary(name) or is_rank(name):
        return "summary"
    return "no score" if is_no_score(name) else None


def _asked(look: Look, wanted: str, asked: Asked) -> Layout:
    if wanted not in FORMATS:
        raise CallError(f"format={wanted!r} is unknown for a table.", Option("format", *FORMATS))
    everything = tuple(range(len(look.header)))
    if wanted in ("matrix", "numbers"):
        return Layout(wanted, values=everything)
    if wanted in ("wide", "turned"):
        role = "topic" if wanted == "wide" else "system"
        own = [column for column, name in enumerate(look.header) if role_of(name) == role]
        own = [_column(look, name) for name in asked.columns.get(role, ())] or own
        return _wide(look, own[0] if len(own) == 1 else 0, asked, turned=wanted == "turned")
    found = roles(look, asked)
    needed = ("topic", "value") if wanted == "long" else ("topic",)
    for role in needed:
        if role not in found:
            names = ", ".join(ROLES[role][:5])
            raise look.error(
                f"format={wanted!r} needs a column of {role}s, called {names}; there are {shown(look.header, 40)}."
            )
    return _long(look, found, sure=True) if wanted == "long" else _measures(look, found, asked, sure=True)


def _long(look: Look, found: dict[str, int], *, sure: bool = False) -> Layout:
    value = found["value"]
    if not look.numeric[value]:
        raise look.error(f"the column {look.header[value]!r} should hold scores, and holds texts.")
    taken = set(found.values())
    ignored = tuple(column for column in range(len(look.header)) if column not in taken)
    numbers = [look.header[column] for column in ignored if look.numeric[column]]
    if numbers and not sure and "system" not in found and "measure" not in found:
        raise look.error(
            f"the columns {shown([look.header[value], *numbers])} all hold numbers.",
            Option("format", "wide", effect="if each is a system"),
            Option("format", "long", effect=f"if the scores are in {look.header[value]!r} alone"),
        )
    return Layout("long", found.get("system"), found["topic"], found.get("measure"), (value,), ignored)


def _measures(look: Look, found: dict[str, int], asked: Asked, *, sure: bool = False) -> Layout:
    system = found.get("system")
    if system is not None and not sure and look.numeric[system]:
        raise look.error(
            f"the column {look.header[system]!r} holds numbers.",
            Option("format", "wide", effect="if it is a system like the others"),
            Option("format", "measures", effect="if it names the systems"),
        )
    if "measure" in found and "judge" not in found:
        raise look.error(
            f"there is a column {look.header[found['measure']]!r} and none of scores.",
            Advice("Call the column of scores 'value'."),
        )
    kept, ignored, remarks = scores_of(look, {found["topic"], system, found.get("judge")}, asked)
    if not kept or not any(look.numeric[column] for column in kept):
        raise look.error(f"no column holds scores; there are {shown(look.header, 40)}.")
    return Layout("measures", system, found["topic"], None, kept, ignored, remarks)


def _topics_named(look: Look, found: dict[str, int], asked: Asked) -> Layout:
    topic = found["topic"]
    others = _others(look, topic)
    if others and all(MeasureName.parse(look.header[column]).known for column in others):
        return _measures(look, found, asked)
    if "measure" in found and "judge" not in found:
        return _measures(look, found, asked)
    return _wide(look, topic, asked)


def _wide(look: Look, names: int, asked: Asked, *, turned: bool = False) -> Layout:
    _others(look, names)
    judge = next((column for column, name in enumerate(look.header) if role_of(name) == "judge"), None)
    judge = None if judge is None or look.numeric[judge] else judge
    kept, ignored, remarks = scores_of(look, {names, judge}, asked)
    texts = _texts_elsewhere(look, names)
    if not kept:
        raise look.error(
            f"the column {texts[0]!r} should hold scores, and holds texts.",
            Advice("A long table needs columns called system, topic and value."),
        )
    places: tuple[int | None, int | None] = (names, None) if turned else (None, names)
    return Layout("turned" if turned else "wide", *places, judge, kept, ignored, remarks)


def _unnamed_first(look: Look, asked: Asked) -> Layout:
    """The first column has no name: it names the rows, topics unless something tells that they are systems."""
    rest = [look.header[column] for column in range(1, len(look.header))]
    way, why = which_way(look.cells(0), rest, asked.like)
    chosen = _wide(look, 0, asked, turned=way == "turned")
    if look.numeric[0]:
        return chosen
    what, other = ("systems", "wide") if way == "turned" else ("topics", "turned")
    told = look.remark(
        f"the rows are taken for {what}{f', for {why}' if why else ', since nothing says what they are'}",
        "layout" if why else "layout-guessed",
        "systems and topics would change places otherwise",
        f"read it as {other} (format) if they are not",
        "note" if why else "warning",
    )
    return chosen._replace(remarks=(told, *chosen.remarks))


def _unnamed(look: Look, asked: Asked) -> Layout:
    """No column has a name that is recognised."""
    if not look.numeric[0]:
        return _first_is_text(look, asked)
    texts = _texts_elsewhere(look, 0)
    if texts:
        raise look.error(
            f"the column {texts[0]!r} holds texts, and its name does not say what they are.",
            _RENAME,
            Option("columns", f"topic={texts[0]}", f"system={texts[0]}", effect="to say what they name"),
        )
    if all(MeasureName.parse(name).known for name in look.header):
        raise look.error(
            f"the columns are measures ({shown(look.header, 3)}), not systems.",
            Advice("Read a table of systems by measures with read_table().", ""),
            Option("format", "matrix", effect="if they are systems"),
        )
    if look.like_ids(0) and not all(look.like_ids(column) for column in range(1, len(look.header))):
        raise look.error(
            f"does the first column, {look.header[0]!r}, number the topics, or is it a system?",
            Advice("Call it 'topic'."),
            Option("format", "wide", effect="if it numbers the topics"),
            Option("format", "matrix", effect="if it is a system"),
        )
    kept, ignored, remarks = scores_of(look, set(), asked)
    return Layout("matrix", values=kept, ignored=ignored, remarks=remarks)


def _first_is_text(look: Look, asked: Asked) -> Layout:
    """The first column names the rows, and its own name does not say what they are."""
    names = look.header[0]
    numbers = [column for column in range(1, len(look.header)) if look.numeric[column]]
    texts = _texts_elsewhere(look, 0)
    way, why = which_way(look.cells(0), [look.header[column] for column in numbers], asked.like)
    if numbers and not why and all(MeasureName.parse(look.header[column]).known for column in numbers):
        raise look.error(f"no column of topics and scores is recognised among {shown(look.header)}.", _RENAME)
    if numbers and why and look.different(0):
        chosen = _wide(look, 0, asked, turned=way == "turned")
        what = "systems" if way == "turned" else "topics"
        told = look.remark(
            f"the first column, {names!r}, is taken for the names of {what}, for {why}",
            "layout",
            "systems and topics would change places otherwise",
            f"read it as {'wide' if way == 'turned' else 'turned'} (format) if it is not",
            "note",
        )
        return chosen._replace(remarks=(told, *chosen.remarks))
    if texts and (len(numbers) < 2 or not look.different(0)):
        raise look.error(
            f"no column of topics and scores is recognised among {shown(look.header)}.",
            _RENAME,
            Option("columns", effect="as system=…, topic=… and value=…, to say which is which"),
        )
    raise look.error(
        f"does the first column, {names!r}, name topics or systems?",
        Advice("Call it 'topic' or 'system'."),
        Option("format", "wide", effect="if it names topics"),
        Option("format", "turned", effect="if it names systems"),
    )


_RENAME = Advice("Call the columns system, topic, measure and value, or topic and then one for each system.")


def table_layout(look: Look, asked: Asked = NOTHING) -> Layout:
    """The layout of a table of systems by measures; topics, where there is a column of them, make it topic-wise."""
    found = roles(look, asked)
    if "value" in found and "measure" in found:
        ignored = tuple(column for column in range(len(look.header)) if column not in found.values())
        return Layout("long", found.get("system"), found.get("topic"), found["measure"], (found["value"],), ignored)
    system = found.get("system")
    texts = [column for column in range(len(look.header)) if not look.numeric[column] and column != found.get("topic")]
    unnamed = is_unnamed(look.header[0]) and not (look.numeric[0] and len(texts) == 1)
    if system is None and (texts == [0] or unnamed) and found.get("topic") != 0:
        system = 0
    elif system is None and len(texts) == 1 and is_unnamed(look.header[0]):
        system = texts[0]
    keys = {system, found.get("topic")}
    if system is None and texts:
        raise look.error(
            f"the column {look.header[texts[0]]!r} holds texts; a table has one column of systems and one for each "
            "measure."
        )
    kept, ignored, remarks = scores_of(look, keys, asked)
    if not kept:
        raise look.error("no column holds numbers; a table has one column of systems and one for each measure.")
    known = all(MeasureName.parse(look.header[column]).known for column in kept)
    if system is None and not known and look.like_ids(0):
        raise look.error(
            f"does the first column, {look.header[0]!r}, number the systems?", Advice("Call it 'system' then.")
        )
    return Layout("measures", system, found.get("topic"), None, kept, ignored, remarks)


def _others(look: Look, column: int) -> tuple[int, ...]:
    others = tuple(i for i in range(len(look.header)) if i != column)
    if not others:
        raise look.error(f"there is only one column, {look.header[0]!r}, and none of scores.")
    return others


def _texts_elsewhere(look: Look, column: int) -> list[str]:
    return [name for i, name in enumerate(look.header) if i != column and not look.numeric[i]]


def describe(chosen: Layout, header: Sequence[str]) -> str:
    """The layout in words, for the notes."""
    scores = count(len(chosen.values), "column")
    names = {role: repr(header[i]) for role, i in (("topic", chosen.topic), ("system", chosen.system)) if i is not None}
    text = {
        "long": "long table" + "".join(f", {role}s in {name}" for role, name in names.items()),
        "measures": "one column per measure" + "".join(f", {role}s in {name}" for role, name in names.items()),
        "wide": f"one column per system ({scores}), topics in {names.get('topic')}",
        "matrix": f"one column per system ({scores}), topics numbered",
        "turned": f"one column per topic ({scores}), systems in {names.get('system')}",
        "numbers": f"numbers only ({scores}), topics and systems numbered",
    }[chosen.kind]
    ignored = f", ignored {shown([header[i] for i in chosen.ignored])}" if chosen.ignored else ""
    return text + ignored
