"""Every script, notebook and page runs, and prints what it says it prints.

How the blocks of a page are run is in docs/blocks.py, which the documentation takes its pictures with.

`python tests/test_examples.py` writes the outputs anew; look at the difference before you commit it.
"""

from __future__ import annotations

import doctest
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "docs"))
import blocks
import pages

import tauscope

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
NOTEBOOK = EXAMPLES / "why_tau_ap.ipynb"
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if not {"_build", "generated"} & set(page.parts)),
]

#: Page -> fenced blocks that are not run, by language.
NOT_RUN = {
    "README.md": ["shell"],  # makes the environment that the tests run in
    "docs/how-to/gate-a-leaderboard-in-ci.md": ["yaml"],
    "docs/how-to/install-without-a-compiler.md": ["console", "console"],
}

#: A line that each script must print.
SCRIPTS = {
    "01_do_two_rankings_agree.py": "τ_ap,a = 0.5420. 4 of the 45 pairs are in opposite orders.",
    "02_which_pairs_cost_most.py": "  B above A: loss 0.2857, 78% of the total",
    "03_a_thousand_bootstrap_rankings.py": "τ_ap is 0.8529 on average, from 0.6689 to 0.9938.",
    "04_all_measures_against_each_other.py": "AP as the truth, P@10 as the estimate: 0.668",
    "05_too_close_to_call_or_equal.py": "        0.02      14 / 9    0.867    0.959    0.850",
    "06_which_tau_did_they_use.py": (
        "0.62 is tau_ap, walked the other way: 0.620652 over 24 systems. 8 other conventions give it too."
    ),
    "07_choose.py": "No ties, no truth, and the top matters: tauscope.tau_ap_b(first, second)",
    "08_would_the_ranking_hold.py": "With 95 % confidence it is at least 0.839.",
    "09_ranks_one_may_print.py": "bee: 2 to 3, tier 2, b",
    "10_people_and_a_judge_in_an_arena.py": "decides, and would in 71 % between equal systems (p < 0.001).",
    "11_gate_a_leaderboard.py": "Fails. 2 of the 4 claims hold at 95 % confidence.",
}


def test_the_list_of_names_says_what_each_is_for_as_its_docstring_does() -> None:
    text = pages.INDEX.read_text(encoding="utf-8")
    assert pages.plain_index(text) == text, "python docs/pages.py"
    built = pages.reference_page(text)
    assert built.count("[tau_ap](generated/coefficients/tau_ap.md)") == 1
    assert "| tau_ap |" not in built


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
        env=blocks.environment(),
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert SCRIPTS[name] in done.stdout.splitlines()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_runs_and_prints_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    pictures = 0
    for done in blocks.run(page, tmp_path):
        if done.shown is not None:
            assert _lines(done.printed) == _lines(done.shown), f"{page.name}:{done.line}"
        if done.words:
            pictures += 1
            assert hasattr(done.chart, "save") or hasattr(done.chart, "get_figure"), (
                f"{page.name}:{done.line}: the last line makes no chart"
            )
    assert pictures == len(blocks.PICTURE.findall(text)), "a picture stands after a block of Python and its output"
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")  # it warns of many open figures


def test_an_example_of_the_reference_runs_with_nothing_but_what_it_shows() -> None:
    """The reference adds the imports that an example has from its module."""
    tried = 0
    for name in [*tauscope.catalogue.names, *(one for names in pages.groups().values() for one in names)]:
        lines = (inspect.getdoc(pages.named(name)) or "").split("\n")
        pages.with_imports(lines, name)
        example = doctest.DocTestParser().get_doctest("\n".join(lines), {}, name, None, 0)
        said: list[str] = []
        tried += doctest.DocTestRunner(verbose=False).run(example, out=said.append).attempted
        assert not said, f"{name}: {''.join(said)}"
    assert tried > 200


def test_blocks_that_are_not_run_are_known() -> None:
    """What is fenced and not run: commands before there is Tauscope, and a workflow, whose options test_docs checks."""
    left = {
        page.relative_to(ROOT).as_posix(): [kind for kind, code in fenced if kind != "text" and not _is_run(kind, code)]
        for page in PAGES
        if (fenced := re.findall(r"^```(\S*)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S))
    }
    assert {page: kinds for page, kinds in left.items() if kinds} == NOT_RUN


def _is_run(kind: str, code: str) -> bool:
    return kind == "python" or (kind == "shell" and blocks.runs(code))


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
    found = [(done.shown, _lines(done.printed)) for done in blocks.run(page, tmp_path) if done.shown]
    assert found == [("3\n", ["2"])]


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
    return ["".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.get("outputs", []))]


def _update() -> None:
    """Writes the outputs of all pages and of the notebook as they come out now."""
    import tempfile

    home = Path.cwd()
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            printed = {one.line: "\n".join(_lines(one.printed)) + "\n" for one in blocks.run(page, Path(folder))}
            os.chdir(home)
        text = page.read_text(encoding="utf-8")
        for block in reversed(list(blocks.BLOCK.finditer(text))):
            part = "content" if block["file"] else "output"
            line = blocks.line_of(block, text)
            if block[part] is not None:
                text = text[: block.start(part)] + printed[line] + text[block.end(part) :]
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        import nbformat

        nbformat.write(_notebook(Path(folder))[1], NOTEBOOK)


if __name__ == "__main__":
    _update()
