"""Taking memories elsewhere and back: JSON lines that round-trip everything but the audit chain and open windows.

The chain travels as an extract (operations, times, digests), for reading; an import starts entries of its own. With a
key the last line signs all others.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from recollect.addresses import file_of
from recollect.engine import Engine
from recollect.errors import StoreUnavailable
from recollect.filters import Filter, Test, within
from recollect.graph.seen import seen
from recollect.jsonstream import read_lines
from recollect.models import RELATIONS, AuditEntry, Link, Memory, Scope, SourceType, Status
from recollect.protocols import CORRECTS, SUPERSEDES, Edge, Reader, Record, Revision, Transaction
from recollect.read.listing import iterate
from recollect.results import Imported
from recollect.transfer.restating import KNOWN, NEW, TAKEN, Restated, Restating, restated
from recollect.transfer.retelling import Retelling
from recollect.transfer.rows import REFUSED, Incoming, said
from recollect.transfer.signed import Lines, check_own
from recollect.transfer.stated import ROWS, stated
from recollect.transfer.talks import TALK_ROWS, talks
from recollect.write.conflicts import UNREAD
from recollect.write.enrichment import index
from recollect.write.meeting import Composed
from recollect.write.pipeline import store

FORMAT, VERSION = "recollect-export", 1
BATCH = 500
_MOST_REJECTED = 100_000


def export(engine: Engine, scope: Scope, path: str | os.PathLike[str]) -> int:
    """Write all that the view sees: memories, conversations, an extract of the audit trail; return the rows."""
    target = file_of(path)
    if target.exists():
        raise StoreUnavailable(f"{target} exists already: an export never overwrites", path=str(target))
    unfinished = target.with_name(f".{target.name}.partial")
    try:
        with _open(unfinished, target, "wt") as file:
            lines = Lines(file)
            for row in _rows(engine, scope):
                lines.write(row)
            lines.sign(engine, scope)
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
    return lines.rows


def _open(path: Path, named: Path, mode: str) -> IO[str]:
    if not path.parent.is_dir():
        raise StoreUnavailable(f"the folder {path.parent} does not exist: create it first", path=str(path))
    encoding = "utf-8-sig" if mode == "rt" else "utf-8"
    if named.suffix == ".gz":
        return cast(IO[str], gzip.open(path, mode, encoding=encoding))
    return cast(IO[str], path.open(mode, encoding=encoding))


def _rows(engine: Engine, scope: Scope) -> Iterator[Mapping[str, Any]]:
    now = engine.clock.now()
    yield {"type": "header", "format": FORMAT, "version": VERSION, "org": scope.org, "exported_at": now.isoformat()}
    where = within(scope)
    seen: set[str] = set()
    for memory in iterate(engine, where, order="recorded_at"):
        with engine.store.read(scope.org) as reader:
            found = reader.find(Record, where.but(Test("id", "eq", memory.id)))
            if not found or memory.id in seen:
                continue
            seen.add(memory.id)
            yield {"type": "memory", **found[0].memory.to_dict(), "links": _outgoing(reader, where, found[0])}
            yield from _revisions(reader, found[0])
    with engine.store.read(scope.org) as reader:
        yield from stated(reader, where)
    yield from talks(engine, where)
    if scope.user is scope.agent is None:
        with engine.store.read(scope.org) as reader:
            for entry in reader.find(AuditEntry, [Test("org", "eq", scope.org)], order="seq"):
                beside = {"org", "reason"}  # a reason may hold names: it stays beside the memory
                yield (
                    {"type": "audit"}
                    | {k: v for k, v in asdict(entry).items() if k not in beside}
                    | {"at": entry.at.isoformat()}
                )


def _outgoing(reader: Reader, where: Filter, record: Record) -> list[dict[str, str]]:
    """Return the links from a memory to what the view sees, each once, those to what it closes or closed included."""
    edges = reader.find(Edge, [Test("source", "eq", record.num)], order="target")
    nums = tuple({edge.target for edge in edges})
    ids = (
        {other.num: other.memory.id for other in reader.find(Record, where.but(Test("num", "in", nums)))}
        if nums
        else {}
    )
    return [{"relation": edge.relation, "memory_id": ids[edge.target]} for edge in edges if edge.target in ids]


def _revisions(reader: Reader, record: Record) -> Iterator[Mapping[str, Any]]:
    now = record.memory.to_dict()  # what it was tied to then is not all for this view's eyes
    ties = {name: now[name] for name in ("links", "supersedes", "causal_chain")}
    for row in reader.find(Revision, [Test("num", "eq", record.num)], order="seq"):
        yield {
            "type": "revision",
            "memory_id": record.memory.id,
            "version": row.version,
            "believed_from": row.believed_from.isoformat(),
            "believed_until": row.believed_until.isoformat(),
            "memory": json.loads(row.memory) | ties,
            "change": row.change,
        }


def import_(
    engine: Engine, scope: Scope, path: str | os.PathLike[str], *, trust: SourceType | None, on_conflict: str
) -> Imported:
    """Read an export back, one's own where `trust` is None; see `MemoryManager.import_`."""
    source = file_of(path)
    incoming = Incoming(scope.org, trust or SourceType.SYSTEM, engine.settings)
    run = _Import(engine, scope, skips=on_conflict == "skip")
    pending: list[tuple[int, Memory]] = []
    tells = False
    with _open(source, source, "rt") as file:
        if trust is None:
            check_own(engine, file, source)
        for number, row in _lines(file, source, run.rejected):
            try:
                if row.get("type") == "memory":
                    pending.append((number, incoming.memory(row)))
                elif row.get("type") == "revision":
                    memory_id, revision = incoming.revision(row)
                    run.revisions.setdefault(memory_id, []).append(revision)
                elif row.get("type") in ROWS:
                    run.graph.append((number, restated(scope.org, row)))
                elif row.get("type") in TALK_ROWS:
                    tells = True
            except REFUSED as error:
                run.rejected[number] = said(error)
            if len(pending) >= BATCH:
                run.store(pending)
                pending = []
        run.store(pending)
        run.complete()
        run.restate()
        if tells:  # a long log is not held in memory; it is read once all that its turns name is there
            file.seek(0)
            run.retell((number, row) for number, row in _lines(file, source, {}) if row.get("type") in TALK_ROWS)
    return Imported(run.created, run.known, run.skipped, run.rejected)


