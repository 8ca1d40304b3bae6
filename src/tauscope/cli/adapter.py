"""Commands made from public functions: one adapter reads the signature and the docstring of a function.

A command has the parameters of its function, with the same names, defaults and help (`rng` is `--seed`), and two groups
that every command has: how files are read, and what is written. `COMMANDS` names the function of each command; it is
imported when the command is called.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from cyclopts import Parameter

from ..core.checking import Rng
from ..errors import CallError, Option, TauscopeError
from ..results import Result, parameter_helps, plain, rows
from . import inputs
from .options import (
    BoardReading,
    Coefficient,
    Files,
    Flag,
    Reading,
    ReadingHoles,
    Seed,
    TablesReading,
    Words,
    settings_in,
)
from .output import printable, progress, show_csv, show_json


class Made(NamedTuple):
    """Of which function a command is made, and how.

    Attributes
    ----------
    function : str
        "module:name" of the public function.
    convert : callable
        Makes data of the files: takes them, how they are read, and options of its own, which are keyword-only. It
        returns the data, or the `Arguments` of the function.
    example : str
        What a first call looks like.
    several, optional : bool
        Whether there are several files, or may be none.
    reading : type
        How the files are read.
    views : mapping
        Name of a view in the shell -> property or method of the result.
    parts : bool
        Whether --view shows a part of the answer: one of the `VIEWS` of its result.
    result : str
        "module:class" of the result, if the function does not name it.
    hidden : tuple of str
        Parameters that the shell does not have, because the files give them.
    """

    function: str
    convert: Callable[..., Any]
    example: str
    #: Whether it takes several files.
    several: bool = False
    #: Whether there may be none.
    optional: bool = False
    #: How its files are read.
    reading: type[Any] = Reading
    #: Views of its result: name in the shell -> property or method.
    views: Mapping[str, str] = MappingProxyType({})
    #: Whether --view shows a part of the answer: one of the `VIEWS` of its result.
    parts: bool = False
    #: The class of its result, where the function does not name it.
    result: str = ""
    #: Parameters that the shell does not have: the files give them, or how they are read.
    hidden: tuple[str, ...] = ()


class View(NamedTuple):
    """What is behind a view of a result.

    Attributes
    ----------
    attribute : str
        The property or method.
    types, helps : mapping
        The type and the meaning of each option.
    needed : tuple of str
        The options without a default.
    """

    attribute: str
    types: Mapping[str, Any]
    helps: Mapping[str, str]
    needed: tuple[str, ...]


COMMANDS = {
    "correlate": Made(
        "coefficients.correlate:correlate",
        inputs.rankings_and_truth,
        "judge.csv --truth people.csv --view pairs",
        several=True,
        views={
            "pairs": "pairs",
            "walk": "walk",
            "topics": "by_topic",
            "profile": "profile",
            "thresholds": "thresholds",
            "calibrate": "calibrate_ties",
        },
        result="coefficients.correlation:Correlation",
        hidden=("other", "lower_is_better"),
    ),
    "compare": Made(
        "judges.compare:compare", inputs.judges_and_truth, "judge.csv --truth people.csv", several=True, parts=True
    ),
    "audit": Made("judges.audit:audit", inputs.audited, "judge.csv --truth people.csv", several=True, parts=True),
    "hybrid": Made(
        "judges.hybrid:hybrid",
        inputs.people_and_judge,
        "people.csv --judge judge.csv --view plan",
        optional=True,
        views={"plan": "plan", "next": "next", "difference": "difference"},
        result="judges.hybrid:Hybrid",
    ),
    "gate": Made(
        "boards.gate:gate",
        inputs.board_and_baseline,
        'new.csv --baseline old.csv --claim "mine > theirs" --claim "tau(new, old) >= .9"',
    ),
    "rank": Made(
        "boards.ranks:rank",
        inputs.any_board,
        "board.csv --view neighbours",
        several=True,
        reading=BoardReading,
        views={
            "neighbours": "neighbours",
            "rules": "under_rules",
            "fragility": "fragility",
            "best-set": "best_set",
            "one": "one",
            "strengths": "strengths",
        },
    ),
    "expected": Made(
        "inference.expected_correlation:expected_correlation",
        inputs.scores_with_holes,
        "scores.csv --coefficient tau_ap --view pairs",
        several=True,
        reading=ReadingHoles,
        views={
            "pairs": "pairs",
            "swaps": "swaps",
            "curve": "curve",
            "plan": "topics_needed",
            "sensitivity": "sensitivity",
        },
        hidden=("missing", "interval"),
    ),
    "significance": Made(
        "inference.significance:significance", inputs.scores_and_truth, "judge.csv --truth people.csv"
    ),
    "variance": Made(
        "boards.variance_components:variance_components", inputs.scores_or_repeats, "runs.csv --target 0.95"
    ),
    "measures_correlate": Made(
        "measures:correlations",
        inputs.collections_with_holes,
        "board.csv --coefficient tau_b",
        several=True,
        reading=TablesReading,
        hidden=("missing", "threads"),
    ),
    "measures_rank": Made(
        "measures:rank",
        inputs.collections_with_holes,
        "board.csv --keep 3",
        several=True,
        reading=TablesReading,
        hidden=("missing", "names"),
    ),
    "measures_topics": Made(
        "measures:select_topics",
        inputs.scores_or_table_with_holes,
        "scores.csv --keep 10",
        reading=TablesReading,
        hidden=("missing",),
    ),
    "versions": Made("boards.versions:versions", inputs.versions_of_a_board, "may.csv august.csv", several=True),
}
#: Parameters that the shell calls differently.
RENAMED = {"rng": "seed", "claims": "claim", "k": "keep"}
#: Options of the shell whose type differs from that of the parameter.
CHOICES: dict[tuple[str, str], Any] = {
    ("correlate", "unmatched"): Literal["error", "drop"],
    ("compare", "coefficient"): Coefficient,
    ("expected", "coefficient"): Coefficient,
    ("audit", "coefficient"): Coefficient,
    ("gate", "claims"): Annotated[list[str], Parameter(negative=())],
    ("measures_correlate", "by"): Literal["topic", "system"] | None,
    ("measures_correlate", "coefficient"): Coefficient,
    ("measures_rank", "by"): Literal["topic", "system"] | None,
    ("measures_rank", "method"): Literal["backward", "forward", "determinant", "sheffield", "exact"],
    ("measures_rank", "scale"): Literal["covariance", "correlation"],
    ("measures_rank", "keep"): Annotated[int | None, Parameter(name=["--keep", "-k"])],
    ("measures_topics", "k"): Annotated[int, Parameter(name=["--keep", "-k"])],
    ("measures_topics", "coefficient"): Coefficient,
    ("significance", "test"): Literal["t", "permutation", "wilcoxon"],
    ("significance", "correction"): Literal["maxT", "holm", "fdr", "none"],
}


#: Endings of figures.
PLOTS = (".pdf", ".svg", ".png", ".pgf")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Rendered:
    """What is written."""

    json: Annotated[Flag, Parameter(help="Print facts and answer as one JSON document.")] = False
    csv: Annotated[Flag, Parameter(help="Print the main table as CSV.")] = False
    latex: Annotated[Flag, Parameter(help="Print the main table as LaTeX, with booktabs.")] = False
    methods: Annotated[Flag, Parameter(help="Print claims, all tables, methods and references too.")] = False
    plot: Annotated[Path | None, Parameter(help="Save the main chart: .pdf, .svg, .png or .pgf.")] = None
    html: Annotated[Path | None, Parameter(help="Write the answer as a page for a browser.")] = None
    markdown: Annotated[
        Path | None, Parameter(help="Write the answer as Markdown, such as a comment on a pull request.")
    ] = None

    def check(self) -> None:
        """Refuse, before any work is done, two outputs at once and a figure that cannot be written.

        Raises
        ------
        CallError
        """
        asked = [f"--{name}" for name in ("json", "csv", "latex", "methods") if getattr(self, name)]
        if len(asked) > 1:
            raise CallError(f"{' and '.join(asked)}: choose one.")
        if self.plot is not None and self.plot.suffix.lower() not in PLOTS:
            raise CallError(f"--plot {self.plot}: a figure ends with one of {', '.join(PLOTS)}.")

    def write(self, result: Result, more: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Render an answer as asked.

        Each renderer is imported when it is needed.

        Parameters
        ----------
        result : Result
            What a function returned.
        more : mapping, default {}
            What goes into JSON beside it.
        """
        if self.plot is not None:
            from ..render import mpl

            mpl.save(result.answer().chart().figure, self.plot)
            print(printable(f"figure: {self.plot}"), file=sys.stderr)  # standard output may be JSON
        if self.html is not None:
            from ..pages import Report

            Report(title="", results=(result,)).write(self.html)
            print(printable(f"page: {self.html}"), file=sys.stderr)
        if self.markdown is not None:
            self.markdown.write_text(result.to_markdown(), encoding="utf-8")
            print(printable(f"Markdown: {self.markdown}"), file=sys.stderr)
        if self.json:
            from ..render import json

            show_json(json.document(result) | dict(more))
        elif self.csv:
            show_csv(result.columns())
        elif self.latex:
            print(result.to_latex())
        else:
            from ..render import terminal

            terminal.show(result.answer(), brief=not self.methods)

    def write_part(self, view: Any) -> None:
        """Render a part of an answer: another result as usual, or a table.

        Parameters
        ----------
        view : Result or Table
            What `result.view()` returned.
        """
        if isinstance(view, Result):
            return replace(self, plot=None).write(view)
        from ..answers.wording import unmarked
        from ..render import json, latex, terminal

        columns = {column.key: [row[k] for row in view.rows] for k, column in enumerate(view.columns)}
        if self.json:
            return show_json(json.record(title=unmarked(view.title), rows=plain(rows(columns))))
        if self.csv:
            return show_csv(columns)
        return print(latex.table(view)) if self.latex else terminal.show_table(view)


