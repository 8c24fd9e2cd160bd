"""A memory that left comes back as it was, if nothing has taken its place."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain import NotFound
from tests.conflicts.told import DAY, INJECTED, Told


def test_a_forgotten_memory_comes_back(told: Told) -> None:
    known = told.tell("The door is red", tags=["house"])
    told.memory.forget(known.id, reason="by mistake")
    back = told.memory.reinstate(known.id, reason="it was a mistake")
    assert (back.id, back.status, back.status_reason, back.tags) == (known.id, "active", "", ("house",))
    assert told.live() == {"The door is red"}
    assert told.tell("The door is red").id == known.id
    assert told.audit(known)[-1].reason == "it was a mistake"


def test_an_expired_memory_comes_back_without_an_end(told: Told) -> None:
    known = told.tell("The door is red", ttl=timedelta(hours=1))
    assert told.get(known).status == "expired"
    assert told.memory.reinstate(known.id).expires_at is None
    told.clock.advance(100 * DAY)
    assert told.live() == {"The door is red"}


def test_a_rejected_successor_closes_again_what_it_had_closed(told: Told) -> None:
    rome, oslo = told.tell("Ana lives in Rome"), told.tell("Ana lives in Oslo")
    told.memory.reject(oslo.id)
    assert told.memory.reinstate(oslo.id).status == "active"
    assert told.live() == {"Ana lives in Oslo"}
    assert told.get(rome).superseded_by == oslo.id
    assert told.past(rome) == ["Ana lives in Rome", "Ana lives in Oslo"]


def test_the_middle_of_a_chain_takes_its_place_between_the_two(told: Told) -> None:
    rome, oslo, gori = (told.tell(f"Ana lives in {place}") for place in ("Rome", "Oslo", "Gori"))
    told.memory.reject(oslo.id)
    told.memory.reinstate(oslo.id)
    assert (told.get(rome).superseded_by, told.get(oslo).superseded_by) == (oslo.id, gori.id)
    assert (told.get(rome).valid_until, told.get(oslo).valid_until) == (told.days(1), told.days(2))
    assert told.memory.recall("where does Ana live?", as_of=told.days(1.5)).texts == ("Ana lives in Oslo",)


def test_every_order_of_verdicts_ends_in_the_same_chain(told: Told) -> None:
    rome, oslo, gori = (told.tell(f"Ana lives in {place}") for place in ("Rome", "Oslo", "Gori"))
    chain = [told.get(each) for each in (rome, oslo, gori)]
    for one, other in ((oslo, gori), (gori, oslo)):
        told.memory.reject(one.id)
        told.memory.reject(other.id)
        assert told.get(rome).valid_until is None
        for each in (oslo, gori):
            told.memory.reinstate(each.id)
        now = [told.get(each) for each in (rome, oslo, gori)]
        assert [m.superseded_by for m in now] == [m.superseded_by for m in chain]
        assert [m.valid_until for m in now] == [m.valid_until for m in chain]


def test_a_fact_that_moved_on_is_said_anew(told: Told) -> None:
    rome = told.tell("Ana lives in Rome")
    told.memory.forget(rome.id)
    oslo = told.tell("Ana lives in Oslo")
    back = told.memory.reinstate(rome.id)
    assert back.id != rome.id
    assert told.live() == {"Ana lives in Rome"}
    assert told.get(oslo).superseded_by == back.id


def test_what_waited_waits_again(told: Told) -> None:
    told.tell("Ana lives in Rome", source_type="user_input")
    waiting = told.tell("Ana lives in Oslo", source_type="tool_result")
    told.memory.reject(waiting.id)
    assert told.memory.reinstate(waiting.id).is_contested
    assert told.live() == {"Ana lives in Rome", "Ana lives in Oslo"}
    told.memory.validate(waiting.id)
    assert told.live() == {"Ana lives in Oslo"}


def test_a_quarantined_text_is_never_admitted_on_the_way(told: Told) -> None:
    waiting = told.tell(INJECTED)
    told.memory.reject(waiting.id)
    assert told.memory.reinstate(waiting.id).status == "quarantined"
    told.memory.forget(waiting.id)
    assert told.memory.reinstate(waiting.id).status == "quarantined"
    with pytest.raises(ValueError, match="quarantined"):
        told.memory.reinstate(waiting.id)
    assert told.live() == set()


def test_the_same_text_said_meanwhile_leaves_nothing_to_bring_back(told: Told) -> None:
    known = told.tell("The door is red")
    told.memory.forget(known.id)
    again = told.tell("The door is red")
    with pytest.raises(ValueError, match=again.id):
        told.memory.reinstate(known.id)
    assert told.memory.get(known.id) is None


def test_a_key_that_names_another_by_now_stays_with_it(told: Told) -> None:
    first = told.tell("The door is red", key="door")
    told.memory.forget(first.id)
    second = told.tell("The door is green", key="door")
    assert told.memory.reinstate(first.id).key is None
    named = told.memory.get(key="door")
    assert named is not None
    assert named.id == second.id
    assert told.live() == {"The door is red", "The door is green"}


def test_a_live_memory_is_left_as_it_is(told: Told) -> None:
    known = told.tell("The door is red")
    assert told.memory.reinstate(known.id).updated_at == told.get(known).updated_at
    assert len(told.audit()) == 1


def test_unknown_and_foreign_ids_are_alike(told: Told) -> None:
    foreign = told.memory.scoped(user="bo").remember("The door is red")
    told.memory.forget(foreign.id)
    for memory_id in ("mem_unknown", foreign.id):
        with pytest.raises(NotFound):
            told.memory.scoped(user="ana").reinstate(memory_id)
    assert told.memory.get(foreign.id) is None


def test_what_took_the_place_of_a_rejected_memory_keeps_it(told: Told) -> None:
    red, blue = told.tell("The door is red"), told.tell("The gate is blue")
    told.memory.mark_superseded(red.id, blue.id)
    told.memory.reject(blue.id)
    told.memory.mark_superseded(blue.id, red.id)
    told.memory.reinstate(blue.id)
    assert told.live() == {"The door is red"}
    assert (told.get(red).superseded_by, told.get(blue).superseded_by) == (None, red.id)
