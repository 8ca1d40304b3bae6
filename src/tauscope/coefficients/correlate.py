"""`correlate()`: several coefficients of one pair of rankings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Never

from ..errors import CallError
from ..ranking import align
from ..results import Result, number
from ..ties import tolerances
from .batch import need_truth, truth_required
from .coefficient import Coefficient, with_other_ties
from .correlation import Correlation, evaluate
from .records import catalogue
from .top_k import align_top, check_top_k


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Correlations(Result):
    """What do several coefficients say of one pair of rankings? Look one up by name, or iterate.

    Attributes
    ----------
    results : tuple of Correlation
        One result per coefficient, in the order in which they were asked for.
    """

    results: tuple[Correlation, ...]

    def __iter__(self) -> Iterator[Correlation]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str | Coefficient) -> Correlation:
        wanted, there = catalogue[name], {str(result.coefficient): result for result in self.results}
        if str(wanted) not in there:
            raise CallError(f"{wanted} was not asked for; there are {', '.join(there)}.")
        return there[str(wanted)]

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is odd about the scores: an order that hangs on rounding."""
        return tuple(dict.fromkeys(text for r in self.results for text in r.cautions))

    def lines(self) -> list[str]:
        width = max(len(r.coefficient.name) for r in self.results)
        return [
            f"{r.coefficient.name.ljust(width)}  {number(r.value, 4).rjust(9)}   {r.undefined_because or ''}".rstrip()
            for r in self.results
        ]

    def methods_sentence(self) -> str:
        """The sentences a paper needs, one for each coefficient.

        Returns
        -------
        str
            As many sentences as there are coefficients.
        """
        return " ".join(result.methods_sentence() for result in self.results)

    def columns(self) -> dict[str, Any]:
        rows = [r.row() for r in self.results]
        return {key: [row[key] for row in rows] for key in rows[0]}

    def to_dict(self) -> dict[str, Any]:
        return {r.coefficient.name: r.to_dict() for r in self.results}

    def cited(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for r in self.results for key in r.cited()))

    def plot(self) -> Any:
        """Ranks in the one against ranks in the other."""
        return self.results[0].plot()


@truth_required
def correlate(
    estimate: Any,
    *unnamed: Never,
    truth: Any,
    coefficients: Iterable[str | Coefficient] | None = None,
    tied_within: Any = None,
    lower_is_better: bool = False,
    one_sided: str = "error",
    other_ties: str = "discordant",
    top_k: int | None = None,
) -> Correlations:
    """What do several coefficients say of one pair of rankings? Undefined ones are NaN with their reason.

    Parameters
    ----------
    estimate : ranking
        The ranking to judge: anything `Ranking` takes, or an array.
    truth : ranking
        The ranking that is right; always a keyword.
    coefficients : list of str or Coefficient, optional
        Which coefficients. By default all of the catalogue; with a tolerance those that take one, with `top_k` those of
        the order.
    tied_within : float, str or pair, optional
        Scores this close are tied: a number, a share such as "5%", or a pair (estimate, truth). By default the
        rankings' own.
    lower_is_better : bool, default False
        Whether the best item has the lowest score, in both rankings.
    one_sided : "error" or "drop", default "error"
        What to do with items that only one ranking has: "drop" compares those that both have, "error" names the others.
    other_ties : "discordant" or "zero", default "discordant"
        How tau_ap_b counts ties of the ranking that is not walked.
    top_k : int, optional
        Compares only the union of both top k; an item outside one of them is tied below it there.

    Returns
    -------
    Correlations

    Raises
    ------
    CallError
        Where the truth has no name, or an argument does not fit a coefficient.
    AlignmentError
        Where the rankings are not of the same items.

    See Also
    --------
    correlate_batch, correlation_matrix, choose

    Examples
    --------
    >>> print(correlate([3, 2, 1, 0], truth=[3, 2, 1, 1], coefficients=["tau", "tau_a", "tau_b"]))
    tau    undefined   there are ties in `truth`
    tau_a     0.8333
    tau_b     0.9129
    """
    need_truth("correlate", unnamed, truth)
    wanted = None if coefficients is None else _wanted(coefficients)
    both = "`estimate`", "`truth`"
    if top_k is None:
        data = align(estimate, truth, names=both, one_sided=one_sided)
    else:
        k = check_top_k(None, top_k)
        data = align_top(estimate, truth, k, names=both, tied_within=tied_within, lower_is_better=lower_is_better)
        for c in wanted or ():
            check_top_k(c, k)
    within = data.within if tied_within is None else tolerances(tied_within)
    if wanted is None:
        wide = bool(within[0].width or within[1].width)
        wanted = [c for c in catalogue if (c.takes_tolerance or not wide) and (c.ordinal or top_k is None)]
    chosen = [with_other_ties(c, other_ties) for c in wanted]
    return Correlations(
        results=tuple(evaluate(c, data, tied_within=within, lower_is_better=lower_is_better) for c in chosen)
    )


def _wanted(coefficients: Any) -> list[Coefficient]:
    """The records of the coefficients asked for."""
    names = [coefficients] if isinstance(coefficients, (str, Coefficient)) else list(coefficients)
    if not names:
        raise CallError("coefficients=[] asks for nothing.")
    return [catalogue[name] for name in names]
