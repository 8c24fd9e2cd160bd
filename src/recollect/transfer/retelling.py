"""The conversations of an export, read back as history: each row checked like an append, nothing put into a window.

A file must not be able to say what a model is shown next. What it tells stands before everything that a session may
still show or sum up: a conversation that is new here has ended, and one that is open here takes nothing at its end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from recollect.engine import Engine
from recollect.filters import Filter, Test
from recollect.models import Scope
from recollect.protocols import Record, Revision, Transaction
from recollect.scopes import identifier, scope_of
from recollect.security.audit import Trail, who
from recollect.security.trust import classify
from recollect.text import is_blank
from recollect.transfer.restating import KNOWN, NEW
from recollect.transfer.rows import REFUSED, count_of, said, utc
from recollect.transfer.talks import TURN
from recollect.turnrows import ConversationRow, TurnRow, conversation_id
from recollect.working.log import conversation
from recollect.working.messages import Message, checked, in_session
from recollect.working.settling import rules_of
from recollect.write.draft import screened

_AT_ONCE = 500
_LONGEST_ID = 64
TAKEN = "another message has its position"
OPEN = "the conversation is open here and goes on: end its session first"
"""Why a turn finds no place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retold:
    """A row, checked: of a conversation, or of a turn, which has a `message`."""

    scope: Scope
    opened_at: datetime
    touched_at: datetime
    ended_at: datetime | None = None
    message: Message | None = None
    position: int = 0
    tokens: int = 0
    id: str = ""
    memory_id: str | None = None


