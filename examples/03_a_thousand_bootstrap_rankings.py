"""How much does a ranking depend on which topics were drawn? A thousand bootstrap rankings at once.

Topics are drawn with replacement, the systems are ranked by their means over the drawn topics, and every such ranking
is compared with the ranking by all topics. The rankings are the rows of one array, and one call compares them all; a
row in which the coefficient is undefined would be NaN, with a reason.
"""

import numpy as np

from tauscope.coefficients.batch import correlate_batch

rng = np.random.default_rng(7)
topics, systems = 50, 20
quality = np.linspace(0.55, 0.25, systems)
scores = np.clip(quality + rng.normal(0, 0.15, (topics, 1)) + rng.normal(0, 0.12, (topics, systems)), 0, 1)

everything = scores.mean(axis=0)
drawn = rng.integers(topics, size=(1000, topics))
bootstrap = scores[drawn].mean(axis=1)  # 1000 rankings of 20 systems, a row each

for name in ("tau", "tau_ap"):
    batch = correlate_batch(bootstrap, truth=everything, coefficient=name)
    low, high = np.nanquantile(batch.values, [0.05, 0.95])
    print(batch)
    print(f"  nine rows in ten lie between {low:.3f} and {high:.3f}\n")
