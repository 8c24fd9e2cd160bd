"""The HTTP server under load, beside the engine called directly for the same work.

Needs wrk (`apt-get install wrk`) and Linux. Requests are made up by a seed, and the same for both sides: one client
alone and several at once, over HTTP by wrk, and in a process of its own by as many threads.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from benchmarks.report import Progress, Report, Timings, joined, resident_mb
from campaigns.report import percentile, table
from campaigns.serving import start
from engrain import MemoryManager

WORDS = [
    a + b for a in "ka lo mi ne pu ra si to vu ze".split() for b in "dan fel gor hin jas kel mon nar pol rus".split()
]
WORK = ("get", "recall", "remember", "mixed")
_PACKAGES = ("uvicorn", "h11", "fastapi", "starlette", "pydantic")
_SOAK = 20  # seconds of mixed work after which memory is noted
_SCRIPT = """
local words = {%(words)s}
local ids = {%(ids)s}
local work = "%(work)s"
local n = 0
function init(args) math.randomseed(%(seed)d + os.time()) end
local function words_of(k)
  local out = {}
  for i = 1, k do out[i] = words[math.random(#words)] end
  return table.concat(out, " ")
end
local head = {["Content-Type"] = "application/json"}
function request()
  local chosen = work
  if work == "mixed" then
    local chance = math.random()
    chosen = chance < 0.6 and "recall" or chance < 0.8 and "get" or "remember"
  end
  n = n + 1
  if chosen == "get" then return wrk.format("GET", "/v1/memories/" .. ids[math.random(#ids)]) end
  if chosen == "recall" then
    return wrk.format("POST", "/v1/recall", head, '{"query": "' .. words_of(4) .. '", "k": 10}')
  end
  local text = words_of(15) .. " " .. n .. " " .. math.random(1e9)
  return wrk.format("POST", "/v1/memories", head, '{"content": "' .. text .. '"}')
end
function done(summary, latency, requests)
  io.write(string.format("FOUND %%d %%d %%.3f %%.3f %%.3f %%d\\n", summary.requests, summary.duration,
    latency:percentile(50) / 1000, latency:percentile(95) / 1000, latency:percentile(99) / 1000,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout))
end
"""


@dataclass(frozen=True, slots=True)
class Load:
    """Requests per second of some clients, by `side` http or direct, and milliseconds a request."""

    side: str
    work: str
    clients: int
    per_second: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    errors: int = 0


@dataclass(frozen=True, kw_only=True)
class ServerLoad(Report):
    """The rates of each kind of work, and the megabytes of the server after each part."""

    rows: tuple[Load, ...]
    rss_mb: tuple[float, ...]
    packages: Mapping[str, str] = field(default_factory=lambda: {name: version(name) for name in _PACKAGES})

    def lines(self) -> list[str]:
        rows = [{name.replace("_", " "): getattr(row, name) for name in Load.__slots__} for row in self.rows]
        memory = ", ".join(f"{each:.0f}" for each in self.rss_mb)
        return [table(rows), "", f"Memory of the server: {memory} MB", f"With {joined(self.packages)}"]


def measure_server(
    *,
    memories: int = 10_000,
    seconds: float = 15,
    clients: Sequence[int] = (1, 8, 64),
    work: Sequence[str] = WORK,
    soak: float = 0,
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> ServerLoad:
    """Ask a server over loopback, then do the same work by calls.

    Args:
        memories: What the store holds.
        seconds: How long each row takes.
        clients: Numbers of connections, and of threads.
        work: Of `get`, `recall`, `remember` and `mixed`: six recalls in ten, two gets, two writes.
        soak: Seconds of mixed work at the end, with the memory noted every 20.
        store_dir: A folder on a disk for the stores; None is that of temporary files.
        progress: Called after each row.
    """
    rows: list[Load] = []
    rng, rounds = random.Random(1), round(soak / _SOAK)
    total = 2 * len(work) * len(clients) + rounds

    def add(row: Load) -> None:
        rows.append(row)
        if progress is not None:
            progress(len(rows), total, f"{row.side} {row.work}, {row.clients} clients")

    with tempfile.TemporaryDirectory(prefix="engrain-server-", dir=store_dir) as made:
        folder = Path(made)
        stores = [folder / "served.db", folder / "direct.db"]
        ids = [_fill(store, memories, rng) for store in stores]
        child, port = start(stores[0], folder / "log", "auto")
        try:
            for kind in work:
                for count in clients:
                    add(_over_http(port, kind, count, seconds=seconds, ids=ids[0], folder=folder))
            memory = [_resident(child.pid)]
            for _ in range(rounds):
                add(_over_http(port, "mixed", 8, seconds=_SOAK, ids=ids[0], folder=folder))
                memory.append(_resident(child.pid))
        finally:
            child.terminate()
            child.wait()
        with MemoryManager(stores[1]) as m:
            for kind in work:
                for count in clients:
                    add(_directly(m, kind, count, seconds, ids[1]))
    return ServerLoad(rows=tuple(rows), rss_mb=tuple(memory))


def _resident(process: int) -> float:
    return resident_mb(process)[0] or 0.0


def _fill(store: Path, memories: int, rng: random.Random) -> list[str]:
    """Put memories into a store, and return some of their ids."""
    with MemoryManager(store) as m:
        items = [{"content": f"{' '.join(rng.choices(WORDS, k=15))} {n}"} for n in range(memories)]
        ids = [each.id for each in m.remember_many(items, batch_size=500)]
        m.flush()
    return rng.sample(ids, min(len(ids), 500))


def _over_http(port: int, work: str, clients: int, *, seconds: float, ids: Sequence[str], folder: Path) -> Load:
    """Let wrk ask for a while."""
    script = folder / "work.lua"
    named = {"words": ",".join(f'"{w}"' for w in WORDS), "ids": ",".join(f'"{i}"' for i in ids)}
    script.write_text(_SCRIPT % {**named, "work": work, "seed": clients})
    command = ["wrk", "-t1", f"-c{clients}", f"-d{round(seconds)}s", "--timeout", "30s", "-s", str(script)]
    ran = subprocess.run([*command, f"http://127.0.0.1:{port}"], capture_output=True, text=True, check=True)
    found = re.search(r"FOUND (.*)", ran.stdout)
    if found is None:
        raise RuntimeError(f"wrk reported nothing: {ran.stdout}")
    count, duration, *ms, errors = found[1].split()
    p50, p95, p99 = map(float, ms)
    return Load("http", work, clients, int(count) / int(duration) * 1e6, p50, p95, p99, int(errors))


def _directly(m: MemoryManager, work: str, threads: int, seconds: float, ids: Sequence[str]) -> Load:
    """Do the same work in threads of this process."""
    took: list[float] = []
    until = time.monotonic() + seconds

    def one(rng: random.Random) -> None:
        taken = Timings()
        while time.monotonic() < until:
            chance = rng.random()
            chosen = work if work != "mixed" else "recall" if chance < 0.6 else "get" if chance < 0.8 else "remember"
            if chosen == "get":
                taken.measure(m.get, rng.choice(ids))
            elif chosen == "recall":
                taken.measure(m.recall, " ".join(rng.choices(WORDS, k=4)), k=10)
            else:
                taken.measure(m.remember, f"{' '.join(rng.choices(WORDS, k=15))} {rng.random()}")
        took.extend(taken.wall)

    workers = [threading.Thread(target=one, args=(random.Random(n),)) for n in range(threads)]
    begun = time.monotonic()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    rate = len(took) / (time.monotonic() - begun)
    p50, p95, p99 = (percentile(took, share) for share in (0.5, 0.95, 0.99))
    return Load("direct", work, threads, rate, p50, p95, p99)
