"""Several people: how far they agree among themselves, and whether the judge is as close to the others as a person is.

One person is left out at a time; the others' mean is the reference. With c(a, b) the coefficient of two rankings, the
judge's advantage over person i is c(judge, others) - c(i, others). The judge is taken to be as good as that person
where the advantage is above -margin beyond chance: z = (advantage + margin)/s, s its standard deviation over resampled
topics.
The p-values are adjusted so that the share of false ones stays small whatever their dependence (benjamini2001). The
winning rate is the share of people that the judge is as good as, and from a half on it may stand in for one of them.
All this is the alternative annotator test (calderon2025), which asks it of single labels, at the level of rankings.

Several judges: a panel. The error of a judge on a topic and system is what people's score does not explain of it by a
straight line, topic means removed; the mean judge is that of all with the same spread. With rho the mean correlation of
the errors of two judges, k judges are worth k/(1 + (k - 1) rho) independent ones, since that is by what the variance of
their mean error falls (kish1965). People's own noise is in every error and makes rho larger: with
one person per label it is an upper limit, and the number a lower one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..coefficients.coefficient import Coefficient
from ..core import kernels
from ..core.arrays import Floats, snap_rows
from ..core.checking import PEOPLE_DRAWS, Stream, stream
from ..inference.true_means import jackknife

#: From this share of people on the judge may stand in for one of them (calderon2025).
WINNING = 0.5


class LeftOut(NamedTuple):
    """One person left out.

    Attributes
    ----------
    person : str
        Who.
    of_person, of_judge : float
        Agreement of the person, and of the judge, with the others' mean.
    error : float
        Standard error of the judge's advantage over resampled topics.
    p : float
        One-sided, against an advantage of at most -margin, adjusted for all people.
    as_good : bool
        Whether the judge is as good as this person.
    """

    person: str
    of_person: float
    of_judge: float
    error: float
    p: float
    as_good: bool

    @property
    def advantage(self) -> float:
        """The judge's agreement with the others less the person's."""
        return self.of_judge - self.of_person


class Ceiling(NamedTuple):
    """Agreement among people, and the judge beside it.

    Attributes
    ----------
    between : float
        Mean agreement of two people, the ceiling of a single one.
    with_others : float
        Mean agreement of a person with the mean of the others.
    of_judge : float
        The same of the judge.
    left_out : tuple of LeftOut
        One person after the other.
    winning : float
        The share of people that the judge is as good as.
    advantage, low, high : float
        The mean advantage of the judge on as many topics, with limits over topics. It is not corrected for topic noise,
        which draws it towards 0.
    """

    between: float
    with_others: float
    of_judge: float
    left_out: tuple[LeftOut, ...]
    winning: float
    advantage: float
    low: float
    high: float

    @property
    def stands_in(self) -> bool:
        """Whether the judge may stand in for one of these people."""
        return self.winning >= WINNING


def ceiling(
    judge: Floats,
    people: Sequence[Floats],
    names: Sequence[str],
    c: Coefficient,
    *,
    margin: float,
    level: float,
    seed: int,
) -> Ceiling:
    """Measure how far people agree among themselves, and whether the judge is as close to the others as each person is.

    Parameters
    ----------
    judge : array of topics x systems
        Scores of the judge.
    people : sequence of array of topics x systems
        Scores of at least three people, on the same topics and systems in the same order.
    names : sequence of str
        Names of the people.
    c : Coefficient
        The coefficient of two rankings.
    margin : float
        By how much less than a person the judge may agree with the others.
    level : float
        Confidence of limits and tests.
    seed : int
        Seed of the resamples.

    Returns
    -------
    Ceiling
    """
    from scipy.special import ndtr, stdtrit

    n, k = len(judge), len(people)
    generator = stream(seed, Stream.PEOPLE)
    counts = generator.multinomial(n, np.full(n, 1 / n), PEOPLE_DRAWS) / n
    weights = np.concatenate([np.full((1, n), 1 / n), counts])
    means = [weights @ one for one in (judge, *people)]
    own, of_judge = [], []
    for i in range(k):
        others = sum(means[1 + j] for j in range(k) if j != i) / (k - 1)
        own.append(_batch(c, means[1 + i], others))
        of_judge.append(_batch(c, means[0], others))
    ahead = np.array(of_judge) - np.array(own)
    errors = np.nanstd(ahead[:, 1:], axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(errors > 0, (ahead[:, 0] + margin) / errors, np.inf * np.sign(ahead[:, 0] + margin))
    p = yekutieli(ndtr(-np.nan_to_num(z)))
    between = [float(_batch(c, means[1 + i][:1], means[1 + j][:1])[0]) for i in range(k) for j in range(k) if i < j]
    left = tuple(
        LeftOut(name, float(a[0]), float(b[0]), float(error), float(q), bool(q < 1 - level))
        for name, a, b, error, q in zip(names, own, of_judge, errors, p, strict=True)
    )
    mean = ahead.mean(axis=0)
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * float(np.nanstd(mean[1:], ddof=1))
    return Ceiling(
        between=float(np.mean(between)),
        with_others=float(np.mean([a[0] for a in own])),
        of_judge=float(np.mean([b[0] for b in of_judge])),
        left_out=left,
        winning=float(np.mean([one.as_good for one in left])),
        advantage=float(mean[0]),
        low=float(mean[0]) - reach,
        high=float(mean[0]) + reach,
    )


def yekutieli(p: Floats) -> Floats:
    """Adjust p-values so that the false discovery rate is kept whatever the dependence (benjamini2001).

    The k-th smallest of N is multiplied by N/k and by 1 + 1/2 + … + 1/N, and none is above a larger one's.

    Parameters
    ----------
    p : array of float
        p-values of single tests.

    Returns
    -------
    array of float
        Adjusted p-values in the same order, at most 1.

    Examples
    --------
    >>> yekutieli(np.array([0.01, 0.04])).round(4).tolist()
    [0.03, 0.06]
    """
    size = len(p)
    order = np.argsort(p, kind="stable")
    factor = size * (1 / np.arange(1, size + 1)).sum() / np.arange(1, size + 1)
    scaled = np.minimum.accumulate((p[order] * factor)[::-1])[::-1]
    found = np.empty(size)
    found[order] = np.minimum(1.0, scaled)
    return found


def _batch(c: Coefficient, estimates: Floats, truths: Floats) -> Floats:
    """The coefficient of each row of one with the same row of the other; means that differ by rounding are tied."""
    values, _ = kernels.batch(c, snap_rows(estimates), snap_rows(truths))
    return values


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
    r"""Estimate how many independent judges several judges are worth.

    .. math:: k_{\text{eff}} = \frac{k}{1 + (k - 1) \rho}

    where rho is the mean correlation of the errors of two judges: what people's scores do not explain of a judge by a
    straight line, topic means removed. Noise of people is in every error and makes rho larger.

    Parameters
    ----------
    judges : sequence of array of topics x systems
        Scores of at least two judges.
    people : array of topics x systems
        Scores of people on the same topics and systems.
    c : Coefficient
        The coefficient of two rankings.
    level : float
        Confidence of the limits, by a jackknife over topics.

    Returns
    -------
    Panel
    """
    y = _centred(people)
    scaled = np.array([on_scale(_centred(one), y) for one in judges])
    errors = np.array([_error(_centred(one), y) for one in judges])
    n, k = len(people), len(judges)
    # Products of errors by topic: leaving a topic out takes its products off.
    products = np.einsum("ats,bts->tab", errors, errors)
    total = products.sum(axis=0)
    rho = _rho(total)
    left = np.array([_rho(total - products[t]) for t in range(n)])
    effective = _effective(k, rho)
    reach = (
        jackknife(effective, np.array([_effective(k, r) for r in left]), np.ones(n)).reach(level) if n > 2 else math.nan
    )
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


def _effective(k: int, rho: float) -> float:
    """k judges whose errors cancel out beyond independence are not counted for more than k."""
    return min(float(k), k / max(1 + (k - 1) * rho, 1.0 / k))


def _value(c: Coefficient, estimate: Floats, truth: Floats) -> float:
    return float(kernels.one(c, np.ascontiguousarray(estimate), np.ascontiguousarray(truth)).value)
