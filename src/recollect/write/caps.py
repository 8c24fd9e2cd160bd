"""Caps: how many memories of a kind an agent keeps. What leaves room for a new one is archived before it comes.

They count an agent's live memories of one (org, user, agent), and of one domain where a policy caps that apart. Those
that no default may touch are never evicted: a cap filled by them alone is exceeded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from recollect.filters import Condition, Test
from recollect.models import Kind, Memory, Status
from recollect.policies.retention import KEPT_FROM, Retention
from recollect.protocols import Record, Transaction
from recollect.security.audit import Trail
from recollect.write.closing import Closer

OVER_CAP = "retention_cap"
"""Why a memory was evicted."""
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
        """Evict what a new memory leaves no room for; return the ids. `flush` puts what was not put yet."""
        cap, counted = self._cap(memory) or 0, self._counted(namespace, memory, trail)
        place = (namespace, memory.scope.agent, memory.kind, self._apart(memory))
        if place not in self._held:
            self._held[place] = self.transaction.count(Record, counted)[""]
        elif self._held[place] >= cap:  # some of those counted may have been closed meanwhile
            flush()
            self._held[place] = self.transaction.count(Record, counted)[""]
        excess = self._held[place] + 1 - cap
        self._held[place] += 1
        if excess <= 0:
            return ()
        flush()
        found = self.transaction.find(
            Record, [*counted, *_loose(memory.kind)], order=_FIRST_OUT[memory.kind], limit=excess
        )
        closer = Closer(self.transaction, trail)
        for record in found:
            gone = {"status": Status.ARCHIVED, "status_reason": OVER_CAP, "identity": None, "due_at": None}
            closer.change(record, "evict", reason=OVER_CAP, **gone)
        self._held[place] -= len(found)
        return tuple(record.memory.id for record in found)

    def _cap(self, memory: Memory) -> int | None:
        cap = self.retention.of(memory).cap
        return cap if isinstance(cap, int) else None

    def _apart(self, memory: Memory) -> str | None:
        """Return the domain of a memory when it has a cap of its own."""
        apart = self.retention.capped_apart(memory.kind, memory.scope.agent)
        return memory.domain if memory.domain in apart else None

    def _counted(self, namespace: int, memory: Memory, trail: Trail) -> list[Condition]:
        """Return which memories count for the same cap as this one."""
        own = self._apart(memory)
        apart = tuple(self.retention.capped_apart(memory.kind, memory.scope.agent))
        tests: list[Condition] = [
            Test("ns", "eq", namespace),
            Test("agent", "eq", memory.scope.agent),
            Test("counted", "eq", memory.kind),
            Test("expires_at", "gt", trail.at, or_null=True),
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
