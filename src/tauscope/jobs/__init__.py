"""One machinery for every long run: cells, seeds, workers of any kind, checkpoints, retries, progress."""

from __future__ import annotations

from ..core.checking import Progress
from .cells import Outcome, run_cells
from .executors import Pool, cluster, processes, threads

__all__ = ["Outcome", "Pool", "Progress", "cluster", "processes", "run_cells", "threads"]
