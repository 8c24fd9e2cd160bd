"""`as_of`: what was true at a time, by what is believed today."""

from __future__ import annotations

from datetime import timedelta

from engrain.model.memory import Status
from tests.time.world import DAY, World


def moved() -> tuple[World, str, str]:
    world = World()
    boston = world.add("Ana lives in Boston")
    world.after(10)
    tbilisi = world.add("Ana lives in Tbilisi")
    world.supersede(boston, tbilisi)
    world.after(10)
    return world, boston, tbilisi


def test_a_fact_true_then_is_found_and_one_true_now_is_not() -> None:
    world, _, _ = moved()
    then = world.now - 15 * DAY
    assert world.texts("where does Ana live?") == {"Ana lives in Tbilisi"}
    assert world.texts("where does Ana live?", as_of=then) == {"Ana lives in Boston"}
    assert world.listed(as_of=then) == ["Ana lives in Boston"]


def test_an_interval_is_half_open() -> None:
    world, boston, tbilisi = moved()
    change, start = world.get(tbilisi).valid_from, world.get(boston).valid_from
    moment = timedelta(microseconds=1)
    assert world.texts(as_of=start - moment) == set()
    assert world.texts(as_of=start) == {"Ana lives in Boston"}
    assert world.texts(as_of=change - moment) == {"Ana lives in Boston"}
    assert world.texts(as_of=change) == {"Ana lives in Tbilisi"}
    assert world.texts(as_of=world.now + 1000 * DAY) == {"Ana lives in Tbilisi"}


def test_a_later_record_was_true_all_the_same() -> None:
    world = World()
    world.add("Ana was born in Gori", valid_from=world.now - 9000 * DAY)
    assert world.texts(as_of=world.now - 5000 * DAY) == {"Ana was born in Gori"}


def test_a_corrected_memory_is_not_found_at_any_time() -> None:
    world = World()
    wrong = world.add("Ana lives in Paris")
    world.after()
    world.correct(wrong, world.add("Ana lives in Rome", valid_from=world.get(wrong).valid_from))
    assert world.texts(as_of=world.get(wrong).valid_from) == {"Ana lives in Rome"}
    assert world.listed(as_of=world.get(wrong).valid_from) == ["Ana lives in Rome"]


def test_expiry_is_by_the_real_clock() -> None:
    world = World()
    world.add("the code is 1234", expires_at=world.now + DAY)
    then = world.now
    assert world.texts(as_of=then) == {"the code is 1234"}
    world.after(2)
    assert world.texts(as_of=then) == set()
    assert world.texts(as_of=then, now=then) == set()


def test_only_active_memories_are_shown() -> None:
    world = World()
    for status in set(Status) - {Status.SUPERSEDED}:
        world.add(status.value, status=status)
    world.add("superseded", superseded_by="mem_x", valid_until=world.now)
    then = world.now
    world.after()
    assert world.texts(as_of=then) == {"active"}
    assert world.texts(as_of=then, include_quarantined=True) == {"active", "quarantined"}
    assert set(world.listed(["archived", "quarantined"], as_of=then)) == {"archived", "quarantined"}
    assert world.listed(["archived", "quarantined"], as_of=then - DAY) == []


def test_whether_superseded_ones_are_excluded_does_not_matter() -> None:
    world, _, _ = moved()
    then = world.now - 15 * DAY
    for exclude in (True, False):
        assert world.texts(as_of=then, exclude_superseded=exclude) == {"Ana lives in Boston"}


def test_since_and_until_go_on_comparing_event_time() -> None:
    world, boston, _ = moved()
    then, start = world.now - 15 * DAY, world.get(boston).valid_from
    assert world.texts(as_of=then, since=start) == {"Ana lives in Boston"}
    assert world.texts(as_of=then, until=start) == set()
