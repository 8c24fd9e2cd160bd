"""Edits of the graph by hand: entities, aliases, merges, relationships."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from engrain.arrays import Numbers, np
from engrain.engine import Engine
from engrain.errors import NotFound
from engrain.graph.entity_store import EntityStore, StatedRelation, among, rooted
from engrain.graph.packs import Packs
from engrain.model.entities import IDENTIFIERS, NAME, Named, family
from engrain.model.filters import Filter, Test, reachable
from engrain.model.memory import Scope, Status
from engrain.protocols import Embedder
from engrain.security.audit import Trail, who
from engrain.storage.interface import Transaction, evidence, highest, named
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

_AT_ONCE = 500  # memories looked up together


def add_relationships(engine: Engine, scope: Scope, said: Sequence[StatedRelation]) -> int:
    """State relations in one transaction and return how many are new; nodes that are missing are made.

    Said again, the new statement takes the place of the old. Raises `NotFound` for a memory that is not there, and
    `ValueError` for a relation of an entity with itself; then nothing is stated.
    """
    now = engine.clock.now()

    def run(transaction: Transaction) -> int:
        return _Batch(transaction, engine.packs, scope, now).state(said)

    return engine.store.write(run, scope.org)


_Placed = tuple[StatedRelation, str | None, int | None]
"""A statement, in which user's namespace it stands, and the memory that is its evidence."""


class _Batch:
    """Some relations stated in one transaction."""

    def __init__(self, transaction: Transaction, packs: Packs, scope: Scope, now: datetime) -> None:
        self._transaction, self._scope, self._now = transaction, scope, now
        self._packs = packs
        self._trail = Trail(transaction, scope.org, actor=who(scope), at=now)

    def state(self, said: Sequence[StatedRelation]) -> int:
        """Put what is new of the statements and all that they need."""
        cited = self._memories([memory_id for each in said for memory_id in each.evidence])
        last = highest(self._transaction, EntityRow, "id") or 0
        placed = [(each, *place) for each in said for place in self._places(each, cited)]
        ids = self._ids(placed)
        self._check(placed, ids)
        own = self._scope.user
        self._stand({ids[own, end] for each, _, num in placed if num is None for end in (each.source, each.target)})
        told = [(ids[user, end], num) for each, user, num in placed if num for end in (each.source, each.target)]
        self._mention(list(dict.fromkeys(told)))
        rows: dict[tuple[int, str, int, int | None], RelationRow] = {}
        for each, user, num in placed:
            row = self._row(each, (ids[user, each.source], ids[user, each.target]), num)
            rows[row.source, row.relation, row.target, row.num] = row
        new = [row for row in rows.values() if max(row.source, row.target) > last or self._takes_over(row)]
        self._transaction.put(*new)
        for source in dict.fromkeys(row.source for row in new):
            self._trail.note("add_relationship", f"ent_{source}")
        self._trail.write()
        return len(new)

    def _places(self, said: StatedRelation, cited: Mapping[str, Record]) -> Iterator[tuple[str | None, int | None]]:
        """Yield where a statement stands: beside each memory that says so, or in the view's own place."""
        for memory_id in said.evidence:
            yield cited[memory_id].memory.scope.user, cited[memory_id].num
        if not said.evidence:
            yield self._scope.user, None

    def _ids(self, placed: Sequence[_Placed]) -> dict[tuple[str | None, Named], int]:
        """Return the entity of each name, in the namespace of each user."""
        names: dict[str | None, dict[Named, None]] = {}
        for said, user, _ in placed:
            names.setdefault(user, {}).update({said.source: None, said.target: None})
        found: dict[tuple[str | None, Named], int] = {}
        for user, some in names.items():
            register = EntityStore(self._transaction, self._packs, self._scope.org, user)
            found |= {(user, named): number for named, number in zip(some, register.ids(list(some)), strict=True)}
        return found

    def _memories(self, ids: Sequence[str]) -> dict[str, Record]:
        """Return memories that the view reaches."""
        wanted, found = list(dict.fromkeys(ids)), dict[str, Record]()
        for start in range(0, len(wanted), _AT_ONCE):
            some = Test("id", "in", tuple(wanted[start : start + _AT_ONCE]))
            reached = reachable(self._scope).but(some, Test("status", "ne", Status.FORGOTTEN))
            found |= {record.memory.id: record for record in self._transaction.find(Record, reached)}
        missing = next((memory_id for memory_id in wanted if memory_id not in found), None)
        if missing is not None:
            raise NotFound(missing)
        return found

    def _check(self, placed: Sequence[_Placed], ids: Mapping[tuple[str | None, Named], int]) -> None:
        """Raise for a relation of an entity with itself, under whichever of its names."""
        rows = among(self._transaction, EntityRow, "id", set(ids.values()))
        tops = {row: top.id for row, top in rooted(self._transaction, rows, self._scope.agent).items()}
        for each, user, _ in placed:
            if tops[ids[user, each.source]] == tops[ids[user, each.target]]:
                one, other = each.source.name, each.target.name
                raise ValueError(f"{one!r} and {other!r} are one: a relation needs two entities")

    def _stand(self, entities: set[int]) -> None:
        """Let entities stand by themselves that no memory is to vouch for."""
        whose = self._scope.agent or ALL_AGENTS
        held = among(self._transaction, EntityNote, "entity", entities, Test("agent", "eq", whose), order="entity")
        new = sorted(entities - {note.entity for note in held})
        self._transaction.put(*(EntityNote(entity, whose, "{}") for entity in new))

    def _mention(self, cited: Sequence[tuple[int, int]]) -> None:
        """Let memories be about the ends of what they are the evidence of."""
        nums = {num for _, num in cited}
        held = among(self._transaction, MentionRow, "num", nums, Test("origin", "eq", STATED), order="num")
        known = {(row.entity, row.num) for row in held}
        self._transaction.put(*(MentionRow(*each, STATED, True) for each in cited if each not in known))

    def _row(self, said: StatedRelation, entities: tuple[int, int], num: int | None) -> RelationRow:
        ends = entities[0], said.relation, entities[1]
        agent = self._scope.agent if num is None else None
        interval = said.valid_from, said.valid_until
        return RelationRow(*ends, num, agent, STATED, said.weight, *interval, self._now)

    def _takes_over(self, row: RelationRow) -> bool:
        """Close the statement that a new one replaces; False when it says just the same."""
        same = [Test(column, "eq", getattr(row, column)) for column in ("source", "relation", "target", "num", "agent")]
        told = [Test("origin", "eq", STATED), Test("believed_until", "eq", None)]
        held = self._transaction.find(RelationRow, [*same, *told], order="id")
        if any(before._replace(recorded_at=self._now, id=0) == row for before in held):
            return False
        for before in held:
            self._transaction.update(RelationRow, [Test("id", "eq", before.id)], believed_until=self._now)
        return True


