"""`tauscope demo`: a collection to play with, and what Tauscope says of it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..boards.ranks import rank
from ..errors import CallError
from ..evaluation.demo import DemoCollection
from ..evaluation.demo import demo as made_up
from ..evaluation.evaluate import evaluate
from ..io.read import read_scores
from ..io.streams import write_bytes
from ..judges.compare import compare
from .options import Flag, Folder, Seed
from .output import progress, show

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
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not force)):
        raise CallError(
            f"{out} exists and is not an empty folder. Choose another with --out, or write into it with --force."
        )
    start = time.perf_counter()
    collection = made_up(rng=seed)
    collection.write(out)
    show(*repr(collection).splitlines(), f"written to {out} in {time.perf_counter() - start:.1f} s", "")
    files = {}
    for name, qrels in (("human", collection.qrels), ("machine", collection.judge_qrels)):
        with progress(f"measuring with the {name} judge") as report:
            cube = evaluate(collection.runs, qrels, list(MEASURES), progress=report)
        cube.write(out / f"scores-{name}.csv")
        files[name] = cube["AP"].write(out / f"ap-{name}.csv", layout="wide")
    agreement = collection.qrels.compare(collection.judge_qrels, names=("human", "machine"))
    human, machine = (read_scores(path, collection=f"ap-{name}") for name, path in files.items())
    verdict = compare({"ap-machine": machine}, truth=human, groups=collection.families)
    for result in (rank(human), agreement, verdict):
        show(*str(result).splitlines(), "")
    show(f"Look again: tauscope compare {files['machine']} --truth {files['human']}")
    show(f"All of it on one page, for a browser: {_page(collection, out)}")


def _page(collection: DemoCollection, out: Path) -> Path:
    """Write the groups and the page about both judges."""
    from ..pages import report

    rows = "".join(f"{run},{family}\n" for run, family in collection.families.items())
    write_bytes(out / "families.csv", f"run,group\n{rows}".encode())
    files = [out / "qrels.txt", out / "judge_qrels.txt"]
    title = "The demo collection: can the machine judge replace people?"
    with progress("making the page") as tell:
        known: dict[str, Any] = {
            "measures": list(MEASURES),
            "groups": collection.families,
            "title": title,
            "progress": tell,
        }
        made = report(out / "runs", qrels=files, **known)
    return made.write(out / "report.html")
