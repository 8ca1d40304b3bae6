"""`compare()`: can this judge replace people, and which of several judges is closest to them?"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Literal

from ..coefficients.records import Coefficient, catalogue
from ..core import checking
from ..core.draws import Rng, remembered
from ..data.alignment import REQUIRED, require_truth
from ..data.battles import Battles
from ..errors import CallError
from ..io.door import ScoresLike, takes_scores
from .agreement import same_systems
from .comparison import Given, one_judge
from .comparisons import several_judges
from .groups import groups_of

#: How topics of both sides go together -> (which are used, whether labels say which are the same).
TOPICS: dict[str, tuple[str, bool | None]] = {
    "all": ("all", None),
    "shared": ("shared", None),
    "same": ("all", True),
    "independent": ("all", False),
}


@takes_scores("truth", one_or_each=("judge",), in_order=("systems",))
def compare(
    judge: ScoresLike | Mapping[str, ScoresLike],
    *unnamed: Any,
    truth: ScoresLike = REQUIRED,
    coefficient: str | Coefficient = "tau_b",
    margin: float | None = None,
    groups: Mapping[str, str] | None = None,
    level: float = 0.95,
    resample: Literal["topics", "systems", "both"] = "topics",
    topics: Literal["all", "shared", "same", "independent"] = "all",
    unmatched: Literal["error", "drop"] = "error",
    match: Literal["exact", "loose"] = "exact",
    rng: Rng = 0,
) -> Any:
    r"""Decide whether a judge can replace people in ranking systems, or which of several judges is closest to them.

    Use it if people and a judge, or two measures, scored the same systems, or judged the same battles. Do not use it if the judge was tuned on these
    topics, or if the topics are not a random sample of those you care about.

    The target is the coefficient of the true means,

    .. math:: c(\mu_{\text{judge}}, \mu_{\text{truth}}),

    over all topics that could have been asked. The observed value is lower, because topics are few. Plausible true means
    given the observed means are drawn, and the coefficient is computed for each draw. The corrected value is the middle of
    the draws, and the confidence interval consists of their quantiles (xie2013). A judge can replace people if the
    one-sided lower confidence limit reaches 0.9, and serves some uses from 0.8 on, unless the top of the ranking is shown
    to differ. It cannot replace them if the whole interval is below 0.8. State a margin of your own if you have one.

    Several judges are compared on the same draws. Two of them differ if their difference exceeds a critical value that
    holds for all pairs simultaneously, the quantile of the largest deviation over the draws.

    Parameters
    ----------
    judge : Scores, or what Scores.read() takes, or Mapping of str to such, or Battles
        Scores by the judge, with one row per topic and one column per system; or several judges by name. One judge of
        battles can be `Battles`, or strengths of `bradley_terry()`, whose ties, prior and clusters are then used.
    *unnamed, truth : Scores, or what Scores.read() takes
        Scores that are correct by definition, such as those of people, given by name. Required.
    coefficient : str or Coefficient, default "tau_b"
        Rank correlation coefficient, as listed by `tauscope.catalogue`.
    margin : float or None, default None
        Agreement that you require, stated before looking. None applies the rule of thumb, 0.9 and 0.8.
    groups : Mapping of str to str or None, default None
        Group of each system, such as its team. Shows whether the judge prefers a group; systems of one group are left
        out together if systems are resampled.
    level : float, default 0.95
        Confidence level of intervals and tests.
    resample : {"topics", "systems", "both"}, default "topics"
        What is a sample. With "systems" topics are fixed, and one system or group after the other is left out.
    topics : {"all", "shared", "same", "independent"}, default "all"
        all: means are over all topics of each side; topics with the same label are the same topic. shared: only topics
        that all sides have. same: as all, but an error if labels differ. independent: no two topics are the same.
    unmatched : {"error", "drop"}, default "error"
        What to do with systems that only one side has.
    match : {"exact", "loose"}, default "exact"
        Use loose to match names that differ only in spaces, case, leading zeros, ".0" or a common first word.
    rng : int, Generator or None, default 0
        Seed of everything drawn; None chooses one, which the result remembers. The same seed gives the same numbers.

    Returns
    -------
    Comparison, Comparisons or VerdictComparison
        A `Comparison` for one judge, `Comparisons` for several, or a `VerdictComparison` for battles.

    Raises
    ------
    CallError
        If the truth is not given by name, or an argument is unknown.
    AlignmentError
        If only one side has a system and `unmatched` is "error".
    TauscopeError
        If cells are missing; with several judges, if one has no value or there are fewer than four topics.

    See Also
    --------
    audit : all checks of a judge in one call.
    bradley_terry : strengths of systems from battles.
    hybrid : rank by people on some topics and a judge on all.
    significance : which differences between systems are significant.

    Examples
    --------
    >>> from tauscope import Scores, compare
    >>> people = Scores([[0.9, 0.5, 0.1], [0.8, 0.6, 0.3], [0.7, 0.6, 0.2], [0.9, 0.4, 0.3], [0.8, 0.5, 0.2]])
    >>> judge = Scores([[0.8, 0.6, 0.3], [0.9, 0.6, 0.2], [0.6, 0.7, 0.2], [0.9, 0.5, 0.4], [0.8, 0.4, 0.3]])
    >>> found = compare(judge, truth=people)
    >>> found.observed, found.verdict.value
    (1.0, 'can replace')
    >>> crowd = Scores(1 - people.values)
    >>> compare({"judge": judge, "crowd": crowd}, truth=people).judge
    ('judge', 'crowd')
    """
    require_truth(truth, unnamed, "compare(judge, truth=…)")
    checking.one_of(resample, ("topics", "systems", "both"), "resample")
    checking.one_of(topics, TOPICS, "topics")
    c, level, seed = catalogue[coefficient], checking.level(level), remembered(rng)
    margin = None if margin is None else checking.number(margin, "margin")
    if any(isinstance(side, Battles) or hasattr(side, "given_battles") for side in (judge, truth)):
        unused: dict[str, Any] = {"margin": margin, "groups": groups}
        unused |= {"resample": resample, "topics": topics}
        unused |= {"unmatched": unmatched, "match": match}
        refused = [name for name, value in unused.items() if value not in (None, "topics", "all", "error", "exact")]
        if refused:
            raise CallError(f"compare() of battles does not use `{refused[0]}`: leave it out.")
        # Battles belong to a higher layer, which is loaded by name.
        return importlib.import_module("tauscope.boards.verdicts").compare_battles(judge, truth, c, level, seed)
    means_over, paired = TOPICS[topics]
    if isinstance(judge, Mapping) and not judge:
        raise CallError("compare() takes one judge, or several by name: compare({'gpt': …, 'crowd': …}, truth=…).")
    judges = {str(name): one for name, one in judge.items()} if isinstance(judge, Mapping) else {"": judge}
    if "truth" in judges:
        raise CallError("A judge is called 'truth', as the truth is. Give it another name.")
    named = {name or "judge": one for name, one in judges.items()} | {"truth": truth}
    same = same_systems(named, "compare()", unmatched=unmatched, match=match, topics=means_over)
    matrices, gold = dict(zip(judges, same.scores[:-1], strict=True)), same.scores[-1]
    done = tuple(note for note in same.notes if note not in same.remarks)
    if groups is not None:
        groups_of(gold.systems, groups)
    given = Given(c, margin, groups, level, resample, paired, seed)
    if len(matrices) > 1:
        return several_judges(matrices, gold, given, same.notes, done)
    (name, own), *_ = matrices.items()
    return one_judge(name, own, gold, given, same.notes, {}, done)