#: The option that shows a part of an answer.
_PART = inspect.Parameter(
    "view",
    inspect.Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[str | None, Parameter(help="Show one part of the answer: a table, or a result of its own.")],
)


def __getattr__(name: str) -> Any:
    """Make the command `name`; cyclopts asks for it when it is called."""
    if name not in COMMANDS:
        raise AttributeError(name)
    return command(name)


@cache
def command(name: str) -> Callable[..., int]:
    """Make a command of the public function that `COMMANDS` has under this name.

    The options are those of the converter and of the function, then the two groups that every command has. Types,
    defaults and help come from the signature and the docstring.

    Parameters
    ----------
    name : str
        The name of the command.

    Returns
    -------
    callable
        Returns the exit code of the result, 0 by default.
    """
    made = COMMANDS[name]
    function = _named(made.function)
    text = inspect.getdoc(function) or ""
    helps, hints = parameter_helps(text), get_type_hints(function)
    data, *rest = (p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_POSITIONAL)
    asked = {p.name: p for p in inspect.signature(made.convert).parameters.values() if p.kind is p.KEYWORD_ONLY}
    reports = any(p.name == "progress" for p in rest)
    own_kind: Any = Files if made.several else Path | None if made.optional else Path
    kind: Any = Annotated[own_kind, Parameter(help=helps[data.name])]
    place, default = "files" if made.several else "file", None if made.optional else inspect.Parameter.empty
    options = [inspect.Parameter(place, inspect.Parameter.POSITIONAL_ONLY, default=default, annotation=kind)]
    types = get_type_hints(made.convert, include_extras=True)
    options += [p.replace(annotation=types[p.name]) for p in asked.values()]
    for parameter in rest:
        if parameter.name not in (*asked, *made.hidden, "progress"):
            kind = CHOICES.get((name, parameter.name), _option(hints[parameter.name]))
            meaning = helps[parameter.name]
            kind = Annotated[
                kind, Parameter(help=f"{meaning} The same seed gives the same numbers." if kind == Seed else meaning)
            ]
            said = RENAMED.get(parameter.name, parameter.name)
            options.append(
                inspect.Parameter(said, inspect.Parameter.KEYWORD_ONLY, default=parameter.default, annotation=kind)
            )
    shown_by = _named(made.result) if made.result else hints["return"]
    views = _views(shown_by, made.views) if made.views else {}
    options += [_PART] if made.parts else [_view_option(views)] if views else []
    groups: dict[str, Any] = {"reading": made.reading, "words": Words, "rendered": Rendered}
    for group, own_type in groups.items():
        options.append(
            inspect.Parameter(group, inspect.Parameter.KEYWORD_ONLY, default=own_type(), annotation=own_type)
        )

    def run(files: Any = None, /, **named: Any) -> int:
        reading, words, rendered = (named.pop(group, own_type()) for group, own_type in groups.items())
        part = named.pop("view", None) if made.parts else None
        shown = _shown(views, named.pop("view", None))
        back = {RENAMED.get(p.name, p.name): p.name for p in rest}
        given = {back.get(key, key): None if value == "none" else value for key, value in named.items()}
        with words.said():
            read = made.convert(files, reading, **{key: value for key, value in given.items() if key in asked})
            known = {p.name for p in rest}
            given = {key: value for key, value in given.items() if key in known}
            given |= read if isinstance(read, inputs.Arguments) else {data.name: read}
            with progress(name) if reports else nullcontext() as report:
                result = function(**given, **({"progress": report} if reports else {}))
            if part is None:
                rendered.write(shown(result))
            else:
                rendered.write_part(result.view(part))
        return getattr(result, "exit_code", 0)

    run.__name__ = name
    run.__doc__ = f"{summary(text)}\n\nExample: `tauscope {name.replace('_', ' ')} {made.example}`"
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _named(place: str) -> Any:
    """Import "module:name" of the package."""
    module, _, own = place.partition(":")
    return getattr(importlib.import_module(f"tauscope.{module}"), own)


