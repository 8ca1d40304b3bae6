"""Inspect AI: logs of one evaluation, a score per sample and scorer; `.eval` archives come here as such a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..pieces import Cells
from ..streams import Where
from .base import Document, Rows, real

#: What Inspect's own letters and words are worth: correct, partial, incorrect, no answer.
_WORDS = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}


def _is_log(data: Any) -> bool:
    if not isinstance(data, Mapping) or not isinstance(data.get("eval"), Mapping):
        return False
    return "model" in data["eval"] and "task" in data["eval"] and ("status" in data or "samples" in data)


def _read(data: Any, path: Path, run: str) -> Cells:
    rows = Rows(path)
    system, task = str(data["eval"]["model"] or run), str(data["eval"]["task"])
    samples = data.get("samples")
    if not isinstance(samples, list) or not samples:
        raise Where(path).error("this Inspect log has no samples, so no item has a score of its own.")
    words: set[str] = set()
    unscored = 0
    for sample in samples:
        found = sample.get("scores") if isinstance(sample, Mapping) else None
        if not isinstance(found, Mapping) or not found:
            unscored += 1
            continue
        item = f"{task}:{sample.get('id')}"
        for scorer, score in found.items():
            value = score.get("value") if isinstance(score, Mapping) else score
            for name, number in _values(str(scorer), value, words, f"{path}: sample {sample.get('id')!r}"):
                rows.add(system, item, name, number)
    rows.note(f"Inspect log of {task!r}, model {system!r}, one topic per sample")
    if words:
        letters = ", ".join(f"{word} is {_WORDS[word.lower()]:g}" for word in sorted(words))
        rows.note(f"verdicts as numbers: {letters}")
    if unscored:
        rows.note(f"{unscored:,} of {len(samples):,} samples without a score left out")
    if data.get("status") not in (None, "success"):
        rows.note(f"the evaluation did not end well: its status is {data['status']!r}")
    return rows.cells("epochs")


def _values(name: str, value: Any, words: set[str], place: str) -> Iterator[tuple[str, float]]:
    """The numbers of a score: one, or one for each key of a score with several parts."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            if not isinstance(part, (Mapping, list)):
                yield from _values(f"{name}/{key}", part, words, place)
        return
    number = float(value) if isinstance(value, bool) else real(value)
    if number is None and isinstance(value, str):
        if value.strip().lower() in _WORDS:
            words.add(value.strip())
            number = _WORDS[value.strip().lower()]
        else:
            try:
                number = float(value)
            except ValueError:
                number = None
    if number is None and value is not None:
        shown = repr(value)
        raise Where(Path(place)).error(
            f"the score {shown[:60]} by {name!r} is neither a number nor one of C, P, I and N."
        )
    yield name, float("nan") if number is None else number


LOG = Document(name="inspect", fits=_is_log, read=_read)
