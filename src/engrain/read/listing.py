"""Reads without a question: pages, slots, history chains, neighbours, review items, the audit log."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import Any, Literal

from engrain.arrays import Floats, np
from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.guard import guard
from engrain.language.dates import parse_when
from engrain.model.filters import AnyOf, Filter, Test, live, passes, reachable, unexpired, unsuperseded
from engrain.model.memory import UNCONFIRMED, AuditEntry, Memory, Scope, Status, compared
from engrain.model.memory import predicate as compared_predicate
from engrain.model.results import Hit, Page, ReviewItem, Signal
from engrain.model.scope import identifier, is_whole
from engrain.model.scope import nearest as scopes_nearest
from engrain.protocols import Embedder
from engrain.read.entities import Sight, cursor_at, is_place, place_of
from engrain.read.history import Standpoint, reading, shown, standpoint
from engrain.read.question import Trace
from engrain.read.recall import hits_of, rank, ways_of
from engrain.read.request import Request, select
from engrain.read.variants import Phrasing
from engrain.storage.interface import Reader
from engrain.storage.rows import CORRECTS, EDIT, SUPERSEDES, Edge, Record, Revision
from engrain.text import check_text, key_of
from engrain.validation import When

ORDERS = ("recorded_at", "updated_at", "valid_from", "importance")
MAX_LIMIT = 10_000


def list_memories(
    engine: Engine, where: Filter, *, order: str, limit: int, cursor: str | None, known_at: datetime | None = None
) -> Page[Memory]:
    """Return one page; see `MemoryManager.list_memories`."""
    if check_text(order, what="order").removeprefix("-") not in ORDERS:
        names = ", ".join(ORDERS)
        raise ValueError(f"cannot order by {order!r}: use one of {names}, with a leading - for the largest first")
    checked_limit(limit)
    if cursor is not None:
        where = where.but(_after(order, cursor))
    with reading(engine.store, where, known_at) as reader:
        found = reader.find(Record, where, order=order, limit=limit + 1)
    now = engine.clock.now()
    memories = [record.memory.as_of_clock(now) for record in found[:limit]]
    more = len(found) > limit
    return Page(memories, _listing_cursor(order, found[limit - 1]) if more else None)


def checked_limit(limit: int) -> int:
    """Return how many a page shall hold; raises `ValueError` for what no page can."""
    if not is_whole(limit) or not 1 <= limit <= MAX_LIMIT:
        raise ValueError(f"limit is {limit!r}: it must be a whole number from 1 to {MAX_LIMIT:,}")
    return limit


def iterate(
    engine: Engine, where: Filter, *, order: str, size: int = 500, known_at: datetime | None = None
) -> Iterator[Memory]:
    """Go through all pages; what is written meanwhile may or may not be met, nothing is met twice."""
    cursor: str | None = None
    size = size if known_at is None else MAX_LIMIT  # every page puts the earlier states together anew
    while True:
        page = list_memories(engine, where, order=order, limit=size, cursor=cursor, known_at=known_at)
        yield from page
        if page.next is None:
            return
        cursor = page.next


def get(engine: Engine, scope: Scope, named: Test, at: Standpoint) -> Memory | None:
    """Return the memory that `named` names, whatever its status but forgotten; see `MemoryManager.get`.

    With `known_at` it is as a `get` would have shown it then; with `as_of` it is None unless it was valid then, by what
    is or was believed.
    """
    where = reachable(scope).but(named, Test("status", "ne", Status.FORGOTTEN))
    if at.as_of is not None:
        believed = Test("believed_until", "eq", None)
        if at.known_at is not None:
            believed = Test("believed_until", "gt", at.known_at, or_null=True)
        where = where.but(
            believed, Test("valid_from", "le", at.as_of), Test("valid_until", "gt", at.as_of, or_null=True)
        )
    with reading(engine.store, where, at.known_at) as reader:
        found = reader.find(Record, where)
    return scopes_nearest(scope, [record.memory for record in found]).as_of_clock(at.clock) if found else None


def _listing_cursor(order: str, last: Record) -> str:
    value = getattr(last.memory, order.removeprefix("-"))
    plain = value.isoformat() if isinstance(value, datetime) else value
    return base64.urlsafe_b64encode(json.dumps([order, plain, last.num]).encode()).decode().rstrip("=")


def _after(order: str, cursor: str) -> AnyOf:
    made_for, value, num = _read(cursor)
    if made_for != order:
        raise ValueError(f"the cursor belongs to order={made_for!r}, not {order!r}: keep the order between pages")
    column = order.removeprefix("-")
    beyond: Literal["lt", "gt"] = "lt" if order.startswith("-") else "gt"
    return AnyOf(((Test(column, beyond, value),), (Test(column, "eq", value), Test("num", beyond, num))))


def _read(cursor: str) -> tuple[str, float | datetime, int]:
    """Return the order that a cursor was made for, and the value and number of the last row before it."""
    try:
        made_for, plain, num = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        value = parse_when(plain, name="cursor") if isinstance(plain, str) else float(plain)
        numeric = made_for.removeprefix("-") == "importance"
        if numeric == isinstance(value, float) and is_whole(num) and 0 <= num < 2**63:
            return made_for, value, num
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        pass  # whatever it is, it does not come from a page
    raise ValueError("the cursor is not one of ours: pass `page.next` as it came")


def facts(
    engine: Engine,
    where: Filter,
    at: Standpoint,
    *,
    subject: str | None = None,
    predicate: str | None = None,
    object: str | None = None,
) -> list[Memory]:
    """Return the memories of the filter that carry such a fact, newest event time first; all facts without a part.

    Parts are compared as facts are: letters, articles and usual names of a predicate make no difference.
    """
    tests = [Test("subject_key", "ne", None)]
    for name, part in (("subject", subject), ("predicate", predicate), ("object", object)):
        if part is not None:
            text = check_text(part, what=name)
            if not text.strip():
                raise ValueError(f"{name} is blank: leave it out to find every {name}")
            key = key_of(compared_predicate(text) if name == "predicate" else compared(text))
            tests.append(Test(f"{name}_key", "eq", key))
    with reading(engine.store, where, at.known_at) as reader:
        found = reader.find(Record, where.but(*tests), order="-valid_from")
    return [record.memory.as_of_clock(at.clock) for record in found]


_CHAIN_AT_ONCE = 500


def history(engine: Engine, scope: Scope, memory_id: str) -> list[Memory]:
    """Return all versions of what a memory says, oldest to newest; [] for an id that the scope does not hold.

    They are the memory, those it superseded and those that superseded it, forgotten ones included, and before each the
    texts it had until it was edited.
    """
    now = engine.clock.now()
    with engine.store.read(scope.org) as reader:
        where = reachable(scope)
        nums = [record.num for record in _chain(reader, where, memory_id)]
        # Read again with the view's own eyes: what links tell depends on whose they are.
        found = (reader.find(Record, where.walls.but(Test("num", "in", some))) for some in _parts(nums))
        chain = [record for part in found for record in part]
        edits: dict[int, list[Memory]] = {}
        for some in _parts([record.num for record in chain]):
            tests = [Test("num", "in", some), Test("change", "eq", EDIT)]
            for row in reader.find(Revision, tests, order="seq"):
                edits.setdefault(row.num, []).append(Memory.from_dict(json.loads(row.memory)))
    ordered = _oldest_first(chain)
    return [
        memory
        for record in ordered
        for memory in (
            *(replace(edit, **ties(record.memory)) for edit in edits.get(record.num, ())),
            record.memory.as_of_clock(now),
        )
    ]


def ties(memory: Memory) -> dict[str, Any]:
    """Return what a memory is tied to, as the view sees it: an earlier state of it tells no more."""
    return {"links": memory.links, "supersedes": memory.supersedes, "causal_chain": memory.causal_chain}


def _oldest_first(chain: Sequence[Record]) -> list[Record]:
    """Return what gave way before what took its place, and what nothing orders by its time."""
    times = {r.memory.id: (r.memory.valid_from, r.memory.recorded_at, r.num) for r in chain}
    records = {record.memory.id: record for record in chain}
    waits = Counter(record.memory.superseded_by for record in chain)  # for how many before it
    ready = [(times[name], name) for name in records if not waits[name]]
    heapify(ready)
    ordered: dict[str, Record] = {}
    while ready:
        _, name = heappop(ready)
        ordered[name] = records[name]
        following = records[name].memory.superseded_by
        waits[following] -= 1
        if following in records and not waits[following]:
            heappush(ready, (times[following], following))
    circle = sorted(records.keys() - ordered.keys(), key=times.__getitem__)
    return [*ordered.values(), *(records[name] for name in circle)]


def _chain(reader: Reader, where: Filter, memory_id: str) -> list[Record]:
    """Return the records that superseding joins to a memory, each once, however they are joined."""
    known: dict[str, Record] = {}
    found = reader.find(Record, where.but(Test("id", "eq", memory_id)))
    while found:
        fresh = {record.memory.id: record for record in found if record.memory.id not in known}
        known |= fresh
        heads = {r.memory.superseded_by for r in fresh.values() if r.memory.superseded_by is not None} - known.keys()
        # Without the walls in the query: by what superseded it, a memory is found at once, by whose it is it is not.
        tests = [Test("id", "in", some) for some in _parts(sorted(heads))]
        tests += [Test("superseded_by", "in", some) for some in _parts(list(fresh))]
        found = [r for test in tests for r in reader.find(Record, [test]) if passes(r.memory, where, num=r.num)]
    return list(known.values())


def _parts(values: list[int] | list[str]) -> Iterable[tuple[int | str, ...]]:
    return (tuple(values[start : start + _CHAIN_AT_ONCE]) for start in range(0, len(values), _CHAIN_AT_ONCE))


_MOST = 2**31
_NEIGHBOURS_AT_ONCE = 500


def neighbors(engine: Engine, walls: Filter, text: str, k: int) -> list[Hit]:
    """Return the memories whose vectors are nearest to the text's, nearest first; `score` is the cosine.

    Active and quarantined memories that are believed, not superseded and not expired, of whatever time they are true.
    [] without an embedder, or when it fails.
    """
    embedder = engine.embedder
    vector = None if embedder is None or k <= 0 else guard(f"embedder {embedder.id}", lambda: _vector(embedder, text))
    if embedder is None or vector is None or not vector.any():
        return []
    where = walls.but(
        Test("status", "in", (Status.ACTIVE, Status.QUARANTINED)),
        unsuperseded(engine.clock.now()),
        Test("believed_until", "eq", None),
        unexpired(engine.clock.now()),
    )
    with engine.store.read(walls.org) as reader:
        found = reader.search_vector(embedder.id, vector, where, limit=min(k, _MOST))
        nums: list[int] = found.nums.tolist()
        records: dict[int, Record] = {}
        for start in range(0, len(nums), _NEIGHBOURS_AT_ONCE):
            some = Test("num", "in", tuple(nums[start : start + _NEIGHBOURS_AT_ONCE]))
            records |= {r.num: r for r in reader.find(Record, walls.walls.but(some))}
    hits = []
    for rank, (num, cosine) in enumerate(zip(nums, found.scores.tolist(), strict=True), start=1):
        relevance = min(max(cosine, 0.0), 1.0)
        hits.append(Hit(records[num].memory, cosine, relevance, (Signal("meaning", cosine, rank),)))
    return hits


def _vector(embedder: Embedder, text: str) -> Floats:
    vector = np.asarray(embedder.embed([text])[0], np.float32)
    if vector.shape != (embedder.dimensions,) or not np.isfinite(vector).all():
        raise ProviderError(f"embedder {embedder.id} gave no vector of {embedder.dimensions} finite numbers")
    return vector


MOST = 5  # memories that a decider is shown


def nearest(engine: Engine, scope: Scope, text: str) -> Callable[[Reader], Sequence[Hit]]:
    """Return a look at the live memories that are nearest to a text, best first; the text is embedded here, once."""
    engine = copy(engine)  # one embedder throughout
    ways = ways_of(engine, _request(engine, scope, text), [Phrasing(text)])

    def look(reader: Reader) -> Sequence[Hit]:
        request = _request(engine, scope, text)
        ranking = rank(reader, request, ways, Trace())
        return hits_of(ranking, ranking.order[:MOST].tolist(), reader, request.where)

    return look


def _request(engine: Engine, scope: Scope, text: str) -> Request:
    now = engine.clock.now()
    return Request(query=text, where=select(scope, live(now), kinds=("semantic",)), k=MOST, now=now)


KINDS = ("quarantine", "contradiction", "procedure", "merge")
_CLOSED_BY = "contradicts what it may not close"


def review(engine: Engine, scope: Scope, kind: str | None, *, limit: int, cursor: str | None) -> Page[ReviewItem]:
    """Return a page of what waits: memories, then merges, each newest first; see `MemoryManager.review`."""
    if kind is not None and kind not in KINDS:
        raise ValueError(f"unknown kind {kind!r}: use one of {', '.join(KINDS)}")
    if kind == "merge" or is_place(cursor):
        return _merges(engine, scope, limit, cursor)
    waiting = Test("waiting", "in", KINDS if kind is None else (kind,))
    where = reachable(scope).but(waiting, unexpired(engine.clock.now()))
    page = list_memories(engine, where, order="-updated_at", limit=limit, cursor=cursor)
    with engine.store.read(scope.org) as reader:
        items = [_item(reader, memory, reachable(scope)) for memory in page]
    if kind is not None or page.next is not None:
        return Page(items, page.next)
    merges = _merges(engine, scope, limit - len(items), None) if len(items) < limit else Page([], cursor_at(0))
    return Page([*items, *merges], merges.next)


def _merges(engine: Engine, scope: Scope, limit: int, cursor: str | None) -> Page[ReviewItem]:
    """Return a page of the merges that texts propose; what says so and is not live any more proposes nothing."""
    _, skip = place_of(cursor)
    at = standpoint(engine)
    sight = Sight(engine, reachable(scope).but(*shown(at)), at)
    found = sight.proposed(scope)
    some = found[skip : skip + checked_limit(limit)]
    items = [ReviewItem(merge.id, "merge", merge.reason, memory, (), merge) for merge, memory in some]
    return Page(items, cursor_at(0, skip + limit) if len(found) > skip + limit else None)


def _item(reader: Reader, memory: Memory, walls: Filter) -> ReviewItem:
    """Return what waits, with those of the others that the view may see."""
    found: list[Record] = []
    for record in reader.find(Record, [Test("id", "eq", memory.id)]):
        edges = reader.find(Edge, [Test("source", "eq", record.num)])
        nums = {edge.target for edge in edges if edge.relation in (SUPERSEDES, CORRECTS, "contradicts")}
        found = reader.find(Record, walls.but(Test("num", "in", tuple(sorted(nums))))) if nums else []
    others = tuple(r.memory for r in found if not r.memory.is_superseded and r.memory.believed_until is None)
    if memory.is_contested:
        return ReviewItem(memory.id, "contradiction", _CLOSED_BY, memory, others)
    kind = "procedure" if memory.status_reason == UNCONFIRMED else "quarantine"
    return ReviewItem(memory.id, kind, memory.status_reason, memory, others)


_AUDITLOG_AT_ONCE = 500
_PART = 500  # ids that are looked up at once
_NAMED = re.compile(r"\bmem_[0-9a-f]{32}\b")
_SOMEBODY = "another memory"


def audit_log(
    engine: Engine,
    scope: Scope,
    *,
    memory_id: str | None,
    operation: str | None,
    actor: str | None,
    since: When | None,
    until: When | None,
    limit: int,
    cursor: str | None,
) -> Page[AuditEntry]:
    """Return one page; see `MemoryManager.audit_log`."""
    tests = [Test("org", "eq", scope.org)]
    for column, value in (("memory_id", memory_id), ("operation", operation), ("actor", actor)):
        if value is not None:
            tests.append(Test(column, "eq", identifier(value, column)))
    if since is not None:
        tests.append(Test("at", "ge", parse_when(since, name="since")))
    if until is not None:
        tests.append(Test("at", "lt", parse_when(until, name="until")))
    if cursor is not None:
        tests.append(Test("seq", "lt", _place(cursor)))
    checked_limit(limit)
    with engine.store.read(scope.org) as reader:
        found = list(islice(_seen(reader, scope, tests), limit + 1))
    more = len(found) > limit
    return Page(found[:limit], _auditlog_cursor(found[limit - 1]) if more else None)


def _seen(reader: Reader, scope: Scope, tests: Sequence[Test]) -> Iterator[AuditEntry]:
    """Go through the entries that a view may see, newest first."""
    page = reader.find(AuditEntry, tests, order="-seq", limit=_AUDITLOG_AT_ONCE)
    while page:
        if scope.user is None and scope.agent is None:
            yield from page
        else:
            own = _own(reader, scope, page)
            yield from (_told(entry, own) for entry in page if entry.memory_id in own)
        page = reader.find(AuditEntry, [*tests, Test("seq", "lt", page[-1].seq)], order="-seq", limit=_AUDITLOG_AT_ONCE)


def _own(reader: Reader, scope: Scope, page: Sequence[AuditEntry]) -> set[str]:
    """Return which of the memories that entries are of, or name as a reason, the view sees."""
    ids = list(dict.fromkeys(id_ for entry in page for id_ in (entry.memory_id, *_NAMED.findall(entry.reason))))
    parts = (tuple(ids[start : start + _PART]) for start in range(0, len(ids), _PART))
    return {
        id_ for some in parts for id_ in reader.count(Record, reachable(scope).but(Test("id", "in", some)), by="id")
    }


def _told(entry: AuditEntry, own: Collection[str]) -> AuditEntry:
    """Return an entry whose reason names what the view sees, and nothing else."""
    reason = _NAMED.sub(lambda found: found[0] if found[0] in own else _SOMEBODY, entry.reason)
    return entry if reason == entry.reason else replace(entry, reason=reason)


def _auditlog_cursor(last: AuditEntry) -> str:
    return base64.urlsafe_b64encode(json.dumps(["audit", last.seq]).encode()).decode().rstrip("=")


def _place(cursor: str) -> int:
    try:
        kind, seq = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if kind == "audit" and is_whole(seq) and 0 < seq < 2**63:
            return int(seq)
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass  # whatever it is, it does not come from a page
    raise ValueError("the cursor is not one of ours: pass `page.next` as it came")
