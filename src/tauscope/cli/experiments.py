"""`tauscope power`, `judgments`, `swaps` and `perturb`: the experiments of the papers on one's own data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter

from ..errors import CallError
from ..experiments.incomplete_judgments import PERCENTS, IncompleteJudgments, incomplete_judgments
from ..experiments.perturb import QUARTILES, Perturbation
from ..experiments.perturb import perturb as perturbed
from ..experiments.predictive_power import PredictivePower, predictive_power
from ..experiments.swap_experiment import swap_experiment
from ..jobs.draws import JUDGMENT_DRAWS, PERTURB_DRAWS, POWER_DRAWS, SWAP_DRAWS
from ..results import number, word
from . import inputs
from .options import (
    Coefficients,
    Files,
    Flag,
    Format,
    LongWork,
    Missing,
    OnScores,
    Output,
    Seed,
    Within,
    Words,
    names_in,
    numbers_in,
)
from .output import show, show_table
from .progress import progress


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
    output: Output = Output(),
) -> None:
    """How well does a measure on some topics predict another, or itself, on new topics?

    With --csv: one row for every size, coefficient, threshold, truth and observer.

    Example: `tauscope power AP=ap.csv P@10=p10.csv --draws 200`

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
        with progress("splitting topics") as report, work.pool() as pool:
            options |= {"rng": seed, "executor": pool, "checkpoint": work.checkpoint, "progress": report}
            found = predictive_power(cube, names_in(coefficient) or ["tau_b"], draws=draws, **options)
        if not output.print(found):
            show(*found.lines(), *(f"note: {note}" for note in cube.notes))
            _print_power(found)
        output.save(found)


def _print_power(found: PredictivePower) -> None:
    for place, size in enumerate(found.sizes):
        for k, variant in enumerate(found.variants):
            at = f", {size} {word('topics')}" if len(found.sizes) > 1 else ""
            show("", f"{variant.label}{at} (row = truth, column = observer)")
            rows = [["", *found.measures]]
            for name, values in zip(found.measures, found.values[place, k], strict=True):
                rows.append([name, *(number(float(value)) for value in values)])
            show_table(rows, right=range(1, len(found.measures) + 1), indent="  ")


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
    output: Output = Output(),
) -> None:
    """How few judgments still rank the runs as all of them do, over all topics and topic by topic?

    With --csv: one row for every share, coefficient and threshold.

    Example: `tauscope judgments runs/ --qrels qrels.txt --percents 5,10,30`

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
    shares = numbers_in(percents, "--percents")
    chosen = names_in(coefficient) or ("tau_a", "tau_e", "tau_ap_a", "tau_ap_e")
    options: dict[str, Any] = {"tied_within": numbers_in(tied_within, "--tied-within"), "draws": draws, "ties": ties}
    with words.said():
        with progress("sampling judgments") as report, work.pool() as pool:
            options |= {"rng": seed, "executor": pool, "checkpoint": work.checkpoint, "progress": report}
            found = incomplete_judgments(inputs.runs(runs), qrels, shares, chosen, **options)
        if not output.print(found):
            show(*found.lines())
            _print_judgments(found)
        output.save(found)


def _print_judgments(found: IncompleteJudgments) -> None:
    for k, variant in enumerate(found.variants):
        show("", variant.label)
        rows = [["percent", "of means", "mean", "max", "min", "RMS error"]]
        for p, percent in enumerate(found.percents):
            values = [number(float(value)) for value in found.values[p, k]]
            rows.append([f"{percent:g}", *values, number(float(found.rms[p]), 4)])
        show_table(rows, right=range(6), indent="  ")


def swaps(
    files: Files,
    /,
    *,
    pairs: Literal["significant", "not", "any"] | None = None,
    swaps: int = 5,
    draws: int = SWAP_DRAWS,
    coefficient: Coefficients = None,
    alpha: float = 0.05,
    seed: Seed = 0,
    shared: OnScores = OnScores(),
    work: LongWork = LongWork(),
) -> None:
    """What do coefficients say when a few systems that differ, or do not, change places?

    With --csv: one row per draw.

    Example: `tauscope swaps scores.csv --swaps 3 --pairs significant`

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
    """
    kinds = [pairs] if pairs else ["significant", "not"]
    if work.checkpoint and len(kinds) > 1:
        raise CallError("--checkpoint keeps one experiment: choose --pairs significant or --pairs not.")
    chosen = names_in(coefficient) or ("pearson", "tau_ap", "tau_gap")
    options: dict[str, Any] = {"swaps": swaps, "draws": draws, "coefficients": chosen, "alpha": alpha, "rng": seed}
    with shared.said():
        scores = inputs.scores(files, shared)
        found = []
        for kind in kinds:
            with progress("swapping pairs") as report, work.pool() as pool:
                options |= {"executor": pool, "checkpoint": work.checkpoint, "progress": report}
                found.append(swap_experiment(scores, kind, **options))
        if not shared.print_both(lambda: {one.pairs: one.to_dict() for one in found}, lambda: _joined(found)):
            for one in found:
                show(*one.lines())
        shared.save(found[0])


def _joined(found: list[Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {"pairs": [one.pairs for one in found for _ in range(one.draws)]}
    return columns | {key: np.concatenate([one.columns()[key] for one in found]) for key in found[0].columns()}


def perturb(
    file: Path,
    /,
    *,
    amplitudes: str = "0.25,0.5,1",
    swap_neighbours: Flag = False,
    draws: int = PERTURB_DRAWS,
    coefficient: Coefficients = None,
    seed: Seed = 0,
    shared: OnScores = OnScores(),
) -> None:
    """What do coefficients say when scores move and no system changes its rank?

    With --csv: the quartiles, one row for every amplitude and coefficient.

    Example: `tauscope perturb scores.csv --amplitudes 0.5,1`

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
    with shared.said():
        found = perturbed(
            inputs.ranking(file, shared),
            keep_ranks=not swap_neighbours,
            amplitudes=numbers_in(amplitudes, "--amplitudes"),
            draws=draws,
            coefficients=names_in(coefficient) or ("tau", "tau_ap", "tau_gap", "pearson", "pearson_rank"),
            rng=seed,
        )
        if not shared.print(found):
            show(*found.lines(), "")
            _print_quartiles(found)
        shared.save(found)


def _print_quartiles(found: Perturbation) -> None:
    rows = [["amplitude", "coefficient", *QUARTILES]]
    for p, amplitude in enumerate(found.amplitudes):
        for k, variant in enumerate(found.variants):
            rows.append([f"{amplitude:g}", variant.label, *(number(float(q), 4) for q in found.values[p, k])])
    show_table(rows, right=range(2, 7), indent="  ")
