"""An audit: what speaks against a judge before it stands in for people, and what not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...judges.audit import Audit
from ...results import count, number, word
from ..facts import Facts
from ..facts.audit import FINE, OBJECTION, OPEN, Answer, answers_of
from ..material import Material
from ..parts import Name, Sentence
from .agreement import RULE, RULE_LABEL, agreement_ruler, same_topics, surer
from .parts import Badge, Check, Checks, Ruler, RulerLine, Screen, Tile, coefficients, limits_of

#: Objections that a sentence names.
FEW = 2
#: Claims of a kind.
MOST_CLAIMS = 3
#: What stands first among the answers; the others follow in the order of the questions.
URGENT = {OBJECTION: 0, OPEN: 1}


def screen(material: Material, facts: Facts) -> Screen | None:
    """Where the page is about an audit."""
    found = material.result
    if not isinstance(found, Audit):
        return None
    answers = answers_of(found)
    objections = _of(answers, OBJECTION)
    # Of several judges the closest one is spoken of.
    judge = max(found.judges, key=lambda name: (found.agreement[name].corrected, name))
    called = "these judges as stand-ins" if len(found.judges) > 1 else "this judge as a stand-in"
    return Screen(
        kind="audit",
        question=(f"What speaks against {called} for people?",),
        badge=_badge(answers),
        sentence=_sentence(found, judge, answers),
        todo=_todo(answers),
        tiles=(_agreement(found, judge), _soft(found, judge), _third(found, judge)),
        picture=_checks(found, answers),
        may=_may(found, answers),
        may_not=_may_not(found, objections),
        data={"objections": [one.check.check for one in objections], "judge": judge},
    )


def _badge(answers: Sequence[Answer]) -> Badge:
    objections, unsettled = (_of(answers, tone) for tone in (OBJECTION, OPEN))
    if objections:
        return Badge(count(len(objections), "objection"), "no")
    return Badge("Not all shown", "open") if unsettled else Badge("No objection", "yes")


def _of(answers: Sequence[Answer], tone: str) -> list[Answer]:
    return [one for one in answers if one.tone == tone]


def _against(answers: Sequence[Answer]) -> str:
    named = list(dict.fromkeys(one.against for one in answers))
    return f"{', '.join(named[:FEW])}{f' and {len(named) - FEW:,} more' if len(named) > FEW else ''}"


def _sentence(found: Audit, judge: str, answers: Sequence[Answer]) -> Sentence:
    one = found.agreement[judge]
    several = len(found.judges) > 1
    who: Sentence = ("The closest, ", Name(judge, 30), ", agrees") if several else ("It agrees",)
    low, high, value = (number(value, 2) for value in (*one.interval, one.corrected))
    objections, unsettled = (_of(answers, tone) for tone in (OBJECTION, OPEN))
    if several:
        verdict = f"{count(len(objections), 'objection')} in all"
    elif objections:
        verdict = f"against it: {_against(objections)}"
    else:
        verdict = f"not shown: {_against(unsettled)}" if unsettled else "nothing speaks against it"
    return (*who, f" with people by {value}, between {low} and {high}; {verdict}.")


def _todo(answers: Sequence[Answer]) -> tuple[Sentence, ...]:
    told = dict.fromkeys(one.todo for tone in (OBJECTION, OPEN) for one in _of(answers, tone))
    if told:
        return tuple((text,) for text in list(told)[:FEW])
    return ((f"Use it; ask again when {word('systems')} or {word('topics')} of another kind come in.",),)


def _named(found: Audit, judge: str, text: str) -> Sentence:
    return (Name(judge, 24), f": {text}") if len(found.judges) > 1 else (text,)


def _agreement(found: Audit, judge: str) -> Tile:
    one = found.agreement[judge]
    return Tile(
        title=f"Agreement, {one.coefficient.symbol} (1 = the same order)",
        value=number(one.corrected, 2),
        beside=limits_of(one.interval, one.level),
        note=(*((Name(judge, 24), ": ") if len(found.judges) > 1 else ()), *surer(one, RULE)),
        picture=agreement_ruler(
            one.corrected, one.interval, one.observed, topics=same_topics(one), bars=RULE, bars_label=RULE_LABEL
        ),
    )


def _soft(found: Audit, judge: str) -> Tile:
    one = found.soft_accuracy[judge]
    line = RulerLine(value=one.value, interval=one.interval, strong=True)
    return Tile(
        title="As sure of each pair as people (1 = just as sure)",
        value=number(one.value, 2),
        beside=limits_of(one.interval, one.level),
        note=_named(found, judge, f"pairs in people’s order: {100 * one.accuracy:.0f} %"),
        picture=Ruler(scale=coefficients([one.value, *one.interval]), lines=(line,)),
    )


def _third(found: Audit, judge: str) -> Tile:
    """Beside people where there are several; else what its differences are worth."""
    if judge in found.people:
        people = found.people[judge]
        lines = (
            RulerLine(label="the judge", value=people.of_judge),
            RulerLine(label="a person", value=people.with_others),
        )
        as_good = sum(left.as_good for left in people.left_out)
        return Tile(
            title="As good as a person (one left out at a time)",
            value=f"{as_good} of {len(people.left_out)}",
            note=_named(found, judge, "people whom it equals in agreeing with the others"),
            picture=Ruler(scale=coefficients([line.value for line in lines]), lines=lines),
        )
    scale = found.scale[judge]
    if scale.trustworthy != scale.trustworthy:
        text = "of pairs differ by enough for 95 % of them to be in people’s order"
        return Tile(title="Differences that can be trusted", value="0 %", note=_named(found, judge, text))
    text = f"of pairs differ by at least {scale.trustworthy:.2g}; 95 % of these are in people’s order"
    return Tile(
        title="Differences that can be trusted", value=f"{100 * scale.beyond:.0f} %", note=_named(found, judge, text)
    )


def _checks(found: Audit, answers: Sequence[Answer]) -> Checks:
    rows = tuple(
        Check(
            asked=one.asks,
            term=one.term,
            judge=one.check.judge,
            tone=one.tone,
            value=one.value,
            says=one.plain,
            picture=_small(one),
        )
        for one in sorted(answers, key=lambda one: URGENT.get(one.tone, len(URGENT)))
    )
    return Checks(rows=rows, several=len(found.judges) > 1, sure=f"{found.level * 100:g} %")


def _small(one: Answer) -> Ruler | None:
    """The value with its interval, where it is on a scale that ends at 1."""
    check = one.check
    if one.bars is None or check.low != check.low:
        return None
    line = RulerLine(value=check.value, interval=(check.low, check.high), bars=one.bars, strong=True)
    scale = coefficients([check.value, check.low, *one.bars])
    # On a small ruler only its ends are named, and what is to be reached where there is room.
    room = (scale.high - scale.low) / 6
    inner = tuple(bar for bar in one.bars if scale.low + room < bar < scale.high - room / 2)
    return Ruler(scale=replace(scale, marks=(scale.low, *inner, scale.high)), lines=(line,))


def _may(found: Audit, answers: Sequence[Answer]) -> tuple[Sentence, ...]:
    fine = _of(answers, FINE)
    if len(found.judges) > 1 and fine:
        return ((f"{count(len(fine), 'answer')} of {len(answers):,} in favour of a judge: those marked ✓.",),)
    return tuple((one.claim,) for one in answers if one.claim)[:MOST_CLAIMS]


def _may_not(found: Audit, objections: Sequence[Answer]) -> tuple[Sentence, ...]:
    said: list[Sentence] = [(f"It is free of objections: there is {_against(objections)}.",)] if objections else []
    if not found.length:
        said.append(("It does not mind how long answers are: no lengths were given.",))
    if found.families is None:
        said.append(("It does not favour its own family: no families were given.",))
    if not found.people:
        said.append(("It is as good as one person: the scores of single people were not given.",))
    return tuple(said[:MOST_CLAIMS])
