"""gupta2019: the rows of Table 1 whose columns were released, Figure 2, Sheffield's matrix, and why Table 3 is missing.

Regressions are deterministic, so that numbers of Table 1 hold within the rounding of the print. Statements about Figure
2 are bounds, such as "tau above .9 from depth 30 on", and hold if our value is on the right side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..answers.wording import number
from ..coefficients.records import tau_b
from ..core.checking import Progress
from ..data.table import MeasureTable
from ..io.read import read_table
from ..io.streams import write_bytes
from ..measures.depths import LowToHigh, low_to_high
from ..measures.prediction import MeasurePredictions
from ..measures.prediction import predict as predict_measures
from ..measures.ranking import MeasureRanking
from ..measures.ranking import rank as rank_measures
from .reproduce import Printed, Replication, data_file, printed_numbers

YEARS = (2012, 2013, 2014)
#: The measures of Table 1 that are in the released tables; MAP, nDCG and GMAP are not.
RELEASED = ("Bpref", "ERR@20", "P@10", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "Rprec", "RR", "R@100")
#: Printed to three digits.
ROUNDING = 0.0006
#: Why the figures of section 5.1 differ.
TRAINING = "the training file was not released: each track is predicted from the two others"
#: sheffield1985's covariance of seven bands, upper triangle, and the orders (bands from 1) that the algorithms give on
#: it.
SHEFFIELD = (
    (53.32, 27.41, 35.74, 5.86, 36.04, 33.56, 7.77),
    (17.01, 21.35, 11.36, 29.35, 21.29, 4.13),
    (31.66, 20.01, 46.56, 31.03, 6.69),
    (131.71, 131.64, 38.14, 8.26),
    (210.83, 86.25, 19.10),
    (50.01, 11.51),
    (9.80,),
)
ORDERS = {
    "backward": (5, 4, 1, 7, 6, 3, 2),
    "sheffield": (5, 4, 1, 7, 6, 3, 2),
    "forward": (5, 1, 4, 7, 3, 6, 2),
    "determinant": (5, 4, 1, 7, 6, 3, 2),
}
#: Table 3, iterative-backward, best first.
TABLE_3 = (
    "AP@1000",
    "P@1000",
    "nDCG@1000",
    "RBP(p=0.95)",
    "ERR@20",
    "Rprec",
    "R@1000",
    "Bpref",
    "AP@100",
    "P@100",
    "nDCG@100",
    "RBP(p=0.8)",
    "R@100",
    "AP@20",
    "P@20",
    "nDCG@20",
    "RBP(p=0.5)",
    "R@20",
    "AP@10",
    "P@10",
    "nDCG@10",
    "R@10",
    "RR",
)


def reproduce(data: Path, *, out: Path | None = None, rng: int = 0, progress: Progress | None = None) -> Replication:
    """Redo what the released tables allow: rows of Table 1, Figure 2, and the rankings of Sheffield's matrix.

    Nothing is drawn at random.

    Parameters
    ----------
    data : Path
        The folder with train_regress.csv, result_wt*.csv and the tables from low to high depth.
    out : Path or None
        A folder for tables and figures.
    rng : int
        It does not matter.
    progress : callable or None
        Called with (steps done, steps).

    Returns
    -------
    Replication
    """
    tell = progress or (lambda done, total: None)
    train = read_table(data_file(data, "train_regress.csv", "gupta2019"), collection="training")
    tracks = {
        f"WT{y}": read_table(data_file(data, f"result_wt{y}.csv", "gupta2019"), collection=f"WT{y}") for y in YEARS
    }
    shallow = {f"WT{y}": read_table(data_file(data, f"result_web{y}_low_to_high.csv", "gupta2019")) for y in YEARS}
    tell(1, 4)
    predicted = table_1(train, tracks)
    tell(2, 4)
    depths = low_to_high(shallow, select_on="WT2012")
    tell(3, 4)
    rankings = sheffield_orders()
    ours = rank_measures(train, "backward")
    rows = [*_table_1_rows(predicted), *_figure_2_rows(depths), *_sheffield_rows(rankings)]
    written = _write(out, predicted, depths, rankings, ours) if out is not None else ()
    tell(4, 4)
    return Replication(paper="gupta2019", rows=tuple(rows), notes=_notes(predicted, ours), written=written)


def table_1(train: MeasureTable, tracks: dict[str, MeasureTable]) -> MeasurePredictions:
    """Predict every released measure from up to three of the others.

    Parameters
    ----------
    train : MeasureTable
        The systems to learn from.
    tracks : dict
        Name -> track; sets are chosen on WT2012 and tested on the others.

    Returns
    -------
    MeasurePredictions
    """
    tests = {name: track for name, track in tracks.items() if name != "WT2012"}
    predicted: MeasurePredictions = predict_measures(
        train, RELEASED, predictors=RELEASED, select_on=tracks["WT2012"], test=tests
    )
    return predicted


def sheffield_orders() -> dict[str, MeasureRanking]:
    """Rank the bands of sheffield1985's matrix by each method."""
    matrix = np.zeros((7, 7))
    for i, row in enumerate(SHEFFIELD):
        matrix[i, i:] = matrix[i:, i] = row
    return {method: rank_measures(matrix, method) for method in (*ORDERS, "exact")}


