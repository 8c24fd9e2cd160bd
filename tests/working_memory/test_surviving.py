"""What was said outlives whatever is done to the whole store: vectors made anew, copies, the way back from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import MemoryManager, Turn
from engrain.testing import FakeEmbedder, FrozenClock


@pytest.fixture
def talked(memory: MemoryManager) -> MemoryManager:
    """A memory with an open conversation, an edited turn in it, and one that has ended."""
    memory.add_message("system", "Answer briefly.", session="s")
    edited = memory.add_message("user", "I keep bees in Kakheti", session="s")
    memory.add_message("assistant", "How many hives?", session="s", tool_calls=[{"name": "count", "args": {}}])
    memory.update(edited.id, content="I keep bees in Gori")
    memory.add_message("user", "The barn burned down", session="ended")
    memory.end_session("ended")
    return memory


def conversations(memory: MemoryManager) -> list[list[Turn]]:
    """Return all that is shown of both: histories and windows."""
    views = [memory.working(session) for session in ("s", "ended")]
    return [*(list(view.history()) for view in views), *(view.messages for view in views)]


def test_new_vectors(talked: MemoryManager) -> None:
    before, stats = conversations(talked), talked.stats()
    assert before[0][1].content == "I keep bees in Kakheti"
    talked.reindex(FakeEmbedder(32))
    assert conversations(talked) == before
    assert (talked.stats().conversations, talked.stats().turns) == (stats.conversations, stats.turns)
    assert talked.recall("Gori", touch=False).texts[0] == "I keep bees in Gori"


def test_a_snapshot_and_the_way_back(talked: MemoryManager, tmp_path: Path, clock: FrozenClock) -> None:
    before = conversations(talked)
    path = talked.snapshot(tmp_path / "copy.db")
    talked.add_message("user", "After the snapshot", session="s")
    for place in (path, MemoryManager.restore(path, tmp_path / "restored.db")):
        with MemoryManager(place, clock=clock) as copy:
            assert conversations(copy) == before
            assert copy.add_message("user", "We go on", session="s").position == 3
            assert [turn.content for turn in copy.get_messages(session="s")][-1] == "We go on"
            copy.working("s").clear()
            assert copy.get_messages(session="s") == []
    assert len(talked.working("s").history()) == 4
