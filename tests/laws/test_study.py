"""The study of estimators: what its table is, and what must not change a digit of it."""

from __future__ import annotations

import contextlib
import csv
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tauscope import Scores, expected_correlation
from tauscope.cli import main
from tauscope.errors import CallError, TauscopeError
from tauscope.experiments import study as module
from tauscope.experiments.study import correlations, estimator_study
from tauscope.inference.methods import BY_NAME, URBANO2016
from tauscope.inference.true_means import Observed
from tauscope.jobs import processes, threads
from tauscope.simulate import Simulator


def board(seed: int = 3, systems: int = 12, topics: int = 30) -> Scores:
    rng = np.random.default_rng(seed)
    logits = rng.normal(-0.5, 1, (topics, 1)) + rng.normal(0, 0.4, systems) + rng.normal(0, 0.8, (topics, systems))
    return Scores(1 / (1 + np.exp(-logits)))


BOARDS = {"one": board(1), "two": board(2)}
SMALL = {"sizes": [10, 15], "draws": 7, "rng": 5}


@pytest.fixture(scope="module")
def small() -> module.Study:
    return estimator_study(BOARDS, **SMALL)


def test_a_row_is_the_mean_over_trials_that_anybody_can_redo(small: module.Study) -> None:
    """By the public simulator and estimators, trial by trial, with seeds made by hand."""
    from binascii import crc32

    simulator = Simulator.fit(BOARDS["two"])
    offs = []
    for trial in range(7):
        sequence = np.random.SeedSequence(5, spawn_key=(crc32(b"two"), 15, trial, 0))
        drawn = simulator.draw_values(15, np.random.default_rng(sequence))
        estimate = BY_NAME["ml"].sums(Observed.of(drawn))["tau_ap"]
        assert estimate == pytest.approx(expected_correlation(Scores(drawn), "tau_ap", "ml").value, abs=1e-12)
        truth = BOARDS["two"].means()
        order = np.argsort(-drawn.mean(axis=0))
        wrong = [np.mean(truth[order[:i]] < truth[order[i]]) for i in range(1, len(order))]
        offs.append(estimate - (1 - 2 * np.mean(wrong)))
    table = small.columns()
    place = list(zip(*(table[name] for name in module.LABELS), strict=True)).index(("two", 15, "tau_ap", "ml"))
    assert table["error"][place] == pytest.approx(np.mean(np.abs(offs)), abs=1e-12)
    assert table["bias"][place] == pytest.approx(np.mean(offs), abs=1e-12)
    assert table["error_se"][place] == pytest.approx(np.std(np.abs(offs), ddof=1) / math.sqrt(7), abs=1e-12)
    assert table["bias_se"][place] == pytest.approx(np.std(offs, ddof=1) / math.sqrt(7), abs=1e-12)
    assert (table["draws"][place], table["undefined"][place]) == (7, 0)


def test_the_table_has_a_row_for_everything_asked(small: module.Study) -> None:
    table = small.columns()
    assert {len(column) for column in table.values()} == {2 * 2 * 2 * 6}
    assert list(dict.fromkeys(table["method"])) == list(URBANO2016)
    assert small.to_frame("pandas").shape == (48, len(table))


