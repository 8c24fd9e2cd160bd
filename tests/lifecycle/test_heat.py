"""Heat: how much a memory is in use. It filters, and never keeps a memory from being found."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import MemoryManager, NotFound, Settings
from engrain.model.filters import Filter, heated, passes
from engrain.model.memory import Memory, accessed, heat
from engrain.testing import FrozenClock
from engrain.testing.rows import NOON
from engrain.testing.rows import memory as made
from tests.lifecycle.living import DAY, opened

HOUR = timedelta(hours=1)


def read(memory: MemoryManager, times: int = 1) -> None:
    """Recall the kettle so many times."""
    for _ in range(times):
        assert memory.recall("kettle", k=1).texts == ("the kettle is on",)


def test_a_new_memory_is_warm_and_cold_after_a_week(clock: FrozenClock) -> None:
    with opened(clock, retention="keep") as memory:
        stored = memory.remember("the kettle is on")
        assert memory.lifecycle.heat(stored.id) == "warm"
        clock.advance(7 * DAY)
        assert memory.lifecycle.heat(stored.id) == "warm"
        clock.advance(timedelta(seconds=1))
        assert memory.lifecycle.heat(stored.id) == "cold"
        read(memory)
        assert memory.lifecycle.heat(stored.id) == "warm"
        with pytest.raises(NotFound):
            memory.lifecycle.heat("mem_unknown")


def test_three_accesses_within_a_week_make_it_hot_for_an_hour(clock: FrozenClock) -> None:
    with opened(clock, retention="keep") as memory:
        stored = memory.remember("the kettle is on")
        read(memory, 2)
        assert memory.lifecycle.heat(stored.id) == "warm"
        read(memory)
        assert memory.lifecycle.heat(stored.id) == "hot"
        clock.advance(HOUR)
        assert memory.lifecycle.heat(stored.id) == "hot"
        clock.advance(timedelta(seconds=1))
        assert memory.lifecycle.heat(stored.id) == "warm"


def test_accesses_that_lie_further_apart_do_not(clock: FrozenClock) -> None:
    with opened(clock, retention="keep") as memory:
        stored = memory.remember("the kettle is on")
        for _ in range(3):
            read(memory)
            memory.flush()
            clock.advance(4 * DAY)
        read(memory)
        assert memory.lifecycle.heat(stored.id) == "warm", "three of the four are eight days apart"


def test_it_filters_reads(clock: FrozenClock) -> None:
    with opened(clock, retention="keep") as memory:
        memory.remember("the bread is brown")
        clock.advance(8 * DAY)
        memory.remember("the kettle is on")
        memory.remember("the tea is green")
        read(memory, 3)
        found = {name: [m.content for m in memory.list_memories(heat=name)] for name in ("hot", "warm", "cold")}
        assert found == {"hot": ["the kettle is on"], "warm": ["the tea is green"], "cold": ["the bread is brown"]}
        assert memory.count(heat=["hot", "cold"]) == 2
        assert memory.recall("bread", heat="cold", touch=False).texts == ("the bread is brown",)
        assert memory.recall("bread", heat="hot", touch=False).texts == ()
        with pytest.raises(ValueError, match="unknown heat 'tepid'"):
            memory.recall("bread", heat="tepid")  # type: ignore[arg-type]


@given(st.lists(st.integers(0, 30 * 24 * 60), max_size=5), st.integers(0, 20 * 24 * 60))
def test_the_filter_says_what_heat_says(minutes: list[int], later: int) -> None:
    now = NOON + timedelta(minutes=30 * 24 * 60 + later)
    one: Memory = made("the kettle is on")
    if minutes:
        last, before = accessed((), [NOON + timedelta(minutes=each) for each in minutes])
        one = made("the kettle is on", last_accessed=last, accessed_before=before)
    found = [
        name for name in ("hot", "warm", "cold") if passes(one, Filter("default", None, False, (heated([name], now),)))
    ]
    assert found == [heat(one, now)]


def test_a_cold_memory_is_found_all_the_same(tmp_path: object, clock: FrozenClock) -> None:
    """The same questions are answered alike, in the same order, whatever is hot, warm or cold."""
    names = ["kettle", "bread", "tea", "jam", "oven", "spoon"]
    with MemoryManager(f"{tmp_path}/m.db", clock=clock, settings=Settings(worker="none")) as memory:
        for number, name in enumerate(names * 5):
            memory.remember(f"the {name} number {number} stands on shelf {number % 7}", importance=0.5)
        before = {name: memory.recall(name, k=8, touch=False).texts for name in names}
        clock.advance(400 * DAY)
        memory.sweep()
        assert memory.count(heat="cold") == 30
        assert {name: memory.recall(name, k=8, touch=False).texts for name in names} == before
