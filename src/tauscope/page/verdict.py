"""Yes, in part, not shown or no: whether a judge can stand in, and what that means."""

from __future__ import annotations

import math

from ..answers.judge import label
from ..coefficients.correlation import Correlation
from ..coefficients.rule_of_thumb import FAIR, GOOD
from ..judges.agreement import Agreement as Comparison
from ..judges.standing import Standing, Top, stands_in
from ..results import count, number, word
from ..scores.oddities import oddities_of_pair
from .facts.judge import Judge
from .material import Material
from .parts import Name, Part, Sentence, listed, percent, span

_RULE = f"can replace from {GOOD:g}, for some uses from {FAIR:g}"
#: A limit this many Monte Carlo errors from what it has to reach could fall on the other side under another seed.
FAR = 2.0


def asked(material: Material) -> float:
    """What the agreement has to exceed for a yes."""
    return GOOD if material.margin is None else material.margin


def answer_of(material: Material, one: Comparison) -> Standing:
    """The verdict over all ranks."""
    return Standing.UNDEFINED if same_data(material) else stands_in(one, material.margin).over_all


def verdict(material: Material, known: Judge) -> Sentence:
    """The answer, the numbers behind it, and what they had to reach."""
    if same_data(material):
        return (
            f"{label(Standing.UNDEFINED)}: both sides hold the same scores, and scores agree with themselves entirely.",
        )
    one = known.results[0]
    what = f"{one.coefficient.name} without the noise of {word('topics')}"
    if one.undefined_because is not None:
        return (f"{label(Standing.UNDEFINED)}: {what} is undefined, because {one.undefined_because}.",)
    value = f"{what} is {number(one.corrected)}"
    limit = one.at_least()
    if math.isnan(limit):
        few = count(min(one.topics), "topic")
        return (
            f"{label(Standing.UNDEFINED)}: {value}, but {few} are too few for an interval, and so for what it is at least.",
        )
    answer = answer_of(material, one)
    top = at_the_top(material, known)
    fails = answer == Standing.REPLACES and top is Top.FAILS
    but = {
        Top.FAILS: f"; but not at the top: {top_words(known)}",
        Top.OPEN: f"; the top is not settled: {top_words(known)}",
    }.get(top, "")
    but = but if answer in (Standing.REPLACES, Standing.SOME_USES) else ""
    return (
        f"{label(answer)}{' over all ranks, but not at the top' * fails}, ",
        Name(material.names[0]),
        " for ",
        *material.called(material.reference),
        f": {value} {span(*one.interval)}, at least {number(limit)} with {material.confidence} confidence (one-sided)"
        f"{_against(material, one, answer)}{but}.",
    )


def same_data(material: Material) -> bool:
    """Whether both sides hold the same scores, which agree with themselves entirely."""
    estimate, reference = material.estimate, material.reference
    if estimate is None or estimate.scores is None or reference.scores is None:
        return False
    beside = oddities_of_pair(estimate.scores, reference.scores, material.names)
    return any(remark.code == "same-data" for remark in beside)


def _against(material: Material, one: Comparison, answer: Standing) -> str:
    """What the agreement had to reach, and whether that was close."""
    limit, high = one.at_least(), one.interval.high
    bars: tuple[float, ...]
    if material.margin is None:
        said = f": {_RULE}"
        if limit < FAIR:
            said += f", and {FAIR:g} lies {'above' if answer == Standing.CANNOT else 'inside'} the interval"
        bars = (GOOD, FAIR)
    else:
        where = "above" if limit > material.margin else "all below" if high < material.margin else "not above"
        said = f", {where} the stated margin of {material.margin:g}"
        bars = (material.margin,)
    near = next((bar for bar in bars if abs(limit - bar) < FAR * one.monte_carlo), None)
    return said if near is None else f"{said} (so near to {near:g} that another seed could say otherwise)"


def rule(material: Material, known: Judge) -> list[Sentence]:
    """What the first word of the answer means."""
    if math.isnan(known.results[0].at_least()):
        return []
    sure, topics = f"with {material.confidence} confidence", word("topics")
    open_ = f"not shown, that these {topics} leave it open and more of them could show it; cannot replace, that"
    if material.margin is not None:
        return [
            (
                f"Can replace means that the agreement is above the stated margin {sure}; {open_} the whole interval is below "
                "it.",
            )
        ]
    return [
        (
            f"Can replace means an agreement of at least {GOOD:g} {sure}, for some uses of at least {FAIR:g}; {open_} the whole "
            f"interval is below {FAIR:g}. {GOOD:g} and {FAIR:g} are a rule of thumb; a margin of your own, stated "
            "beforehand, is better.",
        )
    ]


