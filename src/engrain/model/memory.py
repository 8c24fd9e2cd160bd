"""The types of the data model: memories, facts, turns, audit entries, jobs, and the usage of a memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, NamedTuple, get_args
from unicodedata import normalize
from uuid import uuid4

from engrain.errors import AccessDenied
from engrain.model.choices import LinkRelation, Tier
from engrain.model.procedure import Procedure
from engrain.model.signatures import PublicKey, verified
from engrain.text import digest, key_of, normalise, pattern, plain_fields, shorten, table

JSON = dict[str, Any]
_LONGEST_SOURCE = 40  # characters
_BLANKS = pattern(r"[\s\x00-\x1f\x7f-\x9f]+")
_NOT_IN_SOURCES = pattern(r"[^\w.:/@#?=&%+~-]+")  # white space, and characters with a meaning in Markdown
_FIRST_WORDS = pattern(r"(?:\w+://[\d.]*[^\W\d_]*)?(?:[\W\d_]*[^\W\d_]+){0,2}(?:[\W_]*\d+)*")
RELATIONS = get_args(LinkRelation)
CONTESTED = "contested"  # the `status_reason` of an active memory that contradicts one it may not close
STATED_AT = "stated_at"  # in the metadata of a memory whose text dates what it states
UNCONFIRMED = "unconfirmed"  # the `status_reason` of a mined procedure that awaits confirmation
_ARTICLE = pattern(r"(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_EDGES = " \t\n.,;:!?\"'"
_PREDICATES = {  # predicates, each with its synonyms
    "lives_in": "resides_in residence",
    "located_in": "based_in location",
    "works_at": "works_for employed_by employed_at employer",
    "job_title": "job occupation",
    "owner": "owned_by",
    "email": "e_mail email_address",
    "phone": "phone_number telephone",
    "timezone": "time_zone",
    "married_to": "spouse",
    "birthday": "date_of_birth",
}
_SAME_PREDICATE = {other: name for name, others in _PREDICATES.items() for other in others.split()}
ROLES: Final = frozenset(("user", "assistant", "system", "tool"))  # the actors that are no names
USER: Final = "user"  # the name of the user of a scope that names none
EMBED: Final = "embed"  # embeds memories that were stored without a vector
ENRICH: Final = "enrich"  # lets a language model describe a memory
IDLE: Final = "idle"  # ends an idle session
PROVE: Final = "prove"  # searches the files for traces of an erasure, once no reader pins them
SWEEP: Final = "sweep"  # applies retention, expiry and consolidation to due memories; one for a store


class Kind(StrEnum):
    """The kind of a memory: a value on the record, so that promotion is an update."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


class Status(StrEnum):
    """The status of a memory; `superseded` follows from `superseded_by`, and is stored as `active`."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    ARCHIVED = "archived"
    EXPIRED = "expired"
    FORGOTTEN = "forgotten"


class Expiry(StrEnum):
    """The origin of a memory's expiry: none yet, a retention policy, or its caller, which overrides any policy."""

    NONE = ""
    DEFAULT = "default"
    GIVEN = "given"


class SourceType(StrEnum):
    """The five trust classes, most trusted first."""

    SYSTEM = "system"
    USER_INPUT = "user_input"
    LLM_GENERATED = "llm_generated"
    TOOL_RESULT = "tool_result"
    EXTERNAL_DATA = "external_data"


