"""What calls are given: numbers, choices and seeds, each checked once; and every default number of draws.

NumPy's numbers are accepted wherever Python's are; booleans, texts and NaN are not numbers. A check returns what was
meant as a plain Python value, or raises a `CallError` that names the argument, its value, and what it accepts.
"""

from __future__ import annotations

import difflib
import math
import numbers
import os
import sys
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any

import numpy as np

from ..errors import Advice, CallError

#: What a file may bring at most; beyond it reading stops with an error instead of filling the memory.
MAX_BYTES = 2 << 30


def whole(value: Any, name: str, *, least: int = 0, most: int | None = None) -> int:
    """Check a whole number within limits, both included; 3.0 is not one, and True is not one.

    Parameters
    ----------
    value : object
        What the caller gave; integers of NumPy count.
    name : str
        Name of the argument, for errors.
    least, most : int, int or None
        The limits.

    Returns
    -------
    int

    Raises
    ------
    CallError
        If it is not a whole number within the limits; the error says which they are.

    Examples
    --------
    >>> whole(np.int64(5), "draws", least=1)
    5
    """
    if not _is_whole(value) or value < least or (most is not None and value > most):
        limit = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        raise CallError(f"{name}={_shown(value)}: {name} is a whole number {limit}.")
    return int(value)


def number(value: Any, name: str, *, above: float = -math.inf, below: float = math.inf) -> float:
    """Check a finite number strictly between two limits.

    Parameters
    ----------
    value : object
        What the caller gave; numbers of NumPy count, texts and booleans do not.
    name : str
        Name of the argument, for errors.
    above, below : float
        The limits, neither of them included.

    Returns
    -------
    float

    Raises
    ------
    CallError
        If it is not such a number.
    """
    found = _real(value)
    if found is None or not math.isfinite(found) or not above < found < below:
        limits = [f"above {above:g}"] * (above > -math.inf) + [f"below {below:g}"] * (below < math.inf)
        raise CallError(f"{name}={_shown(value)}: {name} is a number{' ' * bool(limits)}{' and '.join(limits)}.")
    return found


def share(value: Any, name: str, *, zero: bool = False, one: bool = False) -> float:
    """Check a share of something, between 0 and 1.

    Parameters
    ----------
    value : object
        What the caller gave.
    name : str
        Name of the argument, for errors.
    zero, one : bool, default False
        Whether that end belongs to the allowed values.

    Returns
    -------
    float

    Raises
    ------
    CallError
        If it lies outside.
    """
    found = _real(value)
    if found is None or not (0 < found < 1 or (zero and found == 0) or (one and found == 1)):
        ends = f"{'at least' if zero else 'above'} 0 and {'at most' if one else 'below'} 1"
        raise CallError(f"{name}={_shown(value)}: {name} is a share, {ends}, such as 0.25.")
    return found


def level(value: Any, name: str = "level") -> float:
    """Check a level of confidence, strictly between 0 and 1.

    Parameters
    ----------
    value : object
        What the caller gave; 95 is refused, with the question whether 0.95 is meant.
    name : str, default "level"
        Name of the argument, for errors.

    Returns
    -------
    float

    Raises
    ------
    CallError
        If it lies outside.

    Examples
    --------
    >>> level(np.float32(0.95))
    0.95
    """
    found = _real(value)
    if found is None or not 0 < found < 1:
        hint = f" Do you mean {found / 100:g}?" if found is not None and 1 < found < 100 else ""
        raise CallError(f"{name}={_shown(value)} must be between 0 and 1, such as 0.95.{hint}")
    return found


def one_of(value: Any, choices: Iterable[str], name: str) -> str:
    """Check one of several names.

    Parameters
    ----------
    value : object
        What the caller gave.
    choices : iterable of str
        The names.
    name : str
        Name of the argument, for errors.

    Returns
    -------
    str

    Raises
    ------
    CallError
        If it is unknown; the error lists the names and suggests the nearest.

    Examples
    --------
    >>> one_of("topics", ("topics", "systems"), "resample")
    'topics'
    """
    known = tuple(choices)
    if isinstance(value, str) and value in known:
        return str(value)
    near = difflib.get_close_matches(str(value), known, 1)
    hint = f" Do you mean {near[0]!r}?" if near else ""
    listed = " or ".join(filter(None, [", ".join(map(repr, known[:-1])), *map(repr, known[-1:])]))
    raise CallError(f"{name}={_shown(value)} is unknown; use {listed}.{hint}")


