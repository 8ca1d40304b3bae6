"""What is this file? Kind, layout, counts, oddities, the first rows, or what is wrong and the ways out as buttons."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from itertools import islice
from pathlib import Path
from typing import Any

from ..boards.published_files import read_published
from ..checks import check_scores
from ..errors import CallError, FileError, TauscopeError
from ..evaluation.qrels import read_qrels
from ..evaluation.runs import Run, read_run
from ..files import detect_format, read_cube, read_groups, read_ranking
from ..files.battles import PAIRS, read_battles
from ..files.streams import open_start
from ..results import count, plain
from ..scores import ScoreCube
from .buttons import as_buttons, button, columns_by_role
from .previews import COLUMNS, ROWS, of_battles, of_groups, of_lists, of_published, of_ranking, of_scores

#: Findings that are shown.
ODDITIES = 6
#: What is said where the reader knows no way out.
MEND = "Mend the file and drop it again, or say below what it is."


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of file: how it is read, the options that reading takes, and what is said of what was read."""

    name: str
    title: str
    read: Callable[..., Any]
    options: tuple[str, ...] = ()
    #: (counts, notes, preview) of what was read.
    tell: Callable[[Any], tuple[dict[str, int], list[str], dict[str, Any]]]
    #: What the app keeps of what was read; runs and judgments are read again by whoever needs them.
    keep: Callable[[Any], Any] = lambda found: found


@dataclass(frozen=True, kw_only=True)
class Understood:
    """A file as it was understood: `found` is what was read, or what is kept of it; None where it could not be."""

    kind: str
    said: dict[str, Any]
    found: Any = None


def understand(path: Path, options: Mapping[str, str], max_bytes: int) -> Understood:
    """Reads a file as what it seems to be, or as `options["kind"]` says, with the other options of its reader."""
    try:
        head = _head(path, max_bytes)
        kind = KINDS[options["kind"]] if options.get("kind") in KINDS else _kind_of(path, head, max_bytes)
    except TauscopeError as error:
        return _problem("unknown", error, [], {})
    own = {name: value for name, value in options.items() if name in kind.options}
    try:
        found = kind.read(path, max_bytes=max_bytes, **own)
    except TauscopeError as error:
        return _problem(kind.name, error, head, own, asked=options.get("kind") == kind.name)
    counts, notes, preview = kind.tell(found)
    said = {
        "kind": kind.name,
        "title": kind.title,
        "counts": counts,
        "layout": notes,
        "oddities": _oddities(found),
        "preview": preview,
        "measures": list(getattr(found, "measures", ())) if kind.name == "scores" else [],
        "options": own,
        "problem": None,
        "ways_out": _turned_round(path, kind.name, own, max_bytes),
        "kinds": _other_kinds(kind.name),
    }
    return Understood(kind=kind.name, said=plain(said), found=kind.keep(found))


def _problem(
    kind: str, error: TauscopeError, head: list[str], options: dict[str, str], *, asked: bool = False
) -> Understood:
    """What is wrong, the rows as they stand, and the ways out; one of them leads back where somebody `asked` for it."""
    rows = _cells(head)
    problem = as_buttons(
        error, known=KINDS[kind].options if kind in KINDS else (), header=rows[0] if rows else [], otherwise=MEND
    )
    if any("option" in way for way in problem["ways_out"]):
        for way in problem["ways_out"]:
            way |= {"advice": f"Or in the file: {way['advice']}"} if "advice" in way else {}
    if kind == "scores" and _long(rows) and not any("roles" in way for way in problem["ways_out"]):
        problem["ways_out"].insert(0, columns_by_role(rows[0]))
    if options or asked:
        problem["ways_out"].insert(0, button("kind", "", "without what was said of it"))
    said = {
        "kind": kind,
        "title": KINDS[kind].title if kind in KINDS else "not understood",
        "counts": {},
        "layout": [],
        "oddities": [],
        "preview": _start(rows),
        "measures": [],
        "options": options,
        "kinds": _other_kinds(kind),
        **problem,
    }
    return Understood(kind=kind, said=plain(said))


def _turned_round(path: Path, kind: str, options: Mapping[str, str], max_bytes: int) -> list[dict[str, Any]]:
    """A matrix can be turned, whatever was understood: nobody else knows whether rows are topics or systems."""
    if kind != "scores":
        return []
    try:
        layout = options.get("format") or detect_format(path, max_bytes=max_bytes)
    except FileError:
        return []
    other = {"wide": "turned", "turned": "wide"}.get(layout)
    return [button("format", other, "if rows and columns were taken for each other")] if other else []


def _long(rows: list[list[str]]) -> bool:
    """Whether it looks like one row per score: three columns or more, with names that come again or stand twice."""
    columns = list(zip(*rows[1:], strict=False))
    texts = [cells for cells in columns if not all(_number(cell) for cell in cells if cell.strip())]
    again = any(len(set(cells)) < len(cells) for cells in texts)
    return len(texts) < len(columns) >= 3 and (again or len(texts) >= 2)


def _start(rows: list[list[str]]) -> dict[str, Any]:
    """The first rows and columns as they stand in the file."""
    most = COLUMNS + 1
    wide = max(map(len, rows), default=0) - most
    return {
        "columns": rows[0][:most] if rows else [],
        "rows": [row[:most] for row in rows[1 : ROWS + 1]],
        "more": count(wide, "more column") if wide > 0 else "",
    }


