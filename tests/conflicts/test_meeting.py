"""What is known and what is new meet in every order: planned, late, named, repeated, private."""

from __future__ import annotations

import pytest

from engrain.protocols import Judgement
from tests.conflicts.memory_log import INJECTED, MemoryLog, Scripted


@pytest.fixture
def log() -> MemoryLog:
    return MemoryLog()


def test_a_planned_value_leaves_the_present_one(log):
    log.add("Ana lives in Rome")
    log.add("Ana lives in Oslo", valid_from=log.days(60))
    assert log.live() == {"Ana lives in Rome"}


def test_present_said_after_planned(log):
    log.add("Ana lives in Oslo", valid_from=log.days(60))
    log.add("Ana lives in Rome")
    assert log.live() == {"Ana lives in Rome"}


def test_supersede_with_a_known_key_closes_its_target(log):
    red = log.add("The door is red", key="door")
    new = log.memory.supersede(red.id, "The door is green", key="door")
    assert new.id != red.id
    assert log.get(red).superseded_by == new.id


def test_a_contested_text_that_is_named_waits_no_more(log):
    rome = log.add("Ana lives in Rome", source_type="user_input")
    log.add("Ana lives in Oslo", source_type="tool_result")
    new = log.memory.supersede(rome.id, "Ana lives in Oslo")
    assert new.status == "updated"
    assert not log.get(new).is_contested
    assert log.get(new).evolution_count == 1


def test_a_repeated_pending_supersede_is_the_same(log):
    red = log.add("The door is red", source_type="user_input")
    one = log.memory.supersede(red.id, "The door is green", source_type="tool_result")
    assert log.memory.supersede(red.id, "The door is green", source_type="tool_result").id == one.id


def test_settling_has_an_audit_entry(log):
    log.add("Ana lives in Rome", source_type="user_input")
    w = log.add("Ana lives in Oslo", source_type="tool_result")
    log.add("Ana lives in Oslo", source_type="user_input")
    assert len(log.audit(w)) > 1
    assert log.get(w).evolution_count == 1


def test_a_past_stay_leaves_the_present_home(log):
    log.add("Ana lives in Rome", valid_from=log.days(-900))
    log.add("Ana lives in Paris", valid_from=log.days(-60), valid_until=log.days(-30))
    assert log.live() == {"Ana lives in Rome"}


def test_skip_skips_a_refused_edit(log):
    said = log.memory.remember_many(
        [{"content": "fine", "key": "k"}, {"content": INJECTED, "key": "k"}, {"content": "also"}], on_error="skip"
    )
    assert [r.status for r in said] == ["created", "rejected", "created"]


def test_a_private_contender_is_not_named_to_others(log):
    u = log.memory.scoped(user="ana")
    known = u.remember("Mia lives in Rome")
    u.scoped(agent="scout").remember("Mia lives in Oslo")
    c = u.scoped(agent="clerk")
    assert c.get(known.id).links == ()
    assert [h.contested for h in c.recall("Mia lives")] == [()]


def test_history_follows_the_chain(log):
    red = log.add("The door is red")
    log.memory.supersede(red.id, "The door is green", valid_from=log.days(-5))
    assert log.past(red) == ["The door is red", "The door is green"]


def test_evolution_counts_all_predecessors(log):
    for place, since in (("Gori", -30), ("Oslo", -60), ("Rome", -90)):
        last = log.add(f"Ana lives in {place}", valid_from=log.days(since))
    assert [m.evolution_count for m in log.memory.history(last.id)] == [0, 1, 2]


def test_a_private_memory_never_ends_a_late_common_one(log):
    u = log.memory.scoped(user="ana")
    u.scoped(agent="scout").remember("Mia lives in Oslo")
    u.remember("Mia lives in Rome", valid_from=log.days(-30))
    assert u.scoped(agent="clerk").recall("where does Mia live?").texts == ("Mia lives in Rome",)


def test_a_named_successor_still_meets_its_slot(log):
    rome = log.add("Ana lives in Rome")
    log.add("Ana resides in Rome")
    log.memory.supersede(rome.id, "Ana lives in Oslo")
    assert log.live() == {"Ana lives in Oslo"}


def test_a_settled_memory_meets_the_present_value(log):
    log.add("Ana lives in Rome", source_type="user_input")
    log.add("Ana lives in Oslo", source_type="tool_result")
    log.add("Ana lives in Gori", source_type="user_input")
    log.add("Ana lives in Oslo", source_type="user_input")
    assert len(log.live()) == 1


def test_no_circle_by_a_late_arrival(log):
    x = log.add("Ana lives in Rome", valid_from=log.days(-10))
    log.memory.supersede(x.id, "Ana lives in Oslo", valid_from=log.days(-90))
    log.add("Ana lives in Gori", valid_from=log.days(-50))
    assert len(log.live()) == 1


def test_a_repeated_noop_is_kept_once():
    t = MemoryLog(decider=Scripted(*[lambda h: Judgement(operation="NOOP", target=h[0].id)] * 3))
    t.add("The hall door is blue")
    for _ in range(3):
        t.add("The hall door is painted blue", evolve=True)
    assert t.memory.count(status="archived") == 1


def test_evidence_counted_in_a_batch_is_not_lost_to_a_repetition_in_it(log: MemoryLog) -> None:
    known = log.add("Ana lives in Rome")
    log.memory.remember_many([{"content": "Ana resides in Rome"}, {"content": "Ana lives in Rome", "source_ref": "b"}])
    assert log.get(known).evidence_count == 3
