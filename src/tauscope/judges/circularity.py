"""`circularity()`: do judges favour systems of their own family?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats, Ints
from ..errors import Advice, CallError, TauscopeError
from ..files.door import ScoresLike, takes_scores
from ..inference.corrections import holm
from ..jobs.draws import FAMILY_DRAWS
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..reference.rankings import midranks
from ..results import Result, count, number
from ..scores.alignment import REQUIRED, aligned_scores, require_truth
from ..scores.labels import shown
from ..ties import snap_rows
from .system_groups import groups_of

#: A family of fewer systems says nothing of how the judge treats families.
FEWEST_SYSTEMS = 3
#: What is noted where there are fewer than two other families.
INSEPARABLE = "with fewer than two other families a preference for a judge's own family cannot be separated from one for any family"
#: Rows of permutations at once.
BLOCK = 500


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Circularity(Result):
    """What each judge gives to systems of its own family beyond what people and the other judges give them.

    Parameters
    ----------
    judges : tuple of str
        The judges that have systems of their family here.
    families : tuple of str
        The family of each.
    members : tuple of int
        How many systems of its family there are.
    scores, ranks : array of float
        Mean score, on people's scale, and mean ranks gained by the judge's own family.
    p : array of float
        Of each judge, one-sided: how often families dealt out to systems at random gain as much, in scores. A judge that
        merely prefers some family has small ones as often as not.
    own_p : array of float
        Of each judge, one-sided: whether it prefers its own family to the other families by more than its preferences for
        these differ among themselves (families as random effects). NaN where there are fewer than two other families.
    adjusted : array of float
        The larger of the two, for all judges at once (Holm).
    mean_scores, mean_ranks : float
        Of all these judges together.
    p_all : float
        Of the mean, one-sided: the larger of the two tests.
    table : Mapping
        Family of judges -> family of systems -> mean score gained beyond people.
    relative : bool
        Whether what judges of neither family give was taken off; False where there are none.
    level : float
        A family is favoured where its adjusted p-value is below 1 - level.
    draws, seed : int
        Permutations, and what repeats them.
    notes : tuple of str
        What was left out.
    """

    judges: tuple[str, ...]
    families: tuple[str, ...]
    members: tuple[int, ...]
    scores: Floats
    ranks: Floats
    p: Floats
    own_p: Floats
    adjusted: Floats
    mean_scores: float
    mean_ranks: float
    p_all: float
    table: Mapping[str, Mapping[str, float]]
    relative: bool
    level: float
    draws: int
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def partial(self) -> tuple[str, ...]:
        """Judges that prefer their own family, beyond chance and beyond their preferences for other families, all judges
        tested simultaneously."""
        return tuple(judge for judge, p in zip(self.judges, self.adjusted, strict=True) if p < 1 - self.level)

    def lines(self) -> list[str]:
        """What judges give to their own family, and whether that is more than chance."""
        parts = [
            f"{judge} {score:+.3f}, {rank:+.1f} ranks ({p_text(p)})"
            for judge, score, rank, p in zip(self.judges, self.scores, self.ranks, self.adjusted, strict=True)
        ]
        beyond = "people and judges of other families" if self.relative else "people"
        left = f"; {'; '.join(self.notes)}" if self.notes else ""
        return [
            f"Own families gain {self.mean_scores:+.3f} beyond {beyond} ({p_text(self.p_all)}), and "
            f"{self.mean_ranks:+.1f} ranks: {'; '.join(parts[:6])}{'; …' * (len(parts) > 6)}",
            "one-sided, against preferences for other families (families as random effects) and against "
            f"{self.draws:,} permutations of the families of systems, the larger p taken and adjusted for all judges (Holm), "
            f"seed {self.seed}{left}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: whether judges favour their own, and how that was tested.

        Returns
        -------
        str
            One sentence.
        """
        beyond = "people and judges of other families" if self.relative else "people"
        return (
            f"{count(len(self.judges), 'judge')} gave systems of their own family {self.mean_scores:+.3f} "
            f"({self.mean_ranks:+.1f} ranks) more than {beyond} did (one-sided; the larger p of a permutation test over "
            f"the families of systems, {self.draws:,} permutations, and of a test against the judges' preferences for other "
            f"families, {p_text(self.p_all)}, seed {self.seed})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per judge."""
        return {
            "judge": list(self.judges),
            "family": list(self.families),
            "systems": list(self.members),
            "score_gained": self.scores,
            "ranks_gained": self.ranks,
            "p": self.p,
            "own_p": self.own_p,
            "adjusted_p": self.adjusted,
        }

    def cited(self) -> tuple[str, ...]:
        """Whose methods these are."""
        return ("holm1979",)

    def plot(self) -> Any:
        """Families of judges against families of systems: what is gained, own families on the diagonal."""
        from ..figures.numbered_cells import numbered_cells

        rows = list(self.table)
        columns = sorted({name for row in self.table.values() for name in row})
        columns = [*(name for name in rows if name in columns), *(name for name in columns if name not in rows)]
        values = np.array([[self.table[a][b] for b in columns] for a in rows])
        names = {"rows": "family of judges", "columns": "family of systems"}
        return numbered_cells(values, rows, columns, **names, title="Score gained beyond people")


@takes_scores("truth", each=("judges",), in_order=("topics", "systems"))
def circularity(
    judges: Mapping[str, ScoresLike],
    *unnamed: Any,
    truth: ScoresLike = REQUIRED,
    judge_families: Mapping[str, str] = REQUIRED,
    system_families: Mapping[str, str] = REQUIRED,
    level: float = 0.95,
    draws: int = FAMILY_DRAWS,
    one_sided: str = "error",
    rng: Rng = 0,
) -> Circularity:
    """Do judges favour systems of their own family: a language model those built on it, say?

    Each judge's means are put on people's scale by regression over systems; what a judge gives a system is its residual,
    less the mean residual under judges that are neither of its family nor of the system's, where there are any, so that
    what all judges like alike is no favour, and others' favours are not held against it. The gain of a judge is the mean
    over the systems of its family less that over all others. It is tested by
    dealing the families out to the systems at random, sizes kept; the p-value is the share of deals, the real one among
    them, that gain as much. That test also finds a judge that prefers *some* family, which happens to be its own. So the
    shift of its own family is also set against those of the other families, t = (own - mean of others)/se, with families as
    random effects and their variance pooled over judges, and the larger p-value counts. With fewer than two other families
    the two explanations cannot be separated, and no judge is said to prefer its own. Gains in ranks are of the same systems, ranks of the means under people less those under the
    judge, ties at mid-rank.

    Ties do not matter. Do not use it where families differ in quality and judges bend the scale, stretching the top,
    say: a line does not straighten that, and good families would gain under every judge, which only the judges of other
    families take off.

    Parameters
    ----------
    judges : Mapping of str to Scores, or to what read_scores() takes
        The judges by name: one row per topic, one column per system.
    *unnamed, truth : Scores, or what read_scores() takes
        People's scores of the same systems, given by name. Required.
    judge_families : Mapping of str to str
        The family of every judge. Required.
    system_families : Mapping of str to str
        The family of every system. Required.
    level : float, default 0.95
        A judge favours its own where the adjusted p-value is below 1 - level.
    draws : int, default 9999
        Permutations.
    one_sided : {"error", "drop"}, default "error"
        What to do with systems that not all have.
    rng : int, Generator or None, default 0
        Seed of the permutations; None takes a fresh one, which the result remembers.

    Returns
    -------
    Circularity
        What each judge gives to its own, with p-values, and the table of families.

    Raises
    ------
    CallError
        Where the truth or the families are not given.
    TauscopeError
        Where a judge's family has fewer than three systems, or no judge has one.

    See Also
    --------
    rank_shifts : ranks gained by any groups, under one judge.
    audit : this and all else there is to ask of a judge.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> from tauscope import Scores
    >>> human = Scores(rng.normal(np.arange(8) / 8, 0.3, (40, 8)), systems=list("abcdefgh"))
    >>> kind = human.values + 0.5 * np.isin(np.arange(8), [1, 4, 6])
    >>> families = dict(zip("abcdefgh", "xyxvyvyw", strict=True))
    >>> found = circularity(
    ...     {"j": Scores(kind, systems=list("abcdefgh"))},
    ...     truth=human, judge_families={"j": "y"}, system_families=families,
    ... )
    >>> bool(found.scores[0] > 0.3), found.p_all < 0.05
    (True, True)
    """
    require_truth(truth, unnamed, "circularity(judges, truth=…, judge_families=…, system_families=…)")
    for families, name in ((judge_families, "judge_families"), (system_families, "system_families")):
        if not isinstance(families, Mapping):
            raise CallError(f"circularity() wants {name}={{name: family, …}}.")
    level, seed = checking.level(level), remembered(rng)
    draws = checking.whole(draws, "draws", least=19)
    names = list(judges)
    same = aligned_scores({**judges, "truth": truth}, "circularity()", one_sided)
    systems = same.scores[-1].systems
    kinds, number_of = groups_of(systems, system_families, argument="system_families", what="family")
    own = _families_of(names, judge_families)
    people = same.scores[-1].means()
    means = np.array([one.means() for one in same.scores[:-1]])
    residuals = _residuals(means, people)
    moved = midranks(-snap_rows(people[None])) - midranks(-snap_rows(means))
    tested = _tested(names, own, kinds, number_of)
    beyond = {j: _beyond(residuals, own, j, kinds, number_of) for j in tested}
    mine = {j: kinds.index(own[j]) for j in tested}
    member = np.array([number_of == mine[j] for j in tested])
    gains = np.array([_gains(beyond[j], number_of[None], mine[j])[0] for j in tested])
    ranks = np.array([_gain(moved[j], inside) for j, inside in zip(tested, member, strict=True)])
    dealt = _dealt(beyond, mine, number_of, draws, stream(seed, Stream.FAMILIES))
    p = (1 + (dealt >= gains - 1e-12).sum(axis=0)) / (1 + draws)
    together = (1 + int((dealt.mean(axis=1) >= gains.mean() - 1e-12).sum())) / (1 + draws)
    own_p, own_all = _against_other_families(beyond, mine, number_of)
    both = np.maximum(p, own_p)  # NaN where the second says nothing
    untested = len(names) - len(tested)
    return Circularity(
        judges=tuple(names[j] for j in tested),
        families=tuple(own[j] for j in tested),
        members=tuple(int(n) for n in member.sum(axis=1)),
        scores=gains,
        ranks=ranks,
        p=p,
        own_p=own_p,
        adjusted=np.asarray(holm(np.nan_to_num(both, nan=1.0))) + 0 * both,
        mean_scores=float(gains.mean()),
        mean_ranks=float(ranks.mean()),
        p_all=float(np.maximum(together, own_all)),
        table=_table(residuals, own, kinds, number_of),
        relative=all(_is_relative(beyond[j]) for j in tested),
        level=level,
        draws=draws,
        seed=seed,
        notes=(
            *same.notes,
            *((f"{count(untested, 'judge')} without systems of their family not tested",) if untested else ()),
            *((INSEPARABLE,) if np.isnan(own_p).any() else ()),
        ),
    )


def p_text(p: float) -> str:
    """A p-value in words: 'p = 0.021', 'p < 0.001'."""
    return "p < 0.001" if p < 0.001 else f"p = {number(p)}"


def _families_of(names: list[str], families: Mapping[str, str]) -> list[str]:
    without = [name for name in names if name not in families]
    if without:
        has = "has" if len(without) == 1 else "have"
        raise TauscopeError(
            f"{count(len(without), 'judge')} {has} no family: {shown(without)}.",
            Advice(
                "`judge_families` maps every judge to its family.",
                "--judge-families has the family of every judge, each as NAME=FAMILY.",
            ),
        )
    return [families[name] for name in names]


def _residuals(means: Floats, people: Floats) -> Floats:
    """What each judge gives each system beyond people, on people's scale: the judge's line over systems turned round."""
    x = people - people.mean()
    found = []
    for row in means - means.mean(axis=1, keepdims=True):
        slope = float(row @ x) / max(float(x @ x), 1e-300)
        # A judge that hardly follows people has no scale that could be turned into theirs.
        found.append((row - slope * x) / max(abs(slope), 0.1 * float(row.std()) / max(float(x.std()), 1e-300)))
    return np.array(found)


def _beyond(residuals: Floats, own: list[str], j: int, kinds: list[Any], number_of: Ints) -> Floats:
    """What judge j gives each system beyond judges that are of neither its family nor the system's, if that were this or
    that: families of systems x systems, NaN where no judge is of neither. Where the judge's own family could not be set
    against three others by that, what it gives beyond people alone."""
    found = np.full((len(kinds), residuals.shape[1]), np.nan)
    for g, kind in enumerate(kinds):
        neutral = [i for i, family in enumerate(own) if family not in (own[j], kind)]
        if neutral:
            found[g] = residuals[j] - residuals[neutral].mean(axis=0)
    usable = ~np.isnan(found[:, 0])
    others = [g for g, kind in enumerate(kinds) if usable[g] and kind != own[j]]
    if not usable[kinds.index(own[j])] or np.isin(number_of, others).sum() < FEWEST_SYSTEMS:
        return np.tile(residuals[j], (len(kinds), 1))
    return found


def _is_relative(beyond: Floats) -> bool:
    """Whether judges of other families were taken off: rows differ then, or some are NaN."""
    return bool(np.isnan(beyond).any() or (beyond != beyond[:1]).any())


def _tested(names: list[str], own: list[str], kinds: list[Any], number_of: Ints) -> list[int]:
    """Judges whose family has systems, as many as a test needs."""
    sizes = {kind: int((number_of == i).sum()) for i, kind in enumerate(kinds)}
    small = [
        f"{names[j]} ({kind}: {sizes[kind]})" for j, kind in enumerate(own) if 0 < sizes.get(kind, 0) < FEWEST_SYSTEMS
    ]
    if small:
        raise TauscopeError(
            f"Favour cannot be told from chance with fewer than {FEWEST_SYSTEMS} systems of a judge's family: "
            f"{', '.join(small)}.",
            Advice("Leave such a judge out, or count its family to a larger one."),
        )
    found = [j for j, kind in enumerate(own) if sizes.get(kind, 0) >= FEWEST_SYSTEMS]
    if not found or all(sizes[own[j]] > len(number_of) - FEWEST_SYSTEMS for j in found):
        raise TauscopeError(
            f"No judge has at least {FEWEST_SYSTEMS} systems of its family and as many of others here: judges are of "
            f"{shown(list(dict.fromkeys(map(str, own))), 8)}, systems of {shown(list(map(str, kinds)), 8)}.",
            Advice("Are families of judges and of systems spelled alike?"),
        )
    return found


def _gain(values: Floats, own: Any) -> float:
    return float(values[own].mean() - values[~own].mean())


def _gains(beyond: Floats, deals: Ints, mine: int) -> Floats:
    """The mean of the judge's own family less that of the others, for each deal of families: deals x systems."""
    values = beyond[deals, np.arange(deals.shape[1])]
    own, others = deals == mine, (deals != mine) & ~np.isnan(values)
    values = np.nan_to_num(values)
    return np.asarray((values * own).sum(axis=1) / own.sum(axis=1) - (values * others).sum(axis=1) / others.sum(axis=1))


def _dealt(
    beyond: Mapping[int, Floats], mine: Mapping[int, int], families: Ints, draws: int, generator: np.random.Generator
) -> Floats:
    """Gains under families dealt out at random: draws x judges. All judges see the same deal."""
    found = []
    for begin in range(0, draws, BLOCK):
        deals = generator.permuted(np.tile(families, (min(BLOCK, draws - begin), 1)), axis=1)
        found.append(np.stack([_gains(one, deals, mine[j]) for j, one in beyond.items()], axis=1))
    return np.concatenate(found)


def _against_other_families(
    beyond: Mapping[int, Floats], mine: Mapping[int, int], number_of: Ints
) -> tuple[Floats, float]:
    """One-sided p of each judge, and of all together: the shift of its own family against those of the others.

    Families are random effects: shifts of families vary by tau² and by s²/n, s² the variance of what is given to systems
    of one family. tau² is pooled over judges, and has one degree of freedom less for each than it has other families.
    """
    from scipy.special import stdtr

    gaps, errors, between, within, freedom = [], [], [], [], 0
    sizes = []
    for j, values in beyond.items():
        own = [values[g][number_of == g] for g in range(len(values))]
        others = [one for g, one in enumerate(own) if g != mine[j] and len(one) and not np.isnan(one).any()]
        shifts = np.array([one.mean() for one in others])
        free = sum(len(one) - 1 for one in (own[mine[j]], *others))
        squares = sum(float(((one - one.mean()) ** 2).sum()) for one in (own[mine[j]], *others))
        gaps.append(own[mine[j]].mean() - shifts.mean() if len(others) else np.nan)
        within.append(squares / free if free else 0.0)
        between.append(float(((shifts - shifts.mean()) ** 2).sum()) if len(others) else 0.0)
        sizes.append((len(own[mine[j]]), [len(one) for one in others]))
        freedom += max(0, len(others) - 1)
    if not freedom:
        return np.full(len(gaps), np.nan), np.nan
    s2 = np.array(within)
    shares = np.array([np.mean(1 / np.array(n)) if n else np.nan for _, n in sizes])
    expected = sum(max(0, len(n) - 1) * s * share for (_, n), s, share in zip(sizes, s2, shares, strict=True) if n)
    tau2 = max(0.0, (sum(between) - expected) / freedom)
    for (n, others), s, share in zip(sizes, s2, shares, strict=True):
        errors.append(tau2 + s / n + (tau2 + s * share) / len(others) if len(others) > 1 else np.nan)
    gap, error = np.array(gaps), np.sqrt(np.array(errors))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(np.isnan(error), np.nan, stdtr(freedom, -gap / error))
    known = ~np.isnan(error)
    together = float(gap[known].sum() / np.sqrt((error[known] ** 2).sum()))
    return np.asarray(p), float(stdtr(freedom, -together))


def _table(residuals: Floats, own: list[str], kinds: list[Any], number_of: Ints) -> dict[str, dict[str, float]]:
    """Mean residual of each family of judges for each family of systems."""
    return {
        str(family): {
            str(kind): float(residuals[[j for j, o in enumerate(own) if o == family]][:, number_of == i].mean())
            for i, kind in enumerate(kinds)
        }
        for family in dict.fromkeys(own)
    }
