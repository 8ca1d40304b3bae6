"""AlpacaEval: `annotations.json`, one verdict per instruction between the output of a baseline and that of a model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..pieces import Cells
from .base import Document, Rows, real

#: A longer instruction is cut, and has a few letters of its hash after it.
_LONGEST = 60


def _is_annotations(data: Any) -> bool:
    first = data[0] if isinstance(data, list) and data else None
    keys = ("generator_1", "generator_2", "preference", "instruction")
    return isinstance(first, Mapping) and all(key in first for key in keys)


def _read(data: Any, path: Path, run: str) -> Cells:
    rows = Rows(path)
    baselines: set[str] = set()
    seen: dict[tuple[str, str], int] = {}
    annotators = len({str(one.get("annotator", "")) for one in data if isinstance(one, Mapping)}) > 1
    for one in data:
        if not isinstance(one, Mapping):
            continue
        system, topic = str(one.get("generator_2")), instruction_label(str(one.get("instruction")))
        measure = f"win rate by {one['annotator']}" if annotators and one.get("annotator") else "win rate"
        again = seen[system, topic + measure] = seen.get((system, topic + measure), 0) + 1
        baselines.add(str(one.get("generator_1")))
        value = real(one.get("preference"))
        # 1 is the baseline, 2 the model, and between them how sure; 0 was a draw in the first version.
        value = 1.5 if value == 0 else value
        good = value is not None and 1 <= value <= 2
        rows.add(
            system, f"{topic} ({again})" if again > 1 else topic, measure, (value or 0) - 1 if good else float("nan")
        )
    told = ", ".join(map(repr, sorted(baselines)[:3]))
    rows.note(f"AlpacaEval annotations: share of the win of generator_2 over {told}, one topic per instruction")
    return rows.cells()


def instruction_label(text: str) -> str:
    """An instruction as the name of a topic: on one line and not too long."""
    line = " ".join(text.split())
    if len(line) <= _LONGEST:
        return line or "(empty)"
    return f"{line[:_LONGEST]}… {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"


ANNOTATIONS = Document(name="alpaca-eval", fits=_is_annotations, read=_read)
