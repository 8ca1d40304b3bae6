"""Groups of systems, such as teams or families of models: does a judge prefer one, and does it prefer its own?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import Floats, Ints, snap_rows
from ..core.checking import FAMILY_DRAWS, SHIFT_DRAWS, Stream, stream
from ..core.formulas import midranks
from ..data.labels import shown
from ..data.scores import Scores
from ..errors import Advice, CallError, TauscopeError
from ..inference.attenuation import Joint, draw_counts, join
from ..inference.corrections import holm
from ..results import Note, Part, count, plain

#: Systems are left out one at a time up to this many; of more, in as many groups at random.
MOST_SYSTEMS = 100
#: Leaving one group out at a time takes at least so many.
FEWEST_GROUPS = 3
#: A family of fewer systems says nothing of how the judge treats families.
FEWEST_SYSTEMS = 3
#: Rows of permutations at once.
BLOCK = 500


def groups_of(
    systems: tuple[str, ...], groups: Mapping[str, Any], *, argument: str = "groups", what: str = "group"
) -> tuple[list[Any], Ints]:
    """List the groups of systems, and number the group of each system.

    Parameters
    ----------
    systems : tuple of str
        The systems.
    groups : Mapping of str to object
        System -> group; every system must have one.
    argument : str, default "groups"
        What the caller calls the mapping, for errors.
    what : str, default "group"
        What it calls a group.

    Returns
    -------
    (list, array of int)
        The groups in the order in which they are met, and the number of the group of each system.

    Raises
    ------
    CallError
        If it is not a mapping.
    TauscopeError
        If a system has no group.

    Examples
    --------
    >>> names, numbers = groups_of(("a", "b", "c"), {"a": "x", "b": "y", "c": "x"})
    >>> names, numbers.tolist()
    (['x', 'y'], [0, 1, 0])
    """
    way = Advice(f"`{argument}` maps every system to its {what}.", "The file has one line per system.")
    if not isinstance(groups, Mapping):
        raise CallError(f"{argument} is of type {type(groups).__name__}, not a mapping.", way)
    without = [system for system in systems if system not in groups]
    if without:
        has = "has" if len(without) == 1 else "have"
        raise TauscopeError(f"{count(len(without), 'system')} {has} no {what}: {shown(without)}.", way)
    numbers: dict[Any, int] = {}
    found = np.array([numbers.setdefault(groups[system], len(numbers)) for system in systems])
    return list(numbers), found


def left_out_together(systems: tuple[str, ...], groups: Mapping[str, Any] | None, seed: int) -> Ints:
    """Number the groups of systems that a jackknife leaves out one after the other.

    Parameters
    ----------
    systems : tuple of str
        The systems.
    groups : Mapping of str to object or None
        System -> group; None leaves out one system at a time, or, of more than `MOST_SYSTEMS`, as many random groups.
    seed : int
        Seed of the random groups.

    Returns
    -------
    array of int

    Raises
    ------
    TauscopeError
        If there are fewer than three groups.
    """
    m = len(systems)
    if groups is None:
        order = stream(seed, Stream.JUDGES).permutation(m) if m > MOST_SYSTEMS else np.arange(m)
        own = np.empty(m, np.int64)
        own[order] = np.arange(m) % MOST_SYSTEMS
        return own
    names, found = groups_of(systems, groups)
    if len(names) < FEWEST_GROUPS:
        raise TauscopeError(
            f"There {'is' if len(names) == 1 else 'are'} {count(len(names), 'group')} of systems; "
            "leaving one out at a time needs at least three."
        )
    return found


class Shift(NamedTuple):
    """Mean number of ranks that a group of systems gains under the judge, with its confidence limits."""

    group: str
    systems: int
    ranks: float
    low: float
    high: float

    @property
    def significant(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


def rank_shifts(own: Scores, gold: Scores, groups: Mapping[str, str], *, level: float, seed: int) -> tuple[Shift, ...]:
    r"""Estimate by how many ranks each group of systems rises or falls under a judge, on average.

    .. math:: \text{shift}_g = \frac{1}{m_g} \sum_{s \in g} (r_s - r'_s)

    r is the rank of the mean under the truth and r' that under the judge, ties at mid-rank. The interval is shift ±
    t_{n-k} se, se the standard deviation of the shift over resamples of the topics times sqrt(n/(n-k)), n the topics
    of the smaller side.
    Topics that both sides have, by their labels, are resampled together, the others separately: that makes k = 2
    strata of a side that has both kinds, otherwise k = 1. All shifts, weighted by size, add up to 0.

    Parameters
    ----------
    own, gold : Scores
        Scores of judge and truth, with the same systems in the same order.
    groups : Mapping of str to str
        System -> group.
    level : float
        Confidence of the intervals.
    seed : int
        Seed of the resamples.

    Returns
    -------
    tuple of Shift
        The group that gains most first.
    """
    names, number_of = groups_of(gold.systems, groups)
    member = np.zeros((len(gold.systems), len(names)))
    member[np.arange(len(number_of)), number_of] = 1.0
    sizes = member.sum(axis=0)
    value = ranks_gained(own, gold) @ member / sizes
    joint = join((own, gold))
    deviation, freedom = _deviation(joint, member / sizes, stream(seed, Stream.SHIFTS))
    reach = _t(freedom, level) * deviation
    rows = zip(names, sizes, value, value - reach, value + reach, strict=True)
    shifts = [Shift(str(name), int(size), *map(float, numbers)) for name, size, *numbers in rows]
    return tuple(shifts[i] for i in np.argsort(-value, kind="stable"))


def ranks_gained(own: Scores, gold: Scores) -> Floats:
    """Return how many ranks each system gains under a judge, ties at mid-rank."""
    return np.asarray(_ranks(gold.means()[None])[0] - _ranks(own.means()[None])[0])


def _ranks(means: Floats) -> Floats:
    return midranks(-snap_rows(means)) + 1


def _deviation(joint: Joint, mean: Floats, generator: np.random.Generator) -> tuple[Floats, int]:
    """Standard error of the mean shift of each group, and its degrees of freedom.

    A stratum of k topics varies by (k-1)/k too little over resamples, so n topics in s strata by (n-s)/n.
    """
    strata = joint.present.sum(axis=0)
    free = [n - int(s) for n, s in zip(joint.topics, strata, strict=True)]
    if min(free) < 1:
        return np.full(mean.shape[1], math.nan), 0
    counts = draw_counts(joint, SHIFT_DRAWS, generator)
    # Topic means were taken off; the level makes the means as large as they were, so that rounding ties them as before.
    estimate, truth = (
        _ranks(np.where(joint.present[joint.stratum, i], counts, 0.0) @ x / n + joint.level[i])
        for i, (x, n) in enumerate(zip(joint.x, joint.topics, strict=True))
    )
    stretch = math.sqrt(max(n / f for n, f in zip(joint.topics, free, strict=True)))
    return np.asarray(((truth - estimate) @ mean).std(axis=0, ddof=1) * stretch), min(free)


def _t(freedom: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2)) if freedom > 0 else math.nan


@dataclass(frozen=True, kw_only=True, eq=False)
class Families(Part):
    """What each judge gives to systems of its own family beyond what people and the other judges give them.

    Parameters
    ----------
    judges : tuple of str
        The judges that have systems of their family here.
    families : tuple of str
        The family of each.
    members : tuple of int
        Number of systems of its family.
    scores, ranks : array of float
        Mean score, on people's scale, and mean number of ranks that the judge's own family gains. The ranks are those
        of `compare(judge, truth=…, groups=…).shifts`.
    p : array of float
        One-sided p-value of each judge: how often families that are dealt out to systems at random gain as much, in
        scores. A judge that merely prefers some family has small ones as often as not.
    own_p : array of float
        One-sided p-value of each judge: whether it prefers its own family to the other families by more than its
        preferences for these differ among themselves (families as random effects). NaN with fewer than two other
        families.
    adjusted : array of float
        The larger of the two, adjusted for all judges (Holm).
    mean_scores, mean_ranks : float
        Means over these judges.
    p_all : float
        One-sided p-value of the mean: the larger of the two tests.
    table : Mapping
        Family of judges -> family of systems -> mean score gained beyond people.
    relative : bool
        Whether what judges of neither family give was subtracted; False if there are none.
    level : float
        A judge prefers its family if its adjusted p-value is below 1 - level.
    draws, seed : int
        Number of permutations, and their seed.
    notes : tuple of Note
        What a reader must know besides.
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
    notes: tuple[Note, ...] = ()

    @property
    def partial(self) -> tuple[str, ...]:
        """Judges that prefer their own family, beyond chance and beyond their preferences for other families, all
        judges tested simultaneously."""
        return tuple(judge for judge, p in zip(self.judges, self.adjusted, strict=True) if p < 1 - self.level)

    def to_dict(self) -> dict[str, Any]:
        """Return every fact as plain Python values, ready for JSON."""
        return {name: plain(value) for name, value in vars(self).items()} | {"partial": plain(self.partial)}


def own_families(
    judges: Mapping[str, Scores],
    truth: Scores,
    groups: Mapping[str, str],
    *,
    compared: Mapping[str, tuple[Scores, Scores]] | None = None,
    level: float = 0.95,
    draws: int = FAMILY_DRAWS,
    seed: int = 0,
) -> Families:
    """Test whether judges prefer systems of their own family.

    `groups` has the family of every system and of every judge. All matrices have the same systems in the same order;
    `compared` are judge and truth whose ranks are compared, if these have more topics than all sides share.

    Each judge's means are put on people's scale by regression over systems; what a judge gives a system is its
    residual, less the mean residual under judges that are neither of its family nor of the system's, if there are any,
    so that what all judges like alike is not counted, and other judges' preferences are not held against it. The gain
    of a judge is the mean over the systems of its family less that over all others. It is tested by
    dealing the families out to the systems at random, sizes kept; the p-value is the share of deals, the real one among
    them, that gain as much. That test also finds a judge that prefers *some* family, which happens to be its own. So
    the shift of its own family is also set against those of the other families, t = (own - mean of others)/se, with
    families as random effects and their variance pooled over judges, and the larger p-value counts. With fewer than
    two other families the two explanations cannot be separated, and no judge is said to prefer its own.

    Do not use it if families differ in quality and judges bend the scale, stretching the top, say: a line does not
    straighten that, and good families would gain under every judge.
    """
    draws = checking.whole(draws, "draws", least=19)
    names, systems = list(judges), truth.systems
    kinds, number_of = groups_of(systems, groups)
    own = _families_of(names, groups)
    people = truth.means()
    means = np.array([one.means() for one in judges.values()])
    residuals = _residuals(means, people)
    tested = _tested(names, own, kinds, number_of)
    beyond = {j: _beyond(residuals, own, j, kinds, number_of) for j in tested}
    mine = {j: kinds.index(own[j]) for j in tested}
    member = np.array([number_of == mine[j] for j in tested])
    gains = np.array([_gains(beyond[j], number_of[None], mine[j])[0] for j in tested])
    sides = {name: (one, truth) for name, one in judges.items()} | dict(compared or {})
    ranks = np.array([ranks_gained(*sides[names[j]])[inside].mean() for j, inside in zip(tested, member, strict=True)])
    dealt = _dealt(beyond, mine, number_of, draws, stream(seed, Stream.FAMILIES))
    p = (1 + (dealt >= gains - 1e-12).sum(axis=0)) / (1 + draws)
    together = (1 + int((dealt.mean(axis=1) >= gains.mean() - 1e-12).sum())) / (1 + draws)
    own_p, own_all = _against_other_families(beyond, mine, number_of)
    both = np.maximum(p, own_p)  # NaN where the second says nothing
    untested = len(names) - len(tested)
    return Families(
        judges=tuple(names[j] for j in tested),
        families=tuple(str(own[j]) for j in tested),
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
            *((Note("untested_judges", judges=untested),) if untested else ()),
            *((Note("inseparable_families"),) if np.isnan(own_p).any() else ()),
        ),
    )


