"""The tables that the engines share: how rows of each kind are written to columns and read from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engrain.model.memory import (
    AuditEntry,
    Expiry,
    Fact,
    Job,
    JobState,
    Kind,
    Memory,
    Scope,
    Source,
    SourceType,
    Status,
    slot,
)
from engrain.model.procedure import Procedure
from engrain.storage.rows import (
    AnswerRow,
    ConversationRow,
    CounterRow,
    Edge,
    EntityNote,
    EntityRow,
    EvidenceRow,
    Head,
    KeyRow,
    MentionRow,
    MergeRow,
    NamespaceRow,
    Posting,
    ReceiptRow,
    Record,
    RelationRow,
    Revision,
    Setting,
    SummaryRow,
    TurnRow,
    WitnessRow,
    json_text,
    read_time,
    required,
    stored,
    stored_time,
)

_decoded = json.JSONDecoder().decode


def _list(stored_value: str) -> tuple[str, ...]:
    return () if stored_value == "[]" else tuple(_decoded(stored_value))


# ------------------------------------------------------------------------------------------------------------- tables


_RESERVED = frozenset(("user",))


def called(column: str) -> str:
    """Return a column's name as a statement writes it."""
    return f'"{column}"' if column in _RESERVED else column


@dataclass(frozen=True, slots=True)
class Table:
    """How rows of one kind are written and read; `replaces` says that a row of the same `key` is overwritten.

    Rows that say more when they are read come from a `view`, which has the columns `shown` too; `listed` are all of
    them as a query lists them. Where rows are `numbered`, the last column is None in those that get a number.
    """

    name: str
    columns: tuple[str, ...]
    encode: Callable[[Any], tuple[Any, ...]]
    decode: Callable[[tuple[Any, ...]], Any]
    key: tuple[str, ...]
    replaces: bool = False
    numbered: bool = False
    view: str = ""
    shown: tuple[str, ...] = ()
    listed: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "listed", ", ".join(called(name) for name in (*self.columns, *self.shown)))

    @property
    def read_from(self) -> str:
        """Where its rows are read."""
        return self.view or self.name


_MEMORY_COLUMNS = (
    "num id ns agent session actor position kind key content summary keywords tags entities subject predicate "
    "object domain tier importance confidence source_type source_origin source_id source_ref content_hash "
    "signature trust status status_reason valid_from valid_until recorded_at updated_at believed_until expires_at "
    "superseded_by evidence_count access_count last_accessed strength evolution_count version pinned metadata "
    "identity salt length marks subject_key predicate_key object_key "
    "expiry due_at consolidated_at procedure accessed_2 accessed_3"
)
MEMORY_COLUMNS = tuple(_MEMORY_COLUMNS.split())


def encode_record(record: Record, namespace: int) -> tuple[Any, ...]:
    """Return a record as a row of the memory table, in the order of `MEMORY_COLUMNS`."""
    m = record.memory
    fact, source, scope = m.fact, m.source, m.scope
    keys = (None, None, None) if fact is None else slot(fact)
    return (
        record.num or None,
        m.id,
        namespace,
        scope.agent,
        scope.session,
        m.actor,
        m.position,
        m.kind.value,
        m.key,
        m.content,
        m.summary,
        json_text(m.keywords),
        json_text(m.tags),
        json_text(m.entities),
        fact and fact.subject,
        fact and fact.predicate,
        fact and fact.object,
        m.domain,
        m.tier,
        m.importance,
        m.confidence,
        source.type.value,
        source.origin,
        source.id,
        source.ref,
        source.content_hash,
        source.signature,
        m.trust,
        m.status.value,
        m.status_reason,
        stored_time(m.valid_from),
        stored_time(m.valid_until),
        stored_time(m.recorded_at),
        stored_time(m.updated_at),
        stored_time(m.believed_until),
        stored_time(m.expires_at),
        m.superseded_by,
        m.evidence_count,
        m.access_count,
        stored_time(m.last_accessed),
        m.strength,
        m.evolution_count,
        m.version,
        int(m.pinned),
        json_text(m.metadata),
        record.identity,
        record.salt,
        record.length,
        record.marks,
        *keys,
        *_encode_lifecycle(record),
    )


