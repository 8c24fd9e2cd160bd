"""Whether a store is whole: a file sound, and every row in step with the rows that belong to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engrain.config import Settings
from engrain.model.filters import Filter, Test
from engrain.model.memory import AuditEntry, Job, Memory, Status
from engrain.opening import open_store
from engrain.security.audit import verify
from engrain.storage.interface import Reader
from engrain.storage.rows import Posting, Record, Vector
from engrain.storage.sqlite.store import SQLiteStore


def examine(path: str, org: str = "default") -> tuple[dict[str, Memory], list[str]]:
    """Return every memory of the org by id, and what is wrong with the store."""
    store = open_store(path, Settings())
    try:
        damage = store.integrity() if isinstance(store, SQLiteStore) else None  # a server looks after its own
        with store.read(org) as view:
            records = view.find(Record, Filter(org))
            faults = [
                *([f"integrity: {damage}"] if damage else []),
                *_out_of_step(view, records),
                *_audit(view, records, org),
            ]
    finally:
        store.close()
    return {record.memory.id: record.memory for record in records}, faults


def _out_of_step(view: Reader, records: list[Record]) -> Iterator[str]:
    """Name every memory whose postings or vector do not fit it, and rows that belong to no memory."""
    lengths: Counter[int] = Counter()
    for posting in view.find(Posting):
        lengths[posting.num] += posting.times
    vectors = {vector.num for vector in view.find(Vector)}
    waiting = {job.memory_id for job in view.find(Job, [Test("kind", "eq", "embed")])}
    known = {record.num for record in records}
    for record in records:
        memory = record.memory
        if lengths[record.num] != record.length:
            yield f"{memory.id} has {lengths[record.num]} postings for {record.length} terms"
        if memory.status is Status.ACTIVE and record.num not in vectors and memory.id not in waiting:
            yield f"{memory.id} has no vector, and no job will make one"
    for num in (lengths.keys() | vectors) - known:
        yield f"row {num} is gone and left postings or a vector behind"


def _audit(view: Reader, records: list[Record], org: str) -> Iterator[str]:
    """Name what is wrong with the org's audit chains: a broken link, or a change that is not in them."""
    entries = view.find(AuditEntry, [Test("org", "eq", org)], order="at")
    chain = verify(view, org)
    if not chain.ok:
        yield f"audit: entry {chain.first_broken}: {chain.notes[0]}"
    written = Counter(entry.memory_id for entry in entries)
    for memory in (record.memory for record in records):
        if written[memory.id] < memory.version:
            yield f"{memory.id} is at version {memory.version} with {written[memory.id]} audit entries"
