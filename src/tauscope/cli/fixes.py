"""Errors in the words of the shell: the problem, and each way out as an option that this very command has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from ..errors import CallError, Option, TauscopeError
from .options import FITS, RENAMED

if TYPE_CHECKING:
    from cyclopts import App, CycloptsError
    from cyclopts.argument import ArgumentCollection


@dataclass(frozen=True)
class Choice:
    """An option of a command.

    Attributes
    ----------
    flag : str
        Such as "--missing".
    values : tuple or None
        The values it takes if these are fixed; none at all for a switch, None if it takes any.
    """

    flag: str
    values: tuple[Any, ...] | None = None


def choices(arguments: ArgumentCollection) -> dict[str, Choice]:
    """Return the options of a command by the names that Python has for them.

    Parameters
    ----------
    arguments : ArgumentCollection
        What cyclopts knows of the command.

    Returns
    -------
    dict
        Name -> `Choice`.
    """
    found = {}
    for argument in arguments:
        flag = next((name for name in argument.names if name.startswith("--")), None)
        if flag is not None:
            found[argument.field_info.name] = Choice(flag, _values(argument.hint))
    return found


def in_shell(error: TauscopeError, options: Mapping[str, Choice]) -> str:
    """Word an error for the shell.

    Parameters
    ----------
    error : TauscopeError
        The problem and its fixes.
    options : mapping
        The options of the command by their names in Python.

    Returns
    -------
    str
        The problem, and each fix that this very command has as an option.
    """
    ways = [_option(way, options) if isinstance(way, Option) else way.in_shell() for way in error.ways_out]
    return " ".join([error.problem, *filter(None, ways)])


def _option(way: Option, options: Mapping[str, Choice]) -> str:
    """The sentence, or nothing where the command has no such option or none of the values."""
    choice = options.get(RENAMED.get(way.name, way.name))
    if choice is None and way.name in FITS and "battles" in options and way.values:
        choice, texts = options["battles"], (f"{way.name}={value}" for value in way.values)
        way = Option("battles", *texts, effect=way.effect)
    if choice is None:
        return ""
    if choice.values == ():
        return Option(way.name, effect=way.effect).in_shell(choice.flag) if way.values in ((), (True,)) else ""
    fitting = [value for value in way.values if choice.values is None or value in choice.values]
    if way.values and not fitting:
        return ""
    return Option(way.name, *fitting, effect=way.effect).in_shell(choice.flag)


def _values(hint: Any) -> tuple[Any, ...] | None:
    """What a Literal takes, nothing for a switch, None for every other type."""
    if hint is bool:
        return ()
    flat = [value for part in get_args(hint) for value in (get_args(part) or (part,))]
    fixed = tuple(value for value in flat if not isinstance(value, type))
    return fixed if fixed and all(isinstance(value, str) for value in fixed) else None


def of_the_call(app: App, words: Sequence[str], error: CycloptsError) -> CallError:
    """Return the error of a command line in one line, which says where help is.

    Parameters
    ----------
    app : App
        The command line.
    words : sequence of str
        What was typed.
    error : CycloptsError
        What is wrong with it.

    Returns
    -------
    CallError
    """
    from cyclopts import MissingArgumentError

    chain, apps, _ = app.parse_commands(list(words))
    help_ = f"Try `{' '.join(['tauscope', *chain])} --help`."
    text = " ".join(str(error).split())
    if not isinstance(error, MissingArgumentError) or error.argument is None:
        return CallError(f"{text} {help_}")
    arguments = apps[-1].assemble_argument_collection(parse_docstring=True)
    lacking = next((one for one in arguments if one.names == error.argument.names), None)
    name = error.argument.names[0]
    if name in words:
        return CallError(f"{name} asks for a value. {help_}")
    meaning = f": {lacking.parameter.help}" if lacking is not None and lacking.parameter.help else "."
    swallowed = any(one.parameter.consume_multiple and set(one.names) & set(words) for one in arguments)
    hint = " Options that take several words end with the next option: put the files first." if swallowed else ""
    return CallError(f"{' '.join(chain)} needs {name}{meaning}{hint} {help_}")
