"""The gallery: one picture per result, drawn when the documentation is built, beside the call that makes it."""

from __future__ import annotations

import hashlib
import inspect
import operator
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

#: Question -> {name of the result in the reference: the call that makes it}.
PICTURES: dict[str, dict[str, str]] = {
    "Do two rankings agree?": {
        "results.Correlation": "t.tau_ap_a(judge, truth=people)",
        "results.Correlations": 't.correlate(judge, truth=people, coefficient="all")',
        "results.CorrelationMatrix": "t.correlate({m: human[m].ranking() for m in human.measures})",
        "results.Batch": "t.correlate(judge.values, truth=people.values)",
        "results.Walk": "t.tau_ap_a(judge, truth=people).walk()",
        "results.TopicCorrelations": "t.correlate(judge, truth=people).by_topic()",
        "results.SystemProfile": 't.correlate(judge, truth=people).profile("reranker04")',
        "results.ThresholdCurve": "t.correlate(judge, truth=people).thresholds()",
        "results.TieCalibration": 't.correlate(judge, truth=people, coefficient="tau_e").calibrate_ties()',
        "results.PairWeights": 't.catalogue["tau_ap"].weights(people.ranking())',
        "results.Overlap": "t.rbo(judge, people)",
    },
    "Would the ranking hold?": {
        "results.ExpectedCorrelation": "t.expected_correlation(people)",
        "results.SwapProbabilities": "t.expected_correlation(twelve).swaps",
        "results.CorrelationCurve": "t.expected_correlation(people).curve()",
        "results.Sensitivity": "t.expected_correlation(people).sensitivity()",
        "results.Significance": "t.significance(twelve)",
    },
    "Can this judge replace people?": {
        "results.Comparison": "t.compare(judge, truth=people)",
        "results.Comparisons": 't.compare({"machine": judge, "P@10": human["P@10"], "RR": human["RR"]}, truth=people)',
        "results.Audit": "t.audit(judge, truth=people)",
        "results.Hybrid": "t.hybrid(few, judge)",
        "results.HybridPlan": "t.hybrid(few, judge).plan()",
        "results.HybridDocuments": 't.hybrid(demo.qrels, demo.judge_qrels, runs=demo.runs, measures="AP")',
        "results.QrelsComparison": "demo.judge_qrels.compare(demo.qrels)",
    },
    "What may a leaderboard print?": {
        "results.Ranks": "t.rank(twelve)",
        "results.RuleComparison": "t.rank(twelve).under_rules()",
        "results.BradleyTerry": "t.bradley_terry(crowd)",
        "results.VerdictComparison": "t.compare(model, truth=crowd)",
        "results.Versions": "t.versions(boards)",
    },
    "Which measures and topics to report?": {
        "results.MeasureCorrelations": "t.measures.correlations(human)",
        "results.MeasureRanking": "t.measures.rank(human)",
        "results.TopicSelection": "t.measures.select_topics(people, 10)",
        "results.MeasurePrediction": 't.measures.predict(human.system_wise(), "AP")',
    },
    "How do methods behave?": {
        "results.SwapExperiment": "t.experiments.swap_experiment(twelve)",
        "results.Perturbation": "t.experiments.perturb(twelve, draws=200)",
        "results.PredictivePower": "t.experiments.predictive_power(human, draws=200, topics=(10, 20, 30, 40, 50))",
        "results.IncompleteJudgments": (
            "t.experiments.incomplete_judgments(demo.runs[:12], demo.qrels, (5, 10, 30, 100), draws=2)"
        ),
        "results.Study": (
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
    parts = ["# Gallery", "", "One picture per result, with the call that makes it. All begin with", ""]
    parts += ["```python", BEFORE.strip(), "```", ""]
    for question, pictures in PICTURES.items():
        parts += [f"## {question}", ""]
        for name, code in pictures.items():
            title = name.rpartition(".")[2]
            path = folder / f"{title}-{hashlib.sha256(f'{version} {code}'.encode()).hexdigest()[:10]}.png"
            if not path.exists():
                if not names:
                    exec(BEFORE, names)
                for old in folder.glob(f"{title}-*.png"):
                    old.unlink()
                draw(code, names, path)
            asked = (inspect.getdoc(operator.attrgetter(name)(tauscope)) or "").split("\n\n")[0].replace("\n", " ")
            parts += [f"### {title}", "", asked, "", "```python", f"{code}.plot()", "```", ""]
            parts += [image(path, f"pictures/{path.name}").format(words=f"The chart of {title}"), ""]
            parts += [f"[{title} in the reference](api/{name}.md)", ""]
            small.append(f'<a href="#{title.lower()}"><img src="{TINY}{path.name}" alt="">{title}</a>')
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


def draw(code: str, names: dict[str, Any], path: Path) -> None:
    try:
        save(eval(code, names).plot(), path)
    except Exception as error:
        raise RuntimeError(f"the picture of {textwrap.shorten(code, 80)} cannot be made: {error}") from error


def save(axes: Any, path: Path) -> None:
    """Save the figure of some axes, and forget it."""
    import matplotlib.pyplot as plt

    axes.figure.savefig(path, dpi=DPI)
    plt.close(axes.figure)
