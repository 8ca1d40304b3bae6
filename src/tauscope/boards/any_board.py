"""Boards of every kind as estimates with a covariance: scores on topics, strengths from battles, printed scores."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..errors import CallError
from ..expected.normal_scores import NormalScores
from ..scores import Scores
from ..scores.alignment import require_one_scale
from ..scores.clusters import independent


@runtime_checkable
class Board(Protocol):
    """What has systems and can be estimates with a covariance."""

    systems: tuple[str, ...]

    @property
    def assumes(self) -> str:
        """What its errors take for granted."""
        ...

    def normal(self) -> NormalScores: ...


def normal_of(board: Any, what: str) -> NormalScores:
    """A board as estimates with a covariance; of scores on topics, that of their means."""
    if isinstance(board, Scores):
        board.require_complete(what)
        require_one_scale(board, what)
        board = independent(board)
        n = len(board.topics)
        if n < 2:
            raise CallError(f"{what} needs at least two topics; there is {n}.")
        covariance = np.atleast_2d(np.cov(board.values.T)) / n
        sign = -1.0 if board.lower_is_better else 1.0
        return NormalScores.of(board.systems, board.means(), covariance, float(n - 1), sign=sign)
    if isinstance(board, Board):
        return board.normal()
    raise CallError(
        f"{what} takes Scores, PublishedScores or the strengths of bradley_terry(), not {type(board).__name__}."
    )
