"""`by_cluster()`: topics in clusters (documents, task families, languages) are not independent: rows become
clusters."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import CallError
from ..files.door import ScoresLike, takes_scores
from ..scores import Scores
from ..scores.clusters import rows_by_cluster


@takes_scores("scores")
def by_cluster(scores: ScoresLike, clusters: Mapping[str, str] | None = None) -> Scores:
    """How would a board be tested whose topics come in clusters, such as documents or task families?

    Every test and interval takes rows for independent. This makes one row per cluster, x'_g = mean + (G/n) sum over the
    cluster's topics of (x_t - mean), whose mean over clusters is the plain mean over topics and whose spread is that of
    the clusters; so `rank_intervals()`, `tiers()`, `best_set()`, `significance()`, `neighbours()`, `compare()`
    and `gate()` of it flip and resample whole clusters. They do so by themselves for `Scores(…, clusters=…)`; this is for
    all other functions. Runs of one topic need nothing of the kind: take their mean
    first (`Repeats.scores()`). Do not use it for rules that rank within topics, and not with a handful of clusters.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        Topics x systems, without missing cells.
    clusters : dict, optional
        Topic -> cluster, for every topic; by default those of the scores, `Scores(…, clusters=…)`.

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
    >>> board = Scores([[i, i + 1.0] for i in range(16)], systems=["a", "b"])
    >>> rows = by_cluster(board, {str(i): f"document {(i - 1) // 2}" for i in range(1, 17)})
    >>> rows.shape, rows.means().tolist() == board.means().tolist()
    ((8, 2), True)
    """
    if not isinstance(scores, Scores):
        raise CallError(f"by_cluster() takes Scores, topics x systems, not {type(scores).__name__}.")
    scores.require_complete("by_cluster()")
    clusters = scores.clusters if clusters is None else clusters
    if not isinstance(clusters, Mapping):
        raise CallError(f"clusters is of type {type(clusters).__name__}; give a dict, {{topic: cluster}}.")
    return rows_by_cluster(scores, clusters)
