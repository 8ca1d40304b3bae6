"""An answer as JSON: the facts, and the same words as everywhere else."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, get_args

from ..answers.charts import Figure
from ..answers.wording import unmarked
from ..results import Result, plain

#: Version of the layout of a document, which `schema.json` describes; entries are only added within it.
SCHEMA = "tauscope-answer-1"


def document(result: Result) -> dict[str, Any]:
    """Return facts and answer as plain values; marks are removed from texts, and charts are data like the rest."""
    return record(facts=result.to_dict(), answer=_clean(result.answer()))


def record(**content: Any) -> dict[str, Any]:
    """Return what is not one result, such as a table of an answer, with the version of the layout."""
    return {"schema": SCHEMA, **content}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return unmarked(value)
    if is_dataclass(value) and not isinstance(value, type):
        chart = {"chart": type(value).__name__} if isinstance(value, get_args(Figure)) else {}
        return chart | {f.name: _clean(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, (list, tuple)) else plain(value)
