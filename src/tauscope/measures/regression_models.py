"""Models that predict one measure from others, with an interval for a new system; and how well predictions do."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..coefficients.unweighted import TAU_B
from ..core import kernels
from ..core.arrays import Floats, exponents
from ..core.ties import snap_rows
from ..errors import Advice, CallError, MissingPackageError, Option
from .least_squares import LeastSquares

#: Kernel sizes of the RBF machines that gupta2019 tried: exp(-|a - b|^2 / (2 size^2)), predictors standardised.
KERNEL_SIZES = (0.5, 1.0, 2.0, 5.0)
#: Parts in which residuals of a model without a formula are found by cross-validation.
FOLDS = 10
KNOWN = Option("model", "linear", "svm", "boosting", effect="or an object such as sklearn.linear_model.Ridge()")


class Fit(NamedTuple):
    """How well predictions do on one collection: order (tau_b), values (R², RMSE), and the share of systems covered."""

    collection: str
    systems: int
    tau_b: float
    r2: float
    rmse: float
    #: How many of the systems, as a share, lie in their prediction interval.
    covered: float = np.nan

    @classmethod
    def of(cls, collection: str, predictions: Floats, truth: Floats, covered: float = np.nan) -> Fit:
        """From one prediction per system."""
        tau, r2, rmse = quality(predictions[None], truth)
        return cls(collection, len(truth), float(tau[0]), float(r2[0]), float(rmse[0]), covered)


def quality(predictions: Floats, truth: Floats) -> tuple[Floats, Floats, Floats]:
    """(tau_b, R², RMSE) of each row of predictions; undefined is NaN."""
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

    #: How `half_widths` are found, in words.
    intervals: str

    def predict(self, values: Floats) -> Floats:
        """One prediction per row of predictors."""

    def half_widths(self, values: Floats, level: float) -> Floats:
        """Half of the width of each prediction interval."""


class Variant(NamedTuple):
    """One model to try: what to print of it, how to train it on (predictors, target), how its intervals are found."""

    label: str
    train: Callable[[Floats, Floats], Fitted]
    intervals: str


class LinearFit:
    """Least squares with an intercept; y ± t_{n-k-1} s sqrt(1 + 1/n + x'(X'X)^-1 x)."""

    intervals = "least squares, Student's t"

    def __init__(self, values: Floats, target: Floats) -> None:
        n, k = values.shape
        every = LeastSquares(np.column_stack([values, target]))
        one = np.arange(k, dtype=np.intp)[None]
        fits = every.fit(one, k)
        self.intercept, self.slopes = float(fits.intercept[0]), fits.slopes[0]
        self._fits = fits
        self._freedom = n - k - 1
        residuals = target - self.predict(values)
        power = int(exponents(residuals))
        residuals = np.ldexp(residuals, -power)
        self._deviation = math.nan
        if self._freedom > 0:
            self._deviation = math.ldexp(math.sqrt(float(residuals @ residuals) / self._freedom), power)
        self._means, self._lengths = every.centred.means[:k], every.centred.lengths[:k]
        self._inverse, self._n = every.inverses(one)[0], n

    def predict(self, values: Floats) -> Floats:
        return np.asarray(self._fits.predictions(values)[0])

    def half_widths(self, values: Floats, level: float) -> Floats:
        from scipy.special import stdtrit

        scaled = (values - self._means) / np.where(self._lengths > 0, self._lengths, 1.0)
        spread = 1 + 1 / self._n + np.einsum("ik,kl,il->i", scaled, self._inverse, scaled)
        if self._freedom < 1:
            return np.full(len(values), np.nan)
        return np.asarray(stdtrit(self._freedom, (1 + level) / 2) * self._deviation * np.sqrt(spread))


class RegressorFit:
    """Any regressor with fit() and predict(); the interval is a quantile of cross-validated residuals (conformal)."""

    intervals = f"quantile of the absolute residuals of {FOLDS}-fold cross-validation"

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
            self._residuals = self._cross_validated()
        n = len(self._residuals)
        rank = math.ceil((n + 1) * level)  # split conformal: the rank that covers a new, exchangeable system
        width = np.inf if rank > n else float(np.sort(self._residuals)[rank - 1])
        return np.full(len(values), width)

    def _cross_validated(self) -> Floats:
        n = len(self._target)
        # Neighbours in a table are often runs of one group: every FOLDS-th row leaves some of each in training.
        fold = np.arange(n) % min(FOLDS, n)
        residuals = np.empty(n)
        for one in range(int(fold.max()) + 1):
            out = fold == one
            model = self._make()
            model.fit(self._values[~out], self._target[~out])
            residuals[out] = np.abs(self._target[out] - np.asarray(model.predict(self._values[out])).reshape(-1))
        return residuals


def variants(model: Any) -> tuple[str, list[Variant]]:
    """(name, what to try) of `model`: "linear", "svm", "boosting", or a regressor with fit() and predict()."""
    if isinstance(model, str):
        if model == "linear":
            return "linear regression", [Variant("", LinearFit, LinearFit.intervals)]
        if model == "svm":
            _need_sklearn()
            return "RBF support vector regression", [
                _variant(partial(_machine, size), f"kernel size {size:g}") for size in KERNEL_SIZES
            ]
        if model == "boosting":
            _need_sklearn()
            return "gradient boosting", [_variant(_boosting)]
        raise CallError(f"model={model!r} is unknown.", KNOWN)
    if isinstance(model, type) or not (
        callable(getattr(model, "fit", None)) and callable(getattr(model, "predict", None))
    ):
        raise CallError(f"model={model!r} has no fit() and predict().", KNOWN)
    return type(model).__name__, [_variant(lambda: copy.deepcopy(model))]


def _variant(make: Callable[[], Any], label: str = "") -> Variant:
    return Variant(label, lambda values, target: RegressorFit(make, values, target), RegressorFit.intervals)


def _need_sklearn() -> None:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingPackageError(
            "This model needs scikit-learn, which is not installed.", Advice("Run: pip install 'tauscope[predict]'")
        ) from None


def _machine(size: float) -> Any:
    """Predictors and target standardised; C = 10 and a tube of .05 standard deviations (the paper does not say)."""
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    machine = make_pipeline(StandardScaler(), SVR(kernel="rbf", gamma=1 / (2 * size * size), C=10.0, epsilon=0.05))
    return TransformedTargetRegressor(machine, transformer=StandardScaler())


def _boosting() -> Any:
    from sklearn.ensemble import GradientBoostingRegressor

    return GradientBoostingRegressor(random_state=0)
