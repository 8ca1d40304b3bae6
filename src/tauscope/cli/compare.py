"""`tauscope compare` and `significance`: can this judge stand in for the truth, and which differences are significant?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import CallError
from ..files import read_groups
from ..jobs.draws import SIGNIFICANCE_DRAWS
from ..judges.compare import Comparison
from ..judges.compare import compare as compare_scores
from ..judges.rank_judges import rank_judges
from ..results import number, word, wording
from ..scores import Scores
from ..significance.agreement import significance_agreement
from ..significance.matrix import shown, significance_matrix
from .options import Figure, Flag, Measure, Missing, Seed, SystemsAre, TopicsAre, save_figure, scores_from
from .output import one_format, show, show_csv, show_json, show_table
from .progress import progress

Coefficient = Annotated[str, Parameter(name=["--coefficient", "-c"])]
MissingSystems = Literal["error", "drop"]


def compare(
    estimate: Path | None = None,
    /,
    *,
    truth: Path,
    judges: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    coefficient: Coefficient = "tau_b",
    margin: float | None = None,
    level: float = 0.95,
    resample: Literal["topics", "systems", "both"] = "topics",
    groups: Path | None = None,
    independent: Flag = False,
    one_sided: MissingSystems = "error",
    missing: Missing = "error",
    measure: Measure = None,
    truth_measure: str | None = None,
    format: str | None = None,
    seed: Seed = 0,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """Can this judge, or this measure, stand in for the truth?

    Parameters
    ----------
    estimate
        Scores of the judge: topics by systems, or anything else that `tauscope check` reads.
    truth
        Scores that are right by definition.
    judges
        Several judges instead of one, each as NAME=FILE: which is closest to the truth?
    coefficient
        One of the catalogue; tau_b without.
    margin
        Also say whether the true agreement is above this, with confidence --level.
    level
        Confidence.
    resample
        What is a sample: topics, systems, or both.
    groups
        A file of two columns, system and group (its team): systems of a group are left out together. Needs --resample systems or both.
    independent
        Take the topics of estimate and truth for different ones, whatever their labels.
    one_sided
        What to do with systems in one file only: an error that names them, or drop them.
    missing
        What to do with cells without a score.
    measure
        Which measure to use, in files that have several.
    truth_measure
        Which measure of the truth, where it is another one.
    format
        The layout of the files, where it cannot be told.
    json
        Print JSON.
    csv
        Print CSV.
    """
    one_format(json, csv)
    if (estimate is None) == (not judges):
        raise CallError(
            "Give one estimate, `tauscope compare JUDGE.csv --truth HUMAN.csv`, or several by name, "
            "`tauscope compare --truth HUMAN.csv --judges gpt=A.csv crowd=B.csv`."
        )
    if groups is not None and resample == "topics":
        raise CallError(
            "--groups are groups of systems, left out together: use --resample systems or --resample both with it."
        )
    paired = False if independent else None
    with wording(systems=systems_are, topics=topics_are):
        gold = scores_from([truth], truth_measure or measure, missing, format)
        if estimate is not None:
            scores = scores_from([estimate], measure, missing, format)
            with progress("comparing") as report:
                result = compare_scores(
                    scores, truth=gold, coefficient=coefficient, level=level, resample=resample, groups=None if groups is None else read_groups(groups),
                    one_sided=one_sided, paired=paired, rng=seed, progress=report,
                )  # fmt: skip
            _show(result, margin, json=json, csv=csv)
            save_figure(result, figure)
            return
        if resample != "topics" or groups is not None or margin is not None:
            raise CallError(
                "--judges are compared over resampled topics; --resample, --groups and --margin go with one estimate."
            )
        with progress("comparing judges") as report:
            ranking = rank_judges(
                _judges(judges or [], measure, missing, format), truth=gold, coefficient=coefficient, level=level, one_sided=one_sided,
                paired=paired, rng=seed, progress=report,
            )  # fmt: skip
        if json:
            show_json(ranking.to_dict())
        elif csv:
            show_csv(ranking.columns())
        else:
            show(*ranking.lines(), "")
            _table(ranking.columns())
            show("")
            _table(ranking.differences())
        save_figure(ranking, figure)


def _show(result: Comparison, margin: float | None, *, json: bool, csv: bool) -> None:
    ceiling = result.noise_ceiling if result.undefined_because is None and result.resampled != "systems" else None
    if json:
        extra: dict[str, Any] = {"noise_ceiling": None if ceiling is None else ceiling.value}
        extra |= {} if margin is None else {"margin": margin, "exceeds_margin": result.exceeds(margin)}
        show_json(result.to_dict() | extra)
    elif csv:
        show_csv(result.columns())
    else:
        show(*result.lines())
        if ceiling is not None:
            show(
                f"noise ceiling {number(ceiling.value)}: expected of the truth's own ranking over these {word('topics')} with the true one"
            )
        if margin is not None:
            verdict = "yes" if result.exceeds(margin) else "not shown"
            show(
                f"above {margin:g} with confidence {result.level * 100:g} %: {verdict} (at least {number(result.at_least())})"
            )
        show("", result.methods_sentence())


def _table(columns: dict[str, Any]) -> None:
    def text(value: Any) -> str:
        return (
            ("yes" if value else "no")
            if isinstance(value, bool)
            else number(float(value))
            if isinstance(value, float)
            else str(value)
        )

    values = {name: list(column.tolist() if hasattr(column, "tolist") else column) for name, column in columns.items()}
    rows = [
        [name.replace("_", " ") for name in values],
        *([text(v) for v in row] for row in zip(*values.values(), strict=True)),
    ]
    right = [i for i, column in enumerate(values.values()) if isinstance(column[0], float)]
    show_table(rows, right=right, indent="  ")


def _judges(texts: list[str], measure: str | None, one_sided: str, layout: str | None) -> dict[str, Scores]:
    found: dict[str, Scores] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or not name or not path:
            raise CallError(f"--judges {text}: write NAME=FILE, such as gpt=gpt.csv.")
        if name in found:
            raise CallError(f"--judges: {name!r} is there twice.")
        found[name] = scores_from([Path(path)], measure, one_sided, layout)
    return found


def significance(
    scores: Path,
    /,
    *,
    truth: Path | None = None,
    test: Literal["permutation", "t", "wilcoxon"] = "permutation",
    correction: Literal["maxT", "holm", "fdr", "none"] = "maxT",
    alpha: float = 0.05,
    draws: int = SIGNIFICANCE_DRAWS,
    pairs: int = 10,
    one_sided: MissingSystems = "error",
    missing: Missing = "error",
    measure: Measure = None,
    format: str | None = None,
    seed: Seed = 0,
    topics_are: TopicsAre = "topics",
    systems_are: SystemsAre = "systems",
    figure: Figure = None,
    json: Flag = False,
    csv: Flag = False,
) -> None:
    """Which differences between systems are significant? With --truth: which of the truth's does this judge find?

    Parameters
    ----------
    scores
        Topics by systems, or anything else that `tauscope check` reads.
    truth
        Scores that are right by definition: counts differences shared, contradicted, missed and invented.
    test
        permutation, t or wilcoxon; all paired and two-sided.
    correction
        For the number of pairs: maxT (with permutation the randomised Tukey HSD), holm, fdr, none.
    alpha
        Significance level.
    draws
        Permutations or resamples.
    pairs
        List the K pairs nearest to alpha.
    one_sided
        What to do with systems in one file only, with --truth.
    missing
        What to do with cells without a score.
    measure
        Which measure to use, in files that have several.
    format
        The layout of the file, where it cannot be told.
    json
        Print JSON.
    csv
        Print the pairs as CSV.
    """
    one_format(json, csv)
    if pairs < 0:
        raise CallError(f"--pairs {pairs}: ask for 0 or more pairs.")
    chosen = None if correction == "none" else correction
    with wording(systems=systems_are, topics=topics_are):
        own = scores_from([scores], measure, missing, format)
        with progress("testing") as report:
            if truth is not None:
                gold = scores_from([truth], measure, missing, format)
                result: Any = significance_agreement(
                    own,
                    truth=gold,
                    test=test,
                    correction=chosen,
                    alpha=alpha,
                    draws=draws,
                    one_sided=one_sided,
                    rng=seed,
                )
            else:
                result = significance_matrix(own, test, chosen, alpha=alpha, draws=draws, rng=seed, progress=report)
        if json:
            show_json(result.to_dict())
        elif csv:
            show_csv(result.columns())
        else:
            show(*result.lines())
            if pairs and truth is None:
                near = sorted(result.pairs, key=lambda pair: abs(pair.p - alpha))[:pairs]
                show("", f"nearest to alpha = {alpha:g}:")
                rows = [["better", "worse", "difference", "p", "significant"]]
                rows += [
                    [d.better, d.worse, number(d.difference, 4), shown(d.p), "yes" if d.significant else "no"]
                    for d in sorted(near, key=lambda d: d.p)
                ]
                show_table(rows, right=(2, 3), indent="  ")
            elif pairs:
                rows = [["kind", "better", "worse"], *([*pair] for pair in result.pairs if pair[0] != "shared")]
                if len(rows) > 1:
                    show("")
                    show_table(rows[: pairs + 1], indent="  ")
            show("", result.methods_sentence())
        save_figure(result, figure)
