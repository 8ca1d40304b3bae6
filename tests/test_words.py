"""Sentences that a user reads stand in templates, docstrings, errors and records, and nowhere else in the code."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "tauscope"
#: A literal with as many words is a sentence.
SENTENCE = 5
#: A literal with fewer words besides its numbers and names is their format: `name (year). title.`
WORDS = 3
PLACEHOLDER = " x "
#: Errors and their fixes, and records whose fields are texts: a call of one of these may hold sentences.
HOLDERS = {
    # Checks whose argument is a part of the error that they raise.
    *("_fail", "label", "refuse", "refuse_clusters", "several"),
    # What makes a remark.
    "remark",
    *("Option", "Advice", "Refusal", "button", "Remark", "Finding", "warning", "note"),
    *(
        "Coefficient",
        "Rule",
        "Measure",
        "Method",
        "Kind",
        "Question",
        "Reason",
        "Role",
        "Parameter",
        "Made",
        "Format",
        "Document",
        "Check",
    ),
}
#: Attributes of classes that are their text, as methods of estimation have one.
TEXTS = ("TEXT", "TEXTS")
#: Modules that are a list of records: commands, buttons, conventions of measures, names of printed numbers.
LISTS = (
    "results.py",
    "app/fixes.py",
    "cli/commands.py",
    "coefficients/calling.py",
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
    " Q0 ",
)


def words(text: str) -> int:
    return sum(any(letter.isalpha() for letter in word) for word in text.split())


def name_of(node: ast.AST | None) -> str:
    """The last part of a name: `Advice` of `errors.Advice`; "" for anything else."""
    return str(getattr(node, "id", getattr(node, "attr", "")))


def is_error(name: str) -> bool:
    return name.endswith(("Error", "error", "Stopped"))


class Sentences(ast.NodeVisitor):
    """Literals that are sentences, outside docstrings, `raise`, errors and records."""

    def __init__(self, module: ast.Module) -> None:
        self.found: list[tuple[int, str]] = []
        calls = [call for call in ast.walk(module) if isinstance(call, ast.Call) and name_of(call.func) in HOLDERS]
        #: Constants of the module that are a text field of one of its records.
        given = [value for call in calls for value in (*call.args, *(k.value for k in call.keywords))]
        self.fields = {name_of(part) for value in given for part in ast.walk(value)} - {""}

    def _body(self, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        first = node.body[0] if node.body else None
        documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        for statement in node.body[documented:]:
            self.visit(statement)

    def visit_Module(self, node: ast.Module) -> None:
        self._body(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        bases = [name_of(base) for base in node.bases]
        if any(map(is_error, bases)):
            return  # an error has its words with it
        texts = [
            statement
            for statement in node.body
            if (isinstance(statement, ast.Assign) and "Enum" in bases)  # a record per member
            or (isinstance(statement, ast.AnnAssign) and (node.name in HOLDERS or name_of(statement.target) in TEXTS))
        ]
        self._body(ast.ClassDef(**vars(node) | {"body": [one for one in node.body if one not in texts]}))

    def visit_Assign(self, node: ast.Assign) -> None:
        targets = {name_of(target) for target in node.targets}
        if "__doc__" not in targets and (node.col_offset or not targets & self.fields):
            self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg != "help":  # the text of an option
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if is_error(name_of(node.returns)):
            return  # its only job is to make an error
        for part in (*node.decorator_list, node.args):
            self.visit(part)
        self._body(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._body(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """An error is worded where it is raised."""

    def visit_Call(self, node: ast.Call) -> None:
        name = name_of(node.func)
        pattern = name == "compile" and name_of(node.func.value) == "re"  # type: ignore[attr-defined]
        if name not in HOLDERS and not is_error(name) and not pattern:
            self.generic_visit(node)

    def _take(self, line: int, text: str) -> None:
        literal = words(text.replace(PLACEHOLDER, " "))
        if literal >= WORDS and words(text) >= SENTENCE and not any(mark in text for mark in NOT_PROSE):
            self.found.append((line, text))

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._take(node.lineno, node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        parts = (part.value if isinstance(part, ast.Constant) else PLACEHOLDER for part in node.values)
        self._take(node.lineno, "".join(map(str, parts)))


def sentences() -> dict[str, list[tuple[int, str]]]:
    """Sentences by module."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name == "errors.py" or name.startswith(LISTS):
            continue
        module = ast.parse(path.read_text(encoding="utf-8"))
        looker = Sentences(module)
        looker.visit(module)
        if looker.found:
            found[name] = looker.found
    return found


def test_sentences_stand_in_templates_docstrings_errors_and_records() -> None:
    found = [f"{name}:{line}: {text}" for name, texts in sentences().items() for line, text in texts]
    assert not found, "use a template (a Note of texts/notes.txt for what is told of data):\n" + "\n".join(found)
