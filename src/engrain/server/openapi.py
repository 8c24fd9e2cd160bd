"""The OpenAPI document: what FastAPI knows of requests, and next to it what every answer looks like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI

from engrain.documents import result_schema
from engrain.model.memory import JSON
from engrain.operations.schema import Operation, Route
from engrain.operations.table import EXAMPLES, OPERATIONS, ROUTES
from engrain.operations.table import LOCAL_ONLY as AT_THE_MACHINE
from engrain.server.files import file_parameter, is_download
from engrain.server.problems import MEDIA_TYPE, TITLES
from engrain.server.wire import IDEMPOTENCY_KEY, PREFIX, REPLAYED, VIEW_HEADER

_STATUSES: Mapping[str, str] = {
    "400": "The request is no HTTP that can be read",
    "401": TITLES["unauthorized"],
    "403": TITLES["denied"],
    "404": TITLES["not-found"],
    "409": "It has changed since, or a request with that key was sent before",
    "408": TITLES["timeout"],
    "413": TITLES["too-large"],
    "415": TITLES["media-type"],
    "422": TITLES["invalid"],
    "421": TITLES["misdirected"],
    "429": TITLES["too-many"],
    "431": "The head of the request is too large",
    "502": TITLES["provider"],
    "503": TITLES["unavailable"],
}
_PROBLEM: JSON = {
    "title": "Problem",
    "type": "object",
    "description": "What went wrong (RFC 9457): `type` is for programs, `detail` says what to do.",
    "properties": {
        "type": {"type": "string", "enum": [f"urn:engrain:{name}" for name in TITLES]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail"],
}
REFUSED: JSON = {
    "description": "It is refused",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
"""The answer with a problem, as OpenAPI describes it."""
_TEXT: JSON = {"schema": {"type": "string"}}


def describe_answers(app: FastAPI) -> None:
    """Let the application's OpenAPI document describe every answer, and show an example of every request."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _complete(generate())
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # which is how FastAPI has its document changed


def _complete(document: dict[str, Any]) -> None:
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = _PROBLEM
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": "a key of the server"}}
    document["security"] = [{"key": []}, {}]  # without keys in the store, none is needed
    for operation, route in offered_routes():
        path = PREFIX + route.path.replace(":text}", "}")  # which is for the router alone
        entry = document["paths"][path][route.verb.lower()]
        entry["description"] = f"Needs a key of role {operation.role.value}."
        entry["parameters"] = [*entry.get("parameters", []), *_headers(operation, route)]
        entry["responses"] = _responses(operation, route, entry, schemas)
        _add_example(operation, route, entry)


def offered_routes() -> Iterator[tuple[Operation, Route]]:
    """Yield the operations that a server offers, each with all of its routes."""
    for operation in OPERATIONS:
        if operation.name not in AT_THE_MACHINE:
            yield from ((operation, route) for route in ROUTES[operation.name])


def _headers(operation: Operation, route: Route) -> list[JSON]:
    found = [(VIEW_HEADER, "the scope of the request, as `user=ana&session=monday`; next to org, user, agent, session")]
    if operation.effect != "read":
        found.append((IDEMPOTENCY_KEY, "your own key for this request: sent again, it is answered the same, done once"))
    if route.verb == "PATCH":
        found.append(("If-Match", "the ETag of what was read: edit only that"))
    if operation.name == "get":
        found.append(("If-None-Match", "the ETag of what is known: nothing is sent when it is still that"))
    return [{"name": name, "in": "header", "required": False, "description": text, **_TEXT} for name, text in found]


def _responses(operation: Operation, route: Route, entry: JSON, schemas: JSON) -> JSON:
    refused: JSON = {status: {**REFUSED, "description": text} for status, text in _STATUSES.items()}
    if route.verb == "PATCH":
        refused["412"] = {**REFUSED, "description": TITLES["stale"]}
    if operation.name == "get":
        refused["304"] = {"description": "It is still what is known", "headers": {"ETag": _TEXT}}
    if is_download(operation) and file_parameter(operation) is not None:
        return {"200": entry["responses"]["200"], **refused}
    schema, definitions = result_schema(operation.returns, operation.answer)
    schemas.update({name: _without_prefix_items(definition) for name, definition in definitions.items()})
    headers: JSON = {REPLAYED: _TEXT} if operation.effect != "read" else {}
    answer: JSON = {"content": {"application/json": {"schema": _without_prefix_items(schema)}}}
    done: JSON = {"200": {"description": operation.summary, "headers": headers, **answer}}
    if "Remembered" in definitions and operation.answer == "result":
        stored = {**headers, "Location": _TEXT, "ETag": _TEXT}
        done["201"] = {"description": "It was stored", "headers": stored, **answer}
    return {**done, **refused}


def _without_prefix_items(schema: Any) -> Any:
    """Return a schema without `prefixItems`, which OpenAPI tools misread: each item may be any of them."""
    if isinstance(schema, list):
        return [_without_prefix_items(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _without_prefix_items(value) for name, value in schema.items() if name != "prefixItems"}
    items = schema.get("prefixItems")
    return found if items is None else {**found, "items": {"anyOf": _without_prefix_items(items)}}


def _add_example(operation: Operation, route: Route, entry: JSON) -> None:
    """Put the example of an operation where a reader of the document looks for it."""
    example = dict(EXAMPLES.get(operation.name, {}))
    for parameter in entry["parameters"]:
        if parameter["in"] != "header" and parameter["name"] in example:
            parameter["example"] = example.pop(parameter["name"])
    if route.has_body and file_parameter(operation) is None:
        for content in entry.get("requestBody", {}).get("content", {}).values():
            content["example"] = example
