"""Charts of a page as files for papers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import CallError
from ..files.whole import write_bytes
from .chart_data import specification
from .parts import Section

FORMATS = ("pdf", "svg", "png")


def save_figures(sections: Sequence[Section], folder: Path, formats: Iterable[str]) -> list[Path]:
    """One file per chart and format; names are ours, so no name of the user's reaches the file system."""
    import vl_convert

    wanted = list(dict.fromkeys(part.strip().lower() for text in formats for part in text.split(",") if part.strip()))
    unknown = [name for name in wanted if name not in FORMATS]
    if unknown or not wanted:
        raise CallError(f"{(unknown or [''])[0]!r} is no format of figures; use {', '.join(FORMATS)}.")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for section in sections:
        for figure in section.figures:
            svg = vl_convert.vegalite_to_svg(specification(figure.chart))
            for kind in wanted:
                file = folder / f"{section.id}-{figure.id}.{kind}"
                if kind == "svg":
                    write_bytes(file, svg.encode("utf-8"))
                else:
                    made = vl_convert.svg_to_pdf(svg) if kind == "pdf" else vl_convert.svg_to_png(svg, scale=3.0)
                    write_bytes(file, made)
                written.append(file)
    return written
