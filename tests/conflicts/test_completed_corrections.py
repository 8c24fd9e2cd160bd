"""Corrections that are written whole, where what they state may be known already."""

from __future__ import annotations

from datetime import timedelta

from engrain import MemoryManager, Settings
from engrain.testing import FrozenClock


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


def test_a_correction_in_the_words_of_another_lives_no_longer_than_that(clock: FrozenClock) -> None:
    for session in (None, "s"):  # at once, and when the turns are learnt from
        settings = Settings(worker="none")
        with MemoryManager(":memory:", user="ana", clock=clock, settings=settings) as memory:
            for text, ttl in (("The Kappa7741 rehearsal is on Tuesday.", 3600), ("No wait, Thursday.", None)):
                memory.remember(text, ttl=ttl, session=session, source_type="user_input")
            memory.flush()
            assert "The Kappa7741 rehearsal is on Thursday." in [each.content for each in memory.iter_memories()]
            clock.advance(timedelta(hours=1))
            assert [each.content for each in memory.iter_memories()] == ["No wait, Thursday."]
