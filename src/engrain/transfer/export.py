"""Export of memories, graph and conversations as JSON lines, signed on request."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from engrain.chat.logs import read_lines
from engrain.engine import Engine
from engrain.errors import ConfigError
from engrain.graph.entity_store import among
from engrain.model.filters import Filter, Test
from engrain.model.memory import Scope
from engrain.model.signatures import verified
from engrain.security.audit import NO_KEY, integrity
from engrain.storage.interface import Reader, owners
from engrain.storage.rows import (
    ALL_AGENTS,
    MERGED,
    PROPOSED,
    STATED,
    TOLD,
    ConversationRow,
    EntityNote,
    EntityRow,
    MentionRow,
    MergeRow,
    Record,
    RelationRow,
    TurnRow,
)

SIGNATURE = "signature"


class Lines:
    """Writes the rows of an export, and in the end their signature."""

    def __init__(self, file: IO[str]) -> None:
        self._file, self._hash, self.rows = file, sha256(), 0

    def write(self, row: object) -> None:
        """Write a row."""
        line = json.dumps(row, ensure_ascii=False) + "\n"
        self._file.write(line)
        self._hash.update(line.encode())
        self.rows += 1

    def sign(self, engine: Engine, scope: Scope) -> None:
        """Write the signature, where there is a key and every memory of the view is as it was written."""
        if engine.signer is None:
            return
        report = integrity(engine, scope)
        if bad := len(report.tampered_ids) + len(report.missing_provenance_ids):
            warnings.warn(f"the export is not signed: {bad:,} memories are not as they were written", stacklevel=4)
            return
        hash_ = self._hash.hexdigest()
        signature = engine.signer.sign(_payload(hash_, self.rows))
        row = {"type": SIGNATURE, "rows": self.rows, "hash": hash_, "public_key": engine.signer.public_key}
        self._file.write(json.dumps({**row, "signature": signature}) + "\n")


def check_own(engine: Engine, file: IO[str], source: Path) -> None:
    """Raise unless the key in force signed every line of an export: `ConfigError` without a key, else `ValueError`."""
    if engine.signer is None:
        raise ConfigError(f'trust="file" holds for your own exports, and {NO_KEY}')
    hash_, rows, last = sha256(), 0, ""
    for _, line in read_lines(file, source):
        if last:
            hash_.update(last.encode())
            rows += 1
        last = line
    file.seek(0)
    if not _is_signed(last, hash_.hexdigest(), rows, (engine.signer.public_key,)):
        raise ValueError(
            f"{source} is not signed by the key in force, or was changed since: import it with a trust class, "
            'such as trust="external_data"'
        )


def _is_signed(last: str, hash_: str, rows: int, keys: Sequence[str]) -> bool:
    try:
        row: Any = json.loads(last or "null")
    except (ValueError, RecursionError):
        return False
    if not isinstance(row, dict) or row.get("type") != SIGNATURE or not isinstance(row.get("signature"), str):
        return False
    return any(verified(key, _payload(hash_, rows), row["signature"]) for key in keys)


def _payload(hash_: str, rows: int) -> bytes:
    return json.dumps({"export": [hash_, rows]}, separators=(",", ":")).encode()


ROWS = ("entity", "mention", "relation", "alias", "merge")
"""The kinds of rows, in the order in which an import needs them."""
_STATED_AT_ONCE = 500
_BY_HAND = Test("origin", "in", (STATED, TOLD))


def stated(reader: Reader, where: Filter) -> Iterator[Mapping[str, Any]]:
    """Return what the view that a filter is sees of the graph beyond what its memories' texts say, as rows."""
    walls = Filter(where.org, where.user)
    rows = {row.id: row for row in reader.find(EntityRow, walls, order="id")}
    merges = reader.find(MergeRow, walls.but(Test("state", "ne", PROPOSED)), order="at")
    yield from _Stated(reader, where, rows).all(merges)


