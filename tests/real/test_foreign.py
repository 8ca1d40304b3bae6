"""Numbers of other projects' own tests: SciPy, trec_eval, ir_measures, ranx, ircor, mt-metrics-eval and more.

The cases are part of the shared data and stay there; without them the tests are skipped.
"""

from __future__ import annotations

import base64
import json
import math
import os
import random
import tempfile
import zlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope as ts
from tauscope import TauscopeError

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("TAUSCOPE_SHARED") or ROOT.parent / "shared") / "cases"
BOOK = FOLDER / "foreign.json"
ABSENT = pytest.param(
    None, id="absent", marks=pytest.mark.skip(reason=f"no cases of other projects in {FOLDER} (set TAUSCOPE_SHARED)")
)


def _book() -> dict[str, Any]:
    return json.loads(BOOK.read_text(encoding="utf-8")) if BOOK.is_file() else {"cases": []}


CASES = [pytest.param(case, id=case["id"]) for case in _book()["cases"]] or [ABSENT]


class Runner:
    """What each case asks, by the name of its operation."""

    def __init__(self, book: dict[str, Any]) -> None:
        self.kept = tempfile.TemporaryDirectory(prefix="foreign-")
        self.folder = Path(self.kept.name)
        for name, packed in book["files"].items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(zlib.decompress(base64.b64decode(packed)).decode())

    def place(self, x: Any) -> Any:
        """A file of the book, or data as they are."""
        return self.folder / x if isinstance(x, str) else x

    def coefficient(self, c: Any) -> Any:
        options = {k: tuple(v) if isinstance(v, list) else v for k, v in c.get("options", {}).items()}
        return float(getattr(ts, c["coefficient"])(c["estimate"], truth=c["truth"], **options))

    def generated(self, c: Any) -> Any:
        if c["generator"] == "gh18139":
            random.seed(6272161)
            x, y = (random.choices([1, 2, 3, 4, 5, 6, 7], k=200_000) for _ in range(2))
        elif c["generator"] == "gh6061":
            x, y = list(range(2000)), list(range(2000))
            y[0], y[9] = y[9], y[0]
            y[10], y[434] = y[434], y[10]
            y[435], y[1509] = y[1509], y[435]
        else:
            rng = np.random.RandomState(7546)
            raw = np.array([rng.normal(loc=1, scale=1, size=500), rng.normal(loc=1, scale=1, size=500)])
            x, y = np.dot(np.linalg.cholesky([[1.0, 0.3], [0.3, 1.0]]), raw)
        return float(getattr(ts, c["coefficient"])(x, y))

    def masked_batch(self, c: Any) -> Any:
        mask = np.array(c["mask"], bool)
        rows = np.ma.array([c["estimate"]], mask=[mask], dtype=float)
        value = ts.correlate(rows, truth=np.ma.array(c["truth"], mask=mask, dtype=float), coefficient="tau_b").values[0]
        return c["expected"] if math.isnan(value) else value

    def int_batch(self, c: Any) -> Any:
        return ts.correlate(np.array([[2**62, 2**62 + 1, 2**62 + 2]]), truth=[1, 2, 3], coefficient="tau_b").values[0]

    def rbo(self, c: Any) -> Any:
        first, second = (ts.Ranking.from_order(c[k]) for k in ("first", "second"))
        return getattr(ts.rbo(first, second, c["p"], ties=c["ties"]), c["field"])

    def average_overlap(self, c: Any) -> Any:
        return float(ts.rbo(c["first"].split(), c["second"].split(), 0.95).agreement[: c["depth"]].mean())

    def evaluate(self, c: Any) -> Any:
        run, qrels = self.place(c["run"]), self.place(c["qrels"])
        runs = {"r": run} if isinstance(run, dict) else run
        scores = ts.evaluate(runs, qrels, [c["measure"]], **c.get("options", {}))
        scores = scores[scores.measures[0]]
        return scores.values[:, 0].mean() if c["topic"] == "all" else scores.values[scores.topics.index(c["topic"]), 0]

    def gmap(self, c: Any) -> Any:
        return ts.evaluate(self.place(c["run"]), self.place(c["qrels"]), ["GMAP"], by="system").values[0, 0]

    def read(self, reader: Any, c: Any, file: Any, **options: Any) -> Any:
        """As it is, or with the format said where the file alone leaves it open."""
        try:
            return reader(self.place(file), **options)
        except ts.TauscopeError:
            if "format" not in c:
                raise
            return reader(self.place(file), format=c["format"], **options)

    def read_cube(self, c: Any) -> Any:
        scores = self.read(ts.ScoreCube.read, c, c["file"])[c["measure"]]
        column = scores.systems.index(c["system"]) if "system" in c else 0
        return scores.values[scores.topics.index(c["topic"]), column]

    def boards(self, c: Any) -> Any:
        estimate, truth = (
            self.read(ts.Ranking.read, c, c[k], measure=c[k + "_measure"]) for k in ("estimate", "truth")
        )
        return float(getattr(ts, c["coefficient"])(estimate, truth=truth))

    def threshold_curve(self, c: Any) -> Any:
        found = ts.correlate(c["estimate"], truth=c["truth"], coefficient="tau_e")
        return found.thresholds(c["thresholds"], both=False).values.tolist()

    def topics(self, c: Any) -> Any:
        found = ts.correlate(ts.Scores(c["estimate"]), truth=ts.Scores(c["truth"]), coefficient=c["coefficient"])
        return found.by_topic().mean

    def sensitivity(self, c: Any) -> Any:
        scores = ts.Scores(np.loadtxt(self.place(c["matrix"]), delimiter=",", skiprows=1))
        return getattr(ts.expected_correlation(scores, interval=False).sensitivity(), c["field"])

    def kappa(self, c: Any) -> Any:
        first, second = ({"1": {f"d{i}": g for i, g in enumerate(c[k])}} for k in ("first", "second"))
        return getattr(ts.Qrels.read(first).compare(second, weights=c["weights"]), c["field"])

    def p_value(self, c: Any) -> Any:
        scores = ts.Scores(np.column_stack([c["x"], c["y"]]).astype(float), systems=["x", "y"])
        return ts.significance(scores, test=c["test"], correction=None)["x", "y"]


def agrees(expected: Any, got: Any, tolerance: float) -> bool:
    if isinstance(expected, list):
        return len(expected) == len(got) and all(agrees(e, g, tolerance) for e, g in zip(expected, got, strict=True))
    if expected == "nan":
        return math.isnan(got)
    return abs(expected - got) <= tolerance


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    made = Runner(_book())
    yield made
    made.kept.cleanup()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_a_number_of_another_project_is_ours_too(case: dict[str, Any], runner: Runner) -> None:
    lacking = [name for name in case.get("needs", ()) if find_spec(name) is None]
    if lacking:
        pytest.skip(f"{', '.join(lacking)} is not installed: pip install 'ir-measures[cwl-eval]'")
    try:
        got = getattr(runner, case["op"])(case)
    except TauscopeError:
        if not case.get("refusal_counts", False):
            raise
        return
    assert agrees(case["expected"], got, case["tolerance"]), (
        f"{case['source']}: {case['how']} is {got}, and should be {case['expected']} within {case['tolerance']}"
    )
