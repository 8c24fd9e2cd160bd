"""The log of turns as adapters use it: exact items, many at once, the last ones, taken back, replaced, erased."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain import GovernanceViolation, MemoryManager, Settings, Turn
from engrain.client import Client
from engrain.testing import FrozenClock
from engrain.views import Working
from tests.servers import serving_whole

ITEMS: list[Any] = [
    {"role": "user", "content": "I keep bees in Tbilisi."},
    {"type": "function_call", "call_id": "c1", "arguments": '{"a": "\x00"}'},
    [1, None, {"": "\ud800"}],
    {"role": "user", "content": "I keep bees in Tbilisi."},
]


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryManager]:
    """A memory in a session."""
    settings = Settings(worker="none")
    with MemoryManager(tmp_path / "memory.db", embedder=None, clock=clock, settings=settings) as manager:
        yield manager


@pytest.fixture
def log(memory: MemoryManager) -> Working:
    """The log of a session."""
    return memory.working("monday")


def exact(items: list[Any]) -> list[dict[str, Any]]:
    found = []
    for item in items:
        text = item.get("content", "") if isinstance(item, dict) else ""
        found.append({"role": "user", "content": text, "data": item})
    return found


def contents(turns: list[Turn]) -> list[str]:
    return [turn.content for turn in turns]


def test_items_come_back_exactly_and_equal_ones_are_two(memory: MemoryManager, log: Working) -> None:
    appended = log.extend(exact(ITEMS))
    assert [turn.data for turn in appended] == [turn.data for turn in log.last(10)] == ITEMS
    assert [turn.data for turn in log.history()] == [turn.data for turn in log.messages] == ITEMS
    assert [turn.data for turn in log.last(2)] == ITEMS[-2:]
    assert (log.last(0), len({turn.id for turn in appended})) == ([], 4)
    assert memory.count(session="monday") == 2
    turn = memory.add_message("tool", "cold", session="monday", data={"n": 1}, tool_call_id="c1")
    assert (turn.data, turn.metadata) == ({"n": 1}, {"tool_call_id": "c1"})
    assert log.add("user", "plain").data is None
    for wrong in (float("nan"), {1: 2}, object()):
        with pytest.raises((TypeError, ValueError), match="data"):
            log.add("user", "plain", data=wrong)
    with pytest.raises(ValueError, match="n is"):
        log.last(-1)


def test_many_turns_are_appended_together_or_not_at_all(log: Working, memory: MemoryManager) -> None:
    before = len(memory.audit_log(limit=1000))
    log.extend([{"role": "user", "content": f"Number {n} of the hives."} for n in range(50)])
    assert contents(log.last(2)) == ["Number 48 of the hives.", "Number 49 of the hives."]
    assert len(memory.audit_log(limit=1000)) == before + 50
    with pytest.raises(GovernanceViolation):
        log.extend([{"role": "user", "content": "fine"}, {"role": "user", "content": "x" * 2_000_000}])
    assert log.last(1)[0].content == "Number 49 of the hives."
    assert log.extend([]) == []


def test_a_popped_turn_takes_its_memory_with_it(memory: MemoryManager, log: Working) -> None:
    log.extend([{"role": "user", "content": "I keep bees."}, {"role": "system", "content": "Be brief."}])
    log.add("user", "My hive is green.", data={"x": 1})
    memory.flush()
    popped = log.pop()
    assert popped is not None
    assert (popped.content, popped.data) == ("My hive is green.", {"x": 1})
    assert memory.get(popped.id) is None
    assert not [each for each in memory.list_memories(status="all") if "green" in each.content]
    assert (contents(log.messages), log.token_count > 0) == (["I keep bees.", "Be brief."], True)
    assert [turn.content for turn in (log.pop(), log.pop()) if turn] == ["Be brief.", "I keep bees."]
    assert (log.pop(), log.messages, log.token_count, memory.count(status="all")) == (None, [], 0, 0)
    log.add("user", "Again.")
    assert contents(log.messages) == ["Again."]
    assert memory.verify_audit().ok
    assert memory.audit_integrity().integrity_score == 1.0


def test_a_popped_turn_leaves_no_trace_in_a_summary(tmp_path: Path) -> None:
    settings = Settings(worker="none", working={"max_tokens": 120})
    with MemoryManager(tmp_path / "m.db", embedder=None, settings=settings, session="s") as memory:
        for n in range(20):
            memory.working.add("user", f"The hive number {n} is painted in the colour {n}.")
        while memory.working.pop() is not None:
            pass
        assert (memory.working.messages, memory.working.summary) == ([], None)


def test_a_log_is_replaced_whole(memory: MemoryManager, log: Working) -> None:
    log.extend([{"role": "user", "content": "I keep bees."}, {"role": "assistant", "content": "How many hives?"}])
    replaced = log.replace([{"role": "user", "content": "I keep cats.", "data": {"n": 1}}])
    assert contents(replaced) == contents(log.messages) == contents(list(log.history())) == ["I keep cats."]
    assert [each.content for each in memory.list_memories(status="all")] == ["I keep cats."]
    with pytest.raises(GovernanceViolation):
        log.replace([{"role": "user", "content": "x" * 2_000_000}])
    assert contents(log.messages) == ["I keep cats."]
    assert (log.replace([]), log.messages, memory.count(status="all")) == ([], [], 0)


def test_erasing_a_log_proves_that_no_byte_is_left(memory: MemoryManager, log: Working, tmp_path: Path) -> None:
    other = memory.working("tuesday")
    for each in (log, other):
        each.add("user", "A quixotic zeppelin.", data={"word": "kaleidoscope"})
    log.add("system", "saffron marzipan")
    assert log.clear() is None
    assert len(log.history()) == 2
    done = log.clear(erase=True, reason="asked to")
    assert done is not None and done.receipt is not None  # noqa: PT018
    assert (done.count, done.receipt.status, done.receipt.verified) == (1, "complete", True)
    assert (list(log.history()), log.messages) == ([], [])
    found = b"".join(path.read_bytes() for path in tmp_path.glob("memory.db*"))
    assert b"marzipan" not in found
    assert contents(other.last(1)) == ["A quixotic zeppelin."]
    other.clear(erase=True)
    found = b"".join(path.read_bytes() for path in tmp_path.glob("memory.db*"))
    assert b"kaleidoscope" not in found
    assert b"quixotic" not in found


def test_the_items_of_turns_are_exported_and_moved(memory: MemoryManager, log: Working, tmp_path: Path) -> None:
    log.extend(exact(ITEMS))
    memory.end_session("monday")
    memory.export(tmp_path / "export.jsonl")
    with MemoryManager(tmp_path / "other.db", embedder=None) as other:
        assert other.import_(tmp_path / "export.jsonl", trust="system").rejected == {}
        assert [turn.data for turn in other.working("monday").history()] == ITEMS


def test_a_server_has_the_same_log(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory, serving_whole(memory) as url:
        client = Client(url)
        log, here = client.working("monday"), memory.working("monday")
        assert [turn.data for turn in log.extend(exact(ITEMS))] == ITEMS
        assert log.last(3) == here.last(3)
        popped = log.pop()
        assert popped is not None
        assert popped.data == ITEMS[-1]
        assert log.add("user", "more", data={"n": 1}).data == {"n": 1}
        assert contents(log.replace([{"role": "user", "content": "new"}])) == contents(here.last(9)) == ["new"]
        assert log.clear() is None
        erased = log.clear(erase=True)
        assert (erased is not None and erased.count, log.pop(), here.last(9)) == (1, None, [])
        client.close()
