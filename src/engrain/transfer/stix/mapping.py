"""A bundle as what to remember: one text for each thing and each relationship, with what it is about. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engrain.model.entities import About, Entity, Named, Triple, relation_name
from engrain.transfer.stix import patterns
from engrain.transfer.stix.directory import Directory, directory, end_of
from engrain.transfer.stix.markings import colours
from engrain.transfer.stix.naming import NO_THINGS, Object, Thing, hashes, moment, references, strings, text
from engrain.transfer.stix.original import body_field, metadata_of
from engrain.transfer.stix.reading import PRODUCER, Bundle, Refused
from engrain.transfer.stix.wording import cleaned, stated, told

MAX_CONTENT_BYTES = 1_000_000
MAX_REF = 2048

_ENDS = ("source_ref", "target_ref", "sighting_of_ref")
_NO_RELATION = frozenset("created_by_ref object_refs object_marking_refs x_mitre_modified_by_ref".split())


@dataclass(frozen=True, slots=True)
class Item:
    """A memory to be: `key` is the STIX id; `valid_from` is when it began to hold or to be known."""

    key: str
    content: str
    about: About
    metadata: Mapping[str, Any]
    source_ref: str = ""
    valid_from: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Mapped:
    """What a bundle comes to: things first, then relationships.

    `skipped` are objects that are no memory of their own and why, `rejected` those that cannot be read, `clashes`
    aliases that were not given because an earlier object has the name.
    """

    items: tuple[Item, ...]
    rejected: tuple[Refused, ...]
    skipped: tuple[Refused, ...]
    clashes: tuple[Refused, ...]


class _Nothing(Exception):
    """The object is no memory of its own; says why."""


def mapped(bundle: Bundle, *, now: datetime, max_content_bytes: int = MAX_CONTENT_BYTES) -> Mapped:
    """Map the objects of a bundle; what begins after `now` counts as known from the moment it is remembered."""
    known = directory(bundle.objects)
    reader = _Reader(known, colours(bundle.objects), _tactics(bundle.objects, known), now, max_content_bytes)
    rejected = {**dict(bundle.rejected), **dict(known.rejected)}
    skipped: dict[str, str] = {}
    items: list[Item] = []
    for value in sorted(bundle.objects, key=lambda value: value["type"] in ("relationship", "sighting")):
        if value["id"] in rejected:
            continue
        try:
            items.append(reader.item(value))
        except _Nothing as why:
            skipped[value["id"]] = str(why)
        except ValueError as problem:
            rejected[value["id"]] = str(problem)
    return Mapped(tuple(items), _listed(rejected), _listed(skipped), tuple(known.clashes))


def _listed(reasons: Mapping[str, str]) -> tuple[Refused, ...]:
    return tuple(Refused(name, reason) for name, reason in reasons.items())


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads objects one by one, knowing the names of all."""

    known: Directory
    colours: Mapping[str, str]
    tactics: Mapping[tuple[str, str], Thing]
    now: datetime
    limit: int

    def item(self, value: Object) -> Item:
        content, about = self._read(value)
        metadata = metadata_of(self._redirected(value), self.colours, self.known.names(value["id"]))
        if (thing := self.known.things.get(value["id"])) is not None and thing.readable != thing.named.name:
            metadata["name"] = thing.readable
        start, end = _interval(value, self.now)
        given = text(value, "x_engrain_content")
        shown = self._within_limit(given or content, metadata)
        return Item(value["id"], shown, about, metadata, _source_ref(value), start, end)

    def _redirected(self, value: Object) -> Object:
        """Return an object that refers to what counts now, and no longer to what was revoked."""
        ends = {
            end: value[end] for end in _ENDS if isinstance(value.get(end), str) and value[end] in self.known.replaced
        }
        return {**value, **{end: self.known.replaced[id_] for end, id_ in ends.items()}} if ends else value

    def _read(self, value: Object) -> tuple[str, About]:
        if value["type"] == "relationship":
            return self._relationship(value)
        if value["type"] == "sighting":
            return self._sighting(value)
        if value["type"] in NO_THINGS or value["id"] == PRODUCER:
            raise _Nothing(f"a {value['type']} tells of no thing" if value["id"] != PRODUCER else "made by an export")
        if (target := self.known.replaced.get(value["id"])) is not None:
            raise _Nothing(f"revoked: its names are those of {self.known.things[target].label} now")
        thing = self.known.things.get(value["id"])
        return self._unnamed(value) if thing is None else self._thing(value, thing)

    def _thing(self, value: Object, thing: Thing) -> tuple[str, About]:
        aliases = self.known.names(value["id"])
        metadata = {"stix_id": value["id"], "stix_type": value["type"]}
        if thing.external_id:
            metadata["external_id"] = thing.external_id
        if thing.readable != thing.named.name:
            metadata["name"] = thing.readable
        own = Entity(thing.named.type, thing.named.name, aliases, metadata)
        pattern = text(value, "pattern")
        inside = [named for named in (*patterns.found(pattern), *hashes(value)) if named != thing.named]
        triples = [Triple(thing.named, "based_on", named) for named in patterns.found(pattern)]
        triples += [*self._references(value, thing), *self._phases(value, thing)]
        body = cleaned(text(value, body_field(value["type"])))
        body = f"{body}\n\nPattern: {pattern}".strip() if pattern and pattern != thing.readable else body
        content = told(thing.readable, thing.named.type, thing.external_id, aliases, body)
        mentioned = [*inside, *self._mentioned(value)]
        return content, _about([own], mentioned, triples)

    def _unnamed(self, value: Object) -> tuple[str, About]:
        mentioned = self._mentioned(value)
        body = cleaned(text(value, body_field(value["type"])))
        if not body and value["type"] == "observed-data" and mentioned:
            body = f"Observed: {', '.join(named.name for named in mentioned)}."
        if not body:
            raise _Nothing("it has neither a name nor a text")
        return body, _about([], mentioned, ())

    def _relationship(self, value: Object) -> tuple[str, About]:
        kind = text(value, "relationship_type")
        relation = relation_name(kind)
        if not relation:
            raise ValueError("relationship_type is missing")
        if value.get("source_ref") in self.known.replaced and kind == "revoked-by":
            raise _Nothing("the names of what was revoked went to what took its place")
        source, target = (end_of(value, end, self.known) for end in ("source_ref", "target_ref"))
        body = cleaned(text(value, "description"))
        triples = _joined(source.named, relation, target.named, _weight(value))
        return stated(source.label, kind, target.label, body), _about([], [source.named, target.named], triples)

    def _sighting(self, value: Object) -> tuple[str, About]:
        seen = end_of(value, "sighting_of_ref", self.known)
        places = [t for ref in strings(value, "where_sighted_refs") if (t := self.known.thing(ref)) is not None]
        where = f" by {', '.join(place.label for place in places)}" if places else ""
        count = value.get("count")
        often = f" {count:,} times" if isinstance(count, int) and count > 1 else ""
        body = f"{seen.label} was sighted{where}{often}. {cleaned(text(value, 'description'))}".rstrip()
        triples = [t for place in places for t in _joined(seen.named, "sighted_by", place.named, _weight(value))]
        return body, _about([], [seen.named, *(place.named for place in places)], triples)

    def _mentioned(self, value: Object) -> list[Named]:
        things = (self.known.thing(ref) for ref in strings(value, "object_refs") if ref != PRODUCER)
        return [thing.named for thing in things if thing is not None]

    def _references(self, value: Object, thing: Thing) -> Iterator[Triple]:
        """Yield what a field that refers to other objects says of them."""
        for field, held in value.items():
            if field in _NO_RELATION or not field.endswith(("_ref", "_refs")):
                continue
            relation = _relation_of(field)
            for ref in held if isinstance(held, list) else [held]:
                if (other := self.known.thing(ref)) is not None:
                    yield from _joined(thing.named, relation, other.named)

    def _phases(self, value: Object, thing: Thing) -> Iterator[Triple]:
        """Yield the tactics that a technique serves, where the bundle has them."""
        phases = value.get("kill_chain_phases")
        for phase in phases if isinstance(phases, list) and self.tactics else []:
            if isinstance(phase, Mapping):
                tactic = self.tactics.get((str(phase.get("kill_chain_name")), str(phase.get("phase_name"))))
                yield from _joined(thing.named, "part_of", tactic.named) if tactic else ()

    def _within_limit(self, content: str, metadata: dict[str, Any]) -> str:
        """Return the text as far as it may be stored; that it was cut is in the metadata."""
        if len(content) * 4 <= self.limit or len(raw := content.encode(errors="replace")) <= self.limit:
            return content
        metadata["cut"] = True
        return raw[: self.limit - 4].decode(errors="ignore").rstrip() + "…"


