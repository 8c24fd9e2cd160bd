"""A STIX 2.1 bundle of what is remembered: the same bundle for the same memories, and one that reads back equal."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid5

from engrain.guard import guard
from engrain.lazy import library
from engrain.model.entities import Entity, Named, Relationship, Triple, family, name_key
from engrain.model.memory import Memory
from engrain.transfer.stix import objects
from engrain.transfer.stix.mapping import Item, mapped
from engrain.transfer.stix.naming import thing_of
from engrain.transfer.stix.original import original
from engrain.transfer.stix.reading import Bundle

Key = tuple[str, str]
Ends = tuple[str, str, str]

STATED = 0.5
"""How much a relationship weighs at least that a text or a person states; names that stand together weigh less."""

_ENDS = ("source_ref", "target_ref", "sighting_of_ref")
_NAMESPACE = UUID("5c1f6f0e-0f0e-5d0a-8f4e-7a6f1d2c3b49")


def bundle(
    entities: Iterable[Entity],
    relationships: Iterable[Relationship],
    memories: Sequence[Memory],
    *,
    mentions: Mapping[str, Sequence[Named]] | None = None,
    now: datetime,
) -> Any:
    """Return the bundle as a `stix2.Bundle`; an object that it refuses goes out as a note with the memory's text.

    `mentions` says, by memory id, what a memory that was not read from STIX is about; `now` is the present, as imports
    have it.
    """
    stix2 = library("stix2", extra="stix")

    def parsed(found: dict[str, Any]) -> Any:
        return guard("stix2", partial(stix2.parse, found, allow_custom=True))

    entities, relationships, said = list(entities), list(relationships), mentions or {}
    found = exported(entities, relationships, memories, mentions=said, now=now)
    whole = parsed(found)
    if whole is None:
        refused = {value["id"] for value in found["objects"] if parsed(value) is None}
        found = exported(entities, relationships, memories, mentions=said, now=now, without=refused)
        whole = stix2.parse(found, allow_custom=True)
    return whole


def exported(
    entities: Iterable[Entity],
    relationships: Iterable[Relationship],
    memories: Sequence[Memory],
    *,
    mentions: Mapping[str, Sequence[Named]],
    now: datetime,
    without: Collection[str] = (),
) -> dict[str, Any]:
    """Return the bundle as plain JSON: objects first, then what joins them, each by its id."""
    known = _Known()
    read = _restored(memories, without)
    for value in read.values():
        known.put(value)
    noted = [memory for memory in memories if memory.id not in read]
    since = min((memory.recorded_at for memory in memories), default=objects.EPOCH)
    about = {memory.id: tuple(mentions.get(memory.id, ())) for memory in noted}
    for entity in (*_sorted(entities), *(Entity(*named) for named in sorted(set().union(*about.values())))):
        known.meet(entity, since)
    items = mapped(Bundle(tuple(known.objects.values())), now=now).items
    _keep_texts(known, {read[memory.id]["id"]: memory.content for memory in memories if memory.id in read}, items)
    covered = {known.ends(triple) for item in items for triple in item.about.triples}
    for relationship in relationships:
        known.join(relationship, covered, since)
    for memory in noted:
        known.put(objects.of_memory(memory, [known.ids[_key(*named)] for named in about[memory.id]]))
    parts = [*objects.frame(), *(objects.folded(found) for found in sorted(known.objects.values(), key=_order))]
    digest = uuid5(_NAMESPACE, json.dumps(parts, sort_keys=True))
    return {"type": "bundle", "id": f"bundle--{digest}", "objects": parts}


@dataclass(frozen=True, slots=True)
class _Known:
    """The objects of a bundle in the making, by id, and the ids of entities."""

    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    ids: dict[Key, str] = field(default_factory=dict)

    def put(self, found: dict[str, Any]) -> None:
        """Take an object in; the first of an id and the first of a name count."""
        id_ = self.objects.setdefault(found["id"], found)["id"]
        if (thing := thing_of(found)) is not None:
            self.ids.setdefault(_key(*thing.named), id_)

    def meet(self, entity: Entity, at: datetime) -> str:
        """Return the id of an entity's object, made if there is none; names that it lacks are added to it."""
        keys = [_key(entity.type, name) for name in (entity.name, *entity.aliases)]
        id_ = next((self.ids[key] for key in keys if key in self.ids), None)
        if id_ is None:
            found = objects.of_entity(entity, at)
            id_ = self.objects.setdefault(found["id"], found)["id"]
        else:
            self._name(self.objects[id_], entity)
        for key in keys:
            self.ids.setdefault(key, id_)
        return id_

    def _name(self, held: dict[str, Any], entity: Entity) -> None:
        thing = thing_of(held)
        said = (
            *held.get("aliases", ()),
            *(() if thing is None else (thing.named.name, thing.readable, thing.external_id)),
        )
        told = {name_key(entity.type, name) for name in said}
        extra = {name_key(entity.type, name): name for name in (entity.name, *entity.aliases)}
        if new := [name for key, name in extra.items() if key not in told]:
            held["aliases"] = [*held.get("aliases", ()), *new]

    def ends(self, triple: Triple) -> Ends:
        """Return what a triple joins, by the ids of the objects."""
        source, target = (self.ids.get(_key(*named), named.name) for named in (triple.source, triple.target))
        return source, triple.relation, target

    def join(self, relationship: Relationship, covered: Collection[Ends], at: datetime) -> None:
        """Take in a relationship that no object says already, unless names merely stood together."""
        if relationship.weight < STATED:
            return
        source, target = (self.meet(entity, at) for entity in (relationship.source, relationship.target))
        if source != target and (source, relationship.relation, target) not in covered:
            found = objects.of_relationship(relationship, source, target, at)
            self.objects.setdefault(found["id"], found)


def _restored(memories: Iterable[Memory], without: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the objects that memories were read from, by memory id; a relationship only if both its ends are there."""
    read = {memory.id: found for memory in memories if (found := original(memory.metadata))}
    originals = {id_: found for id_, found in read.items() if found["id"] not in without and _is_named_well(found)}
    things = {found["id"]: thing for found in originals.values() if (thing := thing_of(found)) is not None}
    labels = {id_: thing.label for id_, thing in things.items()}
    found = {memory.id: objects.restored(memory, labels) for memory in memories if memory.id in originals}
    return {
        id_: value
        for id_, value in found.items()
        if value is not None and all(value[end] in labels for end in _ENDS if end in value)
    }


def _is_named_well(found: Mapping[str, Any]) -> bool:
    """Say whether an object can be read: who edits a memory's metadata can make it anything."""
    try:
        thing_of(found)
    except ValueError:
        return False
    return True


def _keep_texts(known: _Known, texts: Mapping[str, str], items: Iterable[Item]) -> None:
    """Put a memory's text aside where its object would read otherwise."""
    read = {item.key: item.content for item in items}
    for id_, content in texts.items():
        if read.get(id_) != content:
            known.objects[id_]["x_engrain_content"] = content


def _sorted(entities: Iterable[Entity]) -> list[Entity]:
    return sorted(entities, key=lambda entity: (entity.type, entity.name))


def _key(type_: str, name: str) -> Key:
    return family(type_), name_key(type_, name)


def _order(found: Mapping[str, Any]) -> tuple[bool, str]:
    return found["type"] in ("relationship", "sighting", "note"), found["id"]
