"""How large is Tauscope, and how far is it from its budgets?

    python benchmarks/size.py [--json FILE]

Counts what the design limits: lines of Python code in `src` (lines with a token that is neither comment nor docstring),
modules, crowded packages, public names, commands, options, functions with many parameters, docstrings per line of code,
the demo's page, and how many modules `tauscope compare` enters. `python3 run.py size` calls it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import inspect
import io
import json
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent / "src" / "tauscope"
#: The largest figure of each line after "Question by question" and after "The ground"; a smallest one for docstrings.
BUDGETS = {
    "lines of code": (34_500, 29_500),
    "lines of templates and texts": (None, None),
    "modules": (260, 190),
    "packages with more than 20 modules": (2, 0),
    "public names": (50, 50),
    "commands in --help": (18, 18),
    "distinct options": (90, 90),
    "functions with more than 10 parameters": (3, 3),
    "docstring lines per line of code": (0.4, 0.5),
    "demo page, kB": (250, 250),
    "modules entered by compare": (50, 40),
    "calls across packages in compare": (50, 35),
}
AT_LEAST = ("docstring lines per line of code",)
#: More modules than this make a package crowded; more parameters make a function so.
CROWDED, MANY = 20, 10
PROSE = (".txt", ".html", ".svg", ".md", ".j2")


def docstrings(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """First and last line of every docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                yield first.lineno, first.end_lineno or first.lineno


def lines_of(path: Path) -> tuple[int, int]:
    """Lines of code, and lines of docstrings that are not empty."""
    text = path.read_text(encoding="utf-8")
    prose = {line for first, last in docstrings(ast.parse(text)) for line in range(first, last + 1)}
    skipped = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skipped:
            code.update(range(token.start[0], token.end[0] + 1))
    rows = text.splitlines()
    return len(code - prose), sum(1 for line in prose if rows[line - 1].strip())


def with_many(names: list[str]) -> int:
    """Public functions, and methods of public classes, with more than ten parameters; `**options` counts as eleven."""
    import tauscope

    found: set[Any] = set()
    for public in (getattr(tauscope, name) for name in names):
        own = (
            vars(public).items()
            if inspect.isclass(public)
            else ((public.__name__, public),)
            if callable(public)
            else ()
        )
        for name, function in own:
            inner = getattr(function, "__func__", function)
            if name.startswith("_") or not inspect.isfunction(inspect.unwrap(inner)):
                continue
            listed = inspect.signature(inner).parameters.values()
            given = [one for one in listed if one.name not in ("self", "cls") and one.kind is not one.VAR_POSITIONAL]
            if len(given) + MANY * sum(one.kind is one.VAR_KEYWORD for one in given) > MANY:
                found.add(inner)
    return len(found)


def commands() -> tuple[int, int]:
    """Commands in `tauscope --help`, and distinct options of all commands."""
    from tauscope.cli import build

    def walk(app: Any) -> Iterator[Any]:
        for name in app:
            if not name.startswith("-"):
                inner = app[name]
                below = [one for one in inner if not one.startswith("-")]
                yield from walk(inner) if below else [inner]

    app, flags = build(), set()
    for command in walk(app):
        for argument in command.assemble_argument_collection(parse_docstring=False):
            flags |= {name for name in argument.names if name.startswith("--") and not name.startswith("--no-")}
    return sum(1 for name in app if not name.startswith("-")), len(flags)


def entered(words: list[str]) -> tuple[int, int]:
    """Modules of ours that a command enters, and distinct calls from a module of one package into that of another."""
    from tauscope.cli import main

    root, modules, calls = str(SOURCE), set(), set()

    def package(name: str) -> str:
        return name[len(root) + 1 :].partition("/")[0]

    def is_module(name: str) -> bool:
        return name.startswith(root) and name.endswith(".py")  # templates have frames too

    def look(frame: Any, event: str, _: Any) -> None:
        own = frame.f_code.co_filename
        if event == "call" and is_module(own) and frame.f_code.co_name != "<module>":
            modules.add(own)
            before = frame.f_back.f_code.co_filename if frame.f_back else ""
            if is_module(before) and package(before) != package(own):
                calls.add((before, own))

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        sys.setprofile(look)
        try:
            main(words)
        finally:
            sys.setprofile(None)
    return len(modules), len(calls)


def measured() -> dict[str, float]:
    """Every figure."""
    import tauscope
    from tauscope.cli import main

    files = sorted(SOURCE.rglob("*.py"))
    counted = [lines_of(path) for path in files]
    code, prose = (sum(own) for own in zip(*counted, strict=True))
    per_package = Counter(path.parent for path in files)
    texts = [path for path in SOURCE.rglob("*") if path.suffix in PROSE]
    shown, options = commands()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        main(["demo", "--out", f"{folder}/demo"])
        pages = [page.stat().st_size for page in Path(folder).rglob("*.html")]
        machine, human = f"{folder}/demo/ap-machine.csv", f"{folder}/demo/ap-human.csv"
        modules, calls = entered(["compare", machine, "--truth", human])
    return {
        "lines of code": code,
        "lines of templates and texts": sum(len(path.read_text(encoding="utf-8").splitlines()) for path in texts),
        "modules": len(files),
        "packages with more than 20 modules": sum(size > CROWDED for size in per_package.values()),
        "public names": len(tauscope.__all__),
        "commands in --help": shown,
        "distinct options": options,
        "functions with more than 10 parameters": with_many(tauscope.__all__),
        "docstring lines per line of code": round(prose / code, 2),
        "demo page, kB": round(max(pages) / 1000),
        "modules entered by compare": modules,
        "calls across packages in compare": calls,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = measured()
    print("| | now | first budget | second budget |\n|---|---|---|---|")
    for name, value in found.items():
        cells = []
        for budget in BUDGETS[name]:
            met = budget is None or (value >= budget if name in AT_LEAST else value <= budget)
            cells.append("–" if budget is None else f"{budget:,}{'' if met else ' (missed)'}")
        print(f"| {name} | {value:,} | {' | '.join(cells)} |")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
