"""`-` instead of a file: standard input, kept in a file, so that every command and every format can read it."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..errors import CallError

#: Options that name a file to be written, which standard input is not.
_OUTPUTS = ("-o", "--out", "--plot", "--html", "--markdown", "--checkpoint")


def with_standard_input(words: Sequence[str]) -> list[str]:
    """The words of a command line with the name of a file, in which standard input is, instead of `-`."""
    places = [at for at, word in enumerate(words) if word == "-" and (at == 0 or words[at - 1] not in _OUTPUTS)]
    if not places:
        return list(words)
    if len(places) > 1:
        raise CallError("- is standard input, which is there once: give a file for the other.")
    folder = Path(tempfile.mkdtemp(prefix="tauscope-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    kept = folder / "standard-input"
    with kept.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return [str(kept) if at in places else word for at, word in enumerate(words)]
