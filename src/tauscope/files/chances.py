"""Files of chances: with which each topic was drawn for people to judge."""

from __future__ import annotations

import csv
from pathlib import Path

from .streams import MAX_BYTES, Where, open_text


def read_chances(path: str | Path, *, max_bytes: int = MAX_BYTES) -> dict[str, float]:
    """The chance of each topic, from a list as `choose_topics(…).write()` makes it.

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
