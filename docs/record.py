"""Rewrites the output blocks of the documentation with what their commands print now, so that the diff can be read.

    python docs/record.py [PAGE …]

Pages are those of docs/ and README.md; blocks are run as the tests run them (`blocks.py`). A block whose output agrees
but for white space at the ends of lines is left alone.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import blocks

ROOT = Path(__file__).resolve().parent.parent


def lines_of(text: str) -> list[str]:
    """The lines as the tests compare them."""
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def record(page: Path) -> int:
    """Rewrite one page, and return the number of blocks that changed."""
    text, changed, start = page.read_text(encoding="utf-8"), 0, os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            done = list(blocks.run(page, Path(folder)))
        finally:
            os.chdir(start)
    for one in done:
        if one.shown is not None and lines_of(one.printed) != lines_of(one.shown):
            new = "".join(f"{line}\n" for line in lines_of(one.printed))
            at = sum(len(line) for line in text.splitlines(keepends=True)[: one.line - 1])
            place = text.index(f"```text\n{one.shown}```", at)
            end = place + len(f"```text\n{one.shown}```")
            text, changed = f"{text[:place]}```text\n{new}```{text[end:]}", changed + 1
    if changed:
        page.write_text(text, encoding="utf-8")
    return changed


def main() -> None:
    pages = [Path(page).resolve() for page in sys.argv[1:]]
    for page in pages or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if "generated" not in page.parts and (changed := record(page)):
            print(f"{page.relative_to(ROOT)}: {changed} blocks")


if __name__ == "__main__":
    main()
