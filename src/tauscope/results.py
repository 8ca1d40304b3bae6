"""Results print as answers, and become a dict, a frame, a chart, a LaTeX table, and a list of references.

`tauscope.results.Ranks` is the class of what `rank()` returns; every result has its class here.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum
from functools import cached_property
from types import MappingProxyType, ModuleType
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from . import papers
from .core import checking
from .errors import Advice, CallError, MissingPackageError, Option

T = TypeVar("T")

#: The class of every result, by its module: `tauscope.results.Ranks` imports it when it is first used.
CLASSES = {
    name: f"tauscope.{module}"
    for module, names in {
        "boards.bradley_terry": "BradleyTerry",
        "boards.fragility": "Fragility",
        "boards.gate": "Gate",
        "boards.ranks": "BestSet Neighbours OneRank Ranks",
        "boards.rules": "RuleComparison",
        "boards.variance_components": "VarianceComponents",
        "boards.verdicts": "VerdictComparison",
        "boards.versions": "Versions",
        "data.findings": "Findings",
        "coefficients.choose": "Choice Identification",
        "coefficients.correlate": "Batch CorrelationMatrix Correlations",
        "coefficients.correlation": "Correlation",
        "coefficients.discounted": "DiscountedCorrelation",
        "coefficients.overlap": "Overlap",
        "coefficients.correlation_views": "SystemProfile ThresholdCurve TieCalibration TopicCorrelations",
        "evaluation.evaluate": "Means",
        "evaluation.qrels": "QrelsComparison",
        "evaluation.runs": "Judged",
        "inference.expected_correlation": "ExpectedCorrelation",
        "inference.expected_views": "CorrelationCurve Pairs Sensitivity SwapProbabilities TopicsNeeded",
        "experiments.judgments": "IncompleteJudgments",
        "experiments.perturbation": "Perturbation SwapExperiment",
        "experiments.power": "PredictivePower",
        "experiments.study": "Study",
        "inference.significance": "Significance",
        "judges.audit": "Audit",
        "judges.compare": "Comparison",
        "judges.comparisons": "Comparisons",
        "judges.hybrid": "Hybrid HybridDifference HybridStart",
        "judges.hybrid_documents": "DocumentPlan DocumentSample HybridDocuments",
        "judges.accuracy": "SoftAccuracy",
        "judges.hybrid_plan": "HybridPlan TopicSample",
        "measures.correlation": "MeasureCorrelations",
        "measures.depths": "LowToHigh",
        "measures.prediction": "MeasurePrediction MeasurePredictions PredictedMeasure",
        "measures.ranking": "MeasureRanking",
        "measures.topic_subsets": "TopicSelection",
        "coefficients.pairs": "PairTable PairWeights Walk",
        "replications.reproduce": "Replication",
    }.items()
    for name in names.split()
}

#: Frames that to_frame() makes, in the order in which they are looked for.
FRAMES = ("pandas", "polars", "pyarrow")


def __getattr__(name: str) -> Any:
    if name not in CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(CLASSES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *CLASSES})


class Data:
    """Base of data nouns: a table that prints in a line or two, and becomes a frame. A subclass gives `columns()`,
    `__str__()` and `notes`."""

    def columns(self) -> Mapping[str, Any]:
        """Return the table, column by column."""
        raise TypeError(f"{type(self).__name__} must define columns()")

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the table as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None, default None
            The library; None for the first of them that is installed.

        Returns
        -------
        DataFrame or Table
        """
        return frame(self.columns(), backend)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return listed(str(self).splitlines(), self.columns())


class Part:
    """Part of a result that becomes plain values with it. A subclass gives `to_dict()`."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, ready for JSON."""
        raise TypeError(f"{type(self).__name__} must define to_dict()")


