"""The caller's own ids: one key names one memory, and writing under it again edits that memory."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain import Fact, MemoryManager
from engrain.testing import FrozenClock
from tests.behaviour import texts


def test_a_key_names_its_memory(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Ana lives in Rome", key="home")
    assert memory.get(key="home") == kept


def test_another_text_under_a_key_edits_the_memory(memory: MemoryManager) -> None:
    first, _ = memory.remember("Ana lives in Rome", key="home", tags=["city"])
    second, status = memory.remember("Ana lives in Oslo", key="home")
    assert (status, second.id, second.version, second.tags) == ("updated", first.id, 2, ("city", "place"))
    assert texts(memory.history(first.id)) == ["Ana lives in Rome", "Ana lives in Oslo"]
    assert texts(memory.list_memories()) == ["Ana lives in Oslo"]
    assert memory.recall("Rome").texts != ("Ana lives in Rome",)


def test_the_same_text_under_a_key_is_known(memory: MemoryManager) -> None:
    first = memory.remember("Ana lives in Rome", key="home")
    again = memory.remember("Ana lives in Rome", key="home")
    assert (again.status, again.id, again.decision.kind) == ("noop", first.id, "duplicate")
    assert len(memory.history(first.id)) == 1


def test_the_same_text_with_a_new_value_is_an_update(memory: MemoryManager) -> None:
    memory.remember("Ana lives in Rome", key="home", confidence=0.5)
    kept, status = memory.remember("Ana lives in Rome", key="home", confidence=0.8)
    assert (status, kept.confidence, kept.version) == ("updated", 0.8, 2)


def test_what_the_second_write_leaves_out_stays(memory: MemoryManager) -> None:
    memory.remember("Ana lives in Rome", key="home", tier="A", importance=0.9, metadata={"n": 1}, pinned=True)
    kept, _ = memory.remember("Ana lives in Oslo", key="home")
    assert (kept.tier, kept.metadata, kept.pinned) == ("A", {"n": 1}, True)


def test_a_fact_that_was_given_outlives_another_text(memory: MemoryManager) -> None:
    memory.remember("the berth is at pier 4", key="berth", fact=("boat", "berth", "4"))
    outcome = memory.remember("the berth is at pier 9", key="berth")
    assert outcome.memory is not None
    assert outcome.memory.fact == Fact("boat", "berth", "4")


def test_metadata_is_merged_as_an_update_merges_it(memory: MemoryManager) -> None:
    memory.remember("Ana lives in Rome", key="home", metadata={"floor": 2, "rent": 900})
    outcome = memory.remember("Ana lives in Oslo", key="home", metadata={"rent": None, "door": "red"})
    assert outcome.memory is not None
    assert outcome.memory.metadata == {"floor": 2, "door": "red"}


def test_one_text_under_two_keys_is_two_memories(memory: MemoryManager) -> None:
    statuses = [memory.remember("Ana lives in Rome", key=key).status for key in ("home", "office")]
    assert statuses == ["created", "created"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"agent": "scout"}, {"agent": "clerk"}),
        ({"user": "ana"}, {"user": "ben"}),
        ({"user": "ana", "agent": "scout"}, {"user": "ben", "agent": "scout"}),
    ],
)
def test_a_key_is_each_owners_own(memory: MemoryManager, one: dict[str, str], other: dict[str, str]) -> None:
    mine, theirs = memory.scoped(**one), memory.scoped(**other)
    assert mine.remember("red", key="colour").status == "created"
    assert theirs.remember("blue", key="colour").status == "created"
    assert [getattr(view.get(key="colour"), "content", None) for view in (mine, theirs)] == ["red", "blue"]


def test_an_agents_own_key_comes_before_the_common_one(memory: MemoryManager) -> None:
    user = memory.scoped(user="ana")
    agent = user.scoped(agent="scout")
    user.remember("common", key="colour")
    assert getattr(agent.get(key="colour"), "content", None) == "common"
    agent.remember("own", key="colour")
    assert getattr(agent.get(key="colour"), "content", None) == "own"
    assert getattr(user.get(key="colour"), "content", None) == "common"


def test_a_key_of_several_in_a_wide_view_is_an_error_that_says_so(memory: MemoryManager) -> None:
    for agent in ("scout", "clerk"):
        memory.scoped(agent=agent).remember(f"of {agent}", key="colour")
    with pytest.raises(ValueError, match=r"names several memories in this view: narrow it with scoped\(...\)"):
        memory.get(key="colour")


def test_a_forgotten_key_is_free(memory: MemoryManager) -> None:
    first = memory.remember("Ana lives in Rome", key="home").id
    assert memory.forget(key="home").ids == (first,)
    assert memory.get(key="home") is None
    second, status = memory.remember("Ana lives in Oslo", key="home")
    assert (status, second.id != first, second.version) == ("created", True, 1)
    assert getattr(memory.get(key="home"), "id", None) == second.id


def test_an_expired_memory_gives_its_key_up_to_the_next(memory: MemoryManager, clock: FrozenClock) -> None:
    first = memory.remember("Ana lives in Rome", key="home", ttl=60).id
    clock.advance(timedelta(hours=1))
    assert memory.remember("Ana lives in Oslo", key="home").status == "created"
    assert getattr(memory.get(key="home"), "content", None) == "Ana lives in Oslo"
    assert getattr(memory.get(first), "status", None) == "expired"


@pytest.mark.parametrize("key", ["HOME", "home ", "hóme"])
def test_keys_are_compared_exactly(memory: MemoryManager, key: str) -> None:
    memory.remember("Ana lives in Rome", key="home")
    assert memory.get(key=key) is None
    assert memory.remember("Ana lives in Rome", key=key).status == "created"


def test_a_write_without_a_key_leaves_the_keyed_memory_alone(memory: MemoryManager) -> None:
    memory.remember("Ana lives in Rome", key="home")
    assert memory.remember("Ana lives in Rome").status == "created"
    assert memory.remember("Ana lives in Oslo", key="home").status == "updated"
    assert sorted(texts(memory.list_memories())) == ["Ana lives in Oslo", "Ana lives in Rome"]
