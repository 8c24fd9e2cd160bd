"""Entities as callers name them, and files of other names, checked before anything is touched."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.entities import IDENTIFIERS, Named, name_key, refanged, type_name
from recollect.scopes import identifier
from recollect.text import check_text

MAX_NAME = 2_048  # characters: URLs are names too


def entity_named(type_: str, value: str) -> Named:
    """Return an entity as it is named; raises `ValueError` or `TypeError` for what can be no type or no name."""
    kind = type_name(identifier(type_, "entity type"))
    if not kind:
        raise ValueError(f"entity type {type_!r} has no letters: name one, such as 'actor' or 'person'")
    name = " ".join(check_text(value, what="entity name").split())
    if len(name) > MAX_NAME:
        raise ValueError(f"the entity name is {len(name):,} characters long, the limit is {MAX_NAME:,}")
    if not any(map(str.isprintable, name_key(kind, name))):  # nothing, or nothing that can be seen
        raise ValueError(f"entity name {value!r} is blank, or nothing but punctuation: give its name")
    return Named(kind, refanged(name) if kind in IDENTIFIERS else name)


def pair(value: Sequence[str], what: str) -> Named:
    """Return an entity named by a `(type, name)` pair."""
    if isinstance(value, str) or len(value) != 2:
        raise TypeError(f"{what} must be a (type, name) pair, such as ('actor', 'APT28'), not {value!r}")
    return entity_named(value[0], value[1])


def vocabulary(path: str | os.PathLike[str]) -> list[tuple[Named, list[str]]]:
    """Read a TOML or JSON file of other names, `{type: {name: [aliases]}}`; raises `ValueError` for any other shape."""
    file = Path(path)
    text = file.read_text(encoding="utf-8")
    try:
        table = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} cannot be read as {file.suffix or 'TOML'}: {error}") from None
    return [
        (entity_named(type_, name), _aliases(type_, name, aliases, file))
        for type_, known in _mapping(table, file).items()
        for name, aliases in _mapping(known, file).items()
    ]


def _mapping(value: object, file: Path) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{file} must hold types, in them names, and of each a list of aliases, not {value!r}")
    return value


def _aliases(type_: str, name: str, aliases: object, file: Path) -> list[str]:
    if isinstance(aliases, str) or not isinstance(aliases, Sequence):
        raise ValueError(f"{file}: the aliases of {name!r} must be a list, not {aliases!r}")
    return [entity_named(type_, alias).name for alias in aliases]
