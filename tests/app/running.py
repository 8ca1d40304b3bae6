"""Apps that run for tests, and clients that do what a browser does."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import numpy as np

from tauscope.app.folder import Folder
from tauscope.app.guard import Keys
from tauscope.app.limits import Limits
from tauscope.app.server import HERE, listening, serve
from tauscope.app.session import Session

SCHEMA = json.loads((HERE / "schema.json").read_text(encoding="utf-8"))


@dataclass
class Running:
    """An app in a thread of its own."""

    session: Session
    keys: Keys
    thread: threading.Thread
    folder: Path
    clients: list[httpx.Client] = field(default_factory=list)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.keys.port}"

    def client(self, *, opened: bool = True, **headers: str) -> Client:
        made = httpx.Client(base_url=self.base, headers={"origin": self.base, **headers}, timeout=60)
        self.clients.append(made)
        if opened:
            assert made.get("/", params={"token": self.keys.token}).status_code == 200
        return Client(made)


@dataclass
class Client:
    """What a browser does, with every answer held against the written schema."""

    http: httpx.Client
    files: dict[str, dict[str, Any]] = field(default_factory=dict)

    def checked(self, response: httpx.Response, name: str, status: int = 200) -> Any:
        assert response.status_code == status, response.text
        valid(response.json(), name)
        return response.json()

    def drop(self, name: str, content: bytes | str) -> dict[str, Any]:
        body = content.encode() if isinstance(content, str) else content
        found = self.checked(self.http.post("/api/v1/files", params={"name": name}, content=body), "File", 201)
        self.files[name] = found
        return found

    def read(self, id: str, **options: str) -> dict[str, Any]:
        return self.checked(self.http.post(f"/api/v1/files/{id}/read", json={"options": options}), "File")

    def send(self, path: str, name: str, status: int = 200, **data: Any) -> Any:
        return self.checked(self.http.post(f"/api/v1/{path}", json=data), name, status)

    def answer(self, state: dict[str, Any], *, intervals: bool = False, tab: str = "tab") -> dict[str, Any]:
        return self.send("answers", "Answer", state=state, intervals=intervals, tab=tab)

    def events(self, job: str) -> list[tuple[str, Any]]:
        found, kind = [], ""
        with self.http.stream("GET", f"/api/v1/jobs/{job}/events") as response:
            for line in response.iter_lines():
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    found.append((kind, json.loads(line.removeprefix("data: "))))
        return found

    def sure(self, state: dict[str, Any]) -> dict[str, Any]:
        """The answer with its intervals."""
        first = self.answer(state, intervals=True)
        if first["job"] is not None:
            kind, data = self.events(first["job"])[-1]
            assert kind == "done", data
            valid(data, "Found")
        return self.answer(state)


def valid(data: Any, name: str) -> None:
    """Holds an answer against its part of the schema."""
    valid_as(data, {"$ref": f"#/components/schemas/{name}"})


def valid_as(data: Any, shape: dict[str, Any]) -> None:
    """Holds a body or an answer against what is written of it."""
    jsonschema.validate(data, {**SCHEMA, **shape}, cls=jsonschema.Draft202012Validator)


def start(folder: Path, **limits: int) -> Running:
    place = listening(0)
    keys = Keys(port=place.getsockname()[1])
    session = Session(limits=Limits(**limits), folder=Folder(folder))
    ready = threading.Event()
    thread = threading.Thread(target=serve, args=(session, keys, place), kwargs={"started": ready.set}, daemon=True)
    thread.start()
    assert ready.wait(30)
    return Running(session, keys, thread, folder)


def stop(running: Running) -> None:
    for client in running.clients:
        client.close()
    running.session.server.should_exit = True
    running.thread.join(20)
    assert not running.thread.is_alive()


def matrix(seed: int, systems: int = 12, topics: int = 15, noise: float = 0.1) -> str:
    """Scores as a CSV file, one row per topic."""
    strengths = np.linspace(0.2, 0.7, systems)
    values = np.clip(strengths + np.random.default_rng(seed).normal(0, noise, (topics, systems)), 0, 1)
    rows = [f"t{i}," + ",".join(f"{value:.4f}" for value in row) for i, row in enumerate(values, start=1)]
    return "topic," + ",".join(f"sys{i}" for i in range(systems)) + "\n" + "\n".join(rows) + "\n"


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
