"""What sweeps and caps ask of a store: what is due, what is used, what is counted; a memory's life as it was stored."""

from __future__ import annotations

from datetime import timedelta

from engrain.model.filters import Filter, Test, heated
from engrain.model.memory import Expiry, Kind, Memory, Status
from engrain.model.procedure import Procedure, ProcedureStep
from engrain.storerows import Record, Tally
from engrain.testing.conformance.base import Conformance
from engrain.testing.rows import NOON, memory

_DAY = timedelta(days=1)


class Lifecycle(Conformance):
    """Columns of the lifecycle, and the count that a store keeps by itself."""

    def kept(self, one: Memory, **fields: object) -> int:
        """Keep a memory as a record with more fields; return its row number."""
        (num,) = self.put(Record(one, identity=one.id, salt="s", **fields))  # type: ignore[arg-type]
        return num

    def tally(self) -> dict[tuple[str, str], int]:
        """Return what the store counts, by agent and kind, what it counts none of left out."""
        return {(each.agent, each.kind): each.held for each in self.find(Tally, (), order="kind") if each.held}

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
        assert self.tally() == {("scout", "semantic"): 3, ("scout", "episodic"): 1, ("baker", "semantic"): 1}
        self.update(nums[0], status=Status.EXPIRED)
        self.update(nums[1], superseded_by="mem_later")
        self.update(nums[2], kind=Kind.EPISODIC)
        assert self.tally() == {("scout", "episodic"): 2, ("baker", "semantic"): 1}
        self.update(nums[0], status=Status.ACTIVE)
        self.update(nums[2], importance=0.1)
        assert self.tally() == {("scout", "episodic"): 2, ("scout", "semantic"): 1, ("baker", "semantic"): 1}
        self.store.write(lambda tx: tx.delete(Record, [Test("num", "eq", nums[2])]), self.org)
        assert self.tally() == {("scout", "episodic"): 1, ("scout", "semantic"): 1, ("baker", "semantic"): 1}
