"""Several people: how far they agree among themselves, and whether the judge is as close to the others as a person is.

One person is left out at a time; the others' mean is the reference. With c(a, b) the coefficient of two rankings, the
judge's advantage over person i is c(judge, others) - c(i, others). The judge is taken to be as good as that person where
the advantage is above -margin beyond chance: z = (advantage + margin)/s, s its standard deviation over resampled topics.
The p-values are adjusted so that the share of false ones stays small whatever their dependence (benjamini2001). The
winning rate is the share of people that the judge is as good as, and from a half on it may stand in for one of them.
All this is the alternative annotator test (calderon2025), which asks it of single labels, at the level of rankings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .. import kernels
from ..arrays import Floats
from ..coefficients.coefficient import Coefficient
from ..jobs.draws import PEOPLE_DRAWS
from ..jobs.seeds import Stream, stream
from ..ties import snap_rows

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
    """All topics x systems, in the same order, at least three people."""
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
    """Adjusted p-values that keep the false discovery rate whatever the dependence (benjamini2001).

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
