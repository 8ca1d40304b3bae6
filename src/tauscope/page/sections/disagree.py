"""Where do the two rankings disagree? Who moved, which pairs cost most, and what one system does to the value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats
from ...coefficients.batch import correlate_batch
from ...coefficients.correlation import Correlation
from ...figures import bump, heatmap, scatter
from ...reference.rankings import midranks
from ...results import count, number, plain, word
from ..facts import Facts
from ..facts.agreement import Agreement
from ..material import Material
from ..parts import Column, Figure, Name, Part, Section, Sentence, Table, ranks

#: Pairs in the table of the costliest swaps.
MOST_PAIRS = 50
#: Beyond this many systems the matrix of pair losses is not made.
MOST_FOR_PAIRS = 2000


@dataclass(frozen=True, kw_only=True, eq=False)
class Moves:
    """Where each system stands on both sides, the costliest pairs, and the chosen coefficient without each in turn."""

    names: Sequence[str]
    reference: Floats
    estimate: Floats
    without: Floats
    swaps: Sequence[Any]

    @property
    def rose(self) -> Floats:
        """Ranks gained."""
        return self.reference - self.estimate

    def at(self, name: Any) -> tuple[float, float]:
        """The ranks of a system in the reference and in the estimate."""
        place = self.names.index(str(name))
        return float(self.reference[place]), float(self.estimate[place])

    def by_name(self, values: Floats) -> dict[str, Any]:
        """Values of the systems under their names."""
        return {name: plain(value) for name, value in zip(self.names, values, strict=True)}


def section(material: Material, facts: Facts) -> Section | None:
    """Where there are two sides, and the head-weighted coefficient has a value."""
    found = facts.agreement
    if found is None or found.head.undefined_because is not None:
        return None
    head, name = found.head, found.chosen.coefficient.name
    estimate, reference = (midranks(-scores) + 1 for scores in (found.data.first, found.data.second))
    moves = Moves(
        names=[str(item) for item in head.items],
        reference=reference,
        estimate=estimate,
        without=_without_each(found),
        swaps=[pair for pair in head.heaviest(MOST_PAIRS) if pair.loss > 0],
    )
    costliest = [{**p._asdict(), "ranks": [moves.at(p.first), moves.at(p.second)]} for p in moves.swaps]
    return Section(
        id="disagree",
        heading=material.heading("Where do they disagree?"),
        words=(*_swap_words(material, head, moves), _moved_words(moves), *_without_words(found.chosen, moves)),
        tables=(_moved(moves), _swaps(head, moves)),
        figures=_figures(material, found, moves),
        data={
            "coefficient": head.coefficient.name,
            "costliest": costliest,
            "moved": moves.by_name(moves.rose),
            "without": {"coefficient": name, **moves.by_name(moves.without)},
        },
        short="Disagreements",
    )


def _without_each(found: Agreement) -> Floats:
    """The chosen coefficient without each item in turn."""
    y, x, chosen = found.data.first, found.data.second, found.chosen
    n = len(y)
    if n < 3:
        return np.full(n, np.nan)
    others = np.arange(n - 1)[None, :] + (np.arange(n - 1)[None, :] >= np.arange(n)[:, None])
    batch = correlate_batch(y[others], truth=x[others], coefficient=chosen.coefficient, tied_within=chosen.tied_within)
    return np.asarray(batch.values)


def _swap_words(material: Material, head: Correlation, moves: Moves) -> list[Sentence]:
    name, total = head.coefficient.name, 1 - head.value
    if not moves.swaps:
        return [(f"Nowhere: no pair of {word('systems')} costs {name} anything.",)]
    worst = moves.swaps[0]
    a, b = moves.at(worst.first), moves.at(worst.second)
    share = sum(pair.loss for pair in moves.swaps[:10]) / total
    return [
        (
            "The costliest swap: ",
            Name(str(worst.first)),
            " and ",
            Name(str(worst.second)),
            f", at ranks {a[0]:g} and {b[0]:g} in the reference and {a[1]:g} and {b[1]:g} in ",
            Name(material.names[0]),
            f"; it takes {number(worst.loss, 4)} of the {number(total, 4)} that {name} is short of 1.",
        ),
        (f"The ten costliest pairs make {100 * share:.0f} % of the loss.",),
    ]


def _moved_words(moves: Moves) -> Sentence:
    rose = moves.rose
    parts: list[Part] = [f"{count(int((rose != 0).sum()), 'system')} of {len(rose):,} have another rank"]
    for i in np.argsort(-np.abs(rose), kind="stable")[:3].tolist():
        if rose[i]:
            parts += ["; ", Name(moves.names[i]), f" {'rose' if rose[i] > 0 else 'fell'} by {abs(rose[i]):g}"]
    return (*parts, ".")


def _without_words(chosen: Correlation, moves: Moves) -> list[Sentence]:
    without = moves.without
    if np.isnan(without).all():
        return []
    high, low = int(np.nanargmax(without)), int(np.nanargmin(without))
    return [
        (
            f"Without one {word('system')} {chosen.coefficient.name} lies between {number(float(without[low]))} "
            "(without ",
            Name(moves.names[low]),
            f") and {number(float(without[high]))} (without ",
            Name(moves.names[high]),
            f"), with all it is {number(chosen.value)}.",
        )
    ]


def _moved(moves: Moves) -> Table:
    columns = (
        Column(word("system"), "name"),
        ranks("rank in the reference", moves.reference),
        ranks("rank in the estimate", moves.estimate),
        ranks("rose by", moves.rose),
        Column("value without it", "number", 4),
    )
    values = (moves.reference, moves.estimate, moves.rose, moves.without)
    order = np.argsort(-np.abs(moves.rose), kind="stable").tolist()
    rows = tuple((moves.names[i], *(float(column[i]) for column in values)) for i in order)
    return Table("moved", (f"Every {word('system')}, those that moved furthest first.",), columns, rows, shown=10)


def _swaps(head: Correlation, moves: Moves) -> Table:
    columns = (
        Column("first", "name"),
        Column("second", "name"),
        Column("reference ranks"),
        Column("estimate ranks"),
        Column("loss", "number", 5),
        Column("share of the loss, %", "number", 1),
    )
    total = 1 - head.value
    rows = []
    for pair in moves.swaps:
        both = zip(moves.at(pair.first), moves.at(pair.second), strict=True)
        places = (f"{a:g}, {b:g}" for a, b in both)
        rows.append((str(pair.first), str(pair.second), *places, pair.loss, 100 * pair.loss / total))
    sums = f"losses of all pairs add up to 1 - value = {number(total, 4)}"
    caption = f"The pairs that cost {head.coefficient.name} most; {sums}."
    return Table("swaps", (caption,), columns, tuple(rows), shown=10)


def _figures(material: Material, found: Agreement, moves: Moves) -> tuple[Figure, ...]:
    one, many = word("system"), word("systems")
    head, name = found.head.coefficient.name, found.chosen.coefficient.name
    sides = (material.reference.name, material.names[0])
    caption = f"Each {one} from its rank in the reference (left) to its rank in the estimate (right)."
    drawn = bump(moves.reference, moves.estimate, moves.names, names=sides, title="Who moved")
    figures = [Figure("bump", (caption,), drawn)]
    if len(moves.names) <= MOST_FOR_PAIRS:
        losses, order = _losses(found.head, moves)
        drawn = heatmap(losses, order, order, rows=one, columns=one, title="Pair losses", diverging=False)
        figures.append(
            Figure("losses", (f"What each pair costs {head}, {many} in the order of the reference.",), drawn)
        )
    if not np.isnan(moves.without).all():
        drawn = scatter(
            moves.reference,
            moves.without,
            moves.names,
            x="rank in the reference",
            y=f"{name} without it",
            zero=False,
            title=f"{name} without one {one}",
        )
        caption = f"{name} without each {one} in turn, by its rank in the reference."
        figures.append(Figure("without", (caption,), drawn))
    return tuple(figures)


def _losses(head: Correlation, moves: Moves) -> tuple[Floats, list[str]]:
    """What each pair costs, systems in the order of the reference, and their names."""
    n = len(moves.names)
    order = np.argsort(moves.reference, kind="stable")
    at = np.empty(n, int)
    at[order] = np.arange(n)
    pairs, losses = head.pairs, np.zeros((n, n))
    for a, b in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
        np.add.at(losses, (at[a], at[b]), pairs.loss)
    return losses, [moves.names[i] for i in order.tolist()]
