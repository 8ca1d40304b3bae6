"""Sections as one HTML file that opens offline and under a policy that lets nothing else run.

Scripts and style are allowed by their hashes; expressions of the charts are interpreted, so there is no `eval`. Names from
the user's files are escaped where they are text, and data are JSON that cannot end its script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..results import plain
from .parts import Column, Figure, Name, Part, Section, Sentence, Table, specification

#: Significant digits of numbers in charts.
DIGITS = 5


def page(title: str, brief: Sentence, sections: Iterable[Section], script: str, foot: str) -> str:
    """The whole file."""
    parts = list(sections)
    style, code = _file("look.css"), _file("page.js")
    contents = "".join(f'<li><a href="#{s.id}">{_words(s.heading)}</a></li>' for s in parts)
    body = "\n".join(_section(section) for section in parts)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy((script, code), style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{escape(str(Name(title, 120)))}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the answers</a>
<header>
<h1>{_words((Name(title, 120),))}</h1>
<p class="brief">{_words(brief)}</p>
</header>
<nav aria-label="Contents"><strong>Contents</strong><ol>{contents}</ol></nav>
<main id="main">
<noscript><p>Charts are drawn by the script in this file, which your browser does not run. All numbers are in the tables.</p></noscript>
{body}
</main>
<footer>{escape(foot)}</footer>
<div id="tip" role="status" hidden></div>
<script>{script}</script>
<script>{code}</script>
</body>
</html>
"""


def escape(text: str) -> str:
    """Text that is only text: markup, quotes, and what a parser would change (a carriage return, NUL, lone surrogates)."""
    escaped = html.escape(text, quote=True).replace("\r", "&#13;").replace("\x00", "\ufffd")
    return escaped.encode("utf-8", "replace").decode("utf-8")


def as_json(value: Any) -> str:
    """JSON that may stand in a script: no character that ends it or that a parser would take for a line break."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _policy(scripts: Iterable[str], style: str) -> str:
    allowed = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _part(part: Part) -> str:
    return f'<bdi class="name">{escape(str(part))}</bdi>' if isinstance(part, Name) else escape(part)


def _words(sentence: Sentence) -> str:
    return "".join(_part(part) for part in sentence)


def _section(section: Section) -> str:
    first, *rest = section.words
    words = f'<p class="lead">{_words(first)}</p>' + "".join(f"<p>{_words(sentence)}</p>" for sentence in rest)
    figures = "".join(_figure(section, figure) for figure in section.figures)
    tables = "".join(_table(section, table) for table in section.tables)
    code = "".join(
        f"<details{' open' if title == 'Command' else ''}><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"
        for title, text in section.code
    )
    heading = f'<h2 id="{section.id}-heading">{_words(section.heading)}</h2>'
    return f'<section id="{section.id}" aria-labelledby="{section.id}-heading">\n{heading}\n{words}\n{figures}\n{tables}{code}</section>'


def _table(section: Section, table: Table) -> str:
    own, table = f"{section.id}-{table.id}", table.without_empty()
    head = "".join(
        f'<th scope="col"{_class(c)}>{escape(c.title.text if isinstance(c.title, Name) else c.title)}</th>'
        for c in table.columns
    )
    body = "\n".join(
        "<tr>" + "".join(_cell(column, value) for column, value in zip(table.columns, row, strict=True)) + "</tr>"
        for row in table.rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{own}-caption">\n'
        f'<table id="{own}" data-shown="{table.shown}"><caption id="{own}-caption">{_words(table.caption)}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>\n"
        f'<div class="tools" id="{own}-tools"></div>\n'
    )


def _class(column: Column) -> str:
    return ' class="number"' if column.kind in ("number", "whole") else ""


def _cell(column: Column, value: Any) -> str:
    if column.kind in ("number", "whole"):
        known = value is not None and not math.isnan(float(value))
        # The value itself is there for sorting and for the CSV; what is read has fewer digits.
        data = f' data-value="{float(value):.10g}"' if known else ""
        return f'<td class="number"{data}>{escape(column.shown(value))}</td>'
    if column.kind == "name":
        return f'<td class="name"><bdi>{escape(str(value))}</bdi></td>'
    return f"<td>{escape(column.shown(value))}</td>"


def _figure(section: Section, figure: Figure) -> str:
    own = f"{section.id}-{figure.id}"
    return (
        f'<figure id="{own}-figure" data-name="{own}"><figcaption id="{own}-words">{_words(figure.caption)}</figcaption>'
        f'<div class="chart"></div><div class="tools"></div>'
        f'<script type="application/json" id="{own}-data">{as_json(packed(figure.chart))}</script></figure>\n'
    )


def packed(chart: Any) -> dict[str, Any]:
    """The specification of a chart, its data apart, column by column and each text once: a quarter of the size."""
    spec = specification(chart)
    spec.pop("$schema", None)
    apart: dict[str, Any] = {}
    _set_apart(spec, apart, spec.pop("datasets", {}))
    return {**spec, "background": None, "datasets": apart}


def _set_apart(node: Any, apart: dict[str, Any], named: dict[str, Any]) -> None:
    """Moves every inline table of a specification into `apart`; layers that share one share it still."""
    if isinstance(node, list):
        for item in node:
            _set_apart(item, apart, named)
        return
    if not isinstance(node, dict):
        return
    data = node.get("data")
    if isinstance(data, dict) and ("values" in data or data.get("name") in named):
        table = _columns(data["values"] if "values" in data else named[data["name"]])
        name = next((name for name, other in apart.items() if other == table), f"table{len(apart)}")
        apart[name] = table
        node["data"] = {"name": name}
    for key, item in node.items():
        if key != "data":
            _set_apart(item, apart, named)


def _columns(rows: list[dict[str, Any]]) -> dict[str, Any]:
    keys = list(rows[0]) if rows else []
    columns: list[Any] = []
    for key in keys:
        values = [_short(row[key]) for row in rows]
        if values and all(isinstance(value, str) for value in values):
            texts = list(dict.fromkeys(values))
            place = {text: i for i, text in enumerate(texts)}
            columns.append({"texts": texts, "at": [place[value] for value in values]})
        else:
            columns.append(values)
    return {"keys": keys, "columns": columns}


def _short(value: Any) -> Any:
    """Numbers in charts need no more digits than eyes have."""
    if isinstance(value, float):
        rounded = float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
        return int(rounded) if rounded is not None and rounded.is_integer() and abs(rounded) < 1e9 else rounded
    return plain(value)
