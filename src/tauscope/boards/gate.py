"""`gate()`: do the claims about a board hold, so that a change may be merged?

The language of claims::

    claim   = pair | top | agreement
    pair    = name (">" | "<") name [("+" | "-") number]       mine > theirs        mine > theirs - 0.01
    top     = name "in" "top" whole                             mine in top 3
    agreement = coefficient "(" name "," name ")" (">=" | ">") number
                                                                tau(new, old) >= .9  tau_ap(judge, people) >= .8
    coefficient = a name of the catalogue; tau is tau_b, which equals tau where nothing is tied
    name    = letters, digits and any of _ . / : @ - without spaces | a text in "double" or 'single' quotes
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..coefficients.records import catalogue
from ..core import checking, kernels
from ..core.arrays import Floats
from ..core.checking import ERROR_DRAWS, Rng, Stream, rank_draws, remembered, stream
from ..data.battles import Battles
from ..data.clusters import independent
from ..data.labels import positions
from ..data.scores import Scores
from ..errors import Advice, CallError, Option, TauscopeError
from ..inference import relation as normal
from ..inference.corrections import holm
from ..inference.relation import NormalScores, tested
from ..inference.true_means import Observed
from ..io.door import takes_scores
from ..judges.agreement import agree
from ..results import Result, count, fact, rows
from .bradley_terry import BradleyTerry, bradley_terry
from .evidence import evidence_of, normal_of
from .rules import MEAN
from .verdicts import Pair

#: What claims call the board and the baseline.
NEW, OLD = "new", "old"


class Passing(Enum):
    """The verdict: whether all claims hold."""

    PASSES = "passes"
    FAILS = "fails"


class Holding(Enum):
    """What the data say of one claim."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    NOT_SHOWN = "not shown"


class ClaimResult(NamedTuple):
    """The answer to one claim.

    Parameters
    ----------
    claim : str
        The claim as it was written.
    verdict : Holding
        Whether it holds, does not hold, or is not shown.
    p, opposite_p : float
        p-values of the claim and of its opposite, with Holm's correction over the claims.
    kind : {"pair", "top", "agreement"}
        What is claimed: a difference of two systems, a place, or the agreement of two boards.
    value : float
        The difference of the two scores, the observed rank, or the observed coefficient.
    corrected : float
        The coefficient corrected for noise; NaN for other claims.
    margin : float
        What was added to the score of the worse system.
    coefficient : str
        Name of the coefficient; "" for other claims.
    """

    claim: str
    verdict: Holding
    p: float
    opposite_p: float
    kind: str
    value: float
    corrected: float
    margin: float
    coefficient: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Gate(Result):
    """The answers to all claims about a board, and whether they let it pass.

    Parameters
    ----------
    claims : tuple of ClaimResult
        One per claim, in their order.
    systems : int
        Number of systems of the board.
    method : {"flips", "errors"}
        How pairs were tested: sign flips of scores, or draws of normal errors.
    unit, units : str, int
        What was sampled ("topic", "battle", "vote" or ""), and its number.
    clusters, clustered_by : int, str
        The number of clusters that are taken as independent, 0 for none, and what they are.
    independent_errors : bool
        Whether the errors of different systems are taken as independent, because no covariance is known.
    ties : str
        What a tie of a battle is, "half", "davidson" or "drop"; "" for other boards.
    draws, seed : int
        The largest number of flips or draws, and the seed.
    level : float
        Confidence that all answers are right together.
    """

    QUESTION: ClassVar[str] = "gate"
    claims: tuple[ClaimResult, ...]
    systems: int
    method: str
    unit: str
    units: int
    clusters: int = 0
    clustered_by: str = ""
    independent_errors: bool = False
    ties: str = ""
    draws: int
    seed: int

    def __getitem__(self, claim: str) -> ClaimResult:
        """Return the answer to a claim, as it was written."""
        place = positions([claim], tuple(one.claim for one in self.claims), "claim")[0]
        return self.claims[place]

    @fact
    def passed(self) -> bool:
        """Whether every claim holds."""
        return all(one.verdict is Holding.HOLDS for one in self.claims)

    @fact
    def verdict(self) -> Passing:
        """Whether the board passes: every claim holds."""
        return Passing.PASSES if self.passed else Passing.FAILS

    @fact
    def exit_code(self) -> int:
        """Exit code of the command: 0 if every claim holds, otherwise 1."""
        return 0 if self.passed else 1

    @property
    def held(self) -> int:
        """Number of claims that hold."""
        return sum(one.verdict is Holding.HOLDS for one in self.claims)

    def columns(self) -> dict[str, Any]:
        return {name: [getattr(one, name) for one in self.claims] for name in ClaimResult._fields}

    def to_dict(self) -> dict[str, Any]:
        """Return every fact as plain Python values, ready for JSON."""
        return super().to_dict() | {"claims": rows(self.columns())}

    def cited(self) -> tuple[str, ...]:
        return ("westfall1993", "mogstad2024", "holm1979")


