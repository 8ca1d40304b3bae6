"""The questions of the app. Each has its material, gives point values at once, and intervals when there is time.

Nothing is computed here: every number comes from a public function. A question can be sent to a worker.
"""

from __future__ import annotations

from .about_boards import AGGREGATES, Board, Measured, OneSet
from .about_judges import ManyJudges, OneJudge
from .base import Question, Sure

__all__ = ["AGGREGATES", "Board", "ManyJudges", "Measured", "OneJudge", "OneSet", "Question", "Sure"]
