"""Messages as mappings, lists and plain values, whether an SDK gives mappings or objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

_READ = (
    *("role", "type", "content", "text", "name", "speaker", "actor", "at", "timestamp", "created_at", "id"),
    *("tool_calls", "function", "arguments", "input", "args", "data", "kwargs"),
    *("tool_call_id", "tool_use_id", "call_id", "is_error", "status", "output", "function_call", "custom", "refusal"),
    *("parts", "thought", "function_response", "response"),
)
_DEEPEST = 8  # of objects, which may refer to each other
_DEEPEST_VALUE = 50  # of mappings and lists, as the arguments of a tool may be


def listed(messages: object) -> list[object]:
    """Return messages as a list: a text is what the user says, a message on its own a list of one."""
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    if isinstance(messages, Mapping) or any(hasattr(messages, name) for name in ("content", "parts", "role", "type")):
        return [messages]
    if not isinstance(messages, Iterable) or isinstance(messages, bytes):
        raise TypeError(f"messages must be a text, a message or a list of messages, not {type(messages).__name__}")
    return list(messages)


def plain(value: object, depth: int = 0) -> object:
    """Return a message as mappings, lists and plain values: what SDKs give as objects is read by its attributes."""
    if value is None or isinstance(value, str | int | float | date):
        return value
    contains = isinstance(value, Mapping | list | tuple)
    if depth >= (_DEEPEST_VALUE if contains else _DEEPEST):
        return None
    if isinstance(value, Mapping):
        return {str(name): plain(each, depth + 1) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each, depth + 1) for each in value]
    found = {name: getattr(value, name, None) for name in _READ}
    return {name: plain(each, depth + 1) for name, each in found.items() if each is not None and not callable(each)}
