"""The write path: drafts are prepared, embedded and committed in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from engrain.arrays import Floats
from engrain.engine import Engine
from engrain.errors import NotFound
from engrain.graph.entity_store import Recorder, seen
from engrain.model.filters import Test, within
from engrain.model.memory import UNCONFIRMED, Expiry, Link, Memory, Scope, Source, Status
from engrain.model.results import Decision, Remembered
from engrain.security.audit import Trail, new_salt, who
from engrain.security.signing import signed, signed_again
from engrain.security.trust import BASE, least_trusted
from engrain.storage.interface import Transaction
from engrain.storage.queries import highest
from engrain.storage.rows import SUPERSEDES, Edge, Posting, Record, Vector, WitnessRow
from engrain.text import content_hash
from engrain.write.conflicts import EXACT, UNREAD, VERDICT, Resolution, Rules, inherited, stated
from engrain.write.draft import SUSPECTED, Draft, Intent, refusal, suspected
from engrain.write.edits import Edit, apply_edit, put_terms
from engrain.write.neighbours import Composed, Meeting, Neighbourhood, Repetitions, Waiting
from engrain.write.prepare import (
    added_links,
    derived_tags,
    describe,
    embed,
    embed_job,
    holds_its_slot,
    identity,
    index,
    index_text,
    merged,
    named,
    put_jobs,
)
from engrain.write.transitions import Caps, Closer, borne_out, retained, retold, targets, worth

STORED = ("created", "updated", "corrected", "pending", "quarantined")
"""What a write's status is when it made a new memory; an edit under a known key is `updated` too."""
FROM_HIDDEN = "derived from what is quarantined"
"""Why such a memory waits; its links say from what, to whom may see that."""
_LOOKED_UP = 500  # slots asked for at once


@dataclass(frozen=True, slots=True)
class Item:
    """A composed memory, the identity it asks for, and its vector if that is known."""

    composed: Composed
    slot: str
    vector: Floats | None


@dataclass(frozen=True, slots=True)
class _New:
    """A record to be put, what it was made from, and its edges: relation, the other row, and whether it leads there."""

    record: Record
    item: Item
    edges: tuple[tuple[str, int, bool], ...]
    witnesses: tuple[WitnessRow, ...] = ()


