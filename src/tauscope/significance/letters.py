"""Letters of groups that overlap, the compact letter display: systems that share a letter are not told apart."""

from __future__ import annotations

import numpy as np

from ..arrays import Bools


def group_letters(better: Bools, names: list[str]) -> dict[str, str]:
    """Letters of the longest runs of systems without a difference, a for the one of the best (compact letter display).

    `better[i, j]` says that i is better than j, all that lie further apart differing too: see `in_order()`.
    """
    groups: list[range] = []
    for first in range(len(names)):
        apart = np.flatnonzero(better[first])
        stop = int(apart[0]) if apart.size else len(names)
        if not groups or stop > groups[-1].stop:
            groups.append(range(first, stop))
    marks: dict[str, list[str]] = {name: [] for name in names}
    for number, group in enumerate(groups):
        for system in group:
            marks[names[system]].append(_letter(number))
    return {name: ("" if len(groups) <= 26 else " ").join(own) for name, own in marks.items()}


def in_order(better: Bools) -> Bools:
    """Only the differences for which all pairs that lie further apart differ too, so that groups are runs of ranks."""
    down = np.logical_and.accumulate(better, axis=0)
    return np.asarray(np.logical_and.accumulate(down[:, ::-1], axis=1)[:, ::-1])


def _letter(number: int) -> str:
    return chr(97 + number) if number < 26 else _letter(number // 26 - 1) + chr(97 + number % 26)
