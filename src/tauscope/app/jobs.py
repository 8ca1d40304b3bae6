"""Computations that the page waits for: one for each tab, outdated ones are stopped, progress is told as events."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import TauscopeError
from .workers import Pool, Task

#: Answers that are kept, so that going back to a state shows it at once.
KEPT = 50

Event = tuple[str, dict[str, Any]]


@dataclass(eq=False, kw_only=True)
class Job:
    """One computation: what happened so far, and who waits for it."""

    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    events: list[Event] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    tabs: set[str] = field(default_factory=set)
    task: asyncio.Task[None] | None = None
    #: The file that was made, and what it is called when it is taken away.
    file: tuple[Path, str] | None = None

    @property
    def over(self) -> bool:
        return bool(self.events) and self.events[-1][0] in ("done", "failed", "cancelled")

    @property
    def done(self) -> bool:
        return bool(self.events) and self.events[-1][0] == "done"

    def tell(self, kind: str, data: dict[str, Any]) -> None:
        """Adds an event; progress replaces progress, so that a late listener hears the last of it."""
        if kind == "progress" and self.events and self.events[-1][0] == "progress":
            self.events.pop()
        self.events.append((kind, data))
        self.changed.set()
        self.changed = asyncio.Event()

    def tell_unless_over(self, progress: dict[str, Any]) -> None:
        """Progress that comes late is none."""
        if not self.over:
            self.tell("progress", progress)

    async def follow(self) -> AsyncIterator[Event | None]:
        """What happened, then what happens; None now and then, so that a closed connection is noticed."""
        last: Event | None = None
        while True:
            changed = self.changed
            if self.events and self.events[-1] is not last:
                last = self.events[-1]
                yield last
            if self.over:
                return
            try:
                await asyncio.wait_for(changed.wait(), 10)
            except TimeoutError:
                yield None


class Jobs:
    """All computations of a session."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._by_key: OrderedDict[str, Job] = OrderedDict()
        self._by_id: dict[str, Job] = {}

    def __getitem__(self, id: str) -> Job:
        if id not in self._by_id:
            raise TauscopeError("This computation is not here any more: ask again.")
        return self._by_id[id]

    def result(self, key: str) -> dict[str, Any] | None:
        """What the job of that key found; None where there is none, or it is not done."""
        job = self._by_key.get(key)
        if job is None or not job.done:
            return None
        self._by_key.move_to_end(key)
        return job.events[-1][1]

    def start(
        self,
        key: str,
        tab: str,
        task: Task,
        *arguments: Any,
        finish: Callable[[Any, Job], dict[str, Any]],
        outdates: bool = True,
        again: bool = False,
    ) -> Job:
        """The job of that key: the one there is, or a new one; `again` where what it found is lost.

        What the tab waited for before is outdated.
        """
        job = self._by_key.get(key)
        if outdates:
            self.leave(tab, but=job)
        if job is None or (job.over and (again or not job.done)):
            job = Job()
            self._by_key[key] = self._by_id[job.id] = job
            job.task = asyncio.create_task(self._work(job, task, arguments, finish))
            self._trim()
        self._by_key.move_to_end(key)
        if outdates:
            job.tabs.add(tab)
        return job

    def leave(self, tab: str, but: Job | None = None) -> None:
        """The tab waits for nothing else: what nobody waits for is stopped."""
        for job in list(self._by_key.values()):
            if job is not but and tab in job.tabs:
                job.tabs.discard(tab)
                if not job.tabs and not job.over:
                    self.cancel(job)

    def cancel(self, job: Job) -> None:
        """Stops it, wherever it is."""
        if not job.over:
            job.tell("cancelled", {})
            if job.task is not None:
                job.task.cancel()

    async def _work(
        self, job: Job, task: Task, arguments: tuple[Any, ...], finish: Callable[[Any, Job], dict[str, Any]]
    ) -> None:
        loop = asyncio.get_running_loop()

        def told(done: int, total: int) -> None:
            loop.call_soon_threadsafe(job.tell_unless_over, {"done": done, "total": total})

        try:
            found = await self._pool.run(task, *arguments, told=told)
            if not job.over:
                job.tell("done", finish(found, job))
        except TauscopeError as error:
            if not job.over:
                job.tell("failed", {"error": error})

    def _trim(self) -> None:
        while len(self._by_key) > KEPT:
            key = next((key for key, job in self._by_key.items() if job.over), None)
            if key is None:
                return
            old = self._by_key.pop(key)
            self._by_id.pop(old.id, None)
            if old.file is not None:
                old.file[0].unlink(missing_ok=True)

    async def close(self) -> None:
        """Stops all."""
        waiting: list[Awaitable[Any]] = []
        for job in self._by_id.values():
            self.cancel(job)
            if job.task is not None:
                waiting.append(job.task)
        await asyncio.gather(*waiting, return_exceptions=True)
