"""Links between memories, drawn and taken away by the caller."""

from __future__ import annotations

from dataclasses import replace

from recollect.engine import Engine
from recollect.errors import NotFound
from recollect.filters import Test, reachable
from recollect.models import RELATIONS, Memory, Scope, Status
from recollect.protocols import Edge, Record, Transaction
from recollect.security.audit import Trail, who
from recollect.security.signing import signed_again
from recollect.security.trust import BASE

_BOTH_WAYS = ("related", "contradicts")


def link(engine: Engine, scope: Scope, from_id: str, to_id: str, relation: str) -> bool:
    """Draw a link; see `MemoryManager.link`."""
    _check(from_id, to_id, relation)

    def change(transaction: Transaction) -> bool:
        one, other = _ends(transaction, scope, from_id, to_id)
        if _drawn(transaction, one, other, relation):
            return False
        transaction.put(Edge(one.num, relation, other.num))
        memory = one.memory
        if relation == "derived_from" and BASE[other.memory.source.type] < BASE[memory.source.type]:
            memory = _lowered(engine, transaction, one, other.memory)
        return _noted(engine, transaction, scope, replace(one, memory=memory), f"link {relation} {to_id}")

    return engine.store.write(change, scope.org)


def unlink(engine: Engine, scope: Scope, from_id: str, to_id: str, relation: str) -> bool:
    """Take a link away; see `MemoryManager.unlink`."""
    _check(from_id, to_id, relation)
    if relation == "derived_from":
        raise ValueError("derived_from is provenance and stays: forget the memory instead")

    def change(transaction: Transaction) -> bool:
        one, other = _ends(transaction, scope, from_id, to_id)
        ends = [(one, other), (other, one)] if relation in _BOTH_WAYS else [(one, other)]
        gone = sum(transaction.delete(Edge, _edge(source, target, relation)) for source, target in ends)
        return bool(gone) and _noted(engine, transaction, scope, one, f"unlink {relation} {to_id}")

    return engine.store.write(change, scope.org)


def _check(from_id: str, to_id: str, relation: str) -> None:
    if relation not in RELATIONS:
        raise ValueError(f"unknown relation {relation!r}: use one of {', '.join(RELATIONS)}")
    if from_id == to_id:
        raise ValueError(f"{from_id} cannot be linked to itself: name two memories")


def _ends(transaction: Transaction, scope: Scope, from_id: str, to_id: str) -> tuple[Record, Record]:
    found = []
    for memory_id in (from_id, to_id):
        where = reachable(scope).but(Test("id", "eq", memory_id), Test("status", "ne", Status.FORGOTTEN))
        held = transaction.find(Record, where)
        if not held:
            raise NotFound(memory_id)
        found.append(held[0])
    one, other = found
    if one.memory.scope.user != other.memory.scope.user:
        raise ValueError(f"{from_id} and {to_id} belong to different users: a link would show one to the other")
    return one, other


def _drawn(transaction: Transaction, one: Record, other: Record, relation: str) -> bool:
    if transaction.find(Edge, _edge(one, other, relation)):
        return True
    return relation in _BOTH_WAYS and bool(transaction.find(Edge, _edge(other, one, relation)))


def _edge(source: Record, target: Record, relation: str) -> list[Test]:
    return [Test("source", "eq", source.num), Test("relation", "eq", relation), Test("target", "eq", target.num)]


def _lowered(engine: Engine, transaction: Transaction, record: Record, source: Memory) -> Memory:
    """Give a memory the trust class of what it turns out to derive from."""
    kind = source.source.type
    after = replace(record.memory, source=replace(record.memory.source, type=kind), trust=BASE[kind])
    after = signed_again(record.memory, after, engine.signer)
    row = [Test("num", "eq", record.num)]
    transaction.update(Record, row, source_type=kind, trust=BASE[kind], signature=after.source.signature)
    return after


def _noted(engine: Engine, transaction: Transaction, scope: Scope, record: Record, said: str) -> bool:
    trail = Trail(transaction, scope.org, actor=who(scope), at=engine.clock.now())
    trail.add(said.split(maxsplit=1)[0], record.memory, record.salt, reason=said)
    trail.write()
    return True
