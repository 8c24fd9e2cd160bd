"""What is remembered as objects of STIX: entities, relationships and memories, with ids that stay the same. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from engrain.model.entities import Entity, Relationship, name_key
from engrain.model.memory import Memory
from engrain.transfer.stix.naming import ANY, CUSTOM, HASHES, TECHNIQUE, TYPES, thing_of
from engrain.transfer.stix.original import body_field, marking_refs, original
from engrain.transfer.stix.reading import OURS, PRODUCER
from engrain.transfer.stix.wording import stated, told

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_NAMESPACE = UUID("b9a3a6f1-58b7-5a83-9d5d-6d1f0c8e2b47")
_OBSERVABLES = UUID(
    "00abedb4-aa42-466c-9c01-fed23315a9b7"
)  # STIX 2.1, section 2.9: ids of observables are made with it
_TYPE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_HEXADECIMAL = {
    "md5": re.compile(r"[0-9a-f]{32}"),
    "sha1": re.compile(r"[0-9a-f]{40}"),
    "sha256": re.compile(r"[0-9a-f]{64}"),
}
_STIX_TYPES = {type_: stix for stix, type_ in TYPES.items()}
_CLASSES = {"person": "individual", "organization": "organization", "sector": "class", "asset": "system"}
_VALUES = frozenset("ipv4 ipv6 domain url email".split())
_PLAIN = frozenset("technique mitigation intrusion_set actor malware tool campaign infrastructure".split())
_WITH_ALIASES = frozenset("attack-pattern campaign infrastructure intrusion-set malware threat-actor tool".split())
_STANDARD = _WITH_ALIASES | frozenset(
    "course-of-action grouping identity indicator location malware-analysis note observed-data opinion report"
    " vulnerability relationship sighting artifact autonomous-system directory domain-name email-addr email-message"
    " file ipv4-addr ipv6-addr mac-addr mutex network-traffic process software url user-account windows-registry-key"
    " x509-certificate".split()
)
_OBSERVABLE = frozenset(["file", *(_STIX_TYPES.get(type_, type_) for type_ in _VALUES)])


def stamp(at: datetime) -> str:
    """Return a time as STIX writes it."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def frame() -> list[dict[str, Any]]:
    """Return what every export holds: who made it, and the definition of the extension it uses."""
    times = {"spec_version": "2.1", "created": stamp(EPOCH), "modified": stamp(EPOCH)}
    maker = {"type": "identity", "id": PRODUCER, **times, "name": "Engrain", "identity_class": "system"}
    extension = {
        "type": "extension-definition",
        "id": OURS,
        **times,
        "created_by_ref": PRODUCER,
        "name": "What Engrain keeps beside an object",
        "description": "Names, texts and times of a memory, and custom properties, that the object has no place for.",
        "schema": "A JSON object: `extension_type`, `aliases`, and properties whose names begin with `x_`.",
        "version": "1.0.0",
        "extension_types": ["property-extension"],
    }
    return [maker, extension]


def of_entity(entity: Entity, at: datetime) -> dict[str, Any]:
    """Return the object of an entity that nothing but its name is known of; `at` is since when."""
    observable = _observable(entity)
    if observable is not None:
        return observable
    fields = _fields(entity)
    type_ = fields["type"]
    id_ = f"{type_}--{uuid5(_NAMESPACE, f'{entity.type} {name_key(entity.type, entity.name)}')}"
    common = {"spec_version": "2.1", "id": id_, "created": stamp(at), "modified": stamp(at)}
    whole = {**fields, **common, "aliases": list(entity.aliases), "object_marking_refs": marking_refs(entity.metadata)}
    return folded({name: held for name, held in whole.items() if held not in ("", [])})


def _fields(entity: Entity) -> dict[str, Any]:
    type_, name = entity.type, entity.name
    if type_ in _CLASSES:
        return {"type": "identity", "name": name, "identity_class": _CLASSES[type_]}
    if type_ == "place":
        return {"type": "location", "name": name, "region": name}
    if type_ in ("cve", "vulnerability"):
        reference = {"external_references": [{"source_name": "cve", "external_id": name}]} if type_ == "cve" else {}
        return {"type": "vulnerability", "name": name, **reference}
    if type_ == "technique" and TECHNIQUE.fullmatch(name):
        readable = entity.metadata.get("name")
        reference = {"external_references": [{"source_name": "mitre-attack", "external_id": name}]}
        return {
            "type": "attack-pattern",
            "name": readable if isinstance(readable, str) and readable else name,
            **reference,
        }
    if type_ in _PLAIN:
        family = {"is_family": True} if type_ == "malware" else {}
        return {"type": _STIX_TYPES.get(type_, type_), "name": name, **family}
    if not _TYPE.fullmatch(type_) or len(type_) > 200:
        return {"type": ANY, "name": name, "entity_type": type_}
    stix = type_.replace("_", "-")
    return {"type": stix if stix.startswith("x-") else CUSTOM + stix, "name": name}


