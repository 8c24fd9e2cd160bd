"""Ranking: a memory long unused counts a little less, and one in use a little more."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import RetentionPolicy
from engrain.config import Settings
from engrain.lazy import np
from engrain.model.filters import Filter
from engrain.model.memory import Kind, Memory
from engrain.opening import open_store
from engrain.policies import Convex
from engrain.policies.retention import Retention
from engrain.read.ranking import effective_importance
from engrain.storage.rows import Record
from engrain.testing import FrozenClock
from engrain.testing.rows import NOON
from engrain.testing.rows import memory as made
from tests.lifecycle.living import DAY, opened
from tests.rounds import rounds

POLICIES = (
    RetentionPolicy(kind="semantic", domain="incident", curve="step", threshold=3),
    RetentionPolicy(agent="scout", curve="exponential", rate=0.2),
    RetentionPolicy(kind="procedural", curve="logarithmic", alpha=2, horizon=60),
)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """Make a memory of any kind, domain and agent, used or not."""
    used = draw(st.none() | st.integers(1, 500))
    return made(
        "a text",
        session="s",
        agent=draw(st.sampled_from([None, "scout", "baker"])),
        kind=draw(st.sampled_from(Kind)),
        domain=draw(st.sampled_from(["general", "incident"])),
        importance=draw(st.sampled_from([0.0, 0.05, 0.3, 0.5, 0.99, 1.0])),
        last_accessed=None if used is None else NOON + timedelta(hours=used),
        access_count=0 if used is None else draw(st.integers(1, 100)),
        strength=draw(st.sampled_from([1.0, 1.5, 2.0])),
    )


@pytest.mark.parametrize("retention", [Retention(), Retention("bounded", POLICIES)], ids=["keep", "policies"])
@settings(max_examples=rounds(20))
@given(found=st.lists(memories(), min_size=1, max_size=30), hours=st.integers(0, 3000))
def test_the_columns_of_ranking_say_what_the_formula_says(
    retention: Retention, found: list[Memory], hours: int
) -> None:
    now: datetime = NOON + timedelta(hours=hours)
    store = open_store(":memory:", Settings(durability="normal"))
    try:
        rows = [Record(replace(one, id=f"mem_{place:04d}"), None, "") for place, one in enumerate(found)]
        nums = store.write(lambda transaction: transaction.put(*rows), "default")
        with store.read("default") as reader:
            found_columns = reader.describe(np.array(nums, np.int64), Filter("default")).columns
        computed = effective_importance(found_columns, retention, now)
        wanted = [retention.effective(one, now) for one in found]
        assert computed.tolist() == pytest.approx(wanted, abs=1e-6)
    finally:
        store.close()


def test_the_worked_figures(clock: FrozenClock) -> None:
    with opened(clock, RetentionPolicy(kind="semantic", curve="exponential", rate=0.1), retention="keep") as memory:
        stored = memory.remember("the tea is green", importance=0.8)
        lifecycle = memory.lifecycle
        assert lifecycle.effective_importance(stored.id) == pytest.approx(0.8)
        assert lifecycle.effective_importance(stored.id, at="2026-01-15T12:00:00+00:00") == pytest.approx(
            0.294304, abs=1e-6
        )
        memory.recall("tea")
        assert lifecycle.effective_importance(stored.id) == pytest.approx(0.8 * 1.2 * (1 + 0.1 * 0.19824), abs=1e-4)
        clock.advance(10 * DAY)
        later = 0.8 * 2.718281828 ** (-0.1 * 10 / 1.1) * (1 + 0.2 * 2.718281828 ** (-10 / 7)) * (1 + 0.1 * 0.19824)
        assert lifecycle.effective_importance(stored.id) == pytest.approx(later, abs=1e-4)
        assert memory.get(stored.id).importance == 0.8  # type: ignore[union-attr]


def test_of_two_alike_the_one_that_faded_comes_second(clock: FrozenClock) -> None:
    fast = RetentionPolicy(kind="semantic", curve="exponential", rate=0.5)
    with opened(clock, fast, retention="keep") as memory:
        memory.remember("the kettle of Ana is on", importance=0.9)
        clock.advance(30 * DAY)
        memory.remember("the kettle of Bo is on", importance=0.5)
        weighed = Convex(importance=0.1)
        assert memory.recall("kettle", ranking=weighed, touch=False).texts[0] == "the kettle of Bo is on"
        assert memory.recall("kettle", touch=False, now="2026-01-05T13:00:00+00:00").texts == (
            "the kettle of Ana is on",
        )
