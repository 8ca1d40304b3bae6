"""Charts as data: what Vega-Lite reads, and the same in a quarter of the size for the page."""

from __future__ import annotations

import math
from typing import Any

from ..results import plain

#: Pixels between two numbers of an axis; nearer ones are left out.
APART = 6
#: Pixels of labels and titles of axes and legends.
LABELS = 12
#: Significant digits of numbers in charts.
DIGITS = 5


def specification(chart: Any) -> dict[str, Any]:
    """A chart as Vega-Lite has it, with room between the numbers of an axis."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    config = spec.setdefault("config", {})
    config["axisQuantitative"] = {"labelSeparation": APART, **config.get("axisQuantitative", {})}
    for part in ("axis", "legend", "header"):
        config[part] = {"labelFontSize": LABELS, "titleFontSize": LABELS, **config.get(part, {})}
    return spec


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
