"""Ranking by determinants: exact equals brute force, backward equals explicit determinants, singular ones are said."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tauscope import ScoreCube, Scores
from tauscope.errors import CallError, TauscopeError
from tauscope.measures import Table as MeasureTable
from tauscope.measures import determinants
from tauscope.measures import rank as rank_measures

SIZE = 12


def random_covariance(seed: int, size: int = SIZE, rows: int = 40) -> np.ndarray:
    """Correlated measures on very different scales."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(rows, 3)) @ rng.normal(size=(3, size))
    values = (shared + 0.5 * rng.normal(size=(rows, size))) * 10.0 ** rng.uniform(-2, 1, size)
    return np.cov(values.T)


def table(values: np.ndarray, **options: object) -> MeasureTable:
    n, p = values.shape
    return MeasureTable(values, [f"s{i}" for i in range(n)], [f"m{j}" for j in range(p)], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["covariance", "correlation", "percentages"])
@pytest.mark.parametrize("seed", range(6))
def test_exact_equals_brute_force_over_all_subsets_of_random_12_x_12_matrices(seed: int, kind: str) -> None:
    matrix = random_covariance(seed)
    if kind != "covariance":
        deviations = np.sqrt(np.diag(matrix))
        matrix = matrix / np.outer(deviations, deviations)
    if kind == "percentages":  # all variances alike and far above 1: greedy methods miss, bounds must not
        matrix = 1e4 * matrix
    found = rank_measures(matrix, "exact", scale="correlation" if kind == "correlation" else "covariance")
    for size in range(1, SIZE + 1):
        values = {s: np.linalg.slogdet(matrix[np.ix_(s, s)])[1] for s in combinations(range(SIZE), size)}
        best = max(values, key=lambda s: values[s])
        ours = tuple(sorted(int(name) - 1 for name in found.subsets[size - 1]))
        assert values[ours] == pytest.approx(values[best], abs=1e-9)  # correlations: all sets of one are equal
        assert ours == best or size == 1
        assert found.log_determinants[size - 1] == pytest.approx(values[best], abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [2, 5, 9])
def test_asked_for_one_size_exact_finds_the_same_subset_with_less_work(seed: int, size: int) -> None:
    matrix = random_covariance(seed)
    every, one = rank_measures(matrix, "exact"), rank_measures(matrix, "exact", keep=size)
    assert set(one.kept) == set(every.subsets[size - 1])
    assert one.nodes < every.nodes
    assert np.isnan(one.log_determinants[size])
    assert one.subsets[size] == ()


def step_by_step(matrix: np.ndarray) -> list[int]:
    """Best first: at each step the one goes whose removal leaves the largest determinant."""
    left, removed = list(range(len(matrix))), []
    while len(left) > 1:
        values = [
            np.linalg.slogdet(matrix[np.ix_(rest, rest)])[1] for rest in ([j for j in left if j != i] for i in left)
        ]
        removed.append(left.pop(int(np.argmax(values))))
    return left + removed[::-1]


@pytest.mark.parametrize("seed", range(10))
def test_backward_equals_step_by_step_determinants_and_so_does_sheffields_rejection(seed: int) -> None:
    matrix = random_covariance(seed)
    order = [str(i + 1) for i in step_by_step(matrix)]
    assert list(rank_measures(matrix, "backward").order) == order
    assert list(rank_measures(matrix, "sheffield").order) == order


