"""The gallery: one picture per function, made when the documentation is built, beside the lines that make it."""

from __future__ import annotations

import hashlib
import inspect
import struct
import textwrap
from pathlib import Path
from typing import Any

import tauscope

#: Run once, for all pictures.
BEFORE = """
import numpy as np
import tauscope as t

demo = t.demo()
human = t.evaluate(demo.runs, demo.qrels, ["AP", "P@10", "nDCG@20", "RR"])
machine = t.evaluate(demo.runs, demo.judge_qrels, ["AP", "P@10", "nDCG@20", "RR"])
people, judge = human["AP"], machine["AP"]
few = people.select(topics=people.topics[:15])
twelve = people.select(systems=people.systems[:12])
boards = {"spring": {"ant": 71.2, "bee": 69.8, "cat": 66.1, "dog": 60.4}}
boards["autumn"] = {"ant": 71.0, "bee": 70.1, "cat": 72.6, "elk": 63.0}
boards = {when: t.Published(board, errors=[0.6] * 4) for when, board in boards.items()}
draw = np.random.default_rng(8).choice
first = draw(["ant", "bee", "cat", "dog"], 400).tolist()
second = [draw([one for one in ("ant", "bee", "cat", "dog") if one != other]) for other in first]
chances = [[0.5, 0.3, 0.2] if one < other else [0.3, 0.5, 0.2] for one, other in zip(first, second)]
votes = [draw(["first", "second", "tie"], p=p) for p in chances]
crowd = t.Battles(first, second, votes)
model = t.Battles(first, second, [draw([vote, "first"], p=[0.8, 0.2]) for vote in votes])
"""

#: Question -> {function: the lines that make its picture; the last one is the result}.
PICTURES: dict[str, dict[str, str]] = {
    "Do two rankings agree?": {
        "tau_ap_a": "t.tau_ap_a(judge, truth=people)",
        "correlation_matrix": 't.correlation_matrix({m: human[m].ranking() for m in human.measures}, "tau_b")',
        "correlate_topics": "t.correlate_topics(judge, truth=people)",
        "system_profile": 't.system_profile(people, "reranker04")',
        "threshold_curve": "t.threshold_curve(judge, truth=people)",
        "pair_weights": 't.pair_weights(people, "tau_ap")',
        "correlate": "t.correlate(judge, truth=people)",
        "correlate_batch": 't.correlate_batch(judge.values, truth=people.values, coefficient="tau_b")',
        "rbo": "t.rbo(judge, people)",
        "discounted": "t.discounted(judge, truth=people)",
    },
    "Would it hold?": {
        "expected_correlation": "t.expected_correlation(people)",
        "swap_probabilities": "t.expected_correlation(twelve).swaps",
        "significance": "t.significance(twelve)",
        "sensitivity": "t.expected_correlation(people).sensitivity()",
    },
    "What is this judge worth?": {
        "compare": "t.compare(judge, truth=people)",
        "Comparisons": ('t.compare({"machine": judge, "P@10": human["P@10"], "RR": human["RR"]}, truth=people)'),
        "hybrid": "t.hybrid(few, judge)",
        "calibrate_ties": "t.calibrate_ties(judge, truth=people)",
        "audit": "t.audit(judge, truth=people)",
        "plan": "t.hybrid(few, judge).plan()",
        "next": "t.hybrid(few, judge).next(15)",
        "hybrid of documents": 't.hybrid(demo.qrels, demo.judge_qrels, runs=demo.runs, measures="AP")',
        "compare_qrels": "demo.judge_qrels.compare(demo.qrels)",
    },
    "Which measures?": {
        "measure_correlations": "t.measures.correlations(human)",
        "rank_measures": "t.measures.rank(human)",
        "select_topics": "t.measures.select_topics(people, 10)",
        "predict_measure": 't.measures.predict(human.system_wise(), "AP")',
    },
    "Leaderboards": {
        "rank": "t.rank(twelve)",
        "bradley_terry": "t.bradley_terry(crowd)",
        "versions": "t.versions(boards)",
    },
    "How do methods behave?": {
        "swap_experiment": "t.experiments.swap_experiment(twelve)",
        "perturb": "t.experiments.perturb(twelve, draws=200)",
        "predictive_power": "t.experiments.predictive_power(human, draws=200, topics=(10, 20, 30, 40, 50))",
        "incomplete_judgments": (
            "t.experiments.incomplete_judgments(demo.runs[:12], demo.qrels, (5, 10, 30, 100), draws=2)"
        ),
        "estimator_study": (
            't.experiments.estimator_study({"demo": twelve}, sizes=(10, 20, 40), draws=20, methods=("ml", "msqd"))'
        ),
    },
}


#: Where Sphinx puts the pictures of the page, seen from the page.
TINY = "../../_images/"


def write(folder: Path) -> str:
    """Pictures into `folder`, and the page that shows them, next to it. What has not changed is not drawn again."""
    folder.mkdir(parents=True, exist_ok=True)
    version = f"{tauscope.__version__} {BEFORE}"
    names: dict[str, Any] = {}
    small: list[str] = []
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
            parts += [image(path, f"pictures/{path.name}").format(words=f"What {name} plots"), ""]
            parts += [f"[{name} in the reference]({link(name)})", ""]
            small.append(f'<a href="#{name.lower().replace("_", "-")}"><img src="{TINY}{path.name}" alt="">{name}</a>')
    grid = ["```{raw} html", '<div class="gallery-grid">', *small, "</div>", "```", ""]
    return "\n".join([*parts[:2], *grid, *parts[2:]])


#: Three pixels per point in the file; a little larger on the page than the chart was drawn.
SCALE = 2.6
#: Dots per inch of matplotlib's figures.
DPI = 290


def image(path: Path, address: str) -> str:
    """A picture as Markdown, as wide as it was meant to be; `{words}` is where its description goes."""
    width = struct.unpack(">I", path.read_bytes()[16:20])[0]
    return f"![{{words}}]({address}){{{{width={round(width / SCALE)}px}}}}"


def link(name: str) -> str:
    return f"coefficients/{name}.md" if name in tauscope.catalogue else f"api/{name}.md"


def draw(code: str, names: dict[str, Any], path: Path) -> None:
    try:
        eval(code, names).plot().figure.savefig(path, dpi=DPI)
    except Exception as error:
        raise RuntimeError(f"the picture of {textwrap.shorten(code, 80)} cannot be made: {error}") from error
