"""How much of what the systems show was judged at all? `judged_at()`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats, tally
from ..results import Result, count, number
from .qrels import Qrels, read_qrels
from .runs import Run, read_runs

#: Below this share measures that take unjudged for not relevant are too low.
ENOUGH = 0.9


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Judged(Result):
    """The share of the first k documents that have a judgment, for each run.

    Attributes
    ----------
    k : int
        How deep it was looked.
    runs : tuple of str
        The runs.
    shares : array
        One for each run: a mean over the topics of the qrels that the run has.
    topics : int
        How many topics the qrels have.
    """

    k: int
    runs: tuple[str, ...]
    shares: Floats
    topics: int

    @property
    def mean(self) -> float:
        """The mean share over the runs."""
        return float(self.shares.mean())

    def lines(self) -> list[str]:
        least = int(np.argmin(self.shares))
        return [
            f"judged@{self.k}: {number(100 * self.mean, 1)} % on average over {count(len(self.runs), 'run')} and "
            f"{count(self.topics, 'topic')}; least {number(100 * float(self.shares[least]), 1)} % ({self.runs[least]})",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how much of what the runs show was judged.

        Returns
        -------
        str
            One sentence, with the run that was judged least.
        """
        least = int(np.argmin(self.shares))
        return (
            f"Of the first {self.k} documents of {count(len(self.runs), 'run')} over {count(self.topics, 'topic')}, "
            f"{number(100 * self.mean, 1)} % were judged on average, and at least "
            f"{number(100 * float(self.shares[least]), 1)} % ({self.runs[least]})."
        )

    def columns(self) -> dict[str, Any]:
        return {"run": list(self.runs), "judged": self.shares}

    def plot(self) -> Any:
        """The share of each run, the least judged first; below 90 % measures are too low."""
        from ..figures import BLUE, RED, dots

        order = np.argsort(self.shares, kind="stable")
        verdicts = ["below 90 %" if self.shares[i] < ENOUGH else "90 % or more" for i in order]
        return dots(
            [self.runs[i] for i in order],
            self.shares[order],
            groups=verdicts,
            group="judged",
            x=f"share of the first {self.k} that was judged",
            title=self.lines()[0],
            colours={"below 90 %": RED, "90 % or more": BLUE},
        )


def judged_at(runs: Any, qrels: Any, k: int = 10, *, ties: str = "trec_eval") -> Judged:
    """Which share of the first k documents of each run was judged?

    Mean over topics of (judged among the first k)/(retrieved among the first k); a grade below 0 is no judgment. Runs
    that found what nobody judged are scored too low by measures that take unjudged for not relevant: below 90 % be
    careful.

    Parameters
    ----------
    runs : path, paths, dict or data frame
        What `read_runs()` takes or returns.
    qrels : path, dict, data frame or Qrels
        The judgments.
    k : int, default 10
        How deep to look.
    ties : {"trec_eval", "exact", "input"}, default "trec_eval"
        The order of documents with equal scores; see `evaluate()`.

    Returns
    -------
    Judged
        One share per run.

    Examples
    --------
    >>> judged_at({"a": {"1": {"x": 2.0, "y": 1.0}}}, {"1": {"x": 1}}, k=2).shares.tolist()
    [0.5]
    """
    k = checking.whole(k, "k", least=1)
    judgments = read_qrels(qrels)
    read = runs if isinstance(runs, tuple) and all(isinstance(run, Run) for run in runs) else read_runs(runs)
    shares = np.array([_share(run, judgments, k, ties) for run in read])
    return Judged(k=k, runs=tuple(run.name for run in read), shares=shares, topics=len(judgments.topics))


def _share(run: Run, qrels: Qrels, k: int, ties: str) -> float:
    found = qrels.judged(run, run.order(ties), k)
    known = qrels.grades[found.entry] >= 0
    judged = tally(found.topic[known], len(qrels.topics))
    shown = {
        topic: min(k, int(end - begin))
        for topic, begin, end in zip(run.topics, run.offsets, run.offsets[1:], strict=False)
    }
    shares = [judged[i] / shown[topic] for i, topic in enumerate(qrels.topics) if shown.get(topic)]
    return float(np.mean(shares)) if shares else 0.0
