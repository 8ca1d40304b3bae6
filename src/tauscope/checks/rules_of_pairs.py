"""What would trouble a comparison of two sets of scores: one function for each rule, and `RULES`, the list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..results import count
from ..scores import Scores
from ..scores.labels import shown
from ..scores.oddities import oddities_of_pair
from .findings import Finding, note, of_remark


def of_pair(first: Scores, second: Scores, names: tuple[str, str]) -> list[Finding]:
    """Return what would trouble a comparison of two sets of scores."""
    return [finding for rule in RULES for finding in rule(first, second, names)]


def _unmatched(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Finding]:
    for axis, one in (("systems", "system"), ("topics", "topic")):
        a, b = getattr(first, axis), getattr(second, axis)
        shared = len(set(a) & set(b))
        for own, other, name in ((a, set(b), names[0]), (b, set(a), names[1])):
            only = [label for label in own if label not in other]
            if only:
                ways = (
                    f"drop the {one}s that only one side has and compare the {shared:,} that both have"
                    if shared
                    else "look whether they are spelled alike"
                )
                effect = (
                    "rankings are compared on the same systems, so this is an error unless it is a choice"
                    if one == "system"
                    else "means over different topics are compared, and topics cannot be resampled jointly"
                )
                yield Finding(
                    code=f"{axis}-on-one-side",
                    severity="warning" if shared else "error",
                    where=shown(only),
                    text=f"{len(only):,} of {count(len(own), one)} {'is' if len(only) == 1 else 'are'} only in {name}",
                    effect=effect,
                    suggestion=ways if one == "system" else "select the shared topics on both sides",
                )


#: What is told here in other words.
_OF_OURS = ("topics-on-one-side", "numbered-topics")


def _odd(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Finding]:
    """The same scores on both sides, and names that differ by spelling only."""
    told = (remark for remark in oddities_of_pair(first, second, names) if remark.code not in _OF_OURS)
    return map(of_remark, told)


def _numbered(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Finding]:
    numbers = tuple(str(i) for i in range(1, len(first.topics) + 1))
    if first.topics == second.topics == numbers:
        yield note(
            "numbered-topics",
            "the topics of both are numbered from 1 and are matched by their place",
            effect="where the order of the topics differs, all that pairs topics is wrong; the means are not touched",
            suggestion="name the topics in both files",
        )


def _scales(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Finding]:
    tops = [float(np.nanmax(np.abs(scores.values))) for scores in (first, second)]
    if min(tops) > 0 and max(tops) / min(tops) >= 20 and min(tops) <= 1 < max(tops):
        large, small = (names[0], names[1]) if tops[0] > tops[1] else (names[1], names[0])
        yield note(
            "different-scales",
            f"{large} goes up to {max(tops):g}, {small} to {min(tops):g}",
            effect="ranks do not change, but one tolerance for ties in both means two different things",
            suggestion="bring both to one scale, or give a tolerance for each",
        )


#: Every rule takes both sets of scores and what they are called, and yields findings.
RULES: tuple[Callable[[Scores, Scores, tuple[str, str]], Iterator[Finding]], ...] = (
    _unmatched,
    _odd,
    _numbered,
    _scales,
)
