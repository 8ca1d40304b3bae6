"""Several judges against one reference: who ranks most like it, and who is not told apart."""

from __future__ import annotations

from dataclasses import dataclass

from ...expected.expected_correlation import ExpectedCorrelation, expected_correlation
from ...judges.rank_judges import JudgeRanking, rank_judges
from ..material import Material


@dataclass(frozen=True, kw_only=True, eq=False)
class SeveralJudges:
    """The judges in their order, and what even a perfect one would reach."""

    ranking: JudgeRanking
    ceiling: ExpectedCorrelation

    @property
    def not_worse(self) -> tuple[str, ...]:
        """Judges that are not shown to be worse than the first."""
        apart = self.ranking.apart[0]
        return tuple(name for name, told in zip(self.ranking.names[1:], apart[1:].tolist(), strict=True) if not told)


def judges_of(material: Material) -> SeveralJudges | None:
    """None where there are not several judges with complete scores."""
    truth = material.reference.complete
    own = {side.name: side.complete for side in material.judges if side.complete is not None}
    if len(own) < 2 or truth is None:
        return None
    coefficient = material.coefficient or "tau_b"
    options = {"level": material.level, "rng": material.seed}
    return SeveralJudges(
        ranking=rank_judges(own, truth=truth, coefficient=coefficient, **options),  # type: ignore[arg-type]
        ceiling=expected_correlation(truth, coefficient, **options),  # type: ignore[arg-type]
    )
