"""`audit()`: everything to know about a judge before it replaces people, as a list of checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..coefficients.records import Coefficient, catalogue
from ..core import checking
from ..core.arrays import content_order
from ..core.checking import Rng, remembered
from ..data.alignment import ALL, SHARED, aligned_scores, require_truth, require_type
from ..data.labels import shown
from ..data.ranking import Ranking
from ..data.scores import ALL_NEGATED, Scores
from ..errors import CallError, Option, TauscopeError
from ..io.door import ScoresLike, takes_scores
from ..results import Note, Result, fact, per_row
from .accuracy import (
    Calibration,
    Counted,
    LengthBias,
    SoftAccuracy,
    TiedAccuracy,
    calibration,
    length_bias,
    soft_pairwise_accuracy,
    tied_accuracy,
)
from .agreement import Standing
from .compare import Comparison, Given, one_judge
from .groups import Families, groups_of, own_families
from .panels import Panel, panel

#: What a single judge is called.
ALONE = "judge"
#: Fewer people cannot be left out one at a time.
FEWEST_PEOPLE = 3


class Outcome(Enum):
    """What a check says: it speaks for the judge, for some uses of it, against it, for neither; or is a number without
    a threshold."""

    PASSES = "passes"
    PARTLY = "partly"
    FAILS = "fails"
    OPEN = "not shown"
    REPORTED = "reported"


class Found(NamedTuple):
    """What a check found: its outcome, its number with confidence limits and p-value, and the facts behind it."""

    outcome: Outcome
    value: float
    low: float
    high: float
    p: float
    facts: Any


class Row(NamedTuple):
    """One check of one judge; `judge` is empty if the check is about all judges together."""

    check: str
    judge: str
    outcome: Outcome
    value: float
    low: float
    high: float
    p: float


class Check(NamedTuple):
    """One check: its name, which is its view; the function that makes it of one judge, or of all judges together, and
    returns None if there is nothing to check; and its papers."""

    name: str
    papers: tuple[str, ...] = ()
    each: Callable[[Material, str], Found | None] | None = None
    together: Callable[[Material], Found | None] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Sides:
    """Judges, people and lengths on the topics that all have, in one order; `compared` are judges and truth for
    `compare()`, on all topics that each has, unless shared ones were asked for."""

    judges: dict[str, Scores]
    people: dict[str, Scores]
    lengths: Scores | None
    truth: Scores
    compared: dict[str, tuple[Scores, Scores]]
    notes: tuple[Note | str, ...] = ()


class Material:
    """What the checks are made of; what several of them need is computed once."""

    def __init__(self, sides: Sides, given: Given) -> None:
        self.sides, self.given = sides, given
        self._counted: dict[bytes, Counted] = {}
        self.comparisons = {
            name: one_judge("" if name == ALONE else name, *both, given, sides.notes, sides.people)
            for name, both in sides.compared.items()
        }

    @property
    def level(self) -> float:
        """Confidence of intervals and tests."""
        return self.given.level

    def values(self, name: str) -> tuple[Any, Any]:
        """Return the scores of a judge and of people on shared topics."""
        return self.sides.judges[name].values, self.sides.truth.values

    @cached_property
    def soft(self) -> dict[str, SoftAccuracy]:
        """Soft pairwise accuracy of each judge; people's flips are counted once."""
        known = self._counted
        return {
            name: soft_pairwise_accuracy(one, self.sides.truth, level=self.level, seed=self.given.seed, known=known)
            for name, one in self.sides.judges.items()
        }


def _agreement(m: Material, name: str) -> Found:
    found = m.comparisons[name]
    outcomes = {Standing.REPLACES: Outcome.PASSES, Standing.SOME_USES: Outcome.PARTLY, Standing.CANNOT: Outcome.FAILS}
    return Found(outcomes.get(found.verdict, Outcome.OPEN), found.corrected, found.low, found.high, np.nan, found)


def _soft_accuracy(m: Material, name: str) -> Found:
    found = m.soft[name]
    return Found(Outcome.REPORTED, found.value, *found.interval, np.nan, found)


