"""Whatever happens to memories, a sweep leaves exactly what a look at every one of them would leave."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engrain import MemoryManager, RetentionPolicy, Settings
from engrain.lifecycle.consolidation import may_be_learnt
from engrain.model.choices import KindName
from engrain.model.filters import Test
from engrain.model.memory import Expiry, Memory, Status
from engrain.policies.retention import is_kept
from engrain.storage.rows import Record
from engrain.testing import FrozenClock
from tests.lifecycle.living import learnt
from tests.rounds import rounds

POLICIES = (
    Settings(worker="none"),
    Settings(worker="none", retention="bounded"),
    Settings(
        worker="none",
        retention="bounded",
        policies=(
            RetentionPolicy(kind="semantic", curve="exponential", rate=0.2, cap=6),
            RetentionPolicy(kind="episodic", ttl=5 * 86_400, cap=5),
            RetentionPolicy(kind="semantic", domain="incident", curve="step", threshold=4, ttl=9 * 86_400),
        ),
    ),
)


class Histories(RuleBasedStateMachine):
    """Random histories of one agent's memories under policies that change."""

    @initialize(which=st.sampled_from(POLICIES))
    def begin(self, which: Settings) -> None:
        """Open an empty memory."""
        self.clock = FrozenClock("2026-01-05T12:00:00+00:00")
        self.memory = MemoryManager(
            ":memory:", user="ana", agent="scout", clock=self.clock, embedder=None, settings=which
        )
        self.ids: list[str] = []
        self.count = 0

    def one(self, number: int) -> str | None:
        """Return the id of one of the memories."""
        return self.ids[number % len(self.ids)] if self.ids else None

    def live(self, number: int) -> Memory | None:
        """Return one of the memories if it is live."""
        memory_id = self.one(number)
        found = None if memory_id is None else self.memory.get(memory_id)
        return found if found is not None and found.is_live_at(self.clock.now()) else None

    @rule(
        kind=st.sampled_from(["episodic", "semantic", "procedural"]),
        share=st.sampled_from([0.0, 0.04, 0.2, 0.5, 0.79, 0.8, 1.0]),
        ttl=st.sampled_from([None, None, None, 3 * 86_400]),
        pinned=st.booleans(),
        domain=st.sampled_from(["general", "incident"]),
    )
    def remember(self, kind: KindName, share: float, ttl: float | None, pinned: bool, domain: str) -> None:
        """Remember something new."""
        self.count += 1
        stored = self.memory.remember(
            f"thing {self.count}",
            kind=kind,
            importance=share,
            ttl=None if kind == "procedural" else ttl,
            pinned=pinned and share < 0.5,
            domain=domain,
        )
        self.ids.append(stored.id)

    @rule(hours=st.sampled_from([1, 12, 30, 100, 400]))
    def wait(self, hours: int) -> None:
        """Let time go by."""
        self.clock.advance(timedelta(hours=hours))

    @rule(number=st.integers(0, 99))
    def learn(self, number: int) -> None:
        """Learn from an episode."""
        if (found := self.live(number)) is not None:
            learnt(self.memory, found.id)

    @rule(number=st.integers(0, 99), share=st.sampled_from([0.0, 0.1, 0.6, 0.9]))
    def rate(self, number: int, share: float) -> None:
        """Rate a memory anew."""
        if (found := self.live(number)) is not None:
            self.memory.update(found.id, importance=share)

    @rule(number=st.integers(0, 99), end=st.sampled_from([None, 2 * 86_400]))
    def end(self, number: int, end: float | None) -> None:
        """Give a memory an end, or none."""
        if (found := self.live(number)) is not None and (found.kind != "procedural" or end is None):
            self.memory.update(found.id, ttl=end)

    @rule(number=st.integers(0, 99), pinned=st.booleans())
    def pin(self, number: int, pinned: bool) -> None:
        """Pin or unpin a memory."""
        if (found := self.live(number)) is not None:
            (self.memory.pin if pinned else self.memory.unpin)(found.id)

    @rule(number=st.integers(0, 99))
    def promote(self, number: int) -> None:
        """Promote an episode."""
        if (found := self.live(number)) is not None and found.kind == "episodic":
            self.memory.promote(found.id)

    @rule(number=st.integers(0, 99))
    def read(self, number: int) -> None:
        """Recall a memory."""
        self.memory.recall(f"thing {number % (self.count + 1)}", k=2)
        self.memory.flush()

    @rule(number=st.integers(0, 99))
    def back(self, number: int) -> None:
        """Bring a memory back."""
        memory_id = self.one(number)
        if memory_id is not None:
            self.memory.reinstate(memory_id)

    @rule(number=st.integers(0, 99))
    def supersede(self, number: int) -> None:
        """Let another memory take the place of one."""
        if (found := self.live(number)) is not None and found.kind == "semantic":
            self.count += 1
            self.ids.append(self.memory.supersede(found.id, f"thing {self.count}").id)

    @rule(which=st.sampled_from(POLICIES))
    def govern(self, which: Settings) -> None:
        """Let other policies be in force."""
        self.memory._engine.settings = which

    @rule()
    def sweep(self) -> None:
        """Sweep, and compare with what a look at every memory says; a sweep consolidates the live episodes first."""
        retention, now = self.memory.settings.retention_rules, self.clock.now()
        foreseen = self.memory.sweep(dry_run=True)
        before = {
            memory.id: replace(memory, consolidated_at=now) if may_be_learnt(memory, now) else memory
            for memory in (record.memory for record in self._rows())
        }
        done = self.memory.sweep()
        assert (done.expired, done.archived) == (foreseen.expired, foreseen.archived)
        after = {record.memory.id: record.memory for record in self._rows()}
        for memory_id, was in before.items():
            became = after[memory_id]
            if was.stored_status is Status.ACTIVE:
                ended = was.expires_at is not None and was.expires_at <= now and retention.of(was).ttl is not None
                expiring = was if ended else retention.expiring(was)
                over = expiring.expires_at is not None and expiring.expires_at <= now
                gone = Status.EXPIRED if over else Status.ARCHIVED if retention.has_faded(was, now) else Status.ACTIVE
                assert became.stored_status is gone, (was, became)
                assert gone is Status.ACTIVE or not is_kept(was) or expiring.expiry is Expiry.GIVEN or ended
            else:
                assert became == was
        assert (again := self.memory.sweep()).expired == again.archived == 0

    @invariant()
    def the_chain_is_whole(self) -> None:
        """Every change stands in the audit trail."""
        if hasattr(self, "memory"):
            assert self.memory.verify_audit().ok

    def _rows(self) -> list[Record]:
        with self.memory.store.read() as reader:
            return reader.find(Record, [Test("num", "gt", 0)])

    def teardown(self) -> None:
        """Close the memory."""
        if hasattr(self, "memory"):
            self.memory.close()


Histories.TestCase.settings = hypothesis_settings(max_examples=rounds(25), stateful_step_count=40, deadline=None)
TestHistories = Histories.TestCase
