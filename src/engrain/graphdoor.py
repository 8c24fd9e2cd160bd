"""The door to the graph in a store: what a reader must answer of entities and relations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from engrain.graphrows import EntityRow, Living, Said, Together
from engrain.model.filters import Filter


@dataclass(frozen=True, slots=True)
class Sighting:
    """Who looks at relations, None for an administrator, and when: what holds at `valid_at`.

    What was stated by hand counts as it is believed now, or was at `known_at`.
    """

    agent: str | None
    valid_at: datetime
    known_at: datetime | None = None


class GraphReader(Protocol):
    """What a view of the store tells of its graph; every answer keeps inside the walls of a filter."""

    def named(self, keys: Sequence[str], where: Filter) -> list[EntityRow]:
        """Return the entities inside the walls of a filter whose key is one of these, of whatever type, by id."""
        ...

    def known(
        self,
        where: Filter,
        *,
        type: str | None = None,
        among: Collection[int] | None = None,
        after: int = 0,
        limit: int = 100,
    ) -> list[EntityRow]:
        """Return entities under their canonical names, by id, that stand by themselves or that a memory mentions.

        `among` names the rows that are asked about. A name that another agent alone says is another's stands for
        itself.
        """
        ...

    def owners(self, where: Filter) -> Mapping[int, str | None]:
        """Return the namespaces inside the walls of a filter, by number, with the user of each."""
        ...

    def living(self, nums: Sequence[int], where: Filter) -> Mapping[int, Living]:
        """Return those of the rows that pass, with what a relation wants to know of its evidence."""
        ...

    def said(
        self,
        end: Literal["source", "target"],
        entities: Collection[int],
        where: Filter,
        at: Sighting,
        *,
        begun: Filter,
    ) -> list[Said]:
        """Return the relations that have this end among entities, hold then, and whose evidence passes or is none.

        Of one with an interval of its own the evidence need not have begun to hold: it must pass `begun`.
        """
        ...

    def newest_mentions(self, entities: Collection[int], most: int) -> list[tuple[int, int]]:
        """Return, of each entity, the `most` newest memories about it, as (entity, num), whether or not they pass."""
        ...

    def together(self, entities: Collection[int], where: Filter, *, most: int | None = None) -> list[Together]:
        """Return who is named beside entities in memories that pass and say something by it.

        Of each entity the `most` newest mentions are looked at, whether or not they pass; None means all.
        """
        ...
