"""Carrying out what a request asks for: counted, once however often it is sent, and answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from engrain.documents.writing import document, plain
from engrain.interfaces.rest.etags import etag, expected, tagged
from engrain.interfaces.rest.problems import Problem
from engrain.interfaces.rest.serving import Serving
from engrain.interfaces.rest.stages import add_stages
from engrain.model.audit import Key
from engrain.model.memory import Memory, Scope
from engrain.model.results import Remembered
from engrain.once.requests import Answer
from engrain.operations.remote import Caller, perform, view_of
from engrain.operations.schema import Operation

KEY, REPLAYED = "Idempotency-Key", "Idempotent-Replayed"
_KEPT = ("Location", "ETag")


def carry_out(
    serving: Serving,
    operation: Operation,
    request: Request,
    values: dict[str, Any],
    asked: Mapping[str, str | None],
    *,
    file_digest: str | None = None,
) -> Response:
    """Do what a request asks for and return the answer; a write that was answered before is answered the same again.

    `file_digest` stands for the file that was sent, where one was: another file is another request.
    """
    caller: Caller = request.state.caller
    if "if-match" in request.headers and operation.name != "update":
        raise Problem(422, "invalid", "If-Match is for PATCH: nothing else is done to a version")
    scope = view_of(serving.memory, caller, asked).scope
    name = name_of(request, operation)
    if name is None:
        return _done(serving, operation, request, values, asked)
    what = wish(request, operation, values, scope, file_digest)
    found = serving.once.begin(scope.org, caller.key, name, what)
    if isinstance(found, Answer):
        return _again(found)
    with found as ticket:
        response = _done(serving, operation, request, values, asked)
        if response.headers.get("Cache-Control") == "no-store":  # no secret is held: sent again, it is told as done
            return response
        kept = {name: response.headers[name] for name in _KEPT if name in response.headers}
        ticket.answer(response.status_code, json.dumps([kept, bytes(response.body).decode()], ensure_ascii=False))
    return response


def name_of(request: Request, operation: Operation) -> str | None:
    """Return what the caller calls the request, None for one without a name, and for what changes nothing."""
    names = request.headers.getlist(KEY)
    if len(names) > 1:
        raise Problem(422, "invalid", f"a request has one name: send {KEY} once")
    return names[0] if names and operation.effect != "read" else None


def wish(
    request: Request, operation: Operation, values: Mapping[str, Any], scope: Scope, file_digest: str | None = None
) -> bytes:
    """Return all that a request asks for, the same whatever the order in which it says so."""
    owners = [scope.user, scope.agent, scope.session]
    said = plain({name: value for name, value in values.items() if not isinstance(value, Path)})
    told = [operation.name, said, owners, request.headers.get("if-match"), file_digest]
    return json.dumps(told, sort_keys=True).encode()


def _done(
    serving: Serving, operation: Operation, request: Request, values: dict[str, Any], asked: Mapping[str, str | None]
) -> Response:
    memory, caller = serving.memory, request.state.caller
    if operation.name == "update":
        values |= expected(view_of(memory, caller, asked), values["memory_id"], request.headers)
    result = perform(memory, caller, operation, values, asked)
    add_stages(result)
    return respond(operation, result, request.headers)


def _again(answer: Answer) -> Response:
    headers, body = json.loads(answer.body)
    told = {**headers, REPLAYED: "true"}
    return Response(body, answer.status, told, media_type="application/json")


def respond(operation: Operation, result: object, headers: Headers) -> Response:
    """Return the result of an operation as a response: what is not there is a 404, what is new a 201 with its place."""
    if result is None and operation.answer == "result" and operation.effect == "read":
        raise Problem(404, "not-found", f"{operation.name}: there is no such thing in this scope")
    body = document(result, operation.answer)
    if isinstance(result, Key):  # with its secret, which nothing on the way may keep
        return JSONResponse(body, headers={"Cache-Control": "no-store"})
    if isinstance(result, Memory):
        return tagged(result, JSONResponse(body), headers, reads=operation.effect == "read")
    if isinstance(result, Remembered) and result.memory is not None:
        status = 200 if result.status == "noop" else 201
        return JSONResponse(body, status, {"Location": f"/v1/memories/{result.memory.id}", "ETag": etag(result.memory)})
    return JSONResponse(body)
