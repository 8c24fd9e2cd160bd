"""The contract of a server and its clients, without a web framework: paths, headers, views, errors as problems."""

from __future__ import annotations

import logging
import math
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode

from engrain import errors
from engrain.documents import plain
from engrain.model.memory import Scope
from engrain.operations.schema import SCOPE, Operation

if TYPE_CHECKING:
    from starlette.responses import JSONResponse

PREFIX, MCP_PATH, CONSOLE_PATH, MEM0_PATH = "/v1", "/mcp", "/console", "/mem0"
PROBES = ("/health", "/ready", "/metrics")
CLIENT_LEFT = 499  # the status that is recorded when the client left before there was an answer; it is never sent
VIEW_HEADER = "Engrain-View"
"""`org=acme&user=ana`, encoded as a query: it narrows a request as a view narrows a program's calls."""
IDEMPOTENCY_KEY, REPLAYED = "Idempotency-Key", "Idempotent-Replayed"
MEDIA_TYPE = "application/problem+json"
_PROBLEMS = tomllib.loads(files("engrain.server").joinpath("problems.toml").read_text("utf-8"))
TITLES: Mapping[str, str] = _PROBLEMS["titles"]
"""The types of problems, as `urn:engrain:` and the name, with their titles."""
STATUSES: Mapping[str, str] = {status: TITLES.get(text, text) for status, text in _PROBLEMS["statuses"].items()}
"""The statuses of problems that every operation may answer with, and their meanings."""
SCHEMA: dict[str, Any] = _PROBLEMS["schema"]
"""The document of a problem, as JSON Schema."""
SCHEMA["properties"]["type"]["enum"] = [f"urn:engrain:{name}" for name in TITLES]
ERRORS: Mapping[type[Exception], tuple[int, str, tuple[str, ...]]] = {  # the narrower class before the wider
    errors.AccessDenied: (403, "denied", ("role",)),
    errors.NotFound: (404, "not-found", ("memory_id",)),
    errors.Conflict: (409, "conflict", ("memory_id", "expected", "found")),
    errors.RequestRepeated: (409, "repeated", ("code", "changed", "retry_after")),
    errors.MemorySecurityError: (422, "rejected", ("code", "reasons", "source_id", "retry_after")),
    errors.GovernanceViolation: (422, "rejected", ("reasons",)),
    errors.MemoryRejected: (422, "rejected", ("reasons",)),
    errors.ProviderError: (502, "provider", ("transient", "retry_after", "timed_out", "unsure")),
    errors.AuditBroken: (409, "broken-audit", ("org", "seq")),
    errors.StoreUnavailable: (503, "unavailable", ()),
    errors.StoreError: (503, "unavailable", ()),
    **dict.fromkeys(
        (errors.ScopeMissing, errors.ConfigError, OverflowError, ValueError, TypeError), (422, "invalid", ())
    ),
}
"""The errors that a caller is shown as they are: status, type, and the attributes that the problem document has."""
_MESSAGES: Mapping[type[Exception], str] = {  # an error of a store names its file
    errors.StoreUnavailable: "the store is locked or out of reach",
    errors.StoreError: "the store cannot do it: the server's log says why",
}
_BY_NAME = {kind.__name__: kind for kind in ERRORS}
_BY_STATUS: Mapping[int, type[Exception]] = {
    **dict.fromkeys((400, 409, 413, 415, 422), ValueError),
    **dict.fromkeys((401, 403), errors.AccessDenied),
    404: errors.NotFound,
    429: errors.MemorySecurityError,
    **dict.fromkeys((502, 503, 504), errors.StoreUnavailable),
}
_DEFAULTS: Mapping[str, Any] = {  # the default attributes of an error without any in its document
    **dict.fromkeys(("memory_id", "source_id"), ""),
    **dict.fromkeys(("transient", "timed_out", "unsure"), False),
    "code": "too_many",
    "changed": (),
}


def count_header(operation: Operation) -> str:
    """Return the header of a download with the number of its rows, where the method returns that."""
    return f"Engrain-{operation.answer.capitalize()}"


def format_view(scope: Scope, *, org: bool) -> str:
    """Return a view as its header; without `org` the organisation is left to the key."""
    named = {name: getattr(scope, name) for name in (SCOPE if org else SCOPE[1:])}
    return urlencode({name: value for name, value in named.items() if value is not None})


