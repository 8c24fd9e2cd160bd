"""The durable window of a session: read, shortened after an append, emptied; and the log behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from engrain.chat.logs import role_named, spoken
from engrain.config import WorkingSettings
from engrain.conversation.compaction import TierCompactor
from engrain.conversation.tiers import Tiers
from engrain.conversation.window_state import Rules, Settled, Window, retold, settled, shown
from engrain.conversation.windows import counted as tokens_in
from engrain.engine import Engine
from engrain.errors import ScopeMissing
from engrain.guard import tell
from engrain.language.locales import union
from engrain.language.polarity import is_negative
from engrain.language.sentences import sentences
from engrain.language.timestamps import parse_when
from engrain.language.tokens import content_pairs, stem
from engrain.llm.asker import asker
from engrain.model.filters import Test, live
from engrain.model.memory import IDLE, Job, Kind, Scope, Status, Turn
from engrain.model.results import Page
from engrain.model.scope import identifier, narrowed
from engrain.policies.eviction import FIFOEviction, ImportanceEviction, PairedEviction
from engrain.protocols import Embedder, EvictionPolicy
from engrain.read.access import AccessLog
from engrain.read.entities import cursor_at, place_of
from engrain.read.listing import checked_limit
from engrain.read.request import idle_minutes, select
from engrain.security.admission import Look, has_to_wait, is_open
from engrain.security.audit import Trail, who
from engrain.security.injection.detector import suspicions
from engrain.security.trust import classify
from engrain.storage.interface import Reader, Transaction
from engrain.storage.queries import highest, holders
from engrain.storage.rows import ConversationRow, Record, SummaryRow, TurnRow, conversation_id
from engrain.text import check_content, check_text, digest, is_blank
from engrain.validation import When, checked_metadata
from engrain.write.pipeline import Writer
from engrain.write.prepare import Draft, Prepared, draft, embedded, prepare, rate

_HIDDEN = (Status.FORGOTTEN, Status.QUARANTINED)


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
    """Say whether no summary tells a turn: it is hidden, or is no memory, and would wait for a verdict as one."""
    if row.num is not None or row.role == "system":
        return row.status in _HIDDEN
    said = row.content or ""
    said_by, _ = classify(role_named(row.role)[1], engine.settings.origins)
    attacks = engine.settings.injection != "allow" and suspicions(said, said_by)
    return bool(attacks) or has_to_wait(said, engine.settings)


def history(engine: Engine, scope: Scope, *, limit: int, cursor: str | None) -> Page[Turn]:
    """Return a page of every message ever appended, oldest first."""
    checked_limit(limit)
    after, _ = place_of(cursor)
    with engine.store.read(scope.org) as reader:
        held = conversation(reader, scope)
        if held is None:
            return Page([])
        tests = [Test("conversation", "eq", held.num), Test("position", "ge", after)]
        rows = reader.find(TurnRow, tests, order="position", limit=limit + 1)
    more = len(rows) > limit
    return Page([turn_of(row) for row in rows[:limit]], cursor_at(rows[limit].position) if more else None)


def in_session(scope: Scope, session: str | None) -> Scope:
    """Return the scope of a session; raises `ScopeMissing` when neither the view nor the call names one."""
    inside = narrowed(scope, session=session)
    if inside.session is None:
        raise ScopeMissing("a conversation belongs to a session: name it: session=..., --session, or bind the view")
    return inside


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
    if not is_blank(said):
        check_content(said, max_bytes=engine.settings.max_content_bytes)
    said, kept = _screened(engine, said, checked_metadata(metadata))
    calls = kept.get("tool_calls") or []
    if not isinstance(calls, list) or not all(isinstance(call, Mapping) for call in calls):
        raise TypeError("tool_calls must be a list of calls as chat APIs have them, each a mapping with its function")
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


def _screened(engine: Engine, said: str, metadata: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return words and metadata as the policies for secrets and personal data let the log keep them."""
    if is_open(engine.settings):
        return said, metadata
    look = Look.under(engine.settings)
    kept = look.text(said), look.value(metadata)
    look.settle()
    return kept


