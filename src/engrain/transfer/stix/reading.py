"""A STIX bundle out of a file: its objects, each once, and what in it is none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from engrain.chat.logs import LARGEST, open_file, too_large
from engrain.transfer.stix.naming import is_later

Object = Mapping[str, Any]

SPEC_VERSIONS = ("2.0", "2.1")
OURS = "extension-definition--9f3d4a06-3c55-5f1f-8d7e-2a1c6b0e7d94"
"""The extension under which an export keeps what a standard object has no place for."""

PRODUCER = "identity--6a1d3a5e-4b0f-5c57-9f0a-7f2d9b8e1c34"
"""Who an export says made it; it is nobody to remember."""

_ID = re.compile(r"([a-z0-9][a-z0-9-]*)--[0-9A-Za-z][0-9A-Za-z-]*")


class Refused(NamedTuple):
    """An object that was not taken, by its id (or its place in the bundle), and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """The objects of a bundle in its order; of several versions of one object the last modified."""

    objects: tuple[Object, ...]
    rejected: tuple[Refused, ...] = ()
    repeated: int = 0


def read_bundle(path: Path) -> Bundle:
    """Read a bundle, packed or not; a file that is not JSON or holds no bundle is a `ValueError` that says so."""
    with open_file(path) as file:
        packed = file.read(LARGEST + 1)
    if reason := too_large(packed):
        raise ValueError(f"{path}: {reason}")
    try:
        document = json.loads(packed)
    except json.JSONDecodeError as problem:
        raise ValueError(f"{path}, line {problem.lineno}: not JSON: {problem.msg}") from None
    except RecursionError:
        raise ValueError(f"{path}: nested too deep to be a bundle") from None
    except ValueError as problem:
        raise ValueError(f"{path}: not JSON: {problem}") from None
    return bundle_of(document, str(path))


def bundle_of(document: object, name: str = "the document") -> Bundle:
    """Take a parsed document for a bundle, or say with a `ValueError` why it is none."""
    if not isinstance(document, Mapping) or document.get("type") != "bundle":
        raise ValueError(f'{name} is no STIX bundle: it must be a JSON object of type "bundle"')
    version = document.get("spec_version", SPEC_VERSIONS[-1])
    if version not in SPEC_VERSIONS:
        raise ValueError(f"{name} is a bundle of STIX {version}: it must be 2.1, or 2.0, which is read alike")
    objects = document.get("objects", [])
    if not isinstance(objects, list):
        raise ValueError(f"{name}: the objects of a bundle are a list, not {type(objects).__name__}")
    return _last_versions(objects)


def _last_versions(values: list[object]) -> Bundle:
    found: dict[str, Object] = {}
    rejected: list[Refused] = []
    repeated = 0
    for place, value in enumerate(values, start=1):
        reason = why_no_object(value)
        if reason:
            rejected.append(Refused(_name(value, place), reason))
            continue
        assert isinstance(value, Mapping)
        known = found.get(value["id"])
        repeated += known is not None
        if known is None or is_later(value.get("modified"), known.get("modified")):
            found[value["id"]] = _unfolded(value)
    return Bundle(tuple(found.values()), tuple(rejected), repeated)


def why_no_object(value: object) -> str:
    """Say why a value is no object of STIX, empty if it is one."""
    if not isinstance(value, Mapping):
        return f"an object is a JSON object, not {type(value).__name__}"
    type_, id_ = value.get("type"), value.get("id")
    if not isinstance(type_, str) or not type_:
        return "the object has no type"
    if not isinstance(id_, str) or not id_:
        return "the object has no id"
    shape = _ID.fullmatch(id_)
    if shape is None or shape[1] != type_ or len(id_) > 256:
        return f"the id is not one of type {type_}: it must be {type_}--<UUID>"
    version = value.get("spec_version", SPEC_VERSIONS[-1])
    if version not in SPEC_VERSIONS:
        return f"the object is of STIX {version}: it must be 2.1 or 2.0"
    return ""


def _name(value: object, place: int) -> str:
    id_ = value.get("id") if isinstance(value, Mapping) else None
    return id_[:256] if isinstance(id_, str) and id_ else f"object {place}"


def _unfolded(value: Object) -> Object:
    """Return an object with what an export put aside in its own extension back in its place."""
    extensions = value.get("extensions")
    if not isinstance(extensions, Mapping) or not isinstance(extensions.get(OURS), Mapping):
        return value
    others = {name: extension for name, extension in extensions.items() if name != OURS}
    aside = {name: kept for name, kept in extensions[OURS].items() if name.startswith("x_") or name == "aliases"}
    plain = {name: kept for name, kept in value.items() if name != "extensions"}
    return {**aside, **plain, **({"extensions": others} if others else {})}
