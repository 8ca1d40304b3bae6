"""What speaks for and against a judge in an audit: each answer with a tone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ...coefficients.rule_of_thumb import FAIR, GOOD
from ...judges.audit import Audit
from ...judges.audit_answers import AuditCheck
from ...judges.circularity import Circularity, p_text
from ...results import count, number, word
from ..parts import readable, span

#: Tones: nothing against it, an objection, not shown, and a number without a threshold.
FINE, OBJECTION, OPEN, TOLD = "yes", "no", "open", "told"


class Answer(NamedTuple):
    """One check, what it asks in plain words, how it came out, and what follows from an objection."""

    check: AuditCheck
    asks: str
    tone: str
    #: What came out, with every digit, and the same in short: the value with its unit, and in plain words.
    says: str
    value: str
    plain: str
    #: What an objection is called, or what is not shown, and what to do about it.
    against: str = ""
    todo: str = ""
    #: What may be said of one judge after it; nothing where it came out otherwise.
    claim: str = ""
    #: What the field calls it.
    term: str = ""
    #: What the value has to reach on a scale that ends at 1; None where it is on no such scale.
    bars: tuple[float, ...] | None = None


def answers_of(found: Audit) -> tuple[Answer, ...]:
    """The checks in their order."""
    return tuple(_KINDS[check.check](found, check) for check in found.checks)


def _agreement(found: Audit, check: AuditCheck) -> Answer:
    one = found.agreement[check.judge]
    says = (
        f"{one.coefficient.name} {number(one.corrected)} {span(*one.interval)} without the noise of {word('topics')} "
        f"(disattenuated), {number(one.observed)} observed"
    )
    answer = Answer(
        check,
        "Does it rank like people?",
        FINE,
        says,
        f"{one.coefficient.symbol} {number(one.corrected, 2)}",
        f"{_limits(check)} without the noise of {word('topics')}; {FAIR:g} is for some uses, {GOOD:g} to stand in",
        bars=(FAIR, GOOD),
    )
    if one.at_least() >= FAIR:
        claim = "It ranks like people." if one.at_least() >= GOOD else "Its rough order is that of people."
        answer = answer._replace(claim=claim)
    if check.high < FAIR:
        todo = "Keep people; run “tauscope hybrid” for one ranking of both."
        return answer._replace(tone=OBJECTION, against="its order", todo=todo)
    if one.at_least() >= GOOD:
        return answer
    settled = "" if check.high < GOOD else f"; more {word('topics')} could settle it"
    todo = f"Let people decide where the exact order matters{settled}."
    return answer._replace(tone=OPEN, against=f"that it can stand in, which takes {GOOD:g}", todo=todo)


def _limits(check: AuditCheck, digits: int = 2) -> str:
    return f"{number(check.low, digits)} to {number(check.high, digits)}"


def _soft(found: Audit, check: AuditCheck) -> Answer:
    same = found.soft_accuracy[check.judge].accuracy
    plain = f"1 would be just as sure of every pair; {100 * same:.0f} % of pairs are in people’s order"
    value, term = f"{number(check.value, 2)} of 1", "soft pairwise accuracy"
    return Answer(check, "Is it as sure as people?", TOLD, check.says, value, plain, term=term, bars=())


def _tied(found: Audit, check: AuditCheck) -> Answer:
    chance = found.tied_accuracy[check.judge].chance
    better = check.low > chance
    return Answer(
        check,
        "Are single scores better than chance?",
        FINE if better else OBJECTION,
        check.says,
        f"{100 * check.value:.0f} % of pairs",
        f"in the same order, or tied by both, {word('topic')} by {word('topic')}; scores dealt out at random reach "
        f"{100 * chance:.0f} %",
        "its single scores",
        "Take its means only: single scores are no better than chance.",
        claim="Its single scores are better than chance." if better else "",
        term="acc_eq",
        bars=(chance,),
    )


def _scale(found: Audit, check: AuditCheck) -> Answer:
    scale = found.scale[check.judge]
    none = math.isnan(scale.trustworthy)
    worth = (
        "its means hardly differ beyond noise, so that it is not known what a difference is worth"
        if math.isnan(scale.slope)
        else f"a difference of {scale.step:g} under the judge is {scale.step * scale.slope:.2g} under people"
    )
    sure = (
        "none is large enough for 95 % of pairs to be in people’s order"
        if none
        else f"from {scale.trustworthy:.2g} on, 95 % of pairs are in people’s order"
    )
    return Answer(
        check,
        "Do its differences mean something?",
        OBJECTION if none else FINE,
        check.says,
        f"{number(scale.slope, 2)} times",
        f"{worth}; {sure}",
        "its differences",
        "Take no difference under it for sure, however large.",
        claim="" if none else f"Differences under it from {scale.trustworthy:.2g} on mean something.",
    )


def _people(found: Audit, check: AuditCheck) -> Answer:
    people = found.people[check.judge]
    as_good = sum(left.as_good for left in people.left_out)
    return Answer(
        check,
        "Is it as good as a person?",
        FINE if people.stands_in else OPEN,
        check.says,
        f"{as_good} of {count(len(people.left_out), 'person', 'people')}",
        f"are equalled by it in agreeing with the others: {number(people.of_judge, 2)} it, "
        f"{number(people.with_others, 2)} a person",
        "that it equals a person",
        "Let it help people, not replace one of them.",
        claim="It is as good as one person." if people.stands_in else "",
    )


def _length(found: Audit, check: AuditCheck) -> Answer:
    bent = check.p < 1 - found.level
    return Answer(
        check,
        "Is it impartial to length?",
        OBJECTION if bent else FINE,
        check.says,
        f"{check.value:+.3f} for twice the length",
        f"beyond people’s score, {'more' if bent else 'no more'} than chance ({p_text(check.p)})",
        "its liking for length",
        "Compare answers of like length only, or correct for length.",
        claim="" if bent else "No liking for length was found.",
    )


class Lifted(NamedTuple):
    """Ranks that a judge's own family rises on average, and that the others fall."""

    judge: str
    family: str
    rises: float
    falls: float


