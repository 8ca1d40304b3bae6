"""Do two rankings agree?

Ten systems, scored by human judges and by a language model that replaces them. The human scores are the truth. The
scores are made up. Names are matched, so the two dicts may be in any order.
"""

import tauscope

names = "rerank-large hybrid rerank-small late dense sparse bm25-prf bm25 lm tfidf"
human_scores = [0.612, 0.585, 0.581, 0.547, 0.521, 0.518, 0.447, 0.431, 0.402, 0.355]
judge_scores = [0.71, 0.71, 0.74, 0.66, 0.63, 0.64, 0.55, 0.52, 0.47, 0.49]
human = dict(zip(names.split(), human_scores, strict=True))
judge = dict(zip(names.split(), judge_scores, strict=True))

# The judge's scores have two decimals, so two systems are tied: the variants with _a measure ties against a truth.
everywhere = tauscope.tau_a(judge, truth=human)
at_the_head = tauscope.tau_ap_a(judge, truth=human)

print(everywhere)
print()
print(at_the_head)
print()
print("For the paper:", at_the_head.methods_sentence())
