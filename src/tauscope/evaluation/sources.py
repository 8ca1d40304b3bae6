"""The bytes of a file, plain, gzip or zstd, and the words for what is wrong at which line."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from typing import Any

from ..errors import FileError, MissingPackageError
from ..lines import Fault, Layout

PathLike = str | os.PathLike[str]

_CHUNK = 1 << 20
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
#: What the columns of a line are called, by their number.
_COLUMNS = {
    6: ("a run", "has", "topic Q0 document rank score tag"),
    4: ("qrels", "have", "topic iteration document grade"),
}


def read_bytes(path: PathLike) -> bytes:
    """What a file holds, unpacked; text that is not UTF-8, or has NUL bytes, is an error with its line."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}.") from None
    if raw.startswith(_GZIP):
        raw = _gunzip(raw, path)
    elif raw.startswith(_ZSTD):
        raw = _unzstd(raw, path)
    raw = raw.removeprefix(_BOM)
    if not raw.strip():
        raise FileError(f"{path}: the file is empty.")
    if b"\0" in raw:
        kind = "UTF-16; save it as UTF-8" if raw.startswith(_UTF16) else "not a text file"
        raise FileError(f"{path}:{line_number(raw, raw.index(0))}: a NUL byte: this is {kind}.")
    if not raw.isascii():
        _check_utf8(raw, path)
    return raw


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a file; a name that ends in .gz or .zst is packed. The same data give the same file."""
    if str(path).endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    elif str(path).endswith(".zst"):
        data = _zstandard(path).ZstdCompressor().compress(data)
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}.") from None


def line_number(data: bytes, at: int) -> int:
    """The line, counted from 1, of the byte `at`."""
    return data.count(b"\n", 0, at) + 1


def shown(text: bytes, longest: int = 60) -> str:
    """A text from a file as it stands in a message: quoted, control characters escaped, cut where it is long."""
    start = text[: 4 * longest].decode("utf-8", "replace")
    return repr(start if len(start) <= longest else f"{start[:longest]}…")


def fault_text(path: str, data: bytes, layout: Layout, fault: Fault, at: int) -> str:
    """What is wrong with the line that begins at byte `at`."""
    end = data.find(b"\n", at)
    line = data[at : len(data) if end < 0 else end]
    columns = line.split()
    what, has, names = _COLUMNS[layout.columns]
    place = f"{path}:{line_number(data, at)}:"
    if fault == Fault.COLUMNS:
        looks = next((f" It looks like {kind}." for n, (kind, _, _) in _COLUMNS.items() if n == len(columns)), "")
        found = f"{len(columns):,} column{'' if len(columns) == 1 else 's'}"
        return f"{place} {found} where {what} {has} {layout.columns}: {names}.{looks} The line is {shown(line)}."
    if fault == Fault.VALUE:
        word, kind = ("grade", "a whole number") if layout.whole else ("score", "a finite number")
        return f"{place} the {word} is {shown(columns[layout.value])}, not {kind}."
    if fault == Fault.TAG:
        first = next(line.split() for line in data.split(b"\n") if line.strip())
        tags = f"{shown(columns[layout.tag])}, and {shown(first[layout.tag])} above"
        return f"{place} the tag is {tags}. A file holds one run: split it by tag."
    return f"{place} {_duplicate_text(data, columns, layout, at)}"


def _duplicate_text(data: bytes, columns: list[bytes], layout: Layout, at: int) -> str:
    topic, document = columns[0], columns[layout.document]
    before = 0
    for number, line in enumerate(data[:at].split(b"\n"), 1):
        other = line.split()
        if other and other[0] == topic and other[layout.document] == document:
            before = number
            break
    again = f"document {shown(document)} of topic {shown(topic)} is there twice, first at line {before}."
    if layout.whole and line_iteration(data, before) != columns[1]:
        return f"{again} Judgments of subtopics (diversity qrels) cannot be used."
    return again


def line_iteration(data: bytes, number: int) -> bytes:
    """The second column of a line."""
    return data.split(b"\n", number)[number - 1].split()[1]


def _check_utf8(data: bytes, path: PathLike) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        place, byte = f"{path}:{line_number(data, error.start)}:", data[error.start]
        raise FileError(f"{place} byte 0x{byte:02X} is not UTF-8. Convert the file, such as by iconv.") from None


def _gunzip(packed: bytes, path: PathLike) -> bytes:
    """All members of a gzip file; where the data end early or are damaged, the error says after which line."""
    pieces: list[bytes] = []
    rest = packed
    while rest:
        stream = zlib.decompressobj(wbits=31)
        at = 0
        while not stream.eof:
            chunk = rest[at : at + _CHUNK]
            try:
                pieces.append(stream.decompress(chunk))
            except zlib.error:
                raise _broken(path, pieces, "are damaged") from None
            if not chunk:
                raise _broken(path, pieces, "end early: the file was cut off")
            at += _CHUNK
        rest = (stream.unused_data + rest[at:]).lstrip(b"\0")
    return b"".join(pieces)


def _broken(path: PathLike, pieces: list[bytes], what: str) -> FileError:
    line = sum(piece.count(b"\n") for piece in pieces) + 1
    return FileError(f"{path}:{line}: here the gzip data {what}.")


def _unzstd(packed: bytes, path: PathLike) -> bytes:
    zstandard = _zstandard(path)
    pieces: list[bytes] = []
    rest = packed
    while rest:
        stream = zstandard.ZstdDecompressor().decompressobj()
        try:
            pieces.append(stream.decompress(rest))
        except zstandard.ZstdError:
            raise FileError(f"{path}: the zstd data are damaged.") from None
        if not stream.eof:
            line = sum(piece.count(b"\n") for piece in pieces) + 1
            raise FileError(f"{path}:{line}: here the zstd data end early: the file was cut off.")
        rest = stream.unused_data
    return b"".join(pieces)


def _zstandard(path: PathLike) -> Any:
    try:
        import zstandard
    except ImportError:
        raise MissingPackageError(
            f"{path}: zstd needs the package zstandard, which is not installed. Run: pip install 'tauscope[frames]'"
        ) from None
    return zstandard