@takes_scores("new", "baseline", each=("judges",))
def gate(
    new: Any,
    claims: Iterable[str] | str,
    *,
    baseline: Any = None,
    judges: Mapping[str, Any] | None = None,
    level: float = 0.95,
    rng: Rng = 0,
) -> Gate:
    """Decide whether claims about a board hold beyond chance, so that a change of the board may be merged.

    Use it in continuous integration, with claims that you wrote down before the run. Do not change claims until they
    hold.

    All claims are tested together with Holm's correction. A claim holds if it is shown, and does not hold if its
    opposite is shown; otherwise it is not shown, which does not prove the contrary. "mine > theirs" is tested by max-t
    over all pairs of systems, with sign flips of scores on topics and with draws of normal errors for other boards; a
    margin, "mine > theirs - 0.01", is added to the worse score. "mine in top 3" holds if mine is significantly better
    than all but three systems, by the same p-values. "tau(new, old) >= .9" holds if the one-sided lower confidence
    limit of the agreement of two boards, corrected for noise as in `compare()`, reaches 0.9. The second name is the
    truth; any coefficient of the catalogue can be claimed, and tau is tau_b.

    Parameters
    ----------
    new : Scores, Battles, Published, Hybrid or the strengths of bradley_terry()
        The board, or the path of a file that holds one.
    claims : str or iterable of str
        A claim, such as "mine > theirs", "mine > theirs - 0.01", "mine in top 3" or "tau(new, old) >= .9". Names with
        spaces or signs stand in quotes.
    baseline : Scores, Battles or Published, optional
        The old board, for claims such as tau(new, old).
    judges : Mapping of str to boards, optional
        Further boards by name, such as those of other judges of the same systems, for claims such as tau_b(judge, old).
    level : float, default 0.95
        Confidence that all answers are right together.
    rng : int, Generator or None, default 0
        Seed of flips and draws.

    Returns
    -------
    Gate
        One `ClaimResult` per claim, and the verdict.

    Raises
    ------
    CallError
        If a claim is not understood, or names a system, a coefficient or a board that does not exist.

    See Also
    --------
    rank : which ranks the data support.
    versions : what changed between versions of a board.

    Examples
    --------
    >>> values = [[0.9, 0.5], [0.8, 0.6], [0.9, 0.4], [0.7, 0.5], [0.9, 0.6], [0.8, 0.3], [0.9, 0.5], [0.8, 0.5]]
    >>> board = Scores(values, systems=["mine", "theirs"])
    >>> gate(board, "mine > theirs").passed
    True
    >>> [one.verdict.value for one in gate(board, ["mine > theirs", "mine > theirs + 0.5"]).claims]
    ['holds', 'not shown']
    """
    given = [claims] if isinstance(claims, str) else list(claims) if isinstance(claims, Iterable) else []
    if not given:
        raise CallError("gate() needs at least one claim, such as 'mine > theirs'.")
    parsed = [parse(text) for text in given]
    boards = {name: _strengths(board) for name, board in _named(new, baseline, judges).items()}
    level, seed = checking.level(level), remembered(rng)
    pairs = _Board(boards[NEW], level, seed)
    for claim in parsed:
        if claim.systems:
            positions(claim.systems, pairs.systems, "system")
        _require_boards(claim, boards)
    tests = [_agreement(claim, boards, seed) if claim.boards else pairs.answer(claim) for claim in parsed]
    p, opposite = (holm(np.array([one[k] for one in tests])) for k in (0, 1))
    results = zip(parsed, tests, p.tolist(), opposite.tolist(), strict=True)
    return Gate(
        claims=tuple(_result(claim, one, shown, other, 1 - level) for claim, one, shown, other in results),
        level=level,
        seed=seed,
        draws=pairs.draws,
        **pairs.known,
    )


