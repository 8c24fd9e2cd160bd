"""The row types of a store, and the results of its searches, as arrays."""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import IntFlag, StrEnum
from functools import lru_cache
from inspect import get_annotations
from operator import attrgetter, itemgetter
from typing import Any, Final, NamedTuple, cast

from engrain.errors import StoreCorrupt
from engrain.lazy import Floats, Ints, np
from engrain.model import memory as models
from engrain.model.audit import Role
from engrain.model.memory import JSON, AuditEntry, Expiry, Fact, Job, JobState, Kind, Memory, Scope, Source, Status
from engrain.model.procedure import Procedure
from engrain.text import digest

TEXT, FACT, TOLD, STATED, MODEL = "text", "fact", "told", "stated", "model"
"""The origin of a mention or a relation: found in a text, a memory's fact, given by its writer, stated by a caller, or
extracted from a text by a language model."""
MERGED, UNDONE, PROPOSED, REFUSED, ASKED = "merged", "undone", "proposed", "rejected", "asked"
"""The state of a merge; `asked` means that a language model refused it, which is not binding."""
OWN = "own"
"""The state of a merge in the view of one agent, of an entity that another agent had merged before: an `EntityRow`
holds one merge."""
ALL_AGENTS = ""  # the agent of a note that is common to all agents of its namespace
STALE: JSON = {"stale": True}  # the state of a window whose summary contained something that has been forgotten since
SUPERSEDES = "supersedes"  # from a successor to the memory that it closed, or, while pending, is to close
CORRECTS = "corrects"  # the same, if the other was never true
EDIT = "edit"
ERASURES = "erasures of "  # the beginning of the name, before that of an org, of the setting that counts its erasures
STORE_ORG = ""  # the org of rows without one: the store's own settings and jobs
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_WRONG = {"str": frozenset((bytes,)), **dict.fromkeys(("int", "float", "bool", "datetime"), frozenset((str, bytes)))}
MEMORY_COLUMNS = tuple(
    (
        "num id ns agent session actor position kind key content summary keywords tags entities subject predicate "
        "object domain tier importance confidence source_type source_origin source_id source_ref content_hash "
        "signature trust status status_reason valid_from valid_until recorded_at updated_at believed_until expires_at "
        "superseded_by evidence_count access_count last_accessed strength evolution_count version pinned metadata "
        "identity salt length marks subject_key predicate_key object_key "
        "expiry due_at consolidated_at procedure accessed_2 accessed_3"
    ).split()
)
_SOURCE = ("source_type", "source_origin", "source_id", "source_ref", "content_hash", "signature")
_FACT = ("subject", "predicate", "object", "subject_key", "predicate_key", "object_key")
_OF_RECORD = ("identity", "salt", "num", "length", "marks", "due_at")
# Columns named as the field of a memory that they contain, some of them in another form.
_OF_MEMORY = tuple(each.name for each in fields(Memory) if each.name in MEMORY_COLUMNS)
_TIMES = (
    "valid_from valid_until recorded_at updated_at believed_until expires_at last_accessed due_at consolidated_at "
    "accessed_2 accessed_3"
).split()
_LISTS = ("keywords", "tags", "entities")
_ENUMERATIONS = {
    name: {each.value: each for each in kind}
    for name, kind in (("kind", Kind), ("status", Status), ("expiry", Expiry), ("source_type", models.SourceType))
}
_CONVERTED = (*_TIMES, *_LISTS, *_ENUMERATIONS, "metadata", "pinned", "procedure")
_AT = {name: place for place, name in enumerate(MEMORY_COLUMNS)}
_ENUMERATIONS_AT = [(_AT[name], members) for name, members in _ENUMERATIONS.items()]
_PARTS = ("agent", "session", "subject", "predicate", "object", "accessed_2", "accessed_3")
_WIDE = 2**18  # the maximum range of numbers for a lookup table
_decoded = json.JSONDecoder().decode
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_READ: Mapping[str, Callable[[Any], Any]] = {
    **{each.__name__: each for each in (bool, JobState, Role, Status)},
    "JSON": _decoded,
}
"""How the columns of fields of these types are read; times are read apart, and others are as they are stored."""
RelationEdge = tuple[int, str, int, float, int, datetime | None, datetime | None]
"""A relation in a traversal: source, relation, target, weight, evidence (0: stated by a caller), its interval."""
CoMention = tuple[int, int, int]  # an entity, another one, and the memory that names both


