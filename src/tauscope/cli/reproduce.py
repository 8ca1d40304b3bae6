"""`tauscope reproduce`: redo what a paper prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from .. import papers
from ..errors import CallError
from ..names import literal
from ..replications import PAPERS
from ..replications.reproduce import Replication, options_of, reproduction
from ..replications.reproduce import reproduce as redo
from .options import Documents, Seed, Work
from .output import show, show_table
from .progress import progress


def reproduce(
    paper: str | None = None,
    /,
    *,
    data: Path | None = None,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    draws: int | None = None,
    option: Annotated[list[str] | None, Parameter(name=["--set"], negative=())] = None,
    seed: Seed = 0,
    work: Work = Work(),
    output: Documents = Documents(),
) -> int:
    """Which of the numbers that a paper prints hold?

    Without a paper: the list of those that can be redone. With --json or --csv: every printed number, ours beside it,
    and whether it holds.

    Example: `tauscope reproduce urbano2016 --data trec-data --draws 20`

    Parameters
    ----------
    paper
        Its key, such as urbano2016.
    data
        The folder with the paper's data. They are not part of Tauscope; the page of the replication says where they
        are.
    out
        A folder for the tables and figures.
    draws
        How many times to draw, where the paper draws. A run with --out that was stopped goes on with the same command.
    option
        An option of this paper's replication, such as --set sizes=10,50; may be given several times.
    """
    if paper is None:
        show(*(f"{key:<14}{papers.reference(key)}" for key in PAPERS))
        return 0
    reproduction(paper)  # an unknown paper is told first
    if data is None:
        raise CallError(f"--data asks for the folder with the data of {paper}.")
    options = _options(option or []) | ({} if draws is None else {"draws": draws})
    with _workers(paper, work) as shared, progress(f"redoing {paper}") as report:
        result = redo(paper, data, out=out, rng=seed, progress=report, **options, **shared)
    if not output.print(result):
        _print(result)
    return 0


@contextmanager
def _workers(paper: str, work: Work) -> Iterator[dict[str, Any]]:
    """The executor, for a paper whose replication can use one."""
    if "executor" not in options_of(paper):
        if work.asked:
            raise CallError(f"The replication of {paper} is done in this process: leave out --workers and --scheduler.")
        yield {}
        return
    with work.pool() as pool:
        yield {"executor": pool}


def _options(texts: list[str]) -> dict[str, Any]:
    """name=value pairs; values that look like numbers are."""
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise CallError(f"--set {text}: write a name and a value, such as --set draws=20.")
        found[name] = literal(value)
    return found


def _print(result: Replication) -> None:
    show(*result.lines())
    if table := result.details():
        show("")
        show_table(table, right=range(1, len(table[0])), indent="  ")
    show(*(f"written: {name}" for name in result.written))
