"""Layouts of tables: which column is topic, system, measure or score, and which rows only summarise others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..data.labels import Labels, Remark, shown
from ..data.names import MeasureName, canonical
from ..data.odd_names import MOST_NAMES, is_summary, is_unnamed
from ..data.oddities import mean_topics
from ..data.scores import NUMBERED
from ..errors import Advice, CallError, FileError, Option
from ..results import count
from .look import NOTHING, ROLES, Asked, Look, column_of, role_of, roles, scores_of, texts_beside, which_way
from .numerals import is_number
from .pieces import Cells, Piece

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
    remarks: tuple[Remark, ...] = ()

    @property
    def by_cell(self) -> bool:
        """Whether rows name topic and system, and not only one of them."""
        return self.kind in ("long", "measures")


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
                "A table of systems by measures is read by measures.Table.read(), a list of systems and scores by "
                "Ranking.read().",
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


def _asked(look: Look, wanted: str, asked: Asked) -> Layout:
    if wanted not in FORMATS:
        raise CallError(f"format={wanted!r} is unknown for a table.", Option("format", *FORMATS))
    everything = tuple(range(len(look.header)))
    if wanted in ("matrix", "numbers"):
        return Layout(wanted, values=everything)
    if wanted in ("wide", "turned"):
        role = "topic" if wanted == "wide" else "system"
        own = [column for column, name in enumerate(look.header) if role_of(name) == role]
        own = [column_of(look, name) for name in asked.columns.get(role, ())] or own
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
    texts = texts_beside(look, names)
    judge = next((list(look.header).index(name) for name in texts if role_of(name) == "judge"), None)
    kept, ignored, remarks = scores_of(look, {names, judge}, asked)
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
    texts = texts_beside(look, 0)
    if texts:
        raise look.error(
            f"the column {texts[0]!r} holds texts, and its name does not say what they are.",
            _RENAME,
            Option("columns", f"topic={texts[0]}", f"system={texts[0]}", effect="to say what they name"),
        )
    if all(MeasureName.parse(name).known for name in look.header):
        raise look.error(
            f"the columns are measures ({shown(look.header, 3)}), not systems.",
            Advice("Read a table of systems by measures with measures.Table.read().", ""),
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
    texts = texts_beside(look, 0)
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


def describe(chosen: Layout, header: Sequence[str]) -> str:
    """The layout in words, for the notes."""
    scores = count(len(chosen.values), "column")
    names = {role: repr(header[i]) for role, i in (("topic", chosen.topic), ("system", chosen.system)) if i is not None}
    text = {
        "long": "long table" + "".join(f", {role}s in {name}" for role, name in names.items()),
        "measures": "one column per measure" + "".join(f", {role}s in {name}" for role, name in names.items()),
        "wide": f"one column per system ({scores}), topics in {names.get('topic')}",
        "matrix": f"one column per system ({scores}), {NUMBERED}",
        "turned": f"one column per topic ({scores}), systems in {names.get('system')}",
        "numbers": f"numbers only ({scores}), {NUMBERED}, systems too",
    }[chosen.kind]
    ignored = f", ignored {shown([header[i] for i in chosen.ignored])}" if chosen.ignored else ""
    return text + ignored


#: What a mean may differ from the one that is written, as a share of the spread: means are written rounded.
_ROUNDED = 0.02


def without_summaries(piece: Piece, keep: Collection[str], *, by_content: bool) -> Piece:
    """Leave out rows that summarise the others by name (`by_content`: if they are about their means, too), and topics
    whose scores are the mean of the others, whatever their names; `keep` names those that stay."""
    for name in keep:
        if name not in piece.topics and name not in piece.systems and canonical(name) not in piece.measures:
            raise FileError(f"{piece.source}: there is no column or row {name!r} to keep.")
    for axis, names, one in ((1, piece.topics, "topic"), (2, piece.systems, "system")):
        if len(names) > MOST_NAMES:
            continue
        found = [i for i, name in enumerate(names) if name not in keep and is_summary(name)]
        if not found or len(found) == len(names):
            continue
        rest = [i for i in range(len(names)) if i not in found]
        if by_content:
            found = [i for i in found if _is_mean(piece.values, axis, i, rest)]
            rest = [i for i in range(len(names)) if i not in found]
            if not found:
                continue
        told = Remark(
            f"{count(len(found), 'row')} left out, by name no {one} but a summary: {shown([names[i] for i in found])}",
            where=Path(piece.source).name,
            code="summary-row",
            effect=f"as a {one} it would have counted the others once more",
            suggestion=f"keep it by name (columns, keep={names[found[0]]}) if it is one",
        )
        labels = tuple(names[i] for i in rest)
        changed = {"topics": labels} if axis == 1 else {"systems": labels}
        values = np.take(piece.values, rest, axis=axis)
        piece = replace(piece, values=values, notes=(*piece.notes, told), **changed)  # type: ignore[arg-type]
    return _without_means(piece, keep)


def _without_means(piece: Piece, keep: Collection[str]) -> Piece:
    found = _means(piece.values.transpose(1, 0, 2), piece.topics, keep)
    if not found:
        return piece
    rest = [i for i in range(len(piece.topics)) if i not in found]
    told = _mean_remark([piece.topics[i] for i in found], piece.source, "topic")
    topics = tuple(piece.topics[i] for i in rest)
    return replace(piece, values=piece.values[:, rest], topics=topics, notes=(*piece.notes, told))


def without_mean_measures(cells: Cells, keep: Collection[str]) -> Cells:
    """Leave out measures of a table whose values are the mean of the others; `keep` names those that stay."""
    piece = cells.piece()
    found = {piece.measures[i] for i in _means(piece.values, piece.measures, {canonical(name) for name in keep})}
    if not found:
        return cells
    rows = [i for i, measure in enumerate(cells.measures) if canonical(measure) not in found]
    told = _mean_remark(sorted(found), cells.source, "measure")
    return replace(
        cells,
        systems=[cells.systems[i] for i in rows],
        topics=[cells.topics[i] for i in rows],
        measures=[cells.measures[i] for i in rows],
        values=cells.values[rows],
        lines=None if cells.lines is None else [cells.lines[i] for i in rows],
        notes=(*cells.notes, told),
    )


def _means(values: Floats, names: Labels, keep: Collection[str]) -> list[int]:
    """The places along the first axis that are means of the others, over all cells of the other two."""
    if not 2 < len(names) <= MOST_NAMES:
        return []
    return [i for i in mean_topics(values.reshape(len(names), -1)) if names[i] not in keep]


def _mean_remark(names: list[str], source: str, one: str) -> Remark:
    return Remark(
        f"{count(len(names), one)} left out, whose scores are the mean of the others: {shown(names)}",
        where=Path(source).name,
        code="mean-topic",
        effect=f"as a {one} it would have counted the others once more",
        suggestion=f"keep it by name (columns, keep={names[0]}) if it is one",
    )


def _is_mean(values: Floats, axis: int, at: int, rest: list[int]) -> bool:
    own, others = np.take(values, at, axis=axis), np.take(values, rest, axis=axis)
    known = ~np.isnan(own) & ~np.isnan(others).all(axis=axis)
    if len(rest) < 2 or not known.any():
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        means = np.nanmean(np.where(np.expand_dims(known, axis), others, 0.0), axis=axis)
        spread = float(np.nanmax(others) - np.nanmin(others))
        close = np.abs(own - means)[known] <= _ROUNDED * spread
    return spread > 0 and bool(close.all())  # of scores that are all the same, each one is the mean
