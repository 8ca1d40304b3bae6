"""The help of the shell: commands by question, an example that can be typed, every option explained, one vocabulary."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from tauscope.cli import build, main
from tauscope.cli.commands import GROUPS, ORDER, QUESTIONS

COMMANDS = [[name] for commands in QUESTIONS.values() for name in commands]
COMMANDS += [[group, name] for group, (_, commands, _) in GROUPS.items() for name in commands]


def helped(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words, "--help"]) == 0
    return capsys.readouterr().out


def arguments_of(command: list[str]) -> list:
    _, apps, _ = build(command).parse_commands(command)
    return [a for a in apps[-1].assemble_argument_collection(parse_docstring=True) if a.names != ("*",)]


def test_commands_stand_under_the_question_they_answer_and_the_version_is_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = helped(capsys)
    assert text.index("tauscope demo shows it") < text.index("─ Where to begin? ")
    places = [text.index(f"─ {question} ") for question in ORDER]
    assert places == sorted(places)
    for question, commands in QUESTIONS.items():
        start = text.index(f"─ {question} ")
        box = text[start : text.index("╰", start)]
        assert all(f" {name} " in box for name in commands)
        assert [box.index(f"│ {name} ") for name in commands] == sorted(box.index(f"│ {name} ") for name in commands)
    assert "--version" in text
    assert main(["--version"]) == 0
    assert re.match(r"tauscope \S+\nkernels: .*\nPython 3\S+, NumPy \S+\n", capsys.readouterr().out)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_help_of_a_command_has_an_example_that_can_be_typed(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = " ".join(re.sub(r"[│╭╰╮╯─]", " ", helped(capsys, *command)).split())
    _, apps, _ = build().parse_commands(command)
    example = re.search(r"Example: `(.*)`", apps[-1].default_command.__doc__ or "")
    assert example, command
    assert f"Example: {' '.join(example[1].split())}" in shown
    name, *words = shlex.split(example[1])
    assert name == "tauscope"
    called, _, ignored = build().parse_args(words, exit_on_error=False, print_error=False)
    assert called is apps[-1].default_command
    assert not ignored
    assert words[: len(command)] == command


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_option_is_explained_in_a_sentence(command: list[str]) -> None:
    for argument in arguments_of(command):
        assert argument.parameter.help, argument.names
        assert argument.parameter.help[-1] in '.?…"4:', (argument.names, argument.parameter.help)
        assert "unmatched" not in argument.parameter.help


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_option_has_one_meaning_in_all_commands(command: list[str]) -> None:
    found = {argument.names[0]: argument for argument in arguments_of(command)}
    for flag, text, values in (
        ("--missing", "cell", {"error", "zero", "drop-topics", "drop-systems"}),
        ("--unmatched", "What to do with", {"error", "drop"}),
    ):
        if flag in found:
            assert text in found[flag].parameter.help
            hint = found[flag].hint
            literal = next((part for part in get_args(hint) if get_args(part)), hint)
            assert values <= set(get_args(literal))
    if "--format" in found:
        assert found["--format"].parameter.help.startswith("The layout of the files")
    if "--seed" in found:
        assert found["--seed"].parameter.help.endswith("The same seed gives the same numbers.")
    assert not {"--rng", "--trials", "--repetitions", "--samples"} & set(found)


def test_a_quick_command_loads_nothing_that_only_long_ones_need(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("system,score\nx,1\ny,2\nz,3\n", encoding="utf-8")
    code = "import sys; from tauscope.cli import main; main(['correlate', sys.argv[1], sys.argv[1]])"
    code += "; print(*(name for name in ('multiprocessing', 'scipy', 'matplotlib', 'narwhals') if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.csv")], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == ""
