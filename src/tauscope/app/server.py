"""The routes of the app, and how it is started: on 127.0.0.1, for one user."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CallError, MissingPackageError, TauscopeError
from ..render import html
from ..render.page import templates
from .calls import TAKEN
from .guard import Guard, Keys, Refusal, drained
from .session import Asked, Session

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

HERE = Path(__file__).parent
API = "/api/v1"
#: Files that the page loads, and their types; nothing else of the folder is served.
STATIC = {"app.css": "text/css"} | dict.fromkeys(
    ("app.js", "api.js", "controls.js", "dom.js", "files.js", "state.js"), "text/javascript"
)

#: The refusal of an address without a route.
NOT_THERE = "There is nothing at this address."


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
        return routes.refusal(Refusal(getattr(error, "status_code", 404), NOT_THERE))

    async def our_fault(request: Request, error: Exception) -> Response:
        kind = type(error).__name__
        return routes.refusal(Refusal(500, f"Something went wrong in the app ({kind}); the terminal says more."))

    app = Starlette(
        routes=[
            Route("/", routes.index),
            Route("/static/{name}", routes.static),
            Route(f"{API}/session", routes.session),
            Route(f"{API}/sample", routes.sample, methods=["POST"]),
            Route(f"{API}/files", routes.upload, methods=["POST"]),
            Route(f"{API}/files/{{id}}/read", routes.read, methods=["POST"]),
            Route(f"{API}/files/{{id}}", routes.forget, methods=["DELETE"]),
            Route(f"{API}/answers", routes.answers, methods=["POST"]),
            Route(f"{API}/topics", routes.topics, methods=["POST"]),
            Route(f"{API}/take/{{name}}", routes.take, methods=["POST"]),
        ],
        lifespan=lifespan,
        exception_handlers={HTTPException: not_there, Exception: our_fault},
    )
    return Guard(app, keys=keys, limits=session.limits)


Handler = Callable[["_Routes", "Request"], Awaitable["Response"]]


def _told(handler: Handler) -> Handler:
    """Errors of ours become answers with their fixes."""

    async def safe(self: _Routes, request: Request) -> Response:
        try:
            return await handler(self, request)
        except TauscopeError as error:
            return self.answer(self.app.problem(error, getattr(request.state, "question", "")), 400)
        except Refusal as error:
            await drained(request.receive)
            return self.refusal(error)

    return safe


class _Routes:
    """One method per route."""

    def __init__(self, session: Session) -> None:
        self.app = session

    def answer(self, data: Any, status: int = 200) -> Response:
        from starlette.responses import Response

        return Response(self.app.reply(data), status, media_type="application/json")

    def refusal(self, refusal: Refusal) -> Response:
        return self.answer(refusal.said(), refusal.status)

    async def index(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse

        made = templates().overlay(loader=_loader())
        return HTMLResponse(made.get_template("app.html").render(limits=self.app.limits))

    async def static(self, request: Request) -> Response:
        from starlette.responses import Response

        name = request.path_params["name"]
        if name == "page.css":
            return Response(html.style(), media_type="text/css")
        if name == "page.js":
            return Response(html.script(), media_type="text/javascript")
        if name not in STATIC:
            return self.refusal(Refusal(404, NOT_THERE))
        return Response((HERE / "static" / name).read_bytes(), media_type=STATIC[name])

    @_told
    async def session(self, request: Request) -> Response:
        return self.answer(await self.app.overview())

    @_told
    async def sample(self, request: Request) -> Response:
        return self.answer(await self.app.sample(), 201)

    @_told
    async def upload(self, request: Request) -> Response:
        file = await self.app.shelf.add(request.query_params.get("name", ""), request.stream())
        return self.answer(await self.app.described(file.id, {}), 201)

    @_told
    async def read(self, request: Request) -> Response:
        id, given = request.path_params["id"], await _json(request)
        asked = Asked.of({"question": "rank", "each": {id: given.get("options", {})}})
        return self.answer(await self.app.described(id, asked.each[id]))

    @_told
    async def forget(self, request: Request) -> Response:
        self.app.shelf.remove(request.path_params["id"])
        return self.answer({"removed": True})

    @_told
    async def answers(self, request: Request) -> Response:
        given = await _json(request)
        return self.answer(await self.app.answer(self._asked(request, given), str(given.get("tab", ""))[:80]))

    @_told
    async def topics(self, request: Request) -> Response:
        given = await _json(request)
        return self.answer(await self.app.topics(self._asked(request, given), given.get("systems", [])))

    @_told
    async def take(self, request: Request) -> Response:
        from starlette.responses import Response

        name = request.path_params["name"]
        body = await self.app.take(self._asked(request, await _json(request)), name)
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(body, media_type=TAKEN[name], headers=headers)

    def _asked(self, request: Request, given: dict[str, Any]) -> Asked:
        asked = Asked.of(given.get("asked", {}))
        request.state.question = asked.question  # errors offer its options as buttons
        return asked


def _loader() -> Any:
    from jinja2 import FileSystemLoader

    return FileSystemLoader(HERE / "templates")


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