class _Tested(NamedTuple):
    """The test of one claim.

    Parameters
    ----------
    p, opposite_p : float
        p-values of the claim and of its opposite.
    value : float
        The observed number that the claim is about.
    corrected : float
        The number corrected for noise; NaN if the claim is not about agreement.
    """

    p: float
    opposite_p: float
    value: float
    corrected: float = math.nan


def _result(claim: Claim, test: _Tested, p: float, other: float, alpha: float) -> ClaimResult:
    verdict = Holding.HOLDS if p <= alpha else Holding.DOES_NOT_HOLD if other <= alpha else Holding.NOT_SHOWN
    return ClaimResult(
        claim.text, verdict, p, other, claim.kind, test.value, test.corrected, claim.margin, claim.coefficient
    )


def _strengths(board: Any) -> Any:
    """Battles as their strengths, with a tie as half a win; everything else as it is."""
    return bradley_terry(board) if isinstance(board, Battles) else board


class _Board:
    """A board with the p-values of all pairs of systems, which are computed once for all claims without a margin.

    Parameters
    ----------
    board : Scores, BradleyTerry, Published or Hybrid
        The board.
    level : float
        Confidence of the test of all pairs, the one behind the ranks of the board.
    seed : int
        Seed of flips and draws.
    """

    def __init__(self, board: Any, level: float, seed: int) -> None:
        self.normal = normal_of(board, "gate()")
        known = evidence_of(board, MEAN).known
        shared = ("method", "unit", "units", "clusters", "clustered_by", "independent_errors")
        self.known = {name: known[name] for name in shared if name in known}
        self.known |= {
            "systems": len(self.normal.systems),
            "ties": board.ties if isinstance(board, BradleyTerry) else "",
        }
        self._board, self._level, self._seed = independent(board) if isinstance(board, Scores) else board, level, seed
        self.systems = self.normal.systems
        self.draws = ERROR_DRAWS if isinstance(board, Scores) else rank_draws(self.normal.size)
        self._plain: tuple[tuple[str, ...], Floats] | None = None

    def _p(self, system: str = "", amount: float = 0.0) -> tuple[tuple[str, ...], Floats]:
        """Return the systems, and the p-values of "i is better than j", adjusted for all pairs.

        Parameters
        ----------
        system : str
            A system to whose score something is added.
        amount : float
            What is added.
        """
        if not amount and self._plain is not None:
            return self._plain
        if isinstance(self._board, Scores):
            values = self._board.values + amount * np.array([name == system for name in self._board.systems])
            observed = Observed.of(values)
            adjusted = np.ones((observed.systems, observed.systems))
            joint = tested(observed, self._level, self._seed, None)
            adjusted[observed.pairs], self.draws = joint.p, max(self.draws, joint.draws)
            result = tuple(self._board.systems[i] for i in observed.order), adjusted
        else:
            scores = self.normal.shifted(system, amount) if amount else self.normal
            result = scores.systems, normal.adjusted_p(scores, self._seed)
        if not amount:
            self._plain = result
        return result

    def answer(self, claim: Claim) -> _Tested:
        """Test a claim about systems."""
        if claim.kind == "top":
            return self._top(claim)
        names, p = self._p(claim.worse, claim.margin)
        i, j = names.index(claim.better), names.index(claim.worse)
        gap = self._score(claim.better) - self._score(claim.worse)
        return _Tested(float(p[i, j]), float(p[j, i]), gap)

    def _score(self, name: str) -> float:
        return float(self.normal.estimates[self.systems.index(name)])

    def _top(self, claim: Claim) -> _Tested:
        """Test "in the top k": better than all but k - 1 others; the opposite is that k others are better."""
        names, p = self._p()
        i, m = names.index(claim.better), len(names)
        others = np.arange(m) != i
        rank = 1 + int((self.normal.estimates > self._score(claim.better)).sum())
        # In the top k: better than at least m - k others; not in it: k others are better.
        beaten, beating = np.sort(p[i, others]), np.sort(p[others, i])
        shown = 0.0 if claim.k >= m else float(beaten[m - claim.k - 1])
        other = 1.0 if claim.k >= m else float(beating[claim.k - 1])
        return _Tested(shown, other, rank)


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


