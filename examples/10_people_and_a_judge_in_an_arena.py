"""Does this judge of battles agree with people, or does it only prefer the first answer?"""

import numpy as np

from tauscope import Battles, bradley_terry, compare

rng = np.random.default_rng(1)
names = np.array(["ant", "bee", "cat", "dog", "elk", "fox"])
strength = np.array([1.5, 1.0, 0.5, 0.0, -0.5, -1.5])
first = rng.integers(6, size=3000)
second = (first + rng.integers(1, 6, size=3000)) % 6


def judged(preference: float) -> Battles:
    """Verdicts of a judge for whom the first answer has an advantage."""
    chance = 1 / (1 + np.exp(strength[second] - strength[first] - preference))
    winner = np.where(rng.random(3000) < chance, "first", "second")
    return Battles(names[first], names[second], winner, ids=np.arange(3000))


people, machine = judged(0.0), judged(1.0)
print(bradley_terry(people))
print(compare(machine, truth=people))
