"""The review queue: what waits for somebody's verdict, and what the verdict would close."""

from __future__ import annotations

from recollect.engine import Engine
from recollect.filters import Filter, Test, reachable, unexpired
from recollect.models import UNCONFIRMED, Memory, Scope
from recollect.protocols import CORRECTS, SUPERSEDES, Edge, Reader, Record
from recollect.read.entities import Sight
from recollect.read.listing import checked_limit, list_memories
from recollect.read.places import cursor_at, is_place, place_of
from recollect.read.standpoint import shown, standpoint
from recollect.results import Page, ReviewItem

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
