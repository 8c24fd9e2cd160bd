"""A time to live: when it is over, the memory is expired at once, before anything sweeps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.testing import FrozenClock
from tests.behaviour import texts

MOMENT = timedelta(microseconds=1)


@pytest.mark.parametrize("ttl", [90, 90.0, timedelta(seconds=90)], ids=["seconds", "float", "timedelta"])
def test_a_ttl_is_seconds_or_a_timedelta(memory: MemoryManager, clock: FrozenClock, ttl: Any) -> None:
    kept, _ = memory.remember("the kettle is on", ttl=ttl)
    assert kept.expires_at == clock.now() + timedelta(seconds=90)


@pytest.fixture
def kettle(memory: MemoryManager) -> str:
    """The id of a memory that lives for a minute; another one stays."""
    memory.remember("the tea is green")
    memory_id: str = memory.remember("the kettle is on", key="kettle", ttl=60).id
    return memory_id


def test_it_lives_until_the_last_moment(memory: MemoryManager, clock: FrozenClock, kettle: str) -> None:
    clock.advance(timedelta(minutes=1) - MOMENT)
    assert getattr(memory.get(kettle), "status", None) == "active"
    assert memory.recall("kettle").texts[0] == "the kettle is on"
    assert (memory.count(), memory.count(status="expired")) == (2, 0)


class TestAtItsEnd:
    @pytest.fixture(autouse=True)
    def _a_minute_later(self, kettle: str, clock: FrozenClock) -> None:
        clock.advance(timedelta(minutes=1))

    def test_get_says_so(self, memory: MemoryManager, kettle: str) -> None:
        for found in (memory.get(kettle), memory.get(key="kettle")):
            assert found is not None
            assert (found.status, found.status_reason) == ("expired", "ttl")

    def test_history_and_an_edit_say_so_too(self, memory: MemoryManager, kettle: str) -> None:
        assert [m.status for m in memory.history(kettle)] == ["expired"]
        assert memory.update(kettle, tier="A").status == "expired"
        assert memory.update(kettle, ttl=None).status == "active"

    def test_recall_and_context_leave_it_out(self, memory: MemoryManager) -> None:
        assert "the kettle is on" not in memory.recall("kettle").texts
        assert "the kettle is on" not in memory.recall("").texts
        assert "kettle" not in memory.context("is the kettle on?")

    @pytest.mark.parametrize(
        ("status", "found"),
        [
            ("active", ["the tea is green"]),
            ("expired", ["the kettle is on"]),
            (["active", "expired"], ["the kettle is on", "the tea is green"]),
            ("all", ["the kettle is on", "the tea is green"]),
            ("archived", []),
            ("forgotten", []),
        ],
        ids=str,
    )
    def test_lists_and_counts_know_it_as_expired(self, memory: MemoryManager, status: Any, found: list[str]) -> None:
        assert sorted(texts(memory.list_memories(status=status))) == found
        assert sorted(texts(memory.iter_memories(status=status))) == found
        assert memory.count(status=status) == len(found)

    def test_a_listed_one_carries_the_status(self, memory: MemoryManager) -> None:
        assert [m.status for m in memory.list_memories(status="expired")] == ["expired"]

    def test_stats_count_it_as_expired(self, memory: MemoryManager) -> None:
        assert dict(memory.stats().by_status) == {"active": 1, "expired": 1}

    def test_an_earlier_question_still_finds_it(self, memory: MemoryManager) -> None:
        assert "the kettle is on" in memory.recall("kettle", now="2026-01-05T12:00:30Z").texts


@pytest.mark.parametrize("ttl", [None, 3600])
def test_an_edit_may_lengthen_its_life(memory: MemoryManager, clock: FrozenClock, kettle: str, ttl: int | None) -> None:
    memory.update(kettle, ttl=ttl)
    clock.advance(timedelta(minutes=2))
    assert getattr(memory.get(kettle), "status", None) == "active"
    assert memory.count() == 2


def test_an_edit_counts_from_when_it_was_learned(memory: MemoryManager, clock: FrozenClock, kettle: str) -> None:
    clock.advance(timedelta(seconds=30))
    memory.update(kettle, ttl=40)
    clock.advance(timedelta(seconds=10))
    assert getattr(memory.get(kettle), "status", None) == "expired"


@pytest.mark.parametrize(
    ("ttl", "error", "says"),
    [
        (0, ValueError, "it must be positive"),
        (-1, ValueError, "ttl is -1: it must be positive"),
        (timedelta(0), ValueError, "it must be positive"),
        (float("nan"), ValueError, "ttl must be finite: leave it out"),
        (float("inf"), ValueError, "ttl must be finite: leave it out"),
        (1e300, ValueError, "reaches past the year 9999: leave it out"),
        (timedelta.max, ValueError, "reaches past the year 9999: leave it out"),
        (True, TypeError, 'ttl must be a timedelta, seconds or a text such as "7d", not bool'),
        ("soon", ValueError, "'soon' is not a duration"),
    ],
    ids=str,
)
def test_a_ttl_that_is_none_is_refused(memory: MemoryManager, ttl: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        memory.remember("the kettle is on", ttl=ttl)
    assert memory.count(status="all") == 0


def test_a_procedure_has_none(memory: MemoryManager) -> None:
    with pytest.raises(ValueError, match="a procedural memory has no ttl"):
        memory.remember("boil the water", kind="procedural", ttl=60)
