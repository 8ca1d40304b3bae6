"""How every coefficient is called: what their functions share is written here, once."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, ParamSpec, TypedDict, get_type_hints

from ..data.ranking import align
from ..errors import Advice, CallError
from .coefficient import Coefficient, Ties
from .correlation import Correlation, evaluate
from .top_k import align_top, check_top_k

P = ParamSpec("P")


class Options(TypedDict, total=False):
    """What every function of a coefficient takes by keyword; `PARAMETERS` has the texts, `call` the defaults."""

    tied_within: Any
    lower_is_better: bool
    unmatched: str
    top_k: int | None


#: Each option: its type as documentation has it, its default, and what it does.
PARAMETERS: dict[str, tuple[str, Any, str]] = {
    "tied_within": (
        "float, str or pair, optional",
        None,
        'Scores this close are tied, inclusive: a number, a share of the smaller score such as "5%", or a pair of '
        "these in the order "
        "(estimate, truth) of the arguments. By default the rankings' own tolerance.",
    ),
    "lower_is_better": ("bool, default False", False, "Both rankings have their best item at the lowest score."),
    "unmatched": (
        '"error" or "drop", default "error"',
        "error",
        'What to do with items that only one ranking has: "drop" compares those that both have, "error" names the '
        "others.",
    ),
    "top_k": (
        "int, optional",
        None,
        "Compares only the union of both top k; an item outside one of them is tied below it there. Items that only "
        "one ranking has "
        "are outside the other's.",
    ),
}
_RANKINGS = {
    "first, second": ("Two rankings: anything `Ranking` takes, or two arrays of one length.", "ranking"),
    "truth": ("Instead of `second`, to say that it is the truth and `first` the estimate.", "ranking, optional"),
    "estimate": ("The ranking to judge: anything `Ranking` takes, or an array.", "ranking"),
    "truth, required": (
        "The ranking that is right. Always a keyword: public implementations disagree on the order of the arguments.",
        "ranking",
    ),
}
_RAISES = {
    "CallError": "Where the call does not say what is compared with what, or has an option that does not apply.",
    "AlignmentError": "Where the rankings are not of the same items.",
    "TiesError": "Where there are ties, which it does not take; the error names the variants that do.",
}


def public(c: Coefficient) -> Callable[[Callable[P, Correlation]], Callable[P, Correlation]]:
    """Makes a function the public one of a record: gives it its documentation and the signature with every option.

    The docstring of the function has what is peculiar to it, and examples; the rest comes from the record.
    """

    def made(function: Callable[P, Correlation]) -> Callable[P, Correlation]:
        function.__doc__ = _documentation(c, inspect.cleandoc(function.__doc__ or ""))
        function.__signature__ = _signature(c)  # type: ignore[attr-defined]
        if not c.symmetric:
            # A call without a truth is an error of ours, which says why it is needed.
            function.__kwdefaults__ = {"truth": None}
        return function

    return made


def call(
    c: Coefficient,
    first: Any,
    *unnamed: Any,
    truth: Any,
    tied_within: Any = None,
    lower_is_better: bool = False,
    unmatched: str = "error",
    top_k: int | None = None,
    **unknown: Any,
) -> Correlation:
    """What every coefficient function does: find out who is the truth, align, evaluate."""
    if unknown:
        raise CallError(f"{c}() has no argument {', '.join(map(repr, unknown))}.", Advice(f"It takes {_takes(c)}."))
    others = unnamed if unnamed and unnamed[0] is not None else ()
    if truth is None:
        if not c.symmetric:
            chosen = "".join(f" with {name}={value!r}" for name, value in c.chosen)
            raise CallError(
                f"{c}{chosen} is not symmetric: it measures an estimate against a truth, and public implementations "
                "disagree on their order.",
                Advice(f"Say which is which: {c}(estimate, truth=…)."),
            )
        if len(others) != 1:
            raise CallError(f"{c} compares two rankings: {c}(first, second) or {c}(estimate, truth=…).")
        names, other = ("first", "second"), others[0]
    else:
        if others:
            raise CallError(f"{c} compares two rankings, and got {2 + len(others)}: {c}(estimate, truth=…).")
        names, other = ("estimate", "truth"), truth
    shown = f"`{names[0]}`", f"`{names[1]}`"
    if top_k is None:
        data = align(first, other, names=shown, unmatched=unmatched)
    else:
        k = check_top_k(c, top_k)
        data = align_top(first, other, k, names=shown, tied_within=tied_within, lower_is_better=lower_is_better)
    return evaluate(c, data, tied_within=tied_within, lower_is_better=lower_is_better, names=names, raise_on_ties=True)


def _options(c: Coefficient) -> dict[str, tuple[str, Any, str]]:
    """The options that apply to a coefficient, its own last."""
    applies = {"tied_within": c.takes_tolerance, "top_k": c.ordinal}
    shared = {name: about for name, about in PARAMETERS.items() if applies.get(name, True)}
    for name, own in c.own.items():
        kinds = " or ".join(f'"{value}"' for value in own.values)
        shared[name] = (f'{kinds}, default "{own.default}"', own.default, own.text)
    return shared


def _takes(c: Coefficient) -> str:
    *most, last = ("truth", *_options(c))
    return f"{', '.join(most)} and {last}"


def _signature(c: Coefficient) -> inspect.Signature:
    """What a call looks like, with every option instead of `**options`."""
    hints = get_type_hints(Options)
    place, keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    if c.symmetric:
        rankings = [inspect.Parameter("first", place), inspect.Parameter("second", place, default=None)]
        rankings.append(inspect.Parameter("truth", keyword, default=None))
    else:
        rankings = [inspect.Parameter("estimate", place), inspect.Parameter("truth", keyword)]
    options = [
        inspect.Parameter(name, keyword, default=default, annotation=hints.get(name, str))
        for name, (_, default, _) in _options(c).items()
    ]
    return inspect.Signature([*rankings, *options], return_annotation=Correlation)


def _documentation(c: Coefficient, peculiar: str) -> str:
    """numpydoc: question, formula, ties, when not, parameters, examples."""
    text, _, examples = peculiar.partition("Examples\n--------\n")
    source = c.equation if c.paper in c.equation else f"{c.paper}; {c.equation}"
    paragraphs = [
        c.question,
        f"{c.symbol} = {c.definition}\n({source})",
        text.strip(),
        f"Do not use it when {c.when_not}.",
    ]
    wanted = ("first, second", "truth") if c.symmetric else ("estimate", "truth, required")
    parameters = [(name.partition(", req")[0], _RANKINGS[name][1], _RANKINGS[name][0]) for name in wanted]
    parameters += [(name, kind, about) for name, (kind, _, about) in _options(c).items()]
    raises = list(_RAISES.items())[: 3 if c.ties is Ties.FORBIDDEN else 2]
    sections = {
        "Parameters": [line for name, kind, about in parameters for line in (f"{name} : {kind}", _indented(about))],
        "Returns": [
            "Correlation",
            _indented("The value, or NaN and why there is none; `.pairs` has the loss of every pair."),
        ],
        "Raises": [line for name, about in raises for line in (name, _indented(about))],
        "See Also": [", ".join(c.instead)] if c.instead else [],
        "Examples": [examples.strip()],
    }
    blocks = [f"{title}\n{'-' * len(title)}\n" + "\n".join(lines) for title, lines in sections.items() if lines]
    return "\n\n".join([*paragraphs, *blocks]) + "\n"


def _indented(text: str) -> str:
    return textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
