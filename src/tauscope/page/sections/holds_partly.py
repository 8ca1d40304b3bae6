"""Does a ranking with missing cells hold? Pairs on the topics that both have."""

from __future__ import annotations

import numpy as np

from ...expected.partial_ranking import PartialRanking, partial_ranking
from ...figures import heatmap
from ...results import count, number, word
from ..parts import Column, Figure, Section, Sentence, Table, listed, ranks
from ..sides import Material
from .holds import HOLDS, MOSTLY, ranks_figure, tier_words


def section(material: Material) -> Section | None:
    """Where the reference has scores with holes."""
    scores = material.reference.scores
    if scores is None or not scores.has_holes or min(scores.shape) < 2:
        return None
    found = partial_ranking(scores, level=material.level)
    tau = found.expected_tau
    answer = "Yes" if tau >= HOLDS else "Mostly" if tau >= MOSTLY else "Not reliably"
    m = len(found.systems)
    words: list[Sentence] = [
        (f"{answer}: expected tau with the true ranking {number(tau)}, over the pairs that share at least two {word('topics')}; "
         f"{count(len(found.tiers), 'tier')}.",) if found.undefined_because is None else (f"It cannot be said: {found.undefined_because}.",),
        (f"Tier 1, the {word('systems')} that these {word('topics')} do not tell apart from the leader ({len(found.tiers[0]):,}): ",
         *listed(found.tiers[0], 12), "."),
        *tier_words(),
        (f"To give every {word('system')} its ranks, use “from” and “to” below: with {found.level * 100:g} % confidence they are right for all "
         f"{word('systems')} at once.",),
        (f"{count(found.against_means, 'pair')} of {m * (m - 1) // 2:,} are in the other order on the {word('topics')} that both have than by "
         f"their means, and {count(found.unknown, 'pair')} share fewer than two {word('topics')} and are unknown.",),
        *([(f"{count(found.identical, 'pair')} of identical {word('systems')} counted as in order.",)] if found.identical else []),
        *material.caution(),
        (f"Means over the {word('topics')} that a {word('system')} has; pairs on those that both have: gaps shrunk by reliability "
         f"{number(found.reliability)}, Student's t, no p-value below that of a sign test; ranks and tiers at {found.level * 100:g} % for all pairs at once by Holm's step-down. "
         "There is no interval around the expected tau: resamples would not keep the holes.",),
    ]  # fmt: skip
    tier = {system: k for k, tier in enumerate(found.tiers, start=1) for system in tier}
    columns = (Column(word("system"), "name"), Column("mean", "number", 4), Column(word("topics"), "whole"), ranks("rank", found.rank),
               Column("from", "whole"), Column("to", "whole"), Column("tier", "whole"))  # fmt: skip
    rows = tuple(
        (
            s,
            float(found.means[i]),
            int(found.shared[i, i]),
            float(found.rank[i]),
            int(found.low[i]),
            int(found.high[i]),
            tier[s],
        )
        for i, s in enumerate(found.systems)
    )
    caption = f"Ranks that could be true ({found.level * 100:g} %), for all {word('systems')} at once."
    heading = material.heading(f"Does the ranking hold on other {word('topics')}?", material.reference)
    return Section(
        "holds",
        heading,
        tuple(words),
        (Table("ranks", (caption,), columns, rows),),
        _figures(found),
        found.to_dict(),
        found.cited(),
    )


def _figures(found: PartialRanking) -> tuple[Figure, ...]:
    return (
        ranks_figure(found.systems, found.low, found.high, found.rank, found.tiers, found.level),
        Figure("swaps", (f"Chance that two {word('systems')} are really in the other order; above a half the shared {word('topics')} contradict the means.",),
               heatmap(np.asarray(found.probabilities), found.systems, found.systems, rows=word("system"), columns=word("system"),
                       title="Chance of the other order", diverging=False)),
    )  # fmt: skip
