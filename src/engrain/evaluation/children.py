"""What can only be seen from outside: figures of processes of their own, started as `python -m` on this file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engrain.errors import EngrainError
from engrain.evaluation.corpus import Corpus
from engrain.manager import MemoryManager

if sys.platform != "win32":
    import resource

EMBEDDER = "wordllama"
SHARED = "shared"  # the user whose memories processes write and read side by side
_IMPORT = "import time; start = time.process_time(); {}; print(time.process_time() - start)"
_STATUS = Path("/proc/self/status")


@dataclass(slots=True)
class Use:
    """A process that opened a store and asked a few questions: how long that took, and the memory it holds then.

    `resident_mb` is None where the platform does not say. `own_mb` leaves out pages of files, which processes share and
    the system takes back when it needs them.
    """

    open_ms: float
    first_ms: float
    resident_mb: float | None = None
    own_mb: float | None = None


@dataclass(slots=True)
class Work:
    """What one process did beside others: each call's milliseconds, the ids acknowledged, the errors."""

    ms: list[float] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def import_seconds(statement: str) -> float:
    """Return the CPU seconds that an import takes in a fresh process."""
    command = [sys.executable, "-c", _IMPORT.format(statement)]
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    # An installed package has been compiled once; a shell that forbids that would have it compiled at every start.
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=usual).stdout)


def use(path: str, user: str, questions: Sequence[str]) -> Use:
    """Open a store in a fresh process, ask the questions and return what that took."""
    (answer,) = _together([{"role": "use", "path": path, "user": user, "questions": list(questions)}])
    return Use(**answer)


def work(path: str, *, writers: int, readers: int, seconds: float, seed: int) -> tuple[list[Work], list[Work]]:
    """Let processes write to and read one store for some seconds; return what writers and readers did."""
    parts = [{"role": role, "number": n} for role, n in (("write", writers), ("read", readers)) for n in range(n)]
    shared = {"path": path, "user": SHARED, "seconds": seconds, "seed": seed}
    done = [Work(**answer) for answer in _together([{**part, **shared} for part in parts])]
    return done[:writers], done[writers:]


def _together(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Start a process for each part, let them begin together once all are ready, and return their answers."""
    command = [sys.executable, "-m", "engrain.evaluation.children"]
    children = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in parts]
    try:
        for child, part in zip(children, parts, strict=True):  # not as an argument: an address may hold a password
            _say(child, json.dumps(part))
        for child in children:
            assert child.stdout is not None
            child.stdout.readline()
        for child in children:
            _say(child, "go")
        return [json.loads(child.communicate()[0]) for child in children]
    finally:
        for child in children:
            child.kill()
            child.wait()


def _say(child: subprocess.Popen[str], line: str) -> None:
    assert child.stdin is not None
    child.stdin.write(f"{line}\n")
    child.stdin.flush()


# ------------------------------------------------------------------------------------------------------ in the process


def _use(path: str, user: str, questions: Sequence[str]) -> Use:
    started = time.perf_counter()
    with MemoryManager(path, user=user, embedder=EMBEDDER) as manager:
        opened = time.perf_counter()
        manager.recall(questions[0])
        answered = time.perf_counter()
        for question in questions[1:]:
            manager.recall(question)
        return Use((opened - started) * 1000, (answered - opened) * 1000, *_resident())


def _resident() -> tuple[float | None, float | None]:
    if _STATUS.exists():
        told = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines() if ":" in line)
        total, own = (int(told[name].split()[0]) / 1024 if name in told else None for name in ("VmRSS", "RssAnon"))
        return total, own
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20), None
    return None, None


def _work(*, role: str, path: str, user: str, number: int, seconds: float, seed: int) -> Work:
    done, corpus = Work(), Corpus(seed)
    texts = [item["content"] for item in corpus.items(f"{user}-{role}-{number}", 500)]
    questions = corpus.questions(user, 100)
    with MemoryManager(path, user=user, embedder=EMBEDDER) as manager:
        manager.recall(questions[0])
        _ready()
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


def _ready() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


def _main(part: dict[str, Any]) -> None:
    if part["role"] == "use":
        _ready()
        answer: Use | Work = _use(part["path"], part["user"], part["questions"])
    else:
        answer = _work(**part)
    print(json.dumps(asdict(answer)), flush=True)


if __name__ == "__main__":
    _main(json.loads(sys.stdin.readline()))
