"""Commands made from public functions: one adapter reads the signature and the docstring of a function.

A command has the parameters of its function, with the same names, defaults and help (`rng` is `--seed`), and two groups
that every command has: how files are read, and what is written. `COMMANDS` names the function of each command; it is
imported when the command is called.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
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
    RENAMED,
    BoardReading,
    Coefficient,
    Coefficients,
    Documents,
    Files,
    Flag,
    LongWork,
    Many,
    ManyNumbers,
    Reading,
    ReadingHoles,
    Seed,
    Tables,
    TablesReading,
    Within,
    Words,
    names_in,
    numbers_in,
    settings_in,
    together,
)
from .output import printable, progress, show_csv, show_json


class Made(NamedTuple):
    """Of which function a command is made, and how.

    Attributes
    ----------
    function : str
        "module:name" of the public function.
    convert : callable
        Makes data of the files: takes them (several, one, or perhaps none, as its type says), how they are read, and
        options of its own, which are keyword-only. It returns the data, or the `Arguments` of the function.
    example : str
        What a first call looks like.
    reading : type or None
        How the files are read; None for what the converter says.
    views : mapping
        Name of a view in the shell -> property or method of the result.
    parts : bool
        Whether --view shows a part of the answer: one of the `VIEWS` of its result.
    result : str
        "module:class" of the result, if the function does not name it.
    hidden : tuple of str
        Parameters that the shell does not have, because the files give them.
    numbers : mapping
        Parameter that takes numbers separated by commas -> their type.
    files : Parameter
        What the files hold, where the docstring says it for callers in Python only.
    holes : str
        The value of `missing` where --missing is keep.
    work : bool
        Whether the function takes workers and a checkpoint.
    """

    function: str
    convert: Callable[..., Any]
    example: str
    #: How its files are read, where the converter takes more than one way.
    reading: Any = None
    #: Views of its result: name in the shell -> property or method.
    views: Mapping[str, str] = MappingProxyType({})
    #: Whether --view shows a part of the answer: one of the `VIEWS` of its result.
    parts: bool = False
    #: The class of its result, where the function does not name it.
    result: str = ""
    #: Parameters that the shell does not have: the files give them, or how they are read.
    hidden: tuple[str, ...] = ()
    #: Parameter that takes numbers separated by commas -> their type.
    numbers: Mapping[str, type] = MappingProxyType({})
    #: What the files hold, where the docstring says it for callers in Python only.
    files: Parameter | None = None
    #: What `missing` is where missing cells are kept.
    holes: str = ""
    #: Whether the function takes workers and a checkpoint.
    work: bool = False


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
    "compare": Made("judges.compare:compare", inputs.judges_and_truth, "judge.csv --truth people.csv", parts=True),
    "audit": Made("judges.audit:audit", inputs.audited, "judge.csv --truth people.csv", parts=True),
    "hybrid": Made(
        "judges.hybrid:hybrid",
        inputs.people_and_judge,
        "people.csv --judge judge.csv --view plan",
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
        inputs.scores,
        "scores.csv --coefficient tau_ap --view pairs",
        holes="adjusted",
        views={
            "pairs": "pairs",
            "swaps": "swaps",
            "curve": "curve",
            "plan": "topics_needed",
            "sensitivity": "sensitivity",
        },
        hidden=("interval",),
    ),
    "significance": Made(
        "inference.significance:significance", inputs.scores_and_truth, "judge.csv --truth people.csv"
    ),
    "variance": Made(
        "boards.variance_components:variance_components", inputs.scores_or_repeats, "runs.csv --target 0.95"
    ),
    "measures_correlate": Made(
        "measures:correlations",
        inputs.collections,
        "board.csv --coefficient tau_b",
        holes="pairwise",
        hidden=("threads",),
    ),
    "measures_rank": Made(
        "measures:rank",
        inputs.collections,
        "board.csv --keep 3",
        holes="pairwise",
        hidden=("names",),
    ),
    "measures_topics": Made(
        "measures:select_topics",
        inputs.scores_or_table,
        "scores.csv --keep 10",
        holes="adjusted",
    ),
    "versions": Made("boards.versions:versions", inputs.versions_of_a_board, "may.csv august.csv"),
    "measures_low_to_high": Made(
        "measures.depths:low_to_high",
        inputs.collections_by_depth,
        "depths.csv --target AP --depths 10 20 --target-depths 100",
        hidden=("criterion", "targets", "select_on"),
        files=Parameter(
            help="Tables of systems by measures with the depth in their labels, AP(depth=10), one per collection. Each "
            "collection is predicted from the others; a single one in five parts."
        ),
    ),
    "experiments_power": Made(
        "experiments.power:predictive_power",
        inputs.cube,
        "AP=ap.csv P@10=p10.csv --draws 200",
        numbers={"topics": int, "tied_within": float},
        files=Parameter(
            help="Scores of systems on topics. Matrices that do not name their measure are given as AP=ap.csv "
            "P@10=p10.csv."
        ),
        work=True,
    ),
    "experiments_judgments": Made(
        "experiments.judgments:incomplete_judgments",
        inputs.runs_and_qrels,
        "runs/ --qrels qrels.txt --percents 5,10,30",
        numbers={"percents": float, "tied_within": float},
        files=Parameter(help="Run files, or one folder of them."),
        work=True,
    ),
    "experiments_swaps": Made(
        "experiments.perturbation:swap_experiment",
        inputs.scores,
        "scores.csv --swaps 3 --pairs not",
        hidden=("tied_within",),
        files=Parameter(help="Scores of systems on topics."),
        work=True,
    ),
    "experiments_perturb": Made(
        "experiments.perturbation:perturb",
        inputs.moved_ranking,
        "scores.csv --amplitudes 0.5,1",
        hidden=("keep_ranks", "tied_within"),
        numbers={"amplitudes": float},
        files=Parameter(help="Systems and scores, or a matrix of topics by systems (then their means)."),
    ),
}
#: How files are read where missing cells are allowed -> where they can be kept too.
HOLES: dict[type[Any], type[Any]] = {Reading: ReadingHoles, Tables: TablesReading}
#: Parameters that no option has: who does the work, and who hears of it.
WORK = ("executor", "checkpoint", "progress")
#: Options of the shell whose type differs from that of the parameter, in one command, in a group of them or in all.
CHOICES: dict[tuple[str, str], Any] = {
    ("correlate", "unmatched"): Literal["error", "drop"],
    ("", "coefficient"): Coefficient,
    ("gate", "claims"): Annotated[list[str], Parameter(negative=())],
    ("measures", "by"): Literal["topic", "system"] | None,
    ("measures_rank", "method"): Literal["backward", "forward", "determinant", "sheffield", "exact"],
    ("measures_rank", "scale"): Literal["covariance", "correlation"],
    ("measures_rank", "keep"): Annotated[int | None, Parameter(name=["--keep", "-k"])],
    ("measures_topics", "k"): Annotated[int, Parameter(name=["--keep", "-k"])],
    ("measures_low_to_high", "predictors"): Many,
    ("measures_low_to_high", "depths"): ManyNumbers,
    ("measures_low_to_high", "target_depths"): ManyNumbers,
    ("experiments", "coefficients"): Annotated[Coefficients, Parameter(help="One or more of the catalogue.")],
    ("experiments", "rng"): Seed,
    ("experiments", "tied_within"): Within,
    ("experiments_power", "other_ties"): Literal["discordant", "zero"],
    ("experiments_judgments", "ties"): Literal["trec_eval", "exact", "input"],
    ("experiments_swaps", "pairs"): Literal["significant", "not", "any"],
    ("significance", "test"): Literal["t", "permutation", "wilcoxon"],
    ("significance", "correction"): Literal["maxT", "holm", "fdr", "none"],
}


#: Endings of figures.
PLOTS = (".pdf", ".svg", ".png", ".pgf")


@together
class Rendered(Documents):
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
        super().check()
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


def _keyword(name: str, default: Any, kind: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


#: The option that shows a part of an answer.
_PART = _keyword(
    "view",
    None,
    Annotated[str | None, Parameter(help="Show one part of the answer: a table, or a result of its own.")],
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
    (files, reading), asked = _converter(made)
    several, optional = get_origin(files) is Sequence, type(None) in get_args(files)
    helped: Any = Annotated[Files if several else files, made.files or Parameter(help=helps[data.name])]
    place, empty = "files" if several else "file", inspect.Parameter.empty
    options = [
        inspect.Parameter(
            place, inspect.Parameter.POSITIONAL_ONLY, default=None if optional else empty, annotation=helped
        ),
        *asked.values(),
    ]
    from_files = (*asked, *made.hidden, *WORK, *(["missing"] if made.holes else []))
    for p in rest:
        if p.name not in from_files:
            numbers = p.name in made.numbers
            kind = _option(name, p.name, str | None if numbers else hints[p.name], helps[p.name])
            if numbers:
                kind = Annotated[kind, Parameter(help=f"{helps[p.name]} Several are separated by commas.")]
            default = _commas(p.default) if numbers else p.default
            if isinstance(default, tuple):
                kind = Annotated[kind, Parameter(show_default=lambda values: " ".join(map(str, values)))]
            options.append(_keyword(RENAMED.get(p.name, p.name), default, kind))
    shown_by = _named(made.result) if made.result else hints["return"]
    views = _views(shown_by, made.views) if made.views else {}
    options += [_PART] if made.parts else [_view_option(views)] if views else []
    groups: dict[str, Any] = {"reading": reading, "work": LongWork if made.work else None}
    groups = {group: own for group, own in groups.items() if own} | {"words": Words, "rendered": Rendered}
    options += [_keyword(group, own(), own) for group, own in groups.items()]

    def run(files: Any = None, /, **named: Any) -> int:
        group = {key: named.pop(key, own_type()) for key, own_type in groups.items()}
        how, rendered = group.get("reading"), group["rendered"]
        part = named.pop("view", None) if made.parts else None
        shown = _shown(views, named.pop("view", None))
        back = {RENAMED.get(p.name, p.name): p.name for p in rest if p.name not in from_files}
        given = {back.get(key, key): None if value == "none" else value for key, value in named.items()}
        with group["words"].said():
            known = {p.name: _value(made, p.name, given[p.name]) for p in rest if p.name in given}
            read = made.convert(files, how, **{key: value for key, value in given.items() if key in asked})
            known |= read if isinstance(read, inputs.Arguments) else {data.name: read}
            if made.holes:
                known["missing"] = made.holes if group["reading"].missing == "keep" else "error"
            with _working(said, helps, group.get("work")) as shared:
                result = function(**known, **shared)
            if part is None:
                rendered.write(shown(result))
            else:
                rendered.write_part(result.view(part))
        return getattr(result, "exit_code", 0)

    said = name.replace("_", " ", 1).replace("_", "-")
    run.__name__ = name
    run.__doc__ = f"{summary(text)}\n\nExample: `tauscope {said} {made.example}`"
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _converter(made: Made) -> tuple[list[Any], dict[str, inspect.Parameter]]:
    """What a converter takes: the types of the files and of how they are read, and its options."""
    types = get_type_hints(made.convert, include_extras=True)
    known = [p.replace(annotation=types[p.name]) for p in inspect.signature(made.convert).parameters.values()]
    files, reading = (p.annotation for p in known if p.kind is not p.KEYWORD_ONLY)
    own = HOLES[reading] if made.holes else made.reading or reading
    return [files, None if own is type(None) else own], {p.name: p for p in known if p.kind is p.KEYWORD_ONLY}


@contextmanager
def _working(what: str, known: Container[str], work: LongWork | None) -> Iterator[dict[str, Any]]:
    """The progress bar of a function that reports, and the workers and the checkpoint of one that has them."""
    with progress(what) if "progress" in known else nullcontext() as report:
        shared = {"progress": report} if "progress" in known else {}
        if work is None:
            yield shared
            return
        with work.pool() as pool:
            yield {**shared, "executor": pool, "checkpoint": work.checkpoint}


def _value(made: Made, parameter: str, value: Any) -> Any:
    """What was typed, as the function takes it."""
    if parameter in made.numbers and value is not None:
        return numbers_in(value, f"--{parameter.replace('_', '-')}", made.numbers[parameter])
    return names_in(value) if parameter == "coefficients" else value


def _commas(default: Any) -> str | None:
    """The default of an option that takes numbers separated by commas."""
    return None if default is None else ",".join(f"{number:g}" for number in default)


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
    return _keyword("view", None, Annotated[str | None, shown])


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


def _option(command: str, name: str, hint: Any, text: str) -> Any:
    """Return the type of an option with its help: that of `CHOICES`, which may have a help of its own, or of Python."""
    groups = (command, command.partition("_")[0], "")
    chosen = next((CHOICES[group, name] for group in groups if (group, name) in CHOICES), None)
    if any(one.help for one in getattr(chosen, "__metadata__", ())):
        return chosen
    if hint == Rng:
        return Annotated[Seed, Parameter(help=f"{text} The same seed gives the same numbers.")]
    return Annotated[chosen or _in_shell(hint), Parameter(help=text)]


def _in_shell(hint: Any) -> Any:
    """Return the type of a parameter in the shell: a record is named, a list has names."""
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
