"""What would trouble a comparison of two sets of scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..results import count
from ..scores import Scores
from ..scores.labels import shown
from .findings import Finding, Findings, gravest_first

_SPELLING = "look whether they are spelled alike"


def check_pair(first: Scores, second: Scores, *, names: tuple[str, str] = ("first", "second")) -> Findings:
    """What would trouble a comparison of these two sets of scores: systems or topics on one side only, other scales?

    `names` are what the two are called in the findings. What troubles each of them alone is told by `check_scores()`.
    """
    found = [finding for rule in (_one_sided, _numbered, _scales) for finding in rule(first, second, names)]
    return Findings(f"{first.headline()} against {second.headline()}", gravest_first(found))


def _one_sided(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Finding]:
    for axis, one in (("systems", "system"), ("topics", "topic")):
        a, b = getattr(first, axis), getattr(second, axis)
        shared = len(set(a) & set(b))
        for own, other, name in ((a, set(b), names[0]), (b, set(a), names[1])):
            only = [label for label in own if label not in other]
            if only:
                ways = (
                    f'pass one_sided="drop" to compare the {shared:,} that both have'
                    if shared
                    else "are they spelled alike?"
                )
                effect = (
                    "rankings are compared on the same systems, so this is an error unless it is a choice"
                    if one == "system"
                    else "means over different topics are compared, and topics cannot be resampled jointly"
                )
                yield Finding(
                    f"{axis}-on-one-side", "warning" if shared else "error", shown(only),
                    f"{len(only):,} of {count(len(own), one)} {'is' if len(only) == 1 else 'are'} only in {name}",
                    effect, ways if one == "system" else "select the shared topics on both sides",
                )  # fmt: skip


def _numbered(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Finding]:
    numbers = tuple(str(i) for i in range(1, len(first.topics) + 1))
    if first.topics == second.topics == numbers:
        yield Finding(
            "numbered-topics", "note", "", "the topics of both are numbered from 1 and are matched by their place",
            "where the order of the topics differs, everything that pairs topics is wrong; the means are not touched",
            "name the topics in both files",
        )  # fmt: skip


def _scales(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Finding]:
    tops = [float(np.nanmax(np.abs(scores.values))) for scores in (first, second)]
    if min(tops) > 0 and max(tops) / min(tops) >= 20 and min(tops) <= 1 < max(tops):
        large, small = (names[0], names[1]) if tops[0] > tops[1] else (names[1], names[0])
        yield Finding(
            "different-scales", "note", "", f"{large} goes up to {max(tops):g}, {small} to {min(tops):g}",
            "ranks do not change, but one tied_within= for both means two different things",
            "bring both to one scale, or give tied_within a pair",
        )  # fmt: skip
