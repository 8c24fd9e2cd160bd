"""One known memory in the place of another, by the caller's verdict."""

from __future__ import annotations

import pytest

from tests.conflicts.told import INJECTED, Told


def test_one_takes_the_place_of_the_other(told: Told) -> None:
    red, green = told.tell("The door is red"), told.tell("The gate is green")
    assert told.memory.mark_superseded(red.id, green.id) is True
    assert told.live() == {"The gate is green"}
    assert told.get(red).superseded_by == green.id
    assert told.get(green).supersedes == (red.id,)
    assert told.get(green).evolution_count == 1
    assert told.past(green) == ["The door is red", "The gate is green"]
    assert [entry.operation for entry in told.audit(red)] == ["create", "supersede"]


def test_the_old_name_is_the_same_call(told: Told) -> None:
    red, green = told.tell("The door is red"), told.tell("The gate is green")
    assert told.memory.mark_note_superseded(red.id, green.id)


def test_unknown_foreign_and_forgotten_ids_give_false(told: Told) -> None:
    mine = told.memory.scoped(user="ana").remember("The door is red")
    foreign = told.memory.scoped(user="bo").remember("The door is red")
    gone = told.memory.scoped(user="ana").remember("The gate is red")
    told.memory.forget(gone.id)
    view = told.memory.scoped(user="ana")
    for other in ("mem_unknown", foreign.id, gone.id):
        assert view.mark_superseded(mine.id, other) is False
        assert view.mark_superseded(other, mine.id) is False
    assert told.memory.count() == 2


def test_two_users_memories_never_replace_one_another(told: Told) -> None:
    one = told.memory.scoped(user="ana").remember("The door is red")
    other = told.memory.scoped(user="bo").remember("The door is green")
    with pytest.raises(ValueError, match="different users"):
        told.memory.mark_superseded(one.id, other.id)


def test_what_is_superseded_already_names_its_head(told: Told) -> None:
    red, green, blue = (told.tell(f"The door is {colour}") for colour in ("red", "green", "blue"))
    told.memory.mark_superseded(red.id, green.id)
    with pytest.raises(ValueError, match=green.id):
        told.memory.mark_superseded(red.id, blue.id)
    with pytest.raises(ValueError, match=green.id):
        told.memory.mark_superseded(blue.id, red.id)


def test_there_is_no_circle(told: Told) -> None:
    red, green, blue = (told.tell(f"The door is {colour}") for colour in ("red", "green", "blue"))
    with pytest.raises(ValueError, match="itself"):
        told.memory.mark_superseded(red.id, red.id)
    told.memory.mark_superseded(red.id, green.id)
    told.memory.mark_superseded(green.id, blue.id)
    for one, other in ((green, red), (blue, red), (blue, green)):
        with pytest.raises(ValueError, match="circle"):
            told.memory.mark_superseded(one.id, other.id)
    assert told.live() == {"The door is blue"}


def test_only_an_active_memory_takes_a_place(told: Told) -> None:
    red = told.tell("The door is red")
    hidden = told.tell(INJECTED)
    expired = told.tell("The door is blue", ttl=60)
    told.tell("Ana lives in Rome")
    rejected = told.tell("Ana lives in Oslo")
    told.memory.reject(rejected.id)
    for other in (hidden, expired, rejected):
        with pytest.raises(ValueError, match="only an active memory"):
            told.memory.mark_superseded(red.id, other.id)
    assert told.get(red).superseded_by is None


def test_a_contested_memory_that_takes_the_place_waits_no_more(told: Told) -> None:
    rome = told.tell("Ana lives in Rome", source_type="user_input")
    oslo = told.tell("Ana lives in Oslo", source_type="tool_result")
    told.memory.mark_superseded(rome.id, oslo.id)
    assert told.live() == {"Ana lives in Oslo"}
    assert not told.get(oslo).is_contested
    assert [hit.contested for hit in told.memory.recall("where does Ana live?")] == [()]
