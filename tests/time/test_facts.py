"""`facts`: memories by the slot of the statement they carry."""

from __future__ import annotations

from typing import Any

import pytest

from engrain.model.memory import Fact, Scope, Status
from tests.time.world import DAY, World


def stated() -> World:
    world = World()
    for text, fact, days in (
        ("Ana works at Acme", ("Ana", "works_at", "Acme"), 3),
        ("Ana lives in the Old Town", ("ana", "lives_in", "the Old Town"), 2),
        ("Ben works at Acme", ("Ben", "employer", "ACME"), 1),
    ):
        world.add(text, fact=Fact(*fact), valid_from=world.now - days * DAY, metadata={"days": days})
    world.add("no fact at all")
    return world


def test_by_each_part_and_by_several_newest_event_time_first() -> None:
    world = stated()
    assert world.facts(subject="ana", when={}) == ["Ana lives in the Old Town", "Ana works at Acme"]
    assert world.facts(predicate="works_at", when={}) == ["Ben works at Acme", "Ana works at Acme"]
    assert world.facts(object="acme", when={}) == ["Ben works at Acme", "Ana works at Acme"]
    assert world.facts(subject="Ben", predicate="works_at", when={}) == ["Ben works at Acme"]
    assert world.facts(subject="Ben", predicate="lives_in", when={}) == []


def test_parts_are_compared_in_their_normal_form() -> None:
    world = stated()
    assert world.facts(subject="  ANA ", predicate="Works for", when={}) == ["Ana works at Acme"]
    assert world.facts(object="Old town", when={}) == ["Ana lives in the Old Town"]


def test_without_a_part_all_of_them() -> None:
    assert len(stated().facts(when={})) == 3


def test_a_where_narrows_them() -> None:
    assert stated().facts(where={"days": {"gte": 2}}, predicate="works_at", when={}) == ["Ana works at Acme"]


def test_only_what_is() -> None:
    world = World()
    fact = Fact("Ana", "works_at", "Acme")
    for status in set(Status) - {Status.SUPERSEDED}:
        world.add(status.value, fact=fact, status=status)
    world.add("superseded", fact=fact, superseded_by="mem_x")
    world.add("expired by the clock", fact=fact, expires_at=world.now)
    world.add("somebody else's", fact=fact, org="other")
    assert world.facts(subject="ana", when={}) == ["active"]
    assert world.facts(scope=Scope("other"), when={}) == ["somebody else's"]


def test_as_of_a_time() -> None:
    world = World()
    old = world.add("Ana works at Acme", fact=Fact("Ana", "works_at", "Acme"))
    world.after(10)
    new = world.add("Ana works at Bolt", fact=Fact("Ana", "works_at", "Bolt"))
    world.supersede(old, new)
    world.after(10)
    assert world.facts(subject="ana", when={}) == ["Ana works at Bolt"]
    assert world.facts(subject="ana", when={"as_of": world.now - 15 * DAY}) == ["Ana works at Acme"]


@pytest.mark.parametrize("part", ["subject", "predicate", "object"])
def test_a_part_must_say_something(part: str) -> None:
    world, blank = World(), dict[str, Any]({part: "  "})
    with pytest.raises(ValueError, match=part):
        world.facts(when={}, **blank)
    number: dict[str, Any] = {part: 7}
    with pytest.raises((TypeError, ValueError)):
        world.facts(when={}, **number)
