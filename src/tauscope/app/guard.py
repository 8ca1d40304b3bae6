"""Who may talk to the app: the browser that opened it, from the page that it showed, and nobody else.

A page of a stranger can make the user's browser send requests to this machine: by another name for 127.0.0.1 (DNS
rebinding), which the Host header tells, or from its own page, which Origin and Sec-Fetch-Site tell. Whoever has not the
cookie of this session, which only the opened address gives, is refused.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Nothing inline, nothing from elsewhere, nothing that evaluates text.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
SAFE_METHODS = ("GET", "HEAD")
UPLOADS = "/api/v1/files"
MOST_DRAINED = 8 << 20


#: A request that is no upload is a few thousand bytes.
MOST_JSON = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one app may use; the page states it, and the app keeps to it.

    Parameters
    ----------
    upload_bytes : int
        All files that were dropped, together; also what one packed file may unpack to.
    worker_bytes : int
        The memory of one worker process, where the system can hold it to that (Linux).
    computations : int
        How many are worked on at once; others wait.
    """

    upload_bytes: int = 200 << 20
    worker_bytes: int = 2 << 30
    computations: int = 2


def megabytes(number: int) -> str:
    """Return a limit as text: '200 MB'."""
    return f"{number / 2**20:,.0f} MB"


class Refusal(Exception):
    """A request that is not answered: the HTTP status, and why.

    Parameters
    ----------
    status : int
        The HTTP status.
    problem : str
        Why, as a sentence for the user.
    """

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status

    def said(self) -> dict[str, Any]:
        """Return an error as every other one of the API."""
        return {"problem": str(self), "fixes": []}


def too_large(most: int) -> Refusal:
    """Return the refusal of a body beyond the limit."""
    return Refusal(413, f"This is more than {megabytes(most)}, the limit of this app.")


@dataclass(frozen=True, kw_only=True)
class Keys:
    """The secrets of one session: `token` stands in the opened address, `secret` in the cookie."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def hosts(self) -> tuple[str, str]:
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def cookie(self) -> str:
        """Cookies of 127.0.0.1 are shared by all ports."""
        return f"tauscope-{self.port}"

    @property
    def address(self) -> str:
        """What the browser opens."""
        return f"http://{self.hosts[0]}/?token={self.token}"


class Guard:
    """The outermost layer of the app."""

    def __init__(self, app: Application, *, keys: Keys, limits: Limits) -> None:
        self._app, self._keys, self._limits = app, keys, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        answer = _with_headers(send, {})
        most = self._limits.upload_bytes if scope["path"] == UPLOADS else MOST_JSON
        try:
            _check_headers(scope, headers, self._keys)
            opened = self._opened(scope)
            if not opened and not self._known(headers):
                raise Refusal(
                    403, "This address needs the token that the terminal shows: open the whole address from there."
                )
            if opened:
                answer = _with_headers(send, {"set-cookie": self._set_cookie()})
            if int(dict(headers).get("content-length", "0") or 0) > most:
                raise too_large(most)
        except Refusal as refusal:
            await drained(receive)
            await refuse(answer, refusal)
        else:
            await self._app(scope, _counted(receive, most), answer)

    def _opened(self, scope: Scope) -> bool:
        """Whether this is the address that the terminal showed."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return scope["path"] == "/" and _same(given, self._keys.token)

    def _known(self, headers: list[tuple[str, str]]) -> bool:
        for name, value in headers:
            if name == "cookie":
                try:
                    found = SimpleCookie(value).get(self._keys.cookie)
                except CookieError:
                    continue
                if found is not None and _same(found.value, self._keys.secret):
                    return True
        return False

    def _set_cookie(self) -> str:
        return f"{self._keys.cookie}={self._keys.secret}; Path=/; HttpOnly; SameSite=Strict"


def _check_headers(scope: Scope, headers: list[tuple[str, str]], keys: Keys) -> None:
    """Refuse a request that is addressed to another host, comes from another site, or has no length."""
    given = {
        header: [value for name, value in headers if name == header]
        for header in ("host", "origin", "sec-fetch-site", "content-length")
    }
    if len(given["host"]) != 1 or given["host"][0].lower() not in keys.hosts:
        raise Refusal(421, "This app answers to 127.0.0.1 only.")
    elsewhere = any(origin.lower() not in [f"http://{host}" for host in keys.hosts] for origin in given["origin"])
    cross_site = any(site not in ("same-origin", "none") for site in given["sec-fetch-site"])
    if elsewhere or (cross_site and scope["path"] != "/"):
        raise Refusal(403, "Another site may not use this app.")
    if scope["method"] not in SAFE_METHODS and not given["origin"]:
        raise Refusal(403, "A request that changes something must say where it comes from (Origin).")
    if any(not length.isdecimal() for length in given["content-length"]):
        raise Refusal(400, "The length of this request is not a number.")


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode(), right.encode())


async def refuse(send: Send, refusal: Refusal) -> None:
    """Send an error as every other one of the API."""
    body = json.dumps(refusal.said()).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send(
        {"type": "http.response.start", "status": refusal.status, "headers": [*headers, (b"connection", b"close")]}
    )
    await send({"type": "http.response.body", "body": body})


async def drained(receive: Receive) -> None:
    """Takes a little more of a body that nobody wants: a browser that still sends would not see the answer."""
    seen = 0
    while seen < MOST_DRAINED:
        message = await receive()
        seen += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


def _with_headers(send: Send, own: dict[str, str]) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            more = [(name.encode(), value.encode()) for name, value in {**HEADERS, **own}.items()]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return answer


def _counted(receive: Receive, most: int) -> Receive:
    """The body as it comes, counted: a chunked one does not say how long it is. What follows the error is passed on."""
    seen, stopped = 0, False

    async def take() -> Message:
        nonlocal seen, stopped
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most and not stopped:
            stopped = True
            raise too_large(most)
        return message

    return take
