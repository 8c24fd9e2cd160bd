"""Writers on a Citus cluster while a node is added, shards move, a node is killed and back: nothing lost, none leaked.

python -m campaigns cluster --store postgresql://postgres@coordinator/memory --seconds 10

It makes a database of its own on the cluster, by a superuser's URL, and drops it. The last node is killed, so it has to
run on this machine.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
from psycopg import conninfo

from campaigns.report import finish, percentile
from engrain import MemoryManager, Settings
from engrain.errors import StoreError, StoreUnavailable
from engrain.storage.postgres import PostgresStore

ORGS = ("acme", "birch", "cedar", "delta", "elm", "fern", "gorse", "hazel", "iris", "juniper", "kelp", "larch")
PATIENCE = 4.0  # seconds
_LATEST = 4 * PATIENCE  # in which a call that cannot be answered has failed


class Cluster:
    """The nodes of a cluster, and a database of its own on each."""

    def __init__(self, url: str) -> None:
        self._url, self.name = url, f"engrain_campaign_{uuid.uuid4().hex[:8]}"
        self.url = conninfo.make_conninfo(url, dbname=self.name)
        with psycopg.connect(url) as connection:
            asked = "SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid"
            self.nodes: list[tuple[str, int]] = connection.execute(asked).fetchall()

    @contextmanager
    def at(self, place: tuple[str, int], database: str = "") -> Iterator[psycopg.Connection]:
        """Connect to a node."""
        host, port = place
        url = conninfo.make_conninfo(self._url, host=host, port=port, **({"dbname": database} if database else {}))
        with psycopg.connect(url, autocommit=True) as connection:
            yield connection

    def make(self) -> None:
        """Make the database on each node; the last one is not in the cluster yet."""
        for node in self.nodes:
            with self.at(node) as connection:
                connection.execute(f"CREATE DATABASE {self.name}".encode())
            with self.at(node, self.name) as connection:
                connection.execute("CREATE EXTENSION citus")
                connection.execute("CREATE EXTENSION vector")
        first, *others = self.nodes
        self.execute("SELECT citus_set_coordinator_host(%s, %s)", *first)
        for node in others[:-1]:
            self.execute("SELECT citus_add_node(%s, %s)", *node)
        with closing(PostgresStore(self.url)) as store:
            store.distribute(shards=16)

    def execute(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        """Carry out a statement at the coordinator."""
        with self.at(self.nodes[0], self.name) as connection:
            return connection.execute(statement.encode(), values or None).fetchall()

    def drop(self) -> None:
        """Drop the database everywhere."""
        for node in self.nodes:
            with self.at(node) as connection:
                connection.execute(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)".encode())

    def orgs_of(self, node: tuple[str, int]) -> set[str]:
        """Return the organisations that a node has."""
        found = set()
        for org in ORGS:
            asked = (
                "SELECT nodename, nodeport FROM citus_shards WHERE shardid = "
                "get_shard_id_for_distribution_column('engrain.org', %s::text)"
            )
            if self.execute(asked, org)[0] == node:
                found.add(org)
        return found

    def kill(self) -> tuple[list[str], int]:
        """Kill the last node; return the command that starts it again, and the user that it ran as."""
        with self.at(self.nodes[-1]) as connection:
            ((folder,),) = connection.execute("SHOW data_directory").fetchall()
        pid = int(Path(folder, "postmaster.pid").read_text().split("\n", 1)[0])
        owner = os.stat(folder).st_uid
        server = Path(f"/proc/{pid}/exe").resolve()
        os.kill(pid, signal.SIGKILL)
        return [str(server.parent / "pg_ctl"), "-D", folder, "-l", f"{folder}.log", "-w", "start"], owner


class Writer(threading.Thread):
    """Remembers in one organisation, each text under a key of its own, until it is acknowledged."""

    def __init__(self, memory: MemoryManager, org: str, stop: threading.Event) -> None:
        super().__init__()
        self.org, self.view, self.stop = org, memory.for_org(org), stop
        self.acknowledged: dict[str, str] = {}  # ids by key
        self.failed: list[tuple[float, float]] = []  # when a call ended, and after how long
        self.took: list[tuple[float, float]] = []
        self.faults: list[str] = []

    def run(self) -> None:
        """Write until it is stopped; whatever was begun is finished first."""
        number = 0
        while not self.stop.is_set():
            key = f"{self.org} {number}"
            number += 1
            while key not in self.acknowledged:
                begun = time.monotonic()
                try:
                    self.acknowledged[key] = self.view.remember(f"{self.org} says {number}", key=key).memory.id
                    self.took.append((time.monotonic(), time.monotonic() - begun))
                except StoreUnavailable:
                    self.failed.append((time.monotonic(), time.monotonic() - begun))
                except StoreError as error:
                    self.faults.append(f"{self.org} got no StoreUnavailable: {error}")
                    time.sleep(0.1)
                if time.monotonic() - begun > _LATEST:
                    self.faults.append(f"{self.org} waited {time.monotonic() - begun:.0f} s")


def run(url: str, seconds: float) -> tuple[list[dict[str, object]], list[str]]:
    """Carry it out; return what happened in each phase, and what was wrong."""
    cluster, faults = Cluster(url), list[str]()
    cluster.make()
    last, stop, phases = cluster.nodes[-1], threading.Event(), dict[str, tuple[float, float]]()
    store = PostgresStore(cluster.url, patience=PATIENCE, connections=24)
    memory = MemoryManager(store, settings=Settings(worker="none"), embedder=None)
    writers = [Writer(memory, org, stop) for org in ORGS]
    try:
        for writer in writers:
            writer.start()

        @contextmanager
        def phase(name: str) -> Iterator[None]:
            begun = time.monotonic()
            yield
            phases[name] = begun, time.monotonic()

        with phase("before"):
            time.sleep(seconds)
        with phase("a node is added, shards move"):
            cluster.execute("SELECT citus_add_node(%s, %s)", *last)
            cluster.execute("SELECT rebalance_table_shards()")
        away = cluster.orgs_of(last)
        if not away or len(away) == len(ORGS):
            faults.append(f"the new node has {len(away)} of {len(ORGS)} organisations")
        with phase("two nodes"):
            time.sleep(seconds)
        with phase("one is killed"):
            command, owner = cluster.kill()
            time.sleep(2 * PATIENCE)
        subprocess.run(command, check=True, user=owner, capture_output=True, cwd="/")
        time.sleep(1)
        with phase("it is back"):
            time.sleep(seconds + PATIENCE)
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    rows = [_phase(name, begun, ended, writers, away) for name, (begun, ended) in phases.items()]
    during = phases["one is killed"]
    faults += [fault for writer in writers for fault in writer.faults]
    for writer in writers:
        kept = [at for at, _ in writer.took if during[0] + PATIENCE < at < during[1]]
        if writer.org in away and (kept or not writer.failed):
            faults.append(f"{writer.org} was on the node that was killed, and {len(kept)} writes were acknowledged")
        refused = [at for at, _ in writer.failed if during[0] < at < during[1]]
        if writer.org not in away and (refused or not kept):
            faults.append(f"{writer.org} was on another node: {len(kept)} writes acknowledged, {len(refused)} refused")
    faults += _examined(memory, writers)
    memory.close()
    cluster.drop()
    return rows, faults


def _phase(name: str, begun: float, ended: float, writers: list[Writer], away: set[str]) -> dict[str, object]:
    took = [each for writer in writers for at, each in writer.took if begun <= at < ended]
    failed = [each for writer in writers for at, each in writer.failed if begun <= at < ended]
    there = sum(begun <= at < ended for writer in writers if writer.org in away for at, _ in writer.took)
    return {
        "phase": name,
        "seconds": ended - begun,
        "acknowledged": len(took),
        "of the last node's": there,
        "p50 ms": 1000 * percentile(took, 0.5),
        "max ms": 1000 * max(took, default=0.0),
        "refused": len(failed),
        "max s of a refusal": max(failed, default=0.0),
    }


def _examined(memory: MemoryManager, writers: list[Writer]) -> list[str]:
    """Return what was lost, written twice or seen by another organisation, and trails that are not whole."""
    faults = []
    for writer in writers:
        found = [(one.key, one.id, one.content) for one in writer.view.iter_memories(status="all")]
        keys = {key: name for key, name, _ in found}
        lost = [key for key, name in writer.acknowledged.items() if keys.get(key) != name]
        if lost:
            faults.append(f"{writer.org} lost {len(lost)} of {len(writer.acknowledged)}: {lost[:3]}")
        if len(found) != len(keys):
            faults.append(f"{writer.org} has {len(found) - len(keys)} twice")
        if any(not re.match(rf"{writer.org} says \d+$", content) for _, _, content in found):
            faults.append(f"{writer.org} sees memories of another organisation")
        if not (report := writer.view.verify_audit()).ok:
            faults.append(f"the audit trail of {writer.org} is not whole: {report}")
    return faults


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", required=True)
    parser.add_argument("--seconds", type=float, default=10.0)
    chosen = parser.parse_args()
    rows, faults = run(chosen.store, chosen.seconds)
    return finish("twelve organisations on a cluster that changes", rows, {"seconds": chosen.seconds}, faults)


if __name__ == "__main__":
    sys.exit(main())
