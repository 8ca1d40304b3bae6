"""The relation behind ranks: which systems are significantly better, their intervals, tiers and letters."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core import kernels
from ..core.arrays import Bools, Floats, Ints, product
from ..core.checking import PAIR_DRAWS, Stream, flip_draws, stream
from .corrections import MaxT, cautious_statistics, flips, pair_norms, rejected, sign_blocks, signs_of
from .true_means import Observed


def closed(better: Bools, scores: Floats) -> Bools:
    """Return the transitive closure of the statements that agree with the order of the scores.

    If i is better than j, and j better than k, then i is better than k. The closure adds only consequences, and a
    statement against the order is left out, so that all statements are still true together with the same confidence.
    With a score in every cell nothing is left out, and next to nothing is added; paired tests on different topics need it.
    """
    found = np.asarray(better) & (scores[:, None] > scores[None, :])
    for k in range(len(found)):
        above = np.flatnonzero(found[:, k])
        if above.size:
            found[above] |= found[k]
    return found


def shared_ranks(scores: Floats) -> Ints:
    """Rank scores, the highest first; equal scores share the better rank (1, 1, 1, 4).

    >>> shared_ranks(np.array([0.5, 0.9, 0.5, 0.1])).tolist()
    [2, 1, 2, 4]
    """
    return np.asarray(1 + np.searchsorted(np.sort(-scores), -scores, side="left"))


def rank_limits(better: Bools) -> tuple[Ints, Ints]:
    """Return the best and the worst rank of each system: 1 + the number of better systems, m - that of worse ones."""
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def tier_numbers(better: Bools, scores: Floats) -> Ints:
    """Return the tier of each system, from 1.

    A tier goes from its first system down to the last one that is not significantly worse, and equal scores stay together.
    """
    rank = shared_ranks(scores)
    tier, start, number = np.ones(len(rank), np.int64), 0, 0
    while start < len(rank):
        number += 1
        top = np.flatnonzero(rank == rank[start])
        last = int(np.flatnonzero(~better[top].any(axis=0))[-1])
        last = int(np.flatnonzero(rank == rank[last])[-1])
        tier[start : last + 1], start = number, last + 1
    return tier


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


#: Flips are added while a p-value that decides a tier is within this many standard errors of the level, up to so many
#: times the flips of the start.
NEAR, MOST_TIMES = 2.0, 8


class Tested(NamedTuple):
    """Which systems are significantly better than which, the number of draws, and how many pairs that decide a tier are
    so near to the level that other draws may decide differently."""

    better: Bools
    draws: int
    near: int = 0


def significantly_better(observed: Observed, level: float, seed: int, draws: int | None = None) -> Bools:
    """systems x systems, best first: whether i is better than j, with all such statements right at once at `level`."""
    return tested(observed, level, seed, draws).better


def tested(observed: Observed, level: float, seed: int, draws: int | None) -> Tested:
    """Test all pairs jointly: which of two systems is better, with all such statements right at once at `level`.

    The small-sample correction has the same resamples whatever the seed, and flips are added where a tier is in doubt
    (unless `draws` says how many there are): the seed is not to decide who is in which tier.
    """
    asked = ("better", level, seed, draws)
    if asked not in observed.kept:
        first = flip_draws(observed.systems) if draws is None else draws
        test = MaxT(observed, stream(seed, Stream.PAIRS), first, stream(0, Stream.PAIRS))
        while True:
            p = test.p()
            better = np.zeros((observed.systems, observed.systems), bool)
            better[observed.pairs] = rejected(p, 1 - level) & ~observed.tied
            near = 0 if test.exact else _near(observed, better, p, level, test.made)
            if not near or draws is not None or test.made >= MOST_TIMES * first:
                break
        better.flags.writeable = False
        observed.kept[asked] = Tested(better, test.made, near)
    found: Tested = observed.kept[asked]
    return found


def _near(observed: Observed, better: Bools, p: Floats, level: float, draws: int) -> int:
    """Count the pairs with the first of a tier whose p-value is within Monte Carlo error of the level."""
    error = math.sqrt(level * (1 - level) / draws)
    starts = np.flatnonzero(np.diff(tier_numbers(better, observed.means), prepend=0))
    doubtful = (np.abs(p - (1 - level)) < NEAR * error) & ~observed.tied
    return int((doubtful & np.isin(observed.pairs[0], starts)).sum())


def apart_from(observed: Observed, system: int, level: float, seed: int) -> Bools:
    """Which systems differ from one, the one in this place, all statements about it right at once.

    Max-t with step-down over the comparisons with it only (mogstad2024, marginal).
    """
    m, n = observed.systems, observed.topics
    generator, draws = stream(seed, Stream.PAIRS), flip_draws(m)
    scale, own = (
        _square(observed, values)[system]
        for values in (_inverse_norms(observed), cautious_statistics(observed, stream(0, Stream.PAIRS)))
    )
    made = flips(draws, n)
    order = np.argsort(own, kind="stable")
    extreme = np.zeros(m, np.int64)
    for rows in sign_blocks(made, n):
        sums = product(signs_of(rows, draws, n, generator), observed.centred.T)
        largest = np.maximum.accumulate((np.abs(sums[:, [system]] - sums) * scale)[:, order], axis=1)
        extreme += (largest >= own[order] * (1 - 1e-9)).sum(axis=0)
    p = np.empty(m)
    p[order] = np.maximum.accumulate(((1.0 + extreme) / (1.0 + made))[::-1])[::-1]
    never = _square(observed, observed.tied | observed.identical)[system].astype(bool)
    never[system] = True
    return np.asarray(rejected(p, 1 - level) & ~never)


def _square(observed: Observed, values: Floats | Bools) -> Floats:
    """systems x systems, the same on both sides of the diagonal."""
    found = np.zeros((observed.systems, observed.systems))
    found[observed.pairs] = values
    return found + found.T


def _inverse_norms(observed: Observed) -> Floats:
    norm = pair_norms(observed)
    return np.divide(1.0, norm, out=np.zeros(len(norm)), where=norm > 0)


def exceeded_p(observed: Observed, seed: int, draws: int = PAIR_DRAWS) -> Floats:
    """For each system, best first: how likely does another one exceed it as far as one does, if none is better?"""
    m, n = observed.systems, observed.topics
    scale = _square(observed, _inverse_norms(observed))
    generator = stream(seed, Stream.PAIRS)
    statistics = np.zeros((m, m))
    statistics[observed.pairs] = cautious_statistics(observed, stream(0, Stream.PAIRS))
    own = statistics.max(axis=0) * (1 - 1e-9)
    extreme = np.zeros(m, np.int64)
    for rows in sign_blocks(draws, n):
        sums = product(signs_of(rows, draws, n, generator, one_sided=True), observed.centred.T)
        extreme += kernels.flips_exceeding(sums, scale, own)
    return np.asarray((1 + extreme) / (1 + draws))