@dataclass
class Commit:
    """One transaction of the write path."""

    engine: Engine
    transaction: Transaction
    now: datetime
    operation: str
    rules: Rules
    records: list[_New] = field(default_factory=list)
    keys: set[tuple[int, str | None, str]] = field(default_factory=set)
    fresh: dict[tuple[int, str], Memory] = field(default_factory=dict)
    twins: dict[tuple[int, str], Record] = field(default_factory=dict)
    positions: dict[tuple[int, str], int] = field(default_factory=dict)
    trails: dict[str, Trail] = field(default_factory=dict)
    namespaces: dict[tuple[str, str | None], int] = field(default_factory=dict)
    writer: Scope | None = None  # in whose view the first of them is written

    def __post_init__(self) -> None:
        hood = Neighbourhood(self.transaction, self.rules, self.engine.embedder, self.now)
        self.meeting = Meeting(self.transaction, hood, flush=self._put)
        self.retention = self.engine.settings.retaining
        self.caps = Caps(self.transaction, self.retention)
        rated = self.operation == "create" and self.engine.settings.importance == "auto"
        self.repetitions = Repetitions(self.transaction, self.now, rated=rated)
        self.recorder = Recorder(self.transaction, self.engine.packs, self.engine.new_id, self.now)

    def namespace(self, memory: Memory) -> int:
        """Return the number of a memory's namespace."""
        place = (memory.scope.org, memory.scope.user)
        if place not in self.namespaces:
            self.namespaces[place] = self.transaction.namespace(*place)
        return self.namespaces[place]

    def run(self, items: Sequence[Item]) -> list[Remembered]:
        """Do all of it, and return what became of each item, in order."""
        self.writer = items[0].composed.writer if items else None
        self._find_twins(items)
        self.repetitions.look_up((self.namespace(item.composed.memory), item.composed) for item in items)
        results = [self._one(item) for item in items]
        self._put()
        for trail in self.trails.values():
            trail.write()
        return results

    def _find_twins(self, items: Sequence[Item]) -> None:
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
        """Return the audit trail of a memory's org."""
        org = memory.scope.org
        if org not in self.trails:
            author = self.writer or memory.scope
            author = author if self.operation == "create" else Scope(org)  # what is imported was not said here
            self.trails[org] = Trail(self.transaction, org, actor=who(author), at=self.now)
        return self.trails[org]

    def _one(self, item: Item) -> Remembered:
        namespace = self.namespace(item.composed.memory)
        composed, sources = self._sourced(item.composed)
        if composed.memory.key is not None and self.operation == "create":
            edited = self._known_key(namespace, composed, sources, item.vector)
            if edited is not None:
                return edited
        slot = item.slot if holds_its_slot(composed.memory, self.now) else None
        if slot is not None:
            known = self.fresh.get((namespace, slot))
            waits = known is not None and _waits_for_less(known, composed.memory)
            if known is not None and not waits and merged(known, composed.memory) == known:
                return Remembered(known, "noop", Decision("duplicate", EXACT, "said twice in one batch"))
            twin = self._twin(namespace, slot, composed.memory)
            if twin is not None and twin.memory.id != composed.intent.target:
                return self._known(twin, composed, sources)
        return self._new(namespace, composed, item, slot, sources)

    def _new(
        self, namespace: int, composed: Composed, item: Item, slot: str | None, sources: Sequence[Record]
    ) -> Remembered:
        """Store what nothing known says in the same words, after what it does to the others."""
        memory = self._placed(namespace, composed.memory)
        edges = [("derived_from", source.num, True) for source in sources]
        resolution: Resolution | None = None
        witnesses: tuple[WitnessRow, ...] = ()
        if self.operation == "create":
            resolution = self.meeting.resolved(namespace, memory, composed, item.vector)
        if resolution is not None and resolution.archived and self.meeting.kept_beside(memory, resolution):
            return Remembered(resolution.supports[0], resolution.status, resolution.decision)
        if resolution is not None:
            memory, more = self.meeting.carried_out(memory, composed, resolution)
            edges += more
            witnesses = self.meeting.witnesses(memory, resolution)
            memory = replace(memory, trust=worth(self.transaction, memory, witnesses)) if witnesses else memory
            if memory.valid_from != composed.memory.valid_from:  # which the index text names
                composed = replace(composed, indexed=index(memory, situate=self.engine.settings.situate))
                item = replace(item, composed=composed)
            self._settle(memory, resolution)
        self._check_given_up(namespace, slot, composed)
        memory = self.repetitions.lowered(namespace, memory, composed, resolution)
        if memory.is_superseded_at(self.now) or memory.status is Status.ARCHIVED:
            slot = None
        evicted = self._make_room(namespace, memory)
        memory = signed(self.retention.expiring(memory), self.engine.signer)
        size, marks = composed.indexed.length, composed.indexed.marks
        record = Record(memory, slot, new_salt(), length=size, marks=marks, due_at=self.retention.due_at(memory))
        self.records.append(_New(record, item, tuple(edges), witnesses))
        if self.operation == "create":
            self.meeting.waiting.add(namespace, memory, item.vector)
        if memory.key is not None:
            self.keys.add((namespace, memory.scope.agent, memory.key))
        if slot is not None:
            self.fresh[namespace, slot] = memory
        decision, status = _outcome(memory, resolution, evicted)
        said = f"{decision.kind} at {decision.stage}: {decision.reason}" if resolution is not None else ""
        self.trail(memory).add(self.operation, memory, record.salt, reason=said)
        if resolution is not None and resolution.archived:
            return Remembered(resolution.supports[0], status, decision)
        return Remembered(memory, status, decision)

    def _make_room(self, namespace: int, memory: Memory) -> tuple[str, ...]:
        """Let go of what a cap leaves no room for, and return the ids; what is imported takes nobody's place."""
        if self.operation != "create" or not self.caps.apply_to(memory):
            return ()
        return self.caps.make_room(namespace, memory, self.trail(memory), flush=self._put)

    def _check_given_up(self, namespace: int, slot: str | None, item: Composed) -> None:
        """Raise `ValueError` when the memory to be replaced stays, in the same words."""
        if slot is None or item.intent.target is None:
            return
        for held in self.transaction.find(Record, [Test("ns", "eq", namespace), Test("identity", "eq", slot)]):
            raise ValueError(f"{held.memory.id} says exactly this and does not end yet: update it, or change the text")

    def _settle(self, memory: Memory, found: Resolution) -> None:
        """Close what gives way to a memory, and count it as evidence for what says the same."""
        for closed in self.meeting.settled(memory, found, self.trail(memory)):
            self._moved(self.namespace(closed.memory), closed)
        for other in found.supports:
            self._moved(self.namespace(other), self.meeting.hood.records[other.id])

    def _sourced(self, item: Composed) -> tuple[Composed, list[Record]]:
        """Give a derived memory the lowest trust class and tier of its sources, all of which must be in scope."""
        if item.intent.copies is not None:
            return self._copied(item, item.intent.copies)
        if not item.derived_from:
            return item, []
        found = self.transaction.find(Record, within(item.writer).but(Test("id", "in", item.derived_from)))
        by_id = {record.memory.id: record for record in found}
        for source_id in item.derived_from:
            if source_id not in by_id or by_id[source_id].memory.status is Status.FORGOTTEN:
                raise NotFound(source_id)
        lowest = least_trusted([item.memory.source.type, *(record.memory.source.type for record in found)])
        tier = item.memory.tier if "tier" in item.given else max(record.memory.tier for record in found)
        links = tuple(Link("derived_from", source_id) for source_id in item.derived_from)
        source = replace(item.memory.source, type=lowest)
        memory = replace(item.memory, source=source, trust=BASE[lowest], tier=tier, links=links)
        hidden = any(record.memory.status is Status.QUARANTINED for record in found)
        if hidden and memory.status is Status.ACTIVE:  # what is not admitted admits nothing
            memory = replace(memory, status=Status.QUARANTINED, status_reason=FROM_HIDDEN)
        return replace(item, memory=memory), [by_id[source_id] for source_id in item.derived_from]

    def _copied(self, item: Composed, original: str) -> tuple[Composed, list[Record]]:
        """Derive a copy from its original, whatever the status of that: nothing of the one outlives the other."""
        where = within(item.writer).but(Test("id", "eq", original))
        links = (Link("derived_from", original),)
        return replace(item, memory=replace(item.memory, links=links)), self.transaction.find(Record, where)

    def _known_key(
        self, namespace: int, item: Composed, sources: Sequence[Record], vector: Floats | None
    ) -> Remembered | None:
        agent, key = item.memory.scope.agent, item.memory.key
        tests = [Test("ns", "eq", namespace), Test("agent", "eq", agent), Test("key", "eq", key)]
        tests.append(Test("status", "ne", Status.FORGOTTEN))
        found = self.transaction.find(Record, tests)
        if not found and (namespace, agent, key) in self.keys:  # stored earlier in this batch: put it, to be edited
            self._put()
            found = self.transaction.find(Record, tests)
        if not found:
            return None
        holder = found[0]
        if item.intent.target not in (None, holder.memory.id):
            raise ValueError(f"key {key!r} belongs to {holder.memory.id}: a successor needs a key of its own, or none")
        if not holds_its_slot(holder.memory, self.now) or holder.memory.id == item.intent.target:
            self.transaction.update(Record, [Test("num", "eq", holder.num)], key=None)
            freed = replace(holder.memory, key=None)
            self.trail(freed).add("release", freed, holder.salt, reason="its key belongs to another now")
            return None
        if item.memory.status is Status.QUARANTINED and _brings_what_waits(item.memory, holder.memory):
            raise refusal(item.memory)
        self._derive(holder, item.memory, sources)
        edit = Edit.of_write(self.engine.settings, holder.memory, item.memory, item.given, vector)
        edit = replace(edit, seen=item.seen)
        after = apply_edit(self.engine, self.transaction, holder, edit, self.trail(item.memory))
        if after is None:
            return Remembered(holder.memory, "noop", Decision("duplicate", EXACT, f"key {key!r} holds this already"))
        self._moved(namespace, holder)
        return Remembered(after, "updated", Decision("add", EXACT, f"key {key!r} was known: edited"))

    def _moved(self, namespace: int, holder: Record) -> None:
        """Note that a memory was edited, and may hold another slot now."""
        self.fresh.pop((namespace, str(holder.identity)), None)
        self.twins.pop((namespace, str(holder.identity)), None)
        (edited,) = self.transaction.find(Record, [Test("num", "eq", holder.num)])
        if edited.identity is not None:
            self.twins[namespace, edited.identity] = edited

    def _twin(self, namespace: int, slot: str, said: Memory) -> Record | None:
        """Return the memory that says the same; one that does not count any more, or not for this, gives up its slot.

        What another said, and nobody has admitted, does not silence who may say it.
        """
        if self.fresh.pop(
            (namespace, slot), None
        ):  # stored earlier in this batch: put it now, so that it can be added to
            self._put()
            tests = [Test("ns", "eq", namespace), Test("identity", "eq", slot)]
            self.twins[namespace, slot] = self.transaction.find(Record, tests)[0]
        twin = self.twins.get((namespace, slot))
        if twin is None or (holds_its_slot(twin.memory, self.now) and not _waits_for_less(twin.memory, said)):
            return twin
        del self.twins[namespace, slot]
        self.transaction.update(Record, [Test("num", "eq", twin.num)], identity=None)
        return None

    def _known(self, twin: Record, item: Composed, sources: Sequence[Record]) -> Remembered:
        """Take a text that is known: one more witness, or one that settles what waited or takes another's place."""
        outcome = self._merge(twin, item, sources)
        memory = outcome.memory
        if memory is None or memory.status is not Status.ACTIVE:
            return outcome
        found: Resolution | None = None
        if item.intent.target is not None or memory.is_contested:
            self._put()  # so that it meets what came before it in this batch
        if item.intent.target is not None:
            found = self.meeting.named(memory, item)
        elif memory.is_contested and item.memory.trust > twin.memory.trust:
            memory = replace(memory, valid_from=item.memory.valid_from)
            found = self.meeting.waited(self.namespace(memory), twin, replace(memory, status_reason=""), item)
        if found is None:
            return outcome
        return self._contend(twin, found) if found.contests else self._succeed(twin, memory, found)

    def _contend(self, twin: Record, found: Resolution) -> Remembered:
        """Let a known text wait to take the place of what it may not close; nothing changes when it does already."""
        if not twin.memory.is_contested:
            raise ValueError(f"{twin.memory.id} says exactly this and may not take the place: {found.decision.reason}")
        waiting = {record.num for record in targets(self.transaction, twin)}
        nums = [num for other in found.contests if (num := self.meeting.num(other)) not in waiting]
        self.transaction.put(*(Edge(twin.num, relation, n) for relation in ("contradicts", SUPERSEDES) for n in nums))
        return Remembered(self._now(twin).memory, "pending" if nums else "noop", found.decision)

    def _succeed(self, twin: Record, memory: Memory, found: Resolution) -> Remembered:
        """Let a known text take the place of others."""
        before = self._now(twin)
        count, confidence = inherited(memory, found.closes, confidence_given=memory.confidence != 1.0)
        columns: dict[str, Any] = {"status_reason": "", "valid_from": memory.valid_from, "confidence": confidence}
        columns["evolution_count"] = max(count, memory.evolution_count)
        if found.later is not None:
            ends = min(found.later.valid_from, memory.valid_until or found.later.valid_from)
            columns |= {"valid_until": ends, "superseded_by": found.later.id}
            self.transaction.put(Edge(self.meeting.num(found.later), SUPERSEDES, twin.num))
        closer = Closer(self.transaction, self.trail(memory))
        memory = closer.change(before, "succeed", reason=found.decision.reason, **columns)
        self._settle(memory, found)
        self.transaction.put(*(Edge(twin.num, SUPERSEDES, self.meeting.num(old)) for old in found.closes))
        after = self._now(twin)
        indexed = index(after.memory, situate=self.engine.settings.situate)
        put_terms(self.transaction, self.namespace(memory), after, before.memory, indexed)
        return Remembered(after.memory, found.status, found.decision)

    def _now(self, twin: Record) -> Record:
        """Return a known record as it is now, for what comes after it too."""
        (after,) = self.transaction.find(Record, [Test("num", "eq", twin.num)])
        if after.identity is not None:
            self.twins[self.namespace(after.memory), after.identity] = after
        return after

    def _merge(self, twin: Record, item: Composed, sources: Sequence[Record]) -> Remembered:
        """Keep the known memory and add to it what is new."""
        old = twin.memory
        known = merged(old, item.memory)
        if (known.source.type, known.source.id) != (old.source.type, old.source.id):
            retold(self.transaction, twin.num, known)
        known = replace(known, trust=borne_out(self.transaction, twin.num, known, item.memory))
        if known != old:
            known = signed_again(old, replace(known, updated_at=self.now), self.engine.signer)
            namespace, indexed = self.namespace(known), index(known, situate=self.engine.settings.situate)
            record = replace(twin, memory=known, length=indexed.length, marks=indexed.marks)
            record = retained(self.retention, record)
            known = record.memory
            self.twins[namespace, str(twin.identity)] = record
            self.transaction.put(record)
            put_terms(self.transaction, namespace, record, old, indexed)
            self._derive(twin, item.memory, sources)
            self.trail(known).add("merge", known, twin.salt)
        if item.seen.told and known.status is not Status.QUARANTINED:
            self.recorder.again(twin.num, known, item.seen)
        return Remembered(known, "noop", Decision("duplicate", EXACT, f"{old.id} says the same"))

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
            last = highest(self.transaction, Record, "position", tests)
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
        put(
            *(
                Edge(num, relation, other) if outward else Edge(other, relation, num)
                for num, _, new in rows
                for relation, other, outward in new.edges
            )
        )
        put(*(row._replace(num=num) for num, _, new in rows for row in new.witnesses))
        if embedder is not None:
            made = ((num, ns, new.item.vector) for num, ns, new in rows)
            put(*(Vector(ns, embedder.id, num, vector) for num, ns, vector in made if vector is not None))
            waiting = [new.record.memory for new in self.records if new.item.vector is None]
            put(*(embed_job(self.engine.new_id, memory, self.now) for memory in waiting))
            self.engine.counters.queued += len(waiting)
        if self.operation == "create":  # what is imported was described where it comes from
            put_jobs(self.engine, self.transaction, (new.record.memory for new in self.records), self.now)
        told = [(num, new.record.memory, new.item.composed.seen) for num, _, new in rows]
        self.recorder.record([each for each in told if each[1].status is not Status.QUARANTINED])
        self.records, self.keys = [], set()
        self.meeting.waiting = Waiting()


