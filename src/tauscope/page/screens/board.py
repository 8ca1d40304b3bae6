"""A leaderboard, an arena or a table of published scores: the board itself, and which of its ranks may be printed."""

from __future__ import annotations

import math

import numpy as np

from ...results import count, number, word
from ...scores import Scores
from ..board import Board
from ..facts import Facts
from ..material import Material
from ..parts import Name, Sentence, listed
from .parts import (
    Badge,
    BoardPicture,
    BoardRow,
    Ruler,
    RulerLine,
    Scale,
    Screen,
    Segment,
    Stack,
    Tile,
    coefficients,
    colours,
)

#: A system on less than this share of the topics is marked.
THIN = 0.8
#: Scores on single topics that a page carries along.
MOST_CELLS = 150_000
#: Names in a sentence.
FEW = 3


def screen(material: Material, facts: Facts) -> Screen | None:
    """Where there is a board, and it was asked for as one."""
    board = facts.board
    if board is None or not (material.leaderboard or material.board is not None):
        return None
    leader = Name(board.systems[0], 36)
    return Screen(
        kind="board",
        question=(f"Which ranks may this board of {count(len(board.systems), 'system')} print?",),
        badge=badge(board),
        sentence=_sentence(board),
        tiles=(best_tile(board), _neighbours(board), _expected(board)),
        picture=picture(material, board),
        may=_may(board, leader),
        may_not=_may_not(material, board, leader),
        systems=board.systems,
        data={
            "could_be_best": None if board.best is None else len(board.best),
            "neighbours": board.pairs,
            "told_apart": board.apart,
            "tiers": len(board.tiers),
        },
    )


def badge(board: Board) -> Badge:
    """Whether there is a winner."""
    if board.best is not None and len(board.best) == 1:
        return Badge("A clear winner", "yes")
    return Badge("No clear winner", "open")


def _sentence(board: Board) -> Sentence:
    alike = board.pairs - board.apart
    neighbours = f"{alike:,} of {count(board.pairs, 'neighbour')} cannot be told apart."
    if board.best is None:
        return (f"{count(len(board.tiers), 'tier')}; {neighbours}",)
    if len(board.best) == 1:
        return (Name(board.best[0], 36), f" is the best; {neighbours}")
    return (f"{len(board.best):,} of {count(len(board.systems), 'system')} could be the best; {neighbours}",)


def best_tile(board: Board) -> Tile:
    """How many could be the best."""
    systems = len(board.systems)
    if board.best is None:
        return Tile(
            title="Tiers", value=f"{len(board.tiers):,}", note=("each led by one that is better than all below",)
        )
    most = len(board.best)
    segments = (Segment("could be the best", most, "kept"), Segment("not", systems - most, "rest"))
    note: Sentence = listed(board.best, FEW) if most <= FEW else (*listed(board.best[:2]), f" and {most - 2:,} more")
    return Tile(
        title="Could be the best", value=f"{most:,} of {systems:,}", note=note, picture=Stack(segments=segments)
    )


def _neighbours(board: Board) -> Tile:
    alike = board.pairs - board.apart
    segments = (Segment("told apart", board.apart, "kept"), Segment("not", alike, "missed"))
    return Tile(
        title="Neighbours told apart",
        value=f"{board.apart:,} of {board.pairs:,}",
        note=(f"{word('systems')} beside each other, each pair taken alone",),
        picture=Stack(segments=segments),
    )


def _expected(board: Board) -> Tile:
    title = "Agreement with the true order, τ"
    if math.isnan(board.expected_tau):
        return Tile(title=title, value="–", note=("cannot be said",))
    line = RulerLine(label="expected", value=board.expected_tau, interval=board.interval, strong=True)
    values = [board.expected_tau, *(board.interval or ())]
    return Tile(
        title=title, value=number(board.expected_tau, 2), picture=Ruler(scale=coefficients(values), lines=(line,))
    )


