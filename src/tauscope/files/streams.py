"""Opening files safely: compression, encoding and size are checked while the bytes pass, errors name the line."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from ..errors import Advice, FileError, MissingPackageError, Option

#: What a file may bring at most; beyond it reading stops with an error instead of filling the memory.
MAX_BYTES = 2 << 30
MAX_LINE = 64 << 20
MAX_COLUMNS = 1_000_000
MAX_CELLS = 250_000_000

#: What pip installs for packed files and Parquet.
FRAMES_EXTRA = "tauscope[frames]"

#: Compressed bytes handed to zstd at a time: a block of 4 bytes can hold 128 KiB of text.
_ZSTD_STEP = 2048
_CHUNK = 1 << 20

_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
_OTHERS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet: unpack it, or save the sheet as CSV",
    b"BZh": "bzip2 data: unpack it, or compress it with gzip or zstd",
    b"\xfd7zXZ": "xz data: unpack it, or compress it with gzip or zstd",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
    b"ARROW1": "an Arrow file: save it as Parquet",
    b"%PDF": "a PDF document",
}


class Where(NamedTuple):
    """A place in a file, as it stands at the start of an error."""

    path: Path
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.path}" if self.line is None else f"{self.path}:{self.line}"

    def error(self, text: str, *ways_out: Option | Advice) -> FileError:
        """The error that starts with this place."""
        return FileError(f"{self}: {text}", *ways_out)


class Source(Protocol):
    """What gives bytes."""

    def read(self, size: int = -1, /) -> bytes: ...


def compression(path: Path) -> str:
    """ "gzip", "zstd", "parquet" or "none", by the first bytes and not by the name; "none" for a pipe."""
    if path.exists() and not path.is_file() and not path.is_dir():
        return "none"
    with opened(path) as raw:
        return _compression(raw, path)


def _compression(raw: IO[bytes], path: Path) -> str:
    start = raw.peek(8)[:8] if isinstance(raw, io.BufferedReader) else b""
    for magic, what in _OTHERS.items():
        if start.startswith(magic):
            raise Where(path).error(f"this is {what}.")
    known = {_GZIP: "gzip", _ZSTD: "zstd", _PARQUET: "parquet"}
    return next((name for magic, name in known.items() if start.startswith(magic)), "none")


@contextmanager
def open_text(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[IO[str]]:
    """UTF-8 text, decompressed; line ends stay as they are, so that names with newlines survive.

    Raises `FileError` for what is not text, is cut short, is too large or has a line that is too long.
    """
    with opened(path) as raw:
        source = decompressed(raw, path)
        guarded = io.BufferedReader(Guarded(source, path, max_bytes), _CHUNK)
        try:
            yield io.TextIOWrapper(guarded, encoding="utf-8-sig", newline="")
        except UnicodeDecodeError:
            raise not_utf8(path, max_bytes) from None


@dataclass(frozen=True)
class Text:
    """A text file that stands open: its first lines, by which its format is found out, and the stream of the others."""

    path: Path
    head: list[str]
    rest: IO[str]

    def lines(self) -> Iterator[str]:
        """All lines, the first ones again; they can be read once, for the file may be a pipe."""
        return chain(self.head, self.rest)


#: Lines and characters looked at before the format is decided.
_HEAD_LINES, _HEAD_SIZE = 60, 1 << 20


@contextmanager
def open_start(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[Text]:
    """A text whose first lines have been read; an empty file is an error."""
    with open_text(path, max_bytes=max_bytes) as stream:
        head: list[str] = []
        size = 0
        while len(head) < _HEAD_LINES and size < _HEAD_SIZE:
            line = stream.readline()
            if not line:
                break
            head.append(line)
            size += len(line)
        if not any(line.strip() for line in head):
            raise Where(path).error("the file is empty.")
        yield Text(path, head, stream)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file; why it cannot be opened is an error with its name."""
    try:
        raw = path.open("rb")
    except IsADirectoryError:
        raise Where(path).error("this is a folder; give the files in it.") from None
    except FileNotFoundError:
        raise Where(path).error("there is no such file.") from None
    except OSError as error:
        raise Where(path).error(f"it cannot be opened ({error.strerror or error}).") from None
    except ValueError:
        raise FileError(f"{str(path)!r} is not the name of a file.") from None
    with raw:
        yield raw


