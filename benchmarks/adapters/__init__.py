"""The systems that are compared, by name, and what each of their adapters implements.

An adapter has a module of its own, which is imported only in the process that measures it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from benchmarks.metrics import Floats
from engrain.protocols import Embedder


class Turn(NamedTuple):
    """One turn of a conversation; `text` begins with the speaker's name."""

    id: str
    text: str
    speaker: str
    session: str
    at: datetime | None

    def fields(self) -> dict[str, str]:
        """Return what is kept in addition to the text, as strings."""
        return {"speaker": self.speaker, "session": self.session, "at": self.at.isoformat() if self.at else ""}


class Store(Protocol):
    """A store with one scope.

    One that takes many at once has `add_many(turns)`, and `complete()` where something is left to do afterwards.
    """

    def add(self, turn: Turn) -> None: ...
    def search(self, question: str, k: int) -> list[str]: ...
    def close(self) -> None: ...


class Open(Protocol):
    """Opens a store in a folder of its own."""

    def __call__(self, folder: Path, embedder: Embedder) -> Store: ...


class Embedding:
    """One embedder in the shapes that the systems want."""

    def __init__(self, embedder: Embedder) -> None:
        self.dimensions = embedder.dimensions
        self._embed = embedder.embed
        self._embed_query = getattr(embedder, "embed_query", None)

    def table(self, texts: Sequence[str]) -> Floats:
        """Return a row per text."""
        return np.asarray(self._embed(texts), np.float32)

    def query(self, question: str) -> Floats:
        """Return the vector of a question."""
        vector: Floats = self.table([question])[0] if self._embed_query is None else self._embed_query(question)
        return np.asarray(vector, np.float32)

    def lists(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a list of numbers per text."""
        vectors: list[list[float]] = self.table(texts).tolist()
        return vectors


class System(NamedTuple):
    """A system: its package, the class that opens it, what a program imports to use it, and what it keeps and how."""

    package: str
    opened_by: str
    statement: str
    what: str

    def open(self) -> Open:
        """Import the adapter, and with it the package, and return the class that opens a store."""
        module, _, name = self.opened_by.partition(":")
        opened: Open = getattr(import_module(f"benchmarks.adapters.{module}"), name)
        return opened


SYSTEMS: Mapping[str, System] = {
    "engrain": System(
        "engrain",
        "engrain_memory:Engrain",
        "from engrain import MemoryManager",
        "SQLite, synced at every write; words and vectors, exact; speaker, session and time are fields",
    ),
    "engrain-texts": System(
        "engrain",
        "engrain_memory:EngrainTexts",
        "from engrain import MemoryManager",
        "the same, given nothing but the text that the others get",
    ),
    "chroma": System(
        "chromadb", "chroma:Chroma", "import chromadb", "SQLite and a persistent HNSW index; vectors, approximate"
    ),
    "langgraph-memory": System(
        "langgraph",
        "langgraph_stores:LangGraphMemory",
        "from langgraph.store.memory import InMemoryStore",
        "dictionaries of the process, nothing kept; vectors, exact",
    ),
    "langgraph-sqlite": System(
        "langgraph-checkpoint-sqlite",
        "langgraph_stores:LangGraphSqlite",
        "from langgraph.store.sqlite import SqliteStore",
        "SQLite with sqlite-vec, synced at every write; vectors, exact",
    ),
    "mem0": System(
        "mem0ai",
        "mem0_memory:Mem0",
        "from mem0 import Memory",
        "verbatim (infer=False), local Qdrant on disk and a history in SQLite; vectors, exact",
    ),
    "txtai": System(
        "txtai",
        "txtai_index:Txtai",
        "from txtai import Embeddings",
        "faiss and SQLite, kept when saved: after each bulk, not after a single text; vectors, exact",
    ),
    "txtai-hybrid": System(
        "txtai",
        "txtai_index:TxtaiHybrid",
        "from txtai import Embeddings",
        "the same with words as well as vectors (hybrid=True)",
    ),
}
