"""`correlations`: how far evaluation measures, or the tasks of a leaderboard, say the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..coefficients.records import Coefficient, catalogue
from ..core import kernels
from ..core.arrays import Floats, Ints
from ..data.holes import RestsOn
from ..data.labels import Labels, positions
from ..io.door import tells_oddities
from ..results import Note, Plain
from .columns import (
    ENOUGH_ROWS,
    OWN_SCALES,
    Columns,
    as_collections,
    check_rows,
    common_rows,
    constant,
    labels,
    least_in_common,
    rests_on,
    shared_measures,
)


class MeasurePair(NamedTuple):
    """Two measures and their correlation; where the coefficient is not symmetric `first` is the truth."""

    first: str
    second: str
    value: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasureCorrelations(Plain):
    """A coefficient between every two measures.

    `correlations["AP", "nDCG@20"]` is one cell: truth first, where the coefficient is not symmetric.

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    measures : tuple of str
        The measures, or the tasks of a leaderboard.
    values : array, measures x measures
        The means over the collections; NaN where no collection has a value.
    by : {"topic", "system"}
        Whether an observation is a system on a topic, or a system.
    collections : tuple of str
        Names of the collections.
    each : array, collections x measures x measures
        The correlations in each collection.
    rows : tuple of int
        Number of observations of each collection.
    noun : str
        What a column is, "measure" or "topic".
    undefined : tuple of Note
        Why cells have no value.
    notes : tuple of Note or str or Note
        What was left out or filled in before.
    common : array, measures x measures, or None
        Where cells are missing, the number of observations that two measures share, in the collection that has fewest.
    rests_on : RestsOn or None
        The same in a sentence.
    """

    QUESTION: ClassVar[str] = "measures"
    coefficient: Coefficient
    measures: Labels
    values: Floats
    by: str
    collections: Labels
    each: Floats
    rows: tuple[int, ...]
    noun: str = "measure"
    undefined: tuple[Note, ...] = ()
    notes: tuple[str | Note, ...] = ()
    common: Ints | None = field(default=None, repr=False)
    rests_on: RestsOn | None = field(default=None, repr=False)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        i, j = (positions(labels(name, self.noun), self.measures, self.noun)[0] for name in pair)
        return float(self.values[i, j])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype=dtype, copy=copy)

    def pairs(self) -> list[MeasurePair]:
        """Every pair with a value, strongest first; equal ones in the order of the measures.

        Returns
        -------
        list of MeasurePair
            (first, second, value); where the coefficient is not symmetric, `first` is the truth.
        """
        names, values = self.measures, self.values
        pairs = [MeasurePair(names[i], names[j], float(values[i, j])) for i, j in self._cells()]
        return sorted((pair for pair in pairs if not np.isnan(pair.value)), key=lambda pair: -pair.value)

    def strongest(self, k: int = 5) -> list[MeasurePair]:
        """The pairs that agree most.

        Parameters
        ----------
        k : int
            Number of pairs.

        Returns
        -------
        list of MeasurePair
        """
        return self.pairs()[:k]

    def weakest(self, k: int = 5) -> list[MeasurePair]:
        """The pairs that agree least, least first.

        Parameters
        ----------
        k : int, default 5
            Number of pairs.

        Returns
        -------
        list of MeasurePair
        """
        return self.pairs()[::-1][:k]

    def groups(self, at_least: float = 0.9) -> list[Labels]:
        """Groups in which every two measures correlate at least this much (complete linkage).

        A group of one is a measure that no other can replace.

        Parameters
        ----------
        at_least : float
            The smallest correlation inside a group.

        Returns
        -------
        list of tuple of str
            The groups, largest first.
        """
        from scipy.cluster.hierarchy import fcluster

        if len(self.measures) < 2:
            return [self.measures]
        number_of = fcluster(self._linkage("complete"), 1 - at_least + 1e-12, criterion="distance")
        groups: dict[int, list[str]] = {}
        for measure, group in zip(self.measures, number_of.tolist(), strict=True):
            groups.setdefault(group, []).append(measure)
        return sorted((tuple(group) for group in groups.values()), key=lambda group: -len(group))

    def clustered(self) -> Labels:
        """The measures so that similar ones stand beside each other (average linkage, best order of leaves).

        Returns
        -------
        tuple of str
        """
        from scipy.cluster.hierarchy import leaves_list

        if len(self.measures) < 3:
            return self.measures
        return tuple(self.measures[i] for i in leaves_list(self._linkage("average", ordered=True)))

    def ordered(self) -> Floats:
        """Return the correlations in the order of `clustered()`.

        Returns
        -------
        ndarray
        """
        at = positions(self.clustered(), self.measures, self.noun)
        return np.asarray(self.values[np.ix_(at, at)])

    def _cells(self) -> list[tuple[int, int]]:
        """Above the diagonal, or all beside it where the coefficient is not symmetric."""
        k, once = len(self.measures), self.coefficient.symmetric
        return [(i, j) for i in range(k) for j in range(k) if (i < j if once else i != j)]

    def _linkage(self, method: str, *, ordered: bool = False) -> Any:
        """Distances are 1 - correlation; what is undefined is as far away as can be."""
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        values = np.where(np.isnan(self.values), -1.0, self.values)
        distance = 1 - (values + values.T) / 2
        np.fill_diagonal(distance, 0.0)
        return linkage(np.maximum(squareform(distance, checks=False), 0.0), method, optimal_ordering=ordered)

    def columns(self) -> dict[str, Any]:
        i, j = np.array(self._cells(), int).reshape(-1, 2).T
        table: dict[str, Any] = {"first": [self.measures[a] for a in i], "second": [self.measures[b] for b in j]}
        table["value"] = self.values[i, j]
        if self.common is not None:
            table["common"] = self.common[i, j]
        if len(self.collections) > 1:
            table |= {name: self.each[c][i, j] for c, name in enumerate(self.collections)}
        return table

    def cited(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.coefficient.paper, "gupta2019")))


@tells_oddities(but=OWN_SCALES)
def correlations(
    data: Any,
    by: str | None = None,
    coefficient: str | Coefficient = "pearson",
    *,
    missing: str = "error",
    threads: int | None = None,
) -> MeasureCorrelations:
    """Compute a correlation between every two measures, or between the tasks of a leaderboard.

    Use it to see which measures say the same. Do not drop a measure only because it correlates highly with another one:
    they can stand for different users.

    The coefficient is computed over systems, or over all pairs of topic and system (gupta2019, section 4). If it is
    not symmetric, the row is the truth. A constant measure has no correlation: NaN, with the reason. Several
    collections are correlated separately, and the values are the means, so that a difference between collections is
    not mistaken for agreement of measures.

    Parameters
    ----------
    data : ScoreCube, MeasureTable or Scores, or several in a list or dict by name
        Of Scores the topics are the columns: the tasks of a leaderboard.
    by : {"topic", "system"} or None
        "topic" correlates over all pairs of topic and system, "system" over the systems' means, where averaging makes
        measures look more alike. None takes a cube topic by topic, and a table as it is.
    coefficient : str or Coefficient
        Any of the catalogue.
    missing : {"error", "pairwise", "zero", "drop-systems", …}, default "error"
        What a cell without a score means. "pairwise" correlates every two measures over the systems that have both, if
        cells are missing at random; fewer than 10 of them (or than most, of a small table) make the cell undefined.
        The others are those of the scores: where leaving out leaves next to nothing, that is an error.
    threads : int or None
        Number of threads; None for the number of cores.

    Returns
    -------
    MeasureCorrelations

    See Also
    --------
    rank : Which few measures say most.

    Examples
    --------
    >>> from tauscope.measures import Table
    >>> board = Table([[70, 61, 12], [65, 60, 30], [50, 41, 25]], ["a", "b", "c"], ["qa", "reading", "maths"])
    >>> found = correlations(board)
    >>> round(found["qa", "reading"], 3)
    0.98
    >>> correlations(board, coefficient="tau_b").groups(0.9)
    [('qa', 'reading'), ('maths',)]
    """
    c = catalogue[coefficient]
    collections, notes = shared_measures(
        as_collections(data, by, "correlations()", missing=missing), 2, "correlations()"
    )
    k = len(collections[0].measures)
    each = np.empty((len(collections), k, k))
    reasons: list[Note] = []
    for place, one in enumerate(collections):
        kernels.check_size(len(one), c)
        check_rows(one, "correlations()")
        if np.isnan(one.values).any():
            each[place], codes, few = _pairwise(c, one)
            reasons += few
        else:
            each[place], codes = kernels.matrix(c, np.ascontiguousarray(one.values.T), threads=threads)
        reasons += _reasons(c, one, codes, one.name if len(collections) > 1 else "")
    known = ~np.isnan(each)
    sums, sizes = np.where(known, each, 0.0).sum(axis=0), known.sum(axis=0)
    snapped = sum(one.snapped for one in collections)
    if snapped and (c.ordinal or c.head_weighted):  # to Pearson a tie is just two equal scores
        notes = (*notes, Note("snapped_means", pairs=snapped))
    first, cells, fewest = collections[0], rests_on(collections), min(map(len, collections))
    if fewest < ENOUGH_ROWS:
        notes = (*notes, Note("few_rows", rows=fewest, by=first.by))
    return MeasureCorrelations(
        coefficient=c,
        measures=first.measures,
        values=np.divide(sums, sizes, out=np.full((k, k), np.nan), where=sizes > 0),
        by=first.by,
        collections=tuple(one.name for one in collections),
        each=each,
        rows=tuple(len(one) for one in collections),
        noun=first.noun,
        undefined=tuple(reasons),
        notes=notes,
        common=None if cells is None else common_rows(collections),
        rests_on=cells,
    )


def _pairwise(c: Coefficient, one: Columns) -> tuple[Floats, NDArray[np.int8], list[Note]]:
    """Correlate every two columns over the rows that have both.

    Parameters
    ----------
    c : Coefficient
        The coefficient.
    one : Columns
        A collection with missing cells.

    Returns
    -------
    tuple
        The values, the codes of undefined ones, and a note on pairs that share too few rows.
    """
    k = len(one.measures)
    values, codes = np.full((k, k), np.nan), np.zeros((k, k), np.int8)
    known, shared, least = ~np.isnan(one.values), common_rows([one]), least_in_common(len(one))
    for i, j in zip(*np.nonzero(np.triu(shared >= least)), strict=True):
        rows = known[:, i] & known[:, j]
        pair = np.ascontiguousarray(one.values[rows][:, [i, j]].T)
        both, why = kernels.matrix(c, pair, threads=1)
        values[i, j], values[j, i] = both[0, 1], both[1, 0]
        codes[i, j], codes[j, i] = why[0, 1], why[1, 0]
    few = int((shared[np.triu_indices(k, 1)] < least).sum())
    return values, codes, [Note("few_in_common", pairs=few, least=least, noun=one.noun, by=one.by)] if few else []


def _reasons(c: Coefficient, one: Columns, codes: Any, collection: str) -> list[Note]:
    """Return why cells have no value: constant measures by their names, everything else by its reason.

    Parameters
    ----------
    c : Coefficient
        The coefficient.
    one : Columns
        The collection.
    codes : array
        The code of each cell, 0 where it is defined.
    collection : str
        Its name, if there are several.

    Returns
    -------
    list of Note
    """
    still = constant(one.values, one.measures)
    reasons = [Note("constant_columns", columns=tuple(still), collection=collection)] if still else []
    moving = [i for i, measure in enumerate(one.measures) if measure not in still]
    rest = codes[np.ix_(moving, moving)]
    rest = rest[~np.eye(len(moving), dtype=bool)]
    for code in np.unique(rest[rest != 0]):
        why = c.why_undefined(int(code), estimate="one measure", truth="the other", n=len(one))
        cells = int((rest == code).sum())
        reasons.append(Note("undefined_cells", cells=cells, collection=collection, because=why))
    return reasons
