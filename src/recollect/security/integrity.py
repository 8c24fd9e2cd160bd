"""Whether each memory is as it was written: its text, its signature, and its state by the last entry of the trail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from recollect.engine import Engine
from recollect.filters import Filter, Test, within
from recollect.models import AuditEntry, Scope
from recollect.proofs import AuditReport
from recollect.protocols import Reader, Record
from recollect.security.audit import ERASE, is_state
from recollect.security.auditor import is_as_written, report
from recollect.security.verifying import UNREADABLE, entries, known_keys
from recollect.signatures import PublicKey

_PAGE = 500


def integrity(engine: Engine, scope: Scope, *, keys: PublicKey | Iterable[PublicKey] = ()) -> AuditReport:
    """Look at every memory of a view, whatever its kind and status; see `MemoryManager.audit_integrity`."""
    known, where = known_keys(engine, keys), within(scope)
    total, tampered, missing = 0, list[str](), list[str]()
    for found, unreadable, last in _pages(engine, where):
        total += len(found) + len(unreadable)
        tampered += unreadable
        for record in found:
            memory, entry = record.memory, last.get(record.memory.id)
            if entry is None or not memory.source.content_hash:
                missing.append(memory.id)
            elif not _is_in_order(entry, record, known):
                tampered.append(memory.id)
    if scope == Scope(scope.org):
        vanished = list(_vanished(engine, scope.org))
        total, tampered = total + len(vanished), tampered + vanished
    return report(total, tampered, missing)


def _is_in_order(entry: AuditEntry, record: Record, known: Sequence[str]) -> bool:
    """Say whether a memory is as it was written, and as an entry left it."""
    try:
        as_left = entry.operation != ERASE and is_state(entry.digest, record.memory, record.salt)
        return as_left and is_as_written(record.memory, known)
    except UNREADABLE:
        return False


def _pages(engine: Engine, where: Filter) -> Iterator[tuple[list[Record], list[str], Mapping[str, AuditEntry]]]:
    """Go through the memories, and the ids of those that cannot be read, with their last entries.

    All of a page is read at one moment.
    """
    num = 0
    while True:
        with engine.store.read(where.org) as reader:
            broken = list[str]()
            try:
                found = reader.find(Record, where.but(Test("num", "gt", num)), order="num", limit=_PAGE)
                reached = found[-1].num if found else None
            except UNREADABLE:
                found, broken, reached = _one_by_one(reader, where, num)
            last = _last(reader, where.org, [record.memory.id for record in found])
        if reached is None:
            return
        yield found, broken, last
        num = reached


def _one_by_one(reader: Reader, where: Filter, num: int) -> tuple[list[Record], list[str], int | None]:
    """Return some memories after a row, the ids of those that cannot be read, and the last row looked at."""
    nums = sorted(map(int, reader.count(Record, where.but(Test("num", "gt", num)), by="num")))[:_PAGE]
    found, broken = list[Record](), list[str]()
    for each in nums:
        one = where.but(Test("num", "eq", each))
        try:
            found += reader.find(Record, one)
        except UNREADABLE:
            broken += reader.count(Record, one, by="id")
    return found, broken, nums[-1] if nums else None


def _last(reader: Reader, org: str, ids: Sequence[str]) -> Mapping[str, AuditEntry]:
    return {entry.memory_id: entry for entry in _entries_of(reader, org, ids)}


def _entries_of(reader: Reader, org: str, ids: Sequence[str]) -> list[AuditEntry]:
    """Return the entries of memories, the oldest first; of one whose entries cannot all be read, none."""
    if not ids:
        return []
    of = [Test("org", "eq", org), Test("memory_id", "in", tuple(ids))]
    try:
        return reader.find(AuditEntry, of, order="seq")
    except UNREADABLE:
        return [] if len(ids) == 1 else [entry for each in ids for entry in _entries_of(reader, org, [each])]


def _vanished(engine: Engine, org: str) -> Iterator[str]:
    """Yield the memories that the trail tells of and that are gone without having been erased."""
    seen: set[str] = set()
    with engine.store.read(org) as reader:
        ids: list[str] = []
        for entry in entries(reader, org):
            if entry.memory_id.startswith("mem_"):
                ids.append(entry.memory_id)
            if len(ids) >= _PAGE:
                seen.update(_gone(reader, org, ids))
                ids = []
        seen.update(_gone(reader, org, ids))
    yield from sorted(seen)


def _gone(reader: Reader, org: str, ids: Sequence[str]) -> set[str]:
    if not ids:
        return set()
    named = tuple(dict.fromkeys(ids))
    gone = set(named) - set(reader.count(Record, Filter(org).but(Test("id", "in", named)), by="id"))
    return gone - {entry.memory_id for entry in _entries_of(reader, org, sorted(gone)) if entry.operation == ERASE}
