"""Options that several commands share: the input, the user's own words, the seed, the figure."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import FileError, TauscopeError
from ..figures import save
from ..files import read_scores
from ..scores import Scores
from .output import printable

Missing = Literal["error", "zero", "drop-topics", "drop-systems"]
Measure = Annotated[str | None, Parameter(name=["--measure", "-m"])]
Flag = Annotated[bool, Parameter(negative=())]
#: What this user calls them: a plural, or "query/queries".
TopicsAre = Annotated[str, Parameter(name="--topics-are", help='Your word for topics: "tasks", or "query/queries".')]
MeasuresAre = Annotated[str, Parameter(name="--measures-are", help='Your word for measures: "tasks".')]
SystemsAre = Annotated[str, Parameter(name="--systems-are", help='Your word for systems: "models".')]
Seed = Annotated[int, Parameter(name=["--seed", "-s"], help="The same seed gives the same numbers.")]
Figure = Annotated[
    Path | None, Parameter(name="--figure", help="Also save the figure: .svg, .pdf, .png, .html or .json.")
]


def scores_from(
    files: list[Path], measure: str | None, missing: str, layout: str | None = None, *, option: str = "--missing"
) -> Scores:
    """Scores by one measure from a file, a folder, or the output of an evaluation tool, one file a run. `option`: what this command
    calls its choice about missing cells."""
    source: Any = files[0] if len(files) == 1 else list(files)
    try:
        return read_scores(source, measure=measure, missing=missing, format=layout)
    except TauscopeError as error:
        found = FileError(error.problem, *error.ways_out)
        raise (found.at(str(files[0])) if len(files) == 1 else found) from None


def save_figure(result: Any, path: Path | None) -> None:
    """Saves what the result plots, if asked."""
    if path is not None:
        save(result.plot(), path)
        print(printable(f"figure: {path}"), file=sys.stderr)  # standard output may be JSON
