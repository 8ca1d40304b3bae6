"""Can a judge stand in for the truth? The answer in words, the same in the shell and on the page.

It goes by what the agreement is at least: with a margin that was stated beforehand yes above it, else yes from .9 on and
in part from .8 on (`rule_of_thumb`). No only where all of the interval is below what is asked; between, it is not shown.

A yes over all ranks is one for some uses where it is shown not to hold at the top: where all of the interval of the
head-weighted coefficient, or all of that of the ten best systems, is below what is asked, both without the noise of
topics. Where the lower limit of the head-weighted one does not reach it, the yes stands and says that the top is not
settled: noise must not speak against a judge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..coefficients.calling import call
from ..coefficients.correlation import Correlation
from ..coefficients.fitting import fitting
from ..coefficients.records import Coefficient, catalogue
from ..coefficients.rule_of_thumb import FAIR, GOOD
from ..ranking import Ranking, align
from ..results import count, number, word
from ..scores.oddities import oddities_of_pair
from .compare import NO_MORE_THAN_NOISE, compare
from .comparison import Comparison

YES, IN_PART, NOT_SHOWN, NO = "Yes", "In part", "Not shown", "No"
UNKNOWN = "It cannot be said"
#: What stands over an answer.
BADGES = {
    YES: "Stands in",
    IN_PART: "For some uses",
    NOT_SHOWN: "Not shown",
    NO: "No",
    UNKNOWN: "Cannot be said",
}
#: The head that is looked at.
TOP = 10
#: What is known of the top: it reaches what is asked, that is not settled, or it is shown not to.
HOLDS, NOT_SETTLED, FAILS = "holds", "not settled", "fails"


class Top(NamedTuple):
    """What is known of the top.

    Attributes
    ----------
    state : str
        `HOLDS`, `NOT_SETTLED` or `FAILS`.
    words : str
        The numbers behind it; empty where it holds.
    """

    state: str
    words: str = ""

    @property
    def said(self) -> str:
        """'not at the top: …' or 'the top is not settled: …'; empty where it holds."""
        lead = {FAILS: "not at the top: ", NOT_SETTLED: "the top is not settled: "}.get(self.state, "")
        return f"{lead}{self.words}"


class Standing(NamedTuple):
    """Whether a judge can stand in.

    Attributes
    ----------
    answer : str
        `YES`, `IN_PART`, `NOT_SHOWN`, `NO` or `UNKNOWN`.
    sentence : str
        The same in words, with the numbers behind it.
    top : str
        Of a yes, or one in part: whether it "holds" at the top, that is "not settled", or it "fails" there.
    """

    answer: str
    sentence: str
    top: str = ""


def asked(margin: float | None) -> float:
    """What the agreement has to reach for a yes."""
    return GOOD if margin is None else margin


def least(margin: float | None) -> float:
    """Where the whole interval is below this, the answer is no."""
    return FAIR if margin is None else margin


def answer_of(one: Comparison, margin: float | None) -> str:
    """From the least agreement that can be claimed; no only where all of the interval is below what is asked."""
    if one.undefined_because is not None or math.isnan(one.at_least()):
        return UNKNOWN
    if one.exceeds(asked(margin)):
        return YES
    if margin is None and one.exceeds(FAIR):
        return IN_PART
    return NO if one.falls_short(least(margin)) else NOT_SHOWN


def only_noise(one: Comparison) -> bool:
    """Whether estimate and truth differ by no more than noise, as the comparison notes."""
    return any(NO_MORE_THAN_NOISE in note for note in one.notes)


def agreement_at_the_top(c: Coefficient, estimate: Ranking, truth: Ranking) -> Correlation | None:
    """Over the systems in either top ten; None where there are no others."""
    if len(truth) <= TOP:
        return None
    # Whoever is outside one of the heads is tied below it, so a variant for ties it must be.
    record = c if c.takes_tolerance and not c.head_weighted else catalogue["tau_b"]
    return call(record, estimate, truth=truth, top_k=TOP)


def top_words(top: Correlation | None) -> str:
    """'observed tau_b is 0.200 over the 13 systems in either top ten'."""
    if top is None:
        return ""
    return f"observed {top.coefficient.name} is {number(top.value)} over the {count(top.n, 'system')} in either top ten"


def ten_best(one: Comparison) -> Comparison | None:
    """The comparison over the ten best systems alone; None where there are no others.

    They are the best by estimate and truth together, in units of their spreads: those that one side alone has at the top
    are there because the two differ, and would make any judge look worse.
    """
    estimate, truth = one.sides
    if len(truth.systems) <= TOP:
        return None
    both = np.zeros(len(truth.systems))
    for means in (estimate.means(), truth.means()):
        both += (means - means.mean()) / (float(means.std()) or 1.0)
    best = [truth.systems[i] for i in np.sort(np.argsort(-both, kind="stable")[:TOP])]
    record = catalogue["tau_b"] if one.coefficient.head_weighted else one.coefficient
    # These ten are no sample; topics are one, unless they were taken as they are.
    sampled = "systems" if one.resampled == "systems" else "topics"
    return compare(
        estimate.select(systems=best),
        truth=truth.select(systems=best),
        coefficient=record,
        level=one.level,
        resample=sampled,
        paired=one.paired,
        rng=one.seed,
    )


def at_the_top(weighted: Sequence[Comparison], ten: Comparison | None, bar: float) -> Top:
    """What is known of the top, from head-weighted comparisons and that of the ten best, beside what is asked."""
    below = [f"{h.coefficient.name} is at most {number(h.interval.high)}" for h in weighted if h.interval.high < bar]
    if ten is not None:
        most = ten.observed if ten.resampled == "systems" else ten.interval.high
        if most < bar:
            below.append(f"{ten.coefficient.name} is at most {number(most)} over the ten best {word('systems')}")
    if below:
        return Top(FAILS, " and ".join(below))
    unsettled = [
        f"{h.coefficient.name} lies between {number(h.interval.low)} and {number(h.interval.high)}"
        for h in weighted
        if h.at_least() < bar
    ]
    return Top(NOT_SETTLED, " and ".join(unsettled)) if unsettled else Top(HOLDS)


def stands_in(one: Comparison, margin: float | None = None, *, but: Sequence[str] = ()) -> Standing:
    """The answer of a comparison, the top looked at where it is yes over all ranks.

    Parameters
    ----------
    one : Comparison
        Of the judge with the truth.
    margin : float or None, default None
        What the agreement has to reach, stated beforehand; None for the rule of thumb.
    but : sequence of str, default ()
        What else speaks against a yes.

    Returns
    -------
    Standing
        The answer, and a sentence.
    """
    answer, same = answer_of(one, margin), _same_data(one)
    if same or answer == UNKNOWN:
        why = "both sides hold the same scores" if same else one.undefined_because or one.no_interval_because
        return Standing(UNKNOWN, f"{BADGES[UNKNOWN]}: {why}.")
    bar, low = f"{asked(margin):g}", f"{least(margin):g}"
    at_least = f"{one.coefficient.name} is at least {number(one.at_least())} ({one.level * 100:g} %)"
    if answer == NO:
        return Standing(
            NO, f"{BADGES[NO]}: {one.coefficient.name} is at most {number(one.interval.high)}, and {low} is asked."
        )
    if answer == NOT_SHOWN:
        more = {"topics": word("topics"), "systems": word("systems")}.get(
            one.resampled, f"{word('topics')} or {word('systems')}"
        )
        between = f"{one.coefficient.name} lies between {number(one.interval.low)} and {number(one.interval.high)}"
        return Standing(
            answer, f"{BADGES[answer]}: {between}, and {low} is asked; more {more} could show it{_also(but)}."
        )
    top = at_the_top(head_weighted(one), ten_best(one), least(margin) if answer == IN_PART else asked(margin))
    open_ = f"; {top.said}" if top.state == NOT_SETTLED else ""
    against = [*((top.said,) if top.state == FAILS else ()), *but]
    if answer == IN_PART:
        rough = f"enough for a rough order ({low}), not for a stand-in ({bar})"
        return Standing(answer, f"{BADGES[answer]}: {at_least}, {rough}{open_}{_also(against)}.", top.state)
    answer = IN_PART if against else YES
    return Standing(answer, f"{BADGES[answer]}: {at_least}, and {bar} is asked{open_}{_also(against)}.", top.state)


def _also(but: Sequence[str]) -> str:
    return f"; but {'; and '.join(but)}" if but else ""


def head_weighted(one: Comparison) -> tuple[Comparison, ...]:
    """The same by the coefficient that weights the head and fits these rankings."""
    if one.coefficient.head_weighted:
        return ()
    estimate, truth = one.sides
    (_, record), _ = fitting(align(estimate.ranking(), truth.ranking()), None, False, against_truth=True)
    again = compare(
        estimate,
        truth=truth,
        coefficient=record,
        level=one.level,
        resample=one.resampled,
        groups=one.left_out,
        paired=one.paired,
        rng=one.seed,
    )
    return (again,)


def _same_data(one: Comparison) -> bool:
    """Whether both sides hold the same scores, which agree with themselves entirely."""
    estimate, truth = one.sides
    return any(remark.code == "same-data" for remark in oddities_of_pair(estimate, truth, ("estimate", "truth")))
