"""Cells that workers of a cluster import: in a file of its own, because the tests are no package."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


def work(place: int, poison: int) -> int:
    """Kills its worker at `poison`."""
    if place == poison:
        os.kill(os.getpid(), signal.SIGKILL)
    return place


def slow(place: int, mark: str) -> int:
    """Leaves a mark that it has begun."""
    Path(mark).touch()
    time.sleep(0.2)
    return place