@pytest.mark.parametrize("rows", [400, 60])
def test_updating_the_inverse_gives_the_order_that_inverting_anew_gives(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = random_covariance(11, 150, rows)  # 60 rows: singular, so the null space is updated too
    updated = rank_measures(matrix, "backward")
    monkeypatch.setattr(determinants, "SMALL", 1000)
    anew = rank_measures(matrix, "backward")
    assert updated.order == anew.order
    assert updated.rank == min(150, rows - 1)
    values = [
        np.linalg.slogdet(matrix[np.ix_(s, s)])[1]
        for s in ([int(m) - 1 for m in updated.order[:k]] for k in (1, 5, 40))
    ]
    assert updated.log_determinants[[0, 4, 39]] == pytest.approx(values, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_determinant_gain_is_greedy_and_forward_explains_the_most_variance(seed: int) -> None:
    matrix = random_covariance(seed)
    chosen: list[int] = []
    for _ in range(4):
        left = [i for i in range(SIZE) if i not in chosen]
        chosen.append(max(left, key=lambda i: np.linalg.slogdet(matrix[np.ix_([*chosen, i], [*chosen, i])])[1]))
    assert list(rank_measures(matrix, "determinant").order[:4]) == [str(i + 1) for i in chosen]
    taken: list[int] = []
    for _ in range(4):
        left = [i for i in range(SIZE) if i not in taken]

        def unexplained(i: int) -> float:
            given_ = [*taken, i]
            solved = np.linalg.solve(matrix[np.ix_(given_, given_)], matrix[given_])
            return float(np.trace(matrix - matrix[:, given_] @ solved))

        taken.append(min(left, key=unexplained))
    assert list(rank_measures(matrix, "forward").order[:4]) == [str(i + 1) for i in taken]


@given(st.integers(0, 10_000), st.sampled_from(["backward", "exact"]))
def test_the_order_of_the_input_and_the_unit_of_a_correlation_do_not_matter(seed: int, method: str) -> None:
    rng = np.random.default_rng(seed)
    matrix = random_covariance(seed, 7)
    names = [f"m{i}" for i in range(7)]
    mixed = rng.permutation(7)
    there = rank_measures(matrix, method, names=names, scale="correlation")
    units = 10.0 ** rng.uniform(-3, 3, 7)
    here = rank_measures(
        (matrix * np.outer(units, units))[np.ix_(mixed, mixed)],
        method,
        names=[names[i] for i in mixed],
        scale="correlation",
    )
    assert here.log_determinants == pytest.approx(there.log_determinants, abs=1e-8)


def test_23_measures_of_10_systems_are_singular_which_is_said_and_handled() -> None:
    rng = np.random.default_rng(4)
    data = table(rng.normal(size=(10, 6)) @ rng.normal(size=(6, 23)) + 0.1 * rng.normal(size=(10, 23)))
    for method in ("backward", "forward", "determinant", "sheffield", "exact"):
        found = rank_measures(data, method)
        assert found.rank == 9
        assert sorted(found.order) == sorted(data.measures)
        assert np.isneginf(found.log_determinants[9:]).all()
        assert "The covariance is singular (rank 9)" in str(found)
    exact = rank_measures(data, "exact", keep=4)
    values = np.cov(data.values.T)
    brute = max(combinations(range(23), 4), key=lambda s: np.linalg.slogdet(values[np.ix_(s, s)])[1])
    assert set(exact.kept) == {f"m{i}" for i in brute}


def test_backward_on_a_singular_covariance_is_the_limit_of_a_vanishing_ridge() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(6, 9)) * 10.0 ** rng.uniform(-1, 1, 9)
    covariance = np.cov(values.T)
    ridged = step_by_step(covariance + 1e-7 * np.diag(np.diag(covariance)))
    found = rank_measures(covariance, "backward")
    assert list(found.order) == [str(i + 1) for i in ridged]
    assert list(rank_measures(covariance, "sheffield").order) == list(found.order)


def test_of_two_measures_that_are_the_same_the_first_stays() -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(size=(30, 4))
    values = np.column_stack([values[:, 0], values])
    for method in ("backward", "determinant", "sheffield"):
        assert rank_measures(table(values), method).order[-1] == "m1"


def test_constant_measures_come_last_and_are_named() -> None:
    values = np.random.default_rng(7).normal(size=(20, 5))
    values[:, 2] = 0.25
    found = rank_measures(table(values), "backward")
    assert found.order[-1] == "m2"
    assert "Constant, and therefore last: m2" in str(found)
    assert found.constant == ("m2",)
    with pytest.raises(TauscopeError, match="All 2 measures are constant"):
        rank_measures(table(np.ones((4, 2))))


def test_best_subsets_have_a_table_where_a_measure_is_constant() -> None:
    values = np.random.default_rng(7).normal(size=(20, 5))
    values[:, 2] = 0.25
    found = rank_measures(table(values), "exact")
    columns = found.columns()
    assert {len(column) for column in columns.values()} == {5}
    assert np.isnan(columns["efficiency_backward"][-1])
    assert found.distances["backward"].sizes == 4
    assert "m2" in str(found)


def test_a_cube_is_taken_topic_by_topic_or_by_system_and_collections_are_centred_each() -> None:
    rng = np.random.default_rng(8)
    cube = ScoreCube(rng.normal(size=(4, 6, 9)), ["AP", "RR", "P@10", "nDCG"])
    by_topic, by_system = rank_measures(cube), rank_measures(cube, by="system")
    assert by_topic.log_determinants[-1] == pytest.approx(np.linalg.slogdet(np.cov(cube.values.reshape(4, -1)))[1])
    assert by_system.log_determinants[-1] == pytest.approx(np.linalg.slogdet(np.cov(cube.means()))[1])
    first, second = cube.system_wise(), cube.system_wise()
    moved = MeasureTable(second.values + 5.0, second.systems, second.measures)
    together = rank_measures({"a": first, "b": moved})
    assert together.order == by_system.order
    assert "of 2 collections" in str(together)


def test_the_tasks_of_a_leaderboard_are_ranked_from_scores() -> None:
    rng = np.random.default_rng(9)
    found = rank_measures(Scores(rng.normal(size=(5, 12)), topics=list("abcde")), keep=2)
    assert set(found.kept) <= set("abcde")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rank_measures(np.eye(3), "best"), r"method='best' is unknown; use 'backward', .* or 'exact'\."),
        (lambda: rank_measures(np.eye(3), scale="log"), r"scale='log' is unknown"),
        (lambda: rank_measures(np.eye(3), keep=4), r"keep=4: keep is a whole number from 1 to 3\."),
        (lambda: rank_measures(np.eye(3), names=["a", "b"]), r"The covariance is 3 x 3, and there are 2 names\."),
        (lambda: rank_measures(np.ones((3, 2))), r"A covariance is a square matrix; this array is 3 x 2\."),
        (lambda: rank_measures([[1, 2], [0, 1]]), r"not symmetric: row 1, column 2 is 2, and row 2, column 1 is 0\."),
        (
            lambda: rank_measures([[1, 2], [2, 1]]),
            r"not a covariance: its correlations have the negative eigenvalue -1\.",
        ),
        (lambda: rank_measures([[-1.0]]), r"Place 1 of the covariance matrix has a negative variance: -1\."),
        (
            lambda: rank_measures(3),
            r"takes a ScoreCube, a measures.Table, Scores or a covariance matrix, not int\.",
        ),
        (lambda: rank_measures(np.eye(2), by="topic"), r"a covariance matrix has no topics"),
        (
            lambda: rank_measures(table(np.eye(3)), by="topic"),
            r"one row per system, without topics\. Pass by=\"system\"\.",
        ),
        (
            lambda: rank_measures(table(np.arange(6.0).reshape(3, 2)), names=["a", "b"]),
            r"`names` go with a covariance matrix",
        ),
        (
            lambda: rank_measures(np.eye(63), "exact"),
            r"takes at most 62 measures, not 63\. Pass method=\"backward\" to",
        ),
    ],
)
def test_a_wrong_call_says_what_is_wrong_and_what_to_do(call, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TauscopeError, match=message):
        call()


