"""`engrain serve` under load, beside the engine called directly for the same work.

    python -m benchmarks.serving.load --memories 10000 --seconds 15

Needs wrk (`apt-get install wrk`) and Linux. What is asked is made up by a seed, and the same for both sides: one client
alone and several at once, over HTTP by wrk, and in a process of its own by as many threads.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from importlib.metadata import version
from pathlib import Path

from campaigns.report import percentile, table
from campaigns.serving import start
from engrain import MemoryManager

WORDS = [
    a + b for a in "ka lo mi ne pu ra si to vu ze".split() for b in "dan fel gor hin jas kel mon nar pol rus".split()
]
WORK = ("get", "recall", "remember", "mixed")
_SCRIPT = """
local words = {%(words)s}
local ids = {%(ids)s}
local work = "%(work)s"
local n = 0
function init(args) math.randomseed(%(seed)d + os.time()) end
local function said(k)
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
    return wrk.format("POST", "/v1/recall", head, '{"query": "' .. said(4) .. '", "k": 10}')
  end
  local text = said(15) .. " " .. n .. " " .. math.random(1e9)
  return wrk.format("POST", "/v1/memories", head, '{"content": "' .. text .. '"}')
end
function done(summary, latency, requests)
  io.write(string.format("FOUND %%d %%d %%.3f %%.3f %%.3f %%d\\n", summary.requests, summary.duration,
    latency:percentile(50) / 1000, latency:percentile(95) / 1000, latency:percentile(99) / 1000,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout))
end
"""


def fill(store: Path, memories: int, rng: random.Random) -> list[str]:
    """Put memories into a store, and return some of their ids."""
    with MemoryManager(store) as m:
        texts = [{"content": f"{' '.join(rng.choices(WORDS, k=15))} {n}"} for n in range(memories)]
        made = [
            each.memory.id for start in range(0, memories, 500) for each in m.remember_many(texts[start : start + 500])
        ]
        m.flush()
    return rng.sample(made, min(len(made), 500))


def over_http(
    port: int, work: str, connections: int, *, seconds: float, ids: list[str], folder: Path
) -> dict[str, object]:
    """Let wrk ask for a while."""
    script = folder / "work.lua"
    named = {"words": ",".join(f'"{w}"' for w in WORDS), "ids": ",".join(f'"{i}"' for i in ids)}
    script.write_text(_SCRIPT % {**named, "work": work, "seed": connections})
    asked = ["wrk", "-t1", f"-c{connections}", f"-d{round(seconds)}s", "--timeout", "30s", "-s", str(script)]
    ran = subprocess.run([*asked, f"http://127.0.0.1:{port}"], capture_output=True, text=True, check=True)
    count, duration, *ms, errors = re.search(r"FOUND (.*)", ran.stdout)[1].split()
    return row(
        "http", work, connections, int(count) / int(duration) * 1e6, [float(each) for each in ms], errors=int(errors)
    )


def row(side: str, work: str, clients: int, rate: float, ms: list[float], *, errors: int = 0) -> dict[str, object]:
    """Return a line of the table."""
    names = dict(zip(("p50 ms", "p95 ms", "p99 ms"), ms, strict=True))
    return {"side": side, "work": work, "clients": clients, "per second": rate, **names, "errors": errors}


def directly(m: MemoryManager, work: str, threads: int, seconds: float, ids: list[str]) -> dict[str, object]:
    """Do the same work in threads of this process."""
    took: list[float] = []
    until = time.monotonic() + seconds

    def one(rng: random.Random) -> None:
        while time.monotonic() < until:
            chance, begun = rng.random(), time.perf_counter()
            chosen = work if work != "mixed" else "recall" if chance < 0.6 else "get" if chance < 0.8 else "remember"
            if chosen == "get":
                m.get(rng.choice(ids))
            elif chosen == "recall":
                m.recall(" ".join(rng.choices(WORDS, k=4)), k=10)
            else:
                m.remember(f"{' '.join(rng.choices(WORDS, k=15))} {rng.random()}")
            took.append((time.perf_counter() - begun) * 1000)

    workers = [threading.Thread(target=one, args=(random.Random(n),)) for n in range(threads)]
    begun = time.monotonic()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    rate = len(took) / (time.monotonic() - begun)
    return row("direct", work, threads, rate, [percentile(took, share) for share in (0.5, 0.95, 0.99)])


def rss(pid: int) -> float:
    """Return the megabytes a process has in memory."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def main() -> int:
    """Measure, and print a table and JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 8, 64])
    parser.add_argument("--work", nargs="*", default=list(WORK), choices=WORK)
    parser.add_argument("--soak", type=float, default=0, help="seconds of mixed work at the end, memory noted")
    chosen = parser.parse_args()
    rows: list[dict[str, object]] = []
    memory: list[float] = []
    with tempfile.TemporaryDirectory() as named:
        folder, rng = Path(named), random.Random(1)
        stores = [folder / "served.db", folder / "direct.db"]
        ids = [fill(store, chosen.memories, rng) for store in stores]
        child, port = start(stores[0], folder / "log", "auto")
        for work in chosen.work:
            rows += [
                over_http(port, work, c, seconds=chosen.seconds, ids=ids[0], folder=folder) for c in chosen.clients
            ]
        memory.append(rss(child.pid))
        for _ in range(round(chosen.soak / 20)):
            rows.append(over_http(port, "mixed", 8, seconds=20, ids=ids[0], folder=folder))
            memory.append(rss(child.pid))
        child.terminate()
        child.wait()
        with MemoryManager(stores[1]) as m:
            for work in chosen.work:
                rows += [directly(m, work, c, chosen.seconds, ids[1]) for c in chosen.clients]
    print(table(rows))
    packages = {name: version(name) for name in ("uvicorn", "h11", "fastapi", "starlette", "pydantic")}
    told = {"python": platform.python_version(), "packages": packages, "rss_mb": memory, "rows": rows}
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
