"""How long does reading a table take, against pandas' own reader?

A CSV file of 1,000 topics x 1,000 systems, wide and turned; both sides read the same bytes in turns. Seconds are those
of the processor, the best of several runs.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from timing import Figures, alternating

from tauscope.io.read import read_scores

SIZE = 1000


def make(folder: Path) -> dict[str, Path]:
    """The same scores with topics as rows and with systems as rows."""
    values = np.random.default_rng(1).random((SIZE, SIZE)).round(4)
    names = {"topic": ("wide", "run"), "model": ("turned", "q")}
    found = {}
    for first, (layout, start) in names.items():
        path = folder / f"{layout}.csv"
        frame = pd.DataFrame(values, columns=[f"{start}{i}" for i in range(SIZE)])
        frame.insert(0, first, [f"{'q' if layout == 'wide' else 'run'}{i}" for i in range(SIZE)])
        frame.to_csv(path, index=False)
        found[layout] = path
    return found


def main() -> None:
    """Both layouts, and the ratio to pandas."""
    figures = Figures("Reading a table: seconds, and against pandas.read_csv()")
    figures.peer("pandas")
    with tempfile.TemporaryDirectory() as name:
        for layout, path in make(Path(name)).items():
            assert read_scores(path).shape == (SIZE, SIZE)
            theirs, ours = alternating(partial(pd.read_csv, path, index_col=0), partial(read_scores, path), 5)
            figures.add(f"{layout}, {SIZE:,} x {SIZE:,}: ours", ours, "s")
            figures.add(f"{layout}, {SIZE:,} x {SIZE:,}: pandas", theirs, "s")
            figures.add(f"{layout}: ours over pandas", ours / theirs, "x", "at most 1.5")
    figures.finish()


if __name__ == "__main__":
    main()
