"""Several judges against one reference: who ranks most like it, and who is not told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...expected.expected_correlation import ExpectedCorrelation, expected_correlation
from ...judges.agreement import Agreement as Comparison
from ...judges.agreement import agree
from ...judges.compare import compare
from ...judges.comparisons import Comparisons
from ...scores import Scores
from ..material import Material


@dataclass(frozen=True, kw_only=True, eq=False)
class SeveralJudges:
    """The judges in their order, and what even a perfect one would reach."""

    ranking: Comparisons
    ceiling: ExpectedCorrelation
    #: Each person against the reference, by the same coefficient; empty where none are given.
    people: Mapping[str, Comparison] = field(default_factory=dict)

    @property
    def between_people(self) -> tuple[float, float] | None:
        """How far people agree, without the noise of topics: from the lowest to the highest, or of one its interval."""
        known = [one for one in self.people.values() if one.undefined_because is None]
        if len(known) == 1:
            low, high = known[0].interval
            return None if math.isnan(low) else (low, high)
        values = [one.corrected for one in known]
        return (min(values), max(values)) if values else None

    @property
    def not_worse(self) -> tuple[str, ...]:
        """Judges that are not shown to be worse than the first."""
        return self.ranking.not_worse


def judges_of(material: Material) -> SeveralJudges | None:
    """None where there are not several judges with complete scores."""
    truth = material.reference.complete
    own = {side.name: side.complete for side in material.judges if side.complete is not None}
    if len(own) < 2 or truth is None:
        return None
    options: dict[str, Any] = {
        "coefficient": material.coefficient or "tau_b",
        "level": material.level,
        "rng": material.seed,
    }
    people = {side.name: side.complete for side in material.people if side.complete is not None}
    against = _others(people, truth) if material.pooled else dict.fromkeys(people, truth)
    return SeveralJudges(
        ranking=compare(own, truth=truth, **options),
        ceiling=expected_correlation(truth, **options),
        people={name: _person(one, against[name], options) for name, one in people.items()},
    )


def _person(one: Scores, against: Scores, options: dict[str, Any]) -> Comparison:
    return agree(one, against, options["coefficient"], level=options["level"], seed=options["rng"])


def _others(people: Mapping[str, Scores], mean: Scores) -> dict[str, Scores]:
    """For each person the mean of the others: a person agrees with a mean that has him in it."""
    k = len(people)
    own = {name: one.select(topics=mean.topics, systems=mean.systems).values for name, one in people.items()}
    return {name: mean.changed(None, values=(k * mean.values - values) / (k - 1)) for name, values in own.items()}
