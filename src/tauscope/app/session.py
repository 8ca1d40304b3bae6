"""One running app: its files, its workers, and what it answers."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import Advice, CallError, TauscopeError
from ..results import plain
from . import calls
from .calls import Call, Source
from .fixes import as_buttons
from .guard import Limits
from .records import QUESTIONS, READING, checked_options, options
from .shelf import Folder, Shelf
from .workers import Pool, Stopped

#: Answers that are kept, so that going back shows one at once.
KEPT = 40
#: Names in a list of a request; more are a mistake.
MOST_NAMES = 20_000
#: The advice if an error has no fix.
CHANGE = Advice("Change an option, or ask another question.")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the page asks: the question, ids of files by role, options of function, reading and single files."""

    question: str
    files: dict[str, list[str]]
    options: dict[str, Any]
    reading: dict[str, Any]
    each: dict[str, dict[str, str]]
    without: list[str]

    @classmethod
    def of(cls, given: Any) -> Asked:
        """Check the shape of a request; functions and readers check the values."""
        known = {"question": str, "files": dict, "options": dict, "reading": dict, "each": dict, "without": list}
        if not isinstance(given, dict) or set(given) - set(known):
            raise CallError(f"A request has {', '.join(known)}.")
        found = {name: given.get(name, kind()) for name, kind in known.items()}
        lists = [*found["files"].values(), found["without"]] if isinstance(found["files"], dict) else [None]
        fine = all(isinstance(found[name], kind) for name, kind in known.items()) and all(map(_names, lists))
        if not fine or not all(map(_texts, found["each"].values())) or not _plain(found["reading"]):
            raise CallError("A part of this request has the wrong type.")
        if found["question"] not in QUESTIONS:
            raise CallError(f"There is no question {found['question'][:80]!r}.")
        return cls(**found)


def _names(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MOST_NAMES and all(isinstance(one, str) for one in value)


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for pair in value.items() for text in pair)


def _plain(value: dict[str, Any]) -> bool:
    return set(value) <= set(READING) and all(isinstance(one, (str, bool)) for one in value.values())


