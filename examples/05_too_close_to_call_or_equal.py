"""Two scores differ by very little. Are they too close to call, or equal?

`tied_within` decides when two scores are tied; the suffix of the coefficient decides what a tie means. In tau_a and
tau_b a tie is too close to call, and either order is right. In tau_e a tie states that two systems are equal, so the
other ranking should tie them as well.
"""

import numpy as np

from tauscope import correlate, tau_a, tau_b, tau_e

rng = np.random.default_rng(5)
truth = np.round(np.linspace(0.60, 0.30, 16) + rng.normal(0, 0.01, 16), 3)
estimate = np.round(truth + rng.normal(0, 0.02, 16), 3)

print(f"{'tied within':>12}{'tied pairs':>12}{'tau_a':>9}{'tau_b':>9}{'tau_e':>9}")
for width in (0, 0.005, 0.01, 0.02, 0.05):
    results = [tau(estimate, truth=truth, tied_within=width) for tau in (tau_a, tau_b, tau_e)]
    values = "".join(f"{result.value:9.3f}" for result in results)
    print(f"{width:12g}{f'{results[0].ties.estimate} / {results[0].ties.truth}':>12}{values}")

print("\nThe estimate alone is coarse: tied within 0.02. The truth has ties only where two numbers are equal.")
print(tau_a(estimate, truth=truth, tied_within=(0.02, 0)))

print("\nAt which tolerance is tau_e largest?")
print(correlate(estimate, truth=truth, coefficient="tau_e").thresholds(np.arange(0, 0.31, 0.01)))
