"""Manual edits of the graph: entities, aliases, merges, relationships; `resolve` merges entities of similar names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from engrain.engine import Engine
from engrain.errors import NotFound
from engrain.graph.entity_store import EntityStore, StatedRelation
from engrain.lazy import Numbers, np
from engrain.model.entities import IDENTIFIERS, NAME, Named, family
from engrain.model.filters import Filter, Test, reachable
from engrain.model.memory import Scope, Status, need_review
from engrain.protocols import Embedder
from engrain.storage import rows as tables
from engrain.storage.interface import among, below, evidence, grouped, highest, named, rooted
from engrain.storage.rows import MERGED, OWN, PROPOSED, STATED, EntityNote, EntityRow, MentionRow, MergeRow, RelationRow
from engrain.write.prepare import vectors
from engrain.write.transitions import Editor, find_record, transact

_KEPT = Test("status", "ne", Status.FORGOTTEN)
_VERDICTS = {MERGED: "validate", tables.REFUSED: "reject", PROPOSED: "reinstate"}
P = ParamSpec("P")
T = TypeVar("T")
_Placed = tuple[StatedRelation, str | None, int | None]  # with the user of its namespace, and its evidence


class GraphEditor:
    """One edit of the graph, inside one transaction."""

    def __init__(self, editor: Editor, scope: Scope) -> None:
        self.editor = editor
        self.transaction: Final = editor.transaction
        self.scope = scope
        self._stores: dict[str | None, EntityStore] = {}
        self.entities: Final = self.entities_of(scope.user)

    def entities_of(self, user: str | None) -> EntityStore:
        """Return the entities of a user's namespace."""
        if user not in self._stores:
            self._stores[user] = EntityStore(self.transaction, self.editor.engine.packs, self.scope.org, user)
        return self._stores[user]

    def top(self, entity: int) -> int:
        """Return the entity that a row is merged into, or itself."""
        return self.entities.top(entity, self.scope.agent).id

    def find(self, named: Named, *, exactly: bool = False) -> int | None:
        """Return the row of an entity that the view knows; one of unknown type matches any unless `exactly` it is."""
        where, kind = reachable(self.scope).but(_KEPT), family(named.type)
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
        """Return an entity and the rows that are merged into it, as the view sees them."""
        ids, new = [entity], among(self.transaction, EntityRow, "id", [entity])
        while new:
            new = [row for row, _ in below(self.transaction, new, self.scope.agent)]
            ids += [row.id for row in new]
        return ids

    # ------------------------------------------------------------------------------------------------------- relations

    def state(self, stated: Sequence[StatedRelation]) -> int:
        """State relations, in place of equal ones, with entities that are missing, and return how many are new."""
        cited = self._memories(dict.fromkeys(memory_id for each in stated for memory_id in each.evidence))
        last, placed = highest(self.transaction, EntityRow, "id") or 0, list[_Placed]()
        for each in stated:  # beside each memory that states it, or in the view's own namespace
            for memory_id in each.evidence:
                placed.append((each, cited[memory_id].memory.scope.user, cited[memory_id].num))
            if not each.evidence:
                placed.append((each, self.scope.user, None))
        ids = self._ids(placed)
        self._check(placed, ids)
        own, ends = self.scope.user, [(each, end) for each in placed for end in (each[0].source, each[0].target)]
        alone = {ids[own, end] for (_, _, num), end in ends if num is None}
        owner = self.scope.agent or tables.ALL_AGENTS
        noted = among(self.transaction, EntityNote, "entity", alone, Test("agent", "eq", owner), order="entity")
        unnoted = sorted(alone - {note.entity for note in noted})
        self.transaction.put(*(EntityNote(entity, owner, "{}") for entity in unnoted))
        self._mention(dict.fromkeys((ids[user, end], num) for (_, user, num), end in ends if num))
        rows: dict[tuple[int, str, int, int | None], RelationRow] = {}
        for each, user, num in placed:
            source, target = ids[user, each.source], ids[user, each.target]
            agent, times = self.scope.agent if num is None else None, (each.valid_from, each.valid_until)
            row = RelationRow(source, each.relation, target, num, agent, STATED, each.weight, *times, self.editor.now)
            rows[source, each.relation, target, num] = row
        new = [row for row in rows.values() if max(row.source, row.target) > last or self._takes_over(row)]
        self.transaction.put(*new)
        for entity in dict.fromkeys(row.source for row in new):
            self.editor.trail.note("add_relationship", f"ent_{entity}")
        return len(new)

    def _memories(self, ids: Iterable[str]) -> dict[str, tables.Record]:
        wanted = tuple(ids)
        reached = reachable(self.scope).but(Test("id", "in", wanted), _KEPT)
        found = {record.memory.id: record for record in self.transaction.find(tables.Record, reached)}
        if missing := [memory_id for memory_id in wanted if memory_id not in found]:
            raise NotFound(missing[0])
        need_review("a relation stated by what waits for a verdict", (record.memory for record in found.values()))
        return found

    def _ids(self, placed: Sequence[_Placed]) -> dict[tuple[str | None, Named], int]:
        names: dict[str | None, dict[Named, None]] = {}
        for each, user, _ in placed:
            names.setdefault(user, {}).update({each.source: None, each.target: None})
        found: dict[tuple[str | None, Named], int] = {}
        for user, some in names.items():
            ids = self.entities_of(user).ids(list(some))
            found |= {(user, named): number for named, number in zip(some, ids, strict=True)}
        return found

    def _check(self, placed: Sequence[_Placed], ids: Mapping[tuple[str | None, Named], int]) -> None:
        """Raise for a relation of an entity with itself, under any of its names."""
        rows = among(self.transaction, EntityRow, "id", set(ids.values()))
        tops = {row: top.id for row, top in rooted(self.transaction, rows, self.scope.agent).items()}
        for each, user, _ in placed:
            if tops[ids[user, each.source]] == tops[ids[user, each.target]]:
                one, other = each.source.name, each.target.name
                raise ValueError(f"{one!r} and {other!r} are one: a relation needs two entities")

    def _mention(self, cited: Collection[tuple[int, int]]) -> None:
        """Add mentions of both ends of a relation to the memories that are its evidence."""
        nums = {num for _, num in cited}
        rows = among(self.transaction, MentionRow, "num", nums, Test("origin", "eq", STATED), order="num")
        known = {(row.entity, row.num) for row in rows}
        self.transaction.put(*(MentionRow(*each, STATED, True) for each in cited if each not in known))

    def _takes_over(self, row: RelationRow) -> bool:
        """Close the statement that a new one replaces; False if both are equal."""
        same = [Test(column, "eq", getattr(row, column)) for column in ("source", "relation", "target", "num", "agent")]
        current = [Test("origin", "eq", STATED), Test("believed_until", "eq", None)]
        known = self.transaction.find(RelationRow, [*same, *current], order="id")
        if any(before._replace(recorded_at=self.editor.now, id=0) == row for before in known):
            return False
        for before in known:
            self.transaction.update(RelationRow, [Test("id", "eq", before.id)], believed_until=self.editor.now)
        return True

    # ---------------------------------------------------------------------------------------------------------- merges

    def merge(self, keep: int, other: int, reason: str, *, settled: MergeRow | None = None) -> MergeRow:
        """Point one entity at another, if they are of one family."""
        rows = {row.id: row for row in among(self.transaction, EntityRow, "id", (keep, other))}
        families = {rows[keep].family, rows[other].family}
        if len(families) == 2 and NAME not in families:
            types = f"{rows[keep].type} and {rows[other].type}"
            raise ValueError(f"{types} are different things: give both one type before you merge them")
        self.entities.merge(other, keep, self.scope.agent if settled is None else settled.agent, self.editor.now)
        return self.put_merge(keep, other, reason, settled=settled)

    def put_merge(
        self, keep: int, other: int, reason: str, *, state: str = MERGED, settled: MergeRow | None = None
    ) -> MergeRow:
        """Put a completed or proposed merge; `settled` is the row of an earlier proposal."""
        if settled is not None:
            row = settled._replace(keep=keep, other=other, state=state, reason=reason, at=self.editor.now)
        else:
            place = (self.editor.engine.new_id("mrg"), self.entities.namespace, keep, other, None, self.scope.agent)
            row = MergeRow(*place, state, reason, self.editor.now)
        self.transaction.put(row)
        self.editor.trail.note("merge" if state == MERGED else "propose", row.id)
        return row

    def join(self, keep: int, other: int, reason: str, *, certain: bool) -> MergeRow | None:
        """Merge two entities, or propose it if not `certain`; None if it was decided or proposed before."""
        rows = among(self.transaction, EntityRow, "id", (keep, other))
        if len(rows) < 2 or any(row.ns != self.entities.namespace for row in rows):
            return None
        keep, other = self.top(keep), self.top(other)
        pair = Test("keep", "in", (keep, other)), Test("other", "in", (keep, other))
        agent, decided = self.scope.agent, self.transaction.find(MergeRow, pair, order="id")
        if keep == other or any(agent is None or row.agent in (None, agent) for row in decided):
            return None
        return self.merge(keep, other, reason) if certain else self.put_merge(keep, other, reason, state=PROPOSED)

    def merge_row(self, merge_id: str) -> MergeRow | None:
        """Return a merge that the view reaches."""
        wanted = Filter(self.scope.org, self.scope.user).but(Test("id", "eq", merge_id))
        found = self.transaction.find(MergeRow, wanted, order="id")
        if not found:
            return None
        (entity,) = self.transaction.find(EntityRow, [Test("id", "eq", found[0].other)], order="id")
        inside = any(row.id == entity.id for row in named(self.transaction, [entity.key], reachable(self.scope)))
        return found[0] if inside and (self.scope.agent is None or found[0].agent in (None, self.scope.agent)) else None

    # --------------------------------------------------------------------------------------------------------- removal

    def remove(self, ids: Sequence[int]) -> bool:
        """Remove the visible rows of entities, and the entities if nothing is left of them."""
        agent, removed = self.scope.agent, 0
        for entity in ids:
            here = Test("entity", "eq", entity)
            mine = [] if agent is None else [Test("agent", "in", (tables.ALL_AGENTS, agent))]
            removed += self.transaction.delete(EntityNote, [here, *mine])
            removed += self._delete_seen(MentionRow, here, "num")
            for end in ("source", "target"):
                removed += self._delete_seen(RelationRow, Test(end, "eq", entity), "id")
        if not self._is_left(ids):
            for column in ("keep", "other"):
                self.transaction.delete(MergeRow, [Test(column, "in", tuple(ids))])
            for entity in reversed(ids):  # aliases before their targets
                removed += self.transaction.delete(EntityRow, [Test("id", "eq", entity)])
        return removed > 0

    def _is_left(self, ids: Sequence[int]) -> bool:
        """Return whether anything is left of entities, including the statements of other agents."""
        rows = among(self.transaction, EntityRow, "id", ids) + among(self.transaction, EntityRow, "merged_into", ids)
        if any(row.merged_into is not None and row.above(self.scope.agent) is None for row in rows):
            return True
        if self.scope.agent is not None:
            others = Test("ns", "eq", rows[0].ns), Test("state", "eq", OWN), Test("agent", "ne", self.scope.agent)
            if any(among(self.transaction, MergeRow, end, ids, *others) for end in ("keep", "other")):
                return True
        places = (
            (MentionRow, "entity", "num"),
            (RelationRow, "source", "id"),
            (RelationRow, "target", "id"),
            (EntityNote, "entity", "entity"),
        )
        return any(among(self.transaction, kind, end, ids, order=order) for kind, end, order in places)

    def _delete_seen(self, kind: type[MentionRow] | type[RelationRow], of: Test, key: str) -> int:
        """Delete the rows of an entity that the view sees: of memories that it reaches, and of its agent or of all."""
        agent = self.scope.agent
        if agent is None:
            return self.transaction.delete(kind, [of])
        rows = self.transaction.find(kind, [of], order=key)
        seen = set(evidence(self.transaction, [row.num for row in rows if row.num is not None], reachable(self.scope)))
        own = (None, agent)
        by_hand = {row.id for row in rows if isinstance(row, RelationRow) and row.num is None and row.agent in own}
        gone = [row for row in rows if row.num in seen or (isinstance(row, RelationRow) and row.id in by_hand)]
        return sum(self.transaction.delete(kind, [of, Test(key, "eq", getattr(row, key))]) for row in gone)


