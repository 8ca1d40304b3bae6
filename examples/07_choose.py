"""Which coefficient answers my question?

Three questions decide. Is one ranking the truth, or are both opinions? Does a tie mean too close to call, or equal? How
close must two scores be to be tied? Then say whether errors at the top and swaps of very different systems count more.
"""

from tauscope import catalogue

print("A new test collection against the old one; the top matters:")
print(catalogue.choose("truth", "indiscernible", head_weighted=True), "\n")

print("Two judges of equal standing; scores within 0.01 are too close to call:")
print(catalogue.choose("observers", "indiscernible", tied_within=0.01), "\n")

print("Leaderboard ranks, where a shared rank is a statement:")
print(catalogue.choose("observers", "equal", head_weighted=True), "\n")

print("Swapping a good and a bad system is worse than swapping neighbours:")
print(catalogue.choose("truth", "none", head_weighted=True, gap_sensitive=True), "\n")

choice = catalogue.choose("observers", "none", head_weighted=True)
print("No ties, no truth, and the top matters:", choice.call())
print(choice.cite())
