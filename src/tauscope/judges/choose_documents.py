"""`choose_documents()`: which documents should people judge next, and with which chances were they drawn?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import checking
from ..arrays import Floats, Ints, tally
from ..errors import TauscopeError
from ..evaluation.qrels import Qrels, read_qrels
from ..evaluation.runs import Runs
from ..files import write_columns
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..results import Result, count, number
from .choose_topics import allocated
from .document_pools import ends_of_strata, grades_of_people, places_in, pool_of, strata_by_depth

#: Of a stratum fewer say nothing of its error.
FEWEST = 2


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DocumentSample(Result):
    """Documents to give to assessors, topic by topic in a random order, and the chances that they were drawn with.

    Parameters
    ----------
    topics, documents : tuple of str
        What to judge next: a topic and a document of it.
    strata : tuple of int
        The stratum of each, from 1, the shallowest first.
    chances : array of float
        Which share of its stratum people have judged then, documents judged before among them.
    depths : tuple of int
        Where strata end; `hybrid_documents()` takes the same.
    of : int
        How many documents there were to choose from.
    judged : int
        How many people had judged before.
    seed : int
        Repeats the draw.
    notes : tuple of str
        What was left out.
    """

    topics: tuple[str, ...]
    documents: tuple[str, ...]
    strata: tuple[int, ...]
    chances: Floats = field(repr=False)
    depths: tuple[int, ...]
    of: int
    judged: int
    seed: int
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        """How many documents were drawn."""
        return len(self.documents)

    def _how(self) -> str:
        if not self.depths:
            return "at random within each topic"
        return f"at random within strata of each topic that end at depth {', '.join(map(str, self.depths))}"

    def lines(self) -> list[str]:
        """The first documents, and how they were drawn."""
        pairs = zip(self.topics[:4], self.documents[:4], strict=True)
        listed = ", ".join(f"{topic} {document}" for topic, document in pairs) + (", …" if len(self) > 4 else "")
        before = f", beside {self.judged:,} judged before" if self.judged else ""
        left = f"; {'; '.join(self.notes)}" if self.notes else ""
        return [
            f"{count(len(self), 'document')} of {self.of:,} in {count(len(set(self.topics)), 'topic')} for people to judge: "
            f"{listed}",
            f"drawn {self._how()}{before}; chances {number(self.chances.min())} to {number(self.chances.max())}, seed "
            f"{self.seed}{left}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: how the documents were drawn.

        Returns
        -------
        str
            One sentence.
        """
        before = f", beside {self.judged:,} that had been drawn so before" if self.judged else ""
        return (
            f"{count(len(self), 'document')} of {self.of:,} were drawn {self._how()}{before}, and count by the inverse of "
            f"their chances (seed {self.seed})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per document, in the order in which to judge them."""
        return {
            "topic": list(self.topics),
            "document": list(self.documents),
            "stratum": list(self.strata),
            "chance": self.chances,
        }

    def write(self, path: str | Path) -> Path:
        """Write the list for assessors: topic, document, stratum, chance.

        Parameters
        ----------
        path : str or Path
            A CSV or TSV file.

        Returns
        -------
        Path
            Where it was written.
        """
        return write_columns(self.columns(), path)

    def cited(self) -> tuple[str, ...]:
        """Whose methods these are."""
        return ("horvitz1952", "aslam2006")

    def plot(self) -> Any:
        """The chance of each document that was drawn, by stratum."""
        from ..figures import steps

        order = np.lexsort((self.chances, np.array(self.strata)))
        labels = [f"{self.topics[i]} {self.documents[i]}" for i in order]
        title = self.lines()[0].partition(":")[0]
        return steps(labels, self.chances[order], x="document, by stratum", y="chance", title=title)


def choose_documents(
    runs: Any,
    judge: Any,
    documents: int,
    *,
    depths: Iterable[int] = (),
    judged: Any = None,
    one_sided: str = "error",
    rng: Rng = 0,
) -> DocumentSample:
    """Which documents of each topic should people judge next, so that `hybrid_documents()` stays unbiased?

    So many documents of each topic are drawn at random from those that the judge judged. With `depths` the documents
    that some run has near its top are a stratum of their own, and as many are drawn from each stratum as from the
    others, as far as they go: so the few at the top, which decide P@k and nDCG, are judged more often, and count less
    each. Every document of a stratum has the same chance, the share of it that is judged.

    Documents with equal scores are ordered as trec_eval does. Do not let people judge the documents that look best
    instead: no chance is known then, and no estimate is unbiased.

    Parameters
    ----------
    runs : path, paths, dict or data frame
        What `Runs.read()` takes or returns.
    judge : path, dict, data frame or Qrels
        The judge's judgments of all documents of the pool.
    documents : int
        How many of each topic to choose, or all that are left.
    depths : iterable of int, default ()
        Where strata end, as for `hybrid_documents()`: (10, 50).
    judged : path, dict, data frame, Qrels or None, default None
        What people have judged already, drawn in the same strata: it is not drawn again.
    one_sided : {"error", "drop"}, default "error"
        What to do with documents that people judged and the judge did not.
    rng : int, Generator or None, default 0
        Seed of the draw; None takes a fresh one, which the result remembers.

    Returns
    -------
    DocumentSample
        Topics and documents, `.chances`, and `.write()` for a list that one can hand to assessors.

    Raises
    ------
    AlignmentError
        Where people judged documents that the judge did not.
    TauscopeError
        Where nothing is left to judge.

    See Also
    --------
    hybrid_documents : what to do with the labels.
    choose_topics : topics to be judged as a whole.

    Examples
    --------
    >>> runs = {"a": {"1": {"x": 3, "y": 2, "z": 1}}}
    >>> sample = choose_documents(runs, {"1": {"x": 1, "y": 0, "z": 1}}, 2)
    >>> len(sample), sample.chances.round(3).tolist()
    (2, [0.667, 0.667])
    """
    checking.one_of(one_sided, ("error", "drop"), "one_sided")
    ends, wanted, seed = ends_of_strata(depths), checking.whole(documents, "documents", least=1), remembered(rng)
    machine = read_qrels(judge)
    grades, notes = np.full(len(machine), -1, dtype=np.int64), tuple[str, ...]()
    if judged is not None:
        grades, notes = grades_of_people(read_qrels(judged), machine, one_sided)
    places = places_in(Runs.read(runs), machine)
    generator = stream(seed, Stream.TOPICS)
    entries, strata, chances, left = [], [], [], 0
    for number_ in range(len(machine.topics)):
        here = pool_of(machine, number_)
        own = _drawn(strata_by_depth(places[:, here], ends), grades[here] >= 0, wanted, generator)
        entries.append(here[own[0]])
        strata.append(own[1])
        chances.append(own[2])
        left += int((grades[here] < 0).sum())
    if not left:
        raise TauscopeError("People have judged all documents that the judge judged.")
    return _sample(machine, entries, strata, chances, depths=ends, of=left, judged=grades, seed=seed, notes=notes)


def _drawn(stratum: Ints, known: Any, wanted: int, generator: np.random.Generator) -> tuple[Ints, Ints, Floats]:
    """Places of documents of one topic, their strata and chances."""
    size = int(stratum.max(initial=-1)) + 1
    open_ = tally(stratum[~known], size)
    share = allocated(
        np.ones(size), open_, min(wanted, int(open_.sum())), fewest=FEWEST if wanted >= FEWEST * size else 0
    )
    picked = [generator.permutation(np.flatnonzero(~known & (stratum == h)))[: share[h]] for h in range(size)]
    order = generator.permutation(np.concatenate([*picked, np.zeros(0, np.int64)]).astype(np.int64))
    then = (tally(stratum[known], size) + share) / np.maximum(tally(stratum, size), 1)
    return order, stratum[order] + 1, np.asarray(then[stratum[order]], dtype=float)


def _sample(
    machine: Qrels, entries: list[Ints], strata: list[Ints], chances: list[Floats], *, judged: Ints, **more: Any
) -> DocumentSample:
    at = np.concatenate(entries)
    return DocumentSample(
        topics=tuple(machine.topics[machine.topic_of_entry[i]] for i in at.tolist()),
        documents=tuple(machine.document(i) for i in at.tolist()),
        strata=tuple(np.concatenate(strata).tolist()),
        chances=np.concatenate(chances),
        judged=int((judged >= 0).sum()),
        **more,
    )
