"""The GitHub Action: its steps, run as the shell scripts they are. Only pip is a stand-in, which notes its call."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
yaml = pytest.importorskip("yaml", reason="PyYAML reads action.yml")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
BOARD = ["topic,mine,theirs,other", *(f"t{i},{0.9 - i % 3 / 20},{0.6 + i % 4 / 20},{i % 5 / 20}" for i in range(20))]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the steps are bash scripts")


def filled(text: str, inputs: dict[str, str]) -> str:
    """A value of the action with its inputs in it."""
    return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs[found[1]], text)


def run_action(folder: Path, **given: str) -> tuple[int, dict[str, str], str]:
    """The exit code of the first step that fails, or 0; the outputs; what was printed."""
    inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | given
    tools = folder / "bin"
    tools.mkdir()
    python = f'#!/bin/sh\nif [ "$1 $2" = "-m pip" ]; then echo "$@" >> {folder}/pip.txt; exit 0; fi\n'
    for name, text in {
        "python3": f'{python}exec "{sys.executable}" "$@"\n',
        "tauscope": f'#!/bin/sh\nexec "{sys.executable}" -m tauscope "$@"\n',
    }.items():
        (tools / name).write_text(text, encoding="utf-8")
        (tools / name).chmod(0o755)
    output, summary = folder / "output.txt", folder / "summary.md"
    for file in (output, summary):
        file.touch()
    github = {
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
    }
    printed, code = "", 0
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        script = folder / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        own = {name: filled(value, inputs) for name, value in step.get("env", {}).items()}
        call = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        done = subprocess.run(
            call, cwd=folder, env=os.environ | github | own, capture_output=True, text=True, check=False
        )
        printed += done.stdout + done.stderr
        code = done.returncode
        if code:
            break
    outputs = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
    return code, outputs, printed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "new board.csv").write_text("\n".join(BOARD) + "\n", encoding="utf-8")
    return tmp_path


def test_claims_that_hold_let_the_job_pass_and_write_the_comment(folder: Path) -> None:
    claims = "mine > theirs\n\n  theirs > other\n"
    code, outputs, printed = run_action(folder, new="new board.csv", claims=claims)
    assert code == 0, printed
    assert outputs == {"passed": "true", "comment": "gate.md"}
    comment = (folder / "gate.md").read_text(encoding="utf-8")
    assert "**Passes.** Both claims hold at 95 % confidence." in comment
    assert (folder / "summary.md").read_text(encoding="utf-8") == comment
    assert (folder / "pip.txt").read_text(encoding="utf-8") == f"-m pip install --quiet {ROOT}\n"


def test_a_claim_that_does_not_hold_fails_the_job_and_is_in_the_comment(folder: Path) -> None:
    given = {"claims": "theirs > mine", "baseline": "new board.csv", "comment": "answers.md", "options": "--seed=3"}
    code, outputs, printed = run_action(folder, new="new board.csv", **given)
    assert code == 1, printed
    assert outputs == {"passed": "false", "comment": "answers.md"}
    comment = (folder / "answers.md").read_text(encoding="utf-8")
    assert "❌ does not hold" in comment
    assert "seed 3" in comment


@pytest.mark.parametrize("claim", ["mine better than theirs", "$(touch hacked) > mine", "`touch hacked` > mine"])
def test_a_wrong_claim_is_a_wrong_call_and_runs_nothing(folder: Path, claim: str) -> None:
    code, outputs, printed = run_action(folder, new="new board.csv", claims=claim)
    assert code == 2
    assert "is not understood" in printed or "There is no system" in printed
    assert outputs == {"passed": "false"}
    assert not (folder / "hacked").exists()
    assert not (folder / "gate.md").exists()


def test_every_input_is_described_and_used(folder: Path) -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    for name, one in ACTION["inputs"].items():
        assert one["description"].endswith(".")
        assert f"${{{{ inputs.{name} }}}}" in text
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"], "inputs go through variables"
