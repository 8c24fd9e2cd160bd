"""The request of a recall: its arguments, validated, and the filter they result in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from engrain.config import WorkingSettings
from engrain.engine import Engine
from engrain.errors import ConfigError, ScopeMissing
from engrain.language.dates import parse_when
from engrain.llm import tasks as who
from engrain.llm.budget import account
from engrain.llm.tasks import Intents
from engrain.model.filters import AnyOf, Condition, Filter, Tagged, Test, heated, parse_where, within
from engrain.model.memory import Job, JobState, Kind, Scope, Status
from engrain.model.results import Stats
from engrain.model.scope import identifier, is_whole, narrowed
from engrain.policies.retention import Retention
from engrain.protocols import QueryTransformer, Reranker
from engrain.read.history import reading, shown, standpoint
from engrain.read.ranking import Chosen, chosen
from engrain.storage.interface import Reader
from engrain.storage.rows import ConversationRow, EntityRow, MentionRow, Record, TurnRow, Vector, conversation_id
from engrain.text import check_text
from engrain.validation import When, checked_bool, checked_kind, checked_share, checked_tier, names

MAX_QUERY = 100_000
_AT_ONCE = 1_000  # entities counted together


def question(query: object, k: object) -> str:
    """Return a question that can be asked: text of at most 100,000 characters, with a whole k."""
    if not is_whole(k):
        raise TypeError(f"k must be a whole number, not {type(k).__name__}")
    text = check_text(query, what="query")
    if len(text) > MAX_QUERY:
        raise ValueError(f"query is {len(text):,} characters long, the limit is {MAX_QUERY:,}: ask something shorter")
    return text


def moment(engine: Engine, now: When | None) -> datetime:
    """Return the clock of a question."""
    return engine.clock.now() if now is None else parse_when(now, name="now")


def share(value: float, name: str) -> float:
    """Return a number in [0, 1]."""
    return checked_share(value, name) or 0.0


def count(engine: Engine, where: Filter, *, known_at: datetime | None = None) -> int:
    """Count the memories that pass, or passed as they were at `known_at`."""
    with reading(engine.store, where, known_at) as reader:
        return reader.count(Record, where)[""]


def stats(engine: Engine, scope: Scope) -> Stats:
    """Count by kind and status, the vectors by embedder, and what was said in conversations."""
    where, now = within(scope), engine.clock.now()
    with engine.store.read(scope.org) as reader:
        by_status = dict(reader.count(Record, where, by="status"))
        expired = reader.count(Record, where.but(Test("status", "eq", Status.ACTIVE), Test("expires_at", "le", now)))[
            ""
        ]
        kept = where.but(Test("status", "ne", Status.FORGOTTEN))
        by_kind = dict(reader.count(Record, kept, by="kind"))
        jobs = dict(reader.count(Job, where, by="state"))
        vectors = dict(reader.count(Vector, where, by="embedder"))
        index = _entity_index(reader, scope)
        conversations = _conversations(reader, where)
        turns = reader.count(TurnRow, where)[""]
        over_cap = _over_cap(engine, reader, where)
        llm = account(engine, reader, scope)
    if expired:
        by_status[Status.ACTIVE.value] -= expired
        by_status[Status.EXPIRED.value] = by_status.get(Status.EXPIRED.value, 0) + expired
    return Stats(
        notes_created=engine.counters.seen("created", scope),
        retrievals=engine.counters.seen("recalls", scope),
        total_notes=sum(by_kind.values()),
        by_kind=by_kind,
        by_status={name: number for name, number in by_status.items() if number},
        jobs=jobs,
        dead_letters=jobs.get(JobState.DEAD.value, 0),
        store_bytes=engine.store.size(),
        embedder=engine.embedder.id if engine.embedder is not None else None,
        vectors=vectors,
        entity_index_hits=engine.counters.seen("entity_hits", scope),
        entity_index=index,
        conversations=conversations,
        turns=turns,
        over_cap=over_cap,
        llm=llm,
    )


def _over_cap(engine: Engine, reader: Reader, where: Filter) -> dict[str, int]:
    """Count by kind what agents keep beyond their caps; memories of domains with a cap of their own count apart."""
    retention, over = engine.settings.retaining, Counter[str]()
    for kind in Kind if retention.lets_go else ():
        for domain in (None, *sorted(retention.capped_apart(kind, None))):
            apart = tuple(retention.capped_apart(kind, None))
            of = Test("domain", "eq", domain) if domain is not None else Test("domain", "nin", apart)
            counted = where.but(Test("counted", "eq", kind), *([of] if apart else []))
            for place, held in reader.count(Record, counted, by="ns || ' ' || agent").items():
                cap = retention.policy(kind, domain, place.partition(" ")[2]).cap
                over[kind.value] += max(held - cap, 0) if isinstance(cap, int) else 0
    return {name: number for name, number in over.items() if number}


def _conversations(reader: Reader, where: Filter) -> dict[str, int]:
    """Count the conversations that go on, and those that have ended."""
    count = reader.count(ConversationRow, where)[""]
    going_on = reader.count(ConversationRow, where.but(Test("ended_at", "eq", None)))[""]
    return {"open": going_on, "ended": count - going_on}


def _entity_index(reader: Reader, scope: Scope) -> dict[str, Any]:
    """Count entities by type, and mentions; an agent's view counts what it sees of entities, one by one."""
    walls = Filter(scope.org, scope.user)
    mentions = reader.count(MentionRow, within(scope))[""]
    if scope.agent is None:
        types = Counter(dict(reader.count(EntityRow, walls.but(Test("merged_into", "eq", None)), by="type")))
    else:
        types = Counter[str]()
        last = 0
        while rows := reader.entities(within(scope), after=last, limit=_AT_ONCE):
            types.update(row.type for row in rows)
            last = rows[-1].id
    return {"entities": sum(types.values()), "mentions": mentions, "by_type": dict(sorted(types.items()))}


