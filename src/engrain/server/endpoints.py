"""The endpoint of each operation: read the request, call the operation in a thread, once for each key, and answer."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import anyio.to_thread
from fastapi import Query, Request, Response
from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from engrain.documents import document, plain
from engrain.idempotency import StoredAnswer
from engrain.manager import MemoryManager
from engrain.model.audit import Key
from engrain.model.memory import Memory, Scope
from engrain.model.results import Remembered
from engrain.operations.remote import MOST, Caller, perform, view_of
from engrain.operations.schema import Operation, Route
from engrain.server.context import ServerContext
from engrain.server.observability import trace_recall
from engrain.server.problems import Problem
from engrain.server.requests import arguments, request_model
from engrain.server.wire import IDEMPOTENCY_KEY, PREFIX, REPLAYED, VIEW_HEADER, parse_view

Endpoint = Callable[..., Awaitable[Response]]
_STORED_HEADERS = ("Location", "ETag")


def endpoint(context: ServerContext, operation: Operation, route: Route) -> Endpoint:
    """Return the endpoint of an operation at a route."""

    async def call(request: Request, **values: Any) -> Response:
        given: BaseModel = values.pop("given")
        answer = partial(_answer, context, operation, request, given, values)
        return await anyio.to_thread.run_sync(answer, limiter=context.threads)

    return described(call, operation, route, in_query=not route.has_body)


def described(call: Endpoint, operation: Operation, route: Route, *, in_query: bool) -> Endpoint:
    """Return an endpoint with the signature by which FastAPI checks requests and describes them."""
    model = request_model(operation, route)
    required = any(field.is_required() for field in model.model_fields.values())
    default = inspect.Parameter.empty if required else model()
    annotation: Any = Annotated[model, Query()] if in_query else model
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("request", keyword, annotation=Request),
        *(inspect.Parameter(name, keyword, annotation=str) for name in route.names),
        inspect.Parameter("given", keyword, annotation=annotation, default=default),
    ]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.writes = operation.effect != "read"  # type: ignore[attr-defined]  # which `OperationRoute` counts
    call.__name__ = operation.method.replace(".", "_")
    call.__doc__ = operation.summary
    return call


def _answer(
    context: ServerContext, operation: Operation, request: Request, given: BaseModel, path: Mapping[str, str]
) -> Response:
    """Do what a request asks for; in a thread of its own, whatever becomes of the connection."""
    values, scope = arguments(operation, given, path)
    if operation.name == "flush":
        values.setdefault("timeout", MOST["timeout"])  # a thread is not lent for longer
    view = parse_view(request.headers.get(VIEW_HEADER), scope)
    return OperationCall(context, operation, request, values, view).execute()


@dataclass(frozen=True, slots=True)
class OperationCall:
    """The call of an operation that a request of a known caller asks for, with these arguments, in this view.

    `file_digest` is of the file that was sent: another file is another request.
    """

    context: ServerContext
    operation: Operation
    request: Request
    values: dict[str, Any]
    view: Mapping[str, str | None]
    file_digest: str | None = None

    @property
    def caller(self) -> Caller:
        """Who asks."""
        caller: Caller = self.request.state.caller
        return caller

    def execute(self) -> Response:
        """Call the operation and return the answer; a write that was answered before is answered the same again."""
        if "if-match" in self.request.headers and self.operation.name != "update":
            raise Problem(422, "invalid", "If-Match is for PATCH: nothing else is done to a version")
        scope = view_of(self.context.memory, self.caller, self.view).scope
        key = self._idempotency_key()
        if key is None:
            return self._respond()
        attempt = self.context.idempotent.begin(scope.org, self.caller.key, key, self._content(scope))
        if isinstance(attempt, StoredAnswer):
            headers, body = json.loads(attempt.body)
            return Response(body, attempt.status, {**headers, REPLAYED: "true"}, media_type="application/json")
        with attempt:
            response = self._respond()
            if response.headers.get("Cache-Control") != "no-store":  # a secret is never stored
                headers = {name: response.headers[name] for name in _STORED_HEADERS if name in response.headers}
                body = json.dumps([headers, bytes(response.body).decode()], ensure_ascii=False)
                attempt.answer(response.status_code, body)
        return response

    def perform(self) -> object:
        """Call the operation, if the caller may, and return its result."""
        return perform(self.context.memory, self.caller, self.operation, self.values, self.view)

    def _respond(self) -> Response:
        if self.operation.name == "update":
            view = view_of(self.context.memory, self.caller, self.view)
            self.values.update(_expected_version(view, self.values["memory_id"], self.request.headers))
        result = self.perform()
        trace_recall(result)
        return _response(self.operation, result, self.request.headers)

    def _idempotency_key(self) -> str | None:
        """Return the caller's key for the request, None for one without, and for what changes nothing."""
        keys = self.request.headers.getlist(IDEMPOTENCY_KEY)
        if len(keys) > 1:
            raise Problem(422, "invalid", f"a request has one key: send {IDEMPOTENCY_KEY} once")
        return keys[0] if keys and self.operation.effect != "read" else None

    def _content(self, scope: Scope) -> bytes:
        """Return all that the request asks for, the same in whatever order it is written."""
        owners = [scope.user, scope.agent, scope.session]
        values = plain({name: value for name, value in self.values.items() if not isinstance(value, Path)})
        match = self.request.headers.get("if-match")
        return json.dumps([self.operation.name, values, owners, match, self.file_digest], sort_keys=True).encode()


