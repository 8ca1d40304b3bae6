"""Errors in the shell: every way out that is printed is an option of that command, and leads out of the error."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tauscope.cli import build, main
from tauscope.cli.commands import GROUPS, QUESTIONS
from tauscope.cli.fixes import Choice, choices, in_shell
from tauscope.errors import Advice, CallError, Option, TauscopeError

COMMANDS = [[name] for commands in QUESTIONS.values() for name in commands]
COMMANDS += [[group, name] for group, (_, commands, _) in GROUPS.items() for name in commands]
#: "Use --missing zero, drop-topics or drop-systems to …": the flag and its values, in quotes where the shell asks.
VALUE = r"(?:'[^']*'|[^\s,']+(?:,[^\s,']+)*)"
WAY = re.compile(rf"\bUse (--[a-z-]+)(?: ({VALUE}(?:, {VALUE})*(?: or {VALUE})?))?")
#: Words that open the effect of an option whose value the user must think of.
OPENING = ("to", "if", "as", "with", "for", "instead", "or", "another")


def write(path: Path, rows: list[list[object]]) -> None:
    path.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small files, good ones and bad ones, in the working folder."""
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(3).random((12, 4)).round(3)
    topics, systems = [f"t{i + 1}" for i in range(12)], list("abcd")
    wide = [["topic", *systems], *([topic, *row] for topic, row in zip(topics, values, strict=True))]
    write(tmp_path / "good.csv", wide)
    write(tmp_path / "other.csv", [wide[0], *([row[0], *(round(1 - v, 3) for v in row[1:])] for row in wide[1:])])
    write(tmp_path / "holes.csv", [*wide[:-1], [wide[-1][0], "", *wide[-1][2:]]])
    write(tmp_path / "fewer.csv", [row[:-1] for row in wide])
    words = ["oak", "elm", "ash", "fir", "yew", "bay", "fig", "box", "may", "sal", "teak", "pine"]
    unclear = [[name, *row[1:]] for name, row in zip(words, wide[1:], strict=True)]
    write(tmp_path / "ambiguous.csv", [["thing", *systems], *unclear])
    write(tmp_path / "numbered.csv", [["n", *systems], *([i + 1, *row[1:]] for i, row in enumerate(wide[1:]))])
    write(tmp_path / "turned.csv", [["model", *topics], *([s, *values[:, j]] for j, s in enumerate(systems))])
    write(tmp_path / "format=old.csv", [["thing", *systems], *unclear])
    rows = [
        [s, t, m, v]
        for m in ("AP", "RBP(p=0.8)")
        for t, row in zip(topics, values, strict=True)
        for s, v in zip(systems, row, strict=True)
    ]
    write(tmp_path / "several.csv", [["system", "topic", "measure", "score"], *rows])
    board = [[f"s{i}", *np.random.default_rng(i).random(4).round(3)] for i in range(9)]
    write(tmp_path / "board.csv", [["system", "AP", "P@10", "RR", "nDCG"], *board])
    write(tmp_path / "gap.csv", [["system", "AP", "P@10", "RR", "nDCG"], *board[:-1], [*board[-1][:-1], ""]])
    return tmp_path


def fails(capsys: pytest.CaptureFixture[str], words: list[str]) -> str:
    assert main(words) == 2, words
    printed = capsys.readouterr().err
    told = [line for line in printed.splitlines(keepends=True) if not line.startswith(("note: ", "warning: "))]
    assert told[0].startswith("tauscope: ")
    assert "Traceback" not in printed
    return "".join(told)


def ways_out(text: str) -> list[tuple[str, str]]:
    """The options that a text advises, each with one of its values."""
    found = []
    for flag, values in WAY.findall(text):
        for value in re.findall(VALUE, values.replace(" or ", ", ")):
            if value in OPENING or value.rstrip(".") in OPENING:
                break
            found.append((flag, value.rstrip(".").strip("'")))
    return found


def flags_of(command: list[str]) -> set[str]:
    _, apps, _ = build().parse_commands(command)
    return {name for argument in apps[-1].assemble_argument_collection() for name in argument.names} | {"--help"}


def in_python_words(text: str) -> str | None:
    """What a caller in Python would be told: an argument with its value, a function, a method."""
    found = re.search(
        r"\b[Pp]ass \w+=|\b(?:by|format|measure|missing|unmatched|method)=['\"]|\b\w+\.\w+\(\)|read_\w+\(", text
    )
    return found and found[0]


