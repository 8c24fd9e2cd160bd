"""Taking memories elsewhere and back: JSON lines that round-trip everything but the audit chain.

The chain travels as an extract (operations, times, digests), for reading; an import starts entries of its own.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import IO, Any, cast

from recollect import checks
from recollect.engine import Engine
from recollect.errors import MemoryRejected, StoreUnavailable
from recollect.filters import Filter, Test, within
from recollect.models import AuditEntry, Memory, Scope, SourceType, Status
from recollect.protocols import Reader, Record, Revision
from recollect.read.listing import iterate
from recollect.results import Imported
from recollect.scopes import identifier
from recollect.security.trust import BASE, least_trusted
from recollect.text import check_content, check_text, content_hash
from recollect.write.enrichment import index
from recollect.write.pipeline import Composed, store

FORMAT, VERSION = "recollect-export", 1
BATCH = 500


def export(engine: Engine, scope: Scope, path: str | os.PathLike[str]) -> int:
    """Write every memory the view sees, its revisions and an extract of the audit trail; return the rows written."""
    target = Path(path).expanduser()
    if target.exists():
        raise StoreUnavailable(f"{target} exists already: an export never overwrites", path=str(target))
    partial = target.with_name(f".{target.name}.partial")
    rows = 0
    try:
        with _open(partial, target, "wt") as file:
            for row in _rows(engine, scope):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                rows += 1
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)
    return rows


def _open(path: Path, named: Path, mode: str) -> IO[str]:
    if not path.parent.is_dir():
        raise StoreUnavailable(f"the folder {path.parent} does not exist: create it first", path=str(path))
    if named.suffix == ".gz":
        return cast(IO[str], gzip.open(path, mode, encoding="utf-8"))
    return cast(IO[str], path.open(mode, encoding="utf-8"))


def _rows(engine: Engine, scope: Scope) -> Iterator[Mapping[str, Any]]:
    now = engine.clock.now()
    yield {"type": "header", "format": FORMAT, "version": VERSION, "org": scope.org, "exported_at": now.isoformat()}
    where = within(scope)
    seen: set[str] = set()
    for memory in iterate(engine, where, order="recorded_at"):
        with engine.store.read() as reader:
            found = reader.find(Record, where.but(Test("id", "eq", memory.id)))
            if not found or memory.id in seen:
                continue
            seen.add(memory.id)
            yield {"type": "memory", **found[0].memory.to_dict()}
            yield from _revisions(reader, found[0])
    if scope.user is None:
        with engine.store.read() as reader:
            for entry in reader.find(AuditEntry, [Test("org", "eq", scope.org)], order="seq"):
                beside = {"org", "reason"}  # a reason may hold names: it stays beside the memory
                yield (
                    {"type": "audit"}
                    | {k: v for k, v in asdict(entry).items() if k not in beside}
                    | {"at": entry.at.isoformat()}
                )


def _revisions(reader: Reader, record: Record) -> Iterator[Mapping[str, Any]]:
    for row in reader.find(Revision, [Test("num", "eq", record.num)], order="version"):
        yield {
            "type": "revision",
            "memory_id": record.memory.id,
            "version": row.version,
            "believed_from": row.believed_from.isoformat(),
            "believed_until": row.believed_until.isoformat(),
            "memory": json.loads(row.memory),
        }


def import_(
    engine: Engine, scope: Scope, path: str | os.PathLike[str], *, trust: SourceType, on_conflict: str
) -> Imported:
    """Read an export back; see `MemoryManager.import_`."""
    source = Path(path).expanduser()
    rejected: dict[int, str] = {}
    created = known = skipped = 0
    pending: list[tuple[int, Memory]] = []
    revisions: list[Mapping[str, Any]] = []
    with _open(source, source, "rt") as file:
        for number, row in _lines(file, source, rejected):
            if row.get("type") == "revision":
                revisions.append(row)
            elif row.get("type") == "memory":
                try:
                    pending.append((number, _checked(engine, scope, row, trust)))
                except (ValueError, TypeError, KeyError, MemoryRejected) as error:
                    rejected[number] = _said(error)
            if len(pending) >= BATCH:
                created, known, skipped = _add(_store(engine, pending, on_conflict, rejected), created, known, skipped)
                pending = []
    created, known, skipped = _add(_store(engine, pending, on_conflict, rejected), created, known, skipped)
    _restore_revisions(engine, scope, revisions)
    return Imported(created, known, skipped, rejected)


def _said(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if type(error) is KeyError else str(error)


def _add(counts: tuple[int, int, int], *totals: int) -> tuple[int, int, int]:
    return (totals[0] + counts[0], totals[1] + counts[1], totals[2] + counts[2])


def _lines(file: IO[str], source: Path, rejected: dict[int, str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    number = 0
    try:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                rejected[number] = f"not JSON: {error}"
                continue
            if number == 1 and not (isinstance(row, dict) and row.get("format") == FORMAT):
                raise ValueError(f"{source} is not an export of Recollect: its first line is no header")
            if number == 1 and row.get("version") != VERSION:
                raise ValueError(f"{source} is export version {row.get('version')}, this one reads {VERSION}")
            if isinstance(row, dict):
                yield number, row
            else:
                rejected[number] = "not an object"
    except UnicodeDecodeError as error:
        raise ValueError(f"{source}, after line {number}: not UTF-8 text ({error.reason})") from None
    if number == 0:
        raise ValueError(f"{source} is empty: there is nothing to import")


def _checked(engine: Engine, scope: Scope, row: Mapping[str, Any], trust: SourceType) -> Memory:
    """Return the memory of a row, checked like a write: the view's org, at most `trust`, a hash of its own."""
    memory = Memory.from_dict(row)
    text = check_content(memory.content, max_bytes=engine.settings.max_content_bytes)
    if not memory.id.startswith("mem_") or not memory.id[4:].isalnum() or len(memory.id) > 64:
        raise ValueError(f"{memory.id!r} is not the id of a memory")
    for name in ("user", "agent", "session"):
        value = getattr(memory.scope, name)
        if value is not None:
            identifier(value, name)
    for name in ("importance", "confidence"):
        checks.checked_share(getattr(memory, name), name)
    checks.checked_tier(memory.tier)
    checks.checked_metadata(memory.metadata)
    check_text(memory.summary, what="summary")
    for given in (memory.key, memory.actor, memory.domain, *memory.tags):
        if given is not None:
            identifier(given, "key, actor, domain and tags")
    if memory.valid_until is not None and memory.valid_until < memory.valid_from:
        raise ValueError("valid_until lies before valid_from")
    _aware(memory)
    lowest = least_trusted([memory.source.type, trust])
    source = replace(memory.source, type=lowest, content_hash=content_hash(text), signature=None)
    return replace(
        memory, scope=replace(memory.scope, org=scope.org), source=source, trust=min(memory.trust, BASE[lowest])
    )


