"""forget_all: a user, an agent, a session, the org, or what a filter passes; inside the view and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engrain import Forgotten, MemoryManager, ScopeMissing, Settings
from engrain.storage.interface import users
from tests.behaviour import texts


@pytest.fixture
def crowd(memory: MemoryManager) -> MemoryManager:
    """An org with two users, two agents of one of them, and conversations."""
    memory.remember("the office is closed on Friday")
    for user in ("ana", "bo"):
        view = memory.scoped(user=user)
        view.remember(f"{user} likes plums", metadata={"project": "fruit"})
        view.remember(f"{user} lives in Oslo")
        for agent in ("scout", "scribe"):
            view.scoped(agent=agent).remember(f"{agent} noted the mood of {user}")
        session = view.scoped(session="monday")
        session.add_message("user", f"{user} slept badly")
        view.graph.add_entity("person", f"{user} Brackenfeld", aliases=(f"{user} the Brave",))
    return memory


def held(memory: MemoryManager, **more: Any) -> int:
    return memory.count(status=("active", "forgotten"), **more)


@pytest.mark.matrix
@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize(
    ("wanted", "count", "left"),
    [
        ({"user": "ana"}, 5, {"ana": 0, "bo": 5}),
        ({"user": "ana", "agent": "scout"}, 1, {"ana": 4, "bo": 5}),
        ({"agent": "scout"}, 2, {"ana": 4, "bo": 4}),
        ({"session": "monday"}, 2, {"ana": 4, "bo": 4}),
        ({"where": {"project": "fruit"}}, 2, {"ana": 4, "bo": 4}),
        ({"user": "bo", "where": {"project": "fruit"}}, 1, {"ana": 5, "bo": 4}),
        ({"org": "default"}, 11, {"ana": 0, "bo": 0}),
        ({"user": "nobody"}, 0, {"ana": 5, "bo": 5}),
    ],
)
def test_the_named_memory_is_removed_and_others_stay(
    crowd: MemoryManager, wanted: dict[str, Any], count: int, left: dict[str, int], hard: bool
) -> None:
    dry = crowd.forget_all(**wanted, hard=hard, dry_run=True)
    assert dry == Forgotten(count, dry_run=True)
    assert crowd.count() == 11
    outcome = crowd.forget_all(**wanted, hard=hard)
    assert (outcome.count, len(set(outcome.ids)), outcome.dry_run) == (count, count, False)
    assert (outcome.receipt is not None) is (hard and count > 0)
    for user, number in left.items():
        assert crowd.scoped(user=user).count() == number
        assert held(crowd.scoped(user=user)) == (number if hard else 5)
    assert crowd.verify_audit().ok
    assert crowd.forget_all(**wanted, hard=hard).count == 0


def test_hard_takes_what_was_forgotten_before(crowd: MemoryManager) -> None:
    crowd.forget_all(user="ana")
    assert crowd.forget_all(user="ana", hard=True).count == 5


class TestOutsideTheView:
    @pytest.mark.parametrize(
        "wanted",
        [{"user": "bo"}, {"org": "default"}, {"user": "ana", "org": "default"}, {"user": "bo", "agent": "scout"}],
    )
    @pytest.mark.parametrize("hard", [False, True])
    def test_there_is_nothing(self, crowd: MemoryManager, wanted: dict[str, str], hard: bool) -> None:
        assert crowd.scoped(user="ana").forget_all(**wanted, hard=hard) == Forgotten(0)  # type: ignore[arg-type]
        assert crowd.count() == 11

    def test_another_org_is_empty(self, crowd: MemoryManager) -> None:
        assert crowd.forget_all(org="other", hard=True) == Forgotten(0)
        assert crowd.for_org("other").forget_all(user="ana", hard=True) == Forgotten(0)
        assert crowd.count() == 11

    def test_another_agent_is_unknown(self, crowd: MemoryManager) -> None:
        scout = crowd.scoped(user="ana", agent="scout")
        assert scout.forget_all(agent="scribe", hard=True) == Forgotten(0)
        assert scout.forget_all(user="ana", hard=True).count == 4
        assert texts(crowd.scoped(user="ana").iter_memories()) == ["scribe noted the mood of ana"]

    def test_a_view_that_needs_a_user_may_not(self) -> None:
        with MemoryManager(":memory:", settings=Settings(require_user=True)) as m, pytest.raises(ScopeMissing):
            m.forget_all(org="default")


@pytest.mark.parametrize("wanted", [{}, {"reason": "all"}, {"hard": True}])
def test_it_has_to_know_what_to_forget(memory: MemoryManager, wanted: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="needs to know what to forget"):
        memory.forget_all(**wanted)


@pytest.mark.parametrize(
    "wanted", [{"user": " "}, {"user": 3}, {"where": 3}, {"user": "ana", "hard": 1}, {"user": "a", "reason": 7}]
)
def test_bad_words_are_refused_before_anything_is_touched(crowd: MemoryManager, wanted: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        crowd.forget_all(**wanted)
    assert crowd.count() == 11


class TestBesideTheMemories:
    def test_a_users_conversations_and_names_go(self, crowd: MemoryManager) -> None:
        outcome = crowd.forget_all(user="ana", hard=True)
        assert outcome.receipt is not None
        assert outcome.receipt.removed["conversations"] == 1
        assert crowd.scoped(user="ana", session="monday").get_messages() == []
        assert [e.name for e in crowd.scoped(user="ana").graph.entities()] == []
        assert "bo Brackenfeld" in [e.name for e in crowd.scoped(user="bo").graph.entities()]
        assert len(crowd.scoped(user="bo", session="monday").get_messages()) == 1

    def test_messages_that_were_never_memories_go(self, clock: Any) -> None:
        with MemoryManager(":memory:", clock=clock, settings=Settings(remember_turns=False, worker="none")) as m:
            m.scoped(user="ana", session="one").add_message("user", "hello there")
            m.scoped(user="ana", session="two").add_message("user", "hello again")
            outcome = m.forget_all(session="one", hard=True)
            assert outcome.receipt is not None
            assert (outcome.count, outcome.receipt.removed["turns"]) == (0, 1)
            assert m.scoped(user="ana", session="one").get_messages() == []
            assert len(m.scoped(user="ana", session="two").get_messages()) == 1
            assert m.verify_audit().ok

    def test_an_unknown_user_leaves_no_name(self, crowd: MemoryManager) -> None:
        before = crowd.store.write(lambda tx: users(tx, "default"))
        assert crowd.forget_all(user="nobody", hard=True) == Forgotten(0)
        assert crowd.store.write(lambda tx: users(tx, "default")) == before

    def test_a_user_may_come_back(self, crowd: MemoryManager) -> None:
        crowd.forget_all(user="ana", hard=True)
        again = crowd.scoped(user="ana").remember("ana is back")
        assert texts(crowd.scoped(user="ana").recall("who is back?").memories) == ["ana is back"]
        assert again.id in {m.id for m in crowd.iter_memories()}


def test_many_go_in_several_steps(memory: MemoryManager) -> None:
    memory.scoped(user="ana").remember_many({"content": f"note number {n}", "resolve": "off"} for n in range(1100))
    memory.scoped(user="bo").remember("note number 7")
    outcome = memory.forget_all(user="ana", hard=True)
    assert outcome.receipt is not None
    assert (outcome.count, outcome.receipt.removed["memories"], outcome.receipt.verified) == (1100, 1100, True)
    assert texts(memory.iter_memories(status="all")) == ["note number 7"]


def test_a_filter_that_came_out_empty_erases_nothing(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "memory.db", embedder=None, user="ana") as memory:
        memory.remember("the code is 4711")
        with pytest.raises(ValueError, match="needs to know what to forget"):
            memory.forget_all(where={}, hard=True)
        assert memory.count() == 1