@dataclass(frozen=True, slots=True)
class Scope:
    """The owner of a memory: `org` and `user` isolate, `agent` narrows the view, `session` groups."""

    org: str = "default"
    user: str | None = None
    agent: str | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of a memory: its trust class, the caller's own words for it, and a hash of the stored text."""

    type: SourceType = SourceType.LLM_GENERATED
    origin: str = ""
    id: str = ""
    ref: str = ""
    content_hash: str = ""
    signature: str | None = None

    @property
    def name(self) -> str:
        """The source's address up to a blank, cut, as it may be an attacker's; "" if unknown or like a class's name."""
        given = _BLANKS.split(self.ref) if self.ref else [self.origin]
        parts = [part for each in given if (part := _NOT_IN_SOURCES.sub("_", each).strip("_#"))] or [""]
        letters, named = "".join(filter(str.isalpha, normalize("NFKC", "".join(parts)).casefold())), parts[0]
        classes = (each.replace("_", "") for each in SourceType if each is not SourceType.SYSTEM)
        if letters == SourceType.SYSTEM or any(each in letters for each in classes):
            return ""
        end = min(_FIRST_WORDS.match(named).end(), _LONGEST_SOURCE)  # type: ignore[union-attr]
        return named if end >= len(named) and len(parts) == 1 else f"{named[:end]}…"

    @property
    def label(self) -> str:
        """The class and the name: "external_data, https://example.org"."""
        return ", ".join(filter(None, (self.type.value, self.name)))

    def verify(self, content: str) -> bool:
        """Return whether `content` is the stored text: its SHA-256 is the recorded one."""
        return sha256(content.encode()).hexdigest() == self.content_hash


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement as subject, predicate and object; the memory's text stays canonical."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Link:
    """A typed edge to another memory: one of `RELATIONS`. `related` and `contradicts` show on both ends."""

    relation: str
    memory_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message of a conversation: `position` is its place, `at` an aware datetime, `data` the exact item it is of."""

    role: str
    content: str
    id: str = ""
    actor: str | None = None
    at: datetime | None = None
    position: int | None = None
    token_count: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict)
    data: Any = None

    def __repr__(self) -> str:
        return f"<Turn {self.id or self.position}: {self.role}: {shorten(self.content, 80)!r}>"

    @property
    def timestamp(self) -> datetime | None:
        """Another name of `at`."""
        return self.at


@dataclass(frozen=True, slots=True)
class ContextItem:
    """A piece of a model's context: `priority` 0 to 10 (higher first), `score` 0 to 1 within a priority.

    `source` is `conversation` for turns and their summaries, `memory` for facts.
    """

    content: str
    source: str = "conversation"
    score: float = 0.0
    priority: int = 7
    token_count: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict)


class FactType(StrEnum):
    """The type of a key fact of a conversation."""

    DECISION = "decision"
    ENTITY = "entity"
    NUMBER = "number"
    DATE = "date"
    PREFERENCE = "preference"
    CONSTRAINT = "constraint"


class KeyFact(str):
    """A fact worth keeping of summarised turns; a `str` with its text, and `fact_type` and `source_tier`.

    `token_count` is 0 until it is counted. An unknown `fact_type` is a `ValueError`.
    """

    fact_type: FactType
    source_tier: int
    token_count: int

    def __new__(cls, content: str, fact_type: str, *, source_tier: int = 0, token_count: int = 0) -> KeyFact:
        fact = super().__new__(cls, content)
        fact.fact_type, fact.source_tier, fact.token_count = FactType(fact_type), source_tier, token_count
        return fact

    @property
    def content(self) -> str:
        """The text, as a plain string."""
        return str.__str__(self)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Memory:
    """One thing remembered. Every field is described in `docs/data-model.md`; times are aware UTC datetimes."""

    id: str
    content: str
    scope: Scope
    recorded_at: datetime
    updated_at: datetime
    valid_from: datetime
    kind: Kind = Kind.SEMANTIC
    key: str | None = None
    actor: str | None = None
    position: int | None = None
    summary: str = ""
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    fact: Fact | None = None
    procedure: Procedure | None = None
    domain: str = "general"
    tier: Tier = "B"
    importance: float = 0.5
    confidence: float = 1.0
    source: Source = field(default_factory=Source)
    trust: float = 0.7
    status: Status = Status.ACTIVE
    status_reason: str = ""
    valid_until: datetime | None = None
    believed_until: datetime | None = None
    expires_at: datetime | None = None
    expiry: Expiry = Expiry.NONE
    consolidated_at: datetime | None = None
    superseded_by: str | None = None
    supersedes: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    evidence_count: int = 1
    access_count: int = 0
    last_accessed: datetime | None = None
    accessed_before: tuple[datetime, ...] = ()
    strength: float = 1.0
    evolution_count: int = 0
    version: int = 1
    pinned: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    causal_chain: tuple[str, ...] = ()
    read_at: datetime | None = field(default=None, repr=False, compare=False)
    """The moment of its status: the `as_of` of its read, or when it was read by the manager's own clock; None: now."""

    def __post_init__(self) -> None:
        if self.status is Status.SUPERSEDED or (self.superseded_by is not None and self.status is Status.ACTIVE):
            over = self.is_superseded_at(self.read_at or max(datetime.now(UTC), self.updated_at))
            object.__setattr__(self, "status", Status.SUPERSEDED if over else Status.ACTIVE)

    def __repr__(self) -> str:
        content = self.content if len(self.content) <= 80 else self.content[:79] + "…"
        return f"<Memory {self.id}: {content!r}, {self.kind.value}, {self.status.value}>"

    def _repr_html_(self) -> str:
        return table([("", "valid from", "status"), (self.content, f"{self.valid_from:%Y-%m-%d}", self.status)])

    @property
    def stored_status(self) -> Status:
        """The status without regard to newer memories: `active` for a superseded one."""
        return Status.ACTIVE if self.status is Status.SUPERSEDED else self.status

    @property
    def stated_at(self) -> datetime:
        """When it was stated: `valid_from`, unless that is the date that its text gives to what it states."""
        try:  # the caller may have metadata of that name
            stated = datetime.fromisoformat(str(self.metadata.get(STATED_AT)))
        except ValueError:
            return self.valid_from
        return self.valid_from if stated.tzinfo is None else stated

    @property
    def band(self) -> str:
        """The importance in words: critical (>= .8), notable (>= .5), routine (>= .2) or trivial."""
        bands = {"critical": 0.8, "notable": 0.5, "routine": 0.2}
        return next((band for band, least in bands.items() if self.importance >= least), "trivial")

    @property
    def is_superseded(self) -> bool:
        """Whether a newer version replaces it."""
        return self.superseded_by is not None

    def is_superseded_at(self, now: datetime) -> bool:
        """Return whether a newer version is valid at `now`; a known one may begin later."""
        return self.superseded_by is not None and (self.valid_until is None or self.valid_until <= now)

    @property
    def is_contested(self) -> bool:
        """Whether it is active, but contradicts a memory that it may not close, and awaits a verdict."""
        return self.stored_status is Status.ACTIVE and self.status_reason == CONTESTED

    def should_flag_for_review(self) -> bool:
        """Return whether it needs a review: its confidence is under 0.5 or it has over 5 predecessors."""
        return self.confidence < 0.5 or self.evolution_count > 5

    @property
    def is_live(self) -> bool:
        """Active, not superseded, believed, unexpired and valid at `read_at`, else at this moment."""
        return self.is_live_at(self.read_at or datetime.now(UTC))

    def is_live_at(self, now: datetime) -> bool:
        """Active, not superseded, believed, unexpired and valid at `now`."""
        return (
            self.stored_status is Status.ACTIVE
            and not self.is_superseded_at(now)
            and self.believed_until is None
            and self.valid_from <= now
            and (self.valid_until is None or now < self.valid_until)
            and (self.expires_at is None or now < self.expires_at)
        )

    def as_of_clock(self, now: datetime) -> Memory:
        """Return it with the status it has at `now`: one past its `expires_at` is expired even before a sweep."""
        if self.stored_status is Status.ACTIVE and self.expires_at is not None and self.expires_at <= now:
            return replace(self, status=Status.EXPIRED, status_reason="ttl")
        return self

    def payload(self) -> bytes:
        """Return the bytes that `source.signature` signs: id, hash of the text, its source, its owner."""
        source, scope = self.source, self.scope
        origin = [source.type.value, source.origin, source.id, source.ref]
        bound = [self.id, source.content_hash, *origin, scope.org, scope.user, scope.agent, scope.session]
        return json.dumps({"memory": bound}, separators=(",", ":"), ensure_ascii=False).encode()

    def verify_signature(self, public_key: PublicKey) -> bool:
        """Return whether the holder of that key signed this text with this id, source and scope."""
        signature = self.source.signature
        sound = signature is not None and self.source.verify(self.content)
        return sound and verified(public_key, self.payload(), str(signature))

    def to_dict(self) -> JSON:
        """Return plain JSON types: times as ISO 8601. `from_dict` reads it back equal."""
        return plain_fields(self)

    def to_row(self) -> JSON:
        """Return `to_dict` with the stored status, as revisions have it."""
        return {**plain_fields(self), "status": self.stored_status.value}

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Memory:
        """Read the output of `to_dict` or a store; raises `KeyError`, `TypeError` or `ValueError` on anything else."""
        values = {f.name: row[f.name] for f in fields(cls) if f.name in row}
        for name in _TIMES & values.keys():
            values[name] = None if values[name] is None else datetime.fromisoformat(values[name])
        for name in _TUPLES & values.keys():
            values[name] = tuple(values[name])
        values["scope"] = Scope(**values["scope"])
        values["kind"], values["status"] = Kind(values["kind"]), Status(values["status"])
        source = dict(values["source"])
        values["source"] = Source(**{**source, "type": SourceType(source["type"])})
        if values.get("fact"):
            values["fact"] = Fact(**values["fact"])
        if values.get("procedure"):
            values["procedure"] = Procedure.from_dict(values["procedure"])
        if "accessed_before" in values:
            values["accessed_before"] = tuple(map(datetime.fromisoformat, values["accessed_before"]))
        given = Expiry.GIVEN if values.get("expires_at") else Expiry.NONE  # as rows say that do not know the word
        values["expiry"] = Expiry(values.get("expiry", given))
        values["links"] = tuple(Link(**link) for link in values.get("links", ()))
        return cls(**values)


