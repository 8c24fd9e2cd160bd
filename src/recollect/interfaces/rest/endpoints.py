"""An endpoint for each operation: read the request, do it in a thread, write the answer."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated, Any

import anyio.to_thread
from fastapi import Query, Request, Response
from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from recollect.interfaces.access import Caller, perform, view_of
from recollect.interfaces.documents import document
from recollect.interfaces.operations import Operation
from recollect.interfaces.rest.etags import etag, expected, tagged
from recollect.interfaces.rest.models import MOST, given, named_in, placed, request_model
from recollect.interfaces.rest.problems import Problem
from recollect.interfaces.rest.serving import Serving
from recollect.interfaces.rest.stages import add_stages
from recollect.interfaces.routes import Route
from recollect.models import JSON, Memory
from recollect.results import Remembered

Endpoint = Callable[..., Awaitable[Response]]


def endpoint(serving: Serving, operation: Operation, route: Route) -> Endpoint:
    """Return the endpoint of an operation at a route; its signature says to FastAPI what a request may hold."""
    model, apart = request_model(operation, route), named_in(route.path)

    async def call(request: Request, **values: Any) -> Response:
        asked: BaseModel = values.pop("asked")
        return await anyio.to_thread.run_sync(
            partial(_answer, serving, operation, request, asked, values), limiter=serving.limiter
        )

    kind: Any = model if route.has_body else Annotated[model, Query()]
    keyword = inspect.Parameter.KEYWORD_ONLY
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("request", keyword, annotation=Request),
            *(inspect.Parameter(name, keyword, annotation=str) for name in apart),
            inspect.Parameter("asked", keyword, annotation=kind, default=_nothing(model)),
        ]
    )
    call.__name__ = operation.method.replace(".", "_")
    call.__doc__ = operation.summary
    return call


def _nothing(model: type[BaseModel]) -> Any:
    """Return what a request without a body asks for, where that is enough."""
    needed = any(field.is_required() for field in model.model_fields.values())
    return inspect.Parameter.empty if needed else model()


def _answer(
    serving: Serving, operation: Operation, request: Request, asked: BaseModel, path: Mapping[str, str]
) -> Response:
    """Do what a request asks for; in a thread of its own, whatever becomes of the connection."""
    caller: Caller = request.state.caller
    serving.count(caller, writes=operation.effect != "read")
    values, scope = given(asked, operation)
    more, where = placed(path, operation)
    values, scope = {**values, **more}, {**scope, **where}
    if operation.name == "flush":
        values.setdefault("timeout", MOST["timeout"])  # a thread is not lent for longer
    if operation.name == "update":
        values |= expected(view_of(serving.memory, caller, scope), more["memory_id"], request.headers)
    result = perform(serving.memory, caller, operation, values, scope)
    add_stages(result)
    return respond(operation, result, request.headers)


def respond(operation: Operation, result: object, headers: Headers) -> Response:
    """Return the result of an operation as a response: what is not there is a 404, what is new a 201 with its place."""
    if result is None and operation.answer == "result" and operation.effect == "read":
        raise Problem(404, "not-found", f"{operation.name}: there is no such thing in this scope")
    body: JSON = document(result, operation.answer)
    if isinstance(result, Memory):
        return tagged(result, JSONResponse(body), headers, reads=operation.effect == "read")
    if isinstance(result, Remembered) and result.memory is not None:
        status = 200 if result.status == "noop" else 201
        return JSONResponse(body, status, {"Location": f"/v1/memories/{result.memory.id}", "ETag": etag(result.memory)})
    return JSONResponse(body)
