"""A panel of judges: how many independent ones it is worth, and what each adds.

The error of a judge on a topic and system is what people's score does not explain of it by a straight line, topic means
removed; the mean judge is that of all with the same spread. With rho the mean correlation of the errors of two judges, k judges are worth k/(1 + (k - 1) rho) independent ones, since that is by
what the variance of their mean error falls (kish1965). People's own noise is in every error and makes rho larger: with
one person per label it is an upper limit, and the number a lower one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .. import kernels
from ..arrays import Floats
from ..coefficients.coefficient import Coefficient
from ..expected.intervals import jackknife


class Panel(NamedTuple):
    """What several judges are worth together.

    Attributes
    ----------
    correlation : float
        rho, the mean correlation of the errors of two judges.
    effective, low, high : float
        The number of independent judges, with limits over topics.
    mean_judge : float
        Agreement of the mean judge with people.
    best : float
        That of the best single judge.
    without : tuple of float
        That of the mean judge without each.
    """

    correlation: float
    effective: float
    low: float
    high: float
    mean_judge: float
    best: float
    without: tuple[float, ...]


def panel(judges: Sequence[Floats], people: Floats, c: Coefficient, *, level: float) -> Panel:
    """All topics x systems, in the same order, at least two judges."""
    y = _centred(people)
    scaled = np.array([on_scale(_centred(one), y) for one in judges])
    errors = np.array([_error(_centred(one), y) for one in judges])
    n, k = len(people), len(judges)
    # Products of errors by topic: leaving a topic out takes its products off.
    products = np.einsum("ats,bts->tab", errors, errors)
    total = products.sum(axis=0)
    rho = _rho(total)
    left = np.array([_rho(total - products[t]) for t in range(n)])
    effective = _worth(k, rho)
    reach = jackknife(effective, np.array([_worth(k, r) for r in left]), np.ones(n)).reach(level) if n > 2 else math.nan
    gold = people.mean(axis=0)
    single = [_value(c, one.mean(axis=0), gold) for one in judges]
    without = [
        _value(c, np.delete(scaled, j, axis=0).mean(axis=(0, 1)), gold) if k > 2 else single[1 - j] for j in range(k)
    ]
    return Panel(
        correlation=rho,
        effective=effective,
        low=max(1.0, effective - reach),
        high=min(float(k), effective + reach),
        mean_judge=_value(c, scaled.mean(axis=(0, 1)), gold),
        best=max(single),
        without=tuple(without),
    )


def on_scale(judge: Floats, people: Floats) -> Floats:
    """A judge's scores with the spread of people's: of both, topic means are removed."""
    spread = float(judge.std())
    return np.asarray(judge * (float(people.std()) / spread if spread > 0 else 0.0))


def _error(judge: Floats, people: Floats) -> Floats:
    """What is left of a judge beside people's scores: f = b y + error, b by least squares over all cells."""
    slope = float((judge * people).sum()) / max(float((people**2).sum()), 1e-300)
    return np.asarray(judge - slope * people)


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean(axis=1, keepdims=True))


def _rho(products: Floats) -> float:
    own = np.sqrt(np.maximum(np.diagonal(products), 1e-300))
    above = np.triu_indices(len(own), 1)
    return float((products / np.outer(own, own))[above].mean())


def _worth(k: int, rho: float) -> float:
    """k judges whose errors cancel out beyond independence are not counted for more than k."""
    return min(float(k), k / max(1 + (k - 1) * rho, 1.0 / k))


def _value(c: Coefficient, estimate: Floats, truth: Floats) -> float:
    return float(kernels.one(c, np.ascontiguousarray(estimate), np.ascontiguousarray(truth)).value)
