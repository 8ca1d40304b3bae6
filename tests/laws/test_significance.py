"""significance() and significance(): what must hold for every test and correction."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter

import numpy as np
import pytest

from tauscope import Scores, TauscopeError, rank, significance
from tauscope.errors import CallError
from tauscope.inference.relation import compact_letters
from tauscope.inference.significance import CORRECTIONS, TESTS, Significance
from tauscope.results import wording

ALL = [(test, correction) for test in TESTS for correction in CORRECTIONS]


def spread(gaps: list[float], topics: int = 30, seed: int = 0) -> Scores:
    rng = np.random.default_rng(seed)
    values = 1 - np.array(gaps) + rng.normal(size=(topics, 1)) + 0.1 * rng.normal(size=(topics, len(gaps)))
    return Scores(values, systems=[chr(97 + i) for i in range(len(gaps))])


TWO = spread([1.0, 0.0, 0.0, 1.0])


@pytest.mark.parametrize(("test", "correction"), ALL)
def test_large_differences_are_found_and_their_direction_told(test: str, correction: str | None) -> None:
    result = significance(TWO, test=test, correction=correction, rng=1, draws=1000)
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
    alone = significance(scores, test=test, correction=None, rng=1, draws=4000).p_values
    for correction in ("holm", "fdr", "maxT"):
        adjusted = significance(scores, test=test, correction=correction, rng=1, draws=4000).p_values
        assert (
            adjusted >= alone - 0.02
        ).all()  # the randomised Tukey HSD is another test: up to Monte Carlo error and scale


def test_the_randomised_tukey_hsd_warns_where_one_system_varies_more_than_the_others() -> None:
    """Twenty equal systems, one of which varies three times as much: a false difference on .17 of 400 boards."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(50, 20))
    assert not significance(Scores(values), test="permutation", draws=99).unreliable
    values[:, 7] *= 3
    found = significance(Scores(values), test="permutation", draws=99)
    assert found.unequal == pytest.approx(3, abs=0.6)
    assert found.unreliable
    assert any("vary unequally" in warning for warning in found.answer().warnings)
    assert not significance(Scores(values), draws=99).unreliable


@pytest.mark.parametrize("test", TESTS)
def test_max_t_finds_something_in_noise_about_as_rarely_as_alpha_says(test: str) -> None:
    rng = np.random.default_rng(0)
    wrong = sum(
        significance(Scores(rng.normal(size=(20, 8))), test=test, rng=trial, draws=200).significant > 0
        for trial in range(150)
    )
    assert wrong <= 18  # 7.5 expected; more than 18 has probability 0.0003


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_few_topics_find_nothing_in_noise_and_say_so_where_they_cannot(test: str) -> None:
    rng = np.random.default_rng(0)
    for topics, most in ((5, 0), (8, 15)):
        results = [
            significance(Scores(rng.normal(size=(topics, 8))), test=test, rng=trial, draws=200) for trial in range(100)
        ]
        assert sum(result.significant > 0 for result in results) <= most
    few = significance(Scores(rng.normal(size=(5, 8))), test=test, rng=1)
    assert few.impossible
    assert few.exhaustive
    assert "With 5 topics, no difference can be significant at α = 0.05." in str(few)
    assert "Use at least 6 topics." in str(few)
    assert "all 16 sign flips" in few.methods_sentence()


def test_without_correction_noise_has_many_significant_pairs() -> None:
    rng = np.random.default_rng(0)
    found = [significance(Scores(rng.normal(size=(20, 8))), test="t", correction=None).share for _ in range(150)]
    assert np.mean(found) == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(("test", "correction"), ALL)
def test_identical_systems_never_differ_and_constant_differences_always_do(test: str, correction: str | None) -> None:
    values = spread([0.0, 0.1, 0.2]).values
    scores = Scores(np.concatenate((values, values[:, :1], values[:, :1] + 1), axis=1), systems=list("abcde"))
    result = significance(scores, test=test, correction=correction, rng=1, draws=1000)
    assert result["a", "d"] == 1
    assert result["a", "e"] < 0.05
    assert np.isfinite(result.p_values).all()
    assert result.identical == 1
    assert "1 pair of systems has the same score on every topic; its p-value is 1." in str(result)