def flag(value: Any, name: str) -> bool:
    """Yes or no: True or False, NumPy's too, and nothing that could be taken for either."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise CallError(f"{name}={_shown(value)}: {name} is True or False.")
    return bool(value)


def cores() -> int:
    """Return how many cores this process may use.

    Returns
    -------
    int
        One in a browser, where no thread can be started; elsewhere the cores that the operating system allows.
    """
    if sys.platform in ("emscripten", "wasi"):
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def _is_whole(value: Any) -> bool:
    # NumPy registers its integers as Integral; its booleans are neither Integral nor bool.
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _real(value: Any) -> float | None:
    """A number as a float; None for everything else, True included. float32(.95) is .95, as it prints."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    try:
        return float(str(value)) if type(value).__module__ == "numpy" else float(value)
    except OverflowError:
        return math.inf  # a whole number that no double holds is refused, whatever its sign


def _shown(value: Any) -> str:
    """A value as a caller wrote it: 0.5 and not np.float64(0.5); long texts are cut."""
    text = repr(value.item() if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 else value)
    return text if len(text) <= 100 else f"{text[:97]}…"


#: Called with how many of the pieces are done, and how many there are.
Progress = Callable[[int, int], None]


Rng = int | np.integer | np.random.Generator | None


def remembered(rng: Rng) -> int:
    """Return a seed that a result can remember.

    Parameters
    ----------
    rng : int, Generator or None
        A seed; a generator, from which one is drawn; or None for a fresh one.

    Returns
    -------
    int

    Raises
    ------
    CallError
        If it is none of these, or negative.

    Examples
    --------
    >>> remembered(7), remembered(np.random.default_rng(1))
    (7, 2032329983)
    """
    if rng is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**32))
    if isinstance(rng, (bool, np.bool_)) or not isinstance(rng, (int, np.integer)) or rng < 0:
        raise CallError(
            f"rng={rng!r} is not a seed.",
            Advice(
                "Use a whole number of at least 0 or a numpy.random.Generator.",
                "A seed is a whole number of at least 0.",
            ),
        )
    return int(rng)


def generator(rng: Rng) -> tuple[np.random.Generator, str]:
    """The generator that `rng` asks for, and its name in notes: "rng=3" for a seed, also for one that was just made
    up."""
    if isinstance(rng, np.random.Generator):
        return rng, "rng a Generator"
    seed = remembered(rng)
    return np.random.default_rng(seed), f"rng={seed}"


class Stream(IntEnum):
    """What random numbers are for: each use has a stream of its own, so that none moves another's numbers."""

    POINT = 0
    INTERVAL = 1
    RANKS = 2
    PAIRS = 3
    HALVES = 4
    SUBSETS = 5
    JUDGES = 20
    TESTS = 21
    SHIFTS = 30
    TOPICS = 31
    FLIPS = 32
    FAMILIES = 33
    PEOPLE = 34
    PLAN = 35
    PLAN_NOISE = 36
    RELIABILITY = 37


