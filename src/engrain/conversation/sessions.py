"""The conversation of a session in the store: its log, its window (the `live` rows and a summary), its end."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from threading import RLock
from typing import Any, NamedTuple, cast

from engrain.chat.logs import role_named, spoken
from engrain.config import WorkingSettings
from engrain.conversation import window as windows
from engrain.conversation.summaries import Summary, TierCompactor, counted
from engrain.conversation.window import MAX_FACTS, ConversationWindow, SummaryTier, TierConfig, Tiers, WindowRules
from engrain.engine import Engine
from engrain.errors import ConfigError, Conflict, MemoryRejected, ScopeMissing
from engrain.guard import guard, notify
from engrain.language.calendar import parse_when
from engrain.language.locales import has_any
from engrain.language.tokens import content_pairs, sentences, terms_of_fields
from engrain.llm.asker import Account, asker
from engrain.model.filters import Test, live, unexpired, within
from engrain.model.memory import IDLE, Job, Kind, Scope, SourceType, Status, Turn, given_end
from engrain.model.results import OFFLINE, Conversation, Page, SessionEnd
from engrain.policies.windows import FIFOEviction, ImportanceEviction, PairedEviction
from engrain.protocols import ConversationMemory, Embedder, EvictionPolicy
from engrain.read.listing import cursor_at, newest_inside, place_of
from engrain.read.request import ENDED, idle_minutes, last_activity, select
from engrain.security.admission import Look, has_to_wait, least_trusted, policies
from engrain.security.injection import suspicious
from engrain.storage.interface import Reader, Transaction, among, grouped, highest, holders
from engrain.storage.rows import ConversationRow, Record, SummaryRow, TurnRow, conversation_id, legible
from engrain.text import check_content, check_text, digest, is_blank, shorten
from engrain.validation import When, checked_limit, checked_metadata, exact_json, identifier, narrowed
from engrain.write.pipeline import Writer
from engrain.write.prepare import Draft, Prepared, classify, describe, draft, embedded, is_open, prepare
from engrain.write.transitions import Editor, transact

_LONGEST_SUMMARY = 4_000  # tokens, for a window of any size
_RETRIES = 3  # against concurrent appends; the next append tries again
_LONGEST = 1_000  # characters: a longer message has content of its own
_COMPARED = 8  # memories, the newest of those that have all the words
_COMMON = 500  # memories with a word from which on it distinguishes none
_FEWEST = 2  # words in common without which nothing is repeated
_ARGUMENTS = ("self", "role", "content", "turn")
_TRIES = 5
_NOTE = "note"  # the role of a working memory in a summary
_MOST_TURNS, _MOST_TOKENS = 100, 6_000  # of a part that one memory summarises
_SHORTEST, _MOST_SUMMARY_TOKENS = 60, 400  # tokens of such a memory


def in_session(scope: Scope, session: str | None) -> Scope:
    """Return the scope of a session; raises `ScopeMissing` if neither the view nor the call names one."""
    inside = narrowed(scope, session=session)
    if inside.session is None:
        raise ScopeMissing("a conversation belongs to a session: give session=... or open the view with one")
    return inside


def conversation(reader: Reader, scope: Scope) -> ConversationRow | None:
    """Return the conversation of exactly this scope, None before its first message."""
    return next(iter(reader.find(ConversationRow, [Test("id", "eq", conversation_id(scope))])), None)


def turn_of(row: TurnRow) -> Turn:
    """Return a stored turn as the public type."""
    with legible():
        data = None if row.data is None else json.loads(row.data)
    return Turn(
        role=row.role,
        content=row.content or "",
        id=row.id,
        actor=row.actor,
        at=row.at,
        position=row.position,
        token_count=row.tokens,
        metadata=row.metadata,
        data=data,
    )


def is_hidden(row: TurnRow, engine: Engine) -> bool:
    """Return whether summaries must omit a turn: its memory is hidden, or would be quarantined if it had one."""
    if row.num is not None or row.role == "system":
        return row.status in (Status.FORGOTTEN, Status.QUARANTINED)
    content = row.content or ""
    source, _ = classify(role_named(row.role)[1], engine.settings.origins)
    return bool(suspicious(content, source, engine.settings)) or has_to_wait(content, engine.settings)


def history(engine: Engine, scope: Scope, *, limit: int, cursor: str | None) -> Page[Turn]:
    """Return a page of every message ever appended, oldest first."""
    checked_limit(limit)
    after, _ = place_of(cursor)
    with engine.store.read(scope.org) as reader:
        row = conversation(reader, scope)
        if row is None:
            return Page([])
        tests = [Test("conversation", "eq", row.num), Test("position", "ge", after)]
        rows = reader.find(TurnRow, tests, order="position", limit=limit + 1)
    return Page([turn_of(row) for row in rows[:limit]], cursor_at(rows[limit].position) if len(rows) > limit else None)


def conversations(engine: Engine, scope: Scope, *, limit: int, cursor: str | None) -> Page[Conversation]:
    """Return a page of the conversations of a view and of the views inside it, the one begun last first."""
    page = newest_inside(engine, ConversationRow, scope, limit=limit, cursor=cursor)
    listed = (Conversation(r.session, r.opened_at, r.touched_at, r.ended_at, r.tokens, r.scope) for r in page)
    return Page(list(listed), page.next)


@dataclass(frozen=True, slots=True)
class Message:
    """A message to append, every value checked: `text` is the content of its memory, "" for none."""

    role: str
    content: str
    actor: str | None
    at: datetime
    dated: bool
    metadata: Mapping[str, Any]
    source_type: str
    text: str
    data: str | None = None

    def row(self, conversation: int, position: int, turn_id: str, tokens: int, *, live: bool) -> TurnRow:
        """Return the message as a turn of a conversation that has no memory."""
        role, actor, metadata = self.role, self.actor, dict(self.metadata)
        return TurnRow(
            conversation, position, turn_id, role, actor, self.at, tokens, live, None, self.content, metadata, self.data
        )


def last(engine: Engine, scope: Scope, n: int) -> list[Turn]:
    """Return the newest messages of a session's log, oldest first."""
    with engine.store.read(scope.org) as reader:
        row = conversation(reader, scope)
        rows = [] if row is None else newest(reader, row, n)
    return [turn_of(each) for each in reversed(rows)]