class Session:
    """What the routes of the app call. `close()` stops workers and removes files."""

    def __init__(self, *, limits: Limits, files: Iterable[Path] = (), folder: Folder | None = None) -> None:
        self.limits = limits
        self.folder = folder or Folder()
        self.pool = Pool(limits)
        self.shelf = Shelf(folder=self.folder, pool=self.pool, limits=limits)
        self._answers: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._asking: dict[str, asyncio.Task[Any]] = {}
        #: The server that runs it, so that it can be asked to stop.
        self.server: Any = None
        for path in files:
            self.shelf.name_file(path)

    async def close(self) -> None:
        """Stop everything that works, and remove everything that was dropped."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        self.pool.close()
        self.folder.close()

    async def overview(self) -> dict[str, Any]:
        """Return files, and the questions with their options."""
        return {
            "version": __version__,
            "files": [await self.described(id, {}) for id in self.shelf.files],
            "questions": [question.to_dict() for question in QUESTIONS.values()],
            "reading": [option for name, option in options("Scores.read").items() if name in READING],
        }

    async def described(self, id: str, given: dict[str, str]) -> dict[str, Any]:
        """Return what the page shows of a file, read with these options."""
        return self.shelf.described(self.shelf[id], await self.shelf.read(id, given))

    async def sample(self) -> list[dict[str, Any]]:
        """Add the files of the demo collection."""
        paths = await self.pool.run(calls.write_sample, self.folder.new("sample").parent)
        files = [self.shelf.name_file(path) for path in paths]
        return [await self.described(file.id, {}) for file in files]

    async def call(self, asked: Asked) -> Call:
        """Make a call of what is asked, or say what is missing."""
        question = QUESTIONS[asked.question]
        unknown = set(asked.files) - {role.name for role in question.roles}
        if unknown:
            raise CallError(f"This question has no files called {sorted(unknown)[0][:80]!r}.")
        labels = self.shelf.labels()
        roles = {}
        for role in question.roles:
            sources = [await self._source(id, asked, labels) for id in asked.files.get(role.name, [])]
            if not role.least <= len(sources) <= role.most:
                raise CallError(
                    f"This question takes {role.least} or more files as {role.name}."
                    if role.most > 1
                    else f"This question takes one file as {role.name}.",
                    Advice("Choose the files above, or drop more."),
                )
            wrong = [source for source in sources if source.kind not in role.kinds]
            if wrong:
                raise CallError(
                    f"{wrong[0].file} cannot be used as {role.name}.",
                    Advice("Choose another file, or another question."),
                )
            roles[role.name] = tuple(sources)
        runs = [id for id in self.shelf.files if (await self._read(id, asked)).kind == "runs"]
        judged = any(source.kind == "judgments" for sources in roles.values() for source in sources)
        return Call(
            command=asked.question,
            roles=roles,
            options=checked_options(question, asked.options),
            reading=asked.reading,
            runs=tuple([await self._source(id, asked, labels) for id in runs]) if judged else (),
            without=tuple(asked.without),
        )

    async def _read(self, id: str, asked: Asked) -> Any:
        return await self.shelf.read(id, asked.each.get(id, {}))

    async def _source(self, id: str, asked: Asked, labels: dict[str, str]) -> Source:
        file, understood = self.shelf[id], await self._read(id, asked)
        if understood.said["problem"]:
            raise CallError(f"{file.name} could not be read.", Advice("It stands among the files, with its fixes."))
        return Source(
            path=file.path, file=file.name, label=labels[id], kind=understood.kind, options=understood.said["options"]
        )

    async def answer(self, asked: Asked, tab: str) -> dict[str, Any]:
        """Answer a question; what the same tab asked before is outdated, and is stopped."""
        call = await self.call(asked)
        key = repr(call)
        if key not in self._answers:
            groups = call.roles.get("groups", ())
            made = await self._alone(tab, calls.answer, call, groups[0] if groups else None)
            self._answers[key] = made | {"shell": calls.shell_lines(call), "python": calls.python_lines(call)}
            while len(self._answers) > KEPT:
                self._answers.popitem(last=False)
        self._answers.move_to_end(key)
        return self._answers[key]

    async def _alone(self, tab: str, *work: Any) -> Any:
        before = self._asking.pop(tab, None)
        if before is not None:
            before.cancel()
        own = self._asking[tab] = asyncio.create_task(self.pool.run(*work))
        try:
            return await own
        except asyncio.CancelledError:
            raise Stopped("Another question was asked before this one was answered.") from None
        finally:
            if self._asking.get(tab) is own:
                del self._asking[tab]

    async def topics(self, asked: Asked, systems: list[str]) -> dict[str, Any]:
        """Show one system, or two, topic by topic."""
        if not _names(systems) or not 1 <= len(systems) <= 2:
            raise CallError("systems is a list of one or two names.")
        return {"html": await self.pool.run(calls.topics, await self.call(asked), systems)}

    async def take(self, asked: Asked, name: str) -> bytes:
        """Write the answer as a file to take away."""
        if name not in calls.TAKEN:
            raise CallError(f"The answer can be taken away as {', '.join(calls.TAKEN)}.")
        made: bytes = await self.pool.run(calls.take, await self.call(asked), name)
        return self.shelf.public(made.decode()).encode() if name in ("page.html", "answer.json") else made

    def reply(self, data: Any) -> bytes:
        """Write JSON without a path of this machine."""
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, default=plain)
        return self.shelf.public(text).encode("utf-8", "replace")

    def problem(self, error: TauscopeError, question: str = "") -> dict[str, Any]:
        """Return an error with its fixes as buttons."""
        own = options(QUESTIONS[question].function) if question in QUESTIONS else {}
        found = as_buttons(error, known=(*own, *READING, "without"), otherwise=CHANGE)
        if question not in QUESTIONS or QUESTIONS[question].missing != "keep":  # its function takes no missing cells
            keeps = ("missing", "keep")
            found["fixes"] = [fix for fix in found["fixes"] if (fix.get("option"), fix.get("value")) != keeps]
        return found
