"""Battles and their strengths: how verdicts are read, and that the estimates are those of the likelihood."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tauscope import Battles, TauscopeError, bradley_terry, rank
from tauscope.boards.bradley_terry import cluster_scores, fit
from tauscope.boards.likelihood import Model, maximise
from tauscope.data.battles import FIRST, SECOND, TIE
from tauscope.errors import CallError, FileError


def made(
    battles: int = 3000,
    systems: int = 8,
    ties: float = 0.0,
    position: float = 0.0,
    seed: int = 0,
    questions: int = 40,
) -> Battles:
    """Battles of systems whose strengths are drawn."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=systems)
    i = rng.integers(systems, size=battles)
    j = (i + rng.integers(1, systems, size=battles)) % systems
    wins = rng.random(battles) < 1 / (1 + np.exp(strength[j] - strength[i] - position))
    winner = np.where(rng.random(battles) < ties, "tie", np.where(wins, "model_a", "model_b"))
    names = np.array([f"s{k}" for k in range(systems)])
    return Battles(names[i], names[j], winner, questions=rng.integers(questions, size=battles))


@pytest.mark.parametrize(
    ("spellings", "expected"),
    [
        (["model_a", "model_b", "tie"], [FIRST, SECOND, TIE]),
        (["left", "right", "tie (bothbad)"], [FIRST, SECOND, TIE]),
        (["A", "B", "C"], [FIRST, SECOND, TIE]),
        (["[[A]]", "[[B]]", "[[C]]"], [FIRST, SECOND, TIE]),
        ([1, 2, 1.5], [FIRST, SECOND, TIE]),
        ([1, -1, 0], [FIRST, SECOND, TIE]),
        (["Assistant A", "assistant_b", "Draw"], [FIRST, SECOND, TIE]),
        (["one", "two", "tie"], [FIRST, SECOND, TIE]),
    ],
)
def test_the_spellings_of_public_files_are_understood(spellings: list[Any], expected: list[int]) -> None:
    found = Battles(["one"] * 3, ["two"] * 3, spellings)
    assert found.winner.tolist() == expected


def test_a_winner_can_be_the_name_of_either_system_and_of_no_other() -> None:
    found = Battles(["one", "two"], ["two", "six"], ["two", "two"])
    assert found.winner.tolist() == [SECOND, FIRST]
    with pytest.raises(TauscopeError, match=r"battle 2 is 'one', and it was between 'two' and 'six'"):
        Battles(["one", "two"], ["two", "six"], ["two", "one"])


def test_both_bad_is_a_tie_and_the_notes_say_so() -> None:
    found = Battles(["a"] * 3, ["b"] * 3, ["tie (bothbad)", "tie", "model_a"])
    assert found.outcomes == (1, 0, 2)
    assert found.notes == ("1 battle in which both were bad taken as ties",)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((["a"], ["a"], ["tie"]), "of a system against itself"),
        ((["a"], ["b"], ["error"]), "neither a side, nor a tie, nor one of the 2 systems"),
        ((["a"], ["b"], [None]), "no winner"),
        ((["a", "b"], ["b"], ["tie"]), "`first` has 2 battles, and `second` has 1"),
        (([], [], []), "not one battle"),
        (([None], ["b"], ["tie"]), "names are texts"),
        ((["b"], ["model_a"], ["model_a"]), "a system's name and a word"),
        (("ab", "ba", ["tie", "tie"]), "one value per battle"),
    ],
)
def test_what_is_no_battle_is_an_error_that_says_why(arguments: tuple[Any, ...], said: str) -> None:
    with pytest.raises(TauscopeError, match=said):
        Battles(*arguments)


def test_the_ways_out_of_these_errors_lead_out() -> None:
    columns: tuple[Any, ...] = (["a", "a", "b", "a"], ["b", "a", "a", "b"], ["model_a", "tie", None, "skipped"])
    found = Battles(*columns, missing="drop", self_battles="drop", verdicts={"skipped": "missing"})
    assert len(found) == 1
    assert found.notes == ("2 battles without a winner left out", "1 battle of a system against itself left out")
    with pytest.raises(CallError, match="'first', 'second', 'tie' or 'missing'"):
        Battles(*columns, verdicts={"skipped": "nobody"})


def test_columns_of_any_kind_give_the_same_battles() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    first, second, winner = ["a", "b", "a"], ["b", "c", "c"], ["model_a", "tie", "model_b"]
    plain = Battles(first, second, winner)
    for column in (np.array, pd.Series, pl.Series, pa.array, tuple):
        other = Battles(column(first), column(second), column(winner))
        assert other.systems == plain.systems
        assert other.cells.counts.tolist() == plain.cells.counts.tolist()


