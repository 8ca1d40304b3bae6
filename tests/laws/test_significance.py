"""significance_matrix() and significance_agreement(): what must hold for every test and correction."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest

from tauscope import (
    CallError,
    Scores,
    TauscopeError,
    rank_intervals,
    significance_agreement,
    significance_matrix,
    tiers,
    wording,
)
from tauscope.significance.matrix import CORRECTIONS, TESTS

ALL = [(test, correction) for test in TESTS for correction in CORRECTIONS]


def spread(gaps: list[float], topics: int = 30, seed: int = 0) -> Scores:
    rng = np.random.default_rng(seed)
    values = 1 - np.array(gaps) + rng.normal(size=(topics, 1)) + 0.1 * rng.normal(size=(topics, len(gaps)))
    return Scores(values, systems=[chr(97 + i) for i in range(len(gaps))])


TWO = spread([1.0, 0.0, 0.0, 1.0])


@pytest.mark.parametrize(("test", "correction"), ALL)
def test_large_differences_are_found_and_their_direction_told(test: str, correction: str | None) -> None:
    result = significance_matrix(TWO, test, correction, rng=1, draws=1000)
    assert set(result.systems[:2]) == {"b", "c"}
    assert {(pair.better, pair.worse) for pair in result.pairs if pair.significant} >= {
        (x, y) for x in "bc" for y in "ad"
    }
    assert result["a", "b"] == result["b", "a"] < 0.05
    assert (result.p_values == result.p_values.T).all()
    assert (np.diagonal(result.p_values) == 1).all()
    assert 4 <= result.significant == sum(pair.significant for pair in result.pairs) <= 6
    assert result.share == result.significant / 6
    assert [pair.p for pair in result.pairs] == sorted(pair.p for pair in result.pairs)


@pytest.mark.parametrize("test", TESTS)
def test_a_correction_never_makes_a_p_value_smaller(test: str) -> None:
    scores = spread([0.0, 0.02, 0.05, 0.07, 0.1])
    alone = significance_matrix(scores, test, None, rng=1, draws=4000).p_values
    for correction in ("holm", "fdr", "maxT"):
        adjusted = significance_matrix(scores, test, correction, rng=1, draws=4000).p_values
        assert (
            adjusted >= alone - 0.02
        ).all()  # the randomised Tukey HSD is another test: up to Monte Carlo error and scale


def test_the_randomised_tukey_hsd_warns_where_one_system_varies_more_than_the_others() -> None:
    """Twenty equal systems, one of which varies three times as much: a false difference on .17 of 400 boards."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(50, 20))
    assert not significance_matrix(Scores(values), draws=99).notes()
    values[:, 7] *= 3
    found = significance_matrix(Scores(values), draws=99)
    assert found.unequal == pytest.approx(3, abs=0.6)
    (note,) = found.notes()
    assert note.startswith(
        f"systems vary unequally from topic to topic, one {found.unequal:.1f} times as much as the med"
    )
    assert note in str(found)
    assert note in found.to_dict()["notes"]
    assert not significance_matrix(Scores(values), "t", draws=99).notes()


@pytest.mark.parametrize("test", TESTS)
def test_max_t_finds_something_in_noise_about_as_rarely_as_alpha_says(test: str) -> None:
    rng = np.random.default_rng(0)
    wrong = sum(
        significance_matrix(Scores(rng.normal(size=(20, 8))), test, rng=trial, draws=200).significant > 0
        for trial in range(150)
    )
    assert wrong <= 18  # 7.5 expected; more than 18 has probability 0.0003


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_few_topics_find_nothing_in_noise_and_say_so_where_they_cannot(test: str) -> None:
    rng = np.random.default_rng(0)
    for topics, most in ((5, 0), (8, 15)):
        results = [
            significance_matrix(Scores(rng.normal(size=(topics, 8))), test, rng=trial, draws=200)
            for trial in range(100)
        ]
        assert sum(result.significant > 0 for result in results) <= most
    few = significance_matrix(Scores(rng.normal(size=(5, 8))), test, rng=1)
    assert few.notes() == ["5 topics are too few: nothing can be significant"]
    assert few.lines()[1].endswith("all 16 flips of signs")


