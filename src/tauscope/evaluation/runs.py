"""`Run`: what one system retrieved, read from TREC run files, dictionaries or frames."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from ..core import checking
from ..core.arrays import Floats, Ints, is_frame, tally
from ..core.kernels import order_documents
from ..core.lines import RUN
from ..data.labels import Remark, shown
from ..errors import Advice, CallError, FileError, Option, TauscopeError
from ..io.read import run_name
from ..io.streams import MAX_BYTES, compression, decompressed, is_text, opened
from ..results import Plain, count, fact
from .topic_lists import DOCUMENT, SYSTEM, TOPIC, TopicLists, frame_columns, nest, read_parts

TIES = ("trec_eval", "exact", "input")
_SCORE = ("score", "sim", "similarity")
#: What is made of a run.
Made = TypeVar("Made")
_COLUMNS = {"topic": TOPIC, "document": DOCUMENT, "score": _SCORE}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Run(TopicLists):
    """What did one system retrieve for each topic? Documents with their scores, in the order of the file.

    `Runs.read()` and `from_dict()` make one.

    Parameters
    ----------
    name : str
        The tag, or what the caller calls it.
    topics, offsets, documents, starts
        As in `Qrels`: which documents there are for each topic.
    scores : array
        One for each entry.
    source : str, default ""
        Where it came from.
    comments : int, default 0
        The number of lines of the file that begin with # and were taken for comments.
    notes : tuple of Note or str, default ()
        What was left out of the folder from which it came.

    Examples
    --------
    >>> Run.from_dict({"401": {"d1": 2.0, "d2": 3.0}}, "bm25").ranked("401")
    ['d2', 'd1']
    """

    name: str
    scores: Floats

    @classmethod
    def from_dict(cls, lists: Mapping[Any, Mapping[Any, float]], name: str = "run") -> Run:
        """A run from a dict of dicts, as pytrec_eval and ranx have it.

        Parameters
        ----------
        lists : dict
            {topic: {document: score}}.
        name : str, default "run"
            What the run is called.

        Returns
        -------
        Run
        """
        return read_run(lists, name)

    def __repr__(self) -> str:
        return f"Run {self.name!r}: {count(len(self.topics), 'topic')}, {count(len(self), 'document')}"

    def order(self, ties: str = "trec_eval") -> Ints:
        """In which order are the documents of each topic?

        Parameters
        ----------
        ties : {"trec_eval", "exact", "input"}, default "trec_eval"
            By score, equal scores by document id, descending. trec_eval rounds scores to 32 bits before it compares
            them, "exact" compares all 64 bits; "input" keeps the order of the file.

        Returns
        -------
        array of int
            Entries, topic after topic, each from first to last.
        """
        check_ties(ties)
        scores = self.scores
        if ties == "trec_eval":  # which keeps scores in 32 bits
            with np.errstate(over="ignore"):
                scores = scores.astype(np.float32).astype(np.float64)
        return order_documents(self.documents, self.starts, scores, self.offsets, input_order=ties == "input")

    def ranked(self, topic: str, ties: str = "trec_eval") -> list[str]:
        """The documents of one topic from first to last.

        Parameters
        ----------
        topic : str
            The topic.
        ties : {"trec_eval", "exact", "input"}, default "trec_eval"
            As in `order()`.

        Returns
        -------
        list of str

        Raises
        ------
        TauscopeError
            Where the run does not have the topic.
        """
        if topic not in self.topics:
            raise TauscopeError(f"Run {self.name!r} has no topic {topic!r}.")
        at = self.topics.index(topic)
        return [self.document(entry) for entry in self.order(ties)[self.offsets[at] : self.offsets[at + 1]].tolist()]

    @property
    def values(self) -> Floats:
        """The score of each entry."""
        return self.scores

    def lines(self) -> Iterator[str]:
        self.check_writable(self.name)
        ids, scores, places, order = self.document_list(), self.scores.tolist(), self.offsets.tolist(), self.order()
        for topic, begin, end in zip(self.topics, places, places[1:], strict=False):
            rank = {entry: place for place, entry in enumerate(order[begin:end].tolist(), 1)}
            yield from (f"{topic} Q0 {ids[i]} {rank[i]} {scores[i]!r} {self.name}\n" for i in range(begin, end))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Judged(Plain):
    """The share of the first k documents that have a judgment, for each run.

    Attributes
    ----------
    k : int
        The number of documents from the top.
    runs : tuple of str
        The runs.
    shares : array
        One for each run: a mean over the topics of the qrels that the run has.
    topics : int
        The number of topics of the qrels.
    """

    k: int
    runs: tuple[str, ...]
    shares: Floats
    topics: int

    QUESTION: ClassVar[str] = "judged"

    @fact
    def mean(self) -> float:
        """The mean share over the runs."""
        return float(self.shares.mean())

    @fact
    def least(self) -> str:
        """The run with the smallest share."""
        return self.runs[int(np.argmin(self.shares))]

    def columns(self) -> dict[str, Any]:
        order = np.argsort(self.shares, kind="stable")
        return {"run": [self.runs[i] for i in order], "judged": self.shares[order]}


class Runs(Sequence[Run]):
    """What several systems retrieved: a sequence of runs, in which each can be found by its place or its name.

    Parameters
    ----------
    runs : iterable of Run
        The runs, each with a name of its own.

    Examples
    --------
    >>> runs = Runs.read({"bm25": {"401": {"d1": 2.0}}, "dense": {"401": {"d1": 0.9}}})
    >>> runs
    Runs: 'bm25', 'dense'
    >>> runs["dense"].ranked("401")
    ['d1']
    """

    def __init__(self, runs: Iterable[Run]) -> None:
        self._runs = tuple(runs)
        check_names(self._runs)

    @classmethod
    def read(cls, source: Any, *, names: str = "tag") -> Runs:
        """Read runs from files, folders, dictionaries or frames.

        Parameters
        ----------
        source : path, paths, dict or data frame
            A folder, run files (TREC format, plain, gzip or zstd; JSON, lz4 or Parquet of ranx), {name: run}, one run
            as {topic: {document: score}}, or a frame with columns such as query_id, doc_id, score, and of run names
            where it has several. Runs in one file are distinguished by their tags. Files of a folder that are not runs
            are left out; `evaluate()` names them.
        names : {"tag", "file"}, default "tag"
            What a run is called: the tag in its file, or the name of the file without its endings. Runs that share
            their tag, as Pyserini writes them, are called by their files in any case.

        Returns
        -------
        Runs

        Raises
        ------
        FileError
            If a line does not belong in a run; it names the first one.
        TauscopeError
            If two runs have the same name, by tag or by file.

        Examples
        --------
        >>> Runs.read({"401": {"d1": 2.0, "d2": 3.0}})[0].ranked("401")
        ['d2', 'd1']
        """
        if isinstance(source, cls):
            return source
        if _is_one(source):
            return cls([read_run(source)])
        loaders = run_loaders(source, names)
        with closing(in_order(lambda load: load(), loaders)) as every:
            runs = tuple(run for source_runs in every for run in source_runs)
        new = names_by_file(runs)
        return cls(replace(run, name=new.get((run.source, run.name), run.name)) for run in runs)

    def __getitem__(self, which: Any) -> Any:
        """The run at a place, or the run of that name."""
        if isinstance(which, str):
            named = [run for run in self._runs if run.name == which]
            if not named:
                raise TauscopeError(f"There is no run {which!r}; there are {shown(self.names)}.")
            return named[0]
        return Runs(self._runs[which]) if isinstance(which, slice) else self._runs[which]

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        return f"Runs: {shown(self.names)}"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(run.name for run in self._runs)

    def judged_at(self, qrels: Any, k: int = 10, *, ties: str = "trec_eval") -> Judged:
        """Compute the share of the first k documents of each run that was judged.

        A run that found what nobody judged scores too low by measures that take unjudged for not relevant: be careful
        below 90 %. The share is the mean over topics of judged among the first k / retrieved among the first k; a
        grade below 0 is not a judgment.

        Parameters
        ----------
        qrels : path, dict, data frame or Qrels
            The judgments.
        k : int, default 10
            The number of documents from the top.
        ties : {"trec_eval", "exact", "input"}, default "trec_eval"
            The order of documents with equal scores; see `evaluate()`.

        Returns
        -------
        Judged
            One share per run.

        Examples
        --------
        >>> Runs.read({"a": {"1": {"x": 2.0, "y": 1.0}}}).judged_at({"1": {"x": 1}}, k=2).shares.tolist()
        [0.5]
        """
        from .qrels import read_qrels

        k = checking.whole(k, "k", least=1)
        judgments = read_qrels(qrels)
        shares = np.array([_judged_share(run, judgments, k, ties) for run in self])
        return Judged(k=k, runs=self.names, shares=shares, topics=len(judgments.topics))

    def write(self, folder: Any) -> None:
        """Write one file per run, NAME.txt in TREC format.

        Parameters
        ----------
        folder : str or Path
            It is made if it does not exist.
        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        for run in self._runs:
            run.write(target / f"{run.name}.txt")