def newest(reader: Reader, row: ConversationRow, n: int | None = None) -> list[TurnRow]:
    """Return the newest turns of a conversation, or all of them, the newest first."""
    tests = [Test("conversation", "eq", row.num), Test("position", "ne", None)]
    return reader.find(TurnRow, tests, order="-position", limit=n)


def checked(
    engine: Engine,
    role: str,
    content: str | None,
    *,
    actor: str | None,
    at: When | None,
    metadata: Mapping[str, Any],
    data: object = None,
) -> Message:
    """Return an append's checked arguments, as the policies allow them to be stored; a message may have no content."""
    usual, source_type = role_named(windows.checked_role(role))
    text = "" if content is None else check_text(content, what="content")
    if not is_blank(text):
        check_content(text, max_bytes=engine.settings.max_content_bytes)
    kept = checked_metadata(metadata)
    if not is_open(engine.settings):
        look = Look(policies(engine.settings))
        text, kept = look.text(text), look.value(kept)
        look.settle()
    exact = None if data is None else exact_json(data, "data")
    if exact is not None and len(exact.encode()) > engine.settings.max_record_bytes:
        raise ValueError(f"data has more than {engine.settings.max_record_bytes:,} bytes: have max_record_bytes raised")
    calls = kept.get("tool_calls") or []
    if not isinstance(calls, list) or not all(isinstance(call, Mapping) for call in calls):
        raise TypeError("tool_calls must be a list of calls as chat APIs have them, each a mapping with its function")
    name = kept.get("name") if actor is None else actor
    return Message(
        role=usual,
        content=text,
        actor=None if name is None else identifier(name, "actor"),
        at=engine.clock.now() if at is None else parse_when(at, name="at"),
        dated=at is not None,
        metadata=kept,
        source_type=source_type,
        text=_text_of(usual, text, kept),
        data=exact,
    )


def _text_of(role: str, content: str, metadata: Mapping[str, Any]) -> str:
    words = {"role": role, "content": content, "tool_calls": metadata.get("tool_calls")}
    return "\n".join(part.text for part in spoken(words))


