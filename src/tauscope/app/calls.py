"""What is asked, as a call: executed by a worker, and written as the command and the Python that give the same answer."""

from __future__ import annotations

import csv
import io
import json
import pkgutil
import pprint
import shlex
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import tauscope

from ..answers.blocks import Column, Table
from ..data.scores import Scores
from ..errors import Advice, CallError, Option
from ..evaluation.demo import demo as made_up
from ..io.columns import read_groups
from ..reading import KINDS
from ..render import html, mpl
from ..render import json as render_json
from ..results import plain
from .reading import column_options
from .records import QUESTIONS, READING, Question

#: The public function that reads each kind of file.
READERS = {
    "scores": "Scores.read",
    "ranking": "Ranking.read",
    "battles": "Battles.read",
    "published": "Published.read",
    "repeats": "boards.repeats.Repeats.read",
}
#: Options that the shell calls differently.
FLAGS = {"rng": "seed", "claims": "claim"}
#: The measure by which runs are evaluated if none is chosen.
MEASURE = "AP"
#: Files that can be taken away, and their types.
TAKEN = {
    "page.html": "text/html",
    "answer.json": "application/json",
    "table.csv": "text/csv",
    "table.tex": "text/plain",
    "figure.svg": "image/svg+xml",
    "figure.pdf": "application/pdf",
    "figure.png": "image/png",
}


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file of a question: where it is, what the user calls it, its name in answers, its kind, and how it is read."""

    path: Path
    file: str
    label: str
    kind: str
    options: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Call:
    """A question with its files by role, options of the function and of reading, runs, and systems that are left out."""

    command: str
    roles: Mapping[str, tuple[Source, ...]]
    options: Mapping[str, Any]
    reading: Mapping[str, Any]
    runs: tuple[Source, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def question(self) -> Question:
        """The record of the question."""
        return QUESTIONS[self.command]

    @property
    def view(self) -> str:
        """The view that is shown; "" for the answer itself."""
        return str(self.options.get("view") or "")

    @property
    def settings(self) -> dict[str, Any]:
        """The options of the function."""
        texts: dict[str, Any] = {name: [] for name in self.question.lines}
        return texts | {name: value for name, value in self.options.items() if name != "view"}

    @property
    def data(self) -> list[tuple[str, tuple[Source, ...]]]:
        """Files with systems by role, the truth first: layouts of the others may follow from its names."""
        own = [(name, sources) for name, sources in self.roles.items() if name != "groups" and sources]
        return sorted(own, key=lambda pair: pair[0] != "truth")

    @property
    def groups(self) -> Source | None:
        """The file of groups, if the function takes one."""
        own = self.roles.get("groups", ())
        return own[0] if own and "groups" in _parameters(self.question) else None

    def reader(self, source: Source) -> tuple[str, dict[str, Any]]:
        """Return the public function that reads a file, and its options."""
        if source.kind == "judgments":
            return "evaluate", {"measures": [self.reading.get("measure", MEASURE)]}
        name = READERS[source.kind]
        own = {key: value for key, value in source.options.items() if key != "kind"}
        if name == "Scores.read":
            missing = {"missing": self.question.missing} if self.question.missing != "error" else {}
            own = {"collection": source.label, **missing, **self.reading, **own}
        named = [key for key in KINDS[source.kind].columns if key in own]
        if named:
            own = {"columns": {key: own.pop(key) for key in named}, **own}
        return name, own


def _parameters(question: Question) -> tuple[str, ...]:
    import inspect

    return tuple(inspect.signature(question.call).parameters)


def arguments(call: Call) -> tuple[dict[str, Any], list[str]]:
    """Read the files of a call: the arguments of its function, and the names of all systems."""
    found: dict[str, Any] = {}
    systems: dict[str, None] = {}
    for name, sources in call.data:
        sides = {}
        for source in sources:
            side = _read(call, source, found.get("truth"))
            systems |= dict.fromkeys(side.systems)
            sides[source.label] = left(side, call.without)
        found[name] = sides if call.question.role(name).named else next(iter(sides.values()))
    if call.groups is not None:
        found["groups"] = dict(read_groups(call.groups.path))
    return found, list(systems)


def _read(call: Call, source: Source, truth: Any) -> Any:
    name, options = call.reader(source)
    if name == "evaluate":
        if not call.runs:
            raise CallError("Judgments alone rank nothing.", Advice("Drop the runs as well."))
        runs = tuple(run.path for run in call.runs)
        return _evaluated(runs, source.path, options["measures"][0]).changed(collection=source.label)
    like = {"like": truth} if name == "Scores.read" and isinstance(truth, Scores) else {}
    return _kept(name, source.path, json.dumps(options)) if not like else _reader(name)(source.path, **options, **like)


def _reader(name: str) -> Any:
    return pkgutil.resolve_name(f"tauscope.{name}")


@lru_cache(maxsize=8)
def _kept(name: str, path: Path, options: str) -> Any:
    return _reader(name)(path, **json.loads(options))


@lru_cache(maxsize=8)
def _evaluated(runs: tuple[Path, ...], qrels: Path, measure: str) -> Scores:
    found: Scores = tauscope.evaluate(list(runs), qrels, [measure])[measure]
    return found


def left(side: Any, without: Iterable[str]) -> Any:
    """Return a board without some of its systems."""
    out = {*without} & {*side.systems}
    if not out:
        return side
    if not hasattr(side, "select"):
        raise CallError("No system can be left out of this board.", Option("without", [], effect="to rank all systems"))
    kept = [name for name in side.systems if name not in out]
    if len(kept) < 2:
        raise CallError("Fewer than two systems are left.", Option("without", [], effect="to have all systems back"))
    return side.select(systems=kept)


def result_of(call: Call) -> tuple[Any, list[str]]:
    """Call the function; return its result, or the view of it that is asked for, and the names of all systems."""
    given, systems = arguments(call)
    result = call.question.call(**given, **call.settings)
    if call.view:
        own = getattr(result, call.question.views[call.view].removesuffix("()"))
        result = own() if callable(own) else own
    return result, systems


def answer(call: Call, groups: Source | None) -> dict[str, Any]:
    """Answer a question: facts and words as one document, and the same as HTML."""
    result, systems = result_of(call)
    said = result.answer()
    named = dict(read_groups(groups.path)) if groups else {}
    return {
        "document": render_json.document(result),
        "html": html.fragment(said) + html.details(said),
        "systems": systems,
        "groups": {name: named[name] for name in systems if name in named},
    }


def take(call: Call, name: str) -> bytes:
    """Write the answer as a file to take away."""
    result, _ = result_of(call)
    if name == "page.html":
        return html.render(result.answer()).encode("utf-8", "replace")
    if name == "answer.json":
        return json.dumps(render_json.document(result), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    if name == "table.tex":
        return str(result.to_latex()).encode("utf-8", "replace")
    if name == "table.csv":
        return _csv(result.columns()).encode("utf-8", "replace")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        mpl.save(result.answer().chart().figure, path)
        return path.read_bytes()


def _csv(columns: Mapping[str, Any]) -> str:
    """Write a table; a spreadsheet must not execute what a stranger called a system."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*(plain(list(values)) for values in columns.values()), strict=True):
        writer.writerow(
            [f"'{cell}" if isinstance(cell, str) and cell[:1] in tuple("=+-@\t\r") else cell for cell in row]
        )
    return target.getvalue()


