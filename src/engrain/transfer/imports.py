"""Import of an export: every row is checked like a write."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from engrain import validation as checks
from engrain.chat.logs import read_lines
from engrain.config import Settings
from engrain.conversation.sessions import Message, checked, conversation, in_session, rules_of
from engrain.engine import Engine
from engrain.errors import MemoryRejected, NotFound, StoreUnavailable
from engrain.graph.entity_store import EntityStore, pair, read_topics
from engrain.model.choices import ImportTrust, OnConflict, checked_choice
from engrain.model.entities import Named, relation_name
from engrain.model.filters import Filter, Test, within
from engrain.model.memory import RELATIONS, AuditEntry, Kind, Link, Memory, Scope, SourceType, Status
from engrain.model.procedure import Procedure
from engrain.model.results import Imported
from engrain.read.listing import iterate
from engrain.security.admission import BASE, Look, classify, is_open, least_trusted
from engrain.security.audit import Trail, who
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import (
    ALL_AGENTS,
    CORRECTS,
    EDIT,
    MERGED,
    PROPOSED,
    STATED,
    SUPERSEDES,
    TOLD,
    UNDONE,
    ConversationRow,
    Edge,
    EntityNote,
    MentionRow,
    MergeRow,
    Record,
    RelationRow,
    Revision,
    TurnRow,
    conversation_id,
)
from engrain.storage.rows import REFUSED as MERGE_REFUSED
from engrain.text import check_content, check_text, content_hash, is_blank
from engrain.transfer.export import ROWS, TALK_ROWS, TURN, Lines, check_own, stated, talks
from engrain.urls import file_of, new_file
from engrain.validation import identifier, is_whole, scope_of
from engrain.write.pipeline import store
from engrain.write.prepare import Prepared, checked_procedure, describe, index, screened, suspected, text_of

REFUSED = (ValueError, TypeError, KeyError, AttributeError, OverflowError, MemoryRejected, RecursionError)
MAX_COUNT = 2**31
MAX_STRENGTH = 2.0
_TEXTS = ("id", "summary", "status_reason")
_LISTS = ("keywords", "entities", "supersedes", "tags", "links")
_COUNTS = ("evidence_count", "access_count", "evolution_count", "version")
_TIMES = ("recorded_at", "updated_at", "valid_from", "valid_until", "believed_until", "expires_at", "last_accessed")
_ALWAYS = _TIMES[:3]


@dataclass(frozen=True, slots=True)
class Incoming:
    """What an import lets in: the org it goes to, the highest trust class, the largest text."""

    org: str
    trust: SourceType
    settings: Settings

    def memory(self, row: Mapping[str, Any]) -> Memory:
        """Return the memory of a row, checked like a write: at most `trust`, with a hash of its own."""
        for name in _LISTS:
            if not isinstance(row.get(name, []), list):
                raise TypeError(f"{name} must be a list")
        memory = Memory.from_dict(row)
        text = check_content(memory.content, max_bytes=self.settings.max_content_bytes)
        if not is_open(self.settings):
            memory = self._screened(memory)
            text = memory.content
        procedure = _procedure(memory)
        told = [text] if procedure is None else [text, text_of(procedure)]
        lowest = least_trusted([memory.source.type, self.trust])
        suspicious = tuple(
            dict.fromkeys(
                why for each in told for why in screened(each, self.settings, lowest, source_id=memory.source.id)
            )
        )
        if suspicious and memory.status is Status.ACTIVE:  # a status may sink on the way, and never rises
            memory = replace(memory, status=Status.QUARANTINED, status_reason=suspected(suspicious))
        _check_texts(memory)
        _check_numbers(memory)
        if memory.kind is Kind.WORKING and memory.scope.session is None:
            raise ValueError("working memory belongs to a session, and the row names none")
        return replace(
            memory,
            **_times(memory),
            scope=scope_of(self.org, memory.scope.user, memory.scope.agent, memory.scope.session),
            tags=tuple(identifier(tag, "a tag") for tag in memory.tags),
            metadata=checks.checked_metadata(memory.metadata),
            procedure=procedure,
            source=replace(memory.source, type=lowest, content_hash=content_hash(text), signature=None),
            trust=min(memory.trust, BASE[lowest]),
        )

    def _screened(self, memory: Memory) -> Memory:
        """Return a memory as the policies for secrets and personal data let it be kept."""
        look = Look.under(self.settings)
        procedure = _procedure(memory)
        kept = replace(
            memory,
            content=look.text(memory.content),
            fact=look.fact(checks.checked_fact(memory.fact)),
            tags=look.texts(memory.tags),
            entities=look.texts(memory.entities),
            metadata=look.value(checks.checked_metadata(memory.metadata)),
            source=replace(memory.source, ref=look.text(memory.source.ref)),
            procedure=None if procedure is None else look.procedure(procedure),
        )
        look.settle(memory.source.id)
        if kept.content != memory.content:  # what was told of it before told of all of it
            told = describe(kept.content, self.settings)
            kept = replace(kept, summary=told.summary, keywords=told.keywords)
        if look.waits and kept.status is Status.ACTIVE:
            kept = replace(kept, status=Status.QUARANTINED, status_reason="; ".join(look.waits))
        return kept

    def revision(self, row: Mapping[str, Any]) -> tuple[str, Revision]:
        """Return the revision of a row, and the id of the memory whose it is; its row number is not known yet."""
        memory_id, version = identifier(row["memory_id"], "memory_id"), count_of(row["version"], "version")
        since, until = (utc(datetime.fromisoformat(row[name]), name) for name in ("believed_from", "believed_until"))
        before = json.dumps(self.memory(row["memory"]).to_dict(), ensure_ascii=False)
        change = identifier(row.get("change", EDIT), "change")
        return memory_id, Revision(0, version, since, until, before, change)


def said(error: Exception) -> str:
    """Return why a row was refused."""
    return f"{error.args[0]!r} is missing" if type(error) is KeyError else str(error)


def _check_texts(memory: Memory) -> None:
    for name in _TEXTS:
        check_text(getattr(memory, name), what=name)
    if not memory.id.startswith("mem_") or not memory.id[4:].isalnum() or len(memory.id) > 64:
        raise ValueError(f"{memory.id!r} is not the id of a memory")
    for name in ("key", "actor", "superseded_by"):
        if getattr(memory, name) is not None:
            identifier(getattr(memory, name), name)
    identifier(memory.domain, "domain")
    if checks.checked_tier(memory.tier) is None:
        raise ValueError("tier is missing")
    checks.checked_fact(memory.fact)
    for name in ("origin", "id", "ref"):
        check_text(getattr(memory.source, name), what=f"source {name}")
    for item in (*memory.keywords, *memory.entities, *memory.supersedes):
        check_text(item, what="keywords, entities and supersedes")
    for link in memory.links:
        identifier(link.relation, "a link's relation")
        identifier(link.memory_id, "a link's memory_id")


def _procedure(memory: Memory) -> Procedure | None:
    if memory.procedure is None:
        return None
    if memory.kind is not Kind.PROCEDURAL:
        raise ValueError(f"a memory of kind {memory.kind.value} carries no procedure")
    return checked_procedure(memory.procedure)


def _check_numbers(memory: Memory) -> None:
    for name in ("importance", "confidence", "trust"):
        if checks.checked_share(getattr(memory, name), name) is None:
            raise ValueError(f"{name} is missing")
    for name in _COUNTS:
        count_of(getattr(memory, name), name)
    if memory.position is not None:
        count_of(memory.position, "position")
    if isinstance(memory.strength, bool) or not 0 <= memory.strength <= MAX_STRENGTH:
        raise ValueError(f"strength is {memory.strength!r}: it must be from 0 to {MAX_STRENGTH}")
    checks.checked_bool(memory.pinned, "pinned")


def count_of(value: object, name: str) -> int:
    """Return a whole number from 0 that is no larger than any count grows."""
    if not isinstance(value, int) or not is_whole(value) or not 0 <= value < MAX_COUNT:
        raise ValueError(f"{name} is {value!r}: it must be a whole number from 0")
    return value


def _times(memory: Memory) -> dict[str, Any]:
    times = {name: getattr(memory, name) for name in _TIMES}
    for name in _ALWAYS:
        if times[name] is None:
            raise ValueError(f"{name} is missing")
    times = {name: None if at is None else utc(at, name) for name, at in times.items()}
    if times["valid_until"] is not None and times["valid_until"] < times["valid_from"]:
        raise ValueError("valid_until lies before valid_from")
    return times


def utc(at: datetime, name: str) -> datetime:
    """Return a time in UTC; raises `ValueError` for one without an offset."""
    if at.utcoffset() is None:
        raise ValueError(f"{name} needs an offset")
    return at.astimezone(UTC)


NEW, KNOWN, TAKEN = "new", "known", "taken"
"""What became of a row: it was put, it was here, or something else is in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """A row of the graph, checked; what a kind of row does not have is None."""

    kind: str
    scope: Scope
    ends: tuple[Named, ...]
    memory_id: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


