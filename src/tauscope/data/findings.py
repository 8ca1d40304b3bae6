"""Problems of data: one rule for each, in one list.

`check()` prints what all rules find. A result carries those problems that change what its numbers mean (`cautions()`),
and the shell prints them once, before any number. A rule takes scores and yields a `Remark` for each problem.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, product, snap
from ..results import Note, Result, count, fact, word
from .clusters import undeclared, uneven_clusters
from .cube import ScoreCube
from .labels import Remark, mean_over, pairs_shown, remarks_in, shown, would_match
from .names import MeasureName
from .scores import NUMBERED, Scores
from .summaries import MOST_NAMES, is_lower_better, is_summary, mean_topics
from .table import MeasureTable

SEVERITIES = ("error", "warning", "note")


class Finding(NamedTuple):
    """One problem that `check()` found.

    Attributes
    ----------
    code : str
        What kind of problem, such as "rounded".
    severity : str
        "error", "warning" or "note".
    where : str
        Which systems or topics, or "".
    text : str
        What it is.
    effect : str
        What it does to the coefficients.
    suggestion : str
        What to do about it.
    """

    code: str
    severity: str
    where: str
    text: str
    effect: str
    suggestion: str

    def __str__(self) -> str:
        where = f" [{self.where}]" if self.where else ""
        return f"{self.severity}: {self.code}{where}: {self.text}. {self.advice()}"

    def advice(self) -> str:
        """Return what it does to the coefficients and what to do about it, as sentences."""
        effect, suggestion = (text[:1].upper() + text[1:] for text in (self.effect, self.suggestion))
        return f"{effect}. {suggestion}."


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Findings(Result):
    """Everything that `check()` found, errors first; it is empty if there is nothing to report.

    Iterate over it, or ask for one: `findings["rounded"]` is the first finding with that code.

    Attributes
    ----------
    subjects : tuple of str
        What was checked.
    findings : tuple of Finding
        What was found.
    """

    QUESTION: ClassVar[str] = "findings"

    subjects: tuple[str, ...]
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, subjects: Iterable[str], problems: Iterable[Remark]) -> Findings:
        """Put problems into the order of their severity.

        Parameters
        ----------
        subjects : iterable of str
            What was checked.
        problems : iterable of Remark
            What the rules found.

        Returns
        -------
        Findings
        """
        found = (Finding(p.code, p.severity, p.where, p.what, p.effect, p.suggestion) for p in problems)
        gravest_first = sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))
        return cls(subjects=tuple(subjects), findings=tuple(gravest_first))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, code: str) -> Finding:
        """The first finding of that code."""
        for finding in self.findings:
            if finding.code == code:
                return finding
        raise KeyError(code)

    @fact
    def codes(self) -> tuple[str, ...]:
        """The codes of what was found, each once, errors first."""
        return tuple(dict.fromkeys(finding.code for finding in self.findings))

    @fact
    def worst(self) -> str | None:
        """The highest severity, or None if nothing was found."""
        return next((level for level in SEVERITIES if any(f.severity == level for f in self.findings)), None)

    def columns(self) -> dict[str, Any]:
        return {name: [getattr(finding, name) for finding in self.findings] for name in Finding._fields}


def problems(
    scores: Scores | ScoreCube | MeasureTable, *, every: bool = False, more: Iterable[Rule] = ()
) -> tuple[Remark, ...]:
    """Find the problems of scores by one measure or several: those noticed on reading, and those that they show.

    Parameters
    ----------
    scores : Scores, ScoreCube or MeasureTable
        What was read.
    every : bool, default False
        Whether to try the rules of `check()` too, which look at ties, ranges and the like; results do not.
    more : iterable of Rule
        Further rules for scores on topics.

    Returns
    -------
    tuple of Remark
        In the order of the rules; what is said of all measures is said once.
    """
    found: dict[str, list[Remark]] = {}
    rules = (*RULES, *more)
    if isinstance(scores, Scores):
        found[""] = [remark for rule in rules if every or not rule.check for remark in rule.find(scores)]
    elif isinstance(scores, ScoreCube):
        for name in scores.measures:
            own = scores[name] if every else _by(scores, name)
            fitting = [rule for rule in rules if every or not (rule.check or rule.samples)]
            found[name] = [remark for rule in fitting for remark in rule.find(own)]
    else:
        for name in scores.measures:
            own = _column(scores, name)
            fitting = [rule for rule in RULES_OF_MEANS if every or not rule.check]
            found[name] = [remark for rule in fitting for remark in rule.find(own)]
    return (*remarks_in(scores.notes), *_of_measures(found, every))


def problems_of_pair(first: Scores, second: Scores, names: tuple[str, str], *, every: bool = False) -> Iterator[Remark]:
    """Find the problems of two sets of scores beside each other.

    Parameters
    ----------
    first, second : Scores
        The estimate and the truth, or two opinions.
    names : tuple of str
        What they are called.
    every : bool, default False
        Whether to try the rules of `check()` too.

    Yields
    ------
    Remark
        In the order of the rules.

    Examples
    --------
    >>> one = Scores([[0.1, 0.3]], ["401"], ["a", "b"])
    >>> [remark.code for remark in problems_of_pair(one, one, ("first", "second"))]
    ['same-data']
    """
    rules = [rule for rule in RULES_OF_PAIRS if every or not rule.check]
    return (remark for rule in rules for remark in rule.find(first, second, names))


def cautions(scores: Scores | ScoreCube | MeasureTable, *, but: Collection[str] = ()) -> tuple[str, ...]:
    """Return what a result made from these scores must say of them: the problems that change what a number means.

    Parameters
    ----------
    scores : Scores, ScoreCube or MeasureTable
        What the result is made from.
    but : collection of str, default ()
        Codes of problems that do not matter to it.

    Returns
    -------
    tuple of str
        Warnings only, each once.

    Examples
    --------
    >>> board = Scores([[0.2, 0.2], [0.4, 0.4], [0.1, 0.1]], systems=["a", "b"])
    >>> cautions(board)
    ("'a', 'b': these systems have the same score on every topic",)
    >>> cautions(board, but=("duplicate-systems",))
    ()
    """
    told = (remark for remark in problems(scores) if remark.severity == "warning" and remark.code not in but)
    return tuple(dict.fromkeys(map(str, told)))


class Rule(NamedTuple):
    """One kind of problem.

    Attributes
    ----------
    find : callable
        Takes scores, or two sets of scores and their names, and yields a `Remark` for each problem.
    check : bool
        Whether only `check()` reports it, and results do not.
    samples : bool
        Whether it concerns tests and intervals over topics, which results by several measures do not have.
    """

    find: Callable[..., Iterator[Remark]]
    check: bool = False
    samples: bool = False


def _of_measures(found: dict[str, list[Remark]], named: bool) -> Iterator[Remark]:
    """Problems by measure: what is said of all measures is said once, without them unless they are to be `named`."""
    measures: dict[Remark, list[str]] = {}
    for measure, remarks in found.items():
        for remark in dict.fromkeys(remarks):
            measures.setdefault(remark, []).append(measure)
    for remark, names in measures.items():
        whose = ", ".join(names) if named else shown(names, 5)
        if len(names) == len(found) and (len(names) > 1 or not named):
            whose = "all measures" if named else ""
        yield remark.at(": ".join(filter(None, (whose, remark.where)))) if whose else remark


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
#: Systems that differ on at most this share of the topics are nearly the same system.
NEARLY = 0.05
#: Comparing every pair of systems on every topic stops being quick beyond this many comparisons.
_MOST_COMPARISONS = 5_000_000_000
_NO_TAU = "tau and tau_ap are undefined with ties"
_NO_TAU_OF_MEANS = "tau and tau_ap of the means are undefined, for there are ties"
_VARIANTS = "use tau_b or tau_ap_b between two observers, tau_a or tau_ap_a against a truth"


def _by(cube: ScoreCube, measure: str) -> Scores:
    """The scores by one measure, without the systems that have none by it."""
    there = ~np.isnan(cube.values[cube.measures.index(measure)]).all(axis=0)
    return cube.select(systems=[cube.systems[i] for i in np.flatnonzero(there)])[measure]


def _column(table: MeasureTable, measure: str) -> Scores:
    column = table[measure]
    names = tuple(map(str, range(1, len(table) + 1))) if table.is_topic_wise else table.systems
    known = np.flatnonzero(~np.isnan(column))
    return Scores(column[None, known], ("mean",), tuple(names[i] for i in known), measure)


def copies(scores: Scores) -> list[list[str]]:
    """Find groups of systems that have the same score on every topic.

    Parameters
    ----------
    scores : Scores
        The scores.

    Returns
    -------
    list of list of str

    Examples
    --------
    >>> copies(Scores([[0.1, 0.1, 0.2], [0.3, 0.3, 0.3]], systems=["a", "b", "c"]))
    [['a', 'b']]
    """
    groups: dict[bytes, list[str]] = {}
    for column, system in zip(np.ascontiguousarray(scores.values.T) + 0.0, scores.systems, strict=True):
        groups.setdefault(column.tobytes(), []).append(system)
    return [group for group in groups.values() if len(group) > 1]


def _scales(scores: Scores) -> Iterator[Remark]:
    """Topics on different scales, so that the widest decides a mean."""
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
    """Topics, or a measure, whose names say that lower is better, although higher was taken for better."""
    if scores.some_negated:
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
    """Topics and systems whose names say that they summarise the others."""
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
    """Topics whose scores are the mean of the others."""
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
    """Systems that have scores on less than half of the topics."""
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
    """A system whose scores are many times those of all others, so that it may be a size or a count."""
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
    """Systems that have the same score on every topic."""
    for group in copies(scores):
        yield Remark(
            f"these {word('systems')} have the same score on every {word('topic')}",
            where=shown(group),
            code="duplicate-systems",
            effect="their pair is tied in every ranking, which not every coefficient takes, "
            "and copies count as systems",
            suggestion="keep one of them",
        )


def _marks(scores: Scores) -> Iterator[Remark]:
    """Numbers below 0 that mark what has no score."""
    if not scores.some_negated:
        yield from markers_in(scores.values)


def markers_in(values: Floats) -> Iterator[Remark]:
    """Find marks among scores: grades of -1 or -2 among whole numbers, and -1 among numbers from 0 to 1.

    Such numbers often mean "spam" or "not judged", and a mean takes them for scores. Scores of which none is above 0
    are penalties, and a scale from -2 to 2 has its negative half: these are none.

    Parameters
    ----------
    values : array
        Scores.

    Yields
    ------
    Remark

    Examples
    --------
    >>> [remark.code for remark in markers_in(np.array([0.2, -1.0, 0.9]))]
    ['minus-one']
    >>> list(markers_in(np.array([-3.0, -1.0])))
    []
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
    """Topics that seem to come in clusters which nobody declared, by their names or by neighbours that are alike."""
    for sign, wider in undeclared(scores):
        yield Remark(
            f"{sign}: if they come in clusters, such as parts of one document, standard errors are about "
            f"{f'{wider:.1f} times ' if wider > _WIDER else ''}as large; declare the clusters",
            code="undeclared-clusters",
            effect="intervals, tests and tiers take them for independent, and claim too much where they are not",
            suggestion=f"name the cluster of each {word('topic')} (clusters=), unless they were drawn one by one",
            severity="warning" if wider > _WIDER else "note",
        )


