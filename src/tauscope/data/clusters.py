"""Topics in clusters (documents, task families, languages): one row per cluster, so that rows are independent again,
and signs of clusters that nobody declared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, product, tally
from ..errors import CallError, Option, TauscopeError
from ..results import Note, count, word
from .holes import additive
from .labels import mean_over, shown
from .scores import Scores

#: With fewer clusters nothing can be said of how much they vary.
FEWEST = 8
#: From so many on, nothing is said of it.
ENOUGH = 16
#: How often a 95 % interval of a difference (Student's t over clusters) held the true one with 8 to 15 clusters of 1 to
#: 9 topics and an intraclass correlation of .6: 0.938, 0.932, 0.935 and 0.941 with 8, 10, 12 and 15, 3,000 trials each
#: (`benchmarks/few_clusters.py`).
HELD = 0.93
#: The same with 20 to 40 clusters whose sizes go as 1/rank, or with one that has 41 % of the topics: 0.914 to 0.939.
HELD_UNEVEN = 0.92


def rows_by_cluster(scores: Scores, clusters: Mapping[str, Any]) -> Scores:
    r"""Make one row per cluster of topics: rows are independent again, and means stay what they are.

    With G clusters of n topics, the row of cluster g is

    .. math:: x'_g = \bar x + \frac{G}{n} \sum_{t \in g} (x_t - \bar x) .

    A large cluster pulls the mean towards itself. Where sizes differ, deviations are divided by 1 minus the cluster's
    share of the topics, as a jackknife over clusters does, and centred again.

    Parameters
    ----------
    scores : Scores
        Scores on topics.
    clusters : mapping
        Topic -> cluster.

    Returns
    -------
    Scores
        One row per cluster.

    Raises
    ------
    CallError
        If a topic is in no cluster.
    TauscopeError
        If there are fewer than eight clusters.
    """
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
    sizes = tally(at)
    deviations = sums * (len(names) / len(labels))
    if (sizes != sizes[0]).any():
        deviations *= ((1 - 1 / len(names)) / (1 - sizes / len(labels)))[:, None]
        deviations -= deviations.mean(axis=0)
    rows = mean + deviations
    note = Note("rows_are_clusters", topics=len(labels), clusters=len(names))
    found = scores.changed(note, values=rows, topics=names, clusters=None)
    for few in few_clusters(len(names)):
        found = found.changed(few)
    return found


def few_clusters(clusters: int) -> tuple[Note, ...]:
    """Return what must be said of so many clusters, with what simulations gave.

    Parameters
    ----------
    clusters : int
        How many there are.

    Returns
    -------
    tuple of str
        Empty if there are enough.
    """
    if clusters >= ENOUGH:
        return ()
    return (Note("few_topic_clusters", clusters=clusters, held=HELD),)


def effective_number(codes: Ints) -> float:
    r"""Return the number of clusters of equal size that say as much about their spread.

    .. math:: \Bigl(\sum_g n_g\Bigr)^2 \Big/ \sum_g n_g^2

    Parameters
    ----------
    codes : array of int
        The cluster of each row.

    Returns
    -------
    float

    Examples
    --------
    >>> effective_number(np.array([0, 0, 1, 1])), effective_number(np.array([0, 0, 0, 1]))
    (2.0, 1.6)
    """
    sizes = tally(codes).astype(np.float64)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def uneven_clusters(scores: Scores) -> tuple[Note, ...]:
    """Return what must be said of enough clusters if their sizes differ so much that they count as few."""
    if scores.clusters is None:
        return ()
    names, codes = np.unique(list(scores.clusters.values()), return_inverse=True)
    effective = effective_number(codes)
    if len(names) < ENOUGH or effective >= ENOUGH:
        return ()
    return (Note("uneven_clusters", clusters=len(names), effective=effective, held=HELD_UNEVEN),)


def sampled(rows: int, clustered: int) -> str:
    """Return what a result is over.

    Examples
    --------
    >>> sampled(50, 0), sampled(10, 50)
    ('50 topics', '10 clusters of 50 topics')
    """
    return f"{count(rows, 'cluster')} of {count(clustered, 'topic')}" if clustered else count(rows, "topic")


def independent(scores: Scores) -> Scores:
    """Return rows that are independent: the scores themselves, or one row per cluster.

    Parameters
    ----------
    scores : Scores
        Scores on topics, perhaps in clusters.

    Returns
    -------
    Scores
    """
    return scores if scores.clusters is None else rows_by_cluster(scores, scores.clusters)


def all_independent(matrices: Sequence[Scores]) -> tuple[Scores, ...]:
    """Return rows of several matrices that are independent.

    Parameters
    ----------
    matrices : sequence of Scores
        Clusters that one of them has hold for the topics of the others too.

    Returns
    -------
    tuple of Scores

    Raises
    ------
    CallError
        If a topic is in different clusters.
    """
    known: dict[str, str] = {}
    for matrix in matrices:
        for topic, cluster in (matrix.clusters or {}).items():
            if known.setdefault(topic, cluster) != cluster:
                raise CallError(
                    f"The {word('topic')} {topic!r} is in the cluster {known[topic]!r} in one matrix, and in "
                    f"{cluster!r} in another."
                )
    return tuple(rows_by_cluster(matrix, known) for matrix in matrices) if known else tuple(matrices)


def rows_said(matrices: Sequence[Scores], rows: Sequence[Scores]) -> tuple[Note, ...]:
    """Return what a comparison of several matrices must say of clusters.

    Parameters
    ----------
    matrices, rows : sequence of Scores
        The matrices, and the same with one row per cluster.

    Returns
    -------
    tuple of str
        That topics are clusters, and how few.
    """
    found = []
    for matrix, own in zip(matrices, rows, strict=True):
        if own is not matrix:
            found += [Note("topics_are_clusters", rows=len(own.topics), topics=len(matrix.topics))]
            found += few_clusters(len(own.topics))
    return tuple(dict.fromkeys(found))


#: Neighbours are looked at up to this many topics apart, and count the less the further apart they are.
_REACH = 2
#: From so many standard errors above what shuffled topics give, neighbours are too much alike: one board in forty
#: without clusters (one in twenty where scores are skewed or 0 and 1).
_ALIKE = 2.0
#: Correlations of neighbours further apart are not added up.
_FURTHEST = 50
#: At most so many systems are looked at: more say nothing else.
_ENOUGH_SYSTEMS = 64
#: The part of a name before its last number or segment: "doc12" of "doc12_seg3", "news/4" of "news/4:17".
_STEM = re.compile(r"^(.*[^\W_].*?)[\s._:/|#-]+[^\s._:/|#-]+$")


class Undeclared(NamedTuple):
    """A sign of clusters that nobody declared.

    Attributes
    ----------
    sign : str
        What it is, in words.
    wider : float
        How many times as large standard errors would be.
    """

    sign: str
    wider: float


def undeclared(scores: Scores) -> tuple[Undeclared, ...]:
    """Find signs that topics come in clusters which nobody declared: names with a common stem, and neighbours that are
    alike.

    Scores less the effects of system and topic are summed over topics with one stem; if these sums vary more than those
    of independent topics, standard errors are too small by that factor. Neighbours are compared by `alike()`.

    Parameters
    ----------
    scores : Scores
        Scores whose clusters are not known.

    Returns
    -------
    tuple of Undeclared
        Empty if clusters are declared, or topics are few.
    """
    n, m = scores.values.shape
    if scores.clusters is not None or n < FEWEST or m < 2:
        return ()
    rows = _residuals(scores.values[:, :: -(-m // _ENOUGH_SYSTEMS)])
    found = []
    stems = [matched[1] if (matched := _STEM.match(topic)) else topic for topic in scores.topics]
    groups = {stem: at for at, stem in enumerate(dict.fromkeys(stems))}
    if FEWEST <= len(groups) <= n / 2:
        member = [groups[stem] for stem in stems]
        sums = np.zeros((len(groups), rows.shape[1]))
        np.add.at(sums, member, rows)
        wider = float((sums**2).sum() / max(float((rows**2).sum()), 1e-300))
        found.append(Undeclared(str(Note("common_stems", topics=n, stems=len(groups))), wider**0.5))
    if alike(rows) > _ALIKE:
        found.append(Undeclared(str(Note("alike_neighbours")), _inflation(rows) ** 0.5))
    return tuple(found)


def _residuals(values: Floats) -> Floats:
    """Scores less the effects of their topic and of their system, which are fitted together; 0 where a cell is missing.

    Where cells are missing, means of systems depend on the topics that they have, and what such means leave is the same
    on all topics that a system lacks.
    """
    if np.isnan(values).any():
        model = additive(values)
        return np.asarray(np.nan_to_num(values - model.systems - model.topics[:, None]))
    without_topics = values - mean_over(values, 1)[:, None]
    return np.asarray(without_topics - mean_over(without_topics, 0))


def alike(rows: Floats) -> float:
    """Return how many standard errors neighbouring rows are more alike than shuffled ones.

    Inner products of rows at most two apart are summed, the nearer with more weight. Their mean and variance are those
    over all orders of the rows (Mantel's test, in closed form). Rows are divided by the root of their length, so that
    no row of a wide scale decides.

    Parameters
    ----------
    rows : array
        Residuals, topics x systems.

    Returns
    -------
    float

    Examples
    --------
    >>> rows = np.random.default_rng(1).normal(size=(60, 4))
    >>> bool(alike(rows) < 2), bool(alike(np.repeat(rows, 2, axis=0)) > 4)
    (True, True)
    """
    n = len(rows)
    rows = np.ldexp(rows, -int(np.frexp(np.abs(rows).max(initial=0.0))[1]))  # squares of huge scores would overflow
    lengths = np.sqrt((rows**2).sum(axis=1))
    r = rows / np.sqrt(np.where(lengths > 0, lengths, 1.0))[:, None]
    own = (r * r).sum(axis=1)
    sums = product(r, r.sum(axis=0)) - own
    gram = product(r.T, r) if n > r.shape[1] else product(r, r.T)
    total, squares, crossed = float(sums.sum()), float((gram**2).sum() - (own**2).sum()), float((sums**2).sum())
    weights = 1 - np.arange(1, _REACH + 1) / (_REACH + 1)
    near, found = np.zeros(n), 0.0
    for lag, weight in enumerate(weights, 1):
        near[lag:] += weight
        near[:-lag] += weight
        found += 2 * weight * float((r[lag:] * r[:-lag]).sum())
    near_total, near_crossed = float(near.sum()), float((near**2).sum())
    near_squares = 2 * float((weights**2 * (n - np.arange(1, _REACH + 1))).sum())
    mean = near_total * total / (n * (n - 1))
    variance = (
        2 * near_squares * squares / (n * (n - 1))
        + 4 * (near_crossed - near_squares) * (crossed - squares) / (n * (n - 1) * (n - 2))
        + (near_total**2 - 4 * near_crossed + 2 * near_squares)
        * (total**2 - 4 * crossed + 2 * squares)
        / (n * (n - 1) * (n - 2) * (n - 3))
        - mean**2
    )
    return (found - mean) / variance**0.5 if variance > 1e-12 * squares else 0.0


def _inflation(rows: Floats) -> float:
    """How many times as large the variances of means are, with the correlations of neighbours: 1 + twice their sum over
    distances, up to the first that is not positive."""
    every, total = max(float((rows**2).sum()), 1e-300), 1.0
    for lag in range(1, min(len(rows) // 4, _FURTHEST) + 1):
        correlation = float((rows[lag:] * rows[:-lag]).sum()) / every
        if correlation <= 0:
            break
        total += 2 * correlation
    return total
