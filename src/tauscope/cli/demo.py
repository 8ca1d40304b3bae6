"""`tauscope demo`: a collection to play with, and what Tauscope says of it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..checks import check_scores
from ..coefficients.unweighted import tau_b
from ..errors import CallError
from ..evaluation.compare_qrels import compare_qrels
from ..evaluation.demo import DemoCollection, demo_collection
from ..evaluation.evaluate import evaluate
from ..files import write_scores
from ..files.whole import write_bytes
from ..ranking import Ranking
from ..results import count, number
from .correlate import correlate
from .options import Flag, Folder, Seed
from .output import show, show_table
from .progress import progress

MEASURES = ("AP", "nDCG@20", "P@10", "RR", "ERR@20", "RBP(p=0.8)")


def demo(
    *,
    out: Folder = Path("demo"),
    seed: Seed = 8,
    force: Flag = False,
) -> None:
    """A made-up collection with a human and a machine judge, and what Tauscope says of it.

    Writes runs, both sets of judgments and the scores, then compares the two judges.

    Example: `tauscope demo --out demo`

    Parameters
    ----------
    out
        The folder to write to.
    force
        Write into a folder that is not empty.
    """
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not force)):
        raise CallError(
            f"{out} exists and is not an empty folder. Choose another with --out, or write into it with --force."
        )
    start = time.perf_counter()
    collection = demo_collection(rng=seed)
    collection.write(out)
    show(*repr(collection).splitlines(), f"written to {out} in {time.perf_counter() - start:.1f} s", "")
    files = {}
    for name, qrels in (("human", collection.qrels), ("machine", collection.judge_qrels)):
        with progress(f"measuring with the {name} judge") as report:
            cube = evaluate(collection.runs, qrels, list(MEASURES), collection=name, progress=report)
        write_scores(cube, out / f"scores-{name}.csv")
        files[name] = write_scores(cube["AP"], out / f"ap-{name}.csv", layout="wide")
        if name == "human":
            _best(cube.system_wise().values, cube.systems)
            show(*check_scores(cube["AP"]).lines(), "")
    show(*compare_qrels(collection.qrels, collection.judge_qrels).lines(), "")
    show("Can the machine judge stand in? AP under the machine against AP under the human:", "")
    correlate(files["machine"], truth=files["human"], pairs=5)
    _families(collection.families, files)
    show("", f"Look again: tauscope correlate {files['machine']} --truth {files['human']} --pairs 5")
    show(f"All of it on one page, for a browser: {_page(collection, out, seed)}")


def _page(collection: DemoCollection, out: Path, seed: int) -> Path:
    """The report page on both judges."""
    from ..page.report import report

    groups = out / "families.csv"
    rows = "".join(f"{run},{family}\n" for run, family in collection.families.items())
    write_bytes(groups, f"run,group\n{rows}".encode())
    title = "The demo collection: can the machine judge stand in?"
    files = (out / "runs", out / "qrels.txt", out / "judge_qrels.txt")
    judges = ["--qrels", files[1], "--qrels", files[2], "--names", "human,machine", "--groups", groups]
    page = ["--measures", ",".join(MEASURES), "--title", title, "--seed", seed]
    command = ["tauscope", "report", files[0], *judges, *page]
    with progress("making the page") as tell:
        made = report(
            files[0],
            qrels=files[1:],
            measures=list(MEASURES),
            groups=collection.families,
            names=("human", "machine"),
            title=title,
            command=shlex.join(map(str, command)),
            files=tuple(map(str, files)),
            rng=seed,
            progress=tell,
        )
    return made.write(out / "report.html")


def _best(means: np.ndarray, systems: tuple[str, ...], most: int = 5) -> None:
    rows = [["run", *MEASURES]]
    for place in np.argsort(-means[:, 0])[:most]:
        rows.append([systems[place], *(number(float(v), 4) for v in means[place])])
    show(f"the best {most} of {count(len(systems), 'run')} under the human judge:")
    show_table(rows, right=range(1, len(MEASURES) + 1), indent="  ")
    print()


def _families(families: Mapping[str, str], files: dict[str, Path]) -> None:
    """Whether the machine judge moves a family of systems up."""
    from ..files import read_ranking

    human, machine = (read_ranking(files[name]) for name in ("human", "machine"))
    shift = dict(zip(human.labels, human.ranks() - Ranking({k: machine[k] for k in human.labels}).ranks(), strict=True))
    by_family: dict[str, list[float]] = {}
    for system, family in families.items():
        by_family.setdefault(family, []).append(float(shift[system]))
    moved = sorted(((float(np.mean(v)), family) for family, v in by_family.items()), reverse=True)
    best = ", ".join(f"{family} {mean:+.1f}" for mean, family in moved)
    show(
        "",
        f"Mean rank gained under the machine judge, by family: {best} (tau_b {number(float(tau_b(human, machine)))}).",
    )
