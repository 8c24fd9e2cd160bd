"""The graph at the front door: who and what memories are about, and how that relates."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from engrain.graph.traversal import entity_named, pair, vocabulary
from engrain.lazy import Later
from engrain.manager.reading import Reading
from engrain.manager.stating import statement, statement_of
from engrain.model.entities import Entity, Merge, Named, Reached, Relationship
from engrain.model.memory import Memory
from engrain.model.results import Page, StixImported
from engrain.model.scope import identifier, is_whole
from engrain.read.entities import Sight
from engrain.read.history import shown, standpoint
from engrain.read.listing import checked_limit
from engrain.read.request import select
from engrain.storage.rows import MERGED, PROPOSED, UNDONE
from engrain.validation import When, checked_metadata, names
from engrain.write import graph_edits as hand
from engrain.write.graph_edits import add_relationships, resolve
from engrain.write.ingest import Progress

if TYPE_CHECKING:
    from engrain.graph import files
    from engrain.transfer.stix import exporting, importing
else:
    files = Later("engrain.graph.files")
    exporting, importing = [Later("engrain.transfer.stix.exporting"), Later("engrain.transfer.stix.importing")]

MOST_DEPTH = 10  # steps that anybody may ask a walk for
_AT_ONCE = 1_000  # relations stated in one transaction
_EVERYTHING = 10_000  # rows of a page when everything is wanted


class Graph:
    """The entities of a view and their relations; `m.graph` is one.

    An entity is named by its type and any of its names, in methods that take two by `(type, name)` pairs. Reads show
    what the view's memories say and what was stated by hand; `shared` adds the org's memories without a user, `as_of`
    and `known_at` look from another time, as in `recall`. An unknown entity has no relations.
    """

    def __init__(self, view: Graphing) -> None:
        self._view = view

    # ---------------------------------------------------------------------------------------------------------- reading

    def entity(self, type: str, value: str, *, shared: bool = False) -> Entity | None:
        """Return an entity with all its names and what was noted of it; None when the view knows none of that name."""
        return self._view._sight(shared=shared).entity(entity_named(type, value))

    def entities(
        self, *, type: str | None = None, limit: int = 100, cursor: str | None = None, shared: bool = False
    ) -> Page[Entity]:
        """Return a page of the entities that the view's memories mention or that somebody added, oldest first.

        `actor`, `threat_actor` and `intrusion_set` list the same.
        """
        wanted = None if type is None else entity_named(type, "any").type
        return self._view._sight(shared=shared).entities(wanted, checked_limit(limit), cursor)

    def relationships(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        shared: bool = False,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> Page[Relationship]:
        """Return a page of all relations, each from its source; what is merely named together is left out."""
        sight = self._view._sight(shared=shared, as_of=as_of, known_at=known_at)
        return sight.all_relationships(checked_limit(limit), cursor)

    def memory_ids(self, type: str, value: str, *, max_depth: int = 0, shared: bool = False) -> list[str]:
        """Return the ids of the memories about an entity, oldest first; with a depth, of what is in its reach too."""
        return self._view._sight(shared=shared).memory_ids(entity_named(type, value), _depth(max_depth))

    def related(
        self,
        type: str,
        value: str,
        *,
        max_depth: int = 2,
        shared: bool = False,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> list[Entity]:
        """Return the entities within some steps, in either direction, the nearest first and then the oldest."""
        sight = self._view._sight(shared=shared, as_of=as_of, known_at=known_at)
        return sight.related(entity_named(type, value), _depth(max_depth))

    def shortest_path(
        self,
        source: tuple[str, str],
        target: tuple[str, str],
        *,
        max_depth: int = 6,
        shared: bool = False,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> list[Relationship]:
        """Return the relations along a shortest way, each seen from where one comes; [] when there is none."""
        sight = self._view._sight(shared=shared, as_of=as_of, known_at=known_at)
        return sight.path(pair(source, "source"), pair(target, "target"), _depth(max_depth))

    def pagerank(
        self, seeds: Iterable[tuple[str, str]], *, k: int = 10, shared: bool = False, as_of: When | None = None
    ) -> list[tuple[Entity, float]]:
        """Return the `k` entities that matter most from the seeds (pairs), with their personalised PageRank.

        The seeds are left out; scores are comparable within one answer. Damping is .85.
        """
        wanted = [pair(seed, "seeds") for seed in seeds]
        if not wanted:
            raise ValueError("seeds is empty: name at least one entity to start from")
        if not is_whole(k):
            raise TypeError(f"k must be a whole number, not {k!r}")
        return self._view._sight(shared=shared, as_of=as_of).ranked(wanted, k)

    def merges(self) -> list[Merge]:
        """Return the merges that were made, newest first, those that were taken back included."""
        return self._view._sight().merges(self._view._scope, (MERGED, UNDONE))

    # ---------------------------------------------------------------------------------------------------------- editing

    def add_entity(
        self, type: str, value: str, *, aliases: Iterable[str] = (), metadata: Mapping[str, Any] | None = None
    ) -> Entity:
        """Add an entity, or add to one: other names, and metadata that merges shallowly (None removes a key).

        It stands from then on, whether or not a memory mentions it. Raises `ValueError` for an alias that is another
        entity's alias already.
        """
        named = entity_named(type, value)
        others = [entity_named(type, alias).name for alias in names(aliases, "aliases")]
        kept = {} if metadata is None else checked_metadata(metadata)
        hand.add_entity(self._view._engine, self._view._scope, named, aliases=others, metadata=kept)
        return self._stored(named)

    def add_alias(self, type: str, value: str, alias: str) -> Entity:
        """Give an entity another name; what was known under that name counts as the entity from now on.

        An entity that had this name for its own is merged, which `merges` shows and `unmerge` takes back.
        """
        return self.add_entity(type, value, aliases=[alias])

    def load_aliases(self, path: str | os.PathLike[str]) -> int:
        """Add the aliases of a TOML or JSON file, `{type: {name: [aliases]}}`, and return how many there were.

        All of the file is checked before anything is added.
        """
        read = vocabulary(path)
        for named, aliases in read:
            hand.add_entity(self._view._engine, self._view._scope, named, aliases=aliases, metadata={})
        return sum(len(aliases) for _, aliases in read)

    def add_relationship(
        self,
        source: tuple[str, str],
        relation: str,
        target: tuple[str, str],
        *,
        evidence: str | Iterable[str] | None = None,
        weight: float = 1.0,
        valid_from: When | None = None,
        valid_until: When | None = None,
    ) -> Relationship:
        """State that one entity has to do with another; entities that are missing are added.

        `evidence` names the memories that say so: the relation then lives as long as they do, and holds when they hold
        unless an interval is given. Said again, the new statement takes the place of the old one. Raises `NotFound` for
        an unknown memory, and `ValueError` for a relation of an entity with itself.
        """
        said = statement(
            source,
            relation,
            target,
            evidence=evidence,
            weight=weight,
            valid_from=valid_from,
            valid_until=valid_until,
        )
        add_relationships(self._view._engine, self._view._scope, [said])
        ends = self._stored(said.source), said.relation, self._stored(said.target)
        return Relationship(*ends, "out", said.weight, said.evidence, said.valid_from, said.valid_until)

    def add_relationships(self, items: Iterable[Mapping[str, Any]]) -> int:
        """State many relations, dicts of `add_relationship`'s arguments, and return how many statements are new.

        Each thousand is one transaction, and is checked before it is touched: an item that cannot be taken stops there,
        and earlier thousands stay.
        """
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise TypeError("items must be an iterable of mappings with the arguments of add_relationship")
        waiting, place, new = iter(items), 0, 0
        while some := list(islice(waiting, _AT_ONCE)):
            said = [statement_of(item, number) for number, item in enumerate(some, start=place)]
            new += add_relationships(self._view._engine, self._view._scope, said)
            place += len(some)
        return new

    def link_memory(self, type: str, value: str, memory_id: str) -> bool:
        """Say that a memory is about an entity; False when that is known. Raises `NotFound` when either is unknown."""
        named = entity_named(type, value)
        return hand.link_memory(self._view._engine, self._view._scope, named, identifier(memory_id, "memory_id"))

    def remove_entity(self, type: str, value: str) -> bool:
        """Take an entity out of the graph with its other names, relations and mentions; False for an unknown one.

        It must be of that type or its family; what nothing says the type of is removed as a `name`. The memories stay
        as they are; one that names it and is edited later brings it back.
        """
        return hand.remove_entity(self._view._engine, self._view._scope, entity_named(type, value))

    def merge(self, keep: tuple[str, str], other: tuple[str, str]) -> Merge:
        """Take two entities for one: `other` counts as `keep` from now on, and its names are aliases.

        Raises `NotFound` for an unknown one, `ValueError` when they are one already or of different families of types.
        """
        named = pair(keep, "keep"), pair(other, "other")
        row = hand.merge(self._view._engine, self._view._scope, *named)
        return next(merge for merge in self.merges() if merge.id == row.id)

    def resolve(self) -> list[Merge]:
        """Look for entities under several names by the meaning of the names; return what was merged or proposed.

        A cosine of at least .92 merges, which `merges` shows and `unmerge` takes back; from .82 on the merge waits in
        `review`. Types, digits and identifiers must agree. Needs an embedder that reads sentences: with the built-in
        one, which cannot tell APT28 from APT29, or with none, nothing is compared.
        """
        view = self._view
        rows = view._sight().rows()
        made = set(resolve(view._engine, view._scope, rows))
        sight = view._sight()
        return [merge for merge in sight.merges(view._scope, (MERGED, PROPOSED)) if merge.id in made]

    def unmerge(self, merge_id: str) -> bool:
        """Take a merge back: both are entities of their own again, with what was said of each; False if unknown."""
        return hand.unmerge(self._view._engine, self._view._scope, identifier(merge_id, "merge_id"))

    def _stored(self, named: Named) -> Entity:
        found = self._view._sight().entity(named, known=False)
        assert found is not None
        return found

    # ------------------------------------------------------------------------------------------------------------ files

    def export(
        self, path: str | os.PathLike[str], *, format: Literal["graphml", "json", "svg", "png"] = "graphml"
    ) -> str:
        """Write the graph that the view sees to a new file, as `graphml`, `json`, `svg` or `png`; return its path.

        Pictures show the part with the most relations; a `png` needs `engrain[draw]`.
        """
        entities, cursor = list[Entity](), None
        while True:
            page = self.entities(limit=_EVERYTHING, cursor=cursor)
            entities += page
            if (cursor := page.next) is None:
                break
        relations: list[Relationship] = []
        while True:
            found = self.relationships(limit=_EVERYTHING, cursor=cursor)
            relations += found
            if (cursor := found.next) is None:
                return files.write_graph(path, entities, relations, format=format)

    def draw(
        self,
        type: str,
        value: str,
        path: str | os.PathLike[str],
        *,
        format: Literal["svg", "png"] = "svg",
        max_depth: int = 1,
    ) -> str:
        """Draw an entity and what is around it to a new file, as `svg` or `png`; return its path.

        Raises `NotFound` for an unknown entity. A `png` needs `engrain[draw]`.
        """
        entities, relations = self._view._sight().neighbourhood(entity_named(type, value), _depth(max_depth))
        return files.write_graph(path, entities, relations, format=format, centre=entities[0])

    def import_stix(self, path: str | os.PathLike[str], *, progress: Progress | None = None) -> StixImported:
        """Remember what a STIX 2.1 bundle holds (`.json`, or `.gz` of it): things, other names, relationships.

        Each thing and each relationship becomes a memory of domain cti under its STIX id, trusted as external data.
        Importing again adds nothing, and takes up what is newer; an import that was cut short goes on where it was.
        `progress(done, total, label)` is called with objects. Raises `ValueError` for a file that holds no bundle; an
        object that cannot be taken is told in `rejected` and stops no other.
        """
        result = importing.import_stix(self._view._engine, self._view._scope, path, progress=progress)
        self._view._queued()
        return result

    def export_stix(self, path: str | os.PathLike[str]) -> str:
        """Write the memories, entities and relations of domain cti to a new file as a STIX 2.1 bundle; return its path.

        What came from STIX keeps its ids and its marking. Needs `engrain[stix]`.
        """
        return exporting.export_stix(self._view._engine, self._view._scope, path)


class Graphing(Reading):
    """The methods about entities."""

    @property
    def graph(self) -> Graph:
        """The graph of the view: entities, relations, and what can be done with them."""
        return Graph(self)

    def _sight(
        self,
        *,
        shared: bool = False,
        as_of: When | None = None,
        known_at: When | None = None,
        **filters: Any,
    ) -> Sight:
        """Return how this view sees the graph."""
        at = standpoint(self._engine, as_of=as_of, known_at=known_at)
        return Sight(self._engine, select(self._scope, shown(at), shared=shared, **filters), at)

    def recall_entity(
        self,
        entity_type: str,
        value: str,
        *,
        k: int = 5,
        domain: str | None = None,
        kinds: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
        where: Mapping[str, Any] | None = None,
        session: str | None = None,
        shared: bool = False,
        since: When | None = None,
        until: When | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> list[Memory]:
        """Return the memories about an entity, by any of its names, newest event time first.

        Case, spaces and hyphens of a name make no difference; the types of a family (actors; tools and malware) are
        looked up as one. The filters are those of `recall`.
        """
        if not is_whole(k):
            raise TypeError(f"k must be a whole number, not {k!r}")
        sight = self._sight(
            shared=shared,
            as_of=as_of,
            known_at=known_at,
            domain=domain,
            kinds=kinds,
            tags=tags,
            where=where,
            session=session,
            since=since,
            until=until,
        )
        found = sight.memories([entity_named(entity_type, value)], k)
        self._engine.counters.count("entity_hits", self._scope)
        if found and not self._engine.store.read_only:
            self._accesses.add(self._scope.org, [memory.id for memory in found], self._engine.clock.now())
        return [self._accesses.shown(memory) for memory in found]

    def recall_cve(self, /, cve_id: str, *, k: int = 5, **filters: Any) -> list[Memory]:
        """Return the memories about a vulnerability by its CVE number, in any case; filters as in `recall_entity`."""
        return self.recall_entity("cve", cve_id, k=k, **filters)

    def recall_actor(self, /, name: str, *, k: int = 5, **filters: Any) -> list[Memory]:
        """Return the memories about an actor or intrusion set by any of its names; filters as in `recall_entity`."""
        return self.recall_entity("actor", name, k=k, **filters)

    def recall_tool(self, /, name: str, *, k: int = 5, **filters: Any) -> list[Memory]:
        """Return the memories about a tool or malware by any of its names; filters as in `recall_entity`."""
        return self.recall_entity("tool", name, k=k, **filters)

    def get_entity_relationships(
        self,
        entity_type: str,
        value: str,
        *,
        shared: bool = False,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> list[Relationship]:
        """Return what an entity has to do with others, in both directions, the plainest first; [] for an unknown one.

        Entities that are merely named together are `related_to` each other, at a weight of at most .5.
        """
        sight = self._sight(shared=shared, as_of=as_of, known_at=known_at)
        return sight.relationships(entity_named(entity_type, value))

    def traverse_graph(
        self,
        entity_type: str,
        value: str,
        *,
        max_depth: int = 2,
        shared: bool = False,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> list[Reached]:
        """Return every entity within `max_depth` steps, breadth first, each once with a shortest way to it."""
        sight = self._sight(shared=shared, as_of=as_of, known_at=known_at)
        return sight.reached(entity_named(entity_type, value), _depth(max_depth))


def _depth(value: int) -> int:
    if not is_whole(value) or not 0 <= value <= MOST_DEPTH:
        raise ValueError(f"max_depth is {value!r}: it must be a whole number from 0 to {MOST_DEPTH}")
    return value
