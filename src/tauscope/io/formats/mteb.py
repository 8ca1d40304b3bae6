"""MTEB: `results/<model>/<revision>/<Task>.json`, the main score of each task; and one such file alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...results import count
from ..pieces import Cells, Piece
from ..streams import Where
from .base import Document, Rows, real

#: Results that came from somewhere else, or of no known revision: taken where no other revision has the task.
_LAST = ("external", "no_revision_available")
_META = "model_meta.json"
#: Files of a folder of results; more is something else.
MAX_FILES = 500_000


class Result(NamedTuple):
    """One file: the main scores of a task.

    Attributes
    ----------
    model, revision : str
        The folders that the file is in.
    version : tuple of int
        The version of mteb.
    task, split : str
        The task, and the part of the data.
    scores : dict
        Subset of the data -> main score.
    """

    model: str
    revision: str
    version: tuple[int, ...]
    task: str
    split: str
    scores: dict[str, float]


def is_result(data: Any) -> bool:
    """Whether a document is the result of a task."""
    return isinstance(data, Mapping) and "task_name" in data and isinstance(data.get("scores"), Mapping)


def result_of(data: Mapping[str, Any], path: Path, model: str, revision: str) -> Result | None:
    """Find the main scores of one file.

    Parameters
    ----------
    data : mapping
        The parsed document.
    path : Path
        The file.
    model, revision : str
        Which model it is of.

    Returns
    -------
    Result or None
        None if there is no main score. The test split is taken, or dev and validation if there is none.
    """
    splits = {
        str(split): {
            str(one.get("hf_subset", "default")): number
            for one in entries
            if isinstance(one, Mapping) and (number := real(one.get("main_score"))) is not None
        }
        for split, entries in data["scores"].items()
        if isinstance(entries, list)
    }
    splits = {split: scores for split, scores in splits.items() if scores}
    if not splits:
        return None
    split = "test" if "test" in splits else next((s for s in ("dev", "validation") if s in splits), next(iter(splits)))
    version = tuple(int(part) for part in re.findall(r"[0-9]{1,9}", str(data.get("mteb_version") or ""))[:3])
    return Result(model, revision, version, str(data["task_name"]), split, splits[split])


def is_folder(folder: Path) -> bool:
    """Whether a folder holds results: <model>/<revision>/<Task>.json with what tells of the model beside it; or those
    of one model."""
    start = folder / "results" if (folder / "results").is_dir() else folder
    return any(next(start.glob(f"{levels}{_META}"), None) is not None for levels in ("*/*/", "*/"))


def read_folder(folder: Path, parse: Any, *, subsets: bool) -> Piece:
    """Read the board in a folder of results.

    Of each task the newest revision counts, by the version of mteb; external results come last. A task with several
    subsets has the mean of those that all models have, or one topic for each with `subsets`.

    Parameters
    ----------
    folder : Path
        The folder, or the one above `results`.
    parse : callable
        Takes a file and returns its parsed document.
    subsets : bool
        Whether each subset of a task is a topic.

    Returns
    -------
    Piece

    Raises
    ------
    FileError
        If no file has a main score.
    """
    start = folder / "results" if (folder / "results").is_dir() else folder
    found: dict[str, dict[str, Result]] = {}
    older = 0
    files = sorted(start.glob("*/*/*.json")) or sorted(start.glob("*/*.json"))
    if len(files) > MAX_FILES:
        raise Where(folder).error(f"{len(files):,} files; at most {MAX_FILES:,} are read.")
    for path in files:
        if path.name == _META:
            continue
        data = parse(path)
        if not is_result(data):
            continue
        one = result_of(data, path, path.parent.parent.name, path.parent.name)
        if one is None:
            continue
        tasks = found.setdefault(one.model, {})
        older += one.task in tasks
        if one.task not in tasks or _newness(one) > _newness(tasks[one.task]):
            tasks[one.task] = one
    if not found:
        raise Where(folder).error("no file in it has a main score of a task.")
    return _board(folder, found, older, subsets=subsets)


def _newness(one: Result) -> tuple[bool, tuple[int, ...], str]:
    return one.revision not in _LAST, one.version, one.revision


def _board(folder: Path, found: dict[str, dict[str, Result]], older: int, *, subsets: bool) -> Piece:
    rows = Rows(folder)
    shared: dict[str, set[str]] = {}
    for tasks in found.values():
        for task, one in tasks.items():
            shared[task] = shared.get(task, set(one.scores)) & set(one.scores)
    every = {task: {s for tasks in found.values() if task in tasks for s in tasks[task].scores} for task in shared}
    for model, tasks in found.items():
        for task, one in tasks.items():
            if subsets and len(every[task]) > 1:
                for subset, value in one.scores.items():
                    rows.add(model, f"{task} [{subset}]", "", value)
            else:
                values = [one.scores[subset] for subset in one.scores if subset in shared[task]]
                rows.add(model, task, "", float(np.mean(values)) if values else float("nan"))
    rows.note(f"MTEB results, main scores of {count(len(found), 'model')} on {count(len(shared), 'task')}")
    several = [task for task in every if len(every[task]) > 1]
    if several and not subsets:
        fewer = [
            f"{task} ({len(shared[task])} of {len(every[task])})" for task in several if shared[task] < every[task]
        ]
        rows.note(
            f"{count(len(several), 'task')} with several subsets: the mean of those that all models have"
            f"{'; not all models have all of ' if fewer else ''}{', '.join(fewer[:5])} "
            "(the format mteb-subsets has each)"
        )
    splits = {one.split for tasks in found.values() for one in tasks.values()} - {"test"}
    if splits:
        rows.note(f"split {' and '.join(sorted(splits))} where there is no test split")
    revisions = _revisions(found)
    rows.note(
        "the newest revision that has a task, by version of mteb, external results last; "
        f"{count(older, 'older result')} "
        f"left out{revisions}"
    )
    return rows.cells().piece()


def _revisions(found: dict[str, dict[str, Result]]) -> str:
    """Which models have results of several revisions."""
    several = []
    for model, tasks in found.items():
        names = [one.revision for one in tasks.values()]
        if len(set(names)) > 1:
            counts = ", ".join(f"{names.count(name)} from {name[:8]}" for name in dict.fromkeys(names))
            several.append(f"{model} {counts}")
    return f"; {'; '.join(several[:3])}{' …' if len(several) > 3 else ''}" if several else ""


def _read_one(data: Any, path: Path, run: str) -> Cells:
    rows = Rows(path)
    placed = (path.parent / _META).is_file()
    model, revision = (path.parent.parent.name, path.parent.name) if placed else (run, "")
    one = result_of(data, path, model, revision)
    if one is None:
        raise Where(path).error("the task has no main score.")
    for subset, value in one.scores.items():
        rows.add(model, one.task if len(one.scores) == 1 else f"{one.task} [{subset}]", "", value)
    rows.note(f"MTEB result of {model!r}, split {one.split}")
    return rows.cells()


RESULT = Document(name="mteb", fits=is_result, read=_read_one)