def _encode_lifecycle(record: Record) -> tuple[Any, ...]:
    m = record.memory
    return (
        m.expiry.value,
        stored_time(record.due_at),
        stored_time(m.consolidated_at),
        None if m.procedure is None else json_text(m.procedure.to_dict()),
        *map(stored_time, (*m.accessed_before[:2], None, None)[:2]),
    )


_KINDS = {kind.value: kind for kind in Kind}
_STATUSES = {status.value: status for status in Status}
_EXPIRIES = {expiry.value: expiry for expiry in Expiry}
_SOURCES = {source.value: source for source in SourceType}


def decode_record(row: Sequence[Any], org: str, user: str | None) -> Record:
    """Read a row of the memory table, in the order of `MEMORY_COLUMNS` or longer; links are read apart."""
    # fmt: off
    (
        num, memory_id, _, agent, session, actor, position, kind, key, content, summary, keywords, tags, entities,
        subject, predicate, object_, domain, tier, importance, confidence,
        source_type, origin, source_id, ref, content_hash, signature, trust, status, reason,
        valid_from, valid_until, recorded_at, updated_at, believed_until, expires_at, superseded_by,
        evidence, accesses, accessed, strength, evolution, version, pinned, metadata, identity, salt, length, marks,
        _subject_key, _predicate_key, _object_key, expiry, due_at, consolidated_at, procedure, accessed_2, accessed_3,
        *_rest,
    ) = row
    # fmt: on
    memory = Memory(
        id=memory_id,
        content=content,
        scope=Scope(org, user, agent, session),
        recorded_at=required(recorded_at),
        updated_at=required(updated_at),
        valid_from=required(valid_from),
        kind=_KINDS[kind],
        key=key,
        actor=actor,
        position=position,
        summary=summary,
        keywords=_list(keywords),
        tags=_list(tags),
        entities=_list(entities),
        fact=None if subject is None else Fact(subject, predicate, object_),
        procedure=None if procedure is None else Procedure.from_dict(_decoded(procedure)),
        domain=domain,
        tier=tier,
        importance=importance,
        confidence=confidence,
        source=Source(_SOURCES[source_type], origin, source_id, ref, content_hash, signature),
        trust=trust,
        status=_STATUSES[status],
        status_reason=reason,
        valid_until=read_time(valid_until),
        believed_until=read_time(believed_until),
        expires_at=read_time(expires_at),
        expiry=_EXPIRIES[expiry],
        consolidated_at=read_time(consolidated_at),
        superseded_by=superseded_by,
        evidence_count=evidence,
        access_count=accesses,
        last_accessed=read_time(accessed),
        accessed_before=tuple(required(at) for at in (accessed_2, accessed_3) if at is not None),
        strength=strength,
        evolution_count=evolution,
        version=version,
        pinned=bool(pinned),
        metadata={} if metadata == "{}" else _decoded(metadata),
    )
    return Record(memory, identity, salt, num, length, marks, read_time(due_at))


_JOB_COLUMNS = tuple("id kind org memory_id run_at state attempts error lease_until leased_by".split())


def _decode_job(row: tuple[Any, ...]) -> Job:
    job = Job(*row)
    return replace(job, state=JobState(row[5]), run_at=required(row[4]), lease_until=read_time(row[8]))


def _decode_turn(row: tuple[Any, ...]) -> TurnRow:
    status = None if row[11] is None else _STATUSES[row[11]]
    return TurnRow._make((*row[:5], required(row[5]), row[6], bool(row[7]), *row[8:10], _decoded(row[10]), status))


def _timed(name: str, kind: Any, *times: str, key: str, replaces: bool) -> Table:
    """Return how rows are kept whose columns are as they are, but for those that are times."""

    def turned(row: Sequence[Any], turn: Callable[[Any], Any]) -> list[Any]:
        return [turn(value) if name in times else value for name, value in zip(kind._fields, row, strict=True)]

    encode, decode = lambda r: tuple(turned(r, stored_time)), lambda r: kind._make(turned(r, read_time))
    return Table(name, kind._fields, encode, decode, tuple(key.split()), replaces=replaces)