def append(
    engine: Engine, scope: Scope, messages: Sequence[Message], *, first: Callable[[Editor], None] | None = None
) -> list[Turn]:
    """Append new messages and their memories, after `first`, in one transaction; evict turns above the budget."""
    rules, settings, now = rules_of(engine, scope), engine.settings, engine.clock.now()
    known: Mapping[int, TurnRow] = {}
    if first is None and any(message.dated for message in messages):
        with engine.store.read(scope.org) as reader:
            known = _known(reader, conversation(reader, scope), messages)
    drafts = [None if n in known else _message_draft(engine, scope, each) for n, each in enumerate(messages)]
    prepared = iter(embedded(engine, [prepare(engine, item, now) for item in drafts if item is not None]))
    news = [None if item is None else next(prepared) for item in drafts]
    embedder = engine.embedder

    def change(editor: Editor) -> list[tuple[TurnRow, ConversationRow]]:
        if first is not None:
            first(editor)
            editor.trail.write()
        found, transaction = [], editor.transaction
        row = conversation(transaction, scope) if known else None
        there = _known(transaction, row, messages) if known else {}
        if not known.keys() <= there.keys():
            raise _Gone
        for number, (message, new) in enumerate(zip(messages, news, strict=True)):
            if number in known and row is not None:
                turn = there[number]
            else:
                tokens = min(counted(message.text or message.content, engine.tokenizer), rules.turn_tokens)
                turn, row = _append(editor, scope, message, tokens=tokens, new=new, embedder=embedder)
            found.append((turn, row))
        return found

    try:
        done = transact(engine, scope, change, now=now)
    except _Gone:  # a turn that the log had was removed meanwhile
        return append(engine, scope, messages)
    for (turn, row), new in zip(done, news, strict=True):
        engine.counters.count("created", scope, new is not None and new.memory.id == turn.id)
        engine.counters.queued += row.opened_at == now  # a job ends the session when it is idle
    if done and isinstance(settings.working, WorkingSettings):
        _compact(engine, scope, done[-1][1], rules)
    return [turn_of(turn._replace(content=message.content)) for (turn, _), message in zip(done, messages, strict=True)]


class _Gone(Exception):
    """A turn that was found does not exist any more."""


def _known(reader: Reader, row: ConversationRow | None, messages: Sequence[Message]) -> dict[int, TurnRow]:
    """Return the turns of a conversation that equal messages with a time, by the index of the message."""
    times = {message.at for message in messages if message.dated}
    if row is None or not times:
        return {}
    rows = among(reader, TurnRow, "at", times, Test("conversation", "eq", row.num), order="position")
    turns, found = grouped(rows, lambda turn: turn.at), {}
    for number, message in enumerate(messages):
        same = [turn for turn in turns.get(message.at, ()) if _identity(turn) == _identity(message)]
        if message.dated and same:
            found[number] = same[0]
    return found


def _message_draft(engine: Engine, scope: Scope, message: Message) -> Draft | None:
    if not engine.settings.remember_turns or message.role == "system" or is_blank(message.text):
        return None
    known = repeated_memory(engine, scope, message.text) if message.role == "assistant" else None
    return draft(
        message.text,
        scope=scope,
        settings=engine.settings,
        kind="episodic",
        source_type=message.source_type,
        actor=message.actor or message.role,
        metadata=message.metadata,
        valid_from=message.at,
        importance=0.0 if known is not None or is_blank(message.content) else None,  # a call alone says very little
        derived_from=() if known is None else (known,),
    )


