"""The one door for matrices of the same systems: checked, matched by name, in one order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .. import checking
from ..errors import Advice, AlignmentError, CallError, Option
from ..results import count, word
from .labels import shown
from .matrix import Scores


class _Required:
    """The default of an argument that must be given by name, so that an error can say why."""

    def __repr__(self) -> str:
        return "<required>"


#: The default of `truth` where it is required: signatures show `truth=<required>`.
REQUIRED: Any = _Required()
#: What to do with labels that not all have.
ONE_SIDED = ("error", "drop")


class SameSystems(NamedTuple):
    """Matrices with the same systems in the same order; `dropped` are labels left out, `notes` say where from."""

    scores: tuple[Scores, ...]
    dropped: tuple[str, ...]
    notes: tuple[str, ...]


class Shared(NamedTuple):
    """Labels that all have, in the order of the last; `only[i]` are those of the i-th that not all have."""

    kept: list[str]
    only: list[list[str]]


def require_type(scores: Any, what: str, name: str = "") -> None:
    """An error where it is no `Scores`: `what` wants them, and calls them `name` where there are several."""
    if not isinstance(scores, Scores):
        which = f"; `{name}` is of type" if name else ", not"
        raise CallError(
            f"{what} takes Scores, topics x systems{which} {type(scores).__name__}.",
            Advice("Make them with Scores(values) or read_scores(file).", ""),
        )


def require_scores(scores: Any, what: str, name: str = "", *, clusters: bool = False) -> Scores:
    """Complete `Scores`, or an error: `what` wants them, and calls them `name` where there are several.

    Topics in clusters are an error too, unless `what` knows what to do with `clusters`.
    """
    require_type(scores, what, name)
    scores.require_complete(f"{what}, `{name}`" if name else what)
    if not clusters:
        refuse_clusters(scores, what)
    return scores  # type: ignore[no-any-return]


def refuse_clusters(scores: Scores, what: str) -> None:
    """An error where topics come in clusters: `what` takes them for independent."""
    if scores.clusters is not None:
        raise CallError(
            f"{what} takes {word('topics')} for independent, and these come in "
            f"{count(len(set(scores.clusters.values())), 'cluster')}.",
            Advice(
                "Give it by_cluster(scores), which has one row per cluster, or scores.changed(clusters=None) to take "
                "them for independent all the same.",
                "",
            ),
        )


def require_truth(truth: Any, unnamed: tuple[Any, ...], call: str) -> None:
    """The truth is given by name; `call` is how: "compare(estimate, truth=…)"."""
    if unnamed or truth is REQUIRED or truth is None:
        what = call.partition("(")[0]
        raise CallError(f"{what}() wants to know which scores are the truth: {call}.")


def aligned_scores(
    named: Mapping[str, Any], what: str, one_sided: str, *, topics: bool = False, clusters: bool = False
) -> SameSystems:
    """The matrices with the same systems in the same order, those of the last one.

    Parameters
    ----------
    named : Mapping of str to Scores
        The matrices by what the caller calls them, the truth last.
    what : str
        The function that wants them, for errors.
    one_sided : {"error", "drop"}
        What to do with systems, and with `topics` topics, that not all of them have.
    topics : bool, default False
        Whether they must have the same topics too, in the same order.
    clusters : bool, default False
        Whether topics may come in clusters; otherwise that is an error.

    Returns
    -------
    SameSystems
        The matrices in the order in which they were given, what was dropped, and notes that say so.

    Raises
    ------
    CallError
        Where one of them is not `Scores`, or `one_sided` is unknown.
    AlignmentError
        Where labels are on one side only, or none is shared.
    """
    checking.one_of(one_sided, ONE_SIDED, "one_sided")
    matrices = [require_scores(scores, what, name, clusters=clusters) for name, scores in named.items()]
    kept: dict[str, list[str]] = {}
    dropped: dict[str, None] = {}
    notes = []
    for axis in ("topics", "systems") if topics else ("systems",):
        labels = [getattr(scores, axis) for scores in matrices]
        found = shared_labels([f"`{name}`" for name in named], labels, axis[:-1], one_sided)
        kept[axis] = found.kept
        dropped.update(dict.fromkeys(label for only in found.only for label in only))
        told = zip(named, found.only, strict=True)
        notes += [f"{count(len(only), axis[:-1])} only in `{name}` dropped" for name, only in told if only]
    return SameSystems(tuple(_only(scores, kept) for scores in matrices), tuple(dropped), tuple(notes))


def shared_labels(names: Sequence[str], labels: Sequence[Sequence[str]], noun: str, one_sided: str) -> Shared:
    """The labels, "system" or "topic", that all have; where some do not, an error or, by `one_sided`, what was left
    out.

    `names` are what the owners of the `labels` are called.
    """
    shared = set.intersection(*map(set, labels))
    if not shared:
        raise AlignmentError(
            f"{' and '.join(names)} share none of their {word(noun + 's')}.", Advice("Are the names spelled alike?")
        )
    only = [[label for label in own if label not in shared] for own in labels]
    if any(only) and one_sided == "error":
        told = [_alone(*one, noun, len(names) > 2) for one in zip(names, only, labels, strict=True) if one[1]]
        raise AlignmentError(
            f"{' '.join(told)}\n"
            f"{'Rankings' if noun == 'system' else 'Scores'} are compared on the same {word(noun + 's')}.",
            Option("one_sided", "drop", effect=f"to compare the {len(shared):,} they share"),
        )
    return Shared([label for label in labels[-1] if label in shared], only)


def _alone(name: str, only: Sequence[str], labels: Sequence[str], noun: str, several: bool) -> str:
    are = "is" if len(only) == 1 else "are"
    which = f"of {name} {are} not in all" if several else f"{are} only in {name}"
    return f"{len(only):,} of {count(len(labels), noun)} {which}: {shown(only)}."


def _only(scores: Scores, kept: Mapping[str, list[str]]) -> Scores:
    changed = {axis: labels for axis, labels in kept.items() if getattr(scores, axis) != tuple(labels)}
    return scores.select(**changed) if changed else scores
