"""The verdict on a judge: can it replace people?

The lower confidence limit of the agreement decides: a judge can replace people from .9 on and serves some uses from .8 on
(`rule_of_thumb`), or from a margin that was stated beforehand. It cannot only if the whole interval is below what is
required. Otherwise it is not shown.

A judge that could replace people over all ranks serves some uses if the top is shown to fail: if the whole interval of the
head-weighted coefficient, or of the ten best systems, is below what is required. If only the lower limit of the
head-weighted coefficient is below it, the verdict stands and the top is open: noise must not speak against a judge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

from ..coefficients.coefficient import FAIR, GOOD
from ..coefficients.records import catalogue
from ..core.differences import near_one
from ..results import Note, Part, worded
from .agreement import Agreement

#: Number of systems at the top of the ranking that are compared on their own.
TOP = 10


class Standing(Enum):
    """The verdict: whether a judge can replace people."""

    REPLACES = "can replace"
    SOME_USES = "for some uses"
    NOT_SHOWN = "not shown"
    CANNOT = "cannot replace"
    UNDEFINED = "undefined"


class Top(Enum):
    """Whether agreement at the top of the ranking reaches what is required, may or may not, or does not."""

    HOLDS = "holds"
    OPEN = "open"
    FAILS = "fails"


@dataclass(frozen=True, kw_only=True, eq=False)
class Decision(Part):
    """A verdict with what it rests on.

    Attributes
    ----------
    whole : Agreement
        Agreement over all systems.
    margin : float or None
        What the agreement has to reach, stated beforehand; None for the rule of thumb.
    """

    whole: Agreement
    margin: float | None = None

    @property
    def sufficient(self) -> float:
        """What the lower confidence limit has to reach to replace people."""
        return GOOD if self.margin is None else self.margin

    @property
    def required(self) -> float:
        """What it has to reach for some uses; if the whole interval is below it, the judge cannot replace people."""
        return FAIR if self.margin is None else self.margin

    @cached_property
    def reason(self) -> Note | None:
        """Why the verdict is undefined, or None."""
        own, gold = self.whole.sides
        same = set(own.topics) == set(gold.topics) and np.array_equal(own.values, gold.select(topics=own.topics).values)
        return Note("same_scores") if same else self.whole.reason

    @cached_property
    def over_all(self) -> Standing:
        """The verdict over all ranks, before the top is looked at."""
        if self.reason is not None or math.isnan(self.whole.at_least()):
            return Standing.UNDEFINED
        if self.whole.exceeds(self.sufficient):
            return Standing.REPLACES
        if self.whole.exceeds(self.required):
            return Standing.SOME_USES
        return Standing.CANNOT if self.whole.falls_short(self.required) else Standing.NOT_SHOWN

    @property
    def bar(self) -> float:
        """The threshold that the whole ranking reached, or else the lower one."""
        return self.sufficient if self.over_all is Standing.REPLACES else self.required

    @cached_property
    def head(self) -> Agreement | None:
        """The same by the head-weighted coefficient that fits; None if the coefficient is head-weighted itself."""
        return self.whole.head

    @cached_property
    def ten(self) -> Agreement | None:
        """The same over the ten best systems; None if there are no others.

        They are the best by judge and truth together, in units of their spreads: systems that only one side has at the
        top are there because the two differ, and would make any judge look worse.
        """
        own, gold = self.whole.sides
        if len(gold.systems) <= TOP:
            return None
        both = np.zeros(len(gold.systems))
        for means in (near_one(own.means())[0], near_one(gold.means())[0]):
            both += (means - means.mean()) / (float(means.std()) or 1.0)
        best = [gold.systems[i] for i in np.sort(np.argsort(-both, kind="stable")[:TOP])]
        c = self.whole.coefficient
        return self.whole.again(catalogue["tau_b"] if c.head_weighted else c, best)

    @property
    def failing(self) -> tuple[Agreement, ...]:
        """Agreements at the top whose whole interval is below the threshold."""
        below = [one for one in (self.head,) if one is not None and one.interval.high < self.bar]
        if self.ten is not None:
            most = self.ten.observed if self.ten.resampled == "systems" else self.ten.interval.high
            below += [self.ten] if most < self.bar else []
        return tuple(below)

    @cached_property
    def top(self) -> Top | None:
        """What is known about the top; None if the whole ranking does not reach anything."""
        if self.over_all not in (Standing.REPLACES, Standing.SOME_USES):
            return None
        if self.failing:
            return Top.FAILS
        return Top.OPEN if self.head is not None and self.head.at_least() < self.bar else Top.HOLDS

    @cached_property
    def verdict(self) -> Standing:
        """The one place where it is decided whether a judge can replace people."""
        fails = self.over_all is Standing.REPLACES and self.top is Top.FAILS
        return Standing.SOME_USES if fails else self.over_all

    @property
    def label(self) -> str:
        """The verdict as people read it."""
        return worded("judge.label", self.verdict)

    @property
    def sentence(self) -> str:
        """The verdict and its numbers in one sentence."""
        return worded("judge.sentence", self)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict in plain values."""
        top = None if self.top is None else self.top.value
        return {"verdict": self.verdict.value, "answer": self.label, "sentence": self.sentence, "top": top}


def stands_in(one: Agreement, margin: float | None = None) -> Decision:
    """Decide on an agreement."""
    decision = Decision(whole=one, margin=margin)
    decision.verdict, decision.top  # noqa: B018  computed here, and not when it is printed
    return decision
