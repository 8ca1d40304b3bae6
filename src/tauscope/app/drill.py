"""From a pair to its topics, and from a topic to its documents: the way to understand a disagreement."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import CallError
from ..evaluation.evaluate import evaluate
from ..evaluation.qrels import Qrels, read_qrels
from ..evaluation.runs import read_run
from ..jobs.progress import Progress
from ..scores import Scores
from .questions import OneJudge, Question
from .questions.base import as_data

#: Documents of a run that are looked at, and those seen differently whose effect is computed.
DEPTH, EFFECTS = 1000, 40


def pair_by_topics(question: Question, first: str, second: str) -> dict[str, Any]:
    """Both systems on every topic, by both sides; where the sides differ most comes first."""
    estimate, truth = question.sides if isinstance(question, OneJudge) else (None, None)
    names = question.names if isinstance(question, OneJudge) else ()
    if not isinstance(estimate, Scores) or not isinstance(truth, Scores):
        raise CallError("A pair is looked at where a judge and the truth have scores on topics.")
    sides = {}
    for name, scores in (("truth", truth), ("estimate", estimate)):
        for system in (first, second):
            if system not in scores.systems:
                raise CallError(f"There is no system {system!r} in {name}.")
        sides[name] = {
            topic: tuple(map(float, row))
            for topic, row in zip(scores.topics, scores.select(systems=[first, second]).values, strict=True)
        }
    shared = [topic for topic in sides["truth"] if topic in sides["estimate"]]
    found: list[dict[str, Any]] = [
        {
            "topic": topic,
            "truth": list(sides["truth"][topic]),
            "estimate": list(sides["estimate"][topic]),
            "truth_difference": _gap(sides["truth"][topic]),
            "estimate_difference": _gap(sides["estimate"][topic]),
        }
        for topic in shared
    ]
    found.sort(key=lambda row: -abs(row["truth_difference"] - row["estimate_difference"]))
    return as_data({"first": first, "second": second, "names": list(names), "topics": found})


def _gap(pair: tuple[float, ...]) -> float:
    return pair[0] - pair[1]


def documents_of_topic(
    runs: Mapping[str, Path], judges: tuple[Path, Path], topic: str, measure: str, *, progress: Progress
) -> dict[str, Any]:
    """What the systems found for one topic with the grades of both judges, and what each different grade does.

    The effect of a document is what the measure would be under the judge, had it given this document the grade of the
    truth, minus what it is.
    """
    grades = [_grades(read_qrels(path), topic) for path in judges]
    estimate, truth = grades
    found: list[dict[str, Any]] = []
    for place, (system, path) in enumerate(runs.items(), start=1):
        run = read_run(path, system)
        if topic not in run.topics:
            found.append({"system": system, "documents": [], "values": [None, None]})
            continue
        ranked = run.ranked(topic)[:DEPTH]
        as_run = {system: {topic: {document: float(-rank) for rank, document in enumerate(ranked)}}}
        values = [_value(as_run, {topic: one}, measure) for one in grades]
        rows = []
        left = EFFECTS
        for rank, document in enumerate(ranked, start=1):
            given, right = estimate.get(document), truth.get(document)
            row: dict[str, Any] = {"rank": rank, "document": document, "estimate": given, "truth": right}
            if given != right and left > 0:
                left -= 1
                changed = {name: grade for name, grade in estimate.items() if name != document}
                changed |= {} if right is None else {document: right}
                after = _value(as_run, {topic: changed}, measure)
                row["effect"] = None if after is None or values[0] is None else after - values[0]
            rows.append(row)
        different = [row for row in rows if row["estimate"] != row["truth"]]
        shown = [row for row in rows[:20] if row["estimate"] == row["truth"]] + different[:100]
        shown.sort(key=lambda row: row["rank"])
        found.append({"system": system, "values": values, "documents": shown, "different": len(different)})
        progress(place, len(runs))
    return as_data({"topic": topic, "measure": measure, "systems": found})


def _grades(qrels: Qrels, topic: str) -> dict[str, float]:
    """Document -> grade."""
    entries = zip(qrels.topic_of_entry.tolist(), qrels.document_list(), qrels.grades.tolist(), strict=True)
    return {document: grade for place, document, grade in entries if qrels.topics[place] == topic}


def _value(run: dict[str, Any], qrels: dict[str, dict[str, float]], measure: str) -> float | None:
    if not any(qrels.values()):
        return None
    return float(evaluate(run, qrels, [measure], threads=1).values[0, 0, 0])