class _Stated:
    """The rows of one export; `rows` are the entities inside its walls."""

    def __init__(self, reader: Reader, where: Filter, rows: Mapping[int, EntityRow]) -> None:
        self.reader, self.where, self.rows = reader, where, rows
        self.owners = owners(reader, where)
        self.memories: dict[int, str | None] = {}  # of every row number met, the id if the view sees the memory

    def all(self, merges: Sequence[MergeRow]) -> Iterator[Mapping[str, Any]]:
        ids = list(self.rows)
        for note in among(self.reader, EntityNote, "entity", ids, order="entity"):
            if self._mine(note.agent or None):
                yield self._row("entity", note.entity, note.agent or None, metadata=json.loads(note.metadata))
        yield from self._mentions(ids)
        yield from self._relations(ids)
        merged = {row.other for row in merges if row.state == MERGED}
        for row in self.rows.values():
            if row.above(self.where.agent) in self.rows and row.id not in merged:
                yield self._row("alias", row.merged_into or 0, row.agent, alias=_name(row))
        for merge in merges:
            yield from self._merge(merge)

    def _mentions(self, ids: Sequence[int]) -> Iterator[Mapping[str, Any]]:
        found = among(self.reader, MentionRow, "entity", ids, _BY_HAND, order="num")
        self._meet({row.num for row in found})
        for row in found:
            if memory_id := self.memories[row.num]:
                yield self._row("mention", row.entity, None, memory_id=memory_id, origin=row.origin, pairs=row.pairs)

    def _relations(self, ids: Sequence[int]) -> Iterator[Mapping[str, Any]]:
        found = among(self.reader, RelationRow, "source", ids, _BY_HAND)
        self._meet({row.num for row in found if row.num is not None})
        for row in sorted(found, key=lambda row: row.id):
            evidence = None if row.num is None else self.memories[row.num]
            if row.target in self.rows and self._mine(row.agent) and (row.num is None or evidence is not None):
                yield {
                    **self._place("relation", row.source, row.agent),
                    "source": _name(self.rows[row.source]),
                    "relation": row.relation,
                    "target": _name(self.rows[row.target]),
                    "memory_id": evidence,
                    "origin": row.origin,
                    "weight": row.weight,
                    "valid_from": _stated_time(row.valid_from),
                    "valid_until": _stated_time(row.valid_until),
                    "recorded_at": _stated_time(row.recorded_at),
                    "believed_until": _stated_time(row.believed_until),
                }

    def _merge(self, merge: MergeRow) -> Iterator[Mapping[str, Any]]:
        if merge.num is not None:
            self._meet({merge.num})
        evidence = None if merge.num is None else self.memories[merge.num]
        inside = {merge.keep, merge.other} <= self.rows.keys()
        if inside and self._mine(merge.agent) and (merge.num is None or evidence is not None):
            yield {
                **self._place("merge", merge.other, merge.agent),
                "id": merge.id,
                "keep": _name(self.rows[merge.keep]),
                "other": _name(self.rows[merge.other]),
                "memory_id": evidence,
                "state": merge.state,
                "reason": merge.reason,
                "at": _stated_time(merge.at),
            }

    def _meet(self, nums: set[int]) -> None:
        unknown = sorted(nums - self.memories.keys())
        self.memories.update(dict.fromkeys(unknown))
        for start in range(0, len(unknown), _STATED_AT_ONCE):
            some = self.where.but(Test("num", "in", tuple(unknown[start : start + _STATED_AT_ONCE])))
            self.memories.update((record.num, record.memory.id) for record in self.reader.find(Record, some))

    def _mine(self, agent: str | None) -> bool:
        return self.where.agent is None or agent in (None, ALL_AGENTS, self.where.agent)

    def _place(self, kind: str, entity: int, agent: str | None) -> dict[str, Any]:
        return {"type": kind, "user": self.owners[self.rows[entity].ns], "agent": agent}

    def _row(self, kind: str, entity: int, agent: str | None, **more: Any) -> Mapping[str, Any]:
        return {**self._place(kind, entity, agent), "entity": _name(self.rows[entity]), **more}


def _name(row: EntityRow) -> list[str]:
    return [row.type, row.name]


def _stated_time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


CONVERSATION, TURN = "conversation", "turn"
TALK_ROWS = (CONVERSATION, TURN)
"""The kinds of rows; a conversation's turns follow it."""
_TALKS_AT_ONCE = 500


def talks(engine: Engine, where: Filter) -> Iterator[Mapping[str, Any]]:
    """Return the conversations that the view that a filter is may see, and their turns, as rows."""
    last = 0
    while True:
        with engine.store.read(where.org) as reader:
            found = reader.find(ConversationRow, where.but(Test("num", "gt", last)), order="num", limit=_TALKS_AT_ONCE)
        for row in found:
            yield {
                **_place(CONVERSATION, row),
                "opened_at": row.opened_at.isoformat(),
                "touched_at": row.touched_at.isoformat(),
                "ended_at": _talks_time(row.ended_at),
            }
            yield from _turns(engine, row)
        if len(found) < _TALKS_AT_ONCE:
            return
        last = found[-1].num


def _turns(engine: Engine, held: ConversationRow) -> Iterator[Mapping[str, Any]]:
    after, of = 0, Test("conversation", "eq", held.num)
    while True:
        with engine.store.read(held.org) as reader:
            found = reader.find(TurnRow, [of, Test("position", "ge", after)], order="position", limit=_TALKS_AT_ONCE)
        for row in found:
            yield {
                **_place(TURN, held),
                "position": row.position,
                "id": row.id,
                "role": row.role,
                "actor": row.actor,
                "at": row.at.isoformat(),
                "metadata": row.metadata,
                "content": row.content or "",
                "memory_id": None if row.num is None else row.id,
            }
        if len(found) < _TALKS_AT_ONCE:
            return
        after = found[-1].position + 1


def _place(kind: str, held: ConversationRow) -> dict[str, Any]:
    return {"type": kind, "user": held.user, "agent": held.agent, "session": held.session}


def _talks_time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