class EntityRow(NamedTuple):
    """An entity by type and name in a namespace, or an alias of one, merged in the view of `agent` or all."""

    ns: int
    type: str
    family: str
    key: str
    name: str
    merged_into: int | None = None
    agent: str | None = None
    id: int = 0

    def above(self, viewer: str | None) -> int | None:
        """Return the id of the entity it is merged into for an agent; None sees every agent's merges."""
        return self.merged_into if viewer is None or self.agent in (None, viewer) else None


class EntityNote(NamedTuple):
    """Metadata of an entity by a caller or by an import; with it an entity needs no memory that mentions it."""

    entity: int
    agent: str
    metadata: str


class MentionRow(NamedTuple):
    """A memory (`num`) is about an entity; `pairs`: it names so few that co-mentions count."""

    entity: int
    num: int
    origin: str
    pairs: bool


class RelationRow(NamedTuple):
    """A relation stated by a memory (`num`), or by a caller in the view of `agent`, None for all agents."""

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


class MergeRow(NamedTuple):
    """Two merged entities, or a proposed merge; `num` is the memory that states it."""

    id: str
    ns: int
    keep: int
    other: int
    num: int | None
    agent: str | None
    state: str
    reason: str
    at: datetime


class LifeRow(NamedTuple):
    """The columns that determine a memory's status at any moment, in their stored form; it is read, never put."""

    num: int
    status: str
    superseded_by: str | None
    recorded_at: int
    valid_from: int
    valid_until: int | None
    believed_until: int | None
    expires_at: int | None


class EvidenceRow(NamedTuple):
    """The columns of a memory that a relation needs of its evidence; it is read, never put."""

    num: int
    memory_id: str
    valid_from: datetime
    valid_until: datetime | None
    source_type: str


class AccessRow(NamedTuple):
    """The usage of a record, `num` of the namespace `ns`; putting it replaces the counts of its record."""

    num: int
    ns: int
    memory_id: str
    access_count: int
    last_accessed: datetime | None
    accessed_2: datetime | None
    accessed_3: datetime | None
    strength: float


class ConversationRow(NamedTuple):
    """The conversation of one session and view: its window's state, `num` 0 before it is put.

    `since` is the position of its first message since it was opened or last ended, `next` the minimum for its next
    one; `tokens` counts the turns in the window. `version` is raised whenever turns leave the window. `state`, the
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
    """A message of a conversation. `num` is the memory of the message, whose current text it shows.

    `content` is None if it is put with a memory of the same text; it is always set when it is read. `live` is
    whether it is in the window. `data` is the item as JSON. `status` is its memory's, never put.
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
    data: str | None = None
    status: Status | None = None


class CollectionRow(NamedTuple):
    """A collection of exact records; `next` is the number of its next write, `num` is 0 before it is put."""

    id: str
    ns: int
    agent: str | None
    session: str | None
    name: str
    next: int = 1
    num: int = 0
    org: str = ""
    user: str | None = None

    @property
    def scope(self) -> Scope:
        """The scope of the collection."""
        return Scope(self.org, self.user, self.agent, self.session)


@dataclass(frozen=True, slots=True)
class ExactKeyRow:
    """An exact record without its value, as a write needs it; it is read, never put."""

    collection: int
    position: int
    key: str
    parts: str | None
    revision: int
    created_at: datetime
    expires_at: datetime | None
    num: int | None

    @property
    def id(self) -> str:
        """The name of the record in the audit trail, which does not reveal its key."""
        return f"rec_{self.collection}_{self.position}"

    @property
    def whole_key(self) -> tuple[str, ...]:
        """The parts of the key."""
        return tuple(json.loads(f"[{(self.parts or self.key)[:-1]}]"))


@dataclass(frozen=True, slots=True)
class ExactRow(ExactKeyRow):
    """An exact record: `key` is for lookup and order, `parts` the whole one if it is cut, `ttl` in microseconds."""

    updated_at: datetime
    ttl: int | None
    encoding: str
    value: bytes
    memory_id: str | None = None


def conversation_id(scope: Scope) -> str:
    """Return the id of a scope's conversation; unique for each org, user, agent and session."""
    parts = (scope.org, *("" if part is None else f"={part}" for part in (scope.user, scope.agent, scope.session)))
    return f"ses_{digest(*parts)[:32]}"


def collection_id(scope: Scope, name: str) -> str:
    """Return the id of a scope's collection of records, unique for each scope."""
    return f"col_{digest(conversation_id(scope), name)[:32]}"


