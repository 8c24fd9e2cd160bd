"""The keyword arguments that several methods share, as typed dictionaries.

Methods that end in `**filters`, `**fields` or `**defaults` are annotated with one of these (PEP 692), so that type
checkers and editors know each name and its type. `check_names` refuses unknown names at run time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, cast

from engrain.model.choices import HeatName, KindName, RankingName, Resolve, SourceTypeName, StatusFilter, Tier
from engrain.model.memory import Fact, Heat, Kind, Status
from engrain.policies.scoring import Convex
from engrain.protocols import RankingPolicy
from engrain.validation import Lifetime, When

Ranking: TypeAlias = RankingName | Convex | RankingPolicy
F = TypeVar("F", bound=Mapping[str, Any])


def check_names(given: Mapping[str, object], known: type, *, of: str) -> None:
    """Raise `TypeError` for a name that the typed dictionary `known` does not have; `of` is the method's name."""
    names = known.__annotations__
    for name in given:
        if name not in names:
            raise TypeError(f"{of} has no argument {name!r}: use {', '.join(sorted(names))}")


def reusable(fields: F) -> F:
    """Return arguments that hold for many items: an iterator among them, which can be read once, becomes a tuple."""
    kept = {name: tuple(value) if isinstance(value, Iterator) else value for name, value in fields.items()}
    return cast(F, kept)


# -------------------------------------------------------------------------------------------------------------- reading


class _Filters(TypedDict, total=False):
    """What all reads can be narrowed by."""

    kinds: Iterable[KindName | Kind] | None
    domain: str | None
    tags: Iterable[str] | None
    where: Mapping[str, Any] | None
    since: When | None
    until: When | None
    as_of: When | None
    known_at: When | None


class EntityFilters(_Filters, total=False):
    """Keyword arguments of `MemoryManager.recall_entity` but for `k`.

    Args:
        kinds: Only memories of these kinds: `working`, `episodic`, `semantic` or `procedural`. None means all of them,
            working memory only with a session in scope.
        domain: Only memories of this domain, such as `personal` or `research`. None means any.
        tags: Only memories that have at least one of these tags. None means any.
        where: Conditions on the metadata, such as `{"year": {"gte": 2020}}`, with the operators eq, ne, gt, gte, lt,
            lte, in, nin, contains and exists, combined by and, or and not.
        session: Only memories of this session. A view that is bound to a session can name no other.
        shared: Also the organisation's memories that belong to no user. Default False.
        since: Only memories with an event time at or after this: a datetime, a date or ISO 8601.
        until: Only memories with an event time before this: a datetime, a date or ISO 8601.
        as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
        known_at: Answer by what was believed at this time, in the words of that time. None means now.
    """

    session: str | None
    shared: bool


class ListFilters(_Filters, total=False):
    """Keyword arguments of `MemoryManager.list_memories` but for `order`, `limit` and `cursor`.

    Args:
        kinds: Only memories of these kinds: `working`, `episodic`, `semantic` or `procedural`. None means all of them,
            working memory only with a session in scope.
        status: Only memories of this status, or of these: `active` (live now), `superseded`, `quarantined`,
            `archived`, `expired`, `forgotten` or `all`. Default `active`.
        domain: Only memories of this domain, such as `personal` or `research`. None means any.
        tags: Only memories that have at least one of these tags. None means any.
        all_tags: Only memories that have every one of these tags. None means any.
        tiers: Only memories of these tiers: `A` authoritative, `B` operational, `C` support. None means any.
        heat: Only memories that were used this much lately: one or several of `hot`, `warm` and `cold`. None means any.
        where: Conditions on the metadata, such as `{"year": {"gte": 2020}}`, with the operators eq, ne, gt, gte, lt,
            lte, in, nin, contains and exists, combined by and, or and not.
        session: Only memories of this session. A view that is bound to a session can name no other.
        actor: Only what this person, agent or tool said or did. None means anybody.
        since: Only memories with an event time at or after this: a datetime, a date or ISO 8601.
        until: Only memories with an event time before this: a datetime, a date or ISO 8601.
        as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
        known_at: Answer by what was believed at this time, in the words of that time. None means now.
    """

    status: StatusFilter | Status | Iterable[StatusFilter | Status]
    all_tags: Iterable[str] | None
    tiers: Iterable[Tier] | None
    heat: HeatName | Heat | Iterable[HeatName | Heat] | None
    session: str | None
    actor: str | None


class _QuestionFilters(_Filters, total=False):
    """What `recall`, `synthesize` and `assemble` have in common."""

    all_tags: Iterable[str] | None
    heat: HeatName | Heat | Iterable[HeatName | Heat] | None
    shared: bool
    now: When | None
    include_links: bool
    exclude_superseded: bool
    min_score: float
    min_trust: float
    ranking: Ranking | None
    expand_hops: int
    multi_query: int
    hyde: bool
    rerank: bool | None
    touch: bool


