"""`tauscope gate`: do the claims about a board hold, so that a change may be merged?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..boards.gate import gate as check_claims
from ..errors import CallError
from . import inputs
from .options import Clusters, Flag, Many, PrintedColumns, Reading, Seed, Words
from .output import show, show_json
from .progress import progress

Claims = Annotated[list[str], Parameter(name=["--claim"], negative=())]


def gate(
    new: Path,
    /,
    *,
    claim: Claims,
    baseline: Path | None = None,
    judges: Many = None,
    level: float = 0.95,
    clusters: Clusters = None,
    seed: Seed = 0,
    comment: Path | None = None,
    markdown: Flag = False,
    json: Flag = False,
    printed: PrintedColumns = PrintedColumns(),
    reading: Reading = Reading(),
    words: Words = Words(),
) -> int:
    """Do these claims about a board hold, beyond chance? Exit code 0 where all do, 1 where one does not, 2 for a wrong
    call.

    Claims: `mine > theirs`, `mine > theirs - 0.01`, `mine in top 3`, `tau(new, old) >= .9`; names with spaces or signs
    stand in quotes. Any coefficient may be claimed, and any board that --judges names. All are tested together (Holm).
    NEW is a file of scores on topics, of printed scores and errors, or of battles, whose strengths count ties as half a
    win; margins are in log-odds then.

    Example: `tauscope gate new.csv --baseline old.csv --claim "mine > theirs" --claim "tau(new, old) >= .9"`

    Parameters
    ----------
    new
        The board.
    claim
        A claim; give the option once for each.
    baseline
        The old board, for tau(new, old).
    judges
        Further boards, each as NAME=FILE, for claims such as tau_ap(NAME, old).
    level
        The confidence with which all answers are right at once.
    comment
        Also write the answers as Markdown to this file, for a comment on a pull request.
    markdown
        Print the answers as Markdown.
    json
        Print the answers as one JSON document.
    """
    if json and markdown:
        raise CallError("--json and --markdown: choose one.")
    with words.said():
        with progress("testing"):

            def read(file: Path) -> Any:
                return _strong(inputs.board([file], reading, printed, clusters, battles=True))

            old = None if baseline is None else read(baseline)
            named = {name: read(file) for name, file in inputs.files(judges, "--judges").items()}
            found = check_claims(read(new), claim, baseline=old, judges=named, level=level, rng=seed)
        if comment is not None:
            comment.write_text(found.markdown(), encoding="utf-8")
        if json:
            show_json(found.to_dict())
        elif markdown:
            print(found.markdown(), end="")
        else:
            show(*found.lines())
    return found.exit_code


def _strong(board: Any) -> Any:
    """Battles as their strengths, ties as half a win; everything else as it is."""
    from ..boards.bradley_terry import bradley_terry
    from ..scores.battles import Battles

    return bradley_terry(board, ties="half") if isinstance(board, Battles) else board
