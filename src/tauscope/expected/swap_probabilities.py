"""`swap_probabilities()`: how likely is it that two systems are really in the other order?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .. import checking, papers
from ..arrays import Floats, Ints
from ..errors import TauscopeError
from ..files.door import ScoresLike, takes_scores
from ..inference.observed import SWAP_SUMS, Observed, observed_scores
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..results import Result, count, number, said, word
from ..scores.additive import RestsOn
from ..scores.alignment import require_type
from ..scores.holes import adjusted_or_complete
from .methods import Method, method_of

#: How many of the most doubtful pairs are printed.
SHOWN = 3


class SwapPair(NamedTuple):
    """Two systems, the one observed to be better first, and the chance that the other one really is."""

    better: str
    worse: str
    probability: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SwapProbabilities(Result):
    """The chance that two systems are really in the other order: `values[i, j]`, systems best first, symmetric.

    `probabilities["a", "b"]` looks one up by name, and iterating goes through all pairs, the most doubtful first.

    Parameters
    ----------
    systems : tuple of str
        The systems, the one with the highest observed mean first.
    method : Method
        How the probabilities were estimated.
    seed : int or None
        The seed, where random numbers were drawn.
    vector : ndarray
        One probability per pair, the upper triangle row by row.
    topics : int
        How many topics the means are over.
    rests_on : RestsOn or None
        Where cells are missing, how many the means rest on.
    """

    systems: tuple[str, ...]
    method: Method
    seed: int | None
    vector: Floats
    topics: int
    rests_on: RestsOn | None = field(default=None, repr=False)

    @cached_property
    def values(self) -> Floats:
        """The probabilities as a symmetric matrix, systems x systems, 0 on the diagonal."""
        m = len(self.systems)
        matrix = np.zeros((m, m))
        first, second = np.triu_indices(m, 1)
        matrix[first, second] = matrix[second, first] = self.vector
        return matrix

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.vector)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        at = {system: place for place, system in enumerate(self.systems)}
        unknown = [name for name in pair if name not in at]
        if unknown:
            raise TauscopeError(f"There is no system {unknown[0]!r} among the {len(self.systems):,}.")
        return float(self.values[at[pair[0]], at[pair[1]]])

    def __iter__(self) -> Iterator[SwapPair]:
        return iter(self.at_least(0.0))

    def at_least(self, probability: float) -> list[SwapPair]:
        """The pairs that are swapped with at least this probability, the most doubtful first.

        Parameters
        ----------
        probability : float
            Between 0 and 1; 0 gives all pairs.

        Returns
        -------
        list of SwapPair
            Named tuples (better, worse, probability).
        """
        least = checking.share(probability, "probability", zero=True, one=True)
        return self._pairs(np.flatnonzero(self.vector >= least))

    def _pairs(self, found: Ints, most: int | None = None) -> list[SwapPair]:
        found = found[np.argsort(-self.vector[found], kind="stable")][:most]
        first, second = (side[found] for side in np.triu_indices(len(self.systems), 1))
        return [
            SwapPair(self.systems[i], self.systems[j], float(p))
            for i, j, p in zip(first, second, self.vector[found], strict=True)
        ]

    @property
    def of_100(self) -> float:
        """How many of 100 pairs are probably in the wrong order; NaN where there are no pairs."""
        return 100 * float(self.vector.mean()) if len(self.vector) else math.nan

    def lines(self) -> list[str]:
        seed = "" if self.seed is None else f", seed {self.seed}"
        doubtful = self._pairs(np.arange(len(self.vector)), SHOWN)
        top = "; ".join(f"{p.better} / {p.worse} {number(p.probability)}" for p in doubtful)
        return [
            f"Swap probabilities of {count(len(self), 'pair')} of {count(len(self.systems), 'system')}: "
            f"about {number(self.of_100, 1)} of 100 are probably in the wrong order",
            f"{self.method.text}{seed}",
            f"most doubtful: {top or 'none'}",
            *([] if self.rests_on is None else [self.rests_on.line()]),
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how many pairs are probably in the wrong order, and how that was estimated.

        Returns
        -------
        str
            One sentence, with the most doubtful pair, and the seed where something was drawn.
        """
        seed = "" if self.seed is None else f", seed {self.seed}"
        cells = "" if self.rests_on is None else f"; {self.rests_on.line()}"
        doubtful = "".join(
            f"; the most doubtful pair is {pair.better} above {pair.worse}, {number(pair.probability)}"
            for pair in self._pairs(np.arange(len(self.vector)), 1)
        )
        return (
            f"About {number(self.of_100, 1)} of 100 pairs of {count(len(self.systems), 'system')} over "
            f"{count(self.topics, 'topic')} are probably in the wrong order "
            f"({count(len(self), 'swap probability', 'swap probabilities')} estimated by "
            f"{said(self.method.text)}{seed}{doubtful}{cells}; after {papers.short('urbano2016')})."
        )

    def columns(self) -> dict[str, Any]:
        first, second = np.triu_indices(len(self.systems), 1)
        return {
            "better": [self.systems[i] for i in first],
            "worse": [self.systems[j] for j in second],
            "probability": self.vector,
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "systems": list(self.systems),
            "method": self.method.name,
            "seed": self.seed,
            "topics": self.topics,
            "values": self.values.tolist(),
            "methods_sentence": self.methods_sentence(),
        }

    def cited(self) -> tuple[str, ...]:
        return ("urbano2016",)

    def plot(self) -> Any:
        """The matrix as colours: dark near the diagonal, where systems are close."""
        from ..figures import heatmap

        return heatmap(
            self.values,
            self.systems,
            self.systems,
            rows=word("system"),
            columns=word("system"),
            title=said("Chance that two systems are really in the other order"),
            diverging=False,
        )


