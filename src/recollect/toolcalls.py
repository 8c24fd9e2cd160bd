"""Calls of tools: the usual form of one, its arguments, and what a memory keeps of those that a message makes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Call = dict[str, Any]
Object = Mapping[str, Any]
MOST_KEPT = 16_000  # characters of calls that are kept beside a text


def usual(call: Object) -> Call:
    """Return a tool call as `{"id", "type": "function", "function": {"name", "arguments"}}`, arguments a JSON text.

    `arguments` that were given as a text are kept to the letter; `id` is "" when there is none.
    """
    inside = next((call[name] for name in ("function", "custom") if isinstance(call.get(name), Mapping)), call)
    given: object = next((inside[name] for name in ("arguments", "input", "args") if inside.get(name) is not None), {})
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    named = call.get("call_id") or call.get("id") or ""
    return {
        "id": str(named),
        "type": "function",
        "function": {"name": str(inside.get("name") or "unknown"), "arguments": arguments},
    }


def arguments_of(call: Object) -> dict[str, Any]:
    """Return a usual call's arguments as a mapping; what is none stands under `input`."""
    text = call["function"]["arguments"]
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        found = text
    return found if isinstance(found, dict) else {"input": found}


def kept(calls: Sequence[Object]) -> dict[str, Any]:
    """Return calls as metadata, nothing for none; of many or large ones their names alone."""
    if not calls:
        return {}
    found = [usual(call) for call in calls]
    if sum(len(json.dumps(each)) for each in found) > MOST_KEPT:
        bare = [{**each, "function": {"name": each["function"]["name"][:256], "arguments": "{}"}} for each in found]
        found = [{**each, "id": each["id"][:256]} for each in bare[: MOST_KEPT // 640]]
    return {"tool_calls": found}


def answering(named: object, name: object, *, failed: bool) -> dict[str, Any]:
    """Return, as metadata, which call a result answers, by its id and the tool's name, and that it failed if it did."""
    found: dict[str, Any] = {"tool_call_id": str(named)} if named else {}
    if name:
        found["name"] = str(name)
    return {**found, "success": False} if failed else found
