"""`tauscope coefficients`: which there are, what one is, which to use, and lists that need not be complete."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from .. import papers
from ..coefficients.overlap import rbo
from ..coefficients.records import catalogue
from ..render.json import record
from . import inputs
from .adapter import Rendered
from .options import Documents, Flag, Reading
from .output import show, show_json


def list_all(*, output: Documents = Documents()) -> None:
    """List the coefficients and their properties.

    Example: `tauscope coefficients list`
    """
    columns = catalogue.columns()
    if not output.print_both(
        lambda: {"coefficients": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]},
        lambda: columns,
    ):
        show(*str(catalogue).splitlines())


def explain(name: str, /, *, json: Flag = False) -> None:
    """Explain one coefficient, and when not to use it.

    Example: `tauscope coefficients explain tau_ap_b`

    Parameters
    ----------
    name
        Its name, such as tau_ap_b.
    json
        Print one JSON document.
    """
    import inspect

    import tauscope

    c = catalogue[name]
    if json:
        return show_json(record(facts=c.to_dict()))
    show(f"{c.symbol}  {c.title}  ({c.name})", "", *(inspect.getdoc(getattr(tauscope, c.name)) or "").splitlines())
    return show("", papers.reference(c.paper))


def choose(
    compare: Literal["truth", "observers"] = "observers",
    /,
    *,
    ties: Literal["indiscernible", "equal", "none"] = "indiscernible",
    tied_within: Annotated[str, Parameter(name=["--tied-within", "-w"])] = "0",
    head_weighted: bool = False,
    gap_sensitive: bool = False,
    rendered: Rendered = Rendered(),
) -> None:
    """Recommend a coefficient for your question.

    Example: `tauscope coefficients choose truth --head-weighted`

    Parameters
    ----------
    compare
        truth: one ranking is correct by definition. observers: both are opinions.
    ties
        What a tie means: indiscernible (too close to call), equal (a statement), none (there are none).
    tied_within
        Scores this close count as tied: 0.01 or 5%.
    head_weighted
        Errors at the top count more.
    gap_sensitive
        Swaps of very different systems count more.
    """
    within = tied_within if tied_within.endswith("%") else float(tied_within)
    wishes = {"head_weighted": head_weighted, "gap_sensitive": gap_sensitive}
    rendered.write(catalogue.choose(compare, ties, tied_within=within, **wishes))


def identify(
    first: Path, second: Path, /, *, value: str, reading: Reading = Reading(), rendered: Rendered = Rendered()
) -> None:
    """Find the coefficient and the convention that give a published number.

    Example: `tauscope coefficients identify judge.csv people.csv --value .84`

    Parameters
    ----------
    first
        One ranking, or the estimate: systems and scores, or a matrix of topics by systems.
    second
        The other ranking, or the truth.
    value
        The published number, with the digits as printed: .84
    """
    one, two = inputs.two_rankings(first, second, reading)
    rendered.write(catalogue.identify(one, truth=two, value=value))


def overlap(
    first: Path,
    second: Path,
    /,
    *,
    p: float = 0.9,
    ties: Literal["a", "b", "w"] = "a",
    reading: Reading = Reading(),
    rendered: Rendered = Rendered(),
) -> None:
    """Measure how much two lists share from the top down (rank-biased overlap); they need not hold the same items.

    Example: `tauscope coefficients rbo mine.csv theirs.csv --p 0.8`

    Parameters
    ----------
    first
        A list: one item and its score per line.
    second
        The other list, which may hold other items and be shorter or longer.
    p
        The probability of reading on: 0.9 puts 86 % of the weight on the first ten ranks.
    ties
        a: mean over the orders of tied items; b: ties are not held against the lists; w: tied items share their rank.
    """
    one, two = inputs.two_rankings(first, second, reading)
    rendered.write(rbo(one, two, p, ties=ties))
