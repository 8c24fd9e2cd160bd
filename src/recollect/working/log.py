"""The log of a conversation: appended to, read in pages, never rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from recollect.chatlogs import role_named, spoken
from recollect.checks import When, checked_metadata
from recollect.config import WorkingSettings
from recollect.conversation.evicting import counted as tokens_in
from recollect.engine import Engine
from recollect.filters import Test
from recollect.models import Job, Scope, Status, Turn
from recollect.numeric import Floats
from recollect.protocols import Embedder, Reader, Record, Transaction
from recollect.read.listing import checked_limit
from recollect.read.places import cursor_at, place_of
from recollect.results import Page
from recollect.scopes import identifier, narrowed
from recollect.security.audit import Trail, who
from recollect.security.validator import suspicions
from recollect.text import check_content, check_text, digest
from recollect.timewords import parse_when
from recollect.turnrows import ConversationRow, TurnRow, conversation_id
from recollect.write.commit import Commit, Item
from recollect.write.draft import Draft, draft
from recollect.write.duplicates import identity
from recollect.write.embedding import embed
from recollect.write.enrichment import index_text
from recollect.write.meeting import Composed
from recollect.write.pipeline import compose, rules_of

_HIDDEN = (Status.FORGOTTEN, Status.QUARANTINED)
IDLE = "idle"
"""The kind of the job that ends a session without messages."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message that is to be appended, every value checked: `text` is what its memory will say, "" for none."""

    role: str
    content: str
    actor: str | None
    at: datetime
    dated: bool
    metadata: Mapping[str, Any]
    source_type: str
    text: str


def checked(
    engine: Engine, role: str, content: str | None, *, actor: str | None, at: When | None, metadata: Mapping[str, Any]
) -> Message:
    """Check the arguments of an append; raises `GovernanceViolation`, `TypeError` or `ValueError`.

    A message may say nothing, as one does that only calls tools.
    """
    usual, source_type = role_named(identifier(role, "role"))
    said = "" if content is None else check_text(content, what="content")
    if said.strip():
        check_content(said, max_bytes=engine.settings.max_content_bytes)
    kept = checked_metadata(metadata)
    name = kept.get("name") if actor is None else actor
    return Message(
        role=usual,
        content=said,
        actor=None if name is None else identifier(name, "actor"),
        at=engine.clock.now() if at is None else parse_when(at, name="at"),
        dated=at is not None,
        metadata=kept,
        source_type=source_type,
        text=told_of(usual, said, kept),
    )


def told_of(role: str, content: str, metadata: Mapping[str, Any]) -> str:
    """Return what a message tells: its content and the tools that it calls, "" for nothing."""
    words = {"role": role, "content": content, "tool_calls": metadata.get("tool_calls")}
    return "\n".join(part.text for part in spoken(words))


def in_session(scope: Scope, session: str | None) -> Scope:
    """Return the scope of a session; raises `ValueError` when neither the view nor the call names one."""
    inside = narrowed(scope, session=session)
    if inside.session is None:
        raise ValueError("a conversation belongs to a session: give session=..., or open the view with one")
    return inside


def conversation(reader: Reader, scope: Scope) -> ConversationRow | None:
    """Return the conversation of exactly this scope, None before its first message."""
    return next(iter(reader.find(ConversationRow, [Test("id", "eq", conversation_id(scope))])), None)


def turn_of(row: TurnRow) -> Turn:
    """Return a stored turn as a caller sees it."""
    return Turn(
        role=row.role,
        content=row.content or "",
        id=row.id,
        actor=row.actor,
        at=row.at,
        position=row.position,
        token_count=row.tokens,
        metadata=row.metadata,
    )


def is_silent(row: TurnRow, engine: Engine) -> bool:
    """Say whether no summary tells a turn: it is hidden, or is no memory, and looks like an attack on its reader."""
    if row.num is not None or row.role == "system" or engine.settings.injection == "allow":
        return row.status in _HIDDEN
    return bool(suspicions(row.content or ""))


