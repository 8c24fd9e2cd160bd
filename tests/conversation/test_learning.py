"""Facts are taken out of a conversation as it goes on, and none is lost where that fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from engrain.conversation import CallbackExtractor, ConversationManager, InMemoryEntryStore
from engrain.errors import StoreError
from engrain.model.memory import MemoryEntry, Turn
from engrain.policies import MemoryOperation, SimilarityConsolidator
from engrain.protocols import Candidate
from tests.conversation.windows import Letters, failing


class Extracts:
    """Finds each turn of a user, and notes what it was shown; fails while it is asked to."""

    def __init__(self) -> None:
        self.shown: list[list[str]] = []
        self.fails = False

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[Any]:
        self.shown.append([turn.content for turn in turns])
        if self.fails:
            raise RuntimeError("no model")
        return [MemoryEntry(content=turn.content) for turn in turns if turn.role == "user"]


class Says:
    """A consolidator that answers with what it was made of."""

    def __init__(self, decide: Any) -> None:
        self.decide = decide

    def consolidate(self, new_entries: Any, existing: Any) -> Any:
        return self.decide(list(new_entries), list(existing))


class Watcher:
    def __init__(self) -> None:
        self.extracted: list[tuple[list[str], list[str]]] = []
        self.consolidated: list[tuple[str, str | None, str | None]] = []

    def on_extraction(self, turns: list[Turn], entries: list[MemoryEntry]) -> None:
        self.extracted.append(([turn.content for turn in turns], [entry.content for entry in entries]))

    def on_consolidation(self, action: str, new_entry: MemoryEntry | None, existing_entry: MemoryEntry | None) -> None:
        new, existing = (None if entry is None else entry.content for entry in (new_entry, existing_entry))
        self.consolidated.append((action, new, existing))


def learning(extractor: Any = None, **more: Any) -> ConversationManager:
    given: dict[str, Any] = {"persistent_store": InMemoryEntryStore(), "extractor": extractor or Extracts()}
    return ConversationManager(**given | more)


def exchange(manager: ConversationManager, said: str) -> None:
    manager.add_user_message(said)
    manager.add_assistant_message(f"re {said}")


def facts(manager: ConversationManager) -> list[str]:
    return [entry.content for entry in manager.get_all_facts()]


def test_after_each_exchange_the_last_turns_are_looked_at():
    extractor = Extracts()
    manager = learning(extractor, extract_window=3)
    exchange(manager, "one")
    manager.add_tool_message("tool")
    manager.add_assistant_message("more")
    exchange(manager, "two")
    assert extractor.shown == [["one", "re one"], ["more", "two", "re two"]]
    assert facts(manager) == ["one", "two"]


def test_after_every_so_many_exchanges():
    extractor = Extracts()
    manager = learning(extractor, remember_every=2)
    for said in ("one", "two", "three"):
        exchange(manager, said)
    assert extractor.shown == [["one", "re one", "two", "re two"]]
    assert [entry.content for entry in manager.remember()] == ["three"]
    assert manager.remember() == []
    assert extractor.shown[1:] == [["three", "re three"]]


def test_a_turn_that_the_window_cut_is_looked_at_in_full():
    extractor = Extracts()
    exchange(learning(extractor, conversation_tokens=3, tokenizer=Letters()), "abcdef")
    assert extractor.shown == [["abcdef", "re abcdef"]]


def test_a_failing_extractor_loses_no_message_and_no_turn():
    extractor = Extracts()
    manager = learning(extractor)
    extractor.fails = True
    exchange(manager, "one")
    assert len(manager.conversation.turns) == 2
    with pytest.raises(RuntimeError, match="no model"):
        manager.remember()
    extractor.fails = False
    assert [entry.content for entry in manager.remember()] == ["one"]


def test_turns_before_the_window_wait_for_remember():
    extractor = Extracts()
    manager = learning(extractor, extract_window=2, remember_every=2)
    exchange(manager, "one")
    exchange(manager, "two")
    assert facts(manager) == ["two"]
    manager.remember()
    assert facts(manager) == ["two", "one"]
    assert extractor.shown[-1] == ["one", "re one"]


def test_a_known_memory_is_not_added_twice():
    watcher = Watcher()
    consolidator = SimilarityConsolidator(lambda text: [1.0, float("really" in text)])
    manager = learning(consolidator=consolidator, callbacks=[watcher], extract_window=2)
    for said in ("I like tea", "I like tea", "Ana owns a boat"):
        exchange(manager, said)
    assert facts(manager) == ["I like tea", "Ana owns a boat"]
    assert watcher.consolidated == [
        ("add", "I like tea", None),
        ("none", "I like tea", "I like tea"),
        ("add", "Ana owns a boat", None),
    ]
    assert watcher.extracted[0] == (["I like tea", "re I like tea"], ["I like tea"])


def test_a_consolidator_is_followed():
    watcher = Watcher()

    def decide(new: list[MemoryEntry], existing: list[MemoryEntry]) -> list[tuple[Any, MemoryEntry | None]]:
        if not existing:
            return [("ADD", new[0])]
        if new[0].content == "correct":
            return [(MemoryOperation.UPDATE, MemoryEntry(content="corrected", id=existing[0].id))]
        return [("delete", existing[0])]

    manager = learning(consolidator=Says(decide), callbacks=[watcher], extract_window=2)
    exchange(manager, "one")
    exchange(manager, "correct")
    assert facts(manager) == ["corrected"]
    exchange(manager, "drop it")
    assert facts(manager) == []
    assert watcher.consolidated == [
        ("add", "one", None),
        ("update", "correct", "one"),
        ("delete", "drop it", "corrected"),
    ]


@pytest.mark.parametrize(
    "decide", [failing, lambda new, old: 7, lambda new, old: [("merge", new[0])], lambda *_: [("add", None)]]
)
def test_where_a_consolidator_fails_facts_are_added(decide: Any):
    manager = learning(consolidator=Says(decide), extract_window=2)
    exchange(manager, "one")
    exchange(manager, "one")
    assert facts(manager) == ["one"]


def test_a_failing_store_loses_no_message():
    class Full(InMemoryEntryStore):
        def add(self, entry: MemoryEntry) -> MemoryEntry:
            raise OSError("disk full")

    manager = learning(persistent_store=Full())
    exchange(manager, "one")
    assert len(manager.conversation.turns) == 2
    with pytest.raises(OSError, match="disk full"):
        manager.remember()


def test_any_extractor_will_do():
    class Finds:
        def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[Any]:
            return [Candidate(content="a", rating=9, tags=("t",)), "b", MemoryEntry(content="c")]

    manager = learning(Finds())
    exchange(manager, "x")
    assert facts(manager) == ["a", "b", "c"]
    assert (manager.get_all_facts()[0].relevance_score, manager.get_all_facts()[0].tags) == (0.9, ("t",))
    manager = learning(CallbackExtractor(lambda turns: [{"content": "found", "tags": ["x"]}]))
    exchange(manager, "x")
    assert facts(manager) == ["found"]


def test_without_a_consolidator_only_the_same_text_is_known():
    watcher = Watcher()
    manager = learning(callbacks=[watcher], extract_window=2)
    for said in ("I like tea", "I like tea", "I like tea!"):
        exchange(manager, said)
    assert facts(manager) == ["I like tea", "I like tea!"]
    assert [action for action, _, _ in watcher.consolidated] == ["add", "none", "add"]


def test_clear_forgets_what_was_not_looked_at():
    extractor = Extracts()
    manager = learning(extractor)
    manager.add_user_message("one")
    manager.clear()
    assert manager.remember() == []
    assert extractor.shown == []


def test_an_extractor_needs_a_store_and_a_consolidator_an_extractor():
    with pytest.raises(StoreError, match="persistent_store"):
        ConversationManager(extractor=Extracts())
    with pytest.raises(ValueError, match="extractor"):
        ConversationManager(consolidator=Says(failing))
    assert ConversationManager().remember() == []
