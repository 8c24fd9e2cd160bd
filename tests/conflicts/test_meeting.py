"""What is known and what is new meet in every order: planned, late, named, repeated, private."""

from __future__ import annotations

import pytest

from engrain.protocols import Judgement
from tests.conflicts.told import INJECTED, Scripted, Told


@pytest.fixture
def told() -> Told:
    return Told()


def test_a_planned_value_leaves_the_present_one(told):
    told.tell("Ana lives in Rome")
    told.tell("Ana lives in Oslo", valid_from=told.days(60))
    assert told.live() == {"Ana lives in Rome"}


def test_present_said_after_planned(told):
    told.tell("Ana lives in Oslo", valid_from=told.days(60))
    told.tell("Ana lives in Rome")
    assert told.live() == {"Ana lives in Rome"}


def test_supersede_with_a_known_key_closes_its_target(told):
    red = told.tell("The door is red", key="door")
    new = told.memory.supersede(red.id, "The door is green", key="door")
    assert new.id != red.id
    assert told.get(red).superseded_by == new.id


def test_a_contested_text_that_is_named_waits_no_more(told):
    rome = told.tell("Ana lives in Rome", source_type="user_input")
    told.tell("Ana lives in Oslo", source_type="tool_result")
    new = told.memory.supersede(rome.id, "Ana lives in Oslo")
    assert new.status == "updated"
    assert not told.get(new).is_contested
    assert told.get(new).evolution_count == 1


def test_a_repeated_pending_supersede_is_the_same(told):
    red = told.tell("The door is red", source_type="user_input")
    one = told.memory.supersede(red.id, "The door is green", source_type="tool_result")
    assert told.memory.supersede(red.id, "The door is green", source_type="tool_result").id == one.id


def test_settling_has_an_audit_entry(told):
    told.tell("Ana lives in Rome", source_type="user_input")
    w = told.tell("Ana lives in Oslo", source_type="tool_result")
    told.tell("Ana lives in Oslo", source_type="user_input")
    assert len(told.audit(w)) > 1
    assert told.get(w).evolution_count == 1


def test_a_past_stay_leaves_the_present_home(told):
    told.tell("Ana lives in Rome", valid_from=told.days(-900))
    told.tell("Ana lives in Paris", valid_from=told.days(-60), valid_until=told.days(-30))
    assert told.live() == {"Ana lives in Rome"}


def test_skip_skips_a_refused_edit(told):
    said = told.memory.remember_many(
        [{"content": "fine", "key": "k"}, {"content": INJECTED, "key": "k"}, {"content": "also"}], on_error="skip"
    )
    assert [r.status for r in said] == ["created", "rejected", "created"]


def test_a_private_contender_is_not_named_to_others(told):
    u = told.memory.scoped(user="ana")
    known = u.remember("Mia lives in Rome")
    u.scoped(agent="scout").remember("Mia lives in Oslo")
    c = u.scoped(agent="clerk")
    assert c.get(known.id).links == ()
    assert [h.contested for h in c.recall("Mia lives")] == [()]


def test_history_follows_the_chain(told):
    red = told.tell("The door is red")
    told.memory.supersede(red.id, "The door is green", valid_from=told.days(-5))
    assert told.past(red) == ["The door is red", "The door is green"]


def test_evolution_counts_all_predecessors(told):
    for place, since in (("Gori", -30), ("Oslo", -60), ("Rome", -90)):
        last = told.tell(f"Ana lives in {place}", valid_from=told.days(since))
    assert [m.evolution_count for m in told.memory.history(last.id)] == [0, 1, 2]


def test_a_private_memory_never_ends_a_late_common_one(told):
    u = told.memory.scoped(user="ana")
    u.scoped(agent="scout").remember("Mia lives in Oslo")
    u.remember("Mia lives in Rome", valid_from=told.days(-30))
    assert u.scoped(agent="clerk").recall("where does Mia live?").texts == ("Mia lives in Rome",)


def test_a_named_successor_still_meets_its_slot(told):
    rome = told.tell("Ana lives in Rome")
    told.tell("Ana resides in Rome")
    told.memory.supersede(rome.id, "Ana lives in Oslo")
    assert told.live() == {"Ana lives in Oslo"}


def test_a_settled_memory_meets_the_present_value(told):
    told.tell("Ana lives in Rome", source_type="user_input")
    told.tell("Ana lives in Oslo", source_type="tool_result")
    told.tell("Ana lives in Gori", source_type="user_input")
    told.tell("Ana lives in Oslo", source_type="user_input")
    assert len(told.live()) == 1


def test_no_circle_by_a_late_arrival(told):
    x = told.tell("Ana lives in Rome", valid_from=told.days(-10))
    told.memory.supersede(x.id, "Ana lives in Oslo", valid_from=told.days(-90))
    told.tell("Ana lives in Gori", valid_from=told.days(-50))
    assert len(told.live()) == 1


def test_a_repeated_noop_is_kept_once():
    t = Told(decider=Scripted(*[lambda h: Judgement(operation="NOOP", target=h[0].id)] * 3))
    t.tell("The hall door is blue")
    for _ in range(3):
        t.tell("The hall door is painted blue", evolve=True)
    assert t.memory.count(status="archived") == 1


def test_evidence_counted_in_a_batch_is_not_lost_to_a_repetition_in_it(told: Told) -> None:
    known = told.tell("Ana lives in Rome")
    told.memory.remember_many(
        [
            {"content": "Ana resides in Rome"},
            {"content": "Ana lives in Rome", "source_ref": "b"},
        ]
    )
    assert told.get(known).evidence_count == 3
