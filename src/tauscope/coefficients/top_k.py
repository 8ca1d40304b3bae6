"""Only the heads: the union of both top k, in which an item that is absent from a head is tied below it.

This is how top-k lists are compared (fagin2003): what stands below the k-th place of a list is not known, or does not
matter, so the list says nothing about the order of the items it leaves out, except that they are below.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checking
from ..core.arrays import Bools, Floats, Tolerance, tolerances
from ..data.ranking import Aligned, Ranking, Top, as_ranking
from ..errors import Advice, AlignmentError, CallError, Option
from .coefficient import Coefficient


def check_top_k(c: Coefficient | None, k: Any) -> int:
    """A whole number of at least 1, for a coefficient that only needs the order."""
    size = checking.whole(k, "top_k", least=1)
    if c is not None and not c.ordinal:
        raise CallError(
            f"{c} needs the score of every item, and an item outside the top {size} has none.",
            Advice(f"top_k is for coefficients of the order, such as {', '.join(c.instead)} or spearman."),
        )
    return size


def check_width(within: tuple[Tolerance, Tolerance]) -> None:
    """An item outside the top k has no score that a share could be taken of."""
    if any(w.relative for w in within):
        raise CallError(
            "top_k takes a tied_within that is a number, not a share of the smaller score.",
            Option("tied_within", 0.01, effect="for instance"),
        )


def align_top(
    first: Any, second: Any, k: int, *, names: tuple[str, str], tied_within: Any, lower_is_better: bool
) -> Aligned:
    """Two rankings on the union of their top k. Items with the score of the k-th are in; items that only one ranking
    has are outside the other's top k."""
    a, b = as_ranking(first, names[0]), as_ranking(second, names[1])
    within = tolerances(tied_within, (a.tied_within, b.tied_within))
    check_width(within)
    if (a.items is None) != (b.items is None):
        named, plain = names if b.items is None else names[::-1]
        raise AlignmentError(
            f"{named} has names and {plain} has none, so they cannot be matched.",
            Advice("Give both as dicts or Rankings."),
        )
    if a.items is None and len(a) != len(b):
        raise AlignmentError(
            f"{names[0]} has {len(a):,} scores, {names[1]} has {len(b):,}.",
            Advice("Top-k lists of different items need names."),
        )
    heads = [_head(ranking, k, lower_is_better) for ranking in (a, b)]
    items = tuple(dict.fromkeys([*heads[0], *heads[1]]))
    if a.items is None:  # by place: 1, 2, 3, …
        items = tuple(sorted(items))  # type: ignore[type-var]
    one, two = (_scores(items, head, w) for head, w in zip(heads, within, strict=True))
    top = Top(
        k,
        (len(heads[0]), len(heads[1])),
        (len(items) - len(heads[0]), len(items) - len(heads[1])),
        tuple(len(set(items) - set(ranking.labels)) for ranking in (a, b)),  # type: ignore[arg-type]
    )
    direction = (lower_is_better or a.lower_is_better, lower_is_better or b.lower_is_better)
    snapped = a.snapped, b.snapped
    return Aligned(
        items=items, first=one, second=two, within=within, snapped=snapped, lower_is_better=direction, top=top
    )


def _head(ranking: Ranking, k: int, lower_is_better: bool) -> dict[Hashable, float]:
    """The k best items and those tied with the k-th, with their scores, higher is better."""
    scores = -ranking.scores if lower_is_better or ranking.lower_is_better else ranking.scores
    if not len(scores):
        return {}
    inside = np.flatnonzero(in_top(scores[None], k)[0])
    labels = ranking.labels
    return {labels[place]: float(scores[place]) for place in inside.tolist()}


def in_top(scores: Floats, k: int) -> Bools:
    """Row by row, which scores are among the k highest, ties with the k-th included."""
    n = scores.shape[1]
    if k >= n:
        return np.ones(scores.shape, bool)
    limit = np.partition(scores, n - k, axis=1)[:, n - k]
    return np.asarray(scores >= limit[:, None])


def below(scores: Floats, inside: Bools, width: float) -> Floats:
    """Scores with those outside at one value that is tied with none inside.

    Without a tolerance only the order counts, so scores become 1, 2, 3, … and nothing can overflow.
    """
    if not width:
        levels = np.unique(scores, return_inverse=True)[1].reshape(scores.shape) + 1.0
        return np.where(inside, levels, 0.0)
    lowest = np.where(inside, scores, np.inf).min(axis=-1, keepdims=True)
    lowest = np.where(np.isfinite(lowest), lowest, 0.0)
    least, epsilon = float(np.finfo(float).min), float(np.finfo(float).eps)
    with np.errstate(over="ignore"):
        # Beyond the range of numbers the lowest there is must do, and where that is too near, scores give way to it.
        outside = np.maximum(lowest - 4 * width - 64 * epsilon * np.abs(lowest), least)
        near = np.where(outside == least, (lowest / 2 - least / 2) - width / 2 * (1 + 1e-8), 0.0)
        moved = scores - 2 * np.minimum(near, 0.0)
    return np.where(inside, moved, outside)


def _scores(items: tuple[Hashable, ...], head: dict[Hashable, float], within: Tolerance) -> Floats:
    inside = np.array([item in head for item in items], bool)
    raw = np.array([head.get(item, 0.0) for item in items])
    return below(raw, inside, within.width)


def unions(
    estimates: Floats, truths: Floats, k: int, within: tuple[Tolerance, Tolerance]
) -> list[tuple[NDArray[np.intp], Floats, Floats]]:
    """Rows of the batch by the size of their union: (rows, estimates, truths), only the items of the union kept."""
    check_width(within)
    truths = np.broadcast_to(truths, estimates.shape)
    inside_y, inside_x = in_top(estimates, k), in_top(truths, k)
    union = inside_y | inside_x
    sizes = union.sum(axis=1)
    parts = []
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        columns = np.nonzero(union[rows])[1].reshape(len(rows), int(size))
        pick = (rows[:, None], columns)
        y, x = (
            below(estimates[pick], inside_y[pick], within[0].width),
            below(truths[pick], inside_x[pick], within[1].width),
        )
        parts.append((rows, np.ascontiguousarray(y), np.ascontiguousarray(x)))
    return parts
