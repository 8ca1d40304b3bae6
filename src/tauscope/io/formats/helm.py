"""HELM: `stats.json` (one score per run) and `per_instance_stats.json` (one per instance), in a folder per run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..pieces import Cells
from .base import Document, Rows, real

#: A file beside the scores that says which model ran; nothing larger is looked into.
_SPEC, _SPEC_BYTES = "run_spec.json", 10 << 20


def _is_stats(data: Any) -> bool:
    first = data[0] if isinstance(data, list) and data else None
    return isinstance(first, Mapping) and isinstance(first.get("name"), Mapping) and "name" in first["name"]


def _is_instances(data: Any) -> bool:
    first = data[0] if isinstance(data, list) and data else None
    return isinstance(first, Mapping) and "instance_id" in first and isinstance(first.get("stats"), list)


def _names(path: Path, run: str) -> tuple[str, str]:
    """Model and scenario: from the run's specification beside the file, or from the folder, `mmlu:…,model=openai_x`."""
    name = model = ""
    spec = path.parent / _SPEC
    try:
        if spec.is_file() and spec.stat().st_size <= _SPEC_BYTES:
            found = json.loads(spec.read_text(encoding="utf-8"))
            name, model = str(found["name"]), str(found["adapter_spec"]["model"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        name = model = ""
    name = name or path.parent.name
    scenario = ",".join(part for part in name.split(",") if not part.startswith("model=")) or name
    told = next((part for part in name.replace(":", ",").split(",") if part.startswith("model=")), "")
    return model or told.removeprefix("model=") or run, scenario.split(":model=")[0] if told or model else ""


def _kept(stats: Any, splits: set[str]) -> Iterator[tuple[str, float]]:
    """Measure and mean of the stats without perturbation, of the test split where there is one."""
    for stat in stats if isinstance(stats, list) else ():
        name = stat.get("name") if isinstance(stat, Mapping) else None
        if not isinstance(name, Mapping) or name.get("perturbation") or name.get("sub_split"):
            continue
        if splits and name.get("split") not in (None, *splits):
            continue
        number = real(stat.get("mean"))
        if number is not None:
            yield str(name.get("name")), number


def _splits(all_stats: Iterator[Any]) -> set[str]:
    found = {
        str(stat["name"]["split"])
        for stat in all_stats
        if isinstance(stat, Mapping) and isinstance(stat.get("name"), Mapping) and stat["name"].get("split")
    }
    return {"test"} if "test" in found else found


def _read_stats(data: Any, path: Path, run: str) -> Cells:
    rows = Rows(path)
    system, scenario = _names(path, run)
    splits = _splits(iter(data))
    for measure, value in _kept(data, splits):
        rows.add(system, scenario or path.parent.name, measure, value)
    rows.note(f"HELM stats of {system!r}{_of(splits)}, perturbations left out, one topic per scenario")
    return rows.cells("stats of one name")


def _read_instances(data: Any, path: Path, run: str) -> Cells:
    rows = Rows(path)
    system, scenario = _names(path, run)
    lists = [one["stats"] for one in data if isinstance(one, Mapping) and isinstance(one.get("stats"), list)]
    splits = _splits(stat for stats in lists for stat in stats)
    for one in data:
        if not isinstance(one, Mapping) or one.get("perturbation"):
            continue
        item = f"{scenario}:{one.get('instance_id')}" if scenario else str(one.get("instance_id"))
        for measure, value in _kept(one.get("stats"), splits):
            rows.add(system, item, measure, value)
    rows.note(f"HELM instances of {system!r}{_of(splits)}, perturbations left out")
    return rows.cells("trials")


def _of(splits: set[str]) -> str:
    return f", split {', '.join(sorted(splits))}" if splits else ""


STATS = Document(name="helm-stats", fits=_is_stats, read=_read_stats)
INSTANCES = Document(name="helm-instances", fits=_is_instances, read=_read_instances)
