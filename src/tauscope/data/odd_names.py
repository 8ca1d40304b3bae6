"""What the name of a row or column says of it: a summary, something that is no score, a task where lower is better."""

from __future__ import annotations

import re

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
    """The words of a name in lower case: "Mean (TaskType)" has "mean" and "tasktype"."""
    return re.findall(r"[a-z]+\d*|\d+", name.lower())


def is_summary(name: str) -> bool:
    """Whether a row or column of this name summarises the others.

    >>> [is_summary(name) for name in ("Average", "Mean (Task)", "all", "rank", "average precision", "q1")]
    [True, True, True, True, False, False]
    """
    words = words_of(name)
    known = _SUMMARIES | _RANKS
    return any(word in known for word in words) and all(word in known | _BESIDE_SUMMARIES for word in words)


def is_rank(name: str) -> bool:
    """Whether a column of this name holds ranks."""
    words = words_of(name)
    return bool(words) and words[0] in _RANKS


def is_no_score(name: str) -> bool:
    """Whether a column of this name holds something that is no score.

    >>> [is_no_score(name) for name in ("#Params (B)", "votes", "95_pct_ci", "date understanding", "arena_score")]
    [True, True, True, False, False]
    """
    words = words_of(name)
    return any(word in _NO_SCORES for word in words) and all(word in _NO_SCORES | _BESIDE_NO_SCORES for word in words)


def is_lower_better(name: str) -> bool:
    """Whether the name says that lower is better there.

    >>> [is_lower_better(name) for name in ("WikiText perplexity", "WER", "error rate", "accuracy", "error detection")]
    [True, True, True, False, False]
    """
    words = words_of(name)
    at = next((place for place, word in enumerate(words) if word in _LOWER), None)
    return at is not None and all(word in ("rate", "rates", "score") or word.isdigit() for word in words[at + 1 :])


def units_in(name: str) -> frozenset[str]:
    """Return the measures and units that a name mentions.

    >>> [sorted(units_in(name)) for name in ("ARC acc", "WikiText perplexity", "GSM8K (%)", "doc1_seg3")]
    [['accuracy'], ['perplexity'], ['%'], []]
    """
    found = {_UNITS[word] for word in words_of(name) if word in _UNITS}
    return frozenset(found | {"%"} if "%" in name else found)


def is_unnamed(name: str) -> bool:
    """Whether a column has the name that programs give to a column without one, such as `Unnamed: 0`."""
    return _UNNAMED.fullmatch(name.strip()) is not None
