"""What does the page cost: seconds, memory and megabytes, and how soon is its first chart drawn?"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import Figures

MEASURE = """
import resource, sys
from tauscope.cli import main
code = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
print("used", used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)
sys.exit(code)
"""


def matrix(file: Path, systems: int, topics: int = 50, seed: int = 8) -> Path:
    """Scores like those of average precision."""
    rng = np.random.default_rng(seed)
    logits = (
        rng.normal(-1.4, 1.1, (topics, 1))
        + np.sort(rng.normal(0, 0.5, systems))
        + rng.normal(0, 0.6, (topics, systems))
    )
    rows = [f"t{t}," + ",".join(f"{v:.4f}" for v in row) for t, row in enumerate(1 / (1 + np.exp(-logits)))]
    file.write_text(
        "topic," + ",".join(f"s{i}" for i in range(systems)) + "\n" + "\n".join(rows) + "\n", encoding="utf-8"
    )
    return file


def measure(arguments: list[str], cache: Path, repeat: int = 3) -> tuple[float, float, float]:
    """(seconds, CPU seconds, megabytes) of one command in a fresh interpreter, best of `repeat`."""
    found = []
    for _ in range(repeat):
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, *arguments],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        )
        spent, peak = map(float, done.stderr.split()[-2:])
        found.append((time.perf_counter() - start, spent, peak))
    return min(found)


def first_chart(page: Path) -> float | None:
    """Milliseconds from opening the page to its first chart; None without a browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"]
        )
        times = []
        for _ in range(3):
            tab = browser.new_page()
            tab.goto(page.as_uri())
            tab.wait_for_selector("body[data-drawn=all]", timeout=120_000)
            times.append(float(tab.evaluate("performance.getEntriesByName('first chart')[0].duration")))
        browser.close()
    return min(times)


def main() -> None:
    figures = Figures("tauscope report, end to end in a fresh interpreter, best of 3")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, other, board = (matrix(folder / f"{k}.csv", m, seed=k) for k, m in ((1, 129), (2, 129), (3, 1000)))
        wide, long, truth = (
            matrix(folder / f"{k}.csv", m, n, seed=k) for k, m, n in ((4, 1000, 200), (5, 300, 800), (6, 300, 800))
        )
        cases = {
            "129 x 50, script not yet kept": ([str(small)], "<= 5", 1),
            "129 x 50": ([str(small)], "<= 5", 3),
            "129 x 50 against another": ([str(small), "--truth", str(other)], "", 3),
            "leaderboard, 1,000 x 50": ([str(board), "--leaderboard"], "<= 10", 2),
            "leaderboard, 1,000 x 200": ([str(wide), "--leaderboard"], "<= 10", 1),
            "large: 300 x 800 against another": ([str(long), "--truth", str(truth)], "<= 20", 1),
        }
        for what, (arguments, goal, repeat) in cases.items():
            page = folder / "page.html"
            seconds, spent, peak = measure(["report", *arguments, "-o", str(page)], folder / "cache", repeat)
            large = what.startswith(("leaderboard", "large"))
            figures.add(what, seconds, "s", goal)
            figures.add(f"{what}: CPU", spent, "s")  # on a busy machine the one to look at
            figures.add(f"{what}: memory", peak, "MB", "" if large else "<= 500")
            figures.add(f"{what}: size", page.stat().st_size / 1e6, "MB", "<= 3" if large else "<= 1.5")
            drawn = first_chart(page) if repeat > 1 else None
            if drawn is not None:
                figures.add(f"{what}: first chart after", drawn, "ms", "<= 1000")
    figures.finish()


if __name__ == "__main__":
    main()
