"""Where do the two rankings disagree? Who moved, which pairs cost most, and what one system does to the value."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ...coefficients.batch import correlate_batch
from ...coefficients.correlation import Correlation
from ...figures import bump, heatmap, scatter
from ...reference.rankings import midranks
from ...results import count, number, plain, word
from ..parts import Column, Figure, Name, Section, Sentence, Table, ranks
from ..sides import Material
from .agree import Agreement

#: Pairs in the table of the costliest swaps.
MOST_PAIRS = 50
#: Beyond this many systems the matrix of pair losses is not made.
MOST_FOR_PAIRS = 2000


def section(material: Material, found: Agreement) -> Section | None:
    """Where there are two sides, and the head-weighted coefficient has a value."""
    head = found.head
    if head.undefined_because is not None:
        return None
    names = [str(item) for item in head.items]
    estimate, reference = (midranks(-scores) + 1 for scores in (found.data.first, found.data.second))
    moved = reference - estimate
    swaps = [pair for pair in head.heaviest(MOST_PAIRS) if pair.loss > 0]
    place = {name: (float(reference[i]), float(estimate[i])) for i, name in enumerate(names)}
    without = _without_each(found)
    words = (
        *_swap_words(material, found, swaps, place),
        *_moved_words(names, moved),
        *_drop_words(found, names, without),
    )
    tables = [_moved(names, reference, estimate, without), _swaps(head, swaps, place)]
    data = {
        "coefficient": head.coefficient.name,
        "costliest": [{**pair._asdict(), "ranks": [place[str(pair.first)], place[str(pair.second)]]} for pair in swaps],
        "moved": {name: plain(value) for name, value in zip(names, moved, strict=True)},
        "without": {"coefficient": found.chosen.coefficient.name, **{name: plain(v) for name, v in zip(names, without, strict=True)}},
    }  # fmt: skip
    heading = material.heading("Where do they disagree?")
    return Section(
        "disagree",
        heading,
        words,
        tuple(tables),
        _figures(material, head, names, reference, estimate, without, found),
        data,
    )


def _without_each(found: Agreement) -> Floats:
    """The chosen coefficient without each item in turn."""
    y, x = found.data.first, found.data.second
    n = len(y)
    if n < 3:
        return np.full(n, np.nan)
    others = np.arange(n - 1)[None, :] + (np.arange(n - 1)[None, :] >= np.arange(n)[:, None])
    values = correlate_batch(y[others], truth=x[others], coefficient=found.chosen.coefficient,
                             tied_within=found.chosen.tied_within).values  # fmt: skip
    return np.asarray(values)


def _swap_words(
    material: Material, found: Agreement, swaps: list[Any], place: dict[str, tuple[float, float]]
) -> tuple[Sentence, ...]:
    total = 1 - found.head.value
    if not swaps:
        return ((f"Nowhere: no pair of {word('systems')} costs {found.head.coefficient.name} anything.",),)
    first = swaps[0]
    a, b = str(first.first), str(first.second)
    lead: Sentence = (
        "The costliest swap: ", Name(a), " and ", Name(b), f", at ranks {place[a][0]:g} and {place[b][0]:g} in the reference and "
        f"{place[a][1]:g} and {place[b][1]:g} in ", Name(material.names[0]), f"; it takes {number(first.loss, 4)} of the "
        f"{number(total, 4)} that {found.head.coefficient.name} is short of 1.",
    )  # fmt: skip
    share = sum(pair.loss for pair in swaps[:10]) / total
    return (lead, (f"The ten costliest pairs make {100 * share:.0f} % of the loss.",))


def _moved_words(names: list[str], moved: Floats) -> tuple[Sentence, ...]:
    far = np.argsort(-np.abs(moved), kind="stable")[:3]
    parts: list[Any] = [f"{count(int((moved != 0).sum()), 'system')} of {len(names):,} have another rank"]
    for i in far.tolist():
        if moved[i]:
            parts += ["; ", Name(names[i]), f" {'rose' if moved[i] > 0 else 'fell'} by {abs(moved[i]):g}"]
    return ((*parts, "."),)


def _drop_words(found: Agreement, names: list[str], without: Floats) -> tuple[Sentence, ...]:
    if np.isnan(without).all():
        return ()
    high, low = int(np.nanargmax(without)), int(np.nanargmin(without))
    name = found.chosen.coefficient.name
    return ((f"Without one {word('system')} {name} lies between {number(float(without[low]))} (without ", Name(names[low]),
             f") and {number(float(without[high]))} (without ", Name(names[high]), f"), with all it is {number(found.chosen.value)}."),)  # fmt: skip


def _moved(names: list[str], reference: Floats, estimate: Floats, without: Floats) -> Table:
    columns = (Column(word("system"), "name"), ranks("rank in the reference", reference), ranks("rank in the estimate", estimate),
               ranks("rose by", reference - estimate), Column("value without it", "number", 4))  # fmt: skip
    order = np.argsort(-np.abs(reference - estimate), kind="stable").tolist()
    rows = tuple(
        (names[i], float(reference[i]), float(estimate[i]), float(reference[i] - estimate[i]), float(without[i]))
        for i in order
    )
    return Table("moved", (f"Every {word('system')}, those that moved furthest first.",), columns, rows, shown=10)


def _swaps(head: Correlation, swaps: list[Any], place: dict[str, tuple[float, float]]) -> Table:
    columns = (Column("first", "name"), Column("second", "name"), Column("reference ranks"), Column("estimate ranks"),
               Column("loss", "number", 5), Column("share of the loss, %", "number", 1))  # fmt: skip
    rows = []
    for pair in swaps:
        a, b = place[str(pair.first)], place[str(pair.second)]
        rows.append(
            (
                str(pair.first),
                str(pair.second),
                f"{a[0]:g}, {b[0]:g}",
                f"{a[1]:g}, {b[1]:g}",
                pair.loss,
                100 * pair.loss / (1 - head.value),
            )
        )
    caption = f"The pairs that cost {head.coefficient.name} most; losses of all pairs add up to 1 - value = {number(1 - head.value, 4)}."
    return Table("swaps", (caption,), columns, tuple(rows), shown=10)


def _figures(
    material: Material,
    head: Correlation,
    names: list[str],
    reference: Floats,
    estimate: Floats,
    without: Floats,
    found: Agreement,
) -> tuple[Figure, ...]:
    sides = (material.reference.name, material.names[0])
    figures = [
        Figure("bump", (f"Each {word('system')} from its rank in the reference (left) to its rank in the estimate (right).",),
               bump(reference, estimate, names, names=sides, title="Who moved")),
    ]  # fmt: skip
    if len(names) <= MOST_FOR_PAIRS:
        order = np.argsort(reference, kind="stable")
        at = np.empty(len(names), int)
        at[order] = np.arange(len(names))
        pairs = head.pairs
        losses = np.zeros((len(names), len(names)))
        np.add.at(losses, (at[pairs.first], at[pairs.second]), pairs.loss)
        np.add.at(losses, (at[pairs.second], at[pairs.first]), pairs.loss)
        best_first = [names[i] for i in order.tolist()]
        figures.append(
            Figure("losses", (f"What each pair costs {head.coefficient.name}, {word('systems')} in the order of the reference.",),
                   heatmap(losses, best_first, best_first, rows=word("system"), columns=word("system"), title="Pair losses", diverging=False))
        )  # fmt: skip
    if not np.isnan(without).all():
        name = found.chosen.coefficient.name
        figures.append(
            Figure("without", (f"{name} without each {word('system')} in turn, by its rank in the reference.",),
                   scatter(reference, without, names, x="rank in the reference", y=f"{name} without it", zero=False, title=f"{name} without one {word('system')}"))
        )  # fmt: skip
    return tuple(figures)