def _judged_share(run: Run, qrels: Any, k: int, ties: str) -> float:
    pooled = qrels.judged(run, run.order(ties), k)
    known = qrels.grades[pooled.entry] >= 0
    judged = tally(pooled.topic[known], len(qrels.topics))
    shown = {
        topic: min(k, int(end - begin))
        for topic, begin, end in zip(run.topics, run.offsets, run.offsets[1:], strict=False)
    }
    shares = [judged[i] / shown[topic] for i, topic in enumerate(qrels.topics) if shown.get(topic)]
    return float(np.mean(shares)) if shares else 0.0


def _is_one(source: Any) -> bool:
    """Whether this is the dictionary of one run, {topic: {document: score}}."""
    if not isinstance(source, Mapping) or not source:
        return False
    first = next(iter(source.values()))
    return isinstance(first, Mapping) and bool(first) and not isinstance(next(iter(first.values())), Mapping)


def read_run(source: Any, name: str | None = None, *, max_bytes: int = MAX_BYTES) -> Run:
    """Read one run from a file, a dictionary or a frame; `name` replaces the tag of the file."""
    if isinstance(source, Run):
        return source
    what = f"run {name or 'run'!r}"
    (parts,) = read_parts(source, _COLUMNS, RUN, what, max_bytes)
    named = name or parts.tag or (run_name(source) if isinstance(source, (str, os.PathLike)) else "run")
    return Run(name=named, scores=parts.values, **parts.fields())


