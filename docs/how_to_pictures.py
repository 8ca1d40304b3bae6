"""The stored pictures: charts of how-tos, whose code is run, and screenshots of the report page and of the app.

    python docs/how_to_pictures.py

Run it when a chart, the page or the app has changed, and look at the pictures. Screenshots need Chromium.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: Picture -> the page, and what of it is drawn.
PICTURES = {
    "board-ranks": ("ranks-for-my-leaderboard", "ranks"),
    "arena-strengths": ("people-and-a-judge-in-an-arena", "strengths"),
    "gate-versions": ("gate-a-leaderboard-in-ci", "changes"),
}
#: What a page runs unseen, or shows as Python.
CODE = re.compile(r"^<!-- setup\n(.*?)^-->|^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def names_of(page: Path) -> dict[str, Any]:
    """What there is after the code of a page was run."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for unseen, shown in CODE.findall(page.read_text(encoding="utf-8")):
            exec(unseen or shown, names)
    return names


def charts() -> None:
    home = Path.cwd()
    for picture, (page, result) in PICTURES.items():
        source, target = (HERE / "how-to" / f"{page}.md").resolve(), (HERE / "pictures" / f"{picture}.png").resolve()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            names_of(source)[result].plot().figure.savefig(target, dpi=250)
            os.chdir(home)
        print(target)


def screenshots() -> None:
    from playwright.sync_api import sync_playwright

    import tauscope

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        place = Path(folder)
        demo = tauscope.demo()
        human, machine = place / "human.csv", place / "machine.csv"
        for path, qrels in ((human, demo.qrels), (machine, demo.judge_qrels)):
            tauscope.evaluate(demo.runs, qrels, ["AP"])["AP"].write(path, layout="wide")
        tauscope.report(machine, truth=human).write(place / "judge.html")
        tauscope.report(human).write(place / "board.html")
        chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1100, "height": 800}, device_scale_factor=1.5)
        for name in ("judge", "board"):
            tab.goto((place / f"{name}.html").as_uri())
            tab.screenshot(path=HERE / "pictures" / f"page-{name}.png")
        app = subprocess.Popen(
            [sys.executable, "-m", "tauscope", "serve", human, machine, "--no-browser"],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            address = next(found[0] for line in app.stdout or () if (found := re.search(r"http://\S+", line)))
            tab.goto(address)
            tab.wait_for_selector("body[data-ready]", timeout=120_000)
            tab.screenshot(path=HERE / "pictures" / "app.png")
        finally:
            app.terminate()
            browser.close()


if __name__ == "__main__":
    charts()
    screenshots()
