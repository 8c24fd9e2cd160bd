"""Packing as a pure function of hits, a tokenizer and a budget."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import Hit, Link, Memory, Scope
from engrain.read.packing import NOTHING, pack, render
from engrain.text import OfflineTokenizer

AT = datetime(2026, 1, 5, 12, tzinfo=UTC)


def memory(content: str, number: int = 0, **fields: Any) -> Memory:
    """Return a memory that no store has seen."""
    given = {"recorded_at": AT, "updated_at": AT, "valid_from": AT, **fields}
    return Memory(id=f"mem_{number:032x}", content=content, scope=Scope(), **given)


def hits(*contents: str) -> list[Hit]:
    """Return hits that say these things, best first."""
    return [Hit(memory(content, number), 1.0, 1.0) for number, content in enumerate(contents)]


@given(st.lists(st.text(st.sampled_from("`a é茶\n.#"), min_size=1, max_size=300), max_size=6), st.integers(0, 400))
def test_no_budget_is_exceeded(contents: list[str], budget: int) -> None:
    tokens = OfflineTokenizer()
    packed = pack(hits(*contents), tokens, budget)
    assert tokens.count_tokens(packed) <= budget


@given(st.lists(st.text(st.sampled_from("`a é茶\n.#"), min_size=1, max_size=300), min_size=1, max_size=6))
def test_within_the_budget_every_text_is_whole_and_in_order(contents: list[str]) -> None:
    found = hits(*contents)
    packed = pack(found, OfflineTokenizer(), 1_000_000)
    assert packed == render([hit.memory for hit in found])
    assert packed.startswith(f"## Relevant Memories ({len(contents)} notes)\n\n### [1] mem_")
    assert all(content in packed for content in contents)


def test_more_budget_never_packs_fewer_of_the_first() -> None:
    found = hits(*(f"note {number} " * (number + 1) for number in range(8)))
    packed = [pack(found, OfflineTokenizer(), budget).count("\n```\nnote") for budget in range(0, 1500, 10)]
    assert packed == sorted(packed)
    assert packed[-1] == 8


def test_no_hits_are_no_memories() -> None:
    assert pack([], OfflineTokenizer(), 100) == NOTHING == "No relevant memories found."


@pytest.mark.parametrize("budget", [-1, 1.5, True, "10", None])
def test_an_invalid_budget_is_refused(budget: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        pack(hits("tea"), OfflineTokenizer(), budget)


def test_a_summary_is_there_only_where_its_text_is_cut() -> None:
    assert "Context:" not in render([memory("tea and more", summary="of\ntea")])
    text = "tea and more. " * 100
    cut = [Hit(memory(text, summary=summary), 1.0, 1.0) for summary in ("of\ntea", "tea and more.")]
    assert "\n```\nContext: of tea\ntea and more." in pack(cut[:1], OfflineTokenizer(), 100)
    assert "Context:" not in pack(cut[1:], OfflineTokenizer(), 100), "it is among the sentences that are shown"


def test_each_linked_memory_is_related_once() -> None:
    links = (Link("derived_from", "mem_a"), Link("related", "mem_b"), Link("supports", "mem_a"))
    assert render([memory("tea", links=links)]).endswith("\nRelated: mem_a, mem_b")
