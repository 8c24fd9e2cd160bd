"""What sweeps and caps ask of a store: what is due, what is used, what is counted; a memory's life as it was stored."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta

from engrain.model.filters import Filter, Test, heated
from engrain.model.memory import Expiry, Kind, Memory, Status
from engrain.model.procedure import Procedure, ProcedureStep
from engrain.storage.interface import Transaction
from engrain.storage.rows import CounterRow, Record
from engrain.testing.conformance.base import Conformance
from engrain.testing.rows import NOON, memory, raises

_DAY = timedelta(days=1)


class Lifecycle(Conformance):
    """Columns of the lifecycle, and the counters that transactions keep."""

    def kept(self, one: Memory, **fields: object) -> int:
        """Keep a memory as a record with more fields; return its row number."""
        (num,) = self.put(Record(one, identity=one.id, salt="s", **fields))  # type: ignore[arg-type]
        return num

    def counted(self) -> dict[tuple[str, str], int]:
        """Return what the store counts, by agent and kind, what it counts none of left out."""
        return {(each.agent, each.kind): each.live for each in self.find(CounterRow, (), order="kind") if each.live}

    def test_what_a_life_leaves_comes_back(self) -> None:
        procedure = Procedure(name="tea", steps=(ProcedureStep(action="fill the kettle", tool_name="tap"),))
        used = (NOON - _DAY, NOON - 2 * _DAY)
        one = memory(expiry=Expiry.GIVEN, consolidated_at=NOON, procedure=procedure, accessed_before=used)
        num = self.kept(one, due_at=NOON + _DAY)
        (found,) = self.find(Record, [Test("num", "eq", num)])
        assert found.memory == one
        assert found.due_at == NOON + _DAY

    def test_what_is_due_is_found_in_its_order(self) -> None:
        nums = [self.kept(memory(), due_at=None if day is None else NOON + day * _DAY) for day in (3, None, 1, 2)]
        found = self.find(Record, [Test("due_at", "le", NOON + 2 * _DAY)], order="due_at")
        assert [record.num for record in found] == [nums[2], nums[3]]
        walled = self.find(Record, Filter("default").but(Test("due_at", "le", NOON)), order="due_at")
        assert walled == []

    def test_heat_is_a_filter(self) -> None:
        hot = self.kept(memory("hot", last_accessed=NOON, accessed_before=(NOON, NOON - _DAY)))
        self.kept(memory("warm"))
        self.kept(memory("cold", recorded_at=NOON - 9 * _DAY))
        for name in ("hot", "warm", "cold"):
            assert self.contents(Filter("default").but(heated([name], NOON))) == {name}
        self.update(hot, last_accessed=NOON - 8 * _DAY, accessed_2=NOON - 9 * _DAY, accessed_3=None)
        assert self.contents(Filter("default").but(heated(["cold"], NOON))) == {"hot", "cold"}

    def test_what_counts_for_a_cap_is_counted(self) -> None:
        nums = [self.kept(memory(agent="scout")) for _ in range(3)]
        self.kept(memory(agent="scout", kind=Kind.EPISODIC))
        self.kept(memory(agent="baker", user="bo"))
        self.kept(memory())
        self.kept(memory(agent="scout", status=Status.ARCHIVED))
        assert self.counted() == {("scout", "semantic"): 3, ("scout", "episodic"): 1, ("baker", "semantic"): 1}
        self.update(nums[0], status=Status.EXPIRED)
        self.update(nums[1], superseded_by="mem_later")
        self.update(nums[2], kind=Kind.EPISODIC)
        assert self.counted() == {("scout", "episodic"): 2, ("baker", "semantic"): 1}
        self.update(nums[0], status=Status.ACTIVE)
        self.update(nums[2], importance=0.1)
        assert self.counted() == {("scout", "episodic"): 2, ("scout", "semantic"): 1, ("baker", "semantic"): 1}
        self.store.write(lambda tx: tx.delete(Record, [Test("num", "eq", nums[2])]), self.org)
        assert self.counted() == {("scout", "episodic"): 1, ("scout", "semantic"): 1, ("baker", "semantic"): 1}

    def test_counters_agree_with_counting_whatever_comes_changes_and_goes(self) -> None:
        for seed in range(3):
            _CountedHistory(self, random.Random(seed), f"org {seed}").run(40)

    def test_a_transaction_sees_what_it_counts(self) -> None:
        def change(tx: Transaction) -> list[int]:
            held = [sum(row.live for row in tx.find(CounterRow, order="kind"))]
            for name in ("one", "two"):
                tx.put(Record(memory(name, agent="scout"), identity=name, salt="s"))
                held.append(sum(row.live for row in tx.find(CounterRow, order="kind")))
            tx.delete(Record, [Test("identity", "eq", "one")])
            return [*held, sum(row.live for row in tx.find(CounterRow, order="kind"))]

        assert self.store.write(change, self.org) == [0, 1, 2, 1]
        assert self.counted() == {("scout", "semantic"): 1}

    def test_what_is_rolled_back_is_not_counted(self) -> None:
        self.kept(memory(agent="scout"))

        def change(tx: Transaction) -> None:
            tx.put(Record(memory(agent="scout"), identity=None, salt="s"))
            assert sum(row.live for row in tx.find(CounterRow, order="kind")) == 2
            raise LookupError("not kept")

        with raises(LookupError):
            self.store.write(change, self.org)
        self.kept(memory(agent="scout"))
        assert self.counted() == {("scout", "semantic"): 2}


_STATUSES = (Status.ACTIVE, Status.ACTIVE, Status.ARCHIVED, Status.FORGOTTEN)
_KINDS, _AGENTS, _USERS = (Kind.SEMANTIC, Kind.EPISODIC), (None, "cook", "coach"), (None, "ana")


class _CountedHistory:
    """Memories of one org that come, change and go at random; after each step the counters are compared with them."""

    def __init__(self, suite: Lifecycle, chance: random.Random, org: str) -> None:
        self.suite, self.chance, self.org = suite, chance, org
        self.where = Filter(org)
        self.namespaces: tuple[int, ...] = ()

    def run(self, steps: int) -> None:
        """Make so many steps."""
        for _ in range(steps):
            self.suite.store.write(self.step, self.org)
            self.compare()

    def step(self, tx: Transaction) -> None:
        """Make one to three changes in one transaction."""
        self.namespaces = tuple(tx.namespace(self.org, user) for user in _USERS)
        for _ in range(self.chance.randint(1, 3)):
            records = tx.find(Record, self.where)
            some = self.chance.sample(records, min(len(records), self.chance.randint(1, 4)))
            rows = [Test("num", "in", tuple(record.num for record in some))]
            action = self.chance.choice(("insert", "insert", "update", "replace", "delete")) if some else "insert"
            if action == "insert":
                tx.put(*(self.record() for _ in range(self.chance.randint(1, 4))))
            elif action == "update":
                tx.update(Record, rows, **self.change())
            elif action == "replace":
                of_user = some[0].memory.scope.user
                tx.put(
                    *(replace(self.record(of_user), num=each.num) for each in some if each.memory.scope.user == of_user)
                )
            else:
                tx.delete(Record, rows)

    def record(self, *user: str | None) -> Record:
        """Return a new record, of a user if one is given."""
        choice = self.chance.choice
        owner = user[0] if user else choice(_USERS)
        one = memory(org=self.org, user=owner, agent=choice(_AGENTS), kind=choice(_KINDS), status=choice(_STATUSES))
        return Record(one, identity=one.id, salt="s", length=self.chance.randint(0, 9))

    def change(self) -> dict[str, object]:
        """Return a column and its new value."""
        choice = self.chance.choice
        column, value = choice(
            (
                ("status", choice(_STATUSES)),
                ("kind", choice(_KINDS)),
                ("agent", choice(_AGENTS)),
                ("length", self.chance.randint(0, 9)),
                ("superseded_by", choice((None, "mem_other"))),
                ("access_count", 7),
            )
        )
        return {column: value}

    def compare(self) -> None:
        """Compare what is kept with what is counted."""
        with self.suite.store.read(self.org) as view:
            records = view.find(Record, self.where)
            rows = view.find(CounterRow, [Test("ns", "in", self.namespaces)], order="kind")
            stats = view.search_text({"tea": 1.0}, self.where, limit=0).stats
        live = [m for m in (r.memory for r in records) if m.status is Status.ACTIVE and m.superseded_by is None]
        counted = Counter((m.scope.agent, m.kind.value) for m in live if m.scope.agent is not None)
        kept: Counter[tuple[str, str]] = Counter()
        for row in rows:
            kept[row.agent, row.kind] += row.live
        assert +kept == counted
        assert stats.documents == len(records)
        assert stats.average_length == sum(r.length for r in records) / max(len(records), 1)
