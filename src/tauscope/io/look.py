"""A first look at a table: what its columns are, which of them hold scores, and whether rows are topics or systems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..data.labels import Remark, shown
from ..data.odd_names import MOST_NAMES, is_no_score, is_rank, is_summary, is_unnamed
from ..errors import Advice, CallError, FileError, Option
from ..results import count
from .numerals import MISSING

#: Ids as topics have them: a number, perhaps with a short word and a mark before it: 401, q12, i000, MB-17, 2021/4.
_ID = re.compile(r"([a-z]{0,6}[-_:#. ]?)(\d+([-_./:]\d+)*)", re.IGNORECASE)
#: Families of models and systems, at the start of a name or after a slash or a mark.
_SYSTEMS = re.compile(
    r"(^|[/_\s-])(gpt|chatgpt|llama|claude|gemini|gemma|mistral|mixtral|qwen|deepseek|command|phi|falcon|vicuna|yi|glm"
    r"|bm25|dpr|colbert|splade|monot5|ance|tf-?idf|dense|bert|t5|e5|bge|gte|grok|olmo|alpaca|wizardlm|zephyr|jina)"
    r"(?![a-z])",
    re.IGNORECASE,
)
#: Tasks and benchmarks that are known by name.
_TASKS = re.compile(
    r"(^|[/_\s-])(mmlu|gsm-?8k|hellaswag|arc|winogrande|truthfulqa|ifeval|bbh|gpqa|musr|humaneval|mbpp|math|squad|drop"
    r"|boolq|piqa|nq|hotpotqa|triviaqa|msmarco|fever|scifact|fiqa2018|sts\d*|touche2020|arguana|mt-?bench|glue|sst-?2"
    r"|mnli|qqp|rte|cola|lambada|copa|wsc|race|scidocs|trec|nfcorpus|quora|classification|retrieval|clustering)"
    r"(?![a-z])",
    re.IGNORECASE,
)


#: Where nothing is named and there are so many times as many columns as rows, the rows may well be systems.
MANY_MORE = 5


class Names(NamedTuple):
    """The systems and topics of the other file of a pair."""

    systems: frozenset[str]
    topics: frozenset[str]


def which_way(rows: Sequence[str], columns: Sequence[str], like: Names | None = None) -> tuple[str, str]:
    """("wide" or "turned", why): whether rows are topics or systems; "" for the reason where nothing tells.

    >>> which_way(["gpt-4", "llama-3-8b"], ["MMLU", "GSM8K"])
    ('turned', 'some of them are names of models')
    >>> which_way(["q1", "q2", "q3"], ["ours", "theirs"])
    ('wide', 'they are numbered as topics are')
    """
    if like is not None:
        for own, in_rows_means, what in ((like.systems, "turned", "systems"), (like.topics, "wide", "topics")):
            in_rows, in_columns = _share(rows, own), _share(columns, own)
            if in_rows > in_columns:
                return in_rows_means, f"the other file has {what} of these names"
            if in_columns > in_rows:
                other = "wide" if in_rows_means == "turned" else "turned"
                return other, f"the other file has {what} of the names of the columns"
    ids, titles = _share_matching(_ID, rows, whole=True), _share_matching(_ID, columns, whole=True)
    if ids == 1 and titles < 0.5:
        return "wide", "they are numbered as topics are"
    if titles == 1 and ids < 0.5:
        return "turned", "the columns are numbered as topics are"
    for pattern, way, what in ((_SYSTEMS, "turned", "models"), (_TASKS, "wide", "tasks")):
        in_rows, in_columns = _share_matching(pattern, rows), _share_matching(pattern, columns)
        if in_rows > 0 and in_columns == 0:
            return way, f"some of them are names of {what}"
        if in_columns > 0 and in_rows == 0:
            return ("wide" if way == "turned" else "turned"), f"some of the columns are names of {what}"
    return "wide", ""


def by_counts(rows: int, columns: int, where: str) -> tuple[Remark, ...]:
    """What the counts of rows and columns hint at, where nothing else tells: never more than a remark.

    >>> by_counts(3, 40, "the array")[0]
    'the array: nothing says what rows and columns are; 3 rows are taken for topics and 40 columns for systems'
    """
    if columns < MANY_MORE * rows:
        return ()
    return (
        Remark(
            f"nothing says what rows and columns are; {count(rows, 'row')} {'is' if rows == 1 else 'are'} taken for "
            f"topics and {columns:,} columns for systems",
            where=where,
            code="rows-or-columns",
            effect="systems and topics would change places otherwise",
            suggestion="turn it round (.T) if the rows are systems",
        ),
    )


def _share(names: Iterable[str], among: frozenset[str]) -> float:
    own = [name.strip() for name in names]
    return sum(name in among for name in own) / len(own) if own else 0.0


def _share_matching(pattern: re.Pattern[str], names: Sequence[str], *, whole: bool = False) -> float:
    match = pattern.fullmatch if whole else pattern.search
    return sum(match(name.strip()) is not None for name in names) / len(names) if names else 0.0


#: Names of columns that are recognised, compared in lower case with `_` for spaces and hyphens.
ROLES: dict[str, tuple[str, ...]] = {
    "system": (
        *("system", "run", "name", "model"),
        *("run_id", "runid", "run_name", "system_id", "system_name", "model_name", "models", "systems"),
        *("method", "submission", "algorithm", "llm"),
    ),
    "topic": (
        *("topic", "qid", "query_id", "query", "task", "topic_id", "topicid", "queryid", "q_id", "task_id"),
        *("question_id", "instance_id", "benchmark", "dataset", "topics", "tasks", "question", "instance"),
    ),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    "judge": ("judge", "annotator", "assessor", "rater", "labeler", "labeller", "judged_by"),
}
_ROLE_OF = {name: role for role, names in ROLES.items() for name in names}
#: What `columns=` can settle, and other words for it.
CHOICES = {
    **{role: role for role in ("system", "topic", "measure", "value", "keep", "drop")},
    "name": "system",
    "model": "system",
    "run": "system",
    "task": "topic",
    "judge": "measure",
    "score": "value",
}


@dataclass(frozen=True)
class Asked:
    """What the caller says of the columns: which is what, the names that the other file of a pair has, and which
    columns are left out before anything is looked at."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    like: Names | None = None
    drop: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Mapping[str, str | Sequence[str]] | str | None, like: Names | None = None) -> Asked:
        """Names of columns by what they are, also as "name=model,score=arena_score"; an unknown word for what they are
        is an error that lists those there are."""
        pairs: list[tuple[str, str | Sequence[str]]]
        if isinstance(columns, str):
            pairs = [(key.strip(), name) for key, _, name in (part.partition("=") for part in columns.split(","))]
        else:
            pairs = list((columns or {}).items())
        found: dict[str, tuple[str, ...]] = {}
        for key, names in pairs:
            if key not in CHOICES or not names:
                raise CallError(
                    f"columns={columns!r}: write WHAT=COLUMN, such as name=model,score=arena_score; what a column can "
                    f"be: {', '.join(CHOICES)}."
                )
            role = CHOICES[key]
            found[role] = (*found.get(role, ()), *((names,) if isinstance(names, str) else names))
        drop = found.pop("drop", ())
        return cls(found, like, drop)


