"""A file as one piece of bytes: what parsers take that look at all lines at once."""

from __future__ import annotations

from pathlib import Path

from .sinks import packing, replacing
from .streams import MAX_BYTES, Guarded, Where, compression, decompressed, not_utf8, opened

#: Unpacked at a time: damage is found within so many bytes of its line.
_CHUNK = 1 << 16
_BOM = b"\xef\xbb\xbf"


def read_whole(path: Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """All of a text file, unpacked, in UTF-8 without NUL bytes; `max_bytes` limits what packed files may unpack to."""
    kind = compression(path)
    if kind == "parquet":
        raise Where(path).error("this is a Parquet file; lines of text are needed here.")
    if kind in ("sheet", "inspect"):
        raise Where(path).error("this is a zip archive or a spreadsheet; lines of text are needed here.")
    with opened(path) as raw:
        if kind == "none":
            data = raw.read()
        else:
            source, buffer, pieces = Guarded(decompressed(raw, path), path, max_bytes), bytearray(_CHUNK), []
            while size := source.readinto(buffer):
                pieces.append(bytes(buffer[:size]))
            data = b"".join(pieces)
    data = data.removeprefix(_BOM)
    if b"\0" in data:
        raise Where(path, line_number(data, data.index(0))).error("this is not text: it holds NUL bytes.")
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            raise not_utf8(path, max_bytes) from None
    if not data.strip():
        raise Where(path).error("the file is empty.")
    return data


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file at once, as it is; what stood there before stays until it is complete."""
    with replacing(path) as raw:
        raw.write(data)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file at once; a name that ends in .gz or .zst is packed, and the same data give the same file."""
    with replacing(path) as raw, packing(raw, path.suffix, path) as stream:
        stream.write(data)


def line_number(data: bytes, at: int) -> int:
    """The line, counted from 1, of the byte `at`."""
    return data.count(b"\n", 0, at) + data.count(b"\r", 0, at) - data.count(b"\r\n", 0, at) + 1
