"""How every coefficient is called: documentation and signature from its record, and rankings cut to their top k."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Hashable
from typing import Any, ParamSpec, TypedDict, get_type_hints

import numpy as np
from numpy.typing import NDArray

from ..core import checking
from ..core.arrays import Bools, Floats, Tolerance, tolerances
from ..data.ranking import Aligned, Ranking, Top, align, as_ranking
from ..errors import Advice, AlignmentError, CallError, Option
from .coefficient import Coefficient, Ties
from .correlation import Correlation, evaluate


def check_top_k(c: Coefficient | None, k: Any) -> int:
    """A whole number of at least 1, for a coefficient that only needs the order."""
    size = checking.whole(k, "top_k", least=1)
    if c is not None and not c.ordinal:
        raise CallError(
            f"{c} needs the score of every item, and an item outside the top {size} has none.",
            Advice(f"top_k is for coefficients of the order, such as {', '.join(c.instead)} or spearman."),
        )
    return size


def check_width(within: tuple[Tolerance, Tolerance]) -> None:
    """An item outside the top k has no score that a share could be taken of."""
    if any(w.relative for w in within):
        raise CallError(
            "top_k takes a tied_within that is a number, not a share of the smaller score.",
            Option("tied_within", 0.01, effect="for instance"),
        )


def align_top(
    first: Any, second: Any, k: int, *, names: tuple[str, str], tied_within: Any, lower_is_better: bool
) -> Aligned:
    """Align two rankings on the union of their top k (fagin2003).

    Items with the score of the k-th are in. Items that only one ranking has are outside the other's top k, and tied
    below it there.

    Parameters
    ----------
    first, second : ranking
        The rankings: anything `Ranking` takes.
    k : int
        Number of items at the top.
    names : (str, str)
        What the rankings are called, for errors.
    tied_within : float, str, pair or None
        Tolerances; None for the rankings' own. A share is refused, because an item outside has no score.
    lower_is_better : bool
        Whether the best item of both has the lowest score.

    Returns
    -------
    Aligned
    """
    a, b = as_ranking(first, names[0]), as_ranking(second, names[1])
    within = tolerances(tied_within, (a.tied_within, b.tied_within))
    check_width(within)
    if (a.items is None) != (b.items is None):
        named, plain = names if b.items is None else names[::-1]
        raise AlignmentError(
            f"{named} has names and {plain} has none, so they cannot be matched.",
            Advice("Give both as dicts or Rankings."),
        )
    if a.items is None and len(a) != len(b):
        raise AlignmentError(
            f"{names[0]} has {len(a):,} scores, {names[1]} has {len(b):,}.",
            Advice("Top-k lists of different items need names."),
        )
    heads = [_head(ranking, k, lower_is_better) for ranking in (a, b)]
    items = tuple(dict.fromkeys([*heads[0], *heads[1]]))
    if a.items is None:  # by place: 1, 2, 3, …
        items = tuple(sorted(items))  # type: ignore[type-var]
    one, two = (_scores(items, head, w) for head, w in zip(heads, within, strict=True))
    top = Top(
        k,
        (len(heads[0]), len(heads[1])),
        (len(items) - len(heads[0]), len(items) - len(heads[1])),
        tuple(len(set(items) - set(ranking.labels)) for ranking in (a, b)),  # type: ignore[arg-type]
    )
    direction = (lower_is_better or a.lower_is_better, lower_is_better or b.lower_is_better)
    snapped = a.snapped, b.snapped
    return Aligned(
        items=items, first=one, second=two, within=within, snapped=snapped, lower_is_better=direction, top=top
    )


def _head(ranking: Ranking, k: int, lower_is_better: bool) -> dict[Hashable, float]:
    """The k best items and those tied with the k-th, with their scores, higher is better."""
    scores = -ranking.scores if lower_is_better or ranking.lower_is_better else ranking.scores
    if not len(scores):
        return {}
    inside = np.flatnonzero(in_top(scores[None], k)[0])
    labels = ranking.labels
    return {labels[place]: float(scores[place]) for place in inside.tolist()}


def in_top(scores: Floats, k: int) -> Bools:
    """Tell, row by row, which scores are among the k highest, ties with the k-th included.

    Parameters
    ----------
    scores : array of rankings x items
        Scores, higher is better.
    k : int
        Number of items.

    Returns
    -------
    array of bool

    Examples
    --------
    >>> in_top(np.array([[4.0, 3.0, 3.0, 1.0]]), 2).tolist()
    [[True, True, True, False]]
    """
    n = scores.shape[1]
    if k >= n:
        return np.ones(scores.shape, bool)
    limit = np.partition(scores, n - k, axis=1)[:, n - k]
    return np.asarray(scores >= limit[:, None])


def below(scores: Floats, inside: Bools, width: float) -> Floats:
    """Scores with those outside at one value that is tied with none inside.

    Without a tolerance only the order counts, so scores become 1, 2, 3, … and nothing can overflow.
    """
    if not width:
        levels = np.unique(scores, return_inverse=True)[1].reshape(scores.shape) + 1.0
        return np.where(inside, levels, 0.0)
    lowest = np.where(inside, scores, np.inf).min(axis=-1, keepdims=True)
    lowest = np.where(np.isfinite(lowest), lowest, 0.0)
    least, epsilon = float(np.finfo(float).min), float(np.finfo(float).eps)
    with np.errstate(over="ignore"):
        # Beyond the range of numbers the lowest there is must do, and where that is too near, scores give way to it.
        outside = np.maximum(lowest - 4 * width - 64 * epsilon * np.abs(lowest), least)
        near = np.where(outside == least, (lowest / 2 - least / 2) - width / 2 * (1 + 1e-8), 0.0)
        moved = scores - 2 * np.minimum(near, 0.0)
    return np.where(inside, moved, outside)


def _scores(items: tuple[Hashable, ...], head: dict[Hashable, float], within: Tolerance) -> Floats:
    inside = np.array([item in head for item in items], bool)
    raw = np.array([head.get(item, 0.0) for item in items])
    return below(raw, inside, within.width)


def unions(
    estimates: Floats, truths: Floats, k: int, within: tuple[Tolerance, Tolerance]
) -> list[tuple[NDArray[np.intp], Floats, Floats]]:
    """Rows of the batch by the size of their union: (rows, estimates, truths), only the items of the union kept."""
    check_width(within)
    truths = np.broadcast_to(truths, estimates.shape)
    inside_y, inside_x = in_top(estimates, k), in_top(truths, k)
    union = inside_y | inside_x
    sizes = union.sum(axis=1)
    parts = []
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        columns = np.nonzero(union[rows])[1].reshape(len(rows), int(size))
        pick = (rows[:, None], columns)
        y, x = (
            below(estimates[pick], inside_y[pick], within[0].width),
            below(truths[pick], inside_x[pick], within[1].width),
        )
        parts.append((rows, np.ascontiguousarray(y), np.ascontiguousarray(x)))
    return parts


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
    """Do what every coefficient function does: find out which ranking is the truth, align, and evaluate.

    Parameters
    ----------
    c : Coefficient
        The record of the coefficient.
    first, *unnamed, truth
        The rankings as they were given; a symmetric coefficient takes two by position, any coefficient the truth by
        name.
    tied_within, lower_is_better, unmatched, top_k
        As `PARAMETERS` documents them.
    **unknown : object
        Anything else, which is an error.

    Returns
    -------
    Correlation

    Raises
    ------
    CallError
        If it is not clear what is compared with what, or an option does not apply.
    """
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
