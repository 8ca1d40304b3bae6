"""Which ranks may a leaderboard print, when its scores come with intervals?"""

from tauscope import PublishedScores

board = PublishedScores(
    {"ant": 1470, "bee": 1446, "cat": 1441, "dog": 1398, "elk": 1395},
    intervals=["+5/-5", "+6/-6", "+9/-8", "± 7", "± 7"],
)
ranks = board.ranks()
print(ranks)

for name in ranks.systems:
    low, high = ranks[name]
    print(
        f"{name}: {low}" + (f" to {high}" if high > low else "") + f", tier {ranks.tier[name]}, {ranks.letters[name]}"
    )

print(f"Times the votes for an expected tau of .95: {ranks.times_needed(0.95):.1f}")