def topics(call: Call, systems: list[str]) -> str:
    """Show one system, or two, topic by topic as a table: the topics on which the files differ most come first."""
    given, _ = arguments(call)
    sides = {}
    for name, sources in call.data:
        for source in sources:
            side = given[name][source.label] if call.question.role(name).named else given[name]
            if isinstance(side, Scores) and set(systems) <= set(side.systems):
                own = side.select(systems=systems)
                sides[source.label] = dict(zip(own.topics, own.values.tolist(), strict=True))
    if not sides:
        raise CallError("These files have no scores of this system on topics.")
    rows = [(topic, [one.get(topic, [None] * len(systems)) for one in sides.values()]) for topic in _first(sides)]
    rows.sort(key=lambda row: -_spread([_gap(values) for values in row[1]]))
    columns = [Column(key="topic", title="topic", kind="name")]
    columns += [
        Column(key=f"{k}", title=f"{file}: {name}", kind="number")
        for k, (file, name) in enumerate((file, name) for file in sides for name in systems)
    ]
    body = tuple((topic, *(value for values in own for value in values)) for topic, own in rows)
    caption = " · ".join(systems)
    return html.table(Table(key="topics", title="", caption=caption, columns=tuple(columns), rows=body))


def _first(sides: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(topic for own in sides.values() for topic in own))


def _gap(values: list[float | None]) -> float:
    known = [value for value in values if value is not None and value == value]
    return known[0] - known[-1] if len(known) > 1 else sum(known)


def _spread(gaps: list[float]) -> float:
    return max(gaps) - min(gaps)


def write_sample(folder: Path) -> list[Path]:
    """Write the demo collection as files: scores by people and by a judge, and groups of systems."""
    made = made_up()
    paths = [folder / name for name in ("people.csv", "judge.csv", "families.csv")]
    for path, qrels in zip(paths, (made.qrels, made.judge_qrels), strict=False):
        tauscope.evaluate(made.runs, qrels, [MEASURE])[MEASURE].write(path, layout="wide")
    rows = "".join(f"{run},{family}\n" for run, family in made.families.items())
    paths[2].write_text(f"system,group\n{rows}", encoding="utf-8")
    return paths


