"""Export of memories, graph, conversations and the audit trail as JSON lines, signed on request."""

from __future__ import annotations

import gzip
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, cast

from engrain.chat.logs import read_lines
from engrain.engine import Engine
from engrain.errors import ConfigError, StoreUnavailable
from engrain.graph.entity_store import among
from engrain.model.filters import Filter, Test, within
from engrain.model.memory import AuditEntry, Scope
from engrain.model.signatures import verified
from engrain.read.listing import iterate
from engrain.security.audit import NO_KEY, integrity
from engrain.storage.interface import Reader
from engrain.storage.queries import owners
from engrain.storage.rows import (
    ALL_AGENTS,
    MERGED,
    PROPOSED,
    STATED,
    TOLD,
    ConversationRow,
    Edge,
    EntityNote,
    EntityRow,
    MentionRow,
    MergeRow,
    Record,
    RelationRow,
    Revision,
    TurnRow,
)
from engrain.urls import file_of, new_file

FORMAT, VERSION = "engrain-export", 1
SIGNATURE, CONVERSATION, TURN = "signature", "conversation", "turn"
GRAPH_ROWS = ("entity", "mention", "relation", "alias", "merge")
"""The kinds of rows of the graph, in the order in which an import needs them."""
_AT_ONCE = 500
_BY_HAND = Test("origin", "in", (STATED, TOLD))
_Rows = Iterator[Mapping[str, Any]]


def export(engine: Engine, scope: Scope, path: str | os.PathLike[str]) -> int:
    """Write all that the view sees: memories, conversations, an extract of the audit trail; return the rows."""
    target = file_of(path)
    digest, count = sha256(), 0
    with new_file(target) as unfinished, opened(unfinished, target, "wt") as file:
        for row in _rows(engine, scope):
            line = json.dumps(row, ensure_ascii=False) + "\n"
            file.write(line)
            digest.update(line.encode())
            count += 1
        if signature := _signature(engine, scope, digest.hexdigest(), count):
            file.write(json.dumps(signature) + "\n")
    return count


def opened(path: Path, named: Path, mode: str) -> IO[str]:
    """Open a text file, compressed where its name says so."""
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
        raise ValueError(
            f"{source} is not signed by the key in force, or was changed since: import it with a trust class, "
            'such as trust="external_data"'
        )


def _rows(engine: Engine, scope: Scope) -> _Rows:
    now, where = engine.clock.now(), within(scope)
    yield {"type": "header", "format": FORMAT, "version": VERSION, "org": scope.org, "exported_at": now.isoformat()}
    done: set[str] = set()
    for memory in iterate(engine, where, order="recorded_at"):
        with engine.store.read(scope.org) as reader:
            found = reader.find(Record, where.but(Test("id", "eq", memory.id)))
            if found and memory.id not in done:
                done.add(memory.id)
                yield {"type": "memory", **found[0].memory.to_dict(), "links": _links(reader, where, found[0])}
                yield from _revisions(reader, found[0])
    with engine.store.read(scope.org) as reader:
        yield from _Graph(reader, where).rows()
    yield from _conversations(engine, where)
    if scope.user is scope.agent is None:
        with engine.store.read(scope.org) as reader:
            for entry in reader.find(AuditEntry, [Test("org", "eq", scope.org)], order="seq"):
                row = {"type": "audit"} | asdict(entry) | {"at": entry.at.isoformat()}
                # A reason may hold names: it stays beside the memory.
                yield {name: value for name, value in row.items() if name not in ("org", "reason")}


def _links(reader: Reader, where: Filter, record: Record) -> list[dict[str, str]]:
    """Return the links from a memory to what the view sees, each once, those to what it closes or closed included."""
    edges = reader.find(Edge, [Test("source", "eq", record.num)], order="target")
    nums = Test("num", "in", tuple({edge.target for edge in edges}))
    ids = {other.num: other.memory.id for other in reader.find(Record, where.but(nums))} if edges else {}
    return [{"relation": edge.relation, "memory_id": ids[edge.target]} for edge in edges if edge.target in ids]


def _revisions(reader: Reader, record: Record) -> _Rows:
    now = record.memory.to_dict()  # the view may not see all that it was linked to then
    relations = {name: now[name] for name in ("links", "supersedes", "causal_chain")}
    for row in reader.find(Revision, [Test("num", "eq", record.num)], order="seq"):
        yield {
            "type": "revision",
            "memory_id": record.memory.id,
            "version": row.version,
            "believed_from": row.believed_from.isoformat(),
            "believed_until": row.believed_until.isoformat(),
            "memory": json.loads(row.memory) | relations,
            "change": row.change,
        }


