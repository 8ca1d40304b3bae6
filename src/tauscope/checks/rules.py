"""The rules of the linter: one function per thing that can be wrong with scores, or between two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, snap
from ..data.cube import ScoreCube
from ..data.labels import remarks_in, shown
from ..data.names import MeasureName
from ..data.oddities import copies, markers_in, oddities, oddities_of_pair
from ..data.scores import Scores
from ..data.table import MeasureTable
from ..inference.reliability import FEWEST_IN_TWO
from ..inference.true_means import ENOUGH_FOR_A_COLLECTION, LEAST, LEAST_FOR_A_COLLECTION, Observed
from ..results import count
from .findings import Finding, note, of_remark, together, warning

#: Systems that differ on at most this share of the topics are nearly the same system.
NEARLY = 0.05
#: Comparing every pair of systems on every topic stops being quick beyond this many comparisons.
_MOST_COMPARISONS = 5_000_000_000
_NO_TAU = "tau and tau_ap are undefined with ties"
_NO_TAU_OF_MEANS = "tau and tau_ap of the means are undefined, for there are ties"
_VARIANTS = "use tau_b or tau_ap_b between two observers, tau_a or tau_ap_a against a truth"


def of_scores(scores: Scores | ScoreCube | MeasureTable) -> list[Finding]:
    """Return what in a set of scores would trouble a comparison of its systems; the same of several measures once."""
    if isinstance(scores, Scores):
        return [finding for rule in RULES_OF_SCORES for finding in rule(scores)]
    if isinstance(scores, ScoreCube):
        return together({measure: of_scores(scores[measure]) for measure in scores})
    columns = {measure: _column(scores, measure) for measure in scores.measures}
    found = together({name: [f for rule in RULES_OF_MEANS for f in rule(own)] for name, own in columns.items()})
    return [*found, *map(of_remark, remarks_in(scores.notes))]


def _column(table: MeasureTable, measure: str) -> Scores:
    column = table[measure]
    names = tuple(map(str, range(1, len(table) + 1))) if table.is_topic_wise else table.systems
    known = np.flatnonzero(~np.isnan(column))
    return Scores(column[None, known], ("mean",), tuple(names[i] for i in known), measure)


def decimals(values: Floats) -> int | None:
    """The fewest decimals, up to 6, that write every value; None where none do, or a double has no room for them."""
    known = values[~np.isnan(values)]
    if np.abs(known).max(initial=0.0) > 1e6:
        return None
    for places in range(7):
        grid = known * 10.0**places
        if np.abs(grid - np.round(grid)).max(initial=0.0) < 1e-6:
            return places
    return None


def _tied(rows: Floats, genuine: Callable[[Floats], NDArray[np.bool_]] | None = None) -> tuple[int, int, int]:
    """(tied pairs, of these at values that are `genuine`, rows that have any) over rows; missing cells do not tie."""
    pairs = real = tied_rows = 0
    for row in rows:
        values, sizes = np.unique(row[~np.isnan(row)], return_counts=True)
        own = sizes.astype(np.int64) * (sizes - 1) // 2
        pairs += int(own.sum())
        real += int(own[genuine(values)].sum()) if genuine else 0
        tied_rows += bool(own.any())
    return pairs, real, tied_rows


def _tied_means(scores: Scores) -> tuple[int, int]:
    """(tied pairs of means, of these between systems that are not the same on every topic)."""
    means, _ = snap(np.array(scores.means()))
    pairs, _, _ = _tied(means[None])
    same = sum(len(group) * (len(group) - 1) // 2 for group in copies(scores))
    return pairs, max(0, pairs - same)


def _natural_grid(measure: str, values: Floats) -> bool:
    """Whether the measure itself, not rounding, allows so few values: P@10 has eleven, Success two."""
    name = MeasureName.parse(measure)
    if name.family in ("P", "Success", "Judged") and name.cutoff:
        grid = values[~np.isnan(values)] * name.cutoff
        return bool(np.abs(grid - np.round(grid)).max(initial=0.0) < 1e-6)
    return False


def _rounding(scores: Scores) -> Iterator[Finding]:
    places = decimals(scores.values)
    tied_means, made = _tied_means(scores)
    are = "is" if tied_means == 1 else "are"
    means = f"{count(tied_means, 'pair')} of means {are} tied, {made:,} of them of systems that differ"
    means = means if tied_means else "no means are tied"
    if places is not None and places >= 2 and not _natural_grid(scores.measure, scores.values):
        step = 10.0**-places
        # 0 is a score, not a rounded one; 1/k and 1/(k+1) stay apart as long as k(k+1) < 1/step.
        limit = step**0.5 if MeasureName.parse(scores.measure).family == "RR" else np.inf
        pairs, genuine, topics = _tied(scores.values, lambda values: (values == 0) | (values >= limit))
        if pairs > genuine:
            text = (
                f"every value is a multiple of {step:g}, as in output rounded to {places} decimals; on {topics:,} of "
                f"{count(len(scores.topics), 'topic')} systems are tied, and rounding may have made "
                f"{pairs - genuine:,} of the {count(pairs, 'tied pair')}; {means}"
            )
            effect = (
                _NO_TAU_OF_MEANS if tied_means else "tau and tau_ap are undefined on those topics, not of the means"
            )
            advice = f"compute the scores with all their digits, or {_VARIANTS}"
            yield Finding(
                code="rounded",
                severity="warning" if tied_means else "note",
                where="",
                text=text,
                effect=effect,
                suggestion=advice,
            )
            return
    if tied_means:
        yield warning("tied-means", means, effect=_NO_TAU_OF_MEANS, suggestion=_VARIANTS)


def _rounding_of_means(scores: Scores) -> Iterator[Finding]:
    places, (pairs, _, _) = decimals(scores.values), _tied(scores.values)
    if pairs:
        text = f"{count(pairs, 'pair')} of systems {'is' if pairs == 1 else 'are'} tied"
        if places is not None and places >= 2:
            text += f", and every value is a multiple of {10.0**-places:g}, as in rounded output"
        yield warning("tied-means", text, effect=_NO_TAU, suggestion=_VARIANTS)


def _constant_systems(scores: Scores) -> Iterator[Finding]:
    if len(scores.topics) < 2:
        return
    low, high = _fold(np.fmin, scores.values, 0), _fold(np.fmax, scores.values, 0)
    several = np.isfinite(scores.values).sum(0) > 1  # one score is not the same score every time
    at = np.flatnonzero((low == high) & several)
    if not at.size:
        return
    have = "has" if at.size == 1 else "have"
    failed = ": 0, as a run that failed" if not high[at].any() else ""
    yield warning(
        "constant-system",
        f"{count(at.size, 'system')} {have} the same score on every topic{failed}",
        where=shown([scores.systems[i] for i in at]),
        effect="two such systems are compared without any doubt, for their difference never varies",
        suggestion="make sure that the run is complete, or leave it out",
    )


def _odd(scores: Scores) -> Iterator[Finding]:
    """What was remarked on reading, and what is odd about names and scales; copies are among them."""
    return map(of_remark, oddities(scores))


def _markers(scores: Scores) -> Iterator[Finding]:
    return map(of_remark, markers_in(scores.values))


def _near_duplicates(scores: Scores) -> Iterator[Finding]:
    groups = copies(scores)
    n, m = scores.shape
    if m * m * n > _MOST_COMPARISONS:
        return
    again = {name for group in groups for name in group[1:]}
    rest = [i for i, name in enumerate(scores.systems) if name not in again]
    limit, near = int(NEARLY * n), []
    for place, i in enumerate(rest[:-1] if limit else []):
        others = rest[place + 1 :]
        differing = (scores.values[:, [i]] != scores.values[:, others]).sum(axis=0)
        near += [(scores.systems[i], scores.systems[others[k]]) for k in np.flatnonzero(differing <= limit)]
    if near:
        pairs = ", ".join(f"{a!r} and {b!r}" for a, b in near[:3]) + (", …" if len(near) > 3 else "")
        yield note(
            "near-duplicates",
            f"{count(len(near), 'pair')} of systems differ on at most {count(limit, 'topic')} of {n:,}",
            where=pairs,
            effect="variants of one system follow each other through every ranking and make agreement look higher",
            suggestion="say so in the report, or keep one of each family",
        )


def _constant_topics(scores: Scores) -> Iterator[Finding]:
    if len(scores.systems) < 2:
        return
    low, high = _fold(np.fmin, scores.values, 1), _fold(np.fmax, scores.values, 1)
    constant = [scores.topics[i] for i in np.flatnonzero((low == high) & (np.isfinite(scores.values).sum(1) > 1))]
    if constant:
        yield note(
            "constant-topic",
            f"all systems have the same score on {count(len(constant), 'topic')}",
            where=shown(constant),
            effect="there every coefficient of the single topic is undefined or trivial; the order of the means stays",
            suggestion="look whether the topic has judgments at all",
        )


def _fold(ufunc: np.ufunc, values: Floats, axis: int) -> Floats:
    return np.asarray(ufunc.reduce(values, axis=axis))


def _holes(scores: Scores) -> Iterator[Finding]:
    if not scores.has_holes:
        return
    holes = np.isnan(scores.values)
    systems = [scores.systems[i] for i in np.flatnonzero(holes.any(axis=0))]
    topics = int(holes.any(axis=1).sum())
    yield warning(
        "missing-cells",
        (
            f"{count(scores.holes, 'cell')} of {holes.size:,} {'has' if scores.holes == 1 else 'have'} no score: "
            f"{count(len(systems), 'system')}, {count(topics, 'topic')}"
        ),
        where=shown(systems),
        effect="means over different topics are compared, so easy topics that are missing lower a system",
        suggestion="decide what absence means: a score of 0, or a topic or system to drop",
    )


def _range(scores: Scores) -> Iterator[Finding]:
    lowest, highest = MeasureName.parse(scores.measure).range
    values = scores.values[~np.isnan(scores.values)]
    slack = 1e-9
    outside = (values < lowest - slack) | (values > highest + slack)
    if not outside.any():
        return
    top = float(values.max())
    if highest == 1 and values.min() >= lowest and 2 < top <= 100 and (values > 1).mean() > 0.25:
        yield warning(
            "percent",
            f"values go up to {top:g}, as percent do, and {scores.measure} ends at 1",
            effect="no rank changes, but tolerances for ties and everything that assumes scores in [0, 1] do",
            suggestion="divide the scores by 100",
        )
        return
    index = np.argwhere((scores.values < lowest - slack) | (scores.values > highest + slack))[0]
    place = scores.place([int(i) for i in index]) if len(scores.topics) > 1 else f"system {scores.systems[index[1]]!r}"
    yield Finding(
        code="out-of-range",
        severity="error",
        where=place,
        text=(
            f"{count(int(outside.sum()), 'value')} outside [{lowest:g}, {highest:g}], the range of {scores.measure}; "
            f"the first is {scores.values[tuple(index)]:g}"
        ),
        effect="the scores are not what their name says, and a single wild value moves a mean past others",
        suggestion="correct the values, or the name of the measure",
    )


def _negative(scores: Scores) -> Iterator[Finding]:
    means = scores.means()
    if (means < 0).any():
        names = [scores.systems[i] for i in np.flatnonzero(means < 0)]
        yield note(
            "negative-means",
            f"{count(len(names), 'mean')} below 0",
            where=shown(names),
            effect="pearson_rank is undefined when such a mean is in the truth, for its weights are the scores",
            suggestion="use another coefficient, or shift the scores and say so",
        )


def _few_topics(scores: Scores) -> Iterator[Finding]:
    n = len(scores.topics)
    if n >= ENOUGH_FOR_A_COLLECTION:
        return
    yield Finding(
        code="few-topics",
        severity="warning" if n < LEAST_FOR_A_COLLECTION else "note",
        where="",
        text=f"there {'is' if n == 1 else 'are'} only {count(n, 'topic')}",
        effect="the order of close systems is mostly chance, and split-half methods have little to split",
        suggestion="report an interval with every coefficient, or collect more topics",
    )


def _in_groups(scores: Scores) -> Iterator[Finding]:
    if scores.holes or len(scores.topics) < LEAST or len(scores.systems) < FEWEST_IN_TWO:
        return
    observed = Observed.of(scores.values)
    split = observed.local.split
    if split is None:
        return
    names = [scores.systems[observed.order[i]] for i in split[-1].systems]
    sizes = " above ".join(f"{len(part.systems):,}" for part in split)
    yield Finding(
        code="in-groups",
        severity="note",
        where=shown(names, 5),
        text=f"the systems come in {'two' if len(split) == 2 else 'three'} groups that are apart, {sizes}",
        effect="pairs of different groups are easy and lift every correlation, whatever the order inside the groups",
        suggestion="look at the groups apart too: expected_correlation() shows the top 75 % and the top 20",
    )


#: Every rule takes scores and yields findings; findings of one severity stand in this order.
RULES_OF_SCORES: tuple[Callable[[Scores], Iterator[Finding]], ...] = (
    _range,
    _holes,
    _odd,
    _near_duplicates,
    _constant_systems,
    _rounding,
    _few_topics,
    _constant_topics,
    _negative,
    _in_groups,
)
#: The rules for a table of systems by measures, whose columns are looked at one by one.
RULES_OF_MEANS: tuple[Callable[[Scores], Iterator[Finding]], ...] = (_range, _rounding_of_means, _markers)


def of_pair(first: Scores, second: Scores, names: tuple[str, str]) -> list[Finding]:
    """Return what would trouble a comparison of two sets of scores."""
    return [finding for rule in RULES_OF_PAIRS for finding in rule(first, second, names)]


def _unmatched(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Finding]:
    for axis, one in (("systems", "system"), ("topics", "topic")):
        a, b = getattr(first, axis), getattr(second, axis)
        shared = len(set(a) & set(b))
        for own, other, name in ((a, set(b), names[0]), (b, set(a), names[1])):
            only = [label for label in own if label not in other]
            if only:
                ways = (
                    f"drop the {one}s that only one side has and compare the {shared:,} that both have"
                    if shared
                    else "look whether they are spelled alike"
                )
                effect = (
                    "rankings are compared on the same systems, so this is an error unless it is a choice"
                    if one == "system"
                    else "means over different topics are compared, and topics cannot be resampled jointly"
                )
                yield Finding(
                    code=f"{axis}-on-one-side",
                    severity="warning" if shared else "error",
                    where=shown(only),
                    text=f"{len(only):,} of {count(len(own), one)} {'is' if len(only) == 1 else 'are'} only in {name}",
                    effect=effect,
                    suggestion=ways if one == "system" else "select the shared topics on both sides",
                )


#: What is told here in other words.
_OF_OURS = ("topics-on-one-side", "numbered-topics")


def _odd_beside(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Finding]:
    """The same scores on both sides, and names that differ by spelling only."""
    told = (remark for remark in oddities_of_pair(first, second, names) if remark.code not in _OF_OURS)
    return map(of_remark, told)


def _numbered(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Finding]:
    numbers = tuple(str(i) for i in range(1, len(first.topics) + 1))
    if first.topics == second.topics == numbers:
        yield note(
            "numbered-topics",
            "the topics of both are numbered from 1 and are matched by their place",
            effect="where the order of the topics differs, all that pairs topics is wrong; the means are not touched",
            suggestion="name the topics in both files",
        )


def _scales(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Finding]:
    tops = [float(np.nanmax(np.abs(scores.values))) for scores in (first, second)]
    if min(tops) > 0 and max(tops) / min(tops) >= 20 and min(tops) <= 1 < max(tops):
        large, small = (names[0], names[1]) if tops[0] > tops[1] else (names[1], names[0])
        yield note(
            "different-scales",
            f"{large} goes up to {max(tops):g}, {small} to {min(tops):g}",
            effect="ranks do not change, but one tolerance for ties in both means two different things",
            suggestion="bring both to one scale, or give a tolerance for each",
        )


#: Every rule takes both sets of scores and what they are called, and yields findings.
RULES_OF_PAIRS: tuple[Callable[[Scores, Scores, tuple[str, str]], Iterator[Finding]], ...] = (
    _unmatched,
    _odd_beside,
    _numbered,
    _scales,
)