def _head(path: Path, max_bytes: int) -> list[str]:
    """The first lines of a text; nothing of a table that is no text."""
    try:
        with open_start(path, max_bytes=max_bytes) as text:
            return text.head[: 3 * ROWS]
    except FileError:
        with path.open("rb") as raw:
            if raw.read(4) == b"PAR1":
                return []
        raise


def _kind_of(path: Path, head: list[str], max_bytes: int) -> Kind:
    """By the first lines; what is none of the others is scores, or a board, or a list of systems."""
    lines = [line for line in head if line.strip() and not line.startswith("#")]
    first = lines[0].split() if lines else []
    if first and "," not in lines[0] and not lines[0].lstrip().startswith(("{", "[")):
        if len(first) == 4 and _number(first[3]) and (first[1] in ("0", "Q0") or not _number(first[2])):
            return KINDS["judgments"]
        if len(first) >= 6 and _whole(first[3]) and _number(first[4]):
            return KINDS["run"]
    names = {name.strip().lower() for name in _names(head)}
    if any(a in names and b in names for a, b in PAIRS[:-2]):
        return KINDS["battles"]
    return _scores_or_board(path, max_bytes)


def _scores_or_board(path: Path, max_bytes: int) -> Kind:
    try:
        layout = detect_format(path, max_bytes=max_bytes)
    except FileError:
        layout = "unclear"
    for name in {"ranking": ("groups", "list"), "table": ("published",), "unclear": ("groups", "published")}.get(
        layout, ()
    ):
        try:
            KINDS[name].read(path, max_bytes=max_bytes)
        except (TauscopeError, ValueError):
            continue
        return KINDS[name]
    return KINDS["scores"]


def _names(head: list[str]) -> list[str]:
    """The columns of a table, or the keys of its first record."""
    rows = _cells(head)
    return rows[0] if rows else []


def _cells(head: list[str]) -> list[list[str]]:
    """The first lines cell by cell."""
    lines = [line for line in head if line.strip()]
    if not lines:
        return []
    if lines[0].lstrip().startswith("{"):
        try:
            records = [json.loads(line) for line in lines[: ROWS + 1]]
        except ValueError:
            return [[line.rstrip()[:200]] for line in lines[: ROWS + 1]]
        keys = list(records[0]) if isinstance(records[0], dict) else []
        return [keys, *([str(record.get(key, ""))[:200] for key in keys] for record in records)]
    delimiter = next((mark for mark in ("\t", ",", ";") if mark in lines[0]), None)
    if delimiter is None:
        return [line.split()[:COLUMNS] for line in lines[: ROWS + 1]]
    try:
        return list(islice(csv.reader(io.StringIO("".join(lines)), delimiter=delimiter), ROWS + 1))
    except csv.Error:
        return [[line.rstrip()[:200]] for line in lines[: ROWS + 1]]


def _whole(text: str) -> bool:
    return text.lstrip("-").isdecimal()


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _oddities(found: Any) -> list[dict[str, str]]:
    """What the linter says of scores, the gravest first."""
    if not isinstance(found, ScoreCube):
        return []
    scores = found[found.measures[0]] if len(found.measures) == 1 else found
    return [
        {"severity": one.severity, "text": f"{one.text}." + (f" [{one.where}]" if one.where else "")}
        for one in islice(check_scores(scores), ODDITIES)
    ]


def _other_kinds(name: str) -> list[dict[str, str]]:
    return [{"kind": kind.name, "title": kind.title} for kind in KINDS.values() if kind.name != name]


def _groups(path: Path, *, max_bytes: int) -> dict[str, str]:
    """Two columns of texts; numbers in the second one are scores."""
    found = dict(read_groups(path, max_bytes=max_bytes))
    if sum(_number(group) for group in found.values()) * 2 > len(found):
        raise CallError("The second column holds numbers: these are scores, not groups.")
    return found


def _read_run(path: Path, *, max_bytes: int, names: str = "tag") -> Run:
    from ..files import run_name

    return read_run(path, run_name(path) if names == "file" else None, max_bytes=max_bytes)


def _known(reader: Callable[..., Any], *names: str) -> tuple[str, ...]:
    """Those of the options that the reader has."""
    return tuple(name for name in names if name in signature(reader).parameters)


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            name="scores",
            title="scores on topics",
            read=read_cube,
            options=_known(read_cube, "format", "missing", "columns"),
            tell=of_scores,
        ),
        Kind(
            name="judgments",
            title="judgments (qrels)",
            read=read_qrels,
            tell=of_lists,
            keep=lambda found: found.topics,
        ),
        Kind(
            name="run",
            title="a run",
            read=_read_run,
            options=("names",),
            tell=of_lists,
            keep=lambda found: found.name,
        ),
        Kind(
            name="battles",
            title="battles",
            read=read_battles,
            options=("first", "second", "winner", "missing", "self_battles"),
            tell=of_battles,
        ),
        Kind(
            name="published",
            title="a published board",
            read=read_published,
            options=("system", "score", "error", "low", "high"),
            tell=of_published,
        ),
        Kind(name="list", title="a list of systems", read=read_ranking, options=("measure", "format"), tell=of_ranking),
        Kind(name="groups", title="groups of systems", read=_groups, tell=of_groups),
    )
}
