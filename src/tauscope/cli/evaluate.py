"""`tauscope evaluate`: from runs and judgments to scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import CallError
from ..evaluation.evaluate import Means, means, needed
from ..evaluation.evaluate import evaluate as measure_runs
from ..evaluation.qrels import Qrels
from ..evaluation.runs import Runs
from ..render import json
from . import inputs
from .adapter import Rendered
from .options import Files, Measures, labels_in
from .output import progress, show, show_json


def evaluate(
    runs: Files,
    /,
    *,
    qrels: Annotated[list[Path], Parameter(name=["--qrels", "-q"], negative=())],
    measures: Measures = None,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    depth: int | None = None,
    rel: float | None = None,
    ties: Literal["trec_eval", "exact", "input"] = "trec_eval",
    names: Literal["tag", "file"] = "tag",
    rendered: Rendered = Rendered(),
) -> None:
    """Compute the scores of runs on every topic from judgments, and print their means.

    Example: `tauscope evaluate runs/ --qrels qrels.txt --measures AP nDCG@20 --out scores.csv`

    Parameters
    ----------
    runs
        Run files, or folders of them (TREC format, plain, gz or zst).
    qrels
        Judgments. If it is given twice (a human and a machine judge, say), the runs are scored with each.
    measures
        Labels such as AP nDCG@20 RBP(p=0.8), or gupta2019 for its 23; AP nDCG@20 P@10 RR by default. GMAP is one of the
        means, and scores of topics have AP in its place.
    out
        Where the scores of every topic are written (.csv, .tsv, .parquet, with .gz or .zst). With several qrels, one
        file each, the name of the qrels before the ending.
    depth
        Cut every run at this depth and keep the judgments.
    rel
        The lowest grade that is relevant, for measures without grades whose label does not say. Default: 1, or 0.5
        where grades are real numbers from 0 to 1.
    ties
        Order of documents: by 32-bit scores, then by id, as trec_eval; by 64-bit scores (exact); or as in the file.
    names
        Call a run by the tag in its file, or by the name of the file.
    """
    wanted = [label for text in measures or ["AP", "nDCG@20", "P@10", "RR"] for label in labels_in(text)]
    one_name = wanted == ["gupta2019"]
    # One scale for all judges: with the highest grade of each, ERR under two qrels would be two measures.
    judged = dict(zip(inputs.names_of_qrels(qrels), map(Qrels.read, qrels), strict=True))
    options: dict[str, Any] = {"depth": depth, "rel": rel, "ties": ties}
    options["max_grade"] = max(one.top for one in judged.values())
    source = inputs.one_or_list(runs) if names == "tag" else Runs.read(inputs.one_or_list(runs), names=names)
    results, written = [], []
    for name, judgments in judged.items():
        with progress(f"measuring with {name}") as report:
            cube = measure_runs(
                source, judgments, wanted[0] if one_name else needed(wanted), progress=report, **options
            )
        cube = replace(cube, collection=name, missing="keep")
        table = cube.system_wise() if one_name else means(cube, wanted)
        results.append(Means(table=table, topics=len(cube.topics), notes=tuple(map(str, cube.notes))))
        if out is not None:
            written.append(str(cube.write(out if len(judged) == 1 else _beside(out, name))))
    if rendered.json and len(results) > 1:
        show_json(json.record(answers=[json.document(one) for one in results], written=written))
        return
    if len(results) > 1 and (rendered.plot or rendered.html):
        raise CallError("--plot and --html take one answer: give one file of judgments.")
    for one in results:
        rendered.write(one, {"written": written})
    if not (rendered.json or rendered.csv or rendered.latex):
        show(*(f"written: {path}" for path in written))


def _beside(out: Path, name: str) -> Path:
    stem, dot, ending = out.name.partition(".")
    return out.with_name(f"{stem}.{name}{dot}{ending}")
