"""An endpoint for each operation: read the request, do it in a thread, write the answer."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated, Any

import anyio.to_thread
from fastapi import Query, Request, Response
from pydantic import BaseModel

from engrain.interfaces.rest.carrying import carry_out
from engrain.interfaces.rest.models import given, named_in, placed, request_model
from engrain.interfaces.rest.serving import Serving
from engrain.interfaces.rest.views import VIEW, asked_in
from engrain.operations.remote import MOST
from engrain.operations.schema import Operation, Route

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
    call.writes = operation.effect != "read"  # type: ignore[attr-defined]  # which its route counts
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
    values, scope = given(asked, operation)
    more, where = placed(path, operation)
    scope = asked_in(request.headers.get(VIEW), {**scope, **where})
    values |= more
    if operation.name == "flush":
        values.setdefault("timeout", MOST["timeout"])  # a thread is not lent for longer
    return carry_out(serving, operation, request, values, scope)
