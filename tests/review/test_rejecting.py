"""A rejected memory leaves, and what it had closed is as it was."""

from __future__ import annotations

import pytest

from engrain import NotFound
from tests.conflicts.memory_log import INJECTED, MemoryLog


def test_a_quarantined_memory_is_forgotten(log: MemoryLog) -> None:
    waiting = log.add(INJECTED)
    after = log.memory.reject(waiting.id, reason="an attack")
    assert (after.status, after.status_reason) == ("forgotten", "an attack")
    assert log.memory.get(waiting.id) is None
    assert log.audit(waiting)[-1].operation == "reject"
    with pytest.raises(NotFound):
        log.memory.reject(waiting.id)


def test_a_contested_memory_is_archived_and_contests_nothing_more(log: MemoryLog) -> None:
    trusted = log.add("Ana lives in Rome", source_type="user_input")
    waiting = log.add("Ana lives in Oslo", source_type="tool_result")
    assert log.memory.reject(waiting.id).status == "archived"
    assert log.get(waiting).status == "archived"
    assert log.live() == {"Ana lives in Rome"}
    (hit,) = [hit for hit in log.memory.recall("where does Ana live?") if hit.id == trusted.id]
    assert hit.contested == ()


def test_a_memory_closed_by_a_successor_is_open_again_and_unchanged(log: MemoryLog) -> None:
    rome, oslo = log.add("Ana lives in Rome"), log.add("Ana lives in Oslo")
    log.memory.reject(oslo.id)
    reopened = log.get(rome)
    assert (reopened.superseded_by, reopened.valid_until, reopened.believed_until) == (None, None, None)
    assert log.live() == {"Ana lives in Rome"}
    again = log.add("Ana lives in Rome")
    assert (again.status, again.id) == ("noop", rome.id)
    assert [entry.operation for entry in log.audit(rome)] == ["create", "supersede", "reopen"]


def test_a_corrected_memory_is_believed_again(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome")
    oslo = log.add("Actually, Ana lives in Oslo")
    assert oslo.status == "corrected"
    assert log.get(rome).believed_until is not None
    log.memory.reject(oslo.id)
    assert log.live() == {"Ana lives in Rome"}
    assert log.get(rome).believed_until is None


def test_an_end_that_was_given_comes_back(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome", valid_until=log.days(300))
    oslo = log.add("Ana lives in Oslo")
    log.memory.reject(oslo.id)
    assert log.get(rome).valid_until == log.days(300)


def test_the_end_of_what_arrived_late_comes_back(log: MemoryLog) -> None:
    oslo = log.memory.remember("Ana lives in Oslo", valid_from=log.days(-100))
    rome = log.memory.remember("Ana lives in Rome", valid_from=log.days(-10))
    given = log.memory.remember("Ana lives in Gori", valid_from=log.days(-60), valid_until=log.days(-30))
    log.memory.reject(rome.id)
    assert log.get(given).valid_until == log.days(-30)
    assert log.get(oslo).valid_until == log.days(-60)
    assert log.get(oslo).superseded_by == given.id


def test_the_middle_of_a_chain_leaves_its_place_to_what_follows(log: MemoryLog) -> None:
    rome, oslo, gori = (log.add(f"Ana lives in {place}") for place in ("Rome", "Oslo", "Gori"))
    log.memory.reject(oslo.id)
    assert log.get(rome).superseded_by == gori.id
    assert log.get(rome).valid_until == log.days(2)
    assert log.live() == {"Ana lives in Gori"}
    log.memory.reject(gori.id)
    assert log.get(rome).valid_until is None
    assert log.live() == {"Ana lives in Rome"}


def test_a_repetition_in_the_same_words_keeps_its_place(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome")
    oslo = log.add("Ana lives in Oslo")
    again = log.add("Ana lives in Rome", resolve="off")
    log.memory.reject(oslo.id)
    assert log.live() == {"Ana lives in Rome"}
    assert log.get(rome).superseded_by == again.id


def test_a_memory_forgotten_meanwhile_stays_forgotten(log: MemoryLog) -> None:
    rome, oslo = log.add("Ana lives in Rome"), log.add("Ana lives in Oslo")
    log.memory.forget(rome.id)
    log.memory.reject(oslo.id)
    assert log.memory.get(rome.id) is None
    assert log.live() == set()
    assert log.memory.recall("Ana lives in Rome", known_at=log.clock.now()).texts == ()


def test_what_neither_waits_nor_replaced_anything_cannot_be_rejected(log: MemoryLog) -> None:
    plain = log.add("The door is red")
    with pytest.raises(ValueError, match="neither waiting nor a successor"):
        log.memory.reject(plain.id)
    assert len(log.audit()) == 1


def test_unknown_ids_and_those_of_other_tenants_are_alike(log: MemoryLog) -> None:
    foreign = log.memory.scoped(user="bo").remember(INJECTED)
    for memory_id in ("mem_unknown", foreign.id):
        with pytest.raises(NotFound):
            log.memory.scoped(user="ana").reject(memory_id)
    assert log.get(foreign).status == "quarantined"


def test_a_value_that_was_said_meanwhile_takes_the_place(log: MemoryLog) -> None:
    oslo = log.add("Ana lives in Oslo")
    ending = log.add("Ana no longer lives in Oslo")
    gori = log.add("Ana lives in Gori")
    log.memory.reject(ending.id)
    assert log.live() == {"Ana lives in Gori"}
    reopened = log.get(oslo)
    assert (reopened.superseded_by, reopened.valid_until) == (gori.id, log.days(2))
    assert log.past(gori) == ["Ana lives in Oslo", "Ana lives in Gori"]
    assert log.memory.verify_audit().ok


def test_a_value_that_was_kept_beside_it_gives_way(log: MemoryLog) -> None:
    oslo = log.add("Ana lives in Oslo", confidence=0.5)
    ending = log.add("Ana no longer lives in Oslo", confidence=0.5)
    gori = log.add("Ana lives in Gori", valid_from=log.days(-9), resolve="off")
    log.memory.reject(ending.id)
    assert log.live() == {"Ana lives in Oslo"}
    assert log.get(gori).superseded_by == oslo.id
