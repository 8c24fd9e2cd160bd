"""One key sends all that it can; another key's recalls are timed alone and beside it.

    python -m campaigns fairness --memories 10000

A store with the memories of two users is served; each user has a key. The medians of one client's recalls, alone and
beside eight busy clients of the other key, and beside four that ask for 1,000 hits each, are compared within one round.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import NamedTuple

from campaigns.report import finish, percentile
from campaigns.serving import start
from engrain import MemoryManager

USERS = ("ana", "ben")
MOST_BESIDE, MOST_SPREAD = 2.0, 4.0
"""How much a greedy key may slow another one's median, and how far p95 may be from p50 with eight clients."""
_SYLLABLES = "ka lo mi ne pu ra si to vu ze dan fel gor hin jas kel mon nar pol rus".split()


class Round(NamedTuple):
    """Milliseconds: one client alone, beside a greedy key, beside wide recalls, and eight clients at once."""

    alone: float
    beside: float
    beside_wide: float
    eight_p50: float
    eight_p95: float


class Client(threading.Thread):
    """Recalls over one connection until a time, and keeps how long each answer took."""

    def __init__(self, port: int, secret: str, seed: int, seconds: float, k: int) -> None:
        super().__init__(daemon=True)
        self._port, self._secret, self._rng, self._seconds, self._k = port, secret, random.Random(seed), seconds, k
        self.ms: list[float] = []

    def run(self) -> None:
        """Recall."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=300)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._secret}"}
        until = time.monotonic() + self._seconds
        while time.monotonic() < until:
            began = time.perf_counter()
            connection.request("POST", "/v1/recall", json.dumps({"query": words(self._rng, 4), "k": self._k}), headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status == 200:
                self.ms.append((time.perf_counter() - began) * 1000)
        connection.close()


def words(rng: random.Random, count: int) -> str:
    """Return made-up words."""
    return " ".join("".join(rng.choices(_SYLLABLES, k=2)) for _ in range(count))


def build(store: Path, memories: int, seed: int) -> list[str]:
    """Make the store; return the key of each user."""
    rng, secrets = random.Random(seed), []
    with MemoryManager(store) as memory:
        for user in USERS:
            view, left = memory.scoped(user=user), memories // len(USERS)
            while left > 0:
                view.remember_many({"content": words(rng, 15)} for _ in range(min(left, 500)))
                left -= 500
            secrets.append(str(view.keys.create("read").secret))
        memory.flush()
    return secrets


def together(port: int, clients: Sequence[tuple[str, int]], seconds: float) -> list[list[float]]:
    """Let clients, each a key and how many hits it asks for, recall at once; return the times of each."""
    running = [Client(port, secret, seed, seconds, k) for seed, (secret, k) in enumerate(clients)]
    for client in running:
        client.start()
    for client in running:
        client.join()
    return [client.ms for client in running]


def run(rounds: int, *, memories: int, seconds: float, seed: int) -> list[Round]:
    """Run rounds on one server."""
    with tempfile.TemporaryDirectory() as name:
        store = Path(name) / "memory.db"
        greedy, other = build(store, memories, seed)
        server, port = start(store, Path(name) / "server.log", embedder="auto")
        try:
            together(port, [(greedy, 10), (other, 10)], 2)
            done = []
            for _ in range(rounds):
                (alone,) = together(port, [(other, 10)], seconds)
                beside = together(port, [(other, 10), *[(greedy, 10)] * 8], seconds)[0]
                wide = together(port, [(other, 10), *[(greedy, 1000)] * 4], seconds)[0]
                eight = [each for ms in together(port, [(greedy, 10)] * 8, seconds) for each in ms]
                first, second, third = (percentile(each, 0.5) for each in (alone, beside, wide))
                done.append(Round(first, second, third, percentile(eight, 0.5), percentile(eight, 0.95)))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()
    return done


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=8.0, help="how long each of the four parts of a round takes")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    done = run(chosen.rounds, memories=chosen.memories, seconds=chosen.seconds, seed=chosen.seed)
    rows = [{name: f"{value:.1f}" for name, value in each._asdict().items()} for each in done]
    ratios = {
        "beside": median(each.beside / each.alone for each in done),
        "beside_wide": median(each.beside_wide / each.alone for each in done),
        "spread": median(each.eight_p95 / each.eight_p50 for each in done),
    }
    bounds = {"beside": MOST_BESIDE, "beside_wide": MOST_BESIDE, "spread": MOST_SPREAD}
    faults = [f"{name} is {ratios[name]:.2f}, {most} at most" for name, most in bounds.items() if ratios[name] > most]
    totals = {"memories": chosen.memories, **{name: round(value, 2) for name, value in ratios.items()}}
    return finish("one key beside a greedy one", rows, totals, faults)


if __name__ == "__main__":
    sys.exit(main())
