"""What arrives late takes its place in the chain, and the present value stays."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.conflicts.told import Told, texts

PLACES = (("Rome", -90), ("Oslo", -60), ("Gori", -30))


def test_a_late_value_ends_where_the_next_begins(told: Told) -> None:
    oslo = told.tell("Ana lives in Oslo", valid_from=told.days(-30))
    rome = told.tell("Ana lives in Rome", valid_from=told.days(-90))
    assert rome.status == "created"
    late = told.get(rome)
    assert (late.valid_until, late.superseded_by) == (told.days(-30), oslo.id)
    assert told.get(oslo).supersedes == (rome.id,)
    assert told.get(oslo).evolution_count == 1
    assert told.live() == {"Ana lives in Oslo"}
    assert texts(told.memory.recall("Ana lives", as_of=told.days(-50))) == {"Ana lives in Rome"}


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_every_order_of_arrival_gives_one_chain(told: Told, order: tuple[int, ...]) -> None:
    for each in order:
        place, since = PLACES[each]
        told.tell(f"Ana lives in {place}", valid_from=told.days(since))
    chain = told.memory.history(next(iter(told.memory.iter_memories())).id)
    assert [m.content for m in chain] == [f"Ana lives in {place}" for place, _ in PLACES]
    assert [m.valid_until for m in chain] == [told.days(-60), told.days(-30), None]
    assert [m.superseded_by for m in chain] == [chain[1].id, chain[2].id, None]
    for days, place in ((-89, "Rome"), (-59, "Oslo"), (-29, "Gori")):
        assert texts(told.memory.recall("Ana lives", as_of=told.days(days))) == {f"Ana lives in {place}"}


def test_a_late_value_keeps_an_earlier_end_of_its_own(told: Told) -> None:
    told.tell("Ana lives in Oslo", valid_from=told.days(-30))
    rome = told.tell("Ana lives in Rome", valid_from=told.days(-90), valid_until=told.days(-60))
    assert told.get(rome).valid_until == told.days(-60)
    assert texts(told.memory.recall("Ana lives", as_of=told.days(-40))) == set()


def test_a_late_value_that_its_source_may_not_say_waits_in_its_place(told: Told) -> None:
    rome = told.tell("Ana lives in Rome", valid_from=told.days(-90), source_type="user_input")
    oslo = told.tell("Ana lives in Oslo", valid_from=told.days(-30), source_type="user_input")
    late = told.tell("Ana lives in Gori", valid_from=told.days(-60), source_type="tool_result")
    assert late.status == "pending"
    assert told.get(rome).superseded_by == oslo.id
    assert told.get(rome).valid_until == told.days(-30)
    told.memory.validate(late.id)
    assert told.get(rome).superseded_by == late.id
    assert told.get(rome).valid_until == told.days(-60)
    assert told.live() == {"Ana lives in Oslo"}


def test_a_late_successor_is_no_successor(told: Told) -> None:
    red = told.tell("The door is red")
    told.tell("The gate is blue", valid_from=told.days(-5))
    early = told.memory.supersede(red.id, "The door is green", valid_from=told.days(-5))
    closed = told.get(red)
    assert closed.valid_until == closed.valid_from
    assert told.get(early).valid_from == told.days(-5)


def test_the_count_of_predecessors_tells_when_to_look(told: Told) -> None:
    outcome = told.tell("Unit version 0", fact=("Ana", "lives_in", "place0"))
    for n in range(1, 7):
        outcome = told.tell(f"Unit version {n}", fact=("Ana", "lives_in", f"place{n}"))
        assert told.get(outcome).evolution_count == n
        assert told.get(outcome).confidence == pytest.approx(0.95**n)
        assert told.get(outcome).should_flag_for_review() is (n > 5)
    assert len(told.past(outcome)) == 7
