"""A memory that left comes back as it was, if nothing has taken its place."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain import NotFound
from tests.conflicts.memory_log import DAY, INJECTED, MemoryLog


def test_a_forgotten_memory_comes_back(log: MemoryLog) -> None:
    known = log.add("The door is red", tags=["house"])
    log.memory.forget(known.id, reason="by mistake")
    back = log.memory.reinstate(known.id, reason="it was a mistake")
    assert (back.id, back.status, back.status_reason, back.tags) == (known.id, "active", "", ("house",))
    assert log.live() == {"The door is red"}
    assert log.add("The door is red").id == known.id
    assert log.audit(known)[-1].reason == "it was a mistake"


def test_an_expired_memory_comes_back_without_an_end(log: MemoryLog) -> None:
    known = log.add("The door is red", ttl=timedelta(hours=1))
    assert log.get(known).status == "expired"
    assert log.memory.reinstate(known.id).expires_at is None
    log.clock.advance(100 * DAY)
    assert log.live() == {"The door is red"}


def test_a_rejected_successor_closes_again_what_it_had_closed(log: MemoryLog) -> None:
    rome, oslo = log.add("Ana lives in Rome"), log.add("Ana lives in Oslo")
    log.memory.reject(oslo.id)
    assert log.memory.reinstate(oslo.id).status == "active"
    assert log.live() == {"Ana lives in Oslo"}
    assert log.get(rome).superseded_by == oslo.id
    assert log.past(rome) == ["Ana lives in Rome", "Ana lives in Oslo"]


def test_the_middle_of_a_chain_takes_its_place_between_the_two(log: MemoryLog) -> None:
    rome, oslo, gori = (log.add(f"Ana lives in {place}") for place in ("Rome", "Oslo", "Gori"))
    log.memory.reject(oslo.id)
    log.memory.reinstate(oslo.id)
    assert (log.get(rome).superseded_by, log.get(oslo).superseded_by) == (oslo.id, gori.id)
    assert (log.get(rome).valid_until, log.get(oslo).valid_until) == (log.days(1), log.days(2))
    assert log.memory.recall("where does Ana live?", as_of=log.days(1.5)).texts == ("Ana lives in Oslo",)


def test_every_order_of_verdicts_ends_in_the_same_chain(log: MemoryLog) -> None:
    rome, oslo, gori = (log.add(f"Ana lives in {place}") for place in ("Rome", "Oslo", "Gori"))
    chain = [log.get(each) for each in (rome, oslo, gori)]
    for one, other in ((oslo, gori), (gori, oslo)):
        log.memory.reject(one.id)
        log.memory.reject(other.id)
        assert log.get(rome).valid_until is None
        for each in (oslo, gori):
            log.memory.reinstate(each.id)
        now = [log.get(each) for each in (rome, oslo, gori)]
        assert [m.superseded_by for m in now] == [m.superseded_by for m in chain]
        assert [m.valid_until for m in now] == [m.valid_until for m in chain]


def test_a_fact_that_moved_on_is_said_again(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome")
    log.memory.forget(rome.id)
    oslo = log.add("Ana lives in Oslo")
    back = log.memory.reinstate(rome.id)
    assert back.id != rome.id
    assert log.live() == {"Ana lives in Rome"}
    assert log.get(oslo).superseded_by == back.id


def test_a_formerly_pending_memory_is_pending_again(log: MemoryLog) -> None:
    log.add("Ana lives in Rome", source_type="user_input")
    waiting = log.add("Ana lives in Oslo", source_type="tool_result")
    log.memory.reject(waiting.id)
    assert log.memory.reinstate(waiting.id).is_contested
    assert log.live() == {"Ana lives in Rome", "Ana lives in Oslo"}
    log.memory.validate(waiting.id)
    assert log.live() == {"Ana lives in Oslo"}


def test_a_quarantined_text_is_never_admitted_on_the_way(log: MemoryLog) -> None:
    waiting = log.add(INJECTED)
    log.memory.reject(waiting.id)
    assert log.memory.reinstate(waiting.id).status == "quarantined"
    log.memory.forget(waiting.id)
    assert log.memory.reinstate(waiting.id).status == "quarantined"
    with pytest.raises(ValueError, match="quarantined"):
        log.memory.reinstate(waiting.id)
    assert log.live() == set()


def test_the_same_text_said_meanwhile_leaves_nothing_to_bring_back(log: MemoryLog) -> None:
    known = log.add("The door is red")
    log.memory.forget(known.id)
    again = log.add("The door is red")
    with pytest.raises(ValueError, match=again.id):
        log.memory.reinstate(known.id)
    assert log.memory.get(known.id) is None


def test_a_key_that_names_another_by_now_stays_with_it(log: MemoryLog) -> None:
    first = log.add("The door is red", key="door")
    log.memory.forget(first.id)
    second = log.add("The door is green", key="door")
    assert log.memory.reinstate(first.id).key is None
    named = log.memory.get(key="door")
    assert named is not None
    assert named.id == second.id
    assert log.live() == {"The door is red", "The door is green"}


def test_a_live_memory_is_left_as_it_is(log: MemoryLog) -> None:
    known = log.add("The door is red")
    assert log.memory.reinstate(known.id).updated_at == log.get(known).updated_at
    assert len(log.audit()) == 1


def test_unknown_ids_and_those_of_other_tenants_are_alike(log: MemoryLog) -> None:
    foreign = log.memory.scoped(user="bo").remember("The door is red")
    log.memory.forget(foreign.id)
    for memory_id in ("mem_unknown", foreign.id):
        with pytest.raises(NotFound):
            log.memory.scoped(user="ana").reinstate(memory_id)
    assert log.memory.get(foreign.id) is None


def test_the_successor_of_a_rejected_memory_stays(log: MemoryLog) -> None:
    red, blue = log.add("The door is red"), log.add("The gate is blue")
    log.memory.mark_superseded(red.id, blue.id)
    log.memory.reject(blue.id)
    log.memory.mark_superseded(blue.id, red.id)
    log.memory.reinstate(blue.id)
    assert log.live() == {"The door is red"}
    assert (log.get(red).superseded_by, log.get(blue).superseded_by) == (None, red.id)
