"""Who is who in a bundle: every object by its id, what took its place, and whose each alias is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from engrain.model.entities import family, name_key
from engrain.transfer.stix.naming import Object, Thing, declared, text, thing_of
from engrain.transfer.stix.reading import Refused

Key = tuple[str, str]


@dataclass(slots=True)
class Directory:
    """The things of a bundle.

    `things` holds them by STIX id, `replaced` leads from a revoked one to the one that counts now, `aliases` holds the
    names that each was given; `clashes` are names that an earlier object had taken.
    """

    things: dict[str, Thing] = field(default_factory=dict)
    replaced: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, list[str]] = field(default_factory=dict)
    rejected: list[Refused] = field(default_factory=list)
    clashes: list[Refused] = field(default_factory=list)
    _taken: dict[Key, Thing | None] = field(default_factory=dict)
    _given: set[tuple[str, Key]] = field(default_factory=set)

    def thing(self, id_: object) -> Thing | None:
        """Return what an id stands for, its replacement if it was revoked."""
        return self.things.get(self.replaced.get(id_, id_)) if isinstance(id_, str) else None

    def names(self, id_: str) -> tuple[str, ...]:
        """Return the aliases of an object."""
        return tuple(self.aliases.get(id_, ()))

    def give(self, id_: str, name: str) -> None:
        """Give an object an alias, unless another one of its family has the name."""
        thing = self.things[id_]
        key = _key(thing.named.type, name)
        if not key[1]:
            return
        owner = self._taken.setdefault(key, thing)
        if owner is not None and owner.named == thing.named:
            if key != _key(*thing.named) and (id_, key) not in self._given:
                self._given.add((id_, key))
                self.aliases.setdefault(id_, []).append(name)
        else:
            whose = "several techniques" if owner is None else owner.label
            self.clashes.append(Refused(id_, f"the alias {name!r} is the name of {whose}"))

    def take(self, thing: Thing) -> None:
        """Say that a canonical name is taken: no alias of another may be it."""
        self._taken.setdefault(_key(*thing.named), thing)

    def bar(self, type_: str, names: Iterable[str]) -> None:
        """Say that names of a type mean several things, and so none."""
        for name in names:
            self._taken.setdefault(_key(type_, name), None)


def directory(objects: Sequence[Object]) -> Directory:
    """Read who is who; an object whose fields have wrong types is rejected and named."""
    found = Directory()
    for value in objects:
        try:
            thing = thing_of(value)
            aliases = declared(value)
        except ValueError as problem:
            found.rejected.append(Refused(value["id"], str(problem)))
            continue
        if thing is not None:
            found.things[value["id"]] = thing
            found.aliases[value["id"]] = aliases
    found.replaced = _replacements(objects, found.things)
    _share_out(found)
    return found


def _replacements(objects: Sequence[Object], things: Mapping[str, Thing]) -> dict[str, str]:
    """Return where each revoked object's chain of `revoked-by` ends; one that goes in a circle ends nowhere."""
    revoked = {value["id"] for value in objects if value.get("revoked") is True}
    by: dict[str, str] = {}
    for value in objects:
        if value["type"] == "relationship" and value.get("relationship_type") == "revoked-by":
            source, target = value.get("source_ref"), value.get("target_ref")
            if isinstance(source, str) and source in revoked and source in things and target in things:
                by.setdefault(source, str(target))
    return {id_: end for id_ in by if (end := _end(by, id_)) is not None}


def _end(by: Mapping[str, str], id_: str) -> str | None:
    seen = {id_}
    while id_ in by:
        id_ = by[id_]
        if id_ in seen:
            return None
        seen.add(id_)
    return id_


def _share_out(found: Directory) -> None:
    """Give names to things: canonical ones first, then what each calls itself, then what revoked ones were called."""
    wanted, found.aliases = found.aliases, {}
    live = {id_: thing for id_, thing in found.things.items() if id_ not in found.replaced}
    for thing in live.values():
        found.take(thing)
    readable = {id_: thing for id_, thing in live.items() if _is_read_otherwise(thing)}
    count = Counter(_key(thing.named.type, thing.readable) for thing in readable.values())
    shared = {_key(thing.named.type, thing.readable): thing.readable for thing in readable.values()}
    found.bar("technique", (name for key, name in shared.items() if count[key] > 1))
    for id_, thing in live.items():
        unique = id_ in readable and count[_key(thing.named.type, thing.readable)] == 1
        for name in ([thing.readable] if unique else []) + wanted[id_] + [thing.external_id]:
            found.give(id_, name)
    for id_, target in found.replaced.items():
        old = found.things[id_]
        for name in dict.fromkeys((old.named.name, old.readable, *wanted[id_], old.external_id)):
            found.give(target, name)


def _is_read_otherwise(thing: Thing) -> bool:
    return thing.named.type == "technique" and thing.readable != thing.named.name


def _key(type_: str, name: str) -> Key:
    return family(type_), name_key(type_, name)


def end_of(value: Object, field_: str, known: Directory) -> Thing:
    """Return what a relationship's end refers to; raises `ValueError` for what is not in the bundle."""
    ref = text(value, field_)
    thing = known.thing(ref)
    if thing is None:
        raise ValueError(f"{field_} {ref!r} is no named object of the bundle" if ref else f"{field_} is missing")
    return thing
