"""Rank-biased overlap: the paper's example, the definition written out, and what whatever-follows can mean."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauscope import Ranking, rbo
from tauscope.coefficients import overlap
from tauscope.errors import CallError

pytestmark = pytest.mark.both

ONE, OTHER = "red (blue green) yellow pink", "(blue red) white (yellow black purple) green"
# Extrapolated, lower, upper at p = .95.
PRINTED = {
    "a": (0.6922853, 0.3310519, 0.8930692),
    "b": (0.7207131, 0.3509163, 0.9129336),
    "w": (0.7068257, 0.3429684, 0.9049857),
}


@pytest.mark.parametrize("ties", PRINTED)
def test_the_example_of_corsi2024_comes_out(ties: str) -> None:
    found = rbo(Ranking.from_order(ONE), Ranking.from_order(OTHER), 0.95, ties=ties)
    assert np.allclose((found.extrapolated, found.lower, found.upper), PRINTED[ties], rtol=0, atol=5e-8)
    turned = rbo(Ranking.from_order(OTHER), Ranking.from_order(ONE), 0.95, ties=ties)
    assert (turned.extrapolated, turned.lower, turned.upper) == (found.extrapolated, found.lower, found.upper)
    assert turned.lengths == found.lengths[::-1] == (7, 5)
    assert found.shared == 4
    assert found.tied == (2, 5)


Groups = list[list[str]]


@st.composite
def lists(draw: st.DrawFn, most: int = 6, items: str = "ABCDEFGH") -> Groups:
    """A list with ties, best first."""
    chosen = draw(st.permutations(items))[: draw(st.integers(1, most))]
    groups: Groups = [[chosen[0]]]
    for item in chosen[1:]:
        if draw(st.booleans()):
            groups.append([item])
        else:
            groups[-1].append(item)
    return groups


def ranking(groups: Groups) -> Ranking:
    return Ranking.from_order([tuple(group) for group in groups])


def shares(groups: Groups, depth: int, ties: str) -> dict[str, float]:
    """c of every item at a depth, from the definition."""
    found, top = {}, 1
    for group in groups:
        bottom = top + len(group) - 1
        for item in group:
            found[item] = float(depth >= top) if ties == "w" else min(1.0, max(0.0, (depth - top + 1) / len(group)))
        top = bottom + 1
    return found


def agreement(first: Groups, second: Groups, depth: int, ties: str) -> float:
    one, two = shares(first, depth, ties), shares(second, depth, ties)
    common = sum(share * two.get(item, 0.0) for item, share in one.items())
    if ties == "a":
        return common / depth
    if ties == "w":
        return 2 * common / (sum(one.values()) + sum(two.values()))
    return common / math.sqrt(sum(c * c for c in one.values()) * sum(c * c for c in two.values()))


def summed(first: Groups, second: Groups, p: float, ties: str) -> float:
    """RBO of two lists of the same length, as far as they go."""
    depth = sum(map(len, first))
    assert depth == sum(map(len, second))
    return (1 - p) * sum(p ** (d - 1) * agreement(first, second, d, ties) for d in range(1, depth + 1))


def followed(first: Groups, second: Groups, most: bool, depth: int = 60) -> tuple[Groups, Groups]:
    """Both lists continued, without ties, by items that agree as much as they can, or not at all."""
    one, two = [list(g) for g in first], [list(g) for g in second]
    if sum(map(len, one)) > sum(map(len, two)):
        two, one = followed(second, first, most, depth)
        return one, two
    seen = {item for group in one for item in group}
    unseen = [item for group in two for item in group if item not in seen]
    lacking = [item for group in one for item in group if item not in {i for g in two for i in g}]
    for place in range(depth - sum(map(len, one))):
        one.append([unseen.pop(0) if most and unseen else f"same{place}" if most else f"one{place}"])
    start = sum(map(len, two))
    fresh = [group[0] for group in one if group[0].startswith("same")]
    for place in range(depth - start):
        two.append([lacking.pop(0) if most and lacking else fresh.pop(0) if most else f"two{place}"])
    return one, two


@pytest.mark.parametrize("ties", PRINTED)
@given(first=lists(), second=lists(), p=st.sampled_from([0.3, 0.5, 0.7]))
def test_the_bounds_are_reached_by_lists_that_go_on(ties: str, first: Groups, second: Groups, p: float) -> None:
    found = rbo(ranking(first), ranking(second), p, ties=ties)
    assert abs(summed(*followed(first, second, most=False), p, ties) - found.lower) < 1e-9
    highest = summed(*followed(first, second, most=True), p, ties)
    rest = p**60  # deeper down everything agrees
    assert abs(highest + rest - found.upper) < 1e-9


@pytest.mark.parametrize("ties", PRINTED)
@given(first=lists(), second=lists(), p=st.floats(0.05, 0.98))
def test_the_three_are_in_order_and_within_zero_and_one(ties: str, first: Groups, second: Groups, p: float) -> None:
    found = rbo(ranking(first), ranking(second), p, ties=ties)
    assert -1e-12 <= found.lower <= found.extrapolated + 1e-12
    assert found.extrapolated <= found.upper + 1e-12 <= 1 + 1e-11
    assert abs(found.residual - (found.upper - found.lower)) < 1e-15


@pytest.mark.parametrize("ties", PRINTED)
@given(first=lists(), second=lists(), p=st.floats(0.1, 0.95), data=st.data())
def test_whatever_follows_narrows_the_bounds(
    ties: str, first: Groups, second: Groups, p: float, data: st.DataObject
) -> None:
    before = rbo(ranking(first), ranking(second), p, ties=ties)
    free = sorted({*"ABCDEFGHIJ"} - {item for group in first for item in group})
    longer = [*first, *([item] for item in data.draw(st.permutations(free))[: data.draw(st.integers(1, 3))])]
    after = rbo(ranking(longer), ranking(second), p, ties=ties)
    assert before.lower - 1e-12 <= after.lower <= after.upper <= before.upper + 1e-12


@given(first=lists(most=5), second=lists(most=5), p=st.floats(0.1, 0.95))
def test_variant_a_is_the_mean_over_all_orders_of_tied_items(first: Groups, second: Groups, p: float) -> None:
    def orders(groups: Groups) -> list[Ranking]:
        return [
            Ranking.from_order(list(itertools.chain(*one)))
            for one in itertools.product(*map(itertools.permutations, groups))
        ]

    mean = np.mean([rbo(one, two, p).lower for one in orders(first) for two in orders(second)])
    assert abs(rbo(ranking(first), ranking(second), p, ties="a").lower - mean) < 1e-12


@given(groups=lists(most=8), p=st.floats(0.05, 0.99))
def test_a_list_agrees_with_itself(groups: Groups, p: float) -> None:
    for ties in "bw":
        assert abs(rbo(ranking(groups), ranking(groups), p, ties=ties).extrapolated - 1) < 1e-12
    untied = [[item] for group in groups for item in group]
    assert abs(rbo(ranking(untied), ranking(untied), p).extrapolated - 1) < 1e-12
    assert rbo(ranking([["x"], ["y"]]), ranking(groups), p).extrapolated == 0


@pytest.mark.parametrize("p", [1 - 1e-9, 1 - 1e-15, 0.99995])
def test_a_reader_who_hardly_ever_stops_is_served_at_once(p: float) -> None:
    found = rbo(list("ABCDE"), list("BAXYC"), p)
    # A_d = 0, 1, 2/3, 1/2, 3/5, then 3/d; the whole series of p^d/d is -log(1 - p).
    tail = -math.log1p(-p) - sum(p**d / d for d in range(1, 6))
    known = sum(a * p**d for d, a in enumerate((0, 1, 2 / 3, 1 / 2, 3 / 5), 1))
    assert found.lower == pytest.approx((1 - p) / p * (known + 3 * tail), rel=1e-9)
    assert found.extrapolated == pytest.approx(0.6, abs=1e-4)


@pytest.mark.parametrize("length", [1, 10, 1000])
def test_both_ways_to_the_tail_of_the_series_agree(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    summed = overlap._log_tail(0.9995, length)
    monkeypatch.setattr(overlap, "NEAR_ONE", 1e-3)
    assert overlap._log_tail(0.9995, length) == pytest.approx(summed, rel=1e-12)


def test_lists_of_names_arrays_and_long_lists_are_taken() -> None:
    assert rbo(["A", ("B", "C")], ["A", "B"]).shared == 2
    assert rbo([3, 2, 1], [3.0, 2.0, 1.0], 0.8).extrapolated == pytest.approx(1)
    one, two = np.random.default_rng(1).random((2, 20_000))
    assert 0 < rbo(one, two, 0.999).extrapolated < 0.2
    tied = rbo(np.repeat([2.0, 1.0], 3000), np.tile([2.0, 1.0], 3000), 0.999)
    assert tied.agreement[-1] == 1
    assert abs(tied.agreement[2999] - 0.5) < 1e-12


def test_the_printed_lines_and_the_table_say_what_was_compared() -> None:
    found = rbo(Ranking.from_order(ONE), Ranking.from_order(OTHER), 0.95, ties="b")
    said = " ".join(str(found).split())
    assert "5 and 7 items, 4 in both" in said
    assert "0.7207" in said or "0.721" in said
    assert len(found.columns()["depth"]) == 7
    assert found.to_dict()["lower"] == found.lower


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: rbo([1, 2], [2, 1], 1.0), "p=1.0: p is a share, above 0 and below 1"),
        (lambda: rbo([1, 2], [2, 1], ties="c"), "ties='c' is unknown; use 'a'"),
        (lambda: rbo([], [2, 1]), "`first` is empty"),
        (lambda: rbo([1, 2], [2, 1, 3]), "Arrays are compared place by place, and have 2 and 3 scores"),
        (lambda: rbo([1, 2], {"A": 1}), "One list has names and the other has none"),
        (lambda: rbo(Ranking([1, 2], tied_within=0.1), [1, 2]), "ties within a tolerance do not chain into groups"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(call, text) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(CallError) as error:
        call()
    assert text in str(error.value)
