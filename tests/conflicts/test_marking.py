"""One known memory in the place of another, by the caller's verdict."""

from __future__ import annotations

import pytest

from tests.conflicts.memory_log import INJECTED, MemoryLog


def test_one_takes_the_place_of_the_other(log: MemoryLog) -> None:
    red, green = log.add("The door is red"), log.add("The gate is green")
    assert log.memory.mark_superseded(red.id, green.id) is True
    assert log.live() == {"The gate is green"}
    assert log.get(red).superseded_by == green.id
    assert log.get(green).supersedes == (red.id,)
    assert log.get(green).evolution_count == 1
    assert log.past(green) == ["The door is red", "The gate is green"]
    assert [entry.operation for entry in log.audit(red)] == ["create", "supersede"]


def test_the_old_name_is_the_same_call(log: MemoryLog) -> None:
    red, green = log.add("The door is red"), log.add("The gate is green")
    assert log.memory.mark_note_superseded(red.id, green.id)


def test_unknown_foreign_and_forgotten_ids_give_false(log: MemoryLog) -> None:
    mine = log.memory.scoped(user="ana").remember("The door is red")
    foreign = log.memory.scoped(user="bo").remember("The door is red")
    gone = log.memory.scoped(user="ana").remember("The gate is red")
    log.memory.forget(gone.id)
    view = log.memory.scoped(user="ana")
    for other in ("mem_unknown", foreign.id, gone.id):
        assert view.mark_superseded(mine.id, other) is False
        assert view.mark_superseded(other, mine.id) is False
    assert log.memory.count() == 2


def test_two_users_memories_never_replace_one_another(log: MemoryLog) -> None:
    one = log.memory.scoped(user="ana").remember("The door is red")
    other = log.memory.scoped(user="bo").remember("The door is green")
    with pytest.raises(ValueError, match="different users"):
        log.memory.mark_superseded(one.id, other.id)


def test_a_superseded_memory_names_its_head(log: MemoryLog) -> None:
    red, green, blue = (log.add(f"The door is {colour}") for colour in ("red", "green", "blue"))
    log.memory.mark_superseded(red.id, green.id)
    with pytest.raises(ValueError, match=green.id):
        log.memory.mark_superseded(red.id, blue.id)
    with pytest.raises(ValueError, match=green.id):
        log.memory.mark_superseded(blue.id, red.id)


def test_there_is_no_circle(log: MemoryLog) -> None:
    red, green, blue = (log.add(f"The door is {colour}") for colour in ("red", "green", "blue"))
    with pytest.raises(ValueError, match="itself"):
        log.memory.mark_superseded(red.id, red.id)
    log.memory.mark_superseded(red.id, green.id)
    log.memory.mark_superseded(green.id, blue.id)
    for one, other in ((green, red), (blue, red), (blue, green)):
        with pytest.raises(ValueError, match="circle"):
            log.memory.mark_superseded(one.id, other.id)
    assert log.live() == {"The door is blue"}


def test_only_an_active_memory_takes_a_place(log: MemoryLog) -> None:
    red = log.add("The door is red")
    hidden = log.add(INJECTED)
    expired = log.add("The door is blue", ttl=60)
    log.add("Ana lives in Rome")
    rejected = log.add("Ana lives in Oslo")
    log.memory.reject(rejected.id)
    for other in (hidden, expired, rejected):
        with pytest.raises(ValueError, match="only an active memory"):
            log.memory.mark_superseded(red.id, other.id)
    assert log.get(red).superseded_by is None


def test_a_contested_memory_that_takes_the_place_waits_no_more(log: MemoryLog) -> None:
    rome = log.add("Ana lives in Rome", source_type="user_input")
    oslo = log.add("Ana lives in Oslo", source_type="tool_result")
    log.memory.mark_superseded(rome.id, oslo.id)
    assert log.live() == {"Ana lives in Oslo"}
    assert not log.get(oslo).is_contested
    assert [hit.contested for hit in log.memory.recall("where does Ana live?")] == [()]
