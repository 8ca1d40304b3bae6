"""Sentences that a user reads stand in templates, docstrings, errors and records, and nowhere else in the code."""

from __future__ import annotations

import ast
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tauscope import Scores
from tauscope.answers.wording import environment
from tauscope.results import Note

SOURCE = Path(__file__).resolve().parent.parent / "src" / "tauscope"
#: A literal with as many words is a sentence.
SENTENCE = 5
#: A literal with fewer words besides its numbers and names is their format: `name (year). title.`
WORDS = 3
PLACEHOLDER = " x "
#: Calls that may hold sentences.
HOLDERS = {
    # Errors and their fixes.
    *("Advice", "Option", "Refusal", "_fail", "button"),
    # Checks: one of their arguments is a part of the error that they raise.
    *("label", "refuse", "refuse_clusters", "several"),
    # What is wrong with data, and what a replication or a format says of them.
    *("Finding", "Reason", "Remark", "note", "remark", "warning"),
    # Records with texts.
    *("Check", "Coefficient", "Document", "Format", "Kind", "Made", "Measure", "Method", "Parameter", "Question"),
    *("Role", "Rule"),
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
    "--ink",
    "tauscope compare ",
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


def codes() -> Iterator[tuple[str, bool]]:
    """The code of each `Note(...)` in the source, and whether it is whole: `Note(f"ties_{ties}")` is not."""
    for path in SOURCE.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and name_of(call.func) == "Note" and call.args:
                code = call.args[0]
                if isinstance(code, ast.Constant):
                    yield str(code.value), True
                elif isinstance(code, ast.JoinedStr) and isinstance(code.values[0], ast.Constant):
                    yield str(code.values[0].value), False


def test_every_note_has_its_words() -> None:
    blocks = set(environment().get_template("notes.txt").blocks)
    for code, whole in codes():
        assert code in blocks if whole else any(block.startswith(code) for block in blocks), code


def test_a_note_is_made_without_templates_and_travels_as_code_numbers_and_text(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("topic,bm25,dense\nq1,0.2,0.3\nq2,0.4,\n", encoding="utf-8")
    code = (
        "import sys, tauscope\n"
        f"scores = tauscope.Scores.read({str(path)!r}, missing='drop-topics').negated()\n"
        "assert scores.lower_is_better\n"
        "print(sorted(name for name in ('jinja2', 'pandas', 'scipy') if name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
    scores = Scores.read(path, missing="drop-topics")
    note = scores.notes[-1]
    assert note == "1 topic with missing cells dropped: 'q2'"
    assert "missing cells" in note
    assert hash(note) == hash(str(note))
    assert pickle.loads(pickle.dumps(scores)).notes == scores.notes
    found = json.loads(json.dumps(scores.to_dict()))["notes"][-1]
    assert found == {"code": "holes_dropped", "one": "topic", "labels": ["q2"], "text": str(note)}
    assert Note.written(found) == note
    assert Note.written("as it was written") == "as it was written"
    assert Note.written({"code": 1, "text": "no"}) is None


def test_the_commands_that_texts_name_exist() -> None:
    import re

    from tauscope.cli import build

    texts = (SOURCE / "answers" / "texts").glob("*.txt")
    named = {name for path in texts for name in re.findall(r"tauscope ([a-z]+)", path.read_text(encoding="utf-8"))}
    assert named
    assert named <= {name for name in build() if not name.startswith("-")}
