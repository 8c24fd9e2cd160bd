"""The request of a recall: its arguments, validated, and the filter they result in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from engrain.arguments import Ranking
from engrain.config import WorkingSettings
from engrain.engine import Engine
from engrain.errors import ConfigError, ScopeMissing
from engrain.language.calendar import parse_when
from engrain.llm.tasks import Intents, intents, reranker, transformer
from engrain.model.choices import HeatName, KindName, Tier
from engrain.model.filters import AnyOf, Condition, Filter, Tagged, Test, heated, parse_where, within
from engrain.model.memory import Heat, Kind, Scope
from engrain.policies.retention import Retention
from engrain.protocols import QueryTransformer, Reader, Reranker
from engrain.read.history import conditions_at, point_in_time
from engrain.read.ranking import Scoring, resolve_scoring
from engrain.storage.rows import ConversationRow, Record, conversation_id
from engrain.text import check_text
from engrain.validation import (
    When,
    checked_bool,
    checked_kind,
    checked_share,
    checked_tier,
    identifier,
    is_whole,
    names,
    narrowed,
)

MAX_QUERY = 100_000


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


def select(
    scope: Scope,
    conditions: Sequence[Condition] = (),
    *,
    kinds: Iterable[KindName | Kind] | None = None,
    domain: str | None = None,
    tags: Iterable[str] | None = None,
    all_tags: Iterable[str] | None = None,
    tiers: Iterable[Tier] | None = None,
    heat: HeatName | Heat | Iterable[HeatName | Heat] | None = None,
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


def _heat(heat: HeatName | Heat | Iterable[HeatName | Heat] | None, clock: datetime | None) -> list[Condition]:
    wanted = () if heat is None else (heat,) if isinstance(heat, str) else names(heat, "heat")
    return [heated(wanted, clock or datetime.now(UTC))] if wanted else []


def _kinds(kinds: Iterable[KindName | Kind] | None, scope: Scope) -> list[Condition]:
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


def last_activity(reader: Reader, scope: Scope) -> datetime | None:
    """Return when something was last said or noted in exactly this session; None when nothing was, or it has ended."""
    held = reader.find(ConversationRow, [Test("id", "eq", conversation_id(scope))])
    noted = within(scope).but(Test("noted", "eq", scope.session), Test("agent", "eq", scope.agent))
    others = scope.user is None  # whose sessions of this name the filter passes too
    found = reader.find(Record, noted, order="-recorded_at", limit=None if others else 1)
    times = [record.memory.recorded_at for record in found if record.memory.scope == scope]
    return max([*(row.touched_at for row in held if row.ended_at is None), *times[:1]], default=None)


def is_idle(engine: Engine, scope: Scope) -> bool:
    """Say whether the session of a scope has fallen silent; False without one."""
    minutes = idle_minutes(engine)
    if scope.session is None or minutes is None:
        return False
    with engine.store.read(scope.org) as reader:
        last = last_activity(reader, scope)
    return last is not None and engine.clock.now() - last >= timedelta(minutes=minutes)


def without_idle_session(engine: Engine, scope: Scope, where: Filter) -> Filter:
    """Return a filter without the working memories of the scope's session if that has fallen silent."""
    return where.but(Test("kind", "ne", Kind.WORKING)) if is_idle(engine, scope) else where


MAX_HOPS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question and everything that bounds its answer.

    `where` holds the scope, the point in time and the caller's filters; `visible` what the view sees at all, by which
    the graph leads to answers, None for what passes `where`. `transformer`, `intents` and `reranker` help with it, on
    the account of whoever asks. `intent` is what kind of question it is where somebody has said so. By `retention`
    candidates count less the longer nobody has used them.
    """

    query: str
    where: Filter
    visible: Filter | None = None
    k: int
    now: datetime
    valid_at: datetime | None = None
    ranking: Scoring | None = None
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
    touch: bool = True
    retention: Retention = field(default_factory=Retention)


def build_request(
    engine: Engine,
    scope: Scope,
    query: str,
    *,
    k: int = 10,
    kinds: Iterable[KindName | Kind] | None = None,
    domain: str | None = None,
    tags: Iterable[str] | None = None,
    all_tags: Iterable[str] | None = None,
    tiers: Iterable[Tier] | None = None,
    heat: HeatName | Heat | Iterable[HeatName | Heat] | None = None,
    where: Mapping[str, Any] | None = None,
    session: str | None = None,
    shared: bool = False,
    since: When | None = None,
    until: When | None = None,
    as_of: When | None = None,
    known_at: When | None = None,
    now: When | None = None,
    include_links: bool = True,
    exclude_superseded: bool = True,
    include_quarantined: bool = False,
    min_score: float = 0.0,
    min_trust: float = 0.0,
    ranking: Ranking | None = None,
    expand_hops: int = 0,
    multi_query: int = 0,
    hyde: bool = False,
    rerank: bool | None = None,
    touch: bool = True,
) -> Request:
    """Return the request that the arguments of `MemoryManager.recall` make; all are checked."""
    asked = question(query, k)
    at = point_in_time(engine, now=now, as_of=as_of, known_at=known_at)
    quarantined = checked_bool(include_quarantined, "include_quarantined")
    current = checked_bool(exclude_superseded, "exclude_superseded")
    conditions = conditions_at(at, exclude_superseded=current, include_quarantined=quarantined)
    chosen_memories = select(
        scope,
        conditions,
        kinds=kinds,
        domain=domain,
        tags=tags,
        all_tags=all_tags,
        tiers=tiers,
        heat=heat,
        where=where,
        session=session,
        shared=shared,
        since=since,
        until=until,
        min_trust=min_trust,
        clock=at.clock,
    )
    return Request(
        query=asked,
        where=without_idle_session(engine, narrowed(scope, session=session), chosen_memories),
        visible=select(scope, conditions, shared=shared),
        k=k,
        now=at.now,
        valid_at=at.valid_at,
        ranking=resolve_scoring(ranking, engine.embedder, engine.retention),
        min_score=share(min_score, "min_score"),
        known_at=at.known_at,
        include_quarantined=quarantined,
        include_links=checked_bool(include_links, "include_links"),
        expand_hops=_whole(expand_hops, "expand_hops", MAX_HOPS),
        transformer=transformer(engine, scope),
        intents=intents(engine, scope),
        reranker=_reranker(engine, scope, rerank),
        multi_query=_whole(multi_query, "multi_query", None),
        hyde=checked_bool(hyde, "hyde"),
        touch=checked_bool(touch, "touch"),
        retention=engine.retention,
    )


def _whole(value: int, name: str, most: int | None) -> int:
    if not is_whole(value) or value < 0 or (most is not None and value > most):
        bound = f"0 to {most}" if most is not None else "0 or more"
        raise ValueError(f"{name} is a whole number, {bound}, not {value!r}")
    return value


def _reranker(engine: Engine, scope: Scope, value: object) -> Reranker | None:
    """Return who scores the best hits again, None for nobody."""
    found = reranker(engine, scope)
    if value is None:
        return found
    if not checked_bool(value, "rerank"):
        return None
    if found is None:
        raise ConfigError("rerank=True needs a reranker: open the manager with reranker=..., or use set_reranker")
    return found
