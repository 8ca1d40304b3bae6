"""One judge beside a reference: can it stand in?"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...judges import standing_in
from ...judges.standing_in import IN_PART, NO, NOT_SHOWN, TOP, UNKNOWN, YES, least, only_noise
from ...results import count, number, word
from ..facts import Facts
from ..facts.judge import Judge
from ..facts.swaps import MOST_LINES, Swaps
from ..material import Material
from ..parts import Name, Sentence, listed, percent
from ..verdict import answer_of, asked, biased, but_the_top, top_holds, trusted
from .parts import (
    KEYS,
    Badge,
    Cross,
    Crosses,
    Line,
    PairScores,
    Picture,
    Places,
    Ruler,
    RulerLine,
    Scale,
    Screen,
    Segment,
    Slope,
    Stack,
    Tile,
    coefficients,
    colours,
)

_TONES = {YES: "yes", IN_PART: "partly", NOT_SHOWN: "open", NO: "no", UNKNOWN: "open"}
BADGES = {answer: Badge(standing_in.BADGES[answer], tone) for answer, tone in _TONES.items()}
#: The head of a ranking that is shown with names where there are too many systems for a line each.
HEAD = 20
#: Cells of both sides that a page carries along, so that a pair can be looked at topic by topic.
MOST_CELLS = 120_000
#: Claims of a kind.
MOST_CLAIMS = 3


def screen(material: Material, facts: Facts) -> Screen | None:
    """Where both sides have complete scores on topics."""
    known, swaps = facts.judge, facts.swaps
    if known is None or swaps is None:
        return None
    answer = answer_of(material, known.results[0])
    judge, reference = (Name(name, 40) for name in material.names)
    pairs = pair_scores(material)
    may, may_not = _claims(material, known, swaps, answer)
    return Screen(
        kind="judge",
        question=("Can ", judge, " stand in for ", reference, "?"),
        # A yes that does not hold at the top is one for some uses.
        badge=BADGES[IN_PART if answer == YES and but_the_top(known, asked(material)) else answer],
        sentence=_sentence(material, known, answer),
        tiles=tuple(
            tile for tile in (_agreement(material, known), _top(material, known, swaps), _significant(known)) if tile
        ),
        picture=picture(material, swaps, pairs),
        may=may,
        may_not=may_not,
        systems=swaps.systems,
        pairs=pairs,
        data={"answer": answer, "swaps": swaps.counted[0], "real_swaps": swaps.counted[1]},
    )


def _sentence(material: Material, known: Judge, answer: str) -> Sentence:
    one = known.results[0]
    judge, reference = (Name(name, 40) for name in material.names)
    topics = count(min(one.topics), "topic")
    low, high, limit = (number(value, 2) for value in (*one.interval, one.at_least()))
    if answer == UNKNOWN:
        return (f"{topics} are too few, or too alike, to say how far ", judge, " agrees with ", reference, ".")
    if answer == YES:
        if only_noise(one):
            lead: Sentence = (judge, " and ", reference, f" differ by no more than the noise of {topics}")
        else:
            lead = (judge, f" ranks {count(one.systems, 'system')} like ", reference)
        but = ", but not at the top" if but_the_top(known, asked(material)) else ""
        return (*lead, f": agreement at least {limit}{but}.")
    if answer == IN_PART:
        return (judge, " keeps the rough order of ", reference, f": agreement at least {limit}; a stand-in needs 0.9.")
    if answer == NO:
        return (
            judge,
            " ranks otherwise than ",
            reference,
            f": agreement at most {high}, and {least(material.margin):g} is asked.",
        )
    bar = f"{least(material.margin):g}"
    return (f"These {topics} leave it open: agreement lies between {low} and {high}, and {bar} is asked.",)


def _agreement(material: Material, known: Judge) -> Tile:
    one, top = known.results[0], known.ceilings[0]
    bars = (material.margin,) if material.margin is not None else (0.8, 0.9)
    values = [one.observed, one.corrected, *one.interval, top.value]
    lines = (
        RulerLine(
            label="without noise (disattenuated)",
            value=one.corrected,
            interval=one.interval if one.no_interval_because is None else None,
            bars=bars,
            bars_label="the stated margin" if material.margin is not None else "0.8 in part, 0.9 yes",
            strong=True,
        ),
        RulerLine(label="observed", value=one.observed, beside=top.value, beside_label="noise ceiling"),
    )
    return Tile(
        title=f"Agreement, {one.coefficient.symbol}",
        value=number(one.corrected, 2),
        picture=Ruler(scale=coefficients([*values, *bars]), lines=lines),
    )


def _first(ranks: Floats, most: int) -> list[int]:
    return [int(i) for i in np.argsort(ranks, kind="stable")[:most]]


def _top(material: Material, known: Judge, swaps: Swaps) -> Tile | None:
    most = TOP if len(swaps.systems) > TOP else 3
    if len(swaps.systems) <= most:
        return None
    first = _first(swaps.reference, most)
    other = set(_first(swaps.estimate, most))
    inside = tuple(i in other for i in first)
    judge, reference = (Name(name, 24) for name in material.names)
    best = first[0]
    note: Sentence = ("of ", reference, f"’s first {_spelled(most)} are among ", judge, "’s")
    places = Places(
        names=tuple(swaps.systems[i] for i in first),
        texts=tuple(f"{swaps.estimate[i]:g}" for i in first),
        inside=inside,
        caption="rank under the judge, best of the reference first",
    )
    kept = f"{sum(inside)} of {most}"
    end = "; its best stays first" if swaps.estimate[best] == 1 else f"; its best is number {swaps.estimate[best]:g}"
    if known.top is not None and known.top.value == known.top.value:
        end += f"; their order agrees by tau_b {number(known.top.value, 2)}"
    return Tile(title=f"Top {_spelled(most)}", value=kept, note=(*note, end), picture=places)


def _spelled(most: int) -> str:
    return {3: "three", 10: "ten"}[most]


def _significant(known: Judge) -> Tile | None:
    s = known.significant
    if not s.truth.significant and not s.invented:
        return None
    segments = (
        Segment("kept", s.shared, "kept"),
        Segment("missed", s.missed, "missed"),
        Segment("invented", s.invented, "invented"),
        Segment("contradicted", s.contradicted, "contradicted"),
    )
    of = f"of {count(s.truth.significant, 'significant difference')} of the reference kept"
    return Tile(title="Significant differences", value=percent(s.recall), note=(of,), picture=Stack(segments=segments))


def _claims(
    material: Material, known: Judge, swaps: Swaps, answer: str
) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """What the numbers let one say, and what not; the most important first."""
    judge, reference = (Name(name, 30) for name in material.names)
    may: list[Sentence] = []
    may_not: list[Sentence] = []
    if answer == UNKNOWN:
        return (), (("anything about the agreement: there are too few ", word("topics")),)
    everyone = count(len(swaps.systems), "system")
    if answer == YES:
        may.append(("The order of ", judge, " stands for that of ", reference, f" over all {everyone}."))
    elif answer == IN_PART:
        may.append(("A rough order of the ", everyone, " comes out alike."))
        may_not.append(("The exact order is that of ", reference, "."))
    else:
        may_not.append((judge, " can replace ", reference, f" in ordering {everyone}."))
    turned, real = swaps.counted
    if turned and not real:
        may_not.append((f"Any one swap is real: none of the {count(turned, 'swap')} is shown to be more than noise.",))
    elif real:
        may_not.append((f"The swaps are noise: {real:,} of {turned:,} are more than that.",))
    if known.top is not None and known.top.value == known.top.value:
        if top_holds(material, known):
            may.append((judge, " finds the best ", word("systems"), "."))
        else:
            may_not.append(
                (
                    f"Which {word('system')} is best: inside the top ten the order agrees by only "
                    f"{number(known.top.value, 2)} (tau_b).",
                )
            )
    s = known.significant
    if trusted(known):
        may.append(("A difference it finds significant is one: right for ", percent(s.precision), "."))
    elif s.precision == s.precision:
        may_not.append(("A difference it finds significant is one: right for ", percent(s.precision), "."))
    if s.missed and s.recall < 0.9:
        may_not.append((f"No difference where it finds none: it misses {s.missed:,}.",))
    if known.shifts is not None and known.shifts.favoured():
        may_not.insert(
            1, (*listed(known.shifts.favoured(), 2), " can be compared with the others: the judge lifts it.")
        )
    if biased(known) and known.bias is not None:
        where = "higher" if known.bias.bias > 0 else "lower"
        may_not.append((f"Its scores as they are: {where} by {number(abs(known.bias.bias), 2)}.",))
    return tuple(may[:MOST_CLAIMS]), tuple(may_not[:MOST_CLAIMS])


def picture(material: Material, swaps: Swaps, pairs: PairScores | None) -> Picture:
    """A line for each system, or, of many, ranks against ranks with the ranks that could be true."""
    names = (material.reference.name, material.names[0])
    hint = f"Click two names to see which {word('topics')} decide between them." if pairs else ""
    return _slope(material, swaps, names, hint) if len(swaps.systems) <= MOST_LINES else _crosses(swaps, names)


def _text(rank: float) -> str:
    return f"{rank:g}"


def _slope(material: Material, swaps: Swaps, names: tuple[str, str], hint: str) -> Slope:
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
        )
        for i, (name, tone) in enumerate(zip(swaps.systems, swaps.moved, strict=True))
    )
    return Slope(groups=tuple(colour), names=names, lines=lines, caption=_caption(swaps), hint=hint)


def _caption(swaps: Swaps) -> Sentence:
    turned, real = swaps.counted
    if not turned:
        return (f"No pair of {word('systems')} changes its order.",)
    if swaps.real is None:
        return (f"{count(turned, 'pair')} of {word('systems')} change their order.",)
    more = f"; {real:,} are more than noise, each taken alone" if real else "; none is shown to be more than noise"
    return (f"{count(turned, 'pair')} of {word('systems')} change their order{more}.",)


def _crosses(swaps: Swaps, names: tuple[str, str]) -> Crosses:
    n = len(swaps.systems)
    step = next(step for step in (10, 20, 25, 50, 100, 200, 250, 500, 1000, 10_000) if n / step <= 6)
    scale = Scale(low=1, high=n, marks=(1, *range(step, n + 1, step)), digits=0)
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
        caption=_caption(swaps),
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
