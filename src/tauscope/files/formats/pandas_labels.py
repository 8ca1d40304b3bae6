"""The labels of a pandas frame, in its index and its columns, as plain columns: what they settle, and what was
assumed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...errors import Advice, FileError
from ...frames import is_pandas
from ...scores.labels import shown
from ..look import role_of

#: What a level of labels must be called to say what it holds.
_ROLES = "system, topic, measure or value"


class Flat(NamedTuple):
    """A frame whose labels are texts in one row of names and no index; the layout that they settle, where they do, and
    what was assumed about them."""

    data: Any
    layout: str | None = None
    assumed: tuple[str, ...] = ()


def flattened(data: Any, source: str) -> Flat:
    """A pandas frame or series with its labels as columns; frames of other libraries, which have none, as they are."""
    if not is_pandas(data):
        return Flat(data)
    if not hasattr(data, "columns"):
        data = _series(data, source)
    if data.columns.nlevels > 1:
        data = _one_level(data, source)
    numbered = _counts(data.columns) and data.columns.name is None
    if numbered:
        data = data.sort_index(axis=1)
    role = role_of(str(data.columns.name)) if data.columns.name is not None else None
    plain = data.set_axis([str(name) for name in data.columns], axis=1)
    indexed = _with_index(plain, source, role)
    if numbered:
        return _numbered(indexed, len(data.columns), source)
    named = list(indexed.data.columns)
    if indexed.layout is None and _integers(data.columns) and len(named) == len(data.columns):
        told = f"whole numbers name the systems ({shown(named, 3)})"
        return indexed._replace(layout="matrix", assumed=(told, *indexed.assumed))
    return indexed


def _series(data: Any, source: str) -> Any:
    """A series has its names in two or more levels of the index; with one level it is a ranking."""
    if data.index.nlevels < 2:
        raise FileError(
            f"{source}: a series has one score per name, and no topics.",
            Advice("As a ranking, it goes into tau_b(), correlate() and the like; scores have topics and systems."),
        )
    return data.to_frame("value")


def _one_level(data: Any, source: str) -> Any:
    """Levels of one value only are left out; if several stay, a row per score, where all levels say what they are."""
    columns = data.columns
    single = [level for level in range(columns.nlevels) if columns.get_level_values(level).nunique() == 1]
    if len(single) == columns.nlevels:
        single = single[:-1]
    if single:
        data = data.set_axis(columns.droplevel(single), axis=1)
    if data.columns.nlevels == 1:
        return data
    names = [*data.index.names, *data.columns.names]
    unknown = [name for name in names if name is None or role_of(str(name)) is None]
    if unknown:
        raise FileError(
            f"{source}: its columns have several levels, and the names of the levels do not all say what they hold: "
            f"{shown(names)}.",
            Advice(f"Call the levels {_ROLES} (df.columns.names, df.index.name), or flatten them to one name each."),
        )
    return data.stack(list(range(data.columns.nlevels)), future_stack=True).to_frame("value")


def _with_index(data: Any, source: str, role: str | None) -> Flat:
    """The index as columns, unless it only numbers the rows. `role` is that of the columns, where their axis is
    named."""
    index = data.index
    if index.nlevels > 1:
        return Flat(_reset(data, [_level_name(name, place) for place, name in enumerate(index.names)], source))
    if index.name is None and _integers(index):
        if _counts(index):
            # A frame that was sorted or shuffled: back to the order in which its rows were numbered.
            return _turned(data.sort_index().reset_index(drop=True), role, indexed=False)
        texts = [name for name in data.columns if _holds_texts(data[name])]
        named = [name for name in data.columns if role_of(name) in ("topic", "system")]
        if texts or named:
            told = f"the index was not read: {(named or texts)[0]!r} names the rows"
            flat = _turned(data.reset_index(drop=True), role, indexed=False)
            return flat._replace(assumed=(*flat.assumed, told))
        told = f"the index names the rows ({shown([str(label) for label in index], 3)})"
        flat = _turned(_reset(data, [""], source), role, indexed=True)
        return flat._replace(assumed=(*flat.assumed, told))
    return _turned(_reset(data, ["" if index.name is None else str(index.name)], source), role, indexed=True)


def _turned(data: Any, role: str | None, *, indexed: bool) -> Flat:
    """What the name of the columns' axis says: columns that are topics make rows of systems, and the other way
    round."""
    if not indexed or role not in ("topic", "system"):
        return Flat(data)
    own = role_of(str(data.columns[0]))
    if role == "topic" and own in (None, "system"):
        return Flat(data, "turned", ("the columns are called topics",))
    if role == "system" and own in (None, "topic"):
        return Flat(data, "wide", ("the columns are called systems",))
    return Flat(data)


def _numbered(flat: Flat, columns: int, source: str) -> Flat:
    """Columns called 0, 1, 2, …, which nobody gave names."""
    data = flat.data
    if len(data.columns) == columns and not any(_holds_texts(data[name]) for name in data.columns):
        return Flat(data, "numbers", (*flat.assumed, "its columns are numbered, so systems are too"))
    if len(data.columns) == columns:
        raise FileError(
            f"{source}: its columns are only numbered, and one of them holds texts.",
            Advice("Give the columns names: df.columns = ['topic', 'bm25', 'dense', …]."),
        )
    names = [str(name) for name in data.columns[:-columns]]
    renamed = data.set_axis([*names, *map(str, range(1, columns + 1))], axis=1)
    return flat._replace(data=renamed, assumed=(*flat.assumed, "its columns are numbered, so systems are too"))


def _reset(data: Any, names: list[str], source: str) -> Any:
    """The index as columns called `names`; where a column has that name already, it must say the same."""
    index = data.index
    for level, name in enumerate(names):
        if name not in data.columns:
            continue
        if [str(label) for label in index.get_level_values(level)] != [str(label) for label in data[name]]:
            raise FileError(
                f"{source}: its index and one of its columns are both called {name!r}, and they differ.",
                Advice("Rename one, or drop the index: df.reset_index(drop=True)."),
            )
        data = data.drop(columns=name)
    return data.rename_axis(index=names if len(names) > 1 else names[0]).reset_index()


def _level_name(name: Any, place: int) -> str:
    return f"level {place + 1} of the index" if name is None else str(name)


def _counts(labels: Any) -> bool:
    """Whether the labels are 0, 1, 2, …, in any order: nobody's names."""
    return _integers(labels) and np.array_equal(np.sort(np.asarray(labels).astype(np.int64)), np.arange(len(labels)))


def _holds_texts(column: Any) -> bool:
    return column.dtype.kind not in "iufb" and any(isinstance(value, str) for value in column)


def _integers(labels: Any) -> bool:
    """Whether all labels are whole numbers."""
    if labels.dtype.kind in "iu":
        return True
    return labels.dtype.kind == "O" and all(
        hasattr(label, "__index__") and not isinstance(label, bool) for label in labels
    )
