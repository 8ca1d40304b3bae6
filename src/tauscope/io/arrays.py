"""Scores that are in memory already: arrays of NumPy, lists of rows, arrays of xarray, and our own labelled scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.arrays import is_labelled_array
from ..data.cube import ScoreCube
from ..data.labels import KEPT, shown
from ..data.scores import Scores
from ..errors import Advice, CallError, FileError
from .layouts import by_counts, role_of
from .pieces import Piece

#: The dimensions of a piece, in its order.
_DIMENSIONS = ("measure", "topic", "system")


def is_array(data: Any) -> bool:
    """Whether this is an array of numbers, a list of rows of numbers, an array of xarray, or labelled scores."""
    if isinstance(data, (np.ndarray, Scores, ScoreCube)) or is_labelled_array(data):
        return True
    return isinstance(data, (list, tuple)) and bool(data) and all(_is_row(row) for row in data)


def _is_row(row: Any) -> bool:
    if isinstance(row, np.ndarray):
        return row.ndim > 0
    return isinstance(row, (list, tuple)) and bool(row) and not any(isinstance(one, (str, dict)) for one in row)


def read(data: Any, wanted: str | None = None) -> Piece:
    """The scores of an array; where it names nothing, it is topics x systems, and with `wanted="turned"` the
    reverse."""
    if isinstance(data, (Scores, ScoreCube)):
        return _labelled(data)
    if wanted not in (None, "matrix", "numbers", "turned"):
        raise CallError(
            f"format={wanted!r} is for tables; an array is topics x systems.",
            Advice('With format="turned" it is systems x topics.', ""),
        )
    if is_labelled_array(data):
        return _xarray(data, wanted)
    scores = Scores(data, missing="keep")  # checks numbers, masks and the shape
    values = scores.values.T if wanted == "turned" else scores.values
    rows = "systems x topics" if wanted == "turned" else "topics x systems"
    n, m = values.shape
    return Piece(
        source="the array",
        values=values[None],
        measures=("",),
        topics=_numbered(n),
        systems=_numbered(m),
        notes=(f"the array: {rows}, both numbered", *(() if wanted else by_counts(n, m, "the array"))),
    )


def _labelled(data: Scores | ScoreCube) -> Piece:
    cube = isinstance(data, ScoreCube)
    return Piece(
        source="the scores",
        values=data.values if cube else data.values[None],
        measures=data.measures if isinstance(data, ScoreCube) else (data.measure,),
        topics=data.topics,
        systems=data.systems,
        notes=tuple(note for note in data.notes if note != KEPT),
        frame=data.frame,
        collection=data.collection,
    )


def _xarray(data: Any, wanted: str | None) -> Piece:
    """A DataArray: the names of its dimensions say what they are; without such names it is topics x systems."""
    if not hasattr(data, "name"):
        raise FileError(
            "the Dataset: it holds several arrays.", Advice('Give one of them, or all: dataset.to_array("measure").')
        )
    dims = [str(dim) for dim in data.dims]
    known = [role_of(dim) for dim in dims]
    if len(dims) not in (2, 3):
        raise FileError(f"the DataArray: it has {len(dims)} dimensions, {shown(dims)}; topics and systems are needed.")
    if not any(known) and len(dims) == 2:
        roles = ["system", "topic"] if wanted == "turned" else ["topic", "system"]
        assumed = f", taken as {roles[0]}s x {roles[1]}s"
    else:
        roles, assumed = _completed(known, dims), ""
    unsure = assumed != "" and wanted is None
    order = [roles.index(role) for role in _DIMENSIONS if role in roles]
    labels = {role: _labels(data, dim) for role, dim in zip(roles, data.dims, strict=True)}
    values = np.asarray(data.values)
    values = np.transpose(values, order)
    block = values if values.ndim == 3 else values[None]
    named = "" if data.name is None or role_of(str(data.name)) == "value" else str(data.name)
    measures = labels.get("measure", (named,))
    cube = ScoreCube(
        block, tuple(name or "score" for name in measures), labels["topic"], labels["system"], missing="keep"
    )
    return Piece(
        source="the DataArray",
        values=cube.values,
        measures=cube.measures if "measure" in labels or measures != ("",) else ("",),
        topics=cube.topics,
        systems=cube.systems,
        notes=(
            f"the DataArray: dimensions {' x '.join(dims)}{assumed}",
            *(by_counts(len(cube.topics), len(cube.systems), "the DataArray") if unsure else ()),
        ),
        collection=str(data.attrs.get("collection", "")),
    )


def _completed(roles: Sequence[str | None], dims: Sequence[str]) -> list[str]:
    """Where one dimension has no name that is known, it is what is left; where two have none, that cannot be said."""
    needed = _DIMENSIONS[-len(dims) :]
    left = [role for role in needed if role not in roles]
    found = [role if role is not None else (left[0] if len(left) == 1 else "?") for role in roles]
    if sorted(found) != sorted(needed):
        raise FileError(
            f"the DataArray: which of its dimensions, {shown(dims)}, are topics and systems?",
            Advice("Rename them: array.rename({…: 'topic', …: 'system'})."),
        )
    return found


def _labels(data: Any, dim: Any) -> tuple[str, ...]:
    """The coordinates along a dimension, or numbers where there are none."""
    if dim not in data.coords:
        return _numbered(data.sizes[dim])
    return tuple(str(label) for label in data.coords[dim].values.tolist())


def _numbered(size: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, size + 1)))
