"""Export of a view's threats as a STIX 2.1 bundle: deterministic, and lossless for what came from STIX."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid5

from engrain.cti import DOMAINS, stix_objects
from engrain.cti.stix_import import Bundle, mapped
from engrain.cti.stix_objects import ENDS
from engrain.engine import Engine
from engrain.erasure.receipts import note_copy
from engrain.graph.traversal import VisibleGraph
from engrain.guard import guard
from engrain.lazy import library, require
from engrain.model.entities import NAME, Entity, Named, Relationship, name_key
from engrain.model.filters import Test, unexpired
from engrain.model.memory import Memory, Scope, Status
from engrain.read.listing import GraphView, all_pages
from engrain.read.request import conditions_at, point_in_time, select
from engrain.storage.interface import among
from engrain.storage.rows import STATED, TOLD, EntityNote, EntityRow, MentionRow, Record, RelationRow
from engrain.urls import file_of, new_file

LEAST_WEIGHT = 0.5  # the minimum weight of a relationship that a text or a person states; a co-mention weighs less

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PAGE = 10_000
_IN_PASSING = frozenset((NAME, "date", "event", "hashtag"))  # types of names that no analyst would look up
_NAMESPACE = UUID("b9a3a6f1-58b7-5a83-9d5d-6d1f0c8e2b47")
_BUNDLES = UUID("5c1f6f0e-0f0e-5d0a-8f4e-7a6f1d2c3b49")
_OBSERVABLES = UUID("00abedb4-aa42-466c-9c01-fed23315a9b7")  # STIX 2.1, section 2.9: for the ids of observables
_TYPE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_HEX_DIGITS = {"md5": 32, "sha1": 40, "sha256": 64}
_STIX_TYPES = {type_: stix for stix, type_ in stix_objects.TYPES.items()}
_STIX_CLASSES = {type_: class_ for class_, type_ in stix_objects.CLASSES.items() if class_ != "group"}
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


def export_stix(engine: Engine, scope: Scope, path: str | os.PathLike[str]) -> str:
    """Write the bundle of a view's threats to a new file, whole or not at all; needs the extra `cti`."""
    require("stix2", extra="cti")
    with new_file(path) as file:
        found = _gathered(engine, scope)
        file.write_text(json.dumps(json.loads(found.serialize()), ensure_ascii=False), encoding="utf-8")
    note_copy(engine, scope, "export", file_of(path))
    return str(file_of(path))


def _gathered(engine: Engine, scope: Scope) -> Any:
    at = point_in_time(engine)
    sight = GraphView(engine, select(scope, conditions_at(at)), at)
    conditions = [Test("domain", "in", DOMAINS), Test("status", "eq", Status.ACTIVE), unexpired(at.clock)]
    conditions += [Test("superseded_by", "eq", None), Test("believed_until", "eq", None)]
    with sight.open() as graph:
        records = graph.reader.find(Record, select(scope, conditions), order="num")
        about = _about(graph, records)
        nodes = sorted({*(node for found in about.values() for node in found), *_added(graph, engine)})
        entities = graph.described(nodes)
        names = {node: Named(entity.type, entity.name) for node, entity in zip(nodes, entities, strict=True)}
        # Callers' statements are exported; those of a text are extracted from it again wherever it is imported.
        named = {row: name for node, name in names.items() for row in graph.ids([node])}
        rows = among(graph.reader, RelationRow, "source", sorted(named), Test("origin", "eq", STATED))
        by_hand = {(named[row.source], row.relation, named[row.target]) for row in rows if row.target in named}
    memories = [record.memory for record in records]
    read = {memory.id for memory in memories if stix_objects.original(memory.metadata) is not None}
    inside, relationships = set(names.values()), []
    for each in all_pages(partial(sight.all_relationships, _PAGE)):
        source, target = (Named(entity.type, entity.name) for entity in (each.source, each.target))
        stated = (source, each.relation, target) in by_hand or not read.issuperset(each.evidence or [""])
        if stated and {source, target} <= inside:
            relationships.append(each)
    mentions = {id_: [names[node] for node in found] for id_, found in about.items()}
    return bundle(entities, relationships, memories, mentions=mentions, now=engine.clock.now())


