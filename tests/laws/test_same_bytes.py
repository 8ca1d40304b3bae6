"""The same seed, the same bytes: also when NumPy's linear algebra has another number of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tauscope.core.arrays import product

#: What a worker prints: digests of everything that is a sum over topics, systems or draws.
SCRIPT = """
import hashlib, json
import numpy as np
import tauscope
from tauscope.core.arrays import product

rng = np.random.default_rng(0)
for systems, topics in ((97, 50), (330, 40), (40, 700)):
    x = rng.random((topics, systems)) + rng.normal(0, 0.1, systems)
    scores, other = tauscope.Scores(x), tauscope.Scores(x + rng.normal(0, 0.2, x.shape))
    results = [
        tauscope.expected_correlation(scores),
        tauscope.rank(scores),
        tauscope.significance(scores, draws=200),
    ]
    if systems < 100:
        results += [tauscope.compare(scores, truth=other), tauscope.expected_correlation(scores, method="shw")]
    for result in results:
        print(hashlib.sha256(json.dumps(result.to_dict(), default=str).encode()).hexdigest())
    if systems == 97:
        board = tauscope.Scores(np.clip(x, 0.0, 1.5) / 1.5)
        for means in ("exact", "published"):
            simulator = tauscope.simulate.Simulator.fit(board, means=means)
            made = simulator.draw_values(200, np.random.default_rng(1))
            print(hashlib.sha256(simulator.true_means.tobytes() + made.tobytes()).hexdigest())
        known = {"sizes": [100], "draws": 2, "methods": ["ml", "msqd", "shrunk"]}
        study = tauscope.experiments.estimator_study({"board": board}, **known)
        print(hashlib.sha256(json.dumps(study.to_dict(), default=str).encode()).hexdigest())
    print(hashlib.sha256(product(x.T, x).tobytes()).hexdigest(), (x.T @ x).tobytes() == product(x.T, x).tobytes())
"""


#: The same of boards and battles.
BOARDS = """
import hashlib, json
import numpy as np
import tauscope as t
from tauscope.boards.repeats import Repeats

rng = np.random.default_rng(1)
n, m = 4000, 40
s = rng.normal(size=m)
i = rng.integers(m, size=n)
j = (i + rng.integers(1, m, size=n)) % m
w = np.where(rng.random(n) < 0.2, 2, (rng.random(n) > 1 / (1 + np.exp(s[j] - s[i]))).astype(int))
names, words = np.array([f"m{k}" for k in range(m)]), np.array(["first", "second", "tie"])
people, judge = (
    t.Battles(names[i], names[j], words[v], questions=(np.arange(n) % 300).tolist())
    for v in (w, np.where(rng.random(n) < 0.3, 0, w))
)
board = t.Scores(50 + rng.normal(size=(300, 90)) + rng.normal(size=90))
strong = t.bradley_terry(people, clusters="question")
for result in (
    strong,
    t.rank(strong),
    t.bradley_terry(people, ties="half"),
    t.compare(judge, truth=people),
    t.rank(people).fragility(),
    t.rank(board),
    t.rank(board).under_rules(["mean", "z", "copeland", "iqm"]),
    t.versions([board, t.Scores(board.values + rng.normal(size=board.values.shape))]),
    t.gate(strong, ["m0 > m1", "tau(new, old) >= .5"], baseline=strong),
    t.rank(t.Published(s, errors=np.full(m, 0.1))),
    t.variance_components(Repeats(rng.normal(size=(100, 60, 3)))),
):
    print(hashlib.sha256(json.dumps(result.to_dict(), default=str).encode()).hexdigest())
"""


@pytest.mark.parametrize("script", [SCRIPT, BOARDS], ids=["topics", "boards"])
def test_threads_of_linear_algebra_do_not_change_a_byte(script):
    """A worker of Dask has as many threads for it as its machine has cores, a process of ours one."""
    found = {
        threads: subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
        ).stdout
        for threads in ("1", "3")
    }
    lines = {threads: [line.split()[0] for line in text.splitlines()] for threads, text in found.items()}
    assert len(set(lines["1"])) > 10
    assert lines["1"] == lines["3"]


@pytest.mark.both
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 0, 2), (0, 4, 2), (17, 300, 65), (70, 513, 130), (2000, 9, 1)])
def test_a_product_is_the_product(shape):
    m, k, n = shape
    rng = np.random.default_rng(m)
    first, second = rng.normal(size=(m, k)), rng.normal(size=(k, n))
    np.testing.assert_allclose(product(first, second), first @ second, rtol=0, atol=1e-12)
    np.testing.assert_allclose(product(first, second[:, 0]), first @ second[:, 0], rtol=0, atol=1e-12)
    if m:
        np.testing.assert_allclose(product(first[0], second), first[0] @ second, rtol=0, atol=1e-12)
        assert product(first[0], first[0]) == pytest.approx(first[0] @ first[0])
