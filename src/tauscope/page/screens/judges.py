"""Several judges beside a reference: which ranks most like it, and which are not shown to be worse?"""

from __future__ import annotations

from ...coefficients.records import catalogue
from ...results import count, number, word
from ..facts import Facts
from ..facts.judges import SeveralJudges
from ..material import Material
from ..parts import Name, Part, Sentence, listed, readable
from .agreement import agreement_ruler, perfect_judge
from .parts import Badge, Forest, ForestRow, Ruler, RulerLine, Screen, Segment, Stack, Tile, coefficients, limits_of

#: Names in a sentence.
FEW = 2


def screen(material: Material, facts: Facts) -> Screen | None:
    """Where there are several judges."""
    found = facts.judges
    if found is None:
        return None
    r = found.ranking
    best = Name(r.judge[0], 30)
    others = found.not_worse
    return Screen(
        kind="judges",
        question=(f"Which of {len(r.judge):,} judges ranks most like ", Name(material.reference.name, 40), "?"),
        badge=Badge("A clear best", "yes") if not others else Badge(f"{1 + len(others):,} could be best", "open"),
        sentence=_sentence(found),
        todo=_todo(material, found, best),
        tiles=(_best(found), _told_apart(found), _people(found) or _ceiling(found)),
        picture=_forest(material, found),
        may=_may(found, best),
        may_not=_may_not(found, best),
        systems=(),
        data={"best": r.judge[0], "not_worse": list(others), "told_apart": int(r.apart.sum())},
    )


def _sentence(found: SeveralJudges) -> Sentence:
    best = Name(found.ranking.judge[0], 30)
    others = found.not_worse
    if not others:
        return (best, " is best; every other judge is shown to be worse.")
    parts: list[Part] = [best, " comes out best; "]
    for place, name in enumerate(others[:FEW]):
        parts += [" and " if place and len(others) <= FEW else ", " if place else "", Name(name, 30)]
    if len(others) > FEW:
        parts.append(f" and {len(others) - FEW:,} more")
    verb = "is" if len(others) == 1 else "are"
    return (*parts, f" {verb} not shown to be worse.")


def _todo(material: Material, found: SeveralJudges, best: Name) -> tuple[Sentence, ...]:
    """Which judge to take, and what to ask of it next."""
    others = len(found.not_worse)
    cheapest = f", or the cheapest of the {1 + others:,} possible bests (★): these data do not tell them apart"
    first: Sentence = ("Take ", best, f"{cheapest if others else ''}.")
    reference = Name(material.reference.name, 30)
    return (first, ("Then ask whether that judge alone may stand in for ", reference, ": a report of its own."))


#: Over the noise ceiling.
CEILING_TITLE = "What a perfect judge would be observed at (noise ceiling)"


def agreement_title(judge: str, symbol: str) -> str:
    """Over the agreement of the judge that comes first."""
    return f"Agreement of {readable(judge, 24)}, {symbol} (1 = the same order)"


def _best(found: SeveralJudges) -> Tile:
    r = found.ranking
    interval = (float(r.low[0]), float(r.high[0]))
    value, observed = float(r.corrected[0]), float(r.observed[0])
    return Tile(
        title=agreement_title(r.judge[0], catalogue[r.coefficient].symbol),
        value=number(value, 2),
        beside=limits_of(interval, r.level),
        picture=agreement_ruler(value, interval, observed, topics=_topics(found), ceiling=found.ceiling.value),
    )


def _topics(found: SeveralJudges) -> int | None:
    every = set(found.ranking.topics)
    return every.pop() if len(every) == 1 else None


def _told_apart(found: SeveralJudges) -> Tile:
    r = found.ranking
    pairs = len(r.judge) * (len(r.judge) - 1) // 2
    apart = int(r.apart.sum())
    segments = (Segment("told apart", apart, "kept"), Segment("not", pairs - apart, "missed"))
    return Tile(
        title="Pairs of judges told apart",
        value=f"{apart:,} of {pairs:,}",
        note=(f"all pairs tested at once, {r.level * 100:g} % sure; more {word('topics')} would tell more apart",),
        picture=Stack(segments=segments, keys=False),
    )


