"""Several judges, or measures, against one truth, jointly: what `better_judge()` and `rank_judges()` are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..coefficients.correlation import evaluate
from ..coefficients.records import Coefficient
from ..errors import CallError
from ..inference.few_topics import LEAST_FOR_NOISE, require_two
from ..jobs.progress import Progress
from ..jobs.seeds import Stream, stream
from ..ranking import align
from ..results import count, word
from ..scores import Scores
from ..scores.alignment import ALL, aligned_scores
from .attenuation import Correction, Draws, Samples
from .shared_topics import join, require_shared


@dataclass(frozen=True, eq=False, kw_only=True)
class Judges:
    """Several judges against one truth, jointly: values `observed` and `corrected`; of each judge's coefficient with the
    true means as they could be `draws`, with one confidence in how far judge and truth differ for all judges, and
    `own_draws`, with one for each; `resampled`, draws x judges, observed values on resampled topics."""

    names: tuple[str, ...]
    observed: Floats
    corrected: Floats
    draws: tuple[Draws, ...]
    own_draws: tuple[Floats, ...]
    resampled: Floats
    systems: int
    topics: tuple[int, ...]
    shared: int
    notes: tuple[str, ...]

    def difference(self, a: int, b: int) -> Draws:
        """Draws of the difference of two judges, on the same topics.

        With the same confidence in how far each differs from the truth, two judges that err in ways of their own come out
        too much alike, with confidences of their own not enough. So some draws are of one kind and the rest of the other,
        and values of the two judges go together as closely as the observed ones do over resampled topics.
        """
        together = self.draws[a].values, self.draws[b].values
        own = self.own_draws[a], self.own_draws[b]
        first, last, wanted = (
            _correlation(*pair) for pair in (own, together, (self.resampled[:, a], self.resampled[:, b]))
        )
        share = (wanted - first) / (last - first) if last > first else 1.0
        n = len(together[0])
        alike = np.arange(n) < (n if math.isnan(share) else round(n * min(max(share, 0.0), 1.0)))
        return Draws(values=np.where(alike, together[0] - together[1], own[0] - own[1]))

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
    observed, draws, own_draws, resampled = [], [], [], []
    for i, (name, scores) in enumerate(zip(judges, estimates, strict=True)):
        found = evaluate(c, align(scores.ranking(), gold.ranking()), names=(name, "truth"))
        if found.undefined_because is not None:
            notes.append(f"{c} of {name} is undefined in the observed means: {found.undefined_because}")
        observed.append(found.value)
        pair = (i, len(judges))
        correction = Correction(samples, c, pair)
        if correction.scale_note is not None:
            notes.append(f"{name}: {correction.scale_note}")
        draws.append(correction.draws)
        own_draws.append(Correction(samples.with_own_confidence(i), c, pair).values)
        resampled.append(correction.resampled())
        if progress is not None:
            progress(i + 1, len(judges))
    return Judges(
        names=tuple(judges),
        observed=np.array(observed),
        corrected=np.array([own.value for own in draws]),
        draws=tuple(draws),
        own_draws=tuple(own_draws),
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
