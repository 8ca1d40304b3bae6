"""Every link between the pages that Sphinx built, and every relative link in the Markdown files at the root, must lead
somewhere. Prints the ones that do not; links to other sites are not followed."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.anchors.update(value for key in ("id", "name") if (value := found.get(key)))
        self.links += [value for key in ("href", "src") if (value := found.get(key))]


def dead(page: Path, links: list[str], pages: dict[Path, Page]) -> list[str]:
    """The links of one page that lead nowhere."""
    lost = []
    for link in links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        anchor = unquote(parts.fragment)
        if not file.exists() or (anchor and file in pages and anchor not in pages[file].anchors):
            lost.append(f"{page}: {link}")
    return lost


def main(html: Path) -> int:
    root = Path(__file__).resolve().parent.parent
    pages = {path.resolve(): Page(path) for path in html.rglob("*.html")}
    lost = [line for path, page in pages.items() for line in dead(path, page.links, pages)]
    markdown = sorted(root.glob("*.md"))
    for path in markdown:
        text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        lost += dead(path, re.findall(r"\]\(([^)\s]+)\)", text), {})
    if not pages:
        lost.append(f"{html}: no pages there; build the documentation first")
    print("\n".join(lost) if lost else f"{len(pages)} pages and {len(markdown)} files: all links between them resolve")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
