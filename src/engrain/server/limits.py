"""The limits of a server: what its middleware refuses before it is parsed, and the running cost of each key."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from threading import Event
from typing import Any, TypeVar
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

import anyio
import anyio.lowlevel
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engrain.errors import RecallCancelled
from engrain.guard import cancellable
from engrain.operations.table import OPERATIONS
from engrain.server.wire import CONSOLE_PATH, MCP_PATH, PREFIX, PROBES, Problem, retry_after

_CLOSE = {"Connection": "close"}
CROWDED = "crowded"
"""The name in the state of a request on a connection beyond the bound, on which probes alone are answered."""
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.%]+\]|[0-9a-z.-]+)(?::[0-9]{1,5})?", re.IGNORECASE)
RECORDS = f"{PREFIX}/records/"  # how the paths begin where the values of exact records are sent, which may be long
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


BUDGET = 8  # the cost that a key may have running at a time, of reads and of writes each
USUAL, WAITING = 2, 1
"""The least cost of a call, and that of one that waits for a language model or for others most of its time."""
_ITEMS, _BYTES = 2, 16_384  # that are asked for, or sent, for each further unit of cost
_WIDE = 2  # the cost factor of a call about more than one user or agent

T = TypeVar("T")


def cost_of(given: Mapping[str, Any], *, bytes: int = 0, scoped: bool = True, waits: bool = False) -> int:
    """Return the cost of a call; one `scoped` to a user or agent, or that `waits` for others, costs less."""
    if waits:
        return WAITING
    numbers = [value for name in ("k", "limit") if isinstance(value := given.get(name), int)]
    items = max([0, *numbers, *(len(value) for value in given.values() if isinstance(value, list | tuple))])
    return min(USUAL + items // _ITEMS + bytes // _BYTES + (0 if scoped else _WIDE), BUDGET)


class Budget:
    """An amount that calls take while they run; a call that finds too little left waits, in the order of arrival."""

    def __init__(self, amount: int = BUDGET) -> None:
        self._left = amount
        self._waiting: deque[tuple[int, anyio.Event]] = deque()

    @asynccontextmanager
    async def spend(self, cost: int) -> AsyncIterator[None]:
        """Wait until that much is left, take it, and give it back afterwards."""
        granted = anyio.Event()
        self._waiting.append((cost, granted))
        self._grant()
        try:
            if not granted.is_set():
                await granted.wait()
            yield
        finally:
            if granted.is_set():
                self._left += cost
            else:
                self._waiting.remove((cost, granted))
            self._grant()

    def _grant(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._left:
            cost, granted = self._waiting.popleft()
            self._left -= cost
            granted.set()


class Admission:
    """The requests of a server by the key that sent them; `most` of a key are running, or received, at a time."""

    def __init__(self, most: int, refused: Callable[[str], None] = lambda _: None) -> None:
        self._most, self._refused = most, refused
        self._counts: Counter[tuple[str, str]] = Counter()
        self._budgets: WeakValueDictionary[tuple[str, bool], Budget] = WeakValueDictionary()

    @contextmanager
    def counted(self, key: str, what: str, most: int | None = None) -> Iterator[None]:
        """Count a request of a key as one of its `bodies`, `requests` or others; one too many is a 503 `Problem`."""
        most = self._most if most is None else most
        if self._counts[key, what] >= most:
            self._refused(what)
            detail = f"{most} {what} of this key are under way, as many as there may be"
            raise Problem(503, "busy", detail, headers={**retry_after(), "Connection": "close"})
        self._counts[key, what] += 1
        try:
            yield
        finally:
            self._counts[key, what] -= 1
            if not self._counts[key, what]:
                del self._counts[key, what]

    async def run(
        self, work: Callable[[], Awaitable[T]], receive: Receive, *, key: str, cost: int, writes: bool = False
    ) -> T:
        """Do work once its key's budget allows the cost; a client that leaves ends it, which is `ClientDisconnect`."""
        budget = self._budgets.setdefault((key, writes), Budget())
        done: list[T] = []
        error: Exception | None = None
        left, gone = True, Event()  # the state if work is dropped
        with self.counted(key, "requests"):
            async with anyio.create_task_group() as group:
                group.start_soon(_cancel_when_left, receive, group.cancel_scope, gone)
                async with budget.spend(cost):
                    await anyio.lowlevel.checkpoint()  # by which a client that has left is noticed
                    try:
                        with cancellable(gone.is_set):
                            done.append(await work())
                    except RecallCancelled:
                        pass  # the client has left
                    except Exception as failed:  # which the group would wrap
                        error = failed
                left = group.cancel_scope.cancel_called
                group.cancel_scope.cancel()
        if error is not None:
            raise error
        if left or not done:
            raise ClientDisconnect
        return done[0]


async def _cancel_when_left(receive: Receive, scope: anyio.CancelScope, gone: Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    gone.set()
    scope.cancel()
