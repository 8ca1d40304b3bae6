"""What can go wrong, the ways out of it as data, and why a value can be undefined."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Self


@dataclass(frozen=True, init=False)
class Option:
    """A way out that is an argument: `Option("missing", "zero", "drop-topics", effect="to say what that means")`.

    Python words it as `missing="zero"`, the shell as `--missing zero`, and a page can make a button of it.

    Parameters
    ----------
    name : str
        The name of the argument in Python.
    *values : object
        The values that lead out, each by itself. None at all: any value that fits, which `effect` describes.
    effect : str, default ""
        What it does, as the end of the sentence: "to compare the 127 they share".
    python : str or None, default None
        The sentence for callers in Python where the call that raised has no such argument: what was read from a file
        can be read again in the shell, and in Python an object is there that has a method. None for the sentence with
        `name=`.

    Examples
    --------
    >>> from tauscope.errors import Option
    >>> way = Option("unmatched", "drop", effect="to compare the 127 they share")
    >>> print(way.in_python())
    Pass unmatched="drop" to compare the 127 they share.
    >>> print(way.in_shell("--unmatched"))
    Use --unmatched drop to compare the 127 they share.
    """

    name: str
    values: tuple[Any, ...]
    effect: str
    python: str | None

    def __init__(self, name: str, *values: Any, effect: str = "", python: str | None = None) -> None:
        for field, value in (("name", name), ("values", values), ("effect", effect), ("python", python)):
            object.__setattr__(self, field, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return _option, (self.name, self.values, self.effect, self.python)

    def in_python(self) -> str:
        """The sentence for a caller in Python.

        Returns
        -------
        str
            Such as 'Pass missing="drop" to compare the 127 they share.'
        """
        if self.python is not None:
            return self.python
        return self._sentence("Pass", f"{self.name}=", [_quoted(value) for value in self.values])

    def by_way_of(self, call: str) -> Option:
        """The same way out for callers whose function has no such argument, but another one has.

        Parameters
        ----------
        call : str
            That other function, such as "Scores.read()", whose result is to be given instead.

        Returns
        -------
        Option

        Examples
        --------
        >>> print(Option("format", "wide", effect="if each is a system").by_way_of("Scores.read()").in_python())
        Read it first with Scores.read(), and format="wide" if each is a system.
        """
        values = [_quoted(value) for value in self.values]
        sentence = self._sentence(f"Read it first with {call}, and", f"{self.name}=", values)
        return Option(self.name, *self.values, effect=self.effect, python=sentence)

    def in_shell(self, flag: str) -> str:
        """The sentence for a user of the shell.

        Parameters
        ----------
        flag : str
            What the command calls the option, such as "--missing".

        Returns
        -------
        str
            Such as 'Use --missing drop to compare the 127 they share.' Values that the shell would take apart are
            quoted; for a flag, whose value is True, the option stands alone.
        """
        if len(self.values) == 1 and self.values[0] is True:  # 1.0 is equal to it too
            return self._sentence("Use", flag, [])
        return self._sentence("Use", f"{flag} ", [shlex.quote(str(value)) for value in self.values])

    def _sentence(self, verb: str, start: str, values: list[str]) -> str:
        choice = " or ".join(filter(None, [", ".join(values[:-1]), *values[-1:]]))
        return f"{verb} {start}{choice}".rstrip() + (f" {self.effect}." if self.effect else ".")


@dataclass(frozen=True)
class Advice:
    """A way out that is no argument: a sentence for callers in Python, and one for users of the shell where it differs.

    Parameters
    ----------
    python : str
        The sentence that callers in Python read.
    shell : str or None, default None
        The sentence that users of the shell read; "" where there is nothing to say to them, None for the same one.

    Examples
    --------
    >>> Advice("Read it with measures.Table.read().", shell="").in_shell()
    ''
    """

    python: str
    shell: str | None = None

    def in_python(self) -> str:
        """The sentence for a caller in Python.

        Returns
        -------
        str
        """
        return self.python

    def in_shell(self) -> str:
        """The sentence for a user of the shell.

        Returns
        -------
        str
            Empty where there is nothing to say.
        """
        return self.python if self.shell is None else self.shell


class TauscopeError(ValueError):
    """Every error that Tauscope raises on purpose: what is wrong and where, and the ways out of it as data.

    `str()` words it for Python; the shell and the page word the ways out for themselves.

    Parameters
    ----------
    problem : str
        What is wrong, with the thing and the place.
    *ways_out : Option or Advice
        What to do about it.

    Attributes
    ----------
    problem : str
        The sentence alone.
    ways_out : tuple of Option and Advice
        The ways out.

    Examples
    --------
    >>> from tauscope.errors import Option
    >>> way = Option("names", "file", effect="to name them by their files")
    >>> error = TauscopeError("Two runs are called 'bm25'.", way)
    >>> print(error)
    Two runs are called 'bm25'. Pass names="file" to name them by their files.
    >>> error.problem, error.ways_out[0].values
    ("Two runs are called 'bm25'.", ('file',))
    """

    def __init__(self, problem: str, *ways_out: Option | Advice) -> None:
        super().__init__(problem, *ways_out)
        self.problem = problem
        self.ways_out = ways_out

    def __str__(self) -> str:
        return " ".join(filter(None, [self.problem, *(way.in_python() for way in self.ways_out)]))

    def at(self, place: str) -> Self:
        """The same error with its place, a file for instance, before the sentence.

        Parameters
        ----------
        place : str
            The name of the file, or of whatever holds the trouble.

        Returns
        -------
        TauscopeError
            Of the same class and with the same ways out; the error itself where its sentence names the place already.

        Examples
        --------
        >>> print(TauscopeError("there are no scores in it.").at("board.csv"))
        board.csv: there are no scores in it.
        """
        return self if _names(place, self.problem) else type(self)(f"{place}: {self.problem}", *self.ways_out)


def _names(place: str, problem: str) -> bool:
    """Whether a sentence names a place; a file called `a` is named where a sentence starts with it, not by any "a"."""
    start = "" if re.search(r"[./\\]", place) else "^"
    return re.search(rf"{start}(?<![\w./\\]){re.escape(place)}(?![\w/\\]|\.\w)", problem) is not None


def _option(name: str, values: tuple[Any, ...], effect: str, python: str | None) -> Option:
    return Option(name, *values, effect=effect, python=python)


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) and '"' not in value and value.isprintable() else repr(value)


class CallError(TauscopeError, TypeError):
    """The call itself is wrong: an argument is missing, unknown, or in the wrong place."""


class AlignmentError(TauscopeError):
    """Two rankings are not about the same items."""


class TiesError(TauscopeError):
    """A coefficient that is not defined with ties met some."""


class FileError(TauscopeError):
    """A file cannot be read; the text starts with its name and, where there is one, the line."""


class MissingPackageError(TauscopeError, ImportError):
    """An optional package is not installed; the last sentence is the command that installs it."""

    @classmethod
    def needed(cls, what: str, package: str, install: str) -> MissingPackageError:
        """The error for something that needs a package which is not there.

        Parameters
        ----------
        what : str
            What needs it, as the start of the sentence: "board.parquet: Parquet".
        package : str
            The package.
        install : str
            What pip is to install, such as "tauscope[frames]".

        Returns
        -------
        MissingPackageError

        Examples
        --------
        >>> print(MissingPackageError.needed("to_xarray()", "xarray", "xarray"))
        to_xarray() needs the package xarray, which is not installed. Run: pip install xarray
        """
        return cls(
            f"{what} needs the package {package}, which is not installed.",
            Advice(f"Run: pip install {shlex.quote(install)}"),
        )


class Undefined(IntEnum):
    """Why has a coefficient no value? The numbers are those of `Reason` in cpp/bindings.cpp.

    A batch has one of them for every row, and a record those that its coefficient can give.

    Examples
    --------
    >>> Undefined(8).text(truth="the human ranking", n=12)
    'all 12 items are tied in the human ranking'
    """

    DEFINED = 0
    NOT_FINITE = 1
    TOO_FEW = 2
    NEGATIVE_SHARE = 3
    TIED_ESTIMATE = 4
    TIED_TRUTH = 5
    TIED_BOTH = 6
    ALL_TIED_ESTIMATE = 7
    ALL_TIED_TRUTH = 8
    ALL_TIED_BOTH = 9
    CONSTANT_ESTIMATE = 10
    CONSTANT_TRUTH = 11
    CONSTANT_BOTH = 12
    NOTHING_COUNTS = 13
    NEGATIVE_TRUTH = 14
    LOWER_IS_BETTER = 15

    def text(self, *, estimate: str = "`estimate`", truth: str = "`truth`", n: int | None = None) -> str:
        """What is the reason in words?

        What NOTHING_COUNTS means depends on the coefficient: `Coefficient.why_undefined()` has its words.

        Parameters
        ----------
        estimate, truth : str
            What the two rankings are called.
        n : int or None
            How many items they have; None where that is not to be said.

        Returns
        -------
        str
            The end of a sentence; nothing for `DEFINED`.
        """
        items = "all items" if n is None else f"all {n} items"
        one = {
            Undefined.NOT_FINITE: "a score is not a finite number",
            Undefined.TOO_FEW: f"a ranking needs at least two items{'' if n is None else f', this one has {n}'}",
            Undefined.NEGATIVE_SHARE: "a tolerance that is a share of the score needs scores of one sign",
            Undefined.TIED_ESTIMATE: f"there are ties in {estimate}",
            Undefined.TIED_TRUTH: f"there are ties in {truth}",
            Undefined.TIED_BOTH: f"there are ties in {estimate} and in {truth}",
            Undefined.ALL_TIED_ESTIMATE: f"{items} are tied in {estimate}",
            Undefined.ALL_TIED_TRUTH: f"{items} are tied in {truth}",
            Undefined.ALL_TIED_BOTH: f"{items} are tied in {estimate} and in {truth}",
            Undefined.CONSTANT_ESTIMATE: f"{items} have the same score in {estimate}",
            Undefined.CONSTANT_TRUTH: f"{items} have the same score in {truth}",
            Undefined.CONSTANT_BOTH: f"{items} have the same score in {estimate} and in {truth}",
            Undefined.NOTHING_COUNTS: "nothing is left that counts",
            Undefined.NEGATIVE_TRUTH: f"its weights are the scores of {truth}, and one of them is negative",
            Undefined.LOWER_IS_BETTER: f"its weights are the scores of {truth}, and there a lower score is better",
        }
        return one.get(self, "")
