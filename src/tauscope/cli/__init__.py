"""The command `tauscope`. Each command is imported when it is called, so that starting costs little."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .commands import GROUPS, ORDER, QUESTIONS

if TYPE_CHECKING:
    from cyclopts import App

__all__ = ["GROUPS", "build", "main", "version"]


#: What was told of files in this call: each warning is printed once.
TOLD: set[str] = set()


def version() -> str:
    """Return what a bug report needs: the versions of Tauscope, Python and NumPy, and which kernels run."""
    import platform

    import numpy

    from .. import __version__
    from ..core import kernels

    lines = (
        f"tauscope {__version__}",
        f"kernels: {kernels.implementation()}",
        f"Python {platform.python_version()}, NumPy {numpy.__version__}",
    )
    return "\n".join(lines)


def build(words: Sequence[str] = ()) -> App:
    """Make the command line; its commands are not imported yet.

    Parameters
    ----------
    words : sequence of str, default ()
        What was typed. A command among these words has its whole docstring as help, the others their one line.

    Returns
    -------
    App
    """
    from cyclopts import App, Group

    asked = set(words)
    shared: dict[str, Any] = {"help_flags": ["--help", "-h"], "version_flags": []}
    app = App(
        name="tauscope",
        help="Do two rankings of systems agree, where do they differ, and would they hold?\n\n"
        "`tauscope demo` shows it on made-up scores, `tauscope COMMAND --help` has an example of each command.",
        version=version,
        version_format="plaintext",
        **shared | {"version_flags": ["--version"]},
    )
    options = Group("Options", sort_key=len(ORDER))
    app["--help"].group = app["--version"].group = options
    app.register_install_completion_command(
        group=options, help="Let the shell complete commands and options.", **shared
    )
    questions = {question: Group(question, sort_key=place) for place, question in enumerate(ORDER)}

    def add(to: App, commands: dict[str, tuple[str, str]], **options: Any) -> None:
        for place, (name, (target, line)) in enumerate(commands.items()):
            said = None if name in asked else line
            to.command(f"tauscope.cli.{target}", name=name, help=said, sort_key=place, **options)

    for question, commands in QUESTIONS.items():
        add(app, commands, group=questions[question], **shared)
    for place, (name, (line, commands, question)) in enumerate(GROUPS.items(), -len(GROUPS)):
        group = App(name=name, help=line, group=questions[question], sort_key=place, **shared)
        add(group, commands, **shared)
        app.command(group)
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after `tauscope`; by default those of the command line.

    Returns
    -------
    int
        The exit code: 0, 1 if a check fails, 2 for a wrong call or wrong input, 130 if interrupted.

    Examples
    --------
    >>> main(["coefficients", "choose", "--nonsense"])
    2
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    except BrokenPipeError:
        _print_no_more()  # `| head` closed the pipe: that is no error
        return 0
    except OSError as error:
        full = error.errno == errno.ENOSPC  # files have their names from those who write them
        where = f"{error.filename}: " if error.filename else "standard output: " if full else ""
        if full and not error.filename:
            _print_no_more()
        return _fail(f"{where}{error.strerror or error}")
    except MemoryError:
        return _fail("not enough memory for this input.")
    except KeyboardInterrupt:
        return _fail("interrupted.", code=130)


def _print_no_more() -> None:
    """What is left of the output goes nowhere: Python would try once more at its end, and fail there."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # standard output may be no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: list[str]) -> int:
    from cyclopts import CycloptsError

    from ..errors import TauscopeError

    TOLD.clear()
    app = build(words)
    try:
        words = _with_standard_input(words)
        command, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
        _check(bound.arguments.values())
        result = command(*bound.args, **bound.kwargs)
    except CycloptsError as error:
        from .fixes import of_the_call

        return _fail(str(of_the_call(app, words, error)))
    except TauscopeError as error:
        from .fixes import choices, in_shell

        _, apps, _ = app.parse_commands(words)
        return _fail(in_shell(error, choices(apps[-1].assemble_argument_collection(parse_docstring=False))))
    sys.stdout.flush()
    return result if isinstance(result, int) else 0


def _check(values: Any) -> None:
    """Options that exclude each other are told before any work is done."""
    for value in values:
        check = getattr(value, "check", None)
        if callable(check):
            check()


def _fail(text: str, code: int = 2) -> int:
    print(f"tauscope: {text}", file=sys.stderr)
    return code


#: Options that name a file to be written, which standard input is not.
_OUTPUTS = ("-o", "--out", "--plot", "--html", "--markdown", "--checkpoint")


def _with_standard_input(words: Sequence[str]) -> list[str]:
    """Return the words of a command line with the name of a file, in which standard input is kept, instead of `-`."""
    from ..errors import CallError

    places = [at for at, word in enumerate(words) if word == "-" and (at == 0 or words[at - 1] not in _OUTPUTS)]
    if not places:
        return list(words)
    if len(places) > 1:
        raise CallError("- is standard input, which is there once: give a file for the other.")
    import atexit
    import shutil
    import tempfile
    from pathlib import Path

    folder = Path(tempfile.mkdtemp(prefix="tauscope-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    kept = folder / "standard-input"
    with kept.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return [str(kept) if at in places else word for at, word in enumerate(words)]
