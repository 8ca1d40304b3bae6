"""`tauscope battles`: strengths and ranks from pairwise verdicts, two judges of the same battles, how few votes
decide."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ..boards.bradley_terry import bradley_terry
from ..boards.compare_verdicts import VerdictComparison, compare_verdicts
from ..boards.ranks import rank
from ..results import number
from . import inputs
from .adapter import Rendered
from .options import BattleColumns, Coefficient, Flag, OnBattles, Seed, Words
from .output import show, show_columns
from .progress import progress

Ties = Annotated[
    Literal["half", "davidson", "drop"],
    Parameter(help="A tie is half a win for each, an outcome of its own (Davidson's model), or left out."),
]
Prior = Annotated[
    float, Parameter(help="So many more battles of each system against an average one, half of them won; 0: none.")
]


def ranks(
    file: Path,
    /,
    *,
    ties: Ties = "half",
    clusters: Literal["none", "question", "worker", "judge", "battle", "question,worker"] = "none",
    position: Flag = False,
    prior: Prior = 0.0,
    incomparable: Literal["error", "drop"] = "error",
    target: float | None = None,
    level: float = 0.95,
    seed: Seed = 0,
    columns: BattleColumns = BattleColumns(),
    words: Words = Words(),
    rendered: Rendered = Rendered(),
) -> None:
    """Fit Bradley-Terry strengths, and compute the ranks that the battles support.

    Scores are in Elo points (400 are odds of ten to one).

    Example: `tauscope battles ranks votes.jsonl --ties half --clusters question`

    Parameters
    ----------
    file
        One row per battle: two systems and the winner; CSV, JSON lines or Parquet.
    clusters
        What battles are independent by: each by itself, or all of one question, worker or judge together; with
        question,worker those that share either go together.
    position
        Also estimate what the first place adds to a strength, with a test.
    incomparable
        Systems without a finite strength, or that met no others: an error that names them, or leave them out.
    target
        Also print the number of votes for this expected tau with the true ranking: 0.95.
    level
        Confidence that all statements about all systems are true together.
    """
    with words.said():
        with progress("fitting"):
            by = None if clusters == "none" else clusters.split(",")
            unused = [name for name in ("question", "worker", "judge", "battle") if name not in (by or ())]
            battles = inputs.battles(file, columns, unused=unused)
            strengths = bradley_terry(
                battles, ties=ties, clusters=by, position=position, prior=prior, incomparable=incomparable
            )
            found = rank(strengths, level=level, rng=seed)
        more = {} if target is None else {"votes_needed": found.votes_needed(target)}
        rendered.write(found, {"strengths": strengths.to_dict(), **more})
        if not (rendered.json or rendered.csv or rendered.latex):
            show("", *strengths.lines()[1:], *battles.notes)
            if target is not None:
                show(f"votes needed for an expected tau of {target:g}: {more['votes_needed']:,.0f}")


def compare(
    estimate: Path,
    /,
    *,
    truth: Path,
    coefficient: Coefficient = "tau_b",
    ties: Ties = "half",
    clusters: Literal["battle", "question"] = "battle",
    prior: Prior = 0.0,
    level: float = 0.95,
    seed: Seed = 0,
    columns: BattleColumns = BattleColumns(),
    shared: OnBattles = OnBattles(),
) -> None:
    """Does one judge of battles agree with another, in verdicts and in the ranking, and does it prefer a place?

    What must be known first is printed first: a preference for the first or the second answer, then ties. With --csv:
    the strengths by both, one row per system.

    Example: `tauscope battles compare judge.jsonl --truth people.jsonl`

    Parameters
    ----------
    estimate
        The battles as the judge in question decided them.
    truth
        The same battles as decided by those who are right by definition.
    coefficient
        Of the two rankings by strength, one of the catalogue.
    clusters
        What is resampled: battles that both judged together, or all battles of a question.
    level
        The confidence of the limits.
    """
    with shared.said():
        with progress("comparing"):
            unused = ("worker", "judge", *(() if clusters == "question" else ("question",)))
            both = [inputs.battles(file, columns, unused=unused) for file in (estimate, truth)]
            found = compare_verdicts(
                both[0],
                truth=both[1],
                coefficient=coefficient,
                ties=ties,
                clusters=clusters,
                prior=prior,
                level=level,
                rng=seed,
            )
        if not shared.print(found):
            show(*found.lines(), *found.notes, "")
            show_columns(_places(found))
        shared.save(found)


def _places(found: VerdictComparison) -> dict[str, list[str]]:
    """How often each judge decides for the first of the two."""
    limits = [f"{number(bias.equals)} [{number(bias.low)}, {number(bias.high)}]" for bias in found.position]
    return {
        "judge": ["estimate", "truth"],
        "decides for the first": [f"{bias.share * 100:.1f} %" for bias in found.position],
        "between equals": limits,
        "p": ["< 0.001" if bias.p < 0.001 else number(bias.p) for bias in found.position],
        "ties": [f"{share * 100:.1f} %" for share in found.ties],
    }


def robustness(
    file: Path,
    /,
    *,
    above: str | None = None,
    below: str | None = None,
    ties: Ties = "half",
    prior: Prior = 0.0,
    columns: BattleColumns = BattleColumns(),
    words: Words = Words(),
    rendered: Rendered = Rendered(),
) -> None:
    """Find the fewest battles whose removal changes the first place, or the order of two systems.

    Example: `tauscope battles robustness votes.jsonl --above mine --below theirs`

    Parameters
    ----------
    file
        One row per battle: two systems and the winner.
    above
        A system that is ranked above --below; without both, the leader and the system nearest to taking its place.
    below
        The other system.
    """
    with words.said():
        with progress("fitting"):
            battles = inputs.battles(file, columns, unused=("question", "worker", "judge", "battle"))
            found = rank(bradley_terry(battles, ties=ties, prior=prior)).fragility(above, below)
        rendered.write(found)