def _about(graph: VisibleGraph, records: Sequence[Record]) -> dict[str, list[int]]:
    """Return the entities that each memory is about; none of those merely in the text of an object."""
    ids = {record.num: record.memory.id for record in records}
    read = {record.num for record in records if stix_objects.original(record.memory.metadata) is not None}
    rows = among(graph.reader, MentionRow, "num", sorted(ids), order="num")
    rows = [row for row in rows if row.origin in (TOLD, STATED) or row.num not in read]
    named = {row.id: row for row in among(graph.reader, EntityRow, "id", sorted({row.entity for row in rows}))}
    graph.meet(named.values())
    found: dict[str, dict[int, None]] = {}
    for row in rows:
        entity = named[row.entity]
        if row.origin in (TOLD, STATED) or entity.type not in _IN_PASSING:
            found.setdefault(ids[row.num], {})[graph.of(entity)] = None
    return {id_: list(nodes) for id_, nodes in found.items()}


def _added(graph: VisibleGraph, engine: Engine) -> Iterator[int]:
    """Yield the entities that were added by hand, of the types that the packs know and that name nothing in passing."""
    start = 0
    while rows := graph.reader.entities(graph.where, after=start, limit=_PAGE):
        start = rows[-1].id
        wanted = [row for row in rows if row.type in engine.packs.entity_types - _IN_PASSING]
        notes = among(graph.reader, EntityNote, "entity", [row.id for row in wanted], order="entity")
        noted = {note.entity for note in notes}
        yield from (graph.of(row) for row in wanted if row.id in noted)


def bundle(
    entities: Iterable[Entity],
    relationships: Iterable[Relationship],
    memories: Sequence[Memory],
    *,
    mentions: Mapping[str, Sequence[Named]] | None = None,
    now: datetime,
) -> Any:
    """Return the `stix2.Bundle` as of `now`; `mentions` has by id what a memory from elsewhere is about."""
    stix2 = library("stix2", extra="cti")

    def parsed(found: dict[str, Any]) -> Any:
        return guard("stix2", partial(stix2.parse, found, allow_custom=True))

    write = partial(exported, list(entities), list(relationships), memories, mentions=mentions or {}, now=now)
    if (whole := parsed(found := write())) is None:
        refused = {value["id"] for value in found["objects"] if parsed(value) is None}
        whole = stix2.parse(write(without=refused), allow_custom=True)
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
    """Return the bundle as plain JSON: objects first, then the relationships, each by its id."""
    known = _Objects()
    read = _restored(memories, without)
    for value in read.values():
        known.put(value)
    noted = [memory for memory in memories if memory.id not in read]
    since = min((memory.recorded_at for memory in memories), default=_EPOCH)
    about = {memory.id: tuple(mentions.get(memory.id, ())) for memory in noted}
    mentioned = [Entity(*named) for named in sorted(set().union(*about.values()))]
    for entity in (*sorted(entities, key=lambda entity: (entity.type, entity.name)), *mentioned):
        known.meet(entity, since)
    items = mapped(Bundle(tuple(known.objects.values())), now=now).items
    texts = {item.key: item.content for item in items}
    for id_, content in {read[each.id]["id"]: each.content for each in memories if each.id in read}.items():
        if texts.get(id_) != content:  # the object would read otherwise
            known.objects[id_]["x_engrain_content"] = content
    covered = {known.ends(*triple[:3]) for item in items for triple in item.about.triples}
    for relationship in relationships:
        known.join(relationship, covered, since)
    for memory in noted:
        known.put(_note(memory, [known.ids[stix_objects.entity_key(*named)] for named in about[memory.id]]))
    joining = ("relationship", "sighting", "note")
    ordered = sorted(known.objects.values(), key=lambda found: (found["type"] in joining, found["id"]))
    parts = [*_frame(), *map(_folded, ordered)]
    return {"type": "bundle", "id": f"bundle--{uuid5(_BUNDLES, json.dumps(parts, sort_keys=True))}", "objects": parts}


