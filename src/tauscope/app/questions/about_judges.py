"""Can this judge stand in, and which of several is closest?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...coefficients.correlate import correlate
from ...coefficients.correlation import Correlation
from ...coefficients.records import catalogue
from ...coefficients.threshold_curve import threshold_curve
from ...coefficients.topics import correlate_topics
from ...errors import Advice, TauscopeError
from ...evaluation.runs import read_runs
from ...jobs.progress import Progress
from ...judges.compare import compare
from ...page.facts import Facts
from ...page.material import Material
from ...page.rendered import Report
from ...page.report import report
from ...page.screens.parts import Screen
from ...ranking import Ranking
from ...results import Result, rows
from ...scores import Scores
from ..screens import waiting_judge, waiting_judges
from ..state import State
from .base import Question, Sure, as_data, on_scale

#: Pairs that cost most, and the head that is looked at where no other is asked for: of few systems it is smaller.
PAIRS, TOP, FEW = 12, 10, 3


@dataclass(frozen=True, kw_only=True)
class OneJudge(Question):
    """Can this judge stand in?"""

    estimate: Scores | Ranking
    truth: Scores | Ranking
    names: tuple[str, str]
    #: Runs, and the judgments of the truth and of the judge, where all of them are what the scores came from.
    judged: tuple[tuple[Path, ...], tuple[Path, Path]] | None = None

    def scored(self) -> tuple[Any, ...]:
        return self.estimate, self.truth

    @cached_property
    def sides(self) -> tuple[Scores | Ranking, Scores | Ranking]:
        """The estimate and the truth on the scale of the state."""
        return on_scale(self.estimate, self.state), on_scale(self.truth, self.state)

    @cached_property
    def rankings(self) -> tuple[Ranking, Ranking]:
        return _ranking(self.sides[0]), _ranking(self.sides[1])

    def correlation(self, **changes: Any) -> Correlation:
        """By the coefficient, the tolerance and the head of the state."""
        return _correlation(*self.rankings, self.state.without(**changes))

    def points(self) -> dict[str, Any]:
        one = self.correlation()
        estimate, truth = self.rankings
        places = [dict(zip(map(str, ranking.labels), ranking.ranks(), strict=True)) for ranking in (estimate, truth)]
        shown = [name for name in map(str, truth.labels) if name in places[0]]
        dropped = sum(map(len, one.dropped))
        return as_data(
            {
                "names": self.names,
                "margin": self.state.margin,
                "systems": len(shown),
                "agreement": _told(one),
                "observed": _told(self.correlation(tied_within=0.0, top_k=None)),
                "top": self._top(),
                "curve": self._curve(),
                "ranks": [
                    {
                        "system": name,
                        "group": self.groups.get(name, ""),
                        "estimate": places[0][name],
                        "truth": places[1][name],
                        "estimate_score": estimate[name],
                        "truth_score": truth[name],
                    }
                    for name in shown
                ],
                "pairs": [pair._asdict() for pair in one.heaviest(PAIRS)] if one.undefined_because is None else [],
                "notes": [
                    *self.notes,
                    *([f"{dropped} systems that only one side has are left out."] if dropped else []),
                    *_of_all(self.state),
                ],
            }
        )

    def _top(self) -> dict[str, Any] | None:
        """The heads alone, as the page has them: by a variant for ties, since whoever is outside is tied below."""
        k = self.state.top_k or (TOP if min(map(len, self.rankings)) > TOP else FEW)
        if min(map(len, self.rankings)) <= k:
            return None
        own = catalogue[self.state.coefficient]
        name = own.name if own.takes_tolerance and not own.head_weighted else "tau_b"
        one = self.correlation(coefficient=name, top_k=k)
        heads = [{ranking.labels[int(i)] for i in ranking.order()[:k]} for ranking in self.rankings]
        return {"k": k, "shared": len(heads[0] & heads[1]), **_told(one)}

    def _curve(self) -> dict[str, Any] | None:
        if not catalogue[self.state.coefficient].takes_tolerance or self.state.top_k is not None:
            return None
        estimate, truth = self.rankings
        found = threshold_curve(
            estimate, truth=truth, coefficient=self.state.coefficient, one_sided=self.state.one_sided
        )
        return {name: found.columns()[name] for name in ("tied_within", "value")} | {"turns_at": found.turning_point}

    def waiting(self, points: dict[str, Any]) -> Screen:
        return waiting_judge(points, *self.rankings, self.groups, self.state)

    def sure(self, progress: Progress) -> Sure:
        if not isinstance(self.estimate, Scores) or not isinstance(self.truth, Scores):
            raise TauscopeError(
                "Intervals take scores on topics; a list of systems has none.",
                Advice("Drop the scores on topics that the list was made of."),
            )
        return super().sure(progress)

    def numbers(self, material: Material, facts: Facts) -> dict[str, Any]:
        known = facts.judge
        assert known is not None
        ceiling, kept = known.ceilings[0], known.significant
        return {
            "comparison": known.results[0].to_dict(),
            "ceiling": {"value": ceiling.value, "interval": list(ceiling.interval)},
            "significant": {
                name: getattr(kept, name) for name in ("kept", "missed", "spurious", "reversed", "neither")
            },
            "precision": kept.precision,
            "topics": self._topics(),
        }

    def _topics(self) -> list[dict[str, Any]]:
        """Agreement topic by topic, the lowest first; nothing where the sides have not the same topics."""
        name = self.state.coefficient
        name = name if catalogue[name].takes_tolerance else "tau_b"
        try:
            estimate, truth = self.sides
            found = correlate_topics(estimate, truth=truth, coefficient=name, one_sided=self.state.one_sided)
        except TauscopeError:
            return []
        return [{"topic": one.topic, "value": one.value} for one in found.worst(len(found))]

    def asked(self) -> dict[str, Any]:
        state = self.state
        takes = catalogue[state.coefficient].takes_tolerance
        return {
            "source": self.estimate,
            "truth": self.truth,
            "one_sided": state.one_sided,
            "aggregate": state.aggregate or None,
            "coefficient": state.coefficient,
            "tied_within": state.tied_within if takes and state.tied_within else None,
            "margin": state.margin,
            "names": (self.names[1], self.names[0]),
        }

    def page(self, progress: Progress, command: str) -> Report:
        if self.judged is None:
            return super().page(progress, command)
        runs, qrels = self.judged
        asked = {name: value for name, value in self._asked().items() if name not in ("source", "truth", "one_sided")}
        source = read_runs(runs, names=self.state.names)
        measure = self.state.measure or None
        return report(source, qrels=list(qrels), measure=measure, **asked, command=command, progress=progress)

    def table(self) -> Result:
        return self.correlation().pairs


@dataclass(frozen=True, kw_only=True)
class ManyJudges(Question):
    """Which of these judges is closest?"""

    judges: Mapping[str, Scores]
    truth: Scores
    name: str

    def scored(self) -> tuple[Any, ...]:
        return *self.judges.values(), self.truth

    def points(self) -> dict[str, Any]:
        found = {name: self._against(scores) for name, scores in self.judges.items()}
        order = sorted(found, key=lambda name: -np.nan_to_num(found[name].value, nan=-2))
        return as_data(
            {
                "names": [*order, self.name],
                "systems": found[order[0]].n,
                "judges": [{"judge": name, **_told(found[name])} for name in order],
                "all_observed": self._all_observed(),
                "notes": [*self.notes, *_of_all(self.state)],
            }
        )

    def _all_observed(self) -> list[dict[str, Any]]:
        """Without the tolerance, and over all systems."""
        told = [
            {"judge": name, **_told(self._against(one, tied_within=0.0, top_k=None))}
            for name, one in self.judges.items()
        ]
        return sorted(told, key=lambda row: -np.nan_to_num(row["value"], nan=-2))

    def _against(self, scores: Scores, **changes: Any) -> Correlation:
        sides = (on_scale(scores, self.state), on_scale(self.truth, self.state))
        return _correlation(sides[0].ranking(), sides[1].ranking(), self.state.without(**changes))

    def waiting(self, points: dict[str, Any]) -> Screen:
        return waiting_judges(points, self.state)

    def numbers(self, material: Material, facts: Facts) -> dict[str, Any]:
        known = facts.judges
        assert known is not None
        return {
            "judges": rows(known.ranking.columns()),
            "ceiling": {"value": known.ceiling.value, "interval": list(known.ceiling.interval)},
            "lines": known.ranking.lines(),
        }

    def asked(self) -> dict[str, Any]:
        state = self.state
        return {
            "source": dict(self.judges),
            "truth": self.truth,
            "coefficient": state.coefficient,
            "margin": state.margin,
            "one_sided": state.one_sided,
            "aggregate": state.aggregate or None,
            "names": (self.name, *self.judges),
        }

    def table(self) -> Result:
        state = self.state
        found: Result = compare(
            {name: on_scale(scores, state) for name, scores in self.judges.items()},
            truth=on_scale(self.truth, state),
            coefficient=state.coefficient,
            level=state.level,
            one_sided=state.one_sided,  # type: ignore[arg-type]
            rng=state.seed,
        )
        return found


def _correlation(estimate: Ranking, truth: Ranking, state: State) -> Correlation:
    takes = catalogue[state.coefficient].takes_tolerance
    return correlate(
        estimate,
        truth=truth,
        coefficients=[state.coefficient],
        tied_within=state.tied_within if takes else None,
        one_sided=state.one_sided,
        top_k=state.top_k,
    ).results[0]


def _of_all(state: State) -> list[str]:
    """What intervals do not know of."""
    narrowed = state.tied_within > 0 or state.top_k is not None
    return ["Intervals are over all systems and without the tolerance."] if narrowed else []


def _ranking(side: Scores | Ranking) -> Ranking:
    return side if isinstance(side, Ranking) else side.ranking()


def _told(one: Correlation) -> dict[str, Any]:
    """A correlation for the page."""
    return {
        "coefficient": one.coefficient.name,
        "symbol": one.coefficient.symbol,
        "value": one.value,
        "undefined_because": one.undefined_because,
        "n": one.n,
        "discordant": one.discordant,
        "tied": list(one.ties),
    }
