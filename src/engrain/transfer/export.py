"""Export of memories, graph, conversations, records and the audit trail as JSON lines, signed on request."""

from __future__ import annotations

import gzip
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from engrain import records
from engrain.arguments import Progress
from engrain.chat.logs import read_lines
from engrain.engine import Engine
from engrain.erasure.receipts import note_copy
from engrain.errors import ConfigError, StoreUnavailable
from engrain.guard import checkpoint
from engrain.model.filters import Filter, Test, within
from engrain.model.memory import AuditEntry, Scope
from engrain.model.signatures import verified
from engrain.read.listing import count as number_of
from engrain.read.listing import iterate
from engrain.read.request import point_in_time
from engrain.security.audit import NO_KEY, integrity
from engrain.storage import rows as tables
from engrain.storage.interface import Reader, among, owners
from engrain.storage.rows import MERGED, OWN, PROPOSED, STATED, TOLD, Edge, MentionRow, MergeRow, Record, TurnRow
from engrain.text import json_text
from engrain.urls import file_of, new_file
from engrain.write.ingest import checked_progress, report_progress

FORMAT, VERSION = "engrain-export", 1
SIGNATURE, CONVERSATION, TURN, RECORD = "signature", "conversation", "turn", "record"
GRAPH_ROWS = ("entity", "mention", "relation", "alias", "merge")
"""The kinds of rows of the graph, in the order in which an import needs them."""
_AT_ONCE = 500
_BY_HAND = Test("origin", "in", (STATED, TOLD))
_RELATION = ("relation", "origin", "weight", "valid_from", "valid_until", "recorded_at", "believed_until")
_MERGE = ("id", "state", "reason", "at")
_TURN = ("position", "id", "role", "actor", "at", "metadata")
_REVISION = ("version", "believed_from", "believed_until", "change")
_Rows = Iterator[Mapping[str, Any]]
R = TypeVar("R")


def export(engine: Engine, scope: Scope, path: str | os.PathLike[str], *, progress: Progress | None = None) -> int:
    """Write all visible data: memories, conversations, an extract of the audit trail; return the rows."""
    target = file_of(path)
    digest, count, done, listener = sha256(), 0, 0, checked_progress(progress)
    total = number_of(engine, within(scope))
    with new_file(target) as unfinished, opened(unfinished, target, "wt") as file:
        for row in _rows(engine, scope):
            checkpoint()
            text = json_text(row) if row["type"] in (RECORD, TURN) else json.dumps(row, ensure_ascii=False)
            line = text + "\n"
            file.write(line)
            digest.update(line.encode())
            count += 1
            done += row["type"] == "memory"
            if count % _AT_ONCE == 0:
                report_progress(listener, done, max(total, done), f"{count:,} rows")
        if signature := _signature(engine, scope, digest.hexdigest(), count):
            file.write(json.dumps(signature) + "\n")
    note_copy(engine, scope, "export", target)
    return count


def opened(path: Path, named: Path, mode: str) -> IO[str]:
    """Open a text file, compressed when it is named `.gz`."""
    if not path.parent.is_dir():
        raise StoreUnavailable(f"the folder {path.parent} does not exist: create it first", path=str(path))
    encoding = "utf-8-sig" if mode == "rt" else "utf-8"
    if named.suffix == ".gz":
        return cast(IO[str], gzip.open(path, mode, encoding=encoding))
    return cast(IO[str], path.open(mode, encoding=encoding))


def _signature(engine: Engine, scope: Scope, digest: str, rows: int) -> dict[str, Any] | None:
    """Return the last row, where there is a key and every memory of the view is as it was written."""
    if engine.signer is None:
        return None
    report = integrity(engine, scope)
    if bad := len(report.tampered_ids) + len(report.missing_provenance_ids):
        warnings.warn(f"the export is not signed: {bad:,} memories are not as they were written", stacklevel=4)
        return None
    row = {"type": SIGNATURE, "rows": rows, "hash": digest, "public_key": engine.signer.public_key}
    return {**row, "signature": engine.signer.sign(_payload(digest, rows))}