@pytest.mark.parametrize(
    "line",
    [
        "correlate holes.csv --truth good.csv",
        "correlate fewer.csv good.csv",
        "correlate several.csv good.csv",
        "correlate board.csv board.csv",
        "coefficients identify holes.csv good.csv --value .5",
        "coefficients rbo holes.csv good.csv",
        "compare holes.csv --truth good.csv",
        "compare good.csv --truth holes.csv",
        "compare fewer.csv --truth good.csv",
        "compare several.csv --truth several.csv",
        "compare one=holes.csv two=other.csv --truth good.csv",
        "significance holes.csv",
        "significance fewer.csv --truth good.csv",
        "correlate holes.csv --truth good.csv --view topics",
        "correlate fewer.csv --truth good.csv --view topics",
        "correlate holes.csv --truth good.csv -c tau_e --view calibrate:draws=10",
        "correlate fewer.csv --truth good.csv -c tau_e --view calibrate:draws=10",
        "expected holes.csv",
        "expected several.csv",
        "expected ambiguous.csv",
        "expected numbered.csv",
        "expected holes.csv --view plan",
        "rank holes.csv --missing error",
        "rank several.csv",
        "experiments simulate holes.csv --topics 3 -o new.csv",
        "experiments study holes.csv -o made --draws 1 --sizes 5 --method ml  --workers 1",
        "experiments swaps holes.csv --swaps 1 --draws 3 --pairs any",
        "experiments perturb holes.csv --draws 3",
        "experiments power AP=holes.csv --draws 3",
        "report holes.csv --missing error",
        "report fewer.csv --truth good.csv",
        "report ambiguous.csv",
        "measures correlate gap.csv",
        "measures rank gap.csv",
        "measures rank board.csv --by topic",
        "measures topics gap.csv -k 2",
    ],
)
def test_every_way_out_leads_out(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    follow(line.split(), capsys)


@pytest.mark.parametrize(
    "line", ["compare {0} --truth {1}", "correlate {0} --truth {1} --view topics", "correlate {0} {1} -c tau_b"]
)
def test_models_as_rows_and_as_columns_give_the_same_answer(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = set()
    for files in (("good.csv", "other.csv"), ("turned.csv", "other.csv")):
        assert main([*line.format(*files).split(), "--json"]) == 0
        printed = capsys.readouterr()
        answers.add(printed.out.replace("turned", "good"))
        assert ("one row per system, named in 'model'" in printed.err) == (files[0] == "turned.csv")
    assert len(answers) == 1


def follow(words: list[str], capsys: pytest.CaptureFixture[str], left: int = 2) -> None:
    """Takes every way out of the error of a call; one may lead to another error, which has its own ways out."""
    printed = fails(capsys, words)
    assert not in_python_words(printed), printed
    advised = ways_out(printed)
    assert advised, printed
    for place, (flag, value) in enumerate(advised):
        given = [f"{word}{place}" if word.startswith("made") else word for word in words]
        if flag in given:
            del given[given.index(flag) : given.index(flag) + 2]
        given += [flag, value]
        if main(given) == 2:
            again = capsys.readouterr().err
            assert again != printed, f"{flag} {value} changes nothing: {again}"
            assert left, f"{flag} {value} leads on and on: {again}"
            follow(given, capsys, left - 1)
        capsys.readouterr()


BAD = {
    "holes": "holes.csv",
    "one system less": "fewer.csv",
    "a first column that could be topics or systems": "ambiguous.csv",
    "a first column that could be numbers or scores": "numbered.csv",
    "models as rows": "turned.csv",
    "several measures": "several.csv",
    "a table": "board.csv",
    "a table with a gap": "gap.csv",
    "no such file": "nowhere.csv",
}
#: What a command needs beside the file; commands that read no scores are left out.
MORE = {
    "correlate": "--truth good.csv",
    "compare": "--truth good.csv",
    "coefficients rbo": "good.csv",
    "coefficients identify": "good.csv --value .5",
    "experiments simulate": "--topics 3 -o new.csv",
    "measures topics": "-k 2",
    "experiments study": "-o made --draws 1 --sizes 5 --method ml  --workers 1",
    "experiments swaps": "--draws 2 --swaps 1 --pairs any",
    "significance": "--draws 50",
    "experiments power": "--draws 2",
    "experiments perturb": "--draws 2",
    "evaluate": "--qrels good.csv",
    "experiments judgments": "--qrels good.csv",
    "measures correlate": "",
    "measures rank": "",
    "measures low-to-high": "",
    "measures predict": "--target AP",
    "expected": "",
    "rank": "",
    "check": "",
    "report": "",
    "versions": "good.csv",
    "variance": "",
    "gate": "--claim a>b",
    "hybrid": "good.csv",
    "audit": "--truth good.csv",
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("name", MORE)
def test_no_error_advises_what_the_command_does_not_have(
    name: str, kind: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command, more = name.split(), MORE[name].split()
    file = [BAD[kind]]
    words = [*command, *more, *file] if name == "measures predict" else [*command, *file, *more]
    if main(words) != 2:
        return
    printed = capsys.readouterr().err
    assert "Traceback" not in printed
    assert not in_python_words(printed), printed
    assert set(re.findall(r"--[a-z][a-z-]+", printed)) <= flags_of(command), printed


def test_the_commands_that_are_not_tried_read_no_scores() -> None:
    untried = {" ".join(command) for command in COMMANDS} - set(MORE)
    # The app reads scores by itself, and shows the ways out as buttons: tests/app follows them.
    assert untried == {
        *("coefficients choose", "coefficients explain", "coefficients list"),
        *("experiments reproduce", "demo", "measures list", "serve"),
    }


OPTIONS = {
    "missing": Choice("--missing", ("error", "zero", "drop-topics")),
    "seed": Choice("--seed"),
    "measure": Choice("--measure"),
    "lower_is_better": Choice("--lower-is-better", ()),
}


@pytest.mark.parametrize(
    ("way", "text"),
    [
        (Option("missing", "zero", effect="to say what that means"), " Use --missing zero to say what that means."),
        (Option("missing", "zero", "keep", "drop-topics"), " Use --missing zero or drop-topics."),
        (Option("missing", "keep"), ""),
        (Option("unmatched", "drop", effect="to compare the 3 they share"), ""),
        (Option("rng", 3), " Use --seed 3."),
        (Option("measure", effect="to choose one"), " Use --measure to choose one."),
        (Option("lower_is_better", True, effect="if so"), " Use --lower-is-better if so."),
        (Option("lower_is_better", False), ""),
        (Advice("Call .means() first.", "Average them first."), " Average them first."),
        (Advice("Call .means() first.", ""), ""),
        (Advice("Name it."), " Name it."),
    ],
)
def test_a_way_out_is_worded_with_the_options_of_the_command(way: Option | Advice, text: str) -> None:
    assert in_shell(CallError("Cell 3 has no score.", way), OPTIONS) == f"Cell 3 has no score.{text}"


def test_options_are_known_by_their_names_in_python_and_by_their_values() -> None:
    _, apps, _ = build().parse_commands(["report"])
    found = choices(apps[-1].assemble_argument_collection())
    assert found["missing"] == Choice("--missing", ("error", "zero", "drop-topics", "drop-systems", "keep"))
    assert found["unmatched"] == Choice("--unmatched", ("error", "drop"))
    assert found["json"] == Choice("--json", ())
    assert found["clusters"] == Choice("--clusters")
    assert "files" not in found


def test_the_name_of_a_file_is_left_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "format=old.csv" in fails(capsys, ["expected", "format=old.csv"])


def test_each_of_two_files_has_its_own_layout(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["turned.csv", "--truth", "good.csv", "--format", "turned,auto"],
        ["good.csv", "--truth", "turned.csv", "--format", "wide,turned"],
    ):
        for command in ("compare", "significance", "correlate"):
            assert main([command, *words]) == 0
        capsys.readouterr()
    assert "--format wide,wide,wide: give one layout, or one for each of the 2 files." in fails(
        capsys, ["compare", "good.csv", "--truth", "other.csv", "--format", "wide,wide,wide"]
    )


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            "compare good.csv",
            "Name the reference: `tauscope compare JUDGE.csv --truth PEOPLE.csv`.",
        ),
        ("compare good.csv --truth", "--truth asks for a value. Try `tauscope compare --help`."),
        (
            "measures topics board.csv",
            "measures topics needs --keep: Number of topics to choose. Try `tauscope measures topics --help`.",
        ),
        (
            "experiments swaps -c tau good.csv",
            "experiments swaps needs FILES: Scores of systems on topics. Options that take several words end with the "
            "next option: put the files first. Try `tauscope experiments swaps --help`.",
        ),
        (
            "rank good.csv --missing maybe",
            'Invalid value "maybe" for --missing. Choose from: "error", "zero", "drop-topics", "drop-systems", "keep". '
            "Try `tauscope rank --help`.",
        ),
        (
            "rank good.csv --misssing zero",
            "Unknown option: --misssing. Did you mean --missing? Try `tauscope rank --help`.",
        ),
        ("rank good.csv --json --csv", "--json and --csv: choose one."),
        ("rank good.csv --plot ranks.txt", "--plot ranks.txt: a figure ends with one of .pdf, .svg, .png, .pgf."),
        ("rank good.csv --words system=x", "--words system=x: it takes systems=…, topics=…, measures=…."),
        ("rank good.csv --view one:system=x,system=y", "--view one: system=x,system=y: system is there twice."),
    ],
)
def test_a_wrong_command_line_says_what_is_lacking(
    line: str, text: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fails(capsys, line.split()) == f"tauscope: {text}\n"


def test_an_error_is_told_in_the_shell_whatever_its_class(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def raises(*_: object, **__: object) -> None:
        raise TauscopeError("Something is odd.", Option("missing", "zero"), Option("unheard_of", 1))

    monkeypatch.setattr("tauscope.cli.inputs.read_scores", raises)
    assert fails(capsys, ["rank", "good.csv"]) == "tauscope: good.csv: Something is odd. Use --missing zero.\n"
