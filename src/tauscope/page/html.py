"""Sections as one HTML file that opens offline and under a policy that lets nothing else run.

The markup is in `templates/`. Scripts and style are allowed by their hashes; expressions of the charts are interpreted,
so there is no `eval`. Names from the user's files are escaped wherever they stand, and data are JSON that cannot end
its script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .chart_data import packed
from .parts import Name, Section, Sentence, readable
from .screens.parts import KEYS, Screen, Tile

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).with_name("templates")


def page(
    title: str,
    brief: Sentence,
    sections: Sequence[Section],
    *,
    screen: Screen | None = None,
    systems: Sequence[str] = (),
    script: str,
    foot: str,
) -> str:
    """The whole file; `script` draws the charts, and `systems` are those that charts and tables mark together."""
    from markupsafe import Markup

    style, *scripts = (_file("look.css"), script, _file("page.js"), _file("screen.js") + "firstScreen();\n")
    template = templates().get_template("page.html")
    return template.render(
        screen=screen,
        systems=list(systems),
        places=_places(systems),
        open_all=screen is None,
        title=Name(title, 120),
        brief=brief,
        sections=sections,
        foot=foot,
        policy=Markup(policy(scripts, style)),
        style=Markup(style),
        scripts=[Markup(text) for text in scripts],
    )


def fragment(screen: Screen) -> str:
    """A first screen alone, for a page that has its own frame. `look.css` and `screen.js`, which that page calls, belong to it."""
    template = templates().get_template("screen.html")
    return template.render(screen=screen, places=_places(screen.systems))


def tile_alone(tile: Tile) -> str:
    """One more tile for a first screen that is shown already."""
    own = templates()
    return own.get_template("tile.html").render(tile=tile, say=own.get_template("words.html").module)


def _places(systems: Sequence[str]) -> dict[str, int]:
    return {system: place for place, system in enumerate(systems)}


@cache
def templates() -> Environment:
    """The templates of the page. Whatever they print is escaped; a name that nobody set is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Autoescape alone leaves carriage returns and the like, which a parser would change.
        finalize=lambda value: value if hasattr(value, "__html__") else Markup(escape(str(value))),
    )
    made.filters.update(packed=packed, json=lambda value: Markup(as_json(value)), short=readable, decimals=_decimals)
    made.globals["move_keys"] = KEYS
    made.tests["name"] = lambda part: isinstance(part, Name)
    return made


def _decimals(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:,.{digits}f}"  # no -0.0


def escape(text: str) -> str:
    """Text that is only text: no markup, no quotes, nothing that a parser would change (returns, NUL, surrogates)."""
    escaped = html.escape(text, quote=True).replace("\r", "&#13;").replace("\x00", "\ufffd")
    return escaped.encode("utf-8", "replace").decode("utf-8")


def as_json(value: Any) -> str:
    """JSON that may stand in a script: no character that ends it or that a parser would take for a line break."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def policy(scripts: Iterable[str], style: str) -> str:
    """What the page may do: run these scripts, look like this, and nothing else."""
    allowed = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _file(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
