"""The likelihood of pairwise verdicts: Bradley and Terry's model, Davidson's for ties, and a first place that helps.

Of the ordered pair (i, j), i seen first, delta = theta_i - theta_j + gamma. Ties as half, or none: P(i) = 1/(1 +
exp(-delta)). Davidson: P(i), P(j) and P(tie) are as exp(delta/2), exp(-delta/2) and exp(eta) (davidson1970;
davidson1977 with gamma). Both are log-linear, so that the log-likelihood is concave, and Newton's steps on the table of
pairs find its maximum. A prior of k battles: each system plays k more, half of them won, against an imaginary one of
strength 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, sums_by, tally
from ..data.battles import Cells
from ..errors import TauscopeError

#: Newton's steps; concave and smooth as it is, ten are many.
_STEPS = 60
#: The maximum is found where a step would add less than this to the log-likelihood of a battle.
_ENOUGH = 1e-13
#: Strengths further apart than this are on their way to infinity.
FARTHEST = 30.0


class Terms(NamedTuple):
    """Log-likelihood, and per cell its first and second derivatives by delta and eta."""

    value: float
    delta: Floats
    delta_delta: Floats
    eta: Floats
    delta_eta: Floats
    eta_eta: Floats


@dataclass(frozen=True, eq=False)
class Model:
    """Cells of ordered pairs and what is estimated: theta of `systems`, then gamma (`position`), then eta
    (`davidson`)."""

    first: Ints
    second: Ints
    counts: Floats  # won by the first, won by the second, ties
    systems: int
    davidson: bool
    position: bool
    prior: float = 0.0

    @property
    def parameters(self) -> int:
        return self.systems + self.position + self.davidson

    @property
    def battles(self) -> float:
        return float(self.counts.sum())

    def delta(self, theta: Floats) -> Floats:
        """Of each cell."""
        gap = theta[self.first] - theta[self.second]
        return gap + theta[self.systems] if self.position else gap

    def logarithms(self, theta: Floats) -> Floats:
        """Of the probabilities of each cell: the first wins, the second wins, a tie (-inf where ties are no
        outcome)."""
        half = self.delta(theta) / 2
        tie = np.full(len(half), theta[-1] if self.davidson else -np.inf)
        logits = np.stack((half, -half, tie), axis=1)
        largest = logits.max(axis=1, keepdims=True)
        return np.asarray(logits - largest - np.log(np.exp(logits - largest).sum(axis=1, keepdims=True)))

    def probabilities(self, theta: Floats) -> Floats:
        """Of each cell: the first wins, the second wins, a tie."""
        return np.asarray(np.exp(self.logarithms(theta)))

    def residuals(self, theta: Floats) -> tuple[Floats, Floats]:
        """What one battle adds to the gradient, by delta and by eta: cells x (first won, second won, tie)."""
        p = self.probabilities(theta)
        expected = (p[:, 0] - p[:, 1])[:, None] / 2
        return np.array([0.5, -0.5, 0.0]) - expected, np.array([0.0, 0.0, 1.0]) - p[:, 2:]

    def terms(self, theta: Floats) -> Terms:
        """The log-likelihood and its derivatives. Without Davidson's ties a tie is half a win of each."""
        log = self.logarithms(theta)
        p = np.exp(log)
        n = self.counts.sum(axis=1)
        won, lost, tied = self.counts.T
        if self.davidson:
            value = float((self.counts * log).sum())
        else:
            value = float(((won + tied / 2) * log[:, 0] + (lost + tied / 2) * log[:, 1]).sum())
        spread = p[:, 0] - p[:, 1]
        return Terms(
            value=value,
            delta=(won - lost - n * spread) / 2,
            delta_delta=n * (p[:, 0] + p[:, 1] - spread**2) / 4,
            eta=tied - n * p[:, 2],
            delta_eta=-n * spread * p[:, 2] / 2,
            eta_eta=n * p[:, 2] * (1 - p[:, 2]),
        )

    def assemble(self, delta_delta: Floats, delta_eta: Floats, eta_eta: Floats) -> Floats:
        """Sum over cells of weights times the outer products of the cells' rows: Hessians and sums of squared
        scores."""
        m = self.systems
        matrix = np.zeros((self.parameters, self.parameters))
        pairs = sums_by(self.first * m + self.second, delta_delta, m * m).reshape(m, m)
        both = pairs + pairs.T
        matrix[:m, :m] = np.diag(both.sum(axis=1)) - both
        if self.position:
            matrix[m, :m] = matrix[:m, m] = self._signed(delta_delta)
            matrix[m, m] = delta_delta.sum()
        if self.davidson:
            matrix[-1, :m] = matrix[:m, -1] = self._signed(delta_eta)
            if self.position:
                matrix[-1, m] = matrix[m, -1] = delta_eta.sum()
            matrix[-1, -1] = eta_eta.sum()
        return matrix

    def _signed(self, values: Floats) -> Floats:
        """Sums of a value per cell, + for the first and - for the second."""
        m = self.systems
        return np.asarray(sums_by(self.first, values, m) - sums_by(self.second, values, m))

    def gradient(self, terms: Terms, theta: Floats) -> Floats:
        result = np.empty(self.parameters)
        m = self.systems
        result[:m] = self._signed(terms.delta) + self._prior(theta)[1]
        if self.position:
            result[m] = terms.delta.sum()
        if self.davidson:
            result[-1] = terms.eta.sum()
        return result

    def hessian(self, terms: Terms, theta: Floats) -> Floats:
        """Minus the second derivatives; with 1/m in all cells of the thetas where no prior fixes their level."""
        matrix = self.assemble(terms.delta_delta, terms.delta_eta, terms.eta_eta)
        m = self.systems
        if self.prior:
            matrix[np.arange(m), np.arange(m)] += self._prior(theta)[2]
        else:
            matrix[:m, :m] += max(1.0, np.trace(matrix[:m, :m]) / m) / m
        return matrix

    def _prior(self, theta: Floats) -> tuple[float, Floats, Floats]:
        """Log-likelihood, gradient and curvature of the imaginary battles."""
        own = theta[: self.systems]
        p = 1 / (1 + np.exp(-own))
        value = -self.prior / 2 * float((np.logaddexp(0, own) + np.logaddexp(0, -own)).sum())
        return value, self.prior * (0.5 - p), self.prior * p * (1 - p)

    def prior_meat(self, theta: Floats) -> Floats:
        """The sum of the squared gradients of the imaginary battles, half of them won."""
        matrix = np.zeros((self.parameters, self.parameters))
        p = 1 / (1 + np.exp(-theta[: self.systems]))
        own = np.arange(self.systems)
        matrix[own, own] = self.prior / 2 * ((1 - p) ** 2 + p**2)
        return matrix

    def value(self, terms: Terms, theta: Floats) -> float:
        return terms.value + self._prior(theta)[0]


