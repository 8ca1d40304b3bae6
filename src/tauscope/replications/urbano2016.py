"""urbano2016, Figures 1 and 2: error and bias of six estimators on simulated collections from TREC-6, 7 and 8.

The paper prints curves. `urbano2016.csv` holds the numbers behind them, computed from its 30,000 published estimates,
with their standard errors. Ours are drawn anew, so that the two agree up to the noise of both: a number holds within
three combined standard errors, sqrt(ours^2 + theirs^2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..answers.wording import number
from ..core.checking import STUDY_DRAWS, Progress
from ..data.scores import Scores
from ..errors import CallError
from ..experiments.study import SIZES, Study, estimator_study
from ..io.read import read_scores
from ..io.write import write_columns
from ..jobs import Pool
from ..jobs.checkpoints import STUDY_CELLS
from ..results import count, large
from .reproduce import Printed, Replication, data_file, drawn, printed_numbers

COLLECTIONS = ("adhoc6", "adhoc7", "adhoc8")
#: Names in the published files -> ours.
COEFFICIENTS = {"tau": "tau", "tauAP": "tau_ap"}
ESTIMATORS = {"ML": "ml", "MSQD": "msqd", "RES": "res", "KD": "kd", "SHw": "shw", "SHwo": "shwo"}
#: The paper's own estimators; the other two are its baselines.
PROPOSED = ("ML", "MSQD", "RES", "KD")
FIGURES = {"error": "Figure 1", "bias": "Figure 2"}
#: A number holds within so many combined standard errors.
MOST = 3.0
_QUIRK = "the published bandwidth of KD leaves out the largest observation"

Place = tuple[str, str, int, str]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FiguresRedone(Replication):
    """Figures 1 and 2 of urbano2016, redone.

    Attributes
    ----------
    study : Study
        Our table, with errors and biases against the simulator's own means too.
    places : tuple
        Coefficient, collection, number of topics and estimator of each row.
    own : tuple of float
        The bias of each row against the simulator's own means; NaN in rows of errors.
    """

    study: Study = large()
    #: Of each row: collection, topics, coefficient and estimator; the distance in standard errors; the bias against the
    #: simulator's own means, NaN in rows of errors.
    places: tuple[Place, ...] = large()
    own: tuple[float, ...] = large()

    def columns(self) -> Mapping[str, Any]:
        """One row for each printed number, with its distance in combined standard errors."""
        labels = dict(
            zip(("coefficient", "collection", "topics", "estimator"), zip(*self.places, strict=True), strict=True)
        )
        plain = dict(super().columns())
        distances = [row.difference / (row.tolerance / MOST) for row in self.rows]
        return {**labels, **plain, "standard_errors": distances, "against_own_means": list(self.own)}

    def within(self, estimators: tuple[str, ...], what: str) -> tuple[int, int]:
        """Count how many numbers hold.

        Parameters
        ----------
        estimators : tuple of str
            Of these estimators.
        what : {"error", "bias"}
            Of Figure 1 or of Figure 2.

        Returns
        -------
        pair of int
            How many hold, and of how many.
        """
        chosen = [
            row.holds
            for row, place in zip(self.rows, self.places, strict=True)
            if place[3] in estimators and row.where == FIGURES[what]
        ]
        return sum(chosen), len(chosen)

    def biases(self) -> Iterator[tuple[Printed, Place, float]]:
        """Return the rows of Figure 2, each with its place and the bias against the simulator's own means."""
        for row, place, own_bias in zip(self.rows, self.places, self.own, strict=True):
            if row.where == FIGURES["bias"]:
                yield row, place, own_bias


def reproduce(
    data: Path,
    *,
    out: Path | None = None,
    rng: int = 0,
    draws: int = STUDY_DRAWS,
    sizes: str | int = "",
    collections: str = "",
    executor: Executor | Pool | None = None,
    progress: Progress | None = None,
) -> FiguresRedone:
    """Redo Figures 1 and 2, error and bias of six estimators on simulated collections.

    Parameters
    ----------
    data : Path
        The folder with `adhoc6.csv`, `adhoc7.csv` and `adhoc8.csv`.
    out : Path or None
        A folder for tables and figures.
    rng : int
        The seed.
    draws : int
        Number of simulated collections of each size; the paper has 1,000.
    sizes, collections : str
        Only some of them, such as "10,50" and "adhoc6,adhoc7".
    executor : Executor, Pool or None
        Who does the work, as in `estimator_study()`.
    progress : callable or None
        Called with (cells done, cells).

    Returns
    -------
    FiguresRedone
    """
    names = _some(collections, COLLECTIONS, "collections")
    chosen = tuple(int(size) for size in _some(str(sizes), tuple(map(str, SIZES)), "sizes"))
    study = estimator_study(
        {name: _collection(data, name) for name in names},
        sizes=chosen,
        draws=draws,
        methods=tuple(ESTIMATORS.values()),
        means="published",
        decimals=4,
        rng=rng,
        executor=executor,
        progress=progress,
        checkpoint=None if out is None else out / STUDY_CELLS,
    )
    rows, places, own_biases = _rows(study)
    result = FiguresRedone(paper="urbano2016", rows=rows, seed=study.seed, study=study, places=places, own=own_biases)
    return replace(result, notes=_notes(result), written=() if out is None else _write(result, out))


