"""The catalogue: what each coefficient is, as data, so that docs, `choose()`, the CLI and the tests read one record."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ..errors import CallError
from ..results import as_html


class Ties(Enum):
    """What a coefficient takes a tie to mean."""

    FORBIDDEN = "not defined with ties"
    INDISCERNIBLE = "too close to call"
    EQUAL = "a statement that the two are equal"
    SKIPPED = "no order, so the pair does not count"
    SCORES = "just two equal scores"


@dataclass(frozen=True)
class Coefficient:
    """One rank correlation. `walks` says whose positions give the head its weight; `takes_tolerance`, whether
    `tied_within` applies; `instead`, what to use where it does not, or where there are ties."""

    name: str
    symbol: str
    title: str
    question: str
    formula: str
    paper: str
    equation: str
    when_not: str
    symmetric: bool
    head_weighted: bool
    gap_sensitive: bool
    ties: Ties
    walks: str | None = None
    takes_tolerance: bool = False
    instead: tuple[str, ...] = ()
    range: tuple[float, float] = (-1.0, 1.0)
    #: Why the expected value is no sum of swap probabilities over pairs; "" where it is one.
    no_swap_sum: str = "it is no sum over pairs of systems"
    #: Whether its weights are the scores of the truth, which can then be neither negative nor lower for better.
    weights_are_scores: bool = False
    #: Why a threshold for ties cannot be calibrated by it; "" where it can.
    no_calibration: str = "it takes no threshold"

    @property
    def ordinal(self) -> bool:
        """Whether only the order of the scores counts (with a tolerance: of the scores and their ties)."""
        return not self.gap_sensitive

    def __str__(self) -> str:
        return self.name


TAU = Coefficient(
    "tau", "τ", "Kendall's tau", "How much more often do two rankings without ties agree on the order of a pair than disagree?",
    "(concordant − discordant) / (n(n−1)/2)", "kendall1938", "radja2018 eq. 2.1",
    "there are ties, or the head matters more than the tail",
    symmetric=True, head_weighted=False, gap_sensitive=False, ties=Ties.FORBIDDEN, instead=("tau_a", "tau_b", "tau_e"),
    no_swap_sum="",
)  # fmt: skip
TAU_A = Coefficient(
    "tau_a", "τ_a", "Kendall's tau_a", "How accurate is a ranking with ties, measured against the truth?",
    "Σ sign(x_j−x_i)·sign(y_j−y_i) / (n(n−1)/2)", "kendall1945", "radja2018 eq. 2.3, 6.1",
    "both rankings are opinions (tau_b), or a tie says that two systems are equal (tau_e)",
    symmetric=True, head_weighted=False, gap_sensitive=False, ties=Ties.INDISCERNIBLE, takes_tolerance=True,
    no_swap_sum="with ties a pair is more than swapped or not",
    no_calibration="every tie only lowers it, so the best threshold is none",
)  # fmt: skip
TAU_B = Coefficient(
    "tau_b", "τ_b", "Kendall's tau_b", "How far do two observers agree, where neither is asked to repeat the other's ties?",
    "Σ sign(x_j−x_i)·sign(y_j−y_i) / √((N−t_X)(N−t_Y)),  N = n(n−1)/2", "kendall1945", "radja2018 eq. 2.4, 6.3",
    "one ranking is the truth (tau_a), or a tie says that two systems are equal (tau_e)",
    symmetric=True, head_weighted=False, gap_sensitive=False, ties=Ties.INDISCERNIBLE, takes_tolerance=True,
    no_swap_sum="its denominator depends on the unknown truth's ties",
    no_calibration="it excuses ties, so the best threshold ties nearly all",
)  # fmt: skip
TAU_E = Coefficient(
    "tau_e", "τ_e", "tau_e", "How far do two rankings agree when a tie is a statement: these systems are equal?",
    "2/N · Σ c_ij − 1,  c_ij = 1 when both order, or both tie, the pair", "radja2018", "radja2018 eq. 5.1, 6.6",
    "a tie only means too close to call: that is tau_a (against a truth) or tau_b",
    symmetric=True, head_weighted=False, gap_sensitive=False, ties=Ties.EQUAL, takes_tolerance=True,
    no_swap_sum="it needs the chance that two true means are equal, not only that they are swapped",
    no_calibration="",
)  # fmt: skip
TAU_AP = Coefficient(
    "tau_ap", "τ_ap", "AP correlation",
    "How right is a ranking without ties, above all at its head, measured against the truth?",
    "2/(n−1) · Σ_{i=2..n} C_i/(i−1) − 1,  C_i = items above rank i of the estimate that the truth puts above too",
    "yilmaz2008", "urbano2016 eq. 2",
    "there are ties, or the two rankings are opinions of equal standing (tau_ap_b)",
    symmetric=False, head_weighted=True, gap_sensitive=False, ties=Ties.FORBIDDEN, walks="estimate",
    instead=("tau_ap_a", "tau_ap_b", "tau_ap_e"),
    no_swap_sum="",
)  # fmt: skip
TAU_AP_A = Coefficient(
    "tau_ap_a", "τ_ap,a", "AP correlation for ties against a truth",
    "How right is a ranking with ties, above all at its head, measured against the truth?",
    "1/(n−1) · Σ_i h_i Σ_{j above i} sign(x_i−x_j)·sign(y_i−y_j),  h_i = Σ_{k=1..t_i} 1/(t_i(p_i+k−2))",
    "urbano2017", "radja2018 eq. 4.4, 6.2",
    "both rankings are opinions (tau_ap_b), or a tie says that two systems are equal (tau_ap_e)",
    symmetric=False, head_weighted=True, gap_sensitive=False, ties=Ties.INDISCERNIBLE, walks="estimate", takes_tolerance=True,
    no_swap_sum="with ties a pair is more than swapped or not",
    no_calibration="every tie only lowers it, so the best threshold is none",
)  # fmt: skip
TAU_AP_B = Coefficient(
    "tau_ap_b", "τ_ap,b", "AP correlation for ties between observers",
    "How far do two observers agree, above all at the head, where neither is asked to repeat the other's ties?",
    "(τ_ap,ties(Y|X) + τ_ap,ties(X|Y)) / 2, each the mean over pivots that have something above their tie group",
    "urbano2017", "radja2018 eq. 4.7, 4.8, 6.4, 6.5",
    "one ranking is the truth (tau_ap_a), or a tie says that two systems are equal (tau_ap_e)",
    symmetric=True, head_weighted=True, gap_sensitive=False, ties=Ties.INDISCERNIBLE, walks="both", takes_tolerance=True,
    no_swap_sum="one of its walks goes through the unknown truth",
    no_calibration="it excuses ties, so the best threshold ties nearly all",
)  # fmt: skip
TAU_AP_E = Coefficient(
    "tau_ap_e", "τ_ap,e", "AP correlation for equal ties",
    "How right is a ranking, above all at its head, when a tie is a statement: these systems are equal?",
    "2/(n−1) · Σ_{i=2..n} Σ_{j<i} c_ij/(i−1) − 1, averaged over the orders of equal estimates",
    "radja2018", "radja2018 eq. 5.2, 6.7",
    "a tie only means too close to call: that is tau_ap_a (against a truth) or tau_ap_b",
    symmetric=False, head_weighted=True, gap_sensitive=False, ties=Ties.EQUAL, walks="estimate", takes_tolerance=True,
    no_swap_sum="it needs the chance that two true means are equal, not only that they are swapped",
    no_calibration="it walks the estimate, whose ties the threshold changes",
)  # fmt: skip
TAU_GAP = Coefficient(
    "tau_gap", "τ_gap", "tau_gap",
    "How right is a ranking, above all at its head and where the truth sees large differences?",
    "2/P · Σ_i Σ_{j above i} |CG_ji| / Σ_{j above i} |G_ji| − 1, over the P pivots with a gap above them",
    "gao2015", "gao2015 eq. 3",
    "differences of the truth's scores mean nothing (ordinal scales), or small differences are what you care about",
    symmetric=False, head_weighted=True, gap_sensitive=True, ties=Ties.SKIPPED, walks="estimate",
    instead=("tau_ap_a", "tau_ap_b", "tau_ap_e"),
    no_swap_sum="its weights depend on the unknown truth",
)  # fmt: skip
PEARSON_RANK = Coefficient(
    "pearson_rank", "ρ_r", "Pearson Rank",
    "Do the scores themselves agree, above all among the best systems of the truth, even where no pair is swapped?",
    "Σ_i x_i ρ_i / Σ_i x_i,  ρ_i = correlation of the differences to pivot i over the items above it in the truth",
    "gao2016", "gao2016",
    "truth scores can be negative or lower is better (they are its weights), or only the order matters",
    symmetric=False, head_weighted=True, gap_sensitive=True, ties=Ties.SCORES, walks="truth",
    instead=("tau_ap_a", "tau_ap_b", "tau_ap_e"),
    no_swap_sum="its order and weights depend on the unknown truth", weights_are_scores=True,
)  # fmt: skip
PEARSON = Coefficient(
    "pearson", "r", "Pearson's r", "Do two sets of scores lie on a line?",
    "cov(x, y) / (σ_x σ_y)", "pearson1895", "gao2015 eq. 1",
    "only the order matters, or a few outliers would decide",
    symmetric=True, head_weighted=False, gap_sensitive=True, ties=Ties.SCORES, instead=("tau_a", "tau_b", "tau_e"),
)  # fmt: skip
SPEARMAN = Coefficient(
    "spearman", "ρ", "Spearman's rho", "Do two sets of ranks lie on a line?",
    "Pearson's r of the mid-ranks", "spearman1904", "textbook",
    "you want a probability: tau is the difference between the chances of agreement and disagreement of a pair, rho is not",
    symmetric=True, head_weighted=False, gap_sensitive=False, ties=Ties.SCORES, instead=("tau_a", "tau_b", "tau_e"),
)  # fmt: skip


class Catalogue:
    """All coefficients: iterate over the records, look one up by name, print the map of the family."""

    def __init__(self, records: tuple[Coefficient, ...]) -> None:
        self._records = {record.name: record for record in records}

    def __iter__(self) -> Iterator[Coefficient]:
        return iter(self._records.values())

    def __len__(self) -> int:
        return len(self._records)

    def __contains__(self, name: object) -> bool:
        return name in self._records or name in self._records.values()

    def __getitem__(self, name: str | Coefficient) -> Coefficient:
        if isinstance(name, Coefficient):
            return name
        key = str(name).strip().lower().replace("-", "_").replace("τ", "tau").replace(",", "_")
        if key in self._records:
            return self._records[key]
        near = difflib.get_close_matches(key, self._records, 1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise CallError(f"There is no coefficient {name!r}.{hint} There are: {', '.join(self._records)}.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._records)

    def columns(self) -> dict[str, list[Any]]:
        """The map, column by column."""
        return {
            "name": [c.name for c in self],
            "symbol": [c.symbol for c in self],
            "symmetric": ["yes" if c.symmetric else "no" for c in self],
            "head": ["yes" if c.head_weighted else "no" for c in self],
            "gaps": ["yes" if c.gap_sensitive else "no" for c in self],
            "tied_within": ["yes" if c.takes_tolerance else "no" for c in self],
            "a tie is": [c.ties.value for c in self],
            "paper": [c.paper for c in self],
        }

    def __str__(self) -> str:
        columns = self.columns()
        widths = {key: max(len(key), *map(len, values)) for key, values in columns.items()}
        rows = [list(columns), *zip(*columns.values(), strict=True)]
        return "\n".join(
            "  ".join(v.ljust(w) for v, w in zip(row, widths.values(), strict=True)).rstrip() for row in rows
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html([f"{len(self)} coefficients"], self.columns())


catalogue = Catalogue((TAU, TAU_A, TAU_B, TAU_E, TAU_AP, TAU_AP_A, TAU_AP_B, TAU_AP_E, TAU_GAP, PEARSON_RANK, PEARSON,
                       SPEARMAN))  # fmt: skip
