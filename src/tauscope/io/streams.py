"""Opening and writing files safely: compression, encoding and size are checked while bytes pass, errors name the line,
and what is written appears whole or not at all."""

from __future__ import annotations

import codecs
import gzip
import io
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from ..core.checking import MAX_BYTES as MAX_BYTES
from ..errors import Advice, FileError, MissingPackageError, Option

MAX_LINE = 64 << 20
MAX_COLUMNS = 1_000_000
MAX_CELLS = 250_000_000
MAX_ROWS = 25_000_000

#: What pip installs for packed files and Parquet.
FRAMES_EXTRA = "tauscope[frames]"

#: Compressed bytes handed to zstd at a time: a block of 4 bytes can hold 128 KiB of text.
_ZSTD_STEP = 2048
_CHUNK = 1 << 20

_ZIP = b"PK\x03\x04"
_KNOWN = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"PAR1": "parquet",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_OTHERS = {
    b"BZh": ("bzip2 data", Advice("Unpack it, or compress it with gzip or zstd.")),
    b"\xfd7zXZ": ("xz data", Advice("Unpack it, or compress it with gzip or zstd.")),
    b"\xd0\xcf\x11\xe0": ("an old Excel file", Advice("Save it as .xlsx or CSV.")),
    b"ARROW1": ("an Arrow file", Advice("Save it as Parquet.")),
    b"%PDF": ("a PDF document", Advice("Save its tables as CSV.")),
}

#: How pictures and documents begin, which can do without NUL bytes.
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF")
#: What can hold scores and is refused with advice.
_PACKED = tuple(magic for magic in _OTHERS if magic not in _PICTURES)


class Where(NamedTuple):
    """A place in a file, as it stands at the start of an error.

    Attributes
    ----------
    path : Path
        The file.
    line : int or None
        The line, counted from 1.

    Examples
    --------
    >>> str(Where(Path("a.csv"), 3)), str(Where(Path("a.csv")))
    ('a.csv:3', 'a.csv')
    """

    path: Path
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.path}" if self.line is None else f"{self.path}:{self.line}"

    def error(self, text: str, *ways_out: Option | Advice) -> FileError:
        """Return the error that starts with this place."""
        return FileError(f"{self}: {text}", *ways_out)


def part_of(path: Path) -> tuple[Path, str]:
    """Divide a path into a file or folder and the part of it that is asked for.

    Parameters
    ----------
    path : Path
        Such as `book.xlsx#Sheet2`.

    Returns
    -------
    tuple of Path and str
        The path itself and "" if there is no `#`, or a file has that whole name.
    """
    name, mark, part = path.name.rpartition("#")
    try:
        if mark and name and not path.exists() and (file := path.with_name(name)).exists():
            return file, part
    except (OSError, ValueError):
        pass
    return path, ""


class Source(Protocol):
    """What gives bytes."""

    def read(self, size: int = -1, /) -> bytes: ...


def compression(path: Path) -> str:
    """Find out how a file is packed, by its first bytes and not by its name.

    Parameters
    ----------
    path : Path
        The file; a pipe is not looked at.

    Returns
    -------
    str
        "gzip", "zstd", "lz4", "parquet", "utf-16", "sheet", "inspect" or "none".

    Raises
    ------
    FileError
        If the file cannot be opened, or is of a kind that is refused with advice, such as an old Excel file.
    """
    file = part_of(path)[0]
    if file.exists() and not file.is_file() and not file.is_dir():
        return "none"
    with opened(file) as raw:
        return _compression(raw, file)


def _compression(raw: IO[bytes], path: Path) -> str:
    start = raw.peek(8)[:8] if isinstance(raw, io.BufferedReader) else b""
    for magic, (what, advice) in _OTHERS.items():
        if start.startswith(magic):
            raise Where(path).error(f"this is {what}.", advice)
    if start.startswith(_ZIP):
        if not path.is_file():
            raise Where(path).error("a spreadsheet or an archive cannot be read from a pipe: give the file.")
        from .archives import kind_of_zip

        return kind_of_zip(path)
    return next((name for magic, name in _KNOWN.items() if start.startswith(magic)), "none")


