"""Who says the same: a second source raises what a memory is worth by one step, and never to a person's word.

A witness is a source with an id. The same pair of class and id counts once, and so do all pairs that one actor (or
agent) named. It must be trusted as much as the memory itself, must not have it from another memory, and must neither
wait for a verdict nor be contested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from recollect.filters import Test
from recollect.models import Memory, SourceType, Status
from recollect.protocols import Record, Transaction, WitnessRow
from recollect.security.audit import Trail
from recollect.security.trust import BASE

_RAISED: Mapping[SourceType, float] = {
    SourceType.EXTERNAL_DATA: BASE[SourceType.TOOL_RESULT],
    SourceType.TOOL_RESULT: BASE[SourceType.LLM_GENERATED],
}
_SAME = 1e-9


def worth(memory: Memory, witnesses: Iterable[WitnessRow]) -> float:
    """Return the trust of a memory whose source is borne out by these witnesses, or by none that counts."""
    base = BASE[memory.source.type]
    own = min(memory.trust, base)
    raised = _RAISED.get(memory.source.type)
    if raised is None or own < base - _SAME or not _is_settled(memory):
        return own
    mine = [WitnessRow(0, memory.source.type, memory.source.id, _author(memory))] if memory.source.id else []
    fit = [row for row in witnesses if BASE[SourceType(row.type)] >= base - _SAME]
    voices = {row.author or (row.type, row.source) for row in (*mine, *fit)}
    return raised if len(voices) > 1 else own


def witness(said: Memory, num: int = 0, *, said_by: str = "") -> WitnessRow | None:
    """Return a memory as a witness of what another one says, None where it is none.

    `said_by` is its id where it stays beside that one: taken back, it counts no more.
    """
    derived = any(link.relation == "derived_from" for link in said.links)
    if not said.source.id or derived or not _is_settled(said):
        return None
    return WitnessRow(num, said.source.type, said.source.id, _author(said), said_by)


def borne_out(transaction: Transaction, num: int, known: Memory, said: Memory, *, said_by: str = "") -> float:
    """Note that `said` says what a known memory says; return what that is worth now."""
    rows = _of(transaction, num)
    row = None if known.status is Status.QUARANTINED else witness(said, num, said_by=said_by)
    pairs = {(each.type, each.source) for each in rows} | {(str(known.source.type), known.source.id)}
    if row is not None and (row.type, row.source) not in pairs:
        transaction.put(row)
        rows.append(row)
    return worth(known, rows)


def current(transaction: Transaction, num: int, memory: Memory) -> float:
    """Return what a memory is worth by the witnesses that it has."""
    return worth(memory, _of(transaction, num))


def unsaid(transaction: Transaction, num: int, memory: Memory, trail: Trail) -> float:
    """Let go of the witnesses of a memory that says something else now, and of it as one; return what it is worth."""
    transaction.delete(WitnessRow, [Test("num", "eq", num)])
    withdrawn(transaction, memory.id, trail)
    return worth(memory, ())


def withdrawn(transaction: Transaction, memory_id: str, trail: Trail) -> None:
    """Count a memory no longer as a witness of others, which sink to what they are worth without it."""
    bore = [Test("said_by", "eq", memory_id)]
    nums = tuple(row.num for row in transaction.find(WitnessRow, bore))
    if not nums:
        return
    transaction.delete(WitnessRow, bore)
    for record in transaction.find(Record, [Test("num", "in", nums)]):
        trust = current(transaction, record.num, record.memory)
        if trust != record.memory.trust:
            transaction.update(Record, [Test("num", "eq", record.num)], trust=trust)
            trail.add("weigh", replace(record.memory, trust=trust), record.salt, reason=f"without {memory_id}")


def _of(transaction: Transaction, num: int) -> list[WitnessRow]:
    return transaction.find(WitnessRow, [Test("num", "eq", num)])


def _is_settled(memory: Memory) -> bool:
    return memory.status is Status.ACTIVE and not memory.is_contested


def _author(memory: Memory) -> str:
    """Return who chose the source's id: the actor, else the agent; "" for the application, which is believed in it."""
    if memory.actor is not None:
        return f"actor:{memory.actor}"
    return "" if memory.scope.agent is None else f"agent:{memory.scope.agent}"
