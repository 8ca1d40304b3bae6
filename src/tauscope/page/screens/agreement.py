"""How far a judge agrees, on a ruler: without the noise of topics, and as observed beside what a perfect judge shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...coefficients.rule_of_thumb import FAIR, GOOD
from ...judges.agreement import Agreement as Comparison
from ...results import count, word
from ..parts import Sentence
from .parts import Ruler, RulerLine, coefficients

#: What a judge has to reach where no margin is stated, and what stands beside the dashed lines.
RULE = (FAIR, GOOD)
RULE_LABEL = f"{FAIR:g} some uses, {GOOD:g} stands in"
PERFECT = "what a perfect judge shows on average (noise ceiling)"


def perfect_judge() -> str:
    """What the noise ceiling is, on hover."""
    return (
        f"A judge that had the true order would agree by this much, on average, with the order observed on these "
        f"{word('topics')}. One that is scored on the same {word('topics')} shares their noise and can come out above "
        "it. No value is divided by it: noise is taken out of both sides together."
    )


def agreement_ruler(
    corrected: float,
    interval: tuple[float, float] | None,
    observed: float,
    *,
    topics: int | None = None,
    ceiling: float | None = None,
    bars: Sequence[float] = (),
    bars_label: str = "",
) -> Ruler:
    """The disattenuated value with its interval over what it has to reach; below it the observed one, to which the
    ceiling belongs. `topics` where both sides have as many."""
    here = f"observed on these {count(topics, 'topic')}" if topics is not None else "observed"
    strong = RulerLine(
        label=f"without {word('topic')} noise (disattenuated)",
        value=corrected,
        interval=interval,
        bars=tuple(bars),
        bars_label=bars_label,
        strong=True,
    )
    below = RulerLine(
        label=here,
        value=observed,
        beside=ceiling,
        beside_label=PERFECT if ceiling is not None else "",
        beside_tip=perfect_judge() if ceiling is not None else "",
    )
    values = [corrected, observed, *(interval or ()), *bars, *(() if ceiling is None else (ceiling,))]
    return Ruler(scale=coefficients(values), lines=(strong, below))


def same_topics(one: Comparison) -> int | None:
    """How many topics both sides have; None where one has more."""
    return one.topics[0] if one.topics[0] == one.topics[1] else None


def surer(one: Comparison, bars: Sequence[float]) -> Sentence:
    """What more topics would do for the interval, and for what is not reached yet; nothing where there is no interval."""
    high = one.interval.high
    if math.isnan(high) or one.resampled == "systems" or one.interval.low == high:
        return ()
    narrow = f"More {word('topics')} narrow the interval (4 times as many about halve it)"
    missed = next((bar for bar in sorted(bars) if one.at_least() < bar), None)
    if missed is None:
        return (f"{narrow}.",)
    if high < missed:
        return (f"{narrow}; {missed:g} lies above all of it: that takes a better judge.",)
    return (f"{narrow} and could show {missed:g}.",)
