"""Which ranks may a board print, and would the ranking of one set of scores hold?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats
from ...boards.bradley_terry import BradleyTerry, bradley_terry
from ...boards.published import PublishedScores
from ...boards.ranks import Ranks, rank
from ...boards.rules import board_rules
from ...errors import CallError, Option, TauscopeError
from ...expected.expected_correlation import expected_correlation
from ...jobs.progress import Progress
from ...page import board as printed
from ...page.facts import Facts
from ...page.facts.holds import Held
from ...page.material import Material
from ...page.screens.parts import Screen
from ...ranking import Ranking
from ...results import Result, rows, word
from ...scores import Scores
from ...scores.battles import Battles
from ..screens import by_rule, waiting_board
from .base import Question, Sure, as_data, on_scale

#: Rules whose board is a mean of something, and what the page calls that.
AGGREGATES = {"mean": "mean", "z": "z", "min-max": "minmax", "mean-rank": "rank", "borda": "borda"}


@dataclass(frozen=True, kw_only=True)
class Board(Question):
    """Which ranks may this board print?"""

    scores: Scores
    name: str

    def check(self) -> None:
        found = self.scores.scales() if self.state.rule == "mean" and self.state.aggregate != "mean" else None
        if found is not None and found.sure:
            raise TauscopeError(
                f"A board by the mean takes scores on one scale, and {found.text()}: the widest scale would decide.",
                Option("rule", "z", "mean-rank", "min-max", effect="to bring them to one scale"),
                Option("aggregate", "mean", effect="to average them as they are"),
            )

    def scored(self) -> tuple[Any, ...]:
        return (self.scores,)

    def points(self) -> dict[str, Any]:
        rule = board_rules[self.state.rule]
        how = self._how
        # What the page ranks by is the mean of what the rule makes of the scores.
        own = rule.scores(self.scores.values) if how is None else _means(self.scores.aggregated(how).values)
        expected = None if how is None else self._expected(self.scores.aggregated(how))
        ranking = Ranking.from_means(own, self.scores.systems)
        tasks = np.sum(~np.isnan(self.scores.values), axis=0)
        ranks = ranking.ranks()
        return as_data(
            {
                "names": [self.name],
                "systems": len(self.scores.systems),
                "tasks": len(self.scores.topics),
                "about": rule.title,
                "expected": expected,
                "score": "mean" if how is not None else rule.name,
                "counts": word("topics"),
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

    def waiting(self, points: dict[str, Any]) -> Screen:
        return waiting_board(points, self.groups, self.state)

    def sure(self, progress: Progress) -> Sure:
        if self._how is not None:
            return super().sure(progress)
        ranked = self._ranked()
        progress(1, 1)
        numbers = {
            "notes": [],
            "level": self.state.level,
            "rows": [{name: row[name] for name in ("system", "low", "high")} for row in rows(ranked.columns())],
            "lines": ranked.lines(),
            "at_once": True,
        }
        screen = by_rule(ranked, self.waiting(self.points()))
        return Sure(numbers=as_data(numbers), screen=screen)

    def numbers(self, material: Material, facts: Facts) -> dict[str, Any]:
        held = facts.held
        found: Any = held.ranks if isinstance(held, Held) else held
        return _of_board(facts.board, found.lines())

    @property
    def _how(self) -> str | None:
        """What the page makes of the scores for this rule; None where it knows nothing of it."""
        return AGGREGATES.get(self.state.rule)

    def title(self) -> str:
        return self.name

    def asked(self) -> dict[str, Any]:
        if self._how is None:
            raise CallError(
                f"The report page ranks by means, and has nothing for the {board_rules[self.state.rule].title}.",
                Option("rule", "mean", effect="to have the page of the mean"),
            )
        return {"source": self.scores, "leaderboard": True, "aggregate": self._how, "names": (self.name,)}

    def table(self) -> Result:
        return self._ranked()

    def _ranked(self) -> Ranks:
        return rank(self.scores, self.state.rule, level=self.state.level, rng=self.state.seed)

    def _expected(self, scores: Scores) -> dict[str, Any]:
        if scores.has_holes:
            return {"value": None, "undefined_because": "cells are missing"}
        found = expected_correlation(scores, "tau", interval=False, rng=self.state.seed)
        return {"value": found.value, "undefined_because": found.undefined_because}


@dataclass(frozen=True, kw_only=True)
class OneSet(Board):
    """Would this ranking hold on new topics?"""

    def check(self) -> None:
        Question.check(self)

    @property
    def _how(self) -> str | None:
        return self.state.aggregate or "mean"

    def points(self) -> dict[str, Any]:
        return super().points() | {"notes": []}

    def numbers(self, material: Material, facts: Facts) -> dict[str, Any]:
        found = super().numbers(material, facts)
        held = facts.held
        if not isinstance(held, Held):
            return found
        curve = None if held.curve is None else {name: list(own) for name, own in held.curve.columns().items()}
        told = {
            "value": held.tau.value,
            "interval": list(held.tau.interval),
            "undefined_because": held.tau.undefined_because,
            "curve": curve,
            "lines": held.tau.lines(),
        }
        return found | {"expected": told}

    def asked(self) -> dict[str, Any]:
        return {"source": self.scores, "aggregate": self.state.aggregate or None, "names": (self.name,)}

    def table(self) -> Result:
        scores = on_scale(self.scores, self.state)
        return rank(scores, level=self.state.level, rng=self.state.seed)


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
                "expected": None,
                "score": "Elo" if "elo" in table else "score",
                "counts": "battles",
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

    def waiting(self, points: dict[str, Any]) -> Screen:
        return waiting_board(points, self.groups, self.state)

    def numbers(self, material: Material, facts: Facts) -> dict[str, Any]:
        return _of_board(facts.board, material.result.lines())

    def title(self) -> str:
        return self.name

    def asked(self) -> dict[str, Any]:
        return {"source": self.fitted()}

    def table(self) -> Result:
        return rank(self.fitted(), level=self.state.level, rng=self.state.seed)


def _means(values: Floats) -> Floats:
    """Over the tasks that each system has."""
    return board_rules["mean"].scores(values)


def _of_board(board: printed.Board | None, lines: list[str]) -> dict[str, Any]:
    assert board is not None
    tier, best = board.tier, board.best or ()
    return {
        "rows": [
            {"system": name, "low": board.low[i], "high": board.high[i], "tier": tier[name], "best": name in best}
            for i, name in enumerate(board.systems)
        ],
        "at_once": True,
        "best": list(best),
        "tiers": len(board.tiers),
        "neighbours": {"pairs": board.pairs, "apart": board.apart},
        "lines": lines,
    }