def restated(org: str, row: Mapping[str, Any]) -> Restated:
    """Check a row; raises `ValueError`, `TypeError` or `KeyError` for what is no such row."""
    kind = row["type"]
    scope = scope_of(org, row["user"], row.get("agent"), None)
    names, more = _KINDS[kind]
    memory_id = row.get("memory_id")
    if memory_id is not None:
        identifier(memory_id, "memory_id")
    ends = tuple(pair(row[name], name) for name in names)
    return Restated(kind=kind, scope=scope, ends=ends, memory_id=memory_id, more=more(row))


def _of_entity(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"metadata": dict(checks.checked_metadata(row["metadata"]))}


def _of_mention(row: Mapping[str, Any]) -> dict[str, Any]:
    identifier(row["memory_id"], "memory_id")
    return {"origin": _one_of(row, "origin", (STATED, TOLD)), "pairs": checks.checked_bool(row["pairs"], "pairs")}


def _of_relation(row: Mapping[str, Any]) -> dict[str, Any]:
    weight = checks.checked_share(row["weight"], "weight")
    relation = relation_name(identifier(row["relation"], "relation"))
    since, until = (_restating_time(row, name) for name in ("valid_from", "valid_until"))
    recorded_at = _restating_time(row, "recorded_at")
    if weight is None or not relation or recorded_at is None:
        raise ValueError("weight, relation or recorded_at is missing")
    if since is not None and until is not None and until < since:
        raise ValueError("valid_until lies before valid_from")
    origin = _one_of(row, "origin", (STATED, TOLD))
    return {
        "relation": relation,
        "origin": origin,
        "weight": weight,
        "valid_from": since,
        "valid_until": until,
        "recorded_at": recorded_at,
        "believed_until": _restating_time(row, "believed_until"),
    }


