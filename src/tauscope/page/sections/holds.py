"""Does the ranking hold? Expected correlation with the true ranking, ranks, tiers, doubtful pairs, topics needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ...coefficients.rule_of_thumb import FAIR, GOOD
from ...expected.expected_correlation import DOUBTFUL, ExpectedCorrelation, expected_correlation
from ...expected.ranks import BestSet, RankIntervals, Tiers, best_set, rank_intervals, tiers
from ...expected.swap_probabilities import SwapPair
from ...expected.topics_needed import CorrelationCurve, TopicsNeeded
from ...figures import heatmap, spans
from ...results import count, number, word
from ...scores import Scores
from ..parts import Column, Figure, Section, Sentence, Table, listed, span
from ..parts import ranks as rank_column
from ..sides import Material, Side, side_by_side

#: At least this much is "holds", at least that "mostly holds".
HOLDS, MOSTLY = GOOD, FAIR
#: Doubtful pairs that the table lists.
MOST_PAIRS = 100
#: More bars than this cannot be told apart.
MOST_BARS = 250
#: Finding the systems that could be the best one by one is left out beyond this many.
MOST_FOR_BEST = 2000


@dataclass(frozen=True)
class Held:
    """All that is known about one ranking under other topics."""

    tau: ExpectedCorrelation
    tau_ap: ExpectedCorrelation
    ranks: RankIntervals
    alone: RankIntervals
    tiers: Tiers
    best: BestSet | None
    needed: tuple[TopicsNeeded, ...]
    curve: CorrelationCurve | None


def held(material: Material, scores: Scores) -> Held:
    """Everything from one set of scores without holes; what is slow is done side by side."""
    options: dict[str, Any] = {"level": material.level, "rng": material.seed}
    tau, tau_ap = (expected_correlation(scores, name, **options) for name in ("tau", "tau_ap"))
    planned = not material.leaderboard and tau.undefined_because is None
    with_best = len(scores.systems) <= MOST_FOR_BEST
    (curve, first), second, (ranks, levels), alone, best = side_by_side(
        lambda: (tau.curve(), tau.topics_needed(material.target)) if planned else (None, None),
        lambda: tau_ap.topics_needed(material.target) if planned else None,
        lambda: (rank_intervals(scores, simultaneous=True, **options), tiers(scores, **options)),
        lambda: rank_intervals(scores, **options),
        lambda: best_set(scores, **options) if with_best else None,
    )
    return Held(tau, tau_ap, ranks, alone, levels, best, tuple(n for n in (first, second) if n is not None), curve)


def section(material: Material) -> Section | None:
    """Where the reference has scores on at least two topics, without holes."""
    scores = material.reference.complete
    if scores is None or len(scores.topics) < 2 or len(scores.systems) < 2:
        return None
    found = held(material, scores)
    other = material.estimate.complete if material.estimate is not None else None
    words = [_verdict(material, found), *_leaders(found), *_which(found), *_needed(material, found), _doubtful(found), *material.caution(),
             (found.tau.methods_sentence(),), (found.tau_ap.methods_sentence(),)]  # fmt: skip
    data: dict[str, Any] = {
        "tau": found.tau.to_dict(), "tau_ap": found.tau_ap.to_dict(), "ranks": found.ranks.to_dict(), "tiers": found.tiers.to_dict(),
        "best_set": found.best.to_dict() if found.best else None, "topics_needed": [n.to_dict() for n in found.needed],
        "curve": found.curve.to_dict() if found.curve else None, "doubtful_pairs": len(_doubtful_pairs(found)),
    }  # fmt: skip
    estimate_rows: tuple[tuple[Any, ...], ...] = ()
    if material.estimate is not None and other is not None:
        both = [
            expected_correlation(other, name, level=material.level, rng=material.seed) for name in ("tau", "tau_ap")
        ]
        estimate_rows = tuple(row for e in both for row in _rows(material.estimate, e)[:1])
        data["estimate"] = [e.to_dict() for e in both]
    heading = f"Does the ranking hold on other {word('topics')}?"
    defined = found.tau.undefined_because is None
    tables = (
        _expected(material, found, estimate_rows),
        _ranks(material, found),
        *((_pairs(found),) if defined else ()),
    )
    keys = ("urbano2016", *found.tau.cited(), *found.tau_ap.cited(), "mogstad2024")
    return Section(
        "holds",
        material.heading(heading, material.reference),
        tuple(words),
        tables,
        _figures(material, found),
        data,
        keys,
    )


def _verdict(material: Material, found: Held) -> Sentence:
    tau, tau_ap = found.tau, found.tau_ap
    if tau.undefined_because is not None:
        return (f"It cannot be said: {tau.undefined_because}.",)
    word_ = "Yes" if tau.value >= HOLDS else "Mostly" if tau.value >= MOSTLY else "Not reliably"
    whose: Sentence = (" of ", *material.called(material.reference)) if material.estimate else ()
    return (f"{word_}: the ranking", *whose, f" has an expected tau of {number(tau.value)} {span(*tau.interval)} and tau_ap of "
            f"{number(tau_ap.value)} {span(*tau_ap.interval)} with the true one, over all {word('topics')} that could have been asked; "
            f"about {number(tau.of_100, 1)} of 100 pairs of {word('systems')} would change order.")  # fmt: skip


def _leaders(found: Held) -> list[Sentence]:
    first = found.tiers.tiers[0]
    words: list[Sentence] = [
        (f"{count(len(found.tiers), 'tier')}. Tier 1, the {word('systems')} that these {word('topics')} do not tell apart from the "
         f"leader ({len(first):,}): ", *listed(first, 12), "."),
    ]  # fmt: skip
    if found.best is not None:
        words.append(
            (
                f"Could be the best ({found.best.level * 100:g} %): {count(len(found.best), 'system')}: ",
                *listed(found.best.systems, 12),
                ".",
            )
        )
    return words


def _which(found: Held) -> list[Sentence]:
    """What each of four statements about ranks is for."""
    one, many = word("system"), word("systems")
    best = [
        (
            f"To name the winner, use “could be the best”: it leaves out only {many} that some other one exceeds beyond chance.",
        )
    ]
    return [
        *(best if found.best is not None else []),
        *tier_words(),
        (f"To give every {one} its ranks, use “from” and “to” below: with {found.ranks.level * 100:g} % confidence they are right for all "
         f"{many} at once.",),
        (f"For one {one} that you chose before looking (your own, say), use “alone from” and “alone to”: they are narrower, and not right for all at once.",),
    ]  # fmt: skip


def tier_words() -> list[Sentence]:
    """What tiers are for, and why they can cross the ranks."""
    one, many = word("system"), word("systems")
    return [
        (f"To group the ranking, use tiers: whoever is in a later tier is worse, beyond chance, than the first {one} of the tier before. "
         f"A tier need not follow the rank: a {one} with varying scores is harder to tell apart, and can be in an earlier tier than {many} ranked above it.",),
    ]  # fmt: skip


def _needed(material: Material, found: Held) -> list[Sentence]:
    return [(f"{'. '.join(needed.lines())}.",) for needed in found.needed]


def _doubtful(found: Held) -> Sentence:
    m = len(found.ranks.systems)
    pairs = _doubtful_pairs(found)
    return (
        f"Doubtful pairs, in the wrong order with a probability of at least {DOUBTFUL:g}: {len(pairs):,} of {m * (m - 1) // 2:,}.",
    )


def _doubtful_pairs(found: Held) -> list[SwapPair]:
    return found.tau.doubtful_pairs() if found.tau.undefined_because is None else []


def _rows(side: Side, e: ExpectedCorrelation) -> list[tuple[Any, ...]]:
    if e.undefined_because is not None:
        return [(side.name, e.coefficient.name, "all", e.systems, e.value, None, None, None)]
    subsets = e.subsets()
    return [
        (side.name, e.coefficient.name, name, r.systems, r.value, r.interval.low, r.interval.high, r.of_100)
        for name, r in zip(subsets.names, subsets.results, strict=True)
    ]


def _expected(material: Material, found: Held, more: tuple[tuple[Any, ...], ...]) -> Table:
    columns = (Column("ranking", "name"), Column("coefficient"), Column("of"), Column(word("systems"), "whole"), Column("expected", "number"),
               Column("low", "number"), Column("high", "number"), Column("of 100 pairs change", "number", 1))  # fmt: skip
    rows = [row for e in (found.tau, found.tau_ap) for row in _rows(material.reference, e)]
    caption = f"Expected correlation with the true ranking, {material.level * 100:g} % intervals."
    return Table("expected", (caption,), columns, (*rows, *more))


def _ranks(material: Material, found: Held) -> Table:
    r, a = found.ranks, found.alone
    ranked = rank_column("rank", r.rank)
    tier = {system: number_ for number_, tier in enumerate(found.tiers.tiers, start=1) for system in tier}
    columns = (Column(word("system"), "name"), Column("mean", "number", 4), ranked, Column("from", "whole"),
               Column("to", "whole"), Column("alone from", "whole"), Column("alone to", "whole"), Column("tier", "whole"))  # fmt: skip
    rows = tuple(
        (
            system,
            float(r.means[i]),
            float(r.rank[i]),
            int(r.low[i]),
            int(r.high[i]),
            int(a.low[i]),
            int(a.high[i]),
            tier[system],
        )
        for i, system in enumerate(r.systems)
    )
    caption = (f"Ranks that could be true ({r.level * 100:g} %): from–to for all {word('systems')} at once, alone for one "
               f"that was chosen before looking.")  # fmt: skip
    return Table("ranks", (caption,), columns, rows)


def _pairs(found: Held) -> Table:
    pairs = found.tau.doubtful_pairs()
    place = {system: float(rank) for system, rank in zip(found.ranks.systems, found.ranks.rank, strict=True)}
    columns = (Column("observed better", "name"), rank_column("rank", found.ranks.rank), Column("observed worse", "name"), rank_column("rank ", found.ranks.rank),
               Column("chance of the other order", "number"))  # fmt: skip
    pairs = sorted(pairs, key=lambda p: (place[p.better], place[p.worse], -p.probability))
    rows = tuple((p.better, place[p.better], p.worse, place[p.worse], p.probability) for p in pairs[:MOST_PAIRS])
    more = f" The first {MOST_PAIRS} of {len(pairs):,}." if len(pairs) > MOST_PAIRS else ""
    return Table("doubtful", (f"Doubtful pairs, those at the top of the ranking first.{more}",), columns, rows, shown=8)


def tier_names(tiers: Iterable[Iterable[str]]) -> dict[str, str]:
    """'tier 1' and so on for each system; there are eight colours."""
    return {system: f"tier {min(k, 8)}{' on' * (k >= 8)}" for k, tier in enumerate(tiers, start=1) for system in tier}


def ranks_figure(
    systems: Sequence[str], low: Any, high: Any, rank: Any, tiers: Iterable[Iterable[str]], level: float
) -> Figure:
    """A bar for each system, best first; of very many only the best."""
    tier = tier_names(tiers)
    drawn = spans(systems[:MOST_BARS], low[:MOST_BARS], high[:MOST_BARS], rank[:MOST_BARS], x="rank",
                  title=f"Ranks that could be true, {level * 100:g} %, all at once", groups=[tier[s] for s in systems[:MOST_BARS]],
                  group="tier")  # fmt: skip
    which = (
        f"the best {MOST_BARS} of {count(len(systems), 'system')}"
        if len(systems) > MOST_BARS
        else f"each {word('system')}, best first"
    )
    return Figure("ranks", (f"A bar for {which}: the ranks it could really have; the tick is the observed one. Click a tier in the legend "
                            "to leave only it.",), drawn)  # fmt: skip


def _figures(material: Material, found: Held) -> tuple[Figure, ...]:
    if found.tau.undefined_because is not None:
        return ()
    r = found.ranks
    figures = [
        ranks_figure(r.systems, r.low, r.high, r.rank, found.tiers.tiers, r.level),
        Figure("swaps", (f"Chance that two {word('systems')} are really in the other order; the darker, the more doubtful.",),
               heatmap(found.tau.swap_probabilities.values, r.systems, r.systems, rows=word("system"), columns=word("system"),
                       title="Chance of the other order", diverging=False)),
    ]  # fmt: skip
    if found.curve is not None:
        figures.insert(
            1,
            Figure(
                "curve",
                (f"Expected tau of new collections by their number of {word('topics')}; the rule marks this one.",),
                found.curve.plot(),
            ),
        )
    return tuple(figures)
