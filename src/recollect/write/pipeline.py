"""The write path: drafts in, memories out, everything that belongs together in one transaction.

draft -> compose (stamp, hash, describe, read what it states, index) -> embed
      -> ONE TRANSACTION (commit.py): sources -> key -> identity -> conflicts -> put, close, link
      -> Remembered
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.engine import Engine
from recollect.graph.seen import seen
from recollect.models import UNCONFIRMED, Expiry, Memory, Source, Status
from recollect.protocols import Transaction
from recollect.results import Remembered
from recollect.security.trust import BASE
from recollect.text import content_hash
from recollect.write.commit import STORED, Commit, Item
from recollect.write.conflicts import UNREAD, VERDICT, Rules, stated
from recollect.write.draft import Draft, Intent, suspected
from recollect.write.duplicates import identity
from recollect.write.embedding import embed
from recollect.write.enrichment import derived_tags, describe, index, index_text, named
from recollect.write.meeting import Composed

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
