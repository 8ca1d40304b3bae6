"""The routes of the app, and how it is started: on 127.0.0.1, for one user."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CallError, MissingPackageError, TauscopeError
from ..page.html import TEMPLATES
from ..page.html import templates as page_templates
from .guard import Guard, Keys, TooLarge, drained
from .jobs import Job
from .session import Session
from .state import State

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

HERE = Path(__file__).parent
API = "/api/v1"
#: What the page loads; nothing else of the folder is served.
STATIC = (
    "app.css",
    "app.js",
    "api.js",
    "charts.js",
    "controls.js",
    "dom.js",
    "drill.js",
    "files.js",
    "screen.js",
    "state.js",
    "take.js",
)
#: What first screens need of the report page, by what it is called here.
PAGE = {"look.css": "look.css", "first-screen.js": "screen.js"}


def mimetype(name: str) -> str:
    """Of a file that the page loads."""
    return {".css": "text/css", ".js": "text/javascript"}[Path(name).suffix]


def needed(what: str = "The app") -> None:
    """The error that says how to install what the app needs, where it is not there."""
    for package in ("starlette", "uvicorn"):
        try:
            __import__(package)
        except ImportError:
            raise MissingPackageError.needed(what, package, "tauscope[app]") from None


def build(session: Session, keys: Keys) -> Any:
    """The app behind its guard."""
    needed()
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.routing import Route

    routes = _Routes(session)

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        yield
        await session.close()

    async def not_there(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 404)
        return routes.answer({"problem": "There is nothing at this address.", "ways_out": []}, status)

    async def our_fault(request: Request, error: Exception) -> Response:
        said = f"Something went wrong in the app ({type(error).__name__}); the terminal says more."
        return routes.answer({"problem": said, "ways_out": []}, 500)

    app = Starlette(
        routes=[
            Route("/", routes.index),
            Route("/static/{name}", routes.static),
            Route(f"{API}/schema", routes.schema),
            Route(f"{API}/session", routes.session),
            Route(f"{API}/files", routes.upload, methods=["POST"]),
            Route(f"{API}/files/{{id}}/read", routes.read, methods=["POST"]),
            Route(f"{API}/files/{{id}}", routes.forget, methods=["DELETE"]),
            Route(f"{API}/choices", routes.choices, methods=["POST"]),
            Route(f"{API}/answers", routes.answers, methods=["POST"]),
            Route(f"{API}/pair", routes.pair, methods=["POST"]),
            Route(f"{API}/topic", routes.topic, methods=["POST"]),
            Route(f"{API}/repeat", routes.repeat, methods=["POST"]),
            Route(f"{API}/take/{{kind}}", routes.take, methods=["POST"]),
            Route(f"{API}/jobs/{{id}}/events", routes.events),
            Route(f"{API}/jobs/{{id}}/file", routes.file),
            Route(f"{API}/jobs/{{id}}", routes.cancel, methods=["DELETE"]),
        ],
        lifespan=lifespan,
        exception_handlers={HTTPException: not_there, Exception: our_fault},
    )
    return Guard(app, keys=keys, limits=session.limits)


Handler = Callable[["_Routes", "Request"], Awaitable["Response"]]


def _told(handler: Handler) -> Handler:
    """Errors of ours become answers with their ways out."""

    async def safe(self: _Routes, request: Request) -> Response:
        try:
            return await handler(self, request)
        except TauscopeError as error:
            return self.answer(self.app.problem(error), 400)
        except TooLarge as error:
            await drained(request.receive)
            return self.answer({"problem": str(error), "ways_out": []}, 413)

    return safe


class _Routes:
    """One method per route."""

    def __init__(self, session: Session) -> None:
        self.app = session

    def answer(self, data: Any, status: int = 200) -> Response:
        from starlette.responses import Response

        return Response(self.app.reply(data), status, media_type="application/json")

    async def index(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse

        environment = page_templates().overlay(loader=_loader())
        return HTMLResponse(environment.get_template("app.html").render(limits=self.app.limits))

    async def static(self, request: Request) -> Response:
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import Response

        name = request.path_params["name"]
        if name == "vega.js":
            return Response(await run_in_threadpool(self.app.vega.text), media_type="text/javascript")
        if name in PAGE:
            return Response((TEMPLATES / PAGE[name]).read_bytes(), media_type=mimetype(name))
        if name not in STATIC:
            return self.answer({"problem": "There is nothing at this address.", "ways_out": []}, 404)
        return Response((HERE / "static" / name).read_bytes(), media_type=mimetype(name))

    async def schema(self, request: Request) -> Response:
        from starlette.responses import Response

        return Response((HERE / "schema.json").read_bytes(), media_type="application/json")

    @_told
    async def session(self, request: Request) -> Response:
        return self.answer(await self.app.overview())

    @_told
    async def upload(self, request: Request) -> Response:
        file = await self.app.shelf.add(request.query_params.get("name", ""), request.stream())
        return self.answer(await self.app.described(file.id, {}), 201)

    @_told
    async def read(self, request: Request) -> Response:
        given = await _json(request)
        options = State.from_json({"reading": {"file": given.get("options", {})}}).reading["file"]
        return self.answer(await self.app.described(request.path_params["id"], dict(options)))

    @_told
    async def forget(self, request: Request) -> Response:
        self.app.shelf.remove(request.path_params["id"])
        return self.answer({"removed": True})

    @_told
    async def choices(self, request: Request) -> Response:
        given = await _json(request)
        return self.answer(await self.app.material.choices(_state(given)))

    @_told
    async def answers(self, request: Request) -> Response:
        given = await _json(request)
        wanted = bool(given.get("intervals"))
        tab, seen = _text(given, "tab"), _text(given, "seen")
        return self.answer(await self.app.answer(_state(given), tab, intervals=wanted, seen=seen))

    @_told
    async def pair(self, request: Request) -> Response:
        given = await _json(request)
        return self.answer(await self.app.pair(_state(given), _text(given, "first"), _text(given, "second")))

    @_told
    async def topic(self, request: Request) -> Response:
        given = await _json(request)
        systems = given.get("systems")
        if not isinstance(systems, list) or not 1 <= len(systems) <= 4 or not all(isinstance(s, str) for s in systems):
            raise CallError("systems is a list of one to four names.")
        return self.answer(await self.app.topic(_state(given), _text(given, "topic"), systems))

    @_told
    async def repeat(self, request: Request) -> Response:
        return self.answer(await self.app.repeated(_state(await _json(request))))

    @_told
    async def take(self, request: Request) -> Response:
        given, kind = await _json(request), request.path_params["kind"]
        state = _state(given)
        if kind == "csv":
            return _attachment((await self.app.table(state)).encode("utf-8", "replace"), "text/csv", "table.csv")
        if kind == "json":
            body = self.app.reply(await self.app.whole(state))
            return _attachment(body, "application/json", "answer.json")
        if kind not in ("report", "figures"):
            raise CallError("What can be taken away: report, figures, csv, json.")
        job = await self.app.take(state, kind, _text(given, "tab"))
        return self.answer({"job": job.id}, 202)

    @_told
    async def events(self, request: Request) -> Response:
        from starlette.responses import StreamingResponse

        job = self.app.jobs[request.path_params["id"]]
        return StreamingResponse(self._events(job), media_type="text/event-stream")

    async def _events(self, job: Job) -> AsyncIterator[bytes]:
        async for event in job.follow():
            if event is None:
                yield b": still here\n\n"
                continue
            kind, data = event
            told = self.app.problem(data["error"]) if kind == "failed" else data
            yield f"event: {kind}\ndata: ".encode() + self.app.reply(told) + b"\n\n"

    @_told
    async def file(self, request: Request) -> Response:
        from starlette.responses import FileResponse

        job = self.app.jobs[request.path_params["id"]]
        if job.file is None:
            raise TauscopeError("This computation makes no file, or has not made it yet.")
        path, name = job.file
        return FileResponse(path, filename=name, media_type="application/octet-stream")

    @_told
    async def cancel(self, request: Request) -> Response:
        self.app.jobs.cancel(self.app.jobs[request.path_params["id"]])
        return self.answer({"cancelled": True})


def _loader() -> Any:
    from jinja2 import FileSystemLoader

    return FileSystemLoader(HERE / "templates")


def _attachment(body: bytes, media_type: str, name: str) -> Response:
    from starlette.responses import Response

    return Response(body, media_type=media_type, headers={"content-disposition": f'attachment; filename="{name}"'})


async def _json(request: Request) -> dict[str, Any]:
    """The body, where it says that it is JSON: a form of another site cannot say so."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise CallError("Send application/json.")
    try:
        given = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise CallError("The body is no JSON.") from None
    if not isinstance(given, dict):
        raise CallError("The body is a JSON object.")
    return given


def _state(given: dict[str, Any]) -> State:
    return State.from_json(given.get("state", {}))


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name, "")
    if not isinstance(value, str):
        raise CallError(f"{name} is a text.")
    return value


def listening(port: int) -> socket.socket:
    """A socket on this machine alone; port 0 takes a free one."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(("127.0.0.1", port))
    except OSError as error:
        found.close()
        raise CallError(f"Port {port} cannot be used ({error.strerror}); --port 0 takes a free one.") from None
    found.listen(128)
    return found


def serve(session: Session, keys: Keys, place: socket.socket, *, started: Callable[[], None]) -> None:
    """Answers until it is interrupted; `started` is called once it does."""
    needed()
    import uvicorn

    config = uvicorn.Config(
        build(session, keys),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
        ws="none",
    )
    server = uvicorn.Server(config)
    begin = server.startup

    async def startup(sockets: list[socket.socket] | None = None) -> None:
        await begin(sockets=sockets)
        started()

    server.startup = startup  # type: ignore[method-assign]
    session.server = server
    try:
        server.run(sockets=[place])
    except KeyboardInterrupt:
        pass  # that is how one stops it
    finally:
        session.folder.close()
