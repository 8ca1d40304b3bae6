"""Tables that are known by the names of their columns: battles, published scores, repeated runs; chances and groups."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.arrays import is_frame
from ..data.battles import Battles
from ..data.labels import shown
from ..errors import Advice, CallError, FileError, Option
from ..results import Note, Notes
from . import documents, frames
from .formats import mt_metrics
from .layouts import role_of
from .streams import MAX_BYTES, Where, compression, open_start, open_text
from .tables import TextTable


class Columns(dict[str, Sequence[Any]]):
    """The cells of each column by its name.

    Attributes
    ----------
    notes : tuple of Note or str
        How they were read.
    """

    notes: Notes = ()


def columns_of(source: Any, what: str, max_bytes: int) -> tuple[Columns, str]:
    """Read the columns of a table whose columns are known by their names.

    Parameters
    ----------
    source : path, data frame or list of dicts
        One row per battle, per system, or per run.
    what : str
        The reader, for errors.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    tuple of Columns and str
        The columns, and what to call their source.

    Raises
    ------
    CallError
        If it is none of these.
    FileError
        If there are no rows, or records are no objects.
    """
    if isinstance(source, (str, Path)):
        path = Path(source)
        if compression(path) == "parquet":
            return _of_frame(frames.read_parquet(path, max_bytes)[0]), str(path)
        return _of_text(path, max_bytes), str(path)
    if is_frame(source):
        return _of_frame(source), "the frame"
    if isinstance(source, (list, tuple)):
        return _of_records(source, "the records"), "the records"
    raise CallError(f"{what} reads a file, a data frame or a list of dicts, not {type(source).__name__}.")


def _of_frame(data: Any) -> Columns:
    import narwhals as nw

    native = nw.from_native(data)
    table: Any = native.collect() if isinstance(native, nw.LazyFrame) else native
    return Columns({str(name): table[name].to_list() for name in table.columns})


def _of_text(path: Path, max_bytes: int) -> Columns:
    with open_start(path, max_bytes=max_bytes) as text:
        start = next(line for line in text.head if line.strip()).lstrip()
        if start.startswith(("{", "[")):
            data = documents.parse_json("".join(text.lines()), path)
            return _of_records([data] if isinstance(data, Mapping) else data, str(path))
        table = TextTable(text)
        cells = list(zip(*(record for _, record in table.checked()), strict=True))
    if not cells:
        raise Where(path, table.line).error("there is a header and not one row below it.")
    found = Columns(zip(table.header, cells, strict=True))
    found.notes = tuple(table.told_of_titles())
    return found


def _of_records(records: Sequence[Any], where: str) -> Columns:
    if not records or not all(isinstance(record, Mapping) for record in records):
        raise FileError(f"{where}: rows are a list of objects, {{column: value}}.")
    return Columns(documents.columns_of_records(records))


def find_column(columns: Mapping[str, Any], asked: str | None, known: Sequence[str], where: str) -> str | None:
    """Find the column that was asked for, or the first that is known by its name.

    Parameters
    ----------
    columns : mapping
        Cells by the names of columns.
    asked : str or None
        The column that the caller names.
    known : sequence of str
        Names in lower case, the most usual first.
    where : str
        The source, for errors.

    Returns
    -------
    str or None
        None if no column is known.

    Raises
    ------
    FileError
        If the column that was asked for is not there.
    """
    if asked is not None:
        if not isinstance(asked, str) or asked not in columns:
            raise FileError(f"{where}: there is no column {asked!r}; there are {shown(list(columns), 12)}.")
        return asked
    lower = {name.strip().lower(): name for name in reversed(list(columns))}
    return next((lower[name] for name in known if name in lower), None)


def named_columns(given: str | Mapping[str, str] | None, roles: Sequence[str]) -> dict[str, Any]:
    """Understand columns that the caller names by their roles.

    Parameters
    ----------
    given : str, mapping or None
        "first=model_a,second=model_b", or a dict.
    roles : sequence of str
        The roles there are.

    Returns
    -------
    dict
        Role -> column.

    Raises
    ------
    CallError
        If a role is unknown.

    Examples
    --------
    >>> named_columns("system=model,score=elo", ("system", "score"))
    {'system': 'model', 'score': 'elo'}
    """
    if isinstance(given, str):
        pairs = [part.partition("=") for part in given.split(",") if part.strip()]
        named = {role.strip(): column for role, _, column in pairs}
    elif given is None or isinstance(given, Mapping):
        named = dict(given or {})
    else:
        raise CallError(f"columns={given!r}: write {roles[0]}=COLUMN, or give a dict.")
    for role, column in named.items():
        if role not in roles or not column:
            raise CallError(
                f"columns: {role!r} is not a column that can be named here; write {roles[0]}=COLUMN. The roles are "
                f"{', '.join(roles)}."
            )
    return named


#: Columns of a table of published scores, as boards print them.
PUBLISHED: dict[str, tuple[str, ...]] = {
    "system": ("model", "system", "name", "method", "entry", "submission", "run", "country", "team", "key"),
    "score": (
        *("arena_score", "score", "rating", "elo", "elo_rating", "accuracy", "acc", "mean", "average", "estimate"),
        "resolved",
    ),
    "error": ("standard_error", "stderr", "std_error", "se", "error", "sem", "acc_stderr"),
    "interval": ("interval", "confidence_interval", "confidence interval", "±"),
    "low": ("low", "lower", "rating_q025", "ci_low", "ci_lower", "lower_ci", "low_95", "q025"),
    "high": ("high", "upper", "rating_q975", "ci_high", "ci_upper", "upper_ci", "high_95", "q975"),
    "items": ("items", "n", "n_items", "questions", "total", "num_items"),
    "votes": ("votes", "num_battles", "battles", "n_votes"),
}
#: Columns of a long table of repeated runs.
REPEATS: dict[str, tuple[str, ...]] = {
    "system": ("system", "model", "name", "method"),
    "topic": ("topic", "question_id", "question", "task", "item", "qid", "query_id", "id"),
    "run": ("run", "seed", "repeat", "trial", "replicate", "rep"),
    "score": ("score", "value", "accuracy", "result", "mean"),
    "cluster": ("cluster", "document", "doc", "doc_id", "family", "language", "group"),
}


def interval_column(columns: Mapping[str, Any]) -> str | None:
    """Return the first column whose name has the word ci and no side.

    Examples
    --------
    >>> interval_column({"model": 0, "ci_low": 0, "90_pct_ci": 0})
    '90_pct_ci'
    """
    own = re.compile(r"(?<![a-z])ci(?![a-z])")
    sides = re.compile(r"low|high|upper|min|max")
    return next((name for name in columns if own.search(name.lower()) and not sides.search(name.lower())), None)


#: Pairs of columns that hold the two systems, in the order in which they are looked for.
PAIRS = (
    ("model_a", "model_b"),
    ("left", "right"),
    ("first", "second"),
    ("model_1", "model_2"),
    ("generator_1", "generator_2"),
    ("system_a", "system_b"),
    ("system_1", "system_2"),
    ("player_a", "player_b"),
    ("model_x", "model_y"),
    ("a", "b"),
    ("x", "y"),
)
#: Those of them that could be two systems of a matrix, unless there is a verdict.
DOUBTFUL_PAIRS = PAIRS[-2:]
#: What else a file can tell of a battle, and the columns that do.
VERDICTS: dict[str, tuple[str, ...]] = {
    "winner": ("winner", "verdict", "preference", "outcome", "result", "label", "vote"),
    "questions": ("question_id", "question", "prompt_id", "prompt", "topic", "query_id", "qid", "instruction", "task"),
    "workers": ("worker", "worker_id", "user", "user_id", "annotator", "annotator_id", "rater", "voter"),
    "judges": ("judge", "judge_model", "evaluator"),
    "ids": ("id", "battle_id", "num", "comparison_id", "conversation_id"),
}
#: What columns can be named.
COLUMNS = ("first", "second", "winner", "question", "worker", "judge", "battle")
#: One column per verdict, as some public collections have it.
_ONE_HOT = ("winner_model_a", "winner_model_b", "winner_tie")


def read_battles(
    source: Any,
    *,
    first: str | None = None,
    second: str | None = None,
    winner: str | None = None,
    question: str | None = None,
    worker: str | None = None,
    judge: str | None = None,
    battle: str | None = None,
    verdicts: Mapping[Any, str] | None = None,
    missing: str = "error",
    self_battles: str = "error",
    max_bytes: int = MAX_BYTES,
) -> Battles:
    """Read pairwise verdicts; `Battles.read()` documents how.

    Parameters
    ----------
    source : path, data frame or list of dicts
        One row per battle.
    first, second, winner, question, worker, judge, battle : str, optional
        Columns; by default those that are known by their names.
    verdicts : mapping, optional
        Spelling of a verdict -> "first", "second", "tie" or "missing".
    missing : str, default "error"
        What a battle without a winner means.
    self_battles : str, default "error"
        What a battle of a system against itself means.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    Battles

    Raises
    ------
    FileError
        If no columns hold the systems and the winner.
    """
    columns, where = columns_of(source, "Battles.read()", max_bytes)
    asked = {"winner": winner, "questions": question, "workers": worker, "judges": judge, "ids": battle}
    taken: dict[str, Any] = {}
    used: list[str] = []
    for role, name in asked.items():
        found = find_column(columns, name, VERDICTS[role], where)
        if found is not None:
            taken[role] = columns[found]
            used.append(f"{role.removesuffix('s')} {found!r}")
    if "winner" not in taken:
        taken["winner"] = _one_hot(columns, where)
    pair = _pair(columns, first, second, taken["winner"], where)
    note = Note("battle_columns", where=where, pair=[repr(name) for name in pair], used=used)
    try:
        return Battles(
            columns[pair[0]],  # type: ignore[arg-type]
            columns[pair[1]],  # type: ignore[arg-type]
            taken.pop("winner"),
            **taken,
            notes=(note, *columns.notes),
            verdicts=verdicts,
            missing=missing,
            self_battles=self_battles,
        )
    except CallError:
        raise
    except ValueError as error:
        if hasattr(error, "at"):
            raise error.at(where) from None
        raise


def _one_hot(columns: Columns, where: str) -> list[Any]:
    if not all(name in columns for name in _ONE_HOT[:2]):
        raise FileError(
            f"{where}: no column holds the winner; there are {shown(list(columns), 12)}.",
            Option("winner", effect="to name it"),
        )
    words = ("model_a", "model_b", "tie")
    rows = zip(*(columns[name] for name in _ONE_HOT if name in columns), strict=True)
    return [next((word for word, on in zip(words, row, strict=False) if _on(on)), None) for row in rows]


def _on(cell: Any) -> bool:
    return str(cell).strip().lower() in ("1", "1.0", "true")


def _pair(
    columns: Columns, first: str | None, second: str | None, winner: Sequence[Any], where: str
) -> tuple[str, str]:
    """The columns of the two systems; where several pairs could be, the one whose words the winner uses."""
    if (first is None) != (second is None):
        raise CallError("Name both columns of systems, `first` and `second`, or none of them.")
    if first is not None and second is not None:
        return str(find_column(columns, first, (), where)), str(find_column(columns, second, (), where))
    lower = {name.strip().lower(): name for name in reversed(list(columns))}
    found = [pair for pair in PAIRS if all(name in lower for name in pair)]
    if not found:
        raise FileError(
            f"{where}: no two columns hold the systems, such as model_a and model_b; there are "
            f"{shown(list(columns), 12)}.",
            Advice("Name them with first= and second=.", "Name them with --columns first=COLUMN,second=COLUMN."),
        )
    words = {str(value).strip().lower() for value in set(winner)}
    best = next((pair for pair in found if words & set(pair)), found[0])
    return lower[best[0]], lower[best[1]]


def read_chances(path: str | Path, *, max_bytes: int = MAX_BYTES) -> dict[str, float]:
    """The chance of each topic, from a list as `hybrid(…).next().write()` makes it.

    Parameters
    ----------
    path : str or Path
        A CSV or TSV file whose header has `topic` and `chance`; other columns are not looked at.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    dict
        Topic -> chance.

    Raises
    ------
    FileError
        Where a column is not there, or a chance is no number above 0 and at most 1.
    """
    file = Path(path)
    found: dict[str, float] = {}
    with open_text(file, max_bytes=max_bytes) as stream:
        first = stream.readline()
        delimiter = "\t" if "\t" in first and "," not in first else ","
        reader = csv.DictReader([first, *stream], delimiter=delimiter)
        missing = {"topic", "chance"} - set(reader.fieldnames or ())
        if missing:
            raise Where(file, 1).error(f"the header has no column {' and no column '.join(sorted(missing))}.")
        for row in reader:
            where = Where(file, reader.line_num)
            try:
                chance = float(row["chance"] or "")
            except ValueError:
                chance = 0.0
            if not 0 < chance <= 1:
                raise where.error(f"the chance {row['chance']!r} is no number above 0 and at most 1.")
            if found.setdefault(row["topic"] or "", chance) != chance:
                raise where.error(f"{row['topic']!r} has two chances.")
    return found


#: What the column of groups is called, where there is a header; that of names has a name that any table knows.
_HEADS = ("group", "team", "family", "category", "kind")


#: mt-metrics-eval's file of the documents of segments.
_DOCUMENTS = (".docs", ".docs.gz")


class Groups(dict[str, str]):
    """Name -> group.

    Attributes
    ----------
    file : str
        The file that says so; a page lists the files that it was made from.
    """

    file: str = ""


def read_groups(path: str | Path, *, max_bytes: int = MAX_BYTES) -> Groups:
    """Which name is in which group, from a file of two columns.

    Parameters
    ----------
    path : str or Path
        A CSV or TSV file, name and group in each line; a first line such as `system,group` is a header. A file `.docs`
        of mt-metrics-eval gives the document of each segment, by number.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    Groups
        A dict, name -> group, whose `.file` is the file.

    Raises
    ------
    FileError
        Where a line has more or fewer than two columns, a name has two groups, or the file is no UTF-8 text.
    """
    file = Path(path)
    found = Groups()
    found.file = str(path)
    if file.name.endswith(_DOCUMENTS):
        with open_start(file, max_bytes=max_bytes) as text:
            found.update(mt_metrics.read_documents(text))
        return found
    with open_text(file, max_bytes=max_bytes) as stream:
        first = stream.readline()
        delimiter = "\t" if "\t" in first and "," not in first else ","
        reader = csv.reader([first, *stream], delimiter=delimiter, strict=True)
        try:
            for row in reader:
                if any(cell.strip() for cell in row):
                    _add(found, row, Where(file, reader.line_num), header=reader.line_num == 1)
        except csv.Error as error:
            raise Where(file, reader.line_num).error(f"the quotes of this line are damaged ({error}).") from None
    if not found:
        raise Where(file).error("there is no line of a name and its group.")
    return found


def _add(found: Groups, row: list[str], where: Where, *, header: bool) -> None:
    if len(row) != 2:
        columns = "1 column" if len(row) == 1 else f"{len(row)} columns"
        raise where.error(f"{columns}; a file of groups has two, name and group.")
    name, group = (cell.strip() for cell in row)
    if header and (group.lower() in _HEADS or role_of(name) is not None):
        return
    if not name or not group:
        raise where.error(f"the {'name' if not name else 'group'} is empty.")
    if found.setdefault(name, group) != group:
        raise where.error(f"{name!r} is in {found[name]!r} and in {group!r}; give it one group.")
