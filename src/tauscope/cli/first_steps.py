"""The commands of "Where to begin?": `demo`, `check`, `report` and `serve`."""

from __future__ import annotations

import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..errors import CallError
from ..results import Note
from . import inputs
from .adapter import Rendered
from .options import (
    BoardReading,
    Clusters,
    Columns,
    Files,
    Flag,
    Folder,
    Format,
    Many,
    Match,
    Seed,
    TruthMeasure,
    Unmatched,
    Words,
    labels_in,
    settings_in,
)
from .output import progress, show, show_json

if TYPE_CHECKING:
    from ..evaluation.demo import DemoCollection

MEASURES = ("AP", "nDCG@20", "P@10", "RR", "ERR@20", "RBP(p=0.8)")


def demo(
    *,
    out: Folder = Path("demo"),
    seed: Seed = 8,
    force: Flag = False,
) -> None:
    """A made-up collection with a human and a machine judge, and what Tauscope says of it.

    Writes runs, both sets of judgments and the scores, then compares the two judges. The seed decides the collection;
    the comparison has the default seed, so that `tauscope compare` repeats it.

    Example: `tauscope demo --out demo`

    Parameters
    ----------
    out
        The folder to write to.
    force
        Write into a folder that is not empty.
    """
    from ..boards.ranks import rank
    from ..evaluation.demo import demo as made_up
    from ..evaluation.evaluate import evaluate
    from ..io.read import read_scores
    from ..judges.compare import compare

    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not force)):
        raise CallError(
            f"{out} exists and is not an empty folder. Choose another with --out, or write into it with --force."
        )
    start = time.perf_counter()
    collection = made_up(rng=seed)
    collection.write(out)
    show(*repr(collection).splitlines(), str(Note("written_in", out=out, seconds=time.perf_counter() - start)), "")
    files = {}
    for name, qrels in (("human", collection.qrels), ("machine", collection.judge_qrels)):
        with progress(f"measuring ({name} judge)") as report:
            cube = evaluate(collection.runs, qrels, list(MEASURES), progress=report)
        cube.write(out / f"scores-{name}.csv")
        files[name] = cube["AP"].write(out / f"ap-{name}.csv", layout="wide")
    agreement = collection.qrels.compare(collection.judge_qrels, names=("human", "machine"))
    human, machine = (read_scores(path, collection=f"ap-{name}") for name, path in files.items())
    verdict = compare({"ap-machine": machine}, truth=human, groups=collection.families)
    for result in (rank(human), agreement, verdict):
        show(*str(result).splitlines(), "")
    show(f"Look again: tauscope compare {files['machine']} --truth {files['human']}")
    show(str(Note("demo_page", path=_page(collection, out))))


def _page(collection: DemoCollection, out: Path) -> Path:
    """Write the groups and the page about both judges."""
    from ..io.streams import write_bytes
    from ..pages import report as make

    rows = "".join(f"{run},{family}\n" for run, family in collection.families.items())
    write_bytes(out / "families.csv", f"run,group\n{rows}".encode())
    files = [out / "qrels.txt", out / "judge_qrels.txt"]
    with progress("making the page") as tell:
        known: dict[str, Any] = {
            "measures": list(MEASURES),
            "groups": collection.families,
            "title": str(Note("demo_title")),
            "progress": tell,
        }
        made = make(out / "runs", qrels=files, **known)
    return made.write(out / "report.html")


def check(files: Files, /, *, format: Format = None, columns: Columns = None, rendered: Rendered = Rendered()) -> int:
    """Find problems in scores that would trouble a comparison: ties by rounding, constant systems, gaps, and so on.

    Two sets of scores are also compared with each other, and of two sets of judgments (qrels) it says how far the
    assessors agree. Exit code 1 if there is an error.

    Example: `tauscope check judge.csv human.csv`

    Parameters
    ----------
    files
        Score matrices or tables, a folder, the output of an evaluation tool, one file per run, or two qrels files.
    """
    from ..evaluation.qrels import Qrels
    from ..io.read import kind_of
    from ..reading import check as find_problems

    if len(files) == 2 and all(path.is_file() and kind_of(path) == "judgments" for path in files):
        first, second = map(Qrels.read, files)
        rendered.write(first.compare(second, names=inputs.names_of_sides(*files)))
        return 0
    read = inputs.anything(files, format, columns)
    found = find_problems(*read.values(), names=list(read))
    rendered.write(found)
    return 1 if found.worst == "error" else 0


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
    from ..pages import check_target
    from ..pages import report as make

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


def serve(
    files: Annotated[list[Path] | None, Parameter(negative=())] = None,
    /,
    *,
    port: int = 0,
    browser: Annotated[bool, Parameter(negative="--no-browser", show_default=False)] = True,
    limits: str = "upload=200,memory=2048",
) -> None:
    """Ask in the browser: drop files, choose a question and its options, download the answer.

    FILES are scores, runs and judgments, boards or battles, or folders of them; more can be dropped on the page. It
    answers on 127.0.0.1 to the browser that opens the printed address, sends nothing elsewhere, and works offline.

    Example: `tauscope serve human.csv judge.csv`

    Parameters
    ----------
    files
        What the page starts with.
    port
        The port; 0 takes a free one.
    browser
        Open the browser; --no-browser only prints the address.
    limits
        Limits in MB. upload= is what all dropped files may have together, and what a packed one may unpack to;
        memory= is what one computation may take (on Linux).
    """
    from ..app.guard import Keys, Limits
    from ..app.server import listening, needed
    from ..app.server import serve as run
    from ..app.session import Session

    needed("tauscope serve")
    asked = {"upload": 200, "memory": 2048} | settings_in(limits, {"upload": int, "memory": int}, "--limits")
    if asked["upload"] < 1 or asked["memory"] < 512:
        raise CallError(f"--limits {limits}: upload= is at least 1, and memory= at least 512.")
    kept = Limits(upload_bytes=asked["upload"] << 20, worker_bytes=asked["memory"] << 20)
    found = list(_files(files or []))
    place = listening(port)
    keys = Keys(port=place.getsockname()[1])

    def started() -> None:
        show(f"Tauscope is at {keys.address}", "Stop it with Ctrl-C.")
        sys.stdout.flush()
        if browser:
            # A browser in the terminal would not return before it is closed.
            threading.Thread(target=webbrowser.open, args=(keys.address,), daemon=True).start()

    run(Session(limits=kept, files=found), keys, place, started=started)


def _files(paths: list[Path]) -> Any:
    for path in paths:
        if path.is_dir():
            yield from sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
        elif not path.is_file():
            raise CallError(f"{path}: there is no such file.")
        else:
            yield path
