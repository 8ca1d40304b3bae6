"""People on some of a judge's topics: the one door, from scores to arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .. import checking
from ..arrays import Floats
from ..errors import Advice, AlignmentError, Option, TauscopeError
from ..results import count, word
from ..scores import Scores
from ..scores.alignment import aligned_scores
from ..scores.labels import shown
from ..ties import SNAP
from .two_phase import TwoPhase

#: Fewer human topics leave no degrees of freedom worth the name for the slope.
LEAST_TOPICS = 5


class Sides(NamedTuple):
    """People's and the judge's scores as arrays, the systems, what was left out, and the scores themselves."""

    data: TwoPhase
    systems: tuple[str, ...]
    notes: tuple[str, ...]
    human: Scores
    judge: Scores


def two_phase(
    human: Scores,
    judge: Scores,
    *,
    one_sided: str,
    what: str,
    match: str = "exact",
    chances: Mapping[str, float] | None = None,
    whole: bool = False,
) -> Sides:
    """People on some of a judge's topics: checked, matched by name; `what` wants them."""
    same = aligned_scores({"human": human, "judge": judge}, what, one_sided, match=match, subset=True)
    own, machine = same.scores
    there, notes = _topics(own, machine, one_sided)
    own = own.select(topics=there)
    if len(there) < LEAST_TOPICS:
        raise TauscopeError(
            f"{what} needs people's scores on at least {LEAST_TOPICS} topics; there {'is' if len(there) == 1 else 'are'} "
            f"{len(there)}."
        )
    data = TwoPhase(
        people=_centred(own.values),
        judge_there=_centred(machine.select(topics=there).values),
        judge=_centred(machine.values),
        whole=whole,
        chances=_chances_of(there, chances),
    )
    if data.chances is not None:
        notes += (f"unequal chances, as good as {data.size:.1f} human {word('topics')} with equal ones",)
    return Sides(data, own.systems, (*same.notes, *notes), own, machine)


def _topics(human: Scores, judge: Scores, one_sided: str) -> tuple[list[str], tuple[str, ...]]:
    """People's topics that the judge has too, and what was left out."""
    known = set(judge.topics)
    alone = [topic for topic in human.topics if topic not in known]
    there = [topic for topic in human.topics if topic in known]
    if alone and (one_sided == "error" or not there):
        way = (
            Option("one_sided", "drop", effect=f"to use the {len(there):,} that both have")
            if there
            else Advice("Are topics spelled alike in both?")
        )
        raise AlignmentError(f"{count(len(alone), 'topic')} of `human` the judge has not: {shown(alone)}.", way)
    return there, ((f"{count(len(alone), 'topic')} only in `human` left out",) if alone else ())


def _chances_of(topics: list[str], chances: Mapping[str, float] | None) -> Floats | None:
    """The chance of each human topic; None where there are none, or where they are all the same."""
    if chances is None:
        return None
    without = [topic for topic in topics if topic not in chances]
    if without:
        raise TauscopeError(
            f"{count(len(without), 'human topic')} {'has' if len(without) == 1 else 'have'} no chance: {shown(without)}.",
            Advice("`chances` maps every topic that people judged to the chance with which it was drawn."),
        )
    found = np.array([checking.share(chances[topic], f"chances[{topic!r}]", one=True) for topic in topics])
    return None if (found == found[0]).all() else found


def _centred(values: Floats) -> Floats:
    """Without the means of topics; nothing is left of a topic on which systems differ by rounding only."""
    differ = np.ptp(values, axis=1) > SNAP * np.abs(values).max(axis=1)
    return np.where(differ[:, None], values - values.mean(axis=1, keepdims=True), 0.0)
