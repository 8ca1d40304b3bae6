"""top_k: the coefficient over the union of both heads, items outside a head tied below it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import ranking_pairs

import tauscope
from tauscope import Ranking, catalogue, correlate
from tauscope.coefficients.correlate import correlate_batch
from tauscope.coefficients.correlation import Correlation
from tauscope.coefficients.records import Ties
from tauscope.errors import AlignmentError, CallError, TiesError

pytestmark = pytest.mark.both

ORDINAL = [c.name for c in catalogue if c.ordinal]
TIED = [name for name in ORDINAL if catalogue[name].ties is not Ties.FORBIDDEN]
NAMES = "ABCDEFGHI"


def call(name: str, estimate: object, truth: object, **options: object) -> Correlation:
    found: Correlation = getattr(tauscope, name)(estimate, truth=truth, **options)
    return found


def heads(y: list[float], x: list[float], k: int) -> tuple[dict[str, float], dict[str, float]]:
    """The union of both heads by hand: ranks within a head, everything outside at one rank below all."""

    def head(scores: list[float]) -> dict[str, float]:
        limit = sorted(scores, reverse=True)[min(k, len(scores)) - 1]
        return {name: score for name, score in zip(NAMES, scores, strict=False) if score >= limit}

    one, two = head(y), head(x)
    union = [name for name in NAMES if name in one or name in two]

    def levels(scores: dict[str, float]) -> dict[str, float]:
        order = sorted(set(scores.values()))
        return {name: order.index(scores[name]) + 1.0 if name in scores else 0.0 for name in union}

    return levels(one), levels(two)


@pytest.mark.parametrize("name", TIED)
@given(pair=ranking_pairs(), k=st.integers(1, 10))
def test_it_is_the_coefficient_of_the_heads_made_by_hand(
    name: str, pair: tuple[list[float], list[float]], k: int
) -> None:
    named = [dict(zip(NAMES, scores, strict=False)) for scores in pair]
    found = call(name, named[0], named[1], top_k=k)
    by_hand = call(name, *heads(*pair, k))
    assert found.n == by_hand.n
    # Names come in another order, and with them the terms of the sums.
    np.testing.assert_allclose(found.value, by_hand.value, rtol=0, atol=1e-12)
    if found.undefined_because is None:
        assert abs(found.pairs.loss.sum() - (1 - found.value)) < 1e-12


@pytest.mark.parametrize("name", TIED)
@given(pair=ranking_pairs(), more=st.integers(0, 5))
def test_a_k_that_holds_everything_changes_nothing(name: str, pair: tuple[list[float], list[float]], more: int) -> None:
    plain, whole = call(name, *pair), call(name, *pair, top_k=len(pair[0]) + more)
    assert np.array_equal(plain.value, whole.value, equal_nan=True)
    assert whole.top is not None
    assert whole.top.outside == (0, 0)


@pytest.mark.parametrize("name", TIED)
@pytest.mark.parametrize("within", [0.0, 0.15])
def test_the_batch_gives_what_the_single_calls_give(name: str, within: float) -> None:
    rng = np.random.default_rng(2)
    rows, truth = rng.integers(0, 12, (40, 15)) / 10, rng.random(15).round(1)
    options = {"tied_within": within} if catalogue[name].takes_tolerance else {}
    rows[3, 4] = np.nan
    batch = correlate_batch(rows, truth=truth, coefficient=name, top_k=4, **options)
    single = [np.nan if np.isnan(row).any() else call(name, row, truth, top_k=4, **options).value for row in rows]
    assert np.array_equal(batch.values, single, equal_nan=True)
    assert batch.reason(3) == "a score is not a finite number"
    assert "top 4" in str(batch).splitlines()[0]
    own = correlate_batch(rows, truth=np.tile(truth, (40, 1)), coefficient=name, top_k=4, **options)
    assert np.array_equal(batch.values, own.values, equal_nan=True)


def test_a_tolerance_does_not_tie_the_outside_with_the_head() -> None:
    # C is in the head of the truth only; within .5 it would be tied with B if it kept its own score of the estimate.
    found = call("tau_a", {"A": 3.0, "B": 2.0, "C": 1.9}, {"A": 3.0, "C": 2.0, "B": 1.0}, top_k=2, tied_within=0.5)
    assert found.value == (1 + 1 - 1) / 3
    assert found.ties == (0, 0)


def test_lists_of_different_items_are_compared_and_the_result_says_how() -> None:
    found = call("tau_b", Ranking.from_order("A B C D"), Ranking.from_order("B E A F"), top_k=2)
    # Heads A B and B E; union A B E. Estimate: A > B > E; truth: B > E > A.
    assert found.value == -1 / 3
    assert found.items == ("A", "B", "E")
    assert found.top == (2, (2, 2), (1, 1), (1, 0))
    said = " ".join(str(found).split())
    assert "the union of both top 2, 3 systems" in said
    assert "1, 1; not ranked at all: 1" in said
    assert "tied below it" in found.methods_sentence()
    assert found.to_dict()["top"]["k"] == 2
    assert "fagin2003" in found.cited()


def test_ties_at_the_end_of_a_head_are_all_in_it() -> None:
    found = call("tau_e", {"A": 3, "B": 1, "C": 1, "D": 0}, {"A": 3, "B": 2, "C": 1, "D": 0}, top_k=2)
    assert found.items == ("A", "B", "C")
    assert found.top is not None
    assert found.top.inside == (3, 2)
    assert "with ties at its end" in str(found)


def test_lower_is_better_takes_the_head_at_the_other_end() -> None:
    up, down = {"A": 3, "B": 2, "C": 1, "D": 0}, {"A": 0, "B": 1, "C": 2, "D": 3}
    assert call("tau_ap_a", down, down, top_k=2, lower_is_better=True).items == ("A", "B")
    assert call("tau_ap_a", Ranking.from_ranks(down), up, top_k=2).value == 1


def test_correlate_leaves_out_what_needs_scores_and_keeps_undefined_ones() -> None:
    sides = {"A": 4, "B": 3, "C": 2, "D": 1}, {"A": 1, "B": 2, "C": 3, "D": 4}
    found = correlate(sides[0], truth=sides[1], coefficient="all", top_k=2)
    assert [r.coefficient.name for r in found] == ORDINAL
    assert found["tau"].undefined_because == "there are ties in `estimate` and in `truth`"
    assert found["tau_a"].value == (4 * -1) / 6


@pytest.mark.parametrize("name", [c.name for c in catalogue if not c.ordinal])
def test_a_coefficient_that_needs_scores_says_so(name: str) -> None:
    wanted = f"{name} needs the score of every item, and an item outside the top 2 has none"
    with pytest.raises(CallError, match=wanted):
        getattr(tauscope, name)([1, 2, 3], truth=[1, 2, 3], top_k=2)
    for function in (correlate_batch, correlate):
        options = {"coefficient": name}
        rows = [[1.0, 2, 3]] if function is correlate_batch else [1.0, 2, 3]
        with pytest.raises(CallError, match=wanted):
            function(rows, truth=[1, 2, 3], top_k=2, **options)  # type: ignore[operator]


def test_wrong_calls_say_what_is_wrong() -> None:
    for k in (0, -1, 2.5, True, "3"):
        with pytest.raises(CallError, match="top_k is a whole number of at least 1"):
            tauscope.tau_b([1, 2], [1, 2], top_k=k)  # type: ignore[arg-type]
    with pytest.raises(CallError, match="not a share of the smaller score"):
        tauscope.tau_b([1, 2, 3], [1, 2, 3], top_k=2, tied_within="5%")
    with pytest.raises(AlignmentError, match="Top-k lists of different items need names"):
        tauscope.tau_b([1, 2, 3], [1, 2], top_k=2)
    with pytest.raises(AlignmentError, match="has names and"):
        tauscope.tau_b({"A": 1}, [1, 2], top_k=2)
    with pytest.raises(TiesError, match="tau is not defined with ties: 1 tied pair in `first`"):
        tauscope.tau([4, 3, 2, 1], [1, 2, 3, 4], top_k=2)
