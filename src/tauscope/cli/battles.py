"""`tauscope battles`: strengths and ranks from pairwise verdicts, two judges of the same battles, how few votes
decide."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ..boards.bradley_terry import bradley_terry
from ..boards.compare_verdicts import VerdictComparison, compare_verdicts
from ..boards.robustness import fewest_removals
from ..results import number
from . import inputs
from .board import print_ranks
from .options import BattleColumns, Coefficient, Flag, OnBattles, Seed
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
    letters: Flag = False,
    contiguous: Flag = False,
    prior: Prior = 0.0,
    incomparable: Literal["error", "drop"] = "error",
    target: float | None = None,
    level: float = 0.95,
    seed: Seed = 0,
    columns: BattleColumns = BattleColumns(),
    shared: OnBattles = OnBattles(),
) -> None:
    """How strong is each system, given who beat whom, and which ranks and tiers does that leave open?

    The table is in Elo points (400 are odds of ten to one). With --csv: one row per system, its score the strength
    itself, in log-odds; the JSON document has both.

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
    letters
        Also the letters of overlapping groups (a compact letter display).
    contiguous
        Tiers that follow the ranking: each down to the last system that is not told apart from its first.
    incomparable
        Systems without a finite strength, or that met no others: an error that names them, or leave them out.
    target
        Also how many votes would give an expected tau with the true ranking of this much: 0.95.
    level
        The confidence of the ranks, the best set and the tiers.
    """
    with shared.said():
        with progress("fitting"):
            by = None if clusters == "none" else clusters.split(",")
            unused = [name for name in ("question", "worker", "judge", "battle") if name not in (by or ())]
            battles = inputs.battles(file, columns, unused=unused)
            strengths = bradley_terry(
                battles, ties=ties, clusters=by, position=position, prior=prior, incomparable=incomparable
            )
            found = strengths.ranks(level=level, rng=seed)
            found = found.with_contiguous_tiers() if contiguous else found
        if shared.json:
            document = {"strengths": strengths, "ranks": found}
            more = {} if target is None else {"votes_needed": found.votes_needed(target)}
            shared.print_both(lambda: document | more, found.columns)
            shared.save(found)
        else:
            # The ranks carry the warnings about systems with few battles.
            notes = [note for note in strengths.notes if note not in found.assumes]
            print_ranks(found, shared, [*strengths.lines()[:2], *notes, *battles.notes], letters, elo=strengths)
            if target is not None and not shared.asked:
                show(f"votes needed for an expected tau of {target:g}: {found.votes_needed(target):,.0f}")


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
    shared: OnBattles = OnBattles(),
) -> None:
    """How few votes would have to go for another system to be first, or for two systems to change places?

    Example: `tauscope battles robustness votes.jsonl --above mine --below theirs`

    Parameters
    ----------
    file
        One row per battle: two systems and the winner.
    above
        A system that stands above --below; without both, the leader and whoever is nearest to taking its place.
    below
        The other system.
    """
    with shared.said():
        with progress("fitting"):
            battles = inputs.battles(file, columns, unused=("question", "worker", "judge", "battle"))
            found = fewest_removals(battles, above=above, below=below, ties=ties, prior=prior)
        if not shared.print(found):
            show(*found.lines())
        shared.save(found)
