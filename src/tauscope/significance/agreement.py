"""`significance_agreement()`: which significant differences does a judge share with the truth, contradict, miss, invent?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import CallError
from ..jobs.seeds import Rng, remembered
from ..results import Result, count, number, word
from ..scores import Scores
from ..scores.alignment import aligned_scores
from .matrix import DRAWS, SignificanceMatrix, significance_matrix

#: What can become of a pair of systems, the truth's view first.
KINDS = ("shared", "contradicted", "missed", "invented", "neither")


@dataclass(frozen=True, eq=False, repr=False)
class SignificanceAgreement(Result):
    """Pairs of systems by what estimate and truth say of them.

    `shared`: both see the same significant difference; `contradicted`: both see one, in opposite directions; `missed`: only the
    truth does; `invented`: only the estimate does; `neither` does. `pairs` lists all but the last as (kind, better, worse), in the
    truth's direction, of invented ones in the estimate's.
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
        """Of the differences the estimate finds, the share that the truth finds too."""
        found = self.shared + self.contradicted + self.invented
        return self.shared / found if found else float("nan")

    @property
    def recall(self) -> float:
        """Of the differences the truth finds, the share that the estimate finds too."""
        found = self.shared + self.contradicted + self.missed
        return self.shared / found if found else float("nan")

    def lines(self) -> list[str]:
        total = self.shared + self.contradicted + self.missed + self.invented + self.neither
        first = (
            f"Of {count(self.truth.significant, 'significant difference')} in the truth the estimate shares {self.shared:,}, "
            f"contradicts {self.contradicted:,}, misses {self.missed:,}, and invents {self.invented:,}"
        )
        second = (
            f"precision {number(self.precision)}, recall {number(self.recall)}; {count(total, 'pair')} of "
            f"{count(len(self.truth.systems), 'system')}, {self.neither:,} different in neither"
        )
        return [first, second, "; ".join([f"{self.truth.how}, alpha {self.truth.alpha:g}", *self.notes])]

    def methods_sentence(self) -> str:
        """The sentence a paper needs."""
        return f"{self.lines()[0]} ({self.lines()[2]}, over {count(self.truth.topics, 'topic')})."

    def columns(self) -> dict[str, Any]:
        kinds, better, worse = (
            (list(column) for column in zip(*self.pairs, strict=True)) if self.pairs else ([], [], [])
        )
        return {"kind": kinds, "better": better, "worse": worse}

    def to_dict(self) -> dict[str, Any]:
        from ..results import plain

        found = {kind: getattr(self, kind) for kind in KINDS} | {
            "precision": self.precision, "recall": self.recall, "test": self.truth.test, "correction": self.truth.correction,
            "alpha": self.truth.alpha, "seed": self.truth.seed, "systems": len(self.truth.systems), "notes": self.notes,
            "pairs": [dict(zip(("kind", "better", "worse"), pair, strict=True)) for pair in self.pairs],
            "methods_sentence": self.methods_sentence(),
        }  # fmt: skip
        return {key: plain(value) for key, value in found.items()}

    def cited(self) -> tuple[str, ...]:
        return self.truth.cited()

    def plot(self) -> Any:
        """One bar a kind."""
        from ..figures import bars

        kinds = KINDS[:4]
        return bars(np.arange(1.0, 5), np.array([float(getattr(self, kind)) for kind in kinds]), kinds, x=", ".join(kinds),
                    y=f"pairs of {word('systems')}", title=self.lines()[0])  # fmt: skip


def significance_agreement(
    estimate: Scores,
    *unnamed: Any,
    truth: Scores | None = None,
    test: str = "permutation",
    correction: str | None = "maxT",
    alpha: float = 0.05,
    draws: int = DRAWS,
    one_sided: str = "error",
    rng: Rng = 0,
) -> SignificanceAgreement:
    """Does a judge find the significant differences that the truth finds?

    Both matrices are tested alike (`significance_matrix()`), on the systems that both have (one_sided="drop" drops the others). Two
    judges can rank alike and still disagree here, where one of them is noisier. Topics need not be the same. Where neither is the
    truth, either may be given as it: missed and invented change places.

    >>> scores = Scores([[0.5, 0.3], [0.6, 0.2], [0.4, 0.1], [0.5, 0.2]])
    >>> significance_agreement(scores, truth=scores, test="t", correction=None).shared
    1
    """
    if unnamed or truth is None:
        raise CallError(
            "significance_agreement() wants to know which scores are the truth: significance_agreement(estimate, truth=…)."
        )
    matrices, notes = aligned_scores({"estimate": estimate, "truth": truth}, "significance_agreement()", one_sided)
    seed = remembered(rng)
    ours, gold = (
        significance_matrix(scores, test, correction, alpha=alpha, draws=draws, rng=seed) for scores in matrices
    )
    place = {name: k for k, name in enumerate(ours.systems)}
    at = np.array([place[name] for name in gold.systems])
    theirs, here = (
        gold.better,
        ours.better[np.ix_(at, at)],
    )  # both in the truth's order: [i, j] says that i is better than j
    kinds = {"shared": theirs & here, "contradicted": theirs & here.T, "missed": theirs & ~here & ~here.T,
             "invented": here & ~theirs & ~theirs.T}  # fmt: skip
    counts = {kind: int(found.sum()) for kind, found in kinds.items()}
    pairs = [
        (kind, gold.systems[i], gold.systems[j])
        for kind, found in kinds.items()
        for i, j in zip(*np.nonzero(found), strict=True)
    ]
    neither = gold.all_pairs - sum(counts.values())
    return SignificanceAgreement(**counts, neither=neither, pairs=tuple(pairs), estimate=ours, truth=gold, notes=notes)
