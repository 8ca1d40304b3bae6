"""`audit()`: all there is to ask of a judge before it stands in for people, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats
from ..coefficients.coefficient import Coefficient
from ..coefficients.records import catalogue
from ..errors import CallError
from ..files.door import ScoresLike, takes_scores
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, remembered
from ..ranking import Ranking
from ..results import Result, count, number, word
from ..scores import Scores
from ..scores.alignment import require_truth, require_type
from .agreement import Agreement, agreement
from .audit_answers import AuditCheck, Judged, answers, reservations
from .audit_sides import ALONE, Sides, aligned_sides
from .circularity import Circularity, circularity
from .length_bias import LengthBias, length_bias
from .panel import Panel, panel
from .score_differences import Calibration, calibration
from .several_people import Ceiling, ceiling
from .soft_pairwise import SoftAccuracy, soft_pairwise_accuracy
from .standing import Decision, stands_in
from .tied_accuracy import TiedAccuracy, tied_accuracy


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Audit(Result):
    """What was asked of one judge or several, each with an interval or a test.

    Parameters
    ----------
    judges : tuple of str
        Their names.
    checks : tuple of AuditCheck
        What was asked, in the order of the questions.
    agreement : Mapping of str to Agreement
        As by `compare()`, of each judge.
    soft_accuracy : Mapping of str to SoftAccuracy
        Soft pairwise accuracy of each.
    tied_accuracy : Mapping
        acc_eq of each, its ties calibrated, with its chance level.
    scale : Mapping
        What differences under each judge are worth under people.
    people : Mapping
        Each judge beside several people, one of them left out at a time; empty where there are not several.
    length : Mapping
        What doubling the length is worth under each judge; empty where no lengths were given.
    families : Circularity or None
        Whether judges favour their own family, where families were given.
    panel : tuple or None
        What several judges are worth together; None where there is one.
    stands_in : Mapping of str to Decision
        Whether each can replace people, by the agreement and what speaks against it: `.verdict` and `.sentence`.
    coefficient : str
        What rankings are compared by.
    level : float
        Confidence of intervals and tests.
    seed : int
        Repeats all that was drawn.
    systems, topics : int
        How many there are.
    notes : tuple of str
        What was left out.
    """

    judges: tuple[str, ...]
    checks: tuple[AuditCheck, ...]
    agreement: Mapping[str, Agreement] = field(repr=False)
    soft_accuracy: Mapping[str, SoftAccuracy] = field(repr=False)
    tied_accuracy: Mapping[str, TiedAccuracy] = field(repr=False)
    scale: Mapping[str, Calibration] = field(repr=False)
    people: Mapping[str, Ceiling] = field(repr=False)
    length: Mapping[str, LengthBias] = field(repr=False)
    families: Circularity | None = field(repr=False)
    panel: Panel | None = field(repr=False)
    stands_in: Mapping[str, Decision]
    coefficient: str
    level: float
    seed: int
    systems: int
    topics: int
    notes: tuple[str, ...] = ()
    _means: tuple[Mapping[str, Floats], Floats, tuple[str, ...]] = field(repr=False)
    _people: Ranking = field(repr=False)

    @cached_property
    def by_check(self) -> dict[str, tuple[AuditCheck, ...]]:
        """The answers by what was asked."""
        found: dict[str, tuple[AuditCheck, ...]] = {}
        for one in self.checks:
            found[one.check] = (*found.get(one.check, ()), one)
        return found

    def lines(self) -> list[str]:
        """One line per question and judge, and how it was asked."""
        who = f"of {self.judges[0]}" if len(self.judges) == 1 else f"of {count(len(self.judges), 'judge')}"
        left = f"; {'; '.join(self.notes)}" if self.notes else ""
        several = len(self.judges) > 1
        return [
            f"Audit {who}: {count(self.systems, 'system')} x {count(self.topics, 'topic')}",
            *(f"{one.check}{f', {one.judge}' if several and one.judge else ''}: {one.says}" for one in self.checks),
            f"{self.coefficient}; {self.level * 100:g} % intervals over {word('topics')}; seed {self.seed}{left}",
            *self.answers(),
        ]

    def answers(self) -> list[str]:
        """Can each judge stand in? One sentence each.

        Returns
        -------
        list of str
            In the order of the judges.
        """
        several = len(self.judges) > 1
        return [
            f"Can {name if several else 'it'} replace people? {self.stands_in[name].sentence}" for name in self.judges
        ]

    def methods_sentence(self) -> str:
        """The sentences a paper needs, one for each question that has a result of its own.

        Returns
        -------
        str
            Sentences for the section on methods.
        """
        own = [one for judge in self.judges for one in (self.agreement[judge], self.soft_accuracy[judge])]
        more = [] if self.families is None else [self.families]
        whole = {"Agreement", "Soft pairwise accuracy", "Favours its own family"}
        short = [
            f"{one.check}{f' of {one.judge}' if one.judge else ''}: {one.says}."
            for one in self.checks
            if one.check not in whole
        ]
        return " ".join([*(one.methods_sentence() for one in (*own, *more)), *short])

    def columns(self) -> dict[str, Any]:
        """One row per question and judge."""
        return {name: [getattr(one, name) for one in self.checks] for name in AuditCheck._fields}

    def to_dict(self) -> dict[str, Any]:
        """The result as plain Python values, the parts included."""
        from ..results import plain

        parts = {
            name: plain(getattr(self, name))
            for name in (
                "agreement",
                "soft_accuracy",
                "tied_accuracy",
                "scale",
                "people",
                "length",
                "families",
                "panel",
            )
        }
        return super().to_dict() | parts | {"methods_sentence": self.methods_sentence()}

    def cited(self) -> tuple[str, ...]:
        """Whose methods these are."""
        keys = [*self.agreement[self.judges[0]].cited(), "thompson2024", "deutsch2023"]
        keys += ["calderon2025", "benjamini2001"] if self.people else []
        keys += ["holm1979"] if self.families is not None else []
        return (*keys, *(("kish1965",) if self.panel is not None else ()))

    def people_ranking(self) -> Ranking:
        """How do people rank the systems, by the means that judges were measured against?

        Returns
        -------
        Ranking
        """
        return self._people

    def plot(self) -> Any:
        """Differences of all pairs of systems under the first judge against those under people: does its scale mean
        anything?"""
        from ..figures import scatter

        judges, people, systems = self._means
        name = self.judges[0]
        first, second = np.triu_indices(len(people), 1)
        own = judges[name]
        # Every pair the way round in which the judge has the first one ahead.
        turn = np.where(own[first] >= own[second], 1.0, -1.0)
        labels = [f"{systems[i]} – {systems[j]}" for i, j in zip(first, second, strict=True)]
        x, y = turn * (own[first] - own[second]), turn * (people[first] - people[second])
        slope = self.scale[name].slope
        title = f"A difference of 1 under {name} is {number(slope)} under people"
        return scatter(
            x, y, labels, x=f"difference under {name}", y="difference under people", title=title, diagonal=True
        )


@takes_scores("truth", "lengths", each=("people",), one_or_each=("judges",), in_order=("topics", "systems"))
def audit(
    judges: ScoresLike | Mapping[str, ScoresLike],
    *unnamed: Any,
    truth: ScoresLike | None = None,
    people: Mapping[str, ScoresLike] | None = None,
    judge_families: Mapping[str, str] | None = None,
    system_families: Mapping[str, str] | None = None,
    lengths: ScoresLike | None = None,
    coefficient: str | Coefficient = "tau_b",
    margin: float = 0.1,
    level: float = 0.95,
    one_sided: str = "error",
    topics: str = "all",
    rng: Rng = 0,
    progress: Progress | None = None,
) -> Audit:
    """What must be known of a judge before it stands in for people? All of it, in one call.

    Asked are: agreement of the rankings without the noise of the topics (`compare()`); soft pairwise accuracy
    (thompson2024), whether the judge is as sure of each pair as people are; acc_eq, (pairs in the same order + pairs
    tied by both)/all pairs over topics, with the judge's ties calibrated and its chance level (deutsch2023); the scale,
    what a difference under the judge is worth under people, and from which on it means anything. With several `people`,
    how far they agree, and whether the judge is as close to the others as each of them is, one left out at a time
    (calderon2025, for rankings). With families, whether judges favour their own (`circularity()`). With lengths, what
    doubling the length of an answer is worth under the judge beyond people's score. With several judges, how many
    independent ones they are worth, k/(1 + (k - 1) rho), rho the mean correlation of their errors, and what each adds.

    Ties are as the coefficient has them; those of single scores count in acc_eq. Battles have `compare()`,
    which has the bias for a position. Do not use it where the judge was tuned on these topics.

    Parameters
    ----------
    judges : Scores, or what read_scores() takes, or Mapping of str to such
        One judge, or several by name: one row per topic, one column per system.
    *unnamed, truth : Scores, or what read_scores() takes, or None, default None
        People's scores of the same systems on the same topics, given by name; None for the mean of `people`.
    people : Mapping of str to Scores or None, default None
        Scores by single people, at least three of them.
    judge_families, system_families : Mapping of str to str or None, default None
        The family of every judge and of every system; a single judge is called "judge".
    lengths : Scores, or what read_scores() takes, or None, default None
        The length of every system's answer to every topic, above 0.
    coefficient : str or Coefficient, default "tau_b"
        Any of the catalogue.
    margin : float, default 0.1
        By how much less than a person the judge may agree with the others and still be taken for as good, in units of
        the coefficient. The epsilon of calderon2025 plays this part for single labels, as a difference of probabilities
        (.1 for a crowd, .15 for skilled people, .2 for experts); their values do not carry over to rankings.
    level : float, default 0.95
        Confidence of intervals and tests.
    one_sided : {"error", "drop"}, default "error"
        What to do with systems that not all have.
    topics : {"all", "shared"}, default "all"
        As for `compare()`: "all" has the agreement over all topics that judge and truth have each, and everything else,
        which goes topic by topic, over those that all have; "shared" has all of it over these. The notes say which.
    rng : int, Generator or None, default 0
        Seed of everything drawn; None takes a fresh one, which the result remembers.
    progress : callable or None, default None
        Called with the number of judges done and of those there are.

    Returns
    -------
    Audit
        The answers, `.checks`, and the results behind them.

    Raises
    ------
    CallError
        Where neither the truth nor people are given, or families of one side only.
    AlignmentError
        Where systems or topics are on one side only.
    TauscopeError
        Where people are fewer than three, or a length is not above 0.

    See Also
    --------
    compare, circularity : the questions one by one.
    hybrid : what to do with a judge that cannot stand in.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> human = rng.normal(np.linspace(0.3, 0.7, 6), 0.1, (30, 6))
    >>> found = audit(Scores(0.5 * human + 0.2), truth=Scores(human))
    >>> round(found.scale["judge"].slope, 3), round(found.soft_accuracy["judge"].value, 3)
    (2.0, 1.0)
    """
    if unnamed:
        require_truth(truth, unnamed, "audit(judges, truth=…)")
    several = {ALONE: judges} if isinstance(judges, Scores) else _by_name(judges)
    if (judge_families is None) != (system_families is None):
        raise CallError("audit() wants families of judges and of systems, or neither.")
    level, seed, c = checking.level(level), remembered(rng), catalogue[coefficient]
    margin = checking.number(margin, "margin", above=-1e-300)
    sides = aligned_sides(several, truth, people, lengths, one_sided=one_sided, topics=topics)
    found = {}
    for done, name in enumerate(several):
        found[name] = _one(sides, name, c, margin, level, seed)
        if progress is not None:
            progress(done + 1, len(several))
    families = None
    if judge_families is not None and system_families is not None:
        families = circularity(
            sides.judges,
            truth=sides.truth,
            judge_families=judge_families,
            system_families=system_families,
            level=level,
            rng=seed,
        )
    together = [one.values for one in sides.judges.values()]
    partial = () if families is None else families.partial
    standing = {
        name: stands_in(one.agreement, but=reservations(one, name in partial, level)) for name, one in found.items()
    }
    group = panel(together, sides.truth.values, c, level=level) if len(several) > 1 else None
    return Audit(
        judges=tuple(several),
        checks=tuple(answers(found, families, group, c, level)),
        agreement={name: one.agreement for name, one in found.items()},
        soft_accuracy={name: one.soft for name, one in found.items()},
        tied_accuracy={name: one.tied for name, one in found.items()},
        scale={name: one.scale for name, one in found.items()},
        people={name: one.people for name, one in found.items() if one.people is not None},
        length={name: one.length for name, one in found.items() if one.length is not None},
        families=families,
        panel=group,
        stands_in=standing,
        coefficient=c.name,
        level=level,
        seed=seed,
        systems=len(sides.truth.systems),
        topics=len(sides.truth.topics),
        notes=sides.notes,
        _means=({name: one.means() for name, one in sides.judges.items()}, sides.truth.means(), sides.truth.systems),
        _people=sides.truth.ranking(),
    )


def _by_name(judges: Any) -> dict[str, Scores]:
    if not isinstance(judges, Mapping):
        require_type(judges, "audit()", "judges")
    return {str(name): one for name, one in judges.items()}


def _one(sides: Sides, name: str, c: Coefficient, margin: float, level: float, seed: int) -> Judged:
    judge, truth = sides.judges[name], sides.truth
    whole, gold = sides.compared[name]
    people = None
    if sides.people:
        values = [one.values for one in sides.people.values()]
        people = ceiling(judge.values, values, list(sides.people), c, margin=margin, level=level, seed=seed)
    length = None
    if sides.lengths is not None:
        length = length_bias(judge.values, truth.values, sides.lengths.values, level=level)
    return Judged(
        agreement=agreement(whole, gold, c, level=level, seed=seed),
        soft=soft_pairwise_accuracy(judge, truth, level=level, seed=seed),
        tied=tied_accuracy(judge.values, truth.values, level=level, seed=seed),
        scale=calibration(judge.values, truth.values, level=level),
        people=people,
        length=length,
    )
