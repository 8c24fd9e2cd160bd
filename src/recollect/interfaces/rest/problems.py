"""What went wrong, as `application/problem+json` (RFC 9457): each error of the tree has its status and its type."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse

from recollect.errors import (
    AccessDenied,
    AuditBroken,
    ConfigError,
    Conflict,
    GovernanceViolation,
    MemoryRejected,
    MemorySecurityError,
    NotFound,
    ProviderError,
    ScopeMissing,
    StoreError,
    StoreUnavailable,
)

MEDIA = "application/problem+json"
_RETRY = 1  # seconds


class Problem(Exception):
    """What a caller is told: a status, a type that programs know, and a sentence that says what to do."""

    def __init__(
        self,
        status: int,
        type: str,
        detail: str,
        more: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.type, self.detail = status, type, detail
        self.more, self.headers = more or {}, headers or {}

    def response(self) -> JSONResponse:
        """Return it as a response."""
        return JSONResponse(
            {"type": f"urn:recollect:{self.type}", "title": TITLES[self.type], "status": self.status}
            | {"detail": self.detail, **self.more},
            status_code=self.status,
            headers=dict(self.headers),
            media_type=MEDIA,
        )


TITLES: Mapping[str, str] = {
    "invalid": "The request cannot be understood",
    "unauthorized": "A key is needed",
    "denied": "The key does not allow it",
    "not-found": "There is no such thing in this scope",
    "no-route": "There is nothing at this address",
    "method": "This address does not take that method",
    "conflict": "It has changed since",
    "stale": "It has changed since",
    "rejected": "The memory was refused",
    "too-large": "The request is too large",
    "media-type": "The body is not JSON",
    "too-many": "Too many requests",
    "timeout": "The request took too long to arrive",
    "provider": "A model did not answer",
    "broken-audit": "The audit trail does not verify",
    "busy": "The server has as much to do as it takes on",
    "misdirected": "This server does not go by that name",
    "foreign": "Pages of that origin may not ask",
    "unavailable": "The store cannot be reached now",
    "stopping": "The server is stopping",
    "bug": "A bug of the server",
}


def retry_after(seconds: float | None) -> dict[str, str]:
    """Return the header that says when to try again: whole seconds, at least one."""
    return {"Retry-After": str(max(_RETRY, math.ceil(seconds or _RETRY)))}


def problem_of(error: Exception) -> Problem | None:
    """Return what an error is to a caller; None for a bug, about which nothing is told but that it is one."""
    if isinstance(error, Problem):
        return error
    for kind, make in _PROBLEMS:
        if isinstance(error, kind):
            problem: Problem = make(error)
            return problem
    return None


def _denied(error: Any) -> Problem:
    if error.role is None:
        return Problem(401, "unauthorized", str(error), headers={"WWW-Authenticate": "Bearer"})
    return Problem(403, "denied", str(error), {"role": error.role} if error.role else {})


def _insecure(error: Any) -> Problem:
    more = {"code": error.code, "reasons": list(error.reasons)}
    if error.retry_after is not None:
        return Problem(429, "too-many", str(error), more, retry_after(error.retry_after))
    return Problem(422, "rejected", str(error), more)


def _failed(error: Any) -> Problem:
    if error.transient:
        return Problem(503, "provider", str(error), headers=retry_after(error.retry_after))
    return Problem(502, "provider", str(error))


def _plain(status: int, type: str) -> Any:
    return lambda error: Problem(status, type, str(error) or TITLES[type])


_PROBLEMS: tuple[tuple[type[Exception], Any], ...] = (
    (AccessDenied, _denied),
    (NotFound, _plain(404, "not-found")),
    (
        Conflict,
        lambda error: Problem(409, "conflict", str(error), {"expected": error.expected, "found": error.found}),
    ),
    (MemorySecurityError, _insecure),
    (GovernanceViolation, lambda error: Problem(422, "rejected", str(error), {"reasons": list(error.reasons)})),
    (MemoryRejected, lambda error: Problem(422, "rejected", str(error), {"reasons": list(error.reasons)})),
    (ProviderError, _failed),
    (AuditBroken, lambda error: Problem(409, "broken-audit", str(error), {"seq": error.seq})),
    (
        StoreUnavailable,
        lambda _: Problem(503, "unavailable", "the store is locked or out of reach: try again", {}, retry_after(None)),
    ),
    (StoreError, lambda _: Problem(503, "unavailable", "the store cannot do it: its keeper's log says why")),
    (ScopeMissing, _plain(422, "invalid")),
    (ConfigError, _plain(422, "invalid")),
    (ValueError, _plain(422, "invalid")),
    (TypeError, _plain(422, "invalid")),
    (OverflowError, _plain(422, "invalid")),
)
