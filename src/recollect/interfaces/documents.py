"""Results as JSON documents with stable keys, the same whichever interface sends them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from enum import Enum
from os import PathLike, fspath

from recollect.chatformats import Messages
from recollect.models import JSON, Memory
from recollect.results import Hit, Page, Recall, Reflection, Remembered


def document(result: object, answer: str = "result") -> JSON:
    """Return a result as one JSON object; a bare value or a list stands under the key `answer`."""
    found = plain(result)
    if isinstance(result, Page) and answer != "result":
        return {answer: _list(result), "next": result.next}
    if isinstance(result, Reflection):
        return {answer: found, **_fields(result.worked)}
    if isinstance(result, Messages):  # what an API takes beside the messages
        return {answer: found, "system": result.system}
    return found if isinstance(found, dict) else {answer: found}


def plain(value: object) -> object:
    """Return JSON types for whatever an operation returns: times as ISO 8601, spans in seconds."""
    if isinstance(value, Memory):
        return value.to_dict()
    if isinstance(value, Remembered):
        memory = value.memory
        return {
            "id": None if memory is None else memory.id,
            "status": value.status,
            "decision": plain(value.decision),
            "memory": plain(memory),
            "others": _list(value.others),
        }
    if isinstance(value, Hit):
        return {"id": value.id, **_fields(value)}
    if isinstance(value, Recall):
        told = ("query", "intent", "abstained", "iterations", "sufficient", "queries")
        return {
            **{name: plain(getattr(value, name)) for name in told},
            "hits": _list(value),
            "trace": _list(value.trace),
        }
    if isinstance(value, Page):
        return {"memories": _list(value), "next": value.next}
    return _simple(value)


def _simple(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, PathLike):
        return fspath(value)
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return _list(value)
    return value


def _fields(value: object) -> JSON:
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}  # type: ignore[arg-type]


def _list(values: Sequence[object]) -> list[object]:
    return [plain(item) for item in values]
