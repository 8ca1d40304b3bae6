"""Which coefficient answers my question?

Three questions decide. Where: is one ranking the truth, or are both opinions? What: does a tie mean too close to call,
or equal? When: how close must scores be to be tied? Then say whether the head and the gaps count more.
"""

from tauscope.evaluation.labels import choose

print("A new test collection against the old one; the top matters:")
print(choose("truth", "indiscernible", head_weighted=True), "\n")

print("Two judges of equal standing; scores within 0.01 are too close to call:")
print(choose("observers", "indiscernible", tied_within=0.01), "\n")

print("Leaderboard ranks, where a shared rank is a statement:")
print(choose("observers", "equal", head_weighted=True), "\n")

print("Swapping a good and a bad system is worse than swapping neighbours:")
print(choose("truth", "none", head_weighted=True, gap_sensitive=True), "\n")

choice = choose("observers", "none", head_weighted=True)
print("No ties, no truth, and the top matters:", choice.call())
print(choice.cite())
