"""The endpoint of each operation: check the request by a model, call in a thread, once for each key, and answer."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from fastapi import Query, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Json, create_model
from starlette.datastructures import Headers

from engrain.arguments import intended
from engrain.documents import document, plain
from engrain.idempotency import StoredAnswer
from engrain.manager import MemoryManager
from engrain.model.audit import Key
from engrain.model.memory import JSON, Memory
from engrain.model.results import Remembered
from engrain.operations import schema
from engrain.operations.schema import ITEMS, MOST, SCOPE, Operation, Parameter, Route, Shape, scope_names, type_of
from engrain.operations.table import describe
from engrain.server.callers import perform, view_of
from engrain.server.context import ServerContext
from engrain.server.limits import BUDGET, RECORDS, cost_of
from engrain.server.observability import trace_recall
from engrain.server.wire import IDEMPOTENCY_KEY, PREFIX, REPLAYED, VIEW_HEADER, Problem, parse_view
from engrain.text import json_text
from engrain.validation import each_once

Endpoint = Callable[..., Awaitable[Response]]
T = TypeVar("T")
_ITEMS, _QUERY_ITEMS = 1000, 256
_DEPTH, _NAMES = 64, 256
_LONG_BODIES = 2  # of one key that are received concurrently
_JSON = "application/json"
# What reading changes: a memory that was only read is still the same.
_CHANGED_BY_READS = ("access_count", "last_accessed", "accessed_before", "strength")
_TAG = re.compile(r'(?:W/)?"[^"]*"|\*')


@cache
def request_model(operation: Operation, route: Route) -> type[BaseModel]:
    """Return the model of a body, or of a query if the route has none; unknown names are refused."""
    in_path = set(route.names)
    fields: dict[str, Any] = {}
    for parameter in operation.parameters:
        if parameter.name not in in_path and parameter.shape is not Shape.PATH:
            kind: Any = _type(parameter, query=not route.has_body)
            default: Any = ...
            if not parameter.required:  # so that the default stays the method's own; the description names it
                kind, default = kind | None, None
            fields[parameter.name] = (kind, Field(default, description=parameter.served_help))
    for name in scope_names(operation):
        if name not in in_path and name not in fields:
            fields[name] = (str | None, Field(default=None, description=describe(name)))
    words = [*re.findall(r"\w+", operation.name), "Request" if route.has_body else "Query"]
    model_name = "".join(word.capitalize() for word in words)
    config = ConfigDict(extra="forbid", strict=route.has_body, title=model_name)
    return create_model(model_name, __config__=config, **fields)


def _type(parameter: Parameter, *, query: bool) -> Any:
    kind = type_of(parameter)
    if query and parameter.shape is Shape.OBJECT:
        kind = Annotated[Annotated[dict[str, Any], Json], BeforeValidator(_checked_json)]
    if parameter.repeated:
        kind = Annotated[list[kind], Field(max_length=_QUERY_ITEMS if query else ITEMS.get(parameter.name, _ITEMS))]  # type: ignore[valid-type]
        if query:
            return Annotated[kind, BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
        if parameter.shape is Shape.TEXT:
            return kind | (Literal[parameter.choices] if parameter.choices else str)
    return kind


def _checked_json(text: Any) -> Any:
    """Return a text of JSON as it is; raises `ValueError` where one of its objects has a name twice."""
    if isinstance(text, str):
        with suppress(json.JSONDecodeError, RecursionError):  # which the type refuses
            json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=each_once)
    return text


class JSONRequest(Request):
    """A request with a body of one JSON document as RFC 8259 has it: no NaN, no other type, no other encoding."""

    async def json(self) -> Any:
        """Return the document; raises `json.JSONDecodeError`."""
        body = await self.body()
        try:
            document = json.loads(body.decode(), parse_constant=_refuse_constant, object_pairs_hook=each_once)
            _check_size(document, exact=self.url.path.startswith(RECORDS))
        except json.JSONDecodeError:
            raise
        except UnicodeDecodeError as error:
            raise json.JSONDecodeError("the body is not UTF-8", "", error.start) from None
        except RecursionError:
            raise json.JSONDecodeError("the body is nested too deeply", "", 0) from None
        except ValueError as error:  # such as a number of thousands of digits
            raise json.JSONDecodeError(str(error).partition(";")[0], "", 0) from None
        return document


def _check_size(document: Any, *, exact: bool) -> None:
    """Refuse a document that is nested deeper, or has more names, than any caller needs."""
    if isinstance(document, dict) and len(document) > _NAMES:
        raise ValueError(f"an object of more than {_NAMES} names")
    if exact:  # the depth of records is checked later
        return
    level = [document]
    for _ in range(_DEPTH + 1):
        level = [each for each in level if isinstance(each, dict | list)]
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    if level:
        raise ValueError(f"the body is nested more than {_DEPTH} deep")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


class OperationRoute(APIRoute):
    """The route of an operation: the caller is known, and counted, before the body is read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, which reads the key and the type of the body first."""
        handle = super().get_route_handler()

        async def handle_known(request: Request) -> Response:
            context: ServerContext = request.app.state.context
            caller = await context.in_thread(partial(context.caller, request.headers))
            request.state.caller = caller
            context.count(caller, getattr(self.endpoint, "writes", False))
            headers = request.headers
            has_body = _has_body(headers)
            if self.body_field and has_body:
                require_json(headers)
            received = JSONRequest(request.scope, request.receive)
            if has_body and not getattr(self.endpoint, "streams", False):
                length = headers.get("content-length", "")
                is_long = not length.isdigit() or int(length) > context.limits.body_bytes
                counted = partial(context.admission.counted, caller.key)
                with counted("bodies"), counted("long bodies", _LONG_BODIES) if is_long else nullcontext():
                    await received.body()
            return await handle(received)

        return handle_known


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def require_json(headers: Headers) -> None:
    """Refuse another type: a page of another site may send text without a preflight request, but no JSON."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Problem(415, "media-type", f"send the body as {_JSON}, not as {kind or 'nothing in particular'}")


