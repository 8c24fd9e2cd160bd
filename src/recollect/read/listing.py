"""One memory by its name; many in order, page by page, with cursors that survive writes between the pages."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from recollect.engine import Engine
from recollect.filters import AnyOf, Filter, Test, reachable
from recollect.models import Memory, Scope, Status
from recollect.protocols import Record
from recollect.read.past import reading
from recollect.read.standpoint import Standpoint
from recollect.results import Page
from recollect.scopes import is_whole, nearest
from recollect.text import check_text
from recollect.timewords import parse_when

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
    return Page(memories, _cursor(order, found[limit - 1]) if more else None)


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
    return nearest(scope, [record.memory for record in found]).as_of_clock(at.clock) if found else None


def _cursor(order: str, last: Record) -> str:
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