def _aware(memory: Memory) -> None:
    times = (memory.recorded_at, memory.updated_at, memory.valid_from, memory.valid_until, memory.expires_at)
    if any(at is not None and at.utcoffset() is None for at in times):
        raise ValueError("every time needs an offset")


def _store(
    engine: Engine, rows: list[tuple[int, Memory]], on_conflict: str, rejected: dict[int, str]
) -> tuple[int, int, int]:
    """Store checked memories; one whose id is here is known, or skipped when it says something else."""
    if not rows:
        return 0, 0, 0
    here, keys = _taken(engine, [memory for _, memory in rows])
    fresh: dict[str, Memory] = {}
    known = skipped = 0
    for number, memory in rows:
        other = here.get(memory.id) or fresh.get(memory.id)
        key = _key(memory)
        if other is None and (key is None or key not in keys):
            fresh[memory.id] = memory
            keys |= {key} if key is not None else set()
        elif other is None:
            skipped += on_conflict == "skip"
            if on_conflict != "skip":
                rejected[number] = f"key {memory.key!r} is taken by another memory"
        elif other.scope == memory.scope and other.content == memory.content:
            known += 1
        elif on_conflict == "skip":
            skipped += 1
        else:
            rejected[number] = f"{memory.id} is taken by another memory"
    composed = [Composed(m, index(m, situate=engine.settings.situate)) for m in fresh.values()]
    results = store(engine, composed, now=engine.clock.now(), operation="import") if composed else []
    created = sum(result.status == "created" for result in results)
    return created, known + len(results) - created, skipped


_Key = tuple[str | None, str | None, str]


def _key(memory: Memory) -> _Key | None:
    if memory.key is None or memory.status is Status.FORGOTTEN:
        return None
    return (memory.scope.user, memory.scope.agent, memory.key)


def _taken(engine: Engine, memories: list[Memory]) -> tuple[dict[str, Memory], set[_Key]]:
    """Return which of these ids and keys the store has already."""
    ids = tuple(memory.id for memory in memories)
    named = tuple({memory.key for memory in memories if memory.key is not None})
    org = Filter(memories[0].scope.org)
    with engine.store.read() as reader:
        here = {record.memory.id: record.memory for record in reader.find(Record, [Test("id", "in", ids)])}
        holders = reader.find(Record, org.but(Test("key", "in", named))) if named else []
    return here, {key for holder in holders if (key := _key(holder.memory)) is not None}


def _restore_revisions(engine: Engine, scope: Scope, rows: list[Mapping[str, Any]]) -> None:
    for start in range(0, len(rows), BATCH):
        some = rows[start : start + BATCH]
        ids = tuple(row["memory_id"] for row in some)

        def change(transaction: Any, some: list[Mapping[str, Any]] = some, ids: tuple[str, ...] = ids) -> None:
            found = {r.memory.id: r for r in transaction.find(Record, within(scope).but(Test("id", "in", ids)))}
            for row in some:
                record = found.get(row["memory_id"])
                if record is None or transaction.find(
                    Revision, [Test("num", "eq", record.num), Test("version", "eq", row["version"])]
                ):
                    continue
                earlier = Memory.from_dict(row["memory"])
                earlier = replace(earlier, scope=replace(earlier.scope, org=scope.org))
                transaction.put(
                    Revision(
                        record.num,
                        int(row["version"]),
                        datetime.fromisoformat(row["believed_from"]),
                        datetime.fromisoformat(row["believed_until"]),
                        json.dumps(earlier.to_dict(), ensure_ascii=False),
                    )
                )

        engine.store.write(change)
