"""Experiments: what they say is what a plain loop says, with any workers, and what is undefined is counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import tauscope
from tauscope import Qrels, ScoreCube, Scores, TauscopeError, demo, evaluate
from tauscope.coefficients.correlation_views import correlate_topics
from tauscope.errors import CallError
from tauscope.evaluation.demo import DemoCollection
from tauscope.experiments import incomplete_judgments, perturb, predictive_power, swap_experiment
from tauscope.experiments.perturbation import perturbed_scores
from tauscope.experiments.variants import Moments
from tauscope.jobs import processes, threads
from tauscope.results import wording


@pytest.fixture(scope="module")
def cube() -> ScoreCube:
    rng = np.random.default_rng(3)
    ap = np.clip(0.3 + 0.03 * np.arange(9) + 0.15 * rng.normal(size=(20, 9)), 0, 1)
    p10 = np.clip((ap + 0.1 * rng.normal(size=ap.shape)), 0, 1).round(1)
    return ScoreCube(np.stack([ap, p10]), ("AP", "P@10"))


@pytest.fixture(scope="module")
def collection() -> DemoCollection:
    return demo(4, depth=60)


# ---- Predictive power


def test_predictive_power_is_a_loop_over_random_halves(cube: ScoreCube) -> None:
    found = predictive_power(cube, ["tau_b", "tau_ap_a"], draws=30, tied_within=(0, 0.05), rng=5)
    assert [v.label for v in found.variants] == ["tau_b", "tau_b(0.05)", "tau_ap_a", "tau_ap_a(0.05)"]
    generator = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(0,)))
    order = generator.permuted(np.broadcast_to(np.arange(20), (30, 20)), axis=1)
    for coefficient, within in (("tau_b", 0.0), ("tau_ap_a", 0.05)):
        values = []
        for row in order:
            truth = Scores(cube["AP"].values[row < 10]).ranking()
            observer = Scores(cube["P@10"].values[row >= 10]).ranking()
            values.append(getattr(tauscope, coefficient)(observer, truth=truth, tied_within=within).value)
        table = found.table(coefficient, within)
        assert abs(table[0, 1] - np.mean(values)) < 1e-12  # row AP is the truth, column P@10 the observer
        place = found._place(coefficient, within)
        assert abs(found.standard_errors[0, place][0, 1] - stats.sem(values)) < 1e-12


def test_ties_up_to_rounding_are_ties_in_every_split() -> None:
    # Means of tenths: sums in different orders would differ in the last bit.
    rng = np.random.default_rng(1)
    scores = Scores(rng.integers(0, 11, (24, 12)) / 10, measure="P@10")
    found = predictive_power(scores, ["tau", "tau_a"], draws=200, rng=1)
    exact = predictive_power(Scores(np.round(scores.values * 10), measure="P@10"), ["tau", "tau_a"], draws=200, rng=1)
    assert np.array_equal(found.undefined, exact.undefined)
    assert abs(found.table("tau_a") - exact.table("tau_a")).max() < 1e-12
    assert found.undefined[0, 0, 0, 0] > 100


def test_undefined_trials_are_counted_and_told(cube: ScoreCube) -> None:
    found = predictive_power(cube, ["tau", "tau_ap", "tau_b"], draws=60, rng=2)
    lost = found.undefined[0]
    assert (lost[:2, 0, 0] == 0).all()
    assert (lost[:2, 1, 1] > 0).all()
    assert (lost[2] == 0).all()
    assert np.isnan(found.values[0, 0][lost[0] == 60]).all()
    assert found.most_undefined == lost.max()
    assert f"in up to {lost.max()} of 60 draws, which are left out" in " ".join(str(found).split())


def test_subsets_of_topics_are_halved_and_more_topics_predict_better(cube: ScoreCube) -> None:
    found = predictive_power(cube, "tau_b", draws=300, topics=(4, 11, 20), rng=1)
    assert found.sizes == (4, 11, 20)
    assert (np.diff(found.values[:, 0, 0, 0]) > 0).all()
    assert len(found.columns()["value"]) == 3 * 1 * 4
    assert found.plot(kind="tau_b").has_data()
    assert found.select(["P@10"]).values.tolist() == found.values[:, :, 1:, 1:].tolist()
    with pytest.raises(CallError, match="topics=5 was not tried; there are 4, 11, 20"):
        found.table("tau_b", topics=5)
    with pytest.raises(CallError, match="tau_e within 0 was not computed"):
        found.table("tau_e")


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_two_workers_give_the_numbers_of_one(cube: ScoreCube, collection: DemoCollection, workers: str) -> None:
    pool = {"threads": threads, "processes": processes}[workers](2)
    options = {"draws": 600, "topics": (8, 20), "rng": 3}
    one, two = (predictive_power(cube, ["tau_b", "tau_ap"], executor=e, **options) for e in (threads(1), pool))  # type: ignore[arg-type]
    assert np.array_equal(one.values, two.values, equal_nan=True)
    assert np.array_equal(one.standard_errors, two.standard_errors, equal_nan=True)
    a, b = (swap_experiment(cube["AP"], "any", swaps=2, draws=120, rng=3, executor=e) for e in (threads(1), pool))
    assert np.array_equal(a.values, b.values)
    c, d = (
        incomplete_judgments(collection.runs[:5], collection.qrels, (5, 50), "tau_b", draws=2, rng=3, executor=e)
        for e in (threads(1), pool)
    )
    assert np.array_equal(c.values, d.values)
    assert np.array_equal(c.inferred, d.inferred)
    e, f = (perturb(cube["AP"], draws=50, rng=3, executor=e) for e in (threads(1), pool))
    assert np.array_equal(e.values, f.values)


def test_a_stopped_run_goes_on_from_its_checkpoint(cube: ScoreCube, tmp_path: Path) -> None:
    file, seen = tmp_path / "power.cells", []
    options = {"draws": 1000, "rng": 4, "checkpoint": file}

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        predictive_power(cube, "tau_b", progress=stop, **options)  # type: ignore[arg-type]
    found = predictive_power(cube, "tau_b", progress=lambda done, total: seen.append((done, total)), **options)  # type: ignore[arg-type]
    assert seen[0] == (2, 4)
    assert seen[-1] == (4, 4)
    assert np.array_equal(found.values, predictive_power(cube, "tau_b", draws=1000, rng=4).values)
    with pytest.raises(TauscopeError, match="this checkpoint is of another run"):
        predictive_power(cube, "tau_e", **options)  # type: ignore[arg-type]


def test_a_checkpoint_is_extended_to_more_draws(cube: ScoreCube, collection: DemoCollection, tmp_path: Path) -> None:
    """What is there is not done again, and the numbers are those of a run that had as many draws from the start."""
    seen: list[tuple[int, int]] = []
    runs, qrels = collection.runs[:4], collection.qrels
    calls = {
        "power": (lambda **more: predictive_power(cube, "tau_b", rng=4, **more), 500, 1000, (2, 4)),
        "sizes": (lambda **more: predictive_power(cube, "tau_b", topics=(8, 20), rng=4, **more), 500, 750, (2, 6)),
        "swaps": (lambda **more: swap_experiment(cube["AP"], "any", swaps=2, rng=4, **more), 75, 150, (1, 3)),
        "judgments": (
            lambda **more: incomplete_judgments(runs, qrels, (50, 100), "tau_b", rng=4, **more),
            1,
            2,
            (1, 2),
        ),
    }
    for name, (call, few, many, there) in calls.items():
        kept = tmp_path / f"{name}.cells"
        call(draws=few, checkpoint=kept)
        seen.clear()
        more = call(draws=many, checkpoint=kept, progress=lambda done, total: seen.append((done, total)))
        assert seen[0] == there, name
        assert np.array_equal(more.values, call(draws=many).values, equal_nan=True), name
        again = call(draws=few, checkpoint=kept)
        assert np.array_equal(again.values, call(draws=few).values, equal_nan=True), name
    with pytest.raises(TauscopeError, match="this checkpoint is of another run"):
        swap_experiment(cube["AP"], "any", swaps=2, draws=150, rng=5, checkpoint=tmp_path / "swaps.cells")
    with pytest.raises(TauscopeError, match="this checkpoint is of another run"):
        incomplete_judgments(runs, qrels, (50, 100), "tau_b", rng=5, draws=1, checkpoint=tmp_path / "judgments.cells")


def test_moments_of_parts_are_those_of_the_whole() -> None:
    values = np.random.default_rng(0).normal(1e6, 1, (3, 50))
    values[0, :7] = np.nan
    values[1] = np.nan
    total = Moments.of(values[:, :20]).plus(Moments.of(values[:, 20:]))
    assert np.allclose(total.value[[0, 2]], np.nanmean(values[[0, 2]], axis=1), rtol=1e-15)
    error = stats.sem(values[[0, 2]], axis=1, nan_policy="omit")
    assert np.allclose(total.standard_error[[0, 2]], error, rtol=1e-6)
    assert np.isnan(total.value[1])
    assert np.isnan(total.standard_error[1])


def test_the_lines_speak_the_users_words(cube: ScoreCube) -> None:
    with wording(systems="models", topics="tasks"):
        assert "9 models" in " ".join(str(predictive_power(cube, draws=5, rng=1)).split())
        assert "20 tasks" in " ".join(str(predictive_power(cube, draws=5, rng=1)).split())


# ---- Incomplete judgments


def test_each_sample_is_that_of_sample_qrels_scored_by_evaluate(collection: DemoCollection) -> None:
    runs, qrels = collection.runs[:6], collection.qrels
    found = incomplete_judgments(runs, qrels, (3, 20), ["tau_b", "tau_ap_e"], draws=1, tied_within=(0, 0.02), rng=8)
    generator = np.random.default_rng(np.random.SeedSequence(8, spawn_key=(0,)))
    sampled = evaluate(runs, Qrels.read(qrels).sample(20, generator), ["infAP"])["infAP"]
    truth = evaluate(runs, qrels, ["AP"])["AP"]
    assert np.array_equal(found.inferred[1], sampled.values)
    assert np.array_equal(found.truth.values, truth.values)
    topics = correlate_topics(
        sampled, truth=Scores(truth.values, truth.topics, truth.systems), coefficient="tau_ap_e", tied_within=0.02
    )
    expected = [topics.of_means.value, topics.mean, np.nanmax(topics.values), np.nanmin(topics.values)]
    at = [v.label for v in found.variants].index("tau_ap_e(0.02)")
    assert np.allclose(found.values[1, at], expected, rtol=0, atol=1e-12)
    assert found.rms[1] == pytest.approx(np.sqrt(((sampled.means() - truth.means()) ** 2).mean()))
    assert found.curve("tau_ap_e", "max", 0.02)[1] == found.values[1, at, 2]


def test_all_judgments_give_ap_up_to_the_smoothing(collection: DemoCollection) -> None:
    found = incomplete_judgments(collection.runs, collection.qrels, 100, "tau_b", draws=1, rng=1)
    assert np.abs(found.inferred[0] - found.truth.values).max() < 1e-5
    assert found.curve("tau_b")[0] > 0.999
    assert found.rms[0] < 1e-5


def test_a_topic_without_relevant_documents_a_run_without_a_topic_and_one_run() -> None:
    qrels = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 0}, "3": {"a": 1, "b": 0}}
    full = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in "123"}
    turned = {"1": {"a": 1.0, "b": 3.0, "c": 2.0}, "2": {"b": 1.0}}
    found = incomplete_judgments({"full": full, "turned": turned}, qrels, 100, ["tau_a", "tau_b"], draws=1, rng=1)
    assert found.truth.values[1].tolist() == [0, 0]
    assert found.truth.values[2].tolist() == [1, 0]
    assert "1 topic missing in a run scored 0" in found.notes
    assert any(note.startswith("1 topic without a relevant document, 0 for every run: '2'") for note in found.notes)
    # On topic 2 both are tied: tau_a is 0 there, tau_b undefined and counted.
    assert found.curve("tau_a", "min")[0] == 0
    assert found.undefined[0].tolist() == [0, 1]
    lonely = incomplete_judgments({"full": full}, qrels, 100, "tau_b", draws=1, rng=1)
    assert np.isnan(lonely.values).all()
    assert lonely.undefined[0].tolist() == [3]
    assert "is undefined" in str(lonely)


def test_runs_are_read_once(collection: DemoCollection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tauscope.evaluation import topic_lists as reading

    for run in collection.runs[:3]:
        run.write(tmp_path / run.name)
    calls = []
    original = reading.parse_file
    monkeypatch.setattr(reading, "parse_file", lambda *given: calls.append(given[0]) or original(*given))
    incomplete_judgments(tmp_path, collection.qrels, (5, 10, 50, 100), "tau_b", draws=3, rng=1)
    assert len(calls) == 3


def test_figures_of_judgments_are_drawn(collection: DemoCollection) -> None:
    found = incomplete_judgments(collection.runs[:4], collection.qrels, (10, 100), "tau_a", draws=1, rng=1)
    assert found.plot(kind="tau_a").has_data()
    topic = found.truth.topics[3]
    assert found.scatter(10, topic).lines[-1].get_ydata().tolist() == found.inferred[0, 3].tolist()
    with pytest.raises(CallError, match="percent=20 was not tried"):
        found.scatter(20)


# ---- Swaps and perturbations


def test_swaps_exchange_disjoint_pairs_of_the_kind_asked_for(cube: ScoreCube) -> None:
    scores = cube["AP"]
    p = [
        [1.0 if i == j else stats.ttest_rel(scores.values[:, i], scores.values[:, j]).pvalue for j in range(9)]
        for i in range(9)
    ]
    for kind, chosen in (("significant", np.array(p) < 0.05), ("not", np.array(p) >= 0.05)):
        found = swap_experiment(scores, kind, swaps=2, draws=60, rng=1)
        assert found.eligible == int(np.triu(chosen, 1).sum())
        true, swapped = found.ranks
        moved = np.flatnonzero(true != swapped)
        assert len(moved) == 4
        assert all(chosen[i, np.flatnonzero(true == swapped[i])[0]] for i in moved)
        again = tauscope.tau_gap(-swapped, truth=scores.ranking().scores)  # the first draw
        assert abs(found.values[0, 2] - again.value) < 1e-12
    assert found["tau_ap"] == pytest.approx(found.values[:, 1].mean())
    assert found.standard_errors[1] == pytest.approx(stats.sem(found.values[:, 1]))


def test_more_swaps_than_disjoint_pairs_are_an_error(cube: ScoreCube) -> None:
    with pytest.raises(
        TauscopeError, match="5 swaps of pairs='any' cannot be drawn: there are 36 such pairs of 9 systems"
    ):
        swap_experiment(cube["AP"], "any", swaps=5)
    star = Scores(np.random.default_rng(0).normal(size=(30, 8)) + np.array([9.0] + [0] * 7))
    with pytest.raises(TauscopeError, match="3 pairs without a system in common were not found"):
        swap_experiment(star, "significant", alpha=1e-9, swaps=3, rng=1)


@pytest.mark.parametrize("amplitude", [0.25, 1.0])
def test_perturbed_scores_keep_their_ranks_and_their_ties(amplitude: float) -> None:
    rng = np.random.default_rng(1)
    truth = np.array([0.5, 0.9, 0.1, 0.5, 0.3, 0.30000000000000004])
    rows = perturbed_scores(truth, amplitude, True, 500, rng)
    assert all(np.array_equal(stats.rankdata(row), stats.rankdata(truth)) for row in rows)
    values = np.unique(truth)
    middle = (values[1:] + values[:-1]) / 2
    assert (rows.max(axis=0) <= np.append(middle, values[-1])[np.searchsorted(values, truth)] + 1e-12).all()
    assert (rows.min(axis=0) >= np.insert(middle, 0, values[0])[np.searchsorted(values, truth)] - 1e-12).all()


def test_only_scores_see_a_perturbation_that_keeps_ranks() -> None:
    truth = dict(zip("ABCDEFGH", np.random.default_rng(2).random(8), strict=True))
    found = perturb(truth, draws=200, rng=1)
    for name in ("tau", "tau_ap", "tau_gap"):
        assert (found.quartiles(name, 1.0) == 1).all()
    medians = [found.quartiles("pearson_rank", a)[2] for a in found.amplitudes]
    assert medians[0] > medians[1] > medians[2]
    assert (np.diff(found.values, axis=2) >= 0).all()
    free = perturb(truth, keep_ranks=False, draws=200, rng=1)
    assert free.quartiles("tau", 1.0)[0] < 1
    assert found.unmoved == ("tau", "tau_ap", "tau_gap")
    assert len(found.columns()["median"]) == 3 * 5


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda c, d: predictive_power(3), "takes a ScoreCube"),
        (lambda c, d: predictive_power(c, []), "coefficients=[]: give names"),
        (lambda c, d: predictive_power(c, draws=0), "draws=0: draws is a whole number"),
        (lambda c, d: predictive_power(c, topics=21), "topics is a whole number from 2 to 20"),
        (lambda c, d: predictive_power(c, topics=[]), "topics=[]: give numbers"),
        (lambda c, d: predictive_power(c, tied_within="5%"), "not shares of the smaller score"),
        (lambda c, d: predictive_power(c, rng=-1), "rng=-1 is not a seed"),
        (lambda c, d: predictive_power(c.select(systems=["1"])), "there is 1 system"),
        (lambda c, d: incomplete_judgments(d.runs, d.qrels, (0, 10)), "percents=0: percents is a number above 0"),
        (lambda c, d: incomplete_judgments(d.runs, d.qrels, draws=0), "draws=0"),
        (lambda c, d: incomplete_judgments([d.runs[0]] * 2, d.qrels), "Two runs are called"),
        (lambda c, d: swap_experiment(c["AP"], "some"), "pairs='some' is unknown"),
        (lambda c, d: swap_experiment(c["AP"], swaps=0), "swaps=0"),
        (lambda c, d: swap_experiment(c["AP"], alpha=1), "alpha=1"),
        (lambda c, d: swap_experiment(3), "takes Scores"),
        (lambda c, d: perturb([0.5]), "at least two systems"),
        (lambda c, d: perturb([0.5, 0.2], amplitudes=2), "amplitudes is a share, at least 0 and at most 1"),
        (lambda c, d: perturb([0.5, 0.2], draws=0), "draws=0"),
        (
            lambda c, d: perturb([0.5, 0.2], amplitudes=(0.5, float("nan"))),
            "amplitudes is a share, at least 0 and at most 1",
        ),
        (lambda c, d: perturb([0.5, 0.2], coefficients=3), "coefficients=3: give names"),
        (lambda c, d: perturb([0.5, 0.2], executor=3), "executor=3 cannot run anything"),
        (lambda c, d: perturb([0.5, 0.2], checkpoint=3), "checkpoint=3 is no file"),
        (lambda c, d: swap_experiment(c["AP"], alpha="a"), "alpha='a' must be between 0 and 1"),
        (lambda c, d: swap_experiment(c["AP"], []), "pairs=[] is unknown"),
        (lambda c, d: swap_experiment(c["AP"], coefficients=3), "coefficients=3: give names"),
        (lambda c, d: predictive_power(c, 3), "coefficients=3: give names"),
        (lambda c, d: predictive_power(c, tied_within=None), "tied_within=None: give numbers"),
        (
            lambda c, d: incomplete_judgments(d.runs, d.qrels, (10, float("nan"))),
            "percents=nan: percents is a number above 0",
        ),
        (lambda c, d: incomplete_judgments(d.runs, d.qrels, (10, 101)), "keep more than 0 and at most 100 percent"),
        (lambda c, d: incomplete_judgments(d.runs, {"other": {"d1": 1}}), "has none of the topics of"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(call, text, cube, collection) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TauscopeError) as error:
        call(cube, collection)
    assert text in str(error.value)


def test_one_topic_tests_nothing_and_says_so() -> None:
    found = swap_experiment(Scores([[0.1, 0.4, 0.2, 0.8, 0.5]]), "any", swaps=1, draws=3, rng=1)
    assert "With one topic, no pair can be tested for significance" in str(found)
    assert "p <" not in str(found)
    assert found.to_dict()["significant"] is None
