"""Caps: how many memories of a kind an agent keeps. What leaves room for a new one is archived before it comes.

They count an agent's live memories of one (org, user, agent), and of one domain where a policy caps that apart. Those
that no default may touch are never evicted: a cap filled by them alone is exceeded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from recollect.filters import Condition, Test
from recollect.models import Kind, Memory, Status
from recollect.policies.retention import KEPT_FROM, Retention
from recollect.protocols import Record, Tally, Transaction
from recollect.security.audit import Trail
from recollect.write.closing import Closer

OVER_CAP, EXPIRED = "retention_cap", "ttl_expiry"
"""Why a memory was evicted, and why it expired."""
_FIRST_OUT: Mapping[Kind, str] = {
    Kind.WORKING: "used_at",  # the least recently used
    Kind.EPISODIC: "importance",
    Kind.SEMANTIC: "importance",
    Kind.PROCEDURAL: "confidence",
}


@dataclass
class Caps:
    """The caps of one transaction."""

    transaction: Transaction
    retention: Retention
    _held: dict[tuple[object, ...], int] = field(default_factory=dict)

    def apply_to(self, memory: Memory) -> bool:
        """Say whether a new memory counts for a cap."""
        live = memory.status is Status.ACTIVE and not memory.is_superseded
        return live and memory.scope.agent is not None and self._cap(memory) is not None

    def make_room(self, namespace: int, memory: Memory, trail: Trail, *, flush: Callable[[], None]) -> tuple[str, ...]:
        """Evict what a new memory leaves no room for; return the ids. `flush` puts what was not put yet.

        Those whose time has come and which no sweep has seen yet expire first.
        """
        cap, counted = self._cap(memory) or 0, self._counted(namespace, memory)
        place = (namespace, memory.scope.agent, memory.kind, self._apart(memory))
        if place not in self._held:
            self._held[place] = self._count(namespace, memory, counted)
        if self._held[place] >= cap:  # or some of those counted have been closed meanwhile, or are over
            flush()
            self._expire(counted, trail)
            self._held[place] = self._count(namespace, memory, counted)
        excess = self._held[place] + 1 - cap
        self._held[place] += 1
        if excess <= 0:
            return ()
        loose, order = [*counted, *_loose(memory.kind)], _FIRST_OUT[memory.kind]
        found = self.transaction.find(Record, loose, order=order, limit=excess)
        self._let_go(found, trail, "evict", OVER_CAP, Status.ARCHIVED)
        self._held[place] -= len(found)
        return tuple(record.memory.id for record in found)

    def _count(self, namespace: int, memory: Memory, counted: list[Condition]) -> int:
        """Count what counts for the same cap; the store knows it but where domains are counted apart."""
        if self.retention.capped_apart(memory.kind, memory.scope.agent):
            return self.transaction.count(Record, counted)[""]
        place = [Test("ns", "eq", namespace), Test("agent", "eq", memory.scope.agent), Test("kind", "eq", memory.kind)]
        return sum(tally.held for tally in self.transaction.find(Tally, place, order="kind"))

    def _expire(self, counted: list[Condition], trail: Trail) -> None:
        over = [*counted, Test("due_at", "le", trail.at), Test("expires_at", "le", trail.at)]
        self._let_go(self.transaction.find(Record, over, order="due_at"), trail, "expire", EXPIRED, Status.EXPIRED)

    def _let_go(self, found: Sequence[Record], trail: Trail, operation: str, reason: str, status: Status) -> None:
        closer = Closer(self.transaction, trail)
        said = "ttl" if status is Status.EXPIRED else reason
        gone = {"status": status, "status_reason": said, "identity": None, "due_at": None}
        for record in found:
            closer.change(record, operation, reason=reason, **gone)

    def _cap(self, memory: Memory) -> int | None:
        cap = self.retention.of(memory).cap
        return cap if isinstance(cap, int) else None

    def _apart(self, memory: Memory) -> str | None:
        """Return the domain of a memory when it has a cap of its own."""
        apart = self.retention.capped_apart(memory.kind, memory.scope.agent)
        return memory.domain if memory.domain in apart else None

    def _counted(self, namespace: int, memory: Memory) -> list[Condition]:
        """Return which memories count for the same cap as this one."""
        own = self._apart(memory)
        apart = tuple(self.retention.capped_apart(memory.kind, memory.scope.agent))
        tests: list[Condition] = [
            Test("ns", "eq", namespace),
            Test("agent", "eq", memory.scope.agent),
            Test("counted", "eq", memory.kind),
        ]
        if own is not None:
            tests.append(Test("domain", "eq", own))
        elif apart:
            tests.append(Test("domain", "nin", apart))
        return tests


def _loose(kind: Kind) -> list[Condition]:
    """Return which of them a default may touch."""
    tests: list[Condition] = [Test("pinned", "eq", False), Test("importance", "lt", KEPT_FROM)]
    return [*tests, Test("consolidated_at", "ne", None)] if kind is Kind.EPISODIC else tests
