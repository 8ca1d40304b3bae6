"""A board of scores on topics or tasks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...results import word
from ...scores import Scores
from ..board import Board
from .holds import Held
from .partial import PartialRanking


def board_of(found: Held | PartialRanking, scores: Scores, level: float, seed: int) -> Board:
    """A board of scores on topics or tasks."""
    place = {name: k for k, name in enumerate(scores.systems)}
    order = found.ranks.systems if isinstance(found, Held) else found.systems
    values = scores.values[:, [place[name] for name in order]]
    known = (~np.isnan(values)).sum(axis=0)
    with np.errstate(all="ignore"):
        spread, several = np.full(values.shape[1], np.nan), np.isfinite(values).sum(axis=0) > 1
        spread[several] = np.nanstd(values[:, several], axis=0, ddof=1)
        errors = np.where(known > 1, spread / np.sqrt(np.maximum(known, 1)), np.nan)
    if isinstance(found, Held):
        return _complete(found, errors)
    return _with_holes(found, known, errors)


def _complete(found: Held, errors: Floats) -> Board:
    defined = found.tau.undefined_because is None
    return _on_topics(
        found.ranks,
        errors,
        tiers=found.ranks.tiers,
        best=found.ranks.winners,
        apart=found.ranks.neighbours.significant_alone,
        covered=None,
        expected_tau=found.tau.value,
        interval=found.tau.interval if defined else None,
        assumes=f"errors are standard errors of means over {word('topics')}",
    )


def _with_holes(found: PartialRanking, known: Ints, errors: Floats) -> Board:
    next_to = np.diagonal(found.probabilities, 1)
    # Half of 1 - level on each side, as in a two-sided test; unknown pairs are not told apart.
    # The order is that of the means over the tasks that each has: the tasks that two share may say the contrary.
    apart = int((np.minimum(next_to, 1 - next_to) < (1 - found.level) / 2).sum())
    over = f"over the {word('topics')} that a {word('system')} has"
    return _on_topics(
        found.ranks,
        errors,
        tiers=found.tiers,
        best=found.ranks.winners,
        apart=apart,
        covered=known,
        expected_tau=found.expected_tau,
        interval=None,
        assumes=f"means and standard errors are {over}",
    )


def _on_topics(found: Any, errors: Floats, **more: Any) -> Board:
    return Board.of(
        found, scores=found.scores, errors=errors, topics=found.units, score="mean", counts=word("topics"), **more
    )
