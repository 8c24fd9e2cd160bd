"""The library beside other memory stores: the same texts, the same vectors, the same questions, in one run.

Each system has a process of its own, which runs this module with `python -m`; one that is not installed or fails is a
row that says why. See benchmarks/README.md for what is compared and what that is worth.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.adapters import SYSTEMS, Open, Store, Turn
from benchmarks.corpus import TalkCorpus
from benchmarks.datasets import load, load_questions
from benchmarks.metrics import measure, summarise
from benchmarks.processes import ROOT, compiling_environment
from benchmarks.report import Progress, Report, Timings, resident_mb
from engrain.embeddings.names import resolve_embedder
from engrain.protocols import Embedder

K = 20  # the deepest cut that is measured
BATCH = 1000
SINGLES = 100  # added one by one, after the others
QUESTIONS = 100  # of the large scope
# Searches that bring what is needed into memory: the first is a figure of its own.
FIRST = ("Who was it?", "When did it happen?", "What did they say about it?")
SECONDS = 3600  # for each system
ALONE = {  # nothing sent
    "TOKENIZERS_PARALLELISM": "false",
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",
}
TIMES = (
    "add_cpu_ms",
    "bulk_cpu_ms",
    "search_cpu_ms_first",
    "search_cpu_ms_p50",
    "search_cpu_ms_p95",
    "search_wall_ms_p50",
)
METRICS = ("recall@5", "recall@10", "recall@20", "any@10", "ndcg@10")
TITLES = (
    *("system", "memories", "R@5", "R@10", "R@20", "any@10", "nDCG@10"),
    *("add", "in bulk", "first search", "search", "search p95", "search by the clock", "import", "MB"),
)


@dataclass(frozen=True, kw_only=True)
class Comparison(Report):
    """The figures of each system; `failed` says why one has none. `load` is the machine's before and after."""

    file: str
    size: int
    seed: int
    embedder: str
    limit: int | None
    systems: Mapping[str, Mapping[str, Any]]
    load: tuple[Sequence[float], Sequence[float]]

    def lines(self) -> list[str]:
        lines = [
            f"{self.file}, and texts put together from it, seed {self.seed}; shares in percent, times in milliseconds"
        ]
        for first in [found for found in self.systems.values() if "failed" not in found][:1]:
            lines.append(f"{first['file']['questions']:,} questions, embedder {first['embedder']}")
            lines.append(f"MB: the whole process; {first['harness_mb'] or 0:.0f} are the harness and the embedder")
        return [
            *lines,
            "CPU time unless it says by the clock; add and in bulk are means, search is the median",
            "",
            *self._rows(),
            "",
            *(f"{name}: {found['what']}" for name, found in self.systems.items()),
            "",
            f"Load {self.load[0][0]:.1f} to {self.load[1][0]:.1f}",
        ]

    def _rows(self) -> Iterator[str]:
        """Yield a row for the file and one for the large scope of each system."""
        rows: list[Sequence[str]] = [TITLES, ["---"] * len(TITLES)]
        for name, found in self.systems.items():
            title = f"{name} {found.get('version', '')}".strip()
            if "failed" in found:
                rows.append([title, f"not measured: {found['failed']}", *[""] * (len(TITLES) - 2)])
                continue
            file, large = found["file"], found["large"]
            shares = [f"{100 * file['metrics'][metric][0]:.1f}" for metric in METRICS]
            last = [f"{found['import_cpu_ms']:.0f}", _cell(large["resident_mb"], 0)]
            rows.append([title, f"{file['memories']:,}", *shares, *(_cell(file[t], 2) for t in TIMES), "", ""])
            times = [_cell(large[name], 2) for name in TIMES]
            rows.append(["", f"{large['memories']:,}", *[""] * len(METRICS), *times, *last])
        return (f"| {' | '.join(row)} |" for row in rows)


