"""Random work on two stores over one file, held step by step to a plain model of what must come out.

    python -m campaigns fuzz --rounds 200

A round that fails names its seed: `--rounds 1 --seed N` repeats it.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from campaigns.report import finish
from campaigns.shapes import CHANGEABLE, USERS, WORDS, any_filter, any_memory, any_metadata, any_value, any_words
from engrain.config import Settings
from engrain.lazy import Floats, np
from engrain.model.filters import Filter, Test, passes
from engrain.model.memory import Memory
from engrain.opening import open_store
from engrain.storage.interface import Reader, Store, Transaction
from engrain.storage.rows import Posting, Record, Vector
from engrain.testing.conformance.base import E1, bm25, cosines, floats, put_memory
from engrain.testing.conformance.vectors import COARSE, RESCORED, TOLERANCE

STEPS = 120
_DIMENSIONS = 12


class Abandoned(Exception):
    """Raised inside a change that shall leave nothing."""


@dataclass(slots=True)
class Kept:
    """One memory as the model knows it."""

    memory: Memory
    words: list[str]
    vector: tuple[float, ...] | None


@dataclass(slots=True)
class Model:
    """What the file must hold: memories by row number."""

    rows: dict[int, Kept] = field(default_factory=dict)

    def passing(self, where: Filter) -> dict[int, Kept]:
        """Return the rows inside the filter."""
        return {num: kept for num, kept in self.rows.items() if passes(kept.memory, where)}

    def scores(self, terms: dict[str, float], where: Filter) -> dict[int, float]:
        """Return the BM25 score of the rows inside the filter that hold a term."""
        inside = self.passing(where)
        found: dict[int, float] = {}
        for user in USERS:
            space = {num: kept.words for num, kept in self.rows.items() if kept.memory.scope.user == user}
            found |= {num: score for num, score in bm25(space, terms).items() if num in inside}
        return found


class Fuzz:
    """One round: steps drawn from a seed, carried out on a store and on the model."""

    def __init__(self, place: str, seed: int) -> None:
        self.rng = random.Random(seed)
        self.place = place
        self.stores: list[Store] = [open_store(place, Settings()) for _ in range(2)]
        self.model = Model()
        self.made = 0
        self.faults: list[str] = []

    def run(self, steps: int) -> list[str]:
        """Carry out the steps; return what did not agree."""
        acts: list[Callable[[Transaction], None]] = [
            self.add,
            self.add,
            self.change,
            self.reword,
            self.revector,
            self.remove,
        ]
        for _ in range(steps):
            chance = self.rng.random()
            if chance < 0.5:
                self.write([self.rng.choice(acts) for _ in range(self.rng.choice((1, 1, 1, 5, 40)))])
            elif chance < 0.53:
                self.reopen()
            else:
                self.look()
            if self.faults:
                break
        for store in self.stores:
            store.close()
        return self.faults

    # ------------------------------------------------------------------------------------------------------- writing

    def write(self, acts: Sequence[Callable[[Transaction], None]]) -> None:
        """Carry out some acts in one change, which is abandoned now and then."""
        before, state, made = dict(self.model.rows), self.rng.getstate(), self.made
        abandoned = self.rng.random() < 0.15

        def change(tx: Transaction) -> None:
            self.model.rows, self.made = {num: replace(kept) for num, kept in before.items()}, made
            self.rng.setstate(state)
            for act in acts:
                act(tx)
            if abandoned:
                raise Abandoned

        try:
            self.rng.choice(self.stores).write(change, "default")
        except Abandoned:
            self.model.rows = before

    def add(self, tx: Transaction) -> None:
        """Keep a new memory."""
        self.made += 1
        made, words = any_memory(self.rng, str(self.made)), any_words(self.rng)
        vector = self.vector() if self.rng.random() < 0.8 else None
        num = put_memory(tx, made, words, {E1: vector} if vector else {})
        self.model.rows[num] = Kept(made, words.split(), vector)

    def change(self, tx: Transaction) -> None:
        """Change columns of a memory, or its metadata."""
        if (num := self.some()) is not None:
            columns = self.rng.sample(CHANGEABLE, self.rng.randint(1, 3))
            changes = {column: any_value(self.rng, column) for column in columns}
            if self.rng.random() < 0.2:
                changes["metadata"] = any_metadata(self.rng)
            assert tx.update(Record, [Test("num", "eq", num)], **changes) == 1
            kept = self.model.rows[num]
            kept.memory = replace(kept.memory, **changes)  # type: ignore[arg-type]

    def reword(self, tx: Transaction) -> None:
        """Give a memory other words."""
        if (num := self.some()) is not None:
            words = any_words(self.rng).split()
            tx.delete(Posting, [Test("num", "eq", num)])
            space = tx.namespace("default", self.model.rows[num].memory.scope.user)
            tx.put(*(Posting(space, word, num, words.count(word)) for word in dict.fromkeys(words)))
            tx.update(Record, [Test("num", "eq", num)], length=len(words))
            self.model.rows[num].words = words

    def revector(self, tx: Transaction) -> None:
        """Give a memory another vector, or take it away."""
        if (num := self.some()) is not None:
            vector = self.vector() if self.rng.random() < 0.7 else None
            space = tx.namespace("default", self.model.rows[num].memory.scope.user)
            if vector is None:
                tx.delete(Vector, [Test("num", "eq", num)])
            else:
                tx.put(Vector(space, E1, num, floats(vector)))
            self.model.rows[num].vector = vector

    def remove(self, tx: Transaction) -> None:
        """Delete a memory with all that belongs to it."""
        if (num := self.some()) is not None:
            for kind in (Posting, Vector, Record):
                tx.delete(kind, [Test("num", "eq", num)])
            del self.model.rows[num]

    def some(self) -> int | None:
        """Return the number of a memory that is there."""
        return self.rng.choice(sorted(self.model.rows)) if self.model.rows else None

    def vector(self) -> tuple[float, ...]:
        """Return a vector of no particular direction."""
        return tuple(self.rng.gauss(0, 1) for _ in range(_DIMENSIONS))

    def reopen(self) -> None:
        """Close one of the stores and open it again."""
        place = self.rng.randrange(len(self.stores))
        self.stores[place].close()
        self.stores[place] = open_store(self.place, Settings())

    # ------------------------------------------------------------------------------------------------------- reading

    def look(self) -> None:
        """Compare all that a store answers with the model."""
        where = any_filter(self.rng)
        terms = dict.fromkeys(self.rng.sample(WORDS, self.rng.randint(1, 4)), 1.0)
        query = floats(self.vector())
        with self.rng.choice(self.stores).read("default") as view:
            looks: list[Callable[[], None]] = [
                lambda: self.rows(view, where),
                lambda: self.words(view, where, terms),
                lambda: self.near(view, where, query),
            ]
            self.rng.shuffle(looks)
            for look in looks:
                look()

    def agree(self, what: str, where: Filter, found: object, wanted: object) -> None:
        """Note a disagreement."""
        if found != wanted:
            self.faults.append(f"{what} gives {found}, the model {wanted}, for {where}")

    def rows(self, view: Reader, where: Filter) -> None:
        """Compare what is found and counted."""
        inside = self.model.passing(where)
        self.agree("find", where, [row.num for row in view.find(Record, where)], sorted(inside))
        self.agree("count", where, view.count(Record, where)[""], len(inside))
        found = {row.num: row.memory for row in view.find(Record, where)}
        for num in inside.keys() & found.keys():
            self.agree("the row", where, replace(found[num], supersedes=()), inside[num].memory)

    def words(self, view: Reader, where: Filter, terms: dict[str, float]) -> None:
        """Compare which rows hold the words, and their scores."""
        ranked = view.search_text(terms, where, limit=10_000)
        found = dict(zip(ranked.nums.tolist(), ranked.scores.tolist(), strict=True))
        wanted = self.model.scores(terms, where)
        self.agree("search_text", where, sorted(found), sorted(wanted))
        if found.keys() == wanted.keys():
            far = [num for num in found if abs(found[num] - wanted[num]) > 1e-4 * max(1.0, wanted[num])]
            self.agree("BM25", where, {num: found[num] for num in far}, {num: wanted[num] for num in far})

    def near(self, view: Reader, where: Filter, query: Floats) -> None:
        """Compare which rows have a vector, and their cosines."""
        ranked = view.search_vector(E1, query, where, limit=10_000)
        found = dict(zip(ranked.nums.tolist(), ranked.scores.tolist(), strict=True))
        inside = {num: kept.vector for num, kept in self.model.passing(where).items() if kept.vector}
        self.agree("search_vector", where, sorted(found), sorted(inside))
        if inside and found.keys() == inside.keys():
            exact = dict(zip(inside, cosines(np.asarray(list(inside.values())), query), strict=True))
            allowed = {num: TOLERANCE if place < RESCORED else COARSE for place, num in enumerate(found)}
            far = [num for num in found if abs(found[num] - exact[num]) > allowed[num]]
            self.agree("cosine", where, {num: found[num] for num in far}, {num: exact[num] for num in far})


def run(seed: int, steps: int = STEPS) -> list[str]:
    """Run one round; return what did not agree."""
    with tempfile.TemporaryDirectory() as folder:
        return Fuzz(str(Path(folder) / "memory.db"), seed).run(steps)


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    faults = {seed: run(seed, chosen.steps) for seed in range(chosen.seed, chosen.seed + chosen.rounds)}
    rows = [{"rounds": len(faults), "steps": chosen.steps, "agreed": sum(not found for found in faults.values())}]
    listed = [f"seed {seed}: {fault}" for seed, found in faults.items() for fault in found]
    return finish("random work against a plain model", rows, {"rounds": len(faults), "steps": chosen.steps}, listed)


if __name__ == "__main__":
    sys.exit(main())
