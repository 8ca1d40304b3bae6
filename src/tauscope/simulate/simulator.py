"""`Simulator`: a model of a collection that draws scores of the same systems on new topics (urbano2016 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core import checking
from ..core.arrays import Floats
from ..core.checking import remembered
from ..data.ranking import Ranking
from ..data.scores import Scores
from ..errors import Advice, CallError, Option, TauscopeError
from ..io.door import as_scores
from ..results import Plain, count, fact, large, word
from .model import Model, Options, fit

_MEANS = ("exact", "published")
#: Decimals of a float in [0, 1].
_MOST_DECIMALS = 15


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Simulator(Plain):
    """Scores of the same systems on new topics, as if the collection had been built again, with the truth known.

    z_st = mu + nu_s + nu_t + e_st on the logit scale, z = log((p + a)/(1 - p + a)), a = .05. The topic effects nu_t and
    each system's residuals e_s follow kernel distribution functions (plug-in bandwidth, support ±2 log 21); a gaussian
    copula with the covariance of [e_1 .. e_m, nu_t] ties them together (urbano2016, section 4.2). Scores are continuous
    but for 0 and 1, so that ties are rare; a system with one score on all topics keeps it. Do not use it to learn how a
    new system would do, nor to get more out of a few topics than they hold; of 0/1 scores it keeps the means, but
    hardly how systems agree on topics. `Simulator.fit()` makes one.

    Parameters
    ----------
    systems : tuple of str
        The systems.
    topics : int
        How many topics it was fitted to.
    options : Options
        What was asked of it.
    original_means, true_means : ndarray
        The systems' means in the collection, and the expectation of what is drawn.
    model : Model
        The fitted model.
    measure, collection : str
        What the scores are of.
    notes : tuple of str
        What happened to the scores before.
    frame : str or None
        The library of the frame that the scores came from.

    Examples
    --------
    >>> board = Scores([[0.2, 0.3], [0.4, 0.7], [0.6, 0.5]], systems=["bm25", "dense"])
    >>> simulator = Simulator.fit(board)
    >>> simulator.true_ranking
    Ranking of 2 items, 0 tied pairs: dense bm25
    >>> simulator.draw(100, rng=1).shape
    (100, 2)
    """

    QUESTION: ClassVar[str] = "simulator"
    PAPERS: ClassVar[tuple[str, ...]] = ("urbano2016", "polansky2000", "higham2002")

    systems: tuple[str, ...]
    #: How many topics it was fitted to.
    topics: int
    options: Options
    original_means: Floats
    #: The expectation of what is drawn.
    true_means: Floats
    model: Model = large()
    measure: str = ""
    collection: str = ""
    notes: tuple[str, ...] = ()
    frame: str | None = large(None)

    @classmethod
    def fit(
        cls,
        scores: Scores | Any,
        *,
        means: str = "exact",
        normal: bool = False,
        homoscedastic: bool = False,
        uncorrelated: bool = False,
        random_topics: bool = True,
        decimals: int | None = None,
    ) -> Simulator:
        """What would new topics of this collection look like?

        Parameters
        ----------
        scores : Scores or array
            One row per topic, one column per system, scores in [0, 1].
        means : {"exact", "published"}, default "exact"
            "exact" moves each nu_s until the expected mean of a system is its mean in the collection; "published"
            leaves it, as the original does, which keeps means on the logit scale only.
        normal : bool, default False
            No logit: effects add up on the scale of the scores, residuals are normal. Scores are clipped to [0, 1].
        homoscedastic : bool, default False
            Residuals of every system are scaled to the pooled variance.
        uncorrelated : bool, default False
            Residuals are independent of each other and of the topic effects.
        random_topics : bool, default True
            False chooses topics from a pool of max(200, 4n) with weights from a Beta(u, v) density of the rank of their
            effect, u ~ U(.01, 2), v ~ U(2, 8), exchanged with probability 1/2.
        decimals : int or None, default None
            Rounds what is drawn (the study of urbano2016: 4; 0/1 scores: 0; P@10: 1).

        Returns
        -------
        Simulator
            With the true means known.

        Raises
        ------
        CallError
            Where an option is unknown.
        TauscopeError
            Where cells are missing, scores are outside [0, 1], or there is only one topic.
        """
        options = Options(means, normal, homoscedastic, uncorrelated, random_topics, decimals)
        _check_options(options)
        source = as_scores(scores, "Simulator.fit()")
        _check_scores(source)
        model, truth = fit(source.values, options)
        kept = {name: getattr(source, name) for name in ("systems", "measure", "collection", "notes", "frame")}
        means_ = source.means()
        return cls(
            topics=len(source.topics), options=options, original_means=means_, true_means=truth, model=model, **kept
        )

    @property
    def true_ranking(self) -> Ranking:
        """The ranking by the true means, which every sample of topics estimates."""
        return Ranking.from_means(self.true_means, self.systems)

    def expected_means(self, topics: int) -> Floats:
        """What are the expected means in collections of so many topics? By integration, nothing is drawn.

        They are the true means whatever the number, unless topics are not a random sample: then a larger share of the
        pool of 200 changes what is chosen, and `true_means` is for as many topics as the collection has.

        Parameters
        ----------
        topics : int
            How many topics the collections have.

        Returns
        -------
        ndarray
            One mean per system.
        """
        return self.model.expected(checking.whole(topics, "topics", least=1))

    def draw(self, topics: int, rng: int | np.random.Generator) -> Scores:
        """Scores of the systems on new topics. Topics of different draws have different names.

        Parameters
        ----------
        topics : int
            How many topics to draw.
        rng : int or Generator
            A seed; None is refused, because numbers could not be drawn again.

        Returns
        -------
        Scores
            One row per topic, one column per system.
        """
        number = checking.whole(topics, "topics", least=1)
        generator = _generator(rng)
        values = self.model.draw(number, generator)
        # Comparisons match topics by name: two draws must not look like one set of topics.
        name = f"sim{generator.integers(16**6):06x}"
        labels = tuple(f"{name}-{i}" for i in range(1, number + 1))
        seed = f"rng={rng}" if isinstance(rng, (int, np.integer)) else "rng a Generator"
        note = f"simulated from {count(self.topics, 'topic')} ({self.options.text()}; {seed})"
        return Scores(values, labels, self.systems, self.measure, self.collection, (*self.notes, note), self.frame)

    def draw_values(self, topics: int, rng: int | np.random.Generator) -> Floats:
        """What `draw` draws, without labels.

        Parameters
        ----------
        topics, rng
            How many topics, and the seed, as in `draw()`.

        Returns
        -------
        ndarray
            topics x systems.
        """
        return self.model.draw(checking.whole(topics, "topics", least=1), _generator(rng))

    @fact
    def off(self) -> float:
        """The largest distance between a true mean and the original one."""
        return float(np.abs(self.true_means - self.original_means).max())

    @fact
    def constant(self) -> int:
        """Number of systems with one score on all topics, which they keep."""
        return int((~np.isnan(self.model.kept)).sum())

    @fact
    def bandwidths(self) -> tuple[float, float, float]:
        """Kernel bandwidth of the topic effects, and the smallest and the largest one of the residuals."""
        widths = self.model.residuals.bandwidths
        return float(self.model.topics.bandwidths[0]), float(widths.min()), float(widths.max())

    @fact
    def rank(self) -> int:
        """Rank of the gaussian copula."""
        return self.model.copula.rank + 1

    @fact
    def moved(self) -> float:
        """How far the covariance was moved to be semi-definite."""
        return float(self.model.copula.moved)

    def columns(self) -> Mapping[str, Any]:
        """One row per system: means, how far nu_s was moved, and the residual's bandwidth and correlation."""
        return {
            "system": list(self.systems),
            "original_mean": self.original_means,
            "true_mean": self.true_means,
            "shift": self.model.shifts,
            "bandwidth": self.model.residuals.bandwidths,
            "topic_correlation": self.model.copula.rho,
        }


