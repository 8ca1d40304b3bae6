"""`report()`: from scores to one page that answers, and `Report`: that page in four renderings of the same sections."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import checking
from ..errors import Advice, CallError
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, remembered
from ..results import Result, count, plain
from ..scores.matrix import UNNAMED
from .material import Material
from .parts import Name, Section, Sentence, text_of, verbatim
from .sections import all_sections, repeat
from .sides import Groups
from .sources import sources_of
from .vega import Bundle

#: Sections that answer no question of their own.
ABOUT = ("compared", "findings", "repeat")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Report(Result):
    """What does the page of `report()` say: as HTML, JSON, Markdown, or section by section?

    `page["holds"]` is the section of that id, with its `words`, `tables`, `figures` and `data`; `"judge" in page` asks whether
    the input could answer that question.

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

    title: str
    brief: Sentence
    sections: tuple[Section, ...]
    seed: int
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
            "title", "brief", "seed", the version of Tauscope, and "sections": words, tables and data of each.
        """
        from .. import __version__

        return {
            "tauscope": __version__,
            "title": self.title,
            "brief": verbatim(self.brief),
            "seed": self.seed,
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
        return page(self.title, self.brief, self.sections, script=self.script.text(), foot=foot)

    def markdown(self) -> str:
        """Words and tables in GitHub's Markdown.

        Returns
        -------
        str
        """
        from .markdown import markdown

        return markdown(self.title, self.brief, self.sections)

    def summary(self) -> str:
        """The answers in one screen, in GitHub's Markdown.

        Returns
        -------
        str
        """
        from .markdown import summary

        return summary(self.title, self.brief, self.sections)

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
        """
        file = Path(path)
        page = replace(self, sections=tuple(repeat.written_to(section, str(path)) for section in self.sections))
        kinds = {".html": page.html, ".htm": page.html, ".json": page.to_json, ".md": page.markdown}
        make = kinds.get(file.suffix.lower())
        if make is None:
            raise CallError(f"{file}: a report is written as .html, .json or .md.")
        file.write_bytes(make().encode("utf-8", "replace"))
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
        """The first chart of the page.

        Returns
        -------
        altair.Chart

        Raises
        ------
        CallError
            If the page has none.
        """
        for section in self.sections:
            for figure in section.figures:
                return figure.chart
        return super().plot()


