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
from ...errors import TauscopeError
from ...evaluation.runs import read_runs
from ...expected.expected_correlation import expected_correlation
from ...jobs.progress import Progress
from ...judges.compare import compare
from ...judges.rank_judges import rank_judges
from ...page.rendered import Report
from ...page.report import report
from ...ranking import Ranking
from ...results import Result, rows
from ...scores import Scores
from ...significance.agreement import significance_agreement
from ..state import State
from .base import Question, as_data

#: Pairs that cost most, and the head that is looked at where no other is asked for.
PAIRS, TOP = 12, 10
#: Beyond this many systems differences are tested without draws, as the page does.
MOST_FOR_DRAWS = 300


@dataclass(frozen=True, kw_only=True)
class OneJudge(Question):
    """Can this judge stand in?"""

    estimate: Scores | Ranking
    truth: Scores | Ranking
    names: tuple[str, str]
    #: Runs, and the judgments of the truth and of the judge, where all of them are what the scores came from.
    judged: tuple[tuple[Path, ...], tuple[Path, Path]] | None = None

    @cached_property
    def rankings(self) -> tuple[Ranking, Ranking]:
        return _ranking(self.estimate), _ranking(self.truth)

    def correlation(self, **changes: Any) -> Correlation:
        """By the coefficient, the tolerance and the head of the state."""
        state = self.state.without(**changes)
        estimate, truth = self.rankings
        takes = catalogue[state.coefficient].takes_tolerance
        return correlate(
            estimate,
            truth=truth,
            coefficients=[state.coefficient],
            tied_within=state.tied_within if takes else None,
            one_sided=state.one_sided,
            top_k=state.top_k,
        ).results[0]

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
                    *([f"{dropped} systems that only one side has are left out."] if dropped else []),
                    *_of_all(self.state),
                ],
            }
        )

    def _top(self) -> dict[str, Any] | None:
        """The heads alone, as the page has them: by a variant for ties, since whoever is outside is tied below."""
        k = self.state.top_k or TOP
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

    def intervals(self, progress: Progress) -> dict[str, Any]:
        if not isinstance(self.estimate, Scores) or not isinstance(self.truth, Scores):
            raise TauscopeError("Intervals take scores on topics; a list of systems has none.")
        state, total = self.state, 4
        options: dict[str, Any] = {"one_sided": state.one_sided, "rng": state.seed}
        found = compare(self.estimate, truth=self.truth, coefficient=state.coefficient, level=state.level, **options)
        progress(1, total)
        ceiling = found.noise_ceiling
        progress(2, total)
        quick: dict[str, Any] = {"test": "t", "correction": "holm"} if len(self.truth.systems) > MOST_FOR_DRAWS else {}
        kept = significance_agreement(self.estimate, truth=self.truth, alpha=1 - state.level, **options, **quick)
        progress(3, total)
        topics = self._topics()
        progress(4, total)
        return as_data(
            {
                "comparison": found.to_dict(),
                "ceiling": {"value": ceiling.value, "interval": list(ceiling.interval)},
                "significant": {
                    name: getattr(kept, name) for name in ("shared", "missed", "invented", "contradicted", "neither")
                },
                "precision": kept.precision,
                "contradicted": [list(pair[1:]) for pair in kept.pairs if pair[0] == "contradicted"][:2000],
                "topics": topics,
            }
        )

    def _topics(self) -> list[dict[str, Any]]:
        """Agreement topic by topic, the lowest first; nothing where the sides have not the same topics."""
        name = self.state.coefficient
        name = name if catalogue[name].takes_tolerance else "tau_b"
        try:
            found = correlate_topics(self.estimate, truth=self.truth, coefficient=name, one_sided=self.state.one_sided)
        except TauscopeError:
            return []
        return [{"topic": one.topic, "value": one.value} for one in found.worst(len(found))]

    def page(self, progress: Progress, command: str) -> Report:
        state = self.state
        takes = catalogue[state.coefficient].takes_tolerance
        options: dict[str, Any] = {
            "coefficient": state.coefficient,
            "tied_within": state.tied_within if takes and state.tied_within else None,
            "level": state.level,
            "margin": state.margin,
            "groups": self.groups or None,
            "names": (self.names[1], self.names[0]),
            "command": command,
            "rng": state.seed,
            "progress": progress,
        }
        if self.judged is not None:
            runs, qrels = self.judged
            return report(
                read_runs(runs, names=state.names), qrels=list(qrels), measure=state.measure or None, **options
            )
        return report(self.estimate, truth=self.truth, one_sided=state.one_sided, **options)

    def table(self) -> Result:
        return self.correlation().pairs


@dataclass(frozen=True, kw_only=True)
class ManyJudges(Question):
    """Which of these judges is closest?"""

    judges: Mapping[str, Scores]
    truth: Scores
    name: str

    def points(self) -> dict[str, Any]:
        found = {name: self._against(scores) for name, scores in self.judges.items()}
        order = sorted(found, key=lambda name: -np.nan_to_num(found[name].value, nan=-2))
        return as_data(
            {
                "names": [*order, self.name],
                "systems": found[order[0]].n,
                "judges": [{"judge": name, **_told(found[name])} for name in order],
                "notes": _of_all(self.state),
            }
        )

    def _against(self, scores: Scores) -> Correlation:
        takes = catalogue[self.state.coefficient].takes_tolerance
        return correlate(
            scores.ranking(),
            truth=self.truth.ranking(),
            coefficients=[self.state.coefficient],
            tied_within=self.state.tied_within if takes else None,
            one_sided=self.state.one_sided,
            top_k=self.state.top_k,
        ).results[0]

    def intervals(self, progress: Progress) -> dict[str, Any]:
        state = self.state
        ceiling = expected_correlation(self.truth, state.coefficient, level=state.level, rng=state.seed)
        found = self._ranked(progress)
        told = {"value": ceiling.value, "interval": list(ceiling.interval)}
        return as_data({"judges": rows(found.columns()), "level": found.level, "ceiling": told, "lines": found.lines()})

    def _ranked(self, progress: Progress | None = None) -> Any:
        state = self.state
        return rank_judges(
            self.judges,
            truth=self.truth,
            coefficient=state.coefficient,
            level=state.level,
            one_sided=state.one_sided,
            rng=state.seed,
            progress=progress,
        )

    def page(self, progress: Progress, command: str) -> Report:
        best = self.points()["judges"][0]["judge"]
        state = self.state
        return report(
            self.judges[best],
            truth=self.truth,
            coefficient=state.coefficient,
            level=state.level,
            margin=state.margin,
            one_sided=state.one_sided,
            names=(self.name, best),
            command=command,
            rng=state.seed,
            progress=progress,
        )

    def table(self) -> Result:
        return self._ranked()  # type: ignore[no-any-return]


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