class Retelling:
    """Conversations put into a store, some hundred rows in a transaction; `rejected` maps bad lines to the reason."""

    def __init__(self, engine: Engine, scope: Scope, rejected: dict[int, str]) -> None:
        self._engine, self._scope, self._rejected = engine, scope, rejected
        self._room = rules_of(engine).room
        self._noted: set[str] = set()  # the conversations that the audit trail tells of

    def put(self, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> Iterator[tuple[int, str]]:
        """Put rows; yield for each line what became of it: `NEW`, `KNOWN`, or why it found no place."""
        pending: list[tuple[int, Retold]] = []
        for number, row in rows:
            try:
                pending.append((number, self._read(row)))
            except REFUSED as error:
                self._rejected[number] = said(error)
            if len(pending) >= _AT_ONCE:
                yield from self._stored(pending)
                pending = []
        yield from self._stored(pending)

    def _read(self, row: Mapping[str, Any]) -> Retold:
        scope = in_session(scope_of(self._scope.org, row["user"], row["agent"], row["session"]), None)
        if row["type"] == TURN:
            return self._turn(scope, row)
        opened, touched = _time(row["opened_at"], "opened_at"), _time(row["touched_at"], "touched_at")
        ended = None if row["ended_at"] is None else _time(row["ended_at"], "ended_at")
        return Retold(scope=scope, opened_at=opened, touched_at=touched, ended_at=ended)

    def _turn(self, scope: Scope, row: Mapping[str, Any]) -> Retold:
        engine, at, memory_id = self._engine, _time(row["at"], "at"), row["memory_id"]
        given = {"actor": row["actor"], "at": at, "metadata": row["metadata"]}
        message = checked(engine, row["role"], row["content"], **given)
        if engine.settings.remember_turns and message.role != "system":
            screened(message.text, engine.settings, classify(message.source_type, engine.settings.origins)[0])
        counted = max(int(engine.tokenizer.count_tokens(message.text or message.content)), 0)
        return Retold(
            scope=scope,
            opened_at=at,
            touched_at=at,
            message=message,
            position=count_of(row["position"], "position"),
            tokens=min(counted, self._room),
            id=identifier(row["id"], "id"),
            memory_id=None if memory_id is None else identifier(memory_id, "memory_id"),
        )

    def _stored(self, rows: Sequence[tuple[int, Retold]]) -> Iterator[tuple[int, str]]:
        if rows:
            outcomes, noted = self._engine.store.write(partial(self._put, rows), self._scope.org)
            self._noted.update(noted)
            yield from outcomes.items()

    def _put(
        self, rows: Sequence[tuple[int, Retold]], transaction: Transaction
    ) -> tuple[Mapping[int, str], Sequence[str]]:
        """Put some rows; return what became of each, and the conversations that were noted."""
        grouped: dict[Scope, list[tuple[int, Retold]]] = {}
        for number, row in rows:
            grouped.setdefault(row.scope, []).append((number, row))
        memories = _Memories(transaction, self._scope.org, [row for _, row in rows])
        trail = Trail(transaction, self._scope.org, actor=who(self._scope), at=self._engine.clock.now())
        outcomes: dict[int, str] = {}
        noted: list[str] = []
        for scope, some in grouped.items():
            talk = _Talk(self._engine, transaction, scope, memories, [row.position for _, row in some])
            outcomes.update((number, talk.put(row, trail.at)) for number, row in some)
            if talk.finish() and (name := conversation_id(scope)) not in self._noted:
                trail.note("import", name)
                noted.append(name)
        trail.write()
        return outcomes, noted


class _Talk:
    """One conversation that rows are put into, inside a transaction."""

    def __init__(
        self, engine: Engine, transaction: Transaction, scope: Scope, memories: _Memories, positions: Sequence[int]
    ) -> None:
        self._engine, self._transaction, self._scope, self._memories = engine, transaction, scope, memories
        self._held = conversation(transaction, scope)
        self._begun = False
        self._turns: list[TurnRow] = []
        self._told: dict[int, tuple[str, str | None]] = {}
        if self._held is not None:
            here = [Test("conversation", "eq", self._held.num), Test("position", "in", tuple(set(positions)))]
            found = transaction.find(TurnRow, here, order="position")
            self._told = {row.position: (row.role, row.content) for row in found}

    def put(self, row: Retold, now: datetime) -> str:
        """Put a row and return what became of it."""
        known = self._held is not None
        held = self._held or self._begin(row, now)
        if row.message is None:
            return KNOWN if known else NEW
        here = self._told.get(row.position)
        if here is not None:
            return KNOWN if here == (row.message.role, row.message.content) else TAKEN
        if held.ended_at is None and row.position >= held.since:
            return OPEN
        self._turns.append(self._turn(held, row, row.message))
        self._told[row.position] = (row.message.role, row.message.content)
        return NEW

    def finish(self) -> bool:
        """Write the turns, all of them before what the session's window and end are about; say if anything is new."""
        held = self._held
        if held is not None and self._turns:
            self._transaction.put(*self._turns)
            after = max(held.next, *(turn.position + 1 for turn in self._turns))
            if held.ended_at is not None:
                self._transaction.update(ConversationRow, [Test("num", "eq", held.num)], next=after, since=after)
        return self._begun or bool(self._turns)

    def _begin(self, row: Retold, now: datetime) -> ConversationRow:
        """Put a conversation that has ended."""
        namespace = self._transaction.namespace(self._scope.org, self._scope.user)
        name, session = conversation_id(self._scope), self._scope.session or ""
        times = row.opened_at, row.touched_at, row.ended_at or now
        self._transaction.put(ConversationRow(name, namespace, self._scope.agent, session, *times))
        self._held, self._begun = conversation(self._transaction, self._scope), True
        assert self._held is not None
        return self._held

    def _turn(self, held: ConversationRow, row: Retold, message: Message) -> TurnRow:
        record = self._memories.of(row, message)
        own = record is None or record.memory.content != message.content
        return TurnRow(
            conversation=held.num,
            position=row.position,
            id=record.memory.id if record is not None else self._named(row.id),
            role=message.role,
            actor=message.actor,
            at=message.at,
            tokens=row.tokens,
            live=False,
            num=None if record is None else record.num,
            content=message.content if own else None,
            metadata=dict(message.metadata),
        )

    def _named(self, name: str) -> str:
        """Return the id of a turn that is no memory: its own, if it is one."""
        mine = name.startswith("trn_") and name[4:].isalnum() and len(name) <= _LONGEST_ID
        return name if mine else self._engine.new_id("trn")


class _Memories:
    """The memories that turns name, and what each of them says and has said."""

    def __init__(self, transaction: Transaction, org: str, rows: Sequence[Retold]) -> None:
        self._transaction = transaction
        ids = tuple({row.memory_id for row in rows if row.memory_id is not None})
        found = transaction.find(Record, Filter(org).but(Test("id", "in", ids))) if ids else []
        self._records = {record.memory.id: record for record in found}

    def of(self, row: Retold, message: Message) -> Record | None:
        """Return the memory that a turn is too: one of the same conversation that says, or said, exactly this."""
        record = self._records.get(row.memory_id or "")
        if record is None or record.memory.scope != row.scope or is_blank(message.text):
            return None
        return record if record.memory.content == message.text or self._said(record, message.text) else None

    def _said(self, record: Record, text: str) -> bool:
        earlier = self._transaction.find(Revision, [Test("num", "eq", record.num)], order="seq")
        return any(json.loads(revision.memory)["content"] == text for revision in earlier)


def _time(value: Any, name: str) -> datetime:
    return utc(datetime.fromisoformat(value), name)
