"""Random histories: after each change, all results of a store are compared with a plain model of it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from engrain.lazy import Floats, np
from engrain.model.filters import AnyOf, Condition, Filter, Meta, Tagged, Test, passes
from engrain.model.memory import Kind, Memory, Status
from engrain.storage import interface
from engrain.storage.interface import Reader, Store, Transaction
from engrain.storage.rows import CounterRow, Record, Vector
from engrain.testing.conformance import base
from engrain.testing.rows import NOON, memory

_WORDS = ("tea", "milk", "cup", "чай", "茶 🍵", "o'clock 100% a_b")
_USERS = (None, "ana", "bob")
_DIMENSIONS = 12
_TIMES = (NOON - timedelta(days=1), NOON, NOON + timedelta(days=1))
_VALUES: dict[str, tuple[Any, ...]] = {  # the columns that change, each with the values that it takes
    "status": (Status.ACTIVE, Status.ACTIVE, Status.ARCHIVED, Status.FORGOTTEN),
    "kind": (Kind.SEMANTIC, Kind.EPISODIC),
    "agent": (None, "cook", "coach"),
    "actor": (None, "Ana", "ana", "чай"),
    "session": (None, "mon", "tue"),
    "position": (None, 0, 1, 2, 3),
    "domain": ("general", "cti"),
    "tier": ("A", "B"),
    "importance": (0.1, 1 / 3, 0.7),
    "trust": (0.3, 0.9),
    "access_count": (0, 9),
    "superseded_by": (None, None, "mem_x"),
    "valid_from": _TIMES,
    "valid_until": (None, *_TIMES),
    "believed_until": (None, *_TIMES),
    "expires_at": (None, *_TIMES),
    "tags": ((), ("home",), ("home", "work")),
    "metadata": ({}, {"x": 1}, {"x": "1"}),
}


@dataclass(slots=True)
class _Row:
    memory: Memory
    words: str
    vector: Floats | None


class History:
    """Memories of one org that are put, changed and removed at random, in a store and in a model of it."""

    def __init__(self, seed: int, org: str = "default") -> None:
        self.random: Final = random.Random(seed)
        self.org = org
        self.where: Final = Filter(org)
        self.rows: dict[int, _Row] = {}

    def step(self, store: Store) -> None:
        """Make some changes in one transaction, and compare inside it; one in six is undone."""
        before, state = dict(self.rows), self.random.getstate()

        def change(tx: Transaction) -> None:
            self.rows = {num: replace(row) for num, row in before.items()}  # a store may run a change again
            self.random.setstate(state)
            for _ in range(self.random.choice((1, 1, 2, 9))):
                if self.random.random() < 1 / 4:
                    self.compare(tx)  # a cached search result must not outlive the next change
                some = self.random.choice(list(self.rows)) if self.rows else None
                act = self.random.choice((self._add, self._add, self._set, self._reword, self._move, self._drop))
                act(tx, some) if some is not None else self._add(tx, 0)
            self.compare(tx)
            if self.random.random() < 1 / 6:
                raise base.Trouble

        try:
            store.write(change, self.org)
        except base.Trouble:
            self.rows = before

    def _memory(self, user: str | None) -> Memory:
        fields = {name: self.random.choice(values) for name, values in _VALUES.items()}
        return memory(str(self.random.random()), org=self.org, user=user, **fields)

    def _vector(self) -> Floats:
        return base.floats([self.random.gauss(0, 1) for _ in range(_DIMENSIONS)])

    def _text(self) -> str:
        return " ".join(self.random.choices(_WORDS, (9, 5, 3, 2, 2, 1), k=self.random.randint(0, 8)))

    def _add(self, tx: Transaction, _: int) -> None:
        row = _Row(self._memory(self.random.choice(_USERS)), self._text(), self.random.choice((self._vector(), None)))
        num = base.put_memory(tx, row.memory, row.words, {} if row.vector is None else {base.E1: row.vector.tolist()})
        self.rows[num] = row

    def _set(self, tx: Transaction, num: int) -> None:
        row = self.rows[num]
        if self.random.random() < 0.2:  # the whole record, under its number
            row.memory = self._memory(row.memory.scope.user)
            tx.put(Record(row.memory, row.memory.id, "salt", num, len(row.words.split())))
            return
        column, values = self.random.choice(list(_VALUES.items()))
        value = self.random.choice(values)
        assert tx.update(Record, [Test("num", "eq", num)], **{column: value}) == 1
        if column in ("agent", "session"):
            row.memory = replace(row.memory, scope=replace(row.memory.scope, **{column: value}))
        else:
            row.memory = replace(row.memory, **{column: value})

    def _reword(self, tx: Transaction, num: int) -> None:
        self.rows[num].words = self._text()
        base.reword(tx, tx.namespace(self.org, self.rows[num].memory.scope.user), num, self.rows[num].words)

    def _move(self, tx: Transaction, num: int) -> None:
        row = self.rows[num]
        if self.random.random() < 0.3:
            tx.delete(Vector, [Test("num", "eq", num)])
            row.vector = None
        else:
            row.vector = self._vector()
            tx.put(Vector(tx.namespace(self.org, row.memory.scope.user), base.E1, num, row.vector))

    def _drop(self, tx: Transaction, num: int) -> None:
        base.remove(tx, num)
        del self.rows[num]

    # ----------------------------------------------------------------------------------------------------- comparing

    def look(self, store: Store) -> None:
        """Compare in a read of a store."""
        with store.read(self.org) as view:
            self.compare(view)

    def compare(self, view: Reader) -> None:
        """Compare the results of a random query under a random filter, and the counts."""
        column, values = self.random.choice(list(_VALUES.items()))
        test: Condition = Test(column, self.random.choice(("eq", "ne")), self.random.choice(values))
        if column == "tags":
            test = Tagged(("home", "work"), every=self.random.random() < 0.5)
        elif column == "metadata":
            test = Meta("x", self.random.choice(("eq", "ne")), 1)
        some = self.random.choice(((), (test,), (AnyOf(((test,), (Test("tier", "eq", "A"),))),)))
        where = Filter(self.org, self.random.choice(_USERS), self.random.random() < 0.3, some)
        for look in self.random.sample((self._rows, self._scores, self._cosines, self._sessions, self._counts), 5):
            look(view, where)

    def _passing(self, where: Filter) -> dict[int, _Row]:
        return {num: row for num, row in sorted(self.rows.items()) if passes(row.memory, where)}

    def _spaces(self, where: Filter) -> list[dict[int, _Row]]:
        inside = self._passing(where).items()
        return [{num: row for num, row in inside if row.memory.scope.user == user} for user in _USERS]

    def _rows(self, view: Reader, where: Filter) -> None:
        inside, found = self._passing(where), view.find(Record, where)
        assert [row.num for row in found] == list(inside), where
        assert [row.memory for row in found] == [row.memory for row in inside.values()]
        assert view.count(Record, where) == {"": len(inside)}
        assert sorted(view.actors(where)) == sorted(map(str, {row.memory.actor for row in inside.values()} - {None}))
        newest = sorted(inside, key=lambda num: (inside[num].memory.valid_from, num), reverse=True)
        assert view.search_time(where, limit=4).tolist() == newest[:4]
        today = [num for num in newest if _TIMES[1] <= inside[num].memory.valid_from < _TIMES[2]]
        assert view.search_time(where, limit=999, since=_TIMES[1], until=_TIMES[2]).tolist() == today

    def _scores(self, view: Reader, where: Filter) -> None:
        """Compare BM25 and its statistics, which are those of each namespace, hidden rows included."""
        words = self.random.sample("tea milk чай 🍵 no".split(), 3)
        terms = {term: self.random.choice((1.0, 0.25, 3.0)) for term in words}
        wanted: dict[int, float] = {}
        for space in self._spaces(self.where):
            wanted |= base.bm25({num: row.words.split() for num, row in space.items()}, terms)
        inside = {num: score for num, score in wanted.items() if num in self._passing(where)}
        ranked = view.search_text(terms, where, limit=1000)
        compare_ranking(dict(zip(ranked.nums.tolist(), ranked.scores.tolist(), strict=True)), inside)
        searched = [row.words.split() for row in self._passing(Filter(where.org, where.user, where.shared)).values()]
        assert ranked.stats.documents == len(searched)
        base.close([ranked.stats.average_length], [sum(map(len, searched)) / max(len(searched), 1)])
        for term in terms:
            assert ranked.stats.frequency.get(term, 0) == sum(term in words for words in searched)
        nums = self.random.sample(list(self.rows), len(self.rows))
        gains = zip(terms.values(), interface.gains(view, tuple(terms), base.ints(nums), self.where), strict=True)
        found = sum((weight * gain for weight, gain in gains), start=np.zeros(len(nums)))
        base.close(found, [wanted.get(num, 0.0) for num in nums])

    def _cosines(self, view: Reader, where: Filter) -> None:
        question = self._vector()
        inside = {num: row.vector for num, row in self._passing(where).items() if row.vector is not None}
        exact = dict(zip(inside, base.cosines(np.stack([*inside.values()]), question), strict=True)) if inside else {}
        ranked = view.search_vector(base.E1, question, where, limit=1000)
        found = base.as_list(ranked)
        assert sorted(found) == list(inside), where
        base.close(ranked.scores, [exact[num] for num in found], 1e-2)
        given = interface.cosines(view, base.E1, question, base.ints(self.rows), self.where)
        known = {num: row.vector is not None for num, row in self.rows.items()}
        assert [bool(np.isnan(value)) for value in given] == [not has for has in known.values()]

    def _sessions(self, view: Reader, where: Filter) -> None:
        """Compare the scores of sessions, each a document of its rows that pass, neighbours, and ranking's columns."""
        nums, inside, wanted = list(self.rows), self._passing(where), dict[int, float]()
        terms = {"tea": 1.0, "cup": 2.0}
        for space in self._spaces(Filter(where.org, where.user, where.shared)):
            sessions = {num: row.memory.scope.session for num, row in space.items() if row.memory.scope.session}
            names = sorted(set(sessions.values()))
            documents = [
                " ".join(space[num].words for num, name in sessions.items() if name == each and num in inside).split()
                for each in names
            ]
            filled = {place: words for place, words in enumerate(documents) if words}
            scores = base.bm25(filled, terms, k1=base.SESSION_K1, b=base.SESSION_B)
            wanted |= {num: scores.get(names.index(name), 0.0) for num, name in sessions.items()}
        found = view.describe(base.ints(nums), where, span=2, terms=terms)
        base.close(found.sessions, [wanted.get(num, 0.0) for num in nums])
        memories = {num: row.memory for num, row in sorted(self.rows.items())}
        places = {num: (each.scope.user, each.scope.session, each.position) for num, each in memories.items()}
        newest = {place: num for num, place in places.items()}
        for num, around in zip(nums, found.around.tolist(), strict=True):
            user, session, position = places[num]
            beside = [-1] * 4
            if session is not None and position is not None:
                beside = [newest.get((user, session, position + step), -1) for step in (-2, -1, 1, 2)]
            assert around == [each if each in inside else -1 for each in beside], where
        columns = view.describe(base.ints(nums), self.where).columns
        base.close(columns.importance, [each.importance for each in memories.values()])
        assert columns.length.tolist() == [len(self.rows[num].words.split()) for num in memories]

    def _counts(self, view: Reader, where: Filter) -> None:
        live = (m for m in (row.memory for row in self.rows.values()) if m.status is Status.ACTIVE)
        wanted = Counter((m.scope.agent, m.kind.value) for m in live if m.scope.agent and m.superseded_by is None)
        counted: Counter[tuple[str | None, str]] = Counter()
        for row in view.find(CounterRow, [Test("ns", "in", tuple(interface.owners(view, self.where)))], order="kind"):
            counted[row.agent, row.kind] += row.live
        assert +counted == wanted


def compare_ranking(found: dict[int, float], wanted: dict[int, float]) -> None:
    """Assert that the rows found, their scores and their order are those wanted; equal scores come in row order."""
    order = sorted(wanted, key=lambda num: (-round(wanted[num], 5), num))
    assert set(found) == set(order)
    base.close(list(found.values()), sorted(wanted.values(), reverse=True))
    base.close([found[num] for num in order], [wanted[num] for num in order])


class Histories(base.Conformance):
    """One store object: its results after any change, inside the change and after it."""

    def test_any_history_is_answered_as_the_model_says(self) -> None:
        for seed in range(4):
            history = History(seed, f"org {seed}" if seed else base.EVERYTHING.org)
            for _ in range(25):
                history.step(self.store)
                history.look(self.store)
