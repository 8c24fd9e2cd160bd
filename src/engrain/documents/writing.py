"""Results as JSON documents with stable keys, the same whichever interface sends them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from enum import Enum
from os import PathLike, fspath

from engrain.documents.layout import RESULT, Part, listed, parts_of, repeated
from engrain.model.memory import JSON, Memory


def document(result: object, answer: str = RESULT) -> JSON:
    """Return a result as one JSON object; a bare value or a list stands under the key `answer`."""
    form = listed(type(result), answer)
    if form is None:
        found = plain(result)
        return found if isinstance(found, dict) else {answer: found}
    written = {form.key: _list(result), **_fields(result, form.parts)}  # type: ignore[arg-type]
    if form.spread is not None:
        beside = getattr(result, form.spread.name)
        written |= _fields(beside, parts_of(type(beside)) or ())
    return written


def plain(value: object) -> object:
    """Return JSON types for whatever an operation returns: times as ISO 8601, spans in seconds."""
    if isinstance(value, Memory):
        return value.to_dict()
    if listed(type(value)) is not None:
        return document(value)
    parts = parts_of(type(value))
    if parts is None:
        return _simple(value)
    again = repeated(type(value))
    first = {} if again is None else {again.name: again.of(value)}
    return {**first, **_fields(value, parts)}


def _simple(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return _list(value)
    return value


def _fields(value: object, parts: Iterable[Part]) -> JSON:
    return {part.name: plain(getattr(value, part.name)) for part in parts}


def _list(values: Iterable[object]) -> list[object]:
    return [plain(item) for item in values]
