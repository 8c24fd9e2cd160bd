"""Import of an export: every row is checked like a write."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

from engrain import validation as checks
from engrain.chat.logs import read_lines
from engrain.config import Settings
from engrain.conversation.sessions import Message, checked, conversation, in_session, rules_of
from engrain.engine import Engine
from engrain.errors import MemoryRejected, NotFound
from engrain.graph.entity_store import EntityStore, pair, read_topics
from engrain.model.choices import ImportTrust, OnConflict, checked_choice
from engrain.model.entities import Named, relation_name
from engrain.model.filters import Filter, Test, within
from engrain.model.memory import RELATIONS, Kind, Link, Memory, Scope, SourceType, Status
from engrain.model.procedure import Procedure
from engrain.model.results import Imported
from engrain.security.admission import BASE, Look, classify, is_open, least_trusted
from engrain.security.audit import Trail, who
from engrain.storage.interface import Transaction
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
from engrain.transfer.export import CONVERSATION, FORMAT, GRAPH_ROWS, TURN, VERSION, check_own, opened
from engrain.urls import file_of
from engrain.validation import identifier, is_whole, scope_of
from engrain.write.pipeline import store
from engrain.write.prepare import Prepared, checked_procedure, describe, index, screened, suspected, text_of

REFUSED = (ValueError, TypeError, KeyError, AttributeError, OverflowError, MemoryRejected, RecursionError)
"""What a row may raise that is no row of an export."""
NEW, KNOWN = "new", "known"
"""What became of a row: it was put, or it was here; else why not."""
TAKEN = "something else is stated in its place"
POSITION_TAKEN = "another message has its position"
OPEN = "the conversation is open here and goes on: end its session first"
BATCH = 500
MAX_COUNT = 2**31
MAX_STRENGTH = 2.0
_MOST_REJECTED = 100_000
_LONGEST_ID = 64
_TEXTS = ("id", "summary", "status_reason")
_LISTS = ("keywords", "entities", "supersedes", "tags", "links")
_COUNTS = ("evidence_count", "access_count", "evolution_count", "version")
_TIMES = ("recorded_at", "updated_at", "valid_from", "valid_until", "believed_until", "expires_at", "last_accessed")
_ALWAYS = _TIMES[:3]
_Json = Mapping[str, Any]
_Key = tuple[str | None, str | None, str]


def import_(
    engine: Engine, scope: Scope, path: str | os.PathLike[str], *, trust: ImportTrust, on_conflict: OnConflict
) -> Imported:
    """Read an export back; see `MemoryManager.import_`."""
    checked_choice(on_conflict, "on_conflict", OnConflict)
    own = checked_choice(trust, "trust", ImportTrust) == "file"
    source = file_of(path)
    highest = SourceType.SYSTEM if own else SourceType(trust)
    run = _Import(engine, scope, skips=on_conflict == "skip")
    pending: list[tuple[int, Memory]] = []
    has_conversations = False
    with opened(source, source, "rt") as file:
        if own:
            check_own(engine, file, source)
        for number, row in _lines(file, source, run.rejected):
            kind = row.get("type")
            with run.refusing(number):
                if kind == "memory":
                    pending.append((number, _memory(row, scope.org, highest, engine.settings)))
                elif kind == "revision":
                    memory_id, revision = _revision(row, scope.org, highest, engine.settings)
                    run.revisions.setdefault(memory_id, []).append(revision)
                elif kind in GRAPH_ROWS:
                    run.graph.append((number, _checked_graph_row(scope.org, row)))
                elif kind in (CONVERSATION, TURN):
                    has_conversations = True
            if len(pending) >= BATCH:
                run.put_memories(pending)
                pending = []
        run.put_memories(pending)
        run.put_links()
        run.put_graph()
        if has_conversations:  # a long log is not held in memory; it is read once all that its turns name is there
            file.seek(0)
            rows = (
                (number, row) for number, row in _lines(file, source, {}) if row.get("type") in (CONVERSATION, TURN)
            )
            run.put_conversations(rows)
    return Imported(run.created, run.known, run.skipped, run.rejected)


def _lines(file: IO[str], source: Path, rejected: dict[int, str]) -> Iterator[tuple[int, _Json]]:
    """Yield the rows of an export after its header, with the numbers of their lines."""
    number, headed = 0, False
    try:
        for number, line in read_lines(file, source):
            if not line.strip():
                continue
            if len(rejected) >= _MOST_REJECTED:
                why = f"{len(rejected):,} lines before it are rejected, line {min(rejected)} because: "
                raise ValueError(f"{source}, line {number}: {why}{rejected[min(rejected)]}")
            try:
                row, why = json.loads(line), "not an object"
            except (ValueError, RecursionError) as error:
                row, why = None, f"not JSON: {error}"
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


def _check_header(row: object, source: Path) -> None:
    if not isinstance(row, dict) or row.get("format") != FORMAT:
        raise ValueError(f"{source} is not an export of Engrain: its first line is no header")
    if row.get("version") != VERSION:
        raise ValueError(f"{source} is export version {row.get('version')}, this one reads {VERSION}")


# ------------------------------------------------------------------------------------------------------------- memories


def _memory(row: _Json, org: str, highest: SourceType, settings: Settings) -> Memory:
    """Return the memory of a row, checked like a write: of the trust class `highest` at most, with its own hash."""
    for name in _LISTS:
        if not isinstance(row.get(name, []), list):
            raise TypeError(f"{name} must be a list")
    memory = Memory.from_dict(row)
    text = check_content(memory.content, max_bytes=settings.max_content_bytes)
    if not is_open(settings):
        memory = _screened(memory, settings)
        text = memory.content
    procedure = _procedure(memory)
    texts = [text] if procedure is None else [text, text_of(procedure)]
    lowest = least_trusted([memory.source.type, highest])
    reasons = (why for each in texts for why in screened(each, settings, lowest, source_id=memory.source.id))
    suspicious = tuple(dict.fromkeys(reasons))
    if suspicious and memory.status is Status.ACTIVE:  # a status may sink on the way, and never rises
        memory = replace(memory, status=Status.QUARANTINED, status_reason=suspected(suspicious))
    _check_texts(memory)
    _check_numbers(memory)
    if memory.kind is Kind.WORKING and memory.scope.session is None:
        raise ValueError("working memory belongs to a session, and the row names none")
    return replace(
        memory,
        **_times(memory),
        scope=scope_of(org, memory.scope.user, memory.scope.agent, memory.scope.session),
        tags=tuple(identifier(tag, "a tag") for tag in memory.tags),
        metadata=checks.checked_metadata(memory.metadata),
        procedure=procedure,
        source=replace(memory.source, type=lowest, content_hash=content_hash(text), signature=None),
        trust=min(memory.trust, BASE[lowest]),
    )


def _screened(memory: Memory, settings: Settings) -> Memory:
    """Return a memory as the policies for secrets and personal data let it be kept."""
    look = Look.under(settings)
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
    if kept.content != memory.content:  # its summary and keywords describe all of it
        described = describe(kept.content, settings)
        kept = replace(kept, summary=described.summary, keywords=described.keywords)
    if look.waits and kept.status is Status.ACTIVE:
        kept = replace(kept, status=Status.QUARANTINED, status_reason="; ".join(look.waits))
    return kept


def _revision(row: _Json, org: str, highest: SourceType, settings: Settings) -> tuple[str, Revision]:
    """Return the revision of a row, and the id of its memory; its row number is not known yet."""
    memory_id, version = identifier(row["memory_id"], "memory_id"), _count(row["version"], "version")
    since, until = (_time(row[name], name) for name in ("believed_from", "believed_until"))
    before = json.dumps(_memory(row["memory"], org, highest, settings).to_dict(), ensure_ascii=False)
    return memory_id, Revision(0, version, since, until, before, identifier(row.get("change", EDIT), "change"))


def _check_texts(memory: Memory) -> None:
    for name in _TEXTS:
        check_text(getattr(memory, name), what=name)
    if not _is_id(memory.id, "mem_"):
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


def _is_id(name: str, prefix: str) -> bool:
    return name.startswith(prefix) and name[4:].isalnum() and len(name) <= _LONGEST_ID


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
        _count(getattr(memory, name), name)
    if memory.position is not None:
        _count(memory.position, "position")
    if isinstance(memory.strength, bool) or not 0 <= memory.strength <= MAX_STRENGTH:
        raise ValueError(f"strength is {memory.strength!r}: it must be from 0 to {MAX_STRENGTH}")
    checks.checked_bool(memory.pinned, "pinned")


def _count(value: object, name: str) -> int:
    """Return a whole number from 0 that is no larger than any count grows."""
    if not isinstance(value, int) or not is_whole(value) or not 0 <= value < MAX_COUNT:
        raise ValueError(f"{name} is {value!r}: it must be a whole number from 0")
    return value


def _times(memory: Memory) -> dict[str, Any]:
    times = {name: getattr(memory, name) for name in _TIMES}
    for name in _ALWAYS:
        if times[name] is None:
            raise ValueError(f"{name} is missing")
    times = {name: None if at is None else _utc(at, name) for name, at in times.items()}
    if times["valid_until"] is not None and times["valid_until"] < times["valid_from"]:
        raise ValueError("valid_until lies before valid_from")
    return times


def _utc(at: datetime, name: str) -> datetime:
    if at.utcoffset() is None:
        raise ValueError(f"{name} needs an offset")
    return at.astimezone(UTC)


def _time(value: Any, name: str) -> datetime:
    return _utc(datetime.fromisoformat(value), name)


def _time_or_none(row: _Json, name: str) -> datetime | None:
    return None if row.get(name) is None else _time(row[name], name)


# ----------------------------------------------------------------------------------------------------------- the graph


@dataclass(frozen=True, slots=True)
class GraphRow:
    """A checked row of the graph; `more` are the fields that only its kind has."""

    kind: str
    scope: Scope
    ends: tuple[Named, ...]
    memory_id: str | None
    more: _Json


def _checked_graph_row(org: str, row: _Json) -> GraphRow:
    scope = scope_of(org, row["user"], row.get("agent"), None)
    names, more = _GRAPH_KINDS[row["type"]]
    memory_id = row.get("memory_id")
    if memory_id is not None:
        identifier(memory_id, "memory_id")
    return GraphRow(row["type"], scope, tuple(pair(row[name], name) for name in names), memory_id, more(row))


def _mention_fields(row: _Json) -> _Json:
    identifier(row["memory_id"], "memory_id")
    return {"origin": _one_of(row, "origin", (STATED, TOLD)), "pairs": checks.checked_bool(row["pairs"], "pairs")}


def _relation_fields(row: _Json) -> _Json:
    weight = checks.checked_share(row["weight"], "weight")
    relation = relation_name(identifier(row["relation"], "relation"))
    names = ("valid_from", "valid_until", "recorded_at", "believed_until")
    times = {name: _time_or_none(row, name) for name in names}
    since, until = times["valid_from"], times["valid_until"]
    if weight is None or not relation or times["recorded_at"] is None:
        raise ValueError("weight, relation or recorded_at is missing")
    if since is not None and until is not None and until < since:
        raise ValueError("valid_until lies before valid_from")
    origin = _one_of(row, "origin", (STATED, TOLD))
    return {"relation": relation, "origin": origin, "weight": weight, **times}


def _merge_fields(row: _Json) -> _Json:
    merge_id, at = identifier(row["id"], "id"), _time_or_none(row, "at")
    if not _is_id(merge_id, "mrg_"):
        raise ValueError(f"{merge_id!r} is not the id of a merge")
    if at is None:
        raise ValueError("at is missing")
    reason = checks.checked_reason(check_text(row["reason"], what="reason"))
    return {"id": merge_id, "state": _one_of(row, "state", (MERGED, UNDONE, MERGE_REFUSED)), "reason": reason, "at": at}


_GRAPH_KINDS: Mapping[str, tuple[tuple[str, ...], Callable[[_Json], _Json]]] = {
    "entity": (("entity",), lambda row: {"metadata": dict(checks.checked_metadata(row["metadata"]))}),
    "mention": (("entity",), _mention_fields),
    "relation": (("source", "target"), _relation_fields),
    "alias": (("entity", "alias"), lambda _: {}),
    "merge": (("keep", "other"), _merge_fields),
}
"""By kind of row: the names of its entities, and what reads its other fields."""


def _one_of(row: _Json, name: str, values: Sequence[str]) -> str:
    if row[name] not in values:
        raise ValueError(f"{name} is {row[name]!r}: it must be one of {', '.join(values)}")
    return str(row[name])


class _GraphImport:
    """Rows of the graph put into a store, inside one transaction."""

    def __init__(self, engine: Engine, transaction: Transaction, scope: Scope) -> None:
        self._engine, self._transaction, self._scope = engine, transaction, scope
        self._stores: dict[str | None, EntityStore] = {}
        self.trail = Trail(transaction, scope.org, actor=who(scope), at=engine.clock.now())

    def put(self, row: GraphRow) -> str:
        """Put a row and return what became of it; raises `ValueError`, or `NotFound` for an unknown memory."""
        user = row.scope.user
        if user not in self._stores:
            self._stores[user] = EntityStore(self._transaction, self._engine.packs, self._scope.org, user)
        outcome: str = getattr(self, f"_{row.kind}")(row, self._stores[user], self._evidence(row))
        if outcome == NEW:
            self.trail.note("import", row.more.get("id") or f"ent_{self._stores[user].ids(row.ends[:1])[0]}")
        return outcome

    def _evidence(self, row: GraphRow) -> int | None:
        """Return the row number of the memory that says so, which has to be of the same user."""
        if row.memory_id is None:
            return None
        found = self._transaction.find(Record, within(Scope(self._scope.org)).but(Test("id", "eq", row.memory_id)))
        if not found or found[0].memory.scope.user != row.scope.user:
            raise NotFound(row.memory_id)
        return found[0].num

    def _entity(self, row: GraphRow, entities: EntityStore, _: int | None) -> str:
        (entity,) = entities.ids(row.ends)
        here = [Test("entity", "eq", entity), Test("agent", "eq", row.scope.agent or ALL_AGENTS)]
        held = self._transaction.find(EntityNote, here, order="entity")
        before = json.loads(held[0].metadata) if held else {}
        if held and row.more["metadata"].keys() <= before.keys():
            return KNOWN
        entities.stand(entity, row.scope.agent, {**row.more["metadata"], **before})
        if not held:
            entities.retyped(entity, row.ends[0].type)
        return NEW

    def _mention(self, row: GraphRow, entities: EntityStore, num: int | None) -> str:
        (entity,) = entities.ids(row.ends)
        held = self._transaction.find(MentionRow, [Test("entity", "eq", entity), Test("num", "eq", num)])
        if any(mention.origin in (STATED, row.more["origin"]) for mention in held):
            return KNOWN
        self._transaction.put(MentionRow(entity, num or 0, **row.more))
        return NEW

    def _relation(self, row: GraphRow, entities: EntityStore, num: int | None) -> str:
        source, target = entities.ids(row.ends)
        if source == target:
            raise ValueError(f"{row.ends[0].name!r} and {row.ends[1].name!r} are one: a relation needs two entities")
        agent = row.scope.agent if num is None else None
        new = RelationRow(source=source, target=target, num=num, agent=agent, **row.more)
        same = [Test(name, "eq", getattr(new, name)) for name in "source relation target num origin agent".split()]
        held = self._transaction.find(RelationRow, same, order="id")
        if any(each._replace(id=0) == new for each in held):
            return KNOWN
        if new.believed_until is None and any(each.believed_until is None for each in held):
            return TAKEN
        self._transaction.put(new)
        return NEW

    def _alias(self, row: GraphRow, entities: EntityStore, _: int | None) -> str:
        (entity,) = entities.ids(row.ends[:1])
        held, agent = entities.find(row.ends[1]), row.scope.agent
        if held is not None and entities.top(held.id, agent).id == entities.top(entity, agent).id:
            return KNOWN
        entities.alias(entity, row.ends[1], agent)
        return NEW

    def _merge(self, row: GraphRow, entities: EntityStore, num: int | None) -> str:
        keep, other = entities.ids(row.ends)
        new = MergeRow(ns=entities.namespace, keep=keep, other=other, num=num, agent=row.scope.agent, **row.more)
        held = self._transaction.find(MergeRow, [Test("id", "eq", new.id)], order="id")
        if held:
            return KNOWN if held[0] == new else TAKEN
        if keep == other:
            raise ValueError(f"{row.ends[0].name!r} and {row.ends[1].name!r} are one already")
        if new.state == MERGED:
            entities.merge(other, keep, row.scope.agent)
        both = [Test("keep", "in", (keep, other)), Test("other", "in", (keep, other))]
        self._transaction.delete(MergeRow, [*both, Test("state", "eq", PROPOSED)])  # it was settled in its source
        self._transaction.put(new)
        return NEW


# ------------------------------------------------------------------------------------------------------- conversations


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationLine:
    """A checked row: of a conversation, or of a turn, which has a `message`."""

    scope: Scope
    opened_at: datetime
    touched_at: datetime
    ended_at: datetime | None = None
    message: Message | None = None
    position: int = 0
    tokens: int = 0
    id: str = ""
    memory_id: str | None = None


def _checked_line(engine: Engine, org: str, row: _Json) -> ConversationLine:
    scope = in_session(scope_of(org, row["user"], row["agent"], row["session"]), None)
    if row["type"] == CONVERSATION:
        opened_at, touched_at = _time(row["opened_at"], "opened_at"), _time(row["touched_at"], "touched_at")
        ended_at = None if row["ended_at"] is None else _time(row["ended_at"], "ended_at")
        return ConversationLine(scope=scope, opened_at=opened_at, touched_at=touched_at, ended_at=ended_at)
    at, memory_id = _time(row["at"], "at"), row["memory_id"]
    message = checked(engine, row["role"], row["content"], actor=row["actor"], at=at, metadata=row["metadata"])
    if engine.settings.remember_turns and message.role != "system":
        screened(message.text, engine.settings, classify(message.source_type, engine.settings.origins)[0])
    counted = max(int(engine.tokenizer.count_tokens(message.text or message.content)), 0)
    return ConversationLine(
        scope=scope,
        opened_at=at,
        touched_at=at,
        message=message,
        position=_count(row["position"], "position"),
        tokens=min(counted, rules_of(engine).turn_tokens),
        id=identifier(row["id"], "id"),
        memory_id=None if memory_id is None else identifier(memory_id, "memory_id"),
    )


class _ConversationImport:
    """The rows of one conversation put into a store, inside a transaction."""

    def __init__(
        self,
        engine: Engine,
        transaction: Transaction,
        lines: Sequence[ConversationLine],
        memories: Mapping[str, Record],
    ) -> None:
        self._engine, self._transaction, self._memories = engine, transaction, memories
        self._scope = lines[0].scope
        self._held = conversation(transaction, self._scope)
        self._begun = False
        self._turns: list[TurnRow] = []
        self._texts: dict[int, tuple[str, str | None]] = {}  # role and content by position
        if self._held is not None:
            positions = Test("position", "in", tuple({line.position for line in lines}))
            found = transaction.find(TurnRow, [Test("conversation", "eq", self._held.num), positions], order="position")
            self._texts = {row.position: (row.role, row.content) for row in found}

    def put(self, line: ConversationLine, now: datetime) -> str:
        """Put a row and return what became of it."""
        known = self._held is not None
        held = self._held or self._begin(line, now)
        message = line.message
        if message is None:
            return KNOWN if known else NEW
        here = self._texts.get(line.position)
        if here is not None:
            return KNOWN if here == (message.role, message.content) else POSITION_TAKEN
        if held.ended_at is None and line.position >= held.since:
            return OPEN
        self._texts[line.position] = message.role, message.content
        record = self._memory(line, message)
        turn = TurnRow(
            conversation=held.num,
            position=line.position,
            id=line.id if _is_id(line.id, "trn_") else self._engine.new_id("trn"),
            role=message.role,
            actor=message.actor,
            at=message.at,
            tokens=line.tokens,
            live=False,
            num=None,
            content=message.content,
            metadata=dict(message.metadata),
        )
        if record is not None:
            own = None if record.memory.content == message.content else message.content
            turn = turn._replace(id=record.memory.id, num=record.num, content=own)
        self._turns.append(turn)
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

    def _begin(self, line: ConversationLine, now: datetime) -> ConversationRow:
        """Put a conversation that has ended."""
        scope = self._scope
        namespace = self._transaction.namespace(scope.org, scope.user)
        times = line.opened_at, line.touched_at, line.ended_at or now
        new = ConversationRow(conversation_id(scope), namespace, scope.agent, scope.session or "", *times)
        self._transaction.put(new)
        self._held, self._begun = conversation(self._transaction, scope), True
        assert self._held is not None
        return self._held

    def _memory(self, line: ConversationLine, message: Message) -> Record | None:
        """Return the memory that a turn is too: one of the same conversation that says, or said, exactly this."""
        record = self._memories.get(line.memory_id or "")
        if record is None or record.memory.scope != line.scope or is_blank(message.text):
            return None
        if record.memory.content == message.text:
            return record
        earlier = self._transaction.find(Revision, [Test("num", "eq", record.num)], order="seq")
        return record if any(json.loads(each.memory)["content"] == message.text for each in earlier) else None


# --------------------------------------------------------------------------------------------------------- one import


def _reason(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if type(error) is KeyError else str(error)


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
    graph: list[tuple[int, GraphRow]] = field(default_factory=list)
    noted: set[str] = field(default_factory=set)  # the conversations that the audit trail names

    @contextmanager
    def refusing(self, number: int) -> Iterator[None]:
        """Reject a line for what its block raises."""
        try:
            yield
        except REFUSED as error:
            self.rejected[number] = _reason(error)

    def _settle(self, number: int, outcome: str) -> None:
        """Count what became of a line; what has no place here is skipped or rejected."""
        if outcome == NEW:
            self.created += 1
        elif outcome == KNOWN:
            self.known += 1
        elif self.skips:
            self.skipped += 1
        else:
            self.rejected[number] = outcome

    def put_memories(self, rows: list[tuple[int, Memory]]) -> None:
        """Store checked memories; one whose id is here is known, or has no place when it says something else."""
        if not rows:
            return
        here, keys = _taken(self.engine, [memory for _, memory in rows])
        fresh: dict[str, Memory] = {}
        for number, memory in rows:
            other, key = here.get(memory.id) or fresh.get(memory.id), _key(memory)
            if other is not None and (other.scope, other.content) == (memory.scope, memory.content):
                self._settle(number, KNOWN)
            elif other is not None:
                self._settle(number, f"{memory.id} is taken by another memory")
            elif key is not None and key in keys:
                self._settle(number, f"key {memory.key!r} is taken by another memory")
            else:
                fresh[memory.id] = memory
                keys |= {key} if key is not None else set()
        situate, packs = self.engine.settings.situate, self.engine.packs
        prepared = []
        for memory in fresh.values():
            about = read_topics(memory, packs, fact_given=memory.fact is not None)
            prepared.append(Prepared(memory, index(memory, situate=situate), mentions=about))
        for result in store(self.engine, prepared, now=self.engine.clock.now(), operation="import"):
            if result.status != "noop":
                self.created += 1
                self.links[result.id] = fresh[result.id].links
            else:
                self.known += 1

    def put_links(self) -> None:
        """Give the memories that are new here their links and their history; what was here is left as it was."""
        ids = [memory_id for memory_id, links in self.links.items() if links or memory_id in self.revisions]
        for start in range(0, len(ids), BATCH):
            self.engine.store.write(partial(self._put_links, ids[start : start + BATCH]), self.scope.org)

    def _put_links(self, ids: list[str], transaction: Transaction) -> None:
        targets = [link.memory_id for memory_id in ids for link in self.links[memory_id]]
        wanted, where = list(dict.fromkeys([*ids, *targets])), within(self.scope)
        rows: dict[str, tuple[int, str | None]] = {}
        for start in range(0, len(wanted), BATCH):
            some = where.but(Test("id", "in", tuple(wanted[start : start + BATCH])))
            rows.update((r.memory.id, (r.num, r.memory.scope.user)) for r in transaction.find(Record, some))
        for memory_id in ids:
            num, user = rows[memory_id]
            ends = ((link.relation, rows.get(link.memory_id)) for link in self.links[memory_id])
            # No user's memory is linked with another's, whatever the file says: a link shows the id at its other end.
            edges = [Edge(num, relation, end[0]) for relation, end in ends if end is not None and end[1] == user]
            earlier = {(r.version, r.believed_until, r.change): r for r in self.revisions.get(memory_id, ())}
            transaction.put(*(edge for edge in edges if edge.relation in (*RELATIONS, SUPERSEDES, CORRECTS)))
            transaction.put(*(revision._replace(num=num) for revision in earlier.values()))

    def put_graph(self) -> None:
        """Put what the file says of the graph beyond what the texts say."""
        self.graph.sort(key=lambda each: GRAPH_ROWS.index(each[1].kind))
        for start in range(0, len(self.graph), BATCH):
            change = partial(self._put_graph, self.graph[start : start + BATCH])
            for number, outcome in self.engine.store.write(change, self.scope.org).items():
                if outcome in (NEW, KNOWN, TAKEN):
                    self._settle(number, outcome)
                else:
                    self.rejected[number] = outcome

    def _put_graph(self, rows: list[tuple[int, GraphRow]], transaction: Transaction) -> dict[int, str]:
        """Put some rows; return what became of each, or why it was refused."""
        graph, outcomes = _GraphImport(self.engine, transaction, self.scope), dict[int, str]()
        for number, row in rows:
            try:
                outcomes[number] = graph.put(row)
            except REFUSED as error:
                outcomes[number] = _reason(error)
        graph.trail.write()
        return outcomes

    def put_conversations(self, rows: Iterable[tuple[int, _Json]]) -> None:
        """Put what the file says of conversations, some hundred rows in a transaction."""
        pending: list[tuple[int, ConversationLine]] = []
        for number, row in rows:
            with self.refusing(number):
                pending.append((number, _checked_line(self.engine, self.scope.org, row)))
            if len(pending) >= BATCH:
                self._store_lines(pending)
                pending = []
        self._store_lines(pending)

    def _store_lines(self, lines: Sequence[tuple[int, ConversationLine]]) -> None:
        if lines:
            outcomes, noted = self.engine.store.write(partial(self._put_lines, lines), self.scope.org)
            self.noted.update(noted)
            for number, outcome in outcomes.items():
                self._settle(number, outcome)

    def _put_lines(
        self, lines: Sequence[tuple[int, ConversationLine]], transaction: Transaction
    ) -> tuple[Mapping[int, str], Sequence[str]]:
        """Put some rows; return what became of each, and the conversations that were noted in the audit trail."""
        grouped: dict[Scope, list[tuple[int, ConversationLine]]] = {}
        for number, line in lines:
            grouped.setdefault(line.scope, []).append((number, line))
        ids = Test("id", "in", tuple({line.memory_id for _, line in lines if line.memory_id is not None}))
        found = transaction.find(Record, Filter(self.scope.org).but(ids))
        memories = {record.memory.id: record for record in found}
        trail = Trail(transaction, self.scope.org, actor=who(self.scope), at=self.engine.clock.now())
        outcomes: dict[int, str] = {}
        noted: list[str] = []
        for scope, some in grouped.items():
            into = _ConversationImport(self.engine, transaction, [line for _, line in some], memories)
            outcomes.update((number, into.put(line, trail.at)) for number, line in some)
            if into.finish() and (name := conversation_id(scope)) not in self.noted:
                trail.note("import", name)
                noted.append(name)
        trail.write()
        return outcomes, noted


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
