"""What went wrong, as `application/problem+json` (RFC 9457): each error of the tree has its status and its type."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engrain.documents.writing import plain
from engrain.errors import (
    AccessDenied,
    AuditBroken,
    ConfigError,
    Conflict,
    EngrainError,
    GovernanceViolation,
    MemoryRejected,
    MemorySecurityError,
    NotFound,
    ProviderError,
    RequestRepeated,
    ScopeMissing,
    StoreError,
    StoreUnavailable,
)

if TYPE_CHECKING:
    from starlette.responses import JSONResponse

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
        from starlette.responses import JSONResponse

        return JSONResponse(
            {"type": f"urn:engrain:{self.type}", "title": TITLES[self.type], "status": self.status}
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
    "repeated": "The request was sent before",
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
    kind = next((kind for kind in ERRORS if isinstance(error, kind)), None)
    if kind is None:
        return None
    problem: Problem = _PROBLEMS.get(kind, _INVALID)(error)
    problem.detail = with_notes(problem.detail, error)
    return problem


def with_notes(told: str, error: BaseException) -> str:
    """Return what is told of an error with what was noted on its way, such as which item of many it was."""
    notes = "; ".join(getattr(error, "__notes__", ()))
    return f"{told} ({notes})" if notes else told


def _members(error: Exception) -> dict[str, Any]:
    """Return what an error says beside its sentence: its class, and the attributes that its table entry names."""
    kind = next(kind for kind in ERRORS if isinstance(error, kind))
    return {"error": kind.__name__, **{name: plain(getattr(error, name)) for name in ERRORS[kind]}}


def _denied(error: Any) -> Problem:
    if error.role is None:
        return Problem(401, "unauthorized", str(error), _members(error), {"WWW-Authenticate": "Bearer"})
    return Problem(403, "denied", str(error), _members(error))


def _insecure(error: Any) -> Problem:
    if error.retry_after is not None:
        return Problem(429, "too-many", str(error), _members(error), retry_after(error.retry_after))
    return Problem(422, "rejected", str(error), _members(error))


def _repeated(error: Any) -> Problem:
    headers = {} if error.retry_after is None else retry_after(error.retry_after)
    return Problem(422 if error.code == "OTHER_REQUEST" else 409, "repeated", str(error), _members(error), headers)


def _failed(error: Any) -> Problem:
    if error.transient:
        return Problem(503, "provider", str(error), _members(error), retry_after(error.retry_after))
    return Problem(502, "provider", str(error), _members(error))


def _plain(status: int, type: str) -> Any:
    return lambda error: Problem(status, type, str(error) or TITLES[type], _members(error))


def _unavailable(error: Any) -> Problem:
    told = "the store is locked or out of reach: try again"
    return Problem(503, "unavailable", told, _members(error), retry_after(None))


ERRORS: Mapping[type[Exception], tuple[str, ...]] = {  # the narrower class before the wider
    AccessDenied: ("role",),
    NotFound: ("memory_id",),
    Conflict: ("memory_id", "expected", "found"),
    RequestRepeated: ("code", "changed", "retry_after"),
    MemorySecurityError: ("code", "reasons", "source_id", "retry_after"),
    GovernanceViolation: ("reasons",),
    MemoryRejected: ("reasons",),
    ProviderError: ("transient", "retry_after", "timed_out", "unsure"),
    AuditBroken: ("org", "seq"),
    StoreUnavailable: (),
    StoreError: (),
    ScopeMissing: (),
    ConfigError: (),
    OverflowError: (),
    ValueError: (),
    TypeError: (),
}
"""The errors that are told to a caller as they are, and which of their attributes stand in the problem document."""

_PROBLEMS: Mapping[type[Exception], Any] = {
    AccessDenied: _denied,
    NotFound: _plain(404, "not-found"),
    Conflict: _plain(409, "conflict"),
    RequestRepeated: _repeated,
    MemorySecurityError: _insecure,
    GovernanceViolation: _plain(422, "rejected"),
    MemoryRejected: _plain(422, "rejected"),
    ProviderError: _failed,
    AuditBroken: _plain(409, "broken-audit"),
    StoreUnavailable: _unavailable,
    StoreError: lambda error: Problem(
        503, "unavailable", "the store cannot do it: its keeper's log says why", _members(error)
    ),
}
_INVALID = _plain(422, "invalid")
_BY_NAME = {kind.__name__: kind for kind in ERRORS}
_BY_STATUS: Mapping[int, type[Exception]] = {
    401: AccessDenied,
    403: AccessDenied,
    404: NotFound,
    429: MemorySecurityError,
    502: StoreUnavailable,
    503: StoreUnavailable,
    504: StoreUnavailable,
}


def error_of(status: int, document: Mapping[str, Any], wait: float | None = None) -> Exception:
    """Return the error that a problem document was made of; by its status, where none of the table's made it.

    `wait` is how many seconds the answer says to wait.
    """
    kind = _BY_NAME.get(str(document.get("error"))) or _BY_STATUS.get(status)
    if document.get("type") in ("urn:engrain:no-route", "urn:engrain:method"):
        return ConfigError("the server has nothing at this address: is its url right, and is it as new as this client?")
    if kind is None:
        kind = ValueError if status in (400, 409, 413, 415, 422) else EngrainError
    told = str(document.get("detail") or document.get("title") or f"the server answered {status}")
    missing = {**_MISSING, "role": None if status == 401 else "", "retry_after": wait, "reasons": (told,)}
    error = kind.__new__(kind)
    Exception.__init__(error, told)
    for name in ERRORS.get(kind, ()):
        value = document.get(name, missing.get(name))
        setattr(error, name, tuple(value) if isinstance(value, list) else value)
    if isinstance(error, StoreError):
        error.path = ""
    return error


_MISSING: Mapping[str, Any] = {
    "memory_id": "",
    "code": "too_many",
    "source_id": "",
    "changed": (),
    "transient": False,
    "timed_out": False,
    "unsure": False,
}

EXPECTED: tuple[type[Exception], ...] = (Problem, *ERRORS)
"""The errors that are told to a caller as they are."""