def _views(result: type[Result], names: Mapping[str, str]) -> dict[str, View]:
    """Return for each view the property or method behind it, and the parameters of a method."""
    found = {}
    for view, attribute in names.items():
        own = inspect.getattr_static(result, attribute)
        known = list(inspect.signature(own).parameters.values())[1:] if inspect.isfunction(own) else []
        types = {p.name: eval(str(p.annotation), own.__globals__) for p in known}
        helps = parameter_helps(inspect.getdoc(own) or "")
        found[view] = View(
            attribute,
            types={RENAMED.get(name, name): kind for name, kind in types.items()},
            helps={RENAMED.get(name, name): helps[name] for name in types},
            needed=tuple(p.name for p in known if p.default is p.empty),
        )
    return found


def _view_option(views: Mapping[str, View]) -> inspect.Parameter:
    """Make the option --view, which names a view and the options that this view has."""
    having = {name: view for name, view in views.items() if view.types}
    helps = (
        f" Of {name}: {' '.join(f'{own}= {meaning}' for own, meaning in view.helps.items())}"
        for name, view in having.items()
    )
    shown = Parameter(help=f"Show another view of the result: {', '.join(views)}.")
    if having:
        shown = Parameter(
            help=f"{shown.help} Options of a view follow a colon: {next(iter(having))}:NAME=VALUE,NAME=VALUE."
            f"{''.join(helps)}"
        )
    kind: Any = Annotated[str | None, shown]
    return inspect.Parameter("view", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)