def told_of(role: str, content: str, metadata: Mapping[str, Any]) -> str:
    """Return what a message tells: its content and the tools that it calls, "" for nothing."""
    words = {"role": role, "content": content, "tool_calls": metadata.get("tool_calls")}
    return "\n".join(part.text for part in spoken(words))


def idle_job(engine: Engine, row: ConversationRow, touched: datetime) -> Job:
    """Return the job that ends a conversation once nothing was said for long enough."""
    return Job(f"job_{row.id}", IDLE, row.org or "", row.id, touched + idle_span(engine))


def idle_span(engine: Engine) -> timedelta:
    """Return after how long to look whether a session is idle; where none ever is, the settings may have changed."""
    minutes = idle_minutes(engine)
    return timedelta(days=1) if minutes is None else timedelta(minutes=minutes)


_TRIES = 3  # others append meanwhile; the next append tries again


def rules_of(engine: Engine, scope: Scope | None = None) -> Rules:
    """Return the rules of the settings in force; without a scope, on whose account it is asked, no model is."""
    working = engine.settings.working
    settings = working if isinstance(working, WorkingSettings) else WorkingSettings()
    compactor = TierCompactor(None if scope is None else asker(engine, scope, "summary"), engine.tokenizer)
    return Rules.of(settings, engine.tokenizer, compactor, _policy(engine, settings.eviction))


def _policy(engine: Engine, name: str) -> EvictionPolicy:
    if name == "paired":
        return PairedEviction()
    if name == "importance":
        return ImportanceEviction(lambda turn: rate(turn.content, content_pairs(turn.content), engine.settings))
    return FIFOEviction()


@dataclass(frozen=True, slots=True)
class _Found:
    """A conversation as it was read: the turns in its window, and those that left it where they must be told anew."""

    held: ConversationRow
    live: Sequence[TurnRow]
    left: Sequence[TurnRow]

    def window(self, engine: Engine, rules: Rules) -> Window:
        """Return its window; what is forgotten is neither in it nor told."""
        shown_rows = [row for row in self.live if row.status is not Status.FORGOTTEN]
        silent = frozenset(row.position for row in shown_rows if is_silent(row, engine))
        if self.held.is_stale:
            told = retold(Tiers(), [turn_of(row) for row in self.left if not is_silent(row, engine)], rules)
        else:
            told = Tiers.of_json(self.held.state).under(rules.tiers, rules.tokenizer, max_facts=rules.facts)
        return Window(tuple(shown(turn_of(row), rules) for row in shown_rows), told, silent)


def _found(engine: Engine, scope: Scope) -> _Found | None:
    with engine.store.read(scope.org) as reader:
        held = conversation(reader, scope)
        if held is None:
            return None
        of = Test("conversation", "eq", held.num)
        live = reader.find(TurnRow, [of, Test("live", "eq", True)], order="position")
        gone = [of, Test("live", "eq", False), Test("position", "ge", held.since)]
        left = reader.find(TurnRow, gone, order="position") if held.is_stale else []
    return _Found(held, live, left)


def window_of(engine: Engine, scope: Scope) -> Window:
    """Return what stands in a session's window now; what is too much for it is left out, even before it is settled."""
    rules, found = rules_of(engine), _found(engine, scope)
    window = Window() if found is None else found.window(engine, rules)
    outcome = settled(window, rules) if window.token_count > rules.settings.max_tokens else None
    return window if outcome is None else outcome.window


def _fits(held: ConversationRow, rules: Rules) -> bool:
    """Say whether nothing has to leave a window, judged by what its row counts."""
    if held.tokens > rules.room:
        return False
    most = sum(tier.max_tokens for tier in rules.tiers[1:])
    return (
        held.tokens + most < rules.threshold or held.tokens + Tiers.of_json(held.state).total_tokens < rules.threshold
    )


