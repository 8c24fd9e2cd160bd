"""The entries of the stand-alone classes."""

from __future__ import annotations

import pytest

from engrain.model.memory import MemoryEntry, MemoryType


def test_an_invalidated_entry_has_expired_and_says_what_replaced_it():
    entry = MemoryEntry(content="lives in Rome", metadata={"x": 1})
    closed = entry.invalidate(by="the-new-one")
    assert closed.is_expired
    assert closed.metadata == {"x": 1, "invalidated_by": "the-new-one"}
    assert (closed.id, entry.is_expired, entry.metadata) == (entry.id, False, {"x": 1})


def test_a_type_may_be_given_by_its_name():
    assert MemoryEntry(content="x", memory_type="episodic").memory_type is MemoryType.EPISODIC  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="dream"):
        MemoryEntry(content="x", memory_type="dream")  # type: ignore[arg-type]


def test_a_touched_entry_counts_one_access_more():
    entry = MemoryEntry(content="x", access_count=2)
    touched = entry.touch()
    assert (touched.access_count, entry.access_count) == (3, 2)
    assert touched.last_accessed >= entry.last_accessed
