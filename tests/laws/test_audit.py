"""What an audit says: by definition against plain loops, and by simulation where no file has the truth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tauscope
from tauscope import Scores, TauscopeError, audit, compare
from tauscope.answers.wording import number
from tauscope.coefficients.records import TAU_B
from tauscope.core.arrays import content_marks
from tauscope.core.checking import Stream, stream
from tauscope.errors import CallError
from tauscope.judges.accuracy import (
    accuracy_of,
    calibrated,
    calibration,
    length_bias,
    p_values,
    soft_pairwise_accuracy,
    tied_accuracy,
)
from tauscope.judges.agreement import Decision, Standing, Top
from tauscope.judges.audit import CHECKS, Outcome
from tauscope.judges.groups import Families, own_families
from tauscope.judges.panels import ceiling, panel, yekutieli

SYSTEMS = tuple(f"s{i:02}" for i in range(18))
FAMILIES = dict(zip(SYSTEMS, itertools.cycle("abc"), strict=False))
OWN = {"j1": "a", "j2": "b", "j3": "c"}


def people(rng: np.random.Generator, topics: int = 40) -> np.ndarray:
    size = len(SYSTEMS)
    return rng.normal(0, 0.08, size) + rng.normal(0, 0.1, (topics, 1)) + rng.normal(0, 0.12, (topics, size))


def of(values: np.ndarray) -> Scores:
    return Scores(values, systems=SYSTEMS)


# ---- soft pairwise accuracy ----


def test_soft_accuracy_is_its_definition_over_all_flips() -> None:
    rng = np.random.default_rng(1)
    human, judge = rng.normal(size=(8, 3)), rng.normal(size=(8, 3))
    flips = np.array(list(itertools.product((-1.0, 1.0), repeat=8)))

    def p(values: np.ndarray, i: int, j: int) -> float:
        gaps = values[:, i] - values[:, j]
        return float(np.mean([(sign * gaps).sum() >= gaps.sum() - 1e-9 for sign in flips]))

    exact = 1 - np.mean([abs(p(human, i, j) - p(judge, i, j)) for i, j in ((0, 1), (0, 2), (1, 2))])
    found = soft_pairwise_accuracy(Scores(judge), Scores(human), draws=20_000)
    assert found.value == pytest.approx(exact, abs=0.01)


def test_soft_accuracy_does_not_depend_on_the_order_of_topics_or_on_the_scale() -> None:
    rng = np.random.default_rng(2)
    human, judge = people(rng), people(rng)
    one = soft_pairwise_accuracy(of(judge), of(human))
    turned = Scores(human[::-1], topics=tuple(str(i) for i in range(40, 0, -1)), systems=SYSTEMS)
    assert soft_pairwise_accuracy(of(judge), turned).value == one.value
    assert soft_pairwise_accuracy(of(7 * judge + 3), of(human)).value == pytest.approx(one.value, abs=1e-12)


@pytest.mark.parametrize("systems", [2, 8])
def test_soft_accuracy_hardly_depends_on_its_seed_or_says_how_far(systems: int) -> None:
    rng = np.random.default_rng(4)
    human = rng.normal(np.linspace(0, 0.5, systems), 1, (40, systems))
    judge = human + rng.normal(0, 1, human.shape)
    found = [soft_pairwise_accuracy(Scores(judge), Scores(human), seed=seed) for seed in range(5)]
    low, high = np.array([one.interval for one in found]).T
    error = np.mean([one.monte_carlo for one in found])
    for moved in ([one.value for one in found], low, high):
        assert np.ptp(moved) < max(0.003, 4 * error)
    assert found[0].draws == 20_000
    few = soft_pairwise_accuracy(Scores(judge), Scores(human), draws=100)
    assert few.draws == 100
    assert few.monte_carlo > 2 * error
    assert f"seed 0, Monte Carlo error {number(few.monte_carlo)}" in few.methods_sentence()
    assert np.isnan(soft_pairwise_accuracy(Scores(judge), Scores(human), draws=1).monte_carlo)


def test_soft_accuracy_makes_the_flips_that_are_asked_for() -> None:
    rng = np.random.default_rng(6)
    human, judge = people(rng), people(rng)
    found = soft_pairwise_accuracy(of(judge), of(human), draws=300)
    marks = zip(content_marks(human), content_marks(judge), strict=True)
    order = [i for _, i in sorted((mark, i) for i, mark in enumerate(marks))]
    signs = stream(0, Stream.FLIPS).integers(0, 2, (300, 40)) * 2.0 - 1
    assert found.value == accuracy_of(*(p_values(x[order], signs) for x in (human, judge)))


def test_soft_accuracy_of_people_with_themselves_is_one_and_of_their_opposite_near_none() -> None:
    human = people(np.random.default_rng(3)) + np.linspace(0, 3, len(SYSTEMS))
    assert soft_pairwise_accuracy(of(human), of(human)).value == 1.0
    assert soft_pairwise_accuracy(of(-human), of(human)).value < 0.01


# ---- acc_eq ----


def naive_acc_eq(judge: np.ndarray, human: np.ndarray, threshold: float) -> float:
    """deutsch2023, pair by pair."""
    right = total = 0
    for t in range(len(judge)):
        for i, j in itertools.combinations(range(judge.shape[1]), 2):
            h, m = human[t, i] - human[t, j], judge[t, i] - judge[t, j]
            tied = abs(m) <= threshold
            right += (h == 0 and tied) or (not tied and h * m > 0)
            total += 1
    return right / total


def test_acc_eq_is_its_definition_and_calibration_finds_the_best_threshold() -> None:
    rng = np.random.default_rng(4)
    human = rng.integers(0, 3, (12, 6)).astype(float)
    judge = (human + rng.normal(0, 0.7, human.shape)).round(2)
    found = tied_accuracy(judge, human, level=0.95, seed=0)
    sizes = {0.0} | {abs(a - b) for row in judge for a, b in itertools.combinations(row, 2)}
    best = max(naive_acc_eq(judge, human, size + 1e-9) for size in sizes)
    assert found.value == pytest.approx(best)
    assert naive_acc_eq(judge, human, found.threshold + 1e-9) == pytest.approx(best)
    assert found.uncalibrated == pytest.approx(naive_acc_eq(judge, human, 0.0))
    assert found.low < found.value < found.high
    assert found.ties == pytest.approx(np.mean([[a == b for a, b in itertools.combinations(r, 2)] for r in human]))


def test_a_judge_without_skill_reaches_the_chance_level_of_acc_eq_and_no_more() -> None:
    rng = np.random.default_rng(5)
    human = rng.integers(0, 3, (60, 8)).astype(float)
    found = tied_accuracy(rng.normal(size=human.shape), human, level=0.95, seed=0)
    assert found.chance >= max(found.ties, (1 - found.ties) / 2)
    assert found.value == pytest.approx(found.chance, abs=0.03)
    assert calibrated(np.zeros((2, 3)), np.array([[0.0, 1, 1], [0, 0, 1]]), 1e-12) == (0.5, 0.0)


# ---- the scale of differences ----


def test_the_slope_is_that_of_all_pairs_and_trustworthy_differences_are_counted() -> None:
    rng = np.random.default_rng(6)
    human = people(rng)
    judge = 0.25 * human + rng.normal(0, 0.01, human.shape)
    found = calibration(judge, human, level=0.95)
    f, h = judge.mean(axis=0), human.mean(axis=0)
    pairs = list(itertools.combinations(range(len(f)), 2))
    gaps = np.array([(f[i] - f[j], h[i] - h[j]) for i, j in pairs])
    # What the noise of the topics adds to the product and to the square of a pair's differences.
    noise = np.mean(
        [[np.cov(*(x[:, i] - x[:, j] for x in (judge, own)))[0, 1] for own in (human, judge)] for i, j in pairs], 0
    )
    products = (gaps[:, :1] * gaps[:, ::-1]).mean(axis=0) - noise / len(human)
    assert found.slope == pytest.approx(products[0] / products[1])
    assert found.low < 4 < found.high
    beyond = np.abs(gaps[:, 0]) >= found.trustworthy - 1e-15
    assert beyond.mean() == pytest.approx(found.beyond)
    assert (gaps[beyond].prod(axis=1) > 0).mean() >= 0.95


def test_the_interval_of_the_slope_holds() -> None:
    held = 0
    for seed in range(150):
        rng = np.random.default_rng((6, seed))
        skill = np.linspace(-0.3, 0.3, 12)
        human = skill + rng.normal(0, 0.3, (40, 12))
        judge = 0.5 * skill + rng.normal(0, 0.02, (40, 12))
        found = calibration(judge, human, level=0.95)
        held += found.low <= 2.0 <= found.high
    assert 0.9 <= held / 150 <= 0.99


def test_a_judge_whose_scores_are_noisy_has_its_scale_corrected_for_topic_noise() -> None:
    """The slope over observed means is too low here: noise makes the judge's differences larger."""
    held, slopes = 0, []
    for seed in range(150):
        rng = np.random.default_rng((19, seed))
        skill = np.linspace(-0.3, 0.3, 12)
        human = skill + rng.normal(0, 0.3, (40, 12))
        judge = 0.5 * skill + rng.normal(0, 0.3, (40, 12))
        found = calibration(judge, human, level=0.95)
        held += found.low <= 2.0 <= found.high
        slopes.append(found.slope)
    assert 0.9 <= held / 150 <= 0.99
    assert np.nanmedian(slopes) == pytest.approx(2.0, abs=0.15)


