"""The façade: a conversation and facts in one object, with any window and any store."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engrain.conversation import (
    ConversationManager,
    InMemoryEntryStore,
    ProgressiveSummarizationMemory,
    SlidingWindowMemory,
    SummaryBufferMemory,
)
from engrain.errors import StoreError
from engrain.model.memory import ContextItem, MemoryEntry, MemoryType, Turn
from engrain.policies import GarbageCollectableStore
from tests.conversation.test_threads_and_callbacks import together
from tests.conversation.windows import Letters


def with_facts(*contents: str) -> ConversationManager:
    manager = ConversationManager(persistent_store=InMemoryEntryStore())
    for content in contents:
        manager.add_fact(content)
    return manager


def contents(entries: list[MemoryEntry]) -> list[str]:
    return [entry.content for entry in entries]


# ------------------------------------------------------------------------------------------------------- conversation


def test_messages_have_their_roles():
    manager = ConversationManager()
    assert manager.add_user_message("u") is None  # type: ignore[func-returns-value]
    manager.add_assistant_message("a")
    manager.add_system_message("s")
    manager.add_tool_message("t")
    roles = [(turn.role, turn.content) for turn in manager.conversation.turns]
    assert roles == [("user", "u"), ("assistant", "a"), ("system", "s"), ("tool", "t")]


def test_the_default_is_a_sliding_window_that_shows_who_leaves():
    stored: list[list[Turn]] = []
    manager = ConversationManager(2, Letters(), stored.append)
    for content in "abc":
        manager.add_user_message(content)
    assert [[turn.content for turn in turns] for turns in stored] == [["a"]]
    assert manager.conversation_type == "sliding_window"


class Own:
    """A conversation memory of another library, fed by Turn or by role and content."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    turns: tuple[Turn, ...] = ()
    total_tokens = 0

    def add_message(self, role: str, content: str) -> None:
        self.said.append((role, content))

    def add_turn(self, turn: Turn) -> None:
        raise AssertionError("it was asked to take a Turn")

    def to_context_items(self, priority: int = 7) -> list[ContextItem]:
        return [ContextItem(content=content, priority=priority) for _, content in self.said]

    def clear(self) -> None:
        self.said.clear()


@pytest.mark.parametrize(
    ("memory", "name"),
    [
        (SlidingWindowMemory(), "sliding_window"),
        (SummaryBufferMemory(10, lambda turns: ""), "summary_buffer"),
        (ProgressiveSummarizationMemory(), "progressive_summarization"),
        (Own(), "Own"),
    ],
)
def test_any_conversation_memory_will_do(memory: Any, name: str):
    manager = ConversationManager(conversation_tokens=-1, conversation_memory=memory)
    manager.add_user_message("hello")
    assert (manager.conversation, manager.conversation_type) == (memory, name)
    assert [(item.content, item.priority) for item in manager.get_context_items(5)] == [("hello", 5)]
    manager.clear()
    assert manager.get_context_items() == []


def test_a_conversation_memory_that_cannot_be_fed_is_shown_and_refuses_messages():
    class Mute:
        turns: tuple[Turn, ...] = ()
        total_tokens = 0

        def to_context_items(self, priority: int = 7) -> list[ContextItem]:
            return []

        def clear(self) -> None: ...

    manager = ConversationManager(conversation_memory=Mute())
    assert manager.conversation_type == "Mute"
    assert manager.get_context_items() == []
    for add in (manager.add_user_message, manager.add_assistant_message, manager.add_system_message):
        with pytest.raises(TypeError, match="a Mute cannot be added to"):
            add("hello")
    with pytest.raises(TypeError, match="a Mute cannot be added to"):
        manager.add_tool_message("hello")
    manager.clear()


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"conversation_tokens": 0}, ValueError),
        ({"conversation_memory": object()}, TypeError),
        ({"persistent_store": {}}, TypeError),
        ({"tokenizer": 7}, TypeError),
        ({"extractor": 7}, TypeError),
        ({"consolidator": 7}, TypeError),
        ({"extract_window": 0}, ValueError),
        ({"remember_every": 0}, ValueError),
        ({"callbacks": 7}, TypeError),
    ],
)
def test_what_it_is_made_of_is_checked(wrong: dict[str, Any], error: type[Exception]):
    with pytest.raises(error):
        ConversationManager(**wrong)


# -------------------------------------------------------------------------------------------------------------- facts


def test_a_fact_that_is_known_keeps_its_id_and_gains_tags_and_metadata():
    manager = with_facts()
    first = manager.add_fact("User likes dark mode", ["ui"], "episodic", {"a": 1, "b": 1})
    again = manager.add_fact("User likes dark mode", ["ui", "theme"], metadata={"b": 2})
    assert again.id == first.id
    assert (again.tags, again.metadata) == (("ui", "theme"), {"a": 1, "b": 2})
    assert again.memory_type is MemoryType.EPISODIC
    assert manager.get_all_facts() == [again]
    assert manager.add_fact("User likes dark mode") is again


def test_another_spelling_is_another_fact():
    manager = with_facts("User likes tea", "user likes tea", "User likes tea ")
    assert len(manager.get_all_facts()) == 3


