"""gao2015 section 4.1 on TREC-5: what is significant, and what five swaps do; gao2016: ranks kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tauscope import Scores
from tauscope.coefficients.discounted import discounted
from tauscope.experiments import perturb, swap_experiment
from tauscope.replications.reproduce import reproduce

# Means after five disjoint swaps.
MEANS = {
    "significant": {"pearson": 0.746, "tau_ap": 0.684, "tau_gap": 0.591},
    "not": {"pearson": 0.986, "tau_ap": 0.908, "tau_gap": 0.947},
}


@pytest.fixture(scope="module")
def trec5(shared: Path) -> Scores:
    return Scores.read(shared / "data" / "trec" / "adhoc5_ap.csv")


@pytest.mark.parametrize("kind", MEANS)
def test_the_means_after_five_swaps_are_within_four_standard_errors(kind: str, trec5: Scores) -> None:
    found = swap_experiment(trec5, kind, swaps=5, draws=50, rng=1)
    assert (found.significant, found.all_pairs) == (1164, 1830)
    for place, variant in enumerate(found.variants):
        assert abs(found.means[place] - MEANS[kind][variant.name]) < 4 * found.standard_errors[place]


def test_tau_gap_is_below_tau_ap_for_significant_pairs_and_above_it_for_the_others(trec5: Scores) -> None:
    high, low = (swap_experiment(trec5, kind, draws=200, rng=2) for kind in MEANS)
    assert high["tau_gap"] < high["tau_ap"] - 0.05
    assert low["tau_gap"] > low["tau_ap"] + 0.02


def test_the_replication_says_which_printed_numbers_hold(shared: Path, tmp_path: Path) -> None:
    found = reproduce("gao2015", shared / "data", out=tmp_path, rng=1, draws=200)
    assert len(found.rows) == 8
    assert all(row.note for row in found.failing)
    shares = {row.what: round(row.ours, 1) for row in found.rows if row.where == "Figure 1"}
    assert shares == {"pairs that are significant, %": 63.6, "pairs that are not significant, %": 36.4}
    assert any(note.startswith("its conclusion holds") for note in found.notes)
    assert {Path(name).name for name in found.written} == {path.name for path in tmp_path.iterdir()}
    weights = np.genfromtxt(tmp_path / "weights-tau_gap.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    first = weights[(weights["rank_i"] == 1) & (weights["rank_j"] == 61)]
    assert abs(float(first["weight"][0]) - 0.489772) < 1e-6


def test_pairs_that_are_not_significant_no_longer_lower_the_discounted_value(trec5: Scores) -> None:
    # gao2015 section 5, its future work: after swaps of pairs that may be chance, next to nothing is lost.
    found = swap_experiment(trec5, "not", swaps=5, draws=1, rng=3)
    swapped = dict(zip(trec5.systems, -found.ranks[1], strict=True))
    for name in ("tau_gap", "tau_ap"):
        result = discounted(swapped, truth=trec5, coefficient=name)
        assert result.value > result.plain + 0.02
        assert result.kept == pytest.approx(1164 / 1830)


def test_ranks_are_kept_and_only_pearson_and_pearson_rank_see_it(trec5: Scores) -> None:
    found = perturb(trec5, draws=300, rng=1)
    assert (found.values[:, :3] == 1).all()
    assert (found.values[:, 4, 2] < found.values[:, 3, 2]).all()
