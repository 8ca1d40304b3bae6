"""`Repeats`: scores with repeated runs per system and topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arrays import Floats
from ..data.labels import Labels, labels_of, shown
from ..data.scores import Scores
from ..errors import CallError, FileError, TauscopeError
from ..io.columns import REPEATS, columns_of, find_column, named_columns
from ..io.streams import MAX_BYTES
from ..results import Data, Note, Notes, count, shape, word

#: What columns can be named.
ROLES = ("system", "topic", "run", "score", "cluster")


@dataclass(frozen=True, eq=False, repr=False)
class Repeats(Data):
    """Scores of systems on topics in several runs each; `values` is topics x systems x runs.

    Parameters
    ----------
    values : array
        Every system has the same number of runs on every topic; runs of different systems are not linked.
    topics, systems : sequence of str, optional
        Their names.
    notes : tuple of Note or str
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
    notes: Notes = ()
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
        """Return the means over runs, as scores; what runs add is in the spread over topics.

        Returns
        -------
        Scores
        """
        note = f"means of {count(self.runs, 'run')} each"
        means = self.values.mean(axis=2)
        return Scores(means, self.topics, self.systems, notes=(*self.notes, note), clusters=self.clusters)

    def __str__(self) -> str:
        n, m, r = self.values.shape
        size = shape(count(m, "system"), count(n, "topic"), count(r, "run"))
        return "\n".join([f"Repeats: {size}", *map(str, self.notes[-1:])])

    @classmethod
    def read(cls, source: Any, *, columns: str | Mapping[str, str] | None = None) -> Repeats:
        """Read a long table with a column of runs, or one of clusters.

        Columns are found by their names: system, model; topic, task, question; run, seed; score, value; cluster, document,
        family. If some cells have more runs than others, the first ones are used. A table with clusters may have no runs.
        Do not use it for a table with neither, which `Scores.read()` reads.

        Parameters
        ----------
        source : str, Path, data frame or list of dicts
            One row per system, topic and run.
        columns : str or dict, optional
            Columns with other names: "run=attempt". The roles are system, topic, run, score and cluster.

        Returns
        -------
        Repeats

        Raises
        ------
        FileError
            If a column is not found, a score is not a number, a system has no run on a topic, or a topic is in two
            clusters.

        Examples
        --------
        >>> rows = [{"model": m, "task": t, "seed": s, "score": 0.5} for m in "ab" for t in "xyz" for s in (1, 2)]
        >>> Repeats.read(rows).runs
        2
        """
        return read_repeats(source, **named_columns(columns, ROLES))

    def columns(self) -> dict[str, Any]:
        """Return one row per system: mean, and standard deviation over the runs of a topic."""
        within = (
            np.sqrt(self.values.var(axis=2, ddof=1).mean(axis=0))
            if self.runs > 1
            else np.full(len(self.systems), np.nan)
        )
        return {"system": list(self.systems), "mean": self.values.mean(axis=(0, 2)), "run_deviation": within}


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
    """Read a long table with a column of runs; see `Repeats.read()`."""
    columns, where = columns_of(source, "read_repeats()", max_bytes)
    used: dict[str, Sequence[Any]] = {}
    of = find_column(columns, cluster, REPEATS["cluster"], where)
    for role, asked in (
        ("system", system),
        ("topic", topic),
        ("run", run),
        ("score", score),
    ):
        found = find_column(columns, asked, REPEATS[role], where)
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
    notes: Notes = (f"{where}: read with {count(runs, 'run')}",)
    if most > runs:
        notes += (Note("more_runs", most=most, used=runs),)
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