def _brings_what_waits(new: Memory, known: Memory) -> bool:
    """Say whether a memory that has to wait would bring what it waits for into a known one by editing it."""
    in_its_text = new.status_reason.startswith((SUSPECTED, UNCONFIRMED))
    return known.status is not Status.QUARANTINED if not in_its_text else new.content != known.content


def _outcome(memory: Memory, found: Resolution | None, evicted: tuple[str, ...]) -> tuple[Decision, str]:
    if memory.status is Status.QUARANTINED:
        return Decision("quarantine", "0 admission", memory.status_reason), "quarantined"
    decision = Decision("add", EXACT, "nothing with this text is known") if found is None else found.decision
    return replace(decision, evicted=evicted), "created" if found is None else found.status


def _waits_for_less(known: Memory, said: Memory) -> bool:
    """Say whether a text that waits, because of who said it, is said now by somebody from whom it need not wait."""
    held_back = known.status is Status.QUARANTINED and known.status_reason.startswith(SUSPECTED)
    return held_back and said.status is Status.ACTIVE


RULES = "rules"
"""Who judged what no decider did."""
_OPTIONAL = tuple("importance confidence tier fact valid_from valid_until ttl tags metadata pinned procedure".split())


def remember(engine: Engine, drafts: Sequence[Draft]) -> list[Remembered]:
    """Store drafts of one org in one transaction; the results come in the order given."""
    now = engine.clock.now()
    composed = [compose(engine, item, now) for item in drafts]
    return store(engine, composed, now=now)


