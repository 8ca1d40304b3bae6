"""Several judges, or measures, against one truth, jointly: what `better_judge()` and `rank_judges()` are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats, product
from ..coefficients.correlation import evaluate
from ..coefficients.records import Coefficient
from ..errors import CallError
from ..jobs.progress import Progress
from ..jobs.seeds import Stream, stream
from ..ranking import align
from ..results import count, word
from ..scores import Scores
from ..scores.alignment import ALL, aligned_scores
from ..significance.few_topics import LEAST_FOR_NOISE, require_two
from .attenuation import Correction, Draws, Samples, coefficient_of
from .shared_topics import join, require_shared


@dataclass(frozen=True, eq=False, kw_only=True)
class Judges:
    """Several judges against one truth, jointly: values `observed` and `corrected`; of each judge's coefficient with the
    true means as they could be `draws` with one confidence in what is not known for all judges, and draws `apart`, with
    one for each; `resampled`, draws x judges, observed values on resampled topics."""

    names: tuple[str, ...]
    observed: Floats
    corrected: Floats
    draws: tuple[Draws, ...]
    apart: tuple[Floats, ...]
    resampled: Floats
    systems: int
    topics: tuple[int, ...]
    shared: int
    notes: tuple[str, ...]

    def difference(self, a: int, b: int) -> Draws:
        """Draws of the difference of two judges, on the same topics.

        With the same confidence in what is not known of both, two judges that err in ways of their own come out too much
        alike, with confidences of their own not enough. So some draws are of one kind and the rest of the other, and
        values of the two judges go together as closely as the observed ones do over resampled topics.
        """
        together = self.draws[a].values, self.draws[b].values
        apart = self.apart[a], self.apart[b]
        first, last, wanted = (
            _correlation(*pair) for pair in (apart, together, (self.resampled[:, a], self.resampled[:, b]))
        )
        share = (wanted - first) / (last - first) if last > first else 1.0
        n = len(together[0])
        alike = np.arange(n) < (n if math.isnan(share) else round(n * min(max(share, 0.0), 1.0)))
        return Draws(values=np.where(alike, together[0] - together[1], apart[0] - apart[1]))

    @property
    def how(self) -> str:
        """Which topics were resampled together."""
        topics = word("topics")
        if self.shared == max(self.topics):
            return f"{topics} shared by all"
        return (
            f"{count(self.shared, 'topic')} shared by all, the others as labelled"
            if self.shared
            else f"{topics} not shared by all"
        )

    def size(self) -> str:
        """How many systems and topics, and which of these were resampled together."""
        return f"{count(self.systems, 'system')} x {count(max(self.topics), 'topic')}, {self.how}"


def measure_judges(
    judges: Mapping[str, Scores],
    truth: Any,
    c: Coefficient,
    what: str,
    *,
    one_sided: str,
    match: str = "exact",
    topics: str = ALL,
    paired: bool | None,
    seed: int,
    progress: Progress | None = None,
) -> Judges:
    """Every judge's agreement with the truth, on the same systems and the same draws."""
    if "truth" in judges:
        raise CallError("A judge is called 'truth', as the truth is. Give it another name.")
    require_shared(topics, paired)
    same = aligned_scores({**judges, "truth": truth}, what, one_sided, match=match, means_over=topics)
    *estimates, gold = same.scores
    require_two(what, len(gold.systems), min(len(scores.topics) for scores in same.scores), LEAST_FOR_NOISE)
    joint = join(same.scores, paired=paired)
    samples = Samples(joint, stream(seed, Stream.JUDGES))
    notes = list(same.notes)
    observed, draws, apart, resampled = [], [], [], []
    # By their scores, so that the order in which judges are given does not matter.
    numbers = np.argsort(sorted(range(len(judges)), key=lambda i: joint.means[i].tolist())).tolist()
    truths = joint.means[-1] + product(samples.counts, joint.influence[:, -1])
    for i, (name, scores) in enumerate(zip(judges, estimates, strict=True)):
        found = evaluate(c, align(scores.ranking(), gold.ranking()), names=(name, "truth"))
        if found.undefined_because is not None:
            notes.append(f"{c} of {name} is undefined in the observed means: {found.undefined_because}")
        observed.append(found.value)
        pair = (i, len(judges))
        draws.append(Correction(samples, c, pair).draws)
        apart.append(Correction(samples.apart(numbers[i]), c, pair).values)
        drawn = joint.means[i] + product(samples.counts, joint.influence[:, i])
        resampled.append(coefficient_of(c, joint, drawn, truths, joint.twin, pair))
        if progress is not None:
            progress(i + 1, len(judges))
    return Judges(
        names=tuple(judges),
        observed=np.array(observed),
        corrected=np.array([own.value for own in draws]),
        draws=tuple(draws),
        apart=tuple(apart),
        resampled=np.array(resampled).T,
        systems=joint.systems,
        topics=joint.topics,
        shared=joint.shared,
        notes=tuple(notes),
    )


def _correlation(a: Floats, b: Floats) -> float:
    """Of the draws where both have a value; NaN where one of them does not vary."""
    both = ~(np.isnan(a) | np.isnan(b))
    x, y = (values[both] - values[both].mean() if both.any() else values[both] for values in (a, b))
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / scale if scale > 0 else math.nan
