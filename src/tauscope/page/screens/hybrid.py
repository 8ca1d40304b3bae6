"""People on some topics and a judge on all of them: the ranking of both together, and what that is worth."""

from __future__ import annotations

import math

from ...judges.hybrid import Hybrid
from ...results import count, number, word
from ..facts import Facts
from ..material import Material
from ..parts import Sentence
from . import board as boards
from .parts import Badge, Ruler, RulerLine, Screen, Segment, Stack, Tile, coefficients


def screen(material: Material, facts: Facts) -> Screen | None:
    """Where the page is about people and a judge together."""
    found, board = material.result, material.board
    if board is None or not isinstance(found, Hybrid):
        return None
    topics = word("topics")
    return Screen(
        kind="board",
        question=(f"What are {found.human_topics:,} human {topics} worth with this judge?",),
        badge=Badge("Helps", "yes") if found.worth_something else Badge("No gain", "no"),
        sentence=_sentence(found),
        tiles=(_worth(found), _expected(found), boards.best_tile(board)),
        picture=boards.picture(material, board),
        may=_may(found),
        may_not=_may_not(found),
        systems=board.systems,
        data={"worth": found.worth, "human_topics": found.human_topics, "judge_topics": found.judge_topics},
    )


def _sentence(found: Hybrid) -> Sentence:
    had = count(found.human_topics, "human topic")
    if not found.worth_something:
        return (f"{had} with this judge are worth no more than without it: use people alone.",)
    return (f"{had} with this judge on {found.judge_topics:,} rank as well as {found.worth:,.0f} human ones alone.",)


def _worth(found: Hybrid) -> Tile:
    gained = max(0, round(found.worth) - found.human_topics) if math.isfinite(found.worth) else 0
    segments = (Segment("had", found.human_topics, "kept"), Segment("gained", gained, "invented"))
    top = found.worth_at_the_top
    note: Sentence = () if math.isnan(top) else (f"human {word('topics')}; {top:,.0f} among the top ten",)
    return Tile(title="Worth", value=f"{found.worth:,.0f}", note=note, picture=Stack(segments=segments))


def _expected(found: Hybrid) -> Tile:
    both, alone = found.expected_tau, found.expected_tau_of_people
    lines = (
        RulerLine(label="people and the judge", value=both, strong=True),
        RulerLine(label="people alone", value=alone),
    )
    return Tile(
        title="Agreement with people’s true order, τ",
        value=number(both, 2),
        picture=Ruler(scale=coefficients([both, alone]), lines=lines),
    )


def _may(found: Hybrid) -> tuple[Sentence, ...]:
    said: list[Sentence] = [("This is people’s ranking: a wrong judge widens its bars, and hardly turns it.",)]
    if len(found.ranks.tiers) > 1:
        tiers = f"{len(found.ranks.tiers):,} tiers"
        said.append((f"The first of each tier is better than all of the tiers below; {tiers}.",))
    return tuple(said)


def _may_not(found: Hybrid) -> tuple[Sentence, ...]:
    chosen = f"This holds for human {word('topics')} that were chosen by what the judge said: they must be a sample."
    return (
        (f"People judged {found.worth:,.0f} {word('topics')}: they judged {found.human_topics:,}.",),
        (chosen,),
    )