def _edits(change: Callable[Concatenate[GraphEditor, P], T]) -> Callable[Concatenate[Engine, Scope, P], T]:
    @wraps(change)
    def edited(engine: Engine, scope: Scope, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return transact(engine, scope, lambda editor: change(GraphEditor(editor, scope), *args, **kwargs))

    return edited


add_relationships: Final = _edits(GraphEditor.state)


@_edits
def add_entity(
    graph: GraphEditor, named: Named, *, aliases: Sequence[str] = (), metadata: Mapping[str, Any]
) -> EntityRow:
    """Keep an entity without a memory, merging aliases and metadata into existing ones; return it."""
    (entity,) = graph.entities.ids([named])
    graph.entities.keep(entity, graph.scope.agent, metadata)
    graph.editor.trail.note("add_entity", f"ent_{entity}")
    for alias in aliases:  # an alias that is an entity of its own is merged, and the merge recorded
        before = graph.entities.alias(entity, Named(named.type, alias), graph.scope.agent, graph.editor.now)
        graph.editor.trail.note("add_alias", f"ent_{entity}")
        if before is not None:
            graph.put_merge(graph.top(entity), before.id, f"{alias} is another name of it")
    return graph.entities.top(entity, graph.scope.agent)


@_edits
def link_memory(graph: GraphEditor, named: Named, memory_id: str) -> bool:
    """State that a memory is about an entity; False if that is known. Raises `NotFound` if either is unknown."""
    record = find_record(graph.transaction, graph.scope, memory_id)
    known = graph.known(named)
    if record.memory.scope.user != graph.scope.user:  # an administrator's statement is stored with the user's memory
        (known,) = graph.entities_of(record.memory.scope.user).ids([named])
    mentions = graph.transaction.find(MentionRow, [Test("entity", "eq", known), Test("num", "eq", record.num)])
    if not any(row.origin == STATED for row in mentions):
        graph.transaction.put(MentionRow(known, record.num, STATED, True))
    if not mentions:
        graph.editor.trail.note("link_memory", f"ent_{known}")
    return not mentions


@_edits
def remove_entity(graph: GraphEditor, named: Named) -> bool:
    """Remove an entity with its aliases, relations and mentions as far as the view sees them; False for none."""
    known = graph.find(named, exactly=True)
    if known is None or not graph.remove(graph.with_other_names(graph.top(known))):
        return False
    graph.editor.trail.note("remove_entity", f"ent_{known}")
    return True


@_edits
def merge(graph: GraphEditor, keep: Named, other: Named) -> MergeRow:
    """Merge two entities; both must be known and of one family of types."""
    kept, merged = (graph.top(graph.known(named)) for named in (keep, other))
    if kept == merged:
        raise ValueError(f"{keep.name!r} and {other.name!r} are one already")
    return graph.merge(kept, merged, "by hand")


@_edits
def unmerge(graph: GraphEditor, merge_id: str) -> bool:
    """Undo a merge: both are separate entities again, with the statements about each; False if unknown."""
    row = graph.merge_row(merge_id)
    if row is None or row.state != MERGED:
        return False
    graph.entities.part(row.other, row.agent)
    graph.transaction.put(row._replace(state=tables.UNDONE))
    graph.editor.trail.note("unmerge", merge_id)
    return True


def is_merge(name: str) -> bool:
    """Return whether an id is that of a merge."""
    return name.startswith("mrg_")


@_edits
def settle(graph: GraphEditor, merge_id: str, state: str, *, reason: str) -> MergeRow:
    """Accept, refuse or reopen a proposed merge; `ValueError` if none awaits a verdict."""
    row = graph.merge_row(merge_id)
    if row is None:
        raise NotFound(merge_id, what="merge")
    if PROPOSED not in (state, row.state):
        raise ValueError(f"{merge_id} is {row.state}: nothing waits for a verdict")
    if row.state == state:
        return row
    if row.state == MERGED:
        graph.entities.part(row.other, row.agent)
    keep, other = graph.top(row.keep), graph.top(row.other)
    graph.editor.trail.note(_VERDICTS[state], merge_id, reason=reason)
    if state == MERGED and keep != other:
        return graph.merge(keep, other, row.reason, settled=row)
    settled = row._replace(state=state)
    graph.transaction.put(settled)
    return settled


CERTAIN, LIKELY = 0.92, 0.82  # cosines of names from which two are merged, and from which a merge is proposed
DIGITS = re.compile(r"\d+")
UNCOMPARED = IDENTIFIERS | {"event"}
"""Types whose names are not compared: identifiers differ by any character, and events are descriptions."""


def resolve(engine: Engine, scope: Scope, rows: Sequence[EntityRow]) -> list[str]:
    """Merge entities that are almost certainly the same, and propose likely ones; return the ids of both."""
    embedder = engine.embedder
    if embedder is None or hasattr(embedder, "embed_weighted"):
        return []

    return _join_all(engine, scope, sorted(_alike(embedder, rows), key=lambda pair: (-pair[0], pair[1])))


@_edits
def _join_all(graph: GraphEditor, pairs: Sequence[tuple[float, int, int]]) -> list[str]:
    made = []
    for cosine, keep, other in pairs:
        if row := graph.join(keep, other, f"their names have a cosine of {cosine:.3f}", certain=cosine >= CERTAIN):
            made.append(row.id)
    return made


def _alike(embedder: Embedder, rows: Sequence[EntityRow]) -> Iterator[tuple[float, int, int]]:
    """Yield pairs of similar names of one type, the older first: none with other digits, no identifiers."""
    for some in grouped((row for row in rows if row.type not in UNCOMPARED), lambda row: row.type).values():
        newest = sorted(some, key=lambda row: row.id)[-1_000:]  # entities of a family that are compared
        matrix: Numbers = np.stack([np.asarray(each) for each in vectors(embedder, [row.name for row in newest])])
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        matrix = matrix / np.where(norms > 0, norms, 1)
        for one, other in np.argwhere(np.triu(matrix @ matrix.T, k=1) >= LIKELY).tolist():
            if DIGITS.findall(newest[one].name) == DIGITS.findall(newest[other].name):
                yield float(matrix[one] @ matrix[other]), newest[one].id, newest[other].id
