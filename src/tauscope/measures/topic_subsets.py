"""`select_topics`: the few topics, or tasks of a leaderboard, that best keep the ranking of the systems."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..coefficients.records import Coefficient, catalogue
from ..core import checking, kernels
from ..core.arrays import Floats, Ints, snap, snap_rows, summable
from ..core.checking import RANDOM_SETS, TOPIC_HALVES, Progress, Rng, Stream, remembered, stream
from ..data.cube import ScoreCube
from ..data.holes import ADJUSTED, PAIRWISE, RestsOn, additive, settled, topics_per_system
from ..data.labels import Labels
from ..data.scores import Scores
from ..data.table import MeasureTable
from ..errors import Advice, CallError, TauscopeError
from ..io.door import scores_or_cube, tells_oddities
from ..results import Note, Notes, Plain, count, word
from .columns import as_columns


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TopicSelection(Plain):
    """The chosen topics, and how well topics chosen like this rank systems that had no part in the choice.

    Attributes
    ----------
    topics : tuple of str
        The chosen topics, or tasks, in the order of the input.
    of : int
        Number of topics to choose from.
    systems : int
        Number of systems.
    coefficient : Coefficient
        What rankings were compared by.
    value : float
        The coefficient on the systems that the topics were chosen for, which is too high.
    held_out : array
        One value for each random half of the systems, from topics chosen on the other half.
    random : array
        The same of sets of topics drawn at random.
    noun : str
        What a column is, "topic" or "measure".
    random_sets : int
        Number of random sets per half.
    seed : int
        Seed of the halves.
    undefined_because : str or None
        Why `value` has none.
    notes : tuple of Note or str
        What was left out or filled in before.
    rests_on : RestsOn or None
        Where cells are missing, the number of topics behind the means.
    """

    QUESTION: ClassVar[str] = "topic_subset"
    topics: Labels
    of: int
    systems: int
    coefficient: Coefficient
    value: float
    held_out: Floats
    random: Floats
    noun: str
    random_sets: int = RANDOM_SETS
    seed: int
    undefined_because: str | None = None
    notes: Notes = ()
    rests_on: RestsOn | None = field(default=None, repr=False)

    @property
    def held_out_mean(self) -> float:
        """Mean of the values on systems that were not used in the choice."""
        return _mean(self.held_out)

    @property
    def random_mean(self) -> float:
        """Mean of the values of random sets."""
        return _mean(self.random)

    def columns(self) -> dict[str, Any]:
        return {"half": np.arange(1, len(self.held_out) + 1), "held_out": self.held_out, "random": self.random}

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper,)


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


#: Rounds of exchanging a chosen topic for another.
ROUNDS = 5


@tells_oddities()
def select_topics(
    scores: Any,
    k: int,
    *,
    coefficient: str | Coefficient = "tau_b",
    draws: int = TOPIC_HALVES,
    missing: str = "error",
    rng: Rng = 0,
    progress: Progress | None = None,
) -> TopicSelection:
    """Choose the k topics, or tasks, that rank systems most like all of them do.

    Use it for a smaller test collection for systems of the same kinds. Do not use it for new kinds of systems. Tasks on
    different scales should be standardised first, because the ranking is by means.

    The set whose means have the highest coefficient with the means over all topics is searched greedily: the best
    topic, then the one that helps most, and so on, then exchanges as long as they help. Of equal values the earlier
    topic is taken. The value on the systems at hand is too high, so sets are also chosen on random halves of the
    systems and scored on the other halves, where random sets of k topics are scored too.

    Parameters
    ----------
    scores : Scores or MeasureTable
        Topics x systems, or a table whose columns are the tasks of a leaderboard.
    k : int
        Number of topics to choose.
    coefficient : str or Coefficient
        What the two rankings are compared by, any of the catalogue.
    draws : int
        Number of random halves of the systems on which the choice is tried.
    missing : {"error", "adjusted", "zero", "drop-topics", "drop-systems"}, default "error"
        What a cell without a score means. "adjusted" takes the effect of each topic off the scores (an additive model)
        and means over the topics that a system has, if cells are missing at random; a system that has none of the
        chosen topics stands at the mean. The others are those of the scores.
    rng : int, numpy.random.Generator or None
        The seed of the halves; None for fresh numbers.
    progress : callable or None
        Called with (halves done, draws).

    Returns
    -------
    TopicSelection

    Raises
    ------
    TauscopeError
        If there are fewer than four systems, or only one topic.

    See Also
    --------
    rank : Which few measures, or tasks, say most.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.add.outer(np.zeros(6), np.arange(8.0)) + np.random.default_rng(1).normal(0, 2, (6, 8))
    >>> found = select_topics(Scores(table), 2, rng=1)
    >>> found.topics
    ('3', '6')
    >>> round(found.value, 3), round(found.held_out_mean, 3)  # on the systems at hand, and on others
    (1.0, 0.85)
    """
    scores = scores_or_cube(scores, "select_topics()")
    if isinstance(scores, ScoreCube) and len(scores) == 1:
        scores = scores[scores.measures[0]]
    if not isinstance(scores, (Scores, MeasureTable)):
        raise CallError(
            f"select_topics() takes Scores or a measures.Table, not {type(scores).__name__}.",
            Advice("Of a cube give one measure: cube['AP'].", shell=""),
        )
    # What is drawn does not depend on how topics and systems are sorted.
    scores = scores.in_order("topics", "systems") if isinstance(scores, Scores) else scores
    c = catalogue[coefficient]
    scores = settled(scores, missing, "select_topics()", ADJUSTED)
    by = "system" if isinstance(scores, MeasureTable) else None
    columns = as_columns(scores, by, "select_topics()", missing=PAIRWISE if scores.has_holes else None)
    n, m = columns.values.T.shape
    board = _Board.of(columns.values.T)
    if n < 2:
        raise TauscopeError(
            f"select_topics() chooses some of several {word(columns.noun + 's')}, and there is only one."
        )
    k = checking.whole(k, "k", least=1, most=n - 1)
    if m < 4:
        raise TauscopeError(
            f"{count(m, 'system')} are too few to choose on one half and score on the other: 4 are needed."
        )
    draws = checking.whole(draws, "draws", least=1)
    seed = remembered(rng)
    chosen = _choose(board, k, c)
    value, code = _values(board.means(np.array([chosen])), board, c)
    held_out, random = _on_halves(board, k, c, draws, seed, progress)
    reason = c.why_undefined(int(code[0]), estimate="the subset's ranking", truth="the ranking by all", n=m)
    labels = tuple(columns.measures[i] for i in sorted(chosen))
    return TopicSelection(
        topics=labels,
        of=n,
        systems=m,
        coefficient=c,
        value=float(value[0]),
        held_out=held_out,
        random=random,
        noun=columns.noun,
        seed=seed,
        undefined_because=reason,
        notes=columns.notes,
        rests_on=_rests_on(columns.values.T),
    )


def _on_halves(
    board: _Board, k: int, c: Coefficient, draws: int, seed: int, progress: Progress | None
) -> tuple[Floats, Floats]:
    """Choose topics on random halves of the systems, and see how they rank the other halves.

    Parameters
    ----------
    board : _Board
        The scores.
    k, c, draws, seed, progress
        As in `select_topics()`, checked.

    Returns
    -------
    pair of ndarray
        For each half, the coefficient of the chosen topics, and the mean of as many topics drawn at random.
    """
    topics, systems = board.values.shape
    held_out, random = np.full(draws, np.nan), np.full(draws, np.nan)
    for half in range(draws):
        generator = stream(seed, Stream.SUBSETS, half)
        order = generator.permutation(systems)
        used, other = np.sort(order[: systems // 2]), np.sort(order[systems // 2 :])
        chosen = _choose(board.only(used), k, c)
        sets = np.array([generator.choice(topics, k, replace=False) for _ in range(RANDOM_SETS)])
        rest = board.only(other)
        held_out[half] = _values(rest.means(np.array([chosen])), rest, c)[0][0]
        random[half] = _mean(_values(rest.means(sets), rest, c)[0])
        if progress:
            progress(half + 1, draws)
    return held_out, random


def _rests_on(values: Floats) -> RestsOn | None:
    """Count the topics behind the means, where cells are missing."""
    known = ~np.isnan(values)
    return None if known.all() else topics_per_system(known, str(Note("means_of_known_topics")))


class _Board(NamedTuple):
    """Scores prepared for sums over sets of topics.

    Parameters
    ----------
    values : array
        Topics x systems, scaled so that no sum overflows; 0 where a cell is missing.
    known : array or None
        1 where there is a score, 0 where there is none; None if no cell is missing.
    """

    values: Floats
    known: Floats | None

    @classmethod
    def of(cls, values: Floats) -> _Board:
        """Prepare scores; where cells are missing, the effect of each topic is subtracted first."""
        known = ~np.isnan(values)
        if known.all():
            return cls(summable(values.ravel()).reshape(values.shape), None)
        filled = np.where(known, values - additive(values).topics[:, None], 0.0)
        return cls(summable(filled.ravel()).reshape(values.shape), known.astype(np.float64))

    def only(self, systems: Ints) -> _Board:
        """Some of the systems."""
        known = None if self.known is None else np.ascontiguousarray(self.known[:, systems])
        return _Board(np.ascontiguousarray(self.values[:, systems]), known)

    def means(self, sets: Ints) -> Floats:
        """Means over sets of topics, one per row."""
        if self.known is None:
            return np.asarray(self.values[sets].mean(axis=1))
        return _ratio(self.values[sets].sum(axis=1), self.known[sets].sum(axis=1))

    def truth(self) -> Floats:
        """Means over all topics."""
        if self.known is None:
            return np.asarray(self.values.mean(axis=0))
        return _ratio(self.values.sum(axis=0), self.known.sum(axis=0))


def _ratio(sums: Floats, sizes: Floats) -> Floats:
    """Means; the mean of all, 0, where there is no score."""
    return np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0)


def _values(means: Floats, board: _Board, c: Coefficient) -> tuple[Floats, NDArray[np.int8]]:
    """The coefficient of rows of means with the means over all topics, ties by rounding snapped."""
    truth, _ = snap(board.truth())
    return kernels.batch(c, np.ascontiguousarray(snap_rows(means)), np.ascontiguousarray(truth[None]))


def _choose(board: _Board, k: int, c: Coefficient) -> list[int]:
    """Choose topics greedily, then exchange chosen ones for others as long as that helps.

    Parameters
    ----------
    board : _Board
        The scores.
    k : int
        Number of topics to choose.
    c : Coefficient
        What the ranking by the chosen topics is compared by with that by all.

    Returns
    -------
    list of int
        Places of the topics, in the order in which they were chosen.
    """
    values = board.values
    n = len(values)
    known = np.ones_like(values) if board.known is None else board.known
    taken: list[int] = []
    total, sizes = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    best = -np.inf
    for _ in range(k):
        left = np.array([i for i in range(n) if i not in taken])
        scores = _scored(_ratio(total + values[left], sizes + known[left]), board, c)
        place = int(np.argmax(scores))
        taken.append(int(left[place]))
        total, sizes, best = total + values[left[place]], sizes + known[left[place]], scores[place]
    for _ in range(ROUNDS):
        before = best
        for place in range(k):
            without, fewer = total - values[taken[place]], sizes - known[taken[place]]
            left = np.array([i for i in range(n) if i not in taken])
            scores = _scored(_ratio(without + values[left], fewer + known[left]), board, c)
            other = int(np.argmax(scores))
            if scores[other] > best + 1e-12:
                taken[place], best = int(left[other]), scores[other]
                total, sizes = without + values[taken[place]], fewer + known[taken[place]]
        if best <= before:
            break
    return taken


def _scored(means: Floats, board: _Board, c: Coefficient) -> Floats:
    """Return the coefficient of rows of means with the ranking by all topics; -inf where it is undefined."""
    values, _ = _values(means, board, c)
    return np.where(np.isnan(values), -np.inf, values)
