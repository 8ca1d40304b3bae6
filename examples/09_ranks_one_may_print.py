"""Which ranks may a leaderboard print, when its scores come with intervals?"""

from tauscope import Published, rank

board = Published(
    {"ant": 1470, "bee": 1446, "cat": 1441, "dog": 1398, "elk": 1395},
    intervals=["+5/-5", "+6/-6", "+9/-8", "± 7", "± 7"],
)
ranks = rank(board)
print(ranks)

for name, tier, letters in zip(ranks.systems, ranks.tier, ranks.letters, strict=True):
    low, high = ranks[name]
    print(f"{name}: {low}" + (f" to {high}" if high > low else "") + f", tier {tier}, {letters}")

print(f"Expected tau with the true ranking: {ranks.expected_tau().value:.3f}")
