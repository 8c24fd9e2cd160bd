"""Tool calls: their usual form, and which result answers which."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

Call = dict[str, Any]
Object = Mapping[str, Any]
CALLS = ("tool_use", "tool_call", "function_call")  # what parts of a message that call a tool are named


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
    except ValueError:
        found = text
    return found if isinstance(found, dict) else {"input": found}


class Ledger:
    """Gives calls without an id one, and results without one that of the call they answer: the oldest of their name."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._open: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._taken = set(taken)
        self._given = 0

    def called(self, call: Call) -> Call:
        """Note a call, and return it with an id."""
        name, named = call["function"]["name"], call["id"] or self._new()
        self._open[named] = self._names[named] = name
        return {**call, "id": named}

    def answered(self, named: str, name: str) -> tuple[str, str]:
        """Return the id and the name of the call that a result answers, each "" when nothing tells."""
        if not named:
            named = next((one for one, called in self._open.items() if name in ("", called)), "")
        self._open.pop(named, None)
        return named, name or self._names.get(named, "")

    def _new(self) -> str:
        while (name := f"call_{self._given}") in self._taken:
            self._given += 1
        self._taken.add(name)
        return name
