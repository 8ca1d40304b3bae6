"""`tauscope measures low-to-high`: how deep must be judged?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..results import number
from ..selection.low_to_high import low_to_high
from . import inputs
from .options import Files, Many, ManyNumbers, OnMeasures, Seed
from .output import show, show_table
from .progress import progress


def deepen(
    files: Files,
    /,
    *,
    target: Annotated[list[str] | None, Parameter(name=["--target", "-t"], consume_multiple=True, negative=())] = None,
    predictors: Many = None,
    depths: ManyNumbers = None,
    target_depths: ManyNumbers = None,
    select: str | None = None,
    seed: Seed = 0,
    shared: OnMeasures = OnMeasures(),
) -> None:
    """How deep must be judged so that the measures of deep runs can be predicted?

    With --csv: one row per target and depth.

    Example: `tauscope measures low-to-high depths.csv --target AP --depths 10 20 --target-depths 100`

    Parameters
    ----------
    files
        Tables of systems by measures with the depth in their labels, AP(depth=10), one per collection. Each collection
        is predicted from the others; a single one in five parts.
    target
        What to predict; by default P@1000, AP, nDCG and RBP(p=0.95).
    predictors
        From what; by default P@1000, Bpref, ERR, infAP, AP, nDCG and RBP(p=0.95).
    depths
        Depths of the predictors; by default 10 20 30 40 50.
    target_depths
        Depths of the targets; by default 100 1000.
    select
        The collection, by the name of its file, that sets are chosen on; by default the first.
    """
    with shared.said():
        named = inputs.collections(files, shared)
        data: Any = named if len(named) > 1 else next(iter(named.values()))
        with progress("depths") as report:
            result = low_to_high(
                data,
                target,
                predictors=predictors,
                depths=tuple(depths or (10, 20, 30, 40, 50)),
                target_depths=tuple(target_depths or (100, 1000)),
                select_on=select and Path(select).stem,
                rng=seed,
                progress=report,
            )
        if not shared.print(result):
            show(*result.lines(), "")
            rows = [["target", "at", "from", "predictors", *(f"tau_b {name}" for name in result.collections)]]
            for row in result.rows:
                cells = [row.target, str(row.target_depth), str(row.depth), " + ".join(row.predictors)]
                rows.append([*cells, *(number(fit.tau_b) for fit in row.fits)])
            show_table(rows, right=(1, 2, *range(4, 4 + len(result.collections))), indent="  ")
        shared.save(result)