#: Where the caller says nothing of the columns.
NOTHING = Asked()


class Look(NamedTuple):
    """What is known of a table before it is read: where it is, its header, and which columns hold numbers."""

    where: str
    header: Sequence[str]
    #: Whether the first rows of each column are numbers, or missing.
    numeric: Sequence[bool]
    #: Whether they are different whole numbers, as ids are, and not all 0 or 1.
    like_ids: Callable[[int], bool]
    #: The first cells of a column as texts.
    cells: Callable[[int], Sequence[str]] = lambda column: ()

    def error(self, text: str, *ways_out: Option | Advice) -> FileError:
        """The error that starts with the place of the header."""
        return FileError(f"{self.where}: {text}", *ways_out)

    def remark(self, text: str, code: str, effect: str, suggestion: str, severity: str = "warning") -> Remark:
        """A remark that starts with the place of the header."""
        return Remark(
            text, where=Path(self.where).name, code=code, effect=effect, suggestion=suggestion, severity=severity
        )

    def names_rows(self, column: int) -> bool:
        """Whether the cells can be names: texts, or whole numbers; scores have decimals."""
        return not self.numeric[column] or all(_is_whole(text) or not text.strip() for text in self.cells(column))

    def holds_text(self, column: int) -> bool:
        """Whether the cells are texts; one that is half numbers has cells that are wrong, and the reader names them."""
        if self.numeric[column]:
            return False
        known = [text for text in self.cells(column) if text.strip().lower() not in MISSING]
        return sum(_NUMBER_LIKE.fullmatch(text.strip()) is not None for text in known) * 2 < max(len(known), 1)

    def counts_rows(self, column: int) -> bool:
        """Whether the cells are 0, 1, 2, … or 1, 2, 3, …: they number the rows."""
        cells = self.cells(column)
        whole = [float(text) for text in cells if _is_whole(text)]
        return len(whole) == len(cells) > 0 and whole in (
            list(range(len(cells))),
            list(range(1, len(cells) + 1)),
        )

    def different(self, column: int) -> bool:
        """Whether no two of the first cells are the same."""
        cells = self.cells(column)
        return len(set(cells)) == len(cells)


#: A number, also one with a decimal comma, thousands separators or a percent sign.
_NUMBER_LIKE = re.compile(r"[+-]?[\d.,' \u00a0]+(e[+-]?\d+)?\s*%?", re.IGNORECASE)


#: No `isdigit()`, which takes ² and --1 for numbers.
_WHOLE = re.compile(r"[+-]?\d+(\.0)?")


def _is_whole(text: str) -> bool:
    return _WHOLE.fullmatch(text.strip()) is not None


def role_of(name: str) -> str | None:
    """system, topic, measure, value or judge, where a column has the name of one."""
    return _ROLE_OF.get(name.strip().lower().replace(" ", "_").replace("-", "_"))


