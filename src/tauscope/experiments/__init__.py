"""How do coefficients and estimators behave? The experiments of the papers, on your own data.

Each is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .judgments import incomplete_judgments as incomplete_judgments
    from .perturbation import perturb as perturb
    from .perturbation import swap_experiment as swap_experiment
    from .power import predictive_power as predictive_power
    from .study import estimator_study as estimator_study

#: Function -> module of this package.
_MODULES = {
    "estimator_study": ".study",
    "incomplete_judgments": ".judgments",
    "perturb": ".perturbation",
    "predictive_power": ".power",
    "reproduce": "..replications.reproduce",
    "swap_experiment": ".perturbation",
}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
