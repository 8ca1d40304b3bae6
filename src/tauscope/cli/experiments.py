"""`tauscope experiments …`: the experiments of the papers on one's own data, simulation, and replications."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from cyclopts import Parameter

from .. import papers
from ..core.checking import JUDGMENT_DRAWS, PERTURB_DRAWS, POWER_DRAWS, STUDY_DRAWS, SWAP_DRAWS
from ..data.names import literal
from ..data.scores import Scores
from ..errors import CallError, TauscopeError
from ..experiments.judgments import PERCENTS, incomplete_judgments
from ..experiments.perturbation import perturb as perturbed
from ..experiments.perturbation import swap_experiment
from ..experiments.power import predictive_power
from ..experiments.study import SIZES, estimator_study
from ..inference.methods import SUMS_OVER_PAIRS, URBANO2016
from ..io.write import write_columns, write_scores
from ..jobs.checkpoints import STUDY_CELLS
from ..replications import PAPERS
from ..replications.reproduce import options_of, reproduction
from ..replications.reproduce import reproduce as redo
from ..results import Note
from ..simulate import Simulator
from . import inputs
from .adapter import Rendered
from .options import (
    Coefficients,
    Files,
    Flag,
    Folder,
    Format,
    LongWork,
    Many,
    Missing,
    Reading,
    Seed,
    Within,
    Words,
    Work,
    names_in,
    numbers_in,
    settings_in,
)
from .output import printable, progress, show

#: Coefficients of the experiments, where none are named.
SWAPPED, MOVED, JUDGED = (
    ("pearson", "tau_ap", "tau_gap"),
    ("tau", "tau_ap", "tau_gap", "pearson", "pearson_rank"),
    ("tau_a", "tau_e", "tau_ap_a", "tau_ap_e"),
)


def power(
    files: Annotated[list[str], Parameter(negative=())],
    /,
    *,
    coefficient: Coefficients = None,
    tied_within: Within = "0",
    draws: int = POWER_DRAWS,
    topics: str | None = None,
    drop_worst: float = 0.0,
    by: str | None = None,
    other_ties: Literal["discordant", "zero"] = "discordant",
    missing: Missing = "error",
    format: Format = None,
    seed: Seed = 0,
    work: LongWork = LongWork(),
    words: Words = Words(),
    rendered: Rendered = Rendered(),
) -> None:
    """How well does a measure on some topics predict another, or itself, on new topics?

    Example: `tauscope experiments power AP=ap.csv P@10=p10.csv --draws 200`

    Parameters
    ----------
    files
        Scores of systems on topics. Matrices that do not name their measure are given as AP=ap.csv P@10=p10.csv.
    coefficient
        One or more of the catalogue. Default: tau_b.
    tied_within
        One threshold or several, for the coefficients that take one: 0,0.01,0.05.
    draws
        Random splits.
    topics
        Sizes of subsets of the topics that are halved: 10,20,30. Default: all topics.
    drop_worst
        Leave out this share of the systems first, those with the lowest means: 0.25.
    by
        The measure that --drop-worst goes by. Default: the first.
    other_ties
        For tau_ap_b: what ties of the ranking that is not walked count.
    """
    options: dict[str, Any] = {"tied_within": numbers_in(tied_within, "--tied-within"), "other_ties": other_ties}
    options["topics"] = numbers_in(topics, "--topics", int) if topics else None
    with words.said():
        cube = inputs.cube(files, missing, format)
        if drop_worst:
            cube = cube.drop_worst(drop_worst, by=by or cube.measures[0])
        with _running("splitting topics", work) as shared:
            names = names_in(coefficient) or ["tau_b"]
            found = predictive_power(cube, names, draws=draws, rng=seed, **options, **shared)
        rendered.write(found)


def judgments(
    runs: Files,
    /,
    *,
    qrels: Annotated[Path, Parameter(name=["--qrels", "-q"])],
    percents: str = ",".join(map(str, PERCENTS)),
    coefficient: Coefficients = None,
    tied_within: Within = "0",
    draws: int = JUDGMENT_DRAWS,
    ties: Literal["trec_eval", "exact", "input"] = "trec_eval",
    seed: Seed = 0,
    work: LongWork = LongWork(),
    words: Words = Words(),
    rendered: Rendered = Rendered(),
) -> None:
    """How few judgments still rank the runs as all of them do, over all topics and topic by topic?

    Example: `tauscope experiments judgments runs/ --qrels qrels.txt --percents 5,10,30`

    Parameters
    ----------
    runs
        Run files, or one folder of them.
    qrels
        The judgments.
    percents
        Shares of each topic's judgments to keep: 5,10,30,100.
    coefficient
        One or more of the catalogue. Default: tau_a tau_e tau_ap_a tau_ap_e.
    tied_within
        One threshold or several, for the coefficients that take one: 0,0.01,0.05.
    draws
        Samples of each share.
    ties
        Order of documents: by 32-bit scores, then by id, as trec_eval; by 64-bit scores (exact); or as in the file.
    """
    options: dict[str, Any] = {"tied_within": numbers_in(tied_within, "--tied-within"), "draws": draws, "ties": ties}
    shares, chosen = numbers_in(percents, "--percents"), names_in(coefficient) or JUDGED
    with words.said():
        with _running("sampling judgments", work) as shared:
            found = incomplete_judgments(inputs.one_or_list(runs), qrels, shares, chosen, rng=seed, **options, **shared)
        rendered.write(found)


def swaps(
    files: Files,
    /,
    *,
    pairs: Literal["significant", "not", "any"] = "significant",
    swaps: int = 5,
    draws: int = SWAP_DRAWS,
    coefficient: Coefficients = None,
    alpha: float = 0.05,
    seed: Seed = 0,
    reading: Reading = Reading(),
    work: LongWork = LongWork(),
    words: Words = Words(),
    rendered: Rendered = Rendered(),
) -> None:
    """How do coefficients respond when a few systems that differ, or do not, change places?

    Example: `tauscope experiments swaps scores.csv --swaps 3 --pairs not`

    Parameters
    ----------
    files
        Scores of systems on topics.
    pairs
        Which pairs are swapped: significantly different ones, those that are not, or any.
    swaps
        Pairs that are swapped in each draw; no system is in two of them.
    draws
        Random draws.
    coefficient
        One or more of the catalogue. Default: pearson tau_ap tau_gap.
    alpha
        Pairs with a smaller p (paired t-test, two-sided) are significant.
    """
    options: dict[str, Any] = {"swaps": swaps, "draws": draws, "alpha": alpha, "rng": seed}
    with words.said():
        scores = inputs.scores(files, reading)
        with _running("swapping pairs", work) as shared:
            found = swap_experiment(scores, pairs, coefficients=names_in(coefficient) or SWAPPED, **options, **shared)
        rendered.write(found)


def perturb(
    file: Path,
    /,
    *,
    amplitudes: str = "0.25,0.5,1",
    swap_neighbours: Flag = False,
    draws: int = PERTURB_DRAWS,
    coefficient: Coefficients = None,
    seed: Seed = 0,
    reading: Reading = Reading(),
    words: Words = Words(),
    rendered: Rendered = Rendered(),
) -> None:
    """How do coefficients respond when scores move and no system changes its rank?

    Example: `tauscope experiments perturb scores.csv --amplitudes 0.5,1`

    Parameters
    ----------
    file
        Systems and scores, or a matrix of topics by systems (then their means).
    amplitudes
        How far towards the midpoint to its neighbours a score may move, from 0 to 1.
    swap_neighbours
        Scores move up to the neighbours themselves, so that neighbours can change places.
    draws
        Random draws for each amplitude.
    coefficient
        One or more of the catalogue. Default: tau tau_ap tau_gap pearson pearson_rank.
    """
    with words.said():
        found = perturbed(
            inputs.ranking(file, reading),
            keep_ranks=not swap_neighbours,
            amplitudes=numbers_in(amplitudes, "--amplitudes"),
            draws=draws,
            coefficients=names_in(coefficient) or MOVED,
            rng=seed,
        )
        rendered.write(found)


def study(
    files: Files,
    /,
    *,
    out: Folder,
    draws: int = STUDY_DRAWS,
    sizes: str = ",".join(map(str, SIZES)),
    method: Many = None,
    coefficient: Coefficients = None,
    model: str | None = None,
    drop_worst: float = 0.0,
    seed: Seed = 0,
    reading: Reading = Reading(),
    work: Work = Work(),
    words: Words = Words(),
    rendered: Rendered = Rendered(),
) -> int:
    """Which estimator of the correlation with the true ranking is best for collections like these?

    Simulates new collections from each file, where the truth is known, and computes how far each estimator is off.
    Every finished cell is in the folder at once: the same command goes on where a run was stopped. Without --workers
    there is one process for each processor.

    Example: `tauscope experiments study scores.csv --out study --draws 40 --sizes 10,20,40`

    Parameters
    ----------
    files
        Collections: one file of scores in [0, 1] each, topics by systems.
    out
        The folder of the study: its table, study.csv, and what is done so far.
    draws
        Simulated collections of each size.
    sizes
        Numbers of topics, such as 10,20,50.
    method
        Of ml msqd res kd shw shwo (the default), shrunk, bayes, draws.
    coefficient
        tau, tau_ap, or both (the default).
    model
        The simulator, as for `experiments simulate`; urbano2016: means=published,decimals=4.
    drop_worst
        Leave out the systems below this quantile of the means; urbano2016: 0.25.
    """
    wanted = numbers_in(sizes, "--sizes", int, what="whole numbers", like="10,20,50")
    options: dict[str, Any] = {"sizes": wanted, "draws": draws, "rng": seed} | _model(model)
    options |= {"methods": names_in(method) or URBANO2016, "coefficients": coefficient or SUMS_OVER_PAIRS}
    if reading.lower_is_better is not None:
        raise CallError("--lower-is-better: the simulator draws scores from 0 to 1 of which higher is better.")
    with words.said():
        collections = _collections(files, reading, drop_worst)
        out.mkdir(parents=True, exist_ok=True)
        with work.pool() as pool, progress("studying") as report:
            options |= {"executor": pool, "checkpoint": out / STUDY_CELLS, "progress": report}
            result = estimator_study(collections, **options)
        written = write_columns(result.columns(), out / "study.csv")
        if result.resumed:
            print(Note("resumed", cells=result.resumed), file=sys.stderr)
        rendered.write(result, {"written": [str(written)]})
        print(printable(f"written: {written}"), file=sys.stderr)
    return 1 if result.failed else 0


def _model(text: str | None) -> dict[str, Any]:
    """Settings of the simulator by the names that `Simulator.fit()` has for them."""
    kinds = {name: kind for name, kind in get_type_hints(Simulator.fit).items() if name not in ("scores", "return")}
    return {} if text is None else settings_in(text, kinds, "--model")


def _collections(files: list[Path], reading: Reading, share: float) -> dict[str, Scores]:
    found: dict[str, Scores] = {}
    for path in files:
        scores = inputs.scores([path], reading)
        try:
            scores = scores.drop_worst(share) if share else scores
        except TauscopeError as error:
            raise error.at(f"--drop-worst {share:g}") from None
        if path.stem in found:
            raise CallError(f"Two files are called {path.stem}; the table could not tell them apart.")
        found[path.stem] = scores
    return found


def simulate(
    files: Files,
    /,
    *,
    topics: int,
    out: Folder,
    draws: int = 1,
    model: str | None = None,
    seed: Seed = 0,
    reading: Reading = Reading(),
    words: Words = Words(),
    rendered: Rendered = Rendered(),
) -> None:
    """The same systems on new topics, drawn from a model of this collection, with the truth known.

    Example: `tauscope experiments simulate scores.csv --topics 50 --out simulated.csv`

    Parameters
    ----------
    files
        Scores in [0, 1] to fit the model to.
    topics
        How many topics to draw.
    out
        The file to write (.csv, .tsv, .parquet, .json …); with several collections, each gets its number: sim-001.csv.
    draws
        How many collections to draw.
    model
        Settings of the simulator, separated by commas: normal (no logit, normal residuals); homoscedastic (all systems
        have the pooled variance); uncorrelated (residuals are independent of each other and of the topics);
        random_topics=no (topics are chosen with a bias, as people choose them); means=published (as in urbano2016,
        where the expected mean of a system is not quite its mean here); decimals=4 (round the scores).
    """
    if reading.lower_is_better is not None:
        raise CallError(
            "--lower-is-better: new scores are drawn like these, whatever is better. Leave it out here, and give it "
            "to the command that ranks them."
        )
    if draws < 1:
        raise CallError(f"--draws {draws}: draw at least one collection.")
    simulator = Simulator.fit(inputs.scores(files, reading), **_model(model))
    # One collection has the seed itself, so that Python gives the same with rng=seed.
    seeds = list(range(seed, seed + draws))
    written = []
    with progress("simulating") as report:
        for done, own in enumerate(seeds, start=1):
            path = out if draws == 1 else out.with_name(f"{out.stem}-{done:03d}{out.suffix}")
            written.append(str(write_scores(simulator.draw(topics, rng=own), path, layout="wide")))
            report(done, draws)
    with words.said():
        rendered.write(simulator, {"written": written, "seeds": seeds})
    names = f"{', '.join(written[:3])}{', …' if len(written) > 3 else ''}"
    first_to_last = f"{seed} to {seeds[-1]}" if draws > 1 else seed
    print(printable(f"written: {names}; seed {first_to_last}"), file=sys.stderr)


def reproduce(
    paper: str | None = None,
    data: Path | None = None,
    /,
    *,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    draws: int | None = None,
    option: Annotated[list[str] | None, Parameter(name=["--set"], negative=())] = None,
    seed: Seed = 0,
    work: Work = Work(),
    rendered: Rendered = Rendered(),
) -> None:
    """Which of the numbers that a paper prints hold?

    Without a paper: the list of those that can be redone. With --json or --csv: every printed number, ours beside it,
    and whether it holds.

    Example: `tauscope experiments reproduce urbano2016 trec-data --draws 20`

    Parameters
    ----------
    paper
        Its key, such as urbano2016.
    data
        The folder with the paper's data. They are not part of Tauscope; the page of the replication says where they
        are.
    out
        A folder for the tables and figures.
    draws
        How many times to draw, where the paper draws. A run with --out that was stopped goes on with the same command.
    option
        An option of this paper's replication, such as --set sizes=10,50; may be given several times.
    """
    if paper is None:
        show(*(f"{key:<14}{papers.reference(key)}" for key in PAPERS))
        return
    reproduction(paper)  # an unknown paper is told first
    if data is None:
        raise CallError(f"Name the folder with the data of {paper}: `tauscope experiments reproduce {paper} FOLDER`.")
    options = _options(option or []) | ({} if draws is None else {"draws": draws})
    with _workers(paper, work) as shared, progress(f"redoing {paper}") as report:
        result = redo(paper, data, out=out, rng=seed, progress=report, **options, **shared)
    rendered.write(result)
    if result.written:
        print(printable(f"written: {', '.join(result.written)}"), file=sys.stderr)


@contextmanager
def _running(what: str, work: LongWork) -> Iterator[dict[str, Any]]:
    """Workers, the checkpoint and the progress bar of an experiment."""
    with progress(what) as report, work.pool() as pool:
        yield {"executor": pool, "checkpoint": work.checkpoint, "progress": report}


@contextmanager
def _workers(paper: str, work: Work) -> Iterator[dict[str, Any]]:
    """The executor, for a paper whose replication can use one."""
    if "executor" not in options_of(paper):
        if work.workers is not None:
            raise CallError(f"The replication of {paper} is done in this process: leave out --workers.")
        yield {}
        return
    with work.pool() as pool:
        yield {"executor": pool}


def _options(texts: list[str]) -> dict[str, Any]:
    """name=value pairs; values that look like numbers are."""
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise CallError(f"--set {text}: write a name and a value, such as --set draws=20.")
        found[name] = literal(value)
    return found
