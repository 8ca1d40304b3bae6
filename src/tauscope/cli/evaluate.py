"""`tauscope evaluate`: from runs and judgments to scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter

from ..evaluation.evaluate import evaluate as measure_runs
from ..evaluation.evaluate import gmap
from ..evaluation.qrels import read_qrels
from ..files import write_scores
from ..names import MeasureName
from ..results import count, number
from ..scores import MeasureTable, ScoreCube
from . import inputs
from .options import Documents, Files, labels_in
from .output import show, show_table
from .progress import progress


def evaluate(
    runs: Files,
    /,
    *,
    qrels: Annotated[list[Path], Parameter(name=["--qrels", "-q"], negative=())],
    measures: Annotated[
        list[str] | None, Parameter(name=["--measures", "-m"], consume_multiple=True, negative=())
    ] = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    depth: int | None = None,
    rel: float | None = None,
    ties: Literal["trec_eval", "exact", "input"] = "trec_eval",
    names: Literal["tag", "file"] = "tag",
    documents: Documents = Documents(),
) -> None:
    """How well did each run do on each topic? From runs and judgments to scores.

    With --json or --csv: the means of each run.

    Example: `tauscope evaluate runs/ --qrels qrels.txt --measures AP nDCG@20 --output scores.csv`

    Parameters
    ----------
    runs
        Run files, or folders of them (TREC format, plain, gz or zst).
    qrels
        Judgments. Given twice (a human and a machine judge, say), the runs are scored with each.
    measures
        Labels such as AP nDCG@20 RBP(p=0.8), or gupta2019 for its 23. Default: AP nDCG@20 P@10 RR. GMAP stands among
        the means; the scores of the topics have AP in its place.
    output
        Where the scores of every topic go (.csv, .tsv, .parquet, with .gz or .zst). With several qrels, one file each,
        the name of the qrels before the ending.
    depth
        Cut every run at this depth and keep the judgments.
    rel
        The lowest grade that is relevant, for measures without grades whose label does not say. Default: 1, or 0.5
        where grades are real numbers from 0 to 1.
    ties
        Order of documents: by 32-bit scores, then by id, as trec_eval; by 64-bit scores (exact); or as in the file.
    names
        A run is called by the tag in its file, or by the file's name.
    """
    wanted = [label for text in measures or ["AP", "nDCG@20", "P@10", "RR"] for label in labels_in(text)]
    asked = wanted[0] if wanted == ["gupta2019"] else _by_topic(wanted)
    named = inputs.names_of_qrels(qrels)
    # One scale for all judges: with the highest grade of each, ERR under two qrels would be two measures.
    judged = [read_qrels(path) for path in qrels]
    options: dict[str, Any] = {"depth": depth, "rel": rel, "ties": ties, "names": names}
    options["max_grade"] = max(one.top for one in judged)
    source = inputs.runs(runs)
    cubes: dict[str, ScoreCube] = {}
    for name, judgments in zip(named, judged, strict=True):
        with progress(f"measuring with {name}") as report:
            cubes[name] = measure_runs(source, judgments, asked, collection=name, progress=report, **options)
    tables = {name: _system_wise(cube, wanted) for name, cube in cubes.items()}
    written = []
    if output is not None:
        written = [str(_write(cube, output, name, several=len(cubes) > 1)) for name, cube in cubes.items()]
    if not documents.print_both(
        lambda: {name: _document(cube, tables[name]) for name, cube in cubes.items()} | {"written": written},
        lambda: _means(tables),
    ):
        for name, cube in cubes.items():
            _print(name, cube, tables[name])
        show(*(f"written: {path}" for path in written))


def _is_gmap(label: str) -> bool:
    return MeasureName.parse(label).family == "GMAP"


def _average_precision(label: str) -> str:
    """GMAP is one number per system, made from the AP of the topics."""
    return str(replace(MeasureName.parse(label), family="AP"))


def _by_topic(wanted: list[str]) -> list[str]:
    return list(dict.fromkeys(_average_precision(label) if _is_gmap(label) else label for label in wanted))


def _system_wise(cube: ScoreCube, wanted: list[str]) -> MeasureTable:
    """Means over topics, and GMAP where it was asked for."""
    table = cube.system_wise()
    extra = [label for label in wanted if _is_gmap(label)]
    columns = [gmap(cube[_average_precision(label)])[:, None] for label in extra]
    labels = (*table.measures, *(str(MeasureName.parse(label)) for label in extra))
    return MeasureTable(np.hstack([table.values, *columns]), table.systems, labels, cube.collection, notes=cube.notes)


def _write(cube: ScoreCube, output: Path, stem: str, *, several: bool) -> Path:
    if several:
        name, dot, ending = output.name.partition(".")
        output = output.with_name(f"{name}.{stem}{dot}{ending}")
    return write_scores(cube, output)


def _means(tables: dict[str, MeasureTable]) -> dict[str, list[Any]]:
    first = next(iter(tables.values()))
    rows = [(stem, system) for stem, table in tables.items() for system in table.systems]
    columns: dict[str, list[Any]] = {"qrels": [stem for stem, _ in rows], "system": [system for _, system in rows]}
    for place, measure in enumerate(first.measures):
        columns[measure] = [float(v) for table in tables.values() for v in table.values[:, place]]
    return columns


def _document(cube: ScoreCube, table: MeasureTable) -> dict[str, Any]:
    means = {
        system: dict(zip(table.measures, map(float, row), strict=True))
        for system, row in zip(table.systems, table.values, strict=True)
    }
    return {
        "topics": len(cube.topics),
        "systems": len(cube.systems),
        "measures": list(table.measures),
        "means": means,
        "notes": list(cube.notes),
    }


def _print(stem: str, cube: ScoreCube, table: MeasureTable, most: int = 20) -> None:
    sizes = ((cube.systems, "run"), (cube.topics, "topic"), (table.measures, "measure"))
    show(f"{stem}: {', '.join(count(len(labels), noun) for labels, noun in sizes)}")
    shown = table.measures[:8]
    order = sorted(range(len(table.systems)), key=lambda place: -table.values[place, 0])
    rows = [["run", *shown]]
    rows += [[table.systems[p], *(number(float(v), 4) for v in table.values[p, : len(shown)])] for p in order[:most]]
    show_table(rows, right=range(1, len(shown) + 1), indent="  ")
    if len(order) > most:
        show(f"  … {len(order) - most} more")
    if len(table.measures) > len(shown):
        show(f"  and {', '.join(table.measures[len(shown) :])}: use --csv, --json or -o")
    show(*(f"note: {note}" for note in cube.notes), "")
