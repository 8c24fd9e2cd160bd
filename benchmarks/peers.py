"""The same adding and searching with Recollect and with other stores installed beside it, as ratios of one run.

    pip install -r benchmarks/requirements.txt
    python benchmarks/peers.py --size 10000

Every store gets the same texts and the same vectors, those of Recollect's built-in embedder, so that only the stores
are compared. The others are handed their vectors ready made; Recollect makes its own within the measured time. Each
store has a process of its own. One that is not installed or cannot work here is skipped, with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import PackageNotFoundError, version
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from recollect import MemoryManager, __version__
from recollect.evaluation.corpus import Corpus
from recollect.evaluation.figures import Timings
from recollect.evaluation.machine import describe_machine

EMBEDDER = "wordllama"
WHOLE, SMALL = "whole", "small"  # a user with all the memories, and one with 1,000 in the same store
BATCH, SCOPE, K = 1000, 1000, 10
FIRST = 5  # searches that are not counted: they bring what is needed into memory
Vectors = Mapping[str, np.ndarray]


class Peer(Protocol):
    """A store at work: the user is the wall between memories."""

    def add_many(self, user: str, texts: Sequence[str]) -> None: ...
    def add(self, user: str, text: str) -> None: ...
    def search(self, user: str, question: str) -> int: ...


class Recollect:
    """SQLite, synced; words and vectors, exact; filters, duplicates, an audit trail."""

    def __init__(self, folder: Path, vectors: Vectors, stack: ExitStack) -> None:
        self._manager = stack.enter_context(MemoryManager(folder / "memory.db", embedder=EMBEDDER))

    def add_many(self, user: str, texts: Sequence[str]) -> None:
        self._manager.scoped(user=user).remember_many([{"content": text} for text in texts])

    def add(self, user: str, text: str) -> None:
        self._manager.scoped(user=user).remember(text)

    def search(self, user: str, question: str) -> int:
        return len(self._manager.scoped(user=user).recall(question, k=K))


class Chroma:
    """Persistent client; vectors in HNSW, approximate."""

    package = "chromadb"

    def __init__(self, folder: Path, vectors: Vectors, stack: ExitStack) -> None:
        import chromadb

        client = chromadb.PersistentClient(str(folder), chromadb.Settings(anonymized_telemetry=False))
        self._vectors, self._notes = vectors, client.create_collection("notes", metadata={"hnsw:space": "cosine"})

    def add_many(self, user: str, texts: Sequence[str]) -> None:
        self._notes.add(
            ids=[uuid.uuid4().hex for _ in texts],
            documents=list(texts),
            embeddings=np.stack([self._vectors[text] for text in texts]),
            metadatas=[{"user": user} for _ in texts],
        )

    def add(self, user: str, text: str) -> None:
        self.add_many(user, [text])

    def search(self, user: str, question: str) -> int:
        found = self._notes.query(query_embeddings=[self._vectors[question]], n_results=K, where={"user": user})
        return len(found["ids"][0])


class LangGraphMemory:
    """In the process's memory, nothing kept; vectors, exact."""

    package = "langgraph"

    def __init__(self, folder: Path, vectors: Vectors, stack: ExitStack) -> None:
        from langgraph.store.memory import InMemoryStore

        self._store: Any = InMemoryStore(index=_index(vectors))

    def add_many(self, user: str, texts: Sequence[str]) -> None:
        from langgraph.store.base import PutOp

        self._store.batch([PutOp((user,), uuid.uuid4().hex, {"text": text}) for text in texts])

    def add(self, user: str, text: str) -> None:
        self._store.put((user,), uuid.uuid4().hex, {"text": text})

    def search(self, user: str, question: str) -> int:
        return len(self._store.search((user,), query=question, limit=K))


class LangGraphSqlite(LangGraphMemory):
    """SQLite with the sqlite-vec extension; vectors, exact."""

    package = "langgraph-checkpoint-sqlite"

    def __init__(self, folder: Path, vectors: Vectors, stack: ExitStack) -> None:
        from langgraph.store.sqlite import SqliteStore

        index = {**_index(vectors), "text_fields": ["text"]}
        self._store = stack.enter_context(SqliteStore.from_conn_string(str(folder / "store.db"), index=index))
        self._store.setup()


class Mem0:
    """Verbatim (`infer=False`), its local Qdrant; vectors."""

    package = "mem0ai"

    def __init__(self, folder: Path, vectors: Vectors, stack: ExitStack) -> None:
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder), OPENAI_API_KEY="none, and not called")
        from mem0 import Memory

        store = {"path": str(folder / "qdrant"), "embedding_model_dims": 256, "on_disk": True}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Ready(vectors)

    def add_many(self, user: str, texts: Sequence[str]) -> None:
        for text in texts:
            self.add(user, text)

    def add(self, user: str, text: str) -> None:
        self._memory.add(text, user_id=user, infer=False)

    def search(self, user: str, question: str) -> int:
        found = self._memory.search(question, top_k=K, filters={"user_id": user}, threshold=0.0)
        return len(found["results"])