def test_files_and_frames_give_the_same_battles(tmp_path: Path) -> None:
    import pandas as pd

    rows = [
        {"question_id": f"q{i % 3}", "model_a": "a", "model_b": "b", "winner": w, "num": i}
        for i, w in enumerate(["model_a", "model_b", "tie", "tie (bothbad)"])
    ]
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "battles.csv", index=False)
    frame.to_parquet(tmp_path / "battles.parquet")
    (tmp_path / "battles.json").write_text(json.dumps(rows), encoding="utf-8")
    with gzip.open(tmp_path / "battles.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    sources = [*(tmp_path / f"battles.{kind}" for kind in ("csv", "parquet", "json", "jsonl.gz")), frame, rows]
    for source in sources:
        found = Battles.read(source)
        assert found.outcomes == (1, 1, 2)
        assert found.questions is not None
        assert found.questions.labels == ("q0", "q1", "q2")
        assert "winner 'winner', question 'question_id', id 'num'" in found.notes[0]


def test_verdicts_in_three_columns_and_columns_of_other_names_are_read() -> None:
    import pandas as pd

    one_hot = pd.DataFrame(
        {
            "model_a": ["a", "b"],
            "model_b": ["b", "a"],
            "winner_model_a": [1, 0],
            "winner_model_b": [0, 0],
            "winner_tie": [0, 1],
        }
    )
    assert Battles.read(one_hot).outcomes == (1, 0, 1)
    named = pd.DataFrame({"eins": ["a"], "zwei": ["b"], "wer": ["first"]})
    assert Battles.read(named, columns="first=eins,second=zwei,winner=wer").outcomes == (1, 0, 0)
    with pytest.raises(FileError, match="no column holds the winner; there are 'eins', 'zwei', 'wer'"):
        Battles.read(named)
    with pytest.raises(FileError, match="no two columns hold the systems"):
        Battles.read(named, columns={"winner": "wer"})


def test_the_pair_of_columns_is_the_one_whose_words_the_winner_uses() -> None:
    rows = [{"model_x": 1, "model_y": 2, "left": "a", "right": "b", "winner": "left"}]
    assert Battles.read(rows).systems == ("a", "b")


def test_strengths_without_ties_are_those_of_statsmodels_logit() -> None:
    statsmodels = pytest.importorskip("statsmodels.api")
    battles = made()
    design = np.zeros((len(battles), len(battles.systems)))
    rows = np.arange(len(battles))
    design[rows, battles.first] += 1
    design[rows, battles.second] -= 1
    free = design[:, 1:]  # the first system is the reference
    logit = statsmodels.Logit((battles.winner == FIRST).astype(float), free).fit(disp=0, tol=1e-12)
    found = bradley_terry(battles)
    theta = np.array([found[name] for name in battles.systems])
    assert theta[1:] - theta[0] == pytest.approx(logit.params, abs=1e-6)
    clustered = bradley_terry(battles, clusters="question")
    codes = battles.groups("question").codes
    sizes = np.bincount(codes)
    groups = np.stack([np.bincount(codes, each) for each in logit.model.score_obs(logit.params).T], axis=1)
    groups /= (1 - sizes / len(battles))[:, None]
    sandwich = logit.cov_params() @ groups.T @ groups @ logit.cov_params() * (len(sizes) - 1) / len(sizes)
    ours = [clustered.error_between(name, battles.systems[0]) for name in battles.systems[1:]]
    assert ours == pytest.approx(np.sqrt(np.diagonal(sandwich)), rel=1e-6)


def test_errors_by_equal_clusters_are_those_of_statsmodels() -> None:
    statsmodels = pytest.importorskip("statsmodels.api")
    battles = made(questions=1)
    codes = np.arange(len(battles)) % 40
    names = np.array(battles.systems)
    words = np.array(["first", "second"])[battles.winner]
    battles = Battles(names[battles.first], names[battles.second], words, questions=codes)
    design = np.zeros((len(battles), len(battles.systems)))
    rows = np.arange(len(battles))
    design[rows, battles.first] += 1
    design[rows, battles.second] -= 1
    robust = statsmodels.Logit((battles.winner == FIRST).astype(float), design[:, 1:]).fit(
        disp=0, tol=1e-12, cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}
    )
    found = bradley_terry(battles, clusters="question")
    ours = [found.error_between(name, battles.systems[0]) for name in battles.systems[1:]]
    assert ours == pytest.approx(robust.bse * math.sqrt(40 / 39), rel=1e-6)


