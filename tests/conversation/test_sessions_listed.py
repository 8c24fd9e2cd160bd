"""The sessions that have a conversation, and the collections of records, are listed as far as a view sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import MemoryManager, Settings


def test_sessions_of_a_view_are_listed_in_pages_and_open_in_their_own_scope(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "m.db", settings=Settings(worker="none")) as memory:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob", agent="cook")
        for session in ("one", "two", "three"):
            ana.add_message("user", f"This is {session}", session=session)
        bob.add_message("user", "Soup", session="one")
        ana.end_session("two")
        assert [(each.session, each.ended_at is None) for each in ana.sessions()] == [
            ("three", True),
            ("two", False),
            ("one", True),
        ]
        first = memory.sessions(limit=3)
        rest = memory.sessions(limit=3, cursor=first.next)
        assert [(each.scope.user, each.session) for each in (*first, *rest)] == [
            ("bob", "one"),
            ("ana", "three"),
            ("ana", "two"),
            ("ana", "one"),
        ]
        assert rest.next is None
        one = first[0].scope
        inside = memory.scoped(user=one.user, agent=one.agent, session=one.session)
        assert [turn.content for turn in inside.working.history()] == ["Soup"]
        assert [each.session for each in memory.scoped(user="bob", agent="guard").sessions()] == []
        assert not memory.for_org("other").sessions()
        with pytest.raises(ValueError, match="limit"):
            memory.sessions(limit=0)


def test_collections_of_a_view_are_listed_in_pages(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "m.db", settings=Settings(worker="none")) as memory:
        memory.records("settings").put("theme", "dark")
        memory.scoped(user="ana").records("drafts").put("a", {"n": 1})
        memory.scoped(user="ana", session="s").records("drafts").put("a", {"n": 2})
        found = memory.collections(limit=2)
        rest = memory.collections(limit=2, cursor=found.next)
        assert [(each.name, each.scope.user, each.scope.session) for each in (*found, *rest)] == [
            ("drafts", "ana", "s"),
            ("drafts", "ana", None),
            ("settings", None, None),
        ]
        assert {each.name for each in memory.scoped(user="ana").collections()} == {"drafts"}
        assert not memory.scoped(user="bob").collections()
        with pytest.raises(ValueError, match="cursor"):
            memory.collections(cursor="x")
