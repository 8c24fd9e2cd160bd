"""Forgetting: gone from every read, kept in history and in the audit trail."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from engrain import Forgotten, MemoryManager, Settings
from engrain.model.choices import StatusFilter
from engrain.testing import FrozenClock
from tests.behaviour import texts


@pytest.fixture
def gone(memory: MemoryManager) -> str:
    """The id of a memory that was forgotten; another one stays."""
    memory.remember("Ana keeps goats")
    memory_id: str = memory.remember("Ana keeps bees", key="bees", tags=["farm"]).id
    assert memory.forget(memory_id, reason="asked by Ana") == Forgotten(1, (memory_id,))
    return memory_id


class TestItIsGone:
    def test_from_get(self, memory: MemoryManager, gone: str) -> None:
        assert memory.get(gone) is None
        assert memory.get(key="bees") is None

    @pytest.mark.parametrize("query", ["bees", "Ana keeps bees", "farm", ""])
    def test_from_recall(self, memory: MemoryManager, gone: str, query: str) -> None:
        assert gone not in [hit.id for hit in memory.recall(query)]

    def test_from_context(self, memory: MemoryManager, gone: str) -> None:
        assert "bees" not in memory.context("what does Ana keep?")

    @pytest.mark.parametrize("status", ["active", "superseded", "quarantined", "archived", "expired"])
    def test_from_lists_and_counts(self, memory: MemoryManager, gone: str, status: StatusFilter) -> None:
        assert gone not in [m.id for m in memory.list_memories(status=status)]
        assert gone not in [m.id for m in memory.iter_memories(status=status)]
        assert memory.count(status=status) == (1 if status == "active" else 0)

    def test_from_stats(self, memory: MemoryManager, gone: str) -> None:
        stats = memory.stats()
        assert (stats.total_notes, dict(stats.by_status)) == (1, {"active": 1, "forgotten": 1})


@pytest.mark.parametrize("status", ["forgotten", "all"])
def test_who_asks_for_the_forgotten_is_reported(memory: MemoryManager, gone: str, status: StatusFilter) -> None:
    (found,) = (m for m in memory.list_memories(status=status) if m.id == gone)
    assert (found.status, found.status_reason) == ("forgotten", "asked by Ana")


def test_it_is_no_longer_believed(memory: MemoryManager, clock: FrozenClock, gone: str) -> None:
    assert memory.history(gone)[-1].believed_until == clock.now()


def test_a_key_forgets_its_memory(memory: MemoryManager) -> None:
    kept = memory.remember("Ana keeps bees", key="bees").id
    assert memory.forget(key="bees") == Forgotten(1, (kept,))
    assert memory.count() == 0


@pytest.mark.parametrize("name", [{"memory_id": "mem_unknown"}, {"key": "unknown"}])
def test_an_unknown_id_counts_nothing(memory: MemoryManager, name: dict[str, Any]) -> None:
    assert memory.forget(**name) == Forgotten(0)


def test_twice_counts_once(memory: MemoryManager, gone: str) -> None:
    assert memory.forget(gone) == Forgotten(0)
    assert memory.forget(key="bees") == Forgotten(0)


@pytest.mark.parametrize("name", [{}, {"memory_id": "mem_1", "key": "bees"}])
@pytest.mark.parametrize("call", ["forget", "get"])
def test_one_name_is_needed(memory: MemoryManager, call: str, name: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="name one memory: by its id, or by key="):
        getattr(memory, call)(**name)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"memory_id": ""}, ValueError, "memory_id is blank: give a name"),
        ({"key": "x" * 257}, ValueError, "key is 257 characters long, the limit is 256"),
        ({"memory_id": 5}, TypeError, "memory_id must be a string, not int"),
        ({"memory_id": "mem_1", "reason": 5}, TypeError, "reason must be a string, not int"),
    ],
)
def test_an_argument_that_names_nothing_is_refused(
    memory: MemoryManager, arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        memory.forget(**arguments)


def test_an_expired_memory_may_be_forgotten(memory: MemoryManager, clock: FrozenClock) -> None:
    kept, _ = memory.remember("Ana keeps bees", ttl=60)
    assert kept.expires_at is not None
    clock.advance(kept.expires_at - clock.now())
    assert memory.forget(kept.id).count == 1
    assert memory.get(kept.id) is None
    assert memory.count(status="expired") == 0


def test_the_audit_trail_grows_with_each_change_and_holds(memory: MemoryManager) -> None:
    counts = [memory.verify_audit().entries]
    kept = memory.remember("Ana keeps bees").id
    counts.append(memory.verify_audit().entries)
    memory.update(kept, tier="A")
    counts.append(memory.verify_audit().entries)
    memory.forget(kept)
    counts.append(memory.verify_audit().entries)
    memory.forget(kept)
    counts.append(memory.verify_audit().entries)
    assert counts == [0, 1, 2, 3, 3]
    assert memory.verify_audit().ok


def test_its_text_and_key_are_free_again(memory: MemoryManager, gone: str) -> None:
    again = memory.remember("Ana keeps bees", key="bees")
    assert (again.status, again.id != gone) == ("created", True)
    assert "Ana keeps bees" in memory.recall("bees").texts
    assert sorted(texts(memory.list_memories(status="all"))) == ["Ana keeps bees", "Ana keeps bees", "Ana keeps goats"]


def test_a_memory_derived_from_it_stays(memory: MemoryManager) -> None:
    source = memory.remember("Ana said so").id
    kept, _ = memory.remember("Ana keeps bees", derived_from=[source])
    memory.forget(source)
    assert memory.get(kept.id) == kept


class TestATurn:
    PIN, PARK = "My pin is Tau7788 and my cat is grey", "I like walking in the park"

    @pytest.fixture
    def talk(self, clock: FrozenClock) -> Iterator[tuple[MemoryManager, str]]:
        """A session of two turns that has ended, and the id of the turn with a secret."""
        settings = Settings(worker="none")
        with MemoryManager(":memory:", user="ana", embedder=None, clock=clock, settings=settings) as memory:
            turn = memory.add_message("user", self.PIN, session="s")
            memory.add_message("user", self.PARK, session="s")
            memory.end_session("s")
            memory.flush()
            assert len([text for text in memory.recall("what is my pin?").texts if "Tau7788" in text]) == 3
            yield memory, turn.id

    def test_takes_what_was_learnt_from_it_alone_and_its_summary(
        self, talk: tuple[MemoryManager, str], clock: FrozenClock
    ) -> None:
        memory, turn = talk
        clock.advance(timedelta(days=1))
        gone = memory.forget(turn, reason="asked by Ana")
        assert (gone.count, gone.ids, gone.beside) == (1, (turn,), 2)
        times: list[dict[str, Any]] = [{name: "2026-01-05T12:00:00Z"} for name in ("as_of", "known_at")]
        for when in ({}, *times):
            assert set(memory.recall("what is my pin?", **when).texts) <= {self.PARK}
        assert set(texts(memory.iter_memories(status=["active", "superseded", "archived"]))) == {self.PARK}
        assert memory.verify_audit().ok

    def test_brings_it_back(self, talk: tuple[MemoryManager, str], clock: FrozenClock) -> None:
        memory, turn = talk
        before = {each.id for each in memory.iter_memories()}
        memory.forget(turn)
        clock.advance(timedelta(days=1))
        memory.reinstate(turn)
        assert {each.id for each in memory.iter_memories()} == before

    def test_leaves_what_another_turn_states_too(self, talk: tuple[MemoryManager, str]) -> None:
        memory, turn = talk
        again = memory.add_message("user", self.PIN, session="t").id
        memory.flush()
        (fact,) = (each for each in memory.iter_memories() if each.kind == "semantic" and each.content == self.PIN)
        assert memory.forget(turn).beside == 1
        assert memory.get(fact.id) is not None
        memory.forget(again)
        assert memory.get(fact.id) is None
        memory.reinstate(turn)
        assert memory.get(fact.id) is not None

    def test_brings_no_summary_back_before_the_other_turn(self, talk: tuple[MemoryManager, str]) -> None:
        memory, turn = talk
        (other,) = (each.id for each in memory.iter_memories() if each.kind == "episodic" and each.content == self.PARK)
        memory.forget(turn)
        memory.forget(other)
        memory.reinstate(other)
        assert "Tau7788" not in " ".join(texts(memory.iter_memories()))
        memory.reinstate(turn)
        assert memory.count(where={"is_summary": True}) == 1

    def test_takes_nothing_that_was_known_before_it(self, memory: MemoryManager, clock: FrozenClock) -> None:
        known = memory.remember("I live in Rome.", source_type="user_input").id
        clock.advance(timedelta(days=1))
        turn = memory.add_message("user", "I live in Rome.", session="s")
        memory.flush()
        memory.forget(turn.id)
        assert memory.get(known) is not None

    def test_all_at_once_are_counted_once(self, talk: tuple[MemoryManager, str]) -> None:
        memory, _ = talk
        assert memory.forget_all(user="ana", dry_run=True).count == 5
        gone = memory.forget_all(user="ana")
        assert (gone.count, len(set(gone.ids)), gone.beside) == (5, 5, 0)
        assert memory.count() == 0