def _append(
    editor: Editor, scope: Scope, message: Message, *, tokens: int, new: Prepared | None, embedder: Embedder | None
) -> tuple[TurnRow, ConversationRow]:
    """Put a message's turn and memory; return the turn, and the conversation in its new state."""
    engine, transaction, now = editor.engine, editor.transaction, editor.now
    here = Test("ns", "eq", transaction.namespace(scope.org, scope.user))
    writer = Writer(engine, transaction, now)
    row, last, _ = transaction.together(
        lambda: conversation(transaction, scope),
        # Of all memories of the session, by any author.
        lambda: highest(transaction, Record, "position", [here, Test("session", "eq", scope.session)]),
        partial(writer.look_up, [] if new is None else [new]),
    )
    if row is not None and (known := _known(transaction, row, [message])):
        return known[0], row
    if row is None or row.ended_at is not None:
        row = _opened(editor, scope, row)
    position = max(row.next, 0 if last is None else last + 1)
    turn = message.row(row.num, position, engine.new_id("trn"), tokens, live=True)
    if new is not None:
        new = new._replace(memory=replace(new.memory, position=position))
        if (scope.user, new.identity) in writer.twins:
            new = new._replace(identity=digest("turn", new.memory.id)[:40])  # the same words again are another memory
        if engine.embedder is not embedder:  # another has been set meanwhile
            new = new._replace(vector=None)
        memory = writer.write([new], is_looked_up=True)[0].memory
        content = None if memory.content == message.content else message.content
        turn = turn._replace(id=memory.id, num=writer.neighbourhood.num(memory), content=content)
    transaction.put(turn)
    changes = {"next": position + 1, "touched_at": now, "tokens": row.tokens + tokens}
    transaction.update(ConversationRow, [Test("num", "eq", row.num)], **changes)
    if turn.num is None:
        editor.trail.note("append", turn.id)
        editor.trail.write()  # before the entries of the next message
    return turn, row._replace(next=position + 1, touched_at=now, tokens=row.tokens + tokens)


def _identity(message: Message | TurnRow) -> tuple[object, ...]:
    """Return the identity of a message with a time: its speaker, its content and its tools."""
    calls = (message.metadata.get(name) for name in ("tool_call_id", "tool_calls"))
    return (message.role, message.content, message.actor, *calls)


def _opened(editor: Editor, scope: Scope, row: ConversationRow | None) -> ConversationRow:
    transaction, now = editor.transaction, editor.now
    if row is None:
        assert scope.session is not None
        namespace = transaction.namespace(scope.org, scope.user)
        transaction.put(ConversationRow(conversation_id(scope), namespace, scope.agent, scope.session, now, now))
        row = conversation(transaction, scope)
        assert row is not None
    transaction.update(ConversationRow, [Test("num", "eq", row.num)], opened_at=now, ended_at=None)
    transaction.put(Job(f"job_{row.id}", IDLE, row.org or "", row.id, now + idle_span(editor.engine)))
    return row._replace(opened_at=now, ended_at=None)