def test_a_judge_whose_means_differ_by_noise_alone_has_no_scale() -> None:
    rng = np.random.default_rng(20)
    judge = np.tile(rng.normal(size=(20, 1)), (1, 6)) + np.array([1.0, -1.0] * 10)[:, None] * np.arange(6)
    found = audit(Scores(judge), truth=Scores(rng.normal(np.arange(6), 0.1, (20, 6))))
    assert np.isnan(found.scale["judge"].slope)
    (row,) = (row for row in found.checks if row.check == "scale")
    assert row.outcome is Outcome.OPEN
    assert "is not known, because its means hardly differ beyond noise" in found.methods_sentence()


# ---- several people ----


def test_people_are_left_out_one_at_a_time() -> None:
    rng = np.random.default_rng(7)
    truth = people(rng)
    persons = [truth + rng.normal(0, 0.1, truth.shape) for _ in range(4)]
    found = ceiling(truth, persons, list("wxyz"), TAU_B, margin=0.1, level=0.95, seed=0)
    others = Scores(np.mean(persons[1:], axis=0))
    assert found.left_out[0].of_person == pytest.approx(compare(Scores(persons[0]), truth=others).observed)
    assert found.left_out[0].of_judge == pytest.approx(compare(Scores(truth), truth=others).observed)
    assert found.advantage == pytest.approx(np.mean([one.advantage for one in found.left_out]))
    assert found.between < found.with_others < found.of_judge
    assert found.stands_in


