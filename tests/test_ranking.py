"""Whatever holds scores becomes a `Ranking`, and two rankings meet by name."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from tauscope import Ranking, correlate, tau_a, tau_ap, tau_b
from tauscope.core.arrays import Tolerance
from tauscope.data.ranking import align
from tauscope.errors import AlignmentError

pytestmark = pytest.mark.both

SCORES = {"bm25": 0.31, "dense": 0.42, "hybrid": 0.42, "random": 0.05}


def frames() -> dict[str, Any]:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    names, values = list(SCORES), list(SCORES.values())
    return {
        "a dict": SCORES,
        "arrays": Ranking(np.array(values), names),
        "a pandas Series": pandas.Series(SCORES),
        "a pandas frame": pandas.DataFrame({"system": names, "score": values}),
        "a polars frame": polars.DataFrame({"system": names, "score": values}),
        "a lazy polars frame": polars.LazyFrame({"system": names, "score": values}),
    }


@pytest.mark.parametrize(
    "kind", ["a dict", "arrays", "a pandas Series", "a pandas frame", "a polars frame", "a lazy polars frame"]
)
def test_named_scores_become_the_same_ranking_whatever_holds_them(kind: str) -> None:
    data = frames()[kind]
    ranking = data if isinstance(data, Ranking) else Ranking(data)
    assert ranking == Ranking(SCORES)
    assert str(ranking) == "Ranking of 4 items, 1 tied pair: (dense hybrid) bm25 random"
    assert tau_a(data, truth={**SCORES, "random": 0.5}).value == tau_a(SCORES, truth={**SCORES, "random": 0.5}).value


def test_series_without_names_are_compared_by_place() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for series in (pandas.Series([3, 1, 2]), polars.Series([3, 1, 2]), (score for score in (3, 1, 2)), range(3)):
        assert Ranking(series).items is None
    assert tau_b(pandas.Series([3, 1, 2]), polars.Series([3, 1, 2])).value == 1


def test_ranks_are_scores_where_lower_is_better() -> None:
    from_ranks = Ranking.from_ranks([1, 2.5, 2.5, 4], list("ABCD"))
    assert from_ranks.groups() == [("A",), ("B", "C"), ("D",)]
    assert tau_b(from_ranks, {"A": 9, "B": 5, "C": 5, "D": 1}).value == 1


def test_the_notation_of_the_thesis_is_read_and_printed() -> None:
    ranking = Ranking.from_order("A (B C) D")
    assert ranking.ranks().tolist() == [1, 2.5, 2.5, 4]
    assert str(ranking) == "Ranking of 4 items, 1 tied pair: A (B C) D"
    assert ranking == Ranking.from_order(["A", ("B", "C"), "D"])


def test_lower_is_better_of_a_ranking_and_of_the_call_cancel_out() -> None:
    ranks = Ranking.from_ranks({"A": 1, "B": 2, "C": 3})
    assert tau_b(ranks, {"A": 9, "B": 5, "C": 1}).value == 1
    assert tau_b(ranks, Ranking.from_ranks({"A": 1, "B": 2, "C": 3}), lower_is_better=True).value == 1


def test_rankings_bring_their_own_tolerances_and_the_call_overrules_them() -> None:
    estimate, truth = Ranking([1, 2, 4], tied_within=1), Ranking([1, 2, 4], tied_within="100%")
    assert tau_a(estimate, truth=truth).tied_within == (Tolerance(1.0), Tolerance(1.0, relative=True))
    assert tau_a(estimate, truth=truth).ties == (1, 2)
    assert tau_a(estimate, truth=truth, tied_within=0).ties == (0, 0)
    assert correlate(estimate, truth=truth, coefficient=["tau_a"])["tau_a"].ties == (1, 2)


def test_items_are_matched_by_name_and_the_result_keeps_the_order_of_the_estimate() -> None:
    found = tau_ap({"B": 2, "A": 3, "C": 1}, truth={"A": 3, "C": 1, "B": 2})
    assert found.value == 1
    assert found.items == ("B", "A", "C")


def test_what_only_one_ranking_has_can_be_dropped_and_is_remembered() -> None:
    found = tau_b({"A": 3, "B": 2, "C": 1, "X": 9}, {"A": 3, "B": 2, "C": 1, "Y": 9, "Z": 8}, unmatched="drop")
    assert (found.n, found.value, found.dropped) == (3, 1.0, (("X",), ("Y", "Z")))


def test_means_are_snapped_in_chains() -> None:
    step = 0.5e-12
    ranking = Ranking.from_means([1.0, 1.0 + step, 1.0 + 2 * step, 1.0 + 1e-9, 0.2])
    assert len(set(ranking.scores[:3])) == 1
    assert ranking.scores[3] != ranking.scores[0]
    assert ranking.snapped == 3
    assert Ranking.from_means([0.5, 0.5, 0.2]).snapped == 0  # a tie that was there before


def test_a_ranking_does_not_change_and_can_be_copied_and_used_as_a_key() -> None:
    scores = np.array([1.0, 2.0])
    ranking = Ranking(scores, ["a", "b"], tied_within=0.5)
    scores[0] = 99
    assert ranking["a"] == 1
    with pytest.raises(AttributeError, match="does not change"):
        ranking.scores = scores
    with pytest.raises(ValueError, match="read-only"):
        ranking.scores[0] = 5
    copy = pickle.loads(pickle.dumps(ranking))
    assert copy == ranking
    assert {ranking: "x"}[copy] == "x"
    assert copy["b"] == 2
    assert ranking != Ranking([1.0, 2.0], ["a", "b"])


def test_aligned_arrays_are_copies() -> None:
    y, x = np.array([1.0, 2.0]), np.array([2.0, 1.0])
    found = tau_b(y, x)
    y[:] = 0
    assert found.discordant == 1
    assert align(np.array([1.0]), np.array([2.0])).labels == (1,)


def test_an_unknown_item_is_an_error_that_names_it() -> None:
    with pytest.raises(AlignmentError, match="'c' is not in this ranking"):
        Ranking({"a": 1})["c"]