@dataclass(slots=True)
class _Import:
    """An import under way: its counts, and what is put beside the memories once they are all there."""

    engine: Engine
    scope: Scope
    skips: bool
    created: int = 0
    known: int = 0
    skipped: int = 0
    rejected: dict[int, str] = field(default_factory=dict)
    links: dict[str, tuple[Link, ...]] = field(default_factory=dict)
    revisions: dict[str, list[Revision]] = field(default_factory=dict)
    graph: list[tuple[int, Restated]] = field(default_factory=list)

    def store(self, rows: list[tuple[int, Memory]]) -> None:
        """Store checked memories; one whose id is here is known, or skipped when it says something else."""
        if not rows:
            return
        here, keys = _taken(self.engine, [memory for _, memory in rows])
        fresh: dict[str, Memory] = {}
        for number, memory in rows:
            other, key = here.get(memory.id) or fresh.get(memory.id), _key(memory)
            if other is not None and (other.scope, other.content) == (memory.scope, memory.content):
                self.known += 1
            elif other is not None:
                self._conflict(number, f"{memory.id} is taken by another memory")
            elif key is not None and key in keys:
                self._conflict(number, f"key {memory.key!r} is taken by another memory")
            else:
                fresh[memory.id] = memory
                keys |= {key} if key is not None else set()
        composed = [self._composed(memory) for memory in fresh.values()]
        for result in store(self.engine, composed, now=self.engine.clock.now(), operation="import"):
            if result.status != "noop":
                self.created += 1
                self.links[result.id] = fresh[result.id].links
            else:
                self.known += 1

    def _composed(self, memory: Memory) -> Composed:
        about = seen(memory, self.engine.packs, fact_given=memory.fact is not None)
        return Composed(memory, index(memory, situate=self.engine.settings.situate), UNREAD, seen=about)

    def _conflict(self, number: int, why: str) -> None:
        if self.skips:
            self.skipped += 1
        else:
            self.rejected[number] = why

    def complete(self) -> None:
        """Give the memories that are new here their links and their history; what was here is left as it was."""
        ids = [memory_id for memory_id, links in self.links.items() if links or memory_id in self.revisions]
        for start in range(0, len(ids), BATCH):
            self.engine.store.write(partial(self._put, ids[start : start + BATCH]), self.scope.org)

    def restate(self) -> None:
        """Put what the file says of the graph beyond what the texts say."""
        self.graph.sort(key=lambda each: ROWS.index(each[1].kind))
        for start in range(0, len(self.graph), BATCH):
            some = self.graph[start : start + BATCH]
            for number, outcome in self.engine.store.write(partial(self._restated, some), self.scope.org).items():
                self.created += outcome == NEW
                self.known += outcome == KNOWN
                if outcome == TAKEN:
                    self._conflict(number, "something else is stated in its place")
                elif outcome not in (NEW, KNOWN):
                    self.rejected[number] = outcome

    def retell(self, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Put what the file says of conversations."""
        for number, outcome in Retelling(self.engine, self.scope, self.rejected).put(rows):
            self.created += outcome == NEW
            self.known += outcome == KNOWN
            if outcome not in (NEW, KNOWN):
                self._conflict(number, outcome)

    def _restated(self, rows: list[tuple[int, Restated]], transaction: Transaction) -> dict[int, str]:
        """Put some rows; return what became of each, or why it was refused."""
        restating, outcomes = Restating(self.engine, transaction, self.scope), dict[int, str]()
        for number, row in rows:
            try:
                outcomes[number] = restating.put(row)
            except REFUSED as error:
                outcomes[number] = said(error)
        restating.finish()
        return outcomes

    def _put(self, ids: list[str], transaction: Transaction) -> None:
        targets = [link.memory_id for memory_id in ids for link in self.links[memory_id]]
        rows = _rows_of(transaction, within(self.scope), list(dict.fromkeys([*ids, *targets])))
        for memory_id in ids:
            num, user = rows[memory_id]
            ends = ((link.relation, rows.get(link.memory_id)) for link in self.links[memory_id])
            # Nobody's memory is linked with another's, whatever the file says: a link shows the id at its other end.
            edges = [Edge(num, relation, end[0]) for relation, end in ends if end is not None and end[1] == user]
            earlier = {(r.version, r.believed_until, r.change): r for r in self.revisions.get(memory_id, ())}
            transaction.put(*(edge for edge in edges if edge.relation in (*RELATIONS, SUPERSEDES, CORRECTS)))
            transaction.put(*(revision._replace(num=num) for revision in earlier.values()))


def _rows_of(transaction: Transaction, where: Filter, ids: list[str]) -> dict[str, tuple[int, str | None]]:
    """Return the row number and the user of each memory."""
    found: dict[str, tuple[int, str | None]] = {}
    for start in range(0, len(ids), BATCH):
        some = where.but(Test("id", "in", tuple(ids[start : start + BATCH])))
        found.update((r.memory.id, (r.num, r.memory.scope.user)) for r in transaction.find(Record, some))
    return found


def _lines(file: IO[str], source: Path, rejected: dict[int, str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    number, headed = 0, False
    try:
        for number, line in read_lines(file, source):
            if not line.strip():
                continue
            _check_rejected(rejected, source, number)
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                row, why = None, f"not JSON: {error}"
            else:
                why = "not an object"
            if not headed:
                _check_header(row, source)
                headed = True
            elif isinstance(row, dict):
                yield number, row
            else:
                rejected[number] = why
    except UnicodeDecodeError as error:
        raise ValueError(f"{source}, after line {number}: not UTF-8 text ({error.reason})") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{source}, after line {number}: not whole gzip data ({error})") from None
    if not headed:
        raise ValueError(f"{source} is empty: there is nothing to import")


def _check_rejected(rejected: Mapping[int, str], source: Path, number: int) -> None:
    if len(rejected) >= _MOST_REJECTED:
        first = min(rejected)
        told = f"{len(rejected):,} lines before it are rejected, line {first} because: {rejected[first]}"
        raise ValueError(f"{source}, line {number}: {told}")


def _check_header(row: object, source: Path) -> None:
    if not isinstance(row, dict) or row.get("format") != FORMAT:
        raise ValueError(f"{source} is not an export of Recollect: its first line is no header")
    if row.get("version") != VERSION:
        raise ValueError(f"{source} is export version {row.get('version')}, this one reads {VERSION}")


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
    with engine.store.read(org.org) as reader:
        here = {record.memory.id: record.memory for record in reader.find(Record, [Test("id", "in", ids)])}
        holders = reader.find(Record, org.but(Test("key", "in", named))) if named else []
    return here, {key for holder in holders if (key := _key(holder.memory)) is not None}
