"""The questions that the app offers: each is a public function, and the files that it needs.

Names, defaults, choices and help of options come from the signature and the docstring of the function, as those of the
shell do. To offer another question, add a record to `QUESTIONS`.
"""

from __future__ import annotations

import ast
import inspect
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args, get_type_hints

import tauscope

from ..boards.rules import Rule, board_rules
from ..coefficients.records import Coefficient, catalogue
from ..core.checking import Rng
from ..errors import CallError, Option
from ..results import parameter_helps, plain

#: Kinds of files with scores on topics, and those of which `rank()` makes a board.
SCORES = ("scores", "judgments")
BOARDS = (*SCORES, "repeats", "battles", "published")
#: Kinds of files of which `correlate()` makes a ranking.
LISTS = (*SCORES, "ranking")
#: Records that an option names.
RECORDS: dict[Any, Any] = {Coefficient: catalogue, Rule: board_rules}
#: Options of readers that hold for all files of a question.
READING = ("measure", "missing", "aggregate", "lower_is_better")


@dataclass(frozen=True, kw_only=True)
class Role:
    """What files are to a function: the parameter, the kinds of files that it takes, and how many of them."""

    name: str
    kinds: tuple[str, ...] = SCORES
    least: int = 1
    most: int = 1
    #: Whether the function takes a dict of them, by name.
    named: bool = False
    #: Whether the shell takes them by their place.
    placed: bool = False


@dataclass(frozen=True, kw_only=True)
class Question:
    """A public function, what the shell calls it, and its files; `missing` is how it reads missing cells.

    `views` has the views of its result that need no further input, by their name in the shell, as Python has them. `lines` names parameters
    that are texts, one per line.
    """

    command: str
    function: str
    title: str
    roles: tuple[Role, ...]
    missing: str = "error"
    views: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[str, ...] = ()

    @property
    def call(self) -> Callable[..., Any]:
        """The function."""
        return getattr(tauscope, self.function)  # type: ignore[no-any-return]

    def role(self, name: str) -> Role:
        """Return the role of that name."""
        return next(role for role in self.roles if role.name == name)

    def options(self) -> dict[str, dict[str, Any]]:
        """Return the options that a form asks for: those of the function, texts in lines, and the view."""
        helps = parameter_helps(inspect.getdoc(self.call) or "")
        shared: dict[str, Any] = {"default": None, "choices": []}
        own = {name: {"name": name, "kind": "lines", "help": helps[name], **shared} for name in self.lines}
        if self.views:
            text = "Part of the result"
            own["view"] = {"name": "view", "kind": "choice", "help": text, **shared, "choices": [*self.views]}
        return own | options(self.function)

    def to_dict(self) -> dict[str, Any]:
        """Return what the page shows: title, summary, roles with their help, and options."""
        text = inspect.getdoc(self.call) or ""
        helps = parameter_helps(text)
        return {
            "command": self.command,
            "title": self.title,
            "summary": text.partition("\n\n")[0],
            "roles": [
                {"name": role.name, "kinds": role.kinds, "least": role.least, "most": role.most}
                | {"help": helps.get(role.name, "")}
                for role in self.roles
            ],
            "options": list(self.options().values()),
        }


_GROUPS = Role(name="groups", kinds=("groups",), least=0)
_MANY = 1000