def test_strengths_with_a_position_are_those_of_logistic_regression_with_an_intercept() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    battles = made(position=0.4)
    design = np.zeros((len(battles), len(battles.systems)))
    rows = np.arange(len(battles))
    design[rows, battles.first] += 1
    design[rows, battles.second] -= 1
    model = linear_model.LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000, solver="newton-cholesky")
    model.fit(design[:, 1:], battles.winner == FIRST)
    found = bradley_terry(battles, position=True)
    theta = np.array([found[name] for name in battles.systems])
    assert theta[1:] - theta[0] == pytest.approx(model.coef_[0], abs=1e-6)
    assert found.position == pytest.approx(model.intercept_[0], abs=1e-6)
    assert found.position_p < 1e-6


def davidson_log_likelihood(battles: Battles, theta: np.ndarray, eta: float, gamma: float) -> float:
    """Battle by battle, as davidson1970 and davidson1977 write it."""
    total = 0.0
    for i, j, outcome in zip(battles.first, battles.second, battles.winner, strict=True):
        first, second = math.exp((theta[i] - theta[j] + gamma) / 2), math.exp((theta[j] - theta[i] - gamma) / 2)
        weights = (first, second, math.exp(eta))
        total += math.log(weights[outcome] / sum(weights))
    return total


@pytest.mark.parametrize("position", [False, True])
def test_davidsons_estimates_are_the_maximum_of_their_own_likelihood(position: bool) -> None:
    battles = made(400, 4, ties=0.3, position=0.3)
    found = fit(battles, ties="davidson", clusters=None, position=position)
    m = len(battles.systems)

    def value(parameters: np.ndarray) -> float:
        gamma = parameters[m] if position else 0.0
        return davidson_log_likelihood(battles, parameters[:m], parameters[-1], gamma)

    size = found.model.parameters
    steps = np.eye(size) * 1e-4
    gradient = [(value(found.theta + s) - value(found.theta - s)) / 2e-4 for s in steps]
    assert np.abs(gradient).max() < 1e-5
    hessian = np.array(
        [
            [
                (
                    value(found.theta + a + b)
                    - value(found.theta + a - b)
                    - value(found.theta - a + b)
                    + value(found.theta - a - b)
                )
                / 4e-8
                for a in steps
            ]
            for b in steps
        ]
    )
    terms = found.model.terms(found.theta)
    ours = found.model.assemble(terms.delta_delta, terms.delta_eta, terms.eta_eta)
    assert -hessian == pytest.approx(ours, abs=1e-3 * np.abs(hessian).max())
    assert found.log_likelihood == pytest.approx(value(found.theta))


def test_the_tie_rate_is_the_chance_of_a_tie_of_equals() -> None:
    found = bradley_terry(
        Battles(["a"] * 10, ["b"] * 10, ["model_a"] * 3 + ["model_b"] * 3 + ["tie"] * 4), ties="davidson"
    )
    assert found.tie_rate == pytest.approx(0.4)
    assert found.win_probability("a", "b") == pytest.approx(0.5)


@pytest.mark.parametrize("ties", ["davidson", "half", "drop"])
def test_the_table_of_pairs_and_single_battles_give_the_same_sandwich(ties: str) -> None:
    battles = made(500, 5, ties=0.2)
    found = fit(battles, ties=ties, clusters=None)
    scores = cluster_scores(found.model, found.theta, found.battles, None).toarray()
    n = len(found.battles)
    whole = found.bread @ scores.T @ scores @ found.bread * n / (n - 1)
    m = found.model.systems
    centre = np.eye(m) - 1 / m
    assert centre @ whole[:m, :m] @ centre == pytest.approx(found.covariance[:m, :m])
    assert np.abs(scores.sum(axis=0)).max() < 1e-6


@pytest.mark.parametrize("ties", ["davidson", "half", "drop"])
def test_names_order_and_sides_do_not_matter(ties: str) -> None:
    battles = made(800, 6, ties=0.2)
    plain = bradley_terry(battles, ties=ties, clusters="question")
    rng = np.random.default_rng(1)
    rows, turned = rng.permutation(len(battles)), rng.random(len(battles)) < 0.5
    name = np.array([f"new {s}" for s in battles.systems])
    first, second = np.where(turned, battles.second, battles.first), np.where(turned, battles.first, battles.second)
    winner = np.where(turned & (battles.winner < 2), 1 - battles.winner, battles.winner)
    words = np.array(["first", "second", "tie"])[winner]
    other = bradley_terry(
        Battles(name[first][rows], name[second][rows], words[rows], questions=battles.groups("question").codes[rows]),
        ties=ties,
        clusters="question",
    )
    assert [s.removeprefix("new ") for s in other.systems] == list(plain.systems)
    assert other.strengths == pytest.approx(plain.strengths, abs=1e-9)
    assert other.covariance == pytest.approx(plain.covariance, abs=1e-9)


