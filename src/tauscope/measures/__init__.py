"""Which measures to report, and what the others would have been: tables of measures and the functions that use them.

`correlations` says which measures agree, `rank` which few say most, `predict` what an unreported one would have been,
`low_to_high` how deep must be judged, and `select_topics` which topics suffice.
"""

from ..data.table import MeasureTable as Table
from .correlation import correlations
from .depths import low_to_high
from .prediction import predict
from .ranking import rank
from .topic_subsets import select_topics

__all__ = ["Table", "correlations", "low_to_high", "predict", "rank", "select_topics"]
