"""The command and the lines of Python that repeat exactly what the page shows."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from ..coefficients.records import catalogue
from .questions import AGGREGATES
from .shelf import Shelf
from .state import State


def shell_line(state: State, files: Sequence[str]) -> str:
    """The command that prints the same answer as JSON."""
    return shlex.join(["tauscope", "serve", *files, "--print", state.to_text()])


def python_lines(state: State, shelf: Shelf, kinds: dict[str, str], runs: Sequence[str]) -> str:
    """A script that reads the same files, leaves out the same, and prints the same numbers."""
    lines = ["import tauscope", ""]
    reads = _Reads(state, shelf, kinds, [shelf[run].name for run in runs])
    if state.without_systems or state.without_groups or state.without_topics:
        lines += _left_out(state, shelf)
    lines += _BY_QUESTION[state.question](state, reads)
    return "\n".join(lines) + "\n"


class _Reads:
    """How each file is read, as an expression."""

    def __init__(self, state: State, shelf: Shelf, kinds: dict[str, str], runs: list[str]) -> None:
        self._state, self._shelf, self._kinds, self._runs = state, shelf, kinds, runs

    def kind(self, id: str) -> str:
        return self._kinds.get(id, "scores")

    def name(self, id: str) -> str:
        return self._shelf[id].name

    def __call__(self, id: str) -> str:
        """The scores, the board or the list in a file, without what is left out."""
        state, name = self._state, repr(self._shelf[id].name)
        options = "".join(
            f", {option}={value!r}" for option, value in state.reading.get(id, {}).items() if option != "kind"
        )
        kind = self.kind(id)
        if kind == "judgments":
            wanted = state.measure or "AP"
            read = f"tauscope.evaluate({self._runs!r}, {name}, [{wanted!r}], names={state.names!r})[{wanted!r}]"
        elif kind == "scores":
            which = f"[{state.measure!r}]" if state.measure else None
            read = f"tauscope.read_cube({name}{options})"
            read = f"{read}{which}" if which else f"first_measure({read})"
        else:
            reader = {"battles": "read_battles", "published": "read_published", "list": "read_ranking"}[kind]
            return self._less(f"tauscope.{reader}({name}{options})", kind)
        own = state.question != "board" or state.aggregate == "mean"  # what a board is ranked by is its rule
        scale = f".aggregated({state.aggregate!r})" if state.aggregate and own else ""
        return self._less(read, "scores") + scale

    def _less(self, read: str, kind: str) -> str:
        state = self._state
        out = state.without_systems or state.without_groups or (state.without_topics and kind == "scores")
        return f"without({read})" if out and kind in ("scores", "battles", "list") else read

    @property
    def needs_first(self) -> bool:
        return not self._state.measure and any(self.kind(id) == "scores" for id in self._state.files())


def _left_out(state: State, shelf: Shelf) -> list[str]:
    lines = [f"systems_out = {set(state.without_systems) or 'set()'!r}".replace("'set()'", "set()")]
    if state.without_groups and state.groups:
        lines += [
            "from tauscope.files import read_groups",
            f"groups = read_groups({shelf[state.groups].name!r})",
            f"systems_out |= {{name for name, group in groups.items() if group in {set(state.without_groups)!r}}}",
        ]
    return [
        *lines,
        f"topics_out = {set(state.without_topics) or 'set()'!r}".replace("'set()'", "set()"),
        "",
        "def without(side):",
        "    if isinstance(side, tauscope.Ranking):",
        "        return tauscope.Ranking({name: side[name] for name in side.labels if name not in systems_out})",
        "    kept = {'systems': [name for name in side.systems if name not in systems_out]}",
        "    if isinstance(side, tauscope.Scores):",
        "        kept['topics'] = [topic for topic in side.topics if topic not in topics_out]",
        "    return side.select(**kept)",
        "",
    ]


_FIRST = ["def first_measure(cube):", "    return cube[cube.measures[0]]", ""]


def _point_options(state: State) -> str:
    options = f"coefficients=[{state.coefficient!r}], one_sided={state.one_sided!r}"
    if catalogue[state.coefficient].takes_tolerance:
        options += f", tied_within={state.tied_within!r}"
    return options + (f", top_k={state.top_k!r}" if state.top_k is not None else "")


def _sure_options(state: State) -> str:
    return (
        f"coefficient={state.coefficient!r}, level={state.level!r}, one_sided={state.one_sided!r}, rng={state.seed!r}"
    )


def _judge(state: State, reads: _Reads) -> list[str]:
    lines = [
        *(_FIRST if reads.needs_first else []),
        f"truth = {reads(state.truth)}",
        f"estimate = {reads(state.sources[0])}",
    ]
    if state.match == "loose":
        lines += [
            "from tauscope.scores.alignment import matched",
            "(estimate, truth), notes = matched([estimate, truth], ['estimate', 'truth'], 'loose')",
        ]
    sides = ["side if isinstance(side, tauscope.Ranking) else side.ranking()"]
    lines += [
        f"rankings = [{sides[0]} for side in (estimate, truth)]",
        f"point = tauscope.correlate(rankings[0], truth=rankings[1], {_point_options(state)}).results[0]",
        "print(point)",
    ]
    if "list" in (reads.kind(state.truth), reads.kind(state.sources[0])):
        return lines
    return [
        *lines,
        f"sure = tauscope.compare(estimate, truth=truth, {_sure_options(state)})",
        "print(sure)",
        f"print(tauscope.significance(estimate, truth=truth, alpha={1 - state.level!r}, "
        f"one_sided={state.one_sided!r}, rng={state.seed!r}))",
    ]


def _judges(state: State, reads: _Reads) -> list[str]:
    judges = ", ".join(f"{reads.name(id)!r}: {reads(id)}" for id in state.sources)
    return [
        *(_FIRST if reads.needs_first else []),
        f"truth = {reads(state.truth)}",
        f"judges = {{{judges}}}",
        *_matched_judges(state),
        "points = {name: tauscope.correlate(scores.ranking(), truth=truth.ranking(), "
        f"{_point_options(state)}).results[0] for name, scores in judges.items()}}",
        f"sure = tauscope.compare(judges, truth=truth, {_sure_options(state)})",
        "print(sure)",
    ]


def _matched_judges(state: State) -> list[str]:
    if state.match != "loose":
        return []
    return [
        "from tauscope.scores.alignment import matched",
        "(*found, truth), notes = matched([*judges.values(), truth], [*judges, 'truth'], 'loose')",
        "judges = dict(zip(judges, found))",
    ]


def _board(state: State, reads: _Reads) -> list[str]:
    id = state.sources[0]
    lines = [*(_FIRST if reads.needs_first else []), f"board = {reads(id)}"]
    sure = f"level={state.level!r}, rng={state.seed!r}"
    if reads.kind(id) == "battles":
        fit = f"ties={state.ties!r}, prior={state.prior!r}, incomparable={state.incomparable!r}"
        lines.append(f"board = tauscope.bradley_terry(board, {fit})")
    if reads.kind(id) in ("battles", "published"):
        return [*lines, f"sure = tauscope.rank(board, {sure})", "print(sure)"]
    how = AGGREGATES.get(state.rule)
    if how is None:
        return [*lines, f"sure = tauscope.rank(board, {state.rule!r}, {sure})", "print(sure)"]
    return [
        *lines,
        *([f"board = board.aggregated({how!r})"] if how != "mean" else []),
        f"sure = tauscope.rank(board, {sure})",
        "print(sure)",
    ]


def _set(state: State, reads: _Reads) -> list[str]:
    sure = f"level={state.level!r}, rng={state.seed!r}"
    return [
        *_board(state.without(rule="mean"), reads),
        f"expected = tauscope.expected_correlation(board, 'tau', {sure})",
        "print(expected)",
    ]


_BY_QUESTION: dict[str, Callable[[State, _Reads], list[str]]] = {
    "judge": _judge,
    "judges": _judges,
    "board": _board,
    "set": _set,
}