@dataclass(frozen=True, slots=True)
class _Objects:
    """The objects of a bundle in the making, by id, and the ids of entities."""

    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    ids: dict[stix_objects.Key, str] = field(default_factory=dict)

    def put(self, found: dict[str, Any]) -> None:
        """Add an object; the first of an id and the first of a name count."""
        id_ = self.objects.setdefault(found["id"], found)["id"]
        if (thing := stix_objects.thing_of(found)) is not None:
            self.ids.setdefault(stix_objects.entity_key(*thing.named), id_)

    def meet(self, entity: Entity, at: datetime) -> str:
        """Return the id of an entity's object, creating it if there is none; missing names are added to it."""
        names = {stix_objects.entity_key(entity.type, name): name for name in (entity.name, *entity.aliases)}
        id_ = next((self.ids[key] for key in names if key in self.ids), None)
        if id_ is None:
            found = of_entity(entity, at)
            id_ = self.objects.setdefault(found["id"], found)["id"]
        else:
            existing = self.objects[id_]
            thing, aliases = stix_objects.thing_of(existing), existing.get("aliases", [])
            known = [*aliases, *((thing.named.name, thing.readable, thing.external_id) if thing else ())]
            keys = {stix_objects.entity_key(entity.type, name) for name in known}
            if new := [name for key, name in names.items() if key not in keys]:
                existing["aliases"] = [*aliases, *new]
        for key in names:
            self.ids.setdefault(key, id_)
        return id_

    def ends(self, source: Named, relation: str, target: Named) -> tuple[str, str, str]:
        found = [self.ids.get(stix_objects.entity_key(*named), named.name) for named in (source, target)]
        return found[0], relation, found[1]

    def join(self, relationship: Relationship, covered: Collection[tuple[str, str, str]], at: datetime) -> None:
        """Add a relationship that no object states already, unless names were merely mentioned together."""
        if relationship.weight < LEAST_WEIGHT:
            return
        source, target = (self.meet(entity, at) for entity in (relationship.source, relationship.target))
        if source != target and (source, relationship.relation, target) not in covered:
            since, until = relationship.valid_from, relationship.valid_until
            kind = relationship.relation.replace("_", "-")
            found = _object(
                "relationship",
                uuid5(_NAMESPACE, f"{source} {kind} {target}"),
                at,
                relationship_type=kind,
                source_ref=source,
                target_ref=target,
                confidence=min(100, max(1, round(relationship.weight * 100))),
                start_time=_stamp(since) if since else "",
                stop_time=_stamp(until) if until and (since is None or until > since) else "",
            )
            self.objects.setdefault(found["id"], found)