__all__ = ["When", "select"]


def select(
    scope: Scope,
    conditions: Sequence[Condition] = (),
    *,
    kinds: Iterable[str] | None = None,
    domain: str | None = None,
    tags: Iterable[str] | None = None,
    all_tags: Iterable[str] | None = None,
    tiers: Iterable[str] | None = None,
    heat: Iterable[str] | None = None,
    where: Mapping[str, Any] | None = None,
    session: str | None = None,
    actor: str | None = None,
    shared: bool = False,
    since: When | None = None,
    until: When | None = None,
    min_trust: float = 0.0,
    clock: datetime | None = None,
) -> Filter:
    """Return the filter of a read; `since` and `until` compare event time, half-open. Raises on unknown values.

    `heat` is what it is at `clock`, the time of the engine.
    """
    tests: list[Condition] = list(conditions)
    if session is not None:
        scope = narrowed(scope, session=session)
        tests.append(Test("session", "eq", scope.session))
    tests += _kinds(kinds, scope)
    if domain is not None:
        tests.append(Test("domain", "eq", identifier(domain, "domain")))
    if actor is not None:
        tests.append(Test("actor", "eq", identifier(actor, "actor")))
    for wanted, every in ((tags, False), (all_tags, True)):
        tagged = () if wanted is None else names(wanted, "all_tags" if every else "tags")
        if tagged:
            tests.append(Tagged(tagged, every=every))
    if tiers is not None:
        tests.append(Test("tier", "in", tuple(str(checked_tier(tier)) for tier in names(tiers, "tiers"))))
    tests += _heat(heat, clock)
    if since is not None:
        tests.append(Test("valid_from", "ge", parse_when(since, name="since")))
    if until is not None:
        tests.append(Test("valid_from", "lt", parse_when(until, name="until")))
    least = checked_share(min_trust, "min_trust")
    if least:
        tests.append(Test("trust", "ge", least - 1e-6))
    return within(scope, shared=checked_bool(shared, "shared")).but(*tests, *parse_where(where))


def _heat(heat: Iterable[str] | None, clock: datetime | None) -> list[Condition]:
    wanted = () if heat is None else (heat,) if isinstance(heat, str) else names(heat, "heat")
    return [heated(wanted, clock or datetime.now(UTC))] if wanted else []


def _kinds(kinds: Iterable[str] | None, scope: Scope) -> list[Condition]:
    """Return the test of the kinds; working memory is seen only in its session."""
    wanted = None if kinds is None else tuple(checked_kind(kind) for kind in names(kinds, "kinds"))
    if wanted is not None and Kind.WORKING not in wanted:
        return [Test("kind", "in", wanted)]
    if scope.session is None:
        if wanted == (Kind.WORKING,):
            raise ScopeMissing("working memory belongs to a session: give session=... or open the view with one")
        return [Test("kind", "ne", Kind.WORKING), *([Test("kind", "in", wanted)] if wanted else [])]
    own = (Test("kind", "eq", Kind.WORKING), Test("session", "eq", scope.session))
    others = tuple(kind for kind in wanted or tuple(Kind) if kind is not Kind.WORKING)
    return [AnyOf((own, (Test("kind", "in", others),)))]


ENDED = "its session ended"
"""Why a working memory is archived."""


def idle_minutes(engine: Engine) -> float | None:
    """Return after how many minutes without a message a session is ended, None for never."""
    working = engine.settings.working
    return (working if isinstance(working, WorkingSettings) else WorkingSettings()).idle_minutes


