"""An answer as JSON: the facts, and the same words as everywhere else."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from ..answers.wording import unmarked
from ..results import Result, plain

#: Version of the layout of a document; entries are only added within it.
SCHEMA = "tauscope-answer-1"


def document(result: Result) -> dict[str, Any]:
    """Return facts and answer as plain values; marks are removed from texts, and charts are data like the rest."""
    return {"schema": SCHEMA, "facts": result.to_dict(), "answer": _clean(result.answer())}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return unmarked(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _clean(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, (list, tuple)) else plain(value)
