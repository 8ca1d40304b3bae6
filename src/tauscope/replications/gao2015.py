"""gao2015: which pairs differ significantly, what swapping them does, and what each pair weighs, on TREC-5.

The shares of Figure 1 and the means after five swaps are compared with the printed ones. The paper exchanged the two
colours of Figure 1, and its six means follow from no reading of the text, but its conclusion holds: tau_gap is below
tau_ap if significant pairs are swapped, and above it otherwise.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..answers.wording import number
from ..coefficients.pairs import pair_weights
from ..core.arrays import Floats
from ..core.checking import GAO2015_DRAWS, Progress
from ..core.differences import paired_p_values
from ..data.scores import Scores
from ..experiments.perturbation import SwapExperiment, swap_experiment
from ..io.read import read_scores
from ..io.write import write_columns
from .reproduce import Printed, Replication, data_file, drawn, printed_numbers, saved, with_comparison

#: Figures 4, 5 and 6.
WEIGHED = {"pearson": "figure4", "tau_ap": "figure5", "tau_gap": "figure6"}
#: Beyond the rounding of the printed two digits: as many standard errors of the paper's 50 draws.
ERRORS = 2.0


def reproduce(
    data: Path, *, out: Path | None = None, rng: int = 0, progress: Progress | None = None, draws: int = GAO2015_DRAWS
) -> Replication:
    """Redo section 4: the shares of Figure 1 and the means after swaps; with `out` also Figures 2 to 6.

    Parameters
    ----------
    data : Path
        The folder with adhoc5_ap.csv.
    out : Path or None
        A folder for tables and figures.
    rng : int
        The seed.
    progress : callable or None
        Called with (cells done, cells).
    draws : int
        Number of draws of five swaps; the paper has 50.

    Returns
    -------
    Replication
    """
    scores = read_scores(data_file(data, "adhoc5_ap.csv", "trec", "data/trec"))
    swaps = {
        kind: swap_experiment(scores, kind, draws=draws, rng=rng, progress=progress) for kind in ("significant", "not")
    }
    rows = tuple(_compared(row, swaps) for row in printed_numbers("gao2015"))
    high, low = swaps["significant"], swaps["not"]
    significant = int(high.significant or 0)
    share = 100 * significant / high.all_pairs
    holds = high["tau_gap"] < high["tau_ap"] and low["tau_gap"] > low["tau_ap"]
    notes = [
        f"{significant:,} of {high.all_pairs:,} pairs have p < .05 ({number(share, 1)} %)",
        f"its conclusion {'holds' if holds else 'does not hold'}: tau_gap {number(high['tau_gap'])} and "
        f"tau_ap {number(high['tau_ap'])} after swaps of significant pairs, {number(low['tau_gap'])} and "
        f"{number(low['tau_ap'])} after the others",
    ]
    written = [] if out is None else _write(out, scores, swaps)
    result = Replication(paper="gao2015", rows=rows, notes=tuple(notes), seed=rng, written=tuple(written))
    return with_comparison(result, out)


def _compared(row: dict[str, str], swaps: dict[str, SwapExperiment]) -> Printed:
    """Return a printed number beside ours.

    The tolerance is the rounding of two printed digits, and two standard errors of the paper's 50 draws.
    """
    printed = float(row["printed"])
    one = swaps[row["pairs"]]
    if row["coefficient"] == "share":
        differ = row["pairs"] == "significant"
        significant = int(one.significant or 0)
        ours = 100 * (significant if differ else one.all_pairs - significant) / one.all_pairs
        what = f"pairs that are {'' if differ else 'not '}significant, %"
        return Printed(row["where"], what, printed, ours, 0.5, row["note"])
    place = [variant.name for variant in one.variants].index(row["coefficient"])
    error = float(one.standard_errors[place]) * (one.draws / 50) ** 0.5
    what = (
        f"{row['coefficient']} after five swaps of {'significant' if row['pairs'] == 'significant' else 'other'} pairs"
    )
    return Printed(row["where"], what, printed, one[row["coefficient"]], 0.005 + ERRORS * error, row["note"])


def _write(out: Path, scores: Scores, swaps: dict[str, SwapExperiment]) -> list[str]:
    """Draw Figures 1 to 6, and write the draws and the weights; return their paths.

    Figure 1 marks the significant pairs, Figures 2 and 3 are the ranks before and after one draw of swaps, and Figures
    4 to 6 have the weight of every pair.
    """
    truth = scores.ranking()
    order = truth.order()
    differs = (paired_p_values(scores.values)[np.ix_(order, order)] < 0.05).astype(float)
    written = [_matrix(differs, out / "figure1.svg")]
    for name, one in zip(("figure2", "figure3"), swaps.values(), strict=True):
        written += [*drawn(one, out, {"chart": name})]
        written.append(str(write_columns(one.each_draw(), out / f"swaps-{one.pairs}.csv")))
    for coefficient, name in WEIGHED.items():
        written.append(_matrix(pair_weights(truth, coefficient, rescale=True).values, out / f"{name}.svg"))
        weights = pair_weights(truth, coefficient)
        written.append(str(write_columns(weights.columns(), out / f"weights-{coefficient}.csv")))
    return written


def _matrix(values: Floats, path: Path) -> str:
    """Draw a matrix of pairs by rank, large values dark."""
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(3.3, 3.3), layout="constrained")
    ax.imshow(values, cmap="Greys")
    ax.set(xlabel="Rank", ylabel="Rank")
    return saved(ax, path)
