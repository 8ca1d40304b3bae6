r"""Regression of one measure on others: every set of predictors at once, prediction intervals, and how good they are.

The predictors are centred, scaled to length 1 and decomposed once, X = QR. A regression on the set S is then the small
problem :math:`\min |z - R_S b|` with :math:`z = Q'y`. All sets of a size are solved together from the eigenvalues of
their correlations :math:`R_S'R_S`, with one step of refinement on the residuals :math:`z - R_S b`, which restores the
digits that squaring the condition number costs. A set with an eigenvalue below 1e-10 is singular, and its
pseudo-inverse is used.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, islice
from math import comb
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..coefficients.records import TAU_B
from ..core import kernels
from ..core.arrays import Bools, Floats, exponents, snap_rows
from ..errors import Advice, CallError, MissingPackageError, Option

Sets = NDArray[np.intp]

#: Below this eigenvalue of its correlations, a set has predictors that are combinations of each other.
LEAST_EIGENVALUE = 1e-10
#: The number of predictions that are made at once.
BLOCK = 1 << 22
#: The largest number of sets that are tried.
MOST_SETS = 5_000_000
#: Kernel sizes of the RBF machines that gupta2019 tried: exp(-|a - b|^2 / (2 size^2)), predictors standardised.
KERNEL_SIZES = (0.5, 1.0, 2.0, 5.0)
#: The number of parts of a cross-validation.
FOLDS = 10
KNOWN = Option("model", "linear", "svm", "boosting", effect="or an object such as sklearn.linear_model.Ridge()")


class Fits(NamedTuple):
    """Regressions on many sets of predictors of one size: prediction = intercept + sum of slope x predictor.

    Parameters
    ----------
    sets : array of int
        Sets x predictors: columns of the predictors.
    intercept : array
        One for each set.
    slopes : array
        Sets x predictors.
    inverse : array
        The inverse of X'X of each set, predictors centred and of length 1; the pseudo-inverse of a singular set.
    singular : array of bool
        Whether the predictors of a set are combinations of each other.
    """

    sets: Sets
    intercept: Floats
    slopes: Floats
    #: (X'X)^-1 of each set, predictors centred and of length 1; the pseudo-inverse where the set is singular.
    inverse: Floats
    singular: Bools

    def predictions(self, values: Floats) -> Floats:
        """Return sets x observations, summed element by element: equal rows get equal predictions to the last digit."""
        made = np.repeat(self.intercept[:, None], len(values), axis=1)
        columns = np.ascontiguousarray(values.T)
        for place in range(self.sets.shape[1]):
            made += self.slopes[:, place, None] * columns[self.sets[:, place]]
        return made


class LeastSquares:
    """Ordinary least squares with an intercept, of any column of a matrix on any sets of its other columns.

    The columns are centred, scaled to length 1 and decomposed once (QR); each regression is then a small problem.

    Parameters
    ----------
    values : array
        Observations x columns.
    """

    def __init__(self, values: Floats) -> None:
        self.values, self.means = values, values.mean(axis=0)
        centred = values - self.means
        powers = exponents(centred.T)
        scaled = np.ldexp(centred, -powers)
        lengths = np.ldexp(np.sqrt(np.einsum("ij,ij->j", scaled, scaled)), powers)
        # A column that is constant up to rounding has length 0.
        self.lengths = np.where(lengths > 1e-13 * np.abs(values).max(axis=0), lengths, 0.0)
        self.unit = np.divide(centred, self.lengths, out=np.zeros_like(centred), where=self.lengths > 0)
        self._r: Floats = np.asarray(np.linalg.qr(self.unit, mode="r"))

    def fit(self, sets: Sets, target: int) -> Fits:
        """Regress one column on many sets of others.

        Parameters
        ----------
        sets : array of int
            Sets x predictors: the columns of each set.
        target : int
            The column that is predicted.

        Returns
        -------
        Fits
        """
        columns = np.ascontiguousarray(self._r.T)
        parts, z = columns[sets], columns[target]  # sets x predictors x rows of R; of length 1, like the predictors
        eigenvalues, vectors = np.linalg.eigh(parts @ parts.transpose(0, 2, 1))
        regular = eigenvalues > LEAST_EIGENVALUE
        inverted = np.divide(1.0, eigenvalues, out=np.zeros_like(eigenvalues), where=regular)
        inverse = (vectors * inverted[:, None, :]) @ vectors.transpose(0, 2, 1)
        slopes = np.zeros(sets.shape)
        for _ in range(2):
            left = z - np.einsum("bk,bkr->br", slopes, parts)
            slopes += (inverse @ (parts @ left[:, :, None]))[:, :, 0]
        # A constant predictor has slope 0.
        known = self.lengths[sets] > 0
        slopes *= np.divide(self.lengths[target], self.lengths[sets], out=np.zeros(sets.shape), where=known)
        intercept = self.means[target] - np.einsum("bk,bk->b", slopes, self.means[sets])
        return Fits(sets, intercept, slopes, inverse, np.asarray(~regular.all(axis=1)))

    def left_out(self, fits: Fits, target: int) -> Floats:
        """Predict each observation by the regression on all the others.

        The residual without an observation is :math:`e/(1 - h)` with its leverage :math:`h = 1/n + x'(X'X)^{-1}x`, so
        that nothing is fitted again.

        Parameters
        ----------
        fits : Fits
            The regressions.
        target : int
            The column that is predicted.

        Returns
        -------
        ndarray
            Sets x observations; NaN for an observation that alone carries a slope.
        """
        truth, columns = self.values[:, target], np.ascontiguousarray(self.unit.T)[fits.sets]
        residuals = truth - fits.predictions(self.values)
        free = 1 - 1 / len(truth) - np.einsum("bkn,bkn->bn", columns, fits.inverse @ columns)
        # An observation that alone carries a slope cannot be left out: undefined, not infinite.
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(free > 1e-12, truth - residuals / free, np.nan))


def sets_of(predictors: Sets, size: int, block: int) -> Iterator[Sets]:
    """Return all sets of one size of these columns, in their order, in blocks."""
    tried = comb(len(predictors), size)
    if tried > MOST_SETS:
        raise CallError(
            f"{tried:,} sets of {size} of {len(predictors)} predictors are too many to try (at most {MOST_SETS:,}).",
            Option("max_predictors", size - 1, effect="to try smaller sets"),
            Advice("Or name fewer predictors."),
        )
    every = combinations(range(len(predictors)), size)
    while chosen := list(islice(every, block)):
        yield predictors[np.array(chosen, dtype=np.intp)]


class Fit(NamedTuple):
    """How well predictions do on one collection.

    Parameters
    ----------
    collection : str
        Name of the collection.
    systems : int
        Number of systems.
    tau_b : float
        Kendall's tau_b of the predicted values with the true ones.
    r2, rmse : float
        The coefficient of determination, and the root of the mean squared error.
    covered : float
        The share of the systems whose true value is inside its prediction interval; NaN if there are no intervals.
    """

    collection: str
    systems: int
    tau_b: float
    r2: float
    rmse: float
    covered: float = np.nan

    @classmethod
    def of(cls, collection: str, predictions: Floats, truth: Floats, covered: float = np.nan) -> Fit:
        """Compare one prediction per system with the truth."""
        tau, r2, rmse = quality(predictions[None], truth)
        return cls(collection, len(truth), float(tau[0]), float(r2[0]), float(rmse[0]), covered)


def quality(predictions: Floats, truth: Floats) -> tuple[Floats, Floats, Floats]:
    r"""Compare rows of predictions with the truth.

    .. math:: R^2 = 1 - \sum (\hat y - y)^2 / \sum (y - \bar y)^2

    Parameters
    ----------
    predictions : array
        Sets x observations.
    truth : array
        One value per observation.

    Returns
    -------
    tuple of ndarray
        Kendall's tau_b, R² and the root of the mean squared error of each row; NaN where one is undefined.
    """
    taus, _ = kernels.batch(TAU_B, np.ascontiguousarray(snap_rows(predictions)), np.ascontiguousarray(truth[None]))
    errors = predictions - truth
    powers, power = exponents(errors), int(exponents(truth))
    errors, truth = np.ldexp(errors, -powers[:, None]), np.ldexp(truth, -power)
    squares = np.einsum("bi,bi->b", errors, errors)
    spread = float(((truth - truth.mean()) ** 2).sum())
    constant = np.ptp(truth) <= 1e-12 * np.abs(truth).max()
    r2 = np.full(len(squares), np.nan) if constant else 1 - np.ldexp(squares / spread, 2 * (powers - power))
    return taus, r2, np.ldexp(np.sqrt(squares / len(truth)), powers)


class Fitted(Protocol):
    """A model after training."""

    #: How prediction intervals are found: "student" or "conformal".
    intervals: str

    def predict(self, values: Floats) -> Floats:
        """Return one prediction per row of predictors."""

    def half_widths(self, values: Floats, level: float) -> Floats:
        """Return half the width of each prediction interval."""


class Variant(NamedTuple):
    """One setting of a model.

    Parameters
    ----------
    label : str
        The setting, such as "kernel size 2"; "" if there is only one.
    train : callable
        Trains the model on predictors and target.
    """

    label: str
    train: Callable[[Floats, Floats], Fitted]


class LinearFit:
    r"""Least squares with an intercept, and Student's prediction intervals.

    .. math:: \hat y \pm t_{n-k-1}\, s \sqrt{1 + 1/n + x'(X'X)^{-1}x}
    """

    intervals = "student"

    def __init__(self, values: Floats, target: Floats) -> None:
        n, k = values.shape
        every = LeastSquares(np.column_stack([values, target]))
        self._fits = every.fit(np.arange(k, dtype=np.intp)[None], k)
        self.intercept, self.slopes = float(self._fits.intercept[0]), self._fits.slopes[0]
        self._n, self._freedom, self._deviation = n, n - k - 1, math.nan
        residuals = target - self.predict(values)
        power = int(exponents(residuals))
        residuals = np.ldexp(residuals, -power)
        if self._freedom > 0:
            self._deviation = math.ldexp(math.sqrt(float(residuals @ residuals) / self._freedom), power)
        self._means, self._lengths = every.means[:k], np.where(every.lengths[:k] > 0, every.lengths[:k], 1.0)

    def predict(self, values: Floats) -> Floats:
        return np.asarray(self._fits.predictions(values)[0])

    def half_widths(self, values: Floats, level: float) -> Floats:
        from scipy.special import stdtrit

        if self._freedom < 1:
            return np.full(len(values), np.nan)
        scaled = (values - self._means) / self._lengths
        spread = 1 + 1 / self._n + np.einsum("ik,kl,il->i", scaled, self._fits.inverse[0], scaled)
        return np.asarray(stdtrit(self._freedom, (1 + level) / 2) * self._deviation * np.sqrt(spread))


class RegressorFit:
    """Any regressor with fit() and predict(); its intervals are a quantile of cross-validated residuals (conformal)."""

    intervals = "conformal"

    def __init__(self, make: Callable[[], Any], values: Floats, target: Floats) -> None:
        self._make, self._values, self._target = make, values, target
        self._model = make()
        self._model.fit(values, target)
        self._residuals: Floats | None = None

    def predict(self, values: Floats) -> Floats:
        made = np.asarray(self._model.predict(values), dtype=np.float64).reshape(-1)
        if made.shape != (len(values),) or not np.isfinite(made).all():
            raise CallError(f"The model's predict() must give {len(values):,} finite numbers, one per system.")
        return made

    def half_widths(self, values: Floats, level: float) -> Floats:
        if self._residuals is None:
            made = cross_validated(partial(RegressorFit, self._make), self._values, self._target)
            self._residuals = np.sort(np.abs(self._target - made))
        n = len(self._residuals)
        rank = math.ceil((n + 1) * level)  # split conformal: the rank that covers a new, exchangeable system
        return np.full(len(values), np.inf if rank > n else self._residuals[rank - 1])


def cross_validated(train: Callable[[Floats, Floats], Fitted], values: Floats, target: Floats) -> Floats:
    """Predict each system by a model that was trained without its tenth of the systems.

    Neighbours in a table are often runs of one group, so that every tenth row is left out at a time.
    """
    made, fold = np.empty(len(target)), np.arange(len(target)) % min(FOLDS, len(target))
    for part in range(int(fold.max()) + 1):
        made[fold == part] = train(values[fold != part], target[fold != part]).predict(values[fold == part])
    return made


def variants(model: Any) -> tuple[str, tuple[Variant, ...]]:
    """Return the name and the settings of a model: a key of `MODELS`, or a regressor with fit() and predict()."""
    if isinstance(model, str):
        if model not in MODELS:
            raise CallError(f"model={model!r} is unknown.", KNOWN)
        if model != "linear":
            _need_sklearn()
        return MODELS[model]
    methods = (getattr(model, name, None) for name in ("fit", "predict"))
    if isinstance(model, type) or not all(map(callable, methods)):
        raise CallError(f"model={model!r} has no fit() and predict().", KNOWN)
    return type(model).__name__, (Variant("", partial(RegressorFit, partial(copy.deepcopy, model))),)


def _need_sklearn() -> None:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingPackageError(
            "This model needs scikit-learn, which is not installed.", Advice("Run: pip install 'tauscope[predict]'")
        ) from None


def _machine(size: float) -> Any:
    """Make a machine with C = 10 and a tube of .05 standard deviations, which gupta2019 does not state."""
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    machine = make_pipeline(StandardScaler(), SVR(kernel="rbf", gamma=1 / (2 * size * size), C=10.0, epsilon=0.05))
    return TransformedTargetRegressor(machine, transformer=StandardScaler())


def _boosting() -> Any:
    from sklearn.ensemble import GradientBoostingRegressor

    return GradientBoostingRegressor(random_state=0)


_MACHINES = tuple(Variant(f"kernel size {k:g}", partial(RegressorFit, partial(_machine, k))) for k in KERNEL_SIZES)
#: Value of `model=` -> its name, and the settings that are tried.
MODELS: dict[str, tuple[str, tuple[Variant, ...]]] = {
    "linear": ("linear regression", (Variant("", LinearFit),)),
    "svm": ("RBF support vector regression", _MACHINES),
    "boosting": ("gradient boosting", (Variant("", partial(RegressorFit, _boosting)),)),
}