def test_a_judge_with_opinions_of_its_own_hardly_ever_passes_for_a_person() -> None:
    passed = 0
    for seed in range(25):
        rng = np.random.default_rng((8, seed))
        truth = people(rng)
        persons = [truth + rng.normal(0, 0.02, len(SYSTEMS)) + rng.normal(0, 0.1, truth.shape) for _ in range(4)]
        judge = truth + rng.normal(0, 0.08, len(SYSTEMS))
        passed += ceiling(judge, persons, list("wxyz"), TAU_B, margin=0.1, level=0.95, seed=0).stands_in
    assert passed <= 1


def test_adjusted_p_values_are_those_of_benjamini_and_yekutieli() -> None:
    p = np.array([0.001, 0.2, 0.03, 0.01])
    sums = 1 + 1 / 2 + 1 / 3 + 1 / 4
    by_hand = [min(1, 4 * sums * 0.001), min(1, sums * 0.2), min(1, 4 / 3 * sums * 0.03), min(1, 2 * sums * 0.01)]
    assert yekutieli(p) == pytest.approx(by_hand)


# ---- families ----


def mine(family: str) -> np.ndarray:
    return np.array([FAMILIES[system] == family for system in SYSTEMS])


def families(
    judges: dict[str, Scores], truth: Scores, own: dict[str, str], groups: dict[str, str], **more: int
) -> Families:
    return own_families(judges, truth, groups | own, **more)


