"""What arrives late takes its place in the chain, and the present value stays."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.conflicts.memory_log import MemoryLog, texts

PLACES = (("Rome", -90), ("Oslo", -60), ("Gori", -30))


def test_a_late_value_ends_where_the_next_begins(log: MemoryLog) -> None:
    oslo = log.add("Ana lives in Oslo", valid_from=log.days(-30))
    rome = log.add("Ana lives in Rome", valid_from=log.days(-90))
    assert rome.status == "created"
    late = log.get(rome)
    assert (late.valid_until, late.superseded_by) == (log.days(-30), oslo.id)
    assert log.get(oslo).supersedes == (rome.id,)
    assert log.get(oslo).evolution_count == 1
    assert log.live() == {"Ana lives in Oslo"}
    assert texts(log.memory.recall("Ana lives", as_of=log.days(-50))) == {"Ana lives in Rome"}


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_every_order_of_arrival_gives_one_chain(log: MemoryLog, order: tuple[int, ...]) -> None:
    for each in order:
        place, since = PLACES[each]
        log.add(f"Ana lives in {place}", valid_from=log.days(since))
    chain = log.memory.history(next(iter(log.memory.iter_memories())).id)
    assert [m.content for m in chain] == [f"Ana lives in {place}" for place, _ in PLACES]
    assert [m.valid_until for m in chain] == [log.days(-60), log.days(-30), None]
    assert [m.superseded_by for m in chain] == [chain[1].id, chain[2].id, None]
    for days, place in ((-89, "Rome"), (-59, "Oslo"), (-29, "Gori")):
        assert texts(log.memory.recall("Ana lives", as_of=log.days(days))) == {f"Ana lives in {place}"}


def test_a_late_value_keeps_an_earlier_end_of_its_own(log: MemoryLog) -> None:
    log.add("Ana lives in Oslo", valid_from=log.days(-30))
    rome = log.add("Ana lives in Rome", valid_from=log.days(-90), valid_until=log.days(-60))
    assert log.get(rome).valid_until == log.days(-60)
    assert texts(log.memory.recall("Ana lives", as_of=log.days(-40))) == set()


def test_a_late_value_that_its_source_may_not_say_waits_in_its_place(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome", valid_from=log.days(-90), source_type="user_input")
    oslo = log.add("Ana lives in Oslo", valid_from=log.days(-30), source_type="user_input")
    late = log.add("Ana lives in Gori", valid_from=log.days(-60), source_type="tool_result")
    assert late.status == "pending"
    assert log.get(rome).superseded_by == oslo.id
    assert log.get(rome).valid_until == log.days(-30)
    log.memory.validate(late.id)
    assert log.get(rome).superseded_by == late.id
    assert log.get(rome).valid_until == log.days(-60)
    assert log.live() == {"Ana lives in Oslo"}


def test_a_late_successor_is_no_successor(log: MemoryLog) -> None:
    red = log.add("The door is red")
    log.add("The gate is blue", valid_from=log.days(-5))
    early = log.memory.supersede(red.id, "The door is green", valid_from=log.days(-5))
    closed = log.get(red)
    assert closed.valid_until == closed.valid_from
    assert log.get(early).valid_from == log.days(-5)


def test_the_count_of_predecessors_shows_when_to_look(log: MemoryLog) -> None:
    outcome = log.add("Unit version 0", fact=("Ana", "lives_in", "place0"))
    for n in range(1, 7):
        outcome = log.add(f"Unit version {n}", fact=("Ana", "lives_in", f"place{n}"))
        assert log.get(outcome).evolution_count == n
        assert log.get(outcome).confidence == pytest.approx(0.95**n)
        assert log.get(outcome).should_flag_for_review() is (n > 5)
    assert len(log.past(outcome)) == 7
