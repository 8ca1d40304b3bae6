"""Answers as one HTML file that opens offline: one small script, and a policy that allows no other."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from markupsafe import Markup

from ..answers.blocks import Answer, Table
from ..answers.charts import Figure
from ..answers.wording import number
from ..results import plain
from . import cells, svg
from .page import TEMPLATES, templates

#: Widths in pixels of the main chart beside the numbers, and of a chart on its own.
BESIDE, ALONE = 640, 760
#: Characters of a chart up to which a page has it for phones too.
MOST_TWICE = 40_000
#: From this height on, claims stand beside the main chart instead of below it.
TALL = 720
#: Rows of a table that a page shows.
MOST_ROWS = 1000


class _Part(NamedTuple):
    answer: Answer
    screen: Markup
    details: Markup


def render(answer: Answer) -> str:
    """Return one answer as a page."""
    return page([answer])


def page(answers: Sequence[Answer], title: str = "") -> str:
    """Return answers as one page: the first as its first screen, the others folded below it."""
    look, work = style(), script()
    policy = (
        f"default-src 'none'; style-src '{_digest(look)}'; script-src '{_digest(work)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    parts = [_Part(one, Markup(fragment(one)), Markup(details(one))) for one in answers]
    shown = title or f"{answers[0].question} {answers[0].verdict.label}"
    known = {"title": shown, "style": Markup(look), "script": Markup(work), "policy": Markup(policy), "parts": parts}
    return templates().get_template("page.html").render(**known)


def fragment(answer: Answer) -> str:
    """Return the first screen of an answer without its frame, for the app and for notebooks."""
    return _fill("answer.html", answer)


def details(answer: Answer) -> str:
    """Return what is folded below the first screen: further charts, tables, methods and references."""
    return _fill("details.html", answer)


def table(own: Table) -> str:
    """Return one table."""
    return templates().get_template("table.html").render(table=own, cells=cells, MOST_ROWS=MOST_ROWS)


def notebook(answer: Answer) -> str:
    """Return the first screen with a style of its own that takes ink and paper from the notebook, light or dark."""
    shades = {"soft": 75, "line": 25, "rest": 25, "band": 8}
    own = "--ink: currentColor; --link: currentColor; --paper: transparent; color: inherit;"
    own += "".join(
        f" --{name}: color-mix(in srgb, currentColor {share}%, transparent);" for name, share in shades.items()
    )
    nested = style().replace(":root", "&").replace("body {", ".nothing {")
    return f"<div class='tauscope'><style>.tauscope {{ {nested} & {{ {own} }} }}</style>{fragment(answer)}</div>"


def style() -> str:
    """Return the style sheet of answers."""
    return "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in ("charts.css", "page.css"))


def script() -> str:
    """Return the script that searches and sorts tables, and links names."""
    return (TEMPLATES / "answer.js").read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _fill(name: str, answer: Answer) -> str:
    def draw(figure: Figure, width: int) -> Markup:
        """Draw a chart; one that is wider than a phone is drawn twice, and the style sheet shows one of them."""
        wide = svg.draw(figure, width)
        if width <= svg.NARROW or len(wide) > MOST_TWICE:
            return Markup(wide)
        return Markup(f'<div class="wide">{wide}</div><div class="narrow">{svg.draw(figure, svg.NARROW)}</div>')

    main = draw(answer.charts[0].figure, BESIDE) if answer.charts else Markup("")
    height = max((int(found) for found in re.findall(r'<svg[^>]* height="(\d+)"', main)), default=0)
    known = {"main": main, "tall": height > TALL, "ALONE": ALONE, "TILE": svg.TILE, "MOST_ROWS": MOST_ROWS}
    return templates().get_template(name).render(answer=answer, draw=draw, cells=cells, **known)


#: Rows and columns of a table that a notebook shows; the others are counted.
_ROWS, _COLUMNS = 20, 12
_FAINT = "opacity:.75"


def listing(lines: Sequence[str], columns: Mapping[str, Any]) -> str:
    """Return lines and the start of a table, for a notebook; every text is escaped, numbers stand to the right."""
    shown = dict(islice(columns.items(), _COLUMNS))
    size = max((len(values) for values in columns.values()), default=0)
    values = [plain(list(islice(own, _ROWS)), undefined=math.nan) for own in shown.values()]
    left = [
        f"{more:,} more {what}{'s' * (more > 1)}"
        for more, what in ((size - _ROWS, "row"), (len(columns) - len(shown), "column"))
        if more > 0
    ]
    known = {"lines": lines, "names": list(shown), "rows": list(zip_longest(*values)), "left": " and ".join(left)}
    return templates().get_template("listing.html").render(cell=_cell, faint=_FAINT, **known)


def _cell(value: Any) -> tuple[str, str]:
    """Return how a plain value is aligned and written: undefined numbers as a dash, tiny ones with an exponent."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "left", "" if value is None else str(value)
    tiny = isinstance(value, float) and 0 < abs(value) < 0.00005
    text = number(value, 4) if isinstance(value, float) else str(value)
    return "right", "–" if value != value else f"{value:.1e}" if tiny else text
