"""Sentences that a user reads stand in templates, docstrings, errors and records, and nowhere else in the code."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "tauscope"
#: A literal with as many words is a sentence.
SENTENCE = 5
#: Errors and their fixes, and records whose fields are texts: a call of one of these may hold sentences.
HOLDERS = {
    *("Option", "Advice", "Remark", "Finding", "warning", "note"),
    *(
        "Coefficient",
        "Rule",
        "Measure",
        "Method",
        "Kind",
        "Question",
        "Role",
        "Parameter",
        "Made",
        "Format",
        "Document",
        "Check",
    ),
}
#: Modules that are a list of records: commands, buttons, conventions of measures, names of printed numbers.
LISTS = (
    "results.py",
    "app/fixes.py",
    "cli/commands.py",
    "coefficients/calling.py",
    "evaluation/conventions.py",
    "replications/",
)
#: Policies, commands, code and markup are not sentences.
NOT_PROSE = (
    "default-src",
    "<",
    "display:",
    "https://",
    "position:",
    "tauscope.",
    ".select(",
    "Path=/",
    "--",
    "color-mix",
    "{\\s",
)
#: Notes on how data were read, parts of errors that are put together, and notes of results: what is left may only fall.
LEFT = {
    "app/": 15,
    "boards/": 20,
    "cli/": 19,
    "coefficients/": 16,
    "core/": 1,
    "data/": 58,
    "evaluation/": 31,
    "experiments/": 6,
    "inference/": 10,
    "io/": 67,
    "jobs/": 8,
    "judges/": 1,
    "papers.py": 1,
    "simulate/": 2,
}


def words(text: str) -> int:
    return sum(any(letter.isalpha() for letter in word) for word in text.split())


class Sentences(ast.NodeVisitor):
    """Literals that are sentences, outside docstrings, `raise`, errors and records."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []

    def _body(self, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        first = node.body[0] if node.body else None
        documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        for statement in node.body[documented:]:
            self.visit(statement)

    def visit_Module(self, node: ast.Module) -> None:
        self._body(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._body(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in (*node.decorator_list, node.args):
            self.visit(part)
        self._body(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._body(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """An error is worded where it is raised."""

    def visit_Call(self, node: ast.Call) -> None:
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name not in HOLDERS and not name.endswith(("Error", "error", "Stopped", "TooLarge")):
            self.generic_visit(node)

    def _take(self, line: int, text: str) -> None:
        if words(text) >= SENTENCE and not any(mark in text for mark in NOT_PROSE):
            self.found.append((line, text))

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._take(node.lineno, node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        parts = (part.value if isinstance(part, ast.Constant) else " x " for part in node.values)
        self._take(node.lineno, "".join(map(str, parts)))


def sentences() -> dict[str, list[tuple[int, str]]]:
    """Sentences by module."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name == "errors.py" or name.startswith(LISTS):
            continue
        looker = Sentences()
        looker.visit(ast.parse(path.read_text(encoding="utf-8")))
        if looker.found:
            found[name] = looker.found
    return found


def test_no_more_sentences_stand_outside_templates_docstrings_errors_and_records() -> None:
    counted: dict[str, int] = {}
    for name, texts in sentences().items():
        package, inside, _ = name.partition("/")
        counted[package + inside] = counted.get(package + inside, 0) + len(texts)
    assert counted == LEFT, "lower the numbers of LEFT where there are fewer; where there are more, use a template"
