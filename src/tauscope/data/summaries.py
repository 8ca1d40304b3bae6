"""Rows and columns that are no topics, systems or scores: summaries of the others, ranks, sizes and dates.

A name tells it ("Average", "#Params (B)"), or the values do: a topic whose scores are the mean of all others counts
these twice.
"""

from __future__ import annotations

import re

import numpy as np

from ..core.arrays import Floats

#: Words of names such as "Average", "Mean (Task)", "overall score", "Rank (Borda)".
_SUMMARIES = frozenset(
    ["mean", "means", "average", "averages", "avg", "overall", "total", "median", "all", "aggregate", "macro", "micro"]
)
_RANKS = frozenset(["rank", "ranks", "ranking", "position", "place"])
_BESIDE_SUMMARIES = frozenset(
    [
        "score",
        "scores",
        "task",
        "tasks",
        "tasktype",
        "type",
        "types",
        "topic",
        "topics",
        "queries",
        "of",
        "over",
        "borda",
        "the",
        "per",
        "by",
        "model",
        "models",
        "system",
        "systems",
        "dataset",
        "datasets",
        "benchmark",
        "runs",
    ]
)
#: Words of names such as "#Params (B)", "release date", "votes", "Memory Usage (MB)", "95_pct_ci", "std".
_NO_SCORES = frozenset(
    [
        "size",
        "sizes",
        "params",
        "param",
        "parameters",
        "votes",
        "battles",
        "likes",
        "downloads",
        "date",
        "dates",
        "year",
        "memory",
        "dimension",
        "dimensions",
        "tokens",
        "co2",
        "cost",
        "price",
        "latency",
        "timestamp",
        "seed",
        "ci",
        "std",
        "stderr",
        "sd",
        "se",
        "vram",
        "epoch",
        "epochs",
        "submitted",
        "created",
        "updated",
        "cutoff",
        "index",
        "stdev",
        "throughput",
        "runtime",
    ]
)
_BESIDE_NO_SCORES = frozenset(
    [
        "number",
        "num",
        "no",
        "n",
        "of",
        "max",
        "min",
        "model",
        "usage",
        "mb",
        "gb",
        "b",
        "m",
        "k",
        "kg",
        "usd",
        "ms",
        "s",
        "billions",
        "millions",
        "release",
        "released",
        "upload",
        "uploaded",
        "hub",
        "embedding",
        "context",
        "length",
        "window",
        "per",
        "in",
        "total",
        "active",
        "training",
        "publication",
        "pct",
        "95",
        "99",
        "knowledge",
        "submission",
        "file",
        "row",
        "and",
        "time",
        "lower",
        "upper",
        "input",
        "output",
        "million",
        "billion",
        "published",
        "last",
    ]
)
_LOWER = frozenset(
    [
        "perplexity",
        "ppl",
        "wer",
        "cer",
        "ter",
        "error",
        "errors",
        "loss",
        "mae",
        "mse",
        "rmse",
        "bpb",
        "latency",
        "hallucination",
        "hallucinations",
    ]
)
#: Words that name a measure or a unit.
_UNITS = {
    **{word: word for word in ("f1", "em", "auc", "mcc", "bleu", "sacrebleu", "chrf", "elo", "mrr", "ndcg", "comet")},
    **dict.fromkeys(("accuracy", "acc"), "accuracy"),
    **dict.fromkeys(("perplexity", "ppl"), "perplexity"),
    **dict.fromkeys(("percent", "percentage", "pct"), "%"),
}
#: Names are looked at where there are at most so many: a board has hundreds, and millions take their time.
MOST_NAMES = 20_000
_UNNAMED = re.compile(r"(unnamed: \d+(\.\d+)?|index|level_0|\.\.\.1|)", re.IGNORECASE)


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case.

    Examples
    --------
    >>> words_of("Mean (TaskType)"), words_of("GSM8K_5shot")
    (['mean', 'tasktype'], ['gsm8', 'k', '5', 'shot'])
    """
    return re.findall(r"[a-z]+\d*|\d+", name.lower())


def is_summary(name: str) -> bool:
    """Whether a row or column of this name summarises the others.

    All its words must be those of a summary, so that "average precision" is a measure and "Average" none.

    Examples
    --------
    >>> [is_summary(name) for name in ("Average", "Mean (Task)", "all", "rank", "average precision", "q1")]
    [True, True, True, True, False, False]
    """
    words = words_of(name)
    known = _SUMMARIES | _RANKS
    return any(word in known for word in words) and all(word in known | _BESIDE_SUMMARIES for word in words)


def is_rank(name: str) -> bool:
    """Whether a column of this name holds ranks.

    Examples
    --------
    >>> is_rank("Rank (Borda)"), is_rank("rank correlation"), is_rank("score")
    (True, True, False)
    """
    words = words_of(name)
    return bool(words) and words[0] in _RANKS


def is_no_score(name: str) -> bool:
    """Whether a column of this name holds something that is no score: a size, a date, votes, an interval.

    Examples
    --------
    >>> [is_no_score(name) for name in ("#Params (B)", "votes", "95_pct_ci", "date understanding", "arena_score")]
    [True, True, True, False, False]
    """
    words = words_of(name)
    return any(word in _NO_SCORES for word in words) and all(word in _NO_SCORES | _BESIDE_NO_SCORES for word in words)


def is_lower_better(name: str) -> bool:
    """Whether the name says that lower is better there.

    Examples
    --------
    >>> [is_lower_better(name) for name in ("WikiText perplexity", "WER", "error rate", "accuracy", "error detection")]
    [True, True, True, False, False]
    """
    words = words_of(name)
    at = next((place for place, word in enumerate(words) if word in _LOWER), None)
    return at is not None and all(word in ("rate", "rates", "score") or word.isdigit() for word in words[at + 1 :])


def units_in(name: str) -> frozenset[str]:
    """Return the measures and units that a name mentions; topics with different ones are on different scales.

    Examples
    --------
    >>> [sorted(units_in(name)) for name in ("ARC acc", "WikiText perplexity", "GSM8K (%)", "doc1_seg3")]
    [['accuracy'], ['perplexity'], ['%'], []]
    """
    found = {_UNITS[word] for word in words_of(name) if word in _UNITS}
    return frozenset(found | {"%"} if "%" in name else found)


def is_unnamed(name: str) -> bool:
    """Whether a column has the name that programs give to a column without one.

    Examples
    --------
    >>> is_unnamed("Unnamed: 0"), is_unnamed(""), is_unnamed("bm25")
    (True, True, False)
    """
    return _UNNAMED.fullmatch(name.strip()) is not None


#: A match is a summary where chance would bring it about with a probability below 10 to the minus this.
_EVIDENCE = 10.0
#: What one system adds to that at most, so that at least six are needed: made-up boards can be exact on a few systems.
_MOST = 2.0
#: A system on which chance would match with a higher probability than this adds nothing.
_TELLING = 0.25
#: Floating-point error of a mean, as a share of the largest score.
_EXACT = 1e-9
#: More decimals than this are not rounding.
_DECIMALS = 9
#: Squares of larger scores overflow.
_LARGEST = 1e100
#: Means with weights are searched for among at most this many topics.
_MOST_TOPICS = 100
#: A singular value below this share of the largest is 0.
_SINGULAR = 1e-7
#: What an estimated weight may be off: rounding moves weights, and none of a mean is negative.
_WEIGHT = 0.02


def mean_topics(values: Floats) -> list[int]:
    """Find topics (rows) whose scores are the mean of all other topics, plain or with weights.

    A mean with weights is, for example, the mean of the means of categories. Scores are printed rounded, and the mean
    may have been taken before that, so a mean matches within the rounding of both, on every system that has a score on
    all topics. On one system such a match is chance with a probability of about four times that tolerance, divided by
    the spread of scores: of the topic over the systems, or of the system over the other topics, whichever is smaller.
    The means of the other topics are taken off before, because topics that differ in difficulty alone match without
    being summaries. The probabilities of the systems are multiplied; one system is left out for the topic's own
    difficulty, and one for each weight that is estimated.

    Parameters
    ----------
    values : array
        Topics x systems, NaN where a score is missing.

    Returns
    -------
    list of int
        Their places.

    Examples
    --------
    >>> tasks = np.random.default_rng(1).random((4, 12))
    >>> mean_topics(np.vstack([tasks, tasks.mean(axis=0).round(2)])), mean_topics(tasks)
    ([4], [])
    """
    full = values[:, ~np.isnan(values).any(axis=0)]
    left, found = list(range(len(full))), list[int]()
    if full.shape[1] * _MOST <= _EVIDENCE or np.abs(full).max(initial=0.0) > _LARGEST:
        return []
    while len(left) > 2:
        part = full[left]
        # The mean of the others is the mean of all, too.
        place = int(np.abs(part - part.mean(axis=0)).max(axis=1).argmin())
        weights = np.full(len(left), 1 / (len(left) - 1))
        weights[place] = 0.0
        if not _is_mean(part, place, weights, 1):
            weighted = _dependent(part)
            if weighted is None or not _is_mean(part, *weighted, len(left)):
                break
            place = weighted[0]
        found.append(left.pop(place))
    return sorted(found)


def _is_mean(values: Floats, place: int, weights: Floats, estimated: int) -> bool:
    """Whether a topic is this mean of the others on all systems, and cannot be it by chance."""
    others = weights != 0
    own, rest = values[place], values[others]
    off, spread = np.abs(own - weights @ values).max(), _spread(own[:, None])
    if 4 * off > _TELLING * spread[0]:  # too far for any rounding that would tell something
        return False
    tolerance = _tolerance(values, place, weights)
    if off > tolerance:
        return False
    spread = np.minimum(spread, _spread(rest - rest.mean(axis=1, keepdims=True)))
    chance = np.divide(4 * tolerance, spread, out=np.ones(len(spread)), where=spread > 4 * tolerance)
    evidence = np.sort(np.where(chance <= _TELLING, np.minimum(-np.log10(chance), _MOST), 0.0))
    return bool(evidence[: max(0, len(evidence) - estimated)].sum() >= _EVIDENCE)


def _spread(values: Floats) -> Floats:
    """The range of each column as its quartiles have it, so that a single extreme score does not decide it."""
    low, high = np.quantile(values, (0.25, 0.75), axis=0)
    return np.asarray(2 * (high - low))


def _tolerance(values: Floats, place: int, weights: Floats) -> float:
    """How far a mean may be off by rounding: its own last decimal, and four standard errors of that of the others.

    A topic on which all scores are whole is not known to be rounded, so the median of the topics decides.
    """
    half = _rounding(values)
    others = np.median(half[weights != 0])
    return float(
        half[place] + others * min(1.0, 4 * np.linalg.norm(weights) / np.sqrt(3)) + _EXACT * np.abs(values).max()
    )


def _rounding(values: Floats) -> Floats:
    """Half of the last printed decimal of each row; 0 where scores are not rounded."""
    half = np.zeros(len(values))
    unknown = np.ones(len(values), np.bool_)
    for decimals in range(_DECIMALS + 1):
        scaled = values[unknown] * 10.0**decimals
        exact = (np.abs(scaled - np.round(scaled)) <= _EXACT * np.maximum(1.0, np.abs(scaled))).all(axis=1)
        rows = np.flatnonzero(unknown)[exact]
        half[rows] = 0.5 * 10.0**-decimals
        unknown[rows] = False
        if not unknown.any():
            break
    return half


def _dependent(values: Floats) -> tuple[int, Floats] | None:
    """The place of a topic that is a mean of the others with weights, and the weights, if there is exactly one."""
    n, m = values.shape
    if n > _MOST_TOPICS or m * _MOST <= n * _MOST + _EVIDENCE:
        return None
    sizes, vectors = np.linalg.eigh(values @ values.T)
    sizes = np.sqrt(np.maximum(sizes, 0.0))
    # Of a mean, the residuals are within the rounding: the smallest singular value is that small, and no other.
    limit = np.sqrt(m) * 2 * np.median(_rounding(values)) + _SINGULAR * sizes[-1]
    if sizes[0] > limit or sizes[1] <= 3 * limit:
        return None
    null = vectors[:, 0]
    place = int(np.abs(null).argmax())
    weights = -null / null[place]
    weights[place] = 0.0
    fits = abs(weights.sum() - 1) <= _WEIGHT and weights.min() >= -_WEIGHT and weights.max() <= 1 - _WEIGHT
    return (place, weights) if fits else None
