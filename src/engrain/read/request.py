"""The request of a read: `build_request` checks its arguments and derives the point in time and the filter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from engrain import validation
from engrain.arguments import EntityFilters, ListFilters, RecallFilters
from engrain.config import Settings, WorkingSettings
from engrain.engine import Engine
from engrain.errors import ConfigError, ScopeMissing
from engrain.language.calendar import parse_when
from engrain.language.tokens import query_terms
from engrain.lazy import Later
from engrain.model import filters as criteria
from engrain.model.choices import HeatName, KindName, Tier
from engrain.model.filters import AnyOf, Condition, Filter, Tagged, Test, heated, listed, live, parse_where, within
from engrain.model.memory import Heat, Kind, Memory, Scope, Status, may_review, need_review
from engrain.protocols import QueryTransformer, Reader, Reranker
from engrain.read.history import PastReader
from engrain.read.ranking import Scoring, resolve_scoring
from engrain.storage.interface import among
from engrain.storage.rows import ConversationRow, Edge, Record, conversation_id
from engrain.text import check_text
from engrain.validation import When, checked_bool, names, narrowed

if TYPE_CHECKING:
    from engrain.llm import tasks
else:
    tasks = Later("engrain.llm.tasks")

MAX_QUERY = 100_000
ENDED = "its session ended"  # the status reason of an archived working memory
MAX_HOPS = 2
_MOST = 1_000_000  # rows with one word that a listing reads
_SELECTING = frozenset("kinds domain tags all_tags tiers heat where session actor shared since until min_trust".split())


class PointInTime(NamedTuple):
    """The time of a read: `now` by the question's clock, `clock` by the engine's, and what it is as of or known at."""

    now: datetime
    clock: datetime
    as_of: datetime | None = None
    known_at: datetime | None = None

    @property
    def valid_at(self) -> datetime:
        """The moment at which a memory must be valid."""
        return self.now if self.as_of is None else self.as_of

    @property
    def believed(self) -> Test:
        """The condition of what is believed now, or was at `known_at`."""
        if self.known_at is None:
            return Test("believed_until", "eq", None)
        return Test("believed_until", "gt", self.known_at, or_null=True)

    @property
    def read_at(self) -> datetime | None:
        """The same as the `read_at` of memories, None for the present."""
        return None if self.valid_at == self.clock else self.valid_at

    def shown(self, memory: Memory) -> Memory:
        """Return a memory with the status that it has in this read."""
        known = memory.as_of_clock(self.clock)
        return known if self.read_at is None else replace(known, read_at=self.read_at)


def point_in_time(
    engine: Engine, *, now: When | None = None, as_of: When | None = None, known_at: When | None = None
) -> PointInTime:
    """Return the point in time of a read; a `known_at` in the future is now."""
    clock = engine.clock.now()
    known = None if known_at is None else parse_when(known_at, name="known_at")
    return PointInTime(
        now=clock if now is None else parse_when(now, name="now"),
        clock=clock,
        as_of=None if as_of is None else parse_when(as_of, name="as_of"),
        known_at=None if known is None or known >= clock else known,
    )


def conditions_at(
    at: PointInTime, *, exclude_superseded: bool = True, include_quarantined: bool = False
) -> tuple[Condition, ...]:
    """Return the conditions of a read: true now, or at `as_of`, or, of states then, believed at `known_at`."""
    if exclude_superseded and not include_quarantined and at.as_of is None and at.known_at is None:
        return live(at.now)
    active, waiting = Test("status", "eq", Status.ACTIVE), Test("status", "in", (Status.ACTIVE, Status.QUARANTINED))
    tests: list[Condition] = [waiting if include_quarantined else active, at.believed]
    tests.append(Test("valid_from", "le", at.valid_at))
    tests.append(criteria.unexpired(at.clock if at.as_of is not None or at.known_at is not None else at.now))
    if exclude_superseded and at.as_of is None:
        tests.append(criteria.unsuperseded(at.valid_at))
    if exclude_superseded or at.as_of is not None:
        tests.append(Test("valid_until", "gt", at.valid_at, or_null=True))
    return tuple(tests)


def status_conditions(status: str | Sequence[str], at: PointInTime) -> tuple[Condition, ...]:
    """Return the conditions of `list_memories(status=)` at a point in time; `active` is what a recall sees."""
    conditions = listed(status, at.clock, conditions_at(at), at.valid_at)
    if at.as_of is None:
        return conditions
    return (*conditions, Test("valid_from", "le", at.as_of), Test("valid_until", "gt", at.as_of, or_null=True))


@contextmanager
def reading(engine: Engine, where: Filter, known_at: datetime | None) -> Iterator[Reader]:
    """Open the store in its current state, or in that believed at `known_at` for the scope of `where`."""
    with engine.store.read(where.org) as reader:
        yield reader if known_at is None else PastReader(reader, where, known_at, engine.packs)


def checked_question(query: object, k: int) -> str:
    """Return a valid question: text of at most 100,000 characters, with an integer k of at least 0."""
    validation.checked_whole(k, "k")
    text = check_text(query, what="query")
    if len(text) > MAX_QUERY:
        raise ValueError(f"query is {len(text):,} characters long, the limit is {MAX_QUERY:,}: ask something shorter")
    return text


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
    """Return the filter of a read; `since` and `until` compare event time, half-open, `heat` is that at `clock`."""
    tests: list[Condition] = list(conditions)
    if session is not None:
        scope = narrowed(scope, session=session)
        tests.append(Test("session", "eq", scope.session))
    tests += _kinds(kinds, scope)
    given = (("domain", domain), ("actor", actor))
    tests += [Test(name, "eq", validation.identifier(value, name)) for name, value in given if value is not None]
    for wanted, name in ((tags, "tags"), (all_tags, "all_tags")):
        if wanted is not None and (tagged := names(wanted, name)):
            tests.append(Tagged(tagged, every=name == "all_tags"))
    if tiers is not None:
        tests.append(Test("tier", "in", tuple(str(validation.checked_tier(tier)) for tier in names(tiers, "tiers"))))
    used = () if heat is None else (heat,) if isinstance(heat, str) else names(heat, "heat")
    tests += [heated(used, clock or datetime.now(UTC))] if used else []
    tests += [] if since is None else [Test("valid_from", "ge", parse_when(since, name="since"))]
    tests += [] if until is None else [Test("valid_from", "lt", parse_when(until, name="until"))]
    least = validation.checked_share(min_trust, "min_trust")
    if least:
        tests.append(Test("trust", "ge", least - 1e-6))
    return within(scope, shared=checked_bool(shared, "shared")).but(*tests, *parse_where(where))


def _kinds(kinds: Iterable[KindName | Kind] | None, scope: Scope) -> list[Condition]:
    """Return the test of the kinds; working memory is visible in its session only."""
    wanted = None if kinds is None else tuple(validation.checked_kind(kind) for kind in names(kinds, "kinds"))
    if wanted is not None and Kind.WORKING not in wanted:
        return [Test("kind", "in", wanted)]
    if scope.session is None:
        if wanted == (Kind.WORKING,):
            raise ScopeMissing("working memory belongs to a session: give session=... or open the view with one")
        return [Test("kind", "ne", Kind.WORKING), *([Test("kind", "in", wanted)] if wanted else [])]
    own = (Test("kind", "eq", Kind.WORKING), Test("session", "eq", scope.session))
    others = tuple(kind for kind in wanted or tuple(Kind) if kind is not Kind.WORKING)
    return [AnyOf((own, (Test("kind", "in", others),)))]


def idle_minutes(engine: Engine) -> float | None:
    """Return the number of minutes without a message after which a session ends, None for never."""
    working = engine.settings.working
    return (working if isinstance(working, WorkingSettings) else WorkingSettings()).idle_minutes


def last_activity(reader: Reader, scope: Scope) -> datetime | None:
    """Return the time of the last message or note of exactly this session; None without one, or if it has ended."""
    conversation = reader.find(ConversationRow, [Test("id", "eq", conversation_id(scope))])
    noted = within(scope).but(Test("noted", "eq", scope.session), Test("agent", "eq", scope.agent))
    others = scope.user is None  # the filter passes sessions of this name of other users too
    found = reader.find(Record, noted, order="-recorded_at", limit=None if others else 1)
    times = [record.memory.recorded_at for record in found if record.memory.scope == scope]
    return max([*(row.touched_at for row in conversation if row.ended_at is None), *times[:1]], default=None)


def is_idle(engine: Engine, scope: Scope) -> bool:
    """Return whether the session of a scope is idle; False without one."""
    minutes = idle_minutes(engine)
    if scope.session is None or minutes is None:
        return False
    with engine.store.read(scope.org) as reader:
        last = last_activity(reader, scope)
    return last is not None and engine.clock.now() - last >= timedelta(minutes=minutes)


def without_idle_session(engine: Engine, scope: Scope, where: Filter) -> Filter:
    """Return a filter without the working memories of the scope's session if that is idle."""
    idle = scope.session is not None and is_idle(engine, scope)
    return where.but(Test("kind", "ne", Kind.WORKING)) if idle else where


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question and everything that bounds its answer.

    `where` has the scope, the point in time and the caller's filters; `visible` bounds the evidence by which the graph
    leads to answers, None for `where`; `counts_waiting`: those that await a verdict are counted, as the caller may know
    of them. `transformer`, `intents` and `reranker` are billed to the scope.
    `intent` is the kind of the question if a model has named it.
    """

    query: str
    where: Filter
    visible: Filter | None = None
    counts_waiting: bool = False
    k: int
    now: datetime
    read_at: datetime | None = None
    ranking: Scoring | None = None
    min_score: float = 0.0
    known_at: datetime | None = None
    include_quarantined: bool = False
    include_links: bool = True
    expand_hops: int = 0
    transformer: QueryTransformer | None = None
    intents: tasks.Intents | None = None
    reranker: Reranker | None = None
    intent: str | None = None
    multi_query: int = 0
    hyde: bool = False
    touch: bool = True

    def least_shown(self, settings: Settings) -> float:
        """Return the minimum relevance of hits in a prompt; 0 if the caller asked for hops."""
        return self.min_score or (0.0 if self.expand_hops else settings.abstain_below)


def build_request(
    engine: Engine, scope: Scope, query: str, *, k: int = 10, **filters: Unpack[RecallFilters]
) -> Request:
    """Return the request for the arguments of `MemoryManager.recall`; all are checked."""
    asked = checked_question(query, k)
    at = point_in_time(engine, now=filters.get("now"), as_of=filters.get("as_of"), known_at=filters.get("known_at"))
    quarantined = checked_bool(filters.get("include_quarantined", False), "include_quarantined")
    if quarantined:
        need_review("include_quarantined")
    exclude = checked_bool(filters.get("exclude_superseded", True), "exclude_superseded")
    conditions = conditions_at(at, exclude_superseded=exclude, include_quarantined=quarantined)
    where = _select(scope, conditions, at, filters)
    hops, phrasings = filters.get("expand_hops", 0), filters.get("multi_query", 0)
    if not validation.is_whole(hops) or not 0 <= hops <= MAX_HOPS:
        raise ValueError(f"expand_hops is a whole number, 0 to {MAX_HOPS}, not {hops!r}")
    if not validation.is_whole(phrasings) or phrasings < 0:
        raise ValueError(f"multi_query is a whole number, 0 or more, not {phrasings!r}")
    hyde = checked_bool(filters.get("hyde", False), "hyde")

    return Request(
        query=asked,
        where=without_idle_session(engine, narrowed(scope, session=filters.get("session")), where),
        counts_waiting=may_review() and not quarantined and at.known_at is None,
        visible=within(scope, shared=filters.get("shared", False)).but(*conditions, *_kinds(None, scope)),
        k=k,
        now=at.now,
        read_at=at.read_at,
        ranking=resolve_scoring(filters.get("ranking"), engine.embedder, engine.retention),
        min_score=validation.checked_share(filters.get("min_score", 0.0), "min_score") or 0.0,
        known_at=at.known_at,
        include_quarantined=quarantined,
        include_links=checked_bool(filters.get("include_links", True), "include_links"),
        expand_hops=hops,
        transformer=tasks.transformer(engine, scope) if hyde or phrasings > 1 else None,
        intents=tasks.intents(engine, scope) if engine.settings.unclear_intents == "llm" else None,
        reranker=_reranker(engine, scope, filters.get("rerank")),
        multi_query=phrasings,
        hyde=hyde,
        touch=checked_bool(filters.get("touch", True), "touch"),
    )


def _select(scope: Scope, conditions: Sequence[Condition], at: PointInTime, filters: Mapping[str, Any]) -> Filter:
    return select(scope, conditions, clock=at.clock, **{n: v for n, v in filters.items() if n in _SELECTING})


def _reranker(engine: Engine, scope: Scope, wanted: bool | None) -> Reranker | None:
    """Return the reranker of the best hits, if any; by default wherever one is configured."""
    given = engine.reranker
    found = tasks.reranker(engine, scope) if isinstance(given, str) else given
    if wanted is not None and checked_bool(wanted, "rerank") and found is None:
        raise ConfigError("rerank=True needs a reranker: open the manager with reranker=..., or use set_reranker")
    return None if wanted is False else found


def build_selection(engine: Engine, scope: Scope, **filters: Unpack[EntityFilters]) -> tuple[Filter, PointInTime]:
    """Return the filter of memories that are believed at a point in time, and that point."""
    at = point_in_time(engine, as_of=filters.get("as_of"), known_at=filters.get("known_at"))
    return _select(scope, conditions_at(at), at, filters), at


def build_listing(engine: Engine, scope: Scope, **filters: Unpack[ListFilters]) -> tuple[Filter, PointInTime]:
    """Return the filter and the point in time for the arguments of `MemoryManager.list_memories`."""
    at = point_in_time(engine, as_of=filters.get("as_of"), known_at=filters.get("known_at"))
    status = filters.get("status", "active")
    statuses = (status,) if isinstance(status, str) else tuple(names(status, "status"))
    if Status.QUARANTINED in statuses:
        need_review("a list of what waits for a verdict")
    where = _select(scope, status_conditions(statuses, at), at, filters)
    if not may_review():
        where = where.but(Test("status", "ne", Status.QUARANTINED))
    if statuses == ("active",):
        where = without_idle_session(engine, narrowed(scope, session=filters.get("session")), where)
    return _among(engine, where, at, filters.get("words"), filters.get("derived_from")), at


def _among(engine: Engine, where: Filter, at: PointInTime, words: str | None, origins: Iterable[str] | None) -> Filter:
    """Return the filter for the rows with all of some words, and for those that derive from some memories."""
    if words is None and origins is None:
        return where
    with reading(engine, where, at.known_at) as reader:
        terms = [] if words is None else query_terms(check_text(words, what="words"))
        found = [{*reader.search_text({term: 1.0}, where, limit=_MOST).nums.tolist()} for term in terms]
        if origins is not None:
            wanted = Test("id", "in", tuple(names(origins, "derived_from")))
            nums = [record.num for record in reader.find(Record, where.isolation.but(wanted))]
            edges = among(reader, Edge, "target", nums, Test("relation", "eq", "derived_from"), order="source")
            found.append({edge.source for edge in edges})
    return where.but(Test("num", "in", tuple(sorted(set.intersection(*found))))) if found else where
