"""Edits: what is left out stays, None clears, and nothing is overwritten unseen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engrain import Conflict, Fact, GovernanceViolation, MemoryManager, NotFound
from engrain.testing import FrozenClock
from tests.behaviour import texts

EVERYTHING: dict[str, Any] = {
    "fact": Fact("Ana", "lives_in", "Rome"),
    "importance": 0.75,
    "confidence": 0.5,
    "tags": ["home", "city"],
    "metadata": {"page": 3, "who": "Ana"},
    "domain": "personal",
    "tier": "A",
    "valid_from": "2020-01-01",
    "valid_until": "2030-01-01",
    "ttl": timedelta(days=9),
    "pinned": True,
}


@pytest.mark.parametrize(
    ("change", "field", "now"),
    [
        ({"content": "Ana swims in Oslo"}, "content", "Ana swims in Oslo"),
        ({"fact": ("Ana", "lives_in", "Oslo")}, "fact", Fact("Ana", "lives_in", "Oslo")),
        ({"fact": None}, "fact", None),
        ({"importance": 0.0}, "importance", 0.0),
        ({"confidence": 1}, "confidence", 1.0),
        ({"tags": ["new"]}, "tags", ("new", "personal")),
        ({"tags": []}, "tags", ("personal",)),
        ({"tags": None}, "tags", ("personal",)),
        ({"metadata": {"who": "Ben", "year": 2026}}, "metadata", {"page": 3, "who": "Ben", "year": 2026}),
        ({"metadata": {"who": None}}, "metadata", {"page": 3}),
        ({"metadata": None}, "metadata", {}),
        ({"tier": "C"}, "tier", "C"),
        ({"valid_from": "2021-01-01"}, "valid_from", datetime(2021, 1, 1, tzinfo=UTC)),
        ({"valid_until": "2031-01-01"}, "valid_until", datetime(2031, 1, 1, tzinfo=UTC)),
        ({"valid_until": None}, "valid_until", None),
        ({"ttl": 60}, "expires_at", datetime(2026, 1, 5, 12, 1, tzinfo=UTC)),
        ({"ttl": None}, "expires_at", None),
        ({"pinned": False}, "pinned", False),
    ],
    ids=str,
)
def test_given_fields_change_and_the_rest_stays(
    memory: MemoryManager, change: dict[str, Any], field: str, now: Any
) -> None:
    before, _ = memory.remember("Ana swims in Rome", **EVERYTHING)
    after = memory.update(before.id, **change)
    assert getattr(after, field) == now
    assert after == memory.get(before.id)
    old, new = before.to_dict(), after.to_dict()
    derived = {"version", "updated_at", field} | (
        {"summary", "keywords", "source", "entities"} if field == "content" else set()
    )
    assert {name for name in old if old[name] != new[name]} <= derived
    assert after.version == 2


def test_a_new_domain_takes_the_old_ones_tag_away(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Ana swims in Rome", tags=["home"], domain="personal")
    assert memory.update(kept.id, domain="travel").tags == ("home", "travel", "place")
    assert memory.update(kept.id, domain="general").tags == ("home", "place")


def test_a_new_text_is_found_and_the_old_one_is_not(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Ana keeps bees")
    after = memory.update(kept.id, content="Ana keeps goats")
    assert memory.recall("goats").texts == ("Ana keeps goats",)
    assert "Ana keeps bees" not in memory.recall("bees").texts
    assert after.summary == "Ana keeps goats"
    assert after.source.verify("Ana keeps goats")


def test_an_edit_moves_its_time_and_not_when_it_was_learned(memory: MemoryManager, clock: FrozenClock) -> None:
    kept, _ = memory.remember("Ana swims in Rome")
    clock.advance(timedelta(hours=1))
    after = memory.update(kept.id, tier="A")
    assert (after.recorded_at, after.updated_at) == (kept.recorded_at, clock.now())


@pytest.mark.parametrize("change", [{}, {"content": "Ana swims in Rome"}, {"tier": "A"}, {"metadata": {"page": 3}}])
def test_an_edit_that_changes_nothing_is_no_version(memory: MemoryManager, change: dict[str, Any]) -> None:
    kept, _ = memory.remember("Ana swims in Rome", **EVERYTHING)
    assert memory.update(kept.id, **change) == kept
    assert len(memory.history(kept.id)) == 1


def test_the_expected_version_lets_the_edit_through(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Ana swims in Rome")
    assert memory.update(kept.id, tier="A", expected_version=1).version == 2
    assert memory.update(kept.id, tier="C", expected_version=2).version == 3


@pytest.mark.parametrize("expected", [0, 2, -1])
def test_another_version_is_a_conflict_and_changes_nothing(memory: MemoryManager, expected: int) -> None:
    kept, _ = memory.remember("Ana swims in Rome")
    with pytest.raises(Conflict, match=f"is at version 1, not {expected}: read it again and repeat the edit") as caught:
        memory.update(kept.id, tier="A", expected_version=expected)
    assert (caught.value.memory_id, caught.value.expected, caught.value.found) == (kept.id, expected, 1)
    assert memory.get(kept.id) == kept


@pytest.mark.parametrize("text", ["Ana swims in Oslo", "ANA  swims in oslo"])
def test_the_text_of_another_live_memory_is_refused_by_name(memory: MemoryManager, text: str) -> None:
    kept, _ = memory.remember("Ana swims in Rome")
    other = memory.remember("Ana swims in Oslo").id
    with pytest.raises(ValueError, match=f"{other} already says exactly this: forget one of the two instead"):
        memory.update(kept.id, content=text)
    assert memory.get(kept.id) == kept


def test_the_text_of_a_forgotten_memory_may_be_taken(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Ana swims in Rome")
    memory.forget(memory.remember("Ana swims in Oslo").id)
    assert memory.update(kept.id, content="Ana swims in Oslo").content == "Ana swims in Oslo"


def test_an_edit_frees_the_text_it_replaces(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Ana swims in Rome")
    memory.update(kept.id, content="Ana swims in Oslo")
    assert memory.remember("Ana swims in Rome").status == "created"
    assert memory.remember("Ana swims in Oslo").id == kept.id


def test_its_own_text_in_another_case_is_an_edit(memory: MemoryManager) -> None:
    kept, _ = memory.remember("ana swims in rome")
    assert memory.update(kept.id, content="Ana swims in Rome").version == 2


@pytest.mark.parametrize("forgotten", [True, False])
def test_a_missing_item_is_not_found(memory: MemoryManager, forgotten: bool) -> None:
    memory_id = "mem_unknown"
    if forgotten:
        memory_id = memory.remember("Ana swims in Rome").id
        memory.forget(memory_id)
    with pytest.raises(NotFound, match=f"no memory '{memory_id}' in this scope") as caught:
        memory.update(memory_id, tier="A")
    assert isinstance(caught.value, KeyError)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"content": None}, GovernanceViolation, "content must be a string, not NoneType"),
        ({"content": " "}, GovernanceViolation, "content is blank"),
        ({"importance": None}, ValueError, "importance cannot be cleared: leave it out"),
        ({"confidence": None}, ValueError, "confidence cannot be cleared"),
        ({"domain": None}, ValueError, "domain cannot be cleared"),
        ({"tier": None}, ValueError, "tier cannot be cleared"),
        ({"valid_from": None}, ValueError, "valid_from cannot be cleared"),
        ({"pinned": None}, TypeError, "pinned must be True or False, not NoneType"),
        ({"valid_until": "2025-01-01"}, ValueError, "before valid_from"),
        ({"ttl": 0}, ValueError, "it must be positive"),
        ({"metadata": [1]}, TypeError, "metadata must be a mapping, not list"),
        ({"expected_version": "1"}, TypeError, "expected_version must be a whole number, not str"),
        ({"kind": "episodic"}, TypeError, "has no argument 'kind'"),
        ({"status": "archived"}, TypeError, "has no argument 'status'"),
        ({"user": "ben"}, TypeError, "has no argument 'user'"),
        ({"source_id": "x"}, TypeError, "has no argument 'source_id'"),
        ({"reason": 5}, TypeError, "reason must be a string, not int"),
    ],
    ids=str,
)
def test_an_impossible_value_is_refused_and_changes_nothing(
    memory: MemoryManager, change: dict[str, Any], error: type[Exception], says: str
) -> None:
    kept, _ = memory.remember("Ana swims in Rome")
    with pytest.raises(error, match=says):
        memory.update(kept.id, **{"tags": ["new"], **change})
    assert memory.get(kept.id) == kept
    assert len(memory.history(kept.id)) == 1


def test_metadata_names_set_neither_identity_nor_status(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Ana swims in Rome", metadata={"id": "x", "status": "forgotten", "user": "ben"})
    after = memory.update(kept.id, metadata={"org": "acme", "version": 99})
    assert (after.id, after.status, after.scope, after.version) == (kept.id, "active", kept.scope, 2)
    assert texts(memory.list_memories()) == ["Ana swims in Rome"]
