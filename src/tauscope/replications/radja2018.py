"""radja2018: the predictive power of measures by every variant of tau and tau_ap (chapter 7).

Each entry of a table is a mean over 2,000 random halvings of the topics, so that two computations differ by chance. An
entry holds within 0.02.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..coefficients.records import TAU_AP_A, catalogue
from ..core.checking import RADJA2018_CURVE_DRAWS, RADJA2018_DRAWS, Progress
from ..data.cube import ScoreCube
from ..data.scores import Scores
from ..errors import FileError
from ..experiments.judgments import IncompleteJudgments, incomplete_judgments
from ..experiments.power import PredictivePower, predictive_power
from ..experiments.variants import Variant
from ..io.read import read_scores
from ..io.write import write_columns
from ..results import count
from .reproduce import Printed, Replication, data_file, drawn, printed_numbers, saved, with_comparison

#: Measure -> file; the last two were not released and are used where they are there.
FILES = {
    "P@10": "adhoc8_p10.csv",
    "RR": "adhoc8_rr.csv",
    "RBP(p=0.95)": "adhoc8_rbp95.csv",
    "AP": "adhoc8_ap.csv",
    "nDCG": "adhoc8_ndcg.csv",
}
OPTIONAL = ("RBP(p=0.95)", "nDCG")
#: 59 and 70 repeat 57 and 69, and 95 has the RR of 94; the bottom quarter by AP goes after them.
REMOVED = (59, 70, 95)
COEFFICIENTS = ("tau", "tau_a", "tau_b", "tau_e", "tau_ap", "tau_ap_a", "tau_ap_b", "tau_ap_e")
THRESHOLDS = (0.0, 0.01, 0.05, 0.1)
SIZES = (10, 20, 30, 40, 50)
TOLERANCE = 0.02
#: Threshold -> number of the figure (7.2 is part of 7.3).
FIGURES = {0.0: "7.3", 0.01: "7.4", 0.05: "7.5", 0.1: "7.6"}
JUDGED = {0.0: "7.9", 0.01: "7.10", 0.02: "7.11", 0.05: "7.12", 0.1: "7.13"}


def reproduce(
    data: Path,
    *,
    out: Path | None = None,
    rng: int = 0,
    progress: Progress | None = None,
    draws: int = RADJA2018_DRAWS,
    curve_trials: int = RADJA2018_CURVE_DRAWS,
) -> Replication:
    """Redo Tables 7.2 to 7.5, and with `out` Figures 7.2 to 7.13 as far as there are data for them.

    Parameters
    ----------
    data : Path
        The folder with adhoc8_p10.csv, adhoc8_rr.csv and adhoc8_ap.csv. adhoc8_rbp95.csv, adhoc8_ndcg.csv, a folder
        `runs` and a file `qrels.txt` are used if they are there.
    out : Path or None
        A folder for tables and figures.
    rng : int
        The seed.
    progress : callable or None
        Called with (cells done, cells).
    draws : int
        Number of random splits behind the tables.
    curve_trials : int
        Number of random splits behind the curves by number of topics.

    Returns
    -------
    Replication
    """
    cube = trec8(data)
    measures = cube.measures
    power = predictive_power(cube, COEFFICIENTS, draws=draws, tied_within=THRESHOLDS, rng=rng, progress=progress)
    zero = predictive_power(cube, ["tau_ap_b"], draws=draws, tied_within=THRESHOLDS, other_ties="zero", rng=rng)
    rows = [
        _compared(row, power, zero)
        for row in printed_numbers("radja2018")
        if row["printed"] and {row["truth"], row["observer"]} <= set(measures)
    ]
    dashes = [
        row
        for row in printed_numbers("radja2018")
        if not row["printed"] and {row["truth"], row["observer"]} <= set(measures)
    ]
    undefined = sum(bool(np.isnan(_value(power, row))) for row in dashes)
    removed = f"runs {', '.join(map(str, REMOVED))} and the bottom quarter by AP left out"
    notes = [
        f"{count(len(cube.systems), 'system')}: {removed}; {count(draws, 'random split')}",
        f"undefined in every split, as printed: {undefined} of the {len(dashes)} cells with a dash "
        "(tau and tau_ap with P@10)",
    ]
    absent = [name for name in FILES if name not in measures]
    if absent:
        notes.append(f"not compared, no data: {' and '.join(absent)}")
    written = [] if out is None else _write(out, data, cube, power, rng, curve_trials, notes)
    result = Replication(paper="radja2018", rows=tuple(rows), notes=tuple(notes), seed=rng, written=tuple(written))
    return with_comparison(result, out)


def trec8(data: Path) -> ScoreCube:
    """Read TREC-8 as the thesis has it.

    Parameters
    ----------
    data : Path
        The folder with the data.

    Returns
    -------
    ScoreCube
        94 systems: without three duplicates, and then without the bottom quarter by AP.
    """
    layers = []
    for measure, name in FILES.items():
        try:
            path = data_file(data, name, "trec", "data/trec")
        except FileError:
            if measure in OPTIONAL:
                continue
            raise
        scores = read_scores(path)
        layers.append(Scores(scores.values, scores.topics, scores.systems, measure, "TREC-8"))
    cube = ScoreCube.stack(layers)
    systems = [system for place, system in enumerate(cube.systems, 1) if place not in REMOVED]
    return cube.select(systems=systems).drop_worst(0.25, by="AP")


def _value(power: PredictivePower, row: dict[str, str]) -> float:
    """Return the predictive power in a cell of a table: the row is the truth, the column the observer."""
    table = power.table(row["coefficient"], float(row["tied_within"]))
    return float(table[power.measures.index(row["truth"]), power.measures.index(row["observer"])])


def _compared(row: dict[str, str], power: PredictivePower, zero: PredictivePower) -> Printed:
    """Return a printed number beside ours, with the reason if they are known to differ.

    Two reasons are known: tau_ap_b with thresholds was tabulated with ties counting 0 instead of -1, and tau_ap_a in
    the row of P@10 with a form that takes no ties in the truth.
    """
    name, width = row["coefficient"], float(row["tied_within"])
    within = f" within {width:g}" if width else ""
    note = ""
    if catalogue[name].own and width:
        note = f"tabulated with ties counting 0 instead of -1, which gives {_value(zero, row):.2f}"
    elif catalogue[name] == TAU_AP_A and row["truth"] == "P@10" and not width:
        note = "tabulated with the c_ij form, which takes no ties in the truth"
    what = f"{name}{within}, {row['truth']} by {row['observer']}"
    return Printed(row["where"], what, float(row["printed"]), _value(power, row), TOLERANCE, note)


def _write(
    out: Path, data: Path, cube: ScoreCube, power: PredictivePower, rng: int, curve_trials: int, notes: list[str]
) -> list[str]:
    """Write the tables and draw the figures; return their paths."""
    written: list[Any] = [write_columns(power.columns(), out / "predictive_power.csv")]
    curves = predictive_power(cube, COEFFICIENTS, draws=curve_trials, topics=SIZES, tied_within=THRESHOLDS, rng=rng)
    written.append(write_columns(curves.columns(), out / "curves.csv"))
    other = "nDCG" if "nDCG" in cube.measures else "AP"
    written += drawn(curves.select(("P@10", other)), out, _panels(curves.variants, FIGURES))
    if other != "nDCG":
        notes.append("Figures 7.2 to 7.6 with AP in place of nDCG, for want of data")
    runs, qrels = data / "runs", data / "qrels.txt"
    if runs.is_dir() and qrels.is_file():
        judged = incomplete_judgments(runs, qrels, tied_within=tuple(JUDGED), rng=rng)
        written += _write_judged(judged, out)
    else:
        notes.append(
            "Figures 7.7 to 7.13 need the runs and judgments of TREC-8 (a folder `runs` and `qrels.txt`), which are "
            "not in these data"
        )
    return [str(path) for path in written]


def _panels(variants: Iterable[Variant], figures: Mapping[float, str]) -> dict[str, str]:
    """Return the names of the panels of some figures.

    Parameters
    ----------
    variants : iterable of Variant
        The coefficients with their thresholds.
    figures : dict
        Threshold -> number of the figure.

    Returns
    -------
    dict
        Chart of each variant -> name of its panel.
    """
    numbers = ((variant, figures.get(variant.width)) for variant in variants)
    return {one.label: f"figure{number}-{one.name}" for one, number in numbers if number is not None}


def _write_judged(judged: IncompleteJudgments, out: Path) -> list[str]:
    """Draw Figures 7.7 and 7.8, for the topics of the thesis that are there, and 7.9 to 7.13."""
    written = [str(write_columns(judged.columns(), out / "incomplete_judgments.csv"))]
    written += drawn(judged, out, _panels(judged.variants, JUDGED))
    for percent in (30, 10, 5):
        written.append(saved(judged.scatter(percent), out / f"figure7.7-{percent}.svg"))
        for place in (47, 22, 6, 37):
            if place <= len(judged.truth):
                topic = judged.truth.topics[place - 1]
                written.append(saved(judged.scatter(percent, topic), out / f"figure7.8-{topic}-{percent}.svg"))
    return written