def _tied_accuracy(m: Material, name: str) -> Found:
    found = tied_accuracy(*m.values(name), level=m.level, seed=m.given.seed)
    outcome = Outcome.PASSES if found.low > found.chance else Outcome.OPEN
    return Found(outcome, found.value, found.low, found.high, np.nan, found)


def _scale(m: Material, name: str) -> Found:
    found = calibration(*m.values(name), level=m.level)
    outcome = Outcome.OPEN if np.isnan(found.slope) else Outcome.REPORTED
    return Found(outcome, found.slope, found.low, found.high, np.nan, found)


def _people(m: Material, name: str) -> Found | None:
    found = m.comparisons[name].people
    if found is None:
        return None
    outcome = Outcome.PASSES if found.stands_in else Outcome.OPEN
    return Found(outcome, found.advantage, found.low, found.high, np.nan, found)


def _length(m: Material, name: str) -> Found | None:
    if m.sides.lengths is None:
        return None
    found = length_bias(*m.values(name), m.sides.lengths.values, level=m.level)
    outcome = Outcome.OPEN if found.reason else Outcome.FAILS if found.p < 1 - m.level else Outcome.PASSES
    return Found(outcome, found.doubling, found.low, found.high, found.p, found)


def _shifts(m: Material, name: str) -> Found | None:
    found = m.comparisons[name].shifts
    if not found:
        return None
    most = found[0]
    return Found(Outcome.FAILS if most.low > 0 else Outcome.REPORTED, most.ranks, most.low, most.high, np.nan, found)


def _families(m: Material) -> Found | None:
    groups = m.given.groups or {}
    if not set(groups) & set(m.sides.judges):
        return None
    found = own_families(
        m.sides.judges, m.sides.truth, groups, compared=m.sides.compared, level=m.level, seed=m.given.seed
    )
    outcome = Outcome.FAILS if found.partial else Outcome.OPEN if np.isnan(found.p_all) else Outcome.PASSES
    return Found(outcome, found.mean_scores, np.nan, np.nan, found.p_all, found)


def _panel(m: Material) -> Found | None:
    if len(m.sides.judges) == 1:
        return None
    values = [one.values for one in m.sides.judges.values()]
    found = panel(values, m.sides.truth.values, m.given.coefficient, level=m.level)
    return Found(Outcome.REPORTED, found.effective, found.low, found.high, np.nan, found)


