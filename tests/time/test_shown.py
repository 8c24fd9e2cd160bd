"""What a read shows without a time: what is true now, and what its two switches add."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain import MemoryManager, Settings
from engrain.model.filters import live
from engrain.model.memory import Status
from engrain.read.request import conditions_at
from engrain.testing import FrozenClock
from tests.time.world import DAY, World


def test_by_default_what_is_live() -> None:
    world = World()
    at = world.at(now=world.now - DAY)
    assert conditions_at(at) == live(world.now - DAY)


def test_superseded_and_ended_memories_on_demand() -> None:
    world = World()
    old = world.add("old")
    world.after()
    world.supersede(old, world.add("new"))
    world.add("over", valid_from=world.now - DAY, valid_until=world.now)
    world.add("never true", believed_until=world.now)
    world.add("not yet", valid_from=world.now + DAY)
    world.add("gone", expires_at=world.now)
    world.add("held", status=Status.QUARANTINED)
    assert world.texts() == {"new"}
    assert world.texts(exclude_superseded=False) == {"old", "new", "over"}


def test_quarantined_memories_on_demand_must_be_valid_too() -> None:
    world = World()
    world.add("fine")
    for text, fields in (("held", {}), ("held but over", {"valid_until": world.now})):
        world.add(text, status=Status.QUARANTINED, **fields)
    world.add("put away", status=Status.ARCHIVED)
    assert world.texts() == {"fine"}
    assert world.texts(include_quarantined=True) == {"fine", "held"}
    assert world.texts(include_quarantined=True, exclude_superseded=False) == {"fine", "held", "held but over"}


def test_asking_for_now_asks_the_store_as_it_is() -> None:
    world = World()
    for known_at in (None, world.now, world.now + DAY):
        assert world.at(known_at=known_at).known_at is None
    assert world.at(known_at=world.now - DAY).known_at == world.now - DAY


@pytest.mark.parametrize("start", ["2019-03-04T09:00:00Z", "2044-03-04T09:00:00Z"])
def test_a_memory_is_live_by_the_clock_of_its_manager(start: str) -> None:
    clock = FrozenClock(start)
    with MemoryManager(":memory:", embedder=None, clock=clock, settings=Settings(worker="none")) as memory:
        made = memory.remember("The gate code is 4471.", ttl=timedelta(days=1)).memory
        later = memory.remember("The gate is painted.", valid_from=clock.now() + timedelta(days=2)).memory
        found = [memory.get(made.id), *memory.list_memories(), *(hit.memory for hit in memory.recall("gate code"))]
        assert len(found) == 3
        assert all(each is not None and each.is_live for each in (made, *found))
        assert not later.is_live
        clock.advance(timedelta(days=3))
        assert {each.content: each.is_live for each in memory.list_memories(status="all")} == {
            "The gate code is 4471.": False,
            "The gate is painted.": True,
        }
        assert {each.status for each in memory.list_memories(status="all")} == {"expired", "active"}