def test_twice_the_same_battles_by_question_have_the_errors_of_once() -> None:
    battles = made(300, 4)
    n = len(battles)
    names = np.array(battles.systems)
    words = np.array(["first", "second", "tie"])[battles.winner]

    def repeated(times: int) -> Battles:
        return Battles(
            np.tile(names[battles.first], times),
            np.tile(names[battles.second], times),
            np.tile(words, times),
            questions=np.tile(np.arange(n), times),
        )

    once, twice = (bradley_terry(repeated(k), clusters="question") for k in (1, 2))
    assert twice.errors == pytest.approx(once.errors)
    naive = bradley_terry(repeated(2))
    assert naive.errors == pytest.approx(once.errors / math.sqrt(2), rel=1e-2)


def test_scales_are_the_same_strengths() -> None:
    found = bradley_terry(made())
    assert found.elo().mean() == pytest.approx(1000)
    best, second = found.systems[:2]
    assert found.elo(1200, anchor=best)[0] == 1200
    odds = found.win_probability(best, second) / found.win_probability(second, best)
    assert 400 * math.log10(odds) == pytest.approx(found.elo()[0] - found.elo()[1])
    assert found.win_rates().mean() == pytest.approx(0.5)
    assert (np.diff(found.win_rates()) <= 0).all()


def test_groups_that_never_met_are_named_and_can_be_dropped() -> None:
    apart = Battles(["a", "b", "a", "x", "y"], ["b", "a", "b", "y", "x"], ["first"] * 5)
    with pytest.raises(TauscopeError, match=r"fall into 2 groups that never met.*'a', 'b'.*'x', 'y'") as error:
        bradley_terry(apart)
    assert error.value.ways_out
    with pytest.raises(TauscopeError, match="groups that never met"):
        bradley_terry(apart, prior=1.0)
    assert bradley_terry(apart, incomparable="drop").systems == ("a", "b")


def test_a_system_that_always_won_has_no_strength_but_with_a_prior() -> None:
    columns: tuple[Any, ...] = (["best", "best", "a", "b"], ["a", "b", "b", "a"], ["first"] * 4)
    battles = Battles(*columns)
    with pytest.raises(TauscopeError, match=r"1 system never lost \('best'\).*prior=1\.0.*incomparable"):
        bradley_terry(battles)
    dropped = bradley_terry(battles, incomparable="drop")
    assert set(dropped.systems) == {"a", "b"}
    assert str(dropped.notes[-1]) == "1 system without a finite strength was left out: best"
    prior = bradley_terry(battles, prior=1.0)
    assert prior.systems[0] == "best"
    assert np.isfinite(prior.strengths).all()
    assert "a prior of 1 battles per system" in prior.methods_sentence()
    weaker, stronger = (bradley_terry(battles, prior=p)["best"] for p in (0.1, 10.0))
    assert weaker > prior["best"] > stronger


def test_wins_in_one_direction_only_are_no_strengths() -> None:
    chain = Battles(["a", "b", "c"], ["b", "c", "d"], ["first"] * 3)
    with pytest.raises(TauscopeError, match="never lost"):
        bradley_terry(chain)
    with pytest.raises(TauscopeError, match="No two systems beat each other"):
        bradley_terry(chain, incomparable="drop")
    with_ties = Battles(["a"] * 10, ["b"] * 10, ["first"] * 5 + ["tie"] * 5)
    with pytest.raises(TauscopeError, match="with ties as an outcome has no largest value"):
        bradley_terry(with_ties, ties="davidson")
    assert bradley_terry(with_ties).systems == ("a", "b")
    assert bradley_terry(with_ties, ties="davidson", prior=1.0).systems == ("a", "b")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ties": "draw"}, "ties='draw' is unknown"),
        ({"clusters": "town"}, "clusters='town' is unknown"),
        ({"clusters": "worker"}, r'which worker each belongs to\. Pass clusters="question"'),
        ({"prior": -1}, "prior=-1"),
        ({"incomparable": "no"}, "incomparable='no' is unknown"),
    ],
)
def test_wrong_calls_say_what_is_right(options: dict[str, Any], said: str) -> None:
    with pytest.raises(CallError, match=said):
        bradley_terry(made(100, 3), **options)


