"""How much does a ranking depend on which topics were drawn? A thousand bootstrap rankings in one call.

Each row of the array is a ranking of the systems by their means over topics drawn with replacement. One call compares
all rows with the ranking over all topics. A row in which the coefficient is undefined is NaN, and has a reason.
"""

import numpy as np

from tauscope import correlate

rng = np.random.default_rng(7)
topics, systems = 50, 20
quality = np.linspace(0.55, 0.25, systems)
scores = np.clip(quality + rng.normal(0, 0.15, (topics, 1)) + rng.normal(0, 0.12, (topics, systems)), 0, 1)

everything = scores.mean(axis=0)
drawn = rng.integers(topics, size=(1000, topics))
bootstrap = scores[drawn].mean(axis=1)  # 1,000 rankings of 20 systems, one per row

for name in ("tau", "tau_ap"):
    batch = correlate(bootstrap, truth=everything, coefficient=name)
    low, high = np.nanquantile(batch.values, [0.05, 0.95])
    print(batch)
    print(f"  90 % of the rows lie between {low:.3f} and {high:.3f}\n")
