"""Every script, notebook and page runs, and prints what it says it prints.

In the pages a block fenced as `python` is run, all of a page in one namespace, and so is a block fenced as `shell` that
begins with `tauscope`. They run in a temporary folder with the files of examples/data. A block fenced as `text` that
follows directly is the output. `<!-- setup … -->` holds Python that the reader does not see; `<!-- file NAME -->`
before a `text` block says that it shows this file of examples/data.

`python tests/test_examples.py` writes the outputs anew; look at the difference before you commit it.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
NOTEBOOK = EXAMPLES / "why_tau_ap.ipynb"
PAGES = [
    page for folder in ("tutorial", "how-to", "explanation") for page in sorted((ROOT / "docs" / folder).glob("*.md"))
]
README = ROOT / "README.md"

#: A line that each script must print.
SCRIPTS = {
    "01_do_two_rankings_agree.py": "tau_ap_a = 0.5420   10 items, 4 of 45 pairs discordant",
    "02_which_pairs_cost_most.py": "  B above A: loss 0.2857, 78% of it all",
    "03_a_thousand_bootstrap_rankings.py": "tau_ap of 1,000 rows of 20 items: mean 0.8529, from 0.6689 to 0.9938",
    "04_all_measures_against_each_other.py": "AP as the truth, P@10 as the estimate: 0.668",
    "05_too_close_to_call_or_equal.py": "        0.02      14 / 9    0.867    0.959    0.850",
    "06_which_tau_did_they_use.py": "0.62 is tau_ap, walked the other way: 0.620652 over 24 systems.",
    "07_choose.py": "No ties, no truth, and the top matters: tauscope.tau_ap_b(first, second)",
    "08_would_the_ranking_hold.py": "With 95 % confidence it is at least 0.838.",
    "09_ranks_one_may_print.py": "bee: 2 to 3, tier 2, b",
    "10_people_and_a_judge_in_an_arena.py": "position bias: the estimate decides for the first answer in 64 % of its "
    "verdicts, and would in 71 % between equal systems (p < 0.001)",
    "11_gate_a_leaderboard.py": "    not shown  theirs > other   difference 0.003, p = 1",
}

BLOCK = re.compile(
    r"^<!-- setup\n(?P<setup>.*?)^-->"
    r"|^<!-- file (?P<file>\S+) -->\n+```text\n(?P<content>.*?)^```"
    r"|^```(?P<kind>python|shell)\n(?P<code>.*?)^```(?:\n+```text\n(?P<output>.*?)^```)?",
    re.MULTILINE | re.DOTALL,
)


def test_every_script_is_tested() -> None:
    assert sorted(path.name for path in EXAMPLES.glob("*.py")) == sorted(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_answers_its_question_in_under_40_lines(name: str, tmp_path: Path) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) < 40
    assert "?" in text.split('"""')[1].strip().splitlines()[0]
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / name],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env=_environment(),
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert SCRIPTS[name] in done.stdout.splitlines()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_a_page_runs_and_prints_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line, shown, printed in _run(page, tmp_path):
        assert _lines(printed) == _lines(shown), f"{page.name}:{line}"


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line, shown, printed in _run(README, tmp_path, shell=False):
        assert _lines(printed) == _lines(shown), f"README.md:{line}"


@pytest.mark.filterwarnings("default")  # Jupyter's own
def test_the_notebook_runs_and_prints_what_it_stores(tmp_path: Path) -> None:
    for package in ("nbclient", "nbformat", "ipykernel"):
        pytest.importorskip(package, reason=f"the notebook is run with {package}, which is not installed")
    stored, fresh = _notebook(tmp_path)
    assert [_texts(cell) for cell in fresh.cells] == [_texts(cell) for cell in stored.cells]
    assert not any(output.output_type == "error" or output.get("name") == "stderr" for output in _outputs(fresh))
    assert any("image/svg+xml" in output.get("data", {}) for output in _outputs(stored))


def test_a_page_that_prints_something_else_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- setup\nx = 2\n-->\n```python\nprint(x)\n```\n\n```text\n3\n```\n\n```shell\ntauscope --version\n```\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    assert [(shown, _lines(printed)) for _, shown, printed in _run(page, tmp_path)] == [("3\n", ["2"])]


def _run(page: Path, folder: Path, *, shell: bool = True) -> Iterator[tuple[int, str, str]]:
    """Runs the blocks of a page, and yields the line, the text shown and the text printed of those that show one."""
    for place in (folder, folder / "examples" / "data"):
        shutil.copytree(EXAMPLES / "data", place, dirs_exist_ok=True)
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start("code" if block["code"] is not None else 0)) + 1
        if block["file"]:
            yield line, block["content"], (EXAMPLES / "data" / block["file"]).read_text(encoding="utf-8")
            continue
        if block["kind"] == "shell":
            if not shell or not block["code"].startswith("tauscope"):
                continue
            printed = _shell(block["code"], folder, expected=block["output"] or "")
        else:
            printed = _python(block["code"] or block["setup"], names, page, line)
        if block["output"] is not None:
            yield line, block["output"], printed


def _python(code: str, names: dict[str, Any], page: Path, line: int) -> str:
    """What a block of Python prints; one that is written as a dialogue with >>> is checked by doctest."""
    if code.startswith(">>>"):
        dialogue = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), line - 1)
        dialogue.globs = names
        assert doctest.DocTestRunner(verbose=False).run(dialogue, clear_globs=False).failed == 0
        return ""
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        exec(compile("\n" * (line - 1) + code, str(page), "exec"), names)  # the page's line numbers in a traceback
    return stream.getvalue()


def _shell(code: str, folder: Path, *, expected: str) -> str:
    """What a shell block prints, errors included; exit code 2 where the page shows an error, else 0."""
    command = folder / "bin" / "tauscope"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tauscope "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        ["sh", "-e", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env=_environment(PATH=path),
        timeout=60,
        check=False,
    )
    assert done.returncode == (2 if expected.startswith("tauscope: ") else 0), done.stdout
    return done.stdout


def _environment(**more: str) -> dict[str, str]:
    return os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "80"} | more


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _notebook(folder: Path) -> tuple[Any, Any]:
    """The notebook as it is stored, and as it comes out of a fresh kernel."""
    import nbformat
    from nbclient import NotebookClient

    stored = nbformat.read(NOTEBOOK, as_version=4)
    fresh = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(
        fresh, timeout=60, kernel_name="python3", record_timing=False, resources={"metadata": {"path": str(folder)}}
    ).execute()
    fresh.metadata = stored.metadata
    return stored, fresh


def _outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def _texts(cell: Any) -> list[str]:
    """The text that a cell prints; pictures are left out."""
    return [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])]


def _update() -> None:
    """Writes the outputs of all pages and of the notebook as they come out now."""
    import tempfile

    home = Path.cwd()
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            printed = {line: "\n".join(_lines(text)) + "\n" for line, _, text in _run(page, Path(folder))}
            os.chdir(home)
        text = page.read_text(encoding="utf-8")
        for block in reversed(list(BLOCK.finditer(text))):
            part = "content" if block["file"] else "output"
            line = text.count("\n", 0, block.start("code" if block["code"] is not None else 0)) + 1
            if block[part] is not None:
                text = text[: block.start(part)] + printed[line] + text[block.end(part) :]
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        import nbformat

        nbformat.write(_notebook(Path(folder))[1], NOTEBOOK)


if __name__ == "__main__":
    _update()
