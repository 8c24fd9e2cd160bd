"""Whose memory it is: org and user are walls, an agent is a view, a session is a place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engrain import Forgotten, MemoryManager, NotFound, Scope, ScopeMissing, Settings
from engrain.testing import FrozenClock
from tests.behaviour import texts

SECRET = "Ana keeps bees"

Call = Callable[[MemoryManager, str], Any]

# Each read or write that names a memory by id, key or query, and what it gives for one that is not there.
CALLS: dict[str, tuple[Call, Any]] = {
    "get": (lambda view, memory_id: view.get(memory_id), None),
    "get by key": (lambda view, _: view.get(key="secret"), None),
    "history": (lambda view, memory_id: view.history(memory_id), []),
    "forget": (lambda view, memory_id: view.forget(memory_id), Forgotten(0)),
    "forget by key": (lambda view, _: view.forget(key="secret"), Forgotten(0)),
    "recall": (lambda view, _: view.recall("bees").texts, ()),
    "recall what is recent": (lambda view, _: view.recall("").texts, ()),
    "recall shared": (lambda view, _: view.recall("bees", shared=True).texts, ()),
    "recall by metadata": (lambda view, _: view.recall("", where={"n": 1}).texts, ()),
    "recall by tag": (lambda view, _: view.recall("", tags=["farm"]).texts, ()),
    "context": (lambda view, _: "bees" in view.context("bees"), False),
    "list": (lambda view, _: texts(view.list_memories(status="all")), []),
    "list by metadata": (lambda view, _: texts(view.list_memories(where={"not": {"n": 2}})), []),
    "iterate": (lambda view, _: texts(view.iter_memories(status="all")), []),
    "count": (lambda view, _: view.count(status="all"), 0),
    "stats": (lambda view, _: view.stats().total_notes, 0),
}

# The owner's names, and the names of a view that must not see through.
WALLS = {
    "user": ({"user": "ana"}, {"user": "ben"}),
    "user in case": ({"user": "ana"}, {"user": "Ana"}),
    "agent": ({"user": "ana", "agent": "scout"}, {"user": "ana", "agent": "clerk"}),
    "agent alone": ({"agent": "scout"}, {"agent": "clerk"}),
    "user of one agent": ({"user": "ana", "agent": "scout"}, {"user": "ben", "agent": "scout"}),
}


def view_of(memory: MemoryManager, names: dict[str, str]) -> MemoryManager:
    """Return the view of these scope names, one of which may be `org`."""
    org = names.get("org")
    return (memory.for_org(org) if org else memory).scoped(**{n: v for n, v in names.items() if n != "org"})


@pytest.mark.matrix
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("wall", [*WALLS, "org"])
def test_isolation_holds(memory: MemoryManager, wall: str, call: str) -> None:
    names, other = WALLS.get(wall, ({}, {"org": "acme"}))
    owner, stranger = view_of(memory, names), view_of(memory, other)
    kept = owner.remember(SECRET, key="secret", metadata={"n": 1}, tags=["farm"]).id
    act, nothing = CALLS[call]
    assert act(stranger, kept) == nothing
    assert getattr(owner.get(kept), "status", None) == "active"


@pytest.mark.parametrize("wall", [*WALLS, "org"])
def test_an_id_of_another_scope_cannot_be_edited_or_cited(memory: MemoryManager, wall: str) -> None:
    names, other = WALLS.get(wall, ({}, {"org": "acme"}))
    owner, stranger = view_of(memory, names), view_of(memory, other)
    kept, _ = owner.remember(SECRET)
    with pytest.raises(NotFound, match="in this scope: check the id, and the org, user and agent of the view"):
        stranger.update(kept.id, content="Ben was here")
    with pytest.raises(NotFound):
        stranger.remember("Ben was here", derived_from=[kept.id])
    assert owner.get(kept.id) == kept
    assert stranger.count(status="all") == 0


@pytest.mark.parametrize("call", CALLS)
def test_the_owner_is_not_kept_out(memory: MemoryManager, call: str) -> None:
    owner = memory.scoped(user="ana", agent="scout")
    kept = owner.remember(SECRET, key="secret", metadata={"n": 1}, tags=["farm"]).id
    act, nothing = CALLS[call]
    assert act(owner, kept) != nothing


def test_an_agent_sees_its_own_and_its_users_common_memories(memory: MemoryManager) -> None:
    user = memory.scoped(user="ana")
    user.remember("common bees")
    for agent in ("scout", "clerk"):
        user.scoped(agent=agent).remember(f"bees of the {agent}")
    seen = user.scoped(agent="scout")
    assert sorted(seen.recall("bees").texts) == ["bees of the scout", "common bees"]
    assert sorted(texts(seen.list_memories())) == ["bees of the scout", "common bees"]
    assert user.count() == 3


def test_shared_adds_what_has_no_user(memory: MemoryManager) -> None:
    memory.remember("the org keeps bees")
    for user in ("ana", "ben"):
        memory.scoped(user=user).remember(f"{user} keeps bees")
    ana = memory.scoped(user="ana")
    assert ana.recall("bees").texts == ("ana keeps bees",)
    assert sorted(ana.recall("bees", shared=True).texts) == ["ana keeps bees", "the org keeps bees"]


def test_a_view_without_user_sees_the_whole_org(memory: MemoryManager) -> None:
    kept = memory.scoped(user="ana").remember(SECRET).id
    memory.for_org("acme").remember("elsewhere")
    assert texts(memory.list_memories()) == [SECRET]
    assert memory.update(kept, tier="A").scope.user == "ana"
    assert memory.forget(kept).count == 1


def test_a_write_is_stamped_with_its_view(memory: MemoryManager) -> None:
    view = memory.for_org("acme").scoped(user="ana", agent="scout", session="monday")
    assert view.remember(SECRET).memory.scope == Scope("acme", "ana", "scout", "monday")


class TestSessions:
    def test_a_statement_of_another_session_is_found(self, memory: MemoryManager) -> None:
        memory.scoped(session="monday").remember(SECRET)
        assert memory.scoped(session="tuesday").recall("bees").texts == (SECRET,)

    def test_a_read_may_narrow_to_one(self, memory: MemoryManager) -> None:
        for session in ("monday", "tuesday"):
            memory.remember(f"bees on {session}", session=session)
        assert memory.recall("bees", session="monday").texts == ("bees on monday",)
        assert texts(memory.list_memories(session="tuesday")) == ["bees on tuesday"]
        assert memory.count(session="wednesday") == 0

    @pytest.mark.parametrize("call", [name for name in CALLS if name != "stats"])
    def test_working_memory_stays_in_its_own(self, memory: MemoryManager, call: str) -> None:
        kept = memory.remember(
            SECRET, key="secret", kind="working", session="monday", metadata={"n": 1}, tags=["farm"]
        ).id
        act, nothing = CALLS[call]
        assert act(memory.scoped(session="tuesday"), kept) == nothing
        assert act(memory, kept) == nothing
        assert act(memory.scoped(session="monday"), kept) != nothing

    @pytest.mark.parametrize("error", [ScopeMissing, ValueError])
    def test_working_memory_needs_one_and_one_except_serves_all(
        self, memory: MemoryManager, error: type[Exception]
    ) -> None:
        with pytest.raises(error, match="working memory belongs to a session: give session="):
            memory.remember(SECRET, kind="working")
        with pytest.raises(error, match="working memory belongs to a session: give session="):
            memory.recall("bees", kinds=["working"])
        with pytest.raises(error, match="a conversation belongs to a session: give session="):
            memory.add_message("user", "I keep bees")


class TestViews:
    @pytest.mark.parametrize("name", ["user", "agent", "session"])
    def test_only_narrow(self, memory: MemoryManager, name: str) -> None:
        view = memory.scoped(**{name: "ana"})
        assert view.scoped(**{name: "ana"}).scope == view.scope
        with pytest.raises(ValueError, match=f"bound to {name} 'ana' and cannot become 'ben': open another view"):
            view.scoped(**{name: "ben"})

    def test_a_call_cannot_change_their_session(self, memory: MemoryManager) -> None:
        view = memory.scoped(session="monday")
        for call in (view.remember, view.recall):
            with pytest.raises(ValueError, match="bound to session 'monday'"):
                call("bees", session="tuesday")
        assert memory.count(status="all") == 0

    @pytest.mark.parametrize("names", [{"user": "ana"}, {"agent": "scout"}, {"session": "monday"}])
    def test_another_org_is_opened_from_the_manager_itself(self, memory: MemoryManager, names: dict[str, str]) -> None:
        with pytest.raises(ValueError, match="for_org needs a view without user, agent and session"):
            memory.scoped(**names).for_org("acme")

    @pytest.mark.parametrize(
        ("names", "error", "says"),
        [
            ({"user": ""}, ValueError, "user is blank: give a name or leave it out"),
            ({"agent": "\t"}, ValueError, "agent is blank"),
            ({"session": "x" * 257}, ValueError, "session is 257 characters long, the limit is 256"),
            ({"user": 7}, TypeError, "user must be a string, not int"),
            ({"user": "a\x00b"}, ValueError, "user holds a NUL character at 1: remove it"),
        ],
    )
    def test_a_name_must_name(
        self, memory: MemoryManager, names: dict[str, Any], error: type[Exception], says: str
    ) -> None:
        with pytest.raises(error, match=says):
            memory.scoped(**names)

    @pytest.mark.parametrize(
        ("org", "says"), [(None, "org is always set"), ("", "org is blank"), (" ", "org is blank")]
    )
    def test_an_org_is_always_set(self, org: Any, says: str) -> None:
        with pytest.raises(ValueError, match=says):
            MemoryManager(":memory:", org=org, embedder=None)


@pytest.mark.parametrize("call", CALLS)
def test_a_user_can_be_demanded(tmp_path: Path, clock: FrozenClock, call: str) -> None:
    settings = Settings(require_user=True)
    with MemoryManager(tmp_path / "m.db", embedder=None, clock=clock, settings=settings) as memory:
        kept = memory.scoped(user="ana").remember(SECRET, key="secret").id
        with pytest.raises(ScopeMissing, match=r"open the view with user=..., or use scoped\(user=...\)"):
            CALLS[call][0](memory, kept)


@pytest.mark.parametrize("org", [None, "", " "])
def test_an_org_needs_a_name(memory: MemoryManager, org: str) -> None:
    with pytest.raises(ValueError, match="org"):
        memory.for_org(org)