def _printed_rows() -> Iterator[tuple[str, tuple[str, ...], dict[str, str]]]:
    """Return target, predictors and numbers of each printed row of Table 1."""
    for row in printed_numbers("gupta2019"):
        yield row["target"], tuple(row["predictors"].split(" + ")), row


def _table_1_rows(predicted: MeasurePredictions) -> Iterator[Printed]:
    """Return the numbers of Table 1 and of its text beside ours.

    Rows whose measures were not released are left out. For each other row, the first number says whether the printed
    set is the one that is chosen.
    """
    for target, predictors, row in _printed_rows():
        if not {target, *predictors} <= set(RELEASED):
            continue
        best = predicted[target].best(len(predictors))
        what = f"{target} from {' + '.join(predictors)}"
        same = float(set(best.predictors) == set(predictors))
        yield Printed("Table 1", f"{what}: this set is chosen", 1.0, same, 0.0)
        for year, fit in zip(YEARS, best.fits, strict=True):
            yield Printed("Table 1", f"{what}, tau on WT{year}", float(row[f"tau_{year}"]), fit.tau_b, ROUNDING)
            yield Printed("Table 1", f"{what}, R² on WT{year}", float(row[f"r2_{year}"]), fit.r2, ROUNDING)
    two = predicted["P@10"].best(2).fits
    yield Printed("5, P@10", "mean tau of two predictors", 0.912, float(np.mean([f.tau_b for f in two])), 0.001)
    yield Printed("5, P@10", "mean R² of two predictors", 0.983, float(np.mean([f.r2 for f in two])), 0.001)
    times = Counter(name for _, predictors, _ in _printed_rows() for name in predictors)
    note = "counted in the printed Table 1, where RBP(0.5) and RBP(0.8) have no rows and R-Prec leads with 9"
    yield Printed("5, text", "how often RR is selected", 10, times["RR"], 0, note)
    yield Printed("5, text", "how often RBP(0.8) is selected", 9, times["RBP(p=0.8)"], 0, note)


