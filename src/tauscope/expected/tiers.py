"""Which systems belong together, because the data do not tell them apart?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import checking, papers
from ..arrays import Floats, Ints
from ..errors import TauscopeError
from ..files.door import ScoresLike, takes_scores
from ..inference.few_topics import too_few_flips
from ..inference.letters import compact_letters
from ..inference.observed import observed_scores
from ..inference.sign_flips import flips_said, significantly_better
from ..jobs.seeds import Rng, remembered
from ..results import Result, count
from ..scores import Scores
from ..scores.additive import RestsOn
from ..scores.clusters import few_said, sampled
from ..scores.holes import PAIRWISE, settled
from .from_tests import statement_of, tiers_of
from .methods.shrunk import Shrunk
from .paired import paired_scores


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tiers(Result):
    """Systems in tiers, best first; `tiers["bm25"]` is the number of a system's tier.

    Parameters
    ----------
    tiers : tuple of tuple of str
        The systems of each tier.
    letters : dict or None
        Where they were asked for, the letters of the overlapping groups of each system (compact letter display).
    level : float
        Confidence.
    seed : int
        The seed of the flips.
    topics : int
        How many topics there are, or clusters of them.
    clustered : int
        How many topics the clusters have, where whole clusters were taken for independent; else 0.
    reversed : float
        Of pairs of systems in different tiers, the share that is expected to be really in the other order.
    contiguous : bool
        Whether tiers follow the ranking, each down to the last that is not told apart from its first.
    rests_on : RestsOn or None
        Where cells are missing, how many the pairs rest on.
    """

    tiers: tuple[tuple[str, ...], ...]
    letters: dict[str, str] | None
    level: float
    seed: int
    topics: int
    reversed: float
    clustered: int = 0
    contiguous: bool = False
    rests_on: RestsOn | None = field(default=None, repr=False)
    _means: dict[str, float] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.tiers)

    def __getitem__(self, system: str) -> int:
        for place, tier in enumerate(self.tiers, start=1):
            if system in tier:
                return place
        raise TauscopeError(f"There is no system {system!r} in these tiers.")

    def lines(self) -> list[str]:
        if self.letters is not None:
            shown = "; ".join(f"{name} {letters}" for name, letters in list(self.letters.items())[:8])
            more = "; …" if len(self.letters) > 8 else ""
            size = f"{count(len(self.letters), 'system')} over {sampled(self.topics, self.clustered)}"
            return [f"Overlapping groups of {size}: {shown}{more}", self._how()]
        shown = "; ".join(
            f"{place}: {', '.join(tier[:4])}{', …' if len(tier) > 4 else ''} ({len(tier)})"
            for place, tier in enumerate(self.tiers[:6], start=1)
        )
        kind = "contiguous tier" if self.contiguous else "tier"
        first = f"{count(len(self), kind)} over {sampled(self.topics, self.clustered)}; {shown}"
        return [first, *([self.statement()] if len(self) > 1 else []), self._how()]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how many tiers, what may be said of them, and how they were found.

        Returns
        -------
        str
            One sentence, with the level, the flips and the seed.
        """
        sizes = [len(tier) for tier in self.tiers]
        many = f" (of {', '.join(map(str, sizes[:8]))}{', …' if len(sizes) > 8 else ''})" if len(self) > 1 else ""
        kind = "contiguous tier" if self.contiguous else "tier"
        lettered = f", with letters of overlapping groups after {papers.short('piepho2004')}" if self.letters else ""
        stated = f": {self.statement()}" if len(self) > 1 else ""
        return (
            f"{count(sum(sizes), 'system')} over {sampled(self.topics, self.clustered)} are in "
            f"{count(len(self), kind)}{many}{lettered}{stated} ({self.level * 100:g} % for all pairs at once, "
            f"{self._drawn()}; after {papers.short('mogstad2024')})."
        )

    def statement(self) -> str:
        """What may be said of tiers: less than that everyone in a tier is better than everyone in the next.

        Returns
        -------
        str
            The leaders are better than all below their tier; and how many of the other pairs are in the wrong order.
        """
        return statement_of(self.reversed)

    def _how(self) -> str:
        if self.rests_on is not None:
            return f"all pairs at once, {self.level * 100:g} %; {self.rests_on.line()}"
        few = too_few_flips(self.topics, self.level) + few_said(self.topics, self.clustered)
        return f"max-t over all pairs with step-down, {self.level * 100:g} %, seed {self.seed}{few}"

    def _drawn(self) -> str:
        if self.rests_on is not None:
            return self.rests_on.line()
        few = too_few_flips(self.topics, self.level) + few_said(self.topics, self.clustered)
        return f"max-t with step-down, {flips_said(self.topics, self.seed)}{few}"

    def columns(self) -> dict[str, Any]:
        rows = [(name, place) for place, tier in enumerate(self.tiers, start=1) for name in tier]
        columns: dict[str, Any] = {"system": [name for name, _ in rows], "tier": [place for _, place in rows]}
        if self.letters is not None:
            columns["letters"] = [self.letters[name] for name, _ in rows]
        return columns

    def cited(self) -> tuple[str, ...]:
        return ("mogstad2024", *(("piepho2004",) if self.letters is not None else ()))

    def plot(self) -> Any:
        """The means of the systems, tier by tier, each tier in its colour."""
        from ..figures import PALETTE, dots

        columns = self.columns()
        return dots(
            columns["system"],
            [self._means[name] for name in columns["system"]],
            groups=[str(tier) for tier in columns["tier"]],
            group="tier",
            x="mean",
            title=f"{count(len(columns['system']), 'system')} in {count(len(self), 'tier')} ({self.level * 100:g} %)",
            colours=PALETTE,
        )