T = TypeVar("T")


def add_entity(
    engine: Engine, scope: Scope, named: Named, *, aliases: Sequence[str] = (), metadata: Mapping[str, Any]
) -> None:
    """Let an entity stand by itself, with other names and metadata that merge into what is there."""

    def change(hand: _Hand) -> None:
        (entity,) = hand.register.ids([named])
        hand.register.stand(entity, scope.agent, metadata)
        hand.trail.note("add_entity", f"ent_{entity}")
        for alias in aliases:
            hand.alias(entity, Named(named.type, alias))

    _by_hand(engine, scope, change)


def link_memory(engine: Engine, scope: Scope, named: Named, memory_id: str) -> bool:
    """Say that a memory is about an entity; False when that is known. Raises `NotFound` when either is unknown."""

    def change(hand: _Hand) -> bool:
        record = hand.memory(memory_id)
        known = hand.known(named)
        beside = hand.beside(record)
        if beside is not hand.register:  # an administrator's word on a user's memory stands with that memory
            (known,) = beside.ids([named])
        new = hand.mention(known, record.num)
        if new:
            hand.trail.note("link_memory", f"ent_{known}")
        return new

    return _by_hand(engine, scope, change)


def remove_entity(engine: Engine, scope: Scope, named: Named) -> bool:
    """Take an entity out of the graph, with its other names, relations and mentions; False when it is unknown.

    What has the name and is of another type, or of none, is another entity. Memories stay. What memories say that the
    view does not see stays too, and the name with it.
    """

    def change(hand: _Hand) -> bool:
        known = hand.find(named, exactly=True)
        if known is None:
            return False
        removed = hand.remove(hand.under(hand.top(known)))
        if removed:
            hand.trail.note("remove_entity", f"ent_{known}")
        return removed

    return _by_hand(engine, scope, change)


