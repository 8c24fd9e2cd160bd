"""Several at one database: claims do not wait for each other, no job is forgotten, no org is left out."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, cast

from campaigns import postgres as campaign
from engrain import MemoryManager, Settings
from engrain.model.filters import Test
from engrain.model.memory import Job, JobState
from engrain.storage.interface import Transaction
from engrain.storage.postgres import PostgresStore
from engrain.testing import FrozenClock
from engrain.testing.rows import NOON
from tests.postgres import servers

MINUTE = timedelta(minutes=1)


class Visited(PostgresStore):
    """A store that notes which orgs are read when all of them may be."""

    def __init__(self, url: str) -> None:
        self.visited = set[str]()
        super().__init__(url)

    @contextmanager
    def read(self, org: str | None = None) -> Iterator[Any]:
        with super().read(org) as view:
            yield view
            if org is None:
                self.visited |= set(cast(Any, view)._views)


def claim(store: PostgresStore, now: int, kinds: tuple[str, ...] = ("embed",)) -> Job | None:
    at = NOON + now * MINUTE
    return store.write(lambda tx: tx.claim(kinds, worker="w", now=at, lease_until=at + MINUTE))


def test_two_processes_and_two_workers_lose_nothing_and_do_nothing_twice() -> None:
    with servers.database() as url:
        rows, faults = campaign.run(url, 3)
    assert faults == []
    assert sum(int(str(row["memories"])) for row in rows) > 0


def test_workers_claim_at_once_without_waiting_for_each_other_or_for_writers() -> None:
    with servers.database() as url:
        one, two = PostgresStore(url, patience=5), PostgresStore(url, patience=5)
        for n in range(4):
            one.write(lambda tx, n=n: tx.put(Job(f"job_{n}", "embed", "acme", "m", NOON)), "acme")  # type: ignore[misc]
        seen = list[str]()

        def first(transaction: Transaction) -> None:
            job = transaction.claim(["embed"], worker="a", now=NOON, lease_until=NOON + MINUTE)
            other = claim(two, 0)
            seen.extend(each.id for each in (job, other) if each is not None)

        thread = threading.Thread(target=lambda: one.write(first))
        thread.start()
        thread.join(20)
        assert len(set(seen)) == 2
        one.close()
        two.close()


def test_orgs_with_jobs_of_another_kind_hide_no_org_behind_them() -> None:
    with servers.database() as url:
        store = PostgresStore(url)
        for n in range(100):
            store.write(lambda tx, n=n: tx.put(Job(f"job_{n}", "enrich", f"o{n:03}", "m", NOON)), f"o{n:03}")  # type: ignore[misc]
        store.write(lambda tx: tx.put(Job("job_last", "embed", "zz", "m", NOON + MINUTE)), "zz")
        found = claim(store, 2)
        assert found is not None
        assert found.id == "job_last"
        assert claim(store, 2) is None
        store.close()


def test_every_job_that_is_due_is_claimed_whatever_happens_between() -> None:
    chance = random.Random(11)
    with servers.database() as url:
        stores = [PostgresStore(url), PostgresStore(url)]
        left: dict[str, int] = {}
        for now in range(60):
            store = chance.choice(stores)
            name, org, at = f"job_{chance.randrange(12)}", chance.choice("abc"), now + chance.randrange(-3, 6)
            name = f"{name}{org}"
            if chance.random() < 0.5:
                job = Job(name, "embed", org, "m", NOON + at * MINUTE)
                store.write(lambda tx, job=job: tx.put(job), org)  # type: ignore[misc]
                left[name] = at
            else:
                job_ = claim(store, now)
                due = [each for each, when in left.items() if when <= now]
                assert (job_ is not None) == bool(due), (now, left)
                if job_ is not None:
                    assert job_.id in due
                    if chance.random() < 0.5:
                        gone = job_.id
                        store.write(lambda tx, gone=gone: [tx.delete(Job, [Test("id", "eq", gone)])], job_.org)  # type: ignore[misc]
                        del left[gone]
                    else:
                        left[job_.id] = now + 1  # its lease runs out
        with stores[0].read() as view:
            assert {job.id for job in view.find(Job)} == set(left)
            assert all(job.state is not JobState.DEAD for job in view.find(Job))
        for store in stores:
            store.close()


def test_a_worker_visits_the_orgs_in_which_something_is_due() -> None:
    with servers.database() as url:
        store, clock = Visited(url), FrozenClock(NOON)
        settings = Settings(worker="none")
        with MemoryManager(store, clock=clock, embedder=None, settings=settings) as memory:
            for n in range(12):
                memory.for_org(f"o{n}").add_message("user", "the kettle is on", session="one")
            memory._view.worker._work()
            running = Job("job_x", "prove", "o3", "x", NOON - MINUTE, state=JobState.RUNNING, lease_until=NOON + MINUTE)
            store.write(lambda tx: tx.put(running), "o3")
            store.visited.clear()
            memory._view.worker._work(rests=False)
            assert store.visited == set(), "what another has under way is no reason to look"
            clock.advance(2 * MINUTE)
            memory._view.worker._work(rests=False)
            assert store.visited == {"o3"}


def test_stores_that_share_connections_keep_their_own_durability() -> None:
    with servers.database() as url:
        lax, full = PostgresStore(url, durability="normal"), PostgresStore(url)
        found = []
        for store in (lax, full, lax):
            with store.read("acme") as view:
                found.append(cast(Any, view)._ask("SHOW synchronous_commit")[0][0])
        assert found[0] == found[2] == "off"
        with lax._administering() as owner:
            assert found[1] == owner.execute("SHOW synchronous_commit").fetchone()[0]  # type: ignore[index]
        lax.close()
        full.close()
