"""What logs, metrics and traces tell of a request: which operation, how it ended, how long it took; never a text."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from time import perf_counter

from starlette.types import Scope

from engrain.interfaces.rest.app import MCP, PREFIX
from engrain.operations.table import ROUTES

PROBES = ("/health", "/ready", "/metrics")
NOWHERE = "none"
_METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT".split())
_SANE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NAMES: dict[tuple[str, str], str] = {
    (str(route.verb), PREFIX + route.path): name for name, routes in ROUTES.items() for route in routes
} | {("GET", path): path.strip("/") for path in PROBES}


@dataclass(slots=True)
class Seen:
    """A request: its id, and what is known of it once it is answered."""

    id: str
    method: str
    began: float
    route: str = NOWHERE
    operation: str = NOWHERE
    role: str = ""
    key: str = ""
    status: int = 0
    ms: float = 0.0
    bytes: int = 0

    @classmethod
    def of(cls, scope: Scope) -> Seen:
        """Return what is known before anybody has looked at the request."""
        method = scope["method"]
        return cls(_request_id(scope), method if method in _METHODS else "other", perf_counter())

    def end(self, scope: Scope) -> None:
        """Note where the request went, whose it was and how long it took."""
        self.ms = round((perf_counter() - self.began) * 1000, 3)
        path = getattr(scope.get("route"), "path", None)
        if scope["path"] == MCP:
            self.route, self.operation = MCP, MCP.strip("/")
        elif path is not None:
            self.route, self.operation = path, _NAMES.get((self.method, path), NOWHERE)
        caller = scope.get("state", {}).get("caller")
        if caller is not None:
            self.role, self.key = str(caller.role), caller.key


def _request_id(scope: Scope) -> str:
    """Return the id that the client gave, if it is one; a made one otherwise."""
    given = [value for name, value in scope["headers"] if name == b"x-request-id"]
    if len(given) == 1 and _SANE.fullmatch(text := str(given[0], "latin-1")):
        return text
    return f"req-{uuid.uuid4().hex}"