def favoured(seed: int, gain: float, judges: dict[str, str] = OWN):
    rng = np.random.default_rng((9, seed))
    truth = people(rng)
    liked = rng.normal(0, 0.03, len(SYSTEMS))
    several = {
        name: of(0.2 + 0.7 * (truth + liked + gain * mine(own)) + rng.normal(0, 0.08, truth.shape))
        for name, own in judges.items()
    }
    return families(several, of(truth), judges, FAMILIES, draws=499)


def test_favours_are_found_and_measured_and_hardly_ever_where_there_are_none() -> None:
    none = [favoured(seed, 0.0).p_all < 0.05 for seed in range(60)]
    some = [favoured(seed, 0.05) for seed in range(20)]
    assert np.mean(none) <= 0.13
    assert np.mean([one.p_all < 0.05 for one in some]) >= 0.9
    assert np.mean([one.mean_scores for one in some]) == pytest.approx(0.05, abs=0.01)
    assert np.mean([one.mean_ranks for one in some]) > 1


def test_a_judge_that_prefers_some_family_is_not_said_to_prefer_its_own() -> None:
    named = 0
    for seed in range(40):
        rng = np.random.default_rng((14, seed))
        truth = people(rng)
        kinds = sorted(set(FAMILIES.values()))
        judges = {}
        for name in OWN:
            liked = dict(zip(kinds, rng.normal(0, 0.1, len(kinds)), strict=True))
            judges[name] = of(truth + np.array([liked[FAMILIES[system]] for system in SYSTEMS]))
        found = families(judges, of(truth), OWN, FAMILIES, draws=199)
        named += bool(found.partial) or found.p_all < 0.05
    assert named <= 6


def test_with_two_families_a_preference_for_ones_own_cannot_be_separated() -> None:
    truth = people(np.random.default_rng(15))
    two = {system: "a" if family == "a" else "b" for system, family in FAMILIES.items()}
    judge = of(truth + 0.3 * mine("a"))
    found = families({"j": judge}, of(truth), {"j": "a"}, two, draws=199)
    assert found.p[0] < 0.05
    assert np.isnan(found.p_all)
    assert found.partial == ()
    assert any("cannot be separated" in str(note) for note in found.notes)


def test_favours_of_others_are_not_held_against_an_impartial_judge() -> None:
    accused = partial = 0
    for seed in range(40):
        rng = np.random.default_rng((13, seed))
        truth = people(rng)
        judges = {
            name: of(truth + gain * mine(OWN[name]) + rng.normal(0, 0.03, len(SYSTEMS)))
            for name, gain in (("j1", 0.2), ("j2", 0.0), ("j3", 0.2))
        }
        found = families(judges, of(truth), OWN, FAMILIES, draws=199)
        accused += "j2" in found.partial
        partial += {"j1", "j3"} <= set(found.partial)
    assert accused <= 5
    assert partial >= 8  # three families leave three degrees of freedom


def test_a_judge_alone_is_compared_with_people_only() -> None:
    found = favoured(1, 0.1, {"j1": "a"})
    assert not found.relative
    assert found.p[0] < 0.05
    assert found.own_p[0] > found.p[0]  # two other families leave one degree of freedom
    assert found.scores[0] == pytest.approx(0.1, abs=0.04)
    assert found.table["a"]["a"] > found.table["a"]["b"]


def test_families_of_fewer_than_three_systems_are_refused() -> None:
    truth = of(people(np.random.default_rng(1)))
    small = dict.fromkeys(SYSTEMS, "x") | {"s00": "a", "s01": "a"}
    with pytest.raises(TauscopeError, match=r"fewer than 3 systems of a judge's family: j \(a: 2\)"):
        families({"j": truth}, truth, {"j": "a"}, small)
    with pytest.raises(TauscopeError, match="No judge has at least 3 systems"):
        families({"j": truth}, truth, {"j": "q"}, small)
    with pytest.raises(TauscopeError, match="1 judge has no family: 'j'"):
        families({"j": truth}, truth, {}, FAMILIES)