@pytest.mark.parametrize("block", [1, 3, 20])
def test_neither_blocks_nor_executors_change_a_digit(
    small: module.Study, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    pool = {1: processes(2), 3: threads(3), 20: None}[block]
    again = estimator_study(BOARDS, **SMALL, executor=pool)  # type: ignore[arg-type]
    assert dict(again.columns()) == dict(small.columns())


def test_what_is_studied_beside_it_changes_no_digit(small: module.Study) -> None:
    alone = estimator_study(
        {"two": BOARDS["two"]}, sizes=[15], draws=7, methods=["shwo", "res"], coefficients=["tau"], rng=5
    )
    whole = _by_label(small)
    for label, row in _by_label(alone).items():
        assert row == whole[label]


def _by_label(study: module.Study) -> dict[tuple[object, ...], dict[str, object]]:
    table = study.columns()
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return {tuple(row[name] for name in module.LABELS): row for row in rows}


def test_a_study_survives_a_pickle_and_stays_read_only(small: module.Study) -> None:
    back = pickle.loads(pickle.dumps(small))
    assert back.to_dict() == small.to_dict()
    with pytest.raises(TypeError):
        back.table["error"] = []
    with pytest.raises(TypeError):
        back.failed["cell"] = "why"


def test_a_checkpoint_that_is_no_path_is_refused() -> None:
    with pytest.raises(CallError, match="checkpoint=3 is no file"):
        estimator_study(BOARDS, **SMALL, checkpoint=3)


def test_another_seed_gives_other_numbers(small: module.Study) -> None:
    other = estimator_study(BOARDS, **(SMALL | {"rng": 6}))  # type: ignore[arg-type]
    assert other.columns()["error"] != small.columns()["error"]
    assert (small.seed, other.seed) == (5, 6)


def test_exact_means_have_one_truth_and_published_means_two(small: module.Study) -> None:
    assert small.columns()["bias"] == pytest.approx(small.columns()["bias_own"], abs=1e-12)
    published = estimator_study({"one": board(1, 40)}, sizes=[60], draws=6, methods=["ml"], means="published", rng=1)
    assert published.columns()["bias"] != pytest.approx(published.columns()["bias_own"], abs=1e-6)


def test_the_actual_correlation_does_not_count_tied_pairs() -> None:
    truth = np.array([[4.0, 3.0, 2.0, 2.0]])
    assert correlations(np.array([0.4, 0.4, 0.2, 0.1]), truth).tolist() == [[1, 1]]
    assert correlations(np.array([0.1, 0.2, 0.3, 0.3]), truth)[0, 0] == pytest.approx(1 - 2 * 5 / 6)


def test_trials_without_an_estimate_are_counted_and_left_out() -> None:
    study = estimator_study({"one": BOARDS["one"]}, sizes=[3], draws=4, methods=["ml", "shw"], rng=1)
    table = study.columns()
    assert table["undefined"] == [0, 4, 0, 4]
    assert table["draws"] == [4, 0, 4, 0]
    assert [math.isnan(value) for value in table["error"]] == [False, True, False, True]
    assert math.isnan(study.mean_errors["shw"])


def test_a_cell_that_fails_is_named_and_the_rest_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = module.run_block

    def breaks(*arguments: object) -> object:
        if arguments[2] == 15:
            raise MemoryError("no memory")
        return whole(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "run_block", breaks)
    study = estimator_study(BOARDS, **SMALL)  # type: ignore[arg-type]
    assert dict(study.failed) == {"one/15/0": "MemoryError: no memory", "two/15/0": "MemoryError: no memory"}
    assert set(study.columns()["topics"]) == {10}
    assert "2 cells failed, so that their draws are missing: one/15/0" in " ".join(str(study).split())
    assert study.failed["one/15/0"] == "MemoryError: no memory"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": []}, r"sizes=\[\]: give whole numbers"),
        ({"sizes": [10, 1]}, "sizes=1: sizes is a whole number of at least 2"),
        ({"sizes": [10, 10]}, "sizes: one is given twice among 10, 10"),
        ({"draws": 0}, "draws=0: draws is a whole number of at least 1"),
        ({"methods": ["mle"]}, "There is no method 'mle'"),
        ({"methods": ["ml", "ml"]}, "The method 'ml' is given twice"),
        ({"methods": []}, "A study needs at least one method"),
        (
            {"coefficients": ["tau_gap"]},
            "A study is of tau and tau_ap, not of 'tau_gap'. .*depend on the unknown truth",
        ),
        ({"means": "right"}, "means='right' is unknown"),
        ({"rng": -1}, "rng=-1 is not a seed"),
    ],
)
def test_a_study_that_cannot_be_made_is_refused_at_once(change: dict[str, object], message: str) -> None:
    with pytest.raises(CallError, match=message):
        estimator_study(BOARDS, **(SMALL | change))  # type: ignore[arg-type]


def test_scores_that_cannot_be_simulated_name_their_collection() -> None:
    with pytest.raises(TauscopeError, match=r"^odd: 1 score outside \[0, 1\]"):
        estimator_study({"one": BOARDS["one"], "odd": Scores([[0.1, 2.0], [0.3, 0.4]])}, sizes=[10], draws=1)
    with pytest.raises(TauscopeError, match=r"^lone: a ranking needs at least two systems"):
        estimator_study({"lone": Scores([[0.1], [0.3]])}, sizes=[10], draws=1)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    names = []
    for name, scores in BOARDS.items():
        path = tmp_path / f"{name}.csv"
        header = ",".join(f"s{place}" for place in range(len(scores.systems)))
        np.savetxt(path, scores.values, delimiter=",", header=header, comments="", fmt="%.4f")
        names.append(str(path))
    return names


