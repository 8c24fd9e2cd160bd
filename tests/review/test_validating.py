"""A memory that waits is admitted, and ends what it waited to end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain import NotFound
from engrain.errors import MemorySecurityError
from tests.conflicts.memory_log import INJECTED, MemoryLog


def test_a_contested_memory_takes_its_place(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome", source_type="user_input")
    oslo = log.add("Ana lives in Oslo", source_type="tool_result")
    after = log.memory.validate(oslo.id, reason="she said so")
    assert (after.status, after.status_reason, after.supersedes) == ("active", "", (rome.id,))
    assert log.live() == {"Ana lives in Oslo"}
    assert log.get(rome).valid_until == log.days(1)
    assert [entry.operation for entry in log.audit(oslo)] == ["create", "validate"]
    assert log.audit(oslo)[-1].reason == "she said so"


def test_a_quarantined_text_needs_force_and_a_reason(log: MemoryLog) -> None:
    waiting = log.add(INJECTED)
    for given in ({}, {"force": True}, {"reason": "a quotation"}):
        with pytest.raises(MemorySecurityError):
            log.memory.validate(waiting.id, **given)
    assert log.live() == set()
    assert log.memory.validate(waiting.id, force=True, reason="a quotation").status == "active"
    assert log.live() == {INJECTED}


def test_an_admitted_memory_meets_the_others_as_if_it_were_written_now(log: MemoryLog) -> None:
    log.add("Ana lives in Rome")
    waiting = log.add(f"Ana lives in Oslo. {INJECTED}", fact=("Ana", "lives_in", "Oslo"))
    assert waiting.status == "quarantined"
    assert log.live() == {"Ana lives in Rome"}
    log.memory.validate(waiting.id, force=True, reason="harmless")
    assert log.live() == {waiting.memory.content}


def test_what_arrived_before_the_present_value_takes_its_place_before_it(log: MemoryLog) -> None:
    waiting = log.add(f"Ana lives in Rome. {INJECTED}", fact=("Ana", "lives_in", "Rome"))
    oslo = log.add("Ana lives in Oslo")
    after = log.memory.validate(waiting.id, force=True, reason="harmless")
    assert (after.superseded_by, after.valid_until) == (oslo.id, log.days(1))
    assert log.live() == {"Ana lives in Oslo"}


def test_the_tier_goes_with_the_verdict(log: MemoryLog) -> None:
    plain = log.add("The door is red")
    assert log.memory.validate(plain.id, tier="A").tier == "A"
    before = len(log.audit())
    assert log.memory.validate(plain.id, tier="A").tier == "A"
    assert log.memory.validate(plain.id).tier == "A"
    assert len(log.audit()) == before


def test_what_it_waited_for_may_be_gone(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome", source_type="user_input")
    oslo = log.add("Ana lives in Oslo", source_type="tool_result")
    log.memory.forget(rome.id)
    assert not log.memory.validate(oslo.id).is_contested
    assert log.live() == {"Ana lives in Oslo"}


def test_a_successor_made_meanwhile_stays(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome", source_type="user_input")
    for text in ("Ana lives in Oslo", f"Ana lives in Gori. {INJECTED}"):
        waiting = log.add(text, source_type="tool_result", fact=("Ana", "lives_in", text.split()[3]))
        log.memory.mark_superseded(waiting.id, rome.id)
        log.memory.validate(waiting.id, force=True, reason="harmless")
        assert log.get(rome).superseded_by is None
        assert log.get(waiting).superseded_by == rome.id
    assert log.live() == {"Ana lives in Rome"}


def test_what_has_left_is_reinstated_and_not_validated(log: MemoryLog) -> None:
    log.add("Ana lives in Rome", source_type="user_input")
    oslo = log.add("Ana lives in Oslo", source_type="tool_result")
    log.memory.reject(oslo.id)
    with pytest.raises(ValueError, match="reinstate"):
        log.memory.validate(oslo.id)


def test_unknown_ids_and_those_of_other_tenants_are_alike(log: MemoryLog) -> None:
    foreign = log.memory.scoped(user="bo").remember("The door is red")
    for memory_id in ("mem_unknown", foreign.id):
        with pytest.raises(NotFound):
            log.memory.scoped(user="ana").validate(memory_id, tier="A")
    assert log.get(foreign).tier == "B"


def test_what_it_waited_for_may_begin_later(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome", source_type="user_input")
    waiting = log.memory.supersede(rome.id, "Ana lives in Oslo", source_type="tool_result", valid_from=log.days(-30))
    assert waiting.status == "pending"
    log.memory.validate(waiting.id)
    assert log.live() == {"Ana lives in Oslo"}
    assert (log.get(rome).superseded_by, log.get(waiting).superseded_by) == (waiting.id, None)


def test_nothing_that_says_what_it_ended_is_left(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome", source_type="user_input")
    log.add("Ana resides in Rome", source_type="user_input")
    waiting = log.memory.supersede(rome.id, "Ana lives in Oslo", source_type="tool_result", valid_from=log.days(-30))
    log.memory.validate(waiting.id)
    assert log.live() == {"Ana lives in Oslo"}


def test_one_whose_ttl_is_over_is_reinstated_first(log: MemoryLog) -> None:
    waiting = log.add(INJECTED, ttl=timedelta(hours=1))
    with pytest.raises(ValueError, match="is expired: reinstate it first"):
        log.memory.validate(waiting.id, force=True, reason="a quotation")
    assert log.memory.reinstate(waiting.id).status == "quarantined"
    assert log.live() == set()
    assert log.memory.validate(waiting.id, force=True, reason="a quotation").status == "active"
    assert log.live() == {INJECTED}
