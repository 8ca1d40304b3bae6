"""`gate()`: do the claims about a board hold, so that a change may be merged?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .. import checking, kernels
from ..arrays import Floats
from ..coefficients.records import catalogue
from ..errors import CallError, Option, TauscopeError
from ..expected import normal_scores as normal
from ..expected.normal_scores import NormalScores
from ..files.door import takes_scores
from ..inference.corrections import holm, max_t
from ..inference.observed import Observed
from ..jobs.draws import ERROR_DRAWS
from ..jobs.seeds import Rng, Stream, remembered, stream
from ..judges.agreement import agree
from ..results import Result, count, fields_of, number, rows
from ..scores import Scores
from ..scores.clusters import few_said, independent
from ..scores.labels import positions
from .any_board import normal_of
from .claims import Claim, parse
from .noise_free import Pair

HOLDS, FAILS, OPEN = "holds", "does not hold", "not shown"
#: What claims call the board and the baseline.
NEW, OLD = "new", "old"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What became of one claim.

    Attributes
    ----------
    claim : str
        The claim as it was written.
    answer : str
        "holds", "does not hold" or "not shown".
    p, opposite_p : float
        p-values of the claim and of its opposite, with Holm's correction over the claims.
    said : str
        The numbers in words.
    """

    claim: str
    answer: str
    p: float
    opposite_p: float
    said: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GateResult(Result):
    """The answers to all claims about a board, and whether they let it pass.

    Attributes
    ----------
    answers : tuple of Answer
        One per claim, in their order.
    level : float
        The confidence.
    seed : int
        The seed of the random numbers.
    about : str
        How pairs were tested.
    """

    NO_FIGURE: ClassVar[str] = ": it is a list of claims with their answers"
    INSTEAD: ClassVar[str] = "markdown() makes a table of it, and rank(board).plot() shows the board."

    answers: tuple[Answer, ...]
    level: float
    seed: int
    about: str

    @property
    def passed(self) -> bool:
        """Whether every claim holds."""
        return all(answer.answer == HOLDS for answer in self.answers)

    @property
    def exit_code(self) -> int:
        """0 where every claim holds, else 1."""
        return 0 if self.passed else 1

    def lines(self) -> list[str]:
        """One line per claim, then how they were tested."""
        held = sum(answer.answer == HOLDS for answer in self.answers)
        verdict = "pass" if self.passed else "do not pass"
        hold = "holds" if 1 in (held, len(self.answers)) else "hold"
        head = f"{held:,} of {count(len(self.answers), 'claim')} {hold} at {self.level * 100:g} %: {verdict}"
        return [
            head,
            *(f"{a.answer:>13}  {a.claim}   {a.said}" for a in self.answers),
            f"{self.about}; Holm over the claims, seed {self.seed}",
        ]

    def methods_sentence(self) -> str:
        """The sentence a paper needs: which claims hold, at which level, and how they were tested.

        Returns
        -------
        str
            One sentence, with the answer to each claim, and the seed.
        """
        told = "; ".join(f"{one.claim} {one.answer} ({one.said})" for one in self.answers)
        held = sum(answer.answer == HOLDS for answer in self.answers)
        return (
            f"Of {count(len(self.answers), 'claim')}, {held:,} {'holds' if held == 1 else 'hold'} at {self.level * 100:g} %: "
            f"{told} ({self.about}; up to {ERROR_DRAWS:,} flips or draws, Holm's correction over the claims, seed "
            f"{self.seed}{self._after()})."
        )

    def columns(self) -> dict[str, Any]:
        """One row per claim."""
        return {
            name: [getattr(answer, name) for answer in self.answers]
            for name in ("claim", "answer", "p", "opposite_p", "said")
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        known = fields_of(self, "passed", "exit_code", "level", "seed", "about")
        return known | {"answers": rows(self.columns()), "methods_sentence": self.methods_sentence()}

    def markdown(self) -> str:
        """A table for a comment on a pull request.

        Returns
        -------
        str
        """
        marks = {HOLDS: "✅ holds", FAILS: "❌ does not hold", OPEN: "❔ not shown"}
        rows = [f"| `{_escaped(a.claim)}` | {marks[a.answer]} | {_escaped(a.said)} |" for a in self.answers]
        head, foot = self.lines()[0], self.lines()[-1]
        return "\n".join([f"**{head}**", "", "| claim | answer | |", "|---|---|---|", *rows, "", foot, ""])

    def cited(self) -> tuple[str, ...]:
        """Whose corrections these are."""
        return ("westfall1993", "mogstad2024", "holm1979")


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'").replace("\n", " ")


@takes_scores("new", "baseline", each=("judges",))
def gate(
    new: Any,
    claims: Iterable[str] | str,
    *,
    baseline: Any = None,
    judges: Mapping[str, Any] | None = None,
    level: float = 0.95,
    rng: Rng = 0,
) -> GateResult:
    """Do these claims about a board hold, beyond chance?

    "mine > theirs": max-t over all pairs (flips of signs for Scores, draws of errors otherwise); with a margin, "mine >
    theirs - 0.01", the same after the margin. "mine in top 3": mine is significantly better than all but three, by the
    same p-values. "tau(new, old) >= .9": the agreement of two boards, corrected for topic noise, reaches .9 by the
    one-sided lower limit of `compare()`; the p-value is the smallest level at which it does. Any coefficient of the
    catalogue may be claimed, of `new`, of `old` (the baseline) and of any of the `judges`, the second name being the truth;
    tau is tau_b. Claims are tested together (Holm): "holds" where the claim is shown, "does not hold" where its opposite
    is, "not shown" otherwise, which does not prove the contrary. Do not tune claims until they hold: write them down
    before the run.

    Parameters
    ----------
    new : Scores, PublishedScores or BradleyTerry
        The board.
    claims : str or iterable of str
        In the language of `tauscope.boards.claims`; names with spaces or signs in quotes.
    baseline : optional
        The old board, for tau(new, old).
    judges : Mapping of str to boards, optional
        Further boards by name, such as those of other judges of the same systems, for tau_b(judge, people).
    level : float
        The confidence with which all answers are right at once.
    rng : int, Generator or None
        The seed of flips and draws.

    Returns
    -------
    GateResult

    Raises
    ------
    CallError
        Where a claim is not understood, or names a system, a coefficient or a board that is not there.

    Examples
    --------
    >>> values = [[0.9, 0.5], [0.8, 0.6], [0.9, 0.4], [0.7, 0.5], [0.9, 0.6], [0.8, 0.3]]
    >>> gate(Scores(values, systems=["mine", "theirs"]), "mine > theirs").passed
    True
    """
    given = [claims] if isinstance(claims, str) else list(claims) if isinstance(claims, Iterable) else []
    if not given:
        raise CallError("gate() needs at least one claim, such as 'mine > theirs'.")
    parsed = [parse(text) for text in given]
    boards = _named(new, baseline, judges)
    level, seed = checking.level(level), remembered(rng)
    tested = _Board(new, seed)
    for claim in parsed:
        if claim.systems:
            positions(claim.systems, tested.systems, "system")
        _require_boards(claim, boards)
    found = [_agreement(claim, boards, seed) if claim.boards else tested.answer(claim) for claim in parsed]
    p, opposite = (holm(np.array([one[k] for one in found])) for k in (0, 1))
    answers = tuple(
        _answer(claim.text, one[2], float(own), float(other), 1 - level)
        for claim, one, own, other in zip(parsed, found, p, opposite, strict=True)
    )
    return GateResult(answers=answers, level=level, seed=seed, about=tested.about)


def _answer(claim: str, said: str, own: float, other: float, alpha: float) -> Answer:
    """Holds, does not hold, or not shown, with the p-value that says so."""
    if own <= alpha:
        return Answer(claim=claim, answer=HOLDS, p=own, opposite_p=other, said=f"{said}, p = {own:.3g}")
    if other <= alpha:
        return Answer(
            claim=claim, answer=FAILS, p=own, opposite_p=other, said=f"{said}, p of the opposite = {other:.3g}"
        )
    return Answer(claim=claim, answer=OPEN, p=own, opposite_p=other, said=f"{said}, p = {own:.3g}")


class _Board:
    """A board with the p-values of all pairs."""

    def __init__(self, board: Any, seed: int) -> None:
        clustered = isinstance(board, Scores) and board.clusters is not None
        board = independent(board) if clustered else board
        self._board, self._seed = board, seed
        self.normal = normal_of(board, "gate()")
        self.systems = self.normal.systems
        m = len(self.systems)
        tested = f"max-t over all {count(m * (m - 1) // 2, 'pair')} of {count(m, 'system')}"
        self.about = (
            f"flips of signs{' by cluster' if clustered else ''}, {tested}{few_said(len(board.topics), int(clustered))}"
            if isinstance(board, Scores)
            else f"draws of errors, {tested}; {board.assumes}"
        )
        self._plain: tuple[tuple[str, ...], Floats] | None = None

    def _p(self, system: str = "", amount: float = 0.0) -> tuple[tuple[str, ...], Floats]:
        """Systems, and p-values of "i is better than j", with something added to one score."""
        if not amount and self._plain is not None:
            return self._plain
        if isinstance(self._board, Scores):
            values = self._board.values + amount * np.array([name == system for name in self._board.systems])
            observed = Observed.of(values)
            found = np.ones((observed.systems, observed.systems))
            found[observed.pairs] = max_t(observed, ERROR_DRAWS, stream(self._seed, Stream.PAIRS))
            result = tuple(self._board.systems[i] for i in observed.order), found
        else:
            scores = self.normal.shifted(system, amount) if amount else self.normal
            result = scores.systems, normal.adjusted_p(scores, self._seed, ERROR_DRAWS)
        if not amount:
            self._plain = result
        return result

    def answer(self, claim: Claim) -> tuple[float, float, str]:
        """p of the claim, p of its opposite, and the numbers."""
        if claim.kind == "top":
            return self._top(claim)
        names, p = self._p(claim.worse, claim.margin)
        i, j = names.index(claim.better), names.index(claim.worse)
        gap = self._score(claim.better) - self._score(claim.worse)
        margin = f" (margin {claim.margin:+g})" if claim.margin else ""
        return float(p[i, j]), float(p[j, i]), f"difference {number(gap)}{margin}"

    def _score(self, name: str) -> float:
        return float(self.normal.estimates[self.systems.index(name)])

    def _top(self, claim: Claim) -> tuple[float, float, str]:
        names, p = self._p()
        i, m = names.index(claim.better), len(names)
        others = np.arange(m) != i
        rank = 1 + int((self.normal.estimates > self._score(claim.better)).sum())
        # In the top k: better than at least m - k others; not in it: k others are better.
        beaten, beating = np.sort(p[i, others]), np.sort(p[others, i])
        own = 0.0 if claim.k >= m else float(beaten[m - claim.k - 1])
        other = 1.0 if claim.k >= m else float(beating[claim.k - 1])
        return own, other, f"rank {rank} of {m}"


def _named(new: Any, old: Any, judges: Mapping[str, Any] | None) -> dict[str, Any]:
    """Every board that a claim may name."""
    known = {NEW: new} | ({} if old is None else {OLD: old})
    for name in judges or {}:
        if name in (NEW, OLD):
            raise CallError(f"A judge is called {name!r}, as the {'board' if name == NEW else 'baseline'} is.")
    return known | {str(name): board for name, board in (judges or {}).items()}


def _require_boards(claim: Claim, boards: Mapping[str, Any]) -> None:
    """An error where a claim names a board that was not given."""
    for name in claim.boards:
        if name == OLD and name not in boards:
            raise CallError(f"The claim {claim.text!r} needs the old board.", Option("baseline", effect="to give it"))
        if name not in boards:
            raise CallError(
                f"There is no board {name!r}, which the claim {claim.text!r} names; there are {', '.join(boards)}.",
                Option("judges", effect="to name further boards"),
            )


def _agreement(claim: Claim, boards: Mapping[str, Any], seed: int) -> tuple[float, float, str]:
    """p of an agreement of two boards, corrected for noise, of its opposite, and the numbers."""
    new, old = (boards[name] for name in claim.boards)
    c = catalogue[claim.coefficient]
    if isinstance(new, Scores) and isinstance(old, Scores):
        one = agree(new, old, c, one_sided="drop", seed=seed)
        if one.no_interval_because is not None:
            raise TauscopeError(f"{c}({', '.join(claim.boards)}) has no limits: {one.no_interval_because}.")
        return *one.p_values(claim.least), f"{c} {number(one.observed)} observed, {number(one.corrected)} without noise"
    first, second = (normal_of(board, "gate()") for board in (new, old))
    shared = [name for name in first.systems if name in set(second.systems)]
    if len(shared) < 2:
        raise TauscopeError(f"The two boards share {count(len(shared), 'system')}; two are needed.")
    (estimate, own), (truth, other) = (_in_order(board, shared) for board in (first, second))
    m = len(shared)
    covariance = np.zeros((2 * m, 2 * m))
    covariance[:m, :m], covariance[m:, m:] = own, other
    standard = stream(seed, Stream.JUDGES).standard_normal((ERROR_DRAWS, 2 * m))
    draws = kernels.batch(c, *Pair(np.stack((estimate, truth)), covariance).draws(standard))[0]
    observed = float(kernels.batch(c, estimate[None], truth[None])[0][0])
    sides = draws < claim.least, draws >= claim.least
    own_p, other_p = ((1 + int(side.sum())) / (1 + ERROR_DRAWS) for side in sides)
    return own_p, other_p, f"{c} {number(observed)} observed, {number(float(np.nanmean(draws)))} without noise"


def _in_order(board: NormalScores, systems: list[str]) -> tuple[Floats, Floats]:
    at = [board.systems.index(name) for name in systems]
    return board.estimates[at], board.covariance[np.ix_(at, at)]
