"""Are the rows topics or systems? By what another file has, and by what the names look like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..results import count
from ..scores.remarks import Remark

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
