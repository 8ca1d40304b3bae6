"""`tauscope report`: from files to one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..errors import CallError
from ..pages import check_target
from ..pages import report as make
from . import inputs
from .options import BoardReading, Clusters, Files, Flag, Many, Match, Seed, TruthMeasure, Unmatched, Words, labels_in
from .output import progress, show, show_json


def report(
    files: Files,
    /,
    *,
    truth: Path | None = None,
    qrels: Annotated[list[Path] | None, Parameter(name=["--qrels", "-q"], negative=())] = None,
    people: Many = None,
    measures: str | None = None,
    groups: Path | None = None,
    clusters: Clusters = None,
    truth_measure: TruthMeasure = None,
    unmatched: Unmatched = "error",
    match: Match = "exact",
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    title: str = "",
    seed: Seed = 0,
    json: Flag = False,
    markdown: Flag = False,
    reading: BoardReading = BoardReading(),
    words: Words = Words(),
) -> None:
    """Make one page with the answers to all questions that the files can answer.

    FILES are a board (scores on topics, battles, or printed scores with errors), one judge or several, or runs with
    --qrels. The page goes to --out (report.html), and its headlines to the terminal. Every other command writes its
    own answer as a page with --html.

    Example: `tauscope report judge.csv --truth people.csv --out page.html`

    Parameters
    ----------
    files
        Scores, battles, printed scores, or runs with --qrels; several judges as NAME=FILE.
    truth
        Scores that are correct by definition, such as those of people.
    qrels
        Judgments of the runs; of two, the first are those of people and the second those of a judge.
    people
        Scores of single people, each as NAME=FILE.
    measures
        What to compute from runs: AP,nDCG@20,P@10,RR by default; the page is about the first.
    groups
        A file of two columns, system and group: does the judge prefer a group?
    out
        Where the page goes: .html, .json or .md.
    title
        The title of the page.
    json
        Print the content as JSON instead of the headlines.
    markdown
        Print the content as Markdown instead of the headlines.
    """
    if json and markdown:
        raise CallError("--json and --markdown: choose one.")
    out = Path("report.html") if out is None and not (json or markdown) else out
    if out is not None:
        check_target(out)
    with words.said():
        given: dict[str, Any] = {"qrels": qrels, "measures": labels_in(measures) if measures else None}
        if qrels:
            given["source"] = inputs.one_or_list(files)
        elif truth is not None or people:
            sides: dict[str, Any] = {"truth": truth, "unmatched": unmatched}
            beside: dict[str, Any] = {"truth_measure": truth_measure, "clusters": clusters, "match": match}
            read = (
                inputs.audited(files, reading, people=people, **sides)
                if people
                else inputs.judges_and_truth(files, reading, **sides, **beside)
            )
            read.pop("lengths", None)
            judges = read.pop("judge")
            given |= {"source": judges if len(judges) > 1 else next(iter(judges.values())), **read}
        else:
            given["source"] = inputs.any_board(files, reading, clusters=clusters)
        with progress("making the page") as tell:
            page = make(
                **given, groups=inputs.groups(groups), unmatched=unmatched, title=title, rng=seed, progress=tell
            )
            if out is not None:
                page.write(out)
        if json:
            show_json(page.to_dict())
        elif markdown:
            print(page.markdown(), end="")
        else:
            show(*str(page).splitlines(), *(["", f"page: {out}"] if out else []))