class Note(Part):
    """Something that a reader must know besides the numbers: a code with its numbers, worded in `answers/texts`.

    The words are made when they are needed, so that reading a file loads no templates. A note equals its text.

    Parameters
    ----------
    code : str
        The block of `texts/notes.txt`.
    **numbers
        What the block needs: numbers, names, other notes.

    Examples
    --------
    >>> note = Note("undefined_draws", draws=2)
    >>> note == "2 draws without a value were left out", "value" in note
    (True, True)
    """

    def __init__(self, code: str, **numbers: Any) -> None:
        self.code, self.numbers = code, numbers

    def __str__(self) -> str:
        # What a file has keeps its text: nobody knows whether its numbers fit the template.
        return str(self.numbers["text"]) if "text" in self.numbers else worded("wording.note", self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Note) and (self.code, self.numbers) == (other.code, other.numbers):
            return True
        return isinstance(other, (Note, str)) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __contains__(self, text: str) -> bool:
        return text in str(self)

    def startswith(self, text: str) -> bool:
        """Return whether the words begin with a text."""
        return str(self).startswith(text)

    def __repr__(self) -> str:
        return repr(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the code, the numbers and the words."""
        return {"code": self.code, **plain(self.numbers), "text": str(self)}

    @classmethod
    def written(cls, given: Any) -> Note | str | None:
        """Return the note that a file has: what `to_dict()` made, or a text; None for anything else."""
        if not isinstance(given, dict) or not all(isinstance(given.get(name), str) for name in ("code", "text")):
            return given if isinstance(given, str) else None
        note = cls(given["code"])
        note.numbers = {name: value for name, value in given.items() if name != "code"}
        return note


#: Notes as data and results have them: codes, or texts that a caller or a reader wrote.
Notes = tuple[Note | str, ...]


class fact(cached_property[T]):
    """A property that is computed once from the fields of a `Result` and appears in `to_dict()`."""


class column(fact[T]):
    """A fact with one value per row: it appears in `to_dict()` and as a column of `to_frame()`."""


def per_row(default: Any = MISSING) -> Any:
    """Declare a dataclass field with one value per row."""
    return field(default=default, metadata={"per_row": True})


def large(default: Any = MISSING) -> Any:
    """Declare a dataclass field that `to_dict()` leaves out, such as a matrix of all pairs of systems."""
    return field(default=default, metadata={"large": True})


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Result:
    """A frozen dataclass of facts; its words and looks come from the module of `answers` that `QUESTION` names.

    A fact is a dataclass field, or a `fact` property. A fact with one value per row is declared by `per_row()` or
    `column`. `to_dict()`, `to_frame()`, `print()`, `methods_sentence()`, `to_latex()` and `plot()` need no code in a
    subclass.

    Attributes
    ----------
    level : float
        Confidence level of the statements; it has no meaning for results without intervals or tests.
    """

    #: The module of `answers` that puts these facts into words.
    QUESTION: ClassVar[str] = ""
    #: The module of `answers` with the function `answer`, where it is not that of the question.
    ANSWERED_BY: ClassVar[str] = ""
    #: Keys of the papers whose methods were used.
    PAPERS: ClassVar[tuple[str, ...]] = ()
    #: Names of the views: methods and properties that return a result of their own, and tables of the answer.
    VIEWS: ClassVar[tuple[str, ...]] = ()
    level: float = 0.95

    @classmethod
    def facts(cls) -> dict[str, bool]:
        """Return the name of every fact, and whether it has one value per row."""
        shown = (f for f in fields(cls) if not f.name.startswith("_") and not f.metadata.get("large"))
        names = {f.name: bool(f.metadata.get("per_row")) for f in shown}
        for base in reversed(cls.__mro__):
            names |= {name: isinstance(own, column) for name, own in vars(base).items() if isinstance(own, fact)}
        return names

    def cited(self) -> tuple[str, ...]:
        """Return the keys of the papers whose methods were used, such as "yilmaz2008"."""
        return self.PAPERS

    def cite(self, style: str = "text") -> str:
        """Return references to the papers whose methods were used.

        Parameters
        ----------
        style : {"text", "bibtex"}, default "text"
            Lines for a list of references, or BibTeX entries.

        Returns
        -------
        str
        """
        return papers.cite(self.cited(), style)

    def columns(self) -> Mapping[str, Any]:
        """Return the table behind the result: name of the column -> one value per row."""
        return {name: getattr(self, name) for name, rows in self.facts().items() if rows}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the table behind the result as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None, default None
            The library; None for the first of them that is installed.

        Returns
        -------
        DataFrame or Table
            Undefined numbers are NaN.

        Raises
        ------
        MissingPackageError
            If none of the libraries is installed.
        """
        return frame(self.columns(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return every fact as plain Python values, ready for JSON.

        Returns
        -------
        dict
            One entry per fact, and the sentences for a paper; undefined numbers are None.
        """
        found = {name: plain(getattr(self, name)) for name in self.facts()}
        return found | {"methods_sentence": self.methods_sentence()}

    def answer(self) -> Any:
        """Return what these facts mean: verdict, numbers, charts, claims and methods.

        Returns
        -------
        tauscope.answers.Answer
        """
        made = _above("answers", self.ANSWERED_BY or self.QUESTION).answer(self)
        warning = _above("answers", "wording").warning
        return replace(made, warnings=(*made.warnings, *map(warning, self.cautions)))

    def view(self, name: str) -> Any:
        """Return one part of the answer: a result of its own, or a table.

        Parameters
        ----------
        name : str
            One of `VIEWS`.

        Returns
        -------
        Result or tauscope.answers.Table

        Raises
        ------
        CallError
            If there is no such view.
        """
        tables = {table.key: table for table in self.answer().tables}
        if name not in self.VIEWS or (name not in tables and not hasattr(self, name)):
            known = [view for view in self.VIEWS if view in tables or hasattr(self, view)]
            raise CallError(f"There is no view {name!r} of this result.", Option("view", *known))
        if name in tables:
            return tables[name]
        own = getattr(self, name)
        return own() if callable(own) else own

    @property
    def inputs(self) -> Notes:
        """How the call read what it was given (a frame, a file, an array); printed last."""
        return getattr(self, "_inputs", ())

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is odd about the scores behind the result: the oddities that change what a number means."""
        return getattr(self, "_cautions", ())

    def methods_sentence(self) -> str:
        """Return the sentences that the methods section of a paper needs.

        Returns
        -------
        str
        """
        return str(_above("answers", "wording").unmarked(self.answer().methods))

    def plot(self, ax: Any = None, kind: str | None = None, **style: Any) -> Any:
        """Draw the main chart, or the chart called `kind`, with matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure of a suitable size by default.
        kind : str, optional
            The key of one of the charts of `answer()`.
        **style
            `colours` and `font_size` of the drawing.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return _above("render", "mpl").draw(self.answer().chart(kind).figure, ax, **style)

    def to_markdown(self, *, digits: int = 3) -> str:
        """Return the answer as Markdown, for a README, an issue or a pull request.

        Parameters
        ----------
        digits : int, default 3
            Decimals of numbers in tables.

        Returns
        -------
        str
        """
        return str(_above("render", "markdown").render(self.answer(), checking.whole(digits, "digits", least=0)))

    def to_latex(self, *, digits: int = 3, caption: str | None = None, label: str | None = None) -> str:
        """Return the main table for a paper, with the rules of LaTeX's booktabs.

        Parameters
        ----------
        digits : int, default 3
            Decimals of numbers.
        caption, label : str or None, default None
            With one of them the table floats (`table`); without both it is the bare `tabular`.

        Returns
        -------
        str
        """
        table = self.answer().tables[0]
        places = checking.whole(digits, "digits", least=0)
        return str(_above("render", "latex").table(table, digits=places, caption=caption, label=label))

    def __str__(self) -> str:
        text = str(_above("render", "terminal").render(self.answer(), brief=True))
        return "\n".join([*text.splitlines(), *(f"read: {note}" for note in self.inputs)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return str(_above("render", "html").notebook(self.answer()))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plain(Result):
    """Result without a verdict: their words are in `answers/texts`, and their columns are the one table.

    Examples are the curve of a coefficient over tolerances, or the map of the pairs behind a value.
    """

    ANSWERED_BY: ClassVar[str] = "plain"

    @classmethod
    def facts(cls) -> dict[str, bool]:
        own = super().facts()
        levels = any("level" in vars(base).get("__annotations__", {}) for base in cls.__mro__ if base is not Result)
        return own if levels else {name: rows for name, rows in own.items() if name != "level"}


def _above(package: str, module: str) -> ModuleType:
    """Import a higher layer by name: the only place where facts reach up to words and looks."""
    return importlib.import_module(f"tauscope.{package}.{module}")


def listed(lines: Sequence[str], columns: Mapping[str, Any]) -> str:
    """Return lines and the start of a table as HTML, for a notebook."""
    return str(_above("render", "html").listing(lines, columns))


def worded(what: str, about: Any) -> str:
    """Put facts that are not a `Result` into words: "judge.sentence" names a function of `answers`."""
    module, _, function = what.partition(".")
    return str(getattr(_above("answers", module), function)(about))


class Named(Protocol):
    """A record that is found by its name."""

    @property
    def name(self) -> str: ...


Record = TypeVar("Record", bound=Named)


class Records(Generic[Record]):
    """A family of records: iterate over them, ask for one by name, print the table. A subclass gives `columns()`."""

    #: What the records are, for the line above the table.
    KIND: ClassVar[str] = "records"

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = {record.name: record for record in records}

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    def __len__(self) -> int:
        return len(self._records)

    def __contains__(self, name: object) -> bool:
        return name in self._records or name in self._records.values()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all records, in their order."""
        return tuple(self._records)

    def columns(self) -> dict[str, list[Any]]:
        """The table of the records, column by column.

        Returns
        -------
        dict
            Column -> one entry for each record.
        """
        raise TypeError(f"{type(self).__name__} must define columns()")

    def __str__(self) -> str:
        columns = self.columns()
        lines = [list(columns), *zip(*columns.values(), strict=True)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)).rstrip() for row in lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return listed([f"{len(self)} {self.KIND}"], self.columns())


def frame(columns: Mapping[str, Any], backend: str | None = None) -> Any:
    """Columns as a data frame of the named library, or of the first one that is installed."""
    import narwhals as nw

    if backend is not None:
        checking.one_of(backend, FRAMES, "backend")
    else:
        backend = next((name for name in FRAMES if importlib.util.find_spec(name)), None)
        if backend is None:
            raise MissingPackageError(
                "A frame needs pandas, polars or pyarrow, and none is installed.",
                Advice("Run: pip install 'tauscope[frames]'"),
            )
    ready = {name: _column(values) for name, values in columns.items()}
    return nw.from_dict(ready, backend=backend).to_native()  # type: ignore[arg-type]


def _column(values: Any) -> Any:
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":  # millions of cells stay an array
        return np.where(np.isfinite(values), values, math.nan) if values.dtype.kind == "f" else values
    return plain(values, undefined=math.nan)


def plain(value: Any, *, undefined: float | None = None) -> Any:
    """NumPy values, enumerations and results as plain Python; numbers that are not finite become `undefined`."""
    if (isinstance(value, (bool, str, int)) and not isinstance(value, Enum)) or value is None:
        return value
    if isinstance(value, (Result, Part)):
        return value.to_dict()
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else undefined
    if isinstance(value, np.ndarray):
        return [plain(item, undefined=undefined) for item in value.tolist()]
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "_asdict"):
        return {key: plain(item, undefined=undefined) for key, item in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(key): plain(item, undefined=undefined) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return [plain(item, undefined=undefined) for item in value]
    return str(value)


def fields_of(result: Any, *names: str) -> dict[str, Any]:
    """Fields or properties of a result by their names: columns, or entries of a dict, that are called what they are."""
    return {name: getattr(result, name) for name in names}


#: What this user calls systems and topics.
_WORDS: ContextVar[Mapping[str, str]] = ContextVar("words", default=MappingProxyType({}))


def word(noun: str) -> str:
    """A noun as this user says it: inside `wording(systems="models")`, `word("system")` is "model"."""
    before, space, last = noun.rpartition(" ")
    return before + space + _WORDS.get().get(last, last)


def said(text: str) -> str:
    """A sentence of ours, without names, in which systems, topics and measures are called what this user calls them."""
    return re.sub(r"\b(systems?|topics?|measures?)\b", lambda found: word(found[0]), text) if _WORDS.get() else text


@contextmanager
def wording(*, systems: str = "systems", topics: str = "topics", measures: str = "measures") -> Iterator[None]:
    """How do results speak of your models and tasks? Inside this context, in the words given here.

    Parameters
    ----------
    systems : str, default "systems"
        What systems are called: a plural, "models", or singular and plural where an s does not make one:
        "query/queries".
    topics : str, default "topics"
        What topics are called.
    measures : str, default "measures"
        What measures are called.

    Yields
    ------
    None
        Results print in these words until the context ends; their numbers and columns stay the same.

    Raises
    ------
    CallError
        Where a word is empty or cannot be printed.

    Examples
    --------
    >>> from tauscope.results import count, word
    >>> with wording(systems="models", topics="query/queries"):
    ...     print(count(1, "topic"), count(2, "topic"), word("systems"))
    1 query 2 queries models
    """
    words: dict[str, str] = {}
    for noun, said in (("system", systems), ("topic", topics), ("measure", measures)):
        one, _, many = said.partition("/")
        many = many or one
        if not many.strip() or not many.isprintable():
            raise CallError(f"{said!r} is no word for {noun}s; give a plural such as 'models', or 'query/queries'.")
        words |= {noun: one if "/" in said else _singular(many), f"{noun}s": many}
    token = _WORDS.set(words)
    try:
        yield
    finally:
        _WORDS.reset(token)


def _singular(plural: str) -> str:
    return f"{plural[:-3]}y" if plural.endswith("ies") else plural.removesuffix("s")


def shape(*axes: str) -> str:
    """The size of a table along its axes: '3 systems x 50 topics'."""
    return " x ".join(axes)


def count(n: int, noun: str, plural: str | None = None) -> str:
    """'1 pair', '3 pairs', '1,164 pairs'; systems and topics in the user's own words."""
    return f"{n:,} {word(noun) if n == 1 else plural or word(noun + 's')}"


def rows(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A table row by row, as plain Python values; undefined numbers are None."""
    plain_columns = [plain(values) for values in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*plain_columns, strict=True)]


def parameter_helps(text: str) -> dict[str, str]:
    """Return the description of each parameter of a numpydoc docstring."""
    _, _, rest = text.partition("Parameters\n----------\n")
    body = re.split(r"\n\n\w[\w ]*\n-{3,}\n", rest)[0]
    helps: dict[str, str] = {}
    for names, described in re.findall(r"^(\S[^\n]*?)(?: : [^\n]*)?\n((?:    [^\n]*\n?)+)", body, re.MULTILINE):
        helps |= {name.strip(): " ".join(described.split()) for name in names.split(",")}
    return helps
