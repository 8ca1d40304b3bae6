"""From the files and the reading options of a command to the arguments of its function.

Commands read files nowhere else. What was decided on the way, and what is wrong with the scores, goes to standard
error, each warning once, because standard output may be JSON.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_type_hints

from cyclopts import Parameter

from ..data.cube import ScoreCube
from ..data.findings import problems, problems_of_pair
from ..data.labels import Labelled, Remark, pairs_shown, remarks_in, would_match
from ..data.ranking import Ranking
from ..data.scores import Scores
from ..errors import Advice, CallError, FileError, Option, TauscopeError
from ..io.columns import COLUMNS as COLUMNS_OF_BATTLES
from ..io.columns import read_battles, read_chances, read_groups
from ..io.read import kind_of, read_any, read_cube, read_ranking, read_scores, run_name, was_guessed
from ..results import Note, count
from . import TOLD
from .options import (
    FITS,
    Clusters,
    Coefficients,
    Fit,
    Flag,
    Format,
    Many,
    ManyFiles,
    ManyNumbers,
    Match,
    Missing,
    Reading,
    Tables,
    TruthMeasure,
    Unmatched,
    labels_in,
    names_in,
    settings_in,
)
from .output import printable

#: The layout of a file among several that is to be found out, as it is without --format.
AUTO = "auto"
#: What the reference and the lengths of answers are called among files by name.
TRUTH, LENGTHS = "--truth", "--lengths"
#: What --columns can say of battles alone.
BATTLE_COLUMNS = (*COLUMNS_OF_BATTLES, "no_winner", "self_battles")
#: What is told of names that differ by spelling: settled where they are matched loosely.
SPELLED = ("topics-spelled-differently", "systems-spelled-differently")
Truth = Annotated[Path | None, Parameter(help="Scores that are correct by definition, such as those of people.")]


class Arguments(dict[str, Any]):
    """Several arguments of a function, by name."""


# Commands: each function below reads what the files of one command are, and its keyword-only parameters are options.


def scores(files: Sequence[Path], reading: Reading) -> Scores:
    """Read scores by one measure.

    Parameters
    ----------
    files : sequence of Path
        A file, a folder, or the output of an evaluation tool, one file per run.
    reading : Reading
        How they are read.

    Returns
    -------
    Scores

    Raises
    ------
    FileError
        If a file cannot be read; the fixes are options of the command.
    """
    found = _scores(files, reading, reading.measure, _layouts(reading.format, 1)[0])
    tell(found)
    return found


def versions_of_a_board(files: Sequence[Path], reading: Reading) -> Any:
    """Read the versions of a board.

    Parameters
    ----------
    files : sequence of Path
        A folder of dated tables, which is handed on, or one board per file, the oldest first.
    reading : Reading
        How boards are read.

    Returns
    -------
    Path or dict
        Name of the file -> board.

    Raises
    ------
    CallError
        If there is one file only.
    """
    if len(files) == 1 and files[0].is_dir():
        reading.refuse("a folder of printed tables")
        return files[0]
    if len(files) < 2:
        raise CallError(f"{count(len(files), 'file')}: give two or more, the oldest first, or a folder of dated ones.")
    boards = [any_board([file], reading) for file in files]
    return dict(zip(names_of_sides(*files) if len(files) == 2 else names_of_qrels(files), boards, strict=True))


def scores_and_truth(
    file: Path,
    reading: Reading,
    *,
    truth: Truth = None,
    truth_measure: TruthMeasure = None,
    clusters: Clusters = None,
    match: Match = "exact",
    unmatched: Unmatched = "error",
) -> Arguments:
    """Read scores, and those of the truth if there is one.

    Parameters
    ----------
    file : Path
        The scores.
    reading : Reading
        How both files are read.
    truth : Path, optional
        The scores of the truth.
    truth_measure : str, optional
        Which measure of the truth.
    clusters : Path, optional
        The clusters of topics, if there is no truth.
    match, unmatched : str
        What is done with names that differ by spelling, and with systems that only one file has.

    Returns
    -------
    Arguments
        `scores`, and `truth` if there is one.
    """
    if truth is None:
        return Arguments(scores=clustered(scores([file], reading), clusters))
    if clusters is not None:
        raise CallError("--clusters goes with one file of scores, not with --truth.")
    found, gold = _against({"": file}, truth, reading, truth_measure, match=match, unmatched=unmatched)
    return Arguments(scores=found[""], truth=gold)


def judges_and_truth(
    files: Sequence[Path],
    reading: Reading,
    *,
    truth: Truth = None,
    truth_measure: TruthMeasure = None,
    groups: Annotated[
        Path | None, Parameter(help="A file of two columns, system and group: does the judge prefer a group?")
    ] = None,
    clusters: Clusters = None,
    topics: Annotated[
        Literal["all", "shared", "same", "independent"],
        Parameter(help="Which topics are used, and whether topics with the same label are the same topic."),
    ] = "all",
    match: Match = "exact",
    unmatched: Unmatched = "error",
    battles: Fit = None,
) -> Arguments:
    """Read one judge or several, and the truth; or battles by two judges.

    Parameters
    ----------
    files : sequence of Path
        The judges, each as FILE or NAME=FILE.
    reading : Reading
        How all files are read.
    truth : Path
        The scores of people.
    truth_measure : str, optional
        Which measure of the truth.
    groups : Path, optional
        The groups of systems.
    clusters : Path, optional
        The clusters of topics; with one judge only.
    topics : str
        Which topics are compared.
    match, unmatched : str
        What is done with names that differ by spelling, and with systems that not all files have.
    battles : str, optional
        How strengths are fitted to battles.

    Returns
    -------
    Arguments
        `judge`, `truth` and perhaps `groups`.

    Raises
    ------
    CallError
        If there is no truth, or an option says nothing of these files.
    """
    if truth is not None and len(files) == 1 and _kind(files[0], reading) == "battles":
        both = [any_board([file], reading, clusters=clusters, battles=battles) for file in (files[0], truth)]
        return Arguments(judge=both[0], truth=both[1])
    if battles is not None:
        raise CallError("--battles says how strengths are fitted, and these are no battles: leave it out.")
    if truth is None:
        raise CallError("Name the reference: `tauscope compare JUDGE.csv --truth PEOPLE.csv`.")
    named = _named_judges(files)
    if clusters is not None and len(named) > 1:
        raise CallError("--clusters goes with one judge.")
    found, gold = _against(
        named, truth, reading, truth_measure, by_topic=topics == "shared", match=match, unmatched=unmatched
    )
    sides = {judge: clustered(one, clusters) for judge, one in found.items()}
    extra: dict[str, Any] = {} if groups is None else {"groups": read_groups(groups)}
    return Arguments(judge=sides, truth=clustered(gold, clusters), **extra)


def audited(
    files: Sequence[Path],
    reading: Reading,
    *,
    truth: Truth = None,
    people: Annotated[Many, Parameter(help="Scores of at least three single people, each as NAME=FILE.")] = None,
    groups: Annotated[
        Path | None,
        Parameter(help="A file of two columns, system and group; with a line per judge: does it prefer its own group?"),
    ] = None,
    lengths: Annotated[
        Path | None, Parameter(help="Length of each system's answer to each topic: does the judge like long ones?")
    ] = None,
    unmatched: Unmatched = "error",
) -> Arguments:
    """Read what an audit looks at.

    Parameters
    ----------
    files : sequence of Path
        The judges, each as FILE or NAME=FILE.
    reading : Reading
        How all files are read; lengths have no better or worse.
    truth : Path, optional
        The scores of people.
    people : list of str, optional
        Scores of single people, each as NAME=FILE.
    groups, lengths : Path, optional
        The groups of systems, and the lengths of answers.
    unmatched : str
        What is done with systems that not all files have.

    Returns
    -------
    Arguments
        `judge`, `truth`, `people`, `lengths` and perhaps `groups`.

    Raises
    ------
    CallError
        If nobody's scores are given beside those of the judge.
    """
    named = _named_judges(files)
    if truth is None and not people:
        raise CallError("Name people's scores: `tauscope audit JUDGE.csv --truth PEOPLE.csv`, or --people.")
    persons = files_by_name(people, "--people")
    beside = {name: path for name, path in ((TRUTH, truth), (LENGTHS, lengths)) if path is not None}
    sides: dict[tuple[str, str], Path] = {
        (kind, name): path
        for kind, own in (("judge", named), ("person", persons), ("", beside))
        for name, path in own.items()
    }
    read = _sides(sides, reading, unmatched=unmatched)
    tell(*read.values())
    found = Arguments(
        judge={name: read["judge", name] for name in named},
        truth=read.get(("", TRUTH)),
        people={name: read["person", name] for name in persons} or None,
        lengths=read.get(("", LENGTHS)),
    )
    if groups is not None:
        known = dict(read_groups(groups))
        if len(named) == 1 and "judge" in known:  # what a single judge may be called
            known.setdefault(next(iter(named)), known["judge"])
        found["groups"] = known
    return found


def people_and_judge(
    own: Path | None,
    reading: Reading,
    *,
    judge: Annotated[Path, Parameter(help="The judge's scores on all topics; with --runs, its judgments (qrels).")],
    runs: Annotated[
        ManyFiles, Parameter(help="A folder of runs, or files: people's and the judge's files are qrels then.")
    ] = None,
    measures: Annotated[str, Parameter(help="With --runs, labels of AP, P and nDCG separated by commas.")] = (
        "AP,P@10,nDCG@10"
    ),
    chances: Annotated[
        Path | None, Parameter(help="Chance of each human topic: the list that --view next --csv printed.")
    ] = None,
    depths: Annotated[
        ManyNumbers, Parameter(help="With --runs, depths at which the strata of documents end, such as 10 50.")
    ] = None,
    unmatched: Unmatched = "error",
) -> Arguments:
    """Read people's scores on some topics and a judge's on all, or judgments of documents.

    Parameters
    ----------
    own : Path or None
        The scores of people, or their qrels; None if they have judged nothing yet.
    reading : Reading
        How both files are read.
    judge : Path
        The scores of the judge, or its qrels.
    runs : list of Path, optional
        The runs; files are qrels then.
    measures : str
        The measures that are estimated from qrels.
    chances : Path, optional
        The chance that each human topic had to be chosen.
    depths : list of int, optional
        Where strata of documents end.
    unmatched : str
        What is done with systems that only one file has.

    Returns
    -------
    Arguments
        Those of `hybrid()`.

    Raises
    ------
    CallError
        If options for topics and for documents are mixed, or qrels are given without runs.
    """
    if runs is not None:
        if chances is not None:
            raise CallError("--chances goes with scores on topics, and --depths with --runs.")
        found = {"runs": one_or_list(runs), "measures": labels_in(measures), "chances": depths, "unmatched": unmatched}
        return Arguments(human=own, judge=judge, **found)
    if depths is not None:
        raise CallError("--depths goes with --runs, which are for documents.")
    for path in filter(None, (own, judge)):
        if path.is_file() and kind_of(path) == "judgments":
            raise CallError(
                f"{path} looks like judgments of documents (qrels), not like scores. Add --runs with the folder of the "
                "runs, and measures are estimated from both qrels."
            )
    if own is None:
        return Arguments(human=None, judge=scores([judge], reading))
    human, machine = _against({"": own}, judge, reading, by_topic=True, unmatched=unmatched)
    known = None if chances is None else read_chances(chances)
    return Arguments(human=human[""], judge=machine, chances=known, unmatched=unmatched)


def scores_or_repeats(file: Path, reading: Reading) -> Any:
    """Read scores by one measure, or a table with a column of runs; `--columns run=…` names that column."""
    return any_board([file], reading)


def board_and_baseline(
    file: Path,
    reading: Reading,
    *,
    baseline: Annotated[Path | None, Parameter(help="The old board, for claims such as tau(new, old).")] = None,
    judges: Annotated[
        Many, Parameter(help="Further boards, each as NAME=FILE, for claims such as tau_b(NAME, old).")
    ] = None,
    clusters: Clusters = None,
) -> Arguments:
    """Read a board, the old one and others.

    Parameters
    ----------
    file : Path
        The new board, of any kind.
    reading : Reading
        How all boards are read.
    baseline : Path, optional
        The old board.
    judges : list of str, optional
        Further boards, each as NAME=FILE.
    clusters : Path, optional
        The clusters of topics.

    Returns
    -------
    Arguments
        `new`, `baseline` and `judges`.
    """

    def read(path: Path) -> Any:
        return any_board([path], reading, clusters=clusters)

    named = {name: read(path) for name, path in files_by_name(judges, "--judges").items()}
    return Arguments(new=read(file), baseline=None if baseline is None else read(baseline), judges=named)


def rankings_and_truth(
    files: Sequence[Path],
    reading: Reading,
    *,
    truth: Annotated[Path | None, Parameter(help="The ranking that is correct by definition.")] = None,
    coefficient: Annotated[
        Coefficients, Parameter(help="One or more of the catalogue, or all; tau_b by default.")
    ] = None,
    tied_within: Annotated[
        str | None,
        Parameter(name=["--tied-within", "-w"], help="Scores this close are tied: 0.01, 5%, or two: 0.01,0.02."),
    ] = None,
    discount: Annotated[
        str | None, Parameter(help="Count only pairs of the truth with p below this level, or weight them: soft.")
    ] = None,
    match: Match = "exact",
) -> Arguments:
    """Read one ranking and its truth, or two opinions.

    If both files have scores on topics, these are handed on, so that views by topic are possible.

    Parameters
    ----------
    files : sequence of Path
        One or two rankings.
    reading : Reading
        How they are read.
    truth : Path, optional
        The ranking that is correct by definition.
    coefficient : list of str, optional
        Names of the catalogue.
    tied_within : str, optional
        One threshold for ties, or two.
    discount : str, optional
        A level, or "soft".
    match : str
        What is done with names that differ by spelling.

    Returns
    -------
    Arguments
        Those of `correlate()`.

    Raises
    ------
    CallError
        If there are not two rankings, or an option lacks its value.
    """
    if len(files) + (truth is not None) != 2:
        raise CallError(
            "Give two rankings, `tauscope correlate A B`, "
            "or an estimate and its truth, `tauscope correlate A --truth B`."
        )
    if coefficient == []:
        raise CallError("-c asks for a coefficient: -c tau_b, or several: -c tau_b tau_ap_b.")
    sides = list[Scores]()
    first, second = two_rankings(files[0], truth if truth is not None else files[1], reading, match, sides)
    own: Any = sides if len(sides) == 2 else (first, second)
    if discount is not None and len(sides) < 2:
        raise CallError("--discount needs scores on topics, not single scores of systems.")
    given: dict[str, Any] = {"rankings": own[0], ("truth" if truth is not None else "other"): own[1], "match": match}
    if coefficient is not None:
        names = names_in(coefficient)
        given["coefficient"] = names[0] if len(names) == 1 else names
    if discount is not None:
        try:
            given["discount"] = discount if discount == "soft" else float(discount)
        except ValueError:
            raise CallError(f"--discount {discount}: give a level such as 0.05, or soft.") from None
    if tied_within is not None:
        within = [part.strip() for part in tied_within.split(",")]
        given["tied_within"] = within[0] if len(within) == 1 else tuple(within)
    return Arguments(given)


def scores_or_table(file: Path, tables: Tables) -> Any:
    """Read a table of systems by measures or of models by tasks, scores by several measures, or scores by one."""
    with _at(file):
        return read_any(
            file,
            collection=file.stem,
            missing=tables.missing,
            columns=tables.columns,
            format=tables.format,
            by_measures=True,
        )


def collections_by_depth(
    files: Sequence[Path],
    tables: Tables,
    *,
    target: Annotated[
        Many,
        Parameter(name=["--target", "-t"], help="What to predict; by default P@1000, AP, nDCG and RBP(p=0.95)."),
    ] = None,
    select: Annotated[
        str | None,
        Parameter(help="The collection, by the name of its file, that sets are chosen on; by default the first."),
    ] = None,
) -> Arguments:
    """Read collections whose labels have the depth, and the name of that on which sets are chosen; one is alone."""
    named = collections(files, tables)
    data = named if len(named) > 1 else next(iter(named.values()))
    return Arguments(data=data, targets=target, select_on=select and Path(select).stem)


def runs_and_qrels(
    files: Sequence[Path],
    reading: None,
    *,
    qrels: Annotated[Path, Parameter(name=["--qrels", "-q"], help="The judgments.")],
) -> Arguments:
    """Name runs and their judgments, which the experiment reads itself."""
    return Arguments(runs=one_or_list(files), qrels=qrels)


# Boards of any kind


def any_board(files: Sequence[Path], reading: Reading, *, clusters: Clusters = None, battles: Fit = None) -> Any:
    """Read a board of any kind.

    What --columns names decides the kind, and then the first lines of the file.

    Parameters
    ----------
    files : sequence of Path
        One file; several hold scores, one file per run.
    reading : Reading
        How it is read.
    clusters : Path, optional
        The clusters of topics; for battles what stays together.
    battles : str, optional
        How strengths are fitted to battles.

    Returns
    -------
    Scores, Repeats, Published, Battles or BradleyTerry

    Raises
    ------
    CallError
        If an option says nothing of this kind of board.
    """
    kind = _kind(files[0], reading) if len(files) == 1 else "scores"
    if battles is not None and kind != "battles":
        raise CallError("--battles says how strengths are fitted, and these are no battles: leave it out.")
    if kind == "battles":
        return _battles(files[0], reading, clusters, battles)
    if kind == "scores":
        return clustered(scores(files, reading), clusters)
    from ..reading import KINDS

    own = KINDS[kind]
    reading.refuse(
        own.title, *(name for name in ("columns", "lower_is_better") if name == "columns" or name in own.options)
    )
    if clusters is not None:
        raise CallError(f"--clusters says nothing of {own.title}: leave it out.")
    named = _named_columns(reading)
    if unknown := sorted({*named} - {*own.options, "interval_level"}):
        raise CallError(f"--columns {unknown[0]}=… says nothing of {own.title}: leave it out.")
    if kind == "published":
        level = named.pop("interval_level", None)
        if not isinstance(reading.negated, bool):
            raise CallError(
                f"--lower-is-better {' '.join(reading.negated)}: there are no topics in {own.title}.",
                Option("lower_is_better", "all", effect="where a lower score is better"),
            )
        named |= {"level": None if level is None else float(level), "lower_is_better": reading.negated}
    return own.read(files[0], **named)


def _named_columns(reading: Reading) -> dict[str, Any]:
    """What --columns names: role -> column."""
    return dict(part.split("=", 1) for part in (reading.columns or "").split(",") if "=" in part)


def _kind(file: Path, reading: Reading) -> str:
    """The kind of a board: what --columns names, or else what the first lines say; scores where these say nothing."""
    named = _named_columns(reading)
    if any(role in BATTLE_COLUMNS or role.startswith("winner:") for role in named):
        return "battles"
    if "run" in named:
        return "repeats"
    if reading.format is not None or not file.is_file():
        return "scores"
    printed = {*named} <= {"system", "score", "error", "low", "high", "interval", "interval_level", "items"}
    if printed and ({*named} - {"system", "score"} or len(named) == 2):
        return "published"
    try:
        kind = kind_of(file)
    except TauscopeError:
        return "scores"  # the reader says what is wrong
    known = kind == "repeats" or (kind == "published" and printed) or (kind == "battles" and not named)
    return kind if known else "scores"


def _battles(file: Path, reading: Reading, clusters: Path | None, fit: str | None) -> Any:
    """Battles, or their strengths where options say how to fit them."""
    from ..boards.bradley_terry import bradley_terry

    reading.refuse("battles", "without", "columns")
    named = _named_columns(reading)
    options: dict[str, Any] = {"missing": named.pop("no_winner", None), "self_battles": named.pop("self_battles", None)}
    spellings = {role.removeprefix("winner:"): named.pop(role) for role in [*named] if role.startswith("winner:")}
    options = {name: value for name, value in options.items() if value} | ({"verdicts": spellings} if spellings else {})
    with _fixes(_in_columns):
        found = _without(read_battles(file, **named, **options), reading.without)
    if clusters is None and fit is None:
        return found
    known = get_type_hints(bradley_terry)
    fitted = settings_in(fit, {name: known[name] for name in FITS}, "--battles") if fit is not None else {}
    kinds = None if clusters is None else str(clusters).split(",")
    return bradley_terry(found, clusters=kinds if kinds is None or len(kinds) > 1 else kinds[0], **fitted)


def _in_columns(way: Option) -> Option:
    """A fix of battles in the words of the shell: all their options are parts of --columns."""
    known = {"missing": "no_winner", "self_battles": "self_battles"}
    if way.name in known:
        return Option("columns", *(f"{known[way.name]}={value}" for value in way.values), effect=way.effect)
    if way.name == "verdicts":
        return Option("columns", "winner:SPELLING=tie", effect="to say what it means: first, second, tie or missing")
    return Option("columns", f"{way.name}=COLUMN", effect=way.effect) if way.name in BATTLE_COLUMNS else way


# Scores of several sides


def _against(
    named: Mapping[str, Path],
    truth: Path,
    reading: Reading,
    truth_measure: str | None = None,
    *,
    by_topic: bool = False,
    match: str = "exact",
    unmatched: str = "error",
) -> tuple[dict[str, Scores], Scores]:
    """The scores in some files, and those of the truth; what is wrong with them, alone and beside the truth, is told.

    With `by_topic` they are compared on the topics that all have, so that other topics are nothing to tell.
    """
    found: dict[str, Scores] = _sides(
        {**named, TRUTH: truth},
        reading,
        measures={TRUTH: truth_measure or reading.measure},
        names={TRUTH: names_of_sides(next(iter(named.values())), truth)[1]},
        unmatched=unmatched if match == "exact" else "error",
    )
    tell(*found.values())
    gold = found.pop(TRUTH)
    settled = ("topics-on-one-side",) if by_topic or match == "loose" else ()
    for name, one in found.items():
        called = "the estimate" if len(found) == 1 else f"judge {name!r}"
        beside = problems_of_pair(one, gold, (called, "the truth"))
        left_out = (*settled, *(SPELLED if match == "loose" else ()))
        _say(_told(remark) for remark in beside if remark.code not in left_out)
    return found, gold


def _sides(
    paths: Mapping[Any, Path],
    reading: Reading,
    *,
    measures: Mapping[Any, str | None] = MappingProxyType({}),
    names: Mapping[Any, str] = MappingProxyType({}),
    unmatched: str,
) -> dict[Any, Scores]:
    """Several sets of scores, read together; --format A,B gives each file its own layout."""
    layouts, keys = _layouts(reading.format, len(paths)), list(paths)

    def all_sides(reading: Reading) -> list[Scores]:
        def read(at: int, like: Scores | None = None) -> Scores:
            key = keys[at]
            # Lengths are no scores: which are better is not said of them.
            own = replace(reading, lower_is_better=None, aggregate=None) if key == ("", LENGTHS) else reading
            measure = measures.get(key, reading.measure)
            with _fixes(lambda way: _for_one_file(way, at, layouts)):
                return _scores([paths[key]], own, measure, layouts[at], like, names.get(key, ""))

        return _by_each_other(read, len(keys))

    return dict(zip(keys, _holes_last(all_sides, reading, unmatched), strict=True))


def _by_each_other(read: Callable[..., Scores], sides: int) -> list[Scores]:
    """All sides: a file that leaves open whether its rows are topics or systems is read by the names of another."""
    found: dict[int, Scores] = {}
    errors: dict[int, FileError] = {}
    for at in range(sides):
        try:
            found[at] = read(at)
        except FileError as error:
            errors[at] = error
    if not found:
        raise errors[sides - 1]
    guessed = [at for at, one in found.items() if was_guessed(one)]
    like = found[([at for at in found if at not in guessed] or list(found))[-1]]
    unlike = [at for at in guessed if found[at] is not like and not set(found[at].systems) & set(like.systems)]
    for at in (*errors, *unlike):
        found[at] = read(at, like)
    return [found[at] for at in range(sides)]


def _holes_last(read: Callable[[Reading], list[Scores]], reading: Reading, unmatched: str) -> list[Scores]:
    """Several scores; where systems that not all have are left out, holes of these cost no topic and are no error."""
    if unmatched != "drop" or reading.missing not in ("error", "drop-topics"):
        return read(reading)
    whole = read(replace(reading, missing="keep"))  # type: ignore[arg-type]
    shared = set.intersection(*(set(one.systems) for one in whole))
    cut = [one if shared.issuperset(one.systems) or not shared else _of_systems(one, shared) for one in whole]
    if reading.missing == "error":
        return read(reading) if any(one.has_holes for one in cut) else whole
    return [_with_topics(one, kept) for one, kept in zip(whole, cut, strict=True)]


def _of_systems(scores: Scores, shared: set[str]) -> Scores:
    return scores.select(systems=[system for system in scores.systems if system in shared])


def _with_topics(scores: Scores, kept: Scores) -> Scores:
    """The scores without the topics in which `kept`, some of their systems, have holes."""
    if not kept.has_holes or kept is scores:
        return scores.without_holes("drop-topics") if kept is scores else scores
    found = kept.without_holes("drop-topics")
    return scores.select(topics=found.topics).changed(found.notes[-1])


def _scores(
    files: Sequence[Path],
    reading: Reading,
    measure: str | None,
    layout: str | None,
    like: Scores | None = None,
    name: str = "",
) -> Scores:
    one = files[0] if len(files) == 1 else None
    with _at(one):
        found = read_scores(
            one or list(files),
            measure=measure,
            missing=reading.missing,
            format=layout,
            columns=reading.columns,
            lower_is_better=reading.negated,
            aggregate=reading.aggregate,
            like=like,
            collection=name or (run_name(one) if one else ""),
        )
    return _without(found, reading.without)  # type: ignore[no-any-return]


def _without(found: Any, names: Sequence[str] | None) -> Any:
    """Leave systems out; names of which no system has one are an error."""
    if not names:
        return found
    if set(names).isdisjoint(found.systems):
        raise CallError(f"--without {' '.join(names)}: there is no such system.")
    return found.select(systems=[system for system in found.systems if system not in names])


def clustered(found: Scores, clusters: Path | None) -> Scores:
    """Return scores with the clusters of their topics, if a file of them was given."""
    return found if clusters is None else found.changed(clusters=read_groups(clusters))


# Rankings


def moved_ranking(
    file: Path,
    reading: Reading,
    *,
    swap_neighbours: Annotated[
        Flag, Parameter(help="Scores move up to the neighbours themselves, so that neighbours can change places.")
    ] = False,
) -> Arguments:
    """Read a list of systems and scores, or rank systems by the means of scores on topics; say how far scores move."""
    scores = _ranking(file, reading, _layouts(reading.format, 1)[0], [])
    return Arguments(scores=scores, keep_ranks=not swap_neighbours)


def two_rankings(
    first: Path, second: Path, reading: Reading, match: str = "exact", seen: list[Scores] | None = None
) -> tuple[Ranking, Ranking]:
    """Read the rankings in two files.

    Parameters
    ----------
    first, second : Path
        The files.
    reading : Reading
        How they are read; --format A,B gives each its own layout.
    match : str, default "exact"
        "loose" spells systems of the first as the second does.
    seen : list, optional
        Gets the scores behind the rankings, if there are scores on topics.

    Returns
    -------
    tuple of Ranking
    """
    layouts, both = _layouts(reading.format, 2), list[Scores]() if seen is None else seen
    found = []
    for at, file in enumerate((first, second)):
        with _fixes(lambda way, at=at: _for_one_file(way, at, layouts)):  # type: ignore[misc]
            found.append(_ranking(file, reading, layouts[at], both))
    one, two = found
    if len(both) == 2:  # each was told of alone
        told = problems_of_pair(both[0], both[1], ("the first", "the second"))
        _say(_told(remark) for remark in told if remark.code not in SPELLED)
    loose = would_match([str(label) for label in one.labels], [str(label) for label in two.labels])
    if not loose:
        return one, two
    if match == "exact":
        alike = Note("would_match", systems=len(loose), pairs=pairs_shown(list(loose.items())))
        _say([f"warning: {alike}; --match loose"])
        return one, two
    _say([f"note: {count(len(loose), 'system')} matched loosely"])
    names = [loose.get(str(label), str(label)) for label in one.labels]
    return Ranking(one.scores, names, tied_within=one.tied_within, lower_is_better=one.lower_is_better), two


def _ranking(file: Path, reading: Reading, layout: str | None, seen: list[Scores]) -> Ranking:
    def notice(data: Any) -> Any:
        if not isinstance(data, Scores) or layout is not None or reading.measure is not None or reading.columns:
            tell(data)
            return data
        data = _without(data, reading.without)
        tell(data)
        seen.append(data)
        return data

    with _at(file):
        return read_ranking(
            file,
            measure=reading.measure,
            missing=reading.missing,
            format=layout,
            columns=reading.columns,
            aggregate=reading.aggregate,
            notice=notice,
            lower_is_better=reading.negated,
        )


# Several measures


def cube(
    files: Sequence[Path],
    reading: None,
    *,
    drop_worst: Annotated[
        float, Parameter(help="Leave out this share of the systems first, those with the lowest means: 0.25.")
    ] = 0.0,
    by: Annotated[str | None, Parameter(help="The measure that --drop-worst goes by. Default: the first.")] = None,
    missing: Missing = "error",
    format: Format = None,
) -> ScoreCube:
    """Read scores by several measures.

    Parameters
    ----------
    files : sequence of Path
        Files; NAME=FILE names the measure of a matrix.
    reading : None
        All that can be said of these files are the options below.
    drop_worst, by : float, str or None
        The share of the systems that is left out, and the measure that ranks them.
    missing, format : str
        How they are read.

    Returns
    -------
    ScoreCube

    Raises
    ------
    CallError
        If some files name their measure and others do not.
    """
    named = {name: path for name, path in map(_named, files) if name}
    if named and len(named) < len(files):
        raise CallError("Name the measure of every file, AP=ap.csv P@10=p10.csv, or of none.")
    source: Any = named or list(files)
    try:
        found = read_cube(source[0] if not named and len(files) == 1 else source, missing=missing, format=format)
    except TauscopeError as error:
        if named or "measure" not in str(error):
            raise
        raise CallError(error.problem, *error.ways_out, Advice(f"Or name them here: AP={files[0]}.")) from None
    tell(found)
    return found.drop_worst(drop_worst, by=by or found.measures[0]) if drop_worst else found


def collections(files: Sequence[Path], tables: Tables) -> dict[str, Any]:
    """Read collections, one per file, by the names of the files.

    Parameters
    ----------
    files : sequence of Path
        Tables of systems by measures, or scores. Output of an evaluation tool, one file per run, is one collection.
    tables : Tables
        How they are read.

    Returns
    -------
    dict
        Name -> Scores, ScoreCube or MeasureTable.
    """
    found: dict[str, Any] = {}
    for path in files:
        found[str(path) if path.stem in found else path.stem] = scores_or_table(path, tables)
    found = _runs_together(found, files, missing=tables.missing, format=tables.format)
    tell(*found.values())
    return found


def anything(files: Sequence[Path], format: str | None, columns: str | None = None) -> dict[str, Any]:
    """Read whatever each file holds, holes included, for `check`.

    Parameters
    ----------
    files : sequence of Path
        Scores or tables of any layout; output of an evaluation tool, one file per run, is read together.
    format, columns : str, optional
        How they are read.

    Returns
    -------
    dict
        Path -> Scores, ScoreCube or MeasureTable.
    """
    layouts = _layouts(format, len(files))
    found = {
        str(path): read_any(path, format=layout, columns=columns) for path, layout in zip(files, layouts, strict=True)
    }
    return _runs_together(found, files, missing="keep", format=format)


def _runs_together(found: dict[str, Any], files: Sequence[Path], **options: Any) -> dict[str, Any]:
    """One set of scores, where each of several files has one system."""
    if len(files) < 2 or any(len(set(getattr(one, "systems", ()))) != 1 for one in found.values()):
        return found
    return {f"{len(files)} files": read_any(list(files), **options)}


# Names and files


def _named_judges(files: Sequence[Path]) -> dict[str, Path]:
    """Judges by name: each is FILE or NAME=FILE."""
    named: dict[str, Path] = {}
    for file in files:
        given, path = _named(file)
        name = given or run_name(file)
        named[name if name not in named else str(file)] = path
    return named


def _named(file: Path) -> tuple[str, Path]:
    """The name and the file of NAME=FILE; a file that is there has no name."""
    name, equals, path = str(file).partition("=")
    return (name, Path(path)) if equals and not file.exists() else ("", file)


def files_by_name(texts: Sequence[str] | None, option: str) -> dict[str, Path]:
    """Return files by name.

    Parameters
    ----------
    texts : sequence of str or None
        Each NAME=FILE.
    option : str
        The option, for errors.

    Returns
    -------
    dict
        Name -> path.

    Raises
    ------
    CallError
        If one has no name, or a name is there twice.

    Examples
    --------
    >>> files_by_name(["ann=ann.csv"], "--people")["ann"].name
    'ann.csv'
    """
    found: dict[str, Path] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise CallError(f"{option} {text}: write NAME=FILE, such as gpt=gpt.csv.")
        if name in found:
            raise CallError(f"{option}: {name!r} is there twice.")
        found[name] = Path(value)
    return found


def groups(path: Path | None) -> dict[str, str] | None:
    """Read the group of each system or topic, if a file of groups was given."""
    return None if path is None else read_groups(path)


def one_or_list(paths: Sequence[Path]) -> Any:
    """Return a folder of runs alone, or files.

    Raises
    ------
    CallError
        If there is a folder among several.
    """
    if len(paths) == 1:
        return paths[0]
    folders = [path for path in paths if path.is_dir()]
    if folders:
        raise CallError(f"{folders[0]} is a folder: give one folder, or files.")
    return list(paths)


def names_of_qrels(paths: Sequence[Path]) -> list[str]:
    """Return different names for several qrels.

    Parameters
    ----------
    paths : sequence of Path
        The files.

    Returns
    -------
    list of str
        Names of files without endings; the folder goes before if these are alike.

    Raises
    ------
    CallError
        If two have the same name and folder.

    Examples
    --------
    >>> names_of_qrels([Path("human/qrels.txt"), Path("model/qrels.txt")])
    ['human-qrels', 'model-qrels']
    """
    names = [run_name(path) for path in paths]
    if len(set(names)) < len(names):
        names = [f"{path.resolve().parent.name}-{name}" for path, name in zip(paths, names, strict=True)]
    if len(set(names)) < len(names):
        raise CallError("Two of the qrels have the same name and folder; the output could not tell them apart.")
    return names


def names_of_sides(first: Path, second: Path) -> tuple[str, str]:
    """Return the names of two files without their endings, or their paths if these are alike.

    Examples
    --------
    >>> names_of_sides(Path("judge.csv"), Path("people.csv"))
    ('judge', 'people')
    """
    names = (run_name(first), run_name(second))
    return names if names[0] != names[1] else (str(first), str(second))


# Warnings and errors


def tell(*found: Any) -> None:
    """Print what was decided about files and what is wrong with their scores, before any number.

    Each warning is printed once per command.

    Parameters
    ----------
    *found : Scores, ScoreCube, MeasureTable or notes
        What was read.
    """
    for one in found:
        own = one[one.measures[0]] if isinstance(one, ScoreCube) and len(one.measures) == 1 else one
        remarks = problems(own) if isinstance(own, Labelled) else remarks_in(own)  # type: ignore[arg-type]
        _say(map(_told, remarks))


def _told(remark: Remark) -> str:
    if remark.severity == "note":
        return f"note: {remark}"
    effect, advice = (text[:1].upper() + text[1:] for text in (remark.effect, remark.suggestion))
    return f"warning: {remark}. {effect}. {advice}."


def _say(told: Iterable[str]) -> None:
    for text in told:
        if text not in TOLD:
            print(printable(text), file=sys.stderr)
            TOLD.add(text)


def _layouts(format: str | None, files: int) -> list[str | None]:
    """The layout of each file: one for all of them, or as many as there are files, AUTO being none."""
    parts: list[str | None] = [None] if format is None else [part.strip() for part in format.split(",")]
    if len(parts) not in (1, files):
        raise CallError(f"--format {format}: give one layout, or one for each of the {files} files.")
    layouts = [None if part == AUTO else part for part in parts]
    return layouts * files if len(layouts) == 1 else layouts


def _for_one_file(way: Option, place: int, layouts: Sequence[str | None]) -> Option:
    """A fix that is the layout of one file: the others keep theirs."""
    if way.name != "format":
        return way
    values = [
        ",".join(str(value) if at == place else layout or AUTO for at, layout in enumerate(layouts))
        for value in way.values
    ]
    return Option(way.name, *values, effect=way.effect)


@contextmanager
def _fixes(worded: Callable[[Option], Option]) -> Iterator[None]:
    """Errors inside have each fix that is an option in other words."""
    try:
        yield
    except TauscopeError as error:
        ways = (worded(way) if isinstance(way, Option) else way for way in error.ways_out)
        raise type(error)(error.problem, *ways) from None


@contextmanager
def _at(path: Path | None) -> Iterator[None]:
    """Errors inside name the file."""
    try:
        yield
    except TauscopeError as error:
        raise error.at(str(path)) if path is not None else error from None
