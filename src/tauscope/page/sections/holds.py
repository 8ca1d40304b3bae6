"""Does the ranking hold? Expected correlation with the true ranking, ranks, tiers, doubtful pairs, topics needed.

Where cells are missing, pairs are compared on the topics that both have, and there is less to say.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...expected.expected_correlation import DOUBTFUL, ExpectedCorrelation
from ...figures import heatmap, spans
from ...results import count, number, word
from ..board import tier_of
from ..facts import Facts
from ..facts.holds import Held, held_band
from ..facts.partial import PartialRanking
from ..material import Material
from ..parts import Column, Figure, Section, Sentence, Table, listed, ranks, span
from ..sides import Side

#: By the band of what the expected tau is at least.
VERDICTS = {0: "Not reliably", 1: "Mostly", 2: "Yes", None: "Not shown"}
#: Doubtful pairs that the table lists.
MOST_PAIRS = 100
#: More bars than this cannot be told apart.
MOST_BARS = 250
#: Systems that a sentence lists.
MOST_LISTED = 12
#: As many colours as tiers can have.
MOST_TIERS = 8


def section(material: Material, facts: Facts) -> Section | None:
    """Where the reference has scores of at least two systems on at least two topics."""
    found = facts.held
    if found is None:
        return None
    return _complete(material, found) if isinstance(found, Held) else _with_holes(material, found)


def _heading(material: Material) -> Sentence:
    return material.heading(f"Does the ranking hold on other {word('topics')}?", material.reference)


def _complete(material: Material, found: Held) -> Section:
    estimates = found.estimates
    data = {
        "tau": found.tau.to_dict(),
        "tau_ap": found.tau_ap.to_dict(),
        "ranks": found.ranks.to_dict(),
        "topics_needed": [needed.to_dict() for needed in found.needed],
        "curve": found.curve.to_dict() if found.curve else None,
        "doubtful_pairs": len(found.doubtful_pairs()),
    }
    if estimates:
        data["estimate"] = [one.to_dict() for one in estimates]
    defined = found.tau.undefined_because is None
    return Section(
        id="holds",
        heading=_heading(material),
        words=(
            _verdict(material, found),
            *_leaders(found),
            *_which(found),
            *((f"{'. '.join(needed.lines())}.",) for needed in found.needed),
            _doubtful(found),
            *material.caution(),
        ),
        tables=(_expected(material, found, estimates), _ranks(found), *((_pairs(found),) if defined else ())),
        figures=_figures(found) if defined else (),
        data=data,
        cited=("urbano2016", *found.tau.cited(), *found.tau_ap.cited(), "mogstad2024"),
        methods=((found.tau.methods_sentence(),), (found.tau_ap.methods_sentence(),)),
        short=f"Other {word('topics')}",
    )


def _verdict(material: Material, found: Held) -> Sentence:
    tau, tau_ap = found.tau, found.tau_ap
    if tau.undefined_because is not None:
        return (f"It cannot be said: {tau.undefined_because}.",)
    whose: Sentence = (" of ", *material.called(material.reference)) if material.estimate else ()
    limit = tau.at_least()
    at_least = "" if math.isnan(limit) else f", at least {number(limit)} (one-sided),"
    return (
        f"{VERDICTS[held_band(found)]}: the ranking",
        *whose,
        f" has an expected tau of {number(tau.value)} {span(*tau.interval)}{at_least} and tau_ap of "
        f"{number(tau_ap.value)} {span(*tau_ap.interval)} with the true one, over all {word('topics')} that could have "
        "been asked; "
        f"about {number(tau.of_100, 1)} of 100 pairs of {word('systems')} are probably in the wrong order.",
    )


def _leaders(found: Held) -> list[Sentence]:
    ranks = found.ranks
    best = f"Possible winners ({ranks.level * 100:g} %): {count(len(ranks.winners), 'system')}: "
    return [
        (f"{count(len(ranks.tiers), 'tier')}. ", *_first_tier(ranks.tiers[0])),
        (best, *listed(ranks.winners, MOST_LISTED), "."),
    ]


def _first_tier(first: Sequence[str]) -> Sentence:
    who = f"down to the last {word('system')} that these {word('topics')} do not tell apart from the leader"
    return (f"Tier 1, {who} ({len(first):,}): ", *listed(first, MOST_LISTED), ".")


def _which(found: Held) -> list[Sentence]:
    """What each of three statements about ranks is for; they hold together."""
    best: Sentence = (
        f"To name the winner, use the possible winners: the {word('systems')} whose rank interval starts at 1.",
    )
    return [best, _tier_words(), _rank_words(found.ranks.level)]


def _tier_words() -> Sentence:
    """What tiers are for, and what they do not say."""
    one = word("system")
    return (
        f"To group the ranking, use tiers: whoever is in a later tier is worse, beyond chance, than the first {one} "
        f"of every tier before. A tier ends at the last {one} that is not told apart from its first; not everyone in "
        "it is better than everyone in the next.",
    )


def _rank_words(level: float) -> Sentence:
    return (
        f"To give every {word('system')} its ranks, use “from” and “to” below: with {level * 100:g} % confidence they "
        f"are right for all {word('systems')} at once.",
    )


def _doubtful(found: Held) -> Sentence:
    m = len(found.ranks.systems)
    which = f"Doubtful pairs, in the wrong order with a probability of at least {DOUBTFUL:g}"
    return (f"{which}: {len(found.doubtful_pairs()):,} of {m * (m - 1) // 2:,}.",)


def _expected_rows(side: Side, e: ExpectedCorrelation) -> list[tuple[Any, ...]]:
    if e.undefined_because is not None:
        return [(side.name, e.coefficient.name, "all", e.systems, e.value, None, None, None)]
    subsets = e.subsets()
    return [
        (side.name, e.coefficient.name, name, r.systems, r.value, r.interval.low, r.interval.high, r.of_100)
        for name, r in zip(subsets.names, subsets.results, strict=True)
    ]


def _expected(material: Material, found: Held, estimates: Sequence[ExpectedCorrelation]) -> Table:
    columns = (
        Column("ranking", "name"),
        Column("coefficient"),
        Column("of"),
        Column(word("systems"), "whole"),
        Column("expected", "number"),
        Column("low", "number"),
        Column("high", "number"),
        Column("of 100 pairs wrong", "number", 1),
    )
    rows = [row for e in (found.tau, found.tau_ap) for row in _expected_rows(material.reference, e)]
    if material.estimate is not None:
        rows += [row for e in estimates for row in _expected_rows(material.estimate, e)[:1]]
    caption = f"Expected correlation with the true ranking, {material.confidence} intervals."
    return Table("expected", (caption,), columns, tuple(rows))


def _ranks(found: Held) -> Table:
    r = found.ranks
    tier = tier_of(r.tiers)
    columns = (
        Column(word("system"), "name"),
        Column("mean", "number", 4),
        ranks("rank", r.rank),
        Column("from", "whole"),
        Column("to", "whole"),
        Column("tier", "whole"),
    )
    limits = zip(r.low.tolist(), r.high.tolist(), strict=True)
    rows = tuple(
        (system, float(mean), float(rank), *map(int, limit), tier[system])
        for system, mean, rank, limit in zip(r.systems, r.scores, r.rank, limits, strict=True)
    )
    caption = f"Ranks that could be true ({r.level * 100:g} %), for all {word('systems')} at once."
    return Table("ranks", (caption,), columns, rows)


def _pairs(found: Held) -> Table:
    place = {system: float(rank) for system, rank in zip(found.ranks.systems, found.ranks.rank, strict=True)}
    columns = (
        Column("observed better", "name"),
        ranks("rank", found.ranks.rank),
        Column("observed worse", "name"),
        ranks("rank ", found.ranks.rank),
        Column("chance of the other order", "number"),
    )
    pairs = sorted(found.doubtful_pairs(), key=lambda p: (place[p.better], place[p.worse], -p.probability))
    rows = tuple((p.better, place[p.better], p.worse, place[p.worse], p.probability) for p in pairs[:MOST_PAIRS])
    more = f" The first {MOST_PAIRS} of {len(pairs):,}." if len(pairs) > MOST_PAIRS else ""
    return Table("doubtful", (f"Doubtful pairs, those at the top of the ranking first.{more}",), columns, rows, shown=8)


def _figures(found: Held) -> tuple[Figure, ...]:
    curve = []
    if found.curve is not None:
        caption = f"Expected tau of new collections by their number of {word('topics')}; the rule marks this one."
        curve.append(Figure("curve", (caption,), found.curve.plot()))
    doubt = f"Chance that two {word('systems')} are really in the other order; the darker, the more doubtful."
    swaps = _swaps_figure(found.tau.swap_probabilities.values, found.ranks.systems, doubt)
    return (_ranks_figure(found.ranks, found.ranks.tiers), *curve, swaps)


def _ranks_figure(found: Any, tiers: Iterable[Iterable[str]]) -> Figure:
    """A bar for each system, best first; of very many only the best. `found` has systems, low, high, rank and level."""
    shown = slice(MOST_BARS)
    systems = found.systems[shown]
    tier = tier_of(tiers)
    drawn = spans(
        systems,
        found.low[shown],
        found.high[shown],
        found.rank[shown],
        x="rank",
        title=f"Ranks that could be true, {found.level * 100:g} %, all at once",
        groups=[f"tier {min(tier[s], MOST_TIERS)}{' on' * (tier[s] >= MOST_TIERS)}" for s in systems],
        group="tier",
    )
    which = f"each {word('system')}, best first"
    if len(found.systems) > MOST_BARS:
        which = f"the best {MOST_BARS} of {count(len(found.systems), 'system')}"
    caption = (
        f"A bar for {which}: the ranks it could really have; the tick is the observed one. Click a tier in the legend "
        "to leave only it."
    )
    return Figure("ranks", (caption,), drawn)


def _swaps_figure(values: Any, systems: Sequence[str], caption: str) -> Figure:
    one = word("system")
    title = "Chance of the other order"
    drawn = heatmap(np.asarray(values), systems, systems, rows=one, columns=one, title=title, diverging=False)
    return Figure("swaps", (caption,), drawn)


def _with_holes(material: Material, found: PartialRanking) -> Section:
    many, topics = word("systems"), word("topics")
    doubt = (
        f"Chance that two {many} are really in the other order; above a half the shared {topics} contradict the means."
    )
    return Section(
        id="holds",
        heading=_heading(material),
        words=tuple(_partial_words(material, found)),
        tables=(_partial_ranks(found),),
        figures=(_ranks_figure(found.ranks, found.tiers), _swaps_figure(found.probabilities, found.systems, doubt)),
        data=found.to_dict(),
        cited=found.cited(),
        methods=((found.methods_sentence(),),),
        short=f"Other {word('topics')}",
    )


def _partial_words(material: Material, found: PartialRanking) -> list[Sentence]:
    one, many, topics, tau = word("system"), word("systems"), word("topics"), found.expected_tau
    pairs = len(found.systems) * (len(found.systems) - 1) // 2
    verdict: Sentence = (
        f"{VERDICTS[held_band(found)]}: expected tau with the true ranking {number(tau)}, over the pairs that share at "
        f"least two {topics}; {count(len(found.tiers), 'tier')}.",
    )
    if found.undefined_because is not None:
        verdict = (f"It cannot be said: {found.undefined_because}.",)
    identical = f"{count(found.identical, 'pair')} of identical {many} counted as undecided."
    return [
        verdict,
        _first_tier(found.tiers[0]),
        _tier_words(),
        _rank_words(found.level),
        (
            f"{count(found.against_means, 'pair')} of {pairs:,} are in the other order on the {topics} that both have "
            f"than by their means, and {count(found.unknown, 'pair')} share fewer than two {topics} and are unknown.",
        ),
        *([(identical,)] if found.identical else []),
        *material.caution(),
        (
            f"Means over the {topics} that a {one} has; pairs on those that both have: gaps shrunk by reliability "
            f"{number(found.reliability)}, Student's t, no p-value below that of a sign test; ranks and tiers at "
            f"{found.level * 100:g} % for all pairs at once by Holm's step-down. There is no interval around the "
            "expected tau: resamples would not keep the holes.",
        ),
    ]


def _partial_ranks(found: PartialRanking) -> Table:
    columns = (
        Column(word("system"), "name"),
        Column("mean", "number", 4),
        Column(word("topics"), "whole"),
        ranks("rank", found.ranks.rank),
        Column("from", "whole"),
        Column("to", "whole"),
        Column("tier", "whole"),
    )
    r, tier, topics = found.ranks, tier_of(found.tiers), np.diag(found.shared)
    rows = tuple(
        (s, float(r.scores[i]), int(topics[i]), float(r.rank[i]), int(r.low[i]), int(r.high[i]), tier[s])
        for i, s in enumerate(r.systems)
    )
    caption = f"Ranks that could be true ({found.level * 100:g} %), for all {word('systems')} at once."
    return Table("ranks", (caption,), columns, rows)