def test_all_ties_one_vote_and_few_clusters_are_errors_with_reasons() -> None:
    with pytest.raises(TauscopeError, match="All 3 battles are ties"):
        bradley_terry(Battles(["a"] * 3, ["b"] * 3, ["tie"] * 3))
    with pytest.raises(TauscopeError, match="never lost"):
        bradley_terry(Battles(["a"], ["b"], ["a"]))
    with pytest.raises(TauscopeError, match="There are 7 questions: errors by question need at least 8"):
        bradley_terry(made(300, 3, questions=7), clusters="question")
    few = bradley_terry(made(300, 3, questions=10), clusters="question")
    assert str(few.notes[-1]).startswith("10 questions count as 9.")
    with pytest.raises(CallError, match="not of list"):
        bradley_terry([1, 2])


def test_the_fit_is_the_same_from_any_start() -> None:
    cells = made(500, 5, ties=0.2).cells
    model = Model(cells.first, cells.second, cells.counts, 5, True, True)
    start = np.random.default_rng(2).normal(size=7)
    assert maximise(model, start) == pytest.approx(maximise(model), abs=1e-8)


def test_ranks_of_strengths_say_what_they_assume() -> None:
    battles = made(4000, 6)
    ranks = rank(bradley_terry(battles, clusters="question"))
    assert "Battles of one question were kept together (40 clusters)." in ranks.methods_sentence()
    assert (ranks.low <= ranks.rank).all()
    assert (ranks.rank <= ranks.high).all()
    alone = ranks.one(ranks.systems[2])
    assert ranks.low[2] <= alone.low <= alone.high <= ranks.high[2]
    assert ranks.systems[0] in ranks.best_set()
    assert ranks.votes_needed(0.99) >= len(battles)
    assert ranks.votes_needed(ranks.expected_tau().value - 1e-9) == len(battles)
    plain = bradley_terry(battles).to_dict()
    assert json.loads(json.dumps(plain))["battles"] == 4000


@pytest.mark.parametrize("davidson", [False, True])
def test_clustered_errors_are_the_same_whether_sums_are_dense_or_sparse(
    davidson: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    i = rng.integers(12, size=900)
    j = (i + rng.integers(1, 12, size=900)) % 12
    winner = rng.choice(["first", "second", "tie"], size=900)
    battles = Battles(i, j, winner, questions=rng.integers(60, size=900))
    ties = "davidson" if davidson else "half"
    covariances = []
    for dense in (0.0, 1e9):
        monkeypatch.setattr("tauscope.boards.bradley_terry._DENSE", dense)
        covariances.append(bradley_terry(battles, ties=ties, clusters="question", position=True).covariance)
    assert covariances[0] == pytest.approx(covariances[1], rel=1e-9, abs=1e-15)


def test_numbers_and_texts_are_coded_alike_in_the_order_in_which_they_come() -> None:
    given = [7, -2, 7, 10, -2, 3]
    sides = [["a"] * 6, ["b"] * 6, ["first"] * 3 + ["second"] * 3]
    numbers, texts, far = (
        Battles(*sides, questions=questions).questions
        for questions in (given, list(map(str, given)), [value * 10**12 for value in given])
    )
    assert numbers is not None
    assert texts is not None
    assert far is not None
    assert numbers.codes.tolist() == texts.codes.tolist() == far.codes.tolist() == [0, 1, 0, 2, 1, 3]
    assert numbers.labels == texts.labels == ("7", "-2", "10", "3")


def test_clusters_of_two_kinds_add_up_less_what_both_share() -> None:
    rng = np.random.default_rng(12)
    i = rng.integers(6, size=1200)
    j = (i + rng.integers(1, 6, size=1200)) % 6
    questions, workers = rng.integers(30, size=1200), rng.integers(25, size=1200)
    winner = rng.choice(["first", "second", "tie"], size=1200)
    ids = [f"{q} {w}" for q, w in zip(questions, workers, strict=True)]
    battles = Battles(i, j, winner, questions=questions, workers=workers, ids=ids)
    question, worker, both = (bradley_terry(battles, clusters=by) for by in ("question", "worker", "battle"))
    two = bradley_terry(battles, clusters=("question", "worker"))
    expected = question.covariance + worker.covariance - both.covariance
    assert two.covariance == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert (two.clusters, two.independent) == (("question", "worker"), 25)
    assert "30 questions and 25 workers" in str(two)
    assert "cameron2011" in two.cited()
    assert np.linalg.eigvalsh(two.covariance).min() > -1e-12
    with pytest.raises(CallError, match="or two of them"):
        bradley_terry(battles, clusters=("question", "question"))
