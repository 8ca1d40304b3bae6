"""lm-evaluation-harness: `results_*.json` (one score per task) and `samples_*.jsonl` (one line per item of a task)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...results import count
from ..pieces import Cells
from .base import Document, Rows, real

_SAMPLES = re.compile(r"samples_(?P<task>.+?)(?:_[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9.\-:]+)?\.jsonl?", re.IGNORECASE)


def _is_results(data: Any) -> bool:
    if not isinstance(data, Mapping) or not isinstance(data.get("results"), Mapping) or not data["results"]:
        return False
    known = any(key in data for key in ("configs", "versions", "n-shot", "config", "config_general"))
    return known and all(isinstance(task, Mapping) for task in data["results"].values())


def _read_results(data: Any, path: Path, run: str) -> Cells:
    rows = Rows(path)
    system = _model(data) or run
    groups = {task for key in ("group_subtasks", "groups") for task in _grouping(data.get(key))}
    left_out = groups & set(data["results"])
    for task, found in data["results"].items():
        if task in left_out and len(data["results"]) > len(left_out):
            continue
        for key, value in found.items():
            name, _, filtered = str(key).partition(",")
            number = real(value)
            if number is None or name.endswith("_stderr") or name in ("alias", "sample_len", "samples"):
                continue
            rows.add(system, str(task), _measure(name, filtered), number)
    rows.note(f"results of lm-evaluation-harness, model {system!r}, one topic per task")
    if left_out and len(data["results"]) > len(left_out):
        rows.note(f"{count(len(left_out), 'group')} of tasks left out, for the tasks are there: {_some(left_out)}")
    lower = _lower(data.get("higher_is_better"))
    if lower:
        rows.note(f"lower is better: {_some(lower)}")
    return rows.cells()


def _grouping(found: Any) -> set[str]:
    """Names of groups; one without tasks is a task."""
    if not isinstance(found, Mapping):
        return set()
    return {str(name) for name, tasks in found.items() if tasks}


def _lower(found: Any) -> set[str]:
    tasks = found.values() if isinstance(found, Mapping) else ()
    return {str(name) for task in tasks if isinstance(task, Mapping) for name, up in task.items() if up is False}


def _model(data: Mapping[str, Any]) -> str:
    config = data.get("config") if isinstance(data.get("config"), Mapping) else {}
    arguments = config.get("model_args", "") if isinstance(config, Mapping) else ""
    if isinstance(arguments, Mapping):
        given = str(arguments.get("pretrained") or arguments.get("model") or "")
    else:
        match = re.search(r"(?:^|,)(?:pretrained|model)=([^,]+)", str(arguments or ""))
        given = match[1] if match else ""
    return str(data.get("model_name") or given or (config.get("model") if isinstance(config, Mapping) else "") or "")


def _measure(name: str, filtered: str) -> str:
    return name if filtered in ("", "none") else f"{name},{filtered}"


def _is_samples(data: Any) -> bool:
    first = data[0] if isinstance(data, list) and data else data
    if not isinstance(first, Mapping) or "doc_id" not in first:
        return False
    return any(key in first for key in ("filtered_resps", "resps", "doc_hash"))


def _read_samples(data: Any, path: Path, run: str) -> Cells:
    rows = Rows(path)
    match = _SAMPLES.fullmatch(path.name.removesuffix(".gz").removesuffix(".zst"))
    task = match["task"] if match else ""
    # The harness writes a folder per model, with __ for the slash in its name.
    system = path.parent.name if match and "__" in path.parent.name else run
    for record in data if isinstance(data, list) else [data]:
        if not isinstance(record, Mapping) or "doc_id" not in record:
            continue
        item = f"{task}:{record['doc_id']}" if task else str(record["doc_id"])
        listed = record.get("metrics")
        names = listed if isinstance(listed, list) else [key for key in record if key != "doc_id"]
        for name in map(str, names):
            value = record.get(name)
            number = float(value) if isinstance(value, bool) else real(value)
            if number is not None:
                rows.add(system, item, _measure(name, str(record.get("filter", ""))), number)
    told = f" of {task}" if task else ""
    rows.note(f"samples of lm-evaluation-harness, model {system!r}, one topic per item{told}")
    return rows.cells("lines of an item")


def _some(names: set[str]) -> str:
    shown = sorted(names)
    return ", ".join(map(repr, shown[:5])) + (" …" if len(shown) > 5 else "")


RESULTS = Document(name="lm-eval-results", fits=_is_results, read=_read_results)
SAMPLES = Document(name="lm-eval-samples", fits=_is_samples, read=_read_samples)