def report(
    source: Any,
    *unnamed: Any,
    truth: Any = None,
    qrels: Any = None,
    measure: str | None = None,
    measures: Any = None,
    coefficient: str | None = None,
    tied_within: Any = None,
    level: float = 0.95,
    target: float = 0.9,
    margin: float | None = None,
    groups: Mapping[str, str] | None = None,
    leaderboard: bool = False,
    aggregate: str = "mean",
    topic_groups: Mapping[str, str] | None = None,
    one_sided: str = "error",
    names: tuple[str, ...] | None = None,
    title: str = "",
    command: str = "",
    files: tuple[str, ...] = (),
    rng: Rng = 0,
    progress: Progress | None = None,
) -> Report:
    """Would this ranking hold, do the two agree, where do they differ, which measures to report: what is the page?

    A section that the input cannot answer is absent: one matrix has nothing to say about two judges. Ties are handled by each
    section as by the function it calls, and the page says how many there are. Do not make a page to get one number: the
    functions of the sections (`compare`, `expected_correlation`, …) give it without the rest.

    Parameters
    ----------
    source : Scores, ScoreCube, Ranking, dict, or runs
        What the page is about; with `qrels`, runs, anything that `evaluate()` takes.
    *unnamed : object
        Nothing: a second side is the truth, and the call says so.
    truth : Scores, ScoreCube, Ranking or dict, optional
        The reference that `source` is measured against.
    qrels : judgments, or a list of up to three, optional
        One set of judgments; or those of a human, then those of a machine judge, then those of a second human.
    measure : str, optional
        The measure that the page looks at; the first, where none is given.
    measures : str or list of str, optional
        What to compute from runs: AP, nDCG@20, P@10 and RR where none are given; "gupta2019" for those of that paper.
    coefficient : str, optional
        The coefficient to judge the agreement by; the one that fits, with the reason, where none is given.
    tied_within : float, str or pair, optional
        Scores this close are tied, inclusive; a pair is for estimate and truth.
    level : float, default 0.95
        The level of all intervals.
    target : float, default 0.9
        The expected correlation that "topics needed" asks for.
    margin : float, optional
        What a judge's agreement without the noise of topics (disattenuated) must exceed, with confidence `level`.
    groups : dict of str to str, optional
        System to group, to see whether a judge favours its own kind.
    leaderboard : bool, default False
        Whether the topics were chosen, not sampled; the page says so, and cells may be missing (`missing="keep"`).
    aggregate : str, default "mean"
        What a system's scores are made into: "mean", "z", "borda" or "group-mean" (with `topic_groups`).
    topic_groups : dict of str to str, optional
        Topic to group.
    one_sided : str, default "error"
        What to do with systems that one side lacks: "error", or "drop" to compare those that all sides have.
    names : tuple of str, optional
        What the sides are called, the reference first.
    title : str, default ""
        The title of the page; made from the names where it is empty.
    command : str, default ""
        The command that repeats the page, to be shown on it.
    files : tuple of str, default ()
        Files that were read, to be listed on it.
    rng : int, Generator or None, default 0
        The seed of all intervals; the same one gives the same bytes.
    progress : callable, optional
        `progress(done, total)` is called after each run and each section.

    Returns
    -------
    Report

    Raises
    ------
    CallError
        If it is not said who is the truth, or an option is unknown.
    AlignmentError
        If a side lacks systems and `one_sided` is "error".

    See Also
    --------
    compare, expected_correlation, rank_intervals, significance_agreement, rank_measures : The numbers of the sections.

    Examples
    --------
    >>> from tauscope import Scores
    >>> page = report(Scores([[0.5, 0.3, 0.1], [0.6, 0.2, 0.3], [0.4, 0.3, 0.2]], measure="AP"), rng=1)
    >>> [section.id for section in page.sections]
    ['compared', 'holds', 'findings', 'repeat']
    """
    if unnamed:
        raise CallError(
            "report() wants to know which side is the truth.",
            Advice("Call report(estimate, truth=reference).", shell=""),
        )
    checking.one_of(one_sided, ("error", "drop"), "one_sided")
    listed = [own.file for own in (groups, topic_groups) if isinstance(own, Groups) and own.file not in files]
    level, seed = checking.level(level), remembered(rng)
    margin = None if margin is None else checking.number(margin, "margin", above=-1, below=1)
    script = Bundle()
    try:
        given = sources_of(source, truth, qrels, measure=measure, measures=measures, names=names, progress=progress)
        sides, notes = given.sides(aggregate=aggregate, topic_groups=topic_groups, one_sided=one_sided)
        reference, *others = sides
        estimate, second = (*others, None, None)[:2]
        material = Material(
            reference=reference,
            estimate=estimate,
            second_reference=second,
            measure="" if given.measure == UNNAMED else given.measure,
            coefficient=coefficient,
            tied_within=tied_within,
            level=level,
            seed=seed,
            margin=margin,
            target=target,
            groups=groups,
            leaderboard=leaderboard,
            aggregate=aggregate,
            command=command,
            files=(*files, *listed),
            runs=given.runs,
            notes=tuple(notes),
        )
        sections = all_sections(material, progress)
    except BaseException:
        script.close()
        raise
    return Report(title=title or _title(material), brief=_brief(material), sections=sections, seed=seed, script=script)


def _title(material: Material) -> str:
    reference = material.reference
    if material.estimate is not None:
        return f"{material.estimate.name} against {reference.name}"
    own = reference.scores.collection if reference.scores is not None else ""
    return own or "Does this ranking hold?"


def _brief(material: Material) -> Sentence:
    reference = material.reference
    parts: Sentence = (count(len(reference.systems), "system"),)
    if reference.scores is not None:
        parts += (f", {count(len(reference.scores.topics), 'topic')}",)
    return (*parts, ", ", *material.by) if material.by else parts
