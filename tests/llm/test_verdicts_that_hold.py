"""A verdict is valid by one row while nothing is written, and otherwise by the nearest memories of now."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from engrain import MemoryManager
from engrain.engine import LRUCache
from engrain.model.memory import Scope
from engrain.protocols import Candidate, Decider
from engrain.read.listing import nearest
from engrain.testing import ScriptedDecider
from engrain.write.extraction import FactJudge, JudgedFact
from engrain.write.prepare import draft
from tests.llm.models import opened

SAID = "The meeting room has a green door"


@pytest.fixture
def memory() -> Iterator[MemoryManager]:
    with opened(embedder=None) as memory:
        memory.remember("The meeting room has a blue door")
        yield memory


def judged(memory: MemoryManager, decider: Decider | None) -> FactJudge:
    engine, scope = memory._engine, Scope("default", "ana")
    item = draft(SAID, scope=scope, settings=memory.settings)
    judge = FactJudge(engine, decider, partial(nearest, engine, scope), [JudgedFact(item, Candidate(content=SAID))])
    judge.judge()
    return judge


def holds(memory: MemoryManager, judge: FactJudge) -> tuple[bool, bool]:
    """Return whether a verdict holds at a glance, and at a thorough look."""
    with memory.store.read() as reader:
        return judge.holds(reader, thorough=False), judge.holds(reader, thorough=True)


def test_it_holds_while_nobody_writes(memory: MemoryManager) -> None:
    judge = judged(memory, ScriptedDecider(["UPDATE"]))
    memory.recall(SAID)
    assert holds(memory, judge) == (True, True)


def test_what_was_written_elsewhere_takes_a_thorough_look(memory: MemoryManager) -> None:
    judge = judged(memory, ScriptedDecider(["UPDATE"]))
    memory.remember("Ferries leave at noon")
    assert holds(memory, judge) == (False, True)
    judge.judge()
    assert holds(memory, judge) == (True, True)
    assert judge.facts[0].times == 1


def test_it_is_outdated_when_another_memory_is_near(memory: MemoryManager) -> None:
    judge = judged(memory, ScriptedDecider(["UPDATE", "NOOP"]))
    memory.remember(f"{SAID} since May")
    assert holds(memory, judge) == (False, False)
    judge.judge()
    assert holds(memory, judge) == (True, True)
    (fact,) = judge.facts
    assert fact.verdict is not None
    assert (fact.verdict.operation, fact.times, len(fact.shown or ())) == ("NOOP", 2, 2)


def test_who_is_asked_twice_is_asked_no_more(memory: MemoryManager) -> None:
    decider = ScriptedDecider(["UPDATE", "UPDATE"])
    judge = judged(memory, decider)
    for number in range(3):
        memory.remember(f"{SAID}, says witness {number}")
        judge.judge()
    assert holds(memory, judge) == (True, True)
    (fact,) = judge.facts
    assert fact.verdict is not None
    assert (fact.verdict.operation, fact.verdict.target, len(decider.calls)) == ("ADD", None, 2)


def test_what_is_given_up_holds_whatever_is_written(memory: MemoryManager) -> None:
    judge = judged(memory, ScriptedDecider(["UPDATE"]))
    judge.give_up()
    memory.remember(f"{SAID} since May")
    assert holds(memory, judge) == (False, True)


def test_without_a_verdict_there_is_nothing_to_hold(memory: MemoryManager) -> None:
    unjudged, failed = judged(memory, None), judged(memory, ScriptedDecider([]))
    memory.remember(f"{SAID} since May")
    assert holds(memory, unjudged) == holds(memory, failed) == (True, True)


def test_only_what_was_used_of_late_is_kept() -> None:
    cache = LRUCache(2)
    cache.put("a", "1")
    cache.put("b", "2")
    assert cache.get("a") == "1"
    cache.put("c", "3")
    assert [cache.get(key) for key in "abc"] == ["1", None, "3"]
