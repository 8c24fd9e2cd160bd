"""The end of a session: what was said is told in memories of its own, and its working memories leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from engrain.chat.logs import role_named
from engrain.conversation.compaction import Shortened, TierCompactor
from engrain.conversation.durable import conversation, emptied, idle_span, is_silent, told_of, turn_of
from engrain.conversation.windows import transcript
from engrain.engine import Engine
from engrain.errors import Conflict, MemoryRejected
from engrain.guard import guard, tell
from engrain.llm.asker import Account
from engrain.model.filters import Test, within
from engrain.model.memory import Job, Kind, Scope, SourceType, Status, Turn
from engrain.model.results import OFFLINE, SessionEnd
from engrain.read.request import ENDED, idle_minutes, last_activity
from engrain.security.audit import Trail, who
from engrain.security.trust import classify, least_trusted
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import ConversationRow, Record, TurnRow, conversation_id
from engrain.text import is_blank, shorten
from engrain.write.pipeline import Writer
from engrain.write.prepare import Draft, Prepared, draft, embedded, prepare
from engrain.write.transitions import Closer

_TRIES = 5
_TURNS, _TOKENS = 100, 6_000  # of a part that one memory tells
_SHORTEST, _LONGEST = 60, 400  # tokens of such a memory
_NOTE = "note"  # the role under which a working memory is told


@dataclass(frozen=True, slots=True)
class _Said:
    """Something said or noted in a session: the id and status of its memory where it is one."""

    turn: Turn
    memory_id: str | None
    live: bool = False


@dataclass(frozen=True, slots=True)
class _Session:
    """A session as it stands: its conversation, what was said since it began, and its working memories."""

    held: ConversationRow | None
    said: tuple[_Said, ...]
    working: tuple[Record, ...]

    def is_so(self, reader: Reader, scope: Scope) -> bool:
        """Say whether nothing was written to the session since, forgotten or taken out of its window."""
        return _state(conversation(reader, scope), _working(reader, scope)) == _state(self.held, self.working)


def end(engine: Engine, scope: Scope, *, idle_since: datetime | None = None) -> SessionEnd:
    """Tell what was said in a session since it began, archive its working memories, empty its window: all at once.

    Nothing happens to a session that has ended already, nor to one that was spoken in after `idle_since`. Raises
    `Conflict` when others keep writing to it.
    """
    assert scope.session is not None
    account = Account(engine)
    for _ in range(_TRIES):
        with engine.store.read(scope.org) as reader:
            found = _session(engine, reader, scope)
            last = None if idle_since is None else last_activity(reader, scope)
        held = found.held
        if not found.working and (held is None or held.ended_at is not None):
            return SessionEnd(scope.session)
        if idle_since is not None and last is not None and last > idle_since:
            return SessionEnd(scope.session)
        now = engine.clock.now()
        ending = _Ending(engine, scope, found, tuple(_told(engine, scope, found, now, account)), now)
        ended = engine.store.write(ending.run, scope.org)
        if ended is not None:
            _tell(engine, found, ended)
            if any(memory.metadata.get("told_by", OFFLINE) != OFFLINE for memory in ended.memories):
                account.did()
            return replace(ended, **account.worked())
    before = 0 if found.held is None else found.held.next
    raise Conflict(conversation_id(scope), expected=before, found=before + 1)


def _session(engine: Engine, reader: Reader, scope: Scope) -> _Session:
    held = conversation(reader, scope)
    rows: list[TurnRow] = []
    if held is not None and held.ended_at is None:
        since = [Test("conversation", "eq", held.num), Test("position", "ge", held.since)]
        rows = reader.find(TurnRow, since, order="position")
    told = (_said(row) for row in rows if row.role != "system" and not is_silent(row, engine))
    return _Session(held, tuple(each for each in told if not is_blank(each.turn.content)), _working(reader, scope))


def _said(row: TurnRow) -> _Said:
    """Return a turn as something said; one that only calls tools says that."""
    turn = turn_of(row)
    text = told_of(turn.role, "", turn.metadata) if is_blank(turn.content) else turn.content
    return _Said(replace(turn, content=text), None if row.num is None else row.id, row.live)


def _working(reader: Reader, scope: Scope) -> tuple[Record, ...]:
    """Return the working memories of a session: they belong to exactly one user and agent, as its conversation does."""
    noted = (
        Test("kind", "eq", Kind.WORKING),
        Test("agent", "eq", scope.agent),
        Test("session", "eq", scope.session),
        Test("status", "eq", Status.ACTIVE),
    )
    found = reader.find(Record, within(scope).but(*noted))
    return tuple(record for record in found if record.memory.scope == scope)  # a view without a user sees everybody's


def _state(held: ConversationRow | None, working: Sequence[Record]) -> tuple[object, ...]:
    place = None if held is None else (held.version, held.next, held.ended_at)
    return (place, tuple((record.num, record.memory.version) for record in working))


def _tell(engine: Engine, found: _Session, ended: SessionEnd) -> None:
    """Count the new memories, and say that the turns have left the window."""
    for memory in ended.memories:
        engine.counters.count("created", memory.scope)
    turns = [each.turn for each in found.said if each.live]
    if turns:
        tell(engine.callbacks, "on_eviction", turns, 0)
        tell(engine.callbacks, "on_compaction", turns, "\n".join(memory.content for memory in ended.memories), None)


def _told(engine: Engine, scope: Scope, found: _Session, now: datetime, account: Account) -> Iterator[Prepared]:
    """Yield the memories that tell a session, one for each part of it."""
    llm = account.asker(scope, "summary")
    compactor = TierCompactor(llm, engine.tokenizer, on_error=lambda tier, error: account.failed(error))
    for part in _parts([*found.said, *map(_noted, found.working)]):
        turns = [each.turn for each in part]
        text = transcript(turns)
        target = min(max(engine.tokenizer.count_tokens(text) // 4, _SHORTEST), _LONGEST)
        told = guard("telling a session", partial(compactor.shortened, text, 1, target)) or Shortened("")
        written = _written(engine, scope, part, (told, Shortened(shorten(text, 300))), now)
        yield from embedded(engine, [prepare(engine, written, now)])


def _written(engine: Engine, scope: Scope, part: Sequence[_Said], texts: Sequence[Shortened], now: datetime) -> Draft:
    """Return the memory of a part with the first of the texts that may be kept; a session ends whatever was said."""
    turns = [each.turn for each in part]
    unsaid = Shortened(f"A part of a conversation, of {len(part)} messages that only its history shows.")
    for told in (*texts, unsaid):
        try:
            return draft(
                told.text.strip(),
                scope=scope,
                settings=engine.settings,
                kind="episodic",
                source_type=_least(engine, turns, by_model=told.is_by_model),
                tier="C" if told.is_by_model else None,
                metadata={"is_summary": True, "original_count": len(part), "told_by": told.by},
                derived_from=[each.memory_id for each in part if each.memory_id is not None],
                valid_from=min(turns[-1].at or now, now),
            )
        except MemoryRejected as error:
            refused = error
    raise refused


def _parts(said: Sequence[_Said]) -> Iterator[list[_Said]]:
    """Yield what was said in parts that one memory can tell, and whose memories it can name as its sources."""
    part: list[_Said] = []
    tokens = 0
    for each in said:
        if part and (len(part) == _TURNS or tokens + each.turn.token_count > _TOKENS):
            yield part
            part, tokens = [], 0
        part.append(each)
        tokens += each.turn.token_count
    if part:
        yield part


def _noted(record: Record) -> _Said:
    """Return a working memory as something said."""
    memory = record.memory
    return _Said(Turn(role=_NOTE, content=memory.content, actor=memory.actor, at=memory.recorded_at), memory.id)


def _least(engine: Engine, turns: Sequence[Turn], *, by_model: bool) -> str:
    """Return the trust class of what is told of turns: the least of their roles', a model's at most if one tells it."""
    origins = engine.settings.origins
    types = [
        SourceType.SYSTEM if turn.role == _NOTE else classify(role_named(turn.role)[1], origins)[0] for turn in turns
    ]
    return least_trusted([*types, SourceType.LLM_GENERATED] if by_model else types)


@dataclass(frozen=True, slots=True)
class _Ending:
    """The end of a session, ready to be carried out if the session is still as it was found."""

    engine: Engine
    scope: Scope
    found: _Session
    items: tuple[Prepared, ...]
    now: datetime

    def run(self, transaction: Transaction) -> SessionEnd | None:
        """Do it; None when somebody has written to the session meanwhile."""
        if not self.found.is_so(transaction, self.scope):
            return None
        assert self.scope.session is not None
        results = []
        if self.items:
            results = Writer(self.engine, transaction, self.now).write(self.items)
        trail = Trail(transaction, self.scope.org, actor=who(self.scope), at=self.now)
        closer = Closer(transaction, trail)
        for record in self.found.working:
            closer.change(record, "archive", reason=ENDED, status=Status.ARCHIVED, status_reason=ENDED, identity=None)
        held = self.found.held
        if held is not None and held.ended_at is None:
            emptied(transaction, held, ended_at=self.now)
            transaction.delete(Job, [Test("id", "eq", f"job_{held.id}")])
            trail.note("end_session", held.id)
        trail.write()
        memories = tuple(result.memory for result in results)
        return SessionEnd(self.scope.session, memories, tuple(record.memory.id for record in self.found.working))


def end_idle(engine: Engine, job: Job) -> datetime | None:
    """End the conversation that a job is for if nothing was said in it for long enough, and only then.

    Returns when to look again, None when that is not needed.
    """
    minutes = idle_minutes(engine)
    for _ in range(_TRIES):
        with engine.store.read(job.org) as reader:
            found = reader.find(ConversationRow, [Test("id", "eq", job.memory_id)])
        if not found or found[0].ended_at is not None:
            return None
        now = engine.clock.now()
        with engine.store.read(job.org) as reader:
            last = last_activity(reader, found[0].scope) or found[0].touched_at
        due = (now if minutes is None else last) + idle_span(engine)
        if due > now:
            return due
        end(engine, found[0].scope, idle_since=last)
    return due
