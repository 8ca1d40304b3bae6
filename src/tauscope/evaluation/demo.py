"""`demo()`: a made-up test collection that behaves like a real one, to play with and to explain on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import checking
from ..core.arrays import Floats, Ints, repeated
from ..core.checking import Rng
from ..results import count, shape
from .evaluate import evaluate
from .qrels import Qrels
from .runs import Run
from .topic_lists import PathLike

#: Of what `write()` leaves the scores of all systems on all topics.
WRITTEN = ("AP", "nDCG@20", "P@10", "RR")
TOPICS = 50
#: Documents of which any system could retrieve one, for each topic.
CANDIDATES = 2000
#: The first documents of each run that go into the pool.
POOL_DEPTH = 30
JUDGED_BY = ("qrels.txt", "judge_qrels.txt")


class Family(NamedTuple):
    """Systems that work alike: how many, how strong (worst and best), how much they have in common, and how unequally
    they treat relevant documents (a few very high and the others lost, or all of them well)."""

    name: str
    systems: int
    weakest: float
    strongest: float
    alike: float
    uneven: float


FAMILIES = (
    Family("lexical", 12, 0.70, 1.75, 0.55, 0.25),
    Family("feedback", 7, 1.00, 1.85, 0.50, 0.10),
    Family("dense", 9, 0.55, 1.85, 0.40, 0.55),
    Family("hybrid", 7, 1.35, 1.90, 0.35, 0.35),
    Family("reranker", 5, 1.50, 1.95, 0.45, 0.60),
)
#: The automatic judge likes what this family finds.
FAVOURED = "dense"

#: Share of the variance of scores that all systems have in common: documents that look relevant to everyone.
_COMMON = 0.25
#: How far relevant documents stand out, by grade.
_SIGNAL = np.array([0.0, 0.8, 1.15, 1.5])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DemoCollection:
    """A made-up collection; `demo()` makes one.

    Attributes
    ----------
    runs : tuple of Run
        One for each system.
    qrels, judge_qrels : Qrels
        Judgments by people, and by a machine.
    families : dict
        System -> family.
    seed : str
        How it can be made again.
    """

    runs: tuple[Run, ...]
    qrels: Qrels
    judge_qrels: Qrels
    families: Mapping[str, str]
    seed: str

    def __repr__(self) -> str:
        families = count(len(set(self.families.values())), "family", "families")
        size = shape(f"{count(len(self.runs), 'system')} of {families}", count(len(self.qrels.topics), "topic"))
        return f"Demo collection: {size} ({self.seed})\n{self.qrels}"

    def write(self, folder: PathLike) -> None:
        """Write run files into `runs/`, `qrels.txt` and `judge_qrels.txt`, and scores by either into `scores/`.

        Parameters
        ----------
        folder : str or Path
            Made where it is not there.
        """
        target = Path(folder)
        for part in ("runs", "scores"):
            (target / part).mkdir(parents=True, exist_ok=True)
        for run in self.runs:
            run.write(target / "runs" / f"{run.name}.txt")
        for name, qrels in zip(JUDGED_BY, (self.qrels, self.judge_qrels), strict=True):
            qrels.write(target / name)
            cube = evaluate(self.runs, qrels, WRITTEN)
            for measure in WRITTEN:
                prefix = "judge_" if name.startswith("judge") else ""
                cube[measure].write(target / "scores" / f"{prefix}{measure.replace('@', '_')}.csv")


def demo(rng: Rng = 8, *, depth: int = 300) -> DemoCollection:
    """What can I try all this on? 40 systems of five families on 50 topics, with graded judgments and a second judge.

    Nothing in it is real. Topics differ in difficulty and in how many relevant documents they have; systems of a family
    make similar mistakes; the pool is the first 30 documents of each run; the judge is noisy, a little generous, and
    favours what the dense systems find.

    Parameters
    ----------
    rng : int, Generator or None, default 8
        The seed; None for a fresh one.
    depth : int, default 300
        Number of documents of a run for each topic, 30 to 2,000.

    Returns
    -------
    DemoCollection

    Examples
    --------
    >>> demo(depth=30)
    Demo collection: 40 systems of 5 families x 50 topics (rng=8)
    Qrels: 50 topics, 21,211 documents (21,211 judged, 2,104 relevant, highest grade 3)
    >>> demo(depth=30).families["dense01"]
    'dense'
    """
    depth = checking.whole(depth, "depth", least=POOL_DEPTH, most=CANDIDATES)
    generator, seed = checking.generator(rng)
    strengths = np.concatenate(
        [generator.permutation(np.linspace(f.weakest, f.strongest, f.systems)) for f in FAMILIES]
    )
    member = repeated(np.arange(len(FAMILIES)), [f.systems for f in FAMILIES])
    drawn = [_topic(generator, strengths, member, depth) for _ in range(TOPICS)]
    names = [f"{family.name}{number:02d}" for family in FAMILIES for number in range(1, family.systems + 1)]
    topics = tuple(str(901 + number) for number in range(TOPICS))
    ids = np.array([[f"demo-{topic}-{i:04d}" for i in range(CANDIDATES)] for topic in topics], dtype="S13")
    runs = tuple(_run(name, topics, ids, drawn, system) for system, name in enumerate(names))
    people, judge = (
        _qrels(topics, ids, [one.pool for one in drawn], grades)
        for grades in ([one.grades for one in drawn], [one.judge for one in drawn])
    )
    families = MappingProxyType({name: FAMILIES[f].name for name, f in zip(names, member.tolist(), strict=True)})
    return DemoCollection(runs=runs, qrels=people, judge_qrels=judge, families=families, seed=seed)


class _Topic(NamedTuple):
    """ranked, scores: systems x depth; grades, judge: of the documents in the pool."""

    ranked: Ints
    scores: Floats
    pool: Ints
    grades: NDArray[np.int32]
    judge: NDArray[np.int32]


def _topic(rng: np.random.Generator, strengths: Floats, member: Ints, depth: int) -> _Topic:
    truth = _grades(rng)
    easy = rng.normal(0.0, 0.35)
    suits = rng.normal(0.0, 0.22, len(FAMILIES))[member] + rng.normal(0.0, 0.18, len(strengths))
    alike, uneven = (np.array([getattr(family, name) for family in FAMILIES]) for name in ("alike", "uneven"))
    ease = np.exp(uneven[:, None] * rng.standard_normal((len(FAMILIES), CANDIDATES)))[member]
    signal = np.maximum(strengths + easy + suits, 0.05)[:, None] * _SIGNAL[truth] * ease
    common = np.sqrt(_COMMON) * rng.standard_normal(CANDIDATES)
    shared = rng.standard_normal((len(FAMILIES), CANDIDATES))
    single = rng.standard_normal((len(strengths), CANDIDATES))
    noise = common + np.sqrt(alike[member] * (1 - _COMMON))[:, None] * shared[member]
    noise += np.sqrt((1 - alike[member]) * (1 - _COMMON))[:, None] * single
    latent = signal + noise
    ranked = np.argsort(-latent, axis=1)[:, :depth]
    # Two decimals, as many systems write them: some documents tie.
    scores = np.round(12.0 + 3.0 * np.take_along_axis(latent, ranked, axis=1), 2)
    pool = np.unique(ranked[:, :POOL_DEPTH])
    grades = truth[pool].astype(np.int32)
    favoured = [family.name for family in FAMILIES].index(FAVOURED)
    liking = 0.25 * common[pool] + 0.17 * np.maximum(shared[favoured, pool], 0.0)
    opinion = grades + liking + rng.normal(0.0, 0.42, len(pool))
    judge = np.clip(np.floor(opinion + 0.05), 0, 3).astype(np.int32)
    return _Topic(ranked.astype(np.int64), scores, pool, grades, judge)


def _grades(rng: np.random.Generator) -> Ints:
    """The true grade of every candidate; some topics have ten relevant documents, some a hundred and fifty."""
    relevant = int(np.clip(np.round(np.exp(rng.normal(3.7, 0.75))), 8, 250))
    truth = np.zeros(CANDIDATES, np.int64)
    truth[rng.permutation(CANDIDATES)[:relevant]] = rng.choice([1, 2, 3], size=relevant, p=[0.6, 0.28, 0.12])
    return truth


def _run(name: str, topics: tuple[str, ...], ids: NDArray[np.bytes_], drawn: list[_Topic], system: int) -> Run:
    width = ids.dtype.itemsize
    documents = np.concatenate([ids[t][one.ranked[system]] for t, one in enumerate(drawn)])
    scores = np.concatenate([one.scores[system] for one in drawn])
    offsets = np.cumsum([0, *(len(one.ranked[system]) for one in drawn)], dtype=np.int64)
    starts = np.arange(len(documents) + 1, dtype=np.int64) * width
    return Run(
        name=name,
        topics=topics,
        offsets=offsets,
        documents=documents.tobytes(),
        starts=starts,
        scores=scores,
        source="the demo collection",
    )


def _qrels(
    topics: tuple[str, ...], ids: NDArray[np.bytes_], pools: list[Ints], grades: list[NDArray[np.int32]]
) -> Qrels:
    documents = np.concatenate([ids[t][pool] for t, pool in enumerate(pools)])
    offsets = np.cumsum([0, *map(len, pools)], dtype=np.int64)
    starts = np.arange(len(documents) + 1, dtype=np.int64) * ids.dtype.itemsize
    return Qrels(
        topics=topics,
        offsets=offsets,
        documents=documents.tobytes(),
        starts=starts,
        grades=np.concatenate(grades),
        source="the demo collection",
    )
