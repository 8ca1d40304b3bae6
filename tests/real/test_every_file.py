"""Every file of strangers through check, rank or compare, measures and report, as somebody who has it would. Skipped
where the shared data are not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tauscope.cli import main

#: What is done with each: the words of a command, FILE and OUT put in.
CALLS = {
    "mteb/board.csv": (
        "check FILE",
        "rank FILE --json",
        "measures correlate FILE --json",
        "report FILE -o OUT",
    ),
    "mteb/board-holes.csv": (
        "check FILE",
        "expected FILE --missing keep --json",
        "measures correlate FILE --missing keep --json",
        "report FILE -o OUT",
    ),
    "mteb/results": ("check FILE", "rank FILE --missing drop-topics --json"),
    "arena/human.jsonl.gz": ("rank FILE --json", "report FILE -o OUT"),
    "arena/gpt-4-0125-preview.jsonl.gz": ("compare FILE --truth DATA/arena/human.jsonl.gz --json",),
    "arena/gpt-3.5-turbo.jsonl.gz": ("compare FILE --truth DATA/arena/human.jsonl.gz --json",),
    "llmfao/crowd-comparisons.csv": ("rank FILE --clusters worker --json", "report FILE -o OUT"),
    "llmfao/gpt4-crowd-comparisons.csv": ("rank FILE --json",),
    "alpaca/alpaca2-alpaca_eval_gpt4.csv": (
        "check FILE",
        "rank FILE --missing drop-topics --json",
        "compare FILE --truth DATA/alpaca/alpaca2-weighted_alpaca_eval_gpt4_turbo.csv --missing drop-topics "
        "--unmatched drop --json",
    ),
    "alpaca/alpaca2-weighted_alpaca_eval_gpt4_turbo.csv": (
        "check FILE",
        "report FILE --missing drop-topics -o OUT",
    ),
    "lmarena/2024.07.07-lmsys.csv": ("rank FILE --json", "report FILE -o OUT"),
    "lmarena/2025.08.04-lmarena_text.csv": ("rank FILE --json",),
    "wmt23/human-scores/en-de.mqm.seg.score": (
        "check FILE",
        "rank FILE --missing drop-topics --json",
        "compare DATA/wmt23/metric-scores/en-de/COMET-refA.seg.score --truth FILE --missing drop-topics "
        "--unmatched drop --clusters DATA/wmt23/documents/en-de.docs --json",
    ),
    "wmt23": ("measures correlate FILE --missing keep --json",),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_file_of_strangers_is_answered(
    name: str, shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = shared / "data" / "real"
    if not data.is_dir():
        pytest.skip(f"no real files: {data} is not a folder")
    for call in CALLS[name]:
        given = {"FILE": str(data / name), "OUT": str(tmp_path / "page.html")}
        words = [given.get(word, word.replace("DATA", str(data))) for word in call.split()]
        code = main(words)
        printed = capsys.readouterr()
        assert code == 0, f"{call}: {printed.err}"
        if "--json" in words:
            assert json.loads(printed.out), call
        if "OUT" in call:
            assert (tmp_path / "page.html").stat().st_size > 20_000, call
