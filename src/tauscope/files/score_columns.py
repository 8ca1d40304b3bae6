"""Of the columns of a table, those that hold scores, and remarks on those that do not: an index, a summary, sizes,
dates and texts."""

from __future__ import annotations

from ..results import count
from ..scores.labels import shown
from ..scores.odd_names import MOST_NAMES, is_no_score, is_rank, is_summary, is_unnamed
from ..scores.remarks import Remark
from .look import Asked, Look, column_of


def scores_of(
    look: Look, names: set[int | None], asked: Asked
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[Remark, ...]]:
    """Of the columns beside the names: those that hold scores, those that are left out, and remarks on why."""
    keep = {*asked.columns.get("keep", ()), *asked.columns.get("value", ())}
    for name in asked.columns.get("value", ()):
        column_of(look, name)
    others = [column for column in range(len(look.header)) if column not in names]
    if "value" in asked.columns:
        others = [column for column in others if look.header[column] in keep]
    reasons = {column: reason for column in others if (reason := _no_score(look, column, keep)) is not None}
    kept = tuple(column for column in others if column not in reasons)
    if not kept:  # names alone leave nothing: then they are taken for names of systems or topics
        reasons = {column: reason for column, reason in reasons.items() if reason == "text"}
        kept = tuple(column for column in others if column not in reasons)
    remarks = [
        look.remark(
            f"{count(len(columns), 'column')} left out, {why}: {shown(columns, 8)}",
            code,
            effect,
            advice,
            "note" if kind == "text" else "warning",
        )
        for kind, (code, why, effect) in _REASONS.items()
        if (columns := [look.header[column] for column, reason in reasons.items() if reason == kind])
        for advice in [
            "write numbers if they should be scores"
            if kind == "text"
            else f"keep it by name (columns, keep={columns[0]}) if it holds scores"
        ]
    ]
    return kept, tuple(reasons), tuple(remarks)


#: Why a column holds no scores: what the finding is called, what is said, and what the column would have done.
_REASONS = {
    "index": (
        "index-column",
        "numbering the rows",
        "as a system or topic it would have counted the rows as scores",
    ),
    "summary": (
        "summary-column",
        "summaries of the others by name",
        "it would have counted the others once more, or ranks as scores",
    ),
    "no score": (
        "no-score-column",
        "no scores by name",
        "sizes, dates and votes would have counted as scores",
    ),
    "text": ("text-column", "texts", "texts are no scores"),
}


def _no_score(look: Look, column: int, keep: set[str]) -> str | None:
    name = look.header[column]
    if look.holds_text(column):
        return "text"
    if name in keep or not look.numeric[column]:
        return None
    if len(look.header) > MOST_NAMES:
        return None
    if is_unnamed(name) and look.counts_rows(column):
        return "index"
    if is_summary(name) or is_rank(name):
        return "summary"
    return "no score" if is_no_score(name) else None
