"""The answer to "what changed between versions of this board?". The words are in `texts/versions.txt`."""

from __future__ import annotations

from ..boards.versions import Change, Step, Versions
from .blocks import Answer, Chart, Table
from .charts import Course, Line, Slope, Timeline
from .wording import Texts, unmarked

TONES = {Change.RANKS: "yes", Change.SCORES: "partly", Change.NONE: "open"}
#: Lines of a chart, where more cannot be followed. The table has all systems.
MOST_LINES, MOST_COURSES = 25, 8


def answer(r: Versions) -> Answer:
    """Put the facts into words, tables and charts."""
    steps = r.steps
    texts = Texts(
        "versions",
        r,
        step=steps[-1],
        steps=steps,
        rose=sum(len(step.rose) for step in steps),
        fell=sum(len(step.fell) for step in steps),
        rescored=sum(len(step.rescored) for step in steps),
        entered=sum(len(step.entered) for step in steps),
        left=sum(len(step.left) for step in steps),
        shared=sum(len(step.systems) for step in steps),
        paired=all(step.topics for step in steps),
        led=list(dict.fromkeys(r.leaders)),
        shown=min(MOST_LINES, len(steps[-1].systems)),
        courses=min(MOST_COURSES, len(r.systems)),
    )
    two = len(steps) == 1
    tables = (_systems(r, texts),) if two else (_steps(r, texts), _systems(r, texts))
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.verdict.value, TONES[r.verdict]),
        advice=texts.prose("advice"),
        numbers=tuple(map(texts.number, ("ranks", "scores", "agreement"))),
        charts=(_slope(steps[0], texts) if two else _timeline(r, texts),),
        claims=texts.claims(),
        tables=tables,
        prose=tuple(map(texts.prose, ("methods", "reading", "rule_prose", "references"))),
    )


def _slope(step: Step, texts: Texts) -> Chart:
    moves = {1: "up", -1: "down", 0: "noise"}
    rows = list(zip(step.systems, step.old_rank.tolist(), step.new_rank.tolist(), step.moved.tolist(), strict=True))
    first = sorted(rows, key=lambda row: (row[3] == 0, row[2]))[:MOST_LINES]
    lines = tuple(
        Line(label=name, left=old, right=new, move="same" if old == new and not move else moves[move])
        for name, old, new, move in sorted(first, key=lambda row: row[2])
    )
    legend = texts.named("moves")
    seen = {line.move for line in lines}
    figure = Slope(
        left=step.before,
        right=step.after,
        lines=lines,
        legend=tuple((move, text) for move, text in legend.items() if move in seen),
        description=unmarked(texts("headline")),
    )
    return texts.chart("slope", figure)


def _timeline(r: Versions, texts: Texts) -> Chart:
    courses = tuple(
        Course(label=name, values=tuple(r.rank[:, k]), lows=tuple(r.low[:, k]), highs=tuple(r.high[:, k]))
        for k, name in enumerate(r.systems[:MOST_COURSES])
    )
    figure = Timeline(
        times=r.names, courses=courses, title=texts("timeline_axis"), description=unmarked(texts("headline"))
    )
    return texts.chart("timeline", figure)


def _steps(r: Versions, texts: Texts) -> Table:
    kinds = {"before": "name", "after": "name", "shared": "whole", "rose": "whole", "fell": "whole"}
    kinds |= {"rescored": "whole", "entered": "whole", "left": "whole", "tau": "number"}
    rows = (
        (
            s.before,
            s.after,
            len(s.systems),
            *(len(getattr(s, name)) for name in ("rose", "fell", "rescored", "entered", "left")),
            s.tau,
        )
        for s in r.steps
    )
    return texts.table("steps", kinds, rows)


def _systems(r: Versions, texts: Texts) -> Table:
    moves = texts.named("move_words")
    kinds = {"before": "name", "after": "name"} if len(r.steps) > 1 else {}
    kinds |= {
        "system": "name",
        "old_rank": "whole",
        "old_interval": "range",
        "new_rank": "whole",
        "new_interval": "range",
    }
    kinds |= {"moved": "text", "change": "number", "error": "number", "p": "p"}
    rows = []
    for step in r.steps:
        ends = ((step.before, step.after),) * len(step.systems) if len(r.steps) > 1 else ((),) * len(step.systems)
        old = zip(step.old_low.tolist(), step.old_high.tolist(), strict=True)
        new = zip(step.new_low.tolist(), step.new_high.tolist(), strict=True)
        words = [moves[str(move)] for move in step.moved.tolist()]
        columns = (step.systems, step.old_rank, old, step.new_rank, new, words, step.change, step.change_error, step.p)
        rows += [(*end, *row) for end, row in zip(ends, zip(*columns, strict=True), strict=True)]
    return texts.table("systems", kinds, rows, detail=("error",))
