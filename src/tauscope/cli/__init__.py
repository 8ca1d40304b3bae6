"""The command `tauscope`. Each command is imported when it is called, so that starting costs little."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cyclopts import App

    from ..errors import TauscopeError

#: Command -> (module of this package:function, one line of help).
COMMANDS = {
    "correlate": ("correlate:correlate", "Do two rankings agree?"),
    "explain": ("correlate:explain", "What one coefficient is, and when not to use it."),
    "coefficients": ("correlate:coefficients", "The map of the coefficients."),
    "choose": ("choose:choose", "Which coefficient answers my question?"),
    "identify": ("correlate:identify", "Which tau did they use?"),
    "topics": ("topics:topics", "On which topics do two sets of scores agree?"),
    "overlap": ("topics:overlap", "How much do two lists share, from the top down?"),
    "calibrate": ("topics:calibrate", "Within which distance are two scores equal?"),
    "compare": ("compare:compare", "Can this judge stand in for the truth?"),
    "significance": ("compare:significance", "Which differences are significant?"),
    "expected": ("expected:expected", "Would this ranking hold on new topics?"),
    "plan": ("expected:plan", "How many topics would be enough?"),
    "ranks": ("expected:ranks", "Ranks, best set and tiers, with their uncertainty."),
    "simulate": ("expected:simulate", "The same systems on new topics, the truth known."),
    "study": ("study:study", "Which estimator of the true correlation is best here?"),
    "evaluate": ("evaluate:evaluate", "From runs and judgments to scores."),
    "report": ("report:report", "One page that answers."),
    "check": ("check:check", "What is odd about these scores?"),
    "power": ("experiments:power", "How well does one measure predict another on new topics?"),
    "judgments": ("experiments:judgments", "How few judgments are enough?"),
    "swaps": ("experiments:swaps", "What do coefficients say when a few pairs change places?"),
    "perturb": ("experiments:perturb", "What do coefficients say when scores move and ranks stay?"),
    "reproduce": ("reproduce:reproduce", "Which numbers of a paper hold?"),
    "demo": ("demo:demo", "A made-up collection, and the product run on it."),
}
#: Group of commands -> (one line of help, its commands as above).
GROUPS = {
    "measures": (
        "Which measures to report, and what the others would have been.",
        {
            "correlate": ("measures:correlate", "Which measures, or tasks, say the same?"),
            "predict": ("predict:predict", "What would an unreported measure have been?"),
            "rank": ("measures:rank", "Which few measures say most?"),
            "low-to-high": ("predict:deepen", "How deep must be judged to predict deep measures?"),
            "topics": ("measures:topics", "Which few topics, or tasks, keep the ranking?"),
        },
    ),
}


def version() -> str:
    """Tauscope, kernels, Python and NumPy: what a bug report needs."""
    import platform

    import numpy

    from .. import __version__, kernels

    return f"tauscope {__version__}\nkernels: {kernels.implementation()}\nPython {platform.python_version()}, NumPy {numpy.__version__}"


def build() -> App:
    """The command line, its commands not yet imported."""
    from cyclopts import App

    app = App(
        name="tauscope",
        help="Do two rankings of systems agree, where do they differ, and which coefficient says so?",
        version_flags=[],
        help_flags=["--help", "-h"],
        suppress_keyboard_interrupt=False,  # main() has a word for it
    )
    for name, (target, text) in COMMANDS.items():
        app.command(f"tauscope.cli.{target}", name=name, help=text)
    for name, (text, commands) in GROUPS.items():
        group = App(name=name, help=text, version_flags=[], help_flags=["--help", "-h"])
        for own, (target, line) in commands.items():
            group.command(f"tauscope.cli.{target}", name=own, help=line)
        app.command(group)
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code: 0, 2 for a wrong call or wrong input, 130 when interrupted."""
    from ..errors import TauscopeError

    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if arguments == ["--version"]:
            print(version())
            return 0
        return _run(arguments)
    except TauscopeError as error:
        print(f"tauscope: {_for_the_shell(error)}", file=sys.stderr)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # `| head` closed the pipe: that is no error
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"tauscope: {where}{error.strerror or error}", file=sys.stderr)
    except MemoryError:
        print("tauscope: not enough memory for this input.", file=sys.stderr)
    except KeyboardInterrupt:
        print("tauscope: interrupted.", file=sys.stderr)
        return 130
    return 2


def _run(arguments: list[str]) -> int:
    import cyclopts

    try:
        result = build()(arguments or ["--help"], exit_on_error=False, print_error=False, result_action="return_value")
    except cyclopts.CycloptsError as error:
        print(f"tauscope: {_plain(error)}", file=sys.stderr)
        return 2
    sys.stdout.flush()
    return result if isinstance(result, int) else 0


#: Ways out as Python calls, and what they are called here.
_OPTIONS = (('Pass missing="drop"', "Use --missing drop"), ("Pass format=", "Use --format "), ("format=", "--format "),
            ("pass measure=", "use --measure "), ("measure=", "--measure "), ("Pass missing= one of", "Use --missing with one of"),
            ("Pass missing=", "Use --missing "), ("by='system'", "--by system"), ("(keep=3)", "(--keep 3)"), ("method='backward'", "--method backward"),
            ("max_predictors=", "--max-predictors "), ('Pass one_sided="drop"', "Use --one-sided drop"))  # fmt: skip


def _for_the_shell(error: TauscopeError) -> str:
    """An error of the library, its way out as an option."""
    from ..errors import Option

    text = error.problem
    for python, shell in _OPTIONS:
        text = text.replace(python, shell)
    said = [
        way.in_shell(f"--{way.name.replace('_', '-')}") if isinstance(way, Option) else way.in_shell()
        for way in error.ways_out
    ]
    return " ".join(filter(None, [text, *said]))


def _plain(error: Exception) -> str:
    """Cyclopts' message in one line, and where help is."""
    text = " ".join(str(error).split())
    swallowed = (
        " Options that take several words end with the next option: put the files first."
        if "requires an argument" in text
        else ""
    )
    return f"{text}{swallowed} Try --help."
