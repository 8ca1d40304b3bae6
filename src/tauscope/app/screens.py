"""The first screen before its intervals are there: what is known at once, in the tiles of the page.

The final one is the page's own (`Question.sure`). Both are data of `page/screens/parts.py`, and the page's templates
make a fragment of them, so that there is one tile, one badge and one look.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..boards.ranks import Ranks
from ..boards.rules import board_rules
from ..coefficients.rule_of_thumb import FAIR, GOOD
from ..page.board import Board
from ..page.facts.swaps import Swaps, swaps_of
from ..page.html import fragment, tile_alone
from ..page.material import Material
from ..page.parts import Name, Sentence
from ..page.screens import board as boards
from ..page.screens.judges import CEILING_TITLE, agreement_title
from ..page.screens.moves import picture as moves
from ..page.screens.moves import top_places, top_title
from ..page.screens.parts import (
    Badge,
    BoardPicture,
    Forest,
    ForestRow,
    Ruler,
    RulerLine,
    Screen,
    Tile,
    coefficients,
)
from ..page.sides import Side
from ..ranking import Ranking, align
from ..results import count, number, word
from .state import State

WAITS = Badge("Computing", "wait")
#: Where intervals cannot be had.
POINTS_ONLY = Badge("Point values only", "open")
#: What stands where a number will be.
LATER = "…"
NAN = float("nan")


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A first screen as a fragment; the same id is the same fragment."""

    id: str
    html: str
    systems: tuple[str, ...]
    words: dict[str, Any]

    @classmethod
    def of(cls, screen: Screen) -> Shown:
        """Without the scores of all pairs: the app looks a pair up."""
        html = fragment(replace(screen, pairs=None))
        id = hashlib.sha256(html.encode("utf-8", "replace")).hexdigest()[:16]
        return cls(id=id, html=html, systems=screen.systems, words=screen.to_dict())

    def told(self, seen: str) -> dict[str, Any]:
        """For the page; without what it shows already."""
        known = seen == self.id
        own = {"html": None, "systems": None} if known else {"html": self.html, "systems": list(self.systems)}
        return {"id": self.id, **own, "words": self.words}


def asked_tile(points: Mapping[str, Any], state: State) -> str:
    """What the tolerance or the head that somebody asked for make of the agreement; nothing where nobody did."""
    one = points.get("agreement") or next(iter(points.get("judges", ())), None)
    if one is None or not (state.tied_within or state.top_k):
        return ""
    how = [f"the top {state.top_k}"] if state.top_k else []
    how += [f"ties within {state.tied_within:g}"] if state.tied_within else []
    note: Sentence = (one["undefined_because"] or f"as observed, {count(one['n'], 'system')}",)
    note = (*((Name(one["judge"], 30), ": ") if "judge" in one else ()), *note)
    title = f"With {' and '.join(how)}, {one['symbol']}"
    return tile_alone(Tile(title=title, value=_value(one["value"]), note=note, picture=_ruler(one["value"])))


def _value(value: float | None) -> str:
    return "–" if value is None else number(value, 2)


def _ruler(
    value: float | None, *, label: str = "observed", bars: Sequence[float] = (), bars_label: str = ""
) -> Ruler | None:
    if value is None:
        return None
    line = RulerLine(label=label, value=value, bars=tuple(bars), bars_label=bars_label)
    return Ruler(scale=coefficients([value, *bars]), lines=(line,))


def waiting_judge(
    points: Mapping[str, Any], estimate: Ranking, truth: Ranking, groups: Mapping[str, str], state: State
) -> Screen:
    """One judge: observed agreement, the top ten, both rankings side by side."""
    judge, reference = (Name(name, 40) for name in points["names"])
    one = points["observed"]
    bars, bars_label = (
        ((FAIR, GOOD), f"{FAIR:g} some uses, {GOOD:g} stands in")
        if state.margin is None
        else ((state.margin,), "the stated margin")
    )
    sentence: Sentence = (
        "Observed, ",
        judge,
        " agrees with ",
        reference,
        f" by {one['symbol']} {_value(one['value'])}.",
    )
    if one["value"] is None:
        sentence = (f"{one['symbol']} is undefined: {one['undefined_because']}.",)
    sides = [Side(name=name, ranking=own) for name, own in zip(points["names"], (estimate, truth), strict=True)]
    material = Material(reference=sides[1], estimate=sides[0], groups=groups or None)
    swaps = swaps_of(material, align(estimate, truth, one_sided=state.one_sided))
    tiles = [
        Tile(
            title=f"Agreement, {one['symbol']} (1 = the same order)",
            value=_value(one["value"]),
            note=("as observed, so far",),
            picture=_ruler(one["value"], bars=bars, bars_label=bars_label),
        ),
        *_top(swaps),
        Tile(title="Significant differences kept", value=LATER),
    ]
    return Screen(
        kind="judge",
        question=("Can ", judge, " stand in for ", reference, "?"),
        badge=WAITS,
        sentence=sentence,
        tiles=tuple(tiles),
        picture=moves(material, swaps, None),
        systems=swaps.systems,
    )


def _top(swaps: Swaps) -> list[Tile]:
    """The head that the page looks at: ten, or three of a few."""
    places = top_places(swaps)
    if places is None:
        return []
    return [Tile(title=top_title(places), value=f"{sum(places.inside)} of {len(places.names)}", picture=places)]


