"""`rank`: which few measures say most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import Floats, exponents, is_frame, is_labelled_array, is_pandas
from ..core.checking import Progress
from ..data.cube import ScoreCube
from ..data.labels import Labels, check_unique
from ..data.scores import Scores
from ..data.table import MeasureTable
from ..errors import Advice, CallError, Option, TauscopeError
from ..io.door import is_readable, tells_oddities
from ..io.frames import is_array
from ..results import Note, Plain, fact
from . import determinants
from .columns import (
    as_collections,
    check_rows,
    common_rows,
    constant,
    labels,
    least_in_common,
    rests_on,
    rows_in_words,
    shared_measures,
)
from .determinants import Order, Spread


class Method(NamedTuple):
    """One method of ranking.

    Parameters
    ----------
    name : str
        The value of `method=`.
    order : callable
        Ranks the measures of a covariance.
    title : str
        What it is called.
    source : str
        Where it is from.
    """

    name: str
    order: Callable[[Spread, Progress | None], Order]
    title: str
    source: str


GREEDY = {
    method.name: method
    for method in (
        Method(
            "backward", determinants.backward, "iterative-backward", "gupta2019 section 6.1, row and column deleted"
        ),
        Method("forward", determinants.forward, "greedy-forward", "gupta2019 section 6.2, explained variance"),
        Method("determinant", determinants.determinant_gain, "determinant gain", "pivoted Cholesky"),
        Method("sheffield", determinants.sheffield, "rejection by sub-determinants", "sheffield1985"),
    )
}
SCALES = ("covariance", "correlation")


class Distance(NamedTuple):
    """How far a greedy method is from the best subsets.

    Parameters
    ----------
    sizes : int
        Number of sizes.
    missed : int
        Number of sizes at which its subset is not the best.
    worst : float
        The smallest share of the best determinant, per measure.
    """

    sizes: int
    missed: int
    worst: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasureRanking(Plain):
    """Measures from the most to the least informative.

    Attributes
    ----------
    method : str
        How they were ranked.
    scale : {"covariance", "correlation"}
        What determinants are of.
    order : tuple of str
        The measures, best first.
    keep : int
        Number of measures to report.
    criterion : array
        What the method itself looks at in each step: the log determinant, or for "forward" the log of the variance that
        the measure explains.
    log_determinants : array
        Of the best subset of 1, 2, 3, … measures that the method found; NaN where "exact" was not asked for that size.
    subsets : tuple of tuple of str
        Those subsets; for "exact" they need not be nested.
    rank : int
        Of the covariance of the measures that vary.
    rows : int or None
        Number of observations; None for a covariance that was given.
    by : str
        What an observation is, "topic" (a system on a topic) or "system".
    collections : tuple of str
        Names of the collections.
    constant : tuple of str
        Measures with one value only; they come last.
    efficiency : dict
        For "exact": method -> how much of the best determinant its subset of each size reaches, per measure (geometric
        mean).
    nodes : int
        For "exact", the number of partial subsets that were examined.
    notes : tuple of Note or str or Note
        What was left out or filled in before.
    """

    QUESTION: ClassVar[str] = "measure_ranking"
    PAPERS: ClassVar[tuple[str, ...]] = ("gupta2019", "sheffield1985")
    method: str
    scale: str
    order: Labels
    keep: int
    criterion: Floats
    log_determinants: Floats
    subsets: tuple[Labels, ...]
    rank: int
    rows: int | None
    by: str
    collections: Labels
    constant: Labels = ()
    efficiency: dict[str, Floats] = field(default_factory=dict)
    nodes: int = 0
    notes: tuple[str | Note, ...] = ()

    @fact
    def kept(self) -> Labels:
        """Measures to report: the best subset of `keep`, in the order of `order`."""
        best = set(self.subsets[self.keep - 1])
        return tuple(measure for measure in self.order if measure in best)

    @property
    def title(self) -> str:
        """What the method is called."""
        return "best subsets" if self.method == "exact" else GREEDY[self.method].title

    @property
    def source(self) -> str:
        """Where the method is from."""
        return "branch and bound" if self.method == "exact" else GREEDY[self.method].source

    @property
    def distances(self) -> dict[str, Distance]:
        """How far the greedy methods are from the best subsets: method -> sizes, those that it missed, worst share."""
        known = {name: shares[np.isfinite(shares)] for name, shares in self.efficiency.items()}
        return {
            name: Distance(len(shares), int((shares < 1 - 1e-9).sum()), float(shares.min()))
            for name, shares in known.items()
        }

    def columns(self) -> dict[str, Any]:
        table: dict[str, Any] = {
            "place": np.arange(1, len(self.order) + 1),
            "measure": list(self.order),
            "criterion": self.criterion,
            "log_determinant": self.log_determinants,
        }
        if self.method == "exact":
            table["subset"] = [" + ".join(subset) for subset in self.subsets]
        return table | {f"efficiency_{name}": shares for name, shares in self.efficiency.items()}


@tells_oddities()
def rank(
    data: Any,
    method: str = "backward",
    *,
    scale: str = "covariance",
    keep: int | None = None,
    by: str | None = None,
    names: Sequence[str] | None = None,
    missing: str = "error",
    progress: Progress | None = None,
) -> MeasureRanking:
    r"""Rank measures from the most to the least informative.

    Use it to choose few measures that each say something that the others do not. Do not use it to decide what
    matters: a measure that nobody needs can be very informative.

    The best subset of L measures maximises the determinant of their covariance (gupta2019, equation 1),

    .. math:: \Omega^* = \arg\max_\Omega \det \Sigma(\Omega).

    The problem is NP-hard, and none of the greedy methods has a guarantee. Equal determinants keep the order of the
    input; on correlations all first choices of "determinant" are equal, so that it begins with the first measure.
    Constant measures come last. A singular covariance, such as that of 23 measures of 10 systems, is ordered by the
    limit for a vanishing ridge, with a warning.

    Parameters
    ----------
    data : ScoreCube, MeasureTable, Scores or matrix, or several collections in a list or dict by name
        Of Scores the topics are the columns: the tasks of a leaderboard. Several collections are centred each by
        itself. A matrix is a covariance.
    method : {"backward", "sheffield", "determinant", "forward", "exact"}
        "backward" removes, one after another, the measure whose removal leaves the largest determinant; "sheffield"
        does the same by explicit determinants; "determinant" adds the measure with the largest gain; "forward" the one
        that explains most variance; "exact" finds the best subset of every size by branch and bound, and says how far
        the others are from it.
    scale : {"covariance", "correlation"}
        "covariance" also prefers measures with a large variance, such as RR, to those on a small scale, such as P@1000;
        "correlation" does not.
    keep : int or None
        Number of measures to report; None for all.
    by : {"topic", "system"} or None
        None takes a cube topic by topic, and a table as it is.
    names : list of str or None
        Names of the measures of a covariance matrix.
    missing : {"error", "pairwise", "zero", "drop-systems", …}, default "error"
        What a cell without a score means. "pairwise" takes the correlation of every two measures over the systems that
        have both, 10 at least (of a small table most), if cells are missing at random, and where these do not fit
        together the nearest that do; the others are those of the scores.
    progress : callable or None
        Called with (done, total).

    Returns
    -------
    MeasureRanking

    Raises
    ------
    TauscopeError
        If every measure is constant, the matrix is not a covariance, or "exact" has too many subsets to examine.

    See Also
    --------
    correlations : Which measures say the same.
    select_topics : Which few topics keep the ranking.

    Examples
    --------
    >>> rank([[4, 3.9, 0], [3.9, 4, 0], [0, 0, 1]], names=["AP", "nDCG", "RR"], keep=2).kept
    ('AP', 'RR')
    >>> from tauscope.measures import Table
    >>> board = Table([[70, 61, 12], [65, 60, 30], [50, 41, 25]], ["a", "b", "c"], ["qa", "reading", "maths"])
    >>> rank(board, "forward").order
    ('qa', 'reading', 'maths')
    """
    checking.one_of(method, (*GREEDY, "exact"), "method")
    checking.one_of(scale, SCALES, "scale")
    given = _given(data, scale, by, names, missing)
    measures, still = given.pop("measures"), given.pop("constant")
    every = len(measures) + len(still)
    keep = every if keep is None else checking.whole(keep, "keep", least=1, most=every)
    ranked = (_exact if method == "exact" else _greedy)(given.pop("spread"), measures, method, keep, every, progress)
    order, efficiency = ranked.pop("order") + still, ranked.pop("efficiency", {})
    for name in ("criterion", "log_determinants"):
        ranked[name] = np.concatenate([ranked[name], np.full(len(still), -np.inf)])
    ranked["subsets"] += tuple(order[: k + 1] for k in range(len(measures), every))
    unknown = np.full(len(still), np.nan)
    return MeasureRanking(
        method=method,
        scale=scale,
        order=order,
        keep=keep,
        constant=still,
        efficiency={name: np.concatenate([shares, unknown]) for name, shares in efficiency.items()},
        **given,
        **ranked,
    )


def _greedy(
    spread: Spread, measures: Labels, method: str, keep: int, every: int, progress: Progress | None
) -> dict[str, Any]:
    """Rank the measures that vary by a greedy method; its subsets are nested."""
    order, criterion = GREEDY[method].order(spread, progress)
    named = tuple(measures[i] for i in order)
    values = spread.prefixes(order) if method == "forward" else criterion
    subsets = tuple(named[: k + 1] for k in range(len(named)))
    return {
        "order": named,
        "criterion": criterion,
        "log_determinants": values,
        "subsets": subsets,
        "rank": spread.rank,
    }


def _exact(
    spread: Spread, measures: Labels, method: str, keep: int, every: int, progress: Progress | None
) -> dict[str, Any]:
    """Find the best subsets of all sizes, or only of `keep`.

    Best subsets need not be nested. Measures are ordered by how many of them have the measure.
    """
    p = len(measures)
    sizes = range(1, p + 1) if keep == every or keep > p else range(keep, keep + 1)
    best = determinants.best_subsets(spread, sizes, progress)
    greedy, _ = determinants.determinant_gain(spread)
    fallback, _ = determinants.backward(spread)
    by_size = {size: subset or tuple(fallback[:size]) for size, subset in zip(sizes, best.subsets, strict=True)}
    times = [sum(i in subset for subset in by_size.values()) for i in range(p)]
    order = sorted(range(p), key=lambda i: (-times[i], greedy.index(i)))
    subsets = [by_size.get(size, ()) for size in range(1, p + 1)]
    values = np.array([spread.log_determinant(list(subset)) if subset else np.nan for subset in subsets])
    efficiency = {}
    for name in ("backward", "determinant", "forward"):
        reached = spread.prefixes(GREEDY[name].order(spread, None)[0])
        with np.errstate(invalid="ignore"):
            efficiency[name] = np.exp((reached - values) / np.arange(1, p + 1))
    return {
        "order": tuple(measures[i] for i in order),
        "criterion": values,
        "log_determinants": values,
        "subsets": tuple(tuple(measures[i] for i in order if i in subset) for subset in subsets),
        "rank": spread.rank,
        "efficiency": efficiency,
        "nodes": best.nodes,
    }


def _given(data: Any, scale: str, by: str | None, names: Sequence[str] | None, missing: str) -> dict[str, Any]:
    """Make the covariance of the measures that vary, from scores or a matrix.

    Parameters
    ----------
    data, scale, by, names, missing
        As in `rank()`.

    Returns
    -------
    dict
        The covariance ("spread"), the measures that vary and those that are constant, and fields of the result.

    Raises
    ------
    TauscopeError
        If no measure varies, or two measures share too few rows.
    """
    if names is None and is_pandas(data) and list(data.index) == list(getattr(data, "columns", ())):
        return _of_matrix(data, scale, by, [str(name) for name in data.columns])  # as DataFrame.cov() makes it
    if not is_readable(data) and not isinstance(data, (list, tuple, Mapping, MeasureTable)):
        raise CallError(
            f"rank() takes a ScoreCube, a measures.Table, Scores or a covariance matrix, not {type(data).__name__}."
        )
    unnamed = is_array(data) and not isinstance(data, (Scores, ScoreCube)) and not is_labelled_array(data)
    if unnamed or (names is not None and is_frame(data)):
        return _of_matrix(data, scale, by, names)
    if names is not None:
        raise CallError("`names` go with a covariance matrix; a cube and a table have names of their own.")
    collections, notes = shared_measures(as_collections(data, by, "rank()", missing=missing), 2, "rank()")
    for one in collections:
        check_rows(one, "rank()")
    every = collections[0].measures
    still = tuple(m for m in every if all(m in constant(one.values, every) for one in collections))
    measures = tuple(m for m in every if m not in still)
    if not measures:
        raise TauscopeError(f"All {len(every)} measures are constant, so none says anything about the systems.")
    collections = [one.select(measures) for one in collections]
    by, rows = collections[0].by, sum(map(len, collections))
    if any(np.isnan(one.values).any() for one in collections):
        shared, least = common_rows(collections, np.add), least_in_common(rows)
        if shared.min() < least:
            i, j = np.unravel_index(int(np.argmin(shared)), shared.shape)
            raise TauscopeError(
                f"rank(): {measures[i]} and {measures[j]} have {rows_in_words(int(shared[i, j]), by)} "
                f"in common, too few to say what they share: {least} are needed.",
                Option("missing", "zero", effect="if a missing cell is a score of 0"),
                Advice("Or leave out the one that fewer have."),
            )
        centred = np.concatenate([one.values - np.nanmean(one.values, axis=0) for one in collections])
        spread, lowest = determinants.spread_of_pairs(centred, scale)
        cells = rests_on(collections)
        notes += () if cells is None else (cells.line(),)
        notes += (Note("nearest_correlations", eigenvalue=lowest),) if lowest < -1e-9 else ()
    else:
        # Divided by the number of rows where sums of the largest would overflow; a power of two changes no digit.
        largest = exponents(np.concatenate([one.values for one in collections]).T)
        powers = np.maximum(0, largest + int(np.frexp(float(rows))[1]) - 1020)
        parts = [np.ldexp(one.values, -powers) for one in collections]
        centred = np.concatenate([values - values.mean(axis=0) for values in parts])
        spread = determinants.spread_of(centred, len(collections), scale, powers)
    fields = {"spread": spread, "measures": measures, "constant": still, "rows": rows, "by": by, "notes": notes}
    return fields | {"collections": tuple(one.name for one in collections)}


def _of_matrix(data: Any, scale: str, by: str | None, names: Sequence[str] | None) -> dict[str, Any]:
    """Take a covariance matrix as it is given."""
    try:
        matrix = np.array(data, dtype=np.float64)
    except (TypeError, ValueError):
        raise CallError("rank(): the covariance matrix must hold numbers.") from None
    determinants.check_covariance(matrix)
    if by is not None:
        raise CallError("`by` goes with scores; a covariance matrix has no topics.")
    measures = labels(names) if names is not None else tuple(map(str, range(1, len(matrix) + 1)))
    if len(measures) != len(matrix):
        raise CallError(f"The covariance is {len(matrix)} x {len(matrix)}, and there are {len(measures)} names.")
    check_unique(measures, "measure")
    moving = np.diag(matrix) > 0
    if not moving.any():
        raise TauscopeError("Every variance of the covariance matrix is 0, so no measure says anything.")
    named, still = (tuple(m for m, yes in zip(measures, which, strict=True) if yes) for which in (moving, ~moving))
    spread = determinants.spread_of_matrix(matrix[np.ix_(moving, moving)], scale)
    return {"spread": spread, "measures": named, "constant": still, "rows": None, "by": "", "collections": ()}