def _payload(digest: str, rows: int) -> bytes:
    return json.dumps({"export": [digest, rows]}, separators=(",", ":")).encode()


def check_own(engine: Engine, file: IO[str], source: Path) -> None:
    """Raise unless the key in force signed every line of an export: `ConfigError` without a key, else `ValueError`."""
    if engine.signer is None:
        raise ConfigError(f'trust="file" holds for your own exports, and {NO_KEY}')
    digest, rows, last = sha256(), 0, ""
    for _, line in read_lines(file, source):
        if last:
            digest.update(last.encode())
            rows += 1
        last = line
    file.seek(0)
    try:
        row: Any = json.loads(last or "null")
    except (ValueError, RecursionError):
        row = None
    signature = row.get("signature") if isinstance(row, dict) and row.get("type") == SIGNATURE else None
    signed = _payload(digest.hexdigest(), rows)
    if not isinstance(signature, str) or not verified(engine.signer.public_key, signed, signature):
        advice = 'import it with a trust class, such as trust="external_data"'
        raise ValueError(f"{source} is not signed by the key in force, or was changed since: {advice}")


def _rows(engine: Engine, scope: Scope) -> _Rows:
    now, where = engine.clock.now(), within(scope)
    yield {"type": "header", "format": FORMAT, "version": VERSION, "org": scope.org, "exported_at": now.isoformat()}
    done: set[str] = set()
    for memory in iterate(engine, where, point_in_time(engine), order="recorded_at"):
        with engine.store.read(scope.org) as reader:
            found = reader.find(Record, where.but(Test("id", "eq", memory.id)))
            if found and memory.id not in done:
                done.add(memory.id)
                seen = replace(found[0].memory, read_at=now)
                yield {"type": "memory", **seen.to_dict(), "links": _links(reader, where, found[0])}
                yield from _revisions(reader, found[0])
    with engine.store.read(scope.org) as reader:
        yield from _Graph(reader, where).rows()
    yield from _conversations(engine, where)
    with engine.store.read(scope.org) as reader:
        yield from records.exported(reader, where)
    if scope.user is scope.agent is None:
        with engine.store.read(scope.org) as reader:
            for entry in reader.find(AuditEntry, [Test("org", "eq", scope.org)], order="user"):
                row = {"type": "audit"} | asdict(entry) | {"at": entry.at.isoformat()}
                # A reason may hold names: it stays beside the memory.
                yield {name: value for name, value in row.items() if name not in ("org", "reason")}


def _links(reader: Reader, where: Filter, record: Record) -> list[dict[str, str]]:
    """Return the links from a memory to visible ones, each once, including its predecessors and successors."""
    edges = reader.find(Edge, [Test("source", "eq", record.num)], order="target")
    nums = Test("num", "in", tuple({edge.target for edge in edges}))
    ids = {other.num: other.memory.id for other in reader.find(Record, where.but(nums))} if edges else {}
    return [{"relation": edge.relation, "memory_id": ids[edge.target]} for edge in edges if edge.target in ids]


def _revisions(reader: Reader, record: Record) -> _Rows:
    now = record.memory.to_row()  # the view may not see all that it was linked to then
    relations = {name: now[name] for name in ("links", "supersedes", "causal_chain")}
    for row in reader.find(tables.Revision, [Test("num", "eq", record.num)], order="seq"):
        before = json.loads(row.memory) | relations
        yield {"type": "revision", "memory_id": record.memory.id, **_plain(row, _REVISION), "memory": before}


