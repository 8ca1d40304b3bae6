"""Rankings that break careless code: tied, constant, huge, tiny, nearly equal, and all of it mixed."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tauscope.coefficients.records import Coefficient, Ties

Pair = tuple[list[float], list[float]]

#: Score by score; k is a small integer, so that ties are frequent.
SCALES = {
    "tied": lambda k: float(k),
    "decimal": lambda k: k / 10,
    "negative": lambda k: -k / 7,
    "huge": lambda k: k * 1e300,
    "tiny": lambda k: k * 1e-300,
    "subnormal": lambda k: k * 5e-324,
    "nearly equal": lambda k: 1e6 + k * 1e-9,
}
MIXED = (0.0, -0.0, 5e-324, 1e-300, 2e-300, 0.1, 0.3, 1.0, 1e6, 1e6 + 1e-9, 1e15, 1e300, 3e300)


@st.composite
def scores(draw: st.DrawFn, n: int, *, non_negative: bool = False, tame: bool = False) -> list[float]:
    """One ranking of n items. `tame` leaves out sizes at which adding a tolerance means nothing."""
    kinds = ["tied", "decimal", "negative"] if tame else [*SCALES, "constant", "mixed", "any"]
    kind = draw(st.sampled_from(kinds))
    if kind == "any":
        values = draw(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=n, max_size=n))
    elif kind == "mixed":
        pool = (*MIXED, *(-value for value in MIXED))
        values = draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
    elif kind == "constant":
        values = [draw(st.sampled_from(MIXED))] * n
    else:
        ks = draw(st.lists(st.integers(0, draw(st.sampled_from([2, n, 100]))), min_size=n, max_size=n))
        values = [SCALES[kind](k) for k in ks]
    return [abs(value) for value in values] if non_negative else values


@st.composite
def ranking_pairs(draw: st.DrawFn, *, min_size: int = 2, max_size: int = 9, tame: bool = False) -> Pair:
    """(estimate, truth)."""
    n = draw(st.integers(min_size, max_size))
    return draw(scores(n, tame=tame)), draw(scores(n, tame=tame))


@st.composite
def untied_pairs(draw: st.DrawFn, *, min_size: int = 2, max_size: int = 9) -> Pair:
    """(estimate, truth) without ties."""
    estimate, truth = draw(ranking_pairs(min_size=min_size, max_size=max_size))
    return break_ties(estimate), break_ties(truth)


def break_ties(values: list[float]) -> list[float]:
    """The scores themselves if no two are equal, else their ranks, equal ones in the order given."""
    if len(set(values)) == len(values):
        return values
    ranks = [0.0] * len(values)
    for rank, place in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        ranks[place] = float(rank)
    return ranks


def fit(c: Coefficient, pair: Pair) -> Pair:
    """The pair as the coefficient can take it: without ties, or with a truth that is not negative."""
    estimate, truth = pair
    if c.ties is Ties.FORBIDDEN:
        return break_ties(estimate), break_ties(truth)
    if c.weights_are_scores:
        return estimate, [abs(score) for score in truth]
    return pair


@st.composite
def tolerances(draw: st.DrawFn, pair: Pair) -> tuple[Any, Any]:
    """(estimate, truth), often exactly a gap of the ranking, where inclusive and exclusive differ."""

    def one(values: list[float]) -> Any:
        gap = abs(draw(st.sampled_from(values)) - draw(st.sampled_from(values)))
        options: list[Any] = [0.0, gap, gap / 2, gap / 3, 0.1, 0.2, 1.0]
        if min(values) >= 0 or max(values) <= 0:
            options += ["0%", "5%", "50%", "300%"]
        return draw(st.sampled_from([w for w in options if isinstance(w, str) or w < 1e308]))

    return one(pair[0]), one(pair[1])