def run_loaders(source: Any, names: str = "tag") -> list[Callable[[], list[Run]]]:
    """Return one function for each source, which reads its runs.

    Runs can then be read one after the other, or several at once, without all of them in memory.

    Parameters
    ----------
    source : path, paths, dict, data frame, Run or Runs
        As in `Runs.read()`.
    names : {"tag", "file"}
        What runs are called.

    Returns
    -------
    list of callable
        Each returns a list of runs: one, or by their tags several.
    """
    checking.one_of(names, ("tag", "file"), "names")
    if isinstance(source, (Run, str, os.PathLike)):
        sources: list[Any] = [source]
    elif isinstance(source, Mapping):
        return [_loader(run, name) for name, run in _named_runs(source).items()]
    elif is_frame(source):
        return [_loader(run, name) for name, run in _frame_runs(source).items()]
    elif isinstance(source, Iterable):
        sources = list(source)
    else:
        raise CallError(f"Runs are a folder, paths, Run objects, a dictionary or a frame, not {type(source).__name__}.")
    files = [(one, notes) for item in sources for paths, notes in [_in_folder(item)] for one in paths]
    if not files:
        raise CallError("There is no run to read.")
    by_file = names == "file"
    return [
        _loader(one, run_name(one) if by_file and not isinstance(one, Run) else None, notes) for one, notes in files
    ]


def names_by_file(runs: Sequence[Any]) -> dict[tuple[str, str], str]:
    """Return names for runs that share their tag, from their files.

    Parameters
    ----------
    runs : sequence
        Runs, or what has their name and source.

    Returns
    -------
    dict
        (source, tag) -> name of the file; empty if files do not tell them apart.
    """
    tags = Counter(run.name for run in runs)
    shared = [run for run in runs if tags[run.name] > 1]
    new = {(run.source, run.name): run_name(run.source) for run in shared if os.path.isfile(run.source)}
    others = [run.name for run in runs if tags[run.name] == 1]
    together = [*new.values(), *others]
    return new if len(new) == len(shared) and len(set(together)) == len(together) else {}


def note_on_names(runs: Sequence[Any], new: Mapping[tuple[str, str], str]) -> list[Remark]:
    """What is told of runs that are called by their files without being asked."""
    tags = dict.fromkeys(run.name for run in runs if (run.source, run.name) in new)
    if not tags:
        return []
    return [
        Remark(
            f"{count(len(new), 'run')} are called by their files, for they share their tags: {shown(list(tags))}",
            code="one-tag",
            effect="no number changes",
            suggestion="ask for names by file to call all runs so",
            severity="note",
        )
    ]


def check_names(runs: Iterable[Any]) -> None:
    """Raise an error if two runs have one name; it names their files."""
    seen: dict[str, Any] = {}
    for run in runs:
        if run.name in seen:
            raise same_name(run.name, seen[run.name].source, run.source)
        seen[run.name] = run


def same_name(name: str, first: str, second: str) -> TauscopeError:
    """The error for two runs of one name, with where they came from."""
    return TauscopeError(
        f"Two runs are called {name!r}: {first} and {second}.",
        Option("names", "file", effect="to call runs by the names of their files")
        if run_name(first) != run_name(second)
        else Advice("Give a dict, {name: file}, to name them.", "Rename one of the files."),
    )


