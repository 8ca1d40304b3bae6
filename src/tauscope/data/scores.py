"""`Scores`: the scores of systems on topics by one measure."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checking
from ..core.arrays import Floats
from ..core.checking import MAX_BYTES
from ..core.formulas import midranks
from ..errors import CallError, MissingPackageError, Option
from ..results import Note, Notes, count, shape
from .labels import Axes, Labelled, Labels, labels_of, mean_over, positions, shown, with_code, without_code
from .names import canonical
from .ranking import Ranking
from .summaries import units_in
from .table import MeasureTable, long_columns, system_wise, topic_wise

if TYPE_CHECKING:
    from ..core.checking import Rng


#: The code of the note that says where scores were negated.
NEGATED = "negated"
#: The note where that is everywhere: all numbers of the scores are those of their source times -1.
ALL_NEGATED = Note(NEGATED, topics=(), measure="")
#: What a note says where nothing names the topics.
NUMBERED = "topics numbered"
#: The name of the only column where a measure is needed and none was given.
UNNAMED = "score"
#: The note of scores on different scales whose plain mean was asked for.
PLAIN_MEAN = Note("aggregated_plain")
#: What topics on different scales can be made into, the first by default where one is taken.
ONE_SCALE = ("z", "rank", "minmax", "mean")
#: The note of scores that only look as if they were on different scales, and whose plain mean was asked for.
AS_THEY_ARE = Note("aggregated_as_is")
#: The highest scores of one scale are at least this many times 1, and its differences this many times those of the
#: other. Values alone are evidence of two scales where even the lowest score of the wide one is that far beyond the
#: highest of the other.
_GAP = 3.0
#: The codes of notes that say that scores were brought to one scale.
AGGREGATED = tuple(f"aggregated_{how}" for how in ("plain", "as_is", "group_mean", "z", "borda", "minmax"))
#: Those of them after which a mean is still in the units of the scores.
IN_UNITS = AGGREGATED[:3]
HOW = ("mean", "z", "rank", "minmax", "borda", "group-mean")


class Scales(NamedTuple):
    """Topics whose scores lie between -1 and 1, and topics whose scores go beyond.

    `sure`: names, units or values are evidence of two scales; otherwise one scale with easy and hard topics, such as
    penalties for errors, can look the same.
    """

    small: tuple[str, ...]
    large: tuple[str, ...]
    top: float
    sure: bool

    def text(self) -> str:
        """What is wrong, as a sentence."""
        return str(Note("two_scales", small=self.small, large=self.large, top=self.top))


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Labelled):
    """How did each system do on each topic? A matrix, topics x systems, with names; higher is better.

    It is frozen, and `.notes` keeps the choices made on the way. A cell that is NaN or None is missing.

    Parameters
    ----------
    values : array
        Topics x systems.
    topics, systems : sequence of str or None, default None
        Their names; numbered from 1 where there are none.
    measure : str, default ""
        The measure, in any of its spellings.
    collection : str, default ""
        What the collection is called in results.
    notes : tuple of Note or str, default ()
        What was done to the scores before.
    frame : str or None, default None
        The library of the data frame they came from, which `to_frame()` makes again.
    clusters : dict or sequence, optional
        The cluster of each topic (its document, task family or language), by topic or in their order. Tests and
        intervals then take whole clusters for independent, or say that they cannot.
    missing : {"error", "zero", "drop-topics", "drop-systems", "keep"}, default "error"
        What a missing cell means: an error that names it, a score of 0, a topic or a system to leave out, or a hole
        that stays, so that a mean is over the topics that a system has.

    Raises
    ------
    CallError
        Where the values are no matrix, or there are more or fewer names than rows or columns.
    TauscopeError
        Where a cell is missing or not finite, or a name is there twice.

    See Also
    --------
    read_scores : From files, frames and dicts.
    ScoreCube : Several measures.

    Examples
    --------
    >>> Scores([[0.1, 0.3], [0.2, 0.6]], topics=["401", "402"], systems=["bm25", "dense"], measure="map")
    Scores: 2 systems x 2 topics, AP
    values from 0.1 to 0.6, no missing cells
    """

    AXES: ClassVar[Axes] = (("topics", "topic"), ("systems", "system"))

    values: Floats
    topics: Labels = None  # type: ignore[assignment]
    systems: Labels = None  # type: ignore[assignment]
    measure: str = ""
    collection: str = ""
    notes: Notes = ()
    frame: str | None = None
    missing: InitVar[str] = "error"
    clusters: Mapping[str, str] | None = None

    def __post_init__(self, missing: str) -> None:
        object.__setattr__(self, "measure", canonical(self.measure))
        clusters = _by_topic(self.clusters, self.topics)
        self._settle(missing)
        if clusters is not None:
            without = [topic for topic in self.topics if topic not in clusters]
            if without:
                raise CallError(f"{count(len(without), 'topic')} without a cluster: {shown(without)}.")
            clusters = {topic: str(clusters[topic]) for topic in self.topics}
        object.__setattr__(self, "clusters", clusters)

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        measure: str | None = None,
        missing: str = "error",
        format: str | None = None,
        collection: str = "",
        columns: Mapping[str, Any] | str | None = None,
        lower_is_better: bool | Sequence[str] = False,
        aggregate: str | None = None,
        like: Any = None,
        max_bytes: int = MAX_BYTES,
    ) -> Scores:
        """Read scores by one measure from a file, a folder, a dict or a data frame; `.notes` says how they were read.

        Parameters
        ----------
        source : path, list, dict or data frame
            A file (CSV, TSV, .xlsx, .ods or Parquet, wide or long; output of `trec_eval -q` or ir_measures; JSON, also
            of MTEB, lm-evaluation-harness, Inspect, HELM and AlpacaEval; scores of mt-metrics-eval; also gzip, zstd or
            lz4), a list of files of one run each, a folder of them or of one of these tools, a dict {run: file or
            frame}, a pandas, polars or pyarrow frame, or a dict {run: {measure: {topic: value}}}.
        measure : str or None, default None
            Chooses one of several measures, or names the only one.
        missing : {"error", "zero", "drop-topics", "drop-systems", "keep"}, default "error"
            What a cell without a score means; see `Scores`.
        format : str or None, default None
            The layout, where the columns leave it open: "wide" (one row per topic), "turned" (one row per system),
            "long" (one row per score), "measures" (one column per measure), "matrix", "numbers", "trec_eval",
            "ir_measures", or the order of the keys of a dict, such as "run>topic".
        collection : str, default ""
            What the collection is called in results.
        columns : dict, str or None, default None
            Which column is what, where the names do not say: {"system": "model", "value": "arena_score"}, or as a text,
            "name=model,score=arena_score". Besides system, topic, measure (or judge) and value, `keep` names columns
            and rows that are scores though their names say summary, size or date, and `drop` columns that are left out.
        lower_is_better : bool or sequence of str, default False
            Topics (tasks) on which a lower score is better, or True for all of them; their scores are negated.
        aggregate : {"mean", "z", "rank", "minmax"} or None, default None
            How scores of topics on different scales are made comparable; see `Scores.aggregated()`.
        like : Scores, ScoreCube or None, default None
            Scores whose names settle whether the rows are topics or systems.
        max_bytes : int
            A file that unpacks to more is refused.

        Returns
        -------
        Scores

        Raises
        ------
        FileError
            If a file cannot be read, or could be read in two ways; the error has the line and the fixes.
        CallError
            If there are several measures and none was chosen, or an argument is unknown.

        See Also
        --------
        ScoreCube.read : Several measures at once.
        tauscope.read : A file of any kind.
        evaluate : Scores from runs and judgments.

        Examples
        --------
        >>> Scores.read({"bm25": {"AP": {"401": 0.1, "402": 0.3}}, "dense": {"AP": {"401": 0.2, "402": 0.6}}})
        Scores: 2 systems x 2 topics, AP
        values from 0.1 to 0.6, no missing cells
        notes: the dict: dicts, run>measure>topic
        """
        found: Scores = importlib.import_module("tauscope.io.read").read_scores(
            source,
            measure=measure,
            missing=missing,
            format=format,
            collection=collection,
            columns=columns,
            lower_is_better=lower_is_better,
            aggregate=aggregate,
            like=like,
            max_bytes=max_bytes,
        )
        return found

    def __len__(self) -> int:
        """The number of topics."""
        return len(self.topics)

    def headline(self) -> str:
        named = "".join(f", {text}" for text in (self.measure, self.collection) if text)
        return f"Scores: {shape(count(len(self.systems), 'system'), count(len(self.topics), 'topic'))}{named}"

    def _shown(self) -> dict[str, Any]:
        key = "topic" if "topic" not in self.systems else "(topic)"
        return {key: self.topics, **{system: self.values[:, i] for i, system in enumerate(self.systems)}}

    @property
    def lower_is_better(self) -> bool:
        """Whether lower is better in the source of these scores: `values` hold them negated, results print them as they
        were."""
        noted = [note.numbers for note in with_code(self.notes, NEGATED)]
        negated = [own for own in noted if own.get("measure", "") in ("", self.measure)]
        rescaled = any(note.code not in IN_UNITS for note in with_code(self.notes, *AGGREGATED))
        return len(negated) == 1 and not negated[0].get("topics") and not rescaled

    @property
    def some_negated(self) -> bool:
        """Whether scores of some topics are held with the other sign, because lower is better in the source."""
        return bool(with_code(self.notes, NEGATED))

    def as_read(self, numbers: Any) -> Any:
        """Means or differences from a mean, on the scale of the source: with the other sign where lower is better.

        Parameters
        ----------
        numbers : float or array
            On the scale of `values`.

        Returns
        -------
        float or array

        Examples
        --------
        >>> wer = Scores([[0.5, 0.25], [0.75, 0.25]], systems=["a", "b"]).negated()
        >>> wer.means().tolist(), wer.as_read(wer.means()).tolist()
        ([-0.625, -0.25], [0.625, 0.25])
        """
        return 0.0 - numbers if self.lower_is_better else numbers

    def _range(self) -> tuple[float, float]:
        low, high = super()._range()
        return (-high, -low) if self.lower_is_better else (low, high)

    def means(self) -> Floats:
        """What is the mean of each system over the topics it has?

        Returns
        -------
        array
            In the order of `.systems`.

        Examples
        --------
        >>> Scores([[0.25, 0.5], [0.75, 1.0]]).means().tolist()
        [0.5, 0.75]
        """
        return mean_over(self.values, 0)

    def by_cluster(self, clusters: Mapping[str, str] | None = None) -> Scores:
        r"""Make one row per cluster of topics, such as documents, task families or languages.

        Tests and intervals take rows as independent, and topics of one cluster are not. Most functions do this by
        themselves for `Scores(…, clusters=…)`; use it for those that refuse clusters. Do not use it for rules that rank
        within topics. The row of cluster *g* is

        .. math:: x'_g = \bar x + \frac{G}{n} \sum_{t \in g} (x_t - \bar x),

        so that the mean over rows is the mean over topics, and rows vary as clusters do.

        Parameters
        ----------
        clusters : dict, optional
            Topic -> cluster, for every topic; by default those of the scores.

        Returns
        -------
        Scores
            Clusters x systems, with the same means.

        Raises
        ------
        CallError
            If there are no clusters, or a topic has none.
        TauscopeError
            If there are fewer than 8 clusters, or cells are missing.

        Examples
        --------
        >>> board = Scores([[i, i + 1.0] for i in range(16)], systems=["a", "b"])
        >>> rows = board.by_cluster({str(i): f"document {(i - 1) // 2}" for i in range(1, 17)})
        >>> rows.shape, rows.means().tolist() == board.means().tolist()
        ((8, 2), True)
        """
        self.require_complete("by_cluster()")
        own = self.clusters if clusters is None else clusters
        if not isinstance(own, Mapping):
            raise CallError(f"clusters is of type {type(own).__name__}; give a dict, {{topic: cluster}}.")
        rows: Scores = importlib.import_module("tauscope.data.clusters").rows_by_cluster(self, own)
        return rows

    def ranking(self, *, tied_within: Any = 0, lower_is_better: bool = False) -> Ranking:
        """Rank the systems by their means.

        Means that differ only by rounding are ties; `.snapped` of the ranking counts them.

        Parameters
        ----------
        tied_within : float, str or Tolerance, default 0
            Means this close are tied.
        lower_is_better : bool, default False
            Whether the best system has the lowest mean, in scores that were read as they are.

        Returns
        -------
        Ranking

        Examples
        --------
        >>> Scores([[0.1, 0.3], [0.2, 0.6]], systems=["bm25", "dense"]).ranking().groups()
        [('dense',), ('bm25',)]
        """
        lower = lower_is_better != self.lower_is_better
        means = self.as_read(self.means())
        return Ranking.from_means(means, self.systems, tied_within=tied_within, lower_is_better=lower)

    def drop_worst(self, share: float = 0.25) -> Scores:
        """The scores without the worst systems.

        Parameters
        ----------
        share : float, default 0.25
            Systems whose mean is below this quantile of the means (by linear interpolation) go; equal means go or stay
            together.

        Returns
        -------
        Scores

        Examples
        --------
        >>> Scores([[0.1, 0.2, 0.3, 0.4]]).drop_worst(0.25).systems
        ('2', '3', '4')
        """
        return self._without_worst(self.means(), share)

    def select(self, *, topics: Iterable[str] | None = None, systems: Iterable[str] | None = None) -> Scores:
        """The scores of some topics or systems only.

        Parameters
        ----------
        topics, systems : iterable of str or None, default None
            Their names, in the order wanted; None for all.

        Returns
        -------
        Scores

        Raises
        ------
        TauscopeError
            Where a name is not there; the nearest spelling is offered.

        Examples
        --------
        >>> Scores([[0.1, 0.3], [0.2, 0.6]], systems=["bm25", "dense"]).select(systems=["dense"]).shape
        (2, 1)
        """
        return self._selected(topics=topics, systems=systems)

    def sample_topics(self, k: int, rng: Rng = 0, *, replace: bool = False) -> Scores:
        """The scores on topics drawn at random, in their old order.

        Parameters
        ----------
        k : int
            How many topics.
        rng : int, Generator or None, default 0
            The seed, which the notes remember; None for a fresh one.
        replace : bool, default False
            Whether a topic can be drawn again; it is named `401#2` then.

        Returns
        -------
        Scores

        Examples
        --------
        >>> len(Scores([[0.1, 0.3], [0.2, 0.6], [0.5, 0.5]]).sample_topics(2, 1))
        2
        """
        drawn, topics, note = draw_topics(self.topics, k, rng, replace)
        own = self.clusters
        again = own and {label: own[self.topics[i]] for label, i in zip(topics, drawn, strict=True)}
        return self.changed(note, values=self.values[drawn], topics=topics, clusters=again)

    def aggregated(self, how: str = "z", groups: Mapping[str, str] | None = None) -> Scores:
        """The scores on one scale, so that their mean over topics is the aggregate asked for.

        Topics (tasks) on different scales, accuracies beside percent or perplexity, cannot be averaged as they are: the
        widest scale decides. Everything that takes scores takes these. Ties stay ties.

        Parameters
        ----------
        how : {"z", "rank", "minmax", "mean", "borda", "group-mean"}, default "z"
            "z": on each topic the distance from the mean in standard deviations over the systems (n - 1); "rank" or
            "borda": the share of other systems that a system beats, ties half; "minmax": (x - min)/(max - min) of the
            topic; "mean": the scores as they are, different scales or not, which the notes then say; "group-mean": each
            group of topics counts alike.
        groups : Mapping or None, default None
            Topic to group, for "group-mean".

        Returns
        -------
        Scores
            Missing cells stay missing.

        Raises
        ------
        CallError
            Where `how` is unknown, or a topic is in no group.

        Examples
        --------
        >>> board = Scores([[0.5, 0.9, 0.1], [40, 20, 80]], systems=["a", "b", "c"])
        >>> board.aggregated("minmax").means().round(3).tolist()
        [0.417, 0.5, 0.5]
        """
        checking.one_of(how, HOW, "aggregate")
        if how == "mean":
            found = self.scales()
            return self if found is None else self.changed(PLAIN_MEAN if found.sure else AS_THEY_ARE)
        values, note = aggregates(self.values, self.topics, how, groups)
        return self.changed(note, values=values)

    def scales(self) -> Scales | None:
        """Which topics are on another scale than the others?

        Returns
        -------
        Scales or None
            Topics with scores up to 1, topics with scores far beyond, and whether names, units or values are evidence
            of two scales (`sure`); None where all are on one scale, or scores were brought to one.

        Examples
        --------
        >>> Scores([[0.5, 0.9], [40, 20]], topics=["accuracy", "BLEU"]).scales().large
        ('BLEU',)
        """
        if with_code(self.notes, *AGGREGATED):
            return None
        return different_scales(0.0 - self.values if self.lower_is_better else self.values, self.topics)

    def negated(self, topics: bool | Iterable[str] = True) -> Scores:
        """The scores with the sign changed where lower is better, so that higher is better everywhere.

        Parameters
        ----------
        topics : bool or iterable of str, default True
            The topics on which lower is better; True for all, False for none.

        Returns
        -------
        Scores

        Raises
        ------
        TauscopeError
            Where there is no such topic; the nearest spelling is offered.

        Examples
        --------
        >>> Scores([[0.5, 0.9], [40, 20]], topics=["accuracy", "WER"]).negated(["WER"]).values.tolist()
        [[0.5, 0.9], [-40.0, -20.0]]
        """
        if topics is False:
            return self
        chosen = [] if topics is True else [topics] if isinstance(topics, str) else list(topics)
        places = range(len(self)) if topics is True else positions(chosen, self.topics, "topic") if chosen else []
        if not len(places):
            return self
        values = np.array(self.values)
        values[list(places)] *= -1
        if len(places) < len(self):
            note = Note(NEGATED, topics=tuple(self.topics[i] for i in places), measure="")
            return self.changed(note, values=values)
        if self.lower_is_better:  # negated once more, they are what they were
            notes = without_code(self.notes, NEGATED)
            return replace(self, values=values, notes=notes, missing="keep")
        return self.changed(ALL_NEGATED, values=values)

    def topic_wise(self) -> MeasureTable:
        """The scores as a table with one row per topic and system, and one column: the measure.

        Returns
        -------
        MeasureTable
        """
        return topic_wise(self, self.values[None], (self.measure or UNNAMED,))

    def system_wise(self) -> MeasureTable:
        """The means as a table with one row per system, and one column: the measure.

        Returns
        -------
        MeasureTable
        """
        return system_wise(self, self.means()[None], (self.measure or UNNAMED,))

    def _columns(self, long: bool) -> dict[str, Any]:
        if long:
            return long_columns(self, self.values[None], (self.measure or UNNAMED,))
        if "topic" in self.systems:
            raise CallError(
                "A system is called 'topic', as the column of topics is.",
                Option("long", True, effect="for one row per score"),
            )
        return self._shown()

    def to_xarray(self) -> Any:
        """The scores as an xarray DataArray with the dimensions topic and system.

        Returns
        -------
        xarray.DataArray

        Raises
        ------
        MissingPackageError
            Where xarray is not installed.
        """
        coordinates = {"topic": list(self.topics), "system": list(self.systems)}
        return data_array(self.values, coordinates, self.measure or UNNAMED, self.collection, self.notes)


def _by_topic(clusters: Any, topics: Any) -> Mapping[str, Any] | None:
    """Topic -> cluster, from that or from the clusters in the order of the topics."""
    if clusters is None or isinstance(clusters, Mapping):
        return clusters
    if isinstance(clusters, str) or not isinstance(clusters, Iterable):
        raise CallError(
            f"`clusters` is of type {type(clusters).__name__}; give {{topic: cluster}}, or the cluster of each topic."
        )
    own = list(clusters)
    labels = labels_of(topics, len(own), "topics", "topic")
    if len(labels) != len(own):
        raise CallError(f"There are {count(len(labels), 'topic')} and {count(len(own), 'cluster')}, one for each.")
    return dict(zip(labels, own, strict=True))


def draw_topics(topics: Labels, k: int, rng: Rng, replace: bool) -> tuple[list[int], Labels, Note]:
    """(places, labels, note) of topics drawn at random."""
    n = len(topics)
    if checking.whole(k, "k", least=1) > n and not replace:
        raise CallError(
            f"sample_topics({k}) of {count(n, 'topic')}: draw 1 to {n:,}.",
            Option("replace", True, effect="to draw topics again"),
        )

    generator, seed = checking.generator(rng)
    drawn = sorted(int(i) for i in generator.choice(n, size=k, replace=replace))
    labels, times = [], dict.fromkeys(drawn, 0)
    for i in drawn:
        times[i] += 1
        labels.append(topics[i] if times[i] == 1 else f"{topics[i]}#{times[i]}")
    return drawn, tuple(labels), Note("drawn_topics", drawn=k, topics=n, again=replace, seed=seed)


def data_array(values: Floats, coordinates: dict[str, list[str]], name: str, collection: str, notes: Notes) -> Any:
    """An xarray DataArray; its attributes hold the collection and the notes."""
    try:
        import xarray
    except ImportError:
        raise MissingPackageError.needed("to_xarray()", "xarray", "xarray") from None
    attributes = {"collection": collection, "notes": list(map(str, notes))}
    return xarray.DataArray(values.copy(), coordinates, dims=list(coordinates), name=name, attrs=attributes)


def different_scales(values: Floats, topics: Labels) -> Scales | None:
    """Find the topics of either scale where there seem to be two; None for one scale, counts and grades among them.

    On some topics no score exceeds 1, on all others the highest is several times that, and nothing is between: scores
    of one wide scale fill the gap. Scores up to 1 that are whole numbers are counts, grades or votes, and on the scale
    of the others; and so are topics that are only easy or hard for all, on which systems differ as they do elsewhere.
    """
    n, m = values.shape
    if n < 2 or m < 2:
        return None
    tops = np.abs(np.where(np.isnan(values), 0.0, values)).max(axis=1)
    small = tops <= 1
    if not small.any() or small.all() or tops[~small].min() < _GAP:
        return None
    part = values[small]
    part = part[~np.isnan(part)]
    if not (part != np.round(part)).any():
        return None
    bottoms = np.where(np.isnan(values), np.inf, values).min(axis=1)
    ranges = np.where(np.isnan(values), -np.inf, values).max(axis=1) - bottoms
    if np.median(ranges[~small] / 2) < _GAP * np.median(ranges[small] / 2):  # the mean of two huge ones would overflow
        return None
    low, high = (tuple(topics[i] for i in np.flatnonzero(kept)) for kept in (small, ~small))
    return Scales(low, high, float(tops.max()), _units_differ(low, high) or _values_differ(values, small))


def _units_differ(small: Labels, large: Labels) -> bool:
    """Whether every topic of one scale names a measure or a unit that no topic of the other names."""
    own, other = ([units_in(name) for name in names] for names in (small, large))
    shared = frozenset().union(*own) & frozenset().union(*other)
    return not shared and (all(own) or all(other))


def _values_differ(values: Floats, small: NDArray[np.bool_]) -> bool:
    """Whether no score of either scale lies within the range of the other, or near it.

    Where no score exceeds 0, the scores are penalties: segments with few errors and segments with many are on one
    scale, however far apart they lie.
    """
    known = ~np.isnan(values)
    if not (values[known] > 0).any():
        return False
    low, high = (np.abs(values[part][known[part]]) for part in (small, ~small))
    return bool(high.min() > _GAP * low.max())


def aggregates(values: Floats, topics: Labels, how: str, groups: Mapping[str, str] | None) -> tuple[Floats, Note]:
    """Scores, topics x systems, whose means over topics are the aggregate asked for, and the note that says so.

    "z": on each topic (x - mean)/standard deviation over the systems that have it (n - 1 in the denominator); 0 on
    topics where all are equal. "borda", also "rank": on each topic the share of other systems that a system beats, ties
    half. "minmax": on each topic (x - min)/(max - min); 1/2 where all are equal. "group-mean": each group of topics
    counts alike, whatever its size; `groups` is topic -> group. Missing cells stay missing: a system is placed among
    those that have the topic.
    """
    if how == "group-mean":
        return _weighted(values, topics, groups)
    make = _MAKE[how]
    return np.stack([make(row) for row in values]), Note(f"aggregated_{'borda' if how == 'rank' else how}")


def _standardised(row: Floats) -> Floats:
    known = ~np.isnan(row)
    x = row[known]
    result = np.full(len(row), np.nan)
    deviation = float(x.std(ddof=1)) if len(x) > 1 else 0.0
    # Equal scores differ by rounding only: that is no spread.
    level = float(np.abs(x).max(initial=0.0))
    result[known] = (x - x.mean()) / deviation if deviation > 1e-12 * level else 0.0
    return result


def _borda(row: Floats) -> Floats:
    known = ~np.isnan(row)
    result = np.full(len(row), np.nan)
    others = int(known.sum()) - 1
    result[known] = midranks(row[known]) / others if others > 0 else 0.5
    return result


def _of_range(row: Floats) -> Floats:
    low, high = np.nanmin(row), np.nanmax(row)
    return np.where(np.isnan(row), np.nan, (row - low) / (high - low) if high > low else 0.5)


_MAKE = {"z": _standardised, "borda": _borda, "rank": _borda, "minmax": _of_range}


def _weighted(values: Floats, topics: Labels, groups: Mapping[str, str] | None) -> tuple[Floats, Note]:
    """Topics times n/(groups x topics of its group)."""
    if not groups:
        raise CallError("aggregate='group-mean' needs groups of topics.", Option("groups", effect="as {topic: group}"))
    without = [topic for topic in topics if topic not in groups]
    if without:
        raise CallError(
            f"{count(len(without), 'topic')} {'is' if len(without) == 1 else 'are'} in no group: {shown(without)}."
        )
    own = np.array([groups[topic] for topic in topics], dtype=object)
    names = list(dict.fromkeys(own.tolist()))
    known = ~np.isnan(values)
    sizes = np.array([known[own == name].sum(axis=0) for name in names])  # groups x systems: cells of each
    weight = np.zeros(values.shape)
    for name, size in zip(names, sizes, strict=True):
        weight[own == name] = known.sum(axis=0) / ((sizes > 0).sum(axis=0) * np.maximum(size, 1))
    lacking = int((sizes == 0).any(axis=0).sum())
    return values * weight, Note("aggregated_group_mean", groups=names, holes=not known.all(), lacking=lacking)
