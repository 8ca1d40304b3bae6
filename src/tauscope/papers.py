"""The papers behind the numbers: one bibliography, `papers.bib`, that code, docs, reports and commands cite by key."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from .core import checking
from .errors import CallError

_ACCENTS = {r"{\'a}": "á", r"{\'o}": "ó", r"{\'e}": "é", r"{\"o}": "ö", r"{\"a}": "ä"}


@cache
def bibliography() -> dict[str, dict[str, str]]:
    """Key -> fields, with the BibTeX entry itself under `bibtex`."""
    entries: dict[str, dict[str, str]] = {}
    for line in Path(__file__).with_name("papers.bib").read_text(encoding="utf-8").splitlines():
        head = re.match(r"@(\w+)\{(\w+),", line)
        if not head:
            continue
        readable = line
        for latex, letter in _ACCENTS.items():
            readable = readable.replace(latex, letter)
        fields = dict(re.findall(r"(\w+)=\{([^{}]*)\}", readable))
        entries[head[2]] = {"type": head[1], **fields, "bibtex": line}
    return entries


def entry(key: str) -> dict[str, str]:
    """The fields of one paper."""
    try:
        return bibliography()[key]
    except KeyError:
        raise CallError(f"No paper has the key {key!r}; `tauscope.papers.bibliography()` lists them.") from None


def reference(key: str) -> str:
    """One line for a list of references."""
    e = entry(key)
    where = e.get("journal") or e.get("booktitle") or e.get("school") or e.get("publisher") or e.get("howpublished", "")
    volume = f" {e['volume']}" if "volume" in e else ""
    pages = f", {e['pages'].replace('--', '–')}" if "pages" in e else ""
    parts = (f"{e['author'].replace(' and ', ', ')} ({e['year']})", e["title"], f"{where}{volume}{pages}")
    return f"{'. '.join(parts)}."


def short(key: str, *, brackets: bool = True) -> str:
    """As in running text: Kendall (1938), Gao and Oard (2015), Yilmaz et al. (2008); without brackets Kendall 1938."""
    e = entry(key)
    names = [author.split()[-1] for author in e["author"].split(" and ")]
    shown = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{shown} ({e['year']})" if brackets else f"{shown} {e['year']}"


def cite(keys: Iterable[str], style: str = "text") -> str:
    """References of several papers, `style` "text" or "bibtex"."""
    checking.one_of(style, ("text", "bibtex"), "style")
    unique = list(dict.fromkeys(keys))
    return "\n".join(entry(key)["bibtex"] if style == "bibtex" else reference(key) for key in unique)
