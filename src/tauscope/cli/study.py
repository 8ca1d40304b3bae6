"""`tauscope study`: which estimator of the correlation with the true ranking is best for collections like these?"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import CallError, TauscopeError
from ..expected.methods import SUMS_OVER_PAIRS, URBANO2016
from ..experiments.estimator_study import SIZES, Study, estimator_study
from ..figures import SAVED_AS, save
from ..files import write_columns
from ..jobs import Pool, cluster, processes
from ..results import count, number, wording
from ..scores import Scores
from .options import Flag, Measure, Missing, Seed, SystemsAre, TopicsAre, scores_from
from .output import one_format, show, show_csv, show_json, show_table
from .progress import progress

#: Files of a study in its folder.
CELLS, TABLE, FIGURES = "study.cells", "study", {"error": "figure1", "bias": "figure2"}
Workers = Annotated[int | None, Parameter(help="Processes on this machine; without: one for each processor.")]
Scheduler = Annotated[str | None, Parameter(help="Use the workers of a Dask cluster: tcp://host:8786.")]


def study(
    files: Annotated[list[Path], Parameter(negative=())],
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    draws: int = 100,
    sizes: str = ",".join(map(str, SIZES)),
    methods: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    coefficient: Annotated[
        list[str] | None, Parameter(name=["--coefficient", "-c"], consume_multiple=True, negative=())
    ] = None,
    means: Literal["exact", "published"] = "exact",
    decimals: int | None = None,
    drop_worst: float = 0.0,
    measure: Measure = None,
    missing: Missing = "error",
    format: str | None = None,
    table: Literal["parquet", "csv"] | None = None,
    figures: str = "svg",
    workers: Workers = None,
    scheduler: Scheduler = None,
    seed: Seed = 0,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    json: Flag = False,
    csv: Flag = False,
) -> int:
    """Which estimator of the correlation with the true ranking is best for collections like these?

    Simulates new collections from each file, where the truth is known, and says how far each estimator is off. Every finished
    cell is in the folder at once: the same command goes on where a run was stopped.

    Parameters
    ----------
    files
        Collections: a file of scores in [0, 1] each, topics by systems.
    out
        The folder of the study: its table, its figures, and what is done so far.
    draws
        Simulated collections of each size.
    sizes
        Numbers of topics, such as 10,20,50.
    methods
        Of ml msqd res kd shw shwo (the default), shrunk, bayes, draws.
    coefficient
        tau, tau_ap, or both (the default).
    means
        exact: the simulator keeps the means of the collection; published: as in urbano2016.
    decimals
        Round simulated scores; urbano2016: 4.
    drop_worst
        Leave out the systems below this quantile of the means; urbano2016: 0.25.
    measure
        Which measure to use, in files that have several.
    missing
        What to do with missing cells.
    format
        The layout of the files, where it cannot be told.
    table
        The format of the table; without: parquet where pyarrow is installed.
    figures
        Formats of the figures: svg,pdf,png,html,json, or none.
    json
        Print the table as JSON.
    csv
        Print the table as CSV.
    """
    one_format(json, csv)
    kinds = _kinds(figures)
    wanted = _sizes(sizes)
    with wording(systems=systems_are, topics=topics_are):
        collections = _collections(files, measure, missing, format, drop_worst)
        out.mkdir(parents=True, exist_ok=True)
        with workers_for(workers, scheduler) as pool, progress("studying") as report:
            result = estimator_study(
                collections, sizes=wanted, draws=draws, methods=methods or URBANO2016,
                coefficients=coefficient or SUMS_OVER_PAIRS, means=means, decimals=decimals, rng=seed, executor=pool,
                checkpoint=out / CELLS, progress=report,
            )  # fmt: skip
        written = write_study(result, out, table=table, kinds=kinds)
        if json:
            show_json(result.to_dict() | {"written": [str(path) for path in written]})
        elif csv:
            show_csv(result.columns())
        else:
            _print(result, written)
    return 1 if result.failed else 0


@contextmanager
def workers_for(workers: int | None, scheduler: str | None) -> Iterator[Pool | None]:
    """Who does the work, as --workers and --scheduler say; one worker is this process."""
    if scheduler is not None:
        if workers is not None:
            raise CallError("--workers and --scheduler: choose one.")
        with cluster(scheduler) as pool:
            yield pool
    else:
        yield None if workers == 1 else processes(workers)


def write_study(result: Study, folder: Path, *, table: str | None, kinds: list[str]) -> list[Path]:
    """The table and the two figures of a study."""
    ending = table or ("parquet" if importlib.util.find_spec("pyarrow") else "csv")
    written = [write_columns(result.columns(), folder / f"{TABLE}.{ending}")]
    for what, name in FIGURES.items():
        chart = result.plot(what) if kinds else None
        written += [save(chart, folder / f"{name}.{kind}") for kind in kinds]
    return written


def _kinds(text: str) -> list[str]:
    kinds = [] if text == "none" else [part.strip() for part in text.split(",") if part.strip()]
    odd = next((kind for kind in kinds if kind not in SAVED_AS), None)
    if odd is not None:
        raise CallError(f"--figures {odd}: there are {', '.join(SAVED_AS)} and none.")
    return kinds


def _sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise CallError(f"--sizes {text}: give whole numbers separated by commas, such as 10,20,50.") from None


def _collections(
    files: list[Path], measure: str | None, missing: str, layout: str | None, share: float
) -> dict[str, Scores]:
    found: dict[str, Scores] = {}
    for path in files:
        scores = scores_from([path], measure, missing, layout)
        try:
            scores = scores.drop_worst(share) if share else scores
        except TauscopeError as error:
            raise CallError(f"--drop-worst {share:g}: {error}") from None
        if path.stem in found:
            raise CallError(f"Two files are called {path.stem}; the table could not tell them apart.")
        found[path.stem] = scores
    return found


def _print(result: Study, written: list[Path]) -> None:
    show(*result.lines())
    if result.resumed:
        print(f"{count(result.resumed, 'cell')} had been done before.", file=sys.stderr)
    columns: dict[str, Any] = dict(result.columns())
    for coefficient in result.coefficients:
        show(
            "",
            f"error (bias) of the estimate of {coefficient}, mean over {count(len(result.collections), 'collection')}",
        )
        rows = [["", *result.methods]]
        for size in result.sizes:
            rows.append([str(size), *(_cell(columns, size, coefficient, method) for method in result.methods)])
        show_table(rows, right=range(len(rows[0])), indent="  ")
    show("", *(f"written: {path}" for path in written))


def _cell(columns: dict[str, Any], size: int, coefficient: str, method: str) -> str:
    """Means over the collections."""
    labels = zip(columns["topics"], columns["coefficient"], columns["method"], strict=True)
    places = [place for place, label in enumerate(labels) if label == (size, coefficient, method)]
    values = {what: [columns[what][place] for place in places] for what in FIGURES}
    error, bias = (sum(found) / len(found) if found else float("nan") for found in values.values())
    return f"{number(error)} ({number(bias)})"
