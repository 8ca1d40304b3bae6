"""`select_topics`: the few topics, or tasks of a leaderboard, that best keep the ranking of the systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checking, kernels
from ..arrays import Floats
from ..coefficients.records import Coefficient, catalogue
from ..errors import Advice, CallError, TauscopeError
from ..files.door import scores_or_cube
from ..jobs.draws import RANDOM_SETS, TOPIC_HALVES
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, remembered
from ..reference.rankings import summable
from ..results import Result, count, number, word
from ..scores import MeasureTable, ScoreCube, Scores
from ..scores.labels import Labels
from ..ties import snap, snap_rows
from .columns import as_columns


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TopicSelection(Result):
    """The chosen topics, and how well topics chosen like this rank systems that had no part in the choice.

    Attributes
    ----------
    topics : tuple of str
        The chosen topics, or tasks, in the order of the input.
    of : int
        How many there were to choose from.
    systems : int
        How many systems.
    coefficient : Coefficient
        What rankings were compared by.
    value : float
        On the systems that the topics were chosen for, so it flatters.
    held_out : array
        One value for each random half of the systems, from topics chosen on the other half.
    random : array
        What as many topics drawn at random reach there.
    noun : str
        What a column is, "topic" or "measure".
    seed : int
        Repeats the halves.
    undefined_because : str or None
        Why `value` has none.
    notes : tuple of str
        What was left out or filled in before.
    """

    topics: Labels
    of: int
    systems: int
    coefficient: Coefficient
    value: float
    held_out: Floats
    random: Floats
    noun: str
    seed: int
    undefined_because: str | None = None
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        shown = ", ".join(self.topics[:10]) + (" …" if len(self.topics) > 10 else "")
        noun = count(self.of, self.noun)
        lines = [f"{len(self.topics)} of {noun}: {shown}"]
        if self.undefined_because:
            return [*lines, f"{self.coefficient} with the ranking by all: undefined, {self.undefined_because}"]
        chosen, drawn = _mean(self.held_out), _mean(self.random)
        lines.append(
            f"{self.coefficient} with the ranking by all {self.of}: {number(chosen)} on {word('systems')} not used in "
            f"the choice (random sets of {len(self.topics)} {number(drawn)}), {number(self.value)} on those used"
        )
        lines.append(
            f"means of {count(len(self.held_out), 'random half', 'random halves')} of {count(self.systems, 'system')}, "
            f"greedy with exchanges, rng={self.seed}"
        )
        if chosen <= drawn:
            lines.append(f"note: no better than random sets on other {word('systems')}; this choice is noise")
        return [*lines, *(f"note: {note}" for note in self.notes)]

    def columns(self) -> dict[str, Any]:
        return {"half": np.arange(1, len(self.held_out) + 1), "held_out": self.held_out, "random": self.random}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper,)

    def plot(self) -> Any:
        """Values on held-out systems: chosen against random topics."""
        from ..figures import histogram

        known = self.held_out[~np.isnan(self.held_out)]
        return histogram(known, x=f"{self.coefficient.symbol} on held-out systems", title=self.lines()[0])


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


#: Rounds of exchanging a chosen topic for another.
ROUNDS = 5


def select_topics(
    scores: Any,
    k: int,
    *,
    coefficient: str | Coefficient = "tau_b",
    halves: int = TOPIC_HALVES,
    rng: Rng = 0,
    progress: Progress | None = None,
) -> TopicSelection:
    """Which k topics, or tasks, rank the systems most like all of them do?

    The set whose means have the highest coefficient with the means over all topics (the truth): the best topic, then
    the one that helps most, and so on, then exchanges of one for another while they help. Finding the best set is hard,
    this is greedy. Of equal values the earlier topic is taken. Fitted to the systems at hand such a set flatters
    itself, so it is also chosen on random halves of the systems and scored on the other halves, where random sets of k
    are scored too.

    Do not use it to judge fewer topics for new kinds of systems: held-out systems here are of the same kinds as the
    others. The ranking to keep is by means: tasks on different scales should be put on one first.

    Parameters
    ----------
    scores : Scores or MeasureTable
        Topics x systems, or a table whose columns are the tasks of a leaderboard.
    k : int
        How many topics to choose.
    coefficient : str or Coefficient
        What the two rankings are compared by, any of the catalogue.
    halves : int
        How many random halves of the systems the choice is tried on.
    rng : int, numpy.random.Generator or None
        The seed of the halves; None for fresh numbers.
    progress : callable or None
        Called with (halves done, halves).

    Returns
    -------
    TopicSelection

    Raises
    ------
    TauscopeError
        If there are fewer than four systems, or only one topic.

    See Also
    --------
    rank_measures : Which few measures, or tasks, say most.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.add.outer(np.zeros(6), np.arange(8.0)) + np.random.default_rng(1).normal(0, 2, (6, 8))
    >>> select_topics(Scores(table), 2, rng=1).topics
    ('3', '6')
    """
    scores = scores_or_cube(scores, "select_topics()")
    if isinstance(scores, ScoreCube) and len(scores) == 1:
        scores = scores[scores.measures[0]]
    if not isinstance(scores, (Scores, MeasureTable)):
        raise CallError(
            f"select_topics() takes Scores or a MeasureTable, not {type(scores).__name__}.",
            Advice("Of a cube give one measure: cube['AP'].", shell=""),
        )
    # What is drawn does not depend on how topics and systems are sorted.
    scores = scores.in_order("topics", "systems") if isinstance(scores, Scores) else scores
    c = catalogue[coefficient]
    columns = as_columns(scores, "system" if isinstance(scores, MeasureTable) else None, "select_topics()")
    n, m = columns.values.T.shape
    values = summable(columns.values.T.ravel()).reshape(n, m)  # topics x systems, such that no sum overflows
    if n < 2:
        raise TauscopeError(
            f"select_topics() chooses some of several {word(columns.noun + 's')}, and there is only one."
        )
    k = checking.whole(k, "k", least=1, most=n - 1)
    if m < 4:
        raise TauscopeError(
            f"{count(m, 'system')} are too few to choose on one half and score on the other: 4 are needed."
        )
    halves = checking.whole(halves, "halves", least=1)
    seed = remembered(rng)
    chosen = _choose(values, k, c)
    value, code = _values(values[chosen].mean(axis=0)[None], values, c)
    held, drawn = np.full(halves, np.nan), np.full(halves, np.nan)
    for half in range(halves):
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(half,)))
        order = generator.permutation(m)
        used, other = np.sort(order[: m // 2]), np.sort(order[m // 2 :])
        mine = _choose(np.ascontiguousarray(values[:, used]), k, c)
        sets = np.array([generator.choice(n, k, replace=False) for _ in range(RANDOM_SETS)])
        rest = np.ascontiguousarray(values[:, other])
        held[half] = _values(rest[mine].mean(axis=0)[None], rest, c)[0][0]
        drawn[half] = _mean(_values(rest[sets].mean(axis=1), rest, c)[0])
        if progress:
            progress(half + 1, halves)
    reason = c.why_undefined(int(code[0]), estimate="the ranking by the chosen", truth="the ranking by all", n=m)
    labels = tuple(columns.measures[i] for i in sorted(chosen))
    return TopicSelection(
        topics=labels,
        of=n,
        systems=m,
        coefficient=c,
        value=float(value[0]),
        held_out=held,
        random=drawn,
        noun=columns.noun,
        seed=seed,
        undefined_because=reason,
        notes=columns.notes,
    )


def _values(means: Floats, values: Floats, c: Coefficient) -> tuple[Floats, NDArray[np.int8]]:
    """The coefficient of rows of means with the means over all topics, ties by rounding snapped."""
    truth, _ = snap(values.mean(axis=0))
    return kernels.batch(c, np.ascontiguousarray(snap_rows(means)), np.ascontiguousarray(truth[None]))


def _choose(values: Floats, k: int, c: Coefficient) -> list[int]:
    """Greedy, then exchanges; places in the order they were taken."""
    n = len(values)
    taken: list[int] = []
    total = np.zeros(values.shape[1])
    best = -np.inf
    for _ in range(k):
        left = np.array([i for i in range(n) if i not in taken])
        found = _scored((total + values[left]) / (len(taken) + 1), values, c)
        place = int(np.argmax(found))
        taken.append(int(left[place]))
        total, best = total + values[left[place]], found[place]
    for _ in range(ROUNDS):
        before = best
        for place in range(k):
            without = total - values[taken[place]]
            left = np.array([i for i in range(n) if i not in taken])
            found = _scored((without + values[left]) / k, values, c)
            other = int(np.argmax(found))
            if found[other] > best + 1e-12:
                taken[place], best = int(left[other]), found[other]
                total = without + values[taken[place]]
        if best <= before:
            break
    return taken


def _scored(means: Floats, values: Floats, c: Coefficient) -> Floats:
    found, _ = _values(means, values, c)
    return np.where(np.isnan(found), -np.inf, found)
