"""How fast a large graph is filled and walked, beside bare SQL on the same relations, and its cost for a recall."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice, pairwise
from random import Random
from typing import Any

from engrain.evaluation import children, limits
from engrain.evaluation.corpus import Corpus
from engrain.evaluation.figures import Row, Speed, Timings, timed
from engrain.evaluation.networks import Network, Relation
from engrain.evaluation.places import Places, of_server, places
from engrain.evaluation.speed import Progress
from engrain.manager import MemoryManager
from engrain.policies.fusion import Convex

SIZES = (100_000,)
ADD = "add_relationships, 1,000 a transaction: each"
WALK = "traverse_graph, {} steps from {}"
NODES = "entities reached"

_BATCH = 10_000
_CITED = 20  # of so many relations one cites a memory
_AVERAGE, _HUB = "an average entity", "a hub"
_ROUNDS, _FEW = 60, 3
_BARE = "two bare indexed SELECTs a level"
_WALK_BARS = {1_000_000: 1}  # milliseconds of the processor, two steps from an average entity
_TURNS, _APART = 1_000, 25  # turns of the small store, and how many apart the entity is named in them
_PLACE = "Marlow Castle"
_LEAST = 1_000


def run(
    *,
    sizes: Sequence[int] = SIZES,
    seed: int = 7,
    store: str | None = None,
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Speed:
    """Fill a store with so many made-up relations between a tenth as many entities, and walk among them.

    The stores are temporary, as those of `engrain.evaluation.speed.run`. `progress(done, total, label)` is called
    after each step. A million relations take minutes.
    """
    chosen = tuple(sorted(set(sizes)))
    if not chosen or chosen[0] < _LEAST:
        raise ValueError(f"sizes are at least {_LEAST:,} relations, and there is at least one")
    rows: list[Row] = []
    with places(store, store_dir, purpose="bench") as made:
        trials = [GraphTrial(made, size, seed) for size in chosen]
        total, steps = 1 + sum(map(len, trials)), _all(made, seed, trials)
        for done, (label, found) in enumerate(steps, start=1):
            rows += found
            if progress is not None:
                progress(done, total, label)
    kept = tuple(of_server(rows) if made.server else rows)
    about, server = "a made-up graph", made.server
    return Speed(kept, sizes=chosen, seed=seed, embedder=children.EMBEDDER, about=about, server=server)


def _all(made: Places, seed: int, trials: Iterable[GraphTrial]) -> Iterator[tuple[str, list[Row]]]:
    yield "recall", _recalled(made, seed)
    for trial in trials:
        yield from trial.steps()


class GraphTrial:
    """A store of one user with `size` relations; one in twenty cites a memory, the others are stated by hand."""

    def __init__(self, places: Places, size: int, seed: int) -> None:
        self._places, self._name = places, f"graph-{size}"
        self._size, self._network = size, Network(size, size // 10, seed)
        self._average, self._hubs = self._network.average, self._network.hubs
        Random(seed).shuffle(self._average)

    def __len__(self) -> int:
        return -(-self._size // _BATCH) + 7

    def steps(self) -> Iterator[tuple[str, list[Row]]]:
        """Do one step after the other, yielding its name and its figures; in the end the store is gone."""
        path = self._places.at(self._name)
        with closing(self._places.graph()) as bare:
            with MemoryManager(path, user="whole", embedder=None) as manager:
                yield from self._fill(manager, bare)
            yield "size", self._weigh(bare)
            with MemoryManager(path, user="whole", embedder=None) as manager:
                first = Timings()
                first.of(manager.traverse_graph, *self._network.named(self._average[0]))
                yield "open", [timed("first walk after opening, 2 steps from an average entity", self._size, first)]
                yield from self._walk(manager, bare)
                yield "ways", self._ways(manager)
        self._places.leave(self._name)

    # -------------------------------------------------------------------------------------------------------- filling

    def _fill(self, manager: MemoryManager, bare: limits.Graph) -> Iterator[tuple[str, list[Row]]]:
        ours, floor, done, relations = Timings(), Timings(), 0, self._network.relations()
        while some := list(islice(relations, _BATCH)):
            items = self._items(manager, some, done)
            ours.each(len(some), manager.graph.add_relationships, items)
            floor.each(len(some), bare.add, some)
            done += len(some)
            yield f"add_relationships, {done:,}", self._filled(ours, floor) if done == self._size else []

    def _filled(self, ours: Timings, floor: Timings) -> list[Row]:
        row = self._places.beside(timed(ADD, self._size, ours), "bare executemany, two indexes", floor)
        return [row, Row("relations added in a second of the processor", self._size, value=1000 / ours.cpu_mean)]

    def _items(self, manager: MemoryManager, some: Sequence[Relation], first: int) -> list[dict[str, Any]]:
        """Return relations as arguments, every twentieth with a memory that says so."""
        texts = [f"Note {first + place}: seen by one who was there." for place in range(0, len(some), _CITED)]
        told = iter(manager.remember_many([{"content": text, "source_type": "tool"} for text in texts]))
        items = []
        for place, (source, relation, target) in enumerate(some):
            evidence = next(told).id if place % _CITED == 0 else None
            ends = self._network.named(source), self._network.named(target)
            items.append({"source": ends[0], "relation": relation, "target": ends[1], "evidence": evidence})
        return items

    def _weigh(self, bare: limits.Graph) -> list[Row]:
        sizes = self._places.size(self._name) / self._size, bare.bytes() / self._size
        whats = "file, for each relation", "bare table and its indexes, for each relation"
        return [Row(what, self._size, value=size, unit="bytes") for what, size in zip(whats, sizes, strict=True)]

    # -------------------------------------------------------------------------------------------------------- walking

    def _walk(self, manager: MemoryManager, bare: limits.Graph) -> Iterator[tuple[str, list[Row]]]:
        for steps, rounds in ((2, _ROUNDS), (3, _FEW)):
            for who, chosen in ((_AVERAGE, self._average[:rounds]), (_HUB, self._hubs[:_FEW])):
                what, floor = WALK.format(steps, who), Timings()

                def walk(number: int, steps: int = steps) -> int:
                    return len(manager.traverse_graph(*self._network.named(number), max_depth=steps))

                found = self._each(what, walk, chosen)
                for number in chosen:
                    floor.of(bare.walk, number, steps)
                row = self._places.beside(found[0], _BARE, floor)
                bar = _WALK_BARS.get(self._size) if (steps, who) == (2, _AVERAGE) else None
                if bar is not None and row.cpu_ms is not None:
                    row = row.judged(f"<= {bar} ms CPU", row.cpu_ms <= bar)
                yield what, [row, *found[1:]]

    def _ways(self, manager: MemoryManager) -> list[Row]:
        """Look around entities, for ways between them, and for who matters."""
        graph, named, rows = manager.graph, self._network.named, list[Row]()
        for who, chosen in ((_AVERAGE, self._average[:_ROUNDS]), (_HUB, self._hubs[:_FEW])):
            of = f"of {who}"
            rows += self._each(
                f"get_entity_relationships {of}", lambda n: len(manager.get_entity_relationships(*named(n))), chosen
            )
            rows += self._each(f"related, 2 steps, {of}", lambda n: len(graph.related(*named(n))), chosen[:_FEW])
        pairs = list(pairwise(self._average[: _ROUNDS // 2]))
        rows += self._each(
            "shortest_path between average entities", lambda p: len(graph.shortest_path(*map(named, p))), pairs, None
        )
        few = self._average[:_FEW]
        return [
            *rows,
            *self._each("pagerank from an average entity", lambda n: len(graph.pagerank([named(n)])), few, None),
        ]

    def _each(
        self, what: str, call: Callable[[Any], int], asked: Sequence[Any], counted: str | None = NODES
    ) -> list[Row]:
        """Make a call for each, the first of them once before, and say how much was found in the middle."""
        taken = Timings()
        call(asked[0])
        found = sorted(taken.of(call, each) for each in asked)
        row = timed(what, self._size, taken)
        return [row, Row(f"{what}: {counted}", self._size, value=found[len(found) // 2])] if counted else [row]


def _recalled(made: Places, seed: int) -> list[Row]:
    """Ask a small store with the graph and without, for somebody it knows and for nobody."""
    corpus, rows = Corpus(seed), list[Row]()
    with MemoryManager(made.at("chat"), user="chat", embedder=children.EMBEDDER) as manager:
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
                with_graph.of(manager.recall, text, k=10)
                without.of(manager.recall, text, k=10, ranking=Convex(graph=0))
            row = made.beside(timed(name, _TURNS, with_graph), "without the graph", without)
            rows += [row, Row(f"{name}: the graph's part", _TURNS, value=with_graph.cpu50 - without.cpu50, unit="ms")]
    return rows
