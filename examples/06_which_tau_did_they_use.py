"""A paper prints a number. Which tau did they use?

`catalogue.identify()` tries the coefficients and the conventions of papers and packages: ties broken by name, rounded
scores, tau_ap walked the other way, the bottom quarter dropped. A value given as text is matched to its printed digits.
"""

import numpy as np

from tauscope import catalogue

rng = np.random.default_rng(3)
names = [f"run{number:02d}" for number in range(1, 25)]
quality = np.linspace(0.5, 0.2, 24)
pooled = dict(zip(names, np.round(quality + rng.normal(0, 0.03, 24), 4).tolist(), strict=True))
official = dict(zip(names, np.round(quality + rng.normal(0, 0.03, 24), 4).tolist(), strict=True))

for published in ("0.746", "0.706", "0.62", "0.12"):
    print(catalogue.identify(pooled, truth=official, value=published), "\n")

found = catalogue.identify(pooled, truth=official, value="0.62")
for convention in found.matches[:5]:
    print(f"{convention.value:.6f}  {convention}")
