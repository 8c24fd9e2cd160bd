"""The domain packs of a manager, found by name among those installed or given as objects, and what they add."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

from engrain.errors import ConfigError
from engrain.graph.domain import PackOperation
from engrain.graph.gazetteer import AliasTable, known_names
from engrain.graph.general import GENERAL
from engrain.graph.relations import Sayings
from engrain.guard import guard
from engrain.lazy import Later
from engrain.model.entities import NAME, Named
from engrain.protocols import Domain

if TYPE_CHECKING:
    from importlib import metadata

    from click import Command
else:
    metadata = Later("importlib.metadata")

GROUP = "engrain.domains"
OWN = "engrain."
"""How the value of an entry point begins that is this library's own: nobody else's takes its name or its place."""

log = logging.getLogger("engrain")
_PARTS = ("name", "entity_types", "aliases", "relation_patterns", "extract")


@dataclass(frozen=True)
class Packs:
    """The packs that read texts, in order of precedence; `Packs.of` makes them."""

    packs: tuple[Domain, ...]

    @classmethod
    def of(cls, domains: Sequence[str | Domain] | None = None) -> Packs:
        """Return the packs of these names, or these objects; all that are installed when None.

        `ConfigError` names the packs there are when a name is not among them, `TypeError` what an object lacks.
        """
        if isinstance(domains, str):
            raise TypeError(f"domains: a sequence of packs is needed, write [{domains!r}]")
        if domains is None:
            return _shared(tuple(installed()), tuple(sys.path))
        if all(isinstance(domain, str) for domain in domains):
            return _shared(tuple(dict.fromkeys(map(str, domains))), tuple(sys.path))
        found: dict[str, Domain] = {}
        for domain in domains:
            pack = _named(domain) if isinstance(domain, str) else checked(domain)
            found.setdefault(pack.name, pack)
        return cls(tuple(found.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the packs."""
        return tuple(pack.name for pack in self.packs)

    @cached_property
    def entity_types(self) -> frozenset[str]:
        """Every type that a pack may find."""
        return frozenset(type_ for pack in self.packs for type_ in pack.entity_types) | {NAME}

    @cached_property
    def readers(self) -> tuple[tuple[Domain, frozenset[str], str], ...]:
        """Each pack with the labels of memories in which all its names count, and what to call it in the log."""
        return tuple((pack, labels(pack), f"The domain pack {pack.name!r}") for pack in self.packs)

    @cached_property
    def sayings(self) -> Sayings:
        """How relations are said, the first pack's ways first."""
        return Sayings(pattern for pack in self.packs for pattern in pack.relation_patterns)

    def canonical(self, type: str, name: str) -> Named | None:
        """Return what a table calls an entity of the type's family that has this name, None when no table has it."""
        table = self._table
        found = table.any_of(self._types, name) if type == NAME else table.canonical(type, name)
        return Named(*found) if found else None

    def aliases_of(self, type: str, name: str) -> tuple[str, ...]:
        """Return the other names that tables have for an entity, whichever of its names is given."""
        found = self.canonical(type, name)
        return self._table.others(*found) if found else ()

    @cached_property
    def _types(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(type_ for pack in self.packs for type_ in pack.aliases))

    @cached_property
    def _table(self) -> AliasTable:
        groups = (
            (type_, name, others)
            for pack in self.packs
            for type_, table in pack.aliases.items()
            for name, others in table.items()
        )
        return AliasTable(known_names(groups))


@lru_cache(maxsize=64)
def _shared(names: tuple[str, ...], path: tuple[str, ...]) -> Packs:
    """Return the packs of these names, with tables that all managers of the process share."""
    return Packs(tuple(_named(name) for name in names))


def installed() -> Mapping[str, Domain]:
    """Return every installed pack by name, `general` first; one that cannot be loaded is logged and left out."""
    loaded = ((name, _loaded(point)) for name, point in _points().items())
    return {GENERAL.name: GENERAL, **{name: pack for name, pack in loaded if pack is not None}}


def installed_operations() -> Sequence[PackOperation]:
    """Return the operations of every installed pack, of several with one name the first."""
    found: dict[str, PackOperation] = {}
    for operation in _added("operations"):
        found.setdefault(operation.name, operation)
    return tuple(found.values())


def installed_commands() -> Sequence[Command]:
    """Return the commands of every installed pack."""
    return tuple(_added("commands"))


def _added(part: str) -> Iterator[Any]:
    """Yield what installed packs add; one that fails is logged and adds nothing."""
    for name, pack in installed().items():
        yield from guard(f"{part} of the domain pack {name!r}", partial(getattr, pack, part, ())) or ()


def pack_call(pack: str, function: str) -> Callable[..., Any]:
    """Return the function of an installed pack's operation; `ConfigError` names the extra that brings the pack."""
    point = _points().get(pack)
    for operation in getattr(_loaded(point) if point else None, "operations", ()):
        if operation.call.__name__ == function:
            call: Callable[..., Any] = operation.call
            return call
    raise ConfigError(f'{function} needs the domain pack {pack!r}, which is missing: pip install "engrain[{pack}]"')


def labels(pack: Domain) -> frozenset[str]:
    """Return the labels of memories in which a pack's names made of ordinary words count."""
    return frozenset(getattr(pack, "domains", ()) or (pack.name,))


def checked(pack: object) -> Domain:
    """Return the object if it has every part of a domain pack; else `TypeError` says what it lacks."""
    if missing := [part for part in _PARTS if not hasattr(pack, part)]:
        raise TypeError(
            f"{pack!r} is no domain pack: it lacks {', '.join(missing)}. See engrain.protocols.Domain, or build one "
            "with engrain.graph.Domain(name=..., patterns=..., aliases=...)"
        )
    if not isinstance(pack, Domain) or not callable(pack.extract):
        raise TypeError(f"{pack!r} is no domain pack: `name` must be a string and `extract` a method")
    return pack


def _points() -> Mapping[str, metadata.EntryPoint]:
    """Return the entry points of packs by name, the library's own first."""
    return _points_on(tuple(sys.path))


@lru_cache(maxsize=8)
def _points_on(path: tuple[str, ...]) -> Mapping[str, metadata.EntryPoint]:
    """Return what is installed on the path, looked for once: it costs a file for each library there is."""
    found: dict[str, metadata.EntryPoint] = {}
    points = metadata.entry_points(group=GROUP)
    for point in sorted(points, key=lambda each: (not each.value.startswith(OWN), each.name)):
        if point.name != GENERAL.name:
            found.setdefault(point.name, point)
    return found


@lru_cache(maxsize=64)
def _loaded(point: metadata.EntryPoint) -> Domain | None:
    def load() -> Domain:
        made = point.load()
        return checked(made() if isinstance(made, type) else made)

    return guard(f"The domain pack {point.name!r} ({point.value})", load)


def _named(name: str) -> Domain:
    if name == GENERAL.name:
        return GENERAL
    points = _points()
    known = ", ".join(repr(each) for each in sorted({GENERAL.name, *points}))
    if name not in points:
        raise ConfigError(f"There is no domain pack {name!r}: write one of {known}, or hand in a pack itself")
    if (pack := _loaded(points[name])) is None:
        raise ConfigError(f"The domain pack {name!r} cannot be loaded (the log says why); without it there are {known}")
    return pack
