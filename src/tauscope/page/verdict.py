"""Yes, in part or no: whether a judge can stand in, what that means, and what to do with it."""

from __future__ import annotations

import math

from ..coefficients.rule_of_thumb import FAIR, GOOD, band
from ..results import count, number, word
from ..scores.oddities import oddities_of_pair
from ..scores.remarks import Remark
from .facts.judge import Judge
from .material import Material
from .parts import Name, Part, Sentence, listed, percent, span

#: Limits of one comparison under other seeds were seen to differ by this much: the jackknife has a few hundred draws.
NEAR = 0.02
# Without a stated margin GOOD is "yes" and FAIR is "in part".
#: By the band of the least agreement that can be claimed.
ANSWERS = ("No", "In part", "Yes")
_RULE = f"yes from {GOOD:g}, in part from {FAIR:g}"


def verdict(material: Material, known: Judge) -> Sentence:
    """The answer, the numbers behind it, and what they had to reach."""
    if any(note.code == "same-data" for note in _beside(material)):
        return ("It cannot be said: both sides hold the same scores, and scores agree with themselves entirely.",)
    one = known.results[0]
    what = f"{one.coefficient.name} without the noise of {word('topics')}"
    if one.undefined_because is not None:
        return (f"It cannot be said: {what} is undefined, because {one.undefined_because}.",)
    value = f"{what} is {number(one.corrected)}"
    limit = one.at_least()
    if math.isnan(limit):
        few = count(min(one.topics), "topic")
        return (f"It cannot be said: {value}, but {few} are too few for an interval, and so for what it is at least.",)
    answer = _answer(material, limit)
    but = _but_the_top(known, _asked(material)) if answer == "Yes" else ""
    return (
        f"{answer}{' over all ranks, but not at the top' * bool(but)}, ",
        Name(material.names[0]),
        " for ",
        *material.called(material.reference),
        f": {value} {span(*one.interval)}, at least {number(limit)} with {material.confidence} confidence"
        f"{_against(material, limit)}{but}.",
    )


def _beside(material: Material) -> list[Remark]:
    estimate, reference = material.estimate, material.reference
    if estimate is None or estimate.scores is None or reference.scores is None:
        return []
    return list(oddities_of_pair(estimate.scores, reference.scores, material.names))


def _against(material: Material, limit: float) -> str:
    """What the agreement had to reach, and whether that was close."""
    bars: tuple[float, ...]
    if material.margin is None:
        said = f": {_RULE}" + f", and {number(limit)} is below {FAIR:g}" * (limit < FAIR)
        bars = (GOOD, FAIR)
    else:
        said = f", {'above' if limit > material.margin else 'not above'} the stated margin of {material.margin:g}"
        bars = (material.margin,)
    near = next((bar for bar in bars if abs(limit - bar) < NEAR), None)
    return said if near is None else f"{said} (so near to {near:g} that another seed could say otherwise)"


def _asked(material: Material) -> float:
    return GOOD if material.margin is None else material.margin


def _answer(material: Material, limit: float) -> str:
    """From the least agreement that can be claimed."""
    if material.margin is not None:
        return "Yes" if limit > material.margin else "Not shown"
    return ANSWERS[band(limit)]


def rule(material: Material, known: Judge) -> list[Sentence]:
    """What the first word of the answer means."""
    if math.isnan(known.results[0].at_least()):
        return []
    sure, topics = f"with {material.confidence} confidence", word("topics")
    if material.margin is not None:
        return [
            (
                f"Yes means that the agreement is above the stated margin {sure}; not shown, that these {topics} do "
                "not show it, and more of them could.",
            )
        ]
    return [
        (
            f"Yes means an agreement of at least {GOOD:g} {sure}, in part of at least {FAIR:g}, no that these "
            f"{topics} do not even show that. {GOOD:g} and {FAIR:g} are a rule of thumb; a margin of your own, stated "
            "beforehand, is better.",
        )
    ]


def advice(material: Material, known: Judge) -> list[Sentence]:
    """What the judge may and may not be used for, from the numbers."""
    if math.isnan(known.results[0].at_least()):
        return []
    fine, bad = _uses(material, known)
    parts: list[Part] = ["What to do with ", Name(material.names[0]), ": "]
    told = [
        (lead, between, uses)
        for lead, between, uses in (("fine for ", ", and for ", fine), ("not for ", ", nor for ", bad))
        if uses
    ]
    for place, (lead, between, uses) in enumerate(told):
        parts += ["; " if place else "", lead]
        for k, use in enumerate(uses):
            parts += [between if k else "", *use]
    found: list[Sentence] = [(*parts, ".")]
    if _answer(material, known.results[0].at_least()) in ("No", "Not shown"):
        found.append((_now_what(),))
    return found


def _now_what() -> str:
    """What is left where the judge cannot stand in."""
    return (
        f"A judge that cannot stand in still saves work: people on some of the {word('topics')} and the judge on all of "
        "them give one ranking (tauscope hybrid), and how many people need is a plan (tauscope plan --judge)."
    )


def _uses(material: Material, known: Judge) -> tuple[list[Sentence], list[Sentence]]:
    """What the judge is fine for, and what not."""
    fine: list[Sentence] = []
    bad: list[Sentence] = []
    s, asked = known.significant, _asked(material)
    answer = _answer(material, known.results[0].at_least())
    everyone = count(len(material.reference.systems), "system")
    order = "a rough order" if answer == "In part" else "the order"
    (fine if answer in ("Yes", "In part") else bad).append((f"{order} of all {everyone}",))
    if known.top is not None and not math.isnan(known.top.value):
        (bad if _but_the_top(known, asked) else fine).append((f"choosing among the best ({top_words(known)})",))
    if not math.isnan(s.precision):
        sure = s.precision >= GOOD and not s.contradicted
        what = "taking a difference that it finds significant for one of the reference"
        (fine if sure else bad).append((f"{what} (right for {percent(s.precision)})",))
    if known.shifts is not None and known.shifts.favoured():
        bad.append(("comparing ", *listed(known.shifts.favoured(), 4), ", which it lifts, with other groups"))
    if known.bias is not None and (known.bias.low > 0 or known.bias.high < 0):
        where = "higher" if known.bias.bias > 0 else "lower"
        bad.append((f"its scores as they are, {where} than those of the reference",))
    return fine, bad


def top_words(known: Judge) -> str:
    """'observed tau_b is 0.200 over the 13 systems in either top ten'."""
    top = known.top
    if top is None:
        return ""
    return f"observed {top.coefficient.name} is {number(top.value)} over the {count(top.n, 'system')} in either top ten"


def _but_the_top(known: Judge, asked: float) -> str:
    """What a yes over all ranks must not hide."""
    parts = [
        f"{h.coefficient.name} is at least {number(h.at_least())}" for h in known.results[1:] if h.at_least() <= asked
    ]
    if known.top is not None and known.top.value <= asked:
        parts.append(top_words(known))
    return f"; but {' and '.join(parts)}" if parts else ""
