"""How much of what the runs retrieved was judged? The result of `Runs.judged_at()`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .. import checking
from ..arrays import Floats, tally
from ..results import Plain, fact
from .qrels import Qrels, read_qrels
from .runs import Run, Runs


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Judged(Plain):
    """The share of the first k documents that have a judgment, for each run.

    Attributes
    ----------
    k : int
        The number of documents from the top.
    runs : tuple of str
        The runs.
    shares : array
        One for each run: a mean over the topics of the qrels that the run has.
    topics : int
        The number of topics of the qrels.
    """

    k: int
    runs: tuple[str, ...]
    shares: Floats
    topics: int

    QUESTION: ClassVar[str] = "judged"

    @fact
    def mean(self) -> float:
        """The mean share over the runs."""
        return float(self.shares.mean())

    @fact
    def least(self) -> str:
        """The run with the smallest share."""
        return self.runs[int(np.argmin(self.shares))]

    def columns(self) -> dict[str, Any]:
        order = np.argsort(self.shares, kind="stable")
        return {"run": [self.runs[i] for i in order], "judged": self.shares[order]}


def judged_at(runs: Runs, qrels: Any, k: int = 10, *, ties: str = "trec_eval") -> Judged:
    """Compute the share of the first k documents of each run that was judged."""
    k = checking.whole(k, "k", least=1)
    judgments = read_qrels(qrels)
    shares = np.array([_share(run, judgments, k, ties) for run in runs])
    return Judged(k=k, runs=runs.names, shares=shares, topics=len(judgments.topics))


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
