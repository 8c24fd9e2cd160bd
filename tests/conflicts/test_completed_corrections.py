"""Corrections that are written whole, where what they state may be known already."""

from __future__ import annotations

from engrain import MemoryManager


def test_a_thing_whose_day_is_moved_is_written_once() -> None:
    for thing in ("fitting", "appointment", "lesson"):
        with MemoryManager(":memory:", user="ana", llm="none") as memory:
            memory.remember(f"My {thing} is on Friday.")
            moved = memory.remember(f"My {thing} on Friday was moved to Sunday.")
            assert moved.memory is not None
            assert len([*memory.iter_memories(status=["active", "superseded"])]) == 2


def test_what_a_correction_states_whole_may_be_known_already() -> None:
    with MemoryManager(":memory:", user="ana", llm="none") as memory:
        memory.remember("The harbour tour is at 16:30.")
        memory.remember("The harbour tour is at 15:00.")
        memory.remember("No wait, 16:30.")
        contents = [each.content for each in memory.iter_memories(status="active")]
        assert "The harbour tour is at 16:30." in contents
