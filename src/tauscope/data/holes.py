"""Missing cells: what a function does about them, and means adjusted by a model of systems and topics."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..core import checking
from ..core.arrays import Bools, Floats, Ints
from ..errors import Advice, Option, TauscopeError
from ..results import Note, word
from .labels import Labelled, holes_text, shown
from .scores import Scores

#: A system with fewer topics does not say how it varies from topic to topic.
LEAST_TOPICS = 2


class RestsOn(NamedTuple):
    """How many cells a number rests on, if some are missing.

    Attributes
    ----------
    missing, cells : int
        How many cells are missing, and of how many.
    fewest : int
        The fewest that one of the numbers has.
    median : float
        The median of these counts.
    unit : str
        What is counted.
    rule : str
        How missing cells were dealt with.
    left_out : tuple of str
        Systems that have one score only.
    """

    missing: int
    cells: int
    fewest: int
    median: float
    unit: str
    rule: str
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, counts: Ints, unit: str, rule: str, *, missing: int, cells: int, left_out: tuple[str, ...] = ()
    ) -> RestsOn:
        """Count the cells behind several numbers.

        Parameters
        ----------
        counts : array of int
            How many each number has.
        unit, rule : str
            What is counted, and the rule.
        missing, cells : int
            Of the whole matrix.
        left_out : tuple of str
            Systems that were left out.

        Returns
        -------
        RestsOn
        """
        return cls(missing, cells, int(counts.min()), float(np.median(counts)), unit, rule, left_out)

    def line(self) -> str:
        """Return the sentence for a result."""
        return str(Note("rests_on", **self._asdict()))


def topics_per_system(known: Bools, rule: str, *, left_out: tuple[str, ...] = ()) -> RestsOn:
    """Count the topics that each system has.

    Parameters
    ----------
    known : array of bool
        Topics x systems, whether there is a score.
    rule : str
        How missing cells were dealt with.
    left_out : tuple of str, default ()
        Systems that were left out.

    Returns
    -------
    RestsOn
    """
    unit = f"{word('topics')} per {word('system')}"
    missing = int((~known).sum())
    return RestsOn.of(known.sum(axis=0), unit, rule, missing=missing, cells=known.size, left_out=left_out)


class Additive(NamedTuple):
    """The additive model of systems and topics.

    Attributes
    ----------
    systems : array
        Effects of systems, which sum to 0.
    topics : array
        Effects of topics.
    influence : array
        Topics x systems: what each topic adds to the effects of systems.
    """

    systems: Floats
    topics: Floats
    influence: Floats


def additive(values: Floats) -> Additive:
    r"""Fit effects of systems and topics to scores with holes, by least squares.

    .. math:: x_{ts} = \tau_t + \sigma_s + \varepsilon_{ts} , \qquad \sum_s \sigma_s = 0

    Residuals of a system with few topics are too small and are made larger; with no cell missing nothing changes.

    Parameters
    ----------
    values : array
        Topics x systems, NaN if a score is missing; the systems must hang together by topics that they share.

    Returns
    -------
    Additive

    Examples
    --------
    >>> model = additive(np.array([[0.1, 0.3], [0.5, np.nan], [np.nan, 0.8]]))
    >>> model.systems.round(2).tolist()
    [-0.1, 0.1]
    """
    known = ~np.isnan(values)
    o, x = known.astype(np.float64), np.where(known, values, 0.0)
    n = len(values)
    have = np.maximum(o.sum(axis=1), 1.0)
    centred = np.where(known, x - (x.sum(axis=1) / have)[:, None], 0.0)  # L_t x_t
    inverse = np.linalg.pinv(np.diag(o.sum(axis=0)) - o.T @ (o / have[:, None]), rcond=1e-10, hermitian=True)
    effects = inverse @ centred.sum(axis=0)
    effects -= effects.mean()
    residuals = np.where(known, x - effects, 0.0)
    topics = residuals.sum(axis=1) / have
    residuals = np.where(known, residuals - topics[:, None], 0.0)
    sizes = np.maximum(o.sum(axis=0), 2.0)
    # Residuals of a system with few topics are too small; with no cell missing the factor is 1.
    residuals = residuals * np.sqrt(sizes / (sizes - 1) * (n - 1) / n)
    residuals = np.where(known, residuals - (residuals.sum(axis=1) / have)[:, None], 0.0)
    influence = residuals @ inverse
    return Additive(effects, topics, influence - influence.mean(axis=0))


def adjusted(scores: Scores, what: str) -> tuple[Scores, RestsOn]:
    """Return scores without holes that have the means and the error covariance of the additive model.

    Parameters
    ----------
    scores : Scores
        Scores with holes. Systems with fewer than two topics are left out, and the notes say so.
    what : str
        The function, for errors.

    Returns
    -------
    tuple of Scores and RestsOn

    Raises
    ------
    TauscopeError
        If fewer than two systems are left, or some share no topic with the others.
    """
    sizes = (~np.isnan(scores.values)).sum(axis=0)
    thin = [system for system, size in zip(scores.systems, sizes, strict=True) if size < LEAST_TOPICS]
    if thin:
        kept = [system for system in scores.systems if system not in set(thin)]
        if len(kept) < 2:
            raise TauscopeError(f"{what} needs two {word('systems')} with two {word('topics')} or more each.")
        scores = scores.select(systems=kept).changed(Note("systems_with_one_score", systems=thin))
    known = ~np.isnan(scores.values)
    require_connected(scores, known, what)
    model = additive(scores.values)
    values = model.systems + model.topics[:, None] + len(scores) * model.influence
    rests_on = topics_per_system(known, str(Note("additive_model")), left_out=tuple(thin))
    return scores.changed(values=values), rests_on


def require_connected(scores: Scores, known: Bools, what: str) -> None:
    """Raise an error if systems share no topic, not even by way of other systems: these cannot be compared.

    Parameters
    ----------
    scores : Scores
        The scores.
    known : array of bool
        Topics x systems, whether there is a score.
    what : str
        The function, for errors.

    Raises
    ------
    TauscopeError
    """
    group: Ints = np.arange(len(scores.systems))
    for row in known:
        groups = np.unique(group[row])
        if len(groups) > 1:
            group[np.isin(group, groups)] = groups[0]
    if len(np.unique(group)) > 1:
        apart = [scores.systems[i] for i in np.flatnonzero(group != group[0])]
        raise TauscopeError(
            f"{what}: {shown(apart)} share no {word('topic')} with {scores.systems[0]!r}, not even by way of other "
            f"{word('systems')}, so they cannot be compared.",
            Advice(f"Compare the {word('systems')} that hang together."),
        )


L = TypeVar("L", bound=Labelled)

#: Two numbers are compared on the cells that both have.
PAIRWISE = "pairwise"
#: Means are adjusted for the cells that are there, by an additive model.
ADJUSTED = "adjusted"


def settled(scores: L, missing: str, what: str, rule: str) -> L:
    """The scores as a function with the option `missing` goes on with them.

    Parameters
    ----------
    scores : Scores, ScoreCube or MeasureTable
        What was given.
    missing : str
        "error", one of the ways to fill holes or to leave them out, or `rule`, under which they stay.
    what : str
        The function, for errors.
    rule : str
        Its own way with holes: `PAIRWISE` or `ADJUSTED`.

    Returns
    -------
    Scores, ScoreCube or MeasureTable
        Of the same kind; with holes only under `rule`.

    Raises
    ------
    TauscopeError
        Where cells are missing and `missing` is "error"; the ways out are those that leave something.
    """
    ways: tuple[Any, ...] = (rule, *(way for way in scores.MISSING if way not in ("error", "keep")))
    checking.one_of(missing, ("error", *ways), "missing")
    if not scores.has_holes or missing == rule:
        return scores
    if missing == "error":
        others = scores.missing_option(np.isnan(scores.values)).values
        way_out = Option("missing", rule, *others, effect="to say what that means")
        raise TauscopeError(f"{what} needs a score in every cell, and {holes_text(scores)}", way_out)
    return scores.without_holes(missing)


def adjusted_or_complete(scores: Scores, missing: str, what: str) -> tuple[Scores, RestsOn | None]:
    """Scores without holes, under the rule "adjusted" those of the additive model with what they rest on.

    Parameters
    ----------
    scores : Scores
        What was given.
    missing, what : str
        As in `settled()`.

    Returns
    -------
    Scores, RestsOn or None
        None where no cell is missing.
    """
    found = settled(scores, missing, what, ADJUSTED)
    return adjusted(found, what) if found.has_holes else (found, None)
