"""The review queue: what waits for somebody's verdict, and what the verdict would close."""

from __future__ import annotations

from recollect.engine import Engine
from recollect.filters import Filter, Test, reachable, unexpired
from recollect.models import UNCONFIRMED, Memory, Scope
from recollect.protocols import CORRECTS, SUPERSEDES, Edge, Reader, Record
from recollect.read.listing import list_memories
from recollect.results import Page, ReviewItem

KINDS = ("quarantine", "contradiction", "procedure", "merge")
_CLOSED_BY = "contradicts what it may not close"


def review(engine: Engine, scope: Scope, kind: str | None, *, limit: int, cursor: str | None) -> Page[ReviewItem]:
    """Return a page of what waits, newest first; see `MemoryManager.review`."""
    if kind is not None and kind not in KINDS:
        raise ValueError(f"unknown kind {kind!r}: use one of {', '.join(KINDS)}")
    waiting = Test("waiting", "in", KINDS if kind is None else (kind,))
    where = reachable(scope).but(waiting, unexpired(engine.clock.now()))
    page = list_memories(engine, where, order="-updated_at", limit=limit, cursor=cursor)
    with engine.store.read() as reader:
        return Page([_item(reader, memory, reachable(scope)) for memory in page], page.next)


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
