"""`Qrels`: judgments, read from TREC qrels files, dictionaries or frames; samples of them and shallower pools."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints
from ..errors import CallError
from ..files.streams import MAX_BYTES
from ..files.whole import write_whole
from ..kernels import JudgmentIndex, judged_documents, judgment_index
from ..reference.lines import QRELS, Judged
from ..results import count
from .runs import Run, run_loaders
from .topic_lists import (
    DOCUMENT,
    TOPIC,
    Parts,
    PathLike,
    TopicLists,
    frame_columns,
    from_nested,
    is_frame,
    nest,
    parse_file,
)

Grades = NDArray[np.int32]

#: In the pool, but nobody judged it.
UNJUDGED = -1
_COLUMNS = {"topic": TOPIC, "document": DOCUMENT, "grade": ("relevance", "label", "rel", "grade", "relevancy")}


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(TopicLists):
    """The judged documents of each topic with their grades; a negative grade is a document of the pool that was not
    judged."""

    topics: tuple[str, ...]
    offsets: Ints
    documents: bytes
    starts: Ints
    grades: Grades
    source: str = ""

    def __post_init__(self) -> None:
        self.freeze()

    @classmethod
    def from_dict(cls, lists: Mapping[Any, Mapping[Any, int]]) -> Qrels:
        """Judgments from {topic: {document: grade}}."""
        return _made(from_nested(lists, "the qrels", "grade", whole=True), "a dictionary")

    @classmethod
    def from_frame(cls, frame: Any) -> Qrels:
        """Judgments from a frame with columns such as query_id, doc_id, relevance (ir_measures) or qid, docno, label
        (PyTerrier)."""
        columns = frame_columns(frame, _COLUMNS, "the frame of qrels")
        return _made(from_nested(nest(columns, "grade", "the qrels"), "the qrels", "grade", whole=True), "a frame")

    def __repr__(self) -> str:
        judged = int((self.grades >= 0).sum())
        relevant = f"{judged:,} judged, {int((self.grades > 0).sum()):,} relevant, highest grade {self.highest}"
        return f"Qrels: {count(len(self.topics), 'topic')}, {count(len(self), 'document')} ({relevant})"

    @property
    def highest(self) -> int:
        """The highest grade given, at least 0."""
        return max(0, int(self.grades.max(initial=0)))

    @cached_property
    def topic_of_entry(self) -> Ints:
        """The number of the topic of each entry."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    @cached_property
    def topic_numbers(self) -> dict[str, int]:
        """Topic to number."""
        return {topic: number for number, topic in enumerate(self.topics)}

    @cached_property
    def index(self) -> JudgmentIndex:
        """Finds documents among the judgments; made once."""
        return judgment_index(self.documents, self.starts, self.offsets)

    def judged(self, run: TopicLists, order: Ints, depth: int) -> Judged:
        """The documents of this pool among the first `depth` of each topic."""
        number = self.topic_numbers
        topic_of = np.array([number.get(topic, -1) for topic in run.topics], dtype=np.int64)
        return judged_documents(run.documents, run.starts, run.offsets, order, topic_of, depth, self.index)

    def with_grades(self, grades: Grades, source: str) -> Qrels:
        """The same documents with other grades."""
        return Qrels(self.topics, self.offsets, self.documents, self.starts, grades.astype(np.int32), source)

    def to_dict(self) -> dict[str, dict[str, int]]:
        """{topic: {document: grade}}, as pytrec_eval takes it."""
        return self.nested(self.grades.tolist())

    def write(self, path: PathLike) -> None:
        """A TREC qrels file (packed where the name ends in .gz or .zst)."""
        self.check_writable()
        ids, grades = self.document_list(), self.grades.tolist()
        topics = self.topic_of_entry.tolist()
        lines = [f"{self.topics[topics[i]]} 0 {ids[i]} {grades[i]}\n" for i in range(len(ids))]
        write_whole(Path(path), "".join(lines).encode("utf-8"))