def _cell(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def compare(
    path: str | os.PathLike[str],
    *,
    systems: Sequence[str] = tuple(SYSTEMS),
    size: int = 10_000,
    seed: int = 7,
    limit: int | None = None,
    embedder: str = "auto",
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Measure systems one after the other.

    Args:
        path: Conversations with marked evidence.
        systems: Names from `benchmarks.adapters.SYSTEMS`.
        size: Memories of the large scope, whose texts are put together from those of the file; at least 2.
        seed: The seed by which they are put together.
        limit: The most questions; at least 1, None for all.
        embedder: The embedder of all systems, as `MemoryManager` takes it.
        store_dir: A folder on a disk for the stores; None is that of temporary files.
        progress: Called after each system.

    Raises:
        ValueError: An argument is out of range, or the file holds no conversations with questions.
    """
    if size < 2 or (limit is not None and limit < 1):
        raise ValueError("size is at least 2 and limit at least 1")
    next(load(path), None)
    part = {"file": str(Path(path).resolve()), "limit": limit, "size": size, "seed": seed, "embedder": embedder}
    before, found = _load(), {}
    for number, name in enumerate(systems, start=1):
        found[name] = _outcome(name, part, store_dir)
        if progress is not None:
            progress(number, len(systems), name)
    return Comparison(
        file=Path(path).name,
        size=size,
        seed=seed,
        embedder=embedder,
        limit=limit,
        systems=found,
        load=(before, _load()),
    )


def _load() -> Sequence[float]:
    return os.getloadavg() if hasattr(os, "getloadavg") else (0.0, 0.0, 0.0)


def _outcome(name: str, part: Mapping[str, Any], store_dir: str | os.PathLike[str] | None) -> dict[str, Any]:
    """Measure a system in a process of its own."""
    system = SYSTEMS[name]
    found = {"package": system.package, "what": system.what}
    try:
        found["version"] = version(system.package)
    except PackageNotFoundError:
        return {**found, "failed": "not installed"}
    importing = f"import time; start = time.process_time()\n{system.statement}\nprint(time.process_time() - start)"
    with tempfile.TemporaryDirectory(prefix="peers-", dir=store_dir, ignore_cleanup_errors=True) as made:
        folder = str(Path(made).resolve())
        try:
            done = _run(["-m", "benchmarks.peers", json.dumps({**part, "system": name, "folder": folder})], folder)
            imported = _run(["-c", importing], folder)
        except subprocess.TimeoutExpired:
            return {**found, "failed": f"not done after {SECONDS} seconds"}
        except subprocess.CalledProcessError as error:
            return {**found, "failed": (error.stderr.strip().splitlines() or ["no reason given"])[-1][:200]}
    return {**found, "import_cpu_ms": float(imported) * 1000, **json.loads(done)}


def _run(arguments: Sequence[str], folder: str) -> str:
    """Run Python and return the last line it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env={"HF_HUB_OFFLINE": "1", **compiling_environment(), **ALONE, "MEM0_DIR": folder},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return done.stdout.strip().splitlines()[-1]


# ------------------------------------------------------------------------------------------------------ in the process


class _Work:
    """What one system needed for adding and for searching."""

    def __init__(self) -> None:
        self.bulk, self.single, self.first, self.search = Timings(), Timings(), Timings(), Timings()
        self._batches: list[int] = []

    def fill(self, store: Store, turns: Sequence[Turn]) -> None:
        """Add turns in bulk where the store can, and the last ones one by one; then warm up its search."""
        singles = min(SINGLES, len(turns) // 2)
        many, last = iter(turns[:-singles]), turns[-singles:]
        add_many = getattr(store, "add_many", None)
        while batch := list(islice(many, BATCH)):
            if add_many is None:
                for turn in batch:
                    store.add(turn)
            else:
                self.bulk.measure_each(len(batch), _completed, store, batch)
                self._batches.append(len(batch))
        for turn in last:
            self.single.measure(store.add, turn)
        self.first.measure(store.search, FIRST[0], K)
        for question in FIRST[1:]:
            store.search(question, K)

    def figures(self) -> dict[str, float | None]:
        """Return milliseconds for each memory and each search; None where the store has no call for many."""
        bulk = sum(ms * count for ms, count in zip(self.bulk.cpu, self._batches, strict=True))
        search = self.search.quantiles
        return {
            "add_cpu_ms": self.single.cpu_mean,
            "add_wall_ms_p50": self.single.quantiles.p50,
            "bulk_cpu_ms": bulk / sum(self._batches) if self._batches else None,
            "bulk_wall_ms_p50": self.bulk.quantiles.p50 if self._batches else None,
            "search_cpu_ms_first": self.first.quantiles.cpu_p50,
            "search_cpu_ms_p50": search.cpu_p50,
            "search_cpu_ms_p95": search.cpu_p95,
            "search_wall_ms_p50": search.p50,
        }


def _completed(store: Any, batch: Sequence[Turn]) -> None:
    """Add turns in bulk and wait for what is done afterwards."""
    store.add_many(batch)
    if (complete := getattr(store, "complete", None)) is not None:
        complete()


def _turn(id: str, item: Mapping[str, Any]) -> Turn:
    text = f"{item['actor']}: {item['content']}"
    return Turn(id, text, item["actor"], item.get("session", ""), item.get("valid_from"))


def _conversations(open_store: Open, embedder: Embedder, folder: Path, part: Mapping[str, Any]) -> dict[str, Any]:
    """Give each conversation of the file a store, ask its questions and measure how much of the evidence comes back."""
    work, rows, memories, found = _Work(), [], 0, 0
    for conversation, questions in load_questions(part["file"], limit=part["limit"]):
        turns = list(map(_turn, conversation.turns, conversation.items))
        memories += len(turns)
        with closing(open_store(Path(tempfile.mkdtemp(dir=folder)), embedder)) as store:
            work.fill(store, turns)
            for question in questions:
                if question.answerable and question.evidence:
                    ranked = list(dict.fromkeys(work.search.measure(store.search, question.text, K)))
                    found += len(ranked)
                    rows.append(measure(ranked, question.evidence))
    if not rows:
        raise ValueError("no question of the file has an answer and evidence for it")
    return {
        "memories": memories,
        "questions": len(rows),
        "found": found / len(rows),
        "metrics": summarise(rows),
        **work.figures(),
    }


def _large(open_store: Open, embedder: Embedder, folder: Path, part: Mapping[str, Any], size: int) -> dict[str, Any]:
    """Put so many memories with the texts of the file into one store and measure the same times."""
    work, corpus = _Work(), TalkCorpus(part["seed"], part["file"])
    turns = [_turn(f"M{number}", item) for number, item in enumerate(corpus.items("whole", size))]
    with closing(open_store(Path(tempfile.mkdtemp(dir=folder)), embedder)) as store:
        work.fill(store, turns)
        for question in corpus.questions("whole", min(QUESTIONS, size)):
            work.search.measure(store.search, question, K)
        return {"memories": size, **work.figures(), "resident_mb": resident_mb()[0]}


def _main(part: Mapping[str, Any]) -> None:
    """Warm up with a small store, do the work and print the figures as JSON."""
    embedder, folder = resolve_embedder(part["embedder"]), Path(part["folder"])
    if embedder is None:
        raise ValueError("an embedder is needed: the other systems find by vectors alone")
    embedder.embed(["What has to be loaded is loaded now."])
    harness = resident_mb()[0]
    open_store = SYSTEMS[part["system"]].open()
    _large(open_store, embedder, folder, part, 40)
    figures = {
        "embedder": embedder.id,
        "harness_mb": harness,
        "file": _conversations(open_store, embedder, folder, part),
        "large": _large(open_store, embedder, folder, part, part["size"]),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
