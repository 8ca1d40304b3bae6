"""Papers redone: each module computes what a paper prints and says which of its numbers hold.

A paper has one module with a function `reproduce()` and one CSV file of printed numbers. The data are not part of the
package, because their licences do not allow it: `--data` names the folder that has them. What cannot be redone is a
note of the replication and a row of the page of errata.
"""

from __future__ import annotations

#: Paper -> module of this package:function. A function is `reproduce(data, *, out, rng, progress, …) -> Replication`.
PAPERS: dict[str, str] = {
    "gao2015": "gao2015:reproduce",
    "radja2018": "radja2018:reproduce",
    "gupta2019": "gupta2019:reproduce",
    "urbano2016": "urbano2016:reproduce",
}
