"""Every coefficient in loops of plain Python, straight from the formulas of the papers: the third twin.

Counts and weights are integers and fractions, so nothing rounds before the end. `y` is the estimate, `x` the truth,
higher is better; a tolerance is a number, or a share such as "5%". None is "undefined".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations

from tauscope.coefficients.records import Coefficient

Scores = Sequence[float]
Within = float | str
EPSILON = 2.0**-52


def tied(a: float, b: float, within: Within = 0.0) -> bool:
    """In floating point like everybody else: |a-b| <= w + max(1e-9 w, 8 eps max(|a|, |b|))."""
    if isinstance(within, str):
        share = float(within.rstrip("%")) / 100
        width = share * min(abs(a), abs(b))
    else:
        share = width = within
    if share == 0:
        return a == b
    return abs(a - b) <= width + max(1e-9 * width, 8 * EPSILON * max(abs(a), abs(b)))


def sign(a: float, b: float, within: Within = 0.0) -> int:
    if tied(a, b, within):
        return 0
    return 1 if a > b else -1


def pairs(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(i + 1, n)]


def tied_pairs(s: Scores, within: Within = 0.0) -> int:
    return sum(tied(s[i], s[j], within) for i, j in pairs(len(s)))


def best_first(s: Scores) -> list[int]:
    return sorted(range(len(s)), key=lambda i: -s[i])


def pair_counts(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> tuple[int, int, int, int]:
    products = [sign(y[i], y[j], wy) * sign(x[i], x[j], wx) for i, j in pairs(len(y))]
    return products.count(1), products.count(-1), tied_pairs(y, wy), tied_pairs(x, wx)


def tau(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float | None:
    """radja2018 (2.1)."""
    if tied_pairs(y) or tied_pairs(x):
        return None
    concordant = sum(sign(y[i], y[j]) == sign(x[i], x[j]) for i, j in pairs(len(y)))
    return float(Fraction(2 * concordant, len(pairs(len(y)))) - 1)


def tau_a(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float:
    """radja2018 (2.3), (6.1)."""
    concordant, discordant, _, _ = pair_counts(y, x, wy, wx)
    return float(Fraction(concordant - discordant, len(pairs(len(y)))))


def tau_b(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float | None:
    """radja2018 (2.4), (6.3)."""
    concordant, discordant, tied_y, tied_x = pair_counts(y, x, wy, wx)
    everything = len(pairs(len(y)))
    square = (everything - tied_y) * (everything - tied_x)
    s = concordant - discordant
    return math.copysign(math.sqrt(Fraction(s * s, square)), s) if square else None


def tau_e(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float:
    """radja2018 (5.1), (6.6)."""
    c = [sign(y[i], y[j], wy) == sign(x[i], x[j], wx) for i, j in pairs(len(y))]
    return float(Fraction(2 * sum(c), len(c)) - 1)


def gamma(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float | None:
    """goodman1954: by definition over the pairs that neither ranking ties."""
    concordant, discordant, _, _ = pair_counts(y, x, wy, wx)
    ordered = concordant + discordant
    return float(Fraction(concordant - discordant, ordered)) if ordered else None


def somers_d(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float | None:
    """somers1962: by definition over the pairs that the truth orders."""
    ordered = [(i, j) for i, j in pairs(len(x)) if not tied(x[i], x[j], wx)]
    agreed = sum(sign(y[i], y[j], wy) * sign(x[i], x[j], wx) for i, j in ordered)
    return float(Fraction(agreed, len(ordered))) if ordered else None


def tau_ap(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float | None:
    """yilmaz2008, urbano2016 (2): the walk goes through the estimate."""
    if tied_pairs(y) or tied_pairs(x):
        return None
    order, total = best_first(y), Fraction(0)
    for i in range(1, len(order)):
        discordant_above = sum(x[order[j]] < x[order[i]] for j in range(i))
        total += Fraction(discordant_above, i)
    return float(1 - 2 * total / (len(y) - 1))


def subgroups(s: Scores, within: Within = 0.0) -> list[list[int]]:
    """Stepping: items are in one sub-group iff they are tied with exactly the same items. Best sub-group first."""
    partners = [frozenset(j for j in range(len(s)) if tied(s[i], s[j], within)) for i in range(len(s))]
    groups: list[list[int]] = []
    for i in best_first(s):
        if groups and partners[groups[-1][0]] == partners[i]:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def tau_ap_a(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float:
    """radja2018 (4.4), (6.2)."""
    total, above = Fraction(0), []
    for group in subgroups(y, wy):
        p, t = len(above) + 1, len(group)
        for i in group if above else []:
            weight = sum(Fraction(1, t * (p + k - 2)) for k in range(1, t + 1))
            total += weight * sum(sign(x[i], x[j], wx) * sign(y[i], y[j], wy) for j in above)
        above += group
    return float(total / (len(y) - 1))


def tau_ap_ties(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0, zero: bool = False) -> float | None:
    """radja2018 (4.8), (6.5): walks y. A pair tied in x counts -1, or 0 as in the tables of the thesis."""
    total, pivots = Fraction(0), 0
    for i in range(len(y)):
        above = [j for j in range(len(y)) if sign(y[j], y[i], wy) > 0]
        if above:
            signs = [sign(x[j], x[i], wx) for j in above]
            total += Fraction(sum(signs) - (0 if zero else signs.count(0)), len(above))
            pivots += 1
    return float(total / pivots) if pivots else None


def tau_ap_b(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0, zero: bool = False) -> float | None:
    """radja2018 (4.7), (6.4)."""
    there, back = tau_ap_ties(y, x, wy, wx, zero), tau_ap_ties(x, y, wx, wy, zero)
    return None if there is None or back is None else (there + back) / 2


def tau_ap_e_of_order(order: Sequence[int], y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> Fraction:
    """radja2018 (5.2), (6.7), for one order of the estimate."""
    total = Fraction(0)
    for i in range(1, len(order)):
        c = [sign(y[order[j]], y[order[i]], wy) == sign(x[order[j]], x[order[i]], wx) for j in range(i)]
        total += Fraction(sum(c), i)
    return 2 * total / (len(order) - 1) - 1


def orders(y: Scores) -> list[tuple[int, ...]]:
    """Every order of the items, best first, that breaks the ties of y."""
    result: list[tuple[int, ...]] = [()]
    for group in subgroups(y):
        result = [done + more for done in result for more in permutations(group)]
    return result


def tau_ap_e(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float:
    """radja2018 (5.2), (6.7), the mean over the orders of equal estimates, place by place: the pivot is at place k of
    its group of t with probability 1/t, each other member above it with probability (k-1)/(t-1)."""
    total, above = Fraction(0), []
    for group in subgroups(y):
        t = len(group)
        for i in group:
            agree = [j for j in range(len(y)) if j != i and sign(y[j], y[i], wy) == sign(x[j], x[i], wx)]
            over, within = len(set(agree) & set(above)), len(set(agree) & set(group))
            for k in range(1, t + 1):
                places_above = len(above) + k - 1
                if places_above:
                    members = Fraction(within * (k - 1), t - 1) if t > 1 else 0
                    total += (over + members) * Fraction(1, t * places_above)
        above += group
    return float(2 * total / (len(y) - 1) - 1)


def tau_gap(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float | None:
    """gao2015 (3)."""
    total, pivots = Fraction(0), 0
    for i in range(len(y)):
        gaps = [Fraction(x[j]) - Fraction(x[i]) for j in range(len(y)) if y[j] > y[i]]
        if any(gaps):
            total += sum(g for g in gaps if g > 0) / sum(map(abs, gaps))
            pivots += 1
    return float(2 * total / pivots - 1) if pivots else None


def _cosine(u: list[Fraction], v: list[Fraction]) -> Fraction | None:
    uv, uu, vv = (sum(a * b for a, b in zip(p, q, strict=True)) for p, q in ((u, v), (u, u), (v, v)))
    size = math.sqrt(uv * uv / (uu * vv)) if uu * vv else None  # at most 1, whatever the size of its parts
    return None if size is None else Fraction(size if uv > 0 else -size)


def pearson_rank(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float | None:
    """gao2016: about the pivot, over the items strictly above it in the truth."""
    if min(x) < 0:
        return None
    exact_x, exact_y = [Fraction(s) for s in x], [Fraction(s) for s in y]
    total, weight = Fraction(0), Fraction(0)
    for i in range(len(x)):
        above = [j for j in range(len(x)) if x[j] > x[i]]
        cosine = _cosine([exact_x[j] - exact_x[i] for j in above], [exact_y[j] - exact_y[i] for j in above])
        if cosine is not None:
            total += exact_x[i] * cosine
            weight += exact_x[i]
    return float(total / weight) if weight else None


def pearson(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float | None:
    centred = []
    for s in (y, x):
        exact = [Fraction(value) for value in s]
        mean = sum(exact) / len(exact)
        centred.append([value - mean for value in exact])
    cosine = _cosine(*centred)
    return None if cosine is None else float(cosine)


def spearman(y: Scores, x: Scores, wy: Within = 0.0, wx: Within = 0.0) -> float | None:
    """Pearson of twice the mid-ranks."""
    doubled = [[sum(a < b for a in s) + sum(a <= b for a in s) + 1 for b in s] for s in (y, x)]
    return pearson(*doubled)


def formula(c: Coefficient) -> Callable[..., float | None] | None:
    """The loop of a coefficient, which has its name; None where there is none."""
    found: Callable[..., float | None] | None = globals().get(c.name)
    return found
