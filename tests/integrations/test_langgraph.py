"""LangGraph's store and saver over a memory; run where LangGraph is installed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engrain import MemoryManager

pytest.importorskip("langgraph.checkpoint.base")
from langgraph.checkpoint.base import empty_checkpoint

from engrain.integrations.langgraph import EngrainSaver, EngrainStore

pytestmark = pytest.mark.parametrize("memory", ["library", "client"], indirect=True)
CONFIG: Any = {"configurable": {"thread_id": "monday", "checkpoint_ns": ""}}


def test_an_item_is_found_by_what_it_says_and_goes_with_its_memory(memory: MemoryManager) -> None:
    store = EngrainStore(memory)
    store.put(("notes", "travel"), "visa", {"text": "The visa for Georgia lasts a year.", "n": {"x": [1, None]}})
    store.put(("notes",), "tea", {"text": "Ana drinks tea."})
    store.put(("notes",), "hidden", {"text": "The visa is in the drawer."}, index=False)
    assert [item.key for item in store.search(("notes",), query="how long is the visa?")][0] == "visa"
    found = asyncio.run(store.aget(("notes", "travel"), "visa"))
    assert found is not None
    assert found.value["n"] == {"x": [1, None]}
    assert memory.count(status="all") == 2
    store.delete(("notes", "travel"), "visa")
    assert memory.count(status="all") == 1
    store.close()
    assert len(memory.recall("tea")) == 1  # a memory that was given stays open


def test_a_thread_is_a_session_that_can_be_erased(memory: MemoryManager) -> None:
    saver = EngrainSaver(memory)
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"secret": "quixotic zeppelin"}
    saved = saver.put(CONFIG, checkpoint, {"source": "input", "step": 1}, {})
    saver.put_writes(saved, [("secret", b"\x00\xff")], "task")
    found = saver.get_tuple(CONFIG)
    assert found is not None
    assert found.pending_writes == [("task", "secret", b"\x00\xff")]
    assert [each.checkpoint["id"] for each in saver.list(None)] == [checkpoint["id"]]
    erased = memory.forget_all(session="monday", hard=True)
    assert erased.receipt is not None
    assert erased.receipt.verified
    assert saver.get_tuple(CONFIG) is None


def test_prune_keeps_what_a_delta_channel_is_made_of(memory: MemoryManager) -> None:
    saver, config = EngrainSaver(memory), CONFIG
    for number in range(4):
        checkpoint = empty_checkpoint()
        checkpoint["id"] = f"{number}"
        checkpoint["channel_versions"] = {"delta": number + 1}
        checkpoint["channel_values"] = {"delta": ["seed"]} if number == 1 else {}
        config = saver.put(config, checkpoint, {"source": "loop", "step": number}, {})
        saver.put_writes(config, [("delta", number)], f"task {number}")
    before = saver.get_delta_channel_history(config=CONFIG, channels=["delta"])
    saver.prune(["monday"])
    assert saver.get_delta_channel_history(config=CONFIG, channels=["delta"]) == before
    assert [each.checkpoint["id"] for each in saver.list(CONFIG)] == ["3", "2", "1"]


def test_more_writes_than_a_page_of_keys_are_kept_as_they_were_first(memory: MemoryManager) -> None:
    saver = EngrainSaver(memory)
    saved = saver.put(CONFIG, empty_checkpoint(), {"source": "input", "step": 1}, {})
    for value in ("first", "again"):
        saver.put_writes(saved, [("many", value)] * 1001, "task")
    found = saver.get_tuple(CONFIG)
    assert found is not None
    assert found.pending_writes == [("task", "many", "first")] * 1001
