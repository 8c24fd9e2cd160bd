"""The limits of a server (`Limits`), and the middleware that refuses requests beyond them before they are parsed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engrain.operations.table import OPERATIONS
from engrain.server.wire import CONSOLE_PATH, MCP_PATH, PREFIX, PROBES, Problem, retry_after

_CLOSE = {"Connection": "close"}
CROWDED = "crowded"
"""The name in the state of a request on a connection beyond the bound, on which probes alone are answered."""
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.%]+\]|[0-9a-z.-]+)(?::[0-9]{1,5})?", re.IGNORECASE)
RECORDS = f"{PREFIX}/records/"
"""How the paths begin where the values of exact records are sent, which may be long."""
_UPLOADS = f"{CONSOLE_PATH}/_nicegui/client/"  # of the console's pages
_WITH_BODY = {PREFIX + route.path: one for one in OPERATIONS for route in one.routes if route.has_body}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The capacity of a server; requests beyond it are refused."""

    body_bytes: int = 2_000_000  # bytes of a request's body
    # Bytes of a body with exact records; two oversized ones of one key are received concurrently.
    record_bytes: int = 24_000_000
    file_bytes: int = 100_000_000  # bytes of a file that is sent, and as many when a packed one is unpacked
    writes_per_minute: int | None = 60  # writes of one key in a minute, a batch being one; None for no limit
    requests_per_minute: int | None = None  # requests of one key in a minute; None for no limit
    head_bytes: int = 16_384  # bytes of a request's head
    head_seconds: float = 10.0  # how long a connection may take to send a head, from its first byte or its opening on
    # How long a body may take, a second more being granted for each `bytes_per_second` of it.
    body_seconds: float = 20.0
    bytes_per_second: int = 8_192  # see `body_seconds`
    idle_seconds: int = 15  # how long a connection stays open between two requests
    # How long a client may leave an answer unread, or wait for one once it has closed its side.
    answer_seconds: float = 30.0
    connections: int = 512  # concurrent connections: a new one replaces the one that is idle for longest
    # Requests of one key that wait or are running, and as many whose body is being received.
    requests: int = 128
    # Called with the name of the limit that a request or a connection exceeded.
    refused: Callable[[str], None] = field(default=lambda _: None, repr=False, compare=False)


def is_loopback(host: str) -> bool:
    """Return whether a name or an address is this machine's own, which no other machine reaches."""
    bare = host.strip("[]").partition("%")[0].lower()
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return bare == "localhost"


def host_name(header: str) -> str:
    """Return the name in a `Host` header, without its port; '' where the header is malformed."""
    found = _HOST.fullmatch(header)
    return found["name"] if found else ""