# ---- length, panel ----


def test_a_length_that_is_a_trait_of_the_system_is_not_taken_for_a_bias() -> None:
    found = []
    for seed in range(200):
        rng = np.random.default_rng((12, seed))
        truth = people(rng)
        own = rng.normal(0, 1, truth.shape[1])  # long-winded systems, and a judge with opinions of its own of systems
        lengths = np.exp2(8 + own + rng.normal(0, 0.3, truth.shape))
        judge = 0.5 * truth + rng.normal(0, 0.05, truth.shape[1]) + rng.normal(0, 0.1, truth.shape)
        found.append(length_bias(judge, truth, lengths, level=0.95))
    assert np.mean([one.p < 0.05 for one in found]) <= 0.1
    assert np.mean([one.within for one in found]) < 0.2


def test_a_length_that_does_not_vary_within_systems_cannot_be_judged() -> None:
    truth = people(np.random.default_rng(13))
    lengths = np.tile(np.arange(1.0, truth.shape[1] + 1), (len(truth), 1))
    found = length_bias(truth, truth, lengths, level=0.95)
    assert np.isnan(found.p)
    assert "does not vary within systems" in str(found.reason)


def test_a_length_that_people_like_too_comes_with_a_warning() -> None:
    """The judge likes long answers as people do, but single people's scores are noisy, and show only a part of it."""
    rng = np.random.default_rng(16)
    lengths = np.exp2(rng.normal(8, 1, (40, len(SYSTEMS))))
    liked = people(rng) + 0.03 * np.log2(lengths)
    noisy = liked + rng.normal(0, 0.1, liked.shape)
    found = audit(of(liked), truth=of(noisy), lengths=of(lengths))
    assert found.length["judge"].p < 0.05
    assert "People's scores increase with length too" in found.methods_sentence()
    assert found.to_dict()["length"]["judge"]["of_people"] > 0.02
    assert "beyond what people's scores show" in str(found)
    plain = audit(of(people(rng)), truth=of(people(rng)), lengths=of(lengths))
    assert "with length too" not in plain.methods_sentence()


def test_the_length_test_holds_its_level_with_few_topics() -> None:
    p = []
    for seed in range(2000):
        rng = np.random.default_rng((17, seed))
        values, log, noise = (rng.normal(size=(6, 12)) for _ in range(3))
        p.append(length_bias(values + noise, values, np.exp2(log), level=0.95).p)
    assert np.mean(np.array(p) < 0.05) <= 0.062


def test_length_is_found_where_it_counts_and_at_its_level_where_it_does_not() -> None:
    def found(seed: int, worth: float):
        rng = np.random.default_rng((10, seed))
        truth = people(rng)
        lengths = np.exp2(rng.normal(8, 1, truth.shape))
        judge = 0.5 * truth + worth * np.log2(lengths) + rng.normal(0, 0.1, truth.shape)
        return length_bias(judge, truth, lengths, level=0.95)

    none, some = ([found(seed, worth) for seed in range(80)] for worth in (0.0, 0.02))
    assert np.mean([one.p < 0.05 for one in none]) <= 0.12
    assert np.mean([one.p < 0.05 for one in some]) >= 0.95
    assert np.mean([one.doubling for one in some]) == pytest.approx(0.02, abs=0.002)
    assert np.mean([one.low <= 0.02 <= one.high for one in some]) >= 0.88


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_judges_with_the_same_errors_are_worth_fewer(rho: float) -> None:
    said = []
    for seed in range(15):
        rng = np.random.default_rng((11, seed))
        truth, shared = people(rng), rng.normal(size=(40, len(SYSTEMS)))
        own = [np.sqrt(1 - rho) * rng.normal(size=shared.shape) for _ in range(4)]
        judges = [3 * (truth + 0.1 * (np.sqrt(rho) * shared + noise)) for noise in own]
        found = panel(judges, truth, TAU_B, level=0.95)
        assert 1 <= found.low <= found.effective <= found.high <= 4
        said.append(found.effective)
    assert np.mean(said) == pytest.approx(4 / (1 + 3 * rho), rel=0.05)


