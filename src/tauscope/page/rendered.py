"""`report()`: from scores to one page that answers, in four renderings of the same sections."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import CallError
from ..results import Result, count, plain
from .parts import Name, Section, Sentence, text_of, verbatim
from .sections import repeat
from .vega import Bundle


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """A page: `.write("report.html")`, `.html()`, `.markdown()`, `.to_dict()`, `.save_figures(folder)`."""

    title: str
    brief: Sentence
    sections: tuple[Section, ...]
    seed: int
    _bundle: Bundle = field(default=None, repr=False)  # type: ignore[assignment]

    def __getitem__(self, id: str) -> Section:
        for section in self.sections:
            if section.id == id:
                return section
        raise CallError(f"There is no section {id!r}; there are {', '.join(section.id for section in self.sections)}.")

    def __contains__(self, id: object) -> bool:
        return any(section.id == id for section in self.sections)

    def lines(self) -> list[str]:
        answers = [section for section in self.sections if section.id not in ("compared", "findings", "repeat")]
        return [
            f"{Name(self.title, 120)}: {text_of(self.brief)}",
            *(text_of(section.words[0]) for section in answers[:1]),
            f"{count(len(self.sections), 'section')}: {', '.join(s.id for s in self.sections)}; seed {self.seed}",
        ]

    def columns(self) -> dict[str, Any]:
        return {"section": [s.id for s in self.sections], "heading": [verbatim(s.heading) for s in self.sections],
                "answer": [verbatim(s.words[0]) for s in self.sections]}  # fmt: skip

    def cited(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for section in self.sections for key in section.cited))

    def to_dict(self) -> dict[str, Any]:
        """The content of the page for machines; names are verbatim."""
        from .. import __version__

        return {"tauscope": __version__, "title": self.title, "brief": verbatim(self.brief), "seed": self.seed,
                "sections": [section.to_dict() for section in self.sections]}  # fmt: skip

    def to_json(self) -> str:
        """The same as text; undefined numbers are null."""
        return json.dumps(plain(self.to_dict()), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def html(self) -> str:
        """The page: one file, self-contained."""
        from .. import __version__
        from .html import page

        foot = f"Made by Tauscope {__version__}. This file is complete: it loads nothing and sends nothing."
        return page(self.title, self.brief, self.sections, script=self._bundle.text(), foot=foot)

    def markdown(self) -> str:
        """Words and tables in GitHub's Markdown."""
        from .markdown import markdown

        return markdown(self.title, self.brief, self.sections)

    def summary(self) -> str:
        """The answers in one screen, in GitHub's Markdown."""
        from .markdown import summary

        return summary(self.title, self.brief, self.sections)

    def write(self, path: str | Path) -> Path:
        """Writes what the ending asks for: .html, .json or .md. A command that does not say where the page goes gets it."""
        file, page = Path(path), self._written_to(str(path))
        make = {".html": page.html, ".htm": page.html, ".json": page.to_json, ".md": page.markdown}.get(
            file.suffix.lower()
        )
        if make is None:
            raise CallError(f"{file}: a report is written as .html, .json or .md.")
        file.write_bytes(make().encode("utf-8", "replace"))
        return file

    def _written_to(self, file: str) -> Report:
        """The same page, whose command writes this file."""
        return replace(self, sections=tuple(repeat.written_to(section, file) for section in self.sections))

    def save_figures(self, folder: str | Path, formats: Iterable[str] = ("svg",)) -> list[Path]:
        """Every chart as files for a paper: pdf, svg or png, named after its section."""
        from .save_figures import save_figures

        return save_figures(self.sections, Path(folder), formats)

    def plot(self) -> Any:
        """The first chart of the page."""
        for section in self.sections:
            for figure in section.figures:
                return figure.chart
        return super().plot()
