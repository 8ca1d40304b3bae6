"""`tauscope identify`: which published convention gives a number?"""

from __future__ import annotations

from pathlib import Path

from ..coefficients.identify import identify as search
from ..errors import CallError
from ..results import number
from . import inputs
from .options import Documents, Reading
from .output import show, show_table


def identify(
    first: Path,
    second: Path | None = None,
    /,
    *,
    value: str,
    truth: Path | None = None,
    reading: Reading = Reading(),
    output: Documents = Documents(),
) -> None:
    """Which tau did they use? Finds the convention that gives a published number.

    Example: `tauscope identify judge.csv human.csv --value .84`

    Parameters
    ----------
    first
        One ranking (or the estimate): systems and scores, or a matrix of topics by systems.
    second
        The other.
    value
        The published number, with the digits as printed: .84
    truth
        The truth, instead of a second ranking.
    """
    other = truth if truth is not None else second
    if other is None or (truth is not None and second is not None):
        raise CallError("Give two rankings: `tauscope identify A B --value .84`.")
    one, two = inputs.two_rankings(first, other, reading)
    found = search(one, truth=two, value=value)
    if output.print(found):
        return
    show(*found.lines())
    if found.matches:
        print()
        rows = [["coefficient", "value", "systems", "treatment"]]
        rows += [
            [c.coefficient, number(c.value, 6), str(c.n), "; ".join(c.steps) or "as they are"]
            for c in found.matches[:12]
        ]
        show_table(rows, right=(1, 2), indent="  ")
