"""Hits say what contradicts them until a verdict settles it, and a packed prompt says so too."""

from __future__ import annotations

from typing import Any

import pytest

from engrain.model.memory import Status
from engrain.model.results import Hit
from engrain.read.packing import pack, render
from engrain.testing.rows import memory
from engrain.text import OfflineTokenizer
from tests.time.world import World

TOKENS = OfflineTokenizer()


def disputed() -> tuple[World, str, str]:
    world = World()
    one, other = world.add("Ana likes tea"), world.add("Ana likes no tea")
    world.link(other, "contradicts", one)
    return world, one, other


def contested(world: World, query: str = "tea", **when: Any) -> dict[str, tuple[str, ...]]:
    return {hit.id: hit.contested for hit in world.ask(query, when=when)}


@pytest.mark.parametrize("query", ["tea", ""])
def test_both_sides_name_each_other(query: str) -> None:
    world, one, other = disputed()
    third = world.add("Ana drinks tea at five")
    world.link(third, "related", one)
    assert contested(world, query) == {one: (other,), other: (one,), third: ()}


@pytest.mark.parametrize(
    "settled",
    [
        {"status": Status.ARCHIVED},
        {"status": Status.QUARANTINED},
        {"status": Status.FORGOTTEN},
        {"superseded_by": "mem_later"},
        {"believed_until": memory().valid_from},
    ],
)
def test_a_side_that_no_longer_is_contests_nothing(settled: dict[str, Any]) -> None:
    world, one, other = disputed()
    world.overwrite(other, **settled)
    assert contested(world) == {one: ()}


def test_it_is_reported_as_of_the_time_it_was_known() -> None:
    world, one, other = disputed()
    before = world.after()
    world.edit(other, change="reject", status=Status.ARCHIVED)
    late = world.add("Ana likes coffee, not tea")
    world.link(late, "contradicts", one)
    world.after()
    assert contested(world) == {one: (late,), late: (one,)}
    assert contested(world, known_at=before) == {one: (other,), other: (one,)}


def test_the_prompt_says_what_contests_a_memory() -> None:
    hits = [
        Hit(memory("Ana likes tea", id="mem_1"), 1.0, 1.0, contested=("mem_8", "mem_9")),
        Hit(memory("Ana likes cake", id="mem_2"), 1.0, 1.0),
    ]
    packed = pack(hits, TOKENS, 1000)
    assert "### [1] mem_1 (confidence: 1.00, 2026-03-14) llm_generated (contested by mem_8, mem_9)\n" in packed
    assert "### [2] mem_2 (confidence: 1.00, 2026-03-14) llm_generated\n" in packed
    assert packed == render([hit.memory for hit in hits], {"mem_1": ("mem_8", "mem_9")})


def test_a_budget_counts_what_contests_a_memory() -> None:
    hits = [Hit(memory(f"tea {n}", id=f"mem_{n}"), 1.0, 1.0, contested=("mem_8",)) for n in range(3)]
    hits.append(Hit(memory("word " * 300, id="mem_long"), 1.0, 1.0, contested=("mem_8",)))
    for budget in range(0, 300, 7):
        packed = pack(hits, TOKENS, budget)
        assert TOKENS.count_tokens(packed) <= budget
        assert packed.count("(contested") == packed.count("### [")
    cut = pack(hits[3:], TOKENS, 80)
    assert "(contested" in cut
    assert "[…]" in cut
