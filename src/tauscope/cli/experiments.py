"""`tauscope power`, `judgments`, `swaps` and `perturb`: the experiments of the papers on one's own data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter

from ..errors import CallError, TauscopeError
from ..experiments.incomplete_judgments import PERCENTS, incomplete_judgments
from ..experiments.perturb import QUARTILES
from ..experiments.perturb import perturb as perturbed
from ..experiments.predictive_power import PredictivePower, predictive_power
from ..experiments.swap_experiment import swap_experiment
from ..files import read_cube, read_ranking
from ..jobs import Pool
from ..results import number, word, wording
from ..scores import ScoreCube
from .options import Figure, Flag, Measure, Missing, Seed, SystemsAre, TopicsAre, save_figure, scores_from
from .output import one_format, show, show_csv, show_json, show_table
from .progress import progress
from .study import Scheduler, workers_for

Coefficients = Annotated[list[str] | None, Parameter(name=["--coefficient", "-c"], consume_multiple=True, negative=())]
Thresholds = Annotated[str, Parameter(name=["--tied-within", "-w"])]
Workers = Annotated[int | None, Parameter(help="Do it on N processes; the numbers are the same.")]
Checkpoint = Annotated[Path | None, Parameter(help="A file that keeps what is done, so that a stopped run goes on.")]


def power(
    files: Annotated[list[str], Parameter(negative=())],
    /,
    *,
    coefficient: Coefficients = None,
    tied_within: Thresholds = "0",
    draws: int = 2000,
    topics: str | None = None,
    drop_worst: float = 0.0,
    by: str | None = None,
    other_ties: Literal["discordant", "zero"] = "discordant",
    missing: Missing = "error",
    format: str | None = None,
    seed: Seed = 0,
    workers: Workers = None,
    scheduler: Scheduler = None,
    checkpoint: Checkpoint = None,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """How well does a measure on some topics predict another, or itself, on new topics?

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
    missing
        What to do with missing cells.
    format
        The layout of the files, where it cannot be told.
    json
        Print JSON.
    csv
        Print CSV: a row for every size, coefficient, threshold, truth and observer.
    """
    one_format(json, csv)
    with wording(systems=systems_are, topics=topics_are):
        cube = _cube(files, missing, format)
        if drop_worst:
            cube = cube.drop_worst(drop_worst, by=by or cube.measures[0])
        with progress("splitting topics") as report, _on(workers, scheduler) as executor:
            found = predictive_power(
                cube, _names(coefficient) or ["tau_b"], draws=draws, topics=_numbers(topics, "--topics", int) if topics else None,
                tied_within=_numbers(tied_within, "--tied-within", float), other_ties=other_ties, rng=seed, executor=executor,
                checkpoint=checkpoint, progress=report,
            )  # fmt: skip
        if json:
            show_json(found.to_dict())
        elif csv:
            show_csv(found.columns())
        else:
            show(*found.lines(), *(f"note: {note}" for note in cube.notes))
            _print_power(found)
        save_figure(found, figure)


def _print_power(found: PredictivePower) -> None:
    for place, size in enumerate(found.sizes):
        for k, variant in enumerate(found.variants):
            at = f", {size} {word('topics')}" if len(found.sizes) > 1 else ""
            show("", f"{variant.label}{at} (row = truth, column = observer)")
            rows = [["", *found.measures]]
            values = found.values[place, k]
            rows += [
                [name, *(number(float(value)) for value in row)]
                for name, row in zip(found.measures, values, strict=True)
            ]
            show_table(rows, right=range(1, len(found.measures) + 1), indent="  ")


def judgments(
    runs: Annotated[list[Path], Parameter(negative=())],
    /,
    *,
    qrels: Annotated[Path, Parameter(name=["--qrels", "-q"])],
    percents: str = ",".join(map(str, PERCENTS)),
    coefficient: Coefficients = None,
    tied_within: Thresholds = "0",
    draws: int = 5,
    ties: Literal["trec_eval", "input"] = "trec_eval",
    seed: Seed = 0,
    workers: Workers = None,
    scheduler: Scheduler = None,
    checkpoint: Checkpoint = None,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """How few judgments still rank the runs as all of them do, over all topics and topic by topic?

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
        Order of documents with equal scores: as trec_eval, or as in the file.
    json
        Print JSON.
    csv
        Print CSV: a row for every share, coefficient and threshold.
    """
    one_format(json, csv)
    with wording(systems=systems_are, topics=topics_are):
        source: Any = runs[0] if len(runs) == 1 else runs
        with progress("sampling judgments") as report, _on(workers, scheduler) as executor:
            found = incomplete_judgments(
                source, qrels, _numbers(percents, "--percents", float), _names(coefficient) or ("tau_a", "tau_e", "tau_ap_a", "tau_ap_e"),
                draws=draws, tied_within=_numbers(tied_within, "--tied-within", float), ties=ties, rng=seed, executor=executor,
                checkpoint=checkpoint, progress=report,
            )  # fmt: skip
        if json:
            show_json(found.to_dict())
        elif csv:
            show_csv(found.columns())
        else:
            show(*found.lines())
            for k, variant in enumerate(found.variants):
                show("", variant.label)
                rows = [["percent", "of means", "mean", "max", "min", "RMS error"]]
                rows += [
                    [f"{percent:g}", *(number(float(v)) for v in found.values[p, k]), number(float(found.rms[p]), 4)]
                    for p, percent in enumerate(found.percents)
                ]
                show_table(rows, right=range(6), indent="  ")
        save_figure(found, figure)


def swaps(
    files: Annotated[list[Path], Parameter(negative=())],
    /,
    *,
    pairs: Literal["significant", "not", "any"] | None = None,
    swaps: int = 5,
    draws: int = 50,
    coefficient: Coefficients = None,
    alpha: float = 0.05,
    measure: Measure = None,
    missing: Missing = "error",
    format: str | None = None,
    seed: Seed = 0,
    workers: Workers = None,
    scheduler: Scheduler = None,
    checkpoint: Checkpoint = None,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """What do coefficients say when a few systems that differ, or do not, change places?

    Parameters
    ----------
    files
        Scores of systems on topics.
    pairs
        Which pairs are swapped. Default: significant ones, then those that are not.
    swaps
        Pairs that are swapped in each draw; no system is in two of them.
    draws
        Random draws.
    coefficient
        One or more of the catalogue. Default: pearson tau_ap tau_gap.
    alpha
        Pairs with a smaller p (paired t-test, two-sided) are significant.
    measure
        Which measure to use, in files that have several.
    missing
        What to do with missing cells.
    format
        The layout of the files, where it cannot be told.
    json
        Print JSON.
    csv
        Print CSV: a row a draw.
    """
    one_format(json, csv)
    kinds = [pairs] if pairs else ["significant", "not"]
    if checkpoint and len(kinds) > 1:
        raise CallError("--checkpoint keeps one experiment: choose --pairs significant or --pairs not.")
    with wording(systems=systems_are, topics=topics_are):
        scores = scores_from(files, measure, missing, format)
        found = []
        for kind in kinds:
            with progress("swapping pairs") as report, _on(workers, scheduler) as executor:
                found.append(
                    swap_experiment(scores, kind, swaps=swaps, draws=draws, coefficients=_names(coefficient) or ("pearson", "tau_ap", "tau_gap"),
                                    alpha=alpha, rng=seed, executor=executor, checkpoint=checkpoint, progress=report)
                )  # fmt: skip
        if json:
            show_json({one.pairs: one.to_dict() for one in found})
        elif csv:
            columns: dict[str, Any] = {"pairs": [one.pairs for one in found for _ in range(one.draws)]}
            columns |= {key: np.concatenate([one.columns()[key] for one in found]) for key in found[0].columns()}
            show_csv(columns)
        else:
            for one in found:
                show(*one.lines())
        save_figure(found[0], figure)


def perturb(
    file: Path,
    /,
    *,
    amplitudes: str = "0.25,0.5,1",
    swap_neighbours: Flag = False,
    draws: int = 1000,
    coefficient: Coefficients = None,
    measure: Measure = None,
    format: str | None = None,
    seed: Seed = 0,
    systems_are: SystemsAre = "systems",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """What do coefficients say when scores move and no system changes its rank?

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
    measure
        Which measure to use, in files that have several.
    format
        The layout of the file, where it cannot be told.
    json
        Print JSON.
    csv
        Print CSV: the quartiles of each amplitude and coefficient.
    """
    one_format(json, csv)
    with wording(systems=systems_are):
        found = perturbed(
            read_ranking(file, measure=measure, format=format), keep_ranks=not swap_neighbours, amplitudes=_numbers(amplitudes, "--amplitudes", float),
            draws=draws, coefficients=_names(coefficient) or ("tau", "tau_ap", "tau_gap", "pearson", "pearson_rank"), rng=seed,
        )  # fmt: skip
        if json:
            show_json(found.to_dict())
        elif csv:
            show_csv(found.columns())
        else:
            show(*found.lines(), "")
            rows = [["amplitude", "coefficient", *QUARTILES]]
            for p, amplitude in enumerate(found.amplitudes):
                rows += [
                    [f"{amplitude:g}", v.label, *(number(float(q), 4) for q in found.values[p, k])]
                    for k, v in enumerate(found.variants)
                ]
            show_table(rows, right=range(2, 7), indent="  ")
        save_figure(found, figure)


def _names(asked: list[str] | None) -> list[str]:
    return [name for text in asked or [] for name in text.split(",") if name]


def _numbers(text: str, option: str, kind: type) -> list[Any]:
    """Numbers separated by commas."""
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise CallError(f"{option} {text}: give numbers separated by commas, such as 5,10,30.") from None


def _cube(files: list[str], missing: str, layout: str | None) -> ScoreCube:
    """Scores by several measures; NAME=FILE names the measure of a matrix."""
    named = {
        name: path
        for name, equals, path in (text.partition("=") for text in files)
        if equals and not Path(f"{name}={path}").exists()
    }
    if named and len(named) < len(files):
        raise CallError("Name the measure of every file, AP=ap.csv P@10=p10.csv, or of none.")
    source: Any = {name: Path(path) for name, path in named.items()} if named else [Path(text) for text in files]
    try:
        return read_cube(source[0] if not named and len(files) == 1 else source, missing=missing, format=layout)
    except TauscopeError as error:
        if named or "measure" not in str(error):
            raise
        raise CallError(f"{error} Or name them here: AP={files[0]}.") from None


@contextmanager
def _on(workers: int | None, scheduler: str | None) -> Iterator[Pool | None]:
    """Workers where asked for; else the threads of this process."""
    if workers is None and scheduler is None:
        yield None
        return
    with workers_for(workers, scheduler) as pool:
        yield pool
