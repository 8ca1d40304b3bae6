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
    """The log-likelihood of a model, and the derivatives of each cell.

    Parameters
    ----------
    value : float
        The log-likelihood without the prior.
    delta, eta : array
        First derivatives by the lead of the first system, delta, and by the weight of ties, eta: one per cell.
    delta_delta, delta_eta, eta_eta : array
        Second derivatives with the sign changed, so that they are weights.
    """

    value: float
    delta: Floats
    delta_delta: Floats
    eta: Floats
    delta_eta: Floats
    eta_eta: Floats


@dataclass(frozen=True, eq=False)
class Model:
    r"""The log-likelihood of cells of battles: ordered pairs of systems with their numbers of wins and ties.

    Of the ordered pair (i, j), i seen first, the lead is :math:`\delta = \theta_i - \theta_j + \gamma`. The parameters
    are the strengths :math:`\theta`, then :math:`\gamma`, what the first place adds, then :math:`\eta`, the weight of
    ties, as far as they are estimated.

    Parameters
    ----------
    first, second : array of int
        The two systems of each cell.
    counts : array
        Cells x (won by the first, won by the second, ties).
    systems : int
        Number of systems.
    davidson : bool
        Whether a tie is an outcome of its own; otherwise it is half a win for each.
    position : bool
        Whether the effect of the first place is estimated.
    prior : float
        Number of imaginary battles of each system against one of strength 0, half of them won.
    """

    first: Ints
    second: Ints
    counts: Floats  # won by the first, won by the second, ties
    systems: int
    davidson: bool
    position: bool
    prior: float = 0.0

    @property
    def parameters(self) -> int:
        """Number of parameters: the strengths, and the effects of place and ties where they are estimated."""
        return self.systems + self.position + self.davidson

    @property
    def battles(self) -> float:
        """Number of battles in all cells."""
        return float(self.counts.sum())

    def delta(self, theta: Floats) -> Floats:
        """Return the lead of the first system in each cell."""
        gap = theta[self.first] - theta[self.second]
        return gap + theta[self.systems] if self.position else gap

    def logarithms(self, theta: Floats) -> Floats:
        r"""Compute the logarithms of the probabilities of the three outcomes: cells x (first wins, second wins, tie).

        The weights of the outcomes are :math:`e^{\delta/2}`, :math:`e^{-\delta/2}` and :math:`e^{\eta}` (davidson1970);
        without ties as an outcome the third one is 0, and its logarithm -inf. They are scaled by the largest before the
        sum, so that none overflows.
        """
        half = self.delta(theta) / 2
        tie = np.full(len(half), theta[-1] if self.davidson else -np.inf)
        logits = np.stack((half, -half, tie), axis=1)
        largest = logits.max(axis=1, keepdims=True)
        return np.asarray(logits - largest - np.log(np.exp(logits - largest).sum(axis=1, keepdims=True)))

    def probabilities(self, theta: Floats) -> Floats:
        """Return the probabilities of the outcomes of each cell: the first wins, the second wins, a tie."""
        return np.asarray(np.exp(self.logarithms(theta)))

    def residuals(self, theta: Floats) -> tuple[Floats, Floats]:
        """Compute what one battle adds to the gradient, for each cell and each outcome.

        The result is a pair, by delta and by eta, each of cells x (first won, second won, tie).
        """
        p = self.probabilities(theta)
        expected = (p[:, 0] - p[:, 1])[:, None] / 2
        return np.array([0.5, -0.5, 0.0]) - expected, np.array([0.0, 0.0, 1.0]) - p[:, 2:]

    def terms(self, theta: Floats) -> Terms:
        """Compute the log-likelihood and its derivatives by cell, without the prior.

        Without ties as an outcome a tie counts as half a win of each.
        """
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
        """Sum weights of the cells times the outer products of their rows: Hessians, and sums of squared gradients.

        The row of a cell in the design matrix is +1 for the first system, -1 for the second, and 1 for the effect of
        the first place. Only these few entries are touched, so that the cost is that of the cells and not of a product
        of matrices.

        Parameters
        ----------
        delta_delta, delta_eta, eta_eta : array
            Weights of the cells for each pair of derivatives.

        Returns
        -------
        ndarray
            Parameters x parameters.
        """
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
        """Sum a value of each cell over systems, with + for the first and - for the second."""
        m = self.systems
        return np.asarray(sums_by(self.first, values, m) - sums_by(self.second, values, m))

    def gradient(self, terms: Terms, theta: Floats) -> Floats:
        """Return the gradient of the log-likelihood, the prior included, from the derivatives of the cells."""
        result = np.empty(self.parameters)
        m = self.systems
        result[:m] = self._signed(terms.delta) + self._prior(theta)[1]
        if self.position:
            result[m] = terms.delta.sum()
        if self.davidson:
            result[-1] = terms.eta.sum()
        return result

    def hessian(self, terms: Terms, theta: Floats) -> Floats:
        """Return minus the matrix of second derivatives, the prior included.

        Without a prior only differences of strengths matter. A constant in all cells of the strengths then makes the
        matrix regular, and fixes their sum.
        """
        matrix = self.assemble(terms.delta_delta, terms.delta_eta, terms.eta_eta)
        m = self.systems
        if self.prior:
            matrix[np.arange(m), np.arange(m)] += self._prior(theta)[2]
        else:
            matrix[:m, :m] += max(1.0, np.trace(matrix[:m, :m]) / m) / m
        return matrix

    def _prior(self, theta: Floats) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, the gradient and the curvature of the imaginary battles."""
        strengths = theta[: self.systems]
        p = 1 / (1 + np.exp(-strengths))
        value = -self.prior / 2 * float((np.logaddexp(0, strengths) + np.logaddexp(0, -strengths)).sum())
        return value, self.prior * (0.5 - p), self.prior * p * (1 - p)

    def prior_meat(self, theta: Floats) -> Floats:
        """Sum the squared gradients of the imaginary battles, half of which each system wins.

        The sandwich needs them: without them a system that has few battles would seem to be known exactly.
        """
        matrix = np.zeros((self.parameters, self.parameters))
        p = 1 / (1 + np.exp(-theta[: self.systems]))
        diagonal = np.arange(self.systems)
        matrix[diagonal, diagonal] = self.prior / 2 * ((1 - p) ** 2 + p**2)
        return matrix

    def value(self, terms: Terms, theta: Floats) -> float:
        """Return the log-likelihood with the prior."""
        return terms.value + self._prior(theta)[0]


def maximise(model: Model, start: Floats | None = None) -> Floats:
    """Find the parameters of the largest likelihood by Newton's method.

    The log-likelihood is concave, so that a step which raises it enough is taken, and halved otherwise (Armijo's rule).

    Parameters
    ----------
    model : Model
        What is maximised.
    start : array, optional
        Parameters to begin with; zeros by default.

    Returns
    -------
    ndarray
        The parameters; the strengths add up to 0 where no prior fixes them.

    Raises
    ------
    Diverged
        If a strength goes to infinity, as that of a system that never lost does.
    """
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
    """Return the component of each system in the graph of systems that met, numbered from the largest.

    Strengths of systems in different components cannot be compared.

    Parameters
    ----------
    cells : Cells
        The battles.
    systems : int
        Number of systems.
    ties : bool
        Whether a tie joins two systems, too.
    """
    won = cells.counts[:, 0] + cells.counts[:, 1] + (cells.counts[:, 2] if ties else 0.0)
    return components(cells.first[won > 0], cells.second[won > 0], systems, "weak")


def mutual(cells: Cells, systems: int, *, ties: bool) -> Ints:
    """Return the strong component of each system in the graph of systems that beat another, numbered from the largest.

    Inside one component every system beat every other one, directly or through others. This is the condition for finite
    strengths (ford1957).

    Parameters
    ----------
    cells, systems, ties
        As in `joined()`; with `ties` each of two tied systems counts as beaten by the other.
    """
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
    """Return the places of the systems that lost no battle, and of those that won none.

    Parameters
    ----------
    cells, systems
        As in `joined()`.
    ties : bool
        Whether a tie is enough to be in neither group.
    """
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
