"""What a view remembers of threats, as a file of STIX 2.1: the same file for the same memories."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engrain.engine import Engine
from engrain.errors import StoreUnavailable
from engrain.graph.entity_store import among
from engrain.graph.traversal import Lens
from engrain.lazy import require
from engrain.model.entities import NAME, Entity, Named, Relationship
from engrain.model.filters import Test, unexpired
from engrain.model.memory import Memory, Scope, Status
from engrain.read.entities import Sight
from engrain.read.history import shown, standpoint
from engrain.read.request import select
from engrain.storage.rows import STATED, TOLD, EntityNote, EntityRow, MentionRow, Record, RelationRow
from engrain.transfer.stix.bundling import bundle
from engrain.transfer.stix.original import original

DOMAINS = ("cti", "incident", "threat_intel")
"""The labels of memories that go out."""

_AT_ONCE = 10_000
_IN_PASSING = frozenset((NAME, "date", "event", "hashtag"))  # what a text names and no analyst would look up


def export_stix(engine: Engine, scope: Scope, path: str | os.PathLike[str]) -> str:
    """Write a bundle to a file that is not there yet, whole or not at all, and return its path.

    It holds the active memories about threats, deprecated ones included, the entities that they are about or that
    somebody stated, and how these relate. Needs the extra `stix`.
    """
    require("stix2", extra="stix")
    target = Path(path).expanduser()
    if target.exists():
        raise StoreUnavailable(f"{target} exists already: an export never overwrites", path=str(target))
    if not target.parent.is_dir():
        raise StoreUnavailable(f"the folder {target.parent} does not exist: create it first", path=str(target))
    known = _gathered(engine, scope)
    found = bundle(known.entities, known.relationships, known.memories, mentions=known.mentions, now=engine.clock.now())
    unfinished = target.with_name(f".{target.name}.partial")
    try:
        unfinished.write_text(json.dumps(json.loads(found.serialize()), ensure_ascii=False), encoding="utf-8")
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
    return str(target)


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What goes out; `mentions` are those of memories that were not read from STIX."""

    entities: Sequence[Entity]
    relationships: Sequence[Relationship]
    memories: Sequence[Memory]
    mentions: Mapping[str, Sequence[Named]]


def _gathered(engine: Engine, scope: Scope) -> _Gathered:
    at = standpoint(engine)
    sight = Sight(engine, select(scope, shown(at)), at)
    conditions = [Test("domain", "in", DOMAINS), Test("status", "eq", Status.ACTIVE), unexpired(at.clock)]
    conditions += [Test("superseded_by", "eq", None), Test("believed_until", "eq", None)]
    where = select(scope, conditions)
    with sight.lens() as lens:
        records = lens.reader.find(Record, where, order="num")
        about = _about(lens, records)
        nodes = sorted({*(node for found in about.values() for node in found), *_standing(lens, engine)})
        entities = lens.described(nodes)
        memories = [record.memory for record in records]
        names = {node: Named(entity.type, entity.name) for node, entity in zip(nodes, entities, strict=True)}
        by_hand = _by_hand(lens, names)
    read = {memory.id for memory in memories if original(memory.metadata) is not None}
    inside = set(names.values())
    relationships = [
        each
        for each in _relationships(sight)
        if inside.issuperset(_joined(each)[::2])
        and (_joined(each) in by_hand or not read.issuperset(each.evidence or [""]))
    ]
    return _Gathered(entities, relationships, memories, {id_: [names[node] for node in f] for id_, f in about.items()})


def _by_hand(lens: Lens, names: Mapping[int, Named]) -> set[tuple[Named, str, Named]]:
    """Return the relations that somebody stated; what a text states is read in it again wherever it goes."""
    named = {row: name for node, name in names.items() for row in lens.ids([node])}
    rows = among(lens.reader, RelationRow, "source", sorted(named), Test("origin", "eq", STATED))
    return {(named[row.source], row.relation, named[row.target]) for row in rows if row.target in named}


def _joined(found: Relationship) -> tuple[Named, str, Named]:
    source, target = (Named(entity.type, entity.name) for entity in (found.source, found.target))
    return source, found.relation, target


def _about(lens: Lens, records: Sequence[Record]) -> dict[str, list[int]]:
    """Return what each memory is about: of what merely stands in the text of an object, nothing."""
    ids = {record.num: record.memory.id for record in records}
    read = {record.num for record in records if original(record.memory.metadata) is not None}
    rows = among(lens.reader, MentionRow, "num", sorted(ids), order="num")
    told = [row for row in rows if row.origin in (TOLD, STATED) or row.num not in read]
    named = {row.id: row for row in among(lens.reader, EntityRow, "id", sorted({row.entity for row in told}))}
    lens.meet(named.values())
    found: dict[str, dict[int, None]] = {}
    for row in told:
        entity = named[row.entity]
        if row.origin in (TOLD, STATED) or entity.type not in _IN_PASSING:
            found.setdefault(ids[row.num], {})[lens.of(entity)] = None
    return {id_: list(nodes) for id_, nodes in found.items()}


def _standing(lens: Lens, engine: Engine) -> Iterator[int]:
    """Yield the entities that somebody added, of the types that the packs know and that name nothing in passing."""
    start = 0
    while rows := lens.reader.entities(lens.where, after=start, limit=_AT_ONCE):
        start = rows[-1].id
        wanted = [row for row in rows if row.type in engine.packs.entity_types - _IN_PASSING]
        noted = {
            note.entity for note in among(lens.reader, EntityNote, "entity", [r.id for r in wanted], order="entity")
        }
        yield from (lens.of(row) for row in wanted if row.id in noted)


def _relationships(sight: Sight) -> Iterator[Relationship]:
    cursor = None
    while True:
        page = sight.all_relationships(_AT_ONCE, cursor)
        yield from page
        if (cursor := page.next) is None:
            return
