"""Files as people have them: two judges, three layouts, and what is odd about them. One list, for the tests and for the
table in the docs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SYSTEMS = ("bm25", "dense", "hybrid", "rerank", "oracle")
TOPICS = tuple(str(number) for number in range(401, 413))


def _values(seed: int) -> np.ndarray[Any, Any]:
    strength = np.array([0.2, 0.3, 0.42, 0.5, 0.6])
    drawn = strength + np.random.default_rng(seed).normal(0, 0.12, (len(TOPICS), len(SYSTEMS)))
    return drawn.clip(0.01, 0.99).round(3)


#: Scores of people and of a machine: topics x systems.
HUMAN, MACHINE = _values(1), _values(2)
Rows = list[list[Any]]


def wide(values: Any = HUMAN, topics: Any = TOPICS, systems: Any = SYSTEMS, first: str = "topic") -> Rows:
    """One row per topic."""
    return [[first, *systems], *([topic, *row] for topic, row in zip(topics, values.tolist(), strict=True))]


def turned(values: Any = HUMAN, topics: Any = TOPICS, systems: Any = SYSTEMS, first: str = "model") -> Rows:
    """One row per system."""
    return [[first, *topics], *([system, *row] for system, row in zip(systems, values.T.tolist(), strict=True))]


def long(values: Any = HUMAN, topics: Any = TOPICS, systems: Any = SYSTEMS) -> Rows:
    """One row per score."""
    rows = [[s, t, values[i, j]] for i, t in enumerate(topics) for j, s in enumerate(systems)]
    return [["system", "topic", "value"], *rows]


LAYOUTS: dict[str, Callable[..., Rows]] = {"wide": wide, "turned": turned, "long": long}


def with_column(rows: Rows, name: str, cells: Any, at: int | None = None) -> Rows:
    """A column more: the cells one after the other, again from the first where there are fewer."""
    place = len(rows[0]) if at is None else at
    own = [name, *(cells[i % len(cells)] for i in range(len(rows) - 1))]
    return [[*row[:place], cell, *row[place:]] for row, cell in zip(rows, own, strict=True)]


def counted(rows: Rows, name: str, start: int = 0) -> Rows:
    """An index in front, as `to_csv()` writes one."""
    return with_column(rows, name, range(start, start + len(rows)), 0)


def text(rows: Rows) -> str:
    """The rows as CSV."""
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


@dataclass(frozen=True, kw_only=True)
class Odd:
    """A file, or two: what is odd, what is done about it, and what is said."""

    #: What it is, for the table.
    what: str
    layout: str
    #: file name -> rows; `a.csv` is read, and with `b.csv` compared against it as the truth.
    files: dict[str, Rows]
    #: "read" (one file: the scores of people), "compare" (the machine against people).
    question: str = "read"
    #: What happens: "left out", "told", "error", "decided".
    answer: str = "decided"
    #: A fragment of what is told, or of the error.
    says: str = ""
    #: Code of the linter, where it has a finding.
    code: str = ""
    #: Options of the readers in Python; the shell has them too.
    options: dict[str, Any] = field(default_factory=dict)
    #: Options of the comparison, such as match and truth_measure.
    compared: dict[str, Any] = field(default_factory=dict)
    #: What must be read where it is not the scores of people.
    values: Any = None
    topics: tuple[str, ...] = TOPICS
    systems: tuple[str, ...] = SYSTEMS
    #: Of an error: the ways out that give the right answer, by argument.
    ways_out: tuple[str, ...] = ()


def _index() -> list[Odd]:
    made = [
        Odd(
            what=f"a column `{name}` that numbers the rows",
            layout=layout,
            files={"a.csv": counted(LAYOUTS[layout](), name)},
            answer="left out",
            says="numbering the rows: " if layout != "long" else "",
            code="index-column" if layout != "long" else "",
        )
        for layout, name in (
            ("wide", "Unnamed: 0"),
            ("turned", "Unnamed: 0"),
            ("long", "Unnamed: 0"),
            ("wide", "index"),
        )
    ]
    unnamed = counted(turned(), "")
    return [
        *made,
        Odd(
            what="a column without a name that numbers the rows",
            layout="turned",
            files={"a.csv": unnamed},
            answer="left out",
            says="numbering the rows",
            code="index-column",
        ),
    ]


def _summaries() -> list[Odd]:
    mean_row = [["mean", *HUMAN.mean(axis=0).round(4)]]
    means = HUMAN.mean(axis=0).round(4).tolist()
    best = with_column(wide(), "average", HUMAN.mean(axis=1).round(4).tolist())
    board = with_column(turned(), "Mean (Task)", means)
    ranked = with_column(turned(), "rank", [5, 4, 3, 2, 1], 1)
    by_topic = long() + [[s, "all", m] for s, m in zip(SYSTEMS, means, strict=True)]
    overall = with_column(with_column(turned(), "Overall score", means), "Average", means)
    average_row = [*turned(), ["Average", *HUMAN.mean(axis=1).round(4)]]
    named = {"code": "summary-column", "says": "summaries of the others by name", "answer": "left out"}
    rows = {"code": "summary-row", "says": "but a summary", "answer": "left out"}
    many = np.random.default_rng(9).uniform(0.2, 0.9, (len(TOPICS), 12)).round(3)
    models = tuple(f"model{i}" for i in range(12))
    board_of_many = with_column(
        turned(many, systems=models), "livebench_240725", many.mean(axis=0).round(3).tolist(), 2
    )
    return [
        Odd(
            what="a column `livebench_240725` that is the mean of the others",
            layout="turned",
            files={"a.csv": board_of_many},
            values=many,
            systems=models,
            code="mean-topic",
            says="whose scores are the mean of the others",
            answer="left out",
        ),
        Odd(what="a column `average`", layout="wide", files={"a.csv": best}, **named),
        Odd(what="a column `Mean (Task)`", layout="turned", files={"a.csv": board}, **named),
        Odd(what="a column `rank`", layout="turned", files={"a.csv": ranked}, **named),
        Odd(what="columns `Overall score` and `Average`", layout="turned", files={"a.csv": overall}, **named),
        Odd(what="a row `mean`", layout="wide", files={"a.csv": [*wide(), *mean_row]}, **rows),
        Odd(what="a row `all`", layout="wide", files={"a.csv": [*wide(), ["all", *mean_row[0][1:]]]}, **rows),
        Odd(what="a row `Average`", layout="turned", files={"a.csv": average_row}, **rows),
        Odd(what="rows of the topic `all`", layout="long", files={"a.csv": by_topic}, **rows),
        Odd(
            what="a topic `all` that is no mean",
            layout="long",
            files={"a.csv": long() + [[s, "all", 0.9 - 0.1 * i] for i, s in enumerate(SYSTEMS)]},
            answer="told",
            says="a summary of others by name",
            code="summary-topic",
            values=np.vstack([HUMAN, [[0.9, 0.8, 0.7, 0.6, 0.5]]]),
            topics=(*TOPICS, "all"),
        ),
    ]


def _no_scores() -> list[Odd]:
    sizes, votes = [7, 70, 13, 405, 1.5], [55826, 1203, 874, 23748, 90]
    dates, licences = (
        ["2024-05-13", "2023/10", "2024-01-02", "2023-07-18", "2022-11-30"],
        ["MIT", "MIT", "other", "MIT", "GPL"],
    )
    several = with_column(with_column(turned(), "#Params (B)", sizes), "license", licences)
    named = {"code": "no-score-column", "says": "no scores by name", "answer": "left out"}
    texts = {"code": "text-column", "says": "texts: ", "answer": "left out"}
    broken = wide()
    broken[3][2] = "0.3x"
    return [
        Odd(what="a column of sizes, `#Params (B)`", layout="turned", files={"a.csv": several}, **named),
        Odd(what="a column of votes", layout="turned", files={"a.csv": with_column(turned(), "votes", votes)}, **named),
        Odd(
            what="a column of years",
            layout="turned",
            files={"a.csv": with_column(turned(), "release year", [2022, 2023, 2024, 2023, 2025])},
            **named,
        ),
        Odd(
            what="a column of dates",
            layout="turned",
            files={"a.csv": with_column(turned(), "released", dates, 1)},
            **texts,
        ),
        Odd(
            what="a column of texts",
            layout="wide",
            files={"a.csv": with_column(wide(), "comment", ["easy", "hard"])},
            **texts,
        ),
        Odd(
            what="a column of texts before the names",
            layout="turned",
            files={"a.csv": with_column(turned(), "organization", licences, 0)},
            **texts,
        ),
        Odd(
            what="a size that is a task all the same",
            layout="turned",
            files={"a.csv": with_column(turned(), "size", [0.11, 0.12, 0.13, 0.14, 0.15])},
            options={"columns": "keep=size"},
            values=np.vstack([HUMAN, [[0.11, 0.12, 0.13, 0.14, 0.15]]]),
            topics=(*TOPICS, "size"),
        ),
        Odd(
            what="a cell that is no number",
            layout="wide",
            files={"a.csv": broken},
            answer="error",
            says="'0.3x' in the column 'dense' is not a number",
        ),
        Odd(
            what="a system whose scores are sizes",
            layout="wide",
            files={"a.csv": with_column(wide(), "gpu", [1500.5, 2900.25, 7000.125])},
            answer="told",
            says="its scores go up to 7000.12",
            code="another-scale",
            values=np.column_stack([HUMAN, [[1500.5], [2900.25], [7000.125]] * 4]),
            systems=(*SYSTEMS, "gpu"),
        ),
    ]


def _names() -> list[Odd]:
    called = ("name", "value", "score", "run", "model")
    few = wide(HUMAN[:, :2], systems=("name", "value"))
    grades = (HUMAN * 4).round()
    topics = ("runid", *TOPICS[1:])
    queries = ("query", *TOPICS[1:])
    return [
        Odd(
            what="systems called name, value, score, run and model",
            layout="wide",
            files={"a.csv": wide(systems=called)},
            systems=called,
        ),
        Odd(
            what="two systems, called name and value",
            layout="wide",
            files={"a.csv": few},
            values=HUMAN[:, :2],
            systems=("name", "value"),
        ),
        Odd(
            what="systems called run and score, with grades",
            layout="wide",
            files={"a.csv": wide(grades, systems=("run", "score", "c", "d", "e"))},
            values=grades,
            systems=("run", "score", "c", "d", "e"),
        ),
        Odd(
            what="a system called score among others",
            layout="wide",
            files={"a.csv": wide(systems=("score", *SYSTEMS[1:]))},
            systems=("score", *SYSTEMS[1:]),
            answer="error",
            says="all hold numbers",
            ways_out=("format",),
        ),
        Odd(what="a topic called `runid`", layout="turned", files={"a.csv": turned(topics=topics)}, topics=topics),
        Odd(what="a topic called `runid`", layout="wide", files={"a.csv": wide(topics=topics)}, topics=topics),
        Odd(what="a topic called `query`", layout="turned", files={"a.csv": turned(topics=queries)}, topics=queries),
    ]


def _scales() -> list[Odd]:
    mixed = HUMAN.copy()
    mixed[::2] = (mixed[::2] * 100).round(1)
    error = {"answer": "error", "says": "the widest scale would decide", "ways_out": ("aggregate",), "values": mixed}
    tasks = ("accuracy", "WER", *TOPICS[2:])
    errors = HUMAN.copy()
    errors[1] = 1 - errors[1]
    lower: dict[str, Any] = {"values": errors, "topics": tasks}
    told = {"answer": "told", "says": "by name lower is better", "code": "lower-is-better"}
    negated = errors.copy()
    negated[1] *= -1
    perplexed = ("accuracy", "WikiText perplexity", *TOPICS[2:])
    return [
        *(
            Odd(
                what="tasks from 0 to 1 beside tasks from 0 to 100",
                layout=layout,
                files={"a.csv": make(mixed)},
                **error,
            )
            for layout, make in LAYOUTS.items()
        ),
        Odd(what="all tasks from 0 to 100", layout="turned", files={"a.csv": turned(HUMAN * 100)}, values=HUMAN * 100),
        Odd(what="a task `WER`", layout="turned", files={"a.csv": turned(errors, tasks)}, **lower, **told),
        Odd(what="a task `WER`", layout="wide", files={"a.csv": wide(errors, tasks)}, **lower, **told),
        Odd(
            what="a task `WikiText perplexity`",
            layout="long",
            files={"a.csv": long(errors, perplexed)},
            values=errors,
            topics=perplexed,
            **told,
        ),
        Odd(
            what="a task `WER`, said to be lower is better",
            layout="turned",
            files={"a.csv": turned(errors, tasks)},
            options={"lower_is_better": ["WER"]},
            values=negated,
            topics=tasks,
        ),
    ]


def _spelling() -> list[Odd]:
    padded = [f"0{topic}" for topic in TOPICS]
    floats = [f"{topic}.0" for topic in TOPICS]
    started = [f"topic-{topic}" for topic in TOPICS]
    spaced = [f" {topic} " for topic in TOPICS]
    upper = [system.upper() for system in SYSTEMS]
    tagged = [f"{system} " for system in SYSTEMS]
    loose = {"question": "compare", "compared": {"match": "loose"}}
    told = {"question": "compare", "answer": "told", "says": "12 topics of "}
    systems = {"question": "compare", "answer": "error", "says": "spelling only", "ways_out": ("match",)}

    def files(layout: str, **names: Any) -> dict[str, Rows]:
        return {"a.csv": LAYOUTS[layout](MACHINE, **names), "b.csv": wide()}

    return [
        Odd(
            what="ids `0401` beside `401`",
            layout="wide",
            files=files("wide", topics=padded),
            code="topics-spelled-differently",
            **told,
        ),
        Odd(
            what="ids `401.0` beside `401`",
            layout="long",
            files=files("long", topics=floats),
            code="topics-spelled-differently",
            **told,
        ),
        Odd(
            what="ids `topic-401` beside `401`",
            layout="turned",
            files=files("turned", topics=started),
            code="topics-spelled-differently",
            **told,
        ),
        Odd(
            what="ids with spaces around them",
            layout="wide",
            files=files("wide", topics=spaced),
            code="topics-spelled-differently",
            **told,
        ),
        *(
            Odd(what=f"ids {what}, matched loosely", layout=layout, files=files(layout, topics=names), **loose)
            for what, layout, names in (
                ("`0401`", "turned", padded),
                ("`401.0`", "wide", floats),
                ("`topic-401`", "long", started),
            )
        ),
        Odd(what="systems in capitals", layout="wide", files=files("wide", systems=upper), **systems),
        Odd(what="systems with a space behind", layout="long", files=files("long", systems=tagged), **systems),
        Odd(what="systems in capitals", layout="turned", files=files("turned", systems=upper), **systems),
    ]


def _sides() -> list[Odd]:
    fewer = wide(MACHINE[3:], TOPICS[3:])
    both = [["topic", "system", "judge", "value"]]
    for judge, values in (("human", HUMAN), ("gpt", MACHINE)):
        both += [[t, s, judge, values[i, j]] for i, t in enumerate(TOPICS) for j, s in enumerate(SYSTEMS)]
    beside = [["topic", "judge", *SYSTEMS]]
    models = [["model", "judge", *TOPICS]]
    for judge, values in (("human", HUMAN), ("gpt", MACHINE)):
        beside += [[t, judge, *row] for t, row in zip(TOPICS, values.tolist(), strict=True)]
        models += [[s, judge, *row] for s, row in zip(SYSTEMS, values.T.tolist(), strict=True)]
    columns = [["topic", "system", "human", "gpt"]]
    columns += [[t, s, HUMAN[i, j], MACHINE[i, j]] for i, t in enumerate(TOPICS) for j, s in enumerate(SYSTEMS)]
    judges: dict[str, Any] = {
        "question": "compare",
        "options": {"measure": "gpt"},
        "compared": {"truth_measure": "human"},
    }
    asks = {"answer": "error", "says": "has 2 measures: ", "ways_out": ("measure",)}
    copied, thin = HUMAN.copy(), HUMAN.copy()
    copied[:, 1] = copied[:, 0]
    thin[:8, 2] = np.nan
    graded = (HUMAN * 3).round() - 1
    return [
        Odd(
            what="9 topics on one side, 12 on the other",
            layout="wide",
            files={"a.csv": fewer, "b.csv": wide()},
            question="compare",
            answer="told",
            says="3 of 12 topics are only in ",
            code="topics-on-one-side",
        ),
        Odd(
            what="the same scores on both sides",
            layout="wide",
            files={"a.csv": wide(), "b.csv": wide()},
            question="compare",
            answer="told",
            says="hold the same score in every cell",
            code="same-data",
            values=HUMAN,
        ),
        Odd(
            what="the same scores in two layouts",
            layout="turned",
            files={"a.csv": turned(), "b.csv": long()},
            question="compare",
            answer="told",
            says="hold the same score in every cell",
            code="same-data",
            values=HUMAN,
        ),
        *(
            Odd(what=what, layout=layout, files={"a.csv": rows, "b.csv": rows}, **judges)
            for what, layout, rows in (
                ("two judges in a column `judge`", "long", both),
                ("two judges in a column `judge`", "wide", beside),
                ("two judges in a column `judge`", "turned", models),
                ("two judges, a column each", "long", columns),
            )
        ),
        Odd(what="two judges, and nobody says which", layout="long", files={"a.csv": both}, **asks),
        Odd(what="two judges, and nobody says which", layout="wide", files={"a.csv": beside}, **asks),
        Odd(
            what="copies of a system",
            layout="wide",
            files={"a.csv": wide(copied)},
            answer="told",
            says="have the same score on every topic",
            code="duplicate-systems",
            values=copied,
        ),
        Odd(
            what="a system with 4 of 12 topics",
            layout="turned",
            files={"a.csv": turned(thin)},
            answer="told",
            says="less than half of the 12 topics",
            code="thin-system",
            values=thin,
            options={"missing": "keep"},
        ),
        Odd(
            what="grades of -1",
            layout="wide",
            files={"a.csv": wide(graded)},
            answer="told",
            says="below 0, down to -1",
            code="negative-grades",
            values=graded,
        ),
    ]


def _turns() -> list[Odd]:
    models = ("gpt-4o", "llama-3-8b", "qwen-2", "claude-3", "gemma-2b")
    trees = ("oak", "elm", "ash", "fir", "yew", "bay", "fig", "box", "may", "sal", "teak", "pine")
    colours = ("red", "blue", "green", "white", "black")
    arena = [["rank", "model", "arena_score", "95_pct_ci", "votes"]]
    arena += [[5 - i, s, 1000 + 50 * i, "+5/-4", 9000 - i] for i, s in enumerate(SYSTEMS)]
    unclear = {"answer": "error", "says": "name topics or systems?", "ways_out": ("format",)}
    other = {"question": "compare", "answer": "decided", "says": "the other file has systems"}
    return [
        *(Odd(what="nothing odd", layout=layout, files={"a.csv": make()}) for layout, make in LAYOUTS.items()),
        Odd(
            what="one file with models as rows, one as columns",
            layout="turned",
            files={"a.csv": turned(MACHINE), "b.csv": wide()},
            question="compare",
            says="one row per system",
        ),
        Odd(
            what="names of models under a header that says nothing",
            layout="turned",
            files={"a.csv": turned(systems=models, topics=trees, first="who")},
            systems=models,
            topics=trees,
            says="names of models",
            code="layout",
        ),
        Odd(
            what="names of models under no header",
            layout="turned",
            files={"a.csv": turned(systems=models, topics=trees, first="")},
            systems=models,
            topics=trees,
            says="names of models",
            code="layout",
        ),
        Odd(
            what="numbered topics under a header that says nothing",
            layout="wide",
            files={"a.csv": wide(topics=[f"q{t}" for t in TOPICS], first="which")},
            topics=tuple(f"q{t}" for t in TOPICS),
            says="numbered as topics are",
            code="layout",
        ),
        Odd(
            what="rows that could be topics or systems",
            layout="wide",
            files={"a.csv": wide(topics=trees, systems=colours, first="thing")},
            topics=trees,
            systems=colours,
            **unclear,
        ),
        Odd(
            what="rows that could be either, beside a file that tells",
            layout="turned",
            files={
                "a.csv": turned(MACHINE, topics=trees, systems=colours, first="thing"),
                "b.csv": wide(topics=trees, systems=colours),
            },
            topics=trees,
            **other,
        ),
        Odd(
            what="rows under no header that nothing tells",
            layout="wide",
            files={"a.csv": wide(topics=trees, systems=colours, first="")},
            topics=trees,
            systems=colours,
            answer="told",
            says="nothing says what they are",
            code="layout-guessed",
        ),
        Odd(
            what="a board with one score, the columns named",
            layout="turned",
            files={"a.csv": arena},
            options={"columns": "score=arena_score,name=model"},
            values=np.array([[1000.0, 1050, 1100, 1150, 1200]]),
            topics=("arena_score",),
        ),
        Odd(
            what="a column that is not there",
            layout="turned",
            files={"a.csv": arena},
            options={"columns": "score=elo"},
            answer="error",
            says="there is no column 'elo'; there are 'rank', 'model', 'arena_score', '95_pct_ci', 'votes'",
        ),
    ]


CASES: tuple[Odd, ...] = (
    *_turns(),
    *_index(),
    *_summaries(),
    *_no_scores(),
    *_names(),
    *_scales(),
    *_spelling(),
    *_sides(),
)
ANSWERS = {
    "decided": "read right",
    "left out": "left out, and told",
    "told": "told before any number",
    "error": "an error",
}


def table() -> str:
    """The list for the docs."""
    lines = ["| the file | rows are | what happens |", "|---|---|---|"]
    rows = {"wide": "topics", "turned": "systems", "long": "scores"}
    for case in CASES:
        ways = f" with a way out: `{'`, `'.join(case.ways_out)}`" if case.ways_out else ""
        given = ", ".join(f"`{name}`" for name in (*case.options, *case.compared))
        said = f" (with {given})" if given else ""
        lines.append(f"| {case.what}{said} | {rows[case.layout]} | {ANSWERS[case.answer]}{ways} |")
    return "\n".join(lines) + "\n"
