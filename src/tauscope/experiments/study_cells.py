"""One cell of a study, as a worker computes it: a block of simulated collections, and what each method says of them."""

from __future__ import annotations

import math
from binascii import crc32
from typing import Any

import numpy as np

from .. import kernels
from ..arrays import Floats
from ..expected.methods import SUMS_OVER_PAIRS, Method
from ..inference.observed import Observed
from ..simulate.dependence import Copula
from ..simulate.margins import Margins
from ..simulate.model import Model, Options, fit
from ..simulate.scales import Scale
from ..ties import SNAP

#: A fitted simulator as arrays, and the two truths that go with it: what `fit_collection` gives.
Fitted = dict[str, Any]


def fit_collection(values: Floats, options: Options) -> Fitted:
    """The simulator of a collection, once for the whole study.

    Workers get its numbers instead of fitting again: where "exact" means are solved for, a difference in the last digit
    of anything before grows to 1e-13, and no digit may depend on who computed it.
    """
    model, own = fit(values, options)
    return {
        "normal": options.normal,
        "decimals": options.decimals,
        "random_topics": options.random_topics,
        "centres": model.centres,
        "shifts": model.shifts,
        "kept": model.kept,
        "residuals": model.residuals.tables,
        "residual_widths": model.residuals.bandwidths,
        "topics": model.topics.tables,
        "topic_width": model.topics.bandwidths,
        "rho": model.copula.rho,
        "loadings": model.copula.loadings,
        "moved": model.copula.moved,
        "original": values.mean(axis=0),
        "own": own,
    }


def model_of(fitted: Fitted) -> Model:
    """The simulator itself."""
    residuals = Margins(fitted["residuals"], fitted["residual_widths"])
    topics = Margins(fitted["topics"], fitted["topic_width"])
    copula = Copula(fitted["rho"], fitted["loadings"], fitted["moved"])
    scale = Scale(fitted["normal"], fitted["decimals"])
    kept = {name: fitted[name] for name in ("centres", "shifts", "kept", "random_topics")}
    return Model(scale=scale, residuals=residuals, topics=topics, copula=copula, **kept)


def run_block(
    fitted: Fitted, collection: str, topics: int, trials: tuple[int, int], methods: tuple[Method, ...], seed: int
) -> dict[str, Any]:
    """Trials first..last-1 of a collection and a size.

    `actual`: trials x truths x coefficients, the correlation of the simulated ranking with the original means and with
    the simulator's own; `estimates`: trials x methods x coefficients. Random numbers depend on the trial and on what
    they are for, so that neither blocks nor the choice of methods, sizes and collections move any.
    """
    model = model_of(fitted)
    # Chosen topics: what they are depends on how many are chosen.
    own = fitted["own"] if model.random_topics else model.expected(topics)
    truths = np.array([fitted["original"], own])
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
    generator = _generator(seed, *place, use) if method.random else None
    found = method.sums(observed, generator)
    return [found.get(name, math.nan) for name in SUMS_OVER_PAIRS]


def _generator(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
