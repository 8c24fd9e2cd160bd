"""What a request must be before anything looks at it: for this server, from where it may come, and plainly framed."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from engrain.interfaces.rest.app import MCP, PREFIX
from engrain.interfaces.rest.bounds import Bounds
from engrain.interfaces.rest.metrics import Metrics
from engrain.interfaces.rest.problems import Problem, retry_after
from engrain.interfaces.rest.seen import PROBES

_GUARDED = (PREFIX, MCP)
_CLOSE = {"Connection": "close"}


def is_loopback(host: str) -> bool:
    """Say whether a name or an address is this machine's own, which no other machine reaches."""
    bare = host.strip("[]").partition("%")[0].lower()
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return bare == "localhost"


class Gate:
    """Turns away what is not for this server, too much at once, or a trick; `open` says that no key is needed.

    An open server listens on loopback only, and there a page in somebody's browser could still reach it: by a name that
    resolves to this machine (so `Host` must name it), or by asking from another origin (so `Origin` must be its own,
    or among `origins`). A server that began with keys answers nobody who shows none, whatever becomes of its store.
    """

    def __init__(
        self, app: ASGIApp, *, open: bool, origins: Collection[str] = (), bounds: Bounds, metrics: Metrics
    ) -> None:
        self._app, self._open, self._origins = app, open, frozenset(origins)
        self._bounds, self._metrics, self._now = bounds, metrics, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        problem = self._problem(scope, Headers(scope=scope))
        if problem is not None:
            await problem.response()(scope, receive, send)
            return
        self._now += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._now -= 1

    def _problem(self, scope: Scope, headers: Headers) -> Problem | None:
        if _size(scope) > self._bounds.head_bytes:
            self._metrics.refuse("head")
            return Problem(431, "too-large", f"a head may have {self._bounds.head_bytes:,} bytes", headers=_CLOSE)
        if scope["http_version"] not in ("1.0", "1.1"):
            return Problem(400, "invalid", "this is no HTTP/1.1 request", headers=_CLOSE)
        if "transfer-encoding" in headers and ("content-length" in headers or scope["http_version"] == "1.0"):
            return Problem(400, "invalid", "the length of the body is told in two ways", headers=_CLOSE)
        if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            told, plain = "send the body as it is: nothing is unpacked here", {"Accept-Encoding": "identity"}
            return Problem(415, "media-type", told, headers=plain)
        if (elsewhere := self._elsewhere(headers)) is not None:
            return elsewhere
        if scope["path"] in PROBES:
            return None
        if not self._open and "authorization" not in headers and scope["path"].startswith(_GUARDED):
            told = "this server wants a key: send Authorization: Bearer KEY"
            return Problem(401, "unauthorized", told, headers={"WWW-Authenticate": "Bearer"})
        if self._now >= self._bounds.requests:
            self._metrics.refuse("requests")
            return Problem(503, "busy", "as many requests are being answered as there may be", {}, retry_after(None))
        return None

    def _elsewhere(self, headers: Headers) -> Problem | None:
        """Say what is wrong with how an open server is called, or from where."""
        if not self._open:
            return None
        host = headers.get("host", "")
        if host and not is_loopback(named(host)):
            self._metrics.refuse("host")
            return Problem(421, "misdirected", "this server goes by localhost: it has no keys, and so no other name")
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins and _authority(origin) != host.lower():
            self._metrics.refuse("origin")
            return Problem(403, "foreign", "pages of other origins may not ask: engrain serve --cors ORIGIN allows one")
        return None


def _size(scope: Scope) -> int:
    """Return about how many bytes the head had."""
    fields = sum(len(name) + len(value) + 4 for name, value in scope["headers"])
    return fields + len(scope.get("raw_path") or b"") + len(scope["query_string"])


_HOST = re.compile(r"(?P<name>\[[0-9a-f:.%]+\]|[0-9a-z.-]+)(?::[0-9]{1,5})?", re.IGNORECASE)


def named(host: str) -> str:
    """Return the name in a `Host` header, without its port; nothing for what is none."""
    found = _HOST.fullmatch(host)
    return found["name"] if found else ""


def _authority(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
