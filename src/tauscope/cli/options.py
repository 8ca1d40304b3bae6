"""Options that several commands share, each with its help text: single ones as annotated types, and those that go
together as dataclasses, which cyclopts takes apart into flags.

Only cyclopts is imported here, so that every command can use it; what an option needs is imported when it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, dataclass_transform, get_args, get_origin

from cyclopts import Parameter

from ..errors import CallError
from ..results import wording
from .output import show_csv, show_json, show_latex

if TYPE_CHECKING:
    from ..jobs import Pool

#: Arguments in Python that are settings of --battles here.
FITS = ("ties", "prior", "position", "incomparable")
#: Parameters that the shell calls differently: a generator is a seed, and -c takes one name or several.
RENAMED = {
    "rng": "seed",
    "claims": "claim",
    "k": "keep",
    "coefficients": "coefficient",
    "select_on": "select",
}
Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
Files = Annotated[list[Path], Parameter(negative=())]
_SEVERAL = Parameter(consume_multiple=True, negative=())
Many = Annotated[list[str] | None, _SEVERAL]
ManyFiles = Annotated[list[Path] | None, _SEVERAL]
ManyNumbers = Annotated[list[int] | None, _SEVERAL]
Coefficient = Annotated[str, Parameter(name=["--coefficient", "-c"])]
Coefficients = Annotated[Many, Parameter(name=["--coefficient", "-c"])]
Within = Annotated[str, Parameter(name=["--tied-within", "-w"])]
Folder = Annotated[Path, Parameter(name=["--out", "-o"])]
Seed = Annotated[int, Parameter(name=["--seed", "-s"], help="The same seed gives the same numbers.")]
Measures = Annotated[Many, Parameter(name=["--measures", "-m"])]
Measure = Annotated[
    str | None, Parameter(name=["--measure", "-m"], help="Which measure to use, in files that have several.")
]
Missing = Annotated[
    Literal["error", "zero", "drop-topics", "drop-systems"],
    Parameter(help="What a cell without a score means: an error that names it, 0, or leave out its topic or system."),
]
_KEEP = "or keep holes, and compare on what is there"
MissingOrKept = Annotated[
    Literal["error", "zero", "drop-topics", "drop-systems", "keep"],
    Parameter(help=f"What a cell without a score means: an error, 0, leave out its topic or system, {_KEEP}."),
]
MissingInTablesOrKept = Annotated[
    Literal["error", "zero", "drop-systems", "drop-measures", "drop-topics", "keep"],
    Parameter(help=f"What a missing cell means: an error, 0, leave out its row or column, {_KEEP}."),
]
Format = Annotated[
    str | None,
    Parameter(help="The layout of the files, where it cannot be told: wide, turned, matrix, long, …"),
]
Columns = Annotated[
    str | None,
    Parameter(
        help="Which column is what, where names do not say: name=model,score=arena_score; keep=size takes "
        "a column for scores, drop=params leaves one out. Battles: first=a,second=b,winner=vote,winner:SPELLING=tie."
    ),
]
Aggregate = Annotated[
    Literal["z", "rank", "minmax", "mean"] | None,
    Parameter(help="What topics on different scales are brought to: z-scores, ranks, shares of the range, or nothing."),
]
LowerIsBetter = Annotated[
    list[str] | None,
    Parameter(
        consume_multiple=True,
        negative=(),
        help="A lower score is better: on all topics (tasks), or on those named here, such as WER.",
    ),
]
Match = Annotated[
    Literal["exact", "loose"],
    Parameter(help="loose: names that differ by spaces, case, leading zeros, .0 or a common start are the same."),
]
TruthMeasure = Annotated[
    str | None, Parameter(help="Which measure, or judge, of the truth to use, where it is another one.")
]
Unmatched = Annotated[
    Literal["error", "drop"],
    Parameter(help="What to do with systems that only one file has: an error that names them, or leave them out."),
]
Clusters = Annotated[
    Path | None,
    Parameter(
        help="What stays together: a file of two columns, topic and cluster; for battles question, worker, judge or "
        "battle, or two of them: question,worker."
    ),
]
Fit = Annotated[
    str | None,
    Parameter(
        name="--battles",
        help="How strengths are fitted to battles, as in ties=davidson,prior=2. ties= is half, davidson or drop; "
        "prior= is the number of pseudo-battles per system against an average opponent, half of them won; position "
        "estimates the advantage of the first place; incomparable=drop leaves out systems without a finite strength.",
    ),
]


@dataclass_transform(kw_only_default=True, frozen_default=True)
def together(group: type[Any]) -> Any:
    """Make options that go together of a class, which cyclopts takes apart into flags."""
    return Parameter(name="*")(dataclass(frozen=True, kw_only=True, repr=False, eq=False)(group))


@together
class Reading:
    """How files of scores by one measure are read.

    Attributes
    ----------
    measure : str or None
        Which measure, in files that have several.
    missing : str
        What a cell without a score means.
    format : str or None
        The layout, or one for each file, separated by commas.
    columns : str or None
        Which column is what.
    aggregate : str or None
        What topics on different scales are brought to.
    lower_is_better : list of str or None
        On which topics a lower score is better; empty for all.
    without : list of str or None
        Systems that are left out.
    """

    measure: Measure = None
    missing: Missing = "error"
    format: Format = None
    columns: Columns = None
    aggregate: Aggregate = None
    lower_is_better: LowerIsBetter = None
    without: Annotated[Many, Parameter(help="Systems to leave out, by name.")] = None

    @property
    def negated(self) -> bool | list[str]:
        """On which topics a lower score is better, as the readers take it; the flag alone, or "all", means all of
        them.
        """
        return self.lower_is_better in ([], ["all"]) or self.lower_is_better or False

    def refuse(self, what: str, *but: str) -> None:
        """Refuse options that say nothing of what is read.

        Parameters
        ----------
        what : str
            What is read, such as "battles".
        *but : str
            Options that do say something of it.

        Raises
        ------
        CallError
            Names the first option that was given and says nothing.
        """
        usual = {one.name: one.default for one in fields(self)}
        for name in (one.name for one in fields(Reading) if getattr(self, one.name) not in (None, usual[one.name])):
            if name not in but:
                raise CallError(f"--{name.replace('_', '-')} says nothing of {what}: leave it out.")


@together
class ReadingHoles(Reading):
    """How scores are read by a command that can deal with missing cells itself."""

    missing: MissingOrKept = "error"  # type: ignore[assignment]


@together
class BoardReading(Reading):
    """How a board is read: missing cells are kept."""

    missing: MissingOrKept = "keep"  # type: ignore[assignment]


@together
class Tables:
    """How files of scores by several measures, or tables of systems by measures, are read.

    Attributes
    ----------
    missing, format, columns
        As for scores by one measure.
    """

    missing: Annotated[
        Literal["error", "zero", "drop-systems", "drop-measures", "drop-topics"],
        Parameter(help="What a missing cell means: an error that names it, 0, or leave out its row or column."),
    ] = "error"
    format: Format = None
    columns: Columns = None


@together
class TablesReading(Tables):
    """The same where missing cells may be kept."""

    missing: MissingInTablesOrKept = "error"  # type: ignore[assignment]


@together
class Words:
    """What this user calls systems, topics and measures.

    Attributes
    ----------
    words : str or None
        Such as "systems=models,topics=query/queries".
    """

    words: Annotated[
        str | None,
        Parameter(help="Your words for systems, topics and measures: systems=models,topics=query/queries."),
    ] = None

    def said(self) -> AbstractContextManager[None]:
        """Let results speak in these words inside a `with` block."""
        nouns = {"systems": str, "topics": str, "measures": str}
        return wording(**({} if self.words is None else settings_in(self.words, nouns, "--words")))


@together
class Documents:
    """Output for programs instead of people.

    Attributes
    ----------
    json, csv, latex : bool
        At most one of them.
    """

    json: Annotated[Flag, Parameter(help="Print one JSON document.")] = False
    csv: Annotated[Flag, Parameter(help="Print a table as CSV.")] = False
    latex: Annotated[Flag, Parameter(help="Print a table as LaTeX, with booktabs.")] = False

    def check(self) -> None:
        """Refuse two kinds of output at once, before any work is done.

        Raises
        ------
        CallError
        """
        asked = [f"--{one.name}" for one in fields(self) if getattr(self, one.name) is True]
        if len(asked) > 1:
            raise CallError(f"{' and '.join(asked)}: choose one.")

    def print_both(self, document: Any, columns: Any) -> bool:
        """Print a document or a table, if that was asked for.

        Parameters
        ----------
        document, columns : callable
            Make the document for JSON, and the columns of the table.

        Returns
        -------
        bool
            Whether anything was printed.
        """
        if self.json:
            from ..render.json import record

            show_json(record(facts=document()))
        elif self.csv:
            show_csv(columns())
        elif self.latex:
            show_latex(columns())
        return self.json or self.csv or self.latex


@together
class Work:
    """Who does long work. The numbers are the same everywhere.

    Attributes
    ----------
    workers : str or None
        A number of processes, or the address of a Dask cluster.
    """

    workers: Annotated[
        str | None,
        Parameter(help="Work on this many processes, or on the workers of a Dask cluster: tcp://host:8786."),
    ] = None

    def pool(self) -> AbstractContextManager[Pool | None]:
        """Open the cluster, or as many processes as --workers says or there are processors.

        Returns
        -------
        context manager
            Of a pool, or of None if this process does the work alone.
        """
        from ..jobs import cluster, processes

        if self.workers is not None and "://" in self.workers:
            return cluster(self.workers)
        number = None if self.workers is None else value_in(self.workers, int, "--workers")
        return nullcontext(None if number == 1 else processes(number))


@together
class LongWork(Work):
    """Who does the work of an experiment: threads of this process unless asked.

    A stopped run goes on from its checkpoint.

    Attributes
    ----------
    checkpoint : Path or None
        The file that keeps what is done.
    """

    checkpoint: Annotated[
        Path | None, Parameter(help="A file that keeps what is done, so that a stopped run goes on.")
    ] = None

    def pool(self) -> AbstractContextManager[Pool | None]:
        """Open workers if they were asked for; otherwise there are none, and threads of this process do the work."""
        return nullcontext() if self.workers is None else super().pool()


def names_in(asked: list[str] | None) -> list[str]:
    """Return names of coefficients, separated by spaces or commas.

    Examples
    --------
    >>> names_in(["tau_b,tau_ap_b", "gamma"]), names_in(None)
    (['tau_b', 'tau_ap_b', 'gamma'], [])
    """
    return [name for text in asked or [] for name in text.split(",") if name]


def numbers_in(
    text: str, option: str, kind: type = float, *, what: str = "numbers", like: str = "5,10,30"
) -> list[Any]:
    """Return numbers separated by commas.

    Parameters
    ----------
    text : str
        What was typed.
    option : str
        The option, for the error.
    kind : type, default float
        int or float.
    what, like : str
        What they are and look like, for the error.

    Returns
    -------
    list

    Raises
    ------
    CallError
        If one of them is no number.

    Examples
    --------
    >>> numbers_in("5,10,30", "--sizes", int)
    [5, 10, 30]
    """
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise CallError(f"{option} {text}: give {what} separated by commas, such as {like}.") from None


def labels_in(text: str) -> list[str]:
    """Return labels of measures separated by commas; commas inside brackets belong to the label.

    Examples
    --------
    >>> labels_in("AP, nDCG(dcg=exp,cutoff=10),P@5")
    ['AP', 'nDCG(dcg=exp,cutoff=10)', 'P@5']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def settings_in(text: str, kinds: Mapping[str, Any], option: str) -> dict[str, Any]:
    """Return several settings that stand in one text.

    A comma ends a value only if one of the names follows, so that a value may be a list, or a name with a comma.

    Parameters
    ----------
    text : str
        NAME=VALUE,NAME=VALUE; a name alone says yes.
    kinds : mapping
        Name -> type.
    option : str
        The option, for errors.

    Returns
    -------
    dict

    Raises
    ------
    CallError
        If a name is unknown or there twice, or a value does not have its type.

    Examples
    --------
    >>> settings_in("ties=davidson,prior=2", {"ties": str, "prior": float}, "--battles")
    {'ties': 'davidson', 'prior': 2.0}
    """
    names = "|".join(name.replace("_", "[_-]") for name in kinds)
    found: dict[str, Any] = {}
    for part in re.split(rf",(?=\s*(?:{names})\s*(?:=|,|$))", text):
        name, equals, value = part.partition("=")
        name = name.strip().replace("-", "_")
        if name not in kinds:
            raise CallError(f"{option} {part.strip()}: it takes {', '.join(f'{own}=…' for own in kinds)}.")
        if name in found:
            raise CallError(f"{option} {text}: {name} is there twice.")
        found[name] = value_in(value.strip() if equals else "yes", kinds[name], f"{option} {name}=")
    return found


def value_in(text: str, kind: Any, option: str) -> Any:
    """Return the value of a type that a text says.

    Parameters
    ----------
    text : str
        What was typed; "none" if the type has None, yes or no for a bool.
    kind : type
        The type, or a union of types.
    option : str
        The option, for errors.

    Returns
    -------
    object

    Raises
    ------
    CallError
        If the text says no such value.

    Examples
    --------
    >>> value_in("3", int, "--draws"), value_in("yes", bool, "--battles position=")
    (3, True)
    """
    kinds = (kind, *get_args(kind))
    for own in kinds:
        if get_origin(own) is Iterable:
            return [value_in(part.strip(), get_args(own)[0], option) for part in text.split(",")]
    if text == "none" and type(None) in kinds:
        return None
    if bool in kinds:
        if text not in ("yes", "no"):
            raise CallError(f"{option} {text}: say yes or no.")
        return text == "yes"
    if str in kinds or not {int, float} & set(kinds):
        return text
    try:
        return int(text) if float not in kinds else float(text)
    except ValueError:
        raise CallError(f"{option} {text}: give a {'whole ' if float not in kinds else ''}number.") from None