class RequestGuard:
    """Refuses requests that are malformed, for another host or origin, without a key, or on a connection too many.

    It reads no more of a body than is allowed, and waits no longer for it: 413, or 408, and the connection closes. The
    application then sees the client as disconnected.

    A server without keys listens on loopback only, and there a page in a user's browser could still reach it: by a
    name that resolves to this machine (so `Host` must be a loopback name), or from another origin (so `Origin` must be
    the server's own or an allowed one). A server with keys refuses requests without one.
    """

    def __init__(self, app: ASGIApp, *, keyless: bool, origins: Collection[str], limits: Limits) -> None:
        self._app, self._keyless, self._origins, self._limits = app, keyless, frozenset(origins), limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, its body being read through `_Body`, or answer it with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        problem = self._malformed(scope, headers) or self._misdirected(headers) or self._not_admitted(scope, headers)
        if problem is not None:
            await problem.response()(scope, receive, send)
            return
        body = _Body(self._limits, self._longest_body(scope["path"]), scope, receive, send)
        length = headers.get("content-length", "")
        if length.isascii() and length.isdigit() and (len(length) > 18 or int(length) > body.limit):
            await body.refuse_size()
        else:
            await self._app(scope, body.read, body.write)

    def _longest_body(self, path: str) -> int:
        """Return how many bytes the body of a request may have."""
        is_file = path.startswith(_UPLOADS) or (path in _WITH_BODY and _WITH_BODY[path].file is not None)
        limit = self._limits.file_bytes if is_file else self._limits.body_bytes
        return max(limit, self._limits.record_bytes) if path.startswith(RECORDS) else limit

    def _malformed(self, scope: Scope, headers: Headers) -> Problem | None:
        fields = sum(len(name) + len(value) + 4 for name, value in scope["headers"])
        if fields + len(scope.get("raw_path") or b"") + len(scope["query_string"]) > self._limits.head_bytes:
            self._limits.refused("head")
            return Problem(431, "too-large", f"a head may have {self._limits.head_bytes:,} bytes", headers=_CLOSE)
        if scope["http_version"] not in ("1.0", "1.1"):
            return Problem(400, "invalid", "this is no HTTP/1.1 request", headers=_CLOSE)
        if "transfer-encoding" in headers and ("content-length" in headers or scope["http_version"] == "1.0"):
            return Problem(400, "invalid", "the length of the body is given in two ways", headers=_CLOSE)
        if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            detail = "send the body as it is: nothing is unpacked here"
            return Problem(415, "media-type", detail, headers={"Accept-Encoding": "identity"})
        return None

    def _misdirected(self, headers: Headers) -> Problem | None:
        problem = misdirected(headers, self._origins) if self._keyless else None
        if problem is not None:
            self._limits.refused("host" if problem.type == "misdirected" else "origin")
        return problem

    def _not_admitted(self, scope: Scope, headers: Headers) -> Problem | None:
        if scope["path"] in PROBES:
            return None
        if not self._keyless and "authorization" not in headers and scope["path"].startswith((PREFIX, MCP_PATH)):
            detail = "this server wants a key: send Authorization: Bearer KEY"
            return Problem(401, "unauthorized", detail, headers={"WWW-Authenticate": "Bearer"})
        if scope.get("state", {}).get(CROWDED):
            self._limits.refused("connections")
            detail = "as many connections are being answered as there may be"
            return Problem(503, "busy", detail, headers={**retry_after(), **_CLOSE})
        return None


def misdirected(headers: Headers, origins: Collection[str] = ()) -> Problem | None:
    """Return the problem of a request that a page in a browser may have sent to a server without keys."""
    host, origin = headers.get("host", ""), headers.get("origin")
    if host and not is_loopback(host_name(host)):
        return Problem(421, "misdirected", "this server's name is localhost: it has no keys, and so no other name")
    if origin is not None and origin not in origins and _authority(origin) != host.lower():
        detail = "pages of other origins may not ask: engrain serve --cors ORIGIN allows one"
        return Problem(403, "cross-origin", detail)
    return None


def same_origin(headers: Headers) -> bool:
    """Return whether a browser sent a request from a page of this server."""
    origin = headers.get("origin")
    return origin is not None and _authority(origin) == headers.get("host", "").lower()


def _authority(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


@dataclass
class _Body:
    """The body of one request while it is read."""

    limits: Limits
    limit: int
    scope: Scope
    receive: Receive
    send: Send
    bytes: int = 0
    waited: float = 0.0
    complete: bool = False
    answered: bool = False
    ended: bool = False

    async def read(self) -> Message:
        """Return the next part; only the time spent waiting for parts counts."""
        if self.ended:
            return {"type": "http.disconnect"}
        if self.complete:  # the next message is the disconnect
            return await self.receive()
        allowed = self.limits.body_seconds + self.bytes / self.limits.bytes_per_second
        began = anyio.current_time()
        message: Message | None = None
        with anyio.move_on_after(allowed - self.waited):
            message = await self.receive()
            self.waited += anyio.current_time() - began
        if message is None:
            self.limits.refused("slow body")
            return await self._end(Problem(408, "timeout", "the body of the request took too long to arrive"))
        if message["type"] != "http.request":
            return message
        self.bytes += len(message.get("body", b""))
        self.complete = not message.get("more_body", False)
        return message if self.bytes <= self.limit else await self.refuse_size()

    async def refuse_size(self) -> Message:
        self.limits.refused("body")
        detail = f"a body may have {self.limit:,} bytes here"
        return await self._end(Problem(413, "too-large", detail, {"limit": self.limit}))

    async def _end(self, problem: Problem) -> Message:
        if not self.answered:
            problem.headers = _CLOSE
            await problem.response()(self.scope, self.receive, self.send)
        self.ended = True
        return {"type": "http.disconnect"}

    async def write(self, message: Message) -> None:
        self.answered = True
        if not self.ended:
            await self.send(message)
