"""One running app: its files, its workers, and what it answers."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from .. import __version__
from ..boards.rules import board_rules
from ..coefficients.records import catalogue
from ..errors import TauscopeError
from ..page.vega import Bundle
from ..results import plain
from .buttons import as_buttons
from .drill import documents_of_topic, pair_by_topics
from .folder import Folder
from .jobs import Job, Jobs
from .kept import Kept
from .limits import Limits
from .material import Material
from .questions import Question, Sure
from .repeat import python_lines, shell_line
from .screens import Shown, asked_tile
from .shelf import Shelf
from .state import State
from .tasks import draw_figures, final_screen, find_intervals, find_points, find_table, make_page, waiting_screen
from .workers import Pool

#: Options of errors that are entries of a state: the page makes buttons of them.
STATE_OPTIONS = (
    "coefficient",
    "tied_within",
    "one_sided",
    "match",
    "rule",
    "names",
    "measure",
    "prior",
    "incomparable",
    "ties",
    "without_systems",
    "without_topics",
    "without_groups",
    "aggregate",
    "top_k",
    "question",
)
#: Options of errors that are said of files: the page reads those files of the question again that have holes.
READING_OPTIONS = ("missing",)
#: What is said where an error knows no way out.
CHANGE = "Change what was chosen, or ask another question."


class Session:
    """What the routes of the app call. `close()` stops workers and removes files."""

    def __init__(self, *, limits: Limits, files: Iterable[Path] = (), folder: Folder | None = None) -> None:
        self.limits = limits
        self.folder = folder or Folder()
        self.pool = Pool(limits)
        self.shelf = Shelf(folder=self.folder, pool=self.pool, limits=limits)
        self.material = Material(shelf=self.shelf)
        self.jobs = Jobs(self.pool)
        self.vega = Bundle()
        #: What is kept of answers, by their keys, up to so many bytes.
        self._long: Kept[dict[str, Any]] = Kept(4 << 20)
        self._sure: Kept[Sure] = Kept(12 << 20)
        self._screens: Kept[Shown] = Kept(3 << 20)
        #: The server that runs it, so that it can be asked to stop.
        self.server: Any = None
        for path in files:
            self.shelf.name_file(path)

    async def close(self) -> None:
        """Stops everything that works, and removes everything that was dropped."""
        await self.jobs.close()
        self.pool.close()
        self.vega.close()
        self.folder.close()

    async def overview(self) -> dict[str, Any]:
        """Files, limits, and everything that can be chosen whatever the files are."""
        return {
            "version": __version__,
            "limits": self.limits.to_dict(),
            "files": await asyncio.gather(*(self.described(id, {}) for id in self.shelf.files)),
            "coefficients": [
                {
                    "name": c.name,
                    "symbol": c.symbol,
                    "title": c.title,
                    "question": c.question,
                    "takes_tolerance": c.takes_tolerance,
                    "ordinal": c.ordinal,
                }
                for c in catalogue
            ],
            "rules": [{"name": rule.name, "title": rule.title, "formula": rule.formula} for rule in board_rules],
            "state": State().to_json(),
        }

    async def described(self, id: str, options: dict[str, str]) -> dict[str, Any]:
        """What the page shows of a file."""
        return self.shelf.described(self.shelf[id], await self.shelf.read(id, options))

    async def answer(self, state: State, tab: str, *, intervals: bool, seen: str = "") -> dict[str, Any]:
        """Point values now; where intervals are asked for, the job that finds them.

        `seen` is the screen that the page shows already, which is not sent again.
        """
        question = await self.material.question(state)
        points = await self._points(question)
        key = self._key(state)
        found: dict[str, Any] = {
            "text": state.to_text(),
            "points": points,
            "tile": asked_tile(points, state),
            "intervals": self.jobs.result(key),
            "job": None,
        }
        if found["intervals"] is not None and key in self._sure:
            # Neither margin nor tolerance move an interval: this is another screen of the same numbers.
            self.jobs.leave(tab)
            screen = await self._screen(f"{key} {state.margin}", final_screen, question, self._sure.get(key))
            return found | {"intervals": found["intervals"]["intervals"], "screen": screen.told(seen)}
        found["intervals"] = None
        if intervals:
            job = self.jobs.start(key, tab, find_intervals, question, finish=partial(self._found, key), again=True)
            found["job"] = job.id
        screen = await self._screen(f"points {key} {state.margin}", waiting_screen, question, points)
        return found | {"screen": screen.told(seen)}

    def _found(self, key: str, made: Sure, job: Job) -> dict[str, Any]:
        self._sure.put(key, made, len(made.made_of))
        return {"intervals": made.numbers}

    async def _screen(self, key: str, make: Callable[[Question, Any], Shown], question: Question, of: Any) -> Shown:
        """A screen as a fragment; each is kept for a while, since most changes leave it as it is."""
        if key not in self._screens:
            made = await asyncio.to_thread(make, question, of)
            self._screens.put(key, made, len(made.html))
        return self._screens.get(key)

    async def _points(self, question: Question) -> dict[str, Any]:
        """At once, in this process; where that takes long, by a worker, and kept."""
        if not question.LONG:
            return await asyncio.to_thread(find_points, question, progress=lambda done, total: None)
        key = self._key(question.state)
        if key not in self._long:
            made = await self.pool.run(find_points, question)
            self._long.put(key, made, 200 * len(made["rows"]))
        return self._long.get(key)

    def _key(self, state: State) -> str:
        """Intervals do not depend on everything."""
        rest = (
            state.without(margin=None, tied_within=0.0, top_k=None) if state.question in ("judge", "judges") else state
        )
        return f"{rest.to_text()} {','.join(self.shelf.files)}"

    async def repeated(self, state: State) -> dict[str, str]:
        """The command and the script that give the same answer."""
        await self.material.question(state)  # what cannot be asked cannot be repeated
        runs = await self.material.runs(state)
        kinds = {id: (await self.shelf.read(id, state.reading.get(id, {}))).kind for id in state.files()}
        judged = "judgments" in kinds.values()
        ids = list(dict.fromkeys([*state.files(), *(runs if judged else [])]))
        names = [self.shelf[id].name for id in ids]
        return {"shell": shell_line(state, names), "python": python_lines(state, self.shelf, kinds, runs)}

    async def pair(self, state: State, first: str, second: str) -> dict[str, Any]:
        """Two systems topic by topic."""
        question = await self.material.question(state)
        found = pair_by_topics(question, first, second)
        return found | {"documents": await self._judged(state)}

    async def _judged(self, state: State) -> bool:
        """Whether both sides are judgments of runs, so that documents can be looked at."""
        ids = (*state.sources[:1], state.truth) if state.truth else ()
        kinds = [(await self.shelf.read(id, state.reading.get(id, {}))).kind for id in ids]
        return kinds == ["judgments", "judgments"]

    async def topic(self, state: State, topic: str, systems: list[str]) -> dict[str, Any]:
        """The documents of a topic, with the grades of both judges."""
        if not await self._judged(state):
            raise TauscopeError("Documents are looked at where runs and the judgments of both sides are here.")
        options = {"names": state.names}
        found = {}
        for id in await self.material.runs(state):
            name = (await self.shelf.read(id, {**state.reading.get(id, {}), **options})).found
            found[name] = self.shelf[id].path
        lacking = [system for system in systems if system not in found]
        if lacking:
            raise TauscopeError(f"There is no run {lacking[0]!r}.")
        judges = self.shelf[state.sources[0]].path, self.shelf[state.truth].path
        runs = {system: found[system] for system in systems}
        return await self.pool.run(documents_of_topic, runs, judges, topic, state.measure or "AP")  # type: ignore[no-any-return]

    async def take(self, state: State, kind: str, tab: str) -> Job:
        """Starts making a file to take away: the report page, or the figures."""
        question = await self.material.question(state)
        command = (await self.repeated(state))["shell"]
        name = {"report": "report.html", "figures": "figures.zip"}[kind]
        target = self.folder.new(name)
        task, arguments = (
            (make_page, (question, command, target)) if kind == "report" else (draw_figures, (question, target))
        )

        def finish(made: Path, job: Job) -> dict[str, Any]:
            job.file = made, name
            return {"file": f"/api/v1/jobs/{job.id}/file", "name": name}

        return self.jobs.start(f"{kind} {state.to_text()}", tab, task, *arguments, finish=finish, outdates=False)

    async def table(self, state: State) -> str:
        """The table behind the answer as CSV; a spreadsheet must not run what a stranger called a system."""
        question = await self.material.question(state)
        columns = await self.pool.run(find_table, question)
        target = io.StringIO()
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_safe(cell) for cell in row] for row in zip(*columns.values(), strict=True))
        return target.getvalue()

    async def whole(self, state: State) -> dict[str, Any]:
        """Point values and intervals at once, for programs."""
        question = await self.material.question(state)
        points = await self._points(question)
        sure = await self.pool.run(find_intervals, question)
        return {"tauscope": __version__, "state": state.to_json(), "points": points, "intervals": sure.numbers}

    def reply(self, data: Any) -> bytes:
        """JSON without a path of this machine."""
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, default=plain)
        return self.shelf.public(text).encode("utf-8", "replace")

    def problem(self, error: TauscopeError) -> dict[str, Any]:
        """An error with its ways out as buttons."""
        return as_buttons(error, known=(*STATE_OPTIONS, *READING_OPTIONS), otherwise=CHANGE)


def _safe(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