def last_said(reader: Reader, scope: Scope) -> datetime | None:
    """Return when something was last said or noted in exactly this session; None when nothing was, or it has ended."""
    held = reader.find(ConversationRow, [Test("id", "eq", conversation_id(scope))])
    noted = within(scope).but(Test("noted", "eq", scope.session), Test("agent", "eq", scope.agent))
    others = scope.user is None  # whose sessions of this name the filter passes too
    found = reader.find(Record, noted, order="-recorded_at", limit=None if others else 1)
    times = [record.memory.recorded_at for record in found if record.memory.scope == scope]
    return max([*(row.touched_at for row in held if row.ended_at is None), *times[:1]], default=None)


def is_silent(engine: Engine, scope: Scope) -> bool:
    """Say whether the session of a scope has fallen silent; False without one."""
    minutes = idle_minutes(engine)
    if scope.session is None or minutes is None:
        return False
    with engine.store.read(scope.org) as reader:
        last = last_said(reader, scope)
    return last is not None and engine.clock.now() - last >= timedelta(minutes=minutes)


def heard(engine: Engine, scope: Scope, where: Filter) -> Filter:
    """Return a filter without the working memories of the scope's session if that has fallen silent."""
    return where.but(Test("kind", "ne", Kind.WORKING)) if is_silent(engine, scope) else where


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question and everything that bounds its answer.

    `seen` is what the view sees at all, by which the graph leads to answers; None: what passes `where`.

    `where` holds the walls, what can be seen from the question's standpoint, and the caller's filters. `transformer`,
    `intents` and `reranker` help with it, on the account of whoever asks. `intent` is what kind of question it is where
    somebody has told. By `retention` candidates count less the longer nobody has used them.
    """

    query: str
    where: Filter
    seen: Filter | None = None
    k: int
    now: datetime
    valid_at: datetime | None = None
    ranking: Chosen | None = None
    min_score: float = 0.0
    known_at: datetime | None = None
    include_quarantined: bool = False
    include_links: bool = True
    expand_hops: int = 0
    transformer: QueryTransformer | None = None
    intents: Intents | None = None
    reranker: Reranker | None = None
    intent: str | None = None
    multi_query: int = 0
    hyde: bool = False
    retention: Retention = field(default_factory=Retention)


HOPS = 2
_FILTERS = "kinds domain tags all_tags tiers heat where session shared since until min_trust"


def asked(engine: Engine, scope: Scope, given: Mapping[str, Any]) -> Request:
    """Return the request that the arguments of `MemoryManager.recall` come to; all are checked."""
    query = question(given["query"], given["k"])
    at = standpoint(engine, **{name: given[name] for name in ("now", "as_of", "known_at")})
    flags = {name: checked_bool(given[name], name) for name in ("include_links", "hyde", "touch")}
    admits = {n: checked_bool(given[n], n) for n in ("exclude_superseded", "include_quarantined")}
    filters = {name: given[name] for name in _FILTERS.split()}
    where = select(scope, shown(at, **admits), **filters, clock=at.clock)
    session = scope if given["session"] is None else narrowed(scope, session=given["session"])
    return Request(
        query=query,
        where=heard(engine, session, where),
        seen=select(scope, shown(at, **admits), shared=given["shared"]),
        k=given["k"],
        now=at.now,
        valid_at=at.valid_at,
        ranking=chosen(given["ranking"], engine.embedder, engine.settings.retaining),
        min_score=share(given["min_score"], "min_score"),
        known_at=at.known_at,
        include_quarantined=admits["include_quarantined"],
        include_links=flags["include_links"],
        expand_hops=_whole(given["expand_hops"], "expand_hops", HOPS),
        transformer=who.transformer(engine, scope),
        intents=who.intents(engine, scope),
        reranker=_reranker(engine, scope, given["rerank"]),
        multi_query=_whole(given["multi_query"], "multi_query", None),
        hyde=flags["hyde"],
        retention=engine.settings.retaining,
    )


def _whole(value: int, name: str, most: int | None) -> int:
    if not is_whole(value) or value < 0 or (most is not None and value > most):
        bound = f"0 to {most}" if most is not None else "0 or more"
        raise ValueError(f"{name} is a whole number, {bound}, not {value!r}")
    return value


def _reranker(engine: Engine, scope: Scope, value: object) -> Reranker | None:
    """Return who reads the best hits again, None for nobody."""
    found = who.reranker(engine, scope)
    if value is None:
        return found
    if not checked_bool(value, "rerank"):
        return None
    if found is None:
        raise ConfigError("rerank=True needs a reranker: open the manager with reranker=..., or use set_reranker")
    return found