def _shown(views: Mapping[str, View], asked: str | None) -> Callable[[Any], Result]:
    """Return what shows the asked view of a result, NAME or NAME:OPTION=VALUE,OPTION=VALUE."""
    if asked is None or not views:
        return lambda result: result
    name, _, settings = asked.partition(":")
    if name not in views:
        raise CallError(f"--view {name}: there is no such view. Choose one of {', '.join(views)}.")
    view = views[name]
    if settings and not view.types:
        raise CallError(f"--view {name} has no options: leave out {settings}.")
    given = settings_in(settings, view.types, f"--view {name}:") if settings else {}
    for option in view.needed:
        if option not in given:
            raise CallError(f"--view {name} needs {option}: write --view {name}:{option}=….")

    def shown(result: Any) -> Result:
        if not hasattr(result, view.attribute):
            raise CallError(f"--view {name} is not for these files.")
        own = getattr(result, view.attribute)
        known = inspect.signature(own).parameters if callable(own) else {}
        named = {next((old for old, new in RENAMED.items() if new == key), key): value for key, value in given.items()}
        for option in named:
            if option not in known:
                raise CallError(f"--view {name}:{option}= says nothing of these files: leave it out.")
        for option, parameter in known.items():
            if parameter.default is parameter.empty and option not in named:
                raise CallError(f"--view {name} needs {option}: write --view {name}:{option}=….")
        try:
            return own(**named) if callable(own) else own  # type: ignore[no-any-return]
        except TauscopeError as error:
            raise type(error)(error.problem, *(_in_view(way, name, view, given) for way in error.ways_out)) from None

    return shown


def _in_view(way: Any, name: str, view: View, given: Mapping[str, Any]) -> Any:
    """Word a fix that is an option of a view as a value of --view."""
    option = RENAMED.get(way.name, way.name) if isinstance(way, Option) else None
    if option not in view.types:
        return way
    texts = [
        f"{name}:{','.join(f'{key}={_text(one)}' for key, one in {**given, str(option): value}.items())}"
        for value in way.values or ("…",)
    ]
    return Option("view", *texts, effect=way.effect)


def _text(value: Any) -> str:
    """Write a value as in the settings of a view."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _option(hint: Any) -> Any:
    """Return the type of an option in the shell: a seed is a whole number, a record is named, a list has names."""
    if hint == Rng:
        return Seed
    parts = set(get_args(hint)) - {type(None)}
    for part in (hint, *parts):
        if get_origin(part) is Iterable:
            return list[int] if get_args(part) == (int,) else list[str]
    records = [part for part in parts if getattr(part, "__module__", "").startswith("tauscope")]
    return str if str in parts and records else hint


def summary(text: str) -> str:
    r"""Return the summary of a docstring and its first paragraph, which says when to use the function and when not.

    Examples
    --------
    >>> summary("Do it.\n\nNot on\nMondays.\n\nParameters")
    'Do it.\n\nNot on Mondays.'
    """
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n")[:2])
