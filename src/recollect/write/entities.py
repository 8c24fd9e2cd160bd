"""Stating outright who is who: the entities of the graph as they are edited by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from recollect.engine import Engine
from recollect.entities import NAME, Named, family
from recollect.errors import NotFound
from recollect.filters import Filter, Test, reachable
from recollect.graph.chunks import among
from recollect.graph.register import Register
from recollect.graphrows import (
    EVERYBODY,
    MERGED,
    PROPOSED,
    REFUSED,
    STATED,
    UNDONE,
    EntityNote,
    EntityRow,
    MentionRow,
    MergeRow,
    RelationRow,
)
from recollect.models import Scope, Status
from recollect.protocols import Record, Transaction
from recollect.security.audit import Trail, who

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
        self._beside: dict[str | None, Register] = {}
        self.register = Register(transaction, engine.packs, scope.org, scope.user)
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
            if row is not None and meant and self.transaction.known(where, among=[self.top(row.id)], limit=1):
                return row.id
        return None

    def known(self, named: Named) -> int:
        """Return the row of an entity that the view knows; raises `NotFound`."""
        found = self.find(named)
        if found is None:
            raise NotFound(named.name, what=named.type)
        return found

    def beside(self, record: Record) -> Register:
        """Return who is who in the namespace of a memory."""
        user = record.memory.scope.user
        if user == self.scope.user:
            return self.register
        if user not in self._beside:
            self._beside[user] = Register(self.transaction, self.engine.packs, self.scope.org, user)
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
        inside = any(row.id == entity.id for row in self.transaction.named([entity.key], walls))
        mine = self.scope.agent is None or found[0].agent in (None, self.scope.agent)
        return found[0] if inside and mine else None

    def remove(self, ids: Sequence[int]) -> bool:
        """Remove what the view sees of entities, and the entities if nothing is left of them."""
        agent, removed = self.scope.agent, 0
        for entity in ids:
            here = Test("entity", "eq", entity)
            mine = [] if agent is None else [Test("agent", "in", (EVERYBODY, agent))]
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
        return set(self.transaction.living(nums, reachable(self.scope))) if nums else set()

    def _drop(self, ids: Sequence[int]) -> int:
        for column in ("keep", "other"):
            self.transaction.delete(MergeRow, [Test(column, "in", tuple(ids))])
        for entity in reversed(ids):  # other names before what they point at
            self.transaction.delete(EntityRow, [Test("id", "eq", entity)])
        return len(ids)
