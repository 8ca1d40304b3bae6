"""The search for predictors: every set is tried by linear regression, and the best of each size are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from typing import Any, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import Bools, Floats
from ..core.draws import Progress
from ..data.labels import Labels, positions, shown
from ..errors import Advice, CallError, Option, TauscopeError
from ..results import count
from .columns import Columns, as_collections, constant, labels, notes_on
from .least_squares import BLOCK, LeastSquares, Sets, sets_of
from .regression_models import FOLDS, Fit, LinearFit, Variant, quality, variants

CRITERIA = ("tau_b", "r2")
#: Criteria that agree in so many decimals are equal: fewer predictors win, then the order of the predictors.
EQUAL = 12


class Candidate(NamedTuple):
    """A set of predictors (columns), its criterion, and whether they are combinations of each other."""

    columns: tuple[int, ...]
    criterion: float
    singular: bool


@dataclass(frozen=True, eq=False)
class Training:
    """Systems x measures to learn from and, where there is one, to choose sets on; the same columns."""

    values: Floats
    selection: Floats | None
    measures: Labels

    @cached_property
    def squares(self) -> LeastSquares:
        """The regressions on these values."""
        return LeastSquares(self.values)


def search(
    training: Training,
    target: int,
    predictors: Sets,
    sizes: range,
    criterion: str,
    keep: int,
    progress: Progress | None = None,
) -> tuple[list[list[Candidate]], int, int]:
    """(the `keep` best sets of each size by linear regression, sets tried, singular ones among them)."""
    checking.one_of(criterion, CRITERIA, "criterion")
    rows = len(training.values if training.selection is None else training.selection)
    total = sum(comb(len(predictors), size) for size in sizes)
    best: list[list[Candidate]] = []
    tried = singular = 0
    for size in sizes:
        kept: list[Candidate] = []
        for sets in sets_of(predictors, size, max(1, BLOCK // max(rows, size * len(training.measures)))):
            values, odd = _scored(training, target, sets, criterion)
            tried, singular = tried + len(sets), singular + int(odd.sum())
            # A stable sort: of equal criteria the set that comes first stays first.
            order = np.argsort(-np.round(np.where(np.isnan(values), -np.inf, values), EQUAL), kind="stable")[:keep]
            kept += [Candidate(tuple(sets[i].tolist()), float(values[i]), bool(odd[i])) for i in order]
            kept.sort(key=lambda one: -_rounded(one.criterion))
            del kept[keep:]
            if progress:
                progress(tried, total)
        best.append(kept)
    return best, tried, singular


def _scored(training: Training, target: int, sets: Sets, criterion: str) -> tuple[Floats, Bools]:
    fits = training.squares.fit(sets, target)
    if training.selection is None:
        truth, made = training.values[:, target], training.squares.left_out(fits, target)
    else:
        truth, made = training.selection[:, target], fits.predictions(training.selection)
    taus, r2, _ = quality(made, truth)
    return (r2 if criterion == "r2" else taus), fits.singular


def _rounded(value: float) -> float:
    return -np.inf if np.isnan(value) else round(value, EQUAL)


def chosen(best: list[list[Candidate]]) -> Candidate:
    """The best of all sizes; of equal ones the smallest."""
    return max((size[0] for size in best if size), key=lambda one: (_rounded(one.criterion), -len(one.columns)))


class PredictorSet(NamedTuple):
    """A set of predictors; `fits` on the collection it was chosen on, then on those it was tested on."""

    predictors: Labels
    variant: str
    fits: tuple[Fit, ...]
    singular: bool = False

    def __str__(self) -> str:
        return " + ".join(self.predictors) + (f" ({self.variant})" if self.variant else "")


@dataclass(frozen=True, kw_only=True)
class Plan:
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
        checking.whole(self.smallest, "min_predictors", least=1)
        checking.whole(self.largest, "max_predictors", least=1)
        checking.whole(self.keep, "keep", least=1)
        if self.shortlist is not None:
            checking.whole(self.shortlist, "shortlist", least=1)
        if self.smallest > self.largest:
            raise CallError(
                f"min_predictors={self.smallest} is more than max_predictors={self.largest}.",
                Option("max_predictors", self.smallest),
            )
        checking.level(self.level)


class Found(NamedTuple):
    """What a search gave: the model and its variants, the sets kept, the best of them, how many were tried, notes."""

    model: str
    variants: tuple[Variant, ...]
    sets: tuple[PredictorSet, ...]
    best: PredictorSet
    tried: int
    singular: int
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Trials:
    """The collections, cut to the measures that all have."""

    training: Training
    predictors: Labels
    selection: str
    others: tuple[Columns, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, train: Any, select_on: Any, test: Any, *, targets: Sequence[str] | None, predictors: Any, by: str
    ) -> Trials:
        """The door: collections to learn from, to choose on, to test on."""
        if select_on is not None and select_on is train:
            raise CallError(
                "select_on is the training data itself.",
                Advice("Leave it out: then each system is left out in turn."),
            )
        learnt = as_collections(train, by, "predict()")
        chosen_on = [] if select_on is None else as_collections(select_on, by, "predict()")
        tested = [] if isinstance(test, (list, tuple)) and not test else as_collections(test, by, "predict()")
        if len(chosen_on) > 1:
            raise CallError(
                f"select_on is one collection, and {len(chosen_on)} are given.",
                Advice("What sets are tested on goes into `test`."),
            )
        every = [*learnt, *chosen_on, *tested]
        asked = () if targets is None else labels(targets)
        if predictors is None:
            allowed = kept = tuple(m for m in learnt[0].measures if all(m in one.measures for one in every))
            notes = notes_on(every, kept)
        else:
            allowed, notes = labels(predictors), notes_on(every)
            kept = tuple(dict.fromkeys((*allowed, *asked)))
        _need(every, (*kept, *asked))
        cut = [one.select(kept) for one in every]
        values = np.concatenate([one.values for one in cut[: len(learnt)]])
        still = set(_constant(values, kept))
        if dropped := [m for m in kept if m in still and m not in asked]:
            notes = (*notes, f"constant in training, so no predictor: {shown(dropped)}")
        names = _unique_names([*chosen_on, *tested])
        others = tuple(replace(one, name=name) for one, name in zip(cut[len(learnt) :], names, strict=True))
        return cls(
            training=Training(values, others[0].values if chosen_on else None, kept),
            predictors=tuple(m for m in allowed if m not in still),
            selection=names[0] if chosen_on else "training, left out in turn",
            others=others,
            notes=notes,
        )

    def canonical(self, target: str) -> str:
        """The label of a target, which must be there and vary."""
        name = labels(target)[0]
        at = positions([name], self.training.measures, "measure")[0]
        if _constant(self.training.values[:, [at]], (name,)):
            raise TauscopeError(f"{name} is constant in training, so there is nothing to predict.")
        if self.training.selection is not None and np.ptp(self.training.selection[:, at]) == 0:
            raise TauscopeError(
                f"{name} is constant on {self.selection}, so no set can be chosen there.", Advice("Choose on another.")
            )
        return name

    def find(self, target: str, plan: Plan, progress: Progress | None) -> Found:
        """The best sets of predictors of one target."""
        plan.check()
        name, models = variants(plan.model)
        at = positions([target], self.training.measures, "measure")[0]
        columns, sizes = self._to_try(target, plan)
        linear = plan.model == "linear"
        wanted = plan.keep if linear else max(plan.keep, plan.shortlist or 10**9)
        told = progress if linear else None
        best, tried, singular = search(self.training, at, columns, sizes, plan.criterion, wanted, told)
        notes = list(self.notes)
        if linear:
            labelled = {one.columns: "" for size in best for one in size}
        else:
            if plan.shortlist is not None and any(len(size) == wanted for size in best):
                notes.append(f"{name} was tried on the {wanted} best sets of each size by linear regression")
            best, labelled, tried = self._refit(at, best, models, plan, progress)
        if singular:
            why = "predictors that are combinations of each other"
            notes.append(f"{count(singular, 'singular set')} solved by the pseudo-inverse: {why}")
        by_label = {variant.label: variant for variant in models}
        # Ten more fits of a set tell how many systems an interval holds; without a formula only the best of a size is
        # asked.
        sets = tuple(
            self._described(one, at, by_label[labelled[one.columns]], plan.level if linear or not place else None)
            for size in best
            for place, one in enumerate(size)
        )
        winner = next(s for s in sets if s.predictors == self._names(chosen(best).columns))
        if any(fit.r2 < 0 for fit in winner.fits):
            notes.append(
                "a negative R² says that the values are off, by more than their own spread; "
                "the order can still be right"
            )
        return Found(name, tuple(models), sets, winner, tried, singular, tuple(notes))

    def _to_try(self, target: str, plan: Plan) -> tuple[Sets, range]:
        """Columns of the predictors, and sizes of the sets; enough systems for the largest."""
        allowed = [m for m in self.predictors if m != target]
        if not allowed:
            raise TauscopeError(f"No measure is left to predict {target} from.")
        if plan.smallest > len(allowed):
            raise CallError(
                f"min_predictors={plan.smallest}, and there are {count(len(allowed), 'predictor')}.",
                Option("min_predictors", len(allowed)),
            )
        sizes = range(plan.smallest, min(plan.largest, len(allowed)) + 1)
        n, largest = len(self.training.values), sizes[-1]
        if n < largest + 2:
            least = largest + 2
            raise TauscopeError(
                f"{count(n, 'system')} in training {'is' if n == 1 else 'are'} too few for an intercept, "
                f"{count(largest, 'slope')} and an error: {least} are needed.",
                Option("max_predictors", n - 2)
                if n - 2 >= plan.smallest
                else Advice("Give more systems to learn from."),
            )
        return np.array(positions(allowed, self.training.measures, "measure"), dtype=np.intp), sizes

    def _names(self, columns: tuple[int, ...]) -> Labels:
        return tuple(self.training.measures[i] for i in columns)

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
            scored.sort(key=lambda one: -_rounded(one.criterion))
            found.append(scored[: plan.keep])
        return found, labelled, done

    def _criterion(self, one: Candidate, target: int, variant: Variant, criterion: str) -> float:
        columns, selection = list(one.columns), self.training.selection
        if selection is None:
            made, truth = self._in_turn(one, target, variant), self.training.values[:, target]
        else:
            fitted = variant.train(self.training.values[:, columns], self.training.values[:, target])
            made, truth = fitted.predict(selection[:, columns]), selection[:, target]
        fit = Fit.of("", made, truth)
        return fit.r2 if criterion == "r2" else fit.tau_b

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
        columns, truth = list(one.columns), self.training.values[:, target]
        fitted = variant.train(self.training.values[:, columns], truth)
        fits = []
        if self.training.selection is None:
            fits.append(Fit.of(self.selection, self._in_turn(one, target, variant), truth))
        for other in self.others:
            made, truth = fitted.predict(other.values[:, columns]), other.values[:, target]
            covered = np.nan
            if level is not None:
                covered = float((np.abs(truth - made) <= fitted.half_widths(other.values[:, columns], level)).mean())
            fits.append(Fit.of(other.name, made, truth, covered))
        return PredictorSet(self._names(one.columns), variant.label, tuple(fits), one.singular)


def _constant(values: Floats, measures: Labels) -> list[str]:
    return constant(Columns(values=values, measures=measures, name="", by="system", systems=()))


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
