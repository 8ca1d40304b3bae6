"""`Repeats`: scores with repeated runs per system and topic: where the variance comes from, and how much more would be
enough.

Components of x_tsr = mean + topic + system + topic x system + run, runs within cells, from the mean squares of a
balanced design (brennan2001); negative estimates are 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats
from ..errors import Advice, CallError, FileError, TauscopeError
from ..files.columns import columns_of, find_column
from ..files.door import takes_scores
from ..files.streams import MAX_BYTES
from ..results import Result, count, number, said, word
from ..scores import Scores
from ..scores.labels import Labels, labels_of, shown
from ..scores.remarks import changes

TOPICS = ("topic", "question_id", "question", "task", "item", "qid", "query_id", "id")
_SYSTEMS = ("system", "model", "name", "method")
RUNS = ("run", "seed", "repeat", "trial", "replicate", "rep")
CLUSTERS = ("cluster", "document", "doc", "doc_id", "family", "language", "group")
_SCORES = ("score", "value", "accuracy", "result", "mean")


@dataclass(frozen=True, eq=False, repr=False)
class Repeats(Result):
    """Scores of systems on topics in several runs each: `values` is topics x systems x runs.

    Parameters
    ----------
    values : array
        Every system has the same number of runs on every topic; runs of different systems are not linked.
    topics, systems : sequence of str, optional
        Their names.
    notes : tuple of str
        What else is to be said.
    clusters : dict or sequence, optional
        The cluster of each topic, by topic or in their order; `.scores()` hands them on.

    Examples
    --------
    >>> repeats = Repeats([[[0.9, 0.7], [0.4, 0.6]], [[0.8, 0.8], [0.5, 0.3]]], systems=["a", "b"])
    >>> [round(mean, 2) for mean in repeats.scores().means().tolist()]
    [0.8, 0.45]
    """

    values: Floats
    topics: Labels = None  # type: ignore[assignment]
    systems: Labels = None  # type: ignore[assignment]
    notes: tuple[str, ...] = ()
    clusters: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        try:
            values = np.asarray(self.values, dtype=np.float64)
        except (TypeError, ValueError):
            raise CallError(
                f"Repeats are numbers, topics x systems x runs, not {type(self.values).__name__}."
            ) from None
        if values.ndim != 3 or 0 in values.shape:
            raise CallError("Repeats are topics x systems x runs, none of them empty.")
        if not np.isfinite(values).all():
            raise TauscopeError("Every system needs a score of every run on every topic; one of them is missing.")
        put = object.__setattr__
        put(self, "values", values)
        put(self, "topics", labels_of(self.topics, values.shape[0], "topics", "topic"))
        put(self, "systems", labels_of(self.systems, values.shape[1], "systems", "system"))
        put(self, "clusters", self.scores().clusters)

    @property
    def runs(self) -> int:
        """Runs per system and topic."""
        return int(self.values.shape[2])

    def scores(self) -> Scores:
        """The means over runs, to be used like any scores: what runs add is in the spread over topics.

        Returns
        -------
        Scores
        """
        note = f"means of {count(self.runs, 'run')} each"
        means = self.values.mean(axis=2)
        return Scores(means, self.topics, self.systems, notes=(*self.notes, note), clusters=self.clusters)

    def lines(self) -> list[str]:
        """How much there is."""
        n, m, r = self.values.shape
        return [f"Repeats: {count(m, 'system')} x {count(n, 'topic')} x {count(r, 'run')}", *self.notes[-1:]]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how much was scored.

        Returns
        -------
        str
            One sentence, with the numbers of systems, topics and runs.
        """
        n, m, r = self.values.shape
        clusters = 0 if self.clusters is None else len(set(self.clusters.values()))
        of = f" in {count(clusters, 'cluster')}" if clusters else ""
        told = changes(self.notes, "are used")
        notes = f" ({'; '.join(told)})" if told else ""
        return f"{count(m, 'system')} were scored on {count(n, 'topic')}{of} in {count(r, 'run')} each{notes}."

    def columns(self) -> dict[str, Any]:
        """One row per system: mean, and standard deviation over the runs of a topic."""
        within = (
            np.sqrt(self.values.var(axis=2, ddof=1).mean(axis=0))
            if self.runs > 1
            else np.full(len(self.systems), np.nan)
        )
        return {"system": list(self.systems), "mean": self.values.mean(axis=(0, 2)), "run_deviation": within}

    def plot(self) -> Any:
        """The mean of each system, best first; the bar is one standard deviation over the runs of a topic each way."""
        from ..figures import spans

        table = self.columns()
        order = np.argsort(-table["mean"], kind="stable")
        mean, reach = table["mean"][order], np.nan_to_num(table["run_deviation"][order])
        names = [self.systems[i] for i in order]
        x = f"mean, and deviation over {count(self.runs, 'run')}"
        return spans(names, mean - reach, mean + reach, mean, x=x, title=self.lines()[0])