@takes_scores("scores")
def swap_probabilities(
    scores: ScoresLike, method: str | Method | None = None, *, missing: str = "error", rng: Rng = 0
) -> SwapProbabilities:
    """How likely is it that two systems are really in the other order than their observed means say?

    By default p = T_{n-1}(-sqrt(n g) d/s): d the difference of the observed means over n topics, s the standard
    deviation of the differences, g the reliability of the means (urbano2016 eq. 5, with gaps shrunk). Systems with
    equal means have 1/2, and so have identical ones, except by the methods of urbano2016, which give them 0.
    Do not use it where topics are no random sample, nor as a test: that is `significance()`.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        One row per topic, one column per system.
    method : str, Method or None, default None
        Any method of `expected_correlation()` but split-half; None is `Shrunk()`.
    missing : {"error", "adjusted", "zero", "drop-topics", "drop-systems"}, default "error"
        What a cell without a score means. "adjusted" takes the means of an additive model of systems and topics, with
        the errors that its topics leave, if cells are missing at random; the others are those of `Scores`.
    rng : int, Generator or None, default 0
        Seed of the methods that draw; None takes a fresh one, which the result remembers.

    Returns
    -------
    SwapProbabilities
        One probability per pair of systems.

    Raises
    ------
    CallError
        Where the method is unknown, or has no swap probabilities.
    TauscopeError
        Where cells are missing, or there are fewer than two systems or topics.

    See Also
    --------
    expected_correlation : what the probabilities add up to.

    Examples
    --------
    >>> from tauscope import Scores
    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.3]], systems=["bm25", "tfidf"])
    >>> round(swap_probabilities(scores, "ml")["bm25", "tfidf"], 4)
    0.0718
    """
    chosen = method_of(method, SWAP_SUMS[0])
    require_type(scores, "swap_probabilities()")
    scores, rests_on = adjusted_or_complete(scores, missing, "swap_probabilities()")
    observed = observed_scores(scores, "swap_probabilities()")
    found = swaps_of(observed, chosen, scores.systems, remembered(rng) if chosen.random else 0)
    return found if rests_on is None else replace(found, rests_on=rests_on)


def swaps_of(observed: Observed, method: Method, systems: tuple[str, ...], seed: int) -> SwapProbabilities:
    """The probabilities by one method; `systems` are named in the order of the scores."""
    vector = method.swaps(observed, stream(seed, Stream.POINT) if method.random else None)
    return SwapProbabilities(
        systems=tuple(systems[i] for i in observed.order),
        method=method,
        seed=seed if method.random else None,
        vector=vector,
        topics=observed.topics,
    )
