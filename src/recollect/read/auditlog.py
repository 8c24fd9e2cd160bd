"""The audit trail as it is looked through: newest first, page by page, within a view's walls."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from recollect.checks import When
from recollect.engine import Engine
from recollect.filters import Test, reachable
from recollect.models import AuditEntry, Scope
from recollect.protocols import Reader, Record
from recollect.read.listing import checked_limit
from recollect.results import Page
from recollect.scopes import identifier, is_whole
from recollect.timewords import parse_when

_AT_ONCE = 500
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
    return Page(found[:limit], _cursor(found[limit - 1]) if more else None)


def _seen(reader: Reader, scope: Scope, tests: Sequence[Test]) -> Iterator[AuditEntry]:
    """Go through the entries that a view may see, newest first."""
    page = reader.find(AuditEntry, tests, order="-seq", limit=_AT_ONCE)
    while page:
        if scope.user is None and scope.agent is None:
            yield from page
        else:
            own = _own(reader, scope, page)
            yield from (_told(entry, own) for entry in page if entry.memory_id in own)
        page = reader.find(AuditEntry, [*tests, Test("seq", "lt", page[-1].seq)], order="-seq", limit=_AT_ONCE)


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


def _cursor(last: AuditEntry) -> str:
    return base64.urlsafe_b64encode(json.dumps(["audit", last.seq]).encode()).decode().rstrip("=")


def _place(cursor: str) -> int:
    try:
        kind, seq = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if kind == "audit" and is_whole(seq) and 0 < seq < 2**63:
            return int(seq)
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass  # whatever it is, it does not come from a page
    raise ValueError("the cursor is not one of ours: pass `page.next` as it came")
