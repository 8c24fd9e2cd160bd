"""Listing: in order, page by page, and the same memories however they are asked for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

import pytest

from engrain import MemoryManager
from engrain.model.choices import Order
from engrain.testing import FrozenClock
from tests.behaviour import texts


@pytest.fixture
def letters(memory: MemoryManager, clock: FrozenClock) -> list[str]:
    """Five memories, a to e, remembered an hour apart; c was edited last."""
    ids = []
    for n, letter in enumerate("abcde"):
        kept = memory.remember(letter, importance=(n * 2 % 5) / 10, valid_from=f"2020-01-0{5 - n}", tags=[f"t{n % 2}"])
        ids.append(kept.id)
        clock.advance(timedelta(hours=1))
    memory.update(ids[2], tier="A")
    return ids


@pytest.mark.parametrize(
    ("order", "letters_in_order"),
    [("recorded_at", "abcde"), ("updated_at", "abdec"), ("valid_from", "edcba"), ("importance", "adbec")],
)
def test_an_order_and_its_reverse(
    memory: MemoryManager, letters: list[str], order: Order, letters_in_order: str
) -> None:
    assert texts(memory.list_memories(order=order)) == list(letters_in_order)
    assert texts(memory.list_memories(order=cast(Order, f"-{order}"))) == list(reversed(letters_in_order))
    assert texts(memory.iter_memories(order=order)) == list(letters_in_order)


def test_the_newest_come_first_by_default(memory: MemoryManager, letters: list[str]) -> None:
    assert texts(memory.list_memories()) == list("edcba")


@pytest.mark.parametrize("order", ["recorded_at", "-updated_at", "valid_from", "-importance"])
@pytest.mark.parametrize("limit", [1, 2, 5, 6])
def test_pages_join_into_the_whole(memory: MemoryManager, letters: list[str], order: Order, limit: int) -> None:
    found: list[str] = []
    cursor = None
    while True:
        page = memory.list_memories(order=order, limit=limit, cursor=cursor)
        assert len(page) <= limit
        found += texts(page)
        cursor = page.next
        if cursor is None:
            break
    assert found == texts(memory.list_memories(order=order))


def test_equal_values_are_paged_without_loss(memory: MemoryManager) -> None:
    memory.remember_many({"content": f"fact {n}", "importance": 0.5} for n in range(7))
    first = memory.list_memories(order="importance", limit=4)
    second = memory.list_memories(order="importance", limit=4, cursor=first.next)
    assert len({*texts(first), *texts(second)}) == 7
    assert second.next is None


def test_a_cursor_survives_writes(memory: MemoryManager, letters: list[str]) -> None:
    first = memory.list_memories(order="recorded_at", limit=2)
    memory.forget(letters[1])
    memory.forget(letters[3])
    memory.remember("f")
    assert texts(first) == ["a", "b"]
    assert texts(memory.list_memories(order="recorded_at", limit=9, cursor=first.next)) == ["c", "e", "f"]


def test_a_cursor_of_another_order_is_refused(memory: MemoryManager, letters: list[str]) -> None:
    page = memory.list_memories(order="recorded_at", limit=2)
    with pytest.raises(ValueError, match="the cursor belongs to order='recorded_at', not 'importance': keep the order"):
        memory.list_memories(order="importance", cursor=page.next)


@pytest.mark.parametrize("cursor", ["", "x", "e30", "WzEsMiwzXQ", "é", "A" * 10_000, "[" * 3000])
def test_a_made_up_cursor_is_refused(memory: MemoryManager, cursor: str) -> None:
    with pytest.raises(ValueError, match="the cursor is not one of ours: pass `page.next` as it came"):
        memory.list_memories(cursor=cursor)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"limit": 0}, ValueError, "limit is 0: it must be a whole number from 1 to 10,000"),
        ({"limit": -1}, ValueError, "limit is -1"),
        ({"limit": 10_001}, ValueError, "limit is 10001"),
        ({"limit": 2.0}, ValueError, "limit is 2.0"),
        ({"limit": True}, ValueError, "limit is True"),
        ({"order": "content"}, ValueError, "unknown order 'content': use one of recorded_at, -recorded_at, updated_at"),
        ({"order": "--importance"}, ValueError, "unknown order '--importance'"),
        ({"order": ""}, ValueError, "unknown order ''"),
        ({"status": "gone"}, ValueError, "unknown status 'gone': use one of active, superseded"),
        ({"status": []}, ValueError, "status is empty: use one or several of active"),
        ({"status": None}, TypeError, "status must be a list of strings, not NoneType"),
        ({"kinds": ["dream"]}, ValueError, "unknown kind 'dream': use one of working, episodic"),
        ({"kinds": "semantic"}, TypeError, "kinds must be a list of strings, not str"),
        ({"tiers": ["D"]}, ValueError, r"unknown tier 'D': use A \(authoritative\)"),
        ({"tags": "one"}, TypeError, "tags must be a list of strings, not str"),
        ({"since": "yesterday"}, ValueError, "since must be an ISO 8601 date or time such as"),
    ],
    ids=str,
)
def test_an_invalid_query_is_refused(
    memory: MemoryManager, arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        memory.list_memories(**arguments)


@pytest.mark.parametrize("call", ["iter_memories", "count"])
def test_an_unknown_filter_is_refused_by_name(memory: MemoryManager, call: str) -> None:
    with pytest.raises(TypeError, match=f"{call} has no argument 'colour': use actor, all_tags"):
        getattr(memory, call)(colour="red")


FILTERS: dict[str, tuple[dict[str, Any], str]] = {
    "kind": ({"kinds": ["episodic"]}, "b"),
    "kinds": ({"kinds": ["episodic", "procedural"]}, "bc"),
    "no kind": ({"kinds": []}, ""),
    "domain": ({"domain": "sea"}, "ad"),
    "tag": ({"tags": ["red"]}, "ab"),
    "any tag": ({"tags": ["red", "blue"]}, "abc"),
    "all tags": ({"all_tags": ["red", "blue"]}, "b"),
    "tag in another case": ({"tags": ["RED"]}, ""),
    "tier": ({"tiers": ["A", "C"]}, "ac"),
    "session": ({"session": "monday"}, "b"),
    "actor": ({"actor": "Ana"}, "ab"),
    "metadata": ({"where": {"n": {"gte": 2}}}, "cd"),
    "a word": ({"words": "B"}, "b"),
    "no words": ({"words": " "}, "abcd"),
    "several": ({"domain": "sea", "tags": ["red"], "tiers": ["A"], "actor": "Ana"}, "a"),
    "several that part": ({"domain": "sea", "kinds": ["episodic"]}, ""),
}


@pytest.mark.parametrize(("filters", "found"), FILTERS.values(), ids=FILTERS)
def test_filters_hold_for_every_listing(memory: MemoryManager, filters: dict[str, Any], found: str) -> None:
    memory.remember("a", domain="sea", tags=["red"], tier="A", actor="Ana", metadata={"n": 1})
    memory.remember("b", session="monday", tags=["red", "blue"], actor="Ana")
    memory.remember("c", kind="procedural", tags=["blue"], tier="C", metadata={"n": 2})
    memory.remember("d", domain="sea", metadata={"n": 3})
    assert texts(memory.list_memories(order="recorded_at", **filters)) == list(found)
    assert texts(memory.iter_memories(order="recorded_at", **filters)) == list(found)
    assert memory.count(**filters) == len(found)
    if filters.keys().isdisjoint({"actor", "words"}):
        assert sorted(memory.recall("", **filters).texts) == list(found)


def test_words_find_what_has_all_of_them_in_any_state(memory: MemoryManager, clock: FrozenClock) -> None:
    memory.remember("The barge waits at the lock", ttl=timedelta(days=1))
    old = memory.remember("A barge of gravel")
    clock.advance(timedelta(hours=1))
    memory.supersede(old.id, "Two barges of gravel")
    memory.forget(memory.remember("The barge sank").id)
    memory.remember("The lock is shut")
    clock.advance(timedelta(days=2))
    found = {status: texts(memory.list_memories(words="barge", status=status)) for status in ("active", "expired")}
    assert found == {"active": ["Two barges of gravel"], "expired": ["The barge waits at the lock"]}
    assert memory.count(words="barges", status="all") == len(memory.list_memories(words="Barge", status="all")) == 4
    assert texts(memory.list_memories(words="lock barge", status="all")) == ["The barge waits at the lock"]
    assert texts(memory.list_memories(words="barge", status="all", order="recorded_at", limit=1)) == [
        "The barge waits at the lock"
    ]
    assert texts(memory.list_memories(words="gravel", known_at=old.memory.recorded_at)) == ["A barge of gravel"]


def test_what_derives_from_a_memory_is_listed_in_its_scope_only(memory: MemoryManager) -> None:
    mia, noah = memory.scoped(user="mia"), memory.scoped(user="noah")
    one, other = mia.remember("We saw a heron").id, mia.remember("It rained").id
    mia.remember("Herons live at the pond", derived_from=[one], source_type="user_input")
    mia.remember("The pond is wet", derived_from=[one, other], source_type="user_input")
    assert texts(mia.list_memories(derived_from=[one], order="recorded_at")) == [
        "Herons live at the pond",
        "The pond is wet",
    ]
    assert texts(mia.list_memories(derived_from=[other], words="pond")) == ["The pond is wet"]
    assert mia.count(derived_from=[]) == noah.count(derived_from=[one]) == 0


def test_iterating_crosses_many_pages(memory: MemoryManager) -> None:
    memory.remember_many({"content": f"fact {n}"} for n in range(1203))
    assert len({m.id for m in memory.iter_memories()}) == memory.count() == 1203


def test_an_empty_memory_lists_nothing(memory: MemoryManager) -> None:
    page = memory.list_memories()
    assert (list(page), page.next, memory.count(), list(memory.iter_memories())) == ([], None, 0, [])
