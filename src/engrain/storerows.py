"""What a store keeps, as rows; what it finds, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntFlag
from typing import Any, NamedTuple

from engrain.arrays import Floats, Ints
from engrain.graphrows import EntityNote, EntityRow, MentionRow, MergeRow, RelationRow
from engrain.model.memory import AuditEntry, Job, Memory
from engrain.turnrows import ConversationRow, ToldRow, TurnRow


@dataclass(frozen=True, slots=True)
class Record:
    """A memory as a store keeps it.

    `identity` is None once its slot is free; `salt` goes into audit digests; `num` is the row number, 0 before it is
    put; `length` counts its index terms; `marks` is a bit set of `Mark`; `due_at` is when a sweep has to look at it.
    """

    memory: Memory
    identity: str | None
    salt: str
    num: int = 0
    length: int = 0
    marks: int = 0
    due_at: datetime | None = None


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
    """A request that a caller gave a name, and how it was answered; see `engrain.idempotency`.

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


class Tally(NamedTuple):
    """How many memories of a kind an agent has that are live and not superseded; the store keeps count by itself."""

    namespace: int
    agent: str
    kind: str
    held: int


NOBODYS = ""
"""The org of what belongs to none: the store's own settings and jobs."""


class Setting(NamedTuple):
    """A value that the store itself must not forget, such as the embedder in force; `org` is whose it is."""

    name: str
    value: str
    org: str = NOBODYS


GraphRow = EntityRow | EntityNote | MentionRow | RelationRow | MergeRow
TalkRow = ConversationRow | ToldRow | TurnRow
TrustRow = Head | AuditEntry | WitnessRow | ReceiptRow | KeyRow | AnswerRow
Row = Record | Revision | Edge | Posting | Vector | Setting | Tally | Job | TrustRow | GraphRow | TalkRow


# ---------------------------------------------------------------------------------------------------------- search


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows found, best first: `nums` and their `scores`, two arrays of one length."""

    nums: Ints
    scores: Floats


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

    def of(self, places: slice) -> Columns:
        """Return what is known of some of them."""
        return Columns(**{name: self._some(name, places) for name in self.__slots__})

    def _some(self, name: str, places: slice) -> Any:
        values = getattr(self, name)
        return values if name in ("actors", "domains", "agents") else values[places]


@dataclass(frozen=True, slots=True)
class Residue:
    """What a search of a store's files found: traces that stand in no living row, and those that one of them holds."""

    left: frozenset[bytes] = frozenset()
    shared: frozenset[bytes] = frozenset()
