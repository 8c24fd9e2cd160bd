"""A writer who names what gives way: the world changed, and the application says so."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from engrain import NotFound
from engrain.errors import GovernanceViolation
from tests.conflicts.memory_log import INJECTED, MemoryLog, texts


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
