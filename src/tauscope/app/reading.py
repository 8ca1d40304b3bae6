"""What is this file? Kind, layout, counts, data problems, the first rows; or what is wrong, and its fixes as buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ..boards.published import Published
from ..boards.repeats import Repeats
from ..data.battles import Battles
from ..data.cube import ScoreCube
from ..data.ranking import Ranking
from ..data.scores import Scores
from ..errors import Advice, FileError, TauscopeError
from ..evaluation.qrels import Qrels
from ..evaluation.runs import Runs
from ..io.numerals import is_float
from ..io.read import detect_format, kind_of
from ..reading import KINDS, check, first_cells, first_lines
from ..results import Notes, count, plain
from .fixes import as_buttons, button, columns_by_role

#: Counts, notes, and a preview of what was read.
Told = tuple[dict[str, int], list[str], dict[str, Any]]
#: Rows and columns of a preview.
ROWS, COLUMNS = 10, 8

#: Findings that are shown.
PROBLEMS = 6
#: The advice if the reader has no fix.
FIX = Advice("Fix the file and drop it again, or say below what it is.")


@dataclass(frozen=True, kw_only=True)
class Understood:
    """A file as it was understood: its kind, what the page shows of it, and the systems in it."""

    kind: str
    said: dict[str, Any]


def understand(path: Path, options: Mapping[str, str], max_bytes: int) -> Understood:
    """Reads a file as what it seems to be, or as `options["kind"]` says, with the other options of its reader."""
    try:
        head = first_lines(path, max_bytes=max_bytes)
        kind = KINDS[options["kind"] if options.get("kind") in KINDS else kind_of(path, max_bytes=max_bytes)]
    except TauscopeError as error:
        return _problem("unknown", error, [], {})
    own = {name: value for name, value in options.items() if name in OPTIONS.get(kind.name, kind.options)}
    try:
        found = kind.read(path, max_bytes=max_bytes, **own)
    except TauscopeError as error:
        return _problem(kind.name, error, head, own, asked=options.get("kind") == kind.name)
    counts, notes, preview = TELL[kind.name](found)
    measures = (
        list(found.measures) if isinstance(found, ScoreCube) else [found.measure] if kind.name == "scores" else []
    )
    said = {
        "kind": kind.name,
        "title": kind.title,
        "counts": counts,
        "layout": notes,
        "problems": _problems(found),
        "preview": preview,
        "measures": measures,
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
    rows = first_cells(head, ROWS + 1)
    problem = as_buttons(
        error,
        known=OPTIONS.get(kind, KINDS[kind].options) if kind in KINDS else (),
        header=rows[0] if rows else [],
        otherwise=FIX,
    )
    if any("option" in way for way in problem["fixes"]):
        for way in problem["fixes"]:
            way |= {"advice": Advice(f"Or in the file: {way['advice']}").in_shell()} if "advice" in way else {}
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
    texts = [cells for cells in columns if not all(is_float(cell) for cell in cells if cell.strip())]
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


def of_scores(found: Scores | ScoreCube) -> Told:
    """The first topics and systems, by the first measure."""
    cube = ScoreCube.stack([found], missing="keep") if isinstance(found, Scores) else found
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
    return counts, list(map(str, cube.notes)), preview


def of_lists(several: Runs | Qrels) -> Told:
    """The first documents of a run, or of judgments."""
    found = several if isinstance(several, Qrels) else several[0]
    starts = found.offsets.tolist()
    entries = (
        (topic, entry) for topic, *ends in zip(found.topics, starts, starts[1:], strict=False) for entry in range(*ends)
    )
    rows = [[topic, found.document(entry), found.values[entry].item()] for topic, entry in islice(entries, ROWS)]
    columns = ["topic", "document", "grade" if isinstance(found, Qrels) else "score"]
    return {"topics": len(found.topics), "documents": len(found)}, [], {"columns": columns, "rows": rows, "more": ""}


def _of_columns(columns: Mapping[str, Any], notes: Notes, **counts: int) -> Told:
    cells = [plain(list(islice(values, ROWS))) for values in columns.values()]
    return (
        counts,
        list(map(str, notes)),
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


def _problems(found: Any) -> list[dict[str, str]]:
    """What the linter says of scores, the gravest first."""
    if not isinstance(found, (Scores, ScoreCube)):
        return []
    return [
        {"severity": one.severity, "text": f"{one.text}." + (f" [{one.where}]" if one.where else "")}
        for one in islice(check(found), PROBLEMS)
    ]


def _other_kinds(name: str) -> list[dict[str, str]]:
    return [{"kind": kind.name, "title": kind.title} for kind in KINDS.values() if kind.name != name]


#: What is said of each kind, and the options of its reader that the page offers, where these are not all.
TELL: dict[str, Callable[[Any], Told]] = {
    "scores": of_scores,
    "judgments": of_lists,
    "runs": of_lists,
    "battles": of_battles,
    "published": of_published,
    "repeats": of_repeats,
    "ranking": of_ranking,
    "groups": of_groups,
}
OPTIONS = {"scores": ("format", "columns"), "ranking": (), "published": ("system", "score", "error", "low", "high")}
