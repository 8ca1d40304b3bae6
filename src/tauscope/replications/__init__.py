"""Papers redone: each module computes what a paper prints and says which of its numbers hold."""

from __future__ import annotations

#: Paper -> module of this package:function. A function is `reproduce(data, *, out, rng, progress, …) -> Replication`.
PAPERS: dict[str, str] = {
    "gao2015": "gao2015:reproduce",
    "radja2018": "radja2018:reproduce",
    "gupta2019": "gupta2019:reproduce",
    "urbano2016": "urbano2016:reproduce",
}