def python_lines(call: Call) -> str:
    """Write the lines of Python that give the same answer."""
    lines, names = [], {}
    for role, sources in call.data:
        for place, source in enumerate(sources, start=1):
            name = role if len(sources) == 1 else f"{role}_{place}"
            names[source.label, role] = name
            lines.append(f"{name} = {_read_text(call, source, role != 'truth' and bool(call.roles.get('truth')))}")
    if call.without:
        lines.append(f"left_out = {pprint.pformat(set(call.without), compact=True, width=100)}")
        lines += [
            f"{name} = {name}.select(systems=[system for system in {name}.systems if system not in left_out])"
            for name in names.values()
        ]
    given = []
    for role, sources in call.roles.items():
        if role != "groups" and sources:
            by = ", ".join(f"{source.label!r}: {names[source.label, role]}" for source in sources)
            value = f"{{{by}}}" if call.question.role(role).named else names[sources[0].label, role]
            given.append(value if call.question.role(role).placed else f"{role}={value}")
    if call.groups is not None:
        given.append(f'groups=tauscope.read({call.groups.file!r}, kind="groups")')
    given += [f"{name}={value!r}" for name, value in call.settings.items()]
    shown = f".{call.question.views[call.view]}" if call.view else ""
    repeats = any(source.kind == "repeats" for _, sources in call.data for source in sources)
    return "\n".join(
        [
            "import tauscope.boards.repeats" if repeats else "import tauscope",
            "",
            *lines,
            f"result = tauscope.{call.question.function}({', '.join(given)}){shown}",
            "print(result)",
        ]
    )


def _read_text(call: Call, source: Source, like: bool) -> str:
    name, options = call.reader(source)
    if name == "evaluate":
        measure = options["measures"][0]
        runs = [run.file for run in call.runs]
        own = f"tauscope.evaluate({runs!r}, {source.file!r}, [{measure!r}])[{measure!r}]"
        return f"{own}.changed(collection={source.label!r})"
    given = "".join(f", {key}={value!r}" for key, value in options.items())
    return f"tauscope.{name}({source.file!r}{given}{', like=truth' * (like and name == 'Scores.read')})"


def shell_lines(call: Call) -> str:
    """Write the command that gives the same answer; "" if the shell cannot read these files in this way."""
    named: dict[str, str] = {}
    lines = []
    for _, sources in call.data:
        for source in sources:
            named[source.file] = source.file
            if source.kind == "judgments":
                named[source.file] = f"{source.label}.csv"
                measure = call.reading.get("measure", MEASURE)
                runs = [run.file for run in call.runs]
                made = ["--measures", measure, "--out", named[source.file]]
                lines.append(["tauscope", "evaluate", *runs, "--qrels", source.file, *made])
    placed = [source for role, sources in call.roles.items() for source in sources if _placed(call, role)]
    words = ["tauscope", call.command, *(named[source.file] for source in placed)]
    for role, sources in call.data:
        words += [] if _placed(call, role) else [f"--{role}", named[sources[0].file]]
    words += ["--groups", call.groups.file] if call.groups is not None else []
    reading = dict(call.reading)
    own = _columns_and_formats([*placed, *(s for role, all_ in call.data if not _placed(call, role) for s in all_)])
    if own is None:
        return ""
    for name, value in {**reading, **own, **call.options}.items():
        flag = f"--{FLAGS.get(name, name.replace('_', '-'))}"
        if isinstance(value, list):
            words += [word for text in value for word in (flag, text)]
            continue
        words += [flag, *([] if value is True else ["none" if value is None else str(value)])]
    words += ["--without", *call.without] if call.without else []
    return "\n".join(shlex.join(line) for line in [*lines, words])


def _placed(call: Call, role: str) -> bool:
    return role != "groups" and call.question.role(role).placed


def _columns_and_formats(sources: list[Source]) -> dict[str, str] | None:
    """Return --format and --columns, which the shell takes once for all files; None if it has no words for them."""
    formats = [str(source.options.get("format", "auto")) for source in sources]
    columns = {column_options(source.kind, source.options) for source in sources}
    known = {"kind", "format", *READING, *(name for s in sources for name in KINDS[s.kind].columns), "columns"}
    if len(columns) > 1 or any(set(source.options) - known for source in sources):
        return None
    found = {"columns": columns.pop()} if columns != {""} else {}
    if set(formats) == {"auto"}:
        return found
    if len(set(formats)) == 1:
        return {"format": formats[0], **found}
    return {"format": ",".join(formats), **found} if len(sources) == 2 else None