def told(result: Remembered, intent: Intent, redacted: Sequence[str] = ()) -> Remembered:
    """Return a result whose decision says who found and judged it, and what was taken out of the text before."""
    decision = result.decision
    judged = intent.judged_by and (intent.judged_by if decision.stage == VERDICT else RULES)
    if not (redacted or intent.notes or intent.found_by or judged):
        return result
    reason = f"{decision.reason}; redacted: {', '.join(redacted)}" if redacted else decision.reason
    decision = replace(decision, reason=reason, found_by=intent.found_by, judged_by=judged)
    return replace(result, decision=replace(decision, fallback="; ".join(intent.notes)))


def store(
    engine: Engine, composed: Sequence[Composed], *, now: datetime, operation: str = "create"
) -> list[Remembered]:
    """Embed what was composed and store it in one transaction."""
    return stored_if(engine, composed, now=now, operation=operation, holds=lambda _: True) or []


def stored_if(
    engine: Engine,
    composed: Sequence[Composed],
    *,
    now: datetime,
    operation: str = "create",
    first: Sequence[Composed] = (),
    holds: Callable[[Transaction], bool],
) -> list[Remembered] | None:
    """Embed and store what was composed, if in its transaction `holds` says so; else nothing is written, and None.

    `first` is stored before the others, which may derive from it; it has no results.
    """
    embedder, rules = engine.embedder, rules_of(engine)
    everything = [*first, *composed]
    vectors = embed(embedder, [index_text(c.memory, situate=engine.settings.situate) for c in everything])
    items = [Item(c, identity(c.memory), vector) for c, vector in zip(everything, vectors, strict=True)]

    def change(transaction: Transaction) -> list[Remembered] | None:
        if not holds(transaction):
            return None
        current = items if engine.embedder is embedder else [replace(item, vector=None) for item in items]
        before, after = current[: len(first)], current[len(first) :]
        done = Commit(engine, transaction, now, operation, rules).run(before) if before else []
        return done + Commit(engine, transaction, now, operation, rules).run(after)

    results = engine.store.write(change, next((c.memory.scope.org for c in everything), None))
    if results is None:
        return None
    for each, result in zip(everything, results, strict=True):
        engine.counters.count("created", each.memory.scope, result.status in STORED)
    pairs = zip(results[len(first) :], composed, strict=True)
    return [told(result, each.intent, each.redacted) for result, each in pairs]


