"""`read()` and `check()`: what is this file, and what is wrong with the scores in it?"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from .boards.published import read_published
from .boards.repeats import read_repeats
from .core import checking
from .data.cube import ScoreCube
from .data.findings import Findings, Rule, problems, problems_of_pair
from .data.labels import Remark, shown
from .data.scores import Scores
from .errors import Advice, CallError, FileError
from .evaluation.qrels import read_qrels
from .evaluation.runs import Runs, read_run
from .inference.reliability import FEWEST_IN_TWO
from .inference.true_means import ENOUGH_FOR_A_COLLECTION, LEAST, LEAST_FOR_A_COLLECTION, Observed
from .io.columns import read_battles, read_groups
from .io.door import scores_or_cube
from .io.numerals import is_float
from .io.read import kind_of, read_cube, read_ranking
from .io.streams import MAX_BYTES, open_start
from .results import count

#: Lines of a file that are looked at.
LINES = 30
#: Columns of those lines, where they are not separated by a comma, a tab or a semicolon.
MOST = 200


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of file: its name, what people call it, how it is read, and the options that reading takes."""

    name: str
    title: str
    read: Callable[..., Any]
    options: tuple[str, ...] = ()
    #: Those of the options that name one column each.
    columns: tuple[str, ...] = ()


def read(source: Any, *, kind: str | None = None, **options: Any) -> Any:
    """Read a file of any kind: scores, a ranking, battles, published scores, repeated runs, judgments, runs or groups.

    The kind is found from the first lines. Use it in a notebook to look at a file; a program that knows what it expects
    should call `Scores.read()`, `Battles.read()` and so on, which return one type and refuse everything else.

    Parameters
    ----------
    source : path
        A file, or a folder of files that belong together.
    kind : str, optional
        One of "scores", "ranking", "battles", "published", "repeats", "judgments", "runs" and "groups"; by default it
        is found from the file.
    **options
        Options of the reader of that kind, such as `measure` of `Scores.read()`.

    Returns
    -------
    Scores, ScoreCube, Ranking, Battles, Published, Repeats, Qrels, Runs or dict
        Whatever the file holds; scores by several measures are a `ScoreCube`, and groups a dict.

    Raises
    ------
    FileError
        If the file cannot be read as that kind; the error says how to fix it.

    Examples
    --------
    >>> import tauscope
    >>> tauscope.read("board.csv")  # doctest: +SKIP
    Scores: 12 systems x 50 topics
    >>> tauscope.read("arena.jsonl", kind="battles")  # doctest: +SKIP
    Battles: 1,420 battles of 9 systems
    """
    path = Path(source)
    if kind is None:
        kind = kind_of(path)
    own = KINDS[checking.one_of(kind, tuple(KINDS), "kind")]
    unknown = set(options) - {*own.options, "max_bytes"}
    if unknown:
        raise CallError(f"{sorted(unknown)[0]}= means nothing for {own.title}.")
    return own.read(path, **options)


def check(*scores: Any, names: Sequence[str] | None = None) -> Findings:
    """Find what in these scores would trouble a comparison of the systems, and say what to do about it.

    In one set of scores it looks for columns that are not scores, summaries, a layout that was guessed, topics on
    different scales or on which lower seems to be better, systems with few scores, negative grades, rounded values and
    the ties they make, constant and duplicate systems, constant topics, missing cells, values outside the range of the
    measure, scores in percent, too few topics, and groups of systems. In two it also looks for unmatched systems and
    topics, names that differ only by spelling, the same scores on both sides, and different scales.

    Parameters
    ----------
    *scores : Scores, ScoreCube or measures.Table, or what their read() takes
        The scores to check; two sets are also compared with each other.
    names : sequence of str, optional
        What several sets of scores are called in the findings; "first" and "second" by default.

    Returns
    -------
    Findings
        Errors first, then warnings and notes; empty if there is nothing to report.

    Raises
    ------
    CallError
        If these are not scores.

    Examples
    --------
    >>> from tauscope import Scores, check
    >>> check(Scores([[0.1, 0.2]] * 30, measure="AP")).codes
    ('constant-system',)
    >>> one, two = Scores([[0.1, 0.2]], ["1"], ["a", "b"]), Scores([[0.1, 0.2]], ["1"], ["a", "c"])
    >>> "systems-on-one-side" in check(one, two).codes
    True
    """
    if not scores:
        raise CallError("check() needs scores.", Advice("check(Scores.read('scores.csv'))"))
    sides = [scores_or_cube(own, "check()") for own in scores]
    if len(sides) == 1:
        found = list(problems(sides[0], every=True, more=RULES_OF_SAMPLES))
    else:
        called = list(names or (["first", "second"] if len(sides) == 2 else map(str, range(1, len(sides) + 1))))
        if len(called) != len(sides):
            raise CallError(f"names={names!r}: give one name for each of the {len(sides)} sets of scores.")
        found = [
            one.at(f"{name}: {one.where}" if one.where else name)
            for name, own in zip(called, sides, strict=True)
            for one in problems(own, every=True, more=RULES_OF_SAMPLES)
        ]
        boards = [own for own in sides if isinstance(own, Scores)]
        if len(boards) == len(sides) == 2:
            found += problems_of_pair(boards[0], boards[1], (called[0], called[1]), every=True)
    return Findings.of((own.headline() for own in sides), found)


