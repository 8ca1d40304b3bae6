"""Scores that differ by no more than rounding: their order is kept, and said to hang on it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import SNAP, Floats, Tolerance, snap
from ..errors import Advice, Option
from ..results import count
from .coefficient import Coefficient


class CloseScores(NamedTuple):
    """What is to be said of pairs whose order hangs on the last digits, and the way out."""

    problem: str
    way_out: Option | Advice

    def in_python(self) -> str:
        """For callers in Python."""
        return f"{self.problem} {self.way_out.in_python()}"

    def in_shell(self) -> str:
        """For users of the shell."""
        if isinstance(self.way_out, Advice):
            return f"{self.problem} {self.way_out.in_shell()}".rstrip()
        pair = self.way_out.values[0]
        value = ",".join(map(str, pair)) if isinstance(pair, tuple) else pair
        return f"{self.problem} {Option('tied_within', value, effect=self.way_out.effect).in_shell('--tied-within')}"


def close_scores(
    c: Coefficient,
    scores: tuple[Floats, Floats],
    within: tuple[Tolerance, Tolerance],
    names: tuple[str, str],
) -> CloseScores | None:
    """Of two rankings that were given as numbers, pairs that differ by less than means do by rounding; None where there
    are none, or order does not count."""
    if not c.ordinal or not len(scores[0]):
        return None
    with np.errstate(over="ignore"):
        made = [0 if wide.width else snap(own)[1] for own, wide in zip(scores, within, strict=True)]
    if not any(made):
        return None
    where = " and ".join(
        f"{count(pairs, 'pair')} of the {name}" for pairs, name in zip(made, names, strict=True) if pairs
    )
    verbs, are = ("differs", "is") if sum(made) == 1 else ("differ", "are")
    problem = (
        f"{where} {verbs} by less than {SNAP:g} of the largest score, as means do by rounding, and {are} not tied."
    )
    if not c.takes_tolerance:
        return CloseScores(problem, Advice("Ranking.from_means() makes ties of them.", ""))
    pair = tuple(
        _width(own) if pairs else _written(wide) for own, pairs, wide in zip(scores, made, within, strict=True)
    )
    widest = max(_width(own) for own, pairs in zip(scores, made, strict=True) if pairs)
    # One tolerance for both, unless one of them has its own, or it would be wide for the other.
    alike = widest < 1e-6 * min(float(np.abs(own).max()) for own in scores)
    one = alike and not any(wide.width for wide in within)
    return CloseScores(problem, Option("tied_within", widest if one else pair, effect="to tie them"))


def _written(within: Tolerance) -> float | str:
    """A tolerance as users write it."""
    return f"{within.width * 100:g}%" if within.relative else within.width


def _width(scores: Floats) -> float:
    """A power of ten that is not below what rounding does."""
    return float(f"{10.0 ** math.ceil(math.log10(SNAP * float(np.abs(scores).max()))):.0e}")
