"""Several judges, or measures, against one truth, jointly: what `better_judge()` and `rank_judges()` are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats, product
from ..coefficients.correlation import evaluate
from ..coefficients.records import Coefficient
from ..errors import CallError
from ..jobs.draws import RESAMPLED_DRAWS
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
    """Several judges against one truth, jointly: values `observed` and `corrected`, `draws` of each judge's coefficient
    with the true means as they could be, `resampled` draws x judges of the observed values on resampled topics."""

    names: tuple[str, ...]
    observed: Floats
    corrected: Floats
    draws: tuple[Draws, ...]
    resampled: Floats
    systems: int
    topics: tuple[int, ...]
    shared: int
    notes: tuple[str, ...]

    def difference(self, a: int, b: int) -> Draws:
        """Draws of the difference of two judges: both have the same topics, and the same confidence in what is not
        known."""
        return Draws(values=self.draws[a].values - self.draws[b].values)

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
    observed, draws, resampled = [], [], []
    counts = samples.counts[:RESAMPLED_DRAWS]
    truths = joint.means[-1] + product(counts, joint.influence[:, -1])
    for i, (name, scores) in enumerate(zip(judges, estimates, strict=True)):
        found = evaluate(c, align(scores.ranking(), gold.ranking()), names=(name, "truth"))
        if found.undefined_because is not None:
            notes.append(f"{c} of {name} is undefined in the observed means: {found.undefined_because}")
        observed.append(found.value)
        pair = (i, len(judges))
        draws.append(Correction(samples, c, pair).draws)
        drawn = joint.means[i] + product(counts, joint.influence[:, i])
        resampled.append(coefficient_of(c, joint, drawn, truths, joint.twin, pair))
        if progress is not None:
            progress(i + 1, len(judges))
    return Judges(
        names=tuple(judges),
        observed=np.array(observed),
        corrected=np.array([own.value for own in draws]),
        draws=tuple(draws),
        resampled=np.array(resampled).T,
        systems=joint.systems,
        topics=joint.topics,
        shared=joint.shared,
        notes=tuple(notes),
    )
