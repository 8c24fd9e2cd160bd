"""Speed of filling and walking a large graph, beside bare SQL on the same relations, and its cost for a recall."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import islice, pairwise
from random import Random
from typing import Any

from benchmarks import processes
from benchmarks.corpus import Corpus, Network, Relation
from benchmarks.report import Row, Timings, timed
from benchmarks.speed import Found, Run, Steps, Suite
from benchmarks.stores import BareGraph, Stores
from engrain import MemoryManager
from engrain.policies import Convex

ADD = "add_relationships, 1,000 a transaction: each"
WALK = "traverse_graph, {} steps from {}"
NODES = "entities reached"

_BATCH = 10_000
_CITED = 20  # of so many relations one cites a memory
_AVERAGE, _HUB = "an average entity", "a hub"
_ROUNDS, _FEW = 60, 3
_BARE = "two bare indexed SELECTs a level"
_WALK_BARS = {1_000_000: 1}  # milliseconds of CPU time, two steps from an average entity
_TURNS, _APART = 1_000, 25  # turns of the small store, and how many turns apart the entity is named
_PLACE = "Marlow Castle"


class _Trial:
    """A store of one user with `size` relations; one in twenty cites a memory, the others are stated by hand."""

    def __init__(self, stores: Stores, size: int, seed: int) -> None:
        self._stores, self._name = stores, f"graph-{size}"
        self._size, self._network = size, Network(size, size // 10, seed)
        self._average, self._hubs = self._network.average, self._network.hubs
        Random(seed).shuffle(self._average)
        self.count = -(-size // _BATCH) + 7

    def steps(self) -> Found:
        """Carry out one step after the other; in the end the store is gone."""
        address = self._stores.address(self._name)
        with closing(BareGraph(self._stores)) as bare:
            with MemoryManager(address, user="whole", embedder=None) as manager:
                yield from self._fill(manager, bare)
            yield "size", self._measure_size(bare)
            with MemoryManager(address, user="whole", embedder=None) as manager:
                first = Timings()
                first.measure(manager.traverse_graph, *self._network.entity(self._average[0]))
                yield "open", [timed("first walk after opening, 2 steps from an average entity", self._size, first)]
                yield from self._walk(manager, bare)
                yield "queries", self._query(manager)
        self._stores.drop(self._name)

    def _fill(self, manager: MemoryManager, bare: BareGraph) -> Found:
        ours, limit, done, relations = Timings(), Timings(), 0, self._network.relations()
        while some := list(islice(relations, _BATCH)):
            items = self._items(manager, some, done)
            ours.measure_each(len(some), manager.graph.add_relationships, items)
            limit.measure_each(len(some), bare.insert, some)
            done += len(some)
            yield f"add_relationships, {done:,}", self._filled(ours, limit) if done == self._size else []

    def _filled(self, ours: Timings, limit: Timings) -> list[Row]:
        row = self._stores.compare(timed(ADD, self._size, ours), "bare executemany, two indexes", limit)
        return [row, Row("relations added in a second of CPU time", self._size, value=1000 / ours.cpu_mean)]

    def _items(self, manager: MemoryManager, some: Sequence[Relation], first: int) -> list[dict[str, Any]]:
        """Return relations as arguments, every twentieth with a memory as its evidence."""
        texts = [f"Note {first + place}: seen by one who was there." for place in range(0, len(some), _CITED)]
        cited = iter(manager.remember_many([{"content": text, "source_type": "tool"} for text in texts]))
        items = []
        for place, (source, relation, target) in enumerate(some):
            evidence = next(cited).id if place % _CITED == 0 else None
            ends = self._network.entity(source), self._network.entity(target)
            items.append({"source": ends[0], "relation": relation, "target": ends[1], "evidence": evidence})
        return items

    def _measure_size(self, bare: BareGraph) -> list[Row]:
        sizes = {
            "file, for each relation": self._stores.size(self._name),
            "bare table and its indexes, for each relation": bare.size(),
        }
        return [Row(what, self._size, value=size / self._size, unit="bytes") for what, size in sizes.items()]

    def _walk(self, manager: MemoryManager, bare: BareGraph) -> Found:
        for steps, rounds in ((2, _ROUNDS), (3, _FEW)):
            for start, chosen in ((_AVERAGE, self._average[:rounds]), (_HUB, self._hubs[:_FEW])):
                what, limit = WALK.format(steps, start), Timings()

                def walk(number: int, steps: int = steps) -> int:
                    return len(manager.traverse_graph(*self._network.entity(number), max_depth=steps))

                found = self._measure_each(what, walk, chosen)
                for number in chosen:
                    limit.measure(bare.count_reachable, number, steps)
                row = self._stores.compare(found[0], _BARE, limit)
                bar = _WALK_BARS.get(self._size) if (steps, start) == (2, _AVERAGE) else None
                yield what, [row.with_cpu_bar(bar), *found[1:]]

    def _query(self, manager: MemoryManager) -> list[Row]:
        """Measure the neighbourhoods of entities, paths between them, and PageRank."""
        graph, entity, rows = manager.graph, self._network.entity, list[Row]()
        for start, chosen in ((_AVERAGE, self._average[:_ROUNDS]), (_HUB, self._hubs[:_FEW])):
            rows += self._measure_each(
                f"get_entity_relationships of {start}",
                lambda n: len(manager.get_entity_relationships(*entity(n))),
                chosen,
            )
            rows += self._measure_each(
                f"related, 2 steps, of {start}", lambda n: len(graph.related(*entity(n))), chosen[:_FEW]
            )
        pairs = list(pairwise(self._average[: _ROUNDS // 2]))
        rows += self._measure_each(
            "shortest_path between average entities", lambda p: len(graph.shortest_path(*map(entity, p))), pairs, None
        )
        return rows + self._measure_each(
            "pagerank from an average entity", lambda n: len(graph.pagerank([entity(n)])), self._average[:_FEW], None
        )

    def _measure_each(
        self, what: str, call: Callable[[Any], int], arguments: Sequence[Any], counted: str | None = NODES
    ) -> list[Row]:
        """Make a call for each, the first of them once before, and report the median count of what was found."""
        taken = Timings()
        call(arguments[0])
        found = sorted(taken.measure(call, each) for each in arguments)
        row = timed(what, self._size, taken)
        return [row, Row(f"{what}: {counted}", self._size, value=found[len(found) // 2])] if counted else [row]


def _graph(stores: Stores, run: Run) -> Iterator[Steps]:
    yield Steps(1, _recall(stores, run.seed))
    for size in run.sizes:
        trial = _Trial(stores, size, run.seed)
        yield Steps(trial.count, trial.steps())


def _recall(stores: Stores, seed: int) -> Found:
    """Ask a small store with the graph and without, with questions that name a known entity and that name none."""
    corpus, rows = Corpus(seed), list[Row]()
    with MemoryManager(stores.address("chat"), user="chat", embedder=processes.EMBEDDER) as manager:
        items = [dict(item) for item in corpus.items("chat", _TURNS)]
        for item in items[::_APART]:
            item["content"] = f"{item['content']} They met at {_PLACE}."
        manager.remember_many(items)
        nobody = [text for text in corpus.questions("chat", 5 * _ROUNDS) if text.startswith("How many")]
        named = [f"{text.removesuffix('?')} near {_PLACE}?" for text in nobody]
        for what, asked in (("that names nobody", nobody), ("that names an entity", named)):
            name, with_graph, without = f"recall k=10 among 1,000 turns, {what}", Timings(), Timings()
            for text in asked:
                manager.recall(text)
            for text in asked:
                with_graph.measure(manager.recall, text, k=10)
                without.measure(manager.recall, text, k=10, ranking=Convex(graph=0))
            row = stores.compare(timed(name, _TURNS, with_graph), "without the graph", without)
            part = with_graph.quantiles.cpu_p50 - without.quantiles.cpu_p50
            rows += [row, Row(f"{name}: the graph's part", _TURNS, value=part, unit="ms")]
    yield "recall", rows


GRAPH = Suite("a made-up graph", sizes=(100_000,), least=1_000, steps=_graph)
