"""How a replication reads: how many printed numbers hold, which do not, and what is said if it cannot start."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tauscope import replications
from tauscope.cli import main
from tauscope.errors import CallError, FileError
from tauscope.replications.reproduce import Printed, Replication, data_file, reproduce

ROWS = (
    Printed("Table 1", "tau of A", 0.5, 0.5004, 0.0005),
    Printed("Table 1", "tau of B", 0.5, 0.5006, 0.0005),
    Printed("Table 2", "tau of C", 0.5, math.nan, 0.0005),
    Printed("Table 2", "tau of D", 0.5, 0.9, 0.0005, "ties counted as 0"),
)


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> str:
    """A paper of our own, under the key of a real one."""
    module = ModuleType("tauscope.replications.made_up")

    def redo(
        data: Path, *, out: Path | None = None, rng: int = 0, progress: object = None, draws: int = 3
    ) -> Replication:
        return Replication(paper="gao2015", rows=ROWS[:draws], notes=("The swaps were drawn anew.",), seed=rng)

    module.redo = redo  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(replications.PAPERS, "gao2015", "made_up:redo")
    return "gao2015"


def test_a_number_holds_within_its_tolerance_and_an_undefined_one_never() -> None:
    assert [row.holds for row in ROWS] == [True, False, False, False]


def test_a_replication_says_how_many_hold_and_which_do_not() -> None:
    result = Replication(paper="gao2015", rows=ROWS, notes=("The swaps were drawn anew.",), seed=7)
    said = " ".join(str(result).replace("•", " ").split())
    assert "One of the 4 printed numbers holds within its tolerance." in said
    assert "The swaps were drawn anew. One of the 3 other numbers differs for a known reason." in said
    assert "Table 2, tau of C: 0.5000 printed, undefined here. Table 1, tau of B: 0.5000 printed, 0.5006 here." in said
    assert result.share == 0.25
    assert result.to_frame("polars").shape == (4, 8)
    assert "Gao" in result.cite()


def test_the_command_prints_the_result(paper: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiments", "reproduce", paper, str(tmp_path), "--set", "draws=1", "--seed", "3"]) == 0
    said = capsys.readouterr().out
    assert "All 1 printed number holds" in said or "1 printed number" in said
    assert "The swaps were drawn anew." in said
    assert main(["experiments", "reproduce", paper, str(tmp_path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["facts"]
    assert (document["hold"], document["of"], document["rows"][2]["ours"]) == (1, 3, None)
    assert main(["experiments", "reproduce", paper, str(tmp_path), "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("Table 1,tau of A,0.5,0.5004,")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gao2051"], "'gao2051' cannot be reproduced here. Did you mean 'gao2015'?"),
        (["gao2051", "."], "'gao2051' cannot be reproduced here. Did you mean 'gao2015'? There are: "),
        (["gao2015", "nowhere"], "nowhere: it is no folder. Give the one with the data of gao2015."),
        (["gao2015", ".", "--set", "draws"], "--set draws: write a name and a value, such as"),
        (["gao2015", ".", "--set", "trials=3"], "gao2015 has no option 'trials'; it takes draws."),
        (["gao2015", ".", "--json", "--csv"], "--json and --csv: choose one."),
    ],
)
def test_a_wrong_call_is_told_what_to_do(
    paper: str, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiments", "reproduce", *words]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.out == ""


def test_without_a_paper_the_papers_are_listed(paper: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiments", "reproduce"]) == 0
    assert "gao2015       Ning Gao, Douglas W. Oard (2015)." in capsys.readouterr().out


def test_every_paper_has_its_function_its_reference_and_its_folder() -> None:
    from tauscope.papers import bibliography
    from tauscope.replications.reproduce import reproduction

    for key in replications.PAPERS:
        assert callable(reproduction(key))
        assert key in bibliography()
        assert (Path(__file__).parents[2] / "replications" / key / "README.md").is_file()


def test_data_that_are_not_there_are_named(tmp_path: Path) -> None:
    (tmp_path / "trec").mkdir()
    (tmp_path / "trec" / "here.csv").touch()
    assert data_file(tmp_path, "here.csv", "trec") == tmp_path / "trec" / "here.csv"
    with pytest.raises(FileError, match=r"there\.csv: it is not there nor in trec or web below\.$"):
        data_file(tmp_path, "there.csv", "trec", "web")


def test_an_unknown_paper_is_an_error_of_the_call() -> None:
    with pytest.raises(CallError, match="cannot be reproduced here"):
        reproduce("nobody1900", ".")