def _may(board: Board, leader: Name) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    sure = f"{board.level * 100:g} %"
    if board.best is not None and len(board.best) == 1:
        found.append((leader, f" is the best ({sure})."))
    elif board.best is not None:
        found.append((f"The best is among these {len(board.best):,} ({sure}).",))
    if len(board.tiers) > 1:
        found.append((f"The first of each tier is better than all of the tiers below; {len(board.tiers):,} tiers.",))
    found.append(("Every rank interval at once: the bars hold for all of them together.",))
    return tuple(found)


def _may_not(material: Material, board: Board, leader: Name) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    if board.best is not None and len(board.best) > 1:
        found.append((leader, f" is the best: {count(len(board.best) - 1, 'other')} could be."))
    alike = board.pairs - board.apart
    if alike:
        found.append((f"A {word('system')} beats the next one: {alike:,} of {board.pairs:,} times that is open.",))
    if material.leaderboard:
        found.append(
            (
                f"What would happen on {word('topics')} of another kind: these were chosen, and the answers take them for a "
                "sample.",
            )
        )
    return tuple(found)


def picture(material: Material, board: Board, *, tools: bool = True) -> BoardPicture:
    """The rows of the board, with the scores on each topic where there is room for them."""
    groups, colour = material.groups or {}, colours(material.groups)
    tier, best = board.tier, set(board.best or ())
    last = 0
    rows = []
    for i, name in enumerate(board.systems):
        own = tier[name]
        covered = None if board.covered is None else int(board.covered[i])
        rows.append(
            BoardRow(
                name=name,
                rank=f"{board.rank[i]:g}",
                low=int(board.low[i]),
                high=int(board.high[i]),
                at=float(board.rank[i]),
                score=float(board.scores[i]),
                error=float(board.errors[i]),
                tier=own,
                first_of_tier=own > last,
                best=name in best,
                covered=covered,
                thin=covered is not None and board.score == "mean" and covered < THIN * board.topics,
                group=groups.get(name, ""),
                colour=colour.get(groups.get(name, "")),
            )
        )
        last = max(last, own)
    tasks, values = _tasks(material, board)
    error = _typical(board)
    return BoardPicture(
        rows=tuple(rows),
        scale=_scale(len(rows)),
        caption=(
            f"The bar spans the ranks that a {word('system')} could really have ({board.level * 100:g} %, all at once); "
            f"the tick is its place here. {board.assumes[:1].upper()}{board.assumes[1:]}.{_thin_words(rows, board)}",
        ),
        system=word("system"),
        score=board.score,
        covered=board.counts,
        topics=board.topics,
        digits=0 if error >= 3 else 1 if error >= 0.5 else 2 if error >= 0.05 else 3,
        groups=tuple(sorted({row.group for row in rows} - {""})),
        tasks=tasks,
        values=values,
        has_best=board.best is not None,
        tools=tools,
    )


def _thin_words(rows: list[BoardRow], board: Board) -> str:
    if not any(row.thin for row in rows):
        return ""
    return f" Marked: fewer than {THIN * 100:g} % of the {board.topics:,} {board.counts}."


def _typical(board: Board) -> float:
    known = board.errors[np.isfinite(board.errors)]
    return float(np.median(known)) if known.size else 0.0


def _scale(n: int) -> Scale:
    step = next((step for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000) if n / step <= 5), n)
    marks = tuple(mark for mark in range(step, n + 1, step)) if step > 1 else tuple(range(1, n + 1))
    return Scale(low=0.5, high=n + 0.5, marks=(1, *(mark for mark in marks if mark > 1)), digits=0)


def _tasks(material: Material, board: Board) -> tuple[tuple[str, ...], tuple[tuple[float | None, ...], ...]]:
    scores: Scores | None = material.reference.scores
    if scores is None or scores.values.size > MOST_CELLS:
        return (), ()
    place = {name: k for k, name in enumerate(scores.systems)}
    values = scores.values[:, [place[name] for name in board.systems]]
    columns = tuple(
        tuple(None if math.isnan(value) else float(f"{value:.4g}") for value in row) for row in values.tolist()
    )
    return tuple(scores.topics), columns
