"""A session that fell silent: its working memories are out of sight at once, and archived by the next sweep."""

from __future__ import annotations

from datetime import timedelta

from engrain import MemoryManager, Settings, WorkingSettings
from engrain.testing import FrozenClock
from tests.lifecycle.living import audited, opened, statuses

MINUTE = timedelta(minutes=1)


def test_notes_without_messages_leave_too(clock: FrozenClock) -> None:
    with opened(clock, retention="keep") as memory:
        here = memory.scoped(session="monday")
        ids = [here.remember(f"note {n}", kind="working").id for n in range(3)]
        clock.advance(29 * MINUTE)
        assert here.recall("note", kinds=["working"], touch=False).texts != ()
        assert memory.sweep().sessions_ended == 0
        clock.advance(MINUTE)
        assert here.recall("note", kinds=["working"]).texts == ()
        assert here.count(kinds=["working"]) == 0
        assert statuses(here, *ids) == ["archived"] * 3, "before any sweep"
        assert [op for op, _ in audited(memory, ids[0])] == ["create"]
        assert memory.sweep(dry_run=True).sessions_ended == 1
        assert memory.sweep().sessions_ended == 1
        assert statuses(here, *ids) == ["archived"] * 3
        assert audited(memory, ids[0])[-1] == ("archive", "its session ended")
        (stored,) = memory.list_memories(kinds=["episodic"])
        assert {link.memory_id for link in stored.links} == set(ids)
        assert memory.sweep().sessions_ended == 0


def test_what_is_said_or_noted_keeps_it_open(clock: FrozenClock) -> None:
    with opened(clock, retention="keep") as memory:
        here = memory.scoped(session="monday")
        note = here.remember("a note", kind="working")
        for n in range(4):
            clock.advance(20 * MINUTE)
            here.add_message("user", f"message {n}") if n % 2 else here.remember(f"note {n}", kind="working")
            assert memory.sweep().sessions_ended == 0
        assert statuses(here, note.id) == ["active"]
        assert len(here.get_messages()) == 2


def test_a_silent_conversation_ends_with_its_notes(clock: FrozenClock) -> None:
    with opened(clock, retention="keep") as memory:
        here = memory.scoped(session="monday")
        here.add_message("user", "Ana drinks tea")
        note = here.remember("she likes it green", kind="working")
        clock.advance(40 * MINUTE)
        swept = memory.sweep()
        assert swept.sessions_ended == 1
        assert here.get_messages() == []
        assert statuses(here, note.id) == ["archived"]


def test_where_no_session_ever_ends_nothing_is_hidden(clock: FrozenClock) -> None:
    endless = Settings(worker="none", working=WorkingSettings(idle_minutes=None))
    with opened(clock, retention="keep", working=endless.working) as memory:
        here = memory.scoped(session="monday")
        here.remember("a note", kind="working")
        clock.advance(9_000 * MINUTE)
        assert memory.sweep().sessions_ended == 0
        assert here.count(kinds=["working"]) == 1


def test_a_thread_that_has_just_begun_leaves_them_to_the_sweep(clock: FrozenClock) -> None:
    """What it had ended already, the sweep could not say that it did."""
    ended = []
    for number in range(20):
        with MemoryManager(":memory:", user="ana", session=f"s{number}", clock=clock) as memory:
            memory.add_message("user", "I like figs")
            clock.advance(31 * MINUTE)
            ended.append(memory.sweep().sessions_ended)
    assert ended == [1] * 20
