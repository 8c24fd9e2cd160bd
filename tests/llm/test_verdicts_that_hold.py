"""Whether a verdict holds is told by one row while nobody writes, and else by who is nearest now."""

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
from engrain.write.draft import draft
from engrain.write.extraction import Bench, Hearing
from tests.llm.models import opened

SAID = "The meeting room has a green door"


@pytest.fixture
def memory() -> Iterator[MemoryManager]:
    with opened(embedder=None) as memory:
        memory.remember("The meeting room has a blue door")
        yield memory


def heard(memory: MemoryManager, decider: Decider | None) -> Bench:
    engine, scope = memory._engine, Scope("default", "ana")
    item = draft(SAID, scope=scope, settings=memory.settings)
    bench = Bench(engine, decider, partial(nearest, engine, scope), [Hearing(item, Candidate(content=SAID))])
    bench.hear()
    return bench


def holds(memory: MemoryManager, bench: Bench) -> tuple[bool, bool]:
    """Return whether a verdict holds at a glance, and at a thorough look."""
    with memory.store.read() as reader:
        return bench.holds(reader, thorough=False), bench.holds(reader, thorough=True)


def test_it_holds_while_nobody_writes(memory: MemoryManager) -> None:
    bench = heard(memory, ScriptedDecider(["UPDATE"]))
    memory.recall(SAID)
    assert holds(memory, bench) == (True, True)


def test_what_was_written_elsewhere_takes_a_thorough_look(memory: MemoryManager) -> None:
    bench = heard(memory, ScriptedDecider(["UPDATE"]))
    memory.remember("Ferries leave at noon")
    assert holds(memory, bench) == (False, True)
    bench.hear_again()
    assert holds(memory, bench) == (True, True)
    assert bench.hearings[0].times == 1


def test_it_holds_no_longer_when_somebody_else_is_near(memory: MemoryManager) -> None:
    bench = heard(memory, ScriptedDecider(["UPDATE", "NOOP"]))
    memory.remember(f"{SAID} since May")
    assert holds(memory, bench) == (False, False)
    bench.hear_again()
    assert holds(memory, bench) == (True, True)
    (hearing,) = bench.hearings
    assert hearing.verdict is not None
    assert (hearing.verdict.operation, hearing.times, len(hearing.shown)) == ("NOOP", 2, 2)


def test_who_is_asked_twice_is_asked_no_more(memory: MemoryManager) -> None:
    decider = ScriptedDecider(["UPDATE", "UPDATE"])
    bench = heard(memory, decider)
    for number in range(3):
        memory.remember(f"{SAID}, says witness {number}")
        bench.hear_again()
    assert holds(memory, bench) == (True, True)
    (hearing,) = bench.hearings
    assert hearing.verdict is not None
    assert (hearing.verdict.operation, hearing.verdict.target, len(decider.calls)) == ("ADD", None, 2)


def test_what_is_given_up_holds_whatever_is_written(memory: MemoryManager) -> None:
    bench = heard(memory, ScriptedDecider(["UPDATE"]))
    bench.give_up()
    memory.remember(f"{SAID} since May")
    assert holds(memory, bench) == (False, True)


def test_without_a_verdict_there_is_nothing_to_hold(memory: MemoryManager) -> None:
    unjudged, failed = heard(memory, None), heard(memory, ScriptedDecider([]))
    memory.remember(f"{SAID} since May")
    assert holds(memory, unjudged) == holds(memory, failed) == (True, True)


def test_only_what_was_used_of_late_is_kept() -> None:
    cache = LRUCache(2)
    cache.put("a", "1")
    cache.put("b", "2")
    assert cache.get("a") == "1"
    cache.put("c", "3")
    assert [cache.get(key) for key in "abc"] == ["1", None, "3"]
