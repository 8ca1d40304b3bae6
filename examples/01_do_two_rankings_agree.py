"""Do two rankings agree?

Ten systems, scored by human judges and by a language model that replaces them. The human scores are the truth. The
scores are made up. Names are matched, so the two dicts may be in any order.
"""

import tauscope

human = {
    "rerank-large": 0.612, "hybrid": 0.585, "rerank-small": 0.581, "late": 0.547, "dense": 0.521,
    "sparse": 0.518, "bm25-prf": 0.447, "bm25": 0.431, "lm": 0.402, "tfidf": 0.355,
}  # fmt: skip
judge = {
    "rerank-large": 0.71, "hybrid": 0.71, "rerank-small": 0.74, "late": 0.66, "dense": 0.63,
    "sparse": 0.64, "bm25-prf": 0.55, "bm25": 0.52, "lm": 0.47, "tfidf": 0.49,
}  # fmt: skip

# The judge's scores have two decimals, so two systems are tied: the variants with _a measure ties against a truth.
everywhere = tauscope.tau_a(judge, truth=human)
at_the_head = tauscope.tau_ap_a(judge, truth=human)

print(everywhere)
print()
print(at_the_head)
print()
print("For the paper:", at_the_head.methods_sentence())
