"""Topics, or tasks, on different scales: some from 0 to 1, others from 0 to 100, whose plain mean says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .matrix import Scores

#: The note of scores on different scales whose plain mean was asked for.
PLAIN_MEAN = "aggregated as plain mean of topics on different scales, as asked: the widest scale decides"
#: Scores beyond this are on another scale than those from 0 to 1.
_BEYOND = 1.5
#: The names of measures whose values are no shares, and of results that were brought to one scale.
_ONE_SCALE = ("aggregated as",)


class Scales(NamedTuple):
    """Topics whose scores lie between -1 and 1, and topics whose scores go beyond."""

    small: tuple[str, ...]
    large: tuple[str, ...]
    top: float

    def text(self) -> str:
        """What is wrong, as a sentence."""
        from ..results import count
        from .labels import shown

        return (
            f"{count(len(self.small), 'topic')} {'has' if len(self.small) == 1 else 'have'} scores up to 1 "
            f"({shown(self.small, 3)}) and {count(len(self.large), 'topic')} up to {self.top:g} ({shown(self.large, 3)})"
        )


def different_scales(scores: Scores) -> Scales | None:
    """The topics of either scale where there are two; None for scores on one scale, counts and grades among them.

    Scores that are whole numbers everywhere are counts, grades or votes: a topic where nobody has more than 1 is on the
    scale of the others. Scores that were aggregated are on one scale.
    """
    if len(scores.topics) < 2 or any(note.startswith(_ONE_SCALE) for note in scores.notes):
        return None
    size = np.abs(np.where(np.isnan(scores.values), 0.0, scores.values))
    tops = size.max(axis=1)
    small = tops <= 1
    if not small.any() or small.all():
        return None
    part = scores.values[small]
    part = part[~np.isnan(part)]
    if not (part != np.round(part)).any():
        return None
    middle = np.nanmedian(np.where(np.isnan(scores.values[~small]), np.nan, size[~small]), axis=1)
    large = np.flatnonzero(~small)[middle > _BEYOND]
    if not large.size:
        return None
    names = scores.topics
    return Scales(
        small=tuple(names[i] for i in np.flatnonzero(small)),
        large=tuple(names[i] for i in large),
        top=float(tops[large].max()),
    )
