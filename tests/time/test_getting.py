"""One memory by its name, from a point in time."""

from __future__ import annotations

from typing import Any

from engrain.model.filters import Test
from engrain.model.memory import Memory, Scope, Status
from engrain.read.listing import get
from tests.time.world import DAY, World


def one(world: World, memory_id: str, **when: Any) -> Memory | None:
    return get(world.engine, Scope(), Test("id", "eq", memory_id), world.at(**when))


def test_as_it_was_known() -> None:
    world = World()
    first = world.after(1)
    edited = world.add("draft", key="note")
    before = world.after()
    world.edit(edited, content="final")
    world.after()
    now, then = one(world, edited), one(world, edited, known_at=before)
    assert now is not None
    assert then is not None
    assert (now.content, then.content) == ("final", "draft")
    assert one(world, edited, known_at=first) is None
    by_key = get(world.engine, Scope(), Test("key", "eq", "note"), world.at(known_at=before))
    assert by_key == then


def test_whatever_its_status_but_forgotten() -> None:
    world = World()
    for status in Status:
        memory_id = world.add(status.value, status=status)
        before = world.now
        world.after()
        for when in ({}, {"known_at": before}):
            found = one(world, memory_id, **when)
            assert (found is None) == (status is Status.FORGOTTEN)


def test_a_forgotten_one_does_not_come_back() -> None:
    world = World()
    edited = world.add("draft")
    before = world.after()
    world.edit(edited, content="final")
    world.forget(edited)
    assert one(world, edited, known_at=before) is None


def test_as_of_a_time_only_what_was_true_then() -> None:
    world = World()
    old = world.add("old")
    start = world.now
    stored = world.after(10)
    new = world.add("new", valid_from=start + 2 * DAY)
    world.supersede(old, new)
    world.after()
    assert one(world, old, as_of=start + DAY) is not None
    assert one(world, old, as_of=start + 3 * DAY) is None
    assert one(world, old, as_of=start + 3 * DAY, known_at=stored) is not None
    wrong = world.add("wrong")
    world.correct(wrong)
    assert one(world, wrong) is not None
    assert one(world, wrong, as_of=world.now) is None
