"""`tauscope evaluate`: from runs and judgments to scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter

from ..errors import CallError
from ..evaluation.evaluate import evaluate as measure_runs
from ..evaluation.evaluate import gmap
from ..evaluation.qrels import read_qrels
from ..files import run_name, write_scores
from ..names import MeasureName
from ..results import count, number
from ..scores import MeasureTable, ScoreCube
from .output import one_format, show, show_csv, show_json, show_table
from .progress import progress


def evaluate(
    runs: Annotated[list[Path], Parameter(negative=())],
    /,
    *,
    qrels: Annotated[list[Path], Parameter(name=["--qrels", "-q"], negative=())],
    measures: Annotated[
        list[str] | None, Parameter(name=["--measures", "-m"], consume_multiple=True, negative=())
    ] = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    depth: int | None = None,
    ties: Literal["trec_eval", "input"] = "trec_eval",
    names: Literal["tag", "file"] = "tag",
    json: Annotated[bool, Parameter(negative=())] = False,
    csv: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """From runs and judgments to scores: how well each run did on each topic.

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
        Where the scores of every topic go (.csv, .tsv, .parquet, with .gz or .zst). With several qrels, one file each, the
        name of the qrels before the ending.
    depth
        Cut every run at this depth and keep the judgments.
    ties
        Order of documents with equal scores: as trec_eval, or as in the file.
    names
        A run is called by the tag in its file, or by the file's name.
    json
        Print JSON: the means, and what was done.
    csv
        Print the means as CSV.
    """
    one_format(json, csv)
    wanted = [part for text in measures or ["AP", "nDCG@20", "P@10", "RR"] for part in split_labels(text)]
    asked = wanted[0] if wanted == ["gupta2019"] else _by_topic(wanted)
    stems = qrels_names(qrels)
    # One scale for all judges: with the highest grade of each, ERR under two qrels would be two measures.
    judged = [read_qrels(path) for path in qrels]
    top = max(one.highest for one in judged)
    source = run_source(runs)
    cubes: dict[str, ScoreCube] = {}
    for stem, path, judgments in zip(stems, qrels, judged, strict=True):
        with progress(f"measuring with {path.name}") as report:
            cubes[stem] = measure_runs(source, judgments, asked, depth=depth, ties=ties, names=names, collection=stem,
                                       max_grade=top, progress=report)  # fmt: skip
    tables = {stem: _system_wise(cube, wanted) for stem, cube in cubes.items()}
    written = (
        [str(_write(cube, output, stem, several=len(cubes) > 1)) for stem, cube in cubes.items()] if output else []
    )
    if json:
        show_json({stem: _document(cube, tables[stem]) for stem, cube in cubes.items()} | {"written": written})
        return
    if csv:
        show_csv(_means(tables))
        return
    for stem, cube in cubes.items():
        _print(stem, cube, tables[stem])
    show(*(f"written: {name}" for name in written))


def _is_gmap(label: str) -> bool:
    return MeasureName.parse(label).family == "GMAP"


def _average_precision(label: str) -> str:
    """GMAP is one number a system, made from the AP of the topics."""
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


def split_labels(text: str) -> list[str]:
    """Labels separated by commas; commas inside brackets belong to the label."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def qrels_names(paths: list[Path]) -> list[str]:
    """Names that tell the qrels apart; where they are alike, the folder goes before."""
    stems = [run_name(path) for path in paths]
    if len(set(stems)) < len(stems):
        stems = [f"{path.resolve().parent.name}-{stem}" for path, stem in zip(paths, stems, strict=True)]
    if len(set(stems)) < len(stems):
        raise CallError("Two of the qrels have the same name and folder; the output could not tell them apart.")
    return stems


def run_source(paths: list[Path]) -> Any:
    """A folder alone, or files."""
    if len(paths) == 1:
        return paths[0]
    folders = [path for path in paths if path.is_dir()]
    if folders:
        raise CallError(f"{folders[0]} is a folder: give one folder, or files.")
    return paths


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
    show(
        f"{stem}: {count(len(cube.systems), 'run')}, {count(len(cube.topics), 'topic')}, {count(len(table.measures), 'measure')}"
    )
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
