"""`tauscope qrels`: do two assessors judge alike?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ..evaluation.compare_qrels import compare_qrels
from ..results import count
from . import inputs
from .options import Output
from .output import show, show_table


def qrels(
    first: Path,
    second: Path,
    /,
    *,
    rel: Annotated[list[float] | None, Parameter(consume_multiple=True, negative=())] = None,
    weights: Literal["quadratic", "linear"] = "quadratic",
    output: Output = Output(),
) -> None:
    """Do two assessors, human or machine, judge alike? Cohen's kappa and overlap of two qrels.

    With --csv: how many documents have each pair of grades.

    Example: `tauscope qrels qrels.txt judge_qrels.txt`

    Parameters
    ----------
    first
        Judgments of one assessor, a TREC qrels file.
    second
        Judgments of the other.
    rel
        The lowest grade that is relevant, for both or for each. Default: 1, or 0.5 where grades are real numbers from
        0 to 1.
    weights
        How much worse a larger disagreement between grades is, for the weighted kappa.
    """
    names = inputs.names_of_sides(first, second)
    limits = None if not rel else rel[0] if len(rel) == 1 else tuple(rel)
    found = compare_qrels(first, second, rel=limits, weights=weights, names=names)  # type: ignore[arg-type]
    if not output.print(found):
        show(*found.lines())
        size = len(found.confusion)
        if size <= 12:
            labels = [str(grade) for grade in range(size)]
            if found.undefined_because == "grades are real numbers":
                labels = ["not relevant", "relevant"]
            rows = [[f"{names[0]} \\ {names[1]}", *labels]]
            rows += [[label, *(f"{n:,}" for n in row)] for label, row in zip(labels, found.confusion, strict=True)]
            show("", f"{count(found.documents, 'document')} by grade:")
            show_table(rows, right=tuple(range(1, size + 1)), indent="  ")
    output.save(found)
