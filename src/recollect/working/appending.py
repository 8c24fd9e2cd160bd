"""A message appended to a conversation: a turn of its log, and a memory where it is one, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from recollect.conversation.evicting import counted as tokens_in
from recollect.engine import Engine
from recollect.filters import Test
from recollect.models import Scope, Turn
from recollect.numeric import Floats
from recollect.protocols import Embedder, Record, Transaction
from recollect.security.audit import Trail, who
from recollect.text import digest, is_blank
from recollect.turnrows import ConversationRow, TurnRow, conversation_id
from recollect.working.idling import idle_job
from recollect.working.log import conversation, turn_of
from recollect.working.messages import Message
from recollect.write.commit import Commit, Item
from recollect.write.draft import Draft, draft
from recollect.write.duplicates import identity
from recollect.write.embedding import embed
from recollect.write.enrichment import index_text
from recollect.write.meeting import Composed
from recollect.write.pipeline import compose, rules_of


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
    turn, row = engine.store.write(appended.run, scope.org)
    engine.counters.count("created", scope, composed is not None and composed.memory.id == turn.id)
    engine.counters.queued += row.opened_at == appended.now  # somebody has to look after its end
    return turn_of(turn._replace(content=message.content)), row


def _composed(engine: Engine, scope: Scope, message: Message, echo: Echo | None) -> Composed | None:
    """Return the memory that a message is too, None for one of the system's and for one that says nothing."""
    if not engine.settings.remember_turns or message.role == "system" or is_blank(message.text):
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
        importance=0.0 if echo is not None or is_blank(message.content) else None,  # a call alone tells next to nothing
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
