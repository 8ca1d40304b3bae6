"""What speaks for or against an estimate as a stand-in for the reference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from ...coefficients.correlation import Correlation
from ...evaluation.compare_qrels import QrelsComparison, compare_qrels
from ...evaluation.judged_at import Judged, judged_at
from ...expected.expected_correlation import ExpectedCorrelation
from ...inference.significance import Significance, significance
from ...judges.agreement import Agreement as Comparison
from ...judges.agreement import agree, same_systems
from ...judges.shifts import RankShifts, ScoreBias, rank_shifts, score_bias
from ...judges.standing import TOP, agreement_at_the_top, stands_in
from ...ranking import Ranking
from ...scores import Scores
from ..at_once import at_once
from ..material import Material
from .agreement import Agreement

#: Beyond so many systems, or cells, differences are tested without draws: permuting them takes minutes.
MOST_FOR_DRAWS = (300, 30_000)


class First(NamedTuple):
    """The system at the top of a side, and how many others are not shown to be worse."""

    system: str
    others: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Judge:
    """All that speaks for or against an estimate as a stand-in for the reference."""

    #: Agreement without the noise of topics: by the coefficient that fits, and by the head-weighted one.
    results: tuple[Comparison, ...]
    #: What the reference's own ranking is expected to reach, for each of these.
    ceilings: tuple[ExpectedCorrelation, ...]
    #: The second human against the first, for each of these; empty where there is none.
    humans: tuple[Comparison, ...]
    #: Over the systems in either top ten, observed.
    top: Correlation | None
    #: Over the ten best systems alone, without the noise of topics.
    ten: Comparison | None
    shifts: RankShifts | None
    bias: ScoreBias | None
    significant: Significance
    #: Who is first in the reference and in the estimate, and how many others are not shown to be worse there, all pairs
    #: tested at once.
    first: tuple[First, First]
    #: Agreement of the judgments themselves, and the share of documents that each side judged, by its name.
    kappa: QrelsComparison | None
    judged: tuple[tuple[str, Judged], ...]


def others_fall(gained: float, members: int, systems: int) -> float:
    """How many ranks the other systems fall, on average, where `members` of them gain so many: ranks add up to the same."""
    return gained * members / (systems - members) if systems > members else 0.0


def judge_of(material: Material, agreed: Agreement) -> Judge | None:
    """None where one side has no complete scores on topics."""
    side = material.estimate
    estimate = side.complete if side is not None else None
    truth = material.reference.complete
    if side is None or estimate is None or truth is None:
        return None
    options: dict[str, Any] = {"level": material.level, "seed": material.seed}
    second = material.second_reference.complete if material.second_reference is not None else None
    *ceilings, ten = at_once(
        *(partial(getattr, one, "noise_ceiling") for one in agreed.compared),
        partial(getattr, stands_in(agreed.compared[0]), "ten"),
    )
    humans = at_once(
        *(partial(agree, second, truth, one.coefficient, **options) for one in agreed.compared if second is not None)
    )
    same_scale = material.same_measure and bool(set(estimate.topics) & set(truth.topics))
    kappa, judged = _judgments(material)
    significant = _significant(material, estimate, truth)
    return Judge(
        results=agreed.compared,
        ceilings=tuple(ceilings),
        humans=tuple(humans),
        top=agreement_at_the_top(agreed.chosen.coefficient, side.ranking, material.reference.ranking),
        ten=ten,
        shifts=_shifts(estimate, truth, material.groups, options),
        bias=score_bias(estimate, truth, level=material.level) if same_scale else None,
        significant=significant,
        first=(
            _first(material.reference.ranking, significant.truth or significant),
            _first(side.ranking, significant),
        ),
        kappa=kappa,
        judged=judged,
    )


def _shifts(estimate: Scores, truth: Scores, groups: Any, options: dict[str, Any]) -> RankShifts | None:
    same = same_systems({"estimate": estimate, "truth": truth}, "report()")
    own, gold = same.scores
    return rank_shifts(own, gold, groups, **options) if groups else None


def _significant(material: Material, estimate: Scores, truth: Scores) -> Significance:
    """Max-t over all pairs by sign flips; for very many cells Student's t with Holm, which takes no draws."""
    many = len(truth.systems) > MOST_FOR_DRAWS[0] or truth.values.size > MOST_FOR_DRAWS[1]
    quick: dict[str, Any] = {"correction": "holm"} if many else {}
    return significance(estimate, truth=truth, alpha=1 - material.level, rng=material.seed, **quick)


def _first(ranking: Ranking, test: Significance) -> First:
    name = str(ranking.labels[int(ranking.order()[0])])
    worse = int(test.better[test.systems.index(name)].sum())
    return First(name, len(test.systems) - 1 - worse)


def _judgments(material: Material) -> tuple[QrelsComparison | None, tuple[tuple[str, Judged], ...]]:
    estimate, reference = material.estimate, material.reference
    if estimate is None or estimate.qrels is None or reference.qrels is None:
        return None, ()
    sides = [side for side in material.sides if side.qrels is not None]
    judged = tuple((side.name, judged_at(material.runs, side.qrels, TOP)) for side in sides)
    return compare_qrels(reference.qrels, estimate.qrels, names=material.shown_names[::-1]), judged
