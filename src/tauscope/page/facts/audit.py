"""What speaks for and against a judge in an audit: each answer with a tone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ...coefficients.rule_of_thumb import FAIR, GOOD
from ...judges.audit import Audit
from ...judges.audit_answers import AuditCheck
from ...judges.circularity import Circularity
from ...results import number, word
from ..parts import readable, span

#: Tones: nothing against it, an objection, not shown, and a number without a threshold.
FINE, OBJECTION, OPEN, TOLD = "yes", "no", "open", "told"


class Answer(NamedTuple):
    """One check, what it asks in plain words, how it came out, and what follows from an objection."""

    check: AuditCheck
    asks: str
    tone: str
    says: str
    #: What an objection is called, or what is not shown, and what to do about it.
    against: str = ""
    todo: str = ""


def answers_of(found: Audit) -> tuple[Answer, ...]:
    """The checks in their order."""
    return tuple(_KINDS[check.check](found, check) for check in found.checks)


def _agreement(found: Audit, check: AuditCheck) -> Answer:
    one = found.agreement[check.judge]
    name, asks = one.coefficient.name, "Does it rank like people?"
    says = (
        f"{name} {number(one.corrected)} {span(*one.interval)} without the noise of {word('topics')} (disattenuated), "
        f"{number(one.observed)} observed"
    )
    if check.high < FAIR:
        todo = "Keep people; run “tauscope hybrid” for one ranking of both."
        return Answer(check, asks, OBJECTION, says, "its order", todo)
    if one.at_least() >= GOOD:
        return Answer(check, asks, FINE, says)
    settled = "" if check.high < GOOD else f"; more {word('topics')} could settle it"
    todo = f"Let people decide where the exact order matters{settled}."
    return Answer(check, asks, OPEN, says, f"that it can stand in, which takes {GOOD:g}", todo)


def _soft(found: Audit, check: AuditCheck) -> Answer:
    return Answer(check, "Is it as sure as people? (soft pairwise accuracy)", TOLD, check.says)


def _tied(found: Audit, check: AuditCheck) -> Answer:
    tone = FINE if check.low > found.tied_accuracy[check.judge].chance else OBJECTION
    todo = "Take its means only: single scores are no better than chance."
    return Answer(check, "Are single scores better than chance? (acc_eq)", tone, check.says, "its single scores", todo)


def _scale(found: Audit, check: AuditCheck) -> Answer:
    tone = OBJECTION if math.isnan(found.scale[check.judge].trustworthy) else FINE
    todo = "Take no difference under it for sure, however large."
    return Answer(check, "Do its differences mean something?", tone, check.says, "its differences", todo)


def _people(found: Audit, check: AuditCheck) -> Answer:
    tone = FINE if found.people[check.judge].stands_in else OPEN
    todo = "Let it help people, not replace one of them."
    return Answer(check, "Is it as good as a person?", tone, check.says, "that it equals a person", todo)


def _length(found: Audit, check: AuditCheck) -> Answer:
    tone = OBJECTION if check.p < 1 - found.level else FINE
    todo = "Compare answers of like length only, or correct for length."
    return Answer(check, "Is it impartial to length?", tone, check.says, "its liking for length", todo)


def _families(found: Audit, check: AuditCheck) -> Answer:
    tone = OBJECTION if found.families is not None and found.families.partial else FINE
    todo = "Let no judge decide about its own family."
    return Answer(check, "Is it impartial to its own family?", tone, check.says, _favour(found.families), todo)


def _favour(found: Circularity | None) -> str:
    """The liking, with the family and what it gains where one judge has it."""
    said = "its liking for its own family"
    if found is None or len(found.partial) != 1:
        return said
    place = found.judges.index(found.partial[0])
    return f"{said}, {readable(found.families[place], 24)} ({found.ranks[place]:+.1f} ranks)"


def _panel(found: Audit, check: AuditCheck) -> Answer:
    return Answer(check, "What are the judges worth together?", TOLD, check.says)


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
