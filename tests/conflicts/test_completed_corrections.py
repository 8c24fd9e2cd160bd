"""Corrections that are written whole, where what they state may be known already."""

from __future__ import annotations

from engrain import MemoryManager


def test_a_rescheduled_thing_is_stored_once() -> None:
    for thing in ("fitting", "appointment", "lesson"):
        with MemoryManager(":memory:", user="ana", llm="none") as memory:
            memory.remember(f"My {thing} is on Friday.")
            moved = memory.remember(f"My {thing} on Friday was moved to Sunday.")
            assert moved.memory is not None
            assert len([*memory.iter_memories(status=["active", "superseded"])]) == 2


def test_the_whole_statement_of_a_correction_may_be_known() -> None:
    with MemoryManager(":memory:", user="ana", llm="none") as memory:
        memory.remember("The harbour tour is at 16:30.")
        memory.remember("The harbour tour is at 15:00.")
        memory.remember("No wait, 16:30.")
        contents = [each.content for each in memory.iter_memories(status="active")]
        assert "The harbour tour is at 16:30." in contents