class _Graph:
    """The graph beyond the statements in the texts of memories, as a view sees it."""

    def __init__(self, reader: Reader, where: Filter) -> None:
        self.reader, self.where = reader, where
        self.scope = Filter(where.org, where.user)
        self.entities = {row.id: row for row in reader.find(tables.EntityRow, self.scope, order="id")}
        self.owners = owners(reader, where)
        self.memories: dict[int, str] = {}  # the ids of the memories that the view sees, by row number

    def rows(self) -> _Rows:
        reader, ids = self.reader, list(self.entities)
        mentions = among(reader, MentionRow, "entity", ids, _BY_HAND, order="num")
        relations = sorted(among(reader, tables.RelationRow, "source", ids, _BY_HAND), key=lambda row: row.id)
        merges = reader.find(MergeRow, self.scope.but(Test("state", "nin", (PROPOSED, OWN))), order="at")
        own = reader.find(MergeRow, self.scope.but(Test("state", "eq", OWN)), order="at")
        stated: list[MentionRow | tables.RelationRow | MergeRow] = [*mentions, *relations, *merges]
        nums = Test("num", "in", tuple({row.num for row in stated if row.num is not None}))
        self.memories = {record.num: record.memory.id for record in reader.find(Record, self.where.but(nums))}
        for note in among(reader, tables.EntityNote, "entity", ids, order="entity"):
            metadata = json.loads(note.metadata)
            yield from self._row("entity", note.agent or None, {"entity": note.entity}, {"metadata": metadata})
        for mention in mentions:
            yield from self._stated("mention", None, {"entity": mention.entity}, mention, ("origin", "pairs"))
        for row in relations:
            yield from self._stated("relation", row.agent, {"source": row.source, "target": row.target}, row, _RELATION)
        merged = {(merge.other, merge.agent) for merge in merges if merge.state == MERGED}
        names = [(e.id, e.agent, top) for e in self.entities.values() if (top := e.above(self.where.agent)) is not None]
        for other, agent, top in (*names, *((row.other, row.agent, row.keep) for row in own)):
            if (other, agent) not in merged:
                yield from self._row("alias", agent, {"entity": top, "alias": other}, {})
        for merge in merges:
            yield from self._stated("merge", merge.agent, {"other": merge.other, "keep": merge.keep}, merge, _MERGE)

    def _stated(
        self,
        kind: str,
        agent: str | None,
        ends: Mapping[str, int],
        row: MentionRow | tables.RelationRow | MergeRow,
        names: Sequence[str],
    ) -> _Rows:
        """Yield the row of a statement, unless it has evidence that the view does not see."""
        memory_id = None if row.num is None else self.memories.get(row.num)
        if row.num is None or memory_id is not None:
            yield from self._row(kind, agent, ends, {"memory_id": memory_id, **_plain(row, names)})

    def _row(self, kind: str, agent: str | None, ends: Mapping[str, int], more: Mapping[str, Any]) -> _Rows:
        """Yield a row with the entities at its ends, unless the view does not see them or its agent."""
        if {*ends.values()} <= self.entities.keys() and (self.where.agent is None or agent in (None, self.where.agent)):
            entities = {name: self.entities[end] for name, end in ends.items()}
            named = {name: [entity.type, entity.name] for name, entity in entities.items()}
            user = self.owners[next(iter(entities.values())).ns]
            yield {"type": kind, "user": user, "agent": agent, **named, **more}


def _conversations(engine: Engine, where: Filter) -> _Rows:
    """Yield the conversations that a view sees, each followed by its turns."""
    for row in _pages(engine, tables.ConversationRow, where, "num"):
        named = _plain(row, ("user", "agent", "session"))
        yield {"type": CONVERSATION, **named, **_plain(row, ("opened_at", "touched_at", "ended_at"))}
        for turn in _pages(engine, TurnRow, Filter(where.org).but(Test("conversation", "eq", row.num)), "position"):
            text = {"content": turn.content or "", "memory_id": None if turn.num is None else turn.id}
            text |= {} if turn.data is None else {"data": json.loads(turn.data)}
            yield {"type": TURN, **named, **_plain(turn, _TURN), **text}


def _pages(engine: Engine, kind: type[R], where: Filter, column: str) -> Iterator[R]:
    """Yield rows in the order of a column, some hundred in a read."""
    last = -1
    while True:
        with engine.store.read(where.org) as reader:
            found = reader.find(kind, where.but(Test(column, "gt", last)), order=column, limit=_AT_ONCE)
        yield from found
        if len(found) < _AT_ONCE:
            return
        last = getattr(found[-1], column)


def _plain(row: object, names: Sequence[str]) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in names}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}