def _some(asked: str, known: tuple[str, ...], what: str) -> tuple[str, ...]:
    """Return the parts of a list that were asked for, such as "10,50"; all by default.

    An unknown part is an error that names those there are.
    """
    chosen = tuple(part.strip() for part in asked.split(",")) if asked else known
    unknown = next((name for name in chosen if name not in known), None)
    if unknown is not None:
        raise CallError(f"{what}={asked}: the paper has no {unknown!r}; it has {', '.join(known)}.")
    return chosen


def _collection(folder: Path, name: str) -> Scores:
    """Read a collection without the bottom quarter of its systems, as in section 4.2."""
    return read_scores(data_file(folder, f"{name}.csv", "urbano2016")).drop_worst(0.25)


def _rows(study: Study) -> tuple[tuple[Printed, ...], tuple[Place, ...], tuple[float, ...]]:
    """Return the printed numbers beside ours: all errors, then all biases.

    The result has the rows, the place of each (coefficient, collection, number of topics, estimator), and the bias of
    each against the simulator's own means. Cells that failed are NaN, which never holds.
    """
    table = study.columns()
    keys = zip(table["coefficient"], table["collection"], table["topics"], table["method"], strict=True)
    ours = {key: {name: table[name][place] for name in table} for place, key in enumerate(keys)}
    rows: list[Printed] = []
    places: list[Place] = []
    own_biases: list[float] = []
    for what, figure in FIGURES.items():
        for printed in printed_numbers("urbano2016"):
            coefficient, collection = COEFFICIENTS[printed["coefficient"]], printed["collection"]
            topics = int(printed["n_t"])
            place = (coefficient, collection, topics, printed["estimator"])
            if collection not in study.collections or topics not in study.sizes:
                continue
            nothing = dict.fromkeys(table, math.nan)  # all its cells failed: undefined, which never holds
            values = ours.get((coefficient, collection, topics, ESTIMATORS[printed["estimator"]]), nothing)
            tolerance = MOST * math.hypot(values[f"{what}_se"], float(printed[f"{what}_se"]))
            note = _QUIRK if place[3] == "KD" and place[2] == SIZES[0] else ""
            text = f"{what} of {place[3]} of {place[0]}, {place[1]}, n = {place[2]}"
            rows.append(Printed(figure, text, float(printed[what]), values[what], tolerance, note))
            places.append(place)
            own_biases.append(values["bias_own"] if what == "bias" else math.nan)
    return tuple(rows), tuple(places), tuple(own_biases)


def _notes(result: FiguresRedone) -> tuple[str, ...]:
    """Say how many numbers hold, of the paper's own estimators and of its baselines.

    A second note compares the mean bias at the largest size against the original means, as the paper has it, with that
    against the simulator's own means: the difference is the erratum of section 4.2.
    """
    shares = []
    for estimators, name in ((PROPOSED, ", ".join(PROPOSED)), (tuple(set(ESTIMATORS) - set(PROPOSED)), "split-half")):
        parts = []
        for what, plural in (("error", "errors"), ("bias", "biases")):
            held, of = result.within(estimators, what)
            parts.append(f"{held} of {of} {plural}")
        shares.append(f"{' and '.join(parts)} of {name}")
    study = result.study
    trials = f"{count(study.draws, 'trial')} here, 1,000 there"
    agreement = f"within {MOST:g} combined standard errors: {'; '.join(shares)} ({trials})"
    bias, own_bias = _mean_bias(result)
    most = max(study.sizes)
    artefact = (
        f"mean bias of {', '.join(PROPOSED)} at n = {most}: {number(bias, 4)} against the original means, "
        f"{number(own_bias, 4)} against the simulator's own (erratum of section 4.2)"
    )
    failed = tuple(f"failed: {name} ({why})" for name, why in study.failed.items())
    return (agreement, artefact, *failed)


def _mean_bias(result: FiguresRedone) -> tuple[float, float]:
    """Return the mean bias of the paper's estimators at the largest size, by both truths."""
    most = max(result.study.sizes)
    pairs = [
        (row.ours, own_bias) for row, place, own_bias in result.biases() if place[2] == most and place[3] in PROPOSED
    ]
    bias, own_bias = np.array(pairs).mean(axis=0)
    return float(bias), float(own_bias)


def _write(result: FiguresRedone, out: Path) -> tuple[str, ...]:
    """Write the tables and draw the figures; return their paths."""
    files = [
        write_columns(result.study.columns(), out / "study.csv"),
        write_columns(result.columns(), out / "comparison.csv"),
    ]
    study = result.study
    figures = {what: figure.lower().replace(" ", "") for what, figure in FIGURES.items()} | {"bias_own": "figure2-own"}
    panels = {
        f"{what} {collection} {coefficient}": f"{figure}-{collection}-{coefficient}"
        for what, figure in figures.items()
        for collection in study.collections
        for coefficient in study.coefficients
    }
    return (*map(str, files), *drawn(study, out, panels))
