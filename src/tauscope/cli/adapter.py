"""Commands made from public functions: one adapter reads the signature and the docstring of a function.

A command has the parameters of its function, with the same names, defaults and help (`rng` is `--seed`), and two groups
that every command has: how files are read, and what is written. `COMMANDS` names the function of each command; it is
imported when the command is called.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

from cyclopts import Parameter

from ..errors import CallError
from ..jobs.seeds import Rng
from ..results import Facts, Result, plain, rows
from . import inputs
from .options import Coefficient, Files, Flag, Reading, Seed, Words
from .output import printable, show_csv, show_json
from .progress import progress


class Made(NamedTuple):
    """Of which function a command is made, how its files become data, and what a first call looks like.

    Keyword-only parameters of `convert` are options too; it returns the data, or the `Arguments` of the function.
    """

    function: str
    convert: Callable[..., Any]
    example: str
    #: Whether it takes several files.
    several: bool = False


COMMANDS = {
    "compare": Made("judges.compare:compare", inputs.judges_and_truth, "judge.csv --truth people.csv", several=True),
    "significance": Made(
        "inference.significance:significance", inputs.scores_and_truth, "judge.csv --truth people.csv"
    ),
    "variance": Made(
        "boards.variance_components:variance_components", inputs.scores_or_repeats, "runs.csv --target 0.95"
    ),
    "versions": Made("boards.versions:versions", inputs.versions_of_a_board, "may.csv august.csv", several=True),
}
#: Parameters that the shell calls differently.
RENAMED = {"rng": "seed"}
#: Options of the shell whose type differs from that of the parameter.
CHOICES: dict[tuple[str, str], Any] = {
    ("compare", "coefficient"): Coefficient,
    ("significance", "test"): Literal["t", "permutation", "wilcoxon"],
    ("significance", "correction"): Literal["maxT", "holm", "fdr", "none"],
}


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Rendered:
    """What is written."""

    json: Annotated[Flag, Parameter(help="Print facts and answer as one JSON document.")] = False
    csv: Annotated[Flag, Parameter(help="Print the main table as CSV.")] = False
    latex: Annotated[Flag, Parameter(help="Print the main table as LaTeX, with booktabs.")] = False
    methods: Annotated[Flag, Parameter(help="Print claims, all tables, methods and references too.")] = False
    plot: Annotated[Path | None, Parameter(help="Save the main chart: .pdf, .svg, .png or .pgf.")] = None
    view: Annotated[str | None, Parameter(help="Show one part of the answer: a table, or a result of its own.")] = None

    def write(self, result: Facts) -> None:
        """Render the answer as asked. Each renderer is imported when it is needed."""
        asked = [f"--{name}" for name in ("json", "csv", "latex", "methods") if getattr(self, name)]
        if len(asked) > 1:
            raise CallError(f"{' and '.join(asked)}: choose one.")
        if self.plot is not None:
            from ..render import mpl

            mpl.save(result.answer().chart().figure, self.plot)
            print(printable(f"figure: {self.plot}"), file=sys.stderr)  # standard output may be JSON
        if self.view is not None:
            self._write_view(result.view(self.view))
        elif self.json:
            from ..render import json

            show_json(json.document(result))
        elif self.csv:
            show_csv(result.columns())
        elif self.latex:
            print(result.to_latex())
        else:
            from ..render import terminal

            terminal.show(result.answer(), brief=not self.methods)

    def _write_view(self, view: Any) -> None:
        """Write another result as usual, or a table."""
        if isinstance(view, Facts):
            return replace(self, view=None, plot=None).write(view)
        if isinstance(view, Result):
            if self.json:
                return show_json(view.to_dict())
            return show_csv(view.columns()) if self.csv else print(view.to_latex() if self.latex else view)
        columns = {column.key: [row[k] for row in view.rows] for k, column in enumerate(view.columns)}
        if self.json:
            return show_json({"title": view.title, "rows": plain(rows(columns))})
        if self.csv:
            return show_csv(columns)
        from ..render import latex, terminal

        return print(latex.table(view)) if self.latex else terminal.show_table(view)


def __getattr__(name: str) -> Any:
    """Make the command `name`; cyclopts asks for it when it is called."""
    if name not in COMMANDS:
        raise AttributeError(name)
    return command(name)


@cache
def command(name: str) -> Callable[..., None]:
    """Make a command of the public function that `COMMANDS` has under this name."""
    made = COMMANDS[name]
    module, _, own = made.function.partition(":")
    function = getattr(importlib.import_module(f"tauscope.{module}"), own)
    text = inspect.getdoc(function) or ""
    helps, hints = parameter_helps(text), get_type_hints(function)
    data, *rest = (p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_POSITIONAL)
    asked = {p.name: p for p in inspect.signature(made.convert).parameters.values() if p.kind is p.KEYWORD_ONLY}
    reports = any(p.name == "progress" for p in rest)
    kind: Any = Annotated[Files if made.several else Path, Parameter(help=helps[data.name])]
    place = "files" if made.several else "file"
    options = [inspect.Parameter(place, inspect.Parameter.POSITIONAL_ONLY, annotation=kind)]
    types = get_type_hints(made.convert, include_extras=True)
    options += [p.replace(annotation=types[p.name]) for p in asked.values()]
    for parameter in rest:
        if parameter.name not in asked and parameter.name != "progress":
            kind = CHOICES.get((name, parameter.name), _option(hints[parameter.name]))
            kind = Annotated[kind, Parameter(help=helps[parameter.name])]
            said = RENAMED.get(parameter.name, parameter.name)
            options.append(
                inspect.Parameter(said, inspect.Parameter.KEYWORD_ONLY, default=parameter.default, annotation=kind)
            )
    for group in (Reading, Words, Rendered):
        options.append(
            inspect.Parameter(group.__name__.lower(), inspect.Parameter.KEYWORD_ONLY, default=group(), annotation=group)
        )

    def run(files: Any, **named: Any) -> None:
        reading, words, rendered = (named.pop(group.__name__.lower(), group()) for group in (Reading, Words, Rendered))
        back = {new: old for old, new in RENAMED.items()}
        given = {back.get(key, key): None if value == "none" else value for key, value in named.items()}
        with words.said():
            read = made.convert(files, reading, **{key: value for key, value in given.items() if key in asked})
            known = {p.name for p in rest}
            given = {key: value for key, value in given.items() if key in known}
            given |= read if isinstance(read, inputs.Arguments) else {data.name: read}
            with progress(name) if reports else nullcontext() as report:
                result = function(**given, **({"progress": report} if reports else {}))
            rendered.write(result)

    run.__name__, run.__doc__ = name, f"{summary(text)}\n\nExample: `tauscope {name} {made.example}`"
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _option(hint: Any) -> Any:
    """Return the type of an option: a seed is a whole number in the shell."""
    return Seed if hint == Rng else hint


def summary(text: str) -> str:
    """Return the summary of a docstring and its first paragraph, which says when to use the function and when not."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n")[:2])


def parameter_helps(text: str) -> dict[str, str]:
    """Return the description of each parameter of a numpydoc docstring."""
    _, _, rest = text.partition("Parameters\n----------\n")
    body = re.split(r"\n\n\w[\w ]*\n-{3,}\n", rest)[0]
    helps: dict[str, str] = {}
    for names, described in re.findall(r"^(\S[^\n]*?)(?: : [^\n]*)?\n((?:    [^\n]*\n?)+)", body, re.MULTILINE):
        helps |= {name.strip(): " ".join(described.split()) for name in names.split(",")}
    return helps