def roles(look: Look, asked: Asked = NOTHING) -> dict[str, int]:
    """The column of each role; two columns for one role are an error. A column of scores is none, whatever its name."""
    found: dict[str, int] = {}
    for role, names in asked.columns.items():
        if role == "keep":  # columns or rows, which are known once the table is read
            continue
        places = [column_of(look, name) for name in names]
        if role != "value" or len(places) == 1:
            found[role] = places[0]
    chosen, several = set(found.values()), set[str]()
    for column, name in enumerate(look.header):
        own = role_of(name)
        if own is None or own in asked.columns or column in chosen or not _fits(look, column, own):
            continue
        if own == "value" and "value" in found and not any(map(look.holds_text, _beside_topics(look))):
            several.add(own)  # a wide matrix whose systems are called value and score
            continue
        if own in found:
            first = look.header[found[own]]
            raise look.error(
                f"the columns {first!r} and {name!r} could both be the {own}.",
                Advice("Rename or remove one."),
                Option("columns", f"{own}={first}", f"{own}={name}", effect="to say which"),
                *_by_rows(look, found[own], own),
            )
        found[own] = column
    return {role: column for role, column in found.items() if role not in several}


def _beside_topics(look: Look) -> list[int]:
    return [column for column, name in enumerate(look.header) if role_of(name) != "topic"]


def column_of(look: Look, name: str) -> int:
    """The place of a column that somebody named; an error lists those there are."""
    return place_of(name, look.header, look.where)


def place_of(name: str, header: Sequence[str], where: str) -> int:
    """The same of any header."""
    if name not in header:
        raise FileError(f"{where}: there is no column {name!r}; there are {shown(header, 40)}.")
    return list(header).index(name)


def _fits(look: Look, column: int, role: str) -> bool:
    if role == "value" or look.header[column] == role:  # a column called system names systems, whatever they are called
        return True
    return not look.numeric[column] if role in ("measure", "judge") else look.names_rows(column)


def _by_rows(look: Look, names: int, role: str) -> list[Option]:
    """The way out for a table with one row per topic or system, where every other column can be a score."""
    formats = {"topic": ("wide", "systems"), "system": ("turned", "topics")}
    if role not in formats or texts_beside(look, names):
        return []
    name, others = formats[role]
    return [Option("format", name, effect=f"if the other columns are {others}")]


def texts_beside(look: Look, column: int) -> list[str]:
    """The names of the other columns that hold texts."""
    return [name for i, name in enumerate(look.header) if i != column and not look.numeric[i]]


def scores_of(
    look: Look, names: set[int | None], asked: Asked
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[Remark, ...]]:
    """Of the columns beside the names: those that hold scores, those that are left out, and remarks on why."""
    keep = {*asked.columns.get("keep", ()), *asked.columns.get("value", ())}
    for name in asked.columns.get("value", ()):
        column_of(look, name)
    others = [column for column in range(len(look.header)) if column not in names]
    if "value" in asked.columns:
        others = [column for column in others if look.header[column] in keep]
    reasons = {column: reason for column in others if (reason := _no_score(look, column, keep)) is not None}
    kept = tuple(column for column in others if column not in reasons)
    if not kept:  # names alone leave nothing: then they are taken for names of systems or topics
        reasons = {column: reason for column, reason in reasons.items() if reason == "text"}
        kept = tuple(column for column in others if column not in reasons)
    remarks = [
        look.remark(
            f"{count(len(columns), 'column')} left out, {why}: {shown(columns, 8)}",
            code,
            effect,
            advice,
            "note" if kind == "text" else "warning",
        )
        for kind, (code, why, effect) in _REASONS.items()
        if (columns := [look.header[column] for column, reason in reasons.items() if reason == kind])
        for advice in [
            "write numbers if they should be scores"
            if kind == "text"
            else f"keep it by name (columns, keep={columns[0]}) if it holds scores"
        ]
    ]
    return kept, tuple(reasons), tuple(remarks)


#: Why a column holds no scores: what the finding is called, what is said, and what the column would have done.
_REASONS = {
    "index": (
        "index-column",
        "numbering the rows",
        "as a system or topic it would have counted the rows as scores",
    ),
    "summary": (
        "summary-column",
        "summaries of the others by name",
        "it would have counted the others once more, or ranks as scores",
    ),
    "no score": (
        "no-score-column",
        "no scores by name",
        "sizes, dates and votes would have counted as scores",
    ),
    "text": ("text-column", "texts", "texts are no scores"),
}


def _no_score(look: Look, column: int, keep: set[str]) -> str | None:
    name = look.header[column]
    if look.holds_text(column):
        return "text"
    if name in keep or not look.numeric[column]:
        return None
    if len(look.header) > MOST_NAMES:
        return None
    if is_unnamed(name) and look.counts_rows(column):
        return "index"
    if is_summary(name) or is_rank(name):
        return "summary"
    return "no score" if is_no_score(name) else None
