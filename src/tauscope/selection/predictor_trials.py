"""Trying sets of predictors: the collections cut to the measures that all have, every set scored, the best described."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats
from ..errors import CallError, TauscopeError
from ..jobs.progress import Progress
from ..results import count
from ..scores.labels import Labels, positions, shown
from .columns import Columns, as_collections, check_level, constant, labels, notes_on, whole
from .measure_prediction import MeasurePrediction, PredictorSet
from .models import FOLDS, LinearFit, Variant, variants
from .predictor_search import Candidate, Fit, Training, chosen, quality, search


class Plan(NamedTuple):
    """What to try and what to keep."""

    smallest: int
    largest: int
    model: Any
    criterion: str
    keep: int
    shortlist: int | None
    level: float

    def check(self) -> None:
        """Errors of the call."""
        for name, value in (("min_predictors", self.smallest), ("max_predictors", self.largest), ("keep", self.keep)):
            if not whole(value):
                raise CallError(f"{name}={value!r}: give a whole number of at least 1.")
        if self.shortlist is not None and not whole(self.shortlist):
            raise CallError(f"shortlist={self.shortlist!r}: give a whole number of at least 1, or None for all sets.")
        if not 1 <= self.smallest <= self.largest:
            raise CallError(f"min_predictors={self.smallest} and max_predictors={self.largest}: give 1 <= min <= max.")
        if self.keep < 1 or (self.shortlist is not None and self.shortlist < 1):
            raise CallError("keep and shortlist must be at least 1.")
        check_level(self.level)


@dataclass(frozen=True, eq=False)
class Trials:
    """The collections, cut to the measures that all have."""

    training: Training
    predictors: Labels
    selection: str
    others: tuple[Columns, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, train: Any, select_on: Any, test: Any, targets: Sequence[str] | None, predictors: Any, by: str
    ) -> Trials:
        if select_on is not None and select_on is train:
            raise CallError(
                "select_on is the training data itself. Leave it out: then each system is left out in turn."
            )
        learnt = as_collections(train, by, "predict_measure()")
        chosen_on = [] if select_on is None else as_collections(select_on, by, "predict_measure()")
        tested = [] if isinstance(test, (list, tuple)) and not test else as_collections(test, by, "predict_measure()")
        if len(chosen_on) > 1:
            raise CallError("select_on is one collection; what sets are tested on goes into `test`.")
        every = [*learnt, *chosen_on, *tested]
        if predictors is None:
            kept = tuple(m for m in learnt[0].measures if all(m in one.measures for one in every))
            left = [m for m in dict.fromkeys(m for one in every for m in one.measures) if m not in kept]
            notes = (*notes_on(every), *((f"left out, not in every collection: {shown(left)}",) if left else ()))
            allowed = kept
        else:
            allowed, notes = labels(predictors), notes_on(every)
            asked = () if targets is None else labels(targets)
            kept = tuple(dict.fromkeys((*allowed, *asked)))
        _need(every, (*kept, *(() if targets is None else labels(targets))))
        names = _unique_names([*chosen_on, *tested])
        cut = [one.select(kept) for one in every]
        values = np.concatenate([one.values for one in cut[: len(learnt)]])
        selection = cut[len(learnt)].values if chosen_on else None
        still = set(constant(Columns(values, kept, "", "system", ())))
        allowed = tuple(m for m in allowed if m not in still)
        if dropped := [m for m in kept if m in still and (targets is None or m not in labels(targets))]:
            notes = (*notes, f"constant in training, so no predictor: {shown(dropped)}")
        others = tuple(Columns(one.values, kept, name, one.by, one.systems) for one, name in zip(cut[len(learnt) :], names, strict=True))  # fmt: skip
        return cls(
            Training(values, selection, kept),
            allowed,
            names[0] if chosen_on else "training, left out in turn",
            others,
            notes,
        )

    def canonical(self, target: str) -> str:
        """The label of a target, which must be there and vary."""
        name = labels(target)[0]
        at = positions([name], self.training.measures, "measure")[0]
        if name in constant(Columns(self.training.values[:, [at]], (name,), "", "system", ())):
            raise TauscopeError(f"{name} is constant in training, so there is nothing to predict.")
        if self.training.selection is not None and np.ptp(self.training.selection[:, at]) == 0:
            raise TauscopeError(
                f"{name} is constant on {self.selection}, so no set can be chosen there. Choose on another."
            )
        return name

    def predict(self, target: str, plan: Plan, progress: Progress | None) -> MeasurePrediction:
        plan.check()
        name, tried_models = variants(plan.model)
        at = positions([target], self.training.measures, "measure")[0]
        allowed = [m for m in self.predictors if m != target]
        if not allowed:
            raise TauscopeError(f"No measure is left to predict {target} from.")
        columns = np.array(positions(allowed, self.training.measures, "measure"), dtype=np.intp)
        if plan.smallest > len(allowed):
            raise CallError(f"min_predictors={plan.smallest}, and there are {count(len(allowed), 'predictor')}.")
        sizes = range(plan.smallest, min(plan.largest, len(allowed)) + 1)
        self._need_rows(sizes[-1])
        linear = plan.model == "linear"
        wanted = plan.keep if linear else max(plan.keep, plan.shortlist or 10**9)
        best, tried, singular = search(
            self.training, at, columns, sizes, plan.criterion, wanted, progress if linear else None
        )
        notes = self.notes
        if not linear:
            if plan.shortlist is not None and any(len(size) == wanted for size in best):
                notes = (*notes, f"{name} was tried on the {wanted} best sets of each size by linear regression")
            best, labelled, tried = self._refit(at, best, tried_models, plan, progress)
        else:
            labelled = {one.columns: "" for size in best for one in size}
        if singular:
            notes = (
                *notes,
                f"{count(singular, 'singular set')} solved by the pseudo-inverse: predictors that are combinations of each other",
            )
        by_label = {variant.label: variant for variant in tried_models}
        # Ten more fits a set tell how many systems an interval holds; without a formula only the best of a size is asked.
        sets = tuple(
            self._described(one, at, by_label[labelled[one.columns]], plan.level if linear or not place else None)
            for size in best
            for place, one in enumerate(size)
        )
        winner = next(s for s in sets if s.predictors == self._names(chosen(best).columns))
        if any(fit.r2 < 0 for fit in winner.fits):
            notes = (
                *notes,
                "a negative R² says that the values are off, by more than their own spread; the order can still be right",
            )
        return MeasurePrediction(
            target, name, plan.criterion, winner, sets, tried, singular, len(self.training.values), self.selection, plan.level,
            tried_models[0].intervals, notes, self.training, tuple(tried_models),
        )  # fmt: skip

    def _names(self, columns: tuple[int, ...]) -> Labels:
        return tuple(self.training.measures[i] for i in columns)

    def _need_rows(self, largest: int) -> None:
        n = len(self.training.values)
        if n < largest + 2:
            most = n - 2
            way = f"at most {count(most, 'predictor')} (max_predictors={most})" if most > 0 else "more systems"
            raise TauscopeError(
                f"{count(n, 'system')} in training {'is' if n == 1 else 'are'} too few for an intercept, {count(largest, 'slope')} and an error: "
                f"{largest + 2} are needed. Use {way}."
            )

    def _refit(
        self, target: int, best: list[list[Candidate]], models: list[Variant], plan: Plan, progress: Progress | None
    ) -> tuple[list[list[Candidate]], dict[tuple[int, ...], str], int]:
        """The shortlist under another model: (best sets of each size, variant of each, models trained)."""
        total = sum(len(size) for size in best) * len(models)
        done, labelled, found = 0, {}, []
        for size in best:
            scored = []
            for one in size:
                values = []
                for variant in models:
                    values.append(self._criterion(one, target, variant, plan.criterion))
                    done += 1
                    if progress:
                        progress(done, total)
                place = int(np.nanargmax(values)) if not np.isnan(values).all() else 0
                labelled[one.columns] = models[place].label
                scored.append(one._replace(criterion=values[place]))
            scored.sort(key=lambda one: -np.inf if np.isnan(one.criterion) else -round(one.criterion, 12))
            found.append(scored[: plan.keep])
        return found, labelled, done

    def _criterion(self, one: Candidate, target: int, variant: Variant, criterion: str) -> float:
        columns, selection = list(one.columns), self.training.selection
        if selection is None:
            made, truth = self._in_turn(one, target, variant), self.training.values[:, target]
        else:
            fitted = variant.train(self.training.values[:, columns], self.training.values[:, target])
            made, truth = fitted.predict(selection[:, columns]), selection[:, target]
        tau, r2, _ = quality(made[None], truth)
        return float(tau[0] if criterion == "tau_b" else r2[0])

    def _in_turn(self, one: Candidate, target: int, variant: Variant) -> Floats:
        """Each training system as predicted without it; models without a shortcut leave out a tenth at a time."""
        if variant.train is LinearFit:
            squares, sets = self.training.squares, np.array([one.columns], dtype=np.intp)
            return np.asarray(squares.left_out(squares.fit(sets, target), target)[0])
        values, truth = self.training.values[:, list(one.columns)], self.training.values[:, target]
        made, fold = np.empty(len(truth)), np.arange(len(truth)) % min(FOLDS, len(truth))
        for part in range(int(fold.max()) + 1):
            made[fold == part] = variant.train(values[fold != part], truth[fold != part]).predict(values[fold == part])
        return made

    def _described(self, one: Candidate, target: int, variant: Variant, level: float | None) -> PredictorSet:
        columns = list(one.columns)
        fitted = variant.train(self.training.values[:, columns], self.training.values[:, target])
        fits = [] if self.training.selection is not None else [self._left_out(one, target, variant)]
        for other in self.others:
            made, truth = fitted.predict(other.values[:, columns]), other.values[:, target]
            tau, r2, rmse = quality(made[None], truth)
            covered = np.nan
            if level is not None:
                covered = float((np.abs(truth - made) <= fitted.half_widths(other.values[:, columns], level)).mean())
            fits.append(Fit(other.name, len(truth), float(tau[0]), float(r2[0]), float(rmse[0]), covered))
        return PredictorSet(self._names(one.columns), variant.label, tuple(fits), one.singular)

    def _left_out(self, one: Candidate, target: int, variant: Variant) -> Fit:
        tau, r2, rmse = quality(self._in_turn(one, target, variant)[None], self.training.values[:, target])
        return Fit(self.selection, len(self.training.values), float(tau[0]), float(r2[0]), float(rmse[0]))


def _need(collections: Sequence[Columns], measures: Sequence[str]) -> None:
    """Every collection must have every measure; the error says which one lacks which."""
    for place, one in enumerate(collections):
        for measure in measures:
            if measure not in one.measures:
                where = f"{one.name!r}" if one.name else f"collection {place + 1}"
                if any(measure in other.measures for other in collections):
                    raise TauscopeError(f"There is no measure {measure!r} in {where}; it has {shown(one.measures, 8)}.")
                positions([measure], one.measures, "measure")


def _unique_names(collections: Sequence[Columns]) -> list[str]:
    found: list[str] = []
    for place, one in enumerate(collections):
        name = one.name or f"collection {place + 1}"
        found.append(name if name not in found else f"{name} ({place + 1})")
    return found