def compact(engine: Engine, scope: Scope, held: ConversationRow, rules: Rules) -> None:
    """Let what no longer fits leave the window and be told instead; called when no transaction is held."""
    if not held.is_stale and _fits(held, rules):
        return
    for _ in range(_TRIES):
        found = _found(engine, scope)
        if found is None:
            return
        window = found.window(engine, rules)
        outcome = settled(window, rules)
        if outcome is None and found.held.is_stale:
            outcome = Settled(window, (), None)
        if outcome is None:
            return
        if engine.store.write(_carried_out(engine, scope, found.held, outcome), scope.org):
            _told(engine, outcome)
            return


def _carried_out(
    engine: Engine, scope: Scope, before: ConversationRow, outcome: Settled
) -> Callable[[Transaction], bool]:
    """Return the transaction that makes a window what it was settled to be, unless somebody else was first."""
    gone = tuple(turn.position for turn in outcome.gone)
    tokens = sum(turn.token_count for turn in outcome.gone)

    def change(transaction: Transaction) -> bool:
        held = conversation(transaction, scope)
        if held is None or held.version != before.version:
            return False
        of = Test("conversation", "eq", held.num)
        transaction.update(TurnRow, [of, Test("position", "in", gone)], live=False)
        transaction.update(
            ConversationRow,
            [Test("num", "eq", held.num)],
            tokens=max(held.tokens - tokens, 0),
            version=held.version + 1,
        )
        transaction.put(SummaryRow(held.num, outcome.window.told.as_json()))
        _noted(engine, transaction, scope, "compact", held.id)
        return True

    return change


def _told(engine: Engine, outcome: Settled) -> None:
    gone, summary = list(outcome.gone), outcome.window.summary
    if not gone:
        return
    tell(engine.callbacks, "on_eviction", gone, outcome.window.token_count)
    if summary is not None:
        tell(engine.callbacks, "on_compaction", gone, summary, outcome.previous)


def clear(engine: Engine, scope: Scope) -> None:
    """Empty a session's window and what is told in it; its history and every memory stay."""

    def change(transaction: Transaction) -> None:
        held = conversation(transaction, scope)
        if held is not None:
            emptied(transaction, held)
            _noted(engine, transaction, scope, "clear", held.id)

    engine.store.write(change, scope.org)


def emptied(transaction: Transaction, held: ConversationRow, **columns: object) -> None:
    """Take every turn out of a window, inside a transaction."""
    live = [Test("conversation", "eq", held.num), Test("live", "eq", True)]
    transaction.update(TurnRow, live, live=False)
    transaction.delete(SummaryRow, [Test("conversation", "eq", held.num)])
    changes = {"since": held.next, "tokens": 0, "version": held.version + 1, **columns}
    transaction.update(ConversationRow, [Test("num", "eq", held.num)], **changes)


def _noted(engine: Engine, transaction: Transaction, scope: Scope, operation: str, subject: str) -> None:
    trail = Trail(transaction, scope.org, actor=who(scope), at=engine.clock.now())
    trail.note(operation, subject)
    trail.write()


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
    new = _prepared(engine, scope, message, echo)
    appended = _Append(engine, scope, message, min(counted, room), new, engine.embedder, engine.clock.now())
    turn, row = engine.store.write(appended.run, scope.org)
    engine.counters.count("created", scope, new is not None and new.memory.id == turn.id)
    engine.counters.queued += row.opened_at == appended.now  # somebody has to look after its end
    return turn_of(turn._replace(content=message.content)), row


def _prepared(engine: Engine, scope: Scope, message: Message, echo: Echo | None) -> Prepared | None:
    """Return the memory that a message is too, None for one of the system's and for one that says nothing."""
    if not engine.settings.remember_turns or message.role == "system" or is_blank(message.text):
        return None
    return embedded(engine, [prepare(engine, _draft(engine, scope, message, echo), engine.clock.now())])[0]


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


