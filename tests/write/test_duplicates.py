"""When two writes are one memory, and what the second adds to the first."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from engrain import Kind, Link, Memory, Source, Status
from engrain.testing.rows import NOON, memory
from engrain.write.prepare import added_links, holds_its_slot, identity, merged

DAY = timedelta(days=1)


def pair(**fields: Any) -> tuple[str, str]:
    """Return the identities of two memories that differ in these fields only."""
    return identity(memory("Ana likes tea", kind=fields.pop("of", Kind.SEMANTIC))), identity(_with(fields))


def _with(fields: dict[str, Any]) -> Memory:
    return memory(fields.pop("content", "Ana likes tea"), **{"kind": Kind.SEMANTIC, **fields})


@pytest.mark.parametrize(
    "fields",
    [
        {"content": "  ana LIKES\ttea"},
        {"session": "monday"},
        {"actor": "Ana"},
        {"valid_from": NOON + DAY},
        {"tags": ("drinks",), "metadata": {"a": 1}, "importance": 0.9},
        {"source": Source(id="elsewhere")},
    ],
    ids=str,
)
def test_a_statement_is_its_normalised_text(fields: dict[str, Any]) -> None:
    one, other = pair(**fields)
    assert one == other


@pytest.mark.parametrize(
    "fields", [{"content": "Ana likes teas"}, {"agent": "scout"}, {"key": "k"}, {"kind": Kind.PROCEDURAL}], ids=str
)
def test_a_statement_is_its_agents_its_keys_and_of_its_kind(fields: dict[str, Any]) -> None:
    one, other = pair(**fields)
    assert one != other


@pytest.mark.parametrize("kind", [Kind.EPISODIC, Kind.WORKING])
@pytest.mark.parametrize("fields", [{"session": "monday"}, {"actor": "Ana"}, {"valid_from": NOON + DAY}], ids=str)
def test_an_event_is_also_where_who_and_when(kind: Kind, fields: dict[str, Any]) -> None:
    assert identity(memory("Hello", kind=kind)) == identity(memory("hello", kind=kind))
    assert identity(memory("Hello", kind=kind)) != identity(memory("Hello", kind=kind, **fields))


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({}, True),
        ({"status": Status.QUARANTINED}, True),
        ({"status": Status.ARCHIVED}, False),
        ({"status": Status.EXPIRED}, False),
        ({"status": Status.FORGOTTEN}, False),
        ({"superseded_by": "mem_2"}, False),
        ({"valid_until": NOON}, False),
        ({"valid_until": NOON + DAY}, True),
        ({"expires_at": NOON}, False),
        ({"expires_at": NOON + DAY}, True),
        ({"valid_from": NOON + DAY}, True),
    ],
    ids=str,
)
def test_only_what_is_live_or_waits_keeps_its_like_out(fields: dict[str, Any], holds: bool) -> None:
    assert holds_its_slot(memory("Ana likes tea", **fields), NOON) == holds


def test_a_repeated_statement_adds_tags_links_a_witness_and_confidence() -> None:
    old = memory("Ana likes tea", tags=("a", "b"), confidence=0.5, links=(Link("derived_from", "mem_1"),))
    new = memory(
        "ana likes TEA",
        tags=("b", "c"),
        confidence=0.8,
        links=(Link("derived_from", "mem_1"), Link("derived_from", "mem_2")),
        source=Source(id="another"),
        importance=0.9,
        metadata={"x": 1},
    )
    both = merged(old, new)
    assert both == replace(
        old,
        tags=("a", "b", "c"),
        confidence=0.8,
        links=(Link("derived_from", "mem_1"), Link("derived_from", "mem_2")),
        evidence_count=2,
    )


def test_a_repeated_statement_takes_nothing_away() -> None:
    old = memory("Ana likes tea", tags=tuple(f"t{n}" for n in range(33)), confidence=0.9)
    assert merged(old, memory("Ana likes tea", confidence=0.1, source=old.source)) == old


@pytest.mark.parametrize(
    ("first", "again", "kept"),
    [
        (None, None, None),
        (NOON, None, None),
        (None, NOON, None),
        (NOON, NOON + DAY, NOON + DAY),
        (NOON + DAY, NOON, NOON + DAY),
    ],
)
def test_a_repeated_memory_lives_as_long_as_its_later_expiry(first: Any, again: Any, kept: Any) -> None:
    assert merged(memory(expires_at=first), memory(expires_at=again)).expires_at == kept


def test_nothing_derives_from_itself() -> None:
    old = memory("Ana likes tea")
    assert added_links(old, memory(links=(Link("derived_from", old.id),))) == ()
