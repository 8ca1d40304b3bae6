"""Boards that nobody here made: MTEB, the Chatbot Arena, LLMFAO, LMArena. Skipped where the shared data are not
there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tauscope import (
    Battles,
    Published,
    Scores,
    TauscopeError,
    bradley_terry,
    compare,
    rank,
    significance,
    tau_b,
    versions,
)
from tauscope.cli import main

JUDGES = ("human", "gpt-4-0125-preview", "gpt-3.5-turbo")


@pytest.fixture(scope="module")
def real(shared: Path) -> Path:
    folder = shared / "data" / "real"
    if not folder.is_dir():
        pytest.skip(f"no real boards: {folder} is not a folder")
    return folder


@pytest.fixture(scope="module")
def arena(real: Path) -> dict[str, Battles]:
    return {name: Battles.read(real / "arena" / f"{name}.jsonl.gz") for name in JUDGES}


@pytest.fixture(scope="module")
def mteb(real: Path) -> Scores:
    return Scores.read(real / "mteb" / "board.csv", format="turned")


def test_most_neighbours_of_mteb_cannot_be_told_apart(mteb: Scores) -> None:
    found = rank(mteb).neighbours
    assert len(found) == 182
    assert len(found) - found.significant_alone == 179
    assert found.identical.sum() == found.copies == 1
    place = int(np.flatnonzero(found.identical)[0])
    copies = {found.above[place], found.below[place]}
    assert copies == {"jinaai__jina-embeddings-v5-omni-nano", "jinaai__jina-embeddings-v5-text-nano"}


def test_rules_of_mteb_disagree_on_the_winner_and_one_is_left_out_with_its_reason(mteb: Scores) -> None:
    found = rank(mteb).under_rules()
    first = {one.rule: one.first for one in found.firsts}
    assert len(found.winners) == 3
    assert first["mean"] == first["borda"] == "jcorners__ingot-8b-r3"
    assert found.left_out == (("geometric", "positive"),)
    assert found["borda"].swapped
    assert not found["mean"].swapped


def test_one_task_decides_the_first_place_of_mteb(mteb: Scores) -> None:
    found = rank(mteb).fragility()
    assert found.removed == ("Touche2020Retrieval.v3",)
    assert (found.leader, found.rival) == ("jcorners__ingot-8b-r3", "Kingsoft-LLM__QZhou-Embedding")


def test_a_board_with_holes_is_ranked_by_every_rule_but_one(real: Path) -> None:
    board = Scores.read(real / "mteb" / "board-holes.csv", format="turned", missing="keep")
    found = rank(board).under_rules()
    assert len(found.rules) == 9
    # A missing task costs points under Borda. Adjusted means do not reward leaving out hard tasks, as plain means do.
    name = "TencentBAC__Conan-embedding-v2"
    ranks = {rule: int(found[rule].rank[found[rule].systems.index(name)]) for rule in ("mean", "borda")}
    assert int(np.nanargmax(found["mean"].unadjusted)) == found["mean"].systems.index(name)
    assert ranks["mean"] == 10
    assert ranks["borda"] > 50


def test_the_arena_is_read_with_bothbad_as_a_tie(arena: dict[str, Battles]) -> None:
    people = arena["human"]
    assert len(people) == 26_919
    assert len(people.systems) == 20
    assert people.outcomes == (9516, 9391, 8012)
    assert "5,132 battles in which both were bad taken as ties" in people.notes


@pytest.mark.parametrize(("judge", "expected"), [("gpt-4-0125-preview", 0.916), ("gpt-3.5-turbo", 0.82)])
def test_judges_of_the_arena_agree_with_people(arena: dict[str, Battles], judge: str, expected: float) -> None:
    strengths = {name: bradley_terry(arena[name], ties="half").ranking() for name in ("human", judge)}
    assert tau_b(strengths[judge], strengths["human"]).value == pytest.approx(expected, abs=0.002)
    found = compare(arena[judge], truth=arena["human"])
    assert found.observed == pytest.approx(expected, abs=0.002)
    assert found.low <= found.observed <= found.high
    assert found.matched == 26_919


def test_the_preference_of_one_judge_for_the_first_answer_is_named_first(arena: dict[str, Battles]) -> None:
    found = compare(arena["gpt-3.5-turbo"], truth=arena["human"])
    assert found.position[0].share == pytest.approx(0.86, abs=0.005)
    first = found.answer().warnings[0]
    assert first.startswith("Position bias: the judge decides for the first answer in 86 % of the battles")
    assert "87 % between equal systems" in first
    assert not found.position[1].notable
    assert found.without_position > found.observed


def test_ranks_of_the_arena_are_limits_and_not_one_number(arena: dict[str, Battles]) -> None:
    ranks = rank(bradley_terry(arena["human"], ties="half"))
    assert ranks["gpt-4"] == (1, 1)
    assert ranks["claude-v1"] == (2, 3)
    assert ranks.winners == ranks.best_set().members == ("gpt-4",)
    assert ranks.neighbours.significant_alone > ranks.significant_neighbours


def test_workers_as_clusters_widen_the_errors_of_llmfao(real: Path) -> None:
    votes = Battles.read(real / "llmfao" / "crowd-comparisons.csv")
    assert (len(votes), len(votes.systems)) == (8931, 59)
    alone, by_worker = (bradley_terry(votes, ties="half", clusters=clusters) for clusters in (None, "worker"))
    assert by_worker.independent == 124
    assert by_worker.strengths == pytest.approx(alone.strengths)
    assert by_worker.errors.mean() > 1.05 * alone.errors.mean()
    by_question = bradley_terry(votes, ties="half", clusters="question")
    assert [(note.code, note.numbers["clusters"]) for note in by_question.notes] == [("few_clusters", 13)]
    assert "12.0 degrees of freedom" in str(by_question.notes[0])
    judge = Battles.read(real / "llmfao" / "gpt4-crowd-comparisons.csv")
    found = compare(judge, truth=votes)
    assert found.matched == 8931
    assert found.independent == 2139
    with pytest.raises(TauscopeError, match="do not say which worker"):
        bradley_terry(judge, clusters="worker")


def test_the_boards_of_lmarena_are_read_ranked_and_compared(real: Path) -> None:
    board = Published.read(real / "lmarena" / "2025.08.04-lmarena_text.csv")
    assert len(board) == 265
    assert "1 row that repeated a system left out: 'Yi-34B-Chat'" in board.notes
    assert rank(board)["Gemini-2.5-Pro"] == (1, 1)
    history = versions(real / "lmarena")
    assert history.names == ("2024-07-07", "2025-08-04")
    change = history.steps[0]
    assert len(change.systems) == 94
    assert change.shift == pytest.approx(24)
    assert change.tau > 0.95
    assert np.isfinite(change.p).all()


def test_documents_of_wmt_are_clusters_of_segments(real: Path) -> None:
    folder = real / "wmt23"
    systems: dict[str, list[float]] = {}
    for line in (folder / "human-scores" / "en-de.mqm.seg.score").read_text("utf-8").splitlines():
        name, score = line.split("\t")
        systems.setdefault(name, []).append(float("nan" if score == "None" else score))
    documents = [line.split("\t")[1] for line in (folder / "documents" / "en-de.docs").read_text("utf-8").splitlines()]
    board = Scores(np.array(list(systems.values())).T, systems=list(systems), clusters=documents, missing="drop-topics")
    assert board.clusters is not None
    assert len(board.topics) == 460
    found = significance(board, test="t", correction=None)
    number = len(set(board.clusters.values()))
    assert f"{number} clusters of 460 topics" in str(found)
    # Segments of a document go together, so that segments taken for independent promise too much.
    alone = significance(board.changed(clusters=None), test="t", correction=None)
    assert found.systems == alone.systems
    pairs = np.triu_indices(13, 1)
    assert (found.p_values[pairs] > alone.p_values[pairs]).mean() > 0.75


def test_letters_of_mteb_are_found(mteb: Scores) -> None:
    assert len(rank(mteb).letters) == 183


def test_the_shell_answers_about_the_real_boards(real: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: object) -> str:
        assert main([str(word) for word in words]) == 0
        return capsys.readouterr().out

    told = run("rank", real / "mteb" / "board.csv", "--format", "turned", "--view", "neighbours")
    assert "3 of 182" in told
    people = real / "arena" / "human.jsonl.gz"
    told = run("compare", real / "arena" / "gpt-3.5-turbo.jsonl.gz", "--truth", people)
    assert "Position bias: the judge decides for the first answer in 86 %" in " ".join(told.split())
    told = run("rank", real / "llmfao" / "crowd-comparisons.csv", "--clusters", "worker", "--view", "strengths")
    assert "124 workers" in told
    assert "94 systems in both" in run("versions", real / "lmarena")
    new = real / "lmarena" / "2025.08.04-lmarena_text.csv"
    assert "The claim Gemini-2.5-Pro in top 1 holds" in run("gate", new, "--claim", "Gemini-2.5-Pro in top 1")
