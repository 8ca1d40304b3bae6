"""compare(): what must hold whatever the scores are, for one judge and for several."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from tauscope import Scores, TauscopeError, __version__, catalogue, compare, significance, tau_b
from tauscope.answers.wording import number
from tauscope.errors import AlignmentError, CallError
from tauscope.inference.attenuation import NOTICEABLE, Correction, Draws, Samples, draw_counts, join
from tauscope.inference.reliability import way_of
from tauscope.inference.true_means import StandardError, jackknife
from tauscope.judges.agreement import Limits, Standing
from tauscope.judges.compare import Comparison
from tauscope.judges.comparisons import Comparisons
from tauscope.results import Note, wording

SEED = 3


def population(
    systems: int = 40, topics: int = 30, rho: float = 0.8, noise: float = 1.0, seed: int = 0
) -> tuple[Scores, Scores, np.ndarray]:
    """(estimate, truth, true means 2 x systems): normal true means, topics that are hard or easy, noise half shared."""
    rng = np.random.default_rng(seed)
    means = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=systems).T
    both = rng.normal(size=(topics, systems))
    own = rng.normal(size=(2, topics, systems))
    hard = rng.normal(size=(2, topics, 1))
    estimate, truth = means[:, None] + hard + noise * math.sqrt(topics) * (0.5 * both + 0.5 * own)
    return Scores(estimate), Scores(truth), means


def found(**options: object) -> Comparison:
    estimate, truth, _ = population()
    return compare(estimate, truth=truth, rng=SEED, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [c.name for c in catalogue if c.name != "pearson_rank"])
def test_a_judge_that_repeats_the_truth_agrees_with_it_entirely(name: str) -> None:
    _, truth, _ = population()
    result = compare(truth, truth=truth, coefficient=name, rng=SEED)
    assert result.observed == pytest.approx(1)
    assert result.corrected == pytest.approx(1, abs=1e-6)
    assert result.interval == pytest.approx((1, 1), abs=1e-5)
    assert "judge and reference differ by no more than noise" in map(str, result.notes)


def test_topic_noise_is_taken_off_where_its_size_is_known() -> None:
    estimate, truth, means = population(systems=400, rho=0.8)
    result = compare(estimate, truth=truth, coefficient="pearson", rng=SEED)
    true = float(np.corrcoef(means)[0, 1])
    assert result.observed < true - 0.08
    assert result.corrected == pytest.approx(true, abs=0.06)
    assert result.interval.low < true < result.interval.high


def test_the_corrected_pearson_is_spearmans_correction_for_attenuation() -> None:
    estimate, truth, _ = population(systems=400, noise=0.7)
    joint = join([estimate, truth])
    omega = joint.means @ joint.means.T - np.einsum("tim,tjm->ij", joint.influence, joint.influence)
    twin = omega[0, 1] / math.sqrt(omega[0, 0] * omega[1, 1])
    assert compare(estimate, truth=truth, coefficient="pearson", rng=SEED).corrected == pytest.approx(twin, abs=0.01)


@pytest.mark.parametrize("paired", [None, False])
def test_the_error_covariance_of_the_means_is_that_of_numpy(paired: bool | None) -> None:
    estimate, truth, _ = population(systems=6, topics=12)
    joint = join([estimate, truth], paired=paired)
    deviations = np.einsum("bt,tim->ibm", draw_counts(joint, 4000, np.random.default_rng(0)), joint.influence)
    own = [scores.values - scores.values.mean(axis=1, keepdims=True) for scores in (estimate, truth)]
    ratio = [joint.means[i, 0] / own[i].mean(axis=0)[0] for i in (0, 1)]  # a power of two
    for s in range(6):
        twin = np.cov(own[0][:, s], own[1][:, s]) / 12 * np.outer(ratio, ratio)
        if paired is False:
            twin[0, 1] = twin[1, 0] = 0
        errors = np.einsum("ti,tj->ij", joint.influence[:, :, s], joint.influence[:, :, s])
        assert errors == pytest.approx(twin, rel=1e-9, abs=1e-15)
        assert np.cov(deviations[:, :, s]) == pytest.approx(twin, abs=0.12 * twin[0, 0])
    assert joint.means == pytest.approx(np.array([own[i].mean(axis=0) * ratio[i] for i in (0, 1)]))


@pytest.mark.parametrize("shift", [0, 5, 19, 20])
def test_topics_of_one_side_move_only_the_means_of_that_side(shift: int) -> None:
    estimate, truth, _ = population(systems=5, topics=20)
    later = Scores(truth.values, topics=[str(t + 1 + shift) for t in range(20)])
    joint = join([estimate, later])
    assert joint.topics == (20, 20)
    assert joint.shared == 20 - shift
    for i in (0, 1):
        absent = ~joint.present[joint.stratum, i]
        assert absent.sum() == shift
        assert not joint.influence[absent, i].any()
        assert joint.influence[:, i].sum(axis=0) == pytest.approx(np.zeros(5), abs=1e-12)
        assert joint.means[i] == pytest.approx(joint.x[i].sum(axis=0) / 20)
    # A stratum of one topic does not tell how topics vary.
    alone = np.flatnonzero(joint.sizes[joint.stratum] == 1)
    assert len(alone) == (1 if shift == 19 else 0)
    assert not joint.influence[alone].any()


def test_the_result_says_which_topics_were_resampled_together() -> None:
    estimate, truth, _ = population()
    half = Scores(truth.values, topics=[str(t + 16) for t in range(30)])
    assert "draws of true means, topics shared" in compare(estimate, truth=truth, rng=SEED).methods_sentence()
    assert "15 topics shared" in compare(estimate, truth=half, rng=SEED).methods_sentence()
    apart = compare(estimate, truth=truth, topics="independent", rng=SEED)
    assert "topics independent" in apart.methods_sentence()
    assert apart.shared_topics == 0
    with pytest.raises(AlignmentError, match="The sides do not have the same topics") as told:
        compare(estimate, truth=half, topics="same")
    assert [way.name for way in told.value.ways_out] == ["topics"]


def test_topics_in_another_order_are_still_the_same_topics() -> None:
    estimate, truth, _ = population()
    turned = truth.select(topics=truth.topics[::-1])
    assert compare(estimate, truth=turned, rng=SEED).corrected == pytest.approx(found().corrected, abs=1e-12)


def test_results_do_not_depend_on_the_order_of_the_topics() -> None:
    estimate, truth, _ = population()
    order = np.random.default_rng(1).permutation(30)
    shuffled = [Scores(scores.values[order]) for scores in (estimate, truth)]  # labelled anew
    again, before = (one.to_dict() for one in (compare(shuffled[0], truth=shuffled[1], rng=SEED), found()))
    for means in ("judge_mean", "truth_mean", "bias"):  # sums in another order differ by rounding
        again.pop(means), before.pop(means)
    assert again == before


@pytest.mark.parametrize(("systems", "topics"), [(8, 50), (20, 50), (40, 30), (100, 25)])
def test_no_limit_hangs_on_the_seed(systems: int, topics: int) -> None:
    estimate, truth, _ = population(systems, topics, rho=0.95, noise=0.4)
    results = [compare(estimate, truth=truth, rng=seed) for seed in range(4)]
    for limit in ("low", "high", "limit", "corrected"):
        values = [getattr(result, limit) for result in results]
        # One pair of 28, or of 190, is the smallest step there is.
        assert np.ptp(values) <= max(0.003, 2.1 / (systems * (systems - 1) / 2))


def test_systems_are_matched_by_name() -> None:
    estimate, truth, _ = population()
    turned = estimate.select(systems=estimate.systems[::-1])
    assert compare(turned, truth=truth, rng=SEED).to_dict() == found().to_dict()
    fewer = estimate.select(systems=estimate.systems[:-2])
    with pytest.raises(AlignmentError, match="2 of 40 systems are only in `truth`"):
        compare(fewer, truth=truth)
    dropped = compare(fewer, truth=truth, unmatched="drop", rng=SEED)
    assert dropped.systems == 38
    assert dropped.notes[0] == "2 systems only in `truth` dropped"


def test_the_unit_of_the_scores_does_not_matter() -> None:
    estimate, truth, _ = population()
    scaled = compare(Scores(3 * estimate.values + 7), truth=Scores(truth.values * 1e200), rng=SEED)
    assert scaled.corrected == pytest.approx(found().corrected, abs=1e-9)
    assert scaled.error == pytest.approx(found().error, abs=1e-9)


def test_the_methods_say_what_the_correction_includes() -> None:
    assert "20,000 draws of true means, topics shared" in found().methods_sentence()
    fixed = found(resample="systems").methods_sentence()
    assert "draws" not in fixed  # topics are fixed: nothing is corrected
    assert "jackknife over 40 groups of systems" in fixed
    assert ", jackknife over 40 groups of systems, seed 3" in found(resample="both").methods_sentence()


def test_the_same_seed_gives_the_same_numbers_and_is_remembered() -> None:
    first = found()
    assert first.to_dict() == found().to_dict()
    assert first.seed == SEED
    estimate, truth, _ = population()
    other = compare(estimate, truth=truth, rng=np.random.default_rng(9))
    assert other.seed != SEED
    assert other.corrected == pytest.approx(first.corrected, abs=0.003)
    assert compare(estimate, truth=truth, rng=other.seed).to_dict() == other.to_dict()


def test_the_interval_contains_the_corrected_value_and_grows_with_the_level() -> None:
    result = found()
    assert result.observed == pytest.approx(tau_b(*(s.ranking() for s in population()[:2])).value)
    previous = result.interval_at(0.5)
    for level in (0.8, 0.95, 0.999):
        low, high = result.interval_at(level)
        assert low <= result.corrected <= high
        assert low <= previous.low
        assert high >= previous.high
        assert high <= 1
        assert result.at_least(level) >= low
        previous = result.interval_at(level)
    assert result.exceeds(result.at_least() - 0.01)
    assert result.exceeds(result.at_least())
    assert not result.exceeds(result.at_least() + 1e-6)
    with pytest.raises(CallError, match="level=95"):
        result.at_least(95)


def test_limits_of_systems_are_those_of_student_and_stay_in_range() -> None:
    error = StandardError(deviation=0.1, groups=20)
    assert Limits(value=0.5, systems=error, range=(-1, 1)).interval(0.95) == pytest.approx(
        (0.5 - 0.2093024, 0.5 + 0.2093024), abs=1e-6
    )
    assert Limits(value=0.95, systems=error, range=(-1, 1)).interval(0.95) == pytest.approx(
        (0.95 - 0.2093024, 1.0), abs=1e-6
    )
    one_sided = Limits(value=0.5, systems=error, range=(-1, 1)).at_least(0.95)
    assert one_sided == pytest.approx(Limits(value=0.5, systems=error, range=(-1, 1)).interval(0.9).low)


def test_limits_of_topics_are_quantiles_and_all_doubt_is_below_the_largest_value() -> None:
    even = np.linspace(0, 0.5, 1001)
    inside = Draws(values=np.append(even, math.nan), most=1.0)
    assert inside.interval(0.9) == pytest.approx((0.025, 0.475))
    assert inside.at_least(0.9) == pytest.approx(0.05)
    assert (inside.value, inside.undefined) == pytest.approx((0.25, 1))
    # Half a hundredth of the draws, more or less, moves the limit by that share of their range.
    assert inside.monte_carlo(0.9) == pytest.approx(0.5 * math.sqrt(0.09 / 1001), rel=0.01)
    reaching = Draws(values=np.append(even, np.ones(1001)), most=1.0)
    assert reaching.interval(0.9) == pytest.approx((0.1, 1.0), abs=1e-3)
    assert reaching.interval(0.9).low == reaching.at_least(0.9)
    both = Limits(value=0.25, topics=inside, systems=StandardError(deviation=0.1, groups=20), range=(-1, 1))
    reach = StandardError(deviation=0.1, groups=20).reach(0.9)
    assert both.interval(0.9) == pytest.approx((0.25 - math.hypot(0.225, reach), 0.25 + math.hypot(0.225, reach)))
    assert both.error == pytest.approx(math.hypot(inside.error, 0.1))


def test_the_lower_limit_is_the_lower_one_of_both_weights_of_groups() -> None:
    even = np.linspace(0.5, 1, 1001)
    lower = Draws(values=even, in_lower_limits=np.append(even - 0.2, math.nan))
    higher = Draws(values=even, in_lower_limits=even + 0.2)
    assert lower.at_least(0.9) == pytest.approx(0.35)
    assert lower.interval(0.9) == pytest.approx((0.325, 0.975))
    assert higher.at_least(0.9) == pytest.approx(0.55)
    assert lower.value == higher.value == pytest.approx(0.75)
    # The Monte Carlo error is that of the limit that is printed.
    spread = Draws(values=even, in_lower_limits=0.9 * (even - 1))
    assert spread.monte_carlo(0.9) == pytest.approx(0.9 * Draws(values=even).monte_carlo(0.9))
    assert higher.monte_carlo(0.9) == pytest.approx(Draws(values=even).monte_carlo(0.9))


def close_head(seed: int = 0) -> tuple[Scores, Scores]:
    """A judge and the truth of twelve close systems and six bad ones; twenty topics hardly show these groups."""
    rng = np.random.default_rng(seed)
    true = np.concatenate([0.5 + 0.02 * rng.normal(size=12), 0.36 + 0.06 * rng.normal(size=6)])
    truth = true + 0.25 * rng.normal(size=(20, 18))
    return Scores(truth + 0.03 * rng.normal(size=18) + 0.1 * rng.normal(size=(20, 18))), Scores(truth)


def test_groups_that_may_go_unseen_lower_the_lower_limit_and_nothing_else() -> None:
    lowered = 0
    for seed in range(6):
        samples = Samples(join(list(close_head(seed))), np.random.default_rng(SEED))
        correction = Correction(samples, catalogue["tau_b"])
        seen, plain = correction.draws, Draws(values=correction.values, most=1.0)
        assert (seen.value, seen.interval(0.95).high) == (plain.value, plain.interval(0.95).high)
        assert seen.at_least(0.95) <= plain.at_least(0.95)
        if any(way.wary > way.weight + 0.05 for way in correction.ways[1:]):
            # Only the draws that take another way are drawn again.
            every, places = np.ones(18, bool), np.arange(samples.draws)
            chosen = way_of(np.array([way.wary for way in correction.ways]), samples.of_ways)
            assert seen.in_lower_limits is not None
            assert np.array_equal(seen.in_lower_limits, correction._values(every, correction.ways, chosen, places))
            lowered += seen.at_least(0.95) < plain.at_least(0.95) - 0.02
    assert lowered >= 3


def test_the_jackknife_of_a_mean_is_its_standard_error_whatever_the_groups() -> None:
    x = np.random.default_rng(0).normal(size=30)
    left = np.array([np.delete(x, i).mean() for i in range(30)])
    error = jackknife(float(x.mean()), left, np.ones(30))
    assert error.deviation == pytest.approx(x.std(ddof=1) / math.sqrt(30))
    assert error.freedom == 29
    sizes = np.array([2.0, 3, 5, 10, 10])
    group = np.repeat(np.arange(5), sizes.astype(int))
    left = np.array([x[group != g].mean() for g in range(5)])
    # Busing et al.: pseudo-values of a mean are the means of the groups, about the mean of all.
    pseudo = np.array([x[group == g].mean() for g in range(5)])
    twin = math.sqrt(((pseudo - x.mean()) ** 2 / (30 / sizes - 1)).mean())
    assert jackknife(float(x.mean()), left, sizes).deviation == pytest.approx(twin)
    assert math.isnan(jackknife(0.5, np.array([math.nan, 0.5]), np.ones(2)).deviation)


def test_systems_as_a_sample_leave_topics_as_they_are() -> None:
    result = found(resample="systems")
    estimate, truth, _ = population()
    a, b = estimate.means(), truth.means()
    left = [tau_b(np.delete(a, i), np.delete(b, i)).value for i in range(40)]
    twin = math.sqrt(39 / 40 * ((np.array(left) - np.mean(left)) ** 2).sum())
    assert result.error == pytest.approx(twin)
    assert result.corrected == result.observed
    assert result.notes[-1].numbers == {"systems": 40, "groups": 40, "kind": "each"}
    assert found(resample="both").error > max(result.error, found().error)


def test_copies_in_one_group_are_no_further_witnesses() -> None:
    estimate, truth, _ = population(noise=0.3)
    rng = np.random.default_rng(1)

    def doubled(scores: Scores) -> Scores:
        copies = scores.values + 1e-6 * rng.normal(size=scores.values.shape)
        return Scores(np.concatenate((scores.values, copies), axis=1))

    two = doubled(estimate), doubled(truth)
    teams = {str(i + 1): f"team {i % 40}" for i in range(80)}
    once = compare(estimate, truth=truth, resample="systems", rng=SEED)
    grouped = compare(two[0], truth=two[1], resample="systems", groups=teams, rng=SEED)
    naive = compare(two[0], truth=two[1], resample="systems", rng=SEED)
    assert grouped.error == pytest.approx(once.error, rel=0.1)
    assert naive.error < 0.8 * once.error
    assert grouped.notes[-1].numbers == {"systems": 80, "groups": 40, "kind": "given"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"truth": None}, "which scores are the truth"),
        ({"resample": "runs"}, "resample='runs' is unknown; use 'topics', 'systems' or 'both'"),
        ({"groups": {}}, "40 systems have no group"),
        ({"topics": "some"}, "topics='some' is unknown"),
        ({"margin": "high"}, "margin"),
        ({"groups": {"1": "a"}, "resample": "systems"}, "39 systems have no group: '2'"),
        ({"groups": dict.fromkeys(map(str, range(1, 41)), "a"), "resample": "both"}, "There is 1 group of systems"),
        ({"level": 95}, "Do you mean 0.95"),
        ({"coefficient": "tau_c"}, "tau_c"),
        ({"truth": [1, 2]}, "`truth` is of type list"),
        ({"rng": -1}, "rng=-1 is not a seed"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(options: dict[str, object], text: str) -> None:
    estimate, truth, _ = population()
    with pytest.raises(TauscopeError, match=text):
        compare(estimate, **({"truth": truth} | options))  # type: ignore[arg-type]


def test_a_second_matrix_without_a_name_is_refused() -> None:
    estimate, truth, _ = population()
    with pytest.raises(CallError, match="which scores are the truth"):
        compare(estimate, truth)


def test_holes_are_refused_and_named() -> None:
    estimate, truth, _ = population()
    values = np.array(truth.values)
    values[2, 3] = np.nan
    with pytest.raises(
        TauscopeError, match=r"compare\(\), `truth` needs a score in every cell.*system '4' on topic '3'"
    ):
        compare(estimate, truth=Scores(values, missing="keep"))


def test_few_topics_or_systems_are_undefined_with_a_reason() -> None:
    estimate, truth, _ = population()

    def of(topics: int, systems: int = 40) -> Comparison:
        kept = {"topics": truth.topics[:topics], "systems": truth.systems[:systems]}
        return compare(estimate.select(**kept), truth=truth.select(**kept), rng=SEED)

    assert str(of(1).reason) == "one topic does not show how scores vary from topic to topic"
    assert not math.isnan(of(1).observed)
    assert str(of(3).reason) == "topic noise cannot be estimated from fewer than 4 topics"
    assert not math.isnan(of(3).corrected)
    assert math.isnan(of(3).at_least())
    assert str(of(30, 1).reason) == "a ranking needs at least two systems"
    assert math.isfinite(of(4, 2).corrected)
    for result in (of(1), of(3), of(30, 1)):
        assert result.verdict is Standing.UNDEFINED
        assert str(result.reason) in str(result).replace("\n", " ")
        json.dumps(result.to_dict(), allow_nan=False)
        assert result.methods_sentence().endswith(f"Tauscope {__version__}.")


def test_identical_systems_make_tau_undefined_and_not_tau_b() -> None:
    estimate, truth, _ = population()
    doubled = [Scores(np.concatenate((s.values, s.values[:, :1]), axis=1)) for s in (estimate, truth)]
    result = compare(doubled[0], truth=doubled[1], coefficient="tau", rng=SEED)
    assert result.reason.code == "ties_forbidden"
    assert "Choose a coefficient that allows ties: tau_a or tau_b or tau_e." in str(result)
    assert compare(doubled[0], truth=doubled[1], rng=SEED).corrected == pytest.approx(found().corrected, abs=0.02)


def test_a_judge_that_ties_all_systems_is_undefined_and_more_topics_are_no_way_out() -> None:
    _, truth, _ = population()
    result = compare(Scores(np.ones(truth.values.shape)), truth=truth, rng=SEED)
    assert math.isnan(result.observed)
    assert math.isnan(result.corrected)
    assert result.verdict is Standing.UNDEFINED
    assert str(result.reason) == "all systems are tied under the judge"
    assert "Score more topics" not in str(result)


def test_pearson_rank_has_a_value_in_every_draw_where_no_score_is_negative() -> None:
    rng = np.random.default_rng(0)
    truth = Scores(rng.beta(0.3, 2, size=(10, 30)))
    estimate = Scores(np.clip(truth.values + 0.2 * rng.normal(size=(10, 30)), 0, 1))
    result = compare(estimate, truth=truth, coefficient="pearson_rank", rng=SEED)
    assert not any("without a value" in str(note) for note in result.notes)
    assert math.isfinite(result.corrected)


def test_a_leaderboard_of_right_and_wrong_answers_works() -> None:
    rng = np.random.default_rng(0)
    skill = np.linspace(0.3, 0.7, 60)
    truth = Scores((rng.random((2000, 60)) < skill).astype(float))
    judge = Scores(np.where(rng.random((2000, 60)) < 0.1, 1 - truth.values, truth.values))
    result = compare(judge, truth=truth, rng=SEED)
    assert 0.9 < result.corrected <= 1
    assert result.interval.low > 0.8


def test_a_result_prints_and_becomes_a_table_and_references() -> None:
    result = found()
    assert f"seed {SEED}" in result.methods_sentence()
    assert result.to_frame("pandas").shape == (40, len(result.columns()))
    assert "Xie" in result.cite()
    assert "Busing" in found(resample="both").cite()
    assert 0.5 < result.noise_ceiling < 1
    assert float(result) == result.corrected
    with wording(systems="models", topics="tasks"):
        assert "40 models, 30 tasks" in str(result)
        assert "task noise" in str(result)
        assert "topic" not in str(result)


def test_ranks_gains_swaps_and_differences_are_those_of_plain_loops() -> None:
    result = found()
    estimate, truth, _ = population()
    a, b = estimate.means(), truth.means()
    for name, left, right, gain in zip(result.system, result.truth_rank, result.judge_rank, result.gain, strict=True):
        k = truth.systems.index(name)
        assert (left, right, gain) == (1 + (b > b[k]).sum(), 1 + (a > a[k]).sum(), left - right)
    pairs = [(i, j) for i in range(40) for j in range(i)]
    assert result.swaps == sum((a[i] - a[j]) * (b[i] - b[j]) < 0 for i, j in pairs)
    tested = significance(estimate, truth=truth, alpha=1 - result.level, rng=SEED)
    for kind in ("kept", "missed", "spurious", "reversed"):
        assert getattr(result, kind) == getattr(tested, kind)
    losses = [pair.loss for pair in result.pairs]
    assert losses == sorted(losses, reverse=True)
    assert sum(losses) <= 1 - result.observed + 1e-9


def test_equal_means_share_the_better_rank() -> None:
    rows = np.random.default_rng(1).normal(size=(6, 1))
    tied = Scores(rows + np.array([0.0, 2.0, 2.0, 2.0, -1.0]))
    result = compare(Scores(rows + [[4.0, 3.0, 2.0, 1.0, 0.0]] * 6 + 0.1 * rows**2 * [[1, 2, 3, 4, 5]]), truth=tied)
    assert sorted(result.truth_rank) == [1, 1, 1, 4, 5]


def judges() -> tuple[dict[str, Scores], Scores]:
    rng = np.random.default_rng(0)
    truth = Scores(rng.normal(size=30) + rng.normal(size=(40, 1)) + rng.normal(size=(40, 30)))
    lean = rng.normal(size=30)
    named = {
        name: Scores(truth.values + bias * lean + noise * rng.normal(size=(40, 30)))
        for name, bias, noise in (("poor", 2.0, 1.0), ("good", 0.0, 0.5), ("fair", 0.0, 0.6))
    }
    return named, truth


def several(named: dict[str, Scores], truth: Scores, **options: object) -> Comparisons:
    return compare(named, truth=truth, rng=SEED, **options)  # type: ignore[arg-type, no-any-return]


def test_the_better_judge_is_found_and_exchanging_them_only_turns_the_sign() -> None:
    named, truth = judges()
    result = several(named, truth)
    value, (low, high) = result.difference("good", "poor")
    assert 0 < low < value < high
    turned, limits = result.difference("poor", "good")
    assert turned == -value
    assert limits == pytest.approx((-high, -low))
    _, (low, high) = result.difference("good", "fair")
    assert low < 0 < high
    assert result.verdict.value == "several"


def noisy_judges(seed: int) -> tuple[Scores, Scores, Scores]:
    """Two judges that err in ways of their own, and the truth of twenty close systems on twenty topics."""
    rng = np.random.default_rng(seed)
    truth = 0.5 + 0.03 * rng.normal(size=20) + 0.3 * rng.normal(size=(20, 20))
    a, b = (truth + lean * rng.normal(size=20) + 0.1 * rng.normal(size=(20, 20)) for lean in (0.01, 0.03))
    return Scores(a), Scores(b), Scores(truth)


def test_two_judges_go_together_in_draws_as_they_do_over_resampled_topics() -> None:
    between = 0
    for seed in range(6):
        a, b, truth = noisy_judges(seed)
        found = several({"a": a, "b": b}, truth)._joint
        values = [(own.values, apart) for own, apart in zip(found.draws, found.own_draws, strict=True)]
        wanted = np.corrcoef(found.resampled.T)[0, 1]
        together, apart = (np.corrcoef(values[0][k], values[1][k])[0, 1] for k in (0, 1))
        drawn = found.difference(0, 1).values
        for k in (0, 1):  # each judge's own draws are as before
            assert np.quantile(values[k][0], [0.1, 0.5, 0.9]) == pytest.approx(
                np.quantile(values[k][1], [0.1, 0.5, 0.9]), abs=0.04
            )
        spread = np.var(values[0][0]) + np.var(values[1][0])
        scale = 2 * np.std(values[0][0]) * np.std(values[1][0])
        reached = (spread - np.var(drawn)) / scale
        assert reached == pytest.approx(min(max(wanted, apart), together), abs=0.03)
        between += apart < wanted < together
    assert between >= 3


def test_a_judge_does_not_differ_from_itself() -> None:
    a, _, truth = noisy_judges(0)
    same = several({"a": a, "b": a}, truth)
    assert same.difference("a", "b")[1] == (0, 0)
    assert same.not_worse == ("b",)


def test_other_judges_do_not_change_a_difference() -> None:
    a, b, truth = noisy_judges(1)
    first = several({"a": a, "b": b}, truth).difference("a", "b")
    among = several({"c": truth, "b": b, "a": a}, truth).difference("a", "b")
    assert among[1] == pytest.approx(first[1], abs=1e-9)


def test_a_judge_has_the_same_value_alone_and_among_others() -> None:
    named, truth = judges()
    ranking = several(named, truth)
    alone = compare(named["poor"], truth=truth, rng=SEED)
    place = ranking.judge.index("poor")
    assert ranking.corrected[place] == pytest.approx(alone.corrected, abs=1e-12)
    assert (ranking.low[place], ranking.high[place]) == pytest.approx(alone.interval, abs=1e-12)
    assert ranking["poor"].corrected == alone.corrected
    assert ranking.standing[place] is alone.verdict


def test_judges_are_ranked_and_those_that_do_not_differ_share_a_letter() -> None:
    named, truth = judges()
    ranking = several(named, truth)
    assert ranking.judge[-1] == "poor"
    assert (np.diff(ranking.corrected) <= 0).all()
    letters = dict(zip(ranking.judge, ranking.letters, strict=True))
    assert letters["good"] == letters["fair"] != letters["poor"]
    assert [pair.differ for pair in ranking.pairs] == [pair.low > 0 for pair in ranking.pairs]
    assert {(pair.closer, pair.other): pair.differ for pair in ranking.pairs}["good", "poor"]
    with pytest.raises(TauscopeError, match="no judge 'best'"):
        ranking["best"]
    with pytest.raises(TauscopeError, match="no judge 'best'"):
        ranking.difference("best", "good")


def test_more_judges_need_a_larger_critical_value() -> None:
    named, truth = judges()
    two = several({name: named[name] for name in ("good", "poor")}, truth)
    assert two.verdict.value == "one"
    assert two.critical == pytest.approx(1.96, abs=0.4)
    assert two.critical + 0.1 < several(named, truth).critical < 3.5
    (pair,) = two.pairs
    assert pair.difference == pytest.approx(two.difference("good", "poor")[0])
    low, high = two.difference("good", "poor")[1]
    assert high - low < 1.3 * (pair.high - pair.low)


def test_wrong_calls_about_judges_say_what_is_wrong() -> None:
    named, truth = judges()
    with pytest.raises(CallError, match="several by name"):
        compare({}, truth=truth)
    with pytest.raises(CallError, match="which scores are the truth"):
        compare(named)
    with pytest.raises(CallError, match="A judge is called 'truth'"):
        compare({"truth": named["good"], "poor": named["poor"]}, truth=truth)
    with pytest.raises(CallError, match="over resampled topics"):
        compare(named, truth=truth, resample="systems")
    few = truth.select(topics=truth.topics[:3])
    with pytest.raises(TauscopeError, match="at least two systems and 4 topics"):
        compare({"a": few, "b": few}, truth=few)
    assert compare({"good": named["good"]}, truth=truth).judge == "good"


def test_limits_of_ranked_judges_say_how_far_they_hang_on_the_seed() -> None:
    rng = np.random.default_rng(3)
    human = np.linspace(0.2, 0.5, 8) + rng.normal(0, 0.15, (50, 8))
    judges = {
        name: Scores(human + w * rng.normal(size=8) + 0.1 * rng.normal(size=human.shape))
        for name, w in (("a", 0.04), ("b", 0.06))
    }
    found = [compare(judges, truth=Scores(human), rng=seed) for seed in range(6)]
    assert len({one.judge for one in found}) == 1
    limits = np.array([[limit for pair in one.pairs for limit in (pair.low, pair.high)] for one in found])
    errors = np.array([one.monte_carlo for one in found])
    assert (errors > 0).all()
    assert (limits.std(axis=0, ddof=1) < 2 * errors.mean()).all()
    for one in found:
        told = f"Monte Carlo error {number(one.monte_carlo)}" in one.methods_sentence()
        assert told is (one.monte_carlo > NOTICEABLE)
        assert one.to_dict()["monte_carlo"] == one.monte_carlo
    assert (errors > NOTICEABLE).any()


def test_confidences_of_a_judges_own_do_not_hang_on_the_order_of_systems() -> None:
    rng = np.random.default_rng(5)
    human = np.linspace(0.2, 0.5, 8) + rng.normal(0, 0.15, (30, 8))
    judges = [human + 0.05 * rng.normal(size=8) + 0.1 * rng.normal(size=human.shape) for _ in range(2)]
    names = np.array([f"s{i}" for i in range(8)])
    found = []
    for order in (np.arange(8), rng.permutation(8)):
        one, two, truth = (Scores(x[:, order], systems=names[order].tolist()) for x in (*judges, human))
        found.append(several({"one": one, "two": two}, truth)._joint.own_draws)
    for one, other in zip(*found, strict=True):
        assert (np.abs(one - other) > 1e-9).mean() < 0.001  # but for rounding at the edge of an order


def on_own_scales(seed: int, *, equal: bool = False) -> tuple[Scores, Scores, float]:
    """A judge whose scores have a scale of their own on every topic, people, and the true tau."""
    rng = np.random.default_rng((51, seed))
    truth = rng.normal(size=20)
    judge = truth + 0.3 * rng.normal(size=20)
    scales = np.exp((not equal) * rng.normal(size=(25, 1)))
    noise = rng.normal(size=(2, 25, 20))
    return Scores(scales * (judge + noise[0])), Scores(truth + noise[1]), float(tau_b(judge, truth))


def test_topics_with_scales_of_the_judges_own_do_not_raise_the_agreement() -> None:
    """A scale that changes from topic to topic moves all systems apart, or closer: it is not noise of the ranking."""
    held, errors, noted = 0, [], 0
    for seed in range(80):
        judge, people, true = on_own_scales(seed)
        found = compare(judge, truth=people, rng=seed)
        held += found.interval[0] <= true <= found.interval[1]
        errors.append(found.corrected - true)
        noted += any("not alike on both sides" in str(note) for note in found.notes)
    assert held >= 72
    assert abs(np.mean(errors)) < 0.03
    assert noted > 60


def test_topics_of_one_scale_have_no_note_about_scales() -> None:
    noted = 0
    for seed in range(40):
        judge, people, _ = on_own_scales(seed, equal=True)
        noted += any("not alike on both sides" in str(note) for note in compare(judge, truth=people, rng=seed).notes)
    assert noted <= 2


def test_two_judges_are_told_of_topics_with_scales_of_their_own() -> None:
    judge, people, _ = on_own_scales(2)
    other, _, _ = on_own_scales(2, equal=True)
    found = compare({"judge": judge, "other": other}, truth=people)
    assert [note.numbers for note in found.notes if isinstance(note, Note)] == [{"judge": "judge"}]
