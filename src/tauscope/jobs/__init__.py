"""One machinery for every long run: cells, seeds, workers of any kind, checkpoints, retries, progress."""

from __future__ import annotations

from .pools import Pool, cluster, processes, threads
from .running import Outcome, Progress, run_cells

__all__ = ["Outcome", "Pool", "Progress", "cluster", "processes", "run_cells", "threads"]
