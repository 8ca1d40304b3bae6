"""What is odd about scores, and what it does to the answer: topics that are means of others, copies, marks, scales."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np

from ..core.arrays import Floats, product
from ..results import count, word
from .clusters import undeclared, uneven_clusters
from .cube import ScoreCube
from .labelled import mean_over
from .labels import Remark, pairs_shown, remarks_in, shown, would_match
from .odd_names import MOST_NAMES, is_lower_better, is_summary
from .scores import NEGATED, NUMBERED, Scores
from .table import MeasureTable

#: A match is a summary where chance would bring it about with a probability below 10 to the minus this.
_EVIDENCE = 10.0
#: What one system adds to that at most, so that at least six are needed: made-up boards can be exact on a few systems.
_MOST = 2.0
#: A system on which chance would match with a higher probability than this adds nothing.
_TELLING = 0.25
#: Floating-point error of a mean, as a share of the largest score.
_EXACT = 1e-9
#: More decimals than this are not rounding.
_DECIMALS = 9
#: Squares of larger scores overflow.
_LARGEST = 1e100
#: Means with weights are searched for among at most this many topics.
_MOST_TOPICS = 100
#: A singular value below this share of the largest is 0.
_SINGULAR = 1e-7
#: What an estimated weight may be off: rounding moves weights, and none of a mean is negative.
_WEIGHT = 0.02


def mean_topics(values: Floats) -> list[int]:
    """Find topics (rows) whose scores are the mean of all other topics, plain or with weights.

    A mean with weights is, for example, the mean of the means of categories. Scores are printed rounded, and the mean
    may have been taken before that, so a mean matches within the rounding of both, on every system that has a score on
    all topics. On one system such a match is chance with a probability of about four times that tolerance, divided by
    the spread of scores: of the topic over the systems, or of the system over the other topics, whichever is smaller.
    The means of the other topics are taken off before, because topics that differ in difficulty alone match without
    being summaries. The probabilities of the systems are multiplied; one system is left out for the topic's own
    difficulty, and one for each weight that is estimated.

    Parameters
    ----------
    values : array
        Topics x systems, NaN where a score is missing.

    Returns
    -------
    list of int
        Their places.

    Examples
    --------
    >>> tasks = np.random.default_rng(1).random((4, 12))
    >>> mean_topics(np.vstack([tasks, tasks.mean(axis=0).round(2)])), mean_topics(tasks)
    ([4], [])
    """
    full = values[:, ~np.isnan(values).any(axis=0)]
    left, found = list(range(len(full))), list[int]()
    if full.shape[1] * _MOST <= _EVIDENCE or np.abs(full).max(initial=0.0) > _LARGEST:
        return []
    while len(left) > 2:
        part = full[left]
        # The mean of the others is the mean of all, too.
        place = int(np.abs(part - part.mean(axis=0)).max(axis=1).argmin())
        weights = np.full(len(left), 1 / (len(left) - 1))
        weights[place] = 0.0
        if not _is_mean(part, place, weights, 1):
            weighted = _dependent(part)
            if weighted is None or not _is_mean(part, *weighted, len(left)):
                break
            place = weighted[0]
        found.append(left.pop(place))
    return sorted(found)


def _is_mean(values: Floats, place: int, weights: Floats, estimated: int) -> bool:
    """Whether a topic is this mean of the others on all systems, and cannot be it by chance."""
    others = weights != 0
    own, rest = values[place], values[others]
    off, spread = np.abs(own - weights @ values).max(), _spread(own[:, None])
    if 4 * off > _TELLING * spread[0]:  # too far for any rounding that would tell something
        return False
    tolerance = _tolerance(values, place, weights)
    if off > tolerance:
        return False
    spread = np.minimum(spread, _spread(rest - rest.mean(axis=1, keepdims=True)))
    chance = np.divide(4 * tolerance, spread, out=np.ones(len(spread)), where=spread > 4 * tolerance)
    evidence = np.sort(np.where(chance <= _TELLING, np.minimum(-np.log10(chance), _MOST), 0.0))
    return bool(evidence[: max(0, len(evidence) - estimated)].sum() >= _EVIDENCE)


def _spread(values: Floats) -> Floats:
    """The range of each column as its quartiles have it, so that a single extreme score does not decide it."""
    low, high = np.quantile(values, (0.25, 0.75), axis=0)
    return np.asarray(2 * (high - low))


def _tolerance(values: Floats, place: int, weights: Floats) -> float:
    """How far a mean may be off by rounding: its own last decimal, and four standard errors of that of the others.

    A topic on which all scores are whole is not known to be rounded, so the median of the topics decides.
    """
    half = _rounding(values)
    others = np.median(half[weights != 0])
    return float(
        half[place] + others * min(1.0, 4 * np.linalg.norm(weights) / np.sqrt(3)) + _EXACT * np.abs(values).max()
    )


def _rounding(values: Floats) -> Floats:
    """Half of the last printed decimal of each row; 0 where scores are not rounded."""
    half = np.zeros(len(values))
    unknown = np.ones(len(values), np.bool_)
    for decimals in range(_DECIMALS + 1):
        scaled = values[unknown] * 10.0**decimals
        exact = (np.abs(scaled - np.round(scaled)) <= _EXACT * np.maximum(1.0, np.abs(scaled))).all(axis=1)
        rows = np.flatnonzero(unknown)[exact]
        half[rows] = 0.5 * 10.0**-decimals
        unknown[rows] = False
        if not unknown.any():
            break
    return half


def _dependent(values: Floats) -> tuple[int, Floats] | None:
    """The place of a topic that is a mean of the others with weights, and the weights, if there is exactly one."""
    n, m = values.shape
    if n > _MOST_TOPICS or m * _MOST <= n * _MOST + _EVIDENCE:
        return None
    sizes, vectors = np.linalg.eigh(values @ values.T)
    sizes = np.sqrt(np.maximum(sizes, 0.0))
    # Of a mean, the residuals are within the rounding: the smallest singular value is that small, and no other.
    limit = np.sqrt(m) * 2 * np.median(_rounding(values)) + _SINGULAR * sizes[-1]
    if sizes[0] > limit or sizes[1] <= 3 * limit:
        return None
    null = vectors[:, 0]
    place = int(np.abs(null).argmax())
    weights = -null / null[place]
    weights[place] = 0.0
    fits = abs(weights.sum() - 1) <= _WEIGHT and weights.min() >= -_WEIGHT and weights.max() <= 1 - _WEIGHT
    return (place, weights) if fits else None


#: A system with fewer than this share of the topics is thin: its mean is over other topics than those of the others.
THIN = 0.5
#: A system whose scores are so many times those of all others is on another scale.
_WILD = 20.0
#: A median skewness above this, and this often the root of the number of topics, is warned of.
_SKEWED, _SKEWED_BESIDE = 1.1, 0.12
#: The largest share of boards of equal systems with a false claim at 5 % (`benchmarks/hard_boards.py skewness`):
#: steady systems beside some that have few high scores; lognormal scores of unequal spread.
_FALSE_CLAIMS = 27
#: Fewer topics say nothing of skewness; of more topics and systems, so many are looked at.
_FEWEST_FOR_SKEWNESS, _ENOUGH_TOPICS, _ENOUGH_SYSTEMS = 8, 2000, 64
#: Errors that clusters make larger than this are worth a warning.
_WIDER = 1.1


def oddities(scores: Scores | ScoreCube | MeasureTable) -> tuple[Remark, ...]:
    """What is odd about scores by one measure or several: what was remarked on reading them, and what they show
    themselves."""
    if isinstance(scores, Scores):
        found = {"": [remark for rule in (*RULES, *RULES_OF_SAMPLES) for remark in rule(scores)]}
    elif isinstance(scores, ScoreCube):
        found = {name: [remark for rule in RULES for remark in rule(_by(scores, name))] for name in scores.measures}
    else:
        found = {name: list(markers_in(scores[name])) for name in scores.measures}
    return (*remarks_in(scores.notes), *_of_measures(found))


def _by(cube: ScoreCube, measure: str) -> Scores:
    """The scores by one measure, without the systems that have none by it."""
    there = ~np.isnan(cube.values[cube.measures.index(measure)]).all(axis=0)
    return cube.select(systems=[cube.systems[i] for i in np.flatnonzero(there)])[measure]


def _of_measures(found: dict[str, list[Remark]]) -> Iterator[Remark]:
    """Remarks by measure: what is said of all measures is said once, without them."""
    measures: dict[Remark, list[str]] = {}
    for measure, remarks in found.items():
        for remark in dict.fromkeys(remarks):
            measures.setdefault(remark, []).append(measure)
    for remark, names in measures.items():
        everywhere = len(names) == len(found)
        yield remark if everywhere else remark.at(": ".join(filter(None, (shown(names, 5), remark.where))))


def cautions(scores: Scores | ScoreCube | MeasureTable, *, but: Collection[str] = ()) -> tuple[str, ...]:
    """What a result made from these scores must say of them: the oddities that change what a number means, without
    those of some codes."""
    told = (remark for remark in oddities(scores) if remark.severity == "warning" and remark.code not in but)
    return tuple(dict.fromkeys(map(str, told)))


def oddities_of_pair(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Remark]:
    """What is odd about two sets of scores beside each other."""
    return (remark for rule in RULES_OF_PAIRS for remark in rule(first, second, names))


def copies(scores: Scores) -> list[list[str]]:
    """Groups of systems that have the same score on every topic."""
    groups: dict[bytes, list[str]] = {}
    for column, system in zip(np.ascontiguousarray(scores.values.T) + 0.0, scores.systems, strict=True):
        groups.setdefault(column.tobytes(), []).append(system)
    return [group for group in groups.values() if len(group) > 1]


def _scales(scores: Scores) -> Iterator[Remark]:
    found = scores.scales()
    if found is not None:
        yield Remark(
            f"{found.text()}{'' if found.sure else ': these may be two scales'}",
            code="different-scales",
            effect=f"{'' if found.sure else 'if they are on different scales, '}a mean over them is decided by the "
            f"{word('topics')} with the widest scale",
            suggestion="bring them to one scale (aggregate: z, rank or minmax), or leave out what is no score "
            "(columns, drop=…)",
        )


def _lower(scores: Scores) -> Iterator[Remark]:
    if any(note.startswith(NEGATED) for note in scores.notes):
        return
    few = len(scores.topics) <= MOST_NAMES
    found = [topic for topic in scores.topics if is_lower_better(topic)] if few else []
    if found:
        yield Remark(
            f"by name lower is better on {count(len(found), 'topic')}, and higher was taken for better",
            where=shown(found),
            code="lower-is-better",
            effect="there the best system counts as the worst",
            suggestion="say so when the scores are read (lower_is_better with these names; in the shell "
            "--lower-is-better and the names)",
        )
    elif is_lower_better(scores.measure):
        yield Remark(
            f"by its name lower is better by {scores.measure}, and higher was taken for better",
            code="lower-is-better",
            effect="the ranking is upside down",
            suggestion="say so when the scores are read (lower_is_better; in the shell --lower-is-better)",
        )


def _summaries(scores: Scores) -> Iterator[Remark]:
    for one, names in (("topic", scores.topics), ("system", scores.systems)):
        found = [name for name in names if is_summary(name)] if len(names) <= MOST_NAMES else []
        if found and len(found) < len(names):
            yield Remark(
                f"{count(len(found), one)} {'is' if len(found) == 1 else 'are'} a summary of others by name",
                where=shown(found),
                code=f"summary-{one}",
                effect=f"as a {word(one)} it counts the others once more",
                suggestion="leave it out, unless it is one",
            )


def _means(scores: Scores) -> Iterator[Remark]:
    few = 2 < len(scores.topics) <= MOST_NAMES
    found = [scores.topics[i] for i in mean_topics(scores.values)] if few else []
    if found:
        yield Remark(
            f"the scores on {count(len(found), 'topic')} are the mean of the others",
            where=shown(found),
            code="mean-topic",
            effect=f"as {'a ' if len(found) == 1 else ''}{word('topic' if len(found) == 1 else 'topics')} they count "
            "the others once more",
            suggestion="leave them out, unless they are scores of their own",
        )


def _thin(scores: Scores) -> Iterator[Remark]:
    if not scores.has_holes:
        return
    known = (~np.isnan(scores.values)).sum(axis=0)
    n = len(scores.topics)
    thin = np.flatnonzero(known < THIN * n)
    if thin.size:
        least = int(thin[np.argmin(known[thin])])
        yield Remark(
            f"{count(thin.size, 'system')} {'has' if thin.size == 1 else 'have'} scores on less than half of the "
            f"{count(n, 'topic')}, {scores.systems[least]!r} on {known[least]:,}",
            where=shown([scores.systems[i] for i in thin]),
            code="thin-system",
            effect=f"its mean is over other {word('topics')} than those of the others, and may only be over easy ones",
            suggestion="leave it out, or compare it on what it has: a partial ranking",
        )


def _wild(scores: Scores) -> Iterator[Remark]:
    if len(scores.systems) < 3:
        return
    size = np.abs(scores.values)
    tops = np.nanmax(size, axis=0)
    middle = 2 * np.nanmedian(size / 2, axis=0)  # the mean of two huge ones would overflow
    first, second = np.argsort(-tops, kind="stable")[:2]
    if tops[second] > 0 and middle[first] / _WILD > tops[second]:
        yield Remark(
            f"its scores go up to {tops[first]:g}, those of all others to {tops[second]:g}",
            where=repr(scores.systems[first]),
            code="another-scale",
            effect="if it is a size or a count and no system, it is ranked as one",
            suggestion="leave it out if it is none (columns, drop=…)",
        )


def _copies(scores: Scores) -> Iterator[Remark]:
    for group in copies(scores):
        yield Remark(
            f"these {word('systems')} have the same score on every {word('topic')}",
            where=shown(group),
            code="duplicate-systems",
            effect="their pair is tied in every ranking, which not every coefficient takes, "
            "and copies count as systems",
            suggestion="keep one of them",
        )


def _negative(scores: Scores) -> Iterator[Remark]:
    if not any(note.startswith(NEGATED) for note in scores.notes):
        yield from markers_in(scores.values)


def markers_in(values: Floats) -> Iterator[Remark]:
    """Grades of -1 or -2 among whole numbers, and -1 among numbers from 0 to 1: marks rather than scores.

    Scores of which none is above 0 are penalties, and a scale from -2 to 2 has its negative half.
    """
    low, known = values[values < 0], values[~np.isnan(values)]
    top = float(known.max(initial=0.0))
    if not low.size or top <= 0:
        return
    marks = np.isin(low, (-1, -2)).all() and (top > -low.min() or len(np.unique(low)) == 1)
    if marks and (known == np.round(known)).all() and top <= 10:
        yield Remark(
            f"{count(low.size, 'grade')} below 0, down to {low.min():g}",
            code="negative-grades",
            effect="a grade of -1 or -2 often means spam or not judged, and here it lowers a mean as a score",
            suggestion="decide what it means: 0, or a missing cell",
        )
    elif (low == -1).all() and 0 <= top <= 1:
        yield Remark(
            f"{count(low.size, 'cell')} {'is' if low.size == 1 else 'are'} -1, and all others are from 0 to {top:g}",
            code="minus-one",
            effect="a -1 often marks what has no score, and here it lowers a mean as a score",
            suggestion="decide what it means: 0, or a missing cell",
        )


def _clustered(scores: Scores) -> Iterator[Remark]:
    for sign, wider in undeclared(scores):
        larger = f"about {wider:.1f} times as large" if wider > _WIDER else "about as large"
        yield Remark(
            f"{sign}: if they come in clusters, such as parts of one document, standard errors are {larger}; declare "
            "them with clusters=",
            code="undeclared-clusters",
            effect="intervals, tests and tiers take them for independent, and claim too much where they are not",
            suggestion=f"name the cluster of each {word('topic')} (clusters=), unless they were drawn one by one",
            severity="warning" if wider > _WIDER else "note",
        )


def _uneven(scores: Scores) -> Iterator[Remark]:
    for text in uneven_clusters(scores):
        yield Remark(
            text,
            code="uneven-clusters",
            effect="intervals are somewhat too narrow",
            suggestion="split the largest clusters where their parts are independent",
        )


def _skewed(scores: Scores) -> Iterator[Remark]:
    if _two_valued(scores.values):
        return
    found = median_skewness(scores.values)
    if found > _SKEWED and found > _SKEWED_BESIDE * len(scores.topics) ** 0.5:
        yield Remark(
            f"differences between {word('systems')} are skewed (median skewness {found:.1f}): on simulated boards like "
            f"that, tests at 95 % called equal ones different in up to {_FALSE_CLAIMS} % of cases instead of 5 %",
            code="skewed-differences",
            effect=f"a few {word('topics')} decide, and what a sample lacks it does not show",
            suggestion=f"take a stricter level (0.99), or more {word('topics')}",
        )


def _two_valued(values: Floats) -> bool:
    """Whether scores are right or wrong. Differences of systems with equal means are symmetric then, and flips of signs
    exact, however few items are wrong."""
    known = values[~np.isnan(values)]
    return bool(known.size) and bool(((known == known.min()) | (known == known.max())).all())


def median_skewness(values: Floats) -> float:
    """The median over pairs of systems of the size of the skewness of their differences; 0 where topics are too few.

    Missing cells count as the mean of their system.
    """
    n, m = values.shape
    if n < _FEWEST_FOR_SKEWNESS or m < 2:
        return 0.0
    some = values[:: -(-n // _ENOUGH_TOPICS), :: -(-m // _ENOUGH_SYSTEMS)]
    scale = float(np.nanmax(np.abs(some)))
    if not 0 < scale < np.inf:
        return 0.0
    some = some / scale
    centred = np.nan_to_num(some - mean_over(some, 0))
    squared = centred**2
    first, second = np.triu_indices(centred.shape[1], 1)
    covariance, mixed = product(centred.T, centred), product(squared.T, centred)
    variance, third = np.diagonal(covariance), np.diagonal(mixed)
    spread = variance[first] + variance[second] - 2 * covariance[first, second]
    skew = third[first] - third[second] - 3 * (mixed[first, second] - mixed[second, first])
    known = spread > 1e-9 * (variance[first] + variance[second])
    if not known.any():
        return 0.0
    return float(np.median(np.abs(skew[known]) / spread[known] ** 1.5) * np.sqrt(len(some)))


#: Every rule takes scores and yields remarks.
RULES: tuple[Callable[[Scores], Iterator[Remark]], ...] = (
    _scales,
    _lower,
    _summaries,
    _means,
    _thin,
    _wild,
    _copies,
    _negative,
)
#: The same of what tests and intervals over topics rest on; several measures are not tested.
RULES_OF_SAMPLES: tuple[Callable[[Scores], Iterator[Remark]], ...] = (_clustered, _uneven, _skewed)


def _same_data(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Remark]:
    if first.shape != second.shape or set(first.systems) != set(second.systems):
        return
    if set(first.topics) != set(second.topics):
        return
    other = second.select(topics=first.topics, systems=first.systems)
    if np.array_equal(first.values, other.values, equal_nan=True):
        yield Remark(
            f"{names[0]} and {names[1]} hold the same score in every cell",
            code="same-data",
            effect="scores agree with themselves entirely: the comparison says nothing",
            suggestion="give two files, or of one file another measure or judge for the truth",
        )


def _other_topics(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Remark]:
    shared = set(first.topics) & set(second.topics)
    alone = [len(scores.topics) - len(shared) for scores in (first, second)]
    if not any(alone):
        return
    told = [
        f"{alone[i]:,} of {count(len(scores.topics), 'topic')} {'is' if alone[i] == 1 else 'are'} only in {names[i]}"
        for i, scores in enumerate((first, second))
        if alone[i]
    ]
    yield Remark(
        " and ".join(told)
        + f": means over {len(first.topics):,} and {count(len(second.topics), 'topic')} are compared",
        code="topics-on-one-side",
        effect="means over different topics are compared, and only shared topics are resampled together",
        suggestion="to compare the same topics, take those that both have (--topics shared of compare and audit), or "
        "leave the others out of the files",
    )


def spelled_differently(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Remark]:
    """Systems and topics of two sets of scores that differ by spelling only."""
    for axis, one in (("topics", "topic"), ("systems", "system")):
        own, other = getattr(first, axis), getattr(second, axis)
        found = would_match(own, other)
        if found:
            yield Remark(
                f"{count(len(found), one)} of {names[0]} and {names[1]} would match if they were spelled alike",
                where=pairs_shown(list(found.items())),
                code=f"{one}s-spelled-differently",
                effect=f"they count as different {word(one + 's')}",
                suggestion="match names loosely (match: loose)",
            )


def _numbered(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Remark]:
    if all(any(NUMBERED in note for note in scores.notes) for scores in (first, second)):
        yield Remark(
            f"neither {names[0]} nor {names[1]} names its {word('topics')}: they are numbered, and matched by their "
            "rows",
            code="numbered-topics",
            effect=f"where the order of the {word('topics')} differs, all that pairs {word('topics')} is wrong; the "
            "means are not touched",
            suggestion=f"name the {word('topics')} in both files",
            severity="note",
        )


#: Every rule takes both sets of scores and what they are called, and yields remarks.
RULES_OF_PAIRS: tuple[Callable[[Scores, Scores, tuple[str, str]], Iterator[Remark]], ...] = (
    _same_data,
    _other_topics,
    _numbered,
    spelled_differently,
)