def read_qrels(source: Any, *, max_bytes: int = MAX_BYTES) -> Qrels:
    """Judgments from a TREC qrels file (plain, gzip or zstd), a {topic: {document: grade}} dictionary or a frame."""
    if isinstance(source, Qrels):
        return source
    if isinstance(source, Mapping):
        return Qrels.from_dict(source)
    if is_frame(source):
        return Qrels.from_frame(source)
    if not isinstance(source, (str, os.PathLike)):
        raise CallError(f"Qrels are a path, a dictionary or a frame, not {type(source).__name__}.")
    parts, _ = parse_file(source, QRELS, max_bytes)
    return _made(parts, str(source))


def sample_qrels(qrels: Any, percent: float, rng: int | np.random.Generator, *, rel: int = 1) -> Qrels:
    """Incomplete judgments: `percent` of each topic's at random, at least one relevant; the rest is unjudged (-1).

    yilmaz2006, radja2018 section 7.2. A topic keeps round(percent/100 * judged), at least one; where none of them is
    relevant (grade >= `rel`) a relevant one drawn at random takes the place of the last. With the same seed a smaller
    sample is part of a larger one, those exchanges aside.
    """
    full = read_qrels(qrels)
    if not 0 < percent <= 100:
        raise CallError(f"percent={percent!r}: keep more than 0 and at most 100 percent.")
    if not isinstance(rng, np.random.Generator) and (
        type(rng) is bool or not isinstance(rng, (int, np.integer)) or rng < 0
    ):
        raise CallError(f"rng={rng!r} is not a seed. Use a whole number of at least 0 or a numpy.random.Generator.")
    grades = sample_grades(full.grades, full.offsets, percent, np.random.default_rng(rng), rel)
    seed = f"rng={rng}" if isinstance(rng, (int, np.integer)) else "rng a Generator"
    return full.with_grades(grades, f"{percent:g} % of the judgments of {full.source} ({seed})")


def sample_grades(full: Grades, offsets: Ints, percent: float, generator: np.random.Generator, rel: int = 1) -> Grades:
    """The grades of `sample_qrels`, from grades by topic."""
    keys = generator.random(len(full))
    keys[full < 0] = np.inf
    grades = np.full(len(full), UNJUDGED, np.int32)
    grades[full < UNJUDGED] = full[full < UNJUDGED]
    for begin, end in zip(offsets.tolist(), offsets[1:].tolist(), strict=False):
        judged = int((full[begin:end] >= 0).sum())
        if not judged:
            continue
        order = begin + np.argsort(keys[begin:end], kind="stable")[:judged]
        kept = order[: max(1, round(percent / 100 * judged))]
        relevant = order[full[order] >= rel]
        if relevant.size and not (full[kept] >= rel).any():
            kept[-1] = relevant[0]
        grades[kept] = full[kept]
    return grades


def judged_to_depth(qrels: Any, runs: Any, depth: int, *, ties: str = "trec_eval") -> Qrels:
    """The judgments that a pool of the first `depth` documents of these runs would have had; the others are gone.

    Topics stay, also those that are left without a judgment.
    """
    full = read_qrels(qrels)
    if type(depth) is not int or depth < 1:
        raise CallError(f"depth={depth!r}: a pool takes at least the first document of each run.")
    kept = np.zeros(len(full), np.bool_)
    for load in run_loaders(runs):
        run: Run = load()
        kept[full.judged(run, run.order(ties), depth).entry] = True
    return full_part(full, kept, f"{full.source}, pooled to depth {depth}")


def full_part(qrels: Qrels, kept: NDArray[np.bool_], source: str) -> Qrels:
    """Some entries of judgments, all topics."""
    sizes = np.diff(qrels.starts)
    text = np.frombuffer(qrels.documents, np.uint8)[np.repeat(kept, sizes)].tobytes()
    starts = np.concatenate(([0], np.cumsum(sizes[kept]))).astype(np.int64)
    counts = np.bincount(qrels.topic_of_entry[kept], minlength=len(qrels.topics))
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Qrels(qrels.topics, offsets, text, starts, qrels.grades[kept], source)


def _made(parts: Parts, source: str) -> Qrels:
    return Qrels(parts.topics, parts.offsets, parts.documents, parts.starts, parts.values.astype(np.int32), source)
