"""People on some topics and a judge on all of them: the ranking of both together, and what that is worth."""

from __future__ import annotations

import math

from ...judges.hybrid import Hybrid
from ...results import count, number, word
from ..board import Board
from ..facts import Facts
from ..material import Material
from ..parts import Sentence
from . import board as boards
from .parts import Badge, Ruler, RulerLine, Screen, Segment, Stack, Tile, coefficients, limits_of


def screen(material: Material, facts: Facts) -> Screen | None:
    """Where the page is about people and a judge together."""
    found, board = material.result, material.board
    if board is None or not isinstance(found, Hybrid):
        return None
    may, may_not = boards.claims(board)
    own: Sentence = ("This is an estimate of people’s ranking: a wrong judge mainly widens its bars.",)
    never: Sentence = (f"“People judged {found.worth:,.0f} {word('topics')}”: they judged {found.human_topics:,}.",)
    return Screen(
        kind="board",
        question=(f"What does this judge add to the {count(found.human_topics, 'topic')} that people judged?",),
        badge=Badge("The judge helps", "yes") if found.worth_something else Badge("No gain", "no"),
        sentence=_sentence(found),
        todo=_todo(found),
        tiles=(_worth(found), _expected(found, board), boards.best_tile(board)),
        picture=boards.picture(material, board),
        may=(own, *may[:2]),
        may_not=(*((never,) if found.worth_something else ()), *may_not),
        systems=board.systems,
        data={"worth": found.worth, "human_topics": found.human_topics, "judge_topics": found.judge_topics},
    )


def _sentence(found: Hybrid) -> Sentence:
    had = f"people’s {count(found.human_topics, 'topic')}"
    judge = f"With the judge on all {found.judge_topics:,},"
    if found.people_alone or found.worth < found.human_topics:
        return (f"{judge} {had} rank no better than without it: use people alone.",)
    if not found.worth_something:
        return (f"{judge} {had} rank as well as {found.worth:,.0f} would without it: hardly better than people alone.",)
    return (f"{judge} {had} rank as well as {found.worth:,.0f} would without it.",)


def _todo(found: Hybrid) -> tuple[Sentence, ...]:
    topics = word("topics")
    if not found.worth_something:
        return (("Rank by people alone, or try another judge.",),)
    more = f"For narrower bars let people judge more {topics}; run “tauscope plan --judge” for how many."
    return (("Publish this ranking with its bars.",), (more,))


def _worth(found: Hybrid) -> Tile:
    gained = max(0, round(found.worth) - found.human_topics) if math.isfinite(found.worth) else 0
    segments = (
        Segment("judged by people", found.human_topics, "kept"),
        Segment("gained by the judge", gained, "invented"),
    )
    top = found.worth_at_the_top
    note: Sentence = () if math.isnan(top) else (f"{top:,.0f} for telling the top ten apart",)
    return Tile(
        title=f"Worth in human {word('topics')}",
        value=f"{found.worth:,.0f}",
        note=note,
        picture=Stack(segments=segments),
    )


def _expected(found: Hybrid, board: Board) -> Tile:
    both, alone, judge = found.expected_tau, found.expected_tau_of_people, found.expected_tau_of_judge
    lines = (
        RulerLine(label="people and the judge", value=both, interval=board.interval, strong=True),
        RulerLine(label="people alone", value=alone),
        *(() if math.isnan(judge) else (RulerLine(label="the judge alone", value=judge),)),
    )
    return Tile(
        title="Agreement with people’s true order, τ (1 = the same)",
        value=number(both, 2),
        beside=limits_of(board.interval, board.level),
        note=(f"about {50 * (1 - both):.0f} of 100 pairs are probably in the wrong order",),
        picture=Ruler(scale=coefficients([line.value for line in lines] + list(board.interval or ())), lines=lines),
    )
