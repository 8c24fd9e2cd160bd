"""A server is killed, or told to stop, while clients write through it; whatever it acknowledged must be there.

    python -m campaigns serving --rounds 50

Each client keeps one connection and notes what was answered. After a kill nothing of that may be missing; after a
polite signal, in addition, nothing may have been done that was not acknowledged, and no connection in use may break.
What a client appends to its session has an idempotency key: what was never answered is sent again to the next server,
and is stored once, however often it was sent.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from campaigns.report import finish
from campaigns.soundness import examine
from engrain.model.memory import Memory

ROUNDS_PER_FILE = 10
_START = 300.0  # seconds a server may take to begin, on a busy machine too
_WORDS = "tea milk sugar cup kettle leaf river bridge winter garden Ana Tbilisi Boston moved lives likes rain".split()
_PROGRAM = "import sys; from engrain.cli.main import main; sys.exit(main())"


class Client(threading.Thread):
    """Writes, edits and forgets over one connection after another until the server is gone.

    `kept` is what was acknowledged. `broken` are requests that were sent on a connection in use and never answered;
    `unsure` those on a new one, which the server may never have accepted.
    """

    def __init__(self, port: int, seed: int) -> None:
        super().__init__(daemon=True)
        self._port, self._rng, self._seed = port, random.Random(seed), seed
        self.kept: dict[str, int] = {}
        self.said: list[str] = []
        self.unanswered: str | None = None
        self.broken, self.unsure = 0, 0

    def run(self) -> None:
        """Work until a connection is refused or breaks."""
        goes_on = True
        while goes_on:
            goes_on = self._on_one_connection()

    def _on_one_connection(self) -> bool:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        fresh = True
        try:
            while True:
                if self._one(connection):
                    return True
                fresh = False
        except (HTTPException, OSError):
            self.broken += not fresh
            self.unsure += fresh
            return False
        finally:
            connection.close()

    def _one(self, connection: HTTPConnection) -> bool:
        """Do one thing; say whether the server closes the connection."""
        rng, chance = self._rng, self._rng.random()
        if chance < 0.75 or not self.kept:
            text = f"{self._seed} {rng.getrandbits(60)}: {' '.join(rng.choices(_WORDS, k=rng.randint(1, 30)))}"
            memory, closes = self._ask(connection, "POST", "/v1/memories", {"content": text, "resolve": "off"})
            self.kept[memory["memory"]["id"]] = memory["memory"]["version"]
        elif chance < 0.82:
            self.unanswered = f"{self._seed} says {rng.getrandbits(60)}"
            _, closes = self.say(connection, self.unanswered)
            self.said.append(self.unanswered)
            self.unanswered = None
        elif chance < 0.92:
            chosen = rng.choice(sorted(self.kept))
            memory, closes = self._ask(
                connection, "PATCH", f"/v1/memories/{chosen}", {"importance": round(rng.random(), 3)}
            )
            self.kept[chosen] = memory["version"]
        else:
            _, closes = self._ask(connection, "POST", "/v1/recall", {"query": " ".join(rng.choices(_WORDS, k=4))})
        return closes

    @property
    def session(self) -> str:
        """The session in which it speaks."""
        return f"s{self._seed}"

    def say(self, connection: HTTPConnection, text: str) -> tuple[dict[str, Any], bool]:
        """Append a message; its text is the idempotency key."""
        order = self._rng.sample([("role", "user"), ("content", text)], 2)  # which makes it no other request
        return self._ask(connection, "POST", f"/v1/sessions/{self.session}/messages", dict(order), name=text)

    def _ask(
        self, connection: HTTPConnection, method: str, path: str, body: Mapping[str, object], *, name: str = ""
    ) -> tuple[dict[str, Any], bool]:
        headers = {"Content-Type": "application/json", **({"Idempotency-Key": name} if name else {})}
        connection.request(method, path, json.dumps(body).encode(), headers)
        response = connection.getresponse()
        found = json.loads(response.read())
        if response.status == 409 and name:  # it was carried out, or begun, before the server was killed
            found = {"code": found["code"]}
        elif response.status >= 400:
            raise AssertionError(f"{method} {path}: {found}")
        return found, response.getheader("connection") == "close"


@dataclass(slots=True)
class Round:
    """What one round did: how it ended the server, what was acknowledged, and what was missing or wrong."""

    number: int
    how: str
    acknowledged: int
    memories: int
    faults: list[str] = field(default_factory=list)


def sound(store: Path) -> tuple[dict[str, Memory], list[str]]:
    """Return what a store holds, and what is wrong with it; vectors are not missed where nothing makes any."""
    found, faults = examine(str(store))
    return found, [fault for fault in faults if "has no vector" not in fault]


def lost(store: Path, clients: Sequence[Client]) -> list[str]:
    """Return what was acknowledged to clients and is not stored."""
    found, faults = sound(store)
    for client in clients:
        for memory_id, version in client.kept.items():
            memory = found.get(memory_id)
            if memory is None:
                faults.append(f"{memory_id} was acknowledged and is gone")
            elif memory.version < version:
                faults.append(f"{memory_id} is at version {memory.version}; {version} was acknowledged")
    return faults


def start(store: Path, log: Path, embedder: str = "none") -> tuple[subprocess.Popen[bytes], int]:
    """Start a server on a store and return it with its port, once it listens."""
    command = [sys.executable, "-c", _PROGRAM, "serve", "--store", str(store), "--embedder", embedder, "--port", "0"]
    with log.open("wb") as book:
        child = subprocess.Popen([*command, "--writes-per-minute", "0"], stderr=book)
    until = time.monotonic() + _START
    while time.monotonic() < until and child.poll() is None:
        for line in log.read_text().splitlines():
            if '"listening"' in line and line.endswith("}"):
                return child, int(json.loads(line)["url"].rpartition(":")[2])
        time.sleep(0.01)
    child.kill()
    raise RuntimeError(f"the server did not start: {log.read_text()}")


def await_work(writers: Sequence[Client]) -> None:
    """Wait until every client has got an acknowledgement."""
    until = time.monotonic() + _START
    while not all(writer.kept for writer in writers) and time.monotonic() < until:
        time.sleep(0.01)


def repeated(connection: HTTPConnection, writer: Client) -> list[str]:
    """Send again what was not answered; return what is wrong with what the client appended."""
    if writer.unanswered is not None:
        try:
            writer.say(connection, writer.unanswered)
        except AssertionError as refused:
            return [str(refused)]
    connection.request("GET", f"/v1/sessions/{writer.session}/history?limit=1000")
    history = json.loads(connection.getresponse().read())
    found = [turn["content"] for turn in history["messages"]]
    wanted = writer.said + ([] if writer.unanswered is None else [writer.unanswered])
    return [f"{text!r} is {found.count(text)} times in its session" for text in wanted if found.count(text) != 1]


def run_round(
    folder: Path, number: int, *, clients: int, seconds: float, rng: random.Random, how: str = "kill"
) -> Round:
    """Let clients write through a server for up to `seconds`, end it, and hold the store to their notes."""
    store = folder / "memory.db"
    child, port = start(store, folder / f"server-{number}.log")
    writers = [Client(port, rng.randrange(2**31)) for _ in range(clients)]
    for writer in writers:
        writer.start()
    await_work(writers)
    time.sleep(rng.uniform(0, seconds))
    child.send_signal(signal.SIGKILL if how == "kill" else signal.SIGTERM)
    code = child.wait()
    for writer in writers:
        writer.join()
    faults = []
    if how != "kill":
        faults += [f"the server ended with {code}"] if code else []
        faults += [f"{writer.broken} requests in use were not answered" for writer in writers if writer.broken]
    again, port = start(store, folder / f"server-{number}-again.log")
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/ready")
    ready = connection.getresponse()
    ready.read()
    if ready.status != 200:
        faults.append("the server that came after is not ready")
    for writer in writers:
        faults += repeated(connection, writer)
    connection.close()
    again.send_signal(signal.SIGTERM)
    if again.wait():
        faults.append("the server that came after did not end well")
    faults += lost(store, writers)
    found, _ = sound(store)
    return Round(number, how, sum(len(writer.kept) for writer in writers), len(found), faults)


def run(rounds: int, *, clients: int = 8, seconds: float = 3.0, seed: int = 1) -> list[Round]:
    """Run rounds, kills and polite signals in turn, a new file for every ten."""
    rng, done = random.Random(seed), []
    for first in range(1, rounds + 1, ROUNDS_PER_FILE):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(first, min(first + ROUNDS_PER_FILE, rounds + 1)):
                how = "kill" if number % 2 else "stop"
                done.append(run_round(Path(folder), number, clients=clients, seconds=seconds, rng=rng, how=how))
    return done


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=3.0, help="the longest a round writes")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    done = run(chosen.rounds, clients=chosen.clients, seconds=chosen.seconds, seed=chosen.seed)
    rows = [
        {
            "round": r.number,
            "end": r.how,
            "acknowledged": r.acknowledged,
            "memories": r.memories,
            "faults": len(r.faults),
        }
        for r in done
    ]
    totals = {"rounds": len(done), "clients": chosen.clients, "acknowledged": sum(r.acknowledged for r in done)}
    faults = [f"round {r.number}: {f}" for r in done for f in r.faults]
    return finish("servers killed and stopped under load", rows, totals, faults)


if __name__ == "__main__":
    sys.exit(main())
