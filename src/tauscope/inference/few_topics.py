"""How many topics it takes to say something, and what results say where there are fewer: all limits, all words."""

from __future__ import annotations

from ..errors import TauscopeError
from ..results import count, word

#: One topic does not tell how scores vary from topic to topic.
LEAST = 2
#: Fewer cannot be split into two samples of several sizes.
LEAST_FOR_HALVES = 4
#: With fewer, noise is hardly told from differences.
LEAST_FOR_NOISE = 4
#: With fewer, draws of the true means are too sure.
LEAST_FOR_DRAWS = 5
#: With fewer, so are marginal rank intervals: they held .91 of the ranks of twenty close systems with five and with seven
#: topics, and .945 with ten (`benchmarks/hard_boards.py ranks`).
LEAST_FOR_RANKS = 10
#: A collection of fewer gets a warning from the linter, or a note.
LEAST_FOR_A_COLLECTION, ENOUGH_FOR_A_COLLECTION = 10, 25


def require_two(what: str, systems: int, topics: int, least: int = LEAST) -> None:
    """At least two systems, and so many topics; `what` is the function that wants them."""
    if systems < 2 or topics < least:
        needed = {2: "two"}.get(least, str(least))
        raise TauscopeError(
            f"{what} needs at least two {word('systems')} and {needed} {word('topics')}; there are {systems} and "
            f"{topics}."
        )


def nothing_significant(topics: int) -> str:
    """What a test of so few topics is told to say."""
    return f"{count(topics, 'topic')} are too few: nothing can be significant"


def promises_too_much(topics: int, *, several: bool = False) -> str:
    """What an interval, or several, from draws of the true means say beside themselves; "" where topics are enough."""
    if topics >= (LEAST_FOR_RANKS if several else LEAST_FOR_DRAWS):
        return ""
    held = "these intervals hold less often than they say" if several else "the interval holds less often than it says"
    return f"with {count(topics, 'topic')} {held}"
