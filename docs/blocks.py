"""Runs the blocks of a page: the tests compare what they print, the documentation takes pictures from them.

In the pages a block fenced as `python` is run, all of a page in one namespace, and so is a block fenced as `shell` that
begins with `tauscope`. They run in a temporary folder with the files of examples/data. A block fenced as `text` that
follows directly is the output. `<!-- setup … -->` holds Python that the reader does not see; `<!-- file NAME -->`
before a `text` block says that it shows this file of examples/data. `<!-- picture: WORDS -->` after a block of Python
stands for the chart that its last line makes; the words describe it. `<!-- needs NAME -->` before a block says that it
is only run where this package, a peer, is installed.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tauscope import demo
from tauscope.cli import main

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

BLOCK = re.compile(
    r"^<!-- setup\n(?P<setup>.*?)^-->"
    r"|^<!-- file (?P<file>\S+) -->\n+```text\n(?P<content>.*?)^```"
    r"|^(?:<!-- needs (?P<needs>\S+) -->\n)?"
    r"```(?P<kind>python|shell)\n(?P<code>.*?)^```(?:\n+```text\n(?P<output>.*?)^```)?"
    r"(?:\n+<!-- picture: (?P<picture>[^\n]+) -->)?",
    re.MULTILINE | re.DOTALL,
)
PICTURE = re.compile(r"^<!-- picture: (?P<words>[^\n]+) -->$", re.MULTILINE)
#: Commands that later blocks may need for their files; a report is never read again.
WRITES = re.compile(r"tauscope demo|^(?!.*tauscope report).* -o ", re.MULTILINE)


@dataclass(frozen=True)
class Done:
    """A block that was run: its line, the output that the page shows, what it printed, and its picture."""

    line: int
    shown: str | None
    printed: str
    words: str | None = None
    chart: Any = None


def run(page: Path, folder: Path, *, every_command: bool = True) -> Iterator[Done]:
    """Runs the blocks of a page, one after the other; of the shell all, or only what writes files.

    With `every_command` a block is the main program, so that one that starts processes does.
    """
    for place in (folder, folder / "examples" / "data"):
        shutil.copytree(EXAMPLES / "data", place, dirs_exist_ok=True)
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "__main__" if every_command else "page"}
    for block in BLOCK.finditer(text):
        line, chart = line_of(block, text), None
        if block["file"]:
            yield Done(line, block["content"], (EXAMPLES / "data" / block["file"]).read_text(encoding="utf-8"))
            continue
        if block["needs"] and find_spec(block["needs"]) is None:
            continue
        if block["kind"] == "shell":
            if not runs(block["code"]):
                continue
            if not every_command:
                files_of(block["code"])
                continue
            printed = shell(block["code"], folder, expected=block["output"] or "")
        else:
            printed, chart = python(block["code"] or block["setup"], names, page, line)
        yield Done(line, block["output"], printed, block["picture"], chart if block["picture"] else None)


def line_of(block: re.Match[str], text: str) -> int:
    return text.count("\n", 0, block.start("code" if block["code"] is not None else 0)) + 1


def runs(code: str) -> bool:
    """Whether a block of the shell is run: whatever begins with our own command."""
    return code.startswith("tauscope")


def python(code: str, names: dict[str, Any], page: Path, line: int) -> tuple[str, Any]:
    """What a block of Python prints, and the value of its last line where that is an expression.

    One that is written as a dialogue with >>> is checked by doctest.
    """
    if code.startswith(">>>"):
        dialogue = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), line - 1)
        dialogue.globs = names
        assert doctest.DocTestRunner(verbose=False).run(dialogue, clear_globs=False).failed == 0
        return "", None
    tree = ast.parse("\n" * (line - 1) + code, str(page))  # the page's line numbers in a traceback
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        exec(compile(tree, str(page), "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(page), "eval"), names)
    return stream.getvalue(), value


def files_of(code: str) -> None:
    """The files that a command writes, without a process of its own and without what else it shows."""
    if not WRITES.search(code):
        return
    words = shlex.split(code)[1:]
    if words[0] == "demo":
        demo().write(words[words.index("--out") + 1])
        return
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main(words)


def shell(code: str, folder: Path, *, expected: str) -> str:
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
        env=environment(PATH=path),
        timeout=300,
        check=False,
    )
    assert done.returncode == (2 if expected.startswith("tauscope: ") else 0), done.stdout
    return done.stdout


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "80"} | more
