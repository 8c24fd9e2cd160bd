"""A conversation belongs to exactly one org, user, agent and session: no other scope reads or writes it."""

from __future__ import annotations

from itertools import product

import pytest

from engrain import MemoryManager, ScopeMissing, Settings


def test_every_scope_has_a_conversation_of_its_own_under_one_name(memory: MemoryManager) -> None:
    views = [
        memory.for_org(org).scoped(user=user, agent=agent)
        for org, user, agent in product(("acme", "zeta"), (None, "ana", "bo"), (None, "scout"))
    ]
    for number, view in enumerate(views):
        view.add_message("user", f"The code is {number}{number}{number}", session="s")
    for number, view in enumerate(views):
        assert [turn.content for turn in view.get_messages(session="s")] == [f"The code is {number}{number}{number}"]
        assert len(view.working("s").history()) == 1
        assert view.working("s").token_count > 0
    views[0].working("s").clear()
    views[1].end_session("s")
    for view in views[2:]:
        assert len(view.get_messages(session="s")) == 1


def test_names_that_look_like_others_are_others(memory: MemoryManager) -> None:
    one = memory.scoped(user="a", agent="b")
    other = memory.scoped(user="a=b")
    one.add_message("user", "I keep bees", session="s")
    assert other.get_messages(session="s") == []
    assert memory.scoped(user="a", agent="b=s").get_messages(session="s") == []


def test_another_users_working_memories_stay_when_a_session_ends(memory: MemoryManager) -> None:
    ana, bo = memory.scoped(user="ana"), memory.scoped(user="bo")
    mine = ana.remember("Ask Bo about the barn", kind="working", session="s")
    theirs = bo.remember("Ask Ana about the bees", kind="working", session="s")
    assert ana.end_session("s").evicted == (mine.id,)
    assert bo.list_memories(kinds=["working"], session="s")[0].id == theirs.id


def test_an_administrators_session_ends_nobody_elses(memory: MemoryManager) -> None:
    theirs = memory.scoped(user="ana").remember("Ask Bo about the barn", kind="working", session="s")
    mine = memory.remember("Ask everybody", kind="working", session="s")
    memory.scoped(user="ana").add_message("user", "I keep bees", session="s")
    ended = memory.end_session("s")
    assert ended.evicted == (mine.id,)
    assert "barn" not in ended.memories[0].content
    assert memory.scoped(user="ana", session="s").get(theirs.id).status == "active"  # type: ignore[union-attr]
    assert len(memory.scoped(user="ana").get_messages(session="s")) == 1


def test_a_view_of_a_session_is_bound_to_it(memory: MemoryManager) -> None:
    view = memory.scoped(session="s")
    view.add_message("user", "I keep bees")
    assert view.working.messages == view.working("s").messages == memory.working("s").messages
    with pytest.raises(ValueError, match="bound to session"):
        view.working("t")
    with pytest.raises(ValueError, match="bound to session"):
        view.add_message("user", "I keep bees", session="t")


def test_a_view_that_must_have_a_user_has_no_conversation_without_one() -> None:
    with MemoryManager(":memory:", embedder=None, settings=Settings(require_user=True)) as memory:
        with pytest.raises(ScopeMissing):
            memory.add_message("user", "I keep bees", session="s")
        with pytest.raises(ScopeMissing):
            memory.working("s")
        assert memory.scoped(user="ana").add_message("user", "I keep bees", session="s").id


def test_an_agents_working_memories_stay_its_own_when_others_end_a_session_of_that_name(memory: MemoryManager) -> None:
    scout, guide = memory.scoped(agent="scout"), memory.scoped(agent="guide")
    mine = scout.remember("The code of the vault is 4711", kind="working", session="s")
    shared = memory.remember("Ask Ana about the barn", kind="working", session="s")
    assert guide.end_session("s").evicted == ()
    ended = memory.end_session("s")
    assert ended.evicted == (shared.id,)
    assert not any("4711" in hit.content for hit in guide.recall("The code of the vault"))
    assert scout.end_session("s").evicted == (mine.id,)
