"""What the page speaks about: everything computed, nothing said. Sections and first screens put it into words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...inference.observed import shared_observations
from ..at_once import at_once
from ..board import Board
from ..material import Material
from .agreement import Agreement, agreement_of
from .board import board_of
from .holds import Held, held_of
from .judge import Judge, judge_of
from .judges import SeveralJudges, judges_of
from .partial import PartialRanking
from .swaps import Swaps, swaps_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Facts:
    """What several sections look at, computed once; None where the input cannot answer it."""

    agreement: Agreement | None = None
    judge: Judge | None = None
    swaps: Swaps | None = None
    judges: SeveralJudges | None = None
    #: Of the reference, with less to say where cells are missing.
    held: Held | PartialRanking | None = None
    board: Board | None = None


#: Steps that `facts_of` reports as they are done.
STEPS = 5


def facts_of(material: Material, done: Callable[[], None] = lambda: None, *, sections: bool = True) -> Facts:
    """The facts that several sections share, two chains of steps at a time; `done` is called after each step.

    Without `sections` only those that the first screen speaks about.
    """

    def of_two() -> tuple[Agreement | None, Judge | None, Swaps | None]:
        agreed = agreement_of(material)
        done()
        judge = judge_of(material, agreed) if agreed else None
        done()
        swaps = swaps_of(material, agreed.data) if agreed else None
        done()
        return agreed, judge, swaps

    def of_one() -> tuple[Held | PartialRanking | None, Board | None]:
        alone = material.estimate is None and not material.judges
        held = held_of(material) if sections or alone else None
        done()
        scores = material.reference.scores
        board = board_of(held, scores, material.level, material.seed) if held and scores is not None and alone else None
        done()
        return held, board

    with shared_observations():
        (agreed, judge, swaps), (held, board) = at_once(of_two, of_one)
    board = board or material.board
    return Facts(agreement=agreed, judge=judge, swaps=swaps, judges=judges_of(material), held=held, board=board)
