"""`Report`: a page in four renderings of the same sections."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from ..errors import Advice, CallError
from ..files.whole import write_bytes
from ..results import Result, count, plain
from .parts import Name, Section, Sentence, text_of, verbatim
from .screens.parts import Screen
from .sections import repeat
from .vega import Bundle

#: Sections that answer no question of their own.
ABOUT = ("compared", "findings", "repeat")


#: What a report is written as.
_ENDINGS = (".html", ".htm", ".json", ".md")


def check_target(file: Path) -> None:
    """Whether a report can be written there, before any work is done for it."""
    if file.suffix.lower() not in _ENDINGS:
        raise CallError(f"{file}: a report is written as .html, .json or .md.")
    if not file.parent.is_dir():
        raise CallError(f"{file}: there is no folder {file.parent}.", Advice("Make it first."))
    target = file if file.exists() else file.parent
    if file.is_dir() or not os.access(target, os.W_OK):
        raise CallError(f"{file}: it cannot be written.", Advice("Choose another place."))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Report(Result):
    """What does the page of `report()` say: as HTML, JSON, Markdown, or section by section?

    `page["holds"]` is the section of that id, with its `words`, `tables`, `figures` and `data`; `"judge" in page` asks
    whether the input could answer that question.

    Parameters
    ----------
    title : str
        The title of the page.
    brief : tuple of str and Name
        How many systems and topics there are, and the measure.
    sections : tuple of Section
        Questions and answers, in the order of the page.
    seed : int
        What all random numbers began with.
    screen : Screen or None
        What the page opens with: the answer, tiles, a picture, and what may be claimed; None where there is only a
        ranking to speak of.
    systems : tuple of str
        The systems that charts and tables mark together.
    script : Bundle
        The script that draws the charts.

    See Also
    --------
    report : Makes a page.

    Examples
    --------
    >>> from tauscope import Scores, report
    >>> page = report(Scores([[0.5, 0.3, 0.1], [0.6, 0.2, 0.3], [0.4, 0.3, 0.2]], measure="AP"), rng=1)
    >>> print(page["compared"].to_dict()["words"][0])
    3 systems on 3 topics by AP.
    >>> "judge" in page
    False
    """

    NO_SENTENCE: ClassVar[str] = ": it is a page of many results, whose sentences are under its section repeat"

    title: str
    brief: Sentence
    sections: tuple[Section, ...]
    seed: int
    screen: Screen | None = None
    systems: tuple[str, ...] = ()
    script: Bundle = field(repr=False)

    def __getitem__(self, id: str) -> Section:
        for section in self.sections:
            if section.id == id:
                return section
        raise CallError(f"There is no section {id!r}; there are {', '.join(section.id for section in self.sections)}.")

    def __contains__(self, id: object) -> bool:
        return any(section.id == id for section in self.sections)

    def lines(self) -> list[str]:
        """The title, the first answer, and what else is on the page.

        Returns
        -------
        list of str
        """
        answers = [section for section in self.sections if section.id not in ABOUT]
        return [
            f"{Name(self.title, 120)}: {text_of(self.brief)}",
            *(text_of(section.words[0]) for section in answers[:1]),
            f"{count(len(self.sections), 'section')}: {', '.join(s.id for s in self.sections)}; seed {self.seed}",
        ]

    def columns(self) -> dict[str, Any]:
        """One row per section: its id, its heading, and the answer in short.

        Returns
        -------
        dict of str to list
        """
        return {
            "section": [section.id for section in self.sections],
            "heading": [verbatim(section.heading) for section in self.sections],
            "answer": [verbatim(section.words[0]) for section in self.sections],
        }

    def cited(self) -> tuple[str, ...]:
        """Keys of the papers whose formulas were used.

        Returns
        -------
        tuple of str
        """
        return tuple(dict.fromkeys(key for section in self.sections for key in section.cited))

    def to_dict(self) -> dict[str, Any]:
        """The content of the page for machines; names are verbatim.

        Returns
        -------
        dict
            "title", "brief", "seed", the version of Tauscope, "first_screen": what the page opens with, and "sections":
            words, tables and data of each.
        """
        from .. import __version__

        return {
            "tauscope": __version__,
            "title": self.title,
            "brief": verbatim(self.brief),
            "seed": self.seed,
            "first_screen": self.screen.to_dict() if self.screen is not None else None,
            "sections": [section.to_dict() for section in self.sections],
        }

    def to_json(self) -> str:
        """The content of the page as text for machines; undefined numbers are null.

        Returns
        -------
        str
        """
        return json.dumps(plain(self.to_dict()), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def html(self) -> str:
        """The page as one file that loads nothing and sends nothing.

        Returns
        -------
        str
        """
        from .. import __version__
        from .html import page

        foot = f"Made by Tauscope {__version__}. This file is complete: it loads nothing and sends nothing."
        return page(
            self.title,
            self.brief,
            self.sections,
            screen=self.screen,
            systems=self.systems,
            script=self.script.text(),
            foot=foot,
        )

    def markdown(self) -> str:
        """Words and tables in GitHub's Markdown.

        Returns
        -------
        str
        """
        from .markdown import markdown

        return markdown(self.title, self.brief, self.sections, self.screen)

    def summary(self) -> str:
        """The answers in one screen, in GitHub's Markdown.

        Returns
        -------
        str
        """
        from .markdown import summary

        return summary(self.title, self.brief, self.sections, self.screen)

    def write(self, path: str | Path) -> Path:
        """Writes what the ending asks for. A command that does not say where the page goes gets it.

        Parameters
        ----------
        path : str or Path
            Where the page goes: .html, .json or .md.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        CallError
            If the file ends in something else.
        FileError
            If it cannot be written; what stood there before is then still there.
        """
        file = Path(path)
        check_target(file)
        page = replace(self, sections=tuple(repeat.written_to(section, str(path)) for section in self.sections))
        kinds = {".html": page.html, ".htm": page.html, ".json": page.to_json, ".md": page.markdown}
        write_bytes(file, kinds[file.suffix.lower()]().encode("utf-8", "replace"))
        return file

    def save_figures(self, folder: str | Path, formats: Iterable[str] = ("svg",)) -> list[Path]:
        """Writes every chart as files for a paper, named after its section.

        Parameters
        ----------
        folder : str or Path
            Where they go; it is made where it is not there.
        formats : iterable of str, default ("svg",)
            "pdf", "svg" or "png", or several in one text: "pdf,svg".

        Returns
        -------
        list of Path
            The files.

        Raises
        ------
        CallError
            If a format is unknown.
        """
        from .save_figures import save_figures

        return save_figures(self.sections, Path(folder), formats)

    def plot(self) -> Any:
        """The first chart of the page; a page without one has none to show."""
        for section in self.sections:
            for figure in section.figures:
                return figure.chart
        return super().plot()