def history(engine: Engine, scope: Scope, *, limit: int, cursor: str | None) -> Page[Turn]:
    """Return a page of every message ever appended, oldest first."""
    checked_limit(limit)
    after, _ = place_of(cursor)
    with engine.store.read() as reader:
        held = conversation(reader, scope)
        if held is None:
            return Page([])
        tests = [Test("conversation", "eq", held.num), Test("position", "ge", after)]
        rows = reader.find(TurnRow, tests, order="position", limit=limit + 1)
    more = len(rows) > limit
    return Page([turn_of(row) for row in rows[:limit]], cursor_at(rows[limit].position) if more else None)


# ----------------------------------------------------------------------------------------------------------- appending


@dataclass(frozen=True, slots=True)
class Echo:
    """A recalled memory that a message only repeats: it derives from that, and is worth nothing more."""

    memory_id: str


def append(
    engine: Engine, scope: Scope, message: Message, *, room: int, echo: Echo | None = None
) -> tuple[Turn, ConversationRow]:
    """Append a message to a session's log, and keep it as a memory where it is one, in one transaction.

    Returns its turn, and the conversation as it is then. A message with a time that the log holds already is the same
    message. `room` is the most tokens that one turn takes of the window.
    """
    counted = tokens_in(message.text or message.content, engine.tokenizer)
    composed = _composed(engine, scope, message, echo)
    vector = None if composed is None else _vector(engine, composed)
    appended = _Append(
        engine, scope, message, min(counted, room), composed, vector, engine.embedder, engine.clock.now()
    )
    turn, row = engine.store.write(appended.run)
    engine.counters.created += composed is not None and composed.memory.id == turn.id
    engine.counters.queued += row.opened_at == appended.now  # somebody has to look after its end
    return turn_of(turn._replace(content=message.content)), row


def _composed(engine: Engine, scope: Scope, message: Message, echo: Echo | None) -> Composed | None:
    """Return the memory that a message is too, None for one of the system's and for one that says nothing."""
    if not engine.settings.remember_turns or message.role == "system" or not message.text.strip():
        return None
    return compose(engine, _draft(engine, scope, message, echo), engine.clock.now())


def _draft(engine: Engine, scope: Scope, message: Message, echo: Echo | None) -> Draft:
    return draft(
        message.text,
        scope=scope,
        settings=engine.settings,
        kind="episodic",
        source_type=message.source_type,
        actor=message.actor or message.role,
        metadata=message.metadata,
        valid_from=message.at,
        importance=None if echo is None else 0.0,
        derived_from=() if echo is None else (echo.memory_id,),
    )


def _vector(engine: Engine, composed: Composed) -> Floats | None:
    return embed(engine.embedder, [index_text(composed.memory, situate=engine.settings.situate)])[0]


