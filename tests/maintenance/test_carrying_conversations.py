"""Conversations in exports: all that was said comes back word for word, as history, and nothing of it as a window."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engrain import Imported, MemoryManager, Settings, Turn
from engrain.conversation import SlidingWindowMemory
from engrain.storage.rows import ConversationRow
from engrain.testing import FrozenClock

CALLS = [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"place": "Gori"}'}}]


@pytest.fixture
def target(tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryManager]:
    """Another memory, empty."""
    with MemoryManager(tmp_path / "target.db", embedder=None, clock=clock) as manager:
        yield manager


def talk(view: MemoryManager, session: str, about: str, clock: FrozenClock) -> None:
    """Say something of every kind in a session."""
    view.add_message("system", f"Speak of {about}.", session=session)
    view.add_message("user", f"I like {about} 🍵", session=session, mood={"calm": True})
    view.add_message("assistant", None, session=session, tool_calls=CALLS)
    view.add_message("tool", f"rain on {about}", session=session, tool_call_id="c1", success=True)
    clock.advance(timedelta(minutes=1))
    view.add_message("assistant", f"It rains on {about}.", session=session, tool_calls=CALLS)
    view.add_message("judge", f"Well said about {about}", session=session, at="2020-02-03T04:05:06Z")


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryManager]:
    """An empty memory that finds by words alone."""
    with MemoryManager(tmp_path / "memory.db", embedder=None, clock=clock) as manager:
        yield manager


@pytest.fixture
def source(memory: MemoryManager, clock: FrozenClock) -> MemoryManager:
    """A memory with conversations of several users, agents and sessions: edited, forgotten, ended, not remembered."""
    for user, agent, session in product((None, "ana", "bo"), (None, "scout"), ("monday", "tuesday")):
        view = memory.scoped(user=user, agent=agent)
        talk(view, session, f"tea of {user} and {agent} on {session}", clock)
    ana = memory.scoped(user="ana")
    edited, forgotten = (ana.working("monday").history()[position].id for position in (1, 5))
    ana.update(edited, content="I like coffee now")
    ana.forget(forgotten)
    ana.end_session("tuesday")
    ana.add_message("user", "We go on", session="tuesday")
    ana.update(ana.working("tuesday").history()[4].id, content="It snows")
    return memory


def everywhere(memory: MemoryManager) -> Mapping[tuple[str | None, str | None, str], list[Turn]]:
    """Return the whole history of every conversation of an org."""
    with memory.store.read() as reader:
        rows = [row for row in reader.find(ConversationRow, order="num") if row.org == memory.scope.org]
    return {
        (row.user, row.agent, row.session): list(
            memory.scoped(user=row.user, agent=row.agent).working(row.session).history(limit=10_000)
        )
        for row in rows
    }


def rows_of(path: Path, *types: str) -> list[dict[str, Any]]:
    """Read the rows of these types."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["type"] in (types or ("conversation", "turn"))]


@pytest.mark.matrix
@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_every_history_comes_back_equal(
    source: MemoryManager, target: MemoryManager, tmp_path: Path, name: str
) -> None:
    source.export(tmp_path / name)
    result = target.import_(tmp_path / name, trust="system")
    assert (result.known, result.skipped, result.rejected) == (0, {}, {})
    assert everywhere(target) == everywhere(source)
    assert len(everywhere(target)) == 12
    assert target.verify_audit().ok


