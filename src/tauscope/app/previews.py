"""What is said of a file that was read: counts, notes, and its first rows."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from ..boards.published import PublishedScores
from ..evaluation.qrels import Qrels
from ..evaluation.runs import Run
from ..ranking import Ranking
from ..results import count, plain
from ..scores import ScoreCube
from ..scores.battles import Battles

#: What is told: (counts, notes, preview).
Told = tuple[dict[str, int], list[str], dict[str, Any]]
#: Rows and columns of a preview.
ROWS, COLUMNS = 10, 8


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


def of_published(board: PublishedScores) -> Told:
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
