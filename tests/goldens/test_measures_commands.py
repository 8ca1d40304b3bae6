"""`tauscope measures …`: commands print what the functions say, as text, JSON and CSV; errors are sentences."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tauscope import measures
from tauscope.cli import GROUPS, main
from tauscope.measures import (
    Table as MeasureTable,
)
from tauscope.measures import (
    correlations as measure_correlations,
)
from tauscope.measures import (
    low_to_high,
    select_topics,
)
from tauscope.measures import (
    predict as predict_measure,
)
from tauscope.measures import (
    rank as rank_measures,
)
from tauscope.results import wording

NAMES = ("AP", "P@10", "RR", "RBP(p=0.8)")


def write(path: Path, columns: dict[str, np.ndarray], first: str = "system") -> Path:
    n = len(next(iter(columns.values())))
    rows = [[f"s{i + 1}", *(f"{column[i]:.4f}" for column in columns.values())] for i in range(n)]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[first, *columns], *rows])
    return path


def made_up(seed: int, systems: int = 20) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    good = rng.normal(size=systems)
    return {name: 0.3 + 0.08 * good + 0.03 * rng.normal(size=systems) for name in NAMES}


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    return [write(tmp_path / f"track{seed}.csv", made_up(seed)) for seed in (1, 2, 3)]


@pytest.fixture
def depths(tmp_path: Path) -> list[Path]:
    found = []
    for seed in (1, 2, 3):
        rng = np.random.default_rng(seed)
        good = rng.random(20)
        columns = {f"{m}(depth={d})": good + rng.random(20) / d for d in (10, 20, 100) for m in ("AP", "RR")}
        found.append(write(tmp_path / f"deep{seed}.csv", columns))
    return found


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["measures", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def fails(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["measures", *map(str, arguments)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Traceback" not in printed.err
    return printed.err


def named(paths: list[Path]) -> dict[str, MeasureTable]:
    return {path.stem: measures.Table.read(path, collection=path.stem) for path in paths}


def test_correlate_prints_the_result(tables: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    result = measure_correlations(named(tables), None, "tau_b")
    assert run(capsys, "correlate", *tables, "-c", "tau_b").splitlines() == str(result).splitlines()
    assert f"{result.strongest(1)[0].value:.3f}" in "\n".join(str(result).splitlines())
    found = json.loads(run(capsys, "correlate", tables[0], "--json"))["facts"]
    assert found["measures"] == list(NAMES)
    rows = list(csv.DictReader(io.StringIO(run(capsys, "correlate", tables[0], "--csv"))))
    assert len(rows) == 6
    assert list(rows[0]) == ["first", "second", "value"]


def test_a_leaderboard_speaks_of_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = dict(zip(("qa", "maths", "code", "law"), made_up(4).values(), strict=True))
    board = write(tmp_path / "board.csv", columns, "model")
    printed = run(capsys, "correlate", board, "--words", "systems=models")
    assert "Which measures rank models alike?  4 measures, 20 models, board" in printed
    printed = run(capsys, "rank", board, "--words", "systems=models,measures=tasks")
    assert "Which few tasks are the most informative?  4 tasks, 20 models, board" in printed


def test_predict_from_a_published_row_gives_a_value_and_its_interval(
    tables: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    row = "P@10=.35, RBP(p=0.8)=.33"
    printed = run(capsys, "predict", tables[0], "--given", row, "--target", "map").splitlines()
    found = predict_measure(
        measures.Table.read(tables[0]), "AP", predictors=["P@10", "RBP(p=0.8)"], min_predictors=2, max_predictors=2
    )
    made = found.predict({"P@10": 0.35, "RBP(p=0.8)": 0.33})
    assert printed == str(made).splitlines()
    document = json.loads(run(capsys, "predict", *tables, "--given", row, "--target", "AP", "--json"))["facts"]
    assert document["low"][0] < document["values"][0] < document["high"][0]
    assert "low" in run(capsys, "predict", *tables, "--given", row, "--target", "AP", "--csv").splitlines()[0]


def test_predict_lists_the_best_sets_and_how_they_do_elsewhere(
    tables: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("predict", tables[0], "--target", "AP", "--select", tables[1], "--test", tables[2], "-k", "2")
    printed = run(capsys, *options, "--plot", tmp_path / "x.svg").splitlines()
    found = predict_measure(
        named(tables[:1]), "AP", select_on=named(tables[1:2]), test=named(tables[2:]), max_predictors=2, keep=3
    )
    assert printed == str(found).splitlines()
    assert "<svg" in (tmp_path / "x.svg").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(run(capsys, *options, "--csv"))))
    assert [row["predictors"] for row in rows] == [str(one) for one in found.sets]
    assert json.loads(run(capsys, *options, "--json"))["facts"]["frequencies"] == found.frequencies()


def test_rank_prints_the_order_with_its_criterion_or_what_to_keep(
    tables: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    printed = run(capsys, "rank", tables[0], "--method", "exact", "--scale", "correlation").splitlines()
    result = rank_measures(measures.Table.read(tables[0], collection="track1"), "exact", scale="correlation")
    assert printed == str(result).splitlines()
    assert list(result.order) == result.columns()["measure"]
    kept = json.loads(run(capsys, "rank", *tables, "-k", "2", "--json"))["facts"]
    assert kept["kept"] == list(rank_measures(named(tables), keep=2).kept)
    assert run(capsys, "rank", tables[0], "--csv").startswith("place,measure,criterion,log_determinant\n1,")


def test_low_to_high_prints_a_row_for_every_target_and_depth(
    depths: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("-t", "AP", "--predictors", "AP", "RR", "--depths", "10", "20", "--target-depths", "100")
    printed = run(capsys, "low-to-high", *depths, *options, "--select", "deep2").splitlines()
    result = low_to_high(
        named(depths), ["AP"], predictors=["AP", "RR"], depths=(10, 20), target_depths=(100,), select_on="deep2"
    )
    assert printed == str(result).splitlines()
    alone = json.loads(run(capsys, "low-to-high", depths[0], *options, "--seed", "3", "--json"))["facts"]
    assert alone["seed"] == 3
    assert run(capsys, "low-to-high", depths[0], *options, "--csv").startswith("target,target_depth,depth,predictors,")


def test_topics_prints_what_was_chosen_and_how_it_does_elsewhere(
    tables: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    with wording(systems="models"):
        expected = str(select_topics(measures.Table.read(tables[0]), 2, rng=5, draws=3)).splitlines()
    printed = run(
        capsys, "topics", tables[0], "-k", "2", "--draws", "3", "--seed", "5", "--words", "systems=models"
    ).splitlines()
    assert printed == expected
    assert (
        len(json.loads(run(capsys, "topics", tables[0], "-k", "2", "--draws", "3", "--json"))["facts"]["held_out"]) == 3
    )
    assert run(capsys, "topics", tables[0], "-k", "2", "--draws", "2", "--csv").startswith("half,held_out,random\n1,")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["predict", "track1.csv"],
            "tauscope: Name tables to learn from and the measure to predict: "
            "`tauscope measures predict A --target AP`.",
        ),
        (
            ["predict", "track1.csv", "--target", "GMAP"],
            "tauscope: There is no measure 'GMAP' among the 4. Do you mean 'AP'?",
        ),
        (["predict", "nowhere.csv", "--target", "AP"], "tauscope: nowhere.csv: there is no such file."),
        (
            ["predict", "track1.csv", "--target", "AP", "--given", "P@10"],
            "tauscope: --given 'P@10': write measures and values, such as \"P@10=.55,nDCG@20=.41\"; 'P@10' is none.",
        ),
        (
            ["predict", "track1.csv", "--target", "AP", "--given", "P@10=.1,P@10=.2"],
            "tauscope: --given 'P@10=.1,P@10=.2': a measure is there twice.",
        ),
        (
            ["predict", "track1.csv", "--target", "AP", "--given", "P@10=.1", "--select", "track2.csv"],
            "tauscope: --given names the predictors itself; leave out --predictors, --select and --test.",
        ),
        (["correlate", "track1.csv", "--json", "--csv"], "tauscope: --json and --csv: choose one."),
        (
            ["correlate", "track1.csv", "--by", "topic"],
            "tauscope: correlations(): this table has one row per system, without topics. Use --by system.",
        ),
        (["rank", "track1.csv", "-k", "9"], "tauscope: keep=9: keep is a whole number from 1 to 4."),
        (
            ["low-to-high", "track1.csv"],
            "tauscope: No label of this table has a depth; it has 'AP', 'P@10', 'RR', 'RBP(p=0.8)'. "
            "Label columns such as AP(depth=10).",
        ),
        (["topics", "track1.csv", "-k", "4"], "tauscope: k=4: k is a whole number from 1 to 3."),
    ],
)
def test_a_wrong_call_is_answered_in_one_sentence(
    tables: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tables[0].parent)
    assert fails(capsys, *arguments).strip() == message


def test_a_hole_is_named_and_can_be_left_out_by_row_or_by_column(
    tables: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tables[0].read_text(encoding="utf-8").splitlines()
    lines[3] = ",".join([*lines[3].split(",")[:-1], ""])
    tables[0].write_text("\n".join(lines) + "\n", encoding="utf-8")
    error = fails(capsys, "rank", tables[0])
    assert "system 's3' by RBP(p=0.8)" in error
    assert "Use --missing" in error
    printed = run(capsys, "rank", tables[0], "--missing", "drop-systems")
    assert "4 measures, 19 systems" in printed
    assert "Warning: One system with missing cells dropped: 's3'." in printed
    for command in (
        ["correlate", *tables],
        ["predict", *tables, "--target", "AP"],
        ["topics", tables[0], "-k", "2"],
    ):
        assert "system with missing cells dropped: 's3'" in run(capsys, *command, "--missing", "drop-systems")
    assert "3 measures, 20 systems" in run(capsys, "rank", tables[0], "--missing", "drop-measures")


def test_output_of_an_evaluation_tool_one_file_a_run_is_one_collection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(5)
    files = []
    for run_name in ("bm25", "dense", "hybrid"):
        files.append(tmp_path / f"{run_name}.eval")
        rows = [f"{m}\t{topic}\t{rng.random():.4f}" for topic in range(401, 409) for m in ("map", "P_10", "recip_rank")]
        files[-1].write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert "3 measures, 24 observations, 3 files" in run(capsys, "correlate", *files)


@pytest.mark.parametrize("command", GROUPS["measures"][1])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command in run(capsys, command, "--help")


def test_starting_another_command_does_not_load_these() -> None:
    code = "import sys; from tauscope.cli import main; main(['coefficients'])"
    code += "; print([m for m in sys.modules if 'selection' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ})
    assert done.stdout.splitlines()[-1] == "[]"