@dataclass(frozen=True, slots=True)
class Record:
    """A memory in its stored form.

    `identity` is None once its slot is free; `salt` goes into audit digests; `num` is the row number, 0 before it is
    put; `length` counts its index terms; `marks` is a bit set of `Mark`; `due_at` is the time of its next sweep.
    """

    memory: Memory
    identity: str | None
    salt: str
    num: int = 0
    length: int = 0
    marks: int = 0
    due_at: datetime | None = None


class Mark(IntFlag):
    """Properties of a text for ranking, computed once."""

    QUESTION = 1
    TIME_WORDS = 2
    NAMES = 4
    SUMMARY = 8  # it summarises other memories
    DESCRIPTION = 16  # it begins with a name and its description
    PLACE = 32  # it states a location or a destination


class Revision(NamedTuple):
    """A memory as it was before a change, as JSON, and the interval in which it was believed.

    `change` is its kind: an `edit` of the text, or a verdict that closed, reopened, admitted or archived the memory.
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
    """The count of a term in a document (`num`)."""

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
    """The last entry of a namespace's audit chain and its signature at `signed_seq`; before the first `seq` is 0."""

    org: str
    seq: int
    hash: str
    signed_seq: int = 0
    signature: str = ""
    user: str = ""


class WitnessRow(NamedTuple):
    """A source that states the same as the memory `num`, beside the memory's own.

    `author` chose the source's id, "" for the application; `said_by` is the id of the memory that states it, ""
    if it was merged with `num`.
    """

    num: int
    type: str
    source: str
    author: str = ""
    said_by: str = ""


class ReceiptRow(NamedTuple):
    """The proof of an erasure: a receipt as JSON, without text."""

    id: str
    org: str
    at: datetime
    status: str
    body: str


class KeyRow(NamedTuple):
    """A key of a server: its scope, its permissions, and the SHA-256 of its secret, never the secret."""

    id: str
    org: str
    user: str | None
    agent: str | None
    role: Role
    hash: str
    created_at: datetime
    revoked_at: datetime | None = None
    name: str = ""


class AnswerRow(NamedTuple):
    """An idempotent request with its answer; see `engrain.idempotency`.

    `name` is a digest, `request` a salted one of its arguments, "" once an erasure has removed it. `entries` are the
    ids of what it changed, and the numbers of its erasures. `status` is None while it is in progress, `body`
    if there is none to return.
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
    """A namespace: the memories of one user of an org, or of no user; see `Transaction.namespace`."""

    id: int
    org: str
    user: str | None


class CounterRow(NamedTuple):
    """The number of live, unsuperseded memories of a kind of an agent; maintained by transactions, never put."""

    namespace: int
    agent: str
    kind: str
    live: int


class Setting(NamedTuple):
    """A persistent value of an org or of the store, such as the current embedder."""

    name: str
    value: str
    org: str = STORE_ORG


_OfMemories = Record | Revision | Edge | Posting | Vector | WitnessRow | CounterRow | EvidenceRow | AccessRow | LifeRow
_OfGraph = NamespaceRow | EntityRow | EntityNote | MentionRow | RelationRow | MergeRow
_OfSessions = ConversationRow | SummaryRow | TurnRow | CollectionRow | ExactKeyRow | ExactRow
Row = _OfMemories | _OfGraph | _OfSessions | AuditEntry | Head | ReceiptRow | Job | Setting | KeyRow | AnswerRow
"""A row of any kind."""


class TextStats(NamedTuple):
    """The number of documents in the searched namespaces, their mean length in terms, and each term's frequency."""

    documents: int
    average_length: float
    frequency: Mapping[str, int]


class Ranked(NamedTuple):
    """Rows found, best first: `nums` and their `scores`, two arrays of one length; of a text search its `stats`."""

    nums: Ints
    scores: Floats
    stats: TextStats = TextStats(0, 0.0, {})


