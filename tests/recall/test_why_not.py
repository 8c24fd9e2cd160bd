"""`why_not` names the stage at which a memory falls out of a recall, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager, Settings, WhyNot
from engrain.testing import FailingEmbedder, FakeEmbedder, FrozenClock
from tests.recall.world import INJECTED, NOON, Judges, Says, Scores, opened, remember_all


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def memory(clock: FrozenClock) -> Iterator[MemoryManager]:
    with opened(clock=clock) as manager:
        yield manager


def test_a_hit_is_found(memory: MemoryManager) -> None:
    _, garden = remember_all(memory, "tea", "tea in the garden")
    told_of = memory.why_not("tea", garden)
    assert (told_of.stage, told_of.by) == ("found", 0.0)
    assert told_of.reason.startswith("it is hit 2 of 2")


def test_a_memory_that_a_link_brings_is_found(memory: MemoryManager) -> None:
    tea, lantern = remember_all(memory, "tea", "a lantern")
    memory.link(tea, lantern)
    assert memory.why_not("tea", lantern).stage == "found"
    assert memory.why_not("tea", lantern, include_links=False).stage == "search"


def test_no_access_is_counted(memory: MemoryManager) -> None:
    (tea,) = remember_all(memory, "tea")
    memory.why_not("tea", tea)
    held = memory.get(tea)
    assert held is not None
    assert held.access_count == 0
    assert memory.stats().retrievals == 0


# --------------------------------------------------------------------------------------------------------------- scope


def test_unknown_and_forgotten_ids_and_those_of_other_tenants_are_indistinguishable(memory: MemoryManager) -> None:
    ana, ben = memory.scoped(user="ana"), memory.scoped(user="ben")
    scout, cook = ana.scoped(agent="scout"), ana.scoped(agent="cook")
    (gone,) = remember_all(ana, "tea of old")
    ana.forget(gone)
    nothing = ana.why_not("tea", "mem_unknown")
    assert (nothing.stage, nothing.by) == ("scope", 0.0)
    assert ana.why_not("tea", gone) == nothing
    assert ana.why_not("tea", *remember_all(ben, "tea of Ben")) == nothing
    assert ana.why_not("tea", *remember_all(memory, "tea of all")) == nothing
    assert ana.why_not("tea", *remember_all(memory.for_org("other").scoped(user="ana"), "tea of others")) == nothing
    assert scout.why_not("tea", *remember_all(cook, "tea of the cook")) == nothing
    assert scout.why_not("", "mem_unknown", k=0, domain="x") == nothing


def test_what_is_shared_is_in_scope_when_it_is_asked_for(memory: MemoryManager) -> None:
    (common,) = remember_all(memory, "tea of all")
    ana = memory.scoped(user="ana")
    assert ana.why_not("tea", common).stage == "scope"
    assert ana.why_not("tea", common, shared=True).stage == "found"


def test_working_memory_is_in_scope_in_its_session(memory: MemoryManager) -> None:
    (scratch,) = remember_all(memory, "tea in the pot", kind="working", session="one")
    assert memory.recall("tea", session="one").texts == ("tea in the pot",)
    assert memory.why_not("tea", scratch, session="one").stage == "found"
    assert memory.why_not("tea", scratch, session="two").stage == "scope"
    assert memory.why_not("tea", scratch).stage == "scope"


@pytest.mark.parametrize("memory_id", ["", 5, None])
def test_an_id_is_a_name(memory: MemoryManager, memory_id: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="memory_id"):
        memory.why_not("tea", memory_id)


def test_arguments_are_those_of_a_recall(memory: MemoryManager) -> None:
    with pytest.raises(TypeError, match="colour"):
        memory.why_not("tea", "mem_unknown", colour="blue")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="ranking"):
        memory.why_not("tea", "mem_unknown", ranking="best")  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------------- filters


CONDITIONS: list[tuple[dict[str, Any], float, str]] = [
    ({"kinds": ["semantic"]}, 0, "its kind is episodic, and it must be one of semantic"),
    ({"domain": "travel"}, 0, "its domain is general, and it must be travel"),
    ({"tags": ["sea", "sun"]}, 0, "its tags are home, and it must have any of sea, sun"),
    ({"all_tags": ["home", "sun"]}, 0, "its tags are home, and it must have all of home, sun"),
    ({"tiers": ["A"]}, 0, "its tier is B, and it must be one of A"),
    ({"session": "two"}, 0, "its session is one, and it must be two"),
    ({"min_trust": 0.9}, 0.2, "its trust is 0.7, and it must be at least 0.9"),
    ({"since": "2026-01-08T12:00:00+00:00"}, 3, "and it must be at least 2026-01-08T12:00:00+00:00"),
    ({"until": "2026-01-04T12:00:00+00:00"}, 1, "and it must be under 2026-01-04T12:00:00+00:00"),
    ({"now": "2026-01-03T00:00:00+00:00"}, 2.5, "its valid_from is 2026-01-05T12:00:00+00:00"),
    ({"as_of": "2026-01-03T00:00:00+00:00"}, 2.5, "its valid_from is 2026-01-05T12:00:00+00:00"),
    ({"where": {"year": {"gte": 2025}}}, 0, "its metadata 'year' is 2024, and it must be gte 2025"),
    ({"where": {"place": "sea"}}, 0, "it lacks 'place', and it must be eq 'sea'"),
    ({"where": {"not": {"year": 2024}}}, 0, "its metadata does not pass `not` of 1 conditions"),
    ({"where": {"or": [{"year": 1}, {"year": 2}]}}, 0, "its metadata does not pass `or` of 2 conditions"),
]


@pytest.mark.parametrize(("filters", "by", "reason"), CONDITIONS)
def test_a_filter_says_what_it_wanted(memory: MemoryManager, filters: dict[str, Any], by: float, reason: str) -> None:
    tea = memory.remember("tea", tags=["home"], metadata={"year": 2024}, session="one").id
    found = memory.why_not("tea", tea, **filters)
    assert found.stage == "filters"
    assert found.by == by
    assert reason in found.reason


def test_several_filters_are_all_named(memory: MemoryManager) -> None:
    (tea,) = remember_all(memory, "tea")
    reason = memory.why_not("tea", tea, domain="travel", tiers=["A"]).reason
    assert "domain" in reason
    assert "tier" in reason


def test_a_superseded_memory_says_by_what(memory: MemoryManager) -> None:
    (old,) = remember_all(memory, "tea at noon")
    new = memory.supersede(old, "tea at five").id
    found = memory.why_not("tea", old)
    assert found.stage == "filters"
    assert f"it was superseded by {new}" in found.reason
    assert memory.why_not("tea", old, exclude_superseded=False).stage == "found"


def test_a_quarantined_memory_says_so(memory: MemoryManager) -> None:
    (held,) = remember_all(memory, INJECTED)
    found = memory.why_not("instructions", held)
    assert (found.stage, found.reason) == ("filters", "its status is quarantined, and it must be active")
    assert memory.why_not("instructions", held, include_quarantined=True).stage == "found"


def test_an_expired_or_ended_memory_says_since_when(memory: MemoryManager, clock: FrozenClock) -> None:
    expired = memory.remember("tea", ttl=timedelta(days=1)).id
    ended = memory.remember("green tea", valid_until="2026-01-07T12:00:00+00:00").id
    clock.advance(timedelta(days=4))
    for memory_id, days, column in ((expired, 3.0, "expires_at"), (ended, 2.0, "valid_until")):
        found = memory.why_not("tea", memory_id)
        assert (found.stage, found.by) == ("filters", days)
        assert column in found.reason


def test_a_later_record_was_not_known(memory: MemoryManager, clock: FrozenClock) -> None:
    then = clock.now()
    clock.advance(timedelta(days=1))
    (tea,) = remember_all(memory, "tea")
    found = memory.why_not("tea", tea, known_at=then)
    assert found.stage in ("scope", "filters")
    assert memory.why_not("tea", tea, known_at=clock.now()).stage == "found"


# ------------------------------------------------------------------------------------------------- search to the rank


def test_a_memory_of_no_candidate_list_says_why(memory: MemoryManager) -> None:
    (lantern,) = remember_all(memory, "a lantern")
    found = memory.why_not("tea", lantern)
    assert found == WhyNot("search", 0.0, "it holds none of the question's words; there was no search by meaning")


def test_what_a_full_list_left_out_says_by_how_much(memory: MemoryManager) -> None:
    remember_all(memory, *(f"tea tea {number}" for number in range(200)))
    (long,) = remember_all(memory, "tea " + " ".join(f"word{number}" for number in range(60)))
    found = memory.why_not("tea", long)
    assert found.stage == "search"
    assert found.by > 0
    assert found.reason.startswith("by words it scores")


def test_a_memory_without_vector_says_so(tmp_path: Path) -> None:
    asleep = Settings(worker="none")
    with MemoryManager(tmp_path / "memory.db", embedder=None, settings=asleep) as memory:
        (lantern,) = remember_all(memory, "a lantern")
    with MemoryManager(tmp_path / "memory.db", embedder=FakeEmbedder(), settings=asleep) as memory:
        found = memory.why_not("tea", lantern)
    assert found.stage == "search"
    assert "it has no vector by this embedder: flush() or reindex()" in found.reason


def test_a_hit_below_the_threshold_says_by_how_much(memory: MemoryManager) -> None:
    remember_all(memory, "tea in the garden")
    (tea,) = remember_all(memory, "tea")
    relevance = next(hit.relevance for hit in memory.recall("tea garden", touch=False) if hit.id == tea)
    found = memory.why_not("tea garden", tea, min_score=0.9)
    assert found.stage == "relevance"
    assert found.by == pytest.approx(0.9 - relevance)
    assert f"its relevance is {relevance:.3f}, and min_score is 0.9" in found.reason


def test_a_hit_below_the_limit_says_by_how_much(memory: MemoryManager) -> None:
    remember_all(memory, "tea in the garden")
    (tea,) = remember_all(memory, "tea")
    best, other = memory.recall("tea garden", touch=False)
    found = memory.why_not("tea garden", tea, k=1)
    assert found.stage == "rank"
    assert found.by == pytest.approx(best.score - other.score, abs=1e-6)
    assert found.reason.startswith("it ranks 2 of 2 candidates")


def test_a_policy_is_measured_by_its_own_scores(memory: MemoryManager) -> None:
    remember_all(memory, "tea in the garden")
    (tea,) = remember_all(memory, "tea")
    found = memory.why_not("tea", tea, k=1, ranking=Judges(lambda hit: 10.0 * len(hit.content)))
    assert (found.stage, found.by) == ("rank", 140.0)
    assert "a later stage" in found.reason


def test_a_reranker_is_measured_by_its_own_scores(memory: MemoryManager) -> None:
    remember_all(memory, "tea in the garden", "tea in the old pot")
    (tea,) = remember_all(memory, "tea")
    memory.set_reranker(Scores(len))
    found = memory.why_not("tea", tea, k=1)
    assert (found.stage, found.by) == ("rank", 1.0)


def test_what_a_reranker_never_read_is_measured_by_what_it_read(memory: MemoryManager) -> None:
    remember_all(memory, *(f"tea tea {number}" for number in range(60)))
    (long,) = remember_all(memory, "tea and many other things that make the text a long one")
    memory.set_reranker(Scores(len))
    read, scores = 50, [hit.score for hit in memory.recall("tea", k=61, rerank=False, touch=False)]
    found = memory.why_not("tea", long, k=5)
    assert found.stage == "rank"
    assert found.by == pytest.approx(scores[read - 1] - scores[-1], abs=1e-5)


def test_a_near_copy_says_that_a_later_stage_moved_it(memory: MemoryManager) -> None:
    remember_all(memory, "the ferry leaves the harbour early in the morning", "a ferry")
    (copy,) = remember_all(memory, "The ferry leaves the harbour early in the morning.")
    missing = [
        each.id
        for each in memory.iter_memories()
        if each.id not in {hit.id for hit in memory.recall("ferry harbour morning", k=2, touch=False)}
    ]
    found = memory.why_not("ferry harbour morning", missing[0], k=2)
    assert found.stage == "rank"
    assert "a later stage" in found.reason
    assert copy


def test_asking_for_nothing_is_said(memory: MemoryManager) -> None:
    (tea,) = remember_all(memory, "tea")
    assert memory.why_not("tea", tea, k=0) == WhyNot("rank", 0.0, "k is 0: nothing was asked for")


def test_without_a_question_the_newest_come_first(memory: MemoryManager, clock: FrozenClock) -> None:
    (old,) = remember_all(memory, "tea of old")
    clock.advance(timedelta(days=100))
    remember_all(memory, "tea of today")
    found = memory.why_not("", old, k=1)
    assert found == WhyNot("rank", 0.0, "the question is empty, and others are newer or more important")
    assert memory.why_not(" ", old, k=2).stage == "found"


def test_it_asks_by_the_same_phrasings_as_the_recall() -> None:
    with opened(query_transformer=Says(variants=["lantern"])) as memory:
        tea, lantern = remember_all(memory, "tea", "a lantern")
        assert memory.why_not("tea", lantern, multi_query=2).stage == "found"
        assert memory.why_not("tea", lantern).stage == "search"
        assert memory.why_not("tea", tea, multi_query=2).stage == "found"


def test_an_embedder_that_fails_leaves_the_words(caplog: pytest.LogCaptureFixture) -> None:
    with opened(FailingEmbedder()) as memory:
        tea, lantern = remember_all(memory, "tea", "a lantern")
        assert memory.why_not("tea", tea).stage == "found"
        assert "there was no search by meaning" in memory.why_not("tea", lantern).reason
