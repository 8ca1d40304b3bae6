"""What speaks for or against an estimate as a stand-in for the reference: everything computed, nothing said."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from ..coefficients.correlation import Correlation, call
from ..coefficients.records import catalogue
from ..evaluation.compare_qrels import QrelsComparison, compare_qrels
from ..evaluation.judged_at import Judged, judged_at
from ..expected.expected_correlation import ExpectedCorrelation
from ..judges.compare import Comparison, compare
from ..judges.shifts import RankShifts, ScoreBias, rank_shifts, score_bias
from ..scores import Scores
from ..significance.agreement import SignificanceAgreement, significance_agreement
from .sections.agree import Agreement
from .sides import Material, side_by_side

#: The head that is looked at.
TOP = 10
#: Beyond this many systems differences are tested without draws.
MOST_FOR_DRAWS = 300


@dataclass(frozen=True)
class Judge:
    """All that speaks for or against an estimate as a stand-in for the reference."""

    results: tuple[Comparison, ...]
    ceilings: tuple[ExpectedCorrelation, ...]
    humans: tuple[Comparison, ...]
    top: Correlation | None
    shifts: RankShifts | None
    bias: ScoreBias | None
    significant: SignificanceAgreement
    kappa: QrelsComparison | None
    judged: tuple[tuple[str, Judged], ...]


def judge(material: Material, found: Agreement) -> Judge | None:
    """None where one side has no complete scores on topics."""
    estimate, reference = material.estimate, material.reference
    if estimate is None or estimate.complete is None or reference.complete is None:
        return None
    options: dict[str, Any] = {"level": material.level, "rng": material.seed}
    truth = reference.complete

    second = material.second_reference.complete if material.second_reference is not None else None
    ceilings = side_by_side(*(partial(getattr, one, "noise_ceiling") for one in found.compared))
    humans = side_by_side(
        *(
            partial(compare, second, truth=truth, coefficient=one.coefficient, **options)
            for one in found.compared
            if second is not None
        )
    )
    same_scale = material.same_measure and bool(set(estimate.complete.topics) & set(truth.topics))
    return Judge(
        found.compared, tuple(ceilings), tuple(humans), _top(material, found),
        rank_shifts(estimate.complete, truth=truth, groups=material.groups, **options) if material.groups else None,
        score_bias(estimate.complete, truth=truth, level=material.level) if same_scale else None,
        _significant(material, estimate.complete, truth), *_judgments(material),
    )  # fmt: skip


def _significant(material: Material, estimate: Scores, truth: Scores) -> SignificanceAgreement:
    """Randomisation over all pairs at once; for very many systems Student's t with Holm, which takes no draws."""
    quick: dict[str, Any] = {"test": "t", "correction": "holm"} if len(truth.systems) > MOST_FOR_DRAWS else {}
    return significance_agreement(estimate, truth=truth, alpha=1 - material.level, rng=material.seed, **quick)


def _top(material: Material, found: Agreement) -> Correlation | None:
    if material.estimate is None or found.chosen.n <= TOP:
        return None
    name = found.chosen.coefficient.name if found.chosen.coefficient.name in ("tau_a", "tau_b", "tau_e") else "tau_b"
    # Whoever is outside one of the heads is tied below it, so a variant for ties it must be.
    return call(
        catalogue["tau_a" if name == "tau_a" else name],
        material.estimate.ranking,
        (),
        material.reference.ranking,
        top_k=TOP,
    )


def _judgments(material: Material) -> tuple[QrelsComparison | None, tuple[tuple[str, Judged], ...]]:
    estimate, reference = material.estimate, material.reference
    if estimate is None or estimate.qrels is None or reference.qrels is None:
        return None, ()
    sides = [side for side in material.sides if side.qrels is not None]
    judged = tuple((side.name, judged_at(material.runs, side.qrels, TOP)) for side in sides)
    return compare_qrels(reference.qrels, estimate.qrels, names=material.shown_names[::-1]), judged