def test_without_correction_noise_has_many_significant_pairs() -> None:
    rng = np.random.default_rng(0)
    found = [significance_matrix(Scores(rng.normal(size=(20, 8))), "t", None).share for _ in range(150)]
    assert np.mean(found) == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(("test", "correction"), ALL)
def test_identical_systems_never_differ_and_constant_differences_always_do(test: str, correction: str | None) -> None:
    values = spread([0.0, 0.1, 0.2]).values
    scores = Scores(np.concatenate((values, values[:, :1], values[:, :1] + 1), axis=1), systems=list("abcde"))
    result = significance_matrix(scores, test, correction, rng=1, draws=1000)
    assert result["a", "d"] == 1
    assert result["a", "e"] < 0.05
    assert np.isfinite(result.p_values).all()
    assert "1 pair of identical systems have p = 1" in result.notes()


@pytest.mark.parametrize(("test", "correction"), ALL)
def test_the_same_seed_gives_the_same_p_values_and_progress_reaches_its_end(test: str, correction: str | None) -> None:
    steps: list[tuple[int, int]] = []
    first = significance_matrix(TWO, test, correction, rng=5, draws=300, progress=lambda *step: steps.append(step))
    again = significance_matrix(TWO, test, correction, rng=5, draws=300)
    assert (first.p_values == again.p_values).all()
    assert (first.seed is None) == (first.draws == 0) == (test != "permutation" and correction != "maxT")
    if (test, correction) != ("t", None) and not (test == "t" and correction in ("holm", "fdr")):
        assert steps[-1][0] == steps[-1][1]


@pytest.mark.parametrize("test", TESTS)
def test_no_array_of_systems_by_systems_by_topics_is_made(test: str) -> None:
    scores = Scores(np.random.default_rng(0).random((2000, 80)))  # 80 x 80 x 2000 doubles are 102 MB
    for correction in (None, "maxT"):
        tracemalloc.start()
        significance_matrix(scores, test, correction, rng=1, draws=20)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 40e6


def test_too_few_draws_for_holm_are_told() -> None:
    result = significance_matrix(TWO, "permutation", "holm", draws=100, rng=1)
    assert result.significant == 0
    assert "nothing can be significant: more than 120 are needed" in result.notes()[0]


