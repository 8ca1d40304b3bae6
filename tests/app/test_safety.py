"""Who may talk to the app, how much it takes, and what it leaves behind."""

from __future__ import annotations

import gzip
import io
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from running import Client, Running, matrix, wait_for

from tauscope.app.guard import HEADERS, Keys, Limits
from tauscope.app.session import Session
from tauscope.app.shelf import Folder
from tauscope.app.workers import Pool, Stopped

ASKED: dict[str, Any] = {"asked": {}, "tab": ""}


@pytest.fixture(scope="module")
def small(start_app: Callable[..., Running]) -> Running:
    """An app that takes a megabyte."""
    return start_app(upload_bytes=1 << 20)


def test_without_the_token_there_is_nothing(app: Running) -> None:
    stranger = app.client(opened=False).http
    for path in ("/", "/?token=", "/?token=wrong", "/static/app.js", "/api/v1/session"):
        assert stranger.get(path).status_code == 403, path
    assert stranger.post("/api/v1/answers", json=ASKED).status_code == 403
    assert stranger.post("/api/v1/files?name=a.csv", content=b"x" * 100).status_code == 403
    stranger.cookies.set(app.keys.cookie, "wrong")
    assert stranger.get("/api/v1/session").status_code == 403
    assert stranger.get(f"/api/v1/session?token={app.keys.token}").status_code == 403


def test_the_cookie_cannot_be_read_or_sent_from_elsewhere(app: Running) -> None:
    opened = app.client(opened=False).http.get("/", params={"token": app.keys.token})
    assert opened.headers["set-cookie"].endswith("; Path=/; HttpOnly; SameSite=Strict")
    assert app.keys.token not in opened.text + opened.headers["set-cookie"]


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1.evil.example", "0.0.0.0:{port}", "localhost:1", ""]
)
def test_a_foreign_host_is_refused(app: Running, host: str) -> None:
    response = app.client().http.get("/api/v1/session", headers={"host": host.format(port=app.keys.port)})
    assert response.status_code in (400, 421)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1",
        "https://127.0.0.1:{port}",
        "http://localhost.evil.example:{port}",
    ],
)
def test_a_foreign_origin_is_refused(app: Running, origin: str) -> None:
    client = app.client().http
    headers = {"origin": origin.format(port=app.keys.port)}
    assert client.post("/api/v1/answers", json=ASKED, headers=headers).status_code == 403
    assert client.get("/api/v1/session", headers=headers).status_code == 403


def test_a_change_must_say_where_it_comes_from(app: Running) -> None:
    client = app.client().http
    del client.headers["origin"]
    assert client.get("/api/v1/session").status_code == 200
    assert client.post("/api/v1/answers", json=ASKED).status_code == 403
    assert client.delete("/api/v1/files/x").status_code == 403
    for site in ("cross-site", "same-site"):
        assert client.get("/static/app.js", headers={"sec-fetch-site": site}).status_code == 403


def test_a_form_of_another_kind_is_refused(app: Running) -> None:
    response = app.client().http.post(
        "/api/v1/answers", content=b'{"asked": {}}', headers={"content-type": "text/plain"}
    )
    assert (response.status_code, response.json()["problem"]) == (400, "Send application/json.")


