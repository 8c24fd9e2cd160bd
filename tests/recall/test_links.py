"""What is linked to a hit, or shares an entity with its fact, comes along at a lower score and through no wall."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import MemoryManager
from engrain.model.choices import LinkRelation
from engrain.model.results import Hit
from engrain.policies import Convex
from engrain.read.recall import handed_on, join
from engrain.testing import FrozenClock, rows
from tests.recall.world import INJECTED, NOON, Judges, Scores, notes, opened, remember_all


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def memory(clock: FrozenClock) -> Iterator[MemoryManager]:
    with opened(clock=clock) as manager:
        yield manager


def links(memory: MemoryManager, one: str, other: str, relation: LinkRelation = "related") -> tuple[str, str]:
    """Remember two texts and link the first to the second."""
    first, second = remember_all(memory, one, other)
    memory.link(first, second, relation)
    return first, second


@pytest.mark.parametrize("relation", ["related", "derived_from", "causes", "contradicts", "supports"])
def test_a_linked_memory_comes_at_half_the_score(memory: MemoryManager, relation: LinkRelation) -> None:
    links(memory, "tea in the garden", "a lantern", relation)
    found = memory.recall("tea", touch=False)
    assert found.texts == ("tea in the garden", "a lantern")
    assert found[1].score == pytest.approx(found[0].score / 2)
    assert [(signal.name, signal.value) for signal in found[1].signals] == [
        (f"linked: {relation}", 0.5),
        ("+ linked", found[1].score),
    ]
    assert found[1].relevance == 0
    assert notes(found, "links") == ["1 reached from the hits"]


def test_links_can_be_left_out(memory: MemoryManager) -> None:
    links(memory, "tea in the garden", "a lantern")
    assert memory.recall("tea", include_links=False).texts == ("tea in the garden",)


def test_only_one_step_is_taken(memory: MemoryManager) -> None:
    _, lantern = links(memory, "tea in the garden", "a lantern")
    memory.link(lantern, memory.remember("a violin").id)
    assert memory.recall("tea").texts == ("tea in the garden", "a lantern")


def test_a_circle_is_walked_once(memory: MemoryManager) -> None:
    one, two, three = remember_all(memory, "tea in the garden", "tea in the house", "a lantern")
    for pair in ((one, two), (two, three), (three, one)):
        memory.link(*pair)
    found = memory.recall("tea")
    assert sorted(found.texts) == ["a lantern", "tea in the garden", "tea in the house"]


def test_it_never_displaces_a_hit_of_its_score_or_more(memory: MemoryManager) -> None:
    remember_all(memory, *(f"tea of kind {name}" for name in "abcde"))
    links(memory, "tea of kind f", "a lantern")
    assert "a lantern" not in memory.recall("tea kind", k=6, touch=False).texts
    assert memory.recall("tea kind", k=7, touch=False).texts[-1] == "a lantern"


def test_min_score_holds_for_it(memory: MemoryManager) -> None:
    links(memory, "tea in the garden", "a lantern")
    assert memory.recall("tea", min_score=0.01).texts == ("tea in the garden",)


def _forgotten(memory: MemoryManager, memory_id: str) -> None:
    memory.forget(memory_id)


def _superseded(memory: MemoryManager, memory_id: str) -> None:
    memory.supersede(memory_id, "a brighter lamp")


def _ended(memory: MemoryManager, memory_id: str) -> None:
    memory.update(memory_id, valid_until="2026-01-05T12:00:00+00:00")


@pytest.mark.parametrize("gone", [_forgotten, _superseded, _ended])
def test_a_memory_hidden_from_a_recall_comes_through_no_link(memory: MemoryManager, gone: Any) -> None:
    _, lantern = links(memory, "tea in the garden", "a lantern")
    gone(memory, lantern)
    assert memory.recall("tea").texts == ("tea in the garden",)


def test_an_expired_memory_comes_through_no_link(memory: MemoryManager, clock: FrozenClock) -> None:
    one = memory.remember("tea in the garden").id
    memory.link(one, memory.remember("a lantern", ttl=timedelta(days=1)).id)
    assert len(memory.recall("tea")) == 2
    clock.advance(timedelta(days=1))
    assert memory.recall("tea").texts == ("tea in the garden",)


def test_a_quarantined_memory_comes_only_when_it_is_asked_for(memory: MemoryManager) -> None:
    links(memory, "tea in the garden", INJECTED)
    assert memory.recall("tea").texts == ("tea in the garden",)
    assert INJECTED in memory.recall("tea", include_quarantined=True).texts


@pytest.mark.parametrize(
    "filters",
    [
        {"domain": "home"},
        {"tags": ["home"]},
        {"all_tags": ["home"]},
        {"tiers": ["A"]},
        {"kinds": ["episodic"]},
        {"where": {"place": "home"}},
        {"session": "home"},
        {"min_trust": 0.9},
        {"since": "2026-01-02"},
    ],
)
def test_every_filter_holds_for_links_and_hops(memory: MemoryManager, filters: dict[str, Any]) -> None:
    one = memory.remember(
        "tea in the garden",
        domain="home",
        tags=["home"],
        tier="A",
        kind="episodic",
        metadata={"place": "home"},
        session="home",
        source_type="user_input",
        valid_from="2026-01-03",
        fact=("Ana", "likes", "tea"),
    ).id
    other = memory.remember("a lantern", valid_from="2026-01-01", fact=("Ana", "owns", "a lantern")).id
    memory.link(one, other)
    assert memory.recall("tea", expand_hops=2, **filters).texts == ("tea in the garden",)
    assert len(memory.recall("tea", expand_hops=2)) == 2


@pytest.mark.parametrize(
    ("asking", "other"),
    [({"user": "ana"}, {"user": "ben"}), ({"user": "ana", "agent": "scout"}, {"user": "ana", "agent": "cook"})],
)
def test_nothing_crosses_isolation(memory: MemoryManager, asking: dict[str, str], other: dict[str, str]) -> None:
    own = memory.scoped(**asking).remember("tea in the garden", fact=("Ana", "likes", "tea")).id
    foreign = memory.scoped(**other).remember("a lantern", fact=("Ana", "owns", "a lantern")).id
    if asking["user"] == other["user"]:  # whoever sees both may link them
        memory.scoped(user="ana").link(own, foreign)
    assert memory.scoped(**asking).recall("tea", expand_hops=2).texts == ("tea in the garden",)


def test_links_of_an_earlier_time_are_those_of_then(memory: MemoryManager, clock: FrozenClock) -> None:
    remember_all(memory, "tea in the garden", "a lantern")
    then = clock.now()
    clock.advance(timedelta(days=1))
    links(memory, "tea in the house", "a violin")
    assert memory.recall("tea", known_at=then).texts == ("tea in the garden",)
    assert "a violin" in memory.recall("tea").texts


def test_hundreds_of_links_fill_no_more_than_the_page(memory: MemoryManager) -> None:
    hub = memory.remember("tea is the hub of it all").id
    items = [{"content": f"lantern {number}", "derived_from": [hub]} for number in range(250)]
    leaves = [each.id for each in memory.remember_many(items)]
    for leaf in leaves[:150]:
        memory.link(hub, leaf)
    found = memory.recall("tea", touch=False)
    assert len(found) == 10
    assert found.texts[0] == "tea is the hub of it all"
    assert notes(found, "links") == ["150 reached from the hits"]


def test_what_two_hits_link_to_comes_with_the_one_that_a_reranker_leaves(memory: MemoryManager) -> None:
    one, two, lantern = remember_all(memory, "tea", "tea in the garden beside the house", "a lantern")
    remember_all(memory, "tea of the east in another pot and cup")
    memory.link(one, lantern)
    memory.link(two, lantern)
    memory.set_reranker(Scores(lambda text: 2 if "garden" in text else text != "tea"))
    found = memory.recall("tea", k=3, touch=False)
    assert found.texts[0] == "tea in the garden beside the house"
    assert "a lantern" not in found.texts[:1]
    assert memory.recall("tea", k=4, touch=False).texts[-1] == "a lantern"


def test_a_negative_link_weight_passes_on_less_too(memory: MemoryManager) -> None:
    links(memory, "tea in the garden", "a lantern")
    remember_all(memory, "tea")
    policy = Judges(lambda hit: -1.0 if "garden" in hit.content else -1.2)
    found = memory.recall("tea", ranking=policy, touch=False)
    assert [(hit.content, hit.score) for hit in found] == [
        ("tea in the garden", -1.0),
        ("tea", -1.2),
        ("a lantern", -1.5),
    ]


def test_links_and_hops_start_from_the_hits_as_they_end(memory: MemoryManager) -> None:
    remember_all(memory, *(f"tea number {number}" for number in range(70)))
    last = memory.remember(
        "tea of Ana and of many other things that make it come last of all of them", fact=("Ana", "likes", "tea")
    ).id
    memory.link(last, memory.remember("a lantern").id)
    memory.remember("a violin", fact=("Ana", "owns", "a violin"))
    policy = Judges(lambda hit: 4.0 if hit.id == last else 1.0)
    found = memory.recall("tea number", k=4, expand_hops=1, ranking=policy, touch=False)
    assert found.texts[0].startswith("tea of Ana")
    assert {"a lantern", "a violin"} == set(found.texts[1:3])


_SCORES = st.lists(st.integers(-20, 20), min_size=1, max_size=8)


@given(_SCORES, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from([0.5, 0.25])), max_size=12))
def test_joining_keeps_hits_in_order_and_before_what_they_brought(
    scores: list[int], edges: list[tuple[int, int, float]]
) -> None:
    hits = [
        Hit(rows.memory("x", id=f"mem_{place}"), float(score), 0.5)
        for place, score in enumerate(sorted(scores, reverse=True))
    ]
    reached = {f"mem_{target + 4}": (f"mem_{origin}", share) for target, origin, share in edges}
    scored = {hit.id: hit.score for hit in hits}
    origins = {to: by for to, by in reached.items() if by[0] in scored and to not in scored}
    more = [
        Hit(rows.memory("x", id=to), handed_on(scored[origin], share), 0.0) for to, (origin, share) in origins.items()
    ]
    found = join(hits, more)
    assert len(found) == len(hits) + len(more)
    assert [hit for hit in found if hit in hits] == hits
    worths = [hit.score for hit in found]
    assert worths == sorted(worths, reverse=True)
    places = {hit.id: place for place, hit in enumerate(found)}
    assert all(places[to] > places[origin] for to, (origin, _) in origins.items())


# ---------------------------------------------------------------------------------------------------------------- hops


@pytest.fixture
def chain(memory: MemoryManager) -> MemoryManager:
    """Ana likes tea; tea comes from Georgia; Georgia lies at the Black Sea."""
    for subject, predicate, thing in (
        ("Ana", "likes", "green"),
        ("Green", "comes_from", "Georgia"),
        ("Georgia", "borders", "sea"),
        ("Mira", "owns", "a boat"),
    ):
        memory.remember(f"statement of {thing} and nothing", fact=(subject, predicate, thing))
    return memory


@pytest.mark.parametrize(
    ("hops", "things"), [(0, ["green"]), (1, ["green", "Georgia"]), (2, ["green", "Georgia", "sea"])]
)
def test_each_hop_reaches_one_entity_further(chain: MemoryManager, hops: int, things: list[str]) -> None:
    found = chain.recall("Ana", expand_hops=hops, ranking=Convex(graph=0), touch=False)
    assert [hit.memory.fact.object for hit in found if hit.memory.fact is not None] == things
    assert [hit.score / found[0].score for hit in found] == pytest.approx([1, 0.5, 0.25][: hops + 1], rel=1e-4)
    assert all([signal.name for signal in hit.signals] == ["shared entity", "+ linked"] for hit in found[1:])


def test_a_fact_about_itself_ends_the_walk(memory: MemoryManager) -> None:
    memory.remember("the narcissus", fact=("Narcissus", "loves", "narcissus"))
    assert memory.recall("narcissus", expand_hops=2).texts == ("the narcissus",)


def test_a_linked_memory_is_not_walked_to_again(memory: MemoryManager) -> None:
    one = memory.remember("tea in the garden", fact=("Ana", "likes", "tea")).id
    memory.link(one, memory.remember("a lantern", fact=("Ana", "owns", "a lantern")).id, "supports")
    found = memory.recall("garden", expand_hops=2, touch=False)
    assert [signal.name for signal in found[1].signals] == ["linked: supports", "+ linked"]


def test_a_closed_memory_is_no_bridge(chain: MemoryManager) -> None:
    bridge = next(
        hit.id for hit in chain.recall("Ana", expand_hops=1) if hit.content.startswith("statement of Georgia")
    )
    chain.forget(bridge)
    assert len(chain.recall("Ana", expand_hops=2)) == 1


def test_an_earlier_time_is_walked_by_the_facts_of_then(memory: MemoryManager, clock: FrozenClock) -> None:
    memory.remember("Ana is here", fact=("Ana", "likes", "tea"))
    other = memory.remember("a lantern", fact=("Ben", "likes", "tea")).id
    then = clock.now()
    clock.advance(timedelta(days=1))
    memory.update(other, fact=("Ben", "likes", "rum"))
    clock.advance(timedelta(days=1))
    assert memory.recall("Ana", expand_hops=1).texts == ("Ana is here",)
    assert memory.recall("Ana", expand_hops=1, known_at=then).texts == ("Ana is here", "a lantern")


@pytest.mark.parametrize("hops", [-1, 3, 1.0, True, None, "1"])
def test_hops_are_0_to_2(memory: MemoryManager, hops: Any) -> None:
    with pytest.raises(ValueError, match="expand_hops is a whole number, 0 to 2"):
        memory.recall("tea", expand_hops=hops)


def test_a_private_contradiction_of_another_agent_is_not_reported() -> None:
    with MemoryManager(":memory:", user="ana", embedder=None) as memory:
        scout, cook = memory.scoped(agent="scout"), memory.scoped(agent="cook")
        oslo = scout.remember("Mia lives in Oslo", fact=("Mia", "lives_in", "Oslo"), source_type="user_input")
        memory.remember("Mia lives in Rome", fact=("Mia", "lives_in", "Rome"), source_type="tool_result")

        def contested(view: MemoryManager) -> list[tuple[str, ...]]:
            return [hit.contested for hit in view.recall("Mia Rome", k=2) if hit.content == "Mia lives in Rome"]

        assert contested(scout) == contested(memory) == [(oslo.id,)]
        assert contested(cook) == [()]
