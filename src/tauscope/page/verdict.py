"""Yes, in part or no: whether a judge can stand in, what that means, and what to do with it."""

from __future__ import annotations

import math

from ..coefficients.rule_of_thumb import FAIR, GOOD
from ..results import count, number, word
from .judge_facts import Judge
from .parts import Name, Part, Sentence, listed, percent, span
from .sides import Material

#: Limits of one comparison under other seeds were seen to differ by this much: the jackknife has a few hundred draws.
NEAR = 0.02
# Without a stated margin GOOD is "yes" and FAIR is "in part".
_RULE = f"yes from {GOOD:g}, in part from {FAIR:g}"


def verdict(material: Material, known: Judge) -> Sentence:
    """The answer, the numbers behind it, and what they had to reach."""
    one = known.results[0]
    name = one.coefficient.name
    if one.undefined_because is not None:
        return (
            f"It cannot be said: {name} without the noise of {word('topics')} is undefined, because {one.undefined_because}.",
        )
    value = f"{name} without the noise of {word('topics')} is {number(one.corrected)}"
    limit = one.at_least()
    if math.isnan(limit):
        few = count(min(one.topics), "topic")
        return (f"It cannot be said: {value}, but {few} are too few for an interval, and so for what it is at least.",)
    value = f"{value} {span(*one.interval)}"
    sure = f"at least {number(limit)} with {material.level * 100:g} % confidence"
    who: Sentence = (Name(material.names[0]), " for ", *material.called(material.reference))
    answer = _answer(material, limit)
    if material.margin is None:
        against = f": {_RULE}" + f", and {number(limit)} is below {FAIR:g}" * (limit < FAIR)
        bars: tuple[float, ...] = (GOOD, FAIR)
    else:
        against = f", {'above' if limit > material.margin else 'not above'} the stated margin of {material.margin:g}"
        bars = (material.margin,)
    near = next((bar for bar in bars if abs(limit - bar) < NEAR), None)
    if near is not None:
        against += f" (so near to {near:g} that another seed could say otherwise)"
    but = _but_the_top(known, _asked(material)) if answer == "Yes" else ""
    return (f"{answer}{' over all ranks, but not at the top' * bool(but)}, ", *who, f": {value}, {sure}{against}{but}.")


def _asked(material: Material) -> float:
    return GOOD if material.margin is None else material.margin


def _answer(material: Material, limit: float) -> str:
    """From the least agreement that can be claimed."""
    if material.margin is not None:
        return "Yes" if limit > material.margin else "Not shown"
    return "Yes" if limit >= GOOD else "In part" if limit >= FAIR else "No"


def rule(material: Material, known: Judge) -> list[Sentence]:
    """What the first word of the answer means."""
    if math.isnan(known.results[0].at_least()):
        return []
    sure = f"with {material.level * 100:g} % confidence"
    if material.margin is not None:
        return [(f"Yes means that the agreement is above the stated margin {sure}; not shown, that these {word('topics')} do not "
                 f"show it, and more of them could.",)]  # fmt: skip
    return [(f"Yes means an agreement of at least {GOOD:g} {sure}, in part of at least {FAIR:g}, no that these {word('topics')} do not even "
             f"show that. {GOOD:g} and {FAIR:g} are a rule of thumb; a margin of your own, stated beforehand, is better.",)]  # fmt: skip


def advice(material: Material, known: Judge) -> list[Sentence]:
    """What the judge may and may not be used for, from the numbers."""
    one, s, asked = known.results[0], known.significant, _asked(material)
    if math.isnan(one.at_least()):
        return []
    fine: list[Sentence] = []
    bad: list[Sentence] = []
    answer = _answer(material, one.at_least())
    everyone = count(len(material.reference.systems), "system")
    if answer == "In part":
        fine.append((f"a rough order of all {everyone}",))
    else:
        (fine if answer == "Yes" else bad).append((f"the order of all {everyone}",))
    if known.top is not None and known.top.value == known.top.value:
        (bad if _but_the_top(known, asked) else fine).append((f"choosing among the best ({top_words(known)})",))
    if s.precision == s.precision:
        sure = s.precision >= GOOD and not s.contradicted
        taken = (
            f"taking a difference that it finds significant for one of the reference (right for {percent(s.precision)})"
        )
        (fine if sure else bad).append((taken,))
    if known.shifts is not None and known.shifts.favoured():
        bad.append(("comparing ", *listed(known.shifts.favoured(), 4), ", which it lifts, with other groups"))
    if known.bias is not None and (known.bias.low > 0 or known.bias.high < 0):
        bad.append(
            (f"its scores as they are, {'higher' if known.bias.bias > 0 else 'lower'} than those of the reference",)
        )
    parts: list[Part] = ["What to do with ", Name(material.names[0]), ": "]
    for place, (lead, uses) in enumerate(
        (lead, uses) for lead, uses in (("fine for ", fine), ("not for ", bad)) if uses
    ):
        parts += ["; " if place else "", lead]
        for k, use in enumerate(uses):
            parts += [", nor for " if lead == "not for " and k else ", and for " if k else "", *use]
    return [(*parts, ".")]


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