@dataclass
class Columns:
    """The ranking columns of candidates, as arrays of one length, in the requested order.

    `session`, `actor`, `domain` and `agent` are codes (-1 without one), the last three into `actors`, `domains`
    and `agents`; `kind` is an index of the kinds; times are microseconds since 1970. `used_at` is when a memory was
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
        """Return the columns of the rows at some indices."""
        return ReadColumns(lambda name: each.take(places) if hasattr(each := getattr(self, name), "take") else each)


class ReadColumns(Columns):
    """Columns each of which is read, by its name, when it is first used: ranking needs few of them."""

    def __init__(self, read: Callable[[str], Any]) -> None:
        self._read = read

    def __getattr__(self, name: str) -> Any:
        if name not in Columns.__dataclass_fields__:
            raise AttributeError(f"no column {name!r}", name=name, obj=self)
        value = self.__dict__[name] = self._read(name)
        return value


class Description(NamedTuple):
    """The ranking data of some rows, `nums`, and of their neighbours in their sessions.

    `around` has for each requested row, in order, the rows at positions -span..-1 and 1..span of its session, the
    newest of several, -1 without one or if it does not pass. All others are about `rows`: the requested ones and
    their neighbours, each once, ascending. `gains` has each term's contribution to the BM25 score of each row.
    `cosines` are NaN for a row without a vector, and for rows neither requested nor next to one. `sessions` are
    again in the requested order: the BM25 score of each row's session, as one document made of its rows that pass.
    `similar` are the nearest rows that were searched for.
    """

    rows: Ints
    around: Ints
    columns: Columns
    gains: Floats
    cosines: Floats
    sessions: Floats
    nums: Ints
    similar: Ranked


class LookUp(NamedTuple):
    """The first reads of a write: its namespace, the audit head of that, rows with identities and terms, and entities.

    `namespace` is None if it does not exist, `head` if it has no audit entry. `twins` are the rows of the
    namespace that have one of the identities; `holders` are rows of it, for each term in order; `entities` are of the
    namespace and of the one without a user, by id.
    """

    namespace: int | None = None
    head: Head | None = None
    twins: Sequence[int] = ()
    holders: Sequence[Sequence[int]] = ()
    entities: Sequence[EntityRow] = ()


class PointOfView(NamedTuple):
    """The viewer of relations, None for an administrator, and the time: `valid_at`, and `known_at` for stated ones."""

    agent: str | None
    valid_at: datetime
    known_at: datetime | None = None


class Surroundings(NamedTuple):
    """The surroundings of entities: relations, co-mentions, and memories about them."""

    relations: Sequence[RelationEdge] = ()
    together: Sequence[CoMention] = ()
    mentions: Sequence[tuple[int, int]] = ()


class Residue(NamedTuple):
    """The result of a search of a store's files: traces that no living row has (`left`), and those that one has."""

    left: frozenset[bytes] = frozenset()
    shared: frozenset[bytes] = frozenset()


def called(column: str) -> str:
    """Return the quoted name of a column for a statement."""
    return f'"{column}"' if column == "user" else column


def read_time(stored: int | None) -> datetime | None:
    """Return a time from its stored form."""
    return None if stored is None else _EPOCH + stored * _MICROSECOND


def stored(value: object) -> Any:
    """Return a value in its stored form: times as microseconds since 1970, JSON compact."""
    if isinstance(value, datetime):
        return (value - _EPOCH) // _MICROSECOND
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, Procedure):
        value = value.to_dict()
    return _compact(value) if isinstance(value, dict | tuple | list) else value


@contextmanager
def legible() -> Iterator[None]:
    """Turn errors of invalid rows into `StoreCorrupt`; a store adds its location."""
    try:
        yield
    except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        message = f"holds a row that makes no sense ({error}): restore a snapshot or a backup of it"
        raise StoreCorrupt(message) from error