# ---- all of it ----


def test_an_audit_is_made_of_the_functions_themselves() -> None:
    rng = np.random.default_rng(12)
    truth = people(rng)
    persons = {name: of(truth + rng.normal(0, 0.1, truth.shape)) for name in "wxyz"}
    judges = {name: of(0.7 * truth + rng.normal(0, 0.05, truth.shape)) for name in ("j1", "j2")}
    lengths = of(np.exp2(rng.normal(8, 1, truth.shape)))
    own = {"j1": "a", "j2": "b"}
    found = audit(judges, people=persons, groups=FAMILIES | own, lengths=lengths)
    gold = of(np.mean([one.values for one in persons.values()], axis=0))
    alone = compare(judges["j1"], truth=gold, groups=FAMILIES)
    assert found["j1"].corrected == found.agreement["j1"].corrected == pytest.approx(alone.corrected)
    assert found["j1"].verdict is found.standing["j1"] is alone.verdict
    assert found.soft_accuracy["j2"].value == soft_pairwise_accuracy(judges["j2"], gold).value
    checks = list(dict.fromkeys(found.check))
    assert checks == [check.name for check in CHECKS]
    assert len(found.columns()["value"]) == len(found.checks) == 2 * 7 + 2
    assert set(found.cited()) >= {"thompson2024", "deutsch2023", "calderon2025", "kish1965"}
    assert found.to_dict()["panel"]["effective"] == found.panel.effective
    assert "soft pairwise accuracy" in found.methods_sentence()
    again = audit(judges["j1"], truth=gold)
    assert again.judges == ("judge",)
    assert tuple(again.scale["judge"]) == pytest.approx(tuple(found.scale["j1"]))
    assert again.panel is None
    for check in CHECKS:
        assert found.view(check.name).rows


def test_a_family_gains_the_same_ranks_in_an_audit_and_in_a_comparison() -> None:
    rng = np.random.default_rng(12)
    truth = people(rng)
    judges = {name: of(truth + 0.1 * mine(OWN[name]) + rng.normal(0, 0.03, truth.shape)) for name in OWN}
    found = audit(judges, truth=of(truth), groups=FAMILIES | OWN)
    for place, name in enumerate(OWN):
        alone = compare(judges[name], truth=of(truth), groups=FAMILIES)
        assert found.shifts[name] == alone.shifts
        (own,) = (shift for shift in alone.shifts if shift.group == OWN[name])
        assert found.families.ranks[place] == own.ranks


# ---- topics and holes ----


def test_audit_and_compare_take_the_same_topics() -> None:
    rng = np.random.default_rng(3)
    truth = people(rng)
    names = [f"t{i:02}" for i in range(40)]
    judge = Scores(truth[5:] + rng.normal(0, 0.05, (35, 18)), topics=names[5:], systems=SYSTEMS)
    human = Scores(truth, topics=names, systems=SYSTEMS)
    for topics, size in (("all", (35, 40)), ("shared", (35, 35))):
        alone = compare(judge, truth=human, topics=topics)
        found = audit(judge, truth=human, topics=topics)
        assert alone.topics == found.agreement["judge"].topics == size
        assert found.agreement["judge"].corrected == alone.corrected
        assert found.topics == 35
        assert any("5 " in str(note) and "truth" in str(note) for note in found.notes)
    assert any("5 topics only in `truth` dropped" in note for note in alone.notes)
    assert any("except for the agreement" in str(note) for note in audit(judge, truth=human).notes)
    cut = compare(judge, truth=human.select(topics=names[5:]))
    assert alone.corrected == cut.corrected
    assert compare({"a": judge, "b": human.negated()}, truth=human, topics="shared").topics == (35, 35, 35)


