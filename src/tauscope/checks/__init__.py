"""The linter: what in a set of scores would trouble the coefficients, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data.scores import Scores
from ..errors import Advice, CallError
from ..io.door import scores_or_cube
from .findings import Finding, Findings, gravest_first
from .rules import of_pair, of_scores

__all__ = ["Finding", "Findings", "check"]


def check(*scores: Any, names: Sequence[str] | None = None) -> Findings:
    """Find what in these scores would trouble a comparison of the systems, and say what to do about it.

    In one set of scores it looks for columns that are not scores, summaries, a layout that was guessed, topics on
    different scales or on which lower seems to be better, systems with few scores, negative grades, rounded values and
    the ties they make, constant and duplicate systems, constant topics, missing cells, values outside the range of the
    measure, scores in percent, too few topics, and groups of systems. In two it also looks for unmatched systems and
    topics, names that differ only by spelling, the same scores on both sides, and different scales.

    Parameters
    ----------
    *scores : Scores, ScoreCube or measures.Table, or what their read() takes
        The scores to check; two sets are also compared with each other.
    names : sequence of str, optional
        What several sets of scores are called in the findings; "first" and "second" by default.

    Returns
    -------
    Findings
        Errors first, then warnings and notes; empty if there is nothing to report.

    Raises
    ------
    CallError
        If these are not scores.

    Examples
    --------
    >>> from tauscope import Scores, check
    >>> check(Scores([[0.1, 0.2]] * 30, measure="AP")).codes
    ('constant-system',)
    >>> one, two = Scores([[0.1, 0.2]], ["1"], ["a", "b"]), Scores([[0.1, 0.2]], ["1"], ["a", "c"])
    >>> "systems-on-one-side" in check(one, two).codes
    True
    """
    if not scores:
        raise CallError("check() needs scores.", Advice("check(Scores.read('scores.csv'))"))
    sides = [scores_or_cube(own, "check()") for own in scores]
    if len(sides) == 1:
        found = of_scores(sides[0])
    else:
        called = list(names or (["first", "second"] if len(sides) == 2 else map(str, range(1, len(sides) + 1))))
        if len(called) != len(sides):
            raise CallError(f"names={names!r}: give one name for each of the {len(sides)} sets of scores.")
        alone = [(name, one) for name, own in zip(called, sides, strict=True) for one in of_scores(own)]
        found = [one._replace(where=f"{name}: {one.where}" if one.where else name) for name, one in alone]
        boards = [own for own in sides if isinstance(own, Scores)]
        if len(boards) == len(sides) == 2:
            found += of_pair(boards[0], boards[1], (called[0], called[1]))
    return Findings(subjects=tuple(own.headline() for own in sides), findings=gravest_first(found))
