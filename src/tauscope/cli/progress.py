"""Progress bars: on standard error, only where a person is watching, and only if it takes a while."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

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
