"""The write path: drafts in, memories out, everything that belongs together in one transaction.

draft -> compose (stamp, hash, describe, index) -> embed -> ONE TRANSACTION: source -> key -> identity -> put ->
Remembered
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from recollect.engine import Engine
from recollect.errors import NotFound
from recollect.filters import Test, within
from recollect.models import Link, Memory, Scope, Source, Status
from recollect.numeric import Floats
from recollect.protocols import Edge, Posting, Record, Transaction, Vector
from recollect.results import Decision, Remembered
from recollect.security.audit import Trail, new_salt, who
from recollect.security.trust import BASE, least_trusted
from recollect.text import content_hash
from recollect.write.draft import Draft
from recollect.write.duplicates import added_links, holds_its_slot, identity, merged
from recollect.write.edit import Edit, apply_edit, put_terms
from recollect.write.embedding import embed, embed_job
from recollect.write.enrichment import Indexed, derived_tags, describe, index, index_text

_LOOKED_UP = 500  # slots asked for at once
_OPTIONAL = tuple("importance confidence tier fact valid_from valid_until ttl tags metadata pinned".split())


@dataclass(frozen=True, slots=True)
class Composed:
    """A memory ready to be stored: described, hashed and indexed; `given` are the fields its caller named."""

    memory: Memory
    indexed: Indexed
    derived_from: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()


def remember(engine: Engine, drafts: Sequence[Draft]) -> list[Remembered]:
    """Store drafts of one org in one transaction; the results come in the order given."""
    now = engine.clock.now()
    composed = [compose(engine, item, now) for item in drafts]
    return store(engine, composed, now=now)


def store(
    engine: Engine, composed: Sequence[Composed], *, now: datetime, operation: str = "create"
) -> list[Remembered]:
    """Embed what was composed and store it in one transaction."""
    vectors = embed(engine.embedder, [index_text(c.memory, situate=engine.settings.situate) for c in composed])
    slots = [identity(c.memory) for c in composed]
    items = [_Item(c, slot, vector) for c, slot, vector in zip(composed, slots, vectors, strict=True)]
    results = engine.store.write(lambda transaction: _Batch(engine, transaction, now, operation).run(items))
    engine.counters.created += sum(result.status == "created" for result in results)
    return results


def compose(engine: Engine, item: Draft, now: datetime) -> Composed:
    """Turn a draft into the memory it will be. Pure but for its new id."""
    described = describe(item.content, engine.settings)
    starts = item.valid_from or now
    if item.valid_until is not None and item.valid_until < starts:
        raise ValueError(f"valid_until {item.valid_until.isoformat()} has passed: give valid_from too, when it began")
    memory = Memory(
        id=engine.new_id("mem"),
        content=item.content,
        scope=item.scope,
        recorded_at=now,
        updated_at=now,
        valid_from=starts,
        valid_until=item.valid_until,
        expires_at=expiry(now, item.ttl),
        kind=item.kind,
        key=item.key,
        actor=item.actor,
        summary=described.summary,
        keywords=described.keywords,
        tags=derived_tags(item.tags, item.domain),
        fact=item.fact,
        domain=item.domain,
        tier=item.tier or "B",
        importance=described.importance if item.importance is None else item.importance,
        confidence=1.0 if item.confidence is None else item.confidence,
        source=Source(
            item.source_type, item.source_origin, item.source_id, item.source_ref, content_hash(item.content)
        ),
        trust=BASE[item.source_type],
        pinned=item.pinned,
        metadata=item.metadata,
    )
    return Composed(memory, index(memory, situate=engine.settings.situate), item.derived_from, _given(item))


def _given(item: Draft) -> frozenset[str]:
    """Return the fields that the caller named; a number that is 0 is one of them."""
    values = {name: getattr(item, name) for name in _OPTIONAL}
    named = {name for name, value in values.items() if value or isinstance(value, float)}
    return frozenset(named | ({"content"} if item.domain == "general" else {"content", "domain"}))


def expiry(now: datetime, ttl: timedelta | None) -> datetime | None:
    """Return when a memory of that time to live expires."""
    if ttl is None:
        return None
    try:
        return now + ttl
    except OverflowError:
        raise ValueError(f"ttl of {ttl} reaches past the year 9999: leave it out") from None


@dataclass(frozen=True, slots=True)
class _Item:
    """A composed memory, the identity it asks for, and its vector if that is known."""

    composed: Composed
    slot: str
    vector: Floats | None


@dataclass(frozen=True, slots=True)
class _New:
    """A record to be put, what it was made from, and the rows it derives from."""

    record: Record
    item: _Item
    sources: tuple[int, ...]


@dataclass(slots=True)
class _Batch:
    """One transaction of the write path."""

    engine: Engine
    transaction: Transaction
    now: datetime
    operation: str
    records: list[_New] = field(default_factory=list)
    fresh: dict[tuple[int, str], Memory] = field(default_factory=dict)
    twins: dict[tuple[int, str], Record] = field(default_factory=dict)
    positions: dict[tuple[int, str], int] = field(default_factory=dict)
    trails: dict[str, Trail] = field(default_factory=dict)
    namespaces: dict[tuple[str, str | None], int] = field(default_factory=dict)

    def namespace(self, memory: Memory) -> int:
        place = (memory.scope.org, memory.scope.user)
        if place not in self.namespaces:
            self.namespaces[place] = self.transaction.namespace(*place)
        return self.namespaces[place]

    def run(self, items: Sequence[_Item]) -> list[Remembered]:
        self._find_twins(items)
        results = [self._one(item) for item in items]
        self._put()
        for trail in self.trails.values():
            trail.write()
        return results

    def _find_twins(self, items: Sequence[_Item]) -> None:
        """Look up at once who holds the slots that are asked for."""
        asked: dict[int, list[str]] = {}
        for item in items:
            asked.setdefault(self.namespace(item.composed.memory), []).append(item.slot)
        for namespace, slots in asked.items():
            for start in range(0, len(slots), _LOOKED_UP):
                some = tuple(slots[start : start + _LOOKED_UP])
                found = self.transaction.find(Record, [Test("ns", "eq", namespace), Test("identity", "in", some)])
                self.twins.update(((namespace, str(twin.identity)), twin) for twin in found)

    def trail(self, memory: Memory) -> Trail:
        org = memory.scope.org
        if org not in self.trails:
            author = memory.scope if self.operation == "create" else Scope(org)  # what is imported was not said here
            self.trails[org] = Trail(self.transaction, org, actor=who(author), at=self.now)
        return self.trails[org]

    def _one(self, item: _Item) -> Remembered:
        namespace = self.namespace(item.composed.memory)
        composed, sources = self._sourced(item.composed)
        if composed.memory.key is not None and self.operation == "create":
            edited = self._known_key(namespace, composed, sources, item.vector)
            if edited is not None:
                return edited
        slot = item.slot if holds_its_slot(composed.memory, self.now) else None
        if slot is not None:
            known = self.fresh.get((namespace, slot))
            if known is not None and merged(known, composed.memory) == known:
                return Remembered(known, "noop", Decision("duplicate", "1 exact", "said twice in one batch"))
            twin = self._twin(namespace, slot)
            if twin is not None:
                return self._merge(twin, composed, sources)
        memory = self._placed(namespace, composed.memory)
        record = Record(memory, slot, new_salt(), length=composed.indexed.length, marks=composed.indexed.marks)
        self.records.append(_New(record, item, tuple(source.num for source in sources)))
        if slot is not None:
            self.fresh[namespace, slot] = memory
        self.trail(memory).add(self.operation, memory, record.salt)
        return Remembered(memory, "created", Decision("add", "1 exact", "nothing with this text is known"))

    def _sourced(self, item: Composed) -> tuple[Composed, list[Record]]:
        """Give a derived memory the lowest trust class and tier of its sources, all of which must be in scope."""
        if not item.derived_from:
            return item, []
        found = self.transaction.find(Record, within(item.memory.scope).but(Test("id", "in", item.derived_from)))
        by_id = {record.memory.id: record for record in found}
        for source_id in item.derived_from:
            if source_id not in by_id or by_id[source_id].memory.status is Status.FORGOTTEN:
                raise NotFound(source_id)
        lowest = least_trusted([item.memory.source.type, *(record.memory.source.type for record in found)])
        tier = item.memory.tier if "tier" in item.given else max(record.memory.tier for record in found)
        links = tuple(Link("derived_from", source_id) for source_id in item.derived_from)
        source = replace(item.memory.source, type=lowest)
        memory = replace(item.memory, source=source, trust=BASE[lowest], tier=tier, links=links)
        return replace(item, memory=memory), [by_id[source_id] for source_id in item.derived_from]

    def _known_key(
        self, namespace: int, item: Composed, sources: Sequence[Record], vector: Floats | None
    ) -> Remembered | None:
        agent, key = item.memory.scope.agent, item.memory.key
        tests = [Test("ns", "eq", namespace), Test("agent", "eq", agent), Test("key", "eq", key)]
        tests.append(Test("status", "ne", Status.FORGOTTEN))
        found = self.transaction.find(Record, tests)
        found = found or [n.record for n in self.records if _keyed(n.record.memory, agent, key)]
        if not found:
            return None
        holder = found[0]
        if holder.num == 0:  # stored earlier in this batch: put it now, so that it can be edited
            self._put()
            holder = self.transaction.find(Record, tests)[0]
        if not holds_its_slot(holder.memory, self.now):
            self.transaction.update(Record, [Test("num", "eq", holder.num)], key=None)
            return None
        self._derive(holder, item.memory, sources)
        edit = Edit.of_write(holder.memory, item.memory, item.given, vector)
        after = apply_edit(self.engine, self.transaction, holder, edit, self.trail(item.memory))
        if after is None:
            return Remembered(
                holder.memory, "noop", Decision("duplicate", "1 exact", f"key {key!r} holds this already")
            )
        self._moved(namespace, holder)
        return Remembered(after, "updated", Decision("add", "1 exact", f"key {key!r} was known: edited"))

    def _moved(self, namespace: int, holder: Record) -> None:
        """Note that a memory was edited, and may hold another slot now."""
        self.fresh.pop((namespace, str(holder.identity)), None)
        self.twins.pop((namespace, str(holder.identity)), None)
        (edited,) = self.transaction.find(Record, [Test("num", "eq", holder.num)])
        if edited.identity is not None:
            self.twins[namespace, edited.identity] = edited

    def _twin(self, namespace: int, slot: str) -> Record | None:
        if self.fresh.pop(
            (namespace, slot), None
        ):  # stored earlier in this batch: put it now, so that it can be added to
            self._put()
            tests = [Test("ns", "eq", namespace), Test("identity", "eq", slot)]
            self.twins[namespace, slot] = self.transaction.find(Record, tests)[0]
        twin = self.twins.get((namespace, slot))
        if twin is None or holds_its_slot(twin.memory, self.now):
            return twin
        del self.twins[namespace, slot]
        self.transaction.update(Record, [Test("num", "eq", twin.num)], identity=None)
        return None

    def _merge(self, twin: Record, item: Composed, sources: Sequence[Record]) -> Remembered:
        """Keep the known memory and add to it what is new."""
        old = twin.memory
        known = merged(old, item.memory)
        if known != old:
            known = replace(known, updated_at=self.now)
            namespace, indexed = self.namespace(known), index(known, situate=self.engine.settings.situate)
            record = replace(twin, memory=known, length=indexed.length, marks=indexed.marks)
            self.twins[namespace, str(twin.identity)] = record
            self.transaction.put(record)
            put_terms(self.transaction, namespace, record, old, indexed)
            self._derive(twin, item.memory, sources)
            self.trail(known).add("merge", known, twin.salt)
        return Remembered(known, "noop", Decision("duplicate", "1 exact", f"{old.id} says the same"))

    def _derive(self, holder: Record, memory: Memory, sources: Sequence[Record]) -> None:
        """Link a memory that is known to what this statement of it derives from."""
        links = {link.memory_id for link in added_links(holder.memory, memory)}
        edges = [Edge(holder.num, "derived_from", source.num) for source in sources if source.memory.id in links]
        if edges:
            self.transaction.put(*edges)

    def _placed(self, namespace: int, memory: Memory) -> Memory:
        """Give a memory of a session the next position in it."""
        session = memory.scope.session
        if session is None or memory.position is not None:
            return memory
        place = (namespace, session)
        if place not in self.positions:
            tests = [Test("ns", "eq", namespace), Test("session", "eq", session)]
            last = self.transaction.highest(Record, "position", tests)
            self.positions[place] = -1 if last is None else last
        self.positions[place] += 1
        object.__setattr__(memory, "position", self.positions[place])  # nobody has seen it yet; a copy costs too much
        return memory

    def _put(self) -> None:
        if not self.records:
            return
        put, embedder = self.transaction.put, self.engine.embedder
        nums = put(*(new.record for new in self.records))
        rows = [(num, self.namespace(new.record.memory), new) for num, new in zip(nums, self.records, strict=True)]
        put(
            *(Posting(ns, term, num, n) for num, ns, new in rows for term, n in new.item.composed.indexed.terms.items())
        )
        put(*(Edge(num, "derived_from", source) for num, _, new in rows for source in new.sources))
        if embedder is not None:
            made = ((num, ns, new.item.vector) for num, ns, new in rows)
            put(*(Vector(ns, embedder.id, num, vector) for num, ns, vector in made if vector is not None))
            waiting = [new.record.memory for new in self.records if new.item.vector is None]
            put(*(embed_job(self.engine.new_id, memory, self.now) for memory in waiting))
            self.engine.counters.queued += len(waiting)
        self.records = []


def _keyed(memory: Memory, agent: str | None, key: str | None) -> bool:
    return (memory.scope.agent, memory.key) == (agent, key)