def test_what_was_never_a_memory_comes_back_too(target: MemoryManager, tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(":memory:", embedder=None, clock=clock, settings=Settings(remember_turns=False)) as quiet:
        talk(quiet, "monday", "tea", clock)
        quiet.export(tmp_path / "all.jsonl")
        assert not rows_of(tmp_path / "all.jsonl", "memory")
        assert target.import_(tmp_path / "all.jsonl") == Imported(created=7)
        assert everywhere(target) == everywhere(quiet)
    assert target.count(status="all") == 0


def test_a_long_history_keeps_its_order_and_is_noted_once(target: MemoryManager, tmp_path: Path) -> None:
    with MemoryManager(":memory:", embedder=None, settings=Settings(remember_turns=False)) as quiet:
        quiet.working("long").extend([{"role": "user", "content": f"word {n}"} for n in range(1_203)])
        quiet.add_message("user", "hello", session="short")
        quiet.export(tmp_path / "all.jsonl")
    assert target.import_(tmp_path / "all.jsonl") == Imported(created=1_206)
    said = target.working("long").history(limit=2_000)
    assert [turn.content for turn in said] == [f"word {n}" for n in range(1_203)]
    assert target.verify_audit().entries == 2


def test_turns_and_memories_are_one_text_again(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "all.jsonl")
    target.import_(tmp_path / "all.jsonl", trust="system")
    ben = target.scoped(user="bo")
    turn = ben.working("monday").history()[1]
    ben.update(turn.id, content="I never liked it")
    assert ben.get(turn.id).content == "I never liked it"  # type: ignore[union-attr]
    assert ben.working("monday").history()[1] == turn


def test_twice_adds_nothing(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "all.jsonl")
    first = target.import_(tmp_path / "all.jsonl", trust="system")
    before, entries = everywhere(target), target.verify_audit().entries
    assert target.import_(tmp_path / "all.jsonl", trust="system") == Imported(known=first.created)
    assert (everywhere(target), target.verify_audit().entries) == (before, entries)
    assert source.import_(tmp_path / "all.jsonl", trust="system") == Imported(known=first.created)


def test_an_export_of_an_import_is_the_same(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "one.jsonl")
    target.import_(tmp_path / "one.jsonl", trust="system")
    target.export(tmp_path / "two.jsonl")
    assert rows_of(tmp_path / "two.jsonl", "turn") == rows_of(tmp_path / "one.jsonl", "turn")


class TestIsolation:
    def test_a_view_exports_what_it_may_see(self, source: MemoryManager, tmp_path: Path) -> None:
        source.scoped(user="ana", agent="scout", session="monday").export(tmp_path / "ana.jsonl")
        places = {(row["user"], row["agent"], row["session"]) for row in rows_of(tmp_path / "ana.jsonl")}
        assert places == set(product(["ana"], [None, "scout"], ["monday", "tuesday"]))

    def test_an_agents_view_sees_no_other_agents(self, source: MemoryManager, tmp_path: Path) -> None:
        source.scoped(user="ana", agent="other").export(tmp_path / "ana.jsonl")
        assert {row["agent"] for row in rows_of(tmp_path / "ana.jsonl")} == {None}
        assert "scout" not in (tmp_path / "ana.jsonl").read_text(encoding="utf-8")

    def test_orgs_are_isolated(self, source: MemoryManager, tmp_path: Path) -> None:
        source.for_org("acme").add_message("user", "Acme sells tea", session="monday")
        source.for_org("acme").export(tmp_path / "acme.jsonl")
        assert [row["content"] for row in rows_of(tmp_path / "acme.jsonl", "turn")] == ["Acme sells tea"]
        assert source.export(tmp_path / "all.jsonl")
        assert "Acme" not in (tmp_path / "all.jsonl").read_text(encoding="utf-8")

    def test_it_goes_to_the_org_that_imports_it(
        self, source: MemoryManager, target: MemoryManager, tmp_path: Path
    ) -> None:
        source.export(tmp_path / "all.jsonl")
        target.for_org("acme").import_(tmp_path / "all.jsonl", trust="system")
        assert everywhere(target) == {}
        assert everywhere(target.for_org("acme")) == everywhere(source)


class TestHistoryOnly:
    def test_no_window_holds_anything(self, source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
        source.export(tmp_path / "all.jsonl")
        target.import_(tmp_path / "all.jsonl")
        for user, agent, session in everywhere(source):
            working = target.scoped(user=user, agent=agent).working(session)
            assert (working.messages, working.summary, working.token_count) == ([], None, 0)
        assert target.stats().conversations == {"open": 0, "ended": 12}
        assert target.stats().jobs.get("queued", 0) == 0

    def test_a_session_is_taken_up_after_it(self, source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
        source.export(tmp_path / "all.jsonl")
        target.import_(tmp_path / "all.jsonl", trust="system")
        ana = target.scoped(user="ana")
        last = ana.working("monday").history()[-1]
        turn = ana.add_message("user", "Good morning, bees and barn again", session="monday")
        assert (turn.position or 0) > (last.position or 0)
        assert [each.content for each in ana.get_messages(session="monday")] == [turn.content]
        (stored,) = ana.end_session("monday").memories
        assert "bees" in stored.content
        assert "tea" not in stored.content
        assert [link.memory_id for link in stored.links if link.relation == "derived_from"] == [turn.id]

    def test_an_open_conversation_takes_nothing_that_it_would_still_show(
        self, target: MemoryManager, tmp_path: Path, clock: FrozenClock
    ) -> None:
        with MemoryManager(":memory:", embedder=None, clock=clock) as other:
            for text in ("one", "two", "three"):
                other.add_message("user", text, session="s")
            other.export(tmp_path / "all.jsonl")
        target.add_message("user", "uno", session="s")
        result = target.import_(tmp_path / "all.jsonl", on_conflict="reject")
        assert sorted(result.rejected.values()) == [
            "another message has its position",
            *["the conversation is open here and goes on: end its session first"] * 2,
        ]
        assert [turn.content for turn in target.working("s").history()] == ["uno"]
        target.end_session("s")
        again = target.import_(tmp_path / "all.jsonl")
        assert (again.created, len(again.skipped)) == (2, 1)
        assert [turn.content for turn in target.working("s").history()] == ["uno", "two", "three"]
        assert target.get_messages(session="s") == []

    def test_an_object_for_windows_is_not_fed_with_it(
        self, source: MemoryManager, tmp_path: Path, clock: FrozenClock
    ) -> None:
        source.export(tmp_path / "all.jsonl")
        settings = Settings(working=SlidingWindowMemory(1_000))
        with MemoryManager(":memory:", embedder=None, clock=clock, settings=settings) as target:
            target.import_(tmp_path / "all.jsonl")
            ana = target.scoped(user="ana")
            assert ana.get_messages(session="monday") == []
            ana.add_message("user", "Good morning", session="monday")
            assert [turn.content for turn in ana.get_messages(session="monday")] == ["Good morning"]


def test_a_conversation_of_turns_alone_is_made(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if json.loads(line)["type"] != "conversation"]
    header, *others = kept
    (tmp_path / "turns.jsonl").write_text("\n".join([header, *reversed(others)]), encoding="utf-8")
    target.import_(tmp_path / "turns.jsonl", trust="system")
    assert everywhere(target).keys() == everywhere(source).keys()
    assert all(everywhere(target)[place] == said for place, said in everywhere(source).items())
