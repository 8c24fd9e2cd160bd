"""Entity tags of memories: read again only what has changed, change only what was read."""

from __future__ import annotations

import json
import re
from hashlib import sha256

from starlette.datastructures import Headers
from starlette.responses import Response

from engrain.documents.writing import plain
from engrain.interfaces.rest.problems import Problem
from engrain.manager import MemoryManager
from engrain.model.memory import Memory

# What reading changes: a memory that was only read is still the same.
_READING = ("access_count", "last_accessed", "accessed_before", "strength")
_TAG = re.compile(r'(?:W/)?"[^"]*"|\*')


def etag(memory: Memory) -> str:
    """Return the tag of a memory as it is: another one after every change, the same one after every read."""
    told = plain(memory)
    assert isinstance(told, dict)
    kept = {name: value for name, value in told.items() if name not in _READING}
    return f'"{sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:32]}"'


def tagged(memory: Memory, response: Response, headers: Headers, *, reads: bool) -> Response:
    """Give a response the tag of the memory it holds; nothing to send when the caller who reads has that one."""
    tag = etag(memory)
    asked = _TAG.findall(headers.get("if-none-match", "")) if reads else []
    if "*" in asked or tag in (one.removeprefix("W/") for one in asked):
        response = Response(status_code=304)
    response.headers["ETag"] = tag
    return response


def expected(view: MemoryManager, memory_id: str, headers: Headers) -> dict[str, int]:
    """Return the version that an edit is meant for, if the caller names what it read by `If-Match`.

    A memory that is another one by now is a 412 `Problem`; one that changes in between is a `Conflict`.
    """
    asked = headers.get("if-match")
    memory = None if asked is None else view.get(memory_id)
    if asked is None or memory is None:  # which the edit itself will say
        return {}
    if asked.strip() != "*" and etag(memory) not in _TAG.findall(asked):
        told = f"{memory_id} has changed since it was read: read it again and repeat the edit on what you find"
        raise Problem(412, "stale", told, {"version": memory.version})
    return {"expected_version": memory.version}