def _tactics(objects: Sequence[Object], known: Directory) -> dict[tuple[str, str], Thing]:
    """Return the tactics by their kill chain and their name in it."""
    return {
        ("mitre-attack", value["x_mitre_shortname"]): known.things[value["id"]]
        for value in objects
        if isinstance(value.get("x_mitre_shortname"), str) and value["id"] in known.things
    }


def _about(own: Sequence[Entity], mentioned: Sequence[Named], triples: Sequence[Triple]) -> About:
    """Return what a memory is about; what a relation joins needs no mention of its own."""
    told = {(entity.type, entity.name) for entity in own} | {
        end for triple in triples for end in (triple[0], triple[2])
    }
    others = [Entity(*named) for named in dict.fromkeys(mentioned) if named not in told]
    return About((*own, *others), tuple(dict.fromkeys(triples)))


def _joined(source: Named, relation: str, target: Named, weight: float = 1.0) -> list[Triple]:
    """Return the relation of two things; nothing is related to itself."""
    return [Triple(source, relation, target, weight)] if source != target else []


def _weight(value: Object) -> float:
    """Return the confidence that the source states, 1 if it states none."""
    confidence = value.get("confidence")
    stated_ = isinstance(confidence, int) and not isinstance(confidence, bool) and 0 < confidence <= 100
    return confidence / 100 if stated_ else 1.0  # type: ignore[operator]  # a number, as was just seen


def _relation_of(field: str) -> str:
    bare = relation_name(field.removeprefix("x_mitre_").removeprefix("x_").removesuffix("s").removesuffix("_ref"))
    return bare if bare.endswith(("_to", "_by")) else f"has_{bare}"


def _interval(value: Object, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return since when and until when an object holds. A thing last seen long ago is still what it was."""
    start = moment(value, "x_engrain_valid_from", "start_time", "valid_from", "first_seen", "first_observed", "created")
    end = moment(value, "x_engrain_valid_until", "stop_time", "valid_until")
    if end is None and (value.get("x_mitre_deprecated") is True or value.get("revoked") is True):
        end = moment(value, "modified") or start
        start = end if start is None or end is None or start > end else start
    if start is not None and end is not None and end < start:
        raise ValueError(f"it ends at {end.isoformat()}, before it begins at {start.isoformat()}")
    return (None if start is not None and start > now else start), end


def _source_ref(value: Object) -> str:
    """Return where the object can be read: the address of its first source that has one, else its id."""
    urls = (reference.get("url") for reference in references(value))
    return next((url for url in urls if isinstance(url, str) and 0 < len(url) <= MAX_REF), value["id"])
