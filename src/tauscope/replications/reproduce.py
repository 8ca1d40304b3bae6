"""`reproduce`: what a paper prints beside what is computed here.

`Printed` is one number with its tolerance, and `Replication` has all numbers of a paper with notes on what could not be
redone. The other functions are for the modules of the papers: reading printed numbers and data, saving figures.
"""

from __future__ import annotations

import csv
import difflib
import importlib
import inspect
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar

from ..core.checking import Progress
from ..errors import Advice, CallError, FileError
from ..io.write import write_columns
from ..results import Plain, Result, fact, large, rows
from . import PAPERS


@dataclass(frozen=True)
class Printed:
    """One printed number.

    Parameters
    ----------
    where : str
        The table, figure or section in which it stands.
    what : str
        What it is.
    printed : float
        Its value there.
    ours : float
        Its value here.
    tolerance : float
        How far apart they may be.
    note : str
        Why the two differ, where that is known.
    """

    where: str
    what: str
    printed: float
    ours: float
    tolerance: float
    note: str = ""

    @property
    def difference(self) -> float:
        """float: Ours less the printed."""
        return self.ours - self.printed

    @property
    def holds(self) -> bool:
        """bool: Whether the two are as close as the tolerance says; a number that is undefined here does not hold."""
        return abs(self.difference) <= self.tolerance

    @property
    def excess(self) -> float:
        """float: The difference in tolerances; infinite for a number that is undefined here."""
        off = abs(self.difference) / max(self.tolerance, 1e-300)
        return math.inf if math.isnan(off) else off


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Replication(Plain):
    """A paper redone: its printed numbers one by one, and what has to be said besides.

    Attributes
    ----------
    paper : str
        Its key.
    rows : tuple of Printed
        The printed numbers.
    notes : tuple of str
        What could not be redone, and what else there is to say.
    seed : int or None
        Seed of what was drawn; None if nothing was.
    written : tuple of str
        The files made, where `out` was given.
    """

    QUESTION: ClassVar[str] = "replication"

    paper: str
    rows: tuple[Printed, ...] = large()
    notes: tuple[str, ...] = ()
    seed: int | None = None
    written: tuple[str, ...] = ()

    @property
    def failing(self) -> tuple[Printed, ...]:
        """tuple of Printed: The numbers that do not hold, those without a known reason first, then the worst."""
        missed = (row for row in self.rows if not row.holds)
        return tuple(sorted(missed, key=lambda row: (bool(row.note), -row.excess)))

    @fact
    def hold(self) -> int:
        """int: How many of the printed numbers hold."""
        return len(self.rows) - len(self.failing)

    @fact
    def of(self) -> int:
        """int: Number of printed numbers."""
        return len(self.rows)

    @fact
    def explained(self) -> int:
        """int: How many of those that do not hold differ for a known reason."""
        return sum(bool(row.note) for row in self.failing)

    @property
    def share(self) -> float:
        """float: How many of the printed numbers hold, from 0 to 1; NaN where there are none."""
        return 1 - len(self.failing) / len(self.rows) if self.rows else math.nan

    def columns(self) -> Mapping[str, Any]:
        """One row for each printed number."""
        names = ("where", "what", "printed", "ours", "difference", "tolerance", "holds", "note")
        return {name: [getattr(row, name) for row in self.rows] for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return the facts, and one row for each printed number.

        Returns
        -------
        dict
        """
        return super().to_dict() | {"rows": rows(self.columns())}

    def cited(self) -> tuple[str, ...]:
        return (self.paper,)


def reproduction(paper: str) -> Any:
    """Return the function that redoes a paper, by its key; without one, the error names the papers there are."""
    if paper not in PAPERS:
        near = difflib.get_close_matches(paper, PAPERS, 1, 0.4)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise CallError(f"{paper!r} cannot be reproduced here.{hint}", Advice(f"There are: {', '.join(PAPERS)}."))
    module, _, function = PAPERS[paper].partition(":")
    return getattr(importlib.import_module(f"{__package__}.{module}"), function)


def reproduce(
    paper: str,
    data: Path | str,
    *,
    out: Path | str | None = None,
    rng: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Replication:
    """Which of the numbers that a paper prints hold when they are computed again, from its data?

    Parameters
    ----------
    paper : str
        A key such as "urbano2016"; `tauscope.replications.PAPERS` lists them.
    data : path
        The folder with the paper's data, which are not part of Tauscope.
    out : path or None
        A folder for tables and figures; None writes nothing.
    rng : int
        The seed of what is drawn.
    progress : callable or None
        Called with (done, total).
    **options
        What the paper's own function takes besides, such as `draws`.

    Returns
    -------
    Replication

    Raises
    ------
    FileError
        If the folder, or a file in it, is not there.

    Examples
    --------
    >>> from tauscope.experiments import reproduce
    >>> reproduce("gao2015", "trec-data")  # doctest: +SKIP
    """
    function = reproduction(paper)
    known = options_of(paper)
    if unknown := sorted(set(options) - known):
        takes = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
        raise CallError(f"The replication of {paper} has no option {unknown[0]!r}; {takes}.")
    folder = Path(data)
    if not folder.is_dir():
        raise FileError(f"{folder}: it is no folder.", Advice(f"Give the one with the data of {paper}."))
    target = None if out is None else Path(out)
    if target is not None:
        target.mkdir(parents=True, exist_ok=True)
    result: Replication = function(folder, out=target, rng=rng, progress=progress, **options)
    return result


def options_of(paper: str) -> set[str]:
    """Return the options of a paper: what its function takes besides what all take."""
    return set(inspect.signature(reproduction(paper)).parameters) - {"data", "out", "rng", "progress"}


def printed_numbers(paper: str) -> list[dict[str, str]]:
    """Read the printed numbers of a paper, by its key: the rows of the CSV file beside its module."""
    text = resources.files(__package__).joinpath(f"{paper}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def data_file(folder: Path, name: str, *below: str) -> Path:
    """Find a file of the data of a paper.

    Parameters
    ----------
    folder : Path
        The folder with the data.
    name : str
        The file.
    *below : str
        Folders in it in which the file can be, too.

    Returns
    -------
    Path

    Raises
    ------
    FileError
        If it is in none of these places.
    """
    places = [folder / name, *(folder / part / name for part in below)]
    for place in places:
        if place.is_file():
            return place
    raise FileError(f"{places[0]}: it is not there{' nor in ' + ' or '.join(below) + ' below' if below else ''}.")


def with_comparison(result: Replication, out: Path | None) -> Replication:
    """Write the table of a replication, comparison.csv, beside its other files.

    Parameters
    ----------
    result : Replication
        The replication.
    out : Path or None
        The folder; None writes nothing.

    Returns
    -------
    Replication
        With the table among the files written.
    """
    if out is None:
        return result
    table = write_columns(result.columns(), out / "comparison.csv")
    return replace(result, written=(*result.written, str(table)))


def drawn(result: Result, out: Path, names: Mapping[str, str]) -> Iterable[str]:
    """Save charts of a result.

    Parameters
    ----------
    result : Result
        The result.
    out : Path
        The folder.
    names : dict
        Key of the chart -> name of the file without its ending.

    Returns
    -------
    iterable of str
        Paths of the files.
    """
    return [saved(result.plot(kind=key), out / f"{name}.svg") for key, name in names.items()]


def saved(ax: Any, path: Path) -> str:
    """Save the figure of some axes and close it; return its path."""
    import matplotlib.pyplot as plt

    ax.figure.savefig(path)
    plt.close(ax.figure)
    return str(path)
