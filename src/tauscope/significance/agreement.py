"""`significance_agreement()`: which significant differences does a judge share with the truth, contradict, miss,
invent?
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..files.door import ScoresLike, takes_scores
from ..jobs.draws import SIGNIFICANCE_DRAWS
from ..jobs.seeds import Rng, remembered
from ..results import Result, count, number, plain, word
from ..scores.alignment import REQUIRED, aligned_scores, require_truth
from .matrix import SignificanceMatrix, significance_matrix

#: What can become of a pair of systems, the truth's view first.
KINDS = ("shared", "contradicted", "missed", "invented", "neither")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SignificanceAgreement(Result):
    """Pairs of systems by what estimate and truth say of them.

    Parameters
    ----------
    shared : int
        Pairs of which both see the same significant difference.
    contradicted : int
        Pairs of which both see a significant difference, in opposite directions.
    missed : int
        Pairs of which only the truth sees one.
    invented : int
        Pairs of which only the estimate sees one.
    neither : int
        All other pairs.
    pairs : tuple of (str, str, str)
        All but the last as (kind, better, worse), in the truth's direction, of invented ones in the estimate's.
    estimate, truth : SignificanceMatrix
        The two matrices that are compared.
    notes : tuple of str
        What was dropped.
    """

    shared: int
    contradicted: int
    missed: int
    invented: int
    neither: int
    pairs: tuple[tuple[str, str, str], ...]
    estimate: SignificanceMatrix
    truth: SignificanceMatrix
    notes: tuple[str, ...] = ()

    @property
    def precision(self) -> float:
        """Of the differences that the estimate finds, the share that the truth finds too; NaN where there are none."""
        found = self.shared + self.contradicted + self.invented
        return self.shared / found if found else float("nan")

    @property
    def recall(self) -> float:
        """Of the differences that the truth finds, the share that the estimate finds too; NaN where there are none."""
        found = self.shared + self.contradicted + self.missed
        return self.shared / found if found else float("nan")

    def lines(self) -> list[str]:
        total = self.shared + self.contradicted + self.missed + self.invented + self.neither
        first = (
            f"Of {count(self.truth.significant, 'significant difference')} in the truth the estimate shares "
            f"{self.shared:,}, contradicts {self.contradicted:,}, misses {self.missed:,}, and invents {self.invented:,}"
        )
        second = (
            f"precision {number(self.precision)}, recall {number(self.recall)}; {count(total, 'pair')} of "
            f"{count(len(self.truth.systems), 'system')}, {self.neither:,} different in neither"
        )
        return [first, second, "; ".join([f"{self.truth.how}, alpha {self.truth.alpha:g}", *self.notes])]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: what is shared, missed and invented, by which test.

        Returns
        -------
        str
            One sentence.
        """
        return f"{self.lines()[0]} ({self.lines()[2]}, over {count(self.truth.topics, 'topic')})."

    def columns(self) -> dict[str, Any]:
        kinds, better, worse = (
            (list(column) for column in zip(*self.pairs, strict=True)) if self.pairs else ([], [], [])
        )
        return {"kind": kinds, "better": better, "worse": worse}

    def to_dict(self) -> dict[str, Any]:
        own = {name: getattr(self, name) for name in (*KINDS, "precision", "recall", "notes")}
        test = {name: getattr(self.truth, name) for name in ("test", "correction", "alpha", "seed")}
        also = {
            "systems": len(self.truth.systems),
            "pairs": [dict(zip(("kind", "better", "worse"), pair, strict=True)) for pair in self.pairs],
            "methods_sentence": self.methods_sentence(),
        }
        return {key: plain(value) for key, value in (own | test | also).items()}

    def cited(self) -> tuple[str, ...]:
        return self.truth.cited()

    def plot(self) -> Any:
        """One bar per kind of pair."""
        from ..figures import named_bars

        heights = [float(getattr(self, kind)) for kind in KINDS[:4]]
        return named_bars(KINDS[:4], heights, y=f"pairs of {word('systems')}", title=self.lines()[0])


@takes_scores("estimate", "truth")
def significance_agreement(
    estimate: ScoresLike,
    *unnamed: Any,
    truth: ScoresLike = REQUIRED,
    test: str = "permutation",
    correction: str | None = "maxT",
    alpha: float = 0.05,
    draws: int = SIGNIFICANCE_DRAWS,
    one_sided: str = "error",
    match: str = "exact",
    rng: Rng = 0,
) -> SignificanceAgreement:
    """Does a judge find the significant differences that the truth finds?

    Both matrices are tested alike, by `significance_matrix()`, on the systems that both have. Two judges can rank alike
    and still disagree here, where one of them is noisier. Topics need not be the same. Systems with equal means never
    differ significantly. Where neither is the truth, either may be given as it: missed and invented change places. Do
    not use it to ask how far two rankings agree: that is `compare()`.

    Parameters
    ----------
    estimate : Scores, or what read_scores() takes
        The judge: one row per topic, one column per system, a score in every cell.
    *unnamed, truth : Scores, or what read_scores() takes
        The scores that are right by definition, given by name. Required.
    test, correction, alpha, draws
        As for `significance_matrix()`.
    one_sided : {"error", "drop"}, default "error"
        What to do with systems that only one of the two has.
    match : {"exact", "loose"}, default "exact"
        "loose" takes names of systems and topics for the same that differ by spelling only: spaces, case, leading
        zeros, ".0", or a word that all of them begin with. The notes say how many.
    rng : int, Generator or None, default 0
        Seed of the draws, the same for both; None takes a fresh one, which the result remembers.

    Returns
    -------
    SignificanceAgreement
        How many differences are shared, contradicted, missed and invented, and which.

    Raises
    ------
    CallError
        Where the truth is not given by name, or an argument is unknown.
    AlignmentError
        Where systems are on one side only.

    Examples
    --------
    >>> from tauscope import Scores
    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.1], [0.5, 0.2]])
    >>> significance_agreement(scores, truth=scores, test="t", correction=None).shared
    1
    """
    require_truth(truth, unnamed, "significance_agreement(estimate, truth=…)")
    same = aligned_scores({"estimate": estimate, "truth": truth}, "significance_agreement()", one_sided, match=match)
    seed = remembered(rng)
    ours, gold = (
        significance_matrix(scores, test, correction, alpha=alpha, draws=draws, rng=seed) for scores in same.scores
    )
    place = {name: k for k, name in enumerate(ours.systems)}
    at = np.array([place[name] for name in gold.systems])
    # Both in the truth's order: [i, j] says that i is better than j.
    theirs, here = gold.better, ours.better[np.ix_(at, at)]
    kinds = {
        "shared": theirs & here,
        "contradicted": theirs & here.T,
        "missed": theirs & ~here & ~here.T,
        "invented": here & ~theirs & ~theirs.T,
    }
    counts = {kind: int(found.sum()) for kind, found in kinds.items()}
    pairs = [
        (kind, gold.systems[i], gold.systems[j])
        for kind, found in kinds.items()
        for i, j in zip(*np.nonzero(found), strict=True)
    ]
    return SignificanceAgreement(
        **counts,
        neither=gold.all_pairs - sum(counts.values()),
        pairs=tuple(pairs),
        estimate=ours,
        truth=gold,
        notes=same.notes,
    )
