"""`tauscope audit`: all there is to ask of a judge before it stands in for people."""

from __future__ import annotations

from pathlib import Path

from ..errors import CallError
from ..files import run_name
from ..judges.audit import audit as ask
from ..judges.audit_sides import ALONE
from ..judges.standing import Standing
from . import inputs
from .options import Coefficient, Many, OneSided, OnScores, Seed, SharedTopics
from .output import show
from .progress import progress

#: After a no.
NOW_WHAT = (
    "now what: `tauscope hybrid` combines it with people on some topics, and `tauscope plan --judge` says on how many"
)


def audit(
    judge: Path | None = None,
    /,
    *,
    truth: Path | None = None,
    people: Many = None,
    judges: Many = None,
    families: Path | None = None,
    judge_families: Many = None,
    lengths: Path | None = None,
    coefficient: Coefficient = "tau_b",
    margin: float = 0.1,
    level: float = 0.95,
    one_sided: OneSided = "error",
    topics: SharedTopics = "all",
    seed: Seed = 0,
    shared: OnScores = OnScores(),
) -> None:
    """Is this judge as good as people, as sure as they are, and impartial?

    Example: `tauscope audit judge.csv --truth human.csv`

    Parameters
    ----------
    judge
        Scores of the judge: topics by systems, or anything else that `tauscope check` reads.
    truth
        People's scores on the same topics.
    people
        Scores of single people instead, or besides, each as NAME=FILE, at least three: is the judge as close to the
        others as a person is?
    judges
        Several judges instead of one, each as NAME=FILE: what are they worth together?
    families
        A file of two columns, system and family: do judges favour their own? Needs --judge-families.
    judge_families
        The family of every judge, each as NAME=FAMILY; a single judge goes by the name of its file, or by "judge".
    lengths
        The length of every answer, topics by systems: does the judge like long ones?
    coefficient
        One of the catalogue.
    margin
        By how much less than a person the judge may agree with the others, and still be taken for as good.
    level
        The confidence of intervals and tests.
    """
    if (judge is None) == (not judges):
        raise CallError(
            "Give one judge, `tauscope audit JUDGE.csv --truth HUMAN.csv`, or several by name, "
            "`tauscope audit --truth HUMAN.csv --judges gpt=A.csv llama=B.csv`."
        )
    if (families is None) != (not judge_families):
        raise CallError("--families and --judge-families go together.")
    with shared.said():
        # A single judge goes by the name of its file.
        alone_name = None if judge is None else run_name(judge)
        several = {alone_name: judge} if judge is not None and alone_name else inputs.files(judges, "--judges")
        kin = inputs.judge_families(judge_families, judge)
        kin = {alone_name: kin[ALONE]} if kin and alone_name else kin
        persons = inputs.files(people, "--people")
        alone = {"--truth": truth, inputs.LENGTHS: lengths}
        found = inputs.together(
            several, persons, {k: f for k, f in alone.items() if f}, reading=shared, one_sided=one_sided
        )
        with progress("asking") as report:
            result = ask(
                found[0],
                truth=found[2].get("--truth"),
                people=found[1] or None,
                judge_families=kin,
                system_families=inputs.groups(families),
                lengths=found[2].get(inputs.LENGTHS),
                coefficient=coefficient,
                margin=margin,
                level=level,
                one_sided=one_sided,
                topics=topics,
                rng=seed,
                progress=report,
            )
        if not shared.print(result):
            answers = result.answers()
            now = (
                [NOW_WHAT]
                if any(one.verdict in (Standing.CANNOT, Standing.NOT_SHOWN) for one in result.stands_in.values())
                else []
            )
            show(*result.lines()[: -len(answers)], *now, "", result.methods_sentence(), "", *answers)
        shared.save(result)
