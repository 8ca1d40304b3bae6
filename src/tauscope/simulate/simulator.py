"""`Simulator`: a model of a collection that draws scores of the same systems on new topics (urbano2016 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checking
from ..core.arrays import Floats, repeated
from ..core.checking import remembered
from ..data.ranking import Ranking
from ..data.scores import Scores
from ..errors import Advice, CallError, Option, TauscopeError
from ..io.door import as_scores
from ..results import Note, Notes, Plain, count, fact, large, word
from .distributions import (
    FLAT,
    Copula,
    Margins,
    Scale,
    Sums,
    centres,
    gaussian_copula,
    kernel_margins,
    normal_margins,
    sums,
)

_MEANS = ("exact", "published")
#: Decimals of a float in [0, 1].
_MOST_DECIMALS = 15
#: Cells drawn at a time: they fit in the cache, and it is always the same number, as must be the scores.
_BLOCK = 1 << 16


class Options(NamedTuple):
    """What was asked of a simulator.

    Parameters
    ----------
    means, normal, homoscedastic, uncorrelated, random_topics, decimals
        As in `Simulator.fit()`.
    """

    means: str = "exact"
    normal: bool = False
    homoscedastic: bool = False
    uncorrelated: bool = False
    random_topics: bool = True
    decimals: int | None = None

    def text(self) -> str:
        """Return the options that were chosen, for a sentence."""
        words = [f"means {self.means}"]
        words += [name for name in ("normal", "homoscedastic", "uncorrelated") if getattr(self, name)]
        words += [] if self.random_topics else [str(Note("topics_not_random"))]
        words += [] if self.decimals is None else [f"rounded to {count(self.decimals, 'decimal')}"]
        return ", ".join(words)


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    r"""The fitted model, :math:`z_{st} = c_s + \nu_t + e_{st}`.

    Parameters
    ----------
    scale : Scale
        The scale of the effects.
    centres : array
        c_s of each system.
    shifts : array
        How far c_s was moved so that the expected mean is the mean in the collection.
    residuals, topics : Margins
        Distributions of the residuals of each system, and of the topic effects.
    copula : Copula
        How they depend on each other.
    kept : array
        The score of a system that has only one on all topics; NaN for all others.
    random_topics : bool
        Whether topics are a random sample.
    """

    scale: Scale
    centres: Floats
    shifts: Floats
    residuals: Margins
    topics: Margins
    copula: Copula
    kept: Floats
    random_topics: bool

    def draw(self, topics: int, generator: np.random.Generator) -> Floats:
        """Draw scores on new topics, topics x systems."""
        normal = self._topic_scores(topics, generator)
        effects = self.topics.at(normal[:, None].copy())
        m = len(self.centres)
        constant = np.flatnonzero(~np.isnan(self.kept))
        result = np.empty((topics, m))
        rows = max(1, _BLOCK // m)
        for start in range(0, topics, rows):
            part = slice(start, start + rows)
            noise = generator.standard_normal((len(effects[part]), self.copula.rank))
            z = self.residuals.at(self.copula.scores(normal[part], noise))
            z += self.centres
            z += effects[part]
            result[part] = self.scale.back(z)
        result[:, constant] = self.kept[constant]
        return result

    def _topic_scores(self, topics: int, generator: np.random.Generator) -> Floats:
        """Draw normal scores of topics. The effect rises with them, so that sorting them sorts the topics."""
        if self.random_topics:
            return generator.standard_normal(topics)
        pool = np.sort(generator.standard_normal(pool_size(topics)))
        return np.asarray(pool[choose(generator, len(pool), topics)])

    def expected(self, topics: int) -> Floats:
        """Return the expected score of each system in collections of so many topics."""
        total = _sums(self.residuals, self.topics, self.copula, self.random_topics, topics)
        result = total.expected(self.centres, self.scale)
        return np.asarray(np.where(np.isnan(self.kept), result, self.kept))


def fit(scores: Floats, options: Options) -> tuple[Model, Floats]:
    """Fit the model to scores.

    Parameters
    ----------
    scores : array
        Topics x systems.
    options : Options
        What is asked of the simulator.

    Returns
    -------
    pair of Model and ndarray
        The model, and the true mean of each system.
    """
    scale = Scale(options.normal, options.decimals)
    systems, effects, residuals = _decomposed(scale.forward(scores), options.homoscedastic)
    if options.normal:
        margins = normal_margins(residuals.std(axis=0, ddof=1))
    else:
        margins = kernel_margins(residuals, scale.support)
    topics = kernel_margins(effects[:, None], scale.support)
    copula = gaussian_copula(residuals, effects, uncorrelated=options.uncorrelated)
    total = _sums(margins, topics, copula, options.random_topics, len(scores))
    means = scores.mean(axis=0)
    middle = centres(total, means, systems, scale) if options.means == "exact" else systems
    rounded = means if options.decimals is None else np.round(means, options.decimals)
    constant = np.where(total.still, rounded, np.nan)
    truth = means if options.means == "exact" else total.expected(middle, scale)
    model = Model(
        scale=scale,
        centres=middle,
        shifts=middle - systems,
        residuals=margins,
        topics=topics,
        copula=copula,
        kept=constant,
        random_topics=options.random_topics,
    )
    return model, np.where(total.still, constant, truth)


def _decomposed(z: Floats, homoscedastic: bool) -> tuple[Floats, Floats, Floats]:
    """Return system means, topic effects and residuals; if asked, residuals of all systems vary alike."""
    systems = z.mean(axis=0)
    effects = z.mean(axis=1) - systems.mean()
    residuals = z - systems - effects[:, None]
    if homoscedastic:
        variances = residuals.var(axis=0, ddof=1)
        live: NDArray[np.bool_] = variances > FLAT**2
        residuals[:, live] *= np.sqrt(variances.mean() / variances[live])
    return systems, effects, residuals


def _sums(residuals: Margins, topics: Margins, copula: Copula, random_topics: bool, number: int) -> Sums:
    """Return the distribution of topic effect plus residual, in collections of so many topics."""
    below = None if random_topics else partial(chosen_below, number)
    return sums(residuals, topics.tables[0], copula, below)


# Topics that are not a random sample: easy or hard ones are favoured, by weights that change from draw to draw.

#: The pool from which topics are chosen: max(200, 4n) of them.
_POOL, _TIMES = 200, 4
#: Parameters of the Beta density: uniform between these.
_FIRST, _SECOND = (0.01, 2.0), (2.0, 8.0)
#: Expectations for a larger pool are taken from one of this size, with the same share chosen.
_LARGEST = 800
#: Gauss-Legendre points for each parameter.
_POINTS = 12


def pool_size(topics: int) -> int:
    """How many topics are drawn to choose `topics` from."""
    return max(_POOL, _TIMES * topics)


def choose(generator: np.random.Generator, pool: int, topics: int) -> NDArray[np.intp]:
    """Places of the chosen topics in a pool sorted by topic effect, in the order in which they were chosen.

    One after the other without replacement, with weights from a Beta(u, v) density at r/(pool + 1) for the r-th topic;
    u ~ U(.01, 2), v ~ U(2, 8), exchanged with probability 1/2 (urbano2016).
    """
    u, v = generator.uniform(*_FIRST), generator.uniform(*_SECOND)
    if generator.random() < 0.5:
        u, v = v, u
    # The order in which exponential clocks with these rates ring is the order of choices without replacement.
    clocks = np.log(generator.standard_exponential(pool)) - _log_weights(pool, np.array([u]), np.array([v]))[0]
    return np.argsort(clocks, kind="stable")[:topics]


def chosen_below(topics: int, levels: Floats) -> Floats:
    """The expected share of chosen topics whose effect is below each quantile level of the topic effects.

    Over the parameters by Gauss-Legendre points, over the places of the pool's topics exactly (order statistics are
    Beta). Approximate: the clock at which the last topic is chosen is taken as fixed, at the time when the expected
    number chosen is `topics`; a pool above 800 is taken as 800 with the same share chosen.
    """
    from scipy.special import betainc

    pool = pool_size(topics)
    number = float(topics)
    if pool > _LARGEST:
        number, pool = topics * _LARGEST / pool, _LARGEST
    shares = _inclusion(pool, number) / number
    places = np.arange(1, pool + 1)[:, None]
    reached = betainc(places, pool + 1 - places, np.clip(levels, 0.0, 1.0))
    return np.asarray(np.einsum("r,rl->l", shares, reached))


def _inclusion(pool: int, number: float) -> Floats:
    """Return the probability that each place of the pool is chosen, over all parameters of the Beta density."""
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    u, v = (middle + half * nodes for middle, half in map(_middle, (_FIRST, _SECOND)))
    rates = np.exp(_log_weights(pool, repeated(u, _POINTS), np.tile(v, _POINTS)))
    rates /= rates.sum(axis=1, keepdims=True)
    time = np.full((len(rates), 1), number)
    for _ in range(100):  # Newton from below: the number chosen is a concave function of time
        left = np.exp(-rates * time)
        short = number - (1 - left).sum(axis=1, keepdims=True)
        time += short / (rates * left).sum(axis=1, keepdims=True)
        if float(np.abs(short).max()) < 1e-10 * number:
            break
    share = np.einsum("p,pr->r", np.outer(weights, weights).ravel() / 4, 1 - np.exp(-rates * time))
    return np.asarray((share + share[::-1]) / 2)


def _middle(between: tuple[float, float]) -> tuple[float, float]:
    low, high = between
    return (low + high) / 2, (high - low) / 2


def _log_weights(pool: int, u: Floats, v: Floats) -> Floats:
    """Return logarithms of Beta(u, v) densities up to a constant, one row per pair of parameters."""
    x = np.arange(1, pool + 1) / (pool + 1)
    return np.asarray((u[:, None] - 1) * np.log(x) + (v[:, None] - 1) * np.log(x[::-1]))


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
        Number of topics it was fitted to.
    options : Options
        What was asked of it.
    original_means, true_means : ndarray
        The systems' means in the collection, and the expectation of what is drawn.
    model : Model
        The fitted model.
    measure, collection : str
        What the scores are of.
    notes : tuple of Note or str
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
    #: Number of topics it was fitted to.
    topics: int
    options: Options
    original_means: Floats
    #: The expectation of what is drawn.
    true_means: Floats
    model: Model = large()
    measure: str = ""
    collection: str = ""
    notes: Notes = ()
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
        labels = {name: getattr(source, name) for name in ("systems", "measure", "collection", "notes", "frame")}
        means_ = source.means()
        return cls(
            topics=len(source.topics), options=options, original_means=means_, true_means=truth, model=model, **labels
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
            Number of topics of the collections.

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
            Number of topics to draw.
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
        note = Note("simulated", topics=self.topics, options=self.options.text(), seed=seed)
        return Scores(values, labels, self.systems, self.measure, self.collection, (*self.notes, note), self.frame)

    def draw_values(self, topics: int, rng: int | np.random.Generator) -> Floats:
        """What `draw` draws, without labels.

        Parameters
        ----------
        topics, rng
            Number of topics, and the seed, as in `draw()`.

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
    """Raise an error if an option has a value that it cannot have."""
    checking.one_of(options.means, _MEANS, "means")
    for name in ("normal", "homoscedastic", "uncorrelated", "random_topics"):
        if not isinstance(getattr(options, name), (bool, np.bool_)):
            raise CallError(f"{name}={getattr(options, name)!r} must be True or False.")
    if options.decimals is not None:
        checking.whole(options.decimals, "decimals", most=_MOST_DECIMALS)


def _check_scores(scores: Scores) -> None:
    """Raise an error if scores cannot be simulated: cells are missing, one topic, or values outside [0, 1]."""
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
    """Return a generator; without a seed the numbers could not be drawn again."""
    if rng is None:
        raise CallError(
            "rng=None would draw numbers that cannot be drawn again.", Option("rng", 1, effect="or another seed")
        )
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(remembered(rng))