def _of_merge(row: Mapping[str, Any]) -> dict[str, Any]:
    merge_id, at = identifier(row["id"], "id"), _restating_time(row, "at")
    if not merge_id.startswith("mrg_") or not merge_id[4:].isalnum() or len(merge_id) > 64:
        raise ValueError(f"{merge_id!r} is not the id of a merge")
    if at is None:
        raise ValueError("at is missing")
    reason = checks.checked_reason(check_text(row["reason"], what="reason"))
    return {
        "id": merge_id,
        "state": _one_of(row, "state", (MERGED, UNDONE, MERGE_REFUSED)),
        "reason": reason,
        "at": at,
    }


_Fields = Callable[[Mapping[str, Any]], dict[str, Any]]
_KINDS: Mapping[str, tuple[tuple[str, ...], _Fields]] = {
    "entity": (("entity",), _of_entity),
    "mention": (("entity",), _of_mention),
    "relation": (("source", "target"), _of_relation),
    "alias": (("entity", "alias"), lambda _row: {}),
    "merge": (("keep", "other"), _of_merge),
}


def _one_of(row: Mapping[str, Any], name: str, values: Sequence[str]) -> str:
    if row[name] not in values:
        raise ValueError(f"{name} is {row[name]!r}: it must be one of {', '.join(values)}")
    return str(row[name])