def test_a_hole_in_what_is_left_out_anyway_costs_nothing() -> None:
    rng = np.random.default_rng(4)
    truth = people(rng)
    more = np.column_stack([truth + rng.normal(0, 0.05, truth.shape), rng.normal(size=40)])
    more[3, -1] = np.nan
    judge = Scores(more, systems=(*SYSTEMS, "new"), missing="keep")
    for found in (compare(judge, truth=of(truth), unmatched="drop"), audit(judge, truth=of(truth), unmatched="drop")):
        assert found.systems == 18
        assert found.topics in (40, (40, 40))
    more[3, 0] = np.nan
    with pytest.raises(TauscopeError, match="'s00' on topic '4'"):
        compare(Scores(more, systems=(*SYSTEMS, "new"), missing="keep"), truth=of(truth), unmatched="drop")


# ---- the answer in words ----


def test_the_answer_says_whether_the_judge_stands_in_and_what_speaks_against_it() -> None:
    rng = np.random.default_rng(5)
    truth = np.linspace(0, 0.9, 18) + rng.normal(0, 0.02, (40, 18))
    good = audit(of(truth + rng.normal(0, 0.01, truth.shape)), truth=of(truth))
    assert good["judge"].verdict is Standing.REPLACES
    assert str(good).splitlines()[1].startswith("Can replace. ")
    kin = np.array([FAMILIES[name] == "a" for name in SYSTEMS])
    kind = of(truth + 0.04 * kin)
    found = audit(kind, truth=of(truth), groups=FAMILIES | {"judge": "a"})
    assert "of its own family, which it prefers" in " ".join(str(found).split())
    alone = compare(kind, truth=of(truth), groups=FAMILIES)
    assert found.answer().verdict.label == alone.answer().verdict.label
    assert found.standing["judge"] is alone.verdict
    assert compare(of(-truth), truth=of(truth)).verdict is Standing.CANNOT
    same = compare(of(truth), truth=of(truth)).decision
    assert same.sentence == "Undefined: both sides hold the same scores."
    loose = compare(of(people(rng)), truth=of(truth), margin=-0.99)
    assert loose.verdict in (Standing.REPLACES, Standing.SOME_USES)
    noisy = of(truth + rng.normal(0, 0.12, 18))
    open_ = compare(noisy, truth=of(truth))
    between = (open_.at_least() + open_.interval.high) / 2
    assert compare(noisy, truth=of(truth), margin=between).verdict is Standing.NOT_SHOWN
    head = truth.copy()
    head[:, -10:] = head[:, -10:][:, ::-1]
    top = compare(of(head), truth=of(truth), margin=0.2)
    assert (top.verdict, top.top) == (Standing.SOME_USES, Top.FAILS)
    assert "but the order of the best systems differs (" in top.decision.sentence