@contextmanager
def open_text(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[IO[str]]:
    """Open a text, decompressed; line ends stay as they are, so that names with newlines survive.

    Parameters
    ----------
    path : Path
        The file.
    max_bytes : int
        A file that unpacks to more is refused.

    Yields
    ------
    stream
        The text.

    Raises
    ------
    FileError
        For what is not text, is cut short, is too large or has a line that is too long.
    """
    with open_told(path, max_bytes=max_bytes) as (stream, _):
        yield stream


@contextmanager
def open_told(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[tuple[IO[str], str]]:
    """Open a text, and say how it was read: "" for UTF-8 as it stands, else the encoding or the sheet."""
    kind = compression(path)
    if kind == "sheet":
        from .archives import sheet_text

        text, told = sheet_text(path, max_bytes)
        yield io.StringIO(text, newline=""), told
        return
    if kind == "inspect":
        from .archives import log_text

        yield io.StringIO(log_text(path, max_bytes), newline=""), "Inspect archive"
        return
    encoding = _encoding(path, max_bytes) if kind != "utf-16" else "utf-8-sig"
    with opened(path) as raw:
        source = decompressed(raw, path)
        guarded = io.BufferedReader(Guarded(source, path, max_bytes), _CHUNK)
        told = {"utf-16": "UTF-16 text"}.get(kind, "" if encoding == "utf-8-sig" else f"{encoding} text, not UTF-8")
        try:
            yield io.TextIOWrapper(guarded, encoding=encoding, newline=""), told
        except UnicodeDecodeError:
            raise not_utf8(path, max_bytes) from None


def _encoding(path: Path, max_bytes: int) -> str:
    """UTF-8; or cp1252 where a text has bytes that are no UTF-8, and none that are, as Excel writes it in the West.

    A text that has both is damaged, and a pipe is read once only: UTF-8 then, and the error says where it is not.
    """
    if not path.is_file():
        return _UTF8
    decoder = codecs.getincrementaldecoder("utf-8")()
    with opened(path) as raw:
        guarded = Guarded(decompressed(raw, path), path, max_bytes)
        buffer = bytearray(_CHUNK)
        wide = False
        while size := _filled(guarded, buffer):
            chunk = bytes(buffer[:size])
            if chunk.isascii() and not decoder.getstate()[0]:
                continue
            chunk = decoder.getstate()[0] + chunk
            decoder.reset()
            try:
                wide = not decoder.decode(chunk.removeprefix(codecs.BOM_UTF8)).isascii() or wide
            except UnicodeDecodeError as error:
                return _UTF8 if wide or not chunk[: error.start].isascii() else _western(guarded, buffer, chunk)
        return _UTF8 if wide or not decoder.getstate()[0] else _western(guarded, buffer, decoder.getstate()[0])


_UTF8 = "utf-8-sig"
#: Bytes that a text in cp1252 does not have: control characters, and those that stand for nothing.
_NO_TEXT = bytes({*range(32), 0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D} - set(b"\t\n\r"))


def _western(guarded: Guarded, buffer: bytearray, chunk: bytes) -> str:
    """cp1252, or UTF-8 (and its error) where the rest is no text of cp1252 or has characters of UTF-8."""
    while True:
        if chunk.translate(None, _NO_TEXT) != chunk or _wide_character(chunk):
            return _UTF8
        size = _filled(guarded, buffer)
        if not size:
            return "cp1252"
        chunk = bytes(buffer[:size])


def _wide_character(chunk: bytes) -> bool:
    """Whether some bytes are a character of UTF-8 beyond ASCII: what damaged UTF-8 still has, and cp1252 hardly
    ever."""
    return not chunk.decode("utf-8", "ignore").isascii()


def _filled(guarded: Guarded, buffer: bytearray) -> int:
    """As much as the buffer holds, or as there is left; 0 at the end, or where reading would fail anyway."""
    try:
        return guarded.readinto(buffer)
    except FileError:
        return 0


@dataclass(frozen=True)
class Text:
    """A text file that stands open.

    Attributes
    ----------
    path : Path
        The file.
    head : list of str
        The first lines, by which its format is found.
    rest : stream
        The other lines.
    told : str
        How it was read, if that is not as UTF-8 text.
    """

    path: Path
    head: list[str]
    rest: IO[str]
    #: How it was read, where that is not as UTF-8 text.
    told: str = ""

    def lines(self) -> Iterator[str]:
        """Go through all lines, the first ones included. They can be read once, because the file may be a pipe."""
        return chain(self.head, self.rest)


#: Lines and characters looked at before the format is decided.
_HEAD_LINES, _HEAD_SIZE = 60, 1 << 20


@contextmanager
def open_start(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[Text]:
    """Open a text, and read its first lines.

    Parameters
    ----------
    path : Path
        The file.
    max_bytes : int
        A file that unpacks to more is refused.

    Yields
    ------
    Text

    Raises
    ------
    FileError
        If the file is empty, or cannot be read as text.
    """
    with open_told(path, max_bytes=max_bytes) as (stream, told):
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
        yield Text(path, head, stream, told)


def is_text(path: Path) -> bool:
    """Whether a file can hold scores: it is not a picture, a PDF document or other binary data.

    The first bytes decide, not the name. What is packed, empty or damaged can hold them: its reader says what is wrong.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    bool
    """
    with opened(path) as raw:
        start = raw.read(_CHUNK)
    if start.startswith(_PICTURES):
        return False
    return start.startswith((_ZIP, *_KNOWN, *_PACKED)) or b"\0" not in start


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open the bytes of a file.

    Parameters
    ----------
    path : Path
        The file.

    Yields
    ------
    stream

    Raises
    ------
    FileError
        If it cannot be opened; the error says why.
    """
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
    """Return the bytes that a file holds, whatever they are packed in.

    Parameters
    ----------
    raw : stream
        The bytes as they are.
    path : Path
        The file, for errors.

    Returns
    -------
    Source

    Raises
    ------
    MissingPackageError
        If unpacking needs a package that is not installed.
    """
    kind = _compression(raw, path)
    if kind == "gzip":
        return gzip.GzipFile(fileobj=raw)
    if kind == "zstd":
        return _Zstd(raw, path)
    if kind == "lz4":
        return _lz4(raw, path)
    return _Utf16(raw) if kind == "utf-16" else raw


class _Utf16:
    """UTF-16 on its way to UTF-8."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._decoder = codecs.getincrementaldecoder("utf-16")()

    def read(self, size: int = -1, /) -> bytes:
        # A character takes two bytes or four here, and at most three or four in UTF-8: half of what fits is asked for.
        while data := self._raw.read(max(2, size // 2)):
            if text := self._decoder.decode(data):
                return text.encode("utf-8", "surrogatepass")
        self._decoder.decode(b"", final=True)
        return b""


def _lz4(raw: IO[bytes], path: Path) -> Source:
    try:
        import pyarrow
    except ImportError:
        raise MissingPackageError.needed(f"{path}: lz4", "pyarrow", FRAMES_EXTRA) from None
    found: Source = pyarrow.CompressedInputStream(raw, "lz4")
    return found


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
    """Import the package that packs and unpacks zstd, or raise the error that says how to install it."""
    try:
        import zstandard as package
    except ImportError:
        raise MissingPackageError.needed(f"{path}: zstd", "zstandard", FRAMES_EXTRA) from None
    return package


class Guarded(io.RawIOBase):
    """Bytes on their way to the decoder: counted, and stopped at the first that no text has.

    Parameters
    ----------
    source : Source
        Where they come from.
    path : Path
        The file, for errors, which name the line.
    max_bytes : int
        How many there may be.
    """

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
        except UnicodeDecodeError:
            raise self._error("the UTF-16 text is damaged. Save it as UTF-8.") from None
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
    """Return the error on text that is not UTF-8.

    The file is read once more, as bytes, to find the line.

    Parameters
    ----------
    path : Path
        The file.
    max_bytes : int
        A file that unpacks to more is refused.

    Returns
    -------
    FileError
    """
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


@contextmanager
def packing(raw: IO[bytes], packed: str, path: Path) -> Iterator[IO[bytes]]:
    """Pack what is written into a stream.

    Parameters
    ----------
    raw : stream
        Where the packed bytes go.
    packed : str
        ".gz" or ".zst"; anything else is written as it is.
    path : Path
        The file, for errors.

    Yields
    ------
    stream
        The same data give the same bytes.
    """
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
    """Write a file that takes its name only when it is complete, so that what stood there before is never half
    overwritten.

    Parameters
    ----------
    path : Path
        The file.

    Yields
    ------
    stream
        The bytes, in a file beside it.

    Raises
    ------
    FileError
        If it cannot be written.
    """
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


#: Unpacked at a time: damage is found within so many bytes of its line.
_UNPACKED = 1 << 16
_BOM = b"\xef\xbb\xbf"


def read_whole(path: Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Read all of a text file, unpacked, in UTF-8 without NUL bytes.

    Parameters
    ----------
    path : Path
        The file.
    max_bytes : int
        What packed files may unpack to.

    Returns
    -------
    bytes

    Raises
    ------
    FileError
        If it is no text, or empty; the error names the line.
    """
    kind = compression(path)
    if kind == "parquet":
        raise Where(path).error("this is a Parquet file; lines of text are needed here.")
    if kind in ("sheet", "inspect"):
        raise Where(path).error("this is a zip archive or a spreadsheet; lines of text are needed here.")
    with opened(path) as raw:
        if kind == "none":
            data = raw.read()
        else:
            source, buffer, pieces = Guarded(decompressed(raw, path), path, max_bytes), bytearray(_UNPACKED), []
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
    r"""Return the line of a byte, counted from 1.

    Examples
    --------
    >>> line_number(b"a\nb\r\nc", 5)
    3
    """
    return data.count(b"\n", 0, at) + data.count(b"\r", 0, at) - data.count(b"\r\n", 0, at) + 1