def read_repeats(
    source: Any,
    *,
    max_bytes: int = MAX_BYTES,
    system: str | None = None,
    topic: str | None = None,
    run: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
) -> Repeats:
    """Which scores does a long table with a column of runs, or one of clusters, hold?

    Columns are found by their names (system, model; topic, task, question; run, seed; score, value; cluster, document,
    family) or named by arguments. Cells with more runs than others keep the first ones, and the notes say so; a table
    with clusters may be without runs. Do not use it for a table with neither: `read_scores()`.

    Parameters
    ----------
    source : str, Path, data frame or list of dicts
        One row per system, topic and run.
    max_bytes : int
        A file that unpacks to more is refused.
    system, topic, run, score, cluster : str, optional
        The columns.

    Returns
    -------
    Repeats

    Raises
    ------
    FileError
        Where a column is not found, a score is no number, a system has no run on a topic, or a topic is in two clusters.

    Examples
    --------
    >>> rows = [{"model": m, "task": t, "seed": s, "score": 0.5} for m in "ab" for t in "xyz" for s in (1, 2)]
    >>> read_repeats(rows).runs
    2
    """
    columns, where = columns_of(source, "read_repeats()", max_bytes)
    used: dict[str, Sequence[Any]] = {}
    of = find_column(columns, cluster, CLUSTERS, where)
    for role, asked, known in (
        ("system", system, _SYSTEMS),
        ("topic", topic, TOPICS),
        ("run", run, RUNS),
        ("score", score, _SCORES),
    ):
        found = find_column(columns, asked, known, where)
        if found is None and role == "run" and of is not None:
            used[role] = ["1"] * len(columns[of])
            continue
        if found is None:
            raise FileError(f"{where}: no column holds the {role}; there are {shown(list(columns), 12)}.")
        used[role] = columns[found]
    cells: dict[tuple[str, str], dict[str, float]] = {}
    for row, (s, t, r, x) in enumerate(zip(*used.values(), strict=True), start=1):
        own = cells.setdefault((str(t), str(s)), {})
        if str(r) in own:
            raise FileError(f"{where}, row {row}: run {r!r} of {s!r} on {t!r} is there twice.")
        try:
            own[str(r)] = float(x)
        except (TypeError, ValueError):
            raise FileError(f"{where}, row {row}: {x!r} is not a number.") from None
    topics, systems = (tuple(dict.fromkeys(key[k] for key in cells)) for k in (0, 1))
    missing = [(t, s) for t in topics for s in systems if (t, s) not in cells]
    if missing:
        t, s = missing[0]
        raise FileError(
            f"{where}: {word('system')} {s!r} has no run on {word('topic')} {t!r}; "
            f"{count(len(missing), 'cell')} are empty."
        )
    runs = min(map(len, cells.values()))
    most = max(map(len, cells.values()))
    values = np.array([[list(cells[t, s].values())[:runs] for s in systems] for t in topics])
    notes: tuple[str, ...] = (f"{where}: read with {count(runs, 'run')}",)
    if most > runs:
        notes += (f"up to {most} runs in some cells: the first {runs} of each are used",)
    clusters = None if of is None else _clusters(used["topic"], columns[of], where)
    return Repeats(values, topics, systems, notes, clusters)


