"""Odd names, circles of names, and many hands at once: one name stays one entity, and nothing is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.model.entities import Entity
from engrain.testing.conformance.concurrency import context

ODD = [
    "İstanbul Şirketi",
    "ﬁnance ﬂeet",
    "ß",
    "ẞ",
    "Ωmega Ω",
    "محمد عبد الله",
    "山田太郎",
    "👩‍🚀",
    "a\u0301na",
    "Z\u0335algo",
    "\u202egnp.exe",
    "O'Brien; DROP TABLE entity; --",
    "%_\\",
    "null",
    "x" * 2048,
    "x" * 2047 + "y",
    "1",
    "true",
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryManager]:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as manager:
        yield manager


def test_odd_names_are_found_as_they_were_given(memory: MemoryManager) -> None:
    for name in ODD:
        memory.graph.add_entity("person", name, metadata={"name": name})
    for name in ODD:
        entity = memory.graph.entity("person", name)
        assert entity is not None
        assert entity.metadata["name"] in (name, "ẞ" if name == "ß" else name)
    assert memory.graph.entity("person", "ISTANBUL") is None
    assert len(list(memory.graph.entities())) == len({each.name.casefold() for each in memory.graph.entities()})


@pytest.mark.parametrize("name", ["", "   ", "...", "«»", "\u200b", "x" * 2049, "\ud800"])
def test_an_invalid_name_is_refused_everywhere(memory: MemoryManager, name: str) -> None:
    graph, known = memory.graph, ("person", "Ana")
    graph.add_entity(*known)
    calls = [
        lambda: graph.add_entity("person", name),
        lambda: graph.add_entity("person", "Bob", aliases=[name]),
        lambda: graph.add_alias(*known, name),
        lambda: graph.add_relationship(known, "knows", ("person", name)),
        lambda: graph.add_relationship(("person", name), "knows", known),
        lambda: graph.merge(known, ("person", name)),
        lambda: graph.remove_entity("person", name),
        lambda: graph.link_memory("person", name, "mem_1"),
        lambda: graph.entity("person", name),
        lambda: memory.recall_entity("person", name),
        lambda: memory.traverse_graph("person", name),
        lambda: memory.get_entity_relationships("person", name),
        lambda: graph.pagerank([("person", name)]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="name|character|text|surrogate"):
            call()
    assert [entity.name for entity in graph.entities()] == ["Ana"]


def test_an_alias_of_an_alias_is_an_alias(memory: MemoryManager) -> None:
    graph = memory.graph
    graph.add_entity("person", "Robert", aliases=["Bob"])
    graph.add_alias("person", "Bob", "Bobby")
    graph.add_alias("person", "Bobby", "bobby")  # of itself
    graph.add_alias("person", "Bobby", "Robert")
    assert graph.entity("person", "BOBBY") == Entity("person", "Robert", ("Bob", "Bobby"))
    assert [entity.name for entity in graph.entities()] == ["Robert"]
    assert graph.merges() == []


def test_an_alias_that_a_third_has_is_refused_and_changes_nothing(memory: MemoryManager) -> None:
    graph = memory.graph
    graph.add_entity("person", "Robert", aliases=["Bob"])
    with pytest.raises(ValueError, match="another name of 'Robert' already"):
        graph.add_entity("person", "Ana", aliases=["Annie", "Bob"], metadata={"x": 1})
    assert [entity.name for entity in graph.entities()] == ["Robert"]
    assert graph.entity("person", "Annie") is None


def test_circles_of_merges_are_refused(memory: MemoryManager) -> None:
    graph, names = memory.graph, [("person", name) for name in ("A1", "B2", "C3")]
    for name in names:
        graph.add_entity(*name)
    graph.merge(names[0], names[1])
    graph.merge(names[2], names[1])
    for one, other in permutations(names, 2):
        with pytest.raises(ValueError, match="one already"):
            graph.merge(one, other)
    with pytest.raises(ValueError, match="one already"):
        graph.merge(names[0], names[0])
    assert [entity.name for entity in graph.entities()] == ["C3"]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_merges_are_taken_back_in_any_order(memory: MemoryManager, order: tuple[int, ...]) -> None:
    graph, names = memory.graph, ["A1", "B2", "C3", "D4"]
    for name in names:
        graph.add_entity("person", name, metadata={name: True})
    pairs = [("A1", "B2"), ("C3", "D4"), ("A1", "C3")]
    merges = [graph.merge(("person", keep), ("person", other)).id for keep, other in pairs]
    assert [set(each.aliases) for each in graph.entities()] == [{"B2", "C3", "D4"}]
    for place in order:
        assert graph.unmerge(merges[place])
        assert not graph.unmerge(merges[place])
    assert [(each.name, each.aliases, dict(each.metadata)) for each in graph.entities()] == [
        (name, (), {name: True}) for name in names
    ]
    again = graph.merge(("person", "B2"), ("person", "A1"))
    assert [merge.state for merge in graph.merges()] == ["merged", "undone", "undone", "undone"]
    assert graph.unmerge(again.id)


def test_concurrent_threads_create_one_entity(memory: MemoryManager) -> None:
    def work(number: int) -> None:
        for turn in range(5):
            memory.remember(f"Report {number}.{turn} names Quiet Otter and CVE-2024-4242", domain="cti")
            memory.graph.add_entity("tool", f"New Thing {turn}", metadata={str(number): turn})

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(memory.graph.memory_ids("cve", "CVE-2024-4242")) == 20
    tools = list(memory.graph.entities(type="tool"))
    assert [len(each.metadata) for each in tools] == [4] * 5


def _work(path: str, number: int) -> None:
    with MemoryManager(path, embedder=None) as memory:
        for turn in range(5):
            memory.remember(f"Report {number}.{turn} names CVE-2024-4242", domain="cti")
            memory.graph.add_entity("tool", f"New Thing {turn}", aliases=[f"Thing {turn} of {number}"])


def test_processes_make_one_entity(memory: MemoryManager, tmp_path: Path) -> None:
    workers = [
        context().Process(target=_work, args=(str(tmp_path / "memory.db"), number), daemon=True) for number in range(2)
    ]  # which nobody waits for at the end of all tests, should one of them hang
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len(memory.graph.memory_ids("cve", "CVE-2024-4242")) == 10
    assert [len(each.aliases) for each in memory.graph.entities(type="tool")] == [2] * 5


def test_a_batch_that_names_the_same_makes_each_once(memory: MemoryManager) -> None:
    texts = [f"Report {n} names CVE-2024-4242 and CVE-2024-{5000 + n % 7}" for n in range(500)]
    done = memory.remember_many([{"content": text, "domain": "cti"} for text in texts])
    assert len({each.id for each in done}) == 500
    assert len(list(memory.graph.entities(type="cve"))) == 8
    assert len(memory.graph.memory_ids("cve", "cve-2024-4242")) == 500
    assert len(memory.get_entity_relationships("cve", "CVE-2024-4242")) == 7


def test_at_a_depth_of_nothing_only_the_entity_is_in_reach(memory: MemoryManager, tmp_path: Path) -> None:
    graph, start = memory.graph, ("tool", "Oar")
    graph.add_relationship(start, "uses", ("tool", "Rope"))
    stored = memory.remember("We bought it", domain="garden").id
    graph.link_memory(*start, stored)
    assert memory.traverse_graph(*start, max_depth=0) == []
    assert graph.related(*start, max_depth=0) == []
    assert graph.shortest_path(start, ("tool", "Rope"), max_depth=0) == []
    assert graph.memory_ids(*start, max_depth=0) == [stored]
    alone = Path(graph.export(tmp_path / "oar.mmd", centre=start, max_depth=0)).read_text(encoding="utf-8")
    assert "Oar" in alone
    assert "Rope" not in alone


@pytest.mark.parametrize("depth", [-1, 11, 1.5, True])
def test_a_depth_that_is_none_is_refused(memory: MemoryManager, depth: int) -> None:
    with pytest.raises(ValueError, match="from 0 to 10"):
        memory.traverse_graph("tool", "Oar", max_depth=depth)
