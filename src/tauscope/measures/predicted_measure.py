"""`PredictedMeasure`: a measure predicted for new systems, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core import checking
from ..core.arrays import Bools, Floats
from ..data.cube import ScoreCube
from ..data.labels import Labels
from ..data.names import MeasureName
from ..data.table import MeasureTable
from ..errors import Advice, CallError, TauscopeError
from ..results import Plain
from .columns import as_columns, labels
from .regression_models import Fitted


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PredictedMeasure(Plain):
    """What a measure would have been for new systems, with prediction intervals.

    An interval does not leave the range of its measure, but for a value that is itself outside, which is said.

    Attributes
    ----------
    target : str
        The measure that is predicted.
    predictors : tuple of str
        The measures that it is predicted from.
    systems : tuple of str
        The new systems.
    values : array
        One prediction per system.
    low, high : array
        The ends of the prediction intervals.
    level : float
        The level of the intervals.
    intervals : str
        How the intervals were found, in words.
    extrapolated : tuple of bool
        Which systems have a predictor outside what was seen in training.
    """

    QUESTION: ClassVar[str] = "predicted"
    target: str
    predictors: Labels
    systems: Labels
    values: Floats
    low: Floats
    high: Floats
    level: float
    intervals: str
    extrapolated: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def outside(self) -> Bools:
        """array of bool: Which values the measure cannot have, since a regression does not know its range."""
        lowest, highest = MeasureName.parse(self.target).range
        return np.asarray((self.values < lowest) | (self.values > highest))

    @property
    def range(self) -> tuple[float, float]:
        """Range of the measure."""
        return MeasureName.parse(self.target).range

    def columns(self) -> dict[str, Any]:
        return {
            "system": list(self.systems),
            self.target: self.values,
            "low": self.low,
            "high": self.high,
            "extrapolated": list(self.extrapolated),
        }

    def cited(self) -> tuple[str, ...]:
        return ("gupta2019",)


def predicted(
    target: str, predictors: Labels, model: Fitted, scores: Any, *, seen: Floats, level: float
) -> PredictedMeasure:
    """The target of new systems; `seen` are the predictors in training."""
    level = checking.level(level)
    values, systems = _rows(scores, predictors)
    made = model.predict(values)
    half = model.half_widths(values, level)
    lowest, highest = MeasureName.parse(target).range
    slack = 1e-12 * np.abs(seen).max(axis=0)
    outside = ((values < seen.min(axis=0) - slack) | (values > seen.max(axis=0) + slack)).any(axis=1)
    # System by system: what one of them is does not depend on the others in the call.
    low, high = np.maximum(made - half, np.minimum(lowest, made)), np.minimum(made + half, np.maximum(highest, made))
    return PredictedMeasure(
        target=target,
        predictors=predictors,
        systems=systems,
        values=made,
        low=low,
        high=high,
        level=level,
        intervals=model.intervals,
        extrapolated=tuple(outside.tolist()),
    )


def _rows(scores: Any, predictors: Labels) -> tuple[Floats, Labels]:
    """Systems x predictors, and the names of the systems."""
    if isinstance(scores, (MeasureTable, ScoreCube)):
        table = as_columns(scores, "system", "predict()")
        return table.select(predictors).values, table.systems
    if not isinstance(scores, Mapping):
        raise CallError(
            f"predict() takes {{measure: value}}, a measures.Table or a ScoreCube, not {type(scores).__name__}."
        )
    given = dict(zip(labels([str(name) for name in scores]), scores.values(), strict=True))
    missing = [name for name in predictors if name not in given]
    if missing:
        raise TauscopeError(f"predict() needs {', '.join(predictors)}; not given: {', '.join(missing)}.")
    try:
        columns = [np.atleast_1d(np.asarray(given[name], dtype=np.float64)) for name in predictors]
    except (TypeError, ValueError):
        given_instead = "predict() takes numbers, and one of the values given is none."
        raise CallError(given_instead, Advice("Such as {'P@10': 0.55, 'nDCG@20': 0.41}.")) from None
    if len({column.shape for column in columns}) > 1 or columns[0].ndim > 1:
        raise CallError("predict() takes one value of each measure, or equally many.")
    if not len(columns[0]):
        raise CallError(f"predict() was given no values of {', '.join(predictors)}; give one per system.")
    values = np.column_stack(columns)
    if not np.isfinite(values).all():
        raise TauscopeError("predict() needs finite numbers; a measure that is missing cannot predict.")
    return values, tuple(map(str, range(1, len(values) + 1)))
