"""`read_battles()`: pairwise verdicts from CSV, TSV, JSON, JSON lines and Parquet files, and from data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import Advice, CallError, FileError, Option
from ..scores.battles import Battles
from ..scores.labels import shown
from .columns import Columns, columns_of, find_column, first_columns
from .streams import MAX_BYTES

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
#: What else a file can tell of a battle, and the columns that do.
ROLES: dict[str, tuple[str, ...]] = {
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
    """Read pairwise verdicts; see `Battles.read()`."""
    columns, where = columns_of(source, "read_battles()", max_bytes)
    asked = {"winner": winner, "questions": question, "workers": worker, "judges": judge, "ids": battle}
    taken: dict[str, Any] = {}
    used: list[str] = []
    for role, name in asked.items():
        found = find_column(columns, name, ROLES[role], where)
        if found is not None:
            taken[role] = columns[found]
            used.append(f"{role.removesuffix('s')} {found!r}")
    if "winner" not in taken:
        taken["winner"] = _one_hot(columns, where)
    pair = _pair(columns, first, second, taken["winner"], where)
    note = f"{where}: systems in {pair[0]!r} and {pair[1]!r}" + "".join(f", {text}" for text in used)
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


def is_battles(path: Path, *, max_bytes: int = MAX_BYTES) -> bool:
    """Whether a file holds battles: two columns of names that are known as those of a pair, and one of verdicts."""
    columns = first_columns(path, max_bytes)
    lower = {name.strip().lower(): name for name in columns}
    pair = next((pair for pair in PAIRS if all(name in lower for name in pair)), None)
    told = any(name in lower for name in ROLES["winner"]) or all(name in lower for name in _ONE_HOT[:2])
    return pair is not None and told and not all(map(_is_number, columns[lower[pair[0]]]))


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


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
