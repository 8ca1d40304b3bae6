"""urbano2016, Figures 1 and 2: error and bias of the estimators, up to the noise of both sides. A subset; the whole is
`tauscope reproduce urbano2016`."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from tauscope.cli import main
from tauscope.jobs import processes
from tauscope.replications.reproduce import printed_numbers, reproduce
from tauscope.replications.urbano2016 import PROPOSED, FiguresRedone


@pytest.fixture(scope="module")
def redone(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> FiguresRedone:
    out = tmp_path_factory.mktemp("urbano2016")
    result = reproduce(
        "urbano2016",
        shared / "data",
        out=out,
        rng=0,
        draws=40,
        sizes="10,50",
        collections="adhoc6,adhoc8",
        executor=processes(2),
    )
    assert isinstance(result, FiguresRedone)
    return result


def test_the_numbers_behind_the_figures_are_all_there() -> None:
    rows = printed_numbers("urbano2016")
    assert len(rows) == 3 * 10 * 2 * 6
    assert {row["trials"] for row in rows} == {"1000"}


@pytest.mark.parametrize("what", ["error", "bias"])
def test_the_figures_of_the_paper_are_within_three_combined_standard_errors(redone: FiguresRedone, what: str) -> None:
    held, of = redone.within(PROPOSED, what)
    assert of == 2 * 2 * 2 * 4
    assert held >= 0.98 * of


def test_distances_are_those_of_noise(redone: FiguresRedone) -> None:
    """Neither shifted nor wider: all cells of a simulated collection share its luck, so the bounds are wide."""
    distances = np.array(redone.columns()["standard_errors"])
    assert len(distances) == 2 * 2 * 2 * 2 * 6
    assert abs(distances.mean()) < 1
    assert 0.3 < np.sqrt((distances**2).mean()) < 1.6


def test_the_tolerance_is_three_combined_standard_errors(redone: FiguresRedone) -> None:
    printed = {
        (row["collection"], row["n_t"], row["coefficient"], row["estimator"]): row
        for row in printed_numbers("urbano2016")
    }
    theirs = printed["adhoc8", "50", "tauAP", "KD"]
    (row,) = (row for row in redone.rows if row.what == "bias of KD of tau_ap, adhoc8, n = 50")
    table = redone.study.columns()
    place = list(zip(table["collection"], table["topics"], table["coefficient"], table["method"], strict=True)).index(
        ("adhoc8", 50, "tau_ap", "kd")
    )
    assert row.printed == float(theirs["bias"])
    assert row.ours == table["bias"][place]
    assert row.tolerance == pytest.approx(3 * math.hypot(table["bias_se"][place], float(theirs["bias_se"])))


def test_beside_each_bias_stands_the_one_against_the_simulators_own_means(redone: FiguresRedone) -> None:
    table, columns = redone.study.columns(), redone.columns()
    own = [value for value in columns["against_own_means"] if not math.isnan(value)]
    assert len(own) == 2 * 2 * 2 * 6
    place = columns["what"].index("bias of ML of tau, adhoc6, n = 10")
    assert columns["ours"][place] == table["bias"][0]
    assert columns["against_own_means"][place] == table["bias_own"][0]
    # The estimators do not know which truth is meant: the two biases differ by the actual correlations.
    moved = np.array(table["actual_own"]) - np.array(table["actual"])
    assert np.array(table["bias"]) - np.array(table["bias_own"]) == pytest.approx(moved, abs=1e-12)


def test_tables_and_figures_are_written(redone: FiguresRedone) -> None:
    names = [Path(name).name for name in redone.written]
    panels = [f"{c}-{k}" for c in ("adhoc6", "adhoc8") for k in ("tau", "tau_ap")]
    figures = [f"{figure}-{panel}.svg" for figure in ("figure1", "figure2", "figure2-own") for panel in panels]
    assert names == ["study.csv", "comparison.csv", *figures]
    with open(redone.written[1], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(redone.rows)
    assert float(rows[0]["ours"]) == redone.rows[0].ours
    assert "<svg" in Path(redone.written[2]).read_text(encoding="utf-8")[:2000]


def test_the_result_reads_as_a_sentence(redone: FiguresRedone) -> None:
    held = 96 - len(redone.failing)
    assert f"{held} of the 96 printed numbers hold" in str(redone) or held == 96
    second, third = redone.notes
    assert second.startswith("within 3 combined standard errors: ")
    assert second.endswith("(40 trials here, 1,000 there)")
    assert third.startswith("mean bias of ML, MSQD, RES, KD at n = 50: ")


def test_what_the_paper_does_not_have_is_refused(
    shared: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    data = str(shared / "data")
    assert main(["experiments", "reproduce", "urbano2016", data, "--set", "sizes=15"]) == 2
    assert "sizes=15: the paper has no '15'; it has 10, 20," in capsys.readouterr().err
    assert main(["experiments", "reproduce", "urbano2016", str(tmp_path)]) == 2
    assert "adhoc6.csv: it is not there nor in urbano2016 below." in capsys.readouterr().err
