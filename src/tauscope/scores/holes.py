"""Cells without a score at the head of a function: an error with the ways out, filled, left out, or dealt with."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from .. import checking
from ..errors import Option, TauscopeError
from .additive import RestsOn, adjusted
from .labelled import Labelled, holes_text
from .matrix import Scores

L = TypeVar("L", bound=Labelled)

#: Two numbers are compared on the cells that both have.
PAIRWISE = "pairwise"
#: Means are adjusted for the cells that are there, by an additive model.
ADJUSTED = "adjusted"


def settled(scores: L, missing: str, what: str, rule: str) -> L:
    """The scores as a function with the option `missing` goes on with them.

    Parameters
    ----------
    scores : Scores, ScoreCube or MeasureTable
        What was given.
    missing : str
        "error", one of the ways to fill holes or to leave them out, or `rule`, under which they stay.
    what : str
        The function, for errors.
    rule : str
        Its own way with holes: `PAIRWISE` or `ADJUSTED`.

    Returns
    -------
    Scores, ScoreCube or MeasureTable
        Of the same kind; with holes only under `rule`.

    Raises
    ------
    TauscopeError
        Where cells are missing and `missing` is "error"; the ways out are those that leave something.
    """
    ways: tuple[Any, ...] = (rule, *(way for way in scores.MISSING if way not in ("error", "keep")))
    checking.one_of(missing, ("error", *ways), "missing")
    if not scores.has_holes or missing == rule:
        return scores
    if missing == "error":
        others = scores.missing_option(np.isnan(scores.values)).values
        way_out = Option("missing", rule, *others, effect="to say what that means")
        raise TauscopeError(f"{what} needs a score in every cell, and {holes_text(scores)}", way_out)
    return scores.without_holes(missing)


def adjusted_or_complete(scores: Scores, missing: str, what: str) -> tuple[Scores, RestsOn | None]:
    """Scores without holes, under the rule "adjusted" those of the additive model with what they rest on.

    Parameters
    ----------
    scores : Scores
        What was given.
    missing, what : str
        As in `settled()`.

    Returns
    -------
    Scores, RestsOn or None
        None where no cell is missing.
    """
    found = settled(scores, missing, what, ADJUSTED)
    return adjusted(found, what) if found.has_holes else (found, None)
