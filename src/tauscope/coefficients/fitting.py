"""Which coefficients fit two rankings at hand, and whether another variant would change the conclusion."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..ranking import Aligned
from ..results import number
from .coefficient import Coefficient
from .correlation import Correlation, evaluate
from .head_weighted import TAU_AP, TAU_AP_A, TAU_AP_B
from .records import catalogue
from .rule_of_thumb import band
from .unweighted import TAU, TAU_B


def fitting(data: Aligned, within: Any, lower_is_better: bool, *, against_truth: bool) -> tuple[list[Coefficient], str]:
    """tau_b, and tau_ap in the variant that fits, and why."""
    if not against_truth:
        return [TAU_B, TAU_AP_B], "tau_b is the default; two opinions: tau_ap_b takes neither for the truth"
    wide = within is not None and any(w.width for w in within)
    if wide or any(evaluate(TAU_B, data, lower_is_better=lower_is_better).ties):
        return [TAU_B, TAU_AP_A], "tau_b is the default, for ties too; tau_ap_a is tau_ap against a truth with ties"
    return [TAU_B, TAU_AP], "tau_b is the default; without ties it is tau"


class Variants(NamedTuple):
    """The values of the three variants of a family; `moved` are those in another band than the one used."""

    values: dict[str, float]
    moved: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether they do not differ in three decimals."""
        return number(min(self.values.values())) == number(max(self.values.values()))


def variants(result: Correlation, data: Aligned, within: Any, lower_is_better: bool) -> Variants | None:
    """The variants of the family of a result; None where fewer than two have a value."""
    family = TAU_AP.instead if result.coefficient.head_weighted else TAU.instead
    values = {
        name: evaluate(catalogue[name], data, tied_within=within, lower_is_better=lower_is_better).value
        for name in family
    }
    defined = {name: value for name, value in values.items() if value == value}
    if result.undefined_because is not None or len(defined) < 2:
        return None
    return Variants(defined, tuple(name for name, value in defined.items() if band(value) != band(result.value)))


def stability(result: Correlation, data: Aligned, within: Any, lower_is_better: bool) -> str:
    """Whether another variant of the same family would put the value into another band; "" where they are equal."""
    found = variants(result, data, within, lower_is_better)
    if found is None or found.same:
        return ""
    low, high = min(found.values.values()), max(found.values.values())
    spread = f"{result.coefficient}: its variants lie between {number(low)} and {number(high)}"
    if not found.moved:
        return f"{spread}, all in the same band (below .8, to .9, above)"
    moved = " and ".join(f"{name} {number(found.values[name])}" for name in found.moved)
    return f"{spread}; {moved} would fall into another band (below .8, to .9, above): say which you use"