def _restating_time(row: Mapping[str, Any], name: str) -> datetime | None:
    return None if row.get(name) is None else utc(datetime.fromisoformat(row[name]), name)


class Restating:
    """Rows of a graph put into a store, inside one transaction."""

    def __init__(self, engine: Engine, transaction: Transaction, scope: Scope) -> None:
        self._engine, self._transaction, self._scope = engine, transaction, scope
        self._registers: dict[str | None, EntityStore] = {}
        self._trail = Trail(transaction, scope.org, actor=who(scope), at=engine.clock.now())

    def put(self, row: Restated) -> str:
        """Put a row and return what became of it; raises `ValueError`, or `NotFound` for an unknown memory."""
        outcome: str = getattr(self, f"_{row.kind}")(row, self._register(row), self._num(row))
        if outcome == NEW:
            self._trail.note("import", row.more.get("id") or f"ent_{self._register(row).ids(row.ends[:1])[0]}")
        return outcome

    def finish(self) -> None:
        """Write the audit trail."""
        self._trail.write()

    def _register(self, row: Restated) -> EntityStore:
        user = row.scope.user
        if user not in self._registers:
            self._registers[user] = EntityStore(self._transaction, self._engine.packs, self._scope.org, user)
        return self._registers[user]

    def _num(self, row: Restated) -> int | None:
        """Return the row number of the memory that says so: one of the same user, and of nobody else."""
        if row.memory_id is None:
            return None
        found = self._transaction.find(Record, within(Scope(self._scope.org)).but(Test("id", "eq", row.memory_id)))
        if not found or found[0].memory.scope.user != row.scope.user:
            raise NotFound(row.memory_id)
        return found[0].num

    def _entity(self, row: Restated, register: EntityStore, _num: int | None) -> str:
        (entity,) = register.ids(row.ends)
        here = [Test("entity", "eq", entity), Test("agent", "eq", row.scope.agent or ALL_AGENTS)]
        held = self._transaction.find(EntityNote, here, order="entity")
        before = json.loads(held[0].metadata) if held else {}
        if held and row.more["metadata"].keys() <= before.keys():
            return KNOWN
        register.stand(entity, row.scope.agent, {**row.more["metadata"], **before})
        if not held:
            register.retyped(entity, row.ends[0].type)
        return NEW

    def _mention(self, row: Restated, register: EntityStore, num: int | None) -> str:
        (entity,) = register.ids(row.ends)
        here = [Test("entity", "eq", entity), Test("num", "eq", num)]
        held = self._transaction.find(MentionRow, here)
        if any(mention.origin in (STATED, row.more["origin"]) for mention in held):
            return KNOWN
        self._transaction.put(MentionRow(entity, num or 0, row.more["origin"], row.more["pairs"]))
        return NEW

    def _relation(self, row: Restated, register: EntityStore, num: int | None) -> str:
        source, target = register.ids(row.ends)
        if source == target:
            raise ValueError(f"{row.ends[0].name!r} and {row.ends[1].name!r} are one: a relation needs two entities")
        more, agent = row.more, row.scope.agent if num is None else None
        new = RelationRow(source=source, target=target, num=num, agent=agent, **more)
        same = [Test(name, "eq", getattr(new, name)) for name in ("source", "relation", "target", "num", "origin")]
        held = self._transaction.find(RelationRow, [*same, Test("agent", "eq", agent)], order="id")
        if any(each._replace(id=0) == new for each in held):
            return KNOWN
        if new.believed_until is None and any(each.believed_until is None for each in held):
            return TAKEN
        self._transaction.put(new)
        return NEW

    def _alias(self, row: Restated, register: EntityStore, _num: int | None) -> str:
        (entity,) = register.ids(row.ends[:1])
        held = register.find(row.ends[1])
        agent = row.scope.agent
        if held is not None and register.top(held.id, agent).id == register.top(entity, agent).id:
            return KNOWN
        register.alias(entity, row.ends[1], agent)
        return NEW

    def _merge(self, row: Restated, register: EntityStore, num: int | None) -> str:
        more, (keep, other) = row.more, register.ids(row.ends)
        place = more["id"], register.namespace
        new = MergeRow(*place, keep, other, num, row.scope.agent, more["state"], more["reason"], more["at"])
        held = self._transaction.find(MergeRow, [Test("id", "eq", new.id)], order="id")
        if held:
            return KNOWN if held[0] == new else TAKEN
        if keep == other:
            raise ValueError(f"{row.ends[0].name!r} and {row.ends[1].name!r} are one already")
        if new.state == MERGED:
            register.merge(other, keep, row.scope.agent)
        pair_ = [Test("keep", "in", (keep, other)), Test("other", "in", (keep, other))]
        self._transaction.delete(
            MergeRow, [*pair_, Test("state", "eq", PROPOSED)]
        )  # it was settled where it comes from
        self._transaction.put(new)
        return NEW


