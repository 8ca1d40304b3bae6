"""`tauscope expected`, `plan`, `ranks` and `simulate`: would the ranking hold on new topics?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..coefficients.records import catalogue
from ..errors import CallError
from ..expected.expected_correlation import DOUBTFUL, ExpectedCorrelation, expected_correlation
from ..expected.methods import SUMS_OVER_PAIRS
from ..expected.ranks import best_set, rank_intervals
from ..expected.ranks import tiers as find_tiers
from ..expected.sensitivity import sensitivity
from ..files import write_scores
from ..results import count, number, word, wording
from ..simulate.simulator import Simulator
from .options import Figure, Flag, Measure, Missing, Seed, SystemsAre, TopicsAre, save_figure, scores_from
from .output import one_format, show, show_csv, show_json, show_table
from .progress import progress

Files = Annotated[list[Path], Parameter(negative=())]
Coefficients = Annotated[
    list[str] | None, Parameter(name=["--coefficient", "-c"], consume_multiple=True, negative=())
]  # fmt: skip


def expected(
    files: Files,
    /,
    *,
    measure: Measure = None,
    coefficient: Coefficients = None,
    method: str | None = None,
    level: float = 0.95,
    pairs: int = 5,
    missing: Missing = "error",
    format: str | None = None,
    seed: Seed = 0,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """How close is this ranking to the true one, over all topics that could have been asked?

    Parameters
    ----------
    files
        Scores: a matrix of topics by systems, a long table, or the output of an evaluation tool, one file a run.
    measure
        Which measure to use, in files that have several.
    coefficient
        One or more of the catalogue; without: tau and tau_ap.
    method
        shrunk (the default), bayes, draws, or urbano2016's ml, msqd, res, kd, shw, shwo.
    level
        Confidence of the interval.
    pairs
        List the K pairs that are most likely in the wrong order.
    missing
        What to do with missing cells.
    format
        The layout of the file, where it cannot be told.
    json
        Print JSON.
    csv
        Print CSV.
    """
    one_format(json, csv)
    if pairs < 0:
        raise CallError(f"--pairs {pairs}: ask for 0 or more pairs.")
    with wording(systems=systems_are, topics=topics_are):
        scores = scores_from(files, measure, missing, format)
        with progress("estimating"):
            results = [expected_correlation(scores, c, method, level=level, rng=seed)
                       for c in coefficient or SUMS_OVER_PAIRS]  # fmt: skip
            _ = [result.subsets().parts() for result in results if result.undefined_because is None]
        if json:
            show_json([result.to_dict() | _doubtful(result, pairs) for result in results])
        elif csv:
            show_csv({key: [row for r in results for row in r.columns()[key]] for key in results[0].columns()})
        else:
            for result in results:
                show(*result.lines())
            _print_doubtful(results[0], pairs)
            show("", *(result.methods_sentence() for result in results))
        save_figure(results[0], figure)


def _has_pairs(result: ExpectedCorrelation) -> bool:
    return result.undefined_because is None and result.method.by_pairs


def _doubtful(result: ExpectedCorrelation, pairs: int) -> dict[str, Any]:
    if not _has_pairs(result):
        return {"doubtful_pairs": None, "most_doubtful": []}
    found = result.doubtful_pairs()
    return {"doubtful_pairs": len(found), "most_doubtful": found[:pairs]}


def _print_doubtful(result: ExpectedCorrelation, pairs: int) -> None:
    if not pairs or not _has_pairs(result):
        return
    found = result.doubtful_pairs()
    show("", f"{count(len(found), 'pair')} may well be in the wrong order (probability at least {DOUBTFUL:g})")
    if found:
        rows = [
            ["better", "worse", "probability"],
            *([p.better, p.worse, number(p.probability)] for p in found[:pairs]),
        ]
        show_table(rows, right=(2,), indent="  ")


def plan(
    files: Files,
    /,
    *,
    target: Annotated[list[float] | None, Parameter(consume_multiple=True, negative=())] = None,
    topics: Annotated[list[int] | None, Parameter(consume_multiple=True, negative=())] = None,
    adding: Flag = False,
    measure: Measure = None,
    coefficient: Annotated[str, Parameter(name=["--coefficient", "-c"])] = "tau",
    level: float = 0.95,
    error: float = 0.05,
    missing: Missing = "error",
    format: str | None = None,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """How many topics would be enough?

    Parameters
    ----------
    files
        Scores of a collection like the one that is planned.
    target
        The expected correlation to reach; by default 0.8, 0.9 and 0.95.
    topics
        Numbers of topics for the curve.
    adding
        Topics are added to these, instead of a new collection of its own.
    measure
        Which measure to use, in files that have several.
    coefficient
        tau or tau_ap.
    level
        Confidence of the bands.
    error
        For the smallest trustworthy difference: how often it may change its sign.
    missing
        What to do with missing cells.
    format
        The layout of the file, where it cannot be told.
    json
        Print JSON.
    csv
        Print the curve as CSV.
    """
    one_format(json, csv)
    with wording(systems=systems_are, topics=topics_are):
        scores = scores_from(files, measure, missing, format)
        result = expected_correlation(scores, catalogue[coefficient], level=level, interval=False, rng=0)
        with progress("planning"):
            curve = result.curve(topics, adding=adding)
            needed = [result.topics_needed(goal, adding=adding) for goal in target or (0.8, 0.9, 0.95)]
            difference = sensitivity(scores, error=error)
        if json:
            show_json({"curve": curve, "needed": needed, "sensitivity": difference})
        elif csv:
            show_csv(curve.columns())
        else:
            show(curve.lines()[0])
            columns = curve.columns()
            rows = [[f"{t:,}", number(v), number(low), number(high)]
                    for t, v, low, high in zip(*columns.values(), strict=True)]  # fmt: skip
            show_table([[word("topics"), coefficient, "low", "high"], *rows], right=range(4), indent="  ")
            show(curve.lines()[-1], "")
            for goal in needed:
                show(f"{goal.lines()[0]} ({goal.lines()[1]})")
            show("", *difference.lines())
        save_figure(curve, figure)


def ranks(
    files: Files,
    /,
    *,
    simultaneous: Flag = False,
    letters: Flag = False,
    measure: Measure = None,
    level: float = 0.95,
    missing: Missing = "error",
    format: str | None = None,
    seed: Seed = 0,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """Which ranks could each system really have, which could be the best, and which tiers do they form?

    Parameters
    ----------
    files
        Scores: a matrix of topics by systems, a long table, or the output of an evaluation tool, one file a run.
    simultaneous
        Intervals that hold for all systems at once, not for each taken alone.
    letters
        Also the letters of overlapping groups.
    measure
        Which measure to use, in files that have several.
    level
        Confidence of the intervals, the best set and the tiers.
    missing
        What to do with missing cells.
    format
        The layout of the file, where it cannot be told.
    json
        Print JSON.
    csv
        Print CSV.
    """
    one_format(json, csv)
    with wording(systems=systems_are, topics=topics_are):
        scores = scores_from(files, measure, missing, format)
        with progress("resampling"):
            intervals = rank_intervals(scores, simultaneous=simultaneous, level=level, rng=seed)
            best = best_set(scores, level=level, rng=seed)
            tiers = find_tiers(scores, letters=letters, level=level, rng=seed)
        columns = intervals.columns() | {"tier": [tiers[name] for name in intervals.systems]}
        if tiers.letters is not None:
            columns["letters"] = [tiers.letters[name] for name in intervals.systems]
        if json:
            show_json({"ranks": intervals, "best_set": best, "tiers": tiers})
        elif csv:
            show_csv(columns)
        else:
            show(intervals.lines()[0])
            rows = [[word("system"), "mean", "rank", "from", "to", *list(columns)[5:]]]
            for name, mean, rank, low, high, *rest in zip(*columns.values(), strict=True):
                rows.append([name, number(mean, 4), f"{rank:g}", str(low), str(high), *map(str, rest)])
            show_table(rows, right=range(1, 6), indent="  ")
            show("", *best.lines(), *tiers.lines()[-1:])
        save_figure(intervals, figure)


def simulate(
    files: Files,
    /,
    *,
    topics: int,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    collections: int = 1,
    means: Literal["exact", "published"] = "exact",
    normal: Flag = False,
    homoscedastic: Flag = False,
    uncorrelated: Flag = False,
    random_topics: Annotated[bool, Parameter(negative="--chosen-topics")] = True,
    decimals: int | None = None,
    measure: Measure = None,
    missing: Missing = "error",
    format: str | None = None,
    seed: Seed = 0,
    json: Flag = False,
) -> None:
    """The same systems on new topics, drawn from a model of this collection, with the truth known.

    Parameters
    ----------
    files
        Scores in [0, 1] to fit the model to.
    topics
        How many topics to draw.
    out
        The file to write (.csv, .tsv, .parquet, .json …); with several collections, each gets its number: sim-001.csv.
    collections
        How many collections to draw.
    means
        exact: the expected mean of a system is its mean here; published: as in urbano2016.
    normal
        No logit, normal residuals.
    homoscedastic
        All systems have the pooled variance.
    uncorrelated
        Systems do well on topics independently of each other.
    random_topics
        Topics are a random sample; --chosen-topics: with a bias, as people choose them.
    decimals
        Round the scores.
    measure
        Which measure to use, in files that have several.
    missing
        What to do with missing cells.
    format
        The layout of the file, where it cannot be told.
    json
        Print the true means as JSON.
    """
    if collections < 1:
        raise CallError(f"--collections {collections}: draw at least one.")
    scores = scores_from(files, measure, missing, format)
    simulator = Simulator.fit(scores, means=means, normal=normal, homoscedastic=homoscedastic,
                              uncorrelated=uncorrelated, random_topics=random_topics, decimals=decimals)  # fmt: skip
    written = []
    with progress("simulating") as report:
        for number_ in range(collections):
            # One collection has the seed itself, so that Python gives the same with rng=seed.
            path = out if collections == 1 else out.with_name(f"{out.stem}-{number_ + 1:03d}{out.suffix}")
            written.append(str(write_scores(simulator.draw(topics, rng=seed + number_), path, layout="wide")))
            report(number_ + 1, collections)
    truth = dict(zip(simulator.systems, simulator.true_means.tolist(), strict=True))
    if json:
        show_json({"files": written, "seeds": list(range(seed, seed + collections)), "true_means": truth})
    else:
        show(*simulator.lines(), f"written: {', '.join(written[:3])}{', …' if len(written) > 3 else ''}; "
             f"seed {seed}{f' to {seed + collections - 1}' if collections > 1 else ''}")  # fmt: skip
