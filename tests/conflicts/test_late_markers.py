"""A marker speaks from its own time: what it says cannot replace what came after."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engrain import MemoryManager


@pytest.fixture
def memory():
    with MemoryManager(":memory:", user="ana", embedder=None) as manager:
        yield manager


def at(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)


def test_a_value_that_arrives_late_ends_where_the_known_one_begins(memory: MemoryManager) -> None:
    known = memory.remember("The locker code is now 4411.", valid_from=at(2020))
    late = memory.remember("The locker code is now 9922.", valid_from=at(2018))
    assert late.status == "created"
    assert late.memory is not None
    assert (late.memory.valid_until, late.memory.superseded_by) == (at(2020), known.id)
    assert [m.id for m in memory.history(known.id)] == [late.id, known.id]
    assert [m.id for m in memory.list_memories(as_of=at(2019))] == [late.id]
    assert [m.id for m in memory.list_memories()] == [known.id]


def test_a_correction_from_before_corrects_nothing_that_came_after(memory: MemoryManager) -> None:
    known = memory.remember("The locker code is 4411.", valid_from=at(2020))
    memory.remember("Correction: the locker code is 9922.", valid_from=at(2018))
    held = memory.get(known.id)
    assert held is not None
    assert (held.believed_until, held.superseded_by) == (None, None)


def test_a_move_from_an_unknown_place_is_a_move(memory: MemoryManager) -> None:
    memory.remember("Kira lives in Ghent.", valid_from=at(2016))
    assert memory.remember("Kira moved from Lima to Zagreb.", valid_from=at(2017)).status == "updated"


def test_leaving_a_place_that_was_never_the_job_waits(memory: MemoryManager) -> None:
    job = memory.remember("Kira works at Acme.")
    assert memory.remember("Kira left Initech for Globex.").status == "pending"
    held = memory.get(job.id)
    assert held is not None
    assert not held.is_superseded


def test_leaving_one_town_for_another_is_no_change_of_a_job(memory: MemoryManager) -> None:
    job, home = memory.remember("Kira works at Acme."), memory.remember("Kira lives in Ghent.")
    assert memory.remember("Kira left Ghent for Lyon.").status == "updated"
    kept, left = memory.get(job.id), memory.get(home.id)
    assert kept is not None
    assert left is not None
    assert not kept.is_superseded
    assert left.is_superseded


def test_a_job_that_is_given_closes_the_other_whatever_the_text_names(memory: MemoryManager) -> None:
    memory.remember("Kira works at Acme.")
    given = memory.remember("Kira left Initech for Globex.", fact=("Kira", "works_at", "Globex"))
    assert given.status == "updated"
