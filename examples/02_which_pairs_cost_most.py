"""Which pairs of systems reduce the coefficient most?

1 - value is the sum of the losses of all pairs, so each disagreement explains a share of it. In tau every swapped pair
has the same loss; in tau_ap pairs near the top of the estimate have a larger one.
"""

from tauscope import Ranking, tau, tau_ap

truth = Ranking.from_order("A B C D E F G H")
estimate = Ranking.from_order("B A C D E G H F")

for result in (tau(estimate, truth=truth), tau_ap(estimate, truth=truth)):
    lost = 1 - result.value
    print(f"{result.coefficient} = {result.value:.4f}; the losses add up to {lost:.4f}")
    for pair in result.heaviest(3):
        print(f"  {pair.first} above {pair.second}: loss {pair.loss:.4f}, {pair.loss / lost:.0%} of the total")

print("\ntau_ap's loss by rank of the estimate, from the top to the bottom:")
print("  " + " ".join(f"{loss:.3f}" for loss in tau_ap(estimate, truth=truth).walk().loss))