def waiting_judges(points: Mapping[str, Any], state: State) -> Screen:
    """Several judges: observed agreement."""
    found = [row for row in points["all_observed"] if row["value"] is not None]
    best = points["all_observed"][0]
    several, reference = len(points["judges"]), Name(points["names"][-1], 40)
    rows = tuple(ForestRow(name=row["judge"], value=row["value"], low=row["value"], high=row["value"]) for row in found)
    picture = Forest(
        scale=coefficients([row.value for row in rows]),
        rows=rows,
        of="judge",
        value=f"{best['symbol']} observed",
        mark=state.margin,
    )
    return Screen(
        kind="judges",
        question=(f"Which of {several:,} judges ranks most like ", reference, "?"),
        badge=WAITS,
        sentence=(Name(best["judge"], 30), f" is closest as observed: {best['symbol']} {_value(best['value'])}."),
        tiles=(
            Tile(
                title=agreement_title(best["judge"], best["symbol"]),
                value=_value(best["value"]),
                note=("as observed, so far",),
            ),
            Tile(title="Pairs of judges told apart", value=LATER),
            Tile(title=CEILING_TITLE, value=LATER),
        ),
        picture=picture,
    )


def waiting_board(points: Mapping[str, Any], groups: Mapping[str, str], state: State) -> Screen:
    """A board, an arena, or one set of scores: places and scores."""
    rows = points["rows"]
    leader, systems = rows[0]["system"], count(len(rows), "system")
    expected = points["expected"]
    one_set = state.question == "set"
    agreement = Tile(
        title=boards.AGREEMENT,
        value=_value(expected["value"]) if expected else LATER,
        picture=_ruler(expected["value"], label="expected") if expected else None,
    )
    best = Tile(title=boards.best_title(state.level), value=LATER)
    beside = Tile(title="Neighbouring pairs not told apart", value=LATER)
    question = f"Would this ranking hold on other {word('topics')}?"
    return Screen(
        kind="holds" if one_set else "board",
        question=(question if one_set else f"Which of {systems} is the best?",),
        badge=WAITS,
        sentence=(Name(leader, 36), f" leads {systems} by {points['about']}."),
        tiles=(agreement, best) if one_set else (best, beside, agreement),
        picture=_rows(points, groups),
        systems=tuple(row["system"] for row in rows),
    )


def _rows(points: Mapping[str, Any], groups: Mapping[str, str]) -> BoardPicture:
    """The rows of the board, each at its place alone."""
    rows = points["rows"]
    rank = np.array([row["rank"] for row in rows], dtype=float)
    covered = [row["covered"] for row in rows]
    systems = tuple(row["system"] for row in rows)
    tasks = points.get("tasks")
    thin = tasks is not None and any(own != tasks for own in covered)
    board = Board(
        systems=systems,
        scores=np.array([NAN if row["score"] is None else row["score"] for row in rows]),
        errors=np.array([NAN if row.get("error") is None else row["error"] for row in rows]),
        rank=rank,
        low=np.floor(rank).astype(np.int64),
        high=np.ceil(rank).astype(np.int64),
        tiers=(systems,),
        best=(),
        apart=0,
        covered=np.array(covered) if thin or (tasks is None and None not in covered) else None,
        topics=tasks or 0,
        expected_tau=NAN,
        interval=None,
        level=0.95,
        score=points["score"],
        counts=points["counts"],
        assumes="",
    )
    material = Material(reference=Side(name="", ranking=Ranking(-rank, systems)), groups=groups or None)
    drawn = boards.picture(material, board)
    return replace(drawn, caption=("Ranks that could be true are being computed.",), star="", bar="", tiers="")


def by_rule(ranked: Ranks, screen: Screen) -> Screen:
    """Show the board under a rule that the page has no means for, with its simultaneous rank intervals."""
    assert isinstance(screen.picture, BoardPicture)
    limits = {
        name: (int(low), int(high)) for name, low, high in zip(ranked.systems, ranked.low, ranked.high, strict=True)
    }
    rows = tuple(replace(row, low=limits[row.name][0], high=limits[row.name][1]) for row in screen.picture.rows)
    leader = ranked.systems[0]
    low, high = limits[leader]
    first = sum(own[0] == 1 for own in limits.values())
    sure = f"{ranked.level * 100:g} %"
    rule = board_rules[ranked.rule]
    title = rule.title
    bar = f"simultaneous {sure} rank interval"
    tiles = (
        Tile(title="Rank of the leader", value=f"{low}–{high}" if low != high else str(low), note=(Name(leader, 30),)),
        Tile(title="Possible winners", value=f"{first:,} of {len(rows):,}", note=(f"at {sure}",)),
    )
    return replace(
        screen,
        badge=Badge("Simultaneous ranks", "open"),
        sentence=(
            Name(leader, 36),
            f" leads by the {title}; its simultaneous {sure} rank interval is {low} to {high}.",
        ),
        tiles=tiles,
        picture=replace(screen.picture, rows=rows, caption=(f"{rule.formula}.",), bar=bar),
        may=((f"This order is that of the {title}: {rule.formula}.",),),
        may_not=((f"Two {word('systems')} with overlapping rank intervals differ under this rule.",),),
    )
