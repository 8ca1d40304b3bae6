"""mt-metrics-eval: `<pair>.<rating>.seg.score` and its like, `system<TAB>score` in each line, segments in order."""

from __future__ import annotations

import re
from array import array
from pathlib import Path

import numpy as np

from ...errors import Advice
from ..numerals import number
from ..pieces import Cells, Piece
from ..streams import Text, Where

_FILE = re.compile(r"(?P<stem>.+)\.(?P<level>seg|sys|domain|doc)\.score(?:\.gz|\.zst)?")
#: The topic of scores of whole systems.
ALL_SEGMENTS = "all segments"
_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}(?:_[A-Za-z]+)*")


def read(text: Text, name: str, run: str) -> Piece:
    """Read the scores of one rating or metric.

    The name of the file says which it is and whether scores are of segments, documents, domains or whole systems.
    `None` is a score that is missing.

    Parameters
    ----------
    text : Text
        The open file.
    name : str
        "mt-metrics".
    run : str
        The measure, if the name of the file does not say it.

    Returns
    -------
    Piece

    Raises
    ------
    FileError
        If systems have different numbers of segments.
    """
    match = _FILE.fullmatch(text.path.name)
    level = match["level"] if match else "seg"
    measure = _measure(match["stem"] if match else run)
    width = 3 if level == "domain" else 2
    systems: list[str] = []
    topics: list[str] = []
    seen: dict[str, int] = {}
    values, lines = array("d"), array("q")
    for line, row in enumerate(text.lines(), 1):
        cells = row.split()
        if not cells:
            continue
        if len(cells) != width:
            wanted = "domain, system and score" if width == 3 else "system and score"
            raise Where(text.path, line).error(f"{len(cells)} columns, where {wanted} should stand.")
        system = cells[-2]
        try:
            values.append(number(cells[-1]))
        except ValueError:
            raise Where(text.path, line).error(f"the score {cells[-1][:60]!r} is not a number.") from None
        seen[system] = seen.get(system, 0) + 1
        systems.append(system)
        topics.append(cells[0] if width == 3 else str(seen[system]) if level != "sys" else ALL_SEGMENTS)
        lines.append(line)
    if level in ("seg", "doc") and len(set(seen.values())) > 1:
        few, many = min(seen, key=seen.__getitem__), max(seen, key=seen.__getitem__)
        raise Where(text.path).error(
            f"{few!r} has {seen[few]:,} lines and {many!r} {seen[many]:,}: which segments are they?",
            Advice("Write one line per segment for every system, None where a score is missing."),
        )
    what = {"seg": "segments numbered", "doc": "documents numbered", "sys": "of whole systems", "domain": "by domain"}
    return Cells(
        source=str(text.path),
        systems=systems,
        topics=topics,
        measures=[measure] * len(systems),
        values=np.frombuffer(values),
        lines=lines,
        notes=(f"{text.path.name}: mt-metrics-eval scores, {what[level]}",),
    ).piece()


def _measure(stem: str) -> str:
    """`en-de.mqm` is the rating mqm; `BLEU-refA` is the metric of that name."""
    pair, dot, rating = stem.partition(".")
    return rating if dot and _PAIR.fullmatch(pair) else stem


def is_folder(folder: Path) -> bool:
    """Whether a folder has the ratings and metrics of a test set."""
    return (folder / "human-scores").is_dir() or (folder / "metric-scores").is_dir()


def files_of(folder: Path, level: str = "seg", pair: str = "") -> list[Path]:
    """List the files of one language pair, ratings first.

    Parameters
    ----------
    folder : Path
        The folder of a test set.
    level : {"seg", "sys", "domain"}, default "seg"
        What scores are of.
    pair : str, default ""
        The language pair.

    Returns
    -------
    list of Path

    Raises
    ------
    FileError
        If there are several pairs; the error says how to choose.
    """
    files = [
        path
        for part in ("human-scores", "metric-scores")
        for path in sorted((folder / part).glob("**/*.score"))
        if (match := _FILE.fullmatch(path.name)) and match["level"] == level
    ]
    pairs = dict.fromkeys(_pair(path) for path in files)
    if pair and pair not in pairs:
        raise Where(folder).error(f"there is no language pair {pair!r}; there are {', '.join(map(repr, pairs))}.")
    if pair:
        return [path for path in files if _pair(path) == pair]
    if len(pairs) > 1:
        raise Where(folder).error(
            f"it has scores of several language pairs: {', '.join(map(repr, pairs))}.",
            Advice(f"Name one after the folder, as in '{folder.name}#{next(iter(pairs))}'."),
        )
    if not files:
        raise Where(folder).error(f"there is no file *.{level}.score in it.")
    return files


def _pair(path: Path) -> str:
    return path.parent.name if _PAIR.fullmatch(path.parent.name) else path.name.partition(".")[0]


def read_documents(text: Text) -> dict[str, str]:
    """Read the document of each segment, from `documents/<pair>.docs`.

    Parameters
    ----------
    text : Text
        The open file: domain and document of each segment, in order.

    Returns
    -------
    dict
        Number of the segment -> domain and document.
    """
    found: dict[str, str] = {}
    for line, row in enumerate(text.lines(), 1):
        cells = row.rstrip("\r\n").split("\t")
        if len(cells) != 2 or not all(map(str.strip, cells)):
            raise Where(text.path, line).error(f"{len(cells)} columns, where domain and document should stand.")
        found[str(len(found) + 1)] = f"{cells[0].strip()}/{cells[1].strip()}"
    return found
