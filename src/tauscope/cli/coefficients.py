"""`tauscope coefficients` and `explain`: the map of the coefficients, and one of them."""

from __future__ import annotations

from .. import papers
from ..coefficients.records import Ties, catalogue
from .options import Documents, Flag
from .output import show, show_json


def coefficients(*, output: Documents = Documents()) -> None:
    """Which coefficients are there?

    Example: `tauscope coefficients`
    """
    columns = catalogue.columns()
    if output.print_both(
        lambda: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)], lambda: columns
    ):
        return
    show(
        *str(catalogue).splitlines(),
        "",
        "`tauscope explain NAME` tells more of one; `tauscope choose` helps to find the right one.",
    )


def explain(name: str, /, *, json: Flag = False) -> None:
    """What is this coefficient, and when should it not be used?

    Example: `tauscope explain tau_ap_b`

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
        show_json(c.to_dict())
        return
    show(
        f"{c.symbol}  {c.title}  ({c.name})",
        "",
        f"question   {c.question}",
        f"formula    {c.definition}",
        f"source     {c.equation}",
    )
    show(
        f"range      {c.range[0]:g} to {c.range[1]:g}",
        f"ties       a tie is {c.ties.value}"
        if c.ties is not Ties.FORBIDDEN
        else f"ties       {c.ties.value}; use {', '.join(c.instead)}",
    )
    show(
        f"symmetric  {'yes' if c.symmetric else 'no'}",
        f"head       {'counts more' if c.head_weighted else 'counts like the tail'}",
    )
    show(f"gaps       {'large differences count more' if c.gap_sensitive else 'only the order counts'}")
    if c.walks:
        show(f"walks      {'both rankings, one after the other' if c.walks == 'both' else f'the {c.walks}'}")
    show(
        f"tolerance  {'tied_within' if c.takes_tolerance else 'none'}",
        f"not when   {c.when_not}",
        "",
        papers.reference(c.paper),
        "",
    )
    call = f"tauscope.{c.name}(first, second)" if c.symmetric else f"tauscope.{c.name}(estimate, truth=truth)"
    show(f"{call}    tauscope correlate A {'B' if c.symmetric else '--truth B'} -c {c.name}", "")
    show(*(inspect.getdoc(getattr(tauscope, c.name)) or "").splitlines())
