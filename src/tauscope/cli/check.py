"""`tauscope check`: the linter of scores, and agreement of two sets of judgments."""

from __future__ import annotations

from ..evaluation.qrels import Qrels
from ..io.read import kind_of
from ..reading import check as find_problems
from . import inputs
from .adapter import Rendered
from .options import Columns, Files, Format


def check(files: Files, /, *, format: Format = None, columns: Columns = None, rendered: Rendered = Rendered()) -> int:
    """Find problems in scores that would trouble a comparison: ties by rounding, constant systems, gaps, and so on.

    Two sets of scores are also compared with each other, and of two sets of judgments (qrels) it says how far the
    assessors agree. Exit code 1 if there is an error.

    Example: `tauscope check judge.csv human.csv`

    Parameters
    ----------
    files
        Score matrices or tables, a folder, the output of an evaluation tool, one file per run, or two qrels files.
    """
    if len(files) == 2 and all(path.is_file() and kind_of(path) == "judgments" for path in files):
        first, second = map(Qrels.read, files)
        rendered.write(first.compare(second, names=inputs.names_of_sides(*files)))
        return 0
    read = inputs.anything(files, format, columns)
    found = find_problems(*read.values(), names=list(read))
    rendered.write(found)
    return 1 if found.worst == "error" else 0
