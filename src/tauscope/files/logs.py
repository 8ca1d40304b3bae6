"""Inspect's `.eval` archives as one JSON document, of which only ids and scores are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import FileError, MissingPackageError
from .archives import Archive, zipped
from .places import Where


def log_text(path: Path, max_bytes: int) -> str:
    """What `.json` logs say of the model, the task and the scores of samples."""
    try:
        with zipped(path, max_bytes) as archive:
            log = _header(archive, path)
            log["samples"] = [
                {key: sample.get(key) for key in ("id", "epoch", "scores")}
                for name in archive.names
                if name.startswith("samples/") and name.endswith(".json")
                for sample in [_object(archive, name, path)]
            ]
    except FileError as error:
        if "not known here" not in str(error):
            raise
        log = _by_its_own_package(path)
    return json.dumps(log)


def _header(archive: Archive, path: Path) -> dict[str, Any]:
    """What the evaluation was; a log that was not ended has only its start."""
    if "header.json" in archive.names:
        found = _object(archive, "header.json", path)
        return {key: found.get(key) for key in ("version", "status", "eval")}
    return {"status": "started", "eval": _object(archive, "_journal/start.json", path).get("eval")}


def _object(archive: Archive, name: str, path: Path) -> dict[str, Any]:
    data = archive.read(name)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise Where(path).error(f"{name!r} in it is not JSON.") from None
    return found if isinstance(found, dict) else {}


def _by_its_own_package(path: Path) -> dict[str, Any]:
    """Newer archives are packed in a way that Python's zipfile may not know."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise MissingPackageError.needed(f"{path}: this Inspect log", "inspect_ai", "inspect-ai") from None
    log = json.loads(read_eval_log(str(path)).model_dump_json(include={"version", "status", "eval", "samples"}))
    return log if isinstance(log, dict) else {}