def test_the_command_writes_a_table_and_goes_on(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = [
        "experiments",
        "study",
        *files,
        "-o",
        str(out),
        "--draws",
        "5",
        "--sizes",
        "10,15",
        "--method",
        "ml",
        "msqd",
        "--workers",
        "1",
    ]
    assert main([*words, "--plot", str(tmp_path / "figure1.svg")]) == 0
    printed = capsys.readouterr()
    assert "2 collections, 2 sizes, 5 draws each" in " ".join(printed.out.split())
    assert sorted(path.name for path in out.iterdir()) == ["study.cells", "study.csv", "study.fits.cells"]
    assert (tmp_path / "figure1.svg").stat().st_size > 1000
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["facts"]
    with (out / "study.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["error"]) for row in rows] == [row["error"] for row in document["rows"]]
    assert main([*words, "--csv"]) == 0
    assert capsys.readouterr().out.startswith("collection,topics,coefficient,method,draws,")
    assert main([*words, "--model", "means=published"]) == 2
    assert ".cells: this checkpoint is of another run (" in capsys.readouterr().err
    more = ["6" if word == "5" else word for word in words]
    assert main([*more, "--csv"]) == 0  # more draws extend it


def test_a_checkpoint_is_extended_to_more_draws_and_sizes(tmp_path: Path) -> None:
    path = tmp_path / "study.cells"
    options = {"methods": ["ml"], "rng": 3, "checkpoint": path}
    first = estimator_study(BOARDS, sizes=[10], draws=25, **options)
    assert first.resumed == 0
    more = estimator_study(BOARDS, sizes=[10, 15], draws=45, **options)
    # The first 20 draws of each collection; the five of the block that was not full are done again with those after
    # them.
    assert more.resumed == len(BOARDS)
    fresh = estimator_study(BOARDS, sizes=[10, 15], draws=45, methods=["ml"], rng=3)
    assert more.columns() == fresh.columns()
    again = estimator_study(BOARDS, sizes=[10], draws=25, **options)
    assert again.columns() == first.columns()
    assert again.resumed == 2 * len(BOARDS)
    with pytest.raises(TauscopeError, match=r"another run \(seed of the study 4 here, 3 there"):
        estimator_study(BOARDS, sizes=[10], draws=25, **{**options, "rng": 4})
    moved = {name: Scores(board.values * 0.9) for name, board in BOARDS.items()}
    with pytest.raises(TauscopeError, match="another run"):
        estimator_study(moved, sizes=[10], draws=25, **options)


def test_topics_and_systems_have_the_users_names(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "experiments",
        "study",
        *files,
        "-o",
        str(tmp_path / "out"),
        "--draws",
        "2",
        "--sizes",
        "10",
        "--method",
        "ml",
        "--workers",
        "1",
    ]
    assert main([*words, "--words", "topics=tasks,systems=models"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert not [line for line in shown if "topic" in line or "system" in line]
    assert any("Tasks" in line for line in shown)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sizes", "ten"], "--sizes ten: give whole numbers separated by commas, such as 10,20,50."),
        (["--workers", "two"], "--workers two: give a whole number."),
        (["--drop-worst", "2"], "--drop-worst 2: "),
        (["--workers", "0"], "workers=0: workers is a whole number of at least 1."),
    ],
)
def test_a_wrong_command_is_told_what_to_do(
    files: list[str], words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiments", "study", *files, "-o", str(tmp_path / "out"), "--draws", "2", *words]) == 2
    assert said in capsys.readouterr().err


def test_two_files_of_one_name_are_refused(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiments", "study", files[0], files[0], "-o", str(tmp_path / "out")]) == 2
    assert "Two files are called one" in capsys.readouterr().err


def test_ctrl_c_ends_a_study_in_words_and_the_same_command_goes_on(files: list[str], tmp_path: Path) -> None:
    """SIGINT goes to the whole group of processes, as from a terminal."""
    out = tmp_path / "out"
    words = [
        "experiments",
        "study",
        *files,
        "-o",
        str(out),
        "--draws",
        "200",
        "--sizes",
        "10,15",
    ]
    command = [sys.executable, "-m", "tauscope", *words, "--workers", "2"]
    driver = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        end = time.monotonic() + 60
        while not (out / "study.cells").exists() or (out / "study.cells").read_bytes().count(b"\n") < 4:
            assert time.monotonic() < end, "no cell was done within a minute"
            assert driver.poll() is None, "the study ended before it could be interrupted"
            time.sleep(0.01)
        os.killpg(driver.pid, signal.SIGINT)
        printed, said = driver.communicate(timeout=240)  # a busy machine took 43 s once
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    assert (driver.returncode, printed, said) == (130, "", "tauscope: interrupted.\n")
    kept = (out / "study.cells").read_bytes().count(b"\n") - 1
    assert 3 <= kept < 40
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0
    assert f"{kept} cells had been done before." in done.stderr
