"""A memory that waits is admitted, and ends what it waited to end."""

from __future__ import annotations

import pytest

from engrain import NotFound
from engrain.errors import MemorySecurityError
from tests.conflicts.told import INJECTED, Told


def test_a_contested_memory_takes_its_place(told: Told) -> None:
    rome = told.tell("Ana lives in Rome", source_type="user_input")
    oslo = told.tell("Ana lives in Oslo", source_type="tool_result")
    after = told.memory.validate(oslo.id, reason="she said so")
    assert (after.status, after.status_reason, after.supersedes) == ("active", "", (rome.id,))
    assert told.live() == {"Ana lives in Oslo"}
    assert told.get(rome).valid_until == told.days(1)
    assert [entry.operation for entry in told.audit(oslo)] == ["create", "validate"]
    assert told.audit(oslo)[-1].reason == "she said so"


def test_a_quarantined_text_needs_force_and_a_reason(told: Told) -> None:
    waiting = told.tell(INJECTED)
    for given in ({}, {"force": True}, {"reason": "a quotation"}):
        with pytest.raises(MemorySecurityError):
            told.memory.validate(waiting.id, **given)
    assert told.live() == set()
    assert told.memory.validate(waiting.id, force=True, reason="a quotation").status == "active"
    assert told.live() == {INJECTED}


def test_an_admitted_memory_meets_the_others_as_if_it_were_written_now(told: Told) -> None:
    told.tell("Ana lives in Rome")
    waiting = told.tell(f"Ana lives in Oslo. {INJECTED}", fact=("Ana", "lives_in", "Oslo"))
    assert waiting.status == "quarantined"
    assert told.live() == {"Ana lives in Rome"}
    told.memory.validate(waiting.id, force=True, reason="harmless")
    assert told.live() == {waiting.memory.content}


def test_what_arrived_before_the_present_value_takes_its_place_before_it(told: Told) -> None:
    waiting = told.tell(f"Ana lives in Rome. {INJECTED}", fact=("Ana", "lives_in", "Rome"))
    oslo = told.tell("Ana lives in Oslo")
    after = told.memory.validate(waiting.id, force=True, reason="harmless")
    assert (after.superseded_by, after.valid_until) == (oslo.id, told.days(1))
    assert told.live() == {"Ana lives in Oslo"}


def test_the_tier_goes_with_the_verdict(told: Told) -> None:
    plain = told.tell("The door is red")
    assert told.memory.validate(plain.id, tier="A").tier == "A"
    before = len(told.audit())
    assert told.memory.validate(plain.id, tier="A").tier == "A"
    assert told.memory.validate(plain.id).tier == "A"
    assert len(told.audit()) == before


def test_what_it_waited_for_may_be_gone(told: Told) -> None:
    rome = told.tell("Ana lives in Rome", source_type="user_input")
    oslo = told.tell("Ana lives in Oslo", source_type="tool_result")
    told.memory.forget(rome.id)
    assert not told.memory.validate(oslo.id).is_contested
    assert told.live() == {"Ana lives in Oslo"}


def test_what_took_its_place_meanwhile_keeps_it(told: Told) -> None:
    rome = told.tell("Ana lives in Rome", source_type="user_input")
    for text in ("Ana lives in Oslo", f"Ana lives in Gori. {INJECTED}"):
        waiting = told.tell(text, source_type="tool_result", fact=("Ana", "lives_in", text.split()[3]))
        told.memory.mark_superseded(waiting.id, rome.id)
        told.memory.validate(waiting.id, force=True, reason="harmless")
        assert told.get(rome).superseded_by is None
        assert told.get(waiting).superseded_by == rome.id
    assert told.live() == {"Ana lives in Rome"}


def test_what_has_left_is_reinstated_and_not_validated(told: Told) -> None:
    told.tell("Ana lives in Rome", source_type="user_input")
    oslo = told.tell("Ana lives in Oslo", source_type="tool_result")
    told.memory.reject(oslo.id)
    with pytest.raises(ValueError, match="reinstate"):
        told.memory.validate(oslo.id)


def test_unknown_and_foreign_ids_are_alike(told: Told) -> None:
    foreign = told.memory.scoped(user="bo").remember("The door is red")
    for memory_id in ("mem_unknown", foreign.id):
        with pytest.raises(NotFound):
            told.memory.scoped(user="ana").validate(memory_id, tier="A")
    assert told.get(foreign).tier == "B"


def test_what_it_waited_for_may_begin_later(told: Told) -> None:
    rome = told.tell("Ana lives in Rome", source_type="user_input")
    waiting = told.memory.supersede(rome.id, "Ana lives in Oslo", source_type="tool_result", valid_from=told.days(-30))
    assert waiting.status == "pending"
    told.memory.validate(waiting.id)
    assert told.live() == {"Ana lives in Oslo"}
    assert (told.get(rome).superseded_by, told.get(waiting).superseded_by) == (waiting.id, None)


def test_nothing_that_says_what_it_ended_is_left(told: Told) -> None:
    rome = told.tell("Ana lives in Rome", source_type="user_input")
    told.tell("Ana resides in Rome", source_type="user_input")
    waiting = told.memory.supersede(rome.id, "Ana lives in Oslo", source_type="tool_result", valid_from=told.days(-30))
    told.memory.validate(waiting.id)
    assert told.live() == {"Ana lives in Oslo"}
