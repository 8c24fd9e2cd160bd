"""A verdict holds only while what it was passed on is so: it is looked at again in the transaction that carries it out.

The models here write to the store while they are asked, from another thread and another manager: nothing is locked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engrain import MemoryManager
from engrain.testing import ScriptedDecider
from tests.llm.models import Model, Script, found, opened

KNOWN = "The meeting room has a blue door"
SAID = "The meeting room has a green door"
UPDATE = {"operation": "UPDATE", "target": 1, "reason": "painted"}


def meanwhile(place: Path, change: Callable[[MemoryManager], Any], answer: Any = UPDATE) -> Callable[[str], Any]:
    """Return an answer given after another writer has changed the store."""

    def given(_: str) -> Any:
        def write() -> None:
            with opened(place) as other:
                change(other)

        thread = threading.Thread(target=write)
        thread.start()
        thread.join(timeout=20)
        assert not thread.is_alive(), "the store is locked while a model is asked"
        return answer

    return given


def test_a_neighbour_that_came_meanwhile_is_shown_before_anything_is_written(tmp_path: Path) -> None:
    other = "The meeting room has a green door since May"
    llm = Model(
        extract=found(SAID),
        verdict=Script([meanwhile(tmp_path, lambda m: m.remember(other)), {"operation": "NOOP", "target": 1}]),
    )
    with opened(tmp_path, llm) as memory:
        known = memory.remember(KNOWN)
        outcome = memory.remember(SAID, evolve=True)
        still = memory.get(known.id)
    assert still is not None
    assert still.superseded_by is None
    assert (outcome.status, outcome.decision.judged_by) == ("noop", "test:model")
    assert other not in llm.prompts[1]
    assert other in llm.prompts[2]


def test_a_memory_edited_meanwhile_is_judged_by_its_new_text(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        known = memory.remember(KNOWN)
    edit = meanwhile(tmp_path, lambda m: m.update(known.id, content="The meeting room has a red door"))
    llm = Model(extract=found(SAID), verdict=Script([edit, {"operation": "ADD"}]))
    with opened(tmp_path, llm) as memory:
        outcome = memory.remember(SAID, evolve=True)
    assert (outcome.status, outcome.decision.stage) == ("created", "5 verdict")
    assert "red door" in llm.prompts[2]


def test_a_memory_forgotten_meanwhile_is_not_judged(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        known = memory.remember(KNOWN)
    llm = Model(extract=found(SAID), verdict=Script([meanwhile(tmp_path, lambda m: m.forget(known.id))]))
    with opened(tmp_path, llm) as memory:
        outcome = memory.remember(SAID, evolve=True)
    assert (outcome.status, outcome.decision.judged_by) == ("created", "rules")
    assert llm.asked == ["extract", "verdict"]


def test_where_it_changes_each_time_the_text_is_added(tmp_path: Path) -> None:
    numbers = iter(range(9))

    def other(memory: MemoryManager) -> None:
        memory.remember(f"The meeting room has a green door, says witness {next(numbers)}")

    llm = Model(extract=found(SAID), verdict=meanwhile(tmp_path, other))
    with opened(tmp_path, llm) as memory:
        known = memory.remember(KNOWN)
        outcome = memory.remember(SAID, evolve=True)
        still = memory.get(known.id)
        live = {each.content for each in memory.iter_memories()}
    assert (outcome.status, outcome.decision.kind, outcome.decision.judged_by) == ("created", "add", "rules")
    assert "changed each time" in outcome.decision.reason
    assert still is not None
    assert still.superseded_by is None
    assert {KNOWN, SAID} <= live
    assert llm.asked == ["extract", "verdict", "verdict"]


def test_an_unrelated_memory_may_change(tmp_path: Path) -> None:
    far = meanwhile(tmp_path, lambda m: m.scoped(agent="scout").remember("Ferries leave at noon"))
    llm = Model(extract=found(SAID), verdict=Script([far]))
    with opened(tmp_path, llm, agent="clerk") as memory:
        memory.remember(KNOWN)
        assert memory.remember(SAID, evolve=True).status == "updated"
    assert llm.asked == ["extract", "verdict"]


def test_only_the_fact_that_it_concerns_is_judged_again(tmp_path: Path) -> None:
    pets = "Ana has a black dog"
    change = meanwhile(tmp_path, lambda m: m.remember("Ana has a black dog called Rex"), {"operation": "ADD"})
    llm = Model(extract=found(SAID, pets), verdict=Script([UPDATE, change, {"operation": "NOOP", "target": 1}]))
    with opened(tmp_path, llm, embedder=None) as memory:
        memory.remember(KNOWN)
        memory.remember("Ana has a brown dog")
        outcome = memory.remember(f"{SAID}. {pets}.", evolve=True)
    assert [outcome.status, *(each.status for each in outcome.others)] == ["updated", "noop"]
    assert llm.asked == ["extract", *["verdict"] * 3]


def test_words_of_a_verdict_that_does_not_hold_leave_nothing_behind(tmp_path: Path) -> None:
    words = "The meeting room door was blue and is green now"
    change = meanwhile(tmp_path, lambda m: m.remember(f"{KNOWN} again"), {**UPDATE, "content": words})
    llm = Model(extract=found(SAID), verdict=Script([change, {"operation": "ADD"}]))
    with opened(tmp_path, llm) as memory:
        memory.remember(KNOWN)
        memory.remember(SAID, evolve=True)
        assert list(memory.iter_memories(status="archived")) == []
        assert words not in {each.content for each in memory.iter_memories()}


def test_a_decider_of_the_callers_own_is_asked_again_too(tmp_path: Path) -> None:
    change = meanwhile(tmp_path, lambda m: m.remember(f"{SAID} since May"))
    decider = ScriptedDecider(lambda candidate, hits: change("") and "ADD" if len(hits) < 2 else "NOOP")
    with opened(tmp_path, decider=decider) as memory:
        memory.remember(KNOWN)
        assert memory.remember(SAID, evolve=True).status == "noop"
    assert [len(shown) for _, shown in decider.calls] == [1, 2]


def test_a_store_that_never_rests_is_written_all_the_same(tmp_path: Path) -> None:
    stop = threading.Event()

    def chatter() -> None:
        with opened(tmp_path) as other:
            busy = other.scoped(agent="scout")
            for n in range(10_000):
                if stop.is_set():
                    return
                busy.remember(f"Ferry number {n} leaves at noon", kind="episodic")

    llm = Model(extract=found(SAID), verdict=UPDATE)
    with opened(tmp_path, llm, agent="clerk") as memory:
        memory.remember(KNOWN)
        thread = threading.Thread(target=chatter)
        thread.start()
        try:
            outcome = memory.remember(SAID, evolve=True)
        finally:
            stop.set()
            thread.join()
    assert outcome.status == "updated"
