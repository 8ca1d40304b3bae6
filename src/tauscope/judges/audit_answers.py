"""What the numbers of an audit say, in words: one function per question."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..coefficients.coefficient import Coefficient
from ..results import number, word
from .agreement import Agreement
from .circularity import Circularity, p_text
from .length_bias import LengthBias
from .panel import Panel
from .score_differences import Calibration
from .several_people import Ceiling
from .soft_pairwise import SoftAccuracy
from .tied_accuracy import TiedAccuracy


class AuditCheck(NamedTuple):
    """One thing that was asked of a judge.

    Attributes
    ----------
    check : str
        What was asked.
    judge : str
        Of whom; empty where it is of all judges.
    value, low, high : float
        The answer, with limits where it has any.
    p : float
        Of its test, where there is one.
    says : str
        What that means.
    """

    check: str
    judge: str
    value: float
    low: float
    high: float
    p: float
    says: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """One judge: what came out of it alone."""

    agreement: Agreement
    soft: SoftAccuracy
    tied: TiedAccuracy
    scale: Calibration
    people: Ceiling | None = None
    length: LengthBias | None = None


def answers(
    found: Mapping[str, Judged], families: Circularity | None, group: Panel | None, c: Coefficient, level: float
) -> list[AuditCheck]:
    """The answers, question by question."""
    rows: list[AuditCheck] = []
    for ask in (_agreement, _soft, _tied, _scale, _people, _length):
        rows += [row for name, one in found.items() if (row := ask(name, one, c, level)) is not None]
    if families is not None:
        said = ", ".join(families.partial) or "none"
        says = (
            f"own families gain {families.mean_scores:+.3f} and {families.mean_ranks:+.1f} ranks ("
            f"{p_text(families.p_all)}); judges that favour their own: {said}"
        )
        rows.append(
            AuditCheck("Favours its own family", "", families.mean_scores, math.nan, math.nan, families.p_all, says)
        )
    if group is not None:
        k = len(found)
        says = (
            f"{k} judges are worth {group.effective:.1f} independent ones {_span(group.low, group.high, 1)} (errors correlate "
            f"{number(group.correlation)}); {c.name} of the mean judge {number(group.mean_judge)}, of the best one "
            f"{number(group.best)}; without "
            + ", ".join(f"{name} {number(value)}" for name, value in zip(found, group.without, strict=True))
        )
        rows.append(AuditCheck("Panel", "", group.effective, group.low, group.high, math.nan, says))
    return rows


def reservations(one: Judged, partial: bool, level: float) -> list[str]:
    """What speaks against a judge that ranks as people do."""
    found = []
    if one.people is not None and not one.people.stands_in:
        found.append("it is not shown to be as close to the other people as a person is")
    if partial:
        found.append("it favours its own family")
    if one.length is not None and one.length.p < 1 - level:
        beyond = "people's scores show" if _may_be_peoples(one.length, level) else "people do"
        found.append(f"it likes {'long' if one.length.doubling > 0 else 'short'} answers beyond what {beyond}")
    return found


def _may_be_peoples(found: LengthBias, level: float) -> bool:
    """Whether people's own scores depend on length the same way: noise in them then passes for a bias of the judge."""
    return found.p_of_people < 1 - level and found.of_people * found.doubling > 0


def _span(low: float, high: float, digits: int = 3) -> str:
    return f"[{number(low, digits)}, {number(high, digits)}]"


def _agreement(name: str, one: Judged, c: Coefficient, level: float) -> AuditCheck:
    found = one.agreement
    low, high = found.interval
    says = (
        f"{c.name} {number(found.observed)} observed, {number(found.corrected)} {_span(low, high)} without the noise of "
        f"{word('topics')}, at least {number(found.at_least())}"
    )
    return AuditCheck("Agreement", name, found.corrected, low, high, math.nan, says)


def _soft(name: str, one: Judged, c: Coefficient, level: float) -> AuditCheck:
    low, high = one.soft.interval
    says = f"{number(one.soft.value)} {_span(low, high)}; pairs in the same order {number(one.soft.accuracy)}"
    return AuditCheck("Soft pairwise accuracy", name, one.soft.value, low, high, math.nan, says)


def _tied(name: str, one: Judged, c: Coefficient, level: float) -> AuditCheck:
    found = one.tied
    says = (
        f"{number(found.value)} {_span(found.low, found.high)} {word('topic')} by {word('topic')}, ties within "
        f"{found.threshold:.3g} under the judge; scores dealt out at random reach {number(found.chance)}"
    )
    return AuditCheck("acc_eq", name, found.value, found.low, found.high, math.nan, says)


def _scale(name: str, one: Judged, c: Coefficient, level: float) -> AuditCheck:
    found = one.scale
    means = (
        "no difference is large enough for 95 % of pairs to be in people's order"
        if math.isnan(found.trustworthy)
        else f"from {found.trustworthy:.3g} on ({100 * found.beyond:.0f} % of pairs), 95 % of pairs are in people's order"
    )
    step = found.step
    worth = (
        "what a difference is worth under people is not known, since the judge's means hardly differ beyond noise"
        if math.isnan(found.slope)
        else f"a difference of {step:g} is {step * found.slope:.3g} [{step * found.low:.3g}, {step * found.high:.3g}] under people"
    )
    says = f"{worth}; {means}"
    return AuditCheck("Scale of differences", name, found.slope, found.low, found.high, math.nan, says)


def _people(name: str, one: Judged, c: Coefficient, level: float) -> AuditCheck | None:
    found = one.people
    if found is None:
        return None
    as_good = sum(left.as_good for left in found.left_out)
    answer = "it may stand in for one of them" if found.stands_in else "it is not shown to be as good as one of them"
    says = (
        f"two people agree {number(found.between)}; a person with the others {number(found.with_others)}, the judge "
        f"{number(found.of_judge)}; as good as {as_good} of {len(found.left_out)} people: {answer}"
    )
    return AuditCheck("Beside people", name, found.advantage, found.low, found.high, math.nan, says)


def _length(name: str, one: Judged, c: Coefficient, level: float) -> AuditCheck | None:
    found = one.length
    if found is None:
        return None
    if found.undefined_because is not None:
        return AuditCheck("Length", name, math.nan, math.nan, math.nan, math.nan, found.undefined_because)
    verdict = "more than chance" if found.p < 1 - level else "no more than chance"
    says = (
        f"twice the length is worth {found.doubling:+.3f} {_span(found.low, found.high)} beyond people's score and the "
        f"{word('system')} itself ({found.in_spreads:+.2f} standard deviations), {verdict} ({p_text(found.p)}); "
        f"{100 * (1 - found.within):.0f} % of the variance of lengths is constant within {word('systems')} and cannot be "
        "separated from their quality"
    )
    if _may_be_peoples(found, level):
        says += (
            f"; people's scores {'rise' if found.of_people > 0 else 'fall'} with length too ({found.of_people:+.3f} for twice "
            "the length), and where they are noisy, part of that counts as the judge's"
        )
    return AuditCheck("Length", name, found.doubling, found.low, found.high, found.p, says)
