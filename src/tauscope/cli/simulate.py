"""`tauscope simulate`: the same systems on new topics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ..errors import CallError
from ..files import write_scores
from ..simulate.simulator import Simulator
from . import inputs
from .options import Files, Flag, Folder, Reading, Seed
from .output import show, show_json
from .progress import progress


def simulate(
    files: Files,
    /,
    *,
    topics: int,
    out: Folder,
    collections: int = 1,
    means: Literal["exact", "published"] = "exact",
    normal: Flag = False,
    homoscedastic: Flag = False,
    uncorrelated: Flag = False,
    random_topics: Annotated[bool, Parameter(negative="--chosen-topics")] = True,
    decimals: int | None = None,
    seed: Seed = 0,
    reading: Reading = Reading(),
    json: Flag = False,
) -> None:
    """The same systems on new topics, drawn from a model of this collection, with the truth known.

    Example: `tauscope simulate scores.csv --topics 50 --out simulated.csv`

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
    json
        Print the true means as JSON.
    """
    if reading.lower_is_better is not None:
        raise CallError(
            "--lower-is-better: new scores are drawn like these, whatever is better. Leave it out here, and give it "
            "to the command that ranks them."
        )
    if collections < 1:
        raise CallError(f"--collections {collections}: draw at least one.")
    simulator = Simulator.fit(
        inputs.scores(files, reading),
        means=means,
        normal=normal,
        homoscedastic=homoscedastic,
        uncorrelated=uncorrelated,
        random_topics=random_topics,
        decimals=decimals,
    )
    # One collection has the seed itself, so that Python gives the same with rng=seed.
    seeds = list(range(seed, seed + collections))
    written = _written(simulator, topics, out, seeds)
    if json:
        means_ = dict(zip(simulator.systems, simulator.true_means.tolist(), strict=True))
        show_json({"files": written, "seeds": seeds, "true_means": means_})
        return
    files_ = f"written: {', '.join(written[:3])}{', …' if len(written) > 3 else ''}"
    show(*simulator.lines(), f"{files_}; seed {seed}{f' to {seeds[-1]}' if collections > 1 else ''}")


def _written(simulator: Simulator, topics: int, out: Path, seeds: list[int]) -> list[str]:
    """The files of the collections, one for each seed."""
    written = []
    with progress("simulating") as report:
        for done, seed in enumerate(seeds, start=1):
            path = out if len(seeds) == 1 else out.with_name(f"{out.stem}-{done:03d}{out.suffix}")
            written.append(str(write_scores(simulator.draw(topics, rng=seed), path, layout="wide")))
            report(done, len(seeds))
    return written
