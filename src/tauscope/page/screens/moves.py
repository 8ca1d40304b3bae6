"""Who changes places between a reference and a judge: a line for each system, or ranks against ranks."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...judges.standing import TOP
from ...results import count, word
from ..facts.swaps import MOST_LINES, Swaps
from ..material import Material
from ..parts import Sentence
from .parts import KEYS, Cross, Crosses, Line, PairScores, Picture, Places, Scale, Slope, colours

#: The head of a ranking that is shown with names where there are too many systems for a line each.
HEAD = 20
#: The head that is counted, ten or three, in words.
SPELLED = {TOP: "ten", 3: "three"}
#: Cells of both sides that a page carries along, so that a pair can be looked at topic by topic.
MOST_CELLS = 120_000


def picture(
    material: Material,
    swaps: Swaps,
    pairs: PairScores | None,
    *,
    together: bool = False,
    lifted: tuple[str, ...] = (),
) -> Picture:
    """A line for each system, or, of many, ranks against ranks with the ranks that could be true.

    `together` where all swaps together are more than noise; `lifted` are groups that the judge favours.
    """
    names = (material.reference.name, material.names[0])
    hint = f"Click two names: which {word('topics')} decide?" if pairs else ""
    caption = _caption(swaps, together)
    if len(swaps.systems) <= MOST_LINES:
        return _slope(material, swaps, names, hint, caption, lifted)
    return _crosses(swaps, names, caption)


def top_places(swaps: Swaps) -> Places | None:
    """The first ten of the reference, of a few systems three, with their ranks in the estimate; None of very few."""
    most = TOP if len(swaps.systems) > TOP else 3
    if len(swaps.systems) <= most:
        return None
    first, other = (_first(ranks, most) for ranks in (swaps.reference, swaps.estimate))
    return Places(
        names=tuple(swaps.systems[i] for i in first),
        texts=tuple(_text(swaps.estimate[i]) for i in first),
        inside=tuple(i in other for i in first),
        caption=f"the reference’s 1 to {most}, as the judge ranks them; dashed: not in its top {SPELLED[most]}",
    )


def top_title(places: Places) -> str:
    """What stands over them."""
    return f"Top {SPELLED[len(places.names)]}"


def _first(ranks: Floats, most: int) -> list[int]:
    return [int(i) for i in np.argsort(ranks, kind="stable")[:most]]


def _text(rank: float) -> str:
    return f"{rank:g}"


def _slope(
    material: Material, swaps: Swaps, names: tuple[str, str], hint: str, caption: Sentence, lifted: tuple[str, ...]
) -> Slope:
    left = np.argsort(swaps.reference, kind="stable")
    at_left = np.empty(len(left), int)
    at_left[left] = np.arange(len(left))
    # Ties on the right stand in the order of the left: a tie is no swap.
    right = np.lexsort((at_left, swaps.estimate))
    at_right = np.empty(len(right), int)
    at_right[right] = np.arange(len(right))
    groups, colour = material.groups or {}, colours(material.groups)
    lines = tuple(
        Line(
            name=name,
            left=int(at_left[i]),
            right=int(at_right[i]),
            ranks=(_text(swaps.reference[i]), _text(swaps.estimate[i])),
            tone=tone,
            colour=colour.get(groups.get(name, "")),
            lifted=groups.get(name, "") in lifted,
        )
        for i, (name, tone) in enumerate(zip(swaps.systems, swaps.moved, strict=True))
    )
    return Slope(groups=tuple(colour), lifted=lifted, names=names, lines=lines, caption=caption, hint=hint)


def _caption(swaps: Swaps, together: bool) -> Sentence:
    turned, real = swaps.counted
    if not turned:
        return (f"No pair of {word('systems')} changes its order.",)
    if swaps.real is None:
        return (f"{count(turned, 'pair')} of {word('systems')} change their order.",)
    alone = "; none alone is shown to be more than noise; together they are" if together else ""
    none = alone or "; none is shown to be more than noise"
    more = f"; {real:,} {'is' if real == 1 else 'are'} more than noise, each taken alone" if real else none
    return (f"{count(turned, 'pair')} of {word('systems')} change their order{more}.",)


def _crosses(swaps: Swaps, names: tuple[str, str], caption: Sentence) -> Crosses:
    n = len(swaps.systems)
    step = next(step for step in (10, 20, 25, 50, 100, 200, 250, 500, 1000, 10_000) if n / step <= 6)
    inner = (mark for mark in range(step, n, step) if mark <= n - step / 2)
    scale = Scale(low=1, high=n, marks=(1, *inner, n), digits=0)
    low_high = (swaps.reference_limits, swaps.estimate_limits)
    points = []
    for i, (name, tone) in enumerate(zip(swaps.systems, swaps.moved, strict=True)):
        x, y = float(swaps.reference[i]), float(swaps.estimate[i])
        spans = [
            (float(own[0][i]), float(own[1][i])) if own is not None else (value, value)
            for own, value in zip(low_high, (x, y), strict=True)
        ]
        points.append(
            Cross(
                name=name,
                x=scale.at(x),
                y=scale.at(y),
                across=(scale.at(spans[0][0]), scale.at(spans[0][1])),
                up=(scale.at(spans[1][0]), scale.at(spans[1][1])),
                tone=tone,
                ranks=(_text(x), _text(y)),
            )
        )
    return Crosses(
        names=names,
        scale=scale,
        points=tuple(points),
        tones=tuple(t for t in KEYS if t in swaps.moved),
        top_scale=_top_scale(),
        top=_head(swaps),
        caption=caption,
    )


def _top_scale() -> Scale:
    return Scale(low=0.5, high=HEAD + 0.5, marks=(1, 5, 10, 15, 20), digits=0)


def _head(swaps: Swaps) -> tuple[Cross, ...]:
    """The first of the reference, in the order of the estimate: one line for each, those outside its head last."""
    scale = _top_scale()
    first = [i for i in np.argsort(swaps.reference, kind="stable").tolist() if swaps.reference[i] <= HEAD]
    order = sorted(first, key=lambda i: (float(swaps.estimate[i]), float(swaps.reference[i])))
    tones = swaps.moved
    found = []
    for i in order:
        x, y = float(swaps.reference[i]), float(swaps.estimate[i])
        own = swaps.reference_limits
        across = (float(own[0][i]), float(own[1][i])) if own is not None else (x, x)
        found.append(
            Cross(
                name=swaps.systems[i],
                x=scale.at(x),
                y=y,
                across=(scale.at(across[0]), scale.at(across[1])),
                up=(y, y),
                tone=tones[i],
                ranks=(_text(x), _text(y)),
            )
        )
    return tuple(found)


def pair_scores(material: Material) -> PairScores | None:
    """Scores of both sides on the topics they share; None where there are none, or too many to carry along."""
    estimate = material.estimate.complete if material.estimate is not None else None
    truth = material.reference.complete
    if estimate is None or truth is None:
        return None
    there = set(estimate.topics)
    topics = tuple(topic for topic in truth.topics if topic in there)
    if not topics or 2 * len(topics) * len(truth.systems) > MOST_CELLS:
        return None
    values = []
    for side in (truth, estimate):
        own = side.select(topics=topics, systems=truth.systems).values
        values.append(tuple(tuple(float(f"{value:.4g}") for value in column) for column in own.T.tolist()))
    sides, called = (material.reference.name, material.names[0]), (word("topic"), word("topics"))
    return PairScores(systems=tuple(truth.systems), topics=topics, sides=sides, values=tuple(values), called=called)
