"""Several judges beside a reference: which ranks most like it, and which are not shown to be worse?"""

from __future__ import annotations

from ...results import count, number, word
from ..facts import Facts
from ..facts.judges import SeveralJudges
from ..material import Material
from ..parts import Name, Part, Sentence, listed
from .parts import Badge, Forest, ForestRow, Ruler, RulerLine, Screen, Segment, Stack, Tile, coefficients

#: Names in a sentence.
FEW = 2


def screen(material: Material, facts: Facts) -> Screen | None:
    """Where there are several judges."""
    found = facts.judges
    if found is None:
        return None
    r = found.ranking
    best = Name(r.names[0], 30)
    others = found.not_worse
    return Screen(
        kind="judges",
        question=(f"Which of {len(r.names):,} judges ranks most like ", Name(material.reference.name, 40), "?"),
        badge=Badge("A clear best", "yes") if not others else Badge(f"{1 + len(others):,} could be best", "open"),
        sentence=_sentence(found),
        tiles=(_best(found), _told_apart(found), _ceiling(found)),
        picture=_forest(material, found),
        may=_may(found, best),
        may_not=_may_not(found, best),
        systems=(),
        data={"best": r.names[0], "not_worse": list(others), "told_apart": int(r.apart.sum())},
    )


def _sentence(found: SeveralJudges) -> Sentence:
    best = Name(found.ranking.names[0], 30)
    others = found.not_worse
    if not others:
        return (best, " is best; every other judge is shown to be worse.")
    parts: list[Part] = [best, " is best; "]
    for place, name in enumerate(others[:FEW]):
        parts += [" and " if place and len(others) <= FEW else ", " if place else "", Name(name, 30)]
    if len(others) > FEW:
        parts.append(f" and {len(others) - FEW:,} more")
    verb = "is" if len(others) == 1 else "are"
    return (*parts, f" {verb} not shown to be worse.")


def _best(found: SeveralJudges) -> Tile:
    r = found.ranking
    interval = (float(r.low[0]), float(r.high[0]))
    value = float(r.corrected[0])
    line = RulerLine(label="without noise (disattenuated)", value=value, interval=interval, strong=True)
    return Tile(
        title=f"The best, {r.coefficient.symbol}",
        value=number(value, 2),
        note=(Name(r.names[0], 30),),
        picture=Ruler(scale=coefficients([value, *interval]), lines=(line,)),
    )


def _told_apart(found: SeveralJudges) -> Tile:
    r = found.ranking
    pairs = len(r.names) * (len(r.names) - 1) // 2
    apart = int(r.apart.sum())
    segments = (Segment("told apart", apart, "kept"), Segment("not", pairs - apart, "missed"))
    return Tile(
        title="Pairs of judges told apart",
        value=f"{apart:,} of {pairs:,}",
        note=(f"all at once, {r.level * 100:g} %",),
        picture=Stack(segments=segments),
    )


def _ceiling(found: SeveralJudges) -> Tile:
    r, top = found.ranking, found.ceiling
    observed = float(r.observed[0])
    line = RulerLine(label="best, observed", value=observed, beside=top.value, beside_label="noise ceiling")
    return Tile(
        title="Noise ceiling, observed values",
        value=number(top.value, 2),
        note=(f"what a perfect judge would reach on these {word('topics')}",),
        picture=Ruler(scale=coefficients([observed, top.value]), lines=(line,)),
    )


def _forest(material: Material, found: SeveralJudges) -> Forest:
    r = found.ranking
    rows = tuple(
        ForestRow(
            name=name,
            value=float(r.corrected[i]),
            low=float(r.low[i]),
            high=float(r.high[i]),
            letters=r.letters[name],
            observed=float(r.observed[i]),
            lead=i == 0,
        )
        for i, name in enumerate(r.names)
    )
    top = found.ceiling
    values = [value for row in rows for value in (row.low, row.high, row.observed)]
    return Forest(
        scale=coefficients(values),
        rows=rows,
        of="judge",
        value=f"{r.coefficient.symbol} without noise",
        band=top.interval if top.undefined_because is None else None,
        band_label="noise ceiling of the observed values",
        mark=material.margin,
        caption=(
            "Bars are intervals without noise, hollow dots observed values; judges that share a letter are not told "
            "apart.",
        ),
    )


def _may(found: SeveralJudges, best: Name) -> tuple[Sentence, ...]:
    r = found.ranking
    worse = len(r.names) - 1 - len(found.not_worse)
    said: list[Sentence] = []
    if worse:
        said.append((best, f" is closer than {count(worse, 'other')} ({r.level * 100:g} %, all at once)."))
    said.append((f"{int(r.apart.sum()):,} pairs differ: those that share no letter.",))
    return tuple(said)


def _may_not(found: SeveralJudges, best: Name) -> tuple[Sentence, ...]:
    others = found.not_worse
    said: list[Sentence] = []
    if others:
        beaten: Sentence = (
            listed(others, FEW) if len(others) <= FEW else (f"the {len(others):,} that share its letter",)
        )
        said.append((best, " is better than ", *beaten, "."))
    said.append((f"The same for other {word('systems')} than these {found.ranking.systems:,}.",))
    return tuple(said)