def invalid_request(request: Request, errors: Sequence[Mapping[str, Any]]) -> Problem:
    """Return the problem of a request that does not fit its operation: the first mistakes in words, all in `errors`."""
    names: Sequence[str] = getattr(request.scope["endpoint"], "names", ())
    mistakes = [_mistake(each, names) for each in errors]
    detail = "; ".join(f"{'.'.join(each['at'])}: {each['what']}" for each in mistakes[:3])
    if any(each["type"] in ("extra_forbidden", "unexpected_keyword_argument") for each in errors) and names:
        detail += f". It takes {', '.join(names)}"
    return Problem(422, "invalid", detail, {"errors": mistakes})


def _mistake(error: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    at = list(map(str, error["loc"]))
    reason = error.get("ctx", {}).get("error")
    if error["type"] == "json_invalid":
        return {"at": at[:1], "what": f"this is no JSON: {reason}, at character {at[-1]}"}
    if error["type"] == "extra_forbidden":
        near = intended(at[-1], names) if len(at) == 2 else None
        return {"at": at, "what": "there is no such name" + (f", you may mean {near}" if near else "")}
    message, bounds = error["msg"], (schema.LEAST.get(at[-1]), MOST.get(at[-1]))
    if error["type"].endswith("than_equal") and None not in bounds:
        message = f"it must be a number from {bounds[0]:,} to {bounds[1]:,}"
    return {"at": at, "what": message if reason is None or str(reason) in message else f"{message}: {reason}"}


def endpoint(operation: Operation, route: Route) -> Endpoint:
    """Return the endpoint of an operation at a route, for the application that a request comes to."""

    async def call(request: Request, **received: Any) -> Response:
        made = OperationCall.of(request.app.state.context, operation, request, **received)
        if operation.name == "flush":
            made.values.setdefault("timeout", MOST["timeout"])  # a thread is not lent for longer
        return await made.in_thread(made.execute)

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
    call.names = tuple(model.model_fields)  # type: ignore[attr-defined]  # which `invalid_request` lists
    call.in_query = in_query  # type: ignore[attr-defined]
    call.writes = operation.effect != "read"  # type: ignore[attr-defined]  # which `OperationRoute` counts
    call.__name__, call.__doc__ = operation.method.replace(".", "_"), operation.summary
    return call


def _scope_in_query(request: Request, own: Collection[str]) -> dict[str, str]:
    """Return the scope in the query of a request with a body; raises `Problem` for arguments that would not count."""
    in_query = getattr(request.scope["endpoint"], "in_query", None)
    others = [name for name in request.query_params if name not in SCOPE or (name in own and name != "org")]
    if in_query is False and others:
        detail = f"{request.method} takes its arguments in the body as JSON: send {others[0]} there, not in the query"
        raise Problem(422, "invalid", detail)
    if in_query and _has_body(request.headers) and not getattr(request.scope["endpoint"], "streams", False):
        raise Problem(422, "invalid", f"{request.method} takes its arguments in the query: send no body")
    return {} if in_query is not False else dict(request.query_params)


@dataclass(frozen=True, slots=True)
class OperationCall:
    """The call of an operation that a known caller asks for; `file_digest` identifies its file."""

    context: ServerContext
    operation: Operation
    request: Request
    values: dict[str, Any]
    view: Mapping[str, str | None]
    file_digest: str | None = None

    @classmethod
    def of(
        cls, context: ServerContext, operation: Operation, request: Request, given: BaseModel, **path: str
    ) -> OperationCall:
        """Return the call with the arguments and the view of a request; nothing that it leaves out."""
        own = {p.name: p for p in operation.parameters}
        lists = {name for name in given.model_fields_set if isinstance(getattr(given, name), list | tuple)}
        single = [name for name, _ in request.query_params.multi_items() if name not in lists]
        if repeated := [name for name in dict.fromkeys(single) if single.count(name) > 1]:
            raise Problem(422, "invalid", f"{repeated[0]} is given more than once: give it once")
        values = {**{name: getattr(given, name) for name in given.model_fields_set}, **path}
        for name, value in _scope_in_query(request, own).items():
            if values.get(name, value) != value:
                raise Problem(422, "invalid", f"{name} is {values[name]!r} in the body and {value!r} in the query")
            values[name] = value
        scope = {name: value for name, value in values.items() if name not in own or name == "org"}
        view = parse_view(request.headers.get(VIEW_HEADER), scope)
        values = {n: v for n, v in values.items() if n in own and (v is not None or own[n].takes_null)}
        return cls(context, operation, request, values, view)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run work for this call in a thread once it is admitted; only a recall ends early when the client leaves."""
        caller, llm, name = self.request.state.caller, self.context.memory.llm, self.operation.name
        writes = self.operation.effect != "read"
        defaults = {each.name: each.default for each in self.operation.parameters if each.name in ("k", "limit")}
        cost = cost_of(
            {**defaults, **self.values},
            bytes=0 if self.operation.file else len(await self.request.body()),
            scoped=any(self.view.get(each) or getattr(caller.scope, each, None) for each in ("user", "agent")),
            waits=name == "flush" or (llm is not None and (writes or name == "synthesize")),
        )
        cost = BUDGET if self.operation.file else cost
        return await self.context.admitted(work, self.request.receive, key=caller.key, cost=cost, writes=writes)

    def execute(self) -> Response:
        """Call the operation and return the answer; a write that was answered before is answered the same again."""
        if "if-match" in self.request.headers and self.operation.name != "update":
            raise Problem(422, "invalid", "If-Match is for PATCH: nothing else is done to a version")
        view = view_of(self.context.memory, self.request.state.caller, self.view)
        return once(self.request, view, partial(self._content, view), partial(self._respond, view))

    def perform(self) -> object:
        """Call the operation, if the caller may, and return its result."""
        return perform(self.context.memory, self.request.state.caller, self.operation, self.values, self.view)

    def _respond(self, view: MemoryManager) -> Response:
        if self.operation.name == "update":
            self.values.update(_expected_version(view, self.values["memory_id"], self.request.headers))
        result = self.perform()
        trace_recall(result)
        if result is None and self.operation.answer == "result" and self.operation.effect == "read":
            raise self.operation.missing(self.values)
        return _response(self.operation, result, self.request.headers)

    def _content(self, view: MemoryManager) -> str:
        """Return the parameters of the request, in an order independent of its notation."""
        owners = [view.scope.user, view.scope.agent, view.scope.session]
        values = plain({name: value for name, value in self.values.items() if not isinstance(value, Path)})
        match = self.request.headers.get("if-match")
        return json.dumps([self.operation.name, values, owners, match, self.file_digest], sort_keys=True)


def once(
    request: Request, view: MemoryManager, content: Callable[[], str], respond: Callable[[], Response]
) -> Response:
    """Return the response to a request; a write with the key and content of an answered one is answered the same."""
    key, scope = request.headers.get(IDEMPOTENCY_KEY), view.scope
    if key is None or not request.scope["endpoint"].writes:
        return respond()
    requests, caller = request.app.state.context.idempotent, request.state.caller
    attempt = requests.begin(scope.org, caller.key, key, content().encode(), user=scope.user)
    if isinstance(attempt, StoredAnswer):
        headers, body = json.loads(attempt.body)
        return Response(body, attempt.status, {**headers, REPLAYED: "true"}, media_type=_JSON)
    with attempt:
        response = respond()
        if response.headers.get("Cache-Control") != "no-store":  # a secret is never stored
            headers = {name: response.headers[name] for name in ("Location", "ETag") if name in response.headers}
            body = json.dumps([headers, bytes(response.body).decode()], ensure_ascii=False)
            attempt.answer(response.status_code, body)
    return response


def _response(operation: Operation, result: object, headers: Headers) -> Response:
    """Return a result as a response: a new memory is a 201 with its address."""
    status, about, found = 200, dict[str, str](), document(result, operation.answer)
    if isinstance(result, Key):  # with its secret, which nothing on the way may keep
        about = {"Cache-Control": "no-store"}
    elif isinstance(result, Memory):
        about = {"ETag": entity_tag(found)}
        known = _TAG.findall(headers.get("if-none-match", "")) if operation.effect == "read" else []
        if "*" in known or about["ETag"] in (one.removeprefix("W/") for one in known):
            return Response(status_code=304, headers=about)
    elif isinstance(result, Remembered) and result.memory is not None:
        status = 200 if result.status == "noop" else 201
        about = {"Location": f"{PREFIX}/memories/{result.memory.id}", "ETag": entity_tag(document(result.memory))}
    return Response(json_text(found), status, about, media_type=_JSON)


def entity_tag(memory: JSON) -> str:
    """Return the ETag of a memory: another one after every change, the same one after every read."""
    fields = {name: value for name, value in memory.items() if name not in _CHANGED_BY_READS}
    return f'"{sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:32]}"'


def _expected_version(view: MemoryManager, memory_id: str, headers: Headers) -> dict[str, int]:
    """Return the version that `If-Match` names, for an edit; a memory that has changed is a 412 `Problem`."""
    match = headers.get("if-match")
    memory = None if match is None else view.get(memory_id)
    if match is None or memory is None:  # which the edit itself reports
        return {}
    if match.strip() != "*" and entity_tag(document(memory)) not in _TAG.findall(match):
        detail = f"{memory_id} has changed since it was read: read it again and repeat the edit on what you find"
        raise Problem(412, "stale", detail, {"version": memory.version})
    return {"expected_version": memory.version}
