"""One more witness of what is known: an episode that says it again is linked to it, and counted."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from recollect.engine import Engine
from recollect.facts import slot
from recollect.filters import Condition, Test
from recollect.models import Kind, Memory, Scope, Status
from recollect.protocols import Edge, Record, Transaction
from recollect.security.audit import Trail, who
from recollect.write.conflicts import Rules
from recollect.write.corroboration import borne_out
from recollect.write.pipeline import rules_of

MOST = 500  # episodes that one memory names as its sources
_COMPARED = 64


def occasion(memory: Memory) -> tuple[str, str]:
    """Return when an episode was told, as witnesses count: the day of its session, else the episode itself.

    What is said again in one conversation is one saying.
    """
    if memory.scope.session is None:
        return "", memory.id
    return memory.scope.session, memory.valid_from.date().isoformat()


def bear_witness(transaction: Transaction, known: Record, source: Record, now: datetime) -> bool:
    """Derive what is known from one more episode; False when it already is, or has enough sources."""
    tests = [Test("source", "eq", known.num), Test("relation", "eq", "derived_from")]
    sources = {edge.target for edge in transaction.find(Edge, tests)}
    if source.num in sources or len(sources) >= MOST:
        return False
    told = transaction.find(Record, [Test("num", "in", tuple(sources))]) if sources else []
    new = occasion(source.memory) not in {occasion(record.memory) for record in told}
    transaction.put(Edge(known.num, "derived_from", source.num))
    trust = borne_out(transaction, known.num, known.memory, source.memory, said_by=source.memory.id)
    count = known.memory.evidence_count + new
    after = replace(known.memory, evidence_count=count, updated_at=now, trust=trust)
    row = [Test("num", "eq", known.num)]
    transaction.update(Record, row, evidence_count=count, updated_at=now, trust=trust)
    scope = known.memory.scope
    trail = Trail(transaction, scope.org, actor=who(Scope(scope.org)), at=now)
    trail.add("support", after, known.salt, reason=f"by {source.memory.id}")
    trail.write()
    return True


def same_fact(engine: Engine, transaction: Transaction, memory: Memory, now: datetime) -> Record | None:
    """Return what is known to state the fact of a new memory, as somebody of the same user and agent told it.

    Of a fact with one value at a time only what began no later: what was so before is another matter.
    """
    if memory.fact is None:
        return None
    wanted, rules = slot(memory.fact), rules_of(engine)
    tests: list[Condition] = [
        Test("ns", "eq", transaction.namespace(memory.scope.org, memory.scope.user)),
        Test("subject_key", "eq", wanted.subject),
        Test("predicate_key", "eq", wanted.predicate),
        Test("object_key", "eq", wanted.object),
    ]
    found = transaction.find(Record, tests, order="-importance", limit=_COMPARED)
    fit = [r for r in found if is_known(r.memory, memory.scope.agent, now) and _holds(r.memory, memory, rules)]
    return min(fit, key=lambda record: record.num, default=None)


def is_known(memory: Memory, agent: str | None, now: datetime) -> bool:
    """Say whether a memory is a fact that is established for exactly that agent, and no summary of others."""
    return (
        memory.kind is Kind.SEMANTIC
        and memory.scope.agent == agent
        and memory.status is Status.ACTIVE
        and not memory.is_contested
        and memory.metadata.get("is_summary") is not True
        and memory.is_live_at(now)
    )


def _holds(known: Memory, new: Memory, rules: Rules) -> bool:
    assert new.fact is not None
    return slot(new.fact).predicate not in rules.single_valued or known.valid_from <= new.valid_from
