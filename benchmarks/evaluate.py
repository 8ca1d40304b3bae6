"""From run files to measures: how long do reading and measuring take together, against pytrec_eval and ir_measures?

40 runs x 50 topics x 1000 documents (2M lines), and one file of ten million lines within 3 GB. Ratios are those of
processor time, ours and the peer in turns; ours alone by the clock. `--no-slow` leaves ir_measures out, which takes
half a minute, `--no-memory` the large files.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from timing import Figures, alternating

from tauscope import ScoreCube
from tauscope.evaluation.evaluate import evaluate
from tauscope.evaluation.runs import Runs

RUNS, TOPICS, DEPTH = 40, 50, 1000
#: Ours, and trec_eval's; the last two pytrec_eval does not have.
MEASURES = {
    "AP": "map",
    "nDCG@20": "ndcg_cut_20",
    "P@10": "P_10",
    "R@100": "recall_100",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "infAP": "infAP",
}
TEN = [*MEASURES, "RBP(p=0.8)", "ERR@20"]
THEIRS = [*(label for label in MEASURES), "RBP(rel=1,p=0.8)", "ERR@20"]


def make(folder: Path, runs: int, rng: np.random.Generator) -> None:
    """Run files of systems of different strength, and judgments of about 1500 documents a topic."""
    ids = [
        [f"FBIS{3 + i % 2}-{i:06d}" if i % 3 else f"LA{i:08d}-{i % 97:04d}" for i in rng.permutation(10**6)[:6000]]
        for _ in range(TOPICS)
    ]
    with open(folder / "qrels", "w") as file:
        for topic, documents in enumerate(ids, 401):
            grades = np.where(rng.random(1500) < 0.06, rng.integers(1, 5, 1500), 0)
            file.writelines(f"{topic} 0 {d} {g}\n" for d, g in zip(documents, grades, strict=False))
    (folder / "runs").mkdir()
    for run in range(runs):
        with open(folder / "runs" / f"run{run:03d}", "w") as file:
            for topic, documents in enumerate(ids, 401):
                order = np.argsort(np.arange(6000) / 2000 + rng.exponential(0.3 + run % 40 / 40, 6000))[:DEPTH]
                scores = np.sort(rng.gamma(2, 5, DEPTH))[::-1]
                file.writelines(
                    f"{topic} Q0 {documents[d]} {rank} {score:.6f} system{run}\n"
                    for rank, (d, score) in enumerate(zip(order, scores, strict=True), 1)
                )


def once(function: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """Seconds, best of `repeat`, and what came out."""
    times, result = [], None
    for _ in range(repeat):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def with_pytrec_eval(paths: list[Path], qrels: Path) -> dict[str, Any]:
    import pytrec_eval

    with open(qrels) as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(MEASURES.values()))
    result = {}
    for path in paths:
        with open(path) as file:
            result[path.name] = evaluator.evaluate(pytrec_eval.parse_run(file))
    return result


def with_ir_measures(paths: list[Path], qrels: Path) -> dict[str, Any]:
    import ir_measures

    measures = [ir_measures.parse_measure(label) for label in THEIRS]
    evaluator = ir_measures.evaluator(measures, list(ir_measures.read_trec_qrels(str(qrels))))
    return {path.name: list(evaluator.iter_calc(ir_measures.read_trec_run(str(path)))) for path in paths}


def peers(figures: Figures, paths: list[Path], qrels: Path) -> None:
    eight, cube = once(lambda: evaluate(paths, qrels, list(MEASURES)), 7)
    ten, _ = once(lambda: evaluate(paths, qrels, TEN), 7)
    one, _ = once(lambda: evaluate(paths, qrels, TEN, threads=1), 5)
    figures.add("ours, eight measures", eight, "s")
    figures.add("ours, ten measures", ten, "s")
    figures.add("ours, ten measures, one thread", one, "s")
    figures.add("two threads over one", one / ten, "x")
    half, _ = once(lambda: evaluate(paths[: len(paths) // 2], qrels, TEN, threads=1), 5)
    figures.add("twice the lines, one thread: time", one / half, "x", "about 2")
    against_pytrec_eval(figures, paths, qrels, cube)
    if "--no-slow" not in sys.argv:
        against_ir_measures(figures, paths, qrels)


def against_pytrec_eval(figures: Figures, paths: list[Path], qrels: Path, cube: ScoreCube) -> None:
    if find_spec("pytrec_eval") is None:
        figures.note("pytrec_eval is not installed")
        return
    figures.peer("pytrec-eval-terrier")
    seconds, ours = alternating(
        lambda: with_pytrec_eval(paths, qrels), lambda: evaluate(paths, qrels, list(MEASURES)), 3
    )
    figures.add("pytrec_eval, eight measures, CPU", seconds, "s")
    figures.add("ours, eight measures, CPU", ours, "s")
    figures.add("faster than pytrec_eval", seconds / ours, "x", ">= 2.5, reach 5")
    theirs = with_pytrec_eval(paths, qrels)
    largest = max(
        abs(theirs[path.name][topic][name] - cube[label].values[row, column])
        for column, path in enumerate(paths)
        for row, topic in enumerate(cube.topics)
        for label, name in MEASURES.items()
    )
    figures.add("largest difference from pytrec_eval", largest)


def against_ir_measures(figures: Figures, paths: list[Path], qrels: Path) -> None:
    if find_spec("ir_measures") is None:
        figures.note("ir_measures is not installed")
        return
    figures.peer("ir-measures")
    seconds, ours = alternating(lambda: with_ir_measures(paths, qrels), lambda: evaluate(paths, qrels, TEN), 1)
    figures.add("ir_measures, ten measures, CPU", seconds, "s")
    figures.add("ours, ten measures, CPU", ours, "s")
    figures.add("faster than ir_measures", seconds / ours, "x", ">= 30, reach 60")


def memory(figures: Figures, folder: Path) -> None:
    """The largest memory of a fresh interpreter on 129 runs: streamed from files, and all held at once."""
    files = sorted((folder / "runs").iterdir())
    for extra in range(129 - len(files)):
        source = files[extra % RUNS]
        text = source.read_bytes().replace(b" system%d\n" % (extra % RUNS), b" system%d\n" % (RUNS + extra))
        (folder / "runs" / f"run{RUNS + extra:03d}").write_bytes(text)
    for how in ("streamed", "held"):
        command = [sys.executable, __file__, "--memory-of", how, str(folder)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        figures.add(f"129 runs, {how}: peak memory", int(output[0]) / 1024, "MB", "< 1500")
        figures.add(f"129 runs, {how}: time", float(output[1]), "s")


#: One run file of ten million lines: topics, and documents of each.
LARGE_TOPICS, LARGE_DEPTH = 10_000, 1000


def make_large(folder: Path) -> None:
    """A run of ten million lines, and ten judgments for each of its topics."""
    lines = [
        f"Q0 clueweb12-0000tw-{d:02d}-{d * 7919 % 100_000:05d} {d + 1} {1000 - d / 8:.4f} large\n"
        for d in range(LARGE_DEPTH)
    ]
    documents = [line.split()[1] for line in lines]
    with open(folder / "large.run", "w") as run, open(folder / "large.qrels", "w") as qrels:
        for topic in range(LARGE_TOPICS):
            run.writelines(f"{topic} {line}" for line in lines)
            qrels.writelines(f"{topic} 0 {documents[topic * 31 % 900 + i]} {i % 3}\n" for i in range(10))


def large(figures: Figures, folder: Path) -> None:
    """The largest memory of a fresh interpreter on ten million lines in one file."""
    make_large(folder)
    command = [sys.executable, __file__, "--memory-of-large", str(folder)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    figures.add("10 million lines, one run: peak memory", int(output[0]) / 1024, "MB", "< 3000")
    figures.add("10 million lines, one run: time", float(output[1]), "s")


def memory_of_large(folder: Path) -> None:
    start = time.perf_counter()
    cube = evaluate(folder / "large.run", folder / "large.qrels", TEN)
    if cube.shape != (10, LARGE_TOPICS, 1):
        raise SystemExit(f"unexpected shape {cube.shape}")
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter() - start)


def memory_of(how: str, folder: Path) -> None:
    start = time.perf_counter()
    runs = Runs.read(folder / "runs") if how == "held" else folder / "runs"
    cube = evaluate(runs, folder / "qrels", TEN)
    if cube.shape != (10, TOPICS, 129):
        raise SystemExit(f"unexpected shape {cube.shape}")
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter() - start)


def main() -> None:
    if "--memory-of" in sys.argv:
        return memory_of(sys.argv[2], Path(sys.argv[3]))
    if "--memory-of-large" in sys.argv:
        return memory_of_large(Path(sys.argv[2]))
    figures = Figures(f"Run files to measures: {RUNS} runs x {TOPICS} topics x {DEPTH} documents")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, RUNS, np.random.default_rng(8))
        peers(figures, sorted((folder / "runs").iterdir()), folder / "qrels")
        if "--no-memory" not in sys.argv:
            memory(figures, folder)
            large(figures, folder)
    figures.finish()
    return None


if __name__ == "__main__":
    main()
