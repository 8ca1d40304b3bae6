"""`tauscope study`: which estimator of the correlation with the true ranking is best for collections like these?"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any, Literal

from ..errors import CallError, TauscopeError
from ..expected.methods import SUMS_OVER_PAIRS, URBANO2016
from ..experiments.estimator_study import SIZES, Study, estimator_study
from ..figures import SAVED_AS, save
from ..files import write_columns
from ..jobs.checkpoints import STUDY_CELLS
from ..jobs.draws import STUDY_DRAWS
from ..results import count, number
from ..scores import Scores
from . import inputs
from .options import Coefficients, Documents, Files, Folder, Many, Reading, Seed, Words, Work, numbers_in
from .output import show, show_table
from .progress import progress

#: Files of a study in its folder.
TABLE, FIGURES = "study", {"error": "figure1", "bias": "figure2"}


def study(
    files: Files,
    /,
    *,
    out: Folder,
    draws: int = STUDY_DRAWS,
    sizes: str = ",".join(map(str, SIZES)),
    methods: Many = None,
    coefficient: Coefficients = None,
    means: Literal["exact", "published"] = "exact",
    decimals: int | None = None,
    drop_worst: float = 0.0,
    table: Literal["parquet", "csv"] | None = None,
    figure_format: str = "svg",
    seed: Seed = 0,
    reading: Reading = Reading(),
    work: Work = Work(),
    words: Words = Words(),
    output: Documents = Documents(),
) -> int:
    """Which estimator of the correlation with the true ranking is best for collections like these?

    Simulates new collections from each file, where the truth is known, and says how far each estimator is off. Every
    finished cell is in the folder at once: the same command goes on where a run was stopped. Without --workers there is
    one process for each processor.

    Example: `tauscope study scores.csv --out study --draws 40 --sizes 10,20,40`

    Parameters
    ----------
    files
        Collections: one file of scores in [0, 1] each, topics by systems.
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
    table
        The format of the table; without: parquet where pyarrow is installed.
    figure_format
        Formats of the figures: svg,pdf,png,html,json, or none.
    """
    kinds = _kinds(figure_format)
    wanted = numbers_in(sizes, "--sizes", int, what="whole numbers", like="10,20,50")
    chosen: dict[str, Any] = {"methods": methods or URBANO2016, "coefficients": coefficient or SUMS_OVER_PAIRS}
    options = chosen | {"sizes": wanted, "draws": draws, "means": means, "decimals": decimals, "rng": seed}
    if reading.lower_is_better is not None:
        raise CallError("--lower-is-better: the simulator draws scores from 0 to 1 of which higher is better.")
    with words.said():
        collections = _collections(files, reading, drop_worst)
        out.mkdir(parents=True, exist_ok=True)
        with work.pool() as pool, progress("studying") as report:
            options |= {"executor": pool, "checkpoint": out / STUDY_CELLS, "progress": report}
            result = estimator_study(collections, **options)
        written = write_study(result, out, table=table, kinds=kinds)
        if not output.print(result, {"written": [str(path) for path in written]}):
            _print(result, written)
    return 1 if result.failed else 0


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
        raise CallError(f"--figure-format {odd}: there are {', '.join(SAVED_AS)} and none.")
    return kinds


def _collections(files: list[Path], reading: Reading, share: float) -> dict[str, Scores]:
    found: dict[str, Scores] = {}
    for path in files:
        scores = inputs.scores([path], reading)
        try:
            scores = scores.drop_worst(share) if share else scores
        except TauscopeError as error:
            raise error.at(f"--drop-worst {share:g}") from None
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
        over = count(len(result.collections), "collection")
        show("", f"error (bias) of the estimate of {coefficient}, mean over {over}")
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
