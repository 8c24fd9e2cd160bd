"""A conversation kept in an object of the caller's own: one for each session, fed from the log."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from engrain import ConfigError, MemoryManager, Settings
from engrain.conversation import SlidingWindowMemory, SummaryBufferMemory
from engrain.model.memory import ContextItem, Turn


class Latest:
    """A window of the three newest turns."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def add_turn(self, role: str, content: str, **metadata: Any) -> None:
        """Keep it."""
        self.turns = [*self.turns, Turn(role=role, content=content, token_count=1, metadata=metadata)][-3:]

    @property
    def total_tokens(self) -> int:
        """One for each turn."""
        return len(self.turns)

    def to_context_items(self, priority: int = 7) -> list[ContextItem]:
        """Return them."""
        return [ContextItem(content=turn.content, priority=priority) for turn in self.turns]

    def clear(self) -> None:
        """Forget them."""
        self.turns = []


def opened(path: Path | str, working: Any) -> MemoryManager:
    """Return a memory whose conversations are kept in objects like `working`."""
    return MemoryManager(path, embedder=None, settings=Settings(working=working, worker="none"))


def said(memory: MemoryManager, session: str = "s") -> list[str]:
    """Return what stands in a session's window."""
    return [turn.content for turn in memory.get_messages(session=session)]


def test_each_session_has_an_object_of_its_own(tmp_path: Path) -> None:
    chosen = Latest()
    with opened(tmp_path / "m.db", chosen) as memory:
        for number in range(5):
            memory.scoped(user="ana").add_message("user", f"hive {number}", session="s", tool=1)
        memory.scoped(user="bo").add_message("user", "barn", session="s")
        assert said(memory.scoped(user="ana")) == ["hive 2", "hive 3", "hive 4"]
        assert said(memory.scoped(user="bo")) == ["barn"]
        assert memory.scoped(user="ana").working("s").token_count == 3
        assert chosen.turns == []


def test_it_is_fed_again_after_a_reopening_and_by_other_managers(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db", Latest()) as memory, opened(tmp_path / "m.db", Latest()) as other:
        memory.add_message("user", "one", session="s")
        assert said(other) == ["one"]
        other.add_message("user", "two", session="s")
        assert said(memory) == ["one", "two"]
    with opened(tmp_path / "m.db", Latest()) as memory:
        assert said(memory) == ["one", "two"]
        memory.working("s").clear()
        assert said(memory) == []
        memory.add_message("user", "three", session="s")
        assert said(memory) == ["three"]
        assert len(memory.working("s").history()) == 3
        memory.end_session("s")
        assert said(memory) == []


def test_the_windows_that_come_along_may_be_chosen_too(tmp_path: Path) -> None:
    left: list[str] = []
    window = SlidingWindowMemory(max_tokens=8, on_evict=lambda turns: left.extend(turn.content for turn in turns))
    with opened(tmp_path / "m.db", window) as memory:
        for number in range(6):
            memory.add_message("user", f"hive {number}", session="s")
        assert memory.working("s").token_count <= 8
        assert left + said(memory) == [f"hive {number}" for number in range(6)]
    summary = SummaryBufferMemory(8, compact_fn=lambda turns: f"{len(turns)} before")
    with opened(tmp_path / "n.db", summary) as memory:
        for number in range(6):
            memory.add_message("user", f"hive {number}", session="s")
        assert memory.working("s").summary == "1 before"
        assert memory.get_messages(session="s")[0].metadata["is_summary"]


def test_an_eviction_callback_may_read_the_window(tmp_path: Path) -> None:
    seen: list[list[str]] = []
    window = SlidingWindowMemory(max_tokens=8, on_evict=lambda _: seen.append(said(memory)))
    with opened(tmp_path / "m.db", window) as memory:
        for number in range(6):
            memory.add_message("user", f"hive {number}", session="s")
        last = said(memory)
        assert seen
        assert last == [f"hive {number}" for number in range(6 - len(last), 6)]


def test_an_object_that_cannot_be_copied_is_refused(tmp_path: Path) -> None:
    class Held(Latest):
        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()

    with opened(tmp_path / "m.db", Held()) as memory:
        memory.add_message("user", "one", session="s")
        with pytest.raises(ConfigError, match="fresh"):
            memory.get_messages(session="s")


def test_an_object_that_is_no_conversation_memory_is_refused() -> None:
    with pytest.raises(ConfigError, match="ConversationMemory"):
        Settings(working=3)  # type: ignore[arg-type]


def test_a_forgotten_memory_leaves_the_object_too(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db", Latest()) as memory:
        turns = [memory.add_message("user", text, session="s") for text in ("one", "two", "three", "four")]
        assert said(memory) == ["two", "three", "four"]
        memory.forget(turns[2].id)
        assert said(memory) == ["one", "two", "four"]


def test_an_object_that_fails_at_a_turn_gets_the_others(tmp_path: Path) -> None:
    class Fails(Latest):
        """One that cannot take every turn."""

        def add_turn(self, role: str, content: str, **metadata: Any) -> None:
            """Keep it, or fail."""
            if content == "two":
                raise RuntimeError("no room for two")
            super().add_turn(role, content, **metadata)

    with opened(tmp_path / "m.db", Fails()) as memory:
        for text in ("one", "two", "three"):
            memory.add_message("user", text, session="s")
        assert said(memory) == ["one", "three"]