def merge(engine: Engine, scope: Scope, keep: Named, other: Named) -> MergeRow:
    """Take two entities for one from now on, and say so; both must be known and of one family of types."""

    def change(hand: _Hand) -> MergeRow:
        kept, merged = (hand.top(hand.known(named)) for named in (keep, other))
        if kept == merged:
            raise ValueError(f"{keep.name!r} and {other.name!r} are one already")
        return hand.merge(kept, merged, "by hand")

    return _by_hand(engine, scope, change)


def unmerge(engine: Engine, scope: Scope, merge_id: str) -> bool:
    """Take a merge back: both are entities of their own again, with what was said of each; False for an unknown one."""

    def change(hand: _Hand) -> bool:
        row = hand.merge_row(merge_id)
        if row is None or row.state != MERGED:
            return False
        hand.register.part(row.other)
        hand.transaction.put(row._replace(state=UNDONE))
        hand.trail.note("unmerge", merge_id)
        return True

    return _by_hand(engine, scope, change)


def join(engine: Engine, scope: Scope, pairs: Sequence[tuple[int, int, str, bool]]) -> list[str]:
    """Merge entities (kept, other, why, certain), or propose it where that is not certain; return the merges' ids.

    What was refused or taken back before is left alone.
    """

    def change(hand: _Hand) -> list[str]:
        made = []
        for keep, other, reason, certain in pairs:
            if not hand.owns((keep, other)):
                continue
            top, under = hand.top(keep), hand.top(other)
            if top == under or hand.settled(top, under):
                continue
            made.append((hand.merge(top, under, reason) if certain else hand.propose(top, under, reason)).id)
        return made

    return _by_hand(engine, scope, change)


def is_merge(name: str) -> bool:
    """Say whether an id names a merge."""
    return name.startswith("mrg_")


def settle(engine: Engine, scope: Scope, merge_id: str, *, accept: bool, reason: str) -> MergeRow:
    """Carry out a proposed merge, or refuse it; raises `NotFound`, and `ValueError` for one that does not wait."""

    def change(hand: _Hand) -> MergeRow:
        row = hand.merge_row(merge_id)
        if row is None:
            raise NotFound(merge_id, what="merge")
        if row.state != PROPOSED:
            raise ValueError(f"{merge_id} is {row.state}: nothing waits for a verdict")
        keep, other = hand.top(row.keep), hand.top(row.other)
        hand.trail.note("validate" if accept else "reject", merge_id, reason=reason)
        if accept and keep != other:
            return hand.merge(keep, other, row.reason, settled=row)
        settled = row._replace(state=MERGED if accept else REFUSED)
        hand.transaction.put(settled)
        return settled

    return _by_hand(engine, scope, change)


def _by_hand(engine: Engine, scope: Scope, change: Callable[[_Hand], T]) -> T:
    now = engine.clock.now()

    def run(transaction: Transaction) -> T:
        hand = _Hand(engine, transaction, scope, now)
        done = change(hand)
        hand.trail.write()
        return done

    return engine.store.write(run, scope.org)


