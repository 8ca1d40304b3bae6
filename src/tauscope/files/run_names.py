"""The one name of a run whose file does not give it one."""

from __future__ import annotations

import os
from pathlib import Path

#: Endings that tell how a file is packed, and what it holds; a name has one of the first and any number of the others.
_PACKED = (".gz", ".zst", ".zstd", ".lz4")
_FORMATS = frozenset(
    (
        *(".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet", ".xlsx", ".ods"),
        *(".eval", ".out", ".run", ".trec", ".res", ".qrels"),
    )
)


def run_name(path: str | os.PathLike[str]) -> str:
    """The name of a file without the endings that tell its packing and its format.

    >>> run_name("runs/bm25.v1.run.txt.gz"), run_name("qrels.1-50.txt"), run_name(".run")
    ('bm25.v1', 'qrels.1-50', '.run')
    """
    name = Path(path).name
    name = next((name[: -len(end)] for end in _PACKED if name.lower().endswith(end) and name.lower() != end), name)
    while (suffix := Path(name).suffix).lower() in _FORMATS and suffix:
        name = name[: -len(suffix)]
    return name
