"""The domain packs in force: found by name among those installed, or given as objects."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

from engrain.errors import ConfigError
from engrain.graph.domains.cti.pack import CTI
from engrain.graph.gazetteer import AliasTable, known_names
from engrain.graph.general import GENERAL
from engrain.graph.relations import Sayings
from engrain.guard import guard
from engrain.lazy import Later
from engrain.model.entities import NAME, Named
from engrain.protocols import Domain

if TYPE_CHECKING:
    from importlib import metadata
else:
    metadata = Later("importlib.metadata")

GROUP = "engrain.domains"
BUILT_IN: Mapping[str, Domain] = {"general": GENERAL, "cti": CTI}

log = logging.getLogger("engrain")
_PARTS = ("name", "entity_types", "aliases", "relation_patterns", "extract")


@dataclass(frozen=True)
class Packs:
    """The packs that read texts, in the order in which they have the say; `Packs.of` makes them."""

    packs: tuple[Domain, ...]

    @classmethod
    def of(cls, domains: Sequence[str | Domain] | None = None) -> Packs:
        """Return the packs of these names, or these objects; all that are installed when None.

        `ConfigError` names the packs there are when a name is not among them, `TypeError` what an object lacks.
        """
        if isinstance(domains, str):
            raise TypeError(f"domains: a sequence of packs is needed, write [{domains!r}]")
        found = _installed() if domains is None else {}
        for domain in domains or ():
            pack = _named(domain) if isinstance(domain, str) else checked(domain)
            found.setdefault(pack.name, pack)
        if all(BUILT_IN.get(name) is pack for name, pack in found.items()):
            return _built_in(tuple(found))
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


@cache
def _built_in(names: tuple[str, ...]) -> Packs:
    """Return the packs of a process, which makes their tables once for all its managers: these do not change."""
    return Packs(tuple(BUILT_IN[name] for name in names))


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


def _installed() -> dict[str, Domain]:
    """Return every pack there is; one that cannot be loaded is logged and left out."""
    found = dict(BUILT_IN)
    for point in _points():
        if point.name not in found and (pack := _loaded(point)) is not None:
            found[point.name] = pack
    return found


def _points() -> tuple[metadata.EntryPoint, ...]:
    return _points_on(tuple(sys.path))


@lru_cache(maxsize=8)
def _points_on(path: tuple[str, ...]) -> tuple[metadata.EntryPoint, ...]:
    """Return what is installed on the path, looked for once: it costs a file for each library there is."""
    return tuple(sorted(metadata.entry_points(group=GROUP), key=lambda point: point.name))


def _loaded(point: metadata.EntryPoint) -> Domain | None:
    def load() -> Domain:
        made = point.load()
        return checked(made() if isinstance(made, type) else made)

    return guard(f"The domain pack {point.name!r} ({point.value})", load)


def _named(name: str) -> Domain:
    if name in BUILT_IN:
        return BUILT_IN[name]
    points = {point.name: point for point in _points()}
    known = ", ".join(repr(each) for each in sorted({*BUILT_IN, *points}))
    if name not in points:
        raise ConfigError(f"There is no domain pack {name!r}: write one of {known}, or hand in a pack itself")
    if (pack := _loaded(points[name])) is None:
        raise ConfigError(f"The domain pack {name!r} cannot be loaded (the log says why); without it there are {known}")
    return pack