class _Graph:
    """The graph beyond what the texts of memories say, as a view sees it."""

    def __init__(self, reader: Reader, where: Filter) -> None:
        self.reader, self.where = reader, where
        self.scope = Filter(where.org, where.user)
        self.entities = {row.id: row for row in reader.find(EntityRow, self.scope, order="id")}
        self.owners = owners(reader, where)
        self.memories: dict[int, str | None] = {}  # of every row number met, the id if the view sees the memory

    def rows(self) -> _Rows:
        merges = self.reader.find(MergeRow, self.scope.but(Test("state", "ne", PROPOSED)), order="at")
        ids, reader = list(self.entities), self.reader
        for note in among(reader, EntityNote, "entity", ids, order="entity"):
            if self._shows(note.agent):
                row = self._row("entity", note.entity, note.agent or None, "entity")
                yield {**row, "metadata": json.loads(note.metadata)}
        mentions = among(reader, MentionRow, "entity", ids, _BY_HAND, order="num")
        self._look_up({row.num for row in mentions})
        for mention in mentions:
            if memory_id := self.memories[mention.num]:
                row = self._row("mention", mention.entity, None, "entity")
                yield {**row, "memory_id": memory_id, "origin": mention.origin, "pairs": mention.pairs}
        yield from self._relations(sorted(among(reader, RelationRow, "source", ids, _BY_HAND), key=lambda row: row.id))
        merged = {row.other for row in merges if row.state == MERGED}
        for entity in self.entities.values():
            if entity.above(self.where.agent) in self.entities and entity.id not in merged:
                row = self._row("alias", entity.merged_into or 0, entity.agent, "entity")
                yield {**row, "alias": self._name(entity.id)}
        yield from self._merges(merges)

    def _relations(self, relations: Sequence[RelationRow]) -> _Rows:
        self._look_up({row.num for row in relations if row.num is not None})
        for row in relations:
            if row.target in self.entities and self._shows(row.agent) and self._has_evidence(row.num):
                yield {
                    **self._row("relation", row.source, row.agent, "source"),
                    "relation": row.relation,
                    "target": self._name(row.target),
                    "memory_id": None if row.num is None else self.memories[row.num],
                    "origin": row.origin,
                    "weight": row.weight,
                    "valid_from": _iso(row.valid_from),
                    "valid_until": _iso(row.valid_until),
                    "recorded_at": _iso(row.recorded_at),
                    "believed_until": _iso(row.believed_until),
                }

    def _merges(self, merges: Sequence[MergeRow]) -> _Rows:
        self._look_up({merge.num for merge in merges if merge.num is not None})
        for merge in merges:
            inside = {merge.keep, merge.other} <= self.entities.keys()
            if inside and self._shows(merge.agent) and self._has_evidence(merge.num):
                yield {
                    **self._row("merge", merge.other, merge.agent, "other"),
                    "id": merge.id,
                    "keep": self._name(merge.keep),
                    "memory_id": None if merge.num is None else self.memories[merge.num],
                    "state": merge.state,
                    "reason": merge.reason,
                    "at": _iso(merge.at),
                }

    def _look_up(self, nums: set[int]) -> None:
        """Find which of some memories the view sees."""
        unknown = sorted(nums - self.memories.keys())
        self.memories.update(dict.fromkeys(unknown))
        for start in range(0, len(unknown), _AT_ONCE):
            some = self.where.but(Test("num", "in", tuple(unknown[start : start + _AT_ONCE])))
            self.memories.update((record.num, record.memory.id) for record in self.reader.find(Record, some))

    def _has_evidence(self, num: int | None) -> bool:
        return num is None or self.memories[num] is not None

    def _shows(self, agent: str | None) -> bool:
        return self.where.agent is None or agent in (None, ALL_AGENTS, self.where.agent)

    def _name(self, entity: int) -> list[str]:
        return [self.entities[entity].type, self.entities[entity].name]

    def _row(self, kind: str, entity: int, agent: str | None, end: str) -> Mapping[str, Any]:
        """Return what every row has: its kind, its user and agent, and the entity at one end."""
        user = self.owners[self.entities[entity].ns]
        return {"type": kind, "user": user, "agent": agent, end: self._name(entity)}


def _conversations(engine: Engine, where: Filter) -> _Rows:
    """Return the conversations that a view sees, each followed by its turns."""
    last = 0
    while True:
        with engine.store.read(where.org) as reader:
            found = reader.find(ConversationRow, where.but(Test("num", "gt", last)), order="num", limit=_AT_ONCE)
        for row in found:
            named = {"user": row.user, "agent": row.agent, "session": row.session}
            times = {name: _iso(getattr(row, name)) for name in ("opened_at", "touched_at", "ended_at")}
            yield {"type": CONVERSATION, **named, **times}
            for turn in _turns(engine, row):
                yield {"type": TURN, **named, **turn}
        if len(found) < _AT_ONCE:
            return
        last = found[-1].num


def _turns(engine: Engine, of: ConversationRow) -> _Rows:
    after, here = 0, Test("conversation", "eq", of.num)
    while True:
        with engine.store.read(of.org) as reader:
            found = reader.find(TurnRow, [here, Test("position", "ge", after)], order="position", limit=_AT_ONCE)
        for row in found:
            yield {
                "position": row.position,
                "id": row.id,
                "role": row.role,
                "actor": row.actor,
                "at": row.at.isoformat(),
                "metadata": row.metadata,
                "content": row.content or "",
                "memory_id": None if row.num is None else row.id,
            }
        if len(found) < _AT_ONCE:
            return
        after = found[-1].position + 1


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
