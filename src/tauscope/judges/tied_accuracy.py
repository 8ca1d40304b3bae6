"""Pairwise accuracy that gives credit for ties (acc_eq), with the judge's threshold for ties calibrated.

Over all topics and pairs of systems, acc_eq = (pairs both order alike + pairs both tie)/all pairs (deutsch2023). Judges
with continuous scores never tie; so the judge's differences of at most eps are taken for ties, with the eps that makes
acc_eq largest (tie calibration). A judge without skill reaches more than 0 by that alone, hence the chance level: the
same, eps chosen anew, of the judge's scores dealt out to systems at random within each topic.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..jobs.draws import CHANCE_DRAWS
from ..jobs.seeds import Stream, stream
from ..ties import SNAP


class TiedAccuracy(NamedTuple):
    """acc_eq with eps calibrated, that at eps = 0, limits over topics, and the chance level.

    Attributes
    ----------
    value, uncalibrated : float
        acc_eq with the judge's ties calibrated, and as the judge ties.
    threshold : float
        eps: differences of at most this are ties.
    low, high : float
        Limits over topics, eps as it is.
    chance : float
        What scores dealt out at random reach.
    ties : float
        The share of pairs that people tie.
    """

    value: float
    uncalibrated: float
    threshold: float
    low: float
    high: float
    chance: float
    ties: float


def tied_accuracy(judge: Floats, people: Floats, *, level: float, seed: int) -> TiedAccuracy:
    """Both topics x systems, in the same order."""
    from scipy.special import stdtrit

    human = _signs(people)
    gaps = _gaps(judge)
    slack = SNAP * max(float(np.abs(judge).max()), 1e-300)
    value, threshold = calibrated(gaps, human, slack)
    by_topic = _right(gaps, human, threshold, slack).mean(axis=1)
    n = len(by_topic)
    reach = float(stdtrit(n - 1, (1 + level) / 2) * by_topic.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan
    generator = stream(seed, Stream.FLIPS)
    dealt = [calibrated(_gaps(generator.permuted(judge, axis=1)), human, slack)[0] for _ in range(CHANCE_DRAWS)]
    return TiedAccuracy(
        value=value,
        uncalibrated=float(_right(gaps, human, 0.0, slack).mean()),
        threshold=threshold,
        low=max(0.0, value - reach),
        high=min(1.0, value + reach),
        chance=float(np.mean(dealt)),
        ties=float((human == 0).mean()),
    )


def calibrated(gaps: Floats, human: Floats, slack: float) -> tuple[float, float]:
    """The largest acc_eq and the smallest eps that reaches it, over eps = 0 and all differences of the judge."""
    size, gap, sign = np.abs(gaps).ravel(), gaps.ravel(), human.ravel()
    order = np.argsort(size, kind="stable")
    size, right = size[order], (np.sign(gap[order]) == sign[order]) & (size[order] > slack)
    tied = sign[order] == 0
    # With the k smallest differences taken for ties: people's ties among them, and the right order of the others.
    counts = np.concatenate(([0], np.cumsum(tied))) + right.sum() - np.concatenate(([0], np.cumsum(right)))
    ends = np.flatnonzero(np.concatenate((size[1:] - size[:-1] > slack, [True]))) + 1
    start = int(np.searchsorted(size, slack, side="right"))
    ends = np.unique(np.concatenate(([start], ends[ends >= start])))
    best = ends[np.argmax(counts[ends])]
    return float(counts[best] / len(size)), float(size[best - 1]) if best > start else 0.0


def _right(gaps: Floats, human: Floats, threshold: float, slack: float) -> Floats:
    found = np.where(np.abs(gaps) <= threshold + slack, 0.0, np.sign(gaps))
    return np.asarray(found == human)


def _gaps(values: Floats) -> Floats:
    first, second = np.triu_indices(values.shape[1], 1)
    return np.asarray(values[:, first] - values[:, second])


def _signs(values: Floats) -> Floats:
    gaps = _gaps(values)
    slack = SNAP * max(float(np.abs(values).max()), 1e-300)
    return np.asarray(np.where(np.abs(gaps) <= slack, 0.0, np.sign(gaps)))