def rules_of(engine: Engine, scope: Scope | None = None) -> WindowRules:
    """Return the rules of the window by the settings; without a scope to bill, no model is called."""
    settings = _settings(engine)
    whole, is_sliding = settings.max_tokens, settings.window == "sliding"
    summary, threshold = min(whole // 8, _LONGEST_SUMMARY), None
    if settings.window == "progressive" and whole >= 32:
        tiers = windows.default_tiers(whole)
    elif (is_sliding and settings.strategy == "truncate") or summary == 0:
        tiers = (TierConfig(0, whole),)
    else:
        tiers = (TierConfig(0, whole - summary), TierConfig(1, summary, priority=6))
        if is_sliding:
            threshold = max(1, min(int(settings.threshold_fraction * whole), whole - summary + 1))
    policies: dict[str, EvictionPolicy] = {
        "fifo": FIFOEviction(),
        "paired": PairedEviction(),
        "importance": ImportanceEviction(lambda turn: describe(turn.content, engine.settings).importance),
    }
    return WindowRules(
        tiers=tiers,
        tokenizer=engine.tokenizer,
        compactor=TierCompactor(None if scope is None else asker(engine, scope, "summary"), engine.tokenizer),
        policy=policies[settings.eviction],
        batch=0 if is_sliding else tiers[0].max_tokens // 4,
        threshold=threshold,
        keep_last=0 if settings.strategy == "summarise" else settings.keep_last_n,
        pins_system=True,
        max_facts=MAX_FACTS if settings.window == "progressive" else 0,
    )


def _settings(engine: Engine) -> WorkingSettings:
    working = engine.settings.working
    return working if isinstance(working, WorkingSettings) else WorkingSettings()


def window_of(engine: Engine, scope: Scope) -> ConversationWindow:
    """Return the window of a session, without turns above the budget that have not been evicted yet."""
    rules = rules_of(engine)
    _, window = _read(engine, scope, rules)
    return window.settled(rules)[0] if window.token_count > _settings(engine).max_tokens else window


def _read(engine: Engine, scope: Scope, rules: WindowRules) -> tuple[ConversationRow | None, ConversationWindow]:
    """Return a conversation and its window, in which forgotten turns are neither shown nor summarised."""
    with engine.store.read(scope.org) as reader:
        row = conversation(reader, scope)
        if row is None:
            return None, ConversationWindow()
        of = Test("conversation", "eq", row.num)
        live_rows = reader.find(TurnRow, [of, Test("live", "eq", True)], order="position")
        left = []
        if row.is_stale:  # a summary mentioned a forgotten turn
            gone = [of, Test("live", "eq", False), Test("position", "ge", row.since)]
            left = reader.find(TurnRow, gone, order="position")
        ends = _ends(reader, [*live_rows, *left])
    over = {num for num, end in ends.items() if end <= engine.clock.now()}
    visible = [each for each in live_rows if each.status is not Status.FORGOTTEN and each.num not in over]
    shown = [turn_of(each) for each in left if not (is_hidden(each, engine) or each.num in ends)]
    tiers = windows.summarised(Tiers(), shown, rules) if row.is_stale else Tiers.of_json(row.state).under(rules)
    hidden = frozenset(each.position for each in visible if is_hidden(each, engine) or each.num in ends)
    return row, ConversationWindow(tuple(windows.shown(turn_of(each), rules) for each in visible), tiers, hidden)


def _ends(reader: Reader, turns: Sequence[TurnRow]) -> dict[int | None, datetime]:
    """Return when turns are to leave by a `ttl`, by their memories: no summary has what it would outlive."""
    nums = {turn.num for turn in turns if turn.num is not None}
    records = among(reader, Record, "num", nums, Test("expires_at", "ne", None), order="num")
    return {record.num: end for record in records if (end := given_end(record.memory)) is not None}


def _compact(engine: Engine, scope: Scope, row: ConversationRow, rules: WindowRules) -> None:
    """Evict and summarise turns above the budget; called without a transaction."""
    fits = not row.is_stale and row.tokens <= rules.turn_tokens
    if fits and (rules.threshold is None or row.tokens + Tiers.of_json(row.state).total_tokens < rules.threshold):
        return
    for _ in range(_RETRIES):
        found, before = _read(engine, scope, rules)
        if found is None:
            return
        after, gone = before.settled(rules)
        if not gone and not found.is_stale:
            return
        if transact(engine, scope, partial(_replace_window, scope, found, after, gone)):
            if gone:
                notify(engine.callbacks, "on_eviction", list(gone), after.token_count)
            if gone and after.summary is not None:
                notify(engine.callbacks, "on_compaction", list(gone), after.summary, before.summary)
            return


def _replace_window(
    scope: Scope, before: ConversationRow, after: ConversationWindow, gone: Sequence[Turn], editor: Editor
) -> bool:
    """Remove turns from a window and store its summaries, unless it was changed since it was read."""
    transaction = editor.transaction
    row = conversation(transaction, scope)
    if row is None or row.version != before.version:
        return False
    tests = [Test("conversation", "eq", row.num), Test("position", "in", tuple(turn.position for turn in gone))]
    transaction.update(TurnRow, tests, live=False)
    tokens = max(row.tokens - sum(turn.token_count for turn in gone), 0)
    transaction.update(ConversationRow, [Test("num", "eq", row.num)], tokens=tokens, version=row.version + 1)
    transaction.put(SummaryRow(row.num, after.tiers.as_json()))
    editor.trail.note("compact", row.id)
    return True


def clear(engine: Engine, scope: Scope) -> None:
    """Empty a session's window and its summaries; its history and every memory stay."""

    def change(editor: Editor) -> None:
        row = conversation(editor.transaction, scope)
        if row is not None:
            _empty(editor.transaction, row)
            editor.trail.note("clear", row.id)

    transact(engine, scope, change)


def _empty(transaction: Transaction, row: ConversationRow, **columns: object) -> None:
    transaction.update(TurnRow, [Test("conversation", "eq", row.num), Test("live", "eq", True)], live=False)
    transaction.delete(SummaryRow, [Test("conversation", "eq", row.num)])
    changes = {"since": row.next, "tokens": 0, "version": row.version + 1, **columns}
    transaction.update(ConversationRow, [Test("num", "eq", row.num)], **changes)


def repeated_memory(engine: Engine, scope: Scope, text: str) -> str | None:
    """Return the id of the recalled memory that a message only repeats, None if it adds more or was not recalled."""
    terms = _content_terms(text) if len(text) <= _LONGEST else []
    if len(terms) < _FEWEST:
        return None
    where = select(scope, live(engine.clock.now())).but(Test("kind", "ne", Kind.WORKING))
    with engine.store.read(scope.org) as reader:
        if conversation(reader, scope) is None:  # the session's first message is no answer
            return None
        found = holders(reader, scope.org, scope.user, list(dict.fromkeys(terms)), limit=_COMMON)
        rare = [set(rows) for rows in found if len(rows) < _COMMON]
        nums = tuple(sorted(set.intersection(*rare))[-_COMPARED:]) if rare else ()
        records = reader.find(Record, where.but(Test("num", "in", nums)), order="-num") if nums else []
    recalled = (record.memory for record in records if engine.accesses.shown(record.memory).access_count)
    return next((memory.id for memory in recalled if repeats(text, memory.content)), None)


def repeats(text: str, known: str) -> bool:
    """Return whether every sentence with content words has them in `known`, in their order, with the same negation."""
    if has_any(text, "negation") != has_any(known, "negation"):
        return False
    words = _content_terms(known)
    parts = [terms for terms in map(_content_terms, sentences(text)) if terms]
    if max(map(len, parts), default=0) < _FEWEST:
        return False
    for terms in parts:
        rest = iter(words)
        if not all(term in rest for term in terms):
            return False
    return True


def _content_terms(text: str) -> list[str]:
    return [term for _, term in content_pairs(text) if term not in terms_of_fields("about_saying")]


@dataclass(slots=True)
class _Fed:
    """An object of the caller's, the version of the window that it has, and the position of the next turn for it."""

    memory: ConversationMemory
    version: int
    next: int


class Replays:
    """The caller's `ConversationMemory` objects: one for each session, fed from its log, again after a change."""

    def __init__(self) -> None:
        self._lock = RLock()  # a callback of an object that is fed may read it
        self._fed: dict[str, _Fed] = {}

    def window(self, engine: Engine, scope: Scope) -> ConversationWindow:
        """Return the contents of the session's object as a window."""
        memory = self._memory(engine, scope)
        summary, tokens = getattr(memory, "summary", None), getattr(memory, "summary_tokens", 0)
        tiers = Tiers((SummaryTier(1, summary, tokens, 1),)) if isinstance(summary, str) and summary else Tiers()
        return ConversationWindow(tuple(memory.turns), tiers)

    def _memory(self, engine: Engine, scope: Scope) -> ConversationMemory:
        """Return the session's object, fed with every turn of its log."""
        pristine = engine.settings.working
        assert isinstance(pristine, ConversationMemory)
        with self._lock:
            with engine.store.read(scope.org) as reader:
                row = conversation(reader, scope)
                if row is None:
                    return _fresh(pristine)
                fed = self._fed.pop(row.id, None)
                if fed is None or fed.version != row.version:
                    fed = _Fed(_fresh(pristine), row.version, row.since)
                self._fed[row.id] = fed
                if len(self._fed) > 256:  # sessions whose objects are cached; others are fed anew
                    del self._fed[next(iter(self._fed))]
                rest = [Test("conversation", "eq", row.num), Test("position", "ge", fed.next)]
                rows = reader.find(TurnRow, rest, order="position")
            add: Callable[..., Any] = fed.memory.add_turn  # type: ignore[attr-defined]  # checked with the settings
            for each in rows:
                is_new = each.position >= fed.next  # a callback of an earlier turn may have fed it
                fed.next = max(fed.next, each.position + 1)
                if is_new and each.status not in (Status.FORGOTTEN, Status.EXPIRED):
                    turn = turn_of(each)
                    more = {name: value for name, value in turn.metadata.items() if name not in _ARGUMENTS}
                    guard(f"{type(fed.memory).__name__}.add_turn", partial(add, turn.role, turn.content, **more))
            return fed.memory


def _fresh(pristine: ConversationMemory) -> ConversationMemory:
    made = getattr(pristine, "fresh", None)
    if callable(made):
        return cast(ConversationMemory, made())
    try:
        return copy.deepcopy(pristine)
    except TypeError as error:
        name = type(pristine).__name__
        how = "give it a method `fresh()` that returns an empty one, for sessions never share one"
        raise ConfigError(f"settings.working is a {name}, of which no second can be made ({error}): {how}") from error


class _Session(NamedTuple):
    """A session as it was read: conversation, turns to summarise (those without memory lack an id), window, notes."""

    row: ConversationRow | None
    turns: Sequence[Turn]
    live: Sequence[Turn]
    working: Sequence[Record]


def end(engine: Engine, scope: Scope, *, idle_since: datetime | None = None) -> SessionEnd:
    """Summarise and empty a session, and archive its working memories, unless it has a message after `idle_since`."""
    assert scope.session is not None
    account = Account(engine)
    for _ in range(_TRIES):
        now = engine.clock.now()
        with engine.store.read(scope.org) as reader:
            found = _read_session(engine, reader, scope, now)
            last = None if idle_since is None else last_activity(reader, scope)
        if not found.working and (found.row is None or found.row.ended_at is not None):
            return SessionEnd(scope.session)
        if idle_since is not None and last is not None and last > idle_since:
            return SessionEnd(scope.session)
        items = _summaries(engine, scope, found, now, account)
        ended = transact(engine, scope, partial(_end, scope, found, items), now=now)
        if ended is not None:
            for memory in ended.memories:
                engine.counters.count("created", memory.scope)
            if found.live:
                notify(engine.callbacks, "on_eviction", list(found.live), 0)
                summary = "\n".join(memory.content for memory in ended.memories)
                notify(engine.callbacks, "on_compaction", list(found.live), summary, None)
            if any(memory.metadata.get("told_by", OFFLINE) != OFFLINE for memory in ended.memories):
                account.did()
            return replace(ended, **account.worked())
    before = 0 if found.row is None else found.row.next
    raise Conflict(conversation_id(scope), expected=before, found=before + 1)


def _read_session(engine: Engine, reader: Reader, scope: Scope, now: datetime) -> _Session:
    row = conversation(reader, scope)
    rows: list[TurnRow] = []
    if row is not None and row.ended_at is None:
        since = [Test("conversation", "eq", row.num), Test("position", "ge", row.since)]
        rows = reader.find(TurnRow, since, order="position")
    turns, live, ends = list[Turn](), list[Turn](), _ends(reader, rows)
    for each in (row for row in rows if row.num not in ends):
        turn = turn_of(each)
        text = _text_of(turn.role, "", turn.metadata) if is_blank(turn.content) else turn.content
        if turn.role != "system" and not is_hidden(each, engine) and not is_blank(text):
            turn = replace(turn, content=text)
            turns.append(replace(turn, id="") if each.num is None else turn)
            live += [turn] if each.live else []
    return _Session(row, turns, live, _working_memories(reader, scope, now))


def _working_memories(reader: Reader, scope: Scope, now: datetime) -> list[Record]:
    """Return the working memories of a session: of exactly one user and agent, as its conversation is."""
    working = Test("kind", "eq", Kind.WORKING), Test("status", "eq", Status.ACTIVE), unexpired(now)
    place = Test("agent", "eq", scope.agent), Test("session", "eq", scope.session)
    found = reader.find(Record, within(scope).but(*working, *place))
    return [record for record in found if record.memory.scope == scope]  # a view without a user finds every user's


def _state(row: ConversationRow | None, working: Sequence[Record]) -> tuple[object, ...]:
    """Return a state that differs once a message was added, forgotten or evicted, or a working memory changed."""
    place = None if row is None else (row.version, row.next, row.ended_at)
    return (place, [(record.num, record.memory.version) for record in working])


def _summaries(engine: Engine, scope: Scope, found: _Session, now: datetime, account: Account) -> list[Prepared]:
    """Return the memories that summarise a session, one for each part that one memory can name as its sources."""
    compactor = TierCompactor(
        account.asker(scope, "summary"), engine.tokenizer, on_error=lambda tier, error: account.failed(error)
    )
    memories = [record.memory for record in found.working if given_end(record.memory) is None]
    notes = [Turn(role=_NOTE, content=m.content, id=m.id, actor=m.actor, at=m.recorded_at) for m in memories]
    parts: list[list[Turn]] = [[]]
    tokens = 0
    for turn in (*found.turns, *notes):
        if parts[-1] and (len(parts[-1]) == _MOST_TURNS or tokens + turn.token_count > _MOST_TOKENS):
            parts.append([])
            tokens = 0
        parts[-1].append(turn)
        tokens += turn.token_count
    items = []
    for part in filter(None, parts):
        text = windows.transcript(part)
        target = min(max(engine.tokenizer.count_tokens(text) // 4, _SHORTEST), _MOST_SUMMARY_TOKENS)
        summary = guard("the summary of a session", partial(compactor.summary, text, 1, target)) or Summary("")
        item = _draft(engine, scope, part, (summary, Summary(shorten(text, 300))), now)
        items += embedded(engine, [prepare(engine, item, now)])
    return items


def summary_draft(
    engine: Engine, summary: Summary, sources: Iterable[SourceType], *, metadata: Mapping[str, Any], **values: Any
) -> Draft:
    """Return the draft of a memory that summarises others of these sources; raises as `draft` does."""
    return draft(
        summary.text.strip(),
        settings=engine.settings,
        source_type=least_trusted([*sources, SourceType.LLM_GENERATED] if summary.is_by_model else sources),
        tier="C" if summary.is_by_model else None,
        metadata={"is_summary": True, **metadata, "told_by": summary.by},
        **values,
    )


def _draft(engine: Engine, scope: Scope, part: Sequence[Turn], summaries: Sequence[Summary], now: datetime) -> Draft:
    """Return the memory of a part with the first summary that admission allows, or a neutral text."""
    sources = [
        SourceType.SYSTEM if turn.role == _NOTE else classify(role_named(turn.role)[1], engine.settings.origins)[0]
        for turn in part
    ]
    neutral = Summary(f"A part of a conversation, of {len(part)} messages that only its history shows.")
    for summary in (*summaries, neutral):
        try:
            return summary_draft(
                engine,
                summary,
                sources,
                scope=scope,
                kind="episodic",
                metadata={"original_count": len(part)},
                derived_from=[turn.id for turn in part if turn.id],
                valid_from=min(part[-1].at or now, now),
            )
        except MemoryRejected as error:
            refused = error
    raise refused


def _end(scope: Scope, found: _Session, items: Sequence[Prepared], editor: Editor) -> SessionEnd | None:
    """Write the end of a session; None when another has written to it since it was read."""
    row, transaction = found.row, editor.transaction
    working = _working_memories(transaction, scope, editor.now)
    if _state(conversation(transaction, scope), working) != _state(row, found.working):
        return None
    results = Writer(editor.engine, transaction, editor.now).write(items)
    for record in found.working:
        editor.change(record, "archive", reason=ENDED, status=Status.ARCHIVED, status_reason=ENDED, identity=None)
    if row is not None and row.ended_at is None:
        _empty(transaction, row, ended_at=editor.now)
        transaction.delete(Job, [Test("id", "eq", f"job_{row.id}")])
        editor.trail.note("end_session", row.id)
    memories = tuple(result.memory for result in results)
    return SessionEnd(scope.session or "", memories, tuple(record.memory.id for record in found.working))


def idle_span(engine: Engine) -> timedelta:
    """Return the time until the next check of idle sessions; without a limit, the settings may have changed by then."""
    minutes = idle_minutes(engine)
    return timedelta(days=1) if minutes is None else timedelta(minutes=minutes)


def end_idle(engine: Engine, job: Job) -> datetime | None:
    """End a job's conversation if it was idle for long enough; return the time of the next check, or None."""
    minutes = idle_minutes(engine)
    for _ in range(_TRIES):
        with engine.store.read(job.org) as reader:
            rows = reader.find(ConversationRow, [Test("id", "eq", job.memory_id)])
            if not rows or rows[0].ended_at is not None:
                return None
            last = last_activity(reader, rows[0].scope) or rows[0].touched_at
        now = engine.clock.now()
        due = (now if minutes is None else last) + idle_span(engine)
        if due > now:
            return due
        end(engine, rows[0].scope, idle_since=last)
    return due
