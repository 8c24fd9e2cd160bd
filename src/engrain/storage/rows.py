"""The rows that a store keeps, and what its searches return, as arrays."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import IntFlag, StrEnum
from typing import Any, NamedTuple

from engrain.arrays import Floats, Ints
from engrain.model.memory import (
    JSON,
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
from engrain.text import digest

TEXT, FACT, TOLD, STATED, MODEL = "text", "fact", "told", "stated", "model"
"""Where a mention or a relation comes from: read in a text, a memory's fact, told by its writer, stated by hand, or
read in a text by a language model."""
MERGED, UNDONE, PROPOSED, REFUSED, ASKED = "merged", "undone", "proposed", "rejected", "asked"
"""How a merge stands; of those that are `asked` a language model did not take the two for one, which binds nobody."""
ALL_AGENTS = ""
"""The agent of a note that is common to all agents of its namespace."""


class EntityRow(NamedTuple):
    """An entity by its type and name in one namespace, or another name of the one that it is merged into.

    `agent` is in whose view it was merged, None for all agents of the namespace.
    """

    ns: int
    type: str
    family: str
    key: str
    name: str
    merged_into: int | None = None
    agent: str | None = None
    id: int = 0

    def above(self, viewer: str | None) -> int | None:
        """Return what it is merged into, as an agent sees it; None sees what every agent says."""
        return self.merged_into if viewer is None or self.agent in (None, viewer) else None


class EntityNote(NamedTuple):
    """What was said of an entity by hand or by an import; with one it stands without a memory that mentions it."""

    entity: int
    agent: str
    metadata: str


class MentionRow(NamedTuple):
    """A memory (`num`) is about an entity; `pairs` says that so few are named together that it says something."""

    entity: int
    num: int
    origin: str
    pairs: bool


class RelationRow(NamedTuple):
    """One statement of a relation: by a memory (`num`), whose life and times it shares, or by hand.

    `agent` is whose view stated it by hand, None for all agents of the namespace.
    """

    source: int
    relation: str
    target: int
    num: int | None
    agent: str | None
    origin: str
    weight: float
    valid_from: datetime | None
    valid_until: datetime | None
    recorded_at: datetime
    believed_until: datetime | None = None
    id: int = 0


RelationEdge = tuple[int, str, int, float, int, datetime | None, datetime | None]
"""A relation as a traversal meets it: source, relation, target, weight, evidence (0: stated by hand), its interval."""
CoMention = tuple[int, int, int]
"""An entity, another one, and the memory that names both."""


class MergeRow(NamedTuple):
    """Two entities taken for one, or proposed to be; `num` is the memory that says so."""

    id: str
    ns: int
    keep: int
    other: int
    num: int | None
    agent: str | None
    state: str
    reason: str
    at: datetime


class EvidenceRow(NamedTuple):
    """What a relation needs of the memory that is its evidence; it is read, never put."""

    num: int
    memory_id: str
    valid_from: datetime
    valid_until: datetime | None


STALE: JSON = {"stale": True}
"""The state of a window whose summary contained something that has been forgotten since."""


class ConversationRow(NamedTuple):
    """One session's conversation as one view of it: its window's state, `num` 0 before it is put.

    `since` is the position of its first message since it was opened or last ended, `next` the least that its next one
    has; `tokens` counts the turns in the window. `version` is raised whenever turns leave the window. `state`, the
    summary of those, `org` and `user` are read, never put.
    """

    id: str
    ns: int
    agent: str | None
    session: str
    opened_at: datetime
    touched_at: datetime
    ended_at: datetime | None = None
    since: int = 0
    next: int = 0
    tokens: int = 0
    version: int = 0
    num: int = 0
    state: JSON = {}  # noqa: RUF012 (a default that nobody changes)
    org: str = ""
    user: str | None = None

    @property
    def is_stale(self) -> bool:
        """Whether the turns that left must be summarised again, from the log."""
        return self.state == STALE

    @property
    def scope(self) -> Scope:
        """The scope of the conversation."""
        return Scope(self.org, self.user, self.agent, self.session)


class SummaryRow(NamedTuple):
    """The summary of the turns that left a conversation's window; it replaces the one before."""

    conversation: int
    state: JSON


