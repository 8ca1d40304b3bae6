"""Which coefficient answers the question: where, what and when of radja2018 chapter 3, and gao2016's properties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .. import checking
from ..results import Plain
from ..ties import tolerance
from .coefficient import Coefficient
from .head_weighted import TAU_GAP
from .records import catalogue
from .unweighted import PEARSON

COMPARE = ("truth", "observers")
TIES = ("indiscernible", "equal", "none")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Choice(Plain):
    """Which coefficient is it, and why?

    Attributes
    ----------
    coefficient : Coefficient
        The record of the coefficient.
    compare, ties : str
        What is compared, and what a tie means.
    nearest : tuple of str
        What comes near.
    tied_within : float or str
        The tolerance that was wished.
    notes : tuple of str
        Codes of what the coefficient cannot do of what was wished; the answer has them in words.
    """

    QUESTION: ClassVar[str] = "choice"

    coefficient: Coefficient
    compare: str
    ties: str
    nearest: tuple[str, ...] = ()
    tied_within: float | str = 0.0
    notes: tuple[str, ...] = ()

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

    def columns(self) -> dict[str, Any]:
        return {"coefficient": [self.coefficient.name], "call": [self.call()], "nearest": [", ".join(self.nearest)]}

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"call": self.call()}

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
    nearest one, with what is missing in `.notes`, and in words in the answer.

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
    notes: list[str] = []
    if width and ties == "none":
        ties = "indiscernible"
        notes.append("tolerance_ties")
    known: dict[str, Any] = {"compare": compare, "ties": ties, "tied_within": tied_within if width else 0.0}
    if gap_sensitive and not width and ties != "equal":
        if not head_weighted:
            return Choice(coefficient=PEARSON, nearest=("tau_gap", "pearson_rank"), notes=tuple(notes), **known)
        notes += ["gaps_of_one"] * (compare == "observers") + ["ties_left_out"] * (ties == "indiscernible")
        near = ("pearson_rank", "tau_ap_a" if compare == "truth" else "tau_ap_b")
        return Choice(coefficient=TAU_GAP, nearest=near, notes=tuple(notes), **known)
    notes += ["gaps_left_out"] * gap_sensitive
    family, opinions = "tau_ap" if head_weighted else "tau", compare == "observers"
    variant = f"{family}_{'b' if opinions else 'a'}"
    walked = head_weighted and opinions
    nearest: tuple[str, ...]
    if ties == "equal":
        name, nearest = f"{family}_e", ("tau_ap_b", "tau_e") if walked else (variant,)
        notes += ["walks_one"] * walked
    elif ties == "none":
        name, nearest = ("tau_ap_b", ("tau_ap",)) if walked else (family, ())
    else:
        name, nearest = variant, (f"{family}_e",)
    return Choice(coefficient=catalogue[name], nearest=nearest, notes=tuple(notes), **known)