def _agreement(claim: Claim, boards: Mapping[str, Any], seed: int) -> _Tested:
    """Test the agreement of two boards, corrected for noise.

    Two boards of scores on topics are compared as `compare()` does it; other boards by draws of their true scores given
    the observed ones, with independent errors.

    Parameters
    ----------
    claim : Claim
        The coefficient, the two boards, and the bound.
    boards : dict
        All boards by name.
    seed : int
        Seed of the draws.
    """
    new, old = (boards[name] for name in claim.boards)
    c = catalogue[claim.coefficient]
    if isinstance(new, Scores) and isinstance(old, Scores):
        one = agree(new, old, c, unmatched="drop", seed=seed)
        if one.no_interval_because is not None:
            raise TauscopeError(f"{c}({', '.join(claim.boards)}) has no limits: {one.no_interval_because}.")
        return _Tested(*one.p_values(claim.least), one.observed, one.corrected)
    first, second = (normal_of(board, "gate()") for board in (new, old))
    shared = [name for name in first.systems if name in set(second.systems)]
    if len(shared) < 2:
        raise TauscopeError(f"The two boards share {count(len(shared), 'system')}; two are needed.")
    (estimate, errors), (truth, other) = (_in_order(board, shared) for board in (first, second))
    m = len(shared)
    covariance = np.zeros((2 * m, 2 * m))
    covariance[:m, :m], covariance[m:, m:] = errors, other
    standard = stream(seed, Stream.JUDGES).standard_normal((ERROR_DRAWS, 2 * m))
    draws = kernels.batch(c, *Pair(np.stack((estimate, truth)), covariance).draws(standard))[0]
    observed = float(kernels.batch(c, estimate[None], truth[None])[0][0])
    sides = draws < claim.least, draws >= claim.least
    own_p, other_p = ((1 + int(side.sum())) / (1 + ERROR_DRAWS) for side in sides)
    return _Tested(own_p, other_p, observed, float(np.nanmean(draws)))


def _in_order(board: NormalScores, systems: list[str]) -> tuple[Floats, Floats]:
    """Return estimates and covariance of some systems, in this order."""
    at = [board.systems.index(name) for name in systems]
    return board.estimates[at], board.covariance[np.ix_(at, at)]


#: A name: a word without spaces, or a text in quotes.
_NAME = r"""("[^"]*"|'[^']*'|[^\s"'<>(),]+)"""
_PAIR = re.compile(rf"{_NAME}\s*([<>])\s*{_NAME}(?:\s*([+-])\s+(\S+))?")
_TOP = re.compile(rf"{_NAME}\s+in\s+top\s+(\S+)")
_AGREEMENT = re.compile(rf"{_NAME}\s*\(\s*{_NAME}\s*,\s*{_NAME}\s*\)\s*>=?\s*(\S+)")
#: Coefficients of which claims take a variant that is also defined with ties, and has the same value without.
_WITH_TIES = {"tau": "tau_b"}
_FORMS = ", ".join(("mine > theirs", "mine > theirs - 0.01", "mine in top 3", "tau(new, old) >= .9"))


