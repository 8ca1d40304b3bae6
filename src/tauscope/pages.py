"""`report()`: from scores, votes or runs to one page, which is a list of answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from .boards.bradley_terry import BradleyTerry
from .boards.published import Published
from .boards.ranks import rank
from .boards.repeats import Repeats
from .coefficients.correlate import correlate
from .core.checking import Progress, Rng, remembered
from .data.battles import Battles
from .data.cube import ScoreCube
from .data.ranking import Ranking
from .data.scores import Scores
from .data.table import MeasureTable
from .errors import Advice, CallError
from .evaluation.evaluate import evaluate
from .evaluation.runs import Runs
from .inference.expected_correlation import expected_correlation
from .inference.significance import significance
from .inference.true_means import shared_observations
from .io.door import is_readable, scores_or_cube
from .io.streams import write_bytes
from .judges.audit import audit
from .judges.compare import compare
from .judges.hybrid import Hybrid
from .measures.correlation import correlations as measure_correlations
from .results import Result, plain

#: Measures that are computed from runs if none are named.
MEASURES = ("AP", "nDCG@20", "P@10", "RR")
#: Pairs of systems up to which a page lists differences.
MOST_PAIRS = 50_000
#: What a page is written as.
ENDINGS = (".html", ".htm", ".json", ".md")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Report:
    """A page: the results of several questions, and their answers in reading order.

    Attributes
    ----------
    title : str
        The title of the page.
    results : tuple of Result
        The results behind the answers; the first is what the page opens with.
    seed : int
        The seed of all random numbers.

    Examples
    --------
    >>> from tauscope import Scores, report
    >>> page = report(Scores([[0.5, 0.3, 0.1], [0.6, 0.2, 0.3], [0.4, 0.3, 0.2], [0.5, 0.3, 0.2]]), rng=1)
    >>> page.results[0].QUESTION
    'ranks'
    >>> "<script>" in page.html()
    True
    """

    title: str
    results: tuple[Result, ...] = field(default=())
    seed: int = 0

    def __str__(self) -> str:
        from .render import terminal

        return "\n\n".join([self.title, *(terminal.headline(result.answer()) for result in self.results)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.results[0]._repr_html_()

    def html(self) -> str:
        """Return the page as one file that loads nothing and sends nothing.

        Returns
        -------
        str
        """
        from .render import html

        return html.page([result.answer() for result in self.results], self.title)

    def markdown(self) -> str:
        """Return all answers as Markdown.

        Returns
        -------
        str
        """
        from .render import markdown

        return "\n".join(markdown.render(result.answer()) for result in self.results)

    def to_dict(self) -> dict[str, Any]:
        """Return facts and answers as plain values, ready for JSON.

        Returns
        -------
        dict
            "schema", "title", "seed" and "answers", one document per question.
        """
        from .render import json

        answers = [json.document(result) for result in self.results]
        return json.record(title=self.title, seed=self.seed, answers=plain(answers))

    def write(self, path: str | Path) -> Path:
        """Write the page as its ending says: .html, .json or .md.

        Parameters
        ----------
        path : str or Path
            Where the page goes.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        CallError
            If the file has another ending, or cannot be written.
        """
        import json

        file = Path(path)
        check_target(file)
        kinds: dict[str, Callable[[], str]] = {
            ".json": lambda: json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n",
            ".md": self.markdown,
        }
        write_bytes(file, kinds.get(file.suffix.lower(), self.html)().encode("utf-8", "replace"))
        return file


def check_target(file: Path) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    if file.suffix.lower() not in ENDINGS:
        raise CallError(f"{file}: a report is written as .html, .json or .md.")
    if not file.parent.is_dir():
        raise CallError(f"{file}: there is no folder {file.parent}.", Advice("Make it first."))
    if file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
        raise CallError(f"{file}: it cannot be written.", Advice("Choose another place."))


def report(
    source: Any,
    *,
    truth: Any = None,
    qrels: Any = None,
    people: Mapping[str, Any] | None = None,
    measures: Any = None,
    groups: Mapping[str, str] | None = None,
    unmatched: Literal["error", "drop"] = "error",
    title: str = "",
    rng: Rng = 0,
    progress: Progress | None = None,
) -> Report:
    """Make one page with the answers to all questions that the input can answer.

    One set of scores is a board: its ranks, whether they would hold on new topics, which differences are significant.
    With a truth, the page opens with whether the judge can replace it. Do not make a page to get one number: the
    functions behind the answers (`compare()`, `rank()`, `expected_correlation()`, …) return it without the rest, and
    have more options.

    Parameters
    ----------
    source : Scores, several judges, Battles, published scores, a hybrid, runs, or results
        What the page is about. A dict of names and scores is several judges; with `qrels`, runs that `evaluate()`
        takes; a result, or a list of results, becomes a page as it is.
    truth : Scores or ranking, optional
        The reference that is correct by definition.
    qrels : judgments, or a list of two, optional
        Judgments of the runs; of two, the first are those of people and the second those of a judge.
    people : dict of str to Scores, optional
        Scores of single people beside judges.
    measures : str or list of str, optional
        Measures to compute from runs, or to look at in scores of several measures; the page is about the first.
    groups : dict of str to str, optional
        System to group: does the judge prefer a group?
    unmatched : {"error", "drop"}, default "error"
        What to do with systems that one side lacks.
    title : str, default ""
        The title of the page.
    rng : int, Generator or None, default 0
        The seed of all intervals.
    progress : callable, optional
        `progress(done, total)` is called after each question.

    Returns
    -------
    Report

    Raises
    ------
    CallError
        If the input is nothing that a page can be about.

    See Also
    --------
    compare, rank, expected_correlation, significance : The questions behind the page.

    Examples
    --------
    >>> from tauscope import demo, report
    >>> collection = demo(depth=30)
    >>> page = report(collection.runs, qrels=collection.qrels, measures="AP")
    >>> page.results[0].QUESTION
    'ranks'
    >>> page.write("board.html")  # doctest: +SKIP
    """
    seed = remembered(rng)
    steps = _questions(source, truth, qrels, people, _listed(measures), groups, unmatched, seed)
    results: list[Result] = []
    with shared_observations():
        for done, step in enumerate(steps, 1):
            made = step()
            results += [one for one in (made if isinstance(made, list) else [made]) if isinstance(one, Result)]
            if progress is not None:
                progress(done, len(steps))
    if not results:
        raise CallError("There is no question that this input can answer.")
    return Report(title=title or _title(results[0]), results=tuple(results), seed=seed)


def _title(result: Result) -> str:
    from .answers.wording import unmarked

    answer = result.answer()
    return unmarked(f"{answer.question} {answer.subject}")


Step = Callable[[], Any]


def _questions(
    source: Any,
    truth: Any,
    qrels: Any,
    people: Any,
    measures: list[str],
    groups: Mapping[str, str] | None,
    unmatched: Literal["error", "drop"],
    seed: int,
) -> list[Step]:
    """Return what is to be asked, in the order of the page."""
    results = [source] if isinstance(source, Result) and not isinstance(source, Hybrid) else source
    if isinstance(results, (list, tuple)) and results and all(isinstance(one, Result) for one in results):
        return [lambda own=one: own for one in results]  # type: ignore[misc]
    if isinstance(source, (Battles, BradleyTerry, Published, Hybrid, Repeats)):
        return [lambda: source, lambda: rank(source, rng=seed)]
    if qrels is not None:
        if truth is not None:
            raise CallError("truth and qrels both name the reference.", Advice("Give one of them."))
        cubes = _judged(source, qrels, measures or list(MEASURES))
        source, truth = (cubes[0], None) if len(cubes) == 1 else (cubes[1], cubes[0])
    known: dict[str, Any] = {"rng": seed}
    if truth is None and not people:
        return _alone(_one(source, measures), source, known)
    judges = {str(name): _one(own, measures) for name, own in source.items()} if _several(source) else None
    judge = _one(source, measures) if judges is None else None
    gold = None if truth is None else _one(truth, measures)
    if isinstance(judge, Ranking) or isinstance(gold, Ranking):
        sides = [own.ranking() if isinstance(own, Scores) else own for own in (judge, gold)]
        return [lambda: correlate(sides[0], truth=sides[1], unmatched=unmatched)]
    more: dict[str, Any] = {} if gold is None else {"truth": gold}
    more |= {} if groups is None else {"groups": groups}
    steps: list[Step] = [lambda: compare(judges or judge, unmatched=unmatched, **more, **known)]
    if people:
        steps = [lambda: audit(judges or judge, people=people, unmatched=unmatched, **more, **known)]
    if isinstance(gold, Scores):
        steps.append(lambda: rank(gold, **known))
    if isinstance(judge, Scores) and isinstance(gold, Scores):
        both = (judge, gold)
        if len(judge.systems) * (len(judge.systems) - 1) // 2 <= MOST_PAIRS:
            steps.append(lambda: significance(both[0], truth=both[1], unmatched=unmatched, **known))
        if judge.topics == gold.topics:
            steps.append(lambda: correlate(both[0], truth=both[1], unmatched=unmatched).by_topic())
    return steps


def _alone(board: Any, source: Any, known: dict[str, Any]) -> list[Step]:
    """Return the questions about one set of scores."""
    if not isinstance(board, Scores):
        advice = Advice("Give its truth: report(ranking, truth=other).")
        raise CallError("One ranking without topics is not enough for a page.", advice)
    steps: list[Step] = [lambda: rank(board, **known)]
    if len(board.topics) > 1 and not board.has_holes:
        steps.append(lambda: expected_correlation(board, **known))
        if len(board.systems) * (len(board.systems) - 1) // 2 <= MOST_PAIRS:
            steps.append(lambda: significance(board, **known))
    if isinstance(source, ScoreCube) and len(source.measures) > 2:
        steps.append(lambda: measure_correlations(source))
    return steps


def _one(source: Any, measures: list[str]) -> Any:
    """Convert scores of any kind to `Scores` by one measure, or to a ranking if there are no topics."""
    if isinstance(source, (Scores, Ranking)):
        return source
    if isinstance(source, (BradleyTerry, Published)):
        return source.ranking()
    if isinstance(source, Mapping) and source and all(isinstance(own, (int, float)) for own in source.values()):
        return Ranking(source)
    if not is_readable(source):
        raise CallError(
            f"report() takes scores, votes, runs or results; this is of type {type(source).__name__}.",
            Advice("Read files with Scores.read(), or measure runs with evaluate()."),
        )
    found = scores_or_cube(source, "report()")
    if isinstance(found, ScoreCube):
        return found[measures[0] if measures else found.measures[0]]
    if isinstance(found, MeasureTable):
        return found.ranking(measures[0] if measures else found.measures[0])
    return found


def _judged(runs: Any, qrels: Any, measures: list[str]) -> list[Any]:
    """Evaluate runs by each set of judgments."""
    given = list(qrels) if isinstance(qrels, (list, tuple)) else [qrels]
    if not 1 <= len(given) <= 2:
        raise CallError(f"{len(given)} qrels: give one, or those of people and those of a judge.")
    own = Runs.read(runs)
    names = ("people", "judge") if len(given) == 2 else ("",)
    return [evaluate(own, one, measures).changed(collection=name) for one, name in zip(given, names, strict=True)]


def _several(source: Any) -> bool:
    """Whether these are judges by name."""
    return isinstance(source, Mapping) and bool(source) and all(is_readable(own) for own in source.values())


def _listed(measures: Any) -> list[str]:
    return [measures] if isinstance(measures, str) else [str(name) for name in measures or ()]