_TIMES = frozenset(each.name for each in fields(Memory) if str(each.type).startswith("datetime"))
_TUPLES = frozenset(each.name for each in fields(Memory) if each.type == "tuple[str, ...]")


class MemoryType(StrEnum):
    """The type of an entry of a stand-alone class."""

    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntry:
    """An entry of the stand-alone classes, which have no store: a text, its relevance, and its usage.

    `relevance_score` is 0 to 1. Ids and times are made when they are not given; times are aware UTC datetimes. An
    `access_count` below 0, a score out of range and an unknown `memory_type` are `ValueError`.
    """

    content: str
    id: str = field(default_factory=lambda: str(uuid4()))
    relevance_score: float = 0.5
    access_count: int = 0
    last_accessed: datetime = field(default_factory=lambda: datetime.now(UTC))
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    updated_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    memory_type: MemoryType = MemoryType.SEMANTIC
    user_id: str | None = None
    session_id: str | None = None
    expires_at: datetime | None = None
    source_turns: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.relevance_score <= 1:
            raise ValueError(f"relevance_score is {self.relevance_score}: it must be from 0 to 1")
        if self.access_count < 0:
            raise ValueError(f"access_count is {self.access_count}: it cannot be negative")
        object.__setattr__(self, "memory_type", MemoryType(self.memory_type))
        for name in ("tags", "source_turns", "links"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def content_hash(self) -> str:
        """The SHA-256 of the text, as hex."""
        return sha256(self.content.encode()).hexdigest()

    @property
    def is_expired(self) -> bool:
        """Whether it has expired, by the system's clock."""
        return self.expires_at is not None and datetime.now(UTC) >= self.expires_at

    def touch(self) -> MemoryEntry:
        """Return a copy with one more access."""
        return replace(self, access_count=self.access_count + 1, last_accessed=datetime.now(UTC))

    def invalidate(self, *, by: str) -> MemoryEntry:
        """Return a copy that has expired, with the id of its replacement in `metadata["invalidated_by"]`."""
        return replace(self, expires_at=datetime.now(UTC), metadata={**self.metadata, "invalidated_by": by})


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One state change: the operation, the memory, the time and the actor, chained to the entry before it.

    Each namespace, an organisation with a user or without one, has its own chain, in which `seq` counts. An entry never
    holds text. `digest` is salted with a value that lives beside the memory and is erased with it; `reason` is stored
    beside the entry, outside the hash, and is erased with the memory too.
    """

    org: str
    seq: int
    at: datetime
    operation: str
    memory_id: str
    actor: str
    digest: str
    hash: str
    reason: str = ""
    user: str | None = None

    def __repr__(self) -> str:
        return f"<AuditEntry {self.seq}: {self.operation} {self.memory_id} by {self.actor}, {self.at:%Y-%m-%d %H:%M}>"

    @property
    def links(self) -> tuple[tuple[str, ...], ...]:
        """The content hashed with the previous hash: one digest, which reveals nothing; in old chains the fields."""
        fields = (self.org, str(self.seq), self.at.isoformat(), self.operation, self.memory_id, self.actor, self.digest)
        link = (digest("entry", self.user or "", *fields),)
        return (link, fields) if self.user is None else (link,)

    def chained(self, previous: str) -> str:
        """Return the hash of the entry after `previous`; `reason` stays outside, so that it can be erased."""
        return digest(previous, *self.links[0])

    def link_after(self, previous: str) -> tuple[str, ...] | None:
        """Return the content hashed with `previous` to this entry's hash; None if it is not the next one."""
        return next((link for link in self.links if digest(previous, *link) == self.hash), None)


class JobState(StrEnum):
    """The state of a queued job; `dead` is the dead-letter list."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Job:
    """Work queued in the transaction that made it necessary, and leased by one worker at a time."""

    id: str
    kind: str
    org: str
    memory_id: str
    run_at: datetime
    state: JobState = JobState.QUEUED
    attempts: int = 0
    error: str = ""
    lease_until: datetime | None = None
    leased_by: str = ""


COOLS, COLD = timedelta(hours=1), timedelta(days=7)


class Heat(StrEnum):
    """Hot: three accesses in seven days, one in the hour; cold: none in seven days, nor recorded in them; else warm."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


def heat(memory: Memory, now: datetime) -> Heat:
    """Return the heat of a memory at `now`."""
    used = memory.last_accessed or memory.recorded_at
    if now - used > COLD:
        return Heat.COLD
    third = memory.accessed_before[1] if len(memory.accessed_before) > 1 else None
    return Heat.HOT if third is not None and now - third <= COLD and now - used <= COOLS else Heat.WARM


def accessed(known: Iterable[datetime | None], times: Iterable[datetime]) -> tuple[datetime, tuple[datetime, ...]]:
    """Return the last access, and the two before it, from the known times and new ones."""
    latest = sorted((*(at for at in known if at is not None), *times), reverse=True)[:3]
    return latest[0], tuple(latest[1:])


class Slot(NamedTuple):
    """A fact's three parts in their comparison form; two facts with equal `subject` and `predicate` share a slot."""

    subject: str
    predicate: str
    object: str


def slot(fact: Fact) -> Slot:
    """Return the slot of a fact."""
    return Slot(*map(key_of, (compared(fact.subject), predicate(fact.predicate), compared(fact.object))))


def compared(part: str) -> str:
    """Return a subject or an object in its comparison form: normalised, without a leading article or edge marks."""
    bare = part.strip(_EDGES)
    return normalise(_ARTICLE.sub("", bare, count=1) if _ARTICLE.match(bare) else bare) or normalise(part)


def predicate(name: str) -> str:
    """Return a predicate in its comparison form: lower case, joined by underscores, under its canonical name."""
    folded = normalise(name).casefold()  # also "LIVES_IN", which the comparison of texts keeps to the letter
    bare = re.sub(r"[\W_]+", "_", folded).strip("_") or folded
    return _SAME_PREDICATE.get(bare, bare)


def speaker(memory: Memory) -> str | None:
    """Return the person that "I" refers to in a memory: its actor, else the user; None for a machine's text."""
    if memory.actor is None or memory.actor == "user":
        by_user = memory.actor == "user" or memory.source.type is not SourceType.TOOL_RESULT
        return (memory.scope.user or USER) if by_user else None
    return None if memory.actor in ROLES else memory.actor


def given_end(memory: Memory) -> datetime | None:
    """Return the end that a memory's caller gave it, if any; a memory derived from it must not outlive it."""
    return None if memory.expiry is Expiry.DEFAULT else memory.expires_at


def time_left(sources: Iterable[Memory], now: datetime) -> timedelta | None:
    """Return how long a text derived from these may live: until the first end that a caller gave one of them."""
    ends = [end for each in sources if (end := given_end(each)) is not None]
    return min(ends) - now if ends else None


def with_user(fact: Fact | None, user: str | None) -> Fact | None:
    """Return a fact about "the user", or about "the user's sister", with that user's name in its subject."""
    if fact is None or user is None or not f"{fact.subject}'s ".startswith(f"{USER}'s "):
        return fact
    return replace(fact, subject=user + fact.subject.removeprefix(USER))


KEY, CONSOLE = "key:", "console:"  # the prefixes of a server key's id, and of a user's name, in an actor


_current_actor: ContextVar[str | None] = ContextVar("actor", default=None)
_reviews: ContextVar[bool] = ContextVar("reviews", default=True)


@contextmanager
def actor_context(name: str | None, *, reviews: bool = True) -> Iterator[None]:
    """Attribute changes of this context to `key:<id>`, `console:<user>` or None; `reviews` allows verdicts."""
    if name is not None and (not name.startswith((KEY, CONSOLE)) or name in (KEY, CONSOLE)):
        raise ValueError(f"{name!r} is no actor: it is named as {KEY}<id> or {CONSOLE}<user>")
    before, reviewed = _current_actor.set(name), _reviews.set(reviews)
    try:
        yield
    finally:
        _current_actor.reset(before)
        _reviews.reset(reviewed)


def may_review() -> bool:
    """Return whether the actor may give verdicts: an application, or a caller of a server with that role."""
    return _reviews.get()


def is_hidden(memory: Memory) -> bool:
    """Return whether a memory awaits a verdict that the actor may not give, or a mined procedure its confirmation."""
    return memory.status is Status.QUARANTINED and memory.status_reason != UNCONFIRMED and not may_review()


def awaits_review(memory: Memory) -> bool:
    """Return whether a memory, quarantined or contradicting another, awaits a verdict that the actor may not give."""
    return is_hidden(memory) or (memory.is_contested and not may_review())


def need_review(what: str, of: Iterable[Memory] | None = None) -> None:
    """Raise `AccessDenied` unless the actor may give verdicts, or none of the memories `of` some waits for one."""
    if not may_review() and (of is None or any(map(awaits_review, of))):
        raise AccessDenied(f"{what} needs a key of role review", role="review")


def current_actor() -> str | None:
    """Return the actor of the context, None without one."""
    return _current_actor.get()


def current_key() -> str | None:
    """Return the key of the actor context, as `key:<id>`; None without one."""
    name = _current_actor.get()
    return name if name is not None and name.startswith(KEY) else None