def _response(operation: Operation, result: object, headers: Headers) -> Response:
    """Return a result as a response: what is not there is a 404, what is new a 201 with its address."""
    if result is None and operation.answer == "result" and operation.effect == "read":
        raise Problem(404, "not-found", f"{operation.name}: there is no such thing in this scope")
    body = document(result, operation.answer)
    if isinstance(result, Key):  # with its secret, which nothing on the way may keep
        return JSONResponse(body, headers={"Cache-Control": "no-store"})
    if isinstance(result, Memory):
        return _tagged(result, body, headers, reads=operation.effect == "read")
    if isinstance(result, Remembered) and result.memory is not None:
        status = 200 if result.status == "noop" else 201
        about = {"Location": f"{PREFIX}/memories/{result.memory.id}", "ETag": entity_tag(result.memory)}
        return JSONResponse(body, status, about)
    return JSONResponse(body)


# ------------------------------------------------------------------------------------------------------- entity tags

# What reading changes: a memory that was only read is still the same.
_CHANGED_BY_READS = ("access_count", "last_accessed", "accessed_before", "strength")
_TAG = re.compile(r'(?:W/)?"[^"]*"|\*')


def entity_tag(memory: Memory) -> str:
    """Return the ETag of a memory: another one after every change, the same one after every read."""
    fields = {name: value for name, value in document(memory).items() if name not in _CHANGED_BY_READS}
    return f'"{sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:32]}"'


def _tagged(memory: Memory, body: Mapping[str, Any], headers: Headers, *, reads: bool) -> Response:
    """Return a memory with its tag; 304 to a caller who reads it and has that one."""
    tag = entity_tag(memory)
    known = _TAG.findall(headers.get("if-none-match", "")) if reads else []
    if "*" in known or tag in (one.removeprefix("W/") for one in known):
        return Response(status_code=304, headers={"ETag": tag})
    return JSONResponse(body, headers={"ETag": tag})


def _expected_version(view: MemoryManager, memory_id: str, headers: Headers) -> dict[str, int]:
    """Return the version that an edit is meant for, if the caller names by `If-Match` what it read.

    A memory that has changed is a 412 `Problem`; one that changes in between is a `Conflict`.
    """
    match = headers.get("if-match")
    memory = None if match is None else view.get(memory_id)
    if match is None or memory is None:  # which the edit itself will say
        return {}
    if match.strip() != "*" and entity_tag(memory) not in _TAG.findall(match):
        detail = f"{memory_id} has changed since it was read: read it again and repeat the edit on what you find"
        raise Problem(412, "stale", detail, {"version": memory.version})
    return {"expected_version": memory.version}