#: Every check, in the order of the answer.
CHECKS = (
    Check("agreement", each=_agreement),
    Check("soft_accuracy", ("thompson2024",), each=_soft_accuracy),
    Check("tied_accuracy", ("deutsch2023",), each=_tied_accuracy),
    Check("scale", each=_scale),
    Check("people", ("calderon2025", "benjamini2001"), each=_people),
    Check("length", each=_length),
    Check("shifts", ("efron1979", "student1908"), each=_shifts),
    Check("families", ("holm1979",), together=_families),
    Check("panel", ("kish1965",), together=_panel),
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Audit(Result):
    """What the checks say about one judge or several. One row per check and judge; `audit["gpt"]` is the `Comparison` of
    one judge, the same as `compare()` makes.

    Parameters
    ----------
    check, judge : tuple of str
        The check of each row, and the judge it is about; "" if it is about all judges together.
    outcome : tuple of Outcome
        Whether it speaks for the judge ("passes"), for some uses of it ("partly"), against it ("fails"), shows neither ("not shown"), or is a number
        without a threshold ("reported").
    value, low, high, p : tuple of float
        The number of each check with its confidence limits, and the p-value of its test; NaN if it has none.
    judges : tuple of str
        Names of the judges.
    coefficient : str
        Name of the coefficient.
    seed : int
        Seed of everything that was drawn.
    systems, topics : int
        Number of systems, and of topics that all sides have.
    notes : tuple
        What was left out.
    """

    QUESTION: ClassVar[str] = "audit"
    VIEWS: ClassVar[tuple[str, ...]] = ("checks", "verdicts", *(check.name for check in CHECKS))
    check: tuple[str, ...] = per_row()
    judge: tuple[str, ...] = per_row()
    outcome: tuple[Outcome, ...] = per_row()
    value: tuple[float, ...] = per_row()
    low: tuple[float, ...] = per_row()
    high: tuple[float, ...] = per_row()
    p: tuple[float, ...] = per_row()
    judges: tuple[str, ...]
    coefficient: str
    seed: int
    systems: int
    topics: int
    notes: tuple[Note | str, ...] = ()
    _found: Mapping[str, Mapping[str, Any]] = field(repr=False)
    _truth: Ranking = field(repr=False)

    def __getitem__(self, judge: str) -> Comparison:
        return self._found["agreement"][judge]  # type: ignore[no-any-return]

    @property
    def checks(self) -> tuple[Row, ...]:
        """The checks, row by row."""
        columns = (self.check, self.judge, self.outcome, self.value, self.low, self.high, self.p)
        return tuple(map(Row._make, zip(*columns, strict=True)))

    @fact
    def standing(self) -> dict[str, Standing]:
        """Whether each judge can replace people: the verdict of `compare()`."""
        return {name: self[name].verdict for name in self.judges}

    @property
    def agreement(self) -> Mapping[str, Comparison]:
        """Each judge compared with people, as by `compare()`."""
        return self._found["agreement"]

    @fact
    def soft_accuracy(self) -> Mapping[str, SoftAccuracy]:
        """Soft pairwise accuracy of each judge (thompson2024)."""
        return self._found["soft_accuracy"]

    @fact
    def tied_accuracy(self) -> Mapping[str, TiedAccuracy]:
        """Pairwise accuracy with credit for ties of each judge, its ties calibrated, and its chance level (deutsch2023)."""
        return self._found["tied_accuracy"]

    @fact
    def scale(self) -> Mapping[str, Calibration]:
        """What a difference under each judge is worth under people."""
        return self._found["scale"]

    @fact
    def people(self) -> Mapping[str, Any]:
        """Each judge beside several people, one of them left out at a time (calderon2025); empty without `people`."""
        return self._found["people"]

    @fact
    def length(self) -> Mapping[str, LengthBias]:
        """What doubling the length of an answer is worth under each judge; empty without `lengths`."""
        return self._found["length"]

    @fact
    def shifts(self) -> Mapping[str, Any]:
        """Mean ranks that each group gains under each judge, as by `compare()`; empty without `groups`."""
        return self._found["shifts"]

    @fact
    def families(self) -> Families | None:
        """Whether judges prefer their own family; None if `groups` has no judge."""
        return self._found["families"].get("")

    @fact
    def panel(self) -> Panel | None:
        """How many independent judges several judges are worth; None if there is only one."""
        return self._found["panel"].get("")

    def cited(self) -> tuple[str, ...]:
        own = self[self.judges[0]].cited()
        return tuple(dict.fromkeys((*own, *(key for one in CHECKS if one.name in self.check for key in one.papers))))


@takes_scores("truth", "lengths", each=("people",), one_or_each=("judge",), in_order=("topics", "systems"))
def audit(
    judge: ScoresLike | Mapping[str, ScoresLike],
    *unnamed: Any,
    truth: ScoresLike | None = None,
    people: Mapping[str, ScoresLike] | None = None,
    groups: Mapping[str, str] | None = None,
    lengths: ScoresLike | None = None,
    coefficient: str | Coefficient = "tau_b",
    level: float = 0.95,
    topics: Literal["all", "shared"] = "all",
    unmatched: Literal["error", "drop"] = "error",
    rng: Rng = 0,
) -> Audit:
    """Check everything that should be known about a judge before it replaces people.

    Use it before you rely on a judge, or on several. Do not use it if the judge was tuned on these topics. Battles have
    `compare()`, which tests for a preference for a position.

    The verdict is that of `compare()`: agreement of the rankings, corrected for topic noise. The other checks are:
    soft pairwise accuracy (thompson2024), whether the judge is as confident of each pair as people are; acc_eq, (pairs in
    the same order + pairs tied by both)/all pairs over topics, with the judge's ties calibrated and its chance level
    (deutsch2023); and the scale, what a difference under the judge is worth under people. With several `people`: whether
    the judge is as close to the others as each of them is, one left out at a time (calderon2025, for rankings). With
    `lengths`: what doubling the length of an answer is worth under the judge beyond people's score. With `groups`: how
    many ranks each group gains, and whether judges prefer their own group. With several judges: how many independent
    judges they are worth, k/(1 + (k - 1) rho), rho the mean correlation of their errors.

    Parameters
    ----------
    judge : Scores, or what Scores.read() takes, or Mapping of str to such
        Scores by the judge, with one row per topic and one column per system; or several judges by name.
    *unnamed, truth : Scores, or what Scores.read() takes, or None, default None
        People's scores of the same systems on the same topics, given by name; None for the mean of `people`.
    people : Mapping of str to Scores or None, default None
        Scores by at least three single people. Shows whether the judge agrees with the others as well as each person.
    groups : Mapping of str to str or None, default None
        Group of each system, such as its team or family of models; and of each judge, to test whether judges prefer
        their own group. A single judge is called "judge".
    lengths : Scores, or what Scores.read() takes, or None, default None
        Length of each system's answer to each topic, above 0.
    coefficient : str or Coefficient, default "tau_b"
        Rank correlation coefficient, as listed by `tauscope.catalogue`.
    level : float, default 0.95
        Confidence level of intervals and tests.
    topics : {"all", "shared"}, default "all"
        all: agreement is over all topics of judge and truth; everything else, which goes topic by topic, is over those
        that all sides have. shared: all checks are over these.
    unmatched : {"error", "drop"}, default "error"
        What to do with systems that only one side has.
    rng : int, Generator or None, default 0
        Seed of everything drawn; None chooses one, which the result remembers. The same seed gives the same numbers.

    Returns
    -------
    Audit
        The checks, row by row, and the facts behind each as a property of its name.

    Raises
    ------
    CallError
        If neither the truth nor people are given.
    AlignmentError
        If systems or topics are on one side only.
    TauscopeError
        If there are fewer than three people, a length is not above 0, or a judge's group has fewer than three systems.

    See Also
    --------
    compare : the verdict alone, or which of several judges is closest.
    hybrid : what to do with a judge that cannot replace people.

    Examples
    --------
    >>> from tauscope import Scores, audit
    >>> rng = np.random.default_rng(1)
    >>> human = rng.normal(np.linspace(0.3, 0.7, 6), 0.1, (30, 6))
    >>> found = audit(Scores(0.5 * human + 0.2), truth=Scores(human))
    >>> found["judge"].verdict.value, round(found.scale["judge"].slope, 3)
    ('can replace', 2.0)
    >>> noisy = Scores(human + rng.normal(0, 0.5, human.shape))
    >>> several = audit({"plain": Scores(0.5 * human), "noisy": noisy}, truth=Scores(human))
    >>> several.panel.effective > 1
    True
    """
    if unnamed:
        require_truth(truth, unnamed, "audit(judge, truth=…)")
    several = {ALONE: judge} if isinstance(judge, Scores) else _by_name(judge)
    level, seed, c = checking.level(level), remembered(rng), catalogue[coefficient]
    sides = aligned_sides(several, truth, people, lengths, unmatched=unmatched, topics=topics)
    if groups is not None:
        groups_of(sides.truth.systems, groups)
    material = Material(sides, Given(c, None, groups, level, "topics", None, seed))
    rows: list[Row] = []
    facts: dict[str, dict[str, Any]] = {}
    for check in CHECKS:
        made = {name: check.each(material, name) for name in several} if check.each else {}
        made |= {"": check.together(material)} if check.together else {}
        facts[check.name] = {name: found.facts for name, found in made.items() if found is not None}
        rows += [Row(check.name, name, *found[:-1]) for name, found in made.items() if found is not None]
    columns = dict(zip(Row._fields, map(tuple, zip(*rows, strict=True)), strict=True))
    return Audit(
        **columns,
        judges=tuple(several),
        coefficient=c.name,
        level=level,
        seed=seed,
        systems=len(sides.truth.systems),
        topics=len(sides.truth.topics),
        notes=sides.notes,
        _found=facts,
        _truth=sides.truth.ranking(),
    )


def _by_name(judges: Any) -> dict[str, Scores]:
    if not isinstance(judges, Mapping):
        require_type(judges, "audit()", "judge")
    if not judges:
        raise CallError("audit() takes one judge, or several by name: audit({'gpt': …, 'crowd': …}, truth=…).")
    return {str(name): one for name, one in judges.items()}


def aligned_sides(
    judges: Mapping[str, Scores],
    truth: Scores | None,
    people: Mapping[str, Scores] | None,
    lengths: Scores | None,
    *,
    unmatched: str,
    topics: str,
) -> Sides:
    """Align everything that the checks need."""
    own = dict(people or {})
    _check(truth, own)
    named: dict[str, Any] = {f"judge {name}" if len(judges) > 1 else ALONE: one for name, one in judges.items()}
    named |= {f"person {name}": one for name, one in own.items()}
    named |= {} if lengths is None else {"lengths": lengths}
    named |= {} if truth is None else {"truth": truth}
    whole = aligned_scores(named, "audit()", unmatched, means_over=topics)
    same = aligned_scores(dict(zip(named, whole.scores, strict=True)), "audit()", unmatched, means_over=SHARED)
    # An order of their own, so that nothing drawn depends on how a file lists its topics.
    order = [same.scores[-1].topics[i] for i in content_order(*(one.values for one in same.scores))]
    shared = _sides(tuple(one.select(topics=order) for one in same.scores), judges, own, lengths, truth)
    full = _sides(whole.scores, judges, own, lengths, truth) if topics == ALL else shared
    _check_lengths(shared.lengths)
    left = [Note("but_for_agreement", note=note) for note in same.notes if note not in whole.notes]
    return replace(shared, compared=full.compared, notes=(*whole.notes, *left))


def _sides(
    scores: tuple[Scores, ...], judges: Any, people: dict[str, Scores], lengths: Scores | None, truth: Scores | None
) -> Sides:
    """The matrices in the order in which they were aligned, by what they are."""
    first, last = len(judges), len(judges) + len(people)
    found = dict(zip(judges, scores, strict=False))
    gold = scores[-1] if truth is not None else _mean(scores[first:last])
    return Sides(
        judges=found,
        people=dict(zip(people, scores[first:last], strict=True)),
        lengths=None if lengths is None else scores[last],
        truth=gold,
        compared={name: (one, gold) for name, one in found.items()},
    )


def _mean(people: tuple[Scores, ...]) -> Scores:
    """What people say on average, on the topics that all of them have."""
    topics = [topic for topic in people[0].topics if all(topic in one.topics for one in people[1:])]
    values = np.mean([one.select(topics=topics).values for one in people], axis=0)
    notes = (ALL_NEGATED,) if all(one.lower_is_better for one in people) else ()
    return Scores(values, topics=tuple(topics), systems=people[0].systems, notes=notes)


def _check(truth: Scores | None, people: Mapping[str, Scores]) -> None:
    if truth is None and not people:
        raise CallError(
            "audit() needs people's scores.",
            Option("truth", effect="with people's scores"),
            Option("people", effect="with those of several people by name"),
        )
    if people and len(people) < FEWEST_PEOPLE:
        raise TauscopeError(
            f"There are {len(people)} people; leaving one out at a time needs at least {FEWEST_PEOPLE}.",
            Option("truth", effect="with the mean of their scores"),
        )


def _check_lengths(lengths: Scores | None) -> None:
    if lengths is None or (lengths.values > 0).all():
        return
    where = np.argwhere(lengths.values <= 0)[:3]
    cells = [f"{lengths.topics[t]} {lengths.systems[s]}" for t, s in where.tolist()]
    raise TauscopeError(f"Lengths are above 0; these are not: {shown(cells)}.")