def _uneven(scores: Scores) -> Iterator[Remark]:
    """Clusters of sizes that differ so much that they count as few."""
    for note in uneven_clusters(scores):
        yield Remark(
            str(note),
            code="uneven-clusters",
            effect="intervals are somewhat too narrow",
            suggestion="split the largest clusters where their parts are independent",
        )


def _skewed(scores: Scores) -> Iterator[Remark]:
    """Differences so skewed that tests over topics claim too much."""
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
    r"""Return the median over pairs of systems of the size of the skewness of their differences.

    Student's t and its like assume that it is small. For one pair with differences :math:`d_t` it is

    .. math:: \left|\frac{\sum_t (d_t - \bar d)^3 / n}{(\sum_t (d_t - \bar d)^2 / n)^{3/2}}\right| .

    It comes from third moments of systems and their mixed ones, so that no difference is formed. Missing cells count as
    the mean of their system.

    Parameters
    ----------
    values : array
        Topics x systems; of large boards some rows and columns are looked at.

    Returns
    -------
    float
        0 if topics are too few to tell.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> bool(median_skewness(rng.normal(size=(200, 5))) < 0.3 < median_skewness(rng.lognormal(sigma=2, size=(200, 5))))
    True
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


def decimals(values: Floats) -> int | None:
    """Return the fewest decimals, up to 6, that write every value.

    Parameters
    ----------
    values : array
        Scores.

    Returns
    -------
    int or None
        None if no number of decimals does, or scores are so large that a double has no room for them.

    Examples
    --------
    >>> decimals(np.array([0.25, 0.5])), decimals(np.array([1 / 3]))
    (2, None)
    """
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


def _rounding(scores: Scores) -> Iterator[Remark]:
    """Ties that rounding may have made, on topics or of means."""
    places = decimals(scores.values)
    tied_means, made = _tied_means(scores)
    means = Note("tied_pairs_of_means", pairs=tied_means, made=made)
    if places is not None and places >= 2 and not _natural_grid(scores.measure, scores.values):
        step = 10.0**-places
        # 0 is a score, not a rounded one; 1/k and 1/(k+1) stay apart as long as k(k+1) < 1/step.
        limit = step**0.5 if MeasureName.parse(scores.measure).family == "RR" else np.inf
        pairs, genuine, topics = _tied(scores.values, lambda values: (values == 0) | (values >= limit))
        if pairs > genuine:
            yield Remark(
                f"every value is a multiple of {step:g}, as in output rounded to {places} decimals; on {topics:,} of "
                f"{count(len(scores.topics), 'topic')} systems are tied, and rounding may have made "
                f"{pairs - genuine:,} of the {count(pairs, 'tied pair')}; {means}",
                code="rounded",
                severity="warning" if tied_means else "note",
                effect=_NO_TAU_OF_MEANS
                if tied_means
                else "tau and tau_ap are undefined on those topics, not of the means",
                suggestion=f"compute the scores with all their digits, or {_VARIANTS}",
            )
            return
    if tied_means:
        yield Remark(str(means), code="tied-means", effect=_NO_TAU_OF_MEANS, suggestion=_VARIANTS)


def _rounding_of_means(scores: Scores) -> Iterator[Remark]:
    """Ties in a column of means."""
    places, (pairs, _, _) = decimals(scores.values), _tied(scores.values)
    if pairs:
        step = 10.0**-places if places is not None and places >= 2 else 0.0
        yield Remark(
            f"{count(pairs, 'pair')} of systems {'is' if pairs == 1 else 'are'} tied"
            f"{f', and every value is a multiple of {step:g}, as in rounded output' if step else ''}",
            code="tied-means",
            effect=_NO_TAU,
            suggestion=_VARIANTS,
        )


def _constant_systems(scores: Scores) -> Iterator[Remark]:
    """Systems that have the same score on every topic, such as runs that failed."""
    if len(scores.topics) < 2:
        return
    low, high = _fold(np.fmin, scores.values, 0), _fold(np.fmax, scores.values, 0)
    several = np.isfinite(scores.values).sum(0) > 1  # one score is not the same score every time
    at = np.flatnonzero((low == high) & several)
    if not at.size:
        return
    yield Remark(
        f"{count(at.size, 'system')} {'has' if at.size == 1 else 'have'} the same score on every topic"
        f"{'' if high[at].any() else ': 0, as a run that failed'}",
        code="constant-system",
        where=shown([scores.systems[i] for i in at]),
        effect="two such systems are compared without any doubt, for their difference never varies",
        suggestion="make sure that the run is complete, or leave it out",
    )


def _near_duplicates(scores: Scores) -> Iterator[Remark]:
    """Pairs of systems that differ on very few topics."""
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
        yield Remark(
            f"{count(len(near), 'pair')} of systems differ on at most {count(limit, 'topic')} of {n:,}",
            code="near-duplicates",
            severity="note",
            where=pairs,
            effect="variants of one system follow each other through every ranking and make agreement look higher",
            suggestion="say so in the report, or keep one of each family",
        )


def _constant_topics(scores: Scores) -> Iterator[Remark]:
    """Topics on which all systems have the same score."""
    if len(scores.systems) < 2:
        return
    low, high = _fold(np.fmin, scores.values, 1), _fold(np.fmax, scores.values, 1)
    constant = [scores.topics[i] for i in np.flatnonzero((low == high) & (np.isfinite(scores.values).sum(1) > 1))]
    if constant:
        yield Remark(
            f"all systems have the same score on {count(len(constant), 'topic')}",
            code="constant-topic",
            severity="note",
            where=shown(constant),
            effect="there every coefficient of the single topic is undefined or trivial; the order of the means stays",
            suggestion="look whether the topic has judgments at all",
        )


def _fold(ufunc: np.ufunc, values: Floats, axis: int) -> Floats:
    return np.asarray(ufunc.reduce(values, axis=axis))


def _holes(scores: Scores) -> Iterator[Remark]:
    """Missing cells that were kept."""
    if not scores.has_holes:
        return
    holes = np.isnan(scores.values)
    systems = [scores.systems[i] for i in np.flatnonzero(holes.any(axis=0))]
    topics = int(holes.any(axis=1).sum())
    yield Remark(
        (
            f"{count(scores.holes, 'cell')} of {holes.size:,} {'has' if scores.holes == 1 else 'have'} no score: "
            f"{count(len(systems), 'system')}, {count(topics, 'topic')}"
        ),
        code="missing-cells",
        where=shown(systems),
        effect="means over different topics are compared, so easy topics that are missing lower a system",
        suggestion="decide what absence means: a score of 0, or a topic or system to drop",
    )


def _range(scores: Scores) -> Iterator[Remark]:
    """Values outside the range of their measure, or in percent."""
    lowest, highest = MeasureName.parse(scores.measure).range
    values = scores.values[~np.isnan(scores.values)]
    slack = 1e-9
    outside = (values < lowest - slack) | (values > highest + slack)
    if not outside.any():
        return
    top = float(values.max())
    if highest == 1 and values.min() >= lowest and 2 < top <= 100 and (values > 1).mean() > 0.25:
        yield Remark(
            f"values go up to {top:g}, as percent do, and {scores.measure} ends at 1",
            code="percent",
            effect="no rank changes, but tolerances for ties and everything that assumes scores in [0, 1] do",
            suggestion="divide the scores by 100",
        )
        return
    index = np.argwhere((scores.values < lowest - slack) | (scores.values > highest + slack))[0]
    place = scores.place([int(i) for i in index]) if len(scores.topics) > 1 else f"system {scores.systems[index[1]]!r}"
    yield Remark(
        f"{count(int(outside.sum()), 'value')} outside [{lowest:g}, {highest:g}], the range of {scores.measure}; "
        f"the first is {scores.values[tuple(index)]:g}",
        code="out-of-range",
        severity="error",
        where=place,
        effect="the scores are not what their name says, and a single wild value moves a mean past others",
        suggestion="correct the values, or the name of the measure",
    )


def _negative_means(scores: Scores) -> Iterator[Remark]:
    """Means below 0."""
    means = scores.means()
    if (means < 0).any():
        names = [scores.systems[i] for i in np.flatnonzero(means < 0)]
        yield Remark(
            f"{count(len(names), 'mean')} below 0",
            code="negative-means",
            severity="note",
            where=shown(names),
            effect="pearson_rank is undefined when such a mean is in the truth, for its weights are the scores",
            suggestion="use another coefficient, or shift the scores and say so",
        )


def _same_data(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Remark]:
    """The same scores on both sides."""
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
    """Topics that only one side has."""
    shared = set(first.topics) & set(second.topics)
    alone = [len(scores.topics) - len(shared) for scores in (first, second)]
    if not any(alone):
        return
    topics = (len(first.topics), len(second.topics))
    sides = [side for side in zip(names, topics, alone, strict=True) if side[2]]
    yield Remark(
        f"{Note('topics_of_one_side', sides=sides)}: means over {topics[0]:,} and {count(topics[1], 'topic')} are "
        "compared",
        code="topics-on-one-side",
        effect="means over different topics are compared, and only shared topics are resampled together",
        suggestion="to compare the same topics, take those that both have (--topics shared of compare and audit), or "
        "leave the others out of the files",
    )


def spelled_differently(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Remark]:
    """Find systems and topics of two sets of scores that differ by spelling only.

    Parameters
    ----------
    first, second : Scores
        Two sets of scores.
    names : tuple of str
        What they are called.

    Yields
    ------
    Remark
        One for systems and one for topics.
    """
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
    """Topics that are matched by their rows, because neither side names them."""
    if _has_no_topic_names(first) and _has_no_topic_names(second):
        yield Remark(
            f"neither {names[0]} nor {names[1]} names its {word('topics')}: they are numbered, and matched by their "
            "rows",
            code="numbered-topics",
            effect=f"where the order of the {word('topics')} differs, all that pairs {word('topics')} is wrong; the "
            "means are not touched",
            suggestion=f"name the {word('topics')} in both files",
            severity="note",
        )


def _has_no_topic_names(scores: Scores) -> bool:
    """Whether the topics were numbered on reading, or by `Scores` itself."""
    numbers = tuple(str(i) for i in range(1, len(scores.topics) + 1))
    told = any(text in note for note in scores.notes for text in (NUMBERED, "both numbered"))
    return told or (not scores.notes and scores.topics == numbers)


def _other_systems(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Remark]:
    """Systems that only one side has."""
    shared = set(first.systems) & set(second.systems)
    for scores, name in zip((first, second), names, strict=True):
        only = [system for system in scores.systems if system not in shared]
        if only:
            yield Remark(
                f"{len(only):,} of {count(len(scores.systems), 'system')} {'is' if len(only) == 1 else 'are'} only in "
                f"{name}",
                where=shown(only),
                code="systems-on-one-side",
                severity="warning" if shared else "error",
                effect="rankings are compared on the same systems, so this is an error unless it is a choice",
                suggestion=f"drop the systems that only one side has and compare the {len(shared):,} that both have"
                if shared
                else "look whether they are spelled alike",
            )


def _different_ranges(first: Scores, second: Scores, names: tuple[str, str]) -> Iterator[Remark]:
    """Scores up to 1 on one side and far beyond on the other."""
    tops = [float(np.nanmax(np.abs(scores.values))) for scores in (first, second)]
    if min(tops) > 0 and max(tops) / min(tops) >= 20 and min(tops) <= 1 < max(tops):
        large, small = (names[0], names[1]) if tops[0] > tops[1] else (names[1], names[0])
        yield Remark(
            f"{large} goes up to {max(tops):g}, {small} to {min(tops):g}",
            code="different-ranges",
            severity="note",
            effect="ranks do not change, but one tolerance for ties in both means two different things",
            suggestion="bring both to one scale, or give a tolerance for each",
        )


#: All rules for scores by one measure; problems of one severity are told in this order.
RULES = (
    Rule(_range, check=True),
    Rule(_holes, check=True),
    Rule(_scales),
    Rule(_lower),
    Rule(_summaries),
    Rule(_means),
    Rule(_thin),
    Rule(_wild),
    Rule(_copies),
    Rule(_marks),
    Rule(_clustered, samples=True),
    Rule(_uneven, samples=True),
    Rule(_skewed, samples=True),
    Rule(_near_duplicates, check=True),
    Rule(_constant_systems, check=True),
    Rule(_rounding, check=True),
    Rule(_constant_topics, check=True),
    Rule(_negative_means, check=True),
)
#: Those for a table of systems by measures, whose columns are looked at one by one.
RULES_OF_MEANS = (Rule(_range, check=True), Rule(_rounding_of_means, check=True), Rule(_marks))
#: Those for two sets of scores, which they take with what these are called.
RULES_OF_PAIRS = (
    Rule(_other_systems, check=True),
    Rule(_same_data),
    Rule(_other_topics),
    Rule(_numbered),
    Rule(spelled_differently),
    Rule(_different_ranges, check=True),
)