@takes_scores("scores")
def tiers(
    scores: ScoresLike,
    *,
    letters: bool = False,
    contiguous: bool = False,
    missing: str = "error",
    level: float = 0.95,
    rng: Rng = 0,
) -> Tiers:
    """Which systems belong together, because the data do not tell them apart?

    Tier 1 is the leader and all that are not significantly worse than it (max-t over all pairs, step-down); the best of
    the others leads tier 2, and so on. So the first of a tier is better than all systems of the tiers below, but not
    everyone in a tier is better than everyone in the next: the result says how many such pairs are expected to be in
    the other order, by the swap probabilities of `Shrunk()`. Systems with equal means are never significantly
    different. Do not take systems of one tier for equal: the data do not tell them apart.

    A system whose scores vary is harder to tell apart, and can be in an earlier tier than systems ranked above it. With
    contiguous=True a tier goes from its first down to the last system that is not significantly worse than that, so
    that lines in the ranking part them. All below a line are still shown to be worse than the first of the tier above;
    in a tier there may then be systems that are told apart from its first.

    Parameters
    ----------
    scores : Scores, or what read_scores() takes
        One row per topic, one column per system.
    letters : bool, default False
        Whether every system gets the letters of the overlapping groups it belongs to (compact letter display): two
        systems share a letter if and only if they are not told apart (piepho2004).
    contiguous : bool, default False
        Whether tiers follow the ranking: each ends at the last system that is not told apart from its first.
    missing : {"error", "pairwise", "zero", "drop-topics", "drop-systems"}, default "error"
        What a cell without a score means. "pairwise" compares two systems on the topics that both have, by paired
        t-tests with Holm's step-down as `partial_ranking()` does, if missing has nothing to do with how the two differ;
        the others are those of `Scores`.
    level : float, default 0.95
        Confidence: no two systems are wrongly called different but with probability 1 - level (familywise error).
    rng : int, Generator or None, default 0
        Seed of the flips; None takes a fresh one, which the result remembers.

    Returns
    -------
    Tiers
        The systems of each tier, and the letters where they were asked for.

    Raises
    ------
    CallError, TauscopeError
        As `rank_intervals()` and `best_set()` do.

    Examples
    --------
    >>> from tauscope import Scores
    >>> scores = Scores([[0.9, 0.8, 0.1], [0.8, 0.9, 0.2], [0.9, 0.8, 0.1], [0.7, 0.8, 0.3], [0.9, 0.7, 0.2]] * 2)
    >>> found = tiers(scores, letters=True)
    >>> found.tiers, found.letters
    ((('1', '2'), ('3',)), {'1': 'a', '2': 'a', '3': 'b'})
    """
    scores = settled(scores, missing, "tiers()", PAIRWISE)
    if scores.has_holes:
        return _pairwise_tiers(scores, letters, contiguous, checking.level(level), remembered(rng))
    observed = observed_scores(scores, "tiers()", clusters=True)
    level, seed = checking.level(level), remembered(rng)
    better = significantly_better(observed, level, seed)
    names = [scores.systems[i] for i in observed.order]
    marks = compact_letters(better, names) if letters else None
    found = tiers_of(better, names, contiguous=contiguous)
    return Tiers(
        tiers=found,
        letters=marks,
        level=level,
        seed=seed,
        topics=observed.topics,
        clustered=observed.clustered,
        contiguous=contiguous,
        reversed=_reversed(observed.pairs, lambda: Shrunk().swaps(observed), found, names),
        _means=dict(zip(names, scores.as_read(observed.means * observed.unit).tolist(), strict=True)),
    )


def _pairwise_tiers(scores: Scores, letters: bool, contiguous: bool, level: float, seed: int) -> Tiers:
    """Where cells are missing: by paired t-tests on the topics that two systems both have."""
    paired = paired_scores(scores, "tiers")
    better = paired.better(level)
    found = tiers_of(better, paired.names, contiguous=contiguous)
    pairs = np.triu_indices(len(paired.names), 1)
    return Tiers(
        tiers=found,
        letters=compact_letters(better, paired.names) if letters else None,
        level=level,
        seed=seed,
        topics=len(scores.topics),
        contiguous=contiguous,
        reversed=_reversed(pairs, lambda: paired.swaps()[pairs], found, paired.names),
        rests_on=paired.rests_on(),
        _means=dict(zip(paired.names, scores.as_read(paired.means * paired.unit).tolist(), strict=True)),
    )


def _reversed(
    pairs: tuple[Ints, Ints], swaps_of: Callable[[], Floats], found: tuple[tuple[str, ...], ...], names: list[str]
) -> float:
    """Of pairs of systems in different tiers, the expected share that is in the other order; 0 where there are none."""
    tier = {name: number for number, own in enumerate(found) for name in own}
    place = np.array([tier[name] for name in names])
    first, second = pairs
    across = place[first] != place[second]
    if not across.any():
        return 0.0
    swaps = swaps_of()
    # A system that was not told apart from the leader stands in its tier, even below others that were.
    return float(np.nanmean(np.where(place[first] < place[second], swaps, 1 - swaps)[across]))
