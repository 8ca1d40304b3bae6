"""One cell of a study, as a worker computes it: a block of simulated collections, and what each method says of them."""

from __future__ import annotations

import math
from binascii import crc32
from functools import lru_cache
from typing import Any

import numpy as np

from .. import kernels
from ..expected.estimators import estimate_sums
from ..expected.methods import SUMS_OVER_PAIRS, Method
from ..expected.observed import Observed
from ..simulate.model import Model, Options, fit
from ..ties import SNAP, Floats


def run_block(
    values: Floats,
    options: Options,
    collection: str,
    topics: int,
    trials: tuple[int, int],
    methods: tuple[Method, ...],
    seed: int,
) -> dict[str, Any]:
    """Trials first..last-1 of a collection and a size.

    `actual`: trials x truths x coefficients, the correlation of the simulated ranking with the original means and with the
    simulator's own; `estimates`: trials x methods x coefficients. Random numbers depend on the trial and on what they are for,
    so that neither blocks nor the choice of methods, sizes and collections move any.
    """
    model, truths = _fitted(values.tobytes(), values.shape, options, topics)
    name = crc32(collection.encode("utf-8"))
    actual, estimates = [], []
    for trial in range(*trials):
        drawn = model.draw(topics, _generator(seed, name, topics, trial, 0))
        observed = Observed.of(drawn)
        actual.append(correlations(drawn.mean(axis=0), truths))
        estimates.append([_estimate(observed, method, seed, (name, topics, trial)) for method in methods])
    shape = (len(actual), len(methods), len(SUMS_OVER_PAIRS))
    return {"actual": np.array(actual), "estimates": np.array(estimates).reshape(shape)}


def correlations(means: Floats, truths: Floats) -> Floats:
    """tau and tau_ap of the ranking by `means` with each row of `truths`; a tied pair is not discordant."""
    m = len(means)
    distance, head = kernels.discordance(means[None], truths, SNAP * float(np.abs(truths).max()))
    return np.column_stack([1 - 4 * distance / (m * (m - 1)), 1 - 2 * head / (m - 1)])


def _estimate(observed: Observed, method: Method, seed: int, place: tuple[int, ...]) -> list[float]:
    use = 1 + crc32(method.name.encode("utf-8"))
    generator = None if method.closed_form else _generator(seed, *place, use)
    found = estimate_sums(observed, method, generator)
    return [found.get(name, math.nan) for name in SUMS_OVER_PAIRS]


def _generator(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


@lru_cache(maxsize=16)
def _fitted(data: bytes, shape: tuple[int, int], options: Options, topics: int) -> tuple[Model, Floats]:
    """The model, and two rows of true means: the original, and those of the simulator. A worker fits a collection once."""
    model, own = _model(data, shape, options)
    if not options.random_topics:  # chosen topics: what they are depends on how many are chosen
        own = model.expected(topics)
    original = np.frombuffer(data).reshape(shape).mean(axis=0)
    return model, np.array([original, own])


@lru_cache(maxsize=8)
def _model(data: bytes, shape: tuple[int, int], options: Options) -> tuple[Model, Floats]:
    return fit(np.frombuffer(data).reshape(shape), options)