def lifted(found: Circularity, systems: int) -> tuple[Lifted, ...]:
    """For each judge with systems of its family here. Its gain in ranks is that of its family less that of the others,
    which together gain none."""
    return tuple(
        Lifted(judge, family, float(gain) * (1 - members / systems), float(gain) * members / systems)
        for judge, family, gain, members in zip(found.judges, found.families, found.ranks, found.members, strict=True)
    )


def _families(found: Audit, check: AuditCheck) -> Answer:
    families = found.families
    assert families is not None
    own = lifted(families, found.systems)
    rises, falls = (sum(values) / len(own) for values in ([one.rises for one in own], [one.falls for one in own]))
    family = readable(own[0].family, 24) if len(own) == 1 else "own families"
    ranks = (
        f"{family} {'rises' if len(own) == 1 else 'rise'} {rises:.1f} ranks on average under "
        f"{'the judge' if len(found.judges) == 1 else 'their judges'}, the others fall {falls:.1f}"
        if rises >= 0
        else f"{family} {'falls' if len(own) == 1 else 'fall'} {-rises:.1f} ranks on average, the others rise {-falls:.1f}"
    )
    who = ""
    if len(found.judges) > 1:
        who = f"; favoured by {', '.join(readable(name, 24) for name in families.partial) or 'none'}"
    sure = p_text(families.p_all)
    return Answer(
        check,
        "Is it impartial to its own family?",
        OBJECTION if families.partial else FINE,
        f"{ranks}; own scores {families.mean_scores:+.3f} beyond the others’ ({sure}){who}",
        f"{rises:+.1f} ranks",
        f"{ranks} ({sure}){who}",
        _favour(own, families.partial),
        "Let no judge decide about its own family.",
        claim="" if families.partial else "No liking for its own family was found.",
    )


def _favour(own: tuple[Lifted, ...], partial: tuple[str, ...]) -> str:
    """The liking, with the family and what it gains where one judge has it."""
    said = "its liking for its own family"
    if len(partial) != 1:
        return said
    one = next(one for one in own if one.judge == partial[0])
    return f"{said}, {readable(one.family, 24)} ({one.rises:+.1f} ranks)"


def _panel(found: Audit, check: AuditCheck) -> Answer:
    assert found.panel is not None
    value = f"{found.panel.effective:.1f} of {count(len(found.judges), 'judge')}"
    plain = (
        f"so many independent ones are they worth; their mean agrees by {number(found.panel.mean_judge, 2)}, the best "
        f"one by {number(found.panel.best, 2)}"
    )
    return Answer(check, "What are the judges worth together?", TOLD, check.says, value, plain)


_KINDS: dict[str, Callable[[Audit, AuditCheck], Answer]] = {
    "Agreement": _agreement,
    "Soft pairwise accuracy": _soft,
    "acc_eq": _tied,
    "Scale of differences": _scale,
    "Beside people": _people,
    "Length": _length,
    "Favours its own family": _families,
    "Panel": _panel,
}