class Table:
    """The mapping of rows of one kind to a table: `columns` are the names of the row's fields by default.

    A row of the same `key` is overwritten if the table `replaces`. If rows are `numbered`, one without a number in its
    last column gets one. Rows with more fields when they are read come from the table's view, which has the columns
    `shown` too. The types of the fields say which columns need conversion; None is "" in a `blank` column.
    """

    def __init__(
        self,
        kind: type,
        name: str,
        key: str,
        *,
        columns: str = "",
        blank: str = "",
        replaces: bool = False,
        numbered: bool = False,
        shown: str = "",
    ) -> None:
        fields: tuple[str, ...] = kind.__match_args__  # type: ignore[attr-defined]
        names = tuple(columns.split()) or fields
        self.kind = kind
        self.name = name
        self.key: Final = tuple(key.split())
        self.columns: tuple[str, ...] = names[: len(names) - len(shown.split())]
        self.replaces = replaces
        self.numbered = numbered
        self.read_from: Final = f"{name}_view" if shown else name
        self.listed: Final = ", ".join(map(called, names))
        self._fields = attrgetter(*fields[: len(self.columns)])
        hints = ChainMap(*map(get_annotations, kind.__mro__))
        types = [str(getattr(hints[name], "__forward_arg__", hints[name])).removesuffix(" | None") for name in fields]
        self._times = [place for place, each in enumerate(types) if each == "datetime"]
        self._blank = [names.index(name) for name in blank.split()]
        self._values = [(place, _READ[each]) for place, each in enumerate(types) if each in _READ]
        written = (*self._times, *self._blank, *(place for place, _ in self._values))
        self._written = [place for place in written if place < len(self.columns)]
        self._wrong = [_WRONG.get(each, frozenset()) for each in types]
        self._sound: set[tuple[type, ...]] = set()

    def encode(self, row: Any) -> tuple[Any, ...]:
        """Return a row as its `columns`, without its number if it has none yet."""
        if not self._written and not self.numbered:
            return tuple(self._fields(row))
        values = [*self._fields(row)]
        for place in self._written:
            values[place] = stored(values[place])
        for place in self._blank:
            values[place] = values[place] or ""
        if self.numbered and not values[-1]:
            values.pop()
        return tuple(values)

    def decode(self, row: Sequence[Any]) -> Any:
        """Return the row of `listed` columns; an invalid value is a `ValueError`."""
        kinds = tuple(map(type, row))
        if kinds not in self._sound:
            if any(kind in wrong for kind, wrong in zip(kinds, self._wrong, strict=True)):
                raise ValueError(f"a column of {self.name} holds what it cannot")
            self._sound.add(kinds)
        values = [*row]
        for place in self._times:
            if values[place] is not None:
                values[place] = _EPOCH + values[place] * _MICROSECOND
        for place in self._blank:
            values[place] = values[place] or None
        for place, read in self._values:
            if values[place] is not None:
                values[place] = read(values[place])
        return self.kind(*values)


TABLES = {
    table.kind: table
    for table in (
        Table(Revision, "revision", "seq", numbered=True),
        Table(NamespaceRow, "namespace", "id"),
        Table(EvidenceRow, "memory", "num", columns="num id valid_from valid_until source_type"),
        Table(LifeRow, "memory", "num"),
        Table(
            AccessRow, "memory", "num", columns="num ns id access_count last_accessed accessed_2 accessed_3 strength"
        ),
        Table(Edge, "link", "source relation target", replaces=True),
        Table(Posting, "posting", "ns term num", columns="ns term num count"),
        Table(Setting, "setting", "name", replaces=True),
        Table(CounterRow, "counter", "ns agent kind", columns="ns agent kind live"),
        Table(Head, "audit_head", "org user", replaces=True),
        Table(WitnessRow, "witness", "num type source", replaces=True),
        Table(KeyRow, "server_key", "id"),
        Table(ReceiptRow, "receipt", "id", replaces=True),
        Table(AnswerRow, "answer", "org caller name"),
        Table(EntityRow, "entity", "id", numbered=True),
        Table(EntityNote, "entity_note", "entity agent", replaces=True),
        Table(MentionRow, "mention", "entity num", replaces=True),
        Table(RelationRow, "relation", "id", numbered=True),
        Table(MergeRow, "merge", "id", replaces=True),
        Table(ConversationRow, "conversation", "num", numbered=True, shown="state org user"),
        Table(SummaryRow, "summary", "conversation", replaces=True),
        Table(TurnRow, "turn", "conversation position", shown="status"),
        Table(CollectionRow, "collection", "num", numbered=True, shown="org user"),
        Table(ExactKeyRow, "exact_record", "collection position"),
        Table(ExactRow, "exact_record", "collection position", replaces=True, shown="memory_id"),
        Table(AuditEntry, "audit", "org user seq", blank="user"),
        Table(Job, "job", "id", replaces=True),
    )
}

_MADE = ("scope", "fact", "source", "accessed_before", "read_at", "supersedes", "links", "causal_chain")
_PUT = [getattr(Memory, name).__set__ for name in (*_MADE, *_OF_MEMORY)]
_of_memory, _of_record = attrgetter(*_OF_MEMORY), attrgetter(*_OF_RECORD)
_of_source = attrgetter(*(each.name for each in fields(Source)))
_in_columns = itemgetter(*MEMORY_COLUMNS)
_TIMES_AT, _LISTS_AT = [_AT[name] for name in _TIMES], [_AT[name] for name in _LISTS]
_memory_values, _source_values, _record_values, _parts = (
    itemgetter(*map(_AT.__getitem__, names)) for names in (_OF_MEMORY, _SOURCE, _OF_RECORD, _PARTS)
)
_numbers = itemgetter(*(_AT[name] for name in "importance confidence trust strength access_count length marks".split()))
_scope = lru_cache(maxsize=4096)(Scope)


