"""A leaderboard, an arena or a table of published scores: the board itself, and how sure its ranks are."""

from __future__ import annotations

import math

import numpy as np

from ...results import count, number, said, word
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
    limits_of,
)

#: A system on less than this share of the topics is marked.
THIN = 0.8
#: Scores on single topics that a page carries along.
MOST_CELLS = 150_000
#: Names in a sentence.
FEW = 3
#: The first rows, which people look at.
HEAD = 10
#: Letters of a name in a sentence.
SHORT = 36
#: The title of the tile that says how far the order is the true one.
AGREEMENT = "Agreement with the true order, τ (1 = the same)"
#: Read with a value whose interval would need topics drawn anew, which would not keep the holes.
NO_INTERVAL, WHY_NONE = "no interval", "no interval, as scores are missing"


def screen(material: Material, facts: Facts) -> Screen | None:
    """Where there is a board, and it was asked for as one."""
    board = facts.board
    if board is None or not (material.leaderboard or material.board is not None):
        return None
    may, may_not = claims(board)
    if material.leaderboard:
        chosen = f"What would happen on {word('topics')} of another kind: these were chosen, not drawn by chance."
        may_not = (*may_not, (chosen,))
    return Screen(
        kind="board",
        question=(f"Which of {count(len(board.systems), 'system')} is the best?",),
        badge=Badge("A clear winner", "yes") if board.clear else Badge("No clear winner", "open"),
        sentence=_sentence(board),
        todo=_todo(board),
        tiles=(best_tile(board), _neighbours(board), expected_tile(board)),
        picture=picture(material, board),
        may=may,
        may_not=may_not,
        systems=board.systems,
        data={
            "could_be_best": None if board.best is None else len(board.best),
            "neighbours": board.pairs,
            "told_apart": board.apart,
            "tiers": len(board.tiers),
        },
    )


def _sentence(board: Board) -> Sentence:
    neighbours = f"{board.alike:,} of {count(board.pairs, 'neighbouring pair')} cannot be told apart."
    if board.best is None:
        return (f"{count(len(board.tiers), 'tier')}; {neighbours}",)
    if board.clear:
        return (Name(board.best[0], SHORT), f" is the best; {neighbours}")
    return (f"{len(board.best):,} of {count(len(board.systems), 'system')} could be the best; {neighbours}",)


def _todo(board: Board) -> tuple[Sentence, ...]:
    if not board.alike:
        return (("Print the ranks as they are: every neighbouring pair is told apart.",),)
    thin = [_thin(board, i) for i in range(len(board.systems))]
    if any(few and name in (board.best or ()) for few, name in zip(thin, board.systems, strict=True)):
        run: Sentence = (
            f"Run those in colour (“{_few(board, thin.index(True))}”) on the {board.counts} that they lack.",
        )
        # Where most of the head rests on few topics, that comes before anything is printed.
        head = thin[:HEAD]
        return (run, name_the_best(board)) if sum(head) > len(head) / 2 else (name_the_best(board), run)
    return (name_the_best(board), (f"More {board.counts} would tell more of them apart.",))


def _thin(board: Board, i: int) -> bool:
    """Whether a system has scores on few of the topics."""
    return board.covered is not None and board.score == "mean" and int(board.covered[i]) < THIN * board.topics


def _few(board: Board, i: int) -> str:
    """'27 of 41'."""
    return "" if board.covered is None else f"{int(board.covered[i]):,} of {board.topics:,}"


def name_the_best(board: Board) -> Sentence:
    """What may be printed of a board whose ranks are not all sure."""
    ranges = "rank ranges, not single ranks"
    if board.best is None:
        return (f"Print {ranges}.",)
    if board.clear:
        return ("Name ", Name(board.best[0], SHORT), f" the best; for the others print {ranges}.")
    if len(board.best) == len(board.systems):
        return (f"Name no best: every {word('system')} could be. Print {ranges}.",)
    return (f"Name all {len(board.best):,} possible bests (★), and print {ranges}.",)


def best_tile(board: Board) -> Tile:
    """How many could be the best."""
    systems = len(board.systems)
    if board.best is None:
        return Tile(
            title="Tiers",
            value=f"{len(board.tiers):,}",
            note=(f"the first of each is shown to be better than all below the tier ({sure(board.level)})",),
        )
    most = len(board.best)
    segments = (Segment("could be the best", most, "kept"), Segment("not", systems - most, "rest"))
    note: Sentence = listed(board.best, FEW) if most <= FEW else (*listed(board.best[:2]), f" and {most - 2:,} more")
    return Tile(
        title=best_title(board.level),
        value=f"{most:,} of {systems:,}",
        note=note,
        picture=Stack(segments=segments, keys=False),
    )


def _level(board: Board) -> str:
    return f"{board.level * 100:g} %"


def sure(level: float) -> str:
    """'95 % sure'."""
    return f"{level * 100:g} % sure"


def best_title(level: float) -> str:
    """The title of the tile that counts the possible bests."""
    return f"Could be the best ({sure(level)})"


def _neighbours(board: Board) -> Tile:
    segments = (Segment("not told apart", board.alike, "kept"), Segment("told apart", board.apart, "rest"))
    return Tile(
        title="Neighbouring pairs not told apart",
        value=f"{board.alike:,} of {board.pairs:,}",
        note=(
            f"a {word('system')} and the next one below: the gap could be chance (each tested alone, {_level(board)})",
        ),
        picture=Stack(segments=segments, keys=False),
    )


