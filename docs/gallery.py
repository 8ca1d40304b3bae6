"""The gallery: one picture per function, made when the documentation is built, beside the lines that make it."""

from __future__ import annotations

import hashlib
import inspect
import textwrap
from pathlib import Path
from typing import Any

import tauscope

#: Run once, for all pictures.
BEFORE = """
import numpy as np
import tauscope as t

demo = t.demo_collection()
human = t.evaluate(demo.runs, demo.qrels, ["AP", "P@10", "nDCG@20", "RR"])
machine = t.evaluate(demo.runs, demo.judge_qrels, ["AP", "P@10", "nDCG@20", "RR"])
people, judge = human["AP"], machine["AP"]
few = people.select(topics=people.topics[:15])
twelve = people.select(systems=people.systems[:12])
"""

#: Question -> {function: the lines that make its picture; the last one is the result}.
PICTURES: dict[str, dict[str, str]] = {
    "Do two rankings agree?": {
        "tau_ap_a": "t.tau_ap_a(judge, truth=people)",
        "correlation_matrix": 't.correlation_matrix([human[m].ranking() for m in human.measures], "tau_b")',
        "correlate_topics": "t.correlate_topics(judge, truth=people)",
        "system_profile": 't.system_profile(people, "reranker04")',
        "threshold_curve": "t.threshold_curve(judge, truth=people)",
        "pair_weights": 't.pair_weights(people, "tau_ap")',
    },
    "Would it hold?": {
        "expected_correlation": "t.expected_correlation(people)",
        "rank_intervals": "t.rank_intervals(twelve)",
        "tiers": "t.tiers(twelve, letters=True)",
        "best_set": "t.best_set(people)",
        "swap_probabilities": "t.swap_probabilities(twelve)",
        "significance_matrix": "t.significance_matrix(twelve)",
    },
    "What is this judge worth?": {
        "compare": "t.compare(judge, truth=people)",
        "rank_judges": 't.rank_judges({"machine": judge, "P@10": human["P@10"], "RR": human["RR"]}, truth=people)',
        "hybrid": "t.hybrid(few, judge)",
        "rank_shifts": "t.rank_shifts(judge, truth=people, groups=demo.families)",
        "calibrate_ties": "t.calibrate_ties(judge, truth=people)",
    },
    "Which measures?": {
        "measure_correlations": "t.measure_correlations(human)",
        "rank_measures": "t.rank_measures(human)",
        "select_topics": "t.select_topics(people, 10)",
    },
    "Leaderboards": {
        "rank_board": 't.rank_board(twelve, rule="borda")',
        "compare_rules": "t.compare_rules(twelve)",
    },
    "How do methods behave?": {
        "swap_experiment": "t.swap_experiment(twelve)",
    },
}


def write(folder: Path) -> str:
    """Pictures into `folder`, and the page that shows them, next to it. What has not changed is not drawn again."""
    folder.mkdir(parents=True, exist_ok=True)
    version = f"{tauscope.__version__} {BEFORE}"
    names: dict[str, Any] = {}
    parts = ["# Gallery", "", "One picture per function, with the lines that make it. All begin with", ""]
    parts += ["```python", BEFORE.strip(), "```", ""]
    for question, pictures in PICTURES.items():
        parts += [f"## {question}", ""]
        for name, code in pictures.items():
            path = folder / f"{name}-{hashlib.sha256(f'{version} {code}'.encode()).hexdigest()[:10]}.png"
            if not path.exists():
                if not names:
                    exec(BEFORE, names)
                for old in folder.glob(f"{name}-*.png"):
                    old.unlink()
                draw(code, names, path)
            asked = (inspect.getdoc(getattr(tauscope, name)) or "").split("\n\n")[0].replace("\n", " ")
            parts += [f"### {name}", "", asked, "", "```python", f"{code}.plot()", "```", ""]
            parts += [f"![What {name} plots](pictures/{path.name})", ""]
            parts += [f"[{name}]({link(name)})", ""]
    return "\n".join(parts)


def link(name: str) -> str:
    return f"coefficients/{name}.md" if name in tauscope.catalogue else f"api/{name}.md"


def draw(code: str, names: dict[str, Any], path: Path) -> None:
    from tauscope.figures import save

    try:
        save(eval(code, names).plot(), path)
    except Exception as error:
        raise RuntimeError(f"the picture of {textwrap.shorten(code, 80)} cannot be made: {error}") from error
