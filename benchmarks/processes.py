"""Figures of other processes: import time, opening a store, and several processes on one store.

The processes run this module with `python -m`, with their part as JSON on standard input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.corpus import Corpus
from benchmarks.report import resident_mb
from engrain import EngrainError, MemoryManager

ROOT = Path(__file__).resolve().parent.parent
EMBEDDER = "wordllama"
SHARED = "shared"  # the user whose memories processes write and read at the same time
_IMPORT = "import time; start = time.process_time(); {}; print(time.process_time() - start)"


@dataclass(frozen=True, slots=True)
class Use:
    """What opening a store and asking some questions took in a process, and the memory it then holds.

    `own_mb` leaves out pages of files, which processes share. Both are None where the system has no figure.
    """

    open_ms: float
    first_ms: float
    first_cpu_ms: float
    resident_mb: float | None = None
    own_mb: float | None = None


@dataclass(slots=True)
class Work:
    """What one process did beside others: the milliseconds of each call, the ids acknowledged, the errors."""

    ms: list[float] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def compiling_environment() -> dict[str, str]:
    """Return the environment in which modules are compiled once: an installed package is not compiled at each start."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def import_seconds(statement: str) -> float:
    """Return the CPU seconds that an import takes in a fresh process."""
    command = [sys.executable, "-c", _IMPORT.format(statement)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=compiling_environment())
    return float(done.stdout.splitlines()[-1])


def use(store: str, user: str, questions: Sequence[str]) -> Use:
    """Open a store in a fresh process, ask the questions and return what that took."""
    (answer,) = _run_together([{"store": store, "user": user, "questions": list(questions)}])
    return Use(**answer)


def work(store: str, *, writers: int, readers: int, seconds: float, seed: int) -> tuple[list[Work], list[Work]]:
    """Let processes write to and read one store for some seconds; return what writers and readers did."""
    parts = [
        {"role": role, "number": n} for role, count in (("write", writers), ("read", readers)) for n in range(count)
    ]
    shared = {"store": store, "user": SHARED, "seconds": seconds, "seed": seed}
    done = [Work(**answer) for answer in _run_together([{**part, **shared} for part in parts])]
    return done[:writers], done[writers:]


def in_places(
    store: str, places: Sequence[tuple[str, str]], *, role: str = "write", seconds: float, seed: int
) -> list[Work]:
    """Let a process for each org and user write there, or `read`, for some seconds; return what they did."""
    shared = {"role": role, "store": store, "seconds": seconds, "seed": seed}
    parts = [{**shared, "org": org, "user": user, "number": n} for n, (org, user) in enumerate(places)]
    return [Work(**answer) for answer in _run_together(parts)]


def _run_together(parts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Start a process for each part, let them begin at once when all are ready, and return their answers."""
    command = [sys.executable, "-m", "benchmarks.processes"]
    children = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in parts
    ]
    try:
        for child, part in zip(children, parts, strict=True):  # not as an argument: an address may hold a password
            _send(child, json.dumps(part))
        for child in children:
            assert child.stdout is not None
            child.stdout.readline()
        for child in children:
            _send(child, "go")
        return [json.loads(child.communicate()[0]) for child in children]
    finally:
        for child in children:
            child.kill()
            child.wait()


def _send(child: subprocess.Popen[str], line: str) -> None:
    assert child.stdin is not None
    child.stdin.write(f"{line}\n")
    child.stdin.flush()


# ------------------------------------------------------------------------------------------------------ in the process


def _use(*, store: str, user: str, questions: Sequence[str]) -> Use:
    _wait_for_start()
    started = time.perf_counter()
    with MemoryManager(store, user=user, embedder=EMBEDDER) as manager:
        opened, begun = time.perf_counter(), time.process_time()
        manager.recall(questions[0])
        answered, done = time.perf_counter(), time.process_time()
        for question in questions[1:]:
            manager.recall(question)
        return Use((opened - started) * 1000, (answered - opened) * 1000, (done - begun) * 1000, *resident_mb())


def _work(*, role: str, store: str, user: str, number: int, seconds: float, seed: int, org: str = "default") -> Work:
    done, corpus = Work(), Corpus(seed)
    texts = [item["content"] for item in corpus.items(f"{user}-{role}-{number}", 500)]
    questions = corpus.questions(user, 100)
    with MemoryManager(store, org=org, user=user, embedder=EMBEDDER) as manager:
        manager.recall(questions[0])
        _wait_for_start()
        until = time.perf_counter() + seconds
        while (started := time.perf_counter()) < until:
            turn = len(done.ms)
            try:
                if role == "write":
                    done.ids.append(manager.remember(f"{texts[turn % len(texts)]} {number}-{turn}").id)
                else:
                    manager.recall(questions[turn % len(questions)])
            except EngrainError as error:
                done.errors.append(f"{type(error).__name__}: {error}")
            done.ms.append((time.perf_counter() - started) * 1000)
    return done


def _wait_for_start() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


def _main(part: dict[str, Any]) -> None:
    answer: Use | Work = _work(**part) if "role" in part else _use(**part)
    print(json.dumps(asdict(answer)), flush=True)


if __name__ == "__main__":
    _main(json.loads(sys.stdin.readline()))