_AT_ONCE = 500
_LONGEST_ID = 64
RETELLING_TAKEN = "another message has its position"
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
        self._room = rules_of(engine).turn_tokens
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
        opened, touched = (
            _retelling_time(row["opened_at"], "opened_at"),
            _retelling_time(row["touched_at"], "touched_at"),
        )
        ended = None if row["ended_at"] is None else _retelling_time(row["ended_at"], "ended_at")
        return Retold(scope=scope, opened_at=opened, touched_at=touched, ended_at=ended)

    def _turn(self, scope: Scope, row: Mapping[str, Any]) -> Retold:
        engine, at, memory_id = self._engine, _retelling_time(row["at"], "at"), row["memory_id"]
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
            return KNOWN if here == (row.message.role, row.message.content) else RETELLING_TAKEN
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


def _retelling_time(value: Any, name: str) -> datetime:
    return utc(datetime.fromisoformat(value), name)


FORMAT, VERSION = "engrain-export", 1
BATCH = 500
_MOST_REJECTED = 100_000


def export(engine: Engine, scope: Scope, path: str | os.PathLike[str]) -> int:
    """Write all that the view sees: memories, conversations, an extract of the audit trail; return the rows."""
    target = file_of(path)
    with new_file(target) as unfinished, _open(unfinished, target, "wt") as file:
        lines = Lines(file)
        for row in _rows(engine, scope):
            lines.write(row)
        lines.sign(engine, scope)
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
    engine: Engine, scope: Scope, path: str | os.PathLike[str], *, trust: ImportTrust, on_conflict: OnConflict
) -> Imported:
    """Read an export back; see `MemoryManager.import_`."""
    checked_choice(on_conflict, "on_conflict", OnConflict)
    own = checked_choice(trust, "trust", ImportTrust) == "file"
    source = file_of(path)
    incoming = Incoming(scope.org, SourceType.SYSTEM if own else SourceType(trust), engine.settings)
    run = _Import(engine, scope, skips=on_conflict == "skip")
    pending: list[tuple[int, Memory]] = []
    tells = False
    with _open(source, source, "rt") as file:
        if own:
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
        prepared = [self._prepared(memory) for memory in fresh.values()]
        for result in store(self.engine, prepared, now=self.engine.clock.now(), operation="import"):
            if result.status != "noop":
                self.created += 1
                self.links[result.id] = fresh[result.id].links
            else:
                self.known += 1

    def _prepared(self, memory: Memory) -> Prepared:
        about = read_topics(memory, self.engine.packs, fact_given=memory.fact is not None)
        return Prepared(memory, index(memory, situate=self.engine.settings.situate), mentions=about)

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
        raise ValueError(f"{source} is not an export of Engrain: its first line is no header")
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