def close_head(seed: int, systems: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """A judge that errs on single topics only, and people; the ten best are close."""
    rng = np.random.default_rng(seed)
    means = np.linspace(0.7, 0.2, systems)
    means[:10] = np.linspace(0.7, 0.66, 10)
    human = means + rng.normal(0, 0.05, (50, systems))
    return human + rng.normal(0, 0.05, human.shape), human


def test_noise_at_the_top_does_not_change_the_verdict_and_the_sentence_says_that_the_top_is_open() -> None:
    states = set()
    for seed in range(4):
        judge, human = close_head(seed)
        found = compare(Scores(judge), truth=Scores(human)).decision
        ranked = [
            sorted(side.systems, key=dict(zip(side.systems, -side.means(), strict=True)).get)
            for side in found.whole.sides
        ]
        either = sorted({*ranked[0][:10], *ranked[1][:10]})
        places = [[min(order.index(name), 10) for name in either] for order in ranked]
        assert tauscope.tau_b(*places).value < 0.9  # observed, with its noise
        assert found.verdict is Standing.REPLACES
        assert found.head is not None
        assert found.top is (Top.HOLDS if found.head.at_least() >= 0.9 else Top.OPEN)
        assert ("; the order of the best systems is undecided" in found.sentence) is (found.top is Top.OPEN)
        states.add(found.top)
    assert states == {Top.HOLDS, Top.OPEN}


@pytest.mark.parametrize("systems", [40, 100])
def test_a_judge_that_shuffles_the_top_ten_cannot_replace_people_without_a_word_about_it(systems: int) -> None:
    said = set()
    for seed in range(6):
        rng = np.random.default_rng(seed)
        means = np.linspace(0.8, 0.2, systems)
        human = means + rng.normal(0, 0.05, (50, systems))
        shift = np.zeros(systems)
        shift[:10] = means[rng.permutation(10)] - means[:10]
        found = compare(Scores(human + shift + rng.normal(0, 0.05, human.shape)), truth=Scores(human)).decision
        assert found.verdict is not Standing.REPLACES
        assert found.top in (Top.FAILS, None)
        said.add(
            "; but the order of the best systems differs (" in found.sentence
            and "over the ten best: " in found.sentence
        )
    assert True in said


def decided(judge: np.ndarray, human: np.ndarray, **options: object) -> Decision:
    return compare(Scores(judge), truth=Scores(human), **options).decision  # type: ignore[arg-type, no-any-return]


def test_the_ten_best_are_those_of_both_sides_together() -> None:
    judge, human = close_head(1)
    ten = decided(judge, human).ten
    assert ten is not None
    assert set(ten.sides[0].systems) == {str(i) for i in range(1, 11)}
    assert decided(judge[:, :10], human[:, :10]).ten is None
    apart = decided(judge, human, topics="independent", coefficient="tau_ap")
    assert apart.ten is not None
    assert (apart.ten.shared_topics, apart.ten.coefficient.name) == (0, "tau_b")
    assert apart.head is None


def test_the_top_is_compared_as_the_whole_ranking_was() -> None:
    judge, human = close_head(1)
    teams = {str(i + 1): f"team {i % 5}" for i in range(30)}
    apart = decided(judge, human, topics="independent").head
    assert apart is not None
    assert apart.shared_topics == 0
    both = decided(judge, human, resample="both", groups=teams).head
    assert both is not None
    assert (both.resampled, both.groups) == ("both", 5)
    turned = human.copy()
    turned[:, :10] = turned[:, :10][:, ::-1]
    alone = decided(turned, human, resample="systems", margin=0.5)
    assert (alone.verdict, alone.top) == (Standing.SOME_USES, Top.FAILS)


def test_wrong_calls_are_told() -> None:
    truth = of(people(np.random.default_rng(1)))
    with pytest.raises(CallError, match="needs people's scores"):
        audit(truth)
    with pytest.raises(CallError, match=r"which scores are the truth: audit\(judge, truth=…\)"):
        audit(truth, truth)
    with pytest.raises(CallError, match="takes Scores, topics x systems"):
        audit(3, truth=truth)
    with pytest.raises(TauscopeError, match="There are 2 people"):
        audit(truth, people={"a": truth, "b": truth})
    with pytest.raises(TauscopeError, match="1 judge has no family: 'k'"):
        audit({"j": truth, "k": truth}, truth=truth, groups=FAMILIES | {"j": "a"})
    with pytest.raises(TauscopeError, match=r"Lengths are above 0; these are not: '[0-9]+ s00'"):
        audit(truth, truth=truth, lengths=of(np.where(np.arange(18) == 0, 0.0, 1.0) + 0 * truth.values))


def test_what_speaks_against_a_judge_is_said_where_nothing_is_shown_too() -> None:
    rng = np.random.default_rng(8)
    truth = people(rng, topics=12)
    six = dict(zip(SYSTEMS, itertools.cycle("abcdef"), strict=False))
    judge = truth + 0.08 * np.array([six[name] == "a" for name in SYSTEMS]) + rng.normal(0, 0.05, truth.shape)
    found = audit(of(judge), truth=of(truth), groups=six | {"judge": "a"})
    assert found["judge"].verdict is Standing.NOT_SHOWN
    assert "of its own family, which it prefers" in " ".join(str(found).split())
