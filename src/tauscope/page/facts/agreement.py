"""How far the estimate agrees with the reference, by the coefficient that fits and by all others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from ...coefficients.correlate import Correlations, correlate
from ...coefficients.correlation import Correlation, evaluate
from ...coefficients.fitting import fitting, stability
from ...coefficients.records import catalogue
from ...judges.agreement import Agreement as Comparison
from ...judges.agreement import agree
from ...ranking import Aligned, align
from ...ties import tolerances
from ..at_once import at_once
from ..material import Material


@dataclass(frozen=True, kw_only=True, eq=False)
class Agreement:
    """The estimate against the reference: the coefficient that fits, the head-weighted one beside it, all others."""

    data: Aligned
    within: Any
    chosen: Correlation
    head: Correlation
    because: str
    every: Correlations
    #: The chosen ones without the noise of topics, where both sides have complete scores.
    compared: tuple[Comparison, ...] = ()

    @cached_property
    def stability(self) -> str:
        """Whether another variant of the same family would change the conclusion; "" where they do not differ."""
        texts = (stability(one, self.data, self.within, False) for one in (self.chosen, self.head))
        return ". ".join(filter(None, texts))


def agreement_of(material: Material) -> Agreement | None:
    """None where there is one side only."""
    if material.estimate is None:
        return None
    estimate, truth, names = material.estimate.ranking, material.reference.ranking, material.shown_names
    data = align(estimate, truth, names=names)
    within = None if material.tied_within is None else tolerances(material.tied_within)
    (tau, tau_ap), because = fitting(data, within, False, against_truth=True)
    if material.coefficient:
        asked = catalogue[material.coefficient]
        because = "it was asked for"
        tau, tau_ap = asked, asked if asked.head_weighted else tau_ap
    chosen, head = (evaluate(c, data, tied_within=within, names=names) for c in (tau, tau_ap))
    return Agreement(
        data=data,
        within=within,
        chosen=chosen,
        head=head,
        because=because,
        every=correlate(estimate, truth=truth, tied_within=within),
        compared=_compared(material, list(dict.fromkeys(c.name for c in (tau, tau_ap)))),
    )


def _compared(material: Material, names: list[str]) -> tuple[Comparison, ...]:
    estimate, truth = material.estimate, material.reference.complete
    if estimate is None or estimate.complete is None or truth is None:
        return ()
    without_noise = partial(agree, estimate.complete, truth, level=material.level, seed=material.seed)
    return tuple(at_once(*(partial(without_noise, coefficient=name) for name in names)))