@dataclass(frozen=True, slots=True)
class _Append:
    """One append, ready to be carried out, more than once if a transaction has to be repeated."""

    engine: Engine
    scope: Scope
    message: Message
    tokens: int
    new: Prepared | None
    embedder: Embedder | None
    now: datetime

    def run(self, transaction: Transaction) -> tuple[TurnRow, ConversationRow]:
        """Do it."""
        namespace = transaction.namespace(self.scope.org, self.scope.user)
        held = conversation(transaction, self.scope)
        if held is not None and self.message.dated:
            known = self._known(transaction, held)
            if known is not None:
                return known, held
        row = self._opened(transaction, held, namespace)
        position = max(row.next, self._after(transaction, namespace))
        turn = self._turn(transaction, row, position, namespace)
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
        last = highest(transaction, Record, "position", tests)
        return 0 if last is None else last + 1

    def _turn(self, transaction: Transaction, row: ConversationRow, position: int, namespace: int) -> TurnRow:
        """Return the turn, its memory put already."""
        message = self.message
        content: str | None = message.content
        name, num = self.engine.new_id("trn"), None
        if self.new is not None:
            memory = self._remembered(transaction, self.new, position, namespace)
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

    def _remembered(self, transaction: Transaction, new: Prepared, position: int, namespace: int) -> Record:
        """Put the memory of the message; the same words at one moment of the clock are two of them."""
        new = replace(new, memory=replace(new.memory, position=position))
        if transaction.find(Record, [Test("ns", "eq", namespace), Test("identity", "eq", new.identity)]):
            new = replace(new, identity=digest("turn", new.memory.id)[:40])
        if self.engine.embedder is not self.embedder:  # another has been set meanwhile
            new = replace(new, vector=None)
        (outcome,) = Writer(self.engine, transaction, self.now).write([new])
        return transaction.find(Record, [Test("id", "eq", outcome.id)])[0]


def _said(message: Message | TurnRow) -> tuple[object, ...]:
    calls = (message.metadata.get(name) for name in ("tool_call_id", "tool_calls"))
    return (message.role, message.content, message.actor, *calls)


_LONGEST = 1_000  # characters: what is longer says something of its own
_LOOKED_AT = 8  # memories, the newest of those that hold all the words
_COMMON = 500  # memories that hold a word: where so many do, it does not tell them apart
_FEWEST = 2  # words in common without which nothing is repeated


def echoed(engine: Engine, scope: Scope, accesses: AccessLog, text: str) -> Echo | None:
    """Return the recalled memory that a message only repeats, None when it says more or was not recalled."""
    terms = _telling(text) if len(text) <= _LONGEST else []
    if len(terms) < _FEWEST:
        return None
    where = select(scope, live(engine.clock.now())).but(Test("kind", "ne", Kind.WORKING))
    with engine.store.read(scope.org) as reader:
        nums = _holding(reader, scope, list(dict.fromkeys(terms)))
        records = reader.find(Record, where.but(Test("num", "in", nums)), order="-num") if nums else []
    recalled = (record.memory for record in records if accesses.shown(record.memory).access_count)
    heard = next((memory for memory in recalled if repeats(text, memory.content)), None)
    return None if heard is None else Echo(heard.id)


def _holding(reader: Reader, scope: Scope, terms: Sequence[str]) -> tuple[int, ...]:
    """Return the newest rows that hold every one of the terms, as far as those are rare enough to tell."""
    held = conversation(reader, scope)
    if held is None:  # the session's first message answers nobody
        return ()
    found = holders(reader, scope.org, scope.user, terms, limit=_COMMON)
    told = [set(rows) for rows in found if len(rows) < _COMMON]
    return tuple(sorted(set.intersection(*told))[-_LOOKED_AT:]) if told else ()


def repeats(said: str, known: str) -> bool:
    """Say whether every sentence that tells something tells it in words of `known`, in their order, denied or not."""
    if is_negative(said) != is_negative(known):
        return False
    words, telling = _telling(known), [_telling(sentence) for sentence in sentences(said)]
    told = [terms for terms in telling if terms]
    return max(map(len, told), default=0) >= _FEWEST and all(_in_order(terms, words) for terms in told)


def _telling(text: str) -> list[str]:
    return [term for _, term in content_pairs(text) if term not in _about_saying()]


@cache
def _about_saying() -> frozenset[str]:
    return frozenset(map(stem, union("about_saying")))


def _in_order(terms: list[str], words: list[str]) -> bool:
    left = iter(words)
    return all(term in left for term in terms)