def _restored(memories: Iterable[Memory], without: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the objects that memories were read from, by memory id; a relationship only if both its ends are there."""
    found: dict[str, tuple[Memory, dict[str, Any]]] = {}
    labels: dict[str, str] = {}
    for memory in memories:
        value = stix_objects.original(memory.metadata)
        if value is None or value["id"] in without:
            continue
        try:
            thing = stix_objects.thing_of(value)
        except ValueError:  # an edit of a memory's metadata can make it anything
            continue
        found[memory.id] = memory, value
        if thing is not None:
            labels[value["id"]] = thing.label
    whole = {id_: _with_text(memory, value, labels) for id_, (memory, value) in found.items()}
    return {id_: value for id_, value in whole.items() if all(value[end] in labels for end in ENDS if end in value)}


def _object(
    type_: str, id_: str | UUID, created: datetime, modified: datetime | None = None, **fields: Any
) -> dict[str, Any]:
    whole_id = id_ if isinstance(id_, str) else f"{type_}--{id_}"
    times = {"created": _stamp(created), "modified": _stamp(modified or created)}
    given = {name: content for name, content in fields.items() if content not in ("", [], None)}
    return {"type": type_, "spec_version": "2.1", "id": whole_id, **times, **given}


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _frame() -> list[dict[str, Any]]:
    """Return the objects of every export: its author, and the definition of the extension it uses."""
    return [
        _object("identity", stix_objects.PRODUCER, _EPOCH, name="Engrain", identity_class="system"),
        _object(
            "extension-definition",
            stix_objects.EXTENSION,
            _EPOCH,
            created_by_ref=stix_objects.PRODUCER,
            name="What Engrain keeps of an object",
            description="Names, texts and times of a memory, and custom properties, that the object has no place for.",
            schema="A JSON object: `extension_type`, `aliases`, and properties whose names begin with `x_`.",
            version="1.0.0",
            extension_types=["property-extension"],
        ),
    ]


def of_entity(entity: Entity, at: datetime) -> dict[str, Any]:
    """Return the object of an entity with only a name; `at` is since when it is known."""
    kind, name, marked = entity.type, entity.name, stix_objects.marking_refs(entity.metadata)
    is_hash = kind in stix_objects.HASHES and re.fullmatch(rf"[0-9a-f]{{{_HEX_DIGITS[kind]}}}", name.casefold())
    if is_hash or kind in _VALUES:
        type_ = "file" if is_hash else _STIX_TYPES.get(kind, kind)
        fields = {"hashes": {stix_objects.HASHES[kind]: name.casefold()}} if is_hash else {"value": name}
        same = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        id_ = f"{type_}--{uuid5(_OBSERVABLES, same)}"
        marks = {"object_marking_refs": marked} if marked else {}
        return {"type": type_, "spec_version": "2.1", "id": id_, **fields, **marks}
    type_, fields = _fields(entity)
    id_ = f"{type_}--{uuid5(_NAMESPACE, f'{kind} {name_key(kind, name)}')}"
    return _folded(_object(type_, id_, at, **fields, aliases=list(entity.aliases), object_marking_refs=marked))


def _fields(entity: Entity) -> tuple[str, dict[str, Any]]:
    """Return the type of an entity's object and the fields that name it."""
    type_, name = entity.type, entity.name
    if type_ in _STIX_CLASSES:
        return "identity", {"name": name, "identity_class": _STIX_CLASSES[type_]}
    if type_ == "place":
        return "location", {"name": name, "region": name}
    if type_ in ("cve", "vulnerability"):
        known = [{"source_name": "cve", "external_id": name}] if type_ == "cve" else []
        return "vulnerability", {"name": name, "external_references": known}
    if type_ == "technique" and stix_objects.TECHNIQUE.fullmatch(name):
        readable = entity.metadata.get("name")
        known = [{"source_name": "mitre-attack", "external_id": name}]
        shown = readable if isinstance(readable, str) and readable else name
        return "attack-pattern", {"name": shown, "external_references": known}
    if type_ in _PLAIN:
        return _STIX_TYPES.get(type_, type_), {"name": name, "is_family": True if type_ == "malware" else None}
    if not _TYPE.fullmatch(type_) or len(type_) > 200:
        return stix_objects.ANY, {"name": name, "entity_type": type_}
    stix = type_.replace("_", "-")
    return stix if stix.startswith("x-") else stix_objects.CUSTOM + stix, {"name": name}


def _note(memory: Memory, refs: Sequence[str]) -> dict[str, Any]:
    """Return a memory as a note about objects; one about nothing is about the author of the export."""
    found = _object(
        "note",
        uuid5(_NAMESPACE, memory.id),
        memory.recorded_at,
        max(memory.updated_at, memory.recorded_at),
        created_by_ref=stix_objects.PRODUCER,
        content=memory.content,
        object_refs=list(dict.fromkeys(refs)) or [stix_objects.PRODUCER],
        labels=[tag for tag in memory.tags if tag],
        object_marking_refs=stix_objects.marking_refs(memory.metadata),
        x_engrain_content=memory.content,
        x_engrain_valid_from=_stamp(memory.valid_from),
        x_engrain_valid_until=_stamp(memory.valid_until) if memory.valid_until else "",
    )
    return _folded(found)


def _with_text(memory: Memory, found: dict[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """Return the object that a memory was read from with its text of now, and relationships with `labels`."""
    if found["type"] in _STANDARD - _OBSERVABLE:
        found.setdefault("created", _stamp(memory.recorded_at))
        found.setdefault("modified", found["created"])
    if memory.source.ref.startswith(("http://", "https://")):
        known = found.get("external_references", [])
        if not any("url" in reference for reference in known):
            found["external_references"] = [*known, {"source_name": "source", "url": memory.source.ref}]
    if body := _body(memory.content, found, labels):
        found[stix_objects.body_field(found["type"])] = body
    return found


def _body(content: str, found: stix_objects.Object, labels: Mapping[str, str]) -> str:
    """Return a memory's text without the heading that an import gives it."""
    if found["type"] == "relationship":
        source, target = (labels.get(found.get(end, ""), "") for end in ("source_ref", "target_ref"))
        heading = stix_objects.relationship_text(source, found.get("relationship_type", ""), target, "")
        return content.removeprefix(heading).strip()
    thing = stix_objects.thing_of(found)
    if thing is None:
        return content
    heading = stix_objects.thing_text(thing, found.get("aliases", ()), "")
    text = "" if content == heading else content.removeprefix(heading[:-1] + ": ").removesuffix(heading).strip()
    pattern = found.get("pattern")
    return text.removesuffix(f"Pattern: {pattern}").strip() if pattern else text


def _folded(found: dict[str, Any]) -> dict[str, Any]:
    """Return an object of a standard type with its additional fields in our extension."""
    type_ = found["type"]
    more = () if type_ in _WITH_ALIASES else ("aliases",)
    aside = {name: content for name, content in found.items() if name.startswith("x_") or name in more}
    if not aside or type_ not in _STANDARD:
        return found
    plain = {name: content for name, content in found.items() if name not in aside}
    ours = {stix_objects.EXTENSION: {"extension_type": "property-extension", **aside}}
    return {**plain, "extensions": {**plain.get("extensions", {}), **ours}}
