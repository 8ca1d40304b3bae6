"""`tauscope experiments study | simulate | reproduce`: what writes files beside its answer."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from cyclopts import Parameter

from .. import papers
from ..core.checking import STUDY_DRAWS
from ..data.names import literal
from ..data.scores import Scores
from ..errors import CallError, TauscopeError
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
    Folder,
    Many,
    Reading,
    Seed,
    Words,
    Work,
    names_in,
    numbers_in,
    settings_in,
)
from .output import printable, progress, show


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
    parallel = "executor" in options_of(paper)
    if work.workers is not None and not parallel:
        raise CallError(f"The replication of {paper} is done in this process: leave out --workers.")
    with work.pool() if parallel else nullcontext() as pool, progress(f"redoing {paper}") as report:
        options |= {"executor": pool} if parallel else {}
        result = redo(paper, data, out=out, rng=seed, progress=report, **options)
    rendered.write(result)
    if result.written:
        print(printable(f"written: {', '.join(result.written)}"), file=sys.stderr)


def _options(texts: list[str]) -> dict[str, Any]:
    """name=value pairs; values that look like numbers are."""
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise CallError(f"--set {text}: write a name and a value, such as --set draws=20.")
        found[name] = literal(value)
    return found
