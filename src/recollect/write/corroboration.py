"""Who says the same: a second source raises what a memory is worth by one step, and never to a person's word.

A witness is a source with an id. The same pair of class and id counts once, and so do all pairs that one key of a
server named, or else one actor (or agent). It must be trusted as much as the memory itself, must not have it from
another memory, and must neither wait for a verdict nor be contested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from recollect.acting import KEY, acting_key
from recollect.filters import Test
from recollect.models import AuditEntry, Memory, SourceType, Status
from recollect.protocols import Record, Transaction, WitnessRow
from recollect.security.audit import Trail
from recollect.security.trust import BASE

_RAISED: Mapping[SourceType, float] = {
    SourceType.EXTERNAL_DATA: BASE[SourceType.TOOL_RESULT],
    SourceType.TOOL_RESULT: BASE[SourceType.LLM_GENERATED],
}
_SAME = 1e-9
_TOLD = ("create", "import")  # the operations by which a memory comes to be


def worth(transaction: Transaction, memory: Memory, witnesses: Iterable[WitnessRow]) -> float:
    """Return the trust of a memory whose source is borne out by these witnesses, or by none that counts."""
    base = BASE[memory.source.type]
    own = min(memory.trust, base)
    raised = _RAISED.get(memory.source.type)
    if raised is None or own < base - _SAME or not _is_settled(memory):
        return own
    fit = [row for row in witnesses if BASE[SourceType(row.type)] >= base - _SAME]
    if not fit:
        return own
    pair = (str(memory.source.type), memory.source.id)
    if memory.source.id and pair not in {(row.type, row.source) for row in fit}:
        fit.append(WitnessRow(0, *pair, _author(transaction, memory)))
    voices = {row.author or (row.type, row.source) for row in fit}
    return raised if len(voices) > 1 else own


def witness(transaction: Transaction, said: Memory, num: int = 0, *, said_by: str = "") -> WitnessRow | None:
    """Return a memory as a witness of what another one says, None where it is none.

    `said_by` is its id where it stays beside that one: taken back, it counts no more.
    """
    derived = any(link.relation == "derived_from" for link in said.links)
    if not said.source.id or derived or not _is_settled(said):
        return None
    return WitnessRow(num, said.source.type, said.source.id, _author(transaction, said), said_by)


def borne_out(transaction: Transaction, num: int, known: Memory, said: Memory, *, said_by: str = "") -> float:
    """Note that `said` says what a known memory says; return what that is worth now."""
    rows = _of(transaction, num)
    row = None if known.status is Status.QUARANTINED else witness(transaction, said, num, said_by=said_by)
    pairs = {(each.type, each.source) for each in rows} | {(str(known.source.type), known.source.id)}
    if row is not None and (row.type, row.source) not in pairs:
        transaction.put(row)
        rows.append(row)
    return worth(transaction, known, rows)


def retold(transaction: Transaction, num: int, memory: Memory) -> None:
    """Note whose word a known memory is from now on, where a key told it before or tells it now."""
    teller = acting_key()
    if memory.source.id and (teller is not None or _key(transaction, memory) is not None):
        transaction.put(WitnessRow(num, memory.source.type, memory.source.id, teller or _named(memory)))


def current(transaction: Transaction, num: int, memory: Memory) -> float:
    """Return what a memory is worth by the witnesses that it has."""
    return worth(transaction, memory, _of(transaction, num))


def unsaid(transaction: Transaction, num: int, memory: Memory, trail: Trail) -> float:
    """Let go of the witnesses of a memory that says something else now, and of it as one; return what it is worth."""
    transaction.delete(WitnessRow, [Test("num", "eq", num)])
    withdrawn(transaction, memory.id, trail)
    retold(transaction, num, memory)
    return worth(transaction, memory, ())


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


def _author(transaction: Transaction, memory: Memory) -> str:
    """Return who chose the source's id: the key that told it, else who is named as having said it."""
    return _key(transaction, memory) or _named(memory)


def _named(memory: Memory) -> str:
    """Return the actor, else the agent; "" for the application, which is believed in it."""
    if memory.actor is not None:
        return f"actor:{memory.actor}"
    return "" if memory.scope.agent is None else f"agent:{memory.scope.agent}"


def _key(transaction: Transaction, memory: Memory) -> str | None:
    """Return the key that told a memory; what is not stored yet is told by the one that acts now.

    What was learnt from a memory, and has its source, is told by whoever told that one.
    """
    seen = {memory.id}
    while (origin := _learnt_from(transaction, memory)) is not None and origin.id not in seen:
        seen.add(origin.id)
        memory = origin
    (num,) = [record.num for record in transaction.find(Record, [Test("id", "eq", memory.id)])] or [0]
    own = [Test("type", "eq", memory.source.type), Test("source", "eq", memory.source.id)]
    again = transaction.find(WitnessRow, [Test("num", "eq", num), *own])
    if again:
        return _if_key(again[0].author)
    of = [Test("org", "eq", memory.scope.org), Test("memory_id", "eq", memory.id), Test("operation", "in", _TOLD)]
    told = transaction.find(AuditEntry, of, order="-seq", limit=1)
    return _if_key(told[0].actor if told else acting_key())


def _if_key(name: str | None) -> str | None:
    return name if name is not None and name.startswith(KEY) else None


def _learnt_from(transaction: Transaction, memory: Memory) -> Memory | None:
    """Return the memory from which a derived one has its source, if there is one."""
    ids = tuple(link.memory_id for link in memory.links if link.relation == "derived_from")
    found = transaction.find(Record, [Test("id", "in", ids)]) if ids else []
    same = (memory.source.type, memory.source.id)
    return next((each.memory for each in found if (each.memory.source.type, each.memory.source.id) == same), None)
