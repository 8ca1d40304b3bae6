"""`report()`: from scores to one page that answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import checking
from ..errors import Advice, CallError
from ..files.groups import Groups
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, remembered
from ..scores.matrix import UNNAMED
from .facts import STEPS, facts_of
from .material import Material
from .parts import Sentence
from .rendered import Report
from .screens import first_screen
from .sections import SECTIONS, all_sections
from .sides import Side, oddities_beside
from .sources import found_from, sources_of
from .vega import Bundle


def report(
    source: Any,
    *unnamed: Any,
    truth: Any = None,
    qrels: Any = None,
    people: Mapping[str, Any] | None = None,
    measure: str | None = None,
    measures: Any = None,
    coefficient: str | None = None,
    tied_within: Any = None,
    level: float = 0.95,
    target: float = 0.9,
    margin: float | None = None,
    groups: Mapping[str, str] | None = None,
    leaderboard: bool = False,
    aggregate: str | None = None,
    topic_groups: Mapping[str, str] | None = None,
    one_sided: str = "error",
    match: str = "exact",
    names: tuple[str, ...] | None = None,
    title: str = "",
    command: str = "",
    files: tuple[str, ...] = (),
    rng: Rng = 0,
    progress: Progress | None = None,
) -> Report:
    """Would this ranking hold, do the two agree, where do they differ, which measures to report: what is the page?

    A section that the input cannot answer is absent: one matrix has nothing to say about two judges. Ties are handled
    by each section as by the function it calls, and the page says how many there are. Do not make a page to get one
    number: the functions of the sections (`compare`, `expected_correlation`, …) give it without the rest.

    Parameters
    ----------
    source : Scores, ScoreCube, Ranking, dict, Battles, BradleyTerry, PublishedScores, Hybrid, Audit, or runs
        What the page is about; a dict of names and `Scores` for several judges; with `qrels`, runs, anything that
        `evaluate()` takes. Of `Scores` whose topics come in clusters, whole clusters are the rows, and the page says
        so.
    *unnamed : object
        Nothing: a second side is the truth, and the call says so.
    truth : Scores, ScoreCube, Ranking or dict, optional
        The reference that `source` is measured against.
    qrels : judgments, or a list of up to three, optional
        One set of judgments; or those of a human, then those of a machine judge, then those of a second human.
    people : dict of str to Scores, optional
        Beside several judges, single people, to see how far people agree; without `truth` their mean is the reference,
        and each is measured against the mean of the others.
    measure : str, optional
        The measure that the page looks at; the first, where none is given.
    measures : str or list of str, optional
        What to compute from runs: AP, nDCG@20, P@10 and RR where none are given; "gupta2019" for those of that paper.
    coefficient : str, optional
        The coefficient to judge the agreement by; tau_b where none is given.
    tied_within : float, str or pair, optional
        Scores this close are tied, inclusive; a pair is for estimate and truth.
    level : float, default 0.95
        The level of all intervals.
    target : float, default 0.9
        The expected correlation that "topics needed" asks for.
    margin : float, optional
        What a judge's agreement without the noise of topics (disattenuated) must exceed, with confidence `level`.
    groups : dict of str to str, optional
        System to group, to see whether a judge favours its own kind.
    leaderboard : bool, default False
        Whether the topics were chosen, not sampled; the page says so, and cells may be missing (`missing="keep"`).
    aggregate : str, optional
        What a system's scores are made into: "mean", "z", "rank", "minmax", "borda" or "group-mean" (with
        `topic_groups`). By default their mean; where topics are on different scales that is an error, and of a
        leaderboard the mean z-score is taken, and said.
    topic_groups : dict of str to str, optional
        Topic to group.
    one_sided : str, default "error"
        What to do with systems that one side lacks: "error", or "drop" to compare those that all sides have.
    match : {"exact", "loose"}, default "exact"
        "loose" takes names of systems and topics for the same that differ by spelling only.
    names : tuple of str, optional
        What the sides are called, the reference first.
    title : str, default ""
        The title of the page; made from the names where it is empty.
    command : str, default ""
        The command that repeats the page, to be shown on it.
    files : tuple of str, default ()
        Files that were read, to be listed on it.
    rng : int, Generator or None, default 0
        The seed of all intervals; the same one gives the same bytes.
    progress : callable, optional
        `progress(done, total)` is called after each run and each section.

    Returns
    -------
    Report

    Raises
    ------
    CallError
        If it is not said who is the truth, or an option is unknown.
    AlignmentError
        If a side lacks systems and `one_sided` is "error".

    See Also
    --------
    compare, expected_correlation, rank, significance, rank_measures : The numbers of the sections.

    Examples
    --------
    >>> from tauscope import Scores
    >>> page = report(Scores([[0.5, 0.3, 0.1], [0.6, 0.2, 0.3], [0.4, 0.3, 0.2]], measure="AP"), rng=1)
    >>> [section.id for section in page.sections]
    ['compared', 'holds', 'findings', 'repeat']
    """
    if unnamed:
        raise CallError(
            "report() wants to know which side is the truth.",
            Advice("Call report(estimate, truth=reference).", shell=""),
        )
    script = Bundle()
    try:
        material = material_of(
            source,
            truth=truth,
            qrels=qrels,
            people=people,
            measure=measure,
            measures=measures,
            coefficient=coefficient,
            tied_within=tied_within,
            level=level,
            target=target,
            margin=margin,
            groups=groups,
            leaderboard=leaderboard,
            aggregate=aggregate,
            topic_groups=topic_groups,
            one_sided=one_sided,
            match=match,
            names=names,
            command=command,
            files=files,
            rng=rng,
            progress=progress,
        )
        return _made(material, title, script, progress)
    except BaseException:
        script.close()
        raise


def material_of(
    source: Any,
    *,
    truth: Any = None,
    qrels: Any = None,
    people: Mapping[str, Any] | None = None,
    measure: str | None = None,
    measures: Any = None,
    level: float = 0.95,
    margin: float | None = None,
    groups: Mapping[str, str] | None = None,
    leaderboard: bool = False,
    aggregate: str | None = None,
    topic_groups: Mapping[str, str] | None = None,
    one_sided: str = "error",
    match: str = "exact",
    names: tuple[str, ...] | None = None,
    files: tuple[str, ...] = (),
    rng: Rng = 0,
    progress: Progress | None = None,
    **choices: Any,
) -> Material:
    """What a page looks at, from what `report()` is given."""
    checking.one_of(one_sided, ("error", "drop"), "one_sided")
    listed = [own.file for own in (groups, topic_groups) if isinstance(own, Groups) and own.file not in files]
    choices |= {"level": checking.level(level), "seed": remembered(rng), "groups": groups, "files": (*files, *listed)}
    margin = None if margin is None else checking.number(margin, "margin", above=-1, below=1)
    found = found_from(source, choices["level"], choices["seed"])
    if found is not None:
        reference = Side(name="board", ranking=found.ranking)
        choices |= {"result": found.result, "result_topics": found.topics, "title": found.title}
        return Material(reference=reference, board=found.board, **choices)
    given = sources_of(
        source, truth, qrels, measure=measure, measures=measures, names=names, people=people, progress=progress
    )
    given, told = given.matched(match)
    how = given.aggregate(aggregate, leaderboard=leaderboard)
    sides, notes = given.sides(aggregate=how, topic_groups=topic_groups, one_sided=one_sided)
    reference, *others = sides
    estimate, second = (None, None) if given.several else (*others, None, None)[:2]
    return Material(
        reference=reference,
        estimate=estimate,
        second_reference=second,
        judges=tuple(others[: len(others) - given.people]) if given.several else (),
        people=tuple(others[len(others) - given.people :]) if given.several else (),
        pooled=given.pooled,
        clusters=given.clusters,
        measure="" if given.measure == UNNAMED else given.measure,
        margin=margin,
        leaderboard=leaderboard,
        aggregate=how,
        runs=given.runs,
        notes=(*told, *notes, *oddities_beside(sides)),
        **choices,
    )


def _made(material: Material, title: str, script: Bundle, progress: Progress | None) -> Report:
    """Facts, the first screen and the sections, each step counted."""
    total, done = STEPS + len(SECTIONS), 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    facts = facts_of(material, step)
    screen = first_screen(material, facts)
    return Report(
        title=title or _title(material),
        brief=_brief(material),
        sections=all_sections(material, facts, step),
        seed=material.seed,
        screen=screen,
        systems=screen.systems if screen is not None and screen.systems else material.reference.systems,
        script=script,
    )


def _title(material: Material) -> str:
    reference = material.reference
    if material.title:
        return material.title
    if material.estimate is not None:
        return f"{material.estimate.name} against {reference.name}"
    if material.judges:
        return f"{len(material.judges):,} judges against {reference.name}"
    own = reference.scores.collection if reference.scores is not None else ""
    return own or "Does this ranking hold?"


def _brief(material: Material) -> Sentence:
    return (material.size, ", ", *material.by) if material.by else (material.size,)
