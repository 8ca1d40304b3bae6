"""The one door for matrices of the same systems: matched by the names of the systems, in one order."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import CallError, TauscopeError
from ..ranking import align
from ..results import count
from .matrix import Scores


def aligned_scores(named: Mapping[str, Scores], what: str, one_sided: str) -> tuple[list[Scores], tuple[str, ...]]:
    """The matrices with the same systems in the same order, those of the last one, and what was dropped."""
    for name, scores in named.items():
        if not isinstance(scores, Scores):
            raise CallError(
                f"{what} takes Scores, topics x systems; `{name}` is of type {type(scores).__name__}. Make them with "
                "Scores(values) or read_scores(file)."
            )
        scores.require_complete(f"{what}, `{name}`")
    *others, (truth_name, gold) = named.items()
    shared = set(gold.systems)
    for name, scores in others:
        align(scores.ranking(), gold.ranking(), names=(f"`{name}`", f"`{truth_name}`"), one_sided=one_sided)
        shared &= set(scores.systems)
    if not shared:
        raise TauscopeError(f"{what}: no system is in all of the matrices. Are the names spelled alike?")
    kept = [system for system in gold.systems if system in shared]
    notes = tuple(
        f"{count(len(scores.systems) - len(kept), 'system')} only in `{name}` dropped"
        for name, scores in named.items()
        if len(scores.systems) > len(kept)
    )
    return [s if s.systems == tuple(kept) else s.select(systems=kept) for s in named.values()], notes
