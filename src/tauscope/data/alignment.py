"""The one door for matrices of the same systems: checked, matched by name, in one order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core import checking
from ..errors import Advice, AlignmentError, CallError, Option, TauscopeError
from ..results import Note, Notes, count, word
from .findings import problems, problems_of_pair, spelled_differently
from .labels import MATCH, Remark, pairs_shown, would_match
from .scores import ONE_SCALE, Scores


class _Required:
    """The default of an argument that must be given by name, so that an error can say why."""

    def __repr__(self) -> str:
        return "<required>"


#: The default of `truth` where it is required: signatures show `truth=<required>`.
REQUIRED: Any = _Required()
#: What to do with labels that not all have.
UNMATCHED = ("error", "drop")
#: Which topics means are compared over: all that each side has, or those that all have.
ALL, SHARED = "all", "shared"


#: The remark that means over different topics are compared, which is part of a method.
ONE_SIDE = "topics-on-one-side"


class SameSystems(NamedTuple):
    """Matrices with the same systems in the same order.

    Attributes
    ----------
    scores : tuple of Scores
        The matrices, in the order in which they were given.
    dropped : tuple of str
        Labels that were left out.
    notes : tuple of Note or str
        What was left out of which matrix, and problems of the data.
    remarks : tuple of str
        The problems alone.
    """

    scores: tuple[Scores, ...]
    dropped: tuple[str, ...]
    notes: Notes
    remarks: tuple[str, ...] = ()


class Shared(NamedTuple):
    """Labels that several matrices share.

    Attributes
    ----------
    kept : list of str
        Those that all have, in the order of the last.
    only : list of list of str
        For each matrix, those that not all have.
    """

    kept: list[str]
    only: list[list[str]]


def require_type(scores: Any, what: str, name: str = "") -> None:
    """Raise an error if these are no `Scores`.

    Parameters
    ----------
    scores : object
        What was given.
    what : str
        The function that wants them, such as "compare()".
    name : str, default ""
        Its argument, if it has several.

    Raises
    ------
    CallError
    """
    if not isinstance(scores, Scores):
        which = f"; `{name}` is of type" if name else ", not"
        raise CallError(
            f"{what} takes Scores, topics x systems{which} {type(scores).__name__}.",
            Advice(
                "Make them with Scores(values) or Scores.read(file), or give a frame, a path, dicts or an array.", ""
            ),
        )


def require_scores(scores: Any, what: str, name: str = "", *, means: bool = True, clusters: bool = False) -> Scores:
    """Return complete `Scores`, or raise an error.

    Parameters
    ----------
    scores : object
        What was given.
    what : str
        The function that wants them.
    name : str, default ""
        Its argument, if it has several.
    means : bool, default True
        Whether it takes means over topics, so that topics on different scales are an error too.
    clusters : bool, default False
        Whether it knows what to do with topics in clusters; otherwise these are an error.

    Returns
    -------
    Scores

    Raises
    ------
    CallError
        If these are no `Scores`, or their topics come in clusters.
    TauscopeError
        If a cell is missing, or topics are on different scales.
    """
    require_type(scores, what, name)
    scores.require_complete(f"{what}, `{name}`" if name else what)
    if not clusters:
        refuse_clusters(scores, what)
    if means:
        require_one_scale(scores, f"{what}, `{name}`" if name else what)
    return scores  # type: ignore[no-any-return]


def refuse_clusters(scores: Scores, what: str) -> None:
    """Raise an error if topics come in clusters.

    Parameters
    ----------
    scores : Scores
        What was given.
    what : str
        The function, which takes topics for independent.

    Raises
    ------
    CallError
    """
    if scores.clusters is not None:
        raise CallError(
            f"{what} takes {word('topics')} for independent, and these come in "
            f"{count(len(set(scores.clusters.values())), 'cluster')}.",
            Advice(
                "Give it scores.by_cluster(), which has one row per cluster, or scores.changed(clusters=None) to take "
                "them for independent all the same.",
                "",
            ),
        )


def require_truth(truth: Any, unnamed: tuple[Any, ...], call: str) -> None:
    """Raise an error unless the truth was given by name.

    Parameters
    ----------
    truth : object
        The argument.
    unnamed : tuple
        Further arguments without a name.
    call : str
        How the truth is given: "compare(estimate, truth=…)".

    Raises
    ------
    CallError
    """
    if unnamed or truth is REQUIRED or truth is None:
        what = call.partition("(")[0]
        raise CallError(f"{what}() wants to know which scores are the truth: {call}.")


def aligned_scores(
    named: Mapping[str, Any],
    what: str,
    unmatched: str,
    *,
    topics: bool = False,
    match: str = "exact",
    subset: bool = False,
    clusters: bool = False,
    means_over: str = ALL,
) -> SameSystems:
    """The matrices with the same systems in the same order, those of the last one.

    Cells are looked at last: a hole in what is left out anyway costs nothing.

    Parameters
    ----------
    named : Mapping of str to Scores
        The matrices by what the caller calls them, the truth last.
    what : str
        The function that wants them, for errors.
    unmatched : {"error", "drop"}
        What to do with systems, and with `topics` topics, that not all of them have.
    topics : bool, default False
        Whether they must have the same topics too, in the same order.
    match : {"exact", "loose"}, default "exact"
        Whether names of systems and topics that differ by spelling only (spaces, case, leading zeros, ".0", a word that
        all begin with) are the same; they are spelled as in the last matrix then.
    subset : bool, default False
        Whether one is meant to have some of the topics only, so that this is nothing to tell.
    clusters : bool, default False
        Whether topics may come in clusters; otherwise that is an error.
    means_over : {"all", "shared"}, default "all"
        "shared" leaves out topics that not all have, whatever `unmatched` is.

    Returns
    -------
    SameSystems
        The matrices in the order in which they were given, what was dropped, and notes that say so.

    Raises
    ------
    CallError
        Where one of them is not `Scores`, or `unmatched` is unknown.
    AlignmentError
        Where labels are on one side only, or none is shared.
    """
    checking.one_of(unmatched, UNMATCHED, "unmatched")
    checking.one_of(means_over, (ALL, SHARED), "topics")
    for name, scores in named.items():
        require_type(scores, what, name)
    matrices, notes = matched(list(named.values()), list(named), match)
    kept: dict[str, list[str]] = {}
    dropped: dict[str, None] = {}
    for axis in ("topics", "systems") if topics or means_over == SHARED else ("systems",):
        labels = [getattr(scores, axis) for scores in matrices]
        _check_turned(matrices, axis)
        rule = "drop" if axis == "topics" and means_over == SHARED else unmatched
        found = shared_labels([f"`{name}`" for name in named], labels, axis[:-1], rule)
        kept[axis] = found.kept
        dropped.update(dict.fromkeys(label for only in found.only for label in only))
        told = zip(named, found.only, strict=True)
        notes += [Note("unmatched", number=len(only), one=axis[:-1], name=name) for name, only in told if only]
    same = tuple(_only(scores, kept) for scores in matrices)
    for name, scores in zip(named, same, strict=True):
        require_scores(scores, what, name, means=not topics, clusters=clusters)
    told_already = ONE_SIDE if topics or subset else ""
    odd = [*problems_beside(same, list(named)), *_spelled(matrices, list(named))]
    cautions = dict.fromkeys(str(remark) for remark in odd if remark.code != told_already)
    remarks = dict.fromkeys(str(remark) for remark in odd if remark.code != ONE_SIDE)
    return SameSystems(same, tuple(dropped), (*notes, *cautions), tuple(remarks))


def require_one_scale(scores: Scores, what: str, *, argument: bool = False) -> None:
    """Raise an error if topics surely are on different scales; scales that are only suspected are a warning elsewhere.

    Parameters
    ----------
    scores : Scores
        What was given.
    what : str
        The function, which takes means over topics.
    argument : bool, default False
        Whether it has an argument `aggregate` that brings topics to one scale.

    Raises
    ------
    TauscopeError
    """
    found = scores.scales()
    if found is not None and found.sure:
        raise TauscopeError(
            f"{what} takes means, and {found.text()}: the widest scale would decide.",
            Option(
                "aggregate",
                *ONE_SCALE,
                effect="to bring them to one scale, or to average them as they are",
                python=None
                if argument
                else f"Call .aggregated({ONE_SCALE[0]!r}) first, or with {' or '.join(map(repr, ONE_SCALE[1:]))} "
                "(the plain mean, as they are).",
            ),
        )


def matched(matrices: Sequence[Scores], names: Sequence[str], match: str) -> tuple[list[Scores], list[Note]]:
    """Spell systems and topics of several matrices as the last one does.

    Parameters
    ----------
    matrices : sequence of Scores
        The matrices, the truth last.
    names : sequence of str
        What they are called in notes.
    match : {"exact", "loose"}
        "exact" leaves all names as they are.

    Returns
    -------
    tuple of list
        The matrices, and notes on the names that were matched.
    """
    checking.one_of(match, MATCH, "match")
    gold = matrices[-1]
    if match == "exact":
        return list(matrices), []
    found, notes = [], []
    for name, scores in zip(names, matrices, strict=True):
        changed: dict[str, tuple[str, ...]] = {}
        for axis in ("topics", "systems"):
            own = getattr(scores, axis)
            other = would_match(own, getattr(gold, axis))
            if other:
                changed[axis] = tuple(other.get(label, label) for label in own)
                pair = pairs_shown(list(other.items()), 1)
                notes.append(Note("matched", number=len(other), one=axis[:-1], name=name, pair=pair))
        found.append(scores.changed(None, **changed) if changed else scores)
    return found, notes


def problems_beside(matrices: Sequence[Scores], names: Sequence[str]) -> list[Remark]:
    """Find the warnings about each of several matrices, and about each beside the last.

    Parameters
    ----------
    matrices : sequence of Scores
        The matrices, the truth last.
    names : sequence of str
        What they are called.

    Returns
    -------
    list of Remark
        Each once.
    """
    gold = f"`{names[-1]}`"
    own = [remark for scores in matrices for remark in problems(scores)]
    pairs = [
        remark
        for name, scores in zip(names[:-1], matrices, strict=False)
        for remark in problems_of_pair(scores, matrices[-1], (f"`{name}`", gold))
    ]
    return list(dict.fromkeys(remark for remark in (*own, *pairs) if remark.severity == "warning"))


def _spelled(matrices: Sequence[Scores], names: Sequence[str]) -> list[Remark]:
    """Names that differ by spelling only, before what one side lacks is left out."""
    gold = f"`{names[-1]}`"
    return [
        remark
        for name, scores in zip(names[:-1], matrices, strict=False)
        for remark in spelled_differently(scores, matrices[-1], (f"`{name}`", gold))
    ]


def _check_turned(matrices: Sequence[Scores], axis: str) -> None:
    """Where the systems of one are the topics of the other, the error says so."""
    if axis != "systems" or len(matrices) != 2:
        return
    first, second = matrices
    if set(first.systems) & set(second.systems) or not set(first.topics) & set(second.systems):
        return
    same = len(set(first.topics) & set(second.systems))
    raise AlignmentError(
        f"{same:,} of the {word('topics')} of one are the {word('systems')} of the other: one of them is turned.",
        Advice(
            'Read it with format="turned", or give Scores(scores.values.T, scores.systems, scores.topics).',
            "Use --format turned,auto or --format auto,turned.",
        ),
    )


def shared_labels(names: Sequence[str], labels: Sequence[Sequence[str]], noun: str, unmatched: str) -> Shared:
    """Find the labels that all matrices have.

    Parameters
    ----------
    names : sequence of str
        What the matrices are called in errors.
    labels : sequence of sequence of str
        The labels of each.
    noun : {"system", "topic"}
        What the labels are.
    unmatched : {"error", "drop"}
        What to do with labels that not all have.

    Returns
    -------
    Shared

    Raises
    ------
    AlignmentError
        If labels are on one side only, or none is shared. If some differ by spelling alone, a fix says so.

    Examples
    --------
    >>> shared_labels(["one", "two"], [["a", "b"], ["b", "c"]], "system", "drop")
    Shared(kept=['b'], only=[['a'], ['c']])
    """
    shared = set.intersection(*map(set, labels))
    only = [[label for label in own if label not in shared] for own in labels]
    if shared and not (any(only) and unmatched == "error"):
        return Shared([label for label in labels[-1] if label in shared], only)
    alike = [pair for own in labels[:-1] for pair in would_match(own, labels[-1]).items()]
    number = count(len({name for name, _ in alike}), noun)
    way = Option(
        "match", "loose", effect=f"to match {number} that differ by spelling only, such as {pairs_shown(alike, 1)}"
    )
    ways: list[Option | Advice] = [way] if alike else []
    if not shared:
        raise AlignmentError(
            f"{' and '.join(names)} share none of their {word(noun + 's')}.",
            *(ways or [Advice("Are the names spelled alike?")]),
        )
    told = [_alone(*one, noun, len(names) > 2) for one in zip(names, only, labels, strict=True) if one[1]]
    raise AlignmentError(
        f"{' '.join(told)}\n"
        f"{'Rankings' if noun == 'system' else 'Scores'} are compared on the same {word(noun + 's')}.",
        Option("unmatched", "drop", effect=f"to compare the {len(shared):,} they share"),
        *ways,
    )


def _alone(name: str, only: Sequence[str], labels: Sequence[str], noun: str, several: bool) -> str:
    code = "not_in_all_sides" if several else "only_on_one_side"
    return str(Note(code, only=only, labels=len(labels), one=noun, name=name))


def _only(scores: Scores, kept: Mapping[str, list[str]]) -> Scores:
    changed = {axis: labels for axis, labels in kept.items() if getattr(scores, axis) != tuple(labels)}
    return scores.select(**changed) if changed else scores