class _Ready:
    """Mem0's embedder, with the vectors at hand."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._vectors[text].tolist()

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


def _index(vectors: Vectors) -> dict[str, Any]:
    return {"dims": 256, "embed": lambda texts: [vectors[text].tolist() for text in texts], "fields": ["text"]}


PEERS: Mapping[str, Any] = {
    "recollect": Recollect,
    "chroma": Chroma,
    "langgraph-memory": LangGraphMemory,
    "langgraph-sqlite": LangGraphSqlite,
    "mem0": Mem0,
}


def measure(name: str, size: int, rounds: int, seed: int) -> dict[str, Any]:
    """Do the work with one store and return the medians in milliseconds, by the clock and of the processor."""
    corpus, taken = Corpus(seed), {what: Timings() for what in WORK}
    texts = {user: [str(item["content"]) for item in corpus.items(user, count)] for user, count in _users(size, rounds)}
    asked = {user: corpus.questions(user, FIRST + rounds) for user in (WHOLE, SMALL)}
    vectors = {} if name == "recollect" else _embedded([*chain(*texts.values(), *asked.values())])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as stack:
        peer: Peer = PEERS[name](Path(folder), vectors, stack)
        peer.add_many("first", texts["first"])
        for user, what in ((WHOLE, "add in bulk"), (SMALL, "")):
            items = iter(texts[user])
            while batch := list(islice(items, BATCH)):
                (taken[what] if what else Timings()).each(len(batch), peer.add_many, user, batch)
        for text in texts["one by one"]:
            taken["add one"].of(peer.add, WHOLE, text)
        for user, what in ((WHOLE, "search all"), (SMALL, "search 1,000")):
            _search(peer, user, asked[user], taken[what])
    return {what: {"p50_ms": each.p50, "cpu_ms": each.cpu50} for what, each in taken.items()}


WORK = ("add in bulk", "add one", "search all", "search 1,000")


def _users(size: int, rounds: int) -> list[tuple[str, int]]:
    return [("first", 20), (WHOLE, size), (SMALL, min(size, SCOPE)), ("one by one", rounds)]


def _embedded(texts: Sequence[str]) -> Vectors:
    with MemoryManager(":memory:", embedder=EMBEDDER) as manager:
        assert manager.embedder is not None
        return dict(zip(texts, np.asarray(manager.embedder.embed(texts), np.float32), strict=True))


def _search(peer: Peer, user: str, questions: Sequence[str], taken: Timings) -> None:
    for place, question in enumerate(questions):
        found = peer.search(user, question) if place < FIRST else taken.of(peer.search, user, question)
        if found < K:
            raise RuntimeError(f"only {found} of {K} were found")


def outcome(name: str, arguments: Sequence[str]) -> dict[str, Any]:
    """Measure a store in a process of its own; a failure becomes the reason why it was skipped."""
    try:
        found: dict[str, Any] = {"version": __version__ if name == "recollect" else version(PEERS[name].package)}
    except PackageNotFoundError:
        return {"skipped": "not installed"}
    command = [sys.executable, __file__, "--only", name, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {**found, "skipped": (done.stderr.strip().splitlines() or ["no reason given"])[-1][:200]}
    return {**found, **json.loads(done.stdout.strip().splitlines()[-1])}


def table(found: Mapping[str, Mapping[str, Any]], of: Callable[[Mapping[str, float]], float]) -> str:
    """Return the times and, in brackets, how many times Recollect's they are."""
    lines = [f"{'':36}" + "".join(f"{what:>22}" for what in WORK)]
    for name, figures in found.items():
        title = f"{name} {figures.get('version', '')}"
        if "skipped" in figures:
            lines.append(f"{title:36}  skipped: {figures['skipped']}")
            continue
        cells = [f"{of(figures[what]):.3g} ({of(figures[what]) / of(found['recollect'][what]):.3g}x)" for what in WORK]
        lines.append(f"{title:36}" + "".join(f"{cell:>22}" for cell in cells))
    return "\n".join(lines)


def main() -> None:
    """Measure every store, or one, and print the tables or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10_000, help="memories of the one large scope")
    parser.add_argument("--rounds", type=int, default=100, help="single adds, and searches of each kind")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--peers", nargs="*", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", choices=list(PEERS), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.only:
        print(json.dumps(measure(chosen.only, chosen.size, chosen.rounds, chosen.seed)))
        return
    arguments = [f"--{name}={getattr(chosen, name)}" for name in ("size", "rounds", "seed")]
    names = list(dict.fromkeys(["recollect", *chosen.peers]))
    found = {}
    for name in names:
        found[name] = outcome(name, arguments)
        if "skipped" in found["recollect"]:
            sys.exit(f"Recollect itself could not be measured: {found['recollect']['skipped']}")
    if chosen.json:
        print(json.dumps({"machine": describe_machine(), "size": chosen.size, "seed": chosen.seed, "peers": found}))
        return
    print(f"Milliseconds each, median; in brackets times Recollect's. {chosen.size:,} memories in the large scope.\n")
    print("By the clock\n" + table(found, lambda figures: figures["p50_ms"]))
    print("\nOf the processor\n" + table(found, lambda figures: figures["cpu_ms"]))
    print("\n" + "\n".join(f"{name}: {PEERS[name].__doc__}" for name in found))
    print("\nOn " + ", ".join(f"{name} {value}" for name, value in describe_machine().items()))


if __name__ == "__main__":
    main()