def _observable(entity: Entity) -> dict[str, Any] | None:
    type_, name = entity.type, entity.name
    held: dict[str, Any]
    if type_ in HASHES and _HEXADECIMAL[type_].fullmatch(name.casefold()):
        stix, held = "file", {"hashes": {HASHES[type_]: name.casefold()}}
    elif type_ in _VALUES:
        stix, held = _STIX_TYPES.get(type_, type_), {"value": name}
    else:
        return None
    same = json.dumps(held, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    marked = {"object_marking_refs": refs} if (refs := marking_refs(entity.metadata)) else {}
    return {"type": stix, "spec_version": "2.1", "id": f"{stix}--{uuid5(_OBSERVABLES, same)}", **held, **marked}


def of_relationship(relationship: Relationship, source_ref: str, target_ref: str, at: datetime) -> dict[str, Any]:
    """Return the object of a relationship between two objects."""
    since, until = relationship.valid_from, relationship.valid_until
    kind = relationship.relation.replace("_", "-")
    found = {
        "type": "relationship",
        "spec_version": "2.1",
        "id": f"relationship--{uuid5(_NAMESPACE, f'{source_ref} {kind} {target_ref}')}",
        "created": stamp(at),
        "modified": stamp(at),
        "relationship_type": kind,
        "source_ref": source_ref,
        "target_ref": target_ref,
        "confidence": _percent(relationship.weight),
        "start_time": stamp(since) if since else "",
        "stop_time": stamp(until) if until and (since is None or until > since) else "",
    }
    return {name: held for name, held in found.items() if held != ""}


def _percent(share: float) -> int:
    return min(100, max(1, round(share * 100)))


def of_memory(memory: Memory, refs: Sequence[str]) -> dict[str, Any]:
    """Return a memory as a note about objects; one about nothing is about who made the export."""
    found = {
        "type": "note",
        "spec_version": "2.1",
        "id": f"note--{uuid5(_NAMESPACE, memory.id)}",
        "created": stamp(memory.recorded_at),
        "modified": stamp(max(memory.updated_at, memory.recorded_at)),
        "created_by_ref": PRODUCER,
        "content": memory.content,
        "object_refs": list(dict.fromkeys(refs)) or [PRODUCER],
        "labels": [tag for tag in memory.tags if tag],
        "object_marking_refs": marking_refs(memory.metadata),
        "x_engrain_content": memory.content,
        "x_engrain_valid_from": stamp(memory.valid_from),
        "x_engrain_valid_until": stamp(memory.valid_until) if memory.valid_until else "",
    }
    return folded({name: held for name, held in found.items() if held not in ("", [])})


def restored(memory: Memory, labels: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the object that a memory was read from, with its text as it is now; None if it was read from none.

    `labels` are the names of the objects that relationships join.
    """
    found = original(memory.metadata)
    if found is None:
        return None
    if found["type"] in _STANDARD - _OBSERVABLE:
        found.setdefault("created", stamp(memory.recorded_at))
        found.setdefault("modified", found["created"])
    if memory.source.ref.startswith(("http://", "https://")):
        known = found.get("external_references", [])
        if not any("url" in reference for reference in known):
            found["external_references"] = [*known, {"source_name": "source", "url": memory.source.ref}]
    if body := _body(memory.content, found, labels):
        found[body_field(found["type"])] = body
    return found


def _body(content: str, found: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    """Return what a memory's text says beyond the heading that an import gives it."""
    if found["type"] == "relationship":
        source, target = (labels.get(found.get(end, ""), "") for end in ("source_ref", "target_ref"))
        return content.removeprefix(stated(source, found.get("relationship_type", ""), target, "")).strip()
    thing = thing_of(found)
    if thing is None:
        return content
    head = told(thing.readable, thing.named.type, thing.external_id, found.get("aliases", ()), "")
    pattern = found.get("pattern")
    text = content.removesuffix(f"Pattern: {pattern}") if pattern else content
    return "" if text == head else text.removeprefix(head[:-1] + ": ").strip()


def folded(found: dict[str, Any]) -> dict[str, Any]:
    """Return an object of a standard type with what that type has no place for in our extension."""
    type_ = found["type"]
    if type_ not in _STANDARD:
        return found
    aside = {
        n: held for n, held in found.items() if n.startswith("x_") or (n == "aliases" and type_ not in _WITH_ALIASES)
    }
    if not aside:
        return found
    plain = {name: held for name, held in found.items() if name not in aside}
    ours = {OURS: {"extension_type": "property-extension", **aside}}
    return {**plain, "extensions": {**plain.get("extensions", {}), **ours}}
