"""An endpoint for each operation: read the request, do it in a thread, write the answer."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated, Any

import anyio.to_thread
from fastapi import Query, Request, Response
from pydantic import BaseModel
from starlette.responses import JSONResponse

from recollect.documents import document
from recollect.interfaces.access import perform
from recollect.interfaces.operations import Operation
from recollect.interfaces.rest.models import given, named_in, placed, request_model
from recollect.interfaces.rest.problems import Problem
from recollect.interfaces.rest.serving import Serving
from recollect.interfaces.rest.views import VIEW, asked_in
from recollect.interfaces.routes import Route
from recollect.models import JSON
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
            inspect.Parameter("asked", keyword, annotation=kind),
        ]
    )
    call.__name__ = operation.method.replace(".", "_")
    call.__doc__ = operation.summary
    return call


def _answer(
    serving: Serving, operation: Operation, request: Request, asked: BaseModel, path: Mapping[str, str]
) -> Response:
    """Do what a request asks for; in a thread of its own, whatever becomes of the connection."""
    values, scope = given(asked, operation)
    more, where = placed(path, operation)
    asked_for = asked_in(request.headers.get(VIEW), {**scope, **where})
    result = perform(serving.memory, request.state.caller, operation, {**values, **more}, asked_for)
    return respond(operation, result)


def respond(operation: Operation, result: object) -> Response:
    """Return the result of an operation as a response: what is not there is a 404, what is new a 201 with its place."""
    if result is None and operation.answer == "result" and operation.effect == "read":
        raise Problem(404, "not-found", f"{operation.name}: there is no such thing in this scope")
    body: JSON = document(result, operation.answer)
    if isinstance(result, Remembered) and result.status != "noop" and result.memory is not None:
        return JSONResponse(body, 201, {"Location": f"/v1/memories/{result.memory.id}"})
    return JSONResponse(body)
