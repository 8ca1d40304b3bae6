"""`Run`: what one system retrieved, read from TREC run files, dictionaries or frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import checking
from ..arrays import Floats, Ints
from ..errors import CallError, FileError, TauscopeError
from ..files.streams import MAX_BYTES
from ..files.whole import write_whole
from ..kernels import order_documents
from ..reference.lines import RUN
from ..results import count
from .topic_lists import (
    DOCUMENT,
    SYSTEM,
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

TIES = ("trec_eval", "input")
_SCORE = ("score", "sim", "similarity")
_COLUMNS = {"topic": TOPIC, "document": DOCUMENT, "score": _SCORE}


@dataclass(frozen=True, eq=False, repr=False)
class Run(TopicLists):
    """The documents that one system retrieved for each topic, with their scores, in the order of the file."""

    name: str
    topics: tuple[str, ...]
    offsets: Ints
    documents: bytes
    starts: Ints
    scores: Floats
    source: str = ""

    def __post_init__(self) -> None:
        self.freeze()

    @classmethod
    def from_dict(cls, lists: Mapping[Any, Mapping[Any, float]], name: str = "run") -> Run:
        """A run from {topic: {document: score}}."""
        return _made(from_nested(lists, f"run {name!r}", "score", whole=False), name, "a dictionary")

    @classmethod
    def from_frame(cls, frame: Any, name: str = "run") -> Run:
        """A run from a frame with columns such as query_id, doc_id, score (ir_measures) or qid, docno, score
        (PyTerrier)."""
        what = f"run {name!r}"
        return _made(from_nested(nest(frame_columns(frame, _COLUMNS, what), "score", what), what, "score", whole=False),
                     name, "a frame")  # fmt: skip

    def __repr__(self) -> str:
        return f"Run {self.name!r}: {count(len(self.topics), 'topic')}, {count(len(self), 'document')}"

    def order(self, ties: str = "trec_eval") -> Ints:
        """Entries of each topic from first to last: by score, equal scores by document id, descending, as trec_eval
        does; or, with ties="input", as they stand in the file."""
        check_ties(ties)
        return order_documents(self.documents, self.starts, self.scores, self.offsets, input_order=ties == "input")

    def ranked(self, topic: str, ties: str = "trec_eval") -> list[str]:
        """The documents of one topic from first to last."""
        if topic not in self.topics:
            raise TauscopeError(f"Run {self.name!r} has no topic {topic!r}.")
        at = self.topics.index(topic)
        return [self.document(entry) for entry in self.order(ties)[self.offsets[at] : self.offsets[at + 1]].tolist()]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{topic: {document: score}}, as pytrec_eval and ranx take it."""
        return self.nested(self.scores.tolist())

    def write(self, path: PathLike) -> None:
        """A TREC run file (packed where the name ends in .gz or .zst); lines in the order of the entries, the column
        of ranks by trec_eval's rule."""
        self.check_writable(self.name)
        ids, scores, places, order = self.document_list(), self.scores.tolist(), self.offsets.tolist(), self.order()
        lines = []
        for topic, begin, end in zip(self.topics, places, places[1:], strict=False):
            rank = {entry: place for place, entry in enumerate(order[begin:end].tolist(), 1)}
            lines += [f"{topic} Q0 {ids[i]} {rank[i]} {scores[i]!r} {self.name}\n" for i in range(begin, end)]
        write_whole(Path(path), "".join(lines).encode("utf-8"))


def read_run(source: Any, name: str | None = None, *, max_bytes: int = MAX_BYTES) -> Run:
    """A run from a TREC run file (plain, gzip or zstd), a {topic: {document: score}} dictionary or a frame.

    `name` replaces the tag. A packed file may unpack to `max_bytes`.
    """
    if isinstance(source, Run):
        return source
    if isinstance(source, Mapping):
        return Run.from_dict(source, name or "run")
    if is_frame(source):
        return Run.from_frame(source, name or "run")
    if not isinstance(source, (str, os.PathLike)):
        raise CallError(f"A run is a path, a dictionary or a frame, not {type(source).__name__}.")
    parts, tag = parse_file(source, RUN, max_bytes)
    return _made(parts, tag if name is None else name, str(source))


