"""What the benchmarks share: the best of several repetitions, alternating pairs, and printing figures as ratios."""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any


def best(
    function: Callable[[], Any],
    repeat: int = 7,
    least: float = 0.05,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Seconds a call, best of `repeat`; short calls are repeated until a repetition lasts `least` seconds.

    With `clock=time.process_time` they are those of the processor, which hardly hang on what else the machine does.
    """
    function()
    number = 1
    while True:
        start = clock()
        for _ in range(number):
            function()
        elapsed = clock() - start
        if elapsed >= least or number >= 1_000_000:
            break
        number = max(number + 1, int(number * min(10.0, 1.3 * least / max(elapsed, 1e-9))))
    times = [elapsed / number]
    for _ in range(repeat - 1):
        start = clock()
        for _ in range(number):
            function()
        times.append((clock() - start) / number)
    return min(times)


def alternating(theirs: Callable[[], Any], ours: Callable[[], Any], repeat: int = 3) -> tuple[float, float]:
    """Seconds of processor time of a peer and of ours, all threads together, best of `repeat` pairs.

    The two take turns, so that a machine that is busy for a while is busy for both.
    """
    times: list[list[float]] = [[], []]
    for _ in range(repeat):
        for one, function in zip(times, (theirs, ours), strict=True):
            start = time.process_time()
            function()
            one.append(time.process_time() - start)
    return min(times[0]), min(times[1])


class Figures:
    """Collects named figures, prints each as it comes, and writes them as JSON where asked."""

    def __init__(self, title: str) -> None:
        import numpy

        import tauscope
        from tauscope.core import kernels

        self.data: dict[str, Any] = {
            "title": title,
            "python": platform.python_version(),
            "numpy": numpy.__version__,
            "tauscope": tauscope.__version__,
            "kernels": kernels.implementation(),
            "peers": {},
            "figures": {},
        }
        print(title)

    def peer(self, package: str) -> str:
        """The version of a peer that is measured here, printed and kept."""
        version = metadata.version(package)
        self.data["peers"][package] = version
        print(f"  peer: {package} {version}", flush=True)
        return version

    def add(self, name: str, value: float, unit: str = "", goal: str = "") -> None:
        self.data["figures"][name] = {"value": float(value), "unit": unit, "goal": goal}
        print(f"  {name:<62}{value:>12.4g} {unit:<4}{f'  goal {goal}' if goal else ''}", flush=True)

    def note(self, text: str) -> None:
        self.data.setdefault("notes", []).append(text)
        print(f"  {text}", flush=True)

    def finish(self) -> None:
        if "--json" in sys.argv[1:]:
            Path(sys.argv[sys.argv.index("--json") + 1]).write_text(
                json.dumps(self.data, indent=2) + "\n", encoding="utf-8"
            )
