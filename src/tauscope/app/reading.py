"""What is this file? Kind, layout, counts, data problems, the first rows; or what is wrong, and its fixes as buttons."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ..boards.published import Published, read_published
from ..boards.repeats import RUNS, TOPICS, Repeats, read_repeats
from ..checks import check_scores
from ..errors import CallError, FileError, TauscopeError
from ..evaluation.qrels import Qrels, read_qrels
from ..evaluation.runs import Run, read_run
from ..files import detect_format, read_cube, read_groups, read_ranking
from ..files.battles import PAIRS, read_battles
from ..files.streams import open_start
from ..ranking import Ranking
from ..results import count, plain
from ..scores import ScoreCube
from ..scores.battles import Battles
from .fixes import as_buttons, button, columns_by_role

#: Counts, notes, and a preview of what was read.
Told = tuple[dict[str, int], list[str], dict[str, Any]]
#: Rows and columns of a preview.
ROWS, COLUMNS = 10, 8

#: Findings that are shown.
PROBLEMS = 6
#: The advice if the reader has no fix.
FIX = "Fix the file and drop it again, or say below what it is."


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of file: how it is read, the options that reading takes, and what is said of what was read."""

    name: str
    title: str
    read: Callable[..., Any]
    tell: Callable[[Any], Told]
    #: The public function by which answers read it.
    public: str = ""
    options: tuple[str, ...] = ()
    #: Those of the options that name one column each.
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Understood:
    """A file as it was understood: its kind, what the page shows of it, and the systems in it."""

    kind: str
    said: dict[str, Any]


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
        "problems": _problems(found),
        "preview": preview,
        "measures": list(getattr(found, "measures", ())) if kind.name == "scores" else [],
        "options": own,
        "problem": None,
        "fixes": _reversed(path, kind.name, own, max_bytes),
        "kinds": _other_kinds(kind.name),
    }
    return Understood(kind=kind.name, said=plain(said))


def _problem(
    kind: str, error: TauscopeError, head: list[str], options: dict[str, str], *, asked: bool = False
) -> Understood:
    """What is wrong, the rows as they stand, and the ways out; one of them leads back where somebody `asked` for it."""
    rows = _cells(head)
    problem = as_buttons(
        error, known=KINDS[kind].options if kind in KINDS else (), header=rows[0] if rows else [], otherwise=FIX
    )
    if any("option" in way for way in problem["fixes"]):
        for way in problem["fixes"]:
            way |= {"advice": f"Or in the file: {way['advice']}"} if "advice" in way else {}
    if kind == "scores" and _long(rows) and not any("roles" in way for way in problem["fixes"]):
        problem["fixes"].insert(0, columns_by_role(rows[0]))
    if options or asked:
        problem["fixes"].insert(0, button("kind", "", "without these options"))
    said = {
        "kind": kind,
        "title": KINDS[kind].title if kind in KINDS else "not understood",
        "counts": {},
        "layout": [],
        "problems": [],
        "preview": _start(rows),
        "measures": [],
        "options": options,
        "kinds": _other_kinds(kind),
        **problem,
    }
    return Understood(kind=kind, said=plain(said))


def _reversed(path: Path, kind: str, options: Mapping[str, str], max_bytes: int) -> list[dict[str, Any]]:
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
    if names & {*RUNS} and names & {*TOPICS}:
        return KINDS["repeats"]
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


def of_scores(cube: ScoreCube) -> Told:
    """The first topics and systems, by the first measure."""
    first = cube[cube.measures[0]]
    rows = [
        [topic, *plain(row[:COLUMNS].tolist())]
        for topic, row in zip(cube.topics[:ROWS], first.values[:ROWS], strict=False)
    ]
    counts = {"systems": len(cube.systems), "topics": len(cube.topics), "measures": len(cube.measures)}
    counts |= {"missing cells": cube.holes} if cube.has_holes else {}
    more = [
        f"{count(len(labels) - most, 'more ' + noun)}"
        for labels, most, noun in ((cube.systems, COLUMNS, "system"), (cube.topics, ROWS, "topic"))
        if len(labels) > most
    ]
    preview = {"columns": ["topic", *cube.systems[:COLUMNS]], "rows": rows, "more": " and ".join(more)}
    return counts, list(cube.notes), preview


def of_lists(found: Run | Qrels) -> Told:
    """The first documents of a run, or of judgments."""
    starts = found.offsets.tolist()
    entries = (
        (topic, entry) for topic, *ends in zip(found.topics, starts, starts[1:], strict=False) for entry in range(*ends)
    )
    rows = [[topic, found.document(entry), found.values[entry].item()] for topic, entry in islice(entries, ROWS)]
    columns = ["topic", "document", "grade" if isinstance(found, Qrels) else "score"]
    return {"topics": len(found.topics), "documents": len(found)}, [], {"columns": columns, "rows": rows, "more": ""}


