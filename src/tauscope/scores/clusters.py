"""Topics in clusters (documents, task families, languages): one row per cluster, so that rows are independent again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import CallError, Option, TauscopeError
from ..results import count, word
from .labels import shown
from .matrix import Scores

#: With fewer clusters nothing can be said of how much they vary.
FEWEST = 8
#: From so many on, nothing is said of it.
ENOUGH = 16
#: How often a 95 % interval of a difference (Student's t over clusters) held the true one with 8 to 15 clusters of 1 to
#: 9 topics and an intraclass correlation of .6: 0.938, 0.932, 0.935 and 0.941 with 8, 10, 12 and 15, 3,000 trials each
#: (`benchmarks/few_clusters.py`).
HELD = 0.93


def rows_by_cluster(scores: Scores, clusters: Mapping[str, Any]) -> Scores:
    """x'_g = mean + (G/n) sum over the cluster's topics of (x_t - mean): the same means over fewer, independent
    rows."""
    without = [topic for topic in scores.topics if topic not in clusters]
    if without:
        verb = "is" if len(without) == 1 else "are"
        raise CallError(f"{count(len(without), 'topic')} {verb} in no cluster: {shown(without)}.")
    labels = [str(clusters[topic]) for topic in scores.topics]
    names = tuple(dict.fromkeys(labels))
    if len(names) < FEWEST:
        raise TauscopeError(
            f"There {'is' if len(names) == 1 else 'are'} {count(len(names), 'cluster')} of {word('topics')}; at "
            f"least {FEWEST} are needed, "
            "because the differences between so few say next to nothing about how much they vary.",
            Option("clusters", effect="with smaller clusters, or test the topics themselves and say so"),
        )
    code = {name: i for i, name in enumerate(names)}
    at = np.array([code[label] for label in labels])
    mean = scores.means()
    sums = np.zeros((len(names), len(scores.systems)))
    np.add.at(sums, at, scores.values - mean)
    rows = mean + sums * (len(names) / len(labels))
    note = f"{count(len(labels), 'topic')} in {count(len(names), 'cluster')}: rows are clusters, tested as wholes"
    found = scores.changed(note, values=rows, topics=names, clusters=None)
    for few in few_clusters(len(names)):
        found = found.changed(few)
    return found


def few_clusters(clusters: int) -> tuple[str, ...]:
    """What must be said of so many clusters, with what was measured; nothing where they are enough."""
    if clusters >= ENOUGH:
        return ()
    return (
        f"with {count(clusters, 'cluster')} intervals hold somewhat less often than they say: those of 95 % in about "
        f"{HELD * 100:.0f} % of simulations with clusters of uneven size",
    )


def sampled(rows: int, clustered: int) -> str:
    """What a result is over: "50 topics", or "10 clusters of 50 topics"."""
    return f"{count(rows, 'cluster')} of {count(clustered, 'topic')}" if clustered else count(rows, "topic")


def few_said(rows: int, clustered: int) -> str:
    """The end of a line of a result about few clusters; nothing where rows are topics or clusters are enough."""
    return "".join(f"; {note}" for note in few_clusters(rows)) if clustered else ""


def independent(scores: Scores) -> Scores:
    """The scores themselves, or one row per cluster where topics come in clusters."""
    return scores if scores.clusters is None else rows_by_cluster(scores, scores.clusters)


def all_independent(matrices: Sequence[Scores]) -> tuple[Scores, ...]:
    """The same of several matrices; clusters that one has hold for the topics of the others too."""
    known: dict[str, str] = {}
    for matrix in matrices:
        for topic, cluster in (matrix.clusters or {}).items():
            if known.setdefault(topic, cluster) != cluster:
                raise CallError(
                    f"The {word('topic')} {topic!r} is in the cluster {known[topic]!r} in one matrix, and in "
                    f"{cluster!r} in another."
                )
    return tuple(rows_by_cluster(matrix, known) for matrix in matrices) if known else tuple(matrices)


def rows_said(matrices: Sequence[Scores], rows: Sequence[Scores]) -> tuple[str, ...]:
    """What a comparison of several matrices says of clusters: that its topics are clusters, and how few."""
    found = []
    for matrix, own in zip(matrices, rows, strict=True):
        if own is not matrix:
            found += [f"its {count(len(own.topics), 'topic')} are clusters of {count(len(matrix.topics), 'topic')}"]
            found += few_clusters(len(own.topics))
    return tuple(dict.fromkeys(found))
