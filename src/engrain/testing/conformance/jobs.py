"""The queue: a job is leased to one worker at a time, and a lease that ran out may be taken over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from engrain.model.filters import Test
from engrain.model.memory import Job, JobState
from engrain.storage.interface import Store, Transaction
from engrain.testing.conformance.base import Conformance
from engrain.testing.conformance.writing import Trouble, together
from engrain.testing.rows import NOON, raises

MINUTE = timedelta(minutes=1)


def job(id: str, due: datetime = NOON, **fields: object) -> Job:
    """Return a queued job."""
    return replace(Job(id, "embed", "default", "mem_1", due), **fields)  # type: ignore[arg-type]


class Jobs(Conformance):
    """Claiming, leases and states."""

    def claim(
        self, worker: str = "w", now: datetime = NOON, kinds: Sequence[str] = ("embed",), store: Store | None = None
    ) -> Job | None:
        """Claim with a lease of one minute."""
        return (store or self.store).write(lambda tx: tx.claim(kinds, worker=worker, now=now, lease_until=now + MINUTE))

    def test_a_claimed_job_is_leased_and_running(self) -> None:
        self.put(job("a"))
        claimed = self.claim("worker 1")
        assert claimed is not None
        assert (claimed.id, claimed.state, claimed.leased_by) == ("a", JobState.RUNNING, "worker 1")
        assert claimed.lease_until == NOON + MINUTE
        assert self.find(Job) == [claimed]
        assert claimed.attempts == 1

    def test_nothing_due_is_none(self) -> None:
        assert self.claim() is None
        self.put(job("later", NOON + timedelta(microseconds=1)))
        assert self.claim() is None
        assert self.claim(now=NOON + timedelta(microseconds=1)) is not None

    def test_the_longest_due_comes_first(self) -> None:
        self.put(job("c", NOON - MINUTE), job("a", NOON - 3 * MINUTE), job("b", NOON - 2 * MINUTE))
        claimed = [self.claim() for _ in range(4)]
        assert [each and each.id for each in claimed] == ["a", "b", "c", None]

    def test_only_the_kinds_asked_for(self) -> None:
        self.put(job("a"), job("b", kind="sweep"), job("c", kind="enrich"))
        assert self.claim(kinds=()) is None
        claimed = [self.claim(kinds=("sweep", "enrich")) for _ in range(3)]
        assert {each.id for each in claimed if each} == {"b", "c"}
        assert claimed[2] is None

    def test_a_lease_that_holds_is_respected_and_one_that_ran_out_is_taken_over(self) -> None:
        self.put(job("a"))
        self.claim("first")
        assert self.claim("second", NOON + MINUTE - timedelta(microseconds=1)) is None
        taken = self.claim("second", NOON + MINUTE)
        assert taken is not None
        assert (taken.leased_by, taken.attempts) == ("second", 2)
        assert self.claim("first", NOON + MINUTE) is None

    def test_what_another_has_under_way_is_found_by_when_it_was_due(self) -> None:
        self.put(job("a"))
        claimed = self.claim("first")
        assert self.claim("second") is None  # who looks in vain may note when to look again
        with self.store.read() as reader:
            running = [Test("state", "eq", JobState.RUNNING), Test("run_at", "le", NOON)]
            assert reader.find(Job, running, order="run_at") == [claimed]

    def test_settled_jobs_are_never_claimed(self) -> None:
        self.put(job("a", state=JobState.DONE), job("b", state=JobState.DEAD, lease_until=NOON - MINUTE))
        assert self.claim(now=NOON + 100 * MINUTE) is None

    def test_a_job_put_back_is_claimed_when_it_is_due_again(self) -> None:
        self.put(job("a"))
        claimed = self.claim()
        assert claimed is not None
        self.put(
            replace(claimed, state=JobState.QUEUED, run_at=NOON + 5 * MINUTE, lease_until=None, leased_by="", error="e")
        )
        assert self.claim(now=NOON + 4 * MINUTE) is None
        again = self.claim(now=NOON + 5 * MINUTE)
        assert again is not None
        assert (again.attempts, again.error) == (2, "e")

    def test_a_claim_undone_is_no_claim(self) -> None:
        self.put(job("a"))

        def change(tx: Transaction) -> None:
            assert tx.claim(["embed"], worker="w", now=NOON, lease_until=NOON + MINUTE) is not None
            raise Trouble

        with raises(Trouble):
            self.store.write(change)
        assert self.find(Job) == [job("a")]

    def test_a_worker_settles_only_what_it_still_holds(self) -> None:
        self.put(job("a"))
        self.claim("first")
        self.claim("second", NOON + MINUTE)
        mine = [Test("id", "eq", "a"), Test("leased_by", "eq", "first")]
        assert self.store.write(lambda tx: tx.update(Job, mine, state=JobState.DONE), self.org) == 0
        assert self.find(Job)[0].state is JobState.RUNNING

    def test_threads_never_claim_the_same_job(self) -> None:
        self.put(*(job(f"{n:03}") for n in range(60)))
        claimed: list[str] = []

        def work(worker: str) -> None:
            while found := self.claim(worker):
                claimed.append(found.id)

        assert together([partial(work, f"w{n}") for n in range(6)]) == [None] * 6
        assert sorted(claimed) == [f"{n:03}" for n in range(60)]
