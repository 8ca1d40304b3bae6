"""Soft pairwise accuracy on WMT23 en-de: mt-metrics-eval's own numbers, to what as many flips leave open."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tauscope import Scores, compare
from tauscope.core.checking import Stream, stream
from tauscope.judges.accuracy import accuracy_of, p_values


def segments(path: Path) -> dict[str, list[float]]:
    """System -> its scores, segment by segment."""
    found: dict[str, list[float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        system, score = line.split("\t")
        found.setdefault(system, []).append(float("nan") if score == "None" else float(score))
    return found


@pytest.fixture(scope="module")
def wmt23(shared: Path) -> tuple[dict, np.ndarray, Path]:
    """The case, people's MQM on the segments that all systems have, and the folder of the metrics."""
    case, folder = shared / "cases" / "spa_wmt23_en-de.json", shared / "data" / "real" / "wmt23"
    if not case.is_file() or not folder.is_dir():
        pytest.skip(f"no WMT23 in {shared} (set TAUSCOPE_SHARED)")
    known = json.loads(case.read_text(encoding="utf-8"))
    human = segments(folder / "human-scores" / "en-de.mqm.seg.score")
    return known, np.array([human[name] for name in known["systems"]]).T, folder / "metric-scores" / "en-de"


def test_with_50000_flips_it_is_the_published_number_to_a_thousandth(wmt23) -> None:
    known, human, folder = wmt23
    kept = ~np.isnan(human).any(axis=1)
    assert kept.sum() == known["segments"]
    signs = stream(0, Stream.FLIPS).integers(0, 2, (50_000, int(kept.sum()))) * 2.0 - 1
    people = p_values(human[kept], signs)
    compared = 0
    for name, expected in known["metrics"].items():
        metric = segments(folder / f"{name}.seg.score")
        values = np.array([metric[system] for system in known["systems"]]).T[kept]
        assert accuracy_of(people, p_values(values, signs)) == pytest.approx(
            expected["spa_50000_flips_seed_4"], abs=0.001
        )
        if not compared:
            found = compare(Scores(values), truth=Scores(human[kept])).soft_accuracy()
            assert found.value == pytest.approx(expected["spa_50000_flips_seed_4"], abs=0.01)
            assert found.accuracy == pytest.approx(expected["pairwise_accuracy"])
            assert found.interval.low < found.value < found.interval.high
        compared += 1
    assert compared >= 10