class TurnRow(NamedTuple):
    """A message of a conversation. `num` is the memory that it is too, whose text it shows as long as that is its own.

    `content` is None when it is put with a memory of the same text; it is always there when it is read. `live` is
    whether it is in the window. `status` is that of its memory, read and never put.
    """

    conversation: int
    position: int
    id: str
    role: str
    actor: str | None
    at: datetime
    tokens: int
    live: bool
    num: int | None
    content: str | None
    metadata: JSON
    status: Status | None = None


def conversation_id(scope: Scope) -> str:
    """Return the id of a scope's conversation; another user's, agent's or org's session of that name is another."""
    parts = (scope.org, *("" if part is None else f"={part}" for part in (scope.user, scope.agent, scope.session)))
    return f"ses_{digest(*parts)[:32]}"


@dataclass(frozen=True, slots=True)
class Record:
    """A memory as a store keeps it.

    `identity` is None once its slot is free; `salt` goes into audit digests; `num` is the row number, 0 before it is
    put; `length` counts its index terms; `marks` is a bit set of `Mark`; `due_at` is when a sweep has to look at it;
    `vector` is there when it was read by the embedder that `find` was asked with, and is never put.
    """

    memory: Memory
    identity: str | None
    salt: str
    num: int = 0
    length: int = 0
    marks: int = 0
    due_at: datetime | None = None
    vector: Floats | None = field(default=None, compare=False)


SUPERSEDES = "supersedes"  # from a successor to what it closed, or, while it waits for a verdict, shall close
CORRECTS = "corrects"  # the same, where the other was never true


class Mark(IntFlag):
    """What ranking wants to know of a text without reading it."""

    QUESTION = 1
    TIME_WORDS = 2
    NAMES = 4
    SUMMARY = 8  # it tells again, shorter, what other memories tell


EDIT = "edit"


class Revision(NamedTuple):
    """A memory as it was before a change, as JSON, and the interval in which that was what we believed.

    `change` says what ended it: an `edit` of what it says, or a verdict that closed, reopened, admitted or archived it.
    `seq` orders the changes of a store; 0 before it is put.
    """

    num: int
    version: int
    believed_from: datetime
    believed_until: datetime
    memory: str
    change: str = EDIT
    seq: int = 0


class Edge(NamedTuple):
    """A link between two rows: one of `models.RELATIONS`, or `SUPERSEDES`, which no memory shows among its links."""

    source: int
    relation: str
    target: int


class Posting(NamedTuple):
    """How often a document (`num`) holds a term."""

    namespace: int
    term: str
    num: int
    times: int


class Vector(NamedTuple):
    """A memory's vector by one embedder."""

    namespace: int
    embedder: str
    num: int
    values: Floats


class Head(NamedTuple):
    """The last entry of an org's audit chain, and the signature of the head as it was at `signed_seq`, if any."""

    org: str
    seq: int
    hash: str
    signed_seq: int = 0
    signature: str = ""


class WitnessRow(NamedTuple):
    """A source that says what the memory `num` says, beside the memory's own.

    `author` is who chose the source's id, "" for the application; `said_by` the id of the memory that says it, "" where
    it became one with `num`.
    """

    num: int
    type: str
    source: str
    author: str = ""
    said_by: str = ""


class ReceiptRow(NamedTuple):
    """What an erasure left behind: a receipt as JSON, which holds no text."""

    id: str
    org: str
    at: datetime
    status: str
    body: str


class KeyRow(NamedTuple):
    """A key of a server: whom it is bound to, what it may do, and the SHA-256 of its secret, never the secret."""

    id: str
    org: str
    user: str | None
    agent: str | None
    role: str
    hash: str
    created_at: datetime
    revoked_at: datetime | None = None
    name: str = ""


class AnswerRow(NamedTuple):
    """A request that a caller gave a name, and how it was answered; see `engrain.once`.

    `name` is a digest, `request` a salted one of what was asked, "" once an erasure has taken it. `entries` are those
    of the audit trail, as ranges. `status` is None while it is being carried out, `body` while there is none to give.
    """

    org: str
    caller: str
    name: str
    salt: str
    request: str
    at: datetime
    entries: str = ""
    status: int | None = None
    body: str | None = None