class RecallFilters(_QuestionFilters, total=False):
    """Keyword arguments of `MemoryManager.recall` but for `k`.

    Args:
        kinds: Only memories of these kinds: `working`, `episodic`, `semantic` or `procedural`. None means all of them,
            working memory only with a session in scope.
        domain: Only memories of this domain, such as `personal` or `research`. None means any.
        tags: Only memories that have at least one of these tags. None means any.
        all_tags: Only memories that have every one of these tags. None means any.
        tiers: Only memories of these tiers: `A` authoritative, `B` operational, `C` support. None means any.
        heat: Only memories that were used this much lately: one or several of `hot`, `warm` and `cold`. None means any.
        where: Conditions on the metadata, such as `{"year": {"gte": 2020}}`, with the operators eq, ne, gt, gte, lt,
            lte, in, nin, contains and exists, combined by and, or and not.
        session: Only memories of this session. A view that is bound to a session can name no other.
        shared: Also the organisation's memories that belong to no user. Default False.
        since: Only memories with an event time at or after this: a datetime, a date or ISO 8601.
        until: Only memories with an event time before this: a datetime, a date or ISO 8601.
        as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
        known_at: Answer by what was believed at this time, in the words of that time. None means now.
        now: The clock of the question: what "last week" is relative to, and when a memory must be valid. None means
            the present.
        include_links: Add memories that are linked to the hits, at a lower score. Default True.
        exclude_superseded: Leave out memories that were superseded or have ended. Default True.
        include_quarantined: Also find memories that are not admitted yet. Default False.
        min_score: The lowest relevance of a hit, 0 to 1. Default 0, no limit.
        min_trust: The lowest trust of a memory's source, 0 to 1. Default 0, no limit.
        ranking: The ranking policy: `convex`, `rrf`, `intent_blend`, `recency_similarity_importance`,
            `similarity_importance_recency`, or a `Convex` or `RankingPolicy` object. None means `convex`.
        expand_hops: How many steps to follow entities that the facts of the hits share, 0 to 2; what is found there
            has a lower score. Default 0.
        multi_query: How many phrasings of the question to search by, itself included, at most 6. More than one needs a
            query transformer or a language model, and is left out without. Default 0, the question alone.
        hyde: Also search by a made-up answer, which needs a query transformer or a language model and is left out
            without. Default False.
        rerank: Whether the reranker scores the best hits again: None when there is one, True fails without one.
        touch: Count an access of each hit. Default True.
    """

    session: str | None
    tiers: Iterable[Tier] | None
    include_quarantined: bool


class SynthesisFilters(_QuestionFilters, total=False):
    """Keyword arguments of `recall` that `MemoryManager.synthesize` takes: see `RecallFilters`.

    `tier_filter` takes the place of `tiers`, and quarantined memories are no evidence.
    """

    session: str | None
    include_quarantined: Literal[False]


class AssembleFilters(_QuestionFilters, total=False):
    """Keyword arguments of `recall` that `MemoryManager.assemble` takes: see `RecallFilters`.

    Its `session` names the conversation, and does not filter memories.

    Args:
        k: How many memories at most. Default 10.
    """

    k: int
    tiers: Iterable[Tier] | None
    include_quarantined: bool


# -------------------------------------------------------------------------------------------------------------- writing


class _Fields(TypedDict, total=False):
    """What can be said of every kind of text that is written."""

    kind: KindName | Kind | None
    domain: str
    source_type: SourceTypeName | str
    source_id: str
    source_ref: str
    actor: str | None
    importance: float | None
    confidence: float | None
    tier: Tier | None
    tags: Iterable[str]
    metadata: Mapping[str, Any] | None
    derived_from: Iterable[str]
    valid_from: When | None
    valid_until: When | None
    ttl: Lifetime | None
    pinned: bool


class MessageFields(_Fields, total=False):
    """Keyword arguments of `remember` that hold for every message of a chat: see `WriteFields`.

    A message has no key and no fact of its own, and its session is an argument of `remember_messages`.

    Args:
        source_type: Where all messages come from. None given means by the role of who speaks.
        actor: Who said all messages. None given means the `name` or the role of each.
    """

    resolve: Resolve | None


class SuccessorFields(_Fields, total=False):
    """Keyword arguments of `remember` that `MemoryManager.supersede` takes: see `WriteFields`.

    Args:
        kind: `working`, `episodic`, `semantic` or `procedural`. None given means that of the old memory.
        domain: A label such as `personal`, `project` or `research`. None given means that of the old memory.
        source_type: Who says so; one trusted less than the old memory waits next to it. None given means the
            application itself.
    """

    key: str | None
    session: str | None
    fact: Fact | tuple[str, str, str] | None


