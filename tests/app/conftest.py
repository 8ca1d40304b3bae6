"""A running app on 127.0.0.1, and a client that the address opened it for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from running import Client, Running, start, stop

from tauscope import demo as made_up


@pytest.fixture(scope="session")
def start_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Running]]:
    """Starts apps; they are stopped when the tests end, and leave nothing behind."""
    started: list[Running] = []

    def begin(**limits: int) -> Running:
        started.append(start(tmp_path_factory.mktemp("app"), **limits))
        return started[-1]

    yield begin
    for running in started:
        if running.thread.is_alive():
            stop(running)
        assert not list(running.folder.glob("session-*"))


@pytest.fixture(scope="session")
def app(start_app: Callable[..., Running]) -> Running:
    """One app for all tests that do not change what it may use."""
    return start_app()


@pytest.fixture
def client(app: Running) -> Client:
    return app.client()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small part of the demo collection: fourteen runs, both judges, groups."""
    folder = tmp_path_factory.mktemp("demo")
    collection = made_up(depth=50)
    collection.write(folder)
    kept = sorted((folder / "runs").iterdir())[::3]
    for path in (folder / "runs").iterdir():
        if path not in kept:
            path.unlink()
    groups = "".join(f"{run},{family}\n" for run, family in collection.families.items())
    (folder / "families.csv").write_text(f"run,group\n{groups}", encoding="utf-8")
    return folder
