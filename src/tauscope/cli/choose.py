"""`tauscope choose`: three questions, or flags, and one answer."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from ..coefficients.choose import Choice
from ..coefficients.choose import choose as decide
from ..errors import CallError
from .options import Flag
from .output import show, show_json


def choose(
    *,
    compare: Literal["truth", "observers"] | None = None,
    ties: Literal["indiscernible", "equal", "none"] | None = None,
    tied_within: Annotated[str | None, Parameter(name=["--tied-within", "-w"])] = None,
    head_weighted: bool | None = None,
    gap_sensitive: bool | None = None,
    json: Flag = False,
) -> None:
    """Which coefficient answers my question? Without flags it asks three questions.

    Example: `tauscope choose --compare truth --ties indiscernible --head-weighted`

    Parameters
    ----------
    compare
        truth: one ranking is right by definition. observers: both are opinions.
    ties
        What a tie means: indiscernible (too close to call), equal (a statement), none (there are none).
    tied_within
        Scores this close count as tied: 0.01 or 5%.
    head_weighted
        Errors at the top count more.
    gap_sensitive
        Swaps of very different systems count more.
    json
        Print one JSON document.
    """
    flags = (compare, ties, tied_within, head_weighted, gap_sensitive)
    if all(flag is None for flag in flags):
        choice = _ask()
    else:
        choice = decide(
            compare or "observers",
            ties or "indiscernible",
            tied_within=_number(tied_within),
            head_weighted=bool(head_weighted),
            gap_sensitive=bool(gap_sensitive),
        )
    if json:
        show_json(choice.to_dict())
    else:
        show(*choice.lines())


def _number(text: str | None) -> float | str:
    """0.01 as a number, 5% as the text it is."""
    try:
        return float(text or 0.0)
    except ValueError:
        return text or 0.0


def _ask() -> Choice:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CallError(
            "There is no terminal to ask the questions on. Use flags: "
            "`tauscope choose --compare truth --ties indiscernible --head-weighted`."
        )
    compare = _question(
        "Is one of the two rankings right by definition?",
        {"truth": "yes, one is the truth", "observers": "no, both are opinions"},
    )
    ties = _question(
        "What does a tie mean?",
        {"indiscernible": "too close to call", "equal": "these systems are equal", "none": "there are no ties"},
    )
    counts = _question(
        "Which errors count most?",
        {
            "all": "all alike",
            "head": "those at the top",
            "gaps": "swaps of very different systems",
            "both": "swaps of very different systems at the top",
        },
    )
    return decide(compare, ties, head_weighted=counts in ("head", "both"), gap_sensitive=counts in ("gaps", "both"))


def _question(text: str, answers: dict[str, str]) -> str:
    show("", text)
    keys = list(answers)
    for place, key in enumerate(keys, 1):
        show(f"  {place}  {answers[key]}")
    while True:
        try:
            reply = input(f"1-{len(keys)}: ").strip()
        except EOFError:
            raise CallError("No answer was given.") from None
        if reply.isdigit() and 1 <= int(reply) <= len(keys):
            return keys[int(reply) - 1]
        if reply in answers:
            return reply