def _of_columns(columns: Mapping[str, Any], notes: tuple[str, ...], **counts: int) -> Told:
    cells = [plain(list(islice(values, ROWS))) for values in columns.values()]
    return (
        counts,
        list(notes),
        {"columns": list(columns), "rows": [list(row) for row in zip(*cells, strict=True)], "more": ""},
    )


def of_battles(battles: Battles) -> Told:
    """The first battles."""
    names, verdicts = battles.systems, ("first", "second", "tie")
    columns = {
        "first": [names[i] for i in battles.first[:ROWS]],
        "second": [names[i] for i in battles.second[:ROWS]],
        "winner": [verdicts[i] for i in battles.winner[:ROWS]],
    }
    return _of_columns(columns, battles.notes, systems=len(names), battles=len(battles))


def of_published(board: Published) -> Told:
    """The first rows of a published board."""
    return _of_columns(board.columns(), board.notes, systems=len(board))


def of_ranking(ranking: Ranking) -> Told:
    """The best systems of a list."""
    order = [int(i) for i in ranking.order()]
    columns = {"system": [str(ranking.labels[i]) for i in order], "score": [float(ranking.scores[i]) for i in order]}
    return _of_columns(columns, (), systems=len(ranking))


def of_groups(groups: Mapping[str, str]) -> Told:
    """The first names, and their groups."""
    columns = {"name": list(groups), "group": list(groups.values())}
    return _of_columns(columns, (), names=len(groups), groups=len(set(groups.values())))


def of_repeats(repeats: Repeats) -> Told:
    """The mean of each system."""
    n, m, runs = repeats.values.shape
    return _of_columns(repeats.columns(), repeats.notes, systems=m, topics=n, runs=runs)


def column_options(kind: str, options: Mapping[str, Any]) -> str:
    """Return the options that name columns as the shell takes them: "score=arena_score,name=model"."""
    named = [f"{name}={options[name]}" for name in KINDS[kind].columns if name in options]
    return ",".join([*filter(None, [str(options.get("columns", ""))]), *named])


def _whole(text: str) -> bool:
    return text.lstrip("-").isdecimal()


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _problems(found: Any) -> list[dict[str, str]]:
    """What the linter says of scores, the gravest first."""
    if not isinstance(found, ScoreCube):
        return []
    scores = found[found.measures[0]] if len(found.measures) == 1 else found
    return [
        {"severity": one.severity, "text": f"{one.text}." + (f" [{one.where}]" if one.where else "")}
        for one in islice(check_scores(scores), PROBLEMS)
    ]


def _other_kinds(name: str) -> list[dict[str, str]]:
    return [{"kind": kind.name, "title": kind.title} for kind in KINDS.values() if kind.name != name]


def _groups(path: Path, *, max_bytes: int) -> dict[str, str]:
    """Two columns of texts; numbers in the second one are scores."""
    found = dict(read_groups(path, max_bytes=max_bytes))
    if sum(_number(group) for group in found.values()) * 2 > len(found):
        raise CallError("The second column holds numbers: these are scores, not groups.")
    return found


def _cube(path: Path, *, max_bytes: int, **options: Any) -> ScoreCube:
    """Scores by all measures, missing cells included: the question decides what to do with these."""
    return read_cube(path, max_bytes=max_bytes, missing="keep", **options)


_PUBLISHED = ("system", "score", "error", "low", "high")
_REPEATS = ("system", "topic", "run", "score", "cluster")
_BATTLES = ("first", "second", "winner")
KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            name="scores",
            title="scores on topics",
            read=_cube,
            tell=of_scores,
            public="read_scores",
            options=("format", "columns"),
        ),
        Kind(name="judgments", title="judgments (qrels)", read=read_qrels, tell=of_lists),
        Kind(name="run", title="a run", read=read_run, tell=of_lists),
        Kind(
            name="battles",
            title="battles",
            read=read_battles,
            tell=of_battles,
            public="Battles.read",
            options=(*_BATTLES, "missing", "self_battles"),
            columns=_BATTLES,
        ),
        Kind(
            name="published",
            title="published scores with errors",
            read=read_published,
            tell=of_published,
            public="Published.read",
            options=_PUBLISHED,
            columns=_PUBLISHED,
        ),
        Kind(
            name="repeats",
            title="scores of repeated runs",
            read=read_repeats,
            tell=of_repeats,
            public="boards.repeats.Repeats.read",
            options=_REPEATS,
            columns=_REPEATS,
        ),
        Kind(name="list", title="a list of systems", read=read_ranking, tell=of_ranking, public="read_ranking"),
        Kind(name="groups", title="groups of systems", read=_groups, tell=of_groups),
    )
}
