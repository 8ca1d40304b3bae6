"""Letters of groups that overlap, the compact letter display: two systems share a letter if and only if they are not
told apart (piepho2004).
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools

#: With more groups than this on the way, another search is used.
MOST = 500


def compact_letters(better: Bools, names: list[str]) -> dict[str, str]:
    """Return the letters of each system, a for the group of the best; `better[i, j]` says that i is better than j.

    >>> compact_letters(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], bool), ["a", "b", "c"])
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    """
    groups = letter_groups(better)
    marks: dict[str, list[str]] = {name: [] for name in names}
    for k, group in enumerate(groups):
        for place in group:
            marks[names[place]].append(_letter(k))
    return {name: ("" if len(groups) <= 26 else " ").join(own) for name, own in marks.items()}


def letter_groups(better: Bools) -> list[list[int]]:
    """Return the places of the members of each group; two systems share a group if and only if they do not differ.

    Insert and absorb: from one group of all systems, each system with its differences splits every group it is in, into
    one without those that differ from it and one without itself; groups inside others are dropped, and at the end those
    of which every pair is in another group too (piepho2004). Many systems can have too many such groups to enumerate. A
    greedy search then finds a small number of groups that hold every pair of systems that do not differ, so that the
    letters still say the same about every pair.
    """
    apart = np.asarray(better) | np.asarray(better).T
    # A group is a whole number: bit i is set where system i is in it.
    different = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in apart]
    groups = [(1 << len(apart)) - 1]
    for i, others in enumerate(different):
        whole = [g for g in groups if not (g >> i & 1 and g & others)]
        split = [part for g in groups if g >> i & 1 and g & others for part in (g & ~others, g & ~(1 << i))]
        groups = _absorbed(whole, split)
        if len(groups) > MOST:
            groups = _covering(different)
            break
    return sorted(map(_members, _swept(groups, len(apart))))


def _covering(different: list[int]) -> list[int]:
    """Groups without two that differ, which together hold every pair that does not: each starts from a pair that is in
    no group yet, and takes in whoever leaves most others to be taken in."""
    everyone = (1 << len(different)) - 1
    same = [everyone & ~others for others in different]
    left = [own & ~(1 << i) for i, own in enumerate(same)]  # of each system, those it shares no group with yet
    groups = [1 << i for i, own in enumerate(left) if not own]
    for i in range(len(same)):
        while left[i]:
            group, open_to = 1 << i, same[i] & ~(1 << i)
            new = left[i]
            while open_to:
                wanted = open_to & new or open_to
                at = _members(wanted)
                sizes = [(open_to & same[k]).bit_count() for k in at]
                k = at[sizes.index(max(sizes))]
                group |= 1 << k
                open_to &= same[k] & ~(1 << k)
            for k in _members(group):
                left[k] &= ~group
            groups.append(group)
    return groups


def _absorbed(kept: list[int], new: list[int]) -> list[int]:
    """Groups that are in no other one."""
    for group in sorted(set(new), key=int.bit_count, reverse=True):
        if not any(group | other == other for other in kept):
            kept = [other for other in kept if other | group != group]
            kept.append(group)
    return kept


def _swept(groups: list[int], systems: int) -> list[int]:
    """Without groups of which every pair, and every system, is in another group too; the smallest go first."""
    together = np.zeros((systems, systems), np.int64)
    places = {group: _members(group) for group in groups}
    for at in places.values():
        together[np.ix_(at, at)] += 1
    kept = []
    for group in sorted(groups, key=int.bit_count):
        at = places[group]
        if (together[np.ix_(at, at)] > 1).all():
            together[np.ix_(at, at)] -= 1
        else:
            kept.append(group)
    return kept


def _members(group: int) -> list[int]:
    """Places of the set bits, the lowest first: the last of the binary digits is bit 0."""
    return [i for i, digit in enumerate(f"{group:b}"[::-1]) if digit == "1"]


def _letter(number: int) -> str:
    return chr(97 + number) if number < 26 else _letter(number // 26 - 1) + chr(97 + number % 26)
