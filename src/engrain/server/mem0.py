"""mem0's REST routes over a memory, under /mem0: for clients of a mem0 server."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from inspect import signature
from typing import Any

from fastapi import FastAPI, Request, Response
from pydantic import ValidationError, validate_call
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from engrain.integrations.mem0 import IDS, Memory
from engrain.model.audit import Role
from engrain.model.memory import actor_context
from engrain.operations.schema import MOST
from engrain.operations.table import OPERATIONS
from engrain.server.callers import required_role, view_of
from engrain.server.context import ServerContext
from engrain.server.endpoints import OperationRoute, invalid_request, once, require_json
from engrain.server.limits import cost_of
from engrain.server.wire import MEM0_PATH, Problem

_ONE = "/memories/{memory_id}"
_ROUTES = (  # the method of `Memory`, and the role that it needs
    ("POST", "/memories", "add", Role.WRITE), ("GET", "/memories", "get_all", Role.READ),
    ("DELETE", "/memories", "delete_all", Role.ADMIN), ("GET", _ONE, "get", Role.READ),
    ("PUT", _ONE, "update", Role.WRITE), ("DELETE", _ONE, "delete", Role.WRITE),
    ("GET", f"{_ONE}/history", "history", Role.READ), ("POST", "/search", "search", Role.READ),
    ("POST", "/reset", "reset", Role.ADMIN),
)  # fmt: skip
_CALLS = {name: validate_call(getattr(Memory, name)) for _, _, name, _ in _ROUTES}
_FORGET = next(each for each in OPERATIONS if each.name == "forget")


def add_routes(app: FastAPI) -> None:
    """Add mem0's routes to an application of this server."""
    for verb, path, name, role in _ROUTES:
        app.router.add_api_route(
            MEM0_PATH + path,
            _endpoint(app.state.context, name, role),
            methods=[verb],
            include_in_schema=False,
            route_class_override=_Mem0Route,
        )


class _Mem0Route(OperationRoute):
    """A route whose caller shows the key as mem0's clients do."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, which reads the key from `X-API-Key`, or from `Authorization: Token` too."""
        handle = super().get_route_handler()

        async def handle_key(request: Request) -> Response:
            headers = Headers(scope=request.scope).mutablecopy()
            scheme, _, token = headers.get("authorization", "").partition(" ")
            if key := headers.get("x-api-key") or (token if scheme.lower() == "token" else ""):
                headers["authorization"] = f"Bearer {key}"
            request.scope["headers"] = headers.raw
            return await handle(request)

        return handle_key


def _endpoint(context: ServerContext, name: str, role: Role) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    async def call(request: Request) -> Response:
        caller, path = request.state.caller, request.path_params
        caller.needs(role, name)
        given = await _given(request, name)
        ids = {scope: value for each, scope in IDS.items() if isinstance(value := given.get(each), str)}
        sizes = {"k": given.get("top_k"), "messages": given.get("messages")}
        if name in ("search", "get_all") and isinstance(given.get("filters") or {}, dict):
            given["filters"] = {**(given.get("filters") or {}), **{n: given.pop(n) for n in IDS if n in given}}

        def respond() -> Response:
            view = view_of(context.memory, caller, {})
            caller.needs(required_role(view, _FORGET, path) if name == "delete" else role, name)
            with actor_context(caller.actor, reviews=caller.role.covers(Role.REVIEW)):
                try:
                    answer = _CALLS[name](Memory(view), *path.values(), **given)
                except ValidationError as error:
                    raise invalid_request(request, error.errors()) from None
            if answer is None:
                raise Problem(404, "not-found", "there is no such memory in this scope")
            return JSONResponse(answer)

        def work() -> Response:
            view = view_of(context.memory, caller, ids)  # another scope than the key's is refused as such
            return once(request, view, partial(json.dumps, [name, given, path], sort_keys=True), respond)

        writes, size = role is not Role.READ, len(await request.body())
        scoped, waits = bool(ids) or caller.scope is not None, writes and context.memory.llm is not None
        cost = cost_of(sizes, bytes=size, scoped=scoped, waits=waits)
        return await context.admitted(work, request.receive, key=caller.key, cost=cost, writes=writes)

    call.writes = role is not Role.READ  # type: ignore[attr-defined]  # which `OperationRoute` counts
    call.names = [*signature(getattr(Memory, name)).parameters][1:]  # type: ignore[attr-defined]
    return call


async def _given(request: Request, name: str) -> dict[str, Any]:
    """Return the arguments of a call in the query and the body, with `top_k` for `limit`, its other name."""
    given: dict[str, Any] = dict(request.query_params)
    if await request.body():
        require_json(request.headers)
        sent = await request.json()
        if not isinstance(sent, dict):
            raise Problem(422, "invalid", "send an object")
        given |= sent
    if name in ("search", "get_all") and "limit" in given:
        given["top_k"] = given.pop("limit")
    with suppress(KeyError, TypeError, ValueError, OverflowError):  # which the method's own check refuses
        if int(given["top_k"]) > MOST["k"]:
            raise Problem(422, "invalid", f"top_k is {given['top_k']}: it must be at most {MOST['k']:,}")
    return given