TABLES: dict[type, Table] = {
    Revision: Table(
        "revision",
        ("num", "version", "believed_from", "believed_until", "memory", "change", "seq"),
        lambda r: (*r[:2], stored_time(r.believed_from), stored_time(r.believed_until), *r[4:6], r.seq or None),
        lambda r: Revision(r[0], r[1], required(r[2]), required(r[3]), *r[4:]),
        ("seq",),
        numbered=True,
    ),
    NamespaceRow: Table("namespace", ("id", "org", "user"), tuple, NamespaceRow._make, ("id",)),
    EvidenceRow: Table(
        "memory",
        ("num", "id", "valid_from", "valid_until"),
        tuple,
        lambda r: EvidenceRow(r[0], r[1], required(r[2]), read_time(r[3])),
        ("num",),
    ),
    Edge: Table("link", Edge._fields, tuple, Edge._make, Edge._fields, replaces=True),
    Posting: Table("posting", ("ns", "term", "num", "count"), tuple, Posting._make, ("ns", "term", "num")),
    Setting: Table("setting", Setting._fields, tuple, Setting._make, ("name",), replaces=True),
    CounterRow: Table("counter", ("ns", "agent", "kind", "live"), tuple, CounterRow._make, ("ns", "agent", "kind")),
    Head: Table("audit_head", Head._fields, tuple, Head._make, ("org",), replaces=True),
    WitnessRow: Table("witness", WitnessRow._fields, tuple, WitnessRow._make, ("num", "type", "source"), replaces=True),
    KeyRow: _timed("server_key", KeyRow, "created_at", "revoked_at", key="id", replaces=False),
    ReceiptRow: _timed("receipt", ReceiptRow, "at", key="id", replaces=True),
    AnswerRow: _timed("answer", AnswerRow, "at", key="org caller name", replaces=False),
    EntityRow: Table(
        "entity",
        ("ns", "type", "family", "key", "name", "merged_into", "agent", "id"),
        lambda r: (*r[:7], r.id or None),
        EntityRow._make,
        ("id",),
        numbered=True,
    ),
    EntityNote: Table("entity_note", EntityNote._fields, tuple, EntityNote._make, ("entity", "agent"), replaces=True),
    MentionRow: Table(
        "mention",
        ("entity", "num", "origin", "pairs"),
        lambda r: (*r[:3], int(r.pairs)),
        lambda r: MentionRow(r[0], r[1], r[2], bool(r[3])),
        ("entity", "num"),
        replaces=True,
    ),
    RelationRow: Table(
        "relation",
        tuple(RelationRow._fields),
        lambda r: (*r[:7], *map(stored_time, r[7:11]), r.id or None),
        lambda r: RelationRow._make((*r[:7], *map(read_time, r[7:11]), r[11])),
        ("id",),
        numbered=True,
    ),
    MergeRow: _timed("merge", MergeRow, "at", key="id", replaces=True),
    ConversationRow: Table(
        "conversation",
        (*"id ns agent session opened_at touched_at ended_at since next tokens version num".split(),),
        lambda r: (*r[:4], *map(stored_time, r[4:7]), *r[7:11], r.num or None),
        lambda r: ConversationRow._make((*r[:4], *map(read_time, r[4:7]), *r[7:12], _decoded(r[12]), *r[13:])),
        ("num",),
        numbered=True,
        view="conversation_view",
        shown=("state", "org", "user"),
    ),
    SummaryRow: Table(
        "summary",
        ("conversation", "state"),
        lambda r: (r.conversation, json_text(r.state)),
        lambda r: SummaryRow(r[0], _decoded(r[1])),
        ("conversation",),
        replaces=True,
    ),
    TurnRow: Table(
        "turn",
        (*"conversation position id role actor at tokens live num content metadata".split(),),
        lambda r: (*r[:5], stored_time(r.at), r.tokens, int(r.live), r.num, r.content, json_text(r.metadata)),
        _decode_turn,
        ("conversation", "position"),
        view="turn_view",
        shown=("status",),
    ),
    AuditEntry: Table(
        "audit",
        ("org", "seq", "at", "operation", "memory_id", "actor", "digest", "hash", "reason"),
        lambda e: (e.org, e.seq, stored_time(e.at), e.operation, e.memory_id, e.actor, e.digest, e.hash, e.reason),
        lambda r: AuditEntry(r[0], r[1], required(r[2]), *r[3:]),
        ("org", "seq"),
    ),
    Job: Table(
        "job",
        _JOB_COLUMNS,
        lambda job: tuple(stored(getattr(job, column)) for column in _JOB_COLUMNS),
        _decode_job,
        ("id",),
        replaces=True,
    ),
}
