"""Numbers as cells have them: decimal commas, percent signs, digits grouped, and marks for a missing value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..results import Note

#: Cells that mean "no score", in lower case.
MISSING = frozenset({"", "na", "n/a", "#n/a", "n.a.", "nan", "null", "none", "-", "–", "—"})


def number(text: str) -> float:
    """Return the number that a cell holds, NaN if it is missing.

    Raises
    ------
    ValueError
        For any other text; also for 1_000, which only Python reads as a number.

    Examples
    --------
    >>> number("0.25"), number(" n/a ")
    (0.25, nan)
    """
    if "_" in text:  # Python reads 1_000 as a number, nobody else does
        raise ValueError(text)
    try:
        return float(text)
    except ValueError:
        if text.strip().lower() in MISSING:
            return float("nan")
        raise


def is_number(text: str) -> bool:
    """Whether a cell can be a score: a number, or missing.

    Examples
    --------
    >>> is_number("-"), is_number("1e-3"), is_number("high")
    (True, True, False)
    """
    try:
        number(text)
    except ValueError:
        return False
    return True


def is_float(cell: object) -> bool:
    """Whether Python reads a cell as a number; a missing one is none."""
    try:
        float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


def like_ids(column: Sequence[str]) -> bool:
    """Whether cells look like ids: different whole numbers, and not just 0 and 1.

    Examples
    --------
    >>> like_ids(["401", "402"]), like_ids(["0", "1"]), like_ids(["3", "3"])
    (True, False, False)
    """
    if not all(text.strip().isdigit() for text in column):
        return False
    return len(set(column)) == len(column) and not {text.strip() for text in column} <= {"0", "1"}


#: Spaces and quotes between thousands, and the minus sign of typesetters.
_MARKS = " \u00a0\u2009\u202f'’"
_MINUS = str.maketrans({"\u2212": "-"})
_PLAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
#: 0,5 or ,5 or 12,34: a comma that no thousands have. 0,123 too: no thousands begin with 0.
_COMMA = re.compile(r"[+-]?(?:[0-9]*,(?:[0-9]{1,2}|[0-9]{4,})|0,[0-9]{3})(?:[eE][+-]?[0-9]+)?")
#: 1,234: thousands or a decimal comma.
_EITHER = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
#: 1,234,567 or 1,234.5: a comma between thousands.
_COMMA_GROUPS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+\.[0-9]*|(?:,[0-9]{3}){2,})")
#: 1.234.567 or 1.234,5: a point between thousands.
_POINT_GROUPS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]*|(?:\.[0-9]{3}){2,})")
#: 1.234: a number, but thousands where commas are decimal.
_POINT_EITHER = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")
_SPACED = re.compile(rf"([+-]?[1-9][0-9]{{0,2}})((?:[{_MARKS}][0-9]{{3}})+)((?:[.,][0-9]*)?)")


class Shape(NamedTuple):
    """What one cell says of how numbers are written.

    Attributes
    ----------
    text : str
        The digits without marks between thousands and without a percent sign.
    percent : bool
        Whether there is a percent sign.
    decimal : str
        The decimal mark, "." or ",", if the cell shows it; "" if it does not matter, "?" if either could be meant.
    """

    text: str
    percent: bool
    decimal: str


def shape(cell: str) -> Shape | None:
    """Return the shape of a cell that can be a number; None for any other, also for a missing one.

    Examples
    --------
    >>> shape("1.234,5"), shape("12,3 %").percent, shape("1,234").decimal
    (Shape(text='1234,5', percent=False, decimal=','), True, '?')
    """
    text = cell.strip().translate(_MINUS)
    percent = text.endswith("%")
    text = text.removesuffix("%").rstrip() if percent else text
    if spaced := _SPACED.fullmatch(text):
        digits = re.sub(f"[{_MARKS}]", "", spaced[2])
        fraction = spaced[3]
        text = f"{spaced[1]}{digits}{fraction}"
        return Shape(text, percent, fraction[:1])
    if _COMMA_GROUPS.fullmatch(text):
        return Shape(text.replace(",", ""), percent, ".")
    if _POINT_GROUPS.fullmatch(text):
        return Shape(text.replace(".", ""), percent, ",")
    if _COMMA.fullmatch(text):
        return Shape(text, percent, ",")
    if _EITHER.fullmatch(text) or _POINT_EITHER.fullmatch(text):
        return Shape(text, percent, "?")
    if _PLAIN.fullmatch(text):
        return Shape(text, percent, "." if "." in text else "")
    return None


def like_number(cell: str) -> bool:
    """Whether a cell can be a score as spreadsheets write them: a number in any style, or missing.

    Examples
    --------
    >>> like_number("1 234,5"), like_number("12.3%"), like_number("q12")
    (True, True, False)
    """
    try:
        number(cell)
    except ValueError:
        return shape(cell) is not None
    return True


def numeric_columns(rows: Sequence[Sequence[str]], width: int) -> list[bool]:
    """Return for each column whether all cells of whole rows are numbers or missing.

    Parameters
    ----------
    rows : sequence of sequence of str
        The first rows.
    width : int
        The number of columns; rows of another length are passed over.

    Returns
    -------
    list of bool
    """
    whole = [row for row in rows if len(row) == width]
    if not whole:
        return [True] * width
    return [all(map(like_number, column)) for column in zip(*whole, strict=True)]


def _as_it_stands(column: Sequence[str]) -> bool:
    """Whether every cell is a number for Python."""
    try:
        return len(list(map(float, column))) > 0
    except ValueError:
        return False


class Numerals:
    """The style in which a table writes numbers, decided on its first rows.

    A comma is a decimal mark only if some cell shows that it is one (0,5), and a percent sign makes hundredths only if
    the whole column has it. A cell that could mean two numbers is an error of `value()`: nothing is guessed.

    Parameters
    ----------
    columns : sequence of sequence of str
        The first cells of each column; empty for a column of names.

    Attributes
    ----------
    percent : frozenset of int
        The columns with percent signs.
    decimal : str
        "," or ".", or "" if no cell tells.
    plain : bool
        Whether every cell is a number as it stands, so that the style needs no thought.

    Examples
    --------
    >>> style = Numerals([["0,5", "1,25"]])
    >>> style.value("3,75", 0)
    3.75
    """

    def __init__(self, columns: Sequence[Sequence[str]]) -> None:
        self.percent: frozenset[int] = frozenset()
        self.decimal = ""
        shown: set[str] = set()
        for at, column in enumerate(columns):
            if _as_it_stands(column):
                shown |= {"."} if any("." in cell for cell in column) else set()
                continue
            for one in filter(None, map(shape, column)):
                # Where 1.234 stands alone it is what it is everywhere; beside 0,5 it could be 1234.
                shown.add("." if one.decimal == "?" and "." in one.text else one.decimal)
                self.percent |= {at} if one.percent else frozenset()
        self.decimal = "," if "," in shown else "." if "." in shown else ""
        #: Whether every cell is a number as it stands, so that no style needs to be thought of.
        self.plain = not self.percent and self.decimal != ","

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[str]], width: int) -> Numerals:
        """Find the style of the columns in which all cells can be numbers, from the first rows."""
        whole = [row for row in rows if len(row) == width]
        if not any("," in text or "%" in text for text in map("".join, whole)):
            # The first column may hold names, and a topic called 1.1 tells nothing of decimals.
            points = any("." in "".join(row[1:]) for row in whole)
            return cls([["0.5"]] if points else [])
        columns = list(zip(*whole, strict=True))
        return cls([column if _as_it_stands(column) or all(map(like_number, column)) else () for column in columns])

    def value(self, cell: str, column: int) -> float:
        """Return the number in a cell, NaN if it is missing.

        Parameters
        ----------
        cell : str
            The text.
        column : int
            Its column, which may have percent signs.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            For any other text. The message is the reason why it is no number here, or "" where there is nothing to
            explain.
        """
        if cell.strip().lower() in MISSING:
            return float("nan")
        found = shape(cell)
        if found is None:
            try:
                return number(cell)
            except ValueError:
                raise ValueError("") from None
        if found.percent != (column in self.percent):
            raise ValueError(
                "has a percent sign, and cells above have none"
                if found.percent
                else "has no percent sign, and other cells of the column have one"
            )
        text = found.text
        if "," in text or "." in text:
            text = self._settled(found)
        return float(f"{text}e-2" if found.percent and "e" not in text.lower() else text)

    def _settled(self, found: Shape) -> str:
        """The text with a decimal point."""
        comma = "," in found.text
        if found.decimal == "?" and comma and not self.decimal:
            raise ValueError("could be a thousand or a decimal comma, and no other number tells which")
        if found.decimal == "?" and comma and self.decimal == ".":
            return found.text.replace(",", "")
        if found.decimal == "?" and not comma and self.decimal == ",":
            raise ValueError("could be a thousand, for other numbers have decimal commas, or have a decimal point")
        if comma and self.decimal != ",":
            raise ValueError("has a decimal comma, and the numbers above have none")
        if not comma and found.decimal == "." and self.decimal == ",":
            raise ValueError("has a decimal point, and other numbers have decimal commas")
        return found.text.replace(",", ".")

    def told(self) -> list[Note | str]:
        """Return what is to be said of the style: decimal commas and percent signs."""
        commas: list[Note | str] = ["decimal commas"] if self.decimal == "," else []
        return commas + ([Note("percent_signs")] if self.percent else [])
