"""Apps that run for tests, and clients that do what a browser does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from tauscope.app.guard import Keys, Limits
from tauscope.app.server import listening, serve
from tauscope.app.session import Session
from tauscope.app.shelf import Folder


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
    """What a browser does."""

    http: httpx.Client
    files: dict[str, dict[str, Any]] = field(default_factory=dict)

    def drop(self, name: str, content: bytes | str) -> dict[str, Any]:
        body = content.encode() if isinstance(content, str) else content
        response = self.http.post("/api/v1/files", params={"name": name}, content=body)
        assert response.status_code == 201, response.text
        self.files[name] = response.json()
        return self.files[name]

    def read(self, id: str, **options: str) -> dict[str, Any]:
        return self.send(f"files/{id}/read", options=options)

    def send(self, path: str, status: int = 200, **data: Any) -> Any:
        response = self.http.post(f"/api/v1/{path}", json=data)
        assert response.status_code == status, response.text
        return response.json()

    def answer(self, asked: dict[str, Any], tab: str = "tab") -> dict[str, Any]:
        return self.send("answers", asked=asked, tab=tab)

    def problem(self, asked: dict[str, Any]) -> dict[str, Any]:
        return self.send("answers", 400, asked=asked, tab="tab")

    def ask(self, question: str, *, each: Any = None, options: Any = None, **roles: Any) -> dict[str, Any]:
        """A request about dropped files, by their names."""
        ids = {
            role: [self.files[name]["id"] for name in ([names] if isinstance(names, str) else names)]
            for role, names in roles.items()
        }
        return {
            "question": question,
            "files": ids,
            **({"each": each} if each else {}),
            **({"options": options} if options else {}),
        }


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
