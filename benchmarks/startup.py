"""What does starting cost? `import tauscope` and `tauscope correlate`, against `import numpy` in a new interpreter."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import Figures


def seconds(command: list[str], repeat: int = 15) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    figures = Figures("Starting up, best of 15 fresh interpreters")
    bare = seconds([sys.executable, "-c", "pass"])
    numpy = seconds([sys.executable, "-c", "import numpy"])
    ours = seconds([sys.executable, "-c", "import tauscope, numpy"])
    used = seconds([sys.executable, "-c", "import tauscope; tauscope.tau_b([1, 2, 3], [1, 3, 2])"])
    figures.add("python -c pass", bare * 1e3, "ms")
    figures.add("import numpy", numpy * 1e3, "ms")
    figures.add("import tauscope over import numpy", (ours - numpy) * 1e3, "ms", "<= 30")
    figures.add("import and use tau_b over import numpy", (used - numpy) * 1e3, "ms")
    rng = np.random.default_rng(8)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("a.csv", "b.csv")]
        for path in paths:
            lines = [f"run{i},{score:.4f}" for i, score in enumerate(rng.random(100))]
            path.write_text("system,score\n" + "\n".join(lines) + "\n", encoding="utf-8")
        cli = seconds([sys.executable, "-m", "tauscope", "correlate", *map(str, paths)])
    figures.add("tauscope correlate A B / python -c 'import numpy'", cli / numpy, "x", "<= 2.5")
    figures.finish()


if __name__ == "__main__":
    main()