def rules_of(engine: Engine) -> Rules:
    """Return the rules of conflict resolution that are in force."""
    return Rules.of(engine.settings, None if engine.embedder is None else engine.embedder.id)


def compose(engine: Engine, item: Draft, now: datetime) -> Composed:
    """Turn a draft into the memory it will be. Pure but for its new id."""
    described = describe(item.content, engine.settings)
    status, status_reason = admitted(item)
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
        expiry=Expiry.NONE if item.ttl is None else Expiry.GIVEN,
        kind=item.kind,
        key=item.key,
        actor=item.actor,
        summary=described.summary,
        keywords=described.keywords,
        tags=derived_tags(item.tags, item.domain),
        fact=item.fact,
        procedure=item.procedure,
        domain=item.domain,
        tier=item.tier or "B",
        importance=described.importance if item.importance is None else item.importance,
        confidence=1.0 if item.confidence is None else item.confidence,
        source=Source(
            item.source_type, item.source_origin, item.source_id, item.source_ref, content_hash(item.content)
        ),
        trust=BASE[item.source_type],
        status=status,
        status_reason=status_reason,
        pinned=item.pinned,
        metadata=item.metadata,
    )
    statement = UNREAD if status is Status.QUARANTINED else stated(engine.settings, memory)
    if memory.fact is None and statement.fact is not None:
        memory = replace(memory, fact=statement.fact)
    about = seen(memory, engine.packs, about=item.about, fact_given=item.fact is not None)
    memory = named(memory, about)
    indexed = index(memory, situate=engine.settings.situate)
    return Composed(memory, indexed, statement, item.derived_from, _given(item), item.intent, about, item.redacted)


def admitted(item: Draft) -> tuple[Status, str]:
    """Return the status that a draft is stored with, and why: what looks like an attack is hidden and waits."""
    if item.is_held:
        said = [suspected(item.suspicions)] if item.suspicions else []
        return Status.QUARANTINED, "; ".join((*said, *item.waits))
    if item.intent.unconfirmed:
        return Status.QUARANTINED, UNCONFIRMED
    if item.intent.archived:
        return Status.ARCHIVED, "kept beside what it was merged into"
    return Status.ACTIVE, ""


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