def test_a_result_prints_and_becomes_a_table_a_figure_and_references() -> None:
    result = significance_matrix(TWO, rng=4)
    assert result.lines()[0].endswith(
        "of 6 pairs of 4 systems differ significantly (66.7 %), alpha 0.05, over 30 topics"
    )
    assert result.lines()[1] == "randomised Tukey HSD, 5,000 draws, seed 4"
    assert "Carterette" in result.cite()
    assert "Wilcoxon" in significance_matrix(TWO, "wilcoxon", "holm").cite()
    assert "Wiley" in significance_matrix(TWO, "t", rng=1, draws=50).cite()
    assert list(result.to_frame("pandas").columns) == ["better", "worse", "difference", "p", "significant"]
    assert result.plot().to_dict()["mark"]
    json.dumps(result.to_dict(), allow_nan=False)
    with wording(systems="models", topics="tasks"):
        assert "4 models differ" in str(result)
        assert "30 tasks" in result.methods_sentence()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"test": "sign"}, "test='sign' is unknown; use 't', 'wilcoxon' or 'permutation'"),
        ({"correction": "bonferroni"}, "correction='bonferroni' is unknown"),
        ({"correction": []}, r"correction=\[\] is unknown"),
        ({"test": []}, r"test=\[\] is unknown"),
        ({"alpha": 5}, "alpha=5: alpha is a share, above 0 and below 1"),
        ({"draws": 0}, "draws=0: draws is a whole number of at least 1"),
        ({"scores": [1, 2]}, "takes Scores"),
        ({"scores": Scores([[1.0, 2.0]])}, "at least two systems and two topics; there are 2 and 1"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(options: dict[str, object], text: str) -> None:
    with pytest.raises(TauscopeError, match=text):
        significance_matrix(**({"scores": TWO} | options))  # type: ignore[arg-type]


def test_the_kinds_of_agreement_add_up_to_all_pairs() -> None:
    noisy = Scores(TWO.values + 0.8 * np.random.default_rng(1).normal(size=TWO.values.shape), systems=TWO.systems)
    result = significance_agreement(noisy, truth=TWO, test="t", correction=None)
    assert result.shared + result.contradicted + result.missed + result.invented + result.neither == 6
    assert result.shared + result.contradicted + result.missed == result.truth.significant
    assert result.shared + result.contradicted + result.invented == result.estimate.significant
    turned = significance_agreement(TWO, truth=noisy, test="t", correction=None)
    assert (turned.missed, turned.invented) == (result.invented, result.missed)
    assert (turned.precision, turned.recall) == (result.recall, result.precision)


def test_a_judge_shares_what_it_repeats_and_contradicts_what_it_turns_round() -> None:
    same = significance_agreement(TWO, truth=TWO, rng=1)
    assert (same.shared, same.contradicted, same.missed, same.invented) == (4, 0, 0, 0)
    assert (same.precision, same.recall) == (1, 1)
    turned = significance_agreement(Scores(-TWO.values, systems=TWO.systems), truth=TWO, rng=1)
    assert (turned.shared, turned.contradicted, turned.missed, turned.invented) == (0, 4, 0, 0)
    assert {pair[0] for pair in turned.pairs} == {"contradicted"}
    assert {pair[1] for pair in turned.pairs} == set("bc")


def test_missed_and_invented_pairs_are_named_in_the_right_direction() -> None:
    flat = spread([0.0, 0.0, 0.0, 0.0])
    missed = significance_agreement(flat, truth=TWO, rng=1)
    assert missed.missed == 4
    assert {(better, worse) for kind, better, worse in missed.pairs} == {(x, y) for x in "bc" for y in "ad"}
    invented = significance_agreement(TWO, truth=flat, rng=1)
    assert invented.invented == 4
    assert {(better, worse) for kind, better, worse in invented.pairs} == {(x, y) for x in "bc" for y in "ad"}
    assert np.isnan(invented.recall)


def test_agreement_matches_systems_by_name_and_says_what_it_dropped() -> None:
    turned = TWO.select(systems=list("dcba"))
    assert significance_agreement(turned, truth=TWO, rng=1).shared == 4
    fewer = TWO.select(systems=list("abc"))
    with pytest.raises(TauscopeError, match="only in `truth`: 'd'"):
        significance_agreement(fewer, truth=TWO)
    result = significance_agreement(fewer, truth=TWO, one_sided="drop", rng=1)
    same = "`estimate` and `truth` hold the same score in every cell"
    assert result.notes == ("1 system only in `truth` dropped", same)
    assert result.shared == 2
    with pytest.raises(CallError, match="which scores are the truth"):
        significance_agreement(TWO, TWO)
    assert len(result.lines()) == 3
    assert result.plot().to_dict()
    assert list(result.columns()) == ["kind", "better", "worse"]
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("correction", ["maxT", "holm", None])
def test_wilcoxons_test_says_that_its_hypothesis_is_another_than_equal_means(correction: str | None) -> None:
    scores = Scores(np.random.default_rng(6).random((12, 3)))
    said = "of differences symmetric about 0, not of equal means"
    found = significance_matrix(scores, "wilcoxon", correction, draws=50)
    assert said in str(found)
    assert said in found.methods_sentence()
    assert said in str(significance_agreement(scores, truth=scores, test="wilcoxon", correction=correction, draws=50))
    assert said not in str(significance_matrix(scores, "t", correction, draws=50))


def test_skewed_differences_are_told_and_usual_ones_are_not() -> None:
    rng = np.random.default_rng(3)
    spread = np.linspace(0.2, 1.5, 20)
    skewed = Scores(np.exp(spread * rng.normal(size=(50, 20))))
    for found in (rank_intervals(skewed, simultaneous=True), tiers(skewed), significance_matrix(skewed)):
        assert "differences between systems are skewed" in str(found)
    usual = Scores(rng.normal(size=(50, 20)))
    assert "skewed (median" not in str(rank_intervals(usual, simultaneous=True))
