"""`Ranking`, named items with scores, and `align()`, the only door through which two rankings are compared."""

from __future__ import annotations

import importlib
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checking, kernels
from ..core.arrays import EXACT, Floats, Tolerance, is_frame, repeated, snap, tolerance
from ..core.formulas import midranks
from ..errors import Advice, AlignmentError, CallError, Option, TauscopeError
from ..results import count

#: What to do with items that only one ranking has.
UNMATCHED = ("error", "drop")


class Ranking:
    """Who is better than whom? Named items with scores, which do not change.

    Without names the items are compared by their place.

    Parameters
    ----------
    scores : dict, array, Series or frame
        A dict (name -> score), an array with `items` beside it, a pandas or polars Series, a frame of two columns
        (name, score), or `Scores`, which are ranked by their means.
    items : iterable of hashable, optional
        The names, where `scores` brings none.
    tied_within : float or str, default 0.0
        The tolerance that comparisons use when the call gives none: a number, or a share of the smaller score such as
        "5%".
    lower_is_better : bool, default False
        Whether the best item has the lowest score.
    name : str
        What an error calls the ranking.

    Attributes
    ----------
    scores : array of float
        The scores, as they were given.
    items : tuple or None
        The names.
    tied_within : Tolerance
        The tolerance of its own.
    lower_is_better : bool
        Whether the best item has the lowest score.
    snapped : int
        How many tied pairs were made of means that differ only by rounding.

    Raises
    ------
    TauscopeError
        Where a score is not a finite number.
    AlignmentError
        Where a name stands for two items.

    Examples
    --------
    >>> Ranking({"bm25": 0.31, "dense": 0.42, "hybrid": 0.42})
    Ranking of 3 items, 1 tied pair: (dense hybrid) bm25
    """

    __slots__ = ("_positions", "items", "lower_is_better", "scores", "snapped", "tied_within")

    items: tuple[Hashable, ...] | None
    scores: Floats
    tied_within: Tolerance
    lower_is_better: bool
    snapped: int
    _positions: dict[Hashable, int] | None

    def __init__(
        self,
        scores: Any,
        items: Iterable[Hashable] | None = None,
        *,
        tied_within: float | str | Tolerance = EXACT,
        lower_is_better: bool = False,
        name: str = "the ranking",
    ) -> None:
        if hasattr(scores, "ranking") and not isinstance(scores, Ranking):  # Scores: topics by systems
            own = scores.ranking()
            if items is not None or lower_is_better:
                raise CallError(
                    f"{name} brings its own names and direction.", Advice("Leave `items` and `lower_is_better` out.")
                )
            within = own.tied_within if tied_within == EXACT else tolerance(tied_within)
            self._set(np.array(own.scores), own.items, within, own.lower_is_better, own.snapped, name)
            return
        found, values = _read(scores, name)
        if items is not None:
            if found is not None:
                raise CallError(f"{name} brings its own names.", Advice("Leave `items` out."))
            found = tuple(items)
        numbers = _numbers(values, name, found)
        if found is not None and len(found) != len(numbers):
            raise CallError(f"{name} has {count(len(numbers), 'score')} and {count(len(found), 'name')}.")
        self._set(numbers, found, tolerance(tied_within), lower_is_better, 0, name)

    def _set(
        self,
        scores: Floats,
        items: tuple[Hashable, ...] | None,
        within: Tolerance,
        lower_is_better: bool,
        snapped: int,
        name: str = "the ranking",
    ) -> None:
        positions = None
        if items is not None:
            positions = {item: position for position, item in enumerate(items)}
            if len(positions) != len(items):
                seen: set[Hashable] = set()
                twice = next(item for item in items if item in seen or seen.add(item))  # type: ignore[func-returns-value]
                raise AlignmentError(f"{name} has the name {twice!r} more than once.", Advice("Names must be unique."))
        scores.flags.writeable = False
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "items", items)
        object.__setattr__(self, "tied_within", within)
        object.__setattr__(self, "snapped", snapped)
        object.__setattr__(self, "lower_is_better", lower_is_better)
        object.__setattr__(self, "_positions", positions)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("A Ranking does not change; make a new one.")

    def __reduce__(self) -> Any:
        return _rebuild, (np.array(self.scores), self.items, self.tied_within, self.lower_is_better, self.snapped)

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        measure: str | None = None,
        missing: str = "error",
        format: str | None = None,
        columns: Mapping[str, Any] | str | None = None,
        aggregate: str | None = None,
        tied_within: float | str | Tolerance = EXACT,
        lower_is_better: bool | Sequence[str] = False,
    ) -> Ranking:
        """Read a ranking: a list of systems with scores or ranks, or scores on topics, which are ranked by their means.

        Two columns, a name and a number, are a list; a column called rank has 1 for the best. Anything else is read by
        `Scores.read()` and ranked by means, which are ties when they differ only by rounding.

        Parameters
        ----------
        source : path, dict or data frame
            A list of systems, or what `Scores.read()` takes.
        measure, missing, format, columns, aggregate
            As in `Scores.read()`; a table of systems by several measures needs `measure`, or `columns` with the score.
        tied_within : float, str or Tolerance, default 0
            Scores this close are tied.
        lower_is_better : bool or sequence of str, default False
            Whether the best system has the lowest score; of scores on topics also the topics on which it has.

        Returns
        -------
        Ranking

        Raises
        ------
        FileError
            If the file is neither a list of systems nor holds scores.

        Examples
        --------
        >>> Ranking.read({"bm25": 0.25, "dense": 0.31}).groups()
        [('dense',), ('bm25',)]
        """
        known: dict[str, Any] = {"measure": measure, "missing": missing, "format": format, "columns": columns}
        known |= {} if tied_within == EXACT else {"tied_within": tied_within}
        known |= {} if lower_is_better is False else {"lower_is_better": lower_is_better}
        found: Ranking = importlib.import_module("tauscope.io.read").read_ranking(source, aggregate=aggregate, **known)
        return found

    @classmethod
    def from_ranks(
        cls, ranks: Any, items: Iterable[Hashable] | None = None, *, tied_within: float | str | Tolerance = EXACT
    ) -> Ranking:
        """Make a ranking of ranks; equal ranks are ties, and mid-ranks are accepted.

        Parameters
        ----------
        ranks : array or dict
            1 for the best; anything `Ranking` takes as scores.
        items : iterable of hashable, optional
            The names, if `ranks` has none.
        tied_within : float, str or Tolerance, default 0
            Ranks this close are tied.

        Returns
        -------
        Ranking
            One in which lower is better.

        Examples
        --------
        >>> Ranking.from_ranks({"A": 2, "B": 1})
        Ranking of 2 items, 0 tied pairs: B A
        """
        return cls(ranks, items, tied_within=tied_within, lower_is_better=True)

    @classmethod
    def from_order(cls, order: str | Sequence[Any]) -> Ranking:
        """Which ranking is written here, best first, with ties in brackets?

        Parameters
        ----------
        order : str or list
            `"A (B C) D"`, or `["A", ("B", "C"), "D"]`. Spaces and commas separate; names that contain any go into a
            list.

        Returns
        -------
        Ranking
            Its scores are ranks, 1 for the best.

        Raises
        ------
        CallError
            Where brackets do not match, or there is no item.

        Examples
        --------
        >>> Ranking.from_order("A (B C) D").ranks().tolist()
        [1.0, 2.5, 2.5, 4.0]
        """
        if isinstance(order, str):
            groups: list[tuple[Any, ...]] = list(_parse_order(order))
        else:
            groups = [tuple(one) if isinstance(one, (tuple, list, set, frozenset)) else (one,) for one in order]
        items = [item for group in groups for item in group]
        if not items:
            raise CallError("from_order() needs at least one item, such as 'A (B C) D'.")
        ranks = repeated(np.arange(1.0, len(groups) + 1), [len(group) for group in groups])
        return cls.from_ranks(ranks, items)

    @classmethod
    def from_means(
        cls,
        means: Any,
        items: Iterable[Hashable] | None = None,
        *,
        tied_within: float | str | Tolerance = EXACT,
        lower_is_better: bool = False,
    ) -> Ranking:
        """Make a ranking of means; means that differ only by rounding are ties.

        Parameters
        ----------
        means : array, dict or Series
            Anything `Ranking` takes as scores.
        items : iterable of hashable, optional
            The names, if `means` has none.
        tied_within : float, str or Tolerance, default 0
            Means this close are tied.
        lower_is_better : bool, default False
            Whether the best system has the lowest mean.

        Returns
        -------
        Ranking
            `.snapped` says how many tied pairs that made.

        Examples
        --------
        >>> Ranking.from_means([0.1 + 0.2, 0.3]).snapped
        1
        """
        ranking = cls(means, items, tied_within=tied_within, lower_is_better=lower_is_better)
        snapped, made = snap(np.array(ranking.scores))
        result = cls.__new__(cls)
        result._set(snapped, ranking.items, ranking.tied_within, ranking.lower_is_better, made)
        return result

    @property
    def oriented(self) -> Floats:
        """The scores, negated where lower is better: higher is better in any case."""
        return -self.scores if self.lower_is_better else self.scores

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The names, or 1, 2, 3, … where there are none."""
        return self.items if self.items is not None else tuple(range(1, len(self.scores) + 1))

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, item: Hashable) -> float:
        if self._positions is None:
            raise CallError("This ranking has no names.", Advice("Use .scores."))
        try:
            return float(self.scores[self._positions[item]])
        except KeyError:
            raise AlignmentError(f"{item!r} is not in this ranking.") from None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Ranking)
            and self.items == other.items
            and np.array_equal(self.scores, other.scores)
            and (self.tied_within, self.lower_is_better) == (other.tied_within, other.lower_is_better)
        )

    def __hash__(self) -> int:
        return hash((self.items, self.scores.tobytes(), self.tied_within, self.lower_is_better))

    def order(self) -> NDArray[np.int64]:
        """In which order do the items stand?

        Returns
        -------
        array of int
            Places of the items from best to worst; equal scores in the order given.
        """
        return np.argsort(-self.oriented, kind="stable")

    def ranks(self) -> Floats:
        """Which rank has each item?

        Returns
        -------
        array of float
            1 for the best; items with equal scores share the mean of their places.
        """
        return midranks(-self.oriented) + 1

    def groups(self) -> list[tuple[Hashable, ...]]:
        """Which items have equal scores?

        Returns
        -------
        list of tuple
            Items with equal scores together, best first (equal numbers: thresholds do not chain into groups).
        """
        labels, scores = self.labels, self.oriented
        result: list[tuple[float, list[Hashable]]] = []
        for place in self.order():
            if result and scores[place] == result[-1][0]:
                result[-1][1].append(labels[place])
            else:
                result.append((scores[place], [labels[place]]))
        return [tuple(members) for _, members in result]

    def tied_pairs(self) -> int:
        """How many pairs of items are tied within the ranking's own tolerance?

        Returns
        -------
        int
        """
        return kernels.pair_counts(self.oriented, self.oriented, *(self.tied_within,) * 2)[2] if len(self) else 0

    def __repr__(self) -> str:
        shown = [str(g[0]) if len(g) == 1 else f"({' '.join(map(str, g))})" for g in self.groups()[:12]]
        more = " …" if len(self.groups()) > 12 else ""
        within = f" within {self.tied_within}" if self.tied_within.width else ""
        ties = f"{count(self.tied_pairs(), 'tied pair')}{within}"
        return f"Ranking of {count(len(self), 'item')}, {ties}: {' '.join(shown)}{more}"


def _rebuild(scores: Floats, items: Any, within: Tolerance, lower_is_better: bool, snapped: int) -> Ranking:
    ranking = Ranking.__new__(Ranking)
    ranking._set(scores, items, Tolerance(*within), lower_is_better, snapped)
    return ranking


def _parse_order(text: str) -> list[tuple[str, ...]]:
    groups: list[tuple[str, ...]] = []
    inside: list[str] | None = None
    for token in re.findall(r"[()]|[^\s(),]+", text):
        if token == "(":
            if inside is not None:
                raise CallError(f"{text!r} opens a bracket inside a bracket; ties do not nest.")
            inside = []
        elif token == ")":
            if not inside:
                raise CallError(f"{text!r} closes a bracket that holds nothing.")
            groups.append(tuple(inside))
            inside = None
        elif inside is None:
            groups.append((token,))
        else:
            inside.append(token)
    if inside is not None:
        raise CallError(f"{text!r} opens a bracket that is never closed.")
    return groups


def _read(scores: Any, name: str) -> tuple[tuple[Hashable, ...] | None, Any]:
    """(names or None, values) from whatever holds scores."""
    if isinstance(scores, Ranking):
        raise CallError(f"{name} is a Ranking already.")
    if isinstance(scores, Mapping):
        if any(isinstance(value, Mapping) for value in scores.values()):
            raise CallError(
                f"{name} is a dict of dicts, and a ranking has one score per name.",
                Advice("Scores on topics are read by Scores.read(), whose result is a ranking by its means."),
            )
        return tuple(scores), list(scores.values())
    refuse_masked(scores, name)
    if isinstance(scores, (np.ndarray, list, tuple)):
        return None, scores
    if isinstance(scores, (set, frozenset)):
        raise CallError(f"{name} is a set, which has no order.", Advice("Give a dict of names and scores, or a list."))
    if isinstance(scores, (str, PurePath)):
        raise CallError(
            f"{name} is the text {str(scores)!r}.",
            Advice("A file is read by Ranking.read().")
            if PurePath(scores).suffix
            else Advice("For an order such as 'A (B C) D' use Ranking.from_order()."),
        )
    if is_frame(scores, series=True):
        return _read_frame(scores, name)
    try:
        return None, list(scores)
    except TypeError:
        raise CallError(
            f"{name} is of type {type(scores).__name__}.", Advice("Give a dict, an array, a Series or a Ranking.")
        ) from None


def refuse_masked(scores: Any, name: str) -> None:
    """An error where scores are masked: what is below the mask is no score."""
    if isinstance(scores, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in scores):
        scores = np.ma.stack(scores)  # a list of masked rows would lose its masks
    if isinstance(scores, np.ma.MaskedArray) and np.ma.is_masked(scores):
        raise TauscopeError(f"{name} has masked scores.", Advice("Drop these items, or give them a score."))


def refuse_nulls(data: Any, name: str) -> None:
    """An error where a frame has nulls: they are no scores. NaN of a plain float column is a number that is not there,
    and makes its ranking undefined."""
    if not is_frame(data, series=True):
        return
    import narwhals as nw

    native = nw.from_native(data, allow_series=True)
    frame = native.to_frame() if isinstance(native, nw.Series) else native
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    for series in frame.iter_columns():
        plain = isinstance(getattr(series.to_native(), "dtype", None), np.dtype)
        if not plain and series.is_null().any():
            row = series.is_null().to_list().index(True) + 1
            raise TauscopeError(
                f"{name} has no score in row {row} of the column {series.name!r}.",
                Advice("Drop these items, or give them a score."),
            )


def _read_frame(data: Any, name: str) -> tuple[tuple[Hashable, ...] | None, Any]:
    import narwhals as nw

    native = nw.from_native(data, allow_series=True)
    if isinstance(native, nw.Series):
        index = getattr(data, "index", None)
        if index is None or not hasattr(index, "to_list"):
            return None, native.to_numpy()
        # A default index numbers the rows; it is not a name that anybody gave.
        unnamed = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
        return None if unnamed else tuple(index.to_list()), native.to_numpy()
    if len(native.columns) != 2:
        raise CallError(
            f"{name} is a frame of {count(len(native.columns), 'column')}; a ranking needs two, name and score.",
            Advice("A matrix of topics by systems is read by Scores.read(), a column of it by Ranking.read()."),
        )
    frame = native.collect() if isinstance(native, nw.LazyFrame) else native
    label, value = frame.columns
    return tuple(frame[label].to_list()), frame[value].to_numpy()


def _numbers(values: Any, name: str, items: Sequence[Hashable] | None) -> Floats:
    """A fresh array of finite floats, or an error that says which score is not one."""

    def place(index: int) -> str:
        return f"item {items[index]!r}" if items is not None and index < len(items) else f"place {index + 1}"

    try:
        raw = as_given(values)
    except ValueError:
        raise CallError(f"{name} is ragged: every item needs one score.") from None
    if raw.ndim != 1:
        raise CallError(
            f"{name} has {raw.ndim} dimensions; a ranking has one.", Advice("For many rankings use correlate().")
        )
    if raw.dtype.kind not in "fiub":
        # Of the values as given: beside one text NumPy makes texts of all.
        for index, value in enumerate(raw.tolist() if isinstance(values, np.ndarray) else values):
            if isinstance(value, (str, bytes)) or not _is_number(value):
                raise TauscopeError(f"The score at {place(index)} of {name} is {value!r}, not a number.")
    result = floats(raw, name)
    if not np.isfinite(result).all():
        bad = int(np.flatnonzero(~np.isfinite(result))[0])
        raise TauscopeError(
            f"The score at {place(bad)} of {name} is {result[bad]}.",
            Advice("Scores must be finite: drop the item, or give it one."),
        )
    return result


def as_given(values: Any) -> NDArray[Any]:
    """An array of the values; large integers beside floats stay what they are, so that `floats()` can look at them."""
    raw = np.asarray(values)
    if isinstance(values, (list, tuple)) and raw.dtype.kind == "f" and (np.abs(raw) >= 2.0**53).any():
        return np.array(values, dtype=object)
    return raw


def floats(raw: NDArray[Any], name: str) -> Floats:
    """Scores as floats, one ranking per row; integers that floats cannot tell apart are an error, not a tie."""
    result: Floats = np.array(raw, dtype=np.float64)
    if raw.dtype.kind in "iuO" and (np.abs(result) >= 2.0**53).any():
        for row, kept in zip(np.atleast_2d(raw), np.atleast_2d(result), strict=True):
            different, apart = len(set(row.tolist())), len(np.unique(kept))
            if apart < different:
                raise TauscopeError(
                    f"{name} has {different:,} different integers of which floats keep {apart:,} apart.",
                    Advice("Subtract a constant from all of them first."),
                )
    return result


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


class Top(NamedTuple):
    """What `top_k` made of two rankings: items in each head (more than k where the k-th is tied), items of the union
    that are outside each head, and those of them that the ranking does not have at all."""

    k: int
    inside: tuple[int, int]
    outside: tuple[int, int]
    unranked: tuple[int, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class Aligned:
    """Two rankings of the same items in the same order; higher is better in both arrays.

    `within` are their tolerances, `dropped` the items that only one had, `snapped` the tied pairs that rounding of
    means made, `lower_is_better` which of them were turned round, `top` what `top_k` made of them.
    """

    items: tuple[Hashable, ...] | None
    first: Floats
    second: Floats
    within: tuple[Tolerance, Tolerance] = (EXACT, EXACT)
    dropped: tuple[tuple[Hashable, ...], tuple[Hashable, ...]] = ((), ())
    snapped: tuple[int, int] = (0, 0)
    lower_is_better: tuple[bool, bool] = (False, False)
    top: Top | None = None

    @cached_property
    def labels(self) -> tuple[Hashable, ...]:
        return self.items if self.items is not None else tuple(range(1, len(self.first) + 1))


def as_ranking(data: Any, name: str) -> Ranking:
    """`data` itself if it is a Ranking, else a Ranking of it."""
    return data if isinstance(data, Ranking) else Ranking(data, name=name)


def align(
    first: Any, second: Any, *, names: tuple[str, str] = ("`first`", "`second`"), unmatched: str = "error"
) -> Aligned:
    """Which scores of two rankings belong together? By the names of the items, or by place where neither has any.

    Parameters
    ----------
    first, second : ranking
        Anything `Ranking` takes, or two arrays of one length.
    names : pair of str
        What an error calls them.
    unmatched : "error" or "drop", default "error"
        What to do with items that only one ranking has: "drop" compares those that both have, "error" names the others.

    Returns
    -------
    Aligned
        Two arrays of scores in the same order, in both of which higher is better.

    Raises
    ------
    AlignmentError
        Where an item is on one side only, or names cannot be matched.

    Examples
    --------
    >>> align({"A": 3, "B": 1}, {"B": 2, "A": 5}).second.tolist()
    [5.0, 2.0]
    """
    if unmatched not in UNMATCHED:
        checking.one_of(unmatched, UNMATCHED, "unmatched")
    if type(first) is type(second) is np.ndarray and first.dtype == second.dtype == np.float64 and first.ndim == 1:
        # The common case, by the thousand: two plain arrays.
        if first.shape == second.shape and np.isfinite(first).all() and np.isfinite(second).all():
            return Aligned(items=None, first=np.array(first), second=np.array(second))
    a, b = as_ranking(first, names[0]), as_ranking(second, names[1])
    own: dict[str, Any] = {
        "within": (a.tied_within, b.tied_within),
        "snapped": (a.snapped, b.snapped),
        "lower_is_better": (a.lower_is_better, b.lower_is_better),
    }
    if (a.items is None) != (b.items is None):
        named, plain = names if b.items is None else names[::-1]
        raise AlignmentError(
            f"{named} has names and {plain} has none, so they cannot be matched.",
            Advice("Give both as dicts or Rankings, or both as arrays."),
        )
    if a.items is None or b.items is None:
        if len(a) != len(b):
            raise AlignmentError(
                f"{names[0]} has {count(len(a), 'score')}, {names[1]} has {len(b):,}. Arrays are compared place by "
                "place.",
                Advice("Give names (a dict or a Ranking) to compare what they share."),
            )
        return Aligned(items=None, first=a.oriented, second=b.oriented, **own)
    if a.items == b.items:
        return Aligned(items=a.items, first=a.oriented, second=b.oriented, **own)
    place_a, place_b = a._positions or {}, b._positions or {}
    shared = tuple(item for item in a.items if item in place_b)
    only = (
        tuple(item for item in a.items if item not in place_b),
        tuple(item for item in b.items if item not in place_a),
    )
    if any(only) and unmatched == "error":
        raise _unmatched_error(only, (len(a), len(b)), names, len(shared))
    first_scores = a.oriented[[place_a[item] for item in shared]]
    second_scores = b.oriented[[place_b[item] for item in shared]]
    return Aligned(items=shared, first=first_scores, second=second_scores, dropped=only, **own)


def _unmatched_error(
    only: tuple[tuple[Hashable, ...], ...], sizes: tuple[int, int], names: tuple[str, str], shared: int
) -> AlignmentError:
    parts = []
    for items, size, name in zip(only, sizes, names, strict=True):
        if items:
            shown = ", ".join(map(repr, items[:5])) + (", …" if len(items) > 5 else "")
            are = "is" if len(items) == 1 else "are"
            parts.append(f"{len(items):,} of {count(size, 'item')} {are} only in {name}: {shown}.")
    way_out: Option | Advice = Advice("They share none: are the names spelled alike?")
    if shared:
        way_out = Option("unmatched", "drop", effect=f"to compare the {shared:,} they share")
    return AlignmentError(f"{' '.join(parts)}\nRankings are compared on the same items.", way_out)
