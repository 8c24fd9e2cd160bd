"""The entities of the graph as one view sees them, page by page."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from engrain.engine import Engine
from engrain.errors import NotFound
from engrain.graph import traversal
from engrain.graph.entity_store import among
from engrain.graph.traversal import VisibleGraph
from engrain.model.entities import Entity, Merge, Named, Reached, Relationship, listed_with
from engrain.model.filters import Filter, Test
from engrain.model.memory import Memory, Scope
from engrain.model.results import Page
from engrain.read.history import PastGraphReader, PointInTime
from engrain.storage.interface import evidence, named
from engrain.storage.rows import PROPOSED, EntityRow, MentionRow, MergeRow, Record
from engrain.validation import is_whole

_STRANGE = "the cursor is not one of ours: pass `page.next` as it came"


def encode_cursor(*values: object) -> str:
    """Return the cursor of a page: what kind of page it is of, and the place from which the next one goes on."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> list[Any]:
    """Return the values of a cursor; raises `ValueError` for one that is not ours."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, TypeError, AttributeError, RecursionError):
        values = None
    if not isinstance(values, list) or not values:
        raise ValueError(_STRANGE)
    return values


def cursor_at(row: int, skip: int = 0) -> str:
    """Return the cursor of what comes after a row, and after `skip` things of the one after it."""
    return encode_cursor("place", row, skip)


def is_place(cursor: str | None) -> bool:
    """Say whether a cursor is of this kind."""
    try:
        return cursor is not None and place_of(cursor) is not None
    except ValueError:
        return False


def place_of(cursor: str | None) -> tuple[int, int]:
    """Return the row and the number to skip of a cursor; raises `ValueError` for one that is not ours."""
    if cursor is None:
        return 0, 0
    kind, *place = decode_cursor(cursor)
    if kind != "place" or len(place) != 2 or not all(is_whole(each) and 0 <= each < 10**18 for each in place):
        raise ValueError(_STRANGE)
    return place[0], place[1]


_AT_ONCE = 200  # entities looked at together


class GraphView:
    """Reads of the graph from one view, at one point in time; `where` is what a memory must pass to be evidence."""

    def __init__(self, engine: Engine, where: Filter, at: PointInTime) -> None:
        self._engine, self._where, self._at = engine, where, at

    @contextmanager
    def open(self) -> Iterator[VisibleGraph]:
        """Open a reader of the store as a view of the graph."""
        packs = self._engine.packs
        with self._engine.store.read(self._where.org) as today:
            then = self._at.known_at
            reader = today if then is None else PastGraphReader(today, self._where, then, packs)
            yield VisibleGraph(reader, packs, self._where, self._at.valid_at, then)

    def memories(self, names: Sequence[Named], k: int) -> list[Memory]:
        """Return the memories about an entity, whichever of the names it has, newest event time first."""
        with self.open() as graph:
            nodes = {node for node in graph.found(names) if node is not None}
            nums = _mentioned(graph, nodes)
            if not nums or k <= 0:
                return []
            inside = self._where.but(Test("num", "in", tuple(nums)))
            return [record.memory for record in graph.reader.find(Record, inside, order="-valid_from", limit=k)]

    def memory_ids(self, named: Named, max_depth: int) -> list[str]:
        """Return the ids of the memories about an entity, then about those in its reach; each once, oldest first."""
        with self.open() as graph:
            node = graph.find(*named)
            if node is None:
                return []
            out: dict[str, None] = {}
            seen, frontier = {node}, [node]
            for _ in range(max_depth + 1):
                living = evidence(graph.reader, _mentioned(graph, frontier), self._where)
                out |= dict.fromkeys(living[num].memory_id for num in sorted(living))
                found = graph.around(frontier)
                ends = sorted({end for each in found for end in (each.source, each.target)} - seen)
                seen |= set(ends)
                frontier = ends
            return list(out)

    def relationships(self, named: Named) -> list[Relationship]:
        """Return what an entity has to do with others; [] for an unknown one."""
        with self.open() as graph:
            node = graph.find(*named)
            return [] if node is None else traversal.neighbours(graph, node)

    def reached(self, named: Named, max_depth: int) -> list[Reached]:
        """Return everything within some steps of an entity; [] for an unknown one."""
        with self.open() as graph:
            node = graph.find(*named)
            return [] if node is None else traversal.reached(graph, node, max_depth)

    def related(self, named: Named, max_depth: int) -> list[Entity]:
        """Return the entities within some steps, the nearest first and then in the order in which they were made."""
        with self.open() as graph:
            node = graph.find(*named)
            return [] if node is None else traversal.related(graph, node, max_depth)

    def path(self, source: Named, target: Named, max_depth: int) -> list[Relationship]:
        """Return the relations along a shortest way; [] when there is none, or an end is unknown."""
        with self.open() as graph:
            start, goal = graph.found([source, target])
            return [] if start is None or goal is None else traversal.shortest_path(graph, start, goal, max_depth)

    def ranked(self, seeds: Sequence[Named], k: int) -> list[tuple[Entity, float]]:
        """Return who matters most from the seeds that are known."""
        with self.open() as graph:
            nodes = [node for node in dict.fromkeys(graph.found(seeds)) if node is not None]
            return traversal.pagerank(graph, nodes, k) if nodes and k > 0 else []

    def neighbourhood(self, named: Named, max_depth: int) -> tuple[list[Entity], list[Relationship]]:
        """Return an entity and those around it, and what all of these have to do with each other.

        Raises `NotFound` for an unknown one.
        """
        with self.open() as graph:
            node = graph.find(*named)
            if node is None:
                raise NotFound(named.name, what=named.type)
            nodes, relations = traversal.neighbourhood(graph, node, max_depth)
            return graph.described(nodes), traversal.relationships(graph, node, relations)

    def entity(self, named: Named, *, known: bool = True) -> Entity | None:
        """Return one entity with its aliases and metadata; None when the view does not know it, unless it need not."""
        with self.open() as graph:
            (node,) = graph.found([named], hidden=not known)
            if node is None or (known and not graph.known([node])):
                return None
            return graph.described([node])[0]

    def by_id(self, entity: int) -> Entity:
        """Return an entity by the id of any of its rows."""
        with self.open() as graph:
            (row,) = graph.reader.find(EntityRow, [Test("id", "eq", entity)], order="id")
            return graph.described([graph.of(row)])[0]

    def entities(self, type_: str | None, limit: int, cursor: str | None) -> Page[Entity]:
        """Return a page of the entities that can be seen, in the order in which they were made.

        The types of actors are one.
        """
        start, _ = place_of(cursor)
        kinds = (None,) if type_ is None else listed_with(type_)
        with self.open() as graph:
            found = (graph.reader.entities(self._where, type=kind, after=start, limit=limit + 1) for kind in kinds)
            rows = sorted(chain.from_iterable(found), key=lambda row: row.id)
            nodes = list(dict.fromkeys(graph.of(row) for row in rows[:limit]))
            more = cursor_at(rows[limit - 1].id) if len(rows) > limit else None
            return Page(graph.described(nodes), more)

    def rows(self) -> list[EntityRow]:
        """Return every entity that can be seen."""
        found, last = list[EntityRow](), 0
        with self.open() as graph:
            while some := graph.reader.entities(self._where, after=last, limit=_AT_ONCE):
                found += some
                last = some[-1].id
        return found

    def all_relationships(self, limit: int, cursor: str | None) -> Page[Relationship]:
        """Return a page of relations, each from its source, in the order of the sources.

        Entities that are merely named together are left out.
        """
        out: list[Relationship] = []
        start, skip = place_of(cursor)
        with self.open() as graph:
            while rows := graph.reader.entities(self._where, after=start, limit=_AT_ONCE):
                for row in rows:
                    found = traversal.outward(graph, graph.of(row))[skip:]
                    room = limit - len(out)
                    out += found[:room]
                    if len(found) > room:
                        return Page(out, cursor_at(start, skip + room))
                    start, skip = row.id, 0
        return Page(out)

    def merges(self, scope: Scope, states: Sequence[str]) -> list[Merge]:
        """Return the merges that the view reaches, newest first."""
        with self.open() as graph:
            return [merge for _, merge in self.settled(graph, scope, states)]

    def proposed(self, scope: Scope) -> list[tuple[Merge, Memory | None]]:
        """Return the merges that wait for a verdict, newest first, each with the memory that says so, if one does."""
        with self.open() as graph:
            found = self.settled(graph, scope, (PROPOSED,))
            nums = tuple({row.num for row, _ in found if row.num is not None})
            records = graph.reader.find(Record, self._where.but(Test("num", "in", nums))) if nums else []
            by_num = {record.num: record.memory for record in records}
            return [(merge, by_num.get(row.num or 0)) for row, merge in found if row.num is None or row.num in by_num]

    def settled(self, graph: VisibleGraph, scope: Scope, states: Sequence[str]) -> list[tuple[MergeRow, Merge]]:
        """Return merges as stored and as seen; what waits and a memory proposes that is not seen is left out."""
        org_filter = Filter(self._where.org, self._where.user, self._where.shared)
        rows = graph.reader.find(MergeRow, org_filter.but(Test("state", "in", tuple(states))), order="-at")
        ends = {row.id: row for row in among(graph.reader, EntityRow, "id", {end for r in rows for end in r[2:4]})}
        inside = {row.id for row in named(graph.reader, {row.key for row in ends.values()}, self._where)}
        living = evidence(graph.reader, [row.num for row in rows if row.num is not None], self._where)
        out = []
        for row in rows:
            mine = scope.agent is None or row.agent in (None, scope.agent)
            seen = row.num is None or row.num in living or row.state != PROPOSED
            if mine and seen and {row.keep, row.other} <= inside:
                keep, other = (Entity(ends[end].type, ends[end].name) for end in (row.keep, row.other))
                out.append((row, Merge(row.id, keep, other, row.state, row.reason, row.at)))
        return out


def _mentioned(graph: VisibleGraph, nodes: Sequence[int] | set[int]) -> list[int]:
    rows = among(graph.reader, MentionRow, "entity", graph.ids(nodes), order="num")
    return sorted({row.num for row in rows})
