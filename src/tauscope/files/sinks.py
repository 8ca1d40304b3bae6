"""Writing files safely: a file appears whole or not at all, and is packed where its name says so."""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from .streams import Where, zstandard


@contextmanager
def packing(raw: IO[bytes], packed: str, path: Path) -> Iterator[IO[bytes]]:
    """A stream that packs what is written into it, by the ending ".gz" or ".zst"; the same data give the same bytes."""
    if packed == ".gz":
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as stream:
            yield stream  # type: ignore[misc]
    elif packed == ".zst":
        with zstandard(path).ZstdCompressor().stream_writer(raw, closefd=False) as stream:
            yield stream
    else:
        yield raw


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes its name only when it is complete: what stood there before is never half overwritten."""
    beside = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        raw = beside.open("xb")
    except OSError as error:
        raise Where(path).error(f"it cannot be written ({error.strerror or error}).") from None
    try:
        with raw:
            yield raw
        beside.replace(path)
    except OSError as error:
        if error.filename not in (None, str(beside)):  # of another file, which it names
            raise
        raise Where(path).error(f"it cannot be written ({error.strerror or error}).") from None
    finally:
        beside.unlink(missing_ok=True)
