"""Stats: what a view holds, and what this manager did."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.testing import FakeEmbedder, FrozenClock


def test_an_empty_memory_counts_nothing(memory: MemoryManager) -> None:
    stats = memory.stats()
    assert (stats.total_notes, stats.notes_created, stats.retrievals, stats.dead_letters) == (0, 0, 0, 0)
    assert (stats.by_kind, stats.by_status, stats.vectors) == ({}, {}, {})


def test_kinds_and_statuses_are_counted(memory: MemoryManager) -> None:
    memory.remember("Ana drinks tea")
    memory.remember("Ana spilled it", kind="episodic", session="s")
    memory.forget(memory.remember("a slip").id)
    stats = memory.stats()
    assert stats.by_kind == {"semantic": 1, "episodic": 1}
    assert stats.by_status == {"active": 2, "forgotten": 1}
    assert stats.total_notes == 2


def test_a_managers_own_calls_are_counted(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=None, clock=clock) as memory:
        memory.remember("Ana drinks tea")
        memory.remember("Ana drinks tea")
        memory.scoped(user="ben").remember("Ben drinks coffee")
        memory.recall("tea")
        memory.context("tea")
        assert (memory.stats().notes_created, memory.stats().retrievals) == (2, 2)
    with MemoryManager(tmp_path / "m.db", embedder=None, clock=clock) as memory:
        assert (memory.stats().notes_created, memory.stats().total_notes) == (0, 2)


def test_a_view_counts_what_it_sees(memory: MemoryManager) -> None:
    memory.scoped(user="ana").remember("Ana drinks tea")
    memory.scoped(user="ben").remember("Ben drinks coffee")
    memory.for_org("acme").remember("Acme sells both")
    assert memory.stats().total_notes == 2
    assert memory.scoped(user="ana").stats().total_notes == 1
    assert sum(memory.scoped(user="ana").stats().vectors.values()) == 1


def test_it_names_the_embedder_and_counts_its_vectors(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    with MemoryManager(tmp_path / "m.db", embedder=embedder) as memory:
        memory.remember("Ana drinks tea")
        assert (memory.stats().embedder, memory.stats().vectors) == (embedder.id, {embedder.id: 1})


def test_the_bytes_are_those_on_the_disk(memory: MemoryManager) -> None:
    before = memory.stats().store_bytes
    memory.remember_many({"content": f"note {number} " * 50} for number in range(200))
    assert memory.stats().store_bytes > before > 0


def test_it_reads_as_a_dict_too(memory: MemoryManager) -> None:
    memory.remember("Ana drinks tea")
    stats = memory.get_stats()
    assert stats["total_notes"] == dict(stats)["total_notes"] == stats.total_notes == 1
    assert "embedder" in stats
    with pytest.raises(KeyError):
        stats["colour"]


class TestConversations:
    def test_none_are_counted_where_there_are_none(self, memory: MemoryManager) -> None:
        assert (memory.stats().conversations, memory.stats().turns) == ({"open": 0, "ended": 0}, 0)

    def test_open_and_ended_ones_and_all_that_was_said(self, memory: MemoryManager) -> None:
        for session in ("monday", "tuesday", "friday"):
            memory.add_message("user", f"It is {session}", session=session)
            memory.add_message("system", "Be kind", session=session)
        memory.end_session("monday")
        stats = memory.get_stats()
        assert stats["conversations"] == dict(stats)["conversations"] == {"open": 2, "ended": 1}
        assert stats["turns"] == stats.turns == 6

    def test_a_view_counts_what_it_sees(self, memory: MemoryManager) -> None:
        for view in (
            {"user": "ana"},
            {"user": "ana", "agent": "scout"},
            {"user": "ana", "agent": "cook"},
            {"user": "bo"},
        ):
            memory.scoped(**view).add_message("user", "hello", session="s")
        memory.for_org("acme").add_message("user", "hello", session="s")
        turns = [
            memory.stats().turns,
            memory.scoped(user="ana").stats().turns,
            memory.scoped(user="ana", agent="scout").stats().turns,
            memory.scoped(user="ana", agent="scout", session="t").stats().turns,
            memory.scoped(user="zoe").stats().turns,
            memory.for_org("acme").stats().turns,
        ]
        assert turns == [4, 3, 2, 2, 0, 1]
        assert memory.scoped(user="ana", agent="scout").stats().conversations == {"open": 2, "ended": 0}


def test_superseded_memories_are_counted_as_such(memory: MemoryManager) -> None:
    old = memory.remember("Ana lives in Rome").memory
    memory.supersede(old.id, "Ana lives in Oslo")
    later = memory.remember("the code is 4471", ttl="7d").memory
    assert later.status == "active"
    stats = memory.stats()
    assert stats.by_status == {"active": 2, "superseded": 1}
    assert stats.by_status["active"] == memory.count(status="active")
    assert len(repr(stats)) < 100