QUESTIONS = {
    question.command: question
    for question in (
        Question(
            command="compare",
            function="compare",
            title="Can this judge replace people?",
            roles=(Role(name="judge", most=_MANY, named=True, placed=True), Role(name="truth"), _GROUPS),
        ),
        Question(
            command="correlate",
            function="correlate",
            title="Do two rankings agree?",
            roles=(Role(name="rankings", kinds=LISTS, placed=True), Role(name="truth", kinds=LISTS), _GROUPS),
            views={"pairs": "pairs", "topics": "by_topic()", "thresholds": "thresholds()"},
        ),
        Question(
            command="audit",
            function="audit",
            title="Is this judge as good as people?",
            roles=(Role(name="judge", most=_MANY, named=True, placed=True), Role(name="truth"), _GROUPS),
        ),
        Question(
            command="hybrid",
            function="hybrid",
            title="How do systems rank by people and a judge together?",
            roles=(Role(name="human", placed=True), Role(name="judge")),
            views={"plan": "plan()", "next": "next()"},
        ),
        Question(
            command="rank",
            function="rank",
            title="Which ranks do the data support?",
            roles=(Role(name="board", kinds=BOARDS, placed=True), _GROUPS),
            missing="keep",
            views={"neighbours": "neighbours", "rules": "under_rules()", "best-set": "best_set()"},
        ),
        Question(
            command="expected",
            function="expected_correlation",
            title="Would this ranking hold on new topics?",
            roles=(Role(name="scores", placed=True), _GROUPS),
            views={"plan": "topics_needed()", "curve": "curve()", "pairs": "pairs"},
        ),
        Question(
            command="significance",
            function="significance",
            title="Which differences are significant?",
            roles=(Role(name="scores", placed=True), Role(name="truth", least=0), _GROUPS),
        ),
        Question(
            command="versions",
            function="versions",
            title="What changed between versions?",
            roles=(
                Role(
                    name="boards",
                    kinds=("scores", "judgments", "published"),
                    least=2,
                    most=_MANY,
                    named=True,
                    placed=True,
                ),
                _GROUPS,
            ),
        ),
        Question(
            command="gate",
            function="gate",
            title="Do these claims about a board hold?",
            roles=(
                Role(name="new", kinds=("scores", "judgments", "battles", "published"), placed=True),
                Role(name="baseline", kinds=("scores", "judgments", "battles", "published"), least=0),
            ),
            lines=("claims",),
        ),
        Question(
            command="variance",
            function="variance_components",
            title="Where does the variance come from?",
            roles=(Role(name="scores", kinds=(*SCORES, "repeats"), placed=True), _GROUPS),
        ),
    )
}


@cache
def options(function: str) -> dict[str, dict[str, Any]]:
    """Return the options of a public function that a form can ask for: name, kind, default, choices and help."""
    own = operator.attrgetter(function)(tauscope)
    text = inspect.getdoc(own) or ""
    helps, hints = parameter_helps(text), get_type_hints(own)
    listed = dict(re.findall(r"^(\w+) : \{([^}]*)\}", text, re.MULTILINE))
    found = {}
    for parameter in inspect.signature(own).parameters.values():
        kind, choices = _kind(parameter, hints.get(parameter.name), listed)
        if kind:
            found[parameter.name] = {
                "name": parameter.name,
                "kind": kind,
                "default": plain(parameter.default),
                "choices": choices,
                "help": helps.get(parameter.name, ""),
            }
    return found


def _kind(parameter: inspect.Parameter, hint: Any, listed: dict[str, str]) -> tuple[str, list[Any]]:
    """Return how a form asks for a parameter, and its choices; "" if no form can."""
    if parameter.default is parameter.empty or parameter.kind is parameter.VAR_POSITIONAL or parameter.name in READING:
        return "", []
    if hint == Rng:
        return "whole", []
    if parameter.name in listed:
        return "choice", list(ast.literal_eval(f"[{listed[parameter.name]}]"))
    parts = {hint, *get_args(hint)}
    for record, known in RECORDS.items():
        if record in parts:
            return "choice", [one.name for one in known]
    kinds = {bool: "flag", int: "whole", float: "number"}
    return next((kind for own, kind in kinds.items() if own in parts), ""), []


def checked_options(question: Question, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that differ from their defaults; functions check the values, this checks names and types."""
    known = question.options()
    for name, value in given.items():
        if name not in known:
            raise CallError(f"{question.function}() has no option {name!r}.")
        if not isinstance(value, (str, int, float, type(None))):
            raise CallError(f"{name} is a text or a number.")
        if name == "view" and value is not None and value not in question.views:
            raise CallError("There is no such view.", Option("view", *question.views))
    kept = {name: value for name, value in given.items() if value != known[name]["default"]}
    return kept | {name: str(kept[name]).splitlines() for name in question.lines if name in kept}
