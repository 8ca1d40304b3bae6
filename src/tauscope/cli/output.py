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
    """One JSON document on standard output; undefined numbers are null."""
    json.dump(plain(data), sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def show_csv(columns: Mapping[str, Sequence[Any]]) -> None:
    """A CSV table on standard output; undefined numbers are empty."""
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    rows = zip(*(plain(list(values)) for values in columns.values()), strict=True)
    # A file keeps names as they are; a terminal would obey them.
    shown = printable if sys.stdout.isatty() else str
    writer.writerows([shown(v) if isinstance(v := safe(value), str) else v for value in row] for row in rows)


def show_latex(columns: Mapping[str, Sequence[Any]]) -> None:
    """A table for a paper on standard output; undefined numbers are empty."""
    from ..answers.plain import table_of
    from ..render import latex

    print(latex.table(table_of({name: plain(list(values)) for name, values in columns.items()})))


def safe(value: Any) -> Any:
    """A cell that a spreadsheet will not run: names come from strangers."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return "" if value is None else value


def show_table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: str = "") -> None:
    """Aligned columns, the first row is the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        clean = [printable(cell) for cell in row]
        sized = enumerate(zip(clean, widths, strict=True))
        cells = [cell.rjust(width) if column in right else cell.ljust(width) for column, (cell, width) in sized]
        print(indent + "  ".join(cells).rstrip())


def printable(text: str) -> str:
    """One line without control characters: a name must not drive the terminal, nor look like a line of its own."""
    return "".join(c if c.isprintable() else "�" for c in text)


def show(*lines: str) -> None:
    """Lines of text for people, one each."""
    for line in lines:
        print(printable(line))


#: Work that is done by then shows nothing, and does not pay for the import of the bar.
PATIENCE = 1.0


class _Bar:
    """A bar that appears by itself when time is up, and then shows what was reported last."""

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
    """Gives a function `(done, total)` to call as the work goes on. After a second a bar appears on a terminal: with
    the time left where steps were reported, else one that only moves."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    bar = _Bar(text)
    try:
        yield bar.report
    finally:
        bar.stop()
