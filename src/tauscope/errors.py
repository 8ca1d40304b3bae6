"""What can go wrong, and why a value can be undefined."""

from __future__ import annotations

from enum import IntEnum


class TauscopeError(ValueError):
    """Every error that Tauscope raises on purpose; its text names the thing, the place and the way out."""


class CallError(TauscopeError, TypeError):
    """The call itself is wrong: an argument is missing, unknown, or in the wrong place."""


class AlignmentError(TauscopeError):
    """Two rankings are not about the same items."""


class TiesError(TauscopeError):
    """A coefficient that is not defined with ties met some."""


class FileError(TauscopeError):
    """A file cannot be read; the text starts with its name and, where there is one, the line."""


class MissingPackageError(TauscopeError, ImportError):
    """An optional package is not installed; the text has the command that installs it."""


class Undefined(IntEnum):
    """Why a coefficient has no value. The numbers are those of `Reason` in cpp/bindings.cpp."""

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
    NO_PIVOT = 13
    NEGATIVE_TRUTH = 14
    LOWER_IS_BETTER = 15

    def text(self, *, estimate: str = "`estimate`", truth: str = "`truth`", n: int | None = None) -> str:
        """The reason in words, with the names that the caller used for the two rankings."""
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
            Undefined.NO_PIVOT: "no item has both something above it and a difference to it that counts",
            Undefined.NEGATIVE_TRUTH: f"its weights are the scores of {truth}, and one of them is negative",
            Undefined.LOWER_IS_BETTER: f"its weights are the scores of {truth}, and there a lower score is better",
        }
        return one.get(self, "")
