"""From paths and options for reading to scores, rankings and tables: the one place where commands read files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from cyclopts import Parameter

from ..data.alignment import require_one_scale
from ..data.cube import ScoreCube
from ..data.findings import problems, problems_of_pair
from ..data.labels import Remark, pairs_shown, remarks_in, would_match
from ..data.ranking import Ranking
from ..data.scores import Scores
from ..data.table import MeasureTable
from ..errors import Advice, CallError, FileError, Option, TauscopeError
from ..io.columns import COLUMNS as COLUMNS_OF_BATTLES
from ..io.columns import read_battles, read_chances, read_groups
from ..io.pieces import run_name
from ..io.read import detect_format, kind_of, read_cube, read_ranking, read_scores, read_table
from ..reading import KINDS
from ..results import count
from . import TOLD
from .options import (
    FITS,
    Clusters,
    Coefficients,
    Fit,
    Many,
    ManyFiles,
    ManyNumbers,
    Match,
    Reading,
    Tables,
    TruthMeasure,
    Unmatched,
    labels_in,
    names_in,
    settings_in,
    thresholds_in,
)
from .output import printable

#: What has oddities of its own.
LABELLED = (Scores, ScoreCube, MeasureTable)
#: The layout of a file among several that is to be found out, as it is without --format.
AUTO = "auto"
#: What lengths of answers are called among files by name.
LENGTHS = "--lengths"
#: What --columns can say of a kind of file besides its columns.
EXTRA = {"published": ("interval", "interval_level", "items")}
#: What --columns can say of battles alone.
BATTLE_COLUMNS = (*COLUMNS_OF_BATTLES, "no_winner", "self_battles")
#: What is told of names that differ by spelling: settled where they are matched loosely.
SPELLED = ("topics-spelled-differently", "systems-spelled-differently")


def scores(files: Sequence[Path], reading: Reading) -> Scores:
    """Scores by one measure from a file, a folder, or the output of an evaluation tool, one file per run."""
    found = _scores(files, reading, reading.measure, _layouts(reading.format, 1)[0])
    tell(found)
    return found


def scores_with_holes(files: Sequence[Path], reading: Any) -> Arguments:
    """Scores, and the rule for missing cells that are kept, as arguments of a function."""
    return Arguments(scores=scores(files, reading), missing="adjusted" if reading.missing == "keep" else "error")


def _named(reading: Reading) -> dict[str, Any]:
    """What --columns names: role -> column."""
    return dict(part.split("=", 1) for part in (reading.columns or "").split(",") if "=" in part)


def versions_of_a_board(files: Sequence[Path], reading: Reading) -> Any:
    """A folder of dated tables, or one board per file, by name; `--columns` names the columns of printed tables."""
    if len(files) == 1 and files[0].is_dir():
        reading.refuse("a folder of printed tables")
        return files[0]
    if len(files) < 2:
        raise CallError(f"{count(len(files), 'file')}: give two or more, the oldest first, or a folder of dated ones.")
    boards = [any_board([file], reading) for file in files]
    return dict(zip(names_of_sides(*files) if len(files) == 2 else names_of_qrels(files), boards, strict=True))


class Arguments(dict[str, Any]):
    """Several arguments of a function, by name."""


def scores_and_truth(
    file: Path,
    reading: Reading,
    *,
    truth: Annotated[
        Path | None, Parameter(help="Scores that are correct by definition, such as those of people.")
    ] = None,
    truth_measure: TruthMeasure = None,
    clusters: Clusters = None,
    match: Match = "exact",
    unmatched: Unmatched = "error",
) -> Arguments:
    """Scores, and those of the truth where there is one, as arguments of a function."""
    if truth is None:
        return Arguments(scores=clustered(scores([file], reading), clusters))
    if clusters is not None:
        raise CallError("--clusters goes with one file of scores, not with --truth.")
    one, gold = two_scores(file, truth, reading, truth_measure, match=match, unmatched=unmatched)
    return Arguments(scores=one, truth=gold)


def judges_and_truth(
    files: Sequence[Path],
    reading: Reading,
    *,
    truth: Annotated[
        Path | None, Parameter(help="Scores that are correct by definition, such as those of people.")
    ] = None,
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
    """One judge or several, each as FILE or NAME=FILE, and the truth, or battles, as arguments of a function."""
    if truth is not None and len(files) == 1 and _kind(files[0], reading) == "battles":
        both = [any_board([file], reading, clusters=clusters, battles=battles) for file in (files[0], truth)]
        return Arguments(judge=both[0], truth=both[1])
    if battles is not None:
        raise CallError("--battles says how strengths are fitted, and these are no battles: leave it out.")
    named = _named_judges(files)
    extra: dict[str, Any] = {} if groups is None else {"groups": read_groups(groups)}
    if truth is None:
        raise CallError("Name the reference: `tauscope compare JUDGE.csv --truth PEOPLE.csv`.")
    by_topic = topics == "shared"
    if len(named) == 1:
        own_name, file = next(iter(named.items()))
        one, other = two_scores(
            file, truth, reading, truth_measure, by_topic=by_topic, match=match, unmatched=unmatched
        )
        several = {own_name: clustered(one, clusters)}
    else:
        if clusters is not None:
            raise CallError("--clusters goes with one judge.")
        several, other = judges(
            named, truth, reading, truth_measure, unmatched=unmatched, by_topic=by_topic, match=match
        )
    name = names_of_sides(next(iter(named.values())), truth)[1]
    return Arguments(judge=several, truth=clustered(other, clusters).changed(collection=name), **extra)


def audited(
    files: Sequence[Path],
    reading: Reading,
    *,
    truth: Annotated[
        Path | None, Parameter(help="Scores that are correct by definition, such as those of people.")
    ] = None,
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
    """One judge or several, each as FILE or NAME=FILE, and what people and answers say, as arguments of `audit()`."""
    named = _named_judges(files)
    if truth is None and not people:
        raise CallError("Name people's scores: `tauscope audit JUDGE.csv --truth PEOPLE.csv`, or --people.")
    alone = {name: path for name, path in (("--truth", truth), (LENGTHS, lengths)) if path is not None}
    persons = {
        name: Path(path) for name, path in pairs(people, "--people", what="NAME=FILE", like="ann=ann.csv").items()
    }
    judge, own, rest = together(named, persons, alone, reading=reading, unmatched=unmatched)
    found = Arguments(judge=judge, truth=rest.get("--truth"), people=own or None, lengths=rest.get(LENGTHS))
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
    """People's scores on some topics, or judgments of some documents, and the judge's, as arguments of `hybrid()`; no
    file of people where they have judged nothing yet."""
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
    human, machine = two_scores(own, judge, reading, by_topic=True, unmatched=unmatched)
    known = None if chances is None else read_chances(chances)
    return Arguments(human=human, judge=machine, chances=known, unmatched=unmatched)


def _named_judges(files: Sequence[Path]) -> dict[str, Path]:
    """Return judges by name: each is FILE or NAME=FILE."""
    named: dict[str, Path] = {}
    for file in files:
        name, equals, path = str(file).partition("=")
        own = (name, Path(path)) if equals and not file.exists() else (run_name(file), file)
        named[own[0] if own[0] not in named else str(file)] = own[1]
    return named


def scores_or_repeats(file: Path, reading: Reading) -> Any:
    """Scores by one measure, or a table with a column of runs; `--columns run=…` names that column."""
    return any_board([file], reading)


def any_board(files: Sequence[Path], reading: Any, *, clusters: Clusters = None, battles: Fit = None) -> Any:
    """Scores on topics, a table with a column of runs, a printed table, or battles; `--columns` names their columns."""
    kind = _kind(files[0], reading) if len(files) == 1 else "scores"
    if battles is not None and kind != "battles":
        raise CallError("--battles says how strengths are fitted, and these are no battles: leave it out.")
    if kind == "battles":
        return _battles(files[0], reading, clusters, battles)
    if kind == "scores":
        return clustered(scores(files, reading), clusters)
    own = KINDS[kind]
    reading.refuse(
        own.title, *(name for name in ("columns", "lower_is_better") if name == "columns" or name in own.options)
    )
    if clusters is not None:
        raise CallError(f"--clusters says nothing of {own.title}: leave it out.")
    named = _named(reading)
    if unknown := sorted({*named} - {*own.columns, *own.options, *EXTRA.get(kind, ())}):
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


def _kind(file: Path, reading: Reading) -> str:
    """The kind of a board: what --columns names, or else what the first lines say; scores where these say nothing."""
    named = _named(reading)
    if any(role in BATTLE_COLUMNS or role.startswith("winner:") for role in named):
        return "battles"
    if "run" in named:
        return "repeats"
    if reading.format is not None or not file.is_file():
        return "scores"
    printed = {*named} <= {*KINDS["published"].columns, *EXTRA["published"]}
    if printed and ({*named} - {"system", "score"} or len(named) == 2):
        return "published"
    try:
        kind = kind_of(file)
    except TauscopeError:
        return "scores"  # the reader says what is wrong
    return (
        kind if kind == "repeats" or (kind == "published" and printed) or (kind, named) == ("battles", {}) else "scores"
    )


def _battles(file: Path, reading: Reading, clusters: Path | None, fit: str | None) -> Any:
    """Battles, or their strengths where options say how to fit them."""
    from ..boards.bradley_terry import bradley_terry

    reading.refuse(KINDS["battles"].title, "without", "columns")
    named = _named(reading)
    options: dict[str, Any] = {"missing": named.pop("no_winner", None), "self_battles": named.pop("self_battles", None)}
    spellings = {role.removeprefix("winner:"): named.pop(role) for role in [*named] if role.startswith("winner:")}
    options = {name: value for name, value in options.items() if value} | ({"verdicts": spellings} if spellings else {})
    with _battle_options():
        found = without(read_battles(file, **named, **options), reading.without)
    if clusters is None and fit is None:
        return found
    known = get_type_hints(bradley_terry)
    fitted = settings_in(fit, {name: known[name] for name in FITS}, "--battles") if fit is not None else {}
    kinds = None if clusters is None else str(clusters).split(",")
    return bradley_terry(found, clusters=kinds if kinds is None or len(kinds) > 1 else kinds[0], **fitted)


@contextmanager
def _battle_options() -> Iterator[None]:
    """Errors about battles name the options of the shell: all of them are parts of --columns."""
    try:
        yield
    except TauscopeError as error:
        raise type(error)(error.problem, *map(_in_columns, error.ways_out)) from None


def _in_columns(way: Any) -> Any:
    if not isinstance(way, Option):
        return way
    known = {"missing": "no_winner", "self_battles": "self_battles"}
    if way.name in known:
        return Option("columns", *(f"{known[way.name]}={value}" for value in way.values), effect=way.effect)
    if way.name == "verdicts":
        return Option("columns", "winner:SPELLING=tie", effect="to say what it means: first, second, tie or missing")
    return Option("columns", f"{way.name}=COLUMN", effect=way.effect) if way.name in BATTLE_COLUMNS else way


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
    """Return a board, the old one and others, each of any kind, as arguments of a function."""

    def read(path: Path) -> Any:
        return any_board([path], reading, clusters=clusters)

    named = {name: read(path) for name, path in files(judges, "--judges").items()}
    return Arguments(new=read(file), baseline=None if baseline is None else read(baseline), judges=named)


def two_scores(
    estimate: Path,
    truth: Path,
    reading: Reading,
    truth_measure: str | None = None,
    *,
    by_topic: bool = False,
    match: str = "exact",
    unmatched: str = "error",
) -> tuple[Scores, Scores]:
    """The scores of the estimate and those of the truth; --format A,B gives each file its own layout."""
    layouts = _layouts(reading.format, 2)
    measures = (reading.measure, truth_measure or reading.measure)
    files = (estimate, truth)

    def both(reading: Reading) -> list[Scores]:
        def read(place: int, like: Scores | None = None) -> Scores:
            with _layout_of(place, layouts):
                return _scores([files[place]], reading, measures[place], layouts[place], like)

        return list(_each_by_the_other(read))

    one, gold = _holes_last(both, reading, unmatched if match == "exact" else "error")
    settled = ("topics-on-one-side",) if by_topic or match == "loose" else ()
    tell(one, gold, leave_out=(*settled, *(SPELLED if match == "loose" else ())))
    return one, gold


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


def _each_by_the_other(read: Callable[..., Any]) -> tuple[Any, Any]:
    """Two files: what leaves open whether its rows are topics or systems is settled by the names that the other has."""
    try:
        one = read(0)
    except FileError:
        gold = read(1)
        return read(0, gold), gold
    try:
        gold = read(1)
    except FileError:
        return one, read(1, one)
    if not isinstance(one, Ranking) and not isinstance(gold, Ranking) and not set(one.systems) & set(gold.systems):
        if _guessed(one):
            one = read(0, gold)
        elif _guessed(gold):
            gold = read(1, one)
    return one, gold


def _guessed(found: Scores | ScoreCube) -> bool:
    return any(remark.code == "layout-guessed" for remark in remarks_in(found.notes))


def _told(remark: Remark) -> str:
    if remark.severity == "note":
        return f"note: {remark}"
    effect, advice = (text[:1].upper() + text[1:] for text in (remark.effect, remark.suggestion))
    return f"warning: {remark}. {effect}. {advice}."


def tell(*found: Any, leave_out: Collection[str] = ()) -> None:
    """What was decided about files and what is odd about their scores, before any number; standard output may be
    JSON."""
    told: dict[str, None] = {}
    found = tuple(one_or_more(one) if isinstance(one, ScoreCube) else one for one in found)
    for one in found:
        remarks = problems(one) if isinstance(one, LABELLED) else remarks_in(getattr(one, "notes", ()))
        told |= dict.fromkeys(map(_told, remarks))
    if len(found) == 2 and all(isinstance(one, Scores) for one in found):
        both = problems_of_pair(found[0], found[1], ("the estimate", "the truth"))
        told |= dict.fromkeys(_told(remark) for remark in both if remark.code not in leave_out)
    _say(told)


def _say(told: Iterable[str]) -> None:
    for text in told:
        if text not in TOLD:
            print(printable(text), file=sys.stderr)
            TOLD.add(text)


def warn(told: Iterable[str]) -> None:
    """Warnings, each once, before any number."""
    _say(f"warning: {text}" for text in told)


def judges(
    paths: Mapping[str, Path],
    truth: Path,
    reading: Reading,
    truth_measure: str | None = None,
    *,
    unmatched: str = "error",
    by_topic: bool = False,
    match: str = "exact",
) -> tuple[dict[str, Scores], Scores]:
    """The scores of several judges, each as NAME=FILE, and those of the truth; `by_topic`: over the topics that all
    have."""
    layout = _layouts(reading.format, 1)[0]

    def all_(reading: Reading) -> list[Scores]:
        gold = _scores([truth], reading, truth_measure or reading.measure, layout)
        return [*(_scores([path], reading, reading.measure, layout, gold) for path in paths.values()), gold]

    *found, gold = _holes_last(all_, reading, unmatched)
    for one in (*found, gold):
        tell(one)
    settled = ("topics-on-one-side",) if by_topic or match == "loose" else ()
    settled = (*settled, *(SPELLED if match == "loose" else ()))
    for name, one in zip(paths, found, strict=True):
        beside = problems_of_pair(one, gold, (f"judge {name!r}", "the truth"))
        _say(_told(remark) for remark in beside if remark.code not in settled)
    return dict(zip(paths, found, strict=True)), gold


def files(texts: Sequence[str] | None, option: str) -> dict[str, Path]:
    """Files by name, each as NAME=FILE."""
    return {name: Path(path) for name, path in pairs(texts, option, what="NAME=FILE", like="gpt=gpt.csv").items()}


def together(*named: Mapping[str, Path], reading: Reading, unmatched: str) -> list[dict[str, Scores]]:
    """Several sets of files by name, read together; what is called LENGTHS has no better or worse."""
    layout = _layouts(reading.format, 1)[0]
    paths = [(path, name) for own in named for name, path in own.items()]

    def all_(reading: Reading) -> list[Scores]:
        how = {True: unranked(reading), False: reading}
        return [_scores([path], how[name == LENGTHS], reading.measure, layout) for path, name in paths]

    found = _holes_last(all_, reading, unmatched)
    for one in found:
        tell(one)
    left = iter(found)
    return [{name: next(left) for name in own} for own in named]


def unranked(reading: Reading) -> Reading:
    """The same reading for numbers that are no scores, such as lengths: which are better is not said of them."""
    return replace(reading, lower_is_better=None, aggregate=None)


def pairs(
    texts: Sequence[str] | None, option: str, *, what: str = "NAME=FAMILY", like: str = "gpt=openai"
) -> dict[str, str]:
    """What is said of each name, as NAME=TEXT."""
    found: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise CallError(f"{option} {text}: write {what}, such as {like}.")
        if name in found:
            raise CallError(f"{option}: {name!r} is there twice.")
        found[name] = value
    return found


def groups(path: Path | None) -> dict[str, str] | None:
    """System -> group, or topic -> group, where a file of groups was given."""
    return None if path is None else read_groups(path)


def ranking(file: Path, reading: Reading) -> Ranking:
    """The ranking in a list of systems and scores, or by the means of scores on topics."""
    return _ranking(file, reading, _layouts(reading.format, 1)[0])


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
    """One ranking and its truth, or two opinions, as arguments of `correlate()`."""
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
        given["discount"] = discount if discount == "soft" else _level(discount)
    return Arguments(given | {"tied_within": thresholds_in(tied_within)})


def _level(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise CallError(f"--discount {text}: give a level such as 0.05, or soft.") from None


def two_rankings(
    first: Path, second: Path, reading: Reading, match: str = "exact", seen: list[Scores] | None = None
) -> tuple[Ranking, Ranking]:
    """The rankings in two files; --format A,B gives each file its own layout. `seen` gets the scores behind them."""
    layouts, both = _layouts(reading.format, 2), list[Scores]() if seen is None else seen
    with _layout_of(0, layouts):
        one = _ranking(first, reading, layouts[0], both)
    with _layout_of(1, layouts):
        two = _ranking(second, reading, layouts[1], both)
    if len(both) == 2:  # each was told of alone
        told = problems_of_pair(both[0], both[1], ("the first", "the second"))
        _say(_told(remark) for remark in told if remark.code not in SPELLED)
    loose = would_match([str(label) for label in one.labels], [str(label) for label in two.labels])
    if not loose:
        return one, two
    if match == "exact":
        alike = f"{count(len(loose), 'system')} would match if they were spelled alike"
        warn([f"{alike}: {pairs_shown(list(loose.items()))}; --match loose"])
        return one, two
    _say([f"note: {count(len(loose), 'system')} matched loosely"])
    names = [loose.get(str(label), str(label)) for label in one.labels]
    return Ranking(one.scores, names, tied_within=one.tied_within, lower_is_better=one.lower_is_better), two


def cube(files: Sequence[str], missing: str, format: str | None) -> ScoreCube:
    """Scores by several measures; NAME=FILE names the measure of a matrix."""
    found = _cube(files, missing, format)
    tell(found)
    return found


def _cube(files: Sequence[str], missing: str, format: str | None) -> ScoreCube:
    named = {
        name: path
        for name, equals, path in (text.partition("=") for text in files)
        if equals and not Path(f"{name}={path}").exists()
    }
    if named and len(named) < len(files):
        raise CallError("Name the measure of every file, AP=ap.csv P@10=p10.csv, or of none.")
    source: Any = {name: Path(path) for name, path in named.items()} if named else [Path(text) for text in files]
    try:
        return read_cube(source[0] if not named and len(files) == 1 else source, missing=missing, format=format)
    except TauscopeError as error:
        if named or "measure" not in str(error):
            raise
        raise CallError(error.problem, *error.ways_out, Advice(f"Or name them here: AP={files[0]}.")) from None


def collections(files: Sequence[Path], tables: Tables) -> dict[str, Any]:
    """One collection per file, by the file's name; an evaluation tool's output, one file per run, is one together."""
    found: dict[str, Any] = {}
    for path in files:
        found[str(path) if path.stem in found else path.stem] = scores_or_table(path, tables)
    if len(files) > 1 and all(len(set(one.systems)) == 1 for one in found.values()):
        found = {f"{len(files)} files": read_cube(list(files), missing=tables.missing, format=tables.format)}
    tell(*found.values())
    return found


def collections_with_holes(files: Sequence[Path], tables: Any) -> Arguments:
    """Collections, one per file, and what is done with their holes."""
    return Arguments(data=collections(files, tables), missing="pairwise" if tables.missing == "keep" else "error")


def scores_or_table_with_holes(file: Path, tables: Any) -> Arguments:
    """Scores on topics or a table of models by tasks, and what is done with its holes."""
    return Arguments(scores=scores_or_table(file, tables), missing="adjusted" if tables.missing == "keep" else "error")


def scores_or_table(path: Path, tables: Tables) -> Any:
    """A table of systems by measures, scores by several measures, or scores by one."""
    with _at(path):
        options: dict[str, Any] = {"collection": path.stem, "missing": tables.missing, "columns": tables.columns}
        if not path.is_dir() and tables.format is None and detect_format(path) in ("table", "turned"):
            return read_table(path, **options)
        return one_or_more(read_cube(path, format=tables.format, **options))


def anything(files: Sequence[Path], format: str | None, columns: str | None = None) -> dict[str, Any]:
    """Whatever each file holds, holes included; output of an evaluation tool, one file per run, is read together."""
    layouts = _layouts(format, len(files))
    found = {str(path): _anything(path, layout, columns) for path, layout in zip(files, layouts, strict=True)}
    if len(found) > 1 and all(len(getattr(one, "systems", ())) == 1 for one in found.values()):
        return {f"{len(files)} files": one_or_more(read_cube(list(files), missing="keep", format=format))}
    return found


def one_or_more(found: ScoreCube) -> Scores | ScoreCube:
    """A cube, or its scores where it has one measure."""
    return found[found.measures[0]] if len(found.measures) == 1 else found


def one_or_list(paths: Sequence[Path]) -> Any:
    """A folder of runs alone, or files."""
    if len(paths) == 1:
        return paths[0]
    folders = [path for path in paths if path.is_dir()]
    if folders:
        raise CallError(f"{folders[0]} is a folder: give one folder, or files.")
    return list(paths)


def names_of_qrels(paths: Sequence[Path]) -> list[str]:
    """Names that tell the qrels apart; where they are alike, the folder goes before."""
    names = [run_name(path) for path in paths]
    if len(set(names)) < len(names):
        names = [f"{path.resolve().parent.name}-{name}" for path, name in zip(paths, names, strict=True)]
    if len(set(names)) < len(names):
        raise CallError("Two of the qrels have the same name and folder; the output could not tell them apart.")
    return names


def clustered(found: Scores, clusters: Path | None) -> Scores:
    """Scores with the clusters of their topics, where a file of them was given."""
    return found if clusters is None else found.changed(clusters=read_groups(clusters))


def names_of_sides(first: Path, second: Path) -> tuple[str, str]:
    """The names of two files without their endings, or their paths where these are alike."""
    names = (run_name(first), run_name(second))
    return names if names[0] != names[1] else (str(first), str(second))


def _scores(
    files: Sequence[Path], reading: Reading, measure: str | None, layout: str | None, like: Scores | None = None
) -> Scores:
    source: Any = files[0] if len(files) == 1 else list(files)
    with _at(files[0] if len(files) == 1 else None):
        found = read_scores(
            source,
            measure=measure,
            missing=reading.missing,
            format=layout,
            columns=reading.columns,
            lower_is_better=reading.negated,
            aggregate=reading.aggregate,
            like=like,
            collection=run_name(files[0]) if len(files) == 1 else "",
        )
    return without(found, reading.without)  # type: ignore[no-any-return]


def without(found: Any, names: Sequence[str] | None) -> Any:
    """Leave systems out; names of which no system has one are an error."""
    if not names:
        return found
    if set(names).isdisjoint(found.systems):
        raise CallError(f"--without {' '.join(names)}: there is no such system.")
    return found.select(systems=[system for system in found.systems if system not in names])


def _ranking(file: Path, reading: Reading, layout: str | None, seen: list[Scores] | None = None) -> Ranking:
    with _at(file):
        if file.is_file() and layout is None and reading.measure is None and _is_matrix(file, reading.columns):
            found = _scores([file], reading, None, None)
            tell(found)
            if seen is not None:
                seen.append(found)
            require_one_scale(found, "a ranking", argument=True)
            return found.ranking()
        _tell_of_table(file, reading.columns)
        lower: dict[str, Any] = {"lower_is_better": reading.negated} if reading.negated else {}
        return read_ranking(
            file,
            measure=reading.measure,
            missing=reading.missing,
            format=layout,
            columns=reading.columns,
            aggregate=reading.aggregate,
            **lower,
        )


def _tell_of_table(file: Path, columns: str | None) -> None:
    """What is odd about a table of which only one column ranks the systems."""
    try:
        kind = detect_format(file) if file.is_file() else ""
        if kind == "table":
            tell(read_table(file, columns=columns, missing="keep"))
        elif kind == "ranking":
            titles = (note for note in remarks_in(read_table(file, missing="keep").notes) if note.code == "title")
            _say(map(_told, titles))
    except TauscopeError:
        return  # whoever reads it says what is wrong


def _is_matrix(file: Path, columns: str | None) -> bool:
    """Whether the file is a matrix of topics and systems, whose oddities are told; what is doubtful, readers say."""
    try:
        return columns is None and detect_format(file) in ("wide", "turned", "matrix")
    except TauscopeError:
        return False


def _anything(path: Path, format: str | None, columns: str | None) -> Any:
    """Scores, a cube, or a table of systems by measures (a list of systems and scores is one with one measure)."""
    try:
        return one_or_more(read_cube(path, missing="keep", format=format, columns=columns))
    except FileError as error:
        try:
            return read_table(path, columns=columns)
        except TauscopeError as second:
            is_table = path.is_file() and format is None and detect_format(path) == "table"
            return _table_of_list(path, second if is_table else error)


def _table_of_list(path: Path, error: TauscopeError) -> MeasureTable:
    import numpy as np

    try:
        found = read_ranking(path)
    except TauscopeError:
        raise error from None
    values = np.array(found.scores)[:, None]
    return MeasureTable(values, tuple(str(item) for item in found.labels), ("score",), str(path))


def _layouts(format: str | None, files: int) -> list[str | None]:
    """The layout of each file: one for all of them, or as many as there are files, AUTO being none."""
    parts: list[str | None] = [None] if format is None else [part.strip() for part in format.split(",")]
    if len(parts) not in (1, files):
        raise CallError(f"--format {format}: give one layout, or one for each of the {files} files.")
    layouts = [None if part == AUTO else part for part in parts]
    return layouts * files if len(layouts) == 1 else layouts


@contextmanager
def _at(path: Path | None) -> Iterator[None]:
    """Errors inside name the file."""
    try:
        yield
    except TauscopeError as error:
        raise error.at(str(path)) if path is not None else error from None


@contextmanager
def _layout_of(place: int, layouts: Sequence[str | None]) -> Iterator[None]:
    """A layout that an error advises is that of one file: the others keep theirs."""

    def here(way: Any) -> Any:
        if not isinstance(way, Option) or way.name != "format":
            return way
        values = [
            ",".join(str(value) if at == place else layout or AUTO for at, layout in enumerate(layouts))
            for value in way.values
        ]
        return Option(way.name, *values, effect=way.effect)

    try:
        yield
    except TauscopeError as error:
        raise type(error)(error.problem, *map(here, error.ways_out)) from None
