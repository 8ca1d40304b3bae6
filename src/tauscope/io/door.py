"""The one door for scores: whatever somebody has becomes `Scores`, and the notes say how it was read.

Public functions name the arguments that are scores with `@takes_scores("estimate", "truth")`; below it they are
`Scores`. A function that takes several measures as well calls `scores_or_cube()`, and `@tells_oddities` makes its
result say what is odd about what came in.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ..core.arrays import is_frame
from ..data.alignment import require_type
from ..data.cube import ScoreCube
from ..data.findings import cautions
from ..data.names import MeasureName
from ..data.scores import UNNAMED, Scores
from ..data.table import MeasureTable
from ..errors import Advice, CallError, Option, TauscopeError
from ..results import Note, Result
from . import frames
from .read import read_any, read_scores

F = TypeVar("F", bound=Callable[..., Any])

#: What functions take that are about scores: `Scores`, a data frame, wide or long, an array of NumPy or xarray, a file
#: or several, dicts of dicts.
ScoresLike: TypeAlias = Any
#: The attribute of a public function that names its arguments that are scores.
TAKES = "takes_scores"
#: Arguments of the readers, which the functions that read through this door do not have.
_OF_READERS = ("measure", "measures", "missing", "format", "max_bytes")


def takes_scores(
    *names: str,
    each: Sequence[str] = (),
    one_or_each: Sequence[str] = (),
    own_files: bool = False,
    in_order: Sequence[str] = (),
) -> Callable[[F], F]:
    """Makes a function take scores as people have them: before it is called, the arguments `names` become `Scores`.

    What holds no scores on topics (published scores, battles, a ranking, a number) is handed on: the function takes it,
    or says that it does not. How everything was read is in `.inputs` of the result, and is printed with it.

    Parameters
    ----------
    *names : str
        Arguments that are scores.
    each : sequence of str, default ()
        Arguments that are dicts of scores by name.
    one_or_each : sequence of str, default ()
        Arguments that are scores, or a dict of scores by name.
    own_files : bool, default False
        Whether paths are handed on too, because the function reads files of its own kind.
    in_order : sequence of str, default ()
        The axes, "topics" or "systems", whose labels come in one order however they are sorted, because the function
        draws along them.

    Returns
    -------
    callable
        The decorator.
    """

    def made(function: F) -> F:
        what = f"{function.__name__}()"
        listed = list(inspect.signature(function).parameters.values())
        places = {p.name: at for at, p in enumerate(listed) if p.kind is p.POSITIONAL_OR_KEYWORD}
        dicts = (*each, *one_or_each)
        several = len(names) + len(dicts) > 1

        @functools.wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            arguments, read = list(given), _Read(what, several, own_files, in_order)
            for name in (*names, *dicts):
                convert = read.either if name in one_or_each else read.each if name in each else read.one
                if name in named:
                    named[name] = convert(named[name], name)
                elif places.get(name, len(arguments)) < len(arguments):
                    arguments[places[name]] = convert(arguments[places[name]], name)
            return read.told(function(*arguments, **named))

        setattr(called, TAKES, (*names, *dicts))
        return called  # type: ignore[return-value]

    return made


def trusted(function: F) -> F:
    """Return the function behind the conversion, for callers inside the package, whose data are `Scores` already.

    Parameters
    ----------
    function : callable
        One that `takes_scores()` decorates.

    Returns
    -------
    callable
        The same without conversion: nothing is read, and nothing is told about what came in.
    """
    return function.__wrapped__  # type: ignore[attr-defined,no-any-return]


class _Read:
    """The arguments of one call as scores, and what is to be told about them."""

    def __init__(self, what: str, several: bool, own_files: bool, in_order: Sequence[str]) -> None:
        self._what, self._several, self._own_files, self._in_order = what, several, own_files, in_order
        self._notes: list[Note | str] = []
        self._cautions: dict[str, None] = {}
        self._numbered: dict[str, bool] = {}

    def one(self, data: Any, name: str) -> Any:
        """One argument; what is `Scores`, or holds none, stays as it is."""
        if isinstance(data, Scores):
            scores = data
        elif not is_readable(data) or (self._own_files and isinstance(data, (str, Path))):
            return data
        else:
            scores = as_scores(data, self._what)
        self._cautions |= dict.fromkeys(cautions(scores))
        self._numbered[name] = scores.topics == tuple(map(str, range(1, len(scores.topics) + 1)))
        if not isinstance(data, (Scores, ScoreCube)):
            several = self._several
            self._notes += [Note("of_argument", name=name, note=note) if several else note for note in scores.notes]
        return scores.in_order(*self._in_order)

    def each(self, data: Any, name: str) -> Any:
        """A dict of scores by name."""
        if not isinstance(data, Mapping):
            return data
        return {key: self.one(value, str(key)) for key, value in data.items()}

    def either(self, data: Any, name: str) -> Any:
        """Scores, or a dict of them by name."""
        several = isinstance(data, Mapping) and _levels(data) is None
        return self.each(data, name) if several else self.one(data, name)

    def told(self, result: Any) -> Any:
        """The result with the notes of what was read for it, and with what is odd about it."""
        _caution(result, self._cautions)
        if self._notes and isinstance(result, Result):
            numbered = [name for name, own in self._numbered.items() if own]
            if 0 < len(numbered) < len(self._numbered):
                self._notes.append(Note("numbers_and_names", numbered=numbered))
            object.__setattr__(result, "_inputs", tuple(self._notes))
        return result


def _caution(result: Any, told: Collection[str]) -> None:
    if told and isinstance(result, Result):
        object.__setattr__(result, "_cautions", tuple(told))


#: What came in through `scores_or_cube()` during a call, where somebody wants to know.
_CAME_IN: ContextVar[list[Scores | ScoreCube | MeasureTable] | None] = ContextVar("came_in", default=None)


def tells_oddities(*, but: Collection[str] = ()) -> Callable[[F], F]:
    """Makes the result of a function say what is odd about the scores that it took through `scores_or_cube()`.

    Parameters
    ----------
    but : collection of str, default ()
        Codes of oddities that do not matter to the function.

    Returns
    -------
    callable
        The decorator.
    """

    def made(function: F) -> F:
        @functools.wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            came_in: list[Scores | ScoreCube | MeasureTable] = []
            token = _CAME_IN.set(came_in)
            try:
                result = function(*given, **named)
            finally:
                _CAME_IN.reset(token)
            _caution(result, dict.fromkeys(text for one in came_in for text in cautions(one, but=but)))
            return result

        return called  # type: ignore[return-value]

    return made


def as_scores(data: Any, what: str) -> Scores:
    """Scores by one measure from whatever holds them; holes stay, for the function to deal with.

    Parameters
    ----------
    data : Scores, data frame, array, path, list or dict
        What `Scores.read()` takes.
    what : str
        The function that wants them, for errors.

    Returns
    -------
    Scores

    Raises
    ------
    CallError
        Where it is nothing that holds scores, or holds several measures.
    FileError
        Where it cannot be read; the ways out are those of `Scores.read()`.
    """
    if not is_readable(data):
        require_type(data, what)
    if isinstance(data, Scores):
        return data
    with by_way_of("Scores.read()"):
        return read_scores(data, missing="keep", format=_levels(data))


def scores_or_cube(data: Any, what: str) -> Scores | ScoreCube | MeasureTable:
    """Scores by one measure or by several, or a table of systems by measures, from whatever holds one of them.

    Parameters
    ----------
    data : Scores, ScoreCube, MeasureTable, data frame, array, path, list or dict
        What `ScoreCube.read()` or `measures.Table.read()` takes.
    what : str
        The function that wants them, for errors.

    Returns
    -------
    Scores, ScoreCube or MeasureTable
        Scores where there is one measure only.

    Raises
    ------
    CallError
        Where it is nothing that holds scores.
    FileError
        Where neither reader can read it; the error is that of `ScoreCube.read()`.
    """
    found = _scores_or_cube(data, what)
    came_in = _CAME_IN.get()
    if came_in is not None:
        came_in.append(found)
    return found


def _scores_or_cube(data: Any, what: str) -> Scores | ScoreCube | MeasureTable:
    if isinstance(data, (Scores, ScoreCube, MeasureTable)):
        return data
    if not is_readable(data):
        raise CallError(
            f"{what} takes a ScoreCube, a measures.Table or Scores, not {type(data).__name__}.",
            Advice(
                "ScoreCube.read(), measures.Table.read() and Scores.read() make one of a file or a frame.", shell=""
            ),
        )
    with by_way_of("ScoreCube.read()"):
        found = read_any(data, format=_levels(data))
    nameless = isinstance(found, Scores) and found.measure == UNNAMED
    return found.changed(measure="") if nameless else found


def _levels(data: Any) -> str | None:
    """Dicts in a dict that name no measure are {system: {topic: score}}, as `DataFrame()` takes dicts of columns."""
    if not isinstance(data, Mapping) or not data or not all(isinstance(inner, Mapping) for inner in data.values()):
        return None
    keys = [*data, *(key for inner in data.values() for key in inner)]
    deep = any(isinstance(value, Mapping) for inner in data.values() for value in inner.values())
    return None if deep or any(MeasureName.parse(str(key)).known for key in keys) else "run>topic"


def is_readable(data: Any) -> bool:
    """Whether there is a reader for this kind of object; what is in it is another question.

    Parameters
    ----------
    data : object
        A path, a data frame, an array, a dict or a list of these.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_readable("scores.csv"), is_readable([[0.1, 0.2]]), is_readable(0.5)
    (True, True, False)
    """
    if isinstance(data, (list, tuple)):
        return bool(data) and (frames.is_array(data) or all(map(_one_of_several, data)))
    if isinstance(data, Mapping):
        return bool(data) and all(map(_one_of_several, data.values()))
    return isinstance(data, (str, Path)) or frames.is_array(data) or is_frame(data, series=True)


def _one_of_several(data: Any) -> bool:
    """Whether it can stand in a list or a dict of scores: a file, a frame, a dict or a record, a list of records."""
    records = isinstance(data, (list, tuple)) and bool(data) and all(isinstance(one, Mapping) for one in data)
    return records or hasattr(data, "_asdict") or isinstance(data, (str, Path, Mapping)) or is_frame(data)


@contextmanager
def by_way_of(reader: str) -> Iterator[None]:
    """Let fixes that are arguments of a reader name it: the function that was called does not have them.

    Parameters
    ----------
    reader : str
        Such as "Scores.read()".
    """
    try:
        yield
    except TauscopeError as error:
        ways = [
            way.by_way_of(reader) if isinstance(way, Option) and way.name in _OF_READERS else way
            for way in error.ways_out
        ]
        raise type(error)(error.problem, *ways) from None
