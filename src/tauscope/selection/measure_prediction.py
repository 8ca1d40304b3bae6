"""What predicting a measure gives: the best sets of predictors, how they do, and predictions for new systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..errors import CallError
from ..results import Result, count, number
from ..scores.labels import Labels, positions
from .columns import labels
from .models import Fitted, Variant
from .predicted_measure import PredictedMeasure, predicted
from .predictor_search import Fit, Training


class PredictorSet(NamedTuple):
    """A set of predictors and how it does: `fits` on the collection it was chosen on, then on those it was tested on."""

    predictors: Labels
    variant: str
    fits: tuple[Fit, ...]
    singular: bool = False

    def __str__(self) -> str:
        return " + ".join(self.predictors) + (f" ({self.variant})" if self.variant else "")


@dataclass(frozen=True, eq=False, repr=False)
class MeasurePrediction(Result):
    """How well a measure can be predicted from others: `.chosen`, the best sets of each size in `.sets`, `.predict(…)`."""

    target: str
    model: str
    criterion: str
    chosen: PredictorSet
    sets: tuple[PredictorSet, ...]
    tried: int
    singular: int
    systems: int
    chosen_on: str
    level: float
    intervals: str
    notes: tuple[str, ...] = ()
    _training: Training | None = field(default=None, repr=False)
    _variants: tuple[Variant, ...] = field(default=(), repr=False)

    def best(self, size: int) -> PredictorSet:
        """The best set of this many predictors."""
        for one in self.sets:
            if len(one.predictors) == size:
                return one
        sizes = sorted({len(one.predictors) for one in self.sets})
        raise CallError(f"No set of {size} predictors was tried; there are sizes {', '.join(map(str, sizes))}.")

    def frequencies(self) -> dict[str, int]:
        """How many of the sets in `.sets` each predictor is in, most frequent first."""
        return dict(Counter(name for one in self.sets for name in one.predictors).most_common())

    def fitted(self, one: PredictorSet | None = None) -> Fitted:
        """The trained model of a set, of the chosen one by default."""
        one = one or self.chosen
        if self._training is None:
            raise CallError("This result was made without its training data.")
        at = positions(one.predictors, self._training.measures, "measure")
        target = positions([self.target], self._training.measures, "measure")[0]
        variant = next(variant for variant in self._variants if variant.label == one.variant)
        return variant.train(self._training.values[:, at], self._training.values[:, target])

    def predict(self, scores: Any, *, size: int | None = None, level: float | None = None) -> PredictedMeasure:
        """The target of new systems, with prediction intervals.

        scores: {measure: value} of one system, {measure: values} of several, a MeasureTable or a ScoreCube. `size` asks for
        the best set of that many predictors instead of the chosen one.
        """
        one = self.chosen if size is None else self.best(size)
        if self._training is None:
            raise CallError("This result was made without its training data.")
        known = self._training.values[:, positions(one.predictors, self._training.measures, "measure")]
        return predicted(
            self.target, one.predictors, self.fitted(one), scores, known, self.level if level is None else level
        )

    def formula(self, size: int | None = None) -> str:
        """The regression in words: "AP = 0.012 + 0.83 Rprec"."""
        one = self.chosen if size is None else self.best(size)
        model: Any = self.fitted(one)
        if not hasattr(model, "slopes"):
            raise CallError(f"{self.model} has no formula.")
        terms = "".join(
            f" {'-' if s < 0 else '+'} {abs(s):.4g} {name}"
            for s, name in zip(model.slopes, one.predictors, strict=True)
        )
        return f"{self.target} = {model.intercept:.4g}{terms}"

    def lines(self) -> list[str]:
        first = self.chosen.fits[0]
        among = (
            f"best of {count(self.tried, 'set' if self.model == 'linear regression' else 'trained model')} by {_named(self.criterion)} on {first.collection}"
            if self.tried > 1
            else "the only set"
        )
        lines = [f"{self.target} from {self.chosen}: {self.model} on {count(self.systems, 'system')}, {among}"]
        lines.append(
            "; ".join(_in_words(fit, place == 0 and self.tried > 1) for place, fit in enumerate(self.chosen.fits))
        )
        covered = [f for f in self.chosen.fits if not np.isnan(f.covered)]
        if covered:
            shares = ", ".join(f"{round(f.covered * f.systems)} of {f.systems} on {f.collection}" for f in covered)
            lines.append(f"{self.level:.0%} prediction intervals ({self.intervals}) hold {shares}")
        return [*lines, *(f"note: {note}" for note in self.notes)]

    def columns(self) -> dict[str, Any]:
        return _table([self])

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "frequencies": self.frequencies()}

    def cited(self) -> tuple[str, ...]:
        return ("gupta2019", "kendall1945")

    def plot(self) -> Any:
        """Criterion of the best set of each size, a curve a collection."""
        from ..figures import curves

        sizes = sorted({len(one.predictors) for one in self.sets})
        rows = [{"predictors": size, "tau_b": fit.tau_b, "R²": fit.r2, "collection": fit.collection, "all": ""}
                for size in sizes for fit in self.best(size).fits]  # fmt: skip
        title = f"{self.target} from other measures"
        return curves(rows, x="predictors", ys=("tau_b", "R²"), line="collection", panel="all", title=title, least=-1.0)


@dataclass(frozen=True, eq=False, repr=False)
class MeasurePredictions(Result):
    """Several targets predicted alike: `predictions["AP"]`, the table (gupta2019, Table 1), how often predictors are chosen."""

    results: tuple[MeasurePrediction, ...]

    def __iter__(self) -> Iterator[MeasurePrediction]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, target: str) -> MeasurePrediction:
        at = positions(labels(target), tuple(one.target for one in self.results), "target")
        return self.results[at[0]]

    def frequencies(self) -> dict[str, int]:
        """How often each predictor is in the best set of a size, over all targets and sizes."""
        sizes = sorted({len(one.predictors) for result in self.results for one in result.sets})
        best = [r.best(k) for r in self.results for k in sizes if any(len(s.predictors) == k for s in r.sets)]
        return dict(Counter(name for one in best for name in one.predictors).most_common())

    def lines(self) -> list[str]:
        often = ", ".join(f"{name} {times}" for name, times in list(self.frequencies().items())[:5])
        good = [r.target for r in self.results if all(fit.tau_b >= 0.9 for fit in r.chosen.fits)]
        tried = sum(result.tried for result in self.results)
        where = ", ".join(fit.collection for fit in self.results[0].chosen.fits)
        return [
            f"{count(len(self), 'measure')} predicted from others: {self.results[0].model}, {count(tried, 'set')} tried",
            f"tau_b of at least .9 on {where}: {', '.join(good) or 'none'}",
            f"predictors most often in a best set: {often}",
        ]

    def columns(self) -> dict[str, Any]:
        return _table(self.results)

    def cited(self) -> tuple[str, ...]:
        return self.results[0].cited()


def _table(results: Sequence[MeasurePrediction]) -> dict[str, Any]:
    """A row for each set, in the order of size and criterion."""
    rows = [(result.target, one) for result in results for one in result.sets]
    table: dict[str, Any] = {"target": [t for t, _ in rows], "size": [len(one.predictors) for _, one in rows]}
    table["predictors"] = [str(one) for _, one in rows]
    for place, fit in enumerate(rows[0][1].fits):
        for name in ("tau_b", "r2", "rmse", "covered"):
            table[f"{name} {fit.collection}"] = [getattr(one.fits[place], name) for _, one in rows]
    return table


def _in_words(fit: Fit, here: bool) -> str:
    chosen_there = " (chosen there)" if here else ""
    return f"{fit.collection}{chosen_there}: tau_b {number(fit.tau_b)}, R² {number(fit.r2)}, RMSE {number(fit.rmse, 4)}"


def _named(criterion: str) -> str:
    return "R²" if criterion == "r2" else criterion