def _check_options(options: Options) -> None:
    checking.one_of(options.means, _MEANS, "means")
    for name in ("normal", "homoscedastic", "uncorrelated", "random_topics"):
        if not isinstance(getattr(options, name), (bool, np.bool_)):
            raise CallError(f"{name}={getattr(options, name)!r} must be True or False.")
    if options.decimals is not None:
        checking.whole(options.decimals, "decimals", most=_MOST_DECIMALS)


def _check_scores(scores: Scores) -> None:
    scores.require_complete("Simulator.fit()")
    if len(scores.topics) < 2:
        raise TauscopeError(
            f"Simulator.fit() of one {word('topic')}: how scores vary over {word('topics')} needs at least two."
        )
    outside = np.argwhere((scores.values < 0) | (scores.values > 1))
    if outside.size:
        first = [int(i) for i in outside[0]]
        raise TauscopeError(
            f"{count(len(outside), 'score')} outside [0, 1]; the first is {scores.values[tuple(first)]:g}, "
            f"{scores.place(first)}.",
            Advice("The logit needs scores in [0, 1]: divide by the largest that is possible."),
        )


def _generator(rng: int | np.random.Generator) -> np.random.Generator:
    if rng is None:
        raise CallError(
            "rng=None would draw numbers that cannot be drawn again.", Option("rng", 1, effect="or another seed")
        )
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(remembered(rng))
