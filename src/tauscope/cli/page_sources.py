"""What `tauscope report` is about: from files to what `report()` takes, whatever kind of page was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..errors import CallError
from ..files import read_groups, run_name
from ..files.columns import first_columns
from ..judges.audit import audit as ask
from ..judges.audit_sides import ALONE
from ..judges.hybrid import hybrid
from ..scores import ScoreCube, Scores
from . import inputs
from .options import Clusters, Flag, Many, Reading
from .progress import progress

#: Columns that say what a file calls its systems and its topics.
_CALLED = {
    "systems": ("models", ("model", "model_a", "model_1", "model_x", "model_name")),
    "topics": ("tasks", ("task", "task_name")),
}
#: Bytes of a file that are looked at for that.
_MOST = 1 << 30


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Kind:
    """Pages about more than one set of scores, or two."""

    judges: Annotated[
        Many, Parameter(help="Several judges, each as NAME=FILE, against --truth or the mean of --people: which?")
    ] = None
    people: Annotated[
        Many,
        Parameter(help="Single people, each as NAME=FILE, beside --judges or with --audit: how far do people agree?"),
    ] = None
    judge: Annotated[
        Path | None,
        Parameter(help="The judge's scores on all topics, where FILE has people's on some: a hybrid of both."),
    ] = None
    audit: Annotated[
        Flag,
        Parameter(help="All there is to ask of the judge in FILE, or of --judges, before it stands in for people."),
    ] = False
    judge_families: Annotated[
        Many, Parameter(help="With --audit and --groups: the family of every judge, each as NAME=FAMILY.")
    ] = None
    lengths: Annotated[Path | None, Parameter(help="With --audit: the length of every answer, topics by systems.")] = (
        None
    )
    clusters: Clusters = None

    @property
    def named(self) -> bool:
        """Whether judges are given by name, and no FILES."""
        return bool(self.judges)


@dataclass(frozen=True, kw_only=True, eq=False)
class Given:
    """What the page is made from, and the files that were read for it."""

    source: Any
    truth: Any = None
    people: Any = None
    names: tuple[str, ...] | None = None
    files: list[Path] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """Files and options of the command."""

    files: list[Path]
    truth: Path | None
    qrels: list[Path] | None
    groups: Path | None
    reading: Reading
    truth_measure: str | None
    kind: Kind
    level: float
    one_sided: str
    seed: Any

    def given(self) -> Given:
        """What the page is made from."""
        self._check()
        if self.qrels:
            named = tuple(inputs.names_of_qrels(self.qrels)) if len(self.qrels) > 1 else None
            return Given(source=inputs.runs(self.files), names=named, files=[*self.files, *self.qrels])
        if self.kind.audit:
            return self._audited()
        if self.kind.judge is not None:
            return self._hybrid(self.kind.judge)
        return self._several() if self.kind.named else self._one_or_two()

    def words(self) -> dict[str, str]:
        """What the file itself calls systems and topics: models, where a column is called model."""
        file = next(iter(self.files), None)
        try:
            there = {str(name).strip().lower() for name in first_columns(file, _MOST)} if file is not None else set()
        except (OSError, ValueError, StopIteration):
            return {}
        return {noun: called for noun, (called, known) in _CALLED.items() if there & set(known)}

    def _check(self) -> None:
        kind = self.kind
        if bool(self.files) == kind.named:
            raise CallError(
                "Give FILES, `tauscope report JUDGE.csv --truth HUMAN.csv`, or several judges by name, "
                "`tauscope report --truth HUMAN.csv --judges gpt=A.csv llama=B.csv`."
            )
        if self.truth is not None and self.qrels:
            raise CallError("--truth and --qrels: with --qrels the first judgments are the reference.")
        asked = {"--qrels": bool(self.qrels), "--judge": kind.judge is not None, "--judges": kind.named}
        two = [name for name, given in asked.items() if given]
        if len(two) > 1:
            raise CallError(f"{' and '.join(two)}: choose one.")
        if kind.audit and (self.qrels or kind.judge is not None):
            raise CallError("--audit is about scores of a judge and of people: leave --qrels and --judge out.")
        if (kind.lengths is not None or kind.judge_families) and not kind.audit:
            raise CallError("--lengths and --judge-families go with --audit.")
        if kind.people and not (kind.named or kind.audit):
            raise CallError("--people goes with --judges or --audit.")

    def _named(self, texts: list[str] | None, option: str) -> tuple[dict[str, Scores], list[Path]]:
        paths = inputs.files(texts, option)
        (found,) = inputs.together(paths, reading=self.reading, one_sided=self.one_sided)
        return {name: self._clustered(one) for name, one in found.items()}, [*paths.values()]

    def _scores(self, file: Path) -> Any:
        return self._clustered(inputs.scores([file], self.reading))

    def _clustered(self, found: Any) -> Any:
        """Scores, or a cube of one measure, with the clusters of their topics."""
        if self.kind.clusters is None or not isinstance(found, Scores | ScoreCube):
            return found
        own = found[self.reading.measure or found.measures[0]] if isinstance(found, ScoreCube) else found
        return own.changed(clusters=read_groups(self.kind.clusters))

    def _several(self) -> Given:
        judges, read = self._named(self.kind.judges, "--judges")
        people, more = self._named(self.kind.people, "--people")
        gold = None if self.truth is None else self._scores(self.truth)
        reference = (run_name(self.truth),) if self.truth is not None else None
        files = [*read, *more, *([self.truth] if self.truth is not None else [])]
        return Given(source=judges, truth=gold, people=people or None, names=reference, files=files)

    def _hybrid(self, judge: Path) -> Given:
        own, machine = inputs.two_scores(self.files[0], judge, self.reading, by_topic=True)
        with progress("combining"):
            found = hybrid(own, machine, one_sided=self.one_sided, level=self.level, rng=self.seed)
        return Given(source=found, files=[*self.files, judge])

    def _audited(self) -> Given:
        judges, read = self._named(self.kind.judges, "--judges")
        if self.files:
            judges, read = {ALONE: self._scores(self.files[0])}, self.files[:1]
        people, more = self._named(self.kind.people, "--people")
        rest = [file for file in (self.truth, self.kind.lengths) if file is not None]
        with progress("asking") as tell:
            found = ask(
                judges,
                truth=None if self.truth is None else self._scores(self.truth),
                people=people or None,
                judge_families=inputs.judge_families(self.kind.judge_families, self.files[0] if self.files else None),
                system_families=inputs.groups(self.groups),
                lengths=None
                if self.kind.lengths is None
                else inputs.scores([self.kind.lengths], inputs.unranked(self.reading)),
                level=self.level,
                one_sided=self.one_sided,
                rng=self.seed,
                progress=tell,
            )
        return Given(source=found, files=[*read, *more, *rest])

    def _one_or_two(self) -> Given:
        source = self.files[0] if len(self.files) == 1 else list(self.files)
        reading = {one.name: getattr(self.reading, one.name) for one in fields(self.reading)}
        del reading["aggregate"]
        reading["lower_is_better"] = self.reading.negated
        if self.truth is None:
            found = self._clustered(inputs.scores_or_list(source, **reading))
            inputs.tell(found)
            return Given(source=found, files=list(self.files))
        both = inputs.two_scores_or_lists(source, self.truth, truth_measure=self.truth_measure, **reading)
        inputs.tell(*both)
        source, truth = map(self._clustered, both)
        names = inputs.names_of_sides(self.truth, self.files[0])
        return Given(source=source, truth=truth, names=names, files=[*self.files, self.truth])
