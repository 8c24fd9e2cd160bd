"""A writer who names what gives way: the world changed, and the application says so."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from engrain import NotFound
from engrain.errors import GovernanceViolation
from tests.conflicts.memory_log import DAY, INJECTED, MemoryLog, texts


def test_the_named_one_gives_way(log: MemoryLog) -> None:
    red = log.add("The door is red", kind="procedural", domain="project")
    outcome = log.memory.supersede(red.id, "Paint it green", reason="repainted")
    assert (outcome.status, outcome.decision.stage) == ("updated", "explicit id")
    green = log.get(outcome)
    assert (green.kind, green.domain, green.supersedes) == ("procedural", "project", (red.id,))
    assert log.live() == {"Paint it green"}
    assert texts(log.memory.recall("door", as_of=log.days(0.5))) == {"The door is red"}
    assert log.past(red) == ["The door is red", "Paint it green"]


def test_the_application_itself_is_behind_it(log: MemoryLog) -> None:
    red = log.add("The door is red", source_type="system")
    assert log.memory.supersede(red.id, "The door is green").status == "updated"


def test_a_named_source_counts_for_what_it_is(log: MemoryLog) -> None:
    red = log.add("The door is red", source_type="user_input")
    waiting = log.memory.supersede(red.id, "The door is green", source_type="tool_result")
    assert waiting.status == "pending"
    assert log.live() == {"The door is red", "The door is green"}
    log.memory.validate(waiting.id)
    assert log.live() == {"The door is green"}
    again = log.memory.supersede(waiting.id, "The door is blue", source_type="user_input")
    assert again.status == "updated"


def test_a_superseded_memory_names_its_head(log: MemoryLog) -> None:
    red = log.add("The door is red")
    log.memory.supersede(red.id, "The door is green")
    (green,) = log.memory.iter_memories()
    blue = log.memory.supersede(green.id, "The door is blue")
    for known in (red.id, green.id):
        with pytest.raises(ValueError, match=blue.id):
            log.memory.supersede(known, "The door is grey")
    assert log.live() == {"The door is blue"}


def test_the_second_of_two_at_once_is_refused(log: MemoryLog) -> None:
    red = log.add("The door is red")

    def paint(n: int) -> str:
        try:
            return log.memory.supersede(red.id, f"The door has colour {n}").id
        except ValueError as error:
            return str(error)

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(paint, range(16)))
    (winner,) = [each for each in said if each.startswith("mem_") and " " not in each]
    assert all(winner in each for each in said)
    assert log.memory.count() == 1
    assert log.memory.count(status="all") == 2


def test_unknown_foreign_and_forgotten_ids_are_alike(log: MemoryLog) -> None:
    foreign = log.memory.scoped(user="bo").remember("The door is red")
    gone = log.memory.scoped(user="ana").remember("The gate is red")
    log.memory.forget(gone.id)
    for known in ("mem_unknown", foreign.id, gone.id):
        with pytest.raises(NotFound):
            log.memory.scoped(user="ana").supersede(known, "The door is green")
    assert log.live() == {"The door is red"}


def test_the_same_text_again_is_a_new_version(log: MemoryLog) -> None:
    red = log.add("The door is red")
    again = log.memory.supersede(red.id, "The door is red")
    assert again.id != red.id
    assert log.live() == {"The door is red"}
    assert log.past(again) == ["The door is red", "The door is red"]


def test_a_text_that_is_known_takes_the_place_itself(log: MemoryLog) -> None:
    red, green = log.add("The door is red"), log.add("The door is green")
    outcome = log.memory.supersede(red.id, "The door is green")
    assert (outcome.id, outcome.status) == (green.id, "updated")
    assert log.get(red).superseded_by == green.id
    assert log.live() == {"The door is green"}


def test_a_hidden_successor_closes_nothing_until_it_is_admitted(log: MemoryLog) -> None:
    red = log.add("The door is red")
    hidden = log.memory.supersede(red.id, INJECTED)
    assert hidden.status == "quarantined"
    assert log.live() == {"The door is red"}
    log.memory.validate(hidden.id, force=True, reason="a quotation")
    assert log.live() == {INJECTED}
    assert log.get(red).superseded_by == hidden.id


def test_a_successor_is_for_the_same_readers(log: MemoryLog) -> None:
    ana = log.memory.scoped(user="ana")
    red = ana.remember("The door is red")
    outcome = log.memory.supersede(red.id, "The door is green")
    assert outcome.memory is not None
    assert outcome.memory.scope.user == "ana"
    private = ana.scoped(agent="scout").supersede(outcome.id, "The door is blue")
    assert private.memory is not None
    assert private.memory.scope.agent is None
    assert ana.scoped(agent="clerk").recall("door").texts == ("The door is blue",)


def test_a_successor_inherits_confidence_unless_it_is_given(log: MemoryLog) -> None:
    red = log.add("The door is red", confidence=0.8)
    green = log.memory.supersede(red.id, "The door is green")
    assert log.get(green).confidence == pytest.approx(0.76)
    assert log.get(green).evolution_count == 1
    blue = log.memory.supersede(green.id, "The door is blue", confidence=0.99)
    assert log.get(blue).confidence == 0.99
    assert log.get(blue).evolution_count == 2


def test_an_invalid_call_changes_nothing(log: MemoryLog) -> None:
    red = log.add("The door is red")
    for content, given in (("  ", {}), ("The door is green", {"valid_until": "2000-01-01"}), ("x", {"confidence": 2})):
        with pytest.raises((ValueError, GovernanceViolation)):
            log.memory.supersede(red.id, content, **given)
    for unknown in ("resolve", "colour"):
        with pytest.raises(TypeError):
            log.memory.supersede(red.id, "The door is green", **{unknown: "off"})  # type: ignore[arg-type]
    assert log.live() == {"The door is red"}
    assert len(log.audit()) == 1


def test_the_predecessor_ends_where_the_edited_successor_begins(log: MemoryLog) -> None:
    rome = log.memory.remember("Ana lives in Rome", valid_from=log.days(-90))
    oslo = log.memory.remember("Ana moved to Oslo", valid_from=log.days(-30))
    before = log.add("The door is red").memory.recorded_at
    for begins in (-60, -10, -30):
        log.memory.update(oslo.id, valid_from=log.days(begins))
        assert log.get(rome).valid_until == log.days(begins)
        for day in (-61, -59, -29, -9):
            home = "Ana lives in Rome" if day < begins else "Ana moved to Oslo"
            assert texts(log.memory.recall("where does Ana live?", as_of=log.days(day))) == {home}
    assert log.past(rome) == ["Ana lives in Rome"] + 4 * ["Ana moved to Oslo"]
    then = log.memory.recall("where does Ana live?", as_of=log.days(-20), known_at=before)
    assert texts(then) == {"Ana moved to Oslo"}
    assert log.memory.verify_audit().ok
    log.memory.reject(oslo.id)
    assert log.get(rome).valid_until is None


def test_an_edit_of_a_beginning_leaves_the_ends_that_were_given(log: MemoryLog) -> None:
    rome = log.memory.remember("Ana lives in Rome", valid_from=log.days(-90), valid_until=log.days(-60))
    gori = log.memory.remember("Ana lives in Gori", valid_from=log.days(-40), valid_until=log.days(-20))
    oslo = log.memory.remember("Ana lives in Oslo", valid_from=log.days(-30))
    for begins, ends in ((-10, -20), (-35, -35), (-5, -20)):
        log.memory.update(oslo.id, valid_from=log.days(begins))
        assert (log.get(rome).valid_until, log.get(gori).valid_until) == (log.days(-60), log.days(ends))


def test_what_an_edited_successor_overtakes_is_never_in_force(log: MemoryLog) -> None:
    for place, since in (("Rome", -90), ("Gori", -60)):
        log.memory.remember(f"Ana lives in {place}", valid_from=log.days(since))
    oslo = log.memory.remember("Ana lives in Oslo", valid_from=log.days(-30))
    log.memory.update(oslo.id, valid_from=log.days(-70))
    for day, place in ((-80, "Rome"), (-65, "Oslo"), (-50, "Oslo")):
        assert texts(log.memory.recall("where does Ana live?", as_of=log.days(day))) == {f"Ana lives in {place}"}
    log.memory.update(oslo.id, valid_from=log.days(-30))
    for day, place in ((-65, "Rome"), (-50, "Gori"), (-20, "Oslo")):
        assert texts(log.memory.recall("where does Ana live?", as_of=log.days(day))) == {f"Ana lives in {place}"}


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("text", ["Ana moves to Oslo", "Ana moves to Oslo on 31 March 2026"])
def test_a_planned_change_that_is_forgotten_ends_nothing(log: MemoryLog, text: str, *, hard: bool) -> None:
    rome = log.memory.remember("Ana lives in Rome", valid_from=log.days(-90))
    plan = log.memory.remember(text, **({} if "31" in text else {"valid_from": log.days(30)}))
    ends = log.get(rome).valid_until
    assert ends is not None
    log.memory.forget(plan.id, hard=hard)
    assert (log.get(rome).superseded_by, log.get(rome).valid_until) == (None, None)
    assert texts(log.memory.recall("where does Ana live?", as_of=log.days(60))) == {"Ana lives in Rome"}
    if not hard:
        log.memory.reinstate(plan.id)
        assert (log.get(rome).superseded_by, log.get(rome).valid_until) == (plan.id, ends)
    assert log.memory.verify_audit().ok


@pytest.mark.parametrize("hard", [False, True])
def test_a_forgotten_plan_leaves_its_place_to_the_next(log: MemoryLog, *, hard: bool) -> None:
    rome, oslo, gori = (
        log.memory.remember(f"Ana moves to {place}", valid_from=log.days(since))
        for place, since in (("Rome", -90), ("Oslo", 30), ("Gori", 60))
    )
    log.memory.forget(oslo.id, hard=hard)
    assert (log.get(rome).superseded_by, log.get(rome).valid_until) == (gori.id, log.days(60))


def test_a_plan_that_expires_before_it_begins_ends_nothing(log: MemoryLog) -> None:
    rome = log.memory.remember("Ana lives in Rome", valid_from=log.days(-90))
    log.memory.remember("Ana moves to Oslo", valid_from=log.days(30), ttl=10 * DAY)
    log.clock.advance(50 * DAY)
    log.memory.sweep()
    assert log.get(rome).valid_until is None
    assert log.live() == {"Ana lives in Rome"}


def test_a_change_that_has_begun_is_forgotten_alone(log: MemoryLog) -> None:
    rome, oslo = log.add("Ana lives in Rome"), log.add("Ana lives in Oslo")
    log.memory.forget(oslo.id)
    assert log.get(rome).superseded_by == oslo.id
    assert log.live() == set()
