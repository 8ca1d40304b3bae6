"""`incomplete_judgments`: do runs rank alike when only some of the pool was judged? (yilmaz2006; radja2018 7.2)"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..coefficients.records import Coefficient
from ..core import checking
from ..core.arrays import Floats, Ints, repeated, snap_rows
from ..core.checking import JUDGMENT_DRAWS, Progress, Rng, remembered
from ..data.labels import positions
from ..data.scores import Scores
from ..errors import CallError
from ..evaluation.evaluate import in_order_of_topics, no_topics
from ..evaluation.measures import Gains, Pool, Settings, average_precision, inferred_ap
from ..evaluation.qrels import Qrels, read_qrels, sample_grades
from ..evaluation.runs import check_ties, run_loaders, same_name
from ..jobs import Pool as Workers
from ..jobs import run_cells, threads
from ..results import Note, Notes, fact, large
from .variants import Experiment, Moments, Variant, among, long_table, several, variants_of

#: What yilmaz2006 and radja2018 kept of the judgments, in percent.
PERCENTS = (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)
#: Percentages of a cell: each cell carries what the runs retrieved, so there are few.
GROUP = 6
#: Of the runs and of the topics.
OF = ("means", "mean", "max", "min")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class IncompleteJudgments(Experiment):
    """infAP on sampled judgments against AP on all of them, for every percentage.

    Attributes
    ----------
    percents : tuple of float
        Percentages of the judgments that were kept, ascending.
    variants : tuple of Variant
        Coefficients with their thresholds.
    values : array, percents x variants x 4
        The correlation of the two rankings by means, and mean, highest and lowest of the correlations topic by topic;
        each is a mean over the draws.
    standard_errors : array, percents x variants x 4
        Of the values.
    rms, topic_rms : array
        For each percentage the root of the mean squared error of infAP, of the runs' means and topic by topic.
    undefined : array, percents x variants
        Number of topics, over all draws, without a value.
    truth : Scores
        AP on all judgments.
    inferred : array, percents x topics x runs
        infAP of the first draw.
    draws : int
        Number of samples of each percentage.
    seed : int
        Seed of the samples.
    notes : tuple of Note or str
        Topics that runs lack, or that have no relevant document.
    """

    QUESTION: ClassVar[str] = "judgments"
    PAPERS: ClassVar[tuple[str, ...]] = ("yilmaz2006", "radja2018")

    percents: tuple[float, ...]
    variants: tuple[Variant, ...]
    values: Floats = large()
    standard_errors: Floats = large()
    rms: Floats = large()
    topic_rms: Floats = large()
    undefined: NDArray[np.int64] = large()
    truth: Scores = large()
    inferred: Floats = large()
    draws: int
    seed: int
    notes: Notes = ()

    def curve(self, coefficient: str | Coefficient, of: str = "means", tied_within: float = 0.0) -> Floats:
        """One value per percentage.

        Parameters
        ----------
        coefficient : str or Coefficient
            One of those computed.
        of : {"means", "mean", "max", "min"}
            Of the runs' means, or mean, highest or lowest of the topics.
        tied_within : float
            The threshold of the variant.

        Returns
        -------
        array
        """
        checking.one_of(of, OF, "of")
        return np.asarray(self.values[:, self._place(coefficient, tied_within), OF.index(of)])

    def columns(self) -> Mapping[str, Any]:
        of = dict(zip(("of_means", "mean", "max", "min"), np.moveaxis(self.values, -1, 0), strict=True))
        cells = of | {"standard_error": self.standard_errors[:, :, 0], "undefined": self.undefined}
        table = long_table({"percent": self.percents}, self._coefficients, **cells)
        return table | {"rms": repeated(self.rms, len(self.variants))}

    @fact
    def topics(self) -> int:
        """Number of topics."""
        return len(self.truth)

    @fact
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.truth.systems

    @fact
    def most_undefined(self) -> int:
        """The largest number of topics, over all draws, for which a coefficient has no value."""
        return int(self.undefined.max(initial=0))

    def scatter(self, percent: float, topic: str | None = None) -> Any:
        """Draw infAP against AP, one mark per run, in the first draw.

        Parameters
        ----------
        percent : float
            One of `.percents`.
        topic : str or None
            Draw scores on this topic (radja2018, Figure 7.8); None draws means (Figure 7.7).

        Returns
        -------
        matplotlib.axes.Axes
        """
        import matplotlib.pyplot as plt

        inferred = self.inferred[among(percent, self.percents, "percent")]
        at = slice(None) if topic is None else [positions(str(topic), self.truth.topics, "topic")[0]]
        _, ax = plt.subplots(figsize=(3.3, 3.3), layout="constrained")
        ax.axline((0, 0), slope=1, color="0.7", linewidth=0.8)
        ax.plot(self.truth.values[at].mean(0), inferred[at].mean(0), "o", markersize=3)
        ax.set(xlabel="AP", ylabel=f"infAP ({percent:g} %)")
        return ax


def incomplete_judgments(
    runs: Any,
    qrels: Any,
    percents: Iterable[float] = PERCENTS,
    coefficients: Iterable[str | Coefficient] | str = ("tau_a", "tau_e", "tau_ap_a", "tau_ap_e"),
    *,
    draws: int = JUDGMENT_DRAWS,
    ties: str = "trec_eval",
    tied_within: Any = (0.0,),
    rng: Rng = 0,
    executor: Executor | Workers | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> IncompleteJudgments:
    """How few judgments still rank the runs as all of them do, over all topics and topic by topic?

    For each percentage that share of every topic's judgments is kept at random (at least one relevant), the rest is
    unjudged; runs are scored by infAP and compared with AP on all judgments: the correlation of the means, the mean,
    highest and lowest of the correlations topic by topic, and the RMS error of the means (yilmaz2006; radja2018,
    section 7.2). Samples are nested: with one seed a smaller percentage is part of a larger one. A topic without
    relevant documents is 0 for every run (its coefficients are those of a full tie); a topic that a run lacks scores 0,
    and `.notes` says so; with one run every coefficient is undefined. At 100 % infAP is AP up to its smoothing of 1e-5.

    Do not use it where the pool itself is in doubt: unjudged documents outside the pool are not relevant here.

    Parameters
    ----------
    runs : path, list of paths, or list of Run
        What `Runs.read()` takes; every run is read once.
    qrels : path or Qrels
        What `Qrels.read()` takes.
    percents : float or list of float
        Percentages of the judgments to keep, above 0 and at most 100.
    draws : int
        Number of samples of each percentage.
    ties : str
        The order of documents with equal scores, as in `evaluate`.
    coefficients : str, Coefficient or list of them
        What the rankings are compared by.
    tied_within : float or list of float
        Thresholds of the coefficients that take one.
    rng, executor, checkpoint, progress
        As in `estimator_study()`; without an executor the work is done by threads of this process.

    Returns
    -------
    IncompleteJudgments

    Raises
    ------
    TauscopeError
        If two runs have one name, or a run has none of the topics.

    See Also
    --------
    Qrels.sample : Leave out a part of the judgments at random.
    Qrels.compare : Compare two sets of judgments.

    Examples
    --------
    >>> from tauscope import demo
    >>> made = demo(rng=1, depth=50)
    >>> found = incomplete_judgments(made.runs[:8], made.qrels, (10, 50, 100), "tau_b", draws=2, rng=1)
    >>> round(float(found.curve("tau_b")[-1]), 3), bool((np.diff(found.rms) < 0).all())
    (1.0, True)
    """
    check_ties(ties)
    tried = _percents(percents)
    draws = checking.whole(draws, "draws", least=1)
    variants = variants_of(coefficients, tied_within)
    judgments = read_qrels(qrels)
    judgments.require_whole("incomplete_judgments()")
    seed = remembered(rng)
    retrieved, names, notes = _read_once(runs, judgments, ties)
    pool = Pool(len(judgments.topics), judgments.topic_of_entry, judgments.grades)
    truth = np.stack([average_precision(gains.hits(1), Settings()) for gains in retrieved.gains(pool)], axis=1)
    judged = (judgments.topic_of_entry, judgments.offsets, judgments.grades)
    shared = (judged, tuple(retrieved), truth, variants)
    groups = [tried[start : start + GROUP] for start in range(0, len(tried), GROUP)]
    cells: dict[Any, tuple[Any, ...]] = {
        (repeat, place): (*shared, list(group), (seed, repeat))
        for repeat in range(draws)
        for place, group in enumerate(groups)
    }
    done = run_cells(
        _cell, cells, executor=executor or threads(), checkpoint=checkpoint, same=(shared, seed), progress=progress
    ).require_all()
    # percents x repeats
    samples = [[one for place in range(len(groups)) for one in done[repeat, place]] for repeat in range(draws)]
    samples = [list(row) for row in zip(*samples, strict=True)]
    moments = [Moments.of(np.stack([np.asarray(one["values"]) for one in row], axis=-1)) for row in samples]
    means = truth.mean(axis=0)
    inferred = np.stack([np.asarray(row[0]["inferred"]) for row in samples])
    each = [np.stack([np.asarray(one["inferred"]) for one in row]) for row in samples]
    without = np.flatnonzero(pool.relevant(1) == 0)
    if without.size:
        topics = [judgments.topics[i] for i in without.tolist()]
        notes.append(Note("topics_without_relevant", topics=topics, zero=True))
    return IncompleteJudgments(
        percents=tried,
        variants=variants,
        values=np.stack([m.value for m in moments]),
        standard_errors=np.stack([m.standard_error for m in moments]),
        rms=np.array([np.sqrt(((one.mean(axis=1) - means) ** 2).mean()) for one in each]),
        topic_rms=np.array([np.sqrt(((one - truth) ** 2).mean()) for one in each]),
        undefined=np.array([np.sum([one["undefined"] for one in row], axis=0) for row in samples], dtype=np.int64),
        truth=Scores(truth, judgments.topics, names, "AP"),
        inferred=inferred,
        draws=draws,
        seed=seed,
        notes=tuple(notes),
    )


def _percents(percents: Any) -> tuple[float, ...]:
    given = several(percents, (int, float, np.number), "percents", "numbers such as (5, 10, 30, 100)")
    listed = {checking.number(one, "percents", above=0) for one in given}
    if max(listed) > 100:
        raise CallError(f"percents={percents!r}: keep more than 0 and at most 100 percent.")
    return tuple(sorted(listed))


class _Retrieved(NamedTuple):
    """Documents of the pool that the runs retrieved, one run after the other: run r from bounds[r] to bounds[r + 1]."""

    bounds: Ints
    place: NDArray[np.int32]
    entry: NDArray[np.int32]

    def gains(self, pool: Pool) -> Iterator[Gains]:
        """Of one run after the other."""
        for begin, end in pairwise(self.bounds.tolist()):
            entry = self.entry[begin:end]
            yield Gains(pool, pool.topic[entry].astype(np.int32), self.place[begin:end], pool.grade[entry])


def _read_once(runs: Any, qrels: Qrels, ties: str) -> tuple[_Retrieved, tuple[str, ...], list[Note]]:
    """What the runs retrieved of the pool; each run is read and let go."""
    places, entries, lacking = [], [], 0
    sources: dict[str, str] = {}
    for run in (run for load in run_loaders(runs) for run in load()):
        if run.name in sources:
            raise same_name(run.name, sources[run.name], run.source)
        sources[run.name] = run.source
        judged = qrels.judged(run, run.order(ties), 2**31 - 1)
        _, place, entry = in_order_of_topics(judged.topic, judged.place, judged.entry)
        places.append(place.astype(np.int32))
        entries.append(entry.astype(np.int32))
        missing = len(set(qrels.topics) - set(run.topics))
        if run.topics and missing == len(qrels.topics):
            raise no_topics(run.name, run.source, run.topics, qrels)
        lacking += missing
    bounds = np.concatenate(([0], np.cumsum([len(place) for place in places])))
    notes = [Note("topics_missing_in_a_run", topics=lacking)] if lacking else []
    return _Retrieved(bounds, np.concatenate(places), np.concatenate(entries)), tuple(sources), notes


def _cell(
    judged: Any, entries: Any, truth: Floats, variants: Any, percents: list[float], entropy: tuple[int, int]
) -> list[dict[str, Any]]:
    """Some percentages of one repeat: infAP of every run, and the coefficients of the means and of the topics."""
    topic_of_entry, offsets, grades = judged
    retrieved = _Retrieved(*entries)
    made = []
    for percent in percents:
        # One stream per repeat, whatever the percentage: smaller samples are part of larger ones.
        generator = np.random.default_rng(np.random.SeedSequence(entropy[0], spawn_key=(entropy[1],)))
        pool = Pool(len(offsets) - 1, topic_of_entry, sample_grades(grades, offsets, percent, generator))
        inferred = np.stack([inferred_ap(gains.hits(1), Settings()) for gains in retrieved.gains(pool)], axis=1)
        values, undefined = _compared(inferred, truth, variants)
        made.append({"values": values, "undefined": undefined, "inferred": inferred})
    return made


def _compared(inferred: Floats, truth: Floats, variants: list[Variant]) -> tuple[Floats, list[int]]:
    """For each variant the correlation of the means, and mean, highest and lowest of the topics; undefined topics."""
    values, undefined = [], []
    for variant in variants:
        by_topic = variant.values(inferred, truth)
        known = by_topic[~np.isnan(by_topic)]
        of_means = variant.values(snap_rows(inferred.mean(axis=0)[None]), snap_rows(truth.mean(axis=0)[None]))[0]
        values.append([of_means, *((known.mean(), known.max(), known.min()) if len(known) else (np.nan,) * 3)])
        undefined.append(int(np.isnan(by_topic).sum()))
    return np.array(values), undefined
