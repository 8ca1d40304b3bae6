"""`compare()`: how far does one judge, or one measure, rank systems like another, beyond the noise of the topics?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import checking, kernels
from ..arrays import Floats, Ints, tally
from ..coefficients.correlation import Correlation, evaluate
from ..coefficients.records import Coefficient, Ties, catalogue
from ..errors import CallError, Option
from ..expected.jackknife import StandardError, jackknife
from ..files.door import ScoresLike, takes_scores
from ..inference.few_topics import LEAST, LEAST_FOR_NOISE
from ..inference.reliability import FLOOR
from ..jobs.progress import Progress
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..ranking import align
from ..results import count, said
from ..scores.alignment import REQUIRED, aligned_scores, require_truth
from ..scores.clusters import all_independent, rows_said
from .attenuation import Correction, Samples
from .comparison import Comparison, Limits
from .shared_topics import Joint, join, require_shared
from .system_groups import left_out_together

RESAMPLED = ("topics", "systems", "both")
#: Where so many draws agree entirely, the result says so.
HALF = 0.5
#: What is noted then.
NO_MORE_THAN_NOISE = "differ by no more than noise"


@takes_scores("estimate", "truth", in_order=("systems",))
def compare(
    estimate: ScoresLike,
    *unnamed: Any,
    truth: ScoresLike = REQUIRED,
    coefficient: str | Coefficient = "tau_b",
    level: float = 0.95,
    resample: str = "topics",
    groups: Mapping[str, Any] | None = None,
    one_sided: str = "error",
    match: str = "exact",
    topics: str = "all",
    paired: bool | None = None,
    rng: Rng = 0,
    progress: Progress | None = None,
) -> Comparison:
    """How far do two score matrices agree on the order of systems: on these topics, and beyond their noise?

    The target is c(mu_E, mu_T), the coefficient of the true means over all topics that could have been asked. The
    observed value is lowered (attenuated) by the noise of the topics, and resampling lowers it once more; so true means
    as they could be, given the observed ones, are drawn and compared: mu*_s = K_s y_s + K_s^1/2 e*_s, y_s = (estimate,
    truth) of a system, e* the deviations of resampled topics (formulas in `tauscope.judges.attenuation`). How far true
    means spread and differ is not known: each draw has its own value, from the confidence distribution of each
    (xie2013). The corrected value is the middle of the draws, the interval are their quantiles; the lower one is drawn
    twice, the second time with more weight on groups of systems, which must not be missed, and the lower of the two is
    taken. There is no p-value against 0: no judge is that bad, and it would not say how good one is. The order of the
    topics does not matter.

    Ties are as the coefficient has them in the observed means; true means hardly ever tie. tau and tau_ap are undefined
    on observed ties, but not without noise. Do not use it where topics are no random sample, or where the estimate was
    tuned on these topics.

    Parameters
    ----------
    estimate : Scores, or what read_scores() takes
        A judge or a measure: one row per topic, one column per system, a score in every cell.
    *unnamed, truth : Scores, or what read_scores() takes
        The scores that are right by definition, given by name. Required.
    coefficient : str or Coefficient, default "tau_b"
        Any of the catalogue.
    level : float, default 0.95
        Confidence of the interval.
    resample : {"topics", "systems", "both"}, default "topics"
        "topics": systems are these and no others; "systems": topics are these, systems a sample, of which one after the
        other is left out, or one of `groups` after the other; "both": both variances are added.
    groups : Mapping or None, default None
        System to group, such as its team, since systems of one team are no independent witnesses.
    one_sided : {"error", "drop"}, default "error"
        What to do with systems that only one of the two has.
    match : {"exact", "loose"}, default "exact"
        "loose" takes names of systems and topics for the same that differ by spelling only: spaces, case, leading
        zeros, ".0", or a word that all of them begin with. The notes say how many.
    topics : {"all", "shared"}, default "all"
        "all": means are over all topics that each side has, and those that are not shared are drawn apart; "shared":
        topics that not all have are left out. The notes say which.
    paired : bool or None, default None
        None: topics with the same label are the same topic, and are drawn together. False takes all for different
        topics, True insists on the same labels.
    rng : int, Generator or None, default 0
        Seed of everything drawn; None takes a fresh one, which the result remembers.
    progress : callable or None, default None
        Called with the number of pieces done and of those there are.

    Returns
    -------
    Comparison
        The observed and the corrected value, with `.interval`, `.at_least()` and `.noise_ceiling`.

    Raises
    ------
    CallError
        Where the truth is not given by name, or an argument is unknown.
    AlignmentError
        Where systems are on one side only, or with `paired` topics.

    See Also
    --------
    better_judge, rank_judges : several judges against one truth.
    significance : whether they find the same significant differences.

    Examples
    --------
    >>> from tauscope import Scores
    >>> human = Scores([[0.9, 0.5, 0.1], [0.8, 0.6, 0.3], [0.7, 0.6, 0.2], [0.9, 0.4, 0.3]])
    >>> machine = Scores([[0.8, 0.6, 0.3], [0.9, 0.6, 0.2], [0.6, 0.7, 0.2], [0.9, 0.5, 0.4]])
    >>> compare(machine, truth=human, rng=1).observed
    1.0
    """
    require_truth(truth, unnamed, "compare(estimate, truth=…)")
    c = catalogue[coefficient]
    checking.one_of(resample, RESAMPLED, "resample")
    if groups is not None and resample == "topics":
        raise CallError(
            '`groups` are groups of systems, which resample="topics" leaves alone.',
            Option("resample", "systems", "both", effect="to leave groups out in turn"),
        )
    level, seed = checking.level(level), remembered(rng)
    require_shared(topics, paired)
    same = aligned_scores(
        {"estimate": estimate, "truth": truth}, "compare()", one_sided, match=match, clusters=True, means_over=topics
    )
    rows = all_independent(same.scores)
    own, gold = same.scores
    correlation = evaluate(c, align(own.ranking(), gold.ranking()), names=("estimate", "truth"))
    joint = join(rows, paired=paired)
    members = None if resample == "topics" else left_out_together(own.systems, groups, seed)
    found = Limits(value=math.nan)
    correction, no_interval = None, None
    reason = _hopeless(joint, correlation, resample)
    if reason is None and resample != "systems":
        correction = Correction(Samples(joint, stream(seed, Stream.JUDGES)), c)
        found, no_interval = _estimate(correction, members, progress)
        reason = _why_nan(c) if math.isnan(found.value) else None
    elif reason is None and members is not None:
        found = Limits(value=correlation.value, systems=_observed_error(c, correlation, members), range=c.range)
        no_interval = said("leaving systems out leaves too few to rank") if math.isnan(found.error) else None
    return Comparison(
        coefficient=c,
        observed=correlation.value,
        corrected=found.value,
        error=found.error if no_interval is None else math.nan,
        level=level,
        resampled=resample,
        groups=0 if found.systems is None else found.systems.groups,
        draws=0 if found.topics is None else len(found.topics.values),
        monte_carlo=0.0 if found.topics is None else found.topics.monte_carlo(level),
        seed=seed,
        systems=joint.systems,
        topics=(joint.topics[0], joint.topics[1]),
        shared_topics=joint.shared,
        reliability=(math.nan, math.nan) if correction is None else _pair(correction.reliability),
        undefined_because=reason,
        no_interval_because=reason or no_interval,
        undefined_draws=0 if found.topics is None else found.topics.undefined,
        notes=same.notes + rows_said(same.scores, rows) + _notes(correlation, correction, groups, members),
        _remarks=same.remarks,
        _limits=found,
        _scores=(rows[0], rows[1]),
        _paired=paired,
        _left_out=groups,
    )


def _pair(values: Floats) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _hopeless(joint: Joint, correlation: Correlation, resample: str) -> str | None:
    """Why there is no value without noise, or None."""
    if joint.systems < 2:
        return said(f"a ranking needs at least two systems, and there is {joint.systems}")
    if resample == "systems":
        return correlation.undefined_because
    if min(joint.topics) < LEAST:
        return said("one topic does not tell how scores vary from topic to topic; two are the least")
    return None


def _why_nan(c: Coefficient) -> str:
    if c.ties is Ties.FORBIDDEN:
        return said(f"{c} is not defined with ties, and some systems have the same scores; use {', '.join(c.instead)}")
    return f"{c} has no value in any of the draws"


def _estimate(correction: Correction, members: Ints | None, progress: Progress | None) -> tuple[Limits, str | None]:
    """The value with its limits, and why there are none."""
    joint, c = correction.joint, correction.coefficient
    draws = correction.draws
    if min(joint.topics) < LEAST_FOR_NOISE:
        return Limits(value=draws.value, topics=draws), said(f"the noise of topics takes at least {LEAST_FOR_NOISE}")
    if members is None:
        return Limits(value=draws.value, topics=draws, range=c.range), None
    # Both are samples: their errors add up (and count twice what topics and systems share, which is little).
    own = jackknife(*correction.systems(members, progress), tally(members).astype(float))
    both = Limits(value=draws.value, topics=draws, systems=own, range=c.range)
    return both, f"{c} has no value without some of them" if math.isnan(own.deviation) else None


def _observed_error(c: Coefficient, correlation: Correlation, members: Ints) -> StandardError:
    """Jackknife of the observed value over groups of systems."""
    data = correlation._data
    left = []
    for group in range(int(members.max()) + 1):
        kept = members != group
        if kept.sum() < 2:
            left.append(math.nan)
            continue
        estimate, truth = (np.ascontiguousarray(scores[kept]) for scores in (data.first, data.second))
        left.append(kernels.one(c, estimate, truth).value)
    return jackknife(correlation.value, np.array(left), tally(members).astype(float))


def _notes(
    correlation: Correlation, correction: Correction | None, groups: Mapping[str, Any] | None, members: Ints | None
) -> tuple[str, ...]:
    """What a reader must know besides."""
    found = []
    if correlation.undefined_because is not None and correction is not None:
        found.append(f"the observed value is undefined: {correlation.undefined_because}")
    tied = correlation.ties
    if any(tied) and correlation.coefficient.ties is not Ties.SCORES:
        found.append(
            f"{tied.estimate:,} and {count(tied.truth, 'pair')} tied in the observed means of estimate and truth"
        )
    if correction is not None:
        flat = [name for name, g in zip(("estimate", "truth"), correction.reliability, strict=True) if g < FLOOR]
        if flat:
            hardly = f"the means of the {' and the '.join(flat)} hardly differ beyond noise"
            found.append(f"{hardly}: reliability set to its floor of {FLOOR:g}")
        elif correction.agree_entirely > HALF:
            found.append(f"estimate and truth {NO_MORE_THAN_NOISE}")
        if correction.scale_note is not None:
            found.append(correction.scale_note)
        if correction.draws.undefined:
            found.append(f"{correction.draws.undefined:,} draws without a value left out")
    if members is not None:
        n = int(members.max()) + 1
        kind = "each its own group" if n == len(members) else "groups at random"
        kind = "groups given" if groups is not None else kind
        found.append(f"{count(len(members), 'system')} in {count(n, 'group')} left out together, {kind}")
    return tuple(found)
