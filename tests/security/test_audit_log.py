"""The audit log: newest first, in pages that stay what they are, and never beyond a view's walls."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain import MemoryManager
from engrain.testing import FrozenClock


def test_it_is_filtered(memory: MemoryManager, clock: FrozenClock) -> None:
    tea = memory.remember("Ana drinks tea").id
    clock.advance(timedelta(days=1))
    memory.scoped(user="ben").remember("Ben drinks coffee")
    memory.update(tea, importance=0.9, reason="she said so")
    assert {(entry.operation, entry.user, entry.seq) for entry in memory.audit_log(since=clock.now())} == {
        ("update", None, 3),
        ("create", "ben", 1),
        ("namespace.begin", None, 2),
    }
    assert [entry.seq for entry in memory.audit_log(memory_id=tea)] == [3, 1]
    assert [entry.reason for entry in memory.audit_log(operation="update")] == ["she said so"]
    assert [entry.user for entry in memory.audit_log(actor="user:ben", operation="create")] == ["ben"]
    assert [entry.seq for entry in memory.audit_log(until=clock.now())] == [1]


def test_pages_are_stable_while_others_write(memory: MemoryManager, clock: FrozenClock) -> None:
    for user in ("ana", "ben"):  # at the same moment
        memory.scoped(user=user).remember_many({"content": f"note {n}"} for n in range(3))
    first = memory.audit_log(limit=3)
    clock.advance(timedelta(seconds=1))
    memory.scoped(user="ana").remember("another one")
    second = memory.audit_log(limit=3, cursor=first.next)
    third = memory.audit_log(limit=3, cursor=second.next)
    shown = [(entry.user, entry.seq) for page in (first, second, third) for entry in page]
    assert shown == [*(("ben", n) for n in (3, 2, 1)), *(("ana", n) for n in (3, 2, 1)), (None, 2), (None, 1)]
    assert third.next is None


@pytest.mark.parametrize("cursor", ["", "x", "bm8", "WyJhdWRpdCIsIC0xXQ"])
def test_a_cursor_of_another_view_is_refused(memory: MemoryManager, cursor: str) -> None:
    with pytest.raises(ValueError, match="not one of ours"):
        memory.audit_log(cursor=cursor)


def test_a_view_is_shown_what_it_can_name(memory: MemoryManager) -> None:
    ana, scout = memory.scoped(user="ana"), memory.scoped(user="ana", agent="scout")
    common, own = ana.remember("Ana drinks tea").id, scout.remember("the scout saw a bird").id
    foreign = memory.scoped(user="ben").remember("Ben drinks coffee").id
    memory.graph.add_entity("person", "Ana Novak")
    assert {entry.memory_id for entry in ana.audit_log()} == {common, own}
    assert {entry.memory_id for entry in memory.scoped(user="ana", agent="other").audit_log()} == {common}
    assert len(ana.audit_log(memory_id=foreign)) == 0
    assert {common, own, foreign} < {entry.memory_id for entry in memory.audit_log()}
    assert len(memory.for_org("acme").audit_log()) == 0
    assert ana.audit_integrity().total == 2
