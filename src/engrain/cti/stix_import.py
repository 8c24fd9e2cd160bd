"""Import of a STIX bundle: the names of its objects, and the text and the relations of each."""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from engrain.arguments import Progress
from engrain.chat.logs import LARGEST, open_file, too_large
from engrain.cti import stix_objects
from engrain.cti.stix_objects import ENDS, EXTENSION, PRODUCER, Object, Thing, cleaned, entity_key, moment, text
from engrain.engine import Engine
from engrain.model.entities import About, Entity, Named, Triple, relation_name
from engrain.model.filters import Test, within
from engrain.model.memory import Memory, Scope, Status
from engrain.model.results import StixImported
from engrain.storage.rows import Record
from engrain.write.ingest import REFUSED_ITEMS, checked_progress, report_progress, store_each
from engrain.write.prepare import Prepared, draft, prepare

MAX_CONTENT_BYTES = 1_000_000

_NO_RELATION = frozenset("created_by_ref object_refs object_marking_refs x_mitre_modified_by_ref".split())
_STIX_VALUE = re.compile(r"\b(ipv4-addr|ipv6-addr|domain-name|url|email-addr):value\s*=\s*'((?:[^'\\]|\\.){1,2000})'")
_PATTERN_HASH = re.compile(r"\bfile:hashes\.'?(MD5|SHA-?1|SHA-?256)'?\s*=\s*'([0-9A-Fa-f]{32,64})'", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(.)")
BATCH = 200


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle's objects in order, of each its last version; `rejected` is why others were left out, by id or place."""

    objects: tuple[Object, ...]
    rejected: Mapping[str, str] = field(default_factory=dict)


def read_bundle(path: Path) -> Bundle:
    """Read a bundle, packed or not; a file that is not JSON or holds no bundle is a `ValueError` with the reason."""
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
    """Return a parsed document as a bundle; raises a `ValueError` with the reason if it is none."""
    if not isinstance(document, Mapping) or document.get("type") != "bundle":
        raise ValueError(f'{name} is no STIX bundle: it must be a JSON object of type "bundle"')
    version = document.get("spec_version", stix_objects.SPEC_VERSIONS[-1])
    if version not in stix_objects.SPEC_VERSIONS:
        raise ValueError(f"{name} is a bundle of STIX {version}: it must be 2.1, or 2.0, which is read alike")
    objects = document.get("objects", [])
    if not isinstance(objects, list):
        raise ValueError(f"{name}: the objects of a bundle are a list, not {type(objects).__name__}")
    found: dict[str, Object] = {}
    rejected: dict[str, str] = {}
    for place, value in enumerate(objects, start=1):
        if reason := stix_objects.why_invalid(value):
            id_ = value.get("id") if isinstance(value, Mapping) else None
            rejected[id_[:256] if isinstance(id_, str) and id_ else f"object {place}"] = reason
        else:
            known = found.get(value["id"])
            if known is None or stix_objects.is_later(value.get("modified"), known.get("modified")):
                found[value["id"]] = _unfolded(value)
    return Bundle(tuple(found.values()), rejected)


def _unfolded(value: Object) -> Object:
    """Return an object with the fields of an export's extension put back."""
    extensions = value.get("extensions")
    if not isinstance(extensions, Mapping) or not isinstance(extensions.get(EXTENSION), Mapping):
        return value
    others = {name: extension for name, extension in extensions.items() if name != EXTENSION}
    aside = {name: kept for name, kept in extensions[EXTENSION].items() if name.startswith("x_") or name == "aliases"}
    plain = {name: kept for name, kept in value.items() if name != "extensions"}
    return {**aside, **plain, **({"extensions": others} if others else {})}


class _Names:
    """The objects of a bundle by STIX id, replacements of revoked ones, their aliases, and reasons for `rejected`."""

    def __init__(self, objects: Sequence[Object]) -> None:
        self.things: dict[str, Thing] = {}
        self.rejected: dict[str, str] = {}
        self._aliases: defaultdict[str, dict[stix_objects.Key, str]] = defaultdict(dict)
        self._owners: dict[stix_objects.Key, Named | None] = {}
        declared: dict[str, list[str]] = {}
        for value in objects:
            try:
                thing, declared[value["id"]] = stix_objects.thing_of(value), stix_objects.declared_aliases(value)
            except ValueError as problem:
                self.rejected[value["id"]] = str(problem)
                continue
            if thing is not None:
                self.things[value["id"]] = thing
        self.replaced = _replacements(objects, self.things)
        self._share_out(declared)

    def thing(self, id_: object) -> Thing | None:
        """Return the thing of an id, its replacement if it was revoked."""
        return self.things.get(self.replaced.get(id_, id_)) if isinstance(id_, str) else None

    def aliases(self, id_: str) -> tuple[str, ...]:
        return tuple(self._aliases[id_].values())

    def end_of(self, value: Object, end: str) -> Thing:
        """Return the object that a relationship's end refers to; raises `ValueError` if it is not in the bundle."""
        ref = text(value, end)
        if (thing := self.thing(ref)) is None:
            raise ValueError(f"{end} {ref!r} is no named object of the bundle" if ref else f"{end} is missing")
        return thing

    def _share_out(self, declared: Mapping[str, Sequence[str]]) -> None:
        """Assign names: canonical ones, then aliases, then those of revoked objects; techniques have numbers."""
        live = {id_: thing for id_, thing in self.things.items() if id_ not in self.replaced}
        for thing in live.values():
            self._owners.setdefault(entity_key(*thing.named), thing.named)
        techniques = [each for each in live.values() if each.named.type == "technique" and each.is_numbered]
        readable = Counter(entity_key(each.named.type, each.readable) for each in techniques)
        for key, count in readable.items():
            if count > 1:
                self._owners.setdefault(key, None)
        for id_, thing in live.items():
            unique = readable[entity_key(thing.named.type, thing.readable)] == 1
            for name in (*([thing.readable] if unique else ()), *declared[id_], thing.external_id):
                self._give(id_, name)
        for id_, target in self.replaced.items():
            old = self.things[id_]
            for name in dict.fromkeys((old.named.name, old.readable, *declared[id_], old.external_id)):
                self._give(target, name)

    def _give(self, id_: str, name: str) -> None:
        """Give an object an alias, unless another one of its family has the name."""
        named = self.things[id_].named
        key = entity_key(named.type, name)
        if key[1] and self._owners.setdefault(key, named) == named and key != entity_key(*named):
            self._aliases[id_].setdefault(key, name)


def _replacements(objects: Sequence[Object], things: Mapping[str, Thing]) -> dict[str, str]:
    """Return the end of each revoked object's chain of `revoked-by`; a cycle has none."""
    revoked = {value["id"] for value in objects if value.get("revoked") is True}
    by: dict[str, str] = {}
    for value in objects:
        if value["type"] == "relationship" and value.get("relationship_type") == "revoked-by":
            source, target = value.get("source_ref"), value.get("target_ref")
            if isinstance(source, str) and source in revoked and source in things and target in things:
                by.setdefault(source, str(target))
    ends: dict[str, str] = {}
    for id_ in by:
        chain = [id_]
        while (following := by.get(chain[-1])) is not None and following not in chain:
            chain.append(following)
        if following is None:
            ends[id_] = chain[-1]
    return ends


@dataclass(frozen=True, slots=True)
class Item:
    """An object that becomes a memory: `key` is the STIX id; `valid_from` is when it became true or known."""

    key: str
    content: str
    about: About
    metadata: Mapping[str, Any]
    source_ref: str = ""
    valid_from: datetime | None = None
    valid_until: datetime | None = None


class Mapped(NamedTuple):
    """The content of a bundle: things, then relationships; by id, why one is `skipped` (no memory) or `rejected`."""

    items: list[Item]
    rejected: dict[str, str]
    skipped: dict[str, str]


class _Skipped(Exception):
    """The object gives no memory of its own; its message is the reason."""


def mapped(bundle: Bundle, *, now: datetime, max_content_bytes: int = MAX_CONTENT_BYTES) -> Mapped:
    """Convert the objects of a bundle; one that begins after `now` counts from the moment it is remembered."""
    names = _Names(bundle.objects)
    tactics = {  # by their kill chain and their name in it
        ("mitre-attack", value["x_mitre_shortname"]): names.things[value["id"]]
        for value in bundle.objects
        if isinstance(value.get("x_mitre_shortname"), str) and value["id"] in names.things
    }
    reader = _Reader(names, stix_objects.colours(bundle.objects), tactics, now, max_content_bytes)
    found = Mapped([], {**bundle.rejected, **names.rejected}, {})
    for value in sorted(bundle.objects, key=lambda value: value["type"] in ("relationship", "sighting")):
        if value["id"] in found.rejected:
            continue
        try:
            found.items.append(reader.item(value))
        except _Skipped as why:
            found.skipped[value["id"]] = str(why)
        except ValueError as problem:
            found.rejected[value["id"]] = str(problem)
    return found


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads objects one by one, knowing the names of all."""

    names: _Names
    colours: Mapping[str, str]
    tactics: Mapping[tuple[str, str], Thing]
    now: datetime
    limit: int

    def item(self, value: Object) -> Item:
        content, about = self._read(value)
        ends = {end: self.names.replaced.get(value[end]) for end in ENDS if isinstance(value.get(end), str)}
        current = {**value, **{end: id_ for end, id_ in ends.items() if id_}}
        metadata = stix_objects.metadata_of(current, self.colours, self.names.aliases(value["id"]))
        if (thing := self.names.things.get(value["id"])) is not None and thing.is_numbered:
            metadata["name"] = thing.readable
        start, end = _interval(value, self.now)
        content = text(value, "x_engrain_content") or content
        if len(content) * 4 > self.limit and len(raw := content.encode(errors="replace")) > self.limit:
            metadata["cut"] = True
            content = raw[: self.limit - 4].decode(errors="ignore").rstrip() + "…"
        return Item(value["id"], content, about, metadata, stix_objects.source_ref_of(value), start, end)

    def _read(self, value: Object) -> tuple[str, About]:
        if value["type"] == "relationship":
            return self._relationship(value)
        if value["type"] == "sighting":
            return self._sighting(value)
        if value["id"] == PRODUCER:
            raise _Skipped("made by an export")
        if value["type"] in stix_objects.NAMELESS:
            raise _Skipped(f"a {value['type']} names no thing")
        if (target := self.names.replaced.get(value["id"])) is not None:
            raise _Skipped(f"revoked: its names are those of {self.names.things[target].label} now")
        if (thing := self.names.things.get(value["id"])) is not None:
            return self._thing(value, thing)
        mentioned, body = self._mentioned(value), cleaned(text(value, stix_objects.body_field(value["type"])))
        if not body and value["type"] == "observed-data" and mentioned:
            body = f"Observed: {', '.join(named.name for named in mentioned)}."
        if not body:
            raise _Skipped("it has neither a name nor a text")
        return body, _about([], mentioned, ())

    def _thing(self, value: Object, thing: Thing) -> tuple[str, About]:
        aliases = self.names.aliases(value["id"])
        metadata = {"stix_id": value["id"], "stix_type": value["type"]}
        if thing.external_id:
            metadata["external_id"] = thing.external_id
        if thing.is_numbered:
            metadata["name"] = thing.readable
        pattern = text(value, "pattern")
        # types that a pattern compares by exact value: addresses, domains, URLs and hashes
        pairs = _STIX_VALUE.findall(pattern)
        values = [Named(stix_objects.TYPES.get(type_, type_), _ESCAPED.sub(r"\1", found)) for type_, found in pairs]
        values += (Named(kind.casefold().replace("-", ""), found) for kind, found in _PATTERN_HASH.findall(pattern))
        compared = list(dict.fromkeys(values))
        triples = [Triple(thing.named, "based_on", named) for named in compared]
        triples += [*self._references(value, thing), *self._phases(value, thing)]
        body = cleaned(text(value, stix_objects.body_field(value["type"])))
        if pattern and pattern != thing.readable:
            body = f"{body}\n\nPattern: {pattern}".strip()
        inside = [named for named in (*compared, *stix_objects.hashes(value)) if named != thing.named]
        about = _about([Entity(*thing.named, aliases, metadata)], [*inside, *self._mentioned(value)], triples)
        return stix_objects.thing_text(thing, aliases, body), about

    def _relationship(self, value: Object) -> tuple[str, About]:
        kind = text(value, "relationship_type")
        relation = relation_name(kind)
        if not relation:
            raise ValueError("relationship_type is missing")
        if value.get("source_ref") in self.names.replaced and kind == "revoked-by":
            raise _Skipped("the names of what was revoked went to what took its place")
        source, target = (self.names.end_of(value, end) for end in ("source_ref", "target_ref"))
        body = stix_objects.relationship_text(source.label, kind, target.label, cleaned(text(value, "description")))
        triples = _related(source.named, relation, target.named, _weight(value))
        return body, _about([], [source.named, target.named], triples)

    def _sighting(self, value: Object) -> tuple[str, About]:
        sighted = self.names.end_of(value, "sighting_of_ref")
        refs = stix_objects.strings(value, "where_sighted_refs")
        places = [place for ref in refs if (place := self.names.thing(ref)) is not None]
        where = f" by {', '.join(place.label for place in places)}" if places else ""
        count = value.get("count")
        often = f" {count:,} times" if isinstance(count, int) and count > 1 else ""
        body = f"{sighted.label} was sighted{where}{often}. {cleaned(text(value, 'description'))}".rstrip()
        triples = [t for place in places for t in _related(sighted.named, "sighted_by", place.named, _weight(value))]
        return body, _about([], [sighted.named, *(place.named for place in places)], triples)

    def _mentioned(self, value: Object) -> list[Named]:
        things = (self.names.thing(ref) for ref in stix_objects.strings(value, "object_refs") if ref != PRODUCER)
        return [thing.named for thing in things if thing is not None]

    def _references(self, value: Object, thing: Thing) -> Iterator[Triple]:
        """Yield the relations that fields which refer to other objects state."""
        for name, refs in value.items():
            if name in _NO_RELATION or not name.endswith(("_ref", "_refs")):
                continue
            stem = name.removeprefix("x_mitre_").removeprefix("x_").removesuffix("s").removesuffix("_ref")
            bare = relation_name(stem)
            relation = bare if bare.endswith(("_to", "_by")) else f"has_{bare}"
            for ref in refs if isinstance(refs, list) else [refs]:
                if (other := self.names.thing(ref)) is not None:
                    yield from _related(thing.named, relation, other.named)

    def _phases(self, value: Object, thing: Thing) -> Iterator[Triple]:
        """Yield the tactics that a technique serves, where the bundle has them."""
        phases = value.get("kill_chain_phases")
        for phase in phases if isinstance(phases, list) and self.tactics else []:
            if isinstance(phase, Mapping):
                tactic = self.tactics.get((str(phase.get("kill_chain_name")), str(phase.get("phase_name"))))
                yield from _related(thing.named, "part_of", tactic.named) if tactic else ()


def _about(own: Sequence[Entity], mentioned: Sequence[Named], triples: Sequence[Triple]) -> About:
    """Return the entities of a memory; the ends of a relation need no mention of their own."""
    known = {(entity.type, entity.name) for entity in own} | {end for each in triples for end in (each[0], each[2])}
    others = [Entity(*named) for named in dict.fromkeys(mentioned) if named not in known]
    return About((*own, *others), tuple(dict.fromkeys(triples)))


def _related(source: Named, relation: str, target: Named, weight: float = 1.0) -> list[Triple]:
    return [Triple(source, relation, target, weight)] if source != target else []


def _weight(value: Object) -> float:
    """Return the confidence that the source states, 1 if it states none."""
    confidence = value.get("confidence")
    if isinstance(confidence, int) and not isinstance(confidence, bool) and 0 < confidence <= 100:
        return confidence / 100
    return 1.0


def _interval(value: Object, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return the validity of an object. An old last observation does not end it."""
    start = moment(value, "x_engrain_valid_from", "start_time", "valid_from", "first_seen", "first_observed", "created")
    end = moment(value, "x_engrain_valid_until", "stop_time", "valid_until")
    if end is None and (value.get("x_mitre_deprecated") is True or value.get("revoked") is True):
        end = moment(value, "modified") or start
        start = end if start is None or end is None or start > end else start
    if start is not None and end is not None and end < start:
        raise ValueError(f"it ends at {end.isoformat()}, before it begins at {start.isoformat()}")
    return (None if start is not None and start > now else start), end


def import_stix(
    engine: Engine, scope: Scope, path: str | os.PathLike[str], *, progress: Progress | None = None
) -> StixImported:
    """Remember a bundle, see `Graph.import_stix`; batch by batch, so that an interrupted one can be continued."""
    listener = checked_progress(progress)
    source = Path(path).expanduser()
    found = mapped(read_bundle(source), now=engine.clock.now(), max_content_bytes=engine.settings.max_content_bytes)
    done, total = _Import(engine, scope, found.rejected), len(found.items)
    report_progress(listener, 0, total, source.name)
    for start in range(0, total, BATCH):
        done.take(found.items[start : start + BATCH])
        label = f"{source.name}: {done.counts['memories']:,} memories"
        report_progress(listener, min(start + BATCH, total), total, label)
    return StixImported(**done.counts, skipped=found.skipped, rejected=done.rejected)


@dataclass
class _Import:
    """An import under way; `counts` are those of a `StixImported`, by name."""

    engine: Engine
    scope: Scope
    rejected: dict[str, str]
    counts: Counter[str] = field(default_factory=Counter)

    def take(self, items: Sequence[Item]) -> None:
        """Remember a batch of items, but for those that are known as they are."""
        keys = Test("key", "in", tuple(item.key for item in items))
        mine = (Test("agent", "eq", self.scope.agent), Test("status", "ne", Status.FORGOTTEN))
        with self.engine.store.read(self.scope.org) as reader:
            found = reader.find(Record, within(self.scope).but(keys, *mine))
        own = (record.memory for record in found if record.memory.scope.user == self.scope.user)
        known = {str(memory.key): memory for memory in own}
        fixed: dict[str, Any] = {"kind": "semantic", "domain": "cti", "source_type": "stix", "resolve": "off"}
        now, new = self.engine.clock.now(), list[tuple[Item, Prepared]]()
        for item in items:
            if _is_known(known.get(item.key), item):
                self.counts["known"] += 1
                continue
            try:
                given = {each.name: getattr(item, each.name) for each in fields(item)} | {"source_id": item.key}
                drafted = draft(**given, **fixed, scope=self.scope, settings=self.engine.settings)
                new.append((item, prepare(self.engine, drafted, now)))
            except REFUSED_ITEMS as error:
                self.rejected[item.key] = str(error)
        for (item, _), result in zip(new, store_each(self.engine, [each for _, each in new], now), strict=True):
            if result.memory is None:
                self.rejected[item.key] = result.decision.reason
            elif result.status == "noop":
                self.counts["known"] += 1
            elif result.memory.version > 1:
                self.counts["updated"] += 1
            else:
                self.counts["memories"] += 1
                self.counts["quarantined"] += result.status == "quarantined"
                self.counts["entities"] += any("stix_id" in entity.metadata for entity in item.about.entities)
                self.counts["aliases"] += sum(len(entity.aliases) for entity in item.about.entities)
                self.counts["relationships"] += item.metadata["stix_type"] in ("relationship", "sighting")


def _is_known(memory: Memory | None, item: Item) -> bool:
    """Return whether a memory has this version of an object, or a later one; its text may have been edited since."""
    if memory is None:
        return False
    stored, modified = memory.metadata.get("modified"), item.metadata.get("modified")
    if isinstance(stored, str) and isinstance(modified, str):
        return not stix_objects.is_later(modified, stored)
    return memory.content == item.content
