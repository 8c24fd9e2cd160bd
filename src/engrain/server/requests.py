"""Requests of operations: the model that each is checked by, JSON and nothing else, and mistakes in words."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Literal, NoReturn, get_args

import anyio.to_thread
from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Json, create_model

from engrain.operations.remote import native, scope_names, type_of
from engrain.operations.schema import Operation, Parameter, Route, Shape
from engrain.server.problems import Problem
from engrain.server.wire import describe_argument

_ITEMS, _QUERY_ITEMS = 1000, 256
_DEPTH, _NAMES = 64, 256
_JSON = "application/json"

# ------------------------------------------------------------------------------------------------------------- models


@cache
def request_model(operation: Operation, route: Route) -> type[BaseModel]:
    """Return the model of a body, or of a query where the route has none; unknown names are refused."""
    in_path = set(route.names)
    fields: dict[str, Any] = {}
    for parameter in operation.parameters:
        if parameter.name not in in_path and parameter.shape is not Shape.PATH:
            fields[parameter.name] = _field(parameter, query=not route.has_body)
    for name in scope_names(operation):
        if name not in in_path and name not in fields:
            fields[name] = (str | None, Field(default=None, description=describe_argument(name)))
    words = [*re.findall(r"\w+", operation.name), "Request" if route.has_body else "Query"]
    model_name = "".join(word.capitalize() for word in words)
    config = ConfigDict(extra="forbid", strict=route.has_body, title=model_name)
    return create_model(model_name, __config__=config, **fields)


def _field(parameter: Parameter, *, query: bool) -> tuple[Any, Any]:
    kind = type_of(parameter)
    if query and parameter.shape is Shape.OBJECT:
        kind = Annotated[dict[str, Any], Json]
    if parameter.repeated:
        kind = Annotated[list[kind], Field(max_length=_QUERY_ITEMS if query else _ITEMS)]  # type: ignore[valid-type]
        if query:
            kind = Annotated[kind, BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
        elif not parameter.required and parameter.shape is Shape.TEXT:
            kind = kind | (Literal[parameter.choices] if parameter.choices else str)
    if parameter.required:
        return kind, Field(description=describe_argument(parameter.name, parameter))
    # What is not given is not passed on, so the default stays the method's own; the description names it.
    return kind | None, Field(default=None, description=describe_argument(parameter.name, parameter))


def arguments(
    operation: Operation, model: BaseModel, path: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str | None]]:
    """Return what a request gives to the operation, and the scope that it names; nothing that it leaves out."""
    own = {p.name for p in operation.parameters}
    values = {name: getattr(model, name) for name in model.model_fields_set}
    scope = {name: values.pop(name) for name in scope_names(operation) if name in values and name not in own}
    if "org" in own and "org" in values:
        scope["org"] = values["org"]
    nullable = {p.name for p in operation.parameters if p.clearable}
    given = {n: native(operation, n, v) for n, v in values.items() if v is not None or n in nullable}
    given |= {name: value for name, value in path.items() if name in own}
    scope |= {name: value for name, value in path.items() if name not in own}
    return given, scope


# --------------------------------------------------------------------------------------------------------------- JSON


class JSONRequest(Request):
    """A request whose body is one JSON document as RFC 8259 has it: no NaN, no other type, no other encoding."""

    async def json(self) -> Any:
        """Return the document; raises `json.JSONDecodeError`."""
        body = await self.body()
        try:
            return _bounded(json.loads(text := body.decode(), parse_constant=_refuse_constant), text)
        except UnicodeDecodeError as error:
            raise json.JSONDecodeError("the body is not UTF-8", "", error.start) from None
        except RecursionError:
            raise json.JSONDecodeError("the body is nested too deeply", "", 0) from None
        except json.JSONDecodeError:
            raise
        except ValueError as error:  # a number of thousands of digits
            raise json.JSONDecodeError(str(error).partition(";")[0], "", 0) from None


def _bounded(value: Any, text: str) -> Any:
    """Return a document unless it is nested deeper, or has more names, than any caller means."""
    if isinstance(value, dict) and len(value) > _NAMES:
        raise json.JSONDecodeError(f"an object of more than {_NAMES} names", "", 0)
    if text.count("[") + text.count("{") > _DEPTH and _is_deeper(value, _DEPTH):
        raise json.JSONDecodeError(f"the body is nested more than {_DEPTH} deep", "", 0)
    return value


def _is_deeper(value: Any, depth: int) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        inside = (each.values() if isinstance(each, dict) else each for each in level)
        level = [one for some in inside for one in some if isinstance(one, dict | list)]
        if not level:
            return False
    return True


def _refuse_constant(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is no JSON", "", 0)


class OperationRoute(APIRoute):
    """The route of an operation: the caller is known, and counted, before the body is read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, which reads the key and the type of the body first."""
        handle = super().get_route_handler()

        async def handle_known(request: Request) -> Response:
            context = request.app.state.context
            caller = await anyio.to_thread.run_sync(context.caller, request.headers, limiter=context.threads)
            request.state.caller = caller
            writes = getattr(self.endpoint, "writes", None)
            if writes is not None:
                context.count(caller, writes)
            if self.body_field is not None and _has_body(request):
                _require_json(request)
            async with context.turn(caller):
                return await handle(JSONRequest(request.scope, request.receive))

        return handle_known


def _has_body(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


def _require_json(request: Request) -> None:
    """Refuse another type: a page of another site may send text without being asked whether it may, but no JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Problem(415, "media-type", f"send the body as {_JSON}, not as {kind or 'nothing in particular'}")


# ----------------------------------------------------------------------------------------------------------- mistakes


def invalid_request(request: Request, errors: Sequence[Mapping[str, Any]]) -> Problem:
    """Return the problem of a request that does not fit its operation: the first mistakes in words, all in `errors`."""
    names = _parameter_names(request)
    mistakes = [_mistake(each, names) for each in errors]
    detail = "; ".join(f"{'.'.join(each['at'])}: {each['what']}" for each in mistakes[:3])
    if any(each["type"] == "extra_forbidden" for each in errors) and names:
        detail += f". It takes {', '.join(names)}"
    return Problem(422, "invalid", detail, {"errors": mistakes})


def _mistake(error: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    at = list(map(str, error["loc"]))
    reason = error.get("ctx", {}).get("error")
    if error["type"] == "json_invalid":
        return {"at": at[:1], "what": f"this is no JSON: {reason}, at character {at[-1]}"}
    if error["type"] == "extra_forbidden":
        near = get_close_matches(at[-1], names, n=1) if len(at) == 2 else []
        return {"at": at, "what": "there is no such name" + (f", you may mean {near[0]}" if near else "")}
    message = error["msg"]
    return {"at": at, "what": message if reason is None or str(reason) in message else f"{message}: {reason}"}


def _parameter_names(request: Request) -> list[str]:
    """Return what the operation takes in its body or query."""
    endpoint = request.scope.get("endpoint")
    parameter = None if endpoint is None else inspect.signature(endpoint).parameters.get("given")
    model = None if parameter is None else next(iter(get_args(parameter.annotation)), parameter.annotation)
    return list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []
