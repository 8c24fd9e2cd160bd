"""Those who watch are notified of what happened, once, after it has committed, and can break nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engrain import MemoryEntry, MemoryManager, Turn
from engrain.conversation import (
    ConversationManager,
    ProgressiveSummarizationMemory,
    SlidingWindowMemory,
    SummaryBufferMemory,
)
from engrain.testing import FrozenClock


class Watcher:
    """Notes what it hears, and what the store holds by then."""

    def __init__(self) -> None:
        self.heard: list[tuple[str | None, ...]] = []
        self.extracted: list[tuple[list[str], list[str]]] = []
        self.memory: MemoryManager | None = None

    def on_consolidation(self, action: str, new: MemoryEntry | None, existing: MemoryEntry | None) -> None:
        said = [None if entry is None else entry.content for entry in (new, existing)]
        self.heard.append((action, *said))
        assert self.memory is not None
        if action == "add" and new is not None:
            assert self.memory.get(new.id) is not None

    def on_extraction(self, turns: list[Turn], entries: list[MemoryEntry]) -> None:
        self.extracted.append(([turn.content for turn in turns], [entry.content for entry in entries]))


class Fails:
    """Fails at whatever it hears."""

    def on_consolidation(self, *_: Any) -> None:
        raise RuntimeError("told to fail")


@pytest.fixture
def watcher() -> Watcher:
    """Somebody who watches."""
    return Watcher()


@pytest.fixture
def watched(clock: FrozenClock, watcher: Watcher) -> Iterator[MemoryManager]:
    """A memory that is watched."""
    with MemoryManager(":memory:", clock=clock, embedder=None, callbacks=[Fails(), watcher]) as memory:
        watcher.memory = memory
        yield memory


def test_callbacks_receive_every_write_with_its_outcome(watched: MemoryManager, watcher: Watcher) -> None:
    watched.remember("Ana lives in Boston")
    watched.remember("ana lives in boston")
    moved = watched.remember("Ana moved to Tbilisi")
    watched.update(moved.id, content="Ana moved to Tbilisi in May")
    watched.supersede(moved.id, "Ana moved to Batumi")
    watched.remember_many([{"content": "Bo keeps goats"}, {"content": "bo keeps goats"}])
    watched.forget(watched.recall("goats")[0].id)
    assert watcher.heard == [
        ("add", "Ana lives in Boston", None),
        ("none", None, "Ana lives in Boston"),
        ("update", "Ana moved to Tbilisi", "Ana lives in Boston"),
        ("update", "Ana moved to Tbilisi in May", "Ana moved to Tbilisi"),
        ("update", "Ana moved to Batumi", "Ana moved to Tbilisi in May"),
        ("add", "Bo keeps goats", None),
        ("none", None, "Bo keeps goats"),
        ("delete", None, "Bo keeps goats"),
    ]


def test_facts_found_in_texts_are_reported_with_the_texts(watched: MemoryManager, watcher: Watcher) -> None:
    watched.remember_with_extraction("Ana lives in Boston. Bo keeps forty goats in Kutaisi.")
    watched.remember_messages([{"role": "user", "content": "I sold the boat for 900 euros."}], extract="facts")
    (texts, facts), (said, found) = watcher.extracted
    assert texts == ["Ana lives in Boston. Bo keeps forty goats in Kutaisi."]
    assert facts == ["Ana lives in Boston.", "Bo keeps forty goats in Kutaisi."]
    assert (said, found) == (["I sold the boat for 900 euros."], ["I sold the boat for 900 euros."])


def test_messages_that_can_be_gone_through_once_are_kept_and_reported(watched: MemoryManager, watcher: Watcher) -> None:
    watched.remember_messages(iter([{"role": "user", "content": "I sold the boat for 900 euros."}]), extract="facts")
    assert watcher.extracted == [(["I sold the boat for 900 euros."], ["I sold the boat for 900 euros."])]


def test_a_refused_write_is_not_reported(watched: MemoryManager, watcher: Watcher) -> None:
    with pytest.raises(ValueError, match="blank"):
        watched.remember(" ")
    assert not watched.forget("mem_unknown").count
    assert watcher.heard == []


@pytest.mark.parametrize("callbacks", ["words", 3, [object()]])
def test_a_callback_without_events_is_refused(callbacks: Any) -> None:
    with pytest.raises(TypeError, match="callback"):
        MemoryManager(":memory:", callbacks=callbacks)


def test_a_model_that_cannot_be_asked_is_refused() -> None:
    with pytest.raises((TypeError, ValueError), match="complete"):
        MemoryManager(":memory:", llm=object())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "kind", [SlidingWindowMemory, SummaryBufferMemory, ProgressiveSummarizationMemory, ConversationManager]
)
def test_none_is_no_callback(kind: Callable[..., Any]) -> None:
    MemoryManager(":memory:", embedder=None, callbacks=None).close()
    given = {"compact_fn": lambda turns: "a summary"} if kind is SummaryBufferMemory else {}
    assert kind(100, callbacks=None, **given) is not None
