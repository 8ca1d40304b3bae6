"""An arena, or a table of published scores: what was voted or printed, and the ranks that it leaves open."""

from __future__ import annotations

import math

from ...results import count, number, word
from ..board import Board
from ..facts import Facts
from ..material import Material
from ..parts import Column, Section, Sentence, Table, listed, ranks, readable, span

#: A sentence for a paper that is longer has names that nobody prints.
LONGEST = 3000


def section(material: Material, facts: Facts) -> Section | None:
    """Where the page is about votes, or about scores that come with their errors."""
    board = material.board
    if board is None:
        return None
    return Section(
        id="board",
        heading=("Which ranks could be true?",),
        words=(_verdict(board), *((f"{line}.",) for line in material.result.lines()[1:])),
        tables=(_table(board),),
        data=material.result.to_dict(),
        cited=("mogstad2024", "urbano2016", *material.result.cited()),
        methods=((readable(material.result.methods_sentence(), LONGEST),),),
        short="Ranks",
    )


def _verdict(board: Board) -> Sentence:
    best = board.best or ()
    tau = f"expected tau with the true ranking {number(board.expected_tau)}"
    if board.interval is not None:
        tau += f" {span(*board.interval)}"
    who: Sentence = (f"{count(len(best), 'system')} could be the best: ", *listed(best, 8), "; ") if best else ()
    alike = f"{board.alike:,} of {count(board.pairs, 'neighbouring pair')} cannot be told apart; "
    return (*who, alike, f"{count(len(board.tiers), 'tier')}; {tau}.")


def _table(board: Board) -> Table:
    tier = board.tier
    columns = (
        Column(word("system"), "name"),
        Column(board.score, "number", 3),
        Column("error", "number", 3),
        ranks("rank", board.rank),
        Column("from", "whole"),
        Column("to", "whole"),
        Column("tier", "whole"),
        *((Column(board.counts, "whole"),) if board.covered is not None else ()),
    )
    rows = []
    for i, name in enumerate(board.systems):
        error = float(board.errors[i])
        row = (name, float(board.scores[i]), None if math.isnan(error) else error, float(board.rank[i]))
        limits = (int(board.low[i]), int(board.high[i]), tier[name])
        rows.append((*row, *limits, *((int(board.covered[i]),) if board.covered is not None else ())))
    caption = f"Ranks that could be true ({board.level * 100:g} %), for all {word('systems')} at once."
    return Table("ranks", (caption,), columns, tuple(rows))