def test_a_search_that_grows_too_large_stops_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(determinants, "MOST_NODES", 10)
    with pytest.raises(
        TauscopeError,
        match=r"looked at 10 partial subsets of 12 measures and was not done\. Pass method=\"backward\" to",
    ):
        rank_measures(random_covariance(1), "exact")


def test_the_search_in_small_pieces_finds_the_same_and_tells_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = random_covariance(2)
    whole = rank_measures(matrix, "exact")
    monkeypatch.setattr(determinants, "PIECE", 500)
    told: list[int] = []
    pieces = rank_measures(matrix, "exact", progress=lambda done, total: told.append(done))
    assert pieces.subsets == whole.subsets
    assert told == sorted(told)
    assert told[-1] == determinants.PARTS


@pytest.mark.parametrize("method", ["backward", "forward", "determinant", "sheffield"])
def test_greedy_methods_tell_their_progress(method: str) -> None:
    told: list[tuple[int, int]] = []
    rank_measures(random_covariance(2, 6), method, progress=lambda *at: told.append(at))
    assert told == [(k, 6) for k in range(1, len(told) + 1)]
    assert len(told) >= 5


def test_keep_is_a_number_of_measures_and_not_a_truth_value() -> None:
    with pytest.raises(CallError, match="keep=True"):
        rank_measures(np.eye(3), keep=True)


def test_a_result_becomes_a_table_a_figure_and_references() -> None:
    found = rank_measures(random_covariance(3, 6), "exact")
    assert list(found.columns())[:5] == ["place", "measure", "criterion", "log_determinant", "subset"]
    assert len(found.to_frame()) == 6
    assert found.to_dict()["efficiency"]["determinant"][0] == 1.0
    assert found.plot().lines
    assert "Sheffield" in found.cite()


@pytest.mark.parametrize("scale", [1e160, 1e300, 1e-160, 1e-300, 5e307])
@pytest.mark.parametrize("method", ["backward", "forward", "determinant", "sheffield", "exact"])
def test_the_unit_of_the_scores_changes_no_order(method: str, scale: float) -> None:
    rng = np.random.default_rng(3)
    values = rng.random((30, 1)) + rng.random((30, 8)) * [1, 0.5, 0.2, 0.1, 0.05, 0.7, 0.3, 0.9]
    usual, scaled = (
        rank_measures(MeasureTable(values * by, list(map(str, range(30))), list("abcdefgh")), method, keep=3)
        for by in (1.0, scale)
    )
    assert (scaled.order, scaled.kept) == (usual.order, usual.kept)
    size = 2 * np.log(scale)
    assert scaled.log_determinants[2] == pytest.approx(usual.log_determinants[2] + 3 * size, rel=1e-12)
