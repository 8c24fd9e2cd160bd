"""Import of an export: every row is checked like a write."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar

from engrain import records
from engrain import validation as checks
from engrain.arguments import Progress
from engrain.chat.logs import read_lines
from engrain.config import Settings
from engrain.conversation.sessions import checked, conversation, in_session, rules_of
from engrain.engine import Engine
from engrain.errors import MemoryRejected, NotFound
from engrain.graph.entity_store import EntityStore, pair, read_topics
from engrain.guard import checkpoint
from engrain.model.choices import ImportTrust, OnConflict, checked_choice
from engrain.model.entities import relation_name
from engrain.model.filters import Filter, Test, within
from engrain.model.memory import RELATIONS, Kind, Link, Memory, Scope, SourceType, Status
from engrain.model.procedure import Procedure
from engrain.model.results import Imported
from engrain.security.admission import BASE, Look, least_trusted, policies
from engrain.security.audit import Trail
from engrain.storage import rows as tables
from engrain.storage.interface import Transaction, batches, first, grouped
from engrain.storage.rows import ALL_AGENTS, CORRECTS, MERGED, STATED, TOLD, ConversationRow, Record, Revision, TurnRow
from engrain.text import check_content, check_text, digest, is_blank
from engrain.transfer.export import CONVERSATION, FORMAT, GRAPH_ROWS, RECORD, TURN, VERSION, check_own, opened
from engrain.urls import file_of
from engrain.validation import each_once, identifier, is_whole, scope_of
from engrain.write import prepare
from engrain.write.ingest import checked_progress, report_progress
from engrain.write.pipeline import store_if
from engrain.write.transitions import transact

_INVALID = (ValueError, TypeError, KeyError, AttributeError, OverflowError, MemoryRejected, RecursionError)
"""The errors that a row may raise that is no row of an export."""
_NEW, _KNOWN = "created", "known"
"""The outcomes of a row: put, or already present; any other text is the reason against it."""
_TAKEN = "something else is stated in its place"
_OPEN = "the conversation is open here and goes on: end its session first"
_BATCH = 500
_MAX_COUNT = 2**31
_MAX_STRENGTH = 2.0
_MOST_REJECTED, _REPORTED = 100_000, 500
_LONGEST_ID = 64
_NAMED = tuple("source relation target entity alias keep other reason metadata".split())
"""The fields of a row of the graph that hold names and other texts."""
_LISTS = ("keywords", "entities", "supersedes", "tags", "links")
_Json = Mapping[str, Any]
_Key = tuple[str | None, str | None, str]
T = TypeVar("T")


def import_(
    engine: Engine,
    scope: Scope,
    path: str | os.PathLike[str],
    *,
    trust: ImportTrust,
    on_conflict: OnConflict,
    progress: Progress | None = None,
) -> Imported:
    """Read an export back; see `MemoryManager.import_`."""
    checked_choice(on_conflict, "on_conflict", OnConflict)
    own = checked_choice(trust, "trust", ImportTrust) == "file"
    source, listener = file_of(path), checked_progress(progress)
    run = _Import(engine, scope, SourceType.SYSTEM if own else SourceType(trust), skips=on_conflict == "skip")
    kinds: set[object] = set()
    with opened(source, source, "rt") as file:
        if own:
            check_own(engine, file, source)
        try:
            for number, row in _lines(file, source, run.rejected):
                run.take(number, row)
                if number % _REPORTED == 0:
                    done = os.lseek(file.fileno(), 0, os.SEEK_CUR)
                    report_progress(listener, done, source.stat().st_size, f"{number:,} rows")
                kinds.add(row.get("type"))
            run.put_memories()
        finally:  # rows that a cancelled import has put are known to the next one
            run.put_links()
        run.put_graph()
        # Long logs and values are not kept in memory: they are read once everything that they refer to exists.
        if not kinds.isdisjoint((CONVERSATION, TURN)):
            file.seek(0)
            run.put_conversations(_lines(file, source, {}))
        if RECORD in kinds:
            file.seek(0)
            run.put_records(_lines(file, source, {}))
    return Imported(run.counts[_NEW], run.counts[_KNOWN], run.skipped, run.rejected)


def _lines(file: IO[str], source: Path, rejected: dict[int, str]) -> Iterator[tuple[int, _Json]]:
    """Yield the rows of an export after its header, with the numbers of their lines."""
    number, headed = 0, False
    try:
        for number, line in read_lines(file, source):
            checkpoint(writes=True)
            if not line.strip():
                continue
            if len(rejected) >= _MOST_REJECTED:
                why = f"{len(rejected):,} lines before it are rejected, line {min(rejected)} because: "
                raise ValueError(f"{source}, line {number}: {why}{rejected[min(rejected)]}")
            try:
                row, why = json.loads(line, object_pairs_hook=each_once), "not an object"
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
        raise ValueError(f"{source} is not an export of Engrain: its first line is no header; ingest reads other files")
    if row.get("version") != VERSION:
        raise ValueError(f"{source} is export version {row.get('version')}, this one reads {VERSION}")


def _text(value: object, name: str) -> str:
    return check_text(value, what=name)


def _id(value: object, prefix: str) -> str:
    found = identifier(value, "id")
    if not _is_id(found, prefix):
        raise ValueError(f"{found!r} is not the id of a {'memory' if prefix == 'mem_' else 'merge'}")
    return found


def _is_id(value: str, prefix: str) -> bool:
    return value.startswith(prefix) and value[4:].isalnum() and len(value) <= _LONGEST_ID


def _count(value: object, name: str) -> int:
    """Return a whole number from 0 that is no larger than any real count."""
    if not isinstance(value, int) or not is_whole(value) or not 0 <= value < _MAX_COUNT:
        raise ValueError(f"{name} is {value!r}: it must be a whole number from 0")
    return value


def _strength(value: float, name: str) -> float:
    if isinstance(value, bool) or not 0 <= value <= _MAX_STRENGTH:
        raise ValueError(f"{name} is {value!r}: it must be from 0 to {_MAX_STRENGTH}")
    return value


def _time(value: datetime | str, name: str) -> datetime:
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    if at.utcoffset() is None:
        raise ValueError(f"{name} needs an offset")
    return at.astimezone(UTC)


def _optional(check: Callable[[Any, str], T]) -> Callable[[Any, str], T | None]:
    return lambda value, name: None if value is None else check(value, name)


def _required(check: Callable[[Any, str], T | None]) -> Callable[[Any, str], T]:
    def present(value: Any, name: str) -> T:
        found = None if value is None else check(value, name)
        if found is None:
            raise ValueError(f"{name} is missing")
        return found

    return present


def _one_of(row: _Json, name: str, values: Sequence[str]) -> str:
    if row[name] not in values:
        raise ValueError(f"{name} is {row[name]!r}: it must be one of {', '.join(values)}")
    return str(row[name])


def _check_order(since: datetime | None, until: datetime | None) -> None:
    if since is not None and until is not None and until < since:
        raise ValueError("valid_until is before valid_from")


_maybe_name, _maybe_time = _optional(identifier), _optional(_time)

_FIELDS: Mapping[str, Callable[[Any, str], object]] = {
    "id": lambda value, _: _id(value, "mem_"),
    **dict.fromkeys(("key", "actor", "superseded_by"), _maybe_name),
    "domain": identifier,
    "tier": _required(lambda tier, _: checks.checked_tier(tier)),
    "fact": lambda fact, _: checks.checked_fact(fact),
    "tags": lambda tags, _: tuple(identifier(tag, "a tag") for tag in tags),
    "metadata": lambda metadata, _: checks.checked_metadata(metadata),
    **dict.fromkeys(("importance", "confidence", "trust"), _required(checks.checked_share)),
    **dict.fromkeys(("evidence_count", "access_count", "evolution_count", "version"), _count),
    "position": _optional(_count),
    "strength": _strength,
    "pinned": checks.checked_bool,
    **dict.fromkeys(("recorded_at", "updated_at", "valid_from"), _required(_time)),
    **dict.fromkeys(("valid_until", "believed_until", "expires_at", "last_accessed"), _maybe_time),
}
"""How the fields of a memory are checked; the others are checked with the text."""


def _memory(row: _Json, org: str, highest: SourceType, settings: Settings) -> Memory:
    """Return the memory of a row, checked like a write: of the trust class `highest` at most, with its own hash."""
    for name in _LISTS:
        if not isinstance(row.get(name, []), list):
            raise TypeError(f"{name} must be a list")
    memory = Memory.from_dict(row)
    text = check_content(memory.content, max_bytes=settings.max_content_bytes)
    origin, lists = memory.source, (*memory.keywords, *memory.entities, *memory.supersedes, *memory.tags)
    for item in (memory.summary, memory.status_reason, origin.origin, origin.id, origin.ref, *lists):
        _text(item, "summary, status_reason, source, keywords, entities, supersedes and tags")
    if not prepare.is_open(settings):
        memory = _screened(memory, settings)
        text, origin = memory.content, memory.source
    procedure, lowest, place = _procedure(memory), least_trusted([origin.type, highest]), memory.scope
    names = (memory.key, memory.actor, memory.domain, origin.origin, origin.id, origin.ref, memory.fact)
    derived = (place.session, place.agent, memory.tags, memory.entities, memory.keywords, memory.summary)
    beside = filter(None, prepare.texts_in((names, derived, memory.status_reason, memory.metadata, procedure)))
    reasons = prepare.screened(text, settings, lowest, source_id=origin.id)
    reasons += prepare.screened(beside, settings, lowest, source_id=origin.id)
    suspicious = tuple(dict.fromkeys(reasons))
    if suspicious and memory.stored_status is Status.ACTIVE:  # a status may sink on the way, and never rises
        memory = replace(memory, status=Status.QUARANTINED, status_reason=prepare.suspected(suspicious))
    values: dict[str, Any] = {name: check(getattr(memory, name), name) for name, check in _FIELDS.items()}
    _check_order(values["valid_from"], values["valid_until"])
    for link in memory.links:
        identifier(link.relation, "a link's relation")
        identifier(link.memory_id, "a link's memory_id")
    if memory.kind is Kind.WORKING and memory.scope.session is None:
        raise ValueError("working memory belongs to a session, and the row names none")
    values["trust"] = min(memory.trust, BASE[lowest])
    scope = scope_of(org, memory.scope.user, memory.scope.agent, memory.scope.session)
    source = replace(memory.source, type=lowest, content_hash=digest(text), signature=None)
    return replace(memory, **values, scope=scope, procedure=procedure, source=source)


def _screened(memory: Memory, settings: Settings) -> Memory:
    """Return a memory as the policies for secrets and personal data let it be kept."""
    look = Look(policies(settings))
    procedure = _procedure(memory)
    kept = replace(
        memory,
        content=look.text(memory.content),
        summary=look.text(memory.summary),
        keywords=look.texts(memory.keywords),
        fact=look.fact(checks.checked_fact(memory.fact)),
        tags=look.texts(memory.tags),
        entities=look.texts(memory.entities),
        metadata=look.value(checks.checked_metadata(memory.metadata)),
        source=replace(memory.source, ref=look.text(memory.source.ref)),
        procedure=None if procedure is None else look.procedure(procedure),
    )
    look.settle(memory.source.id)
    if kept.content != memory.content:  # its summary and keywords describe all of it
        described = prepare.describe(kept.content, settings)
        kept = replace(kept, summary=described.summary, keywords=described.keywords)
    if look.waits and kept.stored_status is Status.ACTIVE:
        kept = replace(kept, status=Status.QUARANTINED, status_reason="; ".join(look.waits))
    return kept


def _procedure(memory: Memory) -> Procedure | None:
    if memory.procedure is None:
        return None
    if memory.kind is not Kind.PROCEDURAL:
        raise ValueError(f"a memory of kind {memory.kind.value} carries no procedure")
    return prepare.checked_procedure(memory.procedure)


def _revision(row: _Json, org: str, highest: SourceType, settings: Settings) -> tuple[str, Revision]:
    """Return the revision of a row, and the id of its memory; its row number is not known yet."""
    memory_id, version = identifier(row["memory_id"], "memory_id"), _count(row["version"], "version")
    since, until = (_time(row[name], name) for name in ("believed_from", "believed_until"))
    before = json.dumps(_memory(row["memory"], org, highest, settings).to_row(), ensure_ascii=False)
    return memory_id, Revision(0, version, since, until, before, identifier(row.get("change", tables.EDIT), "change"))


class _GraphImport:
    """Rows of the graph put into a store, inside one transaction."""

    def __init__(self, engine: Engine, transaction: Transaction, scope: Scope) -> None:
        self._engine, self._transaction, self._org = engine, transaction, scope.org
        self._stores: dict[str | None, EntityStore] = {}
        self.trail = Trail(engine, transaction, scope, at=engine.clock.now())

    def put(self, row: _Json) -> str:
        """Check a row, put it, and return the outcome; raises the errors of `_INVALID`."""
        prepare.screen_names(prepare.texts_in([row.get(name) for name in _NAMED]), self._engine.settings)
        scope = scope_of(self._org, row["user"], row.get("agent"), None)
        if scope.user not in self._stores:
            self._stores[scope.user] = EntityStore(self._transaction, self._engine.packs, self._org, scope.user)
        entities = self._stores[scope.user]
        memory_id = _maybe_name(row.get("memory_id"), "memory_id")
        num = None if memory_id is None else self._evidence(memory_id, scope.user)
        outcome, about = getattr(self, f"_put_{row['type']}")(row, entities, scope.agent, num)
        if outcome == _NEW:
            self.trail.note("import", about if isinstance(about, str) else f"ent_{about}")
        return str(outcome)

    def _evidence(self, memory_id: str, user: str | None) -> int:
        """Return the row number of the memory that a row names, which has to be of the same user."""
        found = self._transaction.find(Record, Filter(self._org).but(Test("id", "eq", memory_id)))
        if not found or found[0].memory.scope.user != user:
            raise NotFound(memory_id)
        return found[0].num

    def _put_entity(self, row: _Json, entities: EntityStore, agent: str | None, _: int | None) -> tuple[str, int]:
        named, look = pair(row["entity"], "entity"), Look(policies(self._engine.settings))
        metadata = look.value(checks.checked_metadata(row["metadata"]))
        look.settle()
        if look.waits:
            raise prepare.withheld(tuple(look.waits), "")
        (entity,) = entities.ids([named])
        owned = Test("entity", "eq", entity), Test("agent", "eq", agent or ALL_AGENTS)
        here = first(self._transaction, tables.EntityNote, *owned)
        before = json.loads(here.metadata) if here else {}
        if here and metadata.keys() <= before.keys():
            return _KNOWN, entity
        entities.keep(entity, agent, {**metadata, **before})
        if not here:
            entities.retyped(entity, named.type)
        return _NEW, entity

    def _put_mention(self, row: _Json, entities: EntityStore, _: str | None, num: int | None) -> tuple[str, int]:
        identifier(row["memory_id"], "memory_id")
        origin, pairs = _one_of(row, "origin", (STATED, TOLD)), checks.checked_bool(row["pairs"], "pairs")
        (entity,) = entities.ids([pair(row["entity"], "entity")])
        here = self._transaction.find(tables.MentionRow, [Test("entity", "eq", entity), Test("num", "eq", num)])
        if any(mention.origin in (STATED, origin) for mention in here):
            return _KNOWN, entity
        self._transaction.put(tables.MentionRow(entity, num or 0, origin, pairs))
        return _NEW, entity

    def _put_relation(self, row: _Json, entities: EntityStore, agent: str | None, num: int | None) -> tuple[str, int]:
        ends = pair(row["source"], "source"), pair(row["target"], "target")
        names = ("valid_from", "valid_until", "believed_until")
        since, until, believed = (_maybe_time(row.get(name), name) for name in names)
        _check_order(since, until)
        relation = relation_name(identifier(row["relation"], "relation"))
        if not relation:
            raise ValueError("relation is missing")
        new = tables.RelationRow(
            source=0,
            relation=relation,
            target=0,
            num=num,
            agent=agent if num is None else None,
            origin=_one_of(row, "origin", (STATED, TOLD)),
            weight=_required(checks.checked_share)(row["weight"], "weight"),
            valid_from=since,
            valid_until=until,
            recorded_at=_required(_time)(row.get("recorded_at"), "recorded_at"),
            believed_until=believed,
        )
        source, target = entities.ids(ends)
        if source == target:
            raise ValueError(f"{ends[0].name!r} and {ends[1].name!r} are one: a relation needs two entities")
        new = new._replace(source=source, target=target)
        same = [Test(name, "eq", getattr(new, name)) for name in "source relation target num origin agent".split()]
        here = self._transaction.find(tables.RelationRow, same, order="id")
        if any(each._replace(id=0) == new for each in here):
            return _KNOWN, source
        if new.believed_until is None and any(each.believed_until is None for each in here):
            return _TAKEN, source
        self._transaction.put(new)
        return _NEW, source

    def _put_alias(self, row: _Json, entities: EntityStore, agent: str | None, _: int | None) -> tuple[str, int]:
        named, alias = pair(row["entity"], "entity"), pair(row["alias"], "alias")
        (entity,) = entities.ids([named])
        here = entities.find(alias)
        if here is not None and entities.top(here.id, agent).id == entities.top(entity, agent).id:
            return _KNOWN, entity
        entities.alias(entity, alias, agent, self.trail.at)
        return _NEW, entity

    def _put_merge(self, row: _Json, entities: EntityStore, agent: str | None, num: int | None) -> tuple[str, str]:
        ends = pair(row["keep"], "keep"), pair(row["other"], "other")
        merge_id, at = _id(row["id"], "mrg_"), _required(_time)(row.get("at"), "at")
        state, reason = _one_of(row, "state", (MERGED, tables.UNDONE, tables.REFUSED)), _text(row["reason"], "reason")
        keep, other = entities.ids(ends)
        new = tables.MergeRow(merge_id, entities.namespace, keep, other, num, agent, state, reason, at)
        if here := first(self._transaction, tables.MergeRow, Test("id", "eq", merge_id)):
            return _KNOWN if here == new else _TAKEN, merge_id
        if keep == other:
            raise ValueError(f"{ends[0].name!r} and {ends[1].name!r} are one already")
        if state == MERGED:
            entities.merge(other, keep, agent, at)
        both = [Test("keep", "in", (keep, other)), Test("other", "in", (keep, other))]
        waiting = Test("state", "eq", tables.PROPOSED)  # settled in its source
        self._transaction.delete(tables.MergeRow, [*both, waiting])
        self._transaction.put(new)
        return _NEW, merge_id


@dataclass(frozen=True, slots=True)
class _Line:
    """A checked row of a conversation or a turn without its new numbers; `memory_id` and `text` of its memory."""

    scope: Scope
    row: ConversationRow | TurnRow
    memory_id: str | None = None
    text: str = ""


def _checked_line(engine: Engine, org: str, row: _Json, highest: SourceType) -> _Line:
    scope = in_session(scope_of(org, row["user"], row["agent"], row["session"]), None)
    if row["type"] == CONVERSATION:
        opened_at, touched_at = _time(row["opened_at"], "opened_at"), _time(row["touched_at"], "touched_at")
        return _Line(scope, _conversation_row(scope, opened_at, touched_at, _maybe_time(row["ended_at"], "ended_at")))
    at, memory_id = _time(row["at"], "at"), row["memory_id"]
    message = checked(
        engine, row["role"], row["content"], actor=row["actor"], at=at, metadata=row["metadata"], data=row.get("data")
    )
    from_system = message.role == "system"  # no memory of it can wait
    if highest is not SourceType.SYSTEM if from_system else engine.settings.remember_turns:
        kind = prepare.classify(message.source_type, engine.settings.origins)[0]
        found = prepare.screened(message.text, engine.settings, least_trusted([kind, highest]))
        if found and from_system:
            raise ValueError(f"a turn of the system looks like an attack on its reader ({', '.join(found)})")
    counted = max(int(engine.tokenizer.count_tokens(message.text or message.content)), 0)
    tokens, turn_id = min(counted, rules_of(engine).turn_tokens), identifier(row["id"], "id")
    turn_id = turn_id if _is_id(turn_id, "trn_") else engine.new_id("trn")
    turn = message.row(0, _count(row["position"], "position"), turn_id, tokens, live=False)
    return _Line(scope, turn, _maybe_name(memory_id, "memory_id"), message.text)


def _conversation_row(
    scope: Scope, opened_at: datetime, touched_at: datetime, ended_at: datetime | None
) -> ConversationRow:
    name, times = tables.conversation_id(scope), (opened_at, touched_at, ended_at)
    return ConversationRow(name, 0, scope.agent, scope.session or "", *times)


class _ConversationImport:
    """The rows of one conversation put into a store, inside a transaction."""

    def __init__(self, transaction: Transaction, lines: Sequence[_Line], memories: Mapping[str, Record]) -> None:
        self._transaction, self._memories = transaction, memories
        self._scope = lines[0].scope
        self._conversation = conversation(transaction, self._scope)
        self._begun = False
        self._turns: list[TurnRow] = []
        self._texts: dict[int, tuple[str, str | None]] = {}  # role and content by position
        if self._conversation is not None:
            places = tuple({line.row.position for line in lines if isinstance(line.row, TurnRow)})
            here = [Test("conversation", "eq", self._conversation.num), Test("position", "in", places)]
            found = transaction.find(TurnRow, here, order="position")
            self._texts = {row.position: (row.role, row.content) for row in found}

    def put(self, line: _Line, now: datetime) -> str:
        is_known, row = self._conversation is not None, line.row
        current = self._conversation or self._begin(row, now)
        if isinstance(row, ConversationRow):
            return _KNOWN if is_known else _NEW
        here = self._texts.get(row.position)
        if here is not None:
            return _KNOWN if here == (row.role, row.content) else "another message has its position"
        if current.ended_at is None and row.position >= current.since:
            return _OPEN
        self._texts[row.position] = row.role, row.content
        turn, record = row._replace(conversation=current.num), self._memory(line)
        if record is not None:
            own = None if record.memory.content == row.content else row.content
            turn = turn._replace(id=record.memory.id, num=record.num, content=own)
        self._turns.append(turn)
        return _NEW

    def finish(self) -> bool:
        """Write the turns, before the messages of the window; return whether anything is new."""
        current = self._conversation
        if current is not None and self._turns:
            self._transaction.put(*self._turns)
            after = max(current.next, *(turn.position + 1 for turn in self._turns))
            if current.ended_at is not None:
                self._transaction.update(ConversationRow, [Test("num", "eq", current.num)], next=after, since=after)
        return self._begun or bool(self._turns)

    def _begin(self, row: ConversationRow | TurnRow, now: datetime) -> ConversationRow:
        new = row if isinstance(row, ConversationRow) else _conversation_row(self._scope, row.at, row.at, None)
        namespace = self._transaction.namespace(self._scope.org, self._scope.user)
        self._transaction.put(new._replace(ns=namespace, ended_at=new.ended_at or now))
        self._conversation, self._begun = conversation(self._transaction, self._scope), True
        assert self._conversation is not None
        return self._conversation

    def _memory(self, line: _Line) -> Record | None:
        """Return the memory that a turn is too: one of the same conversation with exactly this text, now or before."""
        record = self._memories.get(line.memory_id or "")
        if record is None or record.memory.scope != line.scope or is_blank(line.text):
            return None
        if record.memory.content == line.text:
            return record
        earlier = self._transaction.find(Revision, [Test("num", "eq", record.num)], order="seq")
        return record if any(json.loads(each.memory)["content"] == line.text for each in earlier) else None


@dataclass(slots=True)
class _Import:
    """A running import: its counts, and the rows to be put after all memories."""

    engine: Engine
    scope: Scope
    highest: SourceType
    skips: bool
    counts: Counter[str] = field(default_factory=Counter)
    skipped: dict[int, str] = field(default_factory=dict)
    rejected: dict[int, str] = field(default_factory=dict)
    memories: list[tuple[int, Memory]] = field(default_factory=list)
    links: dict[str, tuple[Link, ...]] = field(default_factory=dict)
    revisions: dict[str, list[Revision]] = field(default_factory=dict)
    graph: list[tuple[int, _Json]] = field(default_factory=list)
    noted: set[str] = field(default_factory=set)  # the conversations that the audit trail names

    def take(self, number: int, row: _Json) -> None:
        """Check a row and keep it for its turn; conversations are read again later."""
        checking = self.scope.org, self.highest, self.engine.settings
        with self._rejecting(number):
            match row.get("type"):
                case "memory":
                    self.memories.append((number, _memory(row, *checking)))
                case "revision":
                    memory_id, revision = _revision(row, *checking)
                    self.revisions.setdefault(memory_id, []).append(revision)
                case kind if kind in GRAPH_ROWS:
                    self.graph.append((number, row))
        if len(self.memories) >= _BATCH:
            self.put_memories()

    @contextmanager
    def _rejecting(self, number: int) -> Iterator[None]:
        """Reject a line for the error of its block."""
        try:
            yield
        except _INVALID as error:
            self._settle(number, error)

    def _settle(self, number: int, outcome: str | Exception) -> None:
        """Count the outcome of a line; a row that may not be imported is skipped or rejected, an invalid one too."""
        if isinstance(outcome, Exception):
            self.rejected[number] = f"{outcome.args[0]!r} is missing" if type(outcome) is KeyError else str(outcome)
        elif outcome in (_NEW, _KNOWN):
            self.counts[outcome] += 1
        else:
            (self.skipped if self.skips else self.rejected)[number] = outcome

    def put_memories(self) -> None:
        """Store checked memories; one whose id is here is known, or is refused if it has another text."""
        rows, self.memories = self.memories, []
        if not rows:
            return
        here, keys = _taken(self.engine, [memory for _, memory in rows])
        fresh: dict[str, Memory] = {}
        for number, memory in rows:
            other, key = here.get(memory.id) or fresh.get(memory.id), _key(memory)
            if other is not None and (other.scope, other.content) == (memory.scope, memory.content):
                self._settle(number, _KNOWN)
            elif other is not None:
                self._settle(number, "its id is taken by another memory here: import it into another store")
            elif key is not None and key in keys:
                self._settle(number, f"key {memory.key!r} is taken by another memory")
            else:
                fresh[memory.id] = memory
                keys |= {key} if key is not None else set()
        situate, packs = self.engine.settings.situate, self.engine.packs
        prepared = []
        for memory in fresh.values():
            about = read_topics(memory, packs, fact_given=memory.fact is not None)
            prepared.append(prepare.Prepared(memory, prepare.index(memory, situate=situate), mentions=about))
        for result in store_if(self.engine, prepared, now=self.engine.clock.now(), operation="import") or []:
            is_new = result.status != "noop"
            self.counts[_NEW if is_new else _KNOWN] += 1
            if is_new:
                self.links[result.id] = fresh[result.id].links

    def put_links(self) -> None:
        """Give the new memories their links and their history; existing ones are unchanged."""
        ids = (memory_id for memory_id, links in self.links.items() if links or memory_id in self.revisions)
        for some in batches(ids, _BATCH):
            self.engine.store.write(partial(self._put_links, some), self.scope.org)

    def _put_links(self, ids: list[str], transaction: Transaction) -> None:
        targets = [link.memory_id for memory_id in ids for link in self.links[memory_id]]
        where, rows = within(self.scope), dict[str, tuple[int, str | None]]()
        for some in batches(dict.fromkeys([*ids, *targets]), _BATCH):
            found = transaction.find(Record, where.but(Test("id", "in", tuple(some))))
            rows.update((r.memory.id, (r.num, r.memory.scope.user)) for r in found)
        for memory_id in ids:
            num, user = rows[memory_id]
            ends = ((link.relation, rows.get(link.memory_id)) for link in self.links[memory_id])
            # No user's memory is linked with another's, whatever is in the file: a link shows the id at its other end.
            edges = [tables.Edge(num, relation, end[0]) for relation, end in ends if end is not None and end[1] == user]
            earlier = {(r.version, r.believed_until, r.change): r for r in self.revisions.get(memory_id, ())}
            transaction.put(*(edge for edge in edges if edge.relation in (*RELATIONS, tables.SUPERSEDES, CORRECTS)))
            transaction.put(*(revision._replace(num=num) for revision in earlier.values()))

    def put_graph(self) -> None:
        """Put the file's statements about the graph beyond the texts."""
        self.graph.sort(key=lambda each: GRAPH_ROWS.index(each[1]["type"]))
        for some in batches(self.graph, _BATCH):
            for number, outcome in self.engine.store.write(partial(self._put_graph, some), self.scope.org).items():
                self._settle(number, outcome)

    def _put_graph(self, rows: list[tuple[int, _Json]], transaction: Transaction) -> dict[int, str | Exception]:
        """Put some rows; return the outcome of each, or why it was refused."""
        graph, outcomes = _GraphImport(self.engine, transaction, self.scope), dict[int, str | Exception]()
        for number, row in rows:
            try:
                outcomes[number] = graph.put(row)
            except _INVALID as error:
                outcomes[number] = error
        graph.trail.write()
        return outcomes

    def put_conversations(self, rows: Iterable[tuple[int, _Json]]) -> None:
        """Put the conversations of the file, some hundred rows in a transaction."""
        for some in batches(self._checked_lines(rows), _BATCH):
            outcomes, noted = self.engine.store.write(partial(self._put_lines, some), self.scope.org)
            self.noted.update(noted)
            for number, outcome in outcomes.items():
                self._settle(number, outcome)

    def put_records(self, rows: Iterable[tuple[int, _Json]]) -> None:
        outcomes = {True: _NEW, False: _KNOWN, None: "another value has its key"}
        for number, row in rows:
            if row.get("type") == RECORD:
                with self._rejecting(number):
                    scope = scope_of(self.scope.org, row["user"], row["agent"], row["session"])
                    name, memory_id = identifier(row["collection"], "collection"), row.get("memory_id")
                    new = records.restored(self.engine, row, _required(_time))
                    named = _maybe_name(memory_id, "memory_id")
                    put = partial(records.put_restored, scope=scope, name=name, row=new, memory_id=named)
                    self._settle(number, outcomes[transact(self.engine, self.scope, put)])

    def _checked_lines(self, rows: Iterable[tuple[int, _Json]]) -> Iterator[tuple[int, _Line]]:
        for number, row in rows:
            if row.get("type") in (CONVERSATION, TURN):
                with self._rejecting(number):
                    yield number, _checked_line(self.engine, self.scope.org, row, self.highest)

    def _put_lines(
        self, lines: Sequence[tuple[int, _Line]], transaction: Transaction
    ) -> tuple[Mapping[int, str], Sequence[str]]:
        """Put some rows; return the outcome of each, and the conversations that were noted in the audit trail."""
        ids = Test("id", "in", tuple({line.memory_id for _, line in lines if line.memory_id is not None}))
        memories = {record.memory.id: record for record in transaction.find(Record, Filter(self.scope.org).but(ids))}
        trail = Trail(self.engine, transaction, self.scope, at=self.engine.clock.now())
        outcomes: dict[int, str] = {}
        noted: list[str] = []
        for scope, some in grouped(lines, lambda each: each[1].scope).items():
            into = _ConversationImport(transaction, [line for _, line in some], memories)
            outcomes.update((number, into.put(line, trail.at)) for number, line in some)
            if into.finish() and (name := tables.conversation_id(scope)) not in self.noted:
                trail.note("import", name)
                noted.append(name)
        trail.write()
        return outcomes, noted


def _key(memory: Memory) -> _Key | None:
    if memory.key is None or memory.status is Status.FORGOTTEN:
        return None
    return (memory.scope.user, memory.scope.agent, memory.key)


def _taken(engine: Engine, memories: list[Memory]) -> tuple[dict[str, Memory], set[_Key]]:
    ids = tuple(memory.id for memory in memories)
    named = tuple({memory.key for memory in memories if memory.key is not None})
    org = Filter(memories[0].scope.org)
    with engine.store.read(org.org) as reader:
        here = {record.memory.id: record.memory for record in reader.find(Record, [Test("id", "in", ids)])}
        holders = reader.find(Record, org.but(Test("key", "in", named))) if named else []
    return here, {key for holder in holders if (key := _key(holder.memory)) is not None}