def test_every_answer_has_the_strict_headers(app: Running) -> None:
    client = app.client()
    for response in (
        client.http.get("/static/api.js"),
        client.http.get("/nothing"),
        app.client(opened=False).http.get("/"),
        client.http.get("/api/v1/session"),
    ):
        assert {name: response.headers.get(name) for name in HEADERS} == HEADERS
        assert "server" not in response.headers
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_only_this_machine_is_listened_to(app: Running) -> None:
    with socket.create_connection(("127.0.0.1", app.keys.port), 5):
        pass
    others = {own[4][0] for own in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for other in others:
        with pytest.raises(OSError):
            socket.create_connection((other, app.keys.port), 1).close()


@pytest.mark.parametrize(
    "path",
    [
        "/static/..%2fguard.py",
        "/static/%2e%2e/guard.py",
        "/static/../guard.py",
        "/static//etc/passwd",
        "/static/app.html",
        "/../../etc/passwd",
    ],
)
def test_nothing_else_is_served(app: Running, path: str) -> None:
    client = app.client()
    request = httpx.Request(
        "GET",
        app.base + "/",
        headers={"cookie": f"{app.keys.cookie}={app.keys.secret}", "host": f"127.0.0.1:{app.keys.port}"},
    )
    request.url = request.url.copy_with(raw_path=path.encode())
    assert client.http.send(request).status_code == 404


def test_uploads_are_counted(small: Running) -> None:
    client = small.client()

    def chunks(number: int) -> Iterator[bytes]:
        for _ in range(number):
            yield b"0,1,2,3\n" * 8192

    told = client.http.post("/api/v1/files?name=told.csv", content=b"0" * (1 << 20) + b"1")
    chunked = client.http.post("/api/v1/files?name=chunked.csv", content=chunks(40))
    for response in (told, chunked):
        assert response.status_code == 413
        assert "more than 1 MB" in response.json()["problem"]
    assert (
        client.http.post(
            "/api/v1/answers", content=b" " * (2 << 20), headers={"content-type": "application/json"}
        ).status_code
        == 413
    )
    client.drop("fits.csv", matrix(1, systems=100, topics=800))
    again = client.http.post("/api/v1/files?name=second.csv", content=matrix(2, systems=100, topics=800).encode())
    assert again.status_code == 400
    assert "with it the files would be more than 1 MB" in again.json()["problem"]
    client.http.delete(f"/api/v1/files/{client.files['fits.csv']['id']}")
    client.drop("second.csv", matrix(2, systems=100, topics=800))
    kept = [path for path in small.session.folder.path.rglob("*") if path.is_file() and path.name != "lock"]
    assert [path.name for path in kept] == ["second.csv"]


def test_uploads_at_the_same_time_are_counted_together(start_app: Callable[..., Running]) -> None:
    own = start_app(upload_bytes=1 << 20)
    meet = threading.Barrier(2)

    def send(place: int) -> int:
        def slowly() -> Iterator[bytes]:
            yield f"topic,a,b\n{place},1,2\n".encode()
            meet.wait(20)
            yield b"9,1,2\n" * 120_000

        return own.client().http.post(f"/api/v1/files?name={place}.csv", content=slowly()).status_code

    with ThreadPoolExecutor(2) as pool:
        found = sorted(pool.map(send, range(2)))
    assert found in ([201, 400], [400, 400])
    assert sum(file.bytes for file in own.session.shelf.files.values()) <= 1 << 20


def test_a_bomb_is_refused(small: Running) -> None:
    client = small.client()
    bomb = client.drop("bomb.csv.gz", gzip.compress(b"topic,a,b\n" + b"1,0.5,0.5\n" * 3_000_000))
    assert "holds more than 1 MiB" in bomb["problem"]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("scores.csv", b"0" * 50_000_000)
    zipped = client.drop("bomb.zip", archive.getvalue())
    assert "a zip archive" in zipped["problem"]
    for found in (bomb, zipped):
        assert client.http.delete(f"/api/v1/files/{found['id']}").status_code == 200


@pytest.mark.parametrize(
    "name",
    ["../x.csv", "/etc/passwd", "..\\x.csv", "C:\\x.csv", "a/b.csv", "..", ".", "", "a\x00b", "a\nb.csv", "x" * 300],
)
def test_a_path_is_no_name_of_a_file(app: Running, name: str) -> None:
    response = app.client().http.post("/api/v1/files", params={"name": name}, content=b"topic,a,b\n1,2,3\n")
    assert response.status_code == 400
    assert "without folders" in response.json()["problem"]


def test_no_answer_holds_a_path_of_this_machine(app: Running, tmp_path: Path) -> None:
    client = app.client()
    texts = [
        client.drop(name, content)["problem"]
        for name, content in (
            ("bad.csv", "topic,a,b\n1,0.1,2\n2,y,3\n"),
            ("empty.csv", ""),
            ("odd.bin", b"\0\1"),
            ("run.txt", "1 Q0 d 1 x t\n"),
        )
    ]
    assert all(texts)
    own = tmp_path / "named.csv"
    own.write_text("topic,a,b\n1,,2\n2,3,4\n", encoding="utf-8")
    app.session.shelf.name_file(own)
    said = client.http.get("/api/v1/session").text
    assert "named.csv" in said
    for secret in (str(tmp_path), str(app.session.folder.path), str(Path.home()) + "/"):
        assert secret not in said
        assert not any(secret in text for text in texts)
    app.session.shelf.remove(next(id for id, file in app.session.shelf.files.items() if file.name == "named.csv"))


def test_a_killed_worker_is_told_and_one_can_go_on(app: Running) -> None:
    client = app.client()
    for place in range(2):
        client.drop(f"kill{place}.csv", matrix(40 + place, systems=90, topics=40))
    asked = client.ask("compare", judge=["kill1.csv"], truth="kill0.csv") | {"options": {"rng": 5}}
    with ThreadPoolExecutor(1) as thread:
        asking = thread.submit(client.problem, asked)
        wait_for(lambda: bool(app.session.pool.busy))
        for pid in app.session.pool.busy:
            os.kill(pid, signal.SIGKILL)
        problem = asking.result()
    assert "was stopped before it was done" in problem["problem"]
    assert "Nothing else is lost" in problem["fixes"][0]["advice"]
    assert client.answer(asked)["document"]


def rest(folder: Path) -> int:
    """A computation that takes a moment, and counts those beside it."""
    own = folder / str(os.getpid())
    own.touch()
    time.sleep(0.3)
    beside = len(list(folder.iterdir()))
    own.unlink()
    return beside


async def _several(folder: Path) -> list[int]:
    import asyncio

    pool = Pool(Limits())
    try:
        return list(await asyncio.gather(*(pool.run(rest, folder) for _ in range(6))))
    finally:
        pool.close()


def test_two_computations_at_once_are_the_most(tmp_path: Path) -> None:
    import asyncio

    with ThreadPoolExecutor(1) as thread:
        assert max(thread.submit(asyncio.run, _several(tmp_path)).result()) == 2


def test_nothing_is_sent_elsewhere(tmp_path: Path) -> None:
    """The app and its workers, each watched by the interpreter itself: no connection, no name looked up."""
    watch = (
        "import sys\n"
        "def hook(event, given):\n"
        "    far = event == 'socket.connect' and isinstance(given[1], tuple) and given[1][0] != '127.0.0.1'\n"
        "    if far or event in ('socket.getaddrinfo', 'socket.gethostbyname'):\n"
        f"        open({str(tmp_path / 'heard')!r}, 'a').write(f'{{event}} {{given}}\\n')\n"
        "        raise OSError('there is no network')\n"
        "sys.addaudithook(hook)\n"
    )
    (tmp_path / "sitecustomize.py").write_text(watch, encoding="utf-8")
    (tmp_path / "scores.csv").write_text(matrix(1), encoding="utf-8")
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    environment = {**os.environ, "PYTHONPATH": paths, "TMPDIR": str(tmp_path)}
    seen = subprocess.run(
        [sys.executable, "-c", "import socket; socket.create_connection(('192.0.2.1', 80), 1)"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "there is no network" in seen.stderr  # the watch works
    heard = tmp_path / "heard"
    heard.unlink()
    running = subprocess.Popen(
        [sys.executable, "-m", "tauscope", "serve", "scores.csv", "--no-browser"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    address = running.stdout.readline().split()[-1]
    base = address.partition("/?")[0]
    with httpx.Client(base_url=base, headers={"origin": base}, timeout=60) as http:
        assert http.get(address).status_code == 200
        client = Client(http)
        client.files = {file["name"]: file for file in http.get("/api/v1/session").json()["files"]}
        assert client.answer(client.ask("rank", board="scores.csv"))["document"]
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=20)
    assert (running.returncode, said) == (0, "")
    assert not heard.exists()


def fill(size: int) -> int:
    """A computation that takes memory."""
    return int(np.ones(size, dtype=np.uint8).sum())


async def _limited() -> None:
    pool = Pool(Limits(worker_bytes=1 << 30))
    try:
        assert await pool.run(fill, 1 << 20) == 1 << 20
        with pytest.raises(Stopped, match=r"more than 1,024 MB, the memory that this app gives a computation"):
            await pool.run(fill, 2 << 30)
        assert await pool.run(fill, 1 << 10) == 1 << 10
    finally:
        pool.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux keeps a process to its memory")
def test_a_worker_is_held_to_its_memory() -> None:
    import asyncio

    # In a thread of its own: a browser of other tests may have a loop in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, _limited()).result()


def test_what_a_crash_left_is_removed_at_the_next_start(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from tauscope.app.shelf import Folder; "
        "f = Folder(Path(sys.argv[1])); (f.path / 'dropped').write_text('x'); print(f.path, flush=True); time.sleep(60)"
    )
    crashed = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert crashed.stdout is not None
    left = Path(crashed.stdout.readline().strip())
    running = Folder(tmp_path)
    assert left.is_dir()  # its app is running: nobody touches it
    crashed.kill()
    crashed.communicate()
    assert left.is_dir()
    following = Folder(tmp_path)
    assert not left.exists()
    assert running.path.is_dir()
    for folder in (running, following):
        folder.close()
        assert not folder.path.exists()


def test_an_interrupted_app_leaves_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path)}
    (tmp_path / "scores.csv").write_text(matrix(1), encoding="utf-8")
    running = subprocess.Popen(
        [sys.executable, "-m", "tauscope", "serve", str(tmp_path / "scores.csv"), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert running.stdout is not None
    address = running.stdout.readline().split()[-1]
    base = address.partition("/?")[0]
    http = httpx.Client(base_url=base, headers={"origin": base}, timeout=30)
    client = Client(http)
    assert client.http.get(address).status_code == 200
    client.drop("more.csv", matrix(2))
    assert len(client.http.get("/api/v1/session").json()["files"]) == 2
    assert list(tmp_path.glob("tauscope-*/session-*/*/more.csv"))
    http.close()
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=20)
    assert (running.returncode, said) == (0, "")
    assert not list(tmp_path.glob("tauscope-*/session-*"))


@pytest.mark.parametrize("words", [[], ["--no-browser"]])
def test_the_browser_is_opened_unless_it_should_not(
    words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tauscope.cli import main

    opened: list[str] = []
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("webbrowser.open", opened.append)

    def run(session: Session, keys: Keys, place: socket.socket, *, started: Callable[[], None]) -> None:
        started()
        place.close()
        session.folder.close()

    monkeypatch.setattr("tauscope.app.server.serve", run)
    assert main(["serve", *words]) == 0
    address = capsys.readouterr().out.split()[3]
    assert address.startswith("http://127.0.0.1:")
    wait_for(lambda: opened == ([] if words else [address]))


def test_a_taken_port_is_said(app: Running) -> None:
    from tauscope.app.server import listening

    with pytest.raises(ValueError, match=r"^Port \d+ cannot be used .*--port 0 takes a free one"):
        listening(app.keys.port)


def test_what_is_not_installed_is_said_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import tauscope
    from tauscope.app.server import needed

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(
        tauscope.errors.MissingPackageError,
        match=r"uvicorn, which is not installed. Run: pip install 'tauscope\[app\]'",
    ):
        needed("tauscope serve")
