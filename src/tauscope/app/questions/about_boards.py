"""Which ranks may a board print, and would the ranking of one set of scores hold?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...boards.bradley_terry import BradleyTerry, bradley_terry
from ...boards.neighbours import neighbours
from ...boards.published import PublishedScores
from ...boards.rank_board import rank_board
from ...boards.rules import board_rules
from ...expected.best_set import best_set
from ...expected.expected_correlation import expected_correlation
from ...expected.ranks import rank_intervals
from ...expected.tiers import tiers
from ...jobs.progress import Progress
from ...page.rendered import Report
from ...page.report import report
from ...ranking import Ranking
from ...results import Result, rows
from ...scores import Scores
from ...scores.battles import Battles
from .base import Question, as_data


@dataclass(frozen=True, kw_only=True)
class Board(Question):
    """Which ranks may this board print?"""

    scores: Scores
    name: str

    def points(self) -> dict[str, Any]:
        rule = board_rules[self.state.rule]
        own = rule.scores(self.scores.values)
        ranking = Ranking.from_means(own, self.scores.systems)
        tasks = np.sum(~np.isnan(self.scores.values), axis=0)
        ranks = ranking.ranks()
        return as_data(
            {
                "names": [self.name],
                "systems": len(self.scores.systems),
                "tasks": len(self.scores.topics),
                "about": rule.title,
                "rows": [
                    {
                        "system": self.scores.systems[i],
                        "group": self.groups.get(self.scores.systems[i], ""),
                        "rank": ranks[i],
                        "score": own[i],
                        "covered": int(tasks[i]),
                    }
                    for i in map(int, ranking.order())
                ],
                "notes": [f"{rule.formula}; used by {rule.used_by}"]
                + ([f"where a task is missing: {rule.missing}"] if self.scores.has_holes else []),
            }
        )

    def intervals(self, progress: Progress) -> dict[str, Any]:
        state, whole = self.state, self._whole()
        board = self.table()
        progress(1, 4)
        found: dict[str, Any] = {
            "rows": [
                {"system": row["system"], "low": row["low"], "high": row["high"]} for row in rows(board.columns())
            ],
            "level": state.level,
            "lines": board.lines(),
            "at_once": False,
        }
        if whole is None:
            progress(4, 4)
            return as_data(found)
        ranks = rank_intervals(whole, simultaneous=True, level=state.level, rng=state.seed)
        progress(2, 4)
        of_tiers = tiers(whole, level=state.level, rng=state.seed)
        best = best_set(whole, level=state.level, rng=state.seed)
        progress(3, 4)
        beside = neighbours(whole, level=state.level, rng=state.seed)
        progress(4, 4)
        return as_data(
            found
            | {
                "rows": [
                    {
                        "system": name,
                        "low": ranks[name][0],
                        "high": ranks[name][1],
                        "tier": of_tiers[name],
                        "best": name in best,
                    }
                    for name in ranks.systems
                ],
                "at_once": True,
                "best": list(best.systems),
                "tiers": len(of_tiers),
                "neighbours": {"pairs": len(beside), "apart": beside.told_apart},
                "lines": [*ranks.lines(), *beside.lines()],
            }
        )

    def _whole(self) -> Scores | None:
        """The scores whose means are the board, without holes: of those all can be said at once."""
        plain_mean = board_rules[self.state.rule] is board_rules["mean"]
        return self.scores if plain_mean and not self.scores.has_holes else None

    def page(self, progress: Progress, command: str) -> Report:
        state = self.state
        aggregate = state.rule if state.rule in ("mean", "z", "borda") else "mean"
        return report(
            self.scores,
            leaderboard=True,
            aggregate=aggregate,
            level=state.level,
            groups=self.groups or None,
            title=self.name,
            names=(self.name,),
            command=command,
            rng=state.seed,
            progress=progress,
        )

    def table(self) -> Result:
        return rank_board(self.scores, self.state.rule, level=self.state.level, rng=self.state.seed)


@dataclass(frozen=True, kw_only=True)
class OneSet(Board):
    """Would this ranking hold on new topics?"""

    def points(self) -> dict[str, Any]:
        board = super().points()
        found = expected_correlation(self.scores, "tau", interval=False, rng=self.state.seed)
        return board | as_data(
            {"notes": [], "expected": {"value": found.value, "undefined_because": found.undefined_because}}
        )

    def intervals(self, progress: Progress) -> dict[str, Any]:
        state = self.state
        found = expected_correlation(self.scores, "tau", level=state.level, rng=state.seed)
        curve = found.curve()
        told = {
            "value": found.value,
            "interval": list(found.interval),
            "undefined_because": found.undefined_because,
            "curve": {name: list(values) for name, values in curve.columns().items()},
            "lines": found.lines(),
        }
        return super().intervals(progress) | as_data({"expected": told})

    def page(self, progress: Progress, command: str) -> Report:
        state = self.state
        options: dict[str, Any] = {"level": state.level, "rng": state.seed, "command": command, "progress": progress}
        return report(self.scores, title=self.name, names=(self.name,), groups=self.groups or None, **options)

    def table(self) -> Result:
        return rank_intervals(self.scores, simultaneous=True, level=self.state.level, rng=self.state.seed)


@dataclass(frozen=True, kw_only=True)
class Measured(Question):
    """A board of battles, or of printed scores and errors: ranks come from the errors themselves."""

    LONG: ClassVar[bool] = True

    board: Battles | PublishedScores
    name: str

    def fitted(self) -> BradleyTerry | PublishedScores:
        """Strengths of battles, or the scores as they are printed."""
        if isinstance(self.board, PublishedScores):
            return self.board
        state = self.state
        return bradley_terry(self.board, ties=state.ties, prior=state.prior, incomparable=state.incomparable)

    def points(self) -> dict[str, Any]:
        fitted = self.fitted()
        ranking, table = fitted.ranking(), fitted.columns()
        scores = list(table["elo"] if "elo" in table else table["score"])
        votes = list(table.get("battles", [None] * len(scores)))
        places = {str(name): i for i, name in enumerate(table["system"])}
        ranks = dict(zip(map(str, ranking.labels), ranking.ranks(), strict=True))
        order = sorted(places, key=lambda name: ranks[name])
        return as_data(
            {
                "names": [self.name],
                "systems": len(scores),
                "about": "Elo points" if "elo" in table else "score",
                "rows": [
                    {
                        "system": name,
                        "group": self.groups.get(name, ""),
                        "rank": ranks[name],
                        "score": scores[places[name]],
                        "covered": votes[places[name]],
                    }
                    for name in order
                ],
                "notes": list(fitted.lines()[1:]),
            }
        )

    def intervals(self, progress: Progress) -> dict[str, Any]:
        found = self.table()
        columns = rows(found.columns())
        return as_data(
            {
                "rows": [
                    {
                        "system": row["system"],
                        "low": row["low"],
                        "high": row["high"],
                        "tier": row["tier"],
                        "best": row["could_be_best"],
                    }
                    for row in columns
                ],
                "level": self.state.level,
                "at_once": True,
                "best": [row["system"] for row in columns if row["could_be_best"]],
                "tiers": max(row["tier"] for row in columns),
                "neighbours": {"pairs": len(columns) - 1, "apart": getattr(found, "told_apart", 0)},
                "lines": found.lines(),
            }
        )

    def page(self, progress: Progress, command: str) -> Report:
        state = self.state
        return report(
            self.fitted().ranking(), title=self.name, names=(self.name,), level=state.level, command=command, rng=0
        )

    def table(self) -> Result:
        return self.fitted().ranks(level=self.state.level, rng=self.state.seed)
