"""Many relations are stated like one: checked first, a thousand in a transaction, the new in place of the old."""

from __future__ import annotations

import pytest

from engrain import NotFound

BEAR, AGENT, LOADER = ("actor", "APT28"), ("tool", "X-Agent"), ("tool", "Grey Loader")


def item(source=BEAR, relation="uses", target=AGENT, **more):
    return {"source": source, "relation": relation, "target": target, **more}


def said(memory, name=BEAR):
    found = memory.get_entity_relationships(*name)
    return [(each.relation, each.direction, each.entity.name, each.weight) for each in found]


def test_what_is_new_is_counted_and_what_is_said_again_is_not(memory):
    items = [item(), item(target=LOADER), item()]
    assert memory.graph.add_relationships(iter(items)) == 2
    assert memory.graph.add_relationships(items) == 0
    assert sorted(said(memory)) == [("uses", "out", "Grey Loader", 1.0), ("uses", "out", "X-Agent", 1.0)]


def test_relations_come_in_pages_that_together_are_all_of_them(memory):
    memory.graph.add_relationships([item(target=("tool", f"tool {n}"), weight=(n % 5) / 5) for n in range(25)])
    whole = memory.get_entity_relationships(*BEAR)
    pages = [memory.get_entity_relationships(*BEAR, limit=10, skip=skip) for skip in (0, 10, 20, 30)]
    assert [len(page) for page in pages] == [10, 10, 5, 0]
    assert [each for page in pages for each in page] == whole
    for wrong in ({"limit": 0}, {"skip": -1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            memory.get_entity_relationships(*BEAR, **wrong)


def test_a_new_statement_takes_the_place_of_the_old(memory, clock):
    before = clock.now()
    memory.graph.add_relationships([item(weight=0.4)])
    clock.advance(clock.now() - before.replace(day=4))
    assert memory.graph.add_relationships([item(weight=0.9)]) == 1
    assert said(memory) == [("uses", "out", "X-Agent", 0.9)]
    (then,) = memory.get_entity_relationships(*BEAR, known_at=before)
    assert then.weight == 0.4


def test_of_two_statements_of_one_relation_the_later_counts(memory):
    assert memory.graph.add_relationships([item(weight=0.4), item(weight=0.9)]) == 1
    assert said(memory) == [("uses", "out", "X-Agent", 0.9)]


def test_evidence_is_shared_and_takes_its_relations_along(memory):
    kept = memory.remember("a note was taken.").id
    memory.graph.add_relationships([item(evidence=kept), item(target=LOADER, evidence=[kept])])
    assert [each.evidence for each in memory.get_entity_relationships(*BEAR)] == [(kept,), (kept,)]
    assert memory.graph.memory_ids(*LOADER) == [kept]
    memory.forget(kept)
    assert memory.get_entity_relationships(*BEAR) == []


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        (item(weight=2), ValueError, "item 1: "),
        (item(target="X-Agent"), TypeError, "item 1: target"),
        (item(colour="red"), TypeError, "item 1 has 'colour'"),
        ({"source": BEAR, "relation": "uses"}, TypeError, "item 1 lacks target"),
        ("APT28 uses X-Agent", TypeError, "item 1: a mapping"),
        (item(target=("actor", "apt28")), ValueError, "are one"),
        (item(target=("actor", "Fancy Bear")), ValueError, "are one"),
        (item(evidence="mem_nobody"), NotFound, "mem_nobody"),
    ],
)
def test_a_bad_item_leaves_its_thousand_untouched(memory, bad, error, words):
    with pytest.raises(error, match=words):
        memory.graph.add_relationships([item(), bad])
    assert memory.graph.entities() == []
    assert memory.verify_audit().entries == 0


@pytest.mark.parametrize("items", ["uses", item(), 7, None])
def test_items_are_many_mappings(memory, items):
    with pytest.raises(TypeError, match="iterable of mappings"):
        memory.graph.add_relationships(items)


def test_earlier_thousands_stay(memory):
    good = [item(target=("tool", f"number {place}")) for place in range(1_000)]
    with pytest.raises(TypeError, match="item 1000 lacks"):
        memory.graph.add_relationships([*good, {}])
    assert len(memory.get_entity_relationships(*BEAR)) == 1_000


def test_an_agents_statements_are_its_own(memory):
    memory.scoped(agent="a").graph.add_relationships([item()])
    assert said(memory.scoped(agent="b")) == []
    assert said(memory.scoped(agent="a")) == [("uses", "out", "X-Agent", 1.0)]
    assert memory.scoped(agent="b").graph.add_relationships([item()]) == 1