def _ceiling(found: SeveralJudges) -> Tile:
    """What a perfect judge would show, and how a judge can be above that."""
    top = found.ceiling
    value = number(top.value, 2)
    above = sum(float(one) > top.value for one in found.ranking.observed)
    note = f"on average; the shaded band is its interval. It is below 1 as {word('topics')} are a sample"
    if above:
        shares = "is observed above {}: it shares" if above == 1 else "are observed above {}: they share"
        note += f". {count(above, 'judge')} {shares.format(value)} the noise of these {word('topics')}"
    return Tile(
        title=CEILING_TITLE,
        value=value,
        beside=limits_of(top.interval if top.undefined_because is None else None, top.level),
        note=(f"{note}.",),
    )


def _people(found: SeveralJudges) -> Tile | None:
    """How far people agree, where there are several."""
    limits = found.between_people
    if limits is None:
        return None
    r = found.ranking
    values = [one.corrected for one in found.people.values()]
    reached = sum(float(value) >= min(values) for value in r.corrected)
    lines = tuple(
        RulerLine(value=one.corrected, interval=one.interval, label=readable(name, 24))
        for name, one in list(found.people.items())[:FEW]
    )
    shown = number(values[0], 2) if len(values) == 1 else f"{number(limits[0], 2)}–{number(limits[1], 2)}"
    return Tile(
        title="People with people, without noise",
        value=shown,
        beside=limits_of(limits, r.level) if len(values) == 1 else count(len(values), "person", "people"),
        note=(f"{reached:,} of {len(r.judge):,} judges come as close",),
        picture=Ruler(scale=coefficients([*limits, *values]), lines=lines),
    )


def _band(found: SeveralJudges) -> tuple[tuple[float, float] | None, str, str]:
    """What judges are to be seen beside: people where there are several, else where a perfect judge would be observed."""
    limits = found.between_people
    if limits is not None:
        own = "lowest to highest" if len(found.people) > 1 else f"{found.ranking.level * 100:g} % interval"
        return limits, f"people with people, without noise, {own}", ""
    top = found.ceiling
    label = f"where a perfect judge would be observed, {top.level * 100:g} % interval (noise ceiling)"
    return top.interval if top.undefined_because is None else None, label, perfect_judge()


def _forest(material: Material, found: SeveralJudges) -> Forest:
    r = found.ranking
    rows = tuple(
        ForestRow(
            name=name,
            value=float(r.corrected[i]),
            low=float(r.low[i]),
            high=float(r.high[i]),
            letters=r.letters[i],
            observed=float(r.observed[i]),
            best=i == 0 or name in found.not_worse,
        )
        for i, name in enumerate(r.judge)
    )
    band, band_label, band_tip = _band(found)
    values = [value for row in rows for value in (row.low, row.high, row.observed)]
    return Forest(
        scale=coefficients(values),
        rows=rows,
        of="judge",
        value=catalogue[r.coefficient].symbol,
        band=band,
        band_label=band_label,
        band_tip=band_tip,
        star=f"could be the best ({r.level * 100:g} % sure): not told apart from the first",
        letters="no letter in common: told apart (all pairs at once; bars are one by one)",
        topics=word("topics"),
        mark=material.margin,
        sure=f"{r.level * 100:g} %",
    )


def _may(found: SeveralJudges, best: Name) -> tuple[Sentence, ...]:
    r = found.ranking
    worse = len(r.judge) - 1 - len(found.not_worse)
    said: list[Sentence] = []
    if worse:
        said.append((best, f" is closer than {count(worse, 'other')} ({r.level * 100:g} % sure, all at once)."))
    if r.apart.any():
        said.append((f"{count(int(r.apart.sum()), 'pair')} differ: those that share no letter.",))
    return tuple(said)


def _may_not(found: SeveralJudges, best: Name) -> tuple[Sentence, ...]:
    others = found.not_worse
    said: list[Sentence] = []
    if others:
        beaten: Sentence = listed(others, FEW) if len(others) <= FEW else (f"the {len(others):,} others marked ★",)
        said.append((best, " is better than ", *beaten, "."))
    said.append((f"The same order of judges for other {word('systems')} than these {found.ranking.systems:,}.",))
    return tuple(said)
