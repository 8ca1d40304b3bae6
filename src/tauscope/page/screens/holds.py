"""One set of scores: would the ranking hold on other topics?"""

from __future__ import annotations

import math

from ...coefficients.rule_of_thumb import band
from ...results import count, number, word
from ..board import Board
from ..facts import Facts
from ..facts.holds import Held
from ..material import Material
from ..parts import Name, Sentence
from . import board as boards
from .parts import Badge, Curve, Ruler, RulerLine, Scale, Screen, Tile, coefficients

#: By the band of the expected tau.
BADGES = (Badge("Not reliably", "no"), Badge("Mostly holds", "partly"), Badge("Holds", "yes"))
UNKNOWN = Badge("Cannot be said", "open")


def screen(material: Material, facts: Facts) -> Screen | None:
    """Where there is one set of scores, which is no leaderboard."""
    held, board = facts.held, facts.board
    if board is None or held is None or material.leaderboard:
        return None
    topics = word("topics")
    unknown = math.isnan(board.expected_tau)
    complete = held if isinstance(held, Held) else None
    tiles = [_expected(board), boards.best_tile(board)]
    if complete is not None and complete.curve is not None:
        tiles.append(_curve(complete))
    return Screen(
        kind="holds",
        question=(f"Would this ranking hold on other {topics}?",),
        badge=UNKNOWN if unknown else BADGES[band(board.expected_tau)],
        sentence=_sentence(board),
        tiles=tuple(tiles),
        picture=boards.picture(material, board),
        may=_may(board),
        may_not=_may_not(board, complete),
        systems=board.systems,
        data={"expected_tau": board.expected_tau, "could_be_best": None if board.best is None else len(board.best)},
    )


def _sentence(board: Board) -> Sentence:
    topics = word("topics")
    if math.isnan(board.expected_tau):
        return (f"These {topics} do not tell the {word('systems')} apart at all.",)
    change = f"On other {topics} about {50 * (1 - board.expected_tau):.0f} of 100 pairs would change order"
    if board.best is None:
        return (f"{change}.",)
    if len(board.best) == 1:
        return (f"{change}; ", Name(board.best[0], 36), " is the best.")
    return (f"{change}; {len(board.best):,} of {count(len(board.systems), 'system')} could be the best.",)


def _expected(board: Board) -> Tile:
    title = "Agreement with the true ranking, τ"
    if math.isnan(board.expected_tau):
        return Tile(title=title, value="–")
    values = [board.expected_tau, *(board.interval or ()), 0.8, 0.9]
    line = RulerLine(
        label="expected",
        value=board.expected_tau,
        interval=board.interval,
        bars=(0.8, 0.9),
        bars_label="0.8 mostly, 0.9 holds",
        strong=True,
    )
    return Tile(
        title=title, value=number(board.expected_tau, 2), picture=Ruler(scale=coefficients(values), lines=(line,))
    )


def _curve(held: Held) -> Tile:
    curve = held.curve
    needed = held.needed[0]
    assert curve is not None
    lowest = min(value for value in curve.low if not math.isnan(value))
    low = math.floor(10 * lowest) / 10
    up = Scale(low=low, high=1.0, marks=(low, 1.0))
    xs = tuple(float(n) for n in curve.topics)
    across = Scale(low=math.log(xs[0]), high=math.log(xs[-1]), marks=tuple(map(math.log, (xs[0], xs[-1]))), digits=0)
    few = needed.topics is not None
    value = f"{needed.topics:,}" if few else "> 1 million"
    return Tile(
        title=f"{word('topics').capitalize()} for τ {needed.target:g}",
        value=value,
        note=(f"{word('topics')} in a new collection; there are {curve.observed_topics:,} now",),
        picture=Curve(
            across=across,
            up=up,
            xs=xs,
            ys=curve.values,
            low=curve.low,
            high=curve.high,
            now=across.at(math.log(curve.observed_topics)),
            goal=round(100 - up.at(needed.target), 2),
            words=f"Expected τ from {xs[0]:g} to {xs[-1]:g} {word('topics')}; dashed: now, and {needed.target:g}",
        ),
    )


def _may(board: Board) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    if board.best is not None:
        few = len(board.best) == 1
        best: Sentence = (
            (Name(board.best[0], 36), " is the best.")
            if few
            else (f"The best is among these {len(board.best):,} ({board.level * 100:g} %).",)
        )
        found.append(best)
    if len(board.tiers) > 1:
        found.append((f"The first of each tier is better than all of the tiers below; {len(board.tiers):,} tiers.",))
    found.append(("Every rank interval at once: the bars hold for all of them together.",))
    return tuple(found)


def _may_not(board: Board, held: Held | None) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    if board.best is not None and len(board.best) > 1:
        found.append((Name(board.systems[0], 36), f" is the best: {count(len(board.best) - 1, 'other')} could be."))
    if board.pairs - board.apart:
        alike = board.pairs - board.apart
        found.append((f"A {word('system')} beats the next one: {alike:,} of {board.pairs:,} times that is open.",))
    if held is not None and held.doubtful_pairs():
        found.append((f"{count(len(held.doubtful_pairs()), 'pair')} could well be in the other order.",))
    return tuple(found)
