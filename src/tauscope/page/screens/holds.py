"""One set of scores: would the ranking hold on other topics?"""

from __future__ import annotations

import math

from ...coefficients.rule_of_thumb import FAIR, GOOD
from ...expected.topics_needed import TopicsNeeded
from ...results import count, number, word
from ..board import Board
from ..facts import Facts
from ..facts.holds import Held, held_band
from ..material import Material
from ..parts import Name, Sentence
from . import board as boards
from .parts import Badge, Curve, Scale, Screen, Tile, Zones, limits_of

#: By the band of what the expected tau is at least.
BADGES = {
    0: Badge("Not reliably", "no"),
    1: Badge("Mostly holds", "partly"),
    2: Badge("Holds", "yes"),
    None: Badge("Not shown", "open"),
}
UNKNOWN = Badge("Cannot be said", "open")
#: A ruler begins here, or lower where the values do.
LOWEST_MARK = 0.6
#: One that begins lower has few marks.
SPARSE = 0.3
#: Numbers of topics that are marked under a curve.
MARKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)


def screen(material: Material, facts: Facts) -> Screen | None:
    """Where there is one set of scores, which is no leaderboard."""
    held, board = facts.held, facts.board
    if board is None or held is None or material.leaderboard:
        return None
    unknown = math.isnan(board.expected_tau)
    complete = held if isinstance(held, Held) else None
    tiles = [_expected(board, complete), boards.best_tile(board)]
    if complete is not None and complete.curve is not None:
        tiles.append(_curve(complete))
    may, may_not = boards.claims(board)
    return Screen(
        kind="holds",
        question=(f"Would this ranking hold on other {word('topics')}?",),
        badge=UNKNOWN if unknown else BADGES[held_band(held)],
        sentence=_sentence(board),
        todo=_todo(board, complete),
        tiles=tuple(tiles),
        picture=boards.picture(material, board),
        may=may,
        may_not=(*may_not, *_doubtful(complete)),
        systems=board.systems,
        data={"expected_tau": board.expected_tau, "could_be_best": None if board.best is None else len(board.best)},
    )


def _sentence(board: Board) -> Sentence:
    topics = word("topics")
    if math.isnan(board.expected_tau):
        return (f"These {topics} do not tell the {word('systems')} apart at all.",)
    change = f"About {50 * (1 - board.expected_tau):.0f} of 100 pairs are probably in the wrong order"
    if board.best is None:
        return (f"{change}.",)
    if board.clear:
        return (f"{change}; ", Name(board.best[0], boards.SHORT), " is the best.")
    return (f"{change}; {len(board.best):,} of {count(len(board.systems), 'system')} could be the best.",)


def _expected(board: Board, held: Held | None) -> Tile:
    """The agreement with the true order, beside what it takes to hold."""
    tau, interval = board.expected_tau, board.interval
    if math.isnan(tau):
        return boards.expected_tile(board)
    lowest = min(value for value in (tau, *(interval or ())) if not math.isnan(value))
    low = min(LOWEST_MARK, math.floor(10 * lowest) / 10)
    tenths = tuple(k / 10 for k in range(round(10 * low), 11))
    marks = tenths if low >= SPARSE else tuple(sorted({low, 0.5, FAIR, GOOD, 1.0}))
    return Tile(
        title=boards.AGREEMENT,
        value=number(tau, 2),
        beside=limits_of(interval, board.level) if interval is not None else boards.NO_INTERVAL,
        note=(_reason(board, held),),
        picture=Zones(
            scale=Scale(low=low, high=1.0, marks=marks),
            value=tau,
            interval=interval,
            edges=(FAIR, GOOD),
            names=("not reliably", "mostly", "holds"),
        ),
    )


def _reason(board: Board, held: Held | None) -> str:
    """What the badge goes by."""
    limit = math.nan if held is None else held.tau.at_least()
    if math.isnan(limit):
        value, why = board.expected_tau, boards.WHY_NONE if held is None else boards.NO_INTERVAL
        said = f"by the value alone ({why})"
    else:
        value, said = limit, f"at least {number(limit, 2)} ({boards.sure(board.level)}, one-sided)"
    if value >= GOOD:
        return f"{said}: above {GOOD:g}, so it holds"
    if value >= FAIR:
        return f"{said}: above {FAIR:g}, not above {GOOD:g}, so it mostly holds"
    if math.isnan(limit):
        return f"{said}: below {FAIR:g}"
    if board.interval is not None and board.interval[1] < FAIR:
        return f"the whole interval is below {FAIR:g}"
    return f"{said}: not above {FAIR:g}, so it is not shown to hold"


def _todo(board: Board, held: Held | None) -> tuple[Sentence, ...]:
    """What to print, and how many topics the τ that is asked for takes."""
    found: list[Sentence] = [boards.name_the_best(board)]
    needed = held.needed[0] if held is not None and held.needed else None
    if needed is None or needed.topics is None:
        return tuple(found)
    if held is not None and held.curve is not None and needed.topics > held.curve.observed_topics:
        more = f"{needed.topics:,} {word('topics')}; there are {held.curve.observed_topics:,}"
        found.append((f"For τ {needed.target:g} plan {more}.",))
    return tuple(found)


def _curve(held: Held) -> Tile:
    curve = held.curve
    needed = held.needed[0]
    assert curve is not None
    topics = word("topics")
    lowest = min(value for value in curve.low if not math.isnan(value))
    low = math.floor(10 * lowest) / 10
    up = Scale(low=low, high=1.0, marks=(low, needed.target, 1.0))
    xs = tuple(float(n) for n in curve.topics)
    marks = [mark for mark in MARKS if xs[0] <= mark <= xs[-1]]
    across = Scale(
        low=math.log(xs[0]),
        high=math.log(xs[-1]),
        marks=tuple(map(math.log, marks)),
        labels=tuple(f"{mark:,}" for mark in marks),
    )
    inside = needed.topics is not None and needed.topics <= xs[-1]
    return Tile(
        title=f"{topics.capitalize()} for τ {needed.target:g}: there are {curve.observed_topics:,}",
        value=f"{needed.topics:,}" if needed.topics is not None else "> 1 million",
        beside=_range(needed),
        picture=Curve(
            across=across,
            up=up,
            xs=xs,
            ys=curve.values,
            low=curve.low,
            high=curve.high,
            now=across.at(math.log(curve.observed_topics)),
            goal=round(100 - up.at(needed.target), 2),
            needed=across.at(math.log(needed.topics)) if inside and needed.topics is not None else None,
            words=f"Expected τ of new collections from {xs[0]:g} to {xs[-1]:g} {topics}",
            across_title=topics,
        ),
    )


def _range(needed: TopicsNeeded) -> str:
    """'55 to 120 (95 %)', where the band reaches what is asked for; "" where there is no band."""
    if needed.low is None:
        return ""
    high = "more than a million" if needed.high is None else f"{needed.high:,}"
    return f"{needed.low:,} to {high} ({needed.level * 100:g} %)"


def _doubtful(held: Held | None) -> tuple[Sentence, ...]:
    pairs = held.doubtful_pairs() if held is not None else []
    return ((f"The exact order: {count(len(pairs), 'pair')} could well be the other way round.",),) if pairs else ()
