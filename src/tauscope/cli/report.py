"""`tauscope report`: from files to one page."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ..errors import CallError
from ..files import run_name
from ..page.rendered import check_target
from ..page.report import report as make_report
from . import inputs
from .options import (
    Columns,
    Flag,
    Format,
    LowerIsBetter,
    Match,
    Measure,
    OneSided,
    Reading,
    Seed,
    TruthMeasure,
    Words,
    labels_in,
    thresholds_in,
)
from .output import show, show_json
from .page_sources import Asked, Kind
from .progress import progress


def report(
    files: Annotated[list[Path] | None, Parameter(negative=())] = None,
    /,
    *,
    truth: Path | None = None,
    qrels: Annotated[list[Path] | None, Parameter(name=["--qrels", "-q"], negative=())] = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    measure: Measure = None,
    measures: str | None = None,
    coefficient: Annotated[str | None, Parameter(name=["--coefficient", "-c"])] = None,
    tied_within: Annotated[str | None, Parameter(name=["--tied-within", "-w"])] = None,
    level: float = 0.95,
    target: float = 0.9,
    margin: float | None = None,
    groups: Path | None = None,
    leaderboard: Flag = False,
    aggregate: Literal["mean", "z", "rank", "minmax", "borda", "group-mean"] | None = None,
    topic_groups: Path | None = None,
    missing: Literal["error", "zero", "drop-topics", "drop-systems", "keep"] | None = None,
    truth_measure: TruthMeasure = None,
    one_sided: OneSided = "error",
    match: Match = "exact",
    format: Format = None,
    columns: Columns = None,
    lower_is_better: LowerIsBetter = None,
    names: str | None = None,
    title: str = "",
    kind: Kind = Kind(),
    figures: Path | None = None,
    figure_format: str = "svg",
    seed: Seed = 0,
    words: Words = Words(),
    json: Flag = False,
    markdown: Flag = False,
) -> None:
    """One page that answers: would the ranking hold, do two rankings agree, where do they differ?

    FILES are a matrix of scores, a table of several measures, one file per run, or a leaderboard; with --truth they are
    measured against that, the reference. With --qrels they are run files or a folder of them: one --qrels, or two, a
    human and a machine judge, or a third for a second human. A file of battles is an arena, and one of printed scores
    and errors a board. --judges compares several judges, --judge makes a hybrid of people and a judge, and --audit asks
    all there is to ask of a judge. The page goes to --output (report.html), its summary to the terminal.

    Example: `tauscope report judge.csv --truth human.csv --output page.html`

    Parameters
    ----------
    files
        Scores, or runs with --qrels.
    truth
        The reference, in the same layouts.
    qrels
        Judgments: the human ones first, then those of the judge, then those of a second human.
    output
        Where the page goes: .html, .json or .md.
    measures
        What to compute from runs: AP,nDCG@20,P@10,RR by default. Several after --measure, such as -m AP,RR, are the
        same, and the page looks at the first.
    coefficient
        The coefficient to judge the agreement by; tau_b by default.
    tied_within
        Scores this close are tied: 0.01, 5%, or two of them for estimate and reference: 0.01,0.02.
    level
        The level of all intervals.
    target
        The expected correlation that "topics needed" asks for.
    margin
        What a judge's agreement without the noise of topics must exceed, with confidence --level, to stand in, such as
        0.8; without it 0.9 is asked for a yes, and 0.8 for some uses.
    groups
        A file `run,group`: does the judge favour a group?
    leaderboard
        The topics were chosen, not sampled; speaks of models and tasks, and keeps missing cells.
    aggregate
        What a system's scores are made into; without: their mean, and of a leaderboard whose tasks are on different
        scales the mean z-score.
    topic_groups
        A file `topic,group` for --aggregate group-mean.
    missing
        What a cell without a score means: an error that names it, 0, leave out its topic or system, or keep the hole.
    names
        What the sides are called, the reference first: human,gpt-5. By default the names of the files.
    title
        The title of the page.
    figures
        A folder for the charts as files.
    figure_format
        Formats of these files: pdf,svg,png.
    json
        Print the content as JSON instead of the summary.
    markdown
        Print the content as Markdown instead of the summary.
    """
    if json and markdown:
        raise CallError("--json and --markdown: choose one.")
    if output is None and not (json or markdown or figures):
        output = Path("report.html")
    if output is not None:
        check_target(output)
    measure, wanted = _measures(measure, measures, runs=bool(qrels))
    asked = Asked(
        files=files or [],
        truth=truth,
        qrels=qrels,
        groups=groups,
        reading=Reading(
            measure=measure,
            missing=missing or ("keep" if leaderboard else "error"),  # type: ignore[arg-type]
            format=format,
            columns=columns,
            lower_is_better=lower_is_better,
        ),
        truth_measure=truth_measure,
        kind=kind,
        level=level,
        one_sided=one_sided,
        seed=seed,
    )
    given = asked.given()
    said = {"systems": "models", "topics": "tasks"} if leaderboard else asked.words()
    alone = given.truth is None and not qrels and not kind.named and len(asked.files) == 1 and kind.judge is None
    with words.said(**said):
        with progress("making the page") as tell:
            page = make_report(
                given.source,
                truth=given.truth,
                qrels=qrels or None,
                people=given.people,
                measure=None if truth_measure is not None else measure,
                measures=wanted,
                coefficient=coefficient,
                tied_within=thresholds_in(tied_within),
                level=level,
                target=target,
                margin=margin,
                groups=inputs.groups(groups),
                leaderboard=leaderboard,
                aggregate=aggregate,
                topic_groups=inputs.groups(topic_groups),
                one_sided=one_sided,
                match=match,
                names=tuple(part.strip() for part in names.split(",")) if names else given.names,
                title=title or (run_name(asked.files[0]) if alone and not kind.audit else ""),
                command=_command(),
                files=tuple(map(str, given.files)),
                rng=seed,
                progress=tell,
            )
            if output is not None:
                page.write(output)
            drawn = page.save_figures(figures, figure_format.split(",")) if figures is not None else []
        if json:
            show_json(page.to_dict())
        elif markdown:
            print(page.markdown(), end="")
        else:
            show(*page.summary().splitlines())
            show(*([f"page: {output}"] if output else []))
            show(*([f"figures: {len(drawn)} files in {figures}"] if figures else []))


def _measures(measure: str | None, measures: str | None, *, runs: bool) -> tuple[str | None, list[str] | None]:
    """The measure that the page looks at, and those to compute from runs: several after --measure are these."""
    several = labels_in(measure) if measure else []
    if len(several) < 2:
        return measure, labels_in(measures) if measures else None
    if not runs:
        raise CallError(f"--measure {measure}: the page looks at one measure; write one of them, such as {several[0]}.")
    if measures:
        raise CallError(f"--measure {measure}: write the one that the page looks at, and all of them after --measures.")
    return several[0], several


def _command() -> str:
    """The command line that made the page; where it was not one, nothing."""
    program = Path(sys.argv[0]).name if sys.argv else ""
    arguments = sys.argv[1:]
    if program not in ("tauscope", "tauscope.exe", "__main__.py") or not arguments or arguments[0] != "report":
        return ""
    return shlex.join(["tauscope", *arguments])