def decompressed(raw: IO[bytes], path: Path) -> Source:
    """The bytes that a file holds, whatever they are packed in."""
    kind = _compression(raw, path)
    if kind == "gzip":
        return gzip.GzipFile(fileobj=raw)
    if kind == "zstd":
        return _Zstd(raw, path)
    return raw


class _Zstd:
    """Frames of zstd one after the other; a frame that is cut short is an error, not the end."""

    def __init__(self, raw: IO[bytes], path: Path) -> None:
        self._raw, self._path = raw, path
        self._decompressor = zstandard(path).ZstdDecompressor()
        self._frame: Any = None
        self._rest = b""
        self._ready, self._given = b"", 0

    def read(self, size: int = -1, /) -> bytes:
        while self._given == len(self._ready):
            self._ready, self._given = b"", 0
            data = self._rest or self._raw.read(_ZSTD_STEP)
            self._rest = b""
            if not data:
                if self._frame is not None:
                    raise EOFError
                return b""
            if self._frame is None:
                self._frame = self._decompressor.decompressobj()
            self._ready = self._frame.decompress(data)
            if self._frame.eof:
                self._rest, self._frame = self._frame.unused_data, None
        chunk = self._ready[self._given : self._given + size]
        self._given += len(chunk)
        return chunk


def zstandard(path: Path) -> Any:
    """The package that packs and unpacks zstd, or the error that says how to install it."""
    try:
        import zstandard as package
    except ImportError:
        raise MissingPackageError.needed(f"{path}: zstd", "zstandard", FRAMES_EXTRA) from None
    return package


class Guarded(io.RawIOBase):
    """Bytes on their way to the decoder: counted, and stopped at the first that no text has."""

    def __init__(self, source: Source, path: Path, max_bytes: int) -> None:
        self._source, self._path, self._max_bytes = source, path, max_bytes
        self._line, self._length, self._size = 1, 0, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        chunk = self._read(len(buffer))
        self._size += len(chunk)
        if self._size > self._max_bytes:
            raise self._error(
                f"the file holds more than {self._max_bytes / 2**20:,.0f} MiB of text.",
                Option("max_bytes", effect="with a higher limit, if it should"),
            )
        nul = chunk.find(b"\0")
        if nul >= 0:
            self._line += chunk.count(b"\n", 0, nul)
            raise self._error("this is not text: it holds NUL bytes.")
        self._watch_line(chunk)
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def _read(self, size: int) -> bytes:
        try:
            return self._source.read(size)
        except EOFError:
            raise self._error("the compressed data end too early; the file was cut short. Copy it again.") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise self._error(f"the compressed data are damaged ({error}). Copy the file again.") from None
        except FileError:
            raise
        except OSError as error:
            raise self._error(f"it cannot be read ({error.strerror or error}).") from None
        except Exception as error:
            if type(error).__name__ == "ZstdError":
                raise self._error(f"the compressed data are damaged ({error}). Copy the file again.") from None
            raise

    def _watch_line(self, chunk: bytes) -> None:
        # Chunks are shorter than MAX_LINE: only a line that goes on over several of them can be too long.
        first = chunk.find(b"\n")
        self._length += len(chunk) if first < 0 else first
        if self._length > MAX_LINE:
            raise self._error(f"this line is longer than {MAX_LINE / 2**20:,.0f} MiB; is it a table at all?")
        if first >= 0:
            self._line += chunk.count(b"\n")
            self._length = len(chunk) - chunk.rfind(b"\n") - 1

    def _error(self, text: str, *ways_out: Option | Advice) -> FileError:
        return Where(self._path, self._line).error(text, *ways_out)


def not_utf8(path: Path, max_bytes: int) -> FileError:
    """Read once more, as bytes, to say on which line the text stops being UTF-8."""
    if not path.is_file():
        return Where(path).error("the text is not UTF-8. Save it as UTF-8.")
    with opened(path) as raw:
        guarded = io.BufferedReader(Guarded(decompressed(raw, path), path, max_bytes), _CHUNK)
        for line, data in enumerate(guarded, 1):
            try:
                data.decode("utf-8")
            except UnicodeDecodeError as error:
                byte = data[error.start]
                return Where(path, line).error(
                    f"byte 0x{byte:02x} is not UTF-8. Save the file as UTF-8, for example: iconv -f latin1 -t utf-8"
                )
    return Where(path).error("the text is not UTF-8. Save the file as UTF-8.")