class WriteFields(SuccessorFields, total=False):
    """Keyword arguments of `MemoryManager.remember` but for `sync` and `evolve`.

    Args:
        kind: `working`, `episodic`, `semantic` or `procedural`. None means episodic in a session, else semantic.
        key: The caller's own id, unique within organisation, user and agent; a known key edits the memory that has it.
        domain: A label such as `personal`, `project` or `research`. Default `general`.
        source_type: Where the text comes from: `system`, `user_input`, `llm_generated`, `tool_result`,
            `external_data`, or a word of your own that `settings.origins` maps to one of these. It decides how far the
            memory is trusted. Default `llm_generated`.
        source_id: The id of the writer or the source, by which writes are rate-limited; at most 2,048 characters.
        source_ref: A reference such as a URL or a task, at most 2,048 characters.
        session: The session that it belongs to. None means the view's session, if it has one.
        actor: Who said or did it: a speaker, an agent or a tool.
        fact: The statement as subject, predicate and object. None means what is read from the text.
        importance: How much it matters, 0 to 1. None means rated from the text.
        confidence: How sure it is, 0 to 1. None means 1, or what a successor inherits.
        tier: `A` authoritative, `B` operational or `C` support. None means B, or the lowest tier of `derived_from`.
        tags: Labels to filter by, at most 32 of at most 256 characters each.
        metadata: Your own fields, a JSON object of at most 64 KB.
        derived_from: The ids of the memories that it comes from, at most 500, all in scope; it is trusted no more than
            the least trusted of them.
        valid_from: When it begins to be true: a datetime, a date or ISO 8601. None means now.
        valid_until: When it ceases to be true: a datetime, a date or ISO 8601. None means never.
        ttl: How long to keep it: a `timedelta` or seconds, more than 0. None leaves it to the retention policy.
        pinned: Let no default expire, evict or archive it. Default False.
        resolve: `auto` compares it with known memories by all stages of conflict resolution, `off` only with identical
            texts. None means `settings.resolve`.
    """

    resolve: Resolve | None


class WriteItem(WriteFields, total=False):
    """One item of `MemoryManager.remember_many`: a text and the keyword arguments that hold for it alone.

    Args:
        content: The text to keep; every item needs one.
    """

    content: str


class ReportFields(TypedDict, total=False):
    """Keyword arguments of `remember` that hold for a whole report, its chunks and its facts: see `WriteFields`."""

    session: str | None
    actor: str | None
    source_id: str
    tier: Tier | None
    tags: Iterable[str]
    metadata: Mapping[str, Any] | None
    valid_until: When | None
    ttl: Lifetime | None
    pinned: bool


class ReportOptions(ReportFields, total=False):
    """Keyword arguments of `MemoryManager.ingest` with `report=True`: how documents are read as reports.

    Args:
        domain: A label such as `personal`, `project` or `research`. Default `general`.
        published_date: When the documents were published, and what they say became true. None by default.
        min_importance: The lowest rating of a fact that is kept, 1 to 10. Default 3.
        max_facts: How many facts of a chunk are kept at most. Default 10.
        chunk_size: The size of a chunk in characters. Default 3000.
    """

    domain: str
    published_date: When
    min_importance: int
    max_facts: int
    chunk_size: int


class DocumentFields(_Fields, total=False):
    """Keyword arguments of `remember` that hold for every item of a file: see `WriteFields`."""

    session: str | None
    fact: Fact | tuple[str, str, str] | None
    resolve: Resolve | None


class IngestFields(DocumentFields, total=False):
    """Keyword arguments of `MemoryManager.ingest`: those of `DocumentFields`, or of `ReportOptions` with `report=True`.

    `WriteFields` and `ReportOptions` describe those that mean the same there.

    Args:
        kind: The kind of all that is read. None given means episodic for messages and semantic for texts.
        source_type: Where all of it comes from. None given means by the role of who speaks, and `ingestion` for texts.
        session: The session of all that is read. None given means what the file says.
        actor: Who said all of it. None given means what the file says.
        domain: A label such as `personal`, `project` or `research`. Default `general`.
        published_date: With `report`: when it was published, and all it says became true. None by default.
        min_importance: With `report`: the lowest rating of a fact that is kept, 1 to 10. Default 3.
        max_facts: With `report`: how many facts of a chunk are kept at most. Default 10.
        chunk_size: With `report`: the size of a chunk in characters, from 1 on. Default 3000.
    """

    published_date: When
    min_importance: int
    max_facts: int
    chunk_size: int
