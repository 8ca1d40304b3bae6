"""From sources and choices to the sections of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from .. import checking
from ..errors import CallError
from ..evaluation.evaluate import evaluate
from ..evaluation.qrels import Qrels, read_qrels
from ..evaluation.runs import read_runs
from ..files.groups import Groups
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, remembered
from ..names import GUPTA2019, canonical
from ..ranking import Ranking
from ..results import count
from ..scores import ScoreCube
from ..scores.matrix import UNNAMED
from . import judge_facts
from .parts import Section, Sentence
from .rendered import Report
from .sections import agree, compared, disagree, findings, holds, holds_partly, judge, measures, repeat, topics
from .sides import Material, Side, chosen_measure, cube_of, on_the_same, side_by_side, side_of
from .vega import Bundle

#: Measures computed from runs where none are asked for.
MEASURES = ("AP", "nDCG@20", "P@10", "RR")


def report(
    source: Any,
    *unnamed: Any,
    truth: Any = None,
    qrels: Any = None,
    measure: str | None = None,
    measures: Any = None,
    coefficient: str | None = None,
    tied_within: Any = None,
    level: float = 0.95,
    target: float = 0.9,
    margin: float | None = None,
    groups: Mapping[str, str] | None = None,
    leaderboard: bool = False,
    aggregate: str = "mean",
    topic_groups: Mapping[str, str] | None = None,
    one_sided: str = "error",
    names: tuple[str, ...] | None = None,
    title: str = "",
    command: str = "",
    files: tuple[str, ...] = (),
    rng: Rng = 0,
    progress: Progress | None = None,
) -> Report:
    """One page that answers: would this ranking hold, do the two agree, where do they differ, which measures to report?

    `source` is Scores, a ScoreCube or a Ranking; with `truth`, of the same kinds, it is measured against that, the reference.
    With `qrels`, `source` are runs (anything `evaluate()` takes): one set of judgments, or the human ones, those of a machine
    judge, and those of a second human, in this order. Sections that the input cannot answer are absent.

    `measure` is the one that the page looks at (the first, where none is given) of all `measures`. `margin`: what a judge's
    agreement without the noise of topics must exceed, with confidence `level`. `groups`: system -> group, to see whether a judge favours its own kind.
    `leaderboard`: topics were chosen, not sampled, and the page says so; cells may be missing (missing="keep").
    `aggregate`: "mean", "z", "borda" or "group-mean" (with `topic_groups`). `one_sided="drop"` compares the systems that all sides have.
    `rng`, `level`: seed and level of all intervals. `progress(done, total)` is called after each run and each section.

    >>> from tauscope import Scores
    >>> page = report(Scores([[0.5, 0.3, 0.1], [0.6, 0.2, 0.3], [0.4, 0.3, 0.2]], measure="AP"), rng=1)
    >>> [section.id for section in page.sections]
    ['compared', 'holds', 'findings', 'repeat']
    """
    if unnamed:
        raise CallError("report() wants to know which side is the truth: report(estimate, truth=reference).")
    if margin is not None and not -1 < margin < 1:
        raise CallError(f"margin={margin:g}: an agreement to exceed lies between -1 and 1, such as 0.8.")
    files = (*files, *(own.file for own in (groups, topic_groups) if isinstance(own, Groups) and own.file not in files))
    bundle = Bundle()
    try:
        sides, notes, focus, runs = _sides(
            source, truth, qrels, measure, measures, names, aggregate, topic_groups, one_sided, progress
        )
        estimate = sides[1] if len(sides) > 1 else None
        material = Material(
            sides[0], estimate, sides[2] if len(sides) > 2 else None, "" if focus == UNNAMED else focus, coefficient, tied_within,
            checking.level(level), remembered(rng), margin, target, groups, leaderboard, aggregate, title, command, tuple(files),
            runs, tuple(notes), progress,
        )  # fmt: skip
        sections = _sections(material)
    except BaseException:
        bundle.close()
        raise
    return Report(title or _title(material), _brief(material), sections, material.seed, bundle)


def _sides(
    source: Any,
    truth: Any,
    qrels: Any,
    measure: str | None,
    measures: Any,
    names: tuple[str, ...] | None,
    aggregate: str,
    topic_groups: Mapping[str, str] | None,
    one_sided: str,
    progress: Progress | None,
) -> tuple[list[Side], list[str], str, Any]:
    """The reference first, then what is measured against it."""
    if one_sided not in ("error", "drop"):
        raise CallError(f"one_sided={one_sided!r} is unknown; use 'error' or 'drop'.")
    judgments: list[Qrels | None] = [None] * 3
    sources: list[ScoreCube | Ranking]
    if qrels is not None:
        if truth is not None:
            raise CallError("Give either truth= or qrels=: with qrels the first is the reference.")
        read = [read_qrels(one) for one in (qrels if isinstance(qrels, (list, tuple)) else [qrels])]
        if not 1 <= len(read) <= 3:
            raise CallError(
                f"{len(read)} qrels: give one, or a human and a machine judge, or these and a second human."
            )
        if len(read) > 1:
            source = read_runs(source)  # once for all judges
        sources = [evaluate(source, one, _wanted(measure, measures), progress=progress) for one in read]
        judgments = [*read, None, None]
        called = (
            names or ("human", "machine", "second human")[: len(read)] if len(read) > 1 else names or ("judgments",)
        )
    else:
        sources = [cube_of(source, "The source")]
        if truth is not None:
            sources.insert(0, cube_of(truth, "truth"))
        called = names or (("reference", "estimate") if truth is not None else ("ranking",))
    if len(called) < len(sources):
        raise CallError(f"names={called!r}: give {len(sources)} of them, the reference first.")
    focus = next((chosen_measure(s, measure) for s in sources if isinstance(s, ScoreCube)), "")
    sides = [
        side_of(
            str(name),
            one,
            _same_measure(one, focus, measure),
            aggregate=aggregate,
            task_groups=topic_groups,
            qrels=judged,
        )
        for name, one, judged in zip(called, sources, judgments, strict=False)
    ]
    kept, notes = on_the_same(sides, one_sided) if len(sides) > 1 else (sides, [])
    return kept, notes, focus, source if qrels is not None else None


def _wanted(measure: str | None, measures: Any) -> list[str]:
    """What to compute: the measure in focus and the others, each once."""
    wanted = [measures] if isinstance(measures, str) else list(measures or MEASURES)
    wanted = list(GUPTA2019) if wanted == ["gupta2019"] else wanted
    if measure is not None and canonical(measure) not in map(canonical, wanted):
        wanted.insert(0, measure)
    return wanted


def _same_measure(source: ScoreCube | Ranking, focus: str, asked: str | None) -> str:
    """The measure in focus on this side; a side with one unnamed measure has no choice."""
    if isinstance(source, Ranking) or focus in source or len(source.measures) > 1:
        return focus
    if asked is None:
        return source.measures[0]
    return focus


def _sections(material: Material) -> tuple[Section, ...]:
    """Every section that the input can answer, in the order of the page; made side by side, for they do not share anything."""
    found = agree.agreement(material)
    known = judge_facts.judge(material, found) if found else None
    compare, hold = (
        partial(compared.section, material),
        lambda: holds.section(material) or holds_partly.section(material),
    )
    steps: list[Callable[[], Section | None]] = [
        *([lambda: judge.section(material, found, known)] if found and known else []),
        *((compare, hold) if not material.leaderboard else (hold, compare)),
        *(
            [
                lambda: agree.section(material, found),
                lambda: disagree.section(material, found),
                lambda: topics.section(material, found),
            ]
            if found
            else []
        ),
        lambda: measures.section(material),
        lambda: findings.section(material),
    ]
    done = 0

    def told(step: Callable[[], Section | None]) -> Callable[[], Section | None]:
        def run() -> Section | None:
            nonlocal done
            section = step()
            done += 1
            if material.progress is not None:
                material.progress(done, len(steps))
            return section

        return run

    sections = [section for section in side_by_side(*map(told, steps)) if section is not None]
    cited = [key for section in sections for key in section.cited]
    return (*sections, repeat.section(material, cited))


def _title(material: Material) -> str:
    reference = material.reference
    own = reference.scores.collection if reference.scores is not None else ""
    if material.estimate is not None:
        return f"{material.estimate.name} against {reference.name}"
    return own or "Does this ranking hold?"


def _brief(material: Material) -> Sentence:
    reference = material.reference
    parts: Sentence = (count(len(reference.systems), "system"),)
    if reference.scores is not None:
        parts += (f", {count(len(reference.scores.topics), 'topic')}",)
    return (*parts, ", ", *material.by) if material.by else parts