def read_runs(source: Any, *, names: str = "tag", threads: int | None = None) -> tuple[Run, ...]:
    """Runs from a folder, from paths, from {name: run}, or from a frame with a column of run names.

    A run is called by the tag in its file, or with names="file" by the name of the file without its ending.
    """
    loaders = run_loaders(source, names)
    with ThreadPoolExecutor(workers(threads)) as pool:
        runs = tuple(pool.map(lambda load: load(), loaders))
    check_names(runs)
    return runs


def run_loaders(source: Any, names: str = "tag") -> list[Callable[[], Run]]:
    """One function a run that reads it, so that runs can be read one after the other, or at once."""
    if names not in ("tag", "file"):
        raise CallError(f"names={names!r} is unknown; use 'tag' or 'file'.")
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
    found = [one for item in sources for one in _in_folder(item)]
    if not found:
        raise CallError("There is no run to read.")
    by_file = names == "file"
    return [_loader(one, _file_name(one) if by_file and not isinstance(one, Run) else None) for one in found]


def check_names(runs: Iterable[Run]) -> None:
    """Two runs of one name are an error that names their files."""
    seen: dict[str, Run] = {}
    for run in runs:
        if run.name in seen:
            first, second = seen[run.name].source, run.source
            raise TauscopeError(
                f"Two runs are called {run.name!r}: {first} and {second}. Read them with read_runs(…, names='file')."
            )
        seen[run.name] = run


def check_ties(ties: str) -> None:
    """Only the two rules that are known."""
    if ties not in TIES:
        known = "'trec_eval' (by document id, descending) or 'input' (file order)"
        raise CallError(f"ties={ties!r} is unknown; use {known}.")


def workers(threads: int | None) -> int:
    """As many threads as asked for, or as there are cores for this process."""
    available = checking.cores()
    if threads is not None and (type(threads) is not int or threads < 1):
        raise CallError(f"threads={threads!r} must be a whole number of at least 1, or None for all cores.")
    return max(1, available if threads is None else threads)


def _made(parts: Parts, name: str, source: str) -> Run:
    return Run(name, parts.topics, parts.offsets, parts.documents, parts.starts, parts.values, source)


def _loader(source: Any, name: str | None) -> Callable[[], Run]:
    return lambda: read_run(source, name)


def _in_folder(source: Any) -> list[Any]:
    """The files of a folder by name, hidden ones and folders left out; anything else is itself."""
    if not isinstance(source, (str, os.PathLike)) or not Path(source).is_dir():
        return [source]
    files = sorted(path for path in Path(source).iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise FileError(f"{source}: the folder has no files.")
    return list(files)


def _file_name(path: Any) -> str:
    name = Path(path).name
    for ending in (".gz", ".zst", ".txt", ".run", ".trec", ".res"):
        name = name.removesuffix(ending) or name
    return name


def _named_runs(source: Mapping[Any, Any]) -> dict[str, Any]:
    if not source:
        raise CallError("There is no run to read.")
    first = next(iter(source.values()))
    if isinstance(first, Mapping) and first and not isinstance(next(iter(first.values())), Mapping):
        raise CallError("This dictionary is one run, {topic: {document: score}}. Give it a name: {'bm25': run}.")
    return {str(name): run if not isinstance(run, Run) else _renamed(run, str(name)) for name, run in source.items()}


def _renamed(run: Run, name: str) -> Run:
    return Run(name, run.topics, run.offsets, run.documents, run.starts, run.scores, run.source)


def _frame_runs(frame: Any) -> dict[str, Any]:
    columns = frame_columns(frame, {"system": SYSTEM, **_COLUMNS}, "the frame of runs")
    if "system" not in columns:
        raise CallError(f"The frame of runs has no column of run names ({', '.join(SYSTEM)}). Give {{'bm25': frame}}.")
    parts: dict[str, dict[str, list[Any]]] = {}
    for row, system in enumerate(columns["system"]):
        run = parts.setdefault(str(system), {"topic": [], "document": [], "score": []})
        for column, values in run.items():
            values.append(columns[column][row])
    return {name: nest(run, "score", f"run {name!r}") for name, run in parts.items()}
