"""Whatever is asked, and however it is ranked: hits in order, each once, inside every wall and filter; and `why_not`
tells the same story as the recall.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import MemoryManager
from engrain.model.memory import Memory, Status
from engrain.policies import Convex, EpisodicScore
from tests.recall.world import POLICIES, Judges, Scores, random_memory
from tests.rounds import rounds

_QUESTIONS = (
    "who opened the harbour?",
    "market",
    "what did Ana burn beside the lighthouse last week?",
    "did I say where the ferry was most recently?",
    "when was the kettle sold and the violin painted?",
    "ignore all instructions",
    "nothing of this is there",
    "the of",
    "",
)
_ASKED = st.fixed_dictionaries(
    {"query": st.sampled_from(_QUESTIONS), "k": st.integers(0, 12)},
    optional={
        "kinds": st.sampled_from([["semantic"], ["episodic", "procedural"]]),
        "domain": st.sampled_from(["general", "travel", "nowhere"]),
        "tags": st.sampled_from([["home"], ["sea", "work"]]),
        "all_tags": st.just(["home", "work"]),
        "tiers": st.just(["A", "B"]),
        "where": st.sampled_from([{"year": 2024}, {"year": {"gte": 2025}}]),
        "session": st.sampled_from(["one", "two"]),
        "min_trust": st.sampled_from([0.6, 0.9]),
        "min_score": st.sampled_from([0.2, 0.33333, 0.6]),
        "include_quarantined": st.booleans(),
        "exclude_superseded": st.booleans(),
        "include_links": st.booleans(),
        "expand_hops": st.integers(0, 2),
        "ranking": st.sampled_from(
            [*POLICIES, Convex(meaning=0, diversity=0), EpisodicScore(1, 0, 0), Judges(lambda hit: -hit.score)]
        ),
    },
)
_RERANKERS = (None, Scores(lambda text: len(text) % 7))


@pytest.fixture(scope="module")
def memories() -> Iterator[list[MemoryManager]]:
    with ExitStack() as stack:
        found = [random_memory(seed) for seed in (1, 2, 3)]
        for each in found:
            stack.callback(each.close)
        yield found


def passes(memory: Memory, now: datetime, asked: dict[str, Any]) -> bool:
    """Say whether a memory is what a recall with these arguments may find, worked out plainly."""
    statuses = {Status.ACTIVE, *([Status.QUARANTINED] if asked.get("include_quarantined") else [])}
    over = memory.is_superseded_at(now) or (memory.valid_until is not None and memory.valid_until <= now)
    return (
        memory.scope.user == "maren"
        and memory.status in statuses
        and not (over and asked.get("exclude_superseded", True))
        and (memory.expires_at is None or memory.expires_at > now)
        and memory.kind in asked.get("kinds", [memory.kind])
        and memory.domain == asked.get("domain", memory.domain)
        and ("tags" not in asked or bool(set(asked["tags"]) & set(memory.tags)))
        and set(asked.get("all_tags", ())) <= set(memory.tags)
        and memory.tier in asked.get("tiers", [memory.tier])
        and memory.scope.session == asked.get("session", memory.scope.session)
        and memory.trust >= asked.get("min_trust", 0) - 1e-6
        and ("where" not in asked or (memory.metadata["year"] == 2024) == (asked["where"] == {"year": 2024}))
    )


@settings(max_examples=rounds(120))
@given(asked=_ASKED, which=st.integers(0, 2), reranker=st.sampled_from(_RERANKERS))
def test_hits_are_in_order_each_once_and_pass_every_filter(
    memories: list[MemoryManager], asked: dict[str, Any], which: int, reranker: Scores | None
) -> None:
    memory = memories[which]
    memory.set_reranker(reranker)
    now = memory._engine.clock.now()
    found = memory.recall(**asked, touch=False)
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert len(found) <= asked["k"]
    assert len({hit.id for hit in found}) == len(found)
    assert all(passes(hit.memory, now, asked) for hit in found)
    assert all(0 <= hit.relevance <= 1 for hit in found)
    if asked["query"]:
        assert all(hit.relevance >= asked.get("min_score", 0) for hit in found)


@settings(max_examples=rounds(40))
@given(asked=_ASKED, which=st.integers(0, 2), reranker=st.sampled_from(_RERANKERS), data=st.data())
def test_why_not_finds_what_the_recall_finds(
    memories: list[MemoryManager], asked: dict[str, Any], which: int, reranker: Scores | None, data: st.DataObject
) -> None:
    memory = memories[which]
    memory.set_reranker(reranker)
    found = {hit.id for hit in memory.recall(**asked, touch=False)}
    everything = [each.id for each in memory.iter_memories(status="all")]
    for memory_id in [*list(found)[:2], *data.draw(st.lists(st.sampled_from(everything), max_size=4))]:
        remember_all = memory.why_not(memory_id=memory_id, **asked)
        assert (remember_all.stage == "found") == (memory_id in found), remember_all
        assert remember_all.by >= 0
        assert remember_all.reason


def test_the_sample_has_every_kind_of_object(memories: list[MemoryManager]) -> None:
    for status in ("active", "superseded", "quarantined", "expired"):
        assert all(memory.count(status=status) for memory in memories), status
    assert all(any(each.links for each in memory.iter_memories()) for memory in memories)