@dataclass(frozen=True)
class Claim:
    """One claim, as it was understood.

    Parameters
    ----------
    text : str
        As it was written.
    kind : {"pair", "top", "agreement"}
        What is claimed.
    better, worse : str
        Of a pair, the two systems; `better` is also the system of a top.
    margin : float
        What is added to the score of the worse system.
    k : int
        Of a top, the number of places.
    least : float
        Of an agreement, the bound.
    coefficient : str
        Of an agreement, the name of the coefficient.
    boards : tuple of str
        Of an agreement, the two boards; the second one is the truth.
    """

    text: str
    kind: str
    better: str = ""
    worse: str = ""
    margin: float = 0.0
    k: int = 0
    least: float = 0.0
    coefficient: str = ""
    boards: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems that the claim is about."""
        return tuple(name for name in (self.better, self.worse) if name)


def parse(text: str) -> Claim:
    """Read a claim, or raise an error that says why it is not understood and which forms there are."""
    if not isinstance(text, str) or not text.strip():
        raise CallError(f"{text!r} is no claim. Claims are written like this: {_FORMS}.")
    if match := _PAIR.fullmatch(text.strip()):
        return _pair(text, *match.groups())
    if match := _TOP.fullmatch(text.strip()):
        name, place = match.groups()
        if not place.isdigit() or int(place) < 1:
            raise _wrong(text, f"{place!r} is no place")
        return Claim(text, "top", better=_unquoted(name), k=int(place))
    if match := _AGREEMENT.fullmatch(text.strip()):
        return _agreement_claim(text, *match.groups())
    raise _wrong(text, "it is none of the forms")


def _pair(text: str, first: str, sign: str, second: str, direction: str | None, amount: str | None) -> Claim:
    """Read "first > second + amount" or "first < second"."""
    margin = 0.0 if amount is None else _number(text, amount) * (1 if direction == "+" else -1)
    if sign == "<" and margin:
        raise _wrong(text, "a margin goes with >, such as mine > theirs - 0.01")
    better, worse = (first, second) if sign == ">" else (second, first)
    if _unquoted(better) == _unquoted(worse):
        raise _wrong(text, "both sides are the same system")
    return Claim(text, "pair", better=_unquoted(better), worse=_unquoted(worse), margin=margin)


def _agreement_claim(text: str, coefficient: str, new: str, old: str, bound: str) -> Claim:
    """Read "coefficient(new, old) >= bound"."""
    boards = _unquoted(new), _unquoted(old)
    if boards[0] == boards[1]:
        raise _wrong(text, "both names are the same")
    c, least = catalogue[_WITH_TIES.get(coefficient, coefficient)], _number(text, bound)
    low, high = c.range
    if not low <= least <= high:
        raise _wrong(text, f"{c} is from {low:g} to {high:g}, not {least:g}")
    return Claim(text, "agreement", least=least, coefficient=c.name, boards=boards)


def _unquoted(name: str) -> str:
    return name[1:-1] if name[0] in "\"'" else name


def _number(text: str, value: str) -> float:
    """Return a number of a claim, or raise an error that quotes it."""
    try:
        return float(value)
    except ValueError:
        raise _wrong(text, f"{value!r} is no number") from None


def _wrong(text: str, why: str) -> CallError:
    """Return the error for a claim that is not understood, with the forms that are."""
    return CallError(
        f"The claim {text!r} is not understood: {why}.",
        Advice(f"Claims are written like this: {_FORMS}; names with spaces or signs stand in quotes."),
    )