def maximise(model: Model, start: Floats | None = None) -> Floats:
    """The parameters of the largest likelihood, thetas adding up to 0 where no prior fixes them."""
    theta = np.zeros(model.parameters) if start is None else start.copy()
    terms = model.terms(theta)
    value = model.value(terms, theta)
    enough = _ENOUGH * max(1.0, model.battles)
    for _ in range(_STEPS):
        gradient = model.gradient(terms, theta)
        try:
            step = np.linalg.solve(model.hessian(terms, theta), gradient)
        except np.linalg.LinAlgError:
            raise Diverged from None
        gain = float(gradient @ step)
        if gain < enough:
            theta = theta + step
            break
        share = 1.0
        while True:
            tried = theta + share * step
            terms = model.terms(tried)
            new = model.value(terms, tried)
            if new >= value + 1e-4 * share * gain or share < 1e-8:
                break
            share /= 2
        theta, value = tried, new
        if np.ptp(theta[: model.systems]) > FARTHEST or np.abs(theta).max() > FARTHEST:
            raise Diverged
    else:
        raise Diverged
    if not model.prior:
        theta[: model.systems] -= theta[: model.systems].mean()
    return theta


class Diverged(TauscopeError):
    """The likelihood has no largest value: some strength goes to infinity."""

    def __init__(self) -> None:
        super().__init__("The likelihood has no largest value: some strength goes to infinity.")