def encode_record(record: Record, namespace: int) -> tuple[Any, ...]:
    """Return a record as a row of the memory table, in the order of `MEMORY_COLUMNS`."""
    memory, fact = record.memory, record.memory.fact
    values: dict[str, Any] = dict(zip(_OF_MEMORY, _of_memory(memory), strict=True))
    values["status"] = memory.stored_status
    values.update(zip(_OF_RECORD, _of_record(record), strict=True))
    values.update(zip(_SOURCE, _of_source(memory.source), strict=True))
    values.update(num=record.num or None, ns=namespace, agent=memory.scope.agent, session=memory.scope.session)
    facts = [None] * 6 if fact is None else [fact.subject, fact.predicate, fact.object, *models.slot(fact)]
    values.update(zip(_FACT, facts, strict=True))
    values["accessed_2"], values["accessed_3"] = (*memory.accessed_before, None, None)[:2]
    for name in _CONVERTED:
        if values[name] is not None:
            values[name] = stored(values[name])
    return cast(tuple[Any, ...], _in_columns(values))


def decode_record(row: Sequence[Any], org: str, user: str | None, read_at: datetime | None = None) -> Record:
    """Return a record from a row of the memory table, in the order of `MEMORY_COLUMNS` or longer, without links."""
    if bytes in map(type, row) or str in map(type, _numbers(row)):
        raise ValueError("a column of memory holds what it cannot")
    values = [*row]
    for place in _TIMES_AT:
        if values[place] is not None:
            values[place] = _EPOCH + values[place] * _MICROSECOND
    for place in _LISTS_AT:
        values[place] = () if values[place] == "[]" else tuple(_decoded(values[place]))
    for place, members in _ENUMERATIONS_AT:
        values[place] = members[values[place]]
    metadata, procedure = values[_AT["metadata"]], values[_AT["procedure"]]
    values[_AT["metadata"]] = {} if metadata == "{}" else _decoded(metadata)
    values[_AT["procedure"]] = None if procedure is None else Procedure.from_dict(_decoded(procedure))
    values[_AT["pinned"]] = bool(values[_AT["pinned"]])
    agent, session, subject, predicate, obj, *accessed = _parts(values)
    fact = None if subject is None else Fact(subject, predicate, obj)
    made = _scope(org, user, agent, session), fact, Source(*_source_values(values)), tuple(filter(None, accessed))
    memory = object.__new__(Memory)  # its own constructor, which takes names, takes three times as long
    for put, value in zip(_PUT, (*made, read_at, (), (), (), *_memory_values(values)), strict=True):
        put(memory, value)
    memory.__post_init__()
    return Record(memory, *_record_values(values))


def distinct(*nums: Ints) -> Ints:
    """Return the row numbers in order, each once; -1 means no row and is left out."""
    together = np.concatenate([each.ravel() for each in nums])
    together = together[together >= 0]
    if not len(together):
        return together
    low, high = int(together.min()), int(together.max())
    if high - low < _WIDE:
        held = np.zeros(high - low + 1, np.bool_)
        held[together - low] = True
        return np.asarray(np.flatnonzero(held) + low, np.int64)
    together.sort()
    return np.asarray(together[np.append(True, together[1:] != together[:-1])])


def places_of(known: Ints, nums: Ints) -> Ints:
    """Return the index of each row number among the known ones, which contain them all; -1 for -1."""
    if not len(known):
        return np.full(nums.shape, -1, np.int64)
    low, span = int(known[0]), int(known[-1] - known[0])
    if span >= _WIDE:
        return np.asarray(np.where(nums >= 0, np.searchsorted(known, nums), -1), np.int64)
    places = np.empty(span + 2, np.int64)
    places[0] = -1
    places[known - (low - 1)] = np.arange(len(known))
    return places[np.maximum(nums - (low - 1), 0)]


def places_among(known: Ints, nums: Ints) -> Ints:
    """Return the index of each number among the known ones, which are in order; -1 for others."""
    at = np.searchsorted(known, nums)
    return np.asarray(np.where(known[np.minimum(at, len(known) - 1)] == nums, at, -1)) if len(known) else at - 1
