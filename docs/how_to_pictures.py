"""The pictures of the how-tos about boards: the code of a page is run, and what it made is drawn.

    python docs/how_to_pictures.py

Run it when a chart, or what such a page shows, has changed, and look at the pictures.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: Picture -> the page, and what of it is drawn.
PICTURES = {
    "board-ranks": ("ranks-for-my-leaderboard", "ranks"),
    "arena-strengths": ("people-and-a-judge-in-an-arena", "strengths"),
    "gate-versions": ("gate-a-leaderboard-in-ci", "versions"),
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


def main() -> None:
    home = Path.cwd()
    for picture, (page, result) in PICTURES.items():
        source, target = (HERE / "how-to" / f"{page}.md").resolve(), (HERE / "pictures" / f"{picture}.png").resolve()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            drawn = names_of(source)[result].plot()
            if hasattr(drawn, "figure"):
                drawn.figure.savefig(target, dpi=250)
            else:
                drawn.save(str(target), scale_factor=2.5)
            os.chdir(home)
        print(target)


if __name__ == "__main__":
    main()