class NamespaceRow(NamedTuple):
    """The memories of one user of an org, or of those that carry no user; see `Transaction.namespace`."""

    id: int
    org: str
    user: str | None


class CounterRow(NamedTuple):
    """How many memories of a kind an agent has that are live and not superseded.

    Transactions keep it as they change memories: it is read, never put.
    """

    namespace: int
    agent: str
    kind: str
    live: int


STORE_ORG = ""
"""The org of what belongs to none: the store's own settings and jobs."""


class Setting(NamedTuple):
    """A value that the store itself must not forget, such as the current embedder, for an org or for the store."""

    name: str
    value: str
    org: str = STORE_ORG


Row = (
    Record | Revision | Edge | Posting | Vector | WitnessRow | NamespaceRow | CounterRow | EvidenceRow
    | EntityRow | EntityNote | MentionRow | RelationRow | MergeRow
    | ConversationRow | SummaryRow | TurnRow
    | AuditEntry | Head | ReceiptRow | Job | Setting | KeyRow | AnswerRow
)  # fmt: skip
"""A row of any kind."""


# ------------------------------------------------------------------------------------------------------ search results


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows found, best first: `nums` and their `scores`, two arrays of one length; of a search of words its `stats`."""

    nums: Ints
    scores: Floats
    stats: TextStats = field(default_factory=lambda: TextStats(0, 0.0, {}))


@dataclass(frozen=True, slots=True)
class TextStats:
    """How many documents the searched namespaces hold, their mean length in terms, and in how many each term occurs."""

    documents: int
    average_length: float
    frequency: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Columns:
    """What ranking needs to know of each candidate, as arrays of one length, in the order asked for.

    `session`, `actor`, `domain` and `agent` are codes (-1 where there is none), the last three into `actors`, `domains`
    and `agents`; `kind` is a place among the kinds; times are microseconds since 1970. `used_at` is when a memory was
    last read, or else recorded.
    """

    session: Ints
    position: Ints
    actor: Ints
    actors: Sequence[str]
    source_class: Ints
    valid_from: Ints
    recorded_at: Ints
    importance: Floats
    strength: Floats
    trust: Floats
    length: Ints
    marks: Ints
    kind: Ints
    domain: Ints
    domains: Sequence[str]
    agent: Ints
    agents: Sequence[str]
    used_at: Ints
    access_count: Ints

    def take(self, places: Ints) -> Columns:
        """Return the columns of the rows at some places."""
        names = ("actors", "domains", "agents")
        values = {name: getattr(self, name) for name in self.__slots__}
        return Columns(**{name: each if name in names else each[places] for name, each in values.items()})


@dataclass(frozen=True, slots=True)
class Residue:
    """What a search of a store's files found: traces that no living row holds (`left`), and those that one does."""

    left: frozenset[bytes] = frozenset()
    shared: frozenset[bytes] = frozenset()


# ---------------------------------------------------------------------------------------------------------- values

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def stored_time(at: datetime | None) -> int | None:
    """Microseconds since 1970, which the years 1 to 9999 fit in 64 bits."""
    return None if at is None else (at - _EPOCH) // _MICROSECOND


def read_time(stored: int | None) -> datetime | None:
    """Read what `stored_time` wrote."""
    return None if stored is None else _EPOCH + stored * _MICROSECOND


def stored(value: object) -> Any:
    """Return a value as a column holds it."""
    if isinstance(value, datetime):
        return stored_time(value)
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, dict | tuple | list):
        return json_text(value)
    if isinstance(value, Procedure):
        return json_text(value.to_dict())
    return value


def json_text(value: object) -> str:
    """Return a value as compact JSON; what is empty is an empty object or list."""
    if not value:
        return "{}" if isinstance(value, dict) else "[]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def required(stored_value: int) -> datetime:
    """Read a time that is always there."""
    return _EPOCH + stored_value * _MICROSECOND


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