def _few_topics(scores: Scores) -> Iterator[Remark]:
    n = len(scores.topics)
    if n < ENOUGH_FOR_A_COLLECTION:
        yield Remark(
            f"there {'is' if n == 1 else 'are'} only {count(n, 'topic')}",
            code="few-topics",
            severity="warning" if n < LEAST_FOR_A_COLLECTION else "note",
            effect="the order of close systems is mostly chance, and split-half methods have little to split",
            suggestion="report an interval with every coefficient, or collect more topics",
        )


def _in_groups(scores: Scores) -> Iterator[Remark]:
    if scores.has_holes or len(scores.topics) < LEAST or len(scores.systems) < FEWEST_IN_TWO:
        return
    observed = Observed.of(scores.values)
    split = observed.local.split
    if split is not None:
        sizes = " above ".join(f"{len(part.systems):,}" for part in split)
        yield Remark(
            f"the systems come in {'two' if len(split) == 2 else 'three'} groups that are apart, {sizes}",
            where=shown([scores.systems[observed.order[i]] for i in split[-1].systems], 5),
            code="in-groups",
            severity="note",
            effect="pairs of different groups are easy and lift every correlation, whatever the order inside the "
            "groups",
            suggestion="look at the groups apart too: expected_correlation() shows the top 75 % and the top 20",
        )


#: Rules of `check()` that rest on the models of inference.
RULES_OF_SAMPLES = (Rule(_few_topics, check=True, samples=True), Rule(_in_groups, check=True, samples=True))


def first_lines(path: Path, *, max_bytes: int = MAX_BYTES) -> list[str]:
    """Return the first lines of a text; nothing of a table that is not a text."""
    try:
        with open_start(path, max_bytes=max_bytes) as text:
            return text.head[:LINES]
    except FileError:
        with path.open("rb") as raw:
            if raw.read(4) == b"PAR1":
                return []
        raise


def first_cells(head: Sequence[str], rows: int = LINES) -> list[list[str]]:
    """Split lines into cells; of JSON lines, the keys of the first record and the values of all."""
    lines = [line for line in head if line.strip()][:rows]
    if not lines:
        return []
    raw = [[line.rstrip()[:MOST]] for line in lines]
    if lines[0].lstrip().startswith("{"):
        try:
            records = [json.loads(line) for line in lines]
        except ValueError:
            return raw
        keys = list(records[0]) if isinstance(records[0], dict) else []
        return [keys, *([str(record.get(key, ""))[:MOST] for key in keys] for record in records)]
    delimiter = next((mark for mark in ("\t", ",", ";") if mark in lines[0]), None)
    if delimiter is None:
        return [line.split()[:MOST] for line in lines]
    try:
        return list(islice(csv.reader(io.StringIO("".join(lines)), delimiter=delimiter), rows))
    except csv.Error:
        return raw


def _scores(path: Path, **options: Any) -> Any:
    """Scores by one measure, or a cube."""
    measure = options.pop("measure", None)
    found: ScoreCube = read_cube(path, **{"missing": "keep"} | options)
    if measure is not None or len(found.measures) == 1:
        return found[measure or found.measures[0]]
    return found


def _runs(path: Path, **options: Any) -> Any:
    if "max_bytes" in options and path.is_file():
        return Runs([read_run(path, **options)])
    return Runs.read(path, **{name: value for name, value in options.items() if name != "max_bytes"})


def _groups(path: Path, **options: Any) -> dict[str, str]:
    """Two columns of texts; numbers in the second one are scores."""
    found = dict(read_groups(path, **options))
    if sum(is_float(group) for group in found.values()) * 2 > len(found):
        raise CallError("The second column holds numbers: these are scores, not groups.")
    return found


_PUBLISHED = ("system", "score", "error", "interval", "low", "high", "items")
_REPEATS = ("system", "topic", "run", "score", "cluster")
_BATTLES = ("first", "second", "winner")
KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            name="scores",
            title="scores on topics",
            read=_scores,
            options=("format", "columns", "measure", "missing", "lower_is_better", "collection"),
        ),
        Kind(name="judgments", title="judgments (qrels)", read=read_qrels),
        Kind(name="runs", title="runs", read=_runs, options=("names",)),
        Kind(
            name="battles",
            title="battles",
            read=read_battles,
            options=(*_BATTLES, "missing", "self_battles"),
            columns=_BATTLES,
        ),
        Kind(
            name="published",
            title="published scores with errors",
            read=read_published,
            options=(*_PUBLISHED, "level", "lower_is_better"),
            columns=_PUBLISHED,
        ),
        Kind(name="repeats", title="scores of repeated runs", read=read_repeats, options=_REPEATS, columns=_REPEATS),
        Kind(
            name="ranking",
            title="a list of systems",
            read=read_ranking,
            options=("columns", "measure", "lower_is_better"),
        ),
        Kind(name="groups", title="groups of systems", read=_groups),
    )
}