def _figure_2_rows(depths: LowToHigh) -> Iterator[Printed]:
    """Return the bounds that section 5.1 states beside ours.

    A value that exceeds its bound holds, and is cut there; a value that does not has the reason: the training file was
    not released.
    """
    for depth in (30, 40, 50):
        fits = depths.at("RBP(p=0.95)", 1000, depth).fits
        for fit in fits:
            what = f"RBP(p=0.95) at 1000 from depth {depth} on {fit.collection}"
            for name, bound, value in (("tau", 0.9, fit.tau_b), ("R²", 0.98, fit.r2)):
                why = TRAINING if value < bound else ""
                yield Printed("5.1, Figure 2", f"{what}: {name} above", bound, min(bound, value), 0.0, why)
    best = max(depths.at("AP", 1000, d).fits[0].tau_b for d in (10, 20, 30, 40, 50))
    yield Printed("5.1, Figure 2", "MAP at 1000 on WT2012: tau reaches", 0.9, min(0.9, best), 0.0)
    for target in ("P@1000", "nDCG"):
        most = max(fit.tau_b for row in depths.rows if row[:2] == (target, 1000) for fit in row.fits)
        yield Printed("5.1, Figure 2", f"{target} at 1000: tau never above", 0.9, max(0.9, most), 0.0)


def _sheffield_rows(rankings: dict[str, MeasureRanking]) -> Iterator[Printed]:
    """Return the places in the printed orders beside ours."""
    for method, order in ORDERS.items():
        for place, (band, ours) in enumerate(zip(order, rankings[method].order, strict=True), 1):
            yield Printed("Sheffield's matrix", f"{method}, place {place}", band, float(ours), 0.0)


def _notes(predicted: MeasurePredictions, ours: MeasureRanking) -> tuple[str, ...]:
    """Say what cannot be redone, and why: rows of Table 1, Table 3 and Figure 1.

    For Table 3 the note has how far the order on the released systems agrees with the printed one.
    """
    every = list(_printed_rows())
    open_rows = sum(not {target, *predictors} <= set(RELEASED) for target, predictors, _ in every)
    places = {measure: -place for place, measure in enumerate(TABLE_3)}
    agreement = tau_b([places[m] for m in ours.order], [-k for k in range(len(ours.order))]).value
    return (
        f"Table 1: {open_rows} of {len(every)} rows need MAP, nDCG or GMAP, which were not released; sets are chosen "
        f"among the {len(RELEASED)} measures that were.",
        "Table 3 cannot be redone: its data were not released. On the released training systems iterative-backward "
        f"begins with {', '.join(ours.order[:4])}; tau with the printed order is {number(agreement, 2)}.",
        "Figure 1 cannot be redone: the topic-wise scores were not released.",
    )


def _write(
    out: Path,
    predicted: MeasurePredictions,
    depths: LowToHigh,
    rankings: dict[str, MeasureRanking],
    ours: MeasureRanking,
) -> tuple[str, ...]:
    """Write the tables and draw the figures; return their names."""
    from ..answers.plain import curve, trace
    from ..answers.wording import Texts
    from ..render import mpl

    orders = [" ".join(one.order) for one in rankings.values()]
    tables: dict[str, dict[str, Any]] = {
        "table-1.csv": predicted.columns(),
        "figure-2.csv": depths.columns(),
        "sheffield.csv": {"method": list(rankings), "order": orders},
        "table-3.csv": {"place": list(range(1, 24)), "printed": list(TABLE_3), "ours": list(ours.order)},
    }
    for name, columns in tables.items():
        _csv(out / name, columns)
    texts, figures = Texts("depths", depths), {"figure-3.svg": ours.answer().chart().figure}
    for deep in (100, 1000):
        for what, end, symbol in (("tau_b", "", "τ_b"), ("r2", "-r2", "R²")):
            drawn = curve(texts, [trace(x, y, label) for label, x, y in depths.courses(deep, what)])
            figures[f"figure-2-depth-{deep}{end}.svg"] = replace(drawn, y=replace(drawn.y, title=symbol))
    for name, figure in figures.items():
        mpl.save(figure, out / name)
    return (*tables, *figures)


def _csv(path: Path, columns: dict[str, Any]) -> None:
    """Write columns with six decimals."""
    import csv
    import io

    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow([f"{value:.6f}" if isinstance(value, (float, np.floating)) else value for value in row])
    write_bytes(path, file.getvalue().encode("utf-8"))
