"""Many writes at once: all of a batch or nothing of it, in the order given."""

from __future__ import annotations

from typing import Any

import pytest

from engrain import GovernanceViolation, MemoryManager, NotFound
from tests.behaviour import texts


def items(*contents: str) -> list[dict[str, str]]:
    """Return an item for each text."""
    return [{"content": content} for content in contents]


@pytest.mark.parametrize("given", [list, tuple, iter], ids=["list", "tuple", "iterator"])
def test_results_come_in_the_order_given(memory: MemoryManager, given: Any) -> None:
    results = memory.remember_many(given(items("one", "two", "one")))
    assert [result.status for result in results] == ["created", "created", "noop"]
    assert results[0].id == results[2].id != results[1].id
    assert memory.count() == 2


def test_a_generator_is_taken_batch_by_batch(memory: MemoryManager) -> None:
    stored: list[int] = []

    def stream() -> Any:
        for n in range(6):
            stored.append(memory.count())
            yield {"content": f"fact number {n}"}

    assert len(memory.remember_many(stream(), batch_size=2)) == 6
    assert stored == [0, 0, 2, 2, 4, 4]


def test_no_items_are_no_results(memory: MemoryManager) -> None:
    assert memory.remember_many([]) == []


def test_defaults_hold_where_an_item_says_nothing(memory: MemoryManager) -> None:
    results = memory.remember_many([{"content": "one"}, {"content": "two", "domain": "sea"}], domain="sky", tier="C")
    assert [(r.memory.domain, r.memory.tier) for r in results] == [("sky", "C"), ("sea", "C")]


@pytest.mark.parametrize(
    ("bad", "error", "says"),
    [
        ({"content": " "}, GovernanceViolation, "content is blank"),
        ({"content": 5}, GovernanceViolation, "content must be a string, not int"),
        ({}, ValueError, "an item needs `content`"),
        ({"content": "x", "knid": "semantic"}, TypeError, "remember has no argument 'knid': did you mean kind?"),
        ({"content": "x", "kind": "dream"}, ValueError, "unknown kind 'dream': use one of working"),
        ({"content": "x", "importance": 2}, ValueError, "importance is 2: it must be from 0 to 1"),
        ({"content": "x", "derived_from": ["mem_unknown"]}, NotFound, "no memory 'mem_unknown' in this scope"),
        ("a bare string", TypeError, "an item must be a mapping of remember's arguments, not str"),
    ],
)
class TestOneBadItem:
    def test_raise_stores_nothing_of_its_batch(
        self, memory: MemoryManager, bad: Any, error: type[Exception], says: str
    ) -> None:
        with pytest.raises(error, match=says) as caught:
            memory.remember_many([*items("a", "b"), *items("c"), bad], batch_size=2)
        assert caught.value.__notes__ == ["item 3: nothing of its batch was stored"]
        assert sorted(texts(memory.list_memories(status="all"))) == ["a", "b"]

    def test_skip_leaves_it_rejected_in_its_place(
        self, memory: MemoryManager, bad: Any, error: type[Exception], says: str
    ) -> None:
        results = memory.remember_many([*items("a"), bad, *items("b")], on_error="skip")
        assert [result.status for result in results] == ["created", "rejected", "created"]
        assert results[1].memory is None
        assert results[1].decision.kind == "reject"
        assert says in results[1].decision.reason
        assert memory.count() == 2


def test_an_item_may_derive_from_an_earlier_batch(memory: MemoryManager) -> None:
    source = memory.remember("Ana said so").id
    (result,) = memory.remember_many([{"content": "Ana lives in Oslo", "derived_from": [source]}])
    assert result.memory is not None
    assert [link.memory_id for link in result.memory.links] == [source]


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_positions_follow_the_order_within_each_session(memory: MemoryManager, size: int) -> None:
    said = [("a", "hello"), ("b", "good day"), ("a", "how are you?"), ("b", "well"), ("a", "good")]
    results = memory.remember_many(({"content": text, "session": s} for s, text in said), batch_size=size)
    assert [r.memory.position for r in results] == [0, 0, 1, 1, 2]
    later, _ = memory.remember("bye", session="a")
    assert later.position == 3


def test_a_key_twice_in_one_batch_is_an_update(memory: MemoryManager) -> None:
    results = memory.remember_many([{"content": "Rome", "key": "home"}, {"content": "Oslo", "key": "home"}])
    assert [result.status for result in results] == ["created", "updated"]
    assert getattr(memory.get(key="home"), "content", None) == "Oslo"


def test_a_repetition_in_one_batch_adds_what_is_new(memory: MemoryManager) -> None:
    results = memory.remember_many([{"content": "Rome", "tags": ["a"]}, {"content": "rome", "tags": ["b"]}])
    assert [result.status for result in results] == ["created", "noop"]
    assert getattr(memory.get(results[0].id), "tags", None) == ("a", "b", "place")


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"on_error": "ignore"}, ValueError, "unknown on_error 'ignore': use one of raise, skip"),
        ({"batch_size": 0}, ValueError, "batch_size is 0: it must be a positive whole number"),
        ({"batch_size": 2.0}, ValueError, "batch_size is 2.0: it must be a positive whole number"),
        ({"sync": "yes"}, TypeError, "sync must be True or False, not str"),
        ({"colour": "red"}, TypeError, "has no argument 'colour'"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_stored(
    memory: MemoryManager, arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        memory.remember_many(items("one"), **arguments)
    assert memory.count(status="all") == 0


@pytest.mark.parametrize("given", ["text", {"content": "text"}, 5, None])
def test_an_invalid_list_of_items_is_refused(memory: MemoryManager, given: Any) -> None:
    with pytest.raises(TypeError, match="items must be an iterable of mappings"):
        memory.remember_many(given)


def test_an_iterable_that_breaks_keeps_the_batches_before(memory: MemoryManager) -> None:
    def stream() -> Any:
        yield from items("one", "two", "three")
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        memory.remember_many(stream(), batch_size=2)
    assert sorted(texts(memory.list_memories())) == ["one", "two"]


def test_evolve_is_for_one_text_at_a_time(memory: MemoryManager) -> None:
    assert [r.status for r in memory.remember_many([{"content": "tea", "evolve": False}])] == ["created"]
    with pytest.raises(ValueError, match="remember"):
        memory.remember_many([{"content": "coffee", "evolve": True}])
