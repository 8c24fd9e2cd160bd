"""What is true now: a memory holds from `valid_from` up to, and not at, `valid_until`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.testing import FrozenClock
from tests.behaviour import texts

# The clock stands at noon of 2026-01-05.
INTERVALS = {
    "no interval": ({}, True),
    "begins now": ({"valid_from": "2026-01-05T12:00:00Z"}, True),
    "begins in a moment": ({"valid_from": "2026-01-05T12:00:00.000001Z"}, False),
    "begins tomorrow": ({"valid_from": "2026-01-06"}, False),
    "began and ends tomorrow": ({"valid_from": "2026-01-01", "valid_until": "2026-01-06"}, True),
    "ends in a moment": ({"valid_until": "2026-01-05T12:00:00.000001Z"}, True),
    "ends now": ({"valid_from": "2026-01-01", "valid_until": "2026-01-05T12:00:00Z"}, False),
    "ended": ({"valid_from": "2026-01-01", "valid_until": "2026-01-02"}, False),
    "never was": ({"valid_from": "2026-01-01", "valid_until": "2026-01-01"}, False),
}


@pytest.mark.parametrize(("interval", "shown"), INTERVALS.values(), ids=INTERVALS)
def test_reads_show_what_holds_now(memory: MemoryManager, interval: dict[str, Any], shown: bool) -> None:
    kept, status = memory.remember("the bridge is open", **interval)
    found = ["the bridge is open"] if shown else []
    assert status == "created"
    assert list(memory.recall("bridge", touch=False).texts) == found
    assert list(memory.recall("", touch=False).texts) == found
    assert texts(memory.list_memories()) == found
    assert memory.count() == len(found)
    assert memory.get(kept.id) == kept
    assert texts(memory.list_memories(status="all")) == ["the bridge is open"]


def test_it_comes_and_goes_with_the_clock(memory: MemoryManager, clock: FrozenClock) -> None:
    memory.remember("the fair is on", valid_from="2026-01-06", valid_until="2026-01-07")
    seen = []
    for _ in range(5):
        seen.append((clock.now().strftime("%d %H"), memory.count(), len(memory.recall("fair"))))
        clock.advance(timedelta(hours=12))
    assert seen == [("05 12", 0, 0), ("06 00", 1, 1), ("06 12", 1, 1), ("07 00", 0, 0), ("07 12", 0, 0)]


@pytest.mark.parametrize(
    ("now", "found"),
    [("2026-01-05T23:59:59Z", 0), ("2026-01-06", 1), ("2026-01-07T00:00:00+02:00", 1), ("2026-01-07", 0)],
)
def test_now_is_the_clock_of_the_question(memory: MemoryManager, now: str, found: int) -> None:
    memory.remember("the fair is on", valid_from="2026-01-06", valid_until="2026-01-07")
    assert len(memory.recall("fair", now=now)) == found


def test_an_ended_memory_keeps_its_status(memory: MemoryManager, clock: FrozenClock) -> None:
    kept, _ = memory.remember("the fair is on", valid_until="2026-01-06")
    clock.advance(timedelta(days=9))
    ended = memory.get(kept.id)
    assert ended is not None
    assert ended.status == "active"
    assert not ended.is_live_at(clock.now())
    assert memory.count(status="expired") == 0


@pytest.mark.parametrize(
    ("window", "found"),
    [
        ({"since": "2026-01-02"}, ["second", "third"]),
        ({"until": "2026-01-02"}, ["first"]),
        ({"since": "2026-01-02", "until": "2026-01-03"}, ["second"]),
        ({"since": "2026-01-02", "until": "2026-01-02"}, []),
        ({"since": "2026-01-03", "until": "2026-01-01"}, []),
        ({"since": "2026-01-02T01:00:00+01:00"}, ["second", "third"]),
    ],
    ids=str,
)
def test_since_and_until_compare_event_time_half_open(
    memory: MemoryManager, window: dict[str, Any], found: list[str]
) -> None:
    for day, text in enumerate(("first", "second", "third"), start=1):
        memory.remember(text, valid_from=f"2026-01-0{day}")
    assert texts(memory.list_memories(order="valid_from", **window)) == found
    assert sorted(memory.recall("", **window).texts) == sorted(found)
    assert memory.count(**window) == len(found)


@pytest.mark.parametrize(
    ("interval", "says"),
    [
        ({"valid_from": "2026-01-02", "valid_until": "2026-01-01"}, "before valid_from"),
        ({"valid_until": "2026-01-01"}, "has passed: give valid_from too, when it began"),
    ],
)
def test_an_end_before_the_beginning_is_refused(memory: MemoryManager, interval: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        memory.remember("the fair is on", **interval)
    assert memory.count(status="all") == 0


def test_an_edit_may_end_it_and_open_it_again(memory: MemoryManager) -> None:
    kept = memory.remember("the bridge is open", valid_from="2026-01-01").id
    memory.update(kept, valid_until="2026-01-03")
    assert (memory.count(), memory.recall("bridge").texts) == (0, ())
    memory.update(kept, valid_until=None)
    assert (memory.count(), memory.recall("bridge").texts) == (1, ("the bridge is open",))
