"""The ways to estimate an expected correlation, as objects that print as you type them, and their short names."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import ClassVar

from ..coefficients.records import Coefficient
from ..errors import CallError

#: Coefficients that are a fixed sum over pairs once the estimate is known: only these have the shortcut.
SUMS_OVER_PAIRS = ("tau", "tau_ap")


@dataclass(frozen=True)
class Method:
    """One estimator. `closed_form`: pair by pair from a formula, so that only sums over pairs can be estimated."""

    NAME: ClassVar[str] = ""
    TEXT: ClassVar[str] = ""
    closed_form: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The short name, which the call accepts too."""
        return self.NAME

    @property
    def text(self) -> str:
        """What it is, for a line of a result."""
        return self.TEXT


@dataclass(frozen=True)
class Shrunk(Method):
    """Student's t with gaps shrunk by the reliability of the means: p = T(-sqrt(n g) d/s). The default."""

    NAME: ClassVar[str] = "shrunk"
    TEXT: ClassVar[str] = "shrunk gaps, Student's t"


@dataclass(frozen=True)
class MaximumLikelihood(Method):
    """Student's t with the unbiased standard deviation (urbano2016 eq. 5-7)."""

    NAME: ClassVar[str] = "ml"
    TEXT: ClassVar[str] = "maximum likelihood (urbano2016 eq. 7)"


@dataclass(frozen=True)
class QuantileDeviation(Method):
    """Student's t with the standard deviation of minimum squared quantile deviation (urbano2016 eq. 9)."""

    NAME: ClassVar[str] = "msqd"
    TEXT: ClassVar[str] = "minimum squared quantile deviation (urbano2016 eq. 9)"


@dataclass(frozen=True)
class KernelDensity(Method):
    """The mean of n draws from the kernel density of the differences, without drawing (urbano2016 3.1.4)."""

    NAME: ClassVar[str] = "kd"
    TEXT: ClassVar[str] = "kernel density (urbano2016 3.1.4), no resampling"


@dataclass(frozen=True)
class Resampling(Method):
    """Base of the methods that draw true means. `draws` is how many."""

    draws: int = 1000
    closed_form: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if isinstance(self.draws, bool) or not isinstance(self.draws, int) or self.draws < 1:
            raise CallError(f"{type(self).__name__}(draws={self.draws!r}): draws is a whole number of at least 1.")

    @property
    def text(self) -> str:
        return f"{self.draws:,} {self.TEXT}"


@dataclass(frozen=True)
class Bootstrap(Resampling):
    """Topics resampled with replacement (urbano2016 eq. 10), the same for all systems."""

    NAME: ClassVar[str] = "res"
    TEXT: ClassVar[str] = "resamples of topics (urbano2016 eq. 10)"


@dataclass(frozen=True)
class ScaledDraws(Resampling):
    """Resampled topics, their deviations scaled for small samples and for shrunk gaps: what intervals are made of."""

    draws: int = 2000
    NAME: ClassVar[str] = "draws"
    TEXT: ClassVar[str] = "scaled draws"


@dataclass(frozen=True)
class BayesianBootstrap(Resampling):
    """Topics with random weights (Dirichlet), scaled as `ScaledDraws`."""

    NAME: ClassVar[str] = "bayes"
    TEXT: ClassVar[str] = "scaled draws of a Bayesian bootstrap"


@dataclass(frozen=True)
class SplitHalf(Method):
    """The agreement of two samples of topics, extrapolated: urbano2016's baseline, not an estimate of the target."""

    replacement: bool = True
    closed_form: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return "shw" if self.replacement else "shwo"

    @property
    def text(self) -> str:
        return f"split-half {'with' if self.replacement else 'without'} replacement (urbano2016 4.2)"


BY_NAME: dict[str, Method] = {
    method.name: method
    for method in (
        Shrunk(), BayesianBootstrap(), MaximumLikelihood(), QuantileDeviation(), Bootstrap(), KernelDensity(),
        SplitHalf(True), SplitHalf(False), ScaledDraws(),
    )
}  # fmt: skip
#: The six estimators of urbano2016.
URBANO2016 = ("ml", "msqd", "res", "kd", "shw", "shwo")


def method_of(spec: str | Method | None, coefficient: Coefficient) -> Method:
    """The method meant, checked against the coefficient. None: shrunk, or its draws where there is no shortcut."""
    summed = coefficient.name in SUMS_OVER_PAIRS
    if spec is None:
        return Shrunk() if summed else ScaledDraws()
    if isinstance(spec, Method):
        method = spec
    else:
        key = str(spec).strip().lower()
        if key not in BY_NAME:
            near = difflib.get_close_matches(key, BY_NAME, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise CallError(f"There is no method {spec!r}.{hint} There are: {', '.join(BY_NAME)}.")
        method = BY_NAME[key]
    if not summed and not isinstance(method, Resampling):
        raise CallError(f"{refusal(coefficient)} Use method 'draws', 'res' or 'bayes', which resample topics.")
    return method


def refusal(coefficient: Coefficient) -> str:
    """Why a coefficient cannot be estimated pair by pair."""
    return f"The expected {coefficient} is not a sum of swap probabilities: {coefficient.no_swap_sum}."