def parse_view(header: str | None, elsewhere: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the view that a request names in its header and `elsewhere`; a contradiction is a `ValueError`."""
    try:
        pairs = parse_qsl(header or "", keep_blank_values=True, errors="strict", max_num_fields=len(SCOPE))
    except ValueError:
        raise ValueError(f"{VIEW_HEADER} cannot be read: write it as user=ana&session=monday, each name once") from None
    view: dict[str, str | None] = dict(pairs)
    if len(view) < len(pairs):
        raise ValueError(f"{VIEW_HEADER} repeats a name: give each of {', '.join(SCOPE)} once")
    if unknown := sorted(view.keys() - set(SCOPE)):
        raise ValueError(f"{VIEW_HEADER} has no {unknown[0]!r}: it takes {', '.join(SCOPE)}")
    for name, value in elsewhere.items():
        if value is not None and view.setdefault(name, value) != value:
            raise ValueError(f"this view is bound to {name} {view[name]!r} and cannot become {value!r}")
    return view


class Problem(Exception):
    """The answer to a failed request, of a type of `TITLES`; `extensions` are members, `headers` the response's."""

    def __init__(
        self,
        status: int,
        type: str,
        detail: str,
        extensions: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.type = type
        self.detail = detail
        self.extensions: Final = extensions or {}
        self.headers: Mapping[str, str] = headers or {}

    def response(self) -> JSONResponse:
        """Return the response."""
        from starlette.responses import JSONResponse

        about = {"type": f"urn:engrain:{self.type}", "title": TITLES[self.type], "status": self.status}
        document = {**about, "detail": self.detail, **self.extensions}
        return JSONResponse(document, self.status, dict(self.headers), MEDIA_TYPE)


EXPECTED: tuple[type[Exception], ...] = (Problem, *ERRORS)  # the errors that are no failure of the server


def retry_after(seconds: float | None = None) -> dict[str, str]:
    """Return the header with the time to wait: whole seconds, at least one."""
    return {"Retry-After": str(max(1, math.ceil(seconds or 1)))}


def problem_of(error: Exception) -> Problem | None:
    """Return an error as the problem for a caller; None for a bug, whose details are not exposed."""
    if isinstance(error, Problem):
        return error
    kind = next((kind for kind in ERRORS if isinstance(error, kind)), None)
    if kind is None:
        return None
    status, name, attributes = ERRORS[kind]
    if kind in _MESSAGES:
        logging.getLogger("engrain.server").error("the store failed", exc_info=error)
    headers: dict[str, str] = {}
    if isinstance(error, errors.AccessDenied) and error.role is None:
        status, name, headers = 401, "unauthorized", {"WWW-Authenticate": "Bearer"}
    elif isinstance(error, errors.RequestRepeated) and error.code == "OTHER_REQUEST":
        status = 422
    elif isinstance(error, errors.MemorySecurityError) and error.retry_after is not None:
        status, name = 429, "too-many"
    elif isinstance(error, errors.ProviderError) and error.transient:
        status = 503
    detail = _MESSAGES.get(kind) or str(error) or TITLES[name]
    if notes := "; ".join(getattr(error, "__notes__", ())):  # such as which item of many it was
        detail = f"{detail} ({notes})"
    members: dict[str, Any] = {"error": kind.__name__, **{name: plain(getattr(error, name)) for name in attributes}}
    wait = members.get("retry_after")
    waits = wait is not None and kind is not errors.ProviderError
    if kind is errors.StoreUnavailable or members.get("transient") or waits:
        headers |= retry_after(wait)
    return Problem(status, name, detail, members, headers)


def error_sentence(error: Exception, log: logging.Logger) -> str:
    """Return an error and its remedy as a sentence for an agent or a person; a bug is only reported as one."""
    if (problem := problem_of(error)) is not None:
        after = problem.headers.get("Retry-After")
        return f"{problem.detail} (try again in {after} seconds)" if after else problem.detail
    log.error("a call failed by a bug", exc_info=error)
    return "this is a bug of the server, not of your call: its log says where it happened"


def error_of(status: int, document: Mapping[str, Any], wait: float | None = None) -> Exception:
    """Return the error that a problem document was made of; by the status, if the document names none."""
    if document.get("type") in ("urn:engrain:no-route", "urn:engrain:method"):
        nothing = "the server has nothing at this address: is its url right, and is it as new as this client?"
        return errors.ConfigError(nothing)
    kind = _BY_NAME.get(str(document.get("error"))) or _BY_STATUS.get(status, errors.EngrainError)
    message = str(document.get("detail") or document.get("title") or f"the server answered {status}")
    defaults = {**_DEFAULTS, "role": None if status == 401 else "", "retry_after": wait, "reasons": (message,)}
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    for name in ERRORS[kind][2] if kind in ERRORS else ():
        value = document.get(name, defaults.get(name))
        setattr(error, name, tuple(value) if isinstance(value, list) else value)
    if isinstance(error, errors.StoreError):
        error.path = ""
    return error
