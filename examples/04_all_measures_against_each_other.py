"""Which evaluation measures rank the systems alike?

Twelve systems, four measures. Three measures reflect the same quality with more or less noise, and the fourth reflects
something else. tau_ap is not symmetric: the row is the truth, the column is the estimate.
"""

import numpy as np

from tauscope import correlate

rng = np.random.default_rng(12)
quality = np.linspace(0.6, 0.2, 12)
measures = {
    "AP": quality + rng.normal(0, 0.03, 12),
    "nDCG@10": quality + rng.normal(0, 0.06, 12),
    "P@10": quality + rng.normal(0, 0.10, 12),
    "speed": rng.uniform(0, 1, 12),
}

for coefficient in ("tau_b", "tau_ap"):
    matrix = correlate(measures, coefficient=coefficient)
    print(matrix)
    print(f"{'truth':>10}" + "".join(f"{name:>10}" for name in matrix.names))
    for name, row in zip(matrix.names, matrix.values, strict=True):
        print(f"{name:>10}" + "".join(f"{value:10.3f}" for value in row))
    print()

print(f"AP as the truth, P@10 as the estimate: {matrix['AP', 'P@10']:.3f}")
print(f"P@10 as the truth, AP as the estimate: {matrix['P@10', 'AP']:.3f}")
