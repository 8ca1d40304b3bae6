"""May this change be merged: do the claims about the new board hold, beyond chance?"""

import numpy as np

from tauscope import Scores, gate, rank

rng = np.random.default_rng(2)
values = np.array([0.68, 0.62, 0.61, 0.4]) + 0.05 * rng.normal(size=(50, 4)) + 0.1 * rng.normal(size=(50, 1))
board = Scores(values, systems=["mine", "theirs", "other", "old one"])

result = gate(board, ["mine > theirs", "mine in top 1", "theirs > other", "'old one' in top 3"])
print(result)
print(f"exit code {result.exit_code}")
print(rank(board).fragility())
