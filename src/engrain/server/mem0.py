"""mem0's REST routes over a memory, under /mem0: for clients of a mem0 server."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from engrain.integrations.mem0 import IDS, Memory
from engrain.model.audit import Role
from engrain.model.memory import actor_context
from engrain.server.admission import cost_of
from engrain.server.callers import view_of
from engrain.server.context import ServerContext
from engrain.server.endpoints import OperationRoute, require_json
from engrain.server.wire import MEM0_PATH, Problem

_ONE = "/memories/{memory_id}"
_ROUTES = (  # the method of `Memory`, and the role that it needs
    ("POST", "/memories", "add", Role.WRITE),
    ("GET", "/memories", "get_all", Role.READ),
    ("DELETE", "/memories", "delete_all", Role.ADMIN),  # it erases
    ("GET", _ONE, "get", Role.READ),
    ("PUT", _ONE, "update", Role.WRITE),
    ("DELETE", _ONE, "delete", Role.WRITE),
    ("GET", f"{_ONE}/history", "history", Role.READ),
    ("POST", "/search", "search", Role.READ),
    ("POST", "/reset", "reset", Role.ADMIN),
)


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
            key = headers.get("x-api-key") or (token if scheme.lower() == "token" else "")
            if key:
                headers["authorization"] = f"Bearer {key}"
            request.scope["headers"] = headers.raw
            return await handle(request)

        return handle_key


def _endpoint(context: ServerContext, name: str, role: Role) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    async def call(request: Request) -> Response:
        caller, body = request.state.caller, await request.body()
        caller.needs(role, name)
        given: dict[str, Any] = dict(request.query_params)
        if "top_k" in given:
            try:
                given["top_k"] = int(given["top_k"])
            except ValueError:
                raise Problem(422, "invalid", f"top_k is a whole number, not {given['top_k']!r}") from None
        if body:
            require_json(request.headers)
            sent = await request.json()
            if not isinstance(sent, dict):
                raise Problem(422, "invalid", "send an object")
            given |= sent
        ids = {scope: value for each, scope in IDS.items() if isinstance(value := given.get(each), str)}
        if name in ("search", "get_all"):
            given["filters"] = {**(given.get("filters") or {}), **{n: given.pop(n) for n in IDS if n in given}}

        def work() -> Any:
            view_of(context.memory, caller, ids)  # another scope than the key's is refused as such
            with actor_context(caller.actor, reviews=caller.role.covers(Role.REVIEW)):
                return getattr(Memory(view_of(context.memory, caller, {})), name)(**given, **request.path_params)

        writes = role is not Role.READ
        sizes = {"k": given.get("top_k"), "messages": given.get("messages")}
        scoped, waits = bool(ids) or caller.scope is not None, writes and context.memory.llm is not None
        cost = cost_of(sizes, bytes=len(body), scoped=scoped, waits=waits)
        answer = await context.admitted(work, request.receive, key=caller.key, cost=cost, writes=writes)
        if answer is None:
            raise Problem(404, "not-found", "there is no such memory in this scope")
        return JSONResponse(answer)

    call.writes = role is not Role.READ  # type: ignore[attr-defined]  # which `OperationRoute` counts
    return call
