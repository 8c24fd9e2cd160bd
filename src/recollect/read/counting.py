"""Counting what a view holds, and the small checks of a question."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from recollect.checks import When, checked_share
from recollect.engine import Engine
from recollect.filters import Filter, Test, within
from recollect.graphrows import EntityRow, MentionRow
from recollect.llm.account import account
from recollect.models import Job, JobState, Kind, Scope, Status
from recollect.protocols import Reader, Record, Vector
from recollect.read.past import reading
from recollect.results import Stats
from recollect.scopes import is_whole
from recollect.text import check_text
from recollect.timewords import parse_when
from recollect.turnrows import ConversationRow, TurnRow

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
        while rows := reader.known(within(scope), after=last, limit=_AT_ONCE):
            types.update(row.type for row in rows)
            last = rows[-1].id
    return {"entities": sum(types.values()), "mentions": mentions, "by_type": dict(sorted(types.items()))}
