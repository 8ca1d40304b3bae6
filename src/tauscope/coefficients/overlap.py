"""Rank-biased overlap: how much do two lists share, from the top down, when neither needs to be complete?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import EXACT, Floats, Ints, repeated, sums_by, tally
from ..core.formulas import BLOCK
from ..data.ranking import Ranking, as_ranking
from ..errors import Advice, CallError
from ..results import Plain


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Overlap(Plain):
    """How much do two lists share, from the top down? 0 for nothing in common, 1 for the same; `float()` gives the
    value.

    Attributes
    ----------
    p : float
        The chance of reading on.
    ties : str
        The variant: "a", "b" or "w".
    extrapolated : float
        The value if the agreement goes on as seen.
    lower, upper : float
        What it can become whatever follows the lists (without ties).
    lengths : pair of int
        How many items the lists have.
    shared : int
        How many items both have.
    tied : pair of int
        How many items of each share their rank with another.
    agreement : array of float
        `agreement[d - 1]` is the extrapolated agreement at depth d.
    names : pair of str
        What the lists are called.
    """

    QUESTION: ClassVar[str] = "overlap"

    p: float
    ties: str
    extrapolated: float
    lower: float
    upper: float
    lengths: tuple[int, int]
    shared: int
    tied: tuple[int, int]
    agreement: Floats
    names: tuple[str, str] = ("first", "second")

    def __float__(self) -> float:
        return self.extrapolated

    @property
    def half(self) -> int:
        """The depth down to which half of the weight lies."""
        return max(1, math.ceil(math.log(0.5) / math.log(self.p)))

    @property
    def residual(self) -> float:
        """How much is left open by what the lists do not show."""
        return self.upper - self.lower

    def columns(self) -> dict[str, Any]:
        depth = np.arange(1, len(self.agreement) + 1)
        return {"depth": depth, "agreement": self.agreement, "weight": (1 - self.p) * self.p ** (depth - 1.0)}

    def cited(self) -> tuple[str, ...]:
        return ("webber2010", "corsi2024")


#: The variants of ties.
_TIES = ("a", "b", "w")
#: Closer to 1 than this, the tail of a series is what its first terms leave of the whole: near enough to 1, little is
#: lost in the difference, and it takes no time.
NEAR_ONE = 1e-4


def rbo(first: Any, second: Any, p: float = 0.9, *, ties: str = "a") -> Overlap:
    """How much do two lists share, from the top down, when they may hold different items and be of different lengths?

    RBO = (1-p) * sum over depths d of p^(d-1) * A_d (webber2010); A_d is the agreement of the first d items. An item at
    the tied ranks t..b is in the first d by c_d = clip((d-t+1)/(b-t+1), 0, 1) (corsi2024). `ties`:

    - "a": A_d = sum(c_S c_L)/d, the mean over all orders of the tied items;
    - "b": A_d = sum(c_S c_L)/sqrt(sum c_S^2 * sum c_L^2): ties are taken out of the denominator, as in tau_b;
    - "w": tied items share their top rank, c = 1 from t on, A_d = 2X/(|S_d| + |L_d|).

    Below its end a list is not known: `lower` takes everything there to differ, `upper` to agree as far as it can,
    `extrapolated` takes the agreement to stay as it was; none expects ties there. Items are matched by name.
    Do not use it for two complete rankings of the same systems: there a coefficient of the catalogue also counts
    disagreement, and RBO of random rankings is not 0.

    Parameters
    ----------
    first, second : ranking or list
        Anything `Ranking` takes, such as `Ranking.from_order("A (B C) D")`, or lists of names, best first.
    p : float, default 0.9
        The chance of reading on, strictly between 0 and 1; 0.9 has 86 % of its weight on the first ten ranks.
    ties : "a", "b" or "w", default "a"
        What a tie is, as above.

    Returns
    -------
    Overlap

    Raises
    ------
    CallError
        Where the lists cannot be matched, are empty, or have a tolerance for ties.

    Examples
    --------
    >>> one, two = Ranking.from_order("A B C D"), Ranking.from_order("B A E")
    >>> round(float(rbo(one, two)), 4)
    0.63
    """
    checking.one_of(ties, _TIES, "ties")
    p = checking.share(p, "p")
    lists = [_ranked(data, name) for data, name in ((first, "`first`"), (second, "`second`"))]
    if (lists[0].items is None) != (lists[1].items is None):
        raise CallError(
            "One list has names and the other has none, so they cannot be matched.", Advice("Give both as Rankings.")
        )
    if lists[0].items is None and len(lists[0]) != len(lists[1]):
        raise CallError(
            f"Arrays are compared place by place, and have {len(lists[0]):,} and {len(lists[1]):,} scores.",
            Advice("Give names."),
        )
    a, b = (_List.of(ranking) for ranking in lists)
    short, long = (a, b) if a.size <= b.size else (b, a)
    (extrapolated, lower, upper), agreement, shared = _overlap(short, long, p, ties)
    return Overlap(
        p=p,
        ties=ties,
        extrapolated=extrapolated,
        lower=lower,
        upper=upper,
        lengths=(a.size, b.size),
        shared=shared,
        tied=(a.tied, b.tied),
        agreement=agreement,
    )


def _ranked(data: Any, name: str) -> Ranking:
    if (
        isinstance(data, Sequence)
        and not isinstance(data, str)
        and len(data)
        and any(isinstance(item, (str, tuple, set)) for item in data)
    ):
        ranking = Ranking.from_order(data)
    else:
        ranking = as_ranking(data, name)
    if not len(ranking):
        raise CallError(f"{name} is empty; a list needs at least one item.")
    if ranking.tied_within != EXACT:
        raise CallError(
            f"{name} has a tolerance for ties; rank-biased overlap needs groups of tied items, and ties within a "
            "tolerance do "
            "not chain into groups."
        )
    return ranking


class _List(NamedTuple):
    """Items best first, with the first and last rank of their tie group, from 1."""

    items: list[Hashable]
    top: Ints
    bottom: Ints

    @classmethod
    def of(cls, ranking: Ranking) -> _List:
        order = ranking.order()
        scores = ranking.oriented[order]
        labels = ranking.labels
        starts = np.flatnonzero(np.concatenate(([True], np.diff(scores) != 0)))
        sizes = np.diff(np.append(starts, len(scores)))
        top = repeated(starts + 1, sizes)
        return cls([labels[place] for place in order], top, repeated(starts + sizes, sizes))

    @property
    def size(self) -> int:
        return len(self.items)

    @property
    def tied(self) -> int:
        """Items that share their rank with another."""
        return int(np.count_nonzero(self.top != self.bottom))

    def reached(self) -> Floats:
        """For each depth, how far the group that is there has come: (d-t+1)/(b-t+1)."""
        depth = np.arange(1, self.size + 1)
        return np.asarray((depth - self.top + 1) / (self.bottom - self.top + 1))

    def squares(self) -> Floats:
        """Sum of c^2 at each depth."""
        return np.asarray(self.top - 1 + (self.bottom - self.top + 1) * self.reached() ** 2)


def _overlap(short: _List, long: _List, p: float, ties: str) -> tuple[tuple[float, float, float], Floats, int]:
    """(extrapolated, lower, upper), the extrapolated agreement by depth, and how many items both have."""
    s, length = short.size, long.size
    in_short = {item: place for place, item in enumerate(short.items)}
    places = np.array([in_short.get(item, -1) for item in long.items])
    both = places >= 0
    seen = _common(short, long, places, ties)
    depth = np.arange(1.0, length + 1)
    open_ended = np.arange(1, length + 1) > s  # depths at which only the long list is known
    # Below its end the short list has one untied item a depth.
    if ties == "w":
        scale = 2 / (np.concatenate((short.bottom, depth[s:])) + long.bottom)
    elif ties == "a":
        scale = 1 / depth
    else:
        scale = 1 / np.sqrt(np.concatenate((short.squares(), depth[s:])) * long.squares())
    more, most = _unseen(long, both, s, ties)
    at_end = float(seen[s - 1] * scale[s - 1])
    extrapolated = (seen + np.where(open_ended, (depth - s) * at_end * more, 0.0)) * scale
    weight = p**depth
    shared = int(both.sum())
    sums = [
        float(weight @ values)
        for values in (extrapolated, seen * scale, (seen + np.where(open_ended, most, 0.0)) * scale)
    ]
    tails = (
        (shared + (length - s) * at_end) / length * p ** (length + 1) / (1 - p),
        shared * _log_tail(p, length),
        _upper_tail(p, s, length, shared),
    )
    low, middle, high = sums[1] + tails[1], sums[0] + tails[0], sums[2] + tails[2]
    values = [min(1.0, (1 - p) / p * value) for value in (middle, low, high)]
    return (values[0], values[1], values[2]), extrapolated, shared


def _common(short: _List, long: _List, places: Ints, ties: str) -> Floats:
    """X: sum over the items in both of c_S * c_L, at each depth of the long list."""
    length = long.size
    at = np.flatnonzero(places >= 0)
    where = places[at]
    top_s, bottom_s, top_l, bottom_l = short.top[where], short.bottom[where], long.top[at], long.bottom[at]
    begin = np.maximum(top_s, top_l)
    if ties == "w":
        return np.cumsum(tally(begin, length + 1)[1:]).astype(float)
    # From the later bottom rank on an item counts 1; above it, down from the later top rank, a product of two shares.
    end = np.maximum(bottom_s, bottom_l)
    total = np.cumsum(tally(end, length + 1)[1:]).astype(float)
    for rows in _chunks(end - begin):
        steps = (end - begin)[rows]
        item = repeated(np.arange(len(begin))[rows], steps)
        depth = begin[item] + np.arange(len(item)) - repeated(np.cumsum(steps) - steps, steps)
        share_s = np.minimum(1.0, (depth - top_s[item] + 1) / (bottom_s[item] - top_s[item] + 1))
        share_l = np.minimum(1.0, (depth - top_l[item] + 1) / (bottom_l[item] - top_l[item] + 1))
        total += sums_by(depth, share_s * share_l, length + 1)[1:]
    return total


def _chunks(lengths: Ints) -> list[slice]:
    """Slices of items whose lengths add up to about a block."""
    ends = np.cumsum(lengths)
    if not len(ends):
        return []
    cuts = np.searchsorted(ends, np.arange(BLOCK, ends[-1] + BLOCK, BLOCK), side="right")
    edges = sorted({0, *(int(cut) for cut in cuts), len(lengths)})
    return [slice(a, b) for a, b in pairwise(edges)]


def _unseen(long: _List, both: Any, s: int, ties: str) -> tuple[Floats, Floats]:
    """What items of the long list that the short one has not shown count at each depth: the mean of c over those that
    have begun, and the sum over the d - s first of them."""
    depth = np.arange(1, long.size + 1)
    before = np.concatenate(([0], np.cumsum(~both)))
    above = before[long.top - 1]  # in earlier groups: c = 1
    here = before[long.bottom] - above  # in the group at this depth
    share = np.ones(long.size) if ties == "w" else long.reached()
    begun = above + here
    mean = np.divide(above + here * share, begun, out=np.ones(long.size), where=begun > 0)
    wanted = np.maximum(depth - s, 0)
    most = np.minimum(wanted, above) + np.clip(wanted - above, 0, here) * share
    return mean, most


def _log_tail(p: float, length: int) -> float:
    """Sum of p^d/d from l+1 on: agreement X/d where nothing more is shared."""
    if 1 - p < NEAR_ONE:  # the whole series is -log(1 - p); from far away it would take 40/(1 - p) terms
        d = np.arange(1, length + 1)
        return max(0.0, -math.log1p(-p) - float((p**d / d).sum()))
    total, depth = 0.0, length + 1
    while True:
        d = np.arange(depth, depth + 4096)
        terms = p**d / d
        total += float(terms.sum())
        if terms[-1] <= 1e-17 * total or terms[-1] == 0:
            return total
        depth += 4096


def _upper_tail(p: float, s: int, length: int, shared: int) -> float:
    """Below both lists each new item can be one that the other has shown: overlap 2d - s - l + X up to d = s + l - X,
    where everything is shared."""
    full = s + length - shared
    d = np.arange(length + 1, full + 1)
    return float(((2 * d - length - s + shared) / d * p**d).sum()) + p ** (full + 1) / (1 - p)