class _Hand:
    """One change of the graph by hand, inside one transaction."""

    def __init__(self, engine: Engine, transaction: Transaction, scope: Scope, now: datetime) -> None:
        self.engine, self.transaction, self.scope, self.now = engine, transaction, scope, now
        self._beside: dict[str | None, EntityStore] = {}
        self.register = EntityStore(transaction, engine.packs, scope.org, scope.user)
        self.trail = Trail(transaction, scope.org, actor=who(scope), at=now)

    def top(self, entity: int) -> int:
        """Return the entity that a row counts as."""
        return self.register.top(entity, self.scope.agent).id

    def find(self, named: Named, *, exactly: bool = False) -> int | None:
        """Return the row of an entity that the view knows, by hand or by any memory that is not forgotten.

        One whose type is not known is of any type, unless `exactly` the named one is wanted.
        """
        where, kind = reachable(self.scope).but(Test("status", "ne", Status.FORGOTTEN)), family(named.type)
        names = (named,) if exactly else (named, Named(NAME, named.name))  # that of the type may be another agent's
        for each in names:
            row = self.register.find(each)
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

    def beside(self, record: Record) -> EntityStore:
        """Return who is who in the namespace of a memory."""
        user = record.memory.scope.user
        if user == self.scope.user:
            return self.register
        if user not in self._beside:
            self._beside[user] = EntityStore(self.transaction, self.engine.packs, self.scope.org, user)
        return self._beside[user]

    def under(self, entity: int) -> list[int]:
        """Return an entity and every other name of it."""
        ids, new = [entity], [entity]
        while new:
            found = among(self.transaction, EntityRow, "merged_into", new)
            new = [row.id for row in found if row.above(self.scope.agent)]
            ids += new
        return ids

    def memory(self, memory_id: str) -> Record:
        """Return a memory that the view reaches."""
        wanted = reachable(self.scope).but(Test("id", "eq", memory_id), Test("status", "ne", Status.FORGOTTEN))
        found = self.transaction.find(Record, wanted)
        if not found:
            raise NotFound(memory_id)
        return found[0]

    def mention(self, entity: int, num: int) -> bool:
        """Say that a memory is about an entity; False when that is known."""
        held = self.transaction.find(MentionRow, [Test("entity", "eq", entity), Test("num", "eq", num)])
        if not any(row.origin == STATED for row in held):
            self.transaction.put(MentionRow(entity, num, STATED, True))
        return not held

    def alias(self, entity: int, named: Named) -> None:
        """Make a name another name of an entity; one that was an entity of its own is merged, and that recorded."""
        before = self.register.alias(entity, named, self.scope.agent)
        self.trail.note("add_alias", f"ent_{entity}")
        if before is not None:
            self._record(self.top(entity), before.id, f"{named.name} is another name of it", None)

    def merge(self, keep: int, other: int, reason: str, *, settled: MergeRow | None = None) -> MergeRow:
        """Point one entity at another, if they are of one family."""
        rows = {row.id: row for row in among(self.transaction, EntityRow, "id", (keep, other))}
        families = {rows[keep].family, rows[other].family}
        if len(families) == 2 and NAME not in families:
            types = f"{rows[keep].type} and {rows[other].type}"
            raise ValueError(f"{types} are different things: give both one type before you merge them")
        self.register.merge(other, keep, self.scope.agent if settled is None else settled.agent)
        return self._record(keep, other, reason, settled)

    def _record(self, keep: int, other: int, reason: str, settled: MergeRow | None) -> MergeRow:
        merge_id = self.engine.new_id("mrg") if settled is None else settled.id
        num, agent = (None, self.scope.agent) if settled is None else (settled.num, settled.agent)
        place = merge_id, self.register.namespace if settled is None else settled.ns
        row = MergeRow(*place, keep, other, num, agent, MERGED, reason, self.now)
        self.transaction.put(row)
        self.trail.note("merge", merge_id)
        return row

    def owns(self, ids: Sequence[int]) -> bool:
        """Say whether entities are of the view's own namespace, which is what it edits."""
        rows = among(self.transaction, EntityRow, "id", ids)
        return len(rows) == len(ids) and all(row.ns == self.register.namespace for row in rows)

    def settled(self, one: int, other: int) -> bool:
        """Say whether somebody decided about two entities before, or is asked to."""
        pair = Test("keep", "in", (one, other)), Test("other", "in", (one, other))
        return bool(self.transaction.find(MergeRow, pair, order="id", limit=1))

    def propose(self, keep: int, other: int, reason: str) -> MergeRow:
        """Ask for a verdict on two entities."""
        place = self.engine.new_id("mrg"), self.register.namespace
        row = MergeRow(*place, keep, other, None, self.scope.agent, PROPOSED, reason, self.now)
        self.transaction.put(row)
        self.trail.note("propose", row.id)
        return row

    def merge_row(self, merge_id: str) -> MergeRow | None:
        """Return a merge that the view reaches."""
        within_walls = Filter(self.scope.org, self.scope.user).but(Test("id", "eq", merge_id))
        found = self.transaction.find(MergeRow, within_walls, order="id")
        if not found:
            return None
        (entity,) = self.transaction.find(EntityRow, [Test("id", "eq", found[0].other)], order="id")
        walls = reachable(self.scope)
        inside = any(row.id == entity.id for row in named(self.transaction, [entity.key], walls))
        mine = self.scope.agent is None or found[0].agent in (None, self.scope.agent)
        return found[0] if inside and mine else None

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
        if not self._left(ids):
            removed += self._drop(ids)
        return removed > 0

    def _left(self, ids: Sequence[int]) -> bool:
        """Say whether anything is left of entities, if only that another agent says who they are."""
        rows = among(self.transaction, EntityRow, "id", ids) + among(self.transaction, EntityRow, "merged_into", ids)
        if any(row.merged_into is not None and row.above(self.scope.agent) is None for row in rows):
            return True
        said = (
            among(self.transaction, kind, end, ids, order=order)
            for kind, end, order in (
                (MentionRow, "entity", "num"),
                (RelationRow, "source", "id"),
                (RelationRow, "target", "id"),
                (EntityNote, "entity", "entity"),
            )
        )
        return any(said)

    def _unmention(self, here: Test) -> int:
        if self.scope.agent is None:
            return self.transaction.delete(MentionRow, [here])
        nums = self._seen([row.num for row in self.transaction.find(MentionRow, [here], order="num")])
        return sum(self.transaction.delete(MentionRow, [here, Test("num", "eq", num)]) for num in nums)

    def _unrelate(self, end: Test) -> int:
        if self.scope.agent is None:
            return self.transaction.delete(RelationRow, [end])
        rows = self.transaction.find(RelationRow, [end], order="id")
        seen = self._seen([row.num for row in rows if row.num is not None])
        own = (None, self.scope.agent)
        gone = [row.id for row in rows if row.num in seen or (row.num is None and row.agent in own)]
        for one in gone:
            self.transaction.delete(RelationRow, [Test("id", "eq", one)])
        return len(gone)

    def _seen(self, nums: Sequence[int]) -> set[int]:
        return set(evidence(self.transaction, nums, reachable(self.scope)))

    def _drop(self, ids: Sequence[int]) -> int:
        for column in ("keep", "other"):
            self.transaction.delete(MergeRow, [Test(column, "in", tuple(ids))])
        for entity in reversed(ids):  # other names before what they point at
            self.transaction.delete(EntityRow, [Test("id", "eq", entity)])
        return len(ids)


