"""The language of claims about a board: small, stated, and without surprises.

claim   = pair | top | agreement
pair    = name (">" | "<") name [("+" | "-") number]       mine > theirs        mine > theirs - 0.01
top     = name "in" "top" whole                             mine in top 3
agreement = coefficient "(" name "," name ")" (">=" | ">") number
                                                            tau(new, old) >= .9  tau_ap(judge, people) >= .8
coefficient = a name of the catalogue; tau is tau_b, which equals tau where nothing is tied
name    = letters, digits and any of _ . / : @ - without spaces | a text in "double" or 'single' quotes
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..coefficients.records import catalogue
from ..errors import Advice, CallError

_TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>"[^"]*"|'[^']*')|(?P<sign>>=|<=|>|<|\(|\)|,)|(?P<add>[+-](?=\s))|(?P<word>[^\s"'<>(),]+))"""
)
#: Coefficients of which claims take a variant that is also defined with ties, and has the same value without.
_WITH_TIES = {"tau": "tau_b"}
_WAYS = "mine > theirs, mine > theirs - 0.01, mine in top 3, tau(new, old) >= .9"


@dataclass(frozen=True)
class Claim:
    """One claim. `kind`: "pair", "top" or "agreement"; `better` and `worse` of a pair, with `margin` added to the worse;
    `better` and `k` of a top; of an agreement `coefficient`, the two `boards`, the second of them the truth, and `least`.
    """

    text: str
    kind: str
    better: str = ""
    worse: str = ""
    margin: float = 0.0
    k: int = 0
    least: float = 0.0
    coefficient: str = ""
    boards: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems it is about."""
        return tuple(name for name in (self.better, self.worse) if name)


def parse(text: str) -> Claim:
    """A claim from its text, or an error that says where it goes wrong."""
    if not isinstance(text, str) or not text.strip():
        raise CallError(f"{text!r} is no claim. Claims are written like this: {_WAYS}.")
    tokens = list(_tokens(text))
    kinds = [kind for kind, _ in tokens]
    values = [value for _, value in tokens]
    if len(values) > 1 and kinds[0] == "word" and values[1] == "(":
        return _agreement(text, kinds, values)
    if len(values) == 4 and values[1] == "in" and values[2] == "top" and kinds[0] in ("word", "quoted"):
        if not values[3].isdigit() or int(values[3]) < 1:
            raise _wrong(text, f"{values[3]!r} is no place")
        return Claim(text, "top", better=values[0], k=int(values[3]))
    if len(values) in (3, 5) and values[1] in (">", "<") and {kinds[0], kinds[2]} <= {"word", "quoted"}:
        margin = 0.0
        if len(values) == 5:
            if kinds[3] != "add":
                raise _wrong(text, f"{values[3]!r} is no + or -")
            margin = _number(text, values[4]) * (1 if values[3] == "+" else -1)
        better, worse = (values[0], values[2]) if values[1] == ">" else (values[2], values[0])
        if values[1] == "<" and margin:
            raise _wrong(text, "a margin goes with >, such as mine > theirs - 0.01")
        if better == worse:
            raise _wrong(text, "both sides are the same system")
        return Claim(text, "pair", better=better, worse=worse, margin=margin)
    raise _wrong(text, "it is none of the forms")


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    stripped = text.rstrip()
    while at < len(stripped):
        found = _TOKEN.match(stripped, at)
        if found is None:
            raise _wrong(text, f"a quote is opened and not closed at place {at + 1}")
        kind = found.lastgroup or ""
        value = found[kind]
        yield kind, value[1:-1] if kind == "quoted" else value
        at = found.end()


def _agreement(text: str, kinds: list[str], values: list[str]) -> Claim:
    names = {"word", "quoted"}
    if len(values) != 8 or [values[3], values[5]] != [",", ")"] or not {kinds[2], kinds[4]} <= names:
        raise _wrong(text, "an agreement is COEFFICIENT(NAME, NAME) >= NUMBER")
    if values[6] not in (">=", ">"):
        raise _wrong(text, f"{values[6]!r} is not >=")
    if values[2] == values[4]:
        raise _wrong(text, "both names are the same")
    c, least = catalogue[_WITH_TIES.get(values[0], values[0])], _number(text, values[7])
    low, high = c.range
    if not low <= least <= high:
        raise _wrong(text, f"{c} is from {low:g} to {high:g}, not {least:g}")
    return Claim(text, "agreement", least=least, coefficient=c.name, boards=(values[2], values[4]))


def _number(text: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise _wrong(text, f"{value!r} is no number") from None


def _wrong(text: str, why: str) -> CallError:
    return CallError(
        f"The claim {text!r} is not understood: {why}.",
        Advice(f"Claims are written like this: {_WAYS}; names with spaces or signs stand in quotes."),
    )