def advice(material: Material, known: Judge) -> list[Sentence]:
    """What the judge may and may not be used for, from the numbers."""
    if math.isnan(known.results[0].at_least()):
        return []
    fine, open_, bad = _uses(material, known)
    parts: list[Part] = ["What to do with ", Name(material.names[0]), ": "]
    kinds = (
        ("fine for ", ", and for ", fine),
        ("not settled for ", ", nor for ", open_),
        ("not for ", ", nor for ", bad),
    )
    told = [(lead, between, uses) for lead, between, uses in kinds if uses]
    for place, (lead, between, uses) in enumerate(told):
        parts += ["; " if place else "", lead]
        for k, use in enumerate(uses):
            parts += [between if k else "", *use]
    found: list[Sentence] = [(*parts, ".")]
    if answer_of(material, known.results[0]) in (Standing.CANNOT, Standing.NOT_SHOWN):
        found.append((_now_what(),))
    return found


def _now_what() -> str:
    """What is left where the judge cannot stand in."""
    return (
        f"A judge that cannot stand in still saves work: people on some of the {word('topics')} and the judge on all of "
        "them give one ranking (“tauscope hybrid”), and how many people need is a plan (“tauscope plan --judge”)."
    )


def _uses(material: Material, known: Judge) -> tuple[list[Sentence], list[Sentence], list[Sentence]]:
    """What the judge is fine for, for what that is not settled, and what it is not for."""
    fine: list[Sentence] = []
    open_: list[Sentence] = []
    bad: list[Sentence] = []
    s = known.significant
    answer = answer_of(material, known.results[0])
    everyone = count(len(material.reference.systems), "system")
    order = "a rough order" if answer == Standing.SOME_USES else "the order"
    (fine if answer in (Standing.REPLACES, Standing.SOME_USES) else bad).append((f"{order} of all {everyone}",))
    if known.top is not None and not math.isnan(known.top.value):
        state = at_the_top(material, known, asked(material))
        {Top.HOLDS: fine, Top.OPEN: open_, Top.FAILS: bad}[state].append(
            (f"choosing among the best ({observed_top(known.top)})",)
        )
    if not math.isnan(s.precision):
        what = "taking a difference that it finds significant for one of the reference"
        (fine if trusted(known) else bad).append((f"{what} (right for {percent(s.precision)})",))
    if known.shifts is not None and known.shifts.favoured():
        bad.append(("comparing ", *listed(known.shifts.favoured(), 4), ", which it lifts, with other groups"))
    if biased(known):
        where = "higher" if known.bias is not None and known.bias.bias > 0 else "lower"
        bad.append((f"its scores as they are, {where} than those of the reference",))
    return fine, open_, bad


def trusted(known: Judge) -> bool:
    """Whether a difference that the judge finds significant can be taken for one of the reference."""
    s = known.significant
    return not math.isnan(s.precision) and s.precision >= GOOD and not s.reversed


def biased(known: Judge) -> bool:
    """Whether the judge's scores are higher, or lower, beyond chance."""
    return known.bias is not None and (known.bias.low > 0 or known.bias.high < 0)


def at_the_top(material: Material, known: Judge, bar: float | None = None) -> Top:
    """What is known of the top, beside what is asked: of a rough order less than of a stand-in, unless `bar` says what."""
    rough = answer_of(material, known.results[0]) is Standing.SOME_USES
    least = FAIR if material.margin is None else material.margin
    own = (least if rough else asked(material)) if bar is None else bar
    ten = known.ten
    heads = known.results[1:]
    most = [one.interval.high for one in heads]
    most += [] if ten is None else [ten.observed if ten.resampled == "systems" else ten.interval.high]
    if any(high < own for high in most):
        return Top.FAILS
    return Top.OPEN if any(one.at_least() < own for one in heads) else Top.HOLDS


def top_words(known: Judge) -> str:
    """The numbers behind what is known of the top."""
    told = [
        f"{one.coefficient.name} lies between {number(one.interval.low)} and {number(one.interval.high)}"
        for one in known.results[1:]
    ]
    if known.ten is not None:
        low, high = known.ten.interval
        told.append(f"{known.ten.coefficient.name} over the ten best between {number(low)} and {number(high)}")
    return " and ".join(told)


def observed_top(top: Correlation) -> str:
    """'observed tau_b is 0.200 over the 13 systems in either top ten'."""
    return f"observed {top.coefficient.name} is {number(top.value)} over the {count(top.n, 'system')} in either top ten"
