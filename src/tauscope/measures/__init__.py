"""Which measures to report, and what the others would have been: tables of measures and the functions that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..data.table import MeasureTable as Table
    from .correlation import correlations
    from .depths import low_to_high
    from .prediction import predict
    from .ranking import rank
    from .topic_subsets import select_topics

__all__ = ["Table", "correlations", "low_to_high", "predict", "rank", "select_topics"]

_HOMES = {
    "Table": ("tauscope.data.table", "MeasureTable"),
    "correlations": ("tauscope.measures.correlation", "correlations"),
    "low_to_high": ("tauscope.measures.depths", "low_to_high"),
    "predict": ("tauscope.measures.prediction", "predict"),
    "rank": ("tauscope.measures.ranking", "rank"),
    "select_topics": ("tauscope.measures.topic_subsets", "select_topics"),
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    module, own = _HOMES[name]
    value = globals()[name] = getattr(importlib.import_module(module), own)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
