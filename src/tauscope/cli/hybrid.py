"""`tauscope hybrid`, and `plan --judge`: people on some topics or documents, a judge on all."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from ..errors import CallError, FileError
from ..files.streams import open_text
from ..judges.choose_documents import DocumentSample, choose_documents
from ..judges.choose_topics import TopicSample, choose_topics
from ..judges.hybrid import Hybrid
from ..judges.hybrid import hybrid as combine
from ..judges.hybrid_documents import hybrid_documents
from ..judges.plan_hybrid import plan_hybrid
from ..results import count, number, word
from ..scores import Scores
from . import inputs
from .options import Files, ManyFiles, ManyNumbers, ManyShares, OneSided, OnHoles, OnScores, Seed, labels_in
from .output import show, show_table
from .progress import progress


def hybrid(
    human: Path,
    /,
    *,
    judge: Path,
    method: Literal["ppi", "shrunk"] | None = None,
    target: Literal["population", "topics"] | None = None,
    chances: Path | None = None,
    runs: ManyFiles = None,
    measures: str = "AP,P@10,nDCG@10",
    depths: ManyNumbers = None,
    error: float | None = None,
    choose: int | None = None,
    list: Path | None = None,
    level: float = 0.95,
    one_sided: OneSided = "error",
    seed: Seed = 0,
    shared: OnScores = OnScores(),
) -> None:
    """How do systems rank when people judged some topics, or documents, and a judge all of them?

    Example: `tauscope hybrid human.csv --judge judge.csv`

    Parameters
    ----------
    human
        People's scores on some of the topics; with --runs, their judgments (qrels) of some documents of each topic.
    judge
        The judge's scores on all topics; with --runs, its judgments of all documents.
    method
        ppi (the default), with hardly any bias from the judge, or shrunk, drawn towards the judge.
    target
        What people's ranking is meant over: the population of topics (the default), or the judge's topics.
    chances
        With which chance each human topic was drawn: the list that `tauscope plan --judge --list` wrote.
    runs
        A folder of runs, or files: human and judge are qrels then, and measures are estimated.
    measures
        With --runs, labels of AP, P and nDCG separated by commas.
    depths
        With --runs, where the strata end that documents were sampled from, by their best place in any run.
    error
        With --runs, also say how many documents people must judge for this standard error by the first measure.
    choose
        With --runs, also choose so many documents of each topic for people to judge next, in the same strata.
    list
        Write the chosen documents here, with their chances, for assessors: a CSV file.
    level
        The confidence of intervals.
    """
    if runs is None and (depths or error is not None or choose is not None or list is not None):
        raise CallError(
            "--depths goes with --runs, and so do --error, --choose and --list; topics are chosen by "
            "`tauscope plan --judge`."
        )
    if runs is not None and (method or target or chances):
        raise CallError("--method, --target and --chances are for scores on topics, and --runs is for documents.")
    if (choose is None) != (list is None):
        raise CallError("--choose and --list go together: how many documents of each topic, and where to write them.")
    with shared.said():
        more: dict[str, Any] = {}
        sample: DocumentSample | None = None
        if runs is not None:
            with progress("estimating"):
                folder = inputs.runs(runs)
                found: Any = hybrid_documents(
                    folder,
                    human,
                    judge,
                    labels_in(measures),
                    depths=depths or (),
                    one_sided=one_sided,
                    level=level,
                )
                if choose is not None:
                    options: dict[str, Any] = {"judged": human, "one_sided": one_sided, "rng": seed}
                    sample = choose_documents(folder, judge, choose, depths=depths or (), **options)
            more |= {} if error is None else {"documents_needed": found.documents_needed(error)}
            more |= {} if sample is None else {"next": sample}
        else:
            _refuse_qrels(human, judge)
            own, machine = inputs.two_scores(human, judge, shared, by_topic=True)
            with progress("combining"):
                found = combine(
                    own,
                    machine,
                    method=method or "ppi",
                    target=target or "population",
                    chances=inputs.chances(chances),
                    one_sided=one_sided,
                    level=level,
                    rng=seed,
                )
        if not shared.print(found, {"methods_sentence": found.methods_sentence(), **more}):
            show(*found.lines(), "")
            _show(found.columns())
            _show_ranks(found)
            show("", found.methods_sentence())
            _show_next(found, error, sample)
        if sample is not None and list is not None:
            sample.write(list)
            if not shared.asked:
                show(f"list for assessors: {list}")
        shared.save(found)


def _refuse_qrels(*files: Path) -> None:
    """An error where a file of scores is one of judgments: topic, 0, document, grade."""
    for path in filter(Path.is_file, files):
        try:
            with open_text(path) as stream:
                rows = [line.split() for line in islice(stream, 5) if line.strip()]
        except FileError:  # no text: what it is, is told where it is read
            continue
        if rows and all(len(row) == 4 and row[1] in ("0", "Q0") and row[3].lstrip("-").isdigit() for row in rows):
            raise CallError(
                f"{path} looks like judgments of documents (qrels), not like scores. Add --runs with the folder of the "
                "runs, and measures are estimated from both qrels."
            )


def _show_ranks(found: Any) -> None:
    """Which could be the best, and what may be said of ranks and tiers."""
    if not isinstance(found, Hybrid):
        return
    best = [name for name, could in zip(found.systems, found.possible_winner, strict=True) if could]
    named = f"{best[0]} alone" if len(best) == 1 else f"one of {len(best):,}: {', '.join(best)}"
    sure = f"{found.level * 100:g} %"
    show("", f"possible winners, rank limits and tiers hold together with confidence {sure}; the best is {named}")


def _show_next(found: Any, error: float | None, sample: DocumentSample | None) -> None:
    """How many documents are needed, and which come next."""
    if error is not None:
        needed = found.documents_needed(error)
        so_many = "people judged all documents" if needed is None else f"{count(needed, 'document')} judged by people"
        show("", f"for a standard error of {error:g} by {found.scores.measures[0]}: {so_many}")
    if sample is not None:
        show("", *sample.lines())


def _show(columns: Mapping[str, Any]) -> None:
    """A table with one row per system: numbers with four decimals, ranks and tiers whole."""
    values = [list(column.tolist() if hasattr(column, "tolist") else column) for column in columns.values()]
    rows = [[_cell(value) for value in row] for row in zip(*values, strict=True)]
    right = [place for place, column in enumerate(values) if not isinstance(column[0], str)]
    head = [word(name) if name == "system" else name.replace("_", " ") for name in columns]
    show_table([head, *rows], right=right, indent="  ")


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return number(value, 4) if isinstance(value, float) else str(value)


def plan_with_judge(
    files: Files,
    judge: Path,
    *,
    goal: str,
    target: ManyShares,
    top: int | None,
    topics: ManyNumbers,
    most_topics: int | None,
    costs: tuple[float, float, float],
    choose: int | None,
    design: str,
    listed: Path | None,
    one_sided: str,
    level: float,
    seed: int,
    shared: OnHoles,
) -> None:
    """What `tauscope plan --judge` prints: both curves, how many are enough, and which topics next."""
    if len(files) > 1 or (target is not None and len(target) > 1):
        raise CallError("With --judge give one file of people's scores and one --target.")
    with shared.said():
        human, machine = inputs.two_scores(files[0], judge, shared, by_topic=True)
        with progress("planning"):
            prices = dict(zip(("human_cost", "judge_cost", "labels"), costs, strict=True))
            plan = plan_hybrid(
                human,
                machine,
                goal=goal,
                target=target[0] if target else None,
                top=top,
                topics=topics,
                most_topics=most_topics,
                one_sided=one_sided,
                level=level,
                rng=seed,
                **prices,
            )
        sample = _sample(machine, human, plan.hybrid_needed, choose, design, seed) if choose or listed else None
        if not shared.print(plan, {"methods_sentence": plan.methods_sentence(), "next": sample}):
            show(plan.lines()[0])
            rows = [[f"human {word('topics')}", "people alone", "with the judge"]]
            for size, *values in zip(*plan.columns().values(), strict=True):
                rows.append([f"{size:,}", *map(number, values)])
            show_table(rows, right=range(3), indent="  ")
            show(*plan.lines()[1:])
            if sample is not None:
                show("", *sample.lines())
        if sample is not None and listed is not None:
            sample.write(listed)
            if not shared.asked:
                show(f"list for assessors: {listed}")
        shared.save(plan)


def _sample(
    judge: Scores, human: Scores, needed: int | None, choose: int | None, design: str, seed: int
) -> TopicSample | None:
    """The topics to judge next: as many as asked for, or as are still needed."""
    left = len(judge.topics) - len(human.topics)
    wanted = choose if choose is not None else max(0, min(left, (needed or left) - len(human.topics)))
    if not wanted:
        return None
    return choose_topics(judge, wanted, design=design, judged=human, rng=seed)
