"""Would the ranking of these runs hold on other topics, and how many topics would be enough?"""

from tauscope import demo, evaluate, expected_correlation, rank

collection = demo(rng=8)
scores = evaluate(collection.runs, collection.qrels, ["AP"])["AP"]

result = expected_correlation(scores, "tau_ap", rng=1)
print(result)
print(f"With 95 % confidence it is at least {result.at_least(0.95):.3f}.")

worst = result.most_doubtful
print(f"Most doubtful: {worst.better} above {worst.worse}, wrong with probability {worst.probability:.2f}.")

for target in (0.85, 0.9, 0.95):
    print(result.topics_needed(target))

print(rank(scores, rng=1))