@pytest.mark.parametrize(("test", "correction"), ALL)
def test_the_same_seed_gives_the_same_p_values_and_progress_reaches_its_end(test: str, correction: str | None) -> None:
    steps: list[tuple[int, int]] = []
    first = significance(
        TWO, test=test, correction=correction, rng=5, draws=300, progress=lambda *step: steps.append(step)
    )
    again = significance(TWO, test=test, correction=correction, rng=5, draws=300)
    assert (first.p_values == again.p_values).all()
    assert (first.seed is None) == (first.draws == 0) == (test != "permutation" and correction != "maxT")
    if (test, correction) != ("t", None) and not (test == "t" and correction in ("holm", "fdr")):
        assert steps[-1][0] == steps[-1][1]


@pytest.mark.parametrize("test", TESTS)
def test_no_array_of_systems_by_systems_by_topics_is_made(test: str) -> None:
    scores = Scores(np.random.default_rng(0).random((2000, 80)))  # 80 x 80 x 2000 doubles are 102 MB
    for correction in (None, "maxT"):
        tracemalloc.start()
        significance(scores, test=test, correction=correction, rng=1, draws=20)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 40e6


def test_too_few_draws_for_holm_are_told() -> None:
    result = significance(TWO, test="permutation", correction="holm", draws=100, rng=1)
    assert result.significant == 0
    assert result.impossible
    assert "With 100 draws, no difference can be significant at α = 0.05." in str(result)
    assert "Use at least 119 draws." in str(result)
    enough = significance(TWO, test="permutation", correction="holm", draws=119, rng=1)
    assert not enough.impossible
    assert enough.significant > 0


def test_a_result_prints_and_becomes_a_table_a_figure_and_references() -> None:
    result = significance(TWO, rng=4)
    assert "4 of the 6 pairs of systems differ significantly at α = 0.05." in str(result)
    assert "paired t-tests with sign-flip max-t over all pairs (step-down)" in result.methods_sentence()
    assert "50,000 sign flips, seed 4" in result.methods_sentence()
    assert "the randomised Tukey HSD test" in significance(TWO, test="permutation").methods_sentence()
    assert "Carterette" in significance(TWO, test="permutation").cite()
    assert "Wilcoxon" in significance(TWO, test="wilcoxon", correction="holm").cite()
    assert "Wiley" in result.cite()
    assert list(result.to_frame("pandas").columns) == ["better", "worse", "difference", "p", "significant"]
    json.dumps(result.to_dict(), allow_nan=False)
    assert len(result.to_dict()["pairs"]) == 6
    with wording(systems="models", topics="tasks"):
        assert "pairs of models" in str(result)
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
        significance(**({"scores": TWO} | options))  # type: ignore[arg-type]


def kinds(result: Significance) -> tuple[int | None, ...]:
    return result.kept, result.reversed, result.missed, result.spurious


def test_the_kinds_of_differences_add_up_to_all_pairs() -> None:
    noisy = Scores(TWO.values + 0.8 * np.random.default_rng(1).normal(size=TWO.values.shape), systems=TWO.systems)
    result = significance(noisy, truth=TWO, correction=None)
    assert result.truth is not None
    kept, turned, missed, spurious = (n or 0 for n in kinds(result))
    assert kept + turned + missed + spurious + (result.neither or 0) == 6
    assert kept + turned + missed == result.truth.significant == result.truth_significant
    assert kept + turned + spurious == result.significant
    other = significance(TWO, truth=noisy, correction=None)
    assert (other.missed, other.spurious) == (result.spurious, result.missed)
    assert (other.precision, other.recall) == (result.recall, result.precision)
    assert Counter(pair.kind for pair in result.pairs)["missed"] == missed