CERTAIN, LIKELY = 0.92, 0.82  # cosines of names from which on two are one, and from which on somebody should look
NEWEST = 1_000  # entities of a family that are compared
_DIGITS = re.compile(r"\d+")
_UNCOMPARED = IDENTIFIERS | {"event"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entities that may be one; the older one is to be kept."""

    keep: EntityRow
    other: EntityRow
    cosine: float


def reads_sentences(embedder: Embedder | None) -> bool:
    """Say whether an embedder reads a name as a whole; one that weighs words adds them up."""
    return embedder is not None and not hasattr(embedder, "embed_weighted")


def alike(embedder: Embedder, rows: Sequence[EntityRow], *, least: float) -> Iterator[Pair]:
    """Yield the pairs of entities of one type whose names are that much alike, the likest first.

    Names whose digits differ are never alike, nor identifiers, nor mere names and typed ones.
    """
    types: dict[str, list[EntityRow]] = {}
    for row in rows:
        if row.type not in _UNCOMPARED:
            types.setdefault(row.type, []).append(row)
    found: list[Pair] = []
    for some in types.values():
        newest = sorted(some, key=lambda row: row.id)[-NEWEST:]
        matrix: Numbers = np.stack([np.asarray(each) for each in vectors(embedder, [row.name for row in newest])])
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        matrix = matrix / np.where(norms > 0, norms, 1)
        for one, other in np.argwhere(np.triu(matrix @ matrix.T, k=1) >= least).tolist():
            if _DIGITS.findall(newest[one].name) == _DIGITS.findall(newest[other].name):
                found.append(Pair(newest[one], newest[other], float(matrix[one] @ matrix[other])))
    yield from sorted(found, key=lambda pair: (-pair.cosine, pair.keep.id, pair.other.id))


def resolve(engine: Engine, scope: Scope, rows: Sequence[EntityRow]) -> list[str]:
    """Merge the entities that are as good as certainly one, and propose the likely ones; return the ids of both."""
    embedder = engine.embedder
    if embedder is None or not reads_sentences(embedder):
        return []
    return join(
        engine,
        scope,
        [
            (pair.keep.id, pair.other.id, f"their names have a cosine of {pair.cosine:.3f}", pair.cosine >= CERTAIN)
            for pair in alike(embedder, rows, least=LIKELY)
        ],
    )
