"""What workers do: read a file, measure runs, compute intervals, make a page. Each takes `progress` by name."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import TauscopeError
from ..evaluation.evaluate import evaluate
from ..jobs.progress import Progress
from ..results import plain, wording
from ..scores import ScoreCube
from .questions import Question, Sure
from .reading import Understood, understand
from .screens import Shown


def read_file(path: Path, options: Mapping[str, str], max_bytes: int, *, progress: Progress) -> Understood:
    """A file as it is understood."""
    return understand(path, options, max_bytes)


def measure_runs(
    runs: Sequence[Path], qrels: Path, measures: Sequence[str], names: str, *, progress: Progress
) -> ScoreCube:
    """Scores of runs by the judgments of one file."""
    return evaluate(list(runs), qrels, list(measures), names=names, progress=progress)


def find_intervals(question: Question, *, progress: Progress) -> Sure:
    """How sure the point values are."""
    with wording(**words(question)):
        return question.sure(progress)


def find_points(question: Question, *, progress: Progress) -> dict[str, Any]:
    """Point values that take long: those of battles."""
    with wording(**words(question)):
        return question.points()


def waiting_screen(question: Question, points: dict[str, Any]) -> Shown:
    """The first screen with what is known at once."""
    with wording(**words(question)):
        return Shown.of(question.waiting(points))


def final_screen(question: Question, sure: Sure) -> Shown:
    """The first screen of the page, under the margin of the state."""
    with wording(**words(question)):
        same = not sure.made_of or question.state.margin == sure.margin
        return Shown.of(sure.screen if same else question.screen_again(sure) or sure.screen)


def find_table(question: Question, *, progress: Progress) -> dict[str, Any]:
    """The table that is taken away, column by column."""
    with wording(**words(question)):
        return {name: plain(list(values)) for name, values in question.table().columns().items()}


def make_page(question: Question, command: str, target: Path, *, progress: Progress) -> Path:
    """The report page as a file."""
    with wording(**words(question)):
        # Not by its own write(), which would add the path to the command on the page.
        target.write_bytes(question.page(progress, command).html().encode("utf-8", "replace"))
    return target


def draw_figures(question: Question, target: Path, *, progress: Progress) -> Path:
    """Every chart of the report as SVG and PNG, in one archive."""
    with tempfile.TemporaryDirectory(dir=target.parent) as folder, wording(**words(question)):
        drawn = question.page(progress, "").save_figures(folder, ["svg", "png"])
        if not drawn:
            raise TauscopeError("This answer has no charts to take away; the table has its numbers.")
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in drawn:
                archive.write(file, file.name)
    return target


def words(question: Question) -> dict[str, str]:
    """A board has models and tasks."""
    return {"systems": "models", "topics": "tasks"} if question.state.question == "board" else {}
