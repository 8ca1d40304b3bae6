"""How close are we to the numbers that other projects have stored, where they cannot be installed or were run before?

    python benchmarks/stored.py --data DIR [--json FILE]

DIR holds `cases/csranks` (what R's csranks gave, with 5,000 draws), `cases/spa_wmt23_en-de.json` (mt-metrics-eval),
`cases/foreign.json` (numbers of other projects' own tests) and the scores behind them in `data/`.
"""

from __future__ import annotations

import csv
import json
import sys
import warnings
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
from timing import Figures

from tauscope import Published, Scores, TauscopeError, rank
from tauscope.core.checking import Stream, stream
from tauscope.inference import relation as normal
from tauscope.inference.relation import NormalScores
from tauscope.judges.accuracy import accuracy_of, p_values

SYSTEMS, FLIPS = 40, 50_000
#: The collections whose limits csranks gave.
TREC = ("adhoc5_p10", "adhoc7_ap", "web2010_ndcg20")
#: What a source in `foreign.json` begins with -> the project it is counted under.
PROJECTS = {
    "scipy": "SciPy",
    "terrierteam/ir_measures": "ir_measures",
    "usnistgov/trec_eval": "trec_eval",
    "AmenRa/ranx": "ranx",
    "joaopalotti/trectools": "trectools",
    "trec-auto-judge": "autojudge-evaluate",
    "google-research/mt-metrics-eval": "mt-metrics-eval",
    "julian-urbano/ircor": "ircor",
}


def stored(folder: Path, name: str) -> dict[str, np.ndarray]:
    """Column -> numbers of a file of csranks."""
    with (folder / "cases" / "csranks" / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wanted = [key for key in rows[0] if key in ("estimate", "standard_error", "lower", "upper")]
    return {key: np.array([float(row[key]) for row in rows]) for key in wanted}


def pisa(figures: Figures, folder: Path) -> None:
    """Ranks of countries from estimates and standard errors."""
    furthest = 0.0
    for subject in ("math", "reading", "science"):
        theirs = stored(folder, f"pisa_{subject}")
        names = [str(i) for i in range(len(theirs["lower"]))]
        scores = dict(zip(names, theirs["estimate"], strict=True))
        ranks = rank(Published(scores, errors=theirs["standard_error"]))
        order = [int(name) for name in ranks.systems]
        apart = [np.abs(ranks.low - theirs["lower"][order]).max(), np.abs(ranks.high - theirs["upper"][order]).max()]
        furthest = max(furthest, *map(float, apart))
    figures.add("csranks, PISA: limits at once, furthest apart", furthest, "rank", "<= 1")


def of_collection(folder: Path, name: str) -> np.ndarray:
    """Topics x the first 40 systems that are not the same as one before."""
    values = np.loadtxt(folder / "data" / "trec" / f"{name}.csv", delimiter=",", skiprows=1)
    kept: list[int] = []
    for k in range(values.shape[1]):
        if not any((values[:, k] == values[:, c]).all() for c in kept):
            kept.append(k)
    return np.asarray(values[:, kept[:SYSTEMS]])


def trec(figures: Figures, folder: Path) -> None:
    """Mean widths of ranks at once: from a covariance, as csranks does, and from the scores of topics."""
    for name in TREC:
        values, theirs = of_collection(folder, name), stored(folder, name)
        width = float((theirs["upper"] - theirs["lower"]).mean())
        normals = NormalScores.of(tuple(map(str, range(SYSTEMS))), values.mean(axis=0), np.cov(values.T) / len(values))
        better = normal.better(normals, 0.95, 0)
        spread = (SYSTEMS - 1 - better.sum(axis=1) - better.sum(axis=0)).mean()
        figures.add(f"csranks, {name}: our mean width from a covariance over theirs", float(spread) / width, "x")
        ours = rank(Scores(values))
        figures.add(
            f"csranks, {name}: from topics, by flips of signs, over theirs",
            float((ours.high - ours.low).mean()) / width,
            "x",
        )


def soft_pairwise_accuracy(figures: Figures, folder: Path) -> None:
    """Soft pairwise accuracy of the metrics of WMT23 en-de, by as many flips as mt-metrics-eval drew."""
    known = json.loads((folder / "cases" / "spa_wmt23_en-de.json").read_text(encoding="utf-8"))
    data = folder / "data" / "real" / "wmt23"

    def read(path: Path) -> np.ndarray:
        found: dict[str, list[float]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            system, score = line.split("\t")
            found.setdefault(system, []).append(float("nan") if score == "None" else float(score))
        return np.array([found[system] for system in known["systems"]]).T

    human = read(data / "human-scores" / "en-de.mqm.seg.score")
    kept = ~np.isnan(human).any(axis=1)
    signs = stream(0, Stream.FLIPS).integers(0, 2, (FLIPS, int(kept.sum()))) * 2.0 - 1
    people, gaps = p_values(human[kept], signs), []
    for name, theirs in known["metrics"].items():
        metric = read(data / "metric-scores" / "en-de" / f"{name}.seg.score")[kept]
        gaps.append(abs(accuracy_of(people, p_values(metric, signs)) - theirs["spa_50000_flips_seed_4"]))
    figures.add(f"mt-metrics-eval, soft pairwise accuracy of {len(gaps)} metrics: furthest apart", max(gaps))


def tests_of_others(figures: Figures, folder: Path) -> None:
    """How many of the numbers in other projects' own tests come out."""
    spec = spec_from_file_location("foreign", folder / "cases" / "foreign.py")
    if spec is None or spec.loader is None:
        return
    foreign = module_from_spec(spec)
    spec.loader.exec_module(foreign)
    book = json.loads((folder / "cases" / "foreign.json").read_text(encoding="utf-8"))
    runner, agreed, asked = foreign.Runner(book), Counter[str](), Counter[str]()
    for case in book["cases"]:
        project = next((name for start, name in PROJECTS.items() if case["source"].startswith(start)), "others")
        asked[project] += 1
        try:
            fits = foreign.agrees(case["expected"], getattr(runner, case["op"])(case), case["tolerance"])
        except TauscopeError:
            fits = bool(case.get("refusal_counts", False))
        agreed[project] += fits
    for project, number in sorted(asked.items()):
        figures.add(f"tests of {project}: of {number} numbers, ours too", agreed[project])


def main() -> None:
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[sys.argv.index("--data") + 1])
    figures = Figures("Beside what other projects have stored")
    pisa(figures, folder)
    trec(figures, folder)
    tests_of_others(figures, folder)
    soft_pairwise_accuracy(figures, folder)
    figures.finish()


if __name__ == "__main__":
    main()
