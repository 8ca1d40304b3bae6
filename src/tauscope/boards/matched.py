"""The same battles judged twice: which verdict of one judge belongs to which of the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ..arrays import Ints
from ..errors import Advice, TauscopeError
from ..results import count
from ..scores.battles import Battles
from ..scores.labels import shown
from ..scores.verdicts import TIE, Verdicts


@dataclass(frozen=True, eq=False)
class Matched:
    """Battles of two judges between the same systems, in one order of systems, and the pairs of verdicts on one battle.

    `clusters`: for each side the cluster of each battle, numbered alike; `first`, `second`: verdicts of the two on the
    matched battles, seen from the first judge's order; `cluster`: the cluster of each matched pair; `by`: what battles
    were matched by.
    """

    estimate: Battles
    truth: Battles
    clusters: tuple[Ints, Ints]
    first: Verdicts
    second: Verdicts
    cluster: Ints
    by: str
    notes: tuple[str, ...]

    @property
    def size(self) -> int:
        return int(max(codes.max() for codes in self.clusters)) + 1


def match(estimate: Battles, truth: Battles, clusters: str) -> Matched:
    """The battles of two judges, matched by label, else by question and pair, else row by row."""
    estimate, truth, notes = _same_systems(estimate, truth)
    keys, by = _keys(estimate, truth)
    own, other = _joined(*keys)
    if not len(own):
        raise TauscopeError(f"No battle of the one judge is one of the other's, matched by {by}.")
    same = estimate.first[own] == truth.first[other]
    fits = np.where(
        same,
        estimate.second[own] == truth.second[other],
        (estimate.first[own] == truth.second[other]) & (estimate.second[own] == truth.first[other]),
    )
    if not fits.all():
        at = int(np.flatnonzero(~fits)[0])
        i, j = int(own[at]), int(other[at])
        names = estimate.systems
        raise TauscopeError(
            f"Battle {i + 1:,} of the estimate is between {names[estimate.first[i]]!r} and "
            f"{names[estimate.second[i]]!r}, and the same "
            f"battle of the truth between {names[truth.first[j]]!r} and {names[truth.second[j]]!r}.",
            Advice("Leave the labels of battles out (ids=None) where they do not mean the same."),
        )
    told = truth.winner[other]
    told = np.where(same | (told == TIE), told, 1 - told).astype(np.int8)
    groups = keys if clusters == "battle" else _coded_alike(estimate, truth, clusters)
    left = len(estimate) + len(truth) - len(np.unique(own)) - len(np.unique(other))
    if left:
        notes += (f"{count(left, 'battle')} that only one of the two judged used for its strengths alone",)
    return Matched(estimate, truth, groups, estimate.winner[own], told, groups[0][own], by, notes)


def _same_systems(estimate: Battles, truth: Battles) -> tuple[Battles, Battles, tuple[str, ...]]:
    """Only battles between systems that both have, systems in one order."""
    sides = {"estimate": estimate, "truth": truth}
    # Without the battles against a system of one side only, another one may be left without any.
    while set(sides["estimate"].systems) != set(sides["truth"].systems):
        shared = [name for name in sides["truth"].systems if name in set(sides["estimate"].systems)]
        if len(shared) < 2:
            raise TauscopeError(
                f"The two share {count(len(shared), 'system')}; are the names spelled alike? The estimate has "
                f"{shown(estimate.systems, 3)}, the truth {shown(truth.systems, 3)}."
            )
        sides = {name: side.select(systems=shared) for name, side in sides.items()}
    order = sides["truth"].systems
    notes = tuple(
        f"{count(len(given.systems) - len(order), 'system')} only in `{name}`, or without a battle among the others, "
        "dropped"
        for name, given in (("estimate", estimate), ("truth", truth))
        if len(given.systems) > len(order)
    )
    return sides["estimate"].reordered(order), sides["truth"], notes


def _keys(estimate: Battles, truth: Battles) -> tuple[tuple[Ints, Ints], str]:
    """A number for each battle, the same for the same battle."""
    if estimate.ids is not None and truth.ids is not None:
        return _coded_alike(estimate, truth, "battle"), "label"
    if estimate.questions is not None and truth.questions is not None:
        sides = []
        for battles, codes in zip((estimate, truth), _coded_alike(estimate, truth, "question"), strict=True):
            low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
            sides.append(list(zip(codes.tolist(), low.tolist(), high.tolist(), strict=True)))
        numbers: dict[tuple[int, int, int], int] = {}
        coded = [np.array([numbers.setdefault(key, len(numbers)) for key in side]) for side in sides]
        return (coded[0], coded[1]), "question and pair"
    if len(estimate) == len(truth):
        rows = np.arange(len(estimate))
        return (rows, rows), "row"
    raise TauscopeError(
        f"The two have {len(estimate):,} and {count(len(truth), 'battle')}, and neither labels nor questions say "
        "which belong together.",
        Advice("Give both the labels of the battles (ids=) or their questions (questions=)."),
    )


def _coded_alike(estimate: Battles, truth: Battles, by: str) -> tuple[Ints, Ints]:
    """The groups of both sides, numbered alike."""
    sides = [battles.groups(by) for battles in (estimate, truth)]
    numbers: dict[str, int] = {}
    codes = [np.array([numbers.setdefault(label, len(numbers)) for label in side.labels])[side.codes] for side in sides]
    return codes[0], codes[1]


def _joined(estimate: Ints, truth: Ints) -> tuple[Ints, Ints]:
    """Rows of both sides with the same key; where one side has several, each meets the other's one.

    Where both have several, the k-th meets the k-th.
    """
    often = [Counter(side.tolist()) for side in (estimate, truth)]
    repeated = [{key for key, number in counted.items() if number > 1} for counted in often]
    both = repeated[0] & repeated[1]
    place: dict[int, list[int]] = {}
    for row, key in enumerate(truth.tolist()):
        place.setdefault(key, []).append(row)
    own, other = [], []
    seen: Counter[int] = Counter()
    for row, key in enumerate(estimate.tolist()):
        rows = place.get(key, [])
        if key in both:
            rows = rows[seen[key] : seen[key] + 1]
            seen[key] += 1
        own += [row] * len(rows)
        other += rows
    return np.array(own, np.int64), np.array(other, np.int64)
