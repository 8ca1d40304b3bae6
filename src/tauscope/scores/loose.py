"""Names that differ by spelling only: spaces, case, leading zeros, ".0", and what all names of a side begin with."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: How names may be matched.
MATCH = ("exact", "loose")
_NUMBER = re.compile(r"\d+")
_START = re.compile(r"^[^\W\d]*[\s._:#/\\-]*(?=\d)")


def loose(name: str) -> str:
    """A name without what spelling adds.

    >>> loose(" Q0101.0 ") == loose("q101"), loose("BM25") == loose("bm25 ")
    (True, True)
    """
    text = name.strip().casefold()
    text = re.sub(r"(?<=\d)\.0+$", "", text)
    text = re.sub(r"[\s_-]+", "-", text)
    return _NUMBER.sub(lambda found: str(int(found[0])) if len(found[0]) < 19 else found[0], text)


def _without_start(names: Sequence[str]) -> dict[str, str]:
    """Names without the word that all of them begin with: topic-101, q101 and MB101 become 101."""
    starts = {_START.match(name.strip().casefold()) is not None for name in names}
    if starts != {True}:
        return {name: loose(name) for name in names}
    return {name: loose(_START.sub("", name.strip().casefold())) for name in names}


def _without_prefix(names: Sequence[str]) -> dict[str, str]:
    """Names without what all of them begin with, up to a separator: input.run1 and input.run2 become run1 and run2."""
    texts = {name: name.strip().casefold() for name in names}
    first, last = min(texts.values()), max(texts.values())
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    shared = re.match(r".*[\s._:#/\\-]", first[:same])
    start = len(shared[0]) if shared else 0
    return {name: loose(text[start:] or text) for name, text in texts.items()}


def would_match(own: Sequence[str], other: Sequence[str]) -> dict[str, str]:
    """Of the names that `other` lacks, those that it has in another spelling: own -> other.

    A spelling that two names of one side share matches nothing, for it would not be clear which.

    >>> would_match(["0101", "102", "a"], ["101", "102", "b"])
    {'0101': '101'}
    >>> would_match(["topic-1", "topic-2"], ["1.0", "2.0"])
    {'topic-1': '1.0', 'topic-2': '2.0'}
    >>> would_match(["input.bm25", "input.dense"], ["bm25", "dense"])
    {'input.bm25': 'bm25', 'input.dense': 'dense'}
    """
    exact = set(own) & set(other)
    left = [name for name in own if name not in exact]
    right = [name for name in other if name not in exact]
    if not left or not right:
        return {}
    taken = {loose(name) for name in exact}
    best: dict[str, str] = {}
    for spell in (_plain, _without_start, _without_prefix):
        mine, theirs = spell(left), spell(right)
        found = _unique(theirs)
        alone = _unique(mine)
        made = {
            alone[spelling]: found[spelling]
            for spelling in alone
            if spelling in found and (spell is not _plain or spelling not in taken)
        }
        if len(made) > len(best):
            best = made
    return {name: best[name] for name in left if name in best}


def _plain(names: Sequence[str]) -> dict[str, str]:
    return {name: loose(name) for name in names}


def _unique(spelled: dict[str, str]) -> dict[str, str]:
    """Spelling -> the only name that has it."""
    found: dict[str, list[str]] = {}
    for name, spelling in spelled.items():
        found.setdefault(spelling, []).append(name)
    return {spelling: names[0] for spelling, names in found.items() if len(names) == 1 and spelling}


def pairs_shown(pairs: Sequence[tuple[str, str]], most: int = 3) -> str:
    """The first few pairs of names, for a sentence."""
    return ", ".join(f"{a!r} and {b!r}" for a, b in pairs[:most]) + (", …" if len(pairs) > most > 1 else "")
