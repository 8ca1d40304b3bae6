"""Which coefficient answers the question: where, what and when of radja2018 chapter 3, and gao2016's properties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .. import checking
from ..results import Result
from ..ties import tolerance
from .coefficient import Coefficient
from .head_weighted import TAU_GAP
from .records import catalogue
from .unweighted import PEARSON

COMPARE = ("truth", "observers")
TIES = ("indiscernible", "equal", "none")


@dataclass(frozen=True, kw_only=True, repr=False)
class Choice(Result):
    """Which coefficient is it, and why?

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    because : str
        Why it is the one.
    warnings : tuple of str
        What it cannot do of what was wished.
    nearest : tuple of str
        What comes near.
    tied_within : float or str
        The tolerance that was wished.
    """

    NO_FIGURE: ClassVar[str] = ": it is a recommendation in words"
    INSTEAD: ClassVar[str] = "call() shows how it is called, and the result of that call has a figure."
    NO_SENTENCE: ClassVar[str] = ": it is a recommendation, and the result of the call that it shows has the sentence"

    coefficient: Coefficient
    because: str
    warnings: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    tied_within: float | str = 0.0

    def call(self) -> str:
        """How is it called?

        Returns
        -------
        str
            The call, as one types it.
        """
        within = f", tied_within={self.tied_within!r}" if self.tied_within else ""
        second = "second" if self.coefficient.symmetric else "truth=truth"
        first = "first" if self.coefficient.symmetric else "estimate"
        return f"tauscope.{self.coefficient}({first}, {second}{within})"

    def lines(self) -> list[str]:
        lines = [f"{self.coefficient}: {self.because}", *(f"note: {warning}" for warning in self.warnings)]
        if self.nearest:
            lines.append(f"near: {', '.join(self.nearest)}")
        return [*lines, f"call: {self.call()}"]

    def columns(self) -> dict[str, Any]:
        row = self.to_dict() | {"warnings": "; ".join(self.warnings), "nearest": ", ".join(self.nearest)}
        return {name: [value] for name, value in row.items()}

    def to_dict(self) -> dict[str, Any]:
        return {
            "coefficient": self.coefficient.name,
            "because": self.because,
            "warnings": list(self.warnings),
            "nearest": list(self.nearest),
            "call": self.call(),
        }

    def cited(self) -> tuple[str, ...]:
        return (self.coefficient.paper, "radja2018", *(("gao2016",) if self.coefficient.gap_sensitive else ()))


def choose(
    compare: str = "observers",
    ties: str = "indiscernible",
    *,
    tied_within: float | str = 0.0,
    head_weighted: bool = False,
    gap_sensitive: bool = False,
) -> Choice:
    """Which coefficient answers my question, and why?

    The questions are those of radja2018, chapter 3: where, what and when. Wishes that no coefficient fulfils get the
    nearest one, with what is missing in `.warnings`.

    Parameters
    ----------
    compare : "truth" or "observers", default "observers"
        "truth" when one ranking is right by definition and the other is measured against it, "observers" when both are
        opinions (where: section 3.1).
    ties : "indiscernible", "equal" or "none", default "indiscernible"
        What a tie means: too close to call, a statement that two are equal, or "none" when there are no ties (what).
    tied_within : float or str, default 0.0
        Scores this close count as tied (when): a number or a share such as "5%".
    head_weighted : bool, default False
        Whether errors at the top count more.
    gap_sensitive : bool, default False
        Whether swaps of very different systems count more (gao2016).

    Returns
    -------
    Choice

    Raises
    ------
    CallError
        Where a wish is unknown.

    Examples
    --------
    >>> choose("truth", "indiscernible", head_weighted=True).coefficient.name
    'tau_ap_a'
    """
    checking.one_of(compare, COMPARE, "compare")
    checking.one_of(ties, TIES, "ties")
    width = tolerance(tied_within).width
    warnings: list[str] = []
    if width and ties == "none":
        ties = "indiscernible"
        warnings.append("a tolerance makes ties; they are taken to mean too close to call")
    if gap_sensitive and not width and ties != "equal":
        return _gap_sensitive(compare, ties, head_weighted, warnings)
    if gap_sensitive:
        why = "a tolerance" if width else "ties that mean equal"
        warnings.append(f"no gap-sensitive coefficient has a place for {why}; the gaps are left out")
    return _ordinal(compare, ties, head_weighted, tied_within if width else 0.0, warnings)


def _gap_sensitive(compare: str, ties: str, head_weighted: bool, warnings: list[str]) -> Choice:
    if not head_weighted:
        return Choice(
            coefficient=PEARSON,
            because="gap-sensitive and not head-weighted: it compares the scores themselves",
            warnings=tuple(warnings),
            nearest=("tau_gap", "pearson_rank"),
        )
    if compare == "observers":
        warnings.append(
            "no head-weighted, gap-sensitive coefficient is symmetric: tau_gap takes its gaps from the ranking you "
            "call the truth; "
            "report both directions"
        )
    if ties == "indiscernible":
        warnings.append("pairs tied in the estimate do not count in tau_gap")
    return Choice(
        coefficient=TAU_GAP,
        because="head-weighted and gap-sensitive: large differences of the truth near the head cost most",
        warnings=tuple(warnings),
        nearest=("pearson_rank", "tau_ap_a" if compare == "truth" else "tau_ap_b"),
    )


def _ordinal(compare: str, ties: str, head_weighted: bool, within: float | str, warnings: list[str]) -> Choice:
    family = "tau_ap" if head_weighted else "tau"
    where = "one ranking is the truth" if compare == "truth" else "both rankings are opinions"
    head = "head-weighted" if head_weighted else "all ranks count alike"
    nearest: tuple[str, ...] = ()
    if ties == "equal":
        name, what = f"{family}_e", "a tie is a statement that two are equal"
        nearest = (f"{family}_{'a' if compare == 'truth' else 'b'}",)
        if head_weighted and compare == "observers":
            warnings.append(
                "tau_ap_e walks one ranking only, so it is not symmetric: report both directions, or their mean"
            )
            nearest = ("tau_ap_b", "tau_e")
    elif ties == "none":
        name, what = family, "there are no ties"
        if head_weighted and compare == "observers":
            name = "tau_ap_b"
            what = "there are no ties, and tau_ap walks one ranking: tau_ap_b is the mean of both walks"
            nearest = ("tau_ap",)
    else:
        name, what = f"{family}_{'a' if compare == 'truth' else 'b'}", "a tie means too close to call"
        nearest = (f"{family}_e",)
    because = f"{where}; {what}; {head}"
    return Choice(
        coefficient=catalogue[name], because=because, warnings=tuple(warnings), nearest=nearest, tied_within=within
    )
