"""An answer as one HTML file that opens offline: no script at all, and a policy that allows none."""

from __future__ import annotations

import base64
import hashlib
import re

from markupsafe import Markup

from ..answers.blocks import Answer
from ..answers.charts import Figure
from . import cells, svg
from .page import TEMPLATES, templates

#: Widths in pixels of the main chart beside the numbers, of a chart on its own, and of one in a tile.
BESIDE, ALONE, TILE = 640, 760, 330
#: From this height on, claims stand beside the main chart instead of below it.
TALL = 720


def render(answer: Answer) -> str:
    """Return the whole page."""
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return _fill("page.html", answer, style=Markup(style), policy=Markup(policy))


def fragment(answer: Answer) -> str:
    """Return the first screen without its frame, for the app and for notebooks."""
    return _fill("answer.html", answer)


def notebook(answer: Answer) -> str:
    """Return the first screen with a style of its own that takes ink and paper from the notebook, light or dark."""
    shades = {"soft": 75, "line": 25, "rest": 25, "band": 8}
    own = "--ink: currentColor; --link: currentColor; --paper: transparent; color: inherit;"
    own += "".join(
        f" --{name}: color-mix(in srgb, currentColor {share}%, transparent);" for name, share in shades.items()
    )
    nested = _style().replace(":root", "&").replace("body {", ".nothing {")
    style = f"<style>.tauscope {{ {nested} & {{ {own} }} }}</style>"
    return f"<div class='tauscope'>{style}{fragment(answer)}</div>"


def _style() -> str:
    return "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in ("charts.css", "page.css"))


def _fill(name: str, answer: Answer, **known: object) -> str:
    def draw(figure: Figure, width: int) -> Markup:
        return Markup(svg.draw(figure, width))

    main = draw(answer.charts[0].figure, BESIDE)
    height = int(re.findall(r'height="(\d+)"', main)[0])
    known |= {"main": main, "tall": height > TALL, "ALONE": ALONE, "TILE": TILE}
    return templates().get_template(name).render(answer=answer, draw=draw, cells=cells, **known)