@dataclass(frozen=True, slots=True)
class _Append:
    """One append, ready to be carried out, more than once if a transaction has to be repeated."""

    engine: Engine
    scope: Scope
    message: Message
    tokens: int
    composed: Composed | None
    vector: Floats | None
    embedder: Embedder | None
    now: datetime

    def run(self, transaction: Transaction) -> tuple[TurnRow, ConversationRow]:
        """Do it."""
        namespace = transaction.namespace(self.scope.org, self.scope.user)
        held = conversation(transaction, self.scope)
        slot = None if self.composed is None else identity(self.composed.memory)
        if held is not None and self.message.dated:
            known = self._known(transaction, held)
            if known is not None:
                return known, held
        row = self._opened(transaction, held, namespace)
        position = max(row.next, self._after(transaction, namespace))
        turn = self._turn(transaction, row, position, namespace, slot)
        transaction.put(turn)
        after = row._replace(next=position + 1, touched_at=self.now, tokens=row.tokens + self.tokens)
        changes = {"next": after.next, "touched_at": after.touched_at, "tokens": after.tokens}
        transaction.update(ConversationRow, [Test("num", "eq", row.num)], **changes)
        if turn.num is None:
            trail = Trail(transaction, self.scope.org, actor=who(self.scope), at=self.now)
            trail.note("append", turn.id)
            trail.write()
        return turn, after

    def _known(self, transaction: Transaction, held: ConversationRow) -> TurnRow | None:
        """Return this very message where the log holds it: who said it, what and when, and which tools it is about."""
        at = [Test("conversation", "eq", held.num), Test("at", "eq", self.message.at)]
        return next((row for row in transaction.find(TurnRow, at) if _said(row) == _said(self.message)), None)

    def _opened(self, transaction: Transaction, held: ConversationRow | None, namespace: int) -> ConversationRow:
        """Return the conversation, begun or taken up again where it has ended."""
        if held is not None and held.ended_at is None:
            return held
        if held is None:
            name = conversation_id(self.scope)
            assert self.scope.session is not None
            new = ConversationRow(name, namespace, self.scope.agent, self.scope.session, self.now, self.now)
            transaction.put(new)
            held = conversation(transaction, self.scope)
            assert held is not None
        opened = held._replace(opened_at=self.now, ended_at=None)
        transaction.update(ConversationRow, [Test("num", "eq", held.num)], opened_at=self.now, ended_at=None)
        transaction.put(idle_job(self.engine, opened, self.now))
        return opened

    def _after(self, transaction: Transaction, namespace: int) -> int:
        """Return the position after all memories of the session, whoever wrote them."""
        tests = [Test("ns", "eq", namespace), Test("session", "eq", self.scope.session)]
        last = transaction.highest(Record, "position", tests)
        return 0 if last is None else last + 1

    def _turn(
        self, transaction: Transaction, row: ConversationRow, position: int, namespace: int, slot: str | None
    ) -> TurnRow:
        """Return the turn, its memory put already."""
        message = self.message
        content: str | None = message.content
        name, num = self.engine.new_id("trn"), None
        if self.composed is not None and slot is not None:
            memory = self._remembered(transaction, position, namespace, slot)
            name, num = memory.memory.id, memory.num
            content = None if memory.memory.content == message.content else message.content
        return TurnRow(
            conversation=row.num,
            position=position,
            id=name,
            role=message.role,
            actor=message.actor,
            at=message.at,
            tokens=self.tokens,
            live=True,
            num=num,
            content=content,
            metadata=dict(message.metadata),
        )

    def _remembered(self, transaction: Transaction, position: int, namespace: int, slot: str) -> Record:
        """Put the memory of the message; the same words at one moment of the clock are two of them."""
        assert self.composed is not None
        memory = replace(self.composed.memory, position=position)
        if transaction.find(Record, [Test("ns", "eq", namespace), Test("identity", "eq", slot)]):
            slot = digest("turn", memory.id)[:40]
        vector = self.vector if self.engine.embedder is self.embedder else None  # another has come into force meanwhile
        item = Item(replace(self.composed, memory=memory), slot, vector)
        (outcome,) = Commit(self.engine, transaction, self.now, "create", rules_of(self.engine)).run([item])
        return transaction.find(Record, [Test("id", "eq", outcome.id)])[0]


def _said(message: Message | TurnRow) -> tuple[object, ...]:
    calls = (message.metadata.get(name) for name in ("tool_call_id", "tool_calls"))
    return (message.role, message.content, message.actor, *calls)


def idle_job(engine: Engine, row: ConversationRow, touched: datetime) -> Job:
    """Return the job that ends a conversation once nothing was said for long enough."""
    return Job(f"job_{row.id}", IDLE, row.org or "", row.id, touched + idle_span(engine))


def idle_span(engine: Engine) -> timedelta:
    """Return after how long to look whether a session is idle; where none ever is, the settings may have changed."""
    minutes = idle_minutes(engine)
    return timedelta(days=1) if minutes is None else timedelta(minutes=minutes)


def idle_minutes(engine: Engine) -> float | None:
    """Return after how many minutes without a message a session is ended, None for never."""
    working = engine.settings.working
    return (working if isinstance(working, WorkingSettings) else WorkingSettings()).idle_minutes
