"""One topic of which people judged a sample of the documents and a judge all: estimates of measures, from arrays.

Each document d of the pool has the judge's label j_d; people's h_d is known for a sample, n of N documents at random in
each stratum. With e_d = h_d - t j_d, whose sum over all documents is estimated by that of (N/n) e_d over the sampled
ones (Horvitz-Thompson), every label is estimated by r_d = t j_d + (N/n) e_d [d sampled], without bias whatever the judge
and the share t of it that is used. So are sums of labels (P@k, DCG, the number of relevant documents), and sums over
pairs of documents, in which two sampled ones of the same stratum count n(N - 1)/((n - 1)N) times what they do above: the
numerator of AP, as in statAP (aslam2006). AP and nDCG divide by estimates. What bias that leaves is taken off by a
jackknife over the sampled documents of each stratum for AP, by Beale's correction of a quotient for nDCG (beale1962);
the jackknife gives the errors as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import Bools, Floats, Ints, tally

#: A value of each system, and its variance.
Estimate = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False, kw_only=True)
class Topic:
    """One topic. `places` is systems x documents of the pool, 0 for the first, `AWAY` where a system has it not; `judge`
    and `human` are grades, those of people -1 where they did not judge; `stratum` is of each document."""

    places: Ints
    judge: Ints
    human: Ints
    stratum: Ints

    @cached_property
    def sampled(self) -> Ints:
        """Documents that people judged."""
        return np.flatnonzero(self.human >= 0)

    @cached_property
    def sizes(self) -> tuple[Ints, Ints]:
        """N and n of each stratum."""
        most = int(self.stratum.max()) + 1
        return tally(self.stratum, most), tally(self.stratum[self.sampled], most)

    @cached_property
    def replicas(self) -> Ints:
        """The sampled documents of which one at a time is left out: those of strata that were not judged as a whole."""
        whole, n = self.sizes
        return np.asarray(self.sampled[(n < whole)[self.stratum[self.sampled]]])

    @cached_property
    def weights(self) -> tuple[Floats, Floats]:
        """N/n of every document, 0 where it is not sampled, and what pairs of the same stratum count more: the sample
        as it is first, then without one after the other; replicas x documents, replicas x strata."""
        whole, n = self.sizes
        counts = np.repeat(n[None], 1 + len(self.replicas), axis=0)
        rows = np.arange(1, len(counts))
        counts[rows, self.stratum[self.replicas]] -= 1
        there = np.zeros((len(counts), len(self.human)), bool)
        there[:, self.sampled] = True
        there[rows, self.replicas] = False
        weights = np.where(there, (whole / np.maximum(counts, 1))[:, self.stratum], 0.0)
        below = np.maximum((counts - 1) * whole, 1)
        pairs = np.where(counts > 1, counts * (whole - 1) / below, 1.0)
        return weights, np.asarray(pairs)

    def labels(self, level: int, share: float) -> tuple[Floats, Floats, float]:
        """Whether each document has at least this grade: r_d and the part of it that was sampled, replicas x documents,
        and for how many people said so."""
        judge, human = (self.judge >= level).astype(float), (self.human >= level).astype(float)
        drawn = self.weights[0] * (human - share * judge)
        return share * judge + drawn, drawn, float(human[self.sampled].sum())

    def covariance(self, left: Floats, right: Floats) -> Floats:
        """Of two estimates over samples of documents, from their replicas: replicas x estimates, or x 1."""
        whole, n = self.sizes
        total = np.zeros(left.shape[1])
        for h, own in self._left_out():
            x, y = (side[1:][own] - side[1:][own].mean(axis=0) for side in (left, right))
            total += (1 - n[h] / whole[h]) * (n[h] - 1) / n[h] * (x * y).sum(axis=0)
        return total

    def jackknife(self, values: Floats) -> Estimate:
        """Values without the bias of the order 1/n, and their variances, from replicas x values."""
        whole, n = self.sizes
        bias = np.zeros(values.shape[1])
        for h, own in self._left_out():
            bias += (1 - n[h] / whole[h]) * (n[h] - 1) * (values[1:][own].mean(axis=0) - values[0])
        return values[0] - bias, self.covariance(values, values)

    def _left_out(self) -> list[tuple[int, Bools]]:
        """Strata, and which of the replicas lack a document of each."""
        stratum = self.stratum[self.replicas]
        return [(int(h), stratum == h) for h in np.unique(stratum)]


def precision(topic: Topic, cutoff: int, level: int, share: float) -> Estimate:
    """P@k of each system, and its variance."""
    labels, _, _ = topic.labels(level, share)
    return topic.jackknife(labels @ (topic.places < cutoff).T.astype(float) / cutoff)


def average_precision(topic: Topic, cutoff: int, level: int, share: float) -> Estimate:
    """AP of each system, and its variance."""
    labels, drawn, seen = topic.labels(level, share)
    order = np.argsort(topic.places, axis=1, kind="stable")
    places = np.take_along_axis(topic.places, order, axis=1)
    reached = np.where(places < cutoff, 1.0 / (places + 1.0), 0.0)
    found = np.zeros((len(labels), len(order)))
    for strata, values in ((None, labels), (topic.stratum, drawn)):
        for h in range(1 if strata is None else int(topic.stratum.max()) + 1):
            kept = values if strata is None else np.where(strata == h, values, 0.0)
            extra = np.ones(len(labels)) if strata is None else topic.weights[1][:, h] - 1
            if not extra.any():
                continue
            ranked = kept[:, order]
            above = np.cumsum(ranked, axis=2) - ranked
            found += extra[:, None] * (ranked * above * reached).sum(axis=2)
    found += (labels[:, order] * reached).sum(axis=2)
    # Of a few documents, sums over pairs can come to anything: they stay within half of where AP is.
    return topic.jackknife(np.clip(_divided(found, labels.sum(axis=1), max(seen, 1.0)), -0.5, 1.5))


def ndcg(topic: Topic, cutoff: int, steps: dict[int, float], shares: dict[int, float]) -> Estimate:
    """nDCG of each system, and its variance. `steps` are how much the gain grows at each grade, `shares` t of each."""
    discount = np.where(topic.places < cutoff, 1 / np.log2(topic.places + 2.0), 0.0)
    size = topic.places.shape[1]
    ideal_sums = np.concatenate(([0.0], np.cumsum(1 / np.log2(np.arange(size) + 2.0))))
    gained = np.zeros((len(topic.weights[0]), len(topic.places)))
    ideal = np.zeros(len(gained))
    for level, step in steps.items():
        labels, _, _ = topic.labels(level, shares[level])
        gained += step * labels @ discount.T
        # Less of the judge for the number of relevant documents, all of it only where it is right: so the number falls
        # below 0 less often, and what is cut off there is bias. (That there are as many as people saw at least would be
        # true too, and biased.)
        counted = topic.labels(level, shares[level] ** 2)[0].sum(axis=1)
        relevant = np.clip(counted, 0.0, min(size, cutoff))
        ideal += step * np.interp(relevant, np.arange(size + 1), ideal_sums)
    return _beale(topic, gained, ideal, min(steps.values()))


def _beale(topic: Topic, above: Floats, below: Floats, least: float) -> Estimate:
    """A quotient of estimates, almost without bias: a/b (1 + cov(a, b)/(ab))/(1 + var(b)/b^2) (beale1962), b without its
    own bias and at least `least`. The jackknife of the quotient itself is too unsteady where b is hardly known."""
    under, spread = topic.jackknife(below[:, None])
    under = np.maximum(under, least)
    both = topic.covariance(above, below[:, None])
    value = (above[0] / under + both / under**2) / (1 + spread / under**2)
    return value, topic.jackknife(_divided(above, below, least))[1]


def _divided(above: Floats, below: Floats, least: float) -> Floats:
    """A quotient, 0 where there is nothing to divide by; what people saw is there at least."""
    below = np.maximum(below, least)[:, None]
    return np.asarray(np.divide(above, below, out=np.zeros_like(above), where=below > 1e-9))


def shares_of_judge(topics: Sequence[Topic], level: int) -> list[float]:
    """t for each topic: the slope of people's labels on the judge's over the sampled documents of all other topics,
    within topics, from 0 to 1. So it does not hang on the topic's own sample, which would be bias."""
    both, spread = np.array([_products(topic, level) for topic in topics]).T
    if len(topics) > 1:
        both, spread = both.sum() - both, spread.sum() - spread
    slopes = np.divide(both, spread, out=np.zeros(len(topics)), where=spread > 1e-12)
    return [float(slope) for slope in np.clip(slopes, 0.0, 1.0)]


def _products(topic: Topic, level: int) -> tuple[float, float]:
    """Of the judge's labels with people's, and with themselves, from their mean."""
    at = topic.sampled
    weight = topic.weights[0][0][at]
    j, h = ((grades[at] >= level).astype(float) for grades in (topic.judge, topic.human))
    centre = j - float(weight @ j) / max(float(weight.sum()), 1e-300)
    return float(weight @ (centre * h)), float(weight @ centre**2)


def too_few(topic: Topic) -> Bools:
    """Strata of which people judged fewer than two documents, and not all."""
    whole, n = topic.sizes
    return np.asarray((n < np.minimum(2, whole)) | ((n == 1) & (whole > 1)))