def _families_of(names: list[str], groups: Mapping[str, str]) -> list[str]:
    without = [name for name in names if name not in groups]
    if without:
        has = "has" if len(without) == 1 else "have"
        raise TauscopeError(
            f"{count(len(without), 'judge')} {has} no family: {shown(without)}.",
            Advice(
                "`groups` maps every judge to its family, as it does every system.",
                "The file of --groups has one line per system, and one per judge.",
            ),
        )
    return [groups[name] for name in names]


def _residuals(means: Floats, people: Floats) -> Floats:
    """What each judge gives each system beyond people, on people's scale: the judge's line over systems turned
    round."""
    x = people - people.mean()
    found = []
    for row in means - means.mean(axis=1, keepdims=True):
        slope = float(row @ x) / max(float(x @ x), 1e-300)
        # A judge that hardly follows people has no scale that could be turned into theirs.
        found.append((row - slope * x) / max(abs(slope), 0.1 * float(row.std()) / max(float(x.std()), 1e-300)))
    return np.array(found)


def _beyond(residuals: Floats, own: list[str], j: int, kinds: list[Any], number_of: Ints) -> Floats:
    """What judge j gives each system beyond judges that are of neither its family nor the system's, if that were this
    or that: families of systems x systems, NaN where no judge is of neither. Where the judge's own family could not be
    set against three others by that, what it gives beyond people alone."""
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

    Families are random effects: shifts of families vary by tau² and by s²/n, s² the variance of what is given to
    systems of one family. tau² is pooled over judges, and has one degree of freedom less for each than it has other
    families.
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
