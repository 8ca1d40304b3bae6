"""Standard errors from what boards print: "+5/-5", "± 1.2", "[0.61, 0.66]", limits, or accuracy and a number of
items."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.arrays import Floats
from ..errors import CallError, TauscopeError
from ..results import count

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_UP_DOWN = re.compile(rf"^\+\s*({_NUMBER})\s*/\s*[-−]\s*({_NUMBER})$")
_DOWN_UP = re.compile(rf"^[-−]\s*({_NUMBER})\s*/\s*\+\s*({_NUMBER})$")
_BOTH_WAYS = re.compile(rf"^(?:±|\+/-|\+-|\+/−)\s*({_NUMBER})\s*%?$")
_LIMITS = re.compile(rf"^[\[(]?\s*({_NUMBER})\s*(?:,|;|to|–|\s-\s)\s*({_NUMBER})\s*[\])]?$")


def half_widths(given: Sequence[Any], scores: Floats, systems: Sequence[str]) -> tuple[Floats, Floats]:
    """Return how far each interval reaches below and above its score.

    Parameters
    ----------
    given : sequence
        For each system a text such as "+5/-5", "± 1.2" or "[0.61, 0.66]", two limits, or half a width.
    scores : array
        The scores.
    systems : sequence of str
        Their names, for errors.

    Returns
    -------
    pair of ndarray
        Widths below and above.

    Raises
    ------
    CallError, TauscopeError
        If an interval is not understood, is not finite, or does not contain its score.
    """
    if len(given) != len(scores):
        raise CallError(f"There are {count(len(scores), 'score')} and {count(len(given), 'interval')}.")
    below, above = np.empty(len(scores)), np.empty(len(scores))
    for place, (interval, score, name) in enumerate(zip(given, scores, systems, strict=True)):
        below[place], above[place] = _one(interval, float(score), name)
    return below, above


def _one(interval: Any, score: float, name: str) -> tuple[float, float]:
    """Return the two widths of one interval."""
    if isinstance(interval, str):
        text = interval.strip()
        if found := _UP_DOWN.match(text):
            reach = (float(found[2]), float(found[1]))
        elif found := _DOWN_UP.match(text):
            reach = (float(found[1]), float(found[2]))
        elif found := _BOTH_WAYS.match(text):
            reach = (float(found[1]),) * 2
        elif found := _LIMITS.match(text):
            reach = (score - float(found[1]), float(found[2]) - score)
        else:
            raise TauscopeError(
                f"The interval of {name!r} is {interval!r}, which is none: write '+5/-5', '± 1.2', or two limits."
            )
    elif isinstance(interval, (tuple, list, np.ndarray)) and len(interval) == 2:
        reach = _limits(interval, score, name)
    elif isinstance(interval, (int, float, np.number)) and not isinstance(interval, bool):
        reach = (float(interval),) * 2
    else:
        raise CallError(f"The interval of {name!r} is {interval!r}: give a text, two limits, or a half width.")
    if not all(math.isfinite(side) for side in reach):
        raise TauscopeError(f"The interval of {name!r} is not finite: {interval!r}.")
    # Boards print rounded numbers: a limit may lie a little on the wrong side.
    if min(reach) < -1e-6 * max(1.0, abs(score)) or sum(reach) < 0:
        raise TauscopeError(f"The interval of {name!r}, {interval!r}, does not contain its score, {score:g}.")
    return reach


def _limits(interval: Any, score: float, name: str) -> tuple[float, float]:
    """Return the two widths of an interval that is given by its limits."""
    try:
        return score - float(interval[0]), float(interval[1]) - score
    except (TypeError, ValueError):
        raise CallError(f"The limits of {name!r} are {interval!r}, which are no numbers.") from None


def errors_of(below: Floats, above: Floats, level: float) -> tuple[Floats, tuple[str, ...]]:
    """Return the standard errors of normal intervals, half the width over the normal quantile.

    Parameters
    ----------
    below, above : array
        Widths of the intervals on both sides.
    level : float
        Their confidence level.

    Returns
    -------
    pair of ndarray and tuple of str
        The errors, and a note if intervals are lopsided; their mean half width is taken then.
    """
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    errors = (below + above) / (2 * z)
    lopsided = int((np.abs(above - below) > 0.25 * (above + below)).sum())
    notes = (
        (f"{count(lopsided, 'interval')} reach further to one side; the half of both was taken",) if lopsided else ()
    )
    return errors, notes


def binomial_errors(scores: Floats, items: Any, systems: Sequence[str]) -> tuple[Floats, tuple[str, ...]]:
    r"""Return the standard errors of accuracies, :math:`\sqrt{p (1 - p)/n}`.

    An accuracy of 0 or 1 would have the error 0; the error of (x + 2)/(n + 4) is taken instead (agresti1998).

    Parameters
    ----------
    scores : array
        The accuracies, from 0 to 1.
    items : int or sequence of int
        Number of items behind each.
    systems : sequence of str
        Their names, for errors.

    Returns
    -------
    pair of ndarray and tuple of str
        The errors, and a note if an accuracy is 0 or 1.
    """
    n = np.asarray(items, dtype=np.float64)
    if n.ndim == 0:
        n = np.full(len(scores), float(n))
    if n.shape != scores.shape or not (np.isfinite(n).all() and (n >= 1).all()):
        raise CallError(
            "`items` is the number of items behind each accuracy, at least 1: one number, or one per system."
        )
    if scores.min() < 0 or scores.max() > 1:
        bad = int(np.argmax((scores < 0) | (scores > 1)))
        raise TauscopeError(
            f"The accuracy of {systems[bad]!r} is {scores[bad]:g}: a binomial error needs shares from 0 to 1, such "
            "as 0.63."
        )
    edge = (scores == 0) | (scores == 1)
    share = np.where(edge, (scores * n + 2) / (n + 4), scores)
    size = np.where(edge, n + 4, n)
    notes = (
        (f"{count(int(edge.sum()), 'accuracy', 'accuracies')} of 0 or 1: two right and two wrong added",)
        if edge.any()
        else ()
    )
    return np.sqrt(share * (1 - share) / size), notes
