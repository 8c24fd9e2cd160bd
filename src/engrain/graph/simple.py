"""`SimpleGraphMemory`: a graph in memory, without a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engrain.errors import NotFound


class SimpleGraphMemory:
    """Entities, their relations, and the memories about them, for programs that store the rest elsewhere.

    Entities have ids chosen by the caller. Everything is in order of insertion: a relationship that is added
    twice, or a memory linked twice, is listed twice. `MemoryManager.graph` is the graph of a store.
    """

    def __init__(self) -> None:
        self._metadata: dict[str, dict[str, Any]] = {}
        self._memories: dict[str, list[str]] = {}
        self._relationships: list[tuple[str, str, str]] = []
        self._neighbours: dict[str, dict[str, None]] = {}  # in both directions

    @property
    def entities(self) -> list[str]:
        """The ids of all entities."""
        return list(self._metadata)

    @property
    def relationships(self) -> list[tuple[str, str, str]]:
        """All relationships as (source, relation, target)."""
        return list(self._relationships)

    def add_entity(self, entity_id: str, metadata: Mapping[str, Any] | None = None) -> None:
        """Add an entity, or give one that is there more metadata: a field that it had is replaced."""
        self._metadata.setdefault(entity_id, {}).update(metadata or {})
        self._neighbours.setdefault(entity_id, {})

    def add_relationship(self, source: str, relation: str, target: str) -> None:
        """Add a relationship, and its missing entities."""
        self.add_entity(source)
        self.add_entity(target)
        self._relationships.append((source, relation, target))
        self._neighbours[source][target] = None
        self._neighbours[target][source] = None

    def link_memory(self, entity_id: str, memory_id: str) -> None:
        """Link a memory to an entity; an unknown entity is `NotFound`, which is a `KeyError`."""
        self._known(entity_id)
        self._memories.setdefault(entity_id, []).append(memory_id)

    def get_related_entities(self, entity_id: str, max_depth: int = 2) -> list[str]:
        """Return the entities within a number of steps in either direction, the nearest first, without the start."""
        return self._reached(entity_id, max_depth)[1:]

    def get_memory_ids_for_entity(self, entity_id: str) -> list[str]:
        """Return the memories linked to an entity, with repeats; none for an unknown one."""
        return list(self._memories.get(entity_id, ()))

    def get_related_memory_ids(self, entity_id: str, max_depth: int = 2) -> list[str]:
        """Return the memories of an entity, then of those near it, each once."""
        near = self._reached(entity_id, max_depth)
        return list(dict.fromkeys(memory for entity in near for memory in self._memories.get(entity, ())))

    def get_entity_metadata(self, entity_id: str) -> dict[str, Any]:
        """Return a copy of an entity's metadata; an unknown entity is `NotFound`."""
        self._known(entity_id)
        return dict(self._metadata[entity_id])

    def remove_entity(self, entity_id: str) -> None:
        """Remove an entity with its relationships and links; an unknown one is ignored."""
        self._metadata.pop(entity_id, None)
        self._memories.pop(entity_id, None)
        for neighbour in self._neighbours.pop(entity_id, {}):
            self._neighbours.get(neighbour, {}).pop(entity_id, None)
        self._relationships = [each for each in self._relationships if entity_id not in (each[0], each[2])]

    def clear(self) -> None:
        """Remove everything."""
        for kept in (self._metadata, self._memories, self._relationships, self._neighbours):
            kept.clear()

    def _known(self, entity_id: str) -> None:
        if entity_id not in self._metadata:
            raise NotFound(entity_id, what="entity")

    def _reached(self, entity_id: str, max_depth: int) -> list[str]:
        """Return the start and its neighbourhood, breadth first; [] if the start is unknown."""
        ring = dict.fromkeys([entity_id] if entity_id in self._metadata else [])
        found = dict(ring)
        for _ in range(max_depth):
            ring = dict.fromkeys(n for entity in ring for n in self._neighbours[entity] if n not in found)
            if not ring:
                break
            found |= ring
        return list(found)
