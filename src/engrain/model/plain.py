"""Records as plain JSON types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


def plain_fields(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as JSON types: times as ISO 8601, enumerations as strings, tuples as lists."""
    return {each.name: _plain(getattr(record, each.name)) for each in fields(record)}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    return plain_fields(value) if is_dataclass(value) else value
