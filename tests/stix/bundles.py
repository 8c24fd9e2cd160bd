"""Small bundles, written as they are needed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from engrain.cti.stix_import import Item, Mapped, bundle_of, mapped
from engrain.model.memory import Memory, Scope, Source

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
AMBER = "marking-definition--f88d31f6-486f-44da-b317-01333bde0b82"
RED = "marking-definition--e828b379-4e03-4974-9ac4-e53a884c97c1"
COPYRIGHT = "marking-definition--11111111-2222-4333-8444-555555555555"


def id_of(type_: str, name: str) -> str:
    """Return the id that an object of that type and name has here."""
    return f"{type_}--{uuid5(NAMESPACE_URL, name)}"


def thing(type_: str, name: str, **fields: Any) -> dict[str, Any]:
    """Return an object with a name."""
    times = {"created": "2020-03-01T10:00:00.000Z", "modified": "2024-05-01T10:00:00.000Z"}
    needed = {"malware": {"is_family": True}}.get(type_, {})
    return {"type": type_, "spec_version": "2.1", "id": id_of(type_, name), **times, "name": name, **needed, **fields}


def technique(id_: str, name: str, **fields: Any) -> dict[str, Any]:
    """Return a technique of ATT&CK with its number."""
    url = f"https://attack.mitre.org/techniques/{id_.replace('.', '/')}"
    reference = {"source_name": "mitre-attack", "external_id": id_, "url": url}
    found = thing("attack-pattern", name, external_references=[reference], **fields)
    return {**found, "id": id_of("attack-pattern", id_)}


def joined(source: dict[str, Any], kind: str, target: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a relationship of two objects."""
    ends = {"relationship_type": kind, "source_ref": source["id"], "target_ref": target["id"]}
    found = thing("relationship", f"{source['id']} {kind} {target['id']}", **ends, **fields)
    return {name: held for name, held in found.items() if name != "name"}


def bundle(*objects: Any) -> dict[str, Any]:
    """Return a bundle of objects."""
    return {"type": "bundle", "id": "bundle--0c2f6a0e-6f0e-4f5e-9f0e-0c2f6a0e6f0e", "objects": list(objects)}


def written(path: Path, *objects: Any) -> Path:
    """Write a bundle and return where."""
    path.write_text(json.dumps(bundle(*objects)), encoding="utf-8")
    return path


def come_to(*objects: Any) -> Mapped:
    """Return what a bundle of objects comes to."""
    return mapped(bundle_of(bundle(*objects)), now=NOW)


def item(*objects: Any) -> Item:
    """Return what the first of some objects comes to."""
    return next(item for item in come_to(*objects).items if item.key == objects[0]["id"])


def remembered(items: Sequence[Item]) -> list[Memory]:
    """Return items as the memories that an import makes of them."""
    return [
        Memory(
            id=f"mem_{number:06d}",
            content=item.content,
            scope=Scope(),
            recorded_at=NOW,
            updated_at=NOW,
            valid_from=item.valid_from or NOW,
            valid_until=item.valid_until,
            key=item.key,
            domain="cti",
            source=Source(ref=item.source_ref),
            metadata=item.metadata,
        )
        for number, item in enumerate(items)
    ]
