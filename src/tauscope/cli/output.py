"""How commands print: a table for people, JSON or CSV for programs, and a progress bar where a person is watching."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..results import plain


def show_json(data: Any) -> None:
    """Print one JSON document; undefined numbers are null."""
    json.dump(plain(data), sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def show_csv(columns: Mapping[str, Sequence[Any]]) -> None:
    """Print a CSV table; undefined numbers are empty.

    Names stay as they are in a file. On a terminal, which would obey control characters, these are replaced, and a
    spreadsheet must not run a name as a formula.

    Parameters
    ----------
    columns : mapping
        The cells of each column by its name.
    """
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    rows = zip(*(plain(list(values)) for values in columns.values()), strict=True)
    # A file keeps names as they are; a terminal would obey them.
    shown = printable if sys.stdout.isatty() else str
    writer.writerows([shown(v) if isinstance(v := safe(value), str) else v for value in row] for row in rows)


def show_latex(columns: Mapping[str, Sequence[Any]]) -> None:
    """Print a table for a paper, with booktabs; undefined numbers are empty."""
    from ..answers.plain import table_of
    from ..render import latex

    print(latex.table(table_of({name: plain(list(values)) for name, values in columns.items()})))


def safe(value: Any) -> Any:
    """Return a cell that a spreadsheet will not run: names come from strangers.

    Examples
    --------
    >>> safe("=1+1"), safe("bm25"), safe(None)
    ("'=1+1", 'bm25', '')
    """
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return "" if value is None else value


def printable(text: str) -> str:
    r"""Return one line without control characters: a name must not drive the terminal, nor look like a line of its own.

    Examples
    --------
    >>> printable("a\tb")
    'a�b'
    """
    return "".join(c if c.isprintable() else "�" for c in text)


def show(*lines: str) -> None:
    """Print lines of text for people, one each."""
    for line in lines:
        print(printable(line))


#: Work that is done by then shows nothing, and does not pay for the import of the bar.
PATIENCE = 1.0


class _Bar:
    """A bar that appears by itself when time is up, and then shows what was reported last.

    Parameters
    ----------
    text : str
        What is being done.
    """

    def __init__(self, text: str) -> None:
        self.text, self.last = text, (0, 0)
        self.bar: Any = None
        self.task: Any = None
        self.over = False
        self.lock = threading.Lock()
        self.timer = threading.Timer(PATIENCE, self.start)
        self.timer.daemon = True
        self.timer.start()

    def start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        with self.lock:
            if self.over:
                return
            counted = self.last[1] > 0
            # Work that reports no steps gets a bar that moves, without numbers that would mean nothing.
            numbers = (MofNCompleteColumn(), TimeRemainingColumn()) if counted else ()
            columns = (TextColumn("{task.description}"), BarColumn(), *numbers)
            self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self.task = self.bar.add_task(self.text, total=self.last[1] or None, completed=self.last[0])
            self.bar.start()

    def report(self, done: int, total: int) -> None:
        with self.lock:
            self.last = (done, total)
            if self.bar is not None:
                self.bar.update(self.task, completed=done, total=total)

    def stop(self) -> None:
        self.timer.cancel()
        with self.lock:
            self.over = True
            if self.bar is not None:
                self.bar.stop()


@contextmanager
def progress(text: str) -> Iterator[Callable[[int, int], None]]:
    """Show the progress of long work on a terminal.

    A bar appears after a second on standard error, if a person is watching: with the time left if steps were reported,
    otherwise one that only moves.

    Parameters
    ----------
    text : str
        What is being done.

    Yields
    ------
    callable
        Takes the number of steps that are done and of all steps.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    bar = _Bar(text)
    try:
        yield bar.report
    finally:
        bar.stop()
