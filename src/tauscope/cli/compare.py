"""`tauscope compare`: can this judge, or which of several, stand in for the truth?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from ..coefficients.coefficient import Coefficient as Record
from ..coefficients.coefficient import Ties
from ..coefficients.rule_of_thumb import FAIR, GOOD
from ..errors import CallError
from ..judges.compare import compare as compare_scores
from ..judges.comparison import Comparison
from ..judges.rank_judges import JudgeRanking, rank_judges
from ..judges.standing_in import BADGES, NO, NOT_SHOWN, UNKNOWN, Standing, stands_in
from ..results import number, word
from . import inputs
from .options import (
    Clusters,
    Coefficient,
    Flag,
    Many,
    Match,
    OneSided,
    OnScores,
    Output,
    Seed,
    SharedTopics,
    TruthMeasure,
)
from .output import show, show_columns
from .progress import progress

#: After a no.
NOW_WHAT = (
    "now what: `tauscope hybrid` combines it with people on some topics, `tauscope plan --judge` says on how many, and "
    "`tauscope audit` what is wrong with it"
)


def compare(
    estimate: Path | None = None,
    /,
    *,
    truth: Path,
    judges: Many = None,
    coefficient: Coefficient = "tau_b",
    margin: float | None = None,
    level: float = 0.95,
    resample: Literal["topics", "systems", "both"] = "topics",
    groups: Path | None = None,
    independent: Flag = False,
    clusters: Clusters = None,
    truth_measure: TruthMeasure = None,
    one_sided: OneSided = "error",
    topics: SharedTopics = "all",
    match: Match = "exact",
    pairs: Flag = False,
    seed: Seed = 0,
    shared: OnScores = OnScores(),
) -> None:
    """Can this judge, or this measure, stand in for the truth?

    Example: `tauscope compare judge.csv --truth human.csv --margin 0.8`

    Parameters
    ----------
    estimate
        Scores of the judge: topics by systems, or anything else that `tauscope check` reads.
    truth
        Scores that are right by definition.
    judges
        Several judges instead of one, each as NAME=FILE: which is closest to the truth?
    coefficient
        One of the catalogue.
    margin
        Also say whether the true agreement is at least this, with confidence --level.
    level
        The level of confidence.
    resample
        What is a sample: topics, systems, or both.
    groups
        A file of two columns, system and group (its team): systems of a group are left out together. Needs --resample
        systems or --resample both.
    independent
        Take the topics of estimate and truth for different ones, whatever their labels.
    pairs
        With --judges: also print the difference of every two of them.
    """
    if (estimate is None) == (not judges):
        raise CallError(
            "Give one estimate, `tauscope compare JUDGE.csv --truth HUMAN.csv`, or several by name, "
            "`tauscope compare --truth HUMAN.csv --judges gpt=A.csv crowd=B.csv`."
        )
    if groups is not None and resample == "topics":
        raise CallError(
            "--groups are groups of systems, left out together: use --resample systems or --resample both with it."
        )
    if judges and (resample != "topics" or groups is not None or margin is not None or clusters is not None):
        raise CallError(
            "--judges are compared over resampled topics; --resample, --groups, --margin and --clusters go with one "
            "estimate."
        )
    if pairs and not judges:
        raise CallError("--pairs are pairs of judges: it goes with --judges.")
    options: dict[str, Any] = {
        "coefficient": coefficient,
        "level": level,
        "one_sided": one_sided,
        "topics": topics,
        "match": match,
        "rng": seed,
    }
    options["paired"] = False if independent else None
    with shared.said():
        with progress("comparing") as report:
            options["progress"] = report
            if estimate is None:
                several, gold = inputs.judges(
                    judges or [],
                    truth,
                    shared,
                    truth_measure,
                    one_sided=one_sided,
                    by_topic=topics == "shared",
                    match=match,
                )
                result: Any = rank_judges(several, truth=gold, **options)
            else:
                one, gold = inputs.two_scores(
                    estimate,
                    truth,
                    shared,
                    truth_measure,
                    by_topic=topics == "shared",
                    match=match,
                    one_sided=one_sided,
                )
                one, gold = (inputs.clustered(own, clusters) for own in (one, gold))
                options |= {"resample": resample, "groups": inputs.groups(groups)}
                result = compare_scores(one, truth=gold, **options)
        if estimate is None:
            alone = {key: value for key, value in options.items() if key != "progress"}
            _print_judges(result, pairs, shared, lambda name: compare_scores(several[name], truth=gold, **alone))
        else:
            _print(result, margin, shared)
        shared.save(result)


def _print(result: Comparison, margin: float | None, output: Output) -> None:
    ceiling = result.noise_ceiling if result.undefined_because is None and result.resampled != "systems" else None
    more: dict[str, Any] = {"noise_ceiling": None if ceiling is None else ceiling.value}
    more |= {} if margin is None else {"margin": margin, "exceeds_margin": result.exceeds(margin)}
    standing = stands_in(result, margin)
    more |= {"answer": BADGES[standing.answer], "answer_in_words": standing.sentence}
    if not output.print(result, more):
        show(*result.lines())
        if ceiling is not None:
            expected = f"expected of the truth's own ranking over these {word('topics')} with the true one"
            show(f"noise ceiling {number(ceiling.value)}: {expected}{_by_draws(ceiling.coefficient)}")
        if margin is not None:
            verdict = "yes" if result.exceeds(margin) else "not shown"
            confidence = f"with confidence {result.level * 100:g} %"
            show(f"at least {margin:g} {confidence}: {verdict} (lower confidence limit {number(result.at_least())})")
        if standing.answer in (NO, NOT_SHOWN):
            show(NOW_WHAT)
        show("", result.methods_sentence(), "", f"Can it stand in? {standing.sentence}{own_margin(standing, margin)}")


def _by_draws(c: Record) -> str:
    """Why the noise ceiling is not quite what `tauscope expected` prints of the same file."""
    if c.ties is Ties.FORBIDDEN:
        return ""
    other = "tau_ap" if c.head_weighted else "tau"
    return f" ({c} by draws; `tauscope expected` has {other} by a formula, which differs a little)"


def own_margin(standing: Standing, margin: float | None) -> str:
    """What is said behind an answer by the rule of thumb."""
    if margin is not None or standing.answer == UNKNOWN:
        return ""
    return f" ({GOOD:g} and {FAIR:g} are a rule of thumb; --margin asks for your own.)"


def _print_judges(ranking: JudgeRanking, pairs: bool, output: Output, alone: Callable[[str], Comparison]) -> None:
    if not output.print(ranking):
        show(*ranking.lines(), "")
        show_columns(ranking.columns())
        show("")
        if pairs:
            show_columns(ranking.differences())
        else:
            n = len(ranking.names)
            show(f"judges that share a letter are not told apart; --pairs prints all {n * (n - 1) // 2:,} differences")
        closest = ranking.names[0]
        show("", f"Can {closest}, the closest, stand in? {stands_in(alone(closest)).sentence}")
