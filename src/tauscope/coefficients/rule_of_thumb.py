"""Voorhees's rule of thumb: from .9 on two rankings are usually called equivalent, below .8 different.

It was found for tau of rankings of whole test collections, and is no law: a margin of one's own, stated beforehand, is
better.
"""

from __future__ import annotations

GOOD, FAIR = 0.9, 0.8


def band(value: float) -> int:
    """0, 1 or 2: different, between, equivalent."""
    return sum(value >= edge for edge in (FAIR, GOOD))
