"""`low_to_high`: expensive measures of deep runs from cheap measures of shallow ones (gupta2019, section 5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import Floats
from ..core.checking import Progress, Rng, remembered
from ..data.cube import ScoreCube
from ..data.labels import Labels, changes, shown
from ..data.names import MeasureName
from ..data.table import MeasureTable
from ..errors import Advice, AlignmentError, CallError, TauscopeError
from ..io.door import is_readable, scores_or_cube, tells_oddities
from ..results import Notes, Plain, count
from .columns import OWN_SCALES, as_columns, labels
from .prediction import CRITERIA, Training, chosen, search
from .regression import Fit

#: What gupta2019 predicts, and from what; a depth is added to each.
TARGETS = ("P@1000", "AP", "nDCG", "RBP(p=0.95)")
PREDICTORS = ("P@1000", "Bpref", "ERR", "infAP", "AP", "nDCG", "RBP(p=0.95)")
#: Parts of the systems in which a single collection is predicted from the others.
FOLDS = 5


class DepthFit(NamedTuple):
    """One target at its depth, and how measures at another depth predict it.

    `predictors` is the set that was chosen, and `fits` has how well it does on each collection.
    """

    target: str
    target_depth: int
    depth: int
    predictors: Labels
    fits: tuple[Fit, ...]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LowToHigh(Plain):
    """How well deep measures follow from shallow ones, by depth.

    Attributes
    ----------
    rows : tuple of DepthFit
        One for each target, its depth and the depth it is predicted from: `.target`, `.target_depth`, `.depth`,
        `.predictors`, and `.fits` on each collection.
    collections : tuple of str
        Names of the collections.
    chosen_on : str
        Where the sets of predictors were chosen.
    criterion : str
        What they were chosen by, "tau_b" or "r2".
    tried : int
        Number of sets that were tried for each row.
    seed : int or None
        Seed of the five random parts in which a single collection is predicted, each from the others; None for several
        collections, each of which is predicted from all the others.
    notes : tuple of Note or str
        What was left out or filled in before.
    """

    QUESTION: ClassVar[str] = "depths"
    PAPERS: ClassVar[tuple[str, ...]] = ("gupta2019",)
    rows: tuple[DepthFit, ...]
    collections: Labels
    chosen_on: str
    criterion: str
    tried: int
    seed: int | None = None
    notes: Notes = ()

    def at(self, target: str, target_depth: int, depth: int) -> DepthFit:
        """One target from one depth.

        Parameters
        ----------
        target : str
            The measure that is predicted.
        target_depth : int
            Its depth.
        depth : int
            The depth of the predictors.

        Returns
        -------
        DepthFit

        Raises
        ------
        CallError
            If that was not asked for.
        """
        name = labels(target)[0]
        for row in self.rows:
            if (row.target, row.target_depth, row.depth) == (name, target_depth, depth):
                return row
        there = ", ".join(dict.fromkeys(f"{row.target} at {row.target_depth}" for row in self.rows))
        raise CallError(f"{name} at {target_depth} from depth {depth} was not asked for; there are {there}.")

    def enough(self, at_least: float = 0.9) -> dict[tuple[str, int], int | None]:
        """The depth from which on tau_b is high on every collection, for each target and its depth.

        Parameters
        ----------
        at_least : float
            What tau_b must reach.

        Returns
        -------
        dict
            (target, its depth) -> the smallest such depth, or None where there is none.
        """
        depths: dict[tuple[str, int], int | None] = {}
        for key in dict.fromkeys((row.target, row.target_depth) for row in self.rows):
            depths[key] = None
            for row in sorted((r for r in self.rows if r[:2] == key), key=lambda r: -r.depth):
                if not all(fit.tau_b >= at_least for fit in row.fits):
                    break
                depths[key] = row.depth
        return depths

    def courses(self, target_depth: int | None = None, what: str = "tau_b") -> list[tuple[str, list[int], list[float]]]:
        """Return τ_b or R² by depth (gupta2019, Figure 2): (target and collection, depths, values).

        Parameters
        ----------
        target_depth : int or None, default None
            Depth of the targets; None for the deepest.
        what : {"tau_b", "r2", "rmse"}
            Which figure of each prediction.

        Returns
        -------
        list of tuple

        Raises
        ------
        CallError
            If no target at this depth was asked for.
        """
        deep = max(row.target_depth for row in self.rows) if target_depth is None else target_depth
        rows = [row for row in self.rows if row.target_depth == deep]
        if not rows:
            raise CallError(f"No target at depth {deep} was asked for.")
        return [
            (
                f"{target}, {name}",
                [row.depth for row in rows if row.target == target],
                [getattr(row.fits[place], what) for row in rows if row.target == target],
            )
            for target in dict.fromkeys(row.target for row in rows)
            for place, name in enumerate(self.collections)
        ]

    def columns(self) -> dict[str, Any]:
        table: dict[str, Any] = {
            name: [getattr(row, name) for row in self.rows] for name in ("target", "target_depth", "depth")
        }
        table["predictors"] = [" + ".join(row.predictors) for row in self.rows]
        for place, name in enumerate(self.collections):
            for what in ("tau_b", "r2", "rmse"):
                table[f"{what} {name}"] = [getattr(row.fits[place], what) for row in self.rows]
        return table


@tells_oddities(but=OWN_SCALES)
def low_to_high(
    data: Any,
    targets: Sequence[str] | None = None,
    *,
    predictors: Sequence[str] | None = None,
    depths: Sequence[int] = (10, 20, 30, 40, 50),
    target_depths: Sequence[int] = (100, 1000),
    select_on: str | None = None,
    criterion: str = "tau_b",
    rng: Rng = 0,
    progress: Progress | None = None,
) -> LowToHigh:
    """Find how deep must be judged so that the measures of deep runs can be predicted.

    Use it before judging more documents. Do not take R² for agreement on another collection: depth changes the
    level of a measure more than the order of systems.

    For each depth every set of `predictors` at that depth predicts each target at its depth, by linear regression
    with an intercept (gupta2019, section 5.1, without its training file, which was not released). Each of several
    collections is predicted from all the others, and the set with the best criterion on `select_on` is taken, where
    its figures are too high; of equal ones that with fewer predictors. A single collection is predicted in five
    random parts, each from the others, with the set chosen within those by leaving systems out in turn.

    Parameters
    ----------
    data : dict, MeasureTable or ScoreCube
        {depth: table} of one collection, {name: {depth: table}} of several, or tables whose labels have the depth, such
        as AP(depth=10), in place of {depth: table}. A table is a measures.Table or ScoreCube of runs cut at that depth,
        its labels without the depth.
    targets : list of str or None
        The measures to predict; None for those of gupta2019: P@1000, AP, nDCG, RBP(p=0.95).
    predictors : list of str or None
        The measures to predict from; None for those of gupta2019.
    depths : list of int
        Depths of the predictors.
    target_depths : list of int
        Depths of the targets.
    select_on : str or None
        Of several collections the one that sets are chosen on; None for the first.
    criterion : {"tau_b", "r2"}
        What sets are chosen by.
    rng : int, numpy.random.Generator or None
        The seed of the parts of a single collection; None for fresh numbers.
    progress : callable or None
        Called with (regressions done, regressions).

    Returns
    -------
    LowToHigh

    Raises
    ------
    TauscopeError
        If a measure or a depth is not there, or there are too few systems.
    AlignmentError
        If the depths of a collection do not have the same systems.

    See Also
    --------
    predict : Any measure from others of the same depth.

    Examples
    --------
    >>> values = {depth: [[a / 10 + depth / 1e4] for a in (1, 4, 2, 6, 3, 7, 5)] for depth in (10, 100)}
    >>> from tauscope.measures import Table
    >>> tables = {depth: Table(rows, list("abcdefg"), ["AP"]) for depth, rows in values.items()}
    >>> found = low_to_high(tables, ["AP"], predictors=["AP"], depths=[10], target_depths=[100])
    >>> found.enough()
    {('AP', 100): 10}
    """
    tables = {name: _by_depth(one, name) for name, one in _collections(data).items()}
    wanted = labels(TARGETS if targets is None else targets)
    cheap = labels(PREDICTORS if predictors is None else predictors)
    checking.one_of(criterion, CRITERIA, "criterion")
    needed = [(m, d) for d in depths for m in cheap] + [(m, d) for d in target_depths for m in wanted]
    columns = {name: _columns(f" in {name}" if name else "", each, needed, len(cheap)) for name, each in tables.items()}
    names = tuple(tables)
    notes = [f"{name}: {note}" for name, each in tables.items() for one in each.values() for note in changes(one.notes)]
    if select_on is not None and select_on not in names:
        raise CallError(f"select_on={select_on!r} is none of the collections {shown(names)}.")
    choosing, seed = select_on or names[0], remembered(rng) if len(names) == 1 else None
    cells = [(target, deep, depth) for deep in target_depths for target in wanted for depth in depths]
    rows = []
    for target, deep, depth in cells:
        values = {  # systems x (predictors at `depth`, then the target)
            name: np.column_stack([*(each[m, depth] for m in cheap), each[target, deep]])
            for name, each in columns.items()
        }
        if seed is not None:
            best, fits = _alone(values[names[0]], names[0], criterion, seed)
        else:
            best, fits = _together(values, choosing, criterion)
        rows.append(DepthFit(target, deep, depth, tuple(cheap[i] for i in best), fits))
        if progress:
            progress(len(rows), len(cells))
    return LowToHigh(
        rows=tuple(rows),
        collections=names,
        chosen_on=choosing if seed is None else "those others",
        criterion=criterion,
        tried=2 ** len(cheap) - 1,
        seed=seed,
        notes=tuple(dict.fromkeys(notes)),
    )


def _together(values: dict[str, Floats], choosing: str, criterion: str) -> tuple[tuple[int, ...], tuple[Fit, ...]]:
    """Choose a set on one collection, and predict each collection from all the others.

    Parameters
    ----------
    values : dict
        Collection -> systems x (predictors, then the target).
    choosing : str
        The collection on which the set is chosen.
    criterion : str
        What it is chosen by.

    Returns
    -------
    pair of tuple of int and tuple of Fit
        The columns of the set, and the fit on each collection.
    """
    rest = {name: np.concatenate([each for other, each in values.items() if other != name]) for name in values}
    best = _best(Training(rest[choosing], values[choosing]), criterion)
    fits = (Fit.of(name, _predicted(Training(rest[name]), best, each), each[:, -1]) for name, each in values.items())
    return best, tuple(fits)


def _alone(values: Floats, name: str, criterion: str, seed: int) -> tuple[tuple[int, ...], tuple[Fit, ...]]:
    """Predict one collection in random parts, each from the others.

    The set is chosen anew for each part within the other ones, so that no system helps to choose the set by which it is
    predicted. The set that is named is the one that all systems together choose.
    """
    fold = np.random.default_rng(np.random.SeedSequence(seed)).permutation(len(values)) % FOLDS
    made = np.empty(len(values))
    for part in range(FOLDS):
        training = Training(values[fold != part])
        made[fold == part] = _predicted(training, _best(training, criterion), values[fold == part])
    return _best(Training(values), criterion), (Fit.of(name, made, values[:, -1]),)


def _best(training: Training, criterion: str) -> tuple[int, ...]:
    """Return the columns of the best set of any size; the target is the last column."""
    width = training.values.shape[1] - 1
    every, _, _ = search(training, width, np.arange(width, dtype=np.intp), range(1, width + 1), criterion, 1)
    return chosen(every).columns


def _predicted(training: Training, columns: tuple[int, ...], values: Floats) -> Floats:
    """Return the predictions of a set for other systems."""
    fits = training.squares.fit(np.array([columns], dtype=np.intp), values.shape[1] - 1)
    return np.asarray(fits.predictions(values)[0])


def _columns(
    where: str, tables: dict[int, MeasureTable], needed: Sequence[tuple[str, int]], predictors: int
) -> dict[tuple[str, int], Floats]:
    """Return the columns of one collection that are needed, by measure and depth."""
    columns: dict[tuple[str, int], Floats] = {}
    systems: Labels | None = None
    for measure, depth in needed:
        if depth not in tables:
            raise TauscopeError(f"There is no depth {depth}{where}; there are {shown(sorted(tables))}.")
        table = tables[depth]
        if measure not in table.measures:
            raise TauscopeError(
                f"There is no measure {measure!r} at depth {depth}{where}; there are {shown(table.measures, 8)}."
            )
        systems = systems or table.systems
        if table.systems != systems:
            raise AlignmentError(
                f"Depth {depth}{where} has other systems, or another order of them, than the first depth."
            )
        columns[measure, depth] = table[measure]
    if systems is not None and len(systems) < predictors + 2:
        raise TauscopeError(
            f"{count(len(systems), 'system')}{where} are too few for {count(predictors, 'predictor')}: "
            f"{predictors + 2} are needed."
        )
    return columns


def _collections(data: Any) -> dict[str, Any]:
    """Return collections by name, whatever form they were given in."""
    if is_readable(data) and not isinstance(data, Mapping):
        data = scores_or_cube(data, "low_to_high()")
    if isinstance(data, (MeasureTable, ScoreCube)):
        return {data.collection or "the collection": data}
    if not isinstance(data, Mapping) or not data:
        raise CallError(
            "low_to_high() takes {depth: table}, {name: {depth: table}}, or a table with depths in its labels."
        )
    if all(isinstance(key, (int, np.integer)) for key in data):
        collection = next((t.collection for t in data.values() if getattr(t, "collection", "")), "")
        return {collection or "the collection": data}
    return {str(name): one for name, one in data.items()}


def _by_depth(data: Any, name: str) -> dict[int, MeasureTable]:
    """Return {depth: table} of one collection, with labels that have no depth."""
    if isinstance(data, Mapping):
        return {int(depth): _system_wise(table, f"{name}, depth {depth}") for depth, table in data.items()}
    return split_by_depth(_system_wise(data, name))


def _system_wise(data: Any, name: str) -> MeasureTable:
    """Return one collection as a table of systems by measures."""
    columns = as_columns(data, "system", f"low_to_high() of {name}")
    if columns.noun != "measure":
        raise CallError("low_to_high() takes tables of systems by measures; Scores have one measure only.")
    return MeasureTable(columns.values, columns.systems, columns.measures, columns.name, None, columns.notes)


def split_by_depth(table: MeasureTable) -> dict[int, MeasureTable]:
    """A table whose labels have depths, `AP(depth=10)`, as one table per depth, labelled `AP`."""
    places: dict[int, list[tuple[int, str]]] = {}
    for column, label in enumerate(table.measures):
        name = MeasureName.parse(label)
        depth = name.parameter("depth")
        if isinstance(depth, int):
            plain = MeasureName(name.family, name.cutoff, tuple(p for p in name.parameters if p[0] != "depth"))
            places.setdefault(depth, []).append((column, str(plain)))
    if not places:
        raise CallError(
            f"No label of this table has a depth; it has {shown(table.measures)}.",
            Advice("Give {depth: table}, or labels such as 'AP(depth=10)'.", "Label columns such as AP(depth=10)."),
        )
    return {
        depth: MeasureTable(
            table.values[:, [c for c, _ in columns]],
            table.systems,
            tuple(m for _, m in columns),
            collection=table.collection,
            notes=table.notes,
        )
        for depth, columns in sorted(places.items())
    }