def test_without_a_store_there_are_no_facts():
    manager = ConversationManager()
    with pytest.raises(StoreError, match="persistent_store"):
        manager.add_fact("x")
    assert manager.persistent_store is None
    assert manager.get_all_facts() == manager.get_relevant_facts("x") == []
    assert manager.delete_fact("x") is False
    assert manager.update_fact("x", "y") is None
    manager.clear()


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"content": " "}, ValueError),
        ({"content": 7}, TypeError),
        ({"content": "x", "tags": "ui"}, TypeError),
        ({"content": "x", "memory_type": "dream"}, ValueError),
    ],
)
def test_a_fact_is_checked(wrong: dict[str, Any], error: type[Exception]):
    manager = with_facts()
    with pytest.raises(error):
        manager.add_fact(**wrong)
    assert manager.get_all_facts() == []


def test_a_question_finds_the_fact_that_answers_it():
    manager = with_facts("User likes dark mode", "The office is in Oslo", "User likes tea")
    assert contents(manager.get_relevant_facts("what mode does the user like?"))[0] == "User likes dark mode"
    assert contents(manager.get_relevant_facts("what mode does the user like?", top_k=1)) == ["User likes dark mode"]
    assert contents(manager.get_relevant_facts("offices")) == ["The office is in Oslo"]
    assert manager.get_relevant_facts("penguins") == []


def test_tags_answer_too():
    manager = with_facts()
    manager.add_fact("She is allergic to peanuts", tags=["health"])
    assert contents(manager.get_relevant_facts("health")) == ["She is allergic to peanuts"]


def test_where_no_word_is_shared_the_store_searches():
    manager = with_facts("The passphrase is swordfish")
    assert contents(manager.get_relevant_facts("sword")) == ["The passphrase is swordfish"]


def test_a_question_asks_for_at_least_one_fact():
    with pytest.raises(ValueError, match="top_k"):
        with_facts("x").get_relevant_facts("x", top_k=0)


def test_a_fact_can_be_changed_and_deleted_by_the_id_that_is_shown():
    manager = with_facts("User likes tea")
    [item] = manager.get_context_items()
    shown = item.metadata["memory_entry_id"]
    before = manager.get_all_facts()[0]
    changed = manager.update_fact(shown, "User likes coffee")
    assert changed is not None
    assert (changed.id, changed.content, changed.content_hash != before.content_hash) == (
        shown,
        "User likes coffee",
        True,
    )
    assert changed.updated_at >= before.updated_at
    assert contents(manager.get_all_facts()) == ["User likes coffee"]
    assert manager.update_fact("unknown", "x") is None
    assert manager.delete_fact(shown) is True
    assert manager.delete_fact(shown) is False


def test_expired_facts_are_never_shown():
    store = InMemoryEntryStore()
    gone = MemoryEntry(content="User likes tea", expires_at=datetime.now(UTC) - timedelta(days=1))
    store.add(gone)
    manager = ConversationManager(persistent_store=store)
    assert manager.get_all_facts() == manager.get_relevant_facts("tea") == []
    assert manager.get_context_items() == []
    assert manager.add_fact("User likes tea").id != gone.id


def test_facts_come_before_the_conversation():
    manager = with_facts()
    fact = manager.add_fact("User likes tea", ["taste"])
    manager.add_user_message("hello")
    items = manager.get_context_items()
    assert [(item.content, item.priority, item.source) for item in items] == [
        ("User likes tea", 8, "memory"),
        ("hello", 7, "conversation"),
    ]
    assert items[0].metadata == {"memory_entry_id": fact.id, "memory_type": "semantic", "tags": ["taste"]}
    assert (items[0].score, items[0].token_count) == (0.5, 3)


def test_with_a_question_only_the_facts_that_bear_on_it_come():
    manager = with_facts("User likes tea", "The office is in Oslo")
    assert [item.content for item in manager.get_context_items(query="where is the office?")] == [
        "The office is in Oslo"
    ]


def test_clear_empties_both():
    manager = with_facts("User likes tea")
    manager.add_user_message("hello")
    manager.clear()
    assert manager.get_context_items() == []
    assert manager.get_all_facts() == []


def test_two_threads_that_say_the_same_make_one_fact():
    manager = with_facts()
    together(*(lambda: [manager.add_fact(f"fact {number}", [f"t{number}"]) for number in range(50)] for _ in range(5)))
    assert len(manager.get_all_facts()) == 50


# ------------------------------------------------------------------------------------------------------ their own store


def test_the_store_in_memory_has_the_shape_of_one():
    store = InMemoryEntryStore()
    assert isinstance(store, GarbageCollectableStore)
    entry = store.add(MemoryEntry(content="one"))
    store.add(replace(entry, content="two"))
    assert contents(store.list_all()) == ["two"]
    expired = store.add(MemoryEntry(content="gone", expires_at=datetime.now(UTC)))
    assert (contents(store.list_all()), contents(store.list_all_unfiltered())) == (["two"], ["two", "gone"])
    assert (store.delete(expired.id), store.delete(expired.id)) == (True, False)
    with pytest.raises(TypeError, match="keeps MemoryEntry"):
        store.add("two")  # type: ignore[arg-type]
    store.clear()
    assert store.list_all_unfiltered() == []


def test_the_store_in_memory_searches_by_words_and_by_parts():
    store = InMemoryEntryStore()
    for content, score in (("User likes dark mode", 0.2), ("darkness", 0.1), ("a darkroom", 0.9)):
        store.add(MemoryEntry(content=content, relevance_score=score))
    assert contents(store.search("dark")) == ["User likes dark mode", "darkness", "a darkroom"]
    assert contents(store.search("DARK", top_k=1)) == ["User likes dark mode"]
    assert store.search("") == store.search("dark", top_k=0) == []
