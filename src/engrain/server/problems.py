"""Errors over HTTP as `application/problem+json` (RFC 9457), and back: each error has a status and a type.

A client uses this module too, so it imports no web framework.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engrain.documents import plain
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

MEDIA_TYPE = "application/problem+json"

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
    "cross-origin": "Pages of that origin may not ask",
    "unavailable": "The store cannot be reached now",
    "stopping": "The server is stopping",
    "bug": "A bug of the server",
}
"""The types of problems, as `urn:engrain:` and the name, with their titles."""

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
"""The errors that a caller is shown as they are, and which of their attributes are in the problem document."""


class Problem(Exception):
    """The answer to a request that failed: a status, a type of `TITLES` for programs, and in words what to do.

    `extensions` are more members of the document, `headers` those of the response.
    """

    def __init__(
        self,
        status: int,
        type: str,
        detail: str,
        extensions: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.type, self.detail = status, type, detail
        self.extensions, self.headers = extensions or {}, headers or {}

    def document(self) -> dict[str, Any]:
        """Return the problem document."""
        about = {"type": f"urn:engrain:{self.type}", "title": TITLES[self.type], "status": self.status}
        return {**about, "detail": self.detail, **self.extensions}

    def response(self) -> JSONResponse:
        """Return the response."""
        from starlette.responses import JSONResponse

        return JSONResponse(self.document(), self.status, dict(self.headers), MEDIA_TYPE)


EXPECTED: tuple[type[Exception], ...] = (Problem, *ERRORS)
"""The errors that are no failure of the server."""


def retry_after(seconds: float | None = None) -> dict[str, str]:
    """Return the header that says when to try again: whole seconds, at least one."""
    return {"Retry-After": str(max(1, math.ceil(seconds or 1)))}


def with_notes(message: str, error: BaseException) -> str:
    """Return a message with the notes that were added to its error, such as which item of many it was."""
    notes = "; ".join(getattr(error, "__notes__", ()))
    return f"{message} ({notes})" if notes else message


def problem_of(error: Exception) -> Problem | None:
    """Return the problem that an error is to a caller; None for a bug, of which nothing is shown."""
    if isinstance(error, Problem):
        return error
    kind = next((kind for kind in ERRORS if isinstance(error, kind)), None)
    if kind is None:
        return None
    status, name = _status(error)
    detail = with_notes(_MESSAGES.get(kind) or str(error) or TITLES[name], error)
    members: dict[str, Any] = {"error": kind.__name__, **{name: plain(getattr(error, name)) for name in ERRORS[kind]}}
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    wait = members.get("retry_after")
    if kind is StoreUnavailable or members.get("transient") or (wait is not None and kind is not ProviderError):
        headers |= retry_after(wait)
    return Problem(status, name, detail, members, headers)


def _status(error: Exception) -> tuple[int, str]:
    """Return the status and the type of an error; the narrower class comes before the wider."""
    match error:
        case AccessDenied():
            return (401, "unauthorized") if error.role is None else (403, "denied")
        case NotFound():
            return 404, "not-found"
        case Conflict():
            return 409, "conflict"
        case RequestRepeated():
            return (422 if error.code == "OTHER_REQUEST" else 409), "repeated"
        case MemorySecurityError():
            return (422, "rejected") if error.retry_after is None else (429, "too-many")
        case GovernanceViolation() | MemoryRejected():
            return 422, "rejected"
        case ProviderError():
            return (503 if error.transient else 502), "provider"
        case AuditBroken():
            return 409, "broken-audit"
        case StoreError():
            return 503, "unavailable"
        case _:
            return 422, "invalid"


_MESSAGES: Mapping[type[Exception], str] = {  # an error of a store names its file
    StoreUnavailable: "the store is locked or out of reach: try again",
    StoreError: "the store cannot do it: the server's log says why",
}

# ----------------------------------------------------------------------------------------------------- for the client

_BY_NAME = {kind.__name__: kind for kind in ERRORS}
_BY_STATUS: Mapping[int, type[Exception]] = {
    401: AccessDenied,
    403: AccessDenied,
    404: NotFound,
    429: MemorySecurityError,
    502: StoreUnavailable,
    503: StoreUnavailable,
    504: StoreUnavailable,
    **dict.fromkeys((400, 409, 413, 415, 422), ValueError),
}
_DEFAULTS: Mapping[str, Any] = {
    "memory_id": "",
    "code": "too_many",
    "source_id": "",
    "changed": (),
    "transient": False,
    "timed_out": False,
    "unsure": False,
}
"""The attributes of an error where the document has none."""


def error_of(status: int, document: Mapping[str, Any], wait: float | None = None) -> Exception:
    """Return the error that a problem document was made of; by the status, where the document names none.

    Args:
        status: The status of the answer.
        document: The body of the answer; empty when it was no JSON.
        wait: The seconds of its `Retry-After`, None without one.
    """
    if document.get("type") in ("urn:engrain:no-route", "urn:engrain:method"):
        return ConfigError("the server has nothing at this address: is its url right, and is it as new as this client?")
    kind = _BY_NAME.get(str(document.get("error"))) or _BY_STATUS.get(status, EngrainError)
    message = str(document.get("detail") or document.get("title") or f"the server answered {status}")
    defaults = {**_DEFAULTS, "role": None if status == 401 else "", "retry_after": wait, "reasons": (message,)}
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    for name in ERRORS.get(kind, ()):
        value = document.get(name, defaults.get(name))
        setattr(error, name, tuple(value) if isinstance(value, list) else value)
    if isinstance(error, StoreError):
        error.path = ""
    return error
