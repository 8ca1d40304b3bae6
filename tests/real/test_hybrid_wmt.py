"""People and metrics of WMT23 en-de together: the expected tau is not below that of people alone, nor said to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tauscope import Scores, hybrid


def segments(path: Path) -> dict[str, list[float]]:
    """System -> its scores, segment by segment."""
    found: dict[str, list[float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        system, score = line.split("\t")
        found.setdefault(system, []).append(float("nan") if score == "None" else float(score))
    return found


@pytest.mark.parametrize("over", ["population", "topics"])
@pytest.mark.parametrize("metric", ["MetricX-23-refA", "BLEU-refA", "Random-sysname-src"])
def test_a_metric_on_all_segments_is_never_behind_people_on_460_of_them(shared: Path, metric: str, over: str) -> None:
    folder = shared / "data" / "real" / "wmt23"
    if not folder.is_dir():
        pytest.skip(f"no WMT23 in {shared} (set TAUSCOPE_SHARED)")
    people = segments(folder / "human-scores" / "en-de.mqm.seg.score")
    machine = segments(folder / "metric-scores" / "en-de" / f"{metric}.seg.score")
    systems = tuple(system for system in people if system in machine and system != "refA")
    own, judge = (np.array([side[system] for system in systems]).T for side in (people, machine))
    there = np.flatnonzero(~np.isnan(own).any(axis=1))
    topics = tuple(map(str, range(len(own))))
    human = Scores(own[there], topics=[topics[i] for i in there], systems=systems)
    found = hybrid(human, Scores(judge, topics=topics, systems=systems), over=over)
    assert found.expected_tau >= found.expected_tau_of_people
    assert found.worth >= 460
    assert (
        ("does not make the ranking better" in str(found))
        == found.people_alone
        == ("as with" not in found.methods_sentence())
    )
