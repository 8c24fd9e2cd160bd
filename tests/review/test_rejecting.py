"""A rejected memory leaves, and what it had closed is as it was."""

from __future__ import annotations

import pytest

from engrain import NotFound
from tests.conflicts.told import INJECTED, Told


def test_a_quarantined_memory_is_forgotten(told: Told) -> None:
    waiting = told.tell(INJECTED)
    after = told.memory.reject(waiting.id, reason="an attack")
    assert (after.status, after.status_reason) == ("forgotten", "an attack")
    assert told.memory.get(waiting.id) is None
    assert told.audit(waiting)[-1].operation == "reject"
    with pytest.raises(NotFound):
        told.memory.reject(waiting.id)


def test_a_contested_memory_is_archived_and_contests_nothing_more(told: Told) -> None:
    trusted = told.tell("Ana lives in Rome", source_type="user_input")
    waiting = told.tell("Ana lives in Oslo", source_type="tool_result")
    assert told.memory.reject(waiting.id).status == "archived"
    assert told.get(waiting).status == "archived"
    assert told.live() == {"Ana lives in Rome"}
    (hit,) = [hit for hit in told.memory.recall("where does Ana live?") if hit.id == trusted.id]
    assert hit.contested == ()


def test_what_a_successor_had_closed_is_open_again_and_the_same_as_before(told: Told) -> None:
    rome, oslo = told.tell("Ana lives in Rome"), told.tell("Ana lives in Oslo")
    told.memory.reject(oslo.id)
    reopened = told.get(rome)
    assert (reopened.superseded_by, reopened.valid_until, reopened.believed_until) == (None, None, None)
    assert told.live() == {"Ana lives in Rome"}
    again = told.tell("Ana lives in Rome")
    assert (again.status, again.id) == ("noop", rome.id)
    assert [entry.operation for entry in told.audit(rome)] == ["create", "supersede", "reopen"]


def test_a_corrected_memory_is_believed_again(told: Told) -> None:
    rome = told.tell("Ana lives in Rome")
    oslo = told.tell("Actually, Ana lives in Oslo")
    assert oslo.status == "corrected"
    assert told.get(rome).believed_until is not None
    told.memory.reject(oslo.id)
    assert told.live() == {"Ana lives in Rome"}
    assert told.get(rome).believed_until is None


def test_an_end_that_was_given_comes_back(told: Told) -> None:
    rome = told.tell("Ana lives in Rome", valid_until=told.days(300))
    oslo = told.tell("Ana lives in Oslo")
    told.memory.reject(oslo.id)
    assert told.get(rome).valid_until == told.days(300)


def test_the_end_of_what_arrived_late_comes_back(told: Told) -> None:
    oslo = told.memory.remember("Ana lives in Oslo", valid_from=told.days(-100))
    rome = told.memory.remember("Ana lives in Rome", valid_from=told.days(-10))
    given = told.memory.remember("Ana lives in Gori", valid_from=told.days(-60), valid_until=told.days(-30))
    told.memory.reject(rome.id)
    assert told.get(given).valid_until == told.days(-30)
    assert told.get(oslo).valid_until == told.days(-60)
    assert told.get(oslo).superseded_by == given.id


def test_the_middle_of_a_chain_leaves_its_place_to_what_follows(told: Told) -> None:
    rome, oslo, gori = (told.tell(f"Ana lives in {place}") for place in ("Rome", "Oslo", "Gori"))
    told.memory.reject(oslo.id)
    assert told.get(rome).superseded_by == gori.id
    assert told.get(rome).valid_until == told.days(2)
    assert told.live() == {"Ana lives in Gori"}
    told.memory.reject(gori.id)
    assert told.get(rome).valid_until is None
    assert told.live() == {"Ana lives in Rome"}


def test_what_is_said_again_in_the_same_words_keeps_its_place(told: Told) -> None:
    rome = told.tell("Ana lives in Rome")
    oslo = told.tell("Ana lives in Oslo")
    again = told.tell("Ana lives in Rome", resolve="off")
    told.memory.reject(oslo.id)
    assert told.live() == {"Ana lives in Rome"}
    assert told.get(rome).superseded_by == again.id


def test_what_was_forgotten_meanwhile_stays_forgotten(told: Told) -> None:
    rome, oslo = told.tell("Ana lives in Rome"), told.tell("Ana lives in Oslo")
    told.memory.forget(rome.id)
    told.memory.reject(oslo.id)
    assert told.memory.get(rome.id) is None
    assert told.live() == set()
    assert told.memory.recall("Ana lives in Rome", known_at=told.clock.now()).texts == ()


def test_what_neither_waits_nor_replaced_anything_cannot_be_rejected(told: Told) -> None:
    plain = told.tell("The door is red")
    with pytest.raises(ValueError, match="neither waiting nor a successor"):
        told.memory.reject(plain.id)
    assert len(told.audit()) == 1


def test_unknown_and_foreign_ids_are_alike(told: Told) -> None:
    foreign = told.memory.scoped(user="bo").remember(INJECTED)
    for memory_id in ("mem_unknown", foreign.id):
        with pytest.raises(NotFound):
            told.memory.scoped(user="ana").reject(memory_id)
    assert told.get(foreign).status == "quarantined"


def test_a_value_that_was_said_meanwhile_takes_the_place(told: Told) -> None:
    oslo = told.tell("Ana lives in Oslo")
    ending = told.tell("Ana no longer lives in Oslo")
    gori = told.tell("Ana lives in Gori")
    told.memory.reject(ending.id)
    assert told.live() == {"Ana lives in Gori"}
    reopened = told.get(oslo)
    assert (reopened.superseded_by, reopened.valid_until) == (gori.id, told.days(2))
    assert told.past(gori) == ["Ana lives in Oslo", "Ana lives in Gori"]
    assert told.memory.verify_audit().ok


def test_a_value_that_was_kept_beside_it_gives_way(told: Told) -> None:
    oslo = told.tell("Ana lives in Oslo", confidence=0.5)
    ending = told.tell("Ana no longer lives in Oslo", confidence=0.5)
    gori = told.tell("Ana lives in Gori", valid_from=told.days(-9), resolve="off")
    told.memory.reject(ending.id)
    assert told.live() == {"Ana lives in Oslo"}
    assert told.get(gori).superseded_by == oslo.id