def joined(cells: Cells, systems: int, *, ties: bool) -> Ints:
    """The component of each system in the graph of who met whom (`ties`: a tie joins too), numbered from the
    largest."""
    won = cells.counts[:, 0] + cells.counts[:, 1] + (cells.counts[:, 2] if ties else 0.0)
    return components(cells.first[won > 0], cells.second[won > 0], systems, "weak")


def mutual(cells: Cells, systems: int, *, ties: bool) -> Ints:
    """The strong component of each system: inside one, everybody beat everybody, directly or through others
    (ford1957)."""
    tied = cells.counts[:, 2] > 0 if ties else np.zeros(len(cells.first), bool)
    beat = (cells.counts[:, 0] > 0) | tied
    beaten = (cells.counts[:, 1] > 0) | tied
    winners = np.concatenate((cells.first[beat], cells.second[beaten]))
    losers = np.concatenate((cells.second[beat], cells.first[beaten]))
    return components(winners, losers, systems, "strong")


def components(start: Ints, end: Ints, systems: int, connection: str) -> Ints:
    """Number the components of a graph of systems, the largest first: the component of each system.

    Parameters
    ----------
    start, end : array
        The two ends of each edge.
    systems : int
        Number of systems.
    connection : {"weak", "strong"}
        Whether the direction of the edges matters.

    Returns
    -------
    array of int
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(start)), (start, end)), shape=(systems, systems))
    _, labels = connected_components(graph, directed=True, connection=connection)
    size = tally(labels)
    place = np.empty(len(size), np.int64)
    place[np.argsort(-size, kind="stable")] = np.arange(len(size))
    return np.asarray(place[labels])


def never(cells: Cells, systems: int, *, ties: bool) -> tuple[Ints, Ints]:
    """Systems that lost no battle, and those that won none; with `ties`, tied none either."""
    m = systems
    won = sums_by(cells.first, cells.counts[:, 0], m) + sums_by(cells.second, cells.counts[:, 1], m)
    lost = sums_by(cells.first, cells.counts[:, 1], m) + sums_by(cells.second, cells.counts[:, 0], m)
    tied = sums_by(cells.first, cells.counts[:, 2], m) + sums_by(cells.second, cells.counts[:, 2], m)
    also = tied if ties else np.zeros(m)
    return np.flatnonzero(lost + also == 0), np.flatnonzero(won + also == 0)


def more_wins_than_ties(cells: Cells, systems: int) -> bool:
    """Whether some cycle of "beat or tied" has more wins than ties.

    Without one, strengths far apart and ties as likely as wins fit ever better: Davidson's likelihood has no largest
    value. (A direction d of the strengths and e > 0 of the ties never lowers it where d_i - d_j >= 2e for every win of
    i over j and |d_i - d_j| <= 2e for every tie. Such a d exists where no cycle has a positive sum of +1 per win and -1
    per tie.)
    """
    m = systems
    won, lost, tied = (cells.counts[:, k] > 0 for k in range(3))
    if (won & lost).any():
        return True
    start = np.concatenate((cells.first[won], cells.second[lost], cells.first[tied], cells.second[tied]))
    end = np.concatenate((cells.second[won], cells.first[lost], cells.second[tied], cells.first[tied]))
    wins = int(won.sum() + lost.sum())
    length = np.where(np.arange(len(start)) < wins, 1, -1)
    longest = np.zeros(m, np.int64)
    for _ in range(m + 1):
        new = longest.copy()
        np.maximum.at(new, start, longest[end] + length)
        if (new == longest).all():
            return False
        longest = new
    return True
