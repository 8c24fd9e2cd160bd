"""The OpenAPI document: what FastAPI knows of requests, and beside it what every answer looks like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI

from engrain.documents.schemas import result_schema
from engrain.interfaces.rest.carrying import KEY, REPLAYED
from engrain.interfaces.rest.files import file_of, is_download
from engrain.interfaces.rest.models import named_in
from engrain.interfaces.rest.problems import MEDIA, TITLES
from engrain.interfaces.rest.views import VIEW
from engrain.model.memory import JSON
from engrain.operations.schema import Operation, Route
from engrain.operations.table import EXAMPLES, OPERATIONS, ROUTES
from engrain.operations.table import LOCAL_ONLY as AT_THE_MACHINE

_STATUSES: Mapping[str, str] = {
    "400": "The request is no HTTP that can be read",
    "401": TITLES["unauthorized"],
    "403": TITLES["denied"],
    "404": TITLES["not-found"],
    "409": "It has changed since, or a request of that name was sent before",
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
    "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_TEXT: JSON = {"schema": {"type": "string"}}
_UNUSED = ("HTTPValidationError", "ValidationError")


def describe_answers(app: FastAPI) -> None:
    """Let the application's OpenAPI document say of every operation what it answers, and show how it is asked."""
    asked = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _describe(asked())
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # which is how FastAPI has its document changed


def _describe(document: dict[str, Any]) -> None:
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in _UNUSED:
        schemas.pop(name, None)
    schemas["Problem"] = _PROBLEM
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": "a key of the server"}}
    document["security"] = [{"key": []}, {}]  # without keys in the store, none is needed
    for operation, route in _offered():
        entry = document["paths"]["/v1" + _plain(route.path)][route.verb.lower()]
        entry["description"] = f"Needs a key of role {operation.role.value}."
        entry["parameters"] = [*entry.get("parameters", []), *_headers(operation, route)]
        entry["responses"] = _responses(operation, route, entry, schemas)
        _show(operation, route, entry)


def _offered() -> Iterator[tuple[Operation, Route]]:
    for operation in OPERATIONS:
        if operation.name not in AT_THE_MACHINE:
            yield from ((operation, route) for route in ROUTES[operation.name])


def _plain(path: str) -> str:
    """Return a path as the document has it, without what a router is told of its parts."""
    for name in named_in(path):
        path = path.replace(f"{{{name}:text}}", f"{{{name}}}")
    return path


def _headers(operation: Operation, route: Route) -> list[JSON]:
    found = [(VIEW, "whose memories are meant, as `user=ana&session=monday`; beside org, user, agent and session")]
    if operation.effect != "read":
        found.append((KEY, "a name of your own for this request: sent again, it is answered the same and done once"))
    if route.verb == "PATCH":
        found.append(("If-Match", "the ETag of what was read: edit only that"))
    if operation.name == "get":
        found.append(("If-None-Match", "the ETag of what is held: nothing is sent when it is still that"))
    return [{"name": name, "in": "header", "required": False, "description": text, **_TEXT} for name, text in found]


def _responses(operation: Operation, route: Route, entry: JSON, schemas: JSON) -> JSON:
    found: JSON = {status: {**REFUSED, "description": text} for status, text in _STATUSES.items()}
    if route.verb == "PATCH":
        found["412"] = {**REFUSED, "description": TITLES["stale"]}
    if operation.name == "get":
        found["304"] = {"description": "It is still what is held", "headers": {"ETag": _TEXT}}
    if is_download(operation) and file_of(operation) is not None:
        return {"200": entry["responses"]["200"], **found}
    schema, definitions = result_schema(operation.returns, operation.answer)
    schemas.update({name: _as_tools_know(definition) for name, definition in definitions.items()})
    schema = _as_tools_know(schema)
    headers: JSON = {REPLAYED: _TEXT} if operation.effect != "read" else {}
    answer: JSON = {"content": {"application/json": {"schema": schema}}}
    done: JSON = {"200": {"description": operation.summary, "headers": headers, **answer}}
    if "Remembered" in definitions and operation.answer == "result":
        stored = {**headers, "Location": _TEXT, "ETag": _TEXT}
        done["201"] = {"description": "It was stored", "headers": stored, **answer}
    return {**done, **found}


def _as_tools_know(schema: Any) -> Any:
    """Return a schema without `prefixItems`, which tools that read OpenAPI mistake: each place may hold any of them."""
    if isinstance(schema, list):
        return [_as_tools_know(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: _as_tools_know(value) for name, value in schema.items() if name != "prefixItems"}
    return told if "prefixItems" not in schema else {**told, "items": {"anyOf": _as_tools_know(schema["prefixItems"])}}


def _show(operation: Operation, route: Route, entry: JSON) -> None:
    """Put the example of an operation where a reader of the document looks for it."""
    example = dict(EXAMPLES.get(operation.name, {}))
    for parameter in entry["parameters"]:
        if parameter["in"] != "header" and parameter["name"] in example:
            parameter["example"] = example.pop(parameter["name"])
    if route.has_body and file_of(operation) is None:
        for content in entry.get("requestBody", {}).get("content", {}).values():
            content["example"] = example
