"""Edits of the graph by hand: entities, aliases, merges, relationships."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from engrain.arrays import Numbers, np
from engrain.engine import Engine
from engrain.errors import NotFound
from engrain.graph.entity_store import EntityStore, StatedRelation, among, rooted
from engrain.model.entities import IDENTIFIERS, NAME, Named, family
from engrain.model.filters import Filter, Test, reachable
from engrain.model.memory import Scope, Status
from engrain.protocols import Embedder
from engrain.storage.queries import evidence, highest, named
from engrain.storage.rows import (
    ALL_AGENTS,
    MERGED,
    PROPOSED,
    REFUSED,
    STATED,
    UNDONE,
    EntityNote,
    EntityRow,
    MentionRow,
    MergeRow,
    Record,
    RelationRow,
)
from engrain.write.prepare import vectors
from engrain.write.transitions import Editor, find_record, transact

_AT_ONCE = 500  # memories looked up together
T = TypeVar("T")
_Placed = tuple[StatedRelation, str | None, int | None]
"""A statement, the user of its namespace, and the memory that is its evidence."""


def add_relationships(engine: Engine, scope: Scope, said: Sequence[StatedRelation]) -> int:
    """State relations in one transaction and return how many are new; nodes that are missing are made.

    Said again, the new statement takes the place of the old. Raises `NotFound` for a memory that is not there, and
    `ValueError` for a relation of an entity with itself; then nothing is stated.
    """
    return _edited(engine, scope, lambda graph: graph.state(said))


def add_entity(
    engine: Engine, scope: Scope, named: Named, *, aliases: Sequence[str] = (), metadata: Mapping[str, Any]
) -> None:
    """Let an entity stand by itself, with other names and metadata that merge into what is there."""

    def change(graph: _GraphEditor) -> None:
        (entity,) = graph.entities.ids([named])
        graph.entities.stand(entity, scope.agent, metadata)
        graph.trail.note("add_entity", f"ent_{entity}")
        for alias in aliases:  # one that was an entity of its own is merged, and that recorded
            before = graph.entities.alias(entity, Named(named.type, alias), scope.agent)
            graph.trail.note("add_alias", f"ent_{entity}")
            if before is not None:
                graph.record_merge(graph.top(entity), before.id, f"{alias} is another name of it")

    _edited(engine, scope, change)


def link_memory(engine: Engine, scope: Scope, named: Named, memory_id: str) -> bool:
    """Say that a memory is about an entity; False when that is known. Raises `NotFound` when either is unknown."""

    def change(graph: _GraphEditor) -> bool:
        record = find_record(graph.transaction, scope, memory_id)
        known = graph.known(named)
        if record.memory.scope.user != scope.user:  # an administrator's word on a user's memory goes with that memory
            (known,) = graph.entities_of(record.memory.scope.user).ids([named])
        tests = [Test("entity", "eq", known), Test("num", "eq", record.num)]
        mentions = graph.transaction.find(MentionRow, tests)
        if not any(row.origin == STATED for row in mentions):
            graph.transaction.put(MentionRow(known, record.num, STATED, True))
        if not mentions:
            graph.trail.note("link_memory", f"ent_{known}")
        return not mentions

    return _edited(engine, scope, change)


def remove_entity(engine: Engine, scope: Scope, named: Named) -> bool:
    """Take an entity out of the graph, with its other names, relations and mentions; False when it is unknown.

    What has the name and is of another type, or of none, is another entity. Memories stay. What memories say that the
    view does not see stays too, and the name with it.
    """

    def change(graph: _GraphEditor) -> bool:
        known = graph.find(named, exactly=True)
        if known is None:
            return False
        removed = graph.remove(graph.with_other_names(graph.top(known)))
        if removed:
            graph.trail.note("remove_entity", f"ent_{known}")
        return removed

    return _edited(engine, scope, change)


def merge(engine: Engine, scope: Scope, keep: Named, other: Named) -> MergeRow:
    """Take two entities for one from now on, and say so; both must be known and of one family of types."""

    def change(graph: _GraphEditor) -> MergeRow:
        kept, merged = (graph.top(graph.known(named)) for named in (keep, other))
        if kept == merged:
            raise ValueError(f"{keep.name!r} and {other.name!r} are one already")
        return graph.merge(kept, merged, "by hand")

    return _edited(engine, scope, change)


def unmerge(engine: Engine, scope: Scope, merge_id: str) -> bool:
    """Take a merge back: both are entities of their own again, with what was said of each; False for an unknown one."""

    def change(graph: _GraphEditor) -> bool:
        row = graph.merge_row(merge_id)
        if row is None or row.state != MERGED:
            return False
        graph.entities.part(row.other)
        graph.transaction.put(row._replace(state=UNDONE))
        graph.trail.note("unmerge", merge_id)
        return True

    return _edited(engine, scope, change)


def is_merge(name: str) -> bool:
    """Say whether an id names a merge."""
    return name.startswith("mrg_")


def settle(engine: Engine, scope: Scope, merge_id: str, *, accept: bool, reason: str) -> MergeRow:
    """Carry out a proposed merge, or refuse it; raises `NotFound`, and `ValueError` for one that does not wait."""

    def change(graph: _GraphEditor) -> MergeRow:
        row = graph.merge_row(merge_id)
        if row is None:
            raise NotFound(merge_id, what="merge")
        if row.state != PROPOSED:
            raise ValueError(f"{merge_id} is {row.state}: nothing waits for a verdict")
        keep, other = graph.top(row.keep), graph.top(row.other)
        graph.trail.note("validate" if accept else "reject", merge_id, reason=reason)
        if accept and keep != other:
            return graph.merge(keep, other, row.reason, settled=row)
        settled = row._replace(state=MERGED if accept else REFUSED)
        graph.transaction.put(settled)
        return settled

    return _edited(engine, scope, change)


def _edited(engine: Engine, scope: Scope, change: Callable[[_GraphEditor], T]) -> T:
    return transact(engine, scope, lambda editor: change(_GraphEditor(editor, scope)))


class _GraphEditor:
    """One change of the graph by hand, inside one transaction."""

    def __init__(self, editor: Editor, scope: Scope) -> None:
        self.engine, self.transaction, self.trail, self.now = (
            editor.engine,
            editor.transaction,
            editor.trail,
            editor.now,
        )
        self.scope = scope
        self._stores: dict[str | None, EntityStore] = {}
        self.entities = self.entities_of(scope.user)

    def entities_of(self, user: str | None) -> EntityStore:
        """Return the entities in the namespace of a user."""
        if user not in self._stores:
            self._stores[user] = EntityStore(self.transaction, self.engine.packs, self.scope.org, user)
        return self._stores[user]

    def top(self, entity: int) -> int:
        """Return the entity that a row counts as."""
        return self.entities.top(entity, self.scope.agent).id

    def find(self, named: Named, *, exactly: bool = False) -> int | None:
        """Return the row of an entity that the view knows, by hand or by any memory that is not forgotten.

        One whose type is not known is of any type, unless `exactly` the named one is wanted.
        """
        where, kind = reachable(self.scope).but(Test("status", "ne", Status.FORGOTTEN)), family(named.type)
        names = (named,) if exactly else (named, Named(NAME, named.name))  # that of the type may be another agent's
        for each in names:
            row = self.entities.find(each)
            meant = row is not None and (row.family == (kind if exactly else NAME) or (each is named and not exactly))
            if row is not None and meant and self.transaction.entities(where, among=[self.top(row.id)], limit=1):
                return row.id
        return None

    def known(self, named: Named) -> int:
        """Return the row of an entity that the view knows; raises `NotFound`."""
        found = self.find(named)
        if found is None:
            raise NotFound(named.name, what=named.type)
        return found

    def with_other_names(self, entity: int) -> list[int]:
        """Return an entity and every other name of it."""
        ids, new = [entity], [entity]
        while new:
            found = among(self.transaction, EntityRow, "merged_into", new)
            new = [row.id for row in found if row.above(self.scope.agent)]
            ids += new
        return ids

    # ------------------------------------------------------------------------------------------------------- relations

    def state(self, said: Sequence[StatedRelation]) -> int:
        """Put what is new of the statements and all that they need."""
        cited = self._memories([memory_id for each in said for memory_id in each.evidence])
        last, placed = highest(self.transaction, EntityRow, "id") or 0, list[_Placed]()
        for each in said:  # beside each memory that says so, or in the view's own place
            for memory_id in each.evidence:
                placed.append((each, cited[memory_id].memory.scope.user, cited[memory_id].num))
            if not each.evidence:
                placed.append((each, self.scope.user, None))
        ids = self._ids(placed)
        self._check(placed, ids)
        own, ends = self.scope.user, [(each, end) for each in placed for end in (each[0].source, each[0].target)]
        self._stand({ids[own, end] for (_, _, num), end in ends if num is None})
        self._mention(list(dict.fromkeys((ids[user, end], num) for (_, user, num), end in ends if num)))
        rows: dict[tuple[int, str, int, int | None], RelationRow] = {}
        for each, user, num in placed:
            source, target = ids[user, each.source], ids[user, each.target]
            agent, interval = self.scope.agent if num is None else None, (each.valid_from, each.valid_until)
            row = RelationRow(source, each.relation, target, num, agent, STATED, each.weight, *interval, self.now)
            rows[source, each.relation, target, num] = row
        new = [row for row in rows.values() if max(row.source, row.target) > last or self._takes_over(row)]
        self.transaction.put(*new)
        for entity in dict.fromkeys(row.source for row in new):
            self.trail.note("add_relationship", f"ent_{entity}")
        return len(new)

    def _memories(self, ids: Sequence[str]) -> dict[str, Record]:
        """Return memories that the view reaches."""
        wanted, found = list(dict.fromkeys(ids)), dict[str, Record]()
        for start in range(0, len(wanted), _AT_ONCE):
            some = Test("id", "in", tuple(wanted[start : start + _AT_ONCE]))
            reached = reachable(self.scope).but(some, Test("status", "ne", Status.FORGOTTEN))
            found |= {record.memory.id: record for record in self.transaction.find(Record, reached)}
        if missing := [memory_id for memory_id in wanted if memory_id not in found]:
            raise NotFound(missing[0])
        return found

    def _ids(self, placed: Sequence[_Placed]) -> dict[tuple[str | None, Named], int]:
        """Return the entity of each name, in the namespace of each user."""
        names: dict[str | None, dict[Named, None]] = {}
        for said, user, _ in placed:
            names.setdefault(user, {}).update({said.source: None, said.target: None})
        found: dict[tuple[str | None, Named], int] = {}
        for user, some in names.items():
            ids = self.entities_of(user).ids(list(some))
            found |= {(user, named): number for named, number in zip(some, ids, strict=True)}
        return found

    def _check(self, placed: Sequence[_Placed], ids: Mapping[tuple[str | None, Named], int]) -> None:
        """Raise for a relation of an entity with itself, under whichever of its names."""
        rows = among(self.transaction, EntityRow, "id", set(ids.values()))
        tops = {row: top.id for row, top in rooted(self.transaction, rows, self.scope.agent).items()}
        for each, user, _ in placed:
            if tops[ids[user, each.source]] == tops[ids[user, each.target]]:
                one, other = each.source.name, each.target.name
                raise ValueError(f"{one!r} and {other!r} are one: a relation needs two entities")

    def _stand(self, entities: set[int]) -> None:
        """Let entities stand by themselves that no memory is to vouch for."""
        owner = self.scope.agent or ALL_AGENTS
        noted = among(self.transaction, EntityNote, "entity", entities, Test("agent", "eq", owner), order="entity")
        new = sorted(entities - {note.entity for note in noted})
        self.transaction.put(*(EntityNote(entity, owner, "{}") for entity in new))

    def _mention(self, cited: Sequence[tuple[int, int]]) -> None:
        """Let memories be about the ends of what they are the evidence of."""
        nums = {num for _, num in cited}
        rows = among(self.transaction, MentionRow, "num", nums, Test("origin", "eq", STATED), order="num")
        known = {(row.entity, row.num) for row in rows}
        self.transaction.put(*(MentionRow(*each, STATED, True) for each in cited if each not in known))

    def _takes_over(self, row: RelationRow) -> bool:
        """Close the statement that a new one replaces; False when it says just the same."""
        same = [Test(column, "eq", getattr(row, column)) for column in ("source", "relation", "target", "num", "agent")]
        current = [Test("origin", "eq", STATED), Test("believed_until", "eq", None)]
        known = self.transaction.find(RelationRow, [*same, *current], order="id")
        if any(before._replace(recorded_at=self.now, id=0) == row for before in known):
            return False
        for before in known:
            self.transaction.update(RelationRow, [Test("id", "eq", before.id)], believed_until=self.now)
        return True

    # ---------------------------------------------------------------------------------------------------------- merges

    def merge(self, keep: int, other: int, reason: str, *, settled: MergeRow | None = None) -> MergeRow:
        """Point one entity at another, if they are of one family."""
        rows = {row.id: row for row in among(self.transaction, EntityRow, "id", (keep, other))}
        families = {rows[keep].family, rows[other].family}
        if len(families) == 2 and NAME not in families:
            types = f"{rows[keep].type} and {rows[other].type}"
            raise ValueError(f"{types} are different things: give both one type before you merge them")
        self.entities.merge(other, keep, self.scope.agent if settled is None else settled.agent)
        return self.record_merge(keep, other, reason, settled)

    def record_merge(self, keep: int, other: int, reason: str, settled: MergeRow | None = None) -> MergeRow:
        """Put a merge that was carried out, which was proposed before if it is `settled`."""
        if settled is None:
            return self._put_merge(keep, other, reason, MERGED)
        row = settled._replace(keep=keep, other=other, state=MERGED, reason=reason, at=self.now)
        self.transaction.put(row)
        self.trail.note("merge", row.id)
        return row

    def _put_merge(self, keep: int, other: int, reason: str, state: str) -> MergeRow:
        merge_id = self.engine.new_id("mrg")
        place = (merge_id, self.entities.namespace, keep, other, None, self.scope.agent)
        row = MergeRow(*place, state, reason, self.now)
        self.transaction.put(row)
        self.trail.note("merge" if state == MERGED else "propose", merge_id)
        return row

    def join(self, keep: int, other: int, reason: str, *, certain: bool) -> MergeRow | None:
        """Merge two entities, or propose it where that is not certain; None where it was decided or asked before."""
        rows = among(self.transaction, EntityRow, "id", (keep, other))
        if len(rows) < 2 or any(row.ns != self.entities.namespace for row in rows):
            return None
        keep, other = self.top(keep), self.top(other)
        pair = Test("keep", "in", (keep, other)), Test("other", "in", (keep, other))
        if keep == other or self.transaction.find(MergeRow, pair, order="id", limit=1):
            return None
        return self.merge(keep, other, reason) if certain else self._put_merge(keep, other, reason, PROPOSED)

    def merge_row(self, merge_id: str) -> MergeRow | None:
        """Return a merge that the view reaches."""
        wanted = Filter(self.scope.org, self.scope.user).but(Test("id", "eq", merge_id))
        found = self.transaction.find(MergeRow, wanted, order="id")
        if not found:
            return None
        (entity,) = self.transaction.find(EntityRow, [Test("id", "eq", found[0].other)], order="id")
        inside = any(row.id == entity.id for row in named(self.transaction, [entity.key], reachable(self.scope)))
        mine = self.scope.agent is None or found[0].agent in (None, self.scope.agent)
        return found[0] if inside and mine else None

    # --------------------------------------------------------------------------------------------------------- removal

    def remove(self, ids: Sequence[int]) -> bool:
        """Remove what the view sees of entities, and the entities if nothing is left of them."""
        agent, removed = self.scope.agent, 0
        for entity in ids:
            here = Test("entity", "eq", entity)
            mine = [] if agent is None else [Test("agent", "in", (ALL_AGENTS, agent))]
            removed += self.transaction.delete(EntityNote, [here, *mine])
            removed += self._unmention(here)
            for end in ("source", "target"):
                removed += self._unrelate(Test(end, "eq", entity))
        if not self._is_left(ids):
            for column in ("keep", "other"):
                self.transaction.delete(MergeRow, [Test(column, "in", tuple(ids))])
            for entity in reversed(ids):  # other names before what they point at
                removed += 1
                self.transaction.delete(EntityRow, [Test("id", "eq", entity)])
        return removed > 0

    def _is_left(self, ids: Sequence[int]) -> bool:
        """Say whether anything is left of entities, if only that another agent says who they are."""
        rows = among(self.transaction, EntityRow, "id", ids) + among(self.transaction, EntityRow, "merged_into", ids)
        if any(row.merged_into is not None and row.above(self.scope.agent) is None for row in rows):
            return True
        places = (
            (MentionRow, "entity", "num"),
            (RelationRow, "source", "id"),
            (RelationRow, "target", "id"),
            (EntityNote, "entity", "entity"),
        )
        return any(among(self.transaction, kind, end, ids, order=order) for kind, end, order in places)

    def _unmention(self, here: Test) -> int:
        if self.scope.agent is None:
            return self.transaction.delete(MentionRow, [here])
        nums = self._visible([row.num for row in self.transaction.find(MentionRow, [here], order="num")])
        return sum(self.transaction.delete(MentionRow, [here, Test("num", "eq", num)]) for num in nums)

    def _unrelate(self, end: Test) -> int:
        if self.scope.agent is None:
            return self.transaction.delete(RelationRow, [end])
        rows = self.transaction.find(RelationRow, [end], order="id")
        nums, own = self._visible([row.num for row in rows if row.num is not None]), (None, self.scope.agent)
        gone = [row.id for row in rows if row.num in nums or (row.num is None and row.agent in own)]
        return sum(self.transaction.delete(RelationRow, [Test("id", "eq", one)]) for one in gone)

    def _visible(self, nums: Sequence[int]) -> set[int]:
        return set(evidence(self.transaction, nums, reachable(self.scope)))


CERTAIN, LIKELY = 0.92, 0.82  # cosines of names from which on two are one, and from which on somebody should look
NEWEST = 1_000  # entities of a family that are compared
_DIGITS = re.compile(r"\d+")
_UNCOMPARED = IDENTIFIERS | {"event"}


def resolve(engine: Engine, scope: Scope, rows: Sequence[EntityRow]) -> list[str]:
    """Merge the entities that are as good as certainly one, and propose the likely ones; return the ids of both.

    What was refused or taken back before is left alone. An embedder that weighs words adds them up and does not read a
    name as a whole: it finds nothing.
    """
    embedder = engine.embedder
    if embedder is None or hasattr(embedder, "embed_weighted"):
        return []
    pairs = sorted(_alike(embedder, rows), key=lambda pair: (-pair[0], pair[1]))

    def change(graph: _GraphEditor) -> list[str]:
        made = []
        for cosine, keep, other in pairs:
            reason = f"their names have a cosine of {cosine:.3f}"
            if row := graph.join(keep, other, reason, certain=cosine >= CERTAIN):
                made.append(row.id)
        return made

    return _edited(engine, scope, change)


def _alike(embedder: Embedder, rows: Sequence[EntityRow]) -> Iterator[tuple[float, int, int]]:
    """Yield the pairs of entities of one type whose names are alike: their cosine, and the older one first.

    Names whose digits differ are never alike, nor identifiers, nor mere names and typed ones.
    """
    types: dict[str, list[EntityRow]] = {}
    for row in rows:
        if row.type not in _UNCOMPARED:
            types.setdefault(row.type, []).append(row)
    for some in types.values():
        newest = sorted(some, key=lambda row: row.id)[-NEWEST:]
        matrix: Numbers = np.stack([np.asarray(each) for each in vectors(embedder, [row.name for row in newest])])
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        matrix = matrix / np.where(norms > 0, norms, 1)
        for one, other in np.argwhere(np.triu(matrix @ matrix.T, k=1) >= LIKELY).tolist():
            if _DIGITS.findall(newest[one].name) == _DIGITS.findall(newest[other].name):
                yield float(matrix[one] @ matrix[other]), newest[one].id, newest[other].id