def test_a_judge_keeps_what_it_repeats_and_reverses_what_it_has_upside_down() -> None:
    same = significance(TWO, truth=TWO, rng=1)
    assert kinds(same) == (4, 0, 0, 0)
    assert same.verdict.value == "same"
    assert (same.precision, same.recall) == (1, 1)
    upside_down = significance(Scores(-TWO.values, systems=TWO.systems), truth=TWO, rng=1)
    assert kinds(upside_down) == (0, 4, 0, 0)
    assert upside_down.verdict.value == "reversed"
    found = [pair for pair in upside_down.pairs if pair.kind == "reversed"]
    assert {pair.better for pair in found} == set("ad")
    assert all(pair.truth_difference < 0 < pair.difference for pair in found)


def test_missed_and_spurious_pairs_are_named_in_the_right_direction() -> None:
    flat = spread([0.0, 0.0, 0.0, 0.0])
    missed = significance(flat, truth=TWO, rng=1)
    assert kinds(missed) == (0, 0, 4, 0)
    assert missed.verdict.value == "none kept"
    spurious = significance(TWO, truth=flat, rng=1)
    assert kinds(spurious) == (0, 0, 0, 4)
    assert spurious.verdict.value == "nothing to keep"
    found = {(pair.better, pair.worse) for pair in spurious.pairs if pair.kind == "spurious"}
    assert found == {(x, y) for x in "bc" for y in "ad"}
    assert np.isnan(spurious.recall)


def test_systems_of_both_sides_are_matched_by_name_and_what_is_dropped_is_said() -> None:
    assert significance(TWO.select(systems=list("dcba")), truth=TWO, rng=1).kept == 4
    fewer = TWO.select(systems=list("abc"))
    with pytest.raises(TauscopeError, match="only in `truth`: 'd'"):
        significance(fewer, truth=TWO)
    result = significance(fewer, truth=TWO, unmatched="drop", rng=1)
    same = "`scores` and `truth` hold the same score in every cell"
    assert result.notes == ("1 system only in `truth` dropped", same)
    assert result.kept == 2
    with pytest.raises(CallError, match="which scores are the truth"):
        significance(TWO, TWO)
    assert list(result.columns())[-3:] == ["truth_difference", "truth_p", "kind"]
    json.dumps(result.to_dict(), allow_nan=False)


def test_letters_say_the_same_as_the_relation() -> None:
    result = significance(spread([0.0, 0.03, 0.05, 0.2, 0.21]), rng=1)
    letters = compact_letters(result.better, list(result.systems))
    for i, first in enumerate(result.systems):
        for j, second in enumerate(result.systems[i + 1 :], i + 1):
            assert bool(set(letters[first]) & set(letters[second])) == (not result.better[i, j])


@pytest.mark.parametrize("correction", ["maxT", "holm", None])
def test_wilcoxons_test_says_that_its_hypothesis_is_another_than_equal_means(correction: str | None) -> None:
    scores = Scores(np.random.default_rng(6).random((12, 3)))
    said = "Wilcoxon's test asks whether differences are symmetric about 0, not whether means are equal."
    found = significance(scores, test="wilcoxon", correction=correction, draws=50)
    assert said in str(found)
    assert "(differences symmetric about 0)" in found.methods_sentence()
    assert said in str(significance(scores, truth=scores, test="wilcoxon", correction=correction, draws=50))
    assert said not in str(significance(scores, test="t", correction=correction, draws=50))


def test_skewed_differences_are_told_and_usual_ones_are_not() -> None:
    rng = np.random.default_rng(3)
    spread = np.linspace(0.2, 1.5, 20)
    skewed = Scores(np.exp(spread * rng.normal(size=(50, 20))))
    for found in (rank(skewed), significance(skewed)):
        assert "differences between systems are skewed" in " ".join(str(found).split())
    usual = Scores(rng.normal(size=(50, 20)))
    assert "skewed (median" not in str(rank(usual))


def test_scores_of_right_and_wrong_answers_carry_no_warning_about_skewness() -> None:
    for seed in range(20):
        right = (np.random.default_rng(seed).random((50, 6)) < 0.97).astype(float)
        assert "skewed" not in str(rank(Scores(right)))
