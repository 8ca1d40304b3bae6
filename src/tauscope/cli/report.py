"""`tauscope report`: from files to one page."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import CallError, FileError, TauscopeError
from ..files import read_cube, read_groups, read_ranking
from ..files.run_names import run_name
from ..page.report import report as make_report
from ..results import wording
from ..scores.matrix import UNNAMED
from .evaluate import qrels_names, run_source, split_labels
from .output import show, show_json
from .progress import progress


def report(
    inputs: Annotated[list[Path], Parameter(negative=())],
    /,
    *,
    truth: Path | None = None,
    qrels: Annotated[list[Path] | None, Parameter(name=["--qrels", "-q"], negative=())] = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    measures: str | None = None,
    coefficient: Annotated[str | None, Parameter(name=["--coefficient", "-c"])] = None,
    tied_within: Annotated[str | None, Parameter(name=["--tied-within", "-w"])] = None,
    level: float = 0.95,
    target: float = 0.9,
    margin: float | None = None,
    groups: Path | None = None,
    leaderboard: Annotated[bool, Parameter(negative=())] = False,
    aggregate: Literal["mean", "z", "borda", "group-mean"] = "mean",
    topic_groups: Path | None = None,
    missing: Literal["error", "zero", "drop-topics", "drop-systems", "keep"] | None = None,
    one_sided: Literal["error", "drop"] = "error",
    systems: Annotated[str | None, Parameter(name="--systems-are")] = None,
    topics: Annotated[str | None, Parameter(name="--topics-are")] = None,
    names: str | None = None,
    title: str = "",
    figures: Path | None = None,
    format: str = "svg",
    seed: int = 0,
    json: Annotated[bool, Parameter(negative=())] = False,
    markdown: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """One page that answers: would the ranking hold, do two rankings agree, where do they differ?

    INPUT is a matrix of scores, a table of several measures, one file a run, or a leaderboard; with --truth it is measured
    against that, the reference. With --qrels the inputs are run files or a folder of them: one --qrels, or two, a human and a
    machine judge, or a third for a second human. The page goes to --output (report.html), its summary to the terminal.

    Parameters
    ----------
    inputs
        Scores, or runs with --qrels.
    truth
        The reference, in the same layouts.
    qrels
        Judgments: the human ones first, then those of the judge, then those of a second human.
    output
        Where the page goes: .html, .json or .md.
    measure
        The measure that the page looks at; by default the first.
    measures
        What to compute from runs: AP,nDCG@20,P@10,RR by default.
    coefficient
        The coefficient to judge the agreement by. Without: the one that fits, with the reason.
    tied_within
        Scores this close are tied: 0.01, 5%, or two of them for estimate and reference: 0.01,0.02.
    level
        The level of all intervals.
    target
        The expected correlation that "topics needed" asks for.
    margin
        What a judge's agreement without the noise of topics must exceed, with confidence --level, to stand in: 0.8.
    groups
        A file `run,group`: does the judge favour a group?
    leaderboard
        The topics were chosen, not sampled; speaks of models and tasks, and keeps missing cells.
    aggregate
        What a system's scores are made into.
    topic_groups
        A file `topic,group` for --aggregate group-mean.
    missing
        What a cell without a score means.
    one_sided
        What to do with systems on one side only: an error that names them, or drop them.
    systems
        Your word for systems: models.
    topics
        Your word for topics: tasks, or query/queries.
    names
        What the sides are called, the reference first: human,gpt-5. By default the names of the files.
    title
        The title of the page.
    figures
        A folder for the charts as files.
    format
        Formats of these files: pdf,svg,png.
    seed
        The same seed gives the same page.
    json
        Print the content as JSON instead of the summary.
    markdown
        Print the content as Markdown instead of the summary.
    """
    if json and markdown:
        raise CallError("--json and --markdown: choose one.")
    if output is None and not (json or markdown or figures):
        output = Path("report.html")
    cells = missing or ("keep" if leaderboard else "error")
    called = tuple(part.strip() for part in names.split(",")) if names else None
    source, reference, sides, read = _read(inputs, truth, qrels, cells, measure)
    said = {
        "systems": systems or ("models" if leaderboard else "systems"),
        "topics": topics or ("tasks" if leaderboard else "topics"),
    }
    with ExitStack() as stack:
        stack.enter_context(wording(**said))
        tell = stack.enter_context(progress("making the page"))
        page = make_report(
            source, truth=reference, qrels=qrels or None, measure=measure, measures=split_labels(measures) if measures else None,
            coefficient=coefficient, tied_within=None if tied_within is None else _pair(tied_within), level=level, target=target,
            margin=margin, groups=read_groups(groups) if groups else None, leaderboard=leaderboard, aggregate=aggregate,
            topic_groups=read_groups(topic_groups) if topic_groups else None, one_sided=one_sided, names=called or sides,
            title=title or ("" if reference is not None or qrels or len(inputs) > 1 else run_name(inputs[0])), command=_command(), files=tuple(map(str, read)), rng=seed, progress=tell,
        )  # fmt: skip
        if output is not None:
            page.write(output)
        drawn = page.save_figures(figures, format.split(",")) if figures is not None else []
        if json:
            show_json(page.to_dict())
        elif markdown:
            print(page.markdown(), end="")
        else:
            show(*page.summary().splitlines())
    if not (json or markdown):
        show(
            *([f"page: {output}"] if output else []),
            *([f"figures: {len(drawn)} files in {figures}"] if figures else []),
        )


def _read(
    inputs: list[Path], truth: Path | None, qrels: list[Path] | None, missing: str, measure: str | None
) -> tuple[Any, Any, tuple[str, ...] | None, list[Path]]:
    """(source, reference, names of the sides, files) of the page."""
    if qrels:
        if truth is not None:
            raise CallError("--truth and --qrels: with --qrels the first judgments are the reference.")
        return run_source(inputs), None, tuple(qrels_names(qrels)) if len(qrels) > 1 else None, [*inputs, *qrels]
    files = inputs[0] if len(inputs) == 1 else list(inputs)
    source = _scores(files, missing, measure)
    if truth is None:
        return source, None, None, list(inputs)
    stems = tuple(map(run_name, (truth, inputs[0])))
    called = stems if len(set(stems)) == 2 else (str(truth), str(inputs[0]))
    return source, _scores(truth, missing, measure), called, [*inputs, truth]


def _scores(source: Any, missing: str, measure: str | None) -> Any:
    """Scores of all measures, or a ranking where the file has no topics."""
    try:
        cube = read_cube(source, missing=missing)
        unnamed = cube.measures == (UNNAMED,) or cube.measures == ("",)
        return replace(cube, measures=(measure,), missing="keep") if measure and unnamed else cube
    except FileError as error:
        if isinstance(source, list):
            raise
        try:
            return read_ranking(source, measure=measure)
        except TauscopeError:
            raise error from None


def _pair(text: str) -> Any:
    parts = [part.strip() for part in text.split(",")]
    return parts[0] if len(parts) == 1 else tuple(parts)


def _command() -> str:
    """The command line that made the page; where it was not one, nothing."""
    program = Path(sys.argv[0]).name if sys.argv else ""
    arguments = sys.argv[1:]
    if program not in ("tauscope", "tauscope.exe", "__main__.py") or not arguments or arguments[0] != "report":
        return ""
    return shlex.join(["tauscope", *arguments])