def expected_tile(board: Board) -> Tile:
    """How far the order is the true one."""
    tau = board.expected_tau
    if math.isnan(tau):
        return Tile(title=AGREEMENT, value="–", note=("cannot be said",))
    line = RulerLine(value=tau, interval=board.interval, strong=True)
    true = f"; true: over all {board.counts} that could have been asked" if board.score == "mean" else ""
    more = true if board.interval is not None else f"; {WHY_NONE}"
    return Tile(
        title=AGREEMENT,
        value=number(tau, 2),
        beside=limits_of(board.interval, board.level) if board.interval is not None else NO_INTERVAL,
        note=(f"about {50 * (1 - tau):.0f} of 100 pairs are probably in the wrong order{more}",),
        picture=Ruler(scale=coefficients([tau, *(board.interval or ())]), lines=(line,)),
    )


def claims(board: Board) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """What a board lets one say, and what not."""
    leader = Name(board.systems[0], SHORT)
    may: list[Sentence] = []
    may_not: list[Sentence] = []
    if board.clear:
        may.append((leader, f" is the best ({sure(board.level)})."))
    elif board.best is not None:
        may.append((f"The best is one of the {len(board.best):,} ★ ({sure(board.level)}).",))
        may_not.append(("“", leader, f" is the best”: {count(len(board.best) - 1, 'other')} could be."))
    apart = "of two bars that do not overlap, the left one is better"
    may.append((f"Each true rank is inside its bar, and {apart} ({sure(board.level)} of all at once).",))
    if len(board.tiers) > 1:
        first = f"The first of a tier is better than everyone in later tiers ({sure(board.level)}; "
        may.append((f"{first}{len(board.tiers):,} tiers).",))
    if any(_thin(board, i) for i in range(len(board.systems))):
        may_not.append((f"“A higher mean is better”: means are over different {board.counts}.",))
    elif board.alike:
        open_ = f"for {board.alike:,} of {board.pairs:,} neighbours that could be chance."
        may_not.append((f"“This {word('system')} beats the next one below”: {open_}",))
    if len(may_not) < 2 and any(len(tier) > 1 for tier in board.tiers):
        may_not.append((f"“{word('systems').capitalize()} of one tier are equally good”: nobody has shown that.",))
    return tuple(may), tuple(may_not)


def picture(material: Material, board: Board, *, tools: bool = True) -> BoardPicture:
    """The rows of the board, with the scores on each topic where there is room for them."""
    rows = _rows(material, board)
    tasks, values = _tasks(material, board)
    error = _typical(board)
    return BoardPicture(
        rows=rows,
        scale=_scale(len(rows)),
        caption=(_caption(rows, board),),
        system=word("system"),
        score=board.score,
        covered=board.counts,
        topics=board.topics,
        digits=0 if error >= 3 else 1 if error >= 0.5 else 2 if error >= 0.05 else 3,
        groups=tuple(sorted({row.group for row in rows} - {""})),
        tasks=tasks,
        values=values,
        star=_star(board),
        bar=f"ranks it could have ({_level(board)}, all bars at once)",
        tiers="end of a tier: all below are shown to be worse than its first" if len(board.tiers) > 1 else "",
        tools=tools,
    )


def _star(board: Board) -> str:
    """What a star says, and why a bar that reaches rank 1 can be without one; nothing where there are no stars."""
    if board.best is None:
        return ""
    words = f"could be the best ({_level(board)}"
    reach = {name for name, low in zip(board.systems, board.low.tolist(), strict=True) if low == 1}
    if reach == set(board.best):
        return f"{words}): its bar begins at 1"
    if reach > set(board.best):
        return f"{words}; a sharper test than the bars’, so not every bar at 1 has one)"
    return f"{words}; a test of its own, which bars need not follow)"


def _rows(material: Material, board: Board) -> tuple[BoardRow, ...]:
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
                first_of_tier=0 < last < own,
                best=name in best,
                covered=covered,
                thin=_thin(board, i),
                group=groups.get(name, ""),
                colour=colour.get(groups.get(name, "")),
            )
        )
        last = max(last, own)
    return tuple(rows)


def _caption(rows: tuple[BoardRow, ...], board: Board) -> str:
    tied = " Ties share a mean rank." if len(set(board.rank.tolist())) < len(rows) else ""
    assumes = said(f"{board.assumes[:1].upper()}{board.assumes[1:]}.")
    if "standard error" not in assumes and _typical(board) > 0:
        assumes = f"± is one standard error. {assumes}"
    return f"{assumes}{_longer_words(board)}{_thin_words(rows, board)}{tied}"


def _longer_words(board: Board) -> str:
    """Why bars of neighbours can be of different length."""
    if board.score not in ("mean", "estimate"):
        return ""
    fewer = f" or {board.counts} are fewer" if board.covered is not None else f" over {board.counts}"
    return f" A bar is longer where scores vary more{fewer}."


def _thin_words(rows: tuple[BoardRow, ...], board: Board) -> str:
    if not any(row.thin for row in rows):
        return ""
    first = next(i for i, row in enumerate(rows) if row.thin)
    return f" In colour (“{_few(board, first)}”): fewer than {THIN * 100:g} %."


def _typical(board: Board) -> float:
    known = board.errors[np.isfinite(board.errors)]
    return float(np.median(known)) if known.size else 0.0


def _scale(n: int) -> Scale:
    step = next((step for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000) if n / step <= 5), n)
    marks = tuple(mark for mark in range(step, n + 1, step)) if step > 1 else tuple(range(1, n + 1))
    # The last rank is named, and no mark stands too near to it.
    inner = (mark for mark in marks if 1 < mark <= n - max(1, n / 6))
    return Scale(low=0.5, high=n + 0.5, marks=tuple(dict.fromkeys((1, *inner, n))), digits=0)


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