def check_ties(ties: str) -> None:
    """Only rules that are known: 32-bit or 64-bit scores, then document ids, descending; or the order of the file."""
    checking.one_of(ties, TIES, "ties")


def in_order(
    task: Callable[[Callable[[], list[Run]]], list[Made]],
    loaders: Sequence[Callable[[], list[Run]]],
) -> Generator[list[Made], None, None]:
    """Apply a task to each source, in their order, with one thread per core.

    A task that has not begun when the reader stops is not begun.
    """
    number = checking.cores()
    if number == 1:
        yield from map(task, loaders)
        return
    pool = ThreadPoolExecutor(number)
    try:
        yield from pool.map(task, loaders)
    finally:
        pool.shutdown(cancel_futures=True)


def _loader(source: Any, name: str | None, notes: tuple[str, ...] = ()) -> Callable[[], list[Run]]:
    def load() -> list[Run]:
        alone = name is not None or isinstance(source, Run)
        runs = [read_run(source, name)] if alone else _by_tag(source)
        return [replace(run, notes=notes) for run in runs] if notes else runs

    return load


def _by_tag(source: Any) -> list[Run]:
    """Read every run of a source; those of one file are distinguished by their tags."""
    every = read_parts(source, _COLUMNS, RUN, "the run", several=True)
    return [Run(name=one.tag or run_name(source), scores=one.values, **one.fields()) for one in every]


def _in_folder(source: Any) -> tuple[list[Any], tuple[str, ...]]:
    """Return the runs of a folder by name.

    Parameters
    ----------
    source : object
        A folder; anything else is returned as it is.

    Returns
    -------
    pair of list and tuple of str
        Files that can be runs, without hidden ones, and a note on the others.
    """
    if not isinstance(source, (str, os.PathLike)) or not Path(source).is_dir():
        return [source], ()
    files = sorted(path for path in Path(source).iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise FileError(f"{source}: the folder has no files.")
    runs = [path for path in files if _can_be_run(path)] or files
    others = [path.name for path in files if path not in runs]
    remark = Remark(
        f"{count(len(others), 'file')} left out, not runs: {shown(others)}",
        where=Path(source).name,
        code="not-runs",
        effect="if one of them is a run, its system is missing",
        suggestion="remove them from the folder, or name the files to be read",
    )
    return list(runs), (remark,) if others else ()


#: What is looked at of a file to see whether it can be a run.
_START = 1 << 16
#: A line of a run, or one that was meant to be: Q0 in the second column, or a rank and a score beside each other.
_LIKE_RUN = re.compile(
    rb"^[ \t]*(?!#)\S+[ \t]+(?:Q0[ \t]+\S+[ \t]+\S+|(?:\S+[ \t]+){1,2}\d+[ \t]+[-+]?[\d.]+(?:e[-+]?\d+)?[ \t])",
    re.MULTILINE | re.IGNORECASE,
)


def _can_be_run(path: Path) -> bool:
    """Whether a file in a folder of runs is one, by its first lines; what is empty or damaged is an error later."""
    if not is_text(path):
        return False
    try:
        kind = compression(path)
        if kind == "parquet":
            return True
        with opened(path) as raw:
            start = decompressed(raw, path).read(_START) if kind not in ("sheet", "inspect") else b"0"
    except Exception:  # the reader says what is wrong
        return True
    text = start.replace(b"\r", b"\n").strip()
    return not text or text.removeprefix(b"\xef\xbb\xbf").startswith(b"{") or _LIKE_RUN.search(text) is not None


def _named_runs(source: Mapping[Any, Any]) -> dict[str, Any]:
    if not source:
        raise CallError("There is no run to read.")
    if _is_one(source):
        raise CallError(
            "This dictionary is one run, {topic: {document: score}}.", Advice("Give it a name: {'bm25': run}.")
        )
    return {
        str(name): run if not isinstance(run, Run) else replace(run, name=str(name)) for name, run in source.items()
    }


def _frame_runs(frame: Any) -> dict[str, Any]:
    columns = frame_columns(frame, {"system": SYSTEM, **_COLUMNS}, "the frame of runs")
    if "system" not in columns:
        raise CallError(
            f"The frame of runs has no column of run names ({', '.join(SYSTEM)}).", Advice("Give {'bm25': frame}.")
        )
    parts: dict[str, dict[str, list[Any]]] = {}
    for row, system in enumerate(columns["system"]):
        run = parts.setdefault(str(system), {"topic": [], "document": [], "score": []})
        for column, values in run.items():
            values.append(columns[column][row])
    return {name: nest(run, "score", f"run {name!r}") for name, run in parts.items()}
