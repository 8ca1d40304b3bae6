"""`by_cluster()`: topics in clusters (documents, task families, languages) are not independent: rows become
clusters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import CallError, Option, TauscopeError
from ..files.door import ScoresLike, takes_scores
from ..results import count, word
from ..scores import Scores
from ..scores.labels import shown

#: With fewer clusters nothing can be said of how much they vary.
FEWEST = 8
#: Below this many, intervals hold less often than they say.
FEW = 16


@takes_scores("scores")
def by_cluster(scores: ScoresLike, clusters: Mapping[str, str]) -> Scores:
    """How would a board be tested whose topics come in clusters, such as documents or task families?

    Every test and interval takes rows for independent. This makes one row per cluster, x'_g = mean + (G/n) sum over the
    cluster's topics of (x_t - mean), whose mean over clusters is the plain mean over topics and whose spread is that of
    the clusters; so `rank_intervals()`, `tiers()`, `best_set()`, `significance_matrix()`, `neighbours()`, `compare()`
    and `gate()` of it flip and resample whole clusters. Runs of one topic need nothing of the kind: take their mean
    first (`Repeats.scores()`). Do not use it for rules that rank within topics, and not with a handful of clusters.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        Topics x systems, without missing cells.
    clusters : dict
        Topic -> cluster, for every topic.

    Returns
    -------
    Scores
        Clusters x systems, with the same means.

    Raises
    ------
    TauscopeError
        Where there are fewer than 8 clusters.

    Examples
    --------
    >>> values = np.arange(32.0).reshape(16, 2)
    >>> board = Scores(values, systems=["a", "b"])
    >>> rows = by_cluster(board, {str(i): f"document {(i - 1) // 2}" for i in range(1, 17)})
    >>> rows.shape, rows.means().tolist() == board.means().tolist()
    ((8, 2), True)
    """
    if not isinstance(scores, Scores):
        raise CallError(f"by_cluster() takes Scores, topics x systems, not {type(scores).__name__}.")
    scores.require_complete("by_cluster()")
    if not isinstance(clusters, Mapping):
        raise CallError(f"clusters is of type {type(clusters).__name__}; give a dict, {{topic: cluster}}.")
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
    few = (
        (f"with {count(len(names), 'cluster')} intervals hold somewhat less often than they say",)
        if len(names) < FEW
        else ()
    )
    return Scores(
        rows,
        names,
        scores.systems,
        scores.measure,
        scores.collection,
        notes=(*scores.notes, note, *few),
        frame=scores.frame,
    )