def _clusters(topics: Sequence[Any], clusters: Sequence[Any], where: str) -> dict[str, str]:
    """Topic -> cluster, the same in every row."""
    found: dict[str, str] = {}
    for row, (topic, cluster) in enumerate(zip(topics, clusters, strict=True), start=1):
        if found.setdefault(str(topic), str(cluster)) != str(cluster):
            raise FileError(
                f"{where}, row {row}: the {word('topic')} {topic!r} is in the cluster {cluster!r}, and before in "
                f"{found[str(topic)]!r}."
            )
    return found


Limits = tuple[float, float]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class VarianceParts(Result):
    """Where the variance of scores comes from, and how reliable the order of the systems is.

    Attributes
    ----------
    system, topic, interaction, run : float
        Variance components; with one run the last is NaN, and what it would be is in `interaction`.
    relative, relative_limits : float and pair of float
        Eρ², the reliability of the order of systems.
    absolute, absolute_limits : float and pair of float
        Φ, the reliability of their scores themselves.
    systems, topics, runs : int
        How many there are.
    level : float
        The confidence.
    """

    system: float
    topic: float
    interaction: float
    run: float
    relative: float
    relative_limits: Limits
    absolute: float
    absolute_limits: Limits
    systems: int
    topics: int
    runs: int
    level: float

    def plot(self) -> Any:
        """The share of each part in the variance of a single score."""
        from ..figures import named_bars

        both = math.isnan(self.run)
        rest = ["the rest"] if both else [f"{word('systems')} x {word('topics')}", "runs"]
        names = [word("systems"), word("topics"), *rest]
        parts = [self.system, self.topic, self.interaction, *([] if both else [self.run])]
        whole = sum(parts)
        shares = [part / whole if whole > 0 else math.nan for part in parts]
        return named_bars(names, shares, y="share of the variance", title=self.lines()[0])

    def _noise(self, topics: float, runs: float | None) -> float:
        within = 0.0 if math.isnan(self.run) else self.run / (topics * (self.runs if runs is None else runs))
        return self.interaction / topics + within

    def _share(self, noise: float) -> float:
        return self.system / (self.system + noise) if self.system + noise > 0 else math.nan

    def relative_at(self, topics: float, runs: float | None = None) -> float:
        """Eρ² with other numbers of topics and runs.

        Parameters
        ----------
        topics, runs : float
            How many; by default as many runs as there are.

        Returns
        -------
        float
        """
        return self._share(self._noise(topics, runs))

    def absolute_at(self, topics: float, runs: float | None = None) -> float:
        """Φ with other numbers of topics and runs.

        Parameters
        ----------
        topics, runs : float
            As in `relative_at()`.

        Returns
        -------
        float
        """
        return self._share(self._noise(topics, runs) + self.topic / topics)

    def topics_needed(self, reliability: float = 0.95, runs: int | None = None, *, absolute: bool = False) -> float:
        """How many topics would give an Eρ², or a Φ, of this much?

        Parameters
        ----------
        reliability : float
            The goal.
        runs : int, optional
            Runs per cell; by default as many as there are.
        absolute : bool
            Whether the goal is Φ, the reliability of the scores themselves, and not Eρ², that of their order.

        Returns
        -------
        float
            A whole number; infinite where systems do not differ.
        """
        goal = checking.share(reliability, "reliability")
        each = self._each(runs, absolute)
        return math.inf if self.system <= 0 else _whole(goal / (1 - goal) * each / self.system)

    def topics_needed_limits(
        self, reliability: float = 0.95, runs: int | None = None, *, absolute: bool = False
    ) -> Limits:
        """Between which numbers of topics could the answer of `topics_needed()` lie?

        The limits of the coefficient, carried over: a coefficient r of n topics needs n (1/r - 1) goal/(1 - goal) of
        them.

        Parameters
        ----------
        reliability, runs, absolute
            As in `topics_needed()`.

        Returns
        -------
        pair of float
            The upper one is infinite where the coefficient could be 0; NaN where it has no limits.
        """
        goal = checking.share(reliability, "reliability")
        own = self.absolute_limits if absolute else self.relative_limits
        if any(map(math.isnan, own)):
            return math.nan, math.nan
        now, then = self._each(self.runs, absolute), self._each(runs, absolute)
        scale = goal / (1 - goal) * self.topics * (then / now if now > 0 else 1.0)
        low, high = (math.inf if r <= 0 else _whole(scale * (1 / r - 1)) for r in reversed(own))
        return low, high

    def _each(self, runs: int | None, absolute: bool) -> float:
        """The noise of one topic."""
        noise = self._noise(1.0, self.runs if runs is None else checking.whole(runs, "runs", least=1))
        return noise + self.topic if absolute else noise

    def runs_needed(self, reliability: float = 0.95) -> float:
        """How many runs per cell, with these topics, would give an Eρ² of this much?

        Parameters
        ----------
        reliability : float
            The goal.

        Returns
        -------
        float
            A whole number; infinite where more runs cannot do it; NaN where there is one run and nobody knows.
        """
        goal = checking.share(reliability, "reliability")
        if math.isnan(self.run):
            return math.nan
        left = self.system * (1 - goal) / goal - self.interaction / self.topics
        return math.inf if left <= 0 else float(max(1, math.ceil(self.run / self.topics / left - 1e-9)))

    def lines(self) -> list[str]:
        """Shares of the variance, and both coefficients."""
        parts = {"systems": self.system, "topics": self.topic, "systems x topics": self.interaction, "runs": self.run}
        known = {name: value for name, value in parts.items() if not math.isnan(value)}
        total = sum(known.values())
        shares = ", ".join(
            f"{name} {value / total * 100:.0f} %" if total else f"{name} 0" for name, value in known.items()
        )
        (a, b), (c, d) = self.relative_limits, self.absolute_limits
        size = f"{count(self.systems, 'system')} x {count(self.topics, 'topic')} x {count(self.runs, 'run')}"
        return [
            f"Variance of single scores: {shares}   {size}",
            f"Eρ² (order of {word('systems')}) {number(self.relative)} [{number(a)}, {number(b)}], "
            f"Φ (their scores) {number(self.absolute)} [{number(c)}, {number(d)}]; {self.level * 100:g} %, "
            f"jackknife over {word('topics')}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: where the variance comes from, and how reliable order and scores are.

        Returns
        -------
        str
            One sentence, with the limits and the sizes.
        """
        (a, b), (c, d) = self.relative_limits, self.absolute_limits
        parts = {"systems": self.system, "topics": self.topic, "systems x topics": self.interaction, "runs": self.run}
        if math.isnan(self.run):
            parts = {"systems": self.system, "topics": self.topic, "the rest": self.interaction}
        total = sum(parts.values())
        shares = ", ".join(f"{said(name)} {value / total * 100 if total else 0:.0f} %" for name, value in parts.items())
        size = f"{count(self.systems, 'system')}, {count(self.topics, 'topic')} and {count(self.runs, 'run')}"
        return (
            f"The reliability of {size} is Eρ² = {number(self.relative)} ({self.level * 100:g} % limits {number(a)} to "
            f"{number(b)}) for the order of {word('systems')} and Φ = {number(self.absolute)} ({number(c)} to {number(d)}) for "
            f"their scores; the variance of a single score is {shares} (limits by a jackknife over {word('topics')}"
            f"{self._after()})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per component."""
        return {
            "component": ["system", "topic", "interaction", "run"],
            "variance": [self.system, self.topic, self.interaction, self.run],
        }

    def cited(self) -> tuple[str, ...]:
        """Whose theory it is."""
        return ("brennan2001",)


def _whole(value: float) -> float:
    """The next whole number, at least 1, without what rounding adds."""
    return float(max(1, math.ceil(value - 1e-9)))


@takes_scores("repeats")
def variance_parts(repeats: Repeats | Scores, *, level: float = 0.95) -> VarianceParts:
    """Where does the variance of these scores come from, and how reliable is the order of the systems?

    Mean squares of a balanced design of systems crossed with topics and runs within cells: sigma²_run = MS_run;
    sigma²_st = (MS_st - MS_run)/r; sigma²_s = (MS_s - MS_st)/(n r); sigma²_t = (MS_t - MS_st)/(m r); none below 0. Eρ²
    = sigma²_s/(sigma²_s + sigma²_st/n + sigma²_run/(n r)), Φ with sigma²_t/n in the denominator too (brennan2001).
    Limits by a jackknife over topics on the scale of log(1 - coefficient). Do not use it where runs of different
    systems share a seed that matters.

    Parameters
    ----------
    repeats : Repeats or Scores
        Scores without repeats are one run each.
    level : float
        The confidence of the limits.

    Returns
    -------
    VarianceParts

    Examples
    --------
    >>> found = variance_parts(Repeats([[[0.9, 0.7], [0.4, 0.6]], [[0.8, 0.8], [0.5, 0.3]], [[0.9, 0.8], [0.2, 0.4]]]))
    >>> round(found.system, 3), round(found.run, 3)
    (0.084, 0.014)
    """
    checking.level(level)
    if getattr(repeats, "clusters", None) is not None:
        raise CallError(
            f"variance_parts() takes {word('topics')} for independent, and these come in clusters.",
            Advice("Leave the clusters out (clusters=None), and say so."),
        )
    if isinstance(repeats, Scores):
        repeats.require_complete("variance_parts()")
        values = repeats.values[:, :, None]
    elif isinstance(repeats, Repeats):
        values = repeats.values
    else:
        raise CallError(f"variance_parts() takes Repeats or Scores, not {type(repeats).__name__}.")
    n, m, r = values.shape
    if n < 3 or m < 2:
        raise TauscopeError(
            f"variance_parts() needs at least two {word('systems')} and three {word('topics')}; there are {m} and {n}."
        )
    parts = _components(values)
    coefficients = _coefficients(parts, n, r)
    left = np.array([_coefficients(_components(np.delete(values, t, axis=0)), n, r) for t in range(n)])
    limits = [_limits(coefficients[k], left[:, k], level) for k in (0, 1)]
    return VarianceParts(
        system=parts[0],
        topic=parts[1],
        interaction=parts[2],
        run=parts[3],
        relative=coefficients[0],
        relative_limits=limits[0],
        absolute=coefficients[1],
        absolute_limits=limits[1],
        systems=m,
        topics=n,
        runs=r,
        level=level,
    )


def _components(values: Floats) -> tuple[float, float, float, float]:
    """Variances of systems, topics, their interaction, and runs (NaN with one run)."""
    n, m, r = values.shape
    cell = values.mean(axis=2)
    topic, system, mean = cell.mean(axis=1), cell.mean(axis=0), cell.mean()
    rest = cell - topic[:, None] - system[None, :] + mean
    by_rest = r * float((rest**2).sum()) / ((n - 1) * (m - 1))
    by_system = n * r * float(((system - mean) ** 2).sum()) / (m - 1)
    by_topic = m * r * float(((topic - mean) ** 2).sum()) / (n - 1)
    by_run = float(((values - cell[:, :, None]) ** 2).sum()) / (n * m * (r - 1)) if r > 1 else math.nan
    interaction = by_rest if r == 1 else max(0.0, (by_rest - by_run) / r)
    return max(0.0, (by_system - by_rest) / (n * r)), max(0.0, (by_topic - by_rest) / (m * r)), interaction, by_run


def _coefficients(parts: tuple[float, float, float, float], n: int, r: int) -> tuple[float, float]:
    """Eρ² and Φ of n topics and r runs."""
    system, topic, interaction, run = parts
    noise = interaction / n + (0.0 if math.isnan(run) else run / (n * r))
    relative = system / (system + noise) if system + noise > 0 else math.nan
    whole = system + noise + topic / n
    return relative, system / whole if whole > 0 else math.nan


def _limits(value: float, left: Floats, level: float) -> tuple[float, float]:
    """Limits of a coefficient by the jackknife on the scale of log(1 - coefficient)."""
    from scipy.special import stdtrit

    if not math.isfinite(value) or not np.isfinite(left).all() or value >= 1 or (left >= 1).any():
        return math.nan, math.nan
    n = len(left)
    logs = np.log1p(-left)
    error = math.sqrt((n - 1) / n * float(((logs - logs.mean()) ** 2).sum()))
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * error
    centre = math.log1p(-value)
    low, high = (1 - math.exp(centre + way * reach) for way in (1, -1))
    return max(0.0, low), high
