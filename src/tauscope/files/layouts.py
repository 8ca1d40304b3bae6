"""Which column is what: the layout of a table, from the names of its columns and a look at its first rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..errors import Advice, CallError, FileError, Option
from ..names import MeasureName
from ..results import count
from ..scores.labels import shown
from .cells import is_number

#: Names of columns that are recognised, compared in lower case with `_` for spaces and hyphens.
ROLES: dict[str, tuple[str, ...]] = {
    "system": (
        *("system", "run", "name", "model"),
        *("run_id", "runid", "run_name", "system_id", "system_name", "model_name"),
    ),
    "topic": ("topic", "qid", "query_id", "query", "task", "topic_id", "topicid", "queryid", "q_id", "task_id"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
_ROLE_OF = {name: role for role, names in ROLES.items() for name in names}

#: Every `format=` for a table, and what it says.
FORMATS = {
    "long": "one row per score: columns topic and value, perhaps system and measure",
    "measures": "one row per system and topic, one column per measure",
    "wide": "one row per topic, named in the first column; one column per system",
    "matrix": "one row per topic, without names; one column per system",
    "turned": "one row per system, named in the first column; one column per topic",
    "numbers": "numbers only: one row per topic, one column per system, no header",
}


class Layout(NamedTuple):
    """The kind of table, and the place of each column; `values` are those that hold scores."""

    kind: str
    system: int | None = None
    topic: int | None = None
    measure: int | None = None
    values: tuple[int, ...] = ()
    ignored: tuple[int, ...] = ()


class Look(NamedTuple):
    """What is known of a table before it is read: where it is, its header, and which columns hold numbers."""

    where: str
    header: Sequence[str]
    #: Whether the first rows of each column are numbers, or missing.
    numeric: Sequence[bool]
    #: Whether they are different whole numbers, as ids are, and not all 0 or 1.
    like_ids: Callable[[int], bool]

    def error(self, text: str, *ways_out: Option | Advice) -> FileError:
        """The error that starts with the place of the header."""
        return FileError(f"{self.where}: {text}", *ways_out)


def role_of(name: str) -> str | None:
    """system, topic, measure or value, where a column has the name of one."""
    return _ROLE_OF.get(name.strip().lower().replace(" ", "_").replace("-", "_"))


def roles(look: Look) -> dict[str, int]:
    """The column of each role; two columns for one role are an error."""
    found: dict[str, int] = {}
    for column, name in enumerate(look.header):
        role = role_of(name)
        if role is None:
            continue
        if role in found:
            raise look.error(
                f"the columns {look.header[found[role]]!r} and {name!r} could both be the {role}.",
                Advice("Rename or remove one."),
                *_by_rows(look, found[role], role),
            )
        found[role] = column
    return found


def _by_rows(look: Look, names: int, role: str) -> list[Option]:
    """The way out for a table with one row per topic or system, where every other column can be a score."""
    formats = {"topic": ("wide", "systems"), "system": ("turned", "topics")}
    if role not in formats or _texts_elsewhere(look, names):
        return []
    name, others = formats[role]
    return [Option("format", name, effect=f"if the other columns are {others}")]


def layout(look: Look, wanted: str | None = None) -> Layout:
    """The layout that fits, or the one asked for; where two would fit, an error that says how to choose."""
    if wanted is not None:
        return _asked(look, wanted)
    if all(name.strip() and is_number(name) for name in look.header):
        raise look.error(
            "the first line holds numbers only, so the systems have no names.",
            Advice("Add a line of names."),
            Option("format", "numbers", effect="to number topics and systems"),
        )
    found = roles(look)
    if "value" in found and "topic" in found:
        return _long(look, found)
    if "topic" in found and "system" in found:
        return _measures(look, found)
    if "topic" in found:
        return _topics_named(look, found)
    if "system" in found:
        raise look.error(
            f"there is a column of systems, {look.header[found['system']]!r}, and none of topics.",
            Advice(
                "A table of systems by measures is read by read_table(), a list of systems and scores by "
                "read_ranking().",
                "",
            ),
            *_by_rows(look, found["system"], "system"),
        )
    if not look.header[0].strip():
        return _wide(look, 0)
    return _unnamed(look)


def _asked(look: Look, wanted: str) -> Layout:
    if wanted not in FORMATS:
        raise CallError(f"format={wanted!r} is unknown for a table.", Option("format", *FORMATS))
    everything = tuple(range(len(look.header)))
    if wanted in ("matrix", "numbers"):
        return Layout(wanted, values=everything)
    if wanted in ("wide", "turned"):
        role = "topic" if wanted == "wide" else "system"
        own = [column for column, name in enumerate(look.header) if role_of(name) == role]
        return _wide(look, own[0] if len(own) == 1 else 0, turned=wanted == "turned")
    found = roles(look)
    needed = ("topic", "value") if wanted == "long" else ("topic",)
    for role in needed:
        if role not in found:
            names = ", ".join(ROLES[role][:5])
            raise look.error(
                f"format={wanted!r} needs a column of {role}s, called {names}; there are {shown(look.header)}."
            )
    return _long(look, found, sure=True) if wanted == "long" else _measures(look, found, sure=True)


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


def _measures(look: Look, found: dict[str, int], *, sure: bool = False) -> Layout:
    system = found.get("system")
    if system is not None and not sure and look.numeric[system]:
        raise look.error(
            f"the column {look.header[system]!r} holds numbers.",
            Option("format", "wide", effect="if it is a system like the others"),
            Option("format", "measures", effect="if it names the systems"),
        )
    if "measure" in found:
        raise look.error(
            f"there is a column {look.header[found['measure']]!r} and none of scores.",
            Advice("Call the column of scores 'value'."),
        )
    keys = {found["topic"], system}
    values = tuple(column for column in range(len(look.header)) if column not in keys)
    texts = [look.header[column] for column in values if not look.numeric[column]]
    kept = tuple(column for column in values if look.numeric[column])
    if not kept:
        raise look.error(f"no column holds scores; there are {shown(look.header)}.")
    ignored = tuple(column for column in values if look.header[column] in texts)
    return Layout("measures", system, found["topic"], None, kept, ignored)


def _topics_named(look: Look, found: dict[str, int]) -> Layout:
    topic = found["topic"]
    others = _others(look, topic)
    if others and all(MeasureName.parse(look.header[column]).known for column in others):
        return _measures(look, found)
    if "measure" in found:
        return _measures(look, found)
    return _wide(look, topic)


def _wide(look: Look, names: int, *, turned: bool = False) -> Layout:
    texts = _texts_elsewhere(look, names)
    if texts:
        raise look.error(
            f"the column {texts[0]!r} should hold scores, and holds texts.",
            Advice("A long table needs columns called system, topic and value."),
        )
    if turned:
        return Layout("turned", system=names, values=_others(look, names))
    return Layout("wide", topic=names, values=_others(look, names))


def _unnamed(look: Look) -> Layout:
    """No column has a name that is recognised."""
    if not look.numeric[0]:
        if _texts_elsewhere(look, 0):
            raise look.error(f"no column of topics and scores is recognised among {shown(look.header)}.", _RENAME)
        raise look.error(
            f"does the first column, {look.header[0]!r}, name topics or systems?",
            Advice("Call it 'topic' or 'system'."),
            Option("format", "wide", effect="if it names topics"),
            Option("format", "turned", effect="if it names systems"),
        )
    texts = _texts_elsewhere(look, 0)
    if texts:
        raise look.error(f"the column {texts[0]!r} holds texts, and its name does not say what they are.", _RENAME)
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
    return Layout("matrix", values=tuple(range(len(look.header))))


_RENAME = Advice("Call the columns system, topic, measure and value, or topic and then one for each system.")


def table_layout(look: Look) -> Layout:
    """The layout of a table of systems by measures; topics, where there is a column of them, make it topic-wise."""
    found = roles(look)
    if "value" in found and "measure" in found:
        ignored = tuple(column for column in range(len(look.header)) if column not in found.values())
        return Layout("long", found.get("system"), found.get("topic"), found["measure"], (found["value"],), ignored)
    system = found.get("system")
    texts = [column for column in range(len(look.header)) if not look.numeric[column] and column != found.get("topic")]
    if system is None and (texts == [0] or not look.header[0].strip()) and found.get("topic") != 0:
        system = 0
    keys = {system, found.get("topic")}
    values = tuple(column for column in range(len(look.header)) if column not in keys)
    bad = [look.header[column] for column in values if column in texts]
    if bad or not values:
        what = f"the column {bad[0]!r} holds texts" if bad else "no column holds numbers"
        raise look.error(f"{what}; a table has one column of systems and one for each measure.")
    known = all(MeasureName.parse(look.header[column]).known for column in values)
    if system is None and not known and look.like_ids(0):
        raise look.error(
            f"does the first column, {look.header[0]!r}, number the systems?", Advice("Call it 'system' then.")
        )
    return Layout("measures", system, found.get("topic"), None, values)


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