def stream(seed: int, use: Stream, *places: int) -> np.random.Generator:
    """Return the generator of one use under a seed.

    Each use of random numbers has a stream of its own (`Stream`), so that adding one use never moves the numbers of
    another.

    Parameters
    ----------
    seed : int
        The seed of the call.
    use : Stream
        What the numbers are for.
    *places : int
        Numbers of the repetition, if the use repeats itself; each has a stream of its own.

    Returns
    -------
    Generator

    Examples
    --------
    >>> bool(stream(0, Stream.PAIRS).random() == stream(0, Stream.PAIRS).random())
    True
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(int(use), *places)))


# inference/
#: Sign flips or permutations behind tests of `significance()` other than its default, which shares those of ranks.
SIGNIFICANCE_DRAWS = 5000
#: Sign flips behind the set that contains a best system.
PAIR_DRAWS = 2000
#: Sign flips behind ranks: so many pairs x flips, but within these limits. Fewer let the seed decide tiers.
FLIP_CELLS, FEWEST_PAIR_FLIPS, MOST_PAIR_FLIPS = 400_000_000, 2000, 50_000
#: Resamples of topics that show how far t can be trusted.
CAUTION_DRAWS = 1000

# expected/
#: Draws of the true means behind intervals and rank intervals.
INTERVAL_DRAWS = 2000
#: Draws of methods that resample topics, and of the one that is the default where there is no shortcut.
RESAMPLING_DRAWS, SCALED_DRAWS = 1000, 2000

#: Random halves behind the sanity line of an expected correlation.
SANITY_HALVES = 500
#: Draws of the errors of scores that come with a covariance: so many squared systems x draws, within these limits.
RANK_CELLS, ERROR_DRAWS, MOST_RANK_DRAWS = 400_000_000, 4000, 100_000
#: Draws of their true values behind the interval of tau.
TRUTH_DRAWS = 2000

# boards/
#: Resamples of battles behind the agreement of two judges in an arena.
VERDICT_DRAWS = 500

# judges/
#: Draws behind a disattenuated value: so many systems x draws, but within these limits. Fewer systems vary more.
VALUE_CELLS, FEWEST_VALUE_DRAWS, MOST_VALUE_DRAWS = 1_200_000, 12_000, 20_000
#: Draws behind each value without a group of systems.
SYSTEMS_DRAWS = 200
#: Resamples of topics behind the standard errors of shifts of groups.
SHIFT_DRAWS = 1000
#: Resamples of human topics behind the limits of a difference of `hybrid()`.
DIFFERENCE_DRAWS = 10_000
#: Random halves of the topics that `calibrate_ties` tries a threshold on.
CALIBRATION_DRAWS = 100
#: Draws of true scores and estimates behind the share of the top that a plan finds: so many systems x draws, but within
#: these limits. Each counts four times, with its opposites.
PLAN_CELLS, FEWEST_PLAN_DRAWS, MOST_PLAN_DRAWS = 800_000, 5000, 40_000
#: Sign flips behind soft pairwise accuracy: so many systems squared x flips, but within these limits; WMT has 1,000.
SPA_CELLS, FEWEST_FLIPS, MOST_FLIPS = 20_000_000, 1000, 20_000
#: The same behind each value without some of the topics, of which there are many.
SPA_ERROR_CELLS = 4_000_000
#: Permutations of the families of systems behind the families of `audit`.
FAMILY_DRAWS = 9999
#: Resamples of topics behind the leave-one-person-out test.
PEOPLE_DRAWS = 1000
#: Judges without skill behind the chance level of tie-calibrated accuracy.
CHANCE_DRAWS = 20

# selection/
#: Random halves of the systems that `select_topics` tries its choice on, and random sets of topics in each.
TOPIC_HALVES, RANDOM_SETS = 20, 200

# experiments/
#: Random splits of `predictive_power`.
POWER_DRAWS = 2000
#: Samples of each percentage of `incomplete_judgments`.
JUDGMENT_DRAWS = 5
#: Draws of `swap_experiment`; gao2015 has as many.
SWAP_DRAWS = 50
#: Perturbed rankings of each amplitude of `perturb`.
PERTURB_DRAWS = 1000
#: Simulated collections of each size of `estimator_study`; urbano2016 has 1,000.
STUDY_DRAWS = 100

# replications/
#: Draws of the swaps of gao2015, random splits of radja2018, and splits for each point of its curves.
GAO2015_DRAWS, RADJA2018_DRAWS, RADJA2018_CURVE_DRAWS = 2000, 2000, 500


def value_draws(systems: int) -> int:
    """How many draws of true means `compare` makes.

    >>> value_draws(8), value_draws(40), value_draws(129)
    (20000, 20000, 12000)
    """
    return min(max(VALUE_CELLS // max(1, systems), FEWEST_VALUE_DRAWS), MOST_VALUE_DRAWS)


def plan_draws(systems: int) -> int:
    """How many draws of true scores a plan of finding the top makes.

    >>> plan_draws(8), plan_draws(40), plan_draws(200)
    (40000, 20000, 5000)
    """
    return min(max(PLAN_CELLS // max(1, systems), FEWEST_PLAN_DRAWS), MOST_PLAN_DRAWS)


def spa_draws(systems: int, cells: int = SPA_CELLS) -> int:
    """How many sign flips soft pairwise accuracy takes: pairs average out, so fewer systems need more of them.

    >>> spa_draws(8), spa_draws(40), spa_draws(200)
    (20000, 12500, 1000)
    """
    return min(max(cells // max(1, systems) ** 2, FEWEST_FLIPS), MOST_FLIPS)


def flip_draws(systems: int) -> int:
    """How many sign flips the ranks of scores on topics rest on, to begin with.

    >>> flip_draws(8), flip_draws(265), flip_draws(1000)
    (50000, 11435, 2000)
    """
    return min(max(2 * FLIP_CELLS // max(1, systems * (systems - 1)), FEWEST_PAIR_FLIPS), MOST_PAIR_FLIPS)


def rank_draws(systems: int) -> int:
    """How many draws of errors the ranks of a published board or an arena rest on.

    >>> rank_draws(8), rank_draws(115), rank_draws(1000)
    (100000, 30245, 4000)
    """
    return min(max(RANK_CELLS // max(1, systems) ** 2, ERROR_DRAWS), MOST_RANK_DRAWS)
